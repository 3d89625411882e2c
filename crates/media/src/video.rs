//! Films: pictures in sequence.

use crate::image::Image;
use fehu_data::Value;

/// How a film is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Film {
    /// Pictures in a second.
    pub rate: u16,
    /// Whether it begins again at its end.
    pub repeats: bool,
}

/// The pictures of an array with three dimensions: number, height and width.
pub fn frames(value: &Value) -> Result<Vec<Image>, String> {
    let ty = value.value_type();
    let array = value.as_array().filter(|array| array.rank() == 3);
    let array = array.ok_or_else(|| {
        format!("a film is an array of three dimensions, number, height and width, not {ty}")
    })?;
    let rows = (0..array.shape()[0]).filter_map(|index| array.row(index));
    rows.map(|row| Image::from_value(&row)).collect()
}

/// The film as a file in the format animated PNG: all programs that show PNG show it, or at least its first picture.
pub fn to_png(images: &[Image], film: Film) -> Result<Vec<u8>, String> {
    let (first, count) = sizes(images)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, first.width, first.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder
        .set_animated(count, u32::from(!film.repeats))
        .and_then(|()| encoder.set_frame_delay(1, film.rate.max(1)))
        .and_then(|()| encoder.write_header())
        .and_then(|mut writer| {
            for image in images {
                writer.write_image_data(&image.rgb)?;
            }
            writer.finish()
        });
    written.map_err(|error| format!("the film cannot be written: {error}"))?;
    Ok(file)
}

/// The film as a file in the format GIF, with at most 256 colours in a picture.
pub fn to_gif(images: &[Image], film: Film) -> Result<Vec<u8>, String> {
    let (first, _) = sizes(images)?;
    let size = |pixels: u32| {
        u16::try_from(pixels).map_err(|_| format!("a GIF cannot have {pixels} pixels in a row"))
    };
    let (width, height) = (size(first.width)?, size(first.height)?);
    let mut file = Vec::new();
    let mut write = || -> Result<(), gif::EncodingError> {
        let mut encoder = gif::Encoder::new(&mut file, width, height, &[])?;
        encoder.set_repeat(match film.repeats {
            true => gif::Repeat::Infinite,
            false => gif::Repeat::Finite(0),
        })?;
        for image in images {
            // The quality of the choice of colours, from 1 (best) to 30 (fastest).
            let mut frame = gif::Frame::from_rgb_speed(width, height, &image.rgb, 10);
            // In hundredths of a second; viewers take less than two for a mistake.
            frame.delay = (100 / film.rate.max(1)).max(2);
            encoder.write_frame(&frame)?;
        }
        Ok(())
    };
    write().map_err(|error| format!("the film cannot be written: {error}"))?;
    Ok(file)
}

/// The first picture, and how many there are; all have the same size.
fn sizes(images: &[Image]) -> Result<(&Image, u32), String> {
    let first = images.first().ok_or("a film without pictures has nothing to show")?;
    let same = |image: &Image| (image.width, image.height) == (first.width, first.height);
    if let Some(number) = images.iter().position(|image| !same(image)) {
        return Err(format!(
            "picture {number} has {} times {} pixels, but the first one has {} times {}",
            images[number].height, images[number].width, first.height, first.width
        ));
    }
    let count = u32::try_from(images.len()).map_err(|_| "the film is too long".to_owned())?;
    Ok((first, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_data::Array;

    fn film() -> Vec<Image> {
        let colours: Vec<u32> = (0..2 * 4 * 3).map(|index| index * 0x1234).collect();
        let array = Array::from_vec(colours).reshape(vec![2, 4, 3]).expect("it fits");
        frames(&array.into()).expect("it is a film")
    }

    #[test]
    fn animated_png_has_all_pictures() {
        let images = film();
        let played = Film { rate: 25, repeats: true };
        let file = to_png(&images, played).expect("it can be written");
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(&file)).read_info().expect("it can be read");
        let control = reader.info().animation_control.expect("it is animated");
        assert_eq!((control.num_frames, control.num_plays), (2, 0));
        for image in &images {
            let mut pixels = vec![0; image.rgb.len()];
            reader.next_frame(&mut pixels).expect("there is a picture");
            assert_eq!(pixels, image.rgb);
        }
    }

    #[test]
    fn gif_has_all_pictures() {
        let file = to_gif(&film(), Film { rate: 10, repeats: false }).expect("it can be written");
        let mut decoder =
            gif::DecodeOptions::new().read_info(std::io::Cursor::new(&file)).expect("it is a GIF");
        let mut count = 0;
        while let Some(frame) = decoder.read_next_frame().expect("it can be read") {
            assert_eq!(frame.delay, 10);
            count += 1;
        }
        assert_eq!(count, 2);
        assert_eq!(Image::from_file(&file).expect("it can be read").width, 3);
    }

    #[test]
    fn pictures_of_other_sizes_are_refused() {
        let mut images = film();
        images[1].height = 2;
        let why = to_png(&images, Film { rate: 1, repeats: false });
        assert!(why.is_err_and(|why| why.contains("picture 1")));
        assert!(to_gif(&[], Film { rate: 1, repeats: false }).is_err());
    }
}
