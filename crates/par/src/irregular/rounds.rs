//! `grid_rounds`: long loops of scalars that end sooner at some positions than at others.
//!
//! A thread of a device that has left a loop waits for those that execute the same instructions. So the positions of a map
//! do not have all of their iterations at once, if these may be many: after some, those that have not had their last are
//! selected, and go on alone, with more iterations in each round.
//!
//! ```text
//! rs = map (\x -> loop s = init x while go s do step s) xs
//! ==>
//! if there are enough positions, and may be so many iterations
//! then (rs, states) = map (\x -> at most 1024 iterations) xs
//!      loop (rs, states of the active positions) while there are any
//!        states = map (\s -> at most so many iterations) states
//!        scatter the states to rs; filter those that are still active
//! else rs = the map as it was
//! ```
//!
//! To find out whether anybody is left, the host has to wait. This is worth it only if the loop is known to count, up
//! to a number that the host knows and that is large; and it is not done in a loop of the host.

use super::ops::BOOL;
use super::rows::coordinates;
use super::space::{array_of, whole};
use crate::distribute::only_outer;
use crate::is_sequential;
use ecow::{EcoString, eco_format};
use fehu_base::{IdVec, OrBug, Prim, bug};
use fehu_facts::{Effects, Labels, cost};
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::subst::{copy_lambda, copy_stm};
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Elem, Exp, Item, Lambda, LoopForm, LoopParam, Partition, Prog,
    Red, Scalar, Scatter, Screma, Stm, Type, Var, VarInfo,
};

/// This many positions are enough, unless the user says something else: fewer do not keep a device busy, whoever waits.
const ENOUGH: i64 = 1 << 15;
/// Loops that end sooner are not worth the wait.
const LONG: i64 = 1 << 13;
/// The iterations of the first round. On an H200, no loop does as many in less time than it takes to select positions.
const FIRST: i64 = 1 << 10;
/// A round has so many times the iterations of the one before.
const MORE: i64 = 4;
/// More iterations than anybody waits for.
const ALL: i64 = 1 << 60;

/// The pass. Nothing may be fused after it: a map that counts who is left beside its iterations has fewer threads for these.
pub const GRID_ROUNDS: Pass = Pass {
    name: "grid_rounds",
    about: "executes long loops that end sooner at some positions than at others in rounds, for devices",
    run,
};

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let effects = Effects::of(prog);
    let inside = crate::chunks::called_inside(prog);
    for item in prog.items() {
        if matches!(item, Item::Fun(id) if inside.contains(&id)) {
            continue;
        }
        let name = prog.known_name(item).clone();
        prog.change(item, |_, vars, body| {
            Host { effects: &effects, vars, remarks, name, number: 0 }.body(body);
        });
    }
}

/// The code outside of all operators, and of loops.
struct Host<'a> {
    effects: &'a Effects,
    vars: &'a mut IdVec<Var, VarInfo>,
    remarks: &'a mut Remarks,
    /// The name of the function or entry point, after which parameters are named, and how many there are.
    name: EcoString,
    number: usize,
}

impl Host<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others contain no such host code")]
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            let one_thread = is_sequential(&stm) || only_outer(&stm);
            match &mut stm.exp {
                Exp::Screma(_) if !one_thread => {
                    body.stms.extend(self.map(stm));
                    continue;
                }
                Exp::If(..) | Exp::Switch(..) | Exp::WithAcc(..) => {
                    stm.exp.map_bodies(&mut |body| self.body(body));
                }
                _ => {}
            }
            body.stms.push(stm);
        }
    }

    fn map(&mut self, stm: Stm) -> Vec<Stm> {
        let Exp::Screma(op) = &stm.exp else { return vec![stm] };
        let labels = Labels::of_map(&op.map, self.vars);
        let Some(nest) = Nest::of(&stm, &labels, self.effects, self.vars) else { return vec![stm] };
        let name = eco_format!("{}.suff_rounds_{}", self.name, self.number);
        self.number += 1;
        let stms = versions(&stm, &nest, name, self.vars);
        let text = "executed in rounds if there are enough positions: those whose loop has ended do not keep others waiting";
        self.remarks.add(GRID_ROUNDS.name, RemarkKind::Done, stm.loc.as_ref(), None, text);
        stms
    }
}

