//! The picture of a plot.

use super::scale::{Range, Tick};
use super::{Drawing, Marks, Plot, Series, thin};
use crate::image::Image;
use fehu_base::markup::escape;
use std::fmt::Write;

/// The size of letters, and about how wide they are, in pixels.
const LETTER: f64 = 12.0;
const LETTER_WIDTH: f64 = 6.8;
/// How far ticks are apart, at least.
const TICK_ROOM: f64 = 70.0;

/// Draws a plot.
pub(super) fn draw(plot: &Plot) -> Result<String, String> {
    let (width, height) = (f64::from(plot.size.0), f64::from(plot.size.1));
    if width < 120.0 || height < 100.0 {
        return Err("a plot has at least 120 times 100 pixels".to_owned());
    }
    let legend = legend(plot, width);
    let head = if plot.title.is_empty() { 0.0 } else { 2.0 * LETTER };
    let top = 10.0 + head + legend.height;
    let bottom = height - 26.0 - if plot.x.label.is_empty() { 0.0 } else { 1.6 * LETTER };
    let count = |room: f64| ((room / TICK_ROOM) as usize).max(2);
    let vertical_count = ((bottom - top) / 40.0).max(2.0) as usize;
    let (xs, ys) = ranges(plot, count(width - 60.0), vertical_count);
    let mut y_ticks = ys.ticks(vertical_count);
    if let Drawing::Heat { .. } = plot.drawing {
        // The first row is at the top.
        y_ticks.iter_mut().for_each(|tick| tick.at = 1.0 - tick.at);
    }
    let widest = y_ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
    let beside = if plot.y.label.is_empty() { 0.0 } else { 1.6 * LETTER };
    let left = 14.0 + widest as f64 * LETTER_WIDTH + beside;
    let frame = Frame { left, right: width - 16.0, top, bottom };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fehu-plot\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n",
        escape(if plot.title.is_empty() { "plot" } else { &plot.title })
    );
    if !plot.title.is_empty() {
        let middle = f64::midpoint(frame.left, frame.right);
        text(&mut out, middle, 8.0 + LETTER, "title", &plot.title);
    }
    out.push_str(&legend.drawn);
    horizontal(&mut out, &frame, &xs.ticks(count(frame.right - frame.left)));
    vertical(&mut out, &frame, &y_ticks);
    labels(&mut out, plot, &frame, height);
    match &plot.drawing {
        Drawing::Series(all) => {
            let bars = all.iter().filter(|series| series.marks == Marks::Bars).count();
            let mut bar = 0;
            for (index, series) in all.iter().enumerate() {
                let _ = writeln!(out, "<g class=\"s{}\">", index % COLOURS);
                one(&mut out, series, &frame, (&xs, &ys), (bar, bars));
                bar += usize::from(series.marks == Marks::Bars);
                out.push_str("</g>\n");
            }
        }
        Drawing::Heat { columns, numbers } => heat(&mut out, &frame, *columns, numbers)?,
    }
    let Frame { left, right, top, bottom } = frame;
    let _ =
        writeln!(out, "<path class=\"axis\" d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}\"/>");
    out.push_str("</svg>\n");
    Ok(out)
}

/// What is between the axes, in pixels.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn x(&self, place: f64) -> f64 {
        self.left + place * (self.right - self.left)
    }

    fn y(&self, place: f64) -> f64 {
        self.bottom - place * (self.bottom - self.top)
    }
}

/// What the axes show.
fn ranges(plot: &Plot, x_ticks: usize, y_ticks: usize) -> (Range, Range) {
    match &plot.drawing {
        Drawing::Series(all) => {
            let points = || all.iter().flat_map(|series| &series.points);
            let bars = || all.iter().filter(|series| series.marks == Marks::Bars);
            // Bars stand on zero, and have a width.
            let ground = bars().next().map(|_| 0.0);
            let sides = bars().flat_map(|series| {
                let half = bar_width(series) * 0.5;
                series.points.iter().flat_map(move |(x, _)| [x - half, x + half])
            });
            let xs = points().map(|(x, _)| *x).chain(sides);
            let ys = points().map(|(_, y)| *y).chain(ground);
            let line = bars().next().is_none() && all.iter().all(|s| s.marks == Marks::Line);
            let x = match line {
                true => Range::exact(plot.x.scale, xs),
                false => Range::of(plot.x.scale, xs, x_ticks),
            };
            (x, Range::of(plot.y.scale, ys, y_ticks))
        }
        Drawing::Heat { columns, numbers } => {
            let rows = numbers.len().checked_div(*columns).unwrap_or(0);
            let x = Range::exact(plot.x.scale, [0.0, *columns as f64].into_iter());
            (x, Range::exact(plot.y.scale, [rows as f64, 0.0].into_iter()))
        }
    }
}

