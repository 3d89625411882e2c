//! A producer that only the alternatives of one branch need moves into them.
//!
//! ```text
//! ys = map f xs                                    zs = if c then let ys = map f xs in map g ys
//! zs = if c then map g ys else reduce (+) 0 ys ==>           else let ys' = map f xs in reduce (+) 0 ys'
//! ```
//!
//! There the producer meets its consumers. Only one of the copies is evaluated, so that no work is repeated. A producer
//! that can fail moves only if all alternatives need it. The array is not an input of anything else, nor mentioned in
//! the condition, nor in the types of the branch's results.

use super::Cx;
use super::graph::{Graph, Node};
use super::mentions::body_mentions;
use fehu_ir::pass::RemarkKind;
use fehu_ir::subst::{Subst, copy_stm, subst_body};
use fehu_ir::{Atom, Body, Exp, Stm};

/// Moves all producers that can be; whether there was one.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let mut changed = false;
    for node in graph.nodes() {
        let mut branch = node;
        // What moves may bring others along.
        while let Some(new) =
            graph.needs(branch).into_iter().find_map(|producer| sink(cx, graph, producer, branch))
        {
            branch = new;
            changed = true;
        }
    }
    changed
}

fn sink(cx: &mut Cx<'_>, graph: &mut Graph, producer: Node, branch: Node) -> Option<Node> {
    let (first, stm) = (graph.stm(producer)?, graph.stm(branch)?);
    let bodies = alternatives(&stm.exp)?;
    let Exp::Screma(op) = &first.exp else { return None };
    if op.folded() > 0 || op.inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let inside: Vec<usize> =
        bodies.iter().map(|body| body_mentions(cx, body, &first.pat)).collect();
    let all: usize = first.pat.iter().map(|var| cx.counts.get(*var) as usize).sum();
    if inside.iter().sum::<usize>() != all {
        return None;
    }
    if inside.contains(&0) && cx.effects.exp(&first.exp) {
        return None;
    }
    let window = graph.window(producer, branch)?;
    let (first, mut stm) = (graph.take(producer)?, graph.take(branch)?);
    let mut at = 0;
    stm.exp.map_bodies(&mut |body| {
        if inside[at] > 0 {
            prepend(cx, body, &first);
        }
        at += 1;
    });
    cx.count_gone(&first);
    let own = first.exp.operator().unwrap_or("operator");
    let text = format!("{own}: moved into the branch that needs it");
    cx.remark(RemarkKind::Done, first.loc.as_ref(), stm.loc.as_ref(), text);
    Some(graph.merge(window, stm))
}

fn prepend(cx: &mut Cx<'_>, body: &mut Body, producer: &Stm) {
    let copy = copy_stm(producer, cx.vars);
    let new = copy.pat.iter().map(|var| Atom::Var(*var));
    let subst: Subst = producer.pat.iter().copied().zip(new).collect();
    subst_body(body, cx.vars, &subst);
    cx.copied(producer, &copy);
    for new in &copy.pat {
        for _ in 0..body_mentions(cx, body, &[*new]) {
            cx.counts.add(*new);
        }
    }
    body.stms.insert(0, copy);
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn alternatives(exp: &Exp) -> Option<Vec<&Body>> {
    match exp {
        Exp::If(_, bodies) => Some(bodies.iter().collect()),
        Exp::Switch(_, switch) => {
            Some(switch.cases.iter().map(|(_, body)| body).chain([&switch.default]).collect())
        }
        _ => None,
    }
}
