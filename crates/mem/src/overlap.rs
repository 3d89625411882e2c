//! Proves that two LMADs have no address in common.
//!
//! # The test
//!
//! A common address of `t + {(si : di)}` and `t' + {(si' : di')}` is a choice of indices with `t - t' + sum (xi - yi) *
//! di = 0`, once the dimensions of both are paired by their strides; a dimension that only one of them has is treated
//! as a dimension with one element in the other. The difference of two indices is between two bounds, so the question
//! is whether
//!
//! ```text
//! D + e1*d1 + ... + ek*dk = 0    with    low_i <= e_i <= high_i
//! ```
//!
//! has a solution. All strides are made positive, and the last one is made 1, if necessary with `e = 0`. `D` is divided
//! by the strides, largest first, and the quotients are moved into the bounds, which eliminates `D`. Then
//!
//! * if the sum of all lower bounds is positive, or that of all upper bounds negative, there is no solution;
//! * otherwise consider the largest stride. The rest of the sum is also between two bounds; if its absolute value is
//!   less than `d1`, then `e1` is 0; if it is less than `2*d1`, then `e1` is -1, 0 or 1. Each of these few values that
//!   is within the bounds of `e1` is substituted, and the remaining sum must have no solution.
//! * There is also no solution if the terms whose strides are not multiples of some stride stay between two
//!   neighbouring multiples of it, or if all strides have a common divisor that does not divide the constant part.
//!
//! This is the test by sums of strided intervals known from the literature on these descriptors, formulated in
//! differences. There, the sets themselves are split where one of their dimensions overlaps the next, one point at a
//! time; here the cases are the values of an outer difference, which requires no order of bounds and no sign of
//! offsets, and succeeds whenever that test does on the examples below. The order of the strides only decides which
//! proof is attempted: any is sound.
//!
//! The blocked anti-diagonals of Needleman-Wunsch, for `n = q*b + 1`, `q, b >= 2`, `1 <= i < q`:
//!
//! ```text
//! written  n + i*b + 1 + {(i+1 : n*b - b), (b : n), (b : 1)}
//! read         i*b     + {(i+1 : n*b - b), (b+1 : n)}
//! solve        e1*(n*b - b) + e2*n + e3 = 0,    -i <= e1 <= i,  1-b <= e2 <= b,  1 <= e3 <= b
//! e1 =  0      e2*n + e3 = 0                    so e2 = 0, and e3 > 0
//! e1 = -1      e2*n + e3 = 0                    1-2b <= e2 <= 0, b+1 <= e3 <= 2*b, the same
//! ```
//!
//! # Assumptions
//!
//! Both sets have elements: otherwise there is nothing to prove. If the sign of a stride is not known, or a sum becomes
//! too large, nothing is proved.

use crate::arith::{content, divide, divide_exactly, gcd};
use crate::lmad::Lmad;
use crate::prove::{Proof, Sign};
use fehu_facts::Ranges;
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Certs;

/// Whether it is proved that the two have no address in common.
pub fn disjoint(a: &Lmad, b: &Lmad, ranges: &mut Ranges<'_>) -> bool {
    prove_disjoint(a, b, ranges).is_some()
}

/// The certificates of the facts from which it follows that the two have no address in common.
pub fn prove_disjoint(a: &Lmad, b: &Lmad, ranges: &mut Ranges<'_>) -> Option<Certs> {
    let mut proof = Proof::new(ranges);
    if a.is_empty() || b.is_empty() || are_lengths_apart(a, b) {
        return Some(proof.certs());
    }
    let found = proof.scope(|proof| {
        proof.assume_elements(a);
        proof.assume_elements(b);
        let (offset, terms) = difference(a, b, proof)?;
        let mut search = Search { proof, budget: BUDGET };
        search.no_solution(&offset, &terms).then_some(())
    });
    found.map(|()| proof.certs())
}

/// Whether two of the same form are apart by what they cover, or a multiple of that, as rows of one array are. This
/// needs no facts, and is what is asked most: each row that is stored in an array is compared with all others.
fn are_lengths_apart(a: &Lmad, b: &Lmad) -> bool {
    let (a, b) = (a.coalesced(), b.coalesced());
    let Some(distance) = a.offset.sub(&b.offset).filter(|_| a.dims == b.dims) else { return false };
    let times = match a.dims.as_slice() {
        [] => distance.as_constant(),
        [dim] if dim.stride.as_constant().is_some_and(|stride| stride != 0) => {
            let length = dim.size.mul(&dim.stride);
            length.and_then(|length| divide_exactly(&distance, &length)?.as_constant())
        }
        _ => None,
    };
    times.is_some_and(|times| times != 0)
}

