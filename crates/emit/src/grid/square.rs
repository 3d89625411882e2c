//! Tiles of a matrix each of whose elements is computed by a loop, see [`super::tile`].
//!
//! A block computes a tile of rows and columns. It executes the loop in steps: all threads copy the elements that the
//! tile needs for a step to shared memory, each element once, and then each thread reads them from there for its own
//! smaller tile, whose accumulators are in registers. Loads for the next step overlap with the computation. Rows and
//! columns beyond the end are computed as copies of the last ones, and not stored.
//!
//! A thread has its rows (and columns) in groups of up to four neighbours, which are loaded from shared memory at once.

use super::super::Emit;
use super::split::{Shares, Steps};
use super::stage::up_to;
use super::tile::{Inner, Input, Line};
use super::{bin, lt, quot_up};
use fehu_base::Prim;
use fehu_imp::rewrite::{Vars, all, is_unit, replace};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::BinOp;

/// Threads of a block in each direction.
const ACROSS: u32 = 16;

/// The number of neighbouring rows or columns in a group of a thread, if it has as many.
pub(super) const GROUP: u32 = 4;

/// How many blocks reside on a multiprocessor at the same time: while one waits at a barrier, another one computes.
const RESIDENTS: u32 = 2;

/// Of narrow tiles, whose threads have at most this many elements and need half the registers, it is twice as many.
const FEW_POSITIONS: u32 = 8;

/// Something of the rows of a tile, or of all rows, and the same of columns.
#[derive(Clone, Copy)]
pub(super) struct Sides<T> {
    pub(super) rows: T,
    pub(super) columns: T,
}

/// The sizes of tiles.
#[derive(Clone)]
pub(super) struct Shape {
    pub(super) sides: Sides<Side>,
    /// Steps of the loop at a time.
    pub(super) depth: u32,
}

/// The rows of a tile, or its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Side {
    /// How many of them a thread has.
    pub(super) own: u32,
}

impl<'a> Emit<'a> {
    /// The space of tiles: sizes, with the number of tiles in place of rows and columns.
    pub(super) fn squares_of(
        &mut self,
        sizes: &[Exp],
        dims: [usize; 2],
        shape: &Shape,
    ) -> Vec<Exp> {
        let mut space = sizes.to_vec();
        for (dim, side) in dims.into_iter().zip([shape.sides.rows, shape.sides.columns]) {
            let count = quot_up(sizes[dim].clone(), Exp::int(i64::from(side.length())));
            space[dim] = self.simple("squares", &count);
        }
        space
    }

    /// A kernel in which each block computes one tile, or a share of its steps.
    pub(super) fn tiles(
        &mut self,
        sizes: &[Exp],
        indices: &[V],
        inner: &Inner,
        shape: &Shape,
        shares: Option<&Shares>,
    ) {
        let [rows, columns] = inner.dims.map(|dim| sizes[dim].clone());
        let mut space = self.squares_of(sizes, inner.dims, shape);
        if let Some(shares) = shares {
            space.insert(0, shares.count.clone());
        }
        let blocks = self.total(&space);
        self.launch("tile", blocks, ACROSS * ACROSS, |this, block, thread| {
            let mut shared = Vec::new();
            for input in &inner.inputs {
                let places = shape.places(input.by_row);
                shared.push(this.shared_array("step", input.prim, 2 * places));
            }
            let mut at = this.unranked(Exp::Var(block), &space);
            let steps = match shares {
                None => Steps { low: None, count: inner.trips.clone() },
                Some(shares) => {
                    this.out.push(Stm::Declare(shares.number, Some(at.remove(0))));
                    shares.steps(this, inner)
                }
            };
            for (dim, (v, index)) in indices.iter().zip(&at).enumerate() {
                if !inner.dims.contains(&dim) {
                    this.out.push(Stm::Declare(*v, Some(index.clone())));
                }
            }
            let first = |this: &mut Self, hint: &str, number: &Exp, side: Side| {
                let length = Exp::int(i64::from(side.length()));
                this.simple(hint, &bin(BinOp::Mul, number.clone(), length))
            };
            let first = Sides {
                rows: first(this, "first_row", &at[inner.dims[0]], shape.sides.rows),
                columns: first(this, "first_column", &at[inner.dims[1]], shape.sides.columns),
            };
            let (x, y) = this.in_square(thread);
            let cx = Tiling {
                inner,
                shape,
                steps,
                shared,
                thread: Exp::Var(thread),
                own: Sides { rows: y, columns: x },
                first,
                sizes: Sides { rows, columns },
            };
            this.tile_body(&cx);
        });
        if let Some(Stm::Launch(kernel)) = self.out.last_mut() {
            let is_narrow = shape.positions() <= FEW_POSITIONS;
            kernel.residents = if is_narrow { 2 * RESIDENTS } else { RESIDENTS };
        }
    }

