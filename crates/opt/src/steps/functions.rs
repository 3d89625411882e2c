//! The functions of steps.

use super::levels::{Pass, sources};
use super::{Steps, Whole, as_var};
use crate::unpass::own_accs;
use fehu_base::{IdVec, OrBug, Prim, bug};
use fehu_facts::Share;
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::free::free_in_body;
use fehu_ir::subst::{Subst, subst_body, subst_type};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Dim, Exp, Fun, Loc, Param, Stm, Stream, StreamForm,
    Type, UnOp, Var, VarInfo,
};
use rustc_hash::FxHashMap;

/// A function with these statements; it yields these variables and operands. Also its parameters.
pub(super) fn call_function(
    steps: &Steps<'_>,
    stms: &[&Stm],
    outs: &[Var],
    more: &[Atom],
) -> (Fun, Vec<Var>) {
    let mut vars = steps.fun.vars.clone();
    let results = outs.iter().map(|var| Atom::Var(*var)).chain(more.iter().copied()).collect();
    let mut body = Body { stms: stms.iter().copied().cloned().collect(), results };
    let free = complete(steps, &mut body, &vars, &[]);
    let results = result_vars(&mut vars, &body.results);
    let share = Share::of(steps.prog, &body, &vars);
    let param = |var: &Var| Param { var: *var, consumed: !share.is_settled(*var) };
    let params = free.iter().map(param).collect();
    let name = steps.name();
    (Fun { name, vars, params, results, body, attrs: Vec::new(), foreign: None }, free)
}

