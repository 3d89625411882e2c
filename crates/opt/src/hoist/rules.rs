//! Which statements may leave which bodies; see the description of the pass.

use super::frame::{Facts, Frame, Trips};
use super::walk::Hoist;
use fehu_facts::cost;
use fehu_ir::{Atom, Elem, Exp, Family, LoopForm, Stm, Type};

/// What decides how a statement moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// Not at all.
    Stays,
    /// Anywhere.
    Free,
    /// Where its sizes are known not to be negative.
    Sized,
    /// As a check.
    Check,
    /// Under a guard.
    Guarded,
    /// Only if it is evaluated in any case.
    Sure,
}

/// How a statement leaves a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cross {
    No,
    /// As it is.
    Plain,
    /// With a guard.
    Guard,
}

impl Hoist<'_> {
    /// Whether the expression, apart from its bodies, can be evaluated anywhere.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "what the others can do is known to the analysis"
    )]
    pub(super) fn speculable(&self, exp: &Exp) -> bool {
        match exp {
            Exp::If(..) | Exp::Switch(..) | Exp::Partition(_) | Exp::Flatmap(_) => true,
            // Without inputs nothing says that the width is not negative.
            Exp::Screma(op) => !op.inputs.is_empty(),
            Exp::Loop(_, form, _) => matches!(form, LoopForm::For(..)),
            Exp::Hist(_) | Exp::Scatter(_) | Exp::Stream(_) | Exp::WithAcc(..) => false,
            _ => self.effects.speculable(exp, self.vars),
        }
    }

    /// Whether the expression, apart from its bodies, may end the program, or not end.
    pub(super) fn ends(&self, exp: &Exp) -> bool {
        match exp.family() {
            Family::Check => !matches!(exp, Exp::Assert(cond, _) if *cond == Atom::bool(true)),
            Family::Control => matches!(exp, Exp::Loop(_, LoopForm::While(_), _)),
            Family::Reference => !matches!(exp, Exp::Const(id) if !self.effects.constant(*id)),
            Family::Scalar
            | Family::Asked
            | Family::View
            | Family::Fresh
            | Family::Change
            | Family::Operator
            | Family::Fixed => false,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others move only if they are needed")]
    pub(super) fn class(&self, stm: &Stm, facts: &Facts) -> Class {
        if facts.prints {
            return Class::Stays;
        }
        let fresh = match &stm.exp {
            Exp::Assert(cond, _) if *cond == Atom::bool(true) => return Class::Free,
            Exp::Assert(..) => return Class::Check,
            Exp::Update(..)
            | Exp::FlatUpdate(..)
            | Exp::Scratch(..)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Seg(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Fail(_) => return Class::Stays,
            Exp::Atom(_)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Const(_) => false,
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::If(..)
            | Exp::Switch(..)
            | Exp::Loop(..)
            | Exp::Call(..)
            | Exp::Screma(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_) => true,
        };
        let mut numbers = true;
        for var in &stm.pat {
            match &self.vars[*var].ty {
                Type::Scalar(Elem::Prim(_)) => {}
                Type::Scalar(Elem::Unit) => numbers = false,
                Type::Array(..) => {
                    numbers = false;
                    if fresh && !self.share.is_fixed(*var) {
                        return Class::Stays;
                    }
                }
                Type::Acc(_) => return Class::Stays,
            }
        }
        match &stm.exp {
            _ if facts.speculable => Class::Free,
            Exp::Iota(..) | Exp::Replicate(..) => Class::Sized,
            _ if numbers => Class::Guarded,
            _ => Class::Sure,
        }
    }

    /// Whether a statement moves only when something that needs it does.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these forms are looked for; for others there is nothing to do"
    )]
    pub(super) fn is_lazy(&self, stm: &Stm) -> bool {
        let arrays = stm.pat.iter().all(|var| self.vars[*var].ty.is_array());
        arrays
            && match &stm.exp {
                Exp::Atom(_)
                | Exp::Index(..)
                | Exp::FlatIndex(..)
                | Exp::Reshape(..)
                | Exp::Rearrange(..)
                | Exp::Iota(..)
                | Exp::Replicate(..) => true,
                Exp::Screma(op) => {
                    let map = op.scans.is_empty() && op.reds.is_empty();
                    map && cost::is_cheap(&op.map.body, self.vars)
                }
                _ => false,
            }
    }

    /// How a statement leaves the body of this level.
    pub(super) fn cross(&self, stm: &Stm, class: Class, level: usize) -> Cross {
        let Frame { trips, lambda, facts, .. } = &self.frames[level];
        let entered = match trips {
            Trips::Once => return Cross::No,
            Trips::Unknown => Cross::No,
            Trips::Some => Cross::Plain,
            Trips::Above(_) | Trips::If(_) => Cross::Guard,
        };
        match class {
            Class::Stays => Cross::No,
            Class::Free => Cross::Plain,
            Class::Check if facts.prints => Cross::No,
            Class::Check => entered,
            Class::Sized if self.sizes_known(&stm.exp, level - 1) => Cross::Plain,
            _ if facts.ends || facts.prints => Cross::No,
            Class::Guarded if *lambda && cost::is_cheap_stm(stm, self.vars) => Cross::No,
            Class::Guarded => entered,
            Class::Sized | Class::Sure if entered == Cross::Plain => Cross::Plain,
            Class::Sized | Class::Sure => Cross::No,
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these forms are looked for; for others there is nothing to do"
    )]
    fn sizes_known(&self, exp: &Exp, level: usize) -> bool {
        match exp {
            Exp::Iota(_, count, ..) => self.is_size(*count, level),
            Exp::Replicate(shape, _) => shape.iter().all(|size| self.is_size(*size, level)),
            _ => false,
        }
    }
}
