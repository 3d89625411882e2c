//! Barriers are where all threads of a block come.
//!
//! A value is *uniform* if all threads of a block that have it have the same: numbers of blocks, constants, what comes from
//! the host, and what is computed of these. It *varies* if it depends on the number of the thread, on what only some
//! threads have done, or on what other threads do at the same time. Two rules are worth knowing:
//!
//! * a load from shared or global memory at a uniform address is uniform: whoever else writes there does so before a
//!   barrier or after one, otherwise there is a race, and races are looked for by running the kernel;
//! * a local array varies as a whole.
//!
//! Code is under *varying control* if a condition or the number of iterations around it varies, or if some threads may have
//! left before: by a check that fails, or [`Stm::Leave`]. The end of a section gathers them again. No barrier may be there.
//!
//! The barrier of a warp is the same for the threads of a warp: in [`Stm::Warp`], control varies only by what is inside.
//! So are shuffles. What one lane has is uniform where the block is one warp.
//!
//! Whoever makes kernels asks the same question beforehand ([`varying`]).

use crate::device::DEVICE;
use crate::{Block, Exp, From, Fun, Kernel, Lane, Out, Space, Stm, Ty, V, VarInfo};
use fehu_base::IdVec;
use rustc_hash::FxHashSet;

/// The barriers that not all threads reach, and why.
pub(super) fn check<'a>(fun: &'a Fun, kernel: &'a Kernel) -> Vec<(&'a Stm, String)> {
    let mut found = Vec::new();
    for team in [Team::Block, Team::Warp] {
        let mut flow = Flow::new(&fun.vars, kernel.by_block, kernel.threads, team);
        flow.follow(&kernel.body, &[kernel.thread]);
        flow.found = Some(Vec::new());
        flow.block(&kernel.body, false);
        found.extend(flow.found.unwrap_or_default());
    }
    found
}

/// The variables that vary in code for one thread of a block, where these do.
pub fn varying(vars: &IdVec<V, VarInfo>, code: &Block, from: &[V]) -> FxHashSet<V> {
    let mut flow = Flow::new(vars, false, DEVICE.threads, Team::Block);
    flow.follow(code, from);
    flow.varying
}

/// The threads that are to be in step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Team {
    Block,
    /// Those that execute the same [`Stm::Warp`].
    Warp,
}

struct Flow<'a> {
    vars: &'a IdVec<V, VarInfo>,
    /// What the kernel says about its blocks.
    by_block: bool,
    threads: u32,
    team: Team,
    /// The variables that vary; local arrays, and pointers into them, by what they contain.
    varying: FxHashSet<V>,
    changed: bool,
    /// What is wrong, in the last round.
    found: Option<Vec<(&'a Stm, String)>>,
    in_warp: bool,
    in_section: bool,
}

