//! Parts of arrays and their dimensions in another order: rows, slices, transpositions.
//!
//! All of them are views: only the index function changes. Nothing is checked to be in bounds.

use super::{Dim, Lmad};
use fehu_facts::poly::Poly;

/// What is taken of a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "few, and they do not live long")]
pub enum Pick {
    /// The position, and the dimension is gone.
    Fix(Poly),
    /// `len` positions from `start`, `stride` apart. A negative stride goes backwards.
    Slice {
        /// The first.
        start: Poly,
        /// How many.
        len: Poly,
        /// Their distance.
        stride: Poly,
    },
}

impl Pick {
    /// `len` positions from `start`, one after the other.
    pub fn range(start: Poly, len: Poly) -> Pick {
        Pick::Slice { start, len, stride: Poly::constant(1) }
    }
}

impl Lmad {
    /// The part at these positions of the outermost dimensions.
    pub fn fix(&self, indices: &[Poly]) -> Option<Lmad> {
        let (fixed, kept) = self.dims.split_at_checked(indices.len())?;
        let mut offset = self.offset.clone();
        for (dim, index) in fixed.iter().zip(indices) {
            offset = offset.add(&dim.stride.mul(index)?)?;
        }
        Some(Lmad { offset, dims: kept.to_vec() })
    }

    /// A part of each of the outermost dimensions; further dimensions are taken whole.
    pub fn slice(&self, picks: &[Pick]) -> Option<Lmad> {
        let (picked, kept) = self.dims.split_at_checked(picks.len())?;
        let mut offset = self.offset.clone();
        let mut dims = Vec::with_capacity(self.rank());
        for (dim, pick) in picked.iter().zip(picks) {
            match pick {
                Pick::Fix(index) => offset = offset.add(&dim.stride.mul(index)?)?,
                Pick::Slice { start, len, stride } => {
                    offset = offset.add(&dim.stride.mul(start)?)?;
                    dims.push(Dim { size: len.clone(), stride: dim.stride.mul(stride)? });
                }
            }
        }
        dims.extend_from_slice(kept);
        Some(Lmad { offset, dims })
    }

    /// The dimensions in another order: the new dimension `k` is the old dimension `order[k]`, and each is there once.
    pub fn rearrange(&self, order: &[usize]) -> Option<Lmad> {
        let mut seen = vec![false; self.rank()];
        for dim in order {
            let seen = seen.get_mut(*dim)?;
            if std::mem::replace(seen, true) {
                return None;
            }
        }
        let dims: Vec<Dim> = order.iter().map(|dim| self.dims[*dim].clone()).collect();
        (dims.len() == self.rank()).then(|| Lmad { offset: self.offset.clone(), dims })
    }

    /// The positions of an LMAD in the outermost dimension; further dimensions are taken whole.
    ///
    /// ```text
    /// 5 + {(n : 2), (m : 7)}  by  1 + {(b : 10), (b : 1)}  is  7 + {(b : 20), (b : 2), (m : 7)}
    /// ```
    pub fn flat_slice(&self, slice: &Lmad) -> Option<Lmad> {
        let (outer, kept) = self.dims.split_first()?;
        let offset = self.offset.add(&slice.offset.mul(&outer.stride)?)?;
        let scaled = |dim: &Dim| {
            Some(Dim { size: dim.size.clone(), stride: dim.stride.mul(&outer.stride)? })
        };
        let mut dims = slice.dims.iter().map(scaled).collect::<Option<Vec<_>>>()?;
        dims.extend_from_slice(kept);
        Some(Lmad { offset, dims })
    }

    /// The dimension with its elements in the opposite order.
    pub fn reverse(&self, dim: usize) -> Option<Lmad> {
        let mut picks: Vec<Pick> = Vec::with_capacity(dim + 1);
        for size in self.dims.get(..=dim)?.iter().map(|dim| &dim.size) {
            picks.push(Pick::range(Poly::default(), size.clone()));
        }
        let size = &self.dims.get(dim)?.size;
        *picks.last_mut()? =
            Pick::Slice { start: size.plus(-1)?, len: size.clone(), stride: Poly::constant(-1) };
        self.slice(&picks)
    }

    /// The same elements with all dimensions forwards, and those dimensions that were backwards: whose strides are
    /// negative whatever the sizes are.
    pub fn forwards(&self) -> Option<(Lmad, Vec<usize>)> {
        let is_back = |dim: &Dim| {
            let terms = dim.stride.terms();
            !terms.is_empty() && terms.iter().all(|(_, factor)| *factor < 0)
        };
        let back: Vec<usize> = (0..self.rank()).filter(|dim| is_back(&self.dims[*dim])).collect();
        let mut lmad = self.clone();
        for dim in &back {
            lmad = lmad.reverse(*dim)?;
        }
        Some((lmad, back))
    }
}
