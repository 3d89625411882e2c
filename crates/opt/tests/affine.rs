//! Random nests with checks of affine indices: after the pass `checks` they end as before, with the same values or with the same
//! message, however many of the checks fail, and where numbers wrap around.

use fehu_interp::{Interp, Value};
use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::{Prog, Scalar, verify};
use fehu_irgen::rng::Rng;
use std::fmt::Write;

/// How many programs, each with several arguments; `FEHU_RANDOM_PROGRAMS` for more.
const PROGRAMS: u64 = 100;

/// A nest as text.
struct Nest {
    rng: Rng,
    text: String,
    /// Numbers that are known where the text ends.
    known: Vec<String>,
    /// How many names there are.
    names: usize,
}

impl Nest {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    fn number(&mut self) -> String {
        let known = self.known.clone();
        match self.rng.below(8) {
            0 => self.rng.below(4).to_string(),
            1 => format!("-{}", 1 + self.rng.below(3)),
            // Twice this wraps around to zero, and four times as well.
            2 if self.rng.below(6) == 0 => "-9223372036854775808".into(),
            2 if self.rng.below(6) == 0 => "4611686018427387904".into(),
            _ => known[self.rng.below(known.len())].clone(),
        }
    }

    /// A number that is computed of those that are known.
    fn index(&mut self) -> String {
        let mut value = self.number();
        for _ in 0..self.rng.below(4) {
            let (name, other) = (self.name(), self.number());
            let op = ["add", "mul", "sub", "add"][self.rng.below(4)];
            let _ = writeln!(self.text, "let ({name}: i64) = {op} {value} {other}");
            value = name;
        }
        value
    }

    fn check(&mut self) {
        let (index, size) = (self.index(), self.number());
        let [low, high, both, cert] = [(); 4].map(|()| self.name());
        let _ = writeln!(
            self.text,
            "let ({low}: bool) = le 0 {index}
let ({high}: bool) = lt {index} {size}
let ({both}: bool) = and {low} {high}
let ({cert}: unit) = assert {both} \"Index [\" ${index} \"] of \" ${size} \" at {cert}\""
        );
    }

    fn checks(&mut self) {
        for _ in 0..self.rng.below(3) {
            self.check();
        }
    }

    /// A level and those inside; the sum of all indices is the result.
    fn level(&mut self, depth: usize, sum: &str) -> String {
        self.checks();
        if depth == 0 {
            return sum.into();
        }
        // Nobody waits for the end of a loop that is too long.
        let bound = self.known[self.rng.below(self.known.len())].clone();
        let (result, outer) = (self.name(), self.known.len());
        if self.rng.below(2) == 0 {
            let (param, counter) = (self.name(), self.name());
            let _ = writeln!(
                self.text,
                "let ({result}: i64) = loop ({param}: i64 = {sum}) for {counter}: i64 < {bound} {{"
            );
            self.known.push(counter.clone());
            let inner = self.level(depth - 1, &param);
            let next = self.name();
            let _ = writeln!(self.text, "let ({next}: i64) = add {inner} {counter}\nin ({next})}}");
        } else {
            let [width, iota, element, a, b, c] = [(); 6].map(|()| self.name());
            let (first, step) = ["0 1", "0 1", "2 1", "5 -2"][self.rng.below(4)]
                .split_once(' ')
                .unwrap_or(("0", "1"));
            let _ = writeln!(
                self.text,
                "let ({width}: i64) = max {bound} 0
let ({iota}: [{width}]i64) = iota i64 {width} {first} {step}
let ({result}: i64) = screma {width} ({iota}) map \\({element}: i64) -> (i64) {{"
            );
            self.known.push(element.clone());
            let inner = self.level(depth - 1, &element);
            let _ = writeln!(
                self.text,
                "in ({inner})}}
  red \\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
            );
        }
        self.known.truncate(outer);
        result
    }
}

/// The text of a program of three numbers.
fn program(seed: u64) -> String {
    let known = ["n", "m", "k"].map(String::from).to_vec();
    let mut nest = Nest { rng: Rng::new(seed), text: String::new(), known, names: 0 };
    let depth = 1 + nest.rng.below(3);
    let result = nest.level(depth, "0");
    format!(
        "prog arrays\nfun main (n: i64, m: i64, k: i64) -> (r: i64) =\n{}in ({result})
entry \"main\" = main (\"n\": i64, \"m\": i64, \"k\": i64) -> i64\n",
        nest.text
    )
}

/// What a program gives, or its last words.
fn run(prog: &Prog, args: [i64; 3]) -> Result<String, String> {
    let args = args.map(|arg| Value::Scalar(Scalar::I64(arg))).to_vec();
    let main = prog.entries[0].fun;
    let result = Interp::new(prog).call(main, args);
    result.map(|values| format!("{values:?}")).map_err(|error| error.message)
}

#[test]
fn nests_end_with_the_same_message() {
    let wanted = std::env::var("FEHU_RANDOM_PROGRAMS").ok();
    let programs = wanted.and_then(|count| count.parse().ok()).unwrap_or(PROGRAMS);
    let (mut failed, mut passed, mut left) = (0, 0, 0);
    for seed in 0..programs {
        let text = program(seed);
        let before = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut after = before.clone();
        let mut remarks = Remarks::default();
        (fehu_opt::CHECKS.run)(&mut after, &mut remarks);
        verify::verify(&after).unwrap_or_else(|error| panic!("{error:?}\n{after}"));
        let stays = !remarks.list.is_empty();
        left += u64::from(stays);
        let mut rng = Rng::new(seed);
        for _ in 0..12 {
            let args = [(); 3].map(|()| rng.range(-1, 7));
            let (old, new) = (run(&before, args), run(&after, args));
            // A check that stays comes after those that leave.
            let same = if stays { old.is_err() == new.is_err() } else { old == new };
            assert!(same, "{old:?} is now {new:?} for {args:?}\n{text}\n{after}");
            match old {
                Ok(_) => passed += 1,
                Err(_) => failed += 1,
            }
        }
    }
    // Of both kinds there are many, and few nests have checks left.
    assert!(failed > 2 * programs && passed > programs, "{failed} failed, {passed} passed");
    assert!(left * 3 < programs, "{left} have checks left");
}
