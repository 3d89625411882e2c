//! Scans, with or without surrounding maps, in a single pass over all segments.
//!
//! A block processes a tile of consecutive elements, which may cross segments. Its threads evaluate the map function,
//! with neighbouring threads at neighbouring elements (coalesced); the elements are then redistributed through shared
//! memory so that each thread has consecutive elements, which it scans; and the results go back the same way. In
//! between, all elements are in registers: a thread computes all of them before it stores any, so that it waits for
//! memory only once, and the components of values take turns in shared memory, so that tiles can be large. The scan
//! across the threads of a block is in [`super::prefix`], and the prefix of the tile is found by [`super::lookback`].
//!
//! If the scan counts elements, such as those that a filter keeps, 32-bit numbers suffice inside a tile, which can
//! therefore be larger; the prefix of the tile is added when they are stored.
//!
//! At the beginning of a segment, earlier elements do not count. A tile in which a segment begins knows its final
//! values up to its end immediately.

use super::super::Emit;
use super::super::combine::{Kept, Partial, Room, SHARED_BYTES};
use super::super::epilogue::Epilogue;
use super::lookback::Told;
use super::prefix::Sums;
use super::seg::{SegOp, innermost};
use super::space::Space;
use super::stage::{is_short, short_int, u32_bin, u32_lt, up_to, wide};
use super::{bin, eq, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_imp::device::DEVICE;
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, CmpOp, Scalar, Screma, Var};

/// The maximum number of elements per thread; odd, so that neighbouring threads use different memory banks.
const MOST_ITEMS: u32 = 31;

/// The number of registers that the elements of a thread may occupy.
const REGISTERS: u32 = 40;

/// The threads of a warp, whose values are combined first.
pub(super) const WARP: u32 = DEVICE.warp;

/// Larger than any position in a tile.
const FAR: i64 = 1 << 19;

/// What the parts of the kernel share.
pub(super) struct Tile<'a, 'b> {
    pub(super) seg: &'b SegOp<'a>,
    pub(super) pat: &'a [Var],
    pub(super) op: &'a Screma,
    /// The space of the surrounding maps and its own width.
    pub(super) space: Space,
    pub(super) width: Exp,
    /// If there is one surrounding map: an upper bound for the length of a row, and `2^31` divided by that.
    pub(super) rows: Option<(Exp, Exp)>,
    /// Threads per block, elements per thread.
    pub(super) threads: u32,
    pub(super) items: u32,
    /// Whether elements of tiles have 32 bits instead of 64.
    pub(super) narrow: bool,
    /// What blocks have published.
    pub(super) told: Told,
    pub(super) counter: V,
}

/// The variables of a thread.
pub(super) struct Thread<'a> {
    /// The number of the thread, as 64-bit and as 32-bit number.
    pub(super) thread: Exp,
    pub(super) short: Exp,
    /// The number of the block, the number of the first element of the tile, and how many elements the tile has.
    pub(super) number: Exp,
    pub(super) first: Exp,
    pub(super) here: Exp,
    /// If there is one surrounding map: the row and the position of the first element, and how many elements are left
    /// in that row.
    pub(super) start: Option<[Exp; 3]>,
    /// For each scan, the elements of the thread, and shared arrays with one value per thread.
    pub(super) kept: Vec<Kept>,
    pub(super) each: Vec<Kept>,
    /// For each type, a shared array the size of a tile.
    pub(super) ways: Vec<(Prim, V)>,
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
enum Order {
    /// Neighbouring threads have neighbouring elements.
    Apart,
    /// Each thread has consecutive elements.
    InTurn,
}

