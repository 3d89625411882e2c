//! Rows that differ: all positions of all rows are one sequence, of which every tile has an equal share, however long each row
//! is.
//!
//! The ends of rows are work as well, and there may be many in sequence, if rows are empty. So what is shared out is a *path*
//! with a step for each position and one for the end of each row:
//!
//! ```text
//! rows of 3, 0, 2:  position 0, position 1, position 2, end of row 0, end of row 1, position 3, position 4, end of row 2
//! ```
//!
//! The end of row `r` is the step `ends[r] + r`. So the row in which a tile starts is found by binary search, once for
//! each tile, by a kernel of its own ([`Emit::find_path`]), unless there is only one. In a tile there are no more rows
//! than steps. Its threads bring the ends of these rows to shared memory, and find the row of every 32nd element there
//! (`bases`); to find that of another element is then a search among the few rows that end near it. This is the
//! merge-based decomposition of "Merge-based parallel sparse matrix-vector multiplication" (Merrill, Garland, 2016).

mod map;
mod reduce;

use super::super::Emit;
use super::elements::WARP;
use super::layout::{Ground, RowsHere};
use super::seg::SegOp;
use super::stage::{short_int, u32_bin, u32_lt, up_to, wide};
use super::{bin, eq, lt, quot_up};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{self as ir, BinOp, CmpOp, Screma, Var};

/// The bytes of shared memory for each step of a tile whose threads ask where rows begin: two for its bound, two for the row
/// after it, and a part of a base.
pub(super) const STEP_BYTES: u32 = 5;

/// No end of a row.
const NEVER: u32 = (1 << 16) - 1;

/// Rows that differ, for the host.
pub(super) struct Uneven {
    ends: Var,
    /// How many rows there are.
    rows: Exp,
    /// How many positions there are.
    total: Exp,
    /// Whether the row of a position matters to the function.
    asks: bool,
    /// How many steps there are: a position, or the end of a row.
    pub(super) steps: Exp,
    /// The threads of a block, and the steps of each thread, now and at most.
    pub(super) threads: u32,
    pub(super) items: Exp,
    most: u32,
    /// The steps of a tile, and whether there are several tiles.
    size: Exp,
    pub(super) several: Exp,
    /// For each tile, the number of rows that end before it, if there are several.
    path: V,
    handle: V,
}

/// What a thread knows about the rows of its tile.
pub(super) struct Here {
    /// The row in which the tile starts, and where that starts.
    row: Exp,
    pub(super) start: Exp,
    /// How many rows end in the tile, and where the row ends in which the tile ends.
    ends: Exp,
    end: Exp,
    /// Zero, and for each row that ends in the tile, where: counted from the first element of the tile. Then a number that is
    /// too large.
    bounds: V,
    /// For each of these, but the last, how many rows end there or before, if threads follow rows.
    after: Option<V>,
    /// For every 32nd element, how many rows end before it.
    bases: V,
    /// Likewise for each element of the thread, where it has several, in registers.
    numbers: Option<V>,
    /// A bit for each element of the thread, if these are consecutive: whether a row begins there.
    pub(super) begins: Option<V>,
}

