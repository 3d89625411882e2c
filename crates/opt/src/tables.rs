//! `tables`: functions of operators that walk through small tables of constants are specialised to their elements.
//!
//! ```text
//! vs = map (\d -> xs[i + d]) offsets          offsets = [-1, 120]          ==>          vs = [xs[i - 1], xs[i + 120]]
//! ```
//!
//! What walks through the results, too, and loops that read such a table at their counter are unrolled as well. Then
//! indices are sums of variables and constants, whose checks can be proved, and arrays of results are scalars. Before
//! fusion, because that may move a map into the branches that need it: elements that all of them read are read at once.
//!
//! What the host does with a table stays as it is: it may be worth a kernel.

use crate::unroll::{copy, counters, unroll};
use fehu_base::IdVec;
use fehu_ir::builder::{Builder, count_stms};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::Subst;
use fehu_ir::visit::{Visit, VisitMut, walk_exp, walk_exp_mut, walk_stm_mut};
use fehu_ir::{
    Atom, Body, Const, ConstId, Dim, Elem, Exp, LoopForm, Scalar, Screma, Stm, Type, Var, VarInfo,
};
use rustc_hash::FxHashMap;

/// Longer tables are read.
const LONGEST: usize = 32;
/// The most statements that the walks of a function become.
const MOST_STMS: usize = 1000;

/// The pass.
pub const TABLES: Pass = Pass {
    name: "tables",
    about: "specialises functions of operators to the elements of small tables of constants",
    run: |prog, _: &mut Remarks| {
        let read =
            |item: &Const| item.results.iter().enumerate().map(|(at, _)| table(item, at)).collect();
        let tables: Tables = prog.consts.iter().map(|(id, item)| (id, read(item))).collect();
        if tables.values().flatten().any(Option::is_some) {
            prog.for_each_body(|_, vars, body| {
                let known = FxHashMap::default();
                Walks { vars, tables: &tables, known, is_inside: false, left: MOST_STMS }
                    .body(body);
            });
        }
    },
};

/// The rows of a constant array; those of one dimension are numbers.
type Table = Vec<Row>;

/// For each constant, its values, as far as they are small tables.
type Tables = FxHashMap<ConstId, Vec<Option<Table>>>;

#[derive(Clone)]
enum Row {
    Number(Atom),
    Numbers(Elem, Vec<Atom>),
}

/// The value of a constant at this place, if it is a small table.
fn table(item: &Const, at: usize) -> Option<Table> {
    let elements = |array: Atom| {
        let mut stms = item.body.stms.iter();
        let stm = stms.find(|stm| array.var().is_some_and(|array| stm.pat == [array]))?;
        let Exp::Array(elem, elements) = &stm.exp else { return None };
        Some((*elem, elements.clone()))
    };
    let row = |atom: &Atom| match atom {
        Atom::Const(_) => Some(Row::Number(*atom)),
        Atom::Var(_) => {
            let (elem, numbers) = elements(*atom)?;
            let are_known = numbers.iter().all(|atom| matches!(atom, Atom::Const(_)));
            are_known.then_some(Row::Numbers(elem, numbers))
        }
    };
    let (_, rows) = elements(item.body.results[at])?;
    if rows.len() <= LONGEST { rows.iter().map(row).collect() } else { None }
}

struct Walks<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    tables: &'a Tables,
    /// The variables that are tables.
    known: FxHashMap<Var, Table>,
    /// Whether this is the function of an operator.
    is_inside: bool,
    /// How many statements walks may still become.
    left: usize,
}

impl VisitMut for Walks<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let Exp::Const(id) = &stm.exp {
                let tables = self.tables[id].iter();
                let known = stm
                    .pat
                    .iter()
                    .zip(tables)
                    .filter_map(|(var, table)| Some((*var, table.clone()?)));
                self.known.extend(known);
            }
            walk_stm_mut(self, &mut stm);
            let mut new = Vec::new();
            match self.is_inside && self.walk(&stm, &mut new) {
                true => {
                    self.left = self.left.saturating_sub(new.iter().map(size).sum());
                    new.iter_mut().for_each(|stm| self.read(&mut stm.exp));
                    out.append(&mut new);
                }
                false => out.push(stm),
            }
        }
        body.stms = out;
    }

    fn exp(&mut self, exp: &mut Exp) {
        let before = self.is_inside;
        self.is_inside |= exp.operator().is_some() && !matches!(exp, Exp::WithAcc(..));
        walk_exp_mut(self, exp);
        self.is_inside = before;
        self.read(exp);
    }
}

