//! `cargo xtask random --only derivatives`: derivatives of random functions of integers, in the interpreter.
//!
//! What must hold for a function `f`, its forward derivative `J v` and its reverse derivative `u J`, with integers that
//! wrap around:
//!
//! - Both yield the results of `f` as well.
//! - `u (J v) = (u J) v`, for any `u` and `v`.
//! - If `f` is a polynomial, `f(x + 2^32 v) - f(x) = 2^32 J v`: all further terms are multiples of `2^64`.
//! - The second derivatives of a polynomial by the same seeds are the same, in forward mode after reverse mode and the
//!   other way round.
//! - Passes of the optimiser do not change the derivatives.
//!
//! Every fourth program is one of any kind, with all types of numbers: for these, nothing is said of the derivative itself.
//!
//! What the compiler refuses to differentiate is counted, and not wrong.

use super::integers::{combine, dot, random_like, show_all};
use super::wrapper::wrapper;
use super::{Args, ENOUGH};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_base::stack::with_large_stack;
use fehu_driver::pipelines::PIPELINES;
use fehu_interp::{ErrorKind, Interp, Options, Value};
use fehu_ir::free::free_in_body;
use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Elem, Exp, FunId, Lambda, Param, Prog, Type, Var, VarInfo};
use fehu_irgen::rng::Rng;
use fehu_irgen::{CONSTANT, Config, differentiable_text, is_polynomial, random_prog};
use fehu_irtest::arguments::{self, Sizes};
use fehu_irtest::oracle::{Oracle, show};
use fehu_irtest::passes::transform;
use fehu_irtest::reduce::reduce;
use fehu_opt::PASSES;
use fehu_opt::differentiate::differentiate;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How large arrays are, in turn.
const SIZES: [Sizes; 5] =
    [Sizes::All(0), Sizes::All(1), Sizes::All(3), Sizes::UpTo(4), Sizes::UpTo(6)];
/// The most instructions of a function; its derivatives may have some times as many.
const STEPS: u64 = 300_000;
const TIMES: u64 = 40;
/// The largest argument.
const MOST: i64 = i64::MAX / 3;

#[derive(Default)]
struct Totals {
    programs: u64,
    refused: u64,
    counts: Counts,
    disagreements: u64,
}

/// What became of calls.
#[derive(Default)]
struct Counts {
    agreed: u64,
    /// Those of them whose derivatives are not zero.
    nonzero: u64,
    undefined: u64,
}

/// What holds for a program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It is a polynomial.
    Polynomial,
    /// All of its numbers are of type i64.
    Integers,
    /// Anything.
    General,
}

/// What is wrong with a program.
pub(super) enum Fault {
    /// It is not differentiated; this says why.
    Refused(String),
    /// The compiler makes something that is no program.
    Broken(String),
    /// It fails.
    Panicked,
    /// The derivatives are wrong.
    Differs(String),
    /// They mean something else after a pass.
    Optimised(String),
}

struct Run<'a> {
    args: &'a Args,
    start: Instant,
    next: AtomicU64,
    totals: Mutex<Totals>,
}

pub(super) fn run(args: &Args) -> ExitCode {
    if let Some(folder) = &args.keep
        && let Err(why) = std::fs::create_dir_all(folder)
    {
        println!("{}: {why}", folder.display());
        return ExitCode::FAILURE;
    }
    let run =
        Run { args, start: Instant::now(), next: AtomicU64::new(0), totals: Mutex::default() };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| with_large_stack(|| run.work()));
        }
    });
    let seconds = run.start.elapsed().as_secs();
    run.with_totals(|totals| {
        println!("programs                {:8}", totals.programs);
        println!("rejected by the compiler {:7}", totals.refused);
        println!("agreed                  {:8}", totals.counts.agreed);
        println!("  derivative not zero   {:8}", totals.counts.nonzero);
        println!("not defined             {:8}", totals.counts.undefined);
        println!("disagreements           {:8}", totals.disagreements);
        println!("seconds                 {seconds:8}");
        let complete = totals.programs == args.count || args.seconds.is_some();
        let good = totals.disagreements == 0 && totals.counts.nonzero > 0 && complete;
        ExitCode::from(u8::from(!good))
    })
}

