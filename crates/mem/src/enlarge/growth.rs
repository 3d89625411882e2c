//! How large an array becomes: sizes and bounds as polynomials in the counters around it.
//!
//! A *form* is a sum of products of counters, each with a factor that does not change in the root: `m * i + m` has the
//! factor `m` for `i`, and `m` for no counter at all. A form is used only if everything that it stands for is exact
//! where the array is made, and no factor of a counter is negative. Then, because counters begin with zero:
//!
//! * it is largest where all counters are, since counters are not negative;
//! * the bound of an inner loop is largest in the last iteration of the loops around it, so the last iteration of all
//!   of them together has the largest counters; and if an inner loop has no iterations there, it has none anywhere;
//! * the product of several sizes is largest there as well, because none is negative.
//!
//! What shrinks, such as `n - i`, has no form: a product of it with something that grows can be largest anywhere.

use super::is_number;
use super::scopes::{Crossed, Making, Root};
use crate::arith;
use crate::table::{Origin, Table, small};
use fehu_facts::flow::{Client, Level};
use fehu_facts::poly::{Monomial, Poly};
use fehu_facts::ranges::{MAX_ELEMENTS, Ranges};
use fehu_ir::{Atom, Stm, Var};
use rustc_hash::FxHashMap;

/// So many variables of a root are replaced in a size.
const MAX_VARS: usize = 8;

/// A constant part may be negative, as far as this is nothing compared to the memory that exists.
const MAX_LESS: i128 = 1 << 10;

/// A number as a sum of products of counters, with their factors.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Form {
    /// In the order of the counters; what is in no product with a counter comes first.
    pub(super) terms: Vec<Term>,
}

/// A product of counters, and its factor.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Term {
    pub(super) counters: Monomial,
    pub(super) factor: Poly,
    /// Whether the factor is at most [`LARGEST`] where the array is made.
    pub(super) is_bounded: bool,
}

/// No array in memory has as many elements.
pub(super) const LARGEST: i64 = 1 << 48;
const _: () = assert!(LARGEST as i128 == MAX_ELEMENTS);

/// The largest size of a block.
#[derive(Debug)]
pub(super) struct Largest {
    /// What is crossed, outermost first: the counters and their bound.
    pub(super) crossed: Vec<(Vec<Var>, Form)>,
    /// The sizes, which are multiplied.
    pub(super) size: Vec<Form>,
    /// Whether it is not known outside.
    pub(super) grows: bool,
    /// Whether it may be that no array is made, which is of interest if it is not small.
    pub(super) may_be_none: bool,
}

/// Looks at the allocations of a function.
pub(super) struct Growth<'a> {
    roots: &'a [Root],
    table: &'a Table,
    /// The allocations for the statement that binds a variable: their numbers, and those of their roots.
    at: FxHashMap<Var, Vec<(usize, usize)>>,
    /// For each root and allocation what was found out.
    pub(super) found: Vec<Vec<Option<Largest>>>,
}

impl<'a> Growth<'a> {
    pub(super) fn new(roots: &'a [Root], table: &'a Table) -> Growth<'a> {
        let mut at: FxHashMap<Var, Vec<(usize, usize)>> = FxHashMap::default();
        let mut found = Vec::with_capacity(roots.len());
        for (number, root) in roots.iter().enumerate() {
            for (index, making) in root.makings.iter().enumerate() {
                at.entry(making.of).or_default().push((number, index));
            }
            found.push(root.makings.iter().map(|_| None).collect());
        }
        Growth { roots, table, at, found }
    }
}

impl Client for Growth<'_> {
    fn stm(&mut self, ranges: &mut Ranges<'_>, stm: &Stm, _path: &[Level]) {
        for var in &stm.pat {
            for (number, index) in self.at.get(var).into_iter().flatten() {
                let root = &self.roots[*number];
                let making = &root.makings[*index];
                if let Origin::Fresh { size, .. } = &self.table.blocks[making.block].origin {
                    self.found[*number][*index] = largest(ranges, root, making, size);
                }
            }
        }
    }
}

/// The largest size of a block, if it is known before a root. Asked where it is made.
fn largest(
    ranges: &mut Ranges<'_>,
    root: &Root,
    making: &Making,
    size: &[Atom],
) -> Option<Largest> {
    let way = making.way.as_ref()?;
    let mut look = Look { ranges, root, counters: Vec::new() };
    let mut crossed = Vec::with_capacity(way.len());
    let mut may_be_none = false;
    for Crossed { counters, bound } in way {
        let form = look.form(*bound)?;
        may_be_none |= !matches!(bound, Atom::Const(_));
        look.counters.extend(counters);
        crossed.push((counters.clone(), form));
    }
    let forms = size.iter().map(|size| look.form(*size)).collect::<Option<Vec<Form>>>()?;
    let grows = size.iter().any(|size| look.is_inner(*size));
    may_be_none &= small(size).is_none();
    Some(Largest { crossed, size: forms, grows, may_be_none })
}

