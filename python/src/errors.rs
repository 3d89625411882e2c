//! What can go wrong, and the exceptions that it becomes. They are defined in `fehu/_errors.py`.

use pyo3::import_exception;
use pyo3::prelude::*;

import_exception!(fehu._errors, Error);
import_exception!(fehu._errors, ArgumentError);
import_exception!(fehu._errors, RangeError);
import_exception!(fehu._errors, ProgramError);
import_exception!(fehu._errors, OutOfMemory);
import_exception!(fehu._errors, Unavailable);

/// A function of a library has failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    pub(crate) message: String,
}

/// How the library's message about arguments whose sizes disagree begins (`fe_wrong_size`).
const WRONG_SIZES: &str = "entry point arguments have invalid sizes";
const PROGRAM_ERROR: i32 = 2;
const OUT_OF_MEMORY: i32 = 3;

impl Failure {
    /// Something that has no code.
    pub(crate) fn plain(message: String) -> Failure {
        Failure { code: 0, message }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure.code {
            PROGRAM_ERROR if failure.message.starts_with(WRONG_SIZES) => {
                ArgumentError::new_err(failure.message)
            }
            PROGRAM_ERROR => ProgramError::new_err(failure.message),
            OUT_OF_MEMORY => OutOfMemory::new_err(failure.message),
            _ => Error::new_err(failure.message),
        }
    }
}

/// Why an object of Python is no value of a type.
#[derive(Debug)]
pub(crate) enum Mismatch {
    /// What was expected and what was given.
    Wrong(String),
    /// A number that the type does not have.
    Range(String),
    /// Something of its own went wrong.
    Other(PyErr),
}

impl From<PyErr> for Mismatch {
    fn from(error: PyErr) -> Mismatch {
        Mismatch::Other(error)
    }
}

impl Mismatch {
    /// Says where: `field x`, `argument xs of dot`.
    pub(crate) fn within(self, place: &str) -> Mismatch {
        match self {
            Mismatch::Wrong(what) => Mismatch::Wrong(format!("{place}: {what}")),
            Mismatch::Range(what) => Mismatch::Range(format!("{place}: {what}")),
            Mismatch::Other(error) => Mismatch::Other(error),
        }
    }
}

impl From<Mismatch> for PyErr {
    fn from(mismatch: Mismatch) -> PyErr {
        match mismatch {
            Mismatch::Wrong(what) => ArgumentError::new_err(what),
            Mismatch::Range(what) => RangeError::new_err(what),
            Mismatch::Other(error) => error,
        }
    }
}
