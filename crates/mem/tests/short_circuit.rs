//! Parts of concatenations that are made where they are needed.

use fehu_ir::text::parse;
use fehu_mem::assign::assign;
use fehu_mem::short_circuit::short_circuit;

/// How many blocks there are if a copy of an array is concatenated with another one.
fn blocks(between: &str) -> usize {
    let text = format!(
        "prog arrays\n\
         fun f (n: i64, k: i64, m: i64, ws: [n]i64, vs: [n]i64) -> (r: [m]i64) =\n\
         \x20 let (a: [n]i64) = copy ws\n\
         {between}\
         \x20 let (c: [m]i64) = concat m (a, b)\n\
         \x20 in (c)\n"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut placed = assign(prog).unwrap_or_else(|_| panic!("too complex\n{text}"));
    short_circuit(&mut placed, false);
    placed.to_string().matches(" before ").count()
}

#[test]
fn operands_whose_sizes_are_known_are_made_in_the_result() {
    assert_eq!(blocks("  let (b: [n]i64) = copy vs\n"), 1);
    assert_eq!(blocks("  let (b: [3]i64) = replicate (3) 1\n"), 1);
}

#[test]
fn an_operand_is_not_made_in_the_result_before_the_other_one_has_a_size() {
    let check = "  let (ok: bool) = le 0 k\n  let (cert: unit) = assert ok \"no\"\n  #[cert cert]\n  \
                 let (b: [k]i64) = replicate (k) 1\n";
    // The first operand has a block of its own; the second one is made in the result.
    assert_eq!(blocks(check), 2);
}
