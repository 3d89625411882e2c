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
use super::uniform;
use fehu_base::IdVec;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, rename, substitute, sum};
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
                self.waits |=
                    !is_unrolled(from, to, *step, body) && carried_floats(self.vars, body) > 0;
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

/// How many floats an iteration sets for the next one.
pub(super) fn carried_floats(vars: &IdVec<V, VarInfo>, body: &Block) -> usize {
    let (mut declared, mut carried) = (FxHashSet::default(), FxHashSet::default());
    let is_float = |v: V| matches!(vars[v].ty, Ty::Scalar(prim) if prim.is_float());
    visit::each_stm(body, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        });
        stm.each_set(&mut |v| {
            if is_float(v) && !declared.contains(&v) {
                carried.insert(v);
            }
        });
    });
    carried.len()
}

/// The body for so many iterations, of which `base` is the first. What is the same in all of them is done once. Loops
/// whose own iterations are independent follow each other: those are vectors.
///
/// A variable is shared if and only if every statement that sets it is emitted once.
pub(crate) fn body(
    vars: &mut IdVec<V, VarInfo>,
    var: V,
    base: V,
    count: i64,
    body: &Block,
) -> Block {
    let mut varying = uniform::varying(vars, body, [var], &FxHashSet::default());
    loop {
        let mut more = FxHashSet::default();
        set_by_each(body, &varying, &mut more);
        if more.is_subset(&varying) {
            break;
        }
        more.extend(&varying);
        varying = uniform::varying(vars, body, more, &FxHashSet::default());
    }
    let mut vars = Vars(vars);
    let mut out = Block::new();
    let mut copies = Vec::new();
    for k in 0..count {
        let own = vars.like(var);
        out.push(Stm::Declare(own, Some(sum(&[(1, base)], k))));
        copies.push(FxHashMap::from_iter([(var, own)]));
    }
    out.append(&mut Jam { vars: &mut vars, varying: &varying, copies }.block(body));
    out
}

/// The variables that are set by statements of which each iteration has its own.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are done for each")]
fn set_by_each(block: &[Stm], varying: &FxHashSet<V>, found: &mut FxHashSet<V>) {
    for stm in block {
        match stm {
            _ if is_same(varying, stm) => {}
            Stm::For { from, to, kind: Kind::Sequential, body, .. }
                if ![from, to].iter().any(|e| uniform::varies(varying, e)) =>
            {
                set_by_each(body, varying, found);
            }
            Stm::If(cond, yes, no) if !uniform::varies(varying, cond) => {
                set_by_each(yes, varying, found);
                set_by_each(no, varying, found);
            }
            _ => visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
                stm.each_set(&mut |v| _ = found.insert(v));
            }),
        }
    }
}

/// Whether a statement does the same in all iterations, and nothing that is seen outside of them.
fn is_same(varying: &FxHashSet<V>, stm: &Stm) -> bool {
    let mut same = true;
    visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
        same &= matches!(
            stm,
            Stm::Comment(_)
                | Stm::Declare(..)
                | Stm::Assign(..)
                | Stm::If(..)
                | Stm::Switch(..)
                | Stm::While(..)
                | Stm::For { .. }
        );
        stm.each_exp(&mut |e| same &= !uniform::varies(varying, e));
        stm.each_declared(&mut |v| same &= !varying.contains(&v));
        stm.each_set(&mut |v| same &= !varying.contains(&v));
    });
    same
}

/// Several iterations side by side.
struct Jam<'a, 'v> {
    vars: &'a mut Vars<'v>,
    /// What differs between them.
    varying: &'a FxHashSet<V>,
    /// What variables are in each of them.
    copies: Vec<FxHashMap<V, V>>,
}

impl Jam<'_, '_> {
    fn block(&mut self, block: &[Stm]) -> Block {
        let mut out = Block::new();
        block.iter().for_each(|stm| self.stm(stm, &mut out));
        out
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are done for each")]
    fn stm(&mut self, stm: &Stm, out: &mut Block) {
        match stm {
            _ if is_same(self.varying, stm) => {
                visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
                    stm.each_declared(&mut |v| self.declare_once(v));
                });
                out.extend(self.each(stm).into_iter().next());
            }
            Stm::For { var, from, to, step, kind: kind @ Kind::Sequential, body }
                if !self.varies(from) && !self.varies(to) =>
            {
                self.declare_once(*var);
                let (var, [from, to]) = (self.copies[0][var], [from, to].map(|e| self.first(e)));
                let (step, kind, body) = (*step, kind.clone(), self.block(body));
                out.push(Stm::For { var, from, to, step, kind, body });
            }
            Stm::If(cond, yes, no) if !self.varies(cond) => {
                let (yes, no) = (self.block(yes), self.block(no));
                out.push(Stm::If(self.first(cond), yes, no));
            }
            _ => {
                visit::each_stm(std::slice::from_ref(stm), &mut |stm| {
                    stm.each_declared(&mut |v| {
                        for copy in &mut self.copies {
                            copy.insert(v, self.vars.like(v));
                        }
                    });
                });
                out.extend(self.each(stm));
            }
        }
    }

    fn varies(&self, e: &Exp) -> bool {
        uniform::varies(self.varying, e)
    }

    /// A variable that all of them have together.
    fn declare_once(&mut self, v: V) {
        let own = self.vars.like(v);
        self.copies.iter_mut().for_each(|copy| _ = copy.insert(v, own));
    }

    /// An expression of the first of them.
    fn first(&self, e: &Exp) -> Exp {
        substitute(e, &|v| self.copies[0].get(&v).copied().map(Exp::Var))
    }

    /// A statement for each of them.
    fn each(&self, stm: &Stm) -> Block {
        let own =
            |copy: &FxHashMap<V, V>| rename(std::slice::from_ref(stm), &|v| copy.get(&v).copied());
        self.copies.iter().flat_map(own).collect()
    }
}
