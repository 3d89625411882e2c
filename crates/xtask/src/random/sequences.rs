//! `cargo xtask random --only sequences`: random entry points on sequences, interpreted and compiled.
//!
//! Some are compiled together to one executable, which is started for each way to cut the sequences: chunks of 1, 2, 7
//! and 1000 elements and all at once, and ten memory limits, from one that only some of the elements fit into. Results
//! are exact, and must not differ.

use super::{Args, Backend, ENOUGH};
use fehu_base::stack::with_large_stack;
use fehu_data::{Value, reader};
use fehu_driver::cache::Cache;
use fehu_driver::check::Warnings;
use fehu_driver::compile::{self, CCompiler, Executable, Floats, Request};
use fehu_driver::files::Memory;
use fehu_driver::foreign::Foreign;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::pipelines;
use fehu_driver::run;
use fehu_driver::stages::{Mode, Target};
use fehu_driver::temporary::Folder;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How sequences of few elements are cut.
const CHUNKS: [&str; 5] =
    ["--chunk=1", "--chunk=2", "--chunk=7", "--chunk=1000", "--chunk=1000000"];
/// How those of many are.
const LIMITS: [&str; 10] = [
    "--memory-limit=24kB",
    "--memory-limit=28kB",
    "--memory-limit=34kB",
    "--memory-limit=40kB",
    "--memory-limit=50kB",
    "--memory-limit=60kB",
    "--memory-limit=80kB",
    "--memory-limit=120kB",
    "--memory-limit=1MB",
    "--memory-limit=100MB",
];
const FEW: [usize; 3] = [13, 1, 0];
const MANY: usize = 300;
/// How much of results is shown.
const SHOWN: usize = 400;

struct Run<'a> {
    args: &'a Args,
    target: Target,
    compiler: CCompiler,
    cache: Cache,
    start: Instant,
    next: AtomicU64,
    programs: AtomicU64,
    cases: AtomicU64,
    disagreements: AtomicU64,
}

pub(super) fn run(args: &Args) -> ExitCode {
    let target = match args.backend {
        Backend::C => Target::C,
        Backend::Multicore => Target::Multicore,
        Backend::Opencl => Target::OpenCl,
        Backend::Cuda => Target::Cuda,
        Backend::Kernels | Backend::Jit => {
            println!("the machines in this process have no files to read sequences from");
            return ExitCode::FAILURE;
        }
    };
    let compiler = match CCompiler::find(None, target, Floats::default()) {
        Ok(compiler) => compiler.with_flags(&["-O0", "-w", "-std=c11"]),
        Err(error) => {
            println!("{}", error.message);
            return ExitCode::FAILURE;
        }
    };
    let made = Folder::new().and_then(|folder| {
        let cache = Cache::at(folder.path().to_owned(), u64::MAX)?;
        Ok((folder, cache))
    });
    let (_folder, cache) = match made {
        Ok(made) => made,
        Err(why) => {
            println!("there is no temporary folder: {why}");
            return ExitCode::FAILURE;
        }
    };
    let run = Run {
        args,
        target,
        compiler,
        cache,
        start: Instant::now(),
        next: AtomicU64::new(0),
        programs: AtomicU64::new(0),
        cases: AtomicU64::new(0),
        disagreements: AtomicU64::new(0),
    };
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| with_large_stack(|| run.work()));
        }
    });
    let [programs, cases, disagreements] =
        [&run.programs, &run.cases, &run.disagreements].map(|n| n.load(Ordering::Relaxed));
    println!("programs                {programs:8}");
    println!("cases                   {cases:8}");
    println!("  agreed                {:8}", cases - disagreements.min(cases));
    println!("disagreements           {disagreements:8}");
    println!("seconds                 {:8}", run.start.elapsed().as_secs());
    let complete = programs == args.count || args.seconds.is_some();
    ExitCode::from(u8::from(disagreements > 0 || cases == 0 || !complete))
}

