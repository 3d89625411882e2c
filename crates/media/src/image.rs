//! Pictures: arrays of colours as PNG, and files as arrays of colours.
//!
//! | elements | colour |
//! |---|---|
//! | `u32`, `i32` | `0xAARRGGBB`; the alpha channel is dropped |
//! | `u8` | grey |
//! | `f16`, `f32`, `f64` | grey, from 0 (black) to 1 (white); what is outside is as black or as white |
//! | `bool` | white if true |

use crate::column;
use fehu_base::Prim;
use fehu_data::{Array, Value};
use std::io::Cursor;

/// A picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

impl Image {
    /// The picture that an array with two dimensions is.
    pub fn from_value(value: &Value) -> Result<Image, String> {
        let ty = value.value_type();
        let array = value.as_array().filter(|array| array.rank() == 2);
        let array = array.ok_or_else(|| {
            format!("a picture is an array of two dimensions, height and width, not {ty}")
        })?;
        let &[height, width] = array.shape() else { return Err(format!("{ty} is no picture")) };
        let (Ok(height), Ok(width)) = (u32::try_from(height), u32::try_from(width)) else {
            return Err(format!("{height} times {width} pixels are too many"));
        };
        if height == 0 || width == 0 {
            return Err(format!("a picture of {height} times {width} pixels has nothing to show"));
        }
        Ok(Image { width, height, rgb: colours(array)? })
    }

    /// The picture as a file in the format PNG.
    pub fn to_png(&self) -> Result<Vec<u8>, String> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder.write_header().and_then(|mut writer| {
            writer.write_image_data(&self.rgb)?;
            writer.finish()
        });
        written.map_err(|error| format!("the picture cannot be written: {error}"))?;
        Ok(file)
    }

    /// The picture in a file in the format PNG, JPEG or GIF (the first one of an animation). Transparent pixels have the
    /// colour that the file gives them.
    pub fn from_file(bytes: &[u8]) -> Result<Image, String> {
        if bytes.starts_with(b"GIF8") {
            return from_gif(bytes).map_err(|error| format!("this GIF cannot be read: {error}"));
        }
        if bytes.starts_with(b"\x89PNG") {
            return from_png(bytes).map_err(|error| format!("this PNG cannot be read: {error}"));
        }
        #[cfg(not(target_family = "wasm"))]
        if bytes.starts_with(b"\xff\xd8\xff") {
            return from_jpeg(bytes).map_err(|error| format!("this JPEG cannot be read: {error}"));
        }
        Err("only pictures in the formats PNG, JPEG and GIF can be read".to_owned())
    }

    /// The picture as an array of colours, `0xFFRRGGBB`.
    pub fn to_array(&self) -> Result<Array, String> {
        let colour = |pixel: &[u8]| {
            let part = |index: usize| u32::from(pixel.get(index).copied().unwrap_or(0));
            0xff00_0000 | part(0) << 16 | part(1) << 8 | part(2)
        };
        let colours: Vec<u32> = self.rgb.chunks_exact(3).map(colour).collect();
        let shape = vec![self.height as usize, self.width as usize];
        Array::from_vec(colours).reshape(shape).map_err(|error| error.to_string())
    }
}

/// Red, green and blue of each element of an array of colours.
fn colours(array: &Array) -> Result<Vec<u8>, String> {
    let grey = |level: u8| [level, level, level];
    let split = |colour: u32| {
        let [_, red, green, blue] = colour.to_be_bytes();
        [red, green, blue]
    };
    let none = || "an array without elements".to_owned();
    Ok(match array.elem() {
        Prim::U32 => array.elements().ok_or_else(none)?.iter().copied().flat_map(split).collect(),
        Prim::I32 => {
            let elements: &[i32] = array.elements().ok_or_else(none)?;
            elements.iter().flat_map(|colour| split(colour.cast_unsigned())).collect()
        }
        Prim::U8 => array.elements().ok_or_else(none)?.iter().copied().flat_map(grey).collect(),
        Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool => {
            let level = |part: f64| (part.clamp(0.0, 1.0) * 255.0).round() as u8;
            column::numbers(array).into_iter().map(level).flat_map(grey).collect()
        }
        Prim::I8 | Prim::I16 | Prim::I64 | Prim::U16 | Prim::U64 => {
            return Err(format!(
                "elements of type {} are no colours; those are u32 (0xAARRGGBB), u8, f32, f64 and bool",
                array.elem().name()
            ));
        }
    })
}

