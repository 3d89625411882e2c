//! The passes take time in proportion to the program, and so does what they make: large programs of several shapes.
//!
//! The bound is generous, so that a slow machine passes; something quadratic takes minutes at this size.
//! `cargo test --release -p fehu-opt --test all linear -- --nocapture` prints the times.
#![expect(clippy::print_stderr, reason = "the times are for people")]

use fehu_ir::builder::count_stms;
use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_ir::{Atom, BinOp, Body, Exp, FunId, Lambda, Prog, Screma, Stm, Type, Var, VarInfo};
use fehu_opt::{CSE, HOIST, INLINE};
use std::time::{Duration, Instant};

const STATEMENTS: u32 = 50_000;
const LIMIT: Duration = Duration::from_secs(30);

fn check(name: &str, prog: &Prog) {
    if let Err(errors) = verify(prog) {
        panic!("{name}: {}", errors[0]);
    }
    for pass in [INLINE, CSE, HOIST] {
        let mut after = prog.clone();
        let start = Instant::now();
        (pass.run)(&mut after, &mut Remarks::default());
        let time = start.elapsed();
        if let Err(errors) = verify(&after) {
            panic!("{name}, {}: {}", pass.name, errors[0]);
        }
        assert!(time < LIMIT, "{name}: {} takes {time:?}", pass.name);
        let (small, large) = (size(prog), size(&after));
        assert!(large <= 20 * small + 5000, "{name}: {} makes {large} of {small}", pass.name);
        eprintln!("{name}: {} takes {time:?}", pass.name);
    }
}

fn size(prog: &Prog) -> usize {
    prog.funs.iter().map(|(_, fun)| count_stms(&fun.body)).sum()
}

/// `fun main (x: i32, n: i64) -> (r: i32)` with a body that is empty yet.
fn empty() -> Prog {
    parse(
        "prog arrays\nfun main (x: i32, n: i64) -> (r: i32) = (x)\n\
         entry \"main\" = main (\"x\": i32, \"n\": i64) -> i32",
    )
    .expect("it is a program")
}

fn scalar(vars: &mut fehu_base::IdVec<Var, VarInfo>) -> Var {
    vars.push(VarInfo { hint: "v".into(), ty: Type::prim(fehu_base::Prim::I32) })
}

/// A chain of operations, each on the one before; every other one is like an earlier one if `equal`.
fn chain(prog: &mut Prog, count: u32, equal: bool) {
    let fun = &mut prog.funs[FunId(0)];
    let x = fun.params[0].var;
    let mut last = x;
    for number in 0..count {
        let var = scalar(&mut fun.vars);
        let (a, number) = if equal { (x, number % 100) } else { (last, number) };
        let operand = Atom::Const(fehu_ir::Scalar::I32(number as i32));
        fun.body.stms.push(Stm::new(vec![var], Exp::BinOp(BinOp::Add, a.into(), operand)));
        last = var;
    }
    fun.body.results = vec![last.into()];
}

#[test]
fn long_chains() {
    for equal in [false, true] {
        let mut prog = empty();
        chain(&mut prog, STATEMENTS, equal);
        check(if equal { "equal statements" } else { "different statements" }, &prog);
    }
}

#[test]
fn long_bodies_of_operators() {
    let mut prog = empty();
    chain(&mut prog, STATEMENTS, false);
    let fun = &mut prog.funs[FunId(0)];
    // The chain in a map over numbers: all of it leaves.
    let n = fun.params[1].var;
    let body = std::mem::take(&mut fun.body);
    let i64s = Type::Array(fehu_base::Prim::I64.into(), vec![n.into()]);
    let i32s = Type::Array(fehu_base::Prim::I32.into(), vec![n.into()]);
    let numbers = fun.vars.push(VarInfo { hint: "is".into(), ty: i64s });
    let param = fun.vars.push(VarInfo { hint: "i".into(), ty: Type::I64 });
    let mapped = fun.vars.push(VarInfo { hint: "ys".into(), ty: i32s });
    let iota = Exp::Iota(fehu_base::Prim::I64, n.into(), 0.into(), 1.into());
    let ret = vec![Type::prim(fehu_base::Prim::I32)];
    let map = Lambda { params: vec![param], body, ret };
    let op =
        Screma { width: n.into(), inputs: vec![numbers], map, scans: Vec::new(), reds: Vec::new() };
    fun.body = Body {
        stms: vec![
            Stm::new(vec![numbers], iota),
            Stm::new(vec![mapped], Exp::Screma(Box::new(op))),
        ],
        results: vec![fun.params[0].var.into()],
    };
    check("a long body of an operator", &prog);
}

#[test]
fn many_functions() {
    // A chain of calls, each function called once; one in which each calls the one before twice, so that
    // inlining all would never end; and the same with arrays, which are inlined as long as the budget lasts.
    for (name, count, twice, arrays) in [
        ("calls", 2_000, false, false),
        ("two calls each", 10_000, true, false),
        ("two calls and an array each", 2_000, true, true),
    ] {
        let mut text = "prog arrays\nfun f0 (x: i64) -> (r: i64) = (x)\n".to_owned();
        for number in 1..count {
            let before = number - 1;
            let second = if twice { before } else { 0 };
            text.push_str(&format!(
                "fun f{number} (x: i64) -> (r: i64) =\n  let (y: i64) = call f{before} (x)\n  \
                 let (z: i64) = call f{second} (y)\n  let (w: i64) = add y z\n"
            ));
            if arrays {
                text.push_str("  let (is: [3]i64) = iota i64 3 0 1\n");
            }
            text.push_str("  in (w)\n");
        }
        let last = count - 1;
        text.push_str(&format!("entry \"main\" = f{last} (\"x\": i64) -> i64\n"));
        let prog = parse(&text).expect("it is a program");
        check(name, &prog);
    }
}
