//! Operators that choose one of their operands: in each of their branches, all results are the left one, or all are the
//! right one. Minima with their index are of this kind, and so is `if p x y then x else y`.

use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, Body, Exp, Lambda, Type, Var};

/// The operator on numbered elements, if it chooses: each operand has one more part, its number, and the result that of
/// the one that is chosen.
pub(super) fn numbered(b: &mut Builder<'_>, op: &Lambda) -> Option<Lambda> {
    let count = op.ret.len();
    let atoms = |vars: &[Var]| vars.iter().map(|var| Atom::Var(*var)).collect::<Vec<_>>();
    let is_operand = |results: &[Atom]| {
        results == atoms(&op.params[..count]) || results == atoms(&op.params[count..])
    };
    if is_operand(&op.body.results) || !chooses(&op.body, &is_operand) {
        return None;
    }
    let mut op = copy_lambda(op, b.vars_mut());
    let numbers = [b.param("i", Type::I64), b.param("j", Type::I64)];
    let sides =
        [(atoms(&op.params[..count]), numbers[0]), (atoms(&op.params[count..]), numbers[1])];
    number(b, &mut op.body, &sides);
    op.params.push(numbers[1]);
    op.params.insert(count, numbers[0]);
    op.ret.push(Type::I64);
    Some(op)
}

/// Whether the results of a body are an operand in all of its branches.
fn chooses(body: &Body, is_operand: &dyn Fn(&[Atom]) -> bool) -> bool {
    if is_operand(&body.results) {
        return true;
    }
    let Some(stm) = body.stms.last() else { return false };
    if !matches!(stm.exp, Exp::If(..) | Exp::Switch(..)) || !yields(body) {
        return false;
    }
    let mut all = true;
    stm.exp.for_each_body(&mut |body| all &= chooses(body, is_operand));
    all
}

/// Whether the results of a body are those of its last statement.
fn yields(body: &Body) -> bool {
    let pat = body.stms.last().map(|stm| &stm.pat[..]).unwrap_or_default();
    pat.len() == body.results.len()
        && pat.iter().zip(&body.results).all(|(var, result)| *result == Atom::Var(*var))
}

/// Adds the number of the operand to the results of a body.
fn number(b: &mut Builder<'_>, body: &mut Body, sides: &[(Vec<Atom>, Var)]) {
    if let Some((_, number)) = sides.iter().find(|(operand, _)| *operand == body.results) {
        body.results.push((*number).into());
        return;
    }
    let stm = body.stms.last_mut().or_bug("choice between operands");
    let chosen = b.param("number", Type::I64);
    stm.exp.map_bodies(&mut |body| number(b, body, sides));
    stm.pat.push(chosen);
    body.results.push(chosen.into());
}
