//! Type expressions to types.
//!
//! Abbreviations are expanded. An anonymous size `[]` becomes a variable of its own, and so do the
//! existential sizes of abbreviations and of `?[n].t`; they collect in `self.anonymous` up to the
//! nearest arrow's result, where they become the arrow's existential sizes, or to whoever asked for
//! the type, who decides what they mean there.

use crate::checker::Checker;
use crate::errors;
use crate::program::{TypeSort, VarKind};
use crate::scope::{ScopedTerm, Term, TypeDef};
use crate::ty::{Arg, FunTy, Lifted, Size, SmallMap, Subst, Ty, TypeFnParam, VarId};
use fehu_base::Span;
use fehu_syntax::ast::{Exp, QualName, TypeArg, TypeExp, TypeExpKind, TypeParam, TypeParamKind};
use std::sync::Arc;

impl Checker<'_> {
    /// The type, and the variables of its anonymous sizes; noted in the tables.
    pub(crate) fn type_exp(&mut self, exp: &TypeExp) -> (Ty, Vec<VarId>) {
        let outer = std::mem::take(&mut self.anonymous);
        let ty = self.read_type(exp);
        let anonymous = std::mem::replace(&mut self.anonymous, outer);
        self.tables.type_exps.insert(exp.id, (ty.clone(), anonymous.clone()));
        (ty, anonymous)
    }

    /// As [`Checker::type_exp`], for a type that a declaration or a module type gives a name or a value.
    pub(crate) fn type_in_declaration(&mut self, exp: &TypeExp) -> (Ty, Vec<VarId>) {
        let outer = std::mem::replace(&mut self.declares, true);
        let read = self.type_exp(exp);
        self.declares = outer;
        read
    }

    fn read_type(&mut self, exp: &TypeExp) -> Ty {
        match &exp.kind {
            TypeExpKind::Name(name, args) => self.read_named(exp.span, name, args),
            TypeExpKind::Array(size, elem) => {
                let size = self.read_size(size.as_deref(), exp.span);
                let elem_ty = self.read_type(elem);
                self.check_element(elem, &elem_ty);
                Ty::array(size, elem_ty)
            }
            TypeExpKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.read_type(p))),
            TypeExpKind::Record(fields) => {
                let mut seen = SmallMap::default();
                for (name, _) in fields {
                    if let Some(first) = seen.first_span(name) {
                        self.report(errors::duplicate_field(name, first));
                    }
                }
                Ty::record(
                    fields.iter().map(|(n, t)| (n.name.clone(), self.read_type(t))).collect(),
                )
            }
            TypeExpKind::Sum(ctors) => {
                let mut seen = SmallMap::default();
                for (name, _) in ctors {
                    if let Some(first) = seen.first_span(name) {
                        self.report(errors::duplicate_constructor(name, first));
                    }
                }
                if ctors.len() > 256 {
                    self.report(errors::too_many_constructors(exp.span, ctors.len()));
                }
                Ty::sum(
                    ctors
                        .iter()
                        .map(|(n, ts)| {
                            (n.name.clone(), ts.iter().map(|t| self.read_type(t)).collect())
                        })
                        .collect(),
                )
            }
            TypeExpKind::Fun(name, param, ret) => {
                let param_ty = self.read_type(param);
                let mark = self.scope.enter();
                let name = name.as_ref().map(|ident| {
                    if let Some(earlier) = self.arrow_names.iter().find(|n| n.name == ident.name) {
                        let first = earlier.span;
                        self.report(errors::also_bound(ident, first));
                    }
                    self.arrow_names.push(ident.clone());
                    let ty = param_ty.without_unique();
                    let var = self.new_var(
                        ident.name.clone(),
                        Some(ident.span),
                        VarKind::TypeName,
                        Some(ty),
                    );
                    let term = ScopedTerm::local(Term::Val(var));
                    self.scope.bind_term(ident.name.clone(), term);
                    var
                });
                let outer = std::mem::take(&mut self.anonymous);
                let ret = self.read_type(ret);
                let exts = std::mem::replace(&mut self.anonymous, outer);
                self.scope.leave(&mark);
                if name.is_some() {
                    self.arrow_names.pop();
                }
                Ty::Fun(Arc::new(FunTy {
                    name,
                    consumes: param_ty.has_unique(),
                    param: param_ty.without_unique(),
                    exts,
                    ret,
                }))
            }
            TypeExpKind::Unique(inner) => match self.read_type(inner) {
                unique @ Ty::Unique(_) => unique,
                inner @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Error) => {
                    if !self.in_prelude && only_scalars(&inner) {
                        let text = self.show(&inner);
                        self.report(errors::star_without_effect(exp.span, &text));
                    }
                    Ty::Unique(Arc::new(inner))
                }
            },
            TypeExpKind::Exists(sizes, body) => {
                let mark = self.scope.enter();
                let vars: Vec<VarId> =
                    sizes.iter().map(|size| self.bind_size(size, VarKind::Ext)).collect();
                let ty = self.read_type(body);
                self.scope.leave(&mark);
                for (size, &var) in sizes.iter().zip(&vars) {
                    if !used_constructively(&ty, var) {
                        self.report(errors::unused_existential(size.span, &size.name.name));
                    }
                }
                self.anonymous.extend(vars);
                ty
            }
            TypeExpKind::Paren(inner) => self.read_type(inner),
            TypeExpKind::Error => {
                self.tainted = true;
                Ty::Error
            }
        }
    }

    /// Binds a size in scope: a parameter, or one of `?[n]`, `let [n]`, `loop [n]`.
    pub(crate) fn bind_size(&mut self, param: &TypeParam, kind: VarKind) -> VarId {
        self.bind(param.id, &param.name, kind, Ty::I64)
    }

    /// Binds type and size parameters in scope.
    pub(crate) fn bind_type_params(&mut self, params: &[TypeParam]) -> Vec<TypeFnParam> {
        for (i, param) in params.iter().enumerate() {
            let earlier = params[..i].iter().find(|p| p.name.name == param.name.name);
            if let Some(first) = earlier {
                self.report(errors::also_bound(&param.name, first.name.span));
            }
        }
        params
            .iter()
            .map(|param| match param.kind {
                TypeParamKind::Size => TypeFnParam::Size(self.bind_size(param, VarKind::SizeParam)),
                TypeParamKind::Type(lifted) => {
                    let name = param.name.name.clone();
                    let id = self.new_type(
                        name.clone(),
                        Some(param.name.span),
                        lifted,
                        Vec::new(),
                        TypeSort::Parameter,
                    );
                    let def = TypeDef {
                        name: name.clone(),
                        span: Some(param.name.span),
                        lifted,
                        params: Vec::new(),
                        exts: Vec::new(),
                        ty: Ty::Con(id, Arc::new([])),
                    };
                    self.scope.bind_type(name, Arc::new(def));
                    TypeFnParam::Type(id)
                }
            })
            .collect()
    }

    fn read_size(&mut self, size: Option<&Exp>, span: Span) -> Size {
        match size {
            Some(exp) => self.size_exp(exp),
            None => {
                let name = self.anonymous_name();
                let var = self.new_var(name, Some(span), VarKind::Anonymous, Some(Ty::I64));
                self.anonymous.push(var);
                Size::Var(var)
            }
        }
    }

    /// Names for sizes that have none: d0, d1, ...
    pub(crate) fn anonymous_name(&mut self) -> ecow::EcoString {
        self.size_metas.next_name("d")
    }

    fn read_named(&mut self, span: Span, name: &QualName, args: &[TypeArg]) -> Ty {
        let Some(def) = self.resolve_type(name) else {
            // Still read the arguments, for the errors in them.
            for arg in args {
                match arg {
                    TypeArg::Size(size, span) => _ = self.read_size(size.as_deref(), *span),
                    TypeArg::Type(ty) => _ = self.read_type(ty),
                }
            }
            return Ty::Error;
        };
        if def.params.len() != args.len() {
            let text = self.quote(name.span);
            let mut error = errors::type_arity(span, &text, def.params.len(), args.len(), def.span);
            // `f32[10]`
            if def.params.is_empty() && args.iter().all(|arg| matches!(arg, TypeArg::Size(..))) {
                let sizes = self.quote(Span { start: name.span.end, ..span });
                let new = format!("{}{text}", sizes.trim());
                error = error.fix("the sizes of an array come first", [(span, new)]);
            }
            self.report(error);
            return Ty::Error;
        }
        if def.ty.as_seq().is_some()
            && let (None, [TypeArg::Type(elem)]) = (def.span, args)
        {
            return self.read_seq(elem);
        }
        let mut subst = Subst::new();
        for (param, arg) in def.params.iter().zip(args) {
            match (param.param, arg) {
                (TypeFnParam::Size(var), TypeArg::Size(size, span)) => {
                    let size = self.read_size(size.as_deref(), *span);
                    subst.var(var, size);
                }
                (TypeFnParam::Type(id), TypeArg::Type(ty)) => {
                    let read = self.read_type(ty);
                    subst.ty(id, read);
                }
                (TypeFnParam::Size(_), TypeArg::Type(ty)) => {
                    self.report(errors::type_argument_kind(ty.span, &def.name, "a size", "a type"));
                    return Ty::Error;
                }
                (TypeFnParam::Type(_), TypeArg::Size(_, span)) => {
                    self.report(errors::type_argument_kind(*span, &def.name, "a type", "a size"));
                    return Ty::Error;
                }
            }
        }
        for &ext in &def.exts {
            let hint = self.program.vars[ext].name.clone();
            let var = self.new_var(hint, Some(span), VarKind::Anonymous, Some(Ty::I64));
            subst.var(ext, Size::Var(var));
            self.anonymous.push(var);
        }
        self.rename_bound(&def.ty, &mut subst);
        let ty = subst.apply(&def.ty);
        if !args.is_empty() {
            self.check_arrays(span, &ty);
        }
        ty
    }

    /// `seq elem`: the sizes of the elements that have no name are those that differ.
    fn read_seq(&mut self, elem: &TypeExp) -> Ty {
        let outer = std::mem::take(&mut self.anonymous);
        let ty = self.read_type(elem);
        let exts = std::mem::replace(&mut self.anonymous, outer);
        let ty = ty.unwrap_unique().clone();
        if has_seq(&ty) {
            let text = self.show(&ty);
            self.report(errors::nested_seq(elem.span, &text));
            return Ty::Error;
        }
        if self.lifted_of(&ty) == Lifted::Lifted {
            let text = self.show(&ty);
            self.report(errors::seq_of_functions(elem.span, &text));
            return Ty::Error;
        }
        Ty::seq(exts, ty)
    }

    /// Refuses arrays of functions that a type argument led to.
    fn check_arrays(&mut self, span: Span, ty: &Ty) {
        match ty {
            Ty::Array(_, elem) => {
                if self.lifted_of(elem) > Lifted::Unlifted {
                    let text = self.show(elem);
                    let lifted = self.lifted_of(elem);
                    self.report(errors::lifted_element(span, &text, lifted));
                }
            }
            Ty::Unique(inner) => self.check_arrays(span, inner),
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| self.check_arrays(span, t)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ts)| ts).for_each(|t| self.check_arrays(span, t));
            }
            Ty::Fun(fun) => {
                self.check_arrays(span, &fun.param);
                self.check_arrays(span, &fun.ret);
            }
            Ty::Prim(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => {}
        }
    }

    /// Gives the names and existential sizes that a type binds new variables, so that every type in
    /// the program binds its own.
    pub(crate) fn rename_bound(&mut self, ty: &Ty, subst: &mut Subst) {
        match ty {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => {}
            Ty::Array(_, elem) | Ty::Unique(elem) => self.rename_bound(elem, subst),
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| self.rename_bound(t, subst)),
            Ty::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ts)| ts).for_each(|t| self.rename_bound(t, subst));
            }
            Ty::Fun(fun) => {
                for &var in fun.exts.iter().chain(&fun.name) {
                    let mut info = self.program.vars[var].clone();
                    info.level = self.level;
                    let new = self.program.vars.push(info);
                    subst.var(var, Size::Var(new));
                }
                self.rename_bound(&fun.param, subst);
                self.rename_bound(&fun.ret, subst);
            }
            Ty::Con(_, args) => {
                for arg in args.iter() {
                    if let Arg::Type(ty) = arg {
                        self.rename_bound(ty, subst);
                    }
                }
            }
        }
    }

    /// Refuses array elements that may be functions or differ in size.
    fn check_element(&mut self, elem: &TypeExp, ty: &Ty) {
        if has_seq(ty) {
            let text = self.show(ty);
            self.report(errors::restricted_seq(elem.span, super::Restriction::ArrayElement, &text));
            return;
        }
        if let Some((name, lifted)) = self.lifted_name(elem) {
            self.report(errors::lifted_element(elem.span, &name, lifted));
        } else if self.lifted_of(ty) == Lifted::Lifted {
            let text = self.show(ty);
            self.report(errors::lifted_element(elem.span, &text, Lifted::Lifted));
        }
    }

    /// The name and liftedness of a type expression that is a lifted abbreviation.
    fn lifted_name(&mut self, exp: &TypeExp) -> Option<(String, Lifted)> {
        match &exp.kind {
            TypeExpKind::Paren(inner) | TypeExpKind::Unique(inner) => self.lifted_name(inner),
            TypeExpKind::Name(name, _) => {
                // Resolving again is silent: an unknown name was reported and found nothing.
                let reported = self.diags.len();
                let def = self.resolve_type(name);
                self.diags.truncate(reported);
                def.filter(|d| d.lifted > Lifted::Unlifted)
                    .map(|d| (self.quote(exp.span), d.lifted))
            }
            TypeExpKind::Array(..)
            | TypeExpKind::Tuple(_)
            | TypeExpKind::Record(_)
            | TypeExpKind::Sum(_)
            | TypeExpKind::Fun(..)
            | TypeExpKind::Exists(..)
            | TypeExpKind::Error => None,
        }
    }

    /// How lifted a type is by its structure: functions and lifted nominal types in it.
    pub(crate) fn lifted_of(&self, ty: &Ty) -> Lifted {
        let most =
            |parts: &mut dyn Iterator<Item = Lifted>| parts.max().unwrap_or(Lifted::Unlifted);
        match ty {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => Lifted::Unlifted,
            Ty::Array(_, elem) | Ty::Unique(elem) => self.lifted_of(elem),
            Ty::Record(fields) => most(&mut fields.iter().map(|(_, t)| self.lifted_of(t))),
            Ty::Sum(ctors) => {
                most(&mut ctors.iter().flat_map(|(_, ts)| ts).map(|t| self.lifted_of(t)))
            }
            Ty::Fun(_) => Lifted::Lifted,
            Ty::Con(id, args) => most(&mut args.iter().map(|arg| match arg {
                Arg::Size(_) => Lifted::Unlifted,
                Arg::Type(ty) => self.lifted_of(ty),
            }))
            .max(self.program.types[*id].lifted),
        }
    }

    /// The liftedness that the names in a type expression were declared with, which can be less than that
    /// of the type: `mt with t = u` may replace a type that is not lifted by one that is, and what `mt`
    /// says of "t" is then believed.
    pub(crate) fn declared_lifted(&mut self, exp: &TypeExp) -> Lifted {
        match &exp.kind {
            TypeExpKind::Name(name, args) => {
                let before = self.diags.len();
                let def = self.resolve_type(name);
                // What is wrong with the name was reported when the type was read.
                self.diags.truncate(before);
                let own = def.map_or(Lifted::Unlifted, |def| def.lifted);
                args.iter().fold(own, |most, arg| match arg {
                    TypeArg::Size(..) => most,
                    TypeArg::Type(ty) => most.max(self.declared_lifted(ty)),
                })
            }
            TypeExpKind::Array(_, inner)
            | TypeExpKind::Unique(inner)
            | TypeExpKind::Exists(_, inner)
            | TypeExpKind::Paren(inner) => self.declared_lifted(inner),
            TypeExpKind::Tuple(parts) => self.most_lifted(parts.iter()),
            TypeExpKind::Record(fields) => self.most_lifted(fields.iter().map(|(_, ty)| ty)),
            TypeExpKind::Sum(ctors) => self.most_lifted(ctors.iter().flat_map(|(_, tys)| tys)),
            TypeExpKind::Fun(..) => Lifted::Lifted,
            TypeExpKind::Error => Lifted::Unlifted,
        }
    }

    fn most_lifted<'e>(&mut self, parts: impl Iterator<Item = &'e TypeExp>) -> Lifted {
        parts.fold(Lifted::Unlifted, |most, part| most.max(self.declared_lifted(part)))
    }
}