    fn tile_body(&mut self, cx: &Tiling<'_>) {
        let shape = cx.shape;
        let mut local = |prim: Prim, count: u32| {
            let array = self.new_var("own", Ty::Local(prim, count));
            self.out.push(Stm::Declare(array, None));
            array
        };
        let kept = Kept {
            accs: cx.inner.accs.iter().map(|(_, prim)| local(*prim, shape.positions())).collect(),
            values: (cx.inner.values.iter())
                .map(|value| local(value.prim, shape.own(value.of)))
                .collect(),
        };
        // The code before the loop.
        self.afresh(|this| {
            this.each_own(cx, |this, at, _| {
                this.copy_before(cx);
                for ((acc, _), array) in cx.inner.accs.iter().zip(&kept.accs) {
                    this.out.push(Stm::Store(*array, at.number(shape), Exp::Var(*acc)));
                }
                for (value, array) in cx.inner.values.iter().zip(&kept.values) {
                    this.out.push(Stm::Store(*array, at.along(value.of), Exp::Var(value.v)));
                }
            });
        });
        self.whole_steps(cx, &kept);
        self.last_step(cx, &kept);
        // The code after the loop.
        self.afresh(|this| {
            this.each_own(cx, |this, at, inside| {
                let body = this.block(|this| {
                    this.copy_before(cx);
                    for ((acc, _), array) in cx.inner.accs.iter().zip(&kept.accs) {
                        let value = Exp::Load(*array, Box::new(at.number(shape)));
                        this.out.push(Stm::Assign(*acc, value));
                    }
                    this.out.extend(cx.inner.after.iter().cloned());
                });
                this.out.push(Stm::If(inside, body, Block::new()));
            });
        });
    }

    /// The position of a thread in its block: the threads of a warp cover 8 columns and 4 rows, so that they load few
    /// different elements from shared memory.
    fn in_square(&mut self, thread: V) -> (Exp, Exp) {
        let bits = |from: i64, count: i64| {
            let moved = bin(BinOp::Shr, Exp::Var(thread), Exp::int(from));
            bin(BinOp::And, moved, Exp::int((1 << count) - 1))
        };
        let above = |high: Exp, by: i64, low: Exp| {
            bin(BinOp::Add, bin(BinOp::Mul, high, Exp::int(1 << by)), low)
        };
        let x = self.simple("x", &above(bits(5, 1), 3, bits(0, 3)));
        let y = self.simple("y", &above(bits(6, 2), 2, bits(3, 2)));
        (x, y)
    }

