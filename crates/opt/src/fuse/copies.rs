//! Cheap maps are computed again for each of several operators that cannot be one.
//!
//! ```text
//! ys = map f xs                                       s = reduce op e (map f xs)
//! s = reduce op e ys                           ==>    zs = map (\y -> y / s) (map f xs)
//! zs = map (\y -> y / s) ys
//!
//! ys = map f xs;  a = ys[0:m];  b = ys[n-1:m:-1]      ==>   a = (map f xs)[0:m];  b = (map f xs)[n-1:m:-1]
//! ```
//!
//! Computing elements again is cheaper than storing them: what would read `ys` reads `xs` instead. Without this rule,
//! one of the operators would store `ys` for the others (`vertical`). The copies then become parts of what reads them,
//! with the help of `views` and `sink`.
//!
//! The conditions: the function is cheap, and reads elements of one or two arrays, which nothing changes and no
//! operator makes for it alone. All that needs the result are operators that read its elements at their positions,
//! slices for operators, and branches. And not all of these can be one operator: there is a path between them, or they
//! are of different kinds.
//!
//! Adjoints of reductions and scans are made of prefixes and suffixes, and of what comes after these.

use super::Cx;
use super::graph::{Graph, Node};
use super::mentions::all_mentions;
use super::vertical::parts;
use super::views::slice;
use fehu_facts::cost;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::pass::RemarkKind;
use fehu_ir::subst::{Subst, copy_lambda, subst_body, subst_stm};
use fehu_ir::{Atom, Exp, Stm, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A copy reads at most so many arrays, where it would have read one.
const MOST_INPUTS: usize = 2;

/// How a statement uses the result of a map.
#[derive(Clone, PartialEq, Debug)]
enum Use {
    /// An operator, element by element.
    Elements,
    Slice(Exp),
    Branch,
}

/// Copies the maps of a body that are better computed again; whether there was one.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let nodes = graph.nodes();
    let candidate = |node: &Node| Some((cheap(cx, graph, graph.stm(*node)?)?, *node));
    let maps: Vec<(Var, Node)> = nodes.iter().filter_map(candidate).collect();
    if maps.is_empty() {
        return false;
    }
    let mut changed = false;
    let wanted: FxHashSet<Var> = maps.iter().map(|(result, _)| *result).collect();
    let mut users: FxHashMap<Var, Vec<(Node, u32)>> = FxHashMap::default();
    let mut read: FxHashSet<Var> = FxHashSet::default();
    for node in &nodes {
        let Some(stm) = graph.stm(*node) else { continue };
        read.extend(parts(&stm.exp).iter().flat_map(|(_, inputs, _)| *inputs));
        for var in all_mentions(cx, stm).into_iter().filter(|var| wanted.contains(var)) {
            let all = users.entry(var).or_default();
            match all.last_mut() {
                Some((last, count)) if last == node => *count += 1,
                _ => all.push((*node, 1)),
            }
        }
    }
    // The last first: what is copied reads what was not copied yet.
    for (result, node) in maps.into_iter().rev() {
        let Some(users) = users.get(&result) else { continue };
        let total: u32 = users.iter().map(|(_, count)| *count).sum();
        let kind = |(user, count): &(Node, u32)| kind(cx, graph.stm(*user)?, result, *count, &read);
        let Some(kinds) = users.iter().map(kind).collect::<Option<Vec<Use>>>() else { continue };
        if total != cx.counts.get(result) || !graph.spend(16 * users.len()) {
            continue;
        }
        let mut groups: Vec<(&Use, Vec<Node>)> = Vec::new();
        for ((user, _), kind) in users.iter().zip(&kinds) {
            let fits = |(other, members): &&mut (&Use, Vec<Node>)| {
                *other == kind && members.iter().all(|member| are_one(graph, *member, *user))
            };
            match groups.iter_mut().find(fits) {
                Some((_, members)) => members.push(*user),
                None => groups.push((kind, vec![*user])),
            }
        }
        // One of the operators keeps it.
        let kept = groups.iter().position(|(kind, _)| **kind != Use::Branch).unwrap_or(0);
        let is_alone = groups.len() == 1;
        groups.remove(kept);
        let others: Vec<(Use, Vec<Node>)> =
            groups.into_iter().map(|(kind, members)| (kind.clone(), members)).collect();
        if is_alone {
            continue;
        }
        changed = true;
        let text = "computed again where it is needed, which is cheaper than storing it".to_owned();
        let loc = graph.stm(node).and_then(|stm| stm.loc.clone());
        cx.remark(RemarkKind::Done, loc.as_ref(), None, text);
        for (kind, members) in others {
            match kind {
                Use::Elements | Use::Slice(_) => {
                    copy(cx, graph, node, result, &members);
                }
                Use::Branch => {
                    for member in members {
                        copy_inside(cx, graph, node, result, member);
                    }
                }
            }
        }
    }
    changed
}

