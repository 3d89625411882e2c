//! Operators that do not depend on each other, but read the same array, become one.
//!
//! ```text
//! a = reduce (+) 0 xs;  b = reduce max 0 xs    ==>    (a, b) = redomap ((+), max) (\x -> (x, x)) (0, 0) xs
//! ```
//!
//! Both must have one width, be of the same kind (map, reduce and scan in any mix; histograms; scatters; parallel
//! streams; sequential streams), and have an input in common: fusing operators that have nothing in common saves no
//! memory traffic, and costs registers.
//!
//! Products (`product`) have in common, too, what all of their rows are multiplied with, as those of the gradients of several
//! weights by which the same vectors were multiplied:
//!
//! ```text
//! c = map (\a -> map (\x -> a · x) xs) as;  d = map (\b -> map (\x -> b · x) xs) bs
//! ==>
//! (c, d) = map2 (\a b -> map (\x -> (a · x, b · x)) xs) as bs
//! ```
//!
//! On devices, reductions need only have their sizes in common (`folds`).
//!
//! A histogram or a scatter and another kind stay two: there is no operator for both. As accumulators in one map they
//! could be one, but several threads would then write to the same bins instead of copies of them, which costs more than
//! reading an array again.

use super::graph::{Graph, Node};
use super::vertical::operands;
use super::{Cx, folds, merge, product, stream};
use fehu_ir::pass::{OTHER, RemarkKind};
use fehu_ir::{Atom, Exp, StreamForm, Var};
use rustc_hash::FxHashMap;

/// Operators may be fused if they have one of these in common.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Common {
    /// Both read an array.
    Array { kind: Kind, width: Atom, array: Var },
    /// They are reductions, or maps of reductions, with these widths.
    Widths(Vec<Atom>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Screma,
    /// All rows of a product are multiplied with the array, which is no input.
    Factor,
    Hist,
    Scatter,
    ParallelStream,
    SequentialStream,
}

/// Fuses all pairs that can be; whether there was one.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let mut changed = false;
    // The last operator of which something holds.
    let mut last: FxHashMap<Common, Node> = FxHashMap::default();
    for node in graph.nodes() {
        let mut node = node;
        while let Some(own) = commons(cx, graph, node) {
            let partner = own.iter().find_map(|common| {
                let other = *last.get(common)?;
                let (a, b) = (graph.stm(other)?, graph.stm(node)?);
                let fits = match common {
                    Common::Array { kind: Kind::Factor, array, .. } => {
                        product::fit_together(cx, &a.exp, &b.exp, *array)
                    }
                    Common::Array { kind: Kind::Screma, .. } => product::agree(cx, &a.exp, &b.exp),
                    Common::Array { .. } => true,
                    Common::Widths(_) => folds::fit_together(cx, &a.exp, &b.exp),
                };
                (other != node && fits).then_some((other, common))
            });
            let new = partner.and_then(|(other, common)| fuse(cx, graph, (other, node), common));
            let Some(new) = new else {
                for common in own {
                    last.insert(common, node);
                }
                break;
            };
            node = new;
            changed = true;
        }
    }
    changed
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn commons(cx: &Cx<'_>, graph: &Graph, node: Node) -> Option<Vec<Common>> {
    let exp = &graph.stm(node)?.exp;
    let kind = match exp {
        Exp::Screma(_) => Kind::Screma,
        Exp::Hist(_) => Kind::Hist,
        Exp::Scatter(_) => Kind::Scatter,
        Exp::Stream(op) => match op.form {
            StreamForm::Map | StreamForm::Red(..) => Kind::ParallelStream,
            StreamForm::Seq => Kind::SequentialStream,
            StreamForm::Pass(_) => return None,
        },
        _ => return None,
    };
    let (width, inputs) = operands(exp)?;
    if inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let of_kind = |kind| move |array| Common::Array { kind, width, array };
    let inputs = inputs.iter().copied().map(of_kind(kind));
    let factors = product::factors(cx, exp).into_iter().map(of_kind(Kind::Factor));
    let widths = folds::widths(cx, exp).map(Common::Widths);
    Some(inputs.chain(factors).chain(widths).collect())
}

fn fuse(cx: &mut Cx<'_>, graph: &mut Graph, (a, b): (Node, Node), common: &Common) -> Option<Node> {
    let (first, second) = graph.in_order(a, b);
    if graph.depends(second, first) || graph.clash(first, second) {
        return None;
    }
    let (a, b) = (graph.stm(first)?, graph.stm(second)?);
    let (loc, other) = (b.loc.clone(), a.loc.clone());
    let name = |exp: &Exp| exp.operator().unwrap_or("operator");
    let (with, own) = (name(&a.exp), name(&b.exp));
    let node = if let Exp::Stream(_) = &b.exp {
        stream::beside(cx, graph, first, second)?
    } else {
        let window = graph.window(first, second)?;
        let (a, b) = (graph.take(first)?, graph.take(second)?);
        let mut stm = merge::horizontal(cx, a, b);
        if let Common::Widths(_) = common {
            folds::together(cx, &mut stm);
        }
        graph.merge(window, stm)
    };
    let why = match common {
        Common::Array { .. } => "which reads the same array",
        Common::Widths(_) => "which has the same size",
    };
    let text = if loc == other {
        format!("{own}: fused with the same {with} of another call, {why}")
    } else {
        format!("{own}: fused with the {with} {OTHER}, {why}")
    };
    cx.remark(RemarkKind::Done, loc.as_ref(), other.as_ref(), text);
    Some(node)
}
