//! `constants`: constants of the program that are small arrays of numbers are computed at compile time.
//!
//! ```text
//! const offsets = map (\d -> dot d [120, 1]) [[0, 1], [1, 0]]     ==>     const offsets = [1, 120]
//! ```
//!
//! The interpreter computes them, as long as that takes few steps. A constant that fails, or whose size is not known
//! before, stays as it is. Code that walks through such tables can then be specialised ([`crate::tables`]).

use fehu_base::IdVec;
use fehu_interp::{Array, Interp, Options, Value};
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{
    Atom, Body, Const, ConstId, Elem, Exp, Fun, FunId, Prog, Scalar, Stm, Type, Var, VarInfo,
};
use rustc_hash::FxHashSet;

/// Constants with more numbers than this are not written down.
const MOST_NUMBERS: i64 = 256;
/// The most steps of the interpreter for all of them.
const MOST_STEPS: u64 = 1 << 16;
/// The most bytes of an array on the way.
const MOST_BYTES: u64 = 1 << 20;
/// There is no deep recursion.
const STACK_BYTES: usize = 1 << 20;

/// The pass.
pub const CONSTANTS: Pass = Pass {
    name: "constants",
    about: "computes small constant arrays at compile time",
    run: |prog, _: &mut Remarks| {
        let Some((program, calls)) = computation(prog) else { return };
        let options = Options {
            max_steps: Some(MOST_STEPS),
            max_array_bytes: MOST_BYTES,
            stack_bytes: STACK_BYTES,
            ..Options::default()
        };
        let mut interp = Interp::with_options(&program, options);
        let mut left = MOST_STEPS;
        for (id, fun) in calls {
            interp.options_mut().max_steps = Some(left);
            if let Ok(values) = interp.call(fun, Vec::new()) {
                write_down(&mut prog.consts[id], &values);
            }
            left = left.saturating_sub(interp.stats().steps);
        }
    },
};

/// A program with these constants, and functions that have their values.
fn computation(prog: &Prog) -> Option<(Prog, Vec<(ConstId, FunId)>)> {
    let (mut consts, mut funs) = (IdVec::new(), IdVec::new());
    let (mut known, mut calls) = (FxHashSet::default(), Vec::new());
    for (id, item) in prog.consts.iter() {
        let mut content = Content { known: &known, computes: false, is_closed: true };
        content.body(&item.body);
        let Content { computes, is_closed, .. } = content;
        let is_known = is_closed && has_few_numbers(item);
        consts.push(if is_known { item.clone() } else { without_content(item) });
        if is_known && computes {
            calls.push((id, funs.push(reader(item, id))));
        }
        if is_known {
            known.insert(id);
        }
    }
    let program = Prog { consts, funs, entries: Vec::new(), streams: Vec::new(), ..*prog };
    (!calls.is_empty()).then_some((program, calls))
}

/// Whether all that a constant consists of are arrays, of few numbers together.
fn has_few_numbers(item: &Const) -> bool {
    let numbers = item.results.iter().map(|var| numbers(&item.vars[*var].ty));
    numbers.sum::<Option<i64>>().is_some_and(|count| (1..=MOST_NUMBERS).contains(&count))
}

/// The number of numbers of an array whose sizes are known.
fn numbers(ty: &Type) -> Option<i64> {
    let Type::Array(Elem::Prim(_), shape) = ty else { return None };
    let mut count = 1i64;
    for size in shape {
        let Atom::Const(Scalar::I64(size @ 1..)) = size else { return None };
        count = count.checked_mul(*size)?;
    }
    Some(count)
}

/// What is in the body of a constant.
struct Content<'a> {
    known: &'a FxHashSet<ConstId>,
    /// Whether there is more than a table already.
    computes: bool,
    /// Whether it depends on nothing but constants that are known.
    is_closed: bool,
}

impl Visit for Content<'_> {
    fn exp(&mut self, exp: &Exp) {
        self.computes |= !matches!(exp, Exp::Array(..) | Exp::Atom(_));
        let is_outside =
            matches!(exp, Exp::Call(..) | Exp::Trace(..) | Exp::Tuning(..) | Exp::Diff(_));
        let is_unknown = matches!(exp, Exp::Const(id) if !self.known.contains(id));
        self.is_closed &= !is_outside && !is_unknown;
        walk_exp(self, exp);
    }
}

fn without_content(item: &Const) -> Const {
    let (vars, results, body) = (IdVec::new(), Vec::new(), Body::default());
    Const { name: item.name.clone(), vars, results, body }
}

/// A function whose results are the values of a constant.
fn reader(item: &Const, id: ConstId) -> Fun {
    let mut vars: IdVec<Var, VarInfo> = IdVec::new();
    let like = |var: &Var| item.vars[*var].clone();
    let results: Vec<Var> = item.results.iter().map(|var| vars.push(like(var))).collect();
    let pat: Vec<Var> = item.results.iter().map(|var| vars.push(like(var))).collect();
    let values = pat.iter().map(|var| Atom::Var(*var)).collect();
    let body = Body { stms: vec![Stm::new(pat, Exp::Const(id))], results: values };
    let (params, attrs) = (Vec::new(), Vec::new());
    Fun { name: item.name.clone(), vars, params, results, body, attrs, foreign: None }
}

/// Makes tables of the values of a constant.
fn write_down(item: &mut Const, values: &[Value]) {
    let mut b = Builder::new(&mut item.vars);
    let tables = values.iter().map(|value| table(&mut b, value.as_array()?, &mut Vec::new()));
    let Some(tables) = tables.collect::<Option<Vec<Atom>>>() else { return };
    item.body = b.finish(tables);
}

/// The array, or its part at these indices.
fn table(b: &mut Builder<'_>, array: &Array, at: &mut Vec<i64>) -> Option<Atom> {
    let shape = array.shape();
    let Some(size) = shape.get(at.len()) else { return array.get(at).map(Atom::Const) };
    let mut elements = Vec::new();
    for index in 0..*size {
        at.push(index);
        elements.push(table(b, array, at)?);
        at.pop();
    }
    Some(b.exp("table", Exp::Array(array.elem(), elements)).into())
}
