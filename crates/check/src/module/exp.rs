//! Module expressions.

use super::dec::Block;
use crate::checker::Checker;
use crate::errors;
use crate::program::{Application, Instance, Member, Resolved, VarKind};
use crate::scope::{Functor, ModType, Module, ScopedTerm, Term};
use crate::ty::{Subst, TypeFn, TypeId, VarId};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{ModExp, ModExpKind, ModParam, ModTypeExp, ModTypeExpKind, NodeId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Checker<'_> {
    /// The module that an expression denotes; `None` after a report.
    pub(super) fn mod_exp(&mut self, exp: &ModExp) -> Option<Module> {
        match &exp.kind {
            ModExpKind::Name(name) => {
                let (module, at) = self.resolve_module(name)?;
                let var = at.term.var();
                if self.program.vars[var].kind == VarKind::Builtin && !self.in_prelude {
                    self.report(errors::intrinsics_module(name.span));
                    return None;
                }
                let resolved = Resolved { var, root: at.root, path: at.path, fields: 0 };
                self.tables.names.insert(exp.id, resolved);
                Some((*module).clone())
            }
            ModExpKind::Paren(inner) => self.mod_exp(inner),
            ModExpKind::Decs(decs) => {
                let mark = self.scope.enter();
                let env = self.declarations(decs, Block::Module);
                self.scope.leave(&mark);
                Some(Module::Struct(Arc::new(env)))
            }
            ModExpKind::Import(path, _) => self.import(path),
            ModExpKind::Ascribe(inner, mt) => {
                let module = self.mod_exp(inner);
                let mt = self.module_type(mt)?;
                Some(self.ascribe(exp.id, inner.span, &module?, &mt))
            }
            ModExpKind::Apply(fun, arg) => {
                let functor = self.mod_exp(fun);
                let module = self.mod_exp(arg);
                let Module::Functor(functor) = functor? else {
                    let name = self.quote(fun.span);
                    self.report(errors::module_not_parametric(fun.span, &name));
                    return None;
                };
                Some(self.apply_functor(exp.id, arg.span, &functor, &module?))
            }
            ModExpKind::Lambda(param, ret, body) => {
                self.functor(std::slice::from_ref(param), ret.as_deref(), body)
            }
            ModExpKind::Error => None,
        }
    }

    /// What `import "path"` provides.
    pub(super) fn import(&self, path: &str) -> Option<Module> {
        // The driver reports files that cannot be loaded.
        let (_, env) = self.imports.get(path)?;
        Some(Module::Struct(env.clone()))
    }

    /// The module with parameters and ascribed type.
    pub(super) fn functor(
        &mut self,
        params: &[ModParam],
        ty: Option<&ModTypeExp>,
        body: &ModExp,
    ) -> Option<Module> {
        let Some((param, rest)) = params.split_first() else {
            let needed = self.module_path.last().is_none_or(|name| self.is_needed(name));
            if let (false, Some(ty)) = (needed, ty) {
                return self.believed_module(ty);
            }
            let module = self.mod_exp(body);
            let Some(ty) = ty else { return module };
            let mt = self.module_type(ty)?;
            return Some(self.ascribe(ty.id, body.span, &module?, &mt));
        };
        let mt = self.module_type(&param.ty)?;
        let mark = self.scope.enter();
        let (abstracts, module) = self.bind_mod_param(param.id, &param.name, &mt);
        let outer = std::mem::take(&mut self.new_abstracts);
        let result = self.functor(rest, ty, body);
        let created = std::mem::replace(&mut self.new_abstracts, outer);
        self.scope.leave(&mark);
        Some(Module::Functor(Arc::new(Functor {
            param_name: param.name.name.clone(),
            param: Arc::new(ModType { span: None, abstracts, module }),
            result: ModType { span: None, abstracts: created, module: result? },
        })))
    }

    /// A module of this type, whatever defines it.
    fn believed_module(&mut self, ty: &ModTypeExp) -> Option<Module> {
        let mt = self.module_type(ty)?;
        if mt.abstracts.is_empty() && is_refinement(ty) {
            // This is a copy already.
            return Some(mt.module);
        }
        let (module, new) = self.instance(&mt, Subst::new());
        self.note_abstraction(ty.id, &mt.abstracts, &new, &Subst::new());
        self.new_abstracts.extend(&new);
        Some(module)
    }

    /// Binds a module parameter to a module of its type.
    pub(super) fn bind_mod_param(
        &mut self,
        node: NodeId,
        name: &fehu_syntax::ast::Ident,
        mt: &ModType,
    ) -> (Vec<TypeId>, Module) {
        let (module, abstracts) = self.instance(mt, Subst::new());
        for &id in &abstracts {
            let info = &mut self.program.types[id];
            info.name = ecow::eco_format!("{}.{}", name.name, info.name);
        }
        let var = self.new_var(name.name.clone(), Some(name.span), VarKind::Module, None);
        self.tables.binders.insert(node, var);
        let shared = Arc::new(module.clone());
        self.program.modules.insert(var, shared.clone());
        let term = Term::Mod(var, shared);
        self.scope.bind_term(name.name.clone(), ScopedTerm::local(term));
        (abstracts, module)
    }

    /// The module seen through a module type.
    pub(super) fn ascribe(
        &mut self,
        node: NodeId,
        span: Span,
        module: &Module,
        mt: &ModType,
    ) -> Module {
        self.matched.clear();
        let implementation = self.match_module(span, module, mt, "");
        let (result, new) = self.instance(mt, Subst::new());
        let path = self.module_path.join(".");
        if !path.is_empty() {
            for &id in &new {
                let info = &mut self.program.types[id];
                info.name = ecow::eco_format!("{path}.{}", info.name);
            }
        }
        self.note_abstraction(node, &mt.abstracts, &new, &implementation);
        let mut members = self.members(&mt.module, &result);
        if self.needed.is_some() {
            members.retain(|member| has_value(module, &member.path));
        }
        if !members.is_empty() {
            self.tables.members.insert(node, members);
        }
        self.new_abstracts.extend(&new);
        result
    }

    /// The values of a module, with the instances that the match with the module type found.
    fn members(&mut self, mt: &Module, module: &Module) -> Vec<Member> {
        let mut instances = std::mem::take(&mut self.matched);
        let mut members = Vec::new();
        collect_members(mt, module, &mut Vec::new(), &mut instances, &mut members);
        members
    }

    fn note_abstraction(
        &mut self,
        node: NodeId,
        old: &[TypeId],
        new: &[TypeId],
        implementation: &Subst,
    ) {
        let mut pairs: Vec<(TypeId, TypeFn)> = Vec::new();
        for (old, &new) in old.iter().zip(new) {
            if let Some(type_fn) = implementation.types.get(old) {
                pairs.push((new, type_fn.clone()));
            }
        }
        if !pairs.is_empty() {
            self.tables.abstractions.insert(node, pairs);
        }
    }

    fn apply_functor(
        &mut self,
        node: NodeId,
        span: Span,
        functor: &Functor,
        arg: &Module,
    ) -> Module {
        self.matched.clear();
        let mut subst = self.match_module(span, arg, &functor.param, "");
        self.map_values(&functor.param.module, arg, &mut subst);
        let implementation = subst.clone();
        let (result, new) = self.instance(&functor.result, subst);
        let path = self.module_path.join(".");
        if !path.is_empty() {
            for &id in &new {
                let info = &mut self.program.types[id];
                let last = info.name.rsplit('.').next().unwrap_or("").to_owned();
                info.name = ecow::eco_format!("{path}.{last}");
            }
        }
        let params = &functor.param.abstracts;
        let param_members = self.members(&functor.param.module, &functor.param.module);
        let result_members = self.members(&functor.result.module, &result);
        let application = Application {
            param_members,
            result_members,
            params: params
                .iter()
                .filter_map(|id| Some((*id, implementation.types.get(id)?.clone())))
                .collect(),
            results: new.iter().copied().zip(functor.result.abstracts.iter().copied()).collect(),
        };
        self.tables.applications.insert(node, application);
        self.new_abstracts.extend(&new);
        result
    }

    /// Maps the values of a module type to those of a module, for the sizes that mention them.
    pub(super) fn map_values(&mut self, spec: &Module, module: &Module, subst: &mut Subst) {
        let (Module::Struct(spec), Module::Struct(module)) = (spec, module) else { return };
        for (name, term) in &spec.terms {
            match (term, module.terms.get(name)) {
                (Term::Val(old), Some(Term::Val(new))) => {
                    subst.var(*old, crate::ty::Size::Var(*new));
                }
                (Term::Mod(_, spec), Some(Term::Mod(_, module))) => {
                    self.map_values(spec, module, subst);
                }
                (Term::Val(_) | Term::Mod(..), _) => {}
            }
        }
    }
}