    /// All steps of full depth, double-buffered in shared memory: the elements for the next step are stored in one half
    /// while the other one is in use. After the last step, some step is loaded again unnecessarily.
    fn whole_steps(&mut self, cx: &Tiling<'_>, kept: &Kept) {
        let depth = Exp::int(i64::from(cx.shape.depth));
        let steps = self.simple("steps", &bin(BinOp::Quot, cx.steps.count.clone(), depth.clone()));
        let last = bin(BinOp::Mul, bin(BinOp::Sub, steps.clone(), Exp::int(1)), depth.clone());
        let last = self.simple("last", &last);
        let mut brought = Vec::new();
        for input in &cx.inner.inputs {
            let array =
                self.new_var("brought", Ty::Local(input.prim, cx.shape.rounds(input.by_row)));
            self.out.push(Stm::Declare(array, None));
            brought.push(array);
        }
        let each = |this: &mut Self, work: &dyn Fn(&mut Self, &Input, V, V)| {
            let arrays = cx.shared.iter().zip(&brought);
            for (input, (shared, brought)) in cx.inner.inputs.iter().zip(arrays) {
                this.afresh(|this| work(this, input, *shared, *brought));
            }
        };
        each(self, &|this, input, _, brought| this.fetch(cx, input, brought, &Exp::int(0)));
        each(self, &|this, input, shared, brought| {
            this.put(cx, input, brought, shared, &Exp::int(0));
        });
        self.out.push(Stm::Barrier);
        let step = self.new_var("step", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let start = this.simple("start", &bin(BinOp::Mul, Exp::Var(step), depth.clone()));
            let next = bin(BinOp::Min, bin(BinOp::Add, start.clone(), depth.clone()), last);
            let next = this.simple("next", &next);
            let parity = bin(BinOp::And, Exp::Var(step), Exp::int(1));
            let mut halves = |by_row| {
                let half = Exp::int(i64::from(cx.shape.places(by_row)));
                let now = this.simple("now", &bin(BinOp::Mul, parity.clone(), half.clone()));
                (now.clone(), this.simple("then", &bin(BinOp::Sub, half, now)))
            };
            let rows = halves(true);
            let is_square = cx.shape.sides.rows == cx.shape.sides.columns;
            let columns = if is_square { rows.clone() } else { halves(false) };
            let now = Sides { rows: rows.0, columns: columns.0 };
            let then = Sides { rows: rows.1, columns: columns.1 };
            each(this, &|this, input, _, brought| this.fetch(cx, input, brought, &next));
            this.afresh(|this| this.compute(cx, kept, &start, &now, depth.clone()));
            each(this, &|this, input, shared, brought| {
                this.put(cx, input, brought, shared, then.of(input.by_row));
            });
            this.out.push(Stm::Barrier);
        });
        self.out.push(up_to(step, steps, body));
    }

    /// The steps that remain after those of full depth.
    fn last_step(&mut self, cx: &Tiling<'_>, kept: &Kept) {
        let depth = Exp::int(i64::from(cx.shape.depth));
        let steps = bin(BinOp::Quot, cx.steps.count.clone(), depth.clone());
        let start = self.simple("start", &bin(BinOp::Mul, steps, depth));
        let left = self.simple("left", &bin(BinOp::Sub, cx.steps.count.clone(), start.clone()));
        let first = Sides { rows: Exp::int(0), columns: Exp::int(0) };
        let body = self.block(|this| {
            for (input, shared) in cx.inner.inputs.iter().zip(&cx.shared) {
                this.afresh(|this| this.bring(cx, input, *shared, &start, &left));
            }
            this.out.push(Stm::Barrier);
            this.afresh(|this| this.compute(cx, kept, &start, &first, left.clone()));
        });
        self.out.push(Stm::If(lt(Exp::int(0), left), body, Block::new()));
    }

    /// Emits code in which the variables of the original code are declared again, under other names.
    pub(super) fn afresh(&mut self, work: impl FnOnce(&mut Self)) {
        let code = self.block(work);
        let code = Vars(&mut self.vars).copy(&code);
        self.out.extend(code);
    }

    fn copy_before(&mut self, cx: &Tiling<'_>) {
        self.out.extend(cx.inner.before.iter().cloned());
    }

    /// Executes code for all rows and columns of a thread; `work` gets their numbers, and whether they are inside the
    /// matrix.
    fn each_own(&mut self, cx: &Tiling<'_>, work: impl FnOnce(&mut Self, Own, Exp)) {
        let [r, c] = ["r", "c"].map(|hint| self.new_var(hint, Ty::Scalar(Prim::I64)));
        let body = self.block(|this| {
            let place = |by_row: bool, number: V| {
                let line = cx.shape.sides.of(by_row).line(number, cx.own.of(by_row));
                bin(BinOp::Add, cx.first.of(by_row).clone(), line)
            };
            let row = this.simple("row_at", &place(true, r));
            let column = this.simple("column_at", &place(false, c));
            let inside = all([
                lt(row.clone(), cx.sizes.rows.clone()),
                lt(column.clone(), cx.sizes.columns.clone()),
            ]);
            let within = |at: Exp, size: &Exp| {
                bin(BinOp::Min, at, bin(BinOp::Sub, size.clone(), Exp::int(1)))
            };
            this.out.push(Stm::Declare(cx.inner.row, Some(within(row, &cx.sizes.rows))));
            this.out.push(Stm::Declare(cx.inner.column, Some(within(column, &cx.sizes.columns))));
            work(this, Own { row: r, column: c }, inside);
        });
        self.each_position(cx.shape, r, c, body);
    }

    /// A loop over the rows of a thread, and in it one over its columns.
    fn each_position(&mut self, shape: &Shape, r: V, c: V, body: Block) {
        let to = |side: Side| Exp::int(i64::from(side.own));
        let inner = up_to(c, to(shape.sides.columns), body);
        self.out.push(up_to(r, to(shape.sides.rows), vec![inner]));
    }

    /// Executes some steps of the loop, with the elements in shared memory from a given place on.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn compute(
        &mut self,
        cx: &Tiling<'_>,
        kept: &Kept,
        start: &Exp,
        from: &Sides<Exp>,
        steps: Exp,
    ) {
        let kk = self.new_var("kk", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let now = cx.steps.step(bin(BinOp::Add, start.clone(), Exp::Var(kk)));
            this.out.push(Stm::Declare(cx.inner.k, Some(now)));
            let mut registers = Vec::new();
            for (input, shared) in cx.inner.inputs.iter().zip(&cx.shared) {
                registers.push(this.take(cx, input, *shared, from.of(input.by_row), kk));
            }
            for (value, array) in cx.inner.values.iter().zip(&kept.values) {
                if value.of == Line::Tile {
                    let own = Exp::Load(*array, Box::new(Exp::int(0)));
                    this.out.push(Stm::Declare(value.v, Some(own)));
                }
            }
            for (v, load) in &cx.inner.common {
                this.out.push(Stm::Declare(*v, Some(load.clone())));
            }
            let [r, c] = ["r", "c"].map(|hint| this.new_var(hint, Ty::Scalar(Prim::I64)));
            let body = this.block(|this| {
                let at = Own { row: r, column: c };
                for ((acc, _), array) in cx.inner.accs.iter().zip(&kept.accs) {
                    let value = Exp::Load(*array, Box::new(at.number(cx.shape)));
                    this.out.push(Stm::Declare(*acc, Some(value)));
                }
                for (value, array) in cx.inner.values.iter().zip(&kept.values) {
                    if value.of != Line::Tile {
                        let own = Exp::Load(*array, Box::new(at.along(value.of)));
                        this.out.push(Stm::Declare(value.v, Some(own)));
                    }
                }
                let own = |e: &Exp| {
                    replace(e, &|e| {
                        let Exp::Load(ptr, index) = e else { return None };
                        if let Some((v, _)) = cx.inner.common.iter().find(|(_, load)| load == e) {
                            return Some(Exp::Var(*v));
                        }
                        let same = |input: &Input| input.ptr == *ptr && input.index == **index;
                        let which = cx.inner.inputs.iter().position(same)?;
                        let along = if cx.inner.inputs[which].by_row { r } else { c };
                        Some(Exp::Load(registers[which], Box::new(Exp::Var(along))))
                    })
                };
                for stm in &cx.inner.body {
                    match stm {
                        Stm::Declare(v, Some(e)) => this.out.push(Stm::Declare(*v, Some(own(e)))),
                        Stm::Assign(v, e) => this.out.push(Stm::Assign(*v, own(e))),
                        other => this.out.push(other.clone()),
                    }
                }
                for ((acc, _), array) in cx.inner.accs.iter().zip(&kept.accs) {
                    this.out.push(Stm::Store(*array, at.number(cx.shape), Exp::Var(*acc)));
                }
            });
            this.each_position(cx.shape, r, c, body);
        });
        self.out.push(up_to(kk, steps, body));
    }

    /// An element that a thread loads: the number of its step, and of its row or column in the tile.
    fn brought(&mut self, cx: &Tiling<'_>, input: &Input, l: V) -> (Exp, Exp) {
        // Neighbouring threads load neighbouring elements.
        let by_step = is_unit(&input.index, cx.inner.k);
        let fast = if by_step { cx.shape.depth } else { cx.shape.sides.of(input.by_row).length() };
        let low = bin(BinOp::Rem, cx.thread.clone(), Exp::int(i64::from(fast)));
        let low = self.simple("low", &low);
        let lines = bin(BinOp::Quot, cx.thread.clone(), Exp::int(i64::from(fast)));
        let before = bin(BinOp::Mul, Exp::Var(l), Exp::int(i64::from(ACROSS * ACROSS / fast)));
        let high = self.simple("high", &bin(BinOp::Add, lines, before));
        if by_step { (low, high) } else { (high, low) }
    }

    /// Its value.
    fn value_of(&mut self, cx: &Tiling<'_>, input: &Input, start: &Exp, at: (&Exp, &Exp)) -> Exp {
        let (step, line) = at;
        let v = if input.by_row { cx.inner.row } else { cx.inner.column };
        let there = bin(BinOp::Add, cx.first.of(input.by_row).clone(), line.clone());
        let last = bin(BinOp::Sub, cx.sizes.of(input.by_row).clone(), Exp::int(1));
        let there = bin(BinOp::Min, there, last);
        self.out.push(Stm::Declare(v, Some(there)));
        let now = cx.steps.step(bin(BinOp::Add, start.clone(), step.clone()));
        self.out.push(Stm::Declare(cx.inner.k, Some(now)));
        Exp::Load(input.ptr, Box::new(input.index.clone()))
    }

    /// A thread loads its share of the elements of an input that the block needs for a step.
    fn fetch(&mut self, cx: &Tiling<'_>, input: &Input, brought: V, start: &Exp) {
        let l = self.new_var("l", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let (step, line) = this.brought(cx, input, l);
            let value = this.value_of(cx, input, start, (&step, &line));
            this.out.push(Stm::Store(brought, Exp::Var(l), value));
        });
        self.out.push(up_to(l, Exp::int(i64::from(cx.shape.rounds(input.by_row))), body));
    }

    /// Stores the loaded elements in shared memory.
    fn put(&mut self, cx: &Tiling<'_>, input: &Input, brought: V, shared: V, from: &Exp) {
        let l = self.new_var("l", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let (step, line) = this.brought(cx, input, l);
            let value = Exp::Load(brought, Box::new(Exp::Var(l)));
            this.out.push(Stm::Store(
                shared,
                cx.shape.sides.of(input.by_row).place(from, step, line),
                value,
            ));
        });
        self.out.push(up_to(l, Exp::int(i64::from(cx.shape.rounds(input.by_row))), body));
    }

    /// Both, for fewer steps than the full depth.
    fn bring(&mut self, cx: &Tiling<'_>, input: &Input, shared: V, start: &Exp, steps: &Exp) {
        let l = self.new_var("l", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let (step, line) = this.brought(cx, input, l);
            let body = this.block(|this| {
                let value = this.value_of(cx, input, start, (&step, &line));
                let at =
                    cx.shape.sides.of(input.by_row).place(&Exp::int(0), step.clone(), line.clone());
                this.out.push(Stm::Store(shared, at, value));
            });
            this.out.push(Stm::If(lt(step, steps.clone()), body, Block::new()));
        });
        self.out.push(up_to(l, Exp::int(i64::from(cx.shape.rounds(input.by_row))), body));
    }

    /// The elements of a step that a thread needs, in registers.
    fn take(&mut self, cx: &Tiling<'_>, input: &Input, shared: V, from: &Exp, kk: V) -> V {
        let side = cx.shape.sides.of(input.by_row);
        let registers = self.new_var("own", Ty::Local(input.prim, side.own));
        self.out.push(Stm::Declare(registers, None));
        let r = self.new_var("r", Ty::Scalar(Prim::I64));
        let at = side.place(from, Exp::Var(kk), side.line(r, cx.own.of(input.by_row)));
        let value = Exp::Load(shared, Box::new(at));
        let body = vec![Stm::Store(registers, Exp::Var(r), value)];
        self.out.push(up_to(r, Exp::int(i64::from(side.own)), body));
        registers
    }
}