struct Look<'a, 'r, 'v> {
    ranges: &'r mut Ranges<'v>,
    root: &'a Root,
    /// Those of what was crossed so far.
    counters: Vec<Var>,
}

impl Look<'_, '_, '_> {
    fn is_inner(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.root.inner.contains(&var))
    }

    fn form(&mut self, atom: Atom) -> Option<Form> {
        let poly = match atom.var() {
            Some(var) if !self.is_inner(atom) => Poly::var(var),
            Some(var) => {
                self.ranges.settle(var);
                self.outside(self.ranges.poly(atom)?.0)?
            }
            None => self.ranges.poly(atom)?.0,
        };
        let mut terms: Vec<(Monomial, Poly)> = Vec::new();
        for (monomial, factor) in poly.terms() {
            let (counters, rest): (Monomial, Monomial) =
                monomial.iter().copied().partition(|var| self.counters.contains(var));
            let product = Poly::constant(*factor);
            let part = rest.iter().try_fold(product, |part, var| part.mul(&Poly::var(*var)))?;
            match terms.iter_mut().find(|(other, _)| *other == counters) {
                Some((_, sum)) => *sum = sum.add(&part)?,
                None => terms.push((counters, part)),
            }
        }
        terms.sort_by(|(a, _), (b, _)| a.cmp(b));
        // What may be negative by itself is no size then, nor a number of iterations.
        let least = |counters: &[Var]| match (counters.is_empty(), terms.len()) {
            (true, 1) => i64::MIN.into(),
            (true, _) => -MAX_LESS,
            (false, _) => 0,
        };
        let terms = terms.iter().map(|(counters, factor)| {
            let is_bounded = self.fits(factor, least(counters))?;
            Some(Term { counters: counters.clone(), factor: factor.clone(), is_bounded })
        });
        Some(Form { terms: terms.collect::<Option<_>>()? })
    }

    /// Whether a factor is at most [`LARGEST`], if it is at least another number and an `i64` of others.
    fn fits(&self, factor: &Poly, least: i128) -> Option<bool> {
        let ranges = &*self.ranges;
        let known = self.expanded(factor)?;
        let vars = ranges.vars();
        ranges.prove_within(&known, least, i64::MAX.into())?;
        let is_exact = factor.vars().iter().all(|var| is_number(vars, Atom::Var(*var)))
            && factor.terms().iter().all(|(_, number)| i64::try_from(*number).is_ok());
        let rest = Poly::constant(LARGEST.into()).sub(&known)?;
        is_exact.then(|| ranges.prove_nonneg(&rest).is_some())
    }

    /// The polynomial with what its variables are known to be in their place, which is what facts are about.
    fn expanded(&self, poly: &Poly) -> Option<Poly> {
        arith::substitute(poly, &|var| Some(self.ranges.poly(Atom::Var(var))?.0))
    }

    /// The polynomial without variables of the root, but for counters.
    fn outside(&self, mut poly: Poly) -> Option<Poly> {
        for _ in 0..MAX_VARS {
            let mut vars = poly.vars().into_iter();
            let is_unknown =
                |var: &Var| self.is_inner(Atom::Var(*var)) && !self.counters.contains(var);
            let Some(var) = vars.find(is_unknown) else { return Some(poly) };
            poly = poly.replace(var, &self.equal(var)?)?;
        }
        None
    }

    /// What a variable is in terms of others, such as a sum that turned out not to wrap, or a parameter of a loop that
    /// grows by a number in each iteration. What is in terms of counters is preferred.
    fn equal(&self, var: Var) -> Option<Poly> {
        let bounds = self.ranges.bounds(&Poly::var(var));
        let is_most = |value: &Poly| bounds.iter().any(|(lower, most, _)| !lower && most == value);
        let least = bounds.iter().filter(|(lower, ..)| *lower).map(|(_, least, _)| least);
        let mut values: Vec<&Poly> = least.filter(|value| is_most(value)).collect();
        let is_known = |var: &Var| !self.is_inner(Atom::Var(*var)) || self.counters.contains(var);
        values.sort_by_key(|value| !value.vars().iter().all(is_known));
        values.first().map(|value| (*value).clone())
    }
}
