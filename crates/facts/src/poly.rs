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

#[cfg(test)]
mod tests {
    use super::Poly;
    use fehu_ir::Var;

    fn eval(poly: &Poly, values: &[i128]) -> i128 {
        poly.terms()
            .iter()
            .map(|(m, c)| c * m.iter().map(|var| values[var.0 as usize]).product::<i128>())
            .sum()
    }

    /// A small random polynomial and what it is for these values.
    fn random(seed: &mut u64, depth: u32, values: &[i128]) -> (Poly, i128) {
        let mut next = |bound: u64| {
            *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*seed >> 33) % bound
        };
        if depth == 0 || next(4) == 0 {
            if next(2) == 0 {
                let value = i128::from(next(11)) - 5;
                return (Poly::constant(value), value);
            }
            let var = next(values.len() as u64) as u32;
            return (Poly::var(Var(var)), values[var as usize]);
        }
        let op = next(3);
        let (a, x) = random(seed, depth - 1, values);
        let (b, y) = random(seed, depth - 1, values);
        let (poly, value) = match op {
            0 => (a.add(&b), x + y),
            1 => (a.sub(&b), x - y),
            _ => (a.mul(&b), x * y),
        };
        match poly {
            Some(poly) => (poly, value),
            None => (a, x),
        }
    }

    #[test]
    fn arithmetic_agrees_with_numbers() {
        let mut seed = 1;
        for round in 0..2000i128 {
            let values = [round % 7 - 3, round % 5 - 2, round % 11, 4 - round % 9];
            let (poly, value) = random(&mut seed, 4, &values);
            assert_eq!(eval(&poly, &values), value, "{poly:?}");
            if let Some((a, b)) = poly.split(Var(1)) {
                assert_eq!(eval(&a, &values) * values[1] + eval(&b, &values), value);
                let constant = a.as_constant().filter(|factor| *factor != 0);
                assert_eq!(poly.coefficient(Var(1)), constant, "{poly:?}");
                if let Some(sum) = a.blend(3, &b, -2) {
                    assert_eq!(eval(&sum, &values), 3 * eval(&a, &values) - 2 * eval(&b, &values));
                }
            }
            if let Some(new) = poly.replace(Var(0), &Poly::var(Var(2))) {
                let other = [values[2], values[1], values[2], values[3]];
                assert_eq!(eval(&new, &values), eval(&poly, &other));
            }
        }
    }

    #[test]
    fn equal_expressions_have_one_form() {
        let (n, k) = (Poly::var(Var(0)), Poly::var(Var(1)));
        let one = n.sub(&k.plus(1).unwrap()).unwrap();
        let other = n.plus(-1).unwrap().sub(&k).unwrap();
        assert_eq!(one, other);
        assert_eq!(n.mul(&k), k.mul(&n));
        assert_eq!(n.sub(&n).unwrap().as_constant(), Some(0));
    }
}
