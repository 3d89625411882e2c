//! Values of the device that the host waits for as late as it can.
//!
//! To fetch a value, the host waits until the device has done everything before. But a kernel that needs the value can load it itself, and
//! so can one that needs something computed of it; so the host first launches those:
//!
//! ```text
//! total = fetch sums[0]                        launch { m = sums[0] / n; .. m .. }
//! mean = total / n                    ==>      total = fetch sums[0]
//! launch { .. mean .. }                        mean = total / n
//! ```
//!
//! A value that only kernels need is not fetched at all.
//!
//! A value may wait if its memory has one handle in the function and is not written in between; so results of reductions may. Checks of the
//! host come after values that were fetched before them, so that it is the first of several failing checks that is reported.

use fehu_imp::rewrite::{Vars, replace_stms};
use fehu_imp::visit::{each_stm, free_vars, set_vars};
use fehu_imp::{Block, Exp, From, Fun, Kernel, Stm, V};
use rustc_hash::{FxHashMap, FxHashSet};

/// A kernel repeats at most so many statements.
const MOST: usize = 24;

/// Moves what waits for the device behind launches that need not wait.
pub(super) fn late(fun: &mut Fun) {
    let handles = private(&fun.body);
    let body = std::mem::take(&mut fun.body);
    let mut this = Late { fun, handles, moved: FxHashSet::default() };
    let mut body = this.block(body);
    let mut moved = std::mem::take(&mut this.moved);
    moved.retain(|v| !fun.results.contains(v));
    while !moved.is_empty() && remove_unused(&mut body, &moved) {}
    fun.body = body;
}

struct Late<'a> {
    fun: &'a mut Fun,
    /// The handles of pointers, if it is known where their memory is used.
    handles: FxHashMap<V, V>,
    /// What has been set after its turn.
    moved: FxHashSet<V>,
}

/// Statements that have been put off.
#[derive(Default)]
struct Waiting {
    stms: Block,
    /// What they set, what else they read, and the handles of the memory that they fetch from.
    sets: FxHashSet<V>,
    reads: FxHashSet<V>,
    handles: FxHashSet<V>,
    /// The others since the first of them; and all of them in order, unless something has been launched before its turn.
    early: Block,
    all: Block,
    ahead: bool,
}

impl Waiting {
    /// Whether a statement has to do with what has been put off.
    fn concerns(&self, stm: &Stm) -> bool {
        let mut found = false;
        each_stm(std::slice::from_ref(stm), &mut |stm| {
            stm.each_used(&mut |v| found |= self.sets.contains(&v));
            stm.each_set(&mut |v| found |= self.sets.contains(&v) || self.reads.contains(&v));
        });
        found
    }

    fn put_off(&mut self, stm: Stm) {
        each_stm(std::slice::from_ref(&stm), &mut |stm| {
            stm.each_used(&mut |v| self.reads.extend([v]));
            stm.each_set(&mut |v| self.sets.extend([v]));
        });
        self.stms.push(stm);
    }

    /// What kernels have to repeat to know variables.
    fn needed(&self, of: &[V]) -> Option<Block> {
        let mut needed: FxHashSet<V> =
            of.iter().copied().filter(|v| self.sets.contains(v)).collect();
        let mut block = Block::new();
        for stm in self.stms.iter().rev() {
            let mut sets = false;
            let part = std::slice::from_ref(stm);
            each_stm(part, &mut |stm| stm.each_set(&mut |v| sets |= needed.contains(&v)));
            if sets {
                needed.extend(free_vars(part).into_iter().filter(|v| self.sets.contains(v)));
                let load = |p: &V, at: &Exp| Exp::Load(*p, Box::new(at.clone()));
                block.push(if let Stm::Fetch(v, p, at) = stm {
                    Stm::Assign(*v, load(p, at))
                } else {
                    stm.clone()
                });
            }
        }
        let mut needed: Vec<V> = needed.into_iter().collect();
        needed.sort_unstable();
        block.extend(needed.into_iter().rev().map(|v| Stm::Declare(v, None)));
        block.reverse();
        (block.len() <= MOST).then_some(block)
    }
}

