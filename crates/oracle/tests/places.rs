//! Programs in which arrays become parts of others (`fehu_irgen::place_text`) mean the same by their tables, and many copies go.

use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_irgen::place_text;
use fehu_irtest::oracle::{Oracle, Outcome, Runs};
use fehu_irtest::random::number;
use fehu_mem::assign::assign;
use fehu_mem::copies::copies;
use fehu_mem::merge::merge;
use fehu_mem::overwrite::overwrite;
use fehu_mem::short_circuit::{Refusals, short_circuit};
use fehu_oracle::heap::{self, Fault, Limits};

#[test]
fn parts_of_arrays_are_made_in_place_only_where_nobody_notices() {
    let (first, count) = (number("FEHU_RANDOM_SEED", 0), number("FEHU_RANDOM_PROGRAMS", 24));
    let (mut before, mut after, mut all) = (0, 0, Runs::default());
    for seed in first..first + count {
        let text = place_text(seed);
        let prog = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        verify(&prog).unwrap_or_else(|errors| panic!("seed {seed}: {}\n{text}", errors[0]));
        let mut given = prog.clone();
        if seed % 2 == 1 {
            // Sizes have one name each, and what is known is known.
            (fehu_opt::SIMPLIFY.run)(&mut given, &mut Remarks::default());
        }
        let mut placed = assign(given).unwrap_or_else(|_| panic!("seed {seed}: too complex"));
        before += copies(&placed, &Refusals::default()).len();
        let refusals = short_circuit(&mut placed, seed % 3 == 2);
        after += copies(&placed, &refusals).len();
        overwrite(&mut placed);
        merge(&mut placed);
        let oracle = Oracle { seed, ..Oracle::default() };
        let runs = oracle.agree_with(&prog, &mut |fun, args| {
            let limits = Limits { steps: 3_000_000, ..Limits::default() };
            match heap::call(&placed, fun, args, limits) {
                Ok(values) => Outcome::Values(values),
                Err(Fault::Check(message, _)) => Outcome::Check(message),
                Err(Fault::Undefined(message) | Fault::Memory(message)) => Outcome::Wrong(message),
                Err(Fault::Limit) => Outcome::Limit,
            }
        });
        all.add(runs.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}\n{placed}")));
    }
    assert!(all.succeeded > count as usize, "{all:?}");
    // Some must stay, by construction.
    assert!(3 * after < 2 * before && after > before / 10, "{before} copies, then {after}");
}
