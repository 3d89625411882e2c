//! Arrays in the functions of operators that share a block, and those that must not.

use fehu_ir::text::parse;
use fehu_ir::verify::verify;
use fehu_mem::assign::assign;
use fehu_mem::merge::merge;
use fehu_mem::table::Origin;

/// How many blocks are allocated, and how many of them go.
fn blocks(text: &str) -> (usize, usize) {
    let text = format!("prog arrays\n{text}");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    let count = |placed: &fehu_mem::table::Placed| {
        let blocks = placed.funs.iter().flat_map(|(_, table)| table.blocks.iter());
        blocks.filter(|(_, block)| matches!(block.origin, Origin::Fresh { .. })).count()
    };
    let before = count(&placed);
    merge(&mut placed);
    verify(&placed.prog).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    (before, before - count(&placed))
}

/// Two arrays of these sizes, an element of the first, and one of the last, with something in between.
fn two(first: &str, second: &str, between: &str) -> String {
    format!(
        "let (a: [{first}]i64) = replicate ({first}) 1 let (r: [{first}]i64) = rearrange (0) a let (u: i64) = index \
         r[0] {between} let (b: [{second}]i64) = replicate ({second}) 2 let (q: [{second}]i64) = rearrange (0) b let (v: \
         i64) = index q[0]"
    )
}

/// These statements at each position of a map.
fn inside(statements: &str) -> String {
    format!(
        "fun f (n: i64, m: i64, t: bool) -> (res: [n]i64) =\n let (is: [n]i64) = iota i64 n 0 1\n let (ys: [n]i64) = screma n (is) \
         map \\(i: i64) -> (i64) {{ {statements} let (w: i64) = add u v in (w) }}\n in (ys)\n"
    )
}

#[test]
fn one_after_the_other_they_share() {
    assert_eq!(blocks(&inside(&two("m", "m", ""))), (3, 1));
    // The maximum, if it can be computed before the map.
    assert_eq!(blocks(&inside(&two("m", "n", ""))), (3, 1));
    let doubled = "let (k: i64) = add m m";
    assert_eq!(blocks(&inside(&two("m", "k", doubled))), (3, 0));
    assert_eq!(blocks(&inside(&two("100", "200", ""))), (3, 1));
    assert_eq!(blocks(&inside(&two("200", "100", ""))), (3, 1));
}

#[test]
fn arrays_that_live_at_the_same_time_do_not() {
    let later = two("m", "m", "") + " let (o: i64) = index r[0]";
    assert_eq!(blocks(&inside(&later)), (3, 0));
    let branch = "let (d: [m]i64) = if t then { in (r) } else { in (a) }";
    let alias = two("m", "m", branch);
    assert_eq!(blocks(&inside(&alias)), (3, 1));
    assert_eq!(blocks(&inside(&(alias + " let (o: i64) = index d[0]"))), (3, 0));
}

#[test]
fn the_host_allocates_for_each() {
    let two = two("m", "m", "");
    let text = format!("fun f (m: i64) -> (res: i64) =\n {two} let (w: i64) = add u v in (w)\n");
    assert_eq!(blocks(&text), (2, 0));
}
