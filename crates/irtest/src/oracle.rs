//! The oracle: whether two programs mean the same, by running both on the same arguments.
//!
//! The two are a program before and after a pass. Entry points are compared by their names, and so are functions
//! that both have with the same parameters. What has to hold for each run:
//!
//! | before | after |
//! | --- | --- |
//! | results | the same results: type, shape, bits (every NaN is like every other) |
//! | a check failed | a check failed, though perhaps another one |
//! | undefined: an index out of bounds, a division by zero or a negative size that no check guards | anything |
//! | too long, too much memory | anything |
//!
//! If the program after the pass has streams, all this has to hold however their inputs are cut: into one chunk, into
//! single elements, at random. If it asks how many threads there are, it has to hold for one and for several.

use crate::arguments::{self, Sizes};
use fehu_interp::{Chunking, Error, ErrorKind, Interp, Options, Value};
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut};
use fehu_ir::{CheckPart, Exp, Fun, FunId, Prog, Scalar};
use fehu_irgen::rng::Rng;
use std::collections::BTreeMap;

/// How many threads there are if there are several: those of a processor, and of a device.
const THREADS: [(&str, i64); 2] =
    [(" with several threads", 16), (" with the threads of a device", 1 << 16)];

/// How two programs are compared.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// How many random calls each function gets, after one with sizes zero and one with sizes one.
    pub rounds: usize,
    /// The largest size.
    pub max_size: i64,
    /// If not zero, the last calls have one size that is up to this.
    pub long: i64,
    /// Where the random numbers start.
    pub seed: u64,
    /// By how much floats may differ, relative to the larger one; without it the bits are compared.
    pub tolerance: Option<f64>,
    /// Whether the floats among random arguments have sums that depend on their order.
    pub rough: bool,
    /// Arguments for functions, by name; these functions get no random ones.
    pub written: Vec<(String, String)>,
    /// The most instructions of a run.
    pub max_steps: u64,
    /// Whether programs check all that they rely on, as those made from source do: then a run that ends in another way
    /// than by a check is a fault and not undefined.
    pub total: bool,
}

/// What became of the runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Runs {
    /// Runs with results.
    pub succeeded: usize,
    /// Runs that a check ended.
    pub failed: usize,
    /// Runs that nothing can be said about.
    pub undefined: usize,
}

impl Runs {
    /// Adds those of another comparison.
    pub fn add(&mut self, more: Runs) {
        self.succeeded += more.succeeded;
        self.failed += more.failed;
        self.undefined += more.undefined;
    }
}

/// What another machine makes of a call.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Results.
    Values(Vec<Value>),
    /// A check of the program failed.
    Check(String),
    /// Something that no program should do.
    Wrong(String),
    /// It took too long, or too much memory.
    Limit,
}

/// The mark that tells messages of checks from those of the interpreter, and of whatever else runs programs.
pub const MARK: &str = "check: ";

impl Default for Oracle {
    fn default() -> Oracle {
        Oracle {
            rounds: 4,
            max_size: 6,
            long: 0,
            seed: 0,
            tolerance: None,
            rough: false,
            written: Vec::new(),
            max_steps: 300_000,
            total: false,
        }
    }
}

/// Whether two programs mean the same, on a few random arguments.
pub fn agree(before: &Prog, after: &Prog, seed: u64) -> Result<Runs, String> {
    Oracle { seed, ..Oracle::default() }.agree(before, after)
}

impl Oracle {
    /// Whether two programs mean the same; otherwise what differs.
    pub fn agree(&self, before: &Prog, after: &Prog) -> Result<Runs, String> {
        self.reference(before).agree(after)
    }

    /// What a program gives, to be compared with several others.
    pub fn reference<'a>(&'a self, prog: &'a Prog) -> Reference<'a> {
        let machine = self.machine(prog);
        Reference { oracle: self, prog, machine, calls: BTreeMap::new() }
    }

    /// Whether another machine gives the results of the interpreter; otherwise what differs.
    pub fn agree_with(
        &self,
        prog: &Prog,
        machine: &mut dyn FnMut(FunId, &[Value]) -> Outcome,
    ) -> Result<Runs, String> {
        let mut first = self.machine(prog);
        let mut runs = Runs::default();
        for (name, id, _) in pairs(prog, prog)? {
            let call = &mut |args: &[Value]| machine(id, args);
            self.calls(&mut first, (&name, id, &prog.funs[id]), call, &mut runs)?;
        }
        Ok(runs)
    }

