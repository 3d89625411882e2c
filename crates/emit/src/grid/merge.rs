//! Combines the private histograms of all blocks, in a second kernel.
//!
//! A block handles a number of neighbouring bins, with as many threads for each of them as it has room for; each thread
//! combines the results of some chunks, and then the threads of a bin are combined. So neighbouring threads load
//! neighbouring elements, no matter how few bins there are, and no thread waits for an update by another.

use super::super::Emit;
use super::hist::{Bins, Histograms};
use super::reduce::team_threads;
use super::{bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::rewrite::all;
use fehu_imp::{Block, Exp, Kind, Stm, Ty};
use fehu_ir::BinOp;

/// The maximum number of neighbouring bins per block.
const COLUMNS: i64 = 32;

impl<'a> Emit<'a> {
    /// Combines the partial results of all chunks, for one operator.
    pub(super) fn merge_bins(&mut self, histograms: &Histograms<'a, '_>, bins: &Bins<'a>) {
        let bytes: u32 = bins.cell.prims.iter().map(|prim| prim.bits().div_ceil(8)).sum();
        let threads = team_threads(self, bytes);
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
            let mut own = Vec::new();
            let mut shared = Vec::new();
            for (neutral, prim) in bins.op.neutral.iter().zip(&bins.cell.prims) {
                let neutral = this.atom(*neutral);
                own.push(this.declare("found", *prim, Some(neutral)));
                shared.push(this.shared_array("all", *prim, threads));
            }
            let load = this.block(|this| {
                // The chunks whose numbers are the row, and every `rows`-th after it.
                let left = bin(BinOp::Sub, chunks.clone(), row.clone());
                let trips = quot_up(bin(BinOp::Max, left, Exp::int(0)), rows.clone());
                let first = bin(BinOp::Mul, segment, chunks);
                let first = this.simple("first", &bin(BinOp::Add, first, row.clone()));
                let step = this.new_var("step", Ty::Scalar(Prim::I64));
                let body = this.block(|this| {
                    let chunk = bin(BinOp::Mul, Exp::Var(step), rows.clone());
                    let chunk = bin(BinOp::Add, first, chunk);
                    let at = bin(BinOp::Mul, chunk, bins.count.clone());
                    let at = this.simple("there", &bin(BinOp::Add, at, place.clone()));
                    let mut right = Vec::new();
                    for (array, prim) in bins.partials.iter().zip(&bins.cell.prims) {
                        let value = Exp::Load(*array, Box::new(at.clone()));
                        right.push(Exp::Var(this.declare("part", *prim, Some(value))));
                    }
                    this.accumulate(&bins.op.op, &own, &right);
                });
                let (from, kind) = (Exp::int(0), Kind::Sequential);
                this.out.push(Stm::For { var: step, from, to: trips, step: 1, kind, body });
            });
            let is_bin = lt(place.clone(), bins.count.clone());
            this.out.push(Stm::Section(vec![Stm::If(is_bin.clone(), load, Block::new())]));
            let save = |this: &mut Self| {
                for (array, v) in shared.iter().zip(&own) {
                    this.out.push(Stm::Store(*array, Exp::Var(thread), Exp::Var(*v)));
                }
            };
            save(this);
            this.out.push(Stm::Barrier);
            let half = bin(BinOp::Quot, rows, Exp::int(2));
            let distance = this.declare("distance", Prim::I64, Some(half));
            let body = this.block(|this| {
                let combine = this.block(|this| {
                    let other = bin(BinOp::Mul, Exp::Var(distance), columns.clone());
                    let other = this.simple("other", &bin(BinOp::Add, other, Exp::Var(thread)));
                    let mut right = Vec::new();
                    for (array, prim) in shared.iter().zip(&bins.cell.prims) {
                        let value = Exp::Load(*array, Box::new(other.clone()));
                        right.push(Exp::Var(this.declare("part", *prim, Some(value))));
                    }
                    this.accumulate(&bins.op.op, &own, &right);
                    save(this);
                });
                let takes_part = lt(row.clone(), Exp::Var(distance));
                let section = vec![Stm::If(takes_part, combine, Block::new())];
                this.out.push(Stm::Section(section));
                this.out.push(Stm::Barrier);
                let half = bin(BinOp::Quot, Exp::Var(distance), Exp::int(2));
                this.out.push(Stm::Assign(distance, half));
            });
            this.out.push(Stm::While(lt(Exp::int(0), Exp::Var(distance)), body));
            let finish = this.block(|this| {
                let values: Vec<Exp> = own.iter().map(|v| Exp::Var(*v)).collect();
                this.finish_bin(bins, &place, &values);
            });
            let leads = all([super::eq(row, Exp::int(0)), is_bin]);
            // A failing check of the operator ends only the section, so that all threads reach the end.
            let finish = vec![Stm::If(leads, finish, Block::new())];
            this.out.push(Stm::Section(finish));
            this.end_together();
        });
    }
}
