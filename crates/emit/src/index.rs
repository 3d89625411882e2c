//! Addresses: polynomials of the IR's variables as index arithmetic.

use super::Emit;
use fehu_base::{Prim, bug};
use fehu_facts::poly::Poly;
use fehu_imp::rewrite::tidy;
use fehu_imp::{Exp, V};
use fehu_ir::{Atom, BinOp, Scalar};
use fehu_mem::lmad::Lmad;

/// A sum of products.
pub(super) type Terms = Vec<(i64, Vec<V>)>;

impl Emit<'_> {
    /// A polynomial as an expression.
    pub(super) fn poly(&self, poly: &Poly) -> Exp {
        tidy(self.terms(poly))
    }

    /// The address of an element of an LMAD whose outermost indices are given.
    pub(super) fn address(&self, lmad: &Lmad, indices: &[Exp]) -> Exp {
        let mut terms = self.terms(&lmad.offset);
        for (dim, index) in lmad.dims.iter().zip(indices) {
            let stride = self.terms(&dim.stride);
            terms.extend(times(&stride, index));
        }
        tidy(terms)
    }

    /// A size times an operand.
    pub(super) fn product(&self, exp: Exp, size: Atom) -> Exp {
        match (exp, self.atom(size)) {
            (Exp::Const(Scalar::I64(1)), size) => size,
            (exp, Exp::Const(Scalar::I64(1))) => exp,
            (exp, size) => Exp::Bin(BinOp::Mul, Prim::I64, Box::new(exp), Box::new(size)),
        }
    }

    /// The number of elements of an LMAD.
    pub(super) fn count(&self, lmad: &Lmad) -> Exp {
        let mut terms: Terms = vec![(1, Vec::new())];
        for dim in &lmad.dims {
            let size = self.terms(&dim.size);
            let mut product = Terms::new();
            for (a, left) in &terms {
                for (b, right) in &size {
                    product.push((a.wrapping_mul(*b), left.iter().chain(right).copied().collect()));
                }
            }
            terms = product;
        }
        tidy(terms)
    }

    fn terms(&self, poly: &Poly) -> Terms {
        let mut terms = Terms::new();
        for (monomial, coefficient) in poly.terms() {
            // Coefficients come from numbers of the program, which are 64 bits wide, and wrap in the same way.
            let mut factor = *coefficient as i64;
            let mut vars = Vec::with_capacity(monomial.len());
            for var in monomial {
                match self.scalars.get(var) {
                    Some(Exp::Var(v)) => vars.push(*v),
                    Some(Exp::Const(Scalar::I64(value))) => factor = factor.wrapping_mul(*value),
                    None => bug(format_args!("the value of {} is not known", self.named(*var))),
                    Some(other) => bug(format_args!("{other:?} is no operand of an index")),
                }
            }
            terms.push((factor, vars));
        }
        terms
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
fn times(terms: &Terms, index: &Exp) -> Terms {
    let mut product = Terms::new();
    for (factor, vars) in terms {
        match index {
            Exp::Const(Scalar::I64(value)) => {
                product.push((factor.wrapping_mul(*value), vars.clone()));
            }
            Exp::Var(v) => {
                product.push((*factor, std::iter::once(*v).chain(vars.iter().copied()).collect()));
            }
            other => bug(format_args!("{other:?} is no operand of an index")),
        }
    }
    product
}
