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
//! so that a cache line is fully used before it is evicted. The inner loop is the one with contiguous writes. If that
//! has only a few iterations, it would take longer to begin it than to execute it: then the other one is the inner
//! loop, with longer blocks.
//!
//! Conditions: two independent loops, one directly inside the other, with bounds that do not depend on each other; a
//! body of declarations and stores; one access that has unit stride in one of the loops only, and one that has it in
//! the other only.

use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, bin, is_unit, replace_stms, sum};
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, V};
use fehu_ir::{BinOp, CmpOp};

/// The side of a block: a quarter of the nearest cache, if the elements are large.
const SIDE: i64 = (CPU.near_bytes / (4 * 8)).isqrt() as i64;

/// An inner loop has at least this many iterations.
const FEW: i64 = 8;

/// The length of a block of few rows: what is read and written fits into half of the nearest cache, if the elements are large.
const LENGTH: i64 = CPU.near_bytes as i64 / (4 * 8 * FEW);

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
fn blocked(vars: &mut Vars<'_>, stm: &Stm) -> Option<[Stm; 2]> {
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
    let [a, b] =
        [(a, a_from, a_to), (b, b_from, b_to)].map(|(var, from, to)| Side { var, from, to });
    let [slow, fast] = if written_along_a { [b, a] } else { [a, b] };
    let few = bin(BinOp::Sub, fast.to.clone(), fast.from.clone());
    let few = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(few), Box::new(Exp::int(FEW)));
    let long = in_blocks(vars, (&fast, FEW), (&slow, LENGTH), body);
    let square = in_blocks(vars, (&slow, SIDE), (&fast, SIDE), body);
    let comment = Stm::Comment("A block at a time, since one side is transposed.".into());
    Some([comment, Stm::If(few, long, square)])
}

/// A loop of a nest.
struct Side<'a> {
    var: V,
    from: &'a Exp,
    to: &'a Exp,
}

/// The nest in blocks with sides of these lengths, of which the second is the inner loop.
fn in_blocks(
    vars: &mut Vars<'_>,
    slow: (&Side<'_>, i64),
    fast: (&Side<'_>, i64),
    body: &Block,
) -> Block {
    let mut code = body.clone();
    let mut starts = Vec::new();
    for (side, _) in [fast, slow] {
        let [start, end] = ["block", "end"].map(|hint| vars.scalar(hint, Prim::I64));
        let (from, to, kind) = (Exp::Var(start), Exp::Var(end), Kind::Independent(Vec::new()));
        code = vec![Stm::For { var: side.var, from, to, step: 1, kind, body: code }];
        starts.push((start, end));
    }
    for ((side, length), (start, end)) in [fast, slow].into_iter().zip(starts) {
        let bound = vars.scalar("bound", Prim::I64);
        let next = bin(BinOp::Min, sum(&[(1, start)], length), Exp::Var(bound));
        code.insert(0, Stm::Declare(end, Some(next)));
        let (from, to, kind) = (side.from.clone(), Exp::Var(bound), Kind::Sequential);
        let blocks = Stm::For { var: start, from, to, step: length, kind, body: code };
        code = vec![Stm::Declare(bound, Some(side.to.clone())), blocks];
    }
    vars.copy(&code)
}

/// The indices of the loads of an expression.
fn loads<'a>(e: &'a Exp, visit: &mut dyn FnMut(&'a Exp)) {
    if let Exp::Load(_, at) = e {
        visit(at);
    }
    e.each_child(&mut |child| loads(child, visit));
}
