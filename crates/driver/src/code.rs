//! Programs beyond the core IR, and the stages that lead from one form to the next.
//!
//! ```text
//! core IR ── assign ──▶ with places ── short_circuit ──▶ ── emit ──▶ imperative code ── tile, lanes, ... ──▶ ── c ──▶ C
//!                                                                          └──────────── jit ──▶ machine code
//! ```
//!
//! A [`Stage`] is for these programs what a [`Pass`](fehu_ir::pass::Pass) is for the core IR: it has a name, under
//! which it is listed in `pipelines.rs`, timed, and chosen on the command line, and it is run by the same manager
//! (`passes.rs`). [`Code`] can be printed after every stage, and run, on machines that watch for races (`fehu-oracle`),
//! until it is C. Machine code runs by itself.

use crate::compile::Floats;
use crate::machine_code::{Call, Jit};
use crate::stages;
use crate::without::Without;
use fehu_backend::{Artifacts, Mode, Target};
use fehu_base::bug;
use fehu_imp::verify::{Phase, verify};
use fehu_interp::{Error, ErrorKind, Interp, Value};
use fehu_ir::{FunId, Loc, Prog};
use fehu_mem::table::Placed;
use fehu_oracle::heap::{self, Fault, Limits};
use fehu_oracle::machine;
use std::fmt;
use std::sync::Arc;

/// A program on its way to C.
#[derive(Clone, Debug)]
pub enum Code {
    /// In the core IR.
    Arrays(Box<Prog>),
    /// With the places of its arrays.
    Placed(Box<Placed>),
    /// As imperative code, with the program that it is of, and the rules that it keeps.
    Imp(Box<Prog>, Box<fehu_imp::Program>, Phase),
    /// As C.
    C(Box<Artifacts>),
    /// As machine code of this process, which is made when it is called.
    Machine(Arc<Jit>),
}

/// The form of a program: the variants of [`Code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "see the variants of `Code`")]
pub enum Form {
    Arrays,
    Placed,
    Imp,
    C,
    Machine,
}

/// A step from the core IR towards C.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// One word.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Does it.
    pub run: Run,
}

/// What a stage does, by what it takes and gives.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Gives the arrays of a program places.
    Assign(fn(Prog, &Settings) -> Result<Placed, Limit>),
    /// Changes places.
    Place(fn(&mut Placed, &Settings)),
    /// Makes imperative code.
    Emit(fn(&Placed, &Settings) -> fehu_imp::Program),
    /// Changes loops, whatever the settings are.
    Loops(fn(&mut fehu_imp::Program)),
    /// Changes imperative code so that it keeps the rules of a device.
    Device(fn(&mut fehu_imp::Program, &Settings)),
    /// Makes C.
    C(fn(&Prog, &fehu_imp::Program, &Settings) -> Artifacts),
    /// Makes machine code.
    Machine(fn(Box<Prog>, Box<fehu_imp::Program>, &Settings) -> Jit),
}

/// What stages depend on besides the program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What executes the program.
    pub target: Target,
    /// What becomes of it.
    pub mode: Mode,
    /// How floats are computed.
    pub floats: Floats,
    /// What is left out.
    pub without: Without,
    /// For tests: whether kernels have few threads with few elements each, for the machine that runs them one by one,
    /// and machine code shares every loop that it can, however short.
    pub few: bool,
    /// For tests: the orders of arrays in the memory of a device are chosen by chance, with this seed.
    pub orders: Option<u64>,
    /// Code of users that precedes the kernels.
    pub kernel_code: String,
    /// Whether the program says what its operators do, for profiles.
    pub profiled: bool,
}

/// A program is beyond what a stage can do: the name of an array whose place is too complicated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit(pub String);

/// Takes a program through stages, without a manager.
pub fn apply(prog: Prog, stages: &[Stage], settings: &Settings) -> Result<Code, Limit> {
    let start = Code::Arrays(Box::new(prog));
    stages.iter().try_fold(start, |code, stage| stage.apply(code, settings))
}

impl Settings {
    /// The usual ones for a server.
    pub fn of(target: Target) -> Settings {
        let without = Without::default();
        Settings {
            target,
            mode: Mode::Server,
            floats: Floats::default(),
            without,
            few: false,
            orders: None,
            kernel_code: String::new(),
            profiled: false,
        }
    }
}

