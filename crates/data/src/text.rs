//! The text format: see the crate's page for its grammar.
//!
//! - `read.rs`: values, arrays, strings;
//! - `number.rs`: numbers, and their conversion to the type they should have;
//! - `quick.rs`: the same for the usual numbers, fast;
//! - `write.rs`: values as text;
//! - `float.rs`: floats as text.

mod float;
mod number;
mod quick;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use write::{scalar_to_string, to_string, write};

pub(crate) use number::{parse_float, parse_integer};
pub(crate) use read::{describe, read};

/// How values are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// How floats are written.
    pub floats: Floats,
    /// Where lines break.
    pub rows: Rows,
}

/// How floats are written. Either way reading gives the same number back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Floats {
    /// With 9 digits (f16 and f32) or 17 (f64), as C's `%.9g` does, without trailing zeros: `1f32`,
    /// `0.100000001f32`, `1e+10f32`.
    Digits,
    /// With as few digits as identify the number, and always a point: `1.0f32`, `0.1f32`, `1.0e10f32`.
    Shortest,
}

/// Where lines break inside of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rows {
    /// Nowhere: a value is one line.
    Inline,
    /// Between the rows of arrays with several dimensions.
    Lines,
}

impl Style {
    /// What compiled programs print.
    pub const PROGRAM: Style = Style { floats: Floats::Digits, rows: Rows::Inline };
    /// What data sets look like, for people.
    pub const DATASET: Style = Style { floats: Floats::Shortest, rows: Rows::Lines };
    /// For messages: the shortest floats, on one line.
    pub const SHORT: Style = Style { floats: Floats::Shortest, rows: Rows::Inline };
}
