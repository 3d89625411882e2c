//! Branches on other scalars.

use super::branch::take_branch;
use super::{Rewrite, copy, without};
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_ir::{Atom, Body, CmpOp, Exp, Scalar, Stm, Switch, Type};

/// `switch c { case c { a } ... } = a`, the default if no case fits, also if there is none
pub(super) fn switch_constant(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Switch(value, switch) = &mut stm.exp else { return None };
    let known = cx.constant(*value).filter(|value| !value.elem().is_float());
    let body = match known {
        Some(known) => match switch.cases.iter_mut().find(|(case, _)| *case == known) {
            Some((_, body)) => std::mem::take(body),
            None => std::mem::take(&mut switch.default),
        },
        None if switch.cases.is_empty() => std::mem::take(&mut switch.default),
        None => return None,
    };
    Some(take_branch(stm, body))
}

/// `switch x { case c { a } default { a } } = switch x { default { a } }` if `a` are operands only
pub(super) fn switch_case_like_default(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Switch(value, switch) = &mut stm.exp else { return None };
    if !switch.default.stms.is_empty() {
        return None;
    }
    let default: Vec<Atom> = switch.default.results.iter().map(|atom| cx.resolve(*atom)).collect();
    let same = |results: &[Atom]| {
        results.iter().zip(&default).all(|(a, b)| cx.resolve(*a) == *b && cx.in_scope(*b))
    };
    let before = switch.cases.len();
    switch.cases.retain(|(_, body)| !body.stms.is_empty() || !same(&body.results));
    if switch.cases.len() == before {
        return None;
    }
    let empty = Switch { cases: Vec::new(), default: Body::default() };
    Rewrite::exp(Exp::Switch(*value, Box::new(std::mem::replace(switch, empty))))
}

/// `switch x { case c { a } default { b } } = if x == c then a else b`, but for floats; of booleans two cases
/// are all
pub(super) fn switch_to_if(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Switch(value, switch) = &mut stm.exp else { return None };
    let prim = cx.prim(*value)?;
    let all = prim == Prim::Bool && switch.cases.len() == 2;
    if prim.is_float() || (switch.cases.len() != 1 && !all) {
        return None;
    }
    let value = *value;
    let (case, yes) = switch.cases.swap_remove(0);
    let no = match switch.cases.pop() {
        Some((_, body)) => body,
        None => std::mem::take(&mut switch.default),
    };
    let cond = cx.new_var("is", Type::BOOL);
    let test = Stm::new(vec![cond], Exp::CmpOp(CmpOp::Eq, value, Atom::Const(case)));
    let mut branch = std::mem::replace(stm, copy(cond, Atom::Const(Scalar::Unit)));
    branch.exp = Exp::If(Atom::Var(cond), Box::new([yes, no]));
    Some(Rewrite::Stms(vec![test, branch]))
}

/// A result that is the same operand in all cases, and in scope outside, is that operand.
pub(super) fn switch_same_results(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Switch(_, switch) = &stm.exp else { return None };
    let mut stms = Vec::new();
    let mut gone = Vec::new();
    for (index, var) in stm.pat.iter().enumerate() {
        let result = cx.resolve(switch.default.results[index]);
        let same = switch.cases.iter().all(|(_, body)| cx.resolve(body.results[index]) == result);
        // Sizes become known before the arrays that have them.
        if same && cx.in_scope(result) && cx.same_type(*var, result) {
            stms.push(copy(*var, result));
            gone.push(index);
        }
    }
    let first = stm.pat.first().filter(|_| !gone.is_empty())?;
    let mut rest = std::mem::replace(stm, copy(*first, Atom::Const(Scalar::Unit)));
    if let Exp::Switch(_, switch) = &mut rest.exp {
        without(&mut rest.pat, &gone);
        for (_, body) in &mut switch.cases {
            without(&mut body.results, &gone);
        }
        without(&mut switch.default.results, &gone);
    }
    stms.push(rest);
    Some(Rewrite::Stms(stms))
}
