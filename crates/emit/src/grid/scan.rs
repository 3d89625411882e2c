//! Scans, with or without surrounding maps, in a single pass over all segments.
//!
//! A block processes a tile of consecutive elements, which may cross segments. Its threads evaluate the map function,
//! with neighbouring threads at neighbouring elements (coalesced); the elements are then redistributed through shared
//! memory so that each thread has consecutive elements, which it scans; and the results go back the same way. In
//! between, all elements are in registers: a thread computes all of them before it stores any, so that it waits for
//! memory only once, and the components of values take turns in shared memory, so that tiles can be large. The scan
//! across the threads of a block is in [`super::prefix`], and the prefix of the tile is found by [`super::lookback`].
//!
//! If the scan counts elements, such as those that a filter keeps, it is in [`super::count`].
//!
//! At the beginning of a segment, earlier elements do not count. A tile in which a segment begins knows its final
//! values up to its end immediately.

use super::super::Emit;
use super::super::combine::{Kept, Partial};
use super::super::epilogue::Epilogue;
use super::elements::{Fold, Needs, Order, Thread, Tile, tile_size};
use super::prefix::Sums;
use super::rows::STEP_BYTES;
use super::seg::SegOp;
use super::stage::u32_lt;
use fehu_base::{OrBug, Prim};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Stm, V};
use fehu_ir::{self as ir, Scalar, Screma, Var};

/// The maximum number of elements per thread; odd, so that neighbouring threads use different memory banks.
const MOST_ITEMS: u32 = 31;

