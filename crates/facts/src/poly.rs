//! Polynomials with integer coefficients over variables: the normal form of index arithmetic.
//!
//! Two expressions that are equal for all values of their variables have the same polynomial, so `n - (k + 1)` is
//! `n - k - 1`. Polynomials are about mathematical integers: code that constructs one from machine arithmetic must know
//! that nothing wraps. They stay small: an operation whose result has too many terms, too high a degree or too
//! large a coefficient has no result.

use fehu_ir::Var;
use smallvec::SmallVec;

/// No polynomial has more terms.
const MAX_TERMS: usize = 32;
/// No product has more factors.
const MAX_DEGREE: usize = 32;

/// The variables of a product, in order, repeated for powers.
pub type Monomial = SmallVec<[Var; 2]>;

/// A polynomial: products with their coefficients, in order, none of them zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Poly {
    terms: SmallVec<[(Monomial, i128); 4]>,
}

impl Poly {
    /// A number.
    pub fn constant(value: i128) -> Poly {
        let mut poly = Poly::default();
        if value != 0 {
            poly.terms.push((Monomial::new(), value));
        }
        poly
    }

    /// A variable.
    pub fn var(var: Var) -> Poly {
        let mut poly = Poly::default();
        poly.terms.push((SmallVec::from_slice(&[var]), 1));
        poly
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// The variable, if it is just one.
    pub fn as_var(&self) -> Option<Var> {
        match self.terms.as_slice() {
            [(monomial, 1)] if monomial.len() == 1 => Some(monomial[0]),
            _ => None,
        }
    }

    /// The products and their coefficients.
    pub fn terms(&self) -> &[(Monomial, i128)] {
        &self.terms
    }

    /// The variables, in order, each once.
    pub fn vars(&self) -> SmallVec<[Var; 4]> {
        let mut vars: SmallVec<[Var; 4]> =
            self.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect();
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Whether a variable occurs.
    pub fn mentions(&self, var: Var) -> bool {
        self.terms.iter().any(|(monomial, _)| monomial.contains(&var))
    }

    /// The coefficient of a variable, if it occurs just once, and not in a product with others.
    pub fn coefficient(&self, var: Var) -> Option<i128> {
        let mut found = None;
        for (monomial, value) in &self.terms {
            match monomial.as_slice() {
                [only] if *only == var => found = Some(*value),
                factors if factors.contains(&var) => return None,
                _ => {}
            }
        }
        found
    }

    /// Whether no product has more than one factor.
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|(monomial, _)| monomial.len() <= 1)
    }

    /// The sum.
    pub fn add(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, 1)
    }

    /// The difference.
    pub fn sub(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, -1)
    }

    /// A number added.
    pub fn plus(&self, value: i128) -> Option<Poly> {
        self.combine(&Poly::constant(value), 1)
    }

    /// The negation.
    pub fn neg(&self) -> Option<Poly> {
        self.scale(-1)
    }

    /// A multiple.
    pub fn scale(&self, factor: i128) -> Option<Poly> {
        Poly::default().combine(self, factor)
    }

    /// The sum of a multiple of this one and a multiple of the other.
    pub fn blend(&self, factor: i128, other: &Poly, other_factor: i128) -> Option<Poly> {
        match factor {
            1 => self.combine(other, other_factor),
            _ => self.scale(factor)?.combine(other, other_factor),
        }
    }

    /// The product.
    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (monomial, factor) in &other.terms {
            let mut part = Poly::default();
            for (mine, value) in &self.terms {
                if mine.len() + monomial.len() > MAX_DEGREE {
                    return None;
                }
                let mut product: Monomial = mine.iter().chain(monomial).copied().collect();
                product.sort_unstable();
                part.terms.push((product, small(value.checked_mul(*factor)?)?));
            }
            part.terms.sort_unstable();
            sum = sum.add(&part)?;
        }
        Some(sum)
    }

    /// `(a, b)` with `self = a * var + b`, if the variable is not multiplied by itself.
    pub fn split(&self, var: Var) -> Option<(Poly, Poly)> {
        let (mut a, mut b) = (Poly::default(), Poly::default());
        for (monomial, value) in &self.terms {
            let mut rest = monomial.clone();
            rest.retain(|factor| *factor != var);
            match monomial.len() - rest.len() {
                0 => b.terms.push((rest, *value)),
                1 => a.terms.push((rest, *value)),
                _ => return None,
            }
        }
        a.terms.sort_unstable();
        Some((a, b))
    }

    /// The polynomial with another one in place of a variable.
    pub fn replace(&self, var: Var, by: &Poly) -> Option<Poly> {
        if !self.mentions(var) {
            return Some(self.clone());
        }
        let (a, b) = self.split(var)?;
        a.mul(by)?.add(&b)
    }

    fn combine(&self, other: &Poly, factor: i128) -> Option<Poly> {
        let mut terms = SmallVec::new();
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let mut value = 0i128;
            let mut monomial = None;
            if order.is_le()
                && let Some((product, coefficient)) = left.next()
            {
                value = *coefficient;
                monomial = Some(product);
            }
            if order.is_ge()
                && let Some((product, coefficient)) = right.next()
            {
                value = value.checked_add(coefficient.checked_mul(factor)?)?;
                monomial = Some(product);
            }
            if let Some(monomial) = monomial
                && value != 0
            {
                terms.push((monomial.clone(), small(value)?));
            }
        }
        (terms.len() <= MAX_TERMS).then_some(Poly { terms })
    }
}

/// Coefficients are so small that a few products of them with 64-bit numbers are exact.
fn small(value: i128) -> Option<i128> {
    (value.unsigned_abs() < 1 << 100).then_some(value)
}
