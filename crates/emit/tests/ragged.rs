//! Rows that differ: tasks share the work, whatever the rows are like.

use fehu_emit::{Options, emit};
use fehu_imp::Program;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Level, Prog};
use fehu_irgen::ragged_text;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::random::each_way;
use fehu_oracle::heap::{Fault, Limits};
use fehu_oracle::machine;

/// The code of a program, as it is at first, and improved.
fn code(prog: &Prog, improved: bool) -> Option<Program> {
    let mut placed = fehu_mem::assign::assign(prog.clone()).ok()?;
    fehu_mem::short_circuit::short_circuit(&mut placed, false);
    fehu_mem::overwrite::overwrite(&mut placed);
    fehu_mem::enlarge::enlarge(&mut placed);
    fehu_mem::merge::merge(&mut placed);
    fehu_mem::lifetimes::lifetimes(&mut placed);
    let mut program = emit(&placed, Options { strict_float: true, ..Options::default() });
    if improved {
        for transformation in fehu_loops::TRANSFORMATIONS {
            (transformation.run)(&mut program);
        }
    }
    Some(program)
}

fn examine(prog: &Prog, improved: bool, seed: u64) -> Result<Runs, String> {
    let program = code(prog, improved).ok_or("it has no table")?;
    let oracle = Oracle { seed, rounds: 4, max_size: 3 + (seed % 30) as i64, ..Oracle::default() };
    oracle.agree_with(prog, &mut |fun, args| {
        let limits = Limits { steps: 3_000_000, ..Limits::default() };
        match machine::call(prog, &program, fun, args, limits, seed) {
            Ok(values) => Outcome::Values(values),
            Err(Fault::Check(message, _)) => Outcome::Check(message),
            Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
            Err(Fault::Limit) => Outcome::Limit,
        }
    })
}

#[test]
fn random_rows_that_differ_mean_the_same_as_imperative_code() {
    let count = std::env::var("FEHU_RANDOM_PROGRAMS").ok().and_then(|count| count.parse().ok());
    let (mut all, mut writing) = (Runs::default(), 0);
    for seed in 0..count.unwrap_or(150) {
        let text = ragged_text(seed, Level::Task);
        writing += usize::from(text.contains("update_acc"));
        let prog = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        verify(&prog).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{text}", errors[0]));
        let show =
            |prog: &Prog, way| code(prog, way).map_or(String::new(), |code| code.to_string());
        let examine = |prog: &Prog, improved| examine(prog, improved, seed);
        match each_way(&prog, &[false, true], examine, show) {
            Ok(runs) => all.add(runs),
            Err(message) => panic!("seed {seed}{message}"),
        }
    }
    assert!(all.succeeded > 600 && all.undefined == 0 && writing > 20, "{all:?}, {writing}");
}
