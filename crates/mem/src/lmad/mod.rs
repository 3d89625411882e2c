//! LMADs: index functions that consist of an offset and, for each dimension, a size and a stride.
//!
//! `t + {(s1 : d1), ..., (sk : dk)}` means that the element with the indices `i1, ..., ik`, each at least zero and less
//! than its size, is at the address `t + i1*d1 + ... + ik*dk` of the block, counted in elements. An LMAD also stands
//! for the *set* of these addresses. Offsets, sizes and strides are polynomials in the program's variables. Strides may
//! be negative or zero; if a size is not positive, there are no elements.
//!
//! ```text
//! row-major [n][m]             0 + {(n : m), (m : 1)}
//! row i of it                  i*m + {(m : 1)}
//! the transposed array         0 + {(m : 1), (n : m)}
//! its rows, the last first     n*m - m + {(n : -m), (m : 1)}
//! an anti-diagonal of [n][n]   n - 1 + {(n : n - 1)}
//! ```
//!
//! Most operations have no result if a polynomial would become too large, see [`fehu_facts::poly`]. By operation:
//! `view` has indices, slices and permutations; `reshape` layouts and reshapes; `compose` views of views; `bounds` the
//! first and last address; `print` the text.

mod bounds;
mod compose;
mod print;
mod reshape;
mod view;

pub use view::Pick;

use crate::arith;
use fehu_facts::poly::Poly;
use fehu_ir::Var;
use smallvec::SmallVec;

/// An index function, and the set of its addresses.
///
/// Polynomials have one form each, so LMADs are equal (`==`) if their offsets, sizes and strides are equal for all values
/// of the variables. [`Lmad::same`] knows a little more.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lmad {
    /// The address of the first element.
    pub offset: Poly,
    /// The dimensions, the outermost first.
    pub dims: Vec<Dim>,
}

/// A dimension of an LMAD.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dim {
    /// The number of elements.
    pub size: Poly,
    /// The distance of neighbours.
    pub stride: Poly,
}

impl Lmad {
    /// A single address.
    pub fn point(offset: Poly) -> Lmad {
        Lmad { offset, dims: Vec::new() }
    }

    /// The elements of an array of this shape one after the other, rows first.
    pub fn row_major(shape: &[Poly]) -> Option<Lmad> {
        let mut dims = Vec::with_capacity(shape.len());
        let mut stride = Poly::constant(1);
        for (index, size) in shape.iter().enumerate().rev() {
            dims.push(Dim { size: size.clone(), stride: stride.clone() });
            // The product of all sizes is no stride, and may be too large.
            if index > 0 {
                stride = stride.mul(size)?;
            }
        }
        dims.reverse();
        Some(Lmad { offset: Poly::default(), dims })
    }

    /// The elements of an array of this shape one after the other, columns first.
    pub fn column_major(shape: &[Poly]) -> Option<Lmad> {
        let reversed: Vec<Poly> = shape.iter().rev().cloned().collect();
        let mut lmad = Lmad::row_major(&reversed)?;
        lmad.dims.reverse();
        Some(lmad)
    }

    /// The elements of an array of this shape one after the other, with the dimensions in an order, the outermost first.
    pub fn in_order(shape: &[Poly], order: &[usize]) -> Option<Lmad> {
        let turned: Option<Vec<Poly>> = order.iter().map(|dim| shape.get(*dim).cloned()).collect();
        let turned = Lmad::row_major(&turned?)?;
        let back: Option<Vec<usize>> =
            (0..shape.len()).map(|dim| order.iter().position(|own| *own == dim)).collect();
        turned.rearrange(&back?)
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// The sizes of the dimensions.
    pub fn shape(&self) -> Vec<Poly> {
        self.dims.iter().map(|dim| dim.size.clone()).collect()
    }

    /// The number of elements, if no size is negative.
    pub fn count(&self) -> Option<Poly> {
        arith::product_of(self.dims.iter().map(|dim| &dim.size))
    }

    /// Whether there are no elements, whatever the variables are.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(|dim| dim.size.as_constant().is_some_and(|size| size <= 0))
    }

    /// The address of an element. There are as many indices as dimensions.
    pub fn address(&self, indices: &[Poly]) -> Option<Poly> {
        (indices.len() == self.rank()).then(|| self.fix(indices)).flatten().map(|lmad| lmad.offset)
    }

    /// The LMAD with polynomials in place of variables, all at once.
    pub fn substitute(&self, by: &dyn Fn(Var) -> Option<Poly>) -> Option<Lmad> {
        let dim = |dim: &Dim| {
            let size = arith::substitute(&dim.size, by)?;
            Some(Dim { size, stride: arith::substitute(&dim.stride, by)? })
        };
        let dims = self.dims.iter().map(dim).collect::<Option<_>>()?;
        Some(Lmad { offset: arith::substitute(&self.offset, by)?, dims })
    }

    /// Whether a variable occurs.
    pub fn mentions(&self, var: Var) -> bool {
        let in_dim = |dim: &Dim| dim.size.mentions(var) || dim.stride.mentions(var);
        self.offset.mentions(var) || self.dims.iter().any(in_dim)
    }

    /// The variables, in order, each once. They must be in scope where the LMAD is used.
    pub fn vars(&self) -> SmallVec<[Var; 4]> {
        let polys = self.dims.iter().flat_map(|dim| [&dim.size, &dim.stride]);
        let mut vars: SmallVec<[Var; 4]> =
            polys.chain([&self.offset]).flat_map(|poly| poly.vars()).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Whether both are the same index function: as `==`, but strides of dimensions with one element do not
    /// matter, and nothing but the sizes does where there are no elements.
    pub fn same(&self, other: &Lmad) -> bool {
        let size_one = |dim: &Dim| dim.size.as_constant() == Some(1);
        let same_dim = |a: &Dim, b: &Dim| a.size == b.size && (a.stride == b.stride || size_one(a));
        if self.is_empty() || other.is_empty() {
            return self.shape() == other.shape();
        }
        self.offset == other.offset
            && self.rank() == other.rank()
            && self.dims.iter().zip(&other.dims).all(|(a, b)| same_dim(a, b))
    }

    /// The union of the sets for all values of a variable from `low`, `count` of them, with that as the outermost
    /// dimension. Only if the addresses are linear in the variable and the sizes and strides do not depend on it.
    ///
    /// ```text
    /// over i from 1, 9 of them:   i*m + {(m : 1)}   ->   m + {(9 : m), (m : 1)}
    /// ```
    pub fn over(&self, var: Var, low: &Poly, count: &Poly) -> Option<Lmad> {
        if self.dims.iter().any(|dim| dim.size.mentions(var) || dim.stride.mentions(var)) {
            return None;
        }
        let (stride, rest) = self.offset.split(var)?;
        let offset = rest.add(&stride.mul(low)?)?;
        let mut dims = vec![Dim { size: count.clone(), stride }];
        dims.extend(self.dims.iter().cloned());
        Some(Lmad { offset, dims })
    }
}
