//! Accumulations by operators that do not add, as histograms, which can be differentiated in reverse mode.
//!
//! ```text
//! with_acc ys (*) { map \x -> update_acc acc [i] v }     ==>     is, vs = map \x -> (i, v);  zs = hist (*) ys is vs
//! ```
//!
//! Contributions are recorded where they are made: at each position of a map, in each iteration of a loop that says how
//! often it iterates, and in branches. So they are columns ([`contributions`]): an array of each index, and of each
//! part of the values. What a branch does not contribute is recorded with an index out of bounds, which histograms
//! ignore.
//!
//! If the number of contributions differs from one position or iteration to the next, they are counted first
//! ([`counted`]).

mod contributions;
mod counted;
mod histogram;
mod instead;
mod positions;

use self::contributions::{Contributions, Piece, Plan, size};
use self::counted::counted;
use self::histogram::{columns, histogram};
use super::common::Common;
use super::num::{outer, whole};
use fehu_base::{IdVec, OrBug, Prim};
use fehu_facts::operators::is_sum_after;
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_body, free_in_stm};
use fehu_ir::subst::copy_lambda;
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    AccInput, Atom, Body, Dim, Exp, Lambda, LoopForm, LoopParam, Screma, Stm, Switch, Type, Var,
    VarInfo,
};
use rustc_hash::FxHashMap;

/// Turns what accumulates by other operators than sums into histograms.
pub(super) fn record(body: &mut Body, vars: &mut IdVec<Var, VarInfo>, common: &Common) {
    All { vars, common }.body(body);
}

struct All<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    common: &'a Common,
}

impl VisitMut for All<'_> {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            if let Exp::WithAcc(inputs, lambda) = &stm.exp
                && inputs.iter().any(is_recorded)
            {
                let made = histograms(&stm, inputs, lambda, self.vars);
                let counted = || counted(&stm, inputs, lambda, self.vars, self.common);
                out.extend(made.unwrap_or_else(counted));
            } else {
                out.push(stm);
            }
        }
        body.stms = out;
    }
}

fn is_recorded(input: &AccInput) -> bool {
    input.op.as_ref().is_some_and(|(op, _)| !is_sum_after(op, input.shape.len()))
}

/// An accumulation, with histograms for those of its accumulators that do not add. Nothing if contributions have to be
/// counted.
fn histograms(
    stm: &Stm,
    inputs: &[AccInput],
    lambda: &Lambda,
    vars: &mut IdVec<Var, VarInfo>,
) -> Option<Vec<Stm>> {
    let lambda = copy_lambda(lambda, vars);
    let recorded: Vec<&AccInput> = inputs.iter().filter(|input| is_recorded(input)).collect();
    let certs = lambda.params.iter().zip(inputs).filter(|(_, input)| is_recorded(input));
    let numbers = certs.enumerate().map(|(number, (cert, _))| (*cert, number)).collect();
    let to = recorded.iter().map(|input| Contributions::new(input, columns(input)));
    let mut record = Record { numbers, to: to.collect(), made: Vec::new() };
    record.made = record.nothing();

    let mut b = Builder::new(vars);
    b.set_loc(stm.loc.clone());
    b.set_certs(stm.certs.clone());
    let (mut others, mut results) = (Vec::new(), Vec::new());
    let mut pat = stm.pat.iter().copied();
    for input in inputs {
        let arrays = pat.by_ref().take(input.arrays.len());
        if is_recorded(input) { results.push(arrays.collect()) } else { others.extend(arrays) }
    }
    others.extend(pat);
    let rest: Vec<AccInput> = inputs.iter().filter(|input| !is_recorded(input)).cloned().collect();
    if rest.is_empty() {
        record.stms(&mut b, lambda.body.stms)?;
        for (var, result) in others.iter().zip(&lambda.body.results[inputs.len()..]) {
            b.stm(vec![*var], Exp::Atom(*result));
        }
    } else {
        record.nested(&mut b, others, rest, lambda)?;
    }
    for ((number, input), pat) in recorded.iter().enumerate().zip(results) {
        record.histogram(&mut b, number, input, pat)?;
    }
    Some(b.finish(Vec::new()).stms)
}

