//! The body of a loop as it is in the interior, and what the interior is.

use super::affine::{Affine, Limits, wide};
use fehu_imp::rewrite::{Vars, as_terms, is_total, substitute};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Prim, Stm, V};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Expressions larger than this are not computed before the loop.
const MOST_SIZE: usize = 60;

/// The body of a loop over `x` in its interior, and where the interior is; none if it would not help.
pub(super) fn interior(vars: &mut Vars<'_>, x: V, body: &[Stm]) -> Option<(Block, Limits)> {
    let found = attempt(vars, x, body, None)?;
    // A shift on which nothing useful depends would only make the interior smaller.
    match found.1.needed_shifts() {
        Some(needed) => attempt(vars, x, body, Some(&needed)),
        None => Some(found),
    }
}

fn attempt(
    vars: &mut Vars<'_>,
    x: V,
    body: &[Stm],
    shifts: Option<&[Exp]>,
) -> Option<(Block, Limits)> {
    let inside = set_vars(body);
    let mut assigned = FxHashSet::default();
    each_stm(body, &mut |stm| {
        stm.each_set(&mut |v| {
            assigned.insert(v);
        });
    });
    let mut new = || vars.scalar("shift", Prim::I64);
    let mut work = Interior {
        x,
        new: &mut new,
        shifts,
        inside,
        assigned,
        known: FxHashMap::default(),
        ranges: FxHashMap::default(),
        limits: Limits::default(),
        is_stuck: false,
    };
    let body = work.block(body);
    (!work.is_stuck && !work.limits.is_empty()).then_some((body, work.limits))
}

/// What a variable is in the interior.
#[derive(Clone)]
enum Value {
    /// `x` and a bit.
    Affine(Affine),
    /// Something that can be computed before the loop.
    Fixed(Exp),
    /// A boolean that depends on `x`.
    Truth(Exp),
}

struct Interior<'a> {
    x: V,
    /// Makes a variable for a shift.
    new: &'a mut dyn FnMut() -> V,
    /// Shifts that are used, if not all.
    shifts: Option<&'a [Exp]>,
    /// What the body declares or sets, and what it sets after the declaration.
    inside: FxHashSet<V>,
    assigned: FxHashSet<V>,
    known: FxHashMap<V, Value>,
    /// The variables of inner loops, with their least and greatest values.
    ranges: FxHashMap<V, (i64, i64)>,
    limits: Limits,
    /// Whether a check is left.
    is_stuck: bool,
}

