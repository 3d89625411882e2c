//! `vectorise`: one call of a foreign function does the work of a map.
//!
//! ```text
//! ys = map (\x -> let a = g x let b = call f (n, a) in h b) xs         foreign (c f1) vectorised (c f2) fun f
//! ==>
//! as = map g xs
//! bs = call f_vectorised (w, n, as)                                    foreign (c f2) fun f_vectorised
//! ys = map h bs
//! ```
//!
//! The new function has an additional parameter, the number of calls, and all its parameters and results have an additional
//! dimension of that size, except for those that are sizes. Its meaning is the map of the old one.
//!
//! The sizes must be the same for all elements of the map. An array that is the same for all of them would have to be copied as
//! often as there are elements, so that such calls stay as they are. It comes after inlining, which shows what maps call, and
//! before fusion, which does not mind a call between maps.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::builder::Builder;
use fehu_ir::free::{bound_in_lambda, free_in_body};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::subst::{Subst, subst_body, subst_type};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    Atom, Body, Exp, Foreign, Fun, FunId, Lambda, Param, Prog, Screma, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const VECTORISE: Pass = Pass {
    name: "vectorise",
    about: "lets one call of a foreign function do the work of a map",
    run,
};

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let known: FxHashMap<FunId, Interface> = prog
        .funs
        .iter()
        .filter(|(_, fun)| fun.foreign.as_ref().is_some_and(|f| !f.vectorised.is_empty()))
        .map(|(id, fun)| (id, Interface::of(fun)))
        .collect();
    if known.is_empty() {
        return;
    }
    let (first, mut made) = (prog.funs.len(), Vec::new());
    prog.for_each_body(|_, vars, body| {
        Maps { known: &known, first, made: &mut made, vars, remarks }.body(body);
    });
    for id in made {
        let whole = whole(&prog.funs[id], id);
        prog.funs.push(whole);
    }
}

/// What calls of a function look like.
struct Interface {
    name: ecow::EcoString,
    params: Vec<Var>,
    /// Which parameters are sizes of others or of results.
    is_size: Vec<bool>,
    results: Vec<Type>,
}

impl Interface {
    fn of(fun: &Fun) -> Interface {
        let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
        let vars = || params.iter().chain(&fun.results);
        let sizes: FxHashSet<Var> = vars()
            .flat_map(|var| fun.vars[*var].ty.shape())
            .filter_map(|size| size.var())
            .collect();
        let is_size = params.iter().map(|param| sizes.contains(param)).collect();
        let results = fun.results.iter().map(|var| fun.vars[*var].ty.clone()).collect();
        Interface { name: fun.name.clone(), params, is_size, results }
    }
}

/// The function that does the work of a map of another one.
fn whole(fun: &Fun, id: FunId) -> Fun {
    let Interface { name, params, is_size, .. } = Interface::of(fun);
    let mut vars = IdVec::new();
    let mut b = Builder::new(&mut vars);
    let count = b.param("count", Type::I64);
    let mut subst = Subst::default();
    let mut new = vec![Param { var: count, consumed: false }];
    let (mut inputs, mut inside, mut args) = (Vec::new(), Vec::new(), Vec::new());
    for ((param, is_size), old) in params.iter().zip(is_size).zip(&fun.params) {
        let VarInfo { hint, mut ty } = fun.vars[*param].clone();
        subst_type(&mut ty, &subst);
        let var = match ty.array_of(count.into()).filter(|_| !is_size) {
            None => {
                let size = b.param(hint, ty);
                subst.insert(*param, size.into());
                args.push(Atom::Var(size));
                size
            }
            Some(array) => {
                let (input, element) = (b.param(hint.clone(), array), b.param(hint, ty));
                inputs.push(input);
                inside.push(element);
                args.push(element.into());
                input
            }
        };
        new.push(Param { var, consumed: old.consumed });
    }
    let types: Vec<(ecow::EcoString, Type)> = fun
        .results
        .iter()
        .map(|result| {
            let VarInfo { hint, mut ty } = fun.vars[*result].clone();
            subst_type(&mut ty, &subst);
            (hint, ty)
        })
        .collect();
    let ret: Vec<Type> = types.iter().map(|(_, ty)| ty.clone()).collect();
    let arrays: Vec<Type> = ret.iter().filter_map(|ty| ty.array_of(count.into())).collect();
    let body = b.body(|b| {
        let results = b.several("r", ret.clone(), Exp::Call(id, args));
        results.into_iter().map(Atom::Var).collect()
    });
    let map = Lambda { params: inside, body, ret };
    let screma = Screma { width: count.into(), inputs, map, scans: Vec::new(), reds: Vec::new() };
    let values = b.several("r", arrays.clone(), Exp::Screma(Box::new(screma)));
    let named = types.into_iter().zip(arrays);
    let results: Vec<Var> = named.map(|((hint, _), ty)| b.param(hint, ty)).collect();
    let body = b.finish(values.into_iter().map(Atom::Var).collect());
    let symbols = fun.foreign.as_ref().map_or(Vec::new(), |foreign| foreign.vectorised.clone());
    let foreign = Some(Foreign { symbols, vectorised: Vec::new() });
    let (name, params) = (ecow::eco_format!("{name}_vectorised"), new);
    Fun { name, vars, params, results, body, attrs: Vec::new(), foreign }
}

