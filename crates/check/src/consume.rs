//! Consumption: which arrays may be updated in place, and that nobody looks at them afterwards.
//!
//! This runs after type inference on one top-level value at a time and changes nothing: it reads the
//! tables of types and names and reports errors. It interprets the body abstractly. Every part of a
//! value that may be an array has a set of [regions](alias::Region); a consumption marks the regions
//! of what was consumed; a use requires that none of its regions are marked. See `alias` for the
//! values, `state` for regions and paths, and the other files for one construct each:
//!
//! | file | construct |
//! | --- | --- |
//! | `exp` | expressions, in the order of their evaluation |
//! | `update` | in-place updates |
//! | `call` | applications: consumed arguments |
//! | `share` | applications: what their results share |
//! | `bind` | patterns, `let`, lambdas and local functions |
//! | `repeat` | loops |
//! | `result` | results of functions: `*`, and globals |
//! | `compact` | keeping sets small |
//! | `errors` | the messages |
//!
//! # What is evaluated when
//!
//! Operands from left to right; the arguments of an application from right to left, and the function
//! after them; in `a with [i] = v` first `i`, then `v`, then `a`. Lowering follows the same order.
//! An application consumes its arguments after all of them were evaluated.
//!
//! # Where it is finer than the types
//!
//! Parts of records, tuples and sums are known apart, also in parameters. A local function or lambda
//! is known by its body: a call of it shares what the body really shares. Passing a lambda to
//! another function lends it only what the lambda can return. In all other calls the types decide:
//! a part of the result without `*` may share memory with every argument that is not consumed.

pub mod alias;
mod bind;
mod call;
mod compact;
mod errors;
mod exp;
mod repeat;
mod result;
mod share;
mod state;
mod update;

use crate::program::{Tables, TypeInfo, VarInfo, VarKind};
use crate::ty::{FunTy, Ty, TypeId, VarId};
use alias::{Alias, Region, Set};
use fehu_base::{Diagnostic, IdVec};
use fehu_syntax::ast::{NodeId, ValBind};
use rustc_hash::FxHashMap;
use state::{Owner, RegionInfo, Scope};
use std::sync::Arc;

/// What the check of a top-level value found out.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The errors.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// For a function whose result type was not written: the result type, with `*` on the parts
    /// that share memory neither with observed parameters nor with each other. Callers may rely on
    /// it as if it had been written.
    pub(crate) ret: Option<Ty>,
    /// For a function whose written result type has `*` on some parts: the result type with `*` on all
    /// that are fresh. Callers do not rely on it, since it was not written.
    pub(crate) more: Option<Ty>,
    /// Whether a call with all arguments consumes all it will ever consume, so that the functions in its
    /// result can be called often.
    pub(crate) complete: bool,
}

/// Checks a top-level value, and finds out which parts of its result are fresh.
pub(crate) fn check(
    vars: &IdVec<VarId, VarInfo>,
    types: &IdVec<TypeId, TypeInfo>,
    tables: &Tables,
    bind: &ValBind,
) -> Checked {
    let mut checker = Checker {
        vars,
        types,
        tables,
        diagnostics: Vec::new(),
        regions: IdVec::new(),
        env: FxHashMap::default(),
        trail: Vec::new(),
        clock: 0,
        log: Vec::new(),
        function_depth: 0,
        scopes: Vec::new(),
        parents: FxHashMap::default(),
        children: FxHashMap::default(),
    };
    let (result, inferred) = checker.top_level(bind);
    let complete = checker.is_complete(&result, bind);
    let (ret, more) = if bind.ret.is_none() { (inferred, None) } else { (None, inferred) };
    Checked { diagnostics: checker.diagnostics, ret, more, complete }
}

/// A function's type with the `*` of `fresh` in its result, which has the same shape.
pub(crate) fn mark_result(ty: &Ty, params: usize, fresh: &Ty) -> Ty {
    match ty {
        Ty::Fun(fun) if params > 0 => {
            let ret = mark_result(&fun.ret, params - 1, fresh);
            Ty::Fun(Arc::new(FunTy { ret, ..(**fun).clone() }))
        }
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Record(_)
        | Ty::Sum(_)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => result::copy_marks(ty, fresh),
    }
}

