//! Imperative code does what programs mean: random programs, as they are and optimised, for one thread and for several, after
//! `emit` and after all that comes then.
//!
//! A program that fails is reduced and printed with its code; see `irtest/src/random.rs`.

use fehu_emit::{Options, emit};
use fehu_imp::Program;
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::random::{ALL, each_program, each_way};
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine;

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
    let mut prog = prog.clone();
    if way.parallel {
        (fehu_par::TASKS.run)(&mut prog, &mut Remarks::default());
    }
    if way.optimised {
        (fehu_par::EPILOGUE.run)(&mut prog, &mut Remarks::default());
    }
    fehu_mem::uncopy::uncopy(&mut prog);
    fehu_mem::unview::unview(&mut prog);
    fehu_mem::destinations::destinations(&mut prog, false);
    let mut placed = fehu_mem::assign::assign(prog).ok()?;
    fehu_mem::short_circuit::short_circuit(&mut placed, false);
    fehu_mem::overwrite::overwrite(&mut placed);
    fehu_mem::enlarge::enlarge(&mut placed);
    fehu_mem::merge::merge(&mut placed);
    fehu_mem::lifetimes::lifetimes(&mut placed);
    let mut program = emit(&placed, Options { strict_float: true, ..Options::default() });
    if way.improved {
        for transformation in fehu_loops::TRANSFORMATIONS {
            (transformation.run)(&mut program);
        }
    }
    Some(program)
}

/// Whether the code of a program does what it means.
fn examine(prog: &Prog, way: Way, seed: u64) -> Result<Runs, String> {
    let mut prog = prog.clone();
    let mut remarks = Remarks::default();
    if way.parallel {
        (fehu_par::CHUNKS.run)(&mut prog, &mut remarks);
    }
    if way.optimised {
        for pass in fehu_opt::PASSES {
            (pass.run)(&mut prog, &mut remarks);
        }
    }
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut remarks);
    (fehu_par::UNFLATMAP.run)(&mut prog, &mut remarks);
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
    let show = |prog: &Prog, way| code(prog, way).map_or(String::new(), |code| code.to_string());
    let all = each_program(ALL, 80, 4, |prog, seed| {
        each_way(prog, &WAYS, |prog, way| examine(prog, way, seed), show)
    });
    let all = all.unwrap_or_else(|message| panic!("{message}"));
    assert!(all.succeeded > 10 * all.undefined && all.succeeded > all.failed, "{all:?}");
}
