//! Passes under observation: run, verified after each, compared by the oracle; what goes wrong is told apart.

use crate::oracle::{Oracle, Runs};
use fehu_ir::Prog;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::verify::{render, verify};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What can go wrong with passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A pass panicked.
    Panic {
        /// The pass.
        pass: &'static str,
        /// What it said.
        message: String,
    },
    /// The verifier refuses what a pass made.
    Refused {
        /// The pass.
        pass: &'static str,
        /// The program with the messages in it.
        text: String,
    },
    /// The program means something else.
    Differs(String),
}

/// The kinds of failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// See [`Failure::Panic`].
    Panic,
    /// See [`Failure::Refused`].
    Refused,
    /// See [`Failure::Differs`].
    Differs,
}

impl Failure {
    /// Its kind.
    pub fn kind(&self) -> FailureKind {
        match self {
            Failure::Panic { .. } => FailureKind::Panic,
            Failure::Refused { .. } => FailureKind::Refused,
            Failure::Differs(_) => FailureKind::Differs,
        }
    }
}

/// Runs passes; the program after the last one.
pub fn transform(prog: &Prog, passes: &[Pass]) -> Result<Prog, Failure> {
    let mut prog = prog.clone();
    for pass in passes {
        prog = one(pass, prog)?;
    }
    Ok(prog)
}

/// Runs passes, and compares the programs before the first and after the last one.
pub fn examine(prog: &Prog, passes: &[Pass], oracle: &Oracle) -> Result<Runs, Failure> {
    let after = transform(prog, passes)?;
    oracle.agree(prog, &after).map_err(Failure::Differs)
}

fn one(pass: &Pass, mut prog: Prog) -> Result<Prog, Failure> {
    let name = pass.name;
    let work = || {
        (pass.run)(&mut prog, &mut Remarks::default());
        prog
    };
    let after = catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::Panic { pass: name, message: text.unwrap_or("(no message)").to_owned() }
    })?;
    match verify(&after) {
        Ok(()) => Ok(after),
        Err(errors) => Err(Failure::Refused { pass: name, text: render(&after, &errors) }),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Panic { pass, message } => write!(f, "\"{pass}\" panicked: {message}"),
            Failure::Refused { pass, text } => {
                write!(f, "after \"{pass}\" the program is rejected:\n{text}")
            }
            Failure::Differs(text) => f.write_str(text),
        }
    }
}
