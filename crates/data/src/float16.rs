//! Numbers of type f16: IEEE 754 half precision, with exact conversions.
//!
//! Written here because it is little code, while the usual crate brings eight others along.

use crate::ieee;
use std::cmp::Ordering;
use std::fmt;

/// A half-precision number. Comparison is that of floats: NaN is not equal to itself.
#[derive(Clone, Copy, Default)]
pub struct F16(u16);

impl F16 {
    /// Positive infinity.
    pub const INFINITY: F16 = F16(0x7C00);
    /// A quiet NaN.
    pub const NAN: F16 = F16(0x7E00);
    /// The largest finite number, 65504.
    pub const MAX: F16 = F16(0x7BFF);

    /// The number with these bits.
    pub const fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }

    /// The bits of the number.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The nearest f16, ties to even.
    pub fn from_f32(x: f32) -> F16 {
        F16::from_f64(f64::from(x))
    }

    /// The nearest f16, ties to even.
    pub fn from_f64(x: f64) -> F16 {
        let bits = x.to_bits();
        let sign = (bits >> 48) as u16 & 0x8000;
        let exponent = (bits >> 52) as i64 & 0x7FF;
        let fraction = bits & ((1 << 52) - 1);
        if exponent == 0x7FF {
            // Keep the top bits of a NaN; setting the quiet bit keeps it a NaN.
            let payload = if fraction == 0 { 0 } else { 0x200 | (fraction >> 42) as u16 };
            return F16(sign | 0x7C00 | payload);
        }
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let magnitude = ieee::compose(mantissa, exponent.max(1) - 1075, ieee::F16);
        F16(sign | magnitude as u16)
    }

    /// The same number as f32.
    pub fn to_f32(self) -> f32 {
        let sign = u32::from(self.0 & 0x8000) << 16;
        let exponent = u32::from(self.0 >> 10) & 0x1F;
        let fraction = u32::from(self.0) & 0x3FF;
        let magnitude = match exponent {
            0 => (fraction as f32 * 2f32.powi(-24)).to_bits(),
            0x1F => 0x7F80_0000 | fraction << 13,
            _ => (exponent + 112) << 23 | fraction << 13,
        };
        f32::from_bits(sign | magnitude)
    }

    /// The same number as f64.
    pub fn to_f64(self) -> f64 {
        f64::from(self.to_f32())
    }
}

impl PartialEq for F16 {
    fn eq(&self, other: &F16) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for F16 {
    fn partial_cmp(&self, other: &F16) -> Option<Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

impl fmt::Debug for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), f)
    }
}

impl fmt::Display for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_f32(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_survives_conversion() {
        for bits in 0..=u16::MAX {
            let x = F16::from_bits(bits);
            let back = F16::from_f32(x.to_f32());
            if x.to_f32().is_nan() {
                // Signalling NaNs become quiet ones.
                assert_eq!(back.to_bits(), bits | 0x200);
            } else {
                assert_eq!(back.to_bits(), bits);
            }
        }
    }

    #[test]
    fn known_values() {
        assert_eq!(F16::from_f32(1.0).to_bits(), 0x3C00);
        assert_eq!(F16::from_f32(-2.0).to_bits(), 0xC000);
        assert_eq!(F16::from_f64(0.1).to_f32(), 0.099975586);
        assert_eq!(F16::MAX.to_f32(), 65504.0);
        assert_eq!(F16::from_f64(65519.99), F16::MAX);
        assert_eq!(F16::from_f64(65520.0), F16::INFINITY);
        assert_eq!(F16::from_f64(2f64.powi(-24)).to_bits(), 1);
        assert_eq!(F16::from_f64(2f64.powi(-25)).to_bits(), 0, "a tie goes to even");
        assert_eq!(F16::from_f64(2f64.powi(-25) * 1.0001).to_bits(), 1);
        assert_eq!(F16::from_f64(f64::MIN_POSITIVE / 8.0).to_bits(), 0);
    }

    #[test]
    fn midpoints_go_to_even() {
        for bits in 0..0x7BFF {
            let (low, high) = (F16::from_bits(bits), F16::from_bits(bits + 1));
            let middle = (low.to_f64() + high.to_f64()) / 2.0;
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(F16::from_f64(middle), even);
            assert_eq!(F16::from_f64(middle.next_up()), high);
            assert_eq!(F16::from_f64(middle.next_down()), low);
        }
    }
}
