//! Sound: arrays of samples as WAV, and back.
//!
//! Floats are samples from -1 to 1, integers samples over the whole range of their type. Files are written with 16 bits for
//! a sample, and read with 8, 16, 24 or 32 bits, as integers or floats.

use crate::column::numbers;
use fehu_base::Prim;
use fehu_data::{Array, Value};

/// Sound.
#[derive(Clone, PartialEq, Debug)]
pub struct Sound {
    /// Samples in a second.
    pub rate: u32,
    /// The channels, all of the same length, with samples from -1 to 1.
    pub channels: Vec<Vec<f64>>,
}

impl Sound {
    /// The sound of an array: samples, or channels of samples.
    pub fn from_value(value: &Value, rate: u32) -> Result<Sound, String> {
        let ty = value.value_type();
        let array = value.as_array().filter(|array| matches!(array.rank(), 1 | 2));
        let array = array.ok_or_else(|| {
            format!("sound is an array of samples, or an array of channels, not {ty}")
        })?;
        let range = match array.elem() {
            Prim::Bool => return Err("truth values are no samples".to_owned()),
            Prim::F16 | Prim::F32 | Prim::F64 => 1.0,
            Prim::I8 | Prim::U8 => 128.0,
            Prim::I16 | Prim::U16 => 32_768.0,
            Prim::I32 | Prim::U32 => 2_147_483_648.0,
            Prim::I64 | Prim::U64 => 9_223_372_036_854_775_808.0,
        };
        let middle = if is_unsigned(array.elem()) { 1.0 } else { 0.0 };
        let samples: Vec<f64> =
            numbers(array).into_iter().map(|sample| sample / range - middle).collect();
        let count = if array.rank() == 2 { array.shape()[0] } else { 1 };
        if count == 0 {
            return Err("sound without channels cannot be heard".to_owned());
        }
        let length = samples.len() / count;
        let channel = |index: usize| samples[index * length..(index + 1) * length].to_vec();
        Ok(Sound { rate, channels: (0..count).map(channel).collect() })
    }

    /// The channels as an array.
    pub fn to_array(&self) -> Result<Array, String> {
        let length = self.channels.first().map_or(0, Vec::len);
        let shape = vec![self.channels.len(), length];
        Array::from_vec(self.channels.concat()).reshape(shape).map_err(|error| error.to_string())
    }

