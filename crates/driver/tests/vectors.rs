//! What machine code computes by vectors is what the interpreter computes, to the bit.

use fehu_data::{Value, reader};
use fehu_driver::check::Warnings;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::passes::Plan;
use fehu_driver::run::{self, Compiled};

/// Operations on floats of a type `t`, of two variables.
const FLOATS: [&str; 13] = [
    "x + y",
    "x - y * x",
    "x / y",
    "t.min x y",
    "t.max x y",
    "t.neg x + t.abs y",
    "t.sqrt x",
    "t.floor x + t.ceil y",
    "t.round x",
    "t.mad x y x",
    "t.lerp x y 0.25",
    "if x < y then x else y + 1",
    "if x <= y && !(x == y) || y != y then x else -x",
];

/// Likewise on integers of 32 bits.
const WORDS: [&str; 9] = [
    "x + y * x",
    "x - y",
    "t.min x y",
    "t.max x y",
    "(x & y) | (x ^ 5)",
    "!x + (y << 3)",
    "x >> 2",
    "if x < y then x else y >> 31",
    "t.bool (x <= y) + t.bool (x == y)",
];

/// Likewise on integers of 64 bits.
const LONGS: [&str; 5] =
    ["x + y", "x - (y & 7)", "x ^ (y | 1)", "if x < y then x else y", "t.bool (x == y) - x"];

/// Numbers that are special; the number of them is no multiple of that of lanes.
fn numbers(ty: &str) -> [String; 2] {
    let texts: [&[&str]; 2] = match ty {
        "f32" | "f64" => [
            &["0", "-0", "1.5", "-2.5", "T.nan", "T.inf", "-T.inf", "3.5", "-1e-40", "0", "7.25"],
            &["-0", "0", "-1.5", "T.nan", "2", "-T.inf", "1e30", "3.5", "0.5", "T.nan", "-7.75"],
        ],
        "u32" => [
            &["0", "1", "4294967295", "2147483648", "7", "12", "99", "2147483647", "5", "6", "8"],
            &["3", "0", "4294967295", "1", "9", "12", "4294967294", "2", "6", "5", "31"],
        ],
        "i32" => [
            &["0", "1", "-1", "-2147483648", "7", "12", "-99", "2147483647", "5", "-6", "8"],
            &["3", "0", "-1", "1", "-9", "12", "2147483647", "-2147483648", "6", "-5", "31"],
        ],
        _ => [
            &["0", "1", "-1", "-9223372036854775808", "7", "12", "-99", "4294967296", "5"],
            &["3", "0", "-1", "1", "-9", "12", "9223372036854775807", "-4294967296", "6"],
        ],
    };
    texts.map(|texts| {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| match text.replace('T', ty) {
                name if name.contains('.') && name.contains('n') && name.contains('f') => name,
                number => format!("{number}{ty}"),
            })
            .collect();
        format!("[{}]", texts.join(", "))
    })
}

fn compiled(text: &str, plan: &Plan) -> Compiled {
    let root = Root::Bytes("vectors.fut".to_owned(), text.as_bytes().to_vec());
    let made =
        run::compile_with(&Memory::default(), &root, Warnings::Hide, Default::default(), plan);
    let (outcome, compiled) = made;
    compiled.unwrap_or_else(|| panic!("{text}\n{:?}", outcome.diagnostics))
}

/// The bytes of values; all NaNs are alike.
fn bytes(values: &[Value]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[test]
fn lanes_have_what_scalars_would_be() {
    let groups: [(&[&str], &[&str]); 3] =
        [(&["f32", "f64"], &FLOATS), (&["i32", "u32"], &WORDS), (&["i64"], &LONGS)];
    let (mut text, mut cases) = (String::new(), Vec::new());
    for (ty, exp) in groups.iter().flat_map(|(types, exps)| {
        types.iter().flat_map(|ty| exps.iter().map(move |exp| (*ty, *exp)))
    }) {
        let (name, exp) = (format!("f{}", cases.len()), exp.replace("t.", &format!("{ty}.")));
        text += &format!(
            "entry {name} [n] (xs: [n]{ty}) (ys: [n]{ty}) = map2 (\\x y -> {exp}) xs ys\n"
        );
        cases.push((name, ty, exp));
    }
    let (mut by_vectors, mut by_scalars) =
        (compiled(&text, &Plan::at_once()), compiled(&text, &Plan::none()));
    for (name, ty, exp) in &cases {
        let input = numbers(ty).join(" ");
        let values = || reader::read_all(input.as_bytes()).expect("the numbers are right");
        let expected = by_scalars.run(name, values()).expect("it runs");
        let found = by_vectors.run(name, values()).expect("it runs");
        assert_eq!(bytes(&found), bytes(&expected), "{exp} of {ty}");
    }
}
