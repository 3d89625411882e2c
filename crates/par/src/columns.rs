//! `grid_columns`: sums of columns are sums of parts of columns.
//!
//! The threads of a block that reduces a segment read neighbouring elements of it. If the segments are the columns of a
//! matrix, their elements are far apart, and the matrix would be transposed first: it would be read twice and written
//! once. Neighbouring threads read neighbouring columns instead, each a part of one from top to bottom, so that there
//! are enough threads. What is left is to reduce the parts.
//!
//! ```text
//! ys = seg grid [m] \j -> {                    ps = seg grid [count] \s -> {
//!   column = index a [0:n:1, j]                  rows = index a [s * steps : len : 1]
//!   reduce f over column                         map (\column -> reduce f over column) (transpose rows)
//! }                                            }
//!                                              ys = seg grid [] () { map (\parts -> reduce f over parts) (transpose ps) }
//! ```
//!
//! That takes two kernels, so it is done only where there is much to read. A reduction with a finish stays as it is.

use fehu_base::{IdVec, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, copy_lambda, copy_stm, subst_exp, subst_lambda, subst_stm};
use fehu_ir::{
    After, Atom, BinOp, Body, CmpOp, Dim, Exp, Family, Lambda, Level, Red, Screma, Seg, Stm, Type,
    Var, VarInfo,
};
use rustc_hash::FxHashSet;

/// So many threads read as fast as a device can.
const THREADS: i64 = 1 << 18;

/// A part of a column has at least this many elements.
const LEAST: i64 = 32;

/// With fewer elements than this in all columns, a second kernel takes longer than it saves.
const MANY: i64 = 1 << 20;

/// The threads of a warp: with fewer columns, they read what is not side by side.
const WARP: i64 = 32;

/// The pass.
pub const GRID_COLUMNS: Pass = Pass {
    name: "grid_columns",
    about: "reduces columns of matrices in parts, so that neighbouring threads read neighbouring columns",
    run: |prog, _: &mut Remarks| prog.for_each_body(|_, vars, body| in_body(body, vars)),
};

/// The Segs of a body. There are no kernels inside of kernels.
fn in_body(body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        match Columns::of(&stm, vars) {
            Some(columns) => out.append(&mut columns.or_parts(&stm, vars)),
            None => {
                if !matches!(stm.exp, Exp::Seg(_)) {
                    stm.exp.map_bodies(&mut |body| in_body(body, vars));
                }
                out.push(stm);
            }
        }
    }
    body.stms = out;
}

/// A reduction of columns.
struct Columns {
    seg: Seg,
    op: Screma,
    /// What the operator of each input of the reduction reads: the elements of a column, or what belongs to all columns.
    rows: Vec<Row>,
    /// The other statements before the operator: those that are the same for all columns, and those that are not.
    common: Vec<Stm>,
    own: Vec<Stm>,
    /// The number of the column, and whether more depends on it than what is read of the columns.
    index: Var,
    by_number: bool,
    columns: Atom,
}

#[derive(Clone)]
struct Row {
    array: Var,
    /// Its indices; the one that is whole is the column.
    dims: Vec<Dim>,
    is_column: bool,
}

