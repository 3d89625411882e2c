//! From a file to a program that can be called: what `fehu run` and `fehu test` do, without printing.

mod arguments;
pub mod convert;
mod error;
mod object;
mod sequences;

pub use error::RunError;
pub use object::{Object, type_name};
pub use sequences::SequenceFile;

use crate::check::{Exit, Outcome, Warnings};
use crate::code::{Code, Settings};
use crate::files::Files;
use crate::load::Root;
use crate::machine_code::Call;
use crate::passes::{self, Plan, StageObserver};
use crate::repl::Trace;
use crate::session::Session;
use crate::translate::{Changes, Job, translate};
use fehu_base::stack::Deep;
use fehu_data::Value;
use fehu_interp::{Chunking, Interp, Options};
use fehu_ir::{Elem, Entry, External, Fun, FunId, Prog, Type};
use object::parts_of;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Loads, checks, lowers and verifies a program. It is there if and only if the outcome is a success.
pub fn compile(
    files: &dyn Files,
    root: &Root,
    warnings: Warnings,
    options: Options,
) -> (Outcome, Option<Compiled>) {
    compile_with(files, root, warnings, options, &Plan::none())
}

/// Likewise, and runs passes.
pub fn compile_with(
    files: &dyn Files,
    root: &Root,
    warnings: Warnings,
    options: Options,
    plan: &Plan,
) -> (Outcome, Option<Compiled>) {
    compile_changed(&Job { files, root, warnings, plan, changes: Changes::default() }, options)
}

/// Likewise without passes and messages that are no errors, where these functions are entry points, too.
pub fn compile_entries(
    files: &dyn Files,
    root: &Root,
    entry_points: &[String],
) -> (Outcome, Option<Compiled>) {
    let changes = Changes { entry_points: entry_points.to_vec(), ..Changes::default() };
    let plan = &Plan::none();
    let job = Job { files, root, warnings: Warnings::Hide, plan, changes };
    compile_changed(&job, Options::default())
}

fn compile_changed(job: &Job<'_>, options: Options) -> (Outcome, Option<Compiled>) {
    let plan = job.plan;
    let mut compiled = None;
    let finish = |session: &mut Session, prog: Prog, _| {
        let chunking = plan.chunk.map_or(options.chunking, |size| Chunking::Size(size.into()));
        let options = Options { chunking, ..options };
        let made = Compiled::prepare(session, prog, options);
        compiled = made.staged(session, plan, &mut |_, _| {});
    };
    let mut calls_foreign = false;
    let lowered = |prog: &Prog| {
        calls_foreign = prog.funs.iter().any(|(_, fun)| fun.foreign.is_some());
    };
    let outcome = translate(job, lowered, &mut |_, _| {}, finish);
    let mut compiled = compiled.filter(|_| outcome.exit == Exit::Success);
    if let Some(compiled) = &mut compiled {
        compiled.calls_foreign = calls_foreign;
    }
    (outcome, compiled)
}

/// A program that can be run.
pub struct Compiled {
    prog: Deep<Option<Prog>>,
    interp: Interp,
    /// What runs instead of the interpreter, if something does.
    code: Deep<Option<Code>>,
    options: Options,
    calls_foreign: bool,
    /// Receives a line for each value that is traced.
    sink: Arc<Mutex<Trace>>,
}

impl Compiled {
    /// Prepares a verified program for running.
    pub fn prepare(session: &mut Session, prog: Prog, options: Options) -> Compiled {
        let kept = options.clone();
        let interp = session.stage("prepare", |_| Interp::with_options(&prog, options));
        let sink: Trace = Box::new(|_| {});
        Compiled {
            prog: Deep::new(Some(prog)),
            interp,
            code: Deep::new(None),
            options: kept,
            calls_foreign: false,
            sink: Arc::new(Mutex::new(sink)),
        }
    }

