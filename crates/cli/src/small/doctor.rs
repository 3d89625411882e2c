//! `fehu doctor`: what is here and what of it works, to be pasted into a report of a problem.
//!
//! A program of two lines is run by each back end, by this very executable as another process: what crashes there is a line
//! here. A back end whose device or compiler is not on this machine is absent, which is nobody's fault.

use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use crate::run::wrong;
use fehu_driver::cache::Cache;
use fehu_driver::compile::{CCompiler, Floats};
use fehu_driver::stages::Target;
use fehu_driver::temporary::Folder;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

const PROGRAM: &str = "\
def square (x: f64) : f64 = x * x
entry main (n: i64) : f64 = f64.sum (map (\\i -> square (f64.i64 i)) (iota n))
";
const INPUT: &str = "1000i64";
const RESULT: &str = "332833500f64";

/// What became of a trial.
enum Trial {
    Works(String),
    /// Something that it needs is not on this machine.
    Absent(String),
    Broken(String),
}

/// `fehu doctor`
pub(crate) fn doctor() -> u8 {
    let version = env!("CARGO_PKG_VERSION");
    tell("fehu", &format!("{version}, {} on {}", std::env::consts::ARCH, std::env::consts::OS));
    tell("executable", &std::env::current_exe().map_or_else(said, |path| shown(&path)));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    tell("processor", &format!("{threads} threads, {}", vectors()));
    tell("cache", &cache());
    let compiler = CCompiler::find(Cache::open().ok().as_ref(), Target::C, Floats::default());
    match &compiler {
        Ok(compiler) => {
            tell("C compiler", &format!("{}, {}", compiler.name(), compiler.version()));
            tell("its flags", &compiler.flags().join(" "));
        }
        Err(error) => tell("C compiler", &format!("absent: {}", error.message)),
    }
    let folder = match Folder::new() {
        Ok(folder) => folder,
        Err(why) => return wrong(&format!("cannot make a folder for the trials: {why}")),
    };
    let mut code = SUCCESS;
    for (name, options) in [
        ("machine code", [].as_slice()),
        ("c", &["--backend=c"]),
        ("multicore", &["--backend=multicore"]),
        ("opencl", &["--backend=opencl"]),
        ("cuda", &["--backend=cuda"]),
    ] {
        let trial = match (&compiler, options.is_empty()) {
            (Err(_), false) => Trial::Absent("it needs a C compiler".to_owned()),
            (_, _) => {
                trial(folder.path(), options).unwrap_or_else(|why| Trial::Broken(why.to_string()))
            }
        };
        match trial {
            Trial::Works(how) => tell(name, &format!("works, {how}")),
            Trial::Absent(why) => tell(name, &format!("absent: {why}")),
            Trial::Broken(why) => {
                tell(name, &format!("FAILS: {why}"));
                code = FAILURE;
            }
        }
    }
    code
}

fn tell(what: &str, is: &str) {
    output::stdout(&format!("{what:<13} {is}\n"));
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn said(why: io::Error) -> String {
    format!("unknown: {why}")
}

/// Runs the program by a back end.
fn trial(folder: &Path, options: &[&str]) -> io::Result<Trial> {
    let path = folder.join("doctor.fut");
    std::fs::write(&path, PROGRAM)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("run").args(options).arg(&path);
    if !options.is_empty() {
        // Programs for devices then say which one they use.
        command.args(["--", "--log"]);
    }
    let start = Instant::now();
    let Output { status, stdout, stderr } = output_of(command)?;
    let seconds = start.elapsed().as_secs_f64();
    let (got, log) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    let line = |prefix: &str| log.lines().find_map(|line| line.strip_prefix(prefix));
    if status.success() && got.trim() == RESULT {
        let device = line("device: ").map_or(String::new(), |device| format!(", on {device}"));
        return Ok(Trial::Works(format!("{seconds:.2} s{device}")));
    }
    if status.success() {
        return Ok(Trial::Broken(format!("the result is {} instead of {RESULT}", got.trim())));
    }
    let why = log.lines().find_map(|line| Some(line.split_once("Error: ")?.1));
    let why = why.or(log.lines().next()).map_or_else(|| status.to_string(), str::to_owned);
    // These are the words of the runtime (`gpu/opencl.c`, `gpu/cuda.c`, `gpu/transfer.c`).
    let absent = ["driver found", "there is no OpenCL device", "there is no device"];
    Ok(match absent.iter().any(|words| why.contains(words)) {
        true => Trial::Absent(why),
        false => Trial::Broken(why),
    })
}

fn output_of(mut command: Command) -> io::Result<Output> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that has failed does not read; its message says more.
        let _ = stdin.write_all(INPUT.as_bytes());
    }
    child.wait_with_output()
}

fn cache() -> String {
    match Cache::open() {
        Ok(cache) => {
            let megabytes = |bytes: u64| bytes as f64 / 1e6;
            let (size, limit) = (megabytes(cache.size()), megabytes(cache.limit()));
            format!("{}, {size:.1} MB of at most {limit:.0}", shown(cache.path()))
        }
        Err(why) => format!("none: {why}"),
    }
}

/// The widest vectors of the processor.
#[cfg(target_arch = "x86_64")]
fn vectors() -> &'static str {
    if std::is_x86_feature_detected!("avx512f") {
        "vectors of 512 bits (AVX-512)"
    } else if std::is_x86_feature_detected!("avx2") {
        "vectors of 256 bits (AVX2)"
    } else {
        "vectors of 128 bits (SSE)"
    }
}

/// The widest vectors of the processor, as far as we know any.
#[cfg(not(target_arch = "x86_64"))]
fn vectors() -> &'static str {
    if cfg!(target_feature = "neon") { "vectors of 128 bits (NEON)" } else { "vectors unknown" }
}
