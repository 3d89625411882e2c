//! Views of views: positions in an array, where the array itself has an index function.
//!
//! A *view* numbers the elements of an array in row-major order, as `flatten` does, and picks some of these numbers. Where
//! the array is in one piece, or at least evenly spread, the picked elements are an LMAD of the block at once. Otherwise a
//! number must be taken apart into the indices of the array, which is linear only if nothing carries: the offset and
//! strides of the view are divided by the lengths of the array's rows, and the parts that belong to a row have
//! to be proved to stay in it.
//!
//! ```text
//! array  a + {(n : d), (m : e)}
//! view   i*m + j + {(k : m)}           column j from row i on, with 0 <= j < m
//! both   i*d + j*e + a + {(k : d)}
//! ```

use super::{Dim, Lmad};
use crate::arith::divide;
use crate::prove::{Proof, Sign};
use fehu_facts::poly::Poly;

impl Lmad {
    /// The elements of this array with the numbers that the view has, which are in bounds.
    pub fn compose(&self, view: &Lmad, proof: &mut Proof<'_, '_>) -> Option<Lmad> {
        let array = self.coalesced();
        match array.dims.as_slice() {
            // The only number is zero.
            [] => {
                let still = |dim: &Dim| Dim { size: dim.size.clone(), stride: Poly::default() };
                Some(Lmad { offset: array.offset, dims: view.dims.iter().map(still).collect() })
            }
            [_] => array.flat_slice(view),
            [_, _, ..] => array.take_apart(view, proof),
        }
    }

    fn take_apart(&self, view: &Lmad, proof: &mut Proof<'_, '_>) -> Option<Lmad> {
        let rows: Vec<Poly> =
            Lmad::row_major(&self.shape())?.dims.into_iter().map(|dim| dim.stride).collect();
        let mut offset = digits(&view.offset, &rows)?;
        let strides =
            view.dims.iter().map(|dim| digits(&dim.stride, &rows)).collect::<Option<Vec<_>>>()?;
        proof.scope(|proof| {
            proof.assume_elements(view);
            // The outermost index is in bounds because the number is.
            for place in (1..rows.len()).rev() {
                let (low, high) = reach(view, &strides, place, proof)?;
                let size = &self.dims[place].size;
                if !proof.nonneg(&offset[place].add(&low)?) {
                    // Such as `n*m - 1`: the last element of the last row.
                    offset[place] = offset[place].add(size)?;
                    offset[place - 1] = offset[place - 1].plus(-1)?;
                    if !proof.nonneg(&offset[place].add(&low)?) {
                        return None;
                    }
                }
                if !proof.less(&offset[place].add(&high)?, size) {
                    return None;
                }
            }
            Some(())
        })?;
        let dims = view
            .dims
            .iter()
            .zip(&strides)
            .map(|(dim, digits)| {
                let stride = self.weigh(digits)?;
                Some(Dim { size: dim.size.clone(), stride })
            })
            .collect::<Option<_>>()?;
        Some(Lmad { offset: self.offset.add(&self.weigh(&offset)?)?, dims })
    }

    /// How far it is to the element with these indices.
    fn weigh(&self, indices: &[Poly]) -> Option<Poly> {
        let parts = self.dims.iter().zip(indices);
        parts
            .map(|(dim, index)| dim.stride.mul(index))
            .try_fold(Poly::default(), |sum, part| sum.add(&part?))
    }
}

/// The parts of a number: so many rows, so many rows of rows, and so on. The last row is one element.
fn digits(number: &Poly, rows: &[Poly]) -> Option<Vec<Poly>> {
    let mut rest = number.clone();
    let mut digits = Vec::with_capacity(rows.len());
    for row in rows {
        let (digit, less) = divide(&rest, row);
        digits.push(digit);
        rest = less;
    }
    (rest == Poly::default()).then_some(digits)
}

/// How far the view's dimensions lead down and up in one of the array's.
fn reach(
    view: &Lmad,
    strides: &[Vec<Poly>],
    place: usize,
    proof: &mut Proof<'_, '_>,
) -> Option<(Poly, Poly)> {
    let (mut low, mut high) = (Poly::default(), Poly::default());
    for (dim, digits) in view.dims.iter().zip(strides) {
        let length = dim.size.plus(-1)?.mul(&digits[place])?;
        if length == Poly::default() {
            continue;
        }
        match proof.sign(&digits[place])? {
            Sign::Positive => high = high.add(&length)?,
            Sign::Negative => low = low.add(&length)?,
        }
    }
    Some((low, high))
}