impl Run<'_> {
    fn work(&self) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let late = self.args.seconds.map(Duration::from_secs);
            if number >= self.args.count
                || late.is_some_and(|limit| self.start.elapsed() > limit)
                || self.with_totals(|totals| totals.disagreements) >= ENOUGH
            {
                return;
            }
            let seed = self.args.seed + number;
            match sample(seed) {
                Ok(prog) => self.program(seed, &prog),
                Err(why) => {
                    println!("seed {seed}: {why}");
                    self.with_totals(|totals| totals.disagreements += 1);
                }
            }
            if self.args.progress && number % 100 == 99 {
                let seconds = self.start.elapsed().as_secs();
                self.with_totals(|totals| println!("{seconds:6} s {} programs", totals.programs));
            }
        }
    }

    fn program(&self, seed: u64, prog: &Prog) {
        self.with_totals(|totals| totals.programs += 1);
        match examine(prog, seed) {
            Ok(counts) => self.with_totals(|totals| {
                totals.counts.agreed += counts.agreed;
                totals.counts.nonzero += counts.nonzero;
                totals.counts.undefined += counts.undefined;
            }),
            Err(Fault::Refused(why)) => {
                if self.args.progress {
                    println!("seed {seed}: refused: {why}");
                }
                self.with_totals(|totals| totals.refused += 1);
            }
            Err(fault) => self.report(seed, prog, fault),
        }
    }

    fn report(&self, seed: u64, prog: &Prog, mut fault: Fault) {
        self.with_totals(|totals| totals.disagreements += 1);
        let mut prog = prog.clone();
        if self.args.reduce > 0 {
            let kind = std::mem::discriminant(&fault);
            let mut fails = |prog: &Prog| {
                has_operators(prog)
                    && examine(prog, seed)
                        .is_err_and(|found| std::mem::discriminant(&found) == kind)
            };
            prog = reduce(&prog, self.args.reduce, &mut fails);
            if let Err(found) = examine(&prog, seed) {
                fault = found;
            }
        }
        let why = fault.text();
        println!("seed {seed}\n{why}\n{prog}");
        if let Some(folder) = &self.args.keep {
            let lines: Vec<String> = why.lines().map(|line| format!("-- {line}")).collect();
            let path = folder.join(format!("seed{seed}.ir"));
            let text = format!("-- seed {seed}\n{}\n{prog}", lines.join("\n"));
            if let Err(why) = std::fs::write(&path, text) {
                println!("{}: {why}", path.display());
            }
        }
    }

    fn with_totals<T>(&self, work: impl FnOnce(&mut Totals) -> T) -> T {
        // Whoever panicked while counting has counted.
        let mut totals = self.totals.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        work(&mut totals)
    }
}

impl Fault {
    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Fault::Refused(_))
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Fault::Refused(why)
            | Fault::Broken(why)
            | Fault::Differs(why)
            | Fault::Optimised(why) => why,
            Fault::Panicked => "it panicked",
        }
    }
}

impl Kind {
    fn of(seed: u64) -> Kind {
        match seed % 4 {
            3 => Kind::General,
            _ if is_polynomial(seed) => Kind::Polynomial,
            _ => Kind::Integers,
        }
    }
}

fn sample(seed: u64) -> Result<Prog, String> {
    match Kind::of(seed) {
        Kind::General => {
            let config = Config { statements: 4 + (seed % 3) as usize * 4, ..Config::default() };
            let mut prog = random_prog(seed, config);
            prog.entries.clear();
            Ok(prog)
        }
        Kind::Polynomial | Kind::Integers => {
            let text = differentiable_text(seed);
            parse(&text).map_err(|why| format!("{why}\n{text}"))
        }
    }
}

