//! Where an array comes from, and its block as a part of another one.
//!
//! An array that fills a block of its own, or is a permutation of one that does, or is the same backwards, can be
//! anywhere: wherever it is to be, the array that fills the block is there with its dimensions in the original order, and
//! every other array in the block has the elements with the same numbers as before.
//!
//! ```text
//! a: b, 0 + {(n : m), (m : 1)}        t is to be at   d, p + {(m : s), (n : 1)}
//! t: b, 0 + {(m : 1), (n : m)}        so a is at      d, p + {(n : 1), (m : s)}
//! r: b, i*m + {(m : 1)}               and r at        d, p + i + {(m : s)}
//! ```

use super::scope::Scope;
use super::{Circuit, Why};
use crate::arith::product_of;
use crate::lmad::Lmad;
use crate::prove::Proof;
use crate::table::{BlockId, Origin, Place, poly};
use fehu_base::OrBug;
use fehu_facts::poly::Poly;
use fehu_ir::{Atom, Exp, Var};

/// Where an array comes from.
pub(super) struct Source {
    /// The block that it fills.
    pub(super) block: BlockId,
    /// The statement before which the block is allocated.
    pub(super) made: usize,
    /// The order of its dimensions in the block.
    pub(super) order: Vec<usize>,
    /// The dimensions that it has backwards.
    backwards: Vec<usize>,
}

impl Source {
    /// Where the array that fills the block is if the one that comes from it is there.
    fn whole(&self, there: &Lmad) -> Option<Lmad> {
        let mut whole = there.clone();
        for dim in &self.backwards {
            whole = whole.reverse(*dim)?;
        }
        whole.rearrange(&self.order)
    }
}

