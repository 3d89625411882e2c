//! What functions look like before they are differentiated: no calls, streams and partitions, only operators that do
//! one thing, and nothing that changes in place.
//!
//! ```text
//! (s, ys) = screma n (xs) f, reduce + 0          ts, ys = map f xs;  s = reduce + 0 ts
//! ys = xs with [i] = v                      =>   c = copy xs;  ys = c with [i] = v
//! y = call f (x)                                 the body of f
//! (ys, zs) = map (\x z -> (f x, z)) xs zs         ys = map f xs (zs is the input itself)
//! ```
//!
//! What the positions of an operator inside of another one share is computed before it (`invariant`).
//!
//! A slice of a slice is one slice, if both are taken in the same body: so its adjoint goes to that of the array at once.
//!
//! Where everything that is consumed is a copy, all values are there until the end of their scope, and derivatives can
//! refer to any of them. `simplify` removes the copies that nobody needed.

use super::common::Common;
use super::invariant::Around;
use super::num::{map_exp, outer, whole, zero};
use super::views::seen;
use super::{Refused, Res};
use fehu_base::IdVec;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, import_body, subst_body};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    Atom, Body, CmpOp, Dim, Exp, FunId, Hist, Lambda, Loc, Prog, Red, Scalar, Scan, Scatter,
    Screma, Stm, Stream, StreamForm, Type, Var, VarInfo,
};
use rustc_hash::FxHashMap;

/// Prepares the body of a function that is differentiated.
pub(super) fn prepare(
    body: &mut Body,
    prog: &Prog,
    common: &Common,
    vars: &mut IdVec<Var, VarInfo>,
) -> Res<()> {
    let mut prepare = Prepare { prog, common, vars, around: Around::default(), refused: None };
    prepare.body(body);
    match prepare.refused {
        Some(refused) => Err(refused),
        None => Ok(()),
    }
}

struct Prepare<'a> {
    prog: &'a Prog,
    common: &'a Common,
    vars: &'a mut IdVec<Var, VarInfo>,
    around: Around,
    refused: Option<Refused>,
}

impl VisitMut for Prepare<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            self.stm_into(stm, &mut out);
        }
        one_slice(&mut out, self.vars);
        body.stms = out;
        self.inputs_themselves(body);
    }
}

/// Makes slices of slices slices of arrays, if the first is of whole dimensions. Nothing of it has changed in between.
fn one_slice(stms: &mut [Stm], vars: &IdVec<Var, VarInfo>) {
    let mut known: FxHashMap<Var, (Var, Vec<Dim>, Vec<Var>)> = FxHashMap::default();
    for stm in stms {
        let Exp::Index(array, dims) = &mut stm.exp else { continue };
        let mut all = dims.clone();
        if let Some((base, before, certs)) = known.get(array) {
            let mut inner = std::mem::take(dims).into_iter();
            all = before
                .iter()
                .map(|dim| match dim {
                    Dim::Fix(_) => dim.clone(),
                    Dim::Slice { .. } => inner.next().unwrap_or_else(|| dim.clone()),
                })
                .collect();
            *array = *base;
            dims.clone_from(&all);
            let more = certs.iter().filter(|cert| !stm.certs.contains(cert)).copied();
            stm.certs.extend(more.collect::<Vec<_>>());
        }
        all.extend(vars[*array].ty.shape()[all.len()..].iter().map(|size| whole(*size)));
        let is_whole = |dim: &Dim| match dim {
            Dim::Fix(_) => true,
            Dim::Slice { start, stride, .. } => (*start, *stride) == (0.into(), 1.into()),
        };
        if vars[stm.pat[0]].ty.is_array() && all.iter().all(is_whole) {
            known.insert(stm.pat[0], (*array, all, stm.certs.clone()));
        }
    }
}

