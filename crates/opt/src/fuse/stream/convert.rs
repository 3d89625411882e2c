//! Map, reduce and scan as streams.
//!
//! ```text
//! map f b         ==>  stream_map (\bc -> map f bc) b
//! reduce op e b   ==>  stream_red op (\a bc -> reduce op a bc) e b
//! reduce op e b   ==>  stream_seq (\a bc -> a op reduce op e bc) e b
//! scan op e b     ==>  stream_seq (\a bc -> let xc = scan op e bc
//!                                           let yc = map (\x -> a op x) xc
//!                                           in (last yc, yc)) e b
//! ```
//!
//! and all of these at once. In a parallel stream every chunk starts from `e`, so that `a` is the neutral element and can
//! take its place. In a sequential one it is not, and other rules rely on the neutral element of a reduction, so it
//! is combined with the accumulator afterwards. A chunk is never empty, so that it has a last element.

use super::super::Cx;
use super::compose::product;
use super::{Kind, Part};
use fehu_ir::free::bound_in_lambda;
use fehu_ir::subst::{Subst, copy_lambda, subst_body};
use fehu_ir::{
    Atom, BinOp, Dim, Exp, Lambda, Red, Scan, Screma, Stm, Stream, StreamForm, Type, Var, VarInfo,
};

/// The statement's operator as a stream of a kind; a stream as it is.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
pub(super) fn convert(cx: &mut Cx<'_>, kind: Kind, stm: Stm) -> Option<Part> {
    let Stm { pat, attrs, loc, exp, .. } = stm;
    let op = match exp {
        Exp::Stream(stream) => {
            let ordered = match &stream.form {
                StreamForm::Map | StreamForm::Seq | StreamForm::Pass(_) => true,
                StreamForm::Red(_, commutative) => !commutative,
            };
            return Some(Part { pat, stream: *stream, ordered });
        }
        Exp::Screma(op) => *op,
        _ => return None,
    };
    let chunk = Chunk::new(cx, &op);
    let bound = chunk.operator(cx, &pat, &op);
    let stm = Stm { pat: bound.clone(), certs: Vec::new(), attrs, loc, exp: Exp::Atom(0.into()) };
    Some(match kind {
        Kind::Parallel => chunk.parallel(cx, pat, op, (stm, bound)),
        Kind::Seq => chunk.sequential(cx, pat, op, (stm, bound)),
    })
}

/// A chunk function in the making.
struct Chunk {
    size: Var,
    /// The parameters for the accumulators.
    accs: Vec<Var>,
    /// The parameters for the chunks.
    chunks: Vec<Var>,
    /// What is bound: the accumulators, then the arrays.
    pat: (Vec<Var>, Vec<Var>),
    /// The results, likewise.
    results: (Vec<Atom>, Vec<Atom>),
    stms: Vec<Stm>,
}

impl Chunk {
    fn new(cx: &mut Cx<'_>, op: &Screma) -> Chunk {
        let size = cx.vars.push(VarInfo { hint: "m".into(), ty: Type::I64 });
        let mut chunks = Vec::with_capacity(op.inputs.len());
        for input in &op.inputs {
            let ty = resized(&cx.vars[*input].ty, size);
            let chunk = cx.vars.push(VarInfo { ty, ..cx.vars[*input].clone() });
            cx.may_share(chunk, *input);
            chunks.push(chunk);
        }
        Chunk {
            size,
            accs: Vec::new(),
            chunks,
            pat: Default::default(),
            results: Default::default(),
            stms: Vec::new(),
        }
    }

    /// Variables for the operator's results in a chunk.
    fn operator(&self, cx: &mut Cx<'_>, pat: &[Var], op: &Screma) -> Vec<Var> {
        let total = op.scanned()..op.folded();
        let bound = pat.iter().enumerate();
        bound
            .map(|(index, var)| {
                let ty = &cx.vars[*var].ty;
                let ty = if total.contains(&index) { ty.clone() } else { resized(ty, self.size) };
                like(cx, *var, ty)
            })
            .collect()
    }