impl<'a> Circuit<'a, '_> {
    /// The block that an array fills, if it is made by a statement of this body.
    pub(super) fn source(&mut self, scope: &Scope<'a>, value: Var) -> Result<Source, Why> {
        let place = self.table.place(value).ok_or(Why::Exists)?.clone();
        let shape = self.vars[value].ty.shape();
        let block = place.block;
        // An array of another size is in the block after a check, and the block is there before that check.
        let fills = |this: &mut Self, sizes: &[Atom]| {
            let all = elements(shape);
            if all.is_none() || all != elements(sizes) {
                return Err(Why::Part);
            }
            if place.lmad.is_row_major() {
                return Ok(((0..shape.len()).collect(), Vec::new()));
            }
            let (lmad, backwards) = place.lmad.forwards().ok_or(Why::Form)?;
            let starts = this.is_zero(&lmad.offset);
            let order = lmad.contiguous_order().filter(|_| starts).ok_or(Why::Part)?;
            Ok((order, backwards))
        };
        let from = |this: &mut Self, made: usize, sizes: &[Atom]| {
            let (order, backwards) = fills(this, sizes)?;
            Ok(Source { block, made, order, backwards })
        };
        match self.table.blocks[block].origin.clone() {
            Origin::Fresh { before, size } => {
                let made = scope.bound.get(&before).copied().ok_or(Why::Exists)?;
                from(self, made, &size)
            }
            // A variable that carries a block can be given one, if it is bound by a branch, and if its size is known before:
            // otherwise nobody has checked yet that it fits.
            Origin::Carried(var) => {
                let made = *scope.bound.get(&var).ok_or(Why::Exists)?;
                if !matches!(scope.body.stms[made].exp, Exp::If(..) | Exp::Switch(..)) {
                    return Err(Why::Exists);
                }
                let shape = self.vars[var].ty.shape();
                let sizes: Vec<Var> = shape.iter().filter_map(|size| size.var()).collect();
                if !scope.known_at(&sizes, made) {
                    return Err(Why::Unknown);
                }
                from(self, made, shape)
            }
            Origin::Unused => Err(Why::Exists),
        }
    }

    /// Whether a polynomial is known to be zero, without any check.
    fn is_zero(&mut self, poly: &Poly) -> bool {
        let mut proof = Proof::new(self.known.ranges());
        let is_zero = proof.known(poly) == Poly::default();
        is_zero && proof.certs().is_empty()
    }

    /// Where the arrays of a block are if the array that comes from it is at a place.
    pub(super) fn moved(
        &mut self,
        source: &Source,
        value: Var,
        to: &Place,
    ) -> Result<Vec<(Var, Place)>, Why> {
        let mut whole = to.lmad.clone();
        // Sizes have several names; the arrays of the block know these.
        for (dim, size) in whole.dims.iter_mut().zip(self.vars[value].ty.shape()) {
            dim.size = poly(*size);
        }
        let whole = source.whole(&whole).ok_or(Why::Form)?;
        let is_contiguous = whole.is_contiguous();
        let arrays = self.arrays.get(&source.block).cloned().unwrap_or_default();
        let mut moved = Vec::with_capacity(arrays.len());
        for var in arrays {
            let place = self.table.place(var).or_bug("an array of the block");
            let lmad = if is_contiguous {
                let offset = place.lmad.offset.add(&whole.offset).ok_or(Why::Form)?;
                Lmad { offset, dims: place.lmad.dims.clone() }
            } else {
                let view = place.lmad.clone();
                let lmad = match var == value {
                    true => with_sizes(&to.lmad, &view),
                    false => self.numbered(&whole, &view, var).ok_or(Why::Form)?,
                };
                if !self.can_cross(var, &lmad) {
                    return Err(Why::Boundary);
                }
                lmad
            };
            moved.push((var, Place { block: to.block, lmad }));
        }
        Ok(moved)
    }

    /// The elements of an array with the numbers that another array had in the block.
    fn numbered(&mut self, whole: &Lmad, view: &Lmad, var: Var) -> Option<Lmad> {
        let home = self.nest.home(var)?;
        let when = self.nest.when(var)?;
        let mark = self.known.enter();
        self.nest.enter_from(self.here, home, &mut self.known);
        let mut proof = Proof::new(self.known.ranges());
        // What is known to be equal is equal: rows are recognised by their lengths.
        let lmad = whole.compose(view, &mut proof);
        let certs = proof.certs();
        self.known.leave(mark);
        let holds = certs.iter().all(|cert| self.nest.is_known(*cert, home, when));
        lmad.filter(|_| holds)
    }

    /// Whether an array can be there, considering the boundaries that it crosses at run time, where it must be contiguous in
    /// some order.
    fn can_cross(&self, var: Var, lmad: &Lmad) -> bool {
        let carries = |to: &&Var| {
            let block = self.table.place(**to).map(|place| place.block);
            block.is_some_and(|block| self.table.blocks[block].origin == Origin::Carried(**to))
        };
        let mut into = self.carried.get(&var).into_iter().flatten().filter(carries);
        into.all(|to| self.table.can_carry(*to, lmad))
            && (!self.boundary.contains(&var) || lmad.is_contiguous())
    }

    /// Moves the arrays of a block to their new places.
    pub(super) fn commit(&mut self, source: &Source, to: BlockId, moved: Vec<(Var, Place)>) {
        let from = source.block;
        let arrays: Vec<Var> = moved.iter().map(|(var, _)| *var).collect();
        for (var, place) in moved {
            self.table.set(var, place);
        }
        if self.table.blocks[from].heap {
            self.table.blocks[to].heap = true;
        }
        self.arrays.remove(&from);
        self.arrays.entry(to).or_default().extend(arrays);
        self.table.forget(from);
        self.roots.merge(from, to);
    }
}

/// An LMAD with the sizes of another one.
fn with_sizes(lmad: &Lmad, sizes: &Lmad) -> Lmad {
    let mut lmad = lmad.clone();
    for (dim, other) in lmad.dims.iter_mut().zip(&sizes.dims) {
        dim.size = other.size.clone();
    }
    lmad
}

/// The number of elements of a shape.
fn elements(sizes: &[Atom]) -> Option<Poly> {
    product_of(&sizes.iter().map(|size| poly(*size)).collect::<Vec<_>>())
}
