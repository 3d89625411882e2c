//! What names mean.

use crate::constant::has_abstract;
use crate::env::{Frame, Mod, Term};
use crate::exp::arity;
use crate::value::{Closure, Code, Instance, Val};
use crate::{Lower, Res};
use fehu_base::{FileId, OrBug, Span};
use fehu_check::program::{Resolved, VarKind};
use fehu_check::ty::VarId;
use fehu_syntax::ast::NodeId;
use std::rc::Rc;

impl<'a> Lower<'a> {
    /// What a name refers to.
    pub(crate) fn name(&mut self, node: NodeId, frame: &Rc<Frame<'a>>, span: Span) -> Res<Val<'a>> {
        let resolved = self.resolved(node, frame);
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
            None => self.bug(
                span,
                format!("the name \"{}\" has no value here", self.program.vars[resolved.var].name),
            ),
        }
    }

    /// The variable that a node binds.
    pub(crate) fn binder(&self, node: NodeId, frame: &Frame<'a>) -> VarId {
        self.binder_in(frame.file, node)
    }

    /// The variable that a node of a file binds.
    pub(crate) fn binder_in(&self, file: FileId, node: NodeId) -> VarId {
        *self.tables(file).binders.get(&node).or_bug("variable of a binding")
    }

    /// What the checker found out about a name.
    pub(crate) fn resolved(&self, node: NodeId, frame: &Frame<'a>) -> &'a Resolved {
        self.tables(frame.file).names.get(&node).or_bug("meaning of a name")
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
        let found = self.tables(frame.file).instances.get(&node)?;
        Some(Rc::new(Instance { sizes: &found.sizes, types: &found.types, frame: frame.clone() }))
    }

    fn follow(&self, resolved: &Resolved, frame: &Frame<'a>) -> Option<Term<'a>> {
        let by_path = self.follow_from(resolved, frame);
        // In a size as code, seen from another module, only the variable itself has a meaning.
        by_path.or_else(|| frame.get(resolved.var))
    }

    fn follow_from(&self, resolved: &Resolved, frame: &Frame<'a>) -> Option<Term<'a>> {
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
        match self.follow(self.resolved(node, frame), frame)? {
            Term::Mod(module) => Some(module),
            Term::Val(_) | Term::Def(_) | Term::View(_) | Term::Size(..) => None,
        }
    }
}
