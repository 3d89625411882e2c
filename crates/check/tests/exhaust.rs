//! Tests on patterns in text and types made by hand, without inference.

mod brute_force;

use fehu_base::stack::with_large_stack;
use fehu_base::{Diagnostic, FileId, IdVec, Prim, Severity};
use fehu_check::exhaust::check_value;
use fehu_check::program::{Tables, VarInfo};
use fehu_check::ty::{Size, Ty};
use fehu_syntax::ast::{
    Case, DecKind, Exp, ExpKind, File, Pat, PatKind, TypeExp, TypeExpKind, ValBind,
};
use fehu_syntax::{parse, parse_type};

/// The type that `text` says, without sizes.
fn ty(text: &str) -> Ty {
    let (ty, errors) = parse_type(FileId(0), text);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    read_type(&ty)
}

fn read_type(ty: &TypeExp) -> Ty {
    match &ty.kind {
        TypeExpKind::Name(name, _) => Prim::from_name(&name.name.name).map_or(Ty::Error, Ty::Prim),
        TypeExpKind::Array(_, elem) => Ty::array(Size::Any, read_type(elem)),
        TypeExpKind::Tuple(parts) => Ty::tuple(parts.iter().map(read_type)),
        TypeExpKind::Record(fields) => {
            Ty::record(fields.iter().map(|(f, t)| (f.name.clone(), read_type(t))).collect())
        }
        TypeExpKind::Sum(ctors) => Ty::sum(
            ctors
                .iter()
                .map(|(c, ts)| (c.name.clone(), ts.iter().map(read_type).collect()))
                .collect(),
        ),
        TypeExpKind::Fun(_, a, b) => Ty::fun(read_type(a), read_type(b)),
        TypeExpKind::Paren(inner) => read_type(inner),
        TypeExpKind::Unique(_) | TypeExpKind::Exists(..) | TypeExpKind::Error => Ty::Error,
    }
}

/// The only definition in `text`.
fn definition(text: &str) -> (File, ValBind) {
    let (file, errors) = parse(FileId(0), text);
    assert!(errors.is_empty(), "{text}: {errors:?}");
    let DecKind::Val(bind) = &file.decs[0].kind else { panic!("{text}: not a value") };
    let bind = (**bind).clone();
    (file, bind)
}

/// Says that the pattern has this type, and the patterns in it the types that follow.
fn set_types(tables: &mut Tables, pat: &Pat, ty: &Ty) {
    tables.types.insert(pat.id, ty.clone());
    match (&pat.kind, ty) {
        (PatKind::Paren(p) | PatKind::Ascribe(p, _) | PatKind::Attr(_, p), _) => {
            set_types(tables, p, ty);
        }
        (PatKind::Tuple(ps), Ty::Record(fields)) => {
            ps.iter().zip(fields.iter()).for_each(|(p, (_, t))| set_types(tables, p, t));
        }
        (PatKind::Record(pats), _) => {
            for field in pats {
                if let (Some(p), Some(t)) = (&field.pat, ty.field(&field.name.name)) {
                    set_types(tables, p, t);
                }
            }
        }
        (PatKind::Ctor(name, ps), Ty::Sum(ctors)) => {
            let payload = ctors.iter().find(|(c, _)| *c == name.name).map(|(_, ts)| ts.clone());
            let payload = payload.unwrap_or_default();
            ps.iter().zip(&payload).for_each(|(p, t)| set_types(tables, p, t));
        }
        _ => {}
    }
}

fn run(tables: &Tables, bind: &ValBind) -> Vec<Diagnostic> {
    check_value(&IdVec::<_, VarInfo>::new(), &IdVec::new(), tables, bind)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "anything else fails the test")]
fn cases(exp: &Exp) -> (&Exp, &[Case]) {
    match &exp.kind {
        ExpKind::Match(scrutinee, cases) => (scrutinee, cases),
        other => panic!("not a match: {other:?}"),
    }
}

