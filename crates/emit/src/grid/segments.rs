//! Reductions of short segments: a block processes several of them.
//!
//! ```text
//! all threads:  stage[e] = f(element e of the block's segments), neighbouring threads at neighbouring elements
//! each group:   combines the elements of its segment, in order, and its first thread stores the result
//! ```
//!
//! If each thread loaded the elements of its own segment, neighbouring threads would load from distant addresses, and a
//! group as large as a segment would spend most of its time on index computations. Here every thread loads several
//! elements at once, and shared memory passes them to the thread that combines them. Positions in a block are 32 bits
//! wide, and the segment of an element is found by a multiplication.

use super::super::Emit;
use super::super::combine::{Kept, Partial, Tree};
use super::reduce::Reduction;
use super::stage::{SHIFT, Stage, padded, short_int, u32_bin, u32_lt, up_to, wide};
use super::{bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::{Block, Exp, Kind, Stm, Ty};
use fehu_ir::{BinOp, CmpOp, Scalar};

/// A lane of a group combines at least this many elements.
const LEAST_ITEMS: i64 = 4;

/// Sizes that the host has computed, as variables.
struct Sizes {
    /// Segments of a block.
    per_block: Exp,
    reciprocal: Exp,
    /// The threads of a group, a power of two, and its logarithm.
    group: Exp,
    log: Exp,
    /// The elements of a lane, if they are consecutive.
    share: Exp,
    /// How many rounds threads need, if each handles segments alone.
    rounds: Exp,
}

impl<'a> Emit<'a> {
    /// A reduction of segments that are not longer than [`Stage::longest`].
    pub(super) fn reduce_staged(&mut self, all: &Reduction<'a, '_>, stage: &Stage, width: &Exp) {
        let sizes = self.stage_sizes(all, stage, width);
        let blocks = quot_up(all.segments.clone(), sizes.per_block.clone());
        self.launch("segments", blocks, stage.threads, |this, block, thread| {
            let arrays = this.stage_arrays(all.op, stage);
            let first = bin(BinOp::Mul, Exp::Var(block), sizes.per_block.clone());
            let first = this.simple("first", &first);
            let left = bin(BinOp::Sub, all.segments.clone(), first.clone());
            let here = this.short("here", &bin(BinOp::Min, left, sizes.per_block.clone()));
            let cx = Here {
                stage,
                sizes: &sizes,
                thread: this.short("thread", &Exp::Var(thread)),
                width: this.short("width", width),
                first,
                here,
                arrays,
            };
            this.bring_elements(all, &cx, width);
            this.out.push(Stm::Barrier);
            this.combine_segments(all, &cx, &Exp::Var(thread));
        });
    }

    fn stage_sizes(&mut self, all: &Reduction<'a, '_>, stage: &Stage, width: &Exp) -> Sizes {
        let threads = i64::from(stage.threads);
        let length = self.simple("length", &bin(BinOp::Max, width.clone(), Exp::int(1)));
        let fitting = bin(BinOp::Quot, Exp::int(i64::from(stage.elements())), length.clone());
        let busy = quot_up(all.segments.clone(), self.busy_blocks());
        let some = bin(BinOp::Max, bin(BinOp::Min, fitting, busy), Exp::int(1));
        let per_block = self.simple("per_block", &some);
        let reciprocal = quot_up(Exp::int(1 << SHIFT), length.clone());
        let reciprocal = self.simple("reciprocal", &reciprocal);
        let group = self.declare("group", Prim::I64, Some(Exp::int(1)));
        let log = self.declare("log", Prim::I64, Some(Exp::int(0)));
        let twice = bin(BinOp::Mul, Exp::Var(group), Exp::int(2));
        let needed = bin(BinOp::Mul, twice.clone(), per_block.clone());
        let items = bin(BinOp::Mul, Exp::Var(group), Exp::int(LEAST_ITEMS));
        let more = Exp::Bin(
            BinOp::And,
            Prim::Bool,
            Box::new(lt(needed, Exp::int(threads + 1))),
            Box::new(lt(items, length.clone())),
        );
        let body = vec![
            Stm::Assign(group, twice),
            Stm::Assign(log, bin(BinOp::Add, Exp::Var(log), Exp::int(1))),
        ];
        self.out.push(Stm::While(more, body));
        let (group, log) = (Exp::Var(group), Exp::Var(log));
        let share = self.simple("share", &quot_up(length, group.clone()));
        let rounds = quot_up(per_block.clone(), Exp::int(threads));
        let rounds = self.simple("rounds", &rounds);
        Sizes { per_block, reciprocal, group, log, share, rounds }
    }

    /// All threads compute elements of the block's segments.
    fn bring_elements(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>, width: &Exp) {
        let count = u32_bin(BinOp::Mul, cx.here.clone(), cx.width.clone());
        let count = self.number("count", count);
        let reciprocal = self.short("reciprocal", &cx.sizes.reciprocal);
        let last = u32_bin(BinOp::Sub, count.clone(), short_int(1));
        let locate = |this: &mut Self, e: Exp, is_clamped: bool| {
            let e = if is_clamped { u32_bin(BinOp::Min, e, last.clone()) } else { e };
            let e = this.number("element", e);
            let product = u32_bin(BinOp::Mul, e.clone(), reciprocal.clone());
            let which = this.number("which", u32_bin(BinOp::Lshr, product, short_int(SHIFT)));
            let before = u32_bin(BinOp::Mul, which.clone(), cx.width.clone());
            // With this, the address of an element of consecutive segments is that of the first one and its number.
            let [e, which] =
                [("e", &e), ("w", &which)].map(|(hint, e)| this.simple(hint, &wide(e.clone())));
            let at = this.simple("at", &bin(BinOp::Sub, e.clone(), wide(before)));
            let segment = bin(BinOp::Add, cx.first.clone(), which.clone());
            let segment = this.simple("segment", &segment);
            this.note_linear(&segment, &[(1, &[&cx.first]), (1, &[&which])]);
            this.note_linear(&at, &[(1, &[&e]), (-1, &[&which, width])]);
            let indices = this.position_in(segment, &all.space);
            this.enter_space(all.seg, &indices);
            at
        };
        let inside = |e: Exp| u32_lt(e, count.clone());
        let code = self.block(|this| {
            this.stage_elements(all, cx.stage, &cx.arrays, &cx.thread, &locate, &inside);
        });
        self.out.push(Stm::If(u32_lt(short_int(0), count.clone()), code, Block::new()));
    }

    /// Combines the elements in shared memory.
    fn combine_segments(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>, thread: &Exp) {
        let groups = self.block(|this| this.combine_by_groups(all, cx, thread));
        let alone = self.block(|this| this.combine_alone(all, cx));
        let several = lt(Exp::int(1), cx.sizes.group.clone());
        self.out.push(Stm::If(several, groups, alone));
    }

    /// A group for each segment.
    fn combine_by_groups(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>, thread: &Exp) {
        let [group, log] = [("group", &cx.sizes.group), ("log", &cx.sizes.log)]
            .map(|(hint, size)| self.short(hint, size));
        let mask = self.number("mask", u32_bin(BinOp::Sub, group.clone(), short_int(1)));
        let lane = self.number("lane", u32_bin(BinOp::And, cx.thread.clone(), mask.clone()));
        let number = self.number("number", u32_bin(BinOp::Lshr, cx.thread.clone(), log.clone()));
        let works = u32_lt(number.clone(), cx.here.clone());
        // A group without a segment waits at the barriers of the others.
        let own = Exp::Select(Box::new([works.clone(), number, short_int(0)]));
        let own = self.number("own", own);
        let partials = self.start_segment(all, cx, &own);
        let begin = self.number("begin", u32_bin(BinOp::Mul, own, cx.width.clone()));
        // As signed numbers, since the remaining number may be negative.
        let (start, apart, trips) = match self.is_commutative(all.op) {
            true => {
                let left = signed_bin(BinOp::Sub, cx.width.clone(), lane.clone());
                let some = signed_bin(BinOp::Add, left, mask);
                (lane.clone(), group, signed_bin(BinOp::Ashr, some, log))
            }
            false => {
                let share = self.short("share", &cx.sizes.share);
                let start = u32_bin(BinOp::Mul, lane.clone(), share.clone());
                let start = self.number("start", start);
                let left = signed_bin(BinOp::Sub, cx.width.clone(), start.clone());
                (start, short_int(1), signed_bin(BinOp::Min, left, share))
            }
        };
        let start = self.number("start", u32_bin(BinOp::Add, begin, start));
        let trips = Exp::Select(Box::new([works.clone(), trips, Exp::Const(Scalar::I32(0))]));
        let trips = Exp::Var(self.declare("trips", Prim::I32, Some(trips)));
        self.combine_staged(&partials, &cx.arrays, (start, apart, trips));
        self.out.push(Stm::Barrier);
        let (lane_number, size) = (wide(lane.clone()), cx.sizes.group.clone());
        let tree = Tree { thread: thread.clone(), lane: lane_number, size, apart: None };
        self.reduce_tree(&partials, &cx.arrays, &tree);
        let finish = self.block(|this| this.finish(all, &partials));
        let first = Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(lane), Box::new(short_int(0)));
        let leads = Exp::Bin(BinOp::And, Prim::Bool, Box::new(works), Box::new(first));
        self.out.push(Stm::If(leads, finish, Block::new()));
    }

    /// A thread for each segment; if there are more segments than threads, one after the other.
    fn combine_alone(&mut self, all: &Reduction<'a, '_>, cx: &Here<'_>) {
        let trips = Exp::Convert(Prim::U32, Prim::I32, Box::new(cx.width.clone()));
        let trips = Exp::Var(self.declare("trips", Prim::I32, Some(trips)));
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(round)));
            let before = u32_bin(BinOp::Mul, turn, short_int(cx.stage.threads));
            let own = this.number("own", u32_bin(BinOp::Add, cx.thread.clone(), before));
            let body = this.block(|this| {
                let partials = this.start_segment(all, cx, &own);
                let begin = u32_bin(BinOp::Mul, own.clone(), cx.width.clone());
                let begin = this.number("begin", begin);
                this.combine_staged(&partials, &cx.arrays, (begin, short_int(1), trips));
                this.finish(all, &partials);
            });
            this.out.push(Stm::If(u32_lt(own, cx.here.clone()), body, Block::new()));
        });
        self.out.push(up_to(round, cx.sizes.rounds.clone(), body));
    }

    /// Enters a segment of the block.
    fn start_segment(
        &mut self,
        all: &Reduction<'a, '_>,
        cx: &Here<'_>,
        own: &Exp,
    ) -> Vec<Partial<'a>> {
        let segment = bin(BinOp::Add, cx.first.clone(), wide(own.clone()));
        let segment = self.simple("segment", &segment);
        let indices = self.position_in(segment, &all.space);
        self.enter_space(all.seg, &indices);
        self.start_reds(all.op)
    }

    /// Combines elements of shared memory.
    fn combine_staged(
        &mut self,
        partials: &[Partial<'a>],
        arrays: &[Kept],
        (start, apart, trips): (Exp, Exp, Exp),
    ) {
        let step = self.new_var("step", Ty::Scalar(Prim::I32));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I32, Prim::U32, Box::new(Exp::Var(step)));
            let place = u32_bin(BinOp::Add, start, u32_bin(BinOp::Mul, turn, apart));
            let place = this.number("place", place);
            let place = this.number("place", padded(place));
            this.append(partials, arrays, &place);
        });
        let (from, kind) = (Exp::Const(Scalar::I32(0)), Kind::Sequential);
        let steps = Stm::For { var: step, from, to: trips, step: 1, kind, body };
        self.out.push(Stm::Section(vec![steps]));
    }
}

/// What the parts of the kernel share.
struct Here<'b> {
    stage: &'b Stage,
    sizes: &'b Sizes,
    thread: Exp,
    width: Exp,
    /// The block's first segment, and the number of its segments.
    first: Exp,
    here: Exp,
    /// For each component of the reduced values, the elements.
    arrays: Vec<Kept>,
}

/// `a op b` on unsigned numbers that are taken as signed ones, or are such already.
#[expect(clippy::wildcard_enum_match_arm, reason = "other numbers are converted")]
fn signed_bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    let signed = |e: Exp| match e {
        Exp::Bin(_, Prim::I32, ..) => e,
        other => Exp::Convert(Prim::U32, Prim::I32, Box::new(other)),
    };
    Exp::Bin(op, Prim::I32, Box::new(signed(a)), Box::new(signed(b)))
}
