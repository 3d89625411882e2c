//! Tables are right: programs run by them on a heap give what they mean, without races.
//!
//! Random programs and those of `tests/ir`, as they are and optimised, with the first table and with what
//! `short_circuit` makes of it. A random program that fails is reduced and printed; see `irtest/src/random.rs`.

use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Prog, Stage};
use fehu_irgen::growing_text;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::random::{ALL, each_program, each_way};
use fehu_mem::assign::assign;
use fehu_mem::destinations::destinations;
use fehu_mem::enlarge::enlarge;
use fehu_mem::merge::merge;
use fehu_mem::overwrite::overwrite;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::uncopy::uncopy;
use fehu_mem::unview::unview;
use fehu_oracle::heap::{self, Fault, Limits};
use std::path::{Path, PathBuf};

/// How a table is made.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Whether the program is optimised first.
    optimised: bool,
    /// Whether arrays are made where they would be copied to.
    circuit: bool,
}

const WAYS: [Way; 4] = [
    Way { optimised: false, circuit: false },
    Way { optimised: false, circuit: true },
    Way { optimised: true, circuit: false },
    Way { optimised: true, circuit: true },
];

/// Whether a program by its table does what it means.
fn examine(prog: &Prog, way: Way, seed: u64) -> Result<Runs, String> {
    let mut prog = prog.clone();
    let mut remarks = Remarks::default();
    (fehu_opt::UNPASS.run)(&mut prog, &mut remarks);
    // Streams are one chunk, one for each of the threads, or one for each element.
    let cuts = [None, Some(fehu_par::CHUNKS), Some(fehu_par::GRID_CHUNKS)];
    if let (Some(pass), Stage::Arrays) = (cuts[(seed % 3) as usize], prog.stage) {
        (pass.run)(&mut prog, &mut remarks);
    }
    // The passes are for programs in which nothing is decided about who does what.
    if way.optimised && prog.stage == Stage::Arrays {
        for pass in fehu_opt::PASSES {
            (pass.run)(&mut prog, &mut remarks);
        }
    }
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut remarks);
    (fehu_par::UNFLATMAP.run)(&mut prog, &mut remarks);
    if way.optimised {
        (fehu_par::EPILOGUE.run)(&mut prog, &mut remarks);
    }
    let mut given = prog.clone();
    if way.circuit {
        uncopy(&mut given);
        unview(&mut given);
        destinations(&mut given, false);
        verify(&given).map_err(|errors| errors[0].to_string())?;
    }
    // What is too complex for a table has none.
    let Ok(mut placed) = assign(given) else { return Ok(Runs::default()) };
    verify(&placed.prog).map_err(|errors| errors[0].to_string())?;
    if way.circuit {
        short_circuit(&mut placed, false);
        overwrite(&mut placed);
        enlarge(&mut placed);
        merge(&mut placed);
    }
    let oracle = Oracle { seed, ..Oracle::default() };
    oracle.agree_with(&prog, &mut |fun, args| {
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match heap::call(&placed, fun, args, limits) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    })
}

#[test]
fn random_programs_mean_the_same_by_their_tables() {
    let all = each_program(ALL, 80, 4, |prog, seed| {
        each_way(prog, &WAYS, |prog, way| examine(prog, way, seed), |_, _| String::new())
    });
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}

/// Whoever thinks that an array is smaller than it is writes outside of it.
#[test]
fn arrays_that_grow_mean_the_same_by_their_tables() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let first = number("FEHU_RANDOM_SEED").unwrap_or(0);
    let count = number("FEHU_RANDOM_PROGRAMS").unwrap_or(30);
    let mut all = Runs::default();
    for seed in first..first + count {
        let prog = parse(&growing_text(seed)).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let examine = |prog: &Prog, way| examine(prog, way, seed);
        let runs = each_way(&prog, &WAYS, examine, |_, _| String::new());
        all.add(runs.unwrap_or_else(|message| panic!("seed {seed}{message}")));
    }
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}

