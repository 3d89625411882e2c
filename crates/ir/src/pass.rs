//! Passes: named functions from programs to programs.
//!
//! A pass has one name, which is also its file, its folder under `tests/ir`, its row in the timings and its
//! word on the command line. It is total: whatever the verifier accepts, the pass turns into something that
//! the verifier accepts and that means the same.

use crate::{Loc, Prog};
use ecow::EcoString;

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// One word.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Does it.
    pub run: fn(&mut Prog, &mut Remarks),
}

/// What passes tell people about their decisions, for the report.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Remarks {
    /// In the order in which they were made.
    pub list: Vec<Remark>,
}

/// A decision of a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The pass.
    pub pass: &'static str,
    /// Whether something was done, or why not.
    pub kind: RemarkKind,
    /// The place that it is about.
    pub loc: Option<Loc>,
    /// Another place that has to do with it, such as the consumer it was fused into.
    pub other: Option<Loc>,
    /// A sentence, in which [`OTHER`] stands for the other place.
    pub text: EcoString,
}

/// Stands for the other place in the text of a [`Remark`], as in `fused into the map {other}`.
pub const OTHER: &str = "{other}";

/// What a remark says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RemarkKind {
    /// Something was improved.
    Done,
    /// Something could not be improved, and why.
    Missed,
    /// A check is left that is made at run time.
    Check,
}

impl Remark {
    /// The sentence; `show` says in words where the other place is, as in `on line 4`.
    pub fn sentence(&self, show: impl FnOnce(Option<&Loc>) -> String) -> String {
        if self.text.contains(OTHER) {
            return self.text.as_str().replace(OTHER, &show(self.other.as_ref()));
        }
        self.text.to_string()
    }
}

impl Remarks {
    /// A pass runs (again): of what it said before, only that which was done still holds.
    pub fn begin(&mut self, pass: &str) {
        self.list.retain(|remark| remark.pass != pass || remark.kind == RemarkKind::Done);
    }

    /// Adds a remark.
    pub fn add(
        &mut self,
        pass: &'static str,
        kind: RemarkKind,
        loc: Option<&Loc>,
        other: Option<&Loc>,
        text: impl Into<EcoString>,
    ) {
        let remark =
            Remark { pass, kind, loc: loc.cloned(), other: other.cloned(), text: text.into() };
        self.list.push(remark);
    }
}
