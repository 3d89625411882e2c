//! Simplification: small local rules, applied up to a fixed point, and the removal of dead code.
//!
//! ```text
//! let (a: i64) = add n 0                      let (ys: [n]i32) = replicate (n) 7i32
//! let (b: i64) = mul a 1            ==>       in (ys)
//! let (c: bool) = lt 1 2
//! let (ys: [b]i32) = if c
//!   then { let (zs: [b]i32) = replicate (b) 7i32 in (zs) }
//!   else { ... }
//! in (ys)
//! ```
//!
//! A *forward sweep* (`sweep`) goes through every body in order. It replaces variables by what they are known to
//! be, tries the rules for the operation at hand (`rules`), and enters nested bodies. A *backward sweep*
//! (`dead`) then removes statements, results, parameters and inputs that nothing depends on. Both are repeated until
//! nothing changes, but only a few times: what is left is for the next run.
//!
//! Everything is linear: substitution happens along the way, a rule looks at a bounded number of statements, and
//! the rules that fire are counted against a budget that is proportional to the size of the function.
//!
//! Beyond the guarantees that all passes give (see the documentation of the crate), nothing is assumed here.

mod cx;
mod dead;
mod known;
mod maps;
mod rules;
mod sweep;
mod unused;

use cx::Cx;
use fehu_base::IdVec;
use fehu_facts::{Effects, Share, Uses};
use fehu_ir::builder::count_stms;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Body, Item, Prog, Var, VarInfo};
use std::collections::BTreeSet;

/// Simplifies all functions and constants.
pub const SIMPLIFY: Pass = Pass {
    name: "simplify",
    about: "folds constants, applies local rewrite rules, and removes dead code",
    run,
};

/// How many pairs of sweeps a function gets.
const MAX_SWEEPS: usize = 8;
/// How many rules may fire for each statement.
const FIRINGS_PER_STM: usize = 20;

/// The names of rules that were applied, if somebody wants to know.
type Applied = Option<BTreeSet<&'static str>>;

/// Simplifies a program, and says which rules were applied: tests want every rule to have a program of its own.
pub fn simplify_and_tell(prog: &mut Prog) -> BTreeSet<&'static str> {
    let mut applied = Some(BTreeSet::new());
    sweeps(prog, &mut applied);
    applied.unwrap_or_default()
}

fn run(prog: &mut Prog, _: &mut Remarks) {
    sweeps(prog, &mut None);
}

fn sweeps(prog: &mut Prog, applied: &mut Applied) {
    let effects = Effects::of(prog);
    // Constants come before those that refer to them.
    let mut known = IdVec::new();
    for item in prog.items() {
        prog.change(item, |prog, vars, body| {
            known::replace(&known, body, vars);
            simplify(prog, &effects, &prog.params(item), body, vars, applied);
        });
        if let Item::Const(id) = item {
            known.push(known::leave(&mut prog.consts[id]));
        }
    }
    unused::remove(prog, &effects);
}

fn simplify(
    prog: &Prog,
    effects: &Effects,
    params: &[Var],
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    applied: &mut Applied,
) {
    let mut budget = 100 + FIRINGS_PER_STM * count_stms(body);
    for _ in 0..MAX_SWEEPS {
        let share = Share::of(prog, body, vars);
        let uses = Uses::of(body, vars);
        let mut cx = Cx::new(std::mem::take(vars), effects, share, uses, budget);
        cx.applied = applied.take();
        cx.whole(params, body);
        *applied = cx.applied.take();
        let changed = cx.changed();
        budget = cx.budget();
        *vars = cx.into_vars();
        let removed = dead::remove(body, vars, effects);
        if !changed && !removed {
            break;
        }
    }
}
