//! Indexing, slicing, updates and coercions.

use crate::build::{Attach, text};
use crate::env::Frame;
use crate::message;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::Span;
use fehu_check::ty::Ty;
use fehu_ir::{Atom, BinOp, CheckPart, CmpOp, Dim, Exp, Scalar, Type, Var};
use fehu_syntax::ast::{self, Access, DimIndex};
use std::rc::Rc;

/// One dimension of an index, evaluated.
pub(crate) enum Index<'a> {
    Fix(Val<'a>),
    Slice { start: Option<Atom>, end: Option<Atom>, step: Option<Atom> },
}

impl<'a> Lower<'a> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(crate) fn dims(
        &mut self,
        dims: &'a [DimIndex],
        frame: &Rc<Frame<'a>>,
    ) -> Res<Vec<Index<'a>>> {
        let mut out = Vec::with_capacity(dims.len());
        for dim in dims {
            out.push(match dim {
                DimIndex::Fix(index) => Index::Fix(self.exp(index, frame)?),
                DimIndex::Slice { start, end, step, .. } => {
                    let mut part = |exp: &'a Option<Box<ast::Exp>>| match exp {
                        Some(exp) => match self.exp(exp, frame)? {
                            Val::Scalar(_, atom) => Ok(Some(atom)),
                            _ => self.bug(exp.span, "the bounds of a slice are not numbers"),
                        },
                        None => Ok(None),
                    };
                    Index::Slice { start: part(start)?, end: part(end)?, step: part(step)? }
                }
            });
        }
        Ok(out)
    }

    /// An element, row or slice of an array.
    pub(crate) fn index_value(
        &mut self,
        array: &Val<'a>,
        dims: &[Index<'a>],
        span: Span,
    ) -> Res<Val<'a>> {
        let (dims, shape, cert) = self.locate(array, dims, span)?;
        let types = shape.parts();
        let arrays = array.parts();
        let mut parts = Vec::with_capacity(types.len());
        for (ty, array) in types.into_iter().zip(arrays) {
            let array = self.array_var(array);
            let with = Attach { certs: cert.into_iter().collect(), ..Default::default() };
            let exp = Exp::Index(array, dims.clone());
            parts.push(Atom::Var(self.b().emit(exp, vec![("x", ty)], with)[0]));
        }
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    /// Checks an index and yields it with the shape of what it selects.
    fn locate(
        &mut self,
        array: &Val<'a>,
        dims: &[Index<'a>],
        span: Span,
    ) -> Res<(Vec<Dim>, Shape, Option<Var>)> {
        let mut shape = array.shape();
        let mut out = Vec::with_capacity(dims.len());
        let mut kept = Vec::new();
        let mut valid = Atom::bool(true);
        let mut shown: Vec<CheckPart> = Vec::new();
        let mut sizes: Vec<Atom> = Vec::new();
        for dim in dims {
            let Shape::Array(size, elem) = &shape else {
                self.bug(span, "too many indices");
            };
            let (size, elem) = (*size, elem.clone());
            sizes.push(size);
            if !shown.is_empty() {
                shown.push(text(", "));
            }
            match dim {
                Index::Fix(index) => {
                    let Val::Scalar(prim, atom) = index else {
                        self.bug(span, "an index is not a number");
                    };
                    let index = self.as_i64(*prim, *atom);
                    if self.safe {
                        let low = self.b().cmp(CmpOp::Le, Atom::i64(0), index);
                        let high = self.b().cmp(CmpOp::Lt, index, size);
                        let both = self.b().and(low, high);
                        valid = self.b().and(valid, both);
                        shown.push(CheckPart::Value(index));
                    }
                    out.push(Dim::Fix(index));
                }
                Index::Slice { start, end, step } => {
                    let (dim, len, ok) = self.slice(size, *start, *end, *step, &mut shown);
                    valid = self.b().and(valid, ok);
                    out.push(dim);
                    kept.push(len);
                }
            }
            shape = (*elem).clone();
        }
        // The message has the sizes of the dimensions that are indexed, and not of those of what is there.
        let cert = if self.safe && valid != Atom::bool(true) {
            let mut parts = vec![text("Index [")];
            parts.extend(shown);
            parts.push(text("] out of bounds for array of shape ["));
            for (i, size) in sizes.iter().enumerate() {
                if i > 0 {
                    parts.push(text("]["));
                }
                parts.push(CheckPart::Value(*size));
            }
            parts.push(text("]."));
            let places = self.places(span);
            Some(self.b().assert(valid, parts, places))
        } else {
            None
        };
        let shape =
            kept.into_iter().rev().fold(shape, |shape, len| Shape::Array(len, Rc::new(shape)));
        Ok((out, shape, cert))
    }

    /// A slice of a dimension: where, how long, and whether it is in bounds.
    fn slice(
        &mut self,
        size: Atom,
        start: Option<Atom>,
        end: Option<Atom>,
        step: Option<Atom>,
        shown: &mut Vec<CheckPart>,
    ) -> (Dim, Atom, Atom) {
        let (zero, one) = (Atom::i64(0), Atom::i64(1));
        for (part, mark) in [(start, ":"), (end, if step.is_some() { ":" } else { "" }), (step, "")]
        {
            if let Some(part) = part {
                shown.push(CheckPart::Value(part));
            }
            shown.push(text(mark));
        }
        match step {
            None | Some(Atom::Const(Scalar::I64(1))) => {
                let from = start.unwrap_or(zero);
                let to = end.unwrap_or(size);
                let len = match (start, end) {
                    (None, None) => size,
                    _ => self.b().size_op(BinOp::Sub, to, from),
                };
                let ok = match (start, end) {
                    (None, None) => Atom::bool(true),
                    _ if !self.safe => Atom::bool(true),
                    _ => {
                        let low = self.b().cmp(CmpOp::Le, zero, from);
                        let order = self.b().cmp(CmpOp::Le, from, to);
                        let high = self.b().cmp(CmpOp::Le, to, size);
                        let both = self.b().and(low, order);
                        self.b().and(both, high)
                    }
                };
                (Dim::Slice { start: from, len, stride: one }, len, ok)
            }
            Some(step) => {
                let backwards = self.b().cmp(CmpOp::Lt, step, zero);
                let last = self.b().size_op(BinOp::Sub, size, one);
                let pick = |this: &mut Self, down: Atom, up: Atom| match backwards {
                    Atom::Const(Scalar::Bool(true)) => down,
                    Atom::Const(_) => up,
                    Atom::Var(_) => {
                        let bodies = [fehu_ir::Body::of(vec![down]), fehu_ir::Body::of(vec![up])];
                        this.b().one("n", Type::I64, Exp::If(backwards, Box::new(bodies)))
                    }
                };
                let from = start.unwrap_or_else(|| pick(self, last, zero));
                let to = end.unwrap_or_else(|| pick(self, Atom::i64(-1), size));
                let distance = self.b().size_op(BinOp::Sub, to, from);
                // The number of steps, rounded up: (distance + step - sign) / step.
                let sign = self.b().one("s", Type::I64, Exp::UnOp(fehu_ir::UnOp::Sgn, step));
                let total = self.b().size_op(BinOp::Add, distance, step);
                let total = self.b().size_op(BinOp::Sub, total, sign);
                let is_zero = self.b().cmp(CmpOp::Eq, step, zero);
                let nonzero = self.b().not(is_zero);
                let divisor = {
                    let bodies = [fehu_ir::Body::of(vec![one]), fehu_ir::Body::of(vec![step])];
                    self.b().one("d", Type::I64, Exp::If(is_zero, Box::new(bodies)))
                };
                let len = self.b().one("n", Type::I64, Exp::BinOp(BinOp::Quot, total, divisor));
                let ok = if self.safe {
                    let nonnegative = self.b().cmp(CmpOp::Le, zero, len);
                    let empty = self.b().cmp(CmpOp::Eq, len, zero);
                    let steps = self.b().size_op(BinOp::Sub, len, one);
                    let offset = self.b().size_op(BinOp::Mul, steps, step);
                    let end = self.b().size_op(BinOp::Add, from, offset);
                    let mut inside = Atom::bool(true);
                    for position in [from, end] {
                        let low = self.b().cmp(CmpOp::Le, zero, position);
                        let high = self.b().cmp(CmpOp::Lt, position, size);
                        let both = self.b().and(low, high);
                        inside = self.b().and(inside, both);
                    }
                    let fits = self.b().or(empty, inside);
                    let fits = self.b().and(nonnegative, fits);
                    self.b().and(nonzero, fits)
                } else {
                    Atom::bool(true)
                };
                (Dim::Slice { start: from, len, stride: step }, len, ok)
            }
        }
    }

    /// The path of an update, and then the new value, evaluated.
    pub(crate) fn new_value(
        &mut self,
        path: &'a [Access],
        value: &'a ast::Exp,
        frame: &Rc<Frame<'a>>,
    ) -> Res<(Vec<Step<'a>>, Val<'a>)> {
        let mut steps = Vec::with_capacity(path.len());
        for step in path {
            steps.push(match step {
                Access::Field(field) => Step::Field(field.name.clone()),
                Access::Index(dims, _) => Step::Index(self.dims(dims, frame)?),
            });
        }
        Ok((steps, self.exp(value, frame)?))
    }

    /// A value with the part that a path leads to replaced.
    pub(crate) fn replace(
        &mut self,
        base: Val<'a>,
        path: &[Step<'a>],
        value: Val<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        match path.split_first() {
            None => Ok(value),
            Some((Step::Field(name), rest)) => {
                let part = self.project(&base, name, span)?;
                let part = self.replace(part, rest, value, span)?;
                let Val::Record(fields) = &base else {
                    self.bug(span, "a field of a value is updated that is no record");
                };
                Ok(Val::Record(
                    fields
                        .iter()
                        .map(|(f, v)| (f.clone(), if f == name { part.clone() } else { v.clone() }))
                        .collect(),
                ))
            }
            Some((Step::Index(dims), rest)) => {
                let (value, old) = if rest.is_empty() {
                    (value, Vec::new())
                } else {
                    let part = self.index_value(&base, dims, span)?;
                    // The row is changed by itself and put back, so it must not be a view.
                    let part = self.fresh(&part, Exp::Copy);
                    (self.replace(part.clone(), rest, value, span)?, part.parts())
                };
                let (dims, shape, cert) = self.locate(&base, dims, span)?;
                let (value, fits) = self.fit_slice(value, &shape, span);
                let mut parts = Vec::new();
                for (i, (array, value)) in base.parts().into_iter().zip(value.parts()).enumerate() {
                    if old.get(i) == Some(&value) {
                        // A field that stays as it is.
                        parts.push(array);
                        continue;
                    }
                    let array = self.array_var(array);
                    let ty = self.b().type_of(array).clone();
                    let certs = cert.into_iter().chain(fits).collect();
                    let with = Attach { certs, ..Default::default() };
                    let exp = Exp::Update(array, dims.clone(), value);
                    parts.push(Atom::Var(self.b().emit(exp, vec![("x", ty)], with)[0]));
                }
                Ok(Val::build(&base.shape(), &mut parts.into_iter()))
            }
        }
    }

    /// A value for a slice: its sizes must be the slice's, which is checked.
    fn fit_slice(&mut self, value: Val<'a>, shape: &Shape, span: Span) -> (Val<'a>, Option<Var>) {
        let found = value.shape();
        if found == *shape {
            return (value, None);
        }
        let cert = self.same_sizes(&found, shape, span, |found, wanted| {
            let mut parts = vec![text("Cannot write array of shape ")];
            parts.extend(message::sizes(found));
            parts.push(text(" to slice of shape "));
            parts.extend(message::sizes(wanted));
            parts.push(text("."));
            parts
        });
        (self.with_checked_shape(value, shape, cert), cert)
    }

    /// `e :> t`
    pub(crate) fn coerce(
        &mut self,
        value: Val<'a>,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Val<'a>> {
        if value.has_function() {
            return self.coerce_data(value, ty, frame, span);
        }
        let shape = self.shape_of(ty, frame, span)?;
        let found = value.shape();
        if found == shape {
            return Ok(value);
        }
        let written = self.program_type(ty);
        let cert = self.same_sizes(&found, &shape, span, |_, _| {
            let mut parts = vec![text("Value of (desugared) shape ")];
            parts.extend(message::shape(&found));
            parts.push(text(" cannot match shape of type \""));
            let wanted = message::type_of(&shape);
            parts.extend(wanted.iter().cloned());
            // In numbers, and as it was written, unless that is the same.
            parts.push(text(match message::constant(&wanted) {
                Some(wanted) if wanted == written => "\".".to_owned(),
                Some(_) | None => format!("\". The type is written \"{written}\"."),
            }));
            parts
        });
        let value = self.with_checked_shape(value, &shape, cert);
        Ok(self.certify(value, cert))
    }

    /// Likewise, for the data in a value with functions.
    fn coerce_data(
        &mut self,
        value: Val<'a>,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Val<'a>> {
        match (ty.unwrap_unique(), value) {
            (Ty::Record(types), Val::Record(fields)) => {
                let mut new = Vec::with_capacity(fields.len());
                for ((name, part), (_, ty)) in fields.iter().zip(types.iter()) {
                    new.push((name.clone(), self.coerce(part.clone(), ty, frame, span)?));
                }
                Ok(Val::Record(new.into()))
            }
            // The sizes in the type of a function are checked by the function, those of a known choice where it was made.
            (_, value) => Ok(value),
        }
    }

    pub(crate) fn program_type(&self, ty: &Ty) -> String {
        fehu_check::ty::Printer { vars: &self.program.vars, types: &self.program.types }.ty(ty)
    }

    /// A check that two shapes of one type have the same sizes.
    pub(crate) fn same_sizes(
        &mut self,
        found: &Shape,
        wanted: &Shape,
        span: Span,
        message: impl FnOnce(&[Atom], &[Atom]) -> Vec<CheckPart>,
    ) -> Option<Var> {
        if !self.safe {
            return None;
        }
        let mut a = Vec::new();
        found.for_each_size(&mut |size| a.push(size));
        let mut b = Vec::new();
        wanted.for_each_size(&mut |size| b.push(size));
        let mut same = Atom::bool(true);
        for (x, y) in a.iter().zip(&b) {
            if x != y {
                let equal = self.b().cmp(CmpOp::Eq, *x, *y);
                same = self.b().and(same, equal);
            }
        }
        if same == Atom::bool(true) {
            return None;
        }
        let parts = message(&a, &b);
        let places = self.places(span);
        Some(self.b().assert(same, parts, places))
    }
}

/// One step of the path of an update, evaluated.
pub(crate) enum Step<'a> {
    Field(ecow::EcoString),
    Index(Vec<Index<'a>>),
}
