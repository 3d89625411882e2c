//! Random programs on sequences: pipelines of operators, several consumers, results that others wait for.
//!
//! Everything is exact, so that results must be the same for every way in which the sequences are cut. The parameters
//! are a number, two sequences of numbers of the same length, and one of arrays that differ in size.

use fehu_irgen::rng::Rng;

/// What elements are.
#[derive(Clone, Copy, PartialEq)]
enum Elem {
    Number,
    Pair,
    /// `[3]i32`
    Row,
    /// `[]i32`
    Piece,
}

struct Seq {
    text: String,
    elem: Elem,
    /// Whether its elements correspond to those of the parameters.
    in_step: bool,
}

/// An entry point of this name.
pub fn sequences(seed: u64, name: &str) -> String {
    let mut rng = Rng::new(seed);
    let mut types = Vec::new();
    let mut results = Vec::new();
    let mut lets = String::new();
    let mut numbers = vec!["c".to_owned()];
    for index in 0..2 + rng.below(4) {
        let (ty, text) = match rng.chance(20) {
            true => ("i32", controlled(&mut rng, &numbers)),
            false => {
                let seq = pipeline(&mut rng, &numbers);
                consumer(&mut rng, seq)
            }
        };
        lets.push_str(&format!("  let r{index} = {text}\n"));
        if ty == "i32" {
            numbers.push(format!("r{index}"));
        }
        types.push(ty);
        results.push(format!("r{index}"));
    }
    format!(
        "entry {name} (c: i32) (xs: seq i32) (ys: seq i32) (rs: seq ([]i32)) : ({}) =\n{lets}  in ({})\n",
        types.join(", "),
        results.join(", ")
    )
}

/// Its arguments, as text: the sequences have this many elements.
pub fn sequence_arguments(seed: u64, count: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut list = |count: usize, low: i64, high: i64, suffix: &str| -> String {
        let all: Vec<String> =
            (0..count).map(|_| format!("{}{suffix}", rng.range(low, high))).collect();
        if count == 0 { format!("empty([0]{suffix})") } else { format!("[{}]", all.join(", ")) }
    };
    let (xs, ys) = (list(count, -20, 20, "i32"), list(count, -20, 20, "i32"));
    let sizes: Vec<usize> = (0..count).map(|i| (i * 7 + seed as usize) % 5).collect();
    let values = list(sizes.iter().sum(), -9, 9, "i32");
    let sizes: Vec<String> = sizes.iter().map(|size| format!("{size}i64")).collect();
    let sizes =
        if count == 0 { "empty([0]i64)".to_owned() } else { format!("[{}]", sizes.join(", ")) };
    format!("{}i32 {xs} {ys} {sizes} {values}", seed % 7)
}

fn number(rng: &mut Rng, numbers: &[String]) -> String {
    match rng.chance(50) {
        true => numbers[rng.below(numbers.len())].clone(),
        false => rng.range(1, 5).to_string(),
    }
}

fn source(rng: &mut Rng) -> Seq {
    let (text, elem) = match rng.below(5) {
        0 | 1 => ("xs", Elem::Number),
        2 => ("ys", Elem::Number),
        3 => ("rs", Elem::Piece),
        _ => ("(seq.zip xs ys)", Elem::Pair),
    };
    Seq { text: text.to_owned(), elem, in_step: true }
}

fn pipeline(rng: &mut Rng, numbers: &[String]) -> Seq {
    let mut seq = source(rng);
    for _ in 0..rng.below(5) {
        seq = operator(rng, seq, numbers);
    }
    seq
}

/// A number that passes in a branch or a loop yield.
fn controlled(rng: &mut Rng, numbers: &[String]) -> String {
    let mut inner = |numbers: &[String]| {
        let seq = pipeline(rng, numbers);
        match seq.elem {
            Elem::Number => format!("seq.reduce (+) 0 {}", seq.text),
            Elem::Pair | Elem::Row | Elem::Piece => format!("i32.i64 (seq.length {})", seq.text),
        }
    };
    let (one, other) = (inner(numbers), inner(numbers));
    let mut more = numbers.to_vec();
    more.push("s".to_owned());
    let repeated = inner(&more);
    let n = number(rng, numbers);
    match rng.below(3) {
        0 => format!("if {n} % 2 == 0 then {one} else {other}"),
        1 => format!("loop s = {n} for _i < 3i32 do s * 5 + {repeated}"),
        _ => format!(
            "(loop (i, s) = (0i32, {n}) while i < 2 do (i + 1, if s % 3 == 1 then {one} else s + {repeated})).1"
        ),
    }
}

