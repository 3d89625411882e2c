//! Recognises expressions of the form `x` plus a number, and the `x` in them.

use fehu_imp::rewrite::{Terms, all, bin, le};
use fehu_imp::{Exp, Prim, Stm, V};
use fehu_ir::{BinOp, Scalar};

/// Offsets beyond this are not considered, so that sums with them stay far from the limits of 64 bits.
const MOST_OFFSET: i64 = 1 << 20;
/// Bounds beyond this are replaced by this.
const FAR: i64 = 1 << 60;
/// No `x` beyond this is in the interior, so that bounds that were moved closer do no harm.
const MOST: i64 = 1 << 59;
/// The same for 32 bits.
const MOST_NARROW: i64 = (1 << 31) - (1 << 21);

/// Shifts beyond this, or below zero, leave no interior.
const MOST_SHIFT: i64 = 1 << 40;

/// `x` plus something between two numbers, and possibly plus a shift: a number that is known when the loop begins.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Affine {
    /// All of it.
    pub(super) terms: Terms,
    pub(super) least: i64,
    pub(super) most: i64,
    /// The variable that has the shift.
    pub(super) shift: Option<V>,
}

impl Affine {
    /// A sum in which variables have ranges or are shifts, if there is one `x` in it, and no more than one shift.
    pub(super) fn of(
        terms: &Terms,
        x: V,
        range: &dyn Fn(V) -> Option<(i64, i64)>,
        is_shift: &dyn Fn(V) -> bool,
    ) -> Option<Affine> {
        let (mut least, mut most, mut count) = (0i64, 0i64, 0i64);
        let mut shift = None;
        for (factor, vars) in terms {
            let (a, b) = match vars.as_slice() {
                [] => (*factor, *factor),
                [v] if *v == x => {
                    count = count.checked_add(*factor)?;
                    continue;
                }
                [v] if is_shift(*v) => {
                    if *factor != 1 || shift.replace(*v).is_some() {
                        return None;
                    }
                    continue;
                }
                [v] => {
                    let (a, b) = range(*v)?;
                    let (a, b) = (a.checked_mul(*factor)?, b.checked_mul(*factor)?);
                    (a.min(b), a.max(b))
                }
                _ => return None,
            };
            least = least.checked_add(a)?;
            most = most.checked_add(b)?;
        }
        let near = least >= -MOST_OFFSET && most <= MOST_OFFSET;
        (count == 1 && near).then(|| Affine { terms: terms.clone(), least, most, shift })
    }
}

/// Conditions on `x`.
#[derive(Clone, Default, Debug)]
pub(super) struct Limits {
    /// `bound <= x + offset`
    lower: Vec<(Exp, i64)>,
    /// `x + offset <= bound`
    upper: Vec<(Exp, i64)>,
    /// Conditions that do not depend on `x`.
    conditions: Vec<Exp>,
    /// Whether there are sums of 32 bits.
    pub(super) is_narrow: bool,
    /// The variables of shifts, and what they are, ...
    shifts: Vec<(V, Exp)>,
    /// ... and those that limits depend on.
    needed: Vec<V>,
}

impl Limits {
    /// `bound <= a`, or `<` if it is strict.
    pub(super) fn at_least(&mut self, a: &Affine, bound: Exp, strict: bool) {
        let offset = a.least - i64::from(strict);
        let bound = self.without_shift(bound, a.shift);
        match self.lower.iter_mut().find(|(other, _)| *other == bound) {
            Some((_, least)) => *least = offset.min(*least),
            None => self.lower.push((bound, offset)),
        }
    }

    /// `a <= bound`, or `<` if it is strict.
    pub(super) fn at_most(&mut self, a: &Affine, bound: Exp, strict: bool) {
        let offset = a.most + i64::from(strict);
        let bound = self.without_shift(bound, a.shift);
        match self.upper.iter_mut().find(|(other, _)| *other == bound) {
            Some((_, most)) => *most = offset.max(*most),
            None => self.upper.push((bound, offset)),
        }
    }

    pub(super) fn condition(&mut self, condition: Exp) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// The variable of a shift by a number; the function makes a new one. None if it is not one of those that are allowed.
    pub(super) fn shift(
        &mut self,
        number: &Exp,
        allowed: Option<&[Exp]>,
        new: impl FnOnce() -> V,
    ) -> Option<V> {
        let value = near(number);
        if allowed.is_some_and(|allowed| !allowed.contains(&value)) {
            return None;
        }
        if let Some((v, _)) = self.shifts.iter().find(|(_, other)| *other == value) {
            return Some(*v);
        }
        let v = new();
        self.shifts.push((v, value));
        Some(v)
    }

