//! A stencil with checks, executed before and after.

use super::border;
use crate::testing::{Machine, Maker, each, load, only, program, var};
use fehu_imp::rewrite::bin;
use fehu_imp::{Exp, Fun, Message, Prim, Stm, V};
use fehu_ir::{BinOp, CmpOp};

struct Stencil {
    fun: Fun,
    n: V,
    s: V,
    o: V,
    low: V,
    high: V,
    fixed: V,
}

/// `o[x] = s[u] + s[v]` where `u` and `v` are clamped neighbours; checks that `u < n`, and something else.
fn stencil() -> Stencil {
    let mut vars = Maker::new();
    let [n, low, high, x] = ["n", "low", "high", "x"].map(|hint| vars.scalar(hint));
    let [s, o] = ["s", "o"].map(|hint| vars.ptr(hint));
    let [u, v, w] = ["u", "v", "w"].map(|hint| vars.scalar(hint));
    let [fixed, c, d] = ["fixed", "c", "d"].map(|hint| vars.truth(hint));
    let clamp = |e: Exp| bin(BinOp::Max, bin(BinOp::Min, e, var(high)), var(low));
    let check = |place: &str| Message { parts: Vec::new(), trace: vec![place.into()] };
    let cmp = |op, a, b| Exp::Cmp(op, Prim::I64, Box::new(a), Box::new(b));
    let body = vec![
        Stm::Declare(w, Some(bin(BinOp::Add, var(x), Exp::int(1)))),
        Stm::Declare(u, Some(clamp(var(w)))),
        Stm::Declare(c, Some(cmp(CmpOp::Lt, var(u), var(n)))),
        Stm::Assert(var(c), check("first")),
        Stm::Declare(v, Some(clamp(bin(BinOp::Sub, var(x), Exp::int(2))))),
        Stm::Declare(d, Some(cmp(CmpOp::Le, Exp::int(0), var(v)))),
        Stm::Assert(var(d), check("second")),
        Stm::Assert(var(fixed), check("third")),
        Stm::Store(o, var(x), bin(BinOp::Add, load(s, var(u)), load(s, var(v)))),
    ];
    Stencil { fun: vars.fun(vec![each(x, var(n), body)]), n, s, o, low, high, fixed }
}

#[test]
fn the_parts_do_what_the_whole_did() {
    let stencil = stencil();
    let mut split = program(stencil.fun.clone());
    border(&mut split);
    let split = only(&split);
    assert_ne!(*split, stencil.fun);
    let extremes = [i64::MIN, -3, -1, 0, 1, 5, 6, 7, i64::MAX];
    for n in [0, 1, 2, 3, 6, 20] {
        for low in extremes {
            for high in extremes.into_iter().chain([n - 1]) {
                for fixed in [0, 1] {
                    let run = |fun: &Fun| {
                        let mut machine = Machine::default()
                            .with(stencil.n, n)
                            .with(stencil.low, low)
                            .with(stencil.high, high)
                            .with(stencil.fixed, fixed)
                            .filled(stencil.s, 0..n)
                            .empty(stencil.o, n as usize);
                        let result = machine.run(fun);
                        let memory = result.is_ok().then(|| machine.memory[&stencil.o].clone());
                        (result, memory, machine.checks)
                    };
                    let (before, after) = (run(&stencil.fun), run(split));
                    let place = format!("{n} {low} {high} {fixed}");
                    assert_eq!((&before.0, &before.1), (&after.0, &after.1), "{place}");
                    assert!(after.2 <= before.2, "{place}");
                    if before.0.is_ok() && n == 20 && low == 0 && high == 19 {
                        // Two positions on the left and one on the right have three checks each.
                        assert_eq!(after.2, 9, "{place}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_has_no_ends_is_left_alone() {
    let mut vars = Maker::new();
    let [n, x] = ["n", "x"].map(|hint| vars.scalar(hint));
    let [s, o] = ["s", "o"].map(|hint| vars.ptr(hint));
    let body = vec![Stm::Store(o, var(x), load(s, var(x)))];
    let fun = vars.fun(vec![each(x, var(n), body)]);
    let mut same = program(fun.clone());
    border(&mut same);
    assert_eq!(*only(&same), fun);
}

/// `o[x] = s[x + d]`, where `d` is a number that the loop does not change, with a check; and a load at `x - e` without one.
#[test]
fn a_shift_that_is_known_before_the_loop_has_an_interior() {
    let mut vars = Maker::new();
    let [n, size, d, x, u] = ["n", "size", "d", "x", "u"].map(|hint| vars.scalar(hint));
    let [e, v] = ["e", "v"].map(|hint| vars.scalar(hint));
    let [s, o] = ["s", "o"].map(|hint| vars.ptr(hint));
    let c = vars.truth("c");
    let cmp = |op, a, b| Exp::Cmp(op, Prim::I64, Box::new(a), Box::new(b));
    let within =
        bin(BinOp::And, cmp(CmpOp::Le, Exp::int(0), var(u)), cmp(CmpOp::Lt, var(u), var(size)));
    let within = match within {
        Exp::Bin(op, _, a, b) => Exp::Bin(op, Prim::Bool, a, b),
        other => other,
    };
    let body = vec![
        Stm::Declare(v, Some(bin(BinOp::Add, var(x), var(e)))),
        Stm::Declare(u, Some(bin(BinOp::Add, var(x), var(d)))),
        Stm::Declare(c, Some(within)),
        Stm::Assert(var(c), Message { parts: Vec::new(), trace: vec!["bounds".into()] }),
        Stm::Store(o, var(x), bin(BinOp::Add, load(s, var(u)), var(v))),
    ];
    let fun = vars.fun(vec![each(x, var(n), body)]);
    let mut split = program(fun.clone());
    border(&mut split);
    let split = only(&split);
    for n_value in [0, 1, 7, 8] {
        for shift in [i64::MIN, -1, 0, 1, 12, 13, 1 << 50, i64::MAX] {
            let run = |fun: &Fun| {
                let machine = Machine::default().with(n, n_value).with(size, 20).with(d, shift);
                let mut machine = machine.with(e, -3).filled(s, 0..20).empty(o, 8);
                let result = machine.run(fun);
                let memory = result.is_ok().then(|| machine.memory[&o].clone());
                (result, memory, machine.checks)
            };
            let (before, after) = (run(&fun), run(split));
            assert_eq!((&before.0, &before.1), (&after.0, &after.1), "{n_value} {shift}");
            // All is interior where the shift is harmless; that `e` is negative does not matter.
            if before.0.is_ok() && shift >= 0 {
                assert_eq!(after.2, 0, "{n_value} {shift}");
            }
        }
    }
}
