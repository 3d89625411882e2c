//! `cargo xtask random`: random programs in the interpreter and compiled by a back end.
//!
//! Programs are compiled several at a time, as entry points of one server, and called with the same random arguments as in
//! the interpreter: with sizes zero, one, three, and others. Where there are versions, all of them are executed by setting the
//! thresholds that decide between them ([`SETTINGS`]). For devices, every other server has small blocks of threads and few of
//! them, so that small arrays are work for several.
//!
//! A program that does not compile, a server that ends, another result, and a check that fails on one side only are
//! disagreements: they are printed with the program, and written to a folder with `--keep`.
//!
//! Needs no more than this program and a C compiler: it can be copied to a machine with a GPU.

mod derivatives;
mod integers;
pub(crate) mod jit;
pub(crate) mod kernels;
pub(crate) mod machine;
mod sample;
mod sequences;
mod smooth;
mod wrapper;

use ecow::EcoString;
use fehu_base::stack::with_large_stack;
use fehu_driver::cache::Cache;
use fehu_driver::compile::{CCompiler, Floats};
use fehu_driver::stages::Target;
use fehu_driver::temporary::Folder;
use fehu_ir::{Level, Prog};
use fehu_irtest::oracle::{Entries, Oracle, Runs};
use fehu_irtest::reduce::reduce;
use machine::{Machine, NoMachine, Start, build};
use sample::{
    Sample, boxes, growing, irregular, merge, products, ragged, sample, stencil, sums, updates,
    views,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The back end to test.
    #[arg(long, value_enum, default_value_t = Backend::C)]
    backend: Backend,
    /// How many programs to run.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The number of the first program; the same number always gives the same program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many servers to run at the same time.
    #[arg(short, long, default_value_t = 1)]
    jobs: usize,
    /// How many programs to compile together.
    #[arg(long, default_value_t = 16)]
    batch: u64,
    /// Start no more servers after this many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Write programs whose results differ to this folder, as `.ir` files with the two results.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Try this many smaller programs when shrinking one whose results differ.
    #[arg(long, default_value_t = 0)]
    reduce: usize,
    /// Programs of one kind only.
    #[arg(long, value_enum)]
    only: Option<Kind>,
    /// Run servers through this program, as its first argument.
    #[arg(long, value_name = "PROGRAM")]
    runner: Option<String>,
    /// Programs that add up floats, in the order that imp chooses, as for users: machine code is compared with imp, and
    /// C, optimised, with machine code, to the bit.
    #[arg(long)]
    plain: bool,
    /// Print the kernels of programs that go wrong on the machine that runs them.
    #[arg(long)]
    code: bool,
    /// Report progress after each server.
    #[arg(long)]
    progress: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Backend {
    C,
    Multicore,
    Opencl,
    Cuda,
    /// The machine that runs kernels thread by thread and watches them; it needs no compiler and no driver.
    Kernels,
    /// Machine code that is made in this process.
    Jit,
}

/// Kinds of programs that one can ask for.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Maps whose functions have operators of other widths at each position, branches and loops that differ.
    Irregular,
    /// Rows that differ, of which tasks or kernels share the work.
    Rows,
    /// Positions that read elements near them, with borders of each kind.
    Stencils,
    /// Operators on transposed, reversed, cut and reshaped rows.
    Views,
    /// Matrices that are changed in place, by rows and slices, in loops, branches and functions of maps.
    Updates,
    /// Nests with products of matrices of which something smaller is needed.
    Products,
    /// Arrays as large as a counter says: they grow and shrink, in loops and in functions of maps.
    Growing,
    /// Scatters whose positions are digits of boxes.
    Boxes,
    /// Entry points on sequences, in executables that read them in chunks of many sizes and with many memory limits.
    Sequences,
    /// Functions of integers, whose derivatives the interpreter runs.
    Derivatives,
    /// Functions of floating-point numbers, whose derivatives the interpreter compares with finite differences.
    Smooth,
}

/// What thresholds are set to.
struct Setting {
    name: &'static str,
    /// Those of widths, and of the work in loops, that a block of threads can deal with: up to there, it does.
    intra: u64,
    /// Those of parallelism that is enough: from there on, what is inside is sequential.
    outer: u64,
    /// Those of rows of differing lengths that a thread, a warp or a block can deal with.
    rows: [u64; 3],
}

