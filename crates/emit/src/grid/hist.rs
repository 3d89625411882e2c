//! Histograms, privatised per block in shared memory if there are not too many bins.
//!
//! Threads that update the same bin must wait for each other, and in global memory they wait long. So the positions are
//! split into chunks, one for each block, and the block accumulates its chunk in shared memory: in as many copies as
//! fit, so that neighbouring threads rarely collide. Then each block combines its copies, and adds its result to the
//! final one: with one atomic instruction for each bin, if the device has one for the operator; otherwise a second
//! kernel combines the results of all blocks ([`super::merge`]). If the bins do not fit, each block handles only a part
//! of the bins, in a few passes over the positions. With even more bins, threads rarely collide, and update the final
//! result directly.
//!
//! In a loop that a single block executes, the result is updated directly, too: it is small, and may be in shared memory
//! itself.

use super::super::Emit;
use super::super::combine::{Kept, Room, Sofar};
use super::super::screma::if_within;
use super::super::write::hist_parts;
use super::atomic::{Atomic, Store, same};
use super::seg::SegOp;
use super::{bin, lt, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_facts::cost::{self, has_effects};
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::{all, le};
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, CmpOp, Hist, HistOp, Scalar, Var};

/// The minimum number of bins that a block has room for.
const LEAST_ROOM: u32 = 64;

/// The maximum number of passes over the positions if the result could also be updated atomically.
const PASSES: i64 = 4;

/// The same if threads would have to lock elements of the result.
const MANY_PASSES: i64 = 64;

/// Rows of at least this many elements do not benefit: the threads of a warp update different elements at the same
/// time, and a single instruction for all of them is fast in global memory as well.
const LONG_ROWS: i64 = DEVICE.warp as i64;

/// But with this many contributions to each element, they contend nevertheless.
const CROWD: i64 = 256;

/// The maximum number of copies of a histogram in a block: one for each thread of a warp.
const COPIES: i64 = DEVICE.warp as i64;

/// A thread has at least this many positions before another block is used for its segment.
const ITEMS: i64 = 8;

/// A block for a segment pays off from this many positions, and if there are at most this many bins for each of them.
const LEAST: (i64, i64) = (128, 4);

/// The same if threads would have to lock elements of the result.
const LEAST_LOCKED: (i64, i64) = (16, 16);

/// This many positions of a thread are loaded before the first one contributes, so that their loads overlap.
const BATCH: i64 = 4;

/// Functions and operators with at most this many statements are small enough for a batch.
const SMALL: usize = 16;

/// What is known about one of the operators.
pub(super) struct Bins<'a> {
    pub(super) op: &'a HistOp,
    pub(super) atomic: Atomic,
    /// The sizes of its dimensions.
    pub(super) shape: Vec<Exp>,
    /// Their product.
    pub(super) count: Exp,
    /// The number of copies of the bins of a pass: a power of two.
    copies: V,
    /// The partial results of chunks; none if they are added to the result by atomic instructions.
    pub(super) partials: Option<Kept>,
}

/// What is known about all of them.
pub(super) struct Histograms<'a, 'b> {
    pub(super) seg: &'b SegOp<'a>,
    pat: &'a [Var],
    op: &'a Hist,
    bins: Vec<Bins<'a>>,
    /// The sizes of the surrounding maps, and their product.
    pub(super) dims: Vec<Exp>,
    pub(super) segments: Exp,
    width: Exp,
    /// The number of chunks of a segment.
    pub(super) chunks: Exp,
    /// The number of bins that a block has room for.
    room: u32,
    /// The number of passes; none if one is enough.
    passes: Option<Exp>,
}

/// The histograms of a block.
struct Own<'c> {
    bins: &'c Bins<'c>,
    store: Store,
    /// The first bin, and the number of bins.
    low: Option<Exp>,
    count: Exp,
    /// The number of copies, and the copy of this thread, as `i32`.
    copies: Exp,
    copy: Exp,
}

