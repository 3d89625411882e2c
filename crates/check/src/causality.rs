//! Causality: a size must be known before it is needed.
//!
//! Sizes that only exist at run time come into being when some expression has been evaluated. An
//! expression whose own value depends on a size (a function instantiated for it, an empty array, a
//! constructor, a hole) must come after that. The order is: `let` before its body, arguments before
//! the function, the left operand before the right one.

use crate::checker::Checker;
use crate::errors;
use crate::program::VarKind;
use crate::ty::{Ty, VarId};
use fehu_base::Span;
use fehu_syntax::ast::{Access, DimIndex, Exp, ExpKind, LetKind, LoopForm, NodeId, ValBind};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(crate) fn check_causality(&mut self, bind: &ValBind, var: VarId) {
        if self.tables.unknowns.is_empty() {
            return;
        }
        let mut walk = Walk { checker: self, binding: var, known: FxHashSet::default() };
        walk.exp(&bind.body);
    }
}

struct Walk<'a, 'b> {
    checker: &'a mut Checker<'b>,
    /// Variables made before this one belong to earlier bindings.
    binding: VarId,
    known: FxHashSet<VarId>,
}

impl Walk<'_, '_> {
    /// The unknown sizes that a node brings into being are known from here on.
    fn learn(&mut self, node: NodeId) {
        if let Some(vars) = self.checker.tables.unknowns.get(&node) {
            self.known.extend(vars);
        }
    }

    /// Checks that the sizes in a node's type are known.
    fn need(&mut self, node: NodeId, span: Span, what: &str) {
        let Some(ty) = self.checker.tables.types.get(&node) else { return };
        if let Some(var) = self.unknown_in(ty) {
            let name = self.checker.program.vars[var].name.clone();
            let mut d = errors::causality(span, &name, what);
            if let Some(place) = self.checker.program.vars[var].span {
                d = d.label(place, format!("\"{name}\" is only known after this"));
            }
            self.checker.report(d);
            // One message for one size.
            self.known.insert(var);
        }
    }

    fn unknown_in(&self, ty: &Ty) -> Option<VarId> {
        let mut found = None;
        ty.for_each_size(&mut |size| {
            size.for_each_var(&mut |v| {
                let info = &self.checker.program.vars[v];
                if v > self.binding
                    && matches!(info.kind, VarKind::Unknown(_))
                    && !self.known.contains(&v)
                {
                    found.get_or_insert(v);
                }
            });
        });
        found
    }

    fn exps(&mut self, exps: &[Exp]) {
        exps.iter().for_each(|e| self.exp(e));
    }

    /// A part that may not be evaluated: what it brings into being stays in it.
    fn branch(&mut self, exp: &Exp) {
        let known = self.known.clone();
        self.exp(exp);
        self.known = known;
    }

    fn dims(&mut self, dims: &[DimIndex]) {
        for dim in dims {
            match dim {
                DimIndex::Fix(index) => self.exp(index),
                DimIndex::Slice { start, end, step, .. } => {
                    [start, end, step].into_iter().flatten().for_each(|e| self.exp(e));
                }
            }
        }
    }

    fn path(&mut self, path: &[Access]) {
        for step in path {
            match step {
                Access::Field(_) => {}
                Access::Index(dims, _) => self.dims(dims),
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Lit(_) | ExpKind::Error => {}
            ExpKind::Var(_) => self.need(exp.id, exp.span, "this use"),
            ExpKind::Hole => self.need(exp.id, exp.span, "this hole"),
            ExpKind::Section(op) => self.need(op.id, exp.span, "this operator"),
            ExpKind::SectionAccess(path) => {
                self.path(path);
                self.need(exp.id, exp.span, "this section");
            }
            ExpKind::Array(elems) => {
                self.exps(elems);
                if elems.is_empty() {
                    self.need(exp.id, exp.span, "this empty array");
                }
            }
            ExpKind::Ctor(_, payload) => {
                self.exps(payload);
                self.need(exp.id, exp.span, "this constructor");
            }
            ExpKind::Paren(inner)
            | ExpKind::Attr(_, inner)
            | ExpKind::LocalOpen(_, inner)
            | ExpKind::Project(inner, _)
            | ExpKind::Negate(inner)
            | ExpKind::Not(inner)
            | ExpKind::Ascribe(inner, _)
            | ExpKind::Coerce(inner, _) => self.exp(inner),
            ExpKind::Tuple(parts) => self.exps(parts),
            ExpKind::Record(fields) => {
                for field in fields {
                    match &field.value {
                        Some(value) => self.exp(value),
                        None => self.need(field.id, field.name.span, "this field"),
                    }
                }
            }
            ExpKind::Index(array, dims) => {
                self.exp(array);
                self.dims(dims);
            }
            ExpKind::BinOp(bin) => {
                self.exp(&bin.lhs);
                self.exp(&bin.rhs);
                self.learn(exp.id);
                self.need(bin.op.id, bin.op.name.span, "this operator");
            }
            ExpKind::Apply(fun, args) => {
                // The last argument is evaluated before the function made of those before it.
                args.iter().rev().for_each(|arg| self.exp(arg));
                self.learn(exp.id);
                self.exp(fun);
            }
            ExpKind::Range(range) => {
                self.exp(&range.start);
                range.second.iter().for_each(|e| self.exp(e));
                self.exp(&range.end);
            }
            ExpKind::If(parts) => {
                self.exp(&parts[0]);
                self.branch(&parts[1]);
                self.branch(&parts[2]);
            }
            ExpKind::Let(binds, body) => {
                for bind in binds {
                    match &bind.kind {
                        LetKind::Pat { value, .. } => self.exp(value),
                        LetKind::Fun { body, .. } => self.branch(body),
                        LetKind::Update { path, value, .. } => {
                            self.path(path);
                            self.exp(value);
                            self.learn(bind.id);
                        }
                    }
                }
                self.exp(body);
            }
            ExpKind::Lambda(lambda) => {
                self.need(exp.id, exp.span, "this function");
                self.branch(&lambda.body);
            }
            ExpKind::Loop(lp) => {
                lp.init.iter().for_each(|e| self.exp(e));
                match &lp.form {
                    LoopForm::For(_, _, bound) => self.exp(bound),
                    LoopForm::ForIn(_, array) => self.exp(array),
                    LoopForm::While(cond) => self.branch(cond),
                }
                self.branch(&lp.body);
            }
            ExpKind::Update(update) => {
                self.exp(&update.base);
                self.path(&update.path);
                self.exp(&update.value);
            }
            ExpKind::Match(scrutinee, cases) => {
                self.exp(scrutinee);
                cases.iter().for_each(|case| self.branch(&case.body));
            }
            ExpKind::Assert(cond, inner) => {
                self.exp(cond);
                self.exp(inner);
            }
            ExpKind::SectionLeft(lhs, op) => {
                self.exp(lhs);
                self.learn(exp.id);
                self.need(op.id, op.name.span, "this operator");
            }
            ExpKind::SectionRight(op, rhs) => {
                self.exp(rhs);
                self.learn(exp.id);
                self.need(op.id, op.name.span, "this operator");
            }
        }
        self.learn(exp.id);
    }
}
