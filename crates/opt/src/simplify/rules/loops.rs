//! Loops.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::{Rewrite, copy, inline, without};
use crate::simplify::cx::Cx;
use fehu_ir::visit::{Visit, walk_body, walk_type};
use fehu_ir::{Atom, BinOp, Body, Exp, LoopForm, LoopParam, Scalar, Stm, Type, Var};

/// A loop that is not entered has the initial values: `for i < 0`, `while` with false at first
pub(super) fn loop_zero_trips(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Loop(params, form, _) = &stm.exp else { return None };
    let never = match form {
        LoopForm::For(_, bound) => is_at_most_zero(cx.constant(*bound)?)?,
        LoopForm::While(cond) => {
            let cond = params.iter().find(|param| param.var == *cond)?;
            cx.constant(cond.init)? == Scalar::Bool(false)
        }
    };
    never.then(|| Rewrite::Atoms(params.iter().map(|param| param.init).collect()))
}

fn is_at_most_zero(value: Scalar) -> Option<bool> {
    let zero = match value.elem() {
        fehu_ir::Elem::Prim(prim) => Scalar::zero(prim),
        fehu_ir::Elem::Unit => return None,
    };
    fehu_interp::scalar::cmpop(fehu_ir::CmpOp::Le, value, zero)
}

/// A loop that is entered once is its body: `for i < 1`, `while` with true at first and false then
pub(super) fn loop_one_trip(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Loop(params, form, body) = &mut stm.exp else { return None };
    let mut stms = Vec::new();
    match form {
        LoopForm::For(var, bound) => {
            if cx.integer(*bound)? != 1 {
                return None;
            }
            stms.push(copy(*var, Atom::Const(Scalar::zero(cx.prim(*bound)?))));
        }
        LoopForm::While(cond) => {
            let number = params.iter().position(|param| param.var == *cond)?;
            let once = cx.constant(params[number].init)? == Scalar::Bool(true)
                && body.results[number] == Atom::bool(false);
            if !once {
                return None;
            }
        }
    }
    stms.extend(params.iter().map(|param| copy(param.var, param.init)));
    let body = std::mem::take(&mut **body);
    let results = body.results.clone();
    stms.extend(inline(body, &stm.certs));
    stms.extend(stm.pat.iter().zip(results).map(|(var, result)| copy(*var, result)));
    Some(Rewrite::Stms(stms))
}

/// A parameter whose next value is always itself or its initial value has that value, also after the loop.
pub(super) fn loop_invariant_params(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Loop(params, form, body) = &stm.exp else { return None };
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, param) in params.iter().enumerate() {
        let next = cx.resolve(body.results[index]);
        let same = next == Atom::Var(param.var) || next == param.init;
        // Sizes become known before the arrays that have them.
        let same = same && cx.same_type(param.var, param.init);
        if same && *form != LoopForm::While(param.var) {
            stms.push(copy(param.var, param.init));
            stms.push(copy(stm.pat[index], param.init));
            gone.push(index);
        }
    }
    if gone.is_empty() {
        return None;
    }
    stms.push(remove_params(take(stm), &gone));
    Some(Rewrite::Stms(stms))
}

/// Parameters with the same initial and next values are the same.
pub(super) fn loop_equal_params(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Loop(params, form, body) = &stm.exp else { return None };
    let mut gone = Vec::new();
    let mut same = Vec::new();
    let mut seen = rustc_hash::FxHashMap::default();
    for (index, param) in params.iter().enumerate() {
        if *form == LoopForm::While(param.var) {
            continue;
        }
        // Sizes become one before the arrays that have them.
        let next = cx.resolve(body.results[index]);
        let key = (param.init, next, &cx.vars[param.var].ty);
        match seen.get(&key) {
            None => {
                seen.insert(key, index);
            }
            Some(first) => {
                same.push((param.var, params[*first].var));
                same.push((stm.pat[index], stm.pat[*first]));
                gone.push(index);
            }
        }
    }
    if gone.is_empty() {
        return None;
    }
    // The types of the parameters that stay may mention those that go.
    for (var, first) in same {
        cx.replace(var, Atom::Var(first));
    }
    Some(Rewrite::Stms(vec![remove_params(take(stm), &gone)]))
}

