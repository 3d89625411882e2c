//! Fusion with streams.
//!
//! ```text
//! ys = stream_map (\c -> g c) xs    ==>    s = stream_red (+) (\a c -> let y = g c in reduce (+) a y) 0 xs
//! s  = reduce (+) 0 ys
//! ```
//!
//! Map, reduce and scan next to a stream are first written as streams themselves (`convert`); then two streams become
//! one (`compose`), whose chunk function does what both did, one after the other. What others still need of the
//! producer's arrays, the new stream yields as well.
//!
//! | producer | consumer | result | where |
//! | --- | --- | --- | --- |
//! | map, redomap | parallel stream | parallel stream | everywhere |
//! | parallel stream | map, redomap | parallel stream | everywhere |
//! | parallel stream | parallel stream | parallel stream | everywhere |
//! | sequential stream | sequential stream | sequential stream | everywhere |
//! | map, reduce, scan | sequential stream, and the reverse | sequential stream | in sequential code |
//! | a scan, by its scanned result | map, reduce, scan | sequential stream | in chunk functions of parallel streams |
//!
//! A parallel and a sequential stream never become one: the outcome would be sequential. Nor does an operator become part
//! of a sequential stream where it could run in parallel. Only one thread executes the chunk function of a parallel
//! stream, and there the last two rules save memory: the new stream can be executed element by element, so that the
//! intermediate arrays, as large as the chunk, are never there as a whole. The direct body of a sequential stream
//! is left alone, because it is executed in such small steps already.
//!
//! Conditions, besides that there is no path between the two through a third statement: equal width; the consumer sees
//! the producer's arrays only as its inputs, and its accumulators not at all; neither consumes an array that the other
//! one reads, because chunks of the one would then be gone before all chunks of the other were read.

mod compose;
mod convert;

use super::graph::{Graph, Node};
use super::mentions::stm_mentions;
use super::merge::both;
use super::vertical::{Reason, kept, operands};
use super::{Cx, Level};
use compose::compose;
use convert::convert;
use fehu_facts::consumed;
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{OTHER, RemarkKind};
use fehu_ir::{Atom, Exp, Stm, Stream, StreamForm, Type, Var};

/// Which kind of stream two operators become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Chunks are independent.
    Parallel,
    /// Chunks come one after the other.
    Seq,
}

/// A stream, or an operator written as one.
struct Part {
    /// What it binds.
    pat: Vec<Var>,
    stream: Stream,
    /// Whether chunks must be contiguous and combined in order.
    ordered: bool,
}

/// Whether two operators are the business of this file.
pub(super) fn concerns(cx: &Cx<'_>, first: &Stm, second: &Stm) -> bool {
    match (&first.exp, &second.exp) {
        (Exp::Stream(_), Exp::Stream(_) | Exp::Screma(_)) | (Exp::Screma(_), Exp::Stream(_)) => {
            true
        }
        (Exp::Screma(producer), Exp::Screma(consumer)) => {
            let scanned = &first.pat[..producer.scanned()];
            cx.level == Level::Chunk && consumer.inputs.iter().any(|input| scanned.contains(input))
        }
        _ => false,
    }
}

/// Makes one stream of a producer and its consumer.
pub(super) fn fuse(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    producer: Node,
    consumer: Node,
) -> Result<Node, Reason> {
    let (Some(first), Some(second)) = (graph.stm(producer), graph.stm(consumer)) else {
        return Err(Reason::Kind);
    };
    let kind = check_kind(cx, first, second)?;
    let kept = kept(cx, first, second);
    let window = graph.window(producer, consumer).ok_or(Reason::Between)?;
    let (Some(first), Some(second)) = (graph.take(producer), graph.take(consumer)) else {
        return Err(Reason::Kind);
    };
    let name = |stm: &Stm| stm.exp.operator().unwrap_or("operator");
    let (made_by, read_by) = (name(&first), name(&second));
    let (from, to) = (first.loc.clone(), second.loc.clone());
    let stm = join(cx, kind, first, second, &|var| kept.contains(var));
    let kind = match kind {
        Kind::Parallel => "a stream",
        Kind::Seq => "a sequential stream",
    };
    let text = format!("{made_by}: fused into the {read_by} {OTHER}, as {kind}");
    cx.remark(RemarkKind::Done, from.as_ref(), to.as_ref(), text);
    Ok(graph.merge(window, stm))
}

/// Whether there is a rule for a producer and a consumer, whatever stands between them.
pub(super) fn check(cx: &Cx<'_>, first: &Stm, second: &Stm) -> Result<(), Reason> {
    check_kind(cx, first, second).map(|_| ())
}

/// Makes one stream of two that do not depend on each other, if there is a rule for them.
pub(super) fn beside(cx: &mut Cx<'_>, graph: &mut Graph, a: Node, b: Node) -> Option<Node> {
    let (first, second) = (graph.stm(a)?, graph.stm(b)?);
    let kind = kind(cx, first, second).ok()?;
    if conflict(cx, first, second) {
        return None;
    }
    let window = graph.window(a, b)?;
    let (first, second) = (graph.take(a)?, graph.take(b)?);
    let stm = join(cx, kind, first, second, &|_| true);
    Some(graph.merge(window, stm))
}

