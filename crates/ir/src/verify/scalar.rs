//! Types of operations on scalars.

use super::scope::Checker;
use crate::{Atom, BinOp, Check, CheckPart, Elem, Exp, MathFn, Notice, Type, UnOp};
use fehu_base::Prim;

/// Whether an operation is defined on a type.
pub fn unop_applies(op: UnOp, prim: Prim) -> bool {
    match op {
        UnOp::Neg | UnOp::Abs | UnOp::Sgn => prim != Prim::Bool,
        UnOp::Not => !prim.is_float(),
    }
}

/// Whether an operation is defined on a type.
pub fn binop_applies(op: BinOp, prim: Prim) -> bool {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Mod
        | BinOp::Pow
        | BinOp::Min
        | BinOp::Max => prim != Prim::Bool,
        BinOp::Quot | BinOp::Rem | BinOp::Shl | BinOp::Shr | BinOp::Lshr | BinOp::Ashr => {
            prim.is_integer()
        }
        BinOp::And | BinOp::Or | BinOp::Xor => !prim.is_float(),
    }
}

/// The result type of a function of numbers for a type of the first operand, if it is defined there.
#[expect(clippy::wildcard_enum_match_arm, reason = "all others are functions of floats")]
pub fn math_result(f: MathFn, prim: Prim) -> Option<Prim> {
    match f {
        MathFn::Isnan | MathFn::Isinf => prim.is_float().then_some(Prim::Bool),
        MathFn::Popc | MathFn::Clz | MathFn::Ctz => prim.is_integer().then_some(Prim::I32),
        MathFn::MulHi | MathFn::MadHi => prim.is_integer().then_some(prim),
        _ => prim.is_float().then_some(prim),
    }
}

impl Checker<'_> {
    /// The type of an operation with one result, if it is known; [`Exp::Fail`] has any.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other files have the others")]
    pub(super) fn scalar_exp(&mut self, exp: &Exp) -> Option<Type> {
        match exp {
            Exp::Atom(a) | Exp::Trace(_, a) | Exp::Opaque(a) => self.atom(*a),
            Exp::Threads => Some(Type::I64),
            Exp::Notice(notice, atoms) => {
                for atom in atoms {
                    let ty = self.atom(*atom)?;
                    let float = matches!(ty, Type::Scalar(elem) if elem.is_float());
                    if *notice == Notice::Nan && !float {
                        self.fail("what may be NaN is a float".to_owned());
                    }
                }
                Some(Type::CERT)
            }
            Exp::Tuning(_, a) => {
                self.prim(*a)?;
                self.want(*a, &Type::I64, "the operand");
                Some(Type::I64)
            }
            Exp::UnOp(op, a) => {
                let prim = self.prim(*a)?;
                self.defined(unop_applies(*op, prim), op.name(), prim);
                Some(Type::prim(prim))
            }
            Exp::BinOp(op, a, b) => {
                let prim = self.prim(*a);
                self.prim(*b);
                let prim = prim?;
                self.want(*b, &Type::prim(prim), "the second operand");
                self.defined(binop_applies(*op, prim), op.name(), prim);
                Some(Type::prim(prim))
            }
            Exp::CmpOp(_, a, b) => {
                if let Some(prim) = self.prim(*a) {
                    self.want(*b, &Type::prim(prim), "the second operand");
                }
                Some(Type::BOOL)
            }
            Exp::Math(f, atoms) => {
                if atoms.len() != f.arity() {
                    let (name, wanted, found) = (f.name(), f.arity(), atoms.len());
                    self.fail(format!("`{name}` should have {wanted} operands but has {found}"));
                    return None;
                }
                let prim = self.prim(*atoms.first()?)?;
                for atom in &atoms[1..] {
                    let ty = if *f == MathFn::Ldexp { Prim::I32 } else { prim };
                    self.want(*atom, &Type::prim(ty), "an operand");
                }
                let result = math_result(*f, prim);
                self.defined(result.is_some(), f.name(), prim);
                result.map(Type::prim)
            }
            Exp::Convert(prim, a) => {
                self.prim(*a);
                Some(Type::prim(*prim))
            }
            Exp::Reinterpret(to, a) => {
                if let Some(from) = self.prim(*a)
                    && (from.bits() != to.bits() || from == Prim::Bool || *to == Prim::Bool)
                {
                    self.fail(format!("the bits of {from} are not those of a {to}"));
                }
                Some(Type::prim(*to))
            }
            Exp::Assert(cond, check) => {
                self.want(*cond, &Type::BOOL, "the condition");
                self.check(check);
                Some(Type::CERT)
            }
            Exp::Fail(check) => {
                self.check(check);
                None
            }
            _ => None,
        }
    }

    fn check(&mut self, check: &Check) {
        for part in &check.parts {
            match part {
                CheckPart::Text(_) => {}
                CheckPart::Value(atom) => {
                    self.prim(*atom);
                }
            }
        }
    }

    fn defined(&mut self, is: bool, name: &str, prim: Prim) {
        if !is {
            self.fail(format!("`{name}` is not defined for {prim}"));
        }
    }

    /// The type of an operand that should be a number or truth value.
    pub(super) fn prim(&mut self, atom: Atom) -> Option<Prim> {
        match self.atom(atom)? {
            Type::Scalar(Elem::Prim(prim)) => Some(prim),
            other @ (Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_)) => {
                let (atom, ty) = (self.show_atom(atom), self.show(&other));
                self.fail(format!(
                    "\"{atom}\" should be a number or truth value but has type {ty}"
                ));
                None
            }
        }
    }
}
