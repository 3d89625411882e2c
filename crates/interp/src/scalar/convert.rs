//! Conversions between types.

use fehu_base::Prim;
use fehu_ir::Scalar;
use half::f16;

/// The number as another type.
///
/// Integers are truncated or extended. An extension is by the sign if source and target are signed,
/// otherwise by zeros. Floats are rounded to the nearest (ties to even), or towards zero to integers,
/// where NaN and infinities become zero, and what does not fit into 32 bits (64 for the types of 64 bits) becomes the
/// least signed number of these; then the low bits are kept. To bool means "not zero".
///
/// This is what the instructions of common processors give; only unsigned numbers in the upper half of their
/// range, which fit, need more than one.
pub fn convert(to: Prim, a: Scalar) -> Option<Scalar> {
    Some(match a {
        Scalar::I8(v) => from_int(to, i128::from(v), u64::from(v as u8)),
        Scalar::I16(v) => from_int(to, i128::from(v), u64::from(v as u16)),
        Scalar::I32(v) => from_int(to, i128::from(v), u64::from(v as u32)),
        Scalar::I64(v) => from_int(to, i128::from(v), v as u64),
        Scalar::U8(v) => from_int(to, i128::from(v), u64::from(v)),
        Scalar::U16(v) => from_int(to, i128::from(v), u64::from(v)),
        Scalar::U32(v) => from_int(to, i128::from(v), u64::from(v)),
        Scalar::U64(v) => from_int(to, i128::from(v), v),
        Scalar::F16(v) if to == Prim::F16 => Scalar::F16(v),
        Scalar::F16(v) => from_f64(to, f64::from(v.to_f32())),
        Scalar::F32(v) if to == Prim::F32 => Scalar::F32(v),
        Scalar::F32(v) => from_f64(to, f64::from(v)),
        Scalar::F64(v) => from_f64(to, v),
        Scalar::Bool(v) => from_int(to, i128::from(v), u64::from(v)),
        Scalar::Unit => return None,
    })
}

/// The same bits as another type; `None` if the widths differ or one of them is bool.
pub fn reinterpret(to: Prim, a: Scalar) -> Option<Scalar> {
    let fehu_ir::Elem::Prim(from) = a.elem() else { return None };
    let same = from.bits() == to.bits() && (from == Prim::Bool) == (to == Prim::Bool);
    same.then(|| Scalar::from_bits(to, a.bits()))
}

/// From an integer: its value, and its bits extended by zeros.
fn from_int(to: Prim, value: i128, bits: u64) -> Scalar {
    match to {
        Prim::I8 => Scalar::I8(value as i8),
        Prim::I16 => Scalar::I16(value as i16),
        Prim::I32 => Scalar::I32(value as i32),
        Prim::I64 => Scalar::I64(value as i64),
        Prim::U8 => Scalar::U8(bits as u8),
        Prim::U16 => Scalar::U16(bits as u16),
        Prim::U32 => Scalar::U32(bits as u32),
        Prim::U64 => Scalar::U64(bits),
        // An integer that f32 must round is too large for f16 either way: nothing is rounded twice.
        Prim::F16 => Scalar::F16(f16::from_f32(value as f32)),
        Prim::F32 => Scalar::F32(value as f32),
        Prim::F64 => Scalar::F64(value as f64),
        Prim::Bool => Scalar::Bool(bits != 0),
    }
}

/// From a float, which f64 holds exactly.
fn from_f64(to: Prim, value: f64) -> Scalar {
    let whole = if value.is_finite() { value as i128 } else { 0 };
    // Numbers from `least` to `end`, or `least` itself.
    let within = |least: i128, end: i128| if (least..end).contains(&whole) { whole } else { least };
    let (least32, least64) = (i128::from(i32::MIN), i128::from(i64::MIN));
    match to {
        Prim::I8 => Scalar::I8(within(least32, -least32) as i8),
        Prim::I16 => Scalar::I16(within(least32, -least32) as i16),
        Prim::I32 => Scalar::I32(within(least32, -least32) as i32),
        Prim::I64 => Scalar::I64(within(least64, -least64) as i64),
        Prim::U8 => Scalar::U8(within(least32, -2 * least32) as u8),
        Prim::U16 => Scalar::U16(within(least32, -2 * least32) as u16),
        Prim::U32 => Scalar::U32(within(least32, -2 * least32) as u32),
        Prim::U64 => Scalar::U64(within(least64, -2 * least64) as u64),
        Prim::F16 => Scalar::F16(f16_from_f64(value)),
        Prim::F32 => Scalar::F32(value as f32),
        Prim::F64 => Scalar::F64(value),
        Prim::Bool => Scalar::Bool(value != 0.0),
    }
}

/// The nearest f16. It goes through f32 rounded to odd: truncated, with the last bit set if anything
/// was lost. As f32 has more than two bits to spare, rounding that again is rounding once.
fn f16_from_f64(value: f64) -> f16 {
    let near = value as f32;
    if value.is_nan() || near.is_infinite() || f64::from(near) == value {
        return f16::from_f32(near);
    }
    let bits = near.to_bits();
    let away = f64::from(near).abs() > value.abs();
    let truncated = if away { bits - 1 } else { bits };
    f16::from_f32(f32::from_bits(truncated | 1))
}
