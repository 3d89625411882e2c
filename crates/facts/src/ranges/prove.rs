//! Proofs that polynomials are not negative.
//!
//! Variables are eliminated one at a time, the one bound last first, since bounds of inner variables mention outer
//! ones: for the goal `A * v + B >= 0` with `A >= 0` and a fact `a * v + b >= 0` with a number `a > 0`, it is
//! sufficient that `a * B - A * b > -a`, since the goal is about integers, and likewise for upper bounds. `A` may be a
//! polynomial, whose sign is then proved first, so that `i * m + j < n * m` follows from `i < n` and `j < m`. What
//! remains is decided by the intervals of the variables. A maximum or minimum of two polynomials is replaced by each of
//! them in turn. A quotient `q = x / y` is bounded by `y * q <= x < y * q + y`, used as a fact with `y` in place of
//! `a`, so that `k / m < n` follows from `k < n * m`, and as it is for goals about `y * q`. The search is limited in
//! depth and in the number of goals, so that a proof takes bounded time.

use super::{Certs, Quotient, Ranges, join};
use crate::poly::Poly;
use fehu_ir::Var;
use rustc_hash::FxHashMap;

/// How many variables are eliminated in turn.
const DEPTH: u32 = 6;
/// How many at first: most proofs are short, and one that is should not end because of a long way that leads nowhere.
const SHALLOW: u32 = 3;
/// How many goals are looked at for a proof, a quarter of them for a short one: when it matters, while a guess about
/// a loop is tried, and while one is tried inside another. A loop is walked over several times for its guesses,
/// and a loop in it several times for each of these, so that all of them together take about as long as the walk
/// that counts. The last one is for functions that have had much [`WORK`] already.
const BUDGETS: [u32; 4] = [240, 60, 24, 6];
/// How much work all proofs about a function may be, in terms of polynomials, before the budgets become smaller, and so
/// again each time. Functions into which much was inlined have thousands of checks between thousands of facts; this many
/// terms take about half a second, and what is proved after that long are the easy ones anyway.
const WORK: u64 = 10_000_000;
/// How many facts on a variable are tried.
const FACTS: usize = 6;
/// How many of a goal's variables are tried.
const VARS: usize = 3;

impl Ranges<'_> {
    /// Whether a polynomial is not negative, and which certificates this rests on.
    pub fn prove_nonneg(&self, poly: &Poly) -> Option<Certs> {
        if self.failed.borrow().get(poly) == Some(&self.stamp) {
            return None;
        }
        let tired = (self.work.get() / WORK) as usize;
        let budget = BUDGETS[(self.trial.min(2) + tired).min(BUDGETS.len() - 1)];
        let found = match self.search(poly, SHALLOW, budget / 4) {
            Err(Failure::Cut) => self.search(poly, DEPTH, budget),
            found => found,
        };
        let Ok(used) = found else {
            self.failed.borrow_mut().insert(poly.clone(), self.stamp);
            return None;
        };
        let mut certs = Certs::new();
        join(&mut certs, &used);
        Some(certs)
    }

    /// The certificates of a proof that is not longer than this.
    fn search(&self, poly: &Poly, depth: u32, budget: u32) -> Result<Vec<Var>, Failure> {
        let (used, tried) = (Vec::new(), FxHashMap::default());
        let mut search = Search { ranges: self, budget, cut: false, used, tried };
        match search.goal(poly, depth) {
            true => Ok(search.used),
            false if search.cut => Err(Failure::Cut),
            false => Err(Failure::Final),
        }
    }

    /// Whether a polynomial lies between two numbers.
    pub fn prove_within(&self, poly: &Poly, low: i128, high: i128) -> Option<Certs> {
        let mut certs = self.prove_nonneg(&poly.plus(-low)?)?;
        join(&mut certs, &self.prove_nonneg(&Poly::constant(high).sub(poly)?)?);
        Some(certs)
    }
}

/// Why there is no proof.
enum Failure {
    /// Not all goals were looked at.
    Cut,
    /// There is none.
    Final,
}

