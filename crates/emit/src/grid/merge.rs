//! Combines the private histograms of all blocks, in a second kernel.
//!
//! A block handles a number of neighbouring bins, with as many threads for each of them as it has room for; each thread
//! combines the results of some chunks, and then the threads of a bin are combined. So neighbouring threads load
//! neighbouring elements, no matter how few bins there are, and no thread waits for an update by another.

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, Sofar, Tree};
use super::hist::{Bins, Histograms};
use super::reduce::sharing_threads;
use super::{bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all;
use fehu_imp::{Block, Exp, Kind, Stm, Ty};
use fehu_ir::BinOp;

/// The maximum number of neighbouring bins per block.
const COLUMNS: i64 = DEVICE.warp as i64;

/// This many results of chunks are loaded at a time; a power of two.
const BATCH: i64 = 8;

impl<'a> Emit<'a> {
    /// Combines the partial results of all chunks, for one operator.
    pub(super) fn merge_bins(
        &mut self,
        histograms: &Histograms<'a, '_>,
        bins: &Bins<'a>,
        partials: &Kept,
    ) {
        let bytes: u32 = bins.atomic.prims.iter().map(|prim| prim.bits().div_ceil(8)).sum();
        let threads = sharing_threads(self, bytes);
        let chunks = histograms.chunks.clone();
        let columns = self.declare("columns", Prim::I64, Some(Exp::int(1)));
        let more = all([
            lt(Exp::Var(columns), Exp::int(COLUMNS)),
            lt(Exp::Var(columns), bins.count.clone()),
        ]);
        let twice = bin(BinOp::Mul, Exp::Var(columns), Exp::int(2));
        self.out.push(Stm::While(more, vec![Stm::Assign(columns, twice)]));
        let columns = Exp::Var(columns);
        let rows =
            self.simple("rows", &bin(BinOp::Quot, Exp::int(i64::from(threads)), columns.clone()));
        let tiles = self.simple("tiles", &quot_up(bins.count.clone(), columns.clone()));
        let blocks = bin(BinOp::Mul, histograms.segments.clone(), tiles.clone());
        self.launch("merge", blocks, threads, |this, block, thread| {
            let space = [histograms.segments.clone(), tiles];
            let numbers = this.unranked(Exp::Var(block), &space);
            let (segment, tile) = (numbers[0].clone(), numbers[1].clone());
            let indices = this.unranked(segment.clone(), &histograms.dims);
            this.enter_space(histograms.seg, &indices);
            let numbers = this.unranked(Exp::Var(thread), &[rows.clone(), columns.clone()]);
            let (row, column) = (numbers[0].clone(), numbers[1].clone());
            let place = bin(BinOp::Add, bin(BinOp::Mul, tile, columns.clone()), column);
            let place = this.simple("place", &place);
            let op = &bins.op.op;
            let mut parts = Vec::new();
            for (neutral, prim) in bins.op.neutral.iter().zip(&bins.atomic.prims) {
                let neutral = this.atom(*neutral);
                parts.push(Sofar::Scalar(this.declare("found", *prim, Some(neutral))));
            }
            let own = [Partial { op, parts }];
            let shared = [this.keep("all", op, &Room::Shared(threads))];
            let load = this.block(|this| {
                // The chunks whose numbers are the row, and every `rows`-th after it.
                let left = bin(BinOp::Sub, chunks.clone(), row.clone());
                let trips = quot_up(bin(BinOp::Max, left, Exp::int(0)), rows.clone());
                let first = bin(BinOp::Mul, segment, chunks);
                let first = this.simple("first", &bin(BinOp::Add, first, row.clone()));
                let trips = this.simple("trips", &trips);
                let there = |this: &mut Self, step: Exp| {
                    let chunk = bin(BinOp::Add, first.clone(), bin(BinOp::Mul, step, rows.clone()));
                    let at = bin(BinOp::Mul, chunk, bins.count.clone());
                    this.simple("there", &bin(BinOp::Add, at, place.clone()))
                };
                // All of a batch are loaded before the first is combined, so that the loads overlap.
                let [batch, step] =
                    ["batch", "step"].map(|hint| this.new_var(hint, Ty::Scalar(Prim::I64)));
                let body = this.block(|this| {
                    let mut found = Vec::new();
                    for number in 0..BATCH {
                        let at = there(this, bin(BinOp::Add, Exp::Var(batch), Exp::int(number)));
                        found.push(this.load_kept(partials, &at));
                    }
                    for right in found {
                        this.combine_parts(op, &own[0].parts, &right);
                    }
                });
                let whole = bin(BinOp::And, trips.clone(), Exp::int(-BATCH));
                let whole = this.simple("whole", &whole);
                let (from, kind) = (Exp::int(0), Kind::Sequential);
                let to = whole.clone();
                this.out.push(Stm::For {
                    var: batch,
                    from,
                    to,
                    step: BATCH,
                    kind: kind.clone(),
                    body,
                });
                let body = this.block(|this| {
                    let at = there(this, Exp::Var(step));
                    this.append(&own, std::slice::from_ref(partials), &at);
                });
                this.out.push(Stm::For { var: step, from: whole, to: trips, step: 1, kind, body });
            });
            let is_bin = lt(place.clone(), bins.count.clone());
            let each = vec![Stm::If(is_bin.clone(), load, Block::new())];
            let leads = all([super::eq(row.clone(), Exp::int(0)), is_bin]);
            let tree =
                Tree { thread: Exp::Var(thread), lane: row, size: rows, apart: Some(columns) };
            this.reduce_shares(&own, &shared, each, &tree, leads, |this| {
                let parts = own.iter().flat_map(|own| &own.parts);
                let values: Vec<Exp> = parts.filter_map(Sofar::value).collect();
                this.finish_bin(bins, &place, &values);
            });
            this.end_kernel();
        });
    }
}
