//! What must hold before a nest of loops so that a check passes in all iterations.
//!
//! A check of an index asks that polynomials of the counters are not negative. One that is linear in each counter is
//! smallest where every counter has its first or its last value, so the counters are replaced by these, the innermost
//! one first, since its bound may mention the others: by one of the two if the sign of the factor is known, otherwise
//! by both. What is left are polynomials of variables that are bound before the nest. They are tested there, and hold
//! exactly if the check passes in all iterations.
//!
//! Machine arithmetic wraps. A result inside of the nest is replaced by its polynomial even where nobody knows
//! whether it wraps, on the condition that it does not: the sum of the absolute values of all products is below a power of two
//! for the largest values of all counters. So `a[i * 2]` is tested for all `i < n` at once, if `2 * n` is not enormous.

use fehu_facts::Ranges;
use fehu_facts::flow::{Counter, Level};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::{Certs, join};
use fehu_ir::builder::prim_of;
use fehu_ir::{Atom, Var};

/// So many polynomials are tested for a check.
const MAX_TESTS: usize = 8;
/// So deep are results replaced by what they are computed from.
const MAX_DEPTH: u32 = 6;

/// What a check demands of the variables before a nest.
pub(super) struct Demand {
    /// The levels that the check leaves, outermost first.
    pub(super) levels: Vec<Nest>,
    /// When the outermost one was entered; see [`Ranges::now`].
    pub(super) start: u32,
    /// What must not be negative.
    pub(super) nonneg: Vec<Poly>,
    /// What must be small.
    pub(super) small: Vec<Small>,
    /// What this rests on.
    pub(super) certs: Certs,
}

/// A level of a nest.
#[derive(Clone)]
pub(super) struct Nest {
    pub(super) counters: Vec<Counter>,
    pub(super) bound: Atom,
}

/// A polynomial of the absolute values of variables that must be less than a power of two.
#[derive(Clone, PartialEq)]
pub(super) struct Small {
    pub(super) size: Poly,
    pub(super) bits: u32,
}

impl Small {
    /// The result of an operation with so many bits is exact if the size of its polynomial is small: one bit is for the sign.
    /// Those of 64 bits have another one to spare, because sizes are estimated in floating point.
    fn exact(size: Poly, bits: u32) -> Small {
        Small { size, bits: if bits < 64 { bits - 1 } else { 62 } }
    }

    /// Adds it to demands, of which there is one for each number of bits: that the larger of two multiples of each product is
    /// small.
    pub(super) fn add_to(self, demands: &mut Vec<Small>) {
        let Some(other) = demands.iter_mut().find(|other| other.bits == self.bits) else {
            demands.push(self);
            return;
        };
        let mut size = Some(other.size.clone());
        for (monomial, factor) in self.size.terms() {
            let known = other.size.terms().iter().find(|(known, _)| known == monomial);
            let more = factor - known.map_or(0, |(_, factor)| *factor);
            let mut vars = monomial.iter().map(|var| Poly::var(*var));
            let product = vars.try_fold(Poly::constant(more.max(0)), |all, var| all.mul(&var));
            size = size.zip(product).and_then(|(size, product)| size.add(&product));
        }
        match size {
            Some(size) => other.size = size,
            None => demands.push(self),
        }
    }
}

