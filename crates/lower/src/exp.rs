//! Expressions.

use crate::env::{Frame, Term};
use crate::value::{Closure, Code, Val};
use crate::{Lower, Places, Res};
use fehu_base::{OrBug, Span};
use fehu_check::order::{self, First};
use fehu_check::program::VarKind;
use fehu_check::ty::Ty;
use fehu_ir::{Atom, Check, Exp, UnOp};
use fehu_syntax::ast::{self, ExpKind, LetKind, NodeId};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The value of an expression.
    pub(crate) fn exp(&mut self, exp: &'a ast::Exp, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        let value = match self.places {
            Places::OfAll if !self.in_prelude(frame) => {
                let around = self.common.here.replace(Some(self.loc(exp.span)));
                let value = self.exp_kind(exp, frame);
                self.common.here.replace(around);
                value?
            }
            Places::OfAll | Places::OfOperators => self.exp_kind(exp, frame)?,
        };
        let tables = self.tables(frame.file);
        if let (Val::Scalar(_, atom), Some(size)) = (&value, tables.sizes.get(&exp.id)) {
            frame.note_size(size.clone(), *atom);
        }
        // Sizes that come into being here are read off the value.
        match (tables.unknowns.get(&exp.id), tables.types.get(&exp.id)) {
            (Some(_), Some(ty)) => Ok(self.bind_sizes(ty, value, frame)),
            _ => Ok(value),
        }
    }

    /// The type that the checker gave a node.
    pub(crate) fn node_type(&self, node: NodeId, frame: &Frame<'a>) -> Ty {
        self.tables(frame.file).types.get(&node).or_bug("type of a node").clone()
    }

    fn exp_kind(&mut self, exp: &'a ast::Exp, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        match &exp.kind {
            ExpKind::Lit(lit) => self.literal(lit, false, &self.node_type(exp.id, frame)),
            ExpKind::Var(name) => {
                let count = name.quals.len() + 1;
                let mut value = self.name(exp.id, frame, exp.span)?;
                let fields = self.resolved(exp.id, frame).fields;
                let parts: Vec<&ast::Ident> = name.quals.iter().chain([&name.name]).collect();
                for field in &parts[count - fields..] {
                    value = self.project(&value, &field.name, field.span)?;
                }
                Ok(value)
            }
            ExpKind::Hole => {
                let ty = self.node_type(exp.id, frame);
                match arity(&ty) {
                    0 => self.hole(exp.span, &ty, frame),
                    arity => Ok(Val::Fun(Rc::new(Closure {
                        code: Code::Hole(exp, arity),
                        frame: frame.clone(),
                        instance: None,
                        args: Vec::new(),
                    }))),
                }
            }
            ExpKind::Paren(inner) | ExpKind::LocalOpen(_, inner) => self.exp(inner, frame),
            ExpKind::Tuple(parts) => {
                let mut values = Vec::with_capacity(parts.len());
                for part in parts {
                    values.push(self.exp(part, frame)?);
                }
                Ok(Val::tuple(values))
            }
            ExpKind::Record(fields) => {
                let mut values = Vec::with_capacity(fields.len());
                for field in fields {
                    let value = match &field.value {
                        Some(value) => self.exp(value, frame)?,
                        None => self.name(field.id, frame, field.name.span)?,
                    };
                    values.push((field.name.name.clone(), value));
                }
                values.sort_by(|a, b| fehu_check::ty::field_order(&a.0, &b.0));
                Ok(Val::Record(values.into()))
            }
            ExpKind::Array(elems) => self.array(exp, elems, frame),
            ExpKind::Project(inner, field) => {
                let value = self.exp(inner, frame)?;
                self.project(&value, &field.name, field.span)
            }
            ExpKind::Index(array, dims) => {
                let array = self.exp(array, frame)?;
                let dims = self.dims(dims, frame)?;
                self.index_value(&array, &dims, exp.span)
            }
            ExpKind::Ascribe(inner, _) => {
                let value = self.exp(inner, frame)?;
                let ty = self.node_type(exp.id, frame);
                Ok(self.bind_sizes(&ty, value, frame))
            }
            ExpKind::Coerce(inner, written) => {
                let value = self.exp(inner, frame)?;
                // As written, if that says all sizes: in the type of the node, names of sizes are replaced by
                // what they stand for, which may be terms that cannot be evaluated again.
                let written = self.tables(frame.file).type_exps.get(&written.id);
                let ty = match written {
                    Some((ty, anonymous)) if anonymous.is_empty() => ty.clone(),
                    _ => self.node_type(exp.id, frame),
                };
                self.coerce(value, &ty, frame, exp.span)
            }
            ExpKind::Negate(inner) => {
                if let ExpKind::Lit(lit @ (ast::Lit::Int { .. } | ast::Lit::Float { .. })) =
                    &inner.kind
                {
                    return self.literal(lit, true, &self.node_type(exp.id, frame));
                }
                let value = self.exp(inner, frame)?;
                self.unary(UnOp::Neg, &value, exp.span)
            }
            ExpKind::Not(inner) => {
                let value = self.exp(inner, frame)?;
                self.unary(UnOp::Not, &value, exp.span)
            }
            ExpKind::BinOp(bin) => self.binary(exp, bin, frame),
            ExpKind::Apply(fun, args) => {
                let mut values = Vec::with_capacity(args.len());
                let tables = self.tables(frame.file);
                let last = order::is_function_last(fun, args, tables, &self.program.vars);
                let first = if last { None } else { Some(self.exp(fun, frame)?) };
                // The order of the language: the last argument first.
                for arg in args.iter().rev() {
                    values.push(self.exp(arg, frame)?);
                }
                let mut value = match first {
                    Some(value) => value,
                    None => self.exp(fun, frame)?,
                };
                self.noticed(exp.span, frame, |this| {
                    for arg in values.into_iter().rev() {
                        value = this.apply(value, arg, exp.span)?;
                    }
                    Ok(value)
                })
            }
            ExpKind::Ctor(name, payload) => {
                let mut parts = Vec::new();
                for arg in payload {
                    parts.push(self.exp(arg, frame)?);
                }
                let ty = self.node_type(exp.id, frame);
                self.constructor(&name.name, parts, &ty, frame, exp.span)
            }
            ExpKind::Range(range) => self.range(exp, range, frame),
            ExpKind::If(parts) => {
                let cond = self.exp(&parts[0], frame)?;
                let (then, other) = (&parts[1], &parts[2]);
                self.branch(
                    &cond,
                    frame,
                    exp.span,
                    |this, f| this.exp(then, f),
                    |this, f| this.exp(other, f),
                )
            }
            ExpKind::Let(binds, body) => {
                for bind in binds {
                    self.let_bind(bind, frame)?;
                }
                let value = self.exp(body, frame);
                self.end_scope(binds, frame);
                value
            }
            ExpKind::Lambda(lambda) => {
                self.lent = true;
                Ok(Val::Fun(Rc::new(Closure {
                    code: Code::Lambda(exp, lambda),
                    frame: frame.clone(),
                    instance: None,
                    args: Vec::new(),
                })))
            }
            ExpKind::Loop(lp) => self.repeat(exp, lp, frame),
            ExpKind::Update(update) => {
                let tables = self.tables(frame.file);
                let first = order::of_update(update, tables, &self.program.vars);
                let (base, (path, value)) = match first {
                    First::Value => {
                        let new = self.new_value(&update.path, &update.value, frame)?;
                        (self.exp(&update.base, frame)?, new)
                    }
                    First::Base => {
                        let base = self.exp(&update.base, frame)?;
                        (base, self.new_value(&update.path, &update.value, frame)?)
                    }
                };
                self.replace(base, &path, value, exp.span)
            }
            ExpKind::Match(scrutinee, cases) => {
                let value = self.exp(scrutinee, frame)?;
                self.cases(&value, cases, frame, exp.span)
            }
            ExpKind::Assert(cond, inner) => {
                let Val::Scalar(_, cond_atom) = self.exp(cond, frame)? else {
                    self.bug(exp.span, "a condition is not a boolean");
                };
                let cert = if self.safe {
                    let text = self.sources.text(cond.span);
                    let parts = vec![crate::build::text(format!("Assertion is false: {text}"))];
                    let places = self.places(exp.span);
                    Some(self.b().assert(cond_atom, parts, places))
                } else {
                    None
                };
                let value = self.exp(inner, frame)?;
                Ok(self.certify(value, cert))
            }
            ExpKind::Attr(attr, inner) => self.attributed(exp.span, attr, inner, frame),
            ExpKind::Section(op) => self.name(op.id, frame, exp.span),
            ExpKind::SectionLeft(lhs, op) => {
                let lhs = self.exp(lhs, frame)?;
                let op = self.name(op.id, frame, exp.span)?;
                self.apply(op, lhs, exp.span)
            }
            ExpKind::SectionRight(op, rhs) => {
                let rhs = self.exp(rhs, frame)?;
                let fun = self.name(op.id, frame, exp.span)?;
                Ok(Val::Fun(Rc::new(Closure {
                    code: Code::SectionRight,
                    frame: frame.clone(),
                    instance: None,
                    args: vec![fun, rhs],
                })))
            }
            ExpKind::SectionAccess(path) => Ok(Val::Fun(Rc::new(Closure {
                code: Code::Access(exp, path),
                frame: frame.clone(),
                instance: None,
                args: Vec::new(),
            }))),
            ExpKind::Error => self.bug(exp.span, "the program has syntax errors"),
        }
    }

    fn let_bind(&mut self, bind: &'a ast::LetBind, frame: &Rc<Frame<'a>>) -> Res<()> {
        match &bind.kind {
            LetKind::Pat { pat, value, .. } => {
                let value = self.exp(value, frame)?;
                self.bind_param(pat, value, frame)
            }
            LetKind::Fun { .. } => {
                self.lent = true;
                let closure = Closure {
                    code: Code::Local(frame.file, bind),
                    frame: frame.clone(),
                    instance: None,
                    args: Vec::new(),
                };
                frame.bind(self.binder(bind.id, frame), Term::Val(Val::Fun(Rc::new(closure))));
                Ok(())
            }
            LetKind::Update { path, value, name } => {
                let base = self.name(bind.id, frame, name.span)?;
                let (path, value) = self.new_value(path, value, frame)?;
                let value = self.replace(base, &path, value, bind.span)?;
                frame.bind(self.binder(bind.id, frame), Term::Val(value));
                Ok(())
            }
        }
    }

    pub(crate) fn project(&mut self, value: &Val<'a>, field: &str, span: Span) -> Res<Val<'a>> {
        match value.field(field) {
            Some(value) => Ok(value.clone()),
            None => self.bug(span, format!("there is no field \"{field}\" here")),
        }
    }

    fn binary(
        &mut self,
        exp: &'a ast::Exp,
        bin: &'a ast::BinOp,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let operator = self.resolved(bin.op.id, frame).var;
        let builtin = self.program.vars[operator].kind == VarKind::Builtin;
        let name = bin.op.name.name.name.as_str();
        if builtin && (name == "&&" || name == "||") {
            let lhs = self.exp(&bin.lhs, frame)?;
            let constant = Val::bool(Atom::bool(name == "||"));
            let rhs = &bin.rhs;
            return if name == "&&" {
                self.branch(&lhs, frame, exp.span, |this, f| this.exp(rhs, f), |_, _| Ok(constant))
            } else {
                self.branch(&lhs, frame, exp.span, |_, _| Ok(constant), |this, f| this.exp(rhs, f))
            };
        }
        let lhs = self.exp(&bin.lhs, frame)?;
        let rhs = self.exp(&bin.rhs, frame)?;
        let op = self.name(bin.op.id, frame, exp.span)?;
        // The steps of a pipeline all begin where the pipeline does; the function tells them apart.
        let span = match name {
            "|>" => bin.rhs.span,
            "<|" => bin.lhs.span,
            _ => exp.span,
        };
        self.noticed(exp.span, frame, |this| {
            let partial = this.apply(op, lhs, span)?;
            this.apply(partial, rhs, span)
        })
    }

    /// Ends the program; yields a value of a type, which is never used.
    pub(crate) fn hole(&mut self, span: Span, ty: &Ty, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        let shape = self.loose_shape(ty, frame, span)?;
        let trace = self.places(span);
        let mut parts = vec![crate::build::text("Reached hole of type: ")];
        // Sizes of a hole's type may come into being by the hole, so it is as the checker knows it.
        parts.push(crate::build::text(self.program_type(ty)));
        let check = Check { parts, trace };
        let types = shape.parts();
        let named = types.into_iter().map(|ty| ("hole", ty)).collect();
        let vars = self.b().emit(Exp::Fail(check), named, Default::default());
        Ok(Val::build(&shape, &mut vars.into_iter().map(Atom::Var)))
    }

    /// The value, whose use relies on a check.
    pub(crate) fn certify(&mut self, value: Val<'a>, cert: Option<fehu_ir::Var>) -> Val<'a> {
        let Some(cert) = cert else { return value };
        self.map_data(value, &mut |this, value| {
            let shape = value.shape();
            let types = shape.parts();
            let parts: Vec<Atom> = value
                .parts()
                .into_iter()
                .zip(types)
                .map(|(part, ty)| {
                    let with = crate::build::Attach { certs: vec![cert], ..Default::default() };
                    Atom::Var(this.b().emit(Exp::Atom(part), vec![("x", ty)], with)[0])
                })
                .collect();
            Val::build(&shape, &mut parts.into_iter())
        })
    }

    /// The value with its data changed. The functions in it have no parts: they stay as they are.
    pub(crate) fn map_data(
        &mut self,
        value: Val<'a>,
        change: &mut dyn FnMut(&mut Self, Val<'a>) -> Val<'a>,
    ) -> Val<'a> {
        match value {
            value if !value.has_function() => change(self, value),
            Val::Record(fields) => {
                let field = |(name, part): &(_, Val<'a>)| {
                    (ecow::EcoString::clone(name), self.map_data(part.clone(), change))
                };
                Val::Record(fields.iter().map(field).collect())
            }
            Val::Choice(name, payload) => {
                let payload =
                    payload.iter().map(|part| self.map_data(part.clone(), change)).collect();
                Val::Choice(name, payload)
            }
            Val::Fun(_) | Val::Scalar(..) | Val::Array(..) | Val::Sum(..) | Val::Acc(..) => value,
        }
    }
}

/// The number of arrows.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types are no functions")]
pub(crate) fn arity(ty: &Ty) -> usize {
    match ty {
        Ty::Fun(fun) => 1 + arity(&fun.ret),
        _ => 0,
    }
}
