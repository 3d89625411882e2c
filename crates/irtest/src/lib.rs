//! What tests and developers ask about IR programs: do two of them mean the same, and what do they consist of?
//!
//! - [`arguments`]: random and given arguments for functions;
//! - [`oracle`]: whether a program means the same before and after a pass, determined by running both;
//! - [`count`]: how often each operator occurs;
//! - [`nested`]: Segs as nested maps, which mean the same;
//! - [`passes`]: runs passes and reports failures; [`reduce`]: shrinks a program that shows a failure;
//! - [`random`]: random programs through all of this;
//! - [`mod@file`]: the tests of passes in `tests/ir`; [`folder`]: folders of tests, here and elsewhere.
//!
//! The oracle is the interpreter. This is a separate crate and not part of `irgen`, because the interpreter's own tests
//! need random programs, and because `fehu dev` uses this one.

pub mod arguments;
pub mod count;
pub mod file;
pub mod folder;
pub mod nested;
pub mod oracle;
pub mod passes;
pub mod random;
pub mod reduce;
