//! What random programs are made of, and what becomes of them when they are made smaller.

use fehu_base::FileId;
use fehu_base::id::Id;
use fehu_srcgen::reduce::reduce;
use fehu_srcgen::{Config, program};

fn text(seed: u64) -> String {
    program(seed, Config::of_seed(seed)).text
}

fn parses(text: &str) -> bool {
    fehu_syntax::parse(FileId::from_index(0), text).1.is_empty()
}

#[test]
fn a_seed_makes_the_same_program_each_time() {
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

#[test]
fn all_programs_parse() {
    for seed in 0..300 {
        assert!(parses(&text(seed)), "{}", text(seed));
    }
}

#[test]
fn constants_call_no_function_that_may_fail() {
    let mut constants = 0;
    // One of four programs has functions that fail.
    for seed in (0..4000).step_by(4) {
        for line in text(seed).lines() {
            let is_constant = line.starts_with("  def zero : t = ")
                || line.strip_prefix(&format!("def p{seed}_c")).is_some();
            if is_constant {
                constants += 1;
                let call = [".op ", ".make ", ".get ", &format!("p{seed}_f")];
                assert!(!call.iter().any(|call| line.contains(call)), "seed {seed}: {line}");
            }
        }
    }
    assert!(constants > 300, "{constants}");
}

#[test]
fn programs_have_what_the_language_has() {
    let all: String = (0..600).map(text).collect();
    for word in [
        "module type",
        "M.op",
        "match ",
        "#some",
        " with ",
        "loop ",
        " while ",
        " in (",
        "scatter ",
        "reduce_by_index ",
        "scan ",
        "reduce ",
        "filter ",
        "partition ",
        "flatten ",
        "unflatten ",
        "transpose ",
        "rotate ",
        "reverse ",
        "zip ",
        "unzip ",
        "::-",
        " ++ ",
        "f16.nan",
        "(-0.0f16)",
        "1.0e-45f32",
        "i8.lowest",
        "u64.highest",
        " ** ",
        " << ",
        ".>>>",
        " // ",
        " %% ",
        "*[",
        "(*",
        "'a",
        " -> ",
        ">->",
        "|>",
        " :> ",
        "assert ",
        "#[noinline]",
        "let [",
        ".fma",
        ".from_bits",
    ] {
        assert!(all.contains(word), "no program has `{word}`");
    }
}

#[test]
fn a_program_is_reduced_to_what_matters() {
    let program = "def f (x: i32) = x + 1\ndef g (x: i32) = f x\n\
                   entry main (x: i32) =\n  let a = g (x * 2)\n  let b = [a, magic x, 3]\n  in (b[1], a)\n";
    let mut questions = 0;
    let small = reduce(program, 500, &mut |text| {
        questions += 1;
        parses(text) && text.contains("entry") && text.contains("magic")
    });
    let words: Vec<&str> = small.split_whitespace().collect();
    assert_eq!(words.join(" "), "entry main (x: i32) = magic");
    assert!(questions < 500, "{questions}");
}

#[test]
fn no_more_questions_are_asked_than_allowed() {
    let mut questions = 0;
    let program = text(2);
    reduce(&program, 10, &mut |_| {
        questions += 1;
        false
    });
    assert!(questions <= 10);
}
