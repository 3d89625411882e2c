//! The usual numbers, quickly: plain decimals of usual length, of the type that is needed.
//!
//! Data sets have millions of them. Everything unusual, and everything wrong, is left to `number.rs`, which
//! this file has to agree with.

use crate::array::Elem;
use crate::float16;
use crate::value::Scalar;
use fehu_base::Prim;

/// The number at the start of `text` and its length, if it is a usual one.
#[inline]
pub(super) fn quick<T: Elem>(text: &[u8]) -> Option<(T, usize)> {
    let decimal = Decimal::new(text)?;
    let mut end = decimal.end;
    let suffix = T::PRIM.name().as_bytes();
    if text[end..].starts_with(suffix) {
        end += suffix.len();
    }
    if !matches!(text.get(end), Some(b',' | b']' | b' ' | b'\n')) {
        return None;
    }
    let scalar = decimal.convert(&text[..decimal.end], T::PRIM)?;
    Some((T::from_scalar(scalar)?, end))
}

/// `mantissa * 10^exponent`.
struct Decimal {
    negative: bool,
    mantissa: u64,
    exponent: i32,
    /// Whether there is a point or an exponent.
    float: bool,
    /// Whether the mantissa had room for all digits.
    exact: bool,
    /// The number of bytes.
    end: usize,
}

impl Decimal {
    #[inline]
    fn new(text: &[u8]) -> Option<Decimal> {
        let negative = text.first() == Some(&b'-');
        let start = usize::from(negative);
        let mut decimal =
            Decimal { negative, mantissa: 0, exponent: 0, float: false, exact: true, end: start };
        let whole = decimal.digits(text);
        let mut all = whole;
        if text.get(decimal.end) == Some(&b'.') {
            decimal.end += 1;
            let fraction = decimal.digits(text);
            decimal.exponent = -(fraction as i32);
            decimal.float = true;
            all += fraction;
        }
        if whole == 0 {
            return None;
        }
        decimal.exact = all <= 19;
        if let Some(b'e') = text.get(decimal.end) {
            decimal.end += 1;
            let sign = text.get(decimal.end).copied();
            decimal.end += usize::from(matches!(sign, Some(b'+' | b'-')));
            let mut written = 0;
            let start = decimal.end;
            while let Some(digit @ b'0'..=b'9') = text.get(decimal.end) {
                written = written * 10 + i32::from(digit - b'0');
                decimal.end += 1;
                if decimal.end > start + 4 {
                    return None;
                }
            }
            if decimal.end == start {
                return None;
            }
            decimal.exponent += if sign == Some(b'-') { -written } else { written };
            decimal.float = true;
        }
        Some(decimal)
    }

    /// Takes digits into the mantissa; how many. Too many overflow, which their number shows.
    #[inline]
    fn digits(&mut self, text: &[u8]) -> usize {
        let start = self.end;
        while let Some(digit @ b'0'..=b'9') = text.get(self.end) {
            self.mantissa = self.mantissa.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.end += 1;
        }
        self.end - start
    }

    #[inline]
    fn convert(&self, text: &[u8], prim: Prim) -> Option<Scalar> {
        if prim.is_float() {
            let float = if self.exact { self.exact_float(prim) } else { None };
            return float.or_else(|| library_float(text, prim));
        }
        let largest = (u64::MAX >> (64 - prim.bits())) >> 1;
        if self.float || !self.exact || prim == Prim::Bool || self.mantissa > largest {
            return None;
        }
        let bits = if self.negative { self.mantissa.wrapping_neg() } else { self.mantissa };
        Some(Scalar::from_bits(prim, bits))
    }

