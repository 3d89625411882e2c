//! `grid_tiling`: plans what the threads of a block share.
//!
//! Where a map's function folds (a reduction or a loop of scalars), and the elements that a step of the fold reads are
//! the same along some dimensions of the space, the threads of a block can read them once for all their positions. A
//! Seg says over which dimensions such a tile extends, and along which dimensions each element differs ([`Tiling`]); it
//! is the same code otherwise.
//!
//! ```text
//! seg grid [n] () \(i) -> {                      seg grid [n] tile [0, 1] ([0], [1]) () \(i) -> {
//!   row = index a[i]                               row = index a[i]
//!   map (\column -> reduce over (row, column))     map (\column -> reduce over (row, column))
//! }                                              }
//! ```
//!
//! A tile extends over the last dimension and another one if each element differs along at most one of them, and both
//! kinds are there: a matrix product, or the distances between all pairs of rows of two matrices. Between the two there
//! may be dimensions of which a tile has one position: of products `a[k] * b[i, k]` for all `i` and `k`, those with the
//! same `k` share `a[k]`. The code around and in the fold must be straight-line code on scalars, and besides the
//! elements and accumulators a step uses only a few values of a row or of a column, because a thread has many
//! positions.
//!
//! Otherwise it extends over as many of the last dimensions as possible if no element differs along any of these: the
//! forces between all pairs of bodies. A thread has one position, so that a step may use what belongs to it, and have
//! branches and loops. The fold may be inside of other loops, if all positions execute these in the same way: the
//! forces of the bodies in all neighbouring cells, where each position of a cell looks up the same neighbours.
//!
//! Before that, it is asked whether positions read elements near them: see [`super::window`].

use super::window::{Ranges, windows};
use super::{Code, Fold, Read, first_fold};
use fehu_base::IdVec;
use fehu_facts::{Reads, Variance, Varies};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::{
    After, Atom, Body, Dim, Exp, FoldTiling, Level, LoopForm, Screma, Seg, SegParts, Tiling, Type,
    Var, VarInfo,
};
use std::ops::Range;

/// More elements than this do not fit into shared memory.
const MOST_READS: usize = 6;

/// More elements than this do not fit into shared memory if all positions read the same.
const MOST_COMMON: usize = 8;

/// Of more values of rows and columns, besides the elements, a thread would have to keep too many in registers.
const MOST_OF_LINES: usize = 2;

/// With fewer steps than a block has threads, most of these would have nothing to bring, and the caches of a device serve threads
/// that read the same element well.
const FEWEST_STEPS: i64 = 256;

/// The pass.
pub const GRID_TILING: Pass = Pass {
    name: "grid_tiling",
    about: "plans which elements the threads of a block share",
    run: |prog, remarks| {
        prog.for_each_body(|_, vars, body| in_body(body, vars, &mut Ranges::default(), remarks));
    },
};

/// The Segs of a body. There are no kernels inside of kernels.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no kernel")]
fn in_body(
    body: &mut Body,
    vars: &IdVec<Var, VarInfo>,
    ranges: &mut Ranges,
    remarks: &mut Remarks,
) {
    for stm in &mut body.stms {
        ranges.learn(stm);
        match &mut stm.exp {
            // Neighbouring positions of rows that differ have nothing in common for sure.
            Exp::Seg(seg) if seg.rows.is_none() => {
                seg.tiling = plan(seg, vars, ranges);
                if let Some(Tiling::Windows(_)) = seg.tiling {
                    let text =
                        "blocks of threads copy the elements near their positions to shared memory";
                    remarks.add(GRID_TILING.name, RemarkKind::Done, stm.loc.as_ref(), None, text);
                }
            }
            exp => exp.map_bodies(&mut |body| in_body(body, vars, ranges, remarks)),
        }
    }
}

/// What the threads of a Seg can share.
fn plan(seg: &Seg, vars: &IdVec<Var, VarInfo>, ranges: &Ranges) -> Option<Tiling> {
    let SegParts { before, op, after: After::Nothing } = seg.parts()? else { return None };
    let Exp::Screma(op) = &op.exp else { return None };
    let is_scalar = |ty: &Type| matches!(ty, Type::Scalar(_));
    if seg.level != Level::Grid
        || op.folded() > 0
        || !seg.inputs.is_empty()
        || !op.map.ret.iter().all(is_scalar)
    {
        return None;
    }
    let own = seg.space.len();
    let mut variance = Variance::in_seg(seg, vars);
    variance.enter(op, own);
    let code = Code { vars, reads: &Reads::of_body(&seg.body.body) };
    let body = &op.map.body;
    if before.iter().all(|stm| code.is_straight(stm))
        && let Some((fold, row)) = squared(body, &variance, code, 0..own, own)
    {
        return Some(fold.tiling(vec![row, own], 0));
    }
    if let Some(tiling) = windows(seg, op, vars, ranges) {
        return Some(Tiling::Windows(tiling));
    }
    let is_tame = before.iter().chain(&body.stms).all(|stm| code.is_tame(stm));
    if is_tame { strip(body, variance, code, (own, 0), 0) } else { None }
}

/// A fold whose positions a tile can extend over.
pub(crate) struct Square {
    /// The dimension of its rows.
    pub(crate) row: usize,
    /// The number of its steps.
    pub(crate) steps: Atom,
    /// Whether several blocks may have a share of these.
    pub(crate) may_divide: bool,
}