fn from_png(bytes: &[u8]) -> Result<Image, png::DecodingError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes and all depths become eight bits for each part of a colour.
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut buffer = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut buffer)?;
    let pixels = buffer.chunks_exact(info.color_type.samples());
    let rgb = pixels.flat_map(|pixel| match *pixel {
        [red, green, blue, ..] => [red, green, blue],
        [grey, ..] => [grey; 3],
        [] => [0; 3],
    });
    let count = info.width as usize * info.height as usize * 3;
    Ok(Image { width: info.width, height: info.height, rgb: rgb.take(count).collect() })
}

#[cfg(not(target_family = "wasm"))]
fn from_jpeg(bytes: &[u8]) -> Result<Image, String> {
    use zune_jpeg::JpegDecoder;
    use zune_jpeg::zune_core::bytestream::ZCursor;
    use zune_jpeg::zune_core::colorspace::ColorSpace;
    use zune_jpeg::zune_core::options::DecoderOptions;

    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let rgb = decoder.decode().map_err(|error| error.to_string())?;
    let (width, height) = decoder.dimensions().ok_or("it has no size")?;
    let (Ok(width), Ok(height)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err("it is too large".to_owned());
    };
    Ok(Image { width, height, rgb })
}

fn from_gif(bytes: &[u8]) -> Result<Image, gif::DecodingError> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(Cursor::new(bytes))?;
    let (width, height) = (decoder.width(), decoder.height());
    let mut rgb = vec![0; usize::from(width) * usize::from(height) * 3];
    if let Some(frame) = decoder.read_next_frame()? {
        let (columns, left, top) =
            (usize::from(frame.width), usize::from(frame.left), usize::from(frame.top));
        for (index, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (left + index % columns, top + index / columns);
            let at = (y * usize::from(width) + x) * 3;
            if let (Some(place), true) = (rgb.get_mut(at..at + 3), x < usize::from(width)) {
                place.copy_from_slice(&pixel[..3]);
            }
        }
    }
    Ok(Image { width: width.into(), height: height.into(), rgb })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(array: Array, width: usize) -> Image {
        let height = array.len() / width;
        let array = array.reshape(vec![height, width]).expect("it fits");
        Image::from_value(&array.into()).expect("it is a picture")
    }

    #[test]
    fn colours_survive_a_file() {
        let picture = image(Array::from_vec(vec![0xff00_0000u32, 0x0012_3456, 0xffff_ffff, 7]), 2);
        assert_eq!(picture.rgb, [0, 0, 0, 0x12, 0x34, 0x56, 255, 255, 255, 0, 0, 7]);
        let file = picture.to_png().expect("it can be written");
        let back = Image::from_file(&file).expect("it can be read");
        assert_eq!(back, picture);
        let array = back.to_array().expect("it is an array");
        let colours: &[u32] = array.elements().expect("they are colours");
        assert_eq!(colours, [0xff00_0000, 0xff12_3456, 0xffff_ffff, 0xff00_0007]);
    }

    #[test]
    fn photographs_are_read() {
        // Red on the left, blue on the right, with the exactness of the format.
        let picture = Image::from_file(include_bytes!("image/two.jpg")).expect("it can be read");
        assert_eq!((picture.width, picture.height, picture.rgb.len()), (16, 8, 16 * 8 * 3));
        for (index, pixel) in picture.rgb.chunks_exact(3).enumerate() {
            let wanted = if index % 16 < 8 { [200, 30, 10] } else { [10, 40, 220] };
            assert!(
                pixel.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) <= 4),
                "{index}: {pixel:?}"
            );
        }
    }

    #[test]
    fn greys_are_clamped() {
        let picture = image(Array::from_vec(vec![-1.0f32, 0.0, 0.5, 1.0, 7.0, f32::NAN]), 6);
        let greys: Vec<u8> = picture.rgb.iter().step_by(3).copied().collect();
        assert_eq!(greys, [0, 0, 128, 255, 255, 0]);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let flat: Value = Array::from_vec(vec![1u32]).into();
        assert!(Image::from_value(&flat).is_err_and(|why| why.contains("two dimensions")));
        let long = Array::from_vec(vec![1i64]).reshape(vec![1, 1]).expect("it fits").into();
        assert!(Image::from_value(&long).is_err_and(|why| why.contains("i64")));
        let empty = Array::from_vec(Vec::<u8>::new()).reshape(vec![0, 3]).expect("it fits");
        assert!(Image::from_value(&empty.into()).is_err_and(|why| why.contains("nothing to show")));
        assert!(Image::from_file(b"\xff\xd8\xff").is_err_and(|why| why.contains("this JPEG")));
        assert!(Image::from_file(b"P6 1 1").is_err_and(|why| why.contains("PNG, JPEG and GIF")));
    }
}