    /// Takes the program through the stages of a plan, if there are any; it will run by what they make of it.
    pub fn staged(
        mut self,
        session: &mut Session,
        plan: &Plan,
        observer: &mut StageObserver<'_>,
    ) -> Option<Compiled> {
        let Plan { without, few, target, .. } = *plan;
        let settings = Settings { without, few, ..Settings::of(target) };
        if let Some(prog) = self.prog().filter(|_| !plan.stages.is_empty()) {
            let (prog, list) = (prog.clone(), &plan.stages);
            let code = passes::stages(session, prog, list, &settings, plan.verify, observer)?;
            self.code = Deep::new(Some(code));
        }
        Some(self)
    }

    /// Ends calls of machine code when somebody sets this.
    pub fn end_when(&mut self, flag: &Arc<AtomicBool>) {
        self.options.interrupt = Some(Arc::clone(flag));
    }

    /// Whether the program has functions of another language, whose bodies are evaluated here instead.
    pub fn calls_foreign(&self) -> bool {
        self.calls_foreign
    }

    /// What the stages made of the program.
    pub fn code(&self) -> Option<&Code> {
        self.code.as_ref()
    }

    /// The program in the core IR.
    pub fn prog(&self) -> Option<&Prog> {
        self.prog.as_ref()
    }

    /// The interpreter, for its options and for what the program traces.
    pub fn interp_mut(&mut self) -> &mut Interp {
        &mut self.interp
    }

    /// Sends to this function what the program traces, a line for each value.
    pub fn trace(&mut self, sink: Trace) {
        self.sink = Arc::new(Mutex::new(sink));
        let sink = Arc::clone(&self.sink);
        self.interp.set_sink(Box::new(move |tag, value| trace_to(&sink, tag, value)));
    }

    /// The names of the entry points.
    pub fn entries(&self) -> Vec<&str> {
        let entries = self.prog.iter().flat_map(|prog| &prog.entries);
        entries.map(|entry| entry.name.as_str()).collect()
    }

    /// The types of the values that an entry point takes, without sizes. Tuples and records are
    /// several values.
    pub fn parameters(&self, entry: &str) -> Result<Vec<fehu_data::ValueType>, RunError> {
        let (entry, _) = self.find(entry)?;
        let parts = entry.params.iter().flat_map(|(_, external)| parts_of(external));
        let parts = parts.filter(|part| !matches!(part, Type::Scalar(Elem::Unit)));
        parts.map(convert::value_type).collect()
    }

    /// An entry point with the types of its parameters and of its result.
    pub fn entry(&self, name: &str) -> Result<&Entry, RunError> {
        self.find(name).map(|(entry, _)| entry)
    }

    /// Calls an entry point. Tuples and records, as arguments and as result, are several values; units
    /// are none.
    pub fn run(&mut self, entry: &str, values: Vec<Value>) -> Result<Vec<Value>, RunError> {
        self.apply(entry, values)?.into_values()
    }

    /// Likewise, with the result as an object.
    pub fn apply(&mut self, entry: &str, values: Vec<Value>) -> Result<Object, RunError> {
        let (entry, fun) = self.find(entry)?;
        let parts: Vec<&Type> =
            entry.params.iter().flat_map(|(_, external)| parts_of(external)).collect();
        let values = values.into_iter().map(convert::to_interp).collect::<Result<_, _>>()?;
        let args = arguments::from_values(entry, fun, &parts, values)?;
        let (id, result) = (entry.fun, entry.result.clone());
        self.call_with(id, result, args)
    }

    /// Calls an entry point with objects, one for each parameter.
    pub fn call(&mut self, entry: &str, objects: Vec<Object>) -> Result<Object, RunError> {
        let (entry, fun) = self.find(entry)?;
        if objects.len() != entry.params.len() {
            let (takes, got) = (entry.params.len(), objects.len());
            let message = format!(
                "the entry point \"{}\" has {takes} parameters, but got {got} arguments",
                entry.name
            );
            return Err(RunError::Arguments(message));
        }
        for (object, (name, ty)) in objects.iter().zip(&entry.params) {
            if !object.has_type(ty) {
                let message = format!(
                    "the parameter \"{name}\" of the entry point \"{}\" has type {}, but got {}",
                    entry.name,
                    type_name(ty),
                    object.type_name()
                );
                return Err(RunError::Arguments(message));
            }
        }
        let parts = objects.into_iter().flat_map(Object::into_parts).collect();
        let args = arguments::from_parts(entry, fun, parts)?;
        let (id, result) = (entry.fun, entry.result.clone());
        self.call_with(id, result, args)
    }

