//! The script language: small expressions over the entry points of a program. Test blocks make inputs with them; `fehu script`
//! and literate programs show their values.
//!
//! ```text
//! exp  = name { atom }                                     a call, or a variable
//!      | `$` name { atom }                                 a call of a builtin function
//!      | `let` pat `=` exp { `let` pat `=` exp } `in` exp
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
//! A function of several parameters may be called with one tuple of as many components. With fewer arguments than parameters
//! it is a function of the others. Integers and decimals without suffix, and arrays of them, have the type of the parameter
//! that they are given to, and otherwise i32 and f64.
//!
//! - [`parse`]: text to [`Exp`];
//! - [`eval`]: expressions to values, with a [`Machine`] that can call entry points and [`Builtins`];
//! - [`mod@show`]: values as people read them.

pub mod eval;
mod lexer;
pub mod parse;
pub mod show;
#[cfg(test)]
mod tests;
mod value;

pub use eval::{Builtins, Machine, ScriptError};
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

impl Exp {
    /// The names of the program that it mentions: those that it does not bind itself.
    pub fn free_names(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.mentions(&mut Vec::new(), &mut |name| {
            if !found.iter().any(|other| other == name) {
                found.push(name.to_owned());
            }
        });
        found
    }

    fn mentions(&self, bound: &mut Vec<String>, found: &mut dyn FnMut(&str)) {
        match self {
            Exp::Call(name, args) => {
                if let Name::Plain(name) = name
                    && !bound.contains(name)
                {
                    found(name);
                }
                args.iter().for_each(|arg| arg.mentions(bound, found));
            }
            Exp::Let(names, _, value, body) => {
                value.mentions(bound, found);
                let depth = bound.len();
                bound.extend(names.iter().cloned());
                body.mentions(bound, found);
                bound.truncate(depth);
            }
            Exp::Literal(_) | Exp::Number(_) | Exp::String(_) => {}
            Exp::Tuple(parts) | Exp::Array(parts) => {
                parts.iter().for_each(|part| part.mentions(bound, found));
            }
            Exp::Record(fields) => {
                fields.iter().for_each(|(_, field)| field.mentions(bound, found));
            }
            Exp::Field(record, _) => record.mentions(bound, found),
            Exp::Index(array, indices) => {
                array.mentions(bound, found);
                indices.iter().for_each(|index| index.mentions(bound, found));
            }
        }
    }
}
