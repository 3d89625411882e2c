//! Sessions as texts: what was typed, and what came of it.

use super::{Answer, Breaks, Outcome, Repl, Service, Shown};
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
        Outcome::Value(Shown { text, .. }) | Outcome::Text(text) | Outcome::Stopped(text) => {
            text.clone()
        }
        Outcome::Refused(exit) => format!("refused {}", exit.code()),
        Outcome::Misused(message) => message.clone(),
        Outcome::Failed(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Quit => "quit".to_owned(),
    };
    if codes.is_empty() { outcome } else { format!("{outcome} {}", codes.join(" ")) }
}

#[track_caller]
pub(super) fn check_with(repl: &mut Repl, lines: &[(&str, &str)]) {
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

/// A session, and the lines of its traces.
fn traced() -> (Repl, Arc<Mutex<Vec<String>>>) {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut repl = repl();
    let seen = lines.clone();
    repl.set_trace(Box::new(move |line| seen.lock().expect("nobody panics").push(line.to_owned())));
    (repl, lines)
}

#[test]
fn declared_values_are_computed_once_and_traces_are_shown() {
    let (mut repl, lines) = traced();
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

/// Each of these is interpreted in vain for a while, which nobody sees. Values that machine code has computed are known later,
/// and values that are known are not computed by machine code.
#[test]
fn what_takes_long_becomes_machine_code() {
    let (mut repl, lines) = traced();
    check_with(
        &mut repl,
        &[
            ("def n = 1000000i64", ""),
            ("def y = #[trace(y)] (i64.sum (map (% 7) (iota n)))", ""),
            (
                "def zs = map (\\i -> if i == n then y + i64.sum (iota y) else i * y) (iota 300000)",
                "",
            ),
            ("i64.sum (map (\\i -> zs[i % 300000]) (iota n))", "419998080001500000"),
            ("i64.sum (map (+ y) (iota n))", "3499996500000"),
            ("(length zs, zs[7], y)", "(300000, 20999979, 2999997)"),
        ],
    );
    let lines = lines.lock().expect("nobody panics");
    assert_eq!(*lines, ["y: 2999997i64"]);
    let answer = repl.feed("loop x = 0 while x < 2000000000 do assert (x < n) (x + 1)");
    assert!(text(&answer).contains("Error"), "{answer:?}");
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
    assert_eq!(
        complete(":").candidates,
        [
            "abort", "cd", "format", "frame", "help", "load", "nanbreak", "pwd", "quit", "reload",
            "string", "type", "unbreak"
        ]
    );
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
    assert_eq!(Repl::inputs("-- | Doc\ndef x = 1\n-- end"), ["-- | Doc\ndef x = 1", "-- end"]);
    assert_eq!(Repl::inputs("-- types\n:type x"), ["-- types", ":type x"]);
    assert_eq!(Repl::inputs(""), Vec::<String>::new());
}

#[test]
fn texts_of_values() {
    check(&[
        (":string \"abc\"", "abc"),
        (":s map (+ 1u8) \"HAL\"", "IBM"),
        (":string [1i32]", "write `:string` with an array of type []u8; this is [1]i32"),
        (":string x", "refused 2 unknown-name"),
        (":format half of {6} is {3 * {a = 1}.a}.", "half of 6 is 3."),
        (":format {nothing}", "refused 2 unknown-name"),
        (":format {1", "there is a `{` without its `}`"),
        (":format 1}", "there is a `}` without its `{`"),
        (":pwd", "the folder cannot be told: there are no folders here"),
        (":cd \"x\"", "cannot go to \"x\": there are no folders here"),
    ]);
}

#[test]
fn types_of_values_have_their_sizes() {
    let ty = |text| match repl().feed(text).outcome {
        Outcome::Value(shown) => shown.ty().unwrap_or_default(),
        other => panic!("{other:?}"),
    };
    assert_eq!(ty("1u8"), "u8");
    assert_eq!(ty("[[1f32, 2], [3, 4], [5, 6]]"), "[3][2]f32");
    assert_eq!(ty("{a = (true, 1), b = filter (> 2) (iota 5)}"), "{a: (bool, i32), b: [2]i64}");
    assert_eq!(ty("[{x = [1, 2]}]"), "[1]{x: [2]i32}");
    assert_eq!(ty("[#a 1, #b : #a i32 | #b]"), "[2](#a i32 | #b)");
    assert_eq!(ty("\\x -> x + 1"), "");
}

#[test]
fn names_are_explained() {
    let mut repl = repl();
    let cell = "-- | Twice as much.\ndef twice (x: i32) = 2 * x";
    for input in Repl::inputs(cell) {
        repl.feed(&input);
    }
    repl.feed("module m = {\n-- | Inside.\ndef x = 1i32}");
    let mut inspect = |text: &str, at| {
        repl.inspect(text, at).map(|found| (found.name, found.ty, found.doc.unwrap_or_default()))
    };
    let twice = ("twice".to_owned(), "i32 -> i32".to_owned(), "Twice as much.".to_owned());
    assert_eq!(inspect("twice 3", 2), Some(twice.clone()));
    assert_eq!(inspect("1 + twice", 9), Some(twice));
    assert_eq!(inspect("m.x", 3), Some(("m.x".into(), "i32".into(), "Inside.".into())));
    assert_eq!(inspect("m", 1).map(|found| found.1), Some("{\n  val x : i32\n}".into()));
    assert!(inspect("reduce_by_index", 4).is_some_and(|found| found.2.starts_with("As `hist`")));
    assert!(inspect("f32.sqrt", 8).is_some_and(|found| found.1 == "f32 -> f32"));
    assert_eq!(inspect("nosuch", 3), None);
    assert_eq!(inspect("1 + 2", 3), None);
}

/// What a service answers to requests, line by line.
fn served(requests: &[&str]) -> Vec<String> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&lines);
    let send = move |line: &str| to.lock().expect("nobody panics").push(line.to_owned());
    let mut service = Service::new(repl(), Arc::new(send));
    for request in requests {
        service.answer(request);
    }
    drop(service);
    Arc::into_inner(lines).expect("the service is gone").into_inner().expect("nobody panics")
}

