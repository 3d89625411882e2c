//! `tiling`: plans what a thread of a CPU executes in tiles.
//!
//! Where a map's function folds, a thread can go through the steps of the fold for a tile of positions at a time. That is better
//! than one position after the other in two cases.
//!
//! *Squares*: a map inside of a map, and each element that a step reads differs along at most one of them: a matrix product. The
//! accumulators of a few rows and columns stay in registers, and what is read for a row serves all columns, and the other way
//! round.
//!
//! *Columns*: a map whose neighbouring positions read neighbouring elements in a step, while those of the next step are far away:
//! sums of the columns of a matrix. Each step goes along a row, which is contiguous.
//!
//! ```text
//! map (\row -> map (\column -> reduce over (row, column)) bs) as
//! ==>
//! seg thread [] tile [0, 1] ([0], [1]) { map (\row -> map (\column -> reduce over (row, column)) bs) as }
//!
//! map (\column -> reduce over column) (transpose as)
//! ==>
//! seg thread [] tile [0] ([0]) { map (\column -> reduce over column) (transpose as) }
//! ```
//!
//! Segs of tasks, which are there already, get such a plan as well. Whether the code of a step fits into registers and
//! vector units, and how large a tile is, is known when there is code (`fehu_loops::tile`). If it does not fit, a map
//! inside of a square may have columns.

use super::{Code, Fold};
use crate::seg::Segs;
use fehu_base::IdVec;
use fehu_facts::{Reads, Variance, Varies, Views};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{
    Atom, Body, Exp, Lambda, Level, Prog, Scalar, Screma, Seg, Stm, Tiling, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Fewer positions or steps than this are not worth it.
const FEWEST: i64 = 4;

/// The dimensions of the maps.
const OUTER: usize = 0;
const INNER: usize = 1;

/// The pass.
pub const TILING: Pass = Pass {
    name: "tiling",
    about: "plans which positions a thread of a CPU executes in tiles",
    run: |prog, _: &mut Remarks| run(prog),
};

fn run(prog: &mut Prog) {
    let (hosted, equal) = (FxHashSet::default(), FxHashMap::default());
    prog.for_each_body(|prog, vars, body| {
        let segs = Segs { prog, vars, hosted: &hosted, equal: &equal };
        Tiles { segs, views: Views::default() }.body(body);
    });
}

struct Tiles<'a> {
    segs: Segs<'a>,
    views: Views,
}

impl Tiles<'_> {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            self.views.stm(stm, self.segs.vars);
            if let Exp::Seg(seg) = &mut stm.exp {
                seg.tiling = self.plan_seg(seg);
                seg.body.body.stms.iter_mut().for_each(|op| self.functions(op));
                continue;
            }
            let plan = self.plan(stm);
            self.functions(stm);
            if plan.is_some() {
                let op = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Threads));
                *stm = self.segs.seg(op, 0, Level::Thread);
                if let Exp::Seg(seg) = &mut stm.exp {
                    seg.tiling = plan;
                }
            }
        }
    }

    /// What is inside of a statement.
    fn functions(&mut self, stm: &mut Stm) {
        if let Some((inputs, map)) = function(stm) {
            self.views.enter(map, inputs, None, self.segs.vars);
        }
        stm.exp.map_bodies(&mut |body| self.body(body));
    }

    fn plan_seg(&mut self, seg: &Seg) -> Option<Tiling> {
        let is_ours = matches!(seg.level, Level::Task | Level::Thread);
        let parts = seg.parts().filter(|parts| is_ours && parts.is_bare())?;
        if seg.rows.is_some() || !seg.space.is_empty() { None } else { self.plan(parts.op) }
    }

    fn plan(&mut self, stm: &Stm) -> Option<Tiling> {
        let op = map(stm, self.segs.vars)?;
        square(op, self.segs.vars).or_else(|| self.columns(op))
    }

    /// The plan for a map whose function folds.
    fn columns(&mut self, op: &Screma) -> Option<Tiling> {
        let (vars, step) = (&*self.segs.vars, OUTER + 1);
        if !gives_scalars(op) || is_short(op.width) {
            return None;
        }
        let code = Code { vars, reads: &Reads::of_body(&op.map.body) };
        let variance = Variance::at_positions(&op.map, &op.inputs, OUTER, vars);
        let (fold, before, after) = Fold::within(&op.map.body, variance, code, step)?;
        if !before.iter().chain(after).all(|stm| code.is_flat(stm)) || !fold.is_worth(&[OUTER]) {
            return None;
        }
        self.views.enter(&op.map, &op.inputs, Some(OUTER), vars);
        let inside = &op.map.body.stms[before.len()];
        before.iter().for_each(|stm| self.views.stm(stm, vars));
        if let Some((inputs, map)) = function(inside) {
            self.views.enter(map, inputs, Some(step), vars);
        }
        inside.exp.for_each_body(&mut |body| {
            body.stms.iter().for_each(|stm| self.views.stm(stm, vars));
        });
        let mut is_far = false;
        for read in fold.reads.iter().filter(|read| read.varies.is_along(OUTER)) {
            if read.varies.is_along(step) {
                let innermost =
                    self.views.innermost(read.array, &read.dims, step, &fold.variance, vars);
                if !innermost.is_along(OUTER) {
                    return None;
                }
                is_far |= !innermost.is_along(step);
            }
        }
        is_far.then(|| fold.tiling(vec![OUTER], 0))
    }
}

