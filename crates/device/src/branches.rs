//! Branches that yield scalars from kernels leave them on the device, if the host need not know them.
//!
//! Each branch stores its result in a cell, by a kernel of one thread, and whoever needs it after the branch loads it
//! from there. A nest that has several versions, one of which is chosen at run time, is such a branch if it ends in a
//! reduction.

use super::cells::{Cell, Left, declared, depending, fetched, store};
use super::defer;
use super::owners::Owners;
use fehu_base::IdVec;
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Stm, Ty, V, VarInfo};
use rustc_hash::FxHashSet;

/// A branch some of whose scalars stay on the device: those that are left of what it yields.
pub(super) fn branches(
    stm: &Stm,
    may_stay: &mut dyn FnMut(&mut Vec<V>),
    owners: &mut Owners,
    vars: &mut IdVec<V, VarInfo>,
) -> Option<Left> {
    let Stm::If(cond, yes, no) = stm else { return None };
    let mut found = Vec::new();
    for block in [yes, no] {
        let fetched = fetched(block);
        if fetched.is_empty() {
            continue;
        }
        let depending = depending(block, fetched);
        found.extend(results(block).into_iter().filter(|v| depending.contains(v)));
    }
    let (mut seen, others) = (FxHashSet::default(), [yes, no].map(results));
    found.retain(|v| {
        let both = others.iter().all(|results| results.contains(v));
        both && matches!(vars[*v].ty, Ty::Scalar(_)) && seen.insert(*v)
    });
    if !found.is_empty() {
        may_stay(&mut found);
    }
    if found.is_empty() {
        return None;
    }
    let cells: Vec<Cell> = found.into_iter().map(|v| Cell::of(v, owners, vars)).collect();
    let mut code = Block::new();
    cells.iter().for_each(|cell| cell.make(vars, &mut code));
    let mut left = |block: &Block| {
        let block = with_cells(block, &cells, vars);
        defer::block(block, owners, vars)
    };
    let (yes, no) = (left(yes), left(no));
    code.push(Stm::If(cond.clone(), yes, no));
    Some(Left { code, cells })
}

/// The variables that a branch assigns to once, directly, and does not need afterwards.
fn results(block: &Block) -> Vec<V> {
    let declared = declared(block);
    let mut results = Vec::new();
    for (at, stm) in block.iter().enumerate() {
        let Stm::Assign(v, _) = stm else { continue };
        let mut others = set_vars(&block[..at]).contains(v);
        each_stm(&block[at + 1..], &mut |stm| {
            stm.each_used(&mut |u| others |= u == *v);
            stm.each_set(&mut |u| others |= u == *v);
        });
        if !others && !declared.contains(v) {
            results.push(*v);
        }
    }
    results
}

/// A branch with a kernel instead of assignments.
fn with_cells(block: &Block, cells: &[Cell], vars: &mut IdVec<V, VarInfo>) -> Block {
    let mut out = Block::new();
    let mut values: Vec<(&Cell, Exp)> = Vec::new();
    for stm in block {
        let cell = cells.iter().find(|cell| matches!(stm, Stm::Assign(v, _) if *v == cell.var));
        match (cell, stm) {
            (Some(cell), Stm::Assign(_, e)) => {
                values.push((cell, e.clone()));
                if values.len() == cells.len() {
                    out.push(store("result", std::mem::take(&mut values), vars));
                }
            }
            _ => out.push(stm.clone()),
        }
    }
    out
}
