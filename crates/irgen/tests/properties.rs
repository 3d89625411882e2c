//! Properties of the IR's tools on random programs. `FEHU_RANDOM_PROGRAMS` sets how many.

use fehu_ir::Prog;
use fehu_ir::text::{parse, renumber};
use fehu_ir::verify::{render, verify};
use fehu_irgen::mutate::{mutate_prog, mutate_text};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, random_prog, random_segs};

fn count(default: u64) -> u64 {
    let set = std::env::var("FEHU_RANDOM_PROGRAMS").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn programs_are_verified_and_round_trip() {
    for seed in 0..count(200) {
        let config = Config { inexact: seed % 2 == 0, ..Config::default() };
        round_trip(seed, &random_prog(seed, config));
    }
}

#[test]
fn programs_with_segs_are_verified_and_round_trip() {
    for seed in 0..count(200) {
        round_trip(seed, &random_segs(seed, Config::default()));
    }
}

fn round_trip(seed: u64, prog: &Prog) {
    if let Err(errors) = verify(prog) {
        panic!("seed {seed} is refused: {}\n{}", errors[0], render(prog, &errors));
    }
    let text = prog.to_string();
    let again = match parse(&text) {
        Ok(again) => again,
        Err(error) => panic!("seed {seed}: {error}\n{text}"),
    };
    assert!(again == renumber(prog), "seed {seed} differs after printing\n{text}");
    assert!(again.to_string() == text, "seed {seed} prints differently\n{text}");
    if let Err(errors) = verify(&again) {
        panic!("seed {seed} is refused after printing\n{}", render(&again, &errors));
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let mut rng = Rng::new(1);
    for seed in 0..count(200) {
        let text = random_prog(seed, Config { statements: 3, inexact: true, ..Config::default() })
            .to_string();
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
fn damaged_programs_are_refused_or_valid() {
    let mut rng = Rng::new(2);
    let (mut refused, mut total) = (0, 0);
    for seed in 0..count(200) {
        let mut prog =
            random_prog(seed, Config { statements: 6, inexact: true, ..Config::default() });
        let what = mutate_prog(&mut prog, &mut rng);
        total += 1;
        if let Err(errors) = verify(&prog) {
            refused += 1;
            assert!(!render(&prog, &errors).is_empty(), "seed {seed}: {what}");
            assert!(errors.iter().all(|error| !error.message.is_empty()));
        } else {
            for (_, fun) in prog.funs.iter() {
                if let Err(message) = naive::check(fun) {
                    panic!("seed {seed}: accepted after {what}, but {message}\n{prog}");
                }
            }
            assert!(parse(&prog.to_string()) == Ok(renumber(&prog)), "seed {seed}: {what}");
        }
    }
    // Most damage matters; some replaces a variable by another one of the same type.
    assert!(refused * 10 > total * 5, "only {refused} of {total} damaged programs are refused");
}

/// A second opinion on scopes, types and consumption: slower, and of fewer rules.
mod naive {
    use fehu_ir::builder::type_of;
    use fehu_ir::free::free_in_stm;
    use fehu_ir::{Body, Exp, Fun, LoopForm, Stm, Type, Var};
    use std::collections::BTreeSet;

    type Scope = BTreeSet<Var>;

    pub(super) fn check(fun: &Fun) -> Result<(), String> {
        let scope: Scope = fun.params.iter().map(|param| param.var).collect();
        let mut bound = scope.clone();
        bound.extend(fun.results.iter().copied());
        body(fun, &fun.body, &scope, &mut bound)
    }

    fn body(fun: &Fun, body: &Body, scope: &Scope, bound: &mut Scope) -> Result<(), String> {
        let mut scope = scope.clone();
        for (index, stm) in body.stms.iter().enumerate() {
            statement(fun, stm, &scope, bound)?;
            if let Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) = &stm.exp {
                let later = &body.stms[index + 1..];
                let used = later.iter().any(|stm| free_in_stm(stm, &fun.vars).contains(array));
                if used || body.results.contains(&(*array).into()) {
                    return Err(format!("{array:?} is used after an update"));
                }
            }
            scope.extend(stm.pat.iter().copied());
        }
        for atom in &body.results {
            if atom.var().is_some_and(|var| !scope.contains(&var)) {
                return Err(format!("result {atom:?} is not in scope"));
            }
        }
        Ok(())
    }

    fn statement(fun: &Fun, stm: &Stm, scope: &Scope, bound: &mut Scope) -> Result<(), String> {
        for var in free_in_stm(stm, &fun.vars) {
            if !scope.contains(&var) {
                return Err(format!("{var:?} is not in scope"));
            }
        }
        if let (Some(ty), [var]) = (type_of(&stm.exp, &fun.vars), stm.pat.as_slice()) {
            let found = &fun.vars[*var].ty;
            // Sizes may be copies of each other.
            let same = found.elem() == ty.elem() && found.rank() == ty.rank();
            if !same {
                return Err(format!("{var:?} has type {found:?} instead of {ty:?}"));
            }
        }
        for var in &stm.pat {
            if !bound.insert(*var) {
                return Err(format!("{var:?} is bound twice"));
            }
        }
        for cert in &stm.certs {
            if fun.vars[*cert].ty != Type::CERT {
                return Err(format!("{cert:?} is no certificate"));
            }
        }
        let mut inside = scope.clone();
        let mut result = Ok(());
        if let Exp::Loop(params, form, _) = &stm.exp {
            inside.extend(params.iter().map(|param| param.var));
            if let LoopForm::For(var, _) = form {
                inside.insert(*var);
            }
        }
        stm.exp.for_each_lambda(&mut |lambda| inside.extend(lambda.params.iter().copied()));
        stm.exp.for_each_body(&mut |inner| {
            if result.is_ok() {
                result = body(fun, inner, &inside, bound);
            }
        });
        result
    }
}