    fn call_with(
        &mut self,
        fun: FunId,
        result: External,
        args: Vec<fehu_interp::Value>,
    ) -> Result<Object, RunError> {
        let results = match self.code() {
            Some(code) => {
                let sink = Arc::clone(&self.sink);
                let mut sink = move |tag: &str, value: &_| trace_to(&sink, tag, value);
                let Options { interrupt, max_array_bytes, .. } = self.options.clone();
                let most_bytes = Some(max_array_bytes);
                code.call(fun, &args, Call { interrupt, sink: Some(&mut sink), most_bytes })
            }
            None => self.interp.call(fun, args),
        };
        let mut results = results.map_err(RunError::Program)?;
        // The sizes of the results come first; the values show them.
        let skipped = results.len().saturating_sub(parts_of(&result).len());
        results.drain(..skipped);
        Ok(Object::new(result, results))
    }

    fn find(&self, name: &str) -> Result<(&Entry, &Fun), RunError> {
        let prog = self.prog.as_ref();
        let entry = prog.and_then(|prog| prog.entries.iter().find(|entry| entry.name == name));
        let found = entry.and_then(|entry| Some((entry, prog?.funs.get(entry.fun)?)));
        found.ok_or_else(|| RunError::NoEntry {
            name: name.to_owned(),
            others: self.entries().into_iter().map(str::to_owned).collect(),
        })
    }
}

/// Sends a line for a traced value.
pub(crate) fn trace_to(sink: &Mutex<Trace>, tag: &str, value: &fehu_interp::Value) {
    // A receiver that panicked once is asked again.
    let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
    sink(&trace_line(tag, value));
}

