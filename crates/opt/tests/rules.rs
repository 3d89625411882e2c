//! Every rule has a test: a file of `tests/ir/simplify` with its name, in which it applies.
//!
//! What the rule makes there, and that it means the same, is checked by `files.rs`.

use fehu_ir::text::parse;
use fehu_opt::simplify_and_tell;
use std::collections::BTreeSet;
use std::path::Path;

/// The names of the rules, as they stand in the tables of `simplify/rules`.
fn rules() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    for table in include_str!("../src/simplify/rules/mod.rs").split("rules![").skip(1) {
        let table = table.split(']').next().unwrap_or("");
        // The macro's own definition has no names.
        for word in table.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            if let Some((_, name)) = word.split_once("::") {
                names.insert(name);
            }
        }
    }
    names.remove("");
    names
}

#[test]
fn every_rule_applies_in_a_file_with_its_name() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/simplify");
    let rules = rules();
    assert!(rules.len() > 90, "{rules:?}");
    let mut wrong = Vec::new();
    for rule in rules {
        let Ok(text) = std::fs::read_to_string(folder.join(format!("{rule}.ir"))) else {
            wrong.push(format!("there is no tests/ir/simplify/{rule}.ir"));
            continue;
        };
        let (text, _) = text.split_once("-- result").unwrap_or((&text, ""));
        let mut prog = parse(text).unwrap_or_else(|error| panic!("{rule}.ir: {error}"));
        if !simplify_and_tell(&mut prog).contains(rule) {
            wrong.push(format!("\"{rule}\" does not apply in its file"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