/// Whether the function of a map, whose positions are this dimension, has a fold for square tiles, the rows of which
/// are one of some dimensions.
pub(crate) fn square(
    body: &Body,
    variance: &Variance<'_>,
    (vars, reads): (&IdVec<Var, VarInfo>, &Reads),
    rows: Range<usize>,
    column: usize,
) -> Option<Square> {
    let (fold, row) = squared(body, variance, Code { vars, reads }, rows, column)?;
    let is_bare = |op: &Screma| op.scans.is_empty() && op.folded() == op.map.ret.len();
    let may_divide = first_fold(body)
        .is_some_and(|at| matches!(&body.stms[at].exp, Exp::Screma(op) if is_bare(op)));
    Some(Square { row, steps: fold.steps, may_divide })
}

fn squared<'a>(
    body: &Body,
    variance: &Variance<'a>,
    code: Code<'a>,
    mut rows: Range<usize>,
    column: usize,
) -> Option<(Fold<'a>, usize)> {
    let (fold, first, after) = Fold::within(body, variance.clone(), code, column + 1)?;
    let is_straight = first.iter().all(|stm| code.is_straight(stm));
    let is_plain = after.iter().all(|stm| code.is_plain(stm));
    let row = rows.rfind(|row| is_straight && is_plain && fold.is_square(*row, column))?;
    Some((fold, row))
}

/// The tile of positions that read the same in a fold inside of this many loops, or of more; the last dimension of the
/// positions is given, and that from which on all of them execute the loops in the same way.
fn strip(
    body: &Body,
    mut variance: Variance<'_>,
    code: Code<'_>,
    (last, loops): (usize, usize),
    from: usize,
) -> Option<Tiling> {
    let step = last + 1 + loops;
    let (before, rest) = body.stms.split_at(first_fold(body)?);
    before.iter().for_each(|stm| variance.stm(stm));
    // What belongs to a position is in its thread's registers before the steps begin.
    variance.settle();
    let fold = Fold::of(&rest[0], variance.clone(), code, step)?;
    let from = from.max(same_from(fold.trips, last));
    if from > last {
        return None;
    }
    // Most is read in the innermost fold.
    let inner = enter(&rest[0].exp, &mut variance, step, last)
        .and_then(|body| strip(body, variance, code, (last, loops + 1), from));
    inner.or_else(|| {
        let first = from.max(fold.common(last)?);
        (first <= last).then(|| fold.tiling((first..=last).collect(), loops))
    })
}

/// Enters a loop, whose steps are this dimension. What it has computed in earlier steps may be different at all positions.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is a fold")]
fn enter<'b>(
    exp: &'b Exp,
    variance: &mut Variance<'_>,
    step: usize,
    last: usize,
) -> Option<&'b Body> {
    match exp {
        Exp::Screma(op) if op.scans.is_empty() && !op.reds.is_empty() => {
            variance.enter(op, step);
            Some(&op.map.body)
        }
        Exp::Loop(params, LoopForm::For(counter, _), body) => {
            variance.set(*counter, Varies::along(step));
            for param in params {
                variance.set(param.var, Varies::up_to(last));
            }
            Some(body)
        }
        _ => None,
    }
}

impl Fold<'_> {
    /// Whether a tile can extend over these two dimensions, the second of which is the last one.
    fn is_square(&self, row: usize, column: usize) -> bool {
        let sides = |varies: Varies| (varies.is_along(row), varies.is_along(column));
        let is_same = |varies: Varies| !varies.is_made && sides(varies) == (false, false);
        let fits = |read: &Read| !read.varies.is_made && sides(read.varies) != (true, true);
        let mut shared: Vec<(Var, &[Dim])> = Vec::new();
        for read in self.reads.iter().filter(|read| !is_same(read.varies)) {
            let element = (read.array, &read.dims[..]);
            if !shared.contains(&element) {
                shared.push(element);
            }
        }
        let uses = self.uses.values().map(|varies| sides(*varies));
        let of_lines = uses.clone().filter(|sides| *sides != (false, false)).count();
        self.is_straight
            && is_same(self.trips)
            && of_lines <= MOST_OF_LINES
            && !uses.into_iter().any(|sides| sides == (true, true))
            && (1..=FoldTiling::MOST_REGISTERS).contains(&self.registers)
            && shared.len() <= MOST_READS
            && self.reads.iter().all(fits)
            && self.reads.iter().any(|read| read.varies.is_along(row))
            && self.reads.iter().any(|read| read.varies.is_along(column))
    }

    /// The dimension from which on all positions up to the last dimension read the same.
    fn common(&self, last: usize) -> Option<usize> {
        let reads = self.reads.iter().filter(|read| read.varies.is_along(self.step));
        let from = reads.map(|read| same_from(read.varies, last)).max()?;
        // The host asks whether there are enough steps.
        let is_known = self.trips == Varies::default();
        let is_made = self.reads.iter().any(|read| read.varies.is_made);
        let is_long = self.known().is_none_or(|steps| steps >= FEWEST_STEPS);
        (is_known && !is_made && is_long && self.reads.len() <= MOST_COMMON).then_some(from)
    }
}

/// The dimension from which on something is the same at all positions; that after the last one, if it differs along that.
fn same_from(varies: Varies, last: usize) -> usize {
    (0..=last).rev().find(|dim| varies.is_along(*dim)).map_or(0, |dim| dim + 1)
}
