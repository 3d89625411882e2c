//! Types of branches, loops and calls; constants that depend on themselves.

use super::scope::Checker;
use super::{Owner, VerifyError};
use crate::subst::{Subst, subst_type};
use crate::visit::{Visit, walk_exp};
use crate::{Atom, Body, ConstId, Elem, Exp, FunId, LoopForm, LoopParam, Prog, Type, Var};
use fehu_base::id::Id;

impl<'a> Checker<'a> {
    /// The types of the results; nothing if they were compared with the pattern already.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other files have the others")]
    pub(super) fn control_exp(&mut self, exp: &'a Exp, pat: &[Var]) -> Option<Vec<Type>> {
        match exp {
            Exp::If(cond, bodies) => {
                self.want(*cond, &Type::BOOL, "the condition");
                self.branch("the first branch", &bodies[0], pat);
                self.branch("the second branch", &bodies[1], pat);
                None
            }
            Exp::Switch(value, switch) => {
                let prim = self.prim(*value);
                for (index, (case, body)) in switch.cases.iter().enumerate() {
                    let shown = self.show_atom(Atom::Const(*case));
                    if let Some(prim) = prim
                        && case.elem() != Elem::Prim(prim)
                    {
                        self.fail(format!("case {shown} is not of type {prim}"));
                    }
                    if switch.cases[..index].iter().any(|(before, _)| before == case) {
                        self.fail(format!("case {shown} occurs twice"));
                    }
                    self.branch("a case", body, pat);
                }
                self.branch("the default case", &switch.default, pat);
                None
            }
            Exp::Loop(params, form, body) => self.loop_exp(params, form, body, pat),
            Exp::Call(fun, args) => {
                let found = self.atoms(args);
                let Some(callee) = self.prog.funs.get(*fun) else {
                    self.fail(format!("there is no function with number {}", fun.0));
                    return None;
                };
                self.callee_levels(*fun);
                let params: Vec<Var> = callee.params.iter().map(|param| param.var).collect();
                let types = types_of(&params, callee);
                self.match_results("the arguments", &params, &types, args, &found);
                if args.len() != params.len() {
                    return None;
                }
                let mut subst: Subst = params.into_iter().zip(args.iter().copied()).collect();
                subst.extend(callee.results.iter().copied().zip(pat.iter().map(|v| Atom::Var(*v))));
                let mut results = types_of(&callee.results, callee);
                results.iter_mut().for_each(|ty| subst_type(ty, &subst));
                Some(results)
            }
            Exp::Const(id) => {
                let Some(item) = self.prog.consts.get(*id) else {
                    self.fail(format!("there is no constant with number {}", id.0));
                    return None;
                };
                if let Owner::Const(this) = self.owner
                    && *id >= this
                {
                    self.fail("a constant uses itself or one after it".to_owned());
                }
                let values = pat.iter().map(|v| Atom::Var(*v));
                let subst: Subst = item.results.iter().copied().zip(values).collect();
                let mut results = Vec::new();
                for var in &item.results {
                    let mut ty = item.vars.get(*var)?.ty.clone();
                    subst_type(&mut ty, &subst);
                    results.push(ty);
                }
                Some(results)
            }
            _ => None,
        }
    }

    /// What a called function contains may stand where it is called.
    fn callee_levels(&mut self, fun: FunId) {
        let Some(around) = self.level else { return };
        let mut levels = self.levels[fun].iter();
        if let Some(level) = levels.find(|level| !level.within(Some(around))) {
            let (name, level) = (&self.prog.funs[fun].name, level.name());
            self.fail(format!(
                "function \"{name}\" has a seg of level \"{level}\", but is called inside of one of level \"{}\"",
                around.name()
            ));
        }
    }

    fn branch(&mut self, what: &str, body: &'a Body, pat: &[Var]) {
        let found = self.body(body);
        let wanted = self.declared_types(pat);
        self.match_results(what, pat, &wanted, &body.results, &found);
    }

