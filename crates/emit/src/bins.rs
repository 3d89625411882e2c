//! Histograms on several threads.
//!
//! The destinations are privatised: each thread but the first has a copy of them, and the first one updates the
//! destinations themselves. In the end the copies are combined with the destinations, bin by bin, by all threads. A bin
//! is a scalar, or a row that the operator combines with others; in that case the code for one thread finds a copy's
//! row where it finds a contribution.
//!
//! # How many copies
//!
//! Threads fill their copies at the same time, and each combines its share of the bins: whatever their number, that
//! takes each of them a pass over as many bins as there are in one copy or two, from one bin to the next. Without
//! copies, one thread adds all elements, each to some bin. That takes several times as long for an element as the pass
//! does for a bin, so copies are worthwhile even if there are as many bins as elements. What limits them is memory:
//! together they have at most [`MOST_BINS`] bins for each element, and where that is not enough for all threads, fewer
//! take part.

use super::combine::Sofar;
use super::{Emit, Mem, hinted, part_of};
use fehu_base::Prim;
use fehu_facts::poly::Poly;
use fehu_imp::rewrite::bin as int;
use fehu_imp::{Block, Exp, From, Kind, Stm, Ty, V};
use fehu_ir::{Atom, BinOp, CmpOp, Hist, HistOp, Var};
use fehu_mem::table::Place;
use rustc_hash::FxHashSet;

/// All copies together have at most so many bins for each element of the input.
const MOST_BINS: i64 = 4;

/// Stands for the number of a bin in places; the program has no variable for it.
const BIN: Var = Var(u32::MAX);

/// The copies of a destination, one after the other.
struct Copies {
    ptr: V,
    /// The number of bins, ...
    bins: V,
    /// ... of elements in each of them, ...
    row: Exp,
    /// ... and how far copies are apart.
    stride: V,
}

impl<'a> Emit<'a> {
    /// Histograms with a copy of the destinations for each thread.
    pub(super) fn hist_in_tasks(&mut self, pat: &[Var], op: &'a Hist) {
        let width = self.atom(op.width);
        let site = self.site();
        let chunks = self.chunks(site, width.clone());
        // One copy per thread is enough: combining more of them would cost more than better balance gains.
        let threads = self.declare("threads", Prim::I64, None);
        self.out.push(Stm::Threads(threads));
        let more = less(Exp::Var(threads), Exp::Var(chunks));
        self.out.push(Stm::If(more, vec![Stm::Assign(chunks, Exp::Var(threads))], Block::new()));
        // With many bins there are fewer, but at least one.
        let mut bins = Exp::int(0);
        for op in &op.ops {
            bins = int(BinOp::Add, bins, self.count_bins(op));
        }
        let most = int(BinOp::Mul, width.clone(), Exp::int(MOST_BINS));
        let most = int(BinOp::Quot, most, int(BinOp::Max, bins, Exp::int(1)));
        let most = int(BinOp::Max, most, Exp::int(1));
        let most = if self.shares_blocks(op) { Exp::int(1) } else { most };
        self.out.push(Stm::Assign(chunks, int(BinOp::Min, Exp::Var(chunks), most)));
        let copies = self.copies_of_destinations(op, chunks);
        self.tasks(site, width, Some(chunks), |this, [low, high, chunk]| {
            this.with_copies(op, &copies, chunk, |this| {
                this.hist_in(pat, op, (Exp::Var(low), Exp::Var(high)));
            });
        });
        self.add_copies(pat, op, chunks, &copies);
    }

    /// Whether two destinations are parts of one block: a copy takes the place of a whole block.
    fn shares_blocks(&self, op: &Hist) -> bool {
        let mut blocks = FxHashSet::default();
        let dests = op.ops.iter().flat_map(|op| &op.dests);
        !dests.filter_map(|dest| self.place(*dest)).all(|place| blocks.insert(place.block))
    }

    fn count_bins(&self, op: &HistOp) -> Exp {
        op.shape.iter().fold(Exp::int(1), |size, dim| self.product(size, *dim))
    }

