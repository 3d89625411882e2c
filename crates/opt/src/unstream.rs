//! `unstream`: streams become plain code, for machines that execute chunks one after the other.
//!
//! The chunks of a parallel stream may be cut in any way: here there is a single chunk, the whole input, unless it is
//! empty. A sequential stream becomes a loop over chunks of [`CHUNK`] elements, small enough for the arrays between its
//! operators to stay in the cache, and large enough to make the overhead of their loops negligible.
//!
//! ```text
//! (s, ys) = stream n (xs) seq init (a) chunk (\m acc c -> body in (acc', y))
//! ==>
//! (s, ys) = loop (acc = a, out = scratch) for k < (n + CHUNK - 1) / CHUNK do
//!             m = min CHUNK (n - k*CHUNK)
//!             c = xs[k*CHUNK : m]
//!             body
//!             out' = out with [k*CHUNK : m] = y
//!             in (acc', out')
//! ```
//!
//! Accumulators that are arrays are copied first, since the function may update them in place; so are the chunks of a
//! sequential stream if its function updates anything.

use fehu_base::IdVec;
use fehu_base::bug;
use fehu_facts::consumed_by;
use fehu_ir::builder::Builder;
use fehu_ir::pass::Pass;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, LoopForm, LoopParam, Prog, Stm, Stream, StreamForm, Type,
    Var, VarInfo,
};

/// How many elements a chunk of a sequential stream has.
const CHUNK: i64 = 256;

/// The pass.
pub const UNSTREAM: Pass = Pass {
    name: "unstream",
    about: "turns streams into loops over chunks, or into a single chunk",
    run: |prog, _| prog.for_each_body(|prog, vars, body| Unstream { prog, vars }.body(body)),
};

struct Unstream<'a> {
    prog: &'a Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Unstream<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| matches!(stm.exp, Exp::Stream(_))) {
            return;
        }
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            match stm.exp {
                Exp::Stream(stream) => self.stream(&stm.pat, *stream, &mut out),
                exp => out.push(Stm { exp, ..stm }),
            }
        }
        body.stms = out;
    }
}

