//! Reductions, with or without surrounding maps: a thread block for each segment.
//!
//! If there are few segments, several blocks share each one, and a second kernel combines their results. If segments
//! are short, a block processes several, see [`super::segments`].

use super::super::Emit;
use super::seg::SegOp;
use super::space::Space;
use super::stage::{Stage, is_short, up_to};
use super::team::{Parts, SHARED_BYTES, to_its_end};
use super::{bin, eq, lt, quick_quot, quot_up};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all as conjunction;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{Atom, BinOp, Screma, Var};

/// If a block is one of several for a segment, its threads have at least this many elements each.
const MANY_ITEMS: i64 = 16;

/// This many elements of a thread are loaded at once.
const AT_ONCE: i64 = 4;

/// The elements of a line of memory, if they are small.
const LINE: i64 = 32;

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
    /// The types of the components of the reduced values.
    pub(super) prims: Vec<Option<Prim>>,
    /// For each component, the result, if there are no surrounding maps.
    results: Vec<Option<V>>,
}

/// What the kernels for long segments share.
struct Chunks {
    /// The threads of a block.
    threads: u32,
    /// The stage through which elements are combined, if the order matters.
    stage: Option<Stage>,
    /// The number of chunks of a segment.
    chunks: V,
    /// For each component of the reduced values, the results of all chunks.
    partials: Vec<Option<V>>,
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
        let prims = self.reduced_prims(pat, op);
        let bytes: u32 = prims.iter().flatten().map(|prim| prim.bits().div_ceil(8)).sum();
        let bytes = bytes.max(1);
        let (results, handles) = match seg.space.is_empty() {
            true => self.for_parts("result", &prims, &Exp::int(1)),
            false => (vec![None; prims.len()], Vec::new()),
        };
        let all = Reduction { seg, pat, op, with_maps, space, segments, prims, results };
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
        for (var, result) in pat[op.scanned()..op.folded()].iter().zip(&all.results) {
            if let Some(result) = result {
                let v = self.declare(&self.ir[*var].hint.clone(), self.scalar_prim(*result), None);
                self.out.push(Stm::Fetch(v, *result, Exp::int(0)));
                self.scalars.insert(*var, Exp::Var(v));
            }
        }
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// Arrays of this many elements for the components of the reduced values, and their handles.
    fn for_parts(
        &mut self,
        hint: &str,
        prims: &[Option<Prim>],
        count: &Exp,
    ) -> (Vec<Option<V>>, Vec<V>) {
        let (mut all, mut handles) = (Vec::with_capacity(prims.len()), Vec::new());
        for prim in prims {
            all.push(prim.map(|prim| {
                let (handle, ptr) = self.temporary(hint, prim, count.clone());
                handles.push(handle);
                ptr
            }));
        }
        (all, handles)
    }