    /// For each destination the copies for all chunks but the first.
    fn copies_of_destinations(&mut self, op: &'a Hist, chunks: V) -> Vec<Option<Copies>> {
        let mut copies = Vec::new();
        for op in &op.ops {
            let count = self.count_bins(op);
            for dest in &op.dests {
                // What has no contents needs no copy.
                let Some(place) = self.place(*dest) else {
                    copies.push(None);
                    continue;
                };
                let bins = self.declare("bins", Prim::I64, Some(count.clone()));
                let row = self.ir[*dest].ty.shape().iter().skip(op.shape.len());
                let row = row.fold(Exp::int(1), |size, dim| self.product(size, *dim));
                let size = if row == Exp::int(1) {
                    bins
                } else {
                    let size = int(BinOp::Mul, Exp::Var(bins), row.clone());
                    self.declare("size", Prim::I64, Some(size))
                };
                let others = int(BinOp::Sub, Exp::Var(chunks), Exp::int(1));
                let (ptr, stride) = self.rows("copies", place, size, others);
                copies.push(Some(Copies { ptr, bins, row, stride }));
            }
        }
        copies
    }

    /// Executes code in which the copies of a chunk take the place of the destinations.
    fn with_copies(
        &mut self,
        op: &'a Hist,
        copies: &[Option<Copies>],
        chunk: V,
        work: impl FnOnce(&mut Self),
    ) {
        let saved = self.blocks.clone();
        let dests = op.ops.iter().flat_map(|op| {
            op.dests
                .iter()
                .zip(&op.neutral)
                .map(|(dest, neutral)| (op.shape.len(), *dest, *neutral))
        });
        for ((rank, dest, neutral), copy) in dests.zip(copies) {
            let (Some(place), Some(copies)) = (self.place(dest), copy) else { continue };
            let mem = self.mem(place.block);
            // A pointer into memory: the destination itself may be a local array, the copies are not.
            let elem = self.table.blocks[place.block].elem;
            let ptr = self.new_var(&hinted(&self.ir[dest].hint, "_own"), Ty::ptr(elem));
            self.out.push(Stm::Declare(ptr, None));
            self.out.push(Stm::Point(ptr, From::Ptr(mem.ptr), Exp::int(0)));
            self.blocks.insert(place.block, Mem { ptr, handle: None });
            // Places are relative to the beginning of the destination's block.
            let before = int(BinOp::Sub, Exp::Var(chunk), Exp::int(1));
            let start = int(BinOp::Mul, before, Exp::Var(copies.stride));
            let start = int(BinOp::Sub, start, self.poly(&place.lmad.offset));
            let begin = self.block(|this| {
                this.out.push(Stm::Point(ptr, From::Ptr(copies.ptr), start));
                this.fill_bins(place, rank, copies.bins, neutral);
            });
            self.out.push(Stm::If(less(Exp::int(0), Exp::Var(chunk)), begin, Block::new()));
        }
        work(self);
        self.blocks = saved;
    }

    /// Initialises all bins with the neutral element.
    fn fill_bins(&mut self, place: &Place, rank: usize, bins: V, neutral: Atom) {
        let bin = self.new_var("bin", Ty::Scalar(Prim::I64));
        let first = self.poly(&place.lmad.offset);
        let body = if place.lmad.rank() == rank {
            let at = int(BinOp::Add, first, Exp::Var(bin));
            vec![Stm::Store(self.mem(place.block).ptr, at, self.atom(neutral))]
        } else {
            self.scalars.insert(BIN, Exp::Var(bin));
            let row = part_of(place, |lmad| lmad.fix(&[Poly::var(BIN)]));
            self.block(|this| this.write(&row, neutral))
        };
        let (from, to) = (Exp::int(0), Exp::Var(bins));
        let kind = Kind::Independent(Vec::new());
        self.out.push(Stm::For { var: bin, from, to, step: 1, kind, body });
    }

    /// Combines the copies of all chunks with the destinations.
    fn add_copies(&mut self, pat: &[Var], hist: &'a Hist, chunks: V, copies: &[Option<Copies>]) {
        let mut copies = copies.iter();
        for op in &hist.ops {
            let copies: Vec<&Option<Copies>> = copies.by_ref().take(op.dests.len()).collect();
            let Some(bins) = copies.iter().copied().flatten().next().map(|copies| copies.bins)
            else {
                continue;
            };
            let (k, bin) = (
                self.new_var("k", Ty::Scalar(Prim::I64)),
                self.new_var("bin", Ty::Scalar(Prim::I64)),
            );
            let saved = self.blocks.clone();
            let body = self.block(|this| match this.combines_numbers(op) {
                true => this.add_elements(op, &copies, k, bin),
                false => this.add_rows(pat, hist, op, &copies, k, bin),
            });
            self.blocks = saved;
            // Bins are independent of each other.
            let site = self.site();
            self.tasks(site, Exp::Var(bins), None, |this, [low, high, _]| {
                let (from, to) = (Exp::Var(low), Exp::Var(high));
                let kind = Kind::Independent(Vec::new());
                let bins = vec![Stm::For { var: bin, from, to, step: 1, kind, body }];
                this.count_up(k, int(BinOp::Sub, Exp::Var(chunks), Exp::int(1)), bins);
            });
        }
    }

