//! Scatters, histograms and accumulations into an array, which the return sweep undoes: it writes back what stood at
//! their places.
//!
//! ```text
//! ys = scatter xs is vs
//! ==>
//! old = map (\i -> xs[i]) is;  ys = scatter xs is vs
//! xs = scatter ys is old
//! ```
//!
//! If there are as many positions as places in the array, then the whole array is less: the places are all that it has
//! then. Which of the two it is, only the indices depend on, so that both sweeps can be differentiated again.

use super::places::{Accumulation, Measured};
use super::undo_change::rename;
use super::write::gather;
use crate::differentiate::num::{binary, identity, map, product, select};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_atom};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Dim, Exp, Scatter, Stm, Type, Var};

/// A change of one array at the places that these indices say.
pub(super) struct Write {
    by: By,
    /// How many places are written back, and their indices, once they have names.
    width: Atom,
    indices: Vec<Var>,
    shape: Vec<Atom>,
    array: Var,
    /// What is overwritten, once it has a name.
    pub(super) old: Var,
}

/// What writes.
enum By {
    /// A scatter or histogram of so many positions, with these indices.
    Positions(Atom, Vec<Var>),
    Accumulation(Box<Accumulation>),
}

/// Where it writes.
enum Places<'a> {
    /// So many positions, with their indices.
    Given(Atom, Vec<Var>),
    Measured(&'a Accumulation, Measured),
}

impl Write {
    /// A change of an array by its names before, and the name after it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else writes at many places")]
    pub(super) fn of(b: &Builder<'_>, stm: &Stm, array: &[Var]) -> Option<(Var, Write)> {
        let (mut index, mut pat) = (0, stm.pat.iter());
        let mut write = |width: Atom, inputs: &[Var], shape: &[Atom], dests: &[Var]| {
            let indices = inputs[index..index + shape.len()].to_vec();
            index += shape.len();
            let mut all = dests.iter().zip(pat.by_ref());
            let (dest, after) = all.by_ref().find(|(dest, _)| array.contains(dest))?;
            all.for_each(drop);
            Some(Write::by(By::Positions(width, indices), shape, *dest, *after))
        };
        match &stm.exp {
            Exp::Scatter(op) => op
                .dests
                .iter()
                .find_map(|(shape, dest)| write(op.width, &op.inputs, shape, &[*dest])),
            Exp::Hist(op) => {
                op.ops.iter().find_map(|hist| write(op.width, &op.inputs, &hist.shape, &hist.dests))
            }
            Exp::WithAcc(inputs, lambda) => {
                let all = inputs.iter().enumerate();
                let mut all = all.flat_map(|(at, input)| input.arrays.iter().map(move |a| (at, a)));
                let place = all.clone().position(|(_, dest)| array.contains(dest))?;
                let (at, dest) = all.nth(place)?;
                let by = Accumulation::of(b, inputs, lambda, at)?;
                let by = By::Accumulation(Box::new(by));
                Some(Write::by(by, &inputs[at].shape, *dest, stm.pat[place]))
            }
            _ => None,
        }
        .map(|write| (write.old, write))
    }

    /// `after` is its name until there is another one.
    fn by(by: By, shape: &[Atom], array: Var, after: Var) -> Write {
        let (width, indices, shape) = (0.into(), Vec::new(), shape.to_vec());
        Write { by, width, indices, shape, array, old: after }
    }

    pub(super) fn needs(&self) -> Vec<Var> {
        let atoms = std::iter::once(self.width).chain(self.shape.clone());
        let indices = self.indices.iter().copied();
        atoms.filter_map(|atom| atom.var()).chain(indices).chain([self.old]).collect()
    }

    pub(super) fn rename(&mut self, names: &Subst) {
        let atoms = std::iter::once(&mut self.width).chain(&mut self.shape);
        atoms.for_each(|atom| *atom = subst_atom(*atom, names));
        self.indices.iter_mut().chain([&mut self.old]).for_each(|var| rename(var, names));
    }

