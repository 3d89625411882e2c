//! Bugs: places that do not know what to do say so, instead of going on with something that may be wrong.

use std::fmt::Display;

/// Ends the stage: something that an earlier stage guarantees does not hold. The driver reports it as an `internal-error`, with
/// the program and the command that repeats it.
#[track_caller]
#[cold]
pub fn bug(message: impl Display) -> ! {
    panic!("{message}")
}

/// What must be there; otherwise a [`bug`].
pub trait OrBug {
    /// What is there.
    type Found;

    /// What is there; otherwise it is a bug that `what` is missing.
    #[track_caller]
    fn or_bug(self, what: impl Display) -> Self::Found;
}

impl<T> OrBug for Option<T> {
    type Found = T;

    #[track_caller]
    fn or_bug(self, what: impl Display) -> T {
        match self {
            Some(found) => found,
            None => bug(format_args!("there is no {what}")),
        }
    }
}
