//! Tables are right: programs run by them on a heap give what they mean, without races.
//!
//! Random programs, as they are and optimised, with the first table and with what `circuit` makes of it. A program
//! that fails is reduced and printed; `tests/ir/memory` has those that failed once. `FEHU_RANDOM_PROGRAMS` sets how many
//! are tried, `FEHU_RANDOM_SEED` the first.

use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irgen::{Config, random_prog};
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::reduce::reduce;
use fehu_mem::assign::assign;
use fehu_mem::circuit::circuit;
use fehu_mem::heap::{self, Fault, Limits};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

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
    if way.optimised {
        for pass in fehu_opt::PASSES {
            (pass.run)(&mut prog, &mut remarks);
        }
    }
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut remarks);
    // What is too complex for a table has none.
    let Ok(mut placed) = assign(prog.clone()) else { return Ok(Runs::default()) };
    if way.circuit {
        circuit(&mut placed);
    }
    let oracle = Oracle { seed, ..Oracle::default() };
    oracle.agree_with(&prog, &mut |fun, args| {
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match heap::call(&placed, fun, args, limits) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    })
}

#[test]
fn random_programs_mean_the_same_by_their_tables() {
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
                    failures.push(format!("seed {seed}, {way:?}:\n{small}\n{what}"));
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