fn horizontal(out: &mut String, frame: &Frame, ticks: &[Tick]) {
    for tick in ticks {
        let x = frame.x(tick.at);
        let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
        let (top, bottom) = (frame.top, frame.bottom);
        let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>");
        text(out, x, frame.bottom + 6.0 + LETTER, "tick", &tick.label);
    }
}

fn vertical(out: &mut String, frame: &Frame, ticks: &[Tick]) {
    for tick in ticks {
        let y = frame.y(tick.at);
        let class = if tick.label.is_empty() { "grid minor" } else { "grid" };
        let (left, right) = (frame.left, frame.right);
        let _ = writeln!(out, "<path class=\"{class}\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>");
        text(out, frame.left - 6.0, y + LETTER * 0.33, "tick end", &tick.label);
    }
}

fn labels(out: &mut String, plot: &Plot, frame: &Frame, height: f64) {
    let middle = f64::midpoint(frame.left, frame.right);
    text(out, middle, height - 8.0, "label", &plot.x.label);
    if !plot.y.label.is_empty() {
        let middle = f64::midpoint(frame.top, frame.bottom);
        let _ = writeln!(
            out,
            "<text class=\"label\" transform=\"translate({:.1} {middle:.1}) rotate(-90)\">{}</text>",
            LETTER + 4.0,
            escape(&plot.y.label)
        );
    }
}

/// The names of the series, above the axes, and how much room they take.
struct Legend {
    drawn: String,
    height: f64,
}

fn legend(plot: &Plot, width: f64) -> Legend {
    let mut legend = Legend { drawn: String::new(), height: 0.0 };
    let Drawing::Series(all) = &plot.drawing else { return legend };
    let named = all.iter().enumerate().filter(|(_, series)| !series.name.is_empty());
    let (mut x, mut y) = (24.0, if plot.title.is_empty() { 16.0 } else { 16.0 + 2.0 * LETTER });
    for (index, series) in named {
        let room = 34.0 + series.name.chars().count() as f64 * LETTER_WIDTH;
        if x + room > width && x > 24.0 {
            (x, y) = (24.0, y + 1.6 * LETTER);
        }
        let _ = writeln!(
            legend.drawn,
            "<g class=\"s{}\"><path class=\"key\" d=\"M{x:.1} {:.1}h18\"/></g>",
            index % COLOURS,
            y - 4.0
        );
        text(&mut legend.drawn, x + 24.0, y, "name", &series.name);
        x += room;
        legend.height = y + 4.0 - if plot.title.is_empty() { 0.0 } else { 2.0 * LETTER };
    }
    legend
}

/// Draws one series; `bar` is which one it is among those with bars, and how many these are.
fn one(
    out: &mut String,
    series: &Series,
    frame: &Frame,
    (xs, ys): (&Range, &Range),
    bar: (usize, usize),
) {
    let place =
        |point: &(f64, f64)| Some((frame.x(xs.place(point.0)?), frame.y(ys.place(point.1)?)));
    match series.marks {
        Marks::Line => {
            for part in series.points.split(|point| place(point).is_none()) {
                let pixels: Vec<(f64, f64)> = part.iter().filter_map(place).collect();
                let mut path = String::new();
                for (index, (x, y)) in thin::line(&pixels).into_iter().enumerate() {
                    let sign = if index == 0 { "M" } else { "L" };
                    let _ = write!(path, "{sign}{x:.1} {y:.1}");
                }
                if !path.is_empty() {
                    let _ = writeln!(out, "<path class=\"line\" d=\"{path}\"/>");
                }
            }
        }
        Marks::Dots => {
            let pixels: Vec<(f64, f64)> = series.points.iter().filter_map(place).collect();
            let radius = if pixels.len() > 500 { 1.5 } else { 3.0 };
            for (x, y) in thin::dots(&pixels) {
                let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
            }
        }
        Marks::Bars => {
            let width = bar_width(series) * 0.9;
            let (number, count) = (bar.0 as f64, bar.1.max(1) as f64);
            let ground = ys.place(0.0).unwrap_or(0.0).clamp(0.0, 1.0);
            for (x, y) in &series.points {
                let left = x - width * 0.5 + width * number / count;
                let sides = xs.place(left).zip(xs.place(left + width / count));
                let (Some((left, right)), Some(end)) = (sides, ys.place(*y)) else { continue };
                let (left, right) = (frame.x(left), frame.x(right));
                let (a, b) = (frame.y(ground), frame.y(end));
                let _ = writeln!(
                    out,
                    "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                    a.min(b),
                    right - left,
                    (a - b).abs()
                );
            }
        }
    }
}

