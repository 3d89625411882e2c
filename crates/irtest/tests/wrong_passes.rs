//! Passes that are wrong on purpose: file tests and random programs find it, and reduction shows it in a few lines.

use fehu_ir::builder::count_stms;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{VisitMut, walk_body_mut, walk_exp_mut};
use fehu_ir::{BinOp, Body, Exp, Prog};
use fehu_irgen::{Config, random_prog};
use fehu_irtest::file::check;
use fehu_irtest::oracle::Oracle;
use fehu_irtest::passes::{FailureKind, examine};
use fehu_irtest::reduce::reduce;

const PASSES: &[Pass] = &[
    Pass { name: "nothing", about: "Does nothing.", run: |_, _| {} },
    Pass { name: "fewer", about: "Removes the last statement.", run: remove_last },
    Pass { name: "trusting", about: "Removes checks.", run: remove_checks },
    Pass { name: "swapping", about: "Turns differences round.", run: swap },
    Pass { name: "panicking", about: "Panics.", run: |_, _| panic!("a mistake") },
];

fn remove_last(prog: &mut Prog, _: &mut Remarks) {
    for fun in prog.funs.values_mut() {
        fun.body.stms.pop();
    }
}

fn remove_checks(prog: &mut Prog, _: &mut Remarks) {
    struct Remove;
    impl VisitMut for Remove {
        fn body(&mut self, body: &mut Body) {
            for stm in &mut body.stms {
                stm.certs.clear();
            }
            body.stms.retain(|stm| !matches!(stm.exp, Exp::Assert(..)));
            walk_body_mut(self, body);
        }
    }
    for fun in prog.funs.values_mut() {
        Remove.body(&mut fun.body);
    }
}

fn swap(prog: &mut Prog, _: &mut Remarks) {
    struct Swap;
    impl VisitMut for Swap {
        fn exp(&mut self, exp: &mut Exp) {
            if let Exp::BinOp(BinOp::Sub, a, b) = exp {
                std::mem::swap(a, b);
            }
            walk_exp_mut(self, exp);
        }
    }
    for fun in prog.funs.values_mut() {
        Swap.body(&mut fun.body);
    }
}

const DIFFERENCE: &str = "prog arrays
fun main (x: i32, y: i32) -> (r: i32) =
  let (d: i32) = sub x y
  in (d)
";

const CHECKED: &str = "prog arrays
fun main (n: i64, xs: [n]i32, i: i64) -> (r: i32) =
  let (low: bool) = le 0 i
  let (high: bool) = lt i n
  let (ok: bool) = and low high
  let (c: unit) = assert ok \"out of bounds\"
  #[cert c] let (x: i32) = index xs [i]
  in (x)
";

#[track_caller]
fn refused(header: &str, prog: &str, message: &str) {
    match check(&format!("{header}\n{prog}"), PASSES) {
        Ok(text) => panic!("accepted:\n{text}"),
        Err(error) => assert!(error.contains(message), "{error}"),
    }
}

#[test]
fn the_result_is_written_after_the_program() {
    let text = format!("-- pass nothing\n-- count: sub 1, map 0\n{DIFFERENCE}");
    let new = check(&text, PASSES).expect("nothing is wrong");
    assert_eq!(
        new,
        format!(
            "{text}-- result\nprog arrays\n\nfun main (x_0: i32, y_1: i32) -> (r_2: i32) =\n  let (d_3: i32) = sub x_0 y_1\n  in (d_3)\n"
        )
    );
    assert_eq!(check(&new, PASSES), Ok(new.clone()), "the result is not part of the program");
}

#[test]
fn mistakes_of_passes_are_found() {
    refused("-- pass fewer", DIFFERENCE, "after \"fewer\" the program is rejected");
    refused("-- pass panicking", DIFFERENCE, "\"panicking\" panicked: a mistake");
    refused("-- pass swapping", DIFFERENCE, "\"main\" differs for the arguments");
    refused("-- pass trusting", CHECKED, "before: error: check: out of bounds");
    check(&format!("-- pass swapping, nothing, swapping\n{DIFFERENCE}"), PASSES)
        .expect("twice is never");
}

#[test]
fn mistakes_of_files_are_found() {
    refused("-- pass missing", DIFFERENCE, "no pass \"missing\"");
    refused("-- a comment", DIFFERENCE, "does not say `-- pass NAME`");
    refused("-- pass nothing\n-- count: sub 0", DIFFERENCE, "1 instead of 0 times `sub`");
    refused("-- pass nothing\n-- count: subs 0", DIFFERENCE, "no operator `subs`");
    refused("-- pass nothing\n-- arguments main: 1", DIFFERENCE, "`` is not a value of type i32");
    refused("-- pass nothing\n-- arguments other: 1", DIFFERENCE, "no such function");
    refused("-- pass nothing", "prog arrays\n", "no run had results");
}

#[test]
fn a_test_that_says_nothing_is_refused() {
    let bad = "-- pass nothing\n-- arguments main: 3 [1, 2, 3] 3";
    refused(bad, CHECKED, "no run had results");
    check(&format!("{bad}\n-- fails\n{CHECKED}"), PASSES).expect("all runs fail");
    let good = "-- pass nothing\n-- fails\n-- arguments main: 3 [1, 2, 3] 2";
    refused(good, CHECKED, "some run has results");
}

/// The first three random programs with which a pass fails, reduced.
fn reduced(name: &str, kind: FailureKind) -> Vec<Prog> {
    let pass: Vec<Pass> = PASSES.iter().copied().filter(|pass| pass.name == name).collect();
    let config = Config { failing: true, ..Config::default() };
    let mut found = Vec::new();
    for seed in 0..200 {
        let prog = random_prog(seed, config);
        let oracle = Oracle { seed, rounds: 2, ..Oracle::default() };
        let mut fails = |prog: &Prog| {
            examine(prog, &pass, &oracle).is_err_and(|failure| failure.kind() == kind)
        };
        if fails(&prog) {
            let small = reduce(&prog, 2000, &mut fails);
            assert!(fails(&small), "the reduced program still shows it");
            found.push(small);
        }
        if found.len() == 3 {
            return found;
        }
    }
    panic!("only {} of 200 programs show what is wrong with \"{name}\"", found.len());
}

fn statements(prog: &Prog) -> usize {
    prog.funs.iter().map(|(_, fun)| count_stms(&fun.body)).sum()
}

#[test]
fn random_programs_show_what_is_wrong_and_become_small() {
    for (name, kind, most) in [
        ("swapping", FailureKind::Differs, 5),
        ("trusting", FailureKind::Differs, 5),
        ("fewer", FailureKind::Refused, 1),
    ] {
        let mut progs = reduced(name, kind);
        progs.sort_by_key(statements);
        assert!(statements(&progs[0]) <= most, "{name}:\n{}", progs[0]);
        assert!(statements(&progs[2]) <= 20, "{name}:\n{}", progs[2]);
    }
}
