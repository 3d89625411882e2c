//! What messages look like, and that no place in any text makes the renderer fail.

use super::*;
use crate::source::FileId;

const PROGRAM: &str = "def dot [n] (xs: [n]f32) (ys: [n]f32): f32 =\n  f32.sum (map2 (*) xs ys)\n\n\
                       def main xs ys =\n  dto xs ys\n";

fn span_of(sources: &SourceMap, file: FileId, needle: &str) -> Span {
    let start = sources.file(file).text.find(needle).expect("the text is there") as u32;
    Span::new(file, start, start + needle.len() as u32)
}

fn one_file() -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add("dot.fut", PROGRAM);
    (sources, file)
}

fn full_example() -> (SourceMap, Diagnostic) {
    let (sources, file) = one_file();
    let place = span_of(&sources, file, "dto");
    let diagnostic = Diagnostic::error("unknown-name", place, "unknown name \"dto\"")
        .at("not defined")
        .label(span_of(&sources, file, "dot"), "a similar name")
        .note("expected:  x\nfound:     y")
        .help("names are case-sensitive")
        .fix("use \"dot\"", [(place, "dot".to_owned())]);
    (sources, diagnostic)
}

#[test]
fn an_error_with_two_places_note_help_and_fix() {
    let (sources, diagnostic) = full_example();
    let expected = "\
error[unknown-name]: unknown name \"dto\"
 --> dot.fut:5:3-6
  |
1 | def dot [n] (xs: [n]f32) (ys: [n]f32): f32 =
  |     --- a similar name
...
5 |   dto xs ys
  |   ^^^ not defined
  |
  = note: expected:  x
          found:     y
  = help: names are case-sensitive
help: use \"dot\"
  |
5 -   dto xs ys
5 +   dot xs ys
  |
  = help: for more, run `fehu explain unknown-name`
";
    assert_eq!(text(&sources, &diagnostic, Style::Plain), expected);
}

#[test]
fn colours_only_when_asked_for() {
    let (sources, diagnostic) = full_example();
    assert!(!text(&sources, &diagnostic, Style::Plain).contains('\u{1b}'));
    let coloured = text(&sources, &diagnostic, Style::Coloured);
    assert!(coloured.contains('\u{1b}'));
    assert!(coloured.contains("dot.fut:5:3-6"), "{coloured:?}");
}

#[test]
fn places_in_other_files_have_their_own_frames() {
    let mut sources = SourceMap::new();
    let first = sources.add("a.fut", "import \"b\"\n");
    let second = sources.add("b.fut", "def x = 1\n");
    let diagnostic = Diagnostic::warning("twice", span_of(&sources, first, "\"b\""), "twice")
        .label(span_of(&sources, second, "x"), "here too");
    let expected = "\
warning[twice]: twice
 --> a.fut:1:8-11
  |
1 | import \"b\"
  |        ^^^
  |
 ::: b.fut:1:5-6
  |
1 | def x = 1
  |     - here too
  |
  = help: for more, run `fehu explain twice`
";
    assert_eq!(text(&sources, &diagnostic, Style::Plain), expected);
}

#[test]
fn an_error_without_a_place() {
    let diagnostic = Diagnostic::error_without_place("file-not-found", "no file \"x.fut\"");
    let expected = "\
error[file-not-found]: no file \"x.fut\"
 |
 = help: for more, run `fehu explain file-not-found`
";
    assert_eq!(text(&SourceMap::new(), &diagnostic, Style::Plain), expected);
}

#[test]
fn a_place_at_the_very_end() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.fut", "def x =\n");
    let diagnostic = Diagnostic::error("syntax", Span::new(file, 8, 8), "the file ends here");
    let expected = "\
error[syntax]: the file ends here
 --> a.fut:2:1
  |
2 |
  | ^
  |
  = help: for more, run `fehu explain syntax`
";
    let drawn = text(&sources, &diagnostic, Style::Plain);
    let trimmed: Vec<&str> = drawn.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, expected.lines().collect::<Vec<_>>());
}

#[test]
fn huge_lines_and_places_stay_small() {
    let mut sources = SourceMap::new();
    let line = format!("def x = [{}]", "1, ".repeat(1_000_000));
    let file = sources.add("a.fut", line.clone());
    let whole = Span::new(file, 0, line.len() as u32);
    let late = Span::new(file, 2_000_000, 2_000_001);
    let lines = sources.add("b.fut", "def x = 1\n".repeat(100_000));
    let many = Span::new(lines, 4, 900_000);
    let diagnostic = Diagnostic::error("x", late, "y".repeat(100_000))
        .label(whole, "all")
        .label(many, "many lines")
        .fix("rewrite", [(whole, "z".repeat(1_000_000))]);
    let drawn = text(&sources, &diagnostic, Style::Plain);
    assert!(drawn.len() < 10_000, "{} bytes", drawn.len());
    assert!(drawn.contains("a.fut:1:2000001-2000002"), "{drawn}");
}

#[test]
fn no_place_in_any_text_fails() {
    let texts = ["", "\n", "a\r\nb\r\n", "\t\tx\t=\t1\n", "λx → \u{0} é\n日本語\n\n", "x\n\n\n"];
    for source in texts {
        let mut sources = SourceMap::new();
        let file = sources.add("a.fut", source);
        let limit = source.len() as u32 + 2;
        for start in 0..limit {
            for end in start..limit {
                let span = Span::new(file, start, end);
                let diagnostic = Diagnostic::error("x", span, "y")
                    .at("here")
                    .label(Span::new(file, end, end), "there")
                    .fix("insert", [(span, "λ\nz".to_owned())])
                    .fix("insert", [(span, String::new())]);
                text(&sources, &diagnostic, Style::Plain);
                json::line(&sources, &diagnostic);
            }
        }
    }
}

#[test]
fn json_has_everything_on_one_line() {
    let (sources, diagnostic) = full_example();
    let expected = concat!(
        r#"{"severity":"error","code":"unknown-name","message":"unknown name \"dto\"","#,
        r#""spans":[{"file":"dot.fut","start":92,"end":95,"line":5,"column":3,"end_line":5,"#,
        r#""end_column":6,"label":"not defined","primary":true},"#,
        r#"{"file":"dot.fut","start":4,"end":7,"line":1,"column":5,"end_line":1,"#,
        r#""end_column":8,"label":"a similar name","primary":false}],"#,
        r#""notes":["expected:  x\nfound:     y"],"help":["names are case-sensitive"],"#,
        r#""fixes":[{"message":"use \"dot\"","edits":[{"file":"dot.fut","start":92,"end":95,"#,
        r#""line":5,"column":3,"end_line":5,"end_column":6,"text":"dot"}]}]}"#,
        "\n"
    );
    assert_eq!(json::line(&sources, &diagnostic), expected);
}

#[test]
fn json_escapes() {
    let diagnostic = Diagnostic::error_without_place("x", "a\"b\\c\u{1}\u{85}\té");
    let expected = r#""message":"a\"b\\c\u0001\u0085\té""#;
    let line = json::line(&SourceMap::new(), &diagnostic);
    assert!(line.contains(expected), "{line}");
}
