//! No text makes the parser panic, loop, overflow the stack or yield a tree that is too deep.

use super::FILE;
use fehu_base::stack::with_large_stack;
use fehu_syntax::{dump, parse};

const PROGRAM: &str = r#"
-- | A file.

import "lib/a"
module type num = { type t val (+) [n] : t -> *[n]t include other with u 'a = a module m : num }
module f (P: num) (Q: num with t = i32) : num = \(X: num) : num -> { open P local def x = Q.(a + b) }
type~ t 'a [n] = #some a [n]i32 | #none | #both (a, {x: a, 0: ?[k].[k]t}) -> (y: *a) -> b
#[noinline] entry main 'a '^b [n] (xs: [n]i32, {p, q = _}) : *[]i32 =
  let (a, -1i8) = loop (x, y) = (1.5e3f32, 0x1.8p3) for i < n do (x |> f <| y, !y && z)
  let g 'c (v: c) : c = if a then [1, 2][0] else xs[1:n:-1, ::2].0.1 :> t [n]
  let xs[i].f = xs with a[0].b = 3 ** -2
  in match #[trace(x, 1)] map (\(x: i32) y : t -> x `m.f` y m.+ 1) (0..2..<n)
     case #some (x: i32) '\n' -> assert (x == "a\"\955é" && true) (.f[0]) (+ 1) (2 -) (`f`)
     case _ -> ??? : (i32, bool)
def (x: t) +^ y = 0b101u8 + 0rXIV + let [k] z = z in k
"#;

/// A small generator of numbers, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn parse_anything(text: &str) {
    let (file, errors) = parse(FILE, text);
    for error in &errors {
        let span = error.primary.as_ref().map(|label| label.span);
        assert!(span.is_some_and(|s| text.get(s.range()).is_some()), "place in {text:?}");
    }
    let dump = dump::file(&file);
    assert!(!dump.contains("<error>") || !errors.is_empty(), "silent error in {text:?}");
}

