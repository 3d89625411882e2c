//! What could stand at a place, in texts that are mostly not programs.

use crate::analysis::ask;
use fehu_analysis::complete::{PLACEHOLDER, complete, wants_placeholder};

fn names(text: &str) -> Vec<String> {
    let at = text.find("$0").expect("a mark");
    let filled = match wants_placeholder(text, at) {
        true => text.replacen("$0", &format!("$0{PLACEHOLDER}"), 1),
        false => text.to_owned(),
    };
    ask(&filled, |view, _, file, offset| {
        complete(view, file, offset).items.into_iter().map(|item| item.name).collect()
    })
}

fn has(text: &str, expected: &[&str], absent: &[&str]) {
    let found = names(text);
    for name in expected {
        assert!(found.iter().any(|f| f == name), "{text}: no {name} in {found:?}");
    }
    for name in absent {
        assert!(!found.iter().any(|f| f == name), "{text}: {name} in {found:?}");
    }
}

#[test]
fn names_in_scope() {
    has(
        "def f (apple: i32) = let avocado = 1 in a$0",
        &["apple", "avocado", "f", "map", "let"],
        &[],
    );
    has("def f (apple: i32) = apple\ndef g = $0", &["f", "map"], &["apple", "g"]);
    has("def f = \\banana -> $0", &["banana"], &[]);
    has("def f = loop acc = 0 for i < 10 do $0", &["acc", "i"], &[]);
    has("def f (x: i32) = match x case cherry -> $0", &["cherry"], &[]);
    has("import \"lib\"\ndef g = tw$0", &["twice"], &[]);
    has("def f = m$0\ndef later = 1", &["map"], &["later"]);
    // The best come first.
    assert_eq!(names("def f (apple: i32) = $0")[0], "apple");
}

#[test]
fn members_and_fields() {
    has("module m = { def a = 1i32 def b = 2i32 }\ndef x = m.$0", &["a", "b"], &["m", "map"]);
    has("def x = f32.$0", &["sqrt", "pi"], &["map"]);
    has("module m = { module n = { def deep = 1i32 } }\ndef x = m.n.$0", &["deep"], &["n"]);
    has("def f (r: {size: i64, name: i32}) = r.$0", &["name", "size"], &["map"]);
    has("def f (r: {size: {w: i64}}) = r.size.$0", &["w"], &["size"]);
    has("def f (rs: []{size: i64}) = rs[0].$0", &["size"], &["map"]);
    has("def f (r: {size: i64}) = let y = r.$0\n  in y + 1", &["size"], &["map"]);
    has("module m = { module n = { def a = 1i32 def b = n'.$0 } }", &[], &["map"]);
}

#[test]
fn types_constructors_attributes_and_words() {
    has("type tree = i32\ndef f (x: $0) = x", &["tree", "i32", "bool"], &["map", "let"]);
    has("type t = #leaf | #node i32\ndef f : t = #$0", &["leaf", "node"], &["map"]);
    has("def f = #[$0] 1", &["unroll", "sequential"], &["map"]);
    has("def f = 1i32\n$0", &["def", "entry", "module"], &[]);
    assert!(names("def f = 1 -- comm$0").is_empty());
    assert!(names("def f = \"str$0\"").is_empty());
}
