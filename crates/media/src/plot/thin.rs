//! Which points are drawn: no more than can be seen.

/// The points of a line, in pixels: of those in one column of pixels the first, the lowest, the highest and the last, in their
/// order. What comes back looks the same. A line that often goes back is as long as it was.
pub(super) fn line(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let column = |point: &(f64, f64)| point.0.floor();
    let mut kept = Vec::new();
    for run in points.chunk_by(|a, b| column(a) == column(b)) {
        if run.len() <= 4 {
            kept.extend(run);
            continue;
        }
        let mut chosen = [0, extreme(run, |a, b| a < b), extreme(run, |a, b| a > b), run.len() - 1];
        chosen.sort_unstable();
        let mut last = None;
        for index in chosen {
            if last != Some(index) {
                kept.push(run[index]);
            }
            last = Some(index);
        }
    }
    kept
}

/// The dots, in pixels, that do not cover one another: one in each square of half a pixel.
pub(super) fn dots(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let square = |point: &(f64, f64)| ((point.0 * 2.0).round(), (point.1 * 2.0).round());
    let mut kept = points.to_vec();
    if kept.len() > FEW {
        kept.sort_by(|a, b| {
            let (a, b) = (square(a), square(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        kept.dedup_by(|a, b| square(a) == square(b));
    }
    kept
}

/// So many dots are drawn one by one, in their order.
const FEW: usize = 2000;

fn extreme(run: &[(f64, f64)], better: impl Fn(f64, f64) -> bool) -> usize {
    let mut best = 0;
    for (index, point) in run.iter().enumerate() {
        if better(point.1, run[best].1) {
            best = index;
        }
    }
    best
}
