//! Filters become part of what reads their result.
//!
//! A filter is a [`Partition`] into one class, and the first elements of its arrays, as many as there are:
//!
//! ```text
//! (k, ys) = partition n (xs) 1 p      -- p yields 0 for what is kept, and the elements
//! zs = index ys[0:k:1]
//! ```
//!
//! What is applied to just the arrays `zs`, and yields no array of its own, can be applied to all of `xs` instead, with a
//! contribution that changes nothing where an element is not kept:
//!
//! * reductions: `reduce op e (map f zs)` is `reduce op e (map (\x -> if p x then f x else e) xs)`, because the
//!   neutral element changes nothing;
//! * histograms and scatters: an index of -1, which is ignored, and any value;
//! * filters: a class of -1, which is dropped, and any elements.
//!
//! The function is evaluated only for what is kept, as before, so that its checks fail as before. The number `k` and the
//! arrays may be needed by others; then the filter stays, and the rule applies only if its function is cheap.

use super::Cx;
use super::graph::{Graph, Node};
use super::mentions::{mentions, stm_mentions};
use super::vertical::parts;
use fehu_base::bug;
use fehu_facts::cost;
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{OTHER, RemarkKind};
use fehu_ir::subst::{Subst, copy_lambda, subst_body};
use fehu_ir::{
    Atom, Body, CmpOp, Dim, Elem, Exp, Hist, Lambda, Partition, Scalar, Scatter, Screma, Stm, Type,
    Var, VarInfo,
};

/// Applies the rule wherever it can be; whether it was.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let mut changed = false;
    for node in graph.nodes() {
        changed |= fuse(cx, graph, node).is_some();
    }
    changed
}

