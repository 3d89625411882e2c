//! Makes checks before the loop that they are in, inside of the function of an operator.
//!
//! The condition is computed outside by a copy of the statements that compute it, once with zero in place of the
//! counter and once with the last value, or only for one of them if what is tested falls or grows; both are true if
//! there is no iteration:
//!
//! ```text
//! let none = le n 0
//! let i0 = 0  ...  let ok0 = or none c0  let cert0 = assert ok0 ...
//! let i1 = sub n 1  ...  let ok1 = or none c1  let cert = assert ok1 ...
//! ```
//!
//! The message about the last iteration should be about the first one that fails. If what falls does so by a constant,
//! as in nearly all checks, that iteration is known: `m - i > 0` fails from `i = m` on, and what is the same in all
//! iterations fails in the first one. The values in the message are computed for it; otherwise they are those of the
//! last iteration.

use super::find::{Ends, Falling, Found};
use fehu_base::{IdVec, Prim};
use fehu_facts::cost;
use fehu_facts::poly::Poly;
use fehu_ir::subst::{Subst, subst_atom, subst_exp};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Exp, Lambda, LoopForm, Scalar, Stm, Type, Var,
    VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// No condition takes more statements.
const MAX_STMS: usize = 64;

/// Moves checks out of loops and operators, one level; returns the certificates of those that are made instead.
pub(super) fn hoist(
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    found: &Found,
) -> FxHashSet<Var> {
    let mut hoist = Hoist { vars, found, moved: FxHashSet::default() };
    hoist.body(body);
    hoist.moved
}

struct Hoist<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    found: &'a Found,
    /// What was moved already, or made for that: one level at a time.
    moved: FxHashSet<Var>,
}

