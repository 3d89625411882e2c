//! The script language: small expressions over the entry points of a program, with which test blocks
//! make inputs.
//!
//! ```text
//! exp  = name { atom }                                     a call, or a variable
//!      | `$` name { atom }                                 a call of a builtin function
//!      | `let` pat `=` exp `in` exp
//!      | atom
//! atom = ( name | `$` name | literal
//!        | `(` exp `)` | `(` exp `,` exp { `,` exp } `)` | `(` `)`
//!        | `[` exp { `,` exp } `]` | `empty(` { `[` size `]` } type `)`
//!        | `{` [ name `=` exp { `,` name `=` exp } ] `}` ) { `.` field | `[` exp { `,` exp } `]` }
//! pat  = name | `(` name { `,` name } `)`
//! ```
//!
//! Literals are those of the text format of values. Lists may end with a comma. An index follows its
//! array without a blank, as `f x [1, 2]` is a call with two arguments.
//!
//! A function of several parameters may be called with one tuple of as many components. Integers
//! and decimals without suffix have the type of the parameter that they are given to, and otherwise i32
//! and f64.
//!
//! - [`parse`]: text to [`Exp`];
//! - [`eval`]: expressions to values, with a [`Machine`] that can call entry points and read files.

pub mod eval;
mod lexer;
pub mod parse;
#[cfg(test)]
mod tests;
mod value;

pub use eval::{Machine, ScriptError};
pub use value::ScriptValue;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Exp {
    /// A call of a function, or a variable if there are no arguments.
    Call(Name, Vec<Exp>),
    /// The value of the first is bound in the second.
    Let(Vec<String>, Shape, Box<Exp>, Box<Exp>),
    /// A value with its type.
    Literal(fehu_data::Value),
    /// A number without a type, as it was written.
    Number(String),
    /// Characters between quotes: an array of bytes, or the name of a file.
    String(String),
    /// Several values.
    Tuple(Vec<Exp>),
    /// Named values.
    Record(Vec<(String, Exp)>),
    /// An array of at least one element.
    Array(Vec<Exp>),
    /// A field of a record, or a component of a tuple.
    Field(Box<Exp>, String),
    /// An element of an array, or a row.
    Index(Box<Exp>, Vec<Exp>),
}

/// What a function is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    /// A variable, or an entry point.
    Plain(String),
    /// Built into the script language.
    Builtin(String),
}

/// What a pattern takes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing: there is one name.
    Whole,
    /// A tuple.
    Tuple,
}