/// The state of the check of one top-level value.
struct Checker<'a> {
    vars: &'a IdVec<VarId, VarInfo>,
    types: &'a IdVec<TypeId, TypeInfo>,
    tables: &'a Tables,
    diagnostics: Vec<Diagnostic>,
    regions: IdVec<Region, RegionInfo>,
    /// The local variables, and the globals met so far. Variables are unique: nothing shadows.
    env: FxHashMap<VarId, Alias>,
    /// The consumed regions, in the order of their consumption on the current path.
    trail: Vec<Region>,
    /// Counts uses.
    clock: u32,
    /// The regions used inside the functions that are being checked.
    log: Vec<Region>,
    /// How many local functions and lambdas we are in.
    function_depth: usize,
    /// The local functions, lambdas and loops we are in.
    scopes: Vec<Scope>,
    /// What derived regions stand for; see `compact`.
    parents: FxHashMap<Region, Set>,
    /// The regions derived from a region.
    children: FxHashMap<Region, Vec<Region>>,
}

impl<'a> Checker<'a> {
    /// The type of an expression, pattern or operator.
    fn ty(&self, node: NodeId) -> Option<&'a Ty> {
        self.tables.types.get(&node)
    }

    /// The type of a variable.
    fn var_ty(&self, var: VarId) -> Option<&'a Ty> {
        self.vars.get(var)?.scheme.as_ref().map(|scheme| &scheme.ty)
    }

    /// What a variable shares memory with.
    fn var(&mut self, var: VarId) -> Alias {
        if let Some(alias) = self.env.get(&var) {
            return alias.clone();
        }
        let Some(info) = self.vars.get(var) else {
            return Alias::None;
        };
        if info.kind == VarKind::Global
            && let Some(scheme) = &info.scheme
            && !scheme.sizes.is_empty()
        {
            // A value with size parameters is computed anew for each use.
            return self.fresh_value(Some(&scheme.ty));
        }
        if info.kind == VarKind::Global && self.var_ty(var).is_some_and(is_abstract) {
            return self.global(var);
        }
        let alias = match info.kind {
            VarKind::Global => self.global(var),
            VarKind::Builtin
            | VarKind::Local
            | VarKind::Param
            | VarKind::TypeName
            | VarKind::SizeParam
            | VarKind::Ext
            | VarKind::Anonymous
            | VarKind::Unknown(_)
            | VarKind::Module => Alias::None,
        };
        self.env.insert(var, alias.clone());
        alias
    }

    /// One region for a whole global. Functions have none: their results share nothing with globals,
    /// which is checked where they are defined. Parts of abstract type are new for each use: nobody
    /// sees that there are arrays in them, so that each use gets a copy.
    fn global(&mut self, var: VarId) -> Alias {
        let Some(ty) = self.var_ty(var) else {
            return Alias::None;
        };
        if !state::may_alias(ty) || matches!(ty, Ty::Fun(_)) {
            return Alias::None;
        }
        let region = self.region(Owner::Global);
        self.regions[region].name = Some(var);
        self.global_parts(ty, &Set::one(region))
    }

    fn global_parts(&mut self, ty: &Ty, set: &Set) -> Alias {
        match ty {
            Ty::Prim(_) | Ty::Fun(_) | Ty::Error => Alias::None,
            Ty::Record(fields) => Alias::Record(
                fields.iter().map(|(f, t)| (f.clone(), self.global_parts(t, set))).collect(),
            ),
            Ty::Unique(inner) => self.global_parts(inner, set),
            Ty::Con(..) => self.fresh(ty, Owner::Here),
            Ty::Array(..) | Ty::Sum(_) | Ty::Meta(_) => Alias::Set(set.clone()),
        }
    }
}

/// Whether values of the type have parts of abstract type that are no part of an array.
fn is_abstract(ty: &Ty) -> bool {
    match ty {
        Ty::Con(..) => true,
        Ty::Record(fields) => fields.iter().any(|(_, ty)| is_abstract(ty)),
        Ty::Unique(inner) => is_abstract(inner),
        Ty::Prim(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Fun(_) | Ty::Meta(_) | Ty::Error => false,
    }
}