impl<'a> Emit<'a> {
    /// A Seg with rows.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn uneven_on_grid(&mut self, seg: &SegOp<'a>) {
        let op = match &seg.inner.exp {
            ir::Exp::Screma(op) => op,
            other => bug(format_args!("{other:?} over rows that differ")),
        };
        self.with_epilogue(seg.parts, |this| {
            if seg.combines_by_position(op, this.ir) {
                return this.thread_for_each_row(seg, op);
            }
            if op.folded() == 0 {
                this.map_uneven(seg, op);
            }
            // Where there are both, the map function is executed for each of them.
            if !op.reds.is_empty() {
                this.reduce_uneven(seg, op);
            }
            if !op.scans.is_empty() {
                this.scan_on_grid(seg, seg.pat, op);
            }
        });
    }

    /// A thread for each row, if an operator differs from row to row: where threads combine the values of others, they do not
    /// know which row these are from.
    fn thread_for_each_row(&mut self, seg: &SegOp<'a>, op: &'a Screma) {
        let given = seg.rows.or_bug("rows that differ");
        let [count] = self.sizes(seg, None).try_into().ok().or_bug("the number of rows");
        self.grid("alone", &[count], |this, indices| {
            let row = indices[0].clone();
            let before = bin(BinOp::Max, bin(BinOp::Sub, row.clone(), Exp::int(1)), Exp::int(0));
            let before = this.simple("before", &before);
            let start = this.end_of(given.ends, &before);
            let is_top = eq(row.clone(), Exp::int(0));
            let start = this.simple("start", &Exp::Select(Box::new([is_top, Exp::int(0), start])));
            let end = this.end_of(given.ends, &row);
            let width = this.simple("width", &bin(BinOp::Sub, end, start.clone()));
            this.enter_space(seg, &[row, start, width]);
            this.screma_here(seg.pat, op);
            for number in op.scanned()..op.folded() {
                // What has no contents is not stored.
                if let Some(value) = this.value(seg.pat[number].into()) {
                    this.store_result(seg, number, value);
                }
            }
        });
    }

    /// The steps of rows that differ, shared out to tiles of this many threads, each with up to this many steps; the number of
    /// tiles. This is code of the host.
    pub(super) fn uneven_layout(
        &mut self,
        seg: &SegOp<'a>,
        op: &Screma,
        (threads, most): (u32, u32),
        is_fixed: bool,
    ) -> (Uneven, Exp) {
        let given = seg.rows.or_bug("rows that differ");
        let [rows] = self.sizes(seg, None).try_into().ok().or_bug("the number of rows");
        let rows = self.simple("rows", &rows);
        let total = self.atom(given.total);
        let steps = bin(BinOp::Add, rows.clone(), total.clone());
        let steps = self.simple("steps", &steps);
        let (items, size) = match is_fixed {
            true => (Exp::int(i64::from(most)), Exp::int(i64::from(threads * most))),
            false => {
                let busy = bin(BinOp::Mul, self.busy_blocks(), Exp::int(i64::from(threads)));
                let some = bin(BinOp::Quot, steps.clone(), bin(BinOp::Max, busy, Exp::int(1)));
                let some = bin(BinOp::Min, some, Exp::int(i64::from(most)));
                let items = self.simple("items", &bin(BinOp::Max, some, Exp::int(1)));
                let size = bin(BinOp::Mul, items.clone(), Exp::int(i64::from(threads)));
                (items, self.simple("size", &size))
            }
        };
        let tiles = self.simple("tiles", &quot_up(steps.clone(), size.clone()));
        let count = bin(BinOp::Add, tiles.clone(), Exp::int(1));
        let several = self.several(&tiles);
        let (handle, path) = self.temporary("path", Prim::I64, count);
        let (ends, asks) = (given.ends, seg.asks_for_row(op, self.ir));
        let uneven = Uneven {
            ends,
            rows,
            total,
            asks,
            steps,
            threads,
            items,
            most,
            size,
            several,
            path,
            handle,
        };
        (uneven, tiles)
    }

    pub(super) fn free_path(&mut self, rows: &Uneven) {
        self.out.push(Stm::Free(rows.handle));
    }

    /// Where a row ends, by its number, an operand.
    fn end_of(&mut self, ends: Var, row: &Exp) -> Exp {
        match self.place(ends) {
            Some(place) => {
                let at = self.address(&place.lmad, std::slice::from_ref(row));
                Exp::Load(self.mem(place.block).ptr, Box::new(at))
            }
            None => self.computed(ends, row.clone()).or_bug("the ends of rows"),
        }
    }

    /// A thread finds the row in which a tile starts: how many rows end before its first step. There are several tiles.
    pub(super) fn find_path(&mut self, rows: &Uneven, tile: &Exp) {
        let before = bin(BinOp::Mul, tile.clone(), rows.size.clone());
        let before = bin(BinOp::Min, before, rows.steps.clone());
        let before = self.simple("before", &before);
        let low = self.declare("low", Prim::I64, Some(Exp::int(0)));
        let high = self.declare("high", Prim::I64, Some(rows.rows.clone()));
        let body = self.block(|this| {
            let sum = bin(BinOp::Add, Exp::Var(low), Exp::Var(high));
            let middle = this.simple("middle", &bin(BinOp::Shr, sum, Exp::int(1)));
            let end = bin(BinOp::Add, this.end_of(rows.ends, &middle), middle.clone());
            let more = vec![Stm::Assign(low, bin(BinOp::Add, middle.clone(), Exp::int(1)))];
            let less = vec![Stm::Assign(high, middle)];
            this.out.push(Stm::If(lt(end, before), more, less));
        });
        self.out.push(Stm::While(lt(Exp::Var(low), Exp::Var(high)), body));
        self.out.push(Stm::Store(rows.path, tile.clone(), Exp::Var(low)));
    }

    /// What a thread knows about the tile with this number; all threads of the block take part. `follows`: whether it is going to
    /// follow rows.
    pub(super) fn uneven_ground(
        &mut self,
        rows: &Uneven,
        number: &Exp,
        short: &Exp,
        follows: bool,
    ) -> Ground {
        let begin = bin(BinOp::Mul, number.clone(), rows.size.clone());
        let begin = self.simple("begin", &begin);
        let stop = bin(BinOp::Add, begin.clone(), rows.size.clone());
        let stop = bin(BinOp::Min, stop, rows.steps.clone());
        let stop = self.simple("stop", &stop);
        // A single tile has all rows.
        let row = self.declare("first_row", Prim::I64, Some(Exp::int(0)));
        let last = self.declare("last_row", Prim::I64, Some(rows.rows.clone()));
        let next = bin(BinOp::Add, number.clone(), Exp::int(1));
        let found = [(row, number.clone()), (last, next)]
            .map(|(v, at)| Stm::Assign(v, Exp::Load(rows.path, Box::new(at))));
        self.out.push(Stm::If(rows.several.clone(), found.to_vec(), Block::new()));
        let (row, last) = (Exp::Var(row), Exp::Var(last));
        let first = self.simple("first", &bin(BinOp::Sub, begin, row.clone()));
        let here = bin(BinOp::Sub, bin(BinOp::Sub, stop, last.clone()), first.clone());
        let here = self.short("here", &here);
        let ends = self.short("ends", &bin(BinOp::Sub, last.clone(), row.clone()));
        let before = bin(BinOp::Max, bin(BinOp::Sub, row.clone(), Exp::int(1)), Exp::int(0));
        let before = self.simple("before", &before);
        let start = self.end_of(rows.ends, &before);
        let is_top = eq(row.clone(), Exp::int(0));
        let start = self.simple("start", &Exp::Select(Box::new([is_top, Exp::int(0), start])));
        let final_row = bin(BinOp::Sub, rows.rows.clone(), Exp::int(1));
        let last = self.simple("last", &bin(BinOp::Min, last, final_row));
        let end = self.end_of(rows.ends, &last);
        let end = self.simple("end", &end);
        let most = rows.threads * rows.most;
        let bounds = self.shared_array("bounds", Prim::U16, most + 2);
        let after = follows.then(|| self.shared_array("after", Prim::U16, most + 2));
        let bases = self.shared_array("bases", Prim::U16, most / WARP + 1);
        let ground_rows =
            Here { row, start, ends, end, bounds, after, bases, numbers: None, begins: None };
        let here_rows = &ground_rows;
        self.each_row(rows.threads, short, here_rows, |this, number| {
            let row = bin(BinOp::Add, here_rows.row.clone(), wide(number.clone()));
            let row = this.simple("row", &row);
            let bound = bin(BinOp::Sub, this.end_of(rows.ends, &row), first.clone());
            let bound = Exp::Convert(Prim::I64, Prim::U16, Box::new(bound));
            this.out.push(Stm::Store(bounds, plus_one(number), bound));
        });
        let last = plus_one(here_rows.ends.clone());
        let both =
            [(short_int(0), short_int(0)), (last, short_int(NEVER))].map(|(place, value)| {
                Stm::Store(bounds, place, Exp::Convert(Prim::U32, Prim::U16, Box::new(value)))
            });
        let leads = u32_eq(short.clone(), short_int(0));
        self.out.push(Stm::If(leads, both.into(), Block::new()));
        self.out.push(Stm::Barrier);
        self.find_bases(most / WARP, short, here_rows);
        if let Some(after) = after {
            self.find_after(rows.threads, short, here_rows, after);
        }
        self.out.push(Stm::Barrier);
        Ground { first, here, rows: RowsHere::Uneven(ground_rows) }
    }

    /// Executes code for each row that ends in the tile, by its number there.
    fn each_row(
        &mut self,
        threads: u32,
        short: &Exp,
        here: &Here,
        work: impl FnOnce(&mut Self, Exp),
    ) {
        let rounds = u32_bin(BinOp::Add, here.ends.clone(), short_int(threads - 1));
        let rounds = u32_bin(BinOp::Lshr, rounds, short_int(threads.trailing_zeros()));
        let rounds = self.simple("rounds", &wide(rounds));
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            let apart = u32_bin(BinOp::Mul, turn, short_int(threads));
            let number = this.number("number", u32_bin(BinOp::Add, short.clone(), apart));
            let body = this.block(|this| work(this, number.clone()));
            this.out.push(Stm::If(u32_lt(number, here.ends.clone()), body, Block::new()));
        });
        self.out.push(up_to(k, rounds, body));
    }

    /// How many rows end at this place or before: at least the first number, and at most the second.
    fn ended(&mut self, bounds: V, [low, high]: [Exp; 2], place: &Exp) -> V {
        let low = self.declare("low", Prim::U32, Some(low));
        let high = self.declare("high", Prim::U32, Some(high));
        let body = self.block(|this| {
            let sum = u32_bin(BinOp::Add, Exp::Var(low), Exp::Var(high));
            let middle = this.number("middle", u32_bin(BinOp::Lshr, sum, short_int(1)));
            let end = short_at(bounds, &plus_one(middle.clone()));
            let less = vec![Stm::Assign(high, middle.clone())];
            let more = vec![Stm::Assign(low, plus_one(middle))];
            this.out.push(Stm::If(u32_lt(place.clone(), end), less, more));
        });
        self.out.push(Stm::While(u32_lt(Exp::Var(low), Exp::Var(high)), body));
        low
    }

    /// A thread for every 32nd element finds its row; there are enough threads for that.
    fn find_bases(&mut self, count: u32, short: &Exp, here: &Here) {
        let find = self.block(|this| {
            let place = u32_bin(BinOp::Mul, short.clone(), short_int(WARP));
            let place = this.number("place", place);
            let ended = this.ended(here.bounds, [short_int(0), here.ends.clone()], &place);
            let ended = Exp::Convert(Prim::U32, Prim::U16, Box::new(Exp::Var(ended)));
            this.out.push(Stm::Store(here.bases, short.clone(), ended));
        });
        let takes_part = u32_lt(short.clone(), short_int(count + 1));
        self.out.push(Stm::If(takes_part, find, Block::new()));
    }

    /// Threads find out which row is next after each that ends in the tile: it is another one only where rows are empty.
    fn find_after(&mut self, threads: u32, short: &Exp, here: &Here, after: V) {
        let leads = u32_eq(short.clone(), short_int(0));
        let put = |this: &mut Self, at: Exp, value: Exp| {
            let value = Exp::Convert(Prim::U32, Prim::U16, Box::new(value));
            this.out.push(Stm::Store(after, at, value));
        };
        let first = self.block(|this| {
            let range = [short_int(0), here.ends.clone()];
            let ended = this.ended(here.bounds, range, &short_int(0));
            put(this, short_int(0), Exp::Var(ended));
        });
        self.out.push(Stm::If(leads, first, Block::new()));
        self.each_row(threads, short, here, |this, number| {
            let edge = this.number("edge", plus_one(number));
            let place = this.number("place", short_at(here.bounds, &edge));
            let ended = this.declare("ended", Prim::U32, Some(edge.clone()));
            let next = short_at(here.bounds, &plus_one(edge.clone()));
            let search = this.block(|this| {
                let range = [edge.clone(), here.ends.clone()];
                let found = this.ended(here.bounds, range, &place);
                this.out.push(Stm::Assign(ended, Exp::Var(found)));
            });
            this.out.push(Stm::If(u32_eq(next, place), search, Block::new()));
            put(this, edge, Exp::Var(ended));
        });
    }

    /// How many rows end before an element of the tile.
    fn number_at(&mut self, here: &Here, place: &Exp) -> V {
        let window = u32_bin(BinOp::Lshr, place.clone(), short_int(WARP.trailing_zeros()));
        let window = self.number("window", window);
        let range = [window.clone(), plus_one(window)].map(|at| short_at(here.bases, &at));
        self.ended(here.bounds, range, place)
    }

    /// For an element of the tile, by its place and its number within the thread: whether its row is that in which the
    /// tile starts, and where its row begins in the tile.
    pub(super) fn row_in_tile(&mut self, here: &Here, place: &Exp, k: V) -> (Exp, Exp) {
        let number = match here.numbers {
            Some(numbers) => self.number("number", Exp::Load(numbers, Box::new(Exp::Var(k)))),
            None => Exp::Var(self.number_at(here, place)),
        };
        let is_first = u32_eq(number.clone(), short_int(0));
        let is_first = Exp::Var(self.declare("is_first", Prim::Bool, Some(is_first)));
        (is_first, short_at(here.bounds, &number))
    }

    /// Whether a row ends in the tile, and where in the tile the row begins in which it ends.
    pub(super) fn last_row(&mut self, here: &Here) -> (Exp, Exp) {
        (u32_lt(short_int(0), here.ends.clone()), short_at(here.bounds, &here.ends))
    }

    /// Finds the rows of all elements of a thread, neighbouring threads at neighbouring elements.
    pub(super) fn find_numbers(&mut self, rows: &Uneven, ground: &mut Ground, short: &Exp) {
        let RowsHere::Uneven(here) = &mut ground.rows else { bug("rows that differ") };
        if !rows.asks {
            return;
        }
        let numbers = self.new_var("numbers", Ty::Local(Prim::U32, rows.most));
        self.out.push(Stm::Declare(numbers, None));
        let last = u32_bin(BinOp::Max, ground.here.clone(), short_int(1));
        let last = self.number("last", u32_bin(BinOp::Sub, last, short_int(1)));
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            let apart = u32_bin(BinOp::Mul, turn, short_int(rows.threads));
            let place = u32_bin(BinOp::Add, short.clone(), apart);
            let place = this.number("place", u32_bin(BinOp::Min, place, last));
            let number = this.number_at(here, &place);
            this.out.push(Stm::Store(numbers, Exp::Var(k), Exp::Var(number)));
        });
        // Unrolled in any case: the array is in registers.
        self.out.push(up_to(k, rows.items.clone(), body));
        here.numbers = Some(numbers);
    }

    /// Finds out where rows begin among the consecutive elements of a thread, which are less than 32.
    pub(super) fn find_beginnings(&mut self, rows: &Uneven, ground: &mut Ground, short: &Exp) {
        let RowsHere::Uneven(here) = &mut ground.rows else { bug("rows that differ") };
        let after = here.after.or_bug("the rows after others");
        let first = u32_bin(BinOp::Mul, short.clone(), short_int(rows.most));
        let first = self.number("first", first);
        let number = self.number_at(here, &first);
        // The bound at which the next row begins: the present one, if the first element is the first of its row.
        let at_start = u32_eq(short_at(here.bounds, &Exp::Var(number)), first.clone());
        let with_tile = eq(here.start.clone(), ground.first.clone());
        let is_later = u32_lt(short_int(0), Exp::Var(number));
        let begins = Exp::Select(Box::new([is_later, at_start.clone(), with_tile]));
        let begins = Exp::Bin(BinOp::And, Prim::Bool, Box::new(at_start), Box::new(begins));
        let edge = Exp::Select(Box::new([begins, Exp::Var(number), plus_one(Exp::Var(number))]));
        let edge = self.declare("edge", Prim::U32, Some(edge));
        let next = short_at(here.bounds, &Exp::Var(edge));
        let next = self.declare("next", Prim::U32, Some(next));
        let bits = self.declare("begins", Prim::U32, Some(short_int(0)));
        let beyond = u32_bin(BinOp::Add, first.clone(), short_int(rows.most));
        let beyond = self.number("beyond", beyond);
        let body = self.block(|this| {
            let place = u32_bin(BinOp::Sub, Exp::Var(next), first);
            let bit = u32_bin(BinOp::Shl, short_int(1), place);
            this.out.push(Stm::Assign(bits, u32_bin(BinOp::Or, Exp::Var(bits), bit)));
            let later = plus_one(short_at(after, &Exp::Var(edge)));
            this.out.push(Stm::Assign(edge, later));
            this.out.push(Stm::Assign(next, short_at(here.bounds, &Exp::Var(edge))));
        });
        self.out.push(Stm::While(u32_lt(Exp::Var(next), beyond), body));
        here.begins = Some(bits);
    }

    /// The indices of an element: the row, where it starts, its length, and the position in it. `k` is its number within the
    /// thread, if that has found the rows of all of them.
    pub(super) fn indices_in_rows(
        &mut self,
        rows: &Uneven,
        ground: &Ground,
        place: &Exp,
        k: Option<V>,
    ) -> Vec<Exp> {
        let flat = bin(BinOp::Add, ground.first.clone(), wide(place.clone()));
        if !rows.asks {
            // All positions are taken as those of one row.
            return vec![Exp::int(0), Exp::int(0), rows.total.clone(), self.simple("i", &flat)];
        }
        let RowsHere::Uneven(here) = &ground.rows else { bug("rows that differ") };
        let number = match (here.numbers, k) {
            (Some(numbers), Some(k)) => {
                self.number("number", Exp::Load(numbers, Box::new(Exp::Var(k))))
            }
            (None, _) | (_, None) => Exp::Var(self.number_at(here, place)),
        };
        let row = self.simple("row", &bin(BinOp::Add, here.row.clone(), wide(number.clone())));
        let bound = self.number("bound", short_at(here.bounds, &number));
        let is_first = u32_eq(number.clone(), short_int(0));
        let is_first = Exp::Var(self.declare("is_first", Prim::Bool, Some(is_first)));
        let from_tile = |bound: Exp| bin(BinOp::Add, ground.first.clone(), wide(bound));
        let start =
            Exp::Select(Box::new([is_first.clone(), here.start.clone(), from_tile(bound.clone())]));
        let start = self.simple("start", &start);
        let is_last = u32_eq(number.clone(), here.ends.clone());
        let end = from_tile(short_at(here.bounds, &plus_one(number)));
        let end = Exp::Select(Box::new([is_last, here.end.clone(), end]));
        let width = self.simple("width", &bin(BinOp::Sub, end, start.clone()));
        // In this form, the compiler of kernels finds that an address does not depend on the row, if it is the sum of both.
        let at = self.simple("i", &bin(BinOp::Sub, flat, start.clone()));
        vec![row, start, width, at]
    }
}

/// An element of an array of 16-bit numbers.
fn short_at(array: V, place: &Exp) -> Exp {
    let number = Exp::Load(array, Box::new(place.clone()));
    Exp::Convert(Prim::U16, Prim::U32, Box::new(number))
}

fn plus_one(number: Exp) -> Exp {
    u32_bin(BinOp::Add, number, short_int(1))
}

/// `a == b` on unsigned 32-bit numbers.
fn u32_eq(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(a), Box::new(b))
}
