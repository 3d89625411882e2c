//! Layouts: which arrays lie in one piece, and the same elements in another shape.
//!
//! A reshape keeps the elements in row-major order of their indices. It stays one LMAD if the dimensions fall into groups,
//! old and new ones with the same number of elements each, and the old dimensions of a group can be joined: the
//! distance of an outer one is the length of the inner ones. So `[n][m]` can become `[n*m]` if its rows follow each
//! other, and `[n*m]` can always become `[n][m]`. Sizes are compared as polynomials.

use super::{Dim, Lmad};
use crate::arith::product_of;
use fehu_facts::poly::Poly;

impl Lmad {
    /// The same elements in another shape, which has as many, if that is an LMAD.
    pub fn reshape(&self, shape: &[Poly]) -> Option<Lmad> {
        if self.is_empty() {
            return self.reshape_empty(shape);
        }
        let old: Vec<&Dim> = self.dims.iter().filter(|dim| !is_one(&dim.size)).collect();
        let new: Vec<&Poly> = shape.iter().filter(|size| !is_one(size)).collect();
        let mut strides = Vec::with_capacity(new.len());
        let (mut old, mut new) = (old.as_slice(), new.as_slice());
        while !old.is_empty() || !new.is_empty() {
            // There are as many elements as before: what is left on both sides has equally many, whether we see it or not.
            let (olds, news) = first_group(old, new).unwrap_or((old.len(), new.len()));
            let (group, wanted) = (&old[..olds], &new[..news]);
            strides.extend(group_strides(group, wanted)?);
            (old, new) = (&old[olds..], &new[news..]);
        }
        self.with_strides(shape, strides)
    }

    /// Whether the elements are at consecutive addresses, in row-major order of their indices.
    pub fn is_contiguous(&self) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut expected = Some(Poly::constant(1));
        for dim in self.dims.iter().rev().filter(|dim| !is_one(&dim.size)) {
            if expected.as_ref() != Some(&dim.stride) {
                return false;
            }
            expected = dim.stride.mul(&dim.size);
        }
        true
    }

    /// Whether the elements fill the block from its start, in row-major order of their indices.
    pub fn is_row_major(&self) -> bool {
        self.is_empty() || (self.offset == Poly::default() && self.is_contiguous())
    }

    /// The order of the dimensions for [`Lmad::rearrange`] that makes it contiguous, if there is one.
    pub fn contiguous_order(&self) -> Option<Vec<usize>> {
        if self.is_contiguous() {
            return Some((0..self.rank()).collect());
        }
        let (mut left, mut order): (Vec<usize>, Vec<usize>) =
            (0..self.rank()).partition(|dim| !is_one(&self.dims[*dim].size));
        let ones = order.len();
        let mut expected = Poly::constant(1);
        while !left.is_empty() {
            let place = left.iter().rposition(|dim| self.dims[*dim].stride == expected)?;
            let dim = left.remove(place);
            order.insert(ones, dim);
            if !left.is_empty() {
                expected = expected.mul(&self.dims[dim].size)?;
            }
        }
        Some(order)
    }

    /// The same elements in the same order with as few dimensions as can be told: neighbours are joined, and those with one
    /// element left out.
    pub fn coalesced(&self) -> Lmad {
        let mut dims: Vec<Dim> = Vec::with_capacity(self.rank());
        for dim in self.dims.iter().filter(|dim| !is_one(&dim.size)) {
            if let Some(outer) = dims.last_mut()
                && dim.stride.mul(&dim.size).as_ref() == Some(&outer.stride)
                && let Some(size) = outer.size.mul(&dim.size)
            {
                *outer = Dim { size, stride: dim.stride.clone() };
            } else {
                dims.push(dim.clone());
            }
        }
        Lmad { offset: self.offset.clone(), dims }
    }

    /// Without elements any strides will do.
    fn reshape_empty(&self, shape: &[Poly]) -> Option<Lmad> {
        let lmad = Lmad { offset: self.offset.clone(), ..Lmad::row_major(shape)? };
        (lmad.is_empty() || lmad.count() == self.count()).then_some(lmad)
    }

    /// This shape, with these strides of the dimensions that have not just one element.
    fn with_strides(&self, shape: &[Poly], strides: Vec<Poly>) -> Option<Lmad> {
        let mut strides = strides.into_iter().rev();
        let mut dims: Vec<Dim> = Vec::with_capacity(shape.len());
        for size in shape.iter().rev() {
            let stride = if is_one(size) {
                // As in a row-major array, though it does not matter.
                dims.last().map_or(Some(Poly::constant(1)), |dim| dim.size.mul(&dim.stride))
            } else {
                strides.next()
            };
            dims.push(Dim { size: size.clone(), stride: stride? });
        }
        dims.reverse();
        Some(Lmad { offset: self.offset.clone(), dims })
    }
}

/// How many old and new dimensions have the same number of elements, as few as possible.
fn first_group(old: &[&Dim], new: &[&Poly]) -> Option<(usize, usize)> {
    for total in 2..=old.len() + new.len() {
        for olds in 1..total {
            let (Some(old), Some(new)) = (old.get(..olds), new.get(..total - olds)) else {
                continue;
            };
            let elements = product_of(old.iter().map(|dim| &dim.size));
            if elements.is_some() && elements == product_of(new.iter().copied()) {
                return Some((olds, total - olds));
            }
        }
    }
    None
}

/// The strides of the new dimensions of a group, if the old ones can be joined.
fn group_strides(old: &[&Dim], new: &[&Poly]) -> Option<Vec<Poly>> {
    for pair in old.windows(2) {
        if pair[1].size.mul(&pair[1].stride)? != pair[0].stride {
            return None;
        }
    }
    let mut strides = Vec::with_capacity(new.len());
    let mut stride = old.last()?.stride.clone();
    for (index, size) in new.iter().enumerate().rev() {
        strides.push(stride.clone());
        if index > 0 {
            stride = stride.mul(size)?;
        }
    }
    strides.reverse();
    Some(strides)
}

fn is_one(size: &Poly) -> bool {
    size.as_constant() == Some(1)
}
