//! The order in which the parts of updates and applications are evaluated, for all who have to agree on it.
//!
//! The function of an application comes before its arguments, and the last argument before the others. But a function whose type
//! has a size that only an argument brings into being, as in `(map2 (+) (rep 1)) (filter p xs)`, comes after them.
//!
//! In `base with path = value`, the path and the value come before the base, so that both may read what
//! the base consumes: in `(xs with [1] = xs[0]) with [2] = xs[1]` all reads see the old `xs`. But a value
//! whose type has a size that only the base brings into being cannot be evaluated before it.

use crate::program::{Tables, VarInfo, VarKind};
use crate::ty::{Ty, VarId};
use crate::walk::{Named, Visitor, walk_exp, walk_path};
use fehu_base::IdVec;
use fehu_syntax::ast::{Exp, ExpKind, Ident, NodeId, Update};
use rustc_hash::FxHashSet;

/// Which part of an update is evaluated first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum First {
    /// The path and the value.
    Value,
    /// The base.
    Base,
}

/// Says which part of an update is evaluated first. Looks at the base only if the value has unknown sizes,
/// so long chains of updates, which are bases of one another, are not walked again and again.
pub fn of_update(update: &Update, tables: &Tables, vars: &IdVec<VarId, VarInfo>) -> First {
    if tables.unknowns.is_empty() {
        return First::Value;
    }
    let mut needed = Needed { tables, vars, sizes: FxHashSet::default() };
    walk_path(&mut needed, &update.path);
    needed.exp(&update.value);
    if needed.sizes.is_empty() {
        return First::Value;
    }
    let mut made = Made { tables, needed: &needed.sizes, found: false };
    made.exp(&update.base);
    if made.found { First::Base } else { First::Value }
}

/// Whether the function of an application is evaluated after the arguments. A name is never looked at: there is nothing
/// to evaluate.
pub fn is_function_last(
    function: &Exp,
    args: &[Exp],
    tables: &Tables,
    vars: &IdVec<VarId, VarInfo>,
) -> bool {
    if tables.unknowns.is_empty() || matches!(function.kind, ExpKind::Var(_)) {
        return false;
    }
    let mut needed = Needed { tables, vars, sizes: FxHashSet::default() };
    needed.exp(function);
    if needed.sizes.is_empty() {
        return false;
    }
    let mut made = Made { tables, needed: &needed.sizes, found: false };
    args.iter().for_each(|arg| made.exp(arg));
    made.found
}

/// Collects the unknown sizes in the types of expressions.
struct Needed<'a> {
    tables: &'a Tables,
    vars: &'a IdVec<VarId, VarInfo>,
    sizes: FxHashSet<VarId>,
}

impl Needed<'_> {
    fn node(&mut self, node: NodeId) {
        if let Some(ty) = self.tables.types.get(&node) {
            self.ty(ty);
        }
    }

    fn ty(&mut self, ty: &Ty) {
        ty.for_each_size(&mut |size| {
            size.for_each_var(&mut |var| {
                if self.vars.get(var).is_some_and(|v| matches!(v.kind, VarKind::Unknown(_))) {
                    self.sizes.insert(var);
                }
            });
        });
    }
}

impl<'a> Visitor<'a> for Needed<'_> {
    fn exp(&mut self, exp: &'a Exp) {
        self.node(exp.id);
        if let ExpKind::BinOp(bin) = &exp.kind {
            self.node(bin.op.id);
        }
        if let ExpKind::Section(op) | ExpKind::SectionLeft(_, op) | ExpKind::SectionRight(op, _) =
            &exp.kind
        {
            self.node(op.id);
        }
        walk_exp(self, exp);
    }
}

/// Finds out whether an expression brings one of some sizes into being.
struct Made<'a> {
    tables: &'a Tables,
    needed: &'a FxHashSet<VarId>,
    found: bool,
}

impl Made<'_> {
    fn node(&mut self, node: NodeId) {
        if let Some(sizes) = self.tables.unknowns.get(&node) {
            self.found |= sizes.iter().any(|size| self.needed.contains(size));
        }
    }
}

impl<'a> Visitor<'a> for Made<'_> {
    fn exp(&mut self, exp: &'a Exp) {
        self.node(exp.id);
        if !self.found {
            walk_exp(self, exp);
        }
    }

    fn named(&mut self, id: NodeId, _name: &'a Ident, _what: Named) {
        self.node(id);
    }
}
