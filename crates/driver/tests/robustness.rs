//! Programs that are too deep, too wide, too long or no text at all: each gets an answer.
//!
//! All of them run through the whole front end. The answer is either nothing, or the codes of the
//! messages; never a failure of the compiler.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::files::{Disk, Files, Memory};
use fehu_driver::load::Root;

const ACCEPTED: [&str; 0] = [];

#[test]
fn nesting_thirty_thousand_deep_is_refused() {
    let shapes = [
        ("def x = ", "(", "1i32", ")"),
        ("def x = ", "[", "1i32", "]"),
        ("def x = ", "{a = ", "1i32", "}"),
        ("def x = ", "(1i32, ", "1i32", ")"),
        ("def x = ", "if true then ", "1i32", " else 2"),
        ("def x = ", "if true then 1 else ", "1i32", ""),
        ("def x = ", "\\y -> ", "1i32", ""),
        ("def x = ", "match 1i32 case _ -> ", "1i32", ""),
        ("def x = ", "loop a = 1i32 for i < 2i32 do ", "1i32", ""),
        ("def x = ", "- ", "1i32", ""),
        ("def x = ", "#a (", "#b", ")"),
        ("def f (x: ", "[1]", "i32", ") = 1i32"),
        ("def f (x: ", "(i32, ", "i32", ")) = 1i32"),
        ("def f (x: ", "i32 -> ", "i32", ") = 1i32"),
        ("def f ", "(", "x: i32", ") = 1i32"),
        ("module m = ", "{ module m = ", "{}", " }"),
        ("module type m = ", "{ module m : ", "{}", " }"),
        ("module m = ", "\\(p: {}) -> ", "{}", ""),
    ];
    for (start, open, middle, close) in shapes {
        let depth = 30_000;
        let program = format!("{start}{}{middle}{}", open.repeat(depth), close.repeat(depth));
        let codes = check_text(&program);
        assert!(codes.contains(&"nesting-too-deep"), "{open}: {codes:?}");
    }
}

#[test]
fn nesting_a_hundred_deep_is_accepted() {
    let module = format!("{}def x = 1i32{}", "module m = { ".repeat(100), " }".repeat(100));
    let path = format!("{}x", "m.".repeat(100));
    assert_eq!(check_text(&format!("{module}\ndef y : i32 = {path}")), ACCEPTED);
    let parentheses = format!("def x = {}1i32{}", "(".repeat(100), ")".repeat(100));
    assert_eq!(check_text(&parentheses), ACCEPTED);
    let branches = format!("def f (b: bool) = {}1i32", "if b then 0 else ".repeat(100));
    assert_eq!(check_text(&branches), ACCEPTED);
}

#[test]
fn five_thousand_lets_and_functions_are_accepted() {
    let lets: String = (1..5000).map(|i| format!("  let x{i} = x{} + 1\n", i - 1)).collect();
    let program = format!("def f (x0: i32) : i32 =\n{lets}  in x4999");
    assert_eq!(check_text(&program), ACCEPTED);
    let functions: String =
        (1..5000).map(|i| format!("def f{i} (x: i32) : i32 = f{} x + {i}\n", i - 1)).collect();
    assert_eq!(check_text(&format!("def f0 (x: i32) : i32 = x\n{functions}")), ACCEPTED);
}

#[test]
fn wide_expressions_are_accepted() {
    let sum = format!("def x : i32 = 1{}", " + 1".repeat(3000));
    assert_eq!(check_text(&sum), ACCEPTED);
    let array = format!("def x : []i32 = [{}]", "1, ".repeat(50_000));
    assert_eq!(check_text(&array), ACCEPTED);
    let pipe = format!("def f (xs: []i32) = xs{}", " |> map (+ 1)".repeat(300));
    assert_eq!(check_text(&pipe), ACCEPTED);
    let fields: String = (0..2000).map(|i| format!("f{i} = {i}i32, ")).collect();
    assert_eq!(check_text(&format!("def r = {{{fields}}}\ndef x = r.f1999")), ACCEPTED);
}

