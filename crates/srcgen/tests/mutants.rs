//! Mutants of programs.

use fehu_irgen::rng::Rng;
use fehu_srcgen::mutant::{mutant, tokens};

#[test]
fn tokens_are_the_text_without_comments() {
    let text = "def f (x: i32) = x + 1.5f32 -- comment\ndef g = f 2\n";
    assert_eq!(tokens(text).concat(), "def f (x: i32) = x + 1.5f32 \ndef g = f 2\n");
    assert!(tokens(text).contains(&"1.5f32".to_owned()));
}

#[test]
fn the_same_seed_makes_the_same_mutant() {
    let text = "def f (x: i32) : [2]i32 = let y = (x + 1) * 2 in [y, (f x)[0]]\n";
    let make = |seed| mutant(text, &mut Rng::new(seed));
    assert_eq!(make(5), make(5));
    let different = (0..50).filter(|seed| make(*seed) != text).count();
    assert!(different > 30, "{different}");
}
