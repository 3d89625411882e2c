//! Whether a module has a module type.

use crate::checker::Checker;
use crate::errors;
use crate::infer::used_constructively;
use crate::program::Instance;
use crate::scope::{Functor, ModEnv, ModType, Module, Term, TypeDef};
use crate::ty::{Lifted, Scheme, Size, Subst, Ty, TypeFnParam, TypeId, VarId};
use fehu_base::Span;
use rustc_hash::FxHashSet;

/// The names under which a module type declares its abstract types. Other names for the same types are
/// abbreviations, as in `type t type u = t`.
type Declared = FxHashSet<String>;

/// What [`Checker::find_types`] looks for.
struct Find<'a> {
    /// Where to report.
    span: Span,
    abstracts: &'a [TypeId],
    names: Names,
}

/// The names under which a type is looked for.
#[derive(Clone, Copy)]
enum Names {
    /// The one that it was declared with.
    Declared,
    /// Any: what `include mt with t = t` includes takes the place of the declaration.
    Any,
}

impl Checker<'_> {
    /// Checks that a module has a module type; returns what its abstract types stand for.
    /// Names in messages begin with `path`.
    pub(super) fn match_module(
        &mut self,
        span: Span,
        module: &Module,
        mt: &ModType,
        path: &str,
    ) -> Subst {
        let mut subst = Subst::new();
        let mut declared = Declared::default();
        for names in [Names::Declared, Names::Any] {
            let find = Find { span, abstracts: &mt.abstracts, names };
            self.find_types(&find, module, &mt.module, (&mut subst, &mut declared), path);
        }
        self.map_values(&mt.module, module, &mut subst);
        self.match_parts(span, module, &mt.module, &declared, &subst, path);
        subst
    }

    /// Finds the types that implement the abstract ones.
    fn find_types(
        &mut self,
        find: &Find<'_>,
        module: &Module,
        spec: &Module,
        (subst, declared): (&mut Subst, &mut Declared),
        path: &str,
    ) {
        let (Module::Struct(env), Module::Struct(spec)) = (module, spec) else { return };
        for (name, def) in &spec.types {
            let declares = |id: &TypeId| match find.names {
                Names::Declared => self.program.types[*id].span == def.span,
                Names::Any => true,
            };
            let id = def.nominal().filter(|id| find.abstracts.contains(id)).filter(declares);
            let Some(id) = id else { continue };
            if subst.types.contains_key(&id) {
                continue;
            }
            let full = format!("{path}{name}");
            declared.insert(full.clone());
            match env.types.get(name) {
                Some(found) => {
                    if self.implements(find.span, &full, def, found) {
                        subst.types.insert(id, found.type_fn());
                    } else {
                        subst.ty(id, Ty::Error);
                    }
                }
                None => {
                    self.report(errors::missing(find.span, "type", &full, def.span));
                    subst.ty(id, Ty::Error);
                }
            }
        }
        for (name, term) in &spec.terms {
            if let (Term::Mod(_, spec), Some(Term::Mod(_, module))) = (term, env.terms.get(name)) {
                let path = format!("{path}{name}.");
                self.find_types(find, module, spec, (subst, declared), &path);
            }
        }
    }

    /// Whether a type definition can implement an abstract type.
    fn implements(&mut self, span: Span, name: &str, spec: &TypeDef, found: &TypeDef) -> bool {
        let same_params = spec.params.len() == found.params.len()
            && spec.params.iter().zip(&found.params).all(|(a, b)| same_kind(a.param, b.param))
            && !narrows(spec, found);
        if !same_params {
            let (wants, has) = (self.show_type_def(name, spec), self.show_type_def(name, found));
            let differ =
                errors::Differ { wants: &wants, has: &has, spec: spec.span, def: found.span };
            self.report(errors::type_params_differ(span, name, &differ));
            return false;
        }
        if found.lifted > spec.lifted {
            let has = self.show_type_def(name, found);
            self.report(errors::type_too_lifted(span, name, &has, found.lifted, spec.span));
            return false;
        }
        for (param, spec_param) in found.params.iter().zip(&spec.params) {
            if let TypeFnParam::Size(var) = param.param
                && spec.nominal().is_some()
                && !used_constructively(&found.ty, var)
            {
                self.report(errors::size_not_constructive(
                    span,
                    name,
                    &spec_param.name,
                    found.span,
                ));
                return false;
            }
        }
        true
    }

    fn match_parts(
        &mut self,
        span: Span,
        module: &Module,
        spec: &Module,
        declared: &Declared,
        subst: &Subst,
        path: &str,
    ) {
        match (module, spec) {
            (Module::Struct(env), Module::Struct(spec)) => {
                self.match_env(span, env, spec, declared, subst, path);
            }
            (Module::Functor(functor), Module::Functor(spec)) => {
                self.match_functor(span, functor, spec, subst, path);
            }
            (Module::Struct(_), Module::Functor(_)) => {
                self.report(errors::module_kind(span, path, true));
            }
            (Module::Functor(_), Module::Struct(_)) => {
                self.report(errors::module_kind(span, path, false));
            }
        }
    }

    fn match_env(
        &mut self,
        span: Span,
        env: &ModEnv,
        spec: &ModEnv,
        declared: &Declared,
        subst: &Subst,
        path: &str,
    ) {
        for (name, def) in &spec.types {
            let full = format!("{path}{name}");
            if declared.contains(&full) {
                continue;
            }
            match env.types.get(name) {
                Some(found) => {
                    let want = self.substitute_def(def, subst);
                    self.match_type_def(span, &full, &want, found);
                }
                None => self.report(errors::missing(span, "type", &full, def.span)),
            }
        }
        for (name, term) in &spec.terms {
            let full = format!("{path}{name}");
            match (term, env.terms.get(name)) {
                (Term::Val(want), Some(Term::Val(found))) => {
                    self.match_value(span, &full, *want, *found, subst);
                }
                (Term::Mod(_, spec), Some(Term::Mod(_, module))) => {
                    let path = format!("{full}.");
                    self.match_parts(span, module, spec, declared, subst, &path);
                }
                (Term::Val(_), None) if !self.is_needed(name) => {}
                (Term::Val(want), _) => {
                    let info = &self.program.vars[*want];
                    let d = errors::missing(span, "value", &full, info.span);
                    self.report(d);
                }
                (Term::Mod(want, _), _) => {
                    let info = &self.program.vars[*want];
                    let d = errors::missing(span, "module", &full, info.span);
                    self.report(d);
                }
            }
        }
    }

    /// A parametric module has a parametric type if it accepts every argument that the type allows,
    /// and then yields what the type promises.
    fn match_functor(
        &mut self,
        span: Span,
        functor: &Functor,
        spec: &Functor,
        outer: &Subst,
        path: &str,
    ) {
        let (arg, _) = self.instance(&spec.param, outer.clone());
        let mut spec_subst = self.match_module(span, &arg, &spec.param, path);
        for (id, type_fn) in outer.types.iter() {
            spec_subst.types.insert(*id, type_fn.clone());
        }
        self.map_values(&spec.param.module, &arg, &mut spec_subst);
        let mut subst = self.match_module(span, &arg, &functor.param, path);
        self.map_values(&functor.param.module, &arg, &mut subst);
        let (result, _) = self.instance(&functor.result, subst);
        // The abstract types of the promised result stay abstract.
        let keep: Vec<TypeId> = spec.result.abstracts.clone();
        let mut renaming = spec_subst;
        let mut promised_abstracts = Vec::new();
        for id in keep {
            let info = self.program.types[id].clone();
            let params = info.params.clone();
            let new = self.program.types.push(info);
            self.redirect(id, new, &params, &mut renaming);
            promised_abstracts.push(new);
        }
        let module = self.copy_module(&spec.result.module, &mut renaming);
        let promised = ModType { span: None, abstracts: promised_abstracts, module };
        self.match_module(span, &result, &promised, path);
    }

    fn match_type_def(&mut self, span: Span, name: &str, want: &TypeDef, found: &TypeDef) {
        let same_params = want.params.len() == found.params.len()
            && want.params.iter().zip(&found.params).all(|(a, b)| same_kind(a.param, b.param));
        let mut equal = same_params;
        if same_params {
            let mut subst = Subst::new();
            for (a, b) in want.params.iter().zip(&found.params) {
                match (a.param, b.param) {
                    (TypeFnParam::Size(_), TypeFnParam::Size(b)) => {
                        if let crate::ty::Arg::Size(size) = super::type_dec::own_arg(a.param) {
                            subst.var(b, size);
                        }
                    }
                    (TypeFnParam::Type(_), TypeFnParam::Type(b)) => {
                        if let crate::ty::Arg::Type(ty) = super::type_dec::own_arg(a.param) {
                            subst.ty(b, ty);
                        }
                    }
                    (TypeFnParam::Size(_) | TypeFnParam::Type(_), _) => {}
                }
            }
            let found_ty = subst.apply(&found.ty);
            self.metas = Default::default();
            self.size_metas = Default::default();
            let want_ty = self.sizes_for_vars(&want.ty, &want.exts, span);
            equal = self.unify(&want_ty, &found_ty).is_ok()
                && self.unify_sized(&want_ty, &found_ty).is_ok()
                && !narrows(want, found);
        }
        if !equal {
            let (wants, has) = (self.show_type_def(name, want), self.show_type_def(name, found));
            let differ =
                errors::Differ { wants: &wants, has: &has, spec: want.span, def: found.span };
            self.report(errors::type_differs(span, name, &differ));
        }
    }

    fn match_value(&mut self, span: Span, name: &str, want: VarId, found: VarId, subst: &Subst) {
        if self.program.vars[found].poisoned {
            return;
        }
        let (Some(want_scheme), Some(found_scheme)) = (self.scheme(want), self.scheme(found))
        else {
            return;
        };
        let (want_ty, _) = self.substitute_type(&want_scheme.ty, subst);
        // A module type may promise what the definition keeps but does not say.
        let kept = self
            .fresh_results
            .get(&found)
            .map(|ty| Scheme { ty: ty.clone(), ..(*found_scheme).clone() });
        let kept = kept.as_ref().unwrap_or(&found_scheme);
        let reason = match self.at_least_as_general(&want_ty, kept, span) {
            Ok(instance) => {
                if !found_scheme.is_mono() {
                    self.matched.insert(want, instance);
                }
                return;
            }
            Err(reason) => reason,
        };
        let wants = Scheme { ty: want_ty, ..(*want_scheme).clone() };
        let wants = self.show_scheme(name, &wants);
        let has = self.show_scheme(name, &found_scheme);
        let (spec, def) = (self.program.vars[want].span, self.program.vars[found].span);
        let differ = errors::Differ { wants: &wants, has: &has, spec, def };
        self.report(errors::value_differs(span, name, &differ, &reason));
    }

    /// What the parameters of a scheme are if it is used at a type; why not, if it cannot be.
    fn at_least_as_general(
        &mut self,
        want: &Ty,
        scheme: &Scheme,
        span: Span,
    ) -> Result<Instance, String> {
        self.metas = Default::default();
        self.size_metas = Default::default();
        let mut subst = Subst::new();
        let mut metas = Vec::new();
        for param in &scheme.types {
            let meta = self.fresh_with(span, param.needs);
            metas.push(meta.clone());
            subst.ty(param.id, meta);
        }
        let ty = subst.apply(&scheme.ty);
        if let Err(clash) = self.unify(want, &ty) {
            return Err(self.clash_reason(&clash));
        }
        let mut subst = Subst::new();
        for (param, meta) in scheme.types.iter().zip(&metas) {
            let shape = match self.zonk(meta) {
                Ty::Meta(_) => Ty::tuple([]),
                shape @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Unique(_)
                | Ty::Error) => shape,
            };
            if param.lifted < Lifted::Lifted && self.lifted_of(&shape) > param.lifted {
                return Err(format!(
                    "A non-lifted type parameter would have to stand for \"{}\".",
                    self.show(&shape)
                ));
            }
            let ty = self.dress_for_match(&shape, span, param.lifted > Lifted::Unlifted);
            subst.ty(param.id, ty);
        }
        self.sizes_for_params(&scheme.sizes, span, &mut subst);
        self.rename_bound(&scheme.ty, &mut subst);
        let ty = subst.apply(&scheme.ty);
        if let Err(clash) = self.unify_sized(want, &ty) {
            return Err(self.size_reason(&clash));
        }
        let sizes = scheme.sizes.iter().map(|&n| self.zonk_size(&subst.size(&Size::Var(n))));
        let types = scheme.types.iter().map(|param| {
            let ty = subst.types.get(&param.id).map_or(Ty::Error, |type_fn| type_fn.ty.clone());
            self.zonk_sized(&ty)
        });
        Ok(Instance { sizes: sizes.collect(), types: types.collect() })
    }

    fn show_type_def(&self, name: &str, def: &TypeDef) -> String {
        let keyword = match def.lifted {
            Lifted::Unlifted => "type",
            Lifted::SizeLifted => "type~",
            Lifted::Lifted => "type^",
        };
        let mut text = format!("{keyword} {name}");
        for param in &def.params {
            text.push_str(&format!(" {param}"));
        }
        let itself = matches!(&def.ty, Ty::Con(id, _)
            if self.program.types[*id].name.rsplit('.').next() == Some(def.name.as_str())
                && self.program.types[*id].span == def.span);
        if !itself {
            text.push_str(" = ");
            if !def.exts.is_empty() {
                text.push('?');
                for &ext in &def.exts {
                    text.push_str(&format!("[{}]", self.program.vars[ext].name));
                }
                text.push('.');
            }
            text.push_str(&self.show(&def.ty));
        }
        text
    }

    pub(super) fn show_scheme(&self, name: &str, scheme: &Scheme) -> String {
        let mut text = format!("val {name}");
        for &size in &scheme.sizes {
            text.push_str(&format!(" [{}]", self.program.vars[size].name));
        }
        for param in &scheme.types {
            let mark = match param.lifted {
                Lifted::Unlifted => "",
                Lifted::SizeLifted => "~",
                Lifted::Lifted => "^",
            };
            text.push_str(&format!(" '{mark}{}", self.program.types[param.id].name));
        }
        format!("{text} : {}", self.show(&scheme.ty))
    }
}

/// Whether a definition takes fewer types than its specification says: values of a parameter that is
/// not lifted may be elements of arrays, so that it can stand for a lifted one only if the definition
/// has no values of it.
fn narrows(spec: &TypeDef, found: &TypeDef) -> bool {
    spec.params.iter().zip(&found.params).any(|(spec, param)| match param.param {
        TypeFnParam::Size(_) => false,
        TypeFnParam::Type(id) => {
            let mut without = Subst::new();
            without.ty(id, Ty::tuple([]));
            spec.lifted > param.lifted
                && param.lifted == Lifted::Unlifted
                && without.apply(&found.ty) != found.ty
        }
    })
}

fn same_kind(a: TypeFnParam, b: TypeFnParam) -> bool {
    std::mem::discriminant(&a) == std::mem::discriminant(&b)
}