/// The diagnostics of `match x case p1 -> ... case p2 -> ...` with `x` of the type.
fn check_match(type_text: &str, patterns: &[&str]) -> (String, Vec<Diagnostic>) {
    let text: String = patterns.iter().map(|p| format!(" case {p} -> x")).collect();
    let text = format!("def f x = match x{text}");
    let (_, bind) = definition(&text);
    let mut tables = Tables::default();
    let ty = ty(type_text);
    tables.types.insert(cases(&bind.body).0.id, ty);
    let found = run(&tables, &bind);
    (text, found)
}

/// What is missing, or nothing.
fn unmatched(type_text: &str, patterns: &[&str]) -> Option<String> {
    let (_, found) = check_match(type_text, patterns);
    let error = found.into_iter().find(|d| d.severity == Severity::Error)?;
    assert_eq!(error.code, "unmatched-cases");
    error.message.strip_prefix("Unmatched cases in match expression: ").map(str::to_owned)
}

/// The patterns that are never reached.
fn unreachable(type_text: &str, patterns: &[&str]) -> Vec<String> {
    let (text, found) = check_match(type_text, patterns);
    let warnings = found.iter().filter(|d| d.code == "unreachable-case");
    warnings
        .filter_map(|d| d.primary.as_ref().map(|label| text[label.span.range()].to_owned()))
        .collect()
}

/// The text after the first fix.
fn fixed(type_text: &str, patterns: &[&str]) -> String {
    let (mut text, found) = check_match(type_text, patterns);
    let mut edits = found[0].fixes[0].edits.clone();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, new) in edits {
        text.replace_range(span.range(), &new);
    }
    text
}

#[test]
fn variables_and_wildcards_match_everything() {
    assert_eq!(unmatched("i32", &["y"]), None);
    assert_eq!(unmatched("[]i32", &["_"]), None);
    assert_eq!(unmatched("(i32, bool)", &["(a, b)"]), None);
    assert_eq!(unmatched("(i32, bool)", &["((a), _: bool)"]), None);
    assert_eq!(unmatched("()", &["()"]), None);
    assert_eq!(unmatched("{}", &["{}"]), None);
    assert_eq!(unmatched("{a: i32, b: f32}", &["{b, a = _}"]), None);
    assert_eq!(unmatched("#only i32", &["#only x"]), None);
}

#[test]
fn booleans_have_two_values() {
    assert_eq!(unmatched("bool", &["true", "false"]), None);
    assert_eq!(unmatched("bool", &["true"]).as_deref(), Some("`false`"));
    assert_eq!(
        unmatched("(bool, bool)", &["(true, true)", "(false, false)"]).as_deref(),
        Some("`(true, false)`, `(false, true)`")
    );
    assert_eq!(unmatched("(bool, bool)", &["(_, true)", "(true, _)", "(false, false)"]), None);
    assert_eq!(unmatched("(bool, i32)", &["(true, _)"]).as_deref(), Some("`(false, _)`"));
}

#[test]
fn constructors_are_missed_one_by_one() {
    assert_eq!(unmatched("#a | #b i32 | #c", &["#a", "#b _", "#c"]), None);
    assert_eq!(unmatched("#a | #b i32 | #c", &["#a"]).as_deref(), Some("`#b _`, `#c`"));
    assert_eq!(
        unmatched(
            "#foo (#moo (i32 -> i32) (#none | #some i32) | #boo) | #bar (i32 -> i32)",
            &["#bar f", "#foo #boo", "#foo (#moo f (#some 5))"]
        )
        .as_deref(),
        Some("`#foo (#moo _ #none)`, `#foo (#moo _ (#some 0))`")
    );
    assert_eq!(
        unmatched("#pair bool bool", &["#pair false false", "#pair true true"]).as_deref(),
        Some("`#pair false true`, `#pair true false`")
    );
}

#[test]
fn at_most_three_are_shown() {
    let letters = "#a | #b | #c | #d | #e | #f";
    let (_, found) = check_match(letters, &["#a"]);
    assert!(found[0].message.ends_with("`#b`, `#c`, `#d`"));
    assert!(found[0].notes.iter().any(|n| n.contains("2 more cases")), "{:?}", found[0].notes);
    let text = fixed(letters, &["#a"]);
    assert!(text.contains("case #e -> ???\n  case #f -> ???"), "{text}");
}