/// The result of a map that may be copied.
fn cheap(cx: &Cx<'_>, graph: &Graph, stm: &Stm) -> Option<Var> {
    let (Exp::Screma(op), [result]) = (&stm.exp, &stm.pat[..]) else { return None };
    let is_fixed = |var: &Var| !cx.vars[*var].ty.is_array() || cx.share.is_fixed(*var);
    // It would become a part of this map, if that stays one.
    let is_made_for_it = |input: &Var| {
        let maker = graph.binder(*input).and_then(|node| graph.stm(node));
        cx.counts.get(*input) == 1 && maker.is_some_and(|maker| maker.exp.operator().is_some())
    };
    let fits = op.folded() == 0
        && cx.counts.get(*result) > 1
        && (1..=MOST_INPUTS).contains(&op.inputs.len())
        && !op.inputs.iter().any(is_made_for_it)
        && op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)))
        && stm.attrs.is_empty()
        && cost::is_cheap(&op.map.body, cx.vars)
        && !op.map.body.stms.iter().any(|stm| matches!(stm.exp, Exp::Index(..)))
        && free_in_stm(stm, cx.vars).iter().all(is_fixed);
    fits.then_some(*result)
}

/// How a statement that mentions the result so often uses it, if it may use a copy.
fn kind(cx: &Cx<'_>, stm: &Stm, result: Var, count: u32, read: &FxHashSet<Var>) -> Option<Use> {
    if slice(cx, stm) == Some(result) {
        let is_read = stm.pat.iter().all(|var| read.contains(var));
        return is_read.then(|| Use::Slice(stm.exp.clone()));
    }
    if matches!(stm.exp, Exp::If(..) | Exp::Switch(..)) {
        return Some(Use::Branch);
    }
    let (_, inputs, _) = parts(&stm.exp)?;
    if inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let as_input = inputs.iter().filter(|input| **input == result).count();
    (u32::try_from(as_input) == Ok(count)).then_some(Use::Elements)
}

/// Whether two users of the same kind, in this order, may become one operator.
fn are_one(graph: &Graph, first: Node, second: Node) -> bool {
    let is_reduced = |node| {
        graph
            .stm(node)
            .is_some_and(|stm| matches!(&stm.exp, Exp::Screma(op) if !op.reds.is_empty()))
    };
    graph.between(first, second).is_empty() && !(graph.depends(second, first) && is_reduced(first))
}

/// A copy of a map, with variables of its own.
fn another(cx: &mut Cx<'_>, stm: &Stm, result: Var) -> (Stm, Subst) {
    let mut copy = stm.clone();
    if let Exp::Screma(op) = &mut copy.exp {
        op.map = copy_lambda(&op.map, cx.vars);
    }
    let ty = cx.vars[result].ty.clone();
    let array = cx.like("copy", ty, result);
    copy.pat = vec![array];
    (copy, [(result, Atom::Var(array))].into_iter().collect())
}

/// Gives some users a copy of the map.
fn copy(cx: &mut Cx<'_>, graph: &mut Graph, node: Node, result: Var, users: &[Node]) -> Option<()> {
    let stm = graph.stm(node)?.clone();
    let (copy, renamed) = another(cx, &stm, result);
    cx.copied(&stm, &copy);
    graph.insert_copy(node, copy, users);
    for user in users {
        let mut other = graph.take(*user)?;
        cx.count_gone(&other);
        subst_stm(&mut other, cx.vars, &renamed);
        cx.count_new(&other);
        graph.put(*user, other);
    }
    Some(())
}

/// Gives the alternatives of a branch copies of the map.
fn copy_inside(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    node: Node,
    result: Var,
    branch: Node,
) -> Option<()> {
    let stm = graph.stm(node)?.clone();
    let mut other = graph.take(branch)?;
    cx.count_gone(&other);
    other.exp.map_bodies(&mut |body| {
        if free_in_body(body, cx.vars).contains(&result) {
            let (copy, renamed) = another(cx, &stm, result);
            cx.joined(&stm, &copy);
            subst_body(body, cx.vars, &renamed);
            body.stms.insert(0, copy);
        }
    });
    cx.count_new(&other);
    graph.put(branch, other);
    graph.bypass(branch, node);
    Some(())
}
