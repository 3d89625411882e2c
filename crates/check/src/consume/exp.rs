//! Expressions, in the order of their evaluation.

use super::Checker;
use super::alias::Alias;
use super::call::Argument;
use super::state::Kind;
use crate::program::Resolved;
use crate::ty::{Scheme, Ty, VarId, tuple_field};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{
    Access, BinOp, Case, DimIndex, Exp, ExpKind, Operator, QualName, RangeKind, RecordField,
};

impl<'a> Checker<'a> {
    /// Checks an expression and says what its value shares.
    pub(super) fn exp(&mut self, exp: &'a Exp) -> Alias {
        let alias = self.exp_kind(exp);
        match self.ty(exp.id) {
            Some(Ty::Prim(_) | Ty::Error) => Alias::None,
            Some(_) | None => alias,
        }
    }

    fn exp_kind(&mut self, exp: &'a Exp) -> Alias {
        match &exp.kind {
            ExpKind::Lit(_) | ExpKind::Hole => self.fresh_value(self.ty(exp.id)),
            ExpKind::Error => Alias::None,
            ExpKind::Var(_) => {
                let (alias, var) = self.place(exp);
                self.observe(&alias, exp.span, var);
                alias
            }
            ExpKind::Paren(inner) | ExpKind::LocalOpen(_, inner) | ExpKind::Attr(_, inner) => {
                self.exp(inner)
            }
            ExpKind::Ascribe(inner, ty) | ExpKind::Coerce(inner, ty) => {
                let alias = self.exp(inner);
                self.sizes(ty);
                alias
            }
            ExpKind::Negate(inner) | ExpKind::Not(inner) => {
                self.exp(inner);
                self.fresh_value(self.ty(exp.id))
            }
            ExpKind::Tuple(parts) => {
                let fields = parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| (tuple_field(i), self.exp(part)))
                    .collect();
                Alias::Record(fields)
            }
            ExpKind::Record(fields) => {
                Alias::Record(fields.iter().map(|field| self.record_field(field)).collect())
            }
            ExpKind::Array(elements) => {
                let values: Vec<(Alias, Span)> =
                    elements.iter().map(|e| (self.exp(e), e.span)).collect();
                self.all_alive(&values);
                self.fresh_value(self.ty(exp.id))
            }
            ExpKind::Project(..) => {
                let (alias, var) = self.place(exp);
                self.observe(&alias, exp.span, var);
                alias
            }
            ExpKind::Index(base, indices) => {
                let alias = self.exp(base);
                self.indices(indices);
                self.still_alive(&alias, base.span);
                match self.ty(exp.id) {
                    Some(ty) => Alias::of_type(ty, &alias.regions()),
                    None => Alias::set(alias.regions()),
                }
            }
            ExpKind::BinOp(op) => self.binary(op, exp),
            ExpKind::Apply(function, args) => self.apply(function, args, exp.span),
            ExpKind::Ctor(name, args) => {
                let parts = args.iter().map(|arg| self.exp(arg)).collect();
                Alias::Sum([(name.name.clone(), parts)].into())
            }
            ExpKind::Range(range) => {
                self.exp(&range.start);
                if let Some(second) = &range.second {
                    self.exp(second);
                }
                self.exp(&range.end);
                match range.kind {
                    RangeKind::Inclusive | RangeKind::UpTo | RangeKind::DownTo => {
                        self.fresh_value(self.ty(exp.id))
                    }
                }
            }
            ExpKind::If(parts) => {
                let [condition, yes, no] = &**parts;
                self.exp(condition);
                let yes = self.branch(|this| this.exp(yes));
                let no = self.branch(|this| this.exp(no));
                self.join_branches(vec![yes, no])
            }
            ExpKind::Match(scrutinee, cases) => self.cases(scrutinee, cases),
            ExpKind::Let(binds, body) => {
                for bind in binds {
                    self.let_bind(bind);
                }
                self.exp(body)
            }
            ExpKind::Lambda(lambda) => {
                self.function(&lambda.params, lambda.ret.as_ref(), &lambda.body)
            }
            ExpKind::Loop(l) => self.repeat(l, exp.span),
            ExpKind::Update(update) => self.update(update, exp),
            ExpKind::Assert(condition, value) => {
                self.exp(condition);
                self.exp(value)
            }
            ExpKind::Section(op) => self.operator(op),
            ExpKind::SectionLeft(operand, op) => {
                let arg = self.argument(operand);
                let function = self.operator(op);
                let callee = self.callee_of_operator(op);
                self.call(&function, self.ty(op.id), vec![arg], exp.span, callee)
            }
            ExpKind::SectionRight(op, operand) => self.section_right(op, operand, exp.span),
            ExpKind::SectionAccess(path) => self.section_access(path),
        }
    }

    /// A variable, or a field of one, without a use of it; and the variable.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other expressions are not parts of variables"
    )]
    pub(super) fn place(&mut self, exp: &'a Exp) -> (Alias, Option<VarId>) {
        match &exp.kind {
            ExpKind::Var(name) => {
                let Some(resolved) = self.tables.names.get(&exp.id) else {
                    return (Alias::None, None);
                };
                let alias = self.resolved(name, resolved);
                let alias = match self.ty(exp.id) {
                    Some(Ty::Prim(_) | Ty::Error) => Alias::None,
                    Some(_) | None => alias,
                };
                (alias, Some(resolved.var))
            }
            ExpKind::Paren(inner) | ExpKind::Ascribe(inner, _) => self.place(inner),
            ExpKind::Project(inner, field) => {
                let (alias, var) = self.place(inner);
                let alias = alias.field(&field.name);
                match self.ty(exp.id) {
                    Some(Ty::Prim(_) | Ty::Error) => (Alias::None, var),
                    Some(_) | None => (alias, var),
                }
            }
            _ => (self.exp(exp), None),
        }
    }

    fn resolved(&mut self, name: &QualName, resolved: &Resolved) -> Alias {
        let mut alias = self.var(resolved.var);
        let parts: Vec<&EcoString> =
            name.quals.iter().map(|q| &q.name).chain([&name.name.name]).collect();
        let first = parts.len().saturating_sub(resolved.fields);
        for field in parts.into_iter().skip(first) {
            alias = alias.field(field);
        }
        alias
    }

    fn record_field(&mut self, field: &'a RecordField) -> (EcoString, Alias) {
        let alias = match &field.value {
            Some(value) => self.exp(value),
            None => match self.tables.names.get(&field.id) {
                Some(resolved) => {
                    let var = resolved.var;
                    let alias = self.var(var);
                    self.observe(&alias, field.name.span, Some(var));
                    alias
                }
                None => Alias::None,
            },
        };
        (field.name.name.clone(), alias)
    }

    /// Checks that none of several values was consumed while the others were computed.
    fn all_alive(&mut self, values: &[(Alias, Span)]) {
        for (alias, span) in values {
            self.still_alive(alias, *span);
        }
    }

    /// Checks indices, which are scalars.
    pub(super) fn indices(&mut self, indices: &'a [DimIndex]) {
        for index in indices {
            match index {
                DimIndex::Fix(e) => {
                    self.exp(e);
                }
                DimIndex::Slice { start, end, step, span: _ } => {
                    for part in [start, end, step].into_iter().flatten() {
                        self.exp(part);
                    }
                }
            }
        }
    }

    fn cases(&mut self, scrutinee: &'a Exp, cases: &'a [Case]) -> Alias {
        let value = self.exp(scrutinee);
        let branches = cases
            .iter()
            .map(|case| {
                self.branch(|this| {
                    this.bind(&case.pat, &value);
                    this.exp(&case.body)
                })
            })
            .collect();
        self.join_branches(branches)
    }

    /// An operator as a function.
    fn operator(&mut self, op: &'a Operator) -> Alias {
        let Some(resolved) = self.tables.names.get(&op.id) else {
            return Alias::None;
        };
        let alias = self.resolved(&op.name, resolved);
        self.observe(&alias, op.name.span, Some(resolved.var));
        alias
    }

    fn binary(&mut self, op: &'a BinOp, exp: &'a Exp) -> Alias {
        let lhs = self.argument(&op.lhs);
        let rhs = self.argument(&op.rhs);
        match self.pipe(&op.op) {
            Some(Pipe::Right) => {
                let (function, ty) = (rhs.alias, self.ty(op.rhs.id));
                let callee = self.callee_of(&op.rhs);
                return self.call(&function, ty, vec![lhs], exp.span, callee);
            }
            Some(Pipe::Left) => {
                let (function, ty) = (lhs.alias, self.ty(op.lhs.id));
                let callee = self.callee_of(&op.lhs);
                return self.call(&function, ty, vec![rhs], exp.span, callee);
            }
            None => {}
        }
        let function = self.operator(&op.op);
        match self.ty(op.op.id) {
            Some(ty) => {
                let callee = self.callee_of_operator(&op.op);
                self.call(&function, Some(ty), vec![lhs, rhs], exp.span, callee)
            }
            None => Alias::None,
        }
    }

    /// Whether the operator applies one operand to the other. Its type says so: a function of type
    /// `a -> (a -> b) -> b`, for all `a` and `b`, can do nothing else.
    fn pipe(&self, op: &Operator) -> Option<Pipe> {
        let var = self.tables.names.get(&op.id)?.var;
        let Scheme { sizes, types, ty } = &**self.vars.get(var)?.scheme.as_ref()?;
        let [a, b] = types.as_slice() else {
            return None;
        };
        if !sizes.is_empty() {
            return None;
        }
        let is = |ty: &Ty, id| matches!(ty, Ty::Con(c, args) if *c == id && args.is_empty());
        let arrow = |ty: &Ty, (x, y)| match ty {
            Ty::Fun(f) => is(&f.param, x) && is(&f.ret, y),
            Ty::Prim(_)
            | Ty::Array(..)
            | Ty::Record(_)
            | Ty::Sum(_)
            | Ty::Con(..)
            | Ty::Meta(_)
            | Ty::Unique(_)
            | Ty::Error => false,
        };
        let Ty::Fun(outer) = ty else { return None };
        let Ty::Fun(inner) = &outer.ret else {
            return None;
        };
        for (x, y) in [(a.id, b.id), (b.id, a.id)] {
            if is(&inner.ret, y) {
                if is(&outer.param, x) && arrow(&inner.param, (x, y)) {
                    return Some(Pipe::Right);
                }
                if arrow(&outer.param, (x, y)) && is(&inner.param, x) {
                    return Some(Pipe::Left);
                }
            }
        }
        None
    }

    /// `(.f[i])`: a function that captures what the indices use.
    fn section_access(&mut self, path: &'a [Access]) -> Alias {
        let mark = self.enter(Kind::Function);
        for step in path {
            match step {
                Access::Field(_) => {}
                Access::Index(indices, _) => self.indices(indices),
            }
        }
        Alias::set(self.leave_function(mark))
    }
}

