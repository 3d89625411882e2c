//! Interchange of the operators of a nest, where that brings operators together.
//!
//! * **Push**: a map nest that reads the transposed result of a producer is interchanged, reads the result itself, and
//!   becomes one with the producer; its own results are transposed behind it:
//!
//!   ```text
//!   ys = map f xs; ts = transpose ys; zs = map (map g) ts    ==>    zs = transpose (map (\x -> map g (f x)) xs)
//!   ```
//!
//!   It is done only if the two become one at once, so that every time there is an operator less. All that the nest reads
//!   of the producer must be transposed.
//!
//! * **Reductions and scans of vectors**: an operator that is a map becomes the operator of its elements:
//!
//!   ```text
//!   reduce (map2 (+)) ne (map (map f) xss)    ==>    map (\e col -> redomap (+) f e col) ne (transpose xss)
//!   scan (map2 (+)) ne (transpose yss)        ==>    transpose (map (\e row -> scan (+) e row) ne yss)
//!   ```
//!
//!   Done if a transposition of an input cancels, or, for reductions whose plain results nobody needs, if the function
//!   before the operator is a map, whose rows then need no memory; on devices also for scans inside of other operators.
//!   (If the results of scans are only used transposed, `views` does it.) Afterwards it is a map, so that this happens
//!   once.

use super::Cx;
use super::graph::{Graph, Node};
use super::mentions::stm_mentions;
use super::nest::{Nest, Swapped, nest, swap_dims, swapped_type, transposition};
use super::vertical;
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Exp, Stm, Var};

/// Interchanges a node, if that is worth it; whether it was.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> bool {
    fold(cx, graph, node).or_else(|| push(cx, graph, node)).is_some()
}

/// Gives a node, from which the old statement was taken, the new one.
pub(super) fn install(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    node: Node,
    stm: Stm,
    views: Vec<Stm>,
    without: &[Node],
) {
    cx.count_new(&stm);
    let mentioned =
        |view: &Node| graph.stm(*view).is_some_and(|other| stm_mentions(cx, &stm, &other.pat) > 0);
    let without: Vec<Node> = without.iter().copied().filter(|view| !mentioned(view)).collect();
    graph.put(node, stm);
    for view in without {
        graph.bypass(node, view);
        // Nobody may need it now, and it would only keep its array alive.
        let dead = |stm: &Stm| stm.pat.iter().all(|var| cx.counts.get(*var) == 0);
        if graph.stm(view).is_some_and(dead)
            && let Some(gone) = graph.take(view)
        {
            cx.count_gone(&gone);
        }
    }
    for view in views {
        cx.count_new(&view);
        graph.insert(node, view);
    }
}

fn fold(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> Option<Node> {
    let stm = graph.stm(node)?;
    let Exp::Screma(op) = &stm.exp else { return None };
    if op.folded() == 0 {
        return None;
    }
    let nest = nest(cx, stm)?;
    let cancels = nest.rows().iter().any(|row| transposition(cx, graph, *row).is_some());
    let plain_used = stm.pat[nest.folded()..].iter().any(|var| cx.counts.get(*var) > 0);
    let loc = stm.loc.clone();
    let saves = !nest.identity && (!nest.scans() || cx.columns && cx.within);
    if plain_used || !(cancels || saves) || !graph.spend(64) {
        return None;
    }
    let text = "turned into a map of reductions or scans of its columns".to_owned();
    cx.remark(RemarkKind::Done, loc.as_ref(), None, text);
    replace(cx, graph, node, nest)
}

fn push(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> Option<Node> {
    let stm = graph.stm(node)?;
    let Exp::Screma(op) = &stm.exp else { return None };
    let read = |input: &Var| transposition(cx, graph, *input);
    let seen: Vec<(Node, Var)> = op.inputs.iter().filter_map(read).collect();
    let producer = seen.iter().find_map(|(_, array)| {
        let producer = graph.binder(*array)?;
        matches!(graph.stm(producer)?.exp, Exp::Screma(_)).then_some(producer)
    })?;
    let first = graph.stm(producer)?;
    let Exp::Screma(above) = &first.exp else { return None };
    let nest = nest(cx, stm).filter(|nest| nest.folded() == 0)?;
    // What `vertical` will ask of the two.
    let rows = nest.rows();
    let mut past: Vec<Node> = Vec::new();
    for row in &rows {
        if let Some((view, array)) = transposition(cx, graph, *row) {
            past.push(view);
            if first.pat[..above.folded()].contains(&array) {
                return None;
            }
        }
    }
    let reads = seen.iter().any(|(view, array)| past.contains(view) && first.pat.contains(array));
    let all_rows = seen.iter().all(|(view, _)| past.contains(view));
    let plain = above.inputs.iter().all(|input| !cx.is_acc(*input));
    let fits = reads && all_rows && plain && above.width == nest.width();
    let fits = fits && !graph.clash(producer, node);
    if !fits || stm_mentions(cx, stm, &first.pat) > 0 || !graph.spend(64) {
        return None;
    }
    let past: Vec<Node> = past.into_iter().filter(|view| graph.depends(node, *view)).collect();
    graph.window_past(producer, node, &past)?;
    let new = replace(cx, graph, node, nest)?;
    vertical::fuse(cx, graph, producer, new).ok();
    Some(new)
}

/// Replaces a nest by the interchanged one, with transpositions of its results behind it; the new node.
fn replace(cx: &mut Cx<'_>, graph: &mut Graph, node: Node, nest: Nest) -> Option<Node> {
    let transposed: Vec<bool> = {
        let count = graph.stm(node)?.pat.len();
        (0..count).map(|index| nest.transposed(index)).collect()
    };
    let old = graph.take(node)?;
    cx.count_gone(&old);
    let Swapped { exp, certs, types, views, without } = nest.swap(cx, graph);
    let mut pat = Vec::new();
    let mut behind = Vec::new();
    for ((var, transposed), ty) in old.pat.iter().zip(transposed).zip(types) {
        if !transposed {
            pat.push(*var);
            continue;
        }
        assert_eq!(ty, swapped_type(&cx.vars[*var].ty), "the nest is swapped");
        let new = cx.like("tr", ty, *var);
        pat.push(new);
        if cx.counts.get(*var) > 0 {
            let exp = swap_dims(cx, new);
            behind.push(Stm { loc: old.loc.clone(), ..Stm::new(vec![*var], exp) });
        }
    }
    let stm = Stm { pat, certs, attrs: old.attrs, loc: old.loc, exp };
    let Some(last) = behind.pop() else {
        install(cx, graph, node, stm, views, &without);
        return Some(node);
    };
    // The users of the results depend on the old node, so that it is the last one of those that replace it.
    let new = graph.insert(node, stm.clone());
    graph.take(new);
    install(cx, graph, new, stm, views, &without);
    for view in &without {
        graph.bypass(node, *view);
    }
    for view in behind {
        cx.count_new(&view);
        graph.insert(node, view);
    }
    cx.count_new(&last);
    graph.put(node, last);
    Some(new)
}
