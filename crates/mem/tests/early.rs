//! Checks move before arrays that are stored, and not further.

use fehu_ir::text::parse;
use fehu_mem::assign::assign;
use fehu_mem::short_circuit::short_circuit;

/// Whether the array is made in the one that it is stored in.
fn in_place(between: &str) -> bool {
    let text = format!(
        "prog arrays\n\
         fun f (n: i64, *xs: [n][4]i64, i: i64, ws: [4]i64) -> (r: [n][4]i64) =\n\
         \x20 let (v: [4]i64) = copy ws\n\
         {between}\
         \x20 #[cert cert]\n\
         \x20 let (ys: [n][4]i64) = update xs[i, 0:4:1] = v\n\
         \x20 in (ys)\n"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    !placed.to_string().contains(" before ")
}

#[test]
fn a_check_moves_before_the_array_that_is_stored() {
    let check = "  let (c: bool) = lt i n\n  let (cert: unit) = assert c \"no\"\n";
    assert!(in_place(check));
}

#[test]
fn an_array_is_not_stored_before_its_check() {
    let check = "  let (e: i64) = index v[0]\n  let (c: bool) = lt i e\n  let (cert: unit) = assert c \"no\"\n";
    assert!(!in_place(check));
}

#[test]
fn no_check_moves_before_another() {
    let check = "  let (e: i64) = index v[0]\n  let (d: bool) = lt e n\n  let (first: unit) = assert d \"first\"\n  \
                 let (c: bool) = lt i n\n  let (cert: unit) = assert c \"no\"\n";
    assert!(!in_place(check));
}

#[test]
fn an_element_that_is_the_index_is_read_before_the_array_is_made() {
    let read = "  let (e: i64) = index ws[0]\n  let (d: bool) = lt e 9\n  let (k: i64) = if d then { let (a: i64) = index ws[1] in (a) } else {(e)}\n  \
                let (c: bool) = lt k n\n  let (cert: unit) = assert c \"no\"\n";
    assert!(in_place(read));
    // It may not be that before the check.
    let first = "  let (e: i64) = index v[0]\n  let (d: bool) = lt e n\n  let (first: unit) = assert d \"first\"\n";
    assert!(!in_place(&format!("{first}{read}")));
}

#[test]
fn no_element_is_read_before_it_changes() {
    let text = |changed: &str| {
        let text = format!(
            "prog arrays\n\
             fun f (n: i64, *xs: [n][4]i64, *ks: [n]i64, ws: [4]i64) -> (r: [n][4]i64, s: [n]i64) =\n\
             \x20 let (v: [4]i64) = copy ws\n\
             \x20 let (y: i64) = index v[0]\n\
             \x20 let (ls: [n]i64) = update ks[0] = y\n\
             \x20 let (k: i64) = index {changed}[0]\n\
             \x20 let (ys: [n][4]i64) = update xs[k, 0:4:1] = v\n\
             \x20 in (ys, ls)\n"
        );
        let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
        short_circuit(&mut placed, false);
        placed.to_string()
    };
    assert!(!text("ws").contains(" before "));
    assert!(text("ls").contains(" before "));
}
