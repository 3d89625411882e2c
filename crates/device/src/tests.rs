//! Programs before this stage, and what the verifier says of them afterwards.

use crate::{Options, device};
use fehu_imp::text::parse;
use fehu_imp::verify::{Phase, verify};

/// The text of a program after this stage, which keeps the rules.
fn after(text: &str) -> String {
    let mut program = parse(text).expect("it is a program");
    verify(&program, Phase::Emitted).expect("it keeps the rules");
    device(&mut program, Options { interleaving: true, copies: true });
    if let Err(errors) = verify(&program, Phase::Device) {
        panic!("{}\n{program}", errors[0]);
    }
    program.to_string()
}

#[test]
fn iterations_that_share_the_memory_of_their_thread_are_not_independent() {
    let code = after(
        "prog imp
         fun f(n: i64) -> () {
           launch \"map\" at \"\" block b of n thread t of 32 {
             for i = 0 .. n independent {
               var row_mem: mem
               var row: *i64
               row_mem = alloc i64[n]
               row = data row_mem[0]
               row[0] = i
             }
             for j = 0 .. n independent {
             }
           }
         }",
    );
    let loops: Vec<&str> = code.lines().filter(|line| line.contains("for ")).collect();
    assert!(!loops[0].contains("independent") && loops[1].contains("independent"), "{loops:?}");
}

#[test]
fn a_constant_of_which_nothing_is_used_is_not_read() {
    let code = after(
        "prog imp
         constant c
         fun c() -> (r: i64) {
           r = 1
         }
         fun f(n: i64) -> () {
           launch \"map\" at \"\" block b of n thread t of 32 {
             const 0 ()
           }
         }",
    );
    assert!(!code.contains("const 0"), "{code}");
}
