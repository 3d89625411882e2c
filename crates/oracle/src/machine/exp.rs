//! The values of expressions.

use super::memory::Slot;
use super::{Fault, Frame, Machine, Res, wrong};
use crate::heap::store::Mem;
use fehu_imp::{Exp, V};
use fehu_interp::scalar;
use fehu_ir::Scalar;

impl<'a> Machine<'a> {
    pub(super) fn exp(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<Scalar> {
        let value = match exp {
            Exp::Const(scalar) => Some(*scalar),
            Exp::Var(v) => Some(frame.scalar(*v)?),
            Exp::Un(op, _, a) => scalar::unop(*op, self.exp(frame, a)?),
            Exp::Bin(op, _, a, b) => {
                let (a, b) = (self.exp(frame, a)?, self.exp(frame, b)?);
                scalar::binop(*op, a, b)
            }
            Exp::Cmp(op, _, a, b) => {
                let (a, b) = (self.exp(frame, a)?, self.exp(frame, b)?);
                scalar::cmpop(*op, a, b).map(Scalar::Bool)
            }
            Exp::Math(f, _, args) => {
                let mut values = Vec::with_capacity(args.len());
                for arg in args {
                    values.push(self.exp(frame, arg)?);
                }
                scalar::math(*f, &values)
            }
            Exp::Convert(_, to, a) => scalar::convert(*to, self.exp(frame, a)?),
            Exp::Reinterpret(_, to, a) => scalar::reinterpret(*to, self.exp(frame, a)?),
            Exp::Index(terms) => {
                let mut sum: i64 = 0;
                for (factor, vars) in terms {
                    let mut product = *factor;
                    for v in vars {
                        let Scalar::I64(value) = frame.scalar(*v)? else {
                            return Err(wrong("an index is made of something else than i64"));
                        };
                        product = product.wrapping_mul(value);
                    }
                    sum = sum.wrapping_add(product);
                }
                Some(Scalar::I64(sum))
            }
            Exp::Load(p, index) => {
                let index = self.int(frame, index)?;
                Some(self.load(frame.pointer(*p)?, index)?)
            }
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let chosen = if self.truth(frame, cond)? { yes } else { no };
                Some(self.exp(frame, chosen)?)
            }
        };
        value.ok_or_else(|| Fault::Undefined(format!("no result: {exp:?}")))
    }

    pub(super) fn int(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<i64> {
        let value = self.exp(frame, exp)?;
        scalar::to_i64(value).ok_or_else(|| wrong(format!("{value:?} is no integer")))
    }

    pub(super) fn truth(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<bool> {
        match self.exp(frame, exp)? {
            Scalar::Bool(truth) => Ok(truth),
            other => Err(wrong(format!("{other:?} is no truth value"))),
        }
    }
}

impl Frame<'_> {
    pub(super) fn scalar(&self, v: V) -> Res<Scalar> {
        match self.slots[v] {
            Slot::Scalar(scalar) => Ok(scalar),
            other => Err(self.unexpected(v, other)),
        }
    }

    pub(super) fn pointer(&self, v: V) -> Res<Option<Mem>> {
        match self.slots[v] {
            Slot::Pointer(pointer) => Ok(pointer),
            other => Err(self.unexpected(v, other)),
        }
    }

    pub(super) fn handle(&self, v: V) -> Res<super::memory::Handle> {
        match self.slots[v] {
            Slot::Handle(handle) => Ok(handle),
            other => Err(self.unexpected(v, other)),
        }
    }

    fn unexpected(&self, v: V, found: Slot) -> Fault {
        wrong(format!("\"{}\" (variable {}) is {found:?}", self.fun.vars[v].hint, v.0))
    }
}
