//! Questions about names from outside of the checker: what is in scope at the end of the root file,
//! and what it is. Sessions and editors ask them.

use crate::program::{Program, Target, VarInfo};
use crate::scope::{ModEnv, Module, Term, TypeDef};
use crate::ty::{Arg, Lifted, Printer, Scheme, Ty, TypeFnParam, VarId};
use ecow::EcoString;
use fehu_base::Span;
use std::fmt::Write;
use std::sync::Arc;

/// Where a search for a module begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// At what every file sees.
    Prelude,
    /// In a module: one that is declared, opened, or a parameter.
    Module(VarId),
}

/// A name that a module provides.
#[derive(Clone, PartialEq, Debug)]
pub struct Provided {
    /// The name.
    pub name: EcoString,
    /// What it refers to.
    pub target: Target,
}

impl Program {
    /// What the module provides that a path leads to, values and modules first, each in the order of declaration. `None` if
    /// there is no such module, or if it is parametric.
    pub fn provided(&self, start: Start, path: &[EcoString]) -> Option<Vec<Provided>> {
        let mut env = match start {
            Start::Prelude => self.scopes[0].clone(),
            Start::Module(var) => match &**self.modules.get(&var)? {
                Module::Struct(env) => env.clone(),
                Module::Functor(_) => return None,
            },
        };
        for name in path {
            let Term::Mod(_, module) = env.terms.get(name)? else { return None };
            let Module::Struct(inner) = &**module else { return None };
            env = inner.clone();
        }
        let terms = env.terms.iter().map(|(name, term)| (name, Target::Var(term.var())));
        let types = env.types.iter().map(|(name, def)| (name, Target::Type(def.span)));
        let mod_types = env.mod_types.iter().map(|(name, mt)| (name, Target::ModType(mt.span)));
        let all = terms.chain(types).chain(mod_types);
        Some(all.map(|(name, target)| Provided { name: name.clone(), target }).collect())
    }

    /// The type of the module behind a variable, as text.
    pub fn show_module_of(&self, var: VarId) -> Option<String> {
        let mut out = String::new();
        self.write_module(&mut out, self.modules.get(&var)?, 0);
        Some(out)
    }

    /// The names of values, modules and types in a module, or those in scope at the end of the root
    /// file if the path is empty; sorted. What the root file imports without opening is not among
    /// them. A path that leads to no module has no names.
    pub fn names_in(&self, path: &[&str]) -> Vec<EcoString> {
        let inside;
        let envs: &[Arc<ModEnv>] = match self.structure(path) {
            Some(Some(env)) => {
                inside = [env];
                &inside
            }
            Some(None) => &self.scopes,
            None => &[],
        };
        let mut names: Vec<EcoString> = Vec::new();
        for env in envs {
            names.extend(env.terms.keys().chain(env.types.keys()).cloned());
            names.extend(env.mod_types.keys().cloned());
        }
        names.sort();
        names.dedup();
        names
    }

    /// The type of a module as text, if the path leads to one: what a module type expression for it
    /// could look like.
    pub fn show_module(&self, path: &[&str]) -> Option<String> {
        let module = self.module(path)?;
        let mut out = String::new();
        self.write_module(&mut out, &module, 0);
        Some(out)
    }

    /// Where the value or module at a path is declared, or specified by the type of its module. What is built in has no place.
    pub fn place_of(&self, path: &[&str]) -> Option<Span> {
        self.vars[self.term(path)?.var()].span
    }

    /// A type with its parameters: `[n] 'a. [n]a -> a`.
    pub fn show_scheme(&self, scheme: &Scheme) -> String {
        let params = self.scheme_params(scheme);
        let ty = self.printer().ty(&scheme.ty);
        if params.is_empty() { ty } else { format!("{}. {ty}", params.join(" ")) }
    }