fn fuse(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> Option<()> {
    let found = find(cx, graph, node)?;
    if graph.clash(found.filter, node) {
        return None;
    }
    let first = graph.stm(found.filter)?;
    let Exp::Partition(op) = &first.exp else { return None };
    let free = free_in_stm(first, cx.vars);
    let readable = |var: &Var| !cx.vars[*var].ty.is_array() || cx.share.is_fixed(*var);
    if !free.iter().all(readable) || free.iter().any(|var| cx.is_acc(*var)) {
        return None;
    }
    if !found.goes_away(cx, graph, node) && !cost::is_cheap(&op.map.body, cx.vars) {
        return None;
    }
    let op = Partition { map: copy_lambda(&op.map, cx.vars), ..(**op).clone() };
    let first = Stm { pat: Vec::new(), ..first.clone() };
    let copy = Stm { exp: Exp::Partition(Box::new(op)), ..first.clone() };
    cx.copied(&first, &copy);
    let Exp::Partition(op) = copy.exp else { return None };
    let (first, stm) = (graph.stm(found.filter)?, graph.stm(node)?);
    let (certs, other, loc) = (first.certs.clone(), first.loc.clone(), stm.loc.clone());
    let own = stm.exp.operator().unwrap_or("operator");
    let mut stm = graph.take(node)?;
    if let Some((_, inputs, _)) = parts(&stm.exp) {
        inputs.iter().for_each(|input| cx.counts.drop(*input));
    }
    apply(cx, &mut stm, *op, &found.elements);
    certs.into_iter().for_each(|cert| {
        if !stm.certs.contains(&cert) {
            stm.certs.push(cert);
        }
    });
    graph.depend(node, found.filter);
    graph.put(node, stm);
    let text = format!("{own}: fused with the filter {OTHER}");
    cx.remark(RemarkKind::Done, loc.as_ref(), other.as_ref(), text);
    let text = format!("filter: fused into the {own} {OTHER}");
    cx.remark(RemarkKind::Done, other.as_ref(), loc.as_ref(), text);
    Some(())
}

/// A filter whose kept elements an operator reads.
struct Found {
    filter: Node,
    /// The statements that take the kept elements.
    slices: Vec<Node>,
    /// For each input of the operator which element of the filter's function it is.
    elements: Vec<usize>,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others use all elements")]
fn find(cx: &Cx<'_>, graph: &Graph, node: Node) -> Option<Found> {
    let stm = graph.stm(node)?;
    let (width, inputs, _) = parts(&stm.exp)?;
    let contributes = match &stm.exp {
        Exp::Screma(op) => op.scans.is_empty() && op.folded() == op.map.ret.len(),
        // Its arrays have another size afterwards; nobody must see that.
        Exp::Partition(op) => stm.pat[op.classes..].iter().all(|var| only_sliced(cx, graph, *var)),
        // Its pieces are counted.
        Exp::Flatmap(_) => false,
        _ => true,
    };
    let count = width.var().filter(|_| contributes)?;
    let filter = graph.binder(count)?;
    let first = graph.stm(filter)?;
    let Exp::Partition(op) = &first.exp else { return None };
    if op.classes != 1 || first.pat[0] != count || inputs.is_empty() {
        return None;
    }
    let mut found = Found { filter, slices: Vec::new(), elements: Vec::new() };
    for input in inputs {
        let slice = graph.binder(*input)?;
        let Exp::Index(array, dims) = &graph.stm(slice)?.exp else { return None };
        let (start, stride) = (Atom::i64(0), Atom::i64(1));
        if dims[..] != [Dim::Slice { start, len: width, stride }] {
            return None;
        }
        found.elements.push(first.pat[1..].iter().position(|var| var == array)?);
        found.slices.push(slice);
    }
    found.slices.sort_unstable();
    found.slices.dedup();
    // The operator's function must not look at the filter's arrays in another way.
    let inputs = mentions(cx, &stm.exp, inputs) == inputs.len();
    let count_once = mentions(cx, &stm.exp, &[count]) == 1;
    (inputs && count_once && mentions(cx, &stm.exp, &first.pat[1..]) == 0).then_some(found)
}

impl Found {
    /// Whether nobody needs the filter once the operator does without it.
    fn goes_away(&self, cx: &Cx<'_>, graph: &Graph, node: Node) -> bool {
        let Some(first) = graph.stm(self.filter) else { return false };
        let stms = || self.slices.iter().chain([&node]).filter_map(|node| graph.stm(*node));
        let here = |var: &Var| stms().map(|stm| stm_mentions(cx, stm, &[*var])).sum::<usize>();
        let slices = self.slices.iter().filter_map(|node| graph.stm(*node));
        let bound = slices.flat_map(|stm| &stm.pat);
        first.pat.iter().chain(bound).all(|var| cx.counts.get(*var) as usize == here(var))
    }
}

/// Whether all uses of an array are slices of its outermost dimension.
fn only_sliced(cx: &Cx<'_>, graph: &Graph, array: Var) -> bool {
    // Filters of filters are few, so that looking at all statements is no harm.
    let sliced = graph.nodes().into_iter().filter_map(|node| graph.stm(node)).filter(|stm| {
        matches!(&stm.exp, Exp::Index(of, dims)
            if *of == array && matches!(dims.first(), Some(Dim::Slice { .. })))
    });
    sliced.count() == cx.counts.get(array) as usize
}

/// Makes an operator do without a filter. `elements` says what its inputs are.
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
fn apply(cx: &mut Cx<'_>, stm: &mut Stm, filter: Partition, elements: &[usize]) {
    let Partition { width, inputs, map, .. } = filter;
    let mut neutral = Vec::new();
    match &stm.exp {
        Exp::Screma(op) => neutral.extend(op.reds.iter().flat_map(|red| &red.neutral)),
        Exp::Hist(op) => {
            let indices = op.ops.iter().map(|op| op.shape.len()).sum();
            neutral.resize(indices, Atom::i64(-1));
            neutral.extend(op.ops.iter().flat_map(|op| &op.neutral));
        }
        Exp::Scatter(op) => {
            let indices = op.dests.iter().map(|(shape, _)| shape.len()).sum();
            neutral.resize(indices, Atom::i64(-1));
        }
        Exp::Partition(_) => neutral.push(Atom::i64(-1)),
        other => bug(format_args!("a filter cannot become part of {other:?}")),
    }
    match &mut stm.exp {
        Exp::Screma(op) => {
            let map = conditional(cx, map, &op.map, elements, neutral);
            **op = Screma { width, inputs, map, ..(**op).clone() };
        }
        Exp::Hist(op) => {
            let map = conditional(cx, map, &op.map, elements, neutral);
            **op = Hist { width, inputs, map, ..(**op).clone() };
        }
        Exp::Scatter(op) => {
            let map = conditional(cx, map, &op.map, elements, neutral);
            **op = Scatter { width, inputs, map, ..(**op).clone() };
        }
        Exp::Partition(op) => {
            let map = conditional(cx, map, &op.map, elements, neutral);
            let classes = op.classes;
            **op = Partition { width, classes, inputs, map };
            for var in &stm.pat[classes..] {
                if let Type::Array(_, shape) = &mut cx.vars[*var].ty {
                    shape[0] = width;
                }
            }
        }
        other => bug(format_args!("a filter cannot become part of {other:?}")),
    }
}

/// `\x -> let (class, y) = filter x in if class == 0 then f y else neutral`; values that are missing in `neutral` do
/// not matter.
fn conditional(
    cx: &mut Cx<'_>,
    filter: Lambda,
    f: &Lambda,
    elements: &[usize],
    mut neutral: Vec<Atom>,
) -> Lambda {
    let Lambda { params, mut body, .. } = filter;
    let mut yes = f.body.clone();
    let mut subst = Subst::default();
    for (param, element) in f.params.iter().zip(elements) {
        let mut value = body.results[1 + element];
        if let (Atom::Var(row), true) = (value, cx.vars[*param].ty.is_array()) {
            // The function may consume its parameter.
            let info = cx.vars[row].clone();
            let copy = cx.vars.push(info);
            cx.share.join(copy, *param);
            cx.counts.add(row);
            yes.stms.insert(0, Stm::new(vec![copy], Exp::Copy(row)));
            value = Atom::Var(copy);
        }
        cx.stands_for(value, *param);
        subst.insert(*param, value);
    }
    subst_body(&mut yes, cx.vars, &subst);
    let mut no = Vec::new();
    for ty in &f.ret[neutral.len()..] {
        neutral.push(nothing(cx, &mut no, ty));
    }
    let keep = cx.vars.push(VarInfo { hint: "keep".into(), ty: Type::BOOL });
    let class = Exp::CmpOp(CmpOp::Eq, body.results[0], Atom::i64(0));
    body.stms.push(Stm::new(vec![keep], class));
    let pat: Vec<Var> = (f.ret.iter())
        .map(|ty| cx.vars.push(VarInfo { hint: "x".into(), ty: ty.clone() }))
        .collect();
    let no = Body { stms: no, results: neutral };
    body.stms.push(Stm::new(pat.clone(), Exp::If(Atom::Var(keep), Box::new([yes, no]))));
    body.results = pat.into_iter().map(Atom::Var).collect();
    Lambda { params, body, ret: f.ret.clone() }
}

/// A value that does not matter.
fn nothing(cx: &mut Cx<'_>, stms: &mut Vec<Stm>, ty: &Type) -> Atom {
    match ty {
        Type::Scalar(Elem::Prim(prim)) => Atom::Const(Scalar::zero(*prim)),
        Type::Scalar(Elem::Unit) | Type::Acc(_) => Atom::Const(Scalar::Unit),
        Type::Array(elem, shape) => {
            let var = cx.vars.push(VarInfo { hint: "none".into(), ty: ty.clone() });
            stms.push(Stm::new(vec![var], Exp::Scratch(*elem, shape.clone())));
            Atom::Var(var)
        }
    }
}