impl Columns {
    fn of(stm: &Stm, vars: &IdVec<Var, VarInfo>) -> Option<Columns> {
        let Exp::Seg(seg) = &stm.exp else { return None };
        let parts = seg.parts()?;
        let Exp::Screma(op) = &parts.op.exp else { return None };
        let (index, columns) = (*seg.indices().last()?, *seg.space.last()?);
        let scalars = |ret: &[Type]| ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        let fits = seg.level == Level::Grid
            && seg.rows.is_none()
            && seg.tiling.is_none()
            && seg.inputs.is_empty()
            && parts.after == After::Nothing
            && op.scans.is_empty()
            && !op.reds.is_empty()
            && op.folded() == op.map.ret.len()
            && scalars(&op.map.ret)
            && op.map.params.iter().all(|param| matches!(vars[*param].ty, Type::Scalar(_)))
            && stm.pat.len() == parts.op.pat.len();
        if !fits {
            return None;
        }
        let mut own_vars: FxHashSet<Var> = [index].into_iter().collect();
        let (mut common, mut own, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for stm in parts.before {
            let is_input = stm.pat.iter().any(|var| op.inputs.contains(var));
            let is_array = stm.pat.iter().any(|var| vars[*var].ty.is_array());
            if let (Exp::Index(array, dims), true) = (&stm.exp, is_input) {
                found.push((stm.pat[0], row(*array, dims, op.width, index, &own_vars)?));
                continue;
            }
            let is_own = free_in_stm(stm, vars).iter().any(|var| own_vars.contains(var));
            let is_filled = matches!(stm.exp, Exp::Iota(..) | Exp::Replicate(..)) && !is_own;
            if !is_filled
                && (is_array || !matches!(stm.exp.family(), Family::Scalar | Family::View))
            {
                return None;
            }
            match is_own {
                true => {
                    own_vars.extend(&stm.pat);
                    own.push(stm.clone());
                }
                false => common.push(stm.clone()),
            }
        }
        // What is read of the rows as arrays, besides as inputs, would have to be taken apart, too.
        let free = free_in_lambda(&op.map, vars);
        let operators = op.reds.iter().flat_map(|red| free_in_lambda(&red.op, vars));
        let neutral = op.reds.iter().flat_map(|red| &red.neutral).filter_map(|atom| atom.var());
        let is_row = |var: &Var| found.iter().any(|(row, _)| row == var);
        if free.iter().any(is_row) || operators.chain(neutral).any(|var| own_vars.contains(&var)) {
            return None;
        }
        let rows = op.inputs.iter().map(|input| {
            let row = found.iter().position(|(row, _)| row == input);
            match row {
                Some(row) => Some(found[row].1.clone()),
                None if vars[*input].ty.rank() == 1 => {
                    let dims = vec![whole(op.width)];
                    Some(Row { array: *input, dims, is_column: false })
                }
                None => None,
            }
        });
        let rows: Vec<Row> = rows.collect::<Option<_>>()?;
        let (seg, op) = ((**seg).clone(), (**op).clone());
        let is_worth = rows.iter().any(|row| row.is_column);
        let by_number = !own.is_empty() || free.contains(&index);
        is_worth.then_some(Columns { seg, op, rows, common, own, index, by_number, columns })
    }

    /// The parts, if there is much to read; otherwise the Seg as it is.
    fn or_parts(&self, stm: &Stm, vars: &mut IdVec<Var, VarInfo>) -> Vec<Stm> {
        let mut b = Builder::new(vars);
        b.set_loc(stm.loc.clone());
        let one = Atom::i64(1);
        let op = |b: &mut Builder<'_>, hint: &str, op, x: Atom, y: Atom| -> Atom {
            b.exp(hint, Exp::BinOp(op, x, y)).into()
        };
        let segments =
            self.seg.space.iter().copied().reduce(|x, y| op(&mut b, "segments", BinOp::Mul, x, y));
        let segments = segments.unwrap_or(one);
        let all = op(&mut b, "all", BinOp::Mul, segments, self.op.width);
        let at_least_one = op(&mut b, "segments", BinOp::Max, segments, one);
        let wanted = op(&mut b, "wanted", BinOp::Quot, Atom::i64(THREADS), at_least_one);
        let wanted = op(&mut b, "wanted", BinOp::Max, wanted, one);
        let steps = op(&mut b, "steps", BinOp::Quot, self.op.width, wanted);
        let steps = op(&mut b, "steps", BinOp::Max, steps, Atom::i64(LEAST));
        // All but the last part have so many steps; that has at most as many.
        let up = op(&mut b, "up", BinOp::Sub, steps, one);
        let up = op(&mut b, "up", BinOp::Add, self.op.width, up);
        let count = op(&mut b, "count", BinOp::Quot, up, steps);
        let mut conditions =
            [(Atom::i64(MANY), all), (Atom::i64(WARP), self.columns), (Atom::i64(2), count)]
                .map(|(least, value)| b.exp("many", Exp::CmpOp(CmpOp::Le, least, value)).into())
                .into_iter();
        let enough =
            conditions.by_ref().reduce(|x: Atom, y| op(&mut b, "enough", BinOp::And, x, y));
        let enough = enough.unwrap_or(Atom::bool(false));
        let parts = b.body(|b| {
            let partial = self.parts(b, count, steps);
            self.together(b, &partial, count)
        });
        let whole = b.body(|b| {
            let seg = Seg { body: copy_lambda(&self.seg.body, b.vars_mut()), ..self.seg.clone() };
            let types = stm.pat.iter().map(|var| b.ty(*var).clone()).collect();
            let pat = b.several("sum", types, Exp::Seg(Box::new(seg)));
            pat.into_iter().map(Atom::Var).collect()
        });
        let exp = Exp::If(enough, Box::new([parts, whole]));
        b.push(Stm { exp, attrs: Vec::new(), ..stm.clone() });
        b.finish(Vec::new()).stms
    }

