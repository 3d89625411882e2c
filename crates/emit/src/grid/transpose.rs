//! Copies between arrays with different layouts.
//!
//! If neighbouring elements of the source are not neighbours in the destination, either the loads or the stores of
//! neighbouring threads would not be coalesced. So a block takes a square tile, loads it along the source's direction,
//! and stores it along the destination's. If there are only a few long rows or columns, it takes all of them, and as
//! much of each as fits: see [`Emit::strips`].

use super::super::Emit;
use super::stage::{PAD, SHIFT, padded, short_int, u32_bin, u32_lt, up_to, wide};
use super::{THREADS, bin, lt, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_facts::poly::Poly;
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all;
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::BinOp;
use fehu_mem::table::Place;

/// The side of a square: a warp reads and writes whole rows.
const SIDE: i64 = DEVICE.warp as i64;

/// That of a large square, for elements of at most 4 bytes: what is read and written at once has 256 bytes. On an H200,
/// a matrix of 256 MiB takes as long as a copy.
const LARGE_SIDE: i64 = 64;

/// The threads for one, where blocks have so many: half as many have to wait for more of their loads (by hand 1.06
/// times as long as a copy, and 1.04 with these).
const LARGE_THREADS: u32 = 2 * THREADS;

/// Large squares are for matrices of at least this many elements, so that there is one for every multiprocessor.
const MANY: i64 = 1 << 20;

/// For a square, both dimensions have at least this many elements.
const LEAST: i64 = 16;

/// If one has fewer, the other one has at least this many.
const LONG: i64 = 128;

/// The elements of a block's part of a strip.
const ELEMENTS: u32 = 2048;

impl<'a> Emit<'a> {
    /// Copies elements, unless a plain copy is as good; false then.
    pub(crate) fn transpose_on_grid(&mut self, to: &Place, from: &Place) -> bool {
        // Whatever the order of the destination is, neighbours in it are neighbours along the last dimension.
        let rank = to.lmad.rank();
        let order = to.lmad.contiguous_order().unwrap_or_else(|| (0..rank).collect());
        let turned = |place: &Place| {
            let lmad = place.lmad.rearrange(&order).or_bug("an order of all dimensions");
            Place { block: place.block, lmad }
        };
        let (to, from) = (&turned(to), &turned(from));
        let Some(across) = directions(to, from) else { return false };
        let mut sizes = Vec::with_capacity(rank);
        for dim in &to.lmad.dims {
            let size = self.poly(&dim.size);
            sizes.push(self.simple("size", &size));
        }
        let (columns, rows) = (sizes[rank - 1].clone(), sizes[across].clone());
        let short = bin(BinOp::Min, columns.clone(), rows.clone());
        let long = lt(Exp::int(LONG - 1), bin(BinOp::Max, columns, rows));
        let large = lt(Exp::int(self.unless_few(LEAST, 10) - 1), short.clone());
        let strips = self.block(|this| this.strips(to, from, &sizes, across));
        let squares = self.block(|this| this.squares(to, from, &sizes, across, SIDE));
        let plain = self.block(|this| {
            let (to_ptr, from_ptr) = (this.mem(to.block).ptr, this.mem(from.block).ptr);
            this.grid("copy", &sizes, |this, indices| {
                let value = Exp::Load(from_ptr, Box::new(this.address(&from.lmad, indices)));
                let at = this.address(&to.lmad, indices);
                this.out.push(Stm::Store(to_ptr, at, value));
            });
        });
        let narrow = vec![Stm::If(long, strips, plain)];
        let mut several = Stm::If(large, squares, narrow);
        if self.table.blocks[to.block].elem.bits() <= 32 {
            let count = self.total(&sizes);
            let huge = all([
                lt(Exp::int(self.unless_few(LARGE_SIDE, 10) - 1), short.clone()),
                lt(Exp::int(self.unless_few(MANY, 200) - 1), count),
            ]);
            let squares = self.block(|this| this.squares(to, from, &sizes, across, LARGE_SIDE));
            several = Stm::If(huge, squares, vec![several]);
        }
        self.out.push(several);
        true
    }

    /// A matrix with a short and a long side: a block takes all of the short one and a part of the long one. The elements are
    /// numbered along the source's direction for loads, and along the destination's for stores, so that both go through memory
    /// in long runs.
    fn strips(&mut self, to: &Place, from: &Place, sizes: &[Exp], across: usize) {
        let last = sizes.len() - 1;
        // The sides of a block's part. Of the long side it has whole groups of neighbouring threads, where there is one.
        let side = |own: &Exp, other: &Exp| {
            let fits = bin(BinOp::Quot, Exp::int(i64::from(ELEMENTS)), other.clone());
            let groups = bin(BinOp::And, fits, Exp::int(-SIDE));
            Exp::Select(Box::new([lt(own.clone(), Exp::int(LEAST)), own.clone(), groups]))
        };
        let at_least_one = |e: &Exp| bin(BinOp::Max, e.clone(), Exp::int(1));
        let rows = self.simple("rows", &at_least_one(&sizes[across]));
        let columns = self.simple("columns", &at_least_one(&sizes[last]));
        let sides = [("height", side(&rows, &columns)), ("breadth", side(&columns, &rows))];
        let [height, breadth] = sides.map(|(hint, side)| self.simple(hint, &side));
        let reciprocals = [&height, &breadth].map(|side| {
            let value = quot_up(Exp::int(1 << SHIFT), side.clone());
            self.simple("reciprocal", &value)
        });
        let mut space: Vec<Exp> = sizes.to_vec();
        for (dim, side) in [(across, &height), (last, &breadth)] {
            let count = quot_up(sizes[dim].clone(), side.clone());
            space[dim] = self.simple("parts", &count);
        }
        let blocks = self.total(&space);
        let elem = self.table.blocks[to.block].elem;
        let (to_ptr, from_ptr) = (self.mem(to.block).ptr, self.mem(from.block).ptr);
        let threads = self.threads();
        self.launch("transpose_strip", blocks, threads, |this, block, thread| {
            let stage = this.shared_array("stage", elem, ELEMENTS + (ELEMENTS >> PAD));
            let at = this.unranked(Exp::Var(block), &space);
            let mut bound = |hint: &str, dim: usize, side: &Exp| {
                let first = this.simple(hint, &bin(BinOp::Mul, at[dim].clone(), side.clone()));
                let left = bin(BinOp::Sub, sizes[dim].clone(), first.clone());
                (first, this.short("left", &bin(BinOp::Min, left, side.clone())))
            };
            let (row, rows) = bound("row", across, &height);
            let (column, columns) = bound("column", last, &breadth);
            let thread = this.short("thread", &Exp::Var(thread));
            let height = this.short("height", &height);
            let breadth = this.short("breadth", &breadth);
            let [by_height, by_breadth] = reciprocals.map(|value| this.short("by", &value));
            let numbered = |this: &mut Self, k: V| {
                let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                let before = u32_bin(BinOp::Mul, turn, short_int(threads));
                this.number("number", u32_bin(BinOp::Add, thread.clone(), before))
            };
            // The number of an element divided by a side.
            let split = |this: &mut Self, k: V, side: &Exp, reciprocal: &Exp| {
                let number = numbered(this, k);
                let product = u32_bin(BinOp::Mul, number.clone(), reciprocal.clone());
                let outer = this.number("outer", u32_bin(BinOp::Lshr, product, short_int(SHIFT)));
                let before = u32_bin(BinOp::Mul, outer.clone(), side.clone());
                let inner = u32_bin(BinOp::Sub, number, before);
                (outer, this.number("inner", inner))
            };
            let place = |this: &mut Self, row_in: Exp, column_in: Exp| {
                let mut indices = at.clone();
                let i = bin(BinOp::Add, row.clone(), wide(row_in));
                let j = bin(BinOp::Add, column.clone(), wide(column_in));
                indices[across] = this.simple("i", &i);
                indices[last] = this.simple("j", &j);
                indices
            };
            let items = ELEMENTS / threads;
            let count = Exp::int(i64::from(items));
            let kept = this.new_var("kept", Ty::Local(elem, items));
            this.out.push(Stm::Declare(kept, None));
            let new_k = |this: &mut Self| this.new_var("k", Ty::Scalar(Prim::I64));
            // What is beyond the end is loaded from the last row or column, so that there is no branch.
            let k = new_k(this);
            let body = this.block(|this| {
                let (outer, inner) = split(this, k, &height, &by_height);
                let within = |at: Exp, size: &Exp| {
                    u32_bin(BinOp::Min, at, u32_bin(BinOp::Sub, size.clone(), short_int(1)))
                };
                let indices = place(this, within(inner, &rows), within(outer, &columns));
                let value = load(from_ptr, this.address(&from.lmad, &indices));
                this.out.push(Stm::Store(kept, Exp::Var(k), value));
            });
            this.out.push(up_to(k, count.clone(), body));
            let k = new_k(this);
            let body = this.block(|this| {
                let number = numbered(this, k);
                this.out.push(Stm::Store(stage, padded(number), load(kept, Exp::Var(k))));
            });
            this.out.push(up_to(k, count.clone(), body));
            this.out.push(Stm::Barrier);
            let k = new_k(this);
            let body = this.block(|this| {
                let (outer, inner) = split(this, k, &breadth, &by_breadth);
                let inside = all([
                    u32_lt(outer.clone(), rows.clone()),
                    u32_lt(inner.clone(), columns.clone()),
                ]);
                let before = u32_bin(BinOp::Mul, inner.clone(), height.clone());
                let number = u32_bin(BinOp::Add, before, outer.clone());
                let number = this.number("number", number);
                let body = this.block(|this| {
                    let indices = place(this, outer, inner);
                    let at = this.address(&to.lmad, &indices);
                    this.out.push(Stm::Store(to_ptr, at, load(stage, padded(number))));
                });
                this.out.push(Stm::If(inside, body, Block::new()));
            });
            this.out.push(up_to(k, count, body));
        });
    }

    /// A block for each square of this side.
    fn squares(&mut self, to: &Place, from: &Place, sizes: &[Exp], across: usize, side: i64) {
        let last = sizes.len() - 1;
        // The space of squares: the sizes, with numbers of squares for the two directions.
        let mut space: Vec<Exp> = sizes.to_vec();
        for dim in [across, last] {
            let count = quot_up(sizes[dim].clone(), Exp::int(side));
            space[dim] = self.simple("squares", &count);
        }
        let blocks = self.total(&space);
        // They handle so many rows at a time.
        let large = side == LARGE_SIDE && self.options.block_threads >= LARGE_THREADS;
        let threads = if large { LARGE_THREADS } else { THREADS };
        let rows = i64::from(threads) / side;
        let elem = self.table.blocks[to.block].elem;
        let (to_ptr, from_ptr) = (self.mem(to.block).ptr, self.mem(from.block).ptr);
        self.launch("transpose", blocks, threads, |this, block, thread| {
            let count = (side * (side + 1)) as u32;
            let square = this.shared_array("square", elem, count);
            let at = this.unranked(Exp::Var(block), &space);
            let first = |dim: usize| bin(BinOp::Mul, at[dim].clone(), Exp::int(side));
            let (row, column) =
                (this.simple("row", &first(across)), this.simple("column", &first(last)));
            let x = this.simple("x", &bin(BinOp::Rem, Exp::Var(thread), Exp::int(side)));
            let y = this.simple("y", &bin(BinOp::Quot, Exp::Var(thread), Exp::int(side)));
            let items = side / rows;
            let kept = this.new_var("kept", Ty::Local(elem, items as u32));
            this.out.push(Stm::Declare(kept, None));
            // A loop over a thread's elements, and how far down in the square each of them is.
            let each = |this: &mut Self, work: &mut dyn FnMut(&mut Self, V, Exp)| {
                let k = this.new_var("k", Ty::Scalar(Prim::I64));
                let body = this.block(|this| {
                    let before = bin(BinOp::Mul, Exp::Var(k), Exp::int(rows));
                    let down = this.simple("down", &bin(BinOp::Add, y.clone(), before));
                    work(this, k, down);
                });
                this.out.push(up_to(k, Exp::int(items), body));
            };
            let place = |outer: Exp, inner: Exp| {
                bin(BinOp::Add, bin(BinOp::Mul, outer, Exp::int(side + 1)), inner)
            };
            // All loads come before the first store, and what is beyond the end is loaded from the last row or column: a branch
            // would wait for each.
            each(this, &mut |this, k, down| {
                let within = |first: &Exp, more: Exp, size: &Exp| {
                    let end = bin(BinOp::Sub, size.clone(), Exp::int(1));
                    bin(BinOp::Min, bin(BinOp::Add, first.clone(), more), end)
                };
                let mut indices = at.clone();
                indices[across] = this.simple("i", &within(&row, x.clone(), &sizes[across]));
                indices[last] = this.simple("j", &within(&column, down, &sizes[last]));
                let value = load(from_ptr, this.address(&from.lmad, &indices));
                this.out.push(Stm::Store(kept, Exp::Var(k), value));
            });
            each(this, &mut |this, k, down| {
                let value = load(kept, Exp::Var(k));
                this.out.push(Stm::Store(square, place(down, x.clone()), value));
            });
            this.out.push(Stm::Barrier);
            each(this, &mut |this, k, down| {
                let value = load(square, place(x.clone(), down));
                this.out.push(Stm::Store(kept, Exp::Var(k), value));
            });
            each(this, &mut |this, k, down| {
                let mut indices = at.clone();
                indices[last] = this.simple("i", &bin(BinOp::Add, column.clone(), x.clone()));
                indices[across] = this.simple("j", &bin(BinOp::Add, row.clone(), down));
                let inside =
                    all([across, last].map(|dim| lt(indices[dim].clone(), sizes[dim].clone())));
                let body = this.block(|this| {
                    let at = this.address(&to.lmad, &indices);
                    this.out.push(Stm::Store(to_ptr, at, load(kept, Exp::Var(k))));
                });
                this.out.push(Stm::If(inside, body, Block::new()));
            });
        });
    }
}

fn load(array: V, at: Exp) -> Exp {
    Exp::Load(array, Box::new(at))
}

/// The dimension along which elements of the source are neighbours, if those of the destination are neighbours along the last
/// one, and that is another.
fn directions(to: &Place, from: &Place) -> Option<usize> {
    let one = Poly::constant(1);
    let last = to.lmad.rank().checked_sub(1)?;
    let is_last = to.lmad.dims[last].stride == one;
    let across = from.lmad.dims.iter().position(|dim| dim.stride == one)?;
    (is_last && across < last).then_some(across)
}