impl Prepare<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others stay as they are")]
    fn stm_into(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        match stm.exp {
            Exp::Call(id, args) if !self.common.stays(id) => {
                return self.call(stm.pat, id, args, stm.loc, out);
            }
            Exp::Stream(stream) if !stream.is_pass() => {
                return self.stream(&stm.pat, *stream, stm.loc, out);
            }
            Exp::Partition(_) => {
                let mut only = Body { stms: vec![stm], results: Vec::new() };
                crate::unpartition::host(&mut only, self.vars);
                only.stms.into_iter().for_each(|stm| self.stm_into(stm, out));
                return;
            }
            exp => stm.exp = exp,
        }
        let before = self.around.enter(&stm.exp);
        stm.exp.map_bodies(&mut |body| self.body(body));
        self.around.leave(before);
        if let Exp::Screma(op) = &mut stm.exp {
            out.extend(self.around.take_out(op.width, &mut op.map, self.vars));
        }
        match &mut stm.exp {
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) => self.own(array, out),
            Exp::Call(id, args) => {
                let consumed = self.common.consumed(*id, args, self.vars);
                for index in consumed {
                    if let Atom::Var(array) = &mut args[index] {
                        self.own(array, out);
                    }
                }
            }
            Exp::Scatter(op) => {
                op.dests.iter_mut().for_each(|(_, array)| self.own(array, out));
            }
            Exp::Hist(op) => {
                op.ops.iter_mut().flat_map(|hist| &mut hist.dests).for_each(|a| self.own(a, out));
            }
            Exp::WithAcc(inputs, _) => {
                inputs
                    .iter_mut()
                    .flat_map(|input| &mut input.arrays)
                    .for_each(|a| self.own(a, out));
            }
            _ => {}
        }
        match stm.exp {
            Exp::Screma(op) if op.scans.len() + op.reds.len() > 0 => {
                self.separate(Stm { exp: Exp::Threads, ..stm }, *op, out);
            }
            Exp::Hist(op) => {
                let rest = Stm { exp: Exp::Threads, ..stm };
                let Hist { width, inputs, map, ops } = *op;
                let (inputs, map) = self.values_first(&rest, width, inputs, map, out);
                let exp = Exp::Hist(Box::new(Hist { width, inputs, map, ops }));
                out.push(Stm { exp, ..rest });
            }
            Exp::Scatter(op) => {
                let rest = Stm { exp: Exp::Threads, ..stm };
                let Scatter { width, inputs, map, dests } = *op;
                let (inputs, map) = self.values_first(&rest, width, inputs, map, out);
                let exp = Exp::Scatter(Box::new(Scatter { width, inputs, map, dests }));
                out.push(Stm { exp, ..rest });
            }
            exp => out.push(Stm { exp, ..stm }),
        }
    }

    /// Results of maps that are elements of an input are the input, as those of zips. What a result of the body can be
    /// a view of stays new: it may be consumed.
    fn inputs_themselves(&mut self, body: &mut Body) {
        let seen = seen(body, self.vars);
        let mut same = Subst::default();
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let Exp::Screma(op) = &mut stm.exp
                && op.folded() == 0
            {
                let input = |var: Var, result: Atom| {
                    let at = op.map.params.iter().position(|param| result == (*param).into())?;
                    let is_same = self.vars[op.inputs[at]].ty == self.vars[var].ty;
                    (is_same && self.vars[var].ty.is_array() && !seen.contains(&var))
                        .then_some(op.inputs[at])
                };
                let results = stm.pat.iter().zip(&op.map.body.results);
                let inputs: Vec<Option<Var>> =
                    results.map(|(var, result)| input(*var, *result)).collect();
                for (at, input) in inputs.iter().enumerate().rev() {
                    let Some(input) = input else { continue };
                    op.map.body.results.remove(at);
                    op.map.ret.remove(at);
                    // The input may be one of these itself.
                    let input = same.get(input).copied().unwrap_or((*input).into());
                    same.insert(stm.pat.remove(at), input);
                }
                if stm.pat.is_empty() && op.map.body.stms.is_empty() {
                    continue;
                }
            }
            out.push(stm);
        }
        body.stms = out;
        if !same.is_empty() {
            subst_body(body, self.vars, &same);
        }
    }

    /// The array is a copy.
    fn own(&mut self, array: &mut Var, out: &mut Vec<Stm>) {
        let copy = self.vars.push(self.vars[*array].clone());
        out.push(Stm::new(vec![copy], Exp::Copy(*array)));
        *array = copy;
    }

    fn call(
        &mut self,
        pat: Vec<Var>,
        id: FunId,
        args: Vec<Atom>,
        loc: Option<Loc>,
        out: &mut Vec<Stm>,
    ) {
        let fun = &self.prog.funs[id];
        if fun.foreign.is_some() {
            let what = format!(
                "the derivative of the foreign function \"{}\"; `with_vjp` can say what its adjoint is",
                fun.name
            );
            return self.refuse(loc, what);
        }
        let subst = fun.params.iter().map(|param| param.var).zip(args).collect();
        let mut body = import_body(&fun.body, &fun.vars, self.vars, subst);
        if let Some(loc) = loc.filter(|loc| !loc.in_prelude()) {
            for stm in &mut body.stms {
                if stm.loc.as_ref().is_none_or(Loc::in_prelude) {
                    stm.loc = Some(loc.clone());
                }
            }
        }
        body.stms.into_iter().for_each(|stm| self.stm_into(stm, out));
        bind(&pat, body.results, self.vars, out);
    }

    fn refuse(&mut self, loc: Option<Loc>, what: String) {
        self.refused.get_or_insert(Refused { loc, what });
    }

    /// The stream as one chunk: the result does not depend on how it is cut. A chunk has an element at least; if there
    /// are none, the accumulators are what they were.
    fn stream(&mut self, pat: &[Var], stream: Stream, loc: Option<Loc>, out: &mut Vec<Stm>) {
        if matches!(stream.form, StreamForm::Pass(_)) {
            return self.refuse(loc, "the derivative of a pass over a sequence".to_owned());
        }
        let args = std::iter::once(stream.width)
            .chain(stream.init.iter().copied())
            .chain(stream.inputs.iter().map(|input| Atom::Var(*input)));
        let subst: Subst = stream.chunk.params.iter().copied().zip(args).collect();
        let mut chunk = stream.chunk.body;
        subst_body(&mut chunk, self.vars, &subst);
        if matches!(stream.width, Atom::Const(Scalar::I64(1..))) {
            chunk.stms.into_iter().for_each(|stm| self.stm_into(stm, out));
            return bind(pat, chunk.results, self.vars, out);
        }
        self.body(&mut chunk);
        let types: Vec<Type> = pat.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let mut b = Builder::new(self.vars);
        b.set_loc(loc);
        let none = b.exp("none", Exp::CmpOp(CmpOp::Le, stream.width, 0.into()));
        let empty = b.body(|b| {
            let arrays = types.iter().skip(stream.init.len()).map(|ty| zero(b, ty));
            let arrays: Vec<Atom> = arrays.collect();
            stream.init.iter().copied().chain(arrays).collect()
        });
        b.stm(pat.to_vec(), Exp::If(none.into(), Box::new([empty, chunk])));
        out.extend(b.finish(Vec::new()).stms);
    }

    /// A map, and then each scan and reduction by itself.
    fn separate(&mut self, stm: Stm, op: Screma, out: &mut Vec<Stm>) {
        let Screma { width, inputs, map, scans, reds } = op;
        let folded: usize = scans.iter().map(|scan| scan.neutral.len()).sum::<usize>()
            + reds.iter().map(|red| red.neutral.len()).sum::<usize>();
        let trivial =
            is_identity(&map) && inputs.iter().all(|input| self.vars[*input].ty.is_array());
        let like = |pat: Vec<Var>, exp: Exp| Stm { pat, exp, ..stm.clone() };
        let mut mapped: Vec<Var> = Vec::new();
        let plain = &stm.pat[folded..];
        if trivial && plain.is_empty() {
            mapped.clone_from(&inputs);
        } else {
            for ty in outer(&map.ret[..folded], width) {
                mapped.push(self.vars.push(VarInfo { hint: "mapped".into(), ty }));
            }
            let pat = mapped.iter().chain(plain).copied().collect();
            out.push(like(pat, map_exp(width, inputs, map.clone())));
        }
        let (mut from, mut to) = (mapped.into_iter(), stm.pat.iter().copied());
        for scan in scans {
            let parts = scan.neutral.len();
            let inputs: Vec<Var> = from.by_ref().take(parts).collect();
            let map = self.identity(&inputs);
            let pat = to.by_ref().take(parts).collect();
            let (scans, reds) = (vec![Scan { ..scan }], Vec::new());
            let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
            out.push(like(pat, exp));
        }
        for red in reds {
            let parts = red.neutral.len();
            let inputs: Vec<Var> = from.by_ref().take(parts).collect();
            let map = self.identity(&inputs);
            let pat = to.by_ref().take(parts).collect();
            let (scans, reds) = (Vec::new(), vec![Red { ..red }]);
            let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
            out.push(like(pat, exp));
        }
    }

    fn identity(&mut self, inputs: &[Var]) -> Lambda {
        let types: Vec<Type> =
            inputs.iter().filter_map(|input| self.vars[*input].ty.row()).collect();
        super::num::identity(&mut Builder::new(self.vars), &types)
    }

    /// The results of an operator's function as arrays, and the function that takes them.
    fn values_first(
        &mut self,
        stm: &Stm,
        width: Atom,
        inputs: Vec<Var>,
        map: Lambda,
        out: &mut Vec<Stm>,
    ) -> (Vec<Var>, Lambda) {
        if is_identity(&map) {
            return (inputs, map);
        }
        let mut arrays = Vec::new();
        for ty in outer(&map.ret, width) {
            arrays.push(self.vars.push(VarInfo { hint: "mapped".into(), ty }));
        }
        let exp = map_exp(width, inputs, map);
        let (certs, attrs) = (stm.certs.clone(), stm.attrs.clone());
        out.push(Stm { pat: arrays.clone(), exp, certs, attrs, loc: stm.loc.clone() });
        let identity = self.identity(&arrays);
        (arrays, identity)
    }
}

