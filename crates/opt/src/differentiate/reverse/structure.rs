//! Operations on arrays without functions: mostly, the adjoint goes the other way.

use super::Reverse;
use crate::differentiate::Res;
use crate::differentiate::num::{binary, map, sum, whole, zero};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Stm, Type, Var};

impl Reverse {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no derivative")]
    pub(super) fn structure_back(&mut self, b: &mut Builder<'_>, stm: &Stm) -> Res<()> {
        let y = *stm.pat.first().or_bug("result of an operation");
        let Some(adjoint) = self.take(b, y) else { return Ok(()) };
        match &stm.exp {
            Exp::Atom(atom) | Exp::Opaque(atom) | Exp::Trace(_, atom) => {
                let back = self.like(b, *atom, adjoint);
                self.contribute(b, *atom, back);
            }
            Exp::Copy(array) | Exp::Manifest(array) | Exp::Reshape(array, _) => {
                let back = self.like(b, (*array).into(), adjoint);
                self.contribute(b, (*array).into(), back);
            }
            Exp::Rearrange(array, perm) => {
                let mut inverse = vec![0; perm.len()];
                for (to, from) in perm.iter().enumerate() {
                    inverse[*from] = to;
                }
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                let back = b.exp("adjoint", Exp::Rearrange(adjoint, inverse));
                self.contribute(b, (*array).into(), back.into());
            }
            Exp::Array(_, atoms) => {
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                let rest: Vec<Dim> =
                    b.ty(adjoint).shape()[1..].iter().map(|size| whole(*size)).collect();
                for (index, atom) in atoms.iter().enumerate() {
                    if self.is_varied(*atom) {
                        let mut dims = vec![Dim::Fix((index as i64).into())];
                        dims.extend(rest.iter().cloned());
                        let part = b.exp("adjoint", Exp::Index(adjoint, dims));
                        self.contribute(b, *atom, part.into());
                    }
                }
            }
            Exp::Index(array, dims) => self.contribute_slice(b, *array, dims, adjoint),
            Exp::Update(array, dims, value) => {
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                if self.is_varied(*value) {
                    let mut part = b.exp("adjoint", Exp::Index(adjoint, dims.clone()));
                    if b.ty(part).is_array() {
                        // Not a view, so that the adjoint can be changed in place.
                        part = b.exp("adjoint", Exp::Copy(part));
                    }
                    self.contribute(b, *value, part.into());
                }
                if self.varied.contains(array) {
                    let ty = b.atom_ty(*value);
                    let none = zero(b, &ty);
                    let copy = b.exp("copy", Exp::Copy(adjoint));
                    let back = b.exp("adjoint", Exp::Update(copy, dims.clone(), none));
                    self.contribute(b, (*array).into(), back.into());
                }
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                if self.varied.contains(value) {
                    let part = b.exp("adjoint", Exp::FlatIndex(adjoint, *offset, dims.clone()));
                    self.contribute(b, (*value).into(), part.into());
                }
                if self.varied.contains(array) {
                    let none = self.zero_like(b, *value).var().or_bug("zeros of an array");
                    let copy = b.exp("copy", Exp::Copy(adjoint));
                    let exp = Exp::FlatUpdate(copy, *offset, dims.clone(), none);
                    let back = b.exp("adjoint", exp);
                    self.contribute(b, (*array).into(), back.into());
                }
            }
            Exp::FlatIndex(array, offset, dims) => {
                let places = places(b, *offset, dims);
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                let mut flat = vec![b.ty(places).shape()[0]];
                flat.extend_from_slice(&b.ty(*array).shape()[1..]);
                let values = b.exp("adjoint", Exp::Reshape(adjoint, flat));
                self.contribute_at(b, *array, places, values);
            }
            Exp::Concat(_, arrays) => {
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                let mut start: Atom = 0.into();
                for array in arrays {
                    let len = b.ty(*array).shape()[0];
                    if self.varied.contains(array) {
                        let part = crate::differentiate::num::rows(b, adjoint, start, len, 1);
                        self.contribute(b, (*array).into(), part.into());
                    }
                    start = binary(b, BinOp::Add, start, len);
                }
            }
            Exp::Replicate(shape, value) => {
                let mut total = adjoint;
                for _ in shape {
                    total = sum(b, total.var().or_bug("adjoint of an array"));
                }
                self.contribute(b, *value, total);
            }
            Exp::Iota(prim, count, start, step) => {
                let adjoint = adjoint.var().or_bug("adjoint of an array");
                let total = sum(b, adjoint);
                self.contribute(b, *start, total);
                if self.is_varied(*count) {
                    let back = b.exp("adjoint", Exp::Convert(Prim::I64, total));
                    self.contribute(b, *count, back.into());
                }
                if self.is_varied(*step) {
                    let width = b.ty(adjoint).shape()[0];
                    let iota =
                        b.exp("iota", Exp::Iota(*prim, width, zero_of(*prim), one_of(*prim)));
                    let weighted =
                        map(b, width, &[adjoint, iota], vec![Type::prim(*prim)], |b, args| {
                            vec![binary(b, BinOp::Mul, args[0].into(), args[1].into())]
                        });
                    let total = sum(b, weighted[0]);
                    self.contribute(b, *step, total);
                }
            }
            _ => return self.refuse("the derivative of this operation"),
        }
        Ok(())
    }

