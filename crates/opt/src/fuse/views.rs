//! Views between operators are moved to the inputs of the first one.
//!
//! ```text
//! ys = map (map f) xss;  zs = transpose ys      ==>   zs = map (map f) (transpose xss)
//! ys = map (map f) xss;  zs = reshape (k) ys    ==>   zs = map f (reshape (k) xss)
//! ys = map f xs;  zs = reshape (n, m) ys        ==>   zs = map (map f) (reshape (n, m) xs)
//! ys = map f xs;  zs = ys[s:l:d]                ==>   zs = map f (xs[s:l:d])
//! ```
//!
//! A consumer of `zs` then reads the operator's own result, and the two can be fused. The conditions: nothing else
//! needs any of the operator's results, all of which go through the same view, and an operator reads one of the views.
//! For several slices, `copies` makes that so.
//!
//! * Transpositions, of the two outermost dimensions: any [nest](super::nest). Reductions in the nest are not affected,
//!   and scans whose operators are maps become maps of scans.
//! * Flattening: a nest of two maps whose inner function uses only elements of rows, and returns scalars. Reshapes to
//!   several dimensions: a map with scalar results, which becomes an equally deep nest. The results must be scalars,
//!   because otherwise the number of positions might change where a row is empty.
//! * Slices: a map that cannot fail, because some of its positions are no longer evaluated.
//!
//! New statements rely on the certificates of the view. Views only move upwards, and every move is charged to the
//! graph's budget. If the first operator is not a nest, `interchange` may move the view behind the second one.
//!
//! Concatenations are in `parts`. `iota` and `replicate` need no memory in the end, and `simplify` takes care of them.

use super::graph::{Graph, Node};
use super::nest::{consumes_shared, is_transposition, nest};
use super::vertical::parts;
use super::{Cx, interchange};
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Atom, Body, Dim, Elem, Exp, Lambda, Screma, Stm, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Moves all views that can be, and interchanges nests; whether there was one.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let nodes = graph.nodes();
    // The views of operators' results, and the arrays that operators read.
    let mut views: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
    let mut read: FxHashSet<Var> = FxHashSet::default();
    for node in &nodes {
        let Some(stm) = graph.stm(*node) else { continue };
        if let Some((_, inputs, _)) = parts(&stm.exp) {
            read.extend(inputs);
        }
        if let Some((array, _)) = view(cx, &stm.exp)
            && let Some(producer) = graph.binder(array)
        {
            views.entry(producer).or_default().push(*node);
        }
    }
    let mut changed = false;
    for node in &nodes {
        let views = views.get(node).map_or(&[][..], |views| views);
        changed |=
            pull(cx, graph, *node, views, &read).is_some() || interchange::reduce(cx, graph, *node);
    }
    // The other rules look at everything again.
    changed && graph.spend(nodes.len())
}

/// What a view does.
#[derive(Clone, PartialEq, Debug)]
enum View {
    Transpose,
    Reshape(Vec<Atom>),
    /// Of the outermost dimension.
    Slice(Dim),
}

