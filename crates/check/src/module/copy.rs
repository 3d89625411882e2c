//! Copies of modules: nominal types and variables substituted, values given variables of their own.

use crate::checker::Checker;
use crate::scope::{Functor, ModEnv, ModType, Module, Term, TypeDef};
use crate::ty::{Arg, FunTy, Scheme, Size, Subst, Ty, TypeFn, TypeFnParam, TypeId, VarId};
use std::sync::Arc;

/// What a substitution in one type has made of types with existential sizes.
#[derive(Default)]
struct Opened {
    /// The sizes of the first occurrence of each that are still in scope.
    first: Vec<(TypeId, Vec<VarId>)>,
    /// Whether we are in an argument of an abstract type.
    inside: bool,
}

impl Checker<'_> {
    /// A module of this type with new abstract types, which are returned, after `subst`.
    pub(super) fn instance(&mut self, mt: &ModType, mut subst: Subst) -> (Module, Vec<TypeId>) {
        let mut new_types = Vec::with_capacity(mt.abstracts.len());
        for &old in &mt.abstracts {
            if subst.types.contains_key(&old) {
                continue;
            }
            let info = self.program.types[old].clone();
            let params = info.params.clone();
            let new = self.program.types.push(info);
            self.redirect(old, new, &params, &mut subst);
            new_types.push(new);
        }
        (self.copy_module(&mt.module, &mut subst), new_types)
    }

    /// Makes `subst` replace a nominal type by another with the same parameters.
    pub(super) fn redirect(
        &mut self,
        old: TypeId,
        new: TypeId,
        params: &[crate::program::ParamKind],
        subst: &mut Subst,
    ) {
        let mut fn_params = Vec::with_capacity(params.len());
        let mut args = Vec::with_capacity(params.len());
        for param in params {
            match param {
                crate::program::ParamKind::Size => {
                    let var =
                        self.new_var("n", None, crate::program::VarKind::SizeParam, Some(Ty::I64));
                    fn_params.push(TypeFnParam::Size(var));
                    args.push(crate::ty::Arg::Size(Size::Var(var)));
                }
                crate::program::ParamKind::Type(lifted) => {
                    let id = self.new_type(
                        "a",
                        None,
                        *lifted,
                        Vec::new(),
                        crate::program::TypeSort::Parameter,
                    );
                    fn_params.push(TypeFnParam::Type(id));
                    args.push(crate::ty::Arg::Type(Ty::Con(id, Arc::new([]))));
                }
            }
        }
        let ty = Ty::Con(new, args.into());
        subst.types.insert(old, TypeFn { params: fn_params, exts: Vec::new(), ty });
    }

    /// The module with everything substituted. Its values get variables of their own.
    pub(super) fn copy_module(&mut self, module: &Module, subst: &mut Subst) -> Module {
        self.new_values(module, subst);
        self.substitute(module, subst)
    }

    /// Gives the values of a structure new variables, noted in the substitution.
    fn new_values(&mut self, module: &Module, subst: &mut Subst) {
        let Module::Struct(env) = module else { return };
        for term in env.terms.values() {
            match term {
                Term::Val(var) => {
                    let info = self.program.vars[*var].clone();
                    let new = self.program.vars.push(info);
                    subst.var(*var, Size::Var(new));
                }
                Term::Mod(var, inner) => {
                    let info = self.program.vars[*var].clone();
                    let new = self.program.vars.push(info);
                    subst.var(*var, Size::Var(new));
                    self.new_values(inner, subst);
                }
            }
        }
    }

    /// A type definition with everything substituted.
    pub(super) fn substitute_def(&mut self, def: &TypeDef, subst: &Subst) -> TypeDef {
        let (ty, exts) = self.substitute_type(&def.ty, subst);
        let mut def = TypeDef { ty, ..def.clone() };
        def.exts.extend(exts);
        def
    }

    /// The type with everything substituted. Types with existential sizes get new ones wherever they
    /// occur; those that no function's result binds are returned.
    pub(super) fn substitute_type(&mut self, ty: &Ty, subst: &Subst) -> (Ty, Vec<VarId>) {
        if subst.types.values().all(|def| def.exts.is_empty()) {
            return (subst.apply(ty), Vec::new());
        }
        let outer = std::mem::take(&mut self.anonymous);
        let ty = self.substitute_open(ty, subst, &mut Opened::default());
        (ty, std::mem::replace(&mut self.anonymous, outer))
    }

    fn substitute_open(&mut self, ty: &Ty, subst: &Subst, opened: &mut Opened) -> Ty {
        match ty {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => ty.clone(),
            Ty::Array(size, elem) => {
                Ty::array(subst.size(size), self.substitute_open(elem, subst, opened))
            }
            Ty::Unique(inner) => Ty::Unique(self.substitute_open(inner, subst, opened).into()),
            Ty::Record(fields) => Ty::Record(
                fields
                    .iter()
                    .map(|(f, t)| (f.clone(), self.substitute_open(t, subst, opened)))
                    .collect(),
            ),
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        let ts = ts.iter().map(|t| self.substitute_open(t, subst, opened));
                        (c.clone(), ts.collect())
                    })
                    .collect(),
            ),
            Ty::Fun(fun) => {
                let param = self.substitute_open(&fun.param, subst, opened);
                let outer = std::mem::take(&mut self.anonymous);
                let ret = self.substitute_open(&fun.ret, subst, opened);
                let mut exts = fun.exts.clone();
                let open = std::mem::replace(&mut self.anonymous, outer);
                // Where a function comes back, these are the sizes of its parameters, which callers choose.
                match &ret {
                    Ty::Fun(_) => self.anonymous.extend(open),
                    Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Record(_)
                    | Ty::Sum(_)
                    | Ty::Con(..)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error => {
                        opened.first.retain(|(_, vars)| !vars.iter().any(|v| open.contains(v)));
                        exts.extend(open);
                    }
                }
                Ty::Fun(FunTy { param, exts, ret, ..(**fun).clone() }.into())
            }
            Ty::Con(id, args) => {
                let def = subst.types.get(id);
                let inside = opened.inside;
                opened.inside |= def.is_none_or(|def| matches!(def.ty, Ty::Con(..)));
                let args: Vec<Arg> = args
                    .iter()
                    .map(|arg| match arg {
                        Arg::Size(size) => Arg::Size(subst.size(size)),
                        Arg::Type(ty) => Arg::Type(self.substitute_open(ty, subst, opened)),
                    })
                    .collect();
                opened.inside = inside;
                let Some(def) = def else { return Ty::Con(*id, args.into()) };
                let mut inner = def.subst(&args);
                for (&ext, new) in def.exts.iter().zip(self.open_sizes(*id, &def.exts, opened)) {
                    inner.var(ext, Size::Var(new));
                }
                inner.apply(&def.ty)
            }
        }
    }

    /// The sizes for an occurrence of a type with existential sizes. An argument of an abstract type has
    /// those of the first occurrence: `val mk : t -> list t` makes a list of what it is given.
    fn open_sizes(&mut self, id: TypeId, exts: &[VarId], opened: &mut Opened) -> Vec<VarId> {
        let first = opened.first.iter().find(|(other, _)| *other == id);
        if let Some((_, vars)) = first.filter(|_| opened.inside) {
            return vars.clone();
        }
        let known = first.is_some();
        let vars: Vec<VarId> = exts
            .iter()
            .map(|&ext| {
                let info = self.program.vars[ext].clone();
                self.program.vars.push(info)
            })
            .collect();
        self.anonymous.extend(&vars);
        if !known {
            opened.first.push((id, vars.clone()));
        }
        vars
    }

    fn substitute(&mut self, module: &Module, subst: &Subst) -> Module {
        match module {
            Module::Struct(env) => Module::Struct(Arc::new(self.substitute_env(env, subst))),
            Module::Functor(functor) => {
                // The result may mention values of the parameter, so both get the same new variables.
                let mut inner = subst.clone();
                self.new_values(&functor.param.module, &mut inner);
                let abstracts = functor.param.abstracts.clone();
                let param = self.substitute(&functor.param.module, &inner);
                Module::Functor(Arc::new(Functor {
                    param_name: functor.param_name.clone(),
                    param: Arc::new(ModType { span: None, abstracts, module: param }),
                    result: self.substitute_mod_type(&functor.result, &inner),
                }))
            }
        }
    }

    /// The values of a module type get variables of their own, since their types may be others now; sizes in
    /// the types of other values follow them.
    fn substitute_mod_type(&mut self, mt: &ModType, subst: &Subst) -> ModType {
        let module = self.copy_module(&mt.module, &mut subst.clone());
        ModType { span: mt.span, abstracts: mt.abstracts.clone(), module }
    }

    fn substitute_env(&mut self, env: &ModEnv, subst: &Subst) -> ModEnv {
        let mut new = ModEnv::default();
        for (name, term) in &env.terms {
            let renamed = match subst.vars.get(&term.var()) {
                Some(Size::Var(new)) => *new,
                _ => {
                    let info = self.program.vars[term.var()].clone();
                    self.program.vars.push(info)
                }
            };
            let term = match term {
                Term::Val(var) => {
                    if let Some(scheme) = self.scheme(*var) {
                        let (ty, exts) = self.substitute_type(&scheme.ty, subst);
                        let mut scheme = Scheme { ty, ..(*scheme).clone() };
                        scheme.sizes.extend(exts);
                        self.set_scheme(renamed, scheme);
                    }
                    Term::Val(renamed)
                }
                Term::Mod(_, inner) => Term::Mod(renamed, Arc::new(self.substitute(inner, subst))),
            };
            new.terms.insert(name.clone(), term);
        }
        for (name, def) in &env.types {
            let def = self.substitute_def(def, subst);
            new.types.insert(name.clone(), Arc::new(def));
        }
        for (name, mt) in &env.mod_types {
            new.mod_types.insert(name.clone(), Arc::new(self.substitute_mod_type(mt, subst)));
        }
        new
    }
}
