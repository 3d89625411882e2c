//! `unpass`: passes over sequences become plain code, with all of a sequence as one chunk.
//!
//! ```text
//! (sum, k, ys) = stream n (xs) pass init (s) chunk (\m last acc c -> body in (acc', m', y))
//! ==>
//! body[m := n, last := true, acc := s, c := xs]
//! sum = acc'
//! k = m'
//! ys = y
//! ```
//!
//! That is right because the results of a pass do not depend on how its inputs are cut. It comes before all other
//! passes: what is left are operators like any others, which are fused and parallelised. Sequences then have to fit in
//! memory; what is executed chunk by chunk, the pass `steps` has taken out before. What a pass would notice when it
//! reads its inputs is checked: that they have the same length, and that pieces are all there.

use crate::unstream::separate;
use fehu_base::{IdVec, bug};
use fehu_ir::builder::Builder;
use fehu_ir::pass::Pass;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_exp};
use fehu_ir::{
    Atom, BinOp, Body, Check, CheckPart, CmpOp, Dim, Exp, Loc, Pieces, Prog, Red, Screma, Stm,
    Stream, StreamForm, Type, Var, VarInfo,
};

/// The pass.
pub const UNPASS: Pass = Pass {
    name: "unpass",
    about: "turns passes over sequences into code for one chunk",
    run: |prog, _| {
        prog.for_each_body(|_, vars, body| Unpass { vars }.body(body));
    },
};

/// Whether a program has passes over sequences.
pub fn has_passes(prog: &Prog) -> bool {
    struct Find(bool);
    impl Visit for Find {
        fn exp(&mut self, exp: &Exp) {
            self.0 |= is_pass(exp);
            walk_exp(self, exp);
        }
    }
    let mut find = Find(false);
    for (_, fun) in prog.funs.iter() {
        find.body(&fun.body);
    }
    for (_, constant) in prog.consts.iter() {
        find.body(&constant.body);
    }
    find.0
}

fn is_pass(exp: &Exp) -> bool {
    matches!(exp, Exp::Stream(stream) if stream.is_pass())
}

struct Unpass<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
}

impl VisitMut for Unpass<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        if !body.stms.iter().any(|stm| is_pass(&stm.exp)) {
            return;
        }
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            match stm.exp {
                Exp::Stream(stream) if stream.is_pass() => {
                    self.once(&stm.pat, *stream, stm.loc, &mut out);
                }
                exp => out.push(Stm { exp, ..stm }),
            }
        }
        body.stms = out;
    }
}

impl Unpass<'_> {
    fn once(&mut self, pat: &[Var], stream: Stream, loc: Option<Loc>, out: &mut Vec<Stm>) {
        let mut outside = Builder::new(self.vars);
        outside.set_loc(loc.clone());
        let mut args = vec![stream.width, Atom::bool(true)];
        args.extend(own_accs(&mut outside, &stream.init));
        for input in &stream.inputs {
            args.push(in_step(&mut outside, *input, stream.width, loc.as_ref()));
        }
        let StreamForm::Pass(pieces) = &stream.form else { bug("only passes are read at once") };
        for piece in pieces {
            whole_pieces(&mut outside, piece, stream.width, loc.as_ref(), &mut args);
        }
        out.extend(outside.finish(Vec::new()).stms);
        let subst: Subst = stream.chunk.params.iter().copied().zip(args).collect();
        let mut body = stream.chunk.body;
        subst_body(&mut body, self.vars, &subst);
        let results = body.results.len();
        separate(self.vars, &mut body, results);
        out.append(&mut body.stms);
        for (var, result) in pat.iter().zip(body.results) {
            let shape = self.vars[*var].ty.shape().to_vec();
            let exp = match result {
                Atom::Var(array) if !shape.is_empty() => Exp::Reshape(array, shape),
                Atom::Var(_) | Atom::Const(_) => Exp::Atom(result),
            };
            out.push(Stm::new(vec![*var], exp));
        }
    }
}

