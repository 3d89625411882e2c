//! Proves inequalities of polynomials, from what is known about the variables.
//!
//! [`Ranges`] proves what index checks need, which is nearly linear. Distances between blocks in a matrix contain
//! powers, such as `q*b*b - 2*b - 1 >= 0` for `q >= 2` and `b >= 2`, where it cannot eliminate `b`. A goal that it
//! leaves open is therefore attempted by *shifting*: a variable with a lower bound `L` is `L + v` for a `v >= 0`, one
//! with an upper bound `U` is `U - v`, and a polynomial in non-negative variables, without negative coefficients, is
//! not negative:
//!
//! ```text
//! q*b*b - 2*b - 1   with b = 2 + b', q = 2 + q'   is   q'*b'*b' + 4*q'*b' + 4*q' + 2*b'*b' + 6*b' + 3
//! ```
//!
//! Variables that [`Ranges`] knows to be polynomials of others, or equal to them, are replaced first. The search is
//! bounded.

use crate::arith::substitute;
use crate::lmad::Lmad;
use fehu_facts::Ranges;
use fehu_facts::poly::Poly;
use fehu_facts::ranges::{Certs, join};
use fehu_ir::{Atom, Var};
use rustc_hash::FxHashMap;

/// The maximum number of substitutions that are tried for a goal.
const BUDGET: u32 = 300;
/// Definitions are replaced by definitions as long as no product gets more factors.
const MAX_DEGREE: usize = 4;
/// How many times definitions are replaced: they speak of variables without one.
const DEFINITIONS: usize = 4;

/// A proof in the making: what is known, and the certificates of the facts that were used.
pub struct Proof<'a, 'b> {
    ranges: &'a mut Ranges<'b>,
    certs: Certs,
    /// Earlier results: the same goals occur again and again.
    answers: FxHashMap<Poly, bool>,
}

/// Of a number that is not zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Greater than zero.
    Positive,
    /// Less than zero.
    Negative,
}

impl<'a, 'b> Proof<'a, 'b> {
    /// A proof from these facts.
    pub fn new(ranges: &'a mut Ranges<'b>) -> Proof<'a, 'b> {
        Proof { ranges, certs: Certs::new(), answers: FxHashMap::default() }
    }

    /// The certificates of all facts that were used.
    pub fn certs(self) -> Certs {
        self.certs
    }

    /// Runs a function, and then forgets the assumptions that were made for it.
    pub fn scope<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.ranges.enter();
        let result = work(self);
        self.ranges.leave(mark);
        self.answers.clear();
        result
    }

    /// Assumes that a polynomial is not negative.
    pub fn assume(&mut self, poly: &Poly) {
        let poly = self.known(poly);
        self.ranges.assume_nonneg(&poly, &Certs::new());
        self.answers.clear();
    }

    /// Assumes that an LMAD has elements: what is to be proved holds trivially for one without. Products in it that
    /// might have wrapped where they were computed may be exact under this assumption, and in the loops around it.
    pub fn assume_elements(&mut self, lmad: &Lmad) {
        for size in lmad.dims.iter().filter_map(|dim| dim.size.plus(-1)) {
            self.assume(&size);
        }
        let strides = lmad.dims.iter().flat_map(|dim| dim.stride.vars());
        for var in lmad.offset.vars().into_iter().chain(strides) {
            self.ranges.settle(var);
        }
        self.answers.clear();
    }

    /// The polynomial without variables that are known to be polynomials of others; as it is, if that is too large.
    pub fn known(&mut self, poly: &Poly) -> Poly {
        let mut result = poly.clone();
        for _ in 0..DEFINITIONS {
            match replace_definitions(self.ranges, &result, &mut self.certs) {
                Some(Some(next)) if degree(&next) <= MAX_DEGREE => result = next,
                Some(None) => break,
                // Too large, perhaps because equations lead in circles.
                Some(Some(_)) | None => return poly.clone(),
            }
        }
        result
    }

    /// Whether a polynomial is proved not to be negative.
    pub fn nonneg(&mut self, poly: &Poly) -> bool {
        let poly = self.known(poly);
        if let Some(value) = poly.as_constant() {
            return value >= 0;
        }
        if let Some(answer) = self.answers.get(&poly) {
            return *answer;
        }
        let found = self.ranges.prove_nonneg(&poly).or_else(|| shift(self.ranges, &poly));
        if let Some(certs) = &found {
            join(&mut self.certs, certs);
        }
        self.answers.insert(poly, found.is_some());
        found.is_some()
    }

    /// Whether the sum of a polynomial and a number is proved not to be negative.
    pub fn nonneg_sum(&mut self, poly: &Poly, number: i128) -> bool {
        poly.plus(number).is_some_and(|sum| self.nonneg(&sum))
    }

    /// Whether `a < b` is proved.
    pub fn less(&mut self, a: &Poly, b: &Poly) -> bool {
        b.sub(a).and_then(|poly| poly.plus(-1)).is_some_and(|poly| self.nonneg(&poly))
    }

    /// Whether a polynomial is proved to be greater or less than zero.
    pub fn sign(&mut self, poly: &Poly) -> Option<Sign> {
        let zero = Poly::default();
        if self.less(&zero, poly) {
            Some(Sign::Positive)
        } else if self.less(poly, &zero) {
            Some(Sign::Negative)
        } else {
            None
        }
    }
}

/// The most factors of a product.
fn degree(poly: &Poly) -> usize {
    poly.terms().iter().map(|(monomial, _)| monomial.len()).max().unwrap_or(0)
}