fn operator(rng: &mut Rng, seq: Seq, numbers: &[String]) -> Seq {
    let n = number(rng, numbers);
    let Seq { text, elem, in_step } = seq;
    let (f, to, step) = match (elem, rng.below(10)) {
        (Elem::Number, 7) if !in_step => {
            let text = format!("(seq.map2 (\\x y -> x - y) {text} (seq.scan (+) 0 {text}))");
            return Seq { text, elem: Elem::Number, in_step };
        }
        (Elem::Number, 8) => {
            (format!("seq.group_by (\\x y -> x / 8 == (y + {n}) / 8)"), Elem::Piece, false)
        }
        (Elem::Number, 0) => (format!("seq.map (\\x -> x * 3 - {n})"), Elem::Number, true),
        (Elem::Number, 1) => (format!("seq.filter (\\x -> x % 3 != {n} % 3)"), Elem::Number, false),
        (Elem::Number, 2) => ("seq.scan (+) 0".to_owned(), Elem::Number, true),
        (Elem::Number, 3) => {
            let f = "seq.map (\\x -> map (\\i -> i32.i64 i + x) (iota (i64.i32 (i32.abs x % 4))))";
            (f.to_owned(), Elem::Piece, true)
        }
        (Elem::Number, 4) => (format!("seq.windows 3 {}", rng.range(1, 5)), Elem::Row, false),
        (Elem::Number, 5) => {
            let f = "seq.map (\\(i, x) -> (i32.i64 i, x)) <| seq.enumerate";
            (f.to_owned(), Elem::Pair, true)
        }
        (Elem::Number, 6) if in_step => {
            let text = format!("(seq.map2 (\\x y -> x - y) {text} ys)");
            return Seq { text, elem: Elem::Number, in_step };
        }
        (Elem::Number, _) => (
            format!("seq.flat_map (\\x -> replicate (i64.i32 (i32.abs x % 3)) (x + {n}))"),
            Elem::Number,
            false,
        ),
        (Elem::Pair, 0..4) => ("seq.map (\\(a, b) -> a * 2 + b)".to_owned(), Elem::Number, true),
        (Elem::Pair, _) => (format!("seq.filter (\\(a, b) -> a + {n} > b)"), Elem::Pair, false),
        (Elem::Row, 0..4) => ("seq.map i32.sum".to_owned(), Elem::Number, true),
        (Elem::Row, 4) => {
            (format!("seq.map (\\(r: [3]i32) : [3]i32 -> map (+ {n}) r)"), Elem::Row, true)
        }
        (Elem::Row, _) => ("seq.map (\\r -> (r[0], r[2]))".to_owned(), Elem::Pair, true),
        (Elem::Piece, 0..3) => ("seq.map i32.sum".to_owned(), Elem::Number, true),
        (Elem::Piece, 3) => ("seq.flat".to_owned(), Elem::Number, false),
        (Elem::Piece, 4) => ("seq.filter (\\r -> length r > 1)".to_owned(), Elem::Piece, false),
        (Elem::Piece, _) => (format!("seq.map (map (\\x -> x * {n}))"), Elem::Piece, true),
    };
    Seq { text: format!("({f} <| {text})"), elem: to, in_step: in_step && step }
}

fn consumer(rng: &mut Rng, seq: Seq) -> (&'static str, String) {
    let Seq { text, elem, .. } = seq;
    match (elem, rng.below(6)) {
        (_, 0) => ("i64", format!("seq.length {text}")),
        (Elem::Number, 1) => ("i32", format!("seq.reduce (+) 0 {text}")),
        (Elem::Number, 2) => ("i32", format!("seq.maximum (<=) i32.lowest {text}")),
        (Elem::Number, 3) => ("[]i32", format!("seq.to_array {text}")),
        (Elem::Number, 4) => {
            ("[4]i64", format!("seq.hist (+) 0 4 (seq.map (\\x -> (i64.i32 x % 4, 1)) {text})"))
        }
        (Elem::Number, _) => ("seq i32", text),
        (Elem::Pair, _) => ("seq (i32, i32)", text),
        (Elem::Row, _) => ("seq ([3]i32)", text),
        (Elem::Piece, 1) => ("[]i32", format!("seq.elements {text}")),
        (Elem::Piece, _) => ("seq ([]i32)", text),
    }
}
