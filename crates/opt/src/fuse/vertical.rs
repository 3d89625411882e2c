//! Producers become part of their consumers.
//!
//! | producer | consumer | result |
//! | --- | --- | --- |
//! | map | map, redomap, scanomap, any mix | the consumer, with the producer's other results beside its own |
//! | redomap, scanomap with plain results | the same, by the plain results | the reductions and scans of both |
//! | map | histogram, scatter, filter | the consumer, if nothing else needs the producer, or a copy of a cheap producer |
//! | map | map that contributes to accumulators | the consumer, if nothing else needs the producer |
//!
//! If one of the two is a stream, or becomes one, see `stream`.
//!
//! Conditions: equal width; the consumer uses the producer's results only as inputs, and only plain results, not
//! scanned or reduced ones, which are complete only after the last position; no path between them through a third
//! statement.

use super::graph::{Graph, Node};
use super::mentions::stm_mentions;
use super::{Cx, merge, product, stream};
use fehu_facts::cost;
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{OTHER, RemarkKind};
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, Exp, Lambda, Loc, Stm, Var};
use rustc_hash::FxHashSet;

/// Fuses producers into consumers until there is none left that can be.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) {
    for consumer in graph.nodes() {
        // A node may be merged into another one meanwhile, and a new one has new inputs.
        let mut node = consumer;
        let mut refused: FxHashSet<Node> = FxHashSet::default();
        while let Some(producer) = candidate(graph, node, &refused) {
            match fuse(cx, graph, producer, node) {
                Ok(new) => {
                    node = new;
                    refused.clear();
                }
                Err(_) => {
                    refused.insert(producer);
                }
            }
        }
    }
}

/// Says of what is left why it was not fused.
pub(super) fn explain(cx: &mut Cx<'_>, graph: &Graph) {
    for node in graph.nodes() {
        let Some(stm) = graph.stm(node) else { continue };
        let Some((_, inputs)) = operands(&stm.exp) else { continue };
        let mut seen = FxHashSet::default();
        for input in inputs {
            let (array, view) = original(cx, graph, *input);
            let Some(producer) = graph.binder(array).filter(|producer| *producer != node) else {
                continue;
            };
            let Some(other) = graph.stm(producer) else { continue };
            if operands(&other.exp).is_none() || !seen.insert(producer) {
                continue;
            }
            let reason = match (view, check(cx, other, stm)) {
                _ if matches!(other.exp, Exp::Partition(_) | Exp::Flatmap(_)) => {
                    "where its elements go is known only after the last iteration".to_owned()
                }
                (Some(view), _) => view.to_owned(),
                (None, Err(reason)) => reason.text().to_owned(),
                // Only these take the results that others need along.
                (None, Ok(()))
                    if !matches!(stm.exp, Exp::Screma(_) | Exp::Stream(_))
                        && !kept(cx, other, stm).is_empty() =>
                {
                    Reason::Several.text().to_owned()
                }
                (None, Ok(())) if graph.clash(producer, node) => Reason::Written.text().to_owned(),
                (None, Ok(())) => between(cx, graph, producer, node),
            };
            let made_by = other.exp.operator().unwrap_or("operator");
            let text = format!(
                "{}: not fused with the {made_by} {OTHER}: {reason}",
                stm.exp.operator().unwrap_or("operator"),
            );
            let (loc, other) = (stm.loc.clone(), other.loc.clone());
            cx.remark(RemarkKind::Missed, loc.as_ref(), other.as_ref(), text);
        }
    }
}

/// The array that an input is a view of, and what the last step from there is, in words.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn original(cx: &Cx<'_>, graph: &Graph, input: Var) -> (Var, Option<&'static str>) {
    let (mut array, mut view) = (input, None);
    while let Some(stm) = graph.binder(array).and_then(|node| graph.stm(node)) {
        let (of, how) = match &stm.exp {
            Exp::Reshape(of, shape) if cx.vars[*of].ty.rank() == shape.len() => {
                (*of, Reason::Width.text())
            }
            Exp::Reshape(of, _) => (*of, "it reads that result with a different shape"),
            Exp::Rearrange(of, _) => (*of, "it reads that result transposed"),
            Exp::Index(of, _) | Exp::FlatIndex(of, ..) => {
                (*of, "it reads only part of that result")
            }
            Exp::Copy(of) | Exp::Manifest(of) => (*of, "it reads a copy of that result"),
            _ => break,
        };
        (array, view) = (of, Some(how));
    }
    (array, view)
}

