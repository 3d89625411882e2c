//! `copies`: nests that transpose are executed in blocks.
//!
//! ```text
//! for a < n { for b < m { to[m*a + b] = from[n*b + a] } }
//! ```
//!
//! becomes
//!
//! ```text
//! for ab < n by 32 { for bb < m by 32 {
//!   for a from ab to min(ab + 32, n) { for b from bb to min(bb + 32, m) { to[m*a + b] = from[n*b + a] } }
//! } }
//! ```
//!
//! so that a cache line is fully used before it is evicted. The inner loop is the one with contiguous writes.
//!
//! Conditions: two independent loops, one directly inside the other, with bounds that do not depend on each other; a
//! body of declarations and stores; one access that has unit stride in one of the loops only, and one that has it in
//! the other only.

use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, bin, is_unit, replace_stms, sum};
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, V};
use fehu_ir::BinOp;

/// The side of a block: a quarter of the nearest cache, if the elements are large.
const SIDE: i64 = (CPU.near_bytes / (4 * 8)).isqrt() as i64;

/// Blocks the nests of a program.
pub fn copies(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let mut vars = Vars(&mut fun.vars);
        replace_stms(&mut fun.body, &mut |stm| blocked(&mut vars, stm).map(Vec::from));
    }
}

/// An independent loop without reductions: its variable, bounds and body.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn head(stm: &Stm) -> Option<(V, &Exp, &Exp, &Block)> {
    match stm {
        Stm::For { var, from, to, step: 1, kind, body } if kind.is_map() => {
            Some((*var, from, to, body))
        }
        _ => None,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn blocked(vars: &mut Vars<'_>, stm: &Stm) -> Option<[Stm; 3]> {
    let (a, a_from, a_to, outer) = head(stm)?;
    let [inner] = outer.as_slice() else { return None };
    let (b, b_from, b_to, body) = head(inner)?;
    if b_from.mentions(a) || b_to.mentions(a) {
        return None;
    }
    let (mut along_a, mut along_b, mut written_along_a) = (false, false, false);
    for stm in body {
        let mut note = |at: &Exp| {
            let (in_a, in_b) = (is_unit(at, a), is_unit(at, b));
            along_a |= in_a && at.mentions(b) && !in_b;
            along_b |= in_b && at.mentions(a) && !in_a;
            in_a && !in_b
        };
        match stm {
            Stm::Comment(_) | Stm::Declare(_, Some(_)) => {}
            Stm::Store(_, at, _) => written_along_a |= note(at),
            _ => return None,
        }
        stm.each_exp(&mut |e| {
            loads(e, &mut |at| {
                note(at);
            })
        });
    }
    if !along_a || !along_b {
        return None;
    }
    let blocks_of = |vars: &mut Vars<'_>, from: &Exp, to: &Exp| {
        let start = vars.scalar("block", Prim::I64);
        let (bound, end) = (vars.scalar("bound", Prim::I64), vars.scalar("end", Prim::I64));
        (start, bound, end, from.clone(), to.clone())
    };
    let (ab, a_bound, a_end, a_from, a_to) = blocks_of(vars, a_from, a_to);
    let (bb, b_bound, b_end, b_from, b_to) = blocks_of(vars, b_from, b_to);
    let within = |var, start, end, body| Stm::For {
        var,
        from: Exp::Var(start),
        to: Exp::Var(end),
        step: 1,
        kind: Kind::Independent(Vec::new()),
        body,
    };
    let element = body.clone();
    let tile = if written_along_a {
        within(b, bb, b_end, vec![within(a, ab, a_end, element)])
    } else {
        within(a, ab, a_end, vec![within(b, bb, b_end, element)])
    };
    let blocks = |start, bound, end, from, inner: Block| {
        let next = bin(BinOp::Min, sum(&[(1, start)], SIDE), Exp::Var(bound));
        let mut body = vec![Stm::Declare(end, Some(next))];
        body.extend(inner);
        Stm::For { var: start, from, to: Exp::Var(bound), step: SIDE, kind: Kind::Sequential, body }
    };
    let columns = blocks(bb, b_bound, b_end, b_from, vec![tile]);
    let rows = vec![Stm::Declare(b_bound, Some(b_to)), columns];
    let rows = blocks(ab, a_bound, a_end, a_from, rows);
    let comment = Stm::Comment("A block at a time, since one side is transposed.".into());
    Some([comment, Stm::Declare(a_bound, Some(a_to)), rows])
}

/// The indices of the loads of an expression.
fn loads<'a>(e: &'a Exp, visit: &mut dyn FnMut(&'a Exp)) {
    if let Exp::Load(_, at) = e {
        visit(at);
    }
    e.each_child(&mut |child| loads(child, visit));
}
