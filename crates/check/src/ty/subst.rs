//! Substitution in types and sizes: nominal types by types, variables by sizes.

use super::{Arg, FunTy, Size, SmallMap, Term, Ty, TypeId, VarId};
use std::sync::Arc;

/// What a nominal type stands for: a type with parameters, bound in the order of the arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeFn {
    /// The parameters.
    pub params: Vec<TypeFnParam>,
    /// The existential sizes of the type, which every use makes anew.
    pub exts: Vec<VarId>,
    /// The type.
    pub ty: Ty,
}

/// A parameter of a [`TypeFn`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TypeFnParam {
    /// A size, bound to a variable.
    Size(VarId),
    /// A type, bound to a nominal type.
    Type(TypeId),
}

/// A simultaneous substitution. Variables bound inside types (names of parameters, existential
/// sizes) are unique in a program, so nothing can be captured.
#[derive(Clone, Default, Debug)]
pub struct Subst {
    /// Nominal types.
    pub types: SmallMap<TypeId, TypeFn>,
    /// Variables.
    pub vars: SmallMap<VarId, Size>,
}

impl TypeFn {
    /// A type without parameters.
    pub fn constant(ty: Ty) -> TypeFn {
        TypeFn { params: Vec::new(), exts: Vec::new(), ty }
    }

    /// The type for these arguments, which agree with the parameters in number and kind.
    pub fn apply(&self, args: &[Arg]) -> Ty {
        self.subst(args).apply(&self.ty)
    }

    /// The substitution of the parameters by arguments.
    pub fn subst(&self, args: &[Arg]) -> Subst {
        let mut subst = Subst::default();
        for (param, arg) in self.params.iter().zip(args) {
            match (param, arg) {
                (TypeFnParam::Size(v), Arg::Size(size)) => subst.var(*v, size.clone()),
                (TypeFnParam::Type(t), Arg::Type(ty)) => subst.ty(*t, ty.clone()),
                (TypeFnParam::Size(_), Arg::Type(_)) | (TypeFnParam::Type(_), Arg::Size(_)) => {}
            }
        }
        subst
    }
}

impl Subst {
    /// A substitution that changes nothing.
    pub fn new() -> Subst {
        Subst::default()
    }

    /// Adds a variable.
    pub fn var(&mut self, var: VarId, size: Size) {
        self.vars.insert(var, size);
    }

    /// Adds a nominal type without parameters.
    pub fn ty(&mut self, id: TypeId, ty: Ty) {
        self.types.insert(id, TypeFn::constant(ty));
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.vars.is_empty()
    }

    /// The type with everything substituted.
    pub fn apply(&self, ty: &Ty) -> Ty {
        if self.is_empty() { ty.clone() } else { self.go(ty) }
    }