/// What stands between a producer and its consumer, in words.
fn between(cx: &Cx<'_>, graph: &Graph, producer: Node, consumer: Node) -> String {
    let general = Reason::Between.text().to_owned();
    let path = graph.between(producer, consumer);
    let first = path.first().and_then(|node| graph.stm(*node));
    let (Some(first), Some(made)) = (first, graph.stm(producer)) else { return general };
    // What directly follows the producer uses its result, or consumes what it reads.
    if !free_in_stm(first, cx.vars).iter().any(|var| made.pat.contains(var)) {
        let who = describe(first).unwrap_or_else(|| "an in-place update".to_owned());
        return format!(
            "{who}, which comes between them, overwrites an array that one of them reads"
        );
    }
    let stms = path.iter().filter_map(|node| graph.stm(*node));
    stms.into_iter()
        .find_map(describe)
        .map_or(general, |who| format!("{who} needs that result and must finish first"))
}

/// An operator or loop with its line.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are named by the IR")]
fn describe(stm: &Stm) -> Option<String> {
    let what = match &stm.exp {
        Exp::Loop(..) => "loop",
        exp => exp.operator()?,
    };
    let line = stm.loc.as_ref()?.place()?.line;
    Some(format!("the {what} on line {line}"))
}

/// Why two operators are not fused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reason {
    /// No rule for the two kinds.
    Kind,
    Width,
    /// Results that are used otherwise than as an input.
    OtherUse,
    /// Results that are known only at the end.
    Unfinished,
    /// Results of a scan, which are known one after the other.
    Scanned,
    /// Others need the producer, and it is not cheap.
    Several,
    /// Something must happen between the two.
    Between,
    Accumulator,
    /// One writes what the other one reads.
    Written,
    /// One runs in parallel, the other one does not.
    Sequential,
    /// A scan next to a parallel stream.
    Scan,
    /// What would be carried from chunk to chunk is an array that is updated later.
    Carried,
    /// What is executed in tiles would be no longer.
    Tiles,
}

impl Reason {
    fn text(self) -> &'static str {
        match self {
            Reason::Kind => "there is no fusion rule for these two operators",
            Reason::Width => "they are not known to have the same number of elements",
            Reason::OtherUse => {
                "it needs more of that result than the element at its own position, because it indexes it or uses it as a whole"
            }
            Reason::Unfinished => "that result is complete only after the last iteration",
            Reason::Scanned => {
                "elements of that result become available one after the other; compiled code may still combine the two"
            }
            Reason::Several => {
                "that result is also needed elsewhere, and computing it twice would be expensive"
            }
            Reason::Between => {
                "something that depends on that result must be computed first, or an array is consumed between the two"
            }
            Reason::Written => "it writes to an array that the other one reads",
            Reason::Accumulator => "an accumulator is passed from iteration to iteration",
            Reason::Sequential => {
                "one of the two is sequential, and the other one would no longer run in parallel"
            }
            Reason::Scan => "there is no fusion rule for scans and parallel streams",
            Reason::Carried => {
                "the array that would be carried from chunk to chunk is updated later"
            }
            Reason::Tiles => {
                "that result is made in tiles, which is worth more than not storing it"
            }
        }
    }
}

/// A producer of an input that was not tried yet.
fn candidate(graph: &Graph, node: Node, refused: &FxHashSet<Node>) -> Option<Node> {
    let (_, inputs) = operands(&graph.stm(node)?.exp)?;
    inputs.iter().find_map(|input| {
        let producer = graph.binder(*input)?;
        let fits = producer != node && !refused.contains(&producer);
        let operator = matches!(graph.stm(producer)?.exp, Exp::Screma(_) | Exp::Stream(_));
        (fits && operator).then_some(producer)
    })
}

/// Fuses a producer and a consumer, if there is a rule.
pub(super) fn fuse(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    producer: Node,
    consumer: Node,
) -> Result<Node, Reason> {
    let (Some(first), Some(second)) = (graph.stm(producer), graph.stm(consumer)) else {
        return Err(Reason::Kind);
    };
    if stream::concerns(cx, first, second) {
        return stream::fuse(cx, graph, producer, consumer);
    }
    check(cx, first, second)?;
    if graph.clash(producer, consumer) {
        return Err(Reason::Written);
    }
    let (producer_loc, consumer_loc) = (first.loc.clone(), second.loc.clone());
    let name = |stm: &Stm| stm.exp.operator().unwrap_or("operator");
    let (made_by, read_by) = (name(first), name(second));
    let beside = matches!(second.exp, Exp::Screma(_));
    let kept = !kept(cx, first, second).is_empty();
    let node = if beside || !kept {
        let window = graph.window(producer, consumer).ok_or(Reason::Between)?;
        let (Some(first), Some(second)) = (graph.take(producer), graph.take(consumer)) else {
            return Err(Reason::Kind);
        };
        let stm = merge::vertical(cx, first, second);
        graph.merge(window, stm)
    } else {
        duplicate(cx, graph, producer, consumer)?;
        consumer
    };
    let (from, to) = (producer_loc.as_ref(), consumer_loc.as_ref());
    let text = if beside || !kept {
        format!("{made_by}: fused into the {read_by} {OTHER}")
    } else {
        format!(
            "{made_by}: recomputed in the {read_by} {OTHER}, which is cheaper than reading its result"
        )
    };
    cx.remark(RemarkKind::Done, from, to, text);
    let line = |loc: Option<&Loc>| loc.and_then(Loc::place).map(|place| place.line);
    if line(from) != line(to) {
        cx.remark(RemarkKind::Done, to, from, format!("{read_by}: absorbs the {made_by} {OTHER}"));
    }
    Ok(node)
}

