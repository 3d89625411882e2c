//! Plots: ticks, words, and how many points are drawn.

use super::scale::{Range, Scale};
use super::*;

fn series(name: &str, marks: Marks, points: Vec<(f64, f64)>) -> Series {
    Series { name: name.to_owned(), marks, points }
}

fn labels(scale: Scale, numbers: &[f64], count: usize) -> Vec<String> {
    let ticks = Range::exact(scale, numbers.iter().copied()).ticks(count);
    ticks.into_iter().map(|tick| tick.label).filter(|label| !label.is_empty()).collect()
}

#[test]
fn ticks_are_at_round_numbers() {
    assert_eq!(labels(Scale::Linear, &[0.0, 10.0], 5), ["0", "2", "4", "6", "8", "10"]);
    assert_eq!(
        labels(Scale::Linear, &[-0.13, 0.31], 5),
        ["\u{2212}0.1", "0.0", "0.1", "0.2", "0.3"]
    );
    assert_eq!(labels(Scale::Linear, &[1e9, 1.004e9], 2), ["1e9", "1.002e9", "1.004e9"]);
    assert_eq!(labels(Scale::Linear, &[7.0], 2), ["5", "10"]);
    assert_eq!(labels(Scale::Linear, &[f64::NAN], 1), ["0", "1"]);
    assert_eq!(labels(Scale::Log, &[0.01, 100.0], 5), ["0.01", "0.1", "1", "10", "100"]);
    assert_eq!(labels(Scale::Log, &[1.0, 1e12, -1.0], 3), ["1", "10000", "1e8", "1e12"]);
}

#[test]
fn a_plot_has_its_words_and_its_lines() {
    let squares = (0..10).map(|i| (f64::from(i), f64::from(i * i))).collect();
    let gap = vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)];
    let all = vec![series("a<b", Marks::Line, squares), series("gap", Marks::Line, gap)];
    let mut plot = Plot::new(Drawing::Series(all));
    plot.title = "Squares".to_owned();
    plot.y.label = "height & more".to_owned();
    let svg = plot.to_svg().expect("it can be drawn");
    for word in [">Squares<", ">a&lt;b<", ">height &amp; more<", ">80<"] {
        assert!(svg.contains(word), "{word} is missing in {svg}");
    }
    // One line without a gap, and two parts of the other.
    assert_eq!(svg.matches("class=\"line\"").count(), 3);
}

#[test]
fn a_million_points_make_a_small_picture() {
    let wave = |i: i32| (f64::from(i), f64::from((i.wrapping_mul(7919)) % 1000));
    for (marks, most) in [(Marks::Line, 60_000), (Marks::Dots, 25_000_000)] {
        let all = vec![series("", marks, (0..100_000).map(wave).collect())];
        let svg = Plot::new(Drawing::Series(all)).to_svg().expect("it can be drawn");
        assert!(svg.len() < most, "{marks:?}: {}", svg.len());
    }
}

#[test]
fn thinning_keeps_the_extremes() {
    let points: Vec<(f64, f64)> = [5.0, 1.0, 9.0, 4.0, 3.0, 6.0, 2.0].map(|y| (0.5, y)).to_vec();
    let kept: Vec<f64> = super::thin::line(&points).into_iter().map(|(_, y)| y).collect();
    assert_eq!(kept, [5.0, 1.0, 9.0, 2.0]);
}

#[test]
fn numbers_are_counted() {
    let bars = histogram("", &[0.0, 1.0, 1.5, 4.0, f64::INFINITY], 4).points;
    assert_eq!(bars, [(0.5, 1.0), (1.5, 2.0), (2.5, 0.0), (3.5, 1.0)]);
    assert_eq!(histogram("", &[], 1).points, [(0.5, 0.0)]);
}

#[test]
fn tables_are_pictures() {
    let heat = Drawing::Heat { columns: 2, numbers: vec![0.0, 1.0, 2.0, f64::NAN] };
    let svg = Plot::new(heat).to_svg().expect("it can be drawn");
    assert!(svg.contains("data:image/png;base64,iVBORw0KGgo"));
    let none = Drawing::Heat { columns: 0, numbers: Vec::new() };
    assert!(Plot::new(none).to_svg().is_err());
}