fn check_kind(cx: &Cx<'_>, first: &Stm, second: &Stm) -> Result<Kind, Reason> {
    let (width, inputs) = operands(&first.exp).ok_or(Reason::Kind)?;
    let (other_width, more) = operands(&second.exp).ok_or(Reason::Kind)?;
    let kind = kind(cx, first, second)?;
    if width != other_width {
        return Err(Reason::Width);
    }
    if inputs.iter().chain(more).any(|input| cx.is_acc(*input)) {
        return Err(Reason::Accumulator);
    }
    if stm_mentions(cx, second, unfinished(first)) > 0 {
        return Err(Reason::Unfinished);
    }
    let as_inputs = more.iter().filter(|input| first.pat.contains(input)).count();
    if stm_mentions(cx, second, &first.pat) > as_inputs {
        return Err(Reason::OtherUse);
    }
    if conflict(cx, first, second) {
        return Err(Reason::Written);
    }
    if kind == Kind::Seq && !(carries(cx, first) && carries(cx, second)) {
        return Err(Reason::Carried);
    }
    Ok(kind)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn kind(cx: &Cx<'_>, first: &Stm, second: &Stm) -> Result<Kind, Reason> {
    let sequential = |stm: &Stm| match &stm.exp {
        Exp::Stream(op) => Some(matches!(op.form, StreamForm::Seq)),
        _ => None,
    };
    let scans = |stm: &Stm| matches!(&stm.exp, Exp::Screma(op) if !op.scans.is_empty());
    match (sequential(first), sequential(second)) {
        (Some(true), Some(true)) => Ok(Kind::Seq),
        (Some(false), Some(false)) => Ok(Kind::Parallel),
        (Some(true), Some(false)) | (Some(false), Some(true)) => Err(Reason::Sequential),
        (Some(false), None) | (None, Some(false)) if scans(first) || scans(second) => {
            Err(Reason::Scan)
        }
        (Some(false), None) | (None, Some(false)) => Ok(Kind::Parallel),
        (Some(true), None) | (None, Some(true)) | (None, None) => match cx.level {
            Level::Parallel => Err(Reason::Sequential),
            Level::Chunk | Level::Steps => Ok(Kind::Seq),
        },
    }
}

/// The results that are known only after the last chunk.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn unfinished(stm: &Stm) -> &[Var] {
    match &stm.exp {
        Exp::Stream(op) => &stm.pat[..op.init.len()],
        Exp::Screma(op) => &stm.pat[op.scanned()..op.folded()],
        _ => &[],
    }
}

/// Whether one of two operators consumes an array that the other one reads. That the second one may consume the
/// chunks which the first one makes is another question: it gets copies of them.
fn conflict(cx: &Cx<'_>, first: &Stm, second: &Stm) -> bool {
    let clash = |consumer: &Stm, reader: &Stm| {
        let taken = consumed(cx.prog, consumer);
        let read = free_in_stm(reader, cx.vars);
        let memory = |var: &Var| !matches!(cx.vars[*var].ty, Type::Scalar(_));
        read.iter()
            .filter(|var| memory(var))
            .any(|var| taken.iter().any(|other| cx.share.may_share(*var, *other)))
    };
    clash(first, second) || clash(second, first)
}

/// Whether the values that an operator carries from chunk to chunk as a sequential stream need no memory of their own.
/// The result of such a stream may be the initial value itself: if it is an array, nobody must update it.
fn carries(cx: &Cx<'_>, stm: &Stm) -> bool {
    let Exp::Screma(op) = &stm.exp else { return true };
    let neutral = op.scans.iter().flat_map(|scan| &scan.neutral);
    let neutral = neutral.chain(op.reds.iter().flat_map(|red| &red.neutral));
    neutral.zip(&stm.pat).all(|(atom, result)| match atom {
        Atom::Var(var) if cx.vars[*var].ty.is_array() => {
            cx.share.is_fixed(*var) && cx.share.is_fixed(*result)
        }
        Atom::Var(_) | Atom::Const(_) => true,
    })
}

/// One statement of two. The mentions are counted anew, because so many move; that is linear in the size of both
/// statements, like looking for mentions of the producer in the consumer was.
fn join(cx: &mut Cx<'_>, kind: Kind, first: Stm, second: Stm, keep: &dyn Fn(&Var) -> bool) -> Stm {
    cx.count_gone(&first);
    cx.count_gone(&second);
    let taken = consumed(cx.prog, &second);
    let mut stm = Stm { exp: Exp::Atom(0.into()), pat: Vec::new(), ..second.clone() };
    let (certs, attrs, loc) = (first.certs.clone(), first.attrs.clone(), first.loc.clone());
    if let (Some(first), Some(second)) = (convert(cx, kind, first), convert(cx, kind, second)) {
        let (pat, stream) = compose(cx, first, second, &taken, keep);
        stm.pat = pat;
        stm.exp = Exp::Stream(Box::new(stream));
    }
    both(&mut stm, certs, attrs, loc);
    cx.count_new(&stm);
    stm
}
