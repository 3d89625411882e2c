//! Built-in operators and the scalar functions of the compiler.

use crate::build::{Attach, text};
use crate::value::Val;
use crate::{Lower, Res};
use fehu_base::{Prim, Span, bug};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, MathFn, Scalar, Type, UnOp};

/// The IR operation of an operator on numbers.
pub(crate) fn binary_operator(name: &str) -> Option<BinOp> {
    Some(match name {
        "+" => BinOp::Add,
        "-" => BinOp::Sub,
        "*" => BinOp::Mul,
        "/" => BinOp::Div,
        "%" => BinOp::Mod,
        "//" => BinOp::Quot,
        "%%" => BinOp::Rem,
        "**" => BinOp::Pow,
        "&" | "&&" => BinOp::And,
        "|" | "||" => BinOp::Or,
        "^" => BinOp::Xor,
        "<<" => BinOp::Shl,
        ">>" => BinOp::Shr,
        _ => return None,
    })
}

impl<'a> Lower<'a> {
    pub(crate) fn unary(&mut self, op: UnOp, value: &Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Scalar(prim, atom) = value else {
            self.bug(span, "an operator is applied to a value that is not a scalar");
        };
        let exp = Exp::UnOp(op, *atom);
        Ok(Val::Scalar(*prim, self.b().one("x", Type::prim(*prim), exp)))
    }

