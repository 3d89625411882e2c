//! Histograms do not store what stays as it is, where that is likely.

mod emitted;

use emitted::run;
use fehu_ir::text::parse;

/// The code of a histogram with an operator; it yields what the interpreter says.
fn code(op: &str) -> String {
    let text = format!(
        "prog arrays\n\
         fun f (n: i64, is: [n]i64, xs: [n]i64) -> (hs: [5]i64) =\n\
         let (zeros: [5]i64) = replicate (5) 0\n\
         let (hs_1: [5]i64) = hist n (is, xs)\n\
         map \\(i: i64, x: i64) -> (i64, i64) {{\n\
         let (j: i64) = and i 3\n\
         in (j, x)\n\
         }}\n\
         dest [5] race 1 (zeros) \\(a: i64, b: i64) -> (i64) {{\n\
         let (c: i64) = {op} a b\n\
         in (c)\n\
         }} neutral (0)\n\
         in (hs_1)\n"
    );
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    run(&prog, false)
}

#[test]
fn a_maximum_that_stays_is_not_stored() {
    assert!(code("max").contains("before"));
    assert!(!code("add").contains("before"));
}