    /// A value with the sizes of another one.
    fn like(&self, b: &mut Builder<'_>, other: Atom, value: Atom) -> Atom {
        let ty = b.atom_ty(other);
        match value {
            Atom::Var(array) if ty.is_array() && *b.ty(array) != ty => {
                b.exp("adjoint", Exp::Reshape(array, ty.shape().to_vec())).into()
            }
            Atom::Var(_) | Atom::Const(_) => value,
        }
    }

    /// Adds rows to the rows of an array's adjoint at these places, of which several may be the same.
    fn contribute_at(&mut self, b: &mut Builder<'_>, array: Var, places: Var, values: Var) {
        if !self.varied.contains(&array) {
            return;
        }
        let width = b.ty(places).shape()[0];
        let zeros = self.zero_like(b, array).var().or_bug("zeros of an array");
        let row = b.ty(array).row().or_bug("row of an array");
        let types = [Type::I64, row.clone()];
        let map = crate::differentiate::num::identity(b, &types);
        let op = crate::differentiate::num::add_lambda(b, &row, 0);
        let neutral = vec![zero(b, &row)];
        let shape = vec![b.ty(array).shape()[0]];
        let hist =
            fehu_ir::HistOp { shape, race_factor: 1.into(), dests: vec![zeros], op, neutral };
        let inputs = vec![places, values];
        let hist = fehu_ir::Hist { width, inputs, map, ops: vec![hist] };
        let ty = b.ty(array).clone();
        let sums = b.typed("adjoint", ty, Exp::Hist(Box::new(hist)));
        self.contribute(b, array.into(), sums.into());
    }
}

fn zero_of(prim: Prim) -> Atom {
    crate::differentiate::num::number(prim, 0.0)
}

fn one_of(prim: Prim) -> Atom {
    crate::differentiate::num::number(prim, 1.0)
}

/// The places of a view by strides, in order.
fn places(b: &mut Builder<'_>, offset: Atom, dims: &[(Atom, Atom)]) -> Var {
    let mut places: Option<Var> = None;
    for (len, stride) in dims {
        let steps = b.exp("iota", Exp::Iota(Prim::I64, *len, 0.into(), *stride));
        places = Some(match places {
            None => map(b, *len, &[steps], vec![Type::I64], |b, args| {
                vec![binary(b, BinOp::Add, offset, args[0].into())]
            })[0],
            Some(before) => {
                let count = b.ty(before).shape()[0];
                let row = Type::I64.array_of(*len).or_bug("row of places");
                let table = map(b, count, &[before], vec![row], |b, outer| {
                    let place = outer[0];
                    map(b, *len, &[steps], vec![Type::I64], |b, args| {
                        vec![binary(b, BinOp::Add, place.into(), args[0].into())]
                    })
                    .into_iter()
                    .map(Atom::Var)
                    .collect()
                })[0];
                let total = binary(b, BinOp::Mul, count, *len);
                b.exp("places", Exp::Reshape(table, vec![total]))
            }
        });
    }
    places.or_bug("dimension of a view")
}
