//! The partial results of the chunks of a reduction or scan, kept until all chunks are done.
//!
//! A scalar is stored in an array with one element for each chunk. If arrays are combined, each chunk has a row of its
//! own, and its code finds that row where the code for one thread finds the operator's first parameter: only the block
//! of that parameter differs. Likewise, when the chunks are combined, the row takes the place of the second parameter.

use super::screma::Sofar;
use super::{Emit, Mem};
use fehu_base::{Prim, bug};
use fehu_imp::rewrite::bin;
use fehu_imp::{Exp, From, Stm, Ty, V};
use fehu_ir::free::{bound_in_lambda, free_in_lambda};
use fehu_ir::{BinOp, Lambda, Screma, Type, Var};
use fehu_mem::table::{BlockId, Place};

/// A multiple of the number of elements in a cache line, a power of two.
const LINE: i64 = 64;

/// The partial results of all chunks for one combined value.
pub(super) enum Partial {
    /// A scalar each, in this array.
    Elements(V),
    /// An array each, one after the other in this one, and the distance between them.
    Rows(V, V),
    /// No contents.
    Nothing,
}

impl<'a> Emit<'a> {
    /// Memory for the partial results of all chunks.
    pub(super) fn partials(&mut self, all: &[Vec<Sofar<'a>>], chunks: V) -> Vec<Vec<Partial>> {
        let each = |parts: &Vec<Sofar<'a>>| {
            parts.iter().map(|part| self.partial(part, chunks)).collect::<Vec<_>>()
        };
        all.iter().map(each).collect()
    }

    fn partial(&mut self, part: &Sofar<'a>, chunks: V) -> Partial {
        match part {
            Sofar::Scalar(v) => {
                let prim = self.scalar_prim(*v);
                Partial::Elements(self.temporary("partial", prim, Exp::Var(chunks)).1)
            }
            Sofar::Array(place) => {
                let size = self.row_size(place);
                let size = self.declare("size", Prim::I64, Some(size));
                let stride = self.apart(size);
                let count = self.declare("count", Prim::I64, Some(times(chunks, stride)));
                let elem = self.table.blocks[place.block].elem;
                Partial::Rows(self.temporary("partial", elem, Exp::Var(count)).1, stride)
            }
            Sofar::Nothing => Partial::Nothing,
        }
    }

    /// The distance between arrays of this many elements that different threads change: no cache line contains elements
    /// of two of them.
    pub(super) fn apart(&mut self, size: V) -> V {
        let more = bin(BinOp::Add, Exp::Var(size), Exp::int(LINE - 1));
        let whole = bin(BinOp::And, more, Exp::int(-LINE));
        self.declare("stride", Prim::I64, Some(whole))
    }

    /// The number of elements of an array.
    fn row_size(&mut self, place: &Place) -> Exp {
        let shape = place.lmad.shape();
        let sizes: Vec<Exp> = shape.iter().map(|size| self.poly(size)).collect();
        sizes.into_iter().reduce(|a, b| bin(BinOp::Mul, a, b)).unwrap_or(Exp::int(1))
    }

    /// Stores the scalars of a chunk; its arrays are already where they belong.
    pub(super) fn save(&mut self, parts: &[Vec<Sofar<'a>>], partials: &[Vec<Partial>], at: &Exp) {
        for (part, array) in parts.iter().flatten().zip(partials.iter().flatten()) {
            if let (Sofar::Scalar(v), Partial::Elements(array)) = (part, array) {
                self.out.push(Stm::Store(*array, at.clone(), Exp::Var(*v)));
            }
        }
    }

    /// The scalars at a position, as variables.
    pub(super) fn loaded(&mut self, partials: &[Partial], at: V) -> Vec<Option<Exp>> {
        let mut values = Vec::with_capacity(partials.len());
        for partial in partials {
            values.push(match partial {
                Partial::Elements(array) => {
                    let Ty::Ptr(_, prim) = self.vars[*array].ty else {
                        bug("partial results are in memory")
                    };
                    let value = Exp::Load(*array, Box::new(Exp::Var(at)));
                    Some(Exp::Var(self.declare("part", prim, Some(value))))
                }
                Partial::Rows(..) | Partial::Nothing => None,
            });
        }
        values
    }

    /// Emits code in which arrays are the rows with this number.
    pub(super) fn with_rows<'p>(
        &mut self,
        places: impl IntoIterator<Item = Option<&'a Place>>,
        partials: impl IntoIterator<Item = &'p Partial>,
        number: V,
        work: impl FnOnce(&mut Self),
    ) {
        let saved = self.blocks.clone();
        for (place, partial) in places.into_iter().zip(partials) {
            // Scalars are no rows.
            let (Some(place), Partial::Rows(rows, stride)) = (place, partial) else { continue };
            let elem = self.table.blocks[place.block].elem;
            let ptr = self.new_var("own", self.vars[*rows].ty.pointer_into(elem));
            // Places are relative to the beginning of a block.
            let offset = self.poly(&place.lmad.offset);
            let start =
                Exp::Bin(BinOp::Sub, Prim::I64, Box::new(times(number, *stride)), Box::new(offset));
            self.out.push(Stm::Declare(ptr, None));
            self.out.push(Stm::Point(ptr, From::Ptr(*rows), start));
            self.blocks.insert(place.block, Mem { ptr, handle: None });
        }
        work(self);
        self.blocks = saved;
    }

