//! Scatters of all elements of an array to places that are a box of the destination: a position is divided into digits,
//! of which each moves the place by a distance of its own.
//!
//! ```text
//! is = iota (k*b*b)
//! ys = scatter (map (\g -> let x = g / (b*b)  let r = g % (b*b)
//!                          let i = r / b      let j = r % b
//!                          in (at + x*d + i*n + j, vs[x, i, j])) is) ws
//! ==>
//! ys = flat_update ws at [(k : d), (b : n), (b : 1)] = vs
//! ```
//!
//! Blocks of a matrix are made where they belong then, or copied by rows, and no position is divided by anything.
//!
//! Conditions, besides those of the pass: the last digits are all there is of a position; they are the indices of the
//! array, in this order; and distances are larger than what all smaller ones amount to together, so that no place is
//! written twice.

use fehu_facts::Ranges;
use fehu_facts::poly::{Monomial, Poly};
use fehu_facts::ranges::{Certs, MAX_ELEMENTS, join};
use fehu_ir::{Atom, BinOp, Dim, Exp, Family, Scatter, Stm, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// An array is stored at `start` and so far from there in each dimension.
pub(super) struct Boxed {
    pub(super) array: Var,
    pub(super) start: Poly,
    pub(super) strides: Vec<Poly>,
    pub(super) certs: Certs,
}

/// A part of a position.
struct Digit {
    var: Var,
    /// How many values it has, from zero.
    size: Poly,
}

/// A quotient and a remainder of one digit.
#[derive(Default)]
struct Split {
    by: Poly,
    high: Option<Var>,
    low: Option<Var>,
}

/// With more digits the orders of distances are too many to try.
const MAX_DIGITS: usize = 4;

/// The box, if the places of a scatter are one. The variables of its function are forgotten afterwards.
pub(super) fn boxed(ranges: &mut Ranges<'_>, op: &Scatter, position: Var) -> Option<Boxed> {
    let ([(sizes, _)], [index, Atom::Var(value)]) = (&op.dests[..], &op.map.body.results[..])
    else {
        return None;
    };
    let [size] = sizes.as_slice() else { return None };
    let stored = op.map.body.stms.iter().find(|stm| stm.pat == [*value])?;
    let Exp::Index(array, dims) = &stored.exp else { return None };
    // The array is there when its elements are scattered: products of its sizes do not wrap. That these are products of
    // its sizes turns out at the end.
    in_memory(ranges, *array)?;
    let width = ranges.unless_any_wrapped(op.width)?;
    let mut find = Find { ranges, certs: Certs::new(), splits: FxHashMap::default() };
    find.ranges.between(position, Some(Poly::default()), width.plus(-1), &Certs::new());
    let mut digits = vec![Digit { var: position, size: width }];
    for stm in &op.map.body.stms {
        find.stm(stm, &mut digits)?;
    }
    let is_digit = |(dim, digit): (&Dim, &Digit)| *dim == Dim::Fix(digit.var.into());
    if digits.len() < 2
        || digits.len() > MAX_DIGITS
        || dims.len() != digits.len()
        || !dims.iter().zip(&digits).all(is_digit)
    {
        return None;
    }
    let made = op.map.body.stms.iter().flat_map(|stm| &stm.pat);
    let own: FxHashSet<Var> = op.map.params.iter().chain(made).copied().collect();
    if own.contains(array) {
        return None;
    }
    find.shape(*array, &digits)?;
    // What lies within bounds does not wrap.
    let mut start = find.ranges.unless_any_wrapped(*index)?;
    let (size, why) = find.ranges.settled(*size)?;
    join(&mut find.certs, &why);
    for poly in [&start, &size.plus(-1)?.sub(&start)?] {
        join(&mut find.certs, &find.ranges.prove_nonneg(poly)?);
    }
    let mut strides = Vec::with_capacity(digits.len());
    for digit in &digits {
        let (stride, rest) = start.split(digit.var)?;
        strides.push(stride);
        start = rest;
    }
    if strides.iter().chain([&start]).any(|poly| poly.vars().iter().any(|var| own.contains(var))) {
        return None;
    }
    let all: Vec<(&Digit, &Poly)> = digits.iter().zip(&strides).collect();
    find.apart(&all)?;
    Some(Boxed { array: *array, start, strides, certs: find.certs })
}

/// An array in memory has no more elements than fit there.
fn in_memory(ranges: &mut Ranges<'_>, array: Var) -> Option<()> {
    let sizes = ranges.vars()[array].ty.shape().iter();
    let product = sizes
        .clone()
        .try_fold(Poly::constant(1), |product, size| product.mul(&ranges.settled(*size)?.0))?;
    ranges.assume_nonneg(&Poly::constant(MAX_ELEMENTS - 1).sub(&product)?, &Certs::new());
    Some(())
}

struct Find<'a, 'r> {
    ranges: &'a mut Ranges<'r>,
    certs: Certs,
    splits: FxHashMap<Var, Split>,
}

impl Find<'_, '_> {
    /// A statement of the function.
    fn stm(&mut self, stm: &Stm, digits: &mut Vec<Digit>) -> Option<()> {
        join(&mut self.certs, &stm.certs);
        stm.pat.iter().for_each(|var| self.ranges.bind(*var));
        let [var] = stm.pat.as_slice() else { return Some(()) };
        if let Exp::BinOp(op, Atom::Var(of), by) = &stm.exp
            && let Some(at) = digits.iter().position(|digit| digit.var == *of)
            && matches!(op, BinOp::Div | BinOp::Quot | BinOp::Mod | BinOp::Rem)
        {
            let is_high = matches!(op, BinOp::Div | BinOp::Quot);
            self.divided(*var, digits, at, *by, is_high)?;
        } else if stm.exp.family() == Family::Scalar {
            self.ranges.learn(*var, &stm.exp);
        }
        Some(())
    }

    /// A quotient or a remainder of a digit. When both are known, they are digits instead.
    fn divided(
        &mut self,
        var: Var,
        digits: &mut Vec<Digit>,
        at: usize,
        by: Atom,
        is_high: bool,
    ) -> Option<()> {
        let by = self.ranges.unless_any_wrapped(by)?;
        let digit = &digits[at];
        let high = quotient(&digit.size, &by)?;
        let size = if is_high { &high } else { &by };
        self.ranges.between(var, Some(Poly::default()), size.plus(-1), &Certs::new());
        let split = self.splits.entry(digit.var).or_default();
        if split.high.or(split.low).is_some() && split.by != by {
            return None;
        }
        split.by = by.clone();
        let part = if is_high { &mut split.high } else { &mut split.low };
        if part.replace(var).is_some() {
            return None;
        }
        if let (Some(first), Some(second)) = (split.high, split.low) {
            let parts = [Digit { var: first, size: high }, Digit { var: second, size: by }];
            digits.splice(at..=at, parts);
        }
        Some(())
    }

    /// Whether the array has as many elements in each dimension as there are values of the digit.
    fn shape(&mut self, array: Var, digits: &[Digit]) -> Option<()> {
        let shape = self.ranges.vars()[array].ty.shape();
        if shape.len() != digits.len() {
            return None;
        }
        for (size, digit) in shape.iter().zip(digits) {
            let (size, why) = self.ranges.settled(*size)?;
            join(&mut self.certs, &why);
            (size == digit.size).then_some(())?;
        }
        Some(())
    }

    /// Whether no two places are the same: in some order, each distance is larger than all that follow amount to. Where
    /// a digit has one value, its distance does not matter.
    fn apart(&mut self, digits: &[(&Digit, &Poly)]) -> Option<()> {
        if digits.is_empty() {
            return Some(());
        }
        for first in 0..digits.len() {
            let mut rest = digits.to_vec();
            let (digit, stride) = rest.remove(first);
            let mark = self.ranges.enter();
            let larger = digit.size.plus(-2).and_then(|more| {
                self.ranges.assume_nonneg(&more, &Certs::new());
                self.is_larger(stride, &rest)
            });
            self.ranges.leave(mark);
            if let Some(why) = larger
                && self.apart(&rest).is_some()
            {
                join(&mut self.certs, &why);
                return Some(());
            }
        }
        None
    }

    /// Whether a distance is larger than others amount to together.
    fn is_larger(&self, stride: &Poly, others: &[(&Digit, &Poly)]) -> Option<Certs> {
        let (mut least, mut certs) = self.magnitude(stride)?;
        least = least.plus(-1)?;
        for (digit, stride) in others {
            let (stride, why) = self.magnitude(stride)?;
            join(&mut certs, &why);
            least = least.sub(&stride.mul(&digit.size.plus(-1)?)?)?;
        }
        join(&mut certs, &self.ranges.prove_nonneg(&least)?);
        Some(certs)
    }

    /// How large a distance is, in whichever direction.
    fn magnitude(&self, stride: &Poly) -> Option<(Poly, Certs)> {
        let back = stride.neg()?;
        let forth = self.ranges.prove_nonneg(stride).map(|why| (stride.clone(), why));
        forth.or_else(|| Some((back.clone(), self.ranges.prove_nonneg(&back)?)))
    }
}

/// A polynomial divided by one that is a product, if nothing is left.
fn quotient(poly: &Poly, by: &Poly) -> Option<Poly> {
    let [(divisor, factor)] = by.terms() else { return None };
    let mut sum = Poly::default();
    for (monomial, value) in poly.terms() {
        let mut rest: Monomial = monomial.clone();
        for var in divisor {
            let at = rest.iter().position(|other| other == var)?;
            rest.remove(at);
        }
        let value = (value % factor == 0).then_some(value / factor)?;
        let product = rest
            .iter()
            .try_fold(Poly::constant(value), |product, var| product.mul(&Poly::var(*var)))?;
        sum = sum.add(&product)?;
    }
    Some(sum)
}