impl<'a> Emit<'a> {
    pub(super) fn scan_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) {
        if self.count_on_grid(seg, pat, op) {
            return;
        }
        let of_scan = |scan: &'a ir::Scan| Fold { op: &scan.op, neutral: &scan.neutral };
        let folds: Vec<Fold<'a>> = op.scans.iter().map(of_scan).collect();
        let prims = self.folded_prims(&folds);
        let step = if seg.rows.is_some() { STEP_BYTES } else { 0 };
        let needs = Needs { most: MOST_ITEMS, step, at_once: false };
        let (threads, items) = tile_size(self, &prims, &needs);
        let (layout, blocks) = self.layout(seg, op, threads, items);
        let (counter_mem, counter) = self.temporary("counter", Prim::I32, Exp::int(1));
        let (told, told_mem) = self.told(&prims, &blocks, counter, &layout);
        let (skipped, with_maps) = (0, true);
        let tile = Tile {
            seg,
            pat,
            op,
            folds,
            skipped,
            with_maps,
            layout,
            threads,
            items,
            in_turn: true,
            told,
            counter,
        };
        self.launch("scan", blocks, threads, |this, _, thread| {
            let mut own = this.begin_tile(&tile, thread);
            own.kept = this.keep_elements(&tile);
            let ways = this.ways(&tile, &own);
            own.dense = this.evaluate(&tile, &own);
            this.reorder_tile(&tile, &own, &ways, Order::Apart, Order::InTurn);
            this.scan_items(&tile, &own);
            let sums = this.scan_threads(&tile, &own);
            let found = this.look_back(&tile, &own, &sums);
            this.out.push(Stm::Barrier);
            this.add_before(&tile, &own, &sums, &found);
            this.reorder_tile(&tile, &own, &ways, Order::InTurn, Order::Apart);
            this.store_scanned(&tile, &own);
        });
        self.out.extend([told_mem, counter_mem].map(Stm::Free));
        self.free_layout(&tile.layout);
    }

    /// For each type, a shared array the size of a tile.
    fn ways(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> Vec<(Prim, V)> {
        let mut ways: Vec<(Prim, V)> = Vec::new();
        for array in own.each.iter().flat_map(Kept::arrays) {
            let prim = self.scalar_prim(array);
            if ways.iter().all(|(other, _)| *other != prim) {
                ways.push((prim, self.shared_array("tile", prim, tile.threads * tile.items)));
            }
        }
        ways
    }

    /// Threads exchange elements through shared memory, one component after the other.
    fn reorder_tile(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        ways: &[(Prim, V)],
        from: Order,
        to: Order,
    ) {
        let mut used: Vec<V> = Vec::new();
        for array in own.kept.iter().flat_map(Kept::arrays) {
            let prim = self.scalar_prim(array);
            let way = ways.iter().find(|(other, _)| *other == prim);
            let (_, way) = way.copied().or_bug("memory to exchange elements through");
            if used.contains(&way) {
                self.out.push(Stm::Barrier);
            }
            used.push(way);
            self.each_item(tile, own, from, |this, k, place| {
                let value = Exp::Load(array, Box::new(Exp::Var(k)));
                this.out.push(Stm::Store(way, place, value));
            });
            self.out.push(Stm::Barrier);
            self.each_item(tile, own, to, |this, k, place| {
                let value = Exp::Load(way, Box::new(place));
                this.out.push(Stm::Store(array, Exp::Var(k), value));
            });
        }
    }

    /// Executes code for the consecutive elements of a thread; `work` gets the number of the element within the thread,
    /// and whether a segment begins there.
    fn each_in_turn(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        work: impl FnOnce(&mut Self, V, Option<Exp>),
    ) {
        let turns = self.turns(tile, own);
        let section = self.block(|this| {
            this.each_item(tile, own, Order::InTurn, |this, k, place| {
                let body = this.block(|this| {
                    let begins = this.begins(&turns, k);
                    work(this, k, begins);
                });
                match own.dense && !may_fail(&body) {
                    true => this.out.extend(body),
                    false => {
                        let within = u32_lt(place, own.ground.here.clone());
                        this.out.push(Stm::If(within, body, Block::new()));
                    }
                }
            });
        });
        self.out.push(Stm::Section(section));
    }

    /// Each thread combines its elements.
    fn scan_items(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        self.each_in_turn(tile, own, |this, k, begins| {
            this.scan_item(&own.sofar, &own.kept, k, begins.as_ref());
            if let Some(begins) = begins {
                let yes = vec![Stm::Assign(own.cut, Exp::Const(Scalar::Bool(true)))];
                this.out.push(Stm::If(begins, yes, Block::new()));
            }
        });
    }

    /// Combines one more element.
    fn scan_item(&mut self, sofar: &[Partial<'a>], kept: &[Kept], k: V, begins: Option<&Exp>) {
        for (sofar, kept) in sofar.iter().zip(kept) {
            let here = self.load_kept(kept, &Exp::Var(k));
            self.combine_unless(begins, sofar, &here);
        }
    }

    /// Each thread scans its elements again, starting from its prefix.
    fn add_before(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        sums: &Sums<'a>,
        found: &[Kept],
    ) {
        let mut carries = Vec::new();
        for (found, before) in found.iter().zip(&sums.before) {
            let parts = self.load_kept(found, &Exp::int(0));
            carries.push(Partial { op: before.op, parts });
        }
        let start = self.block(|this| {
            let begins = own.cuts.map(|_| Exp::Var(sums.before_cut));
            for (carry, before) in carries.iter().zip(&sums.before) {
                this.combine_unless(begins.as_ref(), carry, &before.parts);
            }
        });
        self.out.push(Stm::Section(start));
        self.each_in_turn(tile, own, |this, k, begins| {
            this.scan_item(&carries, &own.kept, k, begins.as_ref());
            this.store_each(&carries, &own.kept, &Exp::Var(k));
        });
    }

    fn store_scanned(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        let epilogue = self.epilogue(tile.pat);
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let store = this.block(|this| {
                let index = this.find_element(tile, own, k, place.clone());
                let mut bound = tile.pat.iter();
                let mut finished = Vec::new();
                for (scan, arrays) in tile.op.scans.iter().zip(&own.kept) {
                    let parts = this.load_kept(arrays, &Exp::Var(k));
                    for (part, var) in parts.iter().zip(bound.by_ref()) {
                        this.store_sofar(*var, index, part);
                    }
                    finished.push(Partial { op: &scan.op, parts });
                }
                if let Some(epilogue) = &epilogue {
                    let at = this.atom(index.into());
                    let section = this.block(|this| {
                        this.before_operator(tile.seg);
                        this.epilogue_at(tile, epilogue, at, &finished);
                    });
                    this.out.push(Stm::Section(section));
                }
            });
            let within = u32_lt(place, own.ground.here.clone());
            this.out.push(Stm::If(within, store, Block::new()));
        });
    }
}

impl<'a> Emit<'a> {
    /// The epilogue at one position. Plain results that it reads are recomputed: other threads may run in between, and
    /// memory is slower.
    pub(super) fn epilogue_at(
        &mut self,
        tile: &Tile<'a, '_>,
        epilogue: &Epilogue<'a>,
        at: Exp,
        finished: &[Partial<'a>],
    ) {
        let op = tile.op;
        let mut given = Self::scanned_elements(tile.pat, finished);
        if epilogue.reads_plain(tile.pat, op) {
            self.enter(tile.pat, &op.inputs, &op.map, at.clone());
            self.body(&op.map.body);
            given.extend(self.plain_elements(tile.pat, op));
        }
        self.execute_epilogue(epilogue, at, &given);
    }
}

/// Whether code may do more than compute scalars.
fn may_fail(body: &[Stm]) -> bool {
    let mut may = false;
    each_stm(body, &mut |stm| {
        may |= !matches!(
            stm,
            Stm::Comment(_) | Stm::Assign(..) | Stm::Declare(..) | Stm::If(..) | Stm::Store(..)
        );
    });
    may
}
