//! Products: nests that are better left alone.
//!
//! ```text
//! c = map (\a -> map (\b -> sum (map2 (*) a b)) bs) as
//! s = map (\row -> sum row) c
//! ```
//!
//! A *product* is a map of a map of a reduction, where some of what the reduction reads differs with the outer map
//! only, and some with the inner one only. By itself, it is executed in tiles: what is read for a row serves many
//! columns, and the other way round. As part of a function that does more with its row than a map of straight-line code
//! does, each element would be made by itself, and everything read again. Reading the result once more is nothing
//! beside that.
//!
//! That holds inside of functions, where the result is that of one position, and for results that are stored anyway
//! because others need them. Elsewhere it may be much larger than what it is made of, and must not be stored if it need
//! not.
//!
//! A function with two products has tiles for one of them only. So an operator that makes a product already does not
//! take another one, as in the sum of two products. Nor does it take an operator that only reads the same rows, if that
//! is no product, or one with another number of columns: gradients of weights for the input and for the state of one
//! layer are two products of the same rows.

use super::Cx;
use super::mentions::stm_mentions;
use super::vertical::kept;
use fehu_base::IdVec;
use fehu_facts::Variance;
use fehu_ir::free::bound_in_lambda;
use fehu_ir::{Atom, Body, Exp, FoldTiling, Lambda, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashSet;

/// The dimensions of the maps.
const OUTER: usize = 0;
const INNER: usize = 1;

/// Whether a producer is a product, and the consumer, which reads its rows, would make it something else.
pub(super) fn is_lost(cx: &Cx<'_>, producer: &Stm, consumer: &Stm) -> bool {
    let Exp::Screma(product) = &producer.exp else { return false };
    if product.folded() > 0 || !makes_product(product, cx.vars) {
        return false;
    }
    let Exp::Screma(op) = &consumer.exp else { return cx.within };
    if makes_product(op, cx.vars) {
        return true;
    }
    if !cx.within && kept(cx, producer, consumer).is_empty() {
        return false;
    }
    let inputs = op.map.params.iter().zip(&op.inputs);
    let rows = inputs.filter(|(_, input)| producer.pat.contains(input));
    let rows: Vec<Var> = rows.map(|(row, _)| *row).collect();
    op.folded() > 0 || !is_mapped(cx, &op.map, &rows)
}

/// Whether two operators that read the same rows can be one: neither is a product, or both are, and of the same
/// width, so that the products may become one, too. Otherwise one function for both would have no tiles.
pub(super) fn agree(cx: &Cx<'_>, a: &Exp, b: &Exp) -> bool {
    let widths = |exp: &Exp| -> Vec<Atom> {
        let all = map(exp).map_or_else(Vec::new, |op| products(op, cx.vars));
        all.iter().map(|inner| inner.width).collect()
    };
    let (a, b) = (widths(a), widths(b));
    (a.is_empty() && b.is_empty()) || a.iter().any(|width| b.contains(width))
}

/// The arrays with which all rows of a product are multiplied: the matrix; in the function of a map, where the product
/// is one of a matrix and a row of the other one, the row.
pub(super) fn factors(cx: &Cx<'_>, exp: &Exp) -> Vec<Var> {
    let Some(op) = map(exp) else { return Vec::new() };
    let inner = products(op, cx.vars);
    let read = match inner.is_empty() {
        true if cx.within => folded(op, cx.vars).map_or_else(Vec::new, |(_, read)| read),
        true => Vec::new(),
        false => inner.iter().flat_map(|inner| inner.inputs.clone()).collect(),
    };
    let bound = bound_in_lambda(&op.map);
    read.into_iter().filter(|array| !bound.contains(array)).collect()
}

/// Whether the products of two operators with a factor that they have in common can have a tile together.
pub(super) fn fit_together(cx: &Cx<'_>, a: &Exp, b: &Exp, factor: Var) -> bool {
    let registers = |exp: &Exp| {
        let Some(op) = map(exp) else { return 0 };
        let mut inner = products(op, cx.vars);
        inner.retain(|inner| inner.inputs.contains(&factor));
        if inner.is_empty() {
            inner.push(op);
        }
        let stms = inner.iter().flat_map(|op| &op.map.body.stms);
        let folds = stms.filter(|stm| reduction(stm, cx.vars).is_some());
        folds.flat_map(|stm| &stm.pat).map(|var| cx.vars[*var].ty.registers()).sum::<u32>()
    };
    registers(a) + registers(b) <= FoldTiling::MOST_REGISTERS
}

/// Whether a function only maps these arrays by straight-line code, or returns them.
fn is_mapped(cx: &Cx<'_>, function: &Lambda, rows: &[Var]) -> bool {
    function.body.stms.iter().all(|stm| {
        let as_inputs = match map(&stm.exp).filter(|op| is_straight(&op.map.body)) {
            Some(op) => op.inputs.iter().filter(|input| rows.contains(input)).count(),
            None => 0,
        };
        stm_mentions(cx, stm, rows) == as_inputs
    })
}

/// Whether there are no branches, loops or operators.
pub(super) fn is_straight(body: &Body) -> bool {
    body.stms.iter().all(is_instruction)
}

/// Whether there is no code in a statement.
pub(super) fn is_instruction(stm: &Stm) -> bool {
    let mut bodies = 0;
    stm.exp.for_each_body(&mut |_| bodies += 1);
    bodies == 0
}

/// Whether the function of an operator has a product.
pub(super) fn makes(cx: &Cx<'_>, op: &Screma) -> bool {
    makes_product(op, cx.vars)
}

/// Whether one of the maps in the function of an operator is that of a product: they are fused only later.
fn makes_product(outer: &Screma, vars: &IdVec<Var, VarInfo>) -> bool {
    !products(outer, vars).is_empty()
}

/// The maps in the function of an operator that make products with it.
fn products<'s>(outer: &'s Screma, vars: &IdVec<Var, VarInfo>) -> Vec<&'s Screma> {
    let mut variance = Variance::at_positions(&outer.map, &outer.inputs, OUTER, vars);
    let mut found = Vec::new();
    for stm in &outer.map.body.stms {
        variance.stm(stm);
        found.extend(map(&stm.exp).filter(|inner| shares(inner, &mut variance, vars)));
    }
    found
}