/// Whether there is a rule for a producer and a consumer, whatever stands between them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn check(cx: &Cx<'_>, first: &Stm, second: &Stm) -> Result<(), Reason> {
    if stream::concerns(cx, first, second) {
        return stream::check(cx, first, second);
    }
    let Exp::Screma(producer) = &first.exp else { return Err(Reason::Kind) };
    let (width, inputs, _) = parts(&second.exp).ok_or(Reason::Kind)?;
    if width != producer.width {
        return Err(Reason::Width);
    }
    if producer.inputs.iter().any(|input| cx.is_acc(*input)) {
        return Err(Reason::Accumulator);
    }
    // A map may contribute what it is given, if nothing else needs that.
    if inputs.iter().any(|input| cx.is_acc(*input)) {
        let plain =
            producer.folded() == 0 && matches!(&second.exp, Exp::Screma(op) if op.folded() == 0);
        if !plain || !kept(cx, first, second).is_empty() {
            return Err(Reason::Accumulator);
        }
    }
    let unfinished = producer.folded();
    if inputs.iter().any(|input| first.pat[..unfinished].contains(input)) {
        // A map or a scatter needs no more than an element, and code for both is made later.
        let reduced = &first.pat[producer.scanned()..unfinished];
        let element = match &second.exp {
            Exp::Screma(op) => op.folded() == 0,
            exp => matches!(exp, Exp::Scatter(_)),
        };
        let later = element && stm_mentions(cx, second, reduced) == 0;
        return Err(if later { Reason::Scanned } else { Reason::Unfinished });
    }
    if unfinished > 0 && !matches!(second.exp, Exp::Screma(_)) {
        return Err(Reason::Kind);
    }
    if stm_mentions(cx, second, &first.pat[..unfinished]) > 0 {
        return Err(Reason::Unfinished);
    }
    let as_inputs = inputs.iter().filter(|input| first.pat.contains(input)).count();
    if stm_mentions(cx, second, &first.pat) > as_inputs {
        return Err(Reason::OtherUse);
    }
    if product::is_lost(cx, first, second) {
        return Err(Reason::Tiles);
    }
    Ok(())
}

/// The results of a producer that are used by others than the consumer.
pub(super) fn kept(cx: &Cx<'_>, first: &Stm, second: &Stm) -> Vec<Var> {
    let inputs = operands(&second.exp).map_or(&[][..], |(_, inputs)| inputs);
    let used_here = |var: &Var| inputs.iter().filter(|input| *input == var).count() as u32;
    first.pat.iter().copied().filter(|var| cx.counts.get(*var) > used_here(var)).collect()
}

/// Puts a copy of a cheap producer into the consumer; the producer stays for its other uses.
fn duplicate(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    producer: Node,
    consumer: Node,
) -> Result<(), Reason> {
    let Some(first) = graph.stm(producer) else { return Err(Reason::Kind) };
    let Exp::Screma(op) = &first.exp else { return Err(Reason::Kind) };
    let arrays = free_in_stm(first, cx.vars);
    let fixed = arrays.iter().all(|var| !cx.vars[*var].ty.is_array() || cx.share.is_fixed(*var));
    if op.folded() > 0 || !fixed || !cost::is_cheap(&op.map.body, cx.vars) {
        return Err(Reason::Several);
    }
    let first = first.clone();
    let mut copy = first.clone();
    if let Exp::Screma(op) = &mut copy.exp {
        op.map = copy_lambda(&op.map, cx.vars);
    }
    cx.copied(&first, &copy);
    let Some(second) = graph.take(consumer) else { return Err(Reason::Kind) };
    let stm = merge::vertical(cx, copy, second);
    graph.depend(consumer, producer);
    graph.put(consumer, stm);
    Ok(())
}

/// The width and the inputs of an operator that can be a consumer, streams included.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
pub(super) fn operands(exp: &Exp) -> Option<(Atom, &[Var])> {
    match exp {
        Exp::Stream(op) => Some((op.width, &op.inputs)),
        _ => parts(exp).map(|(width, inputs, _)| (width, inputs)),
    }
}

/// The width, inputs and function of an operator that can be a consumer.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
pub(super) fn parts(exp: &Exp) -> Option<(Atom, &[Var], &Lambda)> {
    match exp {
        Exp::Screma(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Hist(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Scatter(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Partition(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Flatmap(op) => Some((op.width, &op.inputs, &op.map)),
        _ => None,
    }
}