    /// Likewise, for the entry points only, which the machine knows by their names.
    pub fn entries_agree_with(
        &self,
        prog: &Prog,
        machine: &mut dyn FnMut(&str, &[Value]) -> Outcome,
    ) -> Result<Runs, String> {
        self.entries(prog)?.agree_with(self.tolerance, machine)
    }

    /// What the entry points of a program give, to be compared with what several machines make of them.
    pub fn entries(&self, prog: &Prog) -> Result<Entries, String> {
        let mut first = self.machine(prog);
        let mut entries = Entries { oracle: self.clone(), calls: Vec::new() };
        for entry in &prog.entries {
            let name = entry.name.as_str();
            let calls = self.expected(&mut first, (name, entry.fun, &prog.funs[entry.fun]))?;
            entries.calls.push((name.to_owned(), calls));
        }
        Ok(entries)
    }

    /// Calls a function in the interpreter and in another machine.
    fn calls(
        &self,
        first: &mut Interp,
        fun: (&str, FunId, &Fun),
        machine: &mut dyn FnMut(&[Value]) -> Outcome,
        runs: &mut Runs,
    ) -> Result<(), String> {
        for call in self.expected(first, fun)? {
            self.compare(fun.0, &call, self.tolerance, machine, runs)?;
        }
        Ok(())
    }

    /// What the interpreter makes of a function.
    fn expected(
        &self,
        machine: &mut Interp,
        (name, id, fun): (&str, FunId, &Fun),
    ) -> Result<Vec<Call>, String> {
        // Each function has its own numbers, so that they stay the same when other functions go.
        let mut rng = Rng::new(self.seed ^ number(name));
        let mut calls = Vec::new();
        for args in self.inputs(name, fun, &mut rng)? {
            let result = machine.call(id, args.clone());
            if let Err(error) = &result
                && self.total
                && class(&result) == Class::Undefined
                && matches!(error.kind, ErrorKind::Program | ErrorKind::Internal)
            {
                let args: Vec<String> = args.iter().map(show).collect();
                let args = args.join(" ");
                return Err(format!("\"{name}\" is not defined for {args}: {error}"));
            }
            calls.push(Call { args, result });
        }
        Ok(calls)
    }

    /// Compares what a machine makes of a call.
    fn compare(
        &self,
        name: &str,
        call: &Call,
        tolerance: Option<f64>,
        machine: &mut dyn FnMut(&[Value]) -> Outcome,
        runs: &mut Runs,
    ) -> Result<(), String> {
        let Call { args, result: expected } = call;
        if class(expected) == Class::Undefined {
            runs.undefined += 1;
            return Ok(());
        }
        let found = match (machine(args), expected) {
            (Outcome::Values(found), Ok(values)) if all_same(tolerance, values, &found) => {
                runs.succeeded += 1;
                return Ok(());
            }
            (Outcome::Check(_), Err(_)) => {
                runs.failed += 1;
                return Ok(());
            }
            (Outcome::Limit, _) => {
                runs.undefined += 1;
                return Ok(());
            }
            (Outcome::Values(found), _) => found.iter().map(show).collect::<Vec<_>>().join(" "),
            (Outcome::Check(message), _) => format!("error: {message}"),
            (Outcome::Wrong(message), _) => message,
        };
        let args: Vec<String> = args.iter().map(show).collect();
        let (args, expected) = (args.join(" "), describe(expected));
        Err(format!(
            "\"{name}\" differs for the arguments {args}\nexpected: {expected}\nfound:    {found}"
        ))
    }

    /// Whether the result after a pass is right, the one before being defined.
    fn same_result(
        &self,
        old: &Result<Vec<Value>, Error>,
        new: &Result<Vec<Value>, Error>,
    ) -> bool {
        match (old, new) {
            (Ok(a), Ok(b)) => all_same(self.tolerance, a, b),
            (Err(_), new) => class(new) == Class::Failed,
            (Ok(_), Err(_)) => false,
        }
    }

    fn machine(&self, prog: &Prog) -> Interp {
        let mut prog = prog.clone();
        mark(&mut prog);
        Interp::with_options(&prog, self.options(1, Chunking::Whole))
    }

