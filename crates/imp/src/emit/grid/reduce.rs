//! Reductions, with or without maps around them: a team of threads for each segment.
//!
//! The size of a team is chosen when the program runs, by the width: one thread for a segment of a few elements, a whole block for a
//! long one, and several blocks if there are few segments; then a second kernel combines what the blocks have found.

use super::super::Emit;
use super::super::screma::Sofar;
use super::nest::Nest;
use super::team::{Parts, SHARED_BYTES, value};
use super::{THREADS, bin, eq, lt, quot_up};
use crate::{Block, Exp, Kind, Stm, V};
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Screma, Var};

/// A thread has at least so many elements before there is another thread for its segment.
const ITEMS: i64 = 4;

/// A thread of a block that is one of several for a segment has at least so many elements.
const MANY_ITEMS: i64 = 16;

/// With fewer blocks than this a device is not busy.
const BLOCKS: i64 = 1056;

/// What both kernels know.
struct Reduction<'a, 'b> {
    nest: &'b Nest<'a>,
    pat: &'a [Var],
    op: &'a Screma,
    with_maps: bool,
    /// The sizes of the maps around it, and their product.
    dims: Vec<Exp>,
    segments: Exp,
    /// The threads of a block.
    threads: u32,
    /// The number of chunks of a segment.
    chunks: V,
    /// For each part of what is reduced, the results of all chunks.
    partials: Vec<Option<V>>,
    /// Likewise, the result, if there are no maps around.
    results: Vec<Option<V>>,
}

