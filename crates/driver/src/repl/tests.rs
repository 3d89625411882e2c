//! Sessions as texts: what was typed, and what came of it.

use super::{Answer, Breaks, Outcome, Repl};
use crate::files::Memory;
use fehu_base::render::{self, Style};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn repl() -> Repl {
    Repl::new(Memory::default(), Breaks::WhenLong)
}

/// What came of an input, as text: values as they are, errors by their codes or first lines.
fn text(answer: &Answer) -> String {
    let codes: Vec<&str> = answer.diagnostics.iter().map(|found| found.code).collect();
    let outcome = match &answer.outcome {
        Outcome::Incomplete => return "...".to_owned(),
        Outcome::Done => String::new(),
        Outcome::Value(text) | Outcome::Text(text) => text.clone(),
        Outcome::Refused(exit) => format!("refused {}", exit.code()),
        Outcome::Misused(message) => message.clone(),
        Outcome::Failed(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Quit => "quit".to_owned(),
    };
    if codes.is_empty() { outcome } else { format!("{outcome} {}", codes.join(" ")) }
}

#[track_caller]
fn check_with(repl: &mut Repl, lines: &[(&str, &str)]) {
    for (line, expected) in lines {
        let answer = repl.feed(line);
        assert_eq!(text(&answer), *expected, "`{line}`: {:?}", answer.diagnostics);
    }
}

#[track_caller]
fn check(lines: &[(&str, &str)]) {
    check_with(&mut repl(), lines);
}

#[test]
fn expressions_have_values() {
    check(&[
        ("1 + 2", "3"),
        ("-5i8", "-5"),
        ("(1, true, \"abc\")", "(1, true, [97, 98, 99])"),
        ("{y = [1.5f32], x = 1}", "{x = 1, y = [1.5]}"),
        ("()", "()"),
        ("[(1, 2), (3, 4)]", "[(1, 2), (3, 4)]"),
        ("[[1, 2], [3, 4]]", "[[1, 2],\n [3, 4]]"),
        ("([[1, 2], [3, 4]], 5)", "([[1, 2],\n  [3, 4]],\n 5)"),
        ("[] : []i32", "[]"),
        ("[(), ()]", "[(), ()]"),
        ("f32.nan", "f32.nan"),
        ("-f64.inf", "-f64.inf"),
        ("1e10f64", "1.0e10"),
        ("filter (> 2) (iota 5)", "[3, 4]"),
        ("let x = 2 in x * x", "4"),
        ("#[unsafe] 1 + 1", "2"),
    ]);
}

#[test]
fn sums_show_their_constructors() {
    check(&[
        (
            "type t = #none | #some i32 | #pair (i32, f32) | #both t2 i32 type t2 = #a i32 | #b",
            "refused 2 unknown-name",
        ),
        ("type t2 = #a i32 | #b [2]bool", ""),
        ("type t = #none | #some i32 | #pair (i32, f32) | #both t2 i32", ""),
        ("#none : t", "#none"),
        ("#some (-1) : t", "#some -1"),
        ("#pair (1, 2) : t", "#pair (1, 2.0)"),
        ("#both (#a 3) 4 : t", "#both (#a 3) 4"),
        ("#both (#b [true, false]) 4 : t", "#both (#b [true, false]) 4"),
        ("[#some 1, #none, #pair (2, 3)] : []t", "[#some 1, #none, #pair (2, 3.0)]"),
        ("#only 5 : #only i32", "#only 5"),
    ]);
}

#[test]
fn programs_read_every_field_on_its_line() {
    let mut repl = Repl::new(Memory::default(), Breaks::Always);
    let value = |repl: &mut Repl, exp| text(&repl.evaluate("<argument 1>", exp));
    assert_eq!(value(&mut repl, "{a = (1, 2), b = {c = 3}}"), "{a = (1,\n      2),\n b = {c = 3}}");
    assert_eq!(value(&mut repl, "[(1, 2)]"), "[(1, 2)]");
    assert!(value(&mut repl, "iota 2000").ends_with(" 1998, 1999]"));
    assert_eq!(value(&mut repl, "let x = 1"), "refused 2 missing-in");
}

#[test]
fn large_values_are_abridged_for_people() {
    check(&[
        ("iota 2000", "[0, 1, 2, ..., 1997, 1998, 1999]"),
        (
            "map (\\i -> (i, i)) (iota 1001)",
            "[(0, 0), (1, 1), (2, 2), ..., (998, 998), (999, 999), (1000, 1000)]",
        ),
    ]);
    let answer = repl().feed("(iota 20, iota 20, 1)");
    assert_eq!(text(&answer).lines().count(), 3, "{answer:?}");
}

#[test]
fn functions_and_modules_show_their_types() {
    check(&[
        ("seq.map (+ 1) (seq.iota 3)", "[1, 2, 3]"),
        ("\\(x: i32) -> x", "#<fun> : i32 -> i32"),
        ("def id x = x", ""),
        ("id", "#<fun> : '^a. a -> a"),
        ("{f = \\(x: i32) -> x, y = 1}", "{f = #<fun>, y = 1}"),
        ("module m = {def x = 1i64 type t = bool module n = {def f (b: bool) = b}}", ""),
        (
            "m",
            "{\n  type t = bool\n  val x : i64\n  module n : {\n    val f : bool -> bool\n  }\n}",
        ),
        ("m.n.f false", "false"),
        ("[]", "#<polymorphic> : 'a. [0]a"),
    ]);
}

#[test]
fn declarations_accumulate() {
    check(&[
        ("def f (x: i32) = x + 1", ""),
        ("let y = f 41", ""),
        ("y", "42"),
        ("type pair = (i32, i32)", ""),
        ("def p : pair = (y, y)", ""),
        ("module m = {def z = 7i32}", ""),
        ("open m", ""),
        ("z + p.0", "49"),
        ("local def hidden = 3i32", ""),
        ("hidden", "3"),
        ("def a = 1i32 def b = a + 1", ""),
        ("b", "2"),
        ("module type mt = {val q: i32}", ""),
        ("module k : mt = {def q = 9i32}", ""),
        ("k.q", "9"),
        ("entry main (x: i32) = x", ""),
        ("main 4", "4"),
    ]);
}

#[test]
fn a_name_can_be_declared_again() {
    check(&[
        ("def x = 1i32", ""),
        ("def f = x", ""),
        ("def x = true", ""),
        ("(x, f)", "(true, 1)"),
        ("def x = if x then 10i32 else 20", ""),
        ("x", "10"),
        ("type t = i32", ""),
        ("def y : t = 5", ""),
        ("type t = bool", ""),
        ("(y, true : t)", "(5, true)"),
    ]);
}

#[test]
fn imports_stay_open() {
    let files =
        Memory::new([("lib/a.fut", "import \"b\" def a = b + 1"), ("lib/b.fut", "def b = 1i32")]);
    let mut repl = Repl::new(files, Breaks::WhenLong);
    check_with(
        &mut repl,
        &[
            ("import \"lib/a\"", ""),
            ("a", "2"),
            ("b", "refused 2 unknown-name"),
            ("module b = import \"lib/b\"", ""),
            ("b.b", "1"),
            ("import \"lib/c\"", "refused 2 file-not-found"),
            ("a + 1", "3"),
        ],
    );
}

#[test]
fn errors_end_nothing_and_declare_nothing() {
    check(&[
        ("def x = 1i32", ""),
        ("1 + true", "refused 2 type-mismatch"),
        ("nothing", "refused 2 unknown-name"),
        (")", "refused 2 unexpected-token"),
        ("def x = y", "refused 2 unknown-name"),
        ("[1, 2][x + 5]", "Error: Index [6] out of bounds for array of shape [2]."),
        ("def x = [1, 2][7]", "Error: Index [7] out of bounds for array of shape [2]."),
        ("x", "1"),
    ]);
}

#[test]
fn messages_name_the_input() {
    let mut repl = repl();
    repl.feed("def x = true");
    let answer = repl.feed("1 +\n  x");
    let message = render::text(repl.sources(), &answer.diagnostics[0], Style::Plain);
    assert!(message.contains("--> [1]:2:3-4"), "{message}");
    let Outcome::Failed(error) = repl.feed("[1][2]").outcome else { panic!("it fails") };
    assert!(error.to_string().contains("-> #0  [2]:1:1-7"), "{error}");
}

#[test]
fn incomplete_input_waits_for_more() {
    let incomplete = [
        "1 +",
        "(1,",
        "def f x =",
        "def f (x: i32)",
        "let x = 1 in",
        "if true then 1",
        "module m = {",
        "match 1",
        "match 1\ncase 1 -> 2",
        "type t =",
        "\\x ->",
        "import",
        "#[trace]",
        "[1, 2",
        "loop x = 0",
    ];
    for text in incomplete {
        assert!(!Repl::is_complete(text), "`{text}`");
    }
    let complete = [
        "",
        "  ",
        "1",
        "def f x =\n  x",
        "let x = 1",
        ":type (1 +",
        "1 + )",
        "match 1 case _ -> 2",
        "match 1\ncase _ -> 2\n",
        "(1 +\n\n2)",
        "\"abc",
        "if then",
    ];
    for text in complete {
        assert!(Repl::is_complete(text), "`{text}`");
    }
    let mut repl = repl();
    check_with(&mut repl, &[("def f x =", "..."), ("def f x =\n  x + 1i32", ""), ("f 1", "2")]);
    assert_eq!(text(&repl.feed_last("f (")), "refused 2 unexpected-end-of-file");
}

#[test]
fn types_on_request() {
    check(&[
        (":type 1 + 2i64", "i64"),
        (":type iota 3", "[3]i64"),
        (":t \\x -> x && true", "bool -> bool"),
        (":type 1 + true", "refused 2 type-mismatch"),
        (":type (1 +", "refused 2 unexpected-end-of-file"),
        ("def twice 'a (f: a -> a) (x: a) = f (f x)", ""),
        (":type twice", "'a. (a -> a) -> a -> a"),
        ("def r = {a = 1i32}", ""),
        (":type r.a", "i32"),
        ("module m = {def x = 1i64}", ""),
        (":type m", "{\n  val x : i64\n}"),
        (":type", "write `:type EXPR`"),
    ]);
}

#[test]
fn commands() {
    check(&[
        (":quit", "quit"),
        (":q", "quit"),
        (":nonsense", "there is no command \":nonsense\"; try :help"),
        (":", "there is no command \":\"; try :help"),
        (":quit now", "write `:quit`"),
    ]);
    let help = text(&repl().feed(":help"));
    assert!(help.contains(":load FILE") && help.contains(":type EXPR"), "{help}");
}

/// Files that can be changed while a session has them.
#[derive(Clone)]
struct Changing(Arc<Mutex<Memory>>);

impl crate::files::Files for Changing {
    fn read(&self, path: &str) -> Result<Vec<u8>, crate::files::ReadError> {
        self.0.lock().expect("nobody panics").read(path)
    }
    fn identity(&self, path: &str) -> String {
        self.0.lock().expect("nobody panics").identity(path)
    }
}

#[test]
fn files_are_loaded_and_loaded_again() {
    let files = Changing(Arc::new(Mutex::new(Memory::new([
        ("a.fut", "import \"b\" local def secret = 5i32 def a = b + secret"),
        ("b.fut", "def b = 1i32"),
        ("wrong.fut", "def x = "),
    ]))));
    let mut repl = Repl::new(files.clone(), Breaks::WhenLong);
    check_with(
        &mut repl,
        &[
            ("def old = 1i32", ""),
            (":load none.fut", "refused 2 file-not-found"),
            (":load wrong.fut", "refused 2 unexpected-end-of-file"),
            ("old", "1"),
            (":load a.fut", "loaded \"a.fut\""),
            ("old", "refused 2 unknown-name"),
            ("(a, b, secret)", "(6, 1, 5)"),
            ("def c = a * 2", ""),
            ("c", "12"),
        ],
    );
    *files.0.lock().expect("nobody panics") = Memory::new([("a.fut", "def a = 100i32")]);
    check_with(
        &mut repl,
        &[
            ("a", "6"),
            (":reload", "loaded \"a.fut\""),
            ("(a, c)", "(100, 200)"),
            ("b", "refused 2 unknown-name"),
        ],
    );
    *files.0.lock().expect("nobody panics") = Memory::new([("a.fut", "def a = true")]);
    check_with(
        &mut repl,
        &[(":reload", "refused 2 type-mismatch"), ("a", "true"), ("c", "refused 2 unknown-name")],
    );
}

#[test]
fn declared_values_are_computed_once_and_traces_are_shown() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut repl = repl();
    let seen = lines.clone();
    repl.set_trace(Box::new(move |line| seen.lock().expect("nobody panics").push(line.to_owned())));
    check_with(
        &mut repl,
        &[
            ("def x = #[trace(x)] (i32.i64 (length (iota 3)))", ""),
            ("x + x", "6"),
            ("#[trace(y)] (x + 1)", "4"),
            ("1 + #[trace] x", "4"),
            ("def x = x + 1", ""),
            ("x", "4"),
        ],
    );
    assert_eq!(*lines.lock().expect("nobody panics"), ["x: 3i32", "y: 4i32", "[3]:1:5-15: 3i32"]);
}