    /// Reads what the statement there overwrites.
    pub(super) fn name_old(&mut self, b: &mut Builder<'_>, body: &mut Body, at: usize) {
        let stm = &body.stms[at];
        let mut read = Builder::new(b.vars_mut());
        read.set_loc(stm.loc.clone());
        let b = &mut read;
        let size = product(b, &self.shape);
        let places = match &self.by {
            By::Positions(width, indices) => Places::Given(*width, indices.clone()),
            By::Accumulation(by) => Places::Measured(by, by.measure(b)),
        };
        let width = match &places {
            Places::Given(width, _) => *width,
            Places::Measured(_, measured) => measured.count,
        };
        let is_few: Atom = b.exp("few", Exp::CmpOp(CmpOp::Lt, width, size)).into();
        self.width = binary(b, BinOp::Min, width, size);
        let given = match places {
            Places::Given(_, indices) => indices,
            Places::Measured(by, measured) => if_few(b, by, &measured, is_few, self.shape.len()),
        };
        self.indices = either(b, is_few, self.width, &given, &self.shape);
        self.old = gather(b, self.width, &self.indices, self.array, &self.shape, None);
        body.stms.splice(at..at, read.finish(Vec::new()).stms);
    }

    pub(super) fn undo(&self, b: &mut Builder<'_>, after: Var, before: Var) {
        let dest = b.exp("copy", Exp::Copy(after));
        let mut types = vec![Type::I64; self.indices.len()];
        types.extend(b.ty(self.old).row());
        let (map, mut inputs) = (identity(b, &types), self.indices.clone());
        inputs.push(self.old);
        let dests = vec![(self.shape.clone(), dest)];
        let scatter = Scatter { width: self.width, inputs, map, dests };
        b.stm(vec![before], Exp::Scatter(Box::new(scatter)));
    }
}

/// The indices of an accumulation, or none at all if they are not few: there may be many more than fit into memory.
fn if_few(
    b: &mut Builder<'_>,
    by: &Accumulation,
    measured: &Measured,
    is_few: Atom,
    rank: usize,
) -> Vec<Var> {
    let one = b.exp("few", Exp::Convert(Prim::I64, is_few)).into();
    let count = binary(b, BinOp::Mul, measured.count, one);
    let few = b.body(|b| {
        let indices = by.indices(b, measured);
        let all = indices.into_iter();
        all.map(|index| b.exp("few", Exp::Reshape(index, vec![count])).into()).collect()
    });
    let none = b.body(|b| {
        (0..rank)
            .map(|_| b.exp("none", Exp::Scratch(Prim::I64.into(), vec![count])).into())
            .collect()
    });
    let types = vec![Type::array(Prim::I64.into(), vec![count]); rank];
    b.several("places", types, Exp::If(is_few, Box::new([few, none])))
}

/// The first `width` of the given indices if these are few, or else those of all places of an array.
fn either(
    b: &mut Builder<'_>,
    is_few: Atom,
    width: Atom,
    given: &[Var],
    shape: &[Atom],
) -> Vec<Var> {
    let iota = b.exp("iota", Exp::Iota(Prim::I64, width, 0.into(), 1.into()));
    map(b, width, &[iota], vec![Type::I64; given.len()], |b, args| {
        let place: Atom = args[0].into();
        let mut indices = Vec::new();
        for (dim, index) in given.iter().enumerate() {
            let given = |b: &mut Builder<'_>| {
                b.exp("given", Exp::Index(*index, vec![Dim::Fix(place)])).into()
            };
            let own = |b: &mut Builder<'_>| {
                // Row by row.
                let mut own = place;
                if dim + 1 < shape.len() {
                    let step = product(b, &shape[dim + 1..]);
                    own = binary(b, BinOp::Quot, own, step);
                }
                if dim > 0 {
                    own = binary(b, BinOp::Rem, own, shape[dim]);
                }
                own
            };
            indices.push(select(b, is_few, &Type::I64, given, own));
        }
        indices
    })
}