#[test]
fn numbers_need_a_wildcard() {
    assert_eq!(unmatched("i32", &["0", "1", "-1"]).as_deref(), Some("`2`"));
    assert_eq!(unmatched("i32", &["0", "1", "_"]), None);
    assert_eq!(unmatched("f32", &["0", "1.0"]).as_deref(), Some("`2.0`"));
    assert_eq!(unmatched("u8", &["'a'"]).as_deref(), Some("`0`"));
    assert_eq!(unmatched("(i32, i32)", &["(0, _)", "(_, 1)"]).as_deref(), Some("`(1, 0)`"));
    assert_eq!(
        fixed("(i32, bool)", &["(0, true)"]),
        "def f x = match x case (0, true) -> x\n  case (0, false) -> ???\n  case (_, _) -> ???"
    );
}

#[test]
fn all_numbers_of_a_small_type_are_enough() {
    let all: Vec<String> = (0..256).map(|n| n.to_string()).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(unmatched("u8", &all), None);
    assert_eq!(unmatched("u8", &all[..255]).as_deref(), Some("`255`"));
    let signed: Vec<String> = (-128..128).map(|n| n.to_string()).collect();
    let signed: Vec<&str> = signed.iter().map(String::as_str).collect();
    assert_eq!(unmatched("i8", &signed), None);
    assert_eq!(unmatched("(i8, #a)", &["(0, _)"]).as_deref(), Some("`(1, _)`"));
    assert_eq!(
        unmatched(
            "#a i8",
            &signed[1..]
                .iter()
                .map(|n| format!("#a ({n})"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
        )
        .as_deref(),
        Some("`#a (-128)`")
    );
}

#[test]
fn records_are_matched_by_name() {
    let record = "{x: bool, y: #a | #b}";
    assert_eq!(
        unmatched(record, &["{y = #a, x}", "{x = true, y}"]).as_deref(),
        Some("`{x = false, y = #b}`")
    );
    assert_eq!(unmatched(record, &["{y = #a, x}", "{x = true, y}", "{x = false, y = #b}"]), None);
    assert_eq!(unmatched("{0: bool, 1: i32}", &["(true, _)"]).as_deref(), Some("`(false, _)`"));
}

#[test]
fn cases_after_everything_are_unreachable() {
    assert_eq!(unreachable("i32", &["1", "_", "2"]), ["2"]);
    assert_eq!(unreachable("i32", &["1", "1", "_"]), ["1"]);
    assert_eq!(unreachable("u8", &["'a'", "97", "_"]), ["97"]);
    assert_eq!(unreachable("u8", &["255", "_", "y"]), ["y"]);
    assert_eq!(unreachable("f32", &["1", "1.0", "0.0", "-0.0", "_"]), ["1.0", "-0.0"]);
    assert_eq!(unreachable("f32", &["0.1", "0.2", "_"]), [""; 0]);
    assert_eq!(unreachable("bool", &["true", "false", "_"]), ["_"]);
    assert_eq!(
        unreachable("(bool, bool)", &["(true, _)", "(_, true)", "(true, true)", "_"]),
        ["(true, true)"]
    );
    assert_eq!(unreachable("#a | #b i32", &["#a", "#b _", "#b 1"]), ["#b 1"]);
    assert_eq!(unreachable("#a | #b i32", &["#b 1", "#a", "#b _"]), [""; 0]);
}

#[test]
fn the_new_case_stays_out_of_an_inner_match() {
    let text = "def f x = match x case true -> match x case y -> y";
    let (_, bind) = definition(text);
    let mut tables = Tables::default();
    let (outer, arms) = cases(&bind.body);
    tables.types.insert(outer.id, Ty::BOOL);
    tables.types.insert(cases(&arms[0].body).0.id, Ty::BOOL);
    let found = run(&tables, &bind);
    let edits = &found[0].fixes[0].edits;
    assert_eq!(edits[0].1, "(");
    assert_eq!(edits[1].1, ")\n  case false -> ???");
    assert_eq!(edits[0].0.start as usize, text.rfind("match").unwrap_or(0));
}

#[test]
fn what_is_in_error_is_left_alone() {
    for (ty, pats) in [
        ("t", &["#a"][..]),
        ("#a | #b", &["#c"]),
        ("#a i32", &["#a"]),
        ("(i32, i32)", &["(1, 2, 3)"]),
        ("{a: i32}", &["{b = 2}"]),
        ("bool", &["1"]),
        ("i32", &["true"]),
        ("i32", &["1.5"]),
        ("[]i32", &["1"]),
    ] {
        assert!(check_match(ty, pats).1.is_empty(), "{ty}");
    }
    let (_, bind) = definition("def f x = match x case 1 -> 2");
    assert!(run(&Tables::default(), &bind).is_empty());
}

fn refutable(type_text: &str, pattern: &str) -> Option<(String, Vec<String>)> {
    let text = format!("def f {pattern} = 0");
    let (_, bind) = definition(&text);
    let mut tables = Tables::default();
    set_types(&mut tables, &bind.params[0], &ty(type_text));
    let error = run(&tables, &bind).into_iter().next()?;
    assert_eq!(error.code, "refutable-pattern");
    let span = error.primary.as_ref().map(|label| label.span)?;
    Some((text[span.range()].to_owned(), error.notes))
}

#[test]
fn parameters_must_be_irrefutable() {
    assert_eq!(refutable("(i32, i32)", "(a, b)"), None);
    assert_eq!(refutable("#a i32", "(#a x)"), None);
    assert_eq!(refutable("#a (#b i32) ()", "(#a (#b x) ())"), None);
    let (part, notes) = refutable("(i32, i32)", "(a, 1)").expect("refutable");
    assert_eq!(part, "1");
    assert!(notes[0].contains("`0`"), "{notes:?}");
    let (part, notes) = refutable("(i32, #a i32 | #b)", "(x, #a y)").expect("refutable");
    assert_eq!(part, "#a y");
    assert!(notes[0].contains("`#b`"), "{notes:?}");
    assert!(refutable("{a: bool}", "{a = true}").is_some());
    assert!(refutable("#a i32", "(#a 1)").is_some());
}

#[test]
fn every_place_of_a_pattern_is_checked() {
    for text in [
        "def f x = let 1 = x in 2",
        "def f = \\1 -> 2",
        "def f = \\x (2, y) -> 2",
        "def f x = let g 1 = 2 in g x",
        "def f x = loop 1 = x for i < 2 do 1",
        "def f x = loop y = x for 1 in [1] do 1",
        "def f x = [(\\(1: i32) -> 2) x]",
        "def f (x: [let 1 = 2 in 3]i32) = x",
        "def f x = x with [let 1 = 2 in 3] = 4",
        "def (+) a 1 = 2",
    ] {
        let (_, bind) = definition(text);
        let found = run(&Tables::default(), &bind);
        let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["refutable-pattern"], "{text}");
    }
}

#[test]
fn many_literals_take_little_work() {
    let numbers: Vec<String> = (0..10_000).map(|n| format!("({n}, {n})")).collect();
    let mut patterns: Vec<&str> = numbers.iter().map(String::as_str).collect();
    assert_eq!(
        unmatched("(i32, i32)", &patterns).as_deref().map(|m| m.starts_with("`(10000, _)`")),
        Some(true)
    );
    patterns.push("_");
    patterns.push("(7, _)");
    assert_eq!(unmatched("(i32, i32)", &patterns), None);
    assert_eq!(unreachable("(i32, i32)", &patterns), ["(7, _)"]);
}

#[test]
fn hard_matches_end() {
    // Row i tests columns i and i+20 only, which makes every order of splitting explode.
    let column = |i: usize, c: &str| {
        let mut row = vec!["_"; 40];
        row[i] = c;
        row[i + 20] = c;
        format!("({})", row.join(", "))
    };
    let rows: Vec<String> = (0..20).flat_map(|i| [column(i, "true"), column(i, "false")]).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let ty = format!("({})", ["bool"; 40].join(", "));
    _ = check_match(&ty, &rows);
}

#[test]
fn wide_tuples_are_fine() {
    let ty = format!("({})", ["i32"; 5000].join(", "));
    let row = |n: &str| format!("({})", [n; 5000].join(", "));
    let (a, b) = (row("1"), row("2"));
    let missing = with_large_stack(|| unmatched(&ty, &[&a, &b])).expect("not exhaustive");
    assert!(missing.starts_with("`(0, _, _"), "{missing}");
}
