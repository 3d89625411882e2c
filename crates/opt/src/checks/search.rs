//! Finds the first check of a nest that fails.
//!
//! The nest is executed without everything that the checks do not need, until one fails:
//!
//! ```text
//! loop (go = 0 < n, i = 0, which = 0, i' = 0) while go {
//!   let x = mul i 2  let c = lt x m
//!   let (which, x') = if which == 0 && !c then (1, x) else (which, x')
//!   in (which == 0 && i + 1 < n, i + 1, which, x')
//! }
//! ```

use super::nest::{Group, Leaving, level};
use fehu_base::Prim;
use fehu_facts::flow::Counter;
use fehu_ir::builder::{Builder, atom_type, prim_of};
use fehu_ir::subst::{Subst, subst_atom, subst_exp};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Exp, LoopForm, LoopParam, Scalar, Stm, Type, UnOp,
    Var,
};

/// The search for the check that fails first.
pub(super) struct Search<'a> {
    group: &'a Group<'a>,
    /// The variables inside of the nest that messages show.
    shown: Vec<Var>,
}

impl Leaving<'_> {
    /// The values that the message shows.
    pub(super) fn values(&self) -> impl Iterator<Item = Atom> {
        self.check.parts.iter().filter_map(|part| match part {
            CheckPart::Text(_) => None,
            CheckPart::Value(atom) => Some(*atom),
        })
    }

    /// The message with the values that were found.
    pub(super) fn told(&self, shown: &Subst) -> Check {
        let mut check = self.check.clone();
        for part in &mut check.parts {
            match part {
                CheckPart::Text(_) => {}
                CheckPart::Value(atom) => *atom = subst_atom(*atom, shown),
            }
        }
        check
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(group: &'a Group<'a>) -> Search<'a> {
        let mut shown: Vec<Var> = Vec::new();
        for value in group.checks.iter().flat_map(Leaving::values) {
            if let Atom::Var(var) = value
                && group.inside.contains_key(&var)
                && !shown.contains(&var)
            {
                shown.push(var);
            }
        }
        Search { group, shown }
    }

    /// The number of the check that fails first, or zero, and the values of its message; without a search if all is well.
    pub(super) fn run(&self, b: &mut Builder<'_>, nest: &Stm, ok: Atom) -> (Atom, Subst) {
        let mut types = vec![Type::I64];
        types.extend(self.shown.iter().map(|var| b.ty(*var).clone()));
        let zero = |ty: &Type| Atom::Const(prim_of(ty).map_or(Scalar::Unit, Scalar::zero));
        let zeros: Vec<Atom> = types.iter().map(zero).collect();
        let search = b.body(|b| self.level(b, &nest.exp, 0, &Subst::default(), zeros.clone()));
        let bodies = Box::new([Body::of(zeros), search]);
        let found = b.several("first", types, Exp::If(ok, bodies));
        let shown = self.shown.iter().zip(found.iter().skip(1));
        let shown = shown.map(|(var, found)| (*var, Atom::Var(*found))).collect();
        (found.first().map_or(Atom::i64(0), |which| Atom::Var(*which)), shown)
    }

    /// Executes a level of the nest, from this state on.
    fn level(
        &self,
        b: &mut Builder<'_>,
        exp: &Exp,
        depth: usize,
        subst: &Subst,
        state: Vec<Atom>,
    ) -> Vec<Atom> {
        let Some((bound, body)) = level(exp) else { return state };
        let bound = subst_atom(bound, subst);
        let mut params = Vec::new();
        let go = self.goes_on(b, state[0], Atom::i64(0), bound);
        for (hint, init) in [("go", go), ("i", Atom::i64(0))] {
            let ty = b.atom_ty(init);
            params.push(LoopParam { var: b.param(hint, ty), init });
        }
        for init in state {
            let ty = b.atom_ty(init);
            params.push(LoopParam { var: b.param("first", ty), init });
        }
        let types: Vec<Type> = params.iter().map(|param| b.ty(param.var).clone()).collect();
        let inner = b.body(|b| {
            let position = params[1].var;
            let mut subst = subst.clone();
            for counter in self.counters(body, depth) {
                let value = self.counter(b, counter, position, &subst);
                subst.insert(counter.var, value);
            }
            let state = params[2..].iter().map(|param| Atom::Var(param.var)).collect();
            let mut state = self.body(b, body, depth, &mut subst, state);
            let next = b.exp("i", Exp::BinOp(BinOp::Add, position.into(), Atom::i64(1))).into();
            let goes_on = self.goes_on(b, state[0], next, bound);
            state.splice(0..0, [goes_on, next]);
            state
        });
        let go = LoopForm::While(params[0].var);
        let found = b.several("first", types, Exp::Loop(params, go, Box::new(inner)));
        found.into_iter().skip(2).map(Atom::Var).collect()
    }

    /// Whether there is a next iteration, and no check has failed.
    fn goes_on(&self, b: &mut Builder<'_>, which: Atom, next: Atom, bound: Atom) -> Atom {
        let more = b.exp("c", Exp::CmpOp(CmpOp::Lt, next, bound));
        if which == Atom::i64(0) {
            return more.into();
        }
        let none = b.exp("c", Exp::CmpOp(CmpOp::Eq, which, Atom::i64(0)));
        b.exp("go", Exp::BinOp(BinOp::And, more.into(), none.into())).into()
    }

    /// The counters of a level, as the checks inside know them.
    fn counters(&self, body: &Body, depth: usize) -> &'a [Counter] {
        let is_inside = |check: &&Leaving<'_>| contains(body, check.cert);
        let check = self.group.checks.iter().find(is_inside);
        check.and_then(|check| check.demand.levels.get(depth)).map_or(&[], |nest| &nest.counters)
    }

    /// The value of a counter at a position.
    fn counter(&self, b: &mut Builder<'_>, counter: &Counter, at: Var, subst: &Subst) -> Atom {
        if counter.is_position() {
            return at.into();
        }
        let prim = prim_of(b.ty(counter.var)).unwrap_or(Prim::I64);
        let at = if prim == Prim::I64 { at } else { b.exp("i", Exp::Convert(prim, at.into())) };
        let bits = counter.step.cast_unsigned();
        let step = Atom::Const(Scalar::from_bits(prim, bits & (u64::MAX >> (64 - prim.bits()))));
        let growth = b.exp("i", Exp::BinOp(BinOp::Mul, at.into(), step));
        let first = subst_atom(counter.first, subst);
        b.exp("i", Exp::BinOp(BinOp::Add, first, growth.into())).into()
    }

    /// Executes what the checks need, and the checks.
    fn body(
        &self,
        b: &mut Builder<'_>,
        body: &Body,
        depth: usize,
        subst: &mut Subst,
        mut state: Vec<Atom>,
    ) -> Vec<Atom> {
        for stm in &body.stms {
            let number = |check: &Leaving<'_>| stm.pat.contains(&check.cert);
            if let Some(index) = self.group.checks.iter().position(number) {
                state = self.check(b, index, subst, &state);
            } else if let [var] = stm.pat.as_slice()
                && self.group.needed.contains(var)
            {
                let mut exp = stm.exp.clone();
                subst_exp(&mut exp, b.vars_mut(), subst);
                let info = b.vars()[*var].clone();
                let copy = b.param(info.hint, info.ty);
                b.push(Stm { certs: stm.certs.clone(), ..Stm::new(vec![copy], exp) });
                subst.insert(*var, copy.into());
            } else if self
                .group
                .checks
                .iter()
                .any(|check| level(&stm.exp).is_some_and(|(_, body)| contains(body, check.cert)))
            {
                state = self.level(b, &stm.exp, depth + 1, subst, state);
            }
        }
        state
    }

    /// Notes the values of a check if it is the first that fails.
    fn check(&self, b: &mut Builder<'_>, index: usize, subst: &Subst, state: &[Atom]) -> Vec<Atom> {
        let check = &self.group.checks[index];
        let fails = b.exp("c", Exp::UnOp(UnOp::Not, subst_atom(check.cond, subst)));
        let none = b.exp("c", Exp::CmpOp(CmpOp::Eq, state[0], Atom::i64(0)));
        let first = b.exp("c", Exp::BinOp(BinOp::And, none.into(), fails.into()));
        let mut found = state.to_vec();
        found[0] = Atom::i64(index as i64 + 1);
        let values: Vec<Atom> = check.values().collect();
        for (at, var) in self.shown.iter().enumerate() {
            if values.contains(&Atom::Var(*var)) {
                found[at + 1] = subst_atom(Atom::Var(*var), subst);
            }
        }
        let types = state.iter().map(|atom| atom_type(*atom, b.vars())).collect();
        let bodies = Box::new([Body::of(found), Body::of(state.to_vec())]);
        let found = b.several("first", types, Exp::If(first.into(), bodies));
        found.into_iter().map(Atom::Var).collect()
    }
}

/// Whether a check is in a body or in a level inside of it.
fn contains(body: &Body, cert: Var) -> bool {
    body.stms.iter().any(|stm| {
        stm.pat.contains(&cert) || level(&stm.exp).is_some_and(|(_, inner)| contains(inner, cert))
    })
}
