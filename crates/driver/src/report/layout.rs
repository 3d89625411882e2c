//! Where the boxes and lines of a directed graph without cycles go: a layered layout, by the textbook.
//!
//! 1. A box stands one layer below the lowest box that leads to it; a box to which nothing leads, just above the
//!    first one that needs it.
//! 2. A line over several layers gets a place of its own in each layer between, so that it does not cross boxes.
//! 3. In each layer, things are sorted by the mean place of their neighbours, downwards and upwards in turn; the order
//!    with the fewest crossings is kept.
//! 4. Things move towards the mean of their neighbours as far as their order and the gaps between them allow.
//!
//! All numbers are whole, so that pictures are the same on all machines. The work is a fixed number of rounds over
//! boxes and lines, each with sorting.

/// A width and a height.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// The width.
    pub w: i32,
    /// The height.
    pub h: i32,
}

/// A box by its upper left corner and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rect {
    /// The left side.
    pub x: i32,
    /// The upper side.
    pub y: i32,
    /// The width.
    pub w: i32,
    /// The height.
    pub h: i32,
}

/// Where everything is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// A box for each size that was given.
    pub boxes: Vec<Rect>,
    /// For each edge the points that its line goes through, from top to bottom.
    pub lines: Vec<Vec<(i32, i32)>>,
    /// What all of it needs.
    pub size: Size,
}

/// The gap between things of one layer.
const GAP_X: i32 = 18;
/// The gap between layers.
const GAP_Y: i32 = 38;
/// Rounds of sorting, and of moving.
const ROUNDS: usize = 8;
/// More places for long lines than this are not worth their time; long lines are straight then.
const MAX_WAYPOINTS: usize = 4000;

/// Lays out boxes of these sizes with lines between them. Edges lead from boxes to boxes with greater numbers; others
/// are ignored, and their lines have no points.
pub fn layout(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
    let layers = layers(sizes.len(), edges);
    let mut grid = Grid::new(sizes, edges, &layers);
    grid.sort();
    grid.place();
    grid.finish(sizes, edges)
}

fn is_proper(edge: &(usize, usize), count: usize) -> bool {
    edge.0 < edge.1 && edge.1 < count
}

/// The layer of each box.
fn layers(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges.iter().filter(|edge| is_proper(edge, count)) {
        into[to].push(from);
        out[from].push(to);
    }
    let mut layers = vec![0; count];
    for node in 0..count {
        layers[node] = into[node].iter().map(|&from| layers[from] + 1).max().unwrap_or(0);
    }
    for node in 0..count {
        let first = out[node].iter().map(|&to| layers[to]).min();
        if let (true, Some(first)) = (into[node].is_empty(), first) {
            layers[node] = first - 1;
        }
    }
    layers
}

/// A box, or the place of a line that passes through a layer.
struct Item {
    layer: usize,
    size: Size,
    /// Items of the layer above and below that are connected with it.
    above: Vec<usize>,
    below: Vec<usize>,
    /// The middle.
    x: i32,
}

struct Grid {
    /// The boxes first, then the places of lines.
    items: Vec<Item>,
    /// The items of each layer, from left to right.
    rows: Vec<Vec<usize>>,
    /// The items that a line goes through, its ends included; none if it is ignored.
    routes: Vec<Vec<usize>>,
}

