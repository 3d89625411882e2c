//! The stages beyond the core IR, one at a time, for people and tests: where arrays are, and imperative code.
//!
//! `assign` gives arrays places and `circuit` better ones; `emit` makes imperative code of that, and `tile`, `empty`, `copies`,
//! `unflatten`, `unswitch`, `border` and `lanes` change it. [`Code`] can be printed, and programs can be run by it, on machines
//! that watch for races (`fehu_mem::heap`, `fehu_imp::machine`).

use fehu_imp::machine;
use fehu_interp::{Error, ErrorKind, Value};
use fehu_ir::pass::Remarks;
use fehu_ir::{FunId, Loc, Prog};
use fehu_mem::heap::{self, Fault, Limits};
use fehu_mem::table::Placed;
use std::fmt;

/// A stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "each is the name of a module that says what it does")]
pub enum Stage {
    Assign,
    Circuit,
    Emit,
    Tile,
    Empty,
    Copies,
    Unflatten,
    Unswitch,
    Border,
    Lanes,
}

/// All stages, in their order.
pub const STAGES: [(Stage, &str); 10] = [
    (Stage::Assign, "assign"),
    (Stage::Circuit, "circuit"),
    (Stage::Emit, "emit"),
    (Stage::Tile, "tile"),
    (Stage::Empty, "empty"),
    (Stage::Copies, "copies"),
    (Stage::Unflatten, "unflatten"),
    (Stage::Unswitch, "unswitch"),
    (Stage::Border, "border"),
    (Stage::Lanes, "lanes"),
];

/// A program beyond the core IR.
#[derive(Clone, Debug)]
pub enum Code {
    /// With the places of its arrays.
    Placed(Box<Placed>),
    /// As imperative code, with the program that it is of.
    Imp(Box<Prog>, fehu_imp::Program),
}

/// The stages with these names, separated by commas; otherwise a sentence that says what is wrong with them.
pub fn stages(names: &str) -> Result<Vec<Stage>, String> {
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let mut stages: Vec<Stage> = Vec::new();
    for name in names {
        let known = || STAGES.map(|(_, name)| format!("\"{name}\"")).join(", ");
        let found = STAGES.iter().find(|(_, other)| *other == name);
        let (stage, _) =
            found.ok_or_else(|| format!("there is no stage \"{name}\"; available: {}", known()))?;
        if stages.last().is_some_and(|last| last >= stage) {
            return Err(format!("the stage \"{name}\" is out of order; the order is {}", known()));
        }
        stages.push(*stage);
    }
    let begins = stages.first().is_none_or(|first| *first == Stage::Assign);
    let emits = stages.contains(&Stage::Emit) || stages.last() <= Some(&Stage::Circuit);
    if begins && emits {
        return Ok(stages);
    }
    let missing = if begins { "emit" } else { "assign" };
    Err(format!("the stage \"{missing}\" is missing; later stages need its output"))
}

/// Takes a program through stages; the error is the name of an array that is too complex for them.
pub fn run(prog: &Prog, stages: &[Stage], parallel: bool) -> Result<Option<Code>, String> {
    let mut code = None;
    for stage in stages {
        code = match (stage, code) {
            (Stage::Assign, _) => {
                let mut prog = prog.clone();
                (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
                let placed = fehu_mem::assign::assign(prog);
                Some(Code::Placed(Box::new(placed.map_err(|limit| limit.array.to_string())?)))
            }
            (Stage::Circuit, Some(Code::Placed(mut placed))) => {
                fehu_mem::circuit::circuit(&mut placed, false);
                Some(Code::Placed(placed))
            }
            (Stage::Emit, Some(Code::Placed(placed))) => {
                let options =
                    fehu_imp::emit::Options { parallel, tiling: true, ..Default::default() };
                let program = fehu_imp::emit::emit(&placed, options);
                Some(Code::Imp(Box::new(placed.prog), program))
            }
            (stage, Some(Code::Imp(prog, mut program))) => {
                match stage {
                    Stage::Tile => fehu_imp::tile::tile(&mut program),
                    Stage::Empty => fehu_imp::empty::empty(&mut program),
                    Stage::Copies => fehu_imp::copies::copies(&mut program),
                    Stage::Unflatten => fehu_imp::unflatten::unflatten(&mut program),
                    Stage::Unswitch => fehu_imp::unswitch::unswitch(&mut program),
                    Stage::Border => fehu_imp::border::border(&mut program),
                    Stage::Lanes => fehu_imp::lanes::lanes(&mut program),
                    Stage::Assign | Stage::Circuit | Stage::Emit => {}
                }
                Some(Code::Imp(prog, program))
            }
            (_, code) => code,
        };
    }
    Ok(code)
}

impl Code {
    /// Calls a function.
    pub fn call(&self, fun: FunId, args: &[Value]) -> Result<Vec<Value>, Error> {
        let limits = Limits { steps: 100_000_000, ..Limits::default() };
        let results = match self {
            Code::Placed(placed) => heap::call(placed, fun, args, limits),
            Code::Imp(prog, program) => machine::call(prog, program, fun, args, limits, 1),
        };
        results.map_err(error)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Placed(placed) => placed.fmt(f),
            Code::Imp(_, program) => program.fmt(f),
        }
    }
}

fn error(fault: Fault) -> Error {
    match fault {
        Fault::Check(message, trace) => {
            Error { kind: ErrorKind::Program, message, trace: trace.into_iter().map(Loc).collect() }
        }
        Fault::Undefined(message) => failure(ErrorKind::Program, message),
        Fault::Memory(message) => failure(ErrorKind::Internal, message),
        Fault::Limit => {
            failure(ErrorKind::Resource, "the limits of the heap have been reached".to_owned())
        }
    }
}

fn failure(kind: ErrorKind, message: String) -> Error {
    Error { kind, message, trace: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_an_order() {
        assert_eq!(stages(""), Ok(Vec::new()));
        assert_eq!(stages("assign, circuit"), Ok(vec![Stage::Assign, Stage::Circuit]));
        assert_eq!(stages("assign,emit,lanes").map(|stages| stages.len()), Ok(3));
        for (names, why) in [
            ("circuit", "\"assign\" is missing"),
            ("assign,lanes", "\"emit\" is missing"),
            ("assign,emit,circuit", "\"circuit\" is out of order"),
            ("assign,nonsense", "\"lanes\""),
        ] {
            let error = stages(names).expect_err(names);
            assert!(error.contains(why), "{error}");
        }
    }
}
