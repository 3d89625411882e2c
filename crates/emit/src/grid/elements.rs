//! Tiles of elements: what scans share with reductions of rows that differ.
//!
//! A block processes a tile of consecutive elements. Its threads evaluate the map function, with neighbouring threads at
//! neighbouring elements (coalesced), and a thread computes all its elements before it stores any, so that it waits for memory
//! only once. What they do with the values then is in [`super::scan`] and [`super::rows`].

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, SHARED_BYTES};
use super::eq;
use super::layout::{Ground, Layout};
use super::lookback::Told;
use super::seg::{SegOp, innermost};
use super::stage::{is_short, short_int, u32_bin, u32_lt, up_to};
use fehu_base::Prim;
use fehu_imp::device::DEVICE;
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{Atom, BinOp, Lambda, Scalar, Screma, Var};

/// The number of registers that the elements of a thread may occupy.
const REGISTERS: u32 = 40;

/// The threads of a warp, whose values are combined first.
pub(super) const WARP: u32 = DEVICE.warp;

/// An operator that combines elements, and its neutral element.
#[derive(Clone, Copy)]
pub(super) struct Fold<'a> {
    pub(super) op: &'a Lambda,
    pub(super) neutral: &'a [Atom],
}

/// What the parts of the kernel share.
pub(super) struct Tile<'a, 'b> {
    pub(super) seg: &'b SegOp<'a>,
    pub(super) pat: &'a [Var],
    pub(super) op: &'a Screma,
    /// The scans, or the reductions, and the number of the function's first result that is for them.
    pub(super) folds: Vec<Fold<'a>>,
    pub(super) skipped: usize,
    /// Whether the plain results of the function are stored.
    pub(super) with_maps: bool,
    /// Where its elements are.
    pub(super) layout: Layout,
    /// Threads per block, elements per thread.
    pub(super) threads: u32,
    pub(super) items: u32,
    /// Whether threads combine elements in turn, and their values then.
    pub(super) in_turn: bool,
    /// What blocks have published.
    pub(super) told: Told,
    pub(super) counter: V,
}

/// The variables of a thread.
pub(super) struct Thread<'a> {
    /// The number of the thread, as 64-bit and as 32-bit number.
    pub(super) thread: Exp,
    pub(super) short: Exp,
    /// The number of the block, and the elements of the tile.
    pub(super) number: Exp,
    pub(super) ground: Ground,
    /// For each operator, the elements of the thread, and shared arrays with one value per thread.
    pub(super) kept: Vec<Kept>,
    pub(super) each: Vec<Kept>,
    /// For each thread, whether a segment begins among its elements, if there are several segments.
    pub(super) cuts: Option<V>,
    /// The values of the thread.
    pub(super) sofar: Vec<Partial<'a>>,
    /// Whether a segment begins among the elements of this thread or of the threads before it.
    pub(super) cut: V,
    /// Whether elements beyond the end are treated like the others.
    pub(super) dense: bool,
}

/// How the elements of a tile are distributed over its threads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Neighbouring threads have neighbouring elements.
    Apart,
    /// Each thread has consecutive elements.
    InTurn,
}

