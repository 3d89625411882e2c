//! Two-dimensional tiling, for nests like a matrix product: a loop for each element of a matrix, in which every load
//! depends on the row or on the column, but not on both.
//!
//! ```text
//! for all i, j:  acc = start; for k: acc = f(acc, a[i, k], b[k, j]); out[i, j] = g(acc)
//! ```
//!
//! Nests of this form become a kernel with square tiles ([`super::square`]): large ones, or small ones if there would
//! otherwise be too few to occupy the whole device.

use super::super::Emit;
use super::super::runs::Runs;
use super::lt;
use super::seg::SegOp;
use super::square::{GROUP, Shape};
use fehu_base::Prim;
use fehu_imp::rewrite::{all, as_terms};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{Screma, Var};

/// With fewer rows or columns than this, most of a tile would be empty.
const LEAST: i64 = 48;

/// The same for a large tile.
const LEAST_LARGE: i64 = 96;

/// With fewer large tiles than this, small ones keep a device busier.
const ENOUGH: i64 = 240;

/// An element that the loop loads, through shared memory.
pub(super) struct Input {
    pub(super) ptr: V,
    pub(super) index: Exp,
    pub(super) prim: Prim,
    /// Whether it depends on the row; otherwise on the column.
    pub(super) by_row: bool,
}

/// The code for one element of the matrix, split into its parts.
pub(super) struct Inner {
    /// The row, the column, the indices before them.
    pub(super) row: V,
    pub(super) column: V,
    pub(super) before: Block,
    /// The accumulators.
    pub(super) accs: Vec<(V, Prim)>,
    /// The variable of the loop, its bound and its body.
    pub(super) k: V,
    pub(super) trips: Exp,
    pub(super) body: Block,
    pub(super) after: Block,
    pub(super) inputs: Vec<Input>,
}

impl<'a> Emit<'a> {
    /// Turns a map that can be tiled into kernels; returns false if it is something else.
    pub(super) fn tile_on_grid(&mut self, seg: &SegOp<'a>, pat: &'a [Var], op: &'a Screma) -> bool {
        if seg.space.is_empty() {
            return false;
        }
        let mut sizes = Vec::new();
        for size in self.sizes(seg, Some(self.atom(op.width))) {
            sizes.push(self.simple("size", &size));
        }
        let Some((outer, inner)) = self.inner(seg, pat, op, sizes.len()) else { return false };
        let [rows, columns] = [&sizes[sizes.len() - 2], &sizes[sizes.len() - 1]];
        let small = inner.shape(GROUP);
        let least = Exp::int(self.unless_few(LEAST, 3) - 1);
        let worthwhile = all([
            lt(least.clone(), rows.clone()),
            lt(least, columns.clone()),
            lt(Exp::int(i64::from(small.depth)), inner.trips.clone()),
        ]);
        let mut tiles = self.block(|this| this.tiles(&sizes, &outer, &inner, &small));
        if inner.may_be_large() {
            let large = inner.shape(2 * GROUP);
            let mut choice = Block::new();
            let (enough, least) =
                (self.unless_few(ENOUGH, 2), Exp::int(self.unless_few(LEAST_LARGE, 8) - 1));
            let enough = self.block_in(&mut choice, |this| {
                let space = this.squares_of(&sizes, &large);
                all([
                    lt(Exp::int(enough - 1), this.total(&space)),
                    lt(least.clone(), rows.clone()),
                    lt(least, columns.clone()),
                ])
            });
            let others = self.block(|this| {
                this.afresh(|this| this.tiles(&sizes, &outer, &inner, &large));
            });
            choice.push(Stm::If(enough, others, tiles));
            tiles = choice;
        }
        let plain = self.block(|this| this.map_plain(seg, pat, op));
        self.out.push(Stm::If(worthwhile, tiles, plain));
        true
    }

