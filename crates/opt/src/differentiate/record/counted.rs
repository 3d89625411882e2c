//! Accumulations whose positions or iterations differ in how much they contribute: contributions are counted, and then
//! written where they belong.
//!
//! ```text
//! zs = with_acc ys (*) { map \k -> loop acc for j < k { update_acc acc [i] v } }
//! ==>
//! total = sum (map \k -> loop n = 0 for j < k { n + 1 })
//! is, vs = with_acc (scratch total, scratch total) {
//!   counts = map \k -> loop n = 0 for j < k { n + 1 }
//!   map \k count end -> loop (acc, at = end - count) for j < k { (update_acc acc [at] (i, v), at + 1) }
//!     (ks, counts, scan (+) counts)
//! }
//! zs = hist (*) ys is vs
//! ```
//!
//! The columns are accumulators without an operator, so that writes to them are differentiated as any others are. The
//! code that counts makes the same checks, and prints nothing. A place is known after the checks of all contributions
//! before it.

use super::histogram::{columns, histogram};
use super::instead::{Accumulators, Instead};
use super::is_recorded;
use crate::differentiate::common::Common;
use fehu_base::{IdVec, OrBug};
use fehu_ir::builder::Builder;
use fehu_ir::subst::{copy_body, copy_lambda};
use fehu_ir::{AccInput, Exp, Lambda, Stm, Type, Var, VarInfo};

/// An accumulation, with histograms for those of its accumulators that do not add.
pub(super) fn counted(
    stm: &Stm,
    inputs: &[AccInput],
    lambda: &Lambda,
    vars: &mut IdVec<Var, VarInfo>,
    common: &Common,
) -> Vec<Stm> {
    let mut lambda = copy_lambda(lambda, vars);
    let certs = lambda.params.iter().zip(inputs).filter(|(_, input)| is_recorded(input));
    let certs: Vec<Var> = certs.map(|(cert, _)| *cert).collect();

    let mut b = Builder::new(vars);
    b.set_loc(stm.loc.clone());
    b.set_certs(stm.certs.clone());
    let body = copy_body(&lambda.body, b.vars_mut());
    let body = Accumulators::counted(body, &certs, b.vars_mut(), common);
    body.stms.into_iter().for_each(|stm| b.push(stm));
    let mut totals = body.results.into_iter();

    let mut accumulators = Accumulators::new(common);
    let (mut pat, mut new_inputs, mut recorded) = (Vec::new(), Vec::new(), Vec::new());
    let mut results = stm.pat.iter().copied();
    for (number, input) in inputs.iter().enumerate() {
        let mine: Vec<Var> = results.by_ref().take(input.arrays.len()).collect();
        if !is_recorded(input) {
            pat.extend(mine);
            new_inputs.push(input.clone());
            continue;
        }
        let total = totals.next().or_bug("number of contributions");
        let (mut arrays, mut made) = (Vec::new(), Vec::new());
        for ty in columns(input) {
            let elem = ty.elem().or_bug("type of the elements of a column");
            let shape = [&[total], ty.shape()].concat();
            arrays.push(b.exp("column", Exp::Scratch(elem, shape.clone())));
            made.push(b.param("column", Type::array(elem, shape)));
        }
        let (cert, acc) = (lambda.params[number], lambda.params[inputs.len() + number]);
        accumulators.start(cert, acc, Instead::Place);
        pat.extend(&made);
        new_inputs.push(AccInput { shape: vec![total], arrays, op: None });
        recorded.push((mine, input, total, made));
    }
    pat.extend(results);
    let mut inner = Builder::new(b.vars_mut());
    accumulators.stms(&mut inner, std::mem::take(&mut lambda.body.stms));
    lambda.body.stms = inner.finish(Vec::new()).stms;
    b.stm(pat, Exp::WithAcc(new_inputs, Box::new(lambda)));
    for (pat, input, total, columns) in recorded {
        histogram(&mut b, pat, input, (total, columns));
    }
    b.finish(Vec::new()).stms
}
