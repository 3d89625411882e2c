//! Drawings as SVG: the flame graph, memory over time, and the roofline.

#![expect(clippy::disallowed_methods, reason = "a drawing may differ by less than a pixel")]

use crate::Run;
use crate::flame;
use crate::report::Track;
use crate::table;
use crate::units::{bytes, percent, short, time};
use fehu_base::markup::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const ROW: f64 = 20.0;

/// A frame of the flame graph, and what is on it.
#[derive(Default)]
struct Frame {
    time: u64,
    above: BTreeMap<String, Frame>,
}

impl Frame {
    fn depth(&self) -> usize {
        1 + self.above.values().map(Frame::depth).max().unwrap_or(0)
    }
}

/// The flame graph: entry point, functions and loops, operators.
pub(super) fn flame(run: &Run) -> String {
    let mut root = Frame::default();
    for (names, time) in flame::stacks(run) {
        root.time += time;
        let mut frame = &mut root;
        for name in names {
            frame = frame.above.entry(name).or_default();
            frame.time += time;
        }
    }
    let height = (root.depth() - 1) as f64 * ROW;
    let mut out = format!("<svg class=\"flame\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n");
    draw(&root, root.time.max(1), 0.0, 0.0, &mut out);
    out.push_str("</svg>\n");
    out
}

fn draw(frame: &Frame, all: u64, x: f64, y: f64, out: &mut String) {
    let mut at = x;
    for (name, above) in &frame.above {
        let width = above.time as f64 / all as f64 * WIDTH;
        if width >= 0.5 {
            let label = escape(name);
            let share = percent(above.time as f64 / all as f64);
            let hue = name.bytes().fold(7u32, |sum, b| sum.wrapping_mul(31) + u32::from(b)) % 60;
            // A string takes whatever is written to it.
            let _ = write!(
                out,
                "<g><title>{label}: {} ({share})</title><rect x=\"{at:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" \
                 fill=\"hsl({hue} 75% 68%)\"/>",
                time(above.time as f64),
                ROW - 1.0
            );
            let room = ((width - 6.0) / 7.0) as usize;
            if room >= 3 {
                let short: String = name.chars().take(room).collect();
                let _ = write!(
                    out,
                    "<text x=\"{:.1}\" y=\"{}\">{}</text>",
                    at + 3.0,
                    y + ROW - 6.0,
                    escape(&short)
                );
            }
            out.push_str("</g>\n");
            draw(above, all, at, y + ROW, out);
        }
        at += width;
    }
}

/// The bytes in use after each operator, and the operator with most.
pub(super) fn memory(run: &Run) -> Option<String> {
    let events = run.report.events.iter().filter(|event| event.track == Track::Thread(0));
    let points: Vec<(u64, u64, &crate::report::Event)> =
        events.filter_map(|event| Some((event.end, event.memory?, event))).collect();
    let (first, last) = (points.first()?.0, points.last()?.0);
    let most = points.iter().max_by_key(|(_, memory, _)| *memory)?;
    if points.len() < 3 || most.1 == 0 || first == last {
        return None;
    }
    let (height, span) = (140.0, (last - first) as f64);
    let x = |time: u64| (time - first) as f64 / span * WIDTH;
    let y = |memory: u64| height - memory as f64 / most.1 as f64 * (height - 10.0);
    let step = points.len().div_ceil(2000);
    let mut path = format!("M0,{height}");
    let (mut before, mut x_before) = (points.first()?.1, -1.0);
    for (time, memory, _) in points.iter().step_by(step) {
        let here = x(*time);
        // As a staircase.
        let _ = write!(path, " L{here:.1},{:.1} L{here:.1},{:.1}", y(before), y(*memory));
        (before, x_before) = (*memory, here);
    }
    let _ = write!(path, " L{x_before:.1},{height} Z");
    let place = most.2.place.as_ref().map_or(String::new(), |p| format!(", line {}", p.line));
    Some(format!(
        "<h2>Memory</h2>\n<p class=\"hint\">At most {} after {}{place}.</p>\n\
         <svg class=\"memory\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\"><path d=\"{path}\"/></svg>\n",
        bytes(most.1 as f64),
        escape(&most.2.name)
    ))
}

/// Operations per byte against operations per second, both logarithmic, with the limits of the machine.
pub(super) fn roofline(run: &Run) -> Option<String> {
    let machine = run.machine.as_ref()?;
    let dots: Vec<(f64, f64, &crate::lines::Line)> = run
        .profile
        .lines
        .iter()
        .filter(|line| line.bandwidth > 0.0 && line.rate > 0.0)
        .map(|line| (line.rate / line.bandwidth, line.rate, line))
        .take(30)
        .collect();
    if dots.is_empty() {
        return None;
    }
    let ridge = machine.arithmetic / machine.memory;
    let xs = dots.iter().map(|dot| dot.0).chain([ridge / 8.0, ridge * 8.0]);
    let (left, right) = xs.fold((f64::MAX, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
    let low = dots.iter().map(|dot| dot.1).fold(machine.arithmetic / 100.0, f64::min);
    let high = dots.iter().map(|dot| dot.1).fold(machine.arithmetic, f64::max) * 2.0;
    let (height, margin) = (300.0, 40.0);
    let x = |value: f64| {
        margin + log(value / left) / log(right / left).max(0.1) * (WIDTH - 2.0 * margin)
    };
    let y = |value: f64| {
        height - margin - log(value / low) / log(high / low).max(0.1) * (height - 1.5 * margin)
    };
    let roof = |intensity: f64| (intensity * machine.memory).min(machine.arithmetic);
    let mut out = format!(
        "<h2>Roofline</h2>\n<p class=\"hint\">Operations per byte, and what this machine can do with them: {} GB/s and {} Gop/s.</p>\n\
         <svg class=\"roof\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n",
        short(machine.memory / 1e9),
        short(machine.arithmetic / 1e9)
    );
    let _ = writeln!(
        out,
        "<path d=\"M{:.1},{:.1} L{:.1},{:.1} L{:.1},{:.1}\"/>",
        x(left),
        y(roof(left).max(low)),
        x(ridge),
        y(machine.arithmetic),
        x(right),
        y(machine.arithmetic)
    );
    for (intensity, rate, line) in &dots {
        let share = line.time / run.profile.total;
        let label = escape(&table::name(run, line));
        let _ = writeln!(
            out,
            "<g><title>line {label}: {} of the time, {} operations per byte, {} Gop/s</title>\
             <circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\">{label}</text></g>",
            percent(share),
            short(*intensity),
            short(rate / 1e9),
            x(*intensity),
            y(*rate),
            3.0 + 12.0 * share.max(0.0).sqrt(),
            x(*intensity) + 8.0,
            y(*rate) - 8.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{margin}\" y=\"{}\">{} operations per byte</text><text x=\"{}\" y=\"{0}\" text-anchor=\"end\">{}</text>\n</svg>",
        height - 12.0,
        short(left),
        WIDTH - margin,
        short(right)
    );
    Some(out)
}

fn log(value: f64) -> f64 {
    value.max(f64::MIN_POSITIVE).log2()
}