#[test]
fn the_program_itself_is_valid() {
    let (_, errors) = parse(FILE, PROGRAM);
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn every_prefix_and_suffix() {
    with_large_stack(|| {
        for (at, _) in PROGRAM.char_indices() {
            parse_anything(&PROGRAM[..at]);
            parse_anything(&PROGRAM[at..]);
        }
    });
}

#[test]
fn mutated_words() {
    with_large_stack(|| {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let words: Vec<&str> =
            PROGRAM.split_inclusive([' ', '\n', '(', ')', '[', ']', '.']).collect();
        for _ in 0..4000 {
            let mut mutant = words.clone();
            for _ in 0..=random.below(4) {
                let (i, j) = (random.below(mutant.len()), random.below(mutant.len()));
                match random.below(4) {
                    0 if mutant.len() > 1 => drop(mutant.remove(i)),
                    1 => mutant.insert(i, words[random.below(words.len())]),
                    2 => mutant.swap(i, j),
                    _ => mutant.truncate(i.max(1)),
                }
            }
            parse_anything(&mutant.concat());
        }
    });
}

#[test]
fn mutated_characters() {
    with_large_stack(|| {
        let mut random = Random(0x0123_4567_89ab_cdef);
        let original: Vec<char> = PROGRAM.chars().collect();
        let alphabet: Vec<char> =
            "(){}[]'\"`\\#.,:?~=->|&!_ \n\0é@0x9eaz\u{2028}𝒳".chars().collect();
        for _ in 0..4000 {
            let mut mutant = original.clone();
            for _ in 0..=random.below(6) {
                let i = random.below(mutant.len());
                match random.below(3) {
                    0 => drop(mutant.remove(i)),
                    1 => mutant.insert(i, alphabet[random.below(alphabet.len())]),
                    _ => mutant[i] = alphabet[random.below(alphabet.len())],
                }
            }
            parse_anything(&mutant.iter().collect::<String>());
        }
    });
}

#[test]
fn deep_nesting_is_refused_once() {
    let deep = [
        ("def f = ", "(", "1", ")"),
        ("def f = ", "(", "", ""),
        ("def f = ", "[", "1", "]"),
        ("def f = ", "{a=", "1", "}"),
        ("def f = ", "- ", "1", ""),
        ("def f = ", "1 + ", "1", ""),
        ("def f = ", "f <| ", "1", ""),
        ("def f = ", "", "(x)", ".a"),
        ("def f = ", "", "x", "[0]"),
        ("def f = ", "", "x", " : t"),
        ("def f = ", "", "x", " with a = b"),
        ("def f = ", "\\x -> ", "1", ""),
        ("def f = ", "if a then b else ", "1", ""),
        ("def f = ", "match a case b -> ", "1", ""),
        ("def f = ", "loop x for i < n do ", "1", ""),
        ("def f = ", "let x = ", "1", ""),
        ("def f = ", "assert x ", "1", ""),
        ("def f = ", "#[a] ", "1", ""),
        ("def f = #[", "a(", "1", ")"),
        ("def f = ", "m.(", "1", ")"),
        ("def f = ", "1...", "1", ""),
        ("def f ", "(", "x", ")"),
        ("def f ", "{a = ", "x", "}"),
        ("type t = ", "(", "a", ")"),
        ("type t = ", "[n]", "a", ""),
        ("type t = ", "* ", "a", ""),
        ("type t = ", "a -> ", "a", ""),
        ("type t = #a ", "[n]", "a", ""),
        ("type t = ", "[1 : ", "a", "]a"),
        ("module m = ", "f ", "m", ""),
        ("module m = ", "(", "m", ")"),
        ("module m = ", "{module m = ", "m", "}"),
        ("module m = ", "", "m", " : t"),
        ("module type m = ", "a -> ", "m", ""),
        ("module type m = ", "", "m", " with t = u"),
        ("module type m = ", "{module m : ", "m", "}"),
        ("", "local ", "def f = 1", ""),
    ];
    with_large_stack(|| {
        for (start, open, middle, close) in deep {
            let n = 20_000;
            let text = format!("{start}{}{middle}{}\ndef g = 1", open.repeat(n), close.repeat(n));
            let (file, errors) = parse(FILE, &text);
            let codes: Vec<_> = errors.iter().map(|e| e.code).collect();
            assert_eq!(codes, ["nesting-too-deep"], "{start}{open}{middle}{close}");
            assert!(dump::file(&file).contains("(def g "), "{start}{open}{middle}{close}");
        }
    });
}

#[test]
fn chains_inside_chains_are_counted_together() {
    with_large_stack(|| {
        let mut text = "x".to_owned();
        for _ in 0..20 {
            text = format!("({text}{}){}", " + 1".repeat(300), ".a".repeat(300));
        }
        let (_, errors) = parse(FILE, &format!("def f = {text}"));
        let codes: Vec<_> = errors.iter().map(|e| e.code).collect();
        assert_eq!(codes, ["nesting-too-deep"]);
    });
}

#[test]
fn long_flat_programs_are_fine() {
    let n = 50_000;
    for text in [
        format!("def f = {} in x", "let x = 1 ".repeat(n)),
        format!("def f = {} x", "let x = 1 in ".repeat(n)),
        format!("def f = f {}", "x ".repeat(n)),
        format!("def f = [{}]", "1, ".repeat(n)),
        format!("def f = x{}", ".a".repeat(n)),
        format!("def f = match x {}", "case 1 -> 2 ".repeat(n)),
        "def f = 1\n".repeat(n),
    ] {
        let (_, errors) = parse(FILE, &text);
        assert!(errors.is_empty(), "{:?}", errors.first());
    }
}

#[test]
fn junk_does_not_give_endless_errors() {
    for junk in ["#", "`", "'", "\"\n", "def\n", "let\n", "@ ", ")", "...", "case ", "\\", "?", "~"]
    {
        let (_, errors) = parse(FILE, &junk.repeat(10_000));
        assert!(errors.len() <= 10_001, "{junk}: {}", errors.len());
    }
}