    fn reduce_by_blocks(&mut self, all: &Reduction<'a, '_>, width: &Exp, bytes: u32) {
        let stage = (!self.is_commutative(all.op)).then(|| Stage::new(self, bytes));
        let threads = stage.as_ref().map_or(team_threads(self, bytes), |stage| stage.threads);
        let chunks = self.chunks_of(width, &all.segments, threads);
        let count = bin(BinOp::Mul, all.segments.clone(), Exp::Var(chunks));
        let count = self.simple("count", &count);
        let (partials, handles) = self.for_parts("partial", &all.prims, &count);
        let cx = Chunks { threads, stage, chunks, partials };
        self.first_round(all, &cx, width, &count);
        let second = self.block(|this| this.second_round(all, &cx));
        self.out.push(Stm::If(lt(Exp::int(1), Exp::Var(chunks)), second, Block::new()));
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// The types of the reduced values.
    fn reduced_prims(&self, pat: &[Var], op: &Screma) -> Vec<Option<Prim>> {
        pat[op.scanned()..op.folded()].iter().map(|var| self.prim((*var).into())).collect()
    }

    /// The number of chunks of a segment, if one block is not enough for it.
    fn chunks_of(&mut self, width: &Exp, segments: &Exp, threads: u32) -> V {
        let at_least_one = |e| bin(BinOp::Max, e, Exp::int(1));
        let by_size =
            quot_up(width.clone(), Exp::int(i64::from(threads) * self.unless_few(MANY_ITEMS, 1)));
        let by_segments =
            quot_up(Exp::int(self.unless_few(DEVICE.blocks, 4)), at_least_one(segments.clone()));
        let some = at_least_one(bin(BinOp::Min, by_size, by_segments));
        self.declare("chunks", Prim::I64, Some(some))
    }

    fn first_round(&mut self, all: &Reduction<'a, '_>, cx: &Chunks, width: &Exp, count: &Exp) {
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
            let indices = this.position_in(segment, &all.space);
            this.enter_space(all.seg, &indices);
            let (range, team) = ((low, high), Exp::int(i64::from(cx.threads)));
            let thread = Exp::Var(thread);
            let parts = match &cx.stage {
                Some(stage) => {
                    let parts = this.start_staged(all, stage);
                    this.reduce_in_order(all, &parts, range, &thread, stage);
                    parts
                }
                None => {
                    let parts = this.start_parts(op, cx.threads);
                    let section =
                        this.block(|this| this.reduce_apart(all, &parts, range, &thread, &team));
                    this.out.push(Stm::Section(section));
                    parts
                }
            };
            this.team_reduce(&parts, &thread, &team, &thread);
            let finish = this.block(|this| this.finish(all, &parts));
            let save = this.block(|this| {
                let values = parts.iter().flat_map(|part| &part.own);
                let stores: Vec<(V, Exp)> = values
                    .zip(&cx.partials)
                    .filter_map(|(part, array)| Some(((*array)?, part.value()?)))
                    .collect();
                for (array, value) in stores {
                    this.out.push(Stm::Store(array, number.clone(), value));
                }
            });
            // Two tests: PoCL 3.1 mixes up the variables of threads if this is one test with two outcomes.
            let alone = eq(chunks.clone(), Exp::int(1));
            let several = lt(Exp::int(1), chunks.clone());
            for (which, block) in [(alone, finish), (several, save)] {
                let leads = conjunction([which, eq(thread.clone(), Exp::int(0))]);
                this.out.push(Stm::If(leads, block, Block::new()));
            }
        });
    }

    /// The values of the thread, with shared arrays.
    fn start_parts(&mut self, op: &'a Screma, threads: u32) -> Vec<Parts<'a>> {
        let own = self.start_reds(op);
        let mut parts = Vec::with_capacity(own.len());
        for (red, own) in op.reds.iter().zip(own) {
            let shared = self.shared("all", &own, threads);
            parts.push(Parts { op: &red.op, own, shared });
        }
        parts
    }

    /// The elements of a range that belong to a thread, if they may be combined in any order: neighbouring threads have
    /// neighbouring elements. Several are loaded at once, so that a thread need not wait for one before it requests the
    /// next.
    fn reduce_apart(
        &mut self,
        all: &Reduction<'a, '_>,
        parts: &[Parts<'a>],
        (low, high): (Exp, Exp),
        lane: &Exp,
        team: &Exp,
    ) {
        let first = self.simple("first", &bin(BinOp::Add, low.clone(), lane.clone()));
        let at_once = bin(BinOp::Mul, team.clone(), Exp::int(AT_ONCE));
        let whole = bin(BinOp::Quot, bin(BinOp::Sub, high.clone(), low), at_once.clone());
        let whole = self.simple("whole", &whole);
        let step = |this: &mut Self| this.new_var("step", fehu_imp::Ty::Scalar(Prim::I64));
        let [round, one, rest] = [step(self), step(self), step(self)];
        let place = |before: Exp, one: V| {
            let apart = bin(BinOp::Mul, Exp::Var(one), team.clone());
            bin(BinOp::Add, bin(BinOp::Add, first.clone(), before), apart)
        };
        let before = bin(BinOp::Mul, Exp::Var(round), at_once.clone());
        if all.with_maps
            && let Some(body) = self.several_elements(all, parts, &|k| place(before.clone(), k))
        {
            self.out.push(up_to(round, whole.clone(), body));
        } else {
            let body = self.block(|this| {
                this.reduce_element(all, parts, place(before, one));
            });
            let number = self.unrolled(&body);
            self.out.push(up_to(round, whole.clone(), vec![up_to(one, number, body)]));
        }
        let body = self.block(|this| {
            let at = place(bin(BinOp::Mul, whole, at_once), rest);
            let at = this.simple("at", &at);
            let body = this.block(|this| this.reduce_element(all, parts, at.clone()));
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
        parts: &[Parts<'a>],
        place: &dyn Fn(V) -> Exp,
    ) -> Option<Block> {
        let op = all.op;
        let results = &op.map.body.results[op.scanned()..];
        let prims: Option<Vec<Prim>> = results.iter().map(|result| self.prim(*result)).collect();
        let prims = prims.filter(|prims| prims.len() > all.prims.len())?;
        let count = u32::try_from(AT_ONCE).ok()?;
        let mut declared = Block::new();
        let mut kept = Vec::with_capacity(prims.len());
        for prim in prims {
            let array = self.new_var("kept", Ty::Local(prim, count));
            declared.push(Stm::Declare(array, None));
            kept.push(Some(array));
        }
        let [k, l] = [0, 1].map(|_| self.new_var("k", Ty::Scalar(Prim::I64)));
        let compute = self.block(|this| {
            this.enter(all.pat, &op.inputs, &op.map, place(k));
            this.body(&op.map.body);
            for (array, result) in kept.iter().flatten().zip(results) {
                let value = this.atom(*result);
                this.out.push(Stm::Store(*array, Exp::Var(k), value));
            }
        });
        if !self.is_plain(&compute, &kept) {
            return None;
        }
        let finish = self.block(|this| {
            let at = this.simple("at", &place(l));
            let index = this.table.index(all.pat, &op.map);
            this.scalars.insert(index, at);
            let mut kept = kept.iter().copied();
            for part in parts {
                let arrays: Vec<Option<V>> = kept.by_ref().take(part.own.len()).collect();
                let right = this.get_parts(&arrays, &Exp::Var(l));
                this.combine_parts(part.op, &part.own, &right);
            }
            let arrays: Vec<Option<V>> = kept.collect();
            let plain = this.get_parts(&arrays, &Exp::Var(l));
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
    fn reduce_element(&mut self, all: &Reduction<'a, '_>, parts: &[Parts<'a>], at: Exp) {
        let op = all.op;
        let index = self.enter(all.pat, &op.inputs, &op.map, at);
        self.body(&op.map.body);
        let mut results = op.map.body.results[op.scanned()..].iter().copied();
        for part in parts {
            let elements: Vec<Atom> = results.by_ref().take(part.own.len()).collect();
            self.combine(part.op, &part.own, &elements);
        }
        if all.with_maps {
            for (result, var) in results.zip(&all.pat[op.folded()..]) {
                self.store_row(*var, index, result);
            }
        }
    }

    /// Whether elements may be combined in any order.
    pub(super) fn is_commutative(&self, op: &Screma) -> bool {
        op.reds.iter().all(|red| red.commutative || self.vector_ops(&red.op).is_some())
    }

    /// Combines the results of the chunks of a segment.
    fn second_round(&mut self, all: &Reduction<'a, '_>, cx: &Chunks) {
        let chunks = Exp::Var(cx.chunks);
        let threads = i64::from(cx.threads);
        self.launch("combine", all.segments.clone(), cx.threads, |this, block, thread| {
            let indices = this.position_in(Exp::Var(block), &all.space);
            this.enter_space(all.seg, &indices);
            let parts = this.start_parts(all.op, cx.threads);
            let share = this.simple("share", &quot_up(chunks.clone(), Exp::int(threads)));
            let start = bin(BinOp::Mul, Exp::Var(thread), share.clone());
            let start = this.simple("start", &start);
            let end = bin(BinOp::Min, chunks.clone(), bin(BinOp::Add, start.clone(), share));
            let end = this.simple("end", &end);
            let k = this.new_var("k", fehu_imp::Ty::Scalar(Prim::I64));
            let body = this.block(|this| {
                let before = bin(BinOp::Mul, Exp::Var(block), chunks.clone());
                let at = bin(BinOp::Add, before, Exp::Var(k));
                let mut arrays = cx.partials.iter().copied();
                for part in &parts {
                    let arrays: Vec<Option<V>> = arrays.by_ref().take(part.own.len()).collect();
                    let right = this.get_parts(&arrays, &at);
                    this.combine_parts(part.op, &part.own, &right);
                }
            });
            let kind = Kind::Sequential;
            let each = Stm::For { var: k, from: start, to: end, step: 1, kind, body };
            this.out.extend(to_its_end(vec![each]));
            let thread = Exp::Var(thread);
            this.team_reduce(&parts, &thread, &Exp::int(threads), &thread);
            let finish = this.block(|this| this.finish(all, &parts));
            this.out.push(Stm::If(eq(thread, Exp::int(0)), finish, Block::new()));
        });
    }

    /// Stores the result of a segment.
    pub(super) fn finish(&mut self, all: &Reduction<'a, '_>, parts: &[Parts<'a>]) {
        for (number, (part, result)) in
            parts.iter().flat_map(|part| &part.own).zip(&all.results).enumerate()
        {
            match (part.value(), result) {
                (Some(value), Some(result)) => {
                    self.out.push(Stm::Store(*result, Exp::int(0), value));
                }
                (Some(value), None) => {
                    self.store_result(all.seg, all.op.scanned() + number, value);
                }
                (None, _) => {}
            }
        }
    }
}

/// The number of threads of a block that share values of this many bytes.
pub(super) fn team_threads(emit: &Emit<'_>, bytes: u32) -> u32 {
    let mut threads = emit.threads();
    while threads > 32 && threads * bytes > SHARED_BYTES {
        threads /= 2;
    }
    threads
}
