//! Expressions.

use crate::constant::has_abstract;
use crate::env::{Frame, Mod, Term};
use crate::value::{Closure, Code, Instance, Shape, Val, payload_slots};
use crate::{Lower, Res, Unsafe};
use fehu_base::{Prim, Span};
use fehu_check::order::{self, First};
use fehu_check::program::{Resolved, VarKind};
use fehu_check::ty::{Ty, VarId};
use fehu_ir::{Atom, Attr, Check, Elem, Exp, Scalar, Type, UnOp};
use fehu_syntax::ast::{self, ExpKind, LetKind, NodeId};
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// The value of an expression.
    pub(crate) fn exp(&mut self, exp: &'a ast::Exp, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        let value = self.exp_kind(exp, frame)?;
        let Some(tables) = self.tables(frame.file) else { return Ok(value) };
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
        self.tables(frame.file).and_then(|t| t.types.get(&node).cloned()).unwrap_or(Ty::Error)
    }

    fn exp_kind(&mut self, exp: &'a ast::Exp, frame: &Rc<Frame<'a>>) -> Res<Val<'a>> {
        match &exp.kind {
            ExpKind::Lit(lit) => self.literal(lit, false, &self.node_type(exp.id, frame)),
            ExpKind::Var(name) => {
                let count = name.quals.len() + 1;
                let mut value = self.name(exp.id, frame, exp.span)?;
                let fields = self.resolved(exp.id, frame).map_or(0, |r| r.fields);
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
                let written = self.tables(frame.file).and_then(|t| t.type_exps.get(&written.id));
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
                let last = self.tables(frame.file).is_some_and(|tables| {
                    order::is_function_last(fun, args, tables, &self.program.vars)
                });
                let first = if last { None } else { Some(self.exp(fun, frame)?) };
                // The order of the language: the last argument first.
                for arg in args.iter().rev() {
                    values.push(self.exp(arg, frame)?);
                }
                let mut value = match first {
                    Some(value) => value,
                    None => self.exp(fun, frame)?,
                };
                for arg in values.into_iter().rev() {
                    value = self.apply(value, arg, exp.span)?;
                }
                Ok(value)
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
                self.exp(body, frame)
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
                let first = match self.tables(frame.file) {
                    Some(tables) => order::of_update(update, tables, &self.program.vars),
                    None => First::Value,
                };
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
                    return self.limit(exp.span, "a condition is not a boolean");
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
            ExpKind::Error => self.limit(exp.span, "the program has syntax errors"),
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
                if let Some(var) = self.binder(bind.id, frame) {
                    let closure = Closure {
                        code: Code::Local(frame.file, bind),
                        frame: frame.clone(),
                        instance: None,
                        args: Vec::new(),
                    };
                    frame.bind(var, Term::Val(Val::Fun(Rc::new(closure))));
                }
                Ok(())
            }
            LetKind::Update { path, value, name } => {
                let base = self.name(bind.id, frame, name.span)?;
                let (path, value) = self.new_value(path, value, frame)?;
                let value = self.replace(base, &path, value, bind.span)?;
                if let Some(var) = self.binder(bind.id, frame) {
                    frame.bind(var, Term::Val(value));
                }
                Ok(())
            }
        }
    }

    pub(crate) fn binder(&self, node: NodeId, frame: &Frame<'a>) -> Option<VarId> {
        self.tables(frame.file)?.binders.get(&node).copied()
    }

    fn resolved(&self, node: NodeId, frame: &Frame<'a>) -> Option<&'a Resolved> {
        self.tables(frame.file)?.names.get(&node)
    }

    /// What a name refers to.
    pub(crate) fn name(&mut self, node: NodeId, frame: &Rc<Frame<'a>>, span: Span) -> Res<Val<'a>> {
        let Some(resolved) = self.resolved(node, frame) else {
            return self.limit(span, "a name was not resolved");
        };
        let instance = self.instance(node, frame);
        if let Some(value) = self.built_in(resolved.var, instance.clone(), frame) {
            return Ok(value);
        }
        let value = match self.follow(resolved, frame) {
            Some(term) => {
                let value = self.term_value(&term, instance, span)?;
                // Here the value may be abstract although it is not where it was defined.
                let ty = self.program.vars[resolved.var].scheme.as_ref().map(|scheme| &scheme.ty);
                match (&term, ty) {
                    (Term::Def(def), Some(ty)) if def.var != resolved.var && has_abstract(ty) => {
                        value.map(|value| self.owned(value))
                    }
                    (Term::View(_), Some(ty)) if has_abstract(ty) => {
                        value.map(|value| self.owned(value))
                    }
                    _ => value,
                }
            }
            None => None,
        };
        match value {
            Some(value) => Ok(value),
            None => self.limit(
                span,
                format!("the name \"{}\" has no value here", self.program.vars[resolved.var].name),
            ),
        }
    }

    /// The function that the compiler provides, if the name is one of those.
    pub(crate) fn built_in(
        &self,
        var: VarId,
        instance: Option<Rc<Instance<'a>>>,
        frame: &Rc<Frame<'a>>,
    ) -> Option<Val<'a>> {
        let info = &self.program.vars[var];
        if info.kind != VarKind::Builtin {
            return None;
        }
        let arity = info.scheme.as_ref().map_or(0, |s| arity(&s.ty));
        let code = Code::Intrinsic(info.name.as_str(), arity);
        let closure = Closure { code, frame: frame.clone(), instance, args: Vec::new() };
        Some(Val::Fun(Rc::new(closure)))
    }

    /// The value of what a name refers to; modules have none.
    pub(crate) fn term_value(
        &mut self,
        term: &Term<'a>,
        instance: Option<Rc<Instance<'a>>>,
        span: Span,
    ) -> Res<Option<Val<'a>>> {
        Ok(match term {
            Term::Val(Val::Fun(closure))
                if instance.is_some() && closure.instance.is_none() && closure.args.is_empty() =>
            {
                Some(Val::Fun(Rc::new(Closure { instance, ..(**closure).clone() })))
            }
            Term::Val(value) => Some(value.clone()),
            Term::Def(def) => Some(self.definition(def, instance, span)?),
            Term::View(view) => {
                let frame = Frame::new(view.frame.file, Some(view.frame.clone()));
                if let (Some(instance), Some(scheme)) =
                    (instance, &self.program.vars[view.var].scheme)
                {
                    for (&var, size) in scheme.sizes.iter().zip(instance.sizes) {
                        frame.bind(var, Term::Size(size.clone(), instance.frame.clone()));
                    }
                    self.bind_instance_types(scheme, &instance, &frame);
                }
                let instance = Rc::new(Instance {
                    sizes: &view.instance.sizes,
                    types: &view.instance.types,
                    frame,
                });
                self.term_value(&view.inner, Some(instance), span)?
            }
            Term::Size(size, frame) => self.size(size, frame, span)?.map(Val::i64),
            Term::Mod(_) => None,
        })
    }

    fn instance(&self, node: NodeId, frame: &Rc<Frame<'a>>) -> Option<Rc<Instance<'a>>> {
        let found = self.tables(frame.file)?.instances.get(&node)?;
        Some(Rc::new(Instance { sizes: &found.sizes, types: &found.types, frame: frame.clone() }))
    }

    fn follow(&self, resolved: &Resolved, frame: &Frame<'a>) -> Option<Term<'a>> {
        let mut term = frame.get(resolved.root)?;
        for name in &resolved.path {
            let Term::Mod(module) = &term else { return None };
            let Mod::Struct(members) = &**module else { return None };
            let next = members.get(name)?.clone();
            term = next;
        }
        Some(term)
    }

    /// A module by its resolved name.
    pub(crate) fn module_named(&self, node: NodeId, frame: &Frame<'a>) -> Option<Rc<Mod<'a>>> {
        match self.follow(self.resolved(node, frame)?, frame)? {
            Term::Mod(module) => Some(module),
            Term::Val(_) | Term::Def(_) | Term::View(_) | Term::Size(..) => None,
        }
    }

    pub(crate) fn project(&mut self, value: &Val<'a>, field: &str, span: Span) -> Res<Val<'a>> {
        match value.field(field) {
            Some(value) => Ok(value.clone()),
            None => self.limit(span, format!("there is no field \"{field}\" here")),
        }
    }

    fn binary(
        &mut self,
        exp: &'a ast::Exp,
        bin: &'a ast::BinOp,
        frame: &Rc<Frame<'a>>,
    ) -> Res<Val<'a>> {
        let builtin = self
            .resolved(bin.op.id, frame)
            .is_some_and(|r| self.program.vars[r.var].kind == VarKind::Builtin);
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
        let partial = self.apply(op, lhs, span)?;
        self.apply(partial, rhs, span)
    }

    fn array(
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
                    return self.limit(exp.span, "an array literal is not an array");
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
            let column: Vec<Atom> = rows.iter().filter_map(|row| row.get(i).copied()).collect();
            let elem = ty.elem().unwrap_or(Elem::Unit);
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
                given_shapes.push(match self.shape_of(ty, &inner, span) {
                    Ok(shape) => shape,
                    Err(_) => self.bind_sizes(ty, value.clone(), &inner).shape(),
                });
            }
        }
        let shape = self.loose_shape(ty, &inner, span)?;
        if holds_function(&shape) {
            return Ok(Val::Choice(name.into(), payload.into()));
        }
        let Shape::Sum(ctors) = &shape else {
            return self.limit(span, "a constructor's type is not a sum");
        };
        let Some(tag) = ctors.iter().position(|(c, _)| c == name) else {
            return self.limit(span, "a constructor is not in its type");
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
        if value.has_function() {
            return value;
        }
        let shape = value.shape();
        let types = shape.parts();
        let parts: Vec<Atom> = value
            .parts()
            .into_iter()
            .zip(types)
            .map(|(part, ty)| {
                let with = crate::build::Attach { certs: vec![cert], ..Default::default() };
                Atom::Var(self.b().emit(Exp::Atom(part), vec![("x", ty)], with)[0])
            })
            .collect();
        Val::build(&shape, &mut parts.into_iter())
    }

    fn attributed(
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
                    _ => Ok(value),
                }
            }
            "blank" | "scratch" => {
                let ty = self.node_type(inner.id, frame);
                match self.shape_of(&ty, frame, inner.span) {
                    Ok(shape) => {
                        let parts: Vec<Atom> =
                            shape.parts().iter().map(|ty| self.blank(ty)).collect();
                        Ok(Val::build(&shape, &mut parts.into_iter()))
                    }
                    Err(_) => self.exp(inner, frame),
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
        if value.has_function() {
            return value;
        }
        let shape = value.shape();
        let types = shape.parts();
        let parts: Vec<Atom> = value
            .parts()
            .into_iter()
            .zip(types)
            .map(|(part, ty)| self.b().one("x", ty, op(part)))
            .collect();
        Val::build(&shape, &mut parts.into_iter())
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

/// The number of arrows.
pub(crate) fn arity(ty: &Ty) -> usize {
    match ty {
        Ty::Fun(fun) => 1 + arity(&fun.ret),
        _ => 0,
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
