//! Tiles of rows and columns in registers.

use super::nest::{
    ACC, Deps, Head, I, J, K, Line, Nest, depends, head, is_for_vectors, lines, loads, needed,
};
use super::rows::{self, RowPanel};
use super::trips;
use fehu_base::bug;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, all, bin, is_unit, le, replace, substitute, sum};
use fehu_imp::{Block, Exp, From, Kind, Prim, Stm, Ty, V};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::FxHashMap;

/// The columns of a tile: two vectors of `f32`.
const COLUMNS: u32 = 2 * CPU.vector_bytes / 4;
/// How many elements of rows that are contiguous in `k` are packed at a time: a cache line or two.
const PACKED: i64 = CPU.line_bytes as i64 / 4;
/// Fewer rows, columns or steps than this are left as they are.
const LEAST: [i64; 3] = [4, 8, 4];
/// With more steps the panel would be too large for the cache.
const MOST_STEPS: i64 = (CPU.far_bytes / (4 * COLUMNS)) as i64;
/// Nests that need more panels or accumulators than this are left as they are.
const MOST_PANELS: usize = 4;
const MOST_ACCS: usize = 4;

/// The statements that a nest of three loops becomes, if it fits.
pub(super) fn tiled(vars: &mut Vars<'_>, stm: &Stm) -> Option<Block> {
    let (i, stms) = head(stm)?;
    let (inner, outer) = stms.split_last()?;
    let outer = lines(outer)?;
    let mut deps: FxHashMap<V, Deps> = FxHashMap::default();
    deps.insert(i.var, I);
    for line in &outer {
        // Even if it depends on nothing, it exists only inside the loop.
        deps.insert(line.var, I);
    }
    if outer.iter().any(|line| !line.is_new) {
        return None;
    }
    let nest = Nest::of(inner, deps, &|v| vars.0[v].ty)?;
    let mut tiling = Tiling::new(vars, i, outer, nest)?;
    tiling.choose();
    let (condition, mut code) = tiling.code();
    let mut result = std::mem::take(&mut tiling.first);
    code.insert(0, Stm::Comment("A tile of results at a time, with a packed panel.".into()));
    result.push(Stm::If(condition, code, vec![stm.clone()]));
    Some(result)
}

/// A load, or a variable of the innermost loop, that comes from a panel.
struct Panel {
    value: Exp,
    prim: Prim,
    handle: V,
    ptr: V,
}

pub(super) struct Tiling<'v, 'f> {
    pub(super) vars: &'v mut Vars<'f>,
    pub(super) i: Head,
    /// What the loop over `i` computes before the loop over `j`.
    outer: Vec<Line>,
    pub(super) nest: Nest,
    pub(super) rows: i64,
    panels: Vec<Panel>,
    pub(super) row_panels: Vec<RowPanel>,
    /// What is computed before the loop over `k`, depends on `j` only, and is needed in that loop: kept for all columns.
    kept: Vec<(V, V)>,
    /// The bounds of the loops, as variables: of `i`, `j`, `k`, from and to.
    pub(super) bounds: [[V; 2]; 3],
    first: Block,
}

