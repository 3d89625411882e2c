//! Why a call of an entry point has no result.

use fehu_interp::{Error, ErrorKind};
use std::fmt;

/// Why a call of an entry point has no result.
#[derive(Clone, PartialEq, Debug)]
pub enum RunError {
    /// There is no entry point of this name.
    NoEntry {
        /// What was asked for.
        name: String,
        /// What there is.
        others: Vec<String>,
    },
    /// The arguments are not those that the entry point takes.
    Arguments(String),
    /// A value cannot be given to the outside world, or come from there.
    Unrepresentable(String),
    /// The program stopped.
    Program(Error),
}

impl RunError {
    /// Whether it is the program's own error, or one of its arguments: not a limit and not a bug.
    pub fn is_program(&self) -> bool {
        match self {
            RunError::Program(error) => error.kind == ErrorKind::Program,
            RunError::Arguments(_) => true,
            RunError::NoEntry { .. } | RunError::Unrepresentable(_) => false,
        }
    }

    /// Whether a limit was reached: memory, steps, or the depth of recursion.
    pub fn is_limit(&self) -> bool {
        matches!(self, RunError::Program(error) if error.kind == ErrorKind::Resource)
    }

    /// Whether the program was interrupted from outside.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, RunError::Program(error) if error.kind == ErrorKind::Interrupt)
    }
}

/// As a running program says it: a line with the message, then the places, innermost first.
impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NoEntry { name, others } => {
                write!(f, "Error: there is no entry point \"{name}\"")?;
                let others: Vec<String> = others.iter().map(|name| format!("\"{name}\"")).collect();
                match others.as_slice() {
                    [] => f.write_str("; the program has none"),
                    others => write!(f, "; there is {}", others.join(", ")),
                }
            }
            RunError::Arguments(message) | RunError::Unrepresentable(message) => {
                write!(f, "Error: {message}")
            }
            RunError::Program(error) => {
                write!(f, "Error: {}", error.message)?;
                if !error.trace.is_empty() {
                    f.write_str("\nBacktrace:")?;
                }
                for (i, place) in error.trace.iter().enumerate() {
                    let mark = if i == 0 { "->" } else { "  " };
                    write!(f, "\n{mark} #{i}  {}", place.0)?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for RunError {}