/// What the parts of a kernel share.
struct Tiling<'b> {
    inner: &'b Inner,
    shape: &'b Shape,
    steps: Steps,
    /// For each input, its elements in shared memory.
    shared: Vec<V>,
    thread: Exp,
    /// Which thread in each direction it is.
    own: Sides<Exp>,
    /// The first row and column of the block.
    first: Sides<Exp>,
    /// Rows and columns of the matrix.
    sizes: Sides<Exp>,
}

/// What a thread keeps in registers between the steps: accumulators for each of its elements, and values of its rows and columns.
struct Kept {
    accs: Vec<V>,
    values: Vec<V>,
}

/// A row and a column of a thread, by their numbers among those of it.
struct Own {
    row: V,
    column: V,
}

impl Own {
    /// The number of the element, in tiles of this shape.
    fn number(&self, shape: &Shape) -> Exp {
        let columns = Exp::int(i64::from(shape.sides.columns.own));
        let before = bin(BinOp::Mul, Exp::Var(self.row), columns);
        bin(BinOp::Add, before, Exp::Var(self.column))
    }

    /// The number of what has a value of its own.
    fn along(&self, line: Line) -> Exp {
        match line {
            Line::Row => Exp::Var(self.row),
            Line::Column => Exp::Var(self.column),
            Line::Tile => Exp::int(0),
        }
    }
}