    /// The numbers of those shifts that limits depend on, if there are others.
    pub(super) fn needed_shifts(&self) -> Option<Vec<Exp>> {
        let needed = self.shifts.iter().filter(|(v, _)| self.needed.contains(v));
        let needed: Vec<Exp> = needed.map(|(_, value)| value.clone()).collect();
        (needed.len() < self.shifts.len()).then_some(needed)
    }

    /// A bound of `x` where the bound is one of `x` and a shift.
    fn without_shift(&mut self, bound: Exp, shift: Option<V>) -> Exp {
        let Some(shift) = shift else { return bound };
        if !self.needed.contains(&shift) {
            self.needed.push(shift);
        }
        bin(BinOp::Sub, near(&bound), Exp::Var(shift))
    }

    pub(super) fn is_shift(&self, v: V) -> bool {
        self.shifts.iter().any(|(shift, _)| *shift == v)
    }

    /// What must be declared before the range.
    pub(super) fn declarations(&self) -> impl Iterator<Item = Stm> + '_ {
        self.shifts.iter().map(|(v, value)| Stm::Declare(*v, Some(value.clone())))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lower.is_empty() && self.upper.is_empty() && self.conditions.is_empty()
    }

    /// The first `x` and the end, where the second may refer to the variable of the first: always
    /// `first <= low <= high`, and `high <= end` unless there is no `x` at all.
    pub(super) fn range(&self, first: V, end: V, low: V) -> (Exp, Exp) {
        let mut least = bin(BinOp::Max, Exp::Var(first), Exp::int(0));
        for (bound, offset) in &self.lower {
            least = bin(BinOp::Max, least, plus(near(bound), -offset));
        }
        // No further than the end, but not before the beginning.
        let low_value = bin(BinOp::Max, bin(BinOp::Min, least, Exp::Var(end)), Exp::Var(first));
        let far = if self.is_narrow { MOST_NARROW } else { MOST };
        let mut most = bin(BinOp::Min, Exp::Var(end), Exp::int(far));
        for (shift, _) in &self.shifts {
            let nearer = bin(BinOp::Sub, Exp::int(far), Exp::Var(*shift));
            most = bin(BinOp::Min, most, nearer);
        }
        for (bound, offset) in &self.upper {
            most = bin(BinOp::Min, most, plus(near(bound), 1 - offset));
        }
        let mut high_value = bin(BinOp::Max, most, Exp::Var(low));
        for (shift, _) in &self.shifts {
            let usual = all([
                le(Exp::int(0), Exp::Var(*shift)),
                le(Exp::Var(*shift), Exp::int(MOST_SHIFT)),
            ]);
            high_value = Exp::Select(Box::new([usual, high_value, Exp::Var(low)]));
        }
        for condition in &self.conditions {
            high_value = Exp::Select(Box::new([condition.clone(), high_value, Exp::Var(low)]));
        }
        (low_value, high_value)
    }
}

/// A bound that sums do not overflow with; if it is farther away than this, then so is every `x`.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a bound that is not a constant is kept in range"
)]
fn near(bound: &Exp) -> Exp {
    match bound {
        Exp::Const(Scalar::I64(value)) => Exp::int((*value).clamp(-FAR, FAR)),
        _ => bin(BinOp::Max, bin(BinOp::Min, bound.clone(), Exp::int(FAR)), Exp::int(-FAR)),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions have no simpler sum")]
fn plus(e: Exp, number: i64) -> Exp {
    match e {
        Exp::Const(Scalar::I64(value)) => Exp::int(value.wrapping_add(number)),
        e if number == 0 => e,
        e => bin(BinOp::Add, e, Exp::int(number)),
    }
}

/// The number as one of 64 bits.
pub(super) fn wide(e: Exp, prim: Prim) -> Exp {
    match (prim, e) {
        (Prim::I64, e) => e,
        (_, Exp::Const(Scalar::I32(value))) => Exp::int(value.into()),
        (prim, e) => Exp::Convert(prim, Prim::I64, Box::new(e)),
    }
}
