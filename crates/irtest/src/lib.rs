//! What tests and developers ask of IR programs: do two of them mean the same, and what are they made of?
//!
//! - [`arguments`]: random and written arguments for functions;
//! - [`oracle`]: whether a program means the same before and after a pass, by running both;
//! - [`count`]: how often each operator occurs;
//! - [`passes`]: runs passes and says what goes wrong; [`reduce`]: makes a program that shows it smaller;
//! - [`random`]: random programs through all that;
//! - [`mod@file`]: the tests of passes in `tests/ir`.
//!
//! The oracle is the interpreter. A crate and not a part of `irgen`, because the interpreter's own tests need random
//! programs, and because the command for developers uses this one.

pub mod arguments;
pub mod count;
pub mod file;
pub mod oracle;
pub mod passes;
pub mod random;
pub mod reduce;