impl<T: Copy> Sides<T> {
    pub(super) fn both(of_both: T) -> Sides<T> {
        Sides { rows: of_both, columns: of_both }
    }

    pub(super) fn map<U>(self, f: impl Fn(T) -> U) -> Sides<U> {
        Sides { rows: f(self.rows), columns: f(self.columns) }
    }
}

impl<T> Sides<T> {
    fn of(&self, by_row: bool) -> &T {
        if by_row { &self.rows } else { &self.columns }
    }
}

impl Shape {
    /// Tiles in which a thread has this many rows and columns.
    pub(super) fn new(own: Sides<u32>, depth: u32) -> Shape {
        Shape { sides: own.map(|own| Side { own }), depth }
    }

    /// The number of elements that a thread computes.
    fn positions(&self) -> u32 {
        self.sides.rows.own * self.sides.columns.own
    }

    /// The number of values that a thread has where a line has one.
    fn own(&self, line: Line) -> u32 {
        match line {
            Line::Row => self.sides.rows.own,
            Line::Column => self.sides.columns.own,
            Line::Tile => 1,
        }
    }

    /// The number of elements of an input in shared memory.
    pub(super) fn places(&self, by_row: bool) -> u32 {
        self.depth * self.sides.of(by_row).pitch()
    }

    /// The number of elements of an input that a thread loads in a step.
    fn rounds(&self, by_row: bool) -> u32 {
        self.sides.of(by_row).length() * self.depth / (ACROSS * ACROSS)
    }