#[test]
fn a_file_of_ten_megabytes_is_accepted() {
    let line = "-- a comment that is as long as many lines of a program are, more or less\n";
    let comments = line.repeat(10_000_000 / line.len());
    assert_eq!(check_text(&format!("{comments}def x = 1i32\n{comments}")), ACCEPTED);
}

#[test]
fn one_line_of_ten_megabytes_with_a_mistake_gets_a_short_message() {
    let program = format!("def x = \"{}\" ++ y", "a".repeat(10_000_000));
    assert_eq!(check_text(&program), ["unknown-name"]);
}

#[test]
fn bytes_that_are_no_program() {
    assert_eq!(check_bytes(b"def x = 1i32 \0"), ["unexpected-character"]);
    assert_eq!(check_bytes(b"\0\0\0\0"), ["unexpected-character"]);
    assert_eq!(check_bytes(b"def x = \xff\xfe"), ["not-utf8"]);
    assert_eq!(check_bytes(b"def s = \"abc"), ["unterminated-string"]);
    assert_eq!(check_bytes(b""), ACCEPTED);
    assert_eq!(check_bytes(b"\r\n\r\n"), ACCEPTED);
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(check_bytes(&all), ["not-utf8"]);
}

#[test]
fn roots_that_cannot_be_read() {
    let folder = env!("CARGO_MANIFEST_DIR");
    assert_eq!(check_root(&Disk, &Root::Path(folder.to_owned())), ["file-is-folder"]);
    let missing = Root::Path(format!("{folder}/no-such-file.fut"));
    assert_eq!(check_root(&Disk, &missing), ["file-not-found"]);
}

#[test]
fn imports_in_circles() {
    let check = |files: &[(&str, &str)]| {
        let files = Memory::new(files.iter().copied());
        check_root(&files, &Root::Path("a.fut".to_owned()))
    };
    assert_eq!(check(&[("a.fut", "import \"a\"\ndef x = 1i32")]), ["import-cycle"]);
    let pair = [("a.fut", "import \"b\"\n"), ("b.fut", "import \"a\"\n")];
    assert_eq!(check(&pair), ["import-cycle"]);
    let shared =
        [("a.fut", "import \"b\" import \"c\"\n"), ("b.fut", "import \"c\""), ("c.fut", "")];
    assert_eq!(check(&shared), ACCEPTED);
}

#[test]
fn many_mistakes_are_all_reported() {
    let program: String = (0..2000).map(|i| format!("def f{i} : i32 = true\n")).collect();
    assert_eq!(check_text(&program), ["type-mismatch"; 2000]);
    let inside: String = (0..1000).map(|i| format!("  let x{i} = nothing{i}\n")).collect();
    assert!(check_text(&format!("def f =\n{inside}  in 1i32")).len() >= 1000);
}

fn check_text(program: &str) -> Vec<&'static str> {
    check_bytes(program.as_bytes())
}

fn check_bytes(bytes: &[u8]) -> Vec<&'static str> {
    check_root(&Memory::default(), &Root::Bytes("test.fut".to_owned(), bytes.to_vec()))
}

/// Checks a program, and draws the first messages. The codes of the errors are the result; the
/// exit code is 2 if there are any.
fn check_root(files: &dyn Files, root: &Root) -> Vec<&'static str> {
    let outcome = check::check(files, root, Warnings::Hide);
    for diagnostic in outcome.diagnostics.iter().take(3) {
        let text = render::text(&outcome.sources, diagnostic, Style::Plain);
        assert!(text.len() < 20_000, "a message of {} bytes", text.len());
    }
    assert_ne!(outcome.exit, Exit::Internal, "{:?}", outcome.diagnostics);
    let codes: Vec<&str> = outcome.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(outcome.exit == Exit::Rejected, !codes.is_empty());
    codes
}