    /// A built-in operator on two values.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        lhs: &Val<'a>,
        rhs: &Val<'a>,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        if let "==" | "!=" = name {
            let equal = self.equal(lhs, rhs, span)?;
            let result = if name == "==" { equal } else { self.b().not(equal) };
            return Ok(Some(Val::bool(result)));
        }
        let (Val::Scalar(prim, a), Val::Scalar(_, b)) = (lhs, rhs) else { return Ok(None) };
        let (prim, a, b) = (*prim, *a, *b);
        let comparison = match name {
            "<" => Some((CmpOp::Lt, a, b)),
            "<=" => Some((CmpOp::Le, a, b)),
            ">" => Some((CmpOp::Lt, b, a)),
            ">=" => Some((CmpOp::Le, b, a)),
            _ => None,
        };
        if let Some((op, a, b)) = comparison {
            return Ok(Some(Val::bool(self.b().cmp(op, a, b))));
        }
        match binary_operator(name) {
            Some(op) => Ok(Some(Val::Scalar(prim, self.arithmetic(op, prim, a, b, span)))),
            None => Ok(None),
        }
    }

    /// An operation on two numbers, with its check.
    fn arithmetic(&mut self, op: BinOp, prim: Prim, a: Atom, b: Atom, span: Span) -> Atom {
        let divides = matches!(op, BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem);
        let constant = matches!(b, Atom::Const(b) if b != Scalar::zero(prim));
        let mut with = Attach::default();
        if divides && prim.is_integer() && !constant {
            let zero = self.b().cmp(CmpOp::Eq, b, crate::build::zero(prim));
            let nonzero = self.b().not(zero);
            let places = self.places(span);
            with.certs.push(self.b().assert(nonzero, vec![text("division by zero")], places));
        }
        let known = matches!(b, Atom::Const(b) if !negative(b));
        if op == BinOp::Pow && prim.is_signed() && self.safe && !known {
            let fine = self.b().cmp(CmpOp::Le, crate::build::zero(prim), b);
            let places = self.places(span);
            let parts = vec![text("negative exponent: "), fehu_ir::CheckPart::Value(b)];
            with.certs.push(self.b().assert(fine, parts, places));
        }
        let exp = Exp::BinOp(op, a, b);
        let made = Atom::Var(self.b().emit(exp, vec![("x", Type::prim(prim))], with)[0]);
        self.watch_nan(prim, made, &[(prim, a), (prim, b)]);
        made
    }

    /// Whether two values are equal.
    fn equal(&mut self, lhs: &Val<'a>, rhs: &Val<'a>, span: Span) -> Res<Atom> {
        match (lhs, rhs) {
            (Val::Scalar(_, a), Val::Scalar(_, b)) => Ok(self.b().cmp(CmpOp::Eq, *a, *b)),
            (Val::Record(fs), Val::Record(gs)) => {
                let mut all = Atom::bool(true);
                for (f, g) in fs.iter().zip(gs.iter()) {
                    let equal = self.equal(&f.1, &g.1, span)?;
                    all = self.b().and(all, equal);
                }
                Ok(all)
            }
            (Val::Array(..), Val::Array(..)) => self.equal_arrays(lhs, rhs, span),
            (Val::Sum(ctors, parts), Val::Sum(_, others)) => {
                // Equal tags, and equal payloads of that constructor.
                let mut any = Atom::bool(ctors.is_empty());
                for (i, (name, _)) in ctors.clone().iter().enumerate() {
                    let mut same = Atom::bool(true);
                    if ctors.len() > 1 {
                        let tag = Atom::Const(Scalar::U8(i as u8));
                        for part in [parts[0], others[0]] {
                            let is = self.b().cmp(CmpOp::Eq, part, tag);
                            same = self.b().and(same, is);
                        }
                    }
                    let (xs, ys) = (self.payload(lhs, name), self.payload(rhs, name));
                    for (x, y) in xs.iter().zip(&ys) {
                        let equal = self.equal(x, y, span)?;
                        same = self.b().and(same, equal);
                    }
                    any = if any == Atom::bool(false) { same } else { self.b().or(any, same) };
                }
                Ok(any)
            }
            _ => self.bug(span, "these values cannot be compared"),
        }
    }

    /// A scalar function of the compiler by its name, on the parts of its arguments.
    #[expect(clippy::wildcard_enum_match_arm, reason = "most functions keep the type")]
    pub(crate) fn scalar_intrinsic(&mut self, name: &str, args: &[Val<'a>]) -> Option<Val<'a>> {
        let mut atoms = Vec::new();
        for arg in args {
            collect(arg, &mut atoms)?;
        }
        if let Some(result) = self.conversion(name, &atoms) {
            return Some(result);
        }
        if let Some(result) = self.logical(name, &atoms) {
            return Some(result);
        }
        let (stem, bits) = split_width(name)?;
        let (int, uint, float) = widths(bits);
        if let Some((op, prim)) = integer_operator(stem, int, uint) {
            return self.on_type(op, prim, int, &atoms);
        }
        if let ("sdiv_up" | "udiv_up", &[(_, x), (_, y)]) = (stem, &atoms[..]) {
            let quotient = if stem == "sdiv_up" {
                self.signed_div_up(int, x, y)
            } else {
                self.unsigned_div_up(int, uint, x, y)
            };
            return Some(Val::Scalar(int, quotient));
        }
        if let Some(op) = float_operator(stem)
            && let Some(prim) = float
        {
            return self.on_type(op, prim, prim, &atoms);
        }
        let function = MathFn::from_name(stem)?;
        let prim = atoms.first()?.0;
        let result = match function {
            MathFn::Isnan | MathFn::Isinf => Prim::Bool,
            MathFn::Popc | MathFn::Clz | MathFn::Ctz => Prim::I32,
            _ => prim,
        };
        if atoms.len() != function.arity() {
            return None;
        }
        let operands = atoms.iter().map(|(_, a)| *a).collect();
        let exp = Exp::Math(function, operands);
        let made = self.b().one("x", Type::prim(result), exp);
        self.watch_nan(result, made, &atoms);
        Some(Val::Scalar(result, made))
    }

    /// `logand`, `eq_i32`, `cond_i32`, ...: what is the same for all types.
    fn logical(&mut self, name: &str, atoms: &[(Prim, Atom)]) -> Option<Val<'a>> {
        let result = match (name, atoms) {
            ("logand", &[(_, a), (_, b)]) => self.b().and(a, b),
            ("logor", &[(_, a), (_, b)]) => self.b().or(a, b),
            ("llt", &[(_, a), (_, b)]) => self.b().cmp(CmpOp::Lt, a, b),
            ("lle", &[(_, a), (_, b)]) => self.b().cmp(CmpOp::Le, a, b),
            (name, &[(_, a), (_, b)]) if name.starts_with("eq_") => self.b().cmp(CmpOp::Eq, a, b),
            (name, &[(_, cond), (prim, a), (_, b)]) if name.starts_with("cond_") => {
                let bodies = [Body::of(vec![a]), Body::of(vec![b])];
                let exp = Exp::If(cond, Box::new(bodies));
                return Some(Val::Scalar(prim, self.b().one("x", Type::prim(prim), exp)));
            }
            _ => return None,
        };
        Some(Val::bool(result))
    }

    /// `(x + y - 1) / y`
    fn signed_div_up(&mut self, prim: Prim, x: Atom, y: Atom) -> Atom {
        let one = Atom::Const(crate::literal::integer(1, prim));
        let sum = self.b().one("x", Type::prim(prim), Exp::BinOp(BinOp::Add, x, y));
        let top = self.b().one("x", Type::prim(prim), Exp::BinOp(BinOp::Sub, sum, one));
        self.b().one("x", Type::prim(prim), Exp::BinOp(BinOp::Div, top, y))
    }

    /// The quotient of numbers that are unsigned, one more if there is a remainder.
    fn unsigned_div_up(&mut self, int: Prim, uint: Prim, x: Atom, y: Atom) -> Atom {
        let mut step = |prim: Prim, exp: Exp| self.b().one("x", Type::prim(prim), exp);
        let x = step(uint, Exp::Reinterpret(uint, x));
        let y = step(uint, Exp::Reinterpret(uint, y));
        let quotient = step(uint, Exp::BinOp(BinOp::Div, x, y));
        let rest = step(uint, Exp::BinOp(BinOp::Mod, x, y));
        let uneven = step(Prim::Bool, Exp::CmpOp(CmpOp::Lt, crate::build::zero(uint), rest));
        let more = step(uint, Exp::Convert(uint, uneven));
        let sum = step(uint, Exp::BinOp(BinOp::Add, quotient, more));
        step(int, Exp::Reinterpret(int, sum))
    }

    /// An operation that works on `prim`, on operands of type `given`, which has the same width.
    fn on_type(
        &mut self,
        op: Operation,
        prim: Prim,
        given: Prim,
        atoms: &[(Prim, Atom)],
    ) -> Option<Val<'a>> {
        let operands: Vec<Atom> = atoms
            .iter()
            .map(|(_, atom)| match prim == given {
                true => *atom,
                false => self.b().one("x", Type::prim(prim), Exp::Reinterpret(prim, *atom)),
            })
            .collect();
        let result = match (op, operands.as_slice()) {
            (Operation::Un(op), [a]) => self.b().one("x", Type::prim(prim), Exp::UnOp(op, *a)),
            (Operation::Bin(op), [a, b]) => {
                self.b().one("x", Type::prim(prim), Exp::BinOp(op, *a, *b))
            }
            (Operation::Cmp(op), [a, b]) => return Some(Val::bool(self.b().cmp(op, *a, *b))),
            (Operation::Math(function), operands) => {
                let exp = Exp::Math(function, operands.to_vec());
                self.b().one("x", Type::prim(prim), exp)
            }
            _ => return None,
        };
        self.watch_nan(prim, result, atoms);
        let result = match prim == given {
            true => result,
            false => self.b().one("x", Type::prim(given), Exp::Reinterpret(given, result)),
        };
        Some(Val::Scalar(given, result))
    }

    /// `sext_i8_i64`, `fptosi_f32_i8`, `sign_i32`, ...
    fn conversion(&mut self, name: &str, atoms: &[(Prim, Atom)]) -> Option<Val<'a>> {
        let &[(_, atom)] = atoms else { return None };
        let mut words = name.split('_');
        let kind = words.next()?;
        let from = Prim::from_name(words.next()?)?;
        let to = match words.next() {
            Some(word) => Some(Prim::from_name(word)?),
            None => None,
        };
        let unsigned = |prim: Prim| match prim {
            Prim::I8 => Prim::U8,
            Prim::I16 => Prim::U16,
            Prim::I32 => Prim::U32,
            Prim::I64 => Prim::U64,
            unsigned @ (Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64) => unsigned,
            // No integers: these stay what they are.
            other @ (Prim::F16 | Prim::F32 | Prim::F64 | Prim::Bool) => other,
        };
        let mut step = |prim: Prim, exp: Exp| self.b().one("x", Type::prim(prim), exp);
        let (prim, atom) = match (kind, to) {
            (
                "sext" | "sitofp" | "fptosi" | "fpconv" | "btoi" | "itob" | "btof" | "ftob",
                Some(to),
            ) => (to, step(to, Exp::Convert(to, atom))),
            ("zext", Some(to)) => {
                let atom = step(unsigned(from), Exp::Reinterpret(unsigned(from), atom));
                (to, step(to, Exp::Convert(to, atom)))
            }
            ("uitofp", Some(to)) => {
                let atom = step(unsigned(from), Exp::Reinterpret(unsigned(from), atom));
                (to, step(to, Exp::Convert(to, atom)))
            }
            ("fptoui", Some(to)) => {
                let atom = step(unsigned(to), Exp::Convert(unsigned(to), atom));
                (to, step(to, Exp::Reinterpret(to, atom)))
            }
            ("fptobits" | "bitstofp", Some(to)) => (to, step(to, Exp::Reinterpret(to, atom))),
            ("sign", None) => (from, step(from, Exp::Reinterpret(from, atom))),
            ("unsign", None) => {
                let to = unsigned(from);
                (to, step(to, Exp::Reinterpret(to, atom)))
            }
            ("neg", None) if from == Prim::Bool => (from, step(from, Exp::UnOp(UnOp::Not, atom))),
            ("neg", None) => (from, step(from, Exp::UnOp(UnOp::Neg, atom))),
            _ => return None,
        };
        Some(Val::Scalar(prim, atom))
    }
}

