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
//! For a device, inside of operators, chunks have a constant size, so that their arrays are in registers or close by:
//! one element, if the function only goes through its elements, or [`FEW`]; what remains is chunks of one element.
//!
//! Accumulators that are arrays are copied first, since the function may update them in place; so are the chunks of a
//! sequential stream if its function updates anything.

use fehu_base::IdVec;
use fehu_base::bug;
use fehu_facts::consumed_by;
use fehu_ir::builder::Builder;
use fehu_ir::pass::Pass;
use fehu_ir::subst::{Subst, copy_lambda, subst_body, subst_lambda, subst_type};
use fehu_ir::visit::{VisitMut, walk_body_mut, walk_exp_mut};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Lambda, LoopForm, LoopParam, Prog, Stm, Stream, StreamForm,
    Type, Var, VarInfo,
};

/// How many elements a chunk of a sequential stream has.
const CHUNK: i64 = 256;

/// How many a chunk has in a thread of a device that does something once for each chunk.
const FEW: i64 = 16;

/// The pass.
pub const UNSTREAM: Pass = Pass {
    name: "unstream",
    about: "turns streams into loops over chunks, or into a single chunk",
    run: |prog, _| run(prog, Sizes::Memory),
};

/// The pass for devices.
pub const GRID_UNSTREAM: Pass = Pass {
    name: "grid_unstream",
    about: "the same, with chunks in registers inside of operators",
    run: |prog, _| run(prog, Sizes::Registers),
};

/// For tests: sequential streams have chunks of one element.
pub const UNSTREAM_1: Pass = Pass {
    name: "unstream_1",
    about: "turns streams into loops over chunks of one element, for tests",
    run: |prog, _| run(prog, Sizes::Forced(1)),
};

/// For tests: of up to three.
pub const UNSTREAM_3: Pass = Pass {
    name: "unstream_3",
    about: "turns streams into loops over chunks of three elements, for tests",
    run: |prog, _| run(prog, Sizes::Forced(3)),
};

/// Where the chunks of sequential streams are to be.
#[derive(Clone, Copy)]
enum Sizes {
    /// In the cache.
    Memory,
    /// In registers, inside of operators.
    Registers,
    /// Anywhere: they have this many elements.
    Forced(i64),
}

fn run(prog: &mut Prog, sizes: Sizes) {
    prog.for_each_body(|prog, vars, body| {
        Unstream { prog, vars, sizes, inside: false }.body(body);
    });
}

struct Unstream<'a> {
    prog: &'a Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
    sizes: Sizes,
    /// Whether the code is inside of an operator.
    inside: bool,
}