/// How many sums are looked at.
const BUDGET: u32 = 60;
/// How far from zero the outermost difference may be.
const CASES: i128 = 3;

/// `e * stride` with `low <= e <= high`.
#[derive(Clone, Debug)]
struct Term {
    stride: Poly,
    low: Poly,
    high: Poly,
}

impl Term {
    fn is_fixed(&self) -> bool {
        self.low == self.high
    }
}

/// The offset and the terms of the differences of addresses, large strides first.
fn difference(a: &Lmad, b: &Lmad, proof: &mut Proof<'_, '_>) -> Option<(Poly, Vec<Term>)> {
    let mut terms: Vec<Term> = Vec::new();
    for (lmad, first) in [(a, true), (b, false)] {
        for dim in &lmad.dims {
            let (last, mut stride) = (proof.known(&dim.size).plus(-1)?, proof.known(&dim.stride));
            if last == Poly::default() || stride == Poly::default() {
                continue;
            }
            let negative = proof.sign(&stride)? == Sign::Negative;
            if negative {
                stride = stride.neg()?;
            }
            let upwards = first != negative;
            let (low, high) =
                if upwards { (Poly::default(), last) } else { (last.neg()?, Poly::default()) };
            add_term(&mut terms, stride, &low, &high)?;
        }
    }
    let terms = sorted(terms, proof);
    let offset = proof.known(&a.offset.sub(&b.offset)?);
    Some((offset, terms))
}

/// Adds a term; the sum of two with the same stride is one.
fn add_term(terms: &mut Vec<Term>, stride: Poly, low: &Poly, high: &Poly) -> Option<()> {
    match terms.iter_mut().find(|term| term.stride == stride) {
        Some(term) => {
            term.low = term.low.add(low)?;
            term.high = term.high.add(high)?;
        }
        None => terms.push(Term { stride, low: low.clone(), high: high.clone() }),
    }
    Some(())
}

/// Large strides first, as far as can be told, and 1 at the end.
fn sorted(mut terms: Vec<Term>, proof: &mut Proof<'_, '_>) -> Vec<Term> {
    let one = Poly::constant(1);
    let unit = terms.iter().position(|term| term.stride == one).map(|place| terms.remove(place));
    let mut result = Vec::with_capacity(terms.len() + 1);
    while !terms.is_empty() {
        let largest = (0..terms.len()).find(|&mine| {
            (0..terms.len()).all(|other| {
                other == mine || {
                    let difference = terms[mine].stride.sub(&terms[other].stride);
                    difference.is_some_and(|difference| proof.nonneg(&difference))
                }
            })
        });
        // A guess where the facts do not tell.
        let degree = |term: &Term| term.stride.terms().iter().map(|(m, _)| m.len()).max();
        let guess = || (0..terms.len()).max_by_key(|place| degree(&terms[*place])).unwrap_or(0);
        let place = largest.unwrap_or_else(guess);
        result.push(terms.remove(place));
    }
    result.push(unit.unwrap_or_else(|| Term {
        stride: one,
        low: Poly::default(),
        high: Poly::default(),
    }));
    result
}

struct Search<'p, 'a, 'b> {
    proof: &'p mut Proof<'a, 'b>,
    budget: u32,
}

