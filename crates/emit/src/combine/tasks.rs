//! The chunks of a reduction, scan or histogram on several threads of a CPU: each has a value of its own, and they are
//! combined in order.
//!
//! A scalar is stored in an array with one element for each chunk. If arrays are combined, each chunk has a row of its
//! own, and its code finds that row where the code for one thread finds the operator's first parameter: only the block
//! of that parameter differs. Likewise, when the chunks are combined, the row takes the place of the second parameter.

use super::super::Emit;
use super::super::grid::lt;
use super::{Kept, Partial, Slot, Sofar};
use fehu_base::Prim;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::bin;
use fehu_imp::{Exp, Stm, Ty, V};
use fehu_ir::free::{bound_in_lambda, free_in_lambda};
use fehu_ir::{BinOp, Lambda, Red, Screma, Type, Var};
use fehu_mem::table::{BlockId, Place};

/// A multiple of the number of elements in a cache line, a power of two.
const LINE: i64 = CPU.line_bytes as i64;

impl<'a> Emit<'a> {
    /// Memory for the values of all chunks.
    pub(crate) fn keep_chunks(&mut self, partials: &[Partial<'a>], chunks: V) -> Vec<Kept> {
        let mut all = Vec::with_capacity(partials.len());
        for partial in partials {
            let slots = partial.parts.iter().map(|part| self.chunk_slot(part, chunks)).collect();
            all.push(Kept { slots, handles: Vec::new() });
        }
        all
    }

    fn chunk_slot(&mut self, part: &Sofar<'a>, chunks: V) -> Slot {
        match part {
            Sofar::Scalar(v) => {
                let prim = self.scalar_prim(*v);
                Slot::Scalars(self.temporary("partial", prim, Exp::Var(chunks)).1, prim)
            }
            Sofar::Array(place) => {
                let size = self.row_size(place);
                let size = self.declare("size", Prim::I64, Some(size));
                let (rows, stride) = self.rows("partial", place, size, Exp::Var(chunks));
                Slot::Rows(rows, stride)
            }
            Sofar::Nothing => Slot::Nothing,
        }
    }

    /// Memory for arrays of this many elements that different threads change, and the distance between them: no cache
    /// line contains elements of two of them.
    pub(crate) fn rows(&mut self, hint: &str, like: &Place, size: V, count: Exp) -> (V, V) {
        let more = bin(BinOp::Add, Exp::Var(size), Exp::int(LINE - 1));
        let whole = bin(BinOp::And, more, Exp::int(-LINE));
        let stride = self.declare("stride", Prim::I64, Some(whole));
        let count = bin(BinOp::Mul, count, Exp::Var(stride));
        let count = self.declare("count", Prim::I64, Some(count));
        let elem = self.table.blocks[like.block].elem;
        (self.temporary(hint, elem, Exp::Var(count)).1, stride)
    }

    /// The number of elements of an array.
    fn row_size(&mut self, place: &Place) -> Exp {
        let shape = place.lmad.shape();
        let sizes: Vec<Exp> = shape.iter().map(|size| self.poly(size)).collect();
        sizes.into_iter().reduce(|a, b| bin(BinOp::Mul, a, b)).unwrap_or(Exp::int(1))
    }

    /// Emits code in which arrays are the rows with this number.
    pub(crate) fn with_rows(
        &mut self,
        places: &[Option<&'a Place>],
        slots: impl IntoIterator<Item = Slot>,
        number: V,
        work: impl FnOnce(&mut Self),
    ) {
        let saved = self.blocks.clone();
        for (place, slot) in places.iter().zip(slots) {
            // Scalars are no rows.
            let (Some(place), Slot::Rows(rows, stride)) = (place, slot) else { continue };
            // Places are relative to the beginning of a block.
            let offset = self.poly(&place.lmad.offset);
            let start = bin(BinOp::Mul, Exp::Var(number), Exp::Var(stride));
            self.redirect("own", place, rows, bin(BinOp::Sub, start, offset));
        }
        work(self);
        self.blocks = saved;
    }

    /// The code of a chunk: what is an array is its own row.
    pub(crate) fn in_chunk(
        &mut self,
        partials: &[Partial<'a>],
        kept: &[Kept],
        chunk: V,
        work: impl FnOnce(&mut Self),
    ) {
        let place = |part: &Sofar<'a>| match part {
            Sofar::Array(place) => Some(*place),
            Sofar::Scalar(_) | Sofar::Nothing => None,
        };
        let places: Vec<_> = partials.iter().flat_map(|all| &all.parts).map(place).collect();
        self.with_rows(&places, kept.iter().flat_map(|kept| kept.slots.clone()), chunk, work);
    }

    /// Combines the values of all chunks of a reduction, in order.
    pub(crate) fn combine_chunks(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        chunks: V,
        reduced: &[Partial<'a>],
        kept: &[Kept],
    ) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        // Elements of the map's inputs are now rows, whatever position they had.
        let saved = self.forget_positions(pat, &op.map);
        let body = self.block(|this| {
            for (partial, kept) in reduced.iter().zip(kept) {
                let right = this.load_kept(kept, &Exp::Var(k));
                let second = &partial.op.params[partial.parts.len()..];
                let places: Vec<_> = second.iter().map(|param| this.place(*param)).collect();
                this.with_rows(&places, kept.slots.clone(), k, |this| {
                    this.combine_parts(partial.op, &partial.parts, &right);
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

    /// Replaces the value of each chunk by that of all chunks before it. The value of the last chunk, which a single chunk
    /// does not even have, is not read.
    pub(crate) fn scan_chunks(&mut self, chunks: V, running: &[Partial<'a>], kept: &[Kept]) {
        let k = self.new_var("k", Ty::Scalar(Prim::I64));
        let at = Exp::Var(k);
        let body = self.block(|this| {
            for (partial, kept) in running.iter().zip(kept) {
                let last = bin(BinOp::Sub, Exp::Var(chunks), Exp::int(1));
                let more = lt(at.clone(), last);
                let combine = this.block(|this| {
                    let right = this.load_kept(kept, &at);
                    this.store_kept(&partial.parts, kept, &at);
                    this.combine_parts(partial.op, &partial.parts, &right);
                });
                let end = this.block(|this| this.store_kept(&partial.parts, kept, &at));
                this.out.push(Stm::If(more, combine, end));
            }
        });
        self.count_up(k, Exp::Var(chunks), body);
    }

    /// The places of what a map has made depend on its position and on numbers that it has computed from that, which nobody
    /// knows any more: they become zero. Returns what they were.
    pub(crate) fn forget_positions(
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
    pub(crate) fn combines_scalars(&self, op: &Screma) -> bool {
        let ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        ops.flat_map(|op| &op.params).all(|param| !self.ir[*param].ty.is_array())
    }

    /// Whether scans and reductions combine scalars, or reductions combine arrays of which each chunk can have its own.
    pub(crate) fn has_partials(&self, op: &Screma) -> bool {
        self.combines_scalars(op)
            || op.scans.is_empty() && op.reds.iter().all(|red| self.has_rows(op, red))
    }

    /// Whether each chunk can have its own copy of what a reduction combines. What it reads then must not be in the same block.
    fn has_rows(&self, op: &Screma, red: &Red) -> bool {
        let combine = &red.op;
        let (first, second) = combine.params.split_at(combine.params.len() / 2);
        let block = |param: &Var| self.place(*param).map(|place| place.block);
        let others: Vec<BlockId> = first.iter().filter_map(block).collect();
        let read =
            red.neutral.iter().filter_map(|atom| atom.var()).chain(op.inputs.iter().copied());
        let mut read = read.filter_map(|var| block(&var));
        self.can_be_elsewhere(first, &[&op.map, combine])
            && self.can_be_elsewhere(second, &[combine])
            && !read.any(|block| others.contains(&block))
            && !second.iter().filter_map(block).any(|block| others.contains(&block))
    }

    /// Whether array parameters can be in other blocks while functions are executed: they are contiguous, and nothing
    /// else is in their blocks.
    pub(crate) fn can_be_elsewhere(&self, params: &[Var], inside: &[&Lambda]) -> bool {
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
}
