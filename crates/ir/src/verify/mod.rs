//! The verifier: whether a program keeps the rules of the IR.
//!
//! [`verify`] runs after every pass in debug builds and in tests. It checks:
//!
//! 1. **Scope** (`scope`): every variable is bound once, and used only after its binding and inside the
//!    body of its binding; sizes in types are i64 variables in scope or constants;
//!    the variables of a pattern may occur in each other's types; results of functions are not used.
//! 2. **Types** (`scalar`, `array`, `control`, `soac`): kinds and types of all operands, element types,
//!    ranks, and sizes. Sizes are equal if they are the same operand, or variables that are copies
//!    (`Exp::Atom`) of the same operand. Numbers and types of results, where the sizes of a pattern, of
//!    loop parameters and of a function's results are replaced by what is returned for them; parameters
//!    and results of lambdas; permutations; cases of a switch differ and have its type.
//! 3. **Certificates** are scalars of type unit in scope.
//! 4. **Stage**: only operations that [`Exp::legal_in`](crate::Exp::legal_in) allows; Segs (`seg`) have one operator, and
//!    stand inside of each other as [`Level::within`](crate::Level::within) allows, and through calls (`levels`) as
//!    [`Level::callable_within`](crate::Level::callable_within) does.
//! 5. **Calls** (`control`): the function exists; number and types of arguments and results, with sizes
//!    replaced. Functions may be recursive. A constant depends only on constants before it, also through
//!    functions.
//! 6. **Accumulators**: types, number of indices and values; they do not leave the operation that makes
//!    them, and are neither parameters nor results of functions.
//! 7. **Consumption** (`alias`), by alias analysis: nothing that may share memory with a consumed array is
//!    used afterwards; parameters are consumed only if declared so; constants and free variables of
//!    lambdas and loops are not consumed; what an operation writes is disjoint from what it reads.
//! 8. **Entry points** (`entry`): the function exists; the parts of parameters and results are those of
//!    the function; fields add up; names differ.
//! 9. **Foreign functions** (`foreign`): symbols are identifiers, one for each platform; parameters and results have
//!    contents, and the sizes of results are parameters or constants.
//!
//! It does not check what cannot be seen in the text: that indices are in bounds (that is what certificates
//! are for), that a reshape keeps the number of elements or a concatenation adds up (unless all sizes are
//! constants), that certificates suffice, that operators are associative and neutral elements neutral,
//! that scattered indices differ, and that loops end.

mod alias;
mod array;
mod control;
mod entry;
mod foreign;
mod levels;
pub mod scalar;
mod scope;
mod seg;
mod soac;
mod tiling;

use crate::text::{Printed, print_lines, renumber, show_stm};
use crate::{ConstId, FunId, Prog};
use std::fmt;

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Where.
    pub owner: Owner,
    /// The name of the function, constant or entry point.
    pub name: String,
    /// The statement: its number, counting all statements of the function in the order of the text.
    pub stm: Option<usize>,
    /// The statement as text.
    pub text: Option<String>,
    /// A sentence. Variables have the names of the printed program.
    pub message: String,
}

/// A part of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// A constant.
    Const(ConstId),
    /// A function.
    Fun(FunId),
    /// The entry point with this number.
    Entry(usize),
}

/// Checks a program; see the module's description.
pub fn verify(prog: &Prog) -> Result<(), Vec<VerifyError>> {
    if find(prog).is_empty() {
        return Ok(());
    }
    // Once more, so that the messages name variables as the printed program does.
    let errors = find(&renumber(prog));
    if errors.is_empty() {
        // Numbering repairs nothing but variables that are not in the table.
        return Err(find(prog));
    }
    Err(errors)
}

/// Whether a program that is right otherwise keeps the rules of consumption.
pub fn consumes_correctly(prog: &Prog) -> bool {
    let mut errors = Vec::new();
    alias::check(prog, &mut errors);
    errors.is_empty()
}

/// The program's text with each message under the statement that it is about.
pub fn render(prog: &Prog, errors: &[VerifyError]) -> String {
    let prog = renumber(prog);
    let Printed { text, consts, funs } = print_lines(&prog);
    let mut notes: Vec<(usize, &VerifyError)> = Vec::new();
    let mut rest = Vec::new();
    for error in errors {
        let lines = match error.owner {
            Owner::Const(id) => consts.get(id.0 as usize),
            Owner::Fun(id) => funs.get(id.0 as usize),
            Owner::Entry(_) => None,
        };
        let line = lines.and_then(|lines| lines.get(error.stm.map_or(0, |stm| stm + 1)));
        match line {
            Some(line) => notes.push((*line, error)),
            None => rest.push(error),
        }
    }
    notes.sort_by_key(|(line, _)| *line);
    let mut notes = notes.into_iter().peekable();
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        out.push_str(line);
        out.push('\n');
        while let Some((_, error)) = notes.next_if(|(at, _)| *at == number) {
            let indent = line.len() - line.trim_start().len();
            out.push_str(&" ".repeat(indent));
            out.push_str(&format!("-- ^ {}\n", error.message));
        }
    }
    for error in rest {
        out.push_str(&format!("-- {error}\n"));
    }
    out
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.owner {
            Owner::Const(_) => "constant",
            Owner::Fun(_) => "function",
            Owner::Entry(_) => "entry point",
        };
        write!(f, "{kind} \"{}\": {}", self.name, self.message)?;
        match &self.text {
            Some(text) => write!(f, "\n  in `{}`", text.replace('\n', "\n  ")),
            None => Ok(()),
        }
    }
}

fn find(prog: &Prog) -> Vec<VerifyError> {
    let mut errors = Vec::new();
    scope::check(prog, &mut errors);
    entry::check(prog, &mut errors);
    entry::check_steps(prog, &mut errors);
    foreign::check(prog, &mut errors);
    // Aliases are computed from types and scopes that are known to be right.
    if errors.is_empty() {
        alias::check(prog, &mut errors);
    }
    errors
}

/// A statement as the message shows it: its first lines.
fn excerpt(stm: &crate::Stm, vars: &fehu_base::IdVec<crate::Var, crate::VarInfo>) -> String {
    let text = show_stm(stm, vars);
    let mut lines = text.lines();
    let mut shown: Vec<&str> = lines.by_ref().take(6).collect();
    if lines.next().is_some() {
        shown.push("...");
    }
    shown.join("\n")
}