/// A map, or maps inside of maps, around a loop.
struct Nest<'a> {
    levels: Vec<Level<'a>>,
    looped: &'a Stm,
    params: &'a [LoopParam],
    body: &'a Body,
    /// The number of the parameter that says whether there is another iteration.
    cond: usize,
    counts: Counts,
    /// What follows the loop, and the results of the innermost map.
    after: &'a [Stm],
    results: &'a [Atom],
}

/// How a loop counts.
struct Counts {
    /// The number of the parameter that counts, up to this number.
    number: usize,
    limit: Atom,
    /// How it is compared with that.
    op: CmpOp,
    /// The other conditions that have to hold for another iteration.
    others: Vec<Atom>,
}

struct Level<'a> {
    op: &'a Screma,
    before: &'a [Stm],
}

impl Nest<'_> {
    /// The nest that a statement is, if rounds may be worth it.
    fn of<'a>(
        stm: &'a Stm,
        labels: &Labels,
        effects: &Effects,
        vars: &IdVec<Var, VarInfo>,
    ) -> Option<Nest<'a>> {
        let mut levels = Vec::new();
        let mut stm = stm;
        let (op, at) = loop {
            let Exp::Screma(op) = &stm.exp else { return None };
            let plain = op.folded() == 0 && !is_sequential(stm) && labels.is_avoided(op.width);
            if !plain || op.inputs.iter().any(|input| !vars[*input].ty.is_array()) {
                return None;
            }
            let stms = &op.map.body.stms;
            if let Some(at) = stms.iter().position(|stm| matches!(stm.exp, Exp::Loop(..))) {
                break (op, at);
            }
            let (inner, before) = stms.split_last()?;
            let results: Vec<Atom> = inner.pat.iter().map(|var| Atom::Var(*var)).collect();
            if results != op.map.body.results {
                return None;
            }
            levels.push(Level { op, before });
            stm = inner;
        };
        let stms = &op.map.body.stms;
        let looped = &stms[at];
        levels.push(Level { op, before: &stms[..at] });
        let Exp::Loop(params, LoopForm::While(go), body) = &looped.exp else { return None };
        let cond = params.iter().position(|param| param.var == *go)?;
        let counts = counts(params, body, body.results[cond], labels)?;
        let (after, results) = (&stms[at + 1..], op.map.body.results.as_slice());
        let is_scalar = |ty: &Type| matches!(ty, Type::Scalar(Elem::Prim(_)));
        let cheap = |stm: &Stm| cost::weigh_stm(stm, vars).is_some();
        let fits = params.iter().all(|param| is_scalar(&vars[param.var].ty))
            && op.map.ret.iter().all(is_scalar)
            && levels.iter().all(|level| level.before.iter().all(cheap))
            && after.iter().all(cheap)
            && !has_operators(body)
            && !levels.iter().any(|level| effects.body(&level.op.map.body));
        fits.then_some(Nest { levels, looped, params, body, cond, counts, after, results })
    }

    fn widths(&self) -> Vec<Atom> {
        self.levels.iter().map(|level| level.op.width).collect()
    }

    /// The parameters that have a state, which the condition needs not.
    fn states(&self) -> impl Iterator<Item = usize> {
        let cond = self.cond;
        (0..self.params.len()).filter(move |k| *k != cond)
    }

    /// The loop, from these values on, with at most so many iterations: it counts up to a number that may be smaller.
    /// Whether there is another iteration is then what its other conditions say, and whether it has counted as far as
    /// it should.
    fn bounded(&self, init: impl Fn(usize) -> Atom, bound: Atom, b: &mut Builder<'_>) {
        let Counts { number, limit, op, others } = &self.counts;
        let stop = b.exp("stop", Exp::Convert(Prim::I64, init(*number)));
        let stop = b.exp("stop", Exp::BinOp(BinOp::Add, stop.into(), bound));
        let most = b.exp("most", Exp::Convert(Prim::I64, *limit));
        let stop = b.exp("stop", Exp::BinOp(BinOp::Min, stop.into(), most.into()));
        let Type::Scalar(Elem::Prim(prim)) = b.atom_ty(*limit) else { bug("what a loop counts") };
        let stop = b.exp("stop", Exp::Convert(prim, stop.into()));
        let mut params: Vec<LoopParam> = (self.params.iter().enumerate())
            .map(|(k, param)| LoopParam { var: param.var, init: init(k) })
            .collect();
        params.push(LoopParam { var: b.param("others", BOOL), init: init(self.cond) });
        let body = b.body(|b| {
            self.body.stms.iter().for_each(|stm| b.push(stm.clone()));
            let mut results = self.body.results.clone();
            let both = |b: &mut Builder<'_>, a, other| {
                Atom::Var(b.exp("hold", Exp::BinOp(BinOp::And, a, other)))
            };
            let hold = others.iter().copied().reduce(|a, other| both(b, a, other));
            let hold = hold.unwrap_or(Atom::bool(true));
            let less = b.exp("less", Exp::CmpOp(*op, results[*number], stop.into()));
            results[self.cond] = both(b, hold, less.into());
            results.push(hold);
            results
        });
        let mut pat = self.looped.pat.clone();
        let still = std::mem::replace(&mut pat[self.cond], b.param("go", BOOL));
        let hold = b.param("others", BOOL);
        pat.push(hold);
        let go = LoopForm::While(self.params[self.cond].var);
        let counted = Atom::Var(pat[*number]);
        b.push(Stm { pat, exp: Exp::Loop(params, go, Box::new(body)), ..self.looped.clone() });
        let less = b.exp("less", Exp::CmpOp(*op, counted, *limit));
        b.push(Stm::new(vec![still], Exp::BinOp(BinOp::And, hold.into(), less.into())));
    }

    /// What follows a round: the results, if it was the last; the states, if it was not; and whether it was not.
    fn found(&self, b: &mut Builder<'_>) -> Vec<Atom> {
        let still = Atom::Var(self.looped.pat[self.cond]);
        let mut found = self.results.to_vec();
        if !self.after.is_empty() {
            let types: Vec<Type> = self.results.iter().map(|atom| b.atom_ty(*atom)).collect();
            let zeros = types.iter().map(|ty| match ty {
                Type::Scalar(Elem::Prim(prim)) => Atom::Const(Scalar::zero(*prim)),
                Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => {
                    Atom::Const(Scalar::Unit)
                }
            });
            let none = Body::of(zeros.collect());
            let last = Body { stms: self.after.to_vec(), results: self.results.to_vec() };
            let exp = Exp::If(still, Box::new([none, last]));
            found = b.several("r", types, exp).into_iter().map(Atom::Var).collect();
        }
        found.extend(self.states().map(|k| Atom::Var(self.looped.pat[k])));
        found.push(still);
        found
    }

    fn found_types(&self, vars: &IdVec<Var, VarInfo>) -> Vec<Type> {
        let mut types: Vec<Type> = self.results.iter().map(|atom| atom_type(*atom, vars)).collect();
        types.extend(self.states().map(|k| vars[self.looped.pat[k]].ty.clone()));
        types.push(BOOL);
        types
    }
}