    /// The sound as a file in the format WAV.
    pub fn to_wav(&self) -> Result<Vec<u8>, String> {
        let length = self.channels.first().map_or(0, Vec::len);
        let channels = self.channels.len();
        let (Ok(bytes), Ok(count)) =
            (u32::try_from(length * channels * 2), u16::try_from(channels))
        else {
            return Err("the sound is too long for the format WAV".to_owned());
        };
        let frame = count.saturating_mul(2);
        let mut file = Vec::with_capacity(44 + bytes as usize);
        file.extend(b"RIFF");
        file.extend((36u32.saturating_add(bytes)).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16u32.to_le_bytes());
        file.extend(INTEGERS.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(self.rate.to_le_bytes());
        file.extend(self.rate.saturating_mul(frame.into()).to_le_bytes());
        file.extend(frame.to_le_bytes());
        file.extend(16u16.to_le_bytes());
        file.extend(b"data");
        file.extend(bytes.to_le_bytes());
        for index in 0..length {
            for channel in &self.channels {
                let sample = channel.get(index).copied().unwrap_or(0.0).clamp(-1.0, 1.0);
                file.extend(((sample * 32_767.0).round() as i16).to_le_bytes());
            }
        }
        Ok(file)
    }

    /// The sound of a file in the format WAV.
    pub fn from_file(bytes: &[u8]) -> Result<Sound, String> {
        let what = |bytes: &[u8]| bytes.get(8..12).is_some_and(|word| word == b"WAVE");
        if !bytes.starts_with(b"RIFF") || !what(bytes) {
            return Err("only sound in the format WAV can be read".to_owned());
        }
        let format = chunk(bytes, b"fmt ").filter(|format| format.len() >= 16);
        let format = format.ok_or("this WAV does not say how its samples are written")?;
        let data = chunk(bytes, b"data").ok_or("this WAV has no samples")?;
        let short = |at: usize| u16::from_le_bytes([format[at], format[at + 1]]);
        let rate = u32::from_le_bytes([format[4], format[5], format[6], format[7]]);
        let (mut code, count, bits) = (short(0), usize::from(short(2)), short(14));
        // The extensible form says it further back.
        if let (EXTENSIBLE, [_, _, ..]) = (code, format.get(24..).unwrap_or_default()) {
            code = short(24);
        }
        let sample = |part: &[u8]| match (code, part) {
            (INTEGERS, &[a]) => Some((f64::from(a) - 128.0) / 128.0),
            (INTEGERS, &[a, b]) => Some(f64::from(i16::from_le_bytes([a, b])) / 32_768.0),
            (INTEGERS, &[a, b, c]) => {
                Some(f64::from(i32::from_le_bytes([0, a, b, c])) / 2_147_483_648.0)
            }
            (INTEGERS, &[a, b, c, d]) => {
                Some(f64::from(i32::from_le_bytes([a, b, c, d])) / 2_147_483_648.0)
            }
            (FLOATS, &[a, b, c, d]) => Some(f64::from(f32::from_le_bytes([a, b, c, d]))),
            _ => None,
        };
        let width = usize::from(bits / 8);
        if count == 0 || width == 0 {
            return Err("this WAV has no channels".to_owned());
        }
        let samples: Option<Vec<f64>> = data.chunks_exact(width).map(sample).collect();
        let samples = samples.ok_or_else(|| {
            format!("this WAV has samples of {bits} bits with code {code}, which cannot be read")
        })?;
        let length = samples.len() / count;
        let channel = |first: usize| {
            (0..length).map(|index| samples[index * count + first]).collect::<Vec<f64>>()
        };
        Ok(Sound { rate, channels: (0..count).map(channel).collect() })
    }
}

/// How samples are written.
const INTEGERS: u16 = 1;
const FLOATS: u16 = 3;
const EXTENSIBLE: u16 = 0xfffe;

/// The contents of the part of a WAV file with this name.
fn chunk<'b>(bytes: &'b [u8], name: &[u8; 4]) -> Option<&'b [u8]> {
    let mut rest = bytes.get(12..)?;
    loop {
        let (head, body) = rest.split_at_checked(8)?;
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        if &head[..4] == name {
            return Some(&body[..length.min(body.len())]);
        }
        // Parts have an even length.
        rest = body.get(length + length % 2..)?;
    }
}

fn is_unsigned(prim: Prim) -> bool {
    matches!(prim, Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_survive_a_file() {
        let array = Array::from_vec(vec![0.0f32, 0.5, -1.0, 2.0]).reshape(vec![2, 2]);
        let sound = Sound::from_value(&array.expect("it fits").into(), 8000).expect("it is sound");
        let file = sound.to_wav().expect("it can be written");
        assert_eq!(file.len(), 44 + 8);
        let back = Sound::from_file(&file).expect("it can be read");
        assert_eq!(back.rate, 8000);
        let rounded = |sample: &f64| (sample * 100.0).round() / 100.0;
        let channels: Vec<Vec<f64>> =
            back.channels.iter().map(|channel| channel.iter().map(rounded).collect()).collect();
        assert_eq!(channels, [[0.0, 0.5], [-1.0, 1.0]]);
    }

    #[test]
    fn integers_use_the_range_of_their_type() {
        let sound = |value: Value| Sound::from_value(&value, 1).expect("it is sound").channels;
        assert_eq!(sound(Array::from_vec(vec![0u8, 128]).into()), [[-1.0, 0.0]]);
        assert_eq!(sound(Array::from_vec(vec![-32_768i16, 16_384]).into()), [[-1.0, 0.5]]);
    }

    #[test]
    fn broken_files_are_refused() {
        let sound = Sound { rate: 1, channels: vec![vec![0.0; 4]] };
        let file = sound.to_wav().expect("it can be written");
        for length in 0..44 {
            assert!(Sound::from_file(&file[..length]).is_err(), "{length}");
        }
        let mut strange = file;
        strange[20] = 85;
        assert!(Sound::from_file(&strange).is_err_and(|why| why.contains("code 85")));
    }
}
