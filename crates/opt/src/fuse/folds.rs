//! Reductions with nothing in common but their sizes, on devices.
//!
//! ```text
//! s = map (\a -> sum a) as;  t = map (\b -> sum b) bs    ==>    (s, t) = map2 (\a b -> (sum a, sum b)) as bs
//! ```
//!
//! Such reductions are often short: sums of what belongs to several weights, terms of a loss. One kernel for all of
//! them reads what each would, and is launched once. The reductions of one function become one operator as well, since
//! each operator in the function of a map would be a kernel of its own.

use super::product::{self, is_instruction, is_straight};
use super::{Cx, merge};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Exp, Family, Screma, Stm, Type, Var};
use rustc_hash::FxHashSet;

/// The most 32-bit registers for what all reductions of an operator combine.
const MOST_REGISTERS: u32 = 16;

/// The widths of a reduction, or of a map of reductions, outermost first, if it may be one with others.
pub(super) fn widths(cx: &Cx<'_>, exp: &Exp) -> Option<Vec<Atom>> {
    if !cx.columns || cx.within {
        return None;
    }
    let Exp::Screma(op) = exp else { return None };
    if is_fold(cx, op) {
        return Some(vec![op.width]);
    }
    let (_, fold) = only(cx, op)?;
    (op.folded() == 0 && !product::makes(cx, op)).then(|| vec![op.width, fold.width])
}

/// Whether two of them have room in one kernel.
pub(super) fn fit_together(cx: &Cx<'_>, a: &Exp, b: &Exp) -> bool {
    let registers = |exp: &Exp| {
        let Exp::Screma(op) = exp else { return 0 };
        let fold = only(cx, op).map_or(&**op, |(_, fold)| fold);
        let values = fold.reds.iter().flat_map(|red| &red.op.ret);
        values.map(Type::registers).sum::<u32>()
    };
    registers(a) + registers(b) <= MOST_REGISTERS
}

/// The reductions in the function of a map that was made of two become one.
pub(super) fn together(cx: &mut Cx<'_>, stm: &mut Stm) {
    let Exp::Screma(op) = &mut stm.exp else { return };
    let folds: Vec<usize> = places(cx, &op.map.body);
    let [first, second] = folds[..] else { return };
    let mut later: FxHashSet<Var> = op.map.body.stms[first].pat.iter().copied().collect();
    let (mut before, mut after, mut pair) = (Vec::new(), Vec::new(), Vec::new());
    for (place, stm) in std::mem::take(&mut op.map.body.stms).into_iter().enumerate() {
        if place == first || place == second {
            pair.push(stm);
        } else if place > second || free_in_stm(&stm, cx.vars).iter().any(|v| later.contains(v)) {
            later.extend(&stm.pat);
            after.push(stm);
        } else {
            before.push(stm);
        }
    }
    let mut pair = pair.into_iter();
    if let (Some(a), Some(b)) = (pair.next(), pair.next()) {
        before.push(merge::horizontal(cx, a, b));
    }
    before.append(&mut after);
    op.map.body.stms = before;
}

/// The only operator in the function of a map, a reduction, and its place.
fn only<'s>(cx: &Cx<'_>, op: &'s Screma) -> Option<(usize, &'s Screma)> {
    let [place] = places(cx, &op.map.body)[..] else { return None };
    let mut others = op.map.body.stms.iter().enumerate().filter(|(at, _)| *at != place);
    // What changes an array would have to stay after what reads it.
    let straight = others.all(|(_, stm)| is_instruction(stm) && stm.exp.family() != Family::Change);
    let Exp::Screma(fold) = &op.map.body.stms[place].exp else { return None };
    straight.then_some((place, fold))
}

fn places(cx: &Cx<'_>, body: &Body) -> Vec<usize> {
    let folds = body
        .stms
        .iter()
        .enumerate()
        .filter(|(_, stm)| matches!(&stm.exp, Exp::Screma(op) if is_fold(cx, op)));
    folds.map(|(place, _)| place).collect()
}

/// Whether this is a reduction to scalars, and nothing else, of what straight-line code makes.
fn is_fold(cx: &Cx<'_>, op: &Screma) -> bool {
    let scalars = |ret: &[Type]| ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
    !op.reds.is_empty()
        && op.scans.is_empty()
        && op.folded() == op.map.body.results.len()
        && op.reds.iter().all(|red| scalars(&red.op.ret) && is_straight(&red.op.body))
        && is_straight(&op.map.body)
        && !op.inputs.iter().any(|input| cx.is_acc(*input))
}
