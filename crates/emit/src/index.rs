//! Addresses: polynomials of the IR's variables as index arithmetic.
//!
//! A thread of a device computes the indices of its position from the number of the position: `i = at / n` and
//! `j = at - i * n`. The element of a row-major array there is at `i * n + j`, which is `at`: variables such as `j` are
//! known as sums of products, and an address is expressed by these unless that is longer. Then nobody may need the
//! quotient.

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
        self.simplest(self.terms(poly))
    }

    /// The address of an element of an LMAD whose outermost indices are given.
    pub(super) fn address(&self, lmad: &Lmad, indices: &[Exp]) -> Exp {
        let mut terms = self.terms(&lmad.offset);
        for (dim, index) in lmad.dims.iter().zip(indices) {
            let stride = self.terms(&dim.stride);
            terms.extend(times(&stride, index));
        }
        self.simplest(terms)
    }

    /// A variable is the sum of these products of operands, as far as these are variables and constants.
    pub(super) fn note_linear(&mut self, var: &Exp, sum: &[(i64, &[&Exp])]) {
        let Exp::Var(v) = var else { return };
        let mut terms = Terms::new();
        for (factor, operands) in sum {
            let mut product = vec![(*factor, Vec::new())];
            for operand in *operands {
                if !matches!(operand, Exp::Var(_) | Exp::Const(Scalar::I64(_))) {
                    return;
                }
                product = times(&product, operand);
            }
            terms.append(&mut product);
        }
        self.linear.insert(*v, terms);
    }

    /// A sum of products as an expression, in other variables unless there are more of them.
    fn simplest(&self, terms: Terms) -> Exp {
        if !terms.iter().flat_map(|(_, vars)| vars).any(|v| self.linear.contains_key(v)) {
            return tidy(terms);
        }
        let mut expanded = Terms::new();
        for (factor, vars) in &terms {
            let mut product = vec![(*factor, Vec::new())];
            for v in vars {
                product = self.times_linear(&product, *v);
            }
            expanded.append(&mut product);
        }
        let (plain, other) = (tidy(terms), tidy(expanded));
        if operands(&other) <= operands(&plain) { other } else { plain }
    }

    /// A sum times a variable, in terms of others.
    fn times_linear(&self, terms: &Terms, v: V) -> Terms {
        let Some(known) = self.linear.get(&v) else { return times(terms, &Exp::Var(v)) };
        let mut sum = Terms::new();
        for (factor, vars) in known {
            let mut product = times(terms, &Exp::int(*factor));
            for v in vars {
                product = self.times_linear(&product, *v);
            }
            sum.append(&mut product);
        }
        sum
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

/// How many variables an expression mentions, each as often as it does.
fn operands(e: &Exp) -> usize {
    let mut count = 0;
    e.each_var(&mut |_| count += 1);
    count
}
