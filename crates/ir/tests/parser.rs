//! The parser's messages, literals, and texts that are nested deeply.

use fehu_ir::text::parse;
use fehu_ir::{Atom, Scalar};
use half::f16;

#[test]
fn errors_say_what_was_found_and_expected() {
    let cases = [
        ("", "1:1: expected `prog`, found the end of the text"),
        ("prog grid", "1:6: there is no stage `grid`"),
        ("prog arrays\nfoo", "2:1: expected `const`, `fun`, `entry` or `streaming`, found `foo`"),
        ("prog arrays fun f (x i32)", "1:22: expected `:`, found `i32`"),
        ("prog arrays fun f (x: i33) -> () = ()", "1:23: expected a type, found `i33`"),
        ("prog arrays fun f (x: i32,) -> () = ()", "1:27: expected a parameter, found `)`"),
        ("prog arrays fun f (x: i32 y: i32)", "1:27: expected `,` or `)`, found `y`"),
        (
            "prog arrays fun f () -> () = (y)",
            "1:31: variable `y` is not bound anywhere in the function",
        ),
        (
            "prog arrays fun f (x: i32, x: i64) -> () = ()",
            "1:28: variable `x` was bound with another type before",
        ),
        (
            "prog arrays fun f () -> () = () fun f () -> () = ()",
            "1:37: function `f` is defined twice",
        ),
        (
            "prog arrays const f -> () = () const f -> () = ()",
            "1:38: constant `f` is defined twice",
        ),
        ("prog arrays fun f () -> () = let () = call g () in ()", "1:44: there is no function `g`"),
        ("prog arrays fun f () -> () = let () = const g in ()", "1:45: there is no constant `g`"),
        ("prog arrays fun f () -> (r: u8) = (256u8)", "1:36: `256` is not a number of type u8"),
        ("prog arrays fun f () -> (r: u8) = (1u7)", "1:36: `u7` is not a type of numbers"),
        (
            "prog arrays fun f () -> (r: f32) = (f32.bits(0x1ffffffff))",
            "1:46: expected the bits as a hexadecimal number that fits, found `0x1ffffffff`",
        ),
        ("prog arrays entry \"f", "1:19: the string does not end on its line"),
        ("prog arrays entry \"\\q\"", "1:19: unknown escape in a string"),
        ("prog arrays ?", "1:13: unexpected character `?`"),
        (
            "prog arrays fun f () -> () = () entry \"f\" = f (\"x\": [n]i32) -> i32",
            "1:54: the function has no variable `n`",
        ),
        (
            "prog arrays fun f (x: i8) -> () = let () = loop () until x in ()",
            "1:52: expected `for` or `while`, found `until`",
        ),
    ];
    for (text, message) in cases {
        match parse(text) {
            Ok(prog) => panic!("accepted: {text}\n{prog}"),
            Err(error) => assert_eq!(error.to_string(), message, "{text}"),
        }
    }
}

#[test]
fn literals_are_exact() {
    let values = [
        Scalar::I8(i8::MIN),
        Scalar::I64(i64::MIN),
        Scalar::U64(u64::MAX),
        Scalar::F16(f16::from_bits(1)),
        Scalar::F16(f16::from_bits(0x8000)),
        Scalar::F16(f16::from_bits(0x7e00)),
        Scalar::F16(f16::from_bits(0xfe01)),
        Scalar::F32(f32::MIN_POSITIVE),
        Scalar::F32(f32::MAX),
        Scalar::F32(f32::from_bits(1)),
        Scalar::F32(-0.0),
        Scalar::F32(f32::from_bits(0xffc0_0000)),
        Scalar::F64(0.1),
        Scalar::F64(1e-300),
        Scalar::F64(f64::NEG_INFINITY),
        Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0001)),
        Scalar::Bool(true),
        Scalar::Unit,
    ];
    for value in values {
        round_trip(value);
    }
    // Every float of 16 bits.
    for bits in 0..=u16::MAX {
        if bits % 7 == 0 || bits > 0xfbf0 || (0x7bf0..0x8010).contains(&bits) {
            round_trip(Scalar::F16(f16::from_bits(bits)));
        }
    }
}

fn round_trip(value: Scalar) {
    let empty = fehu_base::IdVec::new();
    let literal = fehu_ir::text::show_atom(Atom::Const(value), &empty);
    let ty = value.elem();
    let text = format!("prog arrays fun f () -> (r: {ty}) = ({literal})");
    let prog = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let found = prog.funs[fehu_ir::FunId(0)].body.results[0];
    assert_eq!(found, Atom::Const(value), "{text}");
}

#[test]
fn deep_texts_are_read_or_refused() {
    let nested = |depth: usize| {
        let open = "let (x: i8) = if true then {".repeat(depth);
        let close = "} else {(1i8)} in (x)".repeat(depth);
        format!("prog arrays fun f () -> (r: i8) = {open}(0i8){close}")
    };
    // Names repeat, which the parser does not mind.
    fehu_base::stack::with_large_stack(|| {
        assert!(parse(&nested(1000)).is_ok_and(|prog| !prog.to_string().is_empty()));
    });
    assert!(parse(&nested(100_000)).is_err_and(|error| error.message.contains("nested deeper")));
    assert!(parse(&"(".repeat(1_000_000)).is_err());
}

#[test]
fn long_programs_take_linear_time() {
    let mut text = "prog arrays fun f (n: i64, xs: [n]i32) -> (r: [n]i32) =\n".to_owned();
    let count = 20_000;
    for index in 0..count {
        let before = if index == 0 { "xs".to_owned() } else { format!("ys{}", index - 1) };
        text.push_str(&format!("let (ys{index}: [n]i32) = index {before}[0:n:1]\n"));
    }
    text.push_str(&format!("in (ys{})", count - 1));
    let start = std::time::Instant::now();
    let prog = parse(&text).expect("it is a program");
    assert!(fehu_ir::verify::verify(&prog).is_ok());
    assert_eq!(parse(&prog.to_string()), Ok(prog));
    // Generous: a quadratic step would take minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
