//! Remarks of passes, and the places that they name.

use fehu_ir::pass::{RemarkKind, Remarks};
use fehu_ir::{Loc, Place};

#[test]
fn places_are_taken_apart() {
    let place = |file, line, column| Some(Place { file, line, column });
    for (text, expected) in [
        ("a.fut:12:3-9", place("a.fut", 12, 3)),
        ("a.fut:12:3", place("a.fut", 12, 3)),
        ("a.fut:12:3-14:5", place("a.fut", 12, 3)),
        ("c:/my-lib/b-1.fut:2:30-31", place("c:/my-lib/b-1.fut", 2, 30)),
        ("my-lib.fut", None),
        ("", None),
    ] {
        assert_eq!(Loc(text.into()).place(), expected, "{text}");
    }
}

#[test]
fn what_was_missed_holds_until_the_pass_runs_again() {
    let mut remarks = Remarks::default();
    remarks.add("fuse", RemarkKind::Done, None, None, "a");
    remarks.add("fuse", RemarkKind::Missed, None, None, "b");
    remarks.add("inline", RemarkKind::Missed, None, None, "c");
    remarks.begin("fuse");
    let left: Vec<&str> = remarks.list.iter().map(|remark| remark.text.as_str()).collect();
    assert_eq!(left, ["a", "c"]);
}

#[test]
fn the_other_place_stands_in_the_sentence() {
    let mut remarks = Remarks::default();
    let other = Loc("a.fut:4:1".into());
    remarks.add("fuse", RemarkKind::Done, None, Some(&other), "fused into the map {other}");
    let sentence =
        remarks.list[0].sentence(|loc| loc.map_or(String::new(), |loc| format!("at {}", loc.0)));
    assert_eq!(sentence, "fused into the map at a.fut:4:1");
}