impl Unstream<'_> {
    fn stream(&mut self, pat: &[Var], mut stream: Stream, out: &mut Vec<Stm>) {
        for init in &mut stream.init {
            if let Atom::Var(var) = *init
                && self.vars[var].ty.is_array()
            {
                let mut builder = Builder::new(self.vars);
                let copy = builder.exp("acc", Exp::Copy(var));
                out.extend(builder.finish(Vec::new()).stms);
                *init = Atom::Var(copy);
            }
        }
        match stream.form {
            StreamForm::Map | StreamForm::Red(..) => self.whole(pat, stream, out),
            StreamForm::Seq => self.chunks(pat, stream, out),
        }
    }

    /// One chunk, if there is an element.
    fn whole(&mut self, pat: &[Var], stream: Stream, out: &mut Vec<Stm>) {
        let inputs = stream.inputs.iter().copied().map(Atom::Var);
        let args = std::iter::once(stream.width).chain(stream.init.iter().copied()).chain(inputs);
        let subst: Subst = stream.chunk.params.iter().copied().zip(args).collect();
        let mut body = stream.chunk.body;
        subst_body(&mut body, self.vars, &subst);
        let results = body.results.len();
        self.separate(&mut body, results);
        let mut outside = Builder::new(self.vars);
        let some = outside.exp("some", Exp::CmpOp(CmpOp::Lt, 0.into(), stream.width));
        let nothing = outside.body(|inside| {
            let mut results = stream.init;
            for var in &pat[results.len()..] {
                let Type::Array(elem, shape) = inside.ty(*var).clone() else {
                    bug("a result of a stream is no array");
                };
                results.push(inside.exp("none", Exp::Scratch(elem, shape)).into());
            }
            results
        });
        outside.stm(pat.to_vec(), Exp::If(some.into(), Box::new([body, nothing])));
        out.extend(outside.finish(Vec::new()).stms);
    }

    /// The results of a stream share memory with nothing: of the first results of a body, those that might are copied.
    fn separate(&mut self, body: &mut Body, count: usize) {
        let makes_new =
            |exp: &Exp| matches!(exp, Exp::Screma(_) | Exp::Copy(_) | Exp::Replicate(..));
        for index in 0..count {
            let Atom::Var(var) = body.results[index] else { continue };
            if !self.vars[var].ty.is_array() {
                continue;
            }
            let is_new = body.stms.iter().any(|stm| stm.pat.contains(&var) && makes_new(&stm.exp));
            if is_new && !body.results[..index].contains(&Atom::Var(var)) {
                continue;
            }
            let info = self.vars[var].clone();
            let copy = self.vars.push(info);
            body.stms.push(Stm::new(vec![copy], Exp::Copy(var)));
            body.results[index] = Atom::Var(copy);
        }
    }

    /// A loop over chunks.
    fn chunks(&mut self, pat: &[Var], stream: Stream, out: &mut Vec<Stm>) {
        let Stream { width, inputs, init, mut chunk, .. } = stream;
        let accs = init.len();
        self.separate(&mut chunk.body, accs);
        let updates = !consumed_by(self.prog, &chunk).is_empty();
        let mut outside = Builder::new(self.vars);
        let rounded = outside.exp("rounded", Exp::BinOp(BinOp::Add, width, Atom::i64(CHUNK - 1)));
        let count = Exp::BinOp(BinOp::Quot, rounded.into(), Atom::i64(CHUNK));
        let count = outside.exp("chunks", count);
        let mut params: Vec<LoopParam> = Vec::with_capacity(pat.len());
        for (param, init) in chunk.params[1..=accs].iter().zip(init) {
            params.push(LoopParam { var: *param, init });
        }
        for var in &pat[accs..] {
            let Type::Array(elem, shape) = outside.ty(*var).clone() else {
                bug("a result of a stream is no array");
            };
            let scratch = outside.exp("out", Exp::Scratch(elem, shape.clone()));
            let param = outside.param("out", Type::Array(elem, shape));
            params.push(LoopParam { var: param, init: scratch.into() });
        }
        let counter = outside.param("chunk", Type::I64);
        let outs: Vec<Var> = params[accs..].iter().map(|param| param.var).collect();
        let body = outside.body(|inside| {
            let low = inside.exp("low", Exp::BinOp(BinOp::Mul, counter.into(), Atom::i64(CHUNK)));
            let rest = inside.exp("rest", Exp::BinOp(BinOp::Sub, width, low.into()));
            let least = Exp::BinOp(BinOp::Min, rest.into(), Atom::i64(CHUNK));
            inside.stm(vec![chunk.params[0]], least);
            let part =
                Dim::Slice { start: low.into(), len: chunk.params[0].into(), stride: 1.into() };
            for (param, input) in chunk.params[1 + accs..].iter().zip(&inputs) {
                let view = Exp::Index(*input, vec![part.clone()]);
                if updates {
                    // What a loop did not make it cannot update.
                    let view = inside.exp("view", view);
                    inside.stm(vec![*param], Exp::Copy(view));
                } else {
                    inside.stm(vec![*param], view);
                }
            }
            for stm in std::mem::take(&mut chunk.body.stms) {
                inside.push(stm);
            }
            let mut results = chunk.body.results[..accs].to_vec();
            for (out, value) in outs.iter().zip(&chunk.body.results[accs..]) {
                let mut dims = vec![part.clone()];
                for size in inside.ty(*out).shape().to_vec().into_iter().skip(1) {
                    dims.push(Dim::Slice { start: 0.into(), len: size, stride: 1.into() });
                }
                results.push(inside.exp("out", Exp::Update(*out, dims, *value)).into());
            }
            results
        });
        outside.stm(
            pat.to_vec(),
            Exp::Loop(params, LoopForm::For(counter, count.into()), Box::new(body)),
        );
        out.extend(outside.finish(Vec::new()).stms);
    }
}
