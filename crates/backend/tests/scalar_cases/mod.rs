//! The runtime's scalar operations, the values that they are tested with, and what the interpreter, which defines them to
//! the bit, says of these.

use fehu_base::Prim;
use fehu_interp::scalar::{binop, cmpop, convert, divides_by_zero, math, reinterpret, unop};
use fehu_ir::{BinOp, CmpOp, MathFn, Scalar, UnOp};

/// What a function must return for these arguments, if that is defined.
pub(crate) type Expect = dyn Fn(&[Scalar]) -> Option<Scalar>;

/// A function of the runtime, on some types.
pub(crate) struct Case {
    /// The C function.
    pub(crate) function: String,
    /// The types of its parameters.
    pub(crate) params: Vec<Prim>,
    /// The type of its result.
    pub(crate) result: Prim,
    /// What it must return, if that is defined.
    pub(crate) expect: Box<Expect>,
}

/// Compares the results of all cases, in their order, as bits.
pub(crate) fn compare(cases: &[Case], results: Vec<u64>) {
    let mut results = results.into_iter();
    let mut wrong = Vec::new();
    for case in cases {
        for args in tuples(&case.params) {
            let actual =
                Scalar::from_bits(case.result, results.next().expect("a result for each case"));
            match (case.expect)(&args) {
                Some(expected) if !same(actual, expected) => {
                    wrong.push(format!("{}{args:?}: {actual:?}, not {expected:?}", case.function));
                }
                Some(_) => {}
                None => assert!(case.function.ends_with(|c: char| c.is_ascii_digit())),
            }
        }
    }
    assert_eq!(results.next(), None, "there are more results than cases");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
}

/// Which NaN it is depends on the processor and on the order of operands.
fn same(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::F16(a), Scalar::F16(b)) if a.is_nan() => b.is_nan(),
        (Scalar::F32(a), Scalar::F32(b)) if a.is_nan() => b.is_nan(),
        (Scalar::F64(a), Scalar::F64(b)) if a.is_nan() => b.is_nan(),
        _ => a.bits() == b.bits(),
    }
}

/// All operations with all types that the interpreter defines them for.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for prim in Prim::ALL {
        let name = prim.name();
        let one = Scalar::from_bits(prim, 1);
        for (op, text) in UN_OPS {
            if unop(op, one).is_some() {
                let expect = Box::new(move |a: &[Scalar]| unop(op, a[0]));
                cases.push(Case {
                    function: format!("fe_{text}_{name}"),
                    params: vec![prim],
                    result: prim,
                    expect,
                });
            }
        }
        for (op, text) in BIN_OPS {
            // The power of floats is an approximation.
            let exact = op != BinOp::Pow || prim.is_integer();
            if exact && binop(op, one, one).is_some() {
                let expect = Box::new(move |a: &[Scalar]| {
                    let result = binop(op, a[0], a[1]);
                    assert_eq!(result.is_none(), divides_by_zero(op, a[1]));
                    result
                });
                let params = vec![prim, prim];
                cases.push(Case {
                    function: format!("fe_{text}_{name}"),
                    params,
                    result: prim,
                    expect,
                });
            }
        }
        for (op, text) in CMP_OPS {
            let expect = Box::new(move |a: &[Scalar]| cmpop(op, a[0], a[1]).map(Scalar::Bool));
            let params = vec![prim, prim];
            cases.push(Case {
                function: format!("fe_{text}_{name}"),
                params,
                result: Prim::Bool,
                expect,
            });
        }
        for to in Prim::ALL {
            let function = format!("fe_conv_{name}_{}", to.name());
            let expect = Box::new(move |a: &[Scalar]| convert(to, a[0]));
            cases.push(Case { function, params: vec![prim], result: to, expect });
            if reinterpret(to, one).is_some() {
                let function = format!("fe_bits_{name}_{}", to.name());
                let expect = Box::new(move |a: &[Scalar]| reinterpret(to, a[0]));
                cases.push(Case { function, params: vec![prim], result: to, expect });
            }
        }
        for &op in EXACT {
            let mut params = vec![prim; op.arity()];
            if op == MathFn::Ldexp {
                params[1] = Prim::I32;
            }
            let sample: Vec<Scalar> = params.iter().map(|&p| Scalar::from_bits(p, 1)).collect();
            if let Some(result) = math(op, &sample) {
                let fehu_ir::Elem::Prim(result) = result.elem() else {
                    panic!("a function returns unit")
                };
                let expect = Box::new(move |a: &[Scalar]| math(op, a));
                cases.push(Case {
                    function: format!("fe_{}_{name}", op.name()),
                    params,
                    result,
                    expect,
                });
            }
        }
    }
    cases
}

/// All combinations of values of these types, the last one changing fastest.
pub(crate) fn tuples(params: &[Prim]) -> Vec<Vec<Scalar>> {
    let mut tuples = vec![Vec::new()];
    for &prim in params {
        let mut longer = Vec::new();
        let values = values(prim);
        for tuple in &tuples {
            for &value in &values {
                let mut tuple: Vec<Scalar> = tuple.clone();
                tuple.push(value);
                longer.push(tuple);
            }
        }
        tuples = longer;
    }
    tuples
}

