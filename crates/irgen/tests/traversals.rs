//! Traversals, free variables, substitution and copies against naive definitions on the text.
//!
//! The printed text of a body has every variable at each of its uses, and `name: type` at its binding, so
//! what is free and what a substitution does can be said in terms of words.

use fehu_base::IdVec;
use fehu_ir::builder::count_stms;
use fehu_ir::free::{bound_in_body, free_in_body, free_in_exp, free_in_lambda, free_in_stm};
use fehu_ir::subst::{Subst, copy_body, import_body, subst_body};
use fehu_ir::text::{renumber_fun, show_body, show_stm, var_name};
use fehu_ir::verify::verify;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Body, Exp, Fun, FunId, Lambda, Var, VarInfo};
use fehu_irgen::rng::Rng;
use fehu_irgen::{Config, random_prog};
use std::collections::BTreeSet;

const PROGRAMS: u64 = 80;

/// The words of a text, and whether a binding is meant: a colon and a space follow.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut words = Vec::new();
    let mut rest = text;
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while let Some(start) = rest.find(is_word) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        words.push((rest[..end].to_owned(), rest[end..].starts_with(": ")));
        rest = &rest[end..];
    }
    words
}

fn naive_free(text: &str, vars: &IdVec<Var, VarInfo>) -> BTreeSet<String> {
    let names: BTreeSet<String> = vars.iter().map(|(var, _)| var_name(var, vars)).collect();
    let words = words(text);
    let bound: BTreeSet<&String> = words.iter().filter(|(_, b)| *b).map(|(w, _)| w).collect();
    let used = words.iter().map(|(word, _)| word).filter(|word| names.contains(*word));
    used.filter(|word| !bound.contains(word)).cloned().collect()
}

fn names(found: Vec<Var>, vars: &IdVec<Var, VarInfo>) -> BTreeSet<String> {
    let count = found.len();
    let names: BTreeSet<String> = found.into_iter().map(|var| var_name(var, vars)).collect();
    assert_eq!(names.len(), count, "a free variable is listed twice");
    names
}

/// All bodies of a function, the outermost included.
fn bodies(body: &Body) -> Vec<Body> {
    struct Bodies(Vec<Body>);
    impl Visit for Bodies {
        fn body(&mut self, body: &Body) {
            self.0.push(body.clone());
            fehu_ir::visit::walk_body(self, body);
        }
    }
    let mut all = Bodies(Vec::new());
    all.body(body);
    all.0
}

fn each_fun(mut check: impl FnMut(u64, Fun)) {
    for seed in 0..PROGRAMS {
        let prog = random_prog(seed, Config::default());
        for (_, fun) in prog.funs.iter() {
            check(seed, fun.clone());
        }
    }
}

#[test]
fn free_variables_are_those_of_the_text() {
    each_fun(|seed, fun| {
        for body in bodies(&fun.body) {
            let naive = naive_free(&show_body(&body, &fun.vars), &fun.vars);
            assert_eq!(names(free_in_body(&body, &fun.vars), &fun.vars), naive, "seed {seed}");
            for stm in &body.stms {
                let naive = naive_free(&show_stm(stm, &fun.vars), &fun.vars);
                let free = names(free_in_stm(stm, &fun.vars), &fun.vars);
                assert_eq!(free, naive, "seed {seed}");
                // The expression alone has no more than that.
                let exp = names(free_in_exp(&stm.exp, &fun.vars), &fun.vars);
                let pat: BTreeSet<String> =
                    stm.pat.iter().map(|var| var_name(*var, &fun.vars)).collect();
                assert!(exp.is_subset(&(&free | &pat)), "seed {seed}");
                stm.exp.for_each_lambda(&mut |lambda| {
                    let inner = names(free_in_lambda(lambda, &fun.vars), &fun.vars);
                    assert!(inner.is_subset(&exp), "seed {seed}");
                });
            }
        }
    });
}

#[test]
fn substitution_is_replacement_of_words() {
    let mut rng = Rng::new(3);
    each_fun(|seed, mut fun| {
        let all = bodies(&fun.body);
        let mut body = all[rng.below(all.len())].clone();
        let free = free_in_body(&body, &fun.vars);
        let Some(old) = rng.pick(&free) else { return };
        let new = Var(rng.below(fun.vars.len()) as u32);
        let (old_name, new_name) = (var_name(old, &fun.vars), var_name(new, &fun.vars));
        let before = show_body(&body, &fun.vars);
        let subst: Subst = [(old, Atom::Var(new))].into_iter().collect();
        subst_body(&mut body, &mut fun.vars, &subst);
        let after = show_body(&body, &fun.vars);
        let wanted: Vec<(String, bool)> = words(&before)
            .into_iter()
            .map(|(word, b)| (if word == old_name { new_name.clone() } else { word }, b))
            .collect();
        assert_eq!(words(&after), wanted, "seed {seed}: {old_name} by {new_name} in\n{before}");
    });
}