impl Interior<'_> {
    fn block(&mut self, block: &[Stm]) -> Block {
        let mut out = Block::new();
        for stm in block {
            self.stm(stm, &mut out);
        }
        out
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn stm(&mut self, stm: &Stm, out: &mut Block) {
        match stm {
            Stm::Declare(v, Some(e)) if !self.assigned.contains(v) => {
                let value = match self.value(e) {
                    Some((Value::Affine(affine), prim)) => {
                        let sum = fehu_imp::rewrite::tidy(affine.terms.clone());
                        self.known.insert(*v, Value::Affine(affine));
                        if prim == Prim::I64 {
                            sum
                        } else {
                            Exp::Convert(Prim::I64, prim, Box::new(sum))
                        }
                    }
                    Some((value, _)) => {
                        self.known.insert(*v, value);
                        e.clone()
                    }
                    None => e.clone(),
                };
                out.push(Stm::Declare(*v, Some(value)));
            }
            Stm::Assert(e, _) => match self.assume(e, true) {
                Some(limits) => self.limits = limits,
                None => {
                    self.is_stuck = true;
                    out.push(stm.clone());
                }
            },
            Stm::If(e, yes, no) => {
                let far = self.far(e).and_then(|holds| Some((holds, self.assume(e, holds)?)));
                match far {
                    Some((holds, limits)) => {
                        self.limits = limits;
                        let mut chosen = self.block(if holds { yes } else { no });
                        out.append(&mut chosen);
                    }
                    None => {
                        let (yes, no) = (self.block(yes), self.block(no));
                        out.push(Stm::If(e.clone(), yes, no));
                    }
                }
            }
            Stm::For { var, from, to, step, kind, body } => {
                if let (Exp::Const(Scalar::I64(a)), Exp::Const(Scalar::I64(b))) = (from, to) {
                    self.ranges.insert(*var, (*a, b.saturating_sub(1).max(*a)));
                }
                let (from, to, kind) = (from.clone(), to.clone(), kind.clone());
                out.push(Stm::For {
                    var: *var,
                    from,
                    to,
                    step: *step,
                    kind,
                    body: self.block(body),
                });
            }
            other => out.push(other.clone()),
        }
    }

    /// The value of an integer or boolean expression in the interior, and its type.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these forms are looked for; for others there is nothing to do; sums of indices are of this type"
    )]
    fn value(&mut self, e: &Exp) -> Option<(Value, Prim)> {
        if let Some(fixed) = self.fixed(e) {
            return Some((Value::Fixed(fixed), Prim::I64));
        }
        match e {
            Exp::Cmp(..)
            | Exp::Bin(BinOp::And | BinOp::Or, Prim::Bool, ..)
            | Exp::Un(UnOp::Not, Prim::Bool, _) => Some((Value::Truth(e.clone()), Prim::Bool)),
            _ => {
                let prim = match e {
                    Exp::Bin(_, prim, ..) | Exp::Convert(_, prim, _) => *prim,
                    _ => Prim::I64,
                };
                Some((Value::Affine(self.affine(e)?), prim))
            }
        }
    }

    /// An expression as one that can be computed before the loop: it cannot fail, and nothing in it changes.
    fn fixed(&self, e: &Exp) -> Option<Exp> {
        let mut fits = !e.any(&|e| !is_total(e));
        e.each_var(&mut |v| {
            let is_outside = v != self.x && !self.inside.contains(&v);
            fits &= is_outside || matches!(self.known.get(&v), Some(Value::Fixed(_)));
        });
        if !fits {
            return None;
        }
        let expanded = substitute(e, &|v| match self.known.get(&v) {
            Some(Value::Fixed(e)) => Some(e.clone()),
            _ => None,
        });
        (expanded.size() <= MOST_SIZE).then_some(expanded)
    }

    /// An expression as `x` plus an offset; the conditions for that are recorded.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other expressions are not known to be affine"
    )]
    fn affine(&mut self, e: &Exp) -> Option<Affine> {
        match e {
            Exp::Var(_) | Exp::Index(_) => {
                let expanded = substitute(e, &|v| match self.known.get(&v) {
                    Some(Value::Affine(affine)) => {
                        Some(fehu_imp::rewrite::tidy(affine.terms.clone()))
                    }
                    _ => None,
                });
                self.sum(&as_terms(&expanded)?)
            }
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub), prim, a, b) => {
                self.is_number(*prim)?;
                let mut terms = self.terms(a, *prim)?;
                let sign = if *op == BinOp::Add { 1 } else { -1 };
                terms.extend(self.terms(b, *prim)?.into_iter().map(|(f, vars)| (sign * f, vars)));
                self.sum(&as_terms(&fehu_imp::rewrite::tidy(terms))?)
            }
            Exp::Bin(op @ (BinOp::Min | BinOp::Max), prim, a, b) => {
                self.is_number(*prim)?;
                let (affine, bound) = match (self.fixed(a), self.fixed(b)) {
                    (Some(bound), None) => (self.affine(b)?, bound),
                    (None, Some(bound)) => (self.affine(a)?, bound),
                    _ => return None,
                };
                let bound = wide(bound, *prim);
                if *op == BinOp::Min {
                    self.limits.at_most(&affine, bound, false);
                } else {
                    self.limits.at_least(&affine, bound, false);
                }
                Some(affine)
            }
            Exp::Convert(Prim::I64, Prim::I32, a) | Exp::Convert(Prim::I32, Prim::I64, a) => {
                self.limits.is_narrow = true;
                self.affine(a)
            }
            _ => None,
        }
    }

    fn sum(&self, terms: &fehu_imp::rewrite::Terms) -> Option<Affine> {
        let range = |v| self.ranges.get(&v).copied();
        Affine::of(terms, self.x, &range, &|v| self.limits.is_shift(v))
    }

    /// A part of a sum: `x` plus an offset, a small number, the variable of an inner loop, or a shift.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other terms are fixed or not affine")]
    fn terms(&mut self, e: &Exp, prim: Prim) -> Option<fehu_imp::rewrite::Terms> {
        const FAR: i64 = 1 << 30;
        match e {
            Exp::Const(Scalar::I64(value)) if (-FAR..=FAR).contains(value) => {
                Some(vec![(*value, Vec::new())])
            }
            Exp::Const(Scalar::I32(value)) => Some(vec![(i64::from(*value), Vec::new())]),
            Exp::Var(v) if self.ranges.contains_key(v) => Some(vec![(1, vec![*v])]),
            _ => match self.fixed(e) {
                Some(number) => {
                    let number = wide(number, prim);
                    let v = self.limits.shift(&number, self.shifts, &mut self.new)?;
                    Some(vec![(1, vec![v])])
                }
                None => Some(self.affine(e)?.terms),
            },
        }
    }

    fn is_number(&mut self, prim: Prim) -> Option<()> {
        self.limits.is_narrow |= prim == Prim::I32;
        matches!(prim, Prim::I32 | Prim::I64).then_some(())
    }

    /// The limits within which a condition has a value.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other conditions assume nothing")]
    fn assume(&mut self, e: &Exp, holds: bool) -> Option<Limits> {
        if let Some(fixed) = self.fixed(e) {
            let mut limits = self.limits.clone();
            limits.condition(if holds {
                fixed
            } else {
                Exp::Un(UnOp::Not, Prim::Bool, Box::new(fixed))
            });
            return Some(limits);
        }
        match e {
            Exp::Var(v) => match self.known.get(v)?.clone() {
                Value::Truth(e) => self.assume(&e, holds),
                Value::Affine(_) | Value::Fixed(_) => None,
            },
            Exp::Un(UnOp::Not, Prim::Bool, a) => self.assume(a, !holds),
            Exp::Bin(BinOp::And, Prim::Bool, a, b) | Exp::Bin(BinOp::Or, Prim::Bool, a, b) => {
                let is_and = matches!(e, Exp::Bin(BinOp::And, ..));
                if is_and == holds {
                    let saved = self.limits.clone();
                    self.limits = self.assume(a, holds)?;
                    let both = self.assume(b, holds);
                    self.limits = saved;
                    return both;
                }
                // One is enough: the one that holds far from the ends.
                let one = if self.far(a) == Some(holds) { a } else { b };
                self.assume(one, holds)
            }
            Exp::Cmp(op, prim, a, b) => self.compare(*op, *prim, a, b, holds),
            _ => None,
        }
    }

    fn compare(&mut self, op: CmpOp, prim: Prim, a: &Exp, b: &Exp, holds: bool) -> Option<Limits> {
        self.is_number(prim)?;
        let (affine, bound, is_left) = match (self.fixed(a), self.fixed(b)) {
            (None, Some(bound)) => (self.affine(a)?, wide(bound, prim), true),
            (Some(bound), None) => (self.affine(b)?, wide(bound, prim), false),
            _ => return None,
        };
        let mut limits = self.limits.clone();
        match (op, holds) {
            // Different from a number means beyond it, and from anything else, before it.
            (CmpOp::Eq, false) if matches!(bound, Exp::Const(_)) => {
                limits.at_least(&affine, bound, true);
            }
            (CmpOp::Eq, false) => limits.at_most(&affine, bound, true),
            (CmpOp::Eq, true) => return None,
            (CmpOp::Lt | CmpOp::Le, _) => {
                // `a < b` does not hold if `b <= a`.
                let strict = (op == CmpOp::Lt) == holds;
                if is_left == holds {
                    limits.at_most(&affine, bound, strict);
                } else {
                    limits.at_least(&affine, bound, strict);
                }
            }
        }
        Some(limits)
    }

    /// The value of a condition far from the ends: `x` is larger than constants, and smaller than any other
    /// loop-invariant value. Parts that do not depend on `x` at all decide nothing there, if there are others.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions have no known bound")]
    fn far(&mut self, e: &Exp) -> Option<bool> {
        match e {
            Exp::Var(v) => match self.known.get(v)?.clone() {
                Value::Truth(e) => self.far(&e),
                Value::Affine(_) | Value::Fixed(_) => None,
            },
            Exp::Un(UnOp::Not, Prim::Bool, a) => Some(!self.far(a)?),
            Exp::Bin(BinOp::And | BinOp::Or, Prim::Bool, a, b) if self.fixed(a).is_some() => {
                self.far(b)
            }
            Exp::Bin(BinOp::And | BinOp::Or, Prim::Bool, a, b) if self.fixed(b).is_some() => {
                self.far(a)
            }
            Exp::Bin(BinOp::And, Prim::Bool, a, b) => match (self.far(a), self.far(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Exp::Bin(BinOp::Or, Prim::Bool, a, b) => match (self.far(a), self.far(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Exp::Cmp(op, Prim::I32 | Prim::I64, a, b) => {
                let (bound, is_left) = match (self.fixed(a), self.fixed(b)) {
                    (None, Some(bound)) => (bound, true),
                    (Some(bound), None) => (bound, false),
                    _ => return None,
                };
                let is_number = matches!(bound, Exp::Const(_));
                Some(*op != CmpOp::Eq && is_left != is_number)
            }
            _ => None,
        }
    }
}