/// The polynomial with definitions in place of variables; nothing inside if there are none.
#[expect(clippy::option_option, reason = "too large a result differs from nothing to do")]
fn replace_definitions(
    ranges: &Ranges<'_>,
    poly: &Poly,
    certs: &mut Certs,
) -> Option<Option<Poly>> {
    let mut found = false;
    for var in poly.vars() {
        if let Some((_, why)) = definition(ranges, var) {
            join(certs, &why);
            found = true;
        }
    }
    if !found {
        return Some(None);
    }
    substitute(poly, &|var| definition(ranges, var).map(|(poly, _)| poly)).map(Some)
}

fn definition(ranges: &Ranges<'_>, var: Var) -> Option<(Poly, Certs)> {
    let (poly, certs) = ranges.poly(Atom::Var(var))?;
    if poly.as_var() == Some(var) { equation(ranges, var) } else { Some((poly, certs)) }
}

/// What a variable is equal to by a fact, such as a check that `n == q*b + 1`.
///
/// Of linear equations only those are used that lead to variables bound before, so that they do not lead in circles. A
/// product says more than the variable that it is equal to, whenever it was bound.
fn equation(ranges: &Ranges<'_>, var: Var) -> Option<(Poly, Certs)> {
    let bounds = ranges.bounds(&Poly::var(var));
    let before = |other: &Var| ranges.order(*other) < ranges.order(var);
    let useful = |bound: &Poly| {
        !bound.mentions(var) && (!bound.is_linear() || bound.vars().iter().all(before))
    };
    bounds.iter().filter(|(lower, bound, _)| *lower && useful(bound)).find_map(|(_, low, why)| {
        let (_, _, others) = bounds.iter().find(|(lower, high, _)| !lower && high == low)?;
        let mut certs = why.clone();
        join(&mut certs, others);
        Some((low.clone(), certs))
    })
}

/// The certificates of a proof by shifting variables.
fn shift(ranges: &Ranges<'_>, poly: &Poly) -> Option<Certs> {
    // A variable is shifted before those that its bound mentions. Bounds mostly mention what was bound before.
    for latest_first in [true, false] {
        let mut search = Shifting {
            ranges,
            latest_first,
            budget: BUDGET,
            certs: Vec::new(),
            shifted: Vec::new(),
        };
        if search.goal(poly) {
            let mut certs = Certs::new();
            join(&mut certs, &search.certs);
            return Some(certs);
        }
    }
    None
}

struct Shifting<'a, 'b> {
    ranges: &'a Ranges<'b>,
    latest_first: bool,
    budget: u32,
    /// The certificates of the bounds on the way to the current goal.
    certs: Vec<Var>,
    /// The variables that now stand for their distance from a bound.
    shifted: Vec<Var>,
}

impl Shifting<'_, '_> {
    fn goal(&mut self, poly: &Poly) -> bool {
        if self.budget == 0 {
            return false;
        }
        self.budget -= 1;
        let start = self.certs.len();
        if self.has_no_negative_part(poly) {
            return true;
        }
        self.certs.truncate(start);
        let Some(var) = self.next(poly) else { return false };
        for (lower, bound, certs) in self.ranges.bounds(&Poly::var(var)) {
            let Some((bound, definitions)) = self.usable(var, bound) else { continue };
            let distance = Poly::var(var);
            let value = if lower { bound.add(&distance) } else { bound.sub(&distance) };
            let goal = value
                .and_then(|value| substitute(poly, &|other| (other == var).then(|| value.clone())));
            let Some(goal) = goal else { continue };
            self.certs.extend(certs.iter().chain(&definitions).copied());
            self.shifted.push(var);
            if self.goal(&goal) {
                return true;
            }
            self.shifted.pop();
            self.certs.truncate(start);
        }
        false
    }

    /// A bound of a variable, with definitions in place of variables if possible, that speaks only of variables that
    /// stand for themselves.
    fn usable(&self, var: Var, bound: Poly) -> Option<(Poly, Certs)> {
        let stale = |bound: &Poly| {
            bound.mentions(var) || self.shifted.iter().any(|other| bound.mentions(*other))
        };
        let mut certs = Certs::new();
        match replace_definitions(self.ranges, &bound, &mut certs) {
            Some(Some(defined)) if !stale(&defined) => Some((defined, certs)),
            _ => (!stale(&bound)).then(|| (bound, Certs::new())),
        }
    }

    /// Whether no variable and no coefficient is negative.
    fn has_no_negative_part(&mut self, poly: &Poly) -> bool {
        poly.terms().iter().all(|(_, factor)| *factor > 0)
            && poly.vars().iter().all(|var| self.is_nonneg(*var))
    }

    fn is_nonneg(&mut self, var: Var) -> bool {
        if self.shifted.contains(&var) {
            return true;
        }
        let bounds = self.ranges.bounds(&Poly::var(var));
        let constant = bounds.iter().find(|(lower, bound, _)| {
            *lower && bound.as_constant().is_some_and(|value| value >= 0)
        });
        match constant {
            Some((_, _, certs)) => {
                self.certs.extend_from_slice(certs);
                true
            }
            None => self.ranges.interval(var).0 >= 0,
        }
    }

    /// The variable that is shifted next.
    fn next(&self, poly: &Poly) -> Option<Var> {
        let vars = poly.vars();
        let open = vars.iter().copied().filter(|var| !self.shifted.contains(var));
        if self.latest_first {
            open.max_by_key(|var| self.ranges.order(*var))
        } else {
            open.min_by_key(|var| self.ranges.order(*var))
        }
    }
}