/// How a loop counts, if it goes on only as long as it has not reached a number that the host knows.
#[expect(clippy::wildcard_enum_match_arm, reason = "other conditions do not count")]
fn counts(params: &[LoopParam], body: &Body, cond: Atom, labels: &Labels) -> Option<Counts> {
    let defined = |atom: Atom| {
        let var = atom.var()?;
        body.stms.iter().find(|stm| stm.pat == [var]).map(|stm| &stm.exp)
    };
    match defined(cond)? {
        Exp::BinOp(BinOp::And, a, b) => {
            let either = counts(params, body, *a, labels).map(|counts| (counts, *b));
            let either =
                either.or_else(|| counts(params, body, *b, labels).map(|counts| (counts, *a)));
            let (mut counts, other) = either?;
            counts.others.push(other);
            Some(counts)
        }
        Exp::CmpOp(op @ (CmpOp::Lt | CmpOp::Le), next, limit) => {
            let Some(Exp::BinOp(BinOp::Add, counter, Atom::Const(step))) = defined(*next) else {
                return None;
            };
            let number = params.iter().position(|param| Atom::Var(param.var) == *counter)?;
            let is_next = body.results[number] == *next && Scalar::bits(*step) == 1;
            let counts = Counts { number, limit: *limit, op: *op, others: Vec::new() };
            (is_next && labels.is_avoided(*limit)).then_some(counts)
        }
        _ => None,
    }
}

fn has_operators(body: &Body) -> bool {
    struct Look(bool);
    impl Visit for Look {
        fn exp(&mut self, exp: &Exp) {
            self.0 |= exp.operator().is_some();
            walk_exp(self, exp);
        }
    }
    let mut look = Look(false);
    look.body(body);
    look.0
}

