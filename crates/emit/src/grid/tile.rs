//! Maps whose positions share what they read, as the plan of their Seg says ([`FoldTiling`]): a loop for each element of a matrix, in
//! which every load depends on the row or on the column, but not on both.
//!
//! ```text
//! for all i, j:  acc = start; for k: acc = f(acc, a[i, k], b[k, j]); out[i, j] = g(acc)
//! ```
//!
//! They become a kernel with square tiles ([`super::square`]): large ones, or small ones if there would
//! otherwise be too few to occupy the whole device. Matrices that are known to be smaller than that have tiles of half the side: the
//! blocks of a blocked algorithm.

use super::super::Emit;
use super::super::runs::Runs;
use super::lt;
use super::seg::SegOp;
use super::square::{GROUP, Shape};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all;
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{FoldTiling, Scalar, Screma};
use rustc_hash::{FxHashMap, FxHashSet};

/// With fewer rows or columns than this, most of a tile of half the side would be empty, see [`FoldTiling::LEAST_SIDE`].
const LEAST_HALF: i64 = 24;

/// The same for a large tile.
const LEAST_LARGE: i64 = 96;

/// An element that the loop loads, through shared memory.
#[derive(Clone)]
pub(super) struct Input {
    pub(super) ptr: V,
    pub(super) index: Exp,
    pub(super) prim: Prim,
    /// Whether it depends on the row; otherwise on the column.
    pub(super) by_row: bool,
}

/// A value that the loop uses and that is computed before it.
#[derive(Clone)]
pub(super) struct LineValue {
    pub(super) v: V,
    pub(super) prim: Prim,
    pub(super) of: Line,
}

/// What has a value of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    Row,
    Column,
    /// All elements that a block computes have the same.
    Tile,
}

/// The code for one element of the matrix, split into its parts.
#[derive(Clone)]
pub(super) struct Inner {
    /// Which dimensions of the space rows and columns are.
    pub(super) dims: [usize; 2],
    /// Their indices, and the code before the loop.
    pub(super) row: V,
    pub(super) column: V,
    pub(super) before: Block,
    /// The accumulators.
    pub(super) accs: Vec<(V, Prim)>,
    /// What else the loop uses of the code before it.
    pub(super) values: Vec<LineValue>,
    /// The variable of the loop, its bound and its body.
    pub(super) k: V,
    pub(super) trips: Exp,
    pub(super) body: Block,
    pub(super) after: Block,
    pub(super) inputs: Vec<Input>,
    /// The elements that all rows and columns load, with variables for them.
    pub(super) common: Vec<(V, Exp)>,
}

impl<'a> Emit<'a> {
    /// A map whose positions share what they read, as kernels.
    pub(super) fn tile_on_grid(&mut self, seg: &SegOp<'a>, op: &'a Screma, tiling: &'a FoldTiling) {
        let pat = seg.pat;
        let mut sizes = Vec::new();
        for size in self.sizes(seg, Some(self.atom(op.width))) {
            sizes.push(self.simple("size", &size));
        }
        let rank = sizes.len();
        let indices: Vec<V> = (0..rank).map(|_| self.new_var("i", Ty::Scalar(Prim::I64))).collect();
        let Some(code) = self.code_at(seg, op, &indices) else {
            return self.map_plain(seg, pat, op);
        };
        let first = tiling.dims.first().copied().or_bug("the dimensions of a tile");
        if tiling.reads.iter().all(|read| read.iter().all(|dim| *dim < first)) {
            let strip = self.strip(code, &indices[first..], tiling.loops);
            return self.strip_on_grid(seg, op, (&sizes, &indices), first, strip);
        }
        let [row, column] = tiling.dims[..] else {
            bug(format_args!("a square over the dimensions {:?} of {rank}", tiling.dims))
        };
        let inner = self.take_apart(code, &indices, [row, column]);
        let [rows, columns] = [&sizes[row], &sizes[column]];
        let is_half = [rows, columns].into_iter().any(is_short);
        let (small, least) = match is_half {
            true => (inner.shape(GROUP / 2), LEAST_HALF),
            false => (inner.shape(GROUP), FoldTiling::LEAST_SIDE),
        };
        let least = Exp::int(self.unless_few(least, 3) - 1);
        let worthwhile = all([
            lt(least.clone(), rows.clone()),
            lt(least, columns.clone()),
            lt(Exp::int(i64::from(small.depth)), inner.trips.clone()),
        ]);
        let tiles = self.block(|this| this.tiles(&sizes, &indices, &inner, &small, None));
        let mut tiles = self.tiles_or_shares(op, (&sizes, &indices), &inner, &small, tiles);
        if !is_half && inner.may_be_large() {
            let large = inner.shape(2 * GROUP);
            let mut choice = Block::new();
            let (enough, least) = (
                self.unless_few(DEVICE.large_tiles, 2),
                Exp::int(self.unless_few(LEAST_LARGE, 8) - 1),
            );
            let enough = self.block_in(&mut choice, |this| {
                let space = this.squares_of(&sizes, inner.dims, &large);
                all([
                    lt(Exp::int(enough - 1), this.total(&space)),
                    lt(least.clone(), rows.clone()),
                    lt(least, columns.clone()),
                ])
            });
            let others = self.block(|this| {
                this.afresh(|this| this.tiles(&sizes, &indices, &inner, &large, None));
            });
            choice.push(Stm::If(enough, others, tiles));
            tiles = choice;
        }
        let plain = self.block(|this| this.map_plain(seg, pat, op));
        self.out.push(Stm::If(worthwhile, tiles, plain));
    }

