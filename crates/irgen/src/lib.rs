//! Random programs in the core IR, for tests.
//!
//! [`random_prog`] generates a well-typed program from a seed: scalar code, arrays of ranks one to three, all array
//! operations, branches, loops, calls, nested operators with functions, in-place updates, and results of unknown size.
//! The same seed gives the same program on every machine. [`random_segs`] has Segs as well, and no streams.
//!
//! The programs are meant to be run: they end quickly, and their results are defined. Divisors are not zero, indices
//! are in bounds, scattered indices are distinct, reductions are exactly associative (so not on floats), and parts of
//! arrays with undefined contents are not read. Assertions hold unless [`Config::failing`] requests otherwise. The
//! entry point is `main`; it accepts any arguments, including arrays of size zero, but takes a reasonable time only for
//! sizes up to [`MAX_PARAM_SIZE`].
//!
//! This is a separate crate and not a feature of `ir`, because only the tests of `ir`, of the interpreter and of the
//! back ends need it, and the compiler does not: a feature would be enabled for all of them in one build.
//!
//! - `rng`: the random numbers; [`mutate`]: random damage to programs and texts.
//! - `state`: what a generator knows: variables in scope, which of them may be consumed, costs.
//! - `scalar`, `array`, `control`, `soac`, `fun`: statements by construct.
//! - `seg`: Segs, in programs of [`random_segs`]; `rows`: those whose rows differ.
//! - `stream`: streams, and operators that can be fused with them.
//! - `chain`: statements that optimisers look for: producers and consumers, views of views, checked indices.
//! - `nest`: nests of maps with transposed, flattened and sliced results, and operators on vectors.
//! - `irregular`: likewise, irregular nests;
//! - `nested`: programs of another kind, as text, that consist only of nested parallelism.
//! - `kernels`: likewise, with what becomes kernels of GPUs of each kind.
//! - `ragged`: likewise, with rows that differ, as Segs.
//! - `places`: likewise, with arrays that become parts of others.
//! - `stencils`: likewise, with elements that are read near positions.
//! - `views`: likewise, operators on transposed, reversed, cut and reshaped rows.
//! - `updates`: likewise, matrices that are changed in place, by rows and slices;
//! - `products`: likewise, nests with products of matrices;
//! - `growing`: likewise, arrays as large as a counter says;
//! - `boxes`: likewise, scatters to boxes of their destination.
//! - `differentiable`: likewise, functions of integers that have derivatives.

mod array;
mod boxes;
mod chain;
mod control;
mod differentiable;
mod fun;
mod growing;
mod irregular;
mod kernels;
pub mod mutate;
mod nest;
mod nested;
mod places;
mod products;
mod ragged;
pub mod rng;
mod rows;
mod scalar;
mod seg;
mod soac;
mod state;
mod stencils;
mod stream;
mod updates;
mod views;
mod words;

pub use boxes::box_text;
pub use differentiable::{CONSTANT, differentiable_text, is_polynomial, smooth_text};
pub use fun::{random_prog, random_segs};
pub use growing::growing_text;
pub use irregular::irregular_text;
pub use kernels::kernel_text;
pub use nested::nested_text;
pub use places::place_text;
pub use products::product_text;
pub use ragged::ragged_text;
pub use stencils::stencil_text;
pub use updates::update_text;
pub use views::view_text;

/// Sizes of array arguments for which a program's time is small.
pub const MAX_PARAM_SIZE: i64 = 8;

/// What programs may contain.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// About how many statements a function has, not counting those inside of others.
    pub statements: usize,
    /// Functions of floats whose results differ between machines in the last bits, such as `sin`.
    pub inexact: bool,
    /// Checks that fail for some arguments: assertions, indices, branches that end the program.
    pub failing: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config { statements: 8, inexact: false, failing: false }
    }
}