/// Both versions, which bind what the statement binds.
fn versions(
    stm: &Stm,
    nest: &Nest<'_>,
    name: EcoString,
    vars: &mut IdVec<Var, VarInfo>,
) -> Vec<Stm> {
    let map = copy_stm(stm, vars);
    let mut b = Builder::new(vars);
    let mut positions = Atom::i64(1);
    for width in nest.widths() {
        positions = b.exp("positions", Exp::BinOp(BinOp::Mul, positions, width)).into();
    }
    let limit = b.exp("limit", Exp::Convert(Prim::I64, nest.counts.limit));
    let long = b.exp("long", Exp::CmpOp(CmpOp::Le, Atom::i64(LONG), limit.into()));
    let bodies = [positions, Atom::i64(0)].map(|count| Body::of(vec![count]));
    let count = b.typed("count", Type::I64, Exp::If(long.into(), Box::new(bodies)));
    let least = b.exp("least", Exp::Tuning(name, Atom::i64(ENOUGH)));
    let enough = b.exp("enough", Exp::CmpOp(CmpOp::Le, least.into(), count.into()));
    let types: Vec<Type> = stm.pat.iter().map(|var| b.ty(*var).clone()).collect();
    let in_rounds = b.body(|b| {
        let mut rounds = Rounds { nest, positions, least: least.into(), types: &types, b };
        rounds.all(stm)
    });
    let results = map.pat.iter().map(|var| Atom::Var(*var)).collect();
    let as_it_was = Body { stms: vec![map], results };
    let exp = Exp::If(enough.into(), Box::new([in_rounds, as_it_was]));
    b.push(Stm { loc: stm.loc.clone(), ..Stm::new(stm.pat.clone(), exp) });
    let mut stms = b.finish(Vec::new()).stms;
    stms.iter_mut().for_each(|made| made.certs.clone_from(&stm.certs));
    stms
}

/// The code of the host.
struct Rounds<'a, 'b, 'c> {
    nest: &'a Nest<'a>,
    positions: Atom,
    /// With fewer positions, there are no more rounds.
    least: Atom,
    /// Of the map's results.
    types: &'a [Type],
    b: &'b mut Builder<'c>,
}

