//! Maps and reductions of concatenations are applied to the parts.
//!
//! ```text
//! xs = concat as bs                        ys1 = map f as cs[0:n]
//! ys = map f xs cs                 ==>     ys2 = map f bs cs[n:m]
//!                                          ys  = concat ys1 ys2
//!
//! s  = reduce (+) 0 (concat as bs) ==>     s1 = reduce (+) 0 as;  s2 = reduce (+) 0 bs;  s = s1 + s2
//! ```
//!
//! The concatenated array disappears, and each of the new operators can be fused with the producer of its part. The new
//! concatenation costs nothing if its parts are constructed where they finally belong. The function is duplicated,
//! although nothing is computed twice, so only functions of bounded size are copied, for few parts. Nothing else may
//! need the concatenation. The rule applies neither to scans, where the second part needs the last element of the
//! first, nor to histograms, which would clear and combine their copies more than once.

use super::Cx;
use super::graph::{Graph, Node};
use super::nest::consumes_shared;
use fehu_ir::builder::count_stms;
use fehu_ir::free::{bound_in_stm, free_in_stm};
use fehu_ir::pass::{OTHER, RemarkKind};
use fehu_ir::subst::{Subst, copy_lambda, subst_atom, subst_body};
use fehu_ir::{Atom, BinOp, Dim, Exp, Red, Screma, Stm, Type, Var};

/// The most parts.
const MAX_PARTS: usize = 4;

/// The most statements of a function that is copied.
const MAX_STMS: usize = 60;

/// Applies the rule wherever it can be; whether it could.
pub(super) fn reduce(cx: &mut Cx<'_>, graph: &mut Graph) -> bool {
    let mut changed = false;
    for node in graph.nodes() {
        changed |= split(cx, graph, node).is_some();
    }
    changed
}

fn split(cx: &mut Cx<'_>, graph: &mut Graph, node: Node) -> Option<()> {
    let stm = graph.stm(node)?;
    let Exp::Screma(op) = &stm.exp else { return None };
    let (whole, concat) = op.inputs.iter().find_map(|input| {
        let concat = graph.binder(*input)?;
        let Exp::Concat(_, parts) = &graph.stm(concat)?.exp else { return None };
        let times = op.inputs.iter().filter(|other| *other == input).count() as u32;
        let fits = (2..=MAX_PARTS).contains(&parts.len()) && cx.counts.get(*input) == times;
        fits.then_some((*input, concat))
    })?;
    let size = count_stms(&op.map.body);
    let scalars = |red: &Red| red.op.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
    if !op.scans.is_empty()
        || size > MAX_STMS
        || stm.pat.is_empty()
        || !op.reds.iter().all(scalars)
        || op.inputs.iter().any(|input| cx.is_acc(*input))
        || consumes_shared(cx, stm)
        || graph.clash(concat, node)
        || !graph.spend(64 + size)
    {
        return None;
    }
    let window = graph.window(concat, node)?;
    let (first, second) = (graph.take(concat)?, graph.take(node)?);
    let name = second.exp.operator().unwrap_or("operator");
    let text = format!("{name}: applied separately to the parts of the concatenation {OTHER}");
    let (loc, other) = (second.loc.clone(), first.loc.clone());
    cx.remark(RemarkKind::Done, loc.as_ref(), other.as_ref(), text);
    cx.count_gone(&first);
    cx.count_gone(&second);
    let mut stms = apart(cx, whole, first, second)?;
    let last = stms.pop()?;
    cx.count_new(&last);
    let node = graph.merge(window, last);
    for stm in stms {
        cx.count_new(&stm);
        let used = free_in_stm(&stm, cx.vars);
        graph.insert_using(node, stm, &used);
    }
    Some(())
}

/// The statements that compute what an operator on a concatenation does.
fn apart(cx: &mut Cx<'_>, whole: Var, concat: Stm, stm: Stm) -> Option<Vec<Stm>> {
    let (Exp::Concat(total, parts), Exp::Screma(op)) = (concat.exp, stm.exp) else { return None };
    let mut certs = stm.certs;
    for cert in concat.certs {
        if !certs.contains(&cert) {
            certs.push(cert);
        }
    }
    let mut make = Make {
        certs,
        like: Stm { exp: Exp::Atom(0.into()), certs: Vec::new(), ..stm },
        stms: Vec::new(),
    };
    let mut results: Vec<Vec<Var>> = Vec::new();
    let mut start = Atom::i64(0);
    for (number, part) in parts.iter().enumerate() {
        let len = *cx.vars[*part].ty.shape().first()?;
        let mut inputs = Vec::with_capacity(op.inputs.len());
        for input in &op.inputs {
            let slice = vec![Dim::Slice { start, len, stride: 1.into() }];
            inputs.push(match *input {
                input if input == whole => *part,
                input => make.view(cx, input, len, slice),
            });
        }
        results.push(make.operator(cx, &op, number == 0, len, inputs));
        if number + 1 < parts.len() {
            start = make.sum(cx, start, len);
        }
    }
    let mut at = 0;
    for red in &op.reds {
        let range = at..at + red.neutral.len();
        make.combine(cx, red, &results, range.clone());
        at = range.end;
    }
    for index in at..make.like.pat.len() {
        let parts = results.iter().map(|vars| vars[index]).collect();
        let pat = vec![make.like.pat[index]];
        make.push(pat, Exp::Concat(total, parts));
    }
    Some(make.stms)
}