impl<'a> Emit<'a> {
    /// Histograms, with or without surrounding maps.
    pub(super) fn hist_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Hist) {
        let plain = |this: &mut Self| {
            let sizes = this.sizes(seg, Some(this.atom(op.width)));
            this.grid("hist", &sizes, |this, indices| {
                let at = this.enter_operator(seg, indices);
                this.hist_at(pat, op, at);
            });
        };
        if self.runs.block().is_some() {
            return plain(self);
        }
        let Some(atomics) = self.atomics(op) else { return plain(self) };
        let bytes: u32 = atomics.iter().map(Atomic::bytes).sum();
        let room = DEVICE.histogram_bytes / bytes.max(1);
        // Of a histogram that nobody reads, only the function is left.
        if op.ops.is_empty() || room < LEAST_ROOM {
            return plain(self);
        }
        let width = self.simple("width", &self.atom(op.width));
        let mut counts = Vec::with_capacity(atomics.len());
        for op in &op.ops {
            let shape: Vec<Exp> = op.shape.iter().map(|size| self.atom(*size)).collect();
            let count = self.total(&shape);
            counts.push((shape, count));
        }
        let max = |a: Exp, b: Exp| bin(BinOp::Max, a, b);
        let most = counts.iter().map(|(_, count)| count.clone()).reduce(max);
        let most = self.simple("bins", &most.or_bug("operator of a histogram"));
        let once = has_effects(&op.map.body) || !self.is_private(&op.map.body);
        let locks = atomics.iter().any(Atomic::needs_lock);
        let (passes, (least, bins)) = match locks {
            true => (MANY_PASSES, LEAST_LOCKED),
            false => (PASSES, LEAST),
        };
        let limit = i64::from(room) * if once { 1 } else { passes };
        let many = bin(BinOp::Mul, width.clone(), Exp::int(bins));
        let mut conditions = vec![
            le(most.clone(), Exp::int(limit)),
            le(most.clone(), many),
            le(Exp::int(least), width.clone()),
        ];
        let by_instruction = atomics.iter().all(|atomic| atomic.by_instruction().is_some());
        if let Some(row) = row_size(op).filter(|_| by_instruction) {
            let short = lt(self.atom(row), Exp::int(LONG_ROWS));
            let crowded = le(bin(BinOp::Mul, most.clone(), Exp::int(CROWD)), width.clone());
            let either = Exp::Bin(BinOp::Or, Prim::Bool, Box::new(short), Box::new(crowded));
            conditions.push(either);
        }
        let worth = all(conditions);
        let own = self.block(|this| {
            let passes = (!once).then(|| {
                let passes = quot_up(most.clone(), Exp::int(i64::from(room)));
                this.simple("passes", &bin(BinOp::Max, passes, Exp::int(1)))
            });
            this.own_histograms(seg, pat, op, (atomics, counts), (room, &most, width, passes));
        });
        let plain = self.block(plain);
        self.out.push(Stm::If(worth, own, plain));
    }

    /// How the elements are stored, if all consist of scalars and the host knows how many there are.
    fn atomics(&self, op: &'a Hist) -> Option<Vec<Atomic>> {
        let known = |atom: &Atom| atom.var().is_none_or(|var| self.scalars.contains_key(&var));
        let sizes = || op.ops.iter().flat_map(|op| &op.shape).chain([&op.width]);
        let placed = |op: &HistOp| op.dests.iter().all(|dest| self.place(*dest).is_some());
        if !sizes().all(known) || !op.ops.iter().all(placed) {
            return None;
        }
        op.ops.iter().map(|op| self.atomic(op)).collect()
    }

    fn own_histograms(
        &mut self,
        seg: &SegOp<'a>,
        pat: &'a [Var],
        op: &'a Hist,
        (atomics, counts): (Vec<Atomic>, Vec<(Vec<Exp>, Exp)>),
        (room, most, width, passes): (u32, &Exp, Exp, Option<Exp>),
    ) {
        let dims: Vec<Exp> = self.sizes(seg, None).iter().map(|d| self.simple("size", d)).collect();
        let segments = self.total(&dims);
        // A block for each pass over each chunk of each segment.
        let groups = match &passes {
            Some(passes) => bin(BinOp::Mul, segments.clone(), passes.clone()),
            None => segments.clone(),
        };
        let at_least_one = |e| bin(BinOp::Max, e, Exp::int(1));
        let half = bin(BinOp::Quot, most.clone(), Exp::int(2));
        let least =
            bin(BinOp::Max, half, Exp::int(i64::from(self.threads()) * self.unless_few(ITEMS, 1)));
        let by_size = quot_up(width.clone(), least);
        let by_groups = quot_up(self.busy_blocks(), at_least_one(groups.clone()));
        let chunks = at_least_one(bin(BinOp::Min, by_size, by_groups));
        let chunks = self.simple("chunks", &chunks);
        let mut bins = Vec::with_capacity(atomics.len());
        for ((op, atomic), (shape, count)) in op.ops.iter().zip(atomics).zip(counts) {
            let copies = self.copies(&count, room);
            let partials = atomic.by_instruction().is_none().then(|| {
                let all = bin(BinOp::Mul, segments.clone(), chunks.clone());
                let total = self.simple("found", &bin(BinOp::Mul, all, count.clone()));
                self.keep("partial", &op.op, &Room::Memory(total))
            });
            bins.push(Bins { op, atomic, shape, count, copies, partials });
        }
        let histograms =
            Histograms { seg, pat, op, bins, dims, segments, width, chunks, room, passes };
        self.gather(&histograms, groups);
        for bins in &histograms.bins {
            if let Some(partials) = &bins.partials {
                let merge = self.block(|this| this.merge_bins(&histograms, bins, partials));
                let several = lt(Exp::int(1), histograms.chunks.clone());
                self.out.push(Stm::If(several, merge, Block::new()));
            }
        }
        let partials: Vec<Kept> =
            histograms.bins.into_iter().filter_map(|bins| bins.partials).collect();
        self.free(&partials);
    }

    /// Whether every thread may execute a function as often as it likes: nothing in it needs memory.
    fn is_private(&self, body: &ir::Body) -> bool {
        body.stms.iter().all(|stm| {
            let is_made = matches!(stm.exp, ir::Exp::Iota(..) | ir::Exp::Replicate(..));
            let needs_memory = |var: &Var| {
                self.allocations.contains_key(var) || is_made && self.place(*var).is_some()
            };
            let mut fits = cost::is_private(stm, self.ir) && !stm.pat.iter().any(needs_memory);
            stm.exp.for_each_body(&mut |body| fits = fits && self.is_private(body));
            fits
        })
    }

    /// As many copies as there is room for.
    pub(super) fn copies(&mut self, count: &Exp, room: u32) -> V {
        let room = Exp::int(i64::from(room));
        let own = bin(BinOp::Min, count.clone(), room.clone());
        let own = self.simple("own", &own);
        let copies = self.declare("copies", Prim::I64, Some(Exp::int(1)));
        let twice = bin(BinOp::Mul, Exp::Var(copies), Exp::int(2));
        let fits = le(bin(BinOp::Mul, twice.clone(), own), room);
        let more = all([lt(Exp::Var(copies), Exp::int(COPIES)), fits]);
        self.out.push(Stm::While(more, vec![Stm::Assign(copies, twice)]));
        copies
    }

    /// The first kernel.
    fn gather(&mut self, all: &Histograms<'a, '_>, groups: Exp) {
        let chunks = all.chunks.clone();
        let per_chunk = self.simple("per_chunk", &quot_up(all.width.clone(), chunks.clone()));
        let blocks = self.simple("blocks", &bin(BinOp::Mul, groups, chunks.clone()));
        let threads = self.threads();
        self.launch("hist", blocks, threads, |this, block, thread| {
            // Neighbouring blocks make the passes over a chunk, so that they find it in the cache.
            let mut space = vec![all.segments.clone(), chunks];
            space.extend(all.passes.clone());
            let numbers = this.unranked(Exp::Var(block), &space);
            let (segment, chunk) = (numbers[0].clone(), numbers[1].clone());
            let low = this.simple("low", &bin(BinOp::Mul, chunk.clone(), per_chunk.clone()));
            let high = bin(BinOp::Add, low.clone(), per_chunk);
            let high = this.simple("high", &bin(BinOp::Min, high, all.width.clone()));
            let indices = this.unranked(segment.clone(), &all.dims);
            this.enter_space(all.seg, &indices);
            let mut own = Vec::with_capacity(all.bins.len());
            for bins in &all.bins {
                own.push(this.own_bins(all, bins, numbers.get(2), thread));
            }
            for own in &own {
                this.clear_bins(own, thread);
            }
            this.out.push(Stm::Barrier);
            let section = this.block(|this| this.positions(all, &own, (low, high), thread));
            this.out.push(Stm::Section(section));
            this.out.push(Stm::Barrier);
            let number = bin(BinOp::Mul, segment, all.chunks.clone());
            let number = this.simple("number", &bin(BinOp::Add, number, chunk));
            // A failing check of the operator ends only the section, so that all threads reach the end.
            let section = this.block(|this| {
                for (own, bins) in own.iter().zip(&all.bins) {
                    this.leave_bins(all, bins, own, &number, thread);
                }
            });
            this.out.push(Stm::Section(section));
            this.end_kernel();
        });
    }

    /// A barrier at the end of a kernel. Without it, in a kernel that may end early, PoCL 3.1 lets all threads execute
    /// what only some should execute after the last barrier.
    pub(super) fn end_kernel(&mut self) {
        self.out.push(Stm::Barrier);
    }

    /// The shared arrays of an operator.
    fn own_bins<'c>(
        &mut self,
        all: &Histograms<'a, '_>,
        bins: &'c Bins<'a>,
        pass: Option<&Exp>,
        thread: V,
    ) -> Own<'c>
    where
        'a: 'c,
    {
        let room = Exp::int(i64::from(all.room));
        let store = self.shared_store(&bins.atomic, all.room);
        let (low, count) = match pass {
            Some(pass) => {
                let low = self.simple("first", &bin(BinOp::Mul, pass.clone(), room.clone()));
                let rest = bin(BinOp::Sub, bins.count.clone(), low.clone());
                let rest = bin(BinOp::Max, bin(BinOp::Min, rest, room), Exp::int(0));
                (Some(low), self.simple("own", &rest))
            }
            None => (None, bins.count.clone()),
        };
        let copies =
            Exp::Var(self.declare("copies", Prim::I32, Some(short(Exp::Var(bins.copies)))));
        let mask = bin32(BinOp::Sub, copies.clone(), int32(1));
        let copy = bin32(BinOp::And, short(Exp::Var(thread)), mask);
        let copy = Exp::Var(self.declare("copy", Prim::I32, Some(copy)));
        Own { bins, store, low, count, copies, copy }
    }

    /// Initialises all bins of all copies with neutral elements.
    fn clear_bins(&mut self, own: &Own<'_>, thread: V) {
        let used = bin(
            BinOp::Mul,
            own.count.clone(),
            Exp::Convert(Prim::I32, Prim::I64, Box::new(own.copies.clone())),
        );
        let used = short(self.simple("used", &used));
        let neutral: Vec<Exp> = own.bins.op.neutral.iter().map(|part| self.atom(*part)).collect();
        self.strided(thread, used, |this, k| {
            this.set_element(&own.bins.atomic, &own.store, &Exp::Var(k), &neutral);
        });
    }

    /// Executes code for each 32-bit number below a bound, distributed over the threads of the block.
    pub(super) fn strided(&mut self, thread: V, bound: Exp, work: impl FnOnce(&mut Self, V)) {
        let bound = Exp::Var(self.declare("bound", Prim::I32, Some(bound)));
        let base = self.new_var("base", Ty::Scalar(Prim::I32));
        let body = self.block(|this| {
            let k = bin32(BinOp::Add, Exp::Var(base), short(Exp::Var(thread)));
            let k = this.declare("k", Prim::I32, Some(k));
            let inside = this.block(|this| work(this, k));
            let is_inside =
                Exp::Cmp(CmpOp::Lt, Prim::I32, Box::new(Exp::Var(k)), Box::new(bound.clone()));
            this.out.push(Stm::If(is_inside, inside, Block::new()));
        });
        let (from, step, kind) = (int32(0), i64::from(self.threads()), Kind::Sequential);
        self.out.push(Stm::For { var: base, from, to: bound, step, kind, body });
    }

    /// The positions of a chunk; neighbouring threads have neighbouring positions.
    fn positions(
        &mut self,
        all: &Histograms<'a, '_>,
        own: &[Own<'_>],
        (low, high): (Exp, Exp),
        thread: V,
    ) {
        // The loops are the same for all threads of the block.
        let threads = i64::from(self.threads());
        let base = self.declare("base", Prim::I64, Some(low));
        let next = |steps: i64| bin(BinOp::Add, Exp::Var(base), Exp::int(steps * threads));
        let at = |this: &mut Self, step: i64| {
            let at =
                Exp::Index(vec![(1, vec![base]), (1, vec![thread]), (step * threads, Vec::new())]);
            Exp::Var(this.declare("i", Prim::I64, Some(at)))
        };
        let body = &all.op.map.body;
        let operators = all.op.ops.iter().map(|op| op.op.body.stms.len()).sum::<usize>();
        if body.stms.len() + operators <= SMALL && self.is_private(body) {
            let batch = self.block(|this| {
                let mut found = Vec::new();
                for number in 0..BATCH {
                    let at = at(this, number);
                    found.push(this.position(all, at));
                }
                for parts in found {
                    this.contribute_all(all, own, &parts);
                }
                this.out.push(Stm::Assign(base, next(BATCH)));
            });
            self.out.push(Stm::While(le(next(BATCH), high.clone()), batch));
        }
        let rest = self.block(|this| {
            let at = at(this, 0);
            let single = this.block(|this| {
                let parts = this.position(all, at.clone());
                this.contribute_all(all, own, &parts);
            });
            this.out.push(Stm::If(lt(at, high.clone()), single, Block::new()));
            this.out.push(Stm::Assign(base, next(1)));
        });
        self.out.push(Stm::While(lt(Exp::Var(base), high), rest));
    }

    /// The function at a position; returns its results as variables and constants.
    fn position(&mut self, all: &Histograms<'a, '_>, at: Exp) -> Vec<Exp> {
        self.enter(all.pat, &all.op.inputs, &all.op.map, at);
        self.body(&all.op.map.body);
        all.op.map.body.results.iter().map(|result| self.atom(*result)).collect()
    }

    fn contribute_all(&mut self, all: &Histograms<'a, '_>, own: &[Own<'_>], parts: &[Exp]) {
        let contributions = hist_parts(all.op, parts);
        for ((op, indices, values), own) in contributions.into_iter().zip(own) {
            let flat = flat_index(&indices, &own.bins.shape);
            let flat = match &own.low {
                Some(low) => bin(BinOp::Sub, flat, low.clone()),
                None => flat,
            };
            let flat = self.simple("bin", &flat);
            let body = self.block(|this| {
                let at = bin32(BinOp::Mul, short(flat.clone()), own.copies.clone());
                let at = bin32(BinOp::Add, at, own.copy.clone());
                this.update_element(&op.op, &own.bins.atomic, &own.store, &at, &values);
            });
            // With a single dimension, an index is in bounds if it is one of those that this block handles.
            let mut inside = vec![if_within(&[flat], std::slice::from_ref(&own.count), body)];
            if indices.len() > 1 {
                inside = vec![if_within(&indices, &own.bins.shape, inside)];
            }
            self.out.append(&mut inside);
        }
    }

    /// Adds the result of a block to the final result, or stores it for another kernel to combine.
    fn leave_bins(
        &mut self,
        all: &Histograms<'a, '_>,
        bins: &Bins<'a>,
        own: &Own<'_>,
        number: &Exp,
        thread: V,
    ) {
        self.strided(thread, short(own.count.clone()), |this, k| {
            let found = this.combine_copies(bins, own, k);
            let values: Vec<Exp> = found.iter().filter_map(Sofar::value).collect();
            let wide = Exp::Convert(Prim::I32, Prim::I64, Box::new(Exp::Var(k)));
            let place = match &own.low {
                Some(low) => bin(BinOp::Add, wide, low.clone()),
                None => wide,
            };
            let place = Exp::Var(this.declare("place", Prim::I64, Some(place)));
            if bins.atomic.by_instruction().is_some() {
                return this.add_to_result(bins, &place, &values);
            }
            let alone = this.block(|this| this.finish_bin(bins, &place, &values));
            let several = this.block(|this| {
                let at = bin(BinOp::Mul, number.clone(), bins.count.clone());
                let at = this.simple("there", &bin(BinOp::Add, at, place.clone()));
                bins.partials.iter().for_each(|partials| this.store_kept(&found, partials, &at));
            });
            let is_alone = super::eq(all.chunks.clone(), Exp::int(1));
            this.out.push(Stm::If(is_alone, alone, several));
        });
    }

    /// Combines the copies of a bin. Neighbouring threads begin with different copies, which are in different banks.
    fn combine_copies(&mut self, bins: &Bins<'a>, own: &Own<'_>, k: V) -> Vec<Sofar<'a>> {
        let first = bin32(BinOp::Mul, Exp::Var(k), own.copies.clone());
        let first = Exp::Var(self.declare("start", Prim::I32, Some(first)));
        let at = bin32(BinOp::Add, first.clone(), own.copy.clone());
        let mut found = Vec::with_capacity(bins.atomic.prims.len());
        let parts = self.get_element(&bins.atomic, &own.store, &at);
        for (part, prim) in parts.into_iter().zip(&bins.atomic.prims) {
            found.push(Sofar::Scalar(self.declare("found", *prim, Some(part))));
        }
        let c = self.new_var("c", Ty::Scalar(Prim::I32));
        let body = self.block(|this| {
            let mask = bin32(BinOp::Sub, own.copies.clone(), int32(1));
            let at = bin32(BinOp::Add, first, bin32(BinOp::And, Exp::Var(c), mask));
            let right = this.get_element(&bins.atomic, &own.store, &at);
            let right: Vec<_> = right.into_iter().map(Some).collect();
            this.combine_values(&bins.op.op, &found, &right);
        });
        let from = bin32(BinOp::Add, own.copy.clone(), int32(1));
        let to = bin32(BinOp::Add, own.copy.clone(), own.copies.clone());
        self.out.push(Stm::For { var: c, from, to, step: 1, kind: Kind::Sequential, body });
        found
    }

    /// Adds a value to an element of the result with atomic instructions, unless it is neutral.
    fn add_to_result(&mut self, bins: &Bins<'a>, place: &Exp, values: &[Exp]) {
        let Some(ops) = bins.atomic.by_instruction() else { return };
        let there = self.destinations(bins, place);
        let parts = values.iter().zip(&bins.atomic.prims).zip(&bins.op.neutral);
        for (((ptr, at), red), ((value, prim), neutral)) in there.into_iter().zip(ops).zip(parts) {
            let add = Stm::Atomic(*red, ptr, at, value.clone());
            // For floats, zeros of both signs are equal.
            self.out.push(match prim.is_float() {
                true => add,
                false => {
                    let is_neutral = same(*prim, value.clone(), self.atom(*neutral));
                    Stm::If(is_neutral, Block::new(), vec![add])
                }
            });
        }
    }

    /// Adds a value to an element of the result that no other thread changes.
    pub(super) fn finish_bin(&mut self, bins: &Bins<'a>, place: &Exp, values: &[Exp]) {
        let there = self.destinations(bins, place);
        let mut old = Vec::with_capacity(there.len());
        for ((ptr, at), prim) in there.iter().zip(&bins.atomic.prims) {
            let value = Exp::Load(*ptr, Box::new(at.clone()));
            old.push(Exp::Var(self.declare("old", *prim, Some(value))));
        }
        let results = self.apply((&bins.op.op, 0), &old, values);
        for ((ptr, at), result) in there.into_iter().zip(results) {
            self.out.push(Stm::Store(ptr, at, result));
        }
    }

    /// Where the components of an element of the result are.
    fn destinations(&mut self, bins: &Bins<'a>, place: &Exp) -> Vec<(V, Exp)> {
        let indices = self.unranked(place.clone(), &bins.shape);
        let mut all = Vec::with_capacity(bins.op.dests.len());
        for dest in &bins.op.dests {
            if let Some(place) = self.place(*dest) {
                let at = self.address(&place.lmad, &indices);
                all.push((self.mem(place.block).ptr, at));
            }
        }
        all
    }
}

