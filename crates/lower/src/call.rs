//! Applications: evaluated in place, or as calls of IR functions.
//!
//! A function that gets functions is evaluated in place when it is called for the first time with just
//! these: then all that is known of its arguments helps. If it is called so again, and was not small,
//! an IR function is made and shared (`special`), so that code does not grow with the number of ways
//! to get somewhere. So it is with local functions and lambdas. Functions of the prelude are
//! evaluated in place always: they are small, or they are array operators.

use crate::constant::is_functional;
use crate::env::Frame;
use crate::special::Target;
use crate::value::{Closure, Code, Val};
use crate::{Lower, Res};
use fehu_base::{FileId, OrBug, Span, bug};
use fehu_check::ty::{Scheme, Ty, VarId};
use fehu_syntax::ast;
use std::rc::Rc;
use std::sync::Arc;

/// What is evaluated in place as often as it is called: so many new variables.
const SMALL: u32 = 16;

/// How deep calls are evaluated one in the other before functions are made at once. What is
/// called again is evaluated twice, in place and for its function; deep inside, that would double
/// at each step.
const DEEP: u32 = 6;

impl<'a> Lower<'a> {
    /// A function applied to one more argument.
    pub(crate) fn apply(&mut self, fun: Val<'a>, arg: Val<'a>, span: Span) -> Res<Val<'a>> {
        let Val::Fun(closure) = fun else {
            self.bug(span, "a value that is not a function is applied");
        };
        let mut closure = (*closure).clone();
        closure.args.push(arg);
        if closure.args.len() < self.params(&closure) {
            return Ok(Val::Fun(Rc::new(closure)));
        }
        self.invoke(&closure, span)
    }

    fn params(&self, closure: &Closure<'a>) -> usize {
        match closure.code {
            Code::Def(_, _, bind) => bind.params.len(),
            Code::Local(_, bind) => match &bind.kind {
                ast::LetKind::Fun { params, .. } => params.len(),
                ast::LetKind::Pat { .. } | ast::LetKind::Update { .. } => {
                    bug("a local binding without parameters is applied")
                }
            },
            Code::Lambda(_, lambda) => lambda.params.len(),
            Code::SectionRight => 3,
            Code::Owning => 2,
            Code::Access(..) => 1,
            Code::Hole(_, arity) | Code::Path(_, arity) | Code::Intrinsic(_, arity) => arity,
        }
    }

    fn invoke(&mut self, closure: &Closure<'a>, span: Span) -> Res<Val<'a>> {
        match closure.code {
            Code::Def(file, dec, bind) => self.invoke_def(closure, file, dec, bind, span),
            Code::Local(file, bind) => {
                let ast::LetKind::Fun { params, body, .. } = &bind.kind else {
                    self.bug(span, "a value that is not a function is applied");
                };
                let var = self.binder_in(file, bind.id);
                let scheme = self.program.vars[var].scheme.clone().or_bug("type of a function");
                let target = Target {
                    file,
                    name: self.program.vars[var].name.clone(),
                    attrs: &[],
                    params,
                    body,
                    ty: scheme.ty.clone(),
                    scheme: Some(scheme),
                    recursive: false,
                };
                self.shared(closure, &target, span)
            }
            Code::Lambda(exp, lambda) => {
                let target = Target {
                    file: closure.frame.file,
                    name: "lambda".into(),
                    attrs: &[],
                    params: &lambda.params,
                    body: &lambda.body,
                    scheme: None,
                    ty: self.node_type(exp.id, &closure.frame),
                    recursive: false,
                };
                self.shared(closure, &target, span)
            }
            Code::SectionRight => {
                let [op, rhs, lhs] = &closure.args[..] else {
                    self.bug(span, "a section lacks its operands");
                };
                let partial = self.apply(op.clone(), lhs.clone(), span)?;
                self.apply(partial, rhs.clone(), span)
            }
            Code::Owning => {
                let [fun, arg] = &closure.args[..] else {
                    self.bug(span, "a function lacks its argument");
                };
                let value = self.apply(fun.clone(), arg.clone(), span)?;
                Ok(self.owned(value))
            }
            Code::Path(path, _) => self.follow_path(path, &closure.args, span),
            Code::Access(exp, path) => {
                let mut value = closure.args[0].clone();
                for step in path {
                    value = match step {
                        ast::Access::Field(field) => {
                            self.project(&value, &field.name, field.span)?
                        }
                        ast::Access::Index(dims, _) => {
                            let dims = self.dims(dims, &closure.frame)?;
                            self.index_value(&value, &dims, exp.span)?
                        }
                    };
                }
                Ok(value)
            }
            Code::Hole(exp, arity) => {
                let ty = result_after(&self.node_type(exp.id, &closure.frame), arity);
                self.hole(exp.span, &ty, &closure.frame)
            }
            Code::Intrinsic(name, _) => self.intrinsic(name, closure, span),
        }
    }

    /// Evaluates a function's body here.
    pub(crate) fn inline(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let depth = self.trace.len();
        // Places in the prelude tell users nothing.
        if !self.prelude.contains(&span.file) {
            self.trace.push(span);
        }
        let value = self.inline_body(closure, target, span);
        self.trace.truncate(depth);
        value
    }

    fn inline_body(
        &mut self,
        closure: &Closure<'a>,
        target: &Target<'a>,
        span: Span,
    ) -> Res<Val<'a>> {
        let frame = Frame::new(target.file, Some(closure.frame.clone()));
        self.bind_args(closure, &frame, target.params, target.scheme.as_ref(), span)?;
        let value = self.exp(target.body, &frame)?;
        let ty = self.node_type(target.body.id, &frame);
        Ok(self.bind_sizes(&ty, value, &Frame::new(target.file, Some(frame.clone()))))
    }

    fn bind_args(
        &mut self,
        closure: &Closure<'a>,
        frame: &Rc<Frame<'a>>,
        params: &'a [ast::Pat],
        scheme: Option<&Arc<Scheme>>,
        span: Span,
    ) -> Res<()> {
        if let (Some(scheme), Some(instance)) = (scheme, &closure.instance) {
            self.bind_instance_types(scheme, instance, frame);
        }
        for (pat, arg) in params.iter().zip(&closure.args) {
            self.bind_param(pat, arg.clone(), frame)?;
        }
        if let (Some(scheme), Some(instance)) = (scheme, &closure.instance) {
            self.bind_instance(scheme, instance, frame, span)?;
        }
        Ok(())
    }

    fn invoke_def(
        &mut self,
        closure: &Closure<'a>,
        file: FileId,
        dec: &'a ast::Dec,
        bind: &'a ast::ValBind,
        span: Span,
    ) -> Res<Val<'a>> {
        let var = self.binder_in(file, dec.id);
        let scheme = self.program.vars[var].scheme.clone().or_bug("type of a function");
        let ty = scheme.ty.clone();
        let result = result_after(&ty, bind.params.len());
        let target = Target {
            file,
            name: bind.name.name.clone(),
            attrs: &dec.attrs,
            params: &bind.params,
            body: &bind.body,
            scheme: Some(scheme),
            ty,
            recursive: self.is_recursive(file, dec, var),
        };
        if let Some(attr) = fehu_check::foreign::attribute(&dec.attrs) {
            return self.call_foreign(closure, &target, attr, span);
        }
        // Accumulators belong to the body that made them, so they are not passed to IR functions.
        let functional = closure.args.iter().any(|arg| arg.has_function() || arg.has_acc())
            || is_functional(&result);
        if target.recursive || !functional && !self.in_prelude(&closure.frame) {
            let prepared = self.prepare(closure, &target, span)?;
            return match self.call(closure, &target, &prepared, span)? {
                Some(value) => Ok(value),
                None => self.limit(
                    span,
                    "this function calls itself, and returns a function or an accumulator",
                ),
            };
        }
        if self.in_prelude(&closure.frame) || is_functional(&result) {
            return self.inline(closure, &target, span);
        }
        self.shared(closure, &target, span)
    }

    /// A call that is evaluated in place unless that would duplicate code.
    fn shared(&mut self, closure: &Closure<'a>, target: &Target<'a>, span: Span) -> Res<Val<'a>> {
        let simple = matches!(
            target.body.kind,
            ast::ExpKind::BinOp(_) | ast::ExpKind::Var(_) | ast::ExpKind::Project(..)
        ) && target.body.span.end - target.body.span.start < 30;
        if simple || self.prelude.contains(&target.file) || closure.args.iter().any(Val::has_acc) {
            return self.inline(closure, target, span);
        }
        let prepared = self.prepare(closure, target, span)?;
        let again = match self.seen.get(&prepared.key) {
            Some(cost) => *cost > SMALL,
            None => self.in_place >= DEEP,
        };
        if again && let Some(value) = self.call(closure, target, &prepared, span)? {
            return Ok(value);
        }
        let before = self.b().next_var();
        self.in_place += 1;
        let value = self.inline(closure, target, span);
        self.in_place -= 1;
        let cost = self.b().next_var() - before;
        self.seen.insert(prepared.key, cost);
        value
    }

    /// Whether a definition mentions itself: names inside it have smaller nodes than it has.
    fn is_recursive(&self, file: FileId, dec: &ast::Dec, var: VarId) -> bool {
        self.first_use.get(&(file, var)).is_some_and(|first| *first < dec.id)
    }
}

/// The result type of a function after `count` arguments.
#[expect(clippy::wildcard_enum_match_arm, reason = "other types are no functions")]
pub(crate) fn result_after(ty: &Ty, count: usize) -> Ty {
    match ty {
        Ty::Fun(fun) if count > 0 => result_after(&fun.ret, count - 1),
        other => other.clone(),
    }
}