    fn loop_exp(
        &mut self,
        params: &'a [LoopParam],
        form: &LoopForm,
        body: &'a Body,
        pat: &[Var],
    ) -> Option<Vec<Type>> {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let init: Vec<Atom> = params.iter().map(|param| param.init).collect();
        let found = self.atoms(&init);
        let types = self.declared_types(&vars);
        self.match_results("the initial values", &vars, &types, &init, &found);
        if let LoopForm::For(_, bound) = form {
            self.prim(*bound);
        }
        self.scoped(|c| {
            match form {
                LoopForm::For(var, bound) => {
                    let mut all = vars.clone();
                    all.push(*var);
                    c.bind(&all);
                    match c.declared(*var) {
                        Some(ty @ Type::Scalar(Elem::Prim(prim))) if prim.is_integer() => {
                            c.want(*bound, &ty, "the bound of the loop");
                        }
                        _ => c.fail("the variable of the loop is not an integer".to_owned()),
                    }
                }
                LoopForm::While(var) => {
                    c.bind(&vars);
                    if !vars.contains(var) || c.declared(*var) != Some(Type::BOOL) {
                        let name = c.name(*var);
                        c.fail(format!(
                            "the condition \"{name}\" is not a truth value among the parameters"
                        ));
                    }
                }
            }
            let found = c.body(body);
            c.match_results("the next values", &vars, &types, &body.results, &found);
        });
        let values = pat.iter().map(|var| Atom::Var(*var));
        let subst: Subst = vars.into_iter().zip(values).collect();
        let mut results = types;
        results.iter_mut().for_each(|ty| subst_type(ty, &subst));
        Some(results)
    }
}

fn types_of(vars: &[Var], fun: &crate::Fun) -> Vec<Type> {
    vars.iter().map(|var| fun.vars.get(*var).map_or(Type::CERT, |info| info.ty.clone())).collect()
}

/// What a body calls and which constants it uses.
#[derive(Default)]
pub(super) struct Uses {
    pub(super) funs: Vec<FunId>,
    pub(super) consts: Vec<ConstId>,
}

impl Visit for Uses {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others use no items")]
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Call(fun, _) => self.funs.push(*fun),
            Exp::Const(item) => self.consts.push(*item),
            _ => {}
        }
        walk_exp(self, exp);
    }
}

/// Refuses constants that need themselves through functions.
pub(super) fn check_constants(prog: &Prog, errors: &mut Vec<VerifyError>) {
    // The nodes are the constants and then the functions.
    let mut edges: Vec<Vec<usize>> = Vec::new();
    for body in prog.bodies() {
        let mut uses = Uses::default();
        uses.body(body);
        edges.push(targets(prog, &uses));
    }
    // A constant is evaluated after those that it needs, so what it reaches is done before it or is part
    // of a circle. Circles of functions only are recursion.
    let mut done = vec![false; edges.len()];
    for (id, item) in prog.consts.iter() {
        // What was reached from earlier constants without meeting this one cannot reach it either,
        // unless those had met it: then the error is reported there.
        let mut work = edges[id.index()].clone();
        let mut circle = false;
        while let Some(node) = work.pop() {
            circle |= node == id.index() || (node < prog.consts.len() && node > id.index());
            if node >= prog.consts.len() && !std::mem::replace(&mut done[node], true) {
                work.extend_from_slice(&edges[node]);
            }
        }
        if circle {
            errors.push(VerifyError {
                owner: Owner::Const(id),
                name: item.name.to_string(),
                stm: None,
                text: None,
                message: "the constant depends on itself or on one after it".to_owned(),
            });
        }
    }
}

fn targets(prog: &Prog, uses: &Uses) -> Vec<usize> {
    let consts = uses.consts.iter().map(|id| id.index()).filter(|id| *id < prog.consts.len());
    let funs = uses.funs.iter().map(|id| id.index()).filter(|id| *id < prog.funs.len());
    consts.chain(funs.map(|id| id + prog.consts.len())).collect()
}