impl<'a> Flow<'a> {
    fn new(vars: &'a IdVec<V, VarInfo>, by_block: bool, threads: u32, team: Team) -> Flow<'a> {
        Flow {
            vars,
            by_block,
            threads,
            team,
            varying: FxHashSet::default(),
            changed: true,
            found: None,
            in_warp: false,
            in_section: false,
        }
    }

    /// Finds all variables that vary because these do.
    fn follow(&mut self, code: &'a Block, from: &[V]) {
        self.varying.extend(from);
        while std::mem::take(&mut self.changed) {
            self.block(code, false);
        }
    }

    fn mark(&mut self, v: V, varies: bool) {
        if varies && self.varying.insert(v) {
            self.changed = true;
        }
    }

    fn is_own(&self, v: V) -> bool {
        self.vars[v].ty.space() == Some(Space::Own)
    }

    fn varies(&self, e: &Exp) -> bool {
        let mut found = false;
        e.each_var(&mut |v| found |= self.varying.contains(&v));
        found
    }

    /// Executes a block, under control that varies or not; whether some threads may leave it before its end while
    /// others do not.
    fn block(&mut self, block: &'a Block, control: bool) -> bool {
        let mut left = false;
        for stm in block {
            left |= self.stm(stm, control || left);
        }
        left
    }

    fn repeated(&mut self, body: &'a Block, control: bool) -> bool {
        // Whoever leaves an iteration is missing in the next ones.
        let left = self.block(body, control);
        if left && !control {
            self.block(body, true);
        }
        left
    }

    fn stm(&mut self, stm: &'a Stm, control: bool) -> bool {
        match stm {
            Stm::Declare(v, Some(e)) => {
                let varies = self.varies(e);
                self.mark(*v, varies);
            }
            Stm::Assign(v, e) => {
                let varies = control || self.varies(e);
                self.mark(*v, varies);
            }
            Stm::Store(p, at, e) | Stm::Atomic(_, p, at, e) => {
                let varies = control || self.varies(at) || self.varies(e);
                self.mark(*p, varies && self.is_own(*p));
            }
            Stm::Copy { to, from, count } => {
                let varies = control
                    || self.varying.contains(&from.0)
                    || [&to.1, &from.1, count].into_iter().any(|e| self.varies(e));
                self.mark(to.0, varies && self.is_own(to.0));
            }
            Stm::Point(p, From::Ptr(q), at) => {
                let varies = control || self.varies(at) || self.varying.contains(q);
                self.mark(*p, varies);
                // A pointer into a local array and the array have the same elements.
                let varies = self.varying.contains(p) && self.is_own(*q);
                self.mark(*q, varies);
            }
            Stm::Point(p, From::Mem(mem), at) => {
                let varies = control || self.varies(at) || self.varying.contains(mem);
                self.mark(*p, varies);
            }
            Stm::Point(p, From::Shared, at) => {
                let varies = control || self.varies(at);
                self.mark(*p, varies);
            }
            Stm::Poll(v, ..) | Stm::Count(v, ..) => self.mark(*v, true),
            Stm::Alloc(v, _, count) => {
                // A block of memory that all threads allocate together is one.
                let alone = !self.by_block || self.in_section;
                let varies = control || alone || self.varies(count);
                self.mark(*v, varies);
                return varies;
            }
            Stm::Share(to, from) => {
                let varies = control || self.varying.contains(from);
                self.mark(*to, varies);
            }
            Stm::Export { to, block, ptr, index } => {
                let known = block.iter().chain([ptr]).any(|v| self.varying.contains(v));
                let varies = control || known || self.varies(index);
                self.mark(*to, varies);
            }
            // A function computes the same from the same, or fails wherever it is called. The arrays that it makes
            // are not the same for all.
            Stm::Call(_, results, _) => {
                let mut varies =
                    control || !results.iter().all(|v| matches!(self.vars[*v].ty, Ty::Scalar(_)));
                stm.each_used(&mut |v| varies |= self.varying.contains(&v));
                results.iter().for_each(|v| self.mark(*v, varies));
                return varies;
            }
            // It computes the same from the same.
            Stm::Foreign(call) => {
                let mut varies = control;
                stm.each_exp(&mut |e| varies |= self.varies(e));
                stm.each_used(&mut |v| varies |= self.varying.contains(&v));
                call.status.iter().for_each(|v| self.mark(*v, varies));
                for out in &call.results {
                    match out {
                        Out::Scalar(v) => self.mark(*v, varies),
                        Out::Elements(v) => self.mark(*v, varies && self.is_own(*v)),
                    }
                }
            }
            Stm::Const(_, results) => results.iter().for_each(|(_, v)| self.mark(*v, control)),
            Stm::Tuning(v, _, e) => {
                let varies = control || self.varies(e);
                self.mark(*v, varies);
            }
            Stm::Prefixes(_, array, sum) => {
                let varies = control || self.varying.contains(array) || self.varying.contains(sum);
                self.mark(*array, varies);
                self.mark(*sum, varies);
            }
            Stm::If(cond, yes, no) => {
                let control = control || self.varies(cond);
                let yes = self.block(yes, control);
                return self.block(no, control) | yes;
            }
            Stm::Switch(on, cases, default) => {
                let control = control || self.varies(on);
                let mut left = self.block(default, control);
                for (_, body) in cases {
                    left |= self.block(body, control);
                }
                return left;
            }
            Stm::For { var, from, to, body, .. } => {
                let varies = self.varies(from);
                self.mark(*var, varies);
                let control = control || varies || self.varies(to);
                return self.repeated(body, control);
            }
            Stm::While(cond, body) => {
                let control = control || self.varies(cond);
                return self.repeated(body, control);
            }
            Stm::Exchange { old, body, .. } => {
                self.mark(*old, true);
                return self.block(body, true);
            }
            Stm::Locked(_, body) | Stm::Guarded(_, _, body) => return self.block(body, true),
            Stm::Warp(body) => {
                let outer = std::mem::replace(&mut self.in_warp, true);
                let left = self.block(body, control || self.team == Team::Block);
                self.in_warp = outer;
                return left;
            }
            Stm::Section(body) => {
                let outer = std::mem::replace(&mut self.in_section, true);
                self.block(body, control);
                self.in_section = outer;
            }
            Stm::Assert(cond, _) => return control || self.varies(cond),
            Stm::Leave => return control,
            Stm::Barrier | Stm::Arrive { .. } if self.team == Team::Block => {
                let mut varies = false;
                stm.each_exp(&mut |e| varies |= self.varies(e));
                if varies {
                    self.report(stm, "it depends on the thread what it comes here for");
                } else if self.in_warp {
                    self.report(stm, "only some threads of the block come here");
                } else if control {
                    self.report(stm, "it depends on the thread whether it comes here");
                }
            }
            Stm::WarpBarrier if control && self.in_warp == (self.team == Team::Warp) => {
                self.report(stm, "it depends on the thread whether it comes here");
            }
            Stm::Shuffle { to, lane, by, of } => {
                if !self.threads.is_multiple_of(DEVICE.warp) {
                    self.report(stm, "warps of the kernel are not complete");
                } else if control && self.in_warp == (self.team == Team::Warp) {
                    self.report(stm, "it depends on the thread whether it comes here");
                }
                // The value of one lane is the same for all of its warp, which may be the whole block.
                let same = *lane == Lane::At && !self.varies(by) && self.threads == DEVICE.warp;
                let varies = control || self.varies(of) && !same;
                self.mark(*to, varies);
            }
            Stm::Barrier
            | Stm::Arrive { .. }
            | Stm::WarpBarrier
            | Stm::Comment(_)
            | Stm::Declare(_, None)
            | Stm::Free(_)
            | Stm::Trace(..)
            | Stm::TraceArray(..) => {}
            // These are refused in kernels.
            Stm::Tasks(_)
            | Stm::Chunks(..)
            | Stm::Threads(_)
            | Stm::Blocks(_)
            | Stm::Begin(_)
            | Stm::End
            | Stm::Launch(_)
            | Stm::Fetch(..)
            | Stm::Ask(..)
            | Stm::Receive(_) => {}
        }
        false
    }

    fn report(&mut self, stm: &'a Stm, message: &str) {
        if let Some(found) = &mut self.found {
            found.push((stm, message.to_owned()));
        }
    }
}