#[derive(Clone, Copy)]
enum Operation {
    Un(UnOp),
    Bin(BinOp),
    Cmp(CmpOp),
    Math(MathFn),
}

/// The scalars in a value.
fn collect(value: &Val<'_>, atoms: &mut Vec<(Prim, Atom)>) -> Option<()> {
    match value {
        Val::Scalar(prim, atom) => atoms.push((*prim, *atom)),
        Val::Record(fields) => {
            for (_, value) in fields.iter() {
                collect(value, atoms)?;
            }
        }
        Val::Array(..) | Val::Sum(..) | Val::Choice(..) | Val::Acc(..) | Val::Fun(_) => {
            return None;
        }
    }
    Some(())
}

/// The name and the width of `add32`, `atan2_32`.
fn split_width(name: &str) -> Option<(&str, u32)> {
    for (suffix, bits) in [("16", 16), ("32", 32), ("64", 64), ("8", 8)] {
        if let Some(stem) = name.strip_suffix(suffix) {
            return Some((stem.strip_suffix('_').unwrap_or(stem), bits));
        }
    }
    None
}

fn widths(bits: u32) -> (Prim, Prim, Option<Prim>) {
    match bits {
        8 => (Prim::I8, Prim::U8, None),
        16 => (Prim::I16, Prim::U16, Some(Prim::F16)),
        32 => (Prim::I32, Prim::U32, Some(Prim::F32)),
        64 => (Prim::I64, Prim::U64, Some(Prim::F64)),
        _ => bug(format_args!("there are no numbers of {bits} bits")),
    }
}

