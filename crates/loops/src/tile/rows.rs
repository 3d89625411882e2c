//! Rows of tiles that are packed, as columns are.
//!
//! In a product with a transposed matrix, what is read for a row is far away from what is read for it in the next step:
//! another cache line, and another page, which nothing has asked for ahead of time. So what is computed from rows and
//! steps only is packed for a block of rows at a time, in the order in which tiles read it:
//!
//! ```text
//! for k { for i { panel[i / R][k][i % R] = 2 * a[k, i] } }        R rows in a tile
//! ```

use super::nest::{ACC, I, J, K, Line, Nest, is_for_vectors, loads, needed};
use super::register::{Tiling, independent, sequential};
use fehu_imp::rewrite::{Vars, bin, is_unit, le, substitute, sum};
use fehu_imp::{Block, Exp, From, Prim, Stm, Ty, V};
use fehu_ir::BinOp;
use rustc_hash::FxHashMap;

/// How many rows are packed at a time: those of some whole tiles, and a few cache lines.
const BLOCK: i64 = 32;
/// Nests that need more panels than this are left as they are.
const MOST: usize = 2;

/// A variable of the innermost loop that comes from a panel.
pub(super) struct RowPanel {
    pub(super) var: V,
    prim: Prim,
    handle: V,
    ptr: V,
}

/// What is packed for rows, if something is far away in the next step.
pub(super) fn panels(nest: &Nest, vars: &mut Vars<'_>) -> Vec<RowPanel> {
    let is_of_rows = |line: &Line| line.is_new && nest.deps[&line.var] == I | K;
    let is_used = |line: &&Line| {
        let mut others = nest.body.iter().filter(|other| !is_of_rows(other));
        is_of_rows(line) && others.any(|other| other.value.mentions(line.var))
    };
    let found: Vec<&Line> = nest.body.iter().filter(is_used).collect();
    let values: Vec<Exp> = found.iter().map(|line| Exp::Var(line.var)).collect();
    let wanted = needed(values.iter(), &nest.body);
    let mut is_far = false;
    for line in nest.body.iter().filter(|line| wanted.contains(&line.var)) {
        loads(&line.value, &mut |_, at| {
            is_far |= nest.depends(at) & (I | J | K | ACC) == I | K && !is_unit(at, nest.k.var);
        });
    }
    let prim = |line: &&Line| match vars.0[line.var].ty {
        Ty::Scalar(prim) if is_for_vectors(prim) => Some(prim),
        Ty::Scalar(_) | Ty::Mem | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => None,
    };
    let prims: Option<Vec<Prim>> = found.iter().map(prim).collect();
    let Some(prims) = prims.filter(|prims| is_far && prims.len() <= MOST) else {
        return Vec::new();
    };
    let panels = found.iter().zip(prims).map(|(line, prim)| {
        let handle = vars.new_var("rows_mem", Ty::Mem);
        let ptr = vars.new_var("rows", Ty::ptr(prim));
        RowPanel { var: line.var, prim, handle, ptr }
    });
    panels.collect()
}

impl Tiling<'_, '_> {
    /// Memory for the rows of a block.
    pub(super) fn allocate_rows(&self, out: &mut Block, steps: &Exp) {
        let size = bin(BinOp::Mul, steps.clone(), Exp::int(BLOCK));
        for panel in &self.row_panels {
            out.push(Stm::Declare(panel.handle, None));
            out.push(Stm::Declare(panel.ptr, None));
            out.push(Stm::Alloc(panel.handle, panel.prim, size.clone()));
            out.push(Stm::Point(panel.ptr, From::Mem(panel.handle), Exp::int(0)));
        }
    }

