//! Loops in strips: `#[stripmine(k)]` trades time for memory.
//!
//! ```text
//! loop (x = a) for i < n do f x
//! ==>                                              with m strips of s = ceil (n / m) iterations, m = ceil (n^(1/k))
//! loop (x = a) for j < m do
//!   loop (x = x) for l < min (s, n - j*s) do f x   -- this one again in strips, k-1
//! ```
//!
//! The outer loop saves the values at the beginning of each strip, and the return sweep evaluates the strip again, with
//! the tapes of the inner loop, which last for one strip. So with `k = 2` there are `2 sqrt n` saved values in place of
//! `n`, and the body is evaluated twice.
//!
//! With a limit on memory, a loop has strips, `k = 2`, if the values of its parameters in all iterations exceed it, and
//! otherwise one.

use crate::differentiate::num::{binary, number, select};
use fehu_base::Prim;
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::subst::{Subst, subst_body, subst_type};
use fehu_ir::visit::{VisitMut, walk_stm_mut};
use fehu_ir::{
    Atom, Attr, BinOp, Body, CmpOp, Elem, Exp, LoopForm, LoopParam, MathFn, Prog, Stm, Type, Var,
};

/// The attribute of the source, and that of a loop that is a strip.
const STRIPMINE: &str = "stripmine";
const STRIP: &str = "strip";
/// That of a loop whose tapes are limited, with the number of bytes.
const LIMIT: &str = "tape_limit";

/// Limits what each loop of a program may keep for its derivative, unless the program says how.
pub fn limit_memory(prog: &mut Prog, bytes: u64) {
    struct Limit(Attr);
    impl VisitMut for Limit {
        fn stm(&mut self, stm: &mut Stm) {
            walk_stm_mut(self, stm);
            let counts = matches!(stm.exp, Exp::Loop(_, LoopForm::For(..), _));
            if counts && depth(stm).is_none() {
                stm.attrs.push(self.0.clone());
            }
        }
    }
    let args = vec![Attr { name: format!("{bytes}").into(), args: Vec::new() }];
    let mut limit = Limit(Attr { name: LIMIT.into(), args });
    prog.for_each_body(|_, _, body| limit.body(body));
}

/// Whether a loop is a strip of another one, which does not save its tapes.
pub(super) fn is_strip(stm: &Stm) -> bool {
    stm.attrs.iter().any(|attr| attr.name == STRIP)
}

/// How deep a nest is asked for.
fn depth(stm: &Stm) -> Option<u32> {
    let depth = argument(stm, STRIPMINE)?;
    u32::try_from(depth).ok().filter(|depth| *depth >= 2)
}

/// The number that an attribute has.
fn argument(stm: &Stm, name: &str) -> Option<i64> {
    stm.attrs.iter().find(|attr| attr.name == name)?.args.first()?.name.parse().ok()
}

