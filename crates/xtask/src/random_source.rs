//! `cargo xtask random-source`: random programs in the language itself, through the whole compiler.
//!
//! Programs are checked, lowered and compiled several at a time, as entry points of one file, because the prelude and the C
//! compiler cost more than they do. What the interpreter makes of them is compared in several [`Way`]s: after the passes for
//! processors and for GPUs, as imperative code on a machine, and by servers of the back ends of `--backend`, with sanitizers if
//! `--sanitize` says so. Runs have sizes zero, one, three, and others. `--jobs` files are tried at the same time.
//!
//! When something is wrong with a file, its halves are tried until it is clear which program it is; that is made
//! smaller and printed with what is wrong, and written to a folder with `--keep`. `--write` only writes the programs,
//! for other compilers.

mod way;

use fehu_base::stack::with_large_stack;
use fehu_driver::cache::Cache;
use fehu_driver::check::{Exit, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::stages::Target;
use fehu_driver::temporary::Folder;
use fehu_driver::translate::{Changes, Job, translate};
use fehu_ir::Prog;
use fehu_irtest::oracle::Runs;
use fehu_srcgen::reduce::reduce;
use fehu_srcgen::{Config, program};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use way::{Fault, Servers, Subject, Way};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// How many programs.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The number of the first program; the same number always makes the same program.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many programs stand in one file.
    #[arg(long, default_value_t = 20)]
    batch: u64,
    /// How many files are tried at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: u64,
    /// Back ends that compile the programs.
    #[arg(long, value_enum)]
    backend: Vec<Backend>,
    /// Compile every so many files with the back ends for processors.
    #[arg(long, default_value_t = 1)]
    every: u64,
    /// Compile every so many files with the back ends for GPUs.
    #[arg(long, default_value_t = 1)]
    gpu_every: u64,
    /// Compile for the back ends with sanitizers for addresses and undefined behaviour: all files, or every so many.
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_name = "EVERY")]
    sanitize: Option<u64>,
    /// Begin no more files after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Begin no more files after so many faults.
    #[arg(long, default_value_t = 12)]
    faults: u64,
    /// Ask so many questions to make a program smaller.
    #[arg(long, default_value_t = 2000)]
    reduce: usize,
    /// Write programs that show a fault to this folder.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Write the programs to this folder instead of executing them.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Say after each file how far it is.
    #[arg(long)]
    progress: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Backend {
    C,
    Multicore,
    Opencl,
    Cuda,
}

/// The ways that need no C compiler.
const INSIDE: [Way; 5] =
    [Way::Cpu, Way::Gpu, Way::Imp { parallel: false }, Way::Imp { parallel: true }, Way::Jit];
const PLAIN: &[&str] = &["-O0", "-w", "-std=c11"];
const SANITIZED: &[&str] =
    &["-O1", "-g", "-w", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
/// The longest time for making one program smaller.
const PATIENCE: Duration = Duration::from_secs(180);

/// What became of the programs.
#[derive(Default, Debug)]
struct Totals {
    programs: u64,
    /// How many were compiled by each back end, and with sanitizers.
    compiled: BTreeMap<&'static str, u64>,
    runs: Runs,
    /// By kind.
    faults: BTreeMap<String, u64>,
    slowest: Duration,
    slowest_seed: u64,
    /// The time that the steps took.
    time: BTreeMap<&'static str, Duration>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match attempt(args) {
        Ok(code) => code,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn attempt(args: &Args) -> std::io::Result<ExitCode> {
    for folder in [&args.keep, &args.write].into_iter().flatten() {
        std::fs::create_dir_all(folder)?;
    }
    if let Some(folder) = &args.write {
        for seed in args.seed..args.seed + args.count {
            std::fs::write(folder.join(format!("p{seed}.fut")), text_of(&[seed]))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let folder = Folder::new()?;
    let runtimes = Cache::at(folder.path().to_owned(), u64::MAX)?;
    // Several servers at the same time share the cores.
    let threads = (args.jobs > 1).then_some(4);
    let plain = Servers { flags: PLAIN, threads, runtimes: runtimes.clone() };
    let sanitized = Servers { flags: SANITIZED, threads, runtimes };
    let (next, totals) = (AtomicU64::new(0), Mutex::new(Totals::default()));
    let run = Run { args, plain, sanitized, next, start: Instant::now(), totals };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| with_large_stack(|| run.files()));
        }
    });
    let elapsed = run.start.elapsed().as_secs_f64();
    let totals = run.totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!("programs               {:8}, {elapsed:.1} s", totals.programs);
    for (what, count) in &totals.compiled {
        println!("  {:21}{count:8}", format!("{what}:"));
    }
    println!("runs with results      {:8}", totals.runs.succeeded);
    println!("runs with errors       {:8}", totals.runs.failed);
    println!("runs that took too much{:8}", totals.runs.undefined);
    println!("faults                 {:8}", totals.faults.values().sum::<u64>());
    for (kind, count) in &totals.faults {
        println!("  {:21}{count:8}", format!("{kind}:"));
    }
    let (slowest, seed) = (totals.slowest.as_secs_f64(), totals.slowest_seed);
    println!("slowest file           {slowest:8.1} s, from seed {seed}");
    for (step, time) in &totals.time {
        println!("  {:44}{:8.1} s", format!("{step}:"), time.as_secs_f64());
    }
    let bad = !totals.faults.is_empty() || totals.runs.succeeded == 0;
    Ok(ExitCode::from(u8::from(bad)))
}

