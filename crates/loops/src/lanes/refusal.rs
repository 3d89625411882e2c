//! Why a loop that was to have lanes has none, for people who wonder: `fehu report` says it.

use fehu_imp::Stm;

/// The first thing that stands in the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// Nothing: there is no loop inside that C compilers do not unroll, so that they find the vectors themselves.
    Plain,
    /// A check may fail.
    Check,
    /// Another function is called.
    Call,
    /// Tasks begin there, or something else that one lane cannot do.
    Statement,
    /// Rows are copied.
    Copy,
    /// Positions set something that all of them share.
    Shared,
    /// Memory is allocated, or pointed to, where not all lanes are.
    Memory,
    /// There is a branch that is not a selection.
    Branch,
    /// Neighbouring lanes access elements that are not neighbours.
    Far,
    /// Elements are narrower than masks can be.
    Narrow,
    /// Vector units do not have this operation on integers or remainders.
    Division,
    /// Half precision.
    Half,
    /// Only the C library has a function.
    Library,
    /// There are fewer positions than lanes.
    Few,
    /// Local arrays would be too large.
    Local,
}

impl Refusal {
    /// Why a statement does not fit.
    #[expect(clippy::wildcard_enum_match_arm, reason = "others have no words of their own")]
    pub(super) fn of(stm: &Stm) -> Refusal {
        match stm {
            Stm::Assert(..) => Refusal::Check,
            Stm::Call(..) | Stm::Foreign(_) => Refusal::Call,
            Stm::Copy { .. } => Refusal::Copy,
            _ => Refusal::Statement,
        }
    }

    /// The same as a clause; none if there is nothing to complain about.
    pub fn text(self) -> Option<&'static str> {
        Some(match self {
            Refusal::Plain => return None,
            Refusal::Check => "a check inside may fail",
            Refusal::Call => "it calls a function that is not inlined",
            Refusal::Statement => "it does something that only a thread as a whole can do",
            Refusal::Copy => "it copies rows, and their elements are better lanes",
            Refusal::Shared => "each position needs what the one before has left",
            Refusal::Memory => "it needs memory of its own in ways that lanes cannot share",
            Refusal::Branch => "there is a branch in it that is more than a choice between values",
            Refusal::Far => {
                "in a loop inside, neighbouring positions access elements that are far apart"
            }
            Refusal::Narrow => "in a loop inside, it accesses elements of fewer than 32 bits",
            Refusal::Division => {
                "in a loop inside, it divides integers or takes powers or remainders that vector units do not have"
            }
            Refusal::Half => "in a loop inside, it computes with f16",
            Refusal::Library => "in a loop inside, it uses a function that only the C library has",
            Refusal::Few => "there are too few positions to fill half a vector",
            Refusal::Local => "the small arrays of all lanes together would be too large",
        })
    }
}
