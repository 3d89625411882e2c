//! Nests of two operators, and swapping them.
//!
//! A nest is an operator whose function is just one map, over an inner width that is the same for all positions. Its
//! reductions and scans, if there are any, have operators that are just a map over both their operands:
//!
//! ```text
//! y = screma n (xss, a) map (\xs s -> map (\x b -> f x b s) xs bs) red (map2 g) ne
//! ==>
//! y = screma w (transpose xss, bs, ne) map (\col b e -> screma n (col, a) map (\x s -> f x b s) red g e)
//! ```
//!
//! Rows of inputs become rows of transposed inputs, arrays from outside become inputs of the outer operator, and
//! scalars of the outer one inputs of the inner one (for scans on devices also rows that the function reads as a
//! whole). Reductions are as before; scans and plain results come out transposed. The functions are applied to the same
//! elements as before, and operands are combined in the same order.

use super::Cx;
use super::graph::{Graph, Node};
use fehu_facts::consumed;
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::{Atom, Body, Exp, Lambda, Red, Scan, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// A nest, as found.
pub(super) struct Nest {
    outer: Screma,
    /// The map inside; one that does nothing if the function is the identity.
    inner: Screma,
    /// Which result of the inner map a result of the function is.
    results: Vec<usize>,
    /// The outer function's scalars that the inner one uses, and whole rows.
    scalars: Vec<usize>,
    /// The operators of scans and reductions, for elements.
    ops: Vec<Lambda>,
    /// What stands before the inner map, and is the same for all positions.
    before: Vec<Stm>,
    /// The certificates of everything.
    certs: Vec<Var>,
    /// Whether the function is the identity.
    pub(super) identity: bool,
}

/// A nest whose operators have been swapped.
pub(super) struct Swapped {
    /// The new operator, with the results of the old one, and its certificates.
    pub(super) exp: Exp,
    pub(super) certs: Vec<Var>,
    /// The types of the results.
    pub(super) types: Vec<Type>,
    /// Views of the inputs, to stand before it.
    pub(super) views: Vec<Stm>,
    /// The transpositions that it does without: it reads what they look at.
    pub(super) without: Vec<Node>,
}

/// The nest that a statement is, if it is one that can be swapped.
pub(super) fn nest(cx: &mut Cx<'_>, stm: &Stm) -> Option<Nest> {
    let Exp::Screma(outer) = &stm.exp else { return None };
    if !stm.attrs.is_empty() || outer.inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let mut certs = stm.certs.clone();
    let identity = outer.map.body.stms.is_empty();
    let (before, inner, results) = if identity {
        (Vec::new(), identity_map(cx, outer)?, (0..outer.map.ret.len()).collect())
    } else {
        let (before, inner, results) = only_map(cx, &outer.map, &mut certs)?;
        (before.to_vec(), inner.clone(), results)
    };
    let params = &outer.map.params;
    let is_param = |atom: Atom| atom.var().is_some_and(|var| params.contains(&var));
    if is_param(inner.width) || certs.iter().any(|cert| is_param((*cert).into())) {
        return None;
    }
    let free = free_in_lambda(&inner.map, cx.vars);
    let scalars: Vec<usize> =
        (0..params.len()).filter(|index| free.contains(&params[*index])).collect();
    let is_row = |index: &usize| cx.vars[params[*index]].ty.is_array();
    if scalars.iter().any(is_row) && (!cx.columns || outer.scans.is_empty()) {
        return None;
    }
    let mut ops = Vec::new();
    let mut neutral = Vec::new();
    let scans = outer.scans.iter().map(|scan| (&scan.op, &scan.neutral));
    for (op, start) in scans.chain(outer.reds.iter().map(|red| (&red.op, &red.neutral))) {
        ops.push(element_operator(cx, op, inner.width, &mut certs)?);
        neutral.extend(start);
    }
    if neutral.iter().any(|start: &&Atom| start.var().is_none_or(|var| !cx.vars[var].ty.is_array()))
    {
        return None;
    }
    if consumes_shared(cx, stm) {
        return None;
    }
    // Neither operator is left without inputs.
    let rows = inner.inputs.iter().any(|input| params.contains(input));
    let fits = rows && outer.map.ret.iter().all(|ty| ty.shape().first() == Some(&inner.width));
    let outer = (**outer).clone();
    fits.then_some(Nest { outer, inner, results, scalars, ops, before, certs, identity })
}

impl Nest {
    /// The number of reductions' and scans' parts.
    pub(super) fn folded(&self) -> usize {
        self.outer.folded()
    }

    /// Whether there are scans.
    pub(super) fn scans(&self) -> bool {
        !self.outer.scans.is_empty()
    }

    /// The inner width, which becomes the outer one.
    pub(super) fn width(&self) -> Atom {
        self.inner.width
    }

    /// Whether a result comes out transposed.
    pub(super) fn transposed(&self, index: usize) -> bool {
        index < self.outer.scanned() || index >= self.outer.folded()
    }

    /// The inputs whose rows are read.
    pub(super) fn rows(&self) -> Vec<Var> {
        let params = &self.outer.map.params;
        let at = |input: &Var| params.iter().position(|param| param == input);
        self.inner.inputs.iter().filter_map(at).map(|index| self.outer.inputs[index]).collect()
    }

    /// The function of elements and for each of its parameters the input of which it gets elements of rows, if all
    /// it gets are such elements, and its results are scalars.
    pub(super) fn elements(self) -> Option<(Vec<Var>, Lambda)> {
        let rows = self.rows();
        let Lambda { params, mut body, ret } = self.inner.map;
        let scalar = ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        if rows.len() != params.len() || !self.scalars.is_empty() || !scalar || !self.ops.is_empty()
        {
            return None;
        }
        body.results = self.results.iter().map(|index| body.results[*index]).collect();
        let ret = self.results.iter().map(|index| ret[*index].clone()).collect();
        Some((rows, Lambda { params, body, ret }))
    }

    /// The certificates of the operator and of what is in it.
    pub(super) fn certs(&self) -> &[Var] {
        &self.certs
    }

    /// Swaps the operators.
    pub(super) fn swap(self, cx: &mut Cx<'_>, graph: &Graph) -> Swapped {
        let Nest { outer, inner, results, scalars, ops, before, certs, .. } = self;
        let (folded, scanned) = (outer.folded(), outer.scanned());
        let mut views = before;
        let mut without = Vec::new();
        let (mut wide, mut wide_params) = (Vec::new(), Vec::new());
        let (mut deep, mut deep_params) = (Vec::new(), Vec::new());
        let mut columns: FxHashMap<usize, Var> = FxHashMap::default();
        for (input, param) in inner.inputs.iter().zip(&inner.map.params) {
            let Some(index) = outer.map.params.iter().position(|row| row == input) else {
                wide.push(*input);
                wide_params.push(*param);
                continue;
            };
            let column = *columns.entry(index).or_insert_with(|| {
                let array = outer.inputs[index];
                let source = match transposition(cx, graph, array) {
                    Some((node, source)) => {
                        without.push(node);
                        source
                    }
                    None => transpose(cx, array, &mut views),
                };
                let ty = cx.vars[*param].ty.array_of(outer.width).unwrap_or(Type::CERT);
                let column = cx.like("col", ty, array);
                wide.push(source);
                wide_params.push(column);
                column
            });
            deep.push(column);
            deep_params.push(*param);
        }
        for index in scalars {
            deep.push(outer.inputs[index]);
            deep_params.push(outer.map.params[index]);
        }
        let mut start = |cx: &mut Cx<'_>, atoms: Vec<Atom>| -> Vec<Atom> {
            let vars = atoms.into_iter().filter_map(Atom::var);
            vars.map(|array| {
                let ty = cx.vars[array].ty.row().unwrap_or(Type::CERT);
                let element = cx.like("ne", ty, array);
                wide.push(array);
                wide_params.push(element);
                Atom::Var(element)
            })
            .collect()
        };
        let mut ops = ops.into_iter();
        let scans = (outer.scans.into_iter().zip(ops.by_ref()))
            .map(|(scan, op)| Scan { op, neutral: start(cx, scan.neutral) })
            .collect();
        let reds = (outer.reds.into_iter().zip(ops))
            .map(|(red, op)| Red { op, neutral: start(cx, red.neutral), ..red })
            .collect();
        let mut body = inner.map.body;
        body.results = results.iter().map(|index| body.results[*index]).collect();
        let elements: Vec<Type> =
            results.iter().map(|index| inner.map.ret[*index].clone()).collect();
        let array = |ty: &Type, size: Atom| ty.array_of(size).unwrap_or(Type::CERT);
        let rows: Vec<Type> = (elements.iter().enumerate())
            .map(|(index, ty)| match (scanned..folded).contains(&index) {
                true => ty.clone(),
                false => array(ty, outer.width),
            })
            .collect();
        let types = rows.iter().map(|ty| array(ty, inner.width)).collect();
        let map = Lambda { params: deep_params, body, ret: elements };
        let inside = Screma { width: outer.width, inputs: deep, map, scans, reds };
        let pat: Vec<Var> = rows.iter().map(|ty| cx.fresh("row", ty.clone())).collect();
        let atoms = pat.iter().map(|var| Atom::Var(*var)).collect();
        let stm = Stm::new(pat, Exp::Screma(Box::new(inside)));
        let body = Body { stms: vec![stm], results: atoms };
        let map = Lambda { params: wide_params, body, ret: rows };
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width: inner.width, inputs: wide, map, scans, reds };
        Swapped { exp: Exp::Screma(Box::new(op)), certs, types, views, without }
    }
}