    /// Combines the partial results of all chunks of a reduction, in order.
    pub(super) fn combine_partials(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        chunks: V,
        reduced: &[Vec<Sofar<'a>>],
        partials: &[Vec<Partial>],
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        // Elements of the map's inputs are now rows, whatever position they had.
        let saved = self.forget_positions(pat, &op.map);
        let body = self.block(|this| {
            for ((red, sofar), partials) in op.reds.iter().zip(reduced).zip(partials) {
                let elements = this.loaded(partials, k);
                let second = &red.op.params[sofar.len()..];
                let places: Vec<_> = second.iter().map(|param| this.place(*param)).collect();
                this.with_rows(places, partials, k, |this| {
                    this.combine_values(&red.op, sofar, &elements);
                });
            }
        });
        for (var, before) in saved {
            match before {
                Some(before) => self.scalars.insert(var, before),
                None => self.scalars.remove(&var),
            };
        }
        self.count_up(k, Exp::Var(chunks), body);
    }

    /// The places of what a map has made depend on its position and on numbers that it has computed from that, which nobody
    /// knows any more: they become zero. Returns what they were.
    pub(super) fn forget_positions(
        &mut self,
        pat: &[Var],
        map: &Lambda,
    ) -> Vec<(Var, Option<Exp>)> {
        let params = map.params.iter().copied();
        let made = map.body.stms.iter().flat_map(|stm| stm.pat.iter().copied());
        let numbers = params.chain(made).filter(|var| self.ir[*var].ty == Type::I64);
        let all: Vec<Var> = std::iter::once(self.table.index(pat, map)).chain(numbers).collect();
        all.into_iter().map(|var| (var, self.scalars.insert(var, Exp::int(0)))).collect()
    }

    /// Whether scans and reductions combine only scalars.
    pub(super) fn combines_scalars(&self, op: &Screma) -> bool {
        let ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        ops.flat_map(|op| &op.params).all(|param| !self.ir[*param].ty.is_array())
    }

    /// Whether scans and reductions combine scalars, or reductions combine arrays of which each chunk can have its own.
    pub(super) fn has_partials(&self, op: &Screma) -> bool {
        self.combines_scalars(op)
            || op.scans.is_empty() && op.reds.iter().all(|red| self.has_rows(op, &red.op))
    }

    /// Whether each chunk can have its own copy of what a reduction combines.
    fn has_rows(&self, op: &Screma, combine: &Lambda) -> bool {
        let (first, second) = combine.params.split_at(combine.params.len() / 2);
        let block = |param: &Var| self.place(*param).map(|place| place.block);
        let others: Vec<BlockId> = first.iter().filter_map(block).collect();
        self.can_be_elsewhere(first, &[&op.map, combine])
            && self.can_be_elsewhere(second, &[combine])
            && !second.iter().filter_map(block).any(|block| others.contains(&block))
    }

    /// Whether array parameters can be in other blocks while functions are executed: they are contiguous, and nothing
    /// else is in their blocks.
    pub(super) fn can_be_elsewhere(&self, params: &[Var], inside: &[&Lambda]) -> bool {
        let mut blocks: Vec<BlockId> = Vec::new();
        params.iter().filter(|param| self.ir[**param].ty.is_array()).all(|param| {
            let Some(place) = self.place(*param) else { return false };
            let fits = |var: &Var| {
                let other = self.place(*var).filter(|other| other.block == place.block);
                other.is_none_or(|other| other.lmad == place.lmad)
            };
            let elsewhere = |var: &Var| self.place(*var).is_none_or(|o| o.block != place.block);
            let alone = inside.iter().all(|lambda| {
                bound_in_lambda(lambda).iter().all(fits)
                    && free_in_lambda(lambda, self.ir).iter().all(elsewhere)
            });
            let first = !blocks.contains(&place.block);
            blocks.push(place.block);
            place.lmad.is_contiguous() && alone && first
        })
    }

    /// The places of what is combined, where that is an array.
    pub(super) fn arrays_of(&self, all: &[Vec<Sofar<'a>>]) -> Vec<Option<&'a Place>> {
        let place = |part: &Sofar<'a>| match part {
            Sofar::Array(place) => Some(*place),
            Sofar::Scalar(_) | Sofar::Nothing => None,
        };
        all.iter().flatten().map(place).collect()
    }

    /// How many elements of arrays each chunk has; none if it has only scalars.
    pub(super) fn room(&mut self, op: &Screma) -> Option<Exp> {
        let reduced = |red: &fehu_ir::Red| {
            red.op.params.iter().take(red.neutral.len()).copied().collect::<Vec<_>>()
        };
        let params: Vec<Var> = op.reds.iter().flat_map(reduced).collect();
        let mut room = None;
        for param in params {
            // Scalars need no room.
            let Some(place) = self.place(param) else { continue };
            let size = self.row_size(place);
            room = Some(match room {
                None => size,
                Some(room) => bin(BinOp::Add, room, size),
            });
        }
        room
    }
}

fn times(a: V, b: V) -> Exp {
    bin(BinOp::Mul, Exp::Var(a), Exp::Var(b))
}