impl Rounds<'_, '_, '_> {
    fn all(&mut self, stm: &Stm) -> Vec<Atom> {
        let nest = self.nest;
        let first = self.b.exp("first", Exp::BinOp(BinOp::Min, self.least, Atom::i64(FIRST)));
        let first = self.b.exp("first", Exp::BinOp(BinOp::Max, first.into(), Atom::i64(1)));
        let mut found = self.first_round(stm, first.into());
        let still = found.pop().or_bug("whether a position is active");
        let states = found.split_off(nest.results.len());
        let still = self.flat(still);
        let left = self.count(still, self.positions);
        let any = self.b.exp("any", Exp::CmpOp(CmpOp::Lt, Atom::i64(0), left));
        let (positions, least, types) = (self.positions, self.least, self.types);
        let more = self.b.body(|b| {
            let mut rest = Rounds { nest, positions, least, types, b };
            let states: Vec<Var> = states.iter().map(|array| rest.flat(*array)).collect();
            let results: Vec<Var> = found.iter().map(|array| rest.flat(*array)).collect();
            let iota = Exp::Iota(Prim::I64, positions, Atom::i64(0), Atom::i64(1));
            let order = rest.b.exp("order", iota);
            let arrays = [&[order][..], &states].concat();
            let arrays = rest.active(still, &arrays, positions, left);
            let results = rest.others(results, arrays, left, first.into());
            let results = results.into_iter().zip(types).map(|(array, ty)| {
                let exp = Exp::Reshape(array, ty.shape().to_vec());
                Atom::Var(rest.b.typed("r", ty.clone(), exp))
            });
            results.collect()
        });
        let done = Body::of(found.iter().map(|array| Atom::Var(*array)).collect());
        let exp = Exp::If(any.into(), Box::new([more, done]));
        self.b.several("r", types.to_vec(), exp).into_iter().map(Atom::Var).collect()
    }

    /// The nest as it was, with a bound on the iterations.
    fn first_round(&mut self, stm: &Stm, bound: Atom) -> Vec<Var> {
        let nest = self.nest;
        let mut body = self.b.body(|b| {
            nest.bounded(|k| nest.params[k].init, bound, b);
            nest.found(b)
        });
        let mut types = nest.found_types(self.b.vars());
        let mut pat = Vec::new();
        for Level { op, before } in nest.levels.iter().rev() {
            body.stms.splice(0..0, before.iter().cloned());
            let map = Lambda { params: op.map.params.clone(), body, ret: types.clone() };
            types = types.iter().map(|ty| array_of(ty, op.width)).collect();
            pat = types.iter().map(|ty| self.b.param("found", ty.clone())).collect();
            let exp = Exp::Screma(Box::new(Screma { map, ..(*op).clone() }));
            let results = pat.iter().map(|var| Atom::Var(*var)).collect();
            body = Body { stms: vec![Stm { pat: pat.clone(), exp, ..stm.clone() }], results };
        }
        for stm in body.stms {
            self.copied(stm);
        }
        pat
    }

    /// Adds a statement, with copies of the variables that are bound inside of it.
    fn copied(&mut self, mut stm: Stm) {
        if let Exp::Screma(op) = &mut stm.exp {
            op.map = copy_lambda(&op.map, self.b.vars_mut());
        }
        self.b.push(stm);
    }

    /// An array of all positions, with one dimension.
    fn flat(&mut self, array: Var) -> Var {
        self.b.exp("flat", Exp::Reshape(array, vec![self.positions]))
    }

    /// How many of some conditions hold.
    fn count(&mut self, conds: Var, width: Atom) -> Atom {
        let map = self.b.lambda(vec![("cond".into(), BOOL)], vec![Type::I64], |b, of| {
            vec![b.exp("one", Exp::Convert(Prim::I64, of[0].into())).into()]
        });
        let params = vec![("a".into(), Type::I64), ("b".into(), Type::I64)];
        let op = self.b.lambda(params, vec![Type::I64], |b, of| {
            vec![b.exp("sum", Exp::BinOp(BinOp::Add, of[0].into(), of[1].into())).into()]
        });
        let reds = vec![Red { op, neutral: vec![Atom::i64(0)], commutative: true }];
        let op = Screma { width, inputs: vec![conds], map, scans: Vec::new(), reds };
        self.b.typed("left", Type::I64, Exp::Screma(Box::new(op))).into()
    }

    /// What arrays have at those positions that are active, of which there are so many.
    fn active(&mut self, still: Var, arrays: &[Var], width: Atom, left: Atom) -> Vec<Var> {
        let elems: Vec<Type> =
            arrays.iter().map(|array| self.b.ty(*array).row().or_bug("an array")).collect();
        let mut params = vec![("still".into(), BOOL)];
        params.extend(elems.iter().map(|ty| ("x".into(), ty.clone())));
        let ret = [vec![Type::I64], elems.clone()].concat();
        let map = self.b.lambda(params, ret, |b, of| {
            let bodies = [0, 1].map(|class| Body::of(vec![Atom::i64(class)]));
            let class = b.typed("class", Type::I64, Exp::If(of[0].into(), Box::new(bodies)));
            [class].iter().chain(&of[1..]).map(|var| Atom::Var(*var)).collect()
        });
        let inputs = [&[still], arrays].concat();
        let op = Partition { width, classes: 1, inputs, map };
        let mut types = vec![Type::I64];
        types.extend(elems.iter().map(|ty| array_of(ty, width)));
        let all = self.b.several("active", types, Exp::Partition(Box::new(op)));
        let first = [Dim::Slice { start: Atom::i64(0), len: left, stride: Atom::i64(1) }];
        let slice = |array: &Var| self.b.exp("active", Exp::Index(*array, first.to_vec()));
        all[1..].iter().map(slice).collect()
    }

    /// The rounds after the first. The arrays are the numbers of the positions that are left, and their states.
    fn others(&mut self, results: Vec<Var>, arrays: Vec<Var>, left: Atom, bound: Atom) -> Vec<Var> {
        let nest = self.nest;
        let mut params = Vec::new();
        let mut param = |b: &mut Builder<'_>, hint: &str, ty: Type, init: Atom| {
            let var = b.param(hint, ty);
            params.push(LoopParam { var, init });
            var
        };
        let go = param(self.b, "go", BOOL, Atom::bool(true));
        let count = param(self.b, "count", Type::I64, left);
        let bound = param(self.b, "bound", Type::I64, bound);
        let mut held = Vec::new();
        for array in &arrays {
            let row = self.b.ty(*array).row().or_bug("an array");
            held.push(param(self.b, "active", array_of(&row, count.into()), (*array).into()));
        }
        let mut written = Vec::new();
        for array in &results {
            let ty = self.b.ty(*array).clone();
            written.push(param(self.b, "all", ty, (*array).into()));
        }
        let (positions, least, types) = (self.positions, self.least, self.types);
        let body = self.b.body(|b| {
            let mut round = Rounds { nest, positions, least, types, b };
            let bound = round.b.exp("bound", Exp::BinOp(BinOp::Mul, bound.into(), Atom::i64(MORE)));
            let few = round.b.exp("few", Exp::CmpOp(CmpOp::Lt, count.into(), least));
            let bodies = [Atom::i64(ALL), bound.into()].map(|bound| Body::of(vec![bound]));
            let bound = round.b.typed("bound", Type::I64, Exp::If(few.into(), Box::new(bodies)));
            let found = round.another(&held, count.into(), bound.into());
            let (found, states) = found.split_at(nest.results.len());
            let (still, states) = states.split_last().or_bug("whether a position is active");
            let mut written = written.clone();
            for (all, new) in written.iter_mut().zip(found) {
                *all = round.put(*all, held[0], *new, count.into());
            }
            let left = round.count(*still, count.into());
            let arrays = [&held[..1], states].concat();
            let arrays = round.active(*still, &arrays, count.into(), left);
            let go = round.b.exp("go", Exp::CmpOp(CmpOp::Lt, Atom::i64(0), left));
            let mut next = vec![go.into(), left, Atom::Var(bound)];
            next.extend(arrays.iter().chain(&written).map(|var| Atom::Var(*var)));
            next
        });
        let mut pat = Vec::new();
        for hint in ["go", "count", "bound"] {
            let ty = if hint == "go" { BOOL } else { Type::I64 };
            pat.push(self.b.param(hint, ty));
        }
        for array in &arrays {
            let row = self.b.ty(*array).row().or_bug("an array");
            let ty = array_of(&row, pat[1].into());
            pat.push(self.b.param("active", ty));
        }
        let finals: Vec<Var> = results
            .iter()
            .map(|array| {
                let ty = self.b.ty(*array).clone();
                self.b.param("all", ty)
            })
            .collect();
        pat.extend(&finals);
        self.b.push(Stm::new(pat, Exp::Loop(params, LoopForm::While(go), Box::new(body))));
        finals
    }

    /// One of these rounds.
    fn another(&mut self, held: &[Var], count: Atom, bound: Atom) -> Vec<Var> {
        let nest = self.nest;
        let mut params = vec![("at".into(), Type::I64)];
        params
            .extend(nest.states().map(|k| ("state".into(), self.b.ty(nest.looped.pat[k]).clone())));
        let ret = nest.found_types(self.b.vars());
        let map = self.b.lambda(params, ret.clone(), |b, of| {
            let indices = coordinates(of[0].into(), &nest.widths(), b);
            for (Level { op, before }, index) in nest.levels.iter().zip(indices) {
                for (param, input) in op.map.params.iter().zip(&op.inputs) {
                    let mut dims = vec![Dim::Fix(index)];
                    dims.extend(b.ty(*param).shape().iter().map(|size| whole(*size)));
                    b.push(Stm::new(vec![*param], Exp::Index(*input, dims)));
                }
                before.iter().for_each(|stm| b.push(stm.clone()));
            }
            let states: Vec<usize> = nest.states().collect();
            let init = |k: usize| match states.iter().position(|state| *state == k) {
                Some(number) => Atom::Var(of[1 + number]),
                None => Atom::bool(true),
            };
            nest.bounded(init, bound, b);
            nest.found(b)
        });
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width: count, inputs: held.to_vec(), map, scans, reds };
        let pat: Vec<Var> =
            ret.iter().map(|ty| self.b.param("found", array_of(ty, count))).collect();
        self.copied(Stm::new(pat.clone(), Exp::Screma(Box::new(op))));
        pat
    }

    /// Writes what some positions have to an array of all.
    fn put(&mut self, dest: Var, order: Var, values: Var, count: Atom) -> Var {
        let ty = self.b.ty(dest).clone();
        let row = ty.row().or_bug("an array");
        let params = vec![("at".into(), Type::I64), ("x".into(), row.clone())];
        let map = self.b.lambda(params, vec![Type::I64, row], |_, of| {
            of.iter().map(|var| Atom::Var(*var)).collect()
        });
        let dests = vec![(vec![self.positions], dest)];
        let op = Scatter { width: count, inputs: vec![order, values], map, dests };
        self.b.typed("all", ty, Exp::Scatter(Box::new(op)))
    }
}
