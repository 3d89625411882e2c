//! Plots, drawn as SVG: axes with ticks at round numbers, a legend, and text that can be searched.
//!
//! A plot has no scripts and needs nothing from elsewhere. Its colours can be told apart by people who do not see all of them,
//! and it follows the reader's choice of a light or a dark page. A million points make no larger file than the picture has
//! room for: of the points of a line that fall into one column of pixels only the extremes are drawn (`thin.rs`).
//!
//! - `scale.rs`: numbers to places on an axis, and where its ticks are;
//! - `thin.rs`: which points are drawn;
//! - `svg.rs`: the picture.

mod scale;
mod svg;
#[cfg(test)]
mod tests;
mod thin;

pub use scale::Scale;

/// What to draw.
#[derive(Clone, PartialEq, Debug)]
pub struct Plot {
    /// Above it; may be empty.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From the bottom up.
    pub y: Axis,
    /// Width and height in pixels, with everything around the axes.
    pub size: (u32, u32),
    /// What is drawn between the axes.
    pub drawing: Drawing,
}

/// One of the two directions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Axis {
    /// Beside it; may be empty.
    pub label: String,
    /// How numbers become places.
    pub scale: Scale,
}

/// What is drawn between the axes.
#[derive(Clone, PartialEq, Debug)]
pub enum Drawing {
    /// Points, which may be connected.
    Series(Vec<Series>),
    /// A colour for each number of a table, the first row at the top.
    Heat {
        /// How many numbers are in a row.
        columns: usize,
        /// The numbers, row by row.
        numbers: Vec<f64>,
    },
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// For the legend; there is none if no series has a name.
    pub name: String,
    /// How they are drawn.
    pub marks: Marks,
    /// Where they are.
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marks {
    /// Connected in their order. Where one is no number, the line has a gap.
    Line,
    /// As dots.
    Dots,
    /// As bars from zero, next to those of the other series.
    Bars,
}

impl Plot {
    /// A plot without words, of the usual size.
    pub fn new(drawing: Drawing) -> Plot {
        Plot {
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            size: (640, 420),
            drawing,
        }
    }

    /// The picture. The error says what cannot be drawn.
    pub fn to_svg(&self) -> Result<String, String> {
        svg::draw(self)
    }
}

/// Points from two columns, which must have the same length.
pub fn points(xs: &[f64], ys: &[f64]) -> Result<Vec<(f64, f64)>, String> {
    if xs.len() != ys.len() {
        let (xs, ys) = (xs.len(), ys.len());
        return Err(format!("the two columns have {xs} and {ys} numbers, but should have as many"));
    }
    Ok(xs.iter().copied().zip(ys.iter().copied()).collect())
}

/// How often numbers fall into each of so many intervals of the same width: bars, at the middles of the intervals.
pub fn histogram(name: &str, numbers: &[f64], bins: usize) -> Series {
    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    });
    let bins = bins.max(1);
    let width = if high > low { (high - low) / bins as f64 } else { 1.0 };
    let mut counts = vec![0.0; bins];
    for number in finite() {
        let bin = (((number - low) / width) as usize).min(bins - 1);
        counts[bin] += 1.0;
    }
    let low = if low.is_finite() { low } else { 0.0 };
    let middle = |bin: usize| low + (bin as f64 + 0.5) * width;
    let points = counts.into_iter().enumerate().map(|(bin, count)| (middle(bin), count)).collect();
    Series { name: name.to_owned(), marks: Marks::Bars, points }
}
