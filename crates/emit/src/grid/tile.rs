//! Maps whose positions share what they read, as the plan of their Seg says ([`FoldTiling`]): a loop for each element
//! of a matrix, in which every load depends on the row or on the column, but not on both.
//!
//! ```text
//! for all i, j:  acc = start; for k: acc = f(acc, a[i, k], b[k, j]); out[i, j] = g(acc)
//! ```
//!
//! They become kernels with tiles ([`super::square`]), in several versions, the first of which that fits is launched
//! ([`Version`]): large tiles, if these are enough to occupy the whole device; usual ones; and those with half the side
//! where a matrix is narrow: the blocks of a blocked algorithm, the rows of a small batch, points in a few dimensions.
//! Versions that known sizes rule out are left out.

use super::super::Emit;
use super::super::runs::Runs;
use super::lt;
use super::seg::SegOp;
use super::square::{GROUP, Shape, Sides};
use fehu_base::{OrBug, Prim, bug};
use fehu_imp::device::DEVICE;
use fehu_imp::rewrite::all;
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Stm, Ty, V};
use fehu_ir::{FoldTiling, Scalar, Screma};
use rustc_hash::{FxHashMap, FxHashSet};
use std::iter::once;

/// With fewer rows or columns than this, most of a large tile would be empty.
const LEAST_LARGE: i64 = 96;

/// A version of the tiles of a map.
struct Version {
    shape: Shape,
    /// The numbers of rows, columns and steps with which its tiles are full enough, and of tiles with which it is the best one.
    least: Sides<i64>,
    least_steps: u32,
    least_tiles: i64,
    /// Whether several blocks may execute the steps of a tile if these are few. (If large ones are few, there are smaller ones.)
    may_divide: bool,
}

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
        let mut code = self.block(|this| this.map_plain(seg, pat, op));
        for version in self.versions(&inner, [&sizes[row], &sizes[column]]).into_iter().rev() {
            let Version { shape, may_divide, .. } = &version;
            let tiles = self.tiles_or_shares(op, (&sizes, &indices), &inner, shape, *may_divide);
            let mut choice = Block::new();
            let fits = self.block_in(&mut choice, |this| this.fits(&version, &sizes, &inner));
            choice.push(Stm::If(fits, tiles, code));
            code = choice;
        }
        self.out.extend(code);
    }

    /// The versions of tiles for so many rows and columns, those with the largest tiles first.
    fn versions(&self, inner: &Inner, [rows, columns]: [&Exp; 2]) -> Vec<Version> {
        let mut versions = Vec::new();
        if inner.may_be_large() {
            let least_steps = inner.shape(Sides::both(GROUP)).depth + 1;
            versions.push(Version {
                shape: inner.shape(Sides::both(2 * GROUP)),
                least: Sides::both(self.unless_few(LEAST_LARGE, 8)),
                least_steps,
                least_tiles: self.unless_few(DEVICE.large_tiles, 2),
                may_divide: false,
            });
        }
        let usual = (GROUP, self.unless_few(FoldTiling::LEAST_SIDE, 5));
        let narrow = (GROUP / 2, self.unless_few(FoldTiling::LEAST_NARROW, 3));
        // A side that is always long enough for usual tiles needs no narrow ones.
        let lengths = |size| {
            let is_long = known(size).is_some_and(|size| size >= usual.1);
            once(usual).chain((!is_long).then_some(narrow))
        };
        for rows in lengths(rows) {
            for columns in lengths(columns) {
                let sides = Sides { rows, columns };
                let shape = inner.shape(sides.map(|(own, _)| own));
                let is_usual = sides.rows == usual && sides.columns == usual;
                if is_usual || shape.is_even() {
                    versions.push(Version {
                        least: sides.map(|(_, least)| least),
                        least_steps: shape.depth + 1,
                        shape,
                        least_tiles: 1,
                        may_divide: true,
                    });
                }
            }
        }
        let is_short = |size, least| known(size).is_some_and(|size| size < least);
        versions.retain(|version| {
            !is_short(rows, version.least.rows) && !is_short(columns, version.least.columns)
        });
        versions
    }

    /// Whether a version fits.
    fn fits(&mut self, version: &Version, sizes: &[Exp], inner: &Inner) -> Exp {
        let Version { shape, least, least_steps, least_tiles, .. } = version;
        let at_least = |least: i64, number: Exp| lt(Exp::int(least - 1), number);
        let [rows, columns] = inner.dims.map(|dim| sizes[dim].clone());
        let mut conditions = vec![
            at_least(least.rows, rows),
            at_least(least.columns, columns),
            at_least(i64::from(*least_steps), inner.trips.clone()),
        ];
        if *least_tiles > 1 {
            let space = self.squares_of(sizes, inner.dims, shape);
            conditions.insert(0, at_least(*least_tiles, self.total(&space)));
        }
        all(conditions)
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

    /// Finds the loads of an expression: those that differ between rows or columns, and those whose places all of them
    /// know before the body of the loop, which sets some variables.
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

/// A number of rows or columns, if it is known.
fn known(size: &Exp) -> Option<i64> {
    if let Exp::Const(Scalar::I64(size)) = size { Some(*size) } else { None }
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
    /// Tiles in which a thread has this many rows and columns.
    fn shape(&self, own: Sides<u32>) -> Shape {
        let mut shape = Shape::new(own, 16);
        while shape.depth > 4 && !self.has_room(&shape) {
            shape.depth /= 2;
        }
        shape
    }

    /// Whether there are enough registers for twice as many rows and columns.
    fn may_be_large(&self) -> bool {
        let bytes: u32 = self.accs.iter().map(|(_, prim)| prim.bits().div_ceil(8)).sum();
        let own = Sides { rows: 2 * GROUP, columns: 2 * GROUP };
        bytes <= 4 && self.inputs.len() == 2 && self.has_room(&self.shape(own))
    }

    /// Whether there is enough shared memory for the elements of its inputs.
    fn has_room(&self, shape: &Shape) -> bool {
        let bytes = |input: &Input| 2 * input.prim.bits().div_ceil(8) * shape.places(input.by_row);
        self.inputs.iter().map(bytes).sum::<u32>() <= crate::combine::SHARED_BYTES
    }
}
