//! What the forward sweep knows while it goes through a function.
//!
//! Names are unique, so one table serves the whole function: what a variable is replaced by, and how it was defined. A
//! definition remains valid in all bodies inside, because its operands are in scope wherever the variable is. Knowledge
//! that holds only in one branch is entered into the same table, and removed at the end of the branch.

use super::Applied;
use super::maps::MapDef;
use ecow::EcoString;
use fehu_base::id::Id;
use fehu_base::{IdVec, Prim};
use fehu_facts::{Effects, Share, Uses};
use fehu_ir::builder::{atom_type, prim_of};
use fehu_ir::visit::{Visit, walk_type};
use fehu_ir::{Atom, Exp, Family, Lambda, Scalar, Stm, Type, Var, VarInfo};
use std::rc::Rc;

/// The state of a sweep, which rules look at.
pub(super) struct Cx<'a> {
    /// The variables of the function.
    pub vars: IdVec<Var, VarInfo>,
    /// What functions do besides yielding values.
    pub effects: &'a Effects,
    /// Which arrays share memory.
    pub share: Share,
    /// Where the names of rules are noted.
    pub applied: Applied,
    /// How often variables are used, at least.
    uses: Uses,
    table: Vec<Info>,
    /// The variables in scope, in the order of their bindings.
    trail: Vec<Var>,
    /// The sizes that are not negative because an array with them is in scope, in the order of finding out.
    sizes: Vec<Var>,
    /// How many variables were in scope when the innermost body began.
    body_start: usize,
    /// The same of the innermost body that is evaluated more often than what is around it.
    frame_start: usize,
    budget: usize,
    changed: bool,
}

/// What is known of a variable.
#[derive(Clone, Default)]
struct Info {
    /// What it is replaced by.
    subst: Option<Atom>,
    /// What it is bound to, if that is an operation without bodies.
    def: Option<Box<Exp>>,
    /// The certificates of the statement that binds it.
    certs: Vec<Var>,
    /// The map that it is a result of, if that is cheap.
    map: Option<Rc<MapDef>>,
    /// Whether it is an array in memory of its own.
    owned: bool,
    /// Whether it is in scope here.
    in_scope: bool,
    /// How many variables were in scope before it.
    position: usize,
    /// Whether it is a size in a type.
    is_size: bool,
    /// Whether it is at least zero.
    not_negative: bool,
    /// An operand that it is less than.
    below: Option<Atom>,
    /// The certificate that it, a boolean, is true.
    asserted: Option<Var>,
}

/// Where a body begins.
pub(super) struct Mark {
    bound: usize,
    sizes: usize,
    body_start: usize,
    frame_start: usize,
}

/// What was known before a branch.
pub(super) struct Assumed(Vec<(Var, Option<Atom>)>);