/// The accumulators with copies of arrays: the function may update them, but they belong to others before.
pub(crate) fn own_accs(b: &mut Builder<'_>, accs: &[Atom]) -> Vec<Atom> {
    let own = |atom: &Atom| match *atom {
        Atom::Var(var) if b.ty(var).is_array() => b.exp("acc", Exp::Copy(var)).into(),
        Atom::Var(_) | Atom::Const(_) => *atom,
    };
    accs.iter().map(own).collect()
}

/// An input with the width of the pass.
fn in_step(b: &mut Builder<'_>, input: Var, width: Atom, loc: Option<&Loc>) -> Atom {
    let mut shape = b.ty(input).shape().to_vec();
    let size = std::mem::replace(&mut shape[0], width);
    if size == width {
        return Atom::Var(input);
    }
    let same = b.exp("same", Exp::CmpOp(CmpOp::Eq, width, size));
    let parts = vec![
        CheckPart::Text("Sequences that are read in step have different lengths: ".into()),
        CheckPart::Value(width),
        CheckPart::Text(" and ".into()),
        CheckPart::Value(size),
        CheckPart::Text(" elements.".into()),
    ];
    let cert = b.assert(same.into(), Check { parts, trace: loc.into_iter().cloned().collect() });
    let others = b.set_certs(vec![cert]);
    let input = b.exp("input", Exp::Reshape(input, shape));
    b.set_certs(others);
    Atom::Var(input)
}

/// All pieces: their sizes, how many values they have together, and these.
fn whole_pieces(
    b: &mut Builder<'_>,
    piece: &Pieces,
    width: Atom,
    loc: Option<&Loc>,
    args: &mut Vec<Atom>,
) {
    let sizes = in_step(b, piece.sizes, width, loc);
    let Atom::Var(array) = sizes else { bug("the sizes of pieces are a constant") };
    let fold = |b: &mut Builder<'_>, op: BinOp, neutral: i64| {
        let map =
            b.lambda(vec![("x".into(), Type::I64)], vec![Type::I64], |_, x| vec![x[0].into()]);
        let pair = vec![("x".into(), Type::I64), ("y".into(), Type::I64)];
        let op = b.lambda(pair, vec![Type::I64], |b, xy| {
            vec![b.exp("xy", Exp::BinOp(op, xy[0].into(), xy[1].into())).into()]
        });
        let red = Red { op, neutral: vec![Atom::i64(neutral)], commutative: true };
        let reds = vec![red];
        let screma = Screma { width, inputs: vec![array], map, scans: Vec::new(), reds };
        Atom::Var(b.typed("folded", Type::I64, Exp::Screma(Box::new(screma))))
    };
    let sum = fold(b, BinOp::Add, 0);
    let least = fold(b, BinOp::Min, i64::MAX);
    // If none is larger than the array, then the sum is right.
    let most = fold(b, BinOp::Max, 0);
    let natural = b.exp("natural", Exp::CmpOp(CmpOp::Le, Atom::i64(0), least));
    args.extend([sizes, sum]);
    for value in &piece.values {
        let shape = b.ty(*value).shape().to_vec();
        let all = b.exp("all", Exp::CmpOp(CmpOp::Le, sum, shape[0]));
        let each = b.exp("each", Exp::CmpOp(CmpOp::Le, most, shape[0]));
        let inside = b.exp("inside", Exp::BinOp(BinOp::And, each.into(), all.into()));
        let fits = b.exp("fits", Exp::BinOp(BinOp::And, natural.into(), inside.into()));
        let parts = vec![
            CheckPart::Text("The pieces of a sequence have ".into()),
            CheckPart::Value(sum),
            CheckPart::Text(" elements together, and the smallest has ".into()),
            CheckPart::Value(least),
            CheckPart::Text("; the array has ".into()),
            CheckPart::Value(shape[0]),
            CheckPart::Text(" elements.".into()),
        ];
        let check = Check { parts, trace: loc.into_iter().cloned().collect() };
        let cert = b.assert(fits.into(), check);
        let others = b.set_certs(vec![cert]);
        let lens = std::iter::once(sum).chain(shape[1..].iter().copied());
        let dims = lens.map(|len| Dim::Slice { start: 0.into(), len, stride: 1.into() });
        args.push(b.exp("values", Exp::Index(*value, dims.collect())).into());
        b.set_certs(others);
    }
}
