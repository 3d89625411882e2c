//! Rounding an exact number to a binary floating-point format.
//!
//! Two users: conversion to f16, for which there is no machine instruction to rely on, and hexadecimal float
//! literals, which the standard library does not read.

/// A binary interchange format.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Bits of the fraction, without the hidden one.
    pub(crate) fraction: i64,
    /// The exponent bias, which is also the largest exponent.
    pub(crate) bias: i64,
}

pub(crate) const F16: Format = Format { fraction: 10, bias: 15 };
pub(crate) const F32: Format = Format { fraction: 23, bias: 127 };
pub(crate) const F64: Format = Format { fraction: 52, bias: 1023 };

/// The bits, without sign, of `mantissa * 2^exponent` rounded to nearest, ties to even.
///
/// A mantissa that was cut has to have its lowest bit set (a sticky bit) and at least two bits more than
/// the format; then the result is still the correct one.
pub(crate) fn compose(mantissa: u64, exponent: i64, format: Format) -> u64 {
    let Format { fraction, bias } = format;
    if mantissa == 0 {
        return 0;
    }
    let leading = i64::from(63 - mantissa.leading_zeros());
    let magnitude = exponent.saturating_add(leading);
    if magnitude > bias {
        return ((2 * bias + 1) as u64) << fraction;
    }
    // Below the smallest normal exponent the quantum stays the same: subnormal numbers.
    let binade = magnitude.max(1 - bias);
    let dropped = (binade - fraction).saturating_sub(exponent);
    let rounded = if dropped <= 0 {
        // The exponent is at least that of the quantum, so this is exact and fits.
        mantissa << -dropped
    } else if dropped > 65 {
        0
    } else {
        let wide = u128::from(mantissa);
        let kept = wide >> dropped;
        let rest = wide & ((1 << dropped) - 1);
        let half = 1_u128 << (dropped - 1);
        let up = rest > half || (rest == half && kept & 1 == 1);
        (kept + u128::from(up)) as u64
    };
    // The hidden bit of a normal number adds one to the exponent field, and so does a carry.
    (((binade + bias - 1) as u64) << fraction) + rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_machine_on_f32() {
        let mut rng = crate::generate::Rng::new(7);
        for _ in 0..200_000 {
            let mantissa = rng.next_u64() >> (rng.next_u64() % 64);
            let exponent = (rng.next_u64() % 1000) as i64 - 500;
            // Exact in f64 when the mantissa has at most 53 bits.
            let mantissa = mantissa >> 11;
            let exact = mantissa as f64 * 2f64.powi(exponent as i32);
            let expected = u64::from((exact as f32).to_bits());
            assert_eq!(compose(mantissa, exponent, F32), expected, "{mantissa} * 2^{exponent}");
            assert_eq!(compose(mantissa, exponent, F64), exact.to_bits());
        }
    }
}
