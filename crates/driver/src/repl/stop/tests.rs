//! Sessions that stop.

use super::AtBreakpoints;
use crate::files::Memory;
use crate::repl::tests::check_with;
use crate::repl::{Breaks, Repl};
use std::sync::{Arc, Mutex, PoisonError};

#[track_caller]
fn check(lines: &[(&str, &str)]) {
    let mut repl = Repl::new(Memory::default(), Breaks::WhenLong);
    repl.set_at_breakpoints(AtBreakpoints::Wait);
    check_with(&mut repl, lines);
}

#[test]
fn names_of_frames_can_be_used() {
    check(&[
        ("def g [n] (xs: [n]i32) y = let z = y + 1 in #[break] (xs[0] + z)", ""),
        ("def f q = let ys = map (\\x -> let w = x + q in break w) [1, 2] in g ys q", ""),
        (
            "f 10",
            "breakpoint at [1]:1:48-55\n-> #0  [1]:1:48-55\n   #1  [1]:1:20-63\n   #2  [2]:1:1-5\n   q = 10\n   x = 1\n   w = 11",
        ),
        ("w + x", "12"),
        (
            ":frame 1",
            "breakpoint at [1]:1:48-55\n   #0  [1]:1:48-55\n-> #1  [1]:1:20-63\n   #2  [2]:1:1-5\n   q = 10",
        ),
        ("w", "refused 2 unknown-name"),
        (":frame 3", "there are the frames 0 to 2"),
        (
            ":unbreak",
            "breakpoint at [0]:1:45-65\n-> #0  [0]:1:45-65\n   #1  [1]:1:67-73\n   #2  [2]:1:1-5\n   n = 2\n   xs = [11, 12]\n   y = 10\n   z = 11",
        ),
        (":type xs", "[n]i32"),
        ("zip xs (iota n)", "[(11, 0), (12, 1)]"),
        ("def twice = 2 * y", ""),
        ("twice", "20"),
        // An evaluation inside of another that waits.
        (
            "g [1] 2",
            "breakpoint at [0]:1:45-65\n-> #0  [0]:1:45-65\n   #1  [12]:1:1-8\n   n = 1\n   xs = [1]\n   y = 2\n   z = 3",
        ),
        ("", "4"),
        ("twice", "20"),
        ("", "22"),
        ("twice", "refused 2 unknown-name"),
        (":unbreak", "no evaluation waits at a breakpoint"),
        // It still passes the first one by.
        (
            "f 1",
            "breakpoint at [0]:1:45-65\n-> #0  [0]:1:45-65\n   #1  [1]:1:67-73\n   #2  [16]:1:1-4\n   n = 2\n   xs = [2, 3]\n   y = 1\n   z = 2",
        ),
        (":abort", "interrupted"),
        ("z", "refused 2 unknown-name"),
    ]);
}

#[test]
fn what_is_visible_is_what_the_program_can_name() {
    check(&[
        // Scopes that have ended, names that are bound again, functions, names of sizes that nobody has written.
        (
            "def f (as: []i32) = (let t = 1 in t) + (let u = 2 let u = u * as[0] let k = \\v -> v in #[break] k u)",
            "",
        ),
        (
            "f [3]",
            "breakpoint at [0]:1:88-100\n-> #0  [0]:1:88-100\n   #1  [1]:1:1-6\n   as = [3]\n   u = 6",
        ),
        ("", "7"),
        // Arrays that have been consumed are as they were.
        ("def g (xs: *[2]i32) = let ys = xs with [0] = 7 in #[break] ys", ""),
        (
            "g [1, 2]",
            "breakpoint at [2]:1:51-62\n-> #0  [2]:1:51-62\n   #1  [3]:1:1-9\n   xs = [1, 2]\n   ys = [7, 2]",
        ),
        ("(xs, ys)", "([1, 2], [7, 2])"),
        ("", "[7, 2]"),
        // A type parameter is what it stands for; a sum is one.
        (
            "def h 't (x: t) (o: #some t | #none) = match o case #some y -> #[break] y case #none -> x",
            "",
        ),
        (
            "h (1, true) (#some (2, false))",
            "breakpoint at [5]:1:64-74\n-> #0  [5]:1:64-74\n   #1  [6]:1:1-31\n   x = (1, true)\n   o = #some (2, false)\n   y = (2, false)",
        ),
        (":type y", "(i32, bool)"),
        ("y.0 + x.0", "3"),
        ("", "(2, false)"),
        // Recursion, and a constant that is known before it is computed.
        ("def r (n: i32) : i32 = if n <= 0 then #[break] 1 else n * r (n - 1)", ""),
        (
            "r 1",
            "breakpoint at [9]:1:39-49\n-> #0  [9]:1:39-49\n   #1  [9]:1:59-68\n   #2  [10]:1:1-4\n   n = 0",
        ),
        (
            ":frame 1",
            "breakpoint at [9]:1:39-49\n   #0  [9]:1:39-49\n-> #1  [9]:1:59-68\n   #2  [10]:1:1-4\n   n = 1",
        ),
        ("", "1"),
        ("def c = #[break] 3", "breakpoint at [12]:1:9-19\n-> #0  [12]:1:9-19"),
        ("", ""),
        ("c", "3"),
        // What is differentiated has no breakpoints.
        ("vjp (\\y -> #[break] (y * y)) 3f32 1", "6.0"),
    ]);
}

#[test]
fn new_nans_are_breakpoints_if_somebody_wants_them() {
    check(&[
        ("def f (x: f32) = map (\\z -> z / x + 1) [1, 0]", ""),
        (":nanbreak", "operations that make NaN of other numbers are breakpoints"),
        (
            "f 0",
            "NaN is made at [0]:1:29-34\n-> #0  [0]:1:29-34\n   #1  [0]:1:18-46\n   #2  [2]:1:1-4\n   x = 0.0\n   z = 0.0",
        ),
        ("", "[f32.inf, f32.nan]"),
        ("f32.sqrt (-1) + f32.log 1", "NaN is made at [3]:1:1-14\n-> #0  [3]:1:1-14"),
        (":n", "operations that make NaN are no breakpoints any more"),
        ("", "f32.nan"),
        ("f 0", "[f32.inf, f32.nan]"),
        (":f", "\":f\" can be \":format\" and \":frame\""),
    ]);
}

#[test]
fn where_nobody_answers_breakpoints_are_shown() {
    let mut repl = Repl::new(Memory::default(), Breaks::WhenLong);
    let shown: Arc<Mutex<Vec<String>>> = Arc::default();
    let lines = Arc::clone(&shown);
    repl.set_trace(Box::new(move |line| {
        lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }));
    check_with(&mut repl, &[("reduce (+) 0 (map (\\x -> #[break] x) (iota 100))", "4950")]);
    let shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(shown.len(), 11, "{shown:?}");
    assert_eq!(
        shown[1],
        "breakpoint at [0]:1:26-36\n-> #0  [0]:1:26-36\n   #1  [0]:1:15-48\n   x = 1"
    );
    assert_eq!(shown[10], "[0]:1:26-36 is not shown again");
}
