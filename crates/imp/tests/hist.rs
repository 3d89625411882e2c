//! Histograms do not store what stays as it is, where that is likely.

use fehu_imp::emit::{Options, emit};
use fehu_imp::machine;
use fehu_ir::text::parse;
use fehu_irtest::oracle::{Oracle, Outcome};
use fehu_mem::heap::{Fault, Limits};

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
    let mut placed = fehu_mem::assign::assign(prog.clone()).expect("it has a table");
    fehu_mem::circuit::circuit(&mut placed, false);
    let program = emit(&placed, Options::default());
    let oracle = Oracle { max_size: 20, ..Oracle::default() };
    let runs = oracle.agree_with(&prog, &mut |fun, args| match machine::call(
        &prog,
        &program,
        fun,
        args,
        Limits::default(),
        1,
    ) {
        Ok(values) => Outcome::Values(values),
        Err(Fault::Check(message, _)) => Outcome::Check(message),
        Err(Fault::Undefined(why) | Fault::Memory(why)) => Outcome::Wrong(why),
        Err(Fault::Limit) => Outcome::Limit,
    });
    let runs = runs.unwrap_or_else(|why| panic!("{why}\n{program}"));
    assert!(runs.succeeded > 0, "{runs:?}");
    program.to_string()
}

#[test]
fn a_maximum_that_stays_is_not_stored() {
    assert!(code("max").contains("before"));
    assert!(!code("add").contains("before"));
}
