//! Scans, with or without maps around them, in one pass over all segments.
//!
//! A block has a tile of elements that follow each other, across segments. Its threads evaluate the map function in an order that is
//! good for memory, and then each thread scans elements that follow each other. What comes before the tile is
//! found by looking back: every block tells the combination of its own elements as soon as it has it, and that of all elements up
//! to its end as soon as it knows it, and who comes later combines what it finds until it finds the latter. Blocks take
//! their numbers in the order in which they begin, so that nobody waits for a block that has not begun.
//!
//! Where a segment begins, nothing that is before it counts. A tile in which one begins knows all up to its end at once.

use super::super::Emit;
use super::super::follow::Follower;
use super::super::screma::{NO_INDEX, Sofar};
use super::nest::Nest;
use super::team::SHARED_BYTES;
use super::{bin, eq, lt, quot_up};
use crate::{Block, Exp, Kind, Stm, Ty, V};
use fehu_base::Prim;
use fehu_ir::{Atom, BinOp, Scalar, Screma, Var};

/// The most elements of a thread; odd, so that neighbouring threads use different banks of memory.
const MOST_ITEMS: u32 = 15;

/// How many blocks are looked at at the same time.
const WINDOW: u32 = 32;

/// A block has said nothing.
const NOTHING: i32 = 0;

/// A block knows the combination of its own elements.
const OWN: i32 = 1;

/// A block knows the combination of all elements up to its end.
const ALL: i32 = 2;

/// What the parts of the kernel know of each other.
struct Tile<'a, 'b> {
    nest: &'b Nest<'a>,
    pat: &'a [Var],
    op: &'a Screma,
    /// The sizes of the maps around it and its own width.
    dims: Vec<Exp>,
    width: Exp,
    total: Exp,
    /// Threads of a block, elements of a thread.
    threads: u32,
    items: u32,
    /// For each scan and part of a value, arrays of the device: what blocks know of their own elements, and of all up to their end.
    own: Vec<Vec<Option<V>>>,
    all: Vec<Vec<Option<V>>>,
    status: V,
    counter: V,
}

/// The variables of a thread.
struct Thread<'a> {
    thread: Exp,
    /// The number of the block, and of the first element of the tile.
    number: Exp,
    first: Exp,
    /// For each scan and part: the elements of the tile, and a value for each thread.
    tile: Vec<Vec<Option<V>>>,
    each: Vec<Vec<Option<V>>>,
    /// For each thread, whether a segment begins among its elements.
    cuts: V,
    /// The values of the thread.
    sofar: Vec<Vec<Sofar<'a>>>,
    /// Whether a segment begins among the thread's elements or those of the threads before it.
    cut: V,
}

impl<'a> Emit<'a> {
    pub(super) fn scan_on_grid(&mut self, nest: &Nest<'a>, pat: &'a [Var], op: &'a Screma) {
        let width = self.simple("width", &self.atom(op.width));
        let mut dims = Vec::new();
        for size in self.sizes(nest, Some(width.clone())) {
            dims.push(self.simple("size", &size));
        }
        let total = self.total(&dims);
        let prims = self.scanned_prims(op);
        let bytes: u32 = prims.iter().flatten().flatten().map(|prim| prim.bits().div_ceil(8)).sum();
        let (threads, items) = tile_size(bytes.max(1));
        let tile = i64::from(threads * items);
        let blocks = self.simple("blocks", &quot_up(total.clone(), Exp::int(tile)));
        let mut handles = Vec::new();
        let mut buffers = |this: &mut Self, hint: &str| -> Vec<Vec<Option<V>>> {
            let mut all = Vec::new();
            for prims in &prims {
                let mut arrays = Vec::new();
                for prim in prims {
                    arrays.push(prim.map(|prim| {
                        let (handle, ptr) = this.temporary(hint, prim, blocks.clone());
                        handles.push(handle);
                        ptr
                    }));
                }
                all.push(arrays);
            }
            all
        };
        let (own, all) = (buffers(self, "own"), buffers(self, "before"));
        let (status_mem, status) = self.temporary("status", Prim::I32, blocks.clone());
        let (counter_mem, counter) = self.temporary("counter", Prim::I32, Exp::int(1));
        handles.extend([status_mem, counter_mem]);
        let zero = Exp::Const(Scalar::I32(NOTHING));
        self.grid("clear", std::slice::from_ref(&blocks), |this, indices| {
            this.out.push(Stm::Store(status, indices[0].clone(), zero.clone()));
            this.out.push(Stm::If(
                eq(indices[0].clone(), Exp::int(0)),
                vec![Stm::Store(counter, Exp::int(0), zero.clone())],
                Block::new(),
            ));
        });
        let tile =
            Tile { nest, pat, op, dims, width, total, threads, items, own, all, status, counter };
        self.launch("scan", blocks, threads, |this, _, thread| {
            let mut own = this.begin_tile(&tile, thread);
            this.evaluate(&tile, &own);
            this.out.push(Stm::Barrier);
            this.scan_items(&tile, &mut own);
            this.scan_threads(&tile, &own);
            let before = this.look_back(&tile, &own);
            this.out.push(Stm::Barrier);
            this.add_before(&tile, &own, &before);
            this.out.push(Stm::Barrier);
            this.store_scanned(&tile, &own);
        });
        self.out.extend(handles.into_iter().map(Stm::Free));
    }

