//! Scalar operations as programs see them; what they compute is tested in `scalar` itself.

use super::{check, int};
use fehu_interp::Value;
use fehu_ir::Scalar;

#[test]
fn operations_run() {
    let text = "fun f(x: i64, y: f32) -> (res_a: i64, res_b: i64, res_c: bool, res_d: f32, res_e: i8, res_g: u32, res_h: i64) =
        let (a: i64) = neg x
        let (b: i64) = add x x
        let (c: bool) = lt x b
        let (d: f32) = sqrt y
        let (e: i8) = convert i8 x
        let (g: u32) = reinterpret u32 y
        let (h: i64) = x
        in (a, b, c, d, e, g, h)";
    let args = vec![int(300), Value::Scalar(Scalar::F32(4.0))];
    let expected = [
        Scalar::I64(-300),
        Scalar::I64(600),
        Scalar::Bool(true),
        Scalar::F32(2.0),
        Scalar::I8(44),
        Scalar::U32(0x4080_0000),
        Scalar::I64(300),
    ];
    check(text, args, expected.into_iter().map(Value::Scalar).collect());
}