/// A function with its derivatives, as code.
pub(super) struct Derived {
    pub(super) prog: Prog,
    pub(super) primal: FunId,
    pub(super) forward: FunId,
    pub(super) reverse: FunId,
    /// Those of a polynomial: forward mode after reverse mode, and the other way round.
    pub(super) second: Option<[FunId; 2]>,
    /// The parameters that it is differentiated by.
    active: Vec<usize>,
    /// The results that are differentiated.
    results: Vec<usize>,
}

/// Differentiates the last function of a program, and checks what must hold.
fn examine(prog: &Prog, seed: u64) -> Result<Counts, Fault> {
    let mut counts = Counts::default();
    let twice = Kind::of(seed) == Kind::Polynomial && seed.is_multiple_of(5);
    let Some(derived) = derive(prog, twice, directions(seed))? else {
        return Ok(counts);
    };
    let mut rng = Rng::new(seed);
    for sizes in SIZES {
        match check(&derived, sizes, Kind::of(seed), &mut rng)? {
            Some(nonzero) => {
                counts.agreed += 1;
                counts.nonzero += u64::from(nonzero);
            }
            None => counts.undefined += 1,
        }
    }
    optimise(&derived, seed)?;
    Ok(counts)
}

/// How many directions there are at once: few, which are so many variables, or an array of them.
pub(super) fn directions(seed: u64) -> Option<usize> {
    [None, None, Some(3), Some(17)][(seed / 8) as usize % 4]
}

/// The program with both derivatives; nothing if the function is not one that can be asked for them.
pub(super) fn derive(
    prog: &Prog,
    twice: bool,
    several: Option<usize>,
) -> Result<Option<Derived>, Fault> {
    let mut prog = prog.clone();
    let Some(last) = prog.funs.len().checked_sub(1) else { return Ok(None) };
    let primal = FunId::from_index(last);
    let fun = &prog.funs[primal];
    let types: Vec<Type> = fun.vars.iter().map(|(_, info)| info.ty.clone()).collect();
    let is_size = |var: Var| types.iter().any(|ty| ty.shape().contains(&Atom::Var(var)));
    let is_active = |param: &Param| {
        let info = &fun.vars[param.var];
        matches!(info.ty.elem(), Some(Elem::Prim(_)))
            && !is_size(param.var)
            && !CONSTANT.contains(&info.hint.as_str())
    };
    let indices = |items: &mut dyn Iterator<Item = bool>| -> Vec<usize> {
        (0..).zip(items).filter(|(_, yes)| *yes).map(|(index, _)| index).collect()
    };
    let active = indices(&mut fun.params.iter().map(is_active));
    // Results whose sizes are results as well are for nobody outside.
    let known = |var: &Var| {
        let ty = &fun.vars[*var].ty;
        matches!(ty.elem(), Some(Elem::Prim(_)))
            && !is_size(*var)
            && ty
                .shape()
                .iter()
                .all(|size| size.var().is_none_or(|var| !fun.results.contains(&var)))
    };
    let results = indices(&mut fun.results.iter().map(known));
    if active.is_empty() {
        return Ok(None);
    }
    let chosen = (&active[..], &results[..]);
    let [forward, reverse] =
        [true, false].map(|forward| wrapper(fun, primal, chosen, forward, several));
    let (forward, reverse) = (prog.funs.push(forward), prog.funs.push(reverse));
    let second = twice.then(|| {
        // By the parameters, of what the derivative yields after the results.
        let [gradient, tangent] =
            [(reverse, active.len()), (forward, results.len())].map(|(id, count)| {
                let of: Vec<usize> = (results.len()..results.len() + count).collect();
                wrapper(&prog.funs[id], id, (&active, &of), id == reverse, several)
            });
        [prog.funs.push(gradient), prog.funs.push(tangent)]
    });
    if let Err(errors) = verify(&prog) {
        return Err(Fault::Broken(render(&prog, &errors)));
    }
    // As in all pipelines.
    let before = transform(&prog, &[fehu_par::UNFLATMAP]);
    prog = before.map_err(|failure| Fault::Broken(failure.to_string()))?;
    let done = catch_unwind(AssertUnwindSafe(|| {
        let done = differentiate(&mut prog);
        (prog, done)
    }));
    let Ok((prog, done)) = done else { return Err(Fault::Panicked) };
    if let Err(refused) = done {
        return Err(Fault::Refused(refused.what));
    }
    if let Err(errors) = verify(&prog) {
        return Err(Fault::Broken(render(&prog, &errors)));
    }
    Ok(Some(Derived { prog, primal, forward, reverse, second, active, results }))
}