impl Hoist<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "checks do not leave the others")]
    fn body(&mut self, body: &mut Body) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            stm.exp.map_bodies(&mut |inner| self.body(inner));
            match &mut stm.exp {
                Exp::Loop(params, LoopForm::For(..), body) => {
                    let params: Vec<Var> = params.iter().map(|param| param.var).collect();
                    self.leave(&params, body, &mut stms);
                }
                Exp::Screma(op) => self.leave_lambda(&mut op.map, &mut stms),
                Exp::Hist(op) => self.leave_lambda(&mut op.map, &mut stms),
                Exp::Scatter(op) => self.leave_lambda(&mut op.map, &mut stms),
                Exp::Partition(op) => self.leave_lambda(&mut op.map, &mut stms),
                Exp::Flatmap(op) => self.leave_lambda(&mut op.map, &mut stms),
                _ => {}
            }
            stms.push(stm);
        }
        body.stms = stms;
    }

    fn leave_lambda(&mut self, lambda: &mut Lambda, before: &mut Vec<Stm>) {
        self.leave(&lambda.params, &mut lambda.body, before);
    }

    /// Moves the checks of a body to the statements before.
    fn leave(&mut self, params: &[Var], body: &mut Body, before: &mut Vec<Stm>) {
        let mut defs: FxHashMap<Var, usize> = FxHashMap::default();
        let candidate = |stm: &Stm| match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Assert(..), [cert]) => {
                self.found.hoisted.contains_key(cert) && !self.moved.contains(cert)
            }
            _ => false,
        };
        if !body.stms.iter().any(candidate) {
            return;
        }
        for (index, stm) in body.stms.iter().enumerate() {
            for var in &stm.pat {
                defs.insert(*var, index);
            }
        }
        let mut gone = FxHashSet::default();
        for (index, stm) in body.stms.iter().enumerate() {
            let (Exp::Assert(cond, check), [cert]) = (&stm.exp, stm.pat.as_slice()) else {
                continue;
            };
            let Some(ends) = self.found.hoisted.get(cert) else { continue };
            if self.moved.contains(cert) {
                continue;
            }
            let mut wanted = vec![*cond];
            for part in &check.parts {
                match part {
                    CheckPart::Text(_) => {}
                    CheckPart::Value(atom) => wanted.push(*atom),
                }
            }
            let varies = |var: Var| params.contains(&var) && !ends.vars.contains(&var);
            if let Some(slice) = slice(&body.stms, self.vars, &defs, &wanted, &varies) {
                self.before(stm, *cond, check, *cert, ends, &body.stms, &slice, before);
                gone.insert(index);
                self.moved.insert(*cert);
            }
        }
        let mut index = 0;
        body.stms.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
    }

    /// Makes a check for the first and the last iteration.
    #[expect(clippy::too_many_arguments, reason = "the parts of a check and of the loop around it")]
    fn before(
        &mut self,
        stm: &Stm,
        cond: Atom,
        check: &Check,
        cert: Var,
        ends: &Ends,
        inner: &[Stm],
        slice: &[usize],
        before: &mut Vec<Stm>,
    ) {
        let none =
            self.bind("none", Type::BOOL, Exp::CmpOp(CmpOp::Le, ends.bound, 0.into()), before);
        let mut values = Vec::new();
        if ends.first || !ends.last {
            values.push(Atom::i64(0));
        }
        if ends.last {
            let exp = Exp::BinOp(BinOp::Sub, ends.bound, 1.into());
            values.push(self.bind("last", Type::I64, exp, before));
        }
        let mut certs = stm.certs.clone();
        for (at, value) in values.iter().enumerate() {
            let is_last = at + 1 == values.len();
            let mut subst = self.iteration(ends, *value, inner, slice, before);
            let holds = Exp::BinOp(BinOp::Or, none, subst_atom(cond, &subst));
            let holds = self.bind("c", Type::BOOL, holds, before);
            let names = |part: &CheckPart| matches!(part, CheckPart::Value(Atom::Var(var)) if subst.contains_key(var));
            if *value != Atom::i64(0)
                && check.parts.iter().any(names)
                && let Some(failing) = self.first_failing(ends, &subst, before)
            {
                subst = self.iteration(ends, failing, inner, slice, before);
            }
            let mut check = check.clone();
            for part in &mut check.parts {
                match part {
                    CheckPart::Text(_) => {}
                    CheckPart::Value(atom) => *atom = subst_atom(*atom, &subst),
                }
            }
            let var = if is_last {
                cert
            } else {
                let info = self.vars[cert].clone();
                let var = self.vars.push(info);
                self.moved.insert(var);
                var
            };
            before.push(Stm {
                pat: vec![var],
                certs: std::mem::replace(&mut certs, vec![var]),
                attrs: stm.attrs.clone(),
                loc: stm.loc.clone(),
                exp: Exp::Assert(holds, check),
            });
        }
    }

    /// Computes the condition of a check, and the values of its message, for a value of the counters.
    fn iteration(
        &mut self,
        ends: &Ends,
        value: Atom,
        inner: &[Stm],
        slice: &[usize],
        before: &mut Vec<Stm>,
    ) -> Subst {
        let mut subst: Subst = ends.vars.iter().map(|var| (*var, value)).collect();
        for index in slice {
            let stm = &inner[*index];
            let mut exp = stm.exp.clone();
            subst_exp(&mut exp, self.vars, &subst);
            for var in &stm.pat {
                let info = self.vars[*var].clone();
                subst.insert(*var, Atom::Var(self.vars.push(info)));
            }
            let pat = stm.pat.iter().filter_map(|var| subst.get(var)?.var()).collect();
            before.push(Stm::new(pat, exp));
        }
        subst
    }

    /// The first iteration that fails, if the last one does and the iteration is known.
    fn first_failing(&mut self, ends: &Ends, last: &Subst, before: &mut Vec<Stm>) -> Option<Atom> {
        if !ends.is_known {
            return None;
        }
        let mut first: Option<Atom> = None;
        for Falling { first: value, step } in &ends.falling {
            // It is not negative for so many iterations.
            let mut count = if *step == 1 {
                self.sum(&value.plus(1)?, before)?
            } else {
                let count = self.sum(value, before)?;
                let count = self.number(BinOp::Div, count, Atom::i64(*step), before);
                self.number(BinOp::Add, count, Atom::i64(1), before)
            };
            count = self.number(BinOp::Max, count, Atom::i64(0), before);
            first = Some(match first {
                Some(other) => self.number(BinOp::Min, other, count, before),
                None => count,
            });
        }
        // It is the very first one, number zero, if something does not hold at all.
        for part in &ends.same {
            let part = subst_atom(*part, last);
            let holds = self.bind("n", Type::I64, Exp::Convert(Prim::I64, part), before);
            first = first.map(|first| self.number(BinOp::Mul, first, holds, before));
        }
        first
    }

    /// The value of a polynomial.
    fn sum(&mut self, poly: &Poly, before: &mut Vec<Stm>) -> Option<Atom> {
        let mut sum = Atom::i64(0);
        for (monomial, factor) in poly.terms() {
            let factor = i64::try_from(*factor).ok()?;
            let mut term = Atom::i64(factor);
            for (at, var) in monomial.iter().enumerate() {
                let var = self.wide(*var, before);
                let is_first = at == 0 && factor == 1;
                term = if is_first { var } else { self.number(BinOp::Mul, term, var, before) };
            }
            let is_first = sum == Atom::i64(0);
            sum = if is_first { term } else { self.number(BinOp::Add, sum, term, before) };
        }
        Some(sum)
    }

    /// A variable of a polynomial as a number of 64 bits.
    fn wide(&mut self, var: Var, before: &mut Vec<Stm>) -> Atom {
        if self.vars[var].ty == Type::I64 {
            return var.into();
        }
        self.bind("n", Type::I64, Exp::Convert(Prim::I64, var.into()), before)
    }

    fn number(&mut self, op: BinOp, a: Atom, b: Atom, before: &mut Vec<Stm>) -> Atom {
        self.bind("n", Type::I64, Exp::BinOp(op, a, b), before)
    }

    fn bind(&mut self, hint: &str, ty: Type, exp: Exp, stms: &mut Vec<Stm>) -> Atom {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        stms.push(Stm::new(vec![var], exp));
        Atom::Var(var)
    }
}

/// The statements that compute these operands, in order, if they are few and can be evaluated anywhere.
fn slice(
    stms: &[Stm],
    vars: &IdVec<Var, VarInfo>,
    defs: &FxHashMap<Var, usize>,
    wanted: &[Atom],
    varies: &dyn Fn(Var) -> bool,
) -> Option<Vec<usize>> {
    let mut slice: Vec<usize> = Vec::new();
    let mut work: Vec<Var> = wanted.iter().filter_map(|atom| atom.var()).collect();
    while let Some(var) = work.pop() {
        if varies(var) {
            return None;
        }
        let Some(index) = defs.get(&var) else { continue };
        if slice.contains(index) {
            continue;
        }
        // What cannot fail wherever it is executed, a division by a constant included.
        let divides = matches!(
            &stms[*index].exp,
            Exp::BinOp(
                BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem,
                _,
                Atom::Const(Scalar::I64(1..))
            )
        );
        let fits = divides || cost::is_instruction(&stms[*index], vars);
        if slice.len() == MAX_STMS || !fits {
            return None;
        }
        slice.push(*index);
        stms[*index].exp.for_each_operand(&mut |atom| work.extend(atom.var()));
    }
    slice.sort_unstable();
    Some(slice)
}
