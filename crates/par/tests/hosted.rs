//! Functions that devices cannot call.

use fehu_ir as ir;
use fehu_par::hosted::hosted;

fn names(text: &str) -> Vec<String> {
    let prog = ir::text::parse(text).expect("it is a program");
    let mut names: Vec<String> =
        hosted(&prog).into_iter().map(|id| prog.funs[id].name.to_string()).collect();
    names.sort();
    names
}

#[test]
fn functions_that_call_themselves_and_their_callers_are_the_hosts() {
    let text = "prog arrays
        fun f (n: i64) -> (r: i64) = let (m: i64) = sub n 1i64 let (r: i64) = call f (m) in (r)
        fun g (n: i64) -> (r: i64) = let (r: i64) = call f (n) in (r)
        fun h (n: i64) -> (r: i64) = let (r: i64) = add n 1i64 in (r)
    ";
    assert_eq!(names(text), ["f", "g"]);
}

/// Twenty functions, each of which calls the one before it twice; the first one has this body.
fn doubling(first: &str) -> Vec<String> {
    let mut text = format!("prog arrays\n fun f0 (n: i64) -> (r: i64) = {first} in (r)\n");
    for level in 1..20 {
        let below = level - 1;
        text += &format!(
            "fun f{level} (n: i64) -> (r: i64) = let (a: i64) = call f{below} (n)
             let (b: i64) = call f{below} (a) in (b)\n"
        );
    }
    names(&text)
}

#[test]
fn functions_that_devices_can_call_may_double() {
    assert_eq!(doubling("let (r: i64) = add n 1i64"), Vec::<String>::new());
    let fixed = "let (xs: [8]i64) = replicate (8i64) n let (r: i64) = index xs[3i64]";
    assert_eq!(doubling(fixed), Vec::<String>::new());
}

#[test]
fn functions_of_unknown_memory_that_double_are_the_hosts_from_some_level_on() {
    // What the second call needs depends on what the first one returns.
    let sized = "let (xs: [n]i64) = replicate (n) n let (r: i64) = index xs[3i64]";
    let names = doubling(sized);
    assert!(names.contains(&"f19".to_owned()) && !names.contains(&"f8".to_owned()), "{names:?}");
}