    fn go(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => ty.clone(),
            Ty::Array(size, elem) => Ty::Array(self.size(size), Arc::new(self.go(elem))),
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(f, t)| (f.clone(), self.go(t))).collect())
            }
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| self.go(t)).collect()))
                    .collect(),
            ),
            Ty::Fun(fun) => Ty::Fun(Arc::new(FunTy {
                name: self.bound(fun.name),
                consumes: fun.consumes,
                param: self.go(&fun.param),
                exts: fun.exts.iter().filter_map(|&v| self.bound(Some(v))).collect(),
                ret: self.go(&fun.ret),
            })),
            Ty::Con(id, args) => {
                let args: Arc<[Arg]> = args.iter().map(|a| self.arg(a)).collect();
                match self.types.get(id) {
                    Some(def) => def.apply(&args),
                    None => Ty::Con(*id, args),
                }
            }
            Ty::Unique(inner) => match self.go(inner) {
                unique @ Ty::Unique(_) => unique,
                inner @ (Ty::Prim(_)
                | Ty::Array(..)
                | Ty::Record(_)
                | Ty::Sum(_)
                | Ty::Fun(_)
                | Ty::Con(..)
                | Ty::Meta(_)
                | Ty::Error) => Ty::Unique(Arc::new(inner)),
            },
        }
    }

    /// Variables bound by a type are renamed by mapping them to other variables.
    fn bound(&self, var: Option<VarId>) -> Option<VarId> {
        let var = var?;
        match self.vars.get(&var) {
            Some(Size::Var(new)) => Some(*new),
            Some(_) => None,
            None => Some(var),
        }
    }

    fn arg(&self, arg: &Arg) -> Arg {
        match arg {
            Arg::Size(size) => Arg::Size(self.size(size)),
            Arg::Type(ty) => Arg::Type(self.go(ty)),
        }
    }

    /// The size with everything substituted.
    pub fn size(&self, size: &Size) -> Size {
        let both = |ab: &Arc<[Size; 2]>| [self.size(&ab[0]), self.size(&ab[1])];
        match size {
            Size::Var(v) => self.vars.get(v).cloned().unwrap_or_else(|| size.clone()),
            Size::Add(ab) => Size::Add(Arc::new(both(ab))),
            Size::Sub(ab) => Size::Sub(Arc::new(both(ab))),
            Size::Mul(ab) => Size::Mul(Arc::new(both(ab))),
            Size::Term(term) => Size::Term(Arc::new(Term {
                head: term.head.clone(),
                args: term.args.iter().map(|a| self.size(a)).collect(),
            })),
            Size::Const(_) | Size::Meta(_) | Size::Any => size.clone(),
        }
    }
}

