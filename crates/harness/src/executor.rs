//! What runs entry points: the interpreter, or a compiled program behind its server protocol.
//!
//! Everything above it (cases, scripts, properties, measurements) is written once, against [`Executor`]. Types are names
//! without sizes, as the server protocol has them: `[]i32`, or the name of an opaque type. Values that stay
//! inside are [`Object`]s.

pub mod compiled;
pub mod interpreted;

use fehu_data::Value;
use fehu_driver::run::RunError;
use std::fmt;
use std::time::Duration;

/// Something that runs the entry points of one program.
pub trait Executor {
    /// Begins a case that has to be over within a limit of time. Objects of the case before are gone.
    fn begin(&mut self, limit: Duration);

    /// Ends a case: nothing is limited any more.
    fn end(&mut self);

    /// What an entry point takes and gives.
    fn signature(&mut self, entry: &str) -> Res<Signature>;

    /// The names and types of the fields of a type, if it is a record or a tuple, or an array of them, whose fields are
    /// arrays; none if it is something else.
    fn fields(&mut self, ty: &str) -> Res<Vec<(String, String)>>;

    /// Calls an entry point with values. Tuples and records are several of them; units are none.
    fn run(&mut self, entry: &str, values: &[Value]) -> Res<Object>;

    /// Calls an entry point with objects, one for each parameter; they can be used again, even if they are
    /// consumed.
    fn call(&mut self, entry: &str, args: &[Object]) -> Res<Object>;

    /// The object of a type that consists of these values: one if it is transparent.
    fn put(&mut self, ty: &str, values: &[Value]) -> Res<Object>;

    /// Whether the values that an object of this type consists of can be seen: those of sums and abstract types
    /// may be nobody's business.
    fn shows(&mut self, ty: &str) -> Res<bool>;

    /// The values that an object consists of.
    fn values(&mut self, object: &Object) -> Res<Vec<Value>>;

    /// The record of a type with these fields, in the order of [`Executor::fields`].
    fn record(&mut self, ty: &str, fields: &[Object]) -> Res<Object>;

    /// A field of a record.
    fn project(&mut self, object: &Object, field: &str) -> Res<Object>;

    /// Forgets all objects but the first so many.
    fn forget(&mut self, kept: usize);

    /// How many objects there are.
    fn count(&self) -> usize;

    /// Ends the program. A server has to end well, too.
    fn close(&mut self) -> Res<()>;
}

/// What an executor does, if it can.
pub type Res<T> = Result<T, Failure>;

/// A value inside of an executor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its type.
    pub ty: String,
    /// Its number.
    id: usize,
}

/// What an entry point takes and gives.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// The parameters, with their types.
    pub params: Vec<(String, String)>,
    /// The type of the result.
    pub result: String,
}

/// Why an executor could not do something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program stopped with an error of its own, or refused its arguments: all that it said.
    Program(String),
    /// There is no such entry point or value.
    Request(String),
    /// A limit of time or memory was reached.
    Limit(Limit),
    /// The executor itself broke, which is our fault.
    Broken(String),
}

/// A limit that was reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The case took too long.
    Time,
    /// The server took too long to start.
    Start,
    /// The interpreter ran out of memory that it may use, or recursion was too deep: what it said.
    Resources(String),
}

impl Limit {
    /// What happened, for people who can set the limit of time by an option.
    pub fn explain(&self, limit: Duration, option: &str) -> String {
        let seconds = limit.as_secs_f64();
        match self {
            Limit::Time => {
                format!("stopped after {seconds} s; `{option} SECONDS` gives it more time")
            }
            Limit::Start => {
                format!("had not started after {seconds} s; `{option} SECONDS` gives it more time")
            }
            Limit::Resources(text) => text.clone(),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Time => f.write_str("stopped at the time limit"),
            Limit::Start => f.write_str("had not started at the time limit"),
            Limit::Resources(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Program(text) | Failure::Request(text) | Failure::Broken(text) => {
                f.write_str(text)
            }
            Failure::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// A request that is wrong, in words. People who forget to name the entry point of a test block learn how.
fn no_entry(error: &RunError) -> String {
    match error {
        RunError::NoEntry { name, others } if name == "main" && !others.is_empty() => {
            let line = format!("-- entry: {}", others.join(" "));
            format!("{error}; a line `{line}` after `-- ==` chooses what a test block is about")
        }
        RunError::NoEntry { .. }
        | RunError::Arguments(_)
        | RunError::Unrepresentable(_)
        | RunError::Program(_) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_without_an_entry_line_says_what_is_missing() {
        let error = |name: &str| RunError::NoEntry {
            name: name.to_owned(),
            others: vec!["saxpy".to_owned(), "dot".to_owned()],
        };
        assert!(no_entry(&error("main")).contains("`-- entry: saxpy dot`"));
        // Here somebody has written a line.
        assert!(!no_entry(&error("sapxy")).contains("-- entry"));
    }
}
