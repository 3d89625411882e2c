//! What an operator of the host does when it is executed once: for profiles.
//!
//! The compiler derives it from the operator's code, as expressions in sizes that the host knows, and programs that are
//! made to be profiled evaluate them where the operator begins ([`Stm::Begin`](crate::Stm::Begin)). An operator of the
//! optimised program consists of what several lines of the source ask for; each of these has its part.

use crate::Exp;
use ecow::EcoString;

/// What an operator does.
#[derive(Clone, PartialEq, Debug)]
pub struct Work {
    /// What it is, in a word.
    pub name: EcoString,
    /// The source location.
    pub place: EcoString,
    /// Whether the numbers are exact, given the sizes. Otherwise they depend on the data: elements that may be accessed
    /// count as if they were, and loops of unknown length as one iteration.
    pub exact: bool,
    /// What it does for each line of the source.
    pub parts: Vec<Share>,
}

/// What an operator does for one line of the source.
#[derive(Clone, PartialEq, Debug)]
pub struct Share {
    /// A location on the line.
    pub place: EcoString,
    /// The bytes of memory that are read, each counted once.
    pub read: Exp,
    /// The bytes that are written.
    pub written: Exp,
    /// The operations on scalars; functions count as what they cost.
    pub operations: Exp,
}

impl Share {
    /// The expressions, in the order in which programs evaluate them.
    pub fn amounts(&self) -> [&Exp; 3] {
        [&self.read, &self.written, &self.operations]
    }

    /// The same, to be changed.
    pub fn amounts_mut(&mut self) -> [&mut Exp; 3] {
        [&mut self.read, &mut self.written, &mut self.operations]
    }
}
