//! Which variables take part in a derivative.
//!
//! A variable is *varied* if it depends on what the derivative is taken with respect to, and *useful* if a result
//! depends on it, both by operations that have a derivative: not as an index, a condition or a size. Only variables
//! that are both have tangents and adjoints, so that the arithmetic of indices costs nothing although integers are
//! differentiated.

use super::num::has_numbers;
use fehu_base::IdVec;
use fehu_ir::{Atom, Body, Exp, Lambda, Screma, Stm, Var, VarInfo};
use rustc_hash::FxHashSet;

/// A set of variables of one function.
pub(super) type Set = FxHashSet<Var>;

fn holds(set: &Set, atom: Atom) -> bool {
    atom.var().is_some_and(|var| set.contains(&var))
}

/// The operands on which the results of an expression without bodies depend by derivative.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are conditions, sizes and checks")]
pub(super) fn links(exp: &Exp) -> Vec<Atom> {
    match exp {
        Exp::Atom(a)
        | Exp::UnOp(_, a)
        | Exp::Convert(_, a)
        | Exp::Reinterpret(_, a)
        | Exp::Trace(_, a)
        | Exp::Opaque(a)
        | Exp::Replicate(_, a) => vec![*a],
        Exp::BinOp(_, a, b) => vec![*a, *b],
        Exp::Math(_, atoms) | Exp::Array(_, atoms) | Exp::Call(_, atoms) => atoms.clone(),
        Exp::Index(array, _)
        | Exp::FlatIndex(array, ..)
        | Exp::Reshape(array, _)
        | Exp::Rearrange(array, _)
        | Exp::Copy(array)
        | Exp::Manifest(array) => vec![(*array).into()],
        Exp::Update(array, _, value) => vec![(*array).into(), *value],
        Exp::FlatUpdate(array, _, _, value) => vec![(*array).into(), (*value).into()],
        Exp::Concat(_, arrays) => arrays.iter().map(|array| Atom::Var(*array)).collect(),
        Exp::Iota(_, n, start, step) => vec![*n, *start, *step],
        Exp::UpdateAcc(acc, _, values) => {
            std::iter::once(Atom::Var(*acc)).chain(values.iter().copied()).collect()
        }
        Exp::Diff(op) => op.args.clone(),
        _ => Vec::new(),
    }
}

/// The operators of scans and reductions, in the order of their results, with their neutral elements.
fn folds(op: &Screma) -> impl Iterator<Item = (&Lambda, &Vec<Atom>)> {
    let scans = op.scans.iter().map(|scan| (&scan.op, &scan.neutral));
    scans.chain(op.reds.iter().map(|red| (&red.op, &red.neutral)))
}

/// Adds what depends on the variables of the set.
pub(super) fn varied(body: &Body, vars: &IdVec<Var, VarInfo>, set: &mut Set) {
    for stm in &body.stms {
        varied_stm(stm, vars, set);
    }
}

