//! Imperative code does what programs mean: random programs, as they are and optimised, for one thread and for several, after
//! `emit` and after all that comes then.
//!
//! A program that fails is reduced and printed. `FEHU_RANDOM_PROGRAMS` sets how many are tried, `FEHU_RANDOM_SEED` the first.

use fehu_imp::emit::{Options, emit};
use fehu_imp::{Program, machine};
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irgen::{Config, random_prog};
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::reduce::reduce;
use fehu_mem::heap::{Fault, Limits};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How code is made of a program.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Whether the program is optimised first.
    optimised: bool,
    /// Whether operators become tasks.
    parallel: bool,
    /// Whether the code is changed after it was made.
    improved: bool,
}

const WAYS: [Way; 4] = [
    Way { optimised: false, parallel: false, improved: false },
    Way { optimised: true, parallel: false, improved: true },
    Way { optimised: false, parallel: true, improved: false },
    Way { optimised: true, parallel: true, improved: true },
];

fn code(prog: &Prog, way: Way) -> Option<Program> {
    // What is too complex for a table has none.
    let mut placed = fehu_mem::assign::assign(prog.clone()).ok()?;
    fehu_mem::circuit::circuit(&mut placed);
    let mut program =
        emit(&placed, Options { parallel: way.parallel, strict_float: true, ..Options::default() });
    if way.improved {
        fehu_imp::tile::tile(&mut program);
        fehu_imp::copies::copies(&mut program);
        fehu_imp::border::border(&mut program);
        fehu_imp::lanes::lanes(&mut program);
    }
    Some(program)
}

/// Whether the code of a program does what it means.
fn examine(prog: &Prog, way: Way, seed: u64) -> Result<Runs, String> {
    let mut prog = prog.clone();
    let mut remarks = Remarks::default();
    if way.optimised {
        for pass in fehu_opt::PASSES {
            (pass.run)(&mut prog, &mut remarks);
        }
    }
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut remarks);
    let Some(program) = code(&prog, way) else { return Ok(Runs::default()) };
    // What several threads add is added in another order.
    let tolerance = way.parallel.then_some(1e-3);
    let oracle = Oracle { seed, tolerance, ..Oracle::default() };
    oracle.agree_with(&prog, &mut |fun, args| {
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match machine::call(&prog, &program, fun, args, limits, seed) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    })
}

#[test]
fn random_programs_mean_the_same_as_imperative_code() {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 150));
    let mut all = Runs::default();
    let mut failures = Vec::new();
    for seed in first..first + count {
        let config = Config {
            statements: 4 + (seed % 3) as usize * 4,
            inexact: false,
            failing: seed.is_multiple_of(4),
        };
        let prog = random_prog(seed, config);
        for way in WAYS {
            match examine(&prog, way, seed) {
                Ok(runs) => {
                    all.succeeded += runs.succeeded;
                    all.failed += runs.failed;
                    all.undefined += runs.undefined;
                }
                Err(first) => {
                    let small = reduce(&prog, 2000, &mut |prog| examine(prog, way, seed).is_err());
                    let what = examine(&small, way, seed).err().unwrap_or(first);
                    let program = code(&small, way).map_or(String::new(), |code| code.to_string());
                    failures.push(format!("seed {seed}, {way:?}:\n{small}\n{program}\n{what}"));
                    break;
                }
            }
        }
        if failures.len() == 3 {
            break;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
