//! Counters of `while` loops:
//!
//! ```text
//! i = 0
//! while go { ... p[i] ... next = i + 1; ... i = next }
//! ==>
//! i = 0; round = -1
//! while go { round = round + 1; ... p[round] ... next = round + 1; ... i = next }
//! ```
//!
//! Lanes begin such a loop together and leave it at different times, so that the counter varies, but in each round it
//! is the same for all lanes that are on: what these access there are neighbours. Such a variable is shared.

use fehu_base::IdVec;
use fehu_imp::rewrite::{bin, change_exps, substitute};
use fehu_imp::{Block, Exp, Prim, Stm, Ty, V, VarInfo, visit};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::FxHashSet;

/// Gives loops their rounds, and returns these.
pub(super) fn find(vars: &mut IdVec<V, VarInfo>, body: &mut Block) -> FxHashSet<V> {
    let mut found = FxHashSet::default();
    look(vars, body, &mut found);
    found
}

fn look(vars: &mut IdVec<V, VarInfo>, block: &mut Block, found: &mut FxHashSet<V>) {
    let mut out = Block::with_capacity(block.len());
    for mut stm in std::mem::take(block) {
        stm.each_block_mut(&mut |inner| look(vars, inner, found));
        if let Stm::While(_, body) = &mut stm
            && let Some((counter, start)) = counter(vars, &out, body)
        {
            let round = vars.push(VarInfo { hint: "round".into(), ty: Ty::Scalar(Prim::I64) });
            found.insert(round);
            out.push(Stm::Declare(round, Some(Exp::int(start.wrapping_sub(1)))));
            let named = |v: V| (v == counter).then_some(Exp::Var(round));
            let rest = change_exps(body, &|e| substitute(e, &named));
            *body = vec![Stm::Assign(round, bin(BinOp::Add, Exp::Var(round), Exp::int(1)))];
            body.extend(rest);
        }
        out.push(stm);
    }
    *block = out;
}

/// A variable that is a constant before a loop, is one more in each round, at the end of it, and is needed in between
/// for more than that.
fn counter(vars: &IdVec<V, VarInfo>, before: &[Stm], body: &Block) -> Option<(V, i64)> {
    let mut sets = Vec::new();
    visit::each_stm(body, &mut |stm| stm.each_set(&mut |v| sets.push(v)));
    body.iter().enumerate().find_map(|(place, stm)| {
        let Stm::Assign(v, Exp::Var(next)) = stm else { return None };
        let start = before.iter().rposition(|stm| sets_it(stm, *v))?;
        let Stm::Declare(_, Some(Exp::Const(Scalar::I64(first)))) = &before[start] else {
            return None;
        };
        let once = |v: V| sets.iter().filter(|set| **set == v).count() == 1;
        let is_next =
            |stm: &Stm| matches!(stm, Stm::Declare(n, Some(e)) if n == next && is_more(e, *v));
        let fits = vars[*v].ty == Ty::Scalar(Prim::I64)
            && once(*v)
            && !sets.contains(next)
            && body[..place].iter().any(is_next)
            && uses(&body[place..], *v) == 0
            && uses(&body[..place], *v) > 1;
        fits.then_some((*v, *first))
    })
}

fn sets_it(stm: &Stm, v: V) -> bool {
    let mut found = false;
    visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
        let mut note = |set: V| found |= set == v;
        stm.each_set(&mut note);
        stm.each_declared(&mut note);
    });
    found
}

fn is_more(e: &Exp, v: V) -> bool {
    *e == bin(BinOp::Add, Exp::Var(v), Exp::int(1))
}

/// How often a variable is mentioned.
fn uses(body: &[Stm], v: V) -> usize {
    let mut count = 0;
    visit::each_stm(body, &mut |stm| stm.each_used(&mut |used| count += usize::from(used == v)));
    count
}
