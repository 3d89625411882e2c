//! Prefix sums of the same number.

use super::screma::{like, remove_results, take};
use super::{Rewrite, without};
use crate::simplify::cx::Cx;
use fehu_base::Prim;
use fehu_facts::operators::is_sum;
use fehu_ir::{Atom, BinOp, Body, Exp, Lambda, Screma, Stm, Type};

/// `scan (+) 0 (replicate n c)` is `map (\i -> (i + 1) * c) (iota n)` for integers, if `c` is in scope outside: no
/// element waits for the one before it
pub(super) fn screma_scan_of_invariant(cx: &mut Cx<'_>, stm: &mut Stm) -> Option<Rewrite> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let mut at = 0;
    let mut found = Vec::new();
    for (number, scan) in op.scans.iter().enumerate() {
        if let [neutral] = scan.neutral[..]
            && is_sum(&scan.op)
            && cx.is_integer(neutral)
        {
            let value = cx.resolve(op.map.body.results[at]);
            if cx.in_scope(value) {
                found.push((number, at, neutral, value));
            }
        }
        at += scan.neutral.len();
    }
    if found.is_empty() {
        return None;
    }
    let mut stms = Vec::new();
    for (_, at, neutral, value) in &found {
        let prim = cx.prim(*neutral)?;
        let places = cx.new_var("places", Type::array(Prim::I64.into(), vec![op.width]));
        stms.push(Stm::new(
            vec![places],
            Exp::Iota(Prim::I64, op.width, Atom::i64(0), Atom::i64(1)),
        ));
        let map = multiples(cx, prim, *neutral, *value);
        let (inputs, scans, reds) = (vec![places], Vec::new(), Vec::new());
        let map = Exp::Screma(Box::new(Screma { width: op.width, inputs, map, scans, reds }));
        stms.push(like(stm, stm.pat[*at], map));
    }
    let scans: Vec<usize> = found.iter().map(|(number, ..)| *number).collect();
    let results: Vec<usize> = found.iter().map(|(_, at, ..)| *at).collect();
    let mut rest = take(stm);
    if let Exp::Screma(op) = &mut rest.exp {
        without(&mut op.scans, &scans);
    }
    stms.push(remove_results(rest, &results));
    Some(Rewrite::Stms(stms))
}

/// The function that computes the sum up to a place.
fn multiples(cx: &mut Cx<'_>, prim: Prim, neutral: Atom, value: Atom) -> Lambda {
    let ty = Type::prim(prim);
    let place = cx.new_var("place", Type::I64);
    let [count, total, sum] = ["count", "total", "sum"].map(|hint| cx.new_var(hint, ty.clone()));
    let next = cx.new_var("next", Type::I64);
    let add = |a: Atom, b: Atom| Exp::BinOp(BinOp::Add, a, b);
    let stms = vec![
        Stm::new(vec![next], add(place.into(), Atom::i64(1))),
        Stm::new(vec![count], Exp::Convert(prim, next.into())),
        Stm::new(vec![total], Exp::BinOp(BinOp::Mul, count.into(), value)),
        Stm::new(vec![sum], add(neutral, total.into())),
    ];
    Lambda { params: vec![place], body: Body { stms, results: vec![sum.into()] }, ret: vec![ty] }
}