fn integer_operator(stem: &str, int: Prim, uint: Prim) -> Option<(Operation, Prim)> {
    use Operation::{Bin, Cmp, Math, Un};
    Some(match stem {
        "add" => (Bin(BinOp::Add), int),
        "sub" => (Bin(BinOp::Sub), int),
        "mul" => (Bin(BinOp::Mul), int),
        "pow" => (Bin(BinOp::Pow), int),
        "sdiv" => (Bin(BinOp::Div), int),
        "udiv" => (Bin(BinOp::Div), uint),
        "smod" => (Bin(BinOp::Mod), int),
        "umod" => (Bin(BinOp::Mod), uint),
        "squot" => (Bin(BinOp::Quot), int),
        "srem" => (Bin(BinOp::Rem), int),
        "smin" => (Bin(BinOp::Min), int),
        "umin" => (Bin(BinOp::Min), uint),
        "smax" => (Bin(BinOp::Max), int),
        "umax" => (Bin(BinOp::Max), uint),
        "and" => (Bin(BinOp::And), int),
        "or" => (Bin(BinOp::Or), int),
        "xor" => (Bin(BinOp::Xor), int),
        "shl" => (Bin(BinOp::Shl), int),
        "ashr" => (Bin(BinOp::Ashr), int),
        "lshr" => (Bin(BinOp::Lshr), int),
        "abs" => (Un(UnOp::Abs), int),
        "ssignum" => (Un(UnOp::Sgn), int),
        "usignum" => (Un(UnOp::Sgn), uint),
        "complement" => (Un(UnOp::Not), int),
        "slt" => (Cmp(CmpOp::Lt), int),
        "sle" => (Cmp(CmpOp::Le), int),
        "ult" => (Cmp(CmpOp::Lt), uint),
        "ule" => (Cmp(CmpOp::Le), uint),
        "smul_hi" => (Math(MathFn::MulHi), int),
        "umul_hi" => (Math(MathFn::MulHi), uint),
        "smad_hi" => (Math(MathFn::MadHi), int),
        "umad_hi" => (Math(MathFn::MadHi), uint),
        _ => return None,
    })
}

fn float_operator(stem: &str) -> Option<Operation> {
    use Operation::{Bin, Cmp, Un};
    Some(match stem {
        "fadd" => Bin(BinOp::Add),
        "fsub" => Bin(BinOp::Sub),
        "fmul" => Bin(BinOp::Mul),
        "fdiv" => Bin(BinOp::Div),
        "fmod" => Bin(BinOp::Mod),
        "fpow" => Bin(BinOp::Pow),
        "fmin" => Bin(BinOp::Min),
        "fmax" => Bin(BinOp::Max),
        "fabs" => Un(UnOp::Abs),
        "fsignum" => Un(UnOp::Sgn),
        "lt" => Cmp(CmpOp::Lt),
        "le" => Cmp(CmpOp::Le),
        _ => return None,
    })
}

/// Whether a number is below zero.
fn negative(number: Scalar) -> bool {
    match number {
        Scalar::I8(n) => n < 0,
        Scalar::I16(n) => n < 0,
        Scalar::I32(n) => n < 0,
        Scalar::I64(n) => n < 0,
        Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => false,
        Scalar::U8(_) | Scalar::U16(_) | Scalar::U32(_) | Scalar::U64(_) => false,
        Scalar::Bool(_) | Scalar::Unit => false,
    }
}
