//! Array literals and constructors.

use crate::env::Frame;
use crate::value::{Shape, Val, payload_slots};
use crate::{Lower, Res};
use fehu_base::{OrBug, Span};
use fehu_check::ty::Ty;
use fehu_ir::{Atom, Elem, Exp, Scalar, Type};
use fehu_syntax::ast;
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub(crate) fn array(
        &mut self,
        exp: &'a ast::Exp,
        elems: &'a [ast::Exp],
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let mut values = Vec::with_capacity(elems.len());
        for elem in elems {
            values.push(self.exp(elem, frame)?);
        }
        let size = Atom::i64(values.len() as i64);
        let shape = match values.first() {
            Some(first) => first.shape(),
            None => {
                let ty = self.node_type(exp.id, frame);
                let Ty::Array(_, elem) = &ty else {
                    self.bug(exp.span, "an array literal is not an array");
                };
                self.shape_of(elem, frame, exp.span)?
            }
        };
        let values: Vec<Val<'a>> =
            values.into_iter().map(|value| self.with_shape(value, &shape)).collect();
        let rows: Vec<Vec<Atom>> = values.iter().map(Val::parts).collect();
        Ok(self.array_of_rows(size, shape, &rows))
    }

    /// An array whose rows are given part by part.
    pub(crate) fn array_of_rows(
        &mut self,
        size: Atom,
        shape: Shape,
        rows: &[Vec<Atom>],
    ) -> Val<'a> {
        let whole = Shape::Array(size, Rc::new(shape));
        let mut parts = Vec::new();
        for (i, ty) in whole.parts().into_iter().enumerate() {
            let elem = ty.elem().or_bug("type for the elements of an array");
            // Elements that hold nothing have no parts, but the array has one for its size.
            let column: Vec<Atom> = match elem {
                Elem::Unit => Vec::new(),
                Elem::Prim(_) => rows.iter().map(|row| row[i]).collect(),
            };
            let exp = match (column.is_empty(), elem) {
                (true, _) | (_, Elem::Unit) => Exp::Scratch(elem, ty.shape().to_vec()),
                _ => Exp::Array(elem, column),
            };
            parts.push(self.b().one("a", ty, exp));
        }
        Val::build(&whole, &mut parts.into_iter())
    }

    /// A value of a sum type.
    pub(crate) fn constructor(
        &mut self,
        name: &str,
        payload: Vec<Val<'a>>,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Val<'a>> {
        // Sizes that only other constructors have may not be known: nothing of that size is there.
        let inner = Frame::new(frame.file, Some(frame.clone()));
        let mut given_shapes = Vec::new();
        if let Ty::Sum(ctors) = ty.unwrap_unique()
            && let Some((_, types)) = ctors.iter().find(|(c, _)| c == name)
        {
            for (value, ty) in payload.iter().zip(types) {
                given_shapes.push(match self.known_shape(ty, &inner, span)? {
                    Some(shape) => shape,
                    None => self.bind_sizes(ty, value.clone(), &inner).shape(),
                });
            }
        }
        let shape = self.loose_shape(ty, &inner, span)?;
        if holds_function(&shape) {
            return Ok(Val::Choice(name.into(), payload.into()));
        }
        let Shape::Sum(ctors) = &shape else {
            self.bug(span, "a constructor's type is not a sum");
        };
        let Some(tag) = ctors.iter().position(|(c, _)| c == name) else {
            self.bug(span, "a constructor is not in its type");
        };
        let mut ctors = ctors.to_vec();
        if given_shapes.len() == ctors[tag].1.len() {
            ctors[tag].1 = given_shapes;
        }
        let ctors = &ctors[..];
        let shape = Shape::Sum(ctors.into());
        let mut given = Vec::new();
        for (value, shape) in payload.into_iter().zip(&ctors[tag].1) {
            given.extend(self.with_shape(value, shape).parts());
        }
        let mine = payload_slots(ctors, name);
        let tags = usize::from(ctors.len() > 1);
        let mut parts = Vec::new();
        for (i, ty) in shape.parts().into_iter().enumerate() {
            if i < tags {
                parts.push(Atom::Const(Scalar::U8(tag as u8)));
                continue;
            }
            match mine.iter().position(|&slot| slot == i - tags) {
                Some(j) => parts.push(given[j]),
                None => parts.push(self.blank(&ty)),
            }
        }
        Ok(Val::build(&shape, &mut parts.into_iter()))
    }

    /// Something of this type.
    pub(crate) fn blank(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Scalar(Elem::Prim(prim)) => crate::build::zero(*prim),
            Type::Scalar(Elem::Unit) | Type::Acc(_) => Atom::Const(Scalar::Unit),
            Type::Array(elem, shape) => {
                let exp = match elem {
                    Elem::Prim(prim) => Exp::Replicate(shape.clone(), crate::build::zero(*prim)),
                    Elem::Unit => Exp::Scratch(*elem, shape.clone()),
                };
                self.b().one("blank", ty.clone(), exp)
            }
        }
    }
}

/// Whether a shape has a place for a function.
pub(crate) fn holds_function(shape: &Shape) -> bool {
    match shape {
        Shape::Fun => true,
        Shape::Record(fields) => fields.iter().any(|(_, s)| holds_function(s)),
        Shape::Sum(ctors) => ctors.iter().any(|(_, ss)| ss.iter().any(holds_function)),
        Shape::Prim(_) | Shape::Array(..) | Shape::Acc(_) => false,
    }
}
