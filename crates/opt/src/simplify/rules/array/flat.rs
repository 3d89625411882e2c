//! Views by strides.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a rule looks for the forms that it knows; the others stay as they are"
)]

use super::index::parts;
use super::{Make, array, int, resolved_dims};
use crate::simplify::cx::Cx;
use crate::simplify::rules::Rewrite;
use fehu_ir::{Atom, Dim, Exp, Stm, Var};

type Strides = Vec<(Atom, Atom)>;

fn flat_parts(stm: &Stm) -> Option<(Var, Atom, &Strides)> {
    match &stm.exp {
        Exp::FlatIndex(array, offset, dims) => Some((*array, *offset, dims)),
        _ => None,
    }
}

/// `flat_index xs[o; n:s] = xs[o:n:s]` for a distance `s` that is known not to be zero
pub(in crate::simplify::rules) fn flat_index_line(_: &mut Cx<'_>, stm: &Stm) -> Option<Rewrite> {
    let (array, start, dims) = flat_parts(stm)?;
    match dims[..] {
        [(len, stride)] if int(stride).is_some_and(|stride| stride != 0) => {
            Rewrite::exp(Exp::Index(array, vec![Dim::Slice { start, len, stride }]))
        }
        _ => None,
    }
}

/// `flat_index (xs[a:k:b])[o; n:s, ...] = flat_index xs[a + o*b; n:s*b, ...]`
pub(in crate::simplify::rules) fn flat_index_of_slice(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, offset, dims) = flat_parts(stm)?;
    let Some(Exp::Index(source, outer)) = cx.def(view.into()) else { return None };
    let (source, outer) = (array(cx, *source), resolved_dims(cx, outer));
    let [Dim::Slice { start, stride, .. }] = outer[..] else { return None };
    let mut make = Make::new(stm);
    make.through(cx, view);
    let distance = make.mul(cx, offset, stride);
    let offset = make.add(cx, start, distance);
    let dims = dims.iter().map(|(len, step)| (*len, make.mul(cx, *step, stride))).collect();
    make.finish(cx, Exp::FlatIndex(source, offset, dims))
}

/// `(flat_index xs[o; n:s, m:t])[i, j] = xs[o + i*s + j*t]`, and
/// `(flat_index xs[o; n:s, m:t])[i] = flat_index xs[o + i*s; m:t]`
pub(in crate::simplify::rules) fn index_of_flat_index(
    cx: &mut Cx<'_>,
    stm: &Stm,
) -> Option<Rewrite> {
    let (view, dims) = parts(stm)?;
    let Some(Exp::FlatIndex(source, offset, flat)) = cx.def(view.into()) else { return None };
    let (source, mut offset) = (array(cx, *source), cx.resolve(*offset));
    let flat: Strides =
        flat.iter().map(|(len, stride)| (cx.resolve(*len), cx.resolve(*stride))).collect();
    let mut make = Make::new(stm);
    make.through(cx, view);
    let mut left = Strides::new();
    for (index, (len, stride)) in flat.iter().enumerate() {
        let (first, next) = match dims.get(index) {
            Some(Dim::Fix(at)) => (*at, None),
            Some(Dim::Slice { start, len, stride: step }) => {
                (*start, Some((*len, make.mul(cx, *step, *stride))))
            }
            None => (Atom::i64(0), Some((*len, *stride))),
        };
        let distance = make.mul(cx, first, *stride);
        offset = make.add(cx, offset, distance);
        left.extend(next);
    }
    let rest = dims.get(flat.len()..).unwrap_or(&[]);
    if left.is_empty() {
        let mut all = vec![Dim::Fix(offset)];
        all.extend_from_slice(rest);
        return make.finish(cx, Exp::Index(source, all));
    }
    if rest.is_empty() { make.finish(cx, Exp::FlatIndex(source, offset, left)) } else { None }
}
