//! Operations that create a single array, or a view of one.

use super::Assign;
use crate::lmad::{Lmad, Pick};
use crate::table::{flat, pick, poly};
use fehu_base::bug;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Exp, Var};

impl Assign<'_> {
    /// Places the array that an expression with one result creates.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn single(&mut self, var: Var, exp: &mut Exp) {
        match exp {
            Exp::Atom(atom) | Exp::Opaque(atom) => self.same(var, *atom),
            Exp::Trace(_, atom) => {
                *atom = self.contiguous(*atom);
                self.same(var, *atom);
            }
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => {
                self.same(var, Atom::Var(*array));
            }
            Exp::Index(array, dims) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.view(var, *array, |lmad| lmad.slice(&picks));
            }
            Exp::FlatIndex(array, offset, dims) => {
                let slice = flat(*offset, dims);
                self.view(var, *array, |lmad| lmad.flat_slice(&slice));
            }
            Exp::Rearrange(array, perm) => self.view(var, *array, |lmad| lmad.rearrange(perm)),
            Exp::Reshape(array, shape) => self.reshape(var, array, shape),
            Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_) => self.fresh(var, var),
            _ => bug("this makes no single array"),
        }
    }

    /// A reshape is a view if it can be expressed as an LMAD; otherwise it is a view of a contiguous copy.
    fn reshape(&mut self, var: Var, array: &mut Var, shape: &[Atom]) {
        let Some(place) = self.table.place(*array).cloned() else { return };
        let polys: Vec<Poly> = shape.iter().map(|size| poly(*size)).collect();
        if let Some(lmad) = place.lmad.reshape(&polys) {
            self.table.set(var, crate::table::Place { block: place.block, lmad });
            return;
        }
        if let Atom::Var(copy) = self.contiguous(Atom::Var(*array)) {
            *array = copy;
        }
        // The numbers of elements are equal, though not as polynomials: a contiguous array has any shape.
        let offset = self.table.place(*array).map(|place| place.lmad.offset.clone());
        let lmad =
            Lmad::row_major(&polys).map(|lmad| Lmad { offset: offset.unwrap_or_default(), ..lmad });
        self.view(var, *array, |_| lmad);
    }
}