impl Late<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        let mut waiting = Waiting::default();
        for stm in block {
            let stm = self.inside(stm);
            if let Some(stm) = self.late(stm, &mut waiting) {
                self.flush(&mut waiting, &mut out);
                out.push(stm);
            }
        }
        self.flush(&mut waiting, &mut out);
        out
    }

    /// Ends the wait.
    fn flush(&mut self, waiting: &mut Waiting, out: &mut Block) {
        let Waiting { mut stms, mut early, mut all, sets, ahead, .. } = std::mem::take(waiting);
        if ahead {
            out.append(&mut early);
            out.append(&mut stms);
            self.moved.extend(sets);
        } else {
            out.append(&mut all);
        }
    }

    /// The blocks of a statement of the host.
    fn inside(&mut self, mut stm: Stm) -> Stm {
        if !matches!(stm, Stm::Launch(_)) {
            stm.each_block_mut(&mut |block| *block = self.block(std::mem::take(block)));
        }
        stm
    }

    /// Puts off a statement, or lets it pass those that are; returns it if neither is possible.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have to wait")]
    fn late(&mut self, stm: Stm, waiting: &mut Waiting) -> Option<Stm> {
        if let Stm::Fetch(_, p, Exp::Const(_)) = &stm
            && let Some(handle) = self.handles.get(p)
            && !waiting.concerns(&stm)
        {
            waiting.handles.insert(*handle);
            waiting.all.push(stm.clone());
            waiting.put_off(stm);
            return None;
        }
        if waiting.stms.is_empty() {
            return Some(stm);
        }
        let concerns = waiting.concerns(&stm);
        let original = stm.clone();
        match stm {
            Stm::Free(handle) if waiting.handles.contains(&handle) => waiting.put_off(stm),
            Stm::Declare(v, Some(e)) if concerns => {
                waiting.early.push(Stm::Declare(v, None));
                waiting.put_off(Stm::Assign(v, e));
            }
            Stm::Assign(..) if concerns => waiting.put_off(stm),
            Stm::If(..) if concerns && is_scalar(&stm) => waiting.put_off(stm),
            Stm::Launch(kernel) => {
                let Some(kernel) = self.knowing(*kernel, waiting) else { return Some(original) };
                waiting.early.push(Stm::Launch(Box::new(kernel)));
                waiting.ahead = true;
            }
            Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Alloc(..)
            | Stm::Point(..)
            | Stm::Tuning(..)
            | Stm::Blocks(_)
            | Stm::Free(_)
                if !concerns =>
            {
                waiting.early.push(stm);
            }
            Stm::If(..) if self.may_pass(&stm, waiting) => {
                waiting.ahead = true;
                waiting.early.push(stm);
            }
            _ => return Some(original),
        }
        waiting.all.push(original);
        None
    }

    /// A kernel that finds out what it has to know, if it can.
    fn knowing(&mut self, mut kernel: Kernel, waiting: &Waiting) -> Option<Kernel> {
        let body = std::mem::take(&mut kernel.body);
        let head = Stm::Launch(Box::new(kernel.clone()));
        if waiting.concerns(&head) || self.touches(&body, waiting) {
            return None;
        }
        let free = free_vars(&body);
        let needs = free.iter().any(|v| waiting.sets.contains(v));
        kernel.body = match needs {
            false => body,
            true => {
                let mut all = waiting.needed(&free)?;
                all.extend(body);
                Vars(&mut self.fun.vars).copy(&all)
            }
        };
        Some(kernel)
    }

    /// Whether a block uses memory that values are still to be fetched from.
    fn touches(&self, block: &[Stm], waiting: &Waiting) -> bool {
        let in_waiting = |v: &V| self.handles.get(v).is_some_and(|h| waiting.handles.contains(h));
        free_vars(block).iter().any(|v| in_waiting(v) || waiting.handles.contains(v))
    }

    /// Whether a branch that has nothing to do with what has been put off only launches kernels.
    fn may_pass(&self, stm: &Stm, waiting: &Waiting) -> bool {
        let part = std::slice::from_ref(stm);
        let mut fits = !waiting.concerns(stm) && !self.touches(part, waiting);
        let Stm::If(_, yes, no) = stm else { return false };
        for stm in yes.iter().chain(no) {
            fits &= matches!(
                stm,
                Stm::Launch(_)
                    | Stm::Declare(..)
                    | Stm::Assign(..)
                    | Stm::Alloc(..)
                    | Stm::Point(..)
                    | Stm::Free(_)
                    | Stm::Comment(_)
            );
        }
        fits
    }
}

/// Whether a branch only computes scalars.
fn is_scalar(stm: &Stm) -> bool {
    let mut fits = true;
    each_stm(std::slice::from_ref(stm), &mut |stm| {
        let load = |e: &Exp| e.any(&|e| matches!(e, Exp::Load(..)));
        fits &= matches!(stm, Stm::If(..) | Stm::Declare(..) | Stm::Assign(..) | Stm::Comment(_));
        stm.each_exp(&mut |e| fits &= !load(e));
    });
    fits
}

/// Removes statements that set some of these variables, and that nothing needs. Whether there were any.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are never put off")]
fn remove_unused(body: &mut Block, moved: &FxHashSet<V>) -> bool {
    let mut used = FxHashSet::default();
    each_stm(body, &mut |stm| stm.each_used(&mut |v| used.extend([v])));
    let idle = |v: &V| moved.contains(v) && !used.contains(v);
    let mut found = false;
    replace_stms(body, &mut |stm| {
        let unused = match stm {
            Stm::Fetch(v, ..) | Stm::Assign(v, _) | Stm::Declare(v, None) => idle(v),
            Stm::If(_, yes, no) => {
                is_scalar(stm) && set_vars(yes).iter().chain(&set_vars(no)).all(idle)
            }
            _ => false,
        };
        found |= unused && !matches!(stm, Stm::Declare(..));
        unused.then(Block::new)
    });
    found
}

/// The handles of pointers into blocks that have only this handle, which is set once.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others do something else with handles")]
fn private(body: &[Stm]) -> FxHashMap<V, V> {
    let mut allocated: FxHashMap<V, usize> = FxHashMap::default();
    let mut other: FxHashSet<V> = FxHashSet::default();
    let mut points: Vec<(V, From)> = Vec::new();
    each_stm(body, &mut |stm| match stm {
        Stm::Alloc(handle, ..) => *allocated.entry(*handle).or_default() += 1,
        Stm::Point(p, from, _) => points.push((*p, *from)),
        Stm::Free(_) | Stm::Declare(..) => {}
        stm => {
            stm.each_used(&mut |v| other.extend([v]));
            stm.each_set(&mut |v| other.extend([v]));
        }
    });
    let mut seen: FxHashSet<V> = FxHashSet::default();
    let mut handles: FxHashMap<V, V> = FxHashMap::default();
    for (p, from) in points {
        if !seen.insert(p) {
            handles.remove(&p);
            continue;
        }
        let handle = match from {
            From::Mem(handle) => Some(handle)
                .filter(|handle| allocated.get(handle) == Some(&1) && !other.contains(handle)),
            From::Ptr(q) => handles.get(&q).copied(),
            _ => None,
        };
        handles.extend(handle.map(|handle| (p, handle)));
    }
    handles
}
