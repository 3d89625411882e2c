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
//! each tile, by a kernel of its own ([`Emit::find_path`]). In a tile there are no more rows than steps. Its threads bring
//! the ends of these rows to shared memory, and each follows its own share of the steps and marks for every position
//! the row that it belongs to. This is the merge-based decomposition of "Merge-based parallel sparse matrix-vector
//! multiplication" (Merrill, Garland, 2016).

mod map;
mod reduce;

use super::super::Emit;
use super::layout::{Ground, RowsHere};
use super::seg::SegOp;
use super::stage::{short_int, u32_bin, u32_lt, up_to, wide};
use super::{bin, eq, lt, quot_up};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{self as ir, BinOp, CmpOp, Scalar, Var};

/// The bytes of shared memory for each step of a tile.
pub(super) const STEP_BYTES: u32 = 4;

/// Says of a position that it is the first of its row.
const FIRST: u32 = 1 << 15;

/// No end of a row.
const NEVER: u32 = (1 << 16) - 1;

/// Rows that differ, for the host.
pub(super) struct Uneven {
    ends: Var,
    /// How many rows there are.
    rows: Exp,
    /// How many steps there are: a position, or the end of a row.
    pub(super) steps: Exp,
    /// The threads of a block, and the steps of each thread, now and at most.
    pub(super) threads: u32,
    pub(super) items: Exp,
    most: u32,
    /// The steps of a tile.
    size: Exp,
    /// For each tile, the number of rows that end before it.
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
    /// For each row that ends in the tile: where, counted from the first element of the tile.
    bounds: V,
    /// For each element, how many rows end before it in the tile, and whether it is the first of its row.
    pub(super) marks: V,
    /// Where the share of the thread begins: how many elements and ends of rows are before it; and how many steps it has.
    from: [Exp; 2],
    steps: Exp,
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

    /// The steps of rows that differ, shared out to tiles of this many threads, each with up to this many steps; the number of
    /// tiles. This is code of the host.
    pub(super) fn uneven_layout(
        &mut self,
        seg: &SegOp<'a>,
        threads: u32,
        most: u32,
        is_fixed: bool,
    ) -> (Uneven, Exp) {
        let given = seg.rows.or_bug("rows that differ");
        let [rows] = self.sizes(seg, None).try_into().ok().or_bug("the number of rows");
        let rows = self.simple("rows", &rows);
        let steps = bin(BinOp::Add, rows.clone(), self.atom(given.total));
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
        let (handle, path) = self.temporary("path", Prim::I64, count);
        let ends = given.ends;
        (Uneven { ends, rows, steps, threads, items, most, size, path, handle }, tiles)
    }

    pub(super) fn free_path(&mut self, rows: &Uneven) {
        self.out.push(Stm::Free(rows.handle));
    }

    /// Where a row ends, by its number, an operand.
    fn end_of(&mut self, rows: &Uneven, row: &Exp) -> Exp {
        match self.place(rows.ends) {
            Some(place) => {
                let at = self.address(&place.lmad, std::slice::from_ref(row));
                Exp::Load(self.mem(place.block).ptr, Box::new(at))
            }
            None => self.computed(rows.ends, row.clone()).or_bug("the ends of rows"),
        }
    }

    /// A thread finds the row in which a tile starts: how many rows end before its first step.
    pub(super) fn find_path(&mut self, rows: &Uneven, tile: &Exp) {
        let before = bin(BinOp::Mul, tile.clone(), rows.size.clone());
        let before = bin(BinOp::Min, before, rows.steps.clone());
        let before = self.simple("before", &before);
        let low = self.declare("low", Prim::I64, Some(Exp::int(0)));
        let high = self.declare("high", Prim::I64, Some(rows.rows.clone()));
        let body = self.block(|this| {
            let sum = bin(BinOp::Add, Exp::Var(low), Exp::Var(high));
            let middle = this.simple("middle", &bin(BinOp::Shr, sum, Exp::int(1)));
            let end = bin(BinOp::Add, this.end_of(rows, &middle), middle.clone());
            let more = vec![Stm::Assign(low, bin(BinOp::Add, middle.clone(), Exp::int(1)))];
            let less = vec![Stm::Assign(high, middle)];
            this.out.push(Stm::If(lt(end, before), more, less));
        });
        self.out.push(Stm::While(lt(Exp::Var(low), Exp::Var(high)), body));
        self.out.push(Stm::Store(rows.path, tile.clone(), Exp::Var(low)));
    }