#[test]
fn a_service_answers_in_json() {
    let lines = served(&[
        r#"{"feed": "-- | Doc.\ndef x = 3i32\n\nx + 1\n:type x\n#[trace(here)] x", "number": 7}"#,
        r#"{"feed": "[1u8, 2]", "elements": true}"#,
        r#"{"complete": "ä + f32.sqr + 1", "at": 11}"#,
        r#"{"inspect": "x", "at": 1}"#,
        r#"{"inspect": "y", "at": 1}"#,
        r#"{"is_complete": "1\n(1 +"}"#,
        r#"{"is_complete": "1 + )"}"#,
        r#"{"is_complete": "def f x =\n  x"}"#,
        r#"{"feed": "[1i32, 2][5]"}"#,
        r#"{"feed": ":nosuch"}"#,
        r#"{"eat": "1"}"#,
        "1 +",
        r#"{"feed": ":quit"}"#,
    ]);
    let expected = [
        r#"{"event":"value","text":"4","type":"i32"}"#,
        r#"{"event":"text","text":"i32"}"#,
        r#"{"event":"trace","text":"here: 3i32"}"#,
        r#"{"event":"value","text":"3","type":"i32"}"#,
        r#"{"end":"done"}"#,
        r#"{"elements":"6202012020753802000000000000000102","event":"value","text":"[1, 2]","type":"[2]u8"}"#,
        r#"{"end":"done"}"#,
        r#"{"candidates":["sqrt"],"end":"done","start":8}"#,
        r#"{"doc":"Doc.","end":"done","name":"x","type":"i32"}"#,
        r#"{"end":"unknown"}"#,
        r#"{"end":"incomplete"}"#,
        r#"{"end":"invalid"}"#,
        r#"{"end":"complete"}"#,
    ];
    assert_eq!(&lines[..expected.len()], expected);
    let [failed, command, member, no_json, quit] = &lines[expected.len()..] else {
        panic!("{lines:?}")
    };
    assert!(failed.contains(r#""end":"failed""#) && failed.contains("[5]"), "{failed}");
    assert!(command.contains("there is no command"), "{command}");
    assert!(member.contains("misused") && no_json.contains("misused"), "{member} {no_json}");
    assert_eq!(quit, r#"{"end":"quit"}"#);
}

#[test]
fn messages_for_cells_count_their_lines() {
    let lines = served(&[r#"{"feed": "def x = 1i32\n\nx + y", "number": 4}"#]);
    let [messages, end] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(messages.contains(r#""file":"[4]""#) && messages.contains(r#""line":3"#), "{messages}");
    assert!(messages.contains(r#""sources":{"[4]":"\n\nx + y"}"#), "{messages}");
    assert_eq!(end, r#"{"end":"refused"}"#);
}