    /// Emits code at the end of a block.
    fn block_in<T>(&mut self, block: &mut Block, work: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.out, block);
        let result = work(self);
        std::mem::swap(&mut self.out, block);
        result
    }

    /// The code for one element, if it has the right form, and the variables of the indices before row and column.
    fn inner(
        &mut self,
        seg: &SegOp<'a>,
        pat: &'a [Var],
        op: &'a Screma,
        rank: usize,
    ) -> Option<(Vec<V>, Inner)> {
        let indices: Vec<V> = (0..rank).map(|_| self.new_var("i", Ty::Scalar(Prim::I64))).collect();
        let at: Vec<Exp> = indices.iter().map(|v| Exp::Var(*v)).collect();
        let scalars = self.scalars.clone();
        let code =
            self.running(Runs::ALONE, |this| this.block(|this| this.map_at(seg, pat, op, &at)));
        self.scalars = scalars;
        let (outer, last) = indices.split_at(rank - 2);
        let inner = self.take_apart(code, last[0], last[1])?;
        Some((outer.to_vec(), inner))
    }

    fn take_apart(&self, mut code: Block, row: V, column: V) -> Option<Inner> {
        let mut simple = true;
        each_stm(&code, &mut |stm| {
            simple &= matches!(
                stm,
                Stm::Declare(..)
                    | Stm::Assign(..)
                    | Stm::Store(..)
                    | Stm::For { .. }
                    | Stm::Comment(_)
            );
            if let Stm::Declare(v, _) = stm {
                simple &= matches!(self.vars[*v].ty, Ty::Scalar(_));
            }
        });
        let position = code.iter().position(|stm| matches!(stm, Stm::For { .. }))?;
        let after = code.split_off(position + 1);
        let Stm::For { var: k, from: Exp::Const(from), to: trips, step: 1, body, .. } =
            code.pop()?
        else {
            return None;
        };
        let before = code;
        if !simple || from != fehu_ir::Scalar::I64(0) {
            return None;
        }
        let made = set_vars(&before);
        let own = set_vars(&body);
        let mut accs: Vec<(V, Prim)> = Vec::new();
        for v in made.iter().filter(|v| own.contains(v)) {
            accs.push((*v, self.scalar_prim(*v)));
        }
        accs.sort_unstable_by_key(|(v, _)| *v);
        let changes = |v: V| v == row || v == column || made.contains(&v);
        let mut fits = !accs.is_empty() && accs.len() <= 2;
        trips.each_var(&mut |v| fits &= !changes(v));
        // Of the variables set before the loop, its body uses only the accumulators.
        let mut inputs: Vec<Input> = Vec::new();
        for stm in &body {
            match stm {
                Stm::Declare(_, Some(e)) => {
                    self.find_inputs(e, (row, column), &own, &mut inputs, &mut fits)
                }
                Stm::Assign(v, e) if accs.iter().any(|(acc, _)| acc == v) => {
                    self.find_inputs(e, (row, column), &own, &mut inputs, &mut fits);
                }
                _ => fits = false,
            }
            stm.each_used(&mut |v| {
                fits &= !made.contains(&v) || accs.iter().any(|(acc, _)| *acc == v);
            });
        }
        // Code after the loop may use variables set before it; that code is repeated there.
        let both =
            inputs.iter().any(|input| input.by_row) && inputs.iter().any(|input| !input.by_row);
        let inner = Inner { row, column, before, accs, k, trips, body, after, inputs };
        (fits && both && inner.fits(&inner.shape(GROUP))).then_some(inner)
    }

    /// Finds the loads of an expression; they must not depend on both directions, or on values that the body computes.
    fn find_inputs(
        &self,
        e: &Exp,
        (row, column): (V, V),
        own: &rustc_hash::FxHashSet<V>,
        inputs: &mut Vec<Input>,
        fits: &mut bool,
    ) {
        if !matches!(e, Exp::Load(..)) {
            e.each_child(&mut |child| self.find_inputs(child, (row, column), own, inputs, fits));
        }
        match e {
            Exp::Load(ptr, index) => {
                let index = (**index).clone();
                let (by_row, by_column) = (index.mentions(row), index.mentions(column));
                index.each_var(&mut |v| *fits &= !own.contains(&v));
                *fits &= !(by_row && by_column) && as_terms(&index).is_some();
                let known = inputs.iter().any(|input| input.ptr == *ptr && input.index == index);
                if (by_row || by_column) && !known {
                    let prim = self.scalar_prim(*ptr);
                    inputs.push(Input { ptr: *ptr, index, prim, by_row });
                }
            }
            Exp::Var(v) => *fits &= *v != row && *v != column,
            Exp::Index(terms) => {
                *fits &=
                    !terms.iter().any(|(_, vars)| vars.contains(&row) || vars.contains(&column));
            }
            _ => {}
        }
    }
}

impl Inner {
    fn input_bytes(&self) -> u32 {
        self.inputs.iter().map(|input| input.prim.bits().div_ceil(8)).sum()
    }

    /// Tiles in which a thread has this many rows and columns.
    fn shape(&self, own: u32) -> Shape {
        let mut shape = Shape::new(own, 16);
        while shape.depth > 4 && !self.fits(&shape) {
            shape.depth /= 2;
        }
        shape
    }

    /// Whether there are enough registers for twice as many rows and columns.
    fn may_be_large(&self) -> bool {
        let bytes: u32 = self.accs.iter().map(|(_, prim)| prim.bits().div_ceil(8)).sum();
        bytes <= 4 && self.inputs.len() == 2 && self.fits(&self.shape(2 * GROUP))
    }

    fn fits(&self, shape: &Shape) -> bool {
        self.inputs.len() <= 6
            && 2 * self.input_bytes() * shape.places() <= crate::combine::SHARED_BYTES
    }
}
