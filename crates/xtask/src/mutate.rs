//! `cargo xtask mutate`: programs with mutations, through the whole compiler.
//!
//! Every mutant goes through `check` and `fmt`; those that are accepted also through `report`, `run -i` and the back
//! ends' `--library`. Each is a process of its own with limits. An internal error, a signal, more than 10 s, and more
//! than 2 GB of memory are failures: they are printed, and the mutant is kept. Mutant N of a list of programs is always
//! the same, so `--seed N --count 1` makes it again. [`corpus`] says what is mutated.

mod corpus;

use corpus::Corpus;
use fehu_irgen::rng::Rng;
use fehu_srcgen::mutant::mutant;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Programs, and folders of programs; without any, those of this repository.
    programs: Vec<PathBuf>,
    /// The program to test; without it, the release build.
    #[arg(long)]
    fehu: Option<PathBuf>,
    /// The number of the first mutant.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many mutants.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// Begin no more mutants after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// The time of the processors that one command may take, in seconds.
    #[arg(long, default_value_t = 10.0)]
    limit: f64,
    /// The memory that one command may have, in MiB.
    #[arg(long, default_value_t = 2048)]
    memory: u64,
    /// Where mutants that failed are written.
    #[arg(long, default_value = "target/mutants")]
    keep: PathBuf,
}

/// How often the limit may pass by the clock, on a busy machine.
const IDLE: f64 = 20.0;
/// How many ticks of the system a second has.
const TICKS: f64 = 100.0;

/// What is done with a mutant that is accepted. The last argument is the file.
const ACCEPTED: [&[&str]; 5] = [
    &["report"],
    &["run", "-i"],
    &["c", "--library"],
    &["multicore", "--library"],
    &["opencl", "--library"],
];

pub(crate) fn run(args: &Args) -> ExitCode {
    let fehu = super::fehu_binary(args.fehu.as_ref());
    match mutate(args, &fehu) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Tries mutants. The number of failures is the result.
fn mutate(args: &Args, fehu: &Path) -> std::io::Result<usize> {
    let given = if args.programs.is_empty() {
        let root = super::root();
        ["tests/programs", "tests/prelude", "tests/check", "examples"]
            .map(|f| root.join(f))
            .to_vec()
    } else {
        args.programs.clone()
    };
    std::fs::create_dir_all(&args.keep)?;
    let corpus = Corpus::new(&given, &args.keep)?;
    let start = Instant::now();
    let (mut tried, mut large, mut accepted, mut failures) = (0, 0, 0, 0);
    let mut slowest: Vec<(Duration, String)> = Vec::new();
    for number in args.seed..args.seed.saturating_add(args.count) {
        if args.seconds.is_some_and(|seconds| start.elapsed() > Duration::from_secs(seconds)) {
            break;
        }
        let mut random = Rng::new(number);
        let original = corpus.program(&mut random)?;
        let input = first_input(&original.text);
        let file = args.keep.join(format!("m{number}.fut"));
        std::fs::write(&file, mutant(&original.text, &mut random))?;
        large += u64::from(original.text.lines().count() >= 1000);
        tried += 1;
        let mut bad = false;
        let mut command = |words: &[&str]| -> std::io::Result<Option<i32>> {
            let ended = limited(fehu, words, &file, input.as_bytes(), args)?;
            slowest.push((ended.time, format!("{} {number}", words.join(" "))));
            slowest.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
            slowest.truncate(5);
            // How long a program runs, and with what memory, is its own affair.
            let by_itself = ended.killed && words.contains(&"run");
            if let Some(problem) = ended.problem(args).filter(|_| !by_itself) {
                bad = true;
                println!("{problem}: fehu {} {}", words.join(" "), file.display());
                println!("  of {}: {}", original.origin, ended.first_line());
            }
            Ok(ended.code)
        };
        let code = command(&["check"])?;
        if number % 4 == 0 {
            command(&["fmt", "--check"])?;
        }
        if code == Some(0) {
            accepted += 1;
            for words in ACCEPTED {
                command(words)?;
            }
        }
        if bad {
            failures += 1;
        } else {
            std::fs::remove_file(&file)?;
        }
        for extension in ["c", "h", "json"] {
            let _ = std::fs::remove_file(file.with_extension(extension));
        }
    }
    println!(
        "{tried} mutants of {} programs from seed {}, {large} of 1,000 lines or more, {accepted} accepted, \
         {failures} failures, {} s",
        corpus.len(),
        args.seed,
        start.elapsed().as_secs()
    );
    for (time, what) in slowest {
        println!("  {:.1} s: {what}", time.as_secs_f64());
    }
    Ok(failures)
}

/// How a command ended.
struct Ended {
    code: Option<i32>,
    time: Duration,
    /// The most memory that was seen, in KiB.
    memory: u64,
    killed: bool,
    stderr: String,
}

impl Ended {
    fn problem(&self, args: &Args) -> Option<&'static str> {
        if self.killed && self.memory > args.memory * 1024 {
            Some("too much memory")
        } else if self.killed {
            Some("too slow")
        } else if self.stderr.contains("internal-error") || self.stderr.contains("panicked at") {
            Some("internal error")
        } else if self.code.is_none() {
            Some("killed by a signal")
        } else {
            None
        }
    }

    fn first_line(&self) -> &str {
        let note = self.stderr.lines().find(|line| line.contains("= note"));
        note.or_else(|| self.stderr.lines().next()).unwrap_or("").trim()
    }
}

/// Runs a command, and ends it at the limits. Memory is looked at now and then, so short peaks are missed.
fn limited(
    fehu: &Path,
    words: &[&str],
    file: &Path,
    input: &[u8],
    args: &Args,
) -> std::io::Result<Ended> {
    let mut child = Command::new(fehu)
        .args(words)
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    let start = Instant::now();
    if let Some(mut stdin) = child.stdin.take() {
        // Inputs of test blocks are small, so this does not wait; who does not read it closes the pipe.
        let _ = stdin.write_all(input);
    }
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stderr) = stderr {
            let _ = stderr.read_to_end(&mut bytes);
        }
        bytes
    });
    let mut ended =
        Ended { code: None, time: Duration::ZERO, memory: 0, killed: false, stderr: String::new() };
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        ended.memory = ended.memory.max(resident(child.id()));
        ended.time = Duration::from_secs_f64(seconds(child.id()));
        // Others may keep the processors busy; who does nothing at all hangs.
        let slow =
            seconds(child.id()) > args.limit || start.elapsed().as_secs_f64() > IDLE * args.limit;
        if !ended.killed && (slow || ended.memory > args.memory * 1024) {
            ended.killed = true;
            child.kill()?;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    ended.code = status.code();
    ended.stderr = String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
    Ok(ended)
}

/// The time of processors that a process has had, in seconds; zero where the system does not say.
fn seconds(process: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, which may have blanks, is in parentheses. Times are the 14th and 15th field, in ticks.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / TICKS
}

/// The most memory that a process has had, in KiB; zero where the system does not say.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The input of a program's first test case, for `run`.
fn first_input(text: &str) -> String {
    let Some((_, rest)) = text.split_once("input {") else { return String::new() };
    let Some((input, _)) = rest.split_once('}') else { return String::new() };
    input.lines().map(|line| line.trim().trim_start_matches("--")).collect::<Vec<_>>().join("\n")
}