#[test]
fn programs_of_other_tests_mean_the_same_by_their_tables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let (mut count, mut all) = (0, Runs::default());
    for folder in entries(&root).iter().filter(|path| path.is_dir()) {
        for path in entries(folder).iter().filter(|path| path.extension() == Some("ir".as_ref())) {
            let text = std::fs::read_to_string(path).expect("it can be read");
            let (text, _) = fehu_irtest::folder::split(&text);
            // Some are wrong on purpose.
            let Ok(prog) = parse(text) else { continue };
            // Derivatives are taken before memory is assigned, and programs that tell a session where they are have none.
            let tells = text.contains(" = notice ");
            if verify(&prog).is_err() || prog.has_derivatives() || tells {
                continue;
            }
            count += 1;
            for way in WAYS {
                match examine(&prog, way, 0) {
                    Ok(runs) => all.succeeded += runs.succeeded,
                    Err(why) => panic!("{}, {way:?}: {why}", path.display()),
                }
            }
        }
    }
    assert!(count > 100 && all.succeeded > 4 * count, "{count} {all:?}");
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("it can be listed");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A program that failed once.
fn good(text: &str) {
    let prog = parse(text).unwrap_or_else(|error| panic!("{error}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}", errors[0]));
    for way in WAYS {
        let runs = examine(&prog, way, 0).unwrap_or_else(|why| panic!("{way:?}: {why}"));
        assert!(runs.succeeded > 0, "{way:?}: {runs:?}");
    }
}

#[test]
fn a_small_array_may_come_back_from_a_call() {
    good(
        "prog arrays
fun same (n: i64, xs: [n]i32) -> (r: [n]i32) =
  (xs)
fun main (x: i32) -> (r: [4]i32) =
  let (a: [4]i32) = replicate (4) x
  let (b: [4]i32) = call same (4, a)
  in (b)
",
    );
}

#[test]
fn small_arrays_may_change_places_by_way_of_calls() {
    good(
        "prog arrays
fun same (n: i64, xs: [n]i32) -> (r: [n]i32) =
  (xs)
fun main (x: i32, y: i32) -> (r: [2]i32, s: [2]i32) =
  let (a: [2]i32) = replicate (2) x
  let (b: [2]i32) = replicate (2) y
  let (c: [2]i32, d: [2]i32) = loop (p: [2]i32 = a, q: [2]i32 = b) for i: i64 < 3 {
    let (e: [2]i32) = call same (2, q)
    let (f: [2]i32) = call same (2, p)
    in (e, f)
  }
  in (c, d)
",
    );
}

#[test]
fn branches_and_loops_hand_on_strides() {
    good(
        "prog arrays
fun main (n: i64, k: i64, c: bool, a: [n][n]i64, b: [n]i64) -> (r: i64) =
  let (x: [n][n]i64) = if c then { let (t: [n][n]i64) = rearrange (1, 0) a in (t) } else {(a)}
  let (y: [n]i64) = if c then { let (u: [n]i64) = index x[0:n:1, 0] in (u) } else {(b)}
  let (z: [n][n]i64, w: [n]i64, s: i64) = loop (p: [n][n]i64 = x, q: [n]i64 = y, o: i64 = 0) for i: i64 < k {
    let (l0: i64) = screma n (p, q) map \\(row: [n]i64, e: i64) -> (i64) {
      let (h: i64) = screma n (row) map \\(f: i64) -> (i64) { let (g: i64) = mul f e in (g) }
        red \\(j: i64, m: i64) -> (i64) { let (v: i64) = add j m in (v) } neutral (0)
      in (h) }
      red \\(j1: i64, m1: i64) -> (i64) { let (v1: i64) = add j1 m1 in (v1) } neutral (0)
    let (o3: i64) = mul o 3
    let (l: i64) = add l0 o3
    let (next: [n][n]i64) = rearrange (1, 0) p
    let (even: bool) = lt i 1
    let (row1: [n]i64) = if even then { let (u1: [n]i64) = index p[0:n:1, 0] in (u1) } else {(q)}
    in (next, row1, l)
  }
  let (all0: i64) = screma n (z, w) map \\(row2: [n]i64, e2: i64) -> (i64) {
    let (f2: i64) = index row2[0]
    let (g2: i64) = mul f2 e2
    in (g2) }
    red \\(j2: i64, m2: i64) -> (i64) { let (v2: i64) = add j2 m2 in (v2) } neutral (0)
  let (all: i64) = add all0 s
  in (all)
",
    );
}