/// The loop as a loop of strips, if that is asked for.
pub(super) fn strips(b: &mut Builder<'_>, mut stm: Stm) -> Stm {
    let limit = argument(&stm, LIMIT);
    let Some(depth) = depth(&stm).or(limit.map(|_| 2)) else { return stm };
    stm.attrs.retain(|attr| attr.name != STRIPMINE && attr.name != LIMIT);
    let Exp::Loop(params, LoopForm::For(counter, bound), mut body) = stm.exp else { return stm };
    let prim = prim_of(b.ty(counter)).unwrap_or(Prim::I64);
    let count = convert(b, prim, Prim::I64, bound);
    let count: Atom = b.exp("n", Exp::BinOp(BinOp::Max, count, 0.into())).into();
    // The number of strips, and of iterations in each.
    let wide = convert(b, Prim::I64, Prim::F64, count);
    let root = binary(b, BinOp::Pow, wide, number(Prim::F64, 1.0 / f64::from(depth)));
    let root: Atom = b.exp("strips", Exp::Math(MathFn::Ceil, vec![root])).into();
    let strips = convert(b, Prim::F64, Prim::I64, root);
    let mut strips: Atom = b.exp("strips", Exp::BinOp(BinOp::Max, strips, 1.into())).into();
    if let Some(limit) = limit {
        let bytes = bytes_of(b, &params);
        let all = binary(b, BinOp::Mul, count, bytes);
        let fits: Atom = b.exp("fits", Exp::CmpOp(CmpOp::Le, all, Atom::i64(limit))).into();
        strips = select(b, fits, &Type::I64, |_| 1.into(), |_| strips);
    }
    let more = binary(b, BinOp::Add, count, strips);
    let more = binary(b, BinOp::Sub, more, 1.into());
    let size = binary(b, BinOp::Quot, more, strips);

    let (strip, place) = (b.param("j", Type::I64), b.param("l", Type::I64));
    let mut outer = Builder::new(b.vars_mut());
    let first = binary(&mut outer, BinOp::Mul, strip.into(), size);
    let left = binary(&mut outer, BinOp::Sub, count, first);
    let here = binary(&mut outer, BinOp::Min, size, left);
    // The body, with parameters of its own.
    let mut names = Subst::default();
    let mut inner_params = Vec::new();
    for param in &params {
        let var = like(&mut outer, param.var);
        names.insert(param.var, var.into());
        inner_params.push(LoopParam { var, init: param.var.into() });
    }
    for param in &inner_params {
        rename(&mut outer, param.var, &names);
    }
    let mut inner = Builder::new(outer.vars_mut());
    let number = binary(&mut inner, BinOp::Add, first, place.into());
    let number = convert(&mut inner, Prim::I64, prim, number);
    let mut stms = inner.finish(Vec::new()).stms;
    names.insert(counter, number);
    subst_body(&mut body, outer.vars_mut(), &names);
    stms.append(&mut body.stms);
    body.stms = stms;
    // Its results, whose sizes may be among them.
    let mut renamed = Subst::default();
    let results: Vec<Var> = params
        .iter()
        .map(|param| {
            let var = like(&mut outer, param.var);
            renamed.insert(param.var, var.into());
            var
        })
        .collect();
    for var in &results {
        rename(&mut outer, *var, &renamed);
    }
    let form = LoopForm::For(place, here);
    let mut strip_stm = Stm::new(results.clone(), Exp::Loop(inner_params, form, body));
    strip_stm.loc.clone_from(&stm.loc);
    strip_stm.attrs.clone_from(&stm.attrs);
    strip_stm.attrs.retain(|attr| attr.name != STRIP);
    strip_stm.attrs.push(Attr { name: STRIP.into(), args: Vec::new() });
    if depth > 2 {
        let args = vec![Attr { name: format!("{}", depth - 1).into(), args: Vec::new() }];
        strip_stm.attrs.push(Attr { name: STRIPMINE.into(), args });
    }
    outer.push(strip_stm);
    let body: Body = outer.finish(results.into_iter().map(Atom::Var).collect());
    stm.exp = Exp::Loop(params, LoopForm::For(strip, strips), Box::new(body));
    stm
}

/// How many bytes the first values of a loop's parameters take.
fn bytes_of(b: &mut Builder<'_>, params: &[LoopParam]) -> Atom {
    let first: Subst = params.iter().map(|param| (param.var, param.init)).collect();
    let mut total = Atom::i64(0);
    for param in params {
        let mut ty = b.ty(param.var).clone();
        subst_type(&mut ty, &first);
        let Some(Elem::Prim(prim)) = ty.elem() else { continue };
        let mut bytes = Atom::i64(super::keep::bytes(prim) as i64);
        for size in ty.shape() {
            bytes = binary(b, BinOp::Mul, bytes, *size);
        }
        total = binary(b, BinOp::Add, total, bytes);
    }
    total
}

fn like(b: &mut Builder<'_>, var: Var) -> Var {
    let info = b.vars()[var].clone();
    b.vars_mut().push(info)
}

fn rename(b: &mut Builder<'_>, var: Var, names: &Subst) {
    let mut ty = b.ty(var).clone();
    subst_type(&mut ty, names);
    b.vars_mut()[var].ty = ty;
}

pub(super) fn convert(b: &mut Builder<'_>, from: Prim, to: Prim, atom: Atom) -> Atom {
    match from == to {
        true => atom,
        false => b.exp("i", Exp::Convert(to, atom)).into(),
    }
}