impl View {
    /// The new shape of the positions, unless they are only reordered.
    fn positions(&self) -> Option<Vec<Atom>> {
        match self {
            View::Transpose | View::Slice(Dim::Fix(_)) => None,
            View::Reshape(shape) => Some(shape.clone()),
            View::Slice(Dim::Slice { len, .. }) => Some(vec![*len]),
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no views")]
fn view(cx: &Cx<'_>, exp: &Exp) -> Option<(Var, View)> {
    if let Some(array) = is_transposition(exp) {
        return Some((array, View::Transpose));
    }
    match exp {
        Exp::Reshape(array, shape) => Some((*array, View::Reshape(shape.clone()))),
        Exp::Index(array, dims) => {
            let (first, rest) = dims.split_first()?;
            let sizes = cx.vars[*array].ty.shape().get(1..)?;
            let whole = |(dim, size): (&Dim, &Atom)| {
                *dim == Dim::Slice { start: 0.into(), len: *size, stride: 1.into() }
            };
            let slice = matches!(first, Dim::Slice { .. }) && rest.iter().zip(sizes).all(whole);
            slice.then(|| (*array, View::Slice(first.clone())))
        }
        _ => None,
    }
}

/// The array that a statement is a slice of.
pub(super) fn slice(cx: &Cx<'_>, stm: &Stm) -> Option<Var> {
    let (array, kind) = view(cx, &stm.exp)?;
    matches!(kind, View::Slice(_)).then_some(array)
}

fn pull(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    node: Node,
    views: &[Node],
    read: &FxHashSet<Var>,
) -> Option<()> {
    let stm = graph.stm(node)?;
    let Exp::Screma(op) = &stm.exp else { return None };
    let mut kind = None;
    let mut seen: Vec<(Var, Node)> = Vec::new();
    let mut wanted = false;
    for node in views {
        let Some(stm) = graph.stm(*node) else { continue };
        let (array, this) = view(cx, &stm.exp)?;
        if *kind.get_or_insert_with(|| this.clone()) != this {
            return None;
        }
        wanted |= stm.pat.iter().any(|var| read.contains(var));
        seen.push((array, *node));
    }
    let kind = kind.filter(|_| wanted)?;
    let reduced = op.scanned()..op.folded();
    let only_viewed = stm.pat.iter().enumerate().all(|(index, var)| match cx.counts.get(*var) {
        0 => true,
        _ if kind == View::Transpose && reduced.contains(&index) => {
            seen.iter().all(|(array, _)| array != var)
        }
        uses => uses == 1 && seen.iter().any(|(array, _)| array == var),
    });
    let (loc, other) = (graph.stm(seen[0].1)?.loc.clone(), stm.loc.clone());
    if !only_viewed || !graph.spend(64) {
        return None;
    }
    match kind.positions() {
        None => transpose(cx, graph, node)?,
        Some(shape) => rebuild(cx, graph, node, &seen, (&kind, &shape))?,
    }
    // What was a view is the result itself now.
    for (array, view) in seen {
        let Some(mut stm) = graph.take(view) else { continue };
        stm.exp = Exp::Atom(array.into());
        graph.put(view, stm);
        absorb(cx, graph, node, view, array);
    }
    let text = "applies a view to its inputs instead of its result".to_owned();
    cx.remark(RemarkKind::Done, other.as_ref(), loc.as_ref(), text);
    Some(())
}

/// Makes an operator bind the name that a statement gives to one of its results; if something is in the way, the
/// statement stays.
fn absorb(cx: &mut Cx<'_>, graph: &mut Graph, node: Node, name: Node, array: Var) -> Option<()> {
    let window = graph.window(node, name)?;
    let (mut stm, other) = (graph.take(node)?, graph.take(name)?);
    cx.count_gone(&stm);
    cx.count_gone(&other);
    for var in &mut stm.pat {
        if *var == array {
            *var = other.pat[0];
        }
    }
    add_certs(&mut stm.certs, &other.certs);
    cx.count_new(&stm);
    graph.merge(window, stm);
    Some(())
}

/// Interchanges a nest; its scans and plain results have swapped dimensions then.
fn transpose(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> Option<()> {
    let nest = nest(cx, graph.stm(node)?)?;
    let old = graph.take(node)?;
    cx.count_gone(&old);
    let swapped = nest.swap(cx, graph);
    for (var, ty) in old.pat.iter().zip(swapped.types) {
        cx.vars[*var].ty = ty;
    }
    let stm = Stm { exp: swapped.exp, certs: swapped.certs, ..old };
    interchange::install(cx, graph, node, stm, swapped.views, &swapped.without);
    Some(())
}

/// Applies a map to views of its inputs.
fn rebuild(
    cx: &mut Cx<'_>,
    graph: &mut Graph,
    node: Node,
    seen: &[(Var, Node)],
    (kind, shape): (&View, &[Atom]),
) -> Option<()> {
    let stm = graph.stm(node)?;
    let (array, last) = *seen.first()?;
    let above = graph.stm(last)?.certs.clone();
    let relies = |(_, view): &(Var, Node)| {
        graph.stm(*view).is_some_and(|view| view.certs.iter().all(|cert| above.contains(cert)))
    };
    if !stm.attrs.is_empty() || !seen.iter().all(relies) || consumes_shared(cx, stm) {
        return None;
    }
    let Plan { inputs, map, depth, mut certs } = plan(cx, stm, kind)?;
    // The sizes that the view mentions must be there, and its checks made.
    let window = graph.window(node, last)?;
    let (mut old, name) = (graph.take(node)?, graph.take(last)?);
    cx.count_gone(&old);
    cx.count_gone(&name);
    add_certs(&mut certs, &name.certs);
    let mut views: Vec<Stm> = Vec::new();
    let mut known: FxHashMap<Var, Var> = FxHashMap::default();
    let mut arrays = Vec::new();
    for input in inputs {
        let new = *known.entry(input).or_insert_with(|| {
            let ty = viewed_type(&cx.vars[input].ty, depth, shape);
            let exp = match kind {
                View::Reshape(_) | View::Transpose => Exp::Reshape(input, ty.shape().to_vec()),
                View::Slice(dim) => Exp::Index(input, vec![dim.clone()]),
            };
            let new = cx.like("view", ty, input);
            let stm = Stm::new(vec![new], exp);
            views.push(Stm { certs: certs.clone(), loc: name.loc.clone(), ..stm });
            new
        });
        arrays.push(new);
    }
    for var in &mut old.pat {
        cx.vars[*var].ty = viewed_type(&cx.vars[*var].ty, depth, shape);
        if *var == array {
            *var = name.pat[0];
        }
    }
    let exp = deep(cx, shape, arrays, map);
    let stm = Stm { exp, certs, ..old };
    cx.count_new(&stm);
    graph.merge(window, stm);
    for view in views {
        cx.count_new(&view);
        graph.insert(node, view);
    }
    Some(())
}

/// How an operator is applied to views of its inputs.
struct Plan {
    inputs: Vec<Var>,
    map: Lambda,
    /// How many dimensions the positions had until now.
    depth: usize,
    certs: Vec<Var>,
}

fn plan(cx: &mut Cx<'_>, stm: &Stm, kind: &View) -> Option<Plan> {
    let Exp::Screma(op) = &stm.exp else { return None };
    if op.folded() > 0 || op.inputs.is_empty() || op.inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let flat = |op: &Screma| Plan {
        inputs: op.inputs.clone(),
        map: op.map.clone(),
        depth: 1,
        certs: stm.certs.clone(),
    };
    match kind {
        View::Transpose => None,
        View::Slice(_) => (!cx.effects.body(&op.map.body)).then(|| flat(op)),
        View::Reshape(_) if op.map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_))) => {
            Some(flat(op))
        }
        View::Reshape(_) => {
            let nest = nest(cx, stm)?;
            let certs = nest.certs().to_vec();
            let (inputs, map) = nest.elements()?;
            Some(Plan { inputs, map, depth: 2, certs })
        }
    }
}

/// The type of the same view of another array; `depth` dimensions are those of the positions, and have this shape now.
fn viewed_type(ty: &Type, depth: usize, shape: &[Atom]) -> Type {
    let Type::Array(elem, old) = ty else { return ty.clone() };
    let mut shape = shape.to_vec();
    shape.extend_from_slice(old.get(depth..).unwrap_or(&[]));
    Type::array(*elem, shape)
}

/// A function, applied to all elements of arrays of this shape.
fn deep(cx: &mut Cx<'_>, shape: &[Atom], inputs: Vec<Var>, map: Lambda) -> Exp {
    let (Some((width, rest)), scans, reds) = (shape.split_first(), Vec::new(), Vec::new()) else {
        // The views have one dimension at least.
        return Exp::Atom(0.into());
    };
    let width = *width;
    if rest.is_empty() {
        return Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
    }
    let mut params = Vec::new();
    for input in &inputs {
        let ty = cx.vars[*input].ty.row().unwrap_or(Type::CERT);
        params.push(cx.like("row", ty, *input));
    }
    let rows = |ty: &Type| Type::array(ty.elem().unwrap_or(Elem::Unit), rest.to_vec());
    let ret: Vec<Type> = map.ret.iter().map(rows).collect();
    let pat: Vec<Var> = ret.iter().map(|ty| cx.fresh("row", ty.clone())).collect();
    let results = pat.iter().map(|var| Atom::Var(*var)).collect();
    let inner = deep(cx, rest, params.clone(), map);
    let body = Body { stms: vec![Stm::new(pat, inner)], results };
    let map = Lambda { params, body, ret };
    Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }))
}

fn add_certs(certs: &mut Vec<Var>, more: &[Var]) {
    for cert in more {
        if !certs.contains(cert) {
            certs.push(*cert);
        }
    }
}
