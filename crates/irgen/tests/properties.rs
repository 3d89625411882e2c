//! Properties of the IR's tools on random programs. `FEHU_RANDOM_PROGRAMS` sets how many.

use fehu_ir::text::{parse, renumber};
use fehu_ir::verify::{render, verify};
use fehu_irgen::mutate::{mutate_prog, mutate_text};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, random_prog};

fn count(default: u64) -> u64 {
    let set = std::env::var("FEHU_RANDOM_PROGRAMS").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn programs_are_verified_and_round_trip() {
    for seed in 0..count(2000) {
        let config = Config { inexact: seed % 2 == 0, ..Config::default() };
        let prog = random_prog(seed, config);
        if let Err(errors) = verify(&prog) {
            panic!("seed {seed} is refused: {}\n{}", errors[0], render(&prog, &errors));
        }
        let text = prog.to_string();
        let again = match parse(&text) {
            Ok(again) => again,
            Err(error) => panic!("seed {seed}: {error}\n{text}"),
        };
        assert!(again == renumber(&prog), "seed {seed} differs after printing\n{text}");
        assert!(again.to_string() == text, "seed {seed} prints differently\n{text}");
        if let Err(errors) = verify(&again) {
            panic!("seed {seed} is refused after printing\n{}", render(&again, &errors));
        }
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut rng = Rng::new(1);
    for seed in 0..count(1000) {
        let text = random_prog(seed, Config { statements: 3, inexact: true }).to_string();
        for _ in 0..5 {
            let text = mutate_text(&text, &mut rng);
            if let Ok(prog) = parse(&text) {
                // Whatever it is, it can be verified, shown and printed.
                if let Err(errors) = verify(&prog) {
                    assert!(!render(&prog, &errors).is_empty());
                }
                assert!(parse(&prog.to_string()) == Ok(prog), "{text}");
            }
        }
    }
}

#[test]
fn damaged_programs_do_not_panic() {
    let mut rng = Rng::new(2);
    let (mut refused, mut total) = (0, 0);
    for seed in 0..count(2000) {
        let mut prog = random_prog(seed, Config { statements: 6, inexact: true });
        let what = mutate_prog(&mut prog, &mut rng);
        total += 1;
        if let Err(errors) = verify(&prog) {
            refused += 1;
            assert!(!render(&prog, &errors).is_empty(), "seed {seed}: {what}");
            assert!(errors.iter().all(|error| !error.message.is_empty()));
        }
    }
    // Most damage matters; some replaces a variable by another one of the same type.
    assert!(refused * 10 > total * 5, "only {refused} of {total} damaged programs are refused");
}