impl<'v, 'f> Tiling<'v, 'f> {
    fn new(
        vars: &'v mut Vars<'f>,
        i: Head,
        outer: Vec<Line>,
        nest: Nest,
    ) -> Option<Tiling<'v, 'f>> {
        if nest.accs.len() > MOST_ACCS {
            return None;
        }
        let packed = packed(&nest, vars)?;
        if packed.len() > MOST_PANELS {
            return None;
        }
        let is_packed = |v: V| packed.iter().any(|(value, _)| *value == Exp::Var(v));
        // A value before the loop over `k` that depends on row and column would have to be kept for the whole tile.
        let body: Vec<Line> =
            nest.body.iter().filter(|line| !is_packed(line.var)).cloned().collect();
        let others = nest.body.iter().filter(|line| !is_of_columns(&nest, line));
        let inside = match packed.iter().any(|(value, _)| matches!(value, Exp::Var(_))) {
            true => needed(others.map(|line| &line.value), &body),
            false => needed(nest.body.iter().map(|line| &line.value), &nest.body),
        };
        let mut kept = Vec::new();
        for line in nest.before.iter().filter(|line| !nest.is_acc(line.var)) {
            let own = nest.deps[&line.var];
            if inside.contains(&line.var) && own & J != 0 {
                if own & (I | ACC) != 0 {
                    return None;
                }
                kept.push(line.var);
            }
        }
        let mut panels = Vec::new();
        for (value, prim) in packed {
            let handle = vars.new_var("panel_mem", Ty::Mem);
            let ptr = vars.new_var("panel", Ty::ptr(prim));
            panels.push(Panel { value, prim, handle, ptr });
        }
        let mut first = Block::new();
        let bounds = [&i, &nest.j, &nest.k].map(|head| {
            [(&head.from, "from"), (&head.to, "to")].map(|(e, hint)| {
                let v = vars.scalar(hint, Prim::I64);
                first.push(Stm::Declare(v, Some(e.clone())));
                v
            })
        });
        let mut keeping = Vec::new();
        for v in kept {
            let Ty::Scalar(prim) = vars.0[v].ty else { return None };
            keeping.push((v, vars.new_var("kept", Ty::Local(prim, COLUMNS))));
        }
        let row_panels = rows::panels(&nest, vars);
        let (rows, kept) = (0, keeping);
        Some(Tiling { vars, i, outer, nest, rows, panels, row_panels, kept, bounds, first })
    }

    /// The rows of a tile: all accumulators together should fit into the registers.
    fn choose(&mut self) {
        let words = self.nest.accs.iter().map(|(_, prim)| i64::from(prim.bits().div_ceil(32)));
        self.rows = (8 / words.sum::<i64>()).max(2);
    }

    /// When the tiles should be used, and the code that uses them.
    fn code(&mut self) -> (Exp, Block) {
        let heads = [&self.i, &self.nest.j, &self.nest.k];
        let counts = heads.map(|head| trips(&head.from, &head.to));
        let enough = counts.iter().zip(LEAST).map(|(n, least)| le(Exp::int(least), n.clone()));
        let fits = le(counts[2].clone(), Exp::int(MOST_STEPS));
        let condition = all(enough.chain([fits]));

        let mut code = Block::new();
        let size = bin(BinOp::Mul, counts[2].clone(), Exp::int(COLUMNS.into()));
        for panel in &self.panels {
            code.push(Stm::Declare(panel.handle, None));
            code.push(Stm::Declare(panel.ptr, None));
            code.push(Stm::Alloc(panel.handle, panel.prim, size.clone()));
            code.push(Stm::Point(panel.ptr, From::Mem(panel.handle), Exp::int(0)));
        }
        self.allocate_rows(&mut code, &counts[2]);
        let [i_bounds, j_bounds, _] = self.bounds;
        let last = [i_bounds, j_bounds].map(|[_, to]| {
            let v = self.vars.scalar("last", Prim::I64);
            code.push(Stm::Declare(v, Some(sum(&[(1, to)], -1))));
            v
        });
        let jb = self.vars.scalar("jb", Prim::I64);
        let mut body = Block::new();
        let is_full = le(sum(&[(1, jb)], COLUMNS.into()), Exp::Var(j_bounds[1]));
        let whole = self.pack(jb, None);
        let part = self.pack(jb, Some(last[1]));
        body.push(Stm::If(is_full, whole, part));
        self.keep(&mut body, jb, last[1]);
        let rows =
            &mut |this: &mut Self, ib: V, first: Option<V>| this.rows_of((ib, first), jb, last);
        body.push(self.in_blocks(last[0], rows));
        code.push(sequential(
            jb,
            Exp::Var(j_bounds[0]),
            Exp::Var(j_bounds[1]),
            COLUMNS.into(),
            body,
        ));
        (condition, code)
    }

    /// The column at a position of the block: at most the last one, if that is given.
    fn column(&mut self, out: &mut Block, jb: V, jj: V, last: Option<V>) -> Exp {
        let at = sum(&[(1, jb), (1, jj)], 0);
        match last {
            None => at,
            Some(last) => {
                let j = self.vars.like(self.nest.j.var);
                out.push(Stm::Declare(j, Some(bin(BinOp::Min, at, Exp::Var(last)))));
                Exp::Var(j)
            }
        }
    }