impl VisitMut for Unstream<'_> {
    fn exp(&mut self, exp: &mut Exp) {
        let before = self.inside;
        self.inside |=
            exp.operator().is_some() && !matches!(exp, Exp::WithAcc(..) | Exp::Stream(_));
        walk_exp_mut(self, exp);
        self.inside = before;
    }

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
            StreamForm::Pass(_) => {
                bug("a pass over sequences is left, which `unpass` should have removed")
            }
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
        separate(self.vars, &mut body, results);
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

    /// Loops over chunks.
    fn chunks(&mut self, pat: &[Var], stream: Stream, out: &mut Vec<Stm>) {
        let size = self.size(&stream);
        let Stream { width, inputs, mut init, mut chunk, .. } = stream;
        separate(self.vars, &mut chunk.body, init.len());
        let mut outside = Builder::new(self.vars);
        for var in &pat[init.len()..] {
            let Type::Array(elem, shape) = outside.ty(*var).clone() else {
                bug("a result of a stream is no array");
            };
            init.push(outside.exp("out", Exp::Scratch(elem, shape)).into());
        }
        let rounded = match size {
            Size::UpTo(most) => {
                outside.exp("rounded", Exp::BinOp(BinOp::Add, width, Atom::i64(most - 1))).into()
            }
            Size::Exactly(_) => width,
        };
        let (Size::UpTo(most) | Size::Exactly(most)) = size;
        let count: Atom = match most {
            1 => width,
            _ => outside.exp("chunks", Exp::BinOp(BinOp::Quot, rounded, Atom::i64(most))).into(),
        };
        let first = Part { from: 0.into(), count, size };
        if let Size::UpTo(_) | Size::Exactly(1) = size {
            out.extend(outside.finish(Vec::new()).stms);
            return self.part(first, width, &inputs, (pat, init), chunk, out);
        }
        // What remains is chunks of one element.
        let from = outside.exp("covered", Exp::BinOp(BinOp::Mul, count, Atom::i64(most))).into();
        let count = outside.exp("rest", Exp::BinOp(BinOp::Sub, width, from)).into();
        let rest = Part { from, count, size: Size::Exactly(1) };
        let types: Vec<Type> = pat.iter().map(|var| outside.ty(*var).clone()).collect();
        let between: Vec<Var> = types.into_iter().map(|ty| outside.param("sofar", ty)).collect();
        out.extend(outside.finish(Vec::new()).stms);
        let again = copy_lambda(&chunk, self.vars);
        self.part(first, width, &inputs, (&between, init), chunk, out);
        let init = between.into_iter().map(Atom::Var).collect();
        self.part(rest, width, &inputs, (pat, init), again, out);
    }

    /// How large the chunks of a sequential stream are.
    fn size(&self, stream: &Stream) -> Size {
        let scalars = stream
            .init
            .iter()
            .all(|init| init.var().is_none_or(|var| !self.vars[var].ty.is_array()));
        match self.sizes {
            Sizes::Forced(size) => Size::UpTo(size),
            Sizes::Memory => Size::UpTo(CHUNK),
            Sizes::Registers if !self.inside => Size::UpTo(CHUNK),
            Sizes::Registers if scalars && treats_elements(&stream.chunk) => Size::Exactly(1),
            Sizes::Registers => Size::Exactly(FEW),
        }
    }

    /// A loop over some chunks.
    fn part(
        &mut self,
        part: Part,
        width: Atom,
        inputs: &[Var],
        (pat, init): (&[Var], Vec<Atom>),
        mut chunk: Lambda,
        out: &mut Vec<Stm>,
    ) {
        let accs = chunk.params.len() - 1 - inputs.len();
        let (Size::UpTo(most) | Size::Exactly(most)) = part.size;
        let mut size: Atom = chunk.params[0].into();
        if let Size::Exactly(exactly) = part.size {
            size = exactly.into();
            let subst: Subst = [(chunk.params[0], size)].into_iter().collect();
            for param in &chunk.params {
                subst_type(&mut self.vars[*param].ty, &subst);
            }
            subst_lambda(&mut chunk, self.vars, &subst);
        }
        let updates = !consumed_by(self.prog, &chunk).is_empty();
        let mut outside = Builder::new(self.vars);
        let mut params: Vec<LoopParam> = Vec::with_capacity(pat.len());
        for (index, (var, init)) in pat.iter().zip(init).enumerate() {
            let var = match index < accs {
                true => chunk.params[1 + index],
                false => {
                    let ty = outside.ty(*var).clone();
                    outside.param("out", ty)
                }
            };
            params.push(LoopParam { var, init });
        }
        let counter = outside.param("chunk", Type::I64);
        let outs: Vec<Var> = params[accs..].iter().map(|param| param.var).collect();
        let body = outside.body(|inside| {
            let low = match most {
                1 => counter,
                _ => inside.exp("low", Exp::BinOp(BinOp::Mul, counter.into(), Atom::i64(most))),
            };
            let low: Atom = match part.from {
                Atom::Const(_) => low.into(),
                Atom::Var(_) => {
                    inside.exp("low", Exp::BinOp(BinOp::Add, part.from, low.into())).into()
                }
            };
            if let Size::UpTo(_) = part.size {
                let rest = inside.exp("rest", Exp::BinOp(BinOp::Sub, width, low));
                let least = Exp::BinOp(BinOp::Min, rest.into(), Atom::i64(most));
                inside.stm(vec![chunk.params[0]], least);
            }
            let part = Dim::Slice { start: low, len: size, stride: 1.into() };
            for (param, input) in chunk.params[1 + accs..].iter().zip(inputs) {
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
        let form = LoopForm::For(counter, part.count);
        outside.stm(pat.to_vec(), Exp::Loop(params, form, Box::new(body)));
        out.extend(outside.finish(Vec::new()).stms);
    }
}

/// The results of a stream share memory with nothing: of the first results of a body, those that might are copied.
pub(crate) fn separate(vars: &mut IdVec<Var, VarInfo>, body: &mut Body, count: usize) {
    let makes_new = |exp: &Exp| matches!(exp, Exp::Screma(_) | Exp::Copy(_) | Exp::Replicate(..));
    for index in 0..count {
        let Atom::Var(var) = body.results[index] else { continue };
        if !vars[var].ty.is_array() {
            continue;
        }
        let is_new = body.stms.iter().any(|stm| stm.pat.contains(&var) && makes_new(&stm.exp));
        if is_new && !body.results[..index].contains(&Atom::Var(var)) {
            continue;
        }
        let info = vars[var].clone();
        let copy = vars.push(info);
        body.stms.push(Stm::new(vec![copy], Exp::Copy(var)));
        body.results[index] = Atom::Var(copy);
    }
}

/// Some chunks of a stream: the first element, how many chunks there are, and how large they are.
#[derive(Clone, Copy)]
struct Part {
    from: Atom,
    count: Atom,
    size: Size,
}

#[derive(Clone, Copy)]
enum Size {
    /// This many elements, of which the last chunk may have fewer.
    UpTo(i64),
    /// Exactly this many: arrays are of constant size.
    Exactly(i64),
}

/// Whether a function does nothing but go through the elements of its chunk: there is nothing that it does once for each chunk.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others cost no more than an element does")]
fn treats_elements(chunk: &Lambda) -> bool {
    let size = Atom::Var(chunk.params[0]);
    chunk.body.stms.iter().all(|stm| match &stm.exp {
        Exp::Screma(op) => op.width == size,
        Exp::Loop(_, LoopForm::For(_, bound), _) => *bound == size,
        exp => {
            let mut bodies = false;
            exp.for_each_body(&mut |_| bodies = true);
            !bodies && !matches!(exp, Exp::Call(..))
        }
    })
}
