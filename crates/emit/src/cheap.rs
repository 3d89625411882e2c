//! What is cheap enough to be executed more than once, or by several threads: scalars and views.

use super::Emit;
use fehu_ir::{Body, Exp as IrExp, Stm};

impl Emit<'_> {
    /// Whether every thread may execute a statement.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are not cheap")]
    pub(crate) fn is_cheap(&self, stm: &Stm) -> bool {
        if stm.pat.iter().any(|var| self.allocations.contains_key(var)) {
            return false;
        }
        match &stm.exp {
            IrExp::Atom(_)
            | IrExp::UnOp(..)
            | IrExp::BinOp(..)
            | IrExp::CmpOp(..)
            | IrExp::Math(..)
            | IrExp::Convert(..)
            | IrExp::Reinterpret(..)
            | IrExp::Index(..)
            | IrExp::FlatIndex(..)
            | IrExp::Reshape(..)
            | IrExp::Rearrange(..)
            | IrExp::Opaque(_) => true,
            IrExp::If(_, bodies) => {
                self.yields_scalars(stm) && bodies.iter().all(|body| self.is_cheap_body(body))
            }
            IrExp::Switch(_, switch) => {
                let cases = switch.cases.iter().map(|(_, body)| body);
                self.yields_scalars(stm)
                    && cases.chain([&switch.default]).all(|body| self.is_cheap_body(body))
            }
            // Arrays that need no memory.
            IrExp::Iota(..) | IrExp::Replicate(..) => {
                stm.pat.iter().all(|var| self.place(*var).is_none())
            }
            _ => false,
        }
    }

    pub(crate) fn is_cheap_body(&self, body: &Body) -> bool {
        body.stms.iter().all(|stm| self.is_cheap(stm))
    }

    fn yields_scalars(&self, stm: &Stm) -> bool {
        stm.pat.iter().all(|var| !self.ir[*var].ty.is_array())
    }
}