impl<'a> Emit<'a> {
    pub(super) fn scan_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) {
        let width = self.simple("width", &self.atom(op.width));
        let mut dims = Vec::new();
        for size in self.sizes(seg, Some(width.clone())) {
            dims.push(self.simple("size", &size));
        }
        let space = self.space(&dims);
        let prims = self.scanned_prims(op);
        let narrow = seg.space.is_empty() && self.counts(op);
        let (threads, items) = match narrow {
            true => tile_size(self, &vec![vec![Some(Prim::I32)]; prims.len()]),
            false => tile_size(self, &prims),
        };
        let tile = i64::from(threads * items);
        let blocks = self.simple("blocks", &quot_up(space.total.clone(), Exp::int(tile)));
        let (counter_mem, counter) = self.temporary("counter", Prim::I32, Exp::int(1));
        let (told, told_mem) = self.told(&prims, &blocks, counter);
        let rows = (seg.space.len() == 1).then(|| {
            let some = bin(BinOp::Max, bin(BinOp::Min, width.clone(), Exp::int(FAR)), Exp::int(1));
            let some = self.simple("length", &some);
            let reciprocal = quot_up(Exp::int(1 << 31), some.clone());
            (some, self.simple("reciprocal", &reciprocal))
        });
        let tile = Tile { seg, pat, op, space, width, rows, threads, items, narrow, told, counter };
        self.launch("scan", blocks, threads, |this, _, thread| {
            let mut own = this.begin_tile(&tile, thread);
            own.dense = this.evaluate(&tile, &own);
            this.reorder_tile(&tile, &own, Order::Apart, Order::InTurn);
            this.scan_items(&tile, &own);
            let sums = this.scan_threads(&tile, &own);
            let found = this.look_back(&tile, &own, &sums);
            this.out.push(Stm::Barrier);
            this.add_before(&tile, &own, &sums, &found);
            this.reorder_tile(&tile, &own, Order::InTurn, Order::Apart);
            this.store_scanned(&tile, &own, &found);
        });
        self.out.extend([told_mem, counter_mem].map(Stm::Free));
    }

    /// The types of the scanned values.
    fn scanned_prims(&self, op: &Screma) -> Vec<Vec<Option<Prim>>> {
        let of = |params: &[Var]| params.iter().map(|var| self.prim((*var).into())).collect();
        op.scans.iter().map(|scan| of(&scan.op.params[..scan.neutral.len()])).collect()
    }

    /// Whether all scans count elements.
    fn counts(&self, op: &Screma) -> bool {
        let of_result = |result: &Atom| {
            let var = result.var()?;
            op.map.body.stms.iter().find(|stm| stm.pat == [var]).map(|stm| &stm.exp)
        };
        op.scans.iter().zip(&op.map.body.results).all(|(scan, result)| {
            let [first, second] = scan.op.params.as_slice() else { return false };
            let [stm] = scan.op.body.stms.as_slice() else { return false };
            let adds = stm.exp == ir::Exp::BinOp(BinOp::Add, (*first).into(), (*second).into())
                && [scan.op.body.results[0]] == [Atom::from(stm.pat[0])];
            let wide = self.prim((*first).into()) == Some(Prim::I64);
            let one = matches!(of_result(result), Some(ir::Exp::Convert(_, flag))
                if self.prim(*flag) == Some(Prim::Bool));
            adds && wide && one
        })
    }

    /// Assigns a number to the block, and declares the shared variables.
    fn begin_tile(&mut self, tile: &Tile<'a, '_>, thread: V) -> Thread<'a> {
        let sofar = self.start_scans(tile.op);
        let elements = tile.threads * tile.items;
        let stored = tile.narrow.then_some(Prim::I32);
        let [mut each, mut kept] = [Vec::new(), Vec::new()];
        for scan in &tile.op.scans {
            let prims = self.part_prims(&scan.op);
            each.push(self.keep_prims("each", &prims, stored, &Room::Shared(tile.threads)));
            kept.push(self.keep_prims("kept", &prims, stored, &Room::Registers(tile.items)));
        }
        let mut ways: Vec<(Prim, V)> = Vec::new();
        for array in each.iter().flat_map(Kept::arrays) {
            let prim = self.scalar_prim(array);
            if ways.iter().all(|(other, _)| *other != prim) {
                ways.push((prim, self.shared_array("tile", prim, elements)));
            }
        }
        let segmented = !tile.seg.space.is_empty();
        let cuts = segmented.then(|| self.shared_array("cuts", Prim::Bool, tile.threads));
        let number = self.shared_array("number", Prim::I32, 1);
        let short = self.short("thread", &Exp::Var(thread));
        let thread = Exp::Var(thread);
        let take = self.block(|this| {
            let taken = this.declare("taken", Prim::I32, None);
            this.out.push(Stm::Count(taken, tile.counter, Exp::int(0)));
            this.out.push(Stm::Store(number, Exp::int(0), Exp::Var(taken)));
        });
        self.out.push(Stm::If(eq(thread.clone(), Exp::int(0)), take, Block::new()));
        self.out.push(Stm::Barrier);
        let loaded = Exp::Load(number, Box::new(Exp::int(0)));
        let number =
            self.simple("tile_number", &Exp::Convert(Prim::I32, Prim::I64, Box::new(loaded)));
        let size = Exp::int(i64::from(elements));
        let first = self.simple("first", &bin(BinOp::Mul, number.clone(), size.clone()));
        let left = bin(BinOp::Sub, tile.space.total.clone(), first.clone());
        let here = self.short("here", &bin(BinOp::Min, left, size));
        let start = tile.rows.is_some().then(|| {
            let indices = self.position_in(first.clone(), &tile.space);
            let [row, position] = indices.try_into().ok().or_bug("row and position");
            let left = bin(BinOp::Sub, tile.width.clone(), position.clone());
            let left = self.short("left", &bin(BinOp::Min, left, Exp::int(FAR)));
            [row, position, left]
        });
        let cut = self.declare("cut", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        let dense = false;
        Thread {
            thread,
            short,
            number,
            first,
            here,
            start,
            kept,
            each,
            ways,
            cuts,
            sofar,
            cut,
            dense,
        }
    }

    /// Executes code for the elements of a thread; `work` gets the number of the element within the thread, and its
    /// place in the tile.
    fn each_item(
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
    fn evaluate(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> bool {
        let op = tile.op;
        let plain = &tile.pat[op.folded()..];
        let results = &op.map.body.results[op.folded()..];
        let prims: Vec<Option<Prim>> = results.iter().map(|result| self.prim(*result)).collect();
        let all_scalars = prims.iter().all(Option::is_some);
        let before = self.out.len();
        let prims = if all_scalars { prims.as_slice() } else { &[] };
        let room = Room::Registers(tile.items);
        let kept_plain = self.keep_prims("kept", prims, None, &room);
        let arrays = own.kept.iter().chain([&kept_plain]).flat_map(Kept::arrays);
        let arrays: Vec<V> = arrays.collect();
        let last = u32_bin(BinOp::Sub, own.here.clone(), short_int(1));
        let last = self.number("last", last);
        let start = self.out.len();
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let place = this.number("place", u32_bin(BinOp::Min, place, last));
            this.enter_element(tile, own, place);
            this.body(&op.map.body);
            this.store_atoms(&op.map.body.results, &own.kept, &Exp::Var(k));
            this.store_atoms(results, std::slice::from_ref(&kept_plain), &Exp::Var(k));
        });
        if all_scalars && self.is_plain(loop_body(&self.out[start..]), &arrays) {
            if !plain.is_empty() {
                self.each_item(tile, own, Order::Apart, |this, k, place| {
                    let store = this.block(|this| {
                        let index = this.find_element(tile, own, place.clone());
                        let parts = this.load_kept(&kept_plain, &Exp::Var(k));
                        for (var, part) in plain.iter().zip(&parts) {
                            this.store_sofar(*var, index, part);
                        }
                    });
                    let within = u32_lt(place, own.here.clone());
                    this.out.push(Stm::If(within, store, Block::new()));
                });
            }
            return true;
        }
        self.out.truncate(before);
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let section = this.block(|this| {
                let index = this.enter_element(tile, own, place.clone());
                this.body(&op.map.body);
                this.store_atoms(&op.map.body.results, &own.kept, &Exp::Var(k));
                for (result, var) in results.iter().zip(plain) {
                    this.store_row(*var, index, *result);
                }
            });
            let within = u32_lt(place, own.here.clone());
            let section = vec![Stm::Section(section)];
            this.out.push(Stm::If(within, section, Block::new()));
        });
        false
    }

    /// Enters the surrounding functions of an element; returns the variable that is its index.
    fn enter_element(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, place: Exp) -> Var {
        let indices = self.indices_in_tile(tile, own, place);
        let at = self.enter_operator(tile.seg, &indices);
        self.enter(tile.pat, &tile.op.inputs, &tile.op.map, at)
    }

    /// The indices of an element, without its values; returns the variable that is its own index.
    fn find_element(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, place: Exp) -> Var {
        let indices = self.indices_in_tile(tile, own, place);
        self.set_indices(tile.seg, &indices);
        let own_index = self.table.index(tile.pat, &tile.op.map);
        let at = indices.last().cloned().or_bug("the index of an element");
        self.scalars.insert(own_index, at);
        own_index
    }

    /// Threads exchange elements through shared memory, one component after the other.
    fn reorder_tile(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, from: Order, to: Order) {
        let mut used: Vec<V> = Vec::new();
        for array in own.kept.iter().flat_map(Kept::arrays) {
            let prim = self.scalar_prim(array);
            let way = own.ways.iter().find(|(other, _)| *other == prim);
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
        // The number of the next element at which a segment begins.
        let next = (!tile.seg.space.is_empty()).then(|| {
            let start = u32_bin(BinOp::Mul, own.short.clone(), short_int(tile.items));
            let start = self.number("start", start);
            let indices = self.indices_in_tile(tile, own, start);
            let position = innermost(&indices);
            let left = bin(BinOp::Sub, tile.width.clone(), position.clone());
            let left = bin(BinOp::Min, left, Exp::int(FAR));
            let left = Exp::Select(Box::new([eq(position, Exp::int(0)), Exp::int(0), left]));
            let left = Exp::Convert(Prim::I64, Prim::U32, Box::new(left));
            let next = self.declare("next", Prim::U32, Some(left));
            let width = bin(BinOp::Min, tile.width.clone(), Exp::int(FAR));
            (next, self.short("width", &width))
        });
        let section = self.block(|this| {
            this.each_item(tile, own, Order::InTurn, |this, k, place| {
                let body = this.block(|this| {
                    let begins = next.as_ref().map(|(next, width)| {
                        let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                        let next = *next;
                        let begins = Exp::Cmp(
                            CmpOp::Eq,
                            Prim::U32,
                            Box::new(turn),
                            Box::new(Exp::Var(next)),
                        );
                        let begins = this.declare("begins", Prim::Bool, Some(begins));
                        let later = u32_bin(BinOp::Add, Exp::Var(next), width.clone());
                        let yes = vec![Stm::Assign(next, later)];
                        this.out.push(Stm::If(Exp::Var(begins), yes, Block::new()));
                        Exp::Var(begins)
                    });
                    work(this, k, begins);
                });
                match own.dense && !may_fail(&body) {
                    true => this.out.extend(body),
                    false => {
                        let within = u32_lt(place, own.here.clone());
                        this.out.push(Stm::If(within, body, Block::new()));
                    }
                }
            });
        });
        self.out.push(Stm::Section(section));
    }

    /// The indices of an element, computed from its place in the tile. Without branches, if possible, so that its loads
    /// can overlap with the other loads of the thread.
    pub(super) fn indices_in_tile(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        place: Exp,
    ) -> Vec<Exp> {
        let (Some((length, reciprocal)), Some([row, position, left])) = (&tile.rows, &own.start)
        else {
            let at = self.simple("at", &bin(BinOp::Add, own.first.clone(), wide(place)));
            return self.position_in(at, &tile.space);
        };
        let first = Exp::Var(self.declare(
            "in_first",
            Prim::Bool,
            Some(u32_lt(place.clone(), left.clone())),
        ));
        let over = self.number("over", u32_bin(BinOp::Sub, place.clone(), left.clone()));
        // Exact, as the product of the number and the length is less than 2^31.
        let u64_of = |e: Exp| Box::new(Exp::Convert(Prim::U32, Prim::U64, Box::new(e)));
        let reciprocal = Exp::Convert(Prim::I64, Prim::U32, Box::new(reciprocal.clone()));
        let (a, b) = (u64_of(over.clone()), u64_of(reciprocal));
        let product = Exp::Bin(BinOp::Mul, Prim::U64, a, b);
        let shift = Box::new(Exp::Const(Scalar::U64(31)));
        let quot = Exp::Bin(BinOp::Lshr, Prim::U64, Box::new(product), shift);
        let quot = self.number("quot", Exp::Convert(Prim::U64, Prim::U32, Box::new(quot)));
        let length = Exp::Convert(Prim::I64, Prim::U32, Box::new(length.clone()));
        let rest = u32_bin(BinOp::Sub, over, u32_bin(BinOp::Mul, quot.clone(), length));
        let more = u32_bin(BinOp::Add, quot, short_int(1));
        let more = Exp::Select(Box::new([first.clone(), short_int(0), more]));
        let row = self.simple("row", &bin(BinOp::Add, row.clone(), wide(more)));
        let same = bin(BinOp::Add, position.clone(), wide(place));
        let index = Exp::Select(Box::new([first, same, wide(rest)]));
        vec![row, self.simple("i", &index)]
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
            let parts = match tile.narrow {
                true => self.copied(&before.parts),
                false => self.load_kept(found, &Exp::int(0)),
            };
            carries.push(Partial { op: before.op, parts });
        }
        let start = self.block(|this| {
            let begins = own.cuts.map(|_| Exp::Var(sums.before_cut));
            let carries = if tile.narrow { &[] } else { carries.as_slice() };
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

    fn store_scanned(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, found: &[Kept]) {
        let mut before = Vec::new();
        for found in found.iter().filter(|_| tile.narrow) {
            before.push(self.load_kept(found, &Exp::int(0)));
        }
        self.each_item(tile, own, Order::Apart, |this, k, place| {
            let store = this.block(|this| {
                let index = this.find_element(tile, own, place.clone());
                let mut bound = tile.pat.iter();
                let mut finished = Vec::new();
                for (number, (scan, arrays)) in tile.op.scans.iter().zip(&own.kept).enumerate() {
                    let mut parts = this.load_kept(arrays, &Exp::Var(k));
                    if let Some(before) = before.get(number) {
                        let all = this.copied(before);
                        this.combine_parts(&scan.op, &all, &parts);
                        parts = all;
                    }
                    for (part, var) in parts.iter().zip(bound.by_ref()) {
                        this.store_sofar(*var, index, part);
                    }
                    finished.push(Partial { op: &scan.op, parts });
                }
                if let Some(epilogue) = this.epilogue(tile.pat) {
                    let at = this.atom(index.into());
                    let section =
                        this.block(|this| this.epilogue_at(tile, &epilogue, at, &finished));
                    this.out.push(Stm::Section(section));
                }
            });
            let within = u32_lt(place, own.here.clone());
            this.out.push(Stm::If(within, store, Block::new()));
        });
    }
}

impl<'a> Emit<'a> {
    /// The epilogue at one position. Plain results that it reads are recomputed: other threads may run in between, and
    /// memory is slower.
    fn epilogue_at(
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

/// The body of a loop, which is the last statement.
fn loop_body(stms: &[Stm]) -> &[Stm] {
    match stms.last() {
        Some(Stm::For { body, .. }) => body,
        Some(_) | None => &[],
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

/// The number of threads per block, and of elements per thread, for values of these types.
fn tile_size(emit: &Emit<'_>, prims: &[Vec<Option<Prim>>]) -> (u32, u32) {
    let (mut bytes, mut words, mut apart) = (0, 0, Vec::new());
    for prim in prims.iter().flatten().flatten() {
        bytes += prim.bits().div_ceil(8);
        words += prim.bits().div_ceil(32);
        if !apart.contains(prim) {
            apart.push(*prim);
        }
    }
    let types: u32 = apart.iter().map(|prim| prim.bits().div_ceil(8)).sum();
    let odd = |items: u32| items - (1 - items % 2);
    let mut items = odd((REGISTERS / words.max(1)).clamp(1, emit.unless_few(MOST_ITEMS, 3)));
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