    /// Limits that are so many times those of the program before.
    fn options(&self, factor: u64, chunking: Chunking) -> Options {
        Options {
            max_array_bytes: factor << 24,
            max_steps: Some(self.max_steps.saturating_mul(factor)),
            stack_bytes: 16 << 20,
            chunking,
            ..Options::default()
        }
    }

    fn inputs(&self, name: &str, fun: &Fun, rng: &mut Rng) -> Result<Vec<Vec<Value>>, String> {
        let written: Vec<_> = self.written.iter().filter(|(owner, _)| owner == name).collect();
        if !written.is_empty() {
            let read = |(_, text): &&(String, String)| {
                arguments::written(fun, text)
                    .map_err(|error| format!("arguments of \"{name}\": {error}"))
            };
            return written.iter().map(read).collect();
        }
        let mut inputs = Vec::new();
        for round in 0..self.rounds + 2 {
            let sizes = match round {
                0 => Sizes::All(0),
                1 => Sizes::All(1),
                2 => Sizes::All(self.max_size.min(3)),
                _ if self.long > 0 && round > 2 => Sizes::Long(self.long, self.max_size),
                _ => Sizes::UpTo(self.max_size),
            };
            let args = arguments::random(fun, sizes, rng)?;
            inputs.push(match self.rough {
                false => args,
                true => arguments::rough(args, rng).ok_or("an argument has no such float")?,
            });
        }
        Ok(inputs)
    }
}

fn all_same(tolerance: Option<f64>, a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(tolerance, a, b))
}

fn same(tolerance: Option<f64>, a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Scalar(a), Value::Scalar(b)) => same_scalar(tolerance, *a, *b),
        (Value::Array(a), Value::Array(b)) => {
            if a.same_bits(b) {
                return true;
            }
            let (a_items, b_items) = (a.to_buffer(), b.to_buffer());
            let item = |at| match (a_items.get(at), b_items.get(at)) {
                (Some(a), Some(b)) => same_scalar(tolerance, a, b),
                _ => false,
            };
            a.elem() == b.elem() && a.shape() == b.shape() && (0..a.count()).all(item)
        }
        _ => false,
    }
}

fn same_scalar(tolerance: Option<f64>, a: Scalar, b: Scalar) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (as_float(a), as_float(b)) else { return false };
    if a.elem() != b.elem() {
        return false;
    }
    match tolerance {
        _ if x.is_nan() && y.is_nan() => true,
        Some(tolerance) => x == y || (x - y).abs() <= tolerance * x.abs().max(y.abs()).max(1.0),
        None => false,
    }
}

/// Puts [`MARK`] before the messages of all checks of a program.
pub fn mark(prog: &mut Prog) {
    prog.for_each_body(|_, _, body| Marks.body(body));
}

/// A program, and what its functions give for the arguments of an oracle. They are called only once.
pub struct Reference<'a> {
    oracle: &'a Oracle,
    prog: &'a Prog,
    machine: Interp,
    calls: BTreeMap<FunId, Vec<Call>>,
}

/// What the entry points of a program give for the arguments of an oracle.
pub struct Entries {
    oracle: Oracle,
    /// By the names of the entry points.
    calls: Vec<(String, Vec<Call>)>,
}

impl Entries {
    /// Whether another machine gives the same, up to a tolerance for floats; otherwise what differs.
    pub fn agree_with(
        &self,
        tolerance: Option<f64>,
        machine: &mut dyn FnMut(&str, &[Value]) -> Outcome,
    ) -> Result<Runs, String> {
        let mut runs = Runs::default();
        for (name, calls) in &self.calls {
            for call in calls {
                let machine = &mut |args: &[Value]| machine(name, args);
                self.oracle.compare(name, call, tolerance, machine, &mut runs)?;
            }
        }
        Ok(runs)
    }

    /// The same calls, with what another machine makes of them in the place of the interpreter's results; otherwise
    /// what is wrong with it. Calls that nothing can be said about stay as they are.
    pub fn made_by(
        mut self,
        machine: &mut dyn FnMut(&str, &[Value]) -> Outcome,
    ) -> Result<Entries, String> {
        let error = |kind, message| Error { kind, message, trace: Vec::new() };
        for (name, calls) in &mut self.calls {
            for call in calls.iter_mut().filter(|call| class(&call.result) != Class::Undefined) {
                call.result = match machine(name, &call.args) {
                    Outcome::Values(values) => Ok(values),
                    Outcome::Check(message) => {
                        Err(error(ErrorKind::Program, format!("{MARK}{message}")))
                    }
                    Outcome::Limit => Err(error(ErrorKind::Resource, String::new())),
                    Outcome::Wrong(message) => return Err(format!("\"{name}\": {message}")),
                };
            }
        }
        Ok(self)
    }

