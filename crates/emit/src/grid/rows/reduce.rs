//! Reductions of rows that differ.
//!
//! ```text
//! all threads:  stage[e] = f(element e of the tile), neighbouring threads at neighbouring elements
//! each thread:  follows its share of the steps: combines elements, and stores a value at the end of each row
//! ```
//!
//! The first row that ends in the share of a thread may have begun before it, so its value is stored last, when that of the
//! threads before ([`super::super::prefix`]) and of the tiles before ([`super::super::lookback`]) is known. Since the end of a
//! row is a step, rows without elements get the neutral element like others.

use super::super::super::Emit;
use super::super::super::combine::{Partial, Room};
use super::super::bin;
use super::super::elements::{Fold, Needs, Order, Thread, Tile, tile_size};
use super::super::layout::{Layout, RowsHere};
use super::super::seg::SegOp;
use super::super::stage::u32_lt;
use super::{Here, STEP_BYTES, short_int, wide};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::{Block, Exp, Stm};
use fehu_ir::{BinOp, Red, Scalar, Screma};

/// The most elements of a thread; odd, so that neighbouring threads use different memory banks.
const MOST_ITEMS: u32 = 9;

impl<'a> Emit<'a> {
    pub(super) fn reduce_uneven(&mut self, seg: &SegOp<'a>, op: &'a Screma) {
        let of_red = |red: &'a Red| Fold { op: &red.op, neutral: &red.neutral };
        let folds: Vec<Fold<'a>> = op.reds.iter().map(of_red).collect();
        let prims = self.folded_prims(&folds);
        let needs = Needs { most: MOST_ITEMS, step: STEP_BYTES, at_once: true };
        let (threads, items) = tile_size(self, &prims, &needs);
        let (layout, tiles) = self.layout(seg, op, threads, items);
        let (counter_mem, counter) = self.temporary("counter", Prim::I32, Exp::int(1));
        let (told, told_mem) = self.told(&prims, &tiles, counter, &layout);
        let tile = Tile {
            seg,
            pat: seg.pat,
            op,
            folds,
            skipped: op.scanned(),
            with_maps: op.scans.is_empty(),
            layout,
            threads,
            items,
            narrow: false,
            told,
            counter,
        };
        self.launch("rows", tiles, threads, |this, _, thread| {
            let own = this.begin_tile(&tile, thread);
            this.reduce_tile(&tile, &own);
        });
        self.out.extend([told_mem, counter_mem].map(Stm::Free));
        self.free_layout(&tile.layout);
    }

    /// What a thread does.
    fn reduce_tile(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        let (Layout::Uneven(rows), RowsHere::Uneven(here)) = (&tile.layout, &own.ground.rows)
        else {
            bug("rows that differ")
        };
        self.evaluate(tile, own);
        let ops = tile.folds.iter().map(|fold| fold.op);
        let stage = self.keep_each("stage", ops, &Room::Shared(tile.threads * tile.items));
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let put =
                this.block(|this| this.move_kept((&own.kept, &Exp::Var(k)), (&stage, &place)));
            let within = u32_lt(place.clone(), own.ground.here.clone());
            this.out.push(Stm::If(within, put, Block::new()));
        });
        self.out.push(Stm::Barrier);
        // The first row that ends here, and its value as far as this thread knows it.
        let first_row = self.declare("first_end", Prim::U32, Some(short_int(0)));
        let firsts = self.start_folds(&tile.folds);
        let ended = self.declare("ended", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        let section = self.block(|this| {
            this.follow(
                rows,
                here,
                |this, row| {
                    let store =
                        this.block(|this| this.store_row_result(tile, here, &row, &own.sofar));
                    let keep = this.block(|this| {
                        this.out.push(Stm::Assign(first_row, row.clone()));
                        for (first, sofar) in firsts.iter().zip(&own.sofar) {
                            this.copy_parts(&first.parts, &sofar.parts);
                        }
                        this.out.push(Stm::Assign(ended, Exp::Const(Scalar::Bool(true))));
                    });
                    this.out.push(Stm::If(Exp::Var(ended), store, keep));
                    for (fold, sofar) in tile.folds.iter().zip(&own.sofar) {
                        this.assign_all(&sofar.parts, fold.neutral);
                    }
                },
                |this, element, _| this.append(&own.sofar, &stage, &element),
            );
        });
        self.out.push(Stm::Section(section));
        self.out.push(Stm::Assign(own.cut, Exp::Var(ended)));
        let sums = self.scan_threads(tile, own);
        let found = self.look_back(tile, own, &sums);
        self.out.push(Stm::Barrier);
        let finish = self.block(|this| {
            let mut carries = Vec::new();
            for (found, fold) in found.iter().zip(&tile.folds) {
                carries.push(Partial { op: fold.op, parts: this.load_kept(found, &Exp::int(0)) });
            }
            let begins = Exp::Var(sums.before_cut);
            for ((carry, before), first) in carries.iter().zip(&sums.before).zip(&firsts) {
                this.combine_unless(Some(&begins), carry, &before.parts);
                this.combine_parts(carry.op, &carry.parts, &first.parts);
            }
            this.store_row_result(tile, here, &Exp::Var(first_row), &carries);
        });
        self.out.push(Stm::If(Exp::Var(ended), finish, Block::new()));
    }

    /// Stores the value of a row that ends in the tile, by its number there.
    fn store_row_result(
        &mut self,
        tile: &Tile<'a, '_>,
        here: &Here,
        row: &Exp,
        values: &[Partial<'a>],
    ) {
        let row = bin(BinOp::Add, here.row.clone(), wide(row.clone()));
        let row = self.simple("row", &row);
        let index = tile.seg.indices.first().or_bug("the index of a row");
        self.scalars.insert(*index, row);
        for (number, part) in values.iter().flat_map(|value| &value.parts).enumerate() {
            if let Some(value) = part.value() {
                self.store_result(tile.seg, tile.skipped + number, value);
            }
        }
    }
}