    /// Fills the panels for a block of columns.
    fn pack(&mut self, jb: V, last: Option<V>) -> Block {
        let mut code = Block::new();
        let [k_from, k_to] = self.bounds[2];
        let lines: Vec<Line> = self.nest.before.iter().chain(&self.nest.body).cloned().collect();
        for at in 0..self.panels.len() {
            let (k, jj) = (self.vars.like(self.nest.k.var), self.vars.scalar("jj", Prim::I64));
            let mut inner = Block::new();
            let column = self.column(&mut inner, jb, jj, last);
            let mut known: FxHashMap<V, Exp> = FxHashMap::default();
            known.insert(self.nest.j.var, column);
            known.insert(self.nest.k.var, Exp::Var(k));
            let packed = self.panels[at].value.clone();
            self.lines(&mut inner, &lines, &mut known, [&packed].into_iter());
            let value = substitute(&packed, &|v| known.get(&v).cloned());
            inner.push(Stm::Store(self.panels[at].ptr, self.panel_index(k, jj), value));
            let indices = indices(&packed, &self.nest);
            let columns = |body| independent(jj, Exp::int(COLUMNS.into()), body);
            let along = |v: V| indices.iter().any(|index| is_unit(index, v));
            if along(self.nest.j.var) || !along(self.nest.k.var) {
                let body = vec![columns(inner)];
                code.push(sequential(k, Exp::Var(k_from), Exp::Var(k_to), 1, body));
            } else {
                // Rows are contiguous: a few elements of each at a time.
                let (kb, end) =
                    (self.vars.scalar("kb", Prim::I64), self.vars.scalar("end", Prim::I64));
                let next = bin(BinOp::Min, sum(&[(1, kb)], PACKED), Exp::Var(k_to));
                let along = sequential(k, Exp::Var(kb), Exp::Var(end), 1, inner);
                let across = sequential(jj, Exp::int(0), Exp::int(COLUMNS.into()), 1, vec![along]);
                let body = vec![Stm::Declare(end, Some(next)), across];
                code.push(sequential(kb, Exp::Var(k_from), Exp::Var(k_to), PACKED, body));
            }
        }
        code
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a start that is zero needs no difference")]
    fn panel_index(&self, k: V, jj: V) -> Exp {
        let columns = i64::from(COLUMNS);
        match self.nest.k.from {
            Exp::Const(Scalar::I64(0)) => sum(&[(columns, k), (1, jj)], 0),
            _ => sum(&[(columns, k), (-columns, self.bounds[2][0]), (1, jj)], 0),
        }
    }

    /// Computes what depends on columns only and is needed in the loop over `k`.
    fn keep(&mut self, out: &mut Block, jb: V, last: V) {
        if self.kept.is_empty() {
            return;
        }
        let kept = self.kept.clone();
        out.extend(kept.iter().map(|(_, array)| Stm::Declare(*array, None)));
        let jj = self.vars.scalar("jj", Prim::I64);
        let mut inner = Block::new();
        let column = self.column(&mut inner, jb, jj, Some(last));
        let mut known: FxHashMap<V, Exp> = FxHashMap::default();
        known.insert(self.nest.j.var, column);
        let values: Vec<Exp> = kept.iter().map(|(v, _)| Exp::Var(*v)).collect();
        let before = self.nest.before.clone();
        self.lines(&mut inner, &before, &mut known, values.iter());
        for (v, array) in kept {
            let value = substitute(&Exp::Var(v), &|v| known.get(&v).cloned());
            inner.push(Stm::Store(array, Exp::Var(jj), value));
        }
        out.push(independent(jj, Exp::int(COLUMNS.into()), inner));
    }

    /// The work on a block of rows.
    fn rows_of(&mut self, (ib, first): (V, Option<V>), jb: V, last: [V; 2]) -> Block {
        let mut code = Block::new();
        let mut tiles: Vec<(FxHashMap<V, Exp>, Vec<V>)> = Vec::new();
        for row in 0..self.rows {
            let i = self.vars.like(self.i.var);
            let at = bin(BinOp::Min, sum(&[(1, ib)], row), Exp::Var(last[0]));
            code.push(Stm::Declare(i, Some(at)));
            let mut known: FxHashMap<V, Exp> = FxHashMap::default();
            known.insert(self.i.var, Exp::Var(i));
            let accs = self.nest.accs.clone();
            let arrays: Vec<V> = accs
                .iter()
                .map(|(_, prim)| self.vars.new_var("acc", Ty::Local(*prim, COLUMNS)))
                .collect();
            code.extend(arrays.iter().map(|array| Stm::Declare(*array, None)));
            self.begin(&mut code, &known, &arrays, jb, last[1]);
            // Scalars that only depend on the row are computed before the loop over `k`.
            let lines = self.rowwise();
            let exps: Vec<Exp> = self.nest.body.iter().map(|line| line.value.clone()).collect();
            let all: Vec<Line> = lines.iter().chain(&self.nest.body).cloned().collect();
            let wanted = needed(exps.iter(), &all);
            self.wanted_lines(&mut code, &lines, &mut known, &wanted);
            tiles.push((known, arrays));
        }
        let k = self.vars.like(self.nest.k.var);
        let mut steps = Block::new();
        for (row, (known, arrays)) in (0i64..).zip(&mut tiles) {
            known.insert(self.nest.k.var, Exp::Var(k));
            if let Some(first) = first {
                self.read_rows(&mut steps, known, (first, row, k));
            }
            self.step(&mut steps, known, arrays, k, jb, last[1]);
        }
        let [k_from, k_to] = self.bounds[2];
        code.push(sequential(k, Exp::Var(k_from), Exp::Var(k_to), 1, steps));
        let width = self.vars.scalar("width", Prim::I64);
        let left = sum(&[(1, self.bounds[1][1]), (-1, jb)], 0);
        let columns = bin(BinOp::Min, left, Exp::int(COLUMNS.into()));
        code.push(Stm::Declare(width, Some(columns)));
        for (row, (_, arrays)) in (0i64..).zip(&tiles) {
            let is_row = le(sum(&[(1, ib)], row), Exp::Var(last[0]));
            let body = self.finish(sum(&[(1, ib)], row), arrays, jb, width);
            code.push(Stm::If(is_row, body, Block::new()));
        }
        code
    }

    /// The lines before the loop over `k` that do not depend on columns.
    pub(super) fn rowwise(&self) -> Vec<Line> {
        let before = self.nest.before.iter();
        let rowwise = before.filter(|line| self.nest.deps[&line.var] & (J | ACC) == 0);
        self.outer.iter().chain(rowwise).cloned().collect()
    }

    /// Gives the accumulators of a row their first values.
    fn begin(&mut self, out: &mut Block, row: &FxHashMap<V, Exp>, arrays: &[V], jb: V, last: V) {
        let jj = self.vars.scalar("jj", Prim::I64);
        let mut known = row.clone();
        let before: Vec<Line> = self.outer.iter().chain(&self.nest.before).cloned().collect();
        let firsts: Vec<Exp> = self
            .nest
            .accs
            .iter()
            .filter_map(|(acc, _)| before.iter().find(|line| line.var == *acc))
            .map(|line| line.value.clone())
            .collect();
        let mut inner = Block::new();
        if needed(firsts.iter(), &before).contains(&self.nest.j.var) {
            let column = self.column(&mut inner, jb, jj, Some(last));
            known.insert(self.nest.j.var, column);
        }
        self.lines(&mut inner, &before, &mut known, firsts.iter());
        for (array, first) in arrays.iter().zip(&firsts) {
            let value = substitute(first, &|v| known.get(&v).cloned());
            inner.push(Stm::Store(*array, Exp::Var(jj), value));
        }
        out.push(independent(jj, Exp::int(COLUMNS.into()), inner));
    }

    /// One step of the accumulation for a row.
    fn step(
        &mut self,
        out: &mut Block,
        row: &FxHashMap<V, Exp>,
        arrays: &[V],
        k: V,
        jb: V,
        last: V,
    ) {
        let jj = self.vars.scalar("jj", Prim::I64);
        let mut known = row.clone();
        for ((acc, _), array) in self.nest.accs.iter().zip(arrays) {
            known.insert(*acc, Exp::Load(*array, Box::new(Exp::Var(jj))));
        }
        for (v, array) in &self.kept {
            known.insert(*v, Exp::Load(*array, Box::new(Exp::Var(jj))));
        }
        let at = self.panel_index(k, jj);
        let body: Vec<Line> = self.nest.body.clone();
        let mut inner = Block::new();
        let values: Vec<Exp> = body.iter().map(|line| self.panelled(&line.value, &at)).collect();
        // Values that were needed only for an address that the panel replaces are not computed.
        let mut wanted: Vec<V> = Vec::new();
        for (line, value) in body.iter().zip(&values).rev() {
            let is_here = known.contains_key(&line.var);
            if !line.is_new || wanted.contains(&line.var) && !is_here {
                value.each_var(&mut |v| wanted.push(v));
            }
        }
        if wanted.contains(&self.nest.j.var) {
            let column = self.column(&mut inner, jb, jj, Some(last));
            known.insert(self.nest.j.var, column);
        }
        for (line, value) in body.iter().zip(&values) {
            if line.is_new && (!wanted.contains(&line.var) || known.contains_key(&line.var)) {
                continue;
            }
            let of_column = self.nest.depends(&line.value) & J != 0;
            // A load once for all columns, inside a value that differs between them.
            let value = if of_column { self.lift(out, value, &known) } else { value.clone() };
            let value = substitute(&value, &|v| known.get(&v).cloned());
            let target = if of_column { &mut inner } else { &mut *out };
            if line.is_new {
                let v = self.vars.like(line.var);
                target.push(Stm::Declare(v, Some(value)));
                known.insert(line.var, Exp::Var(v));
            } else if let Some(place) = self.nest.accs.iter().position(|(acc, _)| *acc == line.var)
            {
                inner.push(Stm::Store(arrays[place], Exp::Var(jj), value));
            }
        }
        out.push(independent(jj, Exp::int(COLUMNS.into()), inner));
    }

    /// Takes the loads that do not depend on columns out of a value.
    fn lift(&mut self, out: &mut Block, e: &Exp, known: &FxHashMap<V, Exp>) -> Exp {
        let mut found: Vec<(V, Exp)> = Vec::new();
        loads(e, &mut |p, at| {
            let is_ours = !self.panels.iter().any(|panel| panel.ptr == p);
            if is_ours && depends(at, &self.nest.deps) & J == 0 {
                found.push((p, Exp::Load(p, Box::new(at.clone()))));
            }
        });
        let mut lifted: Vec<(Exp, V)> = Vec::new();
        for (p, load) in found {
            let (Ty::Ptr(_, prim) | Ty::Local(prim, _)) = self.vars.0[p].ty else {
                bug("a load is not through a pointer");
            };
            let v = self.vars.scalar("x", prim);
            out.push(Stm::Declare(v, Some(substitute(&load, &|v| known.get(&v).cloned()))));
            lifted.push((load, v));
        }
        replace(e, &|e| lifted.iter().find(|(load, _)| load == e).map(|(_, v)| Exp::Var(*v)))
    }

    /// The value with loads from panels.
    fn panelled(&self, e: &Exp, at: &Exp) -> Exp {
        replace(e, &|e| {
            let panel = self.panels.iter().find(|panel| panel.value == *e)?;
            Some(Exp::Load(panel.ptr, Box::new(at.clone())))
        })
    }

    /// What is done with the accumulators of a row, whose number is given.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn finish(&mut self, row: Exp, arrays: &[V], jb: V, width: V) -> Block {
        let jj = self.vars.scalar("jj", Prim::I64);
        let mut known: FxHashMap<V, Exp> = FxHashMap::default();
        known.insert(self.i.var, row);
        known.insert(self.nest.j.var, sum(&[(1, jb), (1, jj)], 0));
        for ((acc, _), array) in self.nest.accs.iter().zip(arrays) {
            known.insert(*acc, Exp::Load(*array, Box::new(Exp::Var(jj))));
        }
        let after = self.nest.after.clone();
        let mut exps: Vec<&Exp> = Vec::new();
        after.iter().for_each(|stm| stm.each_exp(&mut |e| exps.push(e)));
        let before: Vec<Line> = self.outer.iter().chain(&self.nest.before).cloned().collect();
        let before: Vec<Line> =
            before.into_iter().filter(|line| !self.nest.is_acc(line.var)).collect();
        let mut inner = Block::new();
        self.lines(&mut inner, &before, &mut known, exps.into_iter());
        for stm in &after {
            let of =
                |e: &Exp, known: &FxHashMap<V, Exp>| substitute(e, &|v| known.get(&v).cloned());
            match stm {
                Stm::Declare(v, Some(e)) => {
                    let new = self.vars.like(*v);
                    inner.push(Stm::Declare(new, Some(of(e, &known))));
                    known.insert(*v, Exp::Var(new));
                }
                Stm::Store(p, at, e) => {
                    inner.push(Stm::Store(*p, of(at, &known), of(e, &known)));
                }
                Stm::Comment(_) => {}
                other => bug(format_args!("after the loop of a nest, {other:?}")),
            }
        }
        vec![independent(jj, Exp::Var(width), inner)]
    }