    /// Emits code at the end of a block.
    fn block_in<T>(&mut self, block: &mut Block, work: impl FnOnce(&mut Self) -> T) -> T {
        std::mem::swap(&mut self.out, block);
        let result = work(self);
        std::mem::swap(&mut self.out, block);
        result
    }

    /// The code for one position. None if an array that is a view to the plan has to be copied.
    pub(super) fn code_at(
        &mut self,
        seg: &SegOp<'a>,
        op: &'a Screma,
        indices: &[V],
    ) -> Option<Block> {
        let at: Vec<Exp> = indices.iter().map(|v| Exp::Var(*v)).collect();
        let scalars = self.scalars.clone();
        let code =
            self.running(Runs::ALONE, |this| this.block(|this| this.map_at(seg, seg.pat, op, &at)));
        self.scalars = scalars;
        let mut copies = false;
        each_stm(&code, &mut |stm| copies |= matches!(stm, Stm::Alloc(..)));
        (!copies).then_some(code)
    }

    /// Splits the code for one element at its first loop, which is the fold.
    fn take_apart(&mut self, code: Block, indices: &[V], dims: [usize; 2]) -> Inner {
        let [row, column] = dims.map(|dim| indices[dim]);
        let Fold { before, k, trips, body, after, .. } = Fold::of(code, 0);
        let (made, own) = (set_vars(&before), set_vars(&body));
        let mut accs: Vec<(V, Prim)> = Vec::new();
        for v in made.intersection(&own) {
            accs.push((*v, self.scalar_prim(*v)));
        }
        accs.sort_unstable_by_key(|(v, _)| *v);
        let values = self.values_of_lines(&before, [row, column], &body);
        let mut inner = Inner {
            dims,
            row,
            column,
            before,
            accs,
            values,
            k,
            trips,
            body: Block::new(),
            after,
            inputs: Vec::new(),
            common: Vec::new(),
        };
        for stm in &body {
            stm.each_exp(&mut |e| self.find_inputs(e, &own, &mut inner));
        }
        inner.body = body;
        inner
    }

    /// What the body of the loop uses of the code before it, other than accumulators, which it sets itself.
    fn values_of_lines(
        &self,
        before: &[Stm],
        [row, column]: [V; 2],
        body: &[Stm],
    ) -> Vec<LineValue> {
        let own = set_vars(body);
        let mut used: FxHashSet<V> = FxHashSet::default();
        each_stm(body, &mut |stm| {
            stm.each_exp(&mut |e| e.each_var(&mut |v| _ = used.insert(v)));
        });
        // Whether what is set before it depends on the row, and whether on the column.
        let mut known: FxHashMap<V, (bool, bool)> = FxHashMap::default();
        known.insert(row, (true, false));
        known.insert(column, (false, true));
        let mut values: Vec<LineValue> = Vec::new();
        for stm in before {
            let mut needs: FxHashSet<V> = FxHashSet::default();
            each_stm(std::slice::from_ref(stm), &mut |stm| {
                stm.each_exp(&mut |e| e.each_var(&mut |v| _ = needs.insert(v)));
            });
            let sides = needs.iter().filter_map(|v| known.get(v));
            let sides = sides.fold((false, false), |all, of| (all.0 || of.0, all.1 || of.1));
            let set: Vec<V> = set_vars(std::slice::from_ref(stm)).into_iter().collect();
            for v in set {
                let all = known.entry(v).or_default();
                *all = (all.0 || sides.0, all.1 || sides.1);
                if used.contains(&v) && !own.contains(&v) && values.iter().all(|other| other.v != v)
                {
                    values.push(LineValue { v, prim: self.scalar_prim(v), of: Line::Tile });
                }
            }
        }
        for value in &mut values {
            value.of = match known.get(&value.v).copied().unwrap_or_default() {
                (true, false) => Line::Row,
                (false, true) => Line::Column,
                (false, false) => Line::Tile,
                (true, true) => bug("a value of a tile depends on row and column"),
            };
        }
        values.sort_unstable_by_key(|value| value.v);
        values
    }

