//! `cargo xtask bench-check`: how long `fehu check` takes, start-up included.
//!
//! Programs of several sizes are made from a few templates, so that the numbers can be compared from
//! one version to the next. The smallest of several runs counts: it is the one with the least noise.

use crate::bench_shapes::SHAPES;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The compiler to measure; by default, the release build of this repository.
    #[arg(long)]
    fehu: Option<PathBuf>,
    /// How often each program is checked.
    #[arg(long, default_value_t = 10)]
    runs: usize,
}

const SIZES: [usize; 6] = [1, 300, 1_000, 3_000, 10_000, 100_000];

pub(crate) fn run(args: &Args) -> ExitCode {
    let fehu = crate::fehu_binary(args.fehu.as_ref());
    let folder = std::env::temp_dir().join(format!("fehu-bench-{}", std::process::id()));
    let result = measure(&fehu, &folder, args.runs);
    // The folder is ours, and it does not matter if it stays.
    let _ = std::fs::remove_dir_all(&folder);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!(
                "{}: {error} (did you run `cargo build --release --bin fehu`?)",
                fehu.display()
            );
            ExitCode::FAILURE
        }
    }
}

fn measure(fehu: &Path, folder: &Path, runs: usize) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    println!("{:>8} {:>10} {:>10} {:>10}", "lines", "bytes", "ms", "ns/line");
    for size in SIZES {
        let program = program(size);
        let lines = program.lines().count();
        let (best, remark) = check(fehu, folder, &program, runs)?;
        let per_line = best.as_nanos() / lines.max(1) as u128;
        let milliseconds = best.as_secs_f64() * 1e3;
        println!("{lines:8} {:10} {milliseconds:10.2} {per_line:10}{remark}", program.len());
    }
    println!("\n{:24} {:>9} {:>9} {:>9}   ms for a size, twice, four times it", "shape", 1, 2, 4);
    for shape in &SHAPES {
        print!("{:24}", shape.name);
        let mut times = Vec::new();
        for factor in [1, 2, 4] {
            let program = (shape.program)(shape.start * factor);
            let (best, remark) = check(fehu, folder, &program, runs.min(3))?;
            print!(" {:9.2}{remark}", best.as_secs_f64() * 1e3);
            times.push(best);
        }
        // Four times the size may take a little more than four times as long, for the caches.
        let linear = times[2] < times[0] * 6;
        println!("{}", if linear { "" } else { "   more than linear" });
    }
    Ok(())
}

/// The shortest time of several runs on a program, and a remark if it is refused.
fn check(
    fehu: &Path,
    folder: &Path,
    program: &str,
    runs: usize,
) -> std::io::Result<(Duration, &'static str)> {
    let path = folder.join("program.fut");
    std::fs::write(&path, program)?;
    let mut best = Duration::MAX;
    let mut accepted = true;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        let mut command = Command::new(fehu);
        command.arg("check").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        accepted &= command.status()?.success();
        best = best.min(start.elapsed());
    }
    Ok((best, if accepted { "" } else { "  (refused!)" }))
}

/// A valid program of about this many lines.
fn program(lines: usize) -> String {
    let mut text = String::from("-- Generated.\n");
    let mut count = 1;
    let mut index = 0;
    while count < lines {
        let piece = piece(index);
        count += piece.lines().count();
        text.push_str(&piece);
        index += 1;
    }
    // The write to a string cannot fail.
    let _ = writeln!(text, "entry main (x: i32): i32 = x");
    text
}

fn piece(index: usize) -> String {
    let template = match index % 5 {
        0 => SCALARS,
        1 => ARRAYS,
        2 => RECORDS,
        3 => SUMS,
        _ => MODULES,
    };
    template.replace('@', &index.to_string())
}

const SCALARS: &str = "
-- | A polynomial, number @.
def poly@ (x: f64) (y: f64): f64 =
  let a = x * y + 2.5
  let b = a - f64.i64 @ * x
  let c = if a < b then a else b
  in loop acc = c for i < 10 do acc * 0.5 + f64.i64 i * y
";

const ARRAYS: &str = "
def dot@ [n] (xs: [n]f32) (ys: [n]f32): f32 =
  reduce (+) 0 (map2 (*) xs ys)

def smooth@ [n] (steps: i64) (xs: [n]f32): [n]f32 =
  loop ys = xs for _step < steps do
    tabulate n (\\i ->
      let left = if i == 0 then ys[0] else ys[i - 1]
      let right = if i == n - 1 then ys[n - 1] else ys[i + 1]
      in (left + ys[i] + right) / 3)
";

const RECORDS: &str = "
type particle@ = {position: (f32, f32), velocity: (f32, f32), mass: f32}

def step@ (dt: f32) (p: particle@): particle@ =
  let (x, y) = p.position
  let (vx, vy) = p.velocity
  in p with position = (x + vx * dt, y + vy * dt)

def steps@ [n] (dt: f32) (ps: [n]particle@): [n]particle@ =
  map (step@ dt) ps
";

const SUMS: &str = "
type shape@ = #circle f32 | #box f32 f32 | #nothing

def area@ (s: shape@): f32 =
  match s
  case #circle r -> 3.14159 * r * r
  case #box a b -> a * b
  case #nothing -> 0

def areas@ [n] (ss: [n]shape@): f32 = f32.sum (map area@ ss)
";

const MODULES: &str = "
module type monoid@ = {
  type t
  val zero: t
  val plus: t -> t -> t
}

module sum@ (M: monoid@) = {
  def all [n] (xs: [n]M.t): M.t = reduce M.plus M.zero xs
}

module sum_i32_@ = sum@ {
  type t = i32
  def zero = 0i32
  def plus (a: i32) (b: i32) = a + b
}

def total@ [n] (xs: [n]i32): i32 = sum_i32_@.all xs
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_about_the_wanted_size() {
        for size in [300, 1000, 10_000] {
            let lines = program(size).lines().count();
            assert!((size..size + 30).contains(&lines), "{size}: {lines}");
        }
    }
}
