//! Module type expressions.

use crate::checker::Checker;
use crate::errors;
use crate::program::VarKind;
use crate::scope::{Functor, ModEnv, ModType, Module, ScopedTerm, Term, TypeDef};
use crate::ty::{Subst, Ty, TypeFn, TypeId, VarId};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{
    Ident, ModTypeExp, ModTypeExpKind, QualName, Spec, SpecKind, TypeExp, TypeParam,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Default)]
struct Specified {
    terms: FxHashMap<EcoString, Span>,
    types: FxHashMap<EcoString, Span>,
}

impl Checker<'_> {
    /// The module type that an expression denotes; `None` after a report. Types in it are named
    /// relative to it.
    pub(crate) fn module_type(&mut self, exp: &ModTypeExp) -> Option<ModType> {
        let path = std::mem::take(&mut self.module_path);
        let mt = self.mod_type_exp(exp);
        self.module_path = path;
        mt
    }

    fn mod_type_exp(&mut self, exp: &ModTypeExp) -> Option<ModType> {
        match &exp.kind {
            ModTypeExpKind::Name(name) => Some((*self.resolve_mod_type(name)?).clone()),
            ModTypeExpKind::Paren(inner) => self.mod_type_exp(inner),
            ModTypeExpKind::Specs(specs) => {
                let mark = self.scope.enter();
                let mut env = ModEnv::default();
                let mut abstracts = Vec::new();
                let mut specified = Specified::default();
                for spec in specs {
                    self.spec(spec, &mut env, &mut abstracts, &mut specified);
                }
                self.scope.leave(&mark);
                Some(ModType { span: None, abstracts, module: Module::Struct(Arc::new(env)) })
            }
            ModTypeExpKind::With(base, name, params, ty) => {
                let base = self.mod_type_exp(base)?;
                self.refine(exp.span, base, name, params, ty)
            }
            ModTypeExpKind::Arrow(name, param, ret) => {
                let param = self.mod_type_exp(param)?;
                let mark = self.scope.enter();
                let anonymous = Ident { name: "_".into(), span: exp.span };
                let ident = name.as_ref().unwrap_or(&anonymous);
                let (abstracts, module) = self.bind_mod_param(exp.id, ident, &param);
                let ret = self.mod_type_exp(ret);
                self.scope.leave(&mark);
                Some(ModType {
                    span: None,
                    abstracts: Vec::new(),
                    module: Module::Functor(Arc::new(Functor {
                        param_name: ident.name.clone(),
                        param: Arc::new(ModType { span: None, abstracts, module }),
                        result: ret?,
                    })),
                })
            }
            ModTypeExpKind::Error => None,
        }
    }

    fn spec(
        &mut self,
        spec: &Spec,
        env: &mut ModEnv,
        abstracts: &mut Vec<TypeId>,
        specified: &mut Specified,
    ) {
        match &spec.kind {
            SpecKind::Val { name, type_params, ty } => {
                self.specify(&mut specified.terms, name, "value");
                let var = self.val_spec(name, type_params, ty);
                self.tables.binders.insert(spec.id, var);
                self.scope.bind_term(name.name.clone(), ScopedTerm::local(Term::Val(var)));
                env.terms.insert(name.name.clone(), Term::Val(var));
            }
            SpecKind::TypeAbstract { lifted, name, params } => {
                self.specify(&mut specified.types, name, "type");
                let (id, def) = self.abstract_type(name, *lifted, params);
                abstracts.push(id);
                self.scope.bind_type(name.name.clone(), def.clone());
                env.types.insert(name.name.clone(), def);
            }
            SpecKind::Type(bind) => {
                self.specify(&mut specified.types, &bind.name, "type");
                let def = self.type_binding(bind);
                self.scope.bind_type(bind.name.name.clone(), def.clone());
                env.types.insert(bind.name.name.clone(), def);
            }
            SpecKind::Module(name, named) => {
                self.specify(&mut specified.terms, name, "module");
                self.module_path.push(name.name.clone());
                let mt = self.mod_type_exp(named);
                self.module_path.pop();
                let Some(mt) = mt else { return };
                let (module, new) = self.instance(&mt, Subst::new());
                if matches!(named.kind, ModTypeExpKind::Name(_)) {
                    for &id in &new {
                        let info = &mut self.program.types[id];
                        info.name = ecow::eco_format!("{}.{}", name.name, info.name);
                    }
                }
                abstracts.extend(new);
                let var = self.new_var(name.name.clone(), Some(name.span), VarKind::Module, None);
                self.tables.binders.insert(spec.id, var);
                let term = Term::Mod(var, Arc::new(module));
                self.scope.bind_term(name.name.clone(), ScopedTerm::local(term.clone()));
                env.terms.insert(name.name.clone(), term);
            }
            SpecKind::Include(mt) => {
                let Some(included) = self.mod_type_exp(mt) else { return };
                let (module, new) = self.instance(&included, Subst::new());
                abstracts.extend(new);
                let Module::Struct(included) = module else {
                    self.report(errors::include_functor(mt.span));
                    return;
                };
                for (name, term) in &included.terms {
                    self.scope.bind_term(name.clone(), ScopedTerm::local(term.clone()));
                    env.terms.insert(name.clone(), term.clone());
                }
                for (name, def) in &included.types {
                    // With `with t = t` they are the same type.
                    if let Some(before) = env.types.get(name)
                        && before.ty != def.ty
                    {
                        let before = before.span;
                        self.report(errors::shadowed_type(mt.span, name, before));
                    }
                    self.scope.bind_type(name.clone(), def.clone());
                    env.types.insert(name.clone(), def.clone());
                }
            }
            SpecKind::Error => {}
        }
    }

    fn specify(&mut self, seen: &mut FxHashMap<EcoString, Span>, name: &Ident, what: &str) {
        if let Some(first) = seen.insert(name.name.clone(), name.span) {
            self.report(errors::duplicate_definition(name, what, first));
        }
    }

    fn val_spec(&mut self, name: &Ident, type_params: &[TypeParam], ty: &TypeExp) -> VarId {
        self.metas = Default::default();
        let mark = self.scope.enter();
        let params = self.bind_type_params(type_params);
        let (ty, anonymous) = self.type_in_declaration(ty);
        self.scope.leave(&mark);
        self.finish_type_metas();
        for &var in &anonymous {
            let span = self.program.vars[var].span.unwrap_or(name.span);
            let is_function = matches!(ty, Ty::Fun(_));
            self.report(errors::anonymous_in_spec(span, &name.name, is_function));
            self.program.vars[var].kind = VarKind::Unknown(crate::program::Unknown::Result);
        }
        let scheme = self.scheme_of(&params, ty.clone());
        for &var in &scheme.sizes {
            let mut found = false;
            ty.for_each_size(&mut |size| size.for_each_var(&mut |v| found |= v == var));
            if !found {
                let info = &self.program.vars[var];
                let (span, size) = (info.span.unwrap_or(name.span), info.name.clone());
                self.report(errors::unused_size(span, &size, &name.name));
            }
        }
        let var = self.new_var(name.name.clone(), Some(name.span), VarKind::Global, None);
        self.set_scheme(var, scheme);
        var
    }

    /// `mt with t 'a = ty`
    fn refine(
        &mut self,
        span: Span,
        base: ModType,
        name: &QualName,
        params: &[TypeParam],
        ty: &TypeExp,
    ) -> Option<ModType> {
        self.metas = Default::default();
        let mark = self.scope.enter();
        let params = self.type_def_params(params);
        let (ty, exts) = self.type_in_declaration(ty);
        self.scope.leave(&mark);
        self.finish_type_metas();
        let text = self.quote(name.span);
        let Some(def) = find_type(&base.module, name) else {
            self.report(errors::refine_missing(name.span, &text));
            return None;
        };
        // Another name of the type, as in `type u = t`, is as good as its own.
        let refines = |id: &TypeId| {
            base.abstracts.contains(id) && self.program.types[*id].params.len() == def.params.len()
        };
        let id = def.nominal().filter(refines);
        let Some(id) = id else {
            self.report(errors::refine_concrete(name.span, &text, def.span));
            return None;
        };
        let kinds_agree =
            def.params.len() == params.len()
                && def.params.iter().zip(&params).all(|(a, b)| {
                    std::mem::discriminant(&a.param) == std::mem::discriminant(&b.param)
                });
        if !kinds_agree {
            self.report(errors::refine_params(span, &text, def.params.len(), params.len()));
            return None;
        }
        let narrow =
            def.params.iter().zip(&params).find(|(spec, given)| spec.lifted > given.lifted);
        if let Some((spec, given)) = narrow {
            let (wants, has) = (spec.to_string(), given.to_string());
            self.report(errors::refine_narrows(span, &text, &wants, &has, def.span));
            return None;
        }
        let mut subst = Subst::new();
        let params = params.iter().map(|p| p.param).collect();
        subst.types.insert(id, TypeFn { params, exts, ty: ty.without_unique() });
        let (module, new) = self.instance(&base, subst);
        Some(ModType { span: None, abstracts: new, module })
    }
}

fn find_type(module: &Module, name: &QualName) -> Option<Arc<TypeDef>> {
    let mut module = module.clone();
    for qual in &name.quals {
        let Module::Struct(env) = &module else { return None };
        let Some(Term::Mod(_, inner)) = env.terms.get(&qual.name) else { return None };
        module = (**inner).clone();
    }
    match module {
        Module::Struct(env) => env.types.get(&name.name.name).cloned(),
        Module::Functor(_) => None,
    }
}