struct Search<'a, 'b> {
    ranges: &'a Ranges<'b>,
    budget: u32,
    /// Whether there were goals that were not looked at.
    cut: bool,
    /// The certificates of the facts on the way to the current goal.
    used: Vec<Var>,
    /// The goals that were looked at and how deep, so that facts that lead in circles end soon.
    tried: FxHashMap<Poly, u32>,
}

impl Search<'_, '_> {
    fn goal(&mut self, poly: &Poly, depth: u32) -> bool {
        if self.budget == 0 {
            self.cut = true;
            return false;
        }
        self.budget -= 1;
        let work = &self.ranges.work;
        work.set(work.get() + 1 + poly.terms().len() as u64);
        if self.by_intervals(poly) {
            return true;
        }
        if poly.as_constant().is_some() {
            return false;
        }
        if depth == 0 {
            self.cut = true;
            return false;
        }
        if self.tried.get(poly).is_some_and(|tried| *tried >= depth) {
            return false;
        }
        self.tried.insert(poly.clone(), depth);
        let mut vars = poly.vars();
        vars.sort_by_key(|var| std::cmp::Reverse(self.ranges.order(*var)));
        self.by_products(poly, depth)
            || vars.iter().take(VARS).any(|var| self.eliminate(poly, *var, depth))
    }

    /// Whether the smallest value for all values of the variables in their intervals is not negative.
    fn by_intervals(&mut self, poly: &Poly) -> bool {
        let Some(low) = smallest(self.ranges, poly) else { return false };
        if low < 0 {
            return false;
        }
        for var in poly.vars() {
            for bound in [self.ranges.low.get(&var), self.ranges.high.get(&var)] {
                self.used.extend(bound.iter().flat_map(|bound| bound.certs.iter()));
            }
        }
        true
    }

    fn eliminate(&mut self, poly: &Poly, var: Var, depth: u32) -> bool {
        let Some((a, b)) = poly.split(var) else { return false };
        let start = self.used.len();
        let Some(positive) = self.sign(&a, depth) else {
            self.used.truncate(start);
            return false;
        };
        let middle = self.used.len();
        let ranges = self.ranges;
        if let Some(quotient) = ranges.quotients.get(&var) {
            self.used.extend_from_slice(&quotient.certs);
            let goal = divided(&a, &b, positive, quotient);
            if goal.is_some_and(|goal| self.goal(&goal, depth - 1)) {
                return true;
            }
            self.used.truncate(middle);
        }
        let facts = ranges.by_var.get(&var).map_or(&[][..], Vec::as_slice);
        // Facts that lead to variables bound before come first: they bring the end nearer.
        let order = ranges.order(var);
        let leads_back = |index: &&u32| ranges.facts[**index as usize].newest <= order;
        let recent = || facts.iter().rev().take(8 * FACTS);
        let back = recent().filter(leads_back).take(FACTS);
        let others = recent().filter(|index| !leads_back(index)).take(FACTS);
        for index in back.chain(others) {
            let fact = &ranges.facts[*index as usize];
            let Some(factor) = fact.poly.coefficient(var) else { continue };
            if (factor > 0) != positive {
                continue;
            }
            self.used.extend_from_slice(&fact.certs);
            if self.combined(poly, &a, &fact.poly, factor, depth) {
                return true;
            }
            self.used.truncate(middle);
        }
        // The constant bound, if there is a better one than the type's.
        let bound = if positive { ranges.low.get(&var) } else { ranges.high.get(&var) };
        if let Some(bound) = bound {
            self.used.extend_from_slice(&bound.certs);
            let goal = a.scale(bound.value).and_then(|product| product.add(&b));
            if goal.is_some_and(|goal| self.goal(&goal, depth - 1)) {
                return true;
            }
            self.used.truncate(middle);
        }
        // What holds for either of two polynomials holds for the larger one.
        if let Some(extreme) = ranges.extremes.get(&var).filter(|other| other.larger != positive) {
            self.used.extend_from_slice(&extreme.certs);
            let holds = extreme.of.iter().all(|poly| {
                let goal = a.mul(poly).and_then(|product| product.add(&b));
                goal.is_some_and(|goal| self.goal(&goal, depth - 1))
            });
            if holds {
                return true;
            }
        }
        self.used.truncate(start);
        false
    }

