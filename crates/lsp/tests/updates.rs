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