enum Pipe {
    Left,
    Right,
}

/// An argument, evaluated.
impl<'a> Checker<'a> {
    /// Evaluates an argument.
    pub(super) fn argument(&mut self, exp: &'a Exp) -> Argument<'a> {
        let mark = self.trail.len();
        let floor = self.next_region();
        let alias = self.exp(exp);
        let consumed = self.trail.get(mark..).unwrap_or(&[]).iter().find(|&&r| r < floor).copied();
        Argument { exp, alias, consumed }
    }
}

/// The name by which messages call a function.
pub(super) fn callee(name: &QualName) -> EcoString {
    name.name.name.clone()
}

/// The name of a function expression, if it is a name or the partial application of one.
#[expect(clippy::wildcard_enum_match_arm, reason = "other functions have no name")]
pub(super) fn exp_name(exp: &Exp) -> Option<EcoString> {
    match &exp.kind {
        ExpKind::Var(name) => Some(callee(name)),
        ExpKind::Paren(inner) => exp_name(inner),
        ExpKind::Apply(function, _) => exp_name(function),
        _ => None,
    }
}

/// The edits that put a `copy` around an expression.
pub(super) fn copy_edits(exp: &Exp) -> Vec<(Span, String)> {
    let atom = matches!(
        exp.kind,
        ExpKind::Var(_)
            | ExpKind::Paren(_)
            | ExpKind::Tuple(_)
            | ExpKind::Record(_)
            | ExpKind::Array(_)
            | ExpKind::Index(..)
            | ExpKind::Project(..)
    );
    let (open, close) = if atom { ("(copy ", ")") } else { ("(copy (", "))") };
    vec![(exp.span.before(), open.to_owned()), (exp.span.after(), close.to_owned())]
}
