//! Calls in loops that the device could decide about.
//!
//! A function of the host waits for the scalars that it returns, so a loop that hands them on, or whose condition they
//! are, waits in each iteration. If the function is part of the loop, its scalars can stay on the device (`ahead`):
//!
//! ```text
//! while go {                             while go {
//!   (ys, e) = step(xs)            ==>      ... kernels of step ...  e = p[0]
//!   go = limit < e                         go = limit < e
//! }                                      }
//! ```
//!
//! Functions that are still called after the passes before were not meant to be copied, or are large. So a copy is made
//! of the function that has such loops, and it is kept only if the host waits in fewer of them. Recursive functions
//! stay calls, and so does what would make a loop too large.

use super::calls::copy_of;
use super::cells::each_of_host;
use fehu_base::IdVec;
use fehu_imp::cost::count;
use fehu_imp::rewrite::replace_stms;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Fun, FunId, Program, Stm, Ty, V, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// All that becomes part of a loop has at most this many statements together.
const MOST: usize = 2000;

/// The function with what its loops call as part of these loops, if there is anything.
pub(super) fn inlined(program: &Program, id: FunId) -> Option<Fun> {
    let mut fun = program.funs[id].clone();
    let mut inline = Inline { program, vars: std::mem::take(&mut fun.vars), changed: false };
    inline.loops(&mut fun.body);
    fun.vars = inline.vars;
    inline.changed.then_some(fun)
}

/// The functions in which the host waits for an element.
pub(super) fn waiting(program: &Program) -> FxHashSet<FunId> {
    let mut waiting = FxHashSet::default();
    loop {
        let before = waiting.len();
        for (id, fun) in program.funs.iter() {
            if waits(&fun.body, &waiting) {
                waiting.insert(id);
            }
        }
        if waiting.len() == before {
            return waiting;
        }
    }
}

/// In how many loops of a function the host waits for an element.
pub(super) fn waiting_loops(fun: &Fun, waiting: &FxHashSet<FunId>) -> usize {
    let mut count = 0;
    each_of_host(&fun.body, &mut |stm| {
        if let Stm::For { body, .. } | Stm::While(_, body) = stm {
            count += usize::from(waits(body, waiting));
        }
    });
    count
}

fn waits(block: &[Stm], waiting: &FxHashSet<FunId>) -> bool {
    let mut found = false;
    each_of_host(block, &mut |stm| {
        found |= matches!(stm, Stm::Fetch(..))
            || matches!(stm, Stm::Call(callee, ..) if waiting.contains(callee));
    });
    found
}

struct Inline<'a> {
    program: &'a Program,
    vars: IdVec<V, VarInfo>,
    changed: bool,
}

impl Inline<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are looked into")]
    fn loops(&mut self, block: &mut Block) {
        for stm in block {
            match stm {
                Stm::Launch(_) => {}
                Stm::For { body, .. } | Stm::While(_, body)
                    if self.size(body).is_some_and(|size| size > 0) =>
                {
                    *body = self.without_calls(body);
                    declare_late(body);
                    self.changed = true;
                }
                other => other.each_block_mut(&mut |block| self.loops(block)),
            }
        }
    }

    /// How many statements the functions have that a block calls, if they can all become part of it.
    fn size(&self, block: &[Stm]) -> Option<usize> {
        let (mut sum, mut waiting) = (0usize, vec![(block, 0)]);
        while let Some((block, depth)) = waiting.pop() {
            // More functions than there are call each other.
            if depth > self.program.funs.len() || sum > MOST {
                return None;
            }
            for callee in called(self.program, block) {
                let body = &self.program.funs[callee].body;
                sum += count(body).max(1);
                waiting.push((body, depth + 1));
            }
        }
        Some(sum)
    }

    fn without_calls(&mut self, block: &Block) -> Block {
        let (program, vars) = (self.program, &mut self.vars);
        let mut block = block.clone();
        while !called(program, &block).is_empty() {
            replace_stms(&mut block, &mut |stm| {
                let Stm::Call(callee, results, args) = stm else { return None };
                if program.inside.contains(callee) {
                    return None;
                }
                let mut body = copy_of(&program.funs[*callee], results, args, vars);
                // What the function holds, it holds until it returns.
                let mut held = Vec::new();
                each_of_host(&body, &mut |stm| stm.each_declared(&mut |v| held.push(v)));
                body.extend(held.into_iter().filter(|v| vars[*v].ty == Ty::Mem).map(Stm::Free));
                Some(body)
            });
        }
        block
    }
}

/// The functions of the host that a block calls, as often as it does.
fn called(program: &Program, block: &[Stm]) -> Vec<FunId> {
    let mut called = Vec::new();
    each_stm(block, &mut |stm| {
        if let Stm::Call(callee, ..) = stm
            && !program.inside.contains(callee)
        {
            called.push(*callee);
        }
    });
    called
}

/// Scalars are declared where they get their value, if that is the only one: what has one value can be kept on the device.
#[expect(clippy::wildcard_enum_match_arm, reason = "only assignments matter")]
fn declare_late(block: &mut Block) {
    let mut sets: FxHashMap<V, usize> = FxHashMap::default();
    each_stm(block, &mut |stm| stm.each_set(&mut |v| *sets.entry(v).or_default() += 1));
    let mut early: FxHashSet<V> = FxHashSet::default();
    for stm in block.iter() {
        if let Stm::Declare(v, None) = stm {
            early.insert(*v);
        }
    }
    // Assigned in this block, and not in one inside of it.
    let assigned = block.iter().filter_map(|stm| match stm {
        Stm::Assign(v, _) if early.contains(v) && sets.get(v) == Some(&1) => Some(*v),
        _ => None,
    });
    let late: FxHashSet<V> = assigned.collect();
    block.retain(|stm| !matches!(stm, Stm::Declare(v, None) if late.contains(v)));
    for stm in block {
        match stm {
            Stm::Assign(v, e) if late.contains(v) => *stm = Stm::Declare(*v, Some(e.clone())),
            Stm::Launch(_) => {}
            other => other.each_block_mut(&mut declare_late),
        }
    }
}
