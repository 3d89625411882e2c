//! Tiles of consecutive positions: which row an element of a tile belongs to, and which position in it the element has.
//!
//! If all rows are equally long, that is a division, for which there are multiplications. If each has its own length, the
//! threads of a block find it out together, see [`super::rows`].

use super::super::Emit;
use super::elements::{Thread, Tile};
use super::rows::{Here, Uneven};
use super::seg::{SegOp, innermost};
use super::space::Space;
use super::stage::{short_int, u32_bin, u32_lt, wide};
use super::{bin, eq, quot_up};
use fehu_base::{OrBug, Prim};
use fehu_imp::{Block, Exp, Stm, V};
use fehu_ir::{BinOp, CmpOp, Scalar, Screma};

/// Larger than any position in a tile.
const FAR: i64 = 1 << 19;

/// How positions are distributed over tiles.
pub(super) enum Layout {
    /// All rows have the same length, or there is only one.
    Even(Even),
    /// Each row has its own length.
    Uneven(Uneven),
}

/// Rows of the same length.
pub(super) struct Even {
    /// The space of the surrounding maps and the operator itself.
    space: Space,
    /// The length of a row.
    width: Exp,
    /// Whether there are surrounding maps.
    has_rows: bool,
    /// If there is one surrounding map: an upper bound for the length of a row, and `2^31` divided by that.
    reciprocal: Option<(Exp, Exp)>,
}

/// What a thread knows about the elements of its tile.
pub(super) struct Ground {
    /// The number of the first element.
    pub(super) first: Exp,
    /// How many elements there are.
    pub(super) here: Exp,
    pub(super) rows: RowsHere,
}

pub(super) enum RowsHere {
    /// If there is one surrounding map: the row and the position of the first element, and how many elements are left in that
    /// row.
    Even(Option<[Exp; 3]>),
    Uneven(Here),
}

/// How a thread that treats elements in turn finds out where rows begin.
pub(super) enum Turns {
    /// They do not.
    Never,
    /// It counts: the number of the next element that begins one, and their length.
    Counted(V, Exp),
    /// It knows: a bit for each of its elements.
    Known(V),
}

impl Layout {
    /// Whether all rows have the same length.
    pub(super) fn is_even(&self) -> bool {
        matches!(self, Layout::Even(_))
    }

    /// Whether there are several rows.
    pub(super) fn has_rows(&self) -> bool {
        match self {
            Layout::Even(even) => even.has_rows,
            Layout::Uneven(_) => true,
        }
    }
}

impl<'a> Emit<'a> {
    /// How the positions of an operator are distributed over tiles of this many threads with this many elements each;
    /// the number of tiles. This is code of the host.
    pub(super) fn layout(
        &mut self,
        seg: &SegOp<'a>,
        op: &Screma,
        threads: u32,
        items: u32,
    ) -> (Layout, Exp) {
        if seg.rows.is_some() {
            let (rows, tiles) = self.uneven_layout(seg, op, (threads, items), true);
            return (Layout::Uneven(rows), tiles);
        }
        let width = self.simple("width", &self.atom(op.width));
        let sizes = self.sizes(seg, Some(width.clone()));
        let even = self.even_layout(&sizes, width);
        let size = Exp::int(i64::from(threads * items));
        let tiles = self.simple("blocks", &quot_up(even.space.total.clone(), size));
        (Layout::Even(even), tiles)
    }

    /// Frees what the host has made.
    pub(super) fn free_layout(&mut self, layout: &Layout) {
        match layout {
            Layout::Even(_) => {}
            Layout::Uneven(rows) => self.free_path(rows),
        }
    }

    /// The layout of rows of the same length, the last of these sizes.
    fn even_layout(&mut self, sizes: &[Exp], width: Exp) -> Even {
        let mut dims = Vec::new();
        for size in sizes {
            dims.push(self.simple("size", size));
        }
        let space = self.space(&dims);
        let reciprocal = (dims.len() == 2).then(|| {
            let some = bin(BinOp::Max, bin(BinOp::Min, width.clone(), Exp::int(FAR)), Exp::int(1));
            let some = self.simple("length", &some);
            let reciprocal = quot_up(Exp::int(1 << 31), some.clone());
            (some, self.simple("reciprocal", &reciprocal))
        });
        Even { space, width, has_rows: dims.len() > 1, reciprocal }
    }

    /// What a thread knows about the tile with this number.
    pub(super) fn ground(
        &mut self,
        layout: &Layout,
        number: &Exp,
        short: &Exp,
        elements: u32,
        in_turn: bool,
    ) -> Ground {
        let even = match layout {
            Layout::Even(even) => even,
            Layout::Uneven(rows) => {
                let mut ground = self.uneven_ground(rows, number, short, in_turn);
                self.find_numbers(rows, &mut ground, short);
                if in_turn {
                    self.find_beginnings(rows, &mut ground, short);
                }
                return ground;
            }
        };
        let size = Exp::int(i64::from(elements));
        let first = self.simple("first", &bin(BinOp::Mul, number.clone(), size.clone()));
        let left = bin(BinOp::Sub, even.space.total.clone(), first.clone());
        let here = self.short("here", &bin(BinOp::Min, left, size));
        let start = even.reciprocal.is_some().then(|| {
            let indices = self.position_in(first.clone(), &even.space);
            let [row, position] = indices.try_into().ok().or_bug("row and position");
            let left = bin(BinOp::Sub, even.width.clone(), position.clone());
            let left = self.short("left", &bin(BinOp::Min, left, Exp::int(FAR)));
            [row, position, left]
        });
        Ground { first, here, rows: RowsHere::Even(start) }
    }