/// The plan for a map whose function is a map whose function folds.
fn square(op: &Screma, vars: &IdVec<Var, VarInfo>) -> Option<Tiling> {
    let (inner, around) = op.map.body.stms.split_last()?;
    let inner = map(inner, vars).filter(|inner| gives_scalars(inner))?;
    if is_short(op.width) || is_short(inner.width) {
        return None;
    }
    let code = Code { vars, reads: &Reads::of_body(&op.map.body) };
    let mut variance = Variance::at_positions(&op.map, &op.inputs, OUTER, vars);
    around.iter().for_each(|stm| variance.stm(stm));
    let is_regular = variance.atom(inner.width) == Varies::default();
    variance.enter(inner, INNER);
    let (fold, before, after) = Fold::within(&inner.map.body, variance, code, INNER + 1)?;
    let is_flat = around.iter().chain(before).chain(after).all(|stm| code.is_flat(stm));
    let fits = is_regular && is_flat && fold.is_worth(&[OUTER, INNER]) && fold.is_shared();
    fits.then(|| fold.tiling(vec![OUTER, INNER], 0))
}

impl Fold<'_> {
    /// Whether the steps are as many everywhere, and what they read is known before them.
    fn is_worth(&self, dims: &[usize]) -> bool {
        let is_same = !self.trips.is_made && !dims.iter().any(|dim| self.trips.is_along(*dim));
        let is_known = |varies: Varies| !varies.is_along(self.acc());
        self.is_flat
            && is_same
            && self.known().is_none_or(|steps| steps >= FEWEST)
            && self.reads.iter().all(|read| is_known(read.varies))
    }

    /// Whether rows share what they read, and columns as well.
    fn is_shared(&self) -> bool {
        let along = |varies: Varies| [OUTER, INNER, self.step].map(|dim| varies.is_along(dim));
        self.reads.iter().all(|read| along(read.varies) != [true, true, true])
            && self.reads.iter().any(|read| along(read.varies) == [false, true, true])
            && self.values.iter().any(|varies| along(*varies) == [true, false, true])
    }
}

/// The map that a statement is, of values and not of accumulators.
fn map<'s>(stm: &'s Stm, vars: &IdVec<Var, VarInfo>) -> Option<&'s Screma> {
    let Exp::Screma(op) = &stm.exp else { return None };
    let is_value = |input: &Var| !matches!(vars[*input].ty, Type::Acc(_));
    (op.folded() == 0 && op.inputs.iter().all(is_value)).then_some(&**op)
}

fn gives_scalars(op: &Screma) -> bool {
    op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)))
}

fn is_short(width: Atom) -> bool {
    matches!(width, Atom::Const(Scalar::I64(width)) if width < FEWEST)
}

/// The function that an operator applies to the elements of its inputs.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have none")]
fn function(stm: &Stm) -> Option<(&[Var], &Lambda)> {
    match &stm.exp {
        Exp::Screma(op) => Some((&op.inputs, &op.map)),
        Exp::Hist(op) => Some((&op.inputs, &op.map)),
        Exp::Scatter(op) => Some((&op.inputs, &op.map)),
        _ => None,
    }
}