    /// Combines the bin with this number of the copies with that of the destinations.
    fn add_elements(&mut self, op: &'a HistOp, copies: &[&Option<Copies>], k: V, bin: V) {
        let mut sofar: Vec<Sofar<'a>> = Vec::new();
        let (mut elements, mut stores) = (Vec::new(), Vec::new());
        for (dest, copy) in op.dests.iter().zip(copies) {
            let (Some(place), Some(copies)) = (self.place(*dest), copy) else {
                sofar.push(Sofar::Nothing);
                elements.push(None);
                continue;
            };
            let elem = self.table.blocks[place.block].elem;
            let ptr = self.mem(place.block).ptr;
            // Only contiguous destinations get here, so bins can be numbered consecutively.
            let at = int(BinOp::Add, self.poly(&place.lmad.offset), Exp::Var(bin));
            let v = self.declare("total", elem, Some(Exp::Load(ptr, Box::new(at.clone()))));
            let own = Exp::Index(vec![(1, vec![k, copies.stride]), (1, vec![bin])]);
            let part = self.declare("part", elem, Some(Exp::Load(copies.ptr, Box::new(own))));
            elements.push(Some(Exp::Var(part)));
            stores.push(Stm::Store(ptr, at, Exp::Var(v)));
            sofar.push(Sofar::Scalar(v));
        }
        self.combine_values(&op.op, &sofar, &elements);
        self.out.append(&mut stores);
    }

    /// The same, if bins are rows.
    fn add_rows(
        &mut self,
        pat: &[Var],
        hist: &'a Hist,
        op: &'a HistOp,
        copies: &[&Option<Copies>],
        k: V,
        bin: V,
    ) {
        self.scalars.insert(BIN, Exp::Var(bin));
        // Contributions are now rows of copies, whatever position they had.
        self.forget_positions(pat, &hist.map);
        let params = &op.op.params;
        let (sofar, _) = self.rows_so_far(&op.dests, &[Atom::Var(BIN)], params);
        for (param, copy) in params[op.dests.len()..].iter().zip(copies) {
            let (Some(place), Some(copies)) = (self.place(*param), copy) else { continue };
            let row = int(BinOp::Mul, Exp::Var(bin), copies.row.clone());
            let start = int(BinOp::Mul, Exp::Var(k), Exp::Var(copies.stride));
            let start = int(BinOp::Add, start, row);
            let start = int(BinOp::Sub, start, self.poly(&place.lmad.offset));
            self.redirect("part", place, copies.ptr, start);
        }
        let elements = vec![None; op.dests.len()];
        self.combine_params(&op.op, params, &sofar, &elements);
    }

    /// Whether the destinations of histograms can be copied for each chunk.
    pub(super) fn can_copy_destinations(&self, op: &Hist) -> bool {
        op.ops.iter().all(|op| {
            let contiguous =
                |dest: &Var| self.place(*dest).is_none_or(|place| place.lmad.is_contiguous());
            let fits = self.combines_numbers(op) || self.combines_rows(op);
            fits && op.dests.iter().all(contiguous)
        })
    }

    fn combines_numbers(&self, op: &HistOp) -> bool {
        op.op.params.iter().all(|param| !self.ir[*param].ty.is_array())
    }

    /// Whether all combined values are rows, and the rows of copies can take the place of contributions.
    fn combines_rows(&self, op: &HistOp) -> bool {
        let contributed = &op.op.params[op.dests.len()..];
        op.shape.len() == 1
            && op.op.params.iter().all(|param| self.place(*param).is_some())
            && self.can_be_elsewhere(contributed, &[&op.op])
    }
}

fn less(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(a), Box::new(b))
}
