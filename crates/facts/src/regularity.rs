//! Regularity: how values differ between the positions of a map, which decides how a nest inside of it is flattened.
//!
//! Each variable of the map's function has one of three labels, where each includes those before it:
//!
//! - *avoided*: the same at all positions. It is computed once;
//! - *regular*: it differs, but not in shape. All positions together have an array of it;
//! - *irregular*: an array whose sizes differ. Positions have rows of different lengths.
//!
//! Labels flow forward through the statements, in one pass: a result is avoided if all that its statement needs is, and
//! irregular if one of its sizes differs. Where control flow meets, at the ends of branches and at the start of a
//! loop's iteration, the label is the larger one; for a loop that is found by going through its body until nothing
//! changes, twice at most for each step up. Inside the functions of operators no element is avoided: it differs between
//! the operator's own positions.

use fehu_base::IdVec;
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Exp, Lambda, LoopForm, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// How the values of a variable differ between positions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Regularity {
    /// Not at all.
    Avoided,
    /// In their elements.
    Regular,
    /// In their sizes, too.
    Irregular,
}

impl Regularity {
    /// Its word in messages.
    pub fn name(self) -> &'static str {
        match self {
            Regularity::Avoided => "avoided",
            Regularity::Regular => "regular",
            Regularity::Irregular => "irregular",
        }
    }
}

/// The labels of the variables that are bound in a map's function. Others belong to what is around the map, and are avoided.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    known: FxHashMap<Var, Regularity>,
}

impl Labels {
    /// Those of the function of a map.
    pub fn of_map(map: &Lambda, vars: &IdVec<Var, VarInfo>) -> Labels {
        let mut labels = Labels::default();
        labels.lambda(map, vars);
        labels
    }

    /// The label of a variable.
    pub fn of(&self, var: Var) -> Regularity {
        self.known.get(&var).copied().unwrap_or(Regularity::Avoided)
    }

    /// Whether an operand is the same at all positions.
    pub fn is_avoided(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| self.of(var) == Regularity::Avoided)
    }

    /// Whether the sizes of a type are the same at all positions.
    pub fn is_regular(&self, ty: &Type) -> bool {
        ty.shape().iter().all(|size| self.is_avoided(*size))
    }

    /// What an operator or an array without a function is, by its own number of positions: irregular if that differs.
    /// Nothing for other expressions.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions")]
    pub fn operator(&self, exp: &Exp) -> Option<Regularity> {
        let widths: &[Atom] = match exp {
            Exp::Screma(op) => &[op.width],
            Exp::Hist(op) => &[op.width],
            Exp::Scatter(op) => &[op.width],
            Exp::Partition(op) => &[op.width],
            Exp::Flatmap(op) => &[op.width],
            Exp::Stream(op) => &[op.width],
            Exp::Iota(_, size, ..) | Exp::Concat(size, _) => &[*size],
            Exp::Replicate(shape, _) => shape,
            _ => return None,
        };
        let same = widths.iter().all(|width| self.is_avoided(*width));
        Some(if same { Regularity::Regular } else { Regularity::Irregular })
    }

    /// Notes that a variable differs, and by how much by its type.
    pub fn differs(&mut self, var: Var, vars: &IdVec<Var, VarInfo>) {
        self.known.insert(var, Regularity::Regular);
        if !self.is_regular(&vars[var].ty) {
            self.known.insert(var, Regularity::Irregular);
        }
    }

    /// Likewise for variables that are bound together, and may be sizes of each other.
    pub fn all_differ(
        &mut self,
        all: impl Iterator<Item = Var> + Clone,
        vars: &IdVec<Var, VarInfo>,
    ) {
        self.known.extend(all.clone().map(|var| (var, Regularity::Regular)));
        all.for_each(|var| self.differs(var, vars));
    }

    /// Labels what a statement binds; its bodies are not looked at.
    pub fn bind(&mut self, stm: &Stm, vars: &IdVec<Var, VarInfo>) {
        if free_in_stm(stm, vars).into_iter().any(|var| !self.is_avoided(var.into())) {
            self.all_differ(stm.pat.iter().copied(), vars);
        }
    }

    fn lambda(&mut self, lambda: &Lambda, vars: &IdVec<Var, VarInfo>) {
        lambda.params.iter().for_each(|param| self.differs(*param, vars));
        self.body(&lambda.body, vars);
    }

    /// Labels what the statements of a body bind.
    pub fn body(&mut self, body: &Body, vars: &IdVec<Var, VarInfo>) {
        body.stms.iter().for_each(|stm| self.stm(stm, vars));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others contain functions, or nothing")]
    fn stm(&mut self, stm: &Stm, vars: &IdVec<Var, VarInfo>) {
        match &stm.exp {
            Exp::If(cond, bodies) => {
                bodies.iter().for_each(|body| self.body(body, vars));
                let bodies: Vec<&Body> = bodies.iter().collect();
                self.join(&stm.pat, &bodies, self.is_avoided(*cond), vars);
            }
            Exp::Switch(value, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body);
                let bodies: Vec<&Body> = cases.chain([&switch.default]).collect();
                bodies.iter().for_each(|body| self.body(body, vars));
                self.join(&stm.pat, &bodies, self.is_avoided(*value), vars);
            }
            Exp::Loop(params, form, body) => {
                let same = match form {
                    LoopForm::For(_, bound) => self.is_avoided(*bound),
                    LoopForm::While(_) => true,
                };
                for param in params {
                    if !same || !self.is_avoided(param.init) {
                        self.differs(param.var, vars);
                    }
                }
                loop {
                    self.body(body, vars);
                    // A loop that ends at different times has different results.
                    let ends =
                        matches!(form, LoopForm::While(cond) if !self.is_avoided((*cond).into()));
                    let mut changed = false;
                    for (param, result) in params.iter().zip(&body.results) {
                        let before = self.of(param.var);
                        if ends || !self.is_avoided(*result) || before != Regularity::Avoided {
                            self.differs(param.var, vars);
                        }
                        changed |= self.of(param.var) != before;
                    }
                    if !changed {
                        break;
                    }
                }
                for (var, param) in stm.pat.iter().zip(params) {
                    if !self.is_avoided(param.var.into()) {
                        self.differs(*var, vars);
                    }
                }
            }
            exp => {
                exp.for_each_lambda(&mut |lambda| self.lambda(lambda, vars));
                self.bind(stm, vars);
            }
        }
    }

    /// The labels of what branches yield.
    fn join(&mut self, pat: &[Var], bodies: &[&Body], same: bool, vars: &IdVec<Var, VarInfo>) {
        let differs: Vec<Var> = (pat.iter().enumerate())
            .filter(|(k, _)| {
                let results = bodies.iter().filter_map(|body| body.results.get(*k));
                !same || results.into_iter().any(|result| !self.is_avoided(*result))
            })
            .map(|(_, var)| *var)
            .collect();
        self.all_differ(differs.into_iter(), vars);
    }
}
