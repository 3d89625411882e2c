//! The code of an accumulation without accumulators, which yields something for each contribution, or for each loop, in
//! their place.
//!
//! ```text
//! acc = loop (acc = acc, s = 1) for k < n do (update_acc acc [s] v, s * 2)
//! ==>
//! places = loop (places = scratch n, s = 1) for k < n do (places with [k] = s, s * 2)
//! ```
//!
//! What the function of a map yields is an array of that; what a branch that is not taken yields is a place outside of
//! all arrays. Of a loop there is an array as well: if the number of iterations differs, one with room for as many as
//! there are at most, of which the rest are places outside. How many there are, the same code says in another form: it
//! yields the number of iterations of each such loop, or the most of them, if the loop is in a map or in another loop.

use crate::differentiate::activity::Set;
use crate::differentiate::num::{binary, identity, whole};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, prim_of};
use fehu_ir::free::free_in_stm;
use fehu_ir::{
    Atom, BinOp, Body, Dim, Exp, Lambda, LoopForm, LoopParam, Red, Scalar, Screma, Stm, Type, Var,
};

/// What is yielded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted<'a> {
    /// The indices of each contribution; these are the lengths of the arrays that loops yield.
    Places(&'a [Atom]),
    /// The number of iterations of each loop whose number differs.
    Trips,
}

/// The code that yields it.
pub(super) struct Code<'a, 'v> {
    pub(super) b: &'a mut Builder<'v>,
    /// The accumulator.
    pub(super) cert: Var,
    pub(super) wanted: Wanted<'a>,
    /// For each loop with contributions, in the order in which they are found from outside, its number of iterations if
    /// that is known.
    pub(super) loops: &'a [Option<Atom>],
    /// How many of them have been met.
    pub(super) met: usize,
}

impl Code<'_, '_> {
    /// The body without accumulators, with those of its results that `keeps` knows, and after them what is wanted.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others contribute nothing")]
    pub(super) fn body(&mut self, body: Body, keeps: &dyn Fn(usize) -> bool) -> Body {
        let mut yields: Vec<Atom> = Vec::new();
        let mut out: Vec<Stm> = Vec::with_capacity(body.stms.len());
        for mut stm in body.stms {
            let kept: Vec<bool> =
                stm.pat.iter().map(|var| !matches!(self.b.ty(*var), Type::Acc(_))).collect();
            if kept.iter().all(|kept| *kept) {
                out.push(stm);
                continue;
            }
            let mut number = kept.iter();
            let mut pat = std::mem::take(&mut stm.pat);
            pat.retain(|_| *number.next().unwrap_or(&true));
            stm.pat = pat;
            let made = match stm.exp.clone() {
                Exp::UpdateAcc(acc, places, _) => {
                    if self.is_ours(acc) && self.wanted != Wanted::Trips {
                        yields.extend(places);
                    }
                    continue;
                }
                Exp::Screma(op) => self.map(stm, *op, &kept, &mut out),
                Exp::If(..) | Exp::Switch(..) => self.branch(stm, &kept, &mut out),
                Exp::Loop(params, form, body) => {
                    self.repeat(stm, (params, form, *body), &kept, &mut out)
                }
                _ => continue,
            };
            yields.extend(made);
        }
        let results = body.results.into_iter().enumerate().filter(|(at, _)| keeps(*at));
        let results = results.map(|(_, result)| result).chain(yields).collect();
        Body { stms: out, results }
    }

    fn is_ours(&self, acc: Var) -> bool {
        is_acc_of(self.b, acc, self.cert)
    }

    fn is_acc(&self, var: Var) -> bool {
        matches!(self.b.ty(var), Type::Acc(_))
    }

