//! The interpreter for the core IR: its reference semantics, and the oracle for all tests.
//!
//! [`Interp::new`] prepares a program (`compile`, `code`), and [`Interp::call`] runs one of its
//! functions (`exec`). The meaning of single operations is defined in [`scalar`], which the optimiser
//! also uses; arrays are in [`Array`].
//!
//! Runs are deterministic: operators are evaluated from the first element to the last, starting with
//! the neutral element; if several writes go to the same place, the last one wins.
//!
//! A verified program cannot make the interpreter panic or overflow the stack; run-time failures are
//! returned as an [`Error`].

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod array;
mod buffer;
mod code;
mod compile;
mod error;
mod exec;
mod interp;
mod options;
pub mod scalar;
mod value;
mod watch;

pub use array::{Array, Copies};
pub use buffer::Buffer;
pub use error::{Error, ErrorKind};
pub use interp::{Interp, Stats};
pub use options::{Chunking, Options, Sink};
pub use value::Value;
pub use watch::{Activation, Cause, Watch};