impl Walks<'_> {
    /// An element that is read at a known index is a number.
    fn read(&self, exp: &mut Exp) {
        let Exp::Index(array, dims) = exp else { return };
        let Some(table) = self.known.get(array) else { return };
        let [Dim::Fix(Atom::Const(Scalar::I64(at))), rest @ ..] = &dims[..] else { return };
        let row = usize::try_from(*at).ok().and_then(|at| table.get(at));
        let value = match (row, rest) {
            (Some(Row::Number(number)), []) => Exp::Atom(*number),
            (Some(Row::Numbers(_, row)), [Dim::Fix(Atom::Const(Scalar::I64(at)))]) => {
                match usize::try_from(*at).ok().and_then(|at| row.get(at)) {
                    Some(number) => Exp::Atom(*number),
                    None => return,
                }
            }
            _ => return,
        };
        *exp = value;
    }

    /// Specialises a statement that walks through a table.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else walks through an array")]
    fn walk(&mut self, stm: &Stm, out: &mut Vec<Stm>) -> bool {
        match &stm.exp {
            Exp::Screma(op) if self.is_walk(op) => {
                self.positions(stm, op, out);
                true
            }
            Exp::Loop(_, LoopForm::For(counter, _), body) => {
                let mut reads = Reads { known: &self.known, counter: *counter, found: false };
                reads.body(body);
                let found = reads.found;
                let few = |counters: &Vec<Scalar>| {
                    counters.len() <= LONGEST && counters.len() * count_stms(body) <= self.left
                };
                match counters(stm, self.vars).ok().filter(few) {
                    Some(counters) if found => {
                        unroll(stm, counters, self.vars, out);
                        true
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn is_walk(&self, op: &Screma) -> bool {
        let scalars = op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        let table = op.inputs.iter().find_map(|input| self.known.get(input));
        let mut straight = Straight(true);
        straight.body(&op.map.body);
        op.reds.iter().for_each(|red| straight.body(&red.op.body));
        let stms = count_stms(&op.map.body)
            + op.reds.iter().map(|red| count_stms(&red.op.body)).sum::<usize>();
        scalars
            && op.scans.is_empty()
            && straight.0
            && table.is_some_and(|table| table.len() * stms.max(1) <= self.left)
    }

    /// The positions of an operator, one after the other.
    fn positions(&mut self, stm: &Stm, op: &Screma, out: &mut Vec<Stm>) {
        let length = op.inputs.iter().find_map(|input| self.known.get(input)).map_or(0, Vec::len);
        let mut sums: Vec<Vec<Atom>> = op.reds.iter().map(|red| red.neutral.clone()).collect();
        let mut columns: Vec<Vec<Atom>> = vec![Vec::new(); op.map.ret.len() - op.folded()];
        for at in 0..length {
            let mut known = Subst::default();
            let mut b = Builder::new(self.vars);
            b.set_loc(stm.loc.clone());
            b.set_certs(stm.certs.clone());
            for (param, input) in op.map.params.iter().zip(&op.inputs) {
                let value = match self.known.get(input).map(|table| &table[at]) {
                    Some(Row::Number(number)) => *number,
                    Some(Row::Numbers(elem, row)) => {
                        b.exp("row", Exp::Array(*elem, row.clone())).into()
                    }
                    None => {
                        let at = Dim::Fix(Atom::i64(at as i64));
                        b.exp("element", Exp::Index(*input, vec![at])).into()
                    }
                };
                known.insert(*param, value);
            }
            out.append(&mut b.finish(Vec::new()).stms);
            let results = copy(known, &op.map.body, &stm.certs, self.vars, out);
            let (mut parts, others) = results.split_at(op.folded());
            for (sum, red) in sums.iter_mut().zip(&op.reds) {
                let (mine, rest) = parts.split_at(sum.len());
                parts = rest;
                let operands = sum.iter().chain(mine).copied();
                let known = red.op.params.iter().copied().zip(operands).collect();
                *sum = copy(known, &red.op.body, &stm.certs, self.vars, out);
            }
            columns.iter_mut().zip(others).for_each(|(column, other)| column.push(*other));
        }
        let (folded, mapped) = stm.pat.split_at(op.folded());
        let sums = folded.iter().zip(sums.into_iter().flatten());
        out.extend(sums.map(|(var, sum)| Stm::new(vec![*var], Exp::Atom(sum))));
        for ((var, ty), column) in mapped.iter().zip(&op.map.ret[op.folded()..]).zip(columns) {
            let Some(elem) = ty.elem() else { continue };
            self.known.insert(*var, column.iter().copied().map(Row::Number).collect());
            out.push(Stm::new(vec![*var], Exp::Array(elem, column)));
        }
    }
}

/// The number of statements that a statement is, with those inside of it.
fn size(stm: &Stm) -> usize {
    let mut size = 1;
    stm.exp.for_each_body(&mut |body| size += count_stms(body));
    size
}

/// Whether a function consists of nothing but operations and branches.
struct Straight(bool);

impl Visit for Straight {
    fn exp(&mut self, exp: &Exp) {
        self.0 &= exp.operator().is_none() && !matches!(exp, Exp::Loop(..) | Exp::UpdateAcc(..));
        walk_exp(self, exp);
    }
}

/// Whether a table is read at the counter of a loop, and otherwise at known indices.
struct Reads<'a> {
    known: &'a FxHashMap<Var, Table>,
    counter: Var,
    found: bool,
}

impl Visit for Reads<'_> {
    fn exp(&mut self, exp: &Exp) {
        if let Exp::Index(array, dims) = exp {
            let is_counter = |dim: &Dim| *dim == Dim::Fix(self.counter.into());
            let is_known = |dim: &Dim| is_counter(dim) || matches!(dim, Dim::Fix(Atom::Const(_)));
            self.found |= self.known.contains_key(array)
                && dims.iter().any(is_counter)
                && dims.iter().all(is_known);
        }
        walk_exp(self, exp);
    }
}