fn put(set: &mut Set, vars: &IdVec<Var, VarInfo>, var: Var, yes: bool) {
    let ty = &vars[var].ty;
    if yes && (has_numbers(ty) || matches!(ty, fehu_ir::Type::Acc(_))) {
        set.insert(var);
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no bodies")]
fn varied_stm(stm: &Stm, vars: &IdVec<Var, VarInfo>, set: &mut Set) {
    match &stm.exp {
        Exp::If(..) | Exp::Switch(..) => {
            stm.exp.for_each_body(&mut |body| {
                varied(body, vars, set);
                for (var, result) in stm.pat.iter().zip(&body.results) {
                    put(set, vars, *var, holds(set, *result));
                }
            });
        }
        Exp::Loop(params, _, body) => {
            for param in params {
                put(set, vars, param.var, holds(set, param.init));
            }
            loop {
                let before = set.len();
                varied(body, vars, set);
                for (param, result) in params.iter().zip(&body.results) {
                    put(set, vars, param.var, holds(set, *result));
                }
                if set.len() == before {
                    break;
                }
            }
            for (var, param) in stm.pat.iter().zip(params) {
                put(set, vars, *var, set.contains(&param.var));
            }
        }
        Exp::Screma(op) => {
            varied_map(&op.inputs, &op.map, vars, set);
            let mut results = op.map.body.results.iter().copied();
            let mut pat = stm.pat.iter().copied();
            for (fold, neutral) in folds(op) {
                let from: Vec<Atom> = results.by_ref().take(neutral.len()).collect();
                let to: Vec<Var> = pat.by_ref().take(neutral.len()).collect();
                varied_fold(fold, neutral, &from, &[], &to, vars, set);
            }
            for (var, result) in pat.zip(results) {
                put(set, vars, var, holds(set, result));
            }
        }
        Exp::Hist(op) => {
            varied_map(&op.inputs, &op.map, vars, set);
            let indices: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
            let mut results = op.map.body.results.iter().copied().skip(indices);
            let mut pat = stm.pat.iter().copied();
            for hist in &op.ops {
                let from: Vec<Atom> = results.by_ref().take(hist.dests.len()).collect();
                let to: Vec<Var> = pat.by_ref().take(hist.dests.len()).collect();
                varied_fold(&hist.op, &hist.neutral, &from, &hist.dests, &to, vars, set);
            }
        }
        Exp::Scatter(op) => {
            varied_map(&op.inputs, &op.map, vars, set);
            let indices: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
            let results = op.map.body.results.iter().skip(indices);
            for ((var, result), (_, dest)) in stm.pat.iter().zip(results).zip(&op.dests) {
                put(set, vars, *var, holds(set, *result) || set.contains(dest));
            }
        }
        Exp::WithAcc(inputs, lambda) => {
            let accs = &lambda.params[inputs.len()..];
            for (input, acc) in inputs.iter().zip(accs) {
                put(set, vars, *acc, input.arrays.iter().any(|array| set.contains(array)));
            }
            varied(&lambda.body, vars, set);
            let mut pat = stm.pat.iter().copied();
            for (input, result) in inputs.iter().zip(&lambda.body.results) {
                for var in pat.by_ref().take(input.arrays.len()) {
                    put(set, vars, var, holds(set, *result));
                }
            }
            for (var, result) in pat.zip(&lambda.body.results[inputs.len()..]) {
                put(set, vars, var, holds(set, *result));
            }
        }
        exp => {
            let yes = links(exp).into_iter().any(|atom| holds(set, atom));
            for var in &stm.pat {
                put(set, vars, *var, yes);
            }
        }
    }
}

fn varied_map(inputs: &[Var], lambda: &Lambda, vars: &IdVec<Var, VarInfo>, set: &mut Set) {
    for (input, param) in inputs.iter().zip(&lambda.params) {
        put(set, vars, *param, set.contains(input));
    }
    varied(&lambda.body, vars, set);
}

fn varied_fold(
    op: &Lambda,
    neutral: &[Atom],
    from: &[Atom],
    dests: &[Var],
    to: &[Var],
    vars: &IdVec<Var, VarInfo>,
    set: &mut Set,
) {
    let mut flags: Vec<bool> = neutral.iter().map(|atom| holds(set, *atom)).collect();
    for (flag, from) in flags.iter_mut().zip(from) {
        *flag |= holds(set, *from);
    }
    for (flag, dest) in flags.iter_mut().zip(dests) {
        *flag |= set.contains(dest);
    }
    loop {
        for (param, flag) in op.params.iter().zip(flags.iter().chain(&flags)) {
            put(set, vars, *param, *flag);
        }
        varied(&op.body, vars, set);
        let mut changed = false;
        for (flag, result) in flags.iter_mut().zip(&op.body.results) {
            let now = *flag || holds(set, *result);
            changed |= now != *flag;
            *flag = now;
        }
        if !changed {
            break;
        }
    }
    for (var, flag) in to.iter().zip(flags) {
        put(set, vars, *var, flag);
    }
}

/// Adds what the variables of the set, among them results of the body, depend on.
pub(super) fn useful(body: &Body, set: &mut Set) {
    for stm in body.stms.iter().rev() {
        useful_stm(stm, set);
    }
}

fn want(set: &mut Set, atom: Atom, yes: bool) {
    if let (Atom::Var(var), true) = (atom, yes) {
        set.insert(var);
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no bodies")]
fn useful_stm(stm: &Stm, set: &mut Set) {
    if !stm.pat.iter().any(|var| set.contains(var)) {
        return;
    }
    match &stm.exp {
        Exp::If(..) | Exp::Switch(..) => {
            stm.exp.for_each_body(&mut |body| {
                for (var, result) in stm.pat.iter().zip(&body.results) {
                    want(set, *result, set.contains(var));
                }
                useful(body, set);
            });
        }
        Exp::Loop(params, _, body) => {
            for (var, (param, result)) in stm.pat.iter().zip(params.iter().zip(&body.results)) {
                if set.contains(var) {
                    set.insert(param.var);
                    want(set, *result, true);
                }
            }
            loop {
                let before = set.len();
                useful(body, set);
                for (param, result) in params.iter().zip(&body.results) {
                    want(set, *result, set.contains(&param.var));
                }
                if set.len() == before {
                    break;
                }
            }
            for param in params {
                want(set, param.init, set.contains(&param.var));
            }
        }
        Exp::Screma(op) => {
            let mut results = op.map.body.results.iter().copied();
            let mut pat = stm.pat.iter().copied();
            for (fold, neutral) in folds(op) {
                let from: Vec<Atom> = results.by_ref().take(neutral.len()).collect();
                let to: Vec<Var> = pat.by_ref().take(neutral.len()).collect();
                useful_fold(fold, neutral, &from, &[], &to, set);
            }
            for (var, result) in pat.zip(results) {
                want(set, result, set.contains(&var));
            }
            useful_map(&op.inputs, &op.map, set);
        }
        Exp::Hist(op) => {
            let indices: usize = op.ops.iter().map(|hist| hist.shape.len()).sum();
            let mut results = op.map.body.results.iter().copied().skip(indices);
            let mut pat = stm.pat.iter().copied();
            for hist in &op.ops {
                let from: Vec<Atom> = results.by_ref().take(hist.dests.len()).collect();
                let to: Vec<Var> = pat.by_ref().take(hist.dests.len()).collect();
                useful_fold(&hist.op, &hist.neutral, &from, &hist.dests, &to, set);
            }
            useful_map(&op.inputs, &op.map, set);
        }
        Exp::Scatter(op) => {
            let indices: usize = op.dests.iter().map(|(shape, _)| shape.len()).sum();
            let results = op.map.body.results.iter().skip(indices);
            for ((var, result), (_, dest)) in stm.pat.iter().zip(results).zip(&op.dests) {
                if set.contains(var) {
                    want(set, *result, true);
                    set.insert(*dest);
                }
            }
            useful_map(&op.inputs, &op.map, set);
        }
        Exp::WithAcc(inputs, lambda) => {
            let mut pat = stm.pat.iter().copied();
            for (input, result) in inputs.iter().zip(&lambda.body.results) {
                for (array, var) in input.arrays.iter().zip(pat.by_ref()) {
                    if set.contains(&var) {
                        set.insert(*array);
                        want(set, *result, true);
                    }
                }
            }
            for (var, result) in pat.zip(&lambda.body.results[inputs.len()..]) {
                want(set, *result, set.contains(&var));
            }
            useful(&lambda.body, set);
        }
        exp => set.extend(links(exp).into_iter().filter_map(Atom::var)),
    }
}

fn useful_map(inputs: &[Var], lambda: &Lambda, set: &mut Set) {
    useful(&lambda.body, set);
    for (input, param) in inputs.iter().zip(&lambda.params) {
        if set.contains(param) {
            set.insert(*input);
        }
    }
}

fn useful_fold(
    op: &Lambda,
    neutral: &[Atom],
    from: &[Atom],
    dests: &[Var],
    to: &[Var],
    set: &mut Set,
) {
    let mut flags: Vec<bool> = to.iter().map(|var| set.contains(var)).collect();
    loop {
        for (flag, result) in flags.iter().zip(&op.body.results) {
            want(set, *result, *flag);
        }
        useful(&op.body, set);
        let mut changed = false;
        for (param, index) in op.params.iter().zip((0..flags.len()).chain(0..flags.len())) {
            changed |= set.contains(param) && !std::mem::replace(&mut flags[index], true);
        }
        if !changed {
            break;
        }
    }
    for (index, flag) in flags.into_iter().enumerate() {
        let sources = [from.get(index), neutral.get(index)];
        sources.into_iter().flatten().for_each(|atom| want(set, *atom, flag));
        dests.get(index).into_iter().for_each(|dest| want(set, (*dest).into(), flag));
    }
}
