//! What fusion says about streams that it did not fuse: the reason is the right one. And which checks are left.

use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::text::parse;
use fehu_opt::{CHECKS, FUSE};
use std::path::Path;

/// The remarks of fusion about a program of `tests/ir/fuse`, of one kind.
fn remarks(name: &str, kind: RemarkKind) -> Vec<String> {
    remarks_of(&FUSE, name, kind)
}

/// The remarks of a pass about a program of its tests, of one kind.
fn remarks_of(pass: &Pass, name: &str, kind: RemarkKind) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir").join(pass.name);
    let text = std::fs::read_to_string(root.join(name).with_extension("ir")).expect(name);
    let text = text.split("-- result").next().unwrap_or_default();
    let mut prog = parse(text).expect(name);
    let mut remarks = Remarks::default();
    (pass.run)(&mut prog, &mut remarks);
    let found = remarks.list.into_iter().filter(|remark| remark.kind == kind);
    found.map(|remark| remark.text.to_string()).collect()
}

#[test]
fn the_reason_is_told_when_streams_are_not_fused() {
    for (name, reason) in [
        ("stream_not_with_a_sequential_one", "one of the two is sequential"),
        ("stream_not_into_a_sequential_one", "one of the two is sequential"),
        ("stream_not_when_the_total_is_needed", "complete only after the last iteration"),
        ("stream_not_when_it_is_indexed", "it needs more of that result than the element"),
        ("stream_not_past_an_update", "which comes between them, overwrites an array"),
        (
            "stream_not_when_it_updates_what_is_read",
            "it writes to an array that the other one reads",
        ),
        ("stream_not_of_another_width", "not known to have the same number of elements"),
        ("stream_not_into_a_scan", "there is no fusion rule for scans and parallel streams"),
        ("stream_not_if_the_total_is_updated", "carried from chunk to chunk is updated later"),
    ] {
        let missed = remarks(name, RemarkKind::Missed);
        assert!(missed.iter().any(|text| text.contains(reason)), "{name}: {missed:?}");
        assert!(remarks(name, RemarkKind::Done).is_empty(), "{name}: something was fused");
    }
}

#[test]
fn it_is_told_what_kind_of_stream_two_operators_became() {
    let done = remarks("stream_reduce_of_a_recurrence", RemarkKind::Done);
    for kind in ["as a stream", "as a sequential stream"] {
        assert!(done.iter().any(|text| text.ends_with(kind)), "{kind}: {done:?}");
    }
}

#[test]
fn checks_that_are_left_are_told_once_also_if_others_were_hoisted() {
    let name = "only_loops_with_hoisted_checks_are_looked_at_again";
    let left = remarks_of(&CHECKS, name, RemarkKind::Check);
    assert_eq!(left, ["a check is performed in every iteration"]);
}
