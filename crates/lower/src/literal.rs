//! Literals and ranges.

use crate::build::text;
use crate::env::Frame;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{Prim, Span};
use fehu_check::ty::Ty;
use fehu_ir::{Atom, BinOp, CheckPart, CmpOp, Elem, Exp, Scalar, Type};
use fehu_syntax::ast::{self, Lit, RangeKind};
use half::f16;
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub(crate) fn literal(&mut self, lit: &Lit, negative: bool, ty: &Ty) -> Res<Val<'a>> {
        if let Lit::String(string) = lit {
            let bytes = string.bytes().map(|b| Atom::Const(Scalar::U8(b))).collect::<Vec<_>>();
            let size = Atom::i64(bytes.len() as i64);
            let ty = Type::Array(Elem::Prim(Prim::U8), vec![size]);
            let exp = match bytes.is_empty() {
                true => Exp::Scratch(Elem::Prim(Prim::U8), vec![size]),
                false => Exp::Array(Elem::Prim(Prim::U8), bytes),
            };
            let array = self.b().one("string", ty, exp);
            return Ok(Val::Array(size, Rc::new(Shape::Prim(Prim::U8)), Rc::new([array])));
        }
        let prim = match (ty, lit) {
            (Ty::Prim(prim), _) => *prim,
            (_, Lit::Int { suffix: Some(prim), .. } | Lit::Float { suffix: Some(prim), .. }) => {
                *prim
            }
            (_, Lit::Bool(_)) => Prim::Bool,
            (_, Lit::Float { .. }) => Prim::F64,
            _ => Prim::I32,
        };
        Ok(Val::Scalar(prim, Atom::Const(scalar(lit, negative, prim))))
    }

    pub(crate) fn range(
        &mut self,
        exp: &'a ast::Exp,
        range: &'a ast::Range,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let start = self.exp(&range.start, frame)?;
        let second = match &range.second {
            Some(second) => Some(self.exp(second, frame)?),
            None => None,
        };
        let end = self.exp(&range.end, frame)?;
        self.range_of(range.kind, &start, second.as_ref(), &end, exp.span)
    }

    /// A range whose parts are known.
    pub(crate) fn range_of(
        &mut self,
        kind: RangeKind,
        start: &Val<'a>,
        second: Option<&Val<'a>>,
        end: &Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let (Val::Scalar(prim, start), Val::Scalar(_, end)) = (start, end) else {
            return self.limit(span, "the ends of a range are not numbers");
        };
        let (prim, start, end) = (*prim, *start, *end);
        let second = match second {
            Some(Val::Scalar(_, atom)) => Some(*atom),
            _ => None,
        };
        let wide = |this: &mut Self, atom: Atom| this.as_i64(prim, atom);
        let (start64, end64) = (wide(self, start), wide(self, end));
        let second64 = second.map(|s| wide(self, s));
        let step = match (second64, kind) {
            (Some(second), _) => self.b().size_op(BinOp::Sub, second, start64),
            (None, RangeKind::DownTo) => Atom::i64(-1),
            (None, RangeKind::Inclusive | RangeKind::UpTo) => Atom::i64(1),
        };
        // The distance that is covered, in the direction of the step.
        let zero = Atom::i64(0);
        let (valid, distance) = match (kind, second64) {
            (RangeKind::UpTo, _) => {
                let distance = self.b().size_op(BinOp::Sub, end64, start64);
                let up = self.b().cmp(CmpOp::Lt, zero, step);
                let order = self.b().cmp(CmpOp::Le, start64, end64);
                (self.b().and(up, order), distance)
            }
            (RangeKind::DownTo, _) => {
                let distance = self.b().size_op(BinOp::Sub, start64, end64);
                let down = self.b().cmp(CmpOp::Lt, step, zero);
                let order = self.b().cmp(CmpOp::Le, end64, start64);
                (self.b().and(down, order), distance)
            }
            (RangeKind::Inclusive, None) => {
                let distance = self.b().size_op(BinOp::Sub, end64, start64);
                let distance = self.b().size_op(BinOp::Add, distance, Atom::i64(1));
                let order = self.b().cmp(CmpOp::Le, zero, distance);
                (order, distance)
            }
            (RangeKind::Inclusive, Some(_)) => {
                let up = self.b().cmp(CmpOp::Lt, zero, step);
                let forward = self.b().cmp(CmpOp::Le, start64, end64);
                let backward = self.b().cmp(CmpOp::Le, end64, start64);
                let is_zero = self.b().cmp(CmpOp::Eq, step, zero);
                let nonzero = self.b().not(is_zero);
                let not_up = self.b().not(up);
                let a = self.b().and(up, forward);
                let b = self.b().and(not_up, backward);
                let order = self.b().or(a, b);
                let difference = self.b().size_op(BinOp::Sub, end64, start64);
                let distance =
                    self.b().one("n", Type::I64, Exp::UnOp(fehu_ir::UnOp::Abs, difference));
                let distance = self.b().size_op(BinOp::Add, distance, Atom::i64(1));
                (self.b().and(order, nonzero), distance)
            }
        };
        let cert = if self.safe {
            let mut parts = vec![text("Range "), CheckPart::Value(start)];
            if let Some(second) = second {
                parts.extend([text(".."), CheckPart::Value(second)]);
            }
            let dots = match kind {
                RangeKind::Inclusive => "...",
                RangeKind::UpTo => "..<",
                RangeKind::DownTo => "..>",
            };
            parts.extend([text(dots), CheckPart::Value(end), text(" is invalid.")]);
            let places = self.places(span);
            Some(self.b().assert(valid, parts, places))
        } else {
            None
        };
        // Steps of one need no division.
        let size = match step {
            Atom::Const(Scalar::I64(1 | -1)) => distance,
            step => {
                let width = self.b().one("step", Type::I64, Exp::UnOp(fehu_ir::UnOp::Abs, step));
                let last = self.b().size_op(BinOp::Sub, width, Atom::i64(1));
                let total = self.b().size_op(BinOp::Add, distance, last);
                let with = crate::build::Attach {
                    certs: cert.into_iter().collect(),
                    ..Default::default()
                };
                let exp = Exp::BinOp(BinOp::Quot, total, width);
                Atom::Var(self.b().emit(exp, vec![("n", Type::I64)], with)[0])
            }
        };
        let step = self.i64_as(prim, step);
        let size = match cert {
            Some(cert) if matches!(size, Atom::Var(_) | Atom::Const(_)) => {
                let known = matches!(size, Atom::Const(Scalar::I64(n)) if n >= 0);
                if known { size } else { self.certified_size(size, cert) }
            }
            _ => size,
        };
        let ty = Type::Array(Elem::Prim(prim), vec![size]);
        let iota = self.b().one("range", ty, Exp::Iota(prim, size, start, step));
        Ok(Val::Array(size, Rc::new(Shape::Prim(prim)), Rc::new([iota])))
    }

    /// The size, known to be right once a check has passed.
    fn certified_size(&mut self, size: Atom, cert: fehu_ir::Var) -> Atom {
        let with = crate::build::Attach { certs: vec![cert], ..Default::default() };
        Atom::Var(self.b().emit(Exp::Atom(size), vec![("n", Type::I64)], with)[0])
    }

    pub(crate) fn as_i64(&mut self, prim: Prim, atom: Atom) -> Atom {
        match (prim, atom) {
            (Prim::I64, atom) => atom,
            _ => self.b().one("n", Type::I64, Exp::Convert(Prim::I64, atom)),
        }
    }

    pub(crate) fn i64_as(&mut self, prim: Prim, atom: Atom) -> Atom {
        match prim {
            Prim::I64 => atom,
            prim => self.b().one("x", Type::prim(prim), Exp::Convert(prim, atom)),
        }
    }
}

/// A number literal as a scalar of a type.
pub(crate) fn scalar(lit: &Lit, negative: bool, prim: Prim) -> Scalar {
    let sign = if negative { -1.0 } else { 1.0 };
    let integer = match lit {
        Lit::Int { value, .. } => *value,
        Lit::Char(c) => u128::from(u32::from(*c)),
        Lit::Bool(b) => u128::from(*b),
        Lit::Float { value, .. } => return float(sign * value, prim),
        Lit::String(_) => 0,
    };
    if prim.is_float() {
        return float(sign * integer as f64, prim);
    }
    let bits = integer as u64;
    Scalar::from_bits(prim, if negative { bits.wrapping_neg() } else { bits })
}

/// An integer as a scalar of a type.
pub(crate) fn integer(value: i64, prim: Prim) -> Scalar {
    if prim.is_float() {
        return float(value as f64, prim);
    }
    Scalar::from_bits(prim, value as u64)
}

pub(crate) fn float(value: f64, prim: Prim) -> Scalar {
    match prim {
        Prim::F16 => Scalar::F16(f16::from_f64(value)),
        Prim::F32 => Scalar::F32(value as f32),
        _ => Scalar::F64(value),
    }
}