    /// A map; what its function yields is in arrays.
    fn map(&mut self, mut stm: Stm, op: Screma, kept: &[bool], out: &mut Vec<Stm>) -> Vec<Atom> {
        // What is folded comes first, both of the results and of those of the function.
        let body = self.body(op.map.body, &|at| kept[at]);
        let inputs = op.inputs.into_iter().zip(op.map.params);
        let inputs = inputs.filter(|(input, _)| !self.is_acc(*input));
        let (inputs, params): (Vec<Var>, Vec<Var>) = inputs.unzip();
        let ret: Vec<Type> = body.results.iter().map(|atom| self.b.atom_ty(*atom)).collect();
        let mut new: Vec<Var> = Vec::new();
        for ty in &ret[stm.pat.len()..] {
            let ty = ty.array_of(op.width).unwrap_or_else(|| ty.clone());
            new.push(self.b.param("place", ty));
        }
        let map = Lambda { params, body, ret };
        let (width, scans, reds) = (op.width, op.scans, op.reds);
        stm.exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        stm.pat.extend(&new);
        out.push(stm);
        match self.wanted {
            Wanted::Places(_) => new.into_iter().map(Atom::Var).collect(),
            Wanted::Trips => {
                let mut after = Builder::new(self.b.vars_mut());
                let most = new.into_iter().map(|trips| largest(&mut after, trips)).collect();
                out.extend(after.finish(Vec::new()).stms);
                most
            }
        }
    }

    /// A branch; the bodies that are not taken yield nothing.
    fn branch(&mut self, mut stm: Stm, kept: &[bool], out: &mut Vec<Stm>) -> Vec<Atom> {
        let plain = stm.pat.len();
        let mut bodies = Vec::new();
        stm.exp.for_each_body(&mut |body| bodies.push(body.clone()));
        let mut bodies: Vec<Body> =
            bodies.into_iter().map(|body| self.body(body, &|at| kept[at])).collect();
        let all: Vec<Vec<Atom>> =
            bodies.iter_mut().map(|body| body.results.split_off(plain)).collect();
        let mut new = Vec::new();
        for (from, yields) in all.iter().enumerate() {
            for atom in yields {
                let ty = self.b.atom_ty(*atom);
                new.push(self.b.param("place", ty.clone()));
                for (number, body) in bodies.iter_mut().enumerate() {
                    let result = if number == from { *atom } else { self.nothing(&ty, body) };
                    body.results.push(result);
                }
            }
        }
        let mut bodies = bodies.into_iter();
        stm.exp.map_bodies(&mut |body| *body = bodies.next().or_bug("body of a branch"));
        stm.pat.extend(&new);
        out.push(stm);
        new.into_iter().map(Atom::Var).collect()
    }

    /// What is yielded where there is no contribution and no loop, made in the body.
    fn nothing(&mut self, ty: &Type, body: &mut Body) -> Atom {
        match self.wanted {
            Wanted::Trips => 0.into(),
            Wanted::Places(_) if ty.is_array() => {
                let places = self.b.param("nowhere", ty.clone());
                body.stms.push(Stm::new(vec![places], nowhere(ty)));
                places.into()
            }
            Wanted::Places(_) => NOWHERE,
        }
    }

