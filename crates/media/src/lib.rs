//! Values as pictures, films, sound and plots, and back.
//!
//! What literate programs and notebooks show is made here, by us, so that it needs no other programs and is the same on all
//! machines. Nothing here touches files: everything is bytes or text.
//!
//! - [`image`]: arrays of colours as PNG, and PNG and GIF as arrays;
//! - [`video`]: pictures in sequence, as animated PNG or GIF;
//! - [`audio`]: arrays of samples as WAV, and back;
//! - [`plot`]: columns of numbers as SVG;
//! - [`mod@column`]: arrays as columns of numbers.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod audio;
pub mod column;
pub mod image;
pub mod plot;
pub mod video;

/// Bytes as text, as addresses with data in them (`data:`) have it.
pub fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let part = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for index in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * index)) as usize & 63];
            out.push(if index <= three.len() { char::from(sign) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_pads() {
        let all = ["", "f", "fo", "foo", "foob"].map(|text| super::base64(text.as_bytes()));
        assert_eq!(all, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