    /// Finds the loads of an expression: those that differ between rows or columns, and those whose places all of them know before
    /// the body of the loop, which sets some variables.
    fn find_inputs(&mut self, e: &Exp, set: &FxHashSet<V>, inner: &mut Inner) {
        let Exp::Load(ptr, index) = e else {
            return e.each_child(&mut |child| self.find_inputs(child, set, inner));
        };
        let known = |input: &Input| input.ptr == *ptr && input.index == **index;
        let by_row = match (index.mentions(inner.row), index.mentions(inner.column)) {
            (false, false) => {
                let of_lines = |v: &V| {
                    inner.values.iter().any(|value| value.v == *v && value.of != Line::Tile)
                };
                let is_new = !inner.common.iter().any(|(_, other)| other == e);
                let mut is_early = true;
                index.each_var(&mut |v| is_early &= !set.contains(&v) && !of_lines(&v));
                if is_new && is_early {
                    let v = self.new_var("common", Ty::Scalar(self.scalar_prim(*ptr)));
                    inner.common.push((v, e.clone()));
                }
                return;
            }
            (true, true) => bug("an element of a tile depends on row and column"),
            (by_row, _) => by_row,
        };
        if !inner.inputs.iter().any(known) {
            let (index, prim) = ((**index).clone(), self.scalar_prim(*ptr));
            inner.inputs.push(Input { ptr: *ptr, index, prim, by_row });
        }
    }
}

/// Whether a number of rows or columns is known to be too small for a tile of the usual size.
fn is_short(size: &Exp) -> bool {
    matches!(size, Exp::Const(Scalar::I64(size)) if *size < FoldTiling::LEAST_SIDE)
}

/// The code for one position, split at its fold: the first loop, or the first one in the body of that, and so on.
pub(super) struct Fold {
    /// The loops around it, outermost first.
    pub(super) around: Vec<Around>,
    pub(super) before: Block,
    pub(super) k: V,
    pub(super) trips: Exp,
    pub(super) body: Block,
    pub(super) after: Block,
}

/// A loop around a fold, with the code before and after it.
pub(super) struct Around {
    pub(super) before: Block,
    pub(super) counter: V,
    pub(super) trips: Exp,
    pub(super) after: Block,
}

impl Fold {
    /// The parts of such code, where the fold is inside of this many loops.
    pub(super) fn of(mut code: Block, loops: usize) -> Fold {
        let mut around = Vec::new();
        loop {
            let position = code.iter().position(|stm| matches!(stm, Stm::For { .. }));
            let after = code.split_off(position.or_bug("the fold of a tile") + 1);
            let Some(Stm::For { var, from: Exp::Const(Scalar::I64(0)), to, step: 1, body, .. }) =
                code.pop()
            else {
                bug("the fold of a tile is no loop from 0 on")
            };
            let before = std::mem::take(&mut code);
            if around.len() == loops {
                return Fold { around, before, k: var, trips: to, body, after };
            }
            around.push(Around { before, counter: var, trips: to, after });
            code = body;
        }
    }

    /// The variables that are set before it.
    pub(super) fn set_before(&self) -> FxHashSet<V> {
        let mut set = set_vars(&self.before);
        for around in &self.around {
            set.extend(set_vars(&around.before));
            set.insert(around.counter);
        }
        set
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
        2 * self.input_bytes() * shape.places() <= crate::combine::SHARED_BYTES
    }
}
