//! No program makes the compiler fail: the examples, damaged in thousands of ways.
//!
//! The same mutations are made in every run, so a failure can be repeated. The fuzzers in `fuzz/`
//! look further, but need another compiler and time.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use std::path::Path;

/// How often each example is damaged.
const ROUNDS: usize = 300;

/// How far the compiler goes. A full check starts with the prelude, which takes a while in a debug
/// build, so only some programs get it.
#[derive(Clone, Copy)]
enum Depth {
    Syntax,
    Full,
}

impl Depth {
    fn of_round(round: usize) -> Depth {
        if round.is_multiple_of(15) { Depth::Full } else { Depth::Syntax }
    }
}

#[test]
fn damaged_programs_are_refused_politely() {
    let pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "#",
        "--",
        "..",
        "->",
        "\\",
        "=",
        ":>",
        "let",
        "in",
        "loop",
        "case",
        "match",
        "def",
        "module",
        "import \"x\"",
        "\u{0}",
        "é",
        "\r\n",
        "\t",
        "0x",
        "1e",
        "_",
        "!",
        "|>",
        "`",
        "@",
        "?[",
        "*",
        "with",
        "#[",
        "¬",
        "\u{feff}",
        "9999999999999999",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for (name, text) in examples() {
        for round in 0..ROUNDS {
            let mut damaged = text.clone();
            for _ in 0..=round % 4 {
                damage(&mut damaged, &pieces, &mut random);
            }
            survives(&name, damaged, Depth::of_round(round));
        }
    }
}

#[test]
fn every_beginning_of_a_program_is_refused_politely() {
    for (name, text) in examples() {
        let ends = (0..text.len()).step_by(7).filter(|end| text.is_char_boundary(*end));
        for (round, end) in ends.enumerate() {
            survives(&name, text[..end].to_owned(), Depth::of_round(round));
        }
    }
}

#[test]
fn deep_and_wide_programs_do_not_overflow_the_stack() {
    for (open, close) in [("(", ")"), ("[", "]"), ("- ", ""), ("\\x -> ", ""), ("if x then ", "")] {
        for depth in [1000, 100_000] {
            let program = format!("def x = {}1{}", open.repeat(depth), close.repeat(depth));
            let codes = survives("deep", program, Depth::Full);
            if depth == 100_000 {
                assert!(codes.contains(&"nesting-too-deep"), "{open}: {codes:?}");
            }
        }
    }
    survives("wide", format!("def x = 1{}", " + 1".repeat(100_000)), Depth::Full);
    survives("wide", format!("def x = {}0", "let y = 1 ".repeat(100_000)), Depth::Full);
    survives("wide", format!("def f {} = 1", "x ".repeat(100_000)), Depth::Full);
}

/// Checks a program, and draws the messages; only the exit code for our own failure is wrong.
/// The codes of the messages are the result.
fn survives(name: &str, program: String, depth: Depth) -> Vec<&'static str> {
    let root = Root::Bytes(name.to_owned(), program.clone().into_bytes());
    let files = Memory::default();
    let outcome = match depth {
        Depth::Syntax => check::check_syntax(&files, &root),
        Depth::Full => check::check(&files, &root, Warnings::Show),
    };
    let start = &program[..program.floor_char_boundary(2000)];
    assert_ne!(outcome.exit, Exit::Internal, "{name}: {:?}\n{start}", outcome.diagnostics);
    for diagnostic in outcome.diagnostics.iter().take(5) {
        let drawn = render::text(&outcome.sources, diagnostic, Style::Plain);
        assert!(drawn.len() < 100_000, "{name}: a message of {} bytes\n{start}", drawn.len());
    }
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The example programs, sorted by name.
fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "fut"));
    paths.sort();
    assert!(!paths.is_empty());
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("an example can be read");
        (path.display().to_string(), text)
    };
    paths.iter().map(read).collect()
}

/// Removes, repeats or moves a piece of the text, or inserts another one.
fn damage(text: &mut String, pieces: &[&str], random: &mut Random) {
    let a = text.floor_char_boundary(random.below(text.len() + 1));
    let b = text.floor_char_boundary((a + random.below(30)).min(text.len()));
    match random.below(4) {
        0 => text.replace_range(a..b, ""),
        1 => {
            let piece = text[a..b].to_owned();
            let place = text.floor_char_boundary(random.below(text.len() + 1));
            text.insert_str(place, &piece);
        }
        2 => text.replace_range(a..b, pieces[random.below(pieces.len())]),
        _ => text.insert_str(a, pieces[random.below(pieces.len())]),
    }
}

/// A small generator (xorshift): the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
