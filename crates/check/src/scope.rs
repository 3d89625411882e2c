//! What names mean: modules as values of the checker, and the scope of the place being checked.

use crate::ty::{Lifted, Ty, TypeFn, TypeId, VarId};
use ecow::EcoString;
use fehu_base::Span;
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::fmt;
use std::sync::Arc;

pub(crate) use crate::ty::TypeFnParam;

type Names<T> = IndexMap<EcoString, T, FxBuildHasher>;

/// What a structure (`{ ... }`, a file) provides.
#[derive(Clone, Default, Debug)]
pub(crate) struct ModEnv {
    pub(crate) terms: Names<Term>,
    pub(crate) types: Names<Arc<TypeDef>>,
    pub(crate) mod_types: Names<Arc<ModType>>,
}

impl ModEnv {
    /// Adds what later declarations provide.
    pub(crate) fn extend(&mut self, more: &ModEnv) {
        let ModEnv { terms, types, mod_types } = more;
        self.terms.extend(terms.iter().map(|(name, term)| (name.clone(), term.clone())));
        self.types.extend(types.iter().map(|(name, def)| (name.clone(), def.clone())));
        self.mod_types.extend(mod_types.iter().map(|(name, mt)| (name.clone(), mt.clone())));
    }
}

/// A member of the term namespace.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Val(VarId),
    Mod(VarId, Arc<Module>),
}

impl Term {
    /// The variable that stands for it.
    pub(crate) fn var(&self) -> VarId {
        match self {
            Term::Val(var) | Term::Mod(var, _) => *var,
        }
    }
}

/// A module.
#[derive(Clone, Debug)]
pub(crate) enum Module {
    Struct(Arc<ModEnv>),
    Functor(Arc<Functor>),
}

/// A parametric module: for every module that matches `param`, whose abstract types are then
/// substituted, the `result`, whose abstract types are new at each application.
#[derive(Clone, Debug)]
pub(crate) struct Functor {
    pub(crate) param_name: EcoString,
    pub(crate) param: Arc<ModType>,
    pub(crate) result: ModType,
}

/// A module type: a module and which of its types are abstract.
#[derive(Clone, Debug)]
pub(crate) struct ModType {
    /// The name in its declaration, if it has one.
    pub(crate) span: Option<Span>,
    pub(crate) abstracts: Vec<TypeId>,
    pub(crate) module: Module,
}

/// A type abbreviation. Abstract types are abbreviations of themselves.
#[derive(Clone, Debug)]
pub(crate) struct TypeDef {
    pub(crate) name: EcoString,
    pub(crate) span: Option<Span>,
    pub(crate) lifted: Lifted,
    pub(crate) params: Vec<TypeDefParam>,
    /// The existential sizes of the type, renamed at each use.
    pub(crate) exts: Vec<VarId>,
    pub(crate) ty: Ty,
}

/// A parameter of a type abbreviation.
#[derive(Clone, Debug)]
pub(crate) struct TypeDefParam {
    pub(crate) param: TypeFnParam,
    pub(crate) lifted: Lifted,
    pub(crate) name: EcoString,
}

/// As in a declaration: `[n]`, `'a`, `'~a` or `'^a`.
impl fmt::Display for TypeDefParam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (self.param, self.lifted) {
            (TypeFnParam::Size(_), _) => write!(f, "[{name}]"),
            (TypeFnParam::Type(_), Lifted::Unlifted) => write!(f, "'{name}"),
            (TypeFnParam::Type(_), Lifted::SizeLifted) => write!(f, "'~{name}"),
            (TypeFnParam::Type(_), Lifted::Lifted) => write!(f, "'^{name}"),
        }
    }
}

impl TypeDef {
    /// The definition as a function from types to types, existential sizes left free.
    pub(crate) fn type_fn(&self) -> TypeFn {
        TypeFn {
            params: self.params.iter().map(|p| p.param).collect(),
            exts: self.exts.clone(),
            ty: self.ty.clone(),
        }
    }

    /// The nominal type that this definition names, if it names one.
    pub(crate) fn nominal(&self) -> Option<TypeId> {
        match &self.ty {
            Ty::Con(id, _) => Some(*id),
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Fun(_)
            | Ty::Meta(_)
            | Ty::Unique(_)
            | Ty::Error => None,
        }
    }
}

/// A term in scope: what it is, and how a program reaches it.
#[derive(Clone, Debug)]
pub(crate) struct ScopedTerm {
    pub(crate) term: Term,
    /// The variable in scope it is reached from: itself, or the module that was opened.
    pub(crate) root: VarId,
    /// The names to follow from the root.
    pub(crate) path: Vec<EcoString>,
}

impl ScopedTerm {
    /// A term bound here.
    pub(crate) fn local(term: Term) -> ScopedTerm {
        ScopedTerm { root: term.var(), term, path: Vec::new() }
    }
}

/// The names in scope. Entering a block marks the scope, leaving it undoes everything since.
#[derive(Default)]
pub(crate) struct Scope {
    terms: FxHashMap<EcoString, Vec<ScopedTerm>>,
    types: FxHashMap<EcoString, Vec<Arc<TypeDef>>>,
    mod_types: FxHashMap<EcoString, Vec<Arc<ModType>>>,
    log: Vec<Undo>,
}