    /// The float, if one operation on exact numbers gives it: that is rounded correctly (Clinger).
    #[inline]
    fn exact_float(&self, prim: Prim) -> Option<Scalar> {
        if self.mantissa > 1 << 53 {
            return None;
        }
        let power = *POWERS.get(self.exponent.unsigned_abs() as usize)?;
        let mantissa = self.mantissa as f64;
        let x = if self.exponent < 0 { mantissa / power } else { mantissa * power };
        let x = if self.negative { -x } else { x };
        match prim {
            Prim::F16 => Some(Scalar::F16(float16::from_f64(x))),
            Prim::F32 => {
                // Rounding twice goes wrong only if the first result is the middle between two numbers of
                // type f32: then it is not known on which side the decimal lies. Subnormal numbers, whose
                // middles look different, are smaller than anything that gets here.
                let middle = x.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
                (!middle).then_some(Scalar::F32(x as f32))
            }
            _ => Some(Scalar::F64(x)),
        }
    }
}

/// The float as the standard library reads it.
fn library_float(text: &[u8], prim: Prim) -> Option<Scalar> {
    let text = std::str::from_utf8(text).ok()?;
    Some(match prim {
        Prim::F16 => Scalar::F16(float16::from_f64(text.parse().ok()?)),
        Prim::F32 => Scalar::F32(text.parse().ok()?),
        _ => Scalar::F64(text.parse().ok()?),
    })
}

/// The powers of ten that f64 has exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

#[cfg(test)]
mod tests {
    use super::super::number::Word;
    use super::*;
    use crate::generate::Rng;

    /// Whether the quick way took the number; if so it has to agree with the other.
    fn agrees<T: Elem>(text: &str) -> bool {
        let padded = format!("{text},");
        let Some((quick, length)) = quick::<T>(padded.as_bytes()) else {
            return false;
        };
        assert_eq!(length, text.len(), "{text}");
        let slow: T = Word::new(text.as_bytes()).and_then(|word| word.element()).expect(text);
        assert!(slow.scalar().identical(quick.scalar()), "{text}: {slow:?} or {quick:?}");
        true
    }

    #[test]
    fn agrees_with_the_slow_way() {
        let mut rng = Rng::new(1);
        let mut taken = [0; 7];
        for _ in 0..100_000 {
            let number = rng.next_u64() >> rng.up_to(63);
            let sign = if rng.up_to(1) == 0 { "-" } else { "" };
            let fraction = match rng.up_to(2) {
                0 => String::new(),
                _ => format!(".{}", rng.next_u64() >> rng.up_to(63)),
            };
            let exponent = match rng.up_to(3) {
                0 => format!("e{}", rng.up_to(60) as i64 - 30),
                _ => String::new(),
            };
            let text = format!("{sign}{number}{fraction}{exponent}");
            taken[0] += u32::from(agrees::<f32>(&text));
            taken[1] += u32::from(agrees::<f64>(&text));
            taken[2] += u32::from(agrees::<half::f16>(&text));
            taken[3] += u32::from(agrees::<i32>(&format!("{sign}{number}")));
            taken[4] += u32::from(agrees::<u8>(&format!("{sign}{number}u8")));
            taken[5] += u32::from(agrees::<f32>(&format!("{text}f32")));
            taken[6] += u32::from(agrees::<i64>(&format!("{number}i64")));
        }
        assert!(taken.iter().all(|&n| n > 10_000), "{taken:?}");
    }

    #[test]
    fn middles_of_f32_are_right() {
        let mut rng = Rng::new(2);
        for _ in 0..100_000 {
            // Integers of 25 bits are middles if odd; decimals just beside them are not.
            let middle = (1 << 24) + rng.up_to((1 << 24) - 1);
            agrees::<f32>(&middle.to_string());
            agrees::<f32>(&format!("{middle}.000000001"));
            agrees::<f32>(&format!("{}.99999999", middle - 1));
            agrees::<f32>(&format!("{middle}e-{}", rng.up_to(22)));
        }
    }

    #[test]
    fn the_unusual_is_left_to_others() {
        for text in ["1_0,", "0x1,", "1i8,", "1", ".5,", "+1,", "1e,", "1e99999,", "nan,", "-,", ""]
        {
            assert!(quick::<f32>(text.as_bytes()).is_none(), "{text}");
        }
        assert!(quick::<i8>(b"128,").is_none());
        assert!(quick::<i32>(b"1.0,").is_none());
        assert!(quick::<bool>(b"1,").is_none());
    }
}
