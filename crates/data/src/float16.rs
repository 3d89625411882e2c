//! Conversions to f16 that round once.
//!
//! The crate `half` has the type, which the interpreter uses as well. Its own conversion from f64 goes
//! through f32 on some processors, and so rounds twice.

use crate::ieee;
use half::f16;

/// The nearest f16, ties to even.
pub(crate) fn from_f64(x: f64) -> f16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52) as i64 & 0x7FF;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 0x7FF {
        // Keep the top bits of a NaN; setting the quiet bit keeps it a NaN.
        let payload = if fraction == 0 { 0 } else { 0x200 | (fraction >> 42) as u16 };
        return f16::from_bits(sign | 0x7C00 | payload);
    }
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let magnitude = ieee::compose(mantissa, exponent.max(1) - 1075, ieee::F16);
    f16::from_bits(sign | magnitude as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_conversion() {
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits);
            let back = from_f64(x.to_f64());
            if x.is_nan() {
                // Signalling NaNs become quiet ones.
                assert_eq!(back.to_bits(), bits | 0x200);
            } else {
                assert_eq!(back.to_bits(), bits);
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(from_f64(1.0).to_bits(), 0x3C00);
        assert_eq!(from_f64(-2.0).to_bits(), 0xC000);
        assert_eq!(from_f64(0.1).to_f32(), 0.099975586);
        assert_eq!(from_f64(65519.99), f16::MAX);
        assert_eq!(from_f64(65520.0), f16::INFINITY);
        assert_eq!(from_f64(2f64.powi(-24)).to_bits(), 1);
        assert_eq!(from_f64(2f64.powi(-25)).to_bits(), 0, "a tie goes to even");
        assert_eq!(from_f64(2f64.powi(-25) * 1.0001).to_bits(), 1);
        assert_eq!(from_f64(f64::MIN_POSITIVE / 8.0).to_bits(), 0);
    }

    #[test]
    fn midpoints_go_to_even() {
        for bits in 0..0x7BFF {
            let (low, high) = (f16::from_bits(bits), f16::from_bits(bits + 1));
            let middle = (low.to_f64() + high.to_f64()) / 2.0;
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(from_f64(middle), even);
            assert_eq!(from_f64(middle.next_up()), high);
            assert_eq!(from_f64(middle.next_down()), low);
        }
    }
}
