//! Loops that go from the end of something to its beginning, as return sweeps of derivatives do:
//!
//! ```text
//! last = n - 1
//! for j = 0 .. n { at = last - j; ... p[at] ... }      j is needed for nothing else
//! ```
//!
//! Where `n` differs between lanes, these do not begin together, but end together: then `at` is the same for all lanes
//! that are on, and what they read there are neighbours.
//!
//! ```text
//! top = the maximum of last over the lanes that are on
//! for k = -1 .. top { at = top - 1 - k; for each lane: if at <= last: ... }
//! ```

use super::control::Lanes;
use fehu_base::IdVec;
use fehu_imp::rewrite::{bin, le};
use fehu_imp::{Block, Exp, Kind, Prim, Stm, Ty, V, VarInfo, visit};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop whose counter is only subtracted from a number that is as far from the end of the counter everywhere.
#[derive(Clone, Copy)]
pub(super) struct Backward {
    /// The difference.
    pub(super) at: V,
    /// The number.
    last: V,
    /// The number less the end of the counter.
    shift: i64,
}

/// Such loops, by their counters.
pub(super) fn find(vars: &IdVec<V, VarInfo>, body: &Block) -> FxHashMap<V, Backward> {
    let mut found = FxHashMap::default();
    look(vars, body, &mut found);
    found
}

fn look(vars: &IdVec<V, VarInfo>, block: &Block, found: &mut FxHashMap<V, Backward>) {
    for (place, stm) in block.iter().enumerate() {
        stm.each_block(&mut |inner| look(vars, inner, found));
        let Stm::For { var, from, to: Exp::Var(end), step: 1, body, .. } = stm else { continue };
        if *from != Exp::int(0) || vars[*var].ty != Ty::Scalar(Prim::I64) {
            continue;
        }
        let differences = body.iter().filter_map(|stm| match difference(stm) {
            Some((at, last, counter)) if counter == *var => Some((at, last)),
            _ => None,
        });
        let differences: Vec<(V, V)> = differences.collect();
        let [(at, last)] = differences[..] else { continue };
        let mut sets_it = false;
        visit::each_stm(body, &mut |stm| {
            sets_it |= matches!(stm, Stm::Assign(v, _) if *v == at);
        });
        if uses(body, *var) != 1 || sets_it || visit::set_vars(body).contains(&last) {
            continue;
        }
        // Both are what they are in the loop from where the number is declared on.
        let is_last = |stm: &Stm| matches!(stm, Stm::Declare(v, Some(_)) if *v == last);
        let Some(before) = block[..place].iter().rposition(is_last) else { continue };
        let Stm::Declare(_, Some(e)) = &block[before] else { continue };
        let changed = visit::set_vars(&block[before + 1..place]);
        let same = !changed.contains(end) && !changed.contains(&last);
        if let Some(shift) = shift(e, *end).filter(|_| same) {
            found.insert(*var, Backward { at, last, shift });
        }
    }
}

/// `at = last - counter`
fn difference(stm: &Stm) -> Option<(V, V, V)> {
    let Stm::Declare(at, Some(Exp::Bin(BinOp::Sub, Prim::I64, last, counter))) = stm else {
        return None;
    };
    match (&**last, &**counter) {
        (Exp::Var(last), Exp::Var(counter)) => Some((*at, *last, *counter)),
        _ => None,
    }
}

/// What is added to the variable.
fn shift(e: &Exp, to: V) -> Option<i64> {
    let Exp::Bin(op, Prim::I64, a, b) = e else { return None };
    let (Exp::Var(v), Exp::Const(Scalar::I64(k))) = (&**a, &**b) else { return None };
    let shift = match op {
        BinOp::Add => Some(*k),
        BinOp::Sub => k.checked_neg(),
        BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow => None,
        BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor => None,
        BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => None,
    };
    shift.filter(|_| *v == to)
}

/// How often a variable is mentioned.
fn uses(body: &Block, v: V) -> usize {
    let mut count = 0;
    visit::each_stm(body, &mut |stm| stm.each_used(&mut |used| count += usize::from(used == v)));
    count
}

/// The variables that are the same for all lanes that are on, whatever they are computed from.
pub(super) fn shared(backward: &FxHashMap<V, Backward>) -> FxHashSet<V> {
    backward.values().map(|found| found.at).collect()
}

impl Lanes<'_> {
    /// All lanes end together; each begins where it has to.
    pub(super) fn backward_for(&mut self, backward: Backward, body: &Block) {
        let Backward { at, last, shift } = backward;
        let value = self.value(last);
        let top = self.most("top", Exp::int(shift), value);
        self.flush();
        let (counter, at_copy) = (self.new_var("k", Ty::Scalar(Prim::I64)), self.copy(at));
        let body = self.nested(|this| {
            let start = bin(BinOp::Add, top.clone(), Exp::int(shift));
            let here = bin(BinOp::Sub, start, Exp::Var(counter));
            this.out.push(Stm::Declare(at_copy, Some(here)));
            let last = this.value(last);
            let begun = le(Exp::Var(at_copy), last);
            this.where_it_holds(begun, |this| {
                for stm in body {
                    if !matches!(stm, Stm::Declare(v, _) if *v == at) {
                        this.stm(stm);
                    }
                }
            });
        });
        let (from, step, kind) = (Exp::int(shift), 1, Kind::Sequential);
        self.out.push(Stm::For { var: counter, from, to: top, step, kind, body });
    }
}