    /// The types of what is scanned.
    fn scanned_prims(&self, op: &Screma) -> Vec<Vec<Option<Prim>>> {
        let of = |params: &[Var]| params.iter().map(|var| self.prim((*var).into())).collect();
        op.scans.iter().map(|scan| of(&scan.op.params[..scan.neutral.len()])).collect()
    }

    /// Takes a number for the block, and declares what the threads share.
    fn begin_tile(&mut self, tile: &Tile<'a, '_>, thread: V) -> Thread<'a> {
        let sofar = self.start_scans(tile.op);
        let elements = tile.threads * tile.items;
        let shared = |this: &mut Self, hint: &str, count: u32| -> Vec<Vec<Option<V>>> {
            sofar.iter().map(|parts| this.shared(hint, parts, count)).collect()
        };
        let (values, each) = (shared(self, "tile", elements), shared(self, "each", tile.threads));
        let cuts = self.shared_array("cuts", Prim::Bool, tile.threads);
        let number = self.shared_array("number", Prim::I32, 1);
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
        let first = bin(BinOp::Mul, number.clone(), Exp::int(i64::from(elements)));
        let first = self.simple("first", &first);
        let cut = self.declare("cut", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        Thread { thread, number, first, tile: values, each, cuts, sofar, cut }
    }

