//! Which variables a statement consumes.

use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Exp, Lambda, Prog, Stm, Var};

/// The arrays and accumulators that a statement consumes, those of bodies inside included. A loop or an array
/// operator that consumes a parameter consumes what it stands for: [`Share`](super::Share) has both in one class.
pub fn consumed(prog: &Prog, stm: &Stm) -> Vec<Var> {
    let mut look = Look { prog, found: Vec::new() };
    look.stm(stm);
    look.found
}

/// The arrays and accumulators that a function consumes.
pub fn consumed_by(prog: &Prog, lambda: &Lambda) -> Vec<Var> {
    let mut look = Look { prog, found: Vec::new() };
    look.lambda(lambda);
    look.found
}

struct Look<'a> {
    prog: &'a Prog,
    found: Vec<Var>,
}

impl Visit for Look<'_> {
    fn exp(&mut self, exp: &Exp) {
        match exp {
            Exp::Update(array, ..) | Exp::FlatUpdate(array, ..) | Exp::UpdateAcc(array, ..) => {
                self.found.push(*array);
            }
            Exp::Hist(op) => {
                self.found.extend(op.ops.iter().flat_map(|op| &op.dests));
            }
            Exp::Scatter(op) => self.found.extend(op.dests.iter().map(|(_, dest)| dest)),
            Exp::WithAcc(inputs, _) => {
                self.found.extend(inputs.iter().flat_map(|input| &input.arrays));
            }
            Exp::Call(fun, args) => {
                let params = self.prog.funs.get(*fun).map_or(&[][..], |fun| &fun.params);
                for (param, arg) in params.iter().zip(args) {
                    if let (true, Atom::Var(var)) = (param.consumed, arg) {
                        self.found.push(*var);
                    }
                }
            }
            Exp::Seg(_)
            | Exp::Threads
            | Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Array(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::If(..)
            | Exp::Switch(..)
            | Exp::Loop(..)
            | Exp::Const(_)
            | Exp::Screma(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Fail(_) => {}
        }
        walk_exp(self, exp);
    }
}