/// Whether a statement swaps the two outermost dimensions of an array, and nothing else.
pub(super) fn is_transposition(exp: &Exp) -> Option<Var> {
    let Exp::Rearrange(array, perm) = exp else { return None };
    let swaps = perm.len() > 1 && perm[0] == 1 && perm[1] == 0;
    let rest = perm.iter().enumerate().skip(2).all(|(index, dim)| index == *dim);
    (swaps && rest).then_some(*array)
}

/// The transposition that an array is, and what it looks at.
pub(super) fn transposition(cx: &Cx<'_>, graph: &Graph, array: Var) -> Option<(Node, Var)> {
    let node = graph.binder(array)?;
    let stm = graph.stm(node)?;
    let source = is_transposition(&stm.exp)?;
    let (from, to) = (cx.vars[source].ty.shape(), cx.vars[array].ty.shape());
    (stm.certs.is_empty() && from[..2] == [to[1], to[0]]).then_some((node, source))
}

/// The type with the two outermost dimensions swapped.
pub(super) fn swapped_type(ty: &Type) -> Type {
    let mut ty = ty.clone();
    if let Type::Array(_, shape) = &mut ty
        && shape.len() > 1
    {
        shape.swap(0, 1);
    }
    ty
}

/// The expression that swaps the two outermost dimensions of an array.
pub(super) fn swap_dims(cx: &Cx<'_>, array: Var) -> Exp {
    let mut perm: Vec<usize> = (0..cx.vars[array].ty.rank()).collect();
    perm.swap(0, 1);
    Exp::Rearrange(array, perm)
}