impl Setting {
    fn value(&self, threshold: &str) -> u64 {
        let [thread, warp, block] = self.rows;
        let values = [
            (".suff_intra_", self.intra),
            (".suff_loop_", self.intra),
            (".suff_outer_rows_", thread),
            (".suff_warp_rows_", warp),
            (".suff_block_rows_", block),
        ];
        let found = values.iter().find(|(name, _)| threshold.contains(name));
        found.map_or(self.outer, |(_, value)| *value)
    }
}

/// Zero is the default of each threshold: for small arrays there is not enough parallelism outside, and blocks can deal
/// with what is inside. Then everything outside is enough; then neither, so that all is flattened. Then rows of
/// differing lengths have a warp each, or a block.
const SETTINGS: [Setting; 5] = [
    Setting { name: "default", intra: 0, outer: 0, rows: [0; 3] },
    Setting { name: "low", intra: 1, outer: 1, rows: [1 << 40, 1, 1] },
    Setting { name: "flat", intra: 1, outer: 1 << 40, rows: [1; 3] },
    Setting { name: "warps", intra: 1, outer: 1 << 40, rows: [1, 1 << 40, 1] },
    Setting { name: "blocks", intra: 1, outer: 1 << 40, rows: [1, 1, 1 << 40] },
];
/// The largest size of arrays of some programs.
const LARGE: i64 = 20;
/// Numbers of threads, in turn.
const THREADS: [u64; 3] = [2, 6, LARGE as u64 + 4];
/// The longest arrays of programs that are made for kernels.
const LONG: i64 = 1500;
/// After so many disagreements nobody wants to see more.
const ENOUGH: u64 = 20;

/// What became of the programs.
#[derive(Default, Debug)]
struct Totals {
    programs: u64,
    succeeded: u64,
    failed: u64,
    undefined: u64,
    versions: u64,
    refused: u64,
    disagreements: u64,
    /// The kernels that were launched, by what they do: how often, and by how many programs.
    kernels: BTreeMap<EcoString, (u64, u64)>,
}

/// What became of a program.
struct Compared {
    runs: Runs,
    /// Whether there were several versions.
    versions: bool,
}

/// What is wrong with a program.
enum Fault {
    /// The compiler says that it is too much for it.
    Refused(String),
    /// There is no server.
    Broken(String),
    /// The results differ.
    Differs(String),
}

struct Run<'a> {
    args: &'a Args,
    target: Target,
    compiler: CCompiler,
    /// Where the runtime is kept, which is compiled once.
    runtimes: Cache,
    start: Instant,
    next: AtomicU64,
    totals: Mutex<Totals>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    if args.only == Some(Kind::Sequences) {
        return sequences::run(args);
    }
    if args.only == Some(Kind::Derivatives) {
        return derivatives::run(args);
    }
    if args.only == Some(Kind::Smooth) {
        return smooth::run(args);
    }
    if args.plain && !matches!(args.backend, Backend::C | Backend::Jit) {
        println!(
            "what other back ends add up in any order cannot be compared to the bit: `--plain` is for `c` and `jit`"
        );
        return ExitCode::FAILURE;
    }
    let compiler = match CCompiler::find(None, Target::C, Floats::Rounded) {
        // What it does to sums is.
        Ok(compiler) if args.plain => compiler,
        // Whether the C compiler optimises well is not the question.
        Ok(compiler) => compiler.with_flags(&["-O0", "-w", "-std=c11"]),
        Err(error) => {
            println!("{}", error.message);
            return ExitCode::FAILURE;
        }
    };
    if let Some(folder) = &args.keep
        && let Err(why) = std::fs::create_dir_all(folder)
    {
        println!("{}: {why}", folder.display());
        return ExitCode::FAILURE;
    }
    let target = match args.backend {
        Backend::C | Backend::Jit => Target::C,
        Backend::Multicore => Target::Multicore,
        Backend::Opencl => Target::OpenCl,
        Backend::Cuda | Backend::Kernels => Target::Cuda,
    };
    let made = Folder::new().and_then(|folder| {
        let runtimes = Cache::at(folder.path().to_owned(), u64::MAX)?;
        Ok((folder, runtimes))
    });
    let (_folder, runtimes) = match made {
        Ok(made) => made,
        Err(why) => {
            println!("there is no temporary folder: {why}");
            return ExitCode::FAILURE;
        }
    };
    let (start, next, totals) = (Instant::now(), AtomicU64::new(0), Mutex::default());
    let run = Run { args, target, compiler, runtimes, start, next, totals };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| with_large_stack(|| run.work()));
        }
    });
    let seconds = run.start.elapsed().as_secs();
    run.with_totals(|totals| {
        println!("programs                {:8}", totals.programs);
        println!("cases                   {:8}", totals.succeeded + totals.failed);
        println!("  agreed                {:8}", totals.succeeded);
        println!("  failed as expected    {:8}", totals.failed);
        println!("not defined             {:8}", totals.undefined);
        println!("programs with versions  {:8}", totals.versions);
        println!("rejected by the compiler {:7}", totals.refused);
        println!("disagreements           {:8}", totals.disagreements);
        println!("seconds                 {seconds:8}");
        for (hint, (launches, programs)) in &totals.kernels {
            println!("kernel {hint:<16} {launches:8} launches in {programs:6} programs");
        }
        let complete = totals.programs == args.count || args.seconds.is_some();
        let good = totals.disagreements == 0 && totals.succeeded > 0 && complete;
        ExitCode::from(u8::from(!good))
    })
}