    /// Whether all threads of a block load the same number of elements.
    pub(super) fn is_even(&self) -> bool {
        let is_whole = |side: Side| (side.length() * self.depth).is_multiple_of(ACROSS * ACROSS);
        is_whole(self.sides.rows) && is_whole(self.sides.columns)
    }
}

impl Side {
    /// How many of them a block has.
    pub(super) fn length(self) -> u32 {
        self.own * ACROSS
    }

    /// The distance between the elements of two steps in shared memory: a multiple of the group size, but not of the
    /// number of banks, so that stores go to different banks.
    fn pitch(self) -> u32 {
        self.length() + GROUP
    }

    /// The position of an element in shared memory, relative to the first one.
    fn place(self, from: &Exp, step: Exp, line: Exp) -> Exp {
        let before = bin(BinOp::Mul, step, Exp::int(i64::from(self.pitch())));
        bin(BinOp::Add, bin(BinOp::Add, from.clone(), before), line)
    }

    /// The row or column in the tile for a number among those of a thread.
    fn line(self, number: V, own: &Exp) -> Exp {
        let size = GROUP.min(self.own);
        let group = Exp::int(i64::from(size));
        let inside = bin(BinOp::Rem, Exp::Var(number), group.clone());
        let which = bin(BinOp::Quot, Exp::Var(number), group.clone());
        let apart = bin(BinOp::Mul, which, Exp::int(i64::from(size * ACROSS)));
        bin(BinOp::Add, apart, bin(BinOp::Add, bin(BinOp::Mul, own.clone(), group), inside))
    }
}
