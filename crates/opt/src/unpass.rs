//! `unpass`: passes over sequences become plain code, with all of a sequence as one chunk.
//!
//! ```text
//! (sum, k, ys) = stream n (xs) pass init (s) chunk (\m acc c -> body in (acc', m', y))
//! ==>
//! body[m := n, acc := s, c := xs]
//! sum = acc'
//! k = m'
//! ys = y
//! ```
//!
//! That is right because the results of a pass do not depend on how its inputs are cut. It comes before all other passes: what is left
//! are operators like any others, which are fused and parallelised. Sequences then have to fit in memory; a back
//! end that executes passes chunk by chunk does without it.

use crate::unstream::separate;
use fehu_base::IdVec;
use fehu_ir::builder::Builder;
use fehu_ir::pass::Pass;
use fehu_ir::subst::{Subst, subst_body};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_exp};
use fehu_ir::{Atom, Body, Exp, Prog, Stm, Stream, StreamForm, Var, VarInfo};

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
    matches!(exp, Exp::Stream(stream) if stream.form == StreamForm::Pass)
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
                Exp::Stream(stream) if stream.form == StreamForm::Pass => {
                    self.once(&stm.pat, *stream, &mut out);
                }
                exp => out.push(Stm { exp, ..stm }),
            }
        }
        body.stms = out;
    }
}

impl Unpass<'_> {
    fn once(&mut self, pat: &[Var], stream: Stream, out: &mut Vec<Stm>) {
        let mut outside = Builder::new(self.vars);
        let mut init = stream.init;
        for atom in &mut init {
            // The function may update its accumulators, which belong to others before.
            if let Atom::Var(var) = *atom
                && outside.ty(var).is_array()
            {
                *atom = outside.exp("acc", Exp::Copy(var)).into();
            }
        }
        out.extend(outside.finish(Vec::new()).stms);
        let inputs = stream.inputs.iter().copied().map(Atom::Var);
        let args = std::iter::once(stream.width).chain(init).chain(inputs);
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