    /// The kernel that reduces all parts.
    fn parts(&self, b: &mut Builder<'_>, count: Atom, steps: Atom) -> Vec<Var> {
        let space: Vec<Atom> = [&[count], self.outer()].concat();
        let indices = self.outer_indices();
        let ret = self.rows_of_results(self.columns);
        let body = b.lambda(index_params(space.len()), ret.clone(), |b, params| {
            let mut names: Subst = indices
                .iter()
                .copied()
                .zip(params[1..].iter().map(|var| Atom::Var(*var)))
                .collect();
            let start = b.exp("start", Exp::BinOp(BinOp::Mul, params[0].into(), steps));
            let rest = b.exp("rest", Exp::BinOp(BinOp::Sub, self.op.width, start.into()));
            let len: Atom = b.exp("len", Exp::BinOp(BinOp::Min, rest.into(), steps)).into();
            let part = Dim::Slice { start: start.into(), len, stride: Atom::i64(1) };
            for stm in &self.common {
                again(b, stm, &mut names);
            }
            let (mut columns, mut others) = (Vec::new(), Vec::new());
            for row in &self.rows {
                let mut exp =
                    Exp::Index(row.array, row.dims_of(&part, self.op.width, self.columns));
                subst_exp(&mut exp, b.vars_mut(), &names);
                let rows = b.exp("part", exp);
                match row.is_column {
                    true => columns.push(b.exp("columns", Exp::Rearrange(rows, vec![1, 0]))),
                    false => others.push(rows),
                }
            }
            if self.by_number {
                let numbers = Exp::Iota(Prim::I64, self.columns, Atom::i64(0), Atom::i64(1));
                columns.insert(0, b.exp("numbers", numbers));
            }
            self.map(b, columns, |b, params| {
                let (mut params, mut others) = (params.iter(), others.iter());
                let number = if self.by_number { params.next() } else { None };
                names.extend(number.map(|number| (self.index, Atom::Var(*number))));
                for stm in &self.own {
                    again(b, stm, &mut names);
                }
                let inputs = self.rows.iter().filter_map(|row| match row.is_column {
                    true => params.next().copied(),
                    false => others.next().copied(),
                });
                let inputs = inputs.collect();
                let mut map = copy_lambda(&self.op.map, b.vars_mut());
                subst_lambda(&mut map, b.vars_mut(), &names);
                self.fold(b, len, inputs, map)
            })
        });
        let seg = Seg { space, body, ..self.seg.clone() };
        let types = ret.into_iter().map(|ty| seg.whole(ty)).collect();
        b.several("partial", types, Exp::Seg(Box::new(seg)))
    }

    /// The kernel that reduces what the parts are reduced to.
    fn together(&self, b: &mut Builder<'_>, partial: &[Var], count: Atom) -> Vec<Atom> {
        let ret = self.rows_of_results(self.columns);
        let body = b.lambda(index_params(self.outer().len()), ret.clone(), |b, params| {
            let outer = params.iter().map(|var| Dim::Fix((*var).into()));
            let dims: Vec<Dim> = [whole(count)].into_iter().chain(outer).collect();
            let columns = partial.iter().map(|array| {
                let rows = b.exp("part", Exp::Index(*array, dims.clone()));
                b.exp("columns", Exp::Rearrange(rows, vec![1, 0]))
            });
            let columns = columns.collect();
            self.map(b, columns, |b, params| {
                let types = self.op.map.ret.clone();
                let elements = types.iter().map(|ty| ("x".into(), ty.clone())).collect();
                let map = b.lambda(elements, types, |_, params| {
                    params.iter().map(|var| Atom::Var(*var)).collect()
                });
                self.fold(b, count, params.to_vec(), map)
            })
        });
        let seg = Seg { space: self.outer().to_vec(), body, ..self.seg.clone() };
        let types = ret.into_iter().map(|ty| seg.whole(ty)).collect();
        let sums = b.several("sum", types, Exp::Seg(Box::new(seg)));
        sums.into_iter().map(Atom::Var).collect()
    }