/// What is made.
struct Make {
    certs: Vec<Var>,
    /// What binds the results, for its attributes and its place.
    like: Stm,
    stms: Vec<Stm>,
}

impl Make {
    fn push(&mut self, pat: Vec<Var>, exp: Exp) {
        let (certs, loc) = (self.certs.clone(), self.like.loc.clone());
        self.stms.push(Stm { certs, loc, ..Stm::new(pat, exp) });
    }

    fn view(&mut self, cx: &mut Cx<'_>, input: Var, len: Atom, slice: Vec<Dim>) -> Var {
        let ty = resized(&cx.vars[input].ty, len);
        let view = cx.like("part", ty, input);
        self.push(vec![view], Exp::Index(input, slice));
        view
    }

    fn sum(&mut self, cx: &mut Cx<'_>, start: Atom, len: Atom) -> Atom {
        if start == Atom::i64(0) {
            return len;
        }
        let next = cx.fresh("start", Type::I64);
        self.push(vec![next], Exp::BinOp(BinOp::Add, start, len));
        next.into()
    }

    /// The operator on a part; its results.
    fn operator(
        &mut self,
        cx: &mut Cx<'_>,
        op: &Screma,
        own: bool,
        width: Atom,
        inputs: Vec<Var>,
    ) -> Vec<Var> {
        let mut pat = Vec::with_capacity(self.like.pat.len());
        for (index, var) in self.like.pat.iter().enumerate() {
            let info = cx.vars[*var].clone();
            let ty = if index < op.folded() { info.ty } else { resized(&info.ty, width) };
            pat.push(cx.fresh(&info.hint, ty));
        }
        let mut copy = Screma { width, inputs, ..op.clone() };
        // The functions themselves are used once.
        if !own {
            copy.map = copy_lambda(&op.map, cx.vars);
            for red in &mut copy.reds {
                red.op = copy_lambda(&red.op, cx.vars);
            }
        }
        for (old, new) in bound(op).into_iter().zip(bound(&copy)) {
            cx.share.join(old, new);
        }
        for (result, var) in op.map.body.results[op.folded()..].iter().zip(&pat[op.folded()..]) {
            if let Atom::Var(result) = result {
                cx.may_share(*result, *var);
            }
        }
        self.push(pat.clone(), Exp::Screma(Box::new(copy)));
        if let Some(stm) = self.stms.last_mut() {
            stm.attrs = self.like.attrs.clone();
        }
        pat
    }

    /// The values of all parts, combined in order.
    fn combine(
        &mut self,
        cx: &mut Cx<'_>,
        red: &Red,
        results: &[Vec<Var>],
        range: std::ops::Range<usize>,
    ) {
        let mut sofar: Vec<Atom> =
            results[0][range.clone()].iter().map(|var| (*var).into()).collect();
        for part in &results[1..] {
            let mut op = copy_lambda(&red.op, cx.vars);
            let values =
                sofar.iter().copied().chain(part[range.clone()].iter().map(|var| (*var).into()));
            let subst: Subst = op.params.iter().copied().zip(values).collect();
            subst_body(&mut op.body, cx.vars, &subst);
            for mut stm in op.body.stms {
                stm.certs.extend_from_slice(&self.certs);
                self.stms.push(stm);
            }
            sofar = op.body.results.iter().map(|atom| subst_atom(*atom, &subst)).collect();
        }
        let pat = self.like.pat[range].to_vec();
        for (var, value) in pat.into_iter().zip(sofar) {
            self.push(vec![var], Exp::Atom(value));
        }
    }
}

/// The variables that the functions of an operator bind.
fn bound(op: &Screma) -> Vec<Var> {
    let exp = Exp::Screma(Box::new(op.clone()));
    bound_in_stm(&Stm::new(Vec::new(), exp))
}

/// The type of an array with another outermost size.
fn resized(ty: &Type, len: Atom) -> Type {
    let Type::Array(elem, shape) = ty else { return ty.clone() };
    let mut shape = shape.clone();
    if let Some(first) = shape.first_mut() {
        *first = len;
    }
    Type::array(*elem, shape)
}