    fn parallel(
        mut self,
        cx: &mut Cx<'_>,
        pat: Vec<Var>,
        op: Screma,
        (mut stm, bound): (Stm, Vec<Var>),
    ) -> Part {
        let ordered = op.reds.iter().any(|red| !red.commutative);
        let combine = op.reds.iter().map(|red| copy(cx, &red.op)).reduce(product);
        let form = combine.map_or(StreamForm::Map, |op| StreamForm::Red(op, !ordered));
        let (mut reds, mut init) = (op.reds, Vec::new());
        for red in &mut reds {
            for (neutral, ty) in red.neutral.iter_mut().zip(&red.op.ret) {
                let acc = self.acc(cx, *neutral, ty);
                if let Atom::Const(_) = neutral {
                    cx.neutral.insert(acc, *neutral);
                }
                init.push(std::mem::replace(neutral, Atom::Var(acc)));
            }
        }
        let folded = init.len();
        for (index, (outside, inside)) in pat.into_iter().zip(bound).enumerate() {
            let accumulated = index < folded;
            self.result(accumulated, outside, inside.into());
        }
        stm.exp = self.inner(op.map, op.scans, reds);
        self.stms.push(stm);
        self.finish(cx, (op.width, op.inputs), form, init, ordered)
    }

    fn sequential(
        mut self,
        cx: &mut Cx<'_>,
        pat: Vec<Var>,
        op: Screma,
        (mut stm, bound): (Stm, Vec<Var>),
    ) -> Part {
        let (scanned, folded) = (op.scanned(), op.folded());
        let (scans, mut reds) = (op.scans.clone(), op.reds.clone());
        let mut init = Vec::new();
        // A neutral element that has become an accumulator before is known to be a constant.
        for neutral in reds.iter_mut().flat_map(|red| &mut red.neutral) {
            init.push(*neutral);
            let known = neutral.var().and_then(|var| cx.neutral.get(&var));
            *neutral = known.copied().unwrap_or(*neutral);
        }
        stm.exp = self.inner(op.map, op.scans, reds);
        self.stms.push(stm);
        let mut at = scanned;
        for red in &op.reds {
            let parts = at..at + red.neutral.len();
            at = parts.end;
            let accs = self.accs(cx, &init[parts.start - scanned..parts.end - scanned], &red.op);
            let operands: Vec<Var> =
                accs.into_iter().chain(bound[parts.clone()].to_vec()).collect();
            let results = self.apply(cx, &red.op, &operands);
            for (outside, result) in pat[parts].iter().zip(results) {
                self.result(true, *outside, result);
            }
        }
        let mut at = 0;
        for scan in &scans {
            let parts = at..at + scan.neutral.len();
            at = parts.end;
            init.extend_from_slice(&scan.neutral);
            let accs = self.accs(cx, &scan.neutral, &scan.op);
            let arrays = self.offset(cx, scan, &accs, &bound[parts.clone()]);
            for (outside, array) in pat[parts].iter().zip(arrays) {
                let last = self.last(cx, array);
                let total = like(cx, last, cx.vars[last].ty.clone());
                self.result(true, total, last.into());
                self.result(false, *outside, array.into());
            }
        }
        for (outside, inside) in pat.into_iter().zip(bound).skip(folded) {
            self.result(false, outside, inside.into());
        }
        for ((var, acc), init) in self.pat.0.iter().zip(&self.accs).zip(&init) {
            // The last accumulator may be the first one.
            cx.may_share(*var, *acc);
            if let Atom::Var(init) = init {
                cx.may_share(*acc, *init);
            }
        }
        self.finish(cx, (op.width, op.inputs), StreamForm::Seq, init, true)
    }