    /// The indices of an element, computed from its place in the tile; `k` is its number within the thread, if neighbouring
    /// threads have neighbouring elements. Without branches, if possible, so that its loads
    /// can overlap with the other loads of the thread.
    pub(super) fn indices_in_tile(
        &mut self,
        layout: &Layout,
        ground: &Ground,
        place: Exp,
        k: Option<V>,
    ) -> Vec<Exp> {
        let even = match layout {
            Layout::Uneven(rows) => return self.indices_in_rows(rows, ground, &place, k),
            Layout::Even(even) => even,
        };
        let (Some((length, reciprocal)), RowsHere::Even(Some([row, position, left]))) =
            (&even.reciprocal, &ground.rows)
        else {
            let at = self.simple("at", &bin(BinOp::Add, ground.first.clone(), wide(place)));
            return self.position_in(at, &even.space);
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
        let same = bin(BinOp::Add, position.clone(), wide(place.clone()));
        let index = Exp::Select(Box::new([first, same, wide(rest)]));
        let index = self.simple("i", &index);
        let at = self.simple("at", &bin(BinOp::Add, ground.first.clone(), wide(place)));
        self.note_linear(&index, &[(1, &[&at]), (-1, &[&row, &even.width])]);
        vec![row, index]
    }

    /// Whether a row begins with the tile, if there are several.
    pub(super) fn begins_with_tile(&mut self, layout: &Layout, ground: &Ground) -> Option<Exp> {
        if !layout.has_rows() {
            return None;
        }
        if let RowsHere::Uneven(here) = &ground.rows {
            return Some(eq(here.start.clone(), ground.first.clone()));
        }
        let indices = self.indices_in_tile(layout, ground, short_int(0), None);
        Some(eq(innermost(&indices), Exp::int(0)))
    }

    /// Prepares a thread that treats its elements in turn.
    pub(super) fn turns(&mut self, tile: &Tile<'a, '_>, own: &Thread<'a>) -> Turns {
        let even = match (&tile.layout, &own.ground.rows) {
            (_, RowsHere::Uneven(here)) => {
                return Turns::Known(here.begins.or_bug("the beginnings of rows"));
            }
            (Layout::Even(even), _) if even.has_rows => even,
            (Layout::Even(_) | Layout::Uneven(_), RowsHere::Even(_)) => return Turns::Never,
        };
        let start = u32_bin(BinOp::Mul, own.short.clone(), short_int(tile.items));
        let start = self.number("start", start);
        let indices = self.indices_in_tile(&tile.layout, &own.ground, start, None);
        let position = innermost(&indices);
        let left = bin(BinOp::Sub, even.width.clone(), position.clone());
        let left = bin(BinOp::Min, left, Exp::int(FAR));
        let left = Exp::Select(Box::new([eq(position, Exp::int(0)), Exp::int(0), left]));
        let left = Exp::Convert(Prim::I64, Prim::U32, Box::new(left));
        let next = self.declare("next", Prim::U32, Some(left));
        let width = bin(BinOp::Min, even.width.clone(), Exp::int(FAR));
        Turns::Counted(next, self.short("width", &width))
    }

    /// Whether a row begins at an element, by its number within the thread; asked once for each, in order.
    pub(super) fn begins(&mut self, turns: &Turns, k: V) -> Option<Exp> {
        match turns {
            Turns::Never => None,
            Turns::Known(bits) => {
                let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                let bit = u32_bin(BinOp::Lshr, Exp::Var(*bits), turn);
                let bit = u32_bin(BinOp::And, bit, short_int(1));
                let begins = u32_lt(short_int(0), bit);
                Some(Exp::Var(self.declare("begins", Prim::Bool, Some(begins))))
            }
            Turns::Counted(next, width) => {
                let turn = Exp::Convert(Prim::I64, Prim::U32, Box::new(Exp::Var(k)));
                let is_next =
                    Exp::Cmp(CmpOp::Eq, Prim::U32, Box::new(turn), Box::new(Exp::Var(*next)));
                let begins = self.declare("begins", Prim::Bool, Some(is_next));
                let later = u32_bin(BinOp::Add, Exp::Var(*next), width.clone());
                let yes = vec![Stm::Assign(*next, later)];
                self.out.push(Stm::If(Exp::Var(begins), yes, Block::new()));
                Some(Exp::Var(begins))
            }
        }
    }
}