impl Grid {
    fn new(sizes: &[Size], edges: &[(usize, usize)], layers: &[usize]) -> Grid {
        let item = |layer, size| Item { layer, size, above: Vec::new(), below: Vec::new(), x: 0 };
        let mut items: Vec<Item> =
            sizes.iter().zip(layers).map(|(size, layer)| item(*layer, *size)).collect();
        let mut rows = vec![Vec::new(); layers.iter().max().map_or(0, |last| last + 1)];
        for (node, layer) in layers.iter().enumerate() {
            rows[*layer].push(node);
        }
        let proper = |edge: &&(usize, usize)| is_proper(edge, sizes.len());
        let between = |edge: &(usize, usize)| layers[edge.1] - layers[edge.0] - 1;
        let detailed = edges.iter().filter(proper).map(between).sum::<usize>() <= MAX_WAYPOINTS;
        let mut routes = Vec::with_capacity(edges.len());
        for edge in edges {
            let mut route = Vec::new();
            if is_proper(edge, sizes.len()) {
                route.push(edge.0);
                let passed = if detailed { layers[edge.0] + 1..layers[edge.1] } else { 0..0 };
                for layer in passed {
                    route.push(items.len());
                    rows[layer].push(items.len());
                    items.push(item(layer, Size { w: 2, h: 0 }));
                }
                route.push(edge.1);
                for pair in route.windows(2) {
                    items[pair[0]].below.push(pair[1]);
                    items[pair[1]].above.push(pair[0]);
                }
            }
            routes.push(route);
        }
        Grid { items, rows, routes }
    }

    /// Sorts each layer for few crossings.
    fn sort(&mut self) {
        let mut at = self.positions();
        let (mut best, mut fewest) = (self.rows.clone(), self.crossings(&at));
        for round in 0..ROUNDS {
            let down = round % 2 == 0;
            let count = self.rows.len();
            for step in 0..count {
                let row = if down { step } else { count - 1 - step };
                let mut keyed: Vec<(i64, usize, usize)> = (self.rows[row].iter())
                    .map(|&item| {
                        let near = &self.items[item];
                        let near = if down { &near.above } else { &near.below };
                        (mean(near.iter().map(|other| at[*other])).unwrap_or(at[item]), item)
                    })
                    .enumerate()
                    .map(|(place, (key, item))| (key, place, item))
                    .collect();
                keyed.sort_unstable();
                self.rows[row] = keyed.into_iter().map(|(_, _, item)| item).collect();
                spread(&self.rows[row], &mut at);
            }
            let crossings = self.crossings(&at);
            if crossings < fewest {
                (best, fewest) = (self.rows.clone(), crossings);
            }
        }
        self.rows = best;
    }

    /// The place of each item in its layer, as a number that compares across layers.
    fn positions(&self) -> Vec<i64> {
        let mut at = vec![0; self.items.len()];
        for row in &self.rows {
            spread(row, &mut at);
        }
        at
    }

    /// The number of crossings between neighbouring layers.
    fn crossings(&self, at: &[i64]) -> usize {
        let mut total = 0;
        for row in &self.rows {
            // The lower ends of the lines, in order of the upper ones: each inversion is a crossing.
            let mut lines: Vec<(i64, i64)> = Vec::new();
            for &item in row {
                lines.extend(self.items[item].below.iter().map(|&other| (at[item], at[other])));
            }
            lines.sort_unstable();
            let mut ends: Vec<i64> = lines.into_iter().map(|(_, end)| end).collect();
            total += inversions(&mut ends);
        }
        total
    }

    /// Finds the middle of each item.
    fn place(&mut self) {
        for row in &self.rows {
            let mut x = 0;
            for &item in row {
                let w = self.items[item].size.w;
                self.items[item].x = x + w / 2;
                x += w + GAP_X;
            }
        }
        for round in 0..ROUNDS {
            let down = round % 2 == 0;
            let count = self.rows.len();
            for step in 0..count {
                let row = if down { step } else { count - 1 - step };
                self.settle(row, down);
            }
        }
    }