    /// The work on all rows, a block of them at a time; `work` is given the first row of a tile, and what is to be added to the
    /// indices of a panel for it.
    pub(super) fn in_blocks(
        &mut self,
        last: V,
        work: &mut dyn FnMut(&mut Self, V, Option<V>) -> Block,
    ) -> Stm {
        let [from, to] = self.bounds[0].map(Exp::Var);
        let ib = self.vars.scalar("ib", Prim::I64);
        if self.row_panels.is_empty() {
            let body = work(self, ib, None);
            return sequential(ib, from, to, self.rows, body);
        }
        let block = self.vars.scalar("block", Prim::I64);
        let end = self.vars.scalar("end", Prim::I64);
        let mut body = Block::new();
        let next = bin(BinOp::Min, sum(&[(1, block)], BLOCK), to.clone());
        body.push(Stm::Declare(end, Some(next)));
        let is_full = le(sum(&[(1, block)], BLOCK), to.clone());
        let whole = self.pack_rows(block, None);
        let part = self.pack_rows(block, Some(last));
        body.push(Stm::If(is_full, whole, part));
        let first = self.vars.scalar("first", Prim::I64);
        let steps = super::trips(&self.nest.k.from, &self.nest.k.to);
        let offset = bin(BinOp::Mul, sum(&[(1, ib), (-1, block)], 0), steps);
        let mut inner = vec![Stm::Declare(first, Some(offset))];
        inner.extend(work(self, ib, Some(first)));
        body.push(sequential(ib, Exp::Var(block), Exp::Var(end), self.rows, inner));
        sequential(block, from, to, BLOCK, body)
    }

    /// Fills the panels for a block of rows; those after the last one, if that is given, are like it.
    fn pack_rows(&mut self, block: V, last: Option<V>) -> Block {
        assert!(BLOCK % self.rows == 0, "a block consists of whole tiles");
        let k = self.vars.like(self.nest.k.var);
        let group = self.vars.scalar("g", Prim::I64);
        let row = self.vars.scalar("r", Prim::I64);
        let mut inner = Block::new();
        let at = sum(&[(1, block), (self.rows, group), (1, row)], 0);
        let at = match last {
            None => at,
            Some(last) => {
                let i = self.vars.like(self.i.var);
                inner.push(Stm::Declare(i, Some(bin(BinOp::Min, at, Exp::Var(last)))));
                Exp::Var(i)
            }
        };
        let mut known: FxHashMap<V, Exp> = FxHashMap::default();
        known.insert(self.i.var, at);
        known.insert(self.nest.k.var, Exp::Var(k));
        let lines: Vec<Line> = self.rowwise().into_iter().chain(self.nest.body.clone()).collect();
        let values: Vec<Exp> = self.row_panels.iter().map(|panel| Exp::Var(panel.var)).collect();
        self.lines(&mut inner, &lines, &mut known, values.iter());
        let [k_from, k_to] = self.bounds[2];
        let steps = super::trips(&self.nest.k.from, &self.nest.k.to);
        let size = self.vars.scalar("size", Prim::I64);
        let place = Exp::Index(vec![
            (1, vec![group, size]),
            (self.rows, vec![k]),
            (-self.rows, vec![k_from]),
            (1, vec![row]),
        ]);
        for (panel, value) in self.row_panels.iter().zip(&values) {
            let value = substitute(value, &|v| known.get(&v).cloned());
            inner.push(Stm::Store(panel.ptr, place.clone(), value));
        }
        let rows = independent(row, Exp::int(self.rows), inner);
        let groups = independent(group, Exp::int(BLOCK / self.rows), vec![rows]);
        let size_of = bin(BinOp::Mul, steps, Exp::int(self.rows));
        let all = sequential(k, Exp::Var(k_from), Exp::Var(k_to), 1, vec![groups]);
        vec![Stm::Declare(size, Some(size_of)), all]
    }

    /// The values of a row at a step, from the panels.
    pub(super) fn read_rows(
        &mut self,
        out: &mut Block,
        known: &mut FxHashMap<V, Exp>,
        (first, row, k): (V, i64, V),
    ) {
        for panel in &self.row_panels {
            let from = self.bounds[2][0];
            let at = sum(&[(1, first), (self.rows, k), (-self.rows, from)], row);
            let v = self.vars.like(panel.var);
            out.push(Stm::Declare(v, Some(Exp::Load(panel.ptr, Box::new(at)))));
            known.insert(panel.var, Exp::Var(v));
        }
    }
}