#[test]
fn parametric_modules_compute_each_of_their_values() {
    check(&[
        ("module f (p: {val n: i64}) = {def xs = iota p.n}", ""),
        ("module a = f {def n = 2i64}", ""),
        ("module b = f {def n = 3i64}", ""),
        ("(a.xs, b.xs)", "([0, 1], [0, 1, 2])"),
        ("(a.xs, b.xs)", "([0, 1], [0, 1, 2])"),
    ]);
}

#[test]
fn what_runs_can_be_interrupted() {
    let mut repl = repl();
    let flag = repl.interrupt();
    let traced = flag.clone();
    repl.set_trace(Box::new(move |_| traced.store(true, Ordering::Relaxed)));
    let endless = "let y = #[trace] 0i32 in loop x = y while true do x + 1";
    assert_eq!(text(&repl.feed(endless)), "interrupted");
    assert!(flag.load(Ordering::Relaxed));
    let declared = format!("def z = {endless}");
    assert_eq!(text(&repl.feed(&declared)), "interrupted");
    check_with(&mut repl, &[("z", "refused 2 unknown-name"), ("1 + 1", "2")]);
}

#[test]
fn deep_input_ends_nothing() {
    let nested = |depth: usize| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    let mut repl = repl();
    check_with(
        &mut repl,
        &[
            (nested(1500).as_str(), "1"),
            (nested(100_000).as_str(), "refused 2 nesting-too-deep"),
            (format!("def deep = {}", nested(1500)).as_str(), ""),
            (format!(":type {}", nested(1500)).as_str(), "i32"),
            ("deep", "1"),
        ],
    );
}

