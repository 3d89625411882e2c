//! `cargo xtask random-source`: random programs in the language itself, through the whole compiler.
//!
//! Programs are checked, lowered and compiled several at a time, as entry points of one file, because the prelude and the C
//! compiler cost more than they do. What the interpreter makes of them is compared in several [`Way`]s: after the passes for
//! processors and for GPUs, as imperative code on a machine, and by servers of the back ends of `--backend`, with sanitizers if
//! `--sanitize` says so. Runs have sizes zero, one, three, and others.
//!
//! When something is wrong with a file, its halves are tried until it is clear which program it is; that is made smaller
//! and printed with what is wrong, and written to a folder with `--keep`. `--write` only writes the programs, for other compilers.

mod way;

use fehu_base::stack::with_large_stack;
use fehu_driver::check::{Exit, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::stages::Target;
use fehu_driver::translate::{Changes, Job, translate};
use fehu_ir::Prog;
use fehu_irtest::oracle::Runs;
use fehu_srcgen::reduce::reduce;
use fehu_srcgen::{Config, program};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use way::{Fault, Servers, Way, examine};

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
    /// Back ends that compile the programs.
    #[arg(long, value_enum)]
    backend: Vec<Backend>,
    /// Compile every so many files with the back ends.
    #[arg(long, default_value_t = 1)]
    every: u64,
    /// Compile for the back ends with sanitizers for addresses and undefined behaviour.
    #[arg(long)]
    sanitize: bool,
    /// Begin no more files after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
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

/// After so many faults nobody wants to see more.
const ENOUGH: u64 = 12;
/// The ways that need no C compiler.
const INSIDE: [Way; 4] =
    [Way::Cpu, Way::Gpu, Way::Imp { parallel: false }, Way::Imp { parallel: true }];

/// What became of the programs.
#[derive(Default, Debug)]
struct Totals {
    programs: u64,
    compiled: u64,
    runs: Runs,
    faults: u64,
    slowest: Duration,
    slowest_seed: u64,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let flags: &'static [&'static str] = match args.sanitize {
        true => &[
            "-O1",
            "-g",
            "-w",
            "-std=c11",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all",
        ],
        false => &["-O0", "-w", "-std=c11"],
    };
    for folder in [&args.keep, &args.write].into_iter().flatten() {
        if let Err(why) = std::fs::create_dir_all(folder) {
            println!("{}: {why}", folder.display());
            return ExitCode::FAILURE;
        }
    }
    if let Some(folder) = &args.write {
        for seed in args.seed..args.seed + args.count {
            let path = folder.join(format!("p{seed}.fut"));
            if let Err(why) = std::fs::write(&path, text_of(&[seed])) {
                println!("{}: {why}", path.display());
                return ExitCode::FAILURE;
            }
        }
        return ExitCode::SUCCESS;
    }
    let servers = Servers { flags, options: Vec::new() };
    let totals = with_large_stack(|| Run { args, servers, totals: Totals::default() }.all());
    println!("programs               {:8}", totals.programs);
    println!("  compiled for servers {:8}", totals.compiled);
    println!("runs with results      {:8}", totals.runs.succeeded);
    println!("runs with errors       {:8}", totals.runs.failed);
    println!("runs that took too much{:8}", totals.runs.undefined);
    println!("faults                 {:8}", totals.faults);
    println!(
        "slowest file           {:8.1} s, from seed {}",
        totals.slowest.as_secs_f64(),
        totals.slowest_seed
    );
    ExitCode::from(u8::from(totals.faults > 0 || totals.runs.succeeded == 0))
}

struct Run<'a> {
    args: &'a Args,
    servers: Servers,
    totals: Totals,
}

impl Run<'_> {
    fn all(mut self) -> Totals {
        let start = Instant::now();
        let end = self.args.seed + self.args.count;
        let mut first = self.args.seed;
        let mut number = 0;
        while first < end
            && self.totals.faults < ENOUGH
            && self.args.seconds.is_none_or(|limit| start.elapsed().as_secs() < limit)
        {
            let seeds: Vec<u64> = (first..(first + self.args.batch.max(1)).min(end)).collect();
            first += seeds.len() as u64;
            let begin = Instant::now();
            let mut ways = INSIDE.to_vec();
            if number % self.args.every == 0 {
                ways.extend(self.args.backend.iter().map(|backend| Way::Server(backend.target())));
                self.totals.compiled +=
                    if self.args.backend.is_empty() { 0 } else { seeds.len() as u64 };
            }
            number += 1;
            self.batch(&seeds, &ways);
            self.totals.programs += seeds.len() as u64;
            if begin.elapsed() > self.totals.slowest {
                (self.totals.slowest, self.totals.slowest_seed) = (begin.elapsed(), seeds[0]);
            }
            if self.args.progress {
                println!("{:6} s {:?}", start.elapsed().as_secs(), self.totals);
            }
        }
        self.totals
    }

    /// Tries programs together, and halves of them if something is wrong.
    fn batch(&mut self, seeds: &[u64], ways: &[Way]) {
        let prog = match lower(&text_of(seeds)) {
            Ok(prog) => prog,
            Err(fault) => {
                match seeds {
                    [seed] => self.report(*seed, None, &fault),
                    several => {
                        let (left, right) = several.split_at(several.len() / 2);
                        self.batch(left, ways);
                        self.batch(right, ways);
                    }
                }
                return;
            }
        };
        for way in ways {
            match (examine(&prog, *way, seeds[0], Some(&self.servers)), seeds) {
                (Ok(runs), _) => self.totals.runs.add(runs),
                (Err(fault), [seed]) => self.report(*seed, Some(*way), &fault),
                (Err(fault), several) => {
                    let before = self.totals.faults;
                    let (left, right) = several.split_at(several.len() / 2);
                    self.batch(left, &[*way]);
                    self.batch(right, &[*way]);
                    if self.totals.faults == before {
                        let Fault { kind, text } = fault;
                        println!(
                            "from seed {}: {way}: only together: {kind}\n{text}\n",
                            several[0]
                        );
                        self.totals.faults += 1;
                    }
                }
            }
        }
    }

    fn report(&mut self, seed: u64, way: Option<Way>, fault: &Fault) {
        self.totals.faults += 1;
        let mut text = text_of(&[seed]);
        let attempt = |text: &str| {
            let prog = lower(text);
            match (prog, way) {
                (Err(fault), _) => Err(fault),
                (Ok(_), None) => Ok(Runs::default()),
                (Ok(prog), Some(way)) => examine(&prog, way, seed, Some(&self.servers)),
            }
        };
        let mut what = fault.text.clone();
        if self.args.reduce > 0 {
            text = reduce(&text, self.args.reduce, &mut |text| {
                attempt(text).is_err_and(|found| found.kind == fault.kind)
            });
            if let Err(found) = attempt(&text) {
                what = found.text;
            }
        }
        let way = way.map_or(String::new(), |way| format!(", {way}"));
        let lines: Vec<String> = what.lines().take(60).map(|line| format!("-- {line}")).collect();
        let text = format!("-- seed {seed}{way}: {}\n{}\n{text}", fault.kind, lines.join("\n"));
        println!("{text}");
        if let Some(folder) = &self.args.keep {
            let path = folder.join(format!("p{seed}.fut"));
            if let Err(why) = std::fs::write(&path, text) {
                println!("{}: {why}", path.display());
            }
        }
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