struct Run<'a> {
    args: &'a Args,
    plain: Servers,
    sanitized: Servers,
    /// The number of the next file.
    next: AtomicU64,
    start: Instant,
    totals: Mutex<Totals>,
}

impl Run<'_> {
    /// Takes files until there are none.
    fn files(&self) {
        let Args { seed, count, .. } = *self.args;
        let batch = self.args.batch.max(1);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let (first, end) = (seed + number * batch, seed + count);
            let faults = self.with_totals(|totals| totals.faults.values().sum::<u64>());
            let late =
                self.args.seconds.is_some_and(|limit| self.start.elapsed().as_secs() >= limit);
            if first >= end || late || faults >= self.args.faults {
                return;
            }
            let seeds: Vec<u64> = (first..(first + batch).min(end)).collect();
            let begin = Instant::now();
            self.file(number, &seeds);
            self.with_totals(|totals| {
                totals.programs += seeds.len() as u64;
                if begin.elapsed() > totals.slowest {
                    (totals.slowest, totals.slowest_seed) = (begin.elapsed(), seeds[0]);
                }
                if self.args.progress {
                    println!("{:6} s {totals:?}", self.start.elapsed().as_secs());
                }
            });
        }
    }

    fn file(&self, number: u64, seeds: &[u64]) {
        let sanitize = self.args.sanitize.is_some_and(|every| number.is_multiple_of(every));
        let servers = if sanitize { &self.sanitized } else { &self.plain };
        let mut ways = INSIDE.to_vec();
        for backend in &self.args.backend {
            let target = backend.target();
            let every = if target.is_gpu() { self.args.gpu_every } else { self.args.every };
            if number.is_multiple_of(every) {
                ways.push(Way::Server(target));
                let name = match (backend, sanitize) {
                    (Backend::C, false) => "c",
                    (Backend::C, true) => "c, sanitized",
                    (Backend::Multicore, false) => "multicore",
                    (Backend::Multicore, true) => "multicore, sanitized",
                    (Backend::Opencl, false) => "opencl",
                    (Backend::Opencl, true) => "opencl, sanitized",
                    (Backend::Cuda, false) => "cuda",
                    (Backend::Cuda, true) => "cuda, sanitized",
                };
                self.with_totals(|t| *t.compiled.entry(name).or_default() += seeds.len() as u64);
            }
        }
        self.batch(seeds, &ways, servers);
    }

    /// Tries programs together, and halves of them if something is wrong.
    fn batch(&self, seeds: &[u64], ways: &[Way], servers: &Servers) {
        let prog = match self.timed("front end", || lower(&text_of(seeds))) {
            Ok(prog) => prog,
            Err(fault) => {
                match seeds {
                    [seed] => self.report(*seed, None, servers, &fault),
                    several => {
                        let (left, right) = several.split_at(several.len() / 2);
                        self.batch(left, ways, servers);
                        self.batch(right, ways, servers);
                    }
                }
                return;
            }
        };
        let subject = self.timed("interpreted", || Subject::new(prog));
        for way in ways {
            match (self.timed(way.name(), || subject.examine(*way, Some(servers))), seeds) {
                (Ok(runs), _) => self.with_totals(|totals| totals.runs.add(runs)),
                (Err(fault), [seed]) => self.report(*seed, Some(*way), servers, &fault),
                (Err(fault), several) => {
                    let count = || self.with_totals(|totals| totals.faults.values().sum::<u64>());
                    let before = count();
                    let (left, right) = several.split_at(several.len() / 2);
                    self.batch(left, &[*way], servers);
                    self.batch(right, &[*way], servers);
                    if count() == before {
                        let text = text_of(several);
                        self.found(several[0], Some(*way), "only together", &fault.text, &text);
                    }
                }
            }
        }
    }

    /// Makes a program smaller that shows a fault.
    fn report(&self, seed: u64, way: Option<Way>, servers: &Servers, fault: &Fault) {
        let mut text = text_of(&[seed]);
        let attempt = |text: &str| {
            let prog = lower(text);
            match (prog, way) {
                (Err(fault), _) => Err(fault),
                (Ok(_), None) => Ok(Runs::default()),
                (Ok(prog), Some(way)) => Subject::new(prog).examine(way, Some(servers)),
            }
        };
        let mut what = fault.text.clone();
        if self.args.reduce > 0 {
            let begin = Instant::now();
            text = reduce(&text, self.args.reduce, &mut |text| {
                begin.elapsed() < PATIENCE
                    && attempt(text).is_err_and(|found| found.kind == fault.kind)
            });
            if let Err(found) = attempt(&text) {
                what = found.text;
            }
        }
        self.found(seed, way, &fault.kind, &what, &text);
    }

    /// Says what was found.
    fn found(&self, seed: u64, way: Option<Way>, kind: &str, what: &str, text: &str) {
        let way = way.map_or(String::new(), |way| format!(", {way}"));
        let lines: Vec<String> = what.lines().take(60).map(|line| format!("-- {line}")).collect();
        let text = format!("-- seed {seed}{way}: {kind}\n{}\n{text}", lines.join("\n"));
        println!("{text}");
        self.with_totals(|totals| {
            *totals.faults.entry(kind.to_owned()).or_default() += 1;
        });
        if let Some(folder) = &self.args.keep {
            let path = folder.join(format!("p{seed}.fut"));
            if let Err(why) = std::fs::write(&path, text) {
                println!("{}: {why}", path.display());
            }
        }
    }

    fn timed<T>(&self, step: &'static str, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let result = work();
        self.with_totals(|totals| *totals.time.entry(step).or_default() += begin.elapsed());
        result
    }

    fn with_totals<T>(&self, work: impl FnOnce(&mut Totals) -> T) -> T {
        // Whoever panicked while counting has counted.
        work(&mut self.totals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend {
    fn target(self) -> Target {
        match self {
            Backend::C => Target::C,
            Backend::Multicore => Target::Multicore,
            Backend::Opencl => Target::OpenCl,
            Backend::Cuda => Target::Cuda,
        }
    }
}

/// The programs of some seeds in one file.
fn text_of(seeds: &[u64]) -> String {
    let texts: Vec<String> =
        seeds.iter().map(|seed| program(*seed, Config::of_seed(*seed)).text).collect();
    texts.join("\n")
}

/// A text to the core IR, as far as that goes.
fn lower(text: &str) -> Result<Prog, Fault> {
    let root = Root::Bytes("random.fut".to_owned(), text.as_bytes().to_vec());
    let (files, plan) = (Memory::default(), Plan::none());
    let changes = Changes::default();
    let job = Job { files: &files, root: &root, warnings: Warnings::Hide, plan: &plan, changes };
    let mut made = None;
    let outcome = translate(&job, |_| {}, &mut |_, _| {}, |_, prog, _| made = Some(prog));
    let error = outcome.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    match (made, outcome.exit) {
        (Some(prog), Exit::Success) => Ok(prog),
        (_, exit) => {
            let code = error.map_or(String::new(), |error| error.code.to_string());
            let text = error.map_or(String::new(), |error| {
                let place = error.primary.as_ref().map_or(String::new(), |label| {
                    let (from, to) = (label.span.start as usize, label.span.end as usize);
                    text.get(from..to).unwrap_or_default().to_owned()
                });
                format!("{}\n{place}\n{}", error.message, error.notes.join("\n"))
            });
            let kind = if exit == Exit::Internal { "crash" } else { "refused" };
            Err(Fault::new(format!("{kind}: {code}"), text))
        }
    }
}

#[cfg(test)]
mod tests;