#[test]
fn names_are_completed() {
    let mut repl = repl();
    repl.feed("def fortune (x: i32) = x");
    repl.feed("module my = {def first = 1i32 module inner = {def deep = 2i32}}");
    let complete = |text| repl.complete(text);
    assert_eq!(complete("fort").candidates, ["fortune"]);
    assert_eq!(complete("1 + (for").candidates, ["for", "fortune"]);
    assert_eq!(
        (complete("x my.").start, complete("x my.").candidates),
        (5, vec!["first".into(), "inner".into()])
    );
    assert_eq!(complete("my.inner.d").candidates, ["deep"]);
    assert_eq!(complete("f32.sqr").candidates, ["sqrt"]);
    assert_eq!(
        complete("reduce_by").candidates,
        ["reduce_by_index", "reduce_by_index_2d", "reduce_by_index_3d"]
    );
    assert_eq!(complete(":").candidates, ["help", "load", "quit", "reload", "type"]);
    assert_eq!((complete(":l").start, complete(":l").candidates), (1, vec!["load".to_owned()]));
    assert_eq!(complete(":type fort").candidates, ["fortune"]);
    assert_eq!(complete("1 + ").candidates, [""; 0]);
    assert_eq!(complete("nosuch.x").candidates, [""; 0]);
    assert_eq!(complete("ä").candidates, [""; 0]);
}