impl Run<'_> {
    fn work(&self) {
        let size = self.args.batch.max(1);
        loop {
            let begin = self.next.fetch_add(size, Ordering::Relaxed);
            let late = self.args.seconds.map(Duration::from_secs);
            if begin >= self.args.count
                || late.is_some_and(|limit| self.start.elapsed() > limit)
                || self.disagreements.load(Ordering::Relaxed) >= ENOUGH
            {
                return;
            }
            let end = (begin + size).min(self.args.count);
            let seeds: Vec<u64> = (begin..end).map(|number| self.args.seed + number).collect();
            self.batch(&seeds);
            if self.args.progress {
                let programs = self.programs.load(Ordering::Relaxed);
                println!("{:6} s {programs} programs", self.start.elapsed().as_secs());
            }
        }
    }

    /// Compiles programs together, and compares each. If that is impossible, it is tried with each of them alone.
    fn batch(&self, seeds: &[u64]) {
        let text: String =
            seeds.iter().map(|seed| fehu_srcgen::sequences(*seed, &entry(*seed))).collect();
        let root = Root::Bytes("random.fut".to_owned(), text.into_bytes());
        let files = Memory::default();
        let (outcome, compiled) = run::compile(&files, &root, Warnings::Hide, Default::default());
        let built = compiled
            .ok_or_else(|| format!("{:?}", outcome.diagnostics))
            .and_then(|compiled| Ok((compiled, self.build(&files, &root)?)));
        match built {
            Ok((mut compiled, program)) => {
                for seed in seeds {
                    self.programs.fetch_add(1, Ordering::Relaxed);
                    for (count, cuts) in
                        FEW.iter().map(|count| (*count, &CHUNKS[..])).chain([(MANY, &LIMITS[..])])
                    {
                        self.compare(&mut compiled, &program, *seed, count, cuts);
                    }
                }
            }
            Err(_) if seeds.len() > 1 => {
                seeds.iter().for_each(|seed| self.batch(std::slice::from_ref(seed)));
            }
            Err(why) => {
                self.programs.fetch_add(1, Ordering::Relaxed);
                self.cases.fetch_add(1, Ordering::Relaxed);
                self.report(seeds[0], &why);
            }
        }
    }

    fn build(&self, files: &Memory, root: &Root) -> Result<Executable, String> {
        let request = Request {
            target: self.target,
            mode: Mode::Executable,
            warnings: Warnings::Hide,
            entry_points: Vec::new(),
            safe: false,
            floats: Floats::default(),
            foreign: Foreign::default(),
            plan: Plan::of(pipelines::of_target(self.target).passes),
            profiled: false,
        };
        let (outcome, generated) = compile::generate(files, root, &request);
        let generated = generated.ok_or_else(|| format!("{:?}", outcome.diagnostics))?;
        compile::executable(Some(&self.cache), &self.compiler, &generated.artifacts)
            .map_err(|error| format!("{}: {}", error.message, error.notes.join("\n")))
    }

    /// Compares the results for sequences of so many elements, cut in these ways.
    fn compare(
        &self,
        compiled: &mut run::Compiled,
        program: &Executable,
        seed: u64,
        count: usize,
        cuts: &[&str],
    ) {
        let input = fehu_srcgen::sequence_arguments(seed, count);
        let expected = reader::read_all(input.as_bytes())
            .map_err(|error| error.to_string())
            .and_then(|values| compiled.run(&entry(seed), values).map_err(|e| e.to_string()));
        for cut in cuts {
            self.cases.fetch_add(1, Ordering::Relaxed);
            let found = self.execute(program, seed, &input, cut);
            let differs = match (&expected, &found) {
                (Ok(expected), Ok(found)) => !same(expected, found),
                (Err(_), _) | (_, Err(_)) => true,
            };
            if differs {
                let (expected, found) = (show(&expected), show(&found));
                let why = format!("{count} elements, {cut}\nexpected\n{expected}\nfound\n{found}");
                self.report(seed, &why);
                return;
            }
        }
    }

    fn execute(
        &self,
        program: &Executable,
        seed: u64,
        input: &str,
        cut: &str,
    ) -> Result<Vec<Value>, String> {
        let mut command = Command::new(&program.program);
        command.args(["-e", &entry(seed), cut, "--binary-output"]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|why| why.to_string())?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes()).map_err(|why| why.to_string())?;
        }
        let output = child.wait_with_output().map_err(|why| why.to_string())?;
        if !output.status.success() {
            return Err(format!("{}{}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
        reader::read_all(&output.stdout).map_err(|error| error.to_string())
    }

    fn report(&self, seed: u64, why: &str) {
        self.disagreements.fetch_add(1, Ordering::Relaxed);
        println!("program {seed}: {why}\n{}", fehu_srcgen::sequences(seed, &entry(seed)));
    }
}

fn entry(seed: u64) -> String {
    format!("e{seed}")
}

/// The beginning of what came out.
fn show(result: &Result<Vec<Value>, String>) -> String {
    let text: String = match result {
        Ok(values) => values.iter().map(|value| format!("{value}\n")).collect(),
        Err(why) => why.clone(),
    };
    text.chars().take(SHOWN).collect()
}

fn same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.identical(b))
}