/// Whether a statement consumes anything but arrays of its own.
pub(super) fn consumes_shared(cx: &Cx<'_>, stm: &Stm) -> bool {
    let consumed = consumed(cx.prog, stm);
    if consumed.is_empty() {
        return false;
    }
    let mut shared = free_in_stm(stm, cx.vars);
    if let Exp::Screma(op) = &stm.exp {
        let ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        shared.extend(ops.flat_map(|op| &op.params));
    }
    shared.retain(|var| !matches!(cx.vars[*var].ty, Type::Scalar(_)));
    consumed.iter().any(|var| shared.iter().any(|other| cx.share.may_share(*var, *other)))
}

fn transpose(cx: &mut Cx<'_>, array: Var, views: &mut Vec<Stm>) -> Var {
    let ty = swapped_type(&cx.vars[array].ty);
    let var = cx.like("tr", ty, array);
    views.push(Stm::new(vec![var], swap_dims(cx, array)));
    var
}

/// The map that a function consists of, and which of its results the function's results are. Before it may be numbers
/// that are the same for all positions, if rows become columns.
fn only_map<'a>(
    cx: &Cx<'_>,
    lambda: &'a Lambda,
    certs: &mut Vec<Var>,
) -> Option<(&'a [Stm], &'a Screma, Vec<usize>)> {
    let (stm, before) = lambda.body.stms.split_last()?;
    let is_same = |stm: &Stm| {
        matches!(stm.exp, Exp::Iota(..))
            && stm.certs.is_empty()
            && free_in_stm(stm, cx.vars).iter().all(|var| !lambda.params.contains(var))
    };
    if !(before.is_empty() || cx.columns && before.iter().all(is_same)) {
        return None;
    }
    let Exp::Screma(inner) = &stm.exp else { return None };
    if inner.folded() > 0 || !stm.attrs.is_empty() {
        return None;
    }
    if inner.inputs.iter().any(|input| cx.is_acc(*input)) {
        return None;
    }
    let results: Option<Vec<usize>> = (lambda.body.results.iter())
        .map(|result| stm.pat.iter().position(|var| Atom::Var(*var) == *result))
        .collect();
    for cert in &stm.certs {
        if !certs.contains(cert) {
            certs.push(*cert);
        }
    }
    Some((before, inner, results?))
}

