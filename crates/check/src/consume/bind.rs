//! Binding: patterns, `let`, lambdas and local functions.

use super::alias::{Alias, FunAlias, Region, Set, Summary};
use super::state::{Kind, Owner, Scope, has_function, may_alias};
use super::{Checker, errors};
use crate::ty::{Ty, VarId, tuple_field};
use crate::walk::{Visitor, binds_names, walk_type};
use fehu_syntax::ast::{Exp, LetBind, LetKind, Pat, PatKind, TypeExp};
use std::rc::Rc;

/// Where a function's body began.
pub(super) struct FunctionMark {
    start: Region,
    log: usize,
    trail: usize,
}

impl<'a> Checker<'a> {
    /// Checks one binding of a `let` chain.
    pub(super) fn let_bind(&mut self, bind: &'a LetBind) {
        match &bind.kind {
            LetKind::Pat { sizes: _, pat, value } => {
                let mark = self.trail.len();
                let floor = self.next_region();
                let alias = self.exp(value);
                let consumed =
                    self.trail.get(mark..).unwrap_or(&[]).iter().find(|&&r| r < floor).copied();
                if let Some(region) = consumed
                    && self.ty(value.id).is_some_and(has_function)
                    && !self.regions[region].reported
                {
                    self.regions[region].reported = true;
                    let error = errors::contains_consumption(self, region, value);
                    self.diagnostics.push(error);
                }
                let alias = self.compact(alias, floor);
                self.bind(pat, &alias);
            }
            LetKind::Fun { name: _, type_params: _, params, ret, body } => {
                let alias = self.function(params, ret.as_ref(), body);
                if let Some(&var) = self.tables.binders.get(&bind.id) {
                    self.env.insert(var, alias);
                }
            }
            LetKind::Update { name, path, value } => {
                self.let_update((bind.id, bind.span), name, path, value);
            }
        }
    }

    /// Binds the variables of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: &'a Pat, alias: &Alias) {
        match &pat.kind {
            PatKind::Var(_) => {
                if let Some(&var) = self.tables.binders.get(&pat.id) {
                    self.bind_var(var, alias.clone());
                }
            }
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
            PatKind::Ascribe(inner, ty) => {
                self.sizes(ty);
                self.bind(inner, alias);
            }
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => {
                self.bind(inner, alias);
            }
            PatKind::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.bind(part, &alias.field(&tuple_field(i)));
                }
            }
            PatKind::Record(fields) => {
                for field in fields {
                    let part = alias.field(&field.name.name);
                    match &field.pat {
                        Some(pat) => self.bind(pat, &part),
                        None => {
                            if let Some(&var) = self.tables.binders.get(&field.id) {
                                self.bind_var(var, part);
                            }
                        }
                    }
                }
            }
            PatKind::Ctor(name, parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.bind(part, &alias.payload(&name.name, i));
                }
            }
        }
    }

    /// Binds a variable.
    pub(super) fn bind_var(&mut self, var: VarId, alias: Alias) {
        let alias = match self.var_ty(var) {
            Some(ty) if !may_alias(ty) => Alias::None,
            Some(_) | None => alias,
        };
        self.name(var, &alias);
        self.env.insert(var, alias);
    }

    /// Makes regions for a function's parameter and binds it. Says whether it is consumed, which
    /// only a `*` in its type makes it.
    pub(super) fn param(&mut self, pat: &'a Pat) -> (Alias, bool) {
        let consumed = self.has_star(pat);
        let owner = if consumed { Owner::Here } else { Owner::Caller };
        let alias = match self.ty(pat.id) {
            Some(ty) => self.fresh(ty, owner),
            None => Alias::None,
        };
        self.bind(pat, &alias);
        (alias, consumed)
    }

    fn has_star(&self, pat: &Pat) -> bool {
        pat.any_type(&mut |ty| self.written(ty).is_some_and(Ty::has_unique))
    }

    /// Checks the sizes in a type that are code. Like a function, they consume nothing that is not theirs; what binds no
    /// names was looked at when the type was read.
    pub(super) fn sizes(&mut self, ty: &'a TypeExp) {
        struct Sizes<'c, 'a>(&'c mut Checker<'a>);
        impl<'a> Visitor<'a> for Sizes<'_, 'a> {
            fn exp(&mut self, exp: &'a Exp) {
                if binds_names(exp) {
                    let mark = self.0.enter(Kind::Size);
                    self.0.exp(exp);
                    self.0.leave_function(mark);
                }
            }
        }
        walk_type(&mut Sizes(self), ty);
    }

    /// A type as written, with its `*`.
    pub(super) fn written(&self, ty: &TypeExp) -> Option<&'a Ty> {
        self.tables.type_exps.get(&ty.id).map(|(ty, _)| ty)
    }

    /// Checks a lambda or local function. The value captures what the body uses from outside.
    pub(super) fn function(
        &mut self,
        params: &'a [Pat],
        ret: Option<&'a TypeExp>,
        body: &'a Exp,
    ) -> Alias {
        let mark = self.enter(Kind::Function);
        let start = mark.start;
        let (params, consumes): (Vec<Alias>, Vec<bool>) =
            params.iter().map(|pat| self.param(pat)).unzip();
        ret.into_iter().for_each(|ret| self.sizes(ret));
        let result = self.exp(body);
        let result = self.expand_all(result);
        self.still_alive(&result, errors::result_span(body));
        self.declared_result(&result, ret.and_then(|ret| self.written(ret)), body);
        let end = self.next_region();
        let captures = self.leave_function(mark);
        let summary = Rc::new(Summary { params, consumes, result, start, end });
        Alias::Fun(Rc::new(FunAlias { captures, bound: Vec::new(), summary }))
    }

    /// Starts the body of a function or size, which may run often, or never.
    pub(super) fn enter(&mut self, kind: Kind) -> FunctionMark {
        let start = self.next_region();
        self.scopes.push(Scope { floor: start, kind });
        self.function_depth += 1;
        FunctionMark { start, log: self.log.len(), trail: self.trail.len() }
    }

    /// Ends the body and says which regions of its surroundings it uses.
    pub(super) fn leave_function(&mut self, mark: FunctionMark) -> Set {
        let used = Set::of(self.log.drain(mark.log..).collect());
        let used = self.expand(&used);
        let free: Vec<Region> = used.iter().filter(|&r| self.is_free(r)).collect();
        let captures = Set::of(free);
        self.scopes.pop();
        self.function_depth -= 1;
        self.rollback(mark.trail);
        if self.function_depth > 0 {
            self.log.extend(captures.iter());
        }
        captures
    }
}