impl<'a> Emit<'a> {
    /// The neutral values of operators.
    pub(super) fn start_folds(&mut self, folds: &[Fold<'a>]) -> Vec<Partial<'a>> {
        folds.iter().map(|fold| self.start(fold.op, fold.neutral)).collect()
    }

    /// The types of the values that operators combine.
    pub(super) fn folded_prims(&self, folds: &[Fold<'a>]) -> Vec<Vec<Option<Prim>>> {
        folds.iter().map(|fold| self.part_prims(fold.op)).collect()
    }

    /// Assigns a number to the block, and declares the variables of a thread and shared arrays.
    pub(super) fn begin_tile(&mut self, tile: &Tile<'a, '_>, thread: V) -> Thread<'a> {
        let sofar = self.start_folds(&tile.folds);
        let elements = tile.threads * tile.items;
        let ops = tile.folds.iter().map(|fold| fold.op).filter(|_| tile.in_turn);
        let each = self.keep_each("each", ops, &Room::Shared(tile.threads));
        let cuts = tile.in_turn && tile.layout.has_rows();
        let cuts = cuts.then(|| self.shared_array("cuts", Prim::Bool, tile.threads));
        let number = self.shared_array("number", Prim::I32, 1);
        let short = self.short("thread", &Exp::Var(thread));
        let thread = Exp::Var(thread);
        let take = self.block(|this| {
            let first = Exp::Const(Scalar::I32(0));
            let taken = this.declare("taken", Prim::I32, Some(first));
            let count = Stm::Count(taken, tile.counter, Exp::int(0));
            this.out.push(Stm::If(tile.told.several.clone(), vec![count], Block::new()));
            this.out.push(Stm::Store(number, Exp::int(0), Exp::Var(taken)));
        });
        self.out.push(Stm::If(eq(thread.clone(), Exp::int(0)), take, Block::new()));
        self.out.push(Stm::Barrier);
        let loaded = Exp::Load(number, Box::new(Exp::int(0)));
        let number =
            self.simple("tile_number", &Exp::Convert(Prim::I32, Prim::I64, Box::new(loaded)));
        let ground = self.ground(&tile.layout, &number, &short, elements, tile.in_turn);
        let cut = self.declare("cut", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        let dense = false;
        let kept = Vec::new();
        Thread { thread, short, number, ground, kept, each, cuts, sofar, cut, dense }
    }

    /// Registers for the elements of a thread.
    pub(super) fn keep_elements(&mut self, tile: &Tile<'a, '_>) -> Vec<Kept> {
        let ops = tile.folds.iter().map(|fold| fold.op);
        self.keep_each("kept", ops, &Room::Registers(tile.items))
    }

    /// Executes code for the elements of a thread; `work` gets the number of the element within the thread, and its
    /// place in the tile.
    pub(super) fn each_item(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        order: Order,
        work: impl FnOnce(&mut Self, V, Exp),
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            let place = match order {
                Order::Apart => u32_bin(
                    BinOp::Add,
                    own.short.clone(),
                    u32_bin(BinOp::Mul, turn, short_int(tile.threads)),
                ),
                Order::InTurn => {
                    let before = u32_bin(BinOp::Mul, own.short.clone(), short_int(tile.items));
                    u32_bin(BinOp::Add, before, turn)
                }
            };
            let place = this.number("place", place);
            work(this, k, place);
        });
        // If the bound is a variable, the loop is not unrolled.
        let items = Exp::int(i64::from(tile.items));
        let items = match is_short(&body) {
            true => items,
            false => Exp::Var(self.declare("items", Prim::I64, Some(items))),
        };
        self.out.push(up_to(k, items, body));
    }

    /// The map function, for all elements of the tile; plain results are stored. Returns whether threads beyond the end
    /// recompute the last element.
    pub(super) fn evaluate(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> bool {
        if tile.layout.is_even() {
            return self.evaluate_some(tile, own);
        }
        // A tile may have no elements at all, and all tiles may have fewer than they have room for.
        let body = self.block(|this| {
            this.evaluate_some(tile, own);
        });
        let some = u32_lt(short_int(0), own.ground.here.clone());
        self.out.push(Stm::If(some, body, Block::new()));
        false
    }

    fn evaluate_some(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> bool {
        let op = tile.op;
        let first = if tile.with_maps { op.folded() } else { tile.pat.len() };
        let plain = &tile.pat[first..];
        let results = &op.map.body.results[first..];
        let folded = &op.map.body.results[tile.skipped..];
        let prims: Vec<Option<Prim>> = results.iter().map(|result| self.prim(*result)).collect();
        let all_scalars = prims.iter().all(Option::is_some);
        let before = self.out.len();
        let prims = if all_scalars { prims.as_slice() } else { &[] };
        let room = Room::Registers(tile.items);
        let kept_plain = self.keep_prims("kept", prims, None, &room);
        let arrays = own.kept.iter().chain([&kept_plain]).flat_map(Kept::arrays);
        let arrays: Vec<V> = arrays.collect();
        let last = u32_bin(BinOp::Sub, own.ground.here.clone(), short_int(1));
        let last = self.number("last", last);
        let start = self.out.len();
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let place = this.number("place", u32_bin(BinOp::Min, place, last));
            this.enter_element(tile, own, k, place);
            this.body(&op.map.body);
            this.store_atoms(folded, &own.kept, &Exp::Var(k));
            this.store_atoms(results, std::slice::from_ref(&kept_plain), &Exp::Var(k));
        });
        if all_scalars && self.is_plain(loop_body(&self.out[start..]), &arrays) {
            if !plain.is_empty() {
                self.each_item(tile, own, Order::Apart, |this, k, place| {
                    let store = this.block(|this| {
                        let index = this.find_element(tile, own, k, place.clone());
                        let parts = this.load_kept(&kept_plain, &Exp::Var(k));
                        for (var, part) in plain.iter().zip(&parts) {
                            this.store_sofar(*var, index, part);
                        }
                    });
                    let within = u32_lt(place, own.ground.here.clone());
                    this.out.push(Stm::If(within, store, Block::new()));
                });
            }
            return true;
        }
        self.out.truncate(before);
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let section = this.block(|this| {
                let index = this.enter_element(tile, own, k, place.clone());
                this.body(&op.map.body);
                this.store_atoms(folded, &own.kept, &Exp::Var(k));
                for (result, var) in results.iter().zip(plain) {
                    this.store_row(*var, index, *result);
                }
            });
            let within = u32_lt(place, own.ground.here.clone());
            let section = vec![Stm::Section(section)];
            this.out.push(Stm::If(within, section, Block::new()));
        });
        false
    }

    /// Enters the surrounding functions of an element, by its number within the thread and its place; returns the
    /// variable that is its index.
    pub(super) fn enter_element(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        k: V,
        place: Exp,
    ) -> Var {
        let indices = self.indices_in_tile(&tile.layout, &own.ground, place, Some(k));
        let at = self.enter_operator(tile.seg, &indices);
        self.enter(tile.pat, &tile.op.inputs, &tile.op.map, at)
    }

    /// The indices of an element, without its values; returns the variable that is its own index.
    pub(super) fn find_element(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        k: V,
        place: Exp,
    ) -> Var {
        let indices = self.indices_in_tile(&tile.layout, &own.ground, place, Some(k));
        self.set_indices(tile.seg, &indices);
        let own_index = self.table.index(tile.pat, &tile.op.map);
        self.scalars.insert(own_index, innermost(&indices));
        own_index
    }
}

