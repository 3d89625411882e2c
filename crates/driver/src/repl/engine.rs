//! What runs an input: the interpreter, and machine code if that takes long.
//!
//! Most inputs are over before machine code for them would be made. So every input is interpreted for a while; one that is not
//! over then begins anew as machine code, whose results are the same to the bit. Nobody has seen that it began before: what it
//! traced until then was not shown.

use super::Trace;
use crate::code::{Code, Settings};
use crate::compile::Floats;
use crate::machine_code::{self, Call, Jit};
use crate::passes::{self, Plan};
use crate::run::{RunError, trace_line, trace_to};
use crate::session::Session;
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_base::bug::bug;
use fehu_base::id::Id;
use fehu_interp::{Error, ErrorKind, Interp, Options, Value, Watch};
use fehu_ir::pass::Remarks;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::{
    Atom, Body, Const, ConstId, Entry, Exp, External, Fun, FunId, OpaqueKind, OpaqueType, Prog, Stm,
};
use fehu_lower::layout::Layout;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// How many instructions of an input are interpreted. That takes about as long as making machine code.
const STEPS: u64 = 500_000;

/// The results of entry points: what each is made of, and its parts.
pub(super) type Results = Vec<(Layout, Vec<Value>)>;

/// What runs the entry points of a program, which have no parameters.
pub(super) enum Engine {
    /// If it gives up after a while, it keeps what is traced until somebody wants it.
    Interpreter {
        interp: Box<Interp>,
        entries: Vec<FunId>,
        gives_up: bool,
        traced: Arc<Mutex<Vec<String>>>,
    },
    /// Machine code, and the numbers that entry points and constants have there; constants that are computed wherever they are
    /// needed have none.
    Machine { jit: Arc<Jit>, entries: Vec<FunId>, constants: IdVec<ConstId, Option<ConstId>> },
}

/// How a call ended badly.
pub(super) enum Failure {
    /// It takes long.
    Long,
    Error(Error),
}

impl Failure {
    /// The error of something that does not give up.
    pub(super) fn into_error(self) -> RunError {
        match self {
            Failure::Error(error) => RunError::Program(error),
            Failure::Long => bug("only the interpreter gives up, and once"),
        }
    }
}

impl Engine {
    /// An interpreter. Programs with functions of another language, whose bodies are in their places here, are not for
    /// machine code: it does not give up on those, nor where there is no machine code.
    pub(super) fn interpreter(
        session: &mut Session,
        prog: &Prog,
        interrupt: &Arc<AtomicBool>,
    ) -> Engine {
        let foreign = prog.funs.iter().any(|(_, fun)| fun.foreign.is_some());
        let gives_up = machine_code::EXISTS && !foreign;
        let mut interp = prepare(session, prog, interrupt, gives_up.then_some(STEPS));
        let traced: Arc<Mutex<Vec<String>>> = Arc::default();
        let lines = Arc::clone(&traced);
        interp.set_sink(Box::new(move |tag, value| {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.push(trace_line(tag, value));
        }));
        Engine::Interpreter { interp, entries: entries(prog), gives_up, traced }
    }

    /// An interpreter for a program that may stop. It does not give up.
    pub(super) fn watched(
        session: &mut Session,
        prog: &Prog,
        interrupt: &Arc<AtomicBool>,
        trace: &Arc<Mutex<Trace>>,
        watch: Watch,
    ) -> Engine {
        let mut interp = prepare(session, prog, interrupt, None);
        let trace = Arc::clone(trace);
        interp.set_sink(Box::new(move |tag, value| trace_to(&trace, tag, value)));
        interp.set_watch(watch);
        let (entries, traced) = (entries(prog), Arc::default());
        Engine::Interpreter { interp, entries, gives_up: false, traced }
    }

    /// Machine code. Nothing if a stage fails; the session then has messages.
    pub(super) fn machine(session: &mut Session, prog: &Prog) -> Option<Engine> {
        if !machine_code::EXISTS {
            // So that where there is none, nobody needs the optimiser for it.
            bug("the interpreter does not give up where there is no machine code");
        }
        let count = prog.entries.len();
        let (plan, mut remarks) = (Plan::at_once(), Remarks::default());
        let prog = with_readers(prog.clone());
        let prog = passes::run(session, prog, &plan, &mut remarks, &mut |_, _| {})?;
        let entries = prog.entries[..count].iter().map(|entry| entry.fun).collect();
        let mut constants = IdVec::new();
        for reader in &prog.entries[count..] {
            constants.push(read_by(&prog.funs[reader.fun]));
        }
        let settings = Settings { floats: Floats::Strict, ..Settings::of(plan.target) };
        let (list, verify) = (&plan.stages, plan.verify);
        let code = passes::stages(session, prog, list, &settings, verify, &mut |_, _| {})?;
        let Code::Machine(jit) = code else { bug("the last stage makes machine code") };
        Some(Engine::Machine { jit, entries, constants })
    }

    /// Gives a constant its values, which were computed before.
    pub(super) fn set_constant(&mut self, id: ConstId, values: &[Value]) -> Result<(), Error> {
        match self {
            Engine::Interpreter { interp, .. } => {
                interp.set_constant(id, values.to_vec());
                Ok(())
            }
            Engine::Machine { jit, constants, .. } => {
                constants[id].map_or(Ok(()), |id| jit.set_constant(id, values))
            }
        }
    }