/// How wide the bars of a series are: as wide as the nearest two of them allow.
fn bar_width(series: &Series) -> f64 {
    let mut xs: Vec<f64> = series.points.iter().map(|(x, _)| *x).collect();
    xs.sort_by(f64::total_cmp);
    let gaps = xs.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
    let least = gaps.fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// Draws a table of numbers as colours: a picture with one pixel for each.
fn heat(out: &mut String, frame: &Frame, columns: usize, numbers: &[f64]) -> Result<(), String> {
    let range = Range::exact(super::Scale::Linear, numbers.iter().copied());
    let colour = |number: &f64| range.place(*number).map_or([127; 3], heat_colour);
    let rows = numbers.len().checked_div(columns).unwrap_or(0);
    let (Ok(width), Ok(height)) = (u32::try_from(columns), u32::try_from(rows)) else {
        return Err("the table is too large".to_owned());
    };
    if width == 0 || height == 0 {
        return Err("a table without numbers has nothing to show".to_owned());
    }
    let rgb = numbers.iter().flat_map(colour).collect();
    let file = Image { width, height, rgb }.to_png()?;
    let Frame { left, right, top, bottom } = frame;
    let _ = writeln!(
        out,
        "<image x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" preserveAspectRatio=\"none\" \
         style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{}\"/>",
        right - left,
        bottom - top,
        crate::base64(&file)
    );
    Ok(())
}

/// From dark blue over green to yellow: evenly brighter, whoever looks.
fn heat_colour(place: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = place.clamp(0.0, 1.0) * 4.0;
    let first = (at as usize).min(3);
    let part = at - first as f64;
    std::array::from_fn(|index| {
        let (from, to) = (STOPS[first][index], STOPS[first + 1][index]);
        (from + (to - from) * part).round() as u8
    })
}

fn text(out: &mut String, x: f64, y: f64, class: &str, words: &str) {
    if !words.is_empty() {
        let words = escape(words);
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>");
    }
}

/// How many colours there are for series; further ones begin again.
const COLOURS: usize = 7;

/// The colours are those of Okabe and Ito, which people with all kinds of colour vision can tell apart, but darker or
/// brighter as the page needs it.
const STYLE: &str = "\
.fehu-plot{--ink:#24292f;--soft:#57606a;--grid:#d8dee4;--paper:#fff;max-width:100%;height:auto;\
font-family:system-ui,sans-serif;font-size:12px}\
.fehu-plot .s0{--c:#0072b2}.fehu-plot .s1{--c:#d55e00}.fehu-plot .s2{--c:#009e73}.fehu-plot .s3{--c:#cc79a7}\
.fehu-plot .s4{--c:#e69f00}.fehu-plot .s5{--c:#56b4e9}.fehu-plot .s6{--c:#6e6e6e}\
@media(prefers-color-scheme:dark){.fehu-plot{--ink:#e6edf3;--soft:#9da7b3;--grid:#30363d;--paper:#0d1117}\
.fehu-plot .s0{--c:#4aa8e0}.fehu-plot .s6{--c:#b0b0b0}}\
.fehu-plot .paper{fill:var(--paper)}\
.fehu-plot text{fill:var(--ink);text-anchor:middle}.fehu-plot .tick{fill:var(--soft)}\
.fehu-plot .end{text-anchor:end}.fehu-plot .name{text-anchor:start}\
.fehu-plot .title{font-weight:600;font-size:14px}\
.fehu-plot .grid{stroke:var(--grid);fill:none}.fehu-plot .minor{stroke-dasharray:1 3}\
.fehu-plot .axis{stroke:var(--soft);fill:none}\
.fehu-plot .line{stroke:var(--c);fill:none;stroke-width:1.8;stroke-linejoin:round}\
.fehu-plot .key{stroke:var(--c);stroke-width:4}\
.fehu-plot circle,.fehu-plot g rect{fill:var(--c);fill-opacity:.85}";
