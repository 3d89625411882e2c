//! Tests on programs in which every name is bound once, or means the last binding before it, so
//! that they can be resolved by spelling.

use ecow::EcoString;
use fehu_base::{FileId, IdVec};
use fehu_check::program::{Resolved, Tables};
use fehu_check::ty::VarId;
use fehu_check::unused::check_file;
use fehu_check::walk::{Named, Place, Visitor, walk_exp, walk_pat_types, walk_val};
use fehu_syntax::ast::{Dec, DecKind, Exp, ExpKind, Ident, NodeId, Pat, PatKind, TypeParam};
use fehu_syntax::parse;
use rustc_hash::FxHashMap;

#[derive(Default)]
struct Resolver {
    tables: Tables,
    vars: FxHashMap<EcoString, VarId>,
    next: u32,
}

impl Resolver {
    fn bind(&mut self, id: NodeId, name: &Ident) {
        let var = VarId(self.next);
        self.next += 1;
        self.vars.insert(name.name.clone(), var);
        self.tables.binders.insert(id, var);
    }

    fn bind_pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Var(name) => self.bind(pat.id, name),
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
            PatKind::Paren(p) | PatKind::Ascribe(p, _) | PatKind::Attr(_, p) => self.bind_pat(p),
            PatKind::Tuple(ps) | PatKind::Ctor(_, ps) => ps.iter().for_each(|p| self.bind_pat(p)),
            PatKind::Record(fields) => fields.iter().for_each(|f| match &f.pat {
                Some(p) => self.bind_pat(p),
                None => self.bind(f.id, &f.name),
            }),
        }
    }

    fn refer(&mut self, id: NodeId, name: &EcoString) {
        if let Some(&var) = self.vars.get(name) {
            let resolved = Resolved { var, root: var, path: Vec::new(), fields: 0 };
            self.tables.names.insert(id, resolved);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other declarations are not tested here")]
    fn dec(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val(bind) => {
                walk_val(self, bind);
                self.bind(dec.id, &bind.name);
            }
            DecKind::Local(inner) => self.dec(inner),
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Resolver {
    fn exp(&mut self, exp: &'a Exp) {
        if let ExpKind::Var(name) = &exp.kind {
            self.refer(exp.id, &name.name.name);
        }
        walk_exp(self, exp);
    }
    fn pat(&mut self, pat: &'a Pat, _place: Place) {
        walk_pat_types(self, pat);
        self.bind_pat(pat);
    }
    fn named(&mut self, id: NodeId, name: &'a Ident, _what: Named) {
        self.bind(id, name);
    }
    fn type_param(&mut self, param: &'a TypeParam) {
        self.bind(param.id, &param.name);
    }
}

/// The headlines of the warnings, and the text with all fixes applied.
fn check(text: &str) -> (Vec<String>, String) {
    let (file, errors) = parse(FileId(0), text);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    let mut resolver = Resolver::default();
    file.decs.iter().for_each(|dec| resolver.dec(dec));
    let found = check_file(&IdVec::new(), &IdVec::new(), &resolver.tables, &file);
    let mut fixed = text.to_owned();
    let mut edits: Vec<_> =
        found.iter().flat_map(|d| &d.fixes).flat_map(|f| f.edits.clone()).collect();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, new) in edits {
        fixed.replace_range(span.range(), &new);
    }
    (found.into_iter().map(|d| d.message).collect(), fixed)
}

fn unused(text: &str) -> Vec<String> {
    check(text).0
}

#[test]
fn used_names_are_fine() {
    for text in [
        "def f x = x",
        "def f (x, {a, b = c}) = x + a + c",
        "def f (n: i64) (xs: [n]i32) = xs",
        "def f [n] (xs: [n]i32) = xs",
        "def f x = let g y = y in g x",
        "def f xs = loop acc = 0 for i < 10 do acc + xs[i]",
        "def f xs = loop (a, b) = xs while a do (a, b)",
        "def f xs = let xs[0] = 1 in xs",
        "def f a b = loop (a, b) for i < 10 do (a + i, b)",
        "local def helper x = x def f x = helper x",
        "def f x = match x case #a y -> y case #b _ -> x",
        "def f _x _ = 0",
        "def f = \\x -> x",
        "local entry main (x: i32) = x",
        "local def gen x = x #[prop(gen(gen))] def p x = x",
    ] {
        assert_eq!(unused(text), [""; 0], "{text}");
    }
}

#[test]
fn everything_that_can_be_bound_can_be_unused() {
    for (text, message, fixed) in [
        ("def f x = 0", "Unused parameter \"x\"", "def f _x = 0"),
        ("def f = \\x -> 0", "Unused parameter \"x\"", "def f = \\_x -> 0"),
        ("def f = let x = 1 in 0", "Unused variable \"x\"", "def f = let _x = 1 in 0"),
        ("def f = let g _ = 1 in 0", "Unused function \"g\"", "def f = let _g _ = 1 in 0"),
        ("def f {a} = 0", "Unused parameter \"a\"", "def f {a = _a} = 0"),
        ("def f {a = (b: i32)} = 0", "Unused parameter \"b\"", "def f {a = (_b: i32)} = 0"),
        (
            "def f = loop x = 1 for i < 2 do i",
            "Unused loop parameter \"x\"",
            "def f = loop _x = 1 for i < 2 do i",
        ),
        (
            "def f = loop x = 1 for i < 2 do x",
            "Unused loop index \"i\"",
            "def f = loop x = 1 for _i < 2 do x",
        ),
        (
            "def f = loop x = 1 for (i, _) in [] do x",
            "Unused variable \"i\"",
            "def f = loop x = 1 for (_i, _) in [] do x",
        ),
        (
            "def f x = match x case #a y -> 0",
            "Unused variable \"y\"",
            "def f x = match x case #a _y -> 0",
        ),
        ("local def f = 0", "Unused local definition \"f\"", "local def _f = 0"),
        ("def f x = let x[0] = 1 in 0", "Unused update of \"x\"", "def f x = let x[0] = 1 in 0"),
        ("def f (+) = 0", "Unused parameter \"+\"", "def f (+) = 0"),
    ] {
        assert_eq!(check(text), (vec![message.to_owned()], fixed.to_owned()), "{text}");
    }
}

#[test]
fn a_loop_without_initial_value_keeps_its_names() {
    let (messages, fixed) = check("def f a = loop a for i < 10 do i");
    assert_eq!(messages, ["Unused loop parameter \"a\""]);
    assert_eq!(fixed, "def f a = loop a for i < 10 do i");
    let text = "def f a = loop {a} for i < 10 do i";
    assert_eq!(check(text), (messages, text.to_owned()));
}

#[test]
fn hiding_a_size_is_warned_about() {
    let hides = ["\"n\" shadows the size of the same name"];
    assert_eq!(unused("def f [n] (xs: [n]i32) = let n = xs in n"), hides);
    assert_eq!(unused("def f [n] (xs: [n]i32) = \\n -> (xs, n)"), hides);
    assert_eq!(unused("def f [n] (xs: [n]i32) = loop xs for n < 2 do (n, xs)"), hides);
    assert_eq!(unused("def f x = let [n] (y: [n]i32) = x let n = y in n"), hides);
    assert_eq!(unused("def f x = let g [n] (y: [n]i32) = y let n = g x in n"), [""; 0]);
    assert_eq!(unused("def f [n] (xs: [n]i32) = let g [n] (y: [n]i32) = y in g xs"), [""; 0]);
    assert_eq!(unused("def f [n] (xs: [n]i32) = xs def g n = n"), [""; 0]);
}