fn collect_members(
    mt: &Module,
    module: &Module,
    path: &mut Vec<EcoString>,
    instances: &mut FxHashMap<VarId, Instance>,
    members: &mut Vec<Member>,
) {
    let (Module::Struct(mt), Module::Struct(module)) = (mt, module) else { return };
    for (name, term) in &module.terms {
        path.push(name.clone());
        match (mt.terms.get(name), term) {
            (Some(Term::Val(old)), Term::Val(var)) => {
                let instance = instances.remove(old).unwrap_or_default();
                members.push(Member { path: path.clone(), var: *var, instance });
            }
            (Some(Term::Mod(_, mt)), Term::Mod(_, module)) => {
                collect_members(mt, module, path, instances, members);
            }
            (Some(Term::Val(_) | Term::Mod(..)) | None, _) => {}
        }
        path.pop();
    }
}

/// Whether these names lead to a value of a module.
fn has_value(module: &Module, path: &[EcoString]) -> bool {
    let (Module::Struct(env), Some((name, rest))) = (module, path.split_first()) else {
        return false;
    };
    match env.terms.get(name) {
        Some(Term::Val(_)) => rest.is_empty(),
        Some(Term::Mod(_, inner)) => has_value(inner, rest),
        None => false,
    }
}

/// Whether a module type is `mt with t = u`.
fn is_refinement(ty: &ModTypeExp) -> bool {
    match &ty.kind {
        ModTypeExpKind::Paren(inner) => is_refinement(inner),
        ModTypeExpKind::With(..) => true,
        ModTypeExpKind::Name(_)
        | ModTypeExpKind::Specs(_)
        | ModTypeExpKind::Arrow(..)
        | ModTypeExpKind::Error => false,
    }
}
