//! Lowering does not make code that grows with the number of ways to get somewhere.

use fehu_driver::check::Warnings;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::run::compile;

/// The number of variables in the IR of a program, or the code of the message.
fn size(text: &str) -> Result<usize, &'static str> {
    let root = Root::Bytes("test.fut".to_owned(), text.as_bytes().to_vec());
    let (outcome, compiled) =
        compile(&Memory::default(), &root, Warnings::Hide, Default::default());
    match compiled.as_ref().and_then(|compiled| compiled.prog()) {
        Some(prog) => Ok(prog.funs.iter().map(|(_, fun)| fun.vars.len()).sum()),
        None => Err(outcome.diagnostics.first().map_or("nothing", |found| found.code)),
    }
}

#[test]
fn functions_applied_twice_by_functions_applied_twice() {
    let twice = "def twice 'a (f: a -> a) (x: a): a = f (f x)\n";
    let nested = (0..20).fold("(+ 1)".to_owned(), |f, _| format!("(twice {f})"));
    let size = size(&format!("{twice}entry main (x: i32): i32 = {nested} x"));
    assert!(size.is_ok_and(|size| size < 1_000), "{size:?}");
}

#[test]
fn local_functions_that_call_the_one_before_twice() {
    let mut text = "entry main (k: i32): i32 =\n  let g0 (x: i32) = x + k\n".to_owned();
    for i in 0..20 {
        text.push_str(&format!("  let g{} (x: i32) = g{i} (g{i} x + k)\n", i + 1));
    }
    let size = size(&format!("{text}  in g20 k"));
    assert!(size.is_ok_and(|size| size < 1_000), "{size:?}");
}

#[test]
fn functions_made_by_functions_that_are_called_twice() {
    let mut body = "x + k".to_owned();
    for i in 0..20 {
        body = format!("(let f{i} = \\(x: i32) -> {body} in f{i} (f{i} x + k + x))");
    }
    let size = size(&format!("entry main (k: i32) (x: i32): i32 = {body}"));
    assert!(size.is_ok_and(|size| size < 30_000), "{size:?}");
}

#[test]
fn another_function_at_every_call_is_refused() {
    let text = "
def f (g: i64 -> i64) (n: i64): i64 = if n == 0 then g 0 else f (\\x -> g (x + n)) (n - 1)
entry main (n: i64): i64 = f (\\x -> x) n";
    assert_eq!(size(text), Err("recursion"));
}
