//! Scatters and histograms into an array, which the return sweep undoes: it writes back what stood at their places.
//!
//! ```text
//! ys = scatter xs is vs
//! ==>
//! old = map (\i -> xs[i]) is;  ys = scatter xs is vs
//! xs = scatter ys is old
//! ```
//!
//! If there are as many positions as places in the array, then the whole array is less, and `old` is that.

use super::undo_change::rename;
use super::write::gather;
use crate::differentiate::num::{binary, identity, product, rows};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_atom};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Scatter, Stm, Type, Var};

/// A change of one array at the places that these indices say.
pub(super) struct Write {
    width: Atom,
    indices: Vec<Var>,
    shape: Vec<Atom>,
    array: Var,
    /// What is overwritten, once it has a name.
    pub(super) old: Var,
    /// Whether there are fewer positions than places, and how many positions there are then, otherwise none.
    is_few: Atom,
    few: Atom,
}

impl Write {
    /// A change of an array by its names before, and the name after it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else writes at many places")]
    pub(super) fn of(stm: &Stm, array: &[Var]) -> Option<(Var, Write)> {
        let (mut index, mut pat) = (0, stm.pat.iter());
        let mut write = |width: Atom, inputs: &[Var], shape: &[Atom], dests: &[Var]| {
            let indices = inputs[index..index + shape.len()].to_vec();
            index += shape.len();
            let mut all = dests.iter().zip(pat.by_ref());
            let (dest, after) = all.by_ref().find(|(dest, _)| array.contains(dest))?;
            all.for_each(drop);
            let (is_few, few) = (Atom::bool(true), width);
            let shape = shape.to_vec();
            let array = *dest;
            Some((*after, Write { width, indices, shape, array, old: *after, is_few, few }))
        };
        match &stm.exp {
            Exp::Scatter(op) => op
                .dests
                .iter()
                .find_map(|(shape, dest)| write(op.width, &op.inputs, shape, &[*dest])),
            Exp::Hist(op) => {
                op.ops.iter().find_map(|hist| write(op.width, &op.inputs, &hist.shape, &hist.dests))
            }
            _ => None,
        }
    }

    pub(super) fn needs(&self) -> Vec<Var> {
        let atoms = [self.width, self.is_few, self.few].into_iter().chain(self.shape.clone());
        let indices = self.indices.iter().copied();
        atoms.filter_map(|atom| atom.var()).chain(indices).chain([self.old]).collect()
    }

    pub(super) fn rename(&mut self, names: &Subst) {
        let atoms = [&mut self.width, &mut self.is_few, &mut self.few];
        atoms.into_iter().chain(&mut self.shape).for_each(|atom| *atom = subst_atom(*atom, names));
        self.indices.iter_mut().chain([&mut self.old]).for_each(|var| rename(var, names));
    }

    /// Reads what the statement there overwrites.
    pub(super) fn name_old(&mut self, b: &mut Builder<'_>, body: &mut Body, at: usize) {
        let stm = &body.stms[at];
        let mut read = Builder::new(b.vars_mut());
        read.set_loc(stm.loc.clone());
        let b = &mut read;
        let (array, width) = (self.array, self.width);
        let size = product(b, &self.shape);
        self.is_few = b.exp("few", Exp::CmpOp(CmpOp::Lt, width, size)).into();
        let one = b.exp("few", Exp::Convert(Prim::I64, self.is_few)).into();
        self.few = binary(b, BinOp::Mul, width, one);
        let count = binary(b, BinOp::Min, width, size);
        let mut shape = vec![count];
        shape.extend_from_slice(&b.ty(array).shape()[self.shape.len()..]);
        let few = b.body(|b| {
            let old = gather(b, width, &self.indices, array, &self.shape, None);
            vec![b.exp("old", Exp::Reshape(old, shape.clone())).into()]
        });
        let all = b.body(|b| {
            let all = b.exp("old", Exp::Reshape(array, shape.clone()));
            vec![b.exp("old", Exp::Copy(all)).into()]
        });
        let ty = Type::array(b.ty(array).elem().or_bug("type of elements"), shape.clone());
        self.old = b.typed("old", ty, Exp::If(self.is_few, Box::new([few, all])));
        // Where there are too many of them, nobody needs the indices.
        for index in &mut self.indices {
            *index = rows(b, *index, 0.into(), self.few, 1);
        }
        body.stms.splice(at..at, read.finish(Vec::new()).stms);
    }

    pub(super) fn undo(&self, b: &mut Builder<'_>, after: Var, before: Var) {
        let ty = b.ty(after).clone();
        let few = b.body(|b| {
            let dest = b.exp("copy", Exp::Copy(after));
            let values = rows(b, self.old, 0.into(), self.few, 1);
            let mut types = vec![Type::I64; self.indices.len()];
            types.extend(b.ty(values).row());
            let (map, mut inputs) = (identity(b, &types), self.indices.clone());
            inputs.push(values);
            let dests = vec![(self.shape.clone(), dest)];
            let scatter = Scatter { width: self.few, inputs, map, dests };
            vec![b.typed("undone", ty.clone(), Exp::Scatter(Box::new(scatter))).into()]
        });
        let all = b.body(|b| {
            let all = b.exp("old", Exp::Reshape(self.old, ty.shape().to_vec()));
            vec![b.exp("undone", Exp::Copy(all)).into()]
        });
        b.stm(vec![before], Exp::If(self.is_few, Box::new([few, all])));
    }
}
