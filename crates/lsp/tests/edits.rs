//! Random edits of real programs. After each, the messages are those of a new check, every question has an answer, and
//! the answers are those about a program that was never edited: what is reused of the check before is what a check
//! would find.

use crate::updates::shown;
use fehu_analysis::index::Index;
use fehu_analysis::{complete, hints, hover, paint, ranges, signature, symbols};
use fehu_base::stack::with_large_stack;
use fehu_driver::analyse::Analysis;
use fehu_driver::check::{self, Warnings};
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use std::path::Path;
use std::sync::Arc;

/// A small generator: the same edits in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

const WORDS: [&str; 16] = [
    "(",
    ")",
    "let x = ",
    " in ",
    "def f = ",
    "\n",
    ".",
    "map ",
    "{",
    "}",
    "[",
    "]",
    "-- ",
    "\"",
    " 1 ",
    "module m = ",
];

fn programs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "tests/programs"] {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        paths.extend(entries.map(|entry| entry.path()));
    }
    paths.retain(|path| path.extension().is_some_and(|found| found == "fut"));
    paths.sort();
    let read = |path| std::fs::read_to_string(path).expect("a text");
    paths.into_iter().map(read).filter(|text: &String| text.len() < 6000).collect()
}

#[test]
fn random_edits_are_survived() {
    let count = std::env::var("FEHU_RANDOM_EDITS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(40);
    let mut random = Random(7);
    let texts = programs();
    assert!(!texts.is_empty());
    let (mut text, mut earlier) = (String::new(), String::new());
    let root = || Root::Path("a.fut".to_owned());
    let mut analysis = Analysis::new(root(), Arc::default());
    for number in 0..count {
        if number % 20 == 0 {
            text = texts[random.below(texts.len())].clone();
            earlier = text.clone();
        }
        // Some edits are undone, so that what was wrong becomes right again.
        if random.below(3) == 0 {
            std::mem::swap(&mut text, &mut earlier);
        } else {
            earlier = text.clone();
            edit(&mut text, &mut random);
        }
        let files = Memory::new([("a.fut", text.as_str())]);
        assert!(analysis.update(&files));
        let fresh = check::check(&files, &root(), Warnings::Show);
        let parses =
            !fresh.diagnostics.iter().any(|d| d.is_error()) || fresh.program.files.len() > 1;
        let found = shown(analysis.sources(), analysis.diagnostics());
        let wanted = shown(&fresh.sources, &fresh.diagnostics);
        if parses {
            assert_eq!(found, wanted, "{text}");
        } else {
            let missing = wanted.iter().find(|line| !found.contains(line));
            assert!(missing.is_none(), "{missing:?}\n{text}");
        }
        let mut anew = Analysis::new(root(), Arc::default());
        assert!(anew.update(&files));
        assert_eq!(found, shown(anew.sources(), anew.diagnostics()), "{text}");
        let offset = random.below(text.len() + 1) as u32;
        let answers = with_large_stack(|| questions(&analysis, offset));
        let wanted = with_large_stack(|| questions(&anew, offset));
        let first = answers.iter().zip(&wanted).find(|(a, b)| a != b);
        assert!(first.is_none() && answers.len() == wanted.len(), "{first:?}\n{text}");
    }
}

fn edit(text: &mut String, random: &mut Random) {
    let mut place = || {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (a, b) = (place(), place());
    let (start, end) = (a.min(b), a.max(b));
    let end = (end.min(start + 12)..=end).find(|at| text.is_char_boundary(*at)).unwrap_or(end);
    match random.below(4) {
        // A word becomes another one of the text: such programs parse more often.
        3 => {
            let at = word(text, end..text.len()).or(word(text, 0..end));
            let other = word(text, start..text.len()).or(word(text, 0..start));
            if let (Some(at), Some(other)) = (at, other) {
                let other = text[other].to_owned();
                text.replace_range(at, &other);
            }
        }
        0 => text.replace_range(start..end, ""),
        1 => text.insert_str(start, WORDS[random.below(WORDS.len())]),
        _ => {
            let copy = text[start..end].to_owned();
            text.insert_str(start, &copy);
        }
    }
}

/// The first word that is in a part of the text.
fn word(text: &str, part: std::ops::Range<usize>) -> Option<std::ops::Range<usize>> {
    let inside = &text[part.clone()];
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let start = inside.find(is_letter)?;
    let length = inside[start..].find(|c| !is_letter(c)).unwrap_or(inside.len() - start);
    Some(part.start + start..part.start + start + length)
}

/// The answers to some questions.
fn questions(analysis: &Analysis, offset: u32) -> Vec<String> {
    let file = analysis.root().expect("the file is there");
    let view = analysis.view();
    let text = &view.sources.file(file).text;
    let length = text.len() as u32;
    let index = Index::new(&view, file);
    for found in index.iter() {
        assert!(found.span.file == file && found.span.end <= length, "{found:?}");
    }
    let mut answers: Vec<String> = index.iter().map(|found| format!("{:?}", found.span)).collect();
    for at in index.iter().step_by(7).map(|found| found.span.start).chain([offset]) {
        answers.push(format!("{:?}", hover::hover(&view, &index, file, at)));
    }
    _ = signature::signature(&view, &index, file, offset);
    answers.push(format!("{:?}", symbols::symbols(&view, file)));
    let complete = complete::complete(&view, file, offset.min(floor(text, offset)));
    answers.extend(complete.items.iter().map(|item| item.name.to_string()));
    for hint in hints::hints(&view, &index, file, (0, length)) {
        assert!(hint.at <= length, "{hint:?}");
        answers.push(format!("{hint:?}"));
    }
    let painted = paint::paint(&view, &index, file);
    assert!(painted.is_sorted_by_key(|token| token.span.start));
    assert!(painted.iter().all(|token| token.span.end <= length));
    let folds = ranges::folds(&view, file);
    assert!(folds.iter().all(|fold| fold.first < fold.last));
    let around = ranges::around(&view, file, floor(text, offset));
    assert!(around.iter().all(|span| span.end <= length));
    answers
}

fn floor(text: &str, offset: u32) -> u32 {
    (0..=offset).rev().find(|at| text.is_char_boundary(*at as usize)).unwrap_or(0)
}