/// Whether a function returns its parameters, in order.
pub(super) fn is_identity(lambda: &Lambda) -> bool {
    lambda.body.stms.is_empty()
        && lambda.params.len() == lambda.body.results.len()
        && lambda.params.iter().zip(&lambda.body.results).all(|(p, r)| *r == Atom::Var(*p))
}

/// Binds the results of a body that stands for an expression.
pub(super) fn bind(
    pat: &[Var],
    results: Vec<Atom>,
    vars: &IdVec<Var, VarInfo>,
    out: &mut Vec<Stm>,
) {
    for (var, result) in pat.iter().zip(results) {
        let exp = match result {
            // The sizes of arrays have other names outside.
            Atom::Var(array) if vars[*var].ty.is_array() && vars[array].ty != vars[*var].ty => {
                Exp::Reshape(array, vars[*var].ty.shape().to_vec())
            }
            Atom::Var(_) | Atom::Const(_) => Exp::Atom(result),
        };
        out.push(Stm::new(vec![*var], exp));
    }
}

/// Likewise, for an expression that yields new arrays, as derivatives do. `own` removes the copies of what the body makes itself.
pub(super) fn bind_new(
    pat: &[Var],
    mut results: Vec<Atom>,
    vars: &mut IdVec<Var, VarInfo>,
    out: &mut Vec<Stm>,
) {
    for result in &mut results {
        if let Atom::Var(array) = *result
            && vars[array].ty.is_array()
        {
            let copy = vars.push(vars[array].clone());
            out.push(Stm::new(vec![copy], Exp::Copy(array)));
            *result = copy.into();
        }
    }
    bind(pat, results, vars, out);
}

/// Functions with an adjoint of their own become themselves.
pub(super) fn without_custom(body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
    struct Without<'a>(&'a mut IdVec<Var, VarInfo>);
    impl VisitMut for Without<'_> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
        fn body(&mut self, body: &mut Body) {
            walk_body_mut(self, body);
            let mut out = Vec::with_capacity(body.stms.len());
            for stm in std::mem::take(&mut body.stms) {
                match stm.exp {
                    Exp::Diff(op) if op.form.seeds().is_none() => {
                        bind(&op.fun.params, op.args, self.0, &mut out);
                        out.extend(op.fun.body.stms);
                        bind_new(&stm.pat, op.fun.body.results, self.0, &mut out);
                    }
                    exp => out.push(Stm { exp, ..stm }),
                }
            }
            body.stms = out;
        }
    }
    Without(vars).body(body);
}
