//! In-place updates: `a with [i] = v`, `r with f[i] = v`, `let a[i] = v`.
//!
//! The steps of the path before the first index name a part of the value, and that part is consumed.
//! A path without indices consumes nothing: it makes a record with another field.

use super::alias::Alias;
use super::exp::copy_edits;
use super::state::{By, Consumption, Owner};
use super::{Checker, errors};
use crate::order::{self, First};
use crate::ty::{Ty, VarId};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Access, Exp, Ident, NodeId, Update};

/// What is updated.
struct Target<'a> {
    alias: Alias,
    var: Option<VarId>,
    ty: Option<&'a Ty>,
    span: Span,
    /// The edits that make it a copy.
    copy: Vec<(Span, String)>,
}

impl<'a> Checker<'a> {
    /// `base with path = value`
    pub(super) fn update(&mut self, update: &'a Update, exp: &'a Exp) -> Alias {
        let (value, (alias, var)) = match order::of_update(update, self.tables, self.vars) {
            First::Value => {
                let value = self.new_value(&update.path, &update.value);
                (value, self.place(&update.base))
            }
            First::Base => {
                let base = self.place(&update.base);
                (self.new_value(&update.path, &update.value), base)
            }
        };
        let target = Target {
            alias,
            var,
            ty: self.ty(update.base.id).or_else(|| self.ty(exp.id)),
            span: update.base.span,
            copy: copy_edits(&update.base),
        };
        self.write(&target, &update.path, &value, &update.value)
    }

    /// `let name path = value`
    pub(super) fn let_update(
        &mut self,
        (node, bind_span): (NodeId, Span),
        name: &'a Ident,
        path: &'a [Access],
        new: &'a Exp,
    ) {
        let value = self.new_value(path, new);
        let var = self.tables.names.get(&node).map(|resolved| resolved.var);
        let target = Target {
            alias: var.map_or(Alias::None, |var| self.var(var)),
            var,
            ty: var.and_then(|var| self.var_ty(var)),
            span: name.span,
            copy: vec![(bind_span.before(), format!("let {0} = copy {0} ", name.name))],
        };
        let result = self.write(&target, path, &value, new);
        if let Some(&var) = self.tables.binders.get(&node) {
            self.bind_var(var, result);
        }
    }

    fn new_value(&mut self, path: &'a [Access], value: &'a Exp) -> Alias {
        for step in path {
            match step {
                Access::Field(_) => {}
                Access::Index(indices, _) => self.indices(indices),
            }
        }
        self.exp(value)
    }

    fn write(&mut self, target: &Target<'a>, path: &[Access], value: &Alias, new: &Exp) -> Alias {
        let fields: Vec<&EcoString> = path
            .iter()
            .map_while(|step| match step {
                Access::Field(field) => Some(&field.name),
                Access::Index(..) => None,
            })
            .collect();
        if fields.len() == path.len() {
            // The old field is not used, so it may have been consumed.
            let rest = replace(&target.alias, target.ty, &fields, &Alias::None);
            self.observe(&rest, target.span, target.var);
            return replace(&target.alias, target.ty, &fields, value);
        }
        let part = fields.iter().fold(target.alias.clone(), |alias, field| alias.field(field));
        self.observe(&part, target.span, target.var);
        self.still_alive(value, new.span);
        let set = self.expand(&part.regions());
        if let Some(shared) = set.common(&self.expand(&value.regions())) {
            if !self.regions[shared].reported {
                self.regions[shared].reported = true;
                let error =
                    errors::update_aliases(self, shared, target.span, new.span, copy_edits(new));
                self.diagnostics.push(error);
            }
        } else {
            let (span, var, copy) = (target.span, target.var, target.copy.clone());
            self.consume(&set, &Consumption::new(span, var, By::Update, copy));
        }
        let region = self.region(Owner::Here);
        let fresh = Alias::Set(super::alias::Set::one(region));
        replace(&target.alias, target.ty, &fields, &fresh)
    }
}

/// The value with the part at a path of fields replaced.
fn replace(alias: &Alias, ty: Option<&Ty>, path: &[&EcoString], new: &Alias) -> Alias {
    let Some((field, rest)) = path.split_first() else {
        return new.clone();
    };
    let Some(Ty::Record(fields)) = ty.map(Ty::unwrap_unique) else {
        return alias.join(new);
    };
    let names: Vec<EcoString> = fields.iter().map(|(f, _)| f.clone()).collect();
    let inner = ty.and_then(|ty| ty.field(field));
    let new = replace(&alias.field(field), inner, rest, new);
    alias.with_field(field, &names, new)
}