enum Undo {
    Term(EcoString),
    Type(EcoString),
    ModType(EcoString),
}

/// A point to which [`Scope::leave`] returns.
pub(crate) struct Mark(usize);

/// A name that was bound.
pub(crate) enum Bind {
    Term(EcoString, ScopedTerm),
    Type(EcoString, Arc<TypeDef>),
    ModType(EcoString, Arc<ModType>),
}

impl Scope {
    pub(crate) fn enter(&mut self) -> Mark {
        Mark(self.log.len())
    }

    pub(crate) fn leave(&mut self, mark: &Mark) {
        for undo in self.log.drain(mark.0..).rev() {
            match undo {
                Undo::Term(name) => _ = self.terms.get_mut(&name).and_then(Vec::pop),
                Undo::Type(name) => _ = self.types.get_mut(&name).and_then(Vec::pop),
                Undo::ModType(name) => _ = self.mod_types.get_mut(&name).and_then(Vec::pop),
            }
        }
    }

    /// How many names have been bound.
    pub(crate) fn bound(&self) -> usize {
        self.log.len()
    }

    /// What was bound last, which it is no longer.
    pub(crate) fn take_back(&mut self) -> Option<Bind> {
        Some(match self.log.pop()? {
            Undo::Term(name) => {
                let term = self.terms.get_mut(&name).and_then(Vec::pop)?;
                Bind::Term(name, term)
            }
            Undo::Type(name) => {
                let def = self.types.get_mut(&name).and_then(Vec::pop)?;
                Bind::Type(name, def)
            }
            Undo::ModType(name) => {
                let mt = self.mod_types.get_mut(&name).and_then(Vec::pop)?;
                Bind::ModType(name, mt)
            }
        })
    }

    /// The values that were bound last, so many; `None` if not all are values.
    pub(crate) fn last_values(&self, count: usize) -> Option<Vec<(&EcoString, VarId)>> {
        let mut values = Vec::new();
        for undo in &self.log[self.log.len() - count..] {
            let Undo::Term(name) = undo else { return None };
            let Term::Val(var) = self.term(name)?.term else { return None };
            values.push((name, var));
        }
        Some(values)
    }

    pub(crate) fn bind(&mut self, bind: Bind) {
        match bind {
            Bind::Term(name, term) => self.bind_term(name, term),
            Bind::Type(name, def) => self.bind_type(name, def),
            Bind::ModType(name, mt) => self.bind_mod_type(name, mt),
        }
    }

    pub(crate) fn bind_term(&mut self, name: EcoString, term: ScopedTerm) {
        self.terms.entry(name.clone()).or_default().push(term);
        self.log.push(Undo::Term(name));
    }

    pub(crate) fn bind_type(&mut self, name: EcoString, def: Arc<TypeDef>) {
        self.types.entry(name.clone()).or_default().push(def);
        self.log.push(Undo::Type(name));
    }

    pub(crate) fn bind_mod_type(&mut self, name: EcoString, mt: Arc<ModType>) {
        self.mod_types.entry(name.clone()).or_default().push(mt);
        self.log.push(Undo::ModType(name));
    }

    /// Binds everything that a module provides; terms are reached through `root`.
    pub(crate) fn open(&mut self, env: &ModEnv, root: VarId, path: &[EcoString]) {
        for (name, term) in &env.terms {
            let mut path = path.to_vec();
            path.push(name.clone());
            self.bind_term(name.clone(), ScopedTerm { term: term.clone(), root, path });
        }
        for (name, def) in &env.types {
            self.bind_type(name.clone(), def.clone());
        }
        for (name, mt) in &env.mod_types {
            self.bind_mod_type(name.clone(), mt.clone());
        }
    }

    pub(crate) fn term(&self, name: &str) -> Option<&ScopedTerm> {
        self.terms.get(name).and_then(|all| all.last())
    }

    pub(crate) fn type_def(&self, name: &str) -> Option<&Arc<TypeDef>> {
        self.types.get(name).and_then(|all| all.last())
    }

    pub(crate) fn mod_type(&self, name: &str) -> Option<&Arc<ModType>> {
        self.mod_types.get(name).and_then(|all| all.last())
    }

    /// All names of values and modules in scope, sorted, for suggestions.
    pub(crate) fn term_names(&self) -> Vec<&EcoString> {
        sorted(self.terms.iter().filter(|(_, all)| !all.is_empty()).map(|(name, _)| name))
    }

    /// All names of types in scope, sorted, for suggestions.
    pub(crate) fn type_names(&self) -> Vec<&EcoString> {
        sorted(self.types.iter().filter(|(_, all)| !all.is_empty()).map(|(name, _)| name))
    }

    /// All names of module types in scope, sorted, for suggestions.
    pub(crate) fn mod_type_names(&self) -> Vec<&EcoString> {
        sorted(self.mod_types.iter().filter(|(_, all)| !all.is_empty()).map(|(name, _)| name))
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a EcoString>) -> Vec<&'a EcoString> {
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}