    /// A loop; what its body yields is in arrays, or the most of it.
    fn repeat(
        &mut self,
        mut stm: Stm,
        (mut params, form, body): (Vec<LoopParam>, LoopForm, Body),
        kept: &[bool],
        out: &mut Vec<Stm>,
    ) -> Vec<Atom> {
        let number = params.iter().any(|param| self.is_ours(param.var)).then(|| {
            self.met += 1;
            self.met - 1
        });
        let is_known = number.is_none_or(|number| self.loops[number].is_some());
        let plain = stm.pat.len();
        let Body { stms, mut results } = self.body(body, &|at| kept[at]);
        let inside = results.split_off(plain);
        params.retain(|param| !self.is_acc(param.var));
        let mut before = Builder::new(self.b.vars_mut());
        let mut yields: Vec<Atom> = Vec::new();
        // Which iteration it is.
        let counter = match form {
            LoopForm::For(counter, bound) => {
                if !is_known && self.wanted == Wanted::Trips {
                    yields.push(trips(&mut before, bound));
                }
                counter
            }
            LoopForm::While(_) => {
                let number = before.param("i", Type::I64);
                params.push(LoopParam { var: number, init: 0.into() });
                let count = before.param("count", Type::I64);
                stm.pat.push(count);
                let is_asked = self.wanted == Wanted::Trips && !is_known;
                yields.extend(is_asked.then_some(Atom::Var(count)));
                number
            }
        };
        let mut states = Vec::with_capacity(inside.len());
        for atom in &inside {
            let (ty, init) = match self.wanted {
                Wanted::Trips => (Type::I64, 0.into()),
                Wanted::Places(lengths) => {
                    let number = number.or_bug("loop with contributions");
                    let ty = before.atom_ty(*atom).array_of(lengths[number]);
                    let ty = ty.or_bug("array of places");
                    let all = Exp::Scratch(Prim::I64.into(), ty.shape().to_vec());
                    // Each place has been written after a known number of iterations.
                    let all = if is_known { all } else { nowhere(&ty) };
                    (ty, before.exp("places", all).into())
                }
            };
            let state = before.param("places", ty.clone());
            params.push(LoopParam { var: state, init });
            states.push(state);
            let after = before.param("places", ty);
            stm.pat.push(after);
            yields.push(after.into());
        }
        out.extend(before.finish(Vec::new()).stms);
        let mut inner = Builder::new(self.b.vars_mut());
        stms.into_iter().for_each(|stm| inner.push(stm));
        if matches!(form, LoopForm::While(_)) {
            results.push(binary(&mut inner, BinOp::Add, counter.into(), 1.into()));
        }
        for (atom, state) in inside.into_iter().zip(states) {
            results.push(match self.wanted {
                Wanted::Trips => binary(&mut inner, BinOp::Max, state.into(), atom),
                Wanted::Places(_) => {
                    let at = wide(&mut inner, counter.into());
                    let rest = inner.atom_ty(atom).shape().to_vec();
                    let dims = [Dim::Fix(at)].into_iter().chain(rest.into_iter().map(whole));
                    inner.exp("places", Exp::Update(state, dims.collect(), atom)).into()
                }
            });
        }
        stm.exp = Exp::Loop(params, form, Box::new(inner.finish(results)));
        out.push(stm);
        yields
    }
}

/// An index outside of all arrays.
const NOWHERE: Atom = Atom::Const(Scalar::I64(-1));

fn nowhere(ty: &Type) -> Exp {
    Exp::Replicate(ty.shape().to_vec(), NOWHERE)
}

/// Whether a variable is an accumulator of this type.
pub(super) fn is_acc_of(b: &Builder<'_>, var: Var, cert: Var) -> bool {
    *b.ty(var) == Type::Acc(cert)
}

/// How often a loop with such a bound is repeated.
pub(super) fn trips(b: &mut Builder<'_>, bound: Atom) -> Atom {
    let bound = wide(b, bound);
    binary(b, BinOp::Max, bound, 0.into())
}

/// An integer of any type as an index.
fn wide(b: &mut Builder<'_>, number: Atom) -> Atom {
    match prim_of(&b.atom_ty(number)) {
        Some(Prim::I64) => number,
        _ => b.exp("i", Exp::Convert(Prim::I64, number)).into(),
    }
}

/// The largest of some numbers, or zero.
fn largest(b: &mut Builder<'_>, numbers: Var) -> Atom {
    let width = b.ty(numbers).shape()[0];
    let op = b.lambda(
        vec![("x".into(), Type::I64), ("y".into(), Type::I64)],
        vec![Type::I64],
        |b, args| vec![binary(b, BinOp::Max, args[0].into(), args[1].into())],
    );
    let map = identity(b, &[Type::I64]);
    let reds = vec![Red { op, neutral: vec![0.into()], commutative: true }];
    let screma = Screma { width, inputs: vec![numbers], map, scans: Vec::new(), reds };
    b.typed("most", Type::I64, Exp::Screma(Box::new(screma))).into()
}

/// Removes what the results do not need, checks included: the accumulation makes them.
pub(super) fn only_live(b: &Builder<'_>, body: &mut Body) {
    let mut live: Set = body.results.iter().filter_map(|atom| atom.var()).collect();
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
        if stm.pat.iter().any(|var| live.contains(var)) {
            stm.exp.map_bodies(&mut |body| only_live(b, body));
            live.extend(free_in_stm(&stm, b.vars()));
            out.push(stm);
        }
    }
    out.reverse();
    body.stms = out;
}