impl Search<'_, '_, '_> {
    /// Whether `offset` and the terms never add up to zero. The last stride is 1.
    fn no_solution(&mut self, offset: &Poly, terms: &[Term]) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let Some(terms) = distribute(offset, terms) else { return false };
        self.one_side(&terms)
            || self.no_common_divisor(&terms)
            || self.between_multiples(&terms)
            || self.by_cases(&terms)
    }

    /// Whether the sum is always positive or always negative.
    fn one_side(&mut self, terms: &[Term]) -> bool {
        let zero = Poly::default();
        let low = sum(terms, |term| &term.low);
        let high = sum(terms, |term| &term.high);
        low.is_some_and(|low| self.proof.less(&zero, &low))
            || high.is_some_and(|high| self.proof.less(&high, &zero))
    }

    /// Whether all terms that vary are multiples of a number that does not divide the others.
    fn no_common_divisor(&mut self, terms: &[Term]) -> bool {
        let (fixed, free): (Vec<Term>, Vec<Term>) = terms.iter().cloned().partition(Term::is_fixed);
        let Some(fixed) = sum(&fixed, |term| &term.low) else { return false };
        let number = free.iter().fold(0, |sum, term| gcd(sum, content(&term.stride)));
        let Ok(number) = i128::try_from(number) else { return false };
        if number <= 1 {
            return false;
        }
        let (constant, others): (Vec<_>, Vec<_>) =
            fixed.terms().iter().partition(|(monomial, _)| monomial.is_empty());
        others.iter().all(|(_, value)| value % number == 0)
            && constant.iter().any(|(_, value)| value % number != 0)
    }

    /// Whether the terms that are no multiples of some stride stay between two multiples of it.
    fn between_multiples(&mut self, terms: &[Term]) -> bool {
        // The last stride divides everything.
        terms[..terms.len() - 1].iter().map(|term| &term.stride).any(|stride| {
            let is_multiple = |term: &&Term| divide_exactly(&term.stride, stride).is_some();
            let others: Vec<Term> =
                terms.iter().filter(|term| !is_multiple(term)).cloned().collect();
            let (low, high) = (sum(&others, |term| &term.low), sum(&others, |term| &term.high));
            let (Some(low), Some(high), Some(below)) = (low, high, stride.neg()) else {
                return false;
            };
            let zero = Poly::default();
            (self.proof.less(&zero, &low) && self.proof.less(&high, stride))
                || (self.proof.less(&below, &low) && self.proof.less(&high, &zero))
        })
    }

    /// Whether the first term can only have a few values, and there is no solution for any of them.
    fn by_cases(&mut self, terms: &[Term]) -> bool {
        let Some((term, others)) = terms.split_first().filter(|(_, others)| !others.is_empty())
        else {
            return false;
        };
        if term.is_fixed() {
            let offset = term.low.mul(&term.stride);
            return offset.is_some_and(|offset| self.no_solution(&offset, others));
        }
        let Some(low) = sum(others, |term| &term.low) else { return false };
        let Some(high) = sum(others, |term| &term.high) else { return false };
        // `e * stride >= -high`, so `e > first - 1` if `high < (1 - first) * stride`.
        let first = (-CASES..=1).rev().find(|first| {
            let enough = term.stride.scale(1 - first);
            self.proof.nonneg_sum(&term.low, -first)
                || enough.is_some_and(|enough| self.proof.less(&high, &enough))
        });
        let Some(first) = first else { return false };
        // `e * stride <= -low`, so `e < last + 1` if `-low < (1 + last) * stride`.
        let last = (-1..=CASES).find(|last| {
            let enough = term.stride.scale(-1 - last);
            term.high.neg().is_some_and(|high| self.proof.nonneg_sum(&high, *last))
                || enough.is_some_and(|enough| self.proof.less(&enough, &low))
        });
        let Some(last) = last else { return false };
        (first..=last).all(|value| {
            let constant = Poly::constant(value);
            self.proof.less(&constant, &term.low)
                || self.proof.less(&term.high, &constant)
                || term.stride.scale(value).is_some_and(|offset| {
                    self.no_solution(&offset, others) || self.in_case(term, value, &offset, others)
                })
        })
    }

    /// Whether there is no solution with this value of a term, by what its bounds say then: two blocks that are one
    /// step apart are those of a diagonal that has two.
    fn in_case(&mut self, term: &Term, value: i128, offset: &Poly, others: &[Term]) -> bool {
        let mut budget = self.budget;
        let constant = Poly::constant(value);
        let found = self.proof.scope(|proof| {
            for bound in [term.high.sub(&constant), constant.sub(&term.low)].iter().flatten() {
                proof.assume(bound);
            }
            let mut search = Search { proof, budget };
            let found = search.no_solution(offset, others);
            budget = search.budget;
            found
        });
        self.budget = budget;
        found
    }
}

/// The terms with an offset divided among them, large strides first.
fn distribute(offset: &Poly, terms: &[Term]) -> Option<Vec<Term>> {
    let mut rest = offset.clone();
    let mut result = Vec::with_capacity(terms.len());
    for term in terms {
        let (quotient, less) = divide(&rest, &term.stride);
        rest = less;
        let (low, high) = (term.low.add(&quotient)?, term.high.add(&quotient)?);
        result.push(Term { stride: term.stride.clone(), low, high });
    }
    (rest == Poly::default()).then_some(result)
}

/// The sum of the terms for one of their bounds.
fn sum(terms: &[Term], bound: impl Fn(&Term) -> &Poly) -> Option<Poly> {
    let products = terms.iter().map(|term| bound(term).mul(&term.stride));
    products.into_iter().try_fold(Poly::default(), |sum, product| sum.add(&product?))
}
