//! The interpreter of the core IR: its reference semantics, and the oracle of every test.
//!
//! [`Interp::new`] prepares a program (`compile`, `code`), [`Interp::call`] runs a function of it
//! (`exec`). What single operations compute is defined in [`scalar`], which the optimiser uses as
//! well; arrays are in [`Array`].
//!
//! Runs are deterministic: operators are evaluated from the first element to the last, starting with
//! the neutral element; of several writes to one place the last one stays.
//!
//! A verified program cannot make the interpreter panic, nor overflow the stack; what goes wrong is an
//! [`Error`].

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

pub use array::{Array, Copies};
pub use buffer::Buffer;
pub use error::{Error, ErrorKind};
pub use interp::{Interp, Stats};
pub use options::{Chunking, Options, Sink};
pub use value::Value;