/// The body of a loop, which is the last statement.
pub(super) fn loop_body(stms: &[Stm]) -> &[Stm] {
    match stms.last() {
        Some(Stm::For { body, .. }) => body,
        Some(_) | None => &[],
    }
}

/// What a tile needs.
pub(super) struct Needs {
    /// The most elements of a thread.
    pub(super) most: u32,
    /// The bytes of shared memory for each element, besides its value.
    pub(super) step: u32,
    /// Whether the components of elements are in shared memory all at once; otherwise they take turns.
    pub(super) at_once: bool,
}

/// The number of threads per block, and of elements per thread, for values of these types.
pub(super) fn tile_size(emit: &Emit<'_>, prims: &[Vec<Option<Prim>>], needs: &Needs) -> (u32, u32) {
    let (mut bytes, mut words, mut apart) = (0, 0, Vec::new());
    for prim in prims.iter().flatten().flatten() {
        bytes += prim.bits().div_ceil(8);
        words += prim.bits().div_ceil(32);
        if !apart.contains(prim) {
            apart.push(*prim);
        }
    }
    let types: u32 = match needs.at_once {
        true => bytes,
        false => apart.iter().map(|prim| prim.bits().div_ceil(8)).sum(),
    };
    let types = types + needs.step;
    let odd = |items: u32| items - (1 - items % 2);
    let mut items = odd((REGISTERS / words.max(1)).clamp(1, emit.unless_few(needs.most, 3)));
    let mut threads = emit.threads();
    // The tile, one value per thread, and the arrays for look-back.
    let needed =
        |threads: u32, items: u32| threads * (items * types + bytes + 1) + 40 * (bytes + 4);
    while needed(threads, items) > SHARED_BYTES && threads > WARP {
        match items {
            0..=5 => threads /= 2,
            _ => items -= 2,
        }
    }
    (threads, items)
}
