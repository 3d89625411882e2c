//! How running a program can end badly.

use ecow::EcoString;
use fehu_ir::Loc;
use std::fmt;

/// Why a program ended before it had a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Error {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// What went wrong, without the place.
    pub message: String,
    /// The places in the source that led here, innermost first.
    pub trace: Vec<Loc>,
}

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The program's own: a failed check, a division by zero, or recursion that is too deep.
    Program,
    /// A limit was reached: memory or steps.
    Resource,
    /// The user interrupted the program.
    Interrupt,
    /// The program breaks a rule of the IR; the verifier would have refused it.
    Internal,
}

/// What the interpreter's functions return; the error is boxed, so that successes are small.
pub(crate) type Res<T> = Result<T, Box<Error>>;

impl Error {
    /// A new error of the given kind, without a place.
    pub(crate) fn boxed(kind: ErrorKind, message: impl Into<String>) -> Box<Error> {
        Box::new(Error { kind, message: message.into(), trace: Vec::new() })
    }

    /// An error that a verified program cannot cause.
    #[cold]
    pub(crate) fn internal(message: impl Into<String>) -> Box<Error> {
        Error::boxed(ErrorKind::Internal, format!("internal error: {}", message.into()))
    }

    /// An error of the program itself.
    #[cold]
    pub(crate) fn program(message: impl Into<String>) -> Box<Error> {
        Error::boxed(ErrorKind::Program, message)
    }

    /// A limit was reached.
    #[cold]
    pub(crate) fn resource(message: impl Into<String>) -> Box<Error> {
        Error::boxed(ErrorKind::Resource, message)
    }

    /// The same error at this place, unless it has one.
    #[cold]
    pub(crate) fn at(mut self: Box<Error>, loc: Option<&EcoString>) -> Box<Error> {
        if self.trace.is_empty()
            && let Some(loc) = loc
        {
            self.trace.push(Loc(loc.clone()));
        }
        self
    }

    /// The same error in a function that was called from this place.
    #[cold]
    pub(crate) fn called_from(mut self: Box<Error>, loc: Option<&EcoString>) -> Box<Error> {
        if self.trace.len() < MOST_PLACES
            && let Some(loc) = loc
        {
            self.trace.push(Loc(loc.clone()));
        }
        self
    }
}

/// How many places are told: recursion may be deep.
const MOST_PLACES: usize = 50;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for (i, Loc(place)) in self.trace.iter().enumerate() {
            write!(f, "\n  #{i}  {place}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
