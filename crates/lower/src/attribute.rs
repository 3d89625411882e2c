//! Attributes: those that mean something here, and those that go with the statements.

use crate::env::Frame;
use crate::value::Val;
use crate::{Lower, Res, Unsafe};
use fehu_base::{Prim, Span};
use fehu_ir::{Atom, Attr, Exp, Type};
use fehu_syntax::ast;
use std::rc::Rc;

impl<'a> Lower<'a> {
    pub(crate) fn attributed(
        &mut self,
        span: Span,
        attr: &'a ast::Attr,
        inner: &'a ast::Exp,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let lowered = attribute(attr);
        match lowered.name.as_str() {
            "unsafe" => {
                let ignored = self.unsafety == Unsafe::Ignored && !self.in_prelude(frame);
                let safe = ignored && self.safe;
                let outer = std::mem::replace(&mut self.safe, safe);
                let value = self.exp(inner, frame);
                self.safe = outer;
                value
            }
            "break" => {
                self.breakpoint(span, frame);
                self.exp(inner, frame)
            }
            "trace" => {
                // Without a name, the place tells traces apart.
                let tag = match lowered.args.first() {
                    Some(name) => name.name.clone(),
                    None => self.loc(span).0,
                };
                let value = self.exp(inner, frame)?;
                Ok(self.map_parts(value, |part| Exp::Trace(tag.clone(), part)))
            }
            "opaque" => {
                let value = self.exp(inner, frame)?;
                Ok(self.map_parts(value, Exp::Opaque))
            }
            "param" => {
                let value = self.exp(inner, frame)?;
                match (&value, lowered.args.first()) {
                    (Val::Scalar(Prim::I64, atom), Some(name)) => {
                        let exp = Exp::Tuning(name.name.clone(), *atom);
                        Ok(Val::i64(self.b().one("param", Type::I64, exp)))
                    }
                    // An attribute that does not fit means nothing.
                    _ => Ok(value),
                }
            }
            "blank" | "scratch" => {
                let ty = self.node_type(inner.id, frame);
                match self.known_shape(&ty, frame, inner.span)? {
                    Some(shape) => {
                        // Nobody knows what is in scratch memory; elsewhere there are zeros.
                        let parts: Vec<Atom> = shape
                            .parts()
                            .iter()
                            .map(|ty| match ty {
                                Type::Array(elem, shape) if &*lowered.name == "scratch" => {
                                    let exp = Exp::Scratch(*elem, shape.clone());
                                    self.b().one("scratch", ty.clone(), exp)
                                }
                                Type::Array(..) | Type::Scalar(_) | Type::Acc(_) => self.blank(ty),
                            })
                            .collect();
                        Ok(Val::build(&shape, &mut parts.into_iter()))
                    }
                    // The sizes are known once the value is.
                    None => self.exp(inner, frame),
                }
            }
            _ => {
                self.attrs.push(lowered);
                let value = self.exp(inner, frame);
                self.attrs.pop();
                value
            }
        }
    }

    /// The value with an operation applied to each of its operands.
    fn map_parts(&mut self, value: Val<'a>, op: impl Fn(Atom) -> Exp) -> Val<'a> {
        self.map_data(value, &mut |this, value| {
            let shape = value.shape();
            let types = shape.parts();
            let parts: Vec<Atom> = value
                .parts()
                .into_iter()
                .zip(types)
                .map(|(part, ty)| this.b().one("x", ty, op(part)))
                .collect();
            Val::build(&shape, &mut parts.into_iter())
        })
    }
}

/// An attribute of the source.
pub(crate) fn attribute(attr: &ast::Attr) -> Attr {
    match &attr.kind {
        ast::AttrKind::Name(name) => Attr::named(name.clone()),
        ast::AttrKind::Int(n) => Attr::named(ecow::eco_format!("{n}")),
        ast::AttrKind::Call(name, args) => {
            Attr { name: name.clone(), args: args.iter().map(attribute).collect() }
        }
    }
}
