//! Reductions of rows that differ.
//!
//! ```text
//! all threads:               stage[e] = f(element e of the tile), neighbouring threads at neighbouring elements
//! for every 32nd element:    a thread combines the elements from there to the next such place, or the end of a row
//! for each row of the tile:  a thread combines the elements up to the first such place, and then the values from there
//! ```
//!
//! So no thread combines many elements, and no row needs many threads. The row in which the tile starts may have begun
//! before it: its value is stored last, when that of the tiles before ([`super::super::lookback`]) is known. The value
//! of the row in which the tile ends is for the tiles after it. Rows without elements get the neutral element from the
//! tile in which they end.

use super::super::super::Emit;
use super::super::super::combine::{Kept, Partial, Room};
use super::super::elements::{Fold, Needs, Order, Thread, Tile, WARP, tile_size};
use super::super::layout::RowsHere;
use super::super::prefix::Sums;
use super::super::seg::SegOp;
use super::super::stage::{PAD, padded, u32_bin, u32_lt, up_to};
use super::super::{bin, eq};
use super::{Here, plus_one, short_at, short_int, u32_eq, wide};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::rewrite::all as conjunction;
use fehu_imp::{Block, Exp, Kind, Stm, Ty};
use fehu_ir::{BinOp, Red, Scalar, Screma, UnOp};

/// The bytes of shared memory for each step of a tile, besides values: two for its bound, and a part of a base.
const STEP_BYTES: u32 = 3;

