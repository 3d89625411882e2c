//! A map whose function is executed by a whole thread block, for one position after the other.
//!
//! All threads execute the statements of the function in the same way and with the same values, except for operators
//! and copies: these distribute their positions among the threads ([`Emit::share_out`]), and stores of single elements
//! are executed by one thread ([`Emit::alone`]). There is a barrier after each of these, so that all threads see what
//! was written, and one before it if a thread may still be reading.
//!
//! A check that fails where positions are distributed ends the work of its thread. The others notice at the next
//! barrier, and then all of them leave. Elsewhere a check fails in all threads at once.

use super::super::Emit;
use super::super::combine::{Kept, LANES, Partial, Room, Sofar, Tree, fit_lanes};
use super::super::runs::Runs;
use super::seg::SegOp;
use super::{bin, eq, lt, quot_up};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kind, Lane, Stm, Ty, V};
use fehu_ir::{self as ir, BinOp, CmpOp, Scalar, Screma, Var};

/// The threads of a block that work together.
#[derive(Clone, Copy)]
pub(crate) struct Cooperative {
    /// The number of the thread.
    thread: V,
    /// An element that is not zero if a check has failed in one of the threads.
    failed: V,
    /// How many there are.
    members: u32,
    /// Whether nothing has been read since the last barrier.
    calm: bool,
}

impl Cooperative {
    /// All of them meet. If they are one warp, that is nearly free.
    fn barrier(self) -> Stm {
        if self.members == DEVICE.warp { Stm::WarpBarrier } else { Stm::Barrier }
    }

    /// The number of warps that they are.
    fn warps(self) -> u32 {
        self.members / DEVICE.warp
    }
}

impl<'a> Emit<'a> {
    /// A nest whose innermost map has a block for each position.
    pub(super) fn blocks_on_grid(&mut self, seg: &SegOp<'a>, members: u32) {
        let pat = seg.pat;
        let ir::Exp::Screma(op) = &seg.inner.exp else { bug("blocks of threads execute no map") };
        let sizes: Vec<Exp> = self.sizes(seg, Some(self.atom(op.width)));
        let sizes: Vec<Exp> = sizes.iter().map(|size| self.simple("size", size)).collect();
        let total = self.total(&sizes);
        let is_single = total == Exp::int(1);
        self.launch_cooperative("block", total, members, |this, block| {
            // Compilers do not know that a single block has the number zero.
            let number = if is_single { Exp::int(0) } else { Exp::Var(block) };
            let indices = this.unranked(number, &sizes);
            let at = this.enter_operator(seg, &indices);
            let index = this.enter(pat, &op.inputs, &op.map, at);
            this.stir();
            this.body(&op.map.body);
            for (var, result) in pat.iter().zip(&op.map.body.results) {
                this.store_row(*var, index, *result);
            }
        });
    }

    /// A kernel in which the threads of a block work together.
    fn launch_cooperative(
        &mut self,
        hint: &str,
        blocks: Exp,
        members: u32,
        work: impl FnOnce(&mut Self, V),
    ) {
        self.launch(hint, blocks, members, |this, block, thread| {
            let failed = this.shared_array("failed", Prim::I32, 1);
            this.runs = Runs::Block(Cooperative { thread, failed, members, calm: false });
            this.alone(|this| {
                let zero = Exp::Const(Scalar::I32(0));
                this.out.push(Stm::Store(failed, Exp::int(0), zero));
            });
            work(this, block);
            this.runs = Runs::ALONE;
        });
        if let Some(Stm::Launch(kernel)) = self.out.last_mut() {
            kernel.by_block = true;
            kernel.hoist_shared(&self.vars);
        }
    }

    /// A barrier, if other threads may be reading what is about to be written.
    fn settle(&mut self) {
        if let Runs::Block(cooperative) = &mut self.runs
            && !std::mem::replace(&mut cooperative.calm, true)
        {
            let barrier = cooperative.barrier();
            self.out.push(barrier);
        }
    }

    /// A barrier.
    fn meet(&mut self) {
        if let Runs::Block(cooperative) = &mut self.runs {
            cooperative.calm = true;
            let barrier = cooperative.barrier();
            self.out.push(barrier);
        }
    }

    /// From here on, threads may be reading.
    fn stir(&mut self) {
        if let Runs::Block(cooperative) = &mut self.runs {
            cooperative.calm = false;
        }
    }