    /// Whether values of this type are data, without any function in them.
    pub fn is_data(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Fun(_) | Ty::Meta(_) | Ty::Error => false,
            Ty::Prim(_) => true,
            Ty::Array(_, inner) | Ty::Unique(inner) => self.is_data(inner),
            Ty::Record(fields) => fields.iter().all(|(_, ty)| self.is_data(ty)),
            Ty::Sum(ctors) => ctors.iter().flat_map(|(_, tys)| tys).all(|ty| self.is_data(ty)),
            Ty::Con(id, args) => {
                self.types[*id].lifted != Lifted::Lifted
                    && args.iter().all(|arg| match arg {
                        Arg::Size(_) => true,
                        Arg::Type(ty) => self.is_data(ty),
                    })
            }
        }
    }

    /// Prints types with the names of this program.
    pub fn printer(&self) -> Printer<'_> {
        Printer { vars: &self.vars, types: &self.types }
    }

    /// The value or module at a path that is not empty.
    fn term(&self, path: &[&str]) -> Option<&Term> {
        let (first, rest) = path.split_first()?;
        let mut term = self.scopes.iter().rev().find_map(|env| env.terms.get(*first))?;
        for name in rest {
            let Term::Mod(_, module) = term else { return None };
            let Module::Struct(env) = &**module else { return None };
            term = env.terms.get(*name)?;
        }
        Some(term)
    }

    /// The module at a path that is not empty.
    fn module(&self, path: &[&str]) -> Option<Arc<Module>> {
        match self.term(path)? {
            Term::Mod(_, module) => Some(module.clone()),
            Term::Val(_) => None,
        }
    }

    /// What the module at a path provides; `Some(None)` for the empty path.
    fn structure(&self, path: &[&str]) -> Option<Option<Arc<ModEnv>>> {
        if path.is_empty() {
            return Some(None);
        }
        match &*self.module(path)? {
            Module::Struct(env) => Some(Some(env.clone())),
            Module::Functor(_) => None,
        }
    }

    /// The parameters of a scheme as they are declared: `[n]`, `'a`.
    pub fn scheme_params(&self, scheme: &Scheme) -> Vec<String> {
        let sizes = scheme.sizes.iter().map(|&size| format!("[{}]", self.vars[size].name));
        let types = scheme
            .types
            .iter()
            .map(|param| format!("'{}{}", mark(param.lifted), self.types[param.id].name));
        sizes.chain(types).collect()
    }

    fn write_module(&self, out: &mut String, module: &Module, indent: usize) {
        let env = match module {
            Module::Struct(env) => env,
            Module::Functor(functor) => {
                _ = write!(out, "({}: ", functor.param_name);
                self.write_module(out, &functor.param.module, indent);
                out.push_str(") -> ");
                return self.write_module(out, &functor.result.module, indent);
            }
        };
        if env.terms.is_empty() && env.types.is_empty() && env.mod_types.is_empty() {
            return out.push_str("{}");
        }
        out.push_str("{\n");
        let pad = "  ".repeat(indent + 1);
        for (name, def) in &env.types {
            _ = writeln!(out, "{pad}{}", self.type_spec(name, def));
        }
        for name in env.mod_types.keys() {
            _ = writeln!(out, "{pad}module type {name}");
        }
        for (name, term) in &env.terms {
            match term {
                Term::Val(var) => {
                    _ = writeln!(out, "{pad}{}", self.val_spec(name, &self.vars[*var]))
                }
                Term::Mod(_, module) => {
                    _ = write!(out, "{pad}module {name} : ");
                    self.write_module(out, module, indent + 1);
                    out.push('\n');
                }
            }
        }
        _ = write!(out, "{}}}", "  ".repeat(indent));
    }

    fn type_spec(&self, name: &str, def: &TypeDef) -> String {
        let mut out = format!("type{} {name}", mark(def.lifted));
        for param in &def.params {
            _ = match param.param {
                TypeFnParam::Size(_) => write!(out, " [{}]", param.name),
                TypeFnParam::Type(_) => write!(out, " '{}{}", mark(param.lifted), param.name),
            };
        }
        // An abstract type is an abbreviation of itself.
        let is_abstract = def.nominal().is_some_and(|id| {
            let own = &self.types[id].name;
            *own == *name || own.ends_with(&format!(".{name}"))
        });
        if !is_abstract {
            _ = write!(out, " = {}", self.printer().ty(&def.ty));
        }
        out
    }

    fn val_spec(&self, name: &str, info: &VarInfo) -> String {
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let mut out = if is_name { format!("val {name}") } else { format!("val ({name})") };
        if let Some(scheme) = &info.scheme {
            for param in self.scheme_params(scheme) {
                _ = write!(out, " {param}");
            }
            _ = write!(out, " : {}", self.printer().ty(&scheme.ty));
        }
        out
    }
}

/// What marks a type that may be more than data of one size.
fn mark(lifted: Lifted) -> &'static str {
    match lifted {
        Lifted::Unlifted => "",
        Lifted::SizeLifted => "~",
        Lifted::Lifted => "^",
    }
}
