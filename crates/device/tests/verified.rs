//! Programs before this stage, and what the verifier says of them afterwards.

use fehu_device::{Options, device};
use fehu_imp::text::parse;
use fehu_imp::verify::{Phase, verify};

/// The text of a program after this stage, which keeps the rules.
fn after(text: &str) -> String {
    after_with(text, true)
}

/// The same, with or without copies of functions.
fn after_with(text: &str, copies: bool) -> String {
    let mut program = parse(text).expect("it is a program");
    verify(&program, Phase::Emitted).expect("it keeps the rules");
    device(&mut program, Options { interleaving: false, copies, host_free: true });
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

/// A block that does the work of several comes to its barriers again, with all threads: who runs short of memory after
/// the last one does not end before the others.
#[test]
fn threads_with_memory_of_their_own_come_to_barriers_again() {
    let work = "var row_mem: mem
                var row: *i64
                row_mem = alloc i64[xs[t]]
                row = data row_mem[0]
                xs[t] = row[0]";
    for rest in [work.to_owned(), format!("if lt_i64(n, 9) {{ barrier {work} }}")] {
        let code = after(&format!(
            "prog imp
             fun f(n: i64, xs_mem: mem) -> () {{
               var xs: *i64
               xs = data xs_mem[0]
               launch \"map\" at \"\" block b of n thread t of 32 {{
                 barrier
                 {rest}
               }}
             }}"
        ));
        assert!(code.contains("leave"), "{code}");
    }
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

/// A kernel that passes an array of its own to a function.
fn with_function(function: &str) -> String {
    format!(
        "prog imp
         {function}
         fun main(n: i64, xs_mem: mem) -> () {{
           var xs: *i64
           xs = data xs_mem[0]
           launch \"map\" at \"\" block b of n thread t of 32 {{
             var l: i64[3]
             var p: *own i64
             var r: i64
             p = &l[1]
             r = call f(n, &l[0])
             r = call f(n, &p[1])
             r = call f(n, &xs[t] in xs_mem)
           }}
         }}"
    )
}

#[test]
fn functions_have_a_version_for_each_memory_of_their_arguments() {
    let text = with_function(
        "fun f(n: i64, ys_mem: mem) -> (r: i64) {
           var zs_mem: mem
           var zs: *i64
           if lt_i64(n, 3) { zs_mem = share ys_mem } else { zs_mem = export &zs[n] in ys_mem }
           zs = data zs_mem[0]
           r = zs[n]
           free zs_mem
         }",
    );
    for copies in [true, false] {
        let code = after_with(&text, copies);
        let signatures: Vec<&str> = code.lines().filter(|l| l.starts_with("device")).collect();
        match copies {
            true => assert!(signatures.is_empty(), "{signatures:?}"),
            false => {
                let own = signatures.iter().filter(|line| line.contains("*own u8")).count();
                assert_eq!((own, signatures.len()), (1, 2), "{code}");
            }
        }
        assert!(!code.contains("copy"), "{code}");
    }
}

#[test]
fn what_a_function_would_mix_with_blocks_is_copied_to_one() {
    let text = with_function(
        "fun g(n: i64, ys_mem: mem) -> (r: mem) {
           if lt_i64(n, 3) { r = share ys_mem } else { r = alloc i64[n] }
         }
         fun f(n: i64, ys_mem: mem) -> (r: i64) {
           var ys: *i64
           var zs_mem: mem
           var zs: *i64
           ys = data ys_mem[0]
           zs_mem = call g(n, &ys[1] in ys_mem)
           zs = data zs_mem[0]
           r = zs[0]
         }",
    );
    for copies in [true, false] {
        let code = after_with(&text, copies);
        let made: Vec<&str> = code.lines().filter(|line| line.contains("<- l")).collect();
        assert_eq!(made.len(), 2, "{code}");
        assert!(!code.contains("*own u8"), "{code}");
    }
}

#[test]
fn threads_of_a_block_agree_about_which_piece_of_memory_is_free() {
    let code = after(
        "prog imp
         fun f(n: i64, xs_mem: mem) -> () {
           var xs: *i64
           xs = data xs_mem[0]
           launch \"block\" at \"\" block b of n thread t of 32 by_block {
             var size: i64 = xs[b]
             var now_mem: mem
             var now: *i64
             now_mem = alloc i64[size]
             now = data now_mem[0]
             for i = 0 .. 2 {
               var next_mem: mem
               var next: *i64
               next_mem = alloc i64[size]
               next = data next_mem[0]
               section {
                 next[t] = now[t]
               }
               barrier
               now_mem = share next_mem
               now = &next[0]
             }
           }
         }",
    );
    assert!(code.contains("nowhere"), "{code}");
}

#[test]
fn threads_of_a_block_take_the_same_piece() {
    let code = after(
        "prog imp
         fun f(n: i64) -> () {
           launch \"block\" at \"\" block b of n thread t of 32 by_block {
             var a_mem: mem
             var a: *i64
             for i = 0 .. n {
               var b_mem: mem
               b_mem = alloc i64[n]
               a_mem = share b_mem
               a = data a_mem[0]
               section {
                 var own_mem: mem
                 var own: *i64
                 own_mem = share a_mem
                 own = data own_mem[0]
                 own[t] = i
               }
               barrier
             }
           }
         }",
    );
    // What the threads have in their sections is not asked for: it is another place for each of them.
    let asked: Vec<&str> = code.lines().filter(|line| line.contains("eq_u64")).collect();
    assert!(asked.len() == 1 && asked[0].contains("a_mem"), "{code}");
    assert!(!asked[0].contains("own_mem"), "{code}");
}
