//! Sizes and types of the checker, evaluated.

use crate::build::Attach;
use crate::env::{Frame, Term, TypeVal};
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Prim, Span, bug};
use fehu_check::ty::{Arg, Size, Ty, TypeFnParam};
use fehu_ir::{Atom, Exp, Scalar, Type, Var};
use std::rc::Rc;

/// What the sizes in a type are, given the frame in which they have their meaning.
pub(crate) type SizeOf<'f, 'a> = dyn FnMut(&mut Lower<'a>, &Size, &Rc<Frame<'a>>) -> Res<Atom> + 'f;

impl<'a> Lower<'a> {
    /// The operand for a size; `None` if something in it is not known here.
    pub(crate) fn size(
        &mut self,
        size: &Size,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Atom>> {
        Ok(match self.term(size, Some(Prim::I64), frame, span)? {
            Some(Val::Scalar(_, atom)) => Some(atom),
            Some(_) => self.bug(span, "a size is not a number"),
            None => None,
        })
    }

    /// The shape of a type, all of whose sizes are known here.
    pub(crate) fn shape_of(&mut self, ty: &Ty, frame: &Rc<Frame<'a>>, span: Span) -> Res<Shape> {
        match self.known_shape(ty, frame, span)? {
            Some(shape) => Ok(shape),
            None => self.bug(span, "a size or a type is needed here before it is known"),
        }
    }

    /// The shape of a type, if it and all its sizes are known here.
    pub(crate) fn known_shape(
        &mut self,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Shape>> {
        let mut known = true;
        let shape = self.shape_by(ty, frame, span, &mut |this, size, frame| {
            let size = if known { this.size(size, frame, span)? } else { None };
            known &= size.is_some();
            // The shape is not used then.
            Ok(size.unwrap_or(Atom::i64(0)))
        })?;
        Ok(shape.filter(|_| known))
    }

    /// The shape of a type in which sizes that are not known here are 0: for values that are never
    /// looked at, and where the sizes will be replaced.
    pub(crate) fn loose_shape(&mut self, ty: &Ty, frame: &Rc<Frame<'a>>, span: Span) -> Res<Shape> {
        match self.known_loose_shape(ty, frame, span)? {
            Some(shape) => Ok(shape),
            None => self.bug(span, "a type is not known here"),
        }
    }

    /// Likewise, if the type is known here.
    pub(crate) fn known_loose_shape(
        &mut self,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Option<Shape>> {
        self.shape_by(ty, frame, span, &mut |this, size, frame| {
            Ok(this.size(size, frame, span)?.unwrap_or(Atom::i64(0)))
        })
    }

    /// The shape of a type, with the operands that `size_of` gives for the sizes; `None` if a type in it is not known here,
    /// because the module that it belongs to is seen from outside.
    pub(crate) fn shape_by(
        &mut self,
        ty: &Ty,
        frame: &Rc<Frame<'a>>,
        span: Span,
        size_of: &mut SizeOf<'_, 'a>,
    ) -> Res<Option<Shape>> {
        Ok(Some(match ty {
            Ty::Prim(prim) => Shape::Prim(*prim),
            Ty::Unique(inner) => return self.shape_by(inner, frame, span, size_of),
            Ty::Array(size, elem) => {
                let size = size_of(self, size, frame)?;
                match self.shape_by(elem, frame, span, size_of)? {
                    Some(elem) => Shape::Array(size, Rc::new(elem)),
                    None => return Ok(None),
                }
            }
            Ty::Record(fields) => {
                let mut shapes = Vec::with_capacity(fields.len());
                for (name, ty) in fields.iter() {
                    let Some(shape) = self.shape_by(ty, frame, span, size_of)? else {
                        return Ok(None);
                    };
                    shapes.push((name.clone(), shape));
                }
                Shape::Record(shapes.into())
            }
            Ty::Sum(ctors) => {
                let mut shapes = Vec::with_capacity(ctors.len());
                for (name, payload) in ctors.iter() {
                    let mut parts = Vec::with_capacity(payload.len());
                    for ty in payload {
                        let Some(part) = self.shape_by(ty, frame, span, size_of)? else {
                            return Ok(None);
                        };
                        parts.push(part);
                    }
                    shapes.push((name.clone(), parts));
                }
                Shape::Sum(shapes.into())
            }
            Ty::Fun(_) => Shape::Fun,
            Ty::Con(id, args) => {
                if let Some(shape) = frame.get_shape(*id) {
                    return Ok(Some(shape));
                }
                let Some(def) = frame.get_type(*id) else { return Ok(None) };
                let inner = self.apply_type(&def, args, frame, span)?;
                return self.shape_by(&def.ty, &inner, span, size_of);
            }
            // A type that nothing determines can be any.
            Ty::Meta(_) => Shape::unit(),
            Ty::Error => self.bug(span, "a type is wrong"),
        }))
    }

    /// Where the definition of a type has its meaning, for these arguments.
    fn apply_type(
        &mut self,
        def: &TypeVal<'a>,
        args: &[Arg],
        frame: &Rc<Frame<'a>>,
        span: Span,
    ) -> Res<Rc<Frame<'a>>> {
        if args.is_empty() {
            return Ok(def.frame.clone());
        }
        let inner = Frame::new(def.frame.file, Some(def.frame.clone()));
        for (param, arg) in def.params.iter().zip(args) {
            match (param, arg) {
                (TypeFnParam::Size(var), Arg::Size(size)) => {
                    if let Some(atom) = self.size(size, frame, span)? {
                        inner.bind(*var, Term::Val(Val::i64(atom)));
                    }
                }
                (TypeFnParam::Type(id), Arg::Type(ty)) => inner.bind_type(
                    *id,
                    TypeVal { params: Rc::new([]), ty: ty.clone(), frame: frame.clone() },
                ),
                (TypeFnParam::Size(_) | TypeFnParam::Type(_), _) => {
                    self.bug(span, "an argument of a type is of the wrong kind");
                }
            }
        }
        Ok(inner)
    }

    /// Binds the size variables of a type that are not bound yet to the sizes of a value of it.
    /// Returns the value with the sizes that were bound already, where they are other operands.
    pub(crate) fn bind_sizes(&mut self, ty: &Ty, value: Val<'a>, frame: &Rc<Frame<'a>>) -> Val<'a> {
        if value.has_function() {
            return match (ty, value) {
                (Ty::Record(types), Val::Record(fields)) => {
                    let mut new = Vec::with_capacity(fields.len());
                    for ((name, value), (_, ty)) in fields.iter().zip(types.iter()) {
                        let value = self.bind_sizes(ty, value.clone(), frame);
                        new.push((name.clone(), value));
                    }
                    Val::Record(new.into())
                }
                (_, value) => value,
            };
        }
        let shape = value.shape();
        let wanted = self.match_shape(ty, &shape, frame);
        self.with_shape(value, &wanted)
    }

    /// The shape with those sizes that the type determines.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only variables are bound")]
    fn match_shape(&mut self, ty: &Ty, shape: &Shape, frame: &Rc<Frame<'a>>) -> Shape {
        match (ty.unwrap_unique(), shape) {
            (Ty::Array(size, elem_ty), Shape::Array(actual, elem)) => {
                let size = match size {
                    Size::Var(var) => match frame.get(*var) {
                        Some(Term::Val(Val::Scalar(_, atom))) => atom,
                        _ => {
                            frame.bind(*var, Term::Val(Val::i64(*actual)));
                            *actual
                        }
                    },
                    _ => *actual,
                };
                Shape::Array(size, Rc::new(self.match_shape(elem_ty, elem, frame)))
            }
            (Ty::Record(types), Shape::Record(fields)) => {
                let mut new = Vec::with_capacity(fields.len());
                for ((name, shape), (_, ty)) in fields.iter().zip(types.iter()) {
                    new.push((name.clone(), self.match_shape(ty, shape, frame)));
                }
                Shape::Record(new.into())
            }
            (Ty::Sum(types), Shape::Sum(ctors)) => {
                let mut new = Vec::with_capacity(ctors.len());
                for ((name, shapes), (_, types)) in ctors.iter().zip(types.iter()) {
                    let mut payload = Vec::with_capacity(shapes.len());
                    for (shape, ty) in shapes.iter().zip(types) {
                        payload.push(self.match_shape(ty, shape, frame));
                    }
                    new.push((name.clone(), payload));
                }
                Shape::Sum(new.into())
            }
            (Ty::Con(id, args), shape) => match frame.get_type(*id) {
                Some(def) if !args.is_empty() => {
                    let inner = Frame::new(def.frame.file, Some(def.frame.clone()));
                    for (param, arg) in def.params.iter().zip(args.iter()) {
                        if let (TypeFnParam::Type(id), Arg::Type(ty)) = (param, arg) {
                            let ty = TypeVal {
                                params: Rc::new([]),
                                ty: ty.clone(),
                                frame: frame.clone(),
                            };
                            inner.bind_type(*id, ty);
                        }
                    }
                    let shape = self.match_shape(&def.ty, shape, &inner);
                    for (param, arg) in def.params.iter().zip(args.iter()) {
                        if let (TypeFnParam::Size(inner_var), Arg::Size(Size::Var(var))) =
                            (param, arg)
                            && frame.get(*var).is_none()
                            && let Some(term) = inner.get(*inner_var)
                        {
                            frame.bind(*var, term);
                        }
                    }
                    shape
                }
                Some(_) | None => shape.clone(),
            },
            (Ty::Prim(_) | Ty::Meta(_), _) => shape.clone(),
            (Ty::Array(..) | Ty::Record(_) | Ty::Sum(_), _) => {
                bug("a value is not of the form that its type has")
            }
            (Ty::Fun(_) | Ty::Unique(_) | Ty::Error, _) => bug("data is of no type that data has"),
        }
    }

    /// The value with another shape that differs only in operands of sizes, which are equal at run
    /// time: the arrays in it are given the new sizes.
    pub(crate) fn with_shape(&mut self, value: Val<'a>, shape: &Shape) -> Val<'a> {
        self.with_checked_shape(value, shape, None)
    }

    /// Likewise; the certificate says that they are equal.
    pub(crate) fn with_checked_shape(
        &mut self,
        value: Val<'a>,
        shape: &Shape,
        cert: Option<Var>,
    ) -> Val<'a> {
        if value.shape() == *shape {
            return value;
        }
        let types = shape.parts();
        let parts: Vec<Atom> = value
            .parts()
            .into_iter()
            .zip(types)
            .map(|(part, ty)| self.with_type(part, &ty, cert))
            .collect();
        Val::build(shape, &mut parts.into_iter())
    }

    /// The operand with a type that differs only in sizes.
    pub(crate) fn with_type(&mut self, part: Atom, ty: &Type, cert: Option<Var>) -> Atom {
        match part {
            Atom::Var(var) if ty.is_array() && self.b().type_of(var) != ty => {
                let exp = match (count(self.b().type_of(var)), count(ty)) {
                    // Known to differ: a check has failed before this is reached.
                    (Some(m), Some(n)) if m != n => {
                        let elem = ty.elem().or_bug("type for the elements of an array");
                        Exp::Scratch(elem, ty.shape().to_vec())
                    }
                    _ => Exp::Reshape(var, ty.shape().to_vec()),
                };
                let with = Attach { certs: cert.into_iter().collect(), ..Default::default() };
                Atom::Var(self.b().emit(exp, vec![("a", ty.clone())], with)[0])
            }
            Atom::Var(_) | Atom::Const(_) => part,
        }
    }

    /// The variable of an operand that is an array; a constant cannot be one.
    pub(crate) fn array_var(&self, part: Atom) -> Var {
        match part {
            Atom::Var(var) => var,
            Atom::Const(_) => bug("a constant is used as an array"),
        }
    }
}

/// The number of elements, if it is known.
fn count(ty: &Type) -> Option<i64> {
    ty.shape().iter().try_fold(1i64, |count, size| match size {
        Atom::Const(Scalar::I64(n)) => count.checked_mul(*n),
        Atom::Const(_) | Atom::Var(_) => None,
    })
}
