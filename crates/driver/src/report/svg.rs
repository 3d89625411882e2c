//! A dataflow graph as a picture in SVG, to stand in an HTML page, whose style sheet has the colours.
//!
//! A node is a box with its name and its line; what is inside of an operator or loop is drawn inside of its box. Solid
//! lines are arrays, dashed ones scalars; the type shows when the pointer rests on a line. A click on a box leads to
//! the line in the source.

use super::flow::{Flow, Node, NodeKind};
use super::layout::{Layout, Rect, Size, layout};
use fehu_base::markup::escape;
use fehu_ir::Loc;
use std::fmt::Write;

/// The most boxes of one picture; more are not readable, and are slow in browsers.
const MAX_NODES: usize = 600;
/// The width of a character.
const CHAR: i32 = 8;
/// The height of a line of text.
const LINE: i32 = 17;
/// Between a box and what is in it.
const PAD: i32 = 10;
/// The most characters of a name.
const MAX_LABEL: usize = 32;

/// Draws a graph; none if it is too large. `anchor` gives the link and the words for a place.
pub fn svg(flow: &Flow, anchor: &dyn Fn(&Loc) -> Option<Anchor>) -> Option<String> {
    let drawing = if count(flow) <= MAX_NODES {
        Drawing::of(flow, anchor, true)
    } else if flow.nodes.len() <= MAX_NODES {
        // What is inside is left out.
        Drawing::of(flow, anchor, false)
    } else {
        return None;
    };
    let Size { w, h } = drawing.layout.size;
    let (w, h) = (w + 2 * PAD, h + 2 * PAD);
    let mut out = format!(
        "<svg class=\"flow\" role=\"img\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n"
    );
    drawing.write(&mut out, (PAD, PAD));
    out.push_str("</svg>\n");
    Some(out)
}

/// How the page refers to a place.
pub struct Anchor {
    /// The link.
    pub link: String,
    /// In words.
    pub text: String,
}

/// The number of boxes, those inside of others included.
fn count(flow: &Flow) -> usize {
    let inner = flow.nodes.iter().filter_map(|node| node.inner.as_ref());
    flow.nodes.len() + inner.map(count).sum::<usize>()
}

/// A graph with everything in its place.
struct Drawing<'a> {
    flow: &'a Flow,
    labels: Vec<Label>,
    /// What is inside of each box.
    inner: Vec<Option<Drawing<'a>>>,
    layout: Layout,
}

struct Label {
    name: String,
    place: Option<Anchor>,
}

impl<'a> Drawing<'a> {
    fn of(flow: &'a Flow, anchor: &dyn Fn(&Loc) -> Option<Anchor>, deep: bool) -> Drawing<'a> {
        let labels: Vec<Label> = (flow.nodes.iter())
            .map(|node| Label { name: cut(&node.label), place: node.loc.as_ref().and_then(anchor) })
            .collect();
        let inner: Vec<Option<Drawing<'a>>> = (flow.nodes.iter())
            .map(|node| {
                let inner = node.inner.as_ref().filter(|_| deep);
                inner.map(|inner| Drawing::of(inner, anchor, deep))
            })
            .collect();
        let sizes: Vec<Size> =
            labels.iter().zip(&inner).map(|(label, inner)| size(label, inner.as_ref())).collect();
        let edges: Vec<(usize, usize)> =
            flow.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let layout = layout(&sizes, &edges);
        Drawing { flow, labels, inner, layout }
    }

    fn write(&self, out: &mut String, (x, y): (i32, i32)) {
        for (edge, line) in self.flow.edges.iter().zip(&self.layout.lines) {
            let class = if edge.array { "array" } else { "scalar" };
            let title = escape(&edge.label);
            let path = path(line, (x, y));
            let _ = writeln!(
                out,
                "<path class=\"{class}\" marker-end=\"url(#tip)\" d=\"{path}\"><title>{title}</title></path>"
            );
        }
        for (index, node) in self.flow.nodes.iter().enumerate() {
            self.node(out, index, node, (x, y));
        }
    }

    fn node(&self, out: &mut String, index: usize, node: &Node, (x, y): (i32, i32)) {
        let Rect { x: left, y: top, w, h } = self.layout.boxes[index];
        let (left, top) = (left + x, top + y);
        let class = node.kind.name();
        let round = match node.kind {
            NodeKind::Input | NodeKind::Result => h / 2,
            NodeKind::Operator | NodeKind::Control | NodeKind::Data => 5,
        };
        let label = &self.labels[index];
        let middle = left + w / 2;
        let _ = writeln!(out, "<g class=\"{class}\">");
        if let Some(place) = &label.place {
            let _ = writeln!(out, "<a href=\"{}\">", escape(&place.link));
        }
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{w}\" height=\"{h}\" rx=\"{round}\"/>"
        );
        let mut line = top + PAD / 2 + LINE - 4;
        let name = escape(&label.name);
        let _ = writeln!(out, "<text x=\"{middle}\" y=\"{line}\">{name}</text>");
        if let Some(place) = &label.place {
            line += LINE;
            let place = escape(&place.text);
            let _ =
                writeln!(out, "<text class=\"place\" x=\"{middle}\" y=\"{line}\">{place}</text>");
            out.push_str("</a>\n");
        }
        if let Some(inner) = &self.inner[index] {
            let at = (middle - inner.layout.size.w / 2, line + PAD);
            inner.write(out, at);
        }
        out.push_str("</g>\n");
    }
}