/// A function that yields what is made. Also its parameters.
pub(super) fn yielding_function(
    steps: &Steps<'_>,
    make: impl FnOnce(&mut Builder<'_>) -> Vec<Atom>,
) -> (Fun, Vec<Var>) {
    let mut vars = steps.fun.vars.clone();
    let mut b = Builder::new(&mut vars);
    let results = make(&mut b);
    let mut body = b.finish(results);
    let free = complete(steps, &mut body, &vars, &[]);
    let results = result_vars(&mut vars, &body.results);
    let params = free.iter().map(|var| Param { var: *var, consumed: false }).collect();
    let name = steps.name();
    (Fun { name, vars, params, results, body, attrs: Vec::new(), foreign: None }, free)
}

/// The function of some passes that are executed together, which of its parameters are the same for all chunks, and the
/// sequences that they read.
pub(super) fn pass_function(
    steps: &Steps<'_>,
    passes: &[&Pass<'_>],
) -> Result<(Fun, Vec<Var>, Vec<usize>), Whole> {
    let mut vars = steps.fun.vars.clone();
    let mut b = Builder::new(&mut vars);
    let (start, size) = (b.param("start", Type::I64), b.param("m", Type::I64));
    let last = b.param("last", Type::BOOL);
    let mut params = vec![start, size, last];
    let mut states = Vec::new();
    // Their types may mention other states.
    let mut known = Subst::default();
    for param in passes.iter().flat_map(|pass| pass.stream.acc_params()) {
        let mut ty = b.ty(*param).clone();
        subst_type(&mut ty, &known);
        let state = b.param("s", ty);
        known.insert(*param, Atom::Var(state));
        states.push(state);
    }
    params.extend(&states);
    let mut all: Vec<usize> = Vec::new();
    for source in passes.iter().flat_map(|pass| sources(steps, pass.stream)) {
        if !all.contains(&source) {
            all.push(source);
        }
    }
    all.sort_unstable();
    let chunks = Chunks::new(steps, &mut b, &all, size, &mut params);
    let at = At { start, size, last };

    let mut states = &states[..];
    let (mut accs, mut sinks) = (Vec::new(), Vec::new());
    for pass in passes {
        let stream = pass.stream;
        let (own, rest) = states.split_at(stream.init.len());
        states = rest;
        b.set_loc(pass.stm.loc.clone());
        let own: Vec<Atom> = own.iter().map(|var| Atom::Var(*var)).collect();
        let mut args = vec![Atom::Var(size), Atom::Var(last)];
        args.extend(own_accs(&mut b, &own));
        for input in &stream.inputs {
            args.push(chunks.input(steps, &mut b, *input, stream, at, pass.stm.loc.as_ref()));
        }
        chunks.pieces(steps, stream, &mut args);
        let subst: Subst = stream.chunk.params.iter().copied().zip(args).collect();
        let mut body = stream.chunk.body.clone();
        subst_body(&mut body, b.vars_mut(), &subst);
        for mut stm in body.stms {
            stm.certs.extend(&pass.stm.certs);
            b.push(stm);
        }
        let (first, second) = body.results.split_at(stream.init.len());
        accs.extend_from_slice(first);
        sinks.extend_from_slice(second);
    }
    accs.extend(sinks);
    let mut body = b.finish(accs);
    let free = complete(steps, &mut body, &vars, &params);
    let all_params: Vec<Var> = free.iter().chain(&params).copied().collect();
    own_results(steps, &mut body, &mut vars, &all_params);
    let results = result_vars(&mut vars, &body.results);
    let params = all_params.iter().map(|var| Param { var: *var, consumed: false }).collect();
    let name = steps.name();
    Ok((Fun { name, vars, params, results, body, attrs: Vec::new(), foreign: None }, free, all))
}

/// Where a chunk is.
#[derive(Clone, Copy)]
struct At {
    start: Var,
    size: Var,
    last: Var,
}

/// The parameters for the chunks of sequences, by sequence and part; pieces have one more part, the number of values, at the end.
struct Chunks(FxHashMap<usize, Vec<Var>>);

impl Chunks {
    fn new(
        steps: &Steps<'_>,
        b: &mut Builder<'_>,
        sources: &[usize],
        size: Var,
        params: &mut Vec<Var>,
    ) -> Chunks {
        let leading = steps.fun.params.len() - super::part_count(steps.entry);
        let mut all = FxHashMap::default();
        for source in sources {
            let sequence = &steps.entry.sources[*source];
            let own = &steps.fun.params[leading + sequence.first..][..sequence.count];
            let mut vars: Vec<Var> = Vec::new();
            let mut length = size;
            for (index, param) in own.iter().enumerate() {
                if sequence.pieces && index == 1 {
                    length = b.param("t", Type::I64);
                    params.push(length);
                }
                let ty = b.ty(param.var).row().and_then(|row| row.array_of(Atom::Var(length)));
                let var = b.param("c", ty.or_bug("type of a chunk"));
                params.push(var);
                vars.push(var);
            }
            if sequence.pieces {
                vars.push(length);
            }
            all.insert(*source, vars);
        }
        Chunks(all)
    }

    /// The chunk of an input.
    fn input(
        &self,
        steps: &Steps<'_>,
        b: &mut Builder<'_>,
        input: Var,
        stream: &Stream,
        at: At,
        loc: Option<&Loc>,
    ) -> Atom {
        if let Some(part) = steps.parts.get(&input) {
            return self.0[&part.source][part.part].into();
        }
        let (start, size) = (Atom::Var(at.start), Atom::Var(at.size));
        let same = b.ty(input).shape()[0] == stream.width && !steps.hidden_atom(stream.width);
        let mut certs = if same { Vec::new() } else { vec![long_enough(b, input, at, loc)] };
        if let Some(Stm { exp: Exp::Iota(Prim::I64, _, first, step), certs: own, .. }) =
            steps.repeated.get(&input)
        {
            certs.extend(own);
            let others = b.set_certs(certs);
            let offset = b.exp("offset", Exp::BinOp(BinOp::Mul, start, *step));
            let from = b.exp("from", Exp::BinOp(BinOp::Add, *first, offset.into()));
            let chunk = b.exp("c", Exp::Iota(Prim::I64, size, from.into(), *step));
            b.set_certs(others);
            return chunk.into();
        }
        let shape = b.ty(input).shape().to_vec();
        let mut dims = vec![Dim::Slice { start, len: size, stride: 1.into() }];
        let inner = shape[1..].iter();
        dims.extend(inner.map(|len| Dim::Slice { start: 0.into(), len: *len, stride: 1.into() }));
        let others = b.set_certs(certs);
        let slice = b.exp("c", Exp::Index(input, dims));
        b.set_certs(others);
        slice.into()
    }

    fn pieces(&self, steps: &Steps<'_>, stream: &Stream, args: &mut Vec<Atom>) {
        let StreamForm::Pass(pieces) = &stream.form else { bug("only passes have steps") };
        for piece in pieces {
            let part = steps.parts.get(&piece.sizes).or_bug("pieces that are read");
            let chunk = &self.0[&part.source];
            let (sizes, rest) = chunk.split_first().or_bug("sizes of pieces");
            let (total, values) = rest.split_last().or_bug("number of values");
            args.extend([sizes, total].into_iter().chain(values).map(|var| Atom::Var(*var)));
        }
    }
}

/// A certificate that an array in memory, which is read in step with sequences, is as long as they are.
fn long_enough(b: &mut Builder<'_>, input: Var, at: At, loc: Option<&Loc>) -> Var {
    let length = b.ty(input).shape()[0];
    let end = b.exp("end", Exp::BinOp(BinOp::Add, at.start.into(), at.size.into()));
    let inside = b.exp("inside", Exp::CmpOp(CmpOp::Le, end.into(), length));
    let all = b.exp("all", Exp::CmpOp(CmpOp::Eq, end.into(), length));
    let more = b.exp("more", Exp::UnOp(UnOp::Not, at.last.into()));
    let fine = b.exp("fine", Exp::BinOp(BinOp::Or, more.into(), all.into()));
    let same = b.exp("same", Exp::BinOp(BinOp::And, inside.into(), fine.into()));
    let parts = vec![
        CheckPart::Text("Sequences that are read in step have different lengths: ".into()),
        CheckPart::Value(end.into()),
        CheckPart::Text(" and ".into()),
        CheckPart::Value(length),
        CheckPart::Text(" elements.".into()),
    ];
    b.assert(same.into(), Check { parts, trace: loc.into_iter().cloned().collect() })
}

/// Adds what is repeated. The variables that the function must get then, sizes first; `others` are its parameters already.
fn complete(
    steps: &Steps<'_>,
    body: &mut Body,
    vars: &IdVec<Var, VarInfo>,
    others: &[Var],
) -> Vec<Var> {
    loop {
        let mut free = free_in_body(body, vars);
        let mut at = 0;
        while at < free.len() {
            let sizes: Vec<Var> = sizes_of(free[at], vars);
            free.extend(sizes.into_iter().filter(|size| !free.contains(size)).collect::<Vec<_>>());
            at += 1;
        }
        for size in others.iter().flat_map(|var| sizes_of(*var, vars)) {
            if !free.contains(&size) {
                free.push(size);
            }
        }
        for size in body.results.iter().filter_map(|r| as_var(*r)).flat_map(|v| sizes_of(v, vars)) {
            let bound = body.stms.iter().any(|stm| stm.pat.contains(&size));
            if !bound && !free.contains(&size) {
                free.push(size);
            }
        }
        free.retain(|var| !others.contains(var));
        let missing = free.iter().filter_map(|var| steps.repeated.get(var));
        let missing: Vec<Stm> = missing.map(|stm| (*stm).clone()).collect();
        if missing.is_empty() {
            free.sort_by_key(|var| vars[*var].ty.is_array());
            return free;
        }
        body.stms.extend(missing);
        // Those that come from the entry point's function stay in its order; those of a pass come after them.
        let order = |stm: &Stm| {
            stm.pat.first().and_then(|var| steps.order.get(var)).copied().unwrap_or(usize::MAX)
        };
        body.stms.sort_by_cached_key(order);
    }
}

fn sizes_of(var: Var, vars: &IdVec<Var, VarInfo>) -> Vec<Var> {
    vars[var].ty.shape().iter().filter_map(|size| as_var(*size)).collect()
}

/// What a function yields, as variables of its own.
fn result_vars(vars: &mut IdVec<Var, VarInfo>, results: &[Atom]) -> Vec<Var> {
    let mut subst = Subst::default();
    let mut new = Vec::with_capacity(results.len());
    for atom in results {
        let ty = atom_type(*atom, vars);
        let var = vars.push(VarInfo { hint: "r".into(), ty });
        if let Atom::Var(old) = atom {
            subst.entry(*old).or_insert(Atom::Var(var));
        }
        new.push(var);
    }
    for var in &new {
        let mut ty = vars[*var].ty.clone();
        subst_type(&mut ty, &subst);
        vars[*var].ty = ty;
    }
    new
}

/// What a pass yields shares memory with nothing, so that chunks can be read into the memory of earlier ones.
fn own_results(steps: &Steps<'_>, body: &mut Body, vars: &mut IdVec<Var, VarInfo>, params: &[Var]) {
    let share = Share::of(steps.prog, body, vars);
    for index in 0..body.results.len() {
        let Atom::Var(var) = body.results[index] else { continue };
        if !vars[var].ty.is_array() {
            continue;
        }
        let before = body.results[..index].iter().filter_map(|atom| as_var(*atom));
        let shared = params.iter().copied().chain(before).any(|other| {
            vars[other].ty.is_array() && (other == var || share.may_share(var, other))
        });
        if shared {
            let info = vars[var].clone();
            let copy = vars.push(info);
            body.stms.push(Stm::new(vec![copy], Exp::Copy(var)));
            body.results[index] = Atom::Var(copy);
        }
    }
}