/// `loop (x = a) for i < n { x + c }` is `a + max(n, 0) * c` for an integer that the loop uses for nothing else,
/// and so for `x - c`
pub(super) fn loop_closed_form(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Loop(params, LoopForm::For(_, bound), body) = &stm.exp else { return None };
    let mut sums = Vec::new();
    for (index, param) in params.iter().enumerate() {
        if !cx.is_integer(Atom::Var(param.var)) || cx.is_size(param.var) {
            continue;
        }
        let Atom::Var(next) = body.results[index] else { continue };
        // The last statements are the likeliest, and looking at few keeps this linear.
        let found = body.stms.iter().rev().take(8).find(|stm| stm.pat == [next]);
        let Some(Exp::BinOp(op, a, b)) = found.map(|stm| &stm.exp) else { continue };
        let (op, a, b) = (*op, cx.resolve(*a), cx.resolve(*b));
        let own = Atom::Var(param.var);
        let by = match op {
            BinOp::Add if a == own => b,
            BinOp::Add if b == own => a,
            BinOp::Sub if a == own => b,
            _ => continue,
        };
        if by != own && cx.in_scope(by) && used_once(cx, param.var, next, body) {
            sums.push((index, op, by));
        }
    }
    if sums.is_empty() {
        return None;
    }
    let bound = *bound;
    let (mut stms, count) = trips(cx, bound)?;
    let gone: Vec<usize> = sums.iter().map(|(index, ..)| *index).collect();
    let nexts: Vec<Atom> = gone.iter().map(|index| body.results[*index]).collect();
    for (index, op, by) in sums {
        let LoopParam { var, init } = params[index];
        let prim = cx.prim(Atom::Var(var))?;
        let ty = Type::prim(prim);
        let number = cx.new_var("n", ty.clone());
        stms.push(Stm::new(vec![number], Exp::Convert(prim, count)));
        let total = cx.new_var("total", ty);
        stms.push(Stm::new(vec![total], Exp::BinOp(BinOp::Mul, number.into(), by)));
        stms.push(Stm::new(vec![stm.pat[index]], Exp::BinOp(op, init, total.into())));
    }
    let mut rest = remove_params(take(stm), &gone);
    if let Exp::Loop(_, _, body) = &mut rest.exp {
        body.stms.retain(|stm| !matches!(stm.pat[..], [var] if nexts.contains(&Atom::Var(var))));
    }
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}

/// How often a loop up to this bound is entered.
fn trips(cx: &mut Cx<'_>, bound: Atom) -> Option<(Vec<Stm>, Atom)> {
    let prim = cx.prim(bound)?;
    if prim.is_unsigned() {
        return Some((Vec::new(), bound));
    }
    let zero = Atom::Const(Scalar::zero(prim));
    let count = cx.new_var("trips", Type::prim(prim));
    Some((vec![Stm::new(vec![count], Exp::BinOp(BinOp::Max, bound, zero))], count.into()))
}

/// Whether a parameter is used only for its next value, and that for nothing else.
fn used_once(cx: &Cx<'_>, param: Var, next: Var, body: &Body) -> bool {
    struct Count<'a, 'b> {
        cx: &'a Cx<'b>,
        param: Var,
        next: Var,
        found: usize,
    }
    impl Visit for Count<'_, '_> {
        fn use_var(&mut self, var: &Var) {
            let var = self.cx.resolve(Atom::Var(*var));
            let is = var == Atom::Var(self.param) || var == Atom::Var(self.next);
            self.found += usize::from(is);
        }
        fn stm(&mut self, stm: &Stm) {
            if self.found <= 2 {
                fehu_ir::visit::walk_stm(self, stm);
            }
        }
        fn bind(&mut self, var: &Var) {
            walk_type(self, &self.cx.vars[*var].ty);
        }
    }
    let mut count = Count { cx, param, next, found: 0 };
    walk_body(&mut count, body);
    // Once in the sum, and once as the result.
    count.found == 2
}

/// Takes the statement out of its place.
fn take(stm: &mut Stm) -> Stm {
    std::mem::replace(stm, Stm::new(Vec::new(), Exp::Atom(Atom::bool(true))))
}

/// The loop without some parameters.
fn remove_params(mut stm: Stm, gone: &[usize]) -> Stm {
    if let Exp::Loop(params, _, body) = &mut stm.exp {
        without(params, gone);
        without(&mut body.results, gone);
        without(&mut stm.pat, gone);
    }
    stm
}