#[test]
fn copies_are_the_same_but_for_their_variables() {
    each_fun(|seed, fun| {
        let mut copied = fun.clone();
        copied.body = copy_body(&fun.body, &mut copied.vars);
        let bound = bound_in_body(&copied.body);
        assert!(bound.iter().all(|var| fun.vars.get(*var).is_none()), "seed {seed}: old variables");
        let free = names(free_in_body(&fun.body, &fun.vars), &fun.vars);
        assert_eq!(names(free_in_body(&copied.body, &copied.vars), &copied.vars), free);

        // The copy, and the import into another table, are the same function.
        let mut vars = IdVec::new();
        let mut subst = Subst::default();
        let mut imported = fun.clone();
        for var in fun.params.iter().map(|param| param.var).chain(fun.results.iter().copied()) {
            let new = vars.push(fun.vars[var].clone());
            subst.insert(var, Atom::Var(new));
        }
        let new_of = |var: Var| subst.get(&var).and_then(|atom| atom.var()).unwrap_or(var);
        imported.params.iter_mut().for_each(|param| param.var = new_of(param.var));
        imported.results.iter_mut().for_each(|var| *var = new_of(*var));
        for index in 0..vars.len() {
            fehu_ir::subst::subst_type(&mut vars[Var(index as u32)].ty, &subst);
        }
        imported.body = import_body(&fun.body, &fun.vars, &mut vars, subst);
        imported.vars = vars;

        let mut wanted = fun.clone();
        renumber_fun(&mut wanted);
        renumber_fun(&mut copied);
        renumber_fun(&mut imported);
        assert!(copied == wanted, "seed {seed}\n{wanted}\n{copied}");
        assert!(imported == wanted, "seed {seed}\n{wanted}\n{imported}");
    });
}

#[test]
fn bodies_are_visited_once_each() {
    fn count(body: &Body) -> usize {
        body.stms
            .iter()
            .map(|stm| {
                let mut inside = 1;
                stm.exp.for_each_body(&mut |body| inside += count(body));
                inside
            })
            .sum()
    }
    fn clear(body: &mut Body) {
        for stm in &mut body.stms {
            stm.exp.map_bodies(&mut |body| {
                clear(body);
                body.stms.clear();
            });
        }
    }
    each_fun(|seed, mut fun| {
        let lets = show_body(&fun.body, &fun.vars).matches("let (").count();
        assert_eq!(count(&fun.body), lets, "seed {seed}");
        assert_eq!(count_stms(&fun.body), lets, "seed {seed}");
        clear(&mut fun.body);
        assert_eq!(count_stms(&fun.body), fun.body.stms.len(), "seed {seed}");
    });
}

#[test]
fn inlining_a_call_keeps_a_program_valid() {
    // The most demanding use of imports: the callee's body in place of the call.
    let mut inlined = 0;
    for seed in 0..PROGRAMS {
        let mut prog = random_prog(seed, Config::default());
        let main = FunId(prog.funs.len() as u32 - 1);
        let mut fun = prog.funs[main].clone();
        let mut stms = Vec::new();
        for stm in std::mem::take(&mut fun.body.stms) {
            let Exp::Call(callee, args) = &stm.exp else {
                stms.push(stm);
                continue;
            };
            let callee = &prog.funs[*callee];
            let params = callee.params.iter().map(|param| param.var);
            let subst: Subst = params.zip(args.iter().copied()).collect();
            let body = import_body(&callee.body, &callee.vars, &mut fun.vars, subst);
            // A branch keeps the scopes apart and gives the results their declared types.
            let fail = Body::of(body.results.clone());
            stms.extend(body.stms);
            let exp = Exp::If(Atom::bool(true), Box::new([fail.clone(), fail]));
            stms.push(fehu_ir::Stm { exp, ..stm });
            inlined += 1;
        }
        fun.body.stms = stms;
        prog.funs[main] = fun;
        if let Err(errors) = verify(&prog) {
            panic!("seed {seed}: {}\n{}", errors[0], fehu_ir::verify::render(&prog, &errors));
        }
    }
    assert!(inlined > 9, "only {inlined} calls");
}

#[test]
fn every_operation_occurs() {
    struct Seen(BTreeSet<String>);
    impl Visit for Seen {
        fn exp(&mut self, exp: &Exp) {
            let text = format!("{exp:?}");
            let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
            self.0.insert(text[..end].to_owned());
            walk_exp(self, exp);
        }
        fn lambda(&mut self, lambda: &Lambda) {
            fehu_ir::visit::walk_lambda(self, lambda);
        }
    }
    let mut seen = Seen(BTreeSet::new());
    each_fun(|_, fun| seen.body(&fun.body));
    let all = "Array Assert Atom BinOp Call CmpOp Concat Const Convert Copy Fail FlatIndex FlatUpdate Flatmap \
               Hist If Index Iota Loop Manifest Math Opaque Partition Rearrange Reinterpret Replicate \
               Reshape Scatter Scratch Screma Stream Switch Trace Tuning UnOp Update UpdateAcc WithAcc";
    let missing: Vec<&str> =
        all.split(' ').filter(|name| !name.is_empty() && !seen.0.contains(*name)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
    assert_eq!(seen.0.len(), all.split_whitespace().count(), "a new operation: {:?}", seen.0);
}