impl<'a> Cx<'a> {
    pub(super) fn new(
        vars: IdVec<Var, VarInfo>,
        effects: &'a Effects,
        share: Share,
        uses: Uses,
        budget: usize,
    ) -> Cx<'a> {
        let mut table = vec![Info::default(); vars.len()];
        let mut sizes = Sizes(&mut table);
        for (_, info) in vars.iter() {
            walk_type(&mut sizes, &info.ty);
        }
        Cx {
            vars,
            effects,
            share,
            applied: None,
            uses,
            table,
            trail: Vec::new(),
            sizes: Vec::new(),
            body_start: 0,
            frame_start: 0,
            budget,
            changed: false,
        }
    }

    pub(super) fn into_vars(self) -> IdVec<Var, VarInfo> {
        self.vars
    }

    /// Whether a rule has fired.
    pub(super) fn changed(&self) -> bool {
        self.changed
    }

    /// How many rules may still fire.
    pub(super) fn budget(&self) -> usize {
        self.budget
    }

    /// Notes that a rule applies.
    pub(super) fn note(&mut self, rule: &'static str) {
        if let Some(applied) = &mut self.applied {
            applied.insert(rule);
        }
    }

    /// Counts a rule that fires and the statements that are looked at again because of it.
    pub(super) fn fire(&mut self, again: usize) {
        self.budget = self.budget.saturating_sub(1 + again);
        self.changed = true;
    }

    /// Makes a variable that is not bound yet.
    pub(super) fn new_var(&mut self, hint: impl Into<EcoString>, ty: Type) -> Var {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        self.table.resize(self.vars.len(), Info::default());
        walk_type(&mut Sizes(&mut self.table), &self.vars[var].ty);
        var
    }

    /// A copy of a lambda with variables of its own.
    pub(super) fn copy_lambda(&mut self, lambda: &Lambda) -> Lambda {
        let before = self.vars.len();
        let copy = fehu_ir::subst::copy_lambda(lambda, &mut self.vars);
        self.table.resize(self.vars.len(), Info::default());
        // Only the new ones are looked at: skipping over the others would take time in proportion to all.
        for index in before..self.vars.len() {
            walk_type(&mut Sizes(&mut self.table), &self.vars[Var::from_index(index)].ty);
        }
        copy
    }

    /// What stands for an operand here.
    pub(super) fn resolve(&self, mut atom: Atom) -> Atom {
        while let Atom::Var(var) = atom
            && let Some(new) = self.table[var.index()].subst
        {
            atom = new;
        }
        atom
    }

    /// Whether the variable must be bound to this value by a statement: a size that is negative, in code
    /// that is never reached, must not become part of a type.
    pub(super) fn refuses(&self, var: Var, value: Atom) -> bool {
        matches!(value, Atom::Const(Scalar::I64(value)) if value < 0)
            && self.table[var.index()].is_size
    }

    /// Replaces a variable from here on.
    pub(super) fn replace(&mut self, var: Var, value: Atom) {
        let value = self.resolve(value);
        if let Atom::Var(value) = value {
            self.uses.move_to(var, value);
            // The types that had the one now have the other.
            self.table[value.index()].is_size |= self.table[var.index()].is_size;
        }
        self.table[var.index()].subst = Some(value);
    }

    /// Notes what a statement binds.
    pub(super) fn define(&mut self, stm: &Stm) {
        for var in &stm.pat {
            self.bind(*var);
        }
        if owns_results(&stm.exp) {
            for var in &stm.pat {
                self.table[var.index()].owned = self.vars[*var].ty.is_array();
            }
        }
        if let Exp::Screma(op) = &stm.exp {
            for (var, map) in MapDef::of(stm, op, &self.vars, self.effects) {
                self.table[var.index()].map = Some(map);
            }
        }
        if let ([var], true) = (stm.pat.as_slice(), !stm.exp.has_bodies()) {
            self.table[var.index()].def = Some(Box::new(stm.exp.clone()));
            self.table[var.index()].certs.clone_from(&stm.certs);
            if let Exp::Assert(cond @ Atom::Var(name), _) = &stm.exp
                && self.asserted(*cond).is_none()
            {
                self.table[name.index()].asserted = Some(*var);
            }
        }
    }

    /// Puts a variable into scope.
    pub(super) fn bind(&mut self, var: Var) {
        let info = &mut self.table[var.index()];
        info.in_scope = true;
        info.position = self.trail.len();
        self.trail.push(var);
    }

    /// Puts a parameter into scope; the sizes of arrays that are passed are not negative.
    pub(super) fn bind_param(&mut self, var: Var) {
        self.bind(var);
        if let Type::Array(_, shape) = &self.vars[var].ty {
            for size in shape {
                if let Atom::Var(size) = size
                    && !std::mem::replace(&mut self.table[size.index()].not_negative, true)
                {
                    self.sizes.push(*size);
                }
            }
        }
    }

    /// Notes that an integer variable counts from zero to a bound.
    pub(super) fn counts(&mut self, var: Var, bound: Atom) {
        let info = &mut self.table[var.index()];
        info.not_negative = true;
        info.below = Some(bound);
    }

    /// The beginning of a body, for [`Cx::leave`].
    pub(super) fn mark(&mut self) -> Mark {
        let mark = Mark {
            bound: self.trail.len(),
            sizes: self.sizes.len(),
            body_start: self.body_start,
            frame_start: self.frame_start,
        };
        self.body_start = mark.bound;
        mark
    }

    /// The beginning of what is evaluated several times: a loop or a function.
    pub(super) fn mark_frame(&mut self) -> Mark {
        let mark = self.mark();
        self.frame_start = mark.bound;
        mark
    }

    /// Ends the scope of what was bound since.
    pub(super) fn leave(&mut self, mark: Mark) {
        for var in self.trail.drain(mark.bound..) {
            self.table[var.index()].in_scope = false;
        }
        for var in self.sizes.drain(mark.sizes..) {
            self.table[var.index()].not_negative = false;
        }
        self.body_start = mark.body_start;
        self.frame_start = mark.frame_start;
    }

    /// Whether a variable is bound by a statement of the innermost body.
    pub(super) fn bound_here(&self, var: Var) -> bool {
        let info = &self.table[var.index()];
        info.in_scope && info.position >= self.body_start
    }

    /// Whether what binds a variable is evaluated as often as what is here, branches aside.
    pub(super) fn in_frame(&self, var: Var) -> bool {
        let info = &self.table[var.index()];
        info.in_scope && info.position >= self.frame_start
    }

    /// Whether an array is in memory of its own, which nothing else can look at but views of it, and whether it
    /// is bound here and what is looked at is its only use.
    pub(super) fn is_last_use(&self, array: Var) -> bool {
        self.table[array.index()].owned && self.bound_here(array) && self.is_only_use(array)
    }

    /// Whether a variable is used once.
    pub(super) fn is_only_use(&self, var: Var) -> bool {
        self.uses.count(var) == 1
    }

    /// The certificates of the statement that binds a variable, as far as [`Cx::def`] and [`Cx::map`] know it.
    pub(super) fn certs(&self, var: Var) -> &[Var] {
        &self.table[var.index()].certs
    }

    /// The cheap map that an array is a result of.
    pub(super) fn map(&self, array: Var) -> Option<&Rc<MapDef>> {
        self.table[array.index()].map.as_ref()
    }

    /// Whether an operand can be used here.
    pub(super) fn in_scope(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(var) => self.table[var.index()].in_scope,
            Atom::Const(_) => true,
        }
    }

    /// Whether the variable is a size in the type of something.
    pub(super) fn is_size(&self, var: Var) -> bool {
        self.table[var.index()].is_size
    }

    /// The operation that an operand is the result of, if it has no bodies. Its operands must be resolved.
    pub(super) fn def(&self, atom: Atom) -> Option<&Exp> {
        match atom {
            Atom::Var(var) => self.table[var.index()].def.as_deref(),
            Atom::Const(_) => None,
        }
    }

    /// The value of an operand, if it is known.
    pub(super) fn constant(&self, atom: Atom) -> Option<Scalar> {
        match (atom, self.def(atom)) {
            (Atom::Const(value), _) => Some(value),
            (_, Some(Exp::Atom(Atom::Const(value)))) => Some(*value),
            _ => None,
        }
    }

    /// The integer that an operand is known to be.
    pub(super) fn integer(&self, atom: Atom) -> Option<i64> {
        self.constant(atom).and_then(fehu_interp::scalar::to_i64)
    }

    /// Whether an operand is known to be at least zero.
    pub(super) fn not_negative(&self, atom: Atom) -> bool {
        match atom {
            Atom::Var(var) => self.table[var.index()].not_negative,
            Atom::Const(value) => {
                fehu_interp::scalar::to_i64(value).is_some_and(|value| value >= 0)
            }
        }
    }

    /// The bound of a variable that counts.
    pub(super) fn below(&self, atom: Atom) -> Option<Atom> {
        atom.var().and_then(|var| self.table[var.index()].below).map(|bound| self.resolve(bound))
    }

    /// The certificate that a condition holds, if it was checked before and the certificate is in scope.
    pub(super) fn asserted(&self, cond: Atom) -> Option<Var> {
        let cert = self.table[cond.var()?.index()].asserted?;
        self.table[cert.index()].in_scope.then_some(cert)
    }

    /// The primitive type of an operand.
    pub(super) fn prim(&self, atom: Atom) -> Option<Prim> {
        match atom {
            Atom::Var(var) => prim_of(&self.vars[var].ty),
            Atom::Const(_) => prim_of(&atom_type(atom, &self.vars)),
        }
    }

    /// Whether a variable's type is that of an operand, sizes included.
    pub(super) fn same_type(&self, var: Var, atom: Atom) -> bool {
        match atom {
            Atom::Var(other) => self.vars[var].ty == self.vars[other].ty,
            Atom::Const(_) => true,
        }
    }

    /// Whether an operand is an integer.
    pub(super) fn is_integer(&self, atom: Atom) -> bool {
        self.prim(atom).is_some_and(Prim::is_integer)
    }

    /// Assumes that a condition has this value, until [`Cx::forget`]. What follows for its parts is
    /// assumed, too.
    pub(super) fn assume(&mut self, cond: Atom, value: bool) -> Assumed {
        let mut assumed = Assumed(Vec::new());
        self.assume_deep(cond, value, 8, &mut assumed);
        assumed
    }

    /// Assumes that an operand is this constant.
    pub(super) fn assume_equal(&mut self, atom: Atom, value: Scalar) -> Assumed {
        let mut assumed = Assumed(Vec::new());
        self.assume_value(atom, value, &mut assumed);
        assumed
    }

    /// Takes back what was assumed.
    pub(super) fn forget(&mut self, assumed: Assumed) {
        for (var, before) in assumed.0.into_iter().rev() {
            self.table[var.index()].subst = before;
        }
    }

    fn assume_deep(&mut self, cond: Atom, value: bool, depth: usize, assumed: &mut Assumed) {
        let cond = self.resolve(cond);
        if cond.var().is_none() || depth == 0 {
            return;
        }
        let parts = match (self.def(cond), value) {
            (Some(Exp::UnOp(fehu_ir::UnOp::Not, a)), _) => vec![(*a, !value)],
            (Some(Exp::BinOp(fehu_ir::BinOp::And, a, b)), true)
            | (Some(Exp::BinOp(fehu_ir::BinOp::Or, a, b)), false) => vec![(*a, value), (*b, value)],
            (Some(Exp::CmpOp(fehu_ir::CmpOp::Eq, a, Atom::Const(b))), true) => {
                let (a, b) = (*a, *b);
                self.assume_value(a, b, assumed);
                Vec::new()
            }
            _ => Vec::new(),
        };
        self.assume_value(cond, Scalar::Bool(value), assumed);
        for (part, value) in parts {
            self.assume_deep(part, value, depth - 1, assumed);
        }
    }

    fn assume_value(&mut self, atom: Atom, value: Scalar, assumed: &mut Assumed) {
        // Zeros of both signs are equal; and types outside the branch keep their sizes.
        if let Atom::Var(var) = self.resolve(atom)
            && !value.elem().is_float()
            && !self.is_size(var)
        {
            let before = self.table[var.index()].subst.replace(Atom::Const(value));
            assumed.0.push((var, before));
        }
    }
}

struct Sizes<'a>(&'a mut Vec<Info>);

impl Visit for Sizes<'_> {
    fn use_var(&mut self, var: &Var) {
        if let Some(info) = self.0.get_mut(var.index()) {
            info.is_size = true;
        }
    }
}

/// Whether the arrays that an expression yields are in memory that nothing else looks at.
fn owns_results(exp: &Exp) -> bool {
    match exp.family() {
        Family::Fresh => true,
        Family::Change => !matches!(exp, Exp::UpdateAcc(..)),
        Family::Operator => !matches!(exp, Exp::Stream(_) | Exp::WithAcc(..)),
        Family::Scalar
        | Family::Asked
        | Family::View
        | Family::Control
        | Family::Reference
        | Family::Check
        | Family::Fixed => false,
    }
}