impl Run<'_> {
    /// Makes servers and asks them, until there is nothing left to do.
    fn work(&self) {
        let size = self.args.batch.max(1);
        loop {
            let batch = self.next.fetch_add(1, Ordering::Relaxed);
            let begin = batch.saturating_mul(size);
            let late = self.args.seconds.map(Duration::from_secs);
            if begin >= self.args.count
                || late.is_some_and(|limit| self.start.elapsed() > limit)
                || self.with_totals(|totals| totals.disagreements) >= ENOUGH
            {
                return;
            }
            let end = (begin + size).min(self.args.count);
            let options = self.options(batch);
            let mut samples = Vec::new();
            for number in begin..end {
                match self.sample(self.args.seed + number) {
                    Ok(sample) => samples.push(sample),
                    Err(why) => {
                        println!("{why}");
                        self.with_totals(|totals| totals.disagreements += 1);
                    }
                }
            }
            match self.args.backend {
                Backend::Kernels => samples.iter().for_each(|sample| self.on_machine(sample)),
                Backend::Jit => samples.iter().for_each(|sample| self.at_once(sample)),
                Backend::C | Backend::Multicore | Backend::Opencl | Backend::Cuda => {
                    self.batch(&samples, &options);
                }
            }
            if self.args.progress {
                let seconds = self.start.elapsed().as_secs();
                self.with_totals(|totals| println!("{seconds:6} s {totals:?}"));
            }
        }
    }

    fn sample(&self, seed: u64) -> Result<Sample, String> {
        let level = if self.target.is_gpu() { Level::Grid } else { Level::Task };
        match self.args.only {
            Some(Kind::Irregular) => irregular(seed),
            Some(Kind::Rows) => ragged(seed, level),
            Some(Kind::Stencils) => stencil(seed),
            Some(Kind::Views) => views(seed),
            Some(Kind::Updates) => updates(seed),
            Some(Kind::Products) => products(seed),
            Some(Kind::Growing) => growing(seed),
            Some(Kind::Boxes) => boxes(seed),
            // Other programs hardly ever have long sums of floats.
            None if self.args.plain => sums(seed),
            Some(Kind::Sequences | Kind::Derivatives | Kind::Smooth) | None => sample(seed),
        }
    }

    /// How a program is compared.
    fn oracle(&self, seed: u64) -> Oracle {
        let mut oracle = oracle(seed, self.args.backend);
        if self.args.plain {
            (oracle.rough, oracle.long) = (true, LONG);
        }
        match self.args.only {
            Some(Kind::Irregular | Kind::Stencils) => Oracle { max_size: LARGE, long: 0, ..oracle },
            Some(Kind::Updates) => Oracle { long: 0, ..oracle },
            // Sizes are products of others, and the machine takes its time for each of them.
            Some(Kind::Growing) if self.args.backend == Backend::Kernels => {
                Oracle { max_size: 5, long: 0, max_steps: 50_000, ..oracle }
            }
            Some(Kind::Growing | Kind::Boxes) => Oracle { max_size: 9, long: 0, ..oracle },
            // Full tiles have many elements, also where sizes that are not known are small.
            Some(Kind::Products) => Oracle { long: 0, max_steps: 5_000_000, rounds: 1, ..oracle },
            Some(Kind::Rows | Kind::Views | Kind::Sequences | Kind::Derivatives | Kind::Smooth)
            | None => oracle,
        }
    }

    /// Options of the servers of a batch.
    fn options(&self, batch: u64) -> Vec<String> {
        let mut options = Vec::new();
        if self.target.has_tasks() {
            // With few threads the positions outside are enough for all of them; with many, those inside are shared as well.
            let threads = THREADS[(batch % THREADS.len() as u64) as usize];
            options.push(format!("--num-threads={threads}"));
        }
        if self.target.is_gpu() && !batch.is_multiple_of(2) {
            options.push("--default-thread-block-size=32".to_owned());
            options.push("--default-num-thread-blocks=3".to_owned());
        }
        options
    }

    /// Compiles programs together and compares each. When that is impossible, halves are tried, until it is clear which
    /// program it is.
    fn batch(&self, samples: &[Sample], options: &[String]) {
        let Some(prog) = merge(samples) else { return };
        match self.build(&prog, options) {
            Ok(mut machine) => {
                let mut last = None;
                for sample in samples {
                    last = Some(sample);
                    match self.compare(&mut machine, &sample.prog, sample.seed) {
                        Ok(compared) => self.count(compared),
                        Err(fault) => self.report(sample, &fault, options),
                    }
                }
                if let (Err(why), Some(sample)) = (machine.close(), last) {
                    let fault = Fault::Differs(format!("after the last program: {why}"));
                    self.report(sample, &fault, options);
                }
            }
            Err(why) => match samples {
                [sample] => self.report(sample, &why.into(), options),
                several => {
                    let (left, right) = several.split_at(several.len() / 2);
                    self.batch(left, options);
                    self.batch(right, options);
                }
            },
        }
    }

    /// Runs all versions of a program on the machine that watches kernels.
    fn on_machine(&self, sample: &Sample) {
        match kernels::examine(&sample.prog, &self.oracle(sample.seed)) {
            Ok(examined) => {
                self.with_totals(|totals| {
                    for (hint, count) in &examined.tally {
                        let (launches, programs) = totals.kernels.entry(hint.clone()).or_default();
                        *launches += count;
                        *programs += 1;
                    }
                });
                self.count(Compared { runs: examined.runs, versions: examined.versions > 1 });
            }
            Err(failure) => self.report(sample, &failure.into(), &[]),
        }
    }

    /// Runs a program as machine code.
    fn at_once(&self, sample: &Sample) {
        match jit::examine(&sample.prog, &self.oracle(sample.seed), self.args.plain) {
            Ok(compared) => self.count(compared),
            Err(fault) => self.report(sample, &fault, &[]),
        }
    }

    fn count(&self, compared: Compared) {
        let Compared { runs, versions } = compared;
        self.with_totals(|totals| {
            totals.programs += 1;
            totals.succeeded += runs.succeeded as u64;
            totals.failed += runs.failed as u64;
            totals.undefined += runs.undefined as u64;
            totals.versions += u64::from(versions);
        });
    }

    fn build(&self, prog: &Prog, options: &[String]) -> Result<Machine, NoMachine> {
        let runner = self.args.runner.clone();
        let start = Start { runtimes: Some(&self.runtimes), runner, options: options.to_vec() };
        let floats = if self.args.plain { Floats::Rounded } else { Floats::Strict };
        build(prog, (self.target, floats), &self.compiler, start)
    }

    /// A program alone.
    fn alone(&self, prog: &Prog, seed: u64, options: &[String]) -> Result<(), Fault> {
        if self.args.backend == Backend::Kernels {
            let examined = kernels::examine(prog, &self.oracle(seed));
            return examined.map(drop).map_err(Fault::from);
        }
        if self.args.backend == Backend::Jit {
            return jit::examine(prog, &self.oracle(seed), self.args.plain).map(drop);
        }
        let mut machine = self.build(prog, options)?;
        self.compare(&mut machine, prog, seed)?;
        machine.close().map_err(Fault::Differs)
    }

    /// Calls a program with all thresholds.
    fn compare(&self, machine: &mut Machine, prog: &Prog, seed: u64) -> Result<Compared, Fault> {
        let oracle = self.oracle(seed);
        let expected = oracle.entries(prog).map_err(Fault::Differs)?;
        if !self.args.plain {
            return compare(machine, prog, &expected, oracle.tolerance);
        }
        let at_once = jit::AtOnce::plain(jit::optimised(prog)?)?;
        let expected = expected.made_by(&mut |name, args| at_once.call(name, args));
        compare(machine, prog, &expected.map_err(Fault::Differs)?, None)
    }

    fn report(&self, sample: &Sample, fault: &Fault, options: &[String]) {
        let seed = sample.seed;
        if let Fault::Refused(why) = fault {
            println!("seed {seed}: refused: {why}");
            self.with_totals(|totals| {
                totals.programs += 1;
                totals.refused += 1;
            });
            return;
        }
        self.with_totals(|totals| {
            totals.programs += 1;
            totals.disagreements += 1;
        });
        let mut prog = sample.prog.clone();
        let mut why = fault.text().to_owned();
        if self.args.reduce > 0 {
            let same =
                |found: &Fault| std::mem::discriminant(found) == std::mem::discriminant(fault);
            let mut fails =
                |prog: &Prog| self.alone(prog, seed, options).is_err_and(|found| same(&found));
            if fails(&prog) {
                prog = reduce(&prog, self.args.reduce, &mut fails);
            } else {
                why.push_str("\nit agrees when it is compiled alone");
            }
            if let Err(found) = self.alone(&prog, seed, options) {
                why = found.text().to_owned();
            }
        }
        if self.args.backend == Backend::Kernels
            && self.args.code
            && let Ok(kernels) = kernels::build(&prog, seed)
        {
            why.push_str(&format!("\n{}", kernels.text()));
        }
        let target = format!("{:?}", self.args.backend).to_lowercase();
        let options = options.join(" ");
        println!("seed {seed}, {target} {options}\n{why}\n{prog}");
        if let Some(folder) = &self.args.keep {
            let lines: Vec<String> = why.lines().map(|line| format!("-- {line}")).collect();
            let text = format!("-- seed {seed}, {target} {options}\n{}\n{prog}", lines.join("\n"));
            let path = folder.join(format!("seed{seed}.ir"));
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

/// How one of the programs of all kinds is compared.
fn oracle(seed: u64, backend: Backend) -> Oracle {
    // Programs in general take long for large arrays, nested ones mostly do not; some of those become work for
    // many threads.
    let max_size = if seed % 4 == 1 { LARGE } else { Oracle::default().max_size };
    // The machine takes its time for each call.
    let rounds = if backend == Backend::Kernels { 2 } else { Oracle::default().rounds };
    // Operators that become kernels of their own kind are for long arrays.
    let long = if seed % 4 == 3 { LONG } else { 0 };
    let max_size = if long > 0 { LARGE } else { max_size };
    Oracle { seed, max_size, long, rounds, tolerance: Some(1e-3), ..Oracle::default() }
}

/// Calls a program with all thresholds.
fn compare(
    machine: &mut Machine,
    prog: &Prog,
    expected: &Entries,
    tolerance: Option<f64>,
) -> Result<Compared, Fault> {
    // Without entry points, which happens when programs are made smaller, nothing can differ.
    let Some(entry) = prog.entries.first() else {
        return Ok(Compared { runs: Runs::default(), versions: false });
    };
    let thresholds = machine.thresholds(&entry.name).map_err(Fault::Differs)?;
    let has_rows = thresholds.iter().any(|name| name.contains("rows_"));
    let settings = match thresholds.is_empty() {
        true => &SETTINGS[..1],
        false if has_rows => &SETTINGS[..],
        false => &SETTINGS[..3],
    };
    let mut all = Runs::default();
    for setting in settings {
        for name in &thresholds {
            machine.set(name, setting.value(name)).map_err(Fault::Differs)?;
        }
        let call = &mut |entry: &str, args: &[_]| machine.call(prog, entry, args);
        let runs = expected
            .agree_with(tolerance, call)
            .map_err(|why| Fault::Differs(format!("thresholds {}: {why}", setting.name)))?;
        all.add(runs);
    }
    Ok(Compared { runs: all, versions: !thresholds.is_empty() })
}

impl Fault {
    fn text(&self) -> &str {
        match self {
            Fault::Refused(why) | Fault::Broken(why) | Fault::Differs(why) => why,
        }
    }
}

impl From<kernels::Failure> for Fault {
    fn from(why: kernels::Failure) -> Fault {
        match why {
            kernels::Failure::None(why) => why.into(),
            kernels::Failure::Differs(why) => Fault::Differs(why),
        }
    }
}

impl From<NoMachine> for Fault {
    fn from(why: NoMachine) -> Fault {
        match why {
            NoMachine::Refused(why) => Fault::Refused(why),
            NoMachine::Broken(why) => Fault::Broken(why),
        }
    }
}
