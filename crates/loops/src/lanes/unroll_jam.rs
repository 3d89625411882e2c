//! Executes a few iterations side by side, where each is a chain of dependent operations.
//!
//! A polynomial for each row of its coefficients,
//!
//! ```text
//! for i { y = 0; for j { y = y * x + a[i, j] }; b[i] = y }
//! ```
//!
//! is a chain of operations, each of which waits for the one before it; in lanes, it would access elements that are far
//! apart. Four rows at a time keep four operations in flight, and each row is still read from beginning to end:
//!
//! ```text
//! for i, 4 at a time {
//!   y0 = 0; y1 = 0; ...
//!   for j { y0 = y0 * x + a[i, j]; y1 = y1 * x + a[i + 1, j]; ... }
//!   b[i] = y0; b[i + 1] = y1; ...
//! }
//! ```
//!
//! Conditions: there are no reductions; inner loops have the same bounds in all iterations, and are not inside
//! branches; one of them is long, sequential, and carries a float (integers have less latency, and C compilers
//! recognise sums of them); each does so little work that there are enough registers for all; and no inner loop stores
//! anything: such loops are limited by memory, and writing several rows at the same time takes a third longer.

use super::rule::{is_unrolled, sets_only_its_own};
use fehu_base::IdVec;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, rename, sum};
use fehu_imp::{Block, Exp, Kind, Prim, RedOp, Stm, Ty, V, VarInfo, visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many.
pub(super) const WIDTH: i64 = CPU.chains as i64;
/// The most that an iteration of all inner loops together costs.
const MOST: usize = 32;

/// Whether to execute iterations of a loop side by side.
pub(super) fn fits(
    vars: &IdVec<V, VarInfo>,
    var: V,
    reductions: &[(V, RedOp)],
    body: &Block,
) -> bool {
    let mut look = Look { vars, own: FxHashSet::from_iter([var]), waits: false, cost: 0 };
    reductions.is_empty()
        && vars[var].ty == Ty::Scalar(Prim::I64)
        && sets_only_its_own(body, reductions)
        && look.block(body, false)
        && look.waits
        && look.cost <= MOST
}

struct Look<'a> {
    vars: &'a IdVec<V, VarInfo>,
    /// What differs between the iterations.
    own: FxHashSet<V>,
    waits: bool,
    cost: usize,
}

impl Look<'_> {
    fn block(&mut self, block: &[Stm], in_loop: bool) -> bool {
        block.iter().all(|stm| self.stm(stm, in_loop))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements do not fit")]
    fn stm(&mut self, stm: &Stm, in_loop: bool) -> bool {
        if in_loop {
            stm.each_exp(&mut |e| self.cost += 1 + e.cycles());
        }
        match stm {
            Stm::Comment(_) | Stm::Assign(..) => true,
            Stm::Store(..) => !in_loop,
            Stm::Declare(v, _) => {
                self.own.insert(*v);
                matches!(self.vars[*v].ty, Ty::Scalar(_))
            }
            Stm::If(_, yes, no) => [yes, no]
                .into_iter()
                .flatten()
                .all(|stm| !matches!(stm, Stm::For { .. }) && self.stm(stm, in_loop)),
            Stm::For { from, to, step, kind: Kind::Sequential, body, .. } => {
                self.waits |= !is_unrolled(from, to, *step, body) && carries_float(self.vars, body);
                self.is_same(from) && self.is_same(to) && self.block(body, true)
            }
            _ => false,
        }
    }

    fn is_same(&self, bound: &Exp) -> bool {
        let mut same = !bound.any(&|e| matches!(e, Exp::Load(..)));
        bound.each_var(&mut |v| same &= !self.own.contains(&v));
        same
    }
}

/// Whether an iteration sets a float for the next one.
fn carries_float(vars: &IdVec<V, VarInfo>, body: &Block) -> bool {
    let (mut declared, mut found) = (FxHashSet::default(), false);
    let is_float = |v: V| matches!(vars[v].ty, Ty::Scalar(prim) if prim.is_float());
    visit::each_stm(body, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        });
        stm.each_set(&mut |v| found |= is_float(v) && !declared.contains(&v));
    });
    found
}

/// The body for as many iterations, of which `base` is the first.
#[expect(clippy::wildcard_enum_match_arm, reason = "loops are all that is special")]
pub(super) fn body(vars: &mut IdVec<V, VarInfo>, var: V, base: V, body: &Block) -> Block {
    let mut vars = Vars(vars);
    let mut counters = FxHashMap::default();
    let mut declared = vec![var];
    visit::each_stm(body, &mut |stm| match stm {
        Stm::For { var, .. } => {
            counters.insert(*var, vars.like(*var));
        }
        stm => stm.each_declared(&mut |v| declared.push(v)),
    });
    let copies: Vec<FxHashMap<V, V>> = (0..WIDTH)
        .map(|_| {
            let own = declared.iter().map(|v| (*v, vars.like(*v)));
            own.chain(counters.iter().map(|(v, new)| (*v, *new))).collect()
        })
        .collect();
    let number =
        |(k, copy): (i64, &FxHashMap<V, V>)| Stm::Declare(copy[&var], Some(sum(&[(1, base)], k)));
    let mut out: Block = (0..).zip(&copies).map(number).collect();
    unroll_jam(&copies, body, &mut out);
    out
}

fn unroll_jam(copies: &[FxHashMap<V, V>], block: &[Stm], out: &mut Block) {
    for stm in block {
        let each =
            |copy: &FxHashMap<V, V>| rename(std::slice::from_ref(stm), &|v| copy.get(&v).copied());
        let mut stms = copies.iter().flat_map(each);
        match (stm, stms.next()) {
            (Stm::For { body, .. }, Some(Stm::For { var, from, to, step, kind, .. })) => {
                let mut together = Block::new();
                unroll_jam(copies, body, &mut together);
                out.push(Stm::For { var, from, to, step, kind, body: together });
            }
            (_, first) => {
                out.extend(first);
                out.extend(stms);
            }
        }
    }
}