/// The size of a box.
fn size(label: &Label, inner: Option<&Drawing<'_>>) -> Size {
    let place = label.place.as_ref().map_or(0, |place| place.text.chars().count());
    let chars = label.name.chars().count().max(place) as i32;
    let lines = 1 + i32::from(label.place.is_some());
    let own = Size { w: chars * CHAR + 2 * PAD, h: lines * LINE + PAD };
    match inner {
        None => own,
        Some(Drawing { layout: Layout { size, .. }, .. }) => {
            Size { w: own.w.max(size.w + 2 * PAD), h: own.h + size.h + 2 * PAD }
        }
    }
}

/// A curve through points, which leaves and arrives vertically.
fn path(points: &[(i32, i32)], (x, y): (i32, i32)) -> String {
    let mut text = String::new();
    let mut last: Option<(i32, i32)> = None;
    for point in points {
        let (to_x, to_y) = (point.0 + x, point.1 + y);
        let _ = match last {
            None => write!(text, "M{to_x} {to_y}"),
            Some((from_x, _)) if from_x == to_x => write!(text, "V{to_y}"),
            Some((from_x, from_y)) => {
                let middle = i32::midpoint(from_y, to_y);
                write!(text, "C{from_x} {middle} {to_x} {middle} {to_x} {to_y}")
            }
        };
        last = Some((to_x, to_y));
    }
    text
}

fn cut(label: &str) -> String {
    match label.char_indices().nth(MAX_LABEL) {
        Some((end, _)) => format!("{}...", &label[..end]),
        None => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow::Edge;
    use super::super::html::well_formed;
    use super::*;

    fn chain(count: usize) -> Flow {
        let node = |index: usize| Node {
            kind: NodeKind::Operator,
            label: format!("map <{index}>"),
            loc: None,
            inner: None,
        };
        let edge = |to: usize| Edge { from: to - 1, to, label: "[n]f64".into(), array: true };
        Flow { nodes: (0..count).map(node).collect(), edges: (1..count).map(edge).collect() }
    }

    #[test]
    fn what_is_inside_is_drawn_inside() {
        let mut flow = chain(3);
        flow.nodes[1].inner = Some(chain(2));
        let text = svg(&flow, &|_| None).expect("it is small");
        assert_eq!(well_formed(&text), Ok(()));
        assert_eq!(text.matches("<rect").count(), 5);
        assert!(text.contains("map &lt;0&gt;"), "{text}");
        let drawing = Drawing::of(&flow, &|_| None, true);
        let inner = drawing.inner[1].as_ref().expect("it has an inside").layout.size;
        let outer = drawing.layout.boxes[1];
        assert!(outer.w >= inner.w + 2 * PAD && outer.h >= inner.h + 2 * PAD);
    }

    #[test]
    fn what_is_too_large_is_drawn_without_its_inside_or_not_at_all() {
        assert!(svg(&chain(MAX_NODES + 1), &|_| None).is_none());
        let mut flow = chain(2);
        flow.nodes[0].inner = Some(chain(MAX_NODES));
        let text = svg(&flow, &|_| None).expect("the outside is small");
        assert_eq!(text.matches("<rect").count(), 2);
    }

    #[test]
    fn lines_are_straight_where_they_can_be() {
        assert_eq!(path(&[(5, 0), (5, 10)], (1, 2)), "M6 2V12");
        assert_eq!(path(&[(5, 0), (9, 10)], (0, 0)), "M5 0C5 5 9 5 9 10");
    }
}
