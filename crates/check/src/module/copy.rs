//! Copies of modules: nominal types and variables substituted, values given variables of their own.

use crate::checker::Checker;
use crate::scope::{Functor, ModEnv, ModType, Module, Term};
use crate::ty::{Scheme, Size, Subst, Ty, TypeFn, TypeFnParam, TypeId};
use std::sync::Arc;

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
                    let id = self.new_type("a", None, *lifted, Vec::new());
                    fn_params.push(TypeFnParam::Type(id));
                    args.push(crate::ty::Arg::Type(Ty::Con(id, Arc::new([]))));
                }
            }
        }
        let ty = Ty::Con(new, args.into());
        subst.types.insert(old, TypeFn { params: fn_params, ty });
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

    fn substitute(&mut self, module: &Module, subst: &Subst) -> Module {
        match module {
            Module::Struct(env) => Module::Struct(Arc::new(self.substitute_env(env, subst))),
            Module::Functor(functor) => Module::Functor(Arc::new(Functor {
                param_name: functor.param_name.clone(),
                param: Arc::new(self.substitute_mod_type(&functor.param, subst)),
                result: self.substitute_mod_type(&functor.result, subst),
            })),
        }
    }

    fn substitute_mod_type(&mut self, mt: &ModType, subst: &Subst) -> ModType {
        // Inside a module type, values keep their variables: uses of it copy them.
        ModType { abstracts: mt.abstracts.clone(), module: self.substitute(&mt.module, subst) }
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
                        let scheme = Scheme { ty: subst.apply(&scheme.ty), ..(*scheme).clone() };
                        self.set_scheme(renamed, scheme);
                    }
                    Term::Val(renamed)
                }
                Term::Mod(_, inner) => Term::Mod(renamed, Arc::new(self.substitute(inner, subst))),
            };
            new.terms.insert(name.clone(), term);
        }
        for (name, def) in &env.types {
            new.types.insert(name.clone(), Arc::new(def.substitute(subst)));
        }
        for (name, mt) in &env.mod_types {
            new.mod_types.insert(name.clone(), Arc::new(self.substitute_mod_type(mt, subst)));
        }
        new
    }
}
