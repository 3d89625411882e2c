//! What the machine can do: a program whose work is known is measured once for each back end, and the result is kept in
//! the cache.

use fehu_data::{Array, Scalar, Value};
use fehu_driver::cache::Cache;
use fehu_driver::check::Warnings;
use fehu_driver::temporary::Folder;
use fehu_harness::executor::compiled::Compiled;
use fehu_harness::executor::{Executor, Object};
use fehu_harness::prepare::{self, Compile};
use fehu_profile::machine::{Machine, PROGRAM};
use std::path::PathBuf;
use std::time::Duration;

/// Each entry point is called so often; the fastest counts.
const RUNS: usize = 5;
/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(120);

/// The machine with its back end and what programs are told, such as a number of threads.
fn name(compile: &Compile) -> String {
    let mut name = compile.target.name().to_owned();
    for option in &compile.program_options {
        name.push(' ');
        name.push_str(option);
    }
    name
}

/// Where it is kept.
fn file(compile: &Compile) -> Option<PathBuf> {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name(compile).chars().map(plain).collect();
    Some(Cache::folder().ok()?.join("machine").join(format!("{name}.json")))
}

/// What is known already.
pub(super) fn kept(compile: &Compile) -> Option<Machine> {
    Machine::read(&std::fs::read_to_string(file(compile)?).ok()?)
}

/// Keeps it. If that is impossible, it is measured again next time.
pub(super) fn keep(compile: &Compile, machine: &Machine) {
    if let Some(file) = file(compile)
        && let Some(folder) = file.parent()
        && std::fs::create_dir_all(folder).is_ok()
    {
        let _ = fehu_driver::save::save(file, machine.write());
    }
}

/// Measures.
pub(super) fn measure(compile: &Compile) -> Result<Machine, String> {
    let told = |what: &str| format!("cannot measure what this machine can do: {what}");
    let folder = Folder::new().map_err(|error| told(&error.to_string()))?;
    let path = folder.path().join("machine.fut").display().to_string();
    std::fs::write(&path, PROGRAM).map_err(|error| told(&error.to_string()))?;
    let compile = Compile { profiled: false, tuning: None, cache_files: None, ..compile.clone() };
    let (_, built) = prepare::server(&path, &compile, Warnings::Hide);
    let (_, built) = built.map_err(|error| told(&error))?;
    let mut program = prepare::executor(&path, &compile, built).map_err(|error| told(&error))?;
    program.begin(LIMIT);
    let machine = all(&mut program, compile.target.is_gpu());
    program.end();
    let (memory, cache, arithmetic, latency) = machine.map_err(|error| told(&error))?;
    Ok(Machine { name: name(&compile), memory, cache, arithmetic, latency })
}

/// Bandwidth of memory and of a cache, operations per second, and the time of an empty operator.
fn all(program: &mut Compiled, is_device: bool) -> Result<(f64, f64, f64, f64), String> {
    let (large, small, wide) =
        if is_device { (1 << 26, 1 << 18, 1 << 20) } else { (1 << 24, 1 << 13, 1 << 14) };
    let (often, long): (i64, i64) = if is_device { (50, 1000) } else { (2000, 2000) };
    let xs = array(large);
    let triad = fastest(program, "triad", &[xs.clone(), xs])?;
    let xs = array(small);
    let times = |k: i64| Value::Scalar(Scalar::I64(k));
    let cached = fastest(program, "cached", &[xs.clone(), xs, times(often)])?;
    let arithmetic = fastest(program, "arithmetic", &[array(wide), times(long)])?;
    let mut tiny =
        |k: i64| Ok::<f64, String>(fastest(program, "tiny", &[array(1), times(k)])? / k as f64);
    // Times are in microseconds. Where an operator is a loop of a few nanoseconds, more of them are needed for a few digits.
    let latency = match tiny(long)? {
        each if each < 1e-7 => tiny(1000 * long)?,
        each => each,
    };
    let moved = 12.0 * small as f64 * often as f64;
    let operations = 16.0 * wide as f64 * long as f64;
    Ok((12.0 * large as f64 / triad, moved / cached, operations / arithmetic, latency * 1e9))
}

/// The seconds of the fastest run.
fn fastest(program: &mut Compiled, entry: &str, values: &[Value]) -> Result<f64, String> {
    let told = |error: fehu_harness::executor::Failure| error.to_string();
    let args: Vec<Object> = program.arguments(entry, values).map_err(told)?;
    let kept = program.count();
    let mut least = u64::MAX;
    for _ in 0..RUNS {
        let timed = program.timed(entry, &args).map_err(told)?;
        program.forget(kept);
        least = least.min(timed.microseconds);
    }
    program.command(&["clear"]).map_err(told)?;
    Ok(least.max(1) as f64 / 1e6)
}

fn array(count: usize) -> Value {
    let elements: Vec<f32> = (0..count).map(|i| (i % 1000) as f32).collect();
    Value::Array(Array::from_vec(elements))
}