/// The arrays that a map yields unchanged, if they are results of calls among these statements, each of which it yields once.
fn results_of(op: &Screma, stms: &[Stm]) -> Option<Vec<Var>> {
    let called: FxHashSet<Var> = stms
        .iter()
        .filter(|stm| matches!(stm.exp, Exp::Call(..)))
        .flat_map(|stm| stm.pat.iter().copied())
        .collect();
    if !op.map.body.stms.is_empty() {
        return None;
    }
    let mut arrays: Vec<Var> = Vec::new();
    for result in &op.map.body.results {
        let at = op.map.params.iter().position(|param| Atom::Var(*param) == *result)?;
        let array = op.inputs[at];
        if !called.contains(&array) || arrays.contains(&array) {
            return None;
        }
        arrays.push(array);
    }
    Some(arrays)
}

struct Maps<'a> {
    known: &'a FxHashMap<FunId, Interface>,
    /// The number of the first new function, and what the new ones are maps of.
    first: usize,
    made: &'a mut Vec<FunId>,
    vars: &'a mut IdVec<Var, VarInfo>,
    remarks: &'a mut Remarks,
}

impl VisitMut for Maps<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            match stm.exp {
                Exp::Screma(op) if op.scans.is_empty() && op.reds.is_empty() => {
                    let rest = Stm { exp: Exp::Atom(Atom::bool(true)), ..stm };
                    self.map(rest, *op, &mut out);
                }
                exp => out.push(Stm { exp, ..stm }),
            }
        }
        body.stms = out;
    }
}