    /// A map over the columns, each of which becomes as many numbers as are reduced to.
    fn map(
        &self,
        b: &mut Builder<'_>,
        inputs: Vec<Var>,
        make: impl FnOnce(&mut Builder<'_>, &[Var]) -> Vec<Atom>,
    ) -> Vec<Atom> {
        let element = |b: &Builder<'_>, var: &Var| match b.ty(*var) {
            Type::Array(elem, shape) => Type::array(*elem, shape[1..].to_vec()),
            Type::Scalar(_) | Type::Acc(_) => b.ty(*var).clone(),
        };
        let params = inputs.iter().map(|var| ("column".into(), element(b, var))).collect();
        let map = b.lambda(params, self.op.map.ret.clone(), make);
        let width = self.columns;
        let op = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let types = self.rows_of_results(width);
        let sums = b.several("sum", types, Exp::Screma(Box::new(op)));
        sums.into_iter().map(Atom::Var).collect()
    }

    /// The reduction of so many elements, which this function makes.
    fn fold(&self, b: &mut Builder<'_>, width: Atom, inputs: Vec<Var>, map: Lambda) -> Vec<Atom> {
        let again = |red: &Red, b: &mut Builder<'_>| Red {
            op: copy_lambda(&red.op, b.vars_mut()),
            ..red.clone()
        };
        let reds = self.op.reds.iter().map(|red| again(red, b)).collect();
        let op = Screma { width, inputs, map, scans: Vec::new(), reds };
        let sums = b.several("sum", self.op.map.ret.clone(), Exp::Screma(Box::new(op)));
        sums.into_iter().map(Atom::Var).collect()
    }

    fn outer(&self) -> &[Atom] {
        &self.seg.space[..self.seg.space.len() - 1]
    }

    fn outer_indices(&self) -> &[Var] {
        &self.seg.indices()[..self.seg.space.len() - 1]
    }

    fn rows_of_results(&self, size: Atom) -> Vec<Type> {
        let rows = self.op.map.ret.iter().filter_map(|ty| ty.clone().array_of(size));
        rows.collect()
    }
}

/// What an input of the reduction is: a column of an array, or a row that is the same for all columns.
fn row(array: Var, dims: &[Dim], width: Atom, index: Var, own: &FxHashSet<Var>) -> Option<Row> {
    let is_own = |dim: &Dim| match dim {
        Dim::Fix(atom) => atom.var().is_some_and(|var| own.contains(&var)),
        Dim::Slice { .. } => false,
    };
    let (last, before) = dims.split_last()?;
    let slices = dims.iter().filter(|dim| matches!(dim, Dim::Slice { .. })).count();
    let is_column = *last == Dim::Fix(index.into());
    let fits = slices == 1
        && dims.contains(&whole(width))
        && !own.contains(&array)
        && !before.iter().any(is_own)
        && (is_column || !is_own(last));
    fits.then(|| Row { array, dims: dims.to_vec(), is_column })
}

impl Row {
    /// The indices of a part of it; of all columns, if it is one.
    fn dims_of(&self, part: &Dim, width: Atom, columns: Atom) -> Vec<Dim> {
        let last = self.dims.len() - 1;
        let dims = self.dims.iter().enumerate().map(|(at, dim)| match dim {
            _ if at == last && self.is_column => whole(columns),
            Dim::Slice { .. } if *dim == whole(width) => part.clone(),
            Dim::Fix(_) | Dim::Slice { .. } => dim.clone(),
        });
        dims.collect()
    }
}

fn whole(size: Atom) -> Dim {
    Dim::Slice { start: Atom::i64(0), len: size, stride: Atom::i64(1) }
}

fn index_params(count: usize) -> Vec<(ecow::EcoString, Type)> {
    vec![("i".into(), Type::I64); count]
}

/// A statement by other names.
fn again(b: &mut Builder<'_>, stm: &Stm, names: &mut Subst) {
    let mut again = copy_stm(stm, b.vars_mut());
    subst_stm(&mut again, b.vars_mut(), names);
    names.extend(stm.pat.iter().copied().zip(again.pat.iter().map(|var| Atom::Var(*var))));
    b.push(again);
}