    /// Moves the items of a layer towards their neighbours above or below.
    fn settle(&mut self, row: usize, down: bool) {
        let items = &self.items;
        let line = &self.rows[row];
        let wanted: Vec<i64> = (line.iter())
            .map(|&item| {
                let near = if down { &items[item].above } else { &items[item].below };
                let own = i64::from(items[item].x);
                mean(near.iter().map(|other| i64::from(items[*other].x))).unwrap_or(own)
            })
            .collect();
        let apart = |a: usize, b: usize| {
            i64::from((items[line[a]].size.w + items[line[b]].size.w) / 2 + GAP_X)
        };
        // Pushing to the right and pushing to the left both keep the gaps, and so does their mean.
        let mut right = wanted.clone();
        for index in 1..right.len() {
            right[index] = right[index].max(right[index - 1] + apart(index - 1, index));
        }
        let mut left = wanted;
        for index in (1..left.len()).rev() {
            left[index - 1] = left[index - 1].min(left[index] - apart(index - 1, index));
        }
        let mut settled: Vec<i64> = Vec::with_capacity(right.len());
        for index in 0..right.len() {
            let x = (left[index] + right[index]).div_euclid(2);
            // Halves are rounded.
            let least = settled.last().map(|last| last + apart(index - 1, index));
            settled.push(least.map_or(x, |least| x.max(least)));
        }
        for (item, x) in self.rows[row].iter().zip(settled) {
            self.items[*item].x = i32::try_from(x).unwrap_or(0);
        }
    }

    fn finish(&self, sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
        let left = self.items.iter().map(|item| item.x - item.size.w / 2).min().unwrap_or(0);
        let right = self.items.iter().map(|item| item.x - item.size.w / 2 + item.size.w).max();
        let mut tops = Vec::with_capacity(self.rows.len());
        let mut y = 0;
        for row in &self.rows {
            let height = row.iter().map(|&item| self.items[item].size.h).max().unwrap_or(0);
            tops.push((y, y + height));
            y += height + GAP_Y;
        }
        let boxes: Vec<Rect> = (0..sizes.len())
            .map(|node| {
                let item = &self.items[node];
                let (top, bottom) = tops[item.layer];
                let Size { w, h } = item.size;
                Rect { x: item.x - w / 2 - left, y: top + (bottom - top - h) / 2, w, h }
            })
            .collect();
        let mut lines = Vec::with_capacity(edges.len());
        for route in &self.routes {
            let mut points = Vec::new();
            for (index, &item) in route.iter().enumerate() {
                let x = self.items[item].x - left;
                let (top, bottom) = tops[self.items[item].layer];
                if index == 0 {
                    points.push((x, boxes[item].y + boxes[item].h));
                } else if index + 1 == route.len() {
                    points.push((x, boxes[item].y));
                } else {
                    points.extend([(x, top), (x, bottom)]);
                }
            }
            points.dedup();
            lines.push(points);
        }
        let size = Size { w: right.map_or(0, |right| right - left), h: (y - GAP_Y).max(0) };
        Layout { boxes, lines, size }
    }
}

/// Gives the items of a layer places from 0 to a fixed number, so that layers of different sizes compare.
fn spread(row: &[usize], at: &mut [i64]) {
    const WHOLE: i64 = 1 << 32;
    let step = WHOLE / (row.len() as i64 + 1);
    for (index, &item) in row.iter().enumerate() {
        at[item] = step * (index as i64 + 1);
    }
}

fn mean(values: impl ExactSizeIterator<Item = i64>) -> Option<i64> {
    let count = values.len() as i64;
    (count > 0).then(|| values.sum::<i64>().div_euclid(count))
}

