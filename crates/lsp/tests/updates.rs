//! Programs that change: what is said about them is what would be said about a new program.

use fehu_base::{Diagnostic, SourceMap};
use fehu_driver::analyse::Analysis;
use fehu_driver::check::{self, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn codes(analysis: &Analysis) -> Vec<&'static str> {
    analysis.diagnostics().iter().map(|found| found.code).collect()
}

/// Messages as people read them: the ids of files differ between two runs.
pub(crate) fn shown(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|found| fehu_base::render::json::line(sources, found)).collect()
}

#[test]
fn what_is_checked_again_is_what_has_changed() {
    let root = || Root::Path("a.fut".to_owned());
    let mut analysis = Analysis::new(root(), Arc::default());
    let steps = [
        ("import \"b\"\ndef x = y + 1", "def y = 1i32"),
        ("import \"b\"\ndef x = y + 1.0", "def y = 1i32"),
        ("import \"b\"\ndef x = y + 1.0", "def y = 1f64"),
        ("import \"b\"\ndef x = z + 1.0", "def y = 1f64"),
        ("import \"c\"\ndef x = z + 1.0", "def y = 1f64"),
        ("import \"b\"\ndef x = intrinsics.sqrt64 y", "def y = 1f64"),
        ("def x = 1i32", "def y = 1f64"),
        ("import \"b\"\ndef x = y + 1.0", "def y = 1f64"),
    ];
    for (a, b) in steps {
        let files = Memory::new([("a.fut", a), ("b.fut", b)]);
        assert!(analysis.update(&files));
        let fresh = check::check(&files, &root(), Warnings::Show);
        let found = shown(analysis.sources(), analysis.diagnostics());
        assert_eq!(found, shown(&fresh.sources, &fresh.diagnostics), "{a}\n{b}");
    }
}

/// One file, whose declarations are kept as far as nothing that they use has changed.
#[test]
fn what_depends_on_a_change_is_checked_again() {
    let root = || Root::Path("a.fut".to_owned());
    let mut analysis = Analysis::new(root(), Arc::default());
    let tail = "\
def g (x: i32) : i32 = let unused = 1i32 in f x
def h = g 1 + k
local def l [n] (xs: [n + k]i32) : i32 = xs[0]
def m = l (rep 0)
entry main (x: i32) = h + m + x
";
    let heads = [
        "def k = 2i32\ndef f (x: i32) = x + 1\n",
        // It moves, and nothing else.
        "def k = 2i32\n\ndef f (x: i32) = x + (1 + 1)\n",
        // The type of a function that is used, and back.
        "def k = 2i32\ndef f (x: f32) = x + 1\n",
        "def k = 2i32\ndef f (x: i32) = x + 1\n",
        // One that is refused says nothing at its uses, and one that does not parse neither.
        "def k = 2i32\ndef f (x: i32) = x + true\n",
        "def k = 2i32\ndef f (x: i32) = x +\n",
        "def k = 2i32\ndef f (x: i32) = x\n",
        // A size that others are made of.
        "def k = 2i64\ndef f (x: i32) = x + 1\n",
        "def k = 3i64\ndef f (x: i32) = x + 1\n",
        // Other names: more, fewer, in another order.
        "def f (x: i32) = x + 1\ndef k = 2i64\n",
        "def o = 1i32\ndef f (x: i32) = x + 1\ndef k = 2i64\n",
        "def f (x: i32) = x + 1\n",
        "def k = 2i32\ndef k = 2i32\ndef f (x: i32) = x + 1\n",
        // More variables than there is room for, with the same type.
        "def k = 2i32\ndef f (x: i32) = let (a, b, c, d, e) = (x, x, x, x, x)\n  let g (p, q, r, s, t, u) = p + q + r + s + t + u : i32\n  in a + b + c + d + e + g (1, 2, 3, 4, 5, 6) + g (1, 2, 3, 4, 5, 6)\n",
        // What is not a value.
        "type t = i32\ndef k = 2i32\ndef f (x: t) = x + 1\n",
        "type t = f32\ndef k = 2i32\ndef f (x: t) = x + 1\n",
        "module o = {def f (x: i32) = x + 1 def k = 2i32}\nopen o\n",
        "module o = {def f (x: i64) = x + 1 def k = 2i32}\nopen o\n",
        "def k = 2i32\ndef f (x: i32) = x + 1\n",
    ];
    for head in heads {
        let text = format!("{head}{tail}");
        let files = Memory::new([("a.fut", text.as_str())]);
        assert!(analysis.update(&files));
        let mut anew = Analysis::new(root(), Arc::default());
        assert!(anew.update(&files));
        let found = shown(analysis.sources(), analysis.diagnostics());
        assert_eq!(found, shown(anew.sources(), anew.diagnostics()), "{text}");
        assert!(!found.is_empty(), "at least the unused variable: {text}");
    }
}

#[test]
fn what_parses_is_checked() {
    let check = |text: &str| {
        let mut analysis = Analysis::new(Root::Path("a.fut".to_owned()), Arc::default());
        analysis.update(&Memory::new([("a.fut", text)]));
        codes(&analysis)
    };
    // The second declaration has a mistake of its own; the uses of the first say nothing.
    let found = check("def f (x: i32) = (x +\ndef g = true + 1\ndef h = f 1 + f 2");
    assert_eq!(found.len(), 2, "{found:?}");
    // What the broken text may have declared is not unknown.
    assert_eq!(check("def 1 f x = x\ndef h = f 1i32").len(), 1);
    assert_eq!(check("def f x = x )\ndef h = q 1i32").len(), 2);
    // What an import that is not there may have declared is not unknown either.
    assert_eq!(check("import \"nowhere\"\ndef h = q 1i32").len(), 1);
}

#[test]
fn a_check_that_nobody_wants_ends() {
    let interrupt = Arc::new(AtomicBool::new(true));
    let mut analysis = Analysis::new(Root::Path("a.fut".to_owned()), interrupt.clone());
    let files = Memory::new([("a.fut", "def f = true + 1")]);
    assert!(!analysis.update(&files));
    interrupt.store(false, Ordering::Relaxed);
    assert!(analysis.update(&files));
    assert_eq!(analysis.diagnostics().len(), 1);
    interrupt.store(true, Ordering::Relaxed);
    assert!(!analysis.update(&Memory::new([("a.fut", "def f = true + 2")])));
    interrupt.store(false, Ordering::Relaxed);
    assert!(analysis.update(&Memory::new([("a.fut", "def f = 1i32 + 2")])));
    assert_eq!(codes(&analysis), [] as [&str; 0]);
}