/// The values at which something changes.
pub(crate) fn values(prim: Prim) -> Vec<Scalar> {
    let bits = prim.bits();
    match prim {
        Prim::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        Prim::F16 | Prim::F32 | Prim::F64 => {
            let mut values: Vec<Scalar> =
                FLOATS.iter().filter_map(|&v| convert(prim, Scalar::F64(v))).collect();
            // The least ones, the largest subnormal and the least normal number, the largest ones.
            let infinity = convert(prim, Scalar::F64(f64::INFINITY)).map_or(0, Scalar::bits);
            let mantissa = match prim {
                Prim::F16 => 10,
                Prim::F32 => 23,
                _ => 52,
            };
            for special in [1, 2, (1 << mantissa) - 1, 1 << mantissa, infinity - 1, infinity - 2] {
                values.push(Scalar::from_bits(prim, special));
                values.push(Scalar::from_bits(prim, special | 1 << (bits - 1)));
            }
            values
        }
        Prim::I8
        | Prim::I16
        | Prim::I32
        | Prim::I64
        | Prim::U8
        | Prim::U16
        | Prim::U32
        | Prim::U64 => {
            let width = u64::from(bits);
            let top = 1u64 << (bits - 1);
            let mut values = vec![0, 1, 2, 3, 5, 7, 10, 31, width - 1, width, width + 1, 97];
            values.extend([top, top + 1, top - 1, top / 2, top / 2 + 3, top / 3, (top / 3) | 1]);
            values.extend([1, 2, 3, 4, 7, 10, 100].map(u64::wrapping_neg));
            values.into_iter().map(|v| Scalar::from_bits(prim, v)).collect()
        }
    }
}

const FLOATS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.1,
    3.7,
    -3.7,
    1e-3,
    255.0,
    -129.0,
    65504.0,
    65519.0,
    65520.0,
    2049.0,
    16_777_217.0,
    2_147_483_647.0,
    2_147_483_648.0,
    -2_147_483_648.5,
    -2_147_483_649.0,
    4_294_967_297.75,
    6_442_450_943.5,
    -6_442_450_945.5,
    9_223_372_036_854_775_808.0,
    -9_223_372_036_854_775_808.0,
    27_670_116_110_564_327_424.0,
    -1.234_567_890_123e25,
    1.234_567e30,
    1.701_411_834_604_692_3e38,
    -1.701_411_834_604_692_3e38,
    2.5e38,
    -2.5e38,
    1e300,
    -1e300,
    1e-8,
    6e-8,
    2.980_232_238_769_53e-8,
    2.980_232_238_769_6e-8,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Functions whose results are exact, or correctly rounded.
const EXACT: &[MathFn] = &[
    MathFn::Sqrt,
    MathFn::Rsqrt,
    MathFn::Ceil,
    MathFn::Floor,
    MathFn::Round,
    MathFn::Copysign,
    MathFn::Nextafter,
    MathFn::Ldexp,
    MathFn::Lerp,
    MathFn::Mad,
    MathFn::Fma,
    MathFn::Isnan,
    MathFn::Isinf,
    MathFn::Popc,
    MathFn::Clz,
    MathFn::Ctz,
    MathFn::MulHi,
    MathFn::MadHi,
];

const UN_OPS: [(UnOp, &str); 4] =
    [(UnOp::Neg, "neg"), (UnOp::Not, "not"), (UnOp::Abs, "abs"), (UnOp::Sgn, "sgn")];

const BIN_OPS: [(BinOp, &str); 17] = [
    (BinOp::Add, "add"),
    (BinOp::Sub, "sub"),
    (BinOp::Mul, "mul"),
    (BinOp::Div, "div"),
    (BinOp::Mod, "mod"),
    (BinOp::Quot, "quot"),
    (BinOp::Rem, "rem"),
    (BinOp::Pow, "pow"),
    (BinOp::Min, "min"),
    (BinOp::Max, "max"),
    (BinOp::And, "and"),
    (BinOp::Or, "or"),
    (BinOp::Xor, "xor"),
    (BinOp::Shl, "shl"),
    (BinOp::Shr, "shr"),
    (BinOp::Lshr, "lshr"),
    (BinOp::Ashr, "ashr"),
];

const CMP_OPS: [(CmpOp, &str); 3] = [(CmpOp::Eq, "eq"), (CmpOp::Lt, "lt"), (CmpOp::Le, "le")];

/// How a type is written in C.
pub(crate) fn c_type(prim: Prim) -> &'static str {
    match prim {
        Prim::I8 => "int8_t",
        Prim::I16 => "int16_t",
        Prim::I32 => "int32_t",
        Prim::I64 => "int64_t",
        Prim::U8 => "uint8_t",
        Prim::U16 => "uint16_t",
        Prim::U32 => "uint32_t",
        Prim::U64 => "uint64_t",
        Prim::F16 => "FE_F16",
        Prim::F32 => "float",
        Prim::F64 => "double",
        Prim::Bool => "bool",
    }
}
