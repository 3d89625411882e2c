//! Levels, and the bodies that are open while the traversal is inside them.

use fehu_ir::{Atom, Stm};

/// A set of levels. Those from 63 on are one: what uses any of them stays where it is, which only very deep programs notice.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Levels(u64);

impl Levels {
    pub(super) fn add(&mut self, level: usize) {
        self.0 |= 1 << level.min(63);
    }

    pub(super) fn join(&mut self, other: Levels) {
        self.0 |= other.0;
    }

    /// Those up to a level.
    pub(super) fn up_to(self, level: usize) -> Levels {
        if level >= 63 { self } else { Levels(self.0 & ((1 << (level + 1)) - 1)) }
    }

    /// The highest one; zero if there is none. From 63 on, it may be any.
    pub(super) fn highest(self) -> usize {
        match self.0.leading_zeros() {
            0 => usize::MAX,
            zeros => 63 - zeros.min(63) as usize,
        }
    }
}

/// What is known of a statement, or of all statements that stay in a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The levels of what it uses, as things are.
    pub(super) now: Levels,
    /// The same once everything that moves along has moved.
    pub(super) could: Levels,
    /// Whether it can be evaluated anywhere.
    pub(super) speculable: bool,
    /// Whether it may end the program, or not end.
    pub(super) ends: bool,
    /// Whether it must be evaluated as often as written.
    pub(super) prints: bool,
}

impl Facts {
    pub(super) const NONE: Facts =
        Facts { now: Levels(0), could: Levels(0), speculable: true, ends: false, prints: false };

    pub(super) fn join(&mut self, other: Facts) {
        self.now.join(other.now);
        self.could.join(other.could);
        self.speculable &= other.speculable;
        self.ends |= other.ends;
        self.prints |= other.prints;
    }
}

/// How often a body is evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Trips {
    /// At most once for each evaluation of the statement around: nothing leaves it.
    Once,
    /// Any number of times, nobody knows when.
    Unknown,
    /// At least once.
    Some,
    /// At least once if this integer is above zero.
    Above(Atom),
    /// At least once if this is true.
    If(Atom),
}

/// A body that the traversal is in.
pub(super) struct Frame {
    /// The statements so far; those that moved along with others are gone.
    pub(super) stms: Vec<Option<Stm>>,
    pub(super) trips: Trips,
    /// Whether it is the function of an operator.
    pub(super) lambda: bool,
    /// Of all statements so far.
    pub(super) facts: Facts,
    /// The variables that tell whether the body is never evaluated, and whether it is, once they are needed.
    pub(super) empty: Option<Atom>,
    pub(super) full: Option<Atom>,
    /// Where the list of sizes that are known not to be negative had its end.
    pub(super) sizes: usize,
}
