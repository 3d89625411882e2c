//! The colours that editors show before the server answers: the TextMate grammar, compared with the lexer.

use fehu_base::FileId;
use fehu_syntax::lexeme::lexemes;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_grammar_agrees_with_the_lexer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut input = String::new();
    for folder in ["prelude", "examples", "tests/programs"] {
        let mut paths: Vec<_> = (std::fs::read_dir(root.join(folder)).expect("a folder"))
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|found| found == "fut"))
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a text");
            // The interpreter of the grammar is slow.
            if text.len() > 4000 && folder != "prelude" {
                continue;
            }
            let tokens: Vec<_> = (lexemes(FileId(0), &text).iter())
                .map(|l| json!([format!("{:?}", l.class), l.span.start, l.span.end]))
                .collect();
            let name = path.display().to_string();
            let program = json!({"name": name, "text": text, "tokens": tokens});
            input.push_str(&format!("{program}\n"));
        }
    }
    let mut child = Command::new("python3")
        .arg(root.join("tests/editors/grammar.py"))
        .arg(root.join("editors/vscode/syntaxes/futhark.tmLanguage.json"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
}