impl Maps<'_> {
    /// A map, cut at the calls in it; `stm` is its statement without the expression.
    fn map(&mut self, stm: Stm, op: Screma, out: &mut Vec<Stm>) {
        let (mut op, mut from) = (op, 0);
        let first = out.len();
        while let Some(at) = self.find(&op, from) {
            let known = out.len();
            match self.cut(&op, at, out) {
                Ok(rest) => {
                    // What it was cut into comes from the same place.
                    for new in out[known..].iter_mut().filter(|new| new.loc.is_none()) {
                        new.loc.clone_from(&stm.loc);
                    }
                    (op, from) = (rest, 0);
                }
                Err(why) => {
                    let loc = op.map.body.stms[at].loc.as_ref();
                    let text = format!("the foreign function is called for each element: {why}");
                    self.remarks.add("vectorise", RemarkKind::Missed, loc, None, text);
                    from = at + 1;
                }
            }
        }
        // What a call yields may be all that is wanted.
        match results_of(&op, &out[first..]) {
            Some(arrays) => {
                for (var, array) in stm.pat.iter().zip(arrays) {
                    out.push(Stm::new(vec![*var], Exp::Atom(array.into())));
                }
            }
            None => out.push(Stm { exp: Exp::Screma(Box::new(op)), ..stm }),
        }
    }

    /// The next call that one call of another function may stand for.
    fn find(&self, op: &Screma, from: usize) -> Option<usize> {
        let stms = op.map.body.stms.iter().enumerate().skip(from);
        let is_known =
            |stm: &Stm| matches!(&stm.exp, Exp::Call(id, _) if self.known.contains_key(id));
        stms.into_iter().find(|(_, stm)| is_known(stm)).map(|(at, _)| at)
    }

    /// Adds what comes before a call, and the call; returns the map that comes after it.
    fn cut(&mut self, op: &Screma, at: usize, out: &mut Vec<Stm>) -> Result<Screma, String> {
        let stms = &op.map.body.stms;
        let (before, call, after) = (&stms[..at], &stms[at], &stms[at + 1..]);
        let Exp::Call(id, args) = &call.exp else { return Err("there is no call".to_owned()) };
        let interface = &self.known[id];
        let inside: FxHashSet<Var> = bound_in_lambda(&op.map).into_iter().collect();
        let is_inside = |atom: &Atom| atom.var().is_some_and(|var| inside.contains(&var));
        let is_fixed = |ty: &Type| !matches!(ty, Type::Acc(_)) && !ty.shape().iter().any(is_inside);
        let mut subst = Subst::default();
        for ((arg, param), is_size) in args.iter().zip(&interface.params).zip(&interface.is_size) {
            if *is_size && is_inside(arg) {
                return Err("a size differs between the elements of the map".to_owned());
            }
            if let Atom::Var(var) = arg
                && self.vars[*var].ty.is_array()
                && !(is_inside(arg) && is_fixed(&self.vars[*var].ty))
            {
                return Err("an array is the same for all elements of the map".to_owned());
            }
            subst.insert(*param, *arg);
        }
        if !args.iter().any(is_inside) {
            return Err("nothing differs between the elements of the map".to_owned());
        }
        let rest = Body { stms: after.to_vec(), results: op.map.body.results.clone() };
        let wanted = free_in_body(&rest, self.vars);
        let early: FxHashSet<Var> = before.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        // What the rest and the call need of what comes before.
        let mut carried: Vec<Var> = Vec::new();
        for var in args.iter().filter_map(|arg| arg.var()).chain(wanted.iter().copied()) {
            if early.contains(&var) && !carried.contains(&var) {
                carried.push(var);
            }
        }
        let params = &op.map.params;
        if !carried.iter().chain(params).chain(&call.pat).all(|var| is_fixed(&self.vars[*var].ty)) {
            return Err("a size differs between the elements of the map".to_owned());
        }
        let mut arrays: FxHashMap<Var, Var> =
            params.iter().copied().zip(op.inputs.iter().copied()).collect();
        if !before.is_empty() {
            let ret: Vec<Type> = carried.iter().map(|var| self.vars[*var].ty.clone()).collect();
            let results = carried.iter().map(|var| Atom::Var(*var)).collect();
            let body = Body { stms: before.to_vec(), results };
            let map = Lambda { params: params.clone(), body, ret };
            let (width, inputs) = (op.width, op.inputs.clone());
            let early = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
            let pat: Vec<Var> = carried.iter().map(|var| self.array(*var, op.width)).collect();
            arrays.extend(carried.iter().copied().zip(pat.iter().copied()));
            out.push(Stm::new(pat, Exp::Screma(Box::new(early))));
        }
        let mut passed = vec![op.width];
        for (arg, is_size) in args.iter().zip(&interface.is_size) {
            passed.push(match arg.var().and_then(|var| arrays.get(&var)) {
                _ if *is_size => *arg,
                Some(array) => Atom::Var(*array),
                None => {
                    let mut b = Builder::new(self.vars);
                    let same = b.exp("same", Exp::Replicate(vec![op.width], *arg));
                    out.extend(b.finish(Vec::new()).stms);
                    Atom::Var(same)
                }
            });
        }
        let mut pat = Vec::with_capacity(call.pat.len());
        for (var, ty) in call.pat.iter().zip(&interface.results) {
            let mut ty = ty.clone();
            subst_type(&mut ty, &subst);
            let hint = self.vars[*var].hint.clone();
            let ty = ty.array_of(op.width).unwrap_or(ty);
            let array = self.vars.push(VarInfo { hint, ty });
            arrays.insert(*var, array);
            pat.push(array);
        }
        let text = format!("one call of \"{}\" for all elements of a map", interface.name);
        self.remarks.add("vectorise", RemarkKind::Done, call.loc.as_ref(), None, text);
        let certs = call.certs.iter().filter(|cert| !inside.contains(cert)).copied().collect();
        let exp = Exp::Call(self.whole(*id), passed);
        out.push(Stm { pat, certs, attrs: call.attrs.clone(), loc: call.loc.clone(), exp });
        Ok(self.rest(op, rest, &wanted, &arrays))
    }

    /// The map that is left, of what is wanted of these arrays.
    fn rest(
        &mut self,
        op: &Screma,
        mut body: Body,
        wanted: &[Var],
        arrays: &FxHashMap<Var, Var>,
    ) -> Screma {
        let (mut inputs, mut params, mut subst) = (Vec::new(), Vec::new(), Subst::default());
        for var in wanted {
            if let Some(array) = arrays.get(var) {
                let param = self.vars.push(self.vars[*var].clone());
                inputs.push(*array);
                params.push(param);
                subst.insert(*var, param.into());
            }
        }
        subst_body(&mut body, self.vars, &subst);
        let map = Lambda { params, body, ret: op.map.ret.clone() };
        Screma { width: op.width, inputs, map, scans: Vec::new(), reds: Vec::new() }
    }

    /// A variable for the values of another one at all positions.
    fn array(&mut self, var: Var, width: Atom) -> Var {
        let VarInfo { hint, ty } = self.vars[var].clone();
        let ty = ty.array_of(width).unwrap_or(ty);
        self.vars.push(VarInfo { hint, ty })
    }

    /// The function that does the work of a map.
    fn whole(&mut self, id: FunId) -> FunId {
        let index = self.made.iter().position(|made| *made == id).unwrap_or_else(|| {
            self.made.push(id);
            self.made.len() - 1
        });
        FunId::from_index(self.first + index)
    }
}
