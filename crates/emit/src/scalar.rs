//! Operations on numbers, and checks.

use super::Emit;
use fehu_imp::{Exp, Message, Part, Stm};
use fehu_ir::{self as ir, Check, CheckPart, Scalar, Var};

impl Emit<'_> {
    /// The value of a scalar operation; none if the expression is something else.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no value")]
    pub(super) fn scalar(&mut self, exp: &ir::Exp) -> Option<Exp> {
        Some(match exp {
            ir::Exp::Atom(atom) | ir::Exp::Opaque(atom) => {
                self.prim(*atom)?;
                self.atom(*atom)
            }
            ir::Exp::UnOp(op, a) => Exp::Un(*op, self.prim_of(*a), Box::new(self.atom(*a))),
            ir::Exp::BinOp(op, a, b) => {
                Exp::Bin(*op, self.prim_of(*a), Box::new(self.atom(*a)), Box::new(self.atom(*b)))
            }
            ir::Exp::CmpOp(op, a, b) => {
                Exp::Cmp(*op, self.prim_of(*a), Box::new(self.atom(*a)), Box::new(self.atom(*b)))
            }
            ir::Exp::Math(f, args) => {
                let prim = self.prim_of(args[0]);
                Exp::Math(*f, prim, args.iter().map(|arg| self.atom(*arg)).collect())
            }
            ir::Exp::Convert(to, a) => Exp::Convert(self.prim_of(*a), *to, Box::new(self.atom(*a))),
            ir::Exp::Reinterpret(to, a) => {
                Exp::Reinterpret(self.prim_of(*a), *to, Box::new(self.atom(*a)))
            }
            _ => return None,
        })
    }

    /// The program ends here.
    pub(super) fn fail(&mut self, pat: &[Var], check: &Check) {
        let message = self.message(check);
        self.out.push(Stm::Assert(Exp::Const(Scalar::Bool(false)), message));
        for var in pat {
            if let Some(place) = self.place(*var) {
                self.declare_mem(place.block);
            }
            if let Some(prim) = self.prim((*var).into()) {
                let v = self.declare("never", prim, None);
                self.scalars.insert(*var, Exp::Var(v));
            }
        }
    }

    pub(super) fn message(&self, check: &Check) -> Message {
        let part = |part: &CheckPart| match part {
            CheckPart::Text(text) => Part::Text(text.clone()),
            CheckPart::Value(atom) => Part::Value(self.atom(*atom), self.prim_of(*atom)),
        };
        Message {
            parts: check.parts.iter().map(part).collect(),
            trace: check.shown().into_iter().map(|loc| loc.0).collect(),
        }
    }
}
