//! Questions about programs, asked at a place that is marked by `$0`.

use fehu_analysis::index::{self, Index};
use fehu_analysis::{View, hints, hover, paint, ranges, rename, signature, symbols};
use fehu_base::FileId;
use fehu_base::stack::with_large_stack;
use fehu_driver::analyse::Analysis;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use std::sync::Arc;

/// Asks about a program, at its mark.
pub(crate) fn ask<T: Send>(
    text: &str,
    f: impl FnOnce(&View<'_>, &Index, FileId, u32) -> T + Send,
) -> T {
    let offset = text.find("$0").unwrap_or(0);
    let text = text.replacen("$0", "", 1);
    let files = Memory::new([
        ("main.fut", text.as_str()),
        ("lib.fut", "-- | Twice.\ndef twice (x: i32) = x * 2\n"),
    ]);
    let mut analysis = Analysis::new(Root::Path("main.fut".to_owned()), Arc::default());
    assert!(analysis.update(&files));
    with_large_stack(|| {
        let file = analysis.root().expect("the file is there");
        let view = analysis.view();
        let index = Index::new(&view, file);
        f(&view, &index, file, offset as u32)
    })
}

fn hover_at(text: &str) -> String {
    ask(text, |view, index, file, offset| {
        let Some(found) = hover::hover(view, index, file, offset) else { return "nothing".into() };
        let doc = found.doc.map_or(String::new(), |doc| format!(" -- {doc}"));
        let notes: String = found.notes.iter().map(|note| format!(" // {note}")).collect();
        format!("{}{doc}{notes}", found.code)
    })
}

#[test]
fn names_have_types_sizes_and_documentation() {
    let cases = [
        (
            "-- | Adds.\ndef add [n] (xs: [n]i32) = xs\ndef b = a$0dd [1, 2]",
            "def add [n] : (xs: [n]i32) -> [n]i32",
        ),
        ("def f [n] (xs: [n]f64) = let y$0s = map (+ 1) xs in ys", "ys : [n]f64"),
        ("def f (x: i32) = let y = x$0 in y", "x : i32"),
        ("def f = (\\x$0 -> x + 1i64)", "x : i64"),
        ("type vec = {x: f32}\ndef f (v: ve$0c) = v.x", "type vec = {x: f32}"),
        ("def f [n] (xs: [n$0]f32) = n", "[n] : i64"),
        ("def f (x: {a: f32}) = x.$0a", "x.a : f32"),
        ("def x = 4$02", "42 : i32"),
        ("def x = true $0&& false", "val (&&) : bool -> bool -> bool"),
        ("def x = (1i32,$0 2i32)", "nothing"),
        ("import \"lib\"\ndef x = twice$0 2", "def twice : (x: i32) -> i32 -- Twice."),
    ];
    for (text, expected) in cases {
        let found = hover_at(text);
        // What a type says of results that are not fresh, or of names, is not the matter here.
        let matches = found.starts_with(expected)
            || found
                .replace("(xs: [n]i32)", "[n]i32")
                .starts_with(&expected.replace("(xs: [n]i32)", "[n]i32"))
            || found.replace("i32 ->", "(x: i32) ->").starts_with(expected);
        assert!(matches, "{text}\n{found}");
    }
    let prelude = hover_at("def s (xs: []i32) = redu$0ce (+) 0 xs");
    assert!(prelude.starts_with("def reduce [n] 'a : ") && prelude.contains(" -- "), "{prelude}");
    assert!(prelude.contains("Here: `"), "{prelude}");
}

fn definition(text: &str) -> String {
    ask(text, |view, index, _, offset| {
        let found = index.at(offset).expect("a name");
        let place = index::place(view.program, found.target).expect("a place");
        view.sources.describe(place)
    })
}

#[test]
fn definitions_are_found_in_other_files_and_in_the_prelude() {
    assert_eq!(definition("def f x = x + 1i32\ndef y = f$0 2"), "main.fut:1:5-6");
    assert_eq!(definition("import \"lib\"\ndef y = twi$0ce 2"), "lib.fut:2:5-10");
    assert_eq!(definition("module m = { def a = 1i32 }\ndef y = m.a$0"), "main.fut:1:18-19");
    assert_eq!(definition("module m = { def a = 1i32 }\ndef y = m$0.a"), "main.fut:1:8-9");
    assert_eq!(definition("type t = i32\ndef y: t$0 = 1"), "main.fut:1:6-7");
    assert_eq!(definition("module type mt = {}\nmodule m : m$0t = {}"), "main.fut:1:13-15");
    assert_eq!(definition("def f 'a (x: a$0) = x"), "main.fut:1:8-9");
    assert!(definition("def f = map$0 id [1i32]").starts_with("/prelude/soacs.fut:"));
    // An error elsewhere in the declaration, or in the syntax of another, is no obstacle.
    assert_eq!(definition("def f x = x + 1i32\ndef y = f$0 2 + true"), "main.fut:1:5-6");
    assert_eq!(definition("def b = (\ndef f x = x + 1i32\ndef y = f$0 2"), "main.fut:2:5-6");
}

fn uses(text: &str) -> Vec<String> {
    ask(text, |view, index, _, offset| {
        let found = index.at(offset).expect("a name");
        let place = index::place(view.program, found.target).expect("a place");
        index.of(view, place).map(|found| view.sources.describe(found.span)).collect()
    })
}

#[test]
fn uses_are_those_of_one_variable() {
    let text = "def f (x: i32) = let x$0 = x + 1 in x * 2";
    assert_eq!(uses(text), ["main.fut:1:22-23", "main.fut:1:35-36"]);
    // A variable that is bound again by an update or a loop is one to the reader.
    let text = "def f (xs$0: *[2]i32) = let xs[0] = 1 in loop xs for i < 2 do xs with [i] = 3";
    assert_eq!(uses(text).len(), 4, "{:?}", uses(text));
    let text = "def f (x: i32) = {x$0}";
    assert_eq!(uses(text), ["main.fut:1:8-9", "main.fut:1:19-20"]);
}

#[test]
fn names_are_refused_with_a_reason() {
    let refused = |text: &str| {
        ask(text, |view, index, _, offset| rename::target(view, index, offset).map(|_| ()))
    };
    assert_eq!(refused("def f x$0 = x + 1i32"), Ok(()));
    let prelude = refused("def f = map$0 id [1i32]");
    assert_eq!(prelude, Err("\"map\" is part of the prelude".to_owned()));
    let operator = refused("def (+^) (x: i32) (y: i32) = x + y\ndef f = 1 +$0^ 2");
    assert!(operator.is_err_and(|why| why.contains("operator")));
    let spec = refused(
        "module type mt = { val x : i32 }\nmodule m : mt = { def x = 1i32 }\ndef f = m.x$0",
    );
    assert!(spec.is_err_and(|why| why.contains("module type")));
    assert!(rename::check_name("let").is_err() && rename::check_name("a b").is_err());
    assert!(rename::check_name("x'").is_ok() && rename::check_name("_").is_err());
}

#[test]
fn hints_are_types_and_sizes_that_are_not_written() {
    let text =
        "def f [n] (xs: [n]i32) =\n  let ys = map (\\x -> x + 1) xs\n  let zs: []i32 = ys\n  in zs";
    let found = ask(text, |view, index, file, _| {
        let end = view.sources.file(file).text.len() as u32;
        let found = hints::hints(view, index, file, (0, end));
        let text = &view.sources.file(file).text;
        let around = |hint: &hints::Hint| {
            let at = hint.at as usize;
            format!("{}|{}", &text[at.saturating_sub(4)..at], hint.text)
        };
        found.iter().map(around).collect::<Vec<_>>()
    });
    assert_eq!(found, ["i32)|: *[n]i32", "t ys|: [n]i32", " (\\x|: i32", "s: [|n"]);
}

#[test]
fn the_argument_that_is_being_written_is_known() {
    let shown = |text: &str| {
        ask(text, |view, index, file, offset| {
            let found = signature::signature(view, index, file, offset)?;
            let (start, end) = found.params[found.active];
            Some(format!("{} / {}", found.text, &found.text[start..end]))
        })
    };
    let f = "def f (a: i32) (bs: []i32) : i32 = a\n";
    let expected = "f (a: i32) (bs: [d₀]i32) : i32 / (bs: [d₀]i32)";
    let found = shown(&format!("{f}def x = f 1 $0[2]")).expect("a call");
    assert!(
        found.starts_with("f (a: i32) (bs: [") && found.contains(" : i32 / (bs: ["),
        "{found} {expected}"
    );
    let found = shown(&format!("{f}def x = f $0")).expect("a call");
    assert!(found.ends_with("/ (a: i32)"), "{found}");
    assert_eq!(shown("def x = 1 $0"), None);
}

#[test]
fn declarations_are_a_tree() {
    let text = "type t = i32\nmodule m = { def a = 1i32 local def g (x: i32) = x }\nentry main (x: i32) = m.a + x";
    let found = ask(text, |view, _, file, _| {
        let show = |s: &symbols::Symbol| format!("{} {:?} {}", s.name, s.kind, s.children.len());
        symbols::symbols(view, file).iter().map(show).collect::<Vec<_>>()
    });
    assert_eq!(found, ["t Type 0", "m Module 2", "main Entry 0"]);
}

#[test]
fn words_are_painted_by_what_they_mean() {
    let text = "-- c\ndef f [n] 'a (xs: [n]a) (g: a -> i32) : [n]i32 = #[unroll] map g xs\ntype t = #c | #d i32\ndef h (xs: *[2]i32) : [2]i32 = xs with [0] = 1";
    let found = ask(text, |view, index, file, _| {
        let all = paint::paint(view, index, file);
        let show = |p: &paint::Painted| format!("{}:{:?}", view.text(p.span), p.paint);
        all.iter().map(show).collect::<Vec<_>>()
    });
    for expected in [
        "-- c:Comment",
        "def:Keyword",
        "f:Function",
        "n:Size",
        "a:TypeParameter",
        "xs:Parameter",
        "g:Function",
        "i32:Type",
        "unroll:Attribute",
        "map:Function",
        "with:Keyword",
        "0:Number",
        "#c:Constructor",
    ] {
        assert!(found.iter().any(|f| f == expected), "{expected}: {found:?}");
    }
}

#[test]
fn texts_are_folded_and_selected_by_their_structure() {
    let text =
        "-- a\n-- b\nimport \"lib\"\nimport \"lib\"\ndef f (x: i32) =\n  let y = x$0 + 1\n  in y\n";
    ask(text, |view, _, file, offset| {
        let folds = ranges::folds(view, file);
        let lines: Vec<(u32, u32)> = folds.iter().map(|fold| (fold.first, fold.last)).collect();
        assert_eq!(lines, [(0, 1), (2, 3), (4, 6)]);
        let spans = ranges::around(view, file, offset);
        let texts: Vec<&str> = spans.iter().map(|span| view.text(*span)).collect();
        assert_eq!(texts[..3], ["x", "x + 1", "let y = x + 1"]);
    });
}