/// What is shown of a traced value.
pub(crate) fn trace_line(tag: &str, value: &fehu_interp::Value) -> String {
    let value = convert::from_interp(value.clone());
    let value = value.map_or("(nothing)".to_owned(), |value| value.to_string());
    format!("{tag}: {value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    fn compiled(text: &str) -> (Outcome, Option<Compiled>) {
        let root = Root::Bytes("test.fut".to_owned(), text.as_bytes().to_vec());
        compile(&Memory::default(), &root, Warnings::Show, Options::default())
    }

    fn run(text: &str, input: &str) -> Result<String, RunError> {
        let (outcome, program) = compiled(text);
        assert_eq!(outcome.exit, Exit::Success, "{:?}", outcome.diagnostics);
        let values = fehu_data::reader::read_all(input.as_bytes()).expect("the input is right");
        let results = program.expect("it is compiled").run("main", values)?;
        Ok(results.iter().map(|value| format!("{value}\n")).collect())
    }

    #[test]
    fn sizes_are_read_off_the_arguments() {
        let text = "entry main [n] [m] (xs: [n][m]i32) (y: i32) = (n, m, xs[0, 0] + y)";
        let results = run(text, "[[1, 2, 3], [4, 5, 6]] 10").expect("it runs");
        assert_eq!(results, "2i64\n3i64\n11i32\n");
    }

    #[test]
    fn sizes_that_disagree_are_an_error() {
        let text = "entry main [n] (xs: [n]i32) (ys: [n]i32) = xs[0] + ys[0] + i32.i64 n";
        let error = run(text, "[1, 2] [3]").expect_err("the sizes differ").to_string();
        assert!(error.contains("invalid sizes"), "{error}");
        let text = "entry main (n: i64) (xs: [n]i32) = xs[n - 1]";
        assert_eq!(run(text, "2i64 [3, 4]").expect("it runs"), "4i32\n");
        let error = run(text, "3i64 [3, 4]").expect_err("the size is another").to_string();
        assert!(error.contains("\"n\""), "{error}");
    }

    #[test]
    fn arguments_are_counted_as_they_are_passed() {
        let text = "entry main [n] (p: (i32, i32)) (xs: [n]i32) (ys: [n]i32) = p.0 + xs[0] + ys[0]";
        let error = run(text, "1 2 [3] [4, 5]").expect_err("the sizes differ").to_string();
        assert!(error.contains("argument 3 (\"ys\") of \"main\" is 2"), "{error}");
    }

    #[test]
    fn wrong_arguments_are_an_error() {
        let text = "entry main (x: i32) = x";
        let error = run(text, "1i64").expect_err("the type is wrong").to_string();
        assert!(error.contains("i64") && error.contains("i32"), "{error}");
        let error = run(text, "1 2").expect_err("there are too many").to_string();
        assert!(error.contains("takes 1 value"), "{error}");
    }

    #[test]
    fn errors_of_the_program_have_places() {
        let text = "entry main (xs: []i32) (i: i64) = xs[i]";
        let error = run(text, "[1] 5i64").expect_err("it fails").to_string();
        assert!(error.starts_with("Error: "), "{error}");
        assert!(error.contains("\nBacktrace:\n-> #0  test.fut:1:"), "{error}");
    }

    #[test]
    fn opaque_values_go_from_one_entry_point_to_another() {
        let text = "type s = #none | #some [2]i32\n\
                    entry make (x: i32) : (s, i64) = (#some [x, x + 1], 3)\n\
                    entry use (s: s) (n: i64) =\n\
                    match s case #none -> 0 case #some xs -> xs[1] + i32.i64 n";
        let (outcome, program) = compiled(text);
        assert_eq!(outcome.exit, Exit::Success, "{:?}", outcome.diagnostics);
        let mut program = program.expect("it is compiled");
        let object = |x: i32| Object::from_value(Value::from(x)).expect("an integer");
        let pair = program.call("make", vec![object(5)]).expect("it runs");
        let fields = pair.fields().expect("a tuple");
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["0", "1"]);
        let again: Vec<Object> = fields.iter().map(|(_, field)| field.clone()).collect();
        let result = program.call("use", again.clone()).expect("it runs");
        assert_eq!(result.as_value(), Some(Value::from(9_i32)));
        // The pair can be put together again, but not in another order.
        let ty = program.entry("make").expect("it is there").result.clone();
        assert!(Object::record(&ty, again.clone()).is_some());
        assert!(Object::record(&ty, again.into_iter().rev().collect()).is_none());
        let error = program.call("use", vec![object(1), object(2)]).expect_err("a wrong type");
        assert!(error.to_string().contains("\"s\""), "{error}");
    }

    #[test]
    fn units_are_not_written() {
        let text = "entry main (x: i32) (_: ()) = (x, (), replicate 10 ())";
        assert_eq!(run(text, "1").expect("it runs"), "1i32\n");
    }

    #[test]
    fn unknown_entry_points_are_told_with_the_known_ones() {
        let (_, program) = compiled("entry f (x: i32) = x");
        let error = program.expect("it is compiled").run("main", Vec::new());
        let error = error.expect_err("there is no main").to_string();
        assert!(error.contains("\"main\"") && error.contains("\"f\""), "{error}");
    }

    #[test]
    fn limits_are_not_the_users_fault() {
        let text = include_str!("../../../tests/limits/not_supported.fut");
        let (outcome, program) = compiled(text);
        assert!(program.is_none());
        assert_eq!(outcome.exit, Exit::Internal);
        let codes: Vec<&str> = outcome.diagnostics.iter().map(|found| found.code).collect();
        assert_eq!(codes, ["not-supported"]);
    }

    #[test]
    fn what_is_not_differentiated_is_told_with_its_place() {
        let (outcome, program) =
            compiled(include_str!("../../../tests/limits/sizes_in_several_directions.fut"));
        assert!(program.is_none());
        let error = outcome.diagnostics.iter().find(|found| found.code == "not-supported");
        let error = error.expect("an error");
        assert!(error.message.contains("whose sizes differ"), "{}", error.message);
        assert!(error.primary.is_some());
    }
}