    /// A statement that all threads execute. Bodies inside it in which threads share work begin and end at a point
    /// where no thread is reading, so that the next round of a loop can begin.
    pub(crate) fn stm_cooperative(&mut self, stm: &'a ir::Stm) {
        if self.shares_inside(stm) {
            self.settle();
        }
        let before = self.out.len();
        self.plain_stm(stm);
        let mut loads = false;
        each_stm(&self.out[before..], &mut |stm| {
            stm.each_exp(&mut |e| loads |= e.any(&|e| matches!(e, Exp::Load(..))));
        });
        if loads {
            self.stir();
        }
    }

    /// At the end of a body of a statement.
    pub(crate) fn settle_after_sharing(&mut self) {
        let mut meets = false;
        each_stm(&self.out, &mut |stm| meets |= matches!(stm, Stm::Barrier | Stm::WarpBarrier));
        if meets {
            self.settle();
        }
    }

    /// Whether threads share work in a body of a statement.
    fn shares_inside(&self, stm: &ir::Stm) -> bool {
        let is_array = |var: &Var| self.ir[*var].ty.is_array();
        let mut found = false;
        stm.exp.for_each_body(&mut |body| {
            found |= stm.pat.iter().any(is_array)
                || body.stms.iter().any(|inner| {
                    inner.exp.operator().is_some()
                        || inner.pat.iter().any(is_array)
                        || self.shares_inside(inner)
                });
        });
        found
    }

    /// Work that one thread does, if several work together.
    pub(crate) fn alone(&mut self, work: impl FnOnce(&mut Self)) {
        let Some(cooperative) = self.runs.block() else { return work(self) };
        self.settle();
        let body = self.by_itself(work);
        let first = eq(Exp::Var(cooperative.thread), Exp::int(0));
        self.out.push(Stm::If(first, body, Block::new()));
        self.meet();
    }

    /// Code of a single thread inside code that several execute together.
    fn by_itself(&mut self, work: impl FnOnce(&mut Self)) -> Block {
        let scalars = self.scalars.clone();
        let body = self.running(Runs::ALONE, |this| this.block(work));
        self.scalars = scalars;
        body
    }