/// Checks the derivatives for random arguments; whether they are other than zero, if the function is defined there.
fn check(
    derived: &Derived,
    sizes: Sizes,
    kind: Kind,
    rng: &mut Rng,
) -> Result<Option<bool>, Fault> {
    let Derived { prog, primal, forward, reverse, second, active, results } = derived;
    let differs = |why: String| Fault::Differs(why);
    let mut args = arguments::random(&prog.funs[*primal], sizes, rng).map_err(differs)?;
    for index in active.iter().filter(|_| kind != Kind::General) {
        // The least and the largest number are neutral elements, which elements are not.
        args[*index] = combine(&args[*index], &args[*index], |x, _| x.clamp(-MOST, MOST));
    }
    let shown: Vec<String> = args.iter().map(show).collect();
    let shown = shown.join(" ");
    let call = |fun: FunId, args: Vec<Value>, steps: u64| {
        let options = Options {
            max_array_bytes: 1 << 24,
            max_steps: Some(steps),
            stack_bytes: 16 << 20,
            ..Options::default()
        };
        Interp::with_options(prog, options).call(fun, args)
    };
    let primal = |args: Vec<Value>| {
        let values = call(*primal, args, STEPS).ok()?;
        Some(results.iter().map(|index| values[*index].clone()).collect::<Vec<_>>())
    };
    let Some(values) = primal(args.clone()) else { return Ok(None) };
    let direction: Vec<Value> =
        active.iter().map(|index| random_like(&args[*index], rng)).collect();
    let adjoint: Vec<Value> = values.iter().map(|value| random_like(value, rng)).collect();
    let mut both = Vec::new();
    for (name, fun, seeds) in [("forward", *forward, &direction), ("reverse", *reverse, &adjoint)] {
        let all: Vec<Value> = args.iter().chain(seeds).cloned().collect();
        let mut found = match call(fun, all, STEPS * TIMES) {
            Ok(found) => found,
            Err(error) if error.kind == ErrorKind::Resource => return Ok(None),
            Err(error) => return Err(differs(format!("{name}, for {shown}: {error}"))),
        };
        let derivative = found.split_off(values.len());
        if !values.iter().zip(&found).all(|(a, b)| a.same_bits(b)) {
            let [a, b] = [&values, &found].map(|values| show_all(values));
            return Err(differs(format!("{name}, for {shown}: the value is {b}, and not {a}")));
        }
        both.push(derivative);
    }
    if kind == Kind::General {
        return Ok(Some(false));
    }
    let [tangent, gradient] = [0, 1].map(|index: usize| &both[index][..]);
    let (left, right) = (dot(&adjoint, tangent), dot(gradient, &direction));
    let context = || {
        format!(
            "for {shown}\ndirection {}\ntangent {}\nadjoint {}\ngradient {}",
            show_all(&direction),
            show_all(tangent),
            show_all(&adjoint),
            show_all(gradient)
        )
    };
    if kind == Kind::Polynomial {
        let mut near = args.clone();
        for (index, step) in active.iter().zip(&direction) {
            near[*index] = combine(&args[*index], step, |x, v| x.wrapping_add(v << 32));
        }
        let Some(moved) = primal(near) else { return Ok(None) };
        for ((before, after), tangent) in values.iter().zip(&moved).zip(tangent) {
            let change = combine(after, before, i64::wrapping_sub);
            let expected = combine(tangent, tangent, |v, _| v << 32);
            if !change.same_bits(&expected) {
                let (change, expected) = (show(&change), show(&expected));
                return Err(differs(format!(
                    "a step changes the function by {change}, and not by {expected}\n{}",
                    context()
                )));
            }
        }
    }
    if let Some([after_reverse, after_forward]) = *second {
        // The derivatives of `u J` in direction `v`, and of `J v` by `u`.
        let mut found = Vec::new();
        for (fun, first, then) in
            [(after_reverse, &adjoint, &direction), (after_forward, &direction, &adjoint)]
        {
            let all: Vec<Value> = args.iter().chain(first).chain(then).cloned().collect();
            let mut values = match call(fun, all, STEPS * TIMES * TIMES) {
                Ok(values) => values,
                Err(error) if error.kind == ErrorKind::Resource => return Ok(None),
                Err(error) => return Err(differs(format!("second derivative: {error}"))),
            };
            found.push(values.split_off(values.len() - active.len()));
        }
        if !found[0].iter().zip(&found[1]).all(|(a, b)| a.same_bits(b)) {
            let [a, b] = [&found[0], &found[1]].map(|values| show_all(values));
            return Err(differs(format!("the second derivatives are {a} and {b}\n{}", context())));
        }
    }
    if left != right {
        return Err(differs(format!("{left} is not {right}\n{}", context())));
    }
    Ok(Some(left != 0))
}