struct Record {
    /// The numbers of the accumulators by their certificates.
    numbers: FxHashMap<Var, usize>,
    /// How their contributions are recorded.
    to: Vec<Contributions>,
    /// For each of them, the contributions in this scope so far.
    made: Vec<Vec<Piece>>,
}

/// A body without accumulators among its results, and what it contributes to each of them.
struct Open {
    body: Body,
    made: Vec<Vec<Piece>>,
}

impl Record {
    fn nothing(&self) -> Vec<Vec<Piece>> {
        vec![Vec::new(); self.to.len()]
    }

    fn number(&self, ty: &Type) -> Option<usize> {
        let Type::Acc(cert) = ty else { return None };
        self.numbers.get(cert).copied()
    }

    fn is_other(&self, b: &Builder<'_>, var: Var) -> bool {
        self.number(b.ty(var)).is_none() && !self.numbers.contains_key(&var)
    }

    fn retain_others(&self, b: &Builder<'_>, vars: &mut Vec<Var>) {
        vars.retain(|var| self.is_other(b, *var));
    }

    fn stms(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>) -> Option<()> {
        stms.into_iter().try_for_each(|stm| self.stm(b, stm))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "with others, contributions are counted")]
    fn stm(&mut self, b: &mut Builder<'_>, stm: Stm) -> Option<()> {
        let free = free_in_stm(&stm, b.vars());
        let mut mentioned = free.iter().chain(&stm.pat);
        if mentioned.all(|var| self.is_other(b, *var)) {
            b.push(stm);
            return Some(());
        }
        let before = (b.set_loc(stm.loc.clone()), b.set_certs(stm.certs.clone()));
        let Stm { mut pat, exp, certs, .. } = stm;
        let accumulator = pat.iter().find_map(|var| self.number(b.ty(*var)));
        self.retain_others(b, &mut pat);
        match exp {
            Exp::Atom(_) => {}
            Exp::UpdateAcc(_, indices, values) => {
                let mut row: Vec<Atom> = indices.into_iter().chain(values).collect();
                if !certs.is_empty() {
                    // Nothing is recorded before its checks.
                    row.iter_mut().for_each(|atom| *atom = b.exp("x", Exp::Atom(*atom)).into());
                }
                self.made[accumulator?].push(Piece::One(row));
            }
            Exp::If(cond, bodies) => {
                let exp = |bodies| {
                    let both = <Box<[Body; 2]>>::try_from(bodies).ok();
                    Exp::If(cond, both.or_bug("two branches"))
                };
                self.branches(b, pat, (bodies as Box<[Body]>).into_vec(), exp)?;
            }
            Exp::Switch(of, switch) => {
                let (values, mut bodies): (Vec<_>, Vec<Body>) = switch.cases.into_iter().unzip();
                bodies.push(switch.default);
                let exp = |mut bodies: Vec<Body>| {
                    let default = bodies.pop().or_bug("the default of a switch");
                    let cases = values.into_iter().zip(bodies).collect();
                    Exp::Switch(of, Box::new(Switch { cases, default }))
                };
                self.branches(b, pat, bodies, exp)?;
            }
            Exp::Screma(op) if op.folded() == 0 => self.positions(b, pat, *op)?,
            Exp::Loop(params, LoopForm::For(index, bound), body) => {
                self.iterations(b, pat, params, (index, bound), *body)?;
            }
            Exp::WithAcc(inputs, lambda) => self.nested(b, pat, inputs, *lambda)?,
            _ => return None,
        }
        let (loc, certs) = before;
        b.set_loc(loc);
        b.set_certs(certs);
        Some(())
    }

    fn branches(
        &mut self,
        b: &mut Builder<'_>,
        pat: Vec<Var>,
        bodies: Vec<Body>,
        exp: impl FnOnce(Vec<Body>) -> Exp,
    ) -> Option<()> {
        let inside: Vec<Var> = bodies.iter().flat_map(bound_in_body).collect();
        let open = bodies.into_iter().map(|body| self.open(b, body)).collect::<Option<Vec<_>>>()?;
        let plans = self.plans(b, &open, &inside)?;
        let closed = open.into_iter().enumerate();
        let bodies = closed.map(|(at, open)| self.close(b, open, &plans, at)).collect();
        self.once(b, pat, &plans, exp(bodies));
        Some(())
    }

    /// An accumulation inside of this one, or what is left of it.
    fn nested(
        &mut self,
        b: &mut Builder<'_>,
        pat: Vec<Var>,
        inputs: Vec<AccInput>,
        lambda: Lambda,
    ) -> Option<()> {
        let Lambda { mut params, body, ret } = lambda;
        let inside = bound_in_body(&body);
        self.retain_others(b, &mut params);
        let open = self.open(b, body)?;
        let plans = self.plans(b, std::slice::from_ref(&open), &inside)?;
        let body = self.close(b, open, &plans, 0);
        let ret = self.closed_types(ret, &plans);
        self.once(b, pat, &plans, Exp::WithAcc(inputs, Box::new(Lambda { params, body, ret })));
        Some(())
    }

    fn positions(&mut self, b: &mut Builder<'_>, pat: Vec<Var>, mut op: Screma) -> Option<()> {
        let Lambda { mut params, body, ret } = op.map;
        let inside = [bound_in_body(&body), params.clone()].concat();
        self.retain_others(b, &mut op.inputs);
        self.retain_others(b, &mut params);
        let open = self.open(b, body)?;
        let plans = self.plans(b, std::slice::from_ref(&open), &inside)?;
        let body = self.close(b, open, &plans, 0);
        let ret = self.closed_types(ret, &plans);
        op.map = Lambda { params, body, ret };
        let width = op.width;
        let new = fresh(b, outer(&self.types(&plans), width));
        b.stm([pat, new.clone()].concat(), Exp::Screma(Box::new(op)));
        self.repeated(b, &plans, width, new);
        Some(())
    }

    /// The iterations of a loop, which replace rows of columns.
    fn iterations(
        &mut self,
        b: &mut Builder<'_>,
        pat: Vec<Var>,
        mut params: Vec<LoopParam>,
        (index, bound): (Var, Atom),
        body: Body,
    ) -> Option<()> {
        let mut inside = bound_in_body(&body);
        inside.extend(params.iter().map(|param| param.var).chain([index]));
        params.retain(|param| self.is_other(b, param.var));
        let open = self.open(b, body)?;
        let plans = self.plans(b, std::slice::from_ref(&open), &inside)?;
        let body = self.close(b, open, &plans, 0);
        let times = size(b, bound);
        let types = outer(&self.types(&plans), times);
        let columns = fresh(b, types.clone());
        for (init, var) in self.ignored(b, &plans, times).into_iter().zip(&columns) {
            params.push(LoopParam { var: *var, init });
        }
        let mut inner = Builder::new(b.vars_mut());
        body.stms.into_iter().for_each(|stm| inner.push(stm));
        let (others, rows) = body.results.split_at(body.results.len() - columns.len());
        let mut results = others.to_vec();
        let at = match inner.ty(index) == &Type::I64 {
            true => index,
            false => inner.exp("at", Exp::Convert(Prim::I64, index.into())),
        };
        for (column, row) in columns.iter().zip(rows) {
            let mut dims = vec![Dim::Fix(at.into())];
            dims.extend(inner.ty(*column).shape()[1..].iter().map(|size| whole(*size)));
            let copy = inner.exp("column", Exp::Copy(*column));
            results.push(inner.exp("column", Exp::Update(copy, dims, *row)).into());
        }
        let body = inner.finish(results);
        let new = fresh(b, types);
        let exp = Exp::Loop(params, LoopForm::For(index, bound), Box::new(body));
        b.stm([pat, new.clone()].concat(), exp);
        self.repeated(b, &plans, bound, new);
        Some(())
    }

    /// Rewrites a body. Nothing has been contributed in it before.
    fn open(&mut self, b: &mut Builder<'_>, mut body: Body) -> Option<Open> {
        let nothing = self.nothing();
        let outside = std::mem::replace(&mut self.made, nothing);
        let mut inner = Builder::new(b.vars_mut());
        self.stms(&mut inner, body.stms)?;
        body.results.retain(|result| self.number(&inner.atom_ty(*result)).is_none());
        let body = inner.finish(body.results);
        Some(Open { body, made: std::mem::replace(&mut self.made, outside) })
    }

    /// What bodies, of which one is evaluated, yield for each accumulator. Numbers of contributions must not refer to
    /// what is bound inside.
    fn plans(&self, b: &mut Builder<'_>, bodies: &[Open], inside: &[Var]) -> Option<Vec<Plan>> {
        let numbers = 0..self.to.len();
        let all =
            |number: usize| bodies.iter().map(|open| &open.made[number][..]).collect::<Vec<_>>();
        numbers.map(|number| Plan::of(b, &all(number), inside)).collect()
    }

    /// The body with its contributions as results: the body at this place among several.
    fn close(&self, b: &mut Builder<'_>, open: Open, plans: &[Plan], at: usize) -> Body {
        let mut inner = Builder::new(b.vars_mut());
        open.body.stms.into_iter().for_each(|stm| inner.push(stm));
        let mut results = open.body.results;
        for ((to, plan), made) in self.to.iter().zip(plans).zip(open.made) {
            results.extend(to.joined(&mut inner, plan, made, at));
        }
        inner.finish(results)
    }

    /// The types of contributions as results.
    fn types(&self, plans: &[Plan]) -> Vec<Type> {
        self.to.iter().zip(plans).flat_map(|(to, plan)| to.types(plan)).collect()
    }

    fn closed_types(&self, mut ret: Vec<Type>, plans: &[Plan]) -> Vec<Type> {
        ret.retain(|ty| self.number(ty).is_none());
        ret.extend(self.types(plans));
        ret
    }

    /// Contributions that are not there, so many times.
    fn ignored(&self, b: &mut Builder<'_>, plans: &[Plan], times: Atom) -> Vec<Atom> {
        let all = self.to.iter().zip(plans);
        all.flat_map(|(to, plan)| to.ignored(b, plan, times)).collect()
    }

    /// A statement that evaluates one body, once.
    fn once(&mut self, b: &mut Builder<'_>, pat: Vec<Var>, plans: &[Plan], exp: Exp) {
        let new = fresh(b, self.types(plans));
        b.stm([pat, new.clone()].concat(), exp);
        let mut new = new.into_iter();
        for ((to, plan), made) in self.to.iter().zip(plans).zip(&mut self.made) {
            let columns = new.by_ref().take(to.types(plan).len()).collect();
            made.extend(plan.piece(columns));
        }
    }

    /// The contributions of all positions or iterations, one after the other.
    fn repeated(&mut self, b: &mut Builder<'_>, plans: &[Plan], bound: Atom, new: Vec<Var>) {
        let mut new = new.into_iter();
        for ((to, plan), made) in self.to.iter().zip(plans).zip(&mut self.made) {
            let columns = new.by_ref().take(to.types(plan).len()).collect();
            made.extend(to.flat(b, plan, bound, columns));
        }
    }

    fn histogram(
        &mut self,
        b: &mut Builder<'_>,
        number: usize,
        input: &AccInput,
        pat: Vec<Var>,
    ) -> Option<()> {
        let made = std::mem::take(&mut self.made[number]);
        let plan = Plan::of(b, &[&made], &[])?;
        let (width, inputs) = match &plan {
            Plan::Nothing => {
                for (var, array) in pat.iter().zip(&input.arrays) {
                    b.stm(vec![*var], Exp::Atom((*array).into()));
                }
                return Some(());
            }
            Plan::One => (Atom::i64(1), self.to[number].joined(b, &plan, made, 0)),
            Plan::Many(_, total) => (*total, self.to[number].joined(b, &plan, made, 0)),
        };
        let is_one = matches!(plan, Plan::One);
        let column = |atom: Atom| match atom.var().filter(|_| !is_one) {
            Some(array) => array,
            None => b.exp("column", Exp::Replicate(vec![1.into()], atom)),
        };
        let inputs = inputs.into_iter().map(column).collect();
        histogram(b, pat, input, (width, inputs));
        Some(())
    }
}

fn fresh(b: &mut Builder<'_>, types: Vec<Type>) -> Vec<Var> {
    types.into_iter().map(|ty| b.param("column", ty)).collect()
}