    /// The goal that is left of `poly = a * v + b` by a fact `factor * v + rest`: the variable cancels out.
    fn combined(&mut self, poly: &Poly, a: &Poly, fact: &Poly, factor: i128, depth: u32) -> bool {
        let sign = -factor.signum();
        let goal = match a.as_constant() {
            Some(a) => a.checked_mul(sign).and_then(|a| poly.blend(factor.abs(), fact, a)),
            None => a.mul(fact).and_then(|product| poly.blend(factor.abs(), &product, sign)),
        };
        goal.and_then(|goal| goal.plus(factor.abs() - 1))
            .is_some_and(|goal| self.goal(&goal, depth - 1))
    }

    /// Whether a factor is never negative (true) or never positive (false), if that can be told.
    fn sign(&mut self, factor: &Poly, depth: u32) -> Option<bool> {
        if let Some(value) = factor.as_constant() {
            return Some(value > 0);
        }
        let start = self.used.len();
        if self.goal(factor, depth.min(3) - 1) {
            return Some(true);
        }
        self.used.truncate(start);
        if self.goal(&factor.neg()?, depth.min(3) - 1) {
            return Some(false);
        }
        self.used.truncate(start);
        None
    }

    /// Facts about products of variables are used as they are.
    fn by_products(&mut self, poly: &Poly, depth: u32) -> bool {
        if poly.is_linear() {
            return false;
        }
        let ranges = self.ranges;
        for index in ranges.nonlinear.iter().rev().take(2 * FACTS) {
            let fact = &ranges.facts[*index as usize];
            for (monomial, factor) in fact.poly.terms().iter().filter(|(m, _)| m.len() > 1) {
                let Some((_, mine)) = poly.terms().iter().find(|(m, _)| m == monomial) else {
                    continue;
                };
                if (*mine > 0) != (*factor > 0) {
                    continue;
                }
                let goal = (|| {
                    let rest = poly.scale(factor.abs())?.sub(&fact.poly.scale(mine.abs())?)?;
                    rest.plus(factor.abs() - 1)
                })();
                let start = self.used.len();
                self.used.extend_from_slice(&fact.certs);
                if goal.is_some_and(|goal| self.goal(&goal, depth - 1)) {
                    return true;
                }
                self.used.truncate(start);
            }
        }
        false
    }
}

/// It is enough for `a * q + b >= 0` that this is not negative, for a quotient `q` and a factor `a` of this sign.
fn divided(a: &Poly, b: &Poly, positive: bool, quotient: &Quotient) -> Option<Poly> {
    let Quotient { dividend, divisor, .. } = quotient;
    // With the divisor y as the factor: y * q is at least x - (y - 1), and at most x.
    let slack = divisor.plus(-1)?;
    let bound = if positive { dividend.sub(&slack)? } else { dividend.clone() };
    // A factor that is a multiple of the divisor needs no other one.
    if let Some((factor, rest)) = divisor.as_var().and_then(|var| a.split(var))
        && rest == Poly::default()
    {
        return factor.mul(&bound)?.add(b);
    }
    divisor.mul(b)?.add(&a.mul(&bound)?)?.add(&slack)
}

/// The smallest value by the intervals of the variables.
fn smallest(ranges: &Ranges<'_>, poly: &Poly) -> Option<i128> {
    let mut sum = 0i128;
    for (monomial, factor) in poly.terms() {
        let (mut low, mut high) = (1i128, 1i128);
        for var in monomial {
            let (a, b) = ranges.interval(*var);
            let corners = [
                low.checked_mul(a)?,
                low.checked_mul(b)?,
                high.checked_mul(a)?,
                high.checked_mul(b)?,
            ];
            low = *corners.iter().min()?;
            high = *corners.iter().max()?;
        }
        let extreme = if *factor > 0 { low } else { high };
        sum = sum.checked_add(extreme.checked_mul(*factor)?)?;
    }
    Some(sum)
}
