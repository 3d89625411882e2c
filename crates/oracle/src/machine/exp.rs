//! The values of expressions: one evaluator, for the host and for the threads of kernels.

use super::memory::Slot;
use super::{Fault, Frame, Machine, Res, wrong};
use crate::heap::store::Mem;
use fehu_imp::{Exp, Message, Part, Prim, V};
use fehu_interp::scalar;
use fehu_ir::Scalar;

/// What an expression depends on.
pub(super) trait Env {
    /// The value of a variable; the address of a pointer.
    fn scalar(&self, v: V) -> Res<Scalar>;
    /// The element at an index of a pointer or array.
    fn load(&mut self, p: V, index: i64) -> Res<Scalar>;
    /// The value of an operation of this type that has none, such as a division by zero.
    fn undefined(&self, exp: &Exp, _: Prim) -> Res<Scalar> {
        Err(Fault::Undefined(format!("no result: {exp:?}")))
    }
}

/// The value of an expression.
pub(super) fn eval<E: Env>(env: &mut E, exp: &Exp) -> Res<Scalar> {
    let (value, prim) = match exp {
        Exp::Const(scalar) => return Ok(*scalar),
        Exp::Var(v) => return env.scalar(*v),
        Exp::Un(op, prim, a) => (scalar::unop(*op, eval(env, a)?), *prim),
        Exp::Bin(op, prim, a, b) => {
            let (a, b) = (eval(env, a)?, eval(env, b)?);
            (scalar::binop(*op, a, b), *prim)
        }
        Exp::Cmp(op, _, a, b) => {
            let (a, b) = (eval(env, a)?, eval(env, b)?);
            (scalar::cmpop(*op, a, b).map(Scalar::Bool), Prim::Bool)
        }
        Exp::Math(f, prim, args) => {
            let mut values = Vec::with_capacity(args.len());
            for arg in args {
                values.push(eval(env, arg)?);
            }
            (scalar::math(*f, &values), *prim)
        }
        Exp::Convert(_, to, a) => (scalar::convert(*to, eval(env, a)?), *to),
        Exp::Reinterpret(_, to, a) => (scalar::reinterpret(*to, eval(env, a)?), *to),
        Exp::Index(terms) => {
            let mut sum: i64 = 0;
            for (factor, vars) in terms {
                let mut product = *factor;
                for v in vars {
                    let Scalar::I64(value) = env.scalar(*v)? else {
                        return Err(wrong("an index is made of something else than i64"));
                    };
                    product = product.wrapping_mul(value);
                }
                sum = sum.wrapping_add(product);
            }
            return Ok(Scalar::I64(sum));
        }
        Exp::Load(p, index) => {
            let index = int(env, index)?;
            return env.load(*p, index);
        }
        Exp::Select(parts) => {
            let [cond, yes, no] = &**parts;
            let chosen = if truth(env, cond)? { yes } else { no };
            return eval(env, chosen);
        }
    };
    match value {
        Some(value) => Ok(value),
        None => env.undefined(exp, prim),
    }
}

/// The value of an expression of an integer type.
pub(super) fn int<E: Env>(env: &mut E, exp: &Exp) -> Res<i64> {
    let value = eval(env, exp)?;
    scalar::to_i64(value).ok_or_else(|| wrong(format!("{value:?} is no integer")))
}

/// The value of a condition.
#[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
pub(super) fn truth<E: Env>(env: &mut E, exp: &Exp) -> Res<bool> {
    match eval(env, exp)? {
        Scalar::Bool(truth) => Ok(truth),
        other => Err(wrong(format!("{other:?} is no truth value"))),
    }
}

/// The failure of a check.
pub(super) fn failed<E: Env>(env: &mut E, message: &Message) -> Fault {
    let mut text = String::new();
    for part in &message.parts {
        match part {
            Part::Text(part) => text.push_str(part),
            Part::Value(e, _) => match eval(env, e) {
                Ok(value) => text.push_str(&scalar::show(value)),
                Err(fault) => return fault,
            },
        }
    }
    Fault::Check(text, message.trace.clone())
}

/// The host's variables.
struct Reader<'m, 'f, 'a> {
    machine: &'m mut Machine<'a>,
    frame: &'f Frame<'a>,
}

impl Env for Reader<'_, '_, '_> {
    fn scalar(&self, v: V) -> Res<Scalar> {
        self.frame.scalar(v)
    }

    fn load(&mut self, p: V, index: i64) -> Res<Scalar> {
        self.machine.load(self.frame.pointer(p)?, index)
    }
}

impl<'a> Machine<'a> {
    pub(super) fn exp(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<Scalar> {
        eval(&mut Reader { machine: self, frame }, exp)
    }

    pub(super) fn int(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<i64> {
        int(&mut Reader { machine: self, frame }, exp)
    }

    pub(super) fn truth(&mut self, frame: &Frame<'a>, exp: &Exp) -> Res<bool> {
        truth(&mut Reader { machine: self, frame }, exp)
    }

    pub(super) fn failed(&mut self, frame: &Frame<'a>, message: &Message) -> Fault {
        failed(&mut Reader { machine: self, frame }, message)
    }
}

impl Frame<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    pub(super) fn scalar(&self, v: V) -> Res<Scalar> {
        match self.slots[v] {
            Slot::Scalar(scalar) => Ok(scalar),
            other => Err(self.unexpected(v, other)),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
    pub(super) fn pointer(&self, v: V) -> Res<Option<Mem>> {
        match self.slots[v] {
            Slot::Pointer(pointer) => Ok(pointer),
            other => Err(self.unexpected(v, other)),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is reported")]
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