/// The promise is a few tens of milliseconds in a compiler that is optimised. The limit here leaves
/// room for one that is not, on a busy machine, and still notices a session whose cost explodes.
#[test]
fn a_hundred_declarations_are_quick() {
    let mut repl = repl();
    for i in 0..100 {
        let text = format!("def f{i} (xs: []i32) = reduce (+) {i} (map (+ 1) xs)");
        assert!(matches!(repl.feed(&text).outcome, Outcome::Done));
    }
    let start = Instant::now();
    check_with(&mut repl, &[("f0 [1, 2] + f99 [3]", "108")]);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn what_is_pasted_is_taken_apart() {
    assert_eq!(Repl::inputs("1 + 1"), ["1 + 1"]);
    assert_eq!(Repl::inputs("1 + 1\n2 + 2\n"), ["1 + 1", "2 + 2"]);
    let function = "def f x =\n  let y = x\n  in y + 1i32";
    assert_eq!(Repl::inputs(&format!("{function}\nf 1\n\nf 2")), [function, "f 1", "", "f 2"]);
    assert_eq!(Repl::inputs("f 1\n|> g\n3"), ["f 1\n|> g", "3"]);
    assert_eq!(
        Repl::inputs("match 1i32\ncase 1 -> 2\ncase _ -> 3\n\n5").last().map(String::as_str),
        Some("5")
    );
    assert_eq!(Repl::inputs("(1,\n2)\n(3"), ["(1,\n2)", "(3"]);
    assert_eq!(Repl::inputs(""), Vec::<String>::new());
}