/// The row size of a histogram whose neighbouring positions have neighbouring elements of a row: the last index is the
/// remainder of the position.
fn row_size(op: &Hist) -> Option<Atom> {
    let [one] = op.ops.as_slice() else { return None };
    let [.., size] = one.shape.as_slice() else { return None };
    let column = op.map.body.results.get(one.shape.len().checked_sub(1)?)?.var()?;
    let stm = op.map.body.stms.iter().find(|stm| stm.pat == [column])?;
    let ir::Exp::BinOp(BinOp::Rem | BinOp::Mod, at, by) = stm.exp else { return None };
    let is_position = at.var().is_some_and(|var| op.map.params.contains(&var));
    (one.shape.len() > 1 && is_position && by == *size).then_some(*size)
}

/// The number of a position in a space, in row-major order.
pub(super) fn flat_index(indices: &[Exp], shape: &[Exp]) -> Exp {
    let mut flat: Option<Exp> = None;
    for (index, size) in indices.iter().zip(shape) {
        flat = Some(match flat {
            None => index.clone(),
            Some(flat) => bin(BinOp::Add, bin(BinOp::Mul, flat, size.clone()), index.clone()),
        });
    }
    flat.or_bug("dimension of a histogram")
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other numbers are converted")]
pub(super) fn short(value: Exp) -> Exp {
    match value {
        Exp::Const(Scalar::I64(number)) if i32::try_from(number).is_ok() => int32(number as i32),
        other => Exp::Convert(Prim::I64, Prim::I32, Box::new(other)),
    }
}

pub(super) fn int32(value: i32) -> Exp {
    Exp::Const(Scalar::I32(value))
}

pub(super) fn bin32(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::I32, Box::new(a), Box::new(b))
}
