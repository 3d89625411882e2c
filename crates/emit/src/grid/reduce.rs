//! Reductions, with or without surrounding maps: a thread block for each segment.
//!
//! If there are few segments, several blocks share each one, and the last of them to come to its end combines the
//! results of all, in their order. If segments are short, a block processes several, see [`super::segments`].

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, SHARED_BYTES, Slot, Tree};
use super::seg::SegOp;
use super::space::Space;
use super::stage::{Stage, is_short, up_to};
use super::{bin, eq, lt, quick_quot, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all as conjunction;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{BinOp, Screma, Var};

/// If a block is one of several for a segment, its threads have at least this many elements each: as many as are loaded
/// at once. With more, a reduction of a million elements leaves most of a device idle.
const MANY_ITEMS: i64 = AT_ONCE;

/// This many elements of a thread are loaded at once.
const AT_ONCE: i64 = 4;

/// The elements of a line of memory, if they are small.
const LINE: i64 = DEVICE.line_bytes as i64 / 4;

/// What all kernels share.
pub(super) struct Reduction<'a, 'b> {
    pub(super) seg: &'b SegOp<'a>,
    pub(super) pat: &'a [Var],
    pub(super) op: &'a Screma,
    /// Whether the plain results of the function are stored.
    pub(super) with_maps: bool,
    /// The space of the surrounding maps, and the number of its positions.
    pub(super) space: Space,
    pub(super) segments: Exp,
    /// The results, if there are no surrounding maps.
    results: Option<Vec<Kept>>,
}

/// What the kernels for long segments share.
struct Chunks {
    /// The threads of a block.
    threads: u32,
    /// The stage through which elements are combined, if the order matters.
    stage: Option<Stage>,
    /// The number of chunks of a segment.
    chunks: V,
    /// The results of all chunks.
    partials: Vec<Kept>,
}

impl<'a> Emit<'a> {
    /// `with_maps`: whether the plain results of the function are stored.
    pub(super) fn reduce_on_grid(
        &mut self,
        seg: &SegOp<'a>,
        pat: &'a [Var],
        op: &'a Screma,
        with_maps: bool,
    ) {
        let dims: Vec<Exp> = self.sizes(seg, None).iter().map(|d| self.simple("size", d)).collect();
        let space = self.space(&dims);
        let segments = space.total.clone();
        let width = self.simple("width", &self.atom(op.width));
        let ops = || op.reds.iter().map(|red| &red.op);
        let prims = ops().flat_map(|op| self.part_prims(op)).flatten();
        let bytes = prims.map(|prim| prim.bits().div_ceil(8)).sum::<u32>().max(1);
        let alone = seg.space.is_empty();
        let (results, places) = alone.then(|| self.keep_together("result", ops())).unzip();
        let all = Reduction { seg, pat, op, with_maps, space, segments, results };
        if seg.space.is_empty() {
            self.reduce_by_blocks(&all, &width, bytes);
        } else {
            let stage = Stage::new(self, bytes);
            let short = lt(width.clone(), Exp::int(stage.longest() + 1));
            let scalars = self.scalars.clone();
            let staged = self.block(|this| this.reduce_staged(&all, &stage, &width));
            self.scalars = scalars.clone();
            let blocks = self.block(|this| this.reduce_by_blocks(&all, &width, bytes));
            self.scalars = scalars;
            self.out.push(Stm::If(short, staged, blocks));
        }
        let Some(results) = &all.results else { return };
        let slots = results.iter().flat_map(|kept| &kept.slots);
        let mut places = places.into_iter().flatten();
        for (var, slot) in pat[op.scanned()..op.folded()].iter().zip(slots) {
            if let Slot::Scalars(_, prim) = slot {
                let (result, at) = places.next().or_bug("the place of a result");
                let v = self.declare(&self.ir[*var].hint.clone(), *prim, None);
                self.out.push(Stm::Fetch(v, result, Exp::int(at)));
                self.scalars.insert(*var, Exp::Var(v));
            }
        }
        self.free(results);
    }

    fn reduce_by_blocks(&mut self, all: &Reduction<'a, '_>, width: &Exp, bytes: u32) {
        let stage = (!self.is_commutative(all.op)).then(|| Stage::new(self, bytes));
        let threads = stage.as_ref().map_or(sharing_threads(self, bytes), |stage| stage.threads);
        let chunks = self.chunks_of(width, &all.segments, threads);
        let count = bin(BinOp::Mul, all.segments.clone(), Exp::Var(chunks));
        let count = self.simple("count", &count);
        let ops = all.op.reds.iter().map(|red| &red.op);
        let partials = self.keep_each("partial", ops, &Room::Memory(count.clone()));
        let cx = Chunks { threads, stage, chunks, partials };
        self.reduce_chunks(all, &cx, width, &count);
        self.free(&cx.partials);
    }

    /// The number of chunks of a segment, if one block is not enough for it.
    fn chunks_of(&mut self, width: &Exp, segments: &Exp, threads: u32) -> V {
        let at_least_one = |e| bin(BinOp::Max, e, Exp::int(1));
        let by_size =
            quot_up(width.clone(), Exp::int(i64::from(threads) * self.unless_few(MANY_ITEMS, 1)));
        // There are several chunks only if there are fewer segments than this: each has a counter then.
        let most = bin(BinOp::Min, self.busy_blocks(), Exp::int(DEVICE.counters));
        let by_segments = quot_up(most, at_least_one(segments.clone()));
        let some = at_least_one(bin(BinOp::Min, by_size, by_segments));
        self.declare("chunks", Prim::I64, Some(some))
    }

    /// A block for each chunk.
    fn reduce_chunks(&mut self, all: &Reduction<'a, '_>, cx: &Chunks, width: &Exp, count: &Exp) {
        let (op, chunks) = (all.op, Exp::Var(cx.chunks));
        // Chunks begin at cache line boundaries, so that the loads of a warp do not touch more lines than necessary.
        let per_chunk = quot_up(quot_up(width.clone(), chunks.clone()), Exp::int(LINE));
        let per_chunk = bin(BinOp::Mul, per_chunk, Exp::int(LINE));
        let per_chunk = self.simple("per_chunk", &per_chunk);
        self.launch("reduce", count.clone(), cx.threads, |this, block, thread| {
            let number = Exp::Var(block);
            let segment = quick_quot(number.clone(), chunks.clone());
            let segment = this.simple("segment", &segment);
            let before = bin(BinOp::Mul, segment.clone(), chunks.clone());
            let chunk = bin(BinOp::Sub, number.clone(), before);
            let low = bin(BinOp::Mul, chunk, per_chunk.clone());
            let low = this.simple("low", &bin(BinOp::Min, low, width.clone()));
            let high = bin(BinOp::Min, width.clone(), bin(BinOp::Add, low.clone(), per_chunk));
            let high = this.simple("high", &high);
            let indices = this.position_in(segment.clone(), &all.space);
            this.enter_space(all.seg, &indices);
            let (range, members) = ((low, high), Exp::int(i64::from(cx.threads)));
            let thread = Exp::Var(thread);
            let (own, shared) = match &cx.stage {
                Some(stage) => {
                    let shared = this.stage_arrays(op, stage);
                    let own = this.start_reds(op);
                    this.reduce_in_order(all, (&own, &shared), range, &thread, stage);
                    (own, shared)
                }
                None => {
                    let (own, shared) = this.start_shared(op, cx.threads);
                    let section =
                        this.block(|this| this.reduce_apart(all, &own, range, &thread, &members));
                    this.out.push(Stm::Section(section));
                    (own, shared)
                }
            };
            let lane = thread.clone();
            let tree = Tree { thread: thread.clone(), lane, size: members, apart: None };
            this.reduce_tree(&own, &shared, &tree);
            let finish = this.block(|this| this.finish(all, &own));
            let save = this.block(|this| this.store_each(&own, &cx.partials, &number));
            // Two tests: PoCL 3.1 mixes up the variables of threads if this is one test with two outcomes.
            let alone = eq(chunks.clone(), Exp::int(1));
            let several = lt(Exp::int(1), chunks.clone());
            for (which, block) in [(alone, finish), (several.clone(), save)] {
                let leads = conjunction([which, eq(thread.clone(), Exp::int(0))]);
                this.out.push(Stm::If(leads, block, Block::new()));
            }
            let meet = this.block(|this| {
                let last = this.declare("last", Prim::Bool, None);
                this.out.push(Stm::Arrive { last, counter: segment.clone(), of: chunks.clone() });
                let combine =
                    this.block(|this| this.combine_segment(all, cx, &segment, &thread, &shared));
                this.out.push(Stm::If(Exp::Var(last), combine, Block::new()));
            });
            this.out.push(Stm::If(several, meet, Block::new()));
        });
    }

    /// The values of the thread, with shared arrays.
    pub(super) fn start_shared(
        &mut self,
        op: &'a Screma,
        threads: u32,
    ) -> (Vec<Partial<'a>>, Vec<Kept>) {
        let own = self.start_reds(op);
        let ops = op.reds.iter().map(|red| &red.op);
        (own, self.keep_each("all", ops, &Room::Shared(threads)))
    }

    /// The elements of a range that belong to a thread, if they may be combined in any order: neighbouring threads have
    /// neighbouring elements. Several are loaded at once, so that a thread need not wait for one before it requests the
    /// next.
    fn reduce_apart(
        &mut self,
        all: &Reduction<'a, '_>,
        own: &[Partial<'a>],
        (low, high): (Exp, Exp),
        lane: &Exp,
        members: &Exp,
    ) {
        let first = self.simple("first", &bin(BinOp::Add, low.clone(), lane.clone()));
        let at_once = bin(BinOp::Mul, members.clone(), Exp::int(AT_ONCE));
        let whole = bin(BinOp::Quot, bin(BinOp::Sub, high.clone(), low), at_once.clone());
        let whole = self.simple("whole", &whole);
        let step = |this: &mut Self| this.new_var("step", fehu_imp::Ty::Scalar(Prim::I64));
        let [round, one, rest] = [step(self), step(self), step(self)];
        let place = |before: Exp, one: V| {
            let apart = bin(BinOp::Mul, Exp::Var(one), members.clone());
            bin(BinOp::Add, bin(BinOp::Add, first.clone(), before), apart)
        };
        let before = bin(BinOp::Mul, Exp::Var(round), at_once.clone());
        if all.with_maps
            && let Some(body) = self.several_elements(all, own, &|k| place(before.clone(), k))
        {
            self.out.push(up_to(round, whole.clone(), body));
        } else {
            let body = self.block(|this| {
                this.reduce_element(all, own, place(before, one));
            });
            let number = self.unrolled(&body);
            self.out.push(up_to(round, whole.clone(), vec![up_to(one, number, body)]));
        }
        let body = self.block(|this| {
            let at = place(bin(BinOp::Mul, whole, at_once), rest);
            let at = this.simple("at", &at);
            let body = this.block(|this| this.reduce_element(all, own, at.clone()));
            this.out.push(Stm::If(lt(at, high), body, Block::new()));
        });
        let number = self.unrolled(&body);
        self.out.push(up_to(rest, number, body));
    }

    /// The number of elements that are loaded at once: if it is a variable, the loop is not unrolled.
    fn unrolled(&mut self, body: &[Stm]) -> Exp {
        match is_short(body) {
            true => Exp::int(AT_ONCE),
            false => Exp::Var(self.declare("number", Prim::I64, Some(Exp::int(AT_ONCE)))),
        }
    }

    /// Code for several elements with plain results, all of which are computed before any is stored: as far as the
    /// compiler knows, a store might change what is loaded after it. None if the code is too long, or does more than
    /// compute scalars.
    fn several_elements(
        &mut self,
        all: &Reduction<'a, '_>,
        own: &[Partial<'a>],
        place: &dyn Fn(V) -> Exp,
    ) -> Option<Block> {
        let op = all.op;
        let results = &op.map.body.results[op.scanned()..];
        let prims: Vec<Option<Prim>> = results.iter().map(|result| self.prim(*result)).collect();
        let combined = op.folded() - op.scanned();
        if prims.len() <= combined || prims.iter().any(Option::is_none) {
            return None;
        }
        let count = u32::try_from(AT_ONCE).ok()?;
        let room = Room::Registers(count);
        let mut kept = Vec::new();
        let mut declared = self.block(|this| {
            kept = this.keep_each("kept", op.reds.iter().map(|red| &red.op), &room);
            kept.push(this.keep_prims("kept", &prims[combined..], None, &room));
        });
        let registers: Vec<V> = kept.iter().flat_map(Kept::arrays).collect();
        let [k, l] = [0, 1].map(|_| self.new_var("k", Ty::Scalar(Prim::I64)));
        let compute = self.block(|this| {
            this.enter(all.pat, &op.inputs, &op.map, place(k));
            this.body(&op.map.body);
            this.store_atoms(results, &kept, &Exp::Var(k));
        });
        if !self.is_plain(&compute, &registers) {
            return None;
        }
        let finish = self.block(|this| {
            let at = this.simple("at", &place(l));
            let index = this.table.index(all.pat, &op.map);
            this.scalars.insert(index, at);
            this.append(own, &kept, &Exp::Var(l));
            let plain =
                kept.last().map(|kept| this.load_kept(kept, &Exp::Var(l))).unwrap_or_default();
            for (var, part) in all.pat[op.folded()..].iter().zip(&plain) {
                this.store_sofar(*var, index, part);
            }
        });
        let number = self.unrolled(&finish);
        declared.push(up_to(k, Exp::int(AT_ONCE), compute));
        declared.push(up_to(l, number, finish));
        Some(declared)
    }

    /// One element.
    fn reduce_element(&mut self, all: &Reduction<'a, '_>, own: &[Partial<'a>], at: Exp) {
        let op = all.op;
        let index = self.enter(all.pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        let plain = self.combine_each(own, &op.map.body.results[op.scanned()..]);
        if all.with_maps {
            for (result, var) in plain.iter().zip(&all.pat[op.folded()..]) {
                self.store_row(*var, index, *result);
            }
        }
    }

    /// Whether elements may be combined in any order.
    pub(super) fn is_commutative(&self, op: &Screma) -> bool {
        op.reds.iter().all(|red| red.commutative || self.vector_ops(&red.op).is_some())
    }

    /// Combines the results of the chunks of a segment, by the threads of one block.
    fn combine_segment(
        &mut self,
        all: &Reduction<'a, '_>,
        cx: &Chunks,
        segment: &Exp,
        thread: &Exp,
        shared: &[Kept],
    ) {
        let (chunks, size) = (Exp::Var(cx.chunks), Exp::int(i64::from(cx.threads)));
        let own = self.start_reds(all.op);
        let share = self.simple("share", &quot_up(chunks.clone(), size.clone()));
        let start = bin(BinOp::Mul, thread.clone(), share.clone());
        let start = self.simple("start", &start);
        let end = bin(BinOp::Min, chunks.clone(), bin(BinOp::Add, start.clone(), share));
        let end = self.simple("end", &end);
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let before = bin(BinOp::Mul, segment.clone(), chunks);
            this.append(&own, &cx.partials, &bin(BinOp::Add, before, Exp::Var(k)));
        });
        let kind = Kind::Sequential;
        let each = Stm::For { var: k, from: start, to: end, step: 1, kind, body };
        let (thread, leads) = (thread.clone(), eq(thread.clone(), Exp::int(0)));
        let tree = Tree { thread: thread.clone(), lane: thread, size, apart: None };
        self.reduce_shares(&own, shared, vec![each], &tree, leads, |this| this.finish(all, &own));
    }

    /// Stores the result of a segment.
    pub(super) fn finish(&mut self, all: &Reduction<'a, '_>, own: &[Partial<'a>]) {
        if let Some(results) = &all.results {
            return self.store_each(own, results, &Exp::int(0));
        }
        let values = own.iter().flat_map(|own| &own.parts).map(|part| part.value()).collect();
        self.store_segment(all.seg, all.op.scanned(), values);
    }
}

/// The number of threads of a block that share values of this many bytes.
pub(super) fn sharing_threads(emit: &Emit<'_>, bytes: u32) -> u32 {
    let mut threads = emit.threads();
    while threads > 32 && threads * bytes > SHARED_BYTES {
        threads /= 2;
    }
    threads
}