    /// The operator, on the chunk.
    fn inner(&self, map: Lambda, scans: Vec<Scan>, reds: Vec<Red>) -> Exp {
        let (width, inputs) = (Atom::Var(self.size), self.chunks.clone());
        Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }))
    }

    fn acc(&mut self, cx: &mut Cx<'_>, neutral: Atom, ty: &Type) -> Var {
        let acc = cx.vars.push(VarInfo { hint: "acc".into(), ty: ty.clone() });
        if let Atom::Var(neutral) = neutral {
            cx.may_share(acc, neutral);
        }
        self.accs.push(acc);
        acc
    }

    fn accs(&mut self, cx: &mut Cx<'_>, neutral: &[Atom], op: &Lambda) -> Vec<Var> {
        neutral.iter().zip(&op.ret).map(|(neutral, ty)| self.acc(cx, *neutral, ty)).collect()
    }

    fn result(&mut self, accumulated: bool, outside: Var, inside: Atom) {
        let (pat, results) = if accumulated {
            (&mut self.pat.0, &mut self.results.0)
        } else {
            (&mut self.pat.1, &mut self.results.1)
        };
        pat.push(outside);
        results.push(inside);
    }

    /// The operator applied to operands.
    fn apply(&mut self, cx: &mut Cx<'_>, op: &Lambda, operands: &[Var]) -> Vec<Atom> {
        let mut op = copy(cx, op);
        let subst = substitution(&op.params, operands);
        subst_body(&mut op.body, cx.vars, &subst);
        self.stms.append(&mut op.body.stms);
        op.body.results
    }

    /// `map (\x -> a op x) arrays`
    fn offset(&mut self, cx: &mut Cx<'_>, scan: &Scan, accs: &[Var], arrays: &[Var]) -> Vec<Var> {
        let Lambda { params, mut body, ret } = copy(cx, &scan.op);
        let (left, right) = params.split_at(accs.len());
        subst_body(&mut body, cx.vars, &substitution(left, accs));
        let map = Lambda { params: right.to_vec(), body, ret };
        let pat: Vec<Var> =
            arrays.iter().map(|array| like(cx, *array, cx.vars[*array].ty.clone())).collect();
        let (width, inputs) = (Atom::Var(self.size), arrays.to_vec());
        let op = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        self.stms.push(Stm::new(pat.clone(), Exp::Screma(Box::new(op))));
        pat
    }

    /// The last element of an array of the chunk's size.
    fn last(&mut self, cx: &mut Cx<'_>, array: Var) -> Var {
        let at = cx.vars.push(VarInfo { hint: "last".into(), ty: Type::I64 });
        let exp = Exp::BinOp(BinOp::Sub, Atom::Var(self.size), Atom::i64(1));
        self.stms.push(Stm::new(vec![at], exp));
        let row = cx.vars[array].ty.row().unwrap_or(Type::CERT);
        let last = like(cx, array, row);
        self.stms.push(Stm::new(vec![last], Exp::Index(array, vec![Dim::Fix(at.into())])));
        last
    }

    fn finish(
        self,
        cx: &Cx<'_>,
        (width, inputs): (Atom, Vec<Var>),
        form: StreamForm,
        init: Vec<Atom>,
        ordered: bool,
    ) -> Part {
        let (accs, arrays) = (self.pat.0.iter(), self.pat.1.iter());
        let arrays = arrays.map(|var| resized(&cx.vars[*var].ty, self.size));
        let ret = accs.map(|var| cx.vars[*var].ty.clone()).chain(arrays).collect();
        let params = [&[self.size][..], &self.accs, &self.chunks].concat();
        let results = [self.results.0, self.results.1].concat();
        let body = fehu_ir::Body { stms: self.stms, results };
        let chunk = Lambda { params, body, ret };
        let pat = [self.pat.0, self.pat.1].concat();
        Part { pat, stream: Stream { width, inputs, form, init, chunk }, ordered }
    }
}

/// A type of arrays with another outermost size.
fn resized(ty: &Type, size: Var) -> Type {
    ty.row().and_then(|row| row.array_of(Atom::Var(size))).unwrap_or_else(|| ty.clone())
}

/// A variable for the same thing or a part of it, that may share its memory.
fn like(cx: &mut Cx<'_>, var: Var, ty: Type) -> Var {
    let new = cx.vars.push(VarInfo { ty, ..cx.vars[var].clone() });
    cx.may_share(new, var);
    new
}

/// A copy of an operator.
fn copy(cx: &mut Cx<'_>, op: &Lambda) -> Lambda {
    let new = copy_lambda(op, cx.vars);
    for (old, new) in bound_in_lambda(op).into_iter().zip(bound_in_lambda(&new)) {
        cx.may_share(old, new);
    }
    new
}

fn substitution(params: &[Var], operands: &[Var]) -> Subst {
    params.iter().copied().zip(operands.iter().map(|var| Atom::Var(*var))).collect()
}