impl<'a> Emit<'a> {
    /// `with_maps`: whether the plain results of the function are stored.
    pub(super) fn reduce_on_grid(
        &mut self,
        nest: &Nest<'a>,
        pat: &'a [Var],
        op: &'a Screma,
        with_maps: bool,
    ) {
        let dims: Vec<Exp> =
            self.sizes(nest, None).iter().map(|d| self.simple("size", d)).collect();
        let segments = self.total(&dims);
        let width = self.simple("width", &self.atom(op.width));
        let prims = self.reduced_prims(pat, op);
        let bytes: u32 = prims.iter().flatten().map(|prim| prim.bits().div_ceil(8)).sum();
        let threads = team_threads(bytes.max(1));
        let (team, chunks) = self.team_size(&width, &segments, threads);
        let teams = self.simple("teams", &bin(BinOp::Mul, segments.clone(), Exp::Var(chunks)));
        let mut handles = Vec::new();
        let mut buffers = |this: &mut Self, hint: &str, count: &Exp| -> Vec<Option<V>> {
            let mut all = Vec::with_capacity(prims.len());
            for prim in &prims {
                all.push(prim.map(|prim| {
                    let (handle, ptr) = this.temporary(hint, prim, count.clone());
                    handles.push(handle);
                    ptr
                }));
            }
            all
        };
        let partials = buffers(self, "partial", &teams);
        let results = if nest.levels.is_empty() {
            buffers(self, "result", &Exp::int(1))
        } else {
            vec![None; prims.len()]
        };
        let all = Reduction {
            nest,
            pat,
            op,
            with_maps,
            dims,
            segments,
            threads,
            chunks,
            partials,
            results,
        };
        self.first_round(&all, &width, team, &teams);
        let second = self.block(|this| this.second_round(&all));
        self.out.push(Stm::If(lt(Exp::int(1), Exp::Var(chunks)), second, Block::new()));
        for (var, result) in pat[op.scanned()..op.folded()].iter().zip(&all.results) {
            if let Some(result) = result {
                let v = self.declare(&self.ir[*var].hint.clone(), self.scalar_prim(*result), None);
                self.out.push(Stm::Fetch(v, *result, Exp::int(0)));
                self.scalars.insert(*var, Exp::Var(v));
            }
        }
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// The types of what is reduced.
    fn reduced_prims(&self, pat: &[Var], op: &Screma) -> Vec<Option<Prim>> {
        pat[op.scanned()..op.folded()].iter().map(|var| self.prim((*var).into())).collect()
    }

    /// The number of threads for each segment, and of chunks of a segment if a block is not enough for it.
    fn team_size(&mut self, width: &Exp, segments: &Exp, threads: u32) -> (V, V) {
        let threads = i64::from(threads);
        let team = self.declare("team", Prim::I64, Some(Exp::int(1)));
        let needed = bin(BinOp::Mul, Exp::Var(team), Exp::int(ITEMS));
        let more = Exp::Bin(
            BinOp::And,
            Prim::Bool,
            Box::new(lt(Exp::Var(team), Exp::int(threads))),
            Box::new(lt(needed, width.clone())),
        );
        let twice = Stm::Assign(team, bin(BinOp::Mul, Exp::Var(team), Exp::int(2)));
        self.out.push(Stm::While(more, vec![twice]));
        let chunks = self.declare("chunks", Prim::I64, Some(Exp::int(1)));
        let at_least_one = |e| bin(BinOp::Max, e, Exp::int(1));
        let by_size = quot_up(width.clone(), Exp::int(threads * MANY_ITEMS));
        let by_segments = quot_up(Exp::int(BLOCKS), at_least_one(segments.clone()));
        let some = at_least_one(bin(BinOp::Min, by_size, by_segments));
        let is_block = eq(Exp::Var(team), Exp::int(threads));
        self.out.push(Stm::If(is_block, vec![Stm::Assign(chunks, some)], Block::new()));
        (team, chunks)
    }

    fn first_round(&mut self, all: &Reduction<'a, '_>, width: &Exp, team: V, teams: &Exp) {
        let (op, chunks) = (all.op, Exp::Var(all.chunks));
        let per_block = bin(BinOp::Quot, Exp::int(i64::from(all.threads)), Exp::Var(team));
        let per_block = self.simple("per_block", &per_block);
        let blocks = quot_up(teams.clone(), per_block.clone());
        let per_chunk = self.simple("per_chunk", &quot_up(width.clone(), chunks.clone()));
        self.launch("reduce", blocks, all.threads, |this, block, thread| {
            let team = Exp::Var(team);
            let lane = this.simple("lane", &bin(BinOp::Rem, Exp::Var(thread), team.clone()));
            let number = bin(
                BinOp::Add,
                bin(BinOp::Mul, Exp::Var(block), per_block),
                bin(BinOp::Quot, Exp::Var(thread), team.clone()),
            );
            let number = this.simple("number", &number);
            // A team without a segment waits at the barriers of the others.
            let works = lt(number.clone(), teams.clone());
            let last = bin(BinOp::Sub, teams.clone(), Exp::int(1));
            let own = this.simple("own", &bin(BinOp::Min, number.clone(), last));
            let segment = this.simple("segment", &bin(BinOp::Quot, own.clone(), chunks.clone()));
            let chunk = bin(BinOp::Rem, own, chunks.clone());
            let low = this.simple("low", &bin(BinOp::Mul, chunk, per_chunk.clone()));
            let high = bin(BinOp::Min, width.clone(), bin(BinOp::Add, low.clone(), per_chunk));
            let high = Exp::Select(Box::new([works.clone(), high, low.clone()]));
            let high = this.simple("high", &high);
            let indices = this.unranked(segment, &all.dims);
            this.enter_levels(all.nest, &indices);
            let parts = this.start_parts(op, all.threads);
            let range = (low, high);
            let section = this.block(|this| this.reduce_range(all, &parts, range, &lane, &team));
            this.out.push(Stm::Section(section));
            this.team_reduce(&parts, &lane, &team, &Exp::Var(thread));
            let leave = this.block(|this| {
                let finish = this.block(|this| this.finish(all, &parts));
                let save = this.block(|this| {
                    let values = parts.iter().flat_map(|part| &part.own);
                    let stores: Vec<(V, Exp)> = values
                        .zip(&all.partials)
                        .filter_map(|(part, array)| Some(((*array)?, value(part))))
                        .collect();
                    for (array, value) in stores {
                        this.out.push(Stm::Store(array, number.clone(), value));
                    }
                });
                this.out.push(Stm::If(eq(chunks.clone(), Exp::int(1)), finish, save));
            });
            let first = eq(lane, Exp::int(0));
            let leads = Exp::Bin(BinOp::And, Prim::Bool, Box::new(works), Box::new(first));
            this.out.push(Stm::If(leads, leave, Block::new()));
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

    /// The elements of a range that are those of a thread of a team.
    fn reduce_range(
        &mut self,
        all: &Reduction<'a, '_>,
        parts: &[Parts<'a>],
        (low, high): (Exp, Exp),
        lane: &Exp,
        team: &Exp,
    ) {
        let op = all.op;
        let step = self.new_var("step", crate::Ty::Scalar(Prim::I64));
        let count = bin(BinOp::Sub, high.clone(), low.clone());
        let (trips, at) = if self.is_commutative(op) {
            // Neighbouring threads have neighbouring elements.
            let left = bin(BinOp::Sub, count, lane.clone());
            let start = bin(BinOp::Add, low, lane.clone());
            let at = bin(BinOp::Add, start, bin(BinOp::Mul, Exp::Var(step), team.clone()));
            (quot_up(bin(BinOp::Max, left, Exp::int(0)), team.clone()), at)
        } else {
            // Each thread has elements that follow each other.
            let share = self.simple("share", &quot_up(count, team.clone()));
            let start = bin(BinOp::Add, low, bin(BinOp::Mul, lane.clone(), share.clone()));
            let start = self.simple("start", &start);
            let left = bin(BinOp::Sub, high, start.clone());
            let left = bin(BinOp::Max, bin(BinOp::Min, left, share), Exp::int(0));
            (left, bin(BinOp::Add, start, Exp::Var(step)))
        };
        let body = self.block(|this| {
            let index = this.enter(all.pat, &op.inputs, &op.map, at);
            this.body(&op.map.body);
            let mut results = op.map.body.results[op.scanned()..].iter().copied();
            for part in parts {
                let elements: Vec<Atom> = results.by_ref().take(part.own.len()).collect();
                this.combine(part.op, &part.own, &elements);
            }
            if all.with_maps {
                for (result, var) in results.zip(&all.pat[op.folded()..]) {
                    this.store_row(*var, index, result);
                }
            }
        });
        let (from, kind) = (Exp::int(0), Kind::Sequential);
        self.out.push(Stm::For { var: step, from, to: trips, step: 1, kind, body });
    }

    /// Whether elements may be combined in any order.
    fn is_commutative(&self, op: &Screma) -> bool {
        op.reds.iter().all(|red| red.commutative || self.vector_ops(red).is_some())
    }

    /// What chunks of a segment have yielded, combined.
    fn second_round(&mut self, all: &Reduction<'a, '_>) {
        let chunks = Exp::Var(all.chunks);
        let threads = i64::from(all.threads);
        self.launch("combine", all.segments.clone(), all.threads, |this, block, thread| {
            let indices = this.unranked(Exp::Var(block), &all.dims);
            this.enter_levels(all.nest, &indices);
            let parts = this.start_parts(all.op, all.threads);
            let share = this.simple("share", &quot_up(chunks.clone(), Exp::int(threads)));
            let start = bin(BinOp::Mul, Exp::Var(thread), share.clone());
            let start = this.simple("start", &start);
            let end = bin(BinOp::Min, chunks.clone(), bin(BinOp::Add, start.clone(), share));
            let end = this.simple("end", &end);
            let k = this.new_var("k", crate::Ty::Scalar(Prim::I64));
            let body = this.block(|this| {
                let before = bin(BinOp::Mul, Exp::Var(block), chunks.clone());
                let at = bin(BinOp::Add, before, Exp::Var(k));
                let mut arrays = all.partials.iter().copied();
                for part in &parts {
                    let arrays: Vec<Option<V>> = arrays.by_ref().take(part.own.len()).collect();
                    let right = this.get_parts(&arrays, &at);
                    this.combine_parts(part.op, &part.own, &right);
                }
            });
            let kind = Kind::Sequential;
            this.out.push(Stm::For { var: k, from: start, to: end, step: 1, kind, body });
            let thread = Exp::Var(thread);
            this.team_reduce(&parts, &thread, &Exp::int(threads), &thread);
            let finish = this.block(|this| this.finish(all, &parts));
            this.out.push(Stm::If(eq(thread, Exp::int(0)), finish, Block::new()));
        });
    }

    /// The result of a segment goes where it belongs.
    fn finish(&mut self, all: &Reduction<'a, '_>, parts: &[Parts<'a>]) {
        let values: Vec<Exp> = parts.iter().flat_map(|part| part.own.iter().map(value)).collect();
        for (number, (part, result)) in
            parts.iter().flat_map(|part| &part.own).zip(&all.results).enumerate()
        {
            match (part, result) {
                (Sofar::Scalar(_), Some(result)) => {
                    self.out.push(Stm::Store(*result, Exp::int(0), values[number].clone()));
                }
                (Sofar::Scalar(_), None) => {
                    self.store_result(all.nest, all.op.scanned() + number, values[number].clone());
                }
                (Sofar::Array(_) | Sofar::Nothing, _) => {}
            }
        }
    }
}

/// The threads of a block that share values of so many bytes.
pub(super) fn team_threads(bytes: u32) -> u32 {
    let mut threads = THREADS;
    while threads > 32 && threads * bytes > SHARED_BYTES {
        threads /= 2;
    }
    threads
}