/// Passes leave the derivatives as they are: one by itself, or those of a pipeline.
fn optimise(derived: &Derived, seed: u64) -> Result<(), Fault> {
    let way = (seed / 2) as usize % (PASSES.len() + PIPELINES.len());
    let passes = match way.checked_sub(PASSES.len()) {
        Some(number) => PIPELINES[number].passes,
        None => &PASSES[way..=way],
    };
    let names: Vec<&str> = passes.iter().map(|pass| pass.name).collect();
    let wrong = |why: &dyn std::fmt::Display| Fault::Optimised(format!("{names:?}: {why}"));
    let after = transform(&derived.prog, passes);
    let after = after.map_err(|why| Fault::Broken(format!("{names:?}: {why}")))?;
    let oracle =
        Oracle { seed, rounds: 2, max_size: 4, max_steps: STEPS * TIMES, ..Oracle::default() };
    oracle.agree(&derived.prog, &after).map_err(|why| wrong(&why))?;
    Ok(())
}

/// Whether operators of reductions and the like use all of their parameters; those that do not are hardly associative,
/// with the neutral element that is given. Programs that are made smaller may have them.
fn has_operators(prog: &Prog) -> bool {
    struct Look<'a>(&'a IdVec<Var, VarInfo>, bool);
    impl Look<'_> {
        fn operator(&mut self, op: &Lambda) {
            let used = free_in_body(&op.body, self.0);
            self.1 &= op.params.iter().all(|param| used.contains(param));
        }
    }
    impl Visit for Look<'_> {
        fn exp(&mut self, exp: &Exp) {
            if let Exp::Screma(op) = exp {
                op.scans.iter().for_each(|scan| self.operator(&scan.op));
                op.reds.iter().for_each(|red| self.operator(&red.op));
            } else if let Exp::Hist(op) = exp {
                op.ops.iter().for_each(|hist| self.operator(&hist.op));
            }
            walk_exp(self, exp);
        }
    }
    prog.funs.iter().all(|(_, fun)| {
        let mut look = Look(&fun.vars, true);
        look.body(&fun.body);
        look.1
    })
}
