//! Random programs: they run, whatever the cutting of streams, and damaged ones do not panic.

use fehu_interp::{Chunking, ErrorKind, Interp, Options, Value};
use fehu_ir::{Fun, Prog};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, MAX_PARAM_SIZE, mutate, random_prog};
use fehu_irtest::arguments::{Sizes, random};

/// Random arguments for a function.
fn arguments(fun: &Fun, rng: &mut Rng) -> Vec<Value> {
    random(fun, Sizes::UpTo(MAX_PARAM_SIZE), rng).expect("the function can be called")
}

fn main_of(prog: &Prog) -> &Fun {
    &prog.funs[prog.entries[0].fun]
}

#[test]
fn random_programs_run_alike_however_streams_are_cut() {
    let config = Config { statements: 15, inexact: true, ..Config::default() };
    for seed in 0..400 {
        let prog = random_prog(seed, config);
        let mut rng = Rng::new(seed);
        let args = arguments(main_of(&prog), &mut rng);
        let mut interp = Interp::new(&prog);
        let mut first: Option<Vec<Value>> = None;
        for chunking in [Chunking::Whole, Chunking::Size(1), Chunking::Random(seed)] {
            interp.options_mut().chunking = chunking;
            let results = match interp.call(prog.entries[0].fun, args.clone()) {
                Ok(results) => results,
                Err(error) => panic!("seed {seed}: {error}\n{prog}"),
            };
            match &first {
                None => first = Some(results),
                Some(first) => {
                    let same = first.iter().zip(&results).all(|(a, b)| a.same_bits(b));
                    assert!(same && first.len() == results.len(), "seed {seed}\n{prog}");
                }
            }
        }
    }
}

#[test]
fn damaged_programs_do_not_panic() {
    let options = Options {
        max_array_bytes: 1 << 20,
        max_steps: Some(100_000),
        stack_bytes: 16 << 20,
        ..Options::default()
    };
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut prog = random_prog(seed, Config::default());
        let args = arguments(main_of(&prog), &mut rng);
        for _ in 0..3 {
            mutate::mutate_prog(&mut prog, &mut rng);
            let mut interp = Interp::with_options(&prog, options.clone());
            if let Err(error) = interp.call(prog.entries[0].fun, args.clone()) {
                assert_ne!(error.kind, ErrorKind::Interrupt);
            }
        }
    }
}