/// What a check with these parts demands, so that it can leave as many levels as possible: those at the end of the path that are
/// executed for every position, up to one that is not part of an operator's function. `relies` says on which certificates the
/// test before a nest may rest, entered at that time.
pub(super) fn demand(
    ranges: &mut Ranges<'_>,
    parts: &[Atom],
    path: &[Level],
    relies: &dyn Fn(&Ranges<'_>, Var, u32) -> bool,
) -> Option<Demand> {
    let is_each = |level: &&Level| matches!(level, Level::Each { .. });
    let most = path.iter().rev().take_while(is_each).count();
    (1..=most).rev().find_map(|count| {
        let (around, left) = path.split_at(path.len() - count);
        let is_plain = |level: &Level| match level {
            Level::Branch | Level::Loop => true,
            Level::Each { operator, .. } => !operator,
            Level::Repeated => false,
        };
        if !around.iter().all(is_plain) {
            return None;
        }
        let mut search = Search::new(ranges, left)?;
        for part in parts {
            search.part(ranges, *part)?;
        }
        search.finish(ranges, relies)
    })
}

struct Search {
    levels: Vec<Nest>,
    start: u32,
    /// The counters, outermost first.
    counters: Vec<Range>,
    nonneg: Vec<Poly>,
    small: Vec<Small>,
    certs: Certs,
}

/// A counter, and its first and last value, if they are known in terms of counters around and variables before the nest.
struct Range {
    counter: Counter,
    ends: Option<[Poly; 2]>,
}

impl Search {
    fn new(ranges: &mut Ranges<'_>, path: &[Level]) -> Option<Search> {
        let Some(Level::Each { start, .. }) = path.first() else { return None };
        let mut search = Search {
            levels: Vec::new(),
            start: *start,
            counters: Vec::new(),
            nonneg: Vec::new(),
            small: Vec::new(),
            certs: Certs::new(),
        };
        for level in path {
            let Level::Each { counters, bound, .. } = level else { return None };
            for counter in counters {
                let before = search.small.len();
                let ends = search.ends(ranges, counter, *bound);
                if ends.is_none() {
                    search.small.truncate(before);
                }
                search.counters.push(Range { counter: *counter, ends });
            }
            search.levels.push(Nest { counters: counters.clone(), bound: *bound });
        }
        Some(search)
    }

    /// The first and the last value of a counter.
    fn ends(
        &mut self,
        ranges: &mut Ranges<'_>,
        counter: &Counter,
        bound: Atom,
    ) -> Option<[Poly; 2]> {
        let first = self.operand(ranges, counter.first)?;
        let bound = self.operand(ranges, bound)?;
        let last = bound.plus(-1)?.scale(counter.step.into())?.add(&first)?;
        if !counter.is_position() {
            // The elements of a progression must not wrap.
            let prim = prim_of(&ranges.vars().get(counter.var)?.ty)?;
            if !prim.is_signed() {
                return None;
            }
            for end in [&first, &last] {
                let size = self.size(end)?;
                self.demand_small(ranges, size, prim.bits());
            }
        }
        Some([first, last])
    }

    /// Demands that a size is small, unless that is known: what holds at the check holds before the nest, if the check is made
    /// at all.
    fn demand_small(&mut self, ranges: &Ranges<'_>, size: Poly, bits: u32) {
        let small = Small::exact(size, bits);
        match is_small(ranges, &small) {
            Some(certs) => join(&mut self.certs, &certs),
            None => small.add_to(&mut self.small),
        }
    }

    /// A part of the condition.
    fn part(&mut self, ranges: &mut Ranges<'_>, part: Atom) -> Option<()> {
        let (poly, certs) = ranges.as_inequality(part, true)?;
        join(&mut self.certs, &certs);
        let poly = self.expand(ranges, poly, MAX_DEPTH)?;
        self.corners(ranges, &poly, self.counters.len())
    }

    fn is_counter(&self, var: Var) -> bool {
        self.counters.iter().any(|range| range.counter.var == var)
    }

    /// A polynomial of counters and of variables that are bound before.
    fn expand(&mut self, ranges: &Ranges<'_>, mut poly: Poly, depth: u32) -> Option<Poly> {
        for var in poly.vars() {
            if ranges.order(var) <= self.start || self.is_counter(var) {
                continue;
            }
            let prim = prim_of(&ranges.vars().get(var)?.ty).filter(|prim| prim.is_signed())?;
            let by = match ranges.may_wrap(var) {
                Some((by, certs)) => {
                    let by = self.expand(ranges, by, depth.checked_sub(1)?)?;
                    join(&mut self.certs, &certs);
                    let size = self.size(&by)?;
                    self.demand_small(ranges, size, prim.bits());
                    by
                }
                None => {
                    let (by, certs) = equal(ranges, var)?;
                    join(&mut self.certs, &certs);
                    self.expand(ranges, by, depth.checked_sub(1)?)?
                }
            };
            poly = poly.replace(var, &by)?;
        }
        Some(poly)
    }

    /// The polynomial of an operand, likewise.
    fn operand(&mut self, ranges: &mut Ranges<'_>, atom: Atom) -> Option<Poly> {
        let (poly, certs) = ranges.settled(atom)?;
        join(&mut self.certs, &certs);
        self.expand(ranges, poly, MAX_DEPTH)
    }

    /// Demands that a polynomial is not negative for all values of the first counters, so many.
    fn corners(&mut self, ranges: &mut Ranges<'_>, poly: &Poly, counters: usize) -> Option<()> {
        let Some(inner) = counters.checked_sub(1) else {
            if poly.as_constant().is_none_or(|value| value < 0) && !self.nonneg.contains(poly) {
                self.nonneg.push(poly.clone());
            }
            return (self.nonneg.len() <= MAX_TESTS).then_some(());
        };
        let Range { counter, ends } = &self.counters[inner];
        if !poly.mentions(counter.var) {
            return self.corners(ranges, poly, inner);
        }
        let (factor, rest) = poly.split(counter.var)?;
        let [first, last] = ends.clone()?;
        let (low, high) = if counter.step >= 0 { (first, last) } else { (last, first) };
        let mut ends = Vec::new();
        if let Some(certs) = ranges.prove_nonneg(&factor) {
            join(&mut self.certs, &certs);
            ends.push(low);
        } else if let Some(certs) = factor.neg().and_then(|factor| ranges.prove_nonneg(&factor)) {
            join(&mut self.certs, &certs);
            ends.push(high);
        } else {
            ends.extend([low, high]);
        }
        for end in ends {
            let poly = factor.mul(&end)?.add(&rest)?;
            self.corners(ranges, &poly, inner)?;
        }
        Some(())
    }

    /// A polynomial of absolute values of variables bound before the nest that is at least the absolute value of this one.
    fn size(&self, poly: &Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (monomial, factor) in poly.terms() {
            let mut product = Poly::constant(i128::try_from(factor.unsigned_abs()).ok()?);
            for var in monomial {
                let range = self.counters.iter().find(|range| range.counter.var == *var);
                product = product.mul(&match range {
                    // It lies between the two.
                    Some(Range { ends, .. }) => {
                        let [first, last] = ends.as_ref()?;
                        self.size(first)?.add(&self.size(last)?)?
                    }
                    None => Poly::var(*var),
                })?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    fn finish(
        mut self,
        ranges: &Ranges<'_>,
        relies: &dyn Fn(&Ranges<'_>, Var, u32) -> bool,
    ) -> Option<Demand> {
        // What is tested is computed with numbers of 64 bits.
        for poly in self.nonneg.clone() {
            if sides(&poly).is_none() {
                let size = self.size(&poly)?;
                self.demand_small(ranges, size, 64);
            }
        }
        let Search { levels, start, nonneg, small, certs, .. } = self;
        let polys = || nonneg.iter().chain(small.iter().map(|small| &small.size));
        let is_outside = |var: &Var| {
            let prim = ranges.vars().get(*var).and_then(|info| prim_of(&info.ty));
            ranges.order(*var) <= start
                && prim
                    .is_some_and(|prim| prim.is_integer() && (prim.is_signed() || prim.bits() < 64))
        };
        let known = polys().all(|poly| poly.vars().iter().all(is_outside));
        let sound = certs.iter().all(|cert| relies(ranges, *cert, start));
        (known && sound).then_some(Demand { levels, start, nonneg, small, certs })
    }
}

/// Whether a polynomial of absolute values is known to be small.
fn is_small(ranges: &Ranges<'_>, Small { size, bits }: &Small) -> Option<Certs> {
    let mut certs = Certs::new();
    for var in size.vars() {
        join(&mut certs, &ranges.prove_nonneg(&Poly::var(var))?);
    }
    let rest = Poly::constant((1 << bits) - 1).sub(size)?;
    join(&mut certs, &ranges.prove_nonneg(&rest)?);
    Some(certs)
}

/// The polynomial that a variable is known to be equal to.
fn equal(ranges: &Ranges<'_>, var: Var) -> Option<(Poly, Certs)> {
    let bounds = ranges.bounds(&Poly::var(var));
    bounds.iter().find_map(|(lower, poly, certs)| {
        let other = bounds.iter().find(|(other, p, _)| other != lower && p == poly)?;
        let mut certs = certs.clone();
        join(&mut certs, &other.2);
        Some((poly.clone(), certs))
    })
}

/// The operands of a comparison `a <= b` that says that a polynomial is not negative, if it takes no arithmetic.
pub(super) fn sides(poly: &Poly) -> Option<(Atom, Atom)> {
    let (mut small, mut large) = (None, None);
    for (monomial, factor) in poly.terms() {
        let (side, atom) = match (monomial.as_slice(), factor) {
            ([], value) if *value > 0 => (&mut large, Atom::i64(i64::try_from(*value).ok()?)),
            ([], value) => (&mut small, Atom::i64(i64::try_from(value.checked_neg()?).ok()?)),
            ([var], 1) => (&mut large, Atom::Var(*var)),
            ([var], -1) => (&mut small, Atom::Var(*var)),
            _ => return None,
        };
        if side.replace(atom).is_some() {
            return None;
        }
    }
    let zero = Atom::i64(0);
    Some((small.unwrap_or(zero), large.unwrap_or(zero)))
}
