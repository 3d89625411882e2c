//! Elements of arrays that branches have just updated, read without the updates.
//!
//! ```text
//! ys = xs with [i] = v;  y = ys[j]      =>      y = if i == j then v else xs[j]
//! ```
//!
//! A branch evaluates its forward sweep again in the return sweep. If it only needs elements of the array that it
//! changes, there is no reason to change a copy of the array for them.

use crate::differentiate::activity::Set;
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Dim, Exp, Stm, Var};
use rustc_hash::FxHashMap;

/// How many updates there may be in a row: each element takes as many comparisons.
const MOST: usize = 4;

/// What an array is made from: the array before, and where and what is written, if it is not a copy.
struct Made {
    from: Var,
    update: Option<(Vec<Dim>, Atom)>,
}

/// Rewrites the elements that a body reads of arrays which are among `primal`: adjoints change in place.
pub(super) fn read_through(b: &mut Builder<'_>, body: &mut Body, primal: &Set) {
    in_body(b, body, primal, &mut FxHashMap::default());
}

fn in_body(b: &mut Builder<'_>, body: &mut Body, primal: &Set, made: &mut FxHashMap<Var, Made>) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if let Exp::If(..) | Exp::Switch(..) = stm.exp {
            stm.exp.map_bodies(&mut |body| in_body(b, body, primal, made));
        }
        if let Exp::Copy(from) = stm.exp {
            made.insert(stm.pat[0], Made { from, update: None });
        } else if let Exp::Update(from, dims, value) = &stm.exp
            && is_element(dims)
        {
            let update = Some((dims.clone(), *value));
            made.insert(stm.pat[0], Made { from: *from, update });
        } else if let Exp::Index(array, dims) = &stm.exp
            && primal.contains(array)
            && !b.ty(stm.pat[0]).is_array()
            && b.ty(*array).shape().iter().any(|size| size.var().is_some())
        {
            let (mut base, mut updates) = (*array, Vec::new());
            while let Some(before) = made.get(&base) {
                updates.extend(&before.update);
                base = before.from;
            }
            if (1..=MOST).contains(&updates.len()) {
                let mut inner = Builder::new(b.vars_mut());
                read(&mut inner, &stm, (base, dims), &updates);
                out.extend(inner.finish(Vec::new()).stms);
                continue;
            }
        }
        out.push(stm);
    }
    body.stms = out;
}

fn is_element(dims: &[Dim]) -> bool {
    dims.iter().all(|dim| matches!(dim, Dim::Fix(_)))
}

/// Binds what the statement does; the updates are from the last to the first.
fn read(
    b: &mut Builder<'_>,
    stm: &Stm,
    (base, dims): (Var, &[Dim]),
    updates: &[&(Vec<Dim>, Atom)],
) {
    let [(place, value), earlier @ ..] = updates else {
        return b.push(Stm { exp: Exp::Index(base, dims.to_vec()), ..stm.clone() });
    };
    let mut same = Atom::bool(true);
    for (x, y) in dims.iter().zip(place) {
        if let (Dim::Fix(x), Dim::Fix(y)) = (x, y) {
            let here = b.exp("same", Exp::CmpOp(CmpOp::Eq, *x, *y)).into();
            same = b.exp("same", Exp::BinOp(BinOp::And, same, here)).into();
        }
    }
    let ty = b.ty(*stm.pat.first().or_bug("element of an array")).clone();
    let other = b.body(|b| {
        let value = b.param("x", ty);
        read(b, &Stm { pat: vec![value], ..stm.clone() }, (base, dims), earlier);
        vec![value.into()]
    });
    b.stm(stm.pat.clone(), Exp::If(same, Box::new([Body::of(vec![*value]), other])));
}