    /// Executes code for the elements of a thread, neighbouring threads having neighbouring elements; `work` gets the number in the
    /// tile, and that of all elements.
    fn each_apart(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        work: impl FnOnce(&mut Self, Exp, Exp),
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let inside = bin(BinOp::Mul, Exp::Var(k), Exp::int(i64::from(tile.threads)));
            let inside = this.simple("inside", &bin(BinOp::Add, inside, own.thread.clone()));
            let at = this.simple("at", &bin(BinOp::Add, own.first.clone(), inside.clone()));
            let body = this.block(|this| work(this, inside, at.clone()));
            this.out.push(Stm::If(lt(at, tile.total.clone()), body, Block::new()));
        });
        self.count_items(k, tile.items, body);
    }

    fn count_items(&mut self, var: V, items: u32, body: Block) {
        let (from, to) = (Exp::int(0), Exp::int(i64::from(items)));
        self.out.push(Stm::For { var, from, to, step: 1, kind: Kind::Sequential, body });
    }

    /// The map function, for all elements of the tile.
    fn evaluate(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        let op = tile.op;
        self.each_apart(tile, own, |this, inside, at| {
            let section = this.block(|this| {
                let indices = this.unranked(at, &tile.dims);
                let at = this.enter_levels(tile.nest, &indices);
                let index = this.enter(tile.pat, &op.inputs, &op.map, at);
                this.body(&op.map.body);
                let mut results = op.map.body.results.iter().copied();
                for arrays in &own.tile {
                    for array in arrays {
                        if let (Some(result), Some(array)) = (results.next(), array) {
                            let value = this.atom(result);
                            this.out.push(Stm::Store(*array, inside.clone(), value));
                        }
                    }
                }
                let plain: Vec<Atom> = op.map.body.results[op.folded()..].to_vec();
                for (result, var) in plain.into_iter().zip(&tile.pat[op.folded()..]) {
                    this.store_row(*var, index, result);
                }
            });
            this.out.push(Stm::Section(section));
        });
    }

    /// Executes code for the elements of a thread that follow each other; `work` gets the number in the tile, and whether a
    /// segment begins there.
    fn each_in_turn(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        work: impl FnOnce(&mut Self, Exp, Option<Exp>),
    ) {
        let start = bin(BinOp::Mul, own.thread.clone(), Exp::int(i64::from(tile.items)));
        let start = self.simple("start", &start);
        let at = self.simple("at", &bin(BinOp::Add, own.first.clone(), start.clone()));
        let position = (!tile.nest.levels.is_empty()).then(|| {
            let position = bin(BinOp::Rem, at.clone(), tile.width.clone());
            self.declare("position", Prim::I64, Some(position))
        });
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let here = bin(BinOp::Add, at, Exp::Var(k));
            let body = this.block(|this| {
                let inside = this.simple("inside", &bin(BinOp::Add, start, Exp::Var(k)));
                let begins = position.map(|position| eq(Exp::Var(position), Exp::int(0)));
                work(this, inside, begins);
                if let Some(position) = position {
                    let next = bin(BinOp::Add, Exp::Var(position), Exp::int(1));
                    let is_end = eq(next.clone(), tile.width.clone());
                    let next = Exp::Select(Box::new([is_end, Exp::int(0), next]));
                    this.out.push(Stm::Assign(position, next));
                }
            });
            this.out.push(Stm::If(lt(here, tile.total.clone()), body, Block::new()));
        });
        self.count_items(k, tile.items, body);
    }

    /// Each thread scans its elements.
    fn scan_items(&mut self, tile: &Tile<'a, '_>, own: &mut Thread<'a>) {
        let op = tile.op;
        let own = &*own;
        self.each_in_turn(tile, own, |this, inside, begins| {
            for ((scan, arrays), sofar) in op.scans.iter().zip(&own.tile).zip(&own.sofar) {
                let here = this.get_parts(arrays, &inside);
                let combine = this.block(|this| this.combine_parts(&scan.op, sofar, &here));
                match &begins {
                    None => this.out.extend(combine),
                    Some(begins) => {
                        let begin = this.block(|this| this.copy_parts(sofar, &here));
                        this.out.push(Stm::If(begins.clone(), begin, combine));
                    }
                }
                this.put_parts(sofar, arrays, &inside);
            }
            if let Some(begins) = begins {
                let yes = vec![Stm::Assign(own.cut, Exp::Const(Scalar::Bool(true)))];
                this.out.push(Stm::If(begins, yes, Block::new()));
            }
        });
    }

    /// The threads of the block scan what each of them has.
    fn scan_threads(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        let scans = || tile.op.scans.iter().zip(&own.each).zip(&own.sofar);
        let put = |this: &mut Self| {
            for ((_, each), sofar) in scans() {
                this.put_parts(sofar, each, &own.thread);
            }
            this.out.push(Stm::Store(own.cuts, own.thread.clone(), Exp::Var(own.cut)));
            this.out.push(Stm::Barrier);
        };
        put(self);
        let distance = self.declare("distance", Prim::I64, Some(Exp::int(1)));
        let body = self.block(|this| {
            let has_left = bin(BinOp::Sub, own.thread.clone(), Exp::Var(distance));
            let left = this.simple("left", &has_left);
            let some = lt(Exp::int(-1), left.clone());
            let some = this.declare("some", Prim::Bool, Some(some));
            let from = Exp::Select(Box::new([Exp::Var(some), left, Exp::int(0)]));
            let from = this.simple("from", &from);
            let mut lefts = Vec::new();
            for ((_, each), _) in scans() {
                lefts.push(this.get_parts(each, &from));
            }
            let left_cut = Exp::Load(own.cuts, Box::new(from));
            let left_cut = this.declare("left_cut", Prim::Bool, Some(left_cut));
            this.out.push(Stm::Barrier);
            let apart = Exp::Bin(
                BinOp::And,
                Prim::Bool,
                Box::new(Exp::Var(some)),
                Box::new(not(Exp::Var(own.cut))),
            );
            let combine = this.block(|this| {
                for (((scan, _), sofar), left) in scans().zip(&lefts) {
                    this.combine_parts(&scan.op, left, sofar);
                    this.copy_parts(sofar, left);
                }
                this.out.push(Stm::Assign(own.cut, Exp::Var(left_cut)));
            });
            this.out.push(Stm::If(apart, combine, Block::new()));
            put(this);
            let twice = bin(BinOp::Mul, Exp::Var(distance), Exp::int(2));
            this.out.push(Stm::Assign(distance, twice));
        });
        let all = Exp::int(i64::from(tile.threads));
        self.out.push(Stm::While(lt(Exp::Var(distance), all), body));
    }

    /// Finds what comes before the tile, and tells what comes before the next one. Yields shared arrays of one element.
    fn look_back(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> Vec<Vec<Option<V>>> {
        let found: Vec<Vec<Option<V>>> =
            own.sofar.iter().map(|parts| self.shared("found", parts, 1)).collect();
        let window: Vec<Vec<Option<V>>> =
            own.sofar.iter().map(|parts| self.shared("window", parts, WINDOW)).collect();
        let states = self.shared_array("states", Prim::I32, WINDOW);
        let over = self.shared_array("over", Prim::Bool, 1);
        let before = self.start_scans(tile.op);
        let last = Exp::int(i64::from(tile.threads - 1));
        let is_first = eq(own.number.clone(), Exp::int(0));
        let cut = Exp::Load(own.cuts, Box::new(last.clone()));
        let knows = Exp::Bin(BinOp::Or, Prim::Bool, Box::new(is_first), Box::new(cut));
        let knows = self.declare("knows", Prim::Bool, Some(knows));
        let leads = eq(own.thread.clone(), Exp::int(0));
        let totals = |this: &mut Self| {
            let mut totals = Vec::new();
            for each in &own.each {
                totals.push(this.get_parts(each, &last));
            }
            totals
        };
        let begin = self.block(|this| {
            let totals = totals(this);
            let all = this.block(|this| this.tell(tile, own, &totals, &tile.all, ALL));
            let some = this.block(|this| this.tell(tile, own, &totals, &tile.own, OWN));
            this.out.push(Stm::If(Exp::Var(knows), all, some));
        });
        self.out.push(Stm::If(leads.clone(), begin, Block::new()));
        self.collect(tile, own, &before, (&window, states, over));
        let end = self.block(|this| {
            let rest = this.block(|this| {
                let totals = totals(this);
                let sums = this.start_scans(tile.op);
                for (((scan, before), total), sum) in
                    tile.op.scans.iter().zip(&before).zip(&totals).zip(&sums)
                {
                    this.copy_parts(sum, before);
                    this.combine_parts(&scan.op, sum, total);
                }
                this.tell(tile, own, &sums, &tile.all, ALL);
            });
            this.out.push(Stm::If(Exp::Var(knows), Block::new(), rest));
            for (before, found) in before.iter().zip(&found) {
                this.put_parts(before, found, &Exp::int(0));
            }
        });
        self.out.push(Stm::If(leads, end, Block::new()));
        found
    }

    /// Tells other blocks what this one knows.
    fn tell(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        values: &[Vec<Sofar<'a>>],
        arrays: &[Vec<Option<V>>],
        what: i32,
    ) {
        for (values, arrays) in values.iter().zip(arrays) {
            self.put_parts(values, arrays, &own.number);
        }
        self.out.push(Stm::Fence);
        let what = Exp::Const(Scalar::I32(what));
        self.out.push(Stm::Store(tile.status, own.number.clone(), what));
    }

    /// Combines what blocks before this one tell, the nearest first. Some threads look at some blocks at the same time, and the
    /// first thread combines what they find.
    fn collect(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        before: &[Vec<Sofar<'a>>],
        (window, states, over): (&[Vec<Option<V>>], V, V),
    ) {
        let other = bin(BinOp::Sub, own.number.clone(), Exp::int(1));
        let other = self.declare("other", Prim::I64, Some(other));
        let body = self.block(|this| {
            let looked =
                this.simple("looked", &bin(BinOp::Sub, Exp::Var(other), own.thread.clone()));
            let looks = Exp::Bin(
                BinOp::And,
                Prim::Bool,
                Box::new(lt(own.thread.clone(), Exp::int(i64::from(WINDOW)))),
                Box::new(lt(Exp::int(-1), looked.clone())),
            );
            let look = this.block(|this| this.look_at(tile, own, &looked, window, states));
            this.out.push(Stm::If(looks, look, Block::new()));
            this.out.push(Stm::Barrier);
            let combine = this.block(|this| {
                let t = this.declare("t", Prim::I64, Some(Exp::int(0)));
                this.out.push(Stm::Store(over, Exp::int(0), Exp::Const(Scalar::Bool(false))));
                let body = this.block(|this| {
                    for ((scan, before), window) in tile.op.scans.iter().zip(before).zip(window) {
                        let there = this.get_parts(window, &Exp::Var(t));
                        this.combine_parts(&scan.op, &there, before);
                        this.copy_parts(before, &there);
                    }
                    let state = Exp::Load(states, Box::new(Exp::Var(t)));
                    let found = vec![
                        Stm::Store(over, Exp::int(0), Exp::Const(Scalar::Bool(true))),
                        Stm::Assign(t, Exp::int(i64::from(WINDOW))),
                    ];
                    let next = bin(BinOp::Add, Exp::Var(t), Exp::int(1));
                    this.out.push(Stm::If(is(state, ALL), found, vec![Stm::Assign(t, next)]));
                });
                this.out.push(Stm::While(lt(Exp::Var(t), Exp::int(i64::from(WINDOW))), body));
            });
            this.out.push(Stm::If(eq(own.thread.clone(), Exp::int(0)), combine, Block::new()));
            this.out.push(Stm::Barrier);
            let is_over = Exp::Load(over, Box::new(Exp::int(0)));
            let next = bin(BinOp::Sub, Exp::Var(other), Exp::int(i64::from(WINDOW)));
            let next = Exp::Select(Box::new([is_over, Exp::int(-1), next]));
            this.out.push(Stm::Assign(other, next));
        });
        self.out.push(Stm::While(lt(Exp::int(-1), Exp::Var(other)), body));
    }

    /// A thread waits until a block has told something.
    fn look_at(
        &mut self,
        tile: &Tile<'a, '_>,
        own: &Thread<'a>,
        looked: &Exp,
        window: &[Vec<Option<V>>],
        states: V,
    ) {
        let status =
            self.declare("status_there", Prim::I32, Some(Exp::Const(Scalar::I32(NOTHING))));
        let ask = vec![Stm::Poll(status, tile.status, looked.clone())];
        self.out.push(Stm::While(is(Exp::Var(status), NOTHING), ask));
        self.out.push(Stm::Fence);
        self.out.push(Stm::Store(states, own.thread.clone(), Exp::Var(status)));
        let all = self.block(|this| this.hear(own, looked, window, &tile.all));
        let some = self.block(|this| this.hear(own, looked, window, &tile.own));
        self.out.push(Stm::If(is(Exp::Var(status), ALL), all, some));
    }

    /// What a block has told becomes what the thread has in the window.
    fn hear(
        &mut self,
        own: &Thread<'a>,
        looked: &Exp,
        window: &[Vec<Option<V>>],
        arrays: &[Vec<Option<V>>],
    ) {
        for (window, array) in window.iter().flatten().zip(arrays.iter().flatten()) {
            if let (Some(window), Some(array)) = (window, array) {
                let v = self.declare("there", self.scalar_prim(*array), None);
                self.out.push(Stm::Poll(v, *array, looked.clone()));
                self.out.push(Stm::Store(*window, own.thread.clone(), Exp::Var(v)));
            }
        }
    }

    /// Each thread adds what comes before its elements, up to the beginning of a segment.
    fn add_before(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>, found: &[Vec<Option<V>>]) {
        let op = tile.op;
        let mut carries = Vec::new();
        for found in found {
            carries.push(self.get_parts(found, &Exp::int(0)));
        }
        let not_first = lt(Exp::int(0), own.thread.clone());
        let add = self.block(|this| {
            let left = bin(BinOp::Sub, own.thread.clone(), Exp::int(1));
            let left = this.simple("left", &left);
            let cut = Exp::Load(own.cuts, Box::new(left.clone()));
            let cut = this.declare("left_cut", Prim::Bool, Some(cut));
            for ((scan, carry), each) in op.scans.iter().zip(&carries).zip(&own.each) {
                let there = this.get_parts(each, &left);
                let begin = this.block(|this| this.copy_parts(carry, &there));
                let combine = this.block(|this| this.combine_parts(&scan.op, carry, &there));
                this.out.push(Stm::If(Exp::Var(cut), begin, combine));
            }
        });
        self.out.push(Stm::If(not_first, add, Block::new()));
        let over = self.declare("over", Prim::Bool, Some(Exp::Const(Scalar::Bool(false))));
        self.each_in_turn(tile, own, |this, inside, begins| {
            if let Some(begins) = begins {
                let yes = vec![Stm::Assign(over, Exp::Const(Scalar::Bool(true)))];
                this.out.push(Stm::If(begins, yes, Block::new()));
            }
            let add = this.block(|this| {
                for ((scan, carry), arrays) in op.scans.iter().zip(&carries).zip(&own.tile) {
                    let here = this.get_parts(arrays, &inside);
                    let sum = this.copied(carry);
                    this.combine_parts(&scan.op, &sum, &here);
                    this.put_parts(&sum, arrays, &inside);
                }
            });
            this.out.push(Stm::If(Exp::Var(over), Block::new(), add));
        });
    }

    /// New variables with the same values.
    pub(super) fn copied(&mut self, parts: &[Sofar<'a>]) -> Vec<Sofar<'a>> {
        let mut copies = Vec::with_capacity(parts.len());
        for part in parts {
            copies.push(match part {
                Sofar::Scalar(v) => {
                    Sofar::Scalar(self.declare("sum", self.scalar_prim(*v), Some(Exp::Var(*v))))
                }
                Sofar::Array(_) | Sofar::Nothing => Sofar::Nothing,
            });
        }
        copies
    }

    fn store_scanned(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) {
        self.each_apart(tile, own, |this, inside, at| {
            let indices = this.unranked(at, &tile.dims);
            let levels = tile.nest.levels.iter().map(|level| (level.pat, &level.op.map));
            for ((pat, map), at) in levels.chain([(tile.pat, &tile.op.map)]).zip(&indices) {
                let index = this.table.index(pat, map).unwrap_or(NO_INDEX);
                this.scalars.insert(index, at.clone());
            }
            let index = this.table.index(tile.pat, &tile.op.map).unwrap_or(NO_INDEX);
            let mut bound = tile.pat.iter();
            let mut finished = Vec::new();
            for arrays in &own.tile {
                let parts = this.get_parts(arrays, &inside);
                for (part, var) in parts.iter().zip(bound.by_ref()) {
                    this.store_sofar(*var, index, part);
                }
                finished.push(parts);
            }
            if let Some(follower) = this.following(tile.pat) {
                let at = indices.last().cloned().unwrap_or(Exp::int(0));
                let section = this.block(|this| this.follow_tile(tile, &follower, at, &finished));
                this.out.push(Stm::Section(section));
            }
        });
    }
}

impl<'a> Emit<'a> {
    /// What follows the scan, at a position. Plain results that it reads are computed again: other threads may be at work between, and
    /// memory is slower.
    fn follow_tile(
        &mut self,
        tile: &Tile<'a, '_>,
        follower: &Follower<'a>,
        at: Exp,
        finished: &[Vec<Sofar<'a>>],
    ) {
        let op = tile.op;
        let mut given = Self::scanned_elements(tile.pat, finished);
        if Self::follows_plain(follower, tile.pat, op) {
            self.enter(tile.pat, &op.inputs, &op.map, at.clone());
            self.body(&op.map.body);
            given.extend(self.plain_elements(tile.pat, op));
        }
        self.follow(follower, at, &given);
    }
}

/// Whether a block is in a state.
fn is(state: Exp, what: i32) -> Exp {
    let what = Box::new(Exp::Const(Scalar::I32(what)));
    Exp::Cmp(fehu_ir::CmpOp::Eq, Prim::I32, Box::new(state), what)
}

fn not(e: Exp) -> Exp {
    Exp::Un(fehu_ir::UnOp::Not, Prim::Bool, Box::new(e))
}

/// The threads of a block, and the elements of each, for values of so many bytes.
fn tile_size(bytes: u32) -> (u32, u32) {
    let mut threads = super::THREADS;
    while threads > 32 && threads * bytes * 3 > SHARED_BYTES {
        threads /= 2;
    }
    // One value for each thread, and those of the tile.
    let items = (SHARED_BYTES / (threads * bytes)).saturating_sub(2).clamp(1, MOST_ITEMS);
    (threads, items - (1 - items % 2))
}