impl Stage {
    /// The form of the programs that it takes.
    pub fn takes(&self) -> Form {
        match self.run {
            Run::Assign(_) => Form::Arrays,
            Run::Place(_) | Run::Emit(_) => Form::Placed,
            Run::Loops(_) | Run::Device(_) | Run::C(_) | Run::Machine(_) => Form::Imp,
        }
    }

    /// The form of the programs that it gives.
    pub fn gives(&self) -> Form {
        match self.run {
            Run::Assign(_) | Run::Place(_) => Form::Placed,
            Run::Emit(_) | Run::Loops(_) | Run::Device(_) => Form::Imp,
            Run::C(_) => Form::C,
            Run::Machine(_) => Form::Machine,
        }
    }

    /// Takes the step.
    ///
    /// # Panics
    /// If the program does not have the form that the stage takes.
    pub fn apply(&self, code: Code, settings: &Settings) -> Result<Code, Limit> {
        Ok(match (self.run, code) {
            (Run::Assign(run), Code::Arrays(prog)) => Code::Placed(Box::new(run(*prog, settings)?)),
            (Run::Place(run), Code::Placed(mut placed)) => {
                run(&mut placed, settings);
                Code::Placed(placed)
            }
            (Run::Emit(run), Code::Placed(placed)) => {
                let program = run(&placed, settings);
                let phase = if settings.target.is_gpu() { Phase::Emitted } else { Phase::Cpu };
                Code::Imp(Box::new(placed.prog), Box::new(program), phase)
            }
            (Run::Loops(run), Code::Imp(prog, mut program, phase)) => {
                run(&mut program);
                Code::Imp(prog, program, phase)
            }
            (Run::Device(run), Code::Imp(prog, mut program, _)) => {
                run(&mut program, settings);
                Code::Imp(prog, program, Phase::Device)
            }
            (Run::C(run), Code::Imp(prog, program, _)) => {
                Code::C(Box::new(run(&prog, &program, settings)))
            }
            (Run::Machine(run), Code::Imp(prog, program, Phase::Cpu)) => {
                Code::Machine(Arc::new(run(prog, program, settings)))
            }
            (_, code) => {
                let (takes, found) = (self.takes(), code.form());
                bug(format_args!("\"{}\" takes {takes:?}, not {found:?}", self.name))
            }
        })
    }
}

impl Code {
    /// Its form.
    pub fn form(&self) -> Form {
        match self {
            Code::Arrays(_) => Form::Arrays,
            Code::Placed(_) => Form::Placed,
            Code::Imp(..) => Form::Imp,
            Code::C(_) => Form::C,
            Code::Machine(_) => Form::Machine,
        }
    }

    /// Whether it keeps the rules of its form; the first thing that is wrong if not. Tables of places, C and machine
    /// code have none.
    pub fn verify(&self) -> Result<(), String> {
        match self {
            Code::Arrays(prog) => stages::verify(prog),
            Code::Placed(placed) => stages::verify(&placed.prog),
            Code::Imp(_, program, phase) => verify(program, *phase)
                .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string)),
            Code::C(_) | Code::Machine(_) => Ok(()),
        }
    }

    /// Calls a function. Only machine code has to do with the world.
    pub fn call(&self, fun: FunId, args: &[Value], world: Call<'_>) -> Result<Vec<Value>, Error> {
        let limits = Limits { steps: 100_000_000, ..Limits::default() };
        let results = match self {
            Code::Arrays(prog) => return Interp::new(prog).call(fun, args.to_vec()),
            Code::Placed(placed) => heap::call(placed, fun, args, limits),
            Code::Imp(prog, program, Phase::Device) => {
                let (settings, tally) = (machine::Settings::of_seed(1), &mut machine::Tally::new());
                machine::call_device(prog, program, fun, args, limits, &settings, tally)
            }
            Code::Imp(prog, program, Phase::Cpu | Phase::Emitted) => {
                machine::call(prog, program, fun, args, limits, 1)
            }
            Code::Machine(jit) => return jit.call(fun, args, world),
            Code::C(_) => {
                let message = "C is compiled, not interpreted".to_owned();
                return Err(failure(ErrorKind::Internal, message));
            }
        };
        results.map_err(error)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Code::Arrays(prog) => prog.fmt(f),
            Code::Placed(placed) => placed.fmt(f),
            Code::Imp(_, program, _) => program.fmt(f),
            Code::C(artifacts) => f.write_str(&artifacts.c),
            Code::Machine(jit) => jit.fmt(f),
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