    /// Whether the entry points of another program give the same results, to the bit.
    pub fn agree(&self, after: &Prog) -> Result<Runs, String> {
        let mut machine = self.oracle.machine(after);
        let chunking = if has(after, is_stream) {
            Chunking::Random(self.oracle.seed)
        } else {
            Chunking::Whole
        };
        *machine.options_mut() = self.oracle.options(64, chunking);
        self.agree_with(None, &mut |name, args| {
            let Some(entry) = after.entries.iter().find(|entry| entry.name == name) else {
                return Outcome::Wrong(format!("the entry point \"{name}\" is gone"));
            };
            let result = machine.call(entry.fun, args.to_vec());
            match (class(&result), result) {
                (_, Ok(values)) => Outcome::Values(values),
                (Class::Failed, Err(error)) => Outcome::Check(error.to_string()),
                (Class::Succeeded | Class::Undefined, Err(error)) => {
                    Outcome::Wrong(error.to_string())
                }
            }
        })
    }
}

/// Arguments and what became of them.
struct Call {
    args: Vec<Value>,
    result: Result<Vec<Value>, Error>,
}

impl Reference<'_> {
    /// Whether another program means the same; otherwise what differs.
    pub fn agree(&mut self, after: &Prog) -> Result<Runs, String> {
        let pairs = pairs(self.prog, after)?;
        for (name, _) in &self.oracle.written {
            if !pairs.iter().any(|(pair, ..)| pair == name) {
                return Err(format!("there are arguments for \"{name}\", but no such function"));
            }
        }
        // The more pieces, the more instructions.
        let mut ways = vec![("", self.oracle.options(8, Chunking::Whole))];
        if has(after, is_stream) {
            let random = Chunking::Random(self.oracle.seed);
            ways.push((" in single elements", self.oracle.options(64, Chunking::Size(1))));
            ways.push((" in random chunks", self.oracle.options(64, random)));
        }
        if has(after, |exp| *exp == Exp::Threads) {
            for (way, threads) in THREADS {
                let options = self.oracle.options(8, Chunking::Whole);
                ways.push((way, Options { threads, ..options }));
            }
        }
        let mut machine = self.oracle.machine(after);
        let mut runs = Runs::default();
        for (name, old, new) in pairs {
            self.call(&name, old)?;
            let calls = self.calls.get(&old).map_or(&[][..], |calls| calls);
            for Call { args, result: old_result } in calls {
                match class(old_result) {
                    Class::Undefined => {
                        runs.undefined += 1;
                        continue;
                    }
                    Class::Failed => runs.failed += 1,
                    Class::Succeeded => runs.succeeded += 1,
                }
                for (way, options) in &ways {
                    *machine.options_mut() = options.clone();
                    let new_result = machine.call(new, args.clone());
                    if self.oracle.same_result(old_result, &new_result) {
                        continue;
                    }
                    let args: Vec<String> = args.iter().map(show).collect();
                    let (args, old, new) =
                        (args.join(" "), describe(old_result), describe(&new_result));
                    return Err(format!(
                        "\"{name}\" differs{way} for the arguments {args}\nbefore: {old}\nafter:  {new}"
                    ));
                }
            }
        }
        Ok(runs)
    }

    /// Calls a function, unless that has been done.
    fn call(&mut self, name: &str, fun: FunId) -> Result<(), String> {
        if self.calls.contains_key(&fun) {
            return Ok(());
        }
        let calls = self.oracle.expected(&mut self.machine, (name, fun, &self.prog.funs[fun]))?;
        self.calls.insert(fun, calls);
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Succeeded,
    Failed,
    Undefined,
}

fn class(result: &Result<Vec<Value>, Error>) -> Class {
    match result {
        Ok(_) => Class::Succeeded,
        Err(error) => match error.kind {
            ErrorKind::Program if error.message.starts_with(MARK) => Class::Failed,
            ErrorKind::Program
            | ErrorKind::Resource
            | ErrorKind::Interrupt
            | ErrorKind::Internal => Class::Undefined,
        },
    }
}

