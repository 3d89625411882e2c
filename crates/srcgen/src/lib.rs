//! Random programs in the language itself, as texts, for tests.
//!
//! [`program`] makes a program from a seed that the checker accepts: types, constants, functions that are polymorphic, of higher
//! order, consuming, or with results of unknown size; modules and parametric modules; and one entry point. Names of
//! declarations begin with the seed, so that several programs can stand in one file. The same seed gives the same program on
//! every machine.
//!
//! What programs compute is defined and exact, and ends quickly: sizes of arrays are small, loops are short, operators of
//! reductions are associative, equal indices of a scatter have equal values. Functions such as `sin` are applied to
//! results only, which may be compared with a tolerance. Nothing fails unless [`Config::failing`] asks for
//! it; then some indices, sizes, divisors and assertions do.
//!
//! How it works: an expression is made for a type that is wanted ([`ty`]), from what is in scope ([`mod@env`]). Sizes
//! are texts, and types are equal if their texts are; whatever has a size that cannot be written (the result of a
//! filter) gets a name for it by `let [n] (xs: [n]t) = ...`. What shares memory with what is told from the texts of
//! definitions, carefully: a variable is only consumed in the block that made it.
//!
//! - [`exp`]: any expression; [`scalar`], [`mod@array`], [`function`]: by type; [`control`]: loops and matches;
//! - [`ops`]: associative operators; [`stm`]: blocks; [`dec`], [`module`]: declarations;
//! - [`mod@sequences`]: programs on sequences, which are of another kind;
//! - [`reduce`]: makes any program smaller that shows a fault; [`mutant`]: changes any program a little.

mod array;
mod control;
mod dec;
mod env;
mod exp;
mod function;
mod module;
pub mod mutant;
mod ops;
pub mod reduce;
mod scalar;
mod sequences;
mod stm;
mod ty;

use env::Gen;

pub use sequences::{sequence_arguments, sequences};

/// How large programs are, and what they may contain.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// How deep expressions are.
    pub fuel: usize,
    /// The most statements of a block.
    pub statements: usize,
    /// The most functions, not counting those of modules.
    pub functions: usize,
    /// Whether checks may fail.
    pub failing: bool,
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its entry point.
    pub entry: String,
    /// The text.
    pub text: String,
}

impl Config {
    /// The configuration for a seed: programs of several sizes, every fourth of which may fail.
    pub fn of_seed(seed: u64) -> Config {
        let large = seed % 3;
        Config {
            fuel: 3 + usize::from(large == 2),
            statements: 3 + large as usize,
            functions: 2 + large as usize,
            failing: seed.is_multiple_of(4),
        }
    }
}

/// The program of a seed.
pub fn program(seed: u64, config: Config) -> Program {
    let mut generator = Gen::new(seed, config);
    let text = generator.program();
    Program { entry: format!("p{seed}"), text }
}
