//! `streamed`: says whether the parameters of entry points that are marked `#[stream]` can arrive in pieces.
//!
//! ```text
//! entry main (#[stream] xs: []f32) = f32.sum (map (** 2) xs)
//! ```
//!
//! They can if one operator reads them, element by element, and nothing else does. Fusion has made one of all those that could be
//! one, so this comes after it. The program stays as it is; what is found are remarks, and a warning for what cannot
//! be done. It is conservative about branches, loops and calls, which may read an array or not.

use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Entry, Exp, External, Fun, Loc, Prog, Stm, Var};

/// The pass.
pub const STREAMED: Pass = Pass {
    name: "streamed",
    about: "finds out whether `#[stream]` parameters can arrive in pieces",
    run: |prog, remarks| run(prog, remarks),
};

fn run(prog: &Prog, remarks: &mut Remarks) {
    for entry in &prog.entries {
        let fun = &prog.funs[entry.fun];
        for attr in entry.attrs.iter().filter(|attr| attr.name == "stream") {
            let Some(name) = attr.args.first().map(|name| name.name.as_str()) else { continue };
            for var in parts(entry, fun, name) {
                parameter(fun, name, var, remarks);
            }
        }
    }
}

/// The parts of a parameter.
fn parts(entry: &Entry, fun: &Fun, name: &str) -> Vec<Var> {
    let count = |external: &External| match external {
        External::Transparent(..) => 1,
        External::Opaque(opaque, _) => opaque.parts.len(),
    };
    let all: usize = entry.params.iter().map(|(_, external)| count(external)).sum();
    // Sizes come first.
    let mut at = fun.params.len().saturating_sub(all);
    for (param, external) in &entry.params {
        let next = at + count(external);
        if param == name {
            return fun.params[at..next].iter().map(|param| param.var).collect();
        }
        at = next;
    }
    Vec::new()
}

fn parameter(fun: &Fun, name: &str, var: Var, remarks: &mut Remarks) {
    let mut reader: Option<&Stm> = None;
    let somewhere = fun.body.stms.iter().find_map(|stm| stm.loc.as_ref());
    let mut missed = |loc: Option<&Loc>, other: Option<&Loc>, why: String| {
        let text = format!("\"{name}\" cannot arrive in pieces: {why}");
        remarks.add(STREAMED.name, RemarkKind::Missed, loc.or(somewhere), other, text);
    };
    for stm in &fun.body.stms {
        let uses = uses(stm, var);
        if uses == 0 {
            continue;
        }
        let as_input = inputs(&stm.exp).iter().filter(|input| **input == var).count();
        if uses > as_input {
            return missed(stm.loc.as_ref(), None, why(&stm.exp, as_input).to_owned());
        }
        if let Some(first) = reader {
            let why = "it is read again here, after the operator {other}".to_owned();
            return missed(stm.loc.as_ref(), first.loc.as_ref(), why);
        }
        reader = Some(stm);
    }
    if fun.body.results.contains(&Atom::Var(var)) {
        return missed(None, None, "it is a result as it is".to_owned());
    }
    if let Some(stm) = reader {
        let text = format!("\"{name}\" can arrive in pieces: only this operator reads it");
        remarks.add(STREAMED.name, RemarkKind::Done, stm.loc.as_ref(), None, text);
    }
}

/// The arrays whose elements an operator reads in order.
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions read all of an array")]
fn inputs(exp: &Exp) -> &[Var] {
    match exp {
        Exp::Screma(op) => &op.inputs,
        Exp::Hist(op) => &op.inputs,
        Exp::Scatter(op) => &op.inputs,
        Exp::Stream(op) => &op.inputs,
        Exp::Partition(op) => &op.inputs,
        _ => &[],
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others need no words of their own")]
fn why(exp: &Exp, as_input: usize) -> &'static str {
    match exp {
        _ if as_input > 0 => "the operator here reads other elements than the one that it is at",
        Exp::Screma(_) | Exp::Hist(_) | Exp::Scatter(_) | Exp::Stream(_) | Exp::Partition(_) => {
            "the function of the operator here reads its elements in any order"
        }
        Exp::Index(..) | Exp::FlatIndex(..) => "an element or a slice of it is read here",
        Exp::Loop(..) => "the loop here may read it in each iteration",
        Exp::If(..) | Exp::Switch(..) => "a branch here may read it, or not",
        Exp::Call(..) => "the function that is called here may read all of it",
        _ => "all of it is needed at once here",
    }
}

fn uses(stm: &Stm, var: Var) -> usize {
    struct Count(Var, usize);
    impl Visit for Count {
        fn use_var(&mut self, var: &Var) {
            self.1 += usize::from(*var == self.0);
        }
    }
    let mut count = Count(var, 0);
    walk_stm(&mut count, stm);
    count.1
}