impl Ty {
    /// The type with every size replaced by what `f` makes of it, outermost first. Uniqueness
    /// and bound names stay.
    pub fn map_sizes(&self, f: &mut dyn FnMut(&Size) -> Size) -> Ty {
        match self {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => self.clone(),
            Ty::Array(size, elem) => {
                let size = f(size);
                Ty::Array(size, Arc::new(elem.map_sizes(f)))
            }
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(n, t)| (n.clone(), t.map_sizes(f))).collect())
            }
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(|t| t.map_sizes(f)).collect()))
                    .collect(),
            ),
            Ty::Fun(fun) => {
                let param = fun.param.map_sizes(f);
                let ret = fun.ret.map_sizes(f);
                Ty::Fun(Arc::new(FunTy { param, ret, ..(**fun).clone() }))
            }
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(size) => Arg::Size(f(size)),
                        Arg::Type(ty) => Arg::Type(ty.map_sizes(f)),
                    })
                    .collect(),
            ),
            Ty::Unique(inner) => Ty::Unique(Arc::new(inner.map_sizes(f))),
        }
    }

    /// As [`Ty::map_sizes`]; `f` also gets the variables that the type binds around the size.
    pub fn map_sizes_scoped(
        &self,
        bound: &mut Vec<VarId>,
        f: &mut dyn FnMut(&Size, &[VarId]) -> Size,
    ) -> Ty {
        match self {
            Ty::Fun(fun) => {
                let param = fun.param.map_sizes_scoped(bound, f);
                let outer = bound.len();
                bound.extend(fun.exts.iter().chain(&fun.name));
                let ret = fun.ret.map_sizes_scoped(bound, f);
                bound.truncate(outer);
                Ty::Fun(Arc::new(FunTy { param, ret, ..(**fun).clone() }))
            }
            Ty::Record(fields) => Ty::Record(
                fields.iter().map(|(n, t)| (n.clone(), t.map_sizes_scoped(bound, f))).collect(),
            ),
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| {
                        (c.clone(), ts.iter().map(|t| t.map_sizes_scoped(bound, f)).collect())
                    })
                    .collect(),
            ),
            Ty::Array(size, elem) => {
                let size = f(size, bound);
                Ty::Array(size, Arc::new(elem.map_sizes_scoped(bound, f)))
            }
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(size) => Arg::Size(f(size, bound)),
                        Arg::Type(ty) => Arg::Type(ty.map_sizes_scoped(bound, f)),
                    })
                    .collect(),
            ),
            Ty::Unique(inner) => Ty::Unique(Arc::new(inner.map_sizes_scoped(bound, f))),
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => self.clone(),
        }
    }

    /// Calls `f` with every size in the type.
    pub fn for_each_size(&self, f: &mut dyn FnMut(&Size)) {
        match self {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => {}
            Ty::Array(size, elem) => {
                f(size);
                elem.for_each_size(f);
            }
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| t.for_each_size(f)),
            Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).for_each(|t| t.for_each_size(f)),
            Ty::Fun(fun) => {
                fun.param.for_each_size(f);
                fun.ret.for_each_size(f);
            }
            Ty::Con(_, args) => args.iter().for_each(|arg| match arg {
                Arg::Size(size) => f(size),
                Arg::Type(ty) => ty.for_each_size(f),
            }),
            Ty::Unique(inner) => inner.for_each_size(f),
        }
    }

    /// Calls `f` with every variable in the type: those of sizes, and those that functions bind.
    pub fn for_each_var(&self, f: &mut dyn FnMut(VarId)) {
        match self {
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error => {}
            Ty::Array(size, elem) => {
                size.for_each_var(f);
                elem.for_each_var(f);
            }
            Ty::Record(fields) => fields.iter().for_each(|(_, t)| t.for_each_var(f)),
            Ty::Sum(ctors) => ctors.iter().flat_map(|(_, ts)| ts).for_each(|t| t.for_each_var(f)),
            Ty::Fun(fun) => {
                fun.name.iter().chain(&fun.exts).for_each(|var| f(*var));
                fun.param.for_each_var(f);
                fun.ret.for_each_var(f);
            }
            Ty::Con(_, args) => args.iter().for_each(|arg| match arg {
                Arg::Size(size) => size.for_each_var(f),
                Arg::Type(ty) => ty.for_each_var(f),
            }),
            Ty::Unique(inner) => inner.for_each_var(f),
        }
    }

    /// The type without any `*`, except in the results of functions inside it.
    pub fn without_unique(&self) -> Ty {
        if !self.has_unique() {
            return self.clone();
        }
        match self {
            Ty::Unique(inner) => inner.without_unique(),
            Ty::Record(fields) => {
                Ty::Record(fields.iter().map(|(n, t)| (n.clone(), t.without_unique())).collect())
            }
            Ty::Sum(ctors) => Ty::Sum(
                ctors
                    .iter()
                    .map(|(c, ts)| (c.clone(), ts.iter().map(Ty::without_unique).collect()))
                    .collect(),
            ),
            Ty::Array(size, elem) => Ty::Array(size.clone(), Arc::new(elem.without_unique())),
            Ty::Con(id, args) => Ty::Con(
                *id,
                args.iter()
                    .map(|arg| match arg {
                        Arg::Size(_) => arg.clone(),
                        Arg::Type(ty) => Arg::Type(ty.without_unique()),
                    })
                    .collect(),
            ),
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error | Ty::Fun(_) => self.clone(),
        }
    }

    /// Whether any part of the type, results of functions inside it excepted, is marked `*`.
    pub fn has_unique(&self) -> bool {
        match self {
            Ty::Unique(_) => true,
            Ty::Record(fields) => fields.iter().any(|(_, t)| t.has_unique()),
            Ty::Sum(ctors) => ctors.iter().any(|(_, ts)| ts.iter().any(Ty::has_unique)),
            Ty::Array(_, elem) => elem.has_unique(),
            Ty::Con(_, args) => {
                args.iter().any(|arg| matches!(arg, Arg::Type(ty) if ty.has_unique()))
            }
            Ty::Prim(_) | Ty::Meta(_) | Ty::Error | Ty::Fun(_) => false,
        }
    }
}