    /// The values of a constant, if it has been computed.
    pub(super) fn constant(&self, id: ConstId) -> Option<Vec<Value>> {
        match self {
            Engine::Interpreter { interp, .. } => interp.constant(id).map(<[Value]>::to_vec),
            Engine::Machine { jit, constants, .. } => jit.constant(constants[id]?)?.ok(),
        }
    }

    /// Calls all entry points, until one fails.
    pub(super) fn call_all(
        &mut self,
        results: &[Layout],
        interrupt: &Arc<AtomicBool>,
        trace: &Arc<Mutex<Trace>>,
    ) -> Result<Results, Failure> {
        let call = |(index, layout): (usize, &Layout)| {
            let mut parts = self.call(index, interrupt, trace)?;
            // The sizes come first; the values show them.
            let values = parts.split_off(parts.len().saturating_sub(layout.parts()));
            Ok((layout.clone(), values))
        };
        results.iter().enumerate().map(call).collect()
    }

    /// Calls an entry point, by its index.
    fn call(
        &mut self,
        index: usize,
        interrupt: &Arc<AtomicBool>,
        trace: &Arc<Mutex<Trace>>,
    ) -> Result<Vec<Value>, Failure> {
        match self {
            Engine::Interpreter { interp, entries, gives_up, traced } => {
                let called = interp.call(entries[index], Vec::new());
                if *gives_up
                    && called.as_ref().is_err_and(|error| error.kind == ErrorKind::Resource)
                    && interp.stats().steps > STEPS
                {
                    return Err(Failure::Long);
                }
                let mut traced = traced.lock().unwrap_or_else(PoisonError::into_inner);
                // A receiver that panicked once is asked again.
                let mut trace = trace.lock().unwrap_or_else(PoisonError::into_inner);
                traced.drain(..).for_each(|line| trace(&line));
                called.map_err(Failure::Error)
            }
            Engine::Machine { jit, entries, .. } => {
                let trace = Arc::clone(trace);
                let mut sink = move |tag: &str, value: &Value| trace_to(&trace, tag, value);
                let call = Call {
                    interrupt: Some(Arc::clone(interrupt)),
                    sink: Some(&mut sink),
                    most_bytes: Some(Options::default().max_array_bytes),
                };
                jit.call(entries[index], &[], call).map_err(Failure::Error)
            }
        }
    }
}

fn prepare(
    session: &mut Session,
    prog: &Prog,
    interrupt: &Arc<AtomicBool>,
    max_steps: Option<u64>,
) -> Box<Interp> {
    let interrupt = Some(Arc::clone(interrupt));
    let options = Options { interrupt, max_steps, ..Options::default() };
    Box::new(session.stage("prepare", |_| Interp::with_options(prog, options)))
}

fn entries(prog: &Prog) -> Vec<FunId> {
    prog.entries.iter().map(|entry| entry.fun).collect()
}

/// The program with an entry point for each constant that reads it. Passes renumber constants, and throw away what nobody reads:
/// what they make of these entry points says what became of the constants.
fn with_readers(mut prog: Prog) -> Prog {
    let readers: Vec<Fun> = prog.consts.iter().map(|(id, constant)| reader(id, constant)).collect();
    for (index, fun) in readers.into_iter().enumerate() {
        let parts = fun.results.iter().map(|var| fun.vars[*var].ty.clone()).collect();
        // No program can name it.
        let name = EcoString::from(format!("the constant {index}"));
        let opaque = OpaqueType { name: name.clone(), parts, kind: OpaqueKind::Plain };
        let fun = prog.funs.push(fun);
        prog.entries.push(Entry {
            name,
            fun,
            params: Vec::new(),
            result: External::Opaque(opaque, false),
            sources: Vec::new(),
            sinks: Vec::new(),
            attrs: Vec::new(),
            doc: None,
        });
    }
    prog
}

/// A function that returns the values of a constant.
fn reader(id: ConstId, constant: &Const) -> Fun {
    let (mut vars, results) = (constant.vars.clone(), constant.results.clone());
    let mut subst = Subst::default();
    let pat: Vec<_> = results.iter().map(|var| vars.push(vars[*var].clone())).collect();
    subst.extend(results.iter().zip(&pat).map(|(var, read)| (*var, Atom::Var(*read))));
    for var in &pat {
        subst_type(&mut vars[*var].ty, &subst);
    }
    let read = pat.iter().copied().map(Atom::Var).collect();
    let (certs, attrs, loc) = (Vec::new(), Vec::new(), None);
    let stm = Stm { pat, certs, attrs, loc, exp: Exp::Const(id) };
    Fun {
        name: EcoString::from(format!("constant_{}", id.index())),
        vars,
        params: Vec::new(),
        results,
        body: Body { stms: vec![stm], results: read },
        attrs: Vec::new(),
        foreign: None,
    }
}

/// The constant that a function reads, if it still does.
fn read_by(fun: &Fun) -> Option<ConstId> {
    fun.body.stms.iter().find_map(|stm| match stm.exp {
        Exp::Const(id) => Some(id),
        _ => None,
    })
}