/// How many pairs are in the wrong order; sorts, by merging.
fn inversions(values: &mut [i64]) -> usize {
    if values.len() < 2 {
        return 0;
    }
    let (a, b) = values.split_at_mut(values.len() / 2);
    let mut count = inversions(a) + inversions(b);
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if j == b.len() || (i < a.len() && a[i] <= b[j]) {
            merged.push(a[i]);
            i += 1;
        } else {
            merged.push(b[j]);
            count += a.len() - i;
            j += 1;
        }
    }
    values.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(count: usize) -> Vec<Size> {
        (0..count).map(|index| Size { w: 40 + 10 * (index as i32 % 4), h: 20 }).collect()
    }

    /// No two boxes overlap, all are inside, and lines begin and end at their boxes.
    fn check(sizes: &[Size], edges: &[(usize, usize)]) -> Layout {
        let layout = layout(sizes, edges);
        for (index, a) in layout.boxes.iter().enumerate() {
            assert!(a.x >= 0 && a.x + a.w <= layout.size.w, "{a:?} in {:?}", layout.size);
            assert!(a.y >= 0 && a.y + a.h <= layout.size.h, "{a:?} in {:?}", layout.size);
            for b in &layout.boxes[index + 1..] {
                let beside = a.x + a.w <= b.x || b.x + b.w <= a.x;
                let above = a.y + a.h <= b.y || b.y + b.h <= a.y;
                assert!(beside || above, "{a:?} and {b:?}");
            }
        }
        for (line, &(from, to)) in layout.lines.iter().zip(edges) {
            let (a, b) = (layout.boxes[from], layout.boxes[to]);
            let (first, last) = (line[0], line[line.len() - 1]);
            assert!(a.x <= first.0 && first.0 <= a.x + a.w && first.1 == a.y + a.h);
            assert!(b.x <= last.0 && last.0 <= b.x + b.w && last.1 == b.y);
            assert!(line.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{line:?}");
        }
        layout
    }

    #[test]
    fn nothing_needs_no_place() {
        assert_eq!(check(&[], &[]).size, Size { w: 0, h: 0 });
    }

    #[test]
    fn a_chain_is_a_column() {
        let layout = check(&[Size { w: 40, h: 20 }; 4], &[(0, 1), (1, 2), (2, 3)]);
        assert!(layout.boxes.windows(2).all(|pair| pair[0].x == pair[1].x));
        assert_eq!(layout.size, Size { w: 40, h: 4 * 20 + 3 * GAP_Y });
    }

    #[test]
    fn crossed_lines_are_uncrossed() {
        let grid = |edges: &[(usize, usize)]| {
            let sizes = boxes(4);
            let mut grid = Grid::new(&sizes, edges, &layers(4, edges));
            let before = grid.crossings(&grid.positions());
            grid.sort();
            (before, grid.crossings(&grid.positions()))
        };
        assert_eq!(grid(&[(0, 3), (1, 2)]), (1, 0));
        // Two by two, all connected: one crossing stays.
        assert_eq!(grid(&[(0, 2), (0, 3), (1, 2), (1, 3)]), (1, 1));
    }

    #[test]
    fn a_long_line_passes_beside_the_boxes() {
        let layout = check(&[Size { w: 60, h: 20 }; 4], &[(0, 1), (1, 2), (2, 3), (0, 3)]);
        for point in &layout.lines[3] {
            for middle in &layout.boxes[1..3] {
                let inside = |from: i32, at: i32, to: i32| from < at && at < to;
                let over = inside(middle.x, point.0, middle.x + middle.w)
                    && middle.y <= point.1
                    && point.1 <= middle.y + middle.h;
                assert!(!over, "{point:?} in {middle:?}");
            }
        }
    }

    #[test]
    fn a_source_stands_just_above_what_needs_it() {
        let layout = check(&boxes(4), &[(0, 1), (1, 3), (2, 3)]);
        assert_eq!(layout.boxes[2].y, layout.boxes[1].y);
    }

    #[test]
    fn many_boxes_do_not_overlap_and_stay_the_same() {
        let edges: Vec<(usize, usize)> =
            (1..80).flat_map(|to| [(to / 2, to), (to / 3, to), (to - 1, to)]).collect();
        let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
        let first = check(&boxes(80), &edges);
        assert_eq!(first, layout(&boxes(80), &edges));
    }

    #[test]
    fn edges_that_lead_back_are_ignored() {
        let layout = layout(&boxes(2), &[(1, 0), (0, 0), (0, 7)]);
        assert!(layout.lines.iter().all(Vec::is_empty));
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&mut [3, 1, 2]), 2);
        assert_eq!(inversions(&mut [1, 1, 2]), 0);
        assert_eq!(inversions(&mut [4, 3, 2, 1]), 6);
    }
}