    /// Copies those lines that some expressions need.
    pub(super) fn lines<'e>(
        &mut self,
        out: &mut Block,
        lines: &[Line],
        known: &mut FxHashMap<V, Exp>,
        exps: impl Iterator<Item = &'e Exp>,
    ) {
        let wanted = needed(exps, lines);
        self.wanted_lines(out, lines, known, &wanted);
    }

    fn wanted_lines(
        &mut self,
        out: &mut Block,
        lines: &[Line],
        known: &mut FxHashMap<V, Exp>,
        wanted: &[V],
    ) {
        for line in lines {
            if line.is_new && wanted.contains(&line.var) && !known.contains_key(&line.var) {
                let v = self.vars.like(line.var);
                out.push(Stm::Declare(
                    v,
                    Some(substitute(&line.value, &|v| known.get(&v).cloned())),
                ));
                known.insert(line.var, Exp::Var(v));
            }
        }
    }
}

/// What is packed for columns, with its type: values that are computed from columns and steps only, if all that is
/// loaded for both is loaded for them, and otherwise what is loaded.
fn packed(nest: &Nest, vars: &Vars<'_>) -> Option<Vec<(Exp, Prim)>> {
    let mut loaded: Vec<(Exp, Prim)> = Vec::new();
    let mut is_covered = true;
    for line in &nest.body {
        let mut types = Some(());
        loads(&line.value, &mut |p, at| {
            if depends(at, &nest.deps) & (J | K) != J | K {
                return;
            }
            is_covered &= is_of_columns(nest, line);
            match vars.0[p].ty {
                Ty::Ptr(_, prim) => {
                    let load = (Exp::Load(p, Box::new(at.clone())), prim);
                    if !loaded.contains(&load) {
                        loaded.push(load);
                    }
                }
                Ty::Scalar(_) | Ty::Mem | Ty::Local(..) | Ty::Shared(..) => types = None,
            }
        });
        types?;
    }
    let mut computed = Vec::new();
    for line in nest.body.iter().filter(|line| is_of_columns(nest, line)) {
        let others = nest.body.iter().filter(|other| !is_of_columns(nest, other));
        if others.into_iter().any(|other| other.value.mentions(line.var)) {
            let Ty::Scalar(prim) = vars.0[line.var].ty else { return None };
            is_covered &= is_for_vectors(prim);
            computed.push((Exp::Var(line.var), prim));
        }
    }
    Some(if is_covered && computed.len() <= loaded.len() { computed } else { loaded })
}

/// Whether a line of the innermost loop is computed from columns and steps only.
fn is_of_columns(nest: &Nest, line: &Line) -> bool {
    line.is_new && nest.deps[&line.var] == J | K
}

/// Where the elements are that are loaded for columns and steps to compute something.
fn indices(e: &Exp, nest: &Nest) -> Vec<Exp> {
    let wanted = needed([e].into_iter(), &nest.body);
    let lines = nest.body.iter().filter(|line| wanted.contains(&line.var));
    let mut found = Vec::new();
    for value in lines.map(|line| &line.value).chain([e]) {
        loads(value, &mut |_, at| {
            if depends(at, &nest.deps) & (J | K) == J | K {
                found.push(at.clone());
            }
        });
    }
    found
}

pub(super) fn sequential(var: V, from: Exp, to: Exp, step: i64, body: Block) -> Stm {
    Stm::For { var, from, to, step, kind: Kind::Sequential, body }
}

pub(super) fn independent(var: V, to: Exp, body: Block) -> Stm {
    Stm::For { var, from: Exp::int(0), to, step: 1, kind: Kind::Independent(Vec::new()), body }
}