/// Entry points by their names, then other functions that both programs have.
fn pairs(before: &Prog, after: &Prog) -> Result<Vec<(String, FunId, FunId)>, String> {
    let mut pairs: Vec<(String, FunId, FunId)> = Vec::new();
    for entry in &before.entries {
        let Some(new) = after.entries.iter().find(|new| new.name == entry.name) else {
            return Err(format!("the entry point \"{}\" is gone", entry.name));
        };
        if !same_params(&before.funs[entry.fun], &after.funs[new.fun]) {
            return Err(format!("the entry point \"{}\" has other parameters", entry.name));
        }
        pairs.push((entry.name.to_string(), entry.fun, new.fun));
    }
    for (id, fun) in before.funs.iter() {
        if pairs.iter().any(|(_, old, _)| *old == id)
            || pairs.iter().any(|(name, ..)| *name == fun.name)
        {
            continue;
        }
        let same_name = |prog: &Prog| -> Vec<FunId> {
            prog.funs.iter().filter(|(_, other)| other.name == fun.name).map(|(id, _)| id).collect()
        };
        // Names need not be unique; then nobody knows which function has become which.
        if let ([_], [new]) = (&same_name(before)[..], &same_name(after)[..])
            && same_params(fun, &after.funs[*new])
        {
            pairs.push((fun.name.to_string(), id, *new));
        }
    }
    Ok(pairs)
}

/// A number for a name.
fn number(name: &str) -> u64 {
    name.bytes().fold(0, |sum, byte| Rng::new(sum ^ u64::from(byte)).bits())
}

/// Whether the same arguments suit both: elements and ranks are the same, and sizes are called alike.
fn same_params(a: &Fun, b: &Fun) -> bool {
    let kind = |fun: &Fun| -> Vec<_> {
        let ty = |var| &fun.vars[var].ty;
        fun.params.iter().map(|param| (ty(param.var).elem(), ty(param.var).rank())).collect()
    };
    kind(a) == kind(b)
}

fn as_float(value: Scalar) -> Option<f64> {
    match value {
        Scalar::F16(value) => Some(value.to_f64()),
        Scalar::F32(value) => Some(f64::from(value)),
        Scalar::F64(value) => Some(value),
        _ => None,
    }
}

fn describe(result: &Result<Vec<Value>, Error>) -> String {
    match result {
        Ok(values) => values.iter().map(show).collect::<Vec<_>>().join(" "),
        Err(error) => format!("error: {error}"),
    }
}

/// A value for people: elements in row-major order after the shape.
pub fn show(value: &Value) -> String {
    match value {
        Value::Scalar(value) => show_scalar(*value),
        Value::Array(array) => {
            let items = array.to_buffer();
            let items: Vec<String> =
                (0..array.count()).filter_map(|at| items.get(at)).map(show_scalar).collect();
            let shape: Vec<String> = array.shape().iter().map(|size| format!("[{size}]")).collect();
            format!("{}{}{{{}}}", shape.concat(), array.elem(), items.join(", "))
        }
        Value::Acc(_) => "an accumulator".to_owned(),
        Value::Gone => "nothing".to_owned(),
    }
}

fn show_scalar(value: Scalar) -> String {
    fehu_ir::text::show_atom(value.into(), &fehu_base::IdVec::new())
}

fn is_stream(exp: &Exp) -> bool {
    matches!(exp, Exp::Stream(_))
}

/// Whether a program has such an expression.
fn has(prog: &Prog, wanted: impl Fn(&Exp) -> bool) -> bool {
    struct Look<F>(F, bool);
    impl<F: Fn(&Exp) -> bool> Visit for Look<F> {
        fn exp(&mut self, exp: &Exp) {
            self.1 |= (self.0)(exp);
            walk_exp(self, exp);
        }
    }
    let mut look = Look(wanted, false);
    prog.bodies().for_each(|body| look.body(body));
    look.1
}

/// Puts [`MARK`] before all messages.
struct Marks;

impl VisitMut for Marks {
    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Assert(_, check) | Exp::Fail(check) = exp {
            check.parts.insert(0, CheckPart::Text(MARK.into()));
        }
        walk_exp_mut(self, exp);
    }
}