/// Whether the positions of the outer map and those of this one inside of it share what their first reduction reads.
fn shares(inner: &Screma, variance: &mut Variance<'_>, vars: &IdVec<Var, VarInfo>) -> bool {
    let Some((at, read)) = folded(inner, vars) else { return false };
    variance.enter(inner, INNER);
    inner.map.body.stms[..at].iter().for_each(|stm| variance.stm(stm));
    let along = |array: &Var| {
        let varies = variance.atom((*array).into());
        (varies.is_along(OUTER), varies.is_along(INNER))
    };
    let read: Vec<(bool, bool)> = read.iter().map(along).collect();
    read.contains(&(true, false)) && read.contains(&(false, true)) && !read.contains(&(true, true))
}

/// Where the first reduction to scalars is in the function of a map, and what it reads. Maps that only make its inputs
/// are fused into it later: it reads what they do.
fn folded(op: &Screma, vars: &IdVec<Var, VarInfo>) -> Option<(usize, Vec<Var>)> {
    let stms = &op.map.body.stms;
    let (at, fold) =
        stms.iter().enumerate().find_map(|(at, stm)| Some((at, reduction(stm, vars)?)))?;
    let (mut read, mut inputs) = (Vec::new(), fold.inputs.clone());
    let mut seen: FxHashSet<Var> = FxHashSet::default();
    while let Some(input) = inputs.pop() {
        if !seen.insert(input) {
            continue;
        }
        let made = stms[..at].iter().find(|stm| stm.pat.contains(&input));
        match made.and_then(|stm| map(&stm.exp)) {
            Some(op) => inputs.extend_from_slice(&op.inputs),
            None => read.push(input),
        }
    }
    Some((at, read))
}

/// The map that an expression is.
fn map(exp: &Exp) -> Option<&Screma> {
    let Exp::Screma(op) = exp else { return None };
    (op.folded() == 0).then_some(op)
}

/// The reduction to scalars that a statement is.
fn reduction<'s>(stm: &'s Stm, vars: &IdVec<Var, VarInfo>) -> Option<&'s Screma> {
    let is_scalar = stm.pat.iter().all(|var| matches!(vars[*var].ty, Type::Scalar(_)));
    let Exp::Screma(op) = &stm.exp else { return None };
    (is_scalar && !op.reds.is_empty()).then_some(op)
}