    /// What a thread knows about the tile with this number; all threads of the block take part.
    pub(super) fn uneven_ground(&mut self, rows: &Uneven, number: &Exp, short: &Exp) -> Ground {
        let begin = bin(BinOp::Mul, number.clone(), rows.size.clone());
        let begin = self.simple("begin", &begin);
        let stop = bin(BinOp::Add, begin.clone(), rows.size.clone());
        let stop = bin(BinOp::Min, stop, rows.steps.clone());
        let stop = self.simple("stop", &stop);
        let row = self.simple("first_row", &Exp::Load(rows.path, Box::new(number.clone())));
        let next = self.simple("next", &bin(BinOp::Add, number.clone(), Exp::int(1)));
        let last = self.simple("last_row", &Exp::Load(rows.path, Box::new(next)));
        let first = self.simple("first", &bin(BinOp::Sub, begin.clone(), row.clone()));
        let here = bin(BinOp::Sub, bin(BinOp::Sub, stop.clone(), last.clone()), first.clone());
        let here = self.short("here", &here);
        let ends = self.short("ends", &bin(BinOp::Sub, last.clone(), row.clone()));
        let steps = self.short("steps", &bin(BinOp::Sub, stop, begin));
        let before = bin(BinOp::Max, bin(BinOp::Sub, row.clone(), Exp::int(1)), Exp::int(0));
        let before = self.simple("before", &before);
        let start = self.end_of(rows, &before);
        let is_top = eq(row.clone(), Exp::int(0));
        let start = self.simple("start", &Exp::Select(Box::new([is_top, Exp::int(0), start])));
        let final_row = bin(BinOp::Sub, rows.rows.clone(), Exp::int(1));
        let last = self.simple("last", &bin(BinOp::Min, last, final_row));
        let end = self.end_of(rows, &last);
        let end = self.simple("end", &end);
        let most = rows.threads * rows.most;
        let bounds = self.shared_array("bounds", Prim::U16, most + 1);
        let marks = self.shared_array("marks", Prim::U16, most);
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
            let apart = u32_bin(BinOp::Mul, turn, short_int(rows.threads));
            let place = this.number("place", u32_bin(BinOp::Add, short.clone(), apart));
            let bring = this.block(|this| {
                let row = bin(BinOp::Add, row.clone(), wide(place.clone()));
                let row = this.simple("row", &row);
                let bound = bin(BinOp::Sub, this.end_of(rows, &row), first.clone());
                let bound = Exp::Convert(Prim::I64, Prim::U16, Box::new(bound));
                this.out.push(Stm::Store(bounds, place.clone(), bound));
            });
            this.out.push(Stm::If(u32_lt(place, ends.clone()), bring, Block::new()));
        });
        self.out.push(up_to(k, rows.items.clone(), body));
        let none = Exp::Convert(Prim::U32, Prim::U16, Box::new(short_int(NEVER)));
        let none = vec![Stm::Store(bounds, ends.clone(), none)];
        self.out.push(Stm::If(u32_eq(short.clone(), short_int(0)), none, Block::new()));
        self.out.push(Stm::Barrier);
        let (from, steps) = self.own_steps(rows, short, &ends, &steps, bounds);
        let here_rows = Here { row, start, ends, end, bounds, marks, from, steps };
        let ground = Ground { first, here, rows: RowsHere::Uneven(here_rows) };
        self.mark(rows, &ground);
        self.out.push(Stm::Barrier);
        ground
    }

    /// Where the share of a thread begins, and how many steps it has.
    fn own_steps(
        &mut self,
        rows: &Uneven,
        short: &Exp,
        ends: &Exp,
        steps: &Exp,
        bounds: V,
    ) -> ([Exp; 2], Exp) {
        let items = self.short("items", &rows.items);
        let before = u32_bin(BinOp::Mul, short.clone(), items.clone());
        let before = self.number("before", u32_bin(BinOp::Min, before, steps.clone()));
        let left = u32_bin(BinOp::Sub, steps.clone(), before.clone());
        let own = self.number("own", u32_bin(BinOp::Min, left, items));
        let low = self.declare("low", Prim::U32, Some(short_int(0)));
        let high = self.declare("high", Prim::U32, Some(ends.clone()));
        let body = self.block(|this| {
            let sum = u32_bin(BinOp::Add, Exp::Var(low), Exp::Var(high));
            let middle = this.number("middle", u32_bin(BinOp::Lshr, sum, short_int(1)));
            let end = u32_bin(BinOp::Add, bound(bounds, &middle), middle.clone());
            let more = vec![Stm::Assign(low, u32_bin(BinOp::Add, middle.clone(), short_int(1)))];
            let less = vec![Stm::Assign(high, middle)];
            this.out.push(Stm::If(u32_lt(end, before.clone()), more, less));
        });
        self.out.push(Stm::While(u32_lt(Exp::Var(low), Exp::Var(high)), body));
        let row = Exp::Var(low);
        let element = self.number("element", u32_bin(BinOp::Sub, before, row.clone()));
        ([element, row], own)
    }

    /// A thread marks the elements of its share.
    fn mark(&mut self, rows: &Uneven, ground: &Ground) {
        let RowsHere::Uneven(here) = &ground.rows else { bug("rows that differ") };
        let [element, row] = &here.from;
        let last = u32_bin(BinOp::Max, row.clone(), short_int(1));
        let last = self.number("last", u32_bin(BinOp::Sub, last, short_int(1)));
        // Where no row ends in the tile, there is no bound but the last, which is never.
        let after = u32_eq(bound(here.bounds, &last), element.clone());
        let with_tile = eq(here.start.clone(), ground.first.clone());
        let is_zero = u32_eq(element.clone(), short_int(0));
        let at_once = Exp::Bin(BinOp::And, Prim::Bool, Box::new(is_zero), Box::new(with_tile));
        let none = u32_eq(row.clone(), short_int(0));
        let fresh = Exp::Select(Box::new([none, at_once, after]));
        let fresh = self.declare("fresh", Prim::Bool, Some(fresh));
        let yes = Exp::Const(Scalar::Bool(true));
        let no = Exp::Const(Scalar::Bool(false));
        self.follow(
            rows,
            here,
            |this, _| this.out.push(Stm::Assign(fresh, yes)),
            |this, element, row| {
                let first =
                    Exp::Select(Box::new([Exp::Var(fresh), short_int(FIRST), short_int(0)]));
                let mark = u32_bin(BinOp::Or, row, first);
                let mark = Exp::Convert(Prim::U32, Prim::U16, Box::new(mark));
                this.out.push(Stm::Store(here.marks, element, mark));
                this.out.push(Stm::Assign(fresh, no));
            },
        );
    }

    /// Follows the share of a thread. `end` gets the row that ends, by its number in the tile; `step` an element, by its place,
    /// and its row.
    fn follow(
        &mut self,
        rows: &Uneven,
        here: &Here,
        end: impl FnOnce(&mut Self, Exp),
        step: impl FnOnce(&mut Self, Exp, Exp),
    ) {
        let [element, row] = here.from.clone();
        let element = self.declare("element", Prim::U32, Some(element));
        let row = self.declare("row", Prim::U32, Some(row));
        let s = self.new_var("s", Ty::Scalar(Prim::I64));
        let next = |v: V| Stm::Assign(v, u32_bin(BinOp::Add, Exp::Var(v), short_int(1)));
        let ends = self.block(|this| {
            end(this, Exp::Var(row));
            this.out.push(next(row));
        });
        let goes_on = self.block(|this| {
            step(this, Exp::Var(element), Exp::Var(row));
            this.out.push(next(element));
        });
        let is_end = u32_eq(bound(here.bounds, &Exp::Var(row)), Exp::Var(element));
        let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(s)));
        let both = vec![Stm::If(is_end, ends, goes_on)];
        let body = vec![Stm::If(u32_lt(turn, here.steps.clone()), both, Block::new())];
        let items = self.few(rows.items.clone(), &body);
        self.out.push(up_to(s, items, body));
    }

    /// The indices of an element: the row, where it starts, its length, and the position in it.
    pub(super) fn indices_by_marks(
        &mut self,
        ground: &Ground,
        here: &Here,
        place: Exp,
    ) -> Vec<Exp> {
        let mark = u32_bin(BinOp::And, short_at(here.marks, &place), short_int(FIRST - 1));
        let number = self.number("number", mark);
        let row = self.simple("row", &bin(BinOp::Add, here.row.clone(), wide(number.clone())));
        let before = u32_bin(BinOp::Max, number.clone(), short_int(1));
        let before = self.number("before", u32_bin(BinOp::Sub, before, short_int(1)));
        let from_tile =
            |number: &Exp| bin(BinOp::Add, ground.first.clone(), wide(bound(here.bounds, number)));
        let is_first = u32_eq(number.clone(), short_int(0));
        let start = Exp::Select(Box::new([is_first, here.start.clone(), from_tile(&before)]));
        let start = self.simple("start", &start);
        let is_last = u32_eq(number.clone(), here.ends.clone());
        let end = Exp::Select(Box::new([is_last, here.end.clone(), from_tile(&number)]));
        let width = self.simple("width", &bin(BinOp::Sub, end, start.clone()));
        let at = bin(BinOp::Add, ground.first.clone(), wide(place));
        let at = self.simple("i", &bin(BinOp::Sub, at, start.clone()));
        vec![row, start, width, at]
    }

    /// Whether an element is the first of its row.
    pub(super) fn is_marked(&mut self, marks: V, place: &Exp) -> Exp {
        let first = u32_lt(short_int(FIRST - 1), short_at(marks, place));
        Exp::Var(self.declare("begins", Prim::Bool, Some(first)))
    }
}

/// Where a row ends in the tile.
fn bound(bounds: V, number: &Exp) -> Exp {
    short_at(bounds, number)
}

/// An element of an array of 16-bit numbers.
fn short_at(array: V, place: &Exp) -> Exp {
    let number = Exp::Load(array, Box::new(place.clone()));
    Exp::Convert(Prim::U16, Prim::U32, Box::new(number))
}

/// `a == b` on unsigned 32-bit numbers.
fn u32_eq(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(a), Box::new(b))
}