/// The most elements of a thread. On an H200, products of sparse matrices with vectors take as long with 13.
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
            in_turn: false,
            told,
            counter,
        };
        self.launch("rows", tiles, threads, |this, _, thread| {
            let mut own = this.begin_tile(&tile, thread);
            own.kept = this.keep_elements(&tile);
            this.reduce_tile(&tile, &own);
        });
        self.out.extend([told_mem, counter_mem].map(Stm::Free));
        self.free_layout(&tile.layout);
    }

    /// What a thread does.
    fn reduce_tile(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        let RowsHere::Uneven(here) = &own.ground.rows else { bug("rows that differ") };
        self.evaluate(tile, own);
        let size = tile.threads * tile.items;
        let ops = || tile.folds.iter().map(|fold| fold.op);
        let stage = self.keep_each("stage", ops(), &Room::Shared(size + (size >> PAD)));
        let pieces = self.keep_each("pieces", ops(), &Room::Shared(size / WARP));
        let total = self.keep_each("total", ops(), &Room::Shared(1));
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let put = this.block(|this| {
                let to = this.number("to", padded(place.clone()));
                this.move_kept((&own.kept, &Exp::Var(k)), (&stage, &to));
            });
            let within = u32_lt(place, own.ground.here.clone());
            this.out.push(Stm::If(within, put, Block::new()));
        });
        self.out.push(Stm::Barrier);
        self.reduce_pieces(tile, own, here, &stage, &pieces);
        self.out.push(Stm::Barrier);
        let firsts = self.start_folds(&tile.folds);
        self.reduce_rows(tile, own, here, [&stage, &pieces, &total], &firsts);
        self.out.push(Stm::Barrier);
        let sums = self.sums_of_tile(tile, here, &total);
        let found = self.look_back(tile, own, &sums);
        let finish = self.block(|this| {
            for (found, first) in found.iter().zip(&firsts) {
                let before = this.load_kept(found, &Exp::int(0));
                this.combine_parts(first.op, &before, &first.parts);
                this.copy_parts(&first.parts, &before);
            }
            this.store_row_result(tile, here, &short_int(0), &firsts);
        });
        let leads = u32_eq(own.short.clone(), short_int(0));
        let some = u32_lt(short_int(0), here.ends.clone());
        let late = conjunction([leads, some, self.begins_before(own, here)]);
        self.out.push(Stm::If(late, finish, Block::new()));
    }

    /// Whether the row in which the tile starts begins before it.
    fn begins_before(&self, own: &Thread<'a>, here: &Here) -> Exp {
        let with_tile = eq(here.start.clone(), own.ground.first.clone());
        Exp::Un(UnOp::Not, Prim::Bool, Box::new(with_tile))
    }

    /// A thread for every 32nd element.
    fn reduce_pieces(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        here: &Here,
        stage: &[Kept],
        pieces: &[Kept],
    ) {
        let work = self.block(|this| {
            let values = this.start_folds(&tile.folds);
            let start = u32_bin(BinOp::Mul, own.short.clone(), short_int(WARP));
            let start = this.number("start", start);
            let next = plus_one(short_at(here.bases, &own.short));
            let next = short_at(here.bounds, &next);
            let stop = u32_bin(BinOp::Add, start.clone(), short_int(WARP));
            let stop =
                u32_bin(BinOp::Min, u32_bin(BinOp::Min, stop, next), own.ground.here.clone());
            let stop = this.number("stop", stop);
            this.append_range(&values, stage, [start, stop], padded);
            this.store_each(&values, pieces, &own.short);
        });
        let count = short_int(tile.threads * tile.items / WARP);
        self.out.push(Stm::If(u32_lt(own.short.clone(), count), work, Block::new()));
    }

    /// A thread for each row: what is known of the first one becomes the value of `firsts` if it began before the tile,
    /// and of the last one `total`. The others are stored.
    fn reduce_rows(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        here: &Here,
        [stage, pieces, total]: [&[Kept]; 3],
        firsts: &[Partial<'a>],
    ) {
        let late = self.begins_before(own, here);
        let late = self.declare("late", Prim::Bool, Some(late));
        let rounds =
            u32_bin(BinOp::Lshr, here.ends.clone(), short_int(tile.threads.trailing_zeros()));
        let rounds = self.simple("rounds", &wide(plus_one(rounds)));
        let round = self.new_var("round", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(round)));
            let apart = u32_bin(BinOp::Mul, turn, short_int(tile.threads));
            let row = this.number("row", u32_bin(BinOp::Add, own.short.clone(), apart));
            let is_last = u32_eq(row.clone(), here.ends.clone());
            let work = this.block(|this| {
                let values = this.start_folds(&tile.folds);
                let start = this.number("start", short_at(here.bounds, &row));
                let bound = short_at(here.bounds, &plus_one(row.clone()));
                let stop = u32_bin(BinOp::Min, bound, own.ground.here.clone());
                let stop = this.number("stop", stop);
                let window = u32_bin(BinOp::Lshr, start.clone(), short_int(WARP.trailing_zeros()));
                let window = this.number("window", plus_one(window));
                let near = u32_bin(BinOp::Mul, window.clone(), short_int(WARP));
                let near = this.number("near", u32_bin(BinOp::Min, near, stop.clone()));
                this.append_range(&values, stage, [start, near], padded);
                let end = u32_bin(BinOp::Add, stop, short_int(WARP - 1));
                let end = u32_bin(BinOp::Lshr, end, short_int(WARP.trailing_zeros()));
                let end = this.number("end", end);
                this.append_range(&values, pieces, [window, end], |at| at);
                let keep = this.block(|this| this.store_each(&values, total, &Exp::int(0)));
                let other = this.block(|this| {
                    let first = conjunction([u32_eq(row.clone(), short_int(0)), Exp::Var(late)]);
                    let keep = this.block(|this| {
                        for (first, value) in firsts.iter().zip(&values) {
                            this.copy_parts(&first.parts, &value.parts);
                        }
                    });
                    let store = this.block(|this| this.store_row_result(tile, here, &row, &values));
                    this.out.push(Stm::If(first, keep, store));
                });
                this.out.push(Stm::If(is_last, keep, other));
            });
            let within = u32_lt(row, plus_one(here.ends.clone()));
            this.out.push(Stm::If(within, work, Block::new()));
        });
        self.out.push(up_to(round, rounds, body));
    }

    /// Combines values with those of a range, which may be empty.
    fn append_range(
        &mut self,
        values: &[Partial<'a>],
        kept: &[Kept],
        [start, stop]: [Exp; 2],
        place: impl FnOnce(Exp) -> Exp,
    ) {
        let signed = |e: Exp| Exp::Convert(Prim::U32, Prim::I32, Box::new(e));
        let step = self.new_var("step", Ty::Scalar(Prim::I32));
        let body = self.block(|this| {
            let at = Exp::Convert(Prim::I32, Prim::U32, Box::new(Exp::Var(step)));
            let at = this.number("at", at);
            let at = this.number("at", place(at));
            this.append(values, kept, &at);
        });
        let (from, to, kind) = (signed(start), signed(stop), Kind::Sequential);
        let each = Stm::For { var: step, from, to, step: 1, kind, body };
        self.out.push(Stm::Section(vec![each]));
    }

    /// What the tile publishes.
    fn sums_of_tile(&mut self, tile: &Tile<'a, '_>, here: &Here, total: &[Kept]) -> Sums<'a> {
        let mut all = Vec::new();
        for (fold, total) in tile.folds.iter().zip(total) {
            all.push(Partial { op: fold.op, parts: self.load_kept(total, &Exp::int(0)) });
        }
        let no = Some(Exp::Const(Scalar::Bool(false)));
        let some = u32_lt(short_int(0), here.ends.clone());
        Sums {
            before: Vec::new(),
            before_cut: self.declare("before_cut", Prim::Bool, no),
            all,
            cut: self.declare("cut", Prim::Bool, Some(some)),
        }
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