/// Whether there is a sequence in a type, other than in a parameter or result of a function.
pub(crate) fn has_seq(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(fun) => fun.is_seq(),
        Ty::Array(_, inner) | Ty::Unique(inner) => has_seq(inner),
        Ty::Record(fields) => fields.iter().any(|(_, t)| has_seq(t)),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).any(has_seq),
        Ty::Con(_, args) => args.iter().any(|arg| matches!(arg, Arg::Type(ty) if has_seq(ty))),
        Ty::Prim(_) | Ty::Meta(_) | Ty::Error => false,
    }
}

/// Whether the type has only parts that are known to be scalars.
pub(super) fn only_scalars(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) => true,
        Ty::Unique(inner) => only_scalars(inner),
        Ty::Record(fields) => fields.iter().all(|(_, t)| only_scalars(t)),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).all(only_scalars),
        Ty::Array(..) | Ty::Fun(_) | Ty::Con(..) | Ty::Meta(_) | Ty::Error => false,
    }
}

/// Whether the size is the size of an array (or of an abstract type) outside of functions.
pub(crate) fn used_constructively(ty: &Ty, var: VarId) -> bool {
    match ty {
        // The elements of a sequence have the size, but if there are none, only its source says which.
        Ty::Fun(fun) if fun.is_seq() => used_constructively(&fun.ret, var),
        Ty::Prim(_) | Ty::Meta(_) | Ty::Error | Ty::Fun(_) => false,
        Ty::Array(size, elem) => *size == Size::Var(var) || used_constructively(elem, var),
        Ty::Unique(inner) => used_constructively(inner, var),
        Ty::Record(fields) => fields.iter().any(|(_, t)| used_constructively(t, var)),
        Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).any(|t| used_constructively(t, var)),
        Ty::Con(_, args) => args.iter().any(|arg| match arg {
            Arg::Size(size) => *size == Size::Var(var),
            // A value of the abstract type need not contain one of the argument.
            Arg::Type(_) => false,
        }),
    }
}