/// The map inside a function that is the identity, or yields some of its parameters.
fn identity_map(cx: &mut Cx<'_>, outer: &Screma) -> Option<Screma> {
    if outer.folded() == 0 {
        return None;
    }
    let width = outer.map.ret.first().and_then(|ty| ty.shape().first().copied())?;
    let mut inputs: Vec<Var> = Vec::new();
    let mut elements: Vec<Var> = Vec::new();
    let mut results: Vec<Atom> = Vec::new();
    let mut ret: Vec<Type> = Vec::new();
    for result in &outer.map.body.results {
        let row = result.var().filter(|var| outer.map.params.contains(var))?;
        let ty = cx.vars[row].ty.row()?;
        let known = inputs.iter().position(|input| *input == row);
        let at = known.unwrap_or_else(|| {
            inputs.push(row);
            elements.push(cx.like("x", ty.clone(), row));
            inputs.len() - 1
        });
        results.push(elements[at].into());
        ret.push(ty);
    }
    let map = Lambda { params: elements, body: Body::of(results), ret };
    let (scans, reds) = (Vec::new(), Vec::new());
    Some(Screma { width, inputs, map, scans, reds })
}

/// The operator for elements of an operator that is a map over both its operands.
fn element_operator(cx: &Cx<'_>, op: &Lambda, width: Atom, certs: &mut Vec<Var>) -> Option<Lambda> {
    let ([], inner, results) = only_map(cx, op, certs)? else { return None };
    let free = free_in_lambda(&inner.map, cx.vars);
    let shared = op.params.iter().any(|param| free.contains(param));
    if inner.width != width || shared || inner.inputs.len() != op.params.len() {
        return None;
    }
    let params: Option<Vec<Var>> = (op.params.iter())
        .map(|param| {
            let index = inner.inputs.iter().position(|input| input == param)?;
            Some(inner.map.params[index])
        })
        .collect();
    let mut body = inner.map.body.clone();
    body.results = results.iter().map(|index| body.results[*index]).collect();
    let ret = results.iter().map(|index| inner.map.ret[*index].clone()).collect();
    Some(Lambda { params: params?, body, ret })
}

impl Cx<'_> {
    /// A new variable with memory of its own.
    pub(super) fn fresh(&mut self, hint: &str, ty: Type) -> Var {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        self.share.join(var, var);
        var
    }
}
