//! Polynomials: simultaneous substitution of several variables, division, code, and text.
//!
//! [`Poly::replace`] stops at powers, and division is needed only for addresses, so these are here.

use fehu_base::OrBug;
use fehu_facts::poly::{Monomial, Poly};
use fehu_ir::{Atom, BinOp, Var};

/// The polynomial with others in place of some of its variables, all at once.
pub fn substitute(poly: &Poly, by: &dyn Fn(Var) -> Option<Poly>) -> Option<Poly> {
    let mut sum = Poly::default();
    for (monomial, factor) in poly.terms() {
        let mut product = Poly::constant(*factor);
        for var in monomial {
            product = product.mul(&by(*var).unwrap_or_else(|| Poly::var(*var)))?;
        }
        sum = sum.add(&product)?;
    }
    Some(sum)
}

/// `(q, r)` with `poly = q * divisor + r`, where no term of `r` could be divided further by the divisor's leading
/// term.
///
/// The leading term is the one of the highest degree, so that `n*b` by `n*b - b` is `1` with the rest `b`. Nothing is
/// said of the rest's sign or size, except for numbers, where it is smaller than the divisor and has the sign of what
/// is divided. A divisor of zero divides nothing.
pub fn divide(poly: &Poly, divisor: &Poly) -> (Poly, Poly) {
    let mut quotient = Poly::default();
    let mut rest = poly.clone();
    let Some((lead, factor)) = leading(divisor) else { return (quotient, rest) };
    // Each step removes the largest term that can be divided; the terms that come in are smaller.
    for _ in 0..MAX_STEPS {
        let next = rest
            .terms()
            .iter()
            .filter(|(_, value)| value / factor != 0)
            .filter_map(|(monomial, value)| Some((without(monomial, lead)?, value / factor)))
            .max_by(|(a, _), (b, _)| (a.len(), a).cmp(&(b.len(), b)));
        let Some((monomial, value)) = next else { break };
        let step = (|| {
            let part = product(&monomial)?.scale(value)?;
            Some((quotient.add(&part)?, rest.sub(&part.mul(divisor)?)?))
        })();
        let Some((more, less)) = step else { break };
        (quotient, rest) = (more, less);
    }
    (quotient, rest)
}

/// How many terms a quotient has at most.
const MAX_STEPS: usize = 32;

/// The quotient, if nothing is left.
pub fn divide_exactly(poly: &Poly, divisor: &Poly) -> Option<Poly> {
    let (quotient, rest) = divide(poly, divisor);
    (rest.as_constant() == Some(0)).then_some(quotient)
}

/// The largest number that divides all coefficients; zero for the polynomial zero.
pub fn content(poly: &Poly) -> u128 {
    poly.terms().iter().fold(0, |sum, (_, factor)| gcd(sum, factor.unsigned_abs()))
}

/// The greatest common divisor.
pub fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The product of all; one if there are none.
pub fn product_of<'a>(polys: impl IntoIterator<Item = &'a Poly>) -> Option<Poly> {
    polys.into_iter().try_fold(Poly::constant(1), |product, poly| product.mul(poly))
}

/// Whether a polynomial in sizes, which are not negative, is never larger than another.
pub fn is_at_most(a: &Poly, b: &Poly) -> bool {
    b.sub(a).is_some_and(|rest| rest.terms().iter().all(|(_, factor)| *factor >= 0))
}

/// The value of a polynomial, by operations on 64-bit numbers. What does not fit into these is larger than anything that exists.
pub fn value_of(poly: &Poly, operate: &mut dyn FnMut(BinOp, Atom, Atom) -> Atom) -> Atom {
    let mut join = |op: BinOp, first: Option<Atom>, second: Atom| match first {
        Some(first) => operate(op, first, second),
        None => second,
    };
    let mut sum = None;
    for (monomial, factor) in poly.terms() {
        let factor = Atom::i64(i64::try_from(*factor).unwrap_or(i64::MAX));
        let mut product = (factor != Atom::i64(1) || monomial.is_empty()).then_some(factor);
        for var in monomial {
            product = Some(join(BinOp::Mul, product, Atom::Var(*var)));
        }
        let product = product.or_bug("a product has factors");
        sum = Some(join(BinOp::Add, sum, product));
    }
    sum.unwrap_or(Atom::i64(0))
}

/// The polynomial as text, terms of high degree first: `n*b - b + 1`.
pub fn show(poly: &Poly, name: &dyn Fn(Var) -> String) -> String {
    let mut terms: Vec<&(Monomial, i128)> = poly.terms().iter().collect();
    terms.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    let mut text = String::new();
    for (monomial, factor) in terms {
        let sign = match (text.is_empty(), *factor < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text.push_str(sign);
        let size = factor.unsigned_abs();
        let mut parts: Vec<String> = monomial.iter().map(|var| name(*var)).collect();
        if size != 1 || parts.is_empty() {
            parts.insert(0, size.to_string());
        }
        text.push_str(&parts.join("*"));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

fn leading(poly: &Poly) -> Option<(&Monomial, i128)> {
    let largest = |(monomial, _): &&(Monomial, i128)| (monomial.len(), monomial.clone());
    poly.terms().iter().max_by_key(largest).map(|(monomial, factor)| (monomial, *factor))
}

fn product(monomial: &[Var]) -> Option<Poly> {
    monomial.iter().try_fold(Poly::constant(1), |product, var| product.mul(&Poly::var(*var)))
}

/// The factors that are left of a product when others are taken away, if it has them all.
fn without(monomial: &[Var], factors: &[Var]) -> Option<Monomial> {
    let mut rest: Monomial = monomial.iter().copied().collect();
    for factor in factors {
        let place = rest.iter().position(|var| var == factor)?;
        rest.remove(place);
    }
    Some(rest)
}