    /// Code in which some threads may fail; a barrier follows it.
    fn section(&mut self, cooperative: Cooperative, body: Block) {
        let mut may_end = false;
        each_stm(&body, &mut |stm| {
            may_end |= matches!(stm, Stm::Assert(..) | Stm::Alloc(..) | Stm::Call(..));
        });
        if !may_end {
            self.out.push(Stm::Section(body));
            return self.meet();
        }
        let done = self.declare("done", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        let mut body = body;
        body.push(Stm::Assign(done, Exp::Const(Scalar::Bool(true))));
        self.out.push(Stm::Section(body));
        let one = Exp::Const(Scalar::I32(1));
        let tell = vec![Stm::Store(cooperative.failed, Exp::int(0), one)];
        self.out.push(Stm::If(Exp::Var(done), Block::new(), tell));
        self.meet();
        let told = Exp::Load(cooperative.failed, Box::new(Exp::int(0)));
        let told = self.declare("told", Prim::I32, Some(told));
        self.meet();
        let zero = Exp::Const(Scalar::I32(0));
        let fine = Exp::Cmp(CmpOp::Eq, Prim::I32, Box::new(Exp::Var(told)), Box::new(zero));
        self.out.push(Stm::If(fine, Block::new(), vec![Stm::Leave]));
    }

    /// All indices below these sizes, distributed over the threads.
    pub(super) fn share_out(
        &mut self,
        cooperative: Cooperative,
        sizes: &[Exp],
        work: impl FnOnce(&mut Self, &[Exp]),
    ) {
        let sizes: Vec<Exp> = sizes.iter().map(|size| self.simple("size", size)).collect();
        let total = self.total(&sizes);
        self.settle();
        let at = self.new_var("at", Ty::Scalar(Prim::I64));
        let body = self.by_itself(|this| {
            let indices = this.unranked(Exp::Var(at), &sizes);
            work(this, &indices);
        });
        let (from, step) = (Exp::Var(cooperative.thread), i64::from(cooperative.members));
        let kind = Kind::Sequential;
        let each = Stm::For { var: at, from, to: total, step, kind, body };
        self.section(cooperative, vec![each]);
    }

    /// An operator that the threads of a block share.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are executed as on a grid")]
    pub(super) fn seg_cooperative(&mut self, seg: &SegOp<'a>) {
        let cooperative = self.runs.block().or_bug("the threads of a block");
        match &seg.inner.exp {
            ir::Exp::Screma(op) if op.folded() > 0 => {
                if !seg.space.is_empty() {
                    bug("the threads of a block share several reductions or scans");
                }
                self.enter_space(seg, &[]);
                if !op.reds.is_empty() {
                    self.reduce_cooperative(cooperative, seg.pat, op);
                }
                if !op.scans.is_empty() {
                    self.scan_cooperative(cooperative, seg.pat, op);
                }
            }
            _ => self.seg_on_grid(seg),
        }
    }

    /// A reduction: each thread combines its share of the elements, and then all threads theirs.
    fn reduce_cooperative(&mut self, cooperative: Cooperative, pat: &'a [Var], op: &'a Screma) {
        self.settle();
        let own = self.start_reds(op);
        let width = self.simple("width", &self.atom(op.width));
        let thread = Exp::Var(cooperative.thread);
        let members = Exp::int(i64::from(cooperative.members));
        // Neighbouring threads read neighbouring elements, if the order of all may change.
        let (low, high, step) = if self.is_commutative(op) {
            (thread.clone(), width, i64::from(cooperative.members))
        } else {
            let share = self.simple("share", &quot_up(width.clone(), members.clone()));
            let low = bin(BinOp::Mul, thread.clone(), share.clone());
            let low = self.simple("low", &bin(BinOp::Min, width.clone(), low));
            let high = bin(BinOp::Min, width, bin(BinOp::Add, low.clone(), share));
            (low, self.simple("high", &high), 1)
        };
        let at = self.new_var("at", Ty::Scalar(Prim::I64));
        let body = self.by_itself(|this| {
            let index = this.enter(pat, &op.inputs, &op.map, Exp::Var(at));
            this.body(&op.map.body);
            let plain = this.combine_each(&own, &op.map.body.results[op.scanned()..]);
            if op.scans.is_empty() {
                for (result, var) in plain.iter().zip(&pat[op.folded()..]) {
                    this.store_row(*var, index, *result);
                }
            }
        });
        let kind = Kind::Sequential;
        let each = Stm::For { var: at, from: low, to: high, step, kind, body };
        self.section(cooperative, vec![each]);
        let inside = std::mem::replace(&mut self.runs, Runs::ALONE);
        let found = match fit_lanes(&own) {
            true => self.reduce_by_lanes(cooperative, &own),
            false => {
                let ops = op.reds.iter().map(|red| &red.op);
                let shared = self.keep_each("all", ops, &Room::Shared(cooperative.members));
                let tree =
                    Tree { thread: thread.clone(), lane: thread, size: members, apart: None };
                self.reduce_tree(&own, &shared, &tree);
                // The first thread has the result, and has stored it where all can see it.
                shared.iter().flat_map(|kept| self.load_kept(kept, &Exp::int(0))).collect()
            }
        };
        self.runs = inside;
        for (part, var) in found.iter().zip(&pat[op.scanned()..op.folded()]) {
            if let Some(value) = part.value() {
                self.scalars.insert(*var, value);
            }
        }
        self.stir();
    }

    /// The combined values of all threads, by lanes of warps first.
    fn reduce_by_lanes(&mut self, of: Cooperative, own: &[Partial<'a>]) -> Vec<Sofar<'a>> {
        let thread = Exp::Var(of.thread);
        self.reduce_lanes(own, &thread);
        if of.warps() == 1 {
            let first = Exp::int(0);
            return own
                .iter()
                .flat_map(|own| self.shuffled(&own.parts, Lane::At, &first))
                .collect();
        }
        let shared = self.tell_warps(of, own, 0);
        if let Some(all) = self.combine_in_first_warp(of, own, &shared, Emit::reduce_lanes) {
            return all.iter().flat_map(|kept| self.load_kept(kept, &Exp::int(0))).collect();
        }
        let mut found = Vec::new();
        for (own, shared) in own.iter().zip(&shared) {
            let all = self.load_kept(shared, &Exp::int(0));
            for warp in 1..of.warps() {
                let next = self.load_kept(shared, &Exp::int(i64::from(warp)));
                self.combine_parts(own.op, &all, &next);
            }
            found.extend(all);
        }
        found
    }

    /// One lane of each warp tells all threads its values.
    fn tell_warps(&mut self, of: Cooperative, own: &[Partial<'a>], lane: i64) -> Vec<Kept> {
        let ops = own.iter().map(|own| own.op);
        let shared = self.keep_each("warps", ops, &Room::Shared(of.warps()));
        let thread = Exp::Var(of.thread);
        let tell = self.block(|this| {
            let warp = bin(BinOp::Quot, thread.clone(), Exp::int(LANES));
            this.store_each(own, &shared, &warp);
        });
        let own_lane = bin(BinOp::And, thread, Exp::int(LANES - 1));
        self.out.push(Stm::If(eq(own_lane, Exp::int(lane)), tell, Block::new()));
        self.out.push(Stm::Barrier);
        shared
    }

    /// What the values of all warps become, if there is one for each lane of the first warp, which does that;
    /// afterwards all threads can load what each lane has. Otherwise, and if some of them may fail to be combined,
    /// nothing is done.
    fn combine_in_first_warp(
        &mut self,
        of: Cooperative,
        own: &[Partial<'a>],
        warps: &[Kept],
        work: fn(&mut Self, &[Partial<'a>], &Exp),
    ) -> Option<Vec<Kept>> {
        if i64::from(of.warps()) != LANES {
            return None;
        }
        let thread = Exp::Var(of.thread);
        let lane = self.simple("lane", &bin(BinOp::And, thread.clone(), Exp::int(LANES - 1)));
        let mut all = Vec::new();
        let mut code = self.block(|this| {
            for (own, warps) in own.iter().zip(warps) {
                let parts = this.load_kept(warps, &lane);
                all.push(Partial { op: own.op, parts });
            }
            work(this, &all, &lane);
        });
        let mut may_end = false;
        each_stm(&code, &mut |stm| may_end |= matches!(stm, Stm::Section(_)));
        if may_end {
            return None;
        }
        // More threads may execute this, but only those of the first warp tell others.
        let found =
            self.keep_each("found", own.iter().map(|own| own.op), &Room::Shared(of.warps()));
        let tell = self.block(|this| this.store_each(&all, &found, &lane));
        code.push(Stm::If(lt(thread, Exp::int(LANES)), tell, Block::new()));
        self.out.extend([Stm::Warp(code), Stm::Barrier]);
        Some(found)
    }

    /// A scan: as many elements at a time as there are threads.
    fn scan_cooperative(&mut self, cooperative: Cooperative, pat: &'a [Var], op: &'a Screma) {
        self.settle();
        let carry = self.start_scans(op);
        let width = self.simple("width", &self.atom(op.width));
        let start = self.new_var("start", Ty::Scalar(Prim::I64));
        let thread = Exp::Var(cooperative.thread);
        let body = self.block(|this| {
            let own = this.start_scans(op);
            let at = this.simple("at", &bin(BinOp::Add, Exp::Var(start), thread.clone()));
            let within = lt(at.clone(), width.clone());
            let element = this.by_itself(|this| {
                let index = this.enter(pat, &op.inputs, &op.map, at.clone());
                this.body(&op.map.body);
                let results = &op.map.body.results;
                let mut scanned = results.as_slice();
                for own in &own {
                    let (elements, rest) = scanned.split_at(own.parts.len());
                    this.assign_all(&own.parts, elements);
                    scanned = rest;
                }
                for (result, var) in results.iter().zip(pat).skip(op.folded()) {
                    this.store_row(*var, index, *result);
                }
            });
            this.section(cooperative, vec![Stm::If(within.clone(), element, Block::new())]);
            let inside = std::mem::replace(&mut this.runs, Runs::ALONE);
            match fit_lanes(&own) {
                true => this.prefixes_by_lanes(cooperative, &own, &carry),
                false => this.prefixes(cooperative, &own, &carry),
            }
            this.runs = inside;
            let index = this.table.index(pat, &op.map);
            let store = this.by_itself(|this| {
                this.scalars.insert(index, at.clone());
                for (part, var) in own.iter().flat_map(|own| &own.parts).zip(pat) {
                    this.store_sofar(*var, index, part);
                }
            });
            this.out.push(Stm::If(within, store, Block::new()));
            this.meet();
        });
        let (from, kind, step) = (Exp::int(0), Kind::Sequential, i64::from(cooperative.members));
        self.out.push(Stm::For { var: start, from, to: width, step, kind, body });
    }

    /// The combined values of all threads up to each of them, after what is carried from round to round, by lanes of warps first.
    fn prefixes_by_lanes(&mut self, of: Cooperative, own: &[Partial<'a>], carry: &[Partial<'a>]) {
        let thread = Exp::Var(of.thread);
        let lane = self.simple("lane", &bin(BinOp::And, thread.clone(), Exp::int(LANES - 1)));
        self.scan_lanes(own, &lane);
        let last = LANES - 1;
        if of.warps() == 1 {
            let mut all = Vec::new();
            for own in own {
                all.push(self.shuffled(&own.parts, Lane::At, &Exp::int(last)));
            }
            let carried = self.block(|this| {
                for ((own, carry), last) in own.iter().zip(carry).zip(&all) {
                    let before = this.copied(&carry.parts);
                    this.combine_parts(carry.op, &carry.parts, last);
                    this.prepend(own, &before);
                }
            });
            return self.out.push(Stm::Section(carried));
        }
        let shared = self.tell_warps(of, own, last);
        let warp = self.simple("warp", &bin(BinOp::Quot, thread, Exp::int(LANES)));
        if let Some(all) = self.combine_in_first_warp(of, own, &shared, Emit::scan_lanes) {
            let carried = self.block(|this| {
                for ((own, all), carry) in own.iter().zip(&all).zip(carry) {
                    let before = this.copied(&carry.parts);
                    let last = this.load_kept(all, &Exp::int(last));
                    this.combine_parts(carry.op, &carry.parts, &last);
                    let add = this.block(|this| {
                        let other = bin(BinOp::Sub, warp.clone(), Exp::int(1));
                        let earlier = this.load_kept(all, &other);
                        this.combine_parts(carry.op, &before, &earlier);
                    });
                    this.out.push(Stm::If(lt(Exp::int(0), warp.clone()), add, Block::new()));
                    this.prepend(own, &before);
                }
            });
            return self.out.push(Stm::Section(carried));
        }
        let carried = self.block(|this| {
            for ((own, shared), carry) in own.iter().zip(&shared).zip(carry) {
                let before = this.copied(&carry.parts);
                for number in 0..of.warps() {
                    let number = Exp::int(i64::from(number));
                    let part = this.load_kept(shared, &number);
                    this.combine_parts(carry.op, &carry.parts, &part);
                    let note = this.block(|this| this.copy_parts(&before, &carry.parts));
                    this.out.push(Stm::If(lt(number, warp.clone()), note, Block::new()));
                }
                this.prepend(own, &before);
            }
        });
        self.out.push(Stm::Section(carried));
    }

    /// Likewise, through shared memory.
    fn prefixes(&mut self, of: Cooperative, own: &[Partial<'a>], carry: &[Partial<'a>]) {
        let ops = own.iter().map(|own| own.op);
        let shared = self.keep_each("all", ops, &Room::Shared(of.members));
        self.all_prefixes(own, &shared, &Exp::Var(of.thread), of.members);
        let last = Exp::int(i64::from(of.members) - 1);
        let carried = self.block(|this| {
            for ((own, shared), carry) in own.iter().zip(&shared).zip(carry) {
                // The preceding values are combined from the left; the value of the last thread is the prefix of
                // the next round.
                let last = this.load_kept(shared, &last);
                let before = this.copied(&carry.parts);
                this.combine_parts(carry.op, &carry.parts, &last);
                this.prepend(own, &before);
            }
        });
        // An operator whose check fails must not keep its thread from reaching the barrier.
        self.out.push(Stm::Section(carried));
    }

    /// The combined values of all threads up to each of them; in the end they are in the shared arrays as well.
    fn all_prefixes(&mut self, own: &[Partial<'a>], shared: &[Kept], thread: &Exp, members: u32) {
        let members = Exp::int(i64::from(members));
        self.store_each(own, shared, thread);
        self.out.push(Stm::Barrier);
        let distance = self.declare("distance", Prim::I64, Some(Exp::int(1)));
        let body = self.block(|this| {
            let takes_part = lt(Exp::Var(distance), bin(BinOp::Add, thread.clone(), Exp::int(1)));
            let combine = this.by_itself(|this| {
                let other = bin(BinOp::Sub, thread.clone(), Exp::Var(distance));
                for (own, shared) in own.iter().zip(shared) {
                    let left = this.load_kept(shared, &other);
                    this.prepend(own, &left);
                }
            });
            this.out.push(Stm::Section(vec![Stm::If(takes_part, combine, Block::new())]));
            this.out.push(Stm::Barrier);
            this.store_each(own, shared, thread);
            this.out.push(Stm::Barrier);
            let twice = bin(BinOp::Mul, Exp::Var(distance), Exp::int(2));
            this.out.push(Stm::Assign(distance, twice));
        });
        self.out.push(Stm::While(lt(Exp::Var(distance), members), body));
    }
}
