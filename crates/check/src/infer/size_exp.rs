//! Expressions as sizes in types.
//!
//! Nothing says when such an expression is evaluated, or how often, so it may not consume anything
//! that has a name: a size must mean the same wherever the type is written.

use crate::checker::Checker;
use crate::errors;
use crate::size::Binders;
use crate::ty::{FunTy, Head, Size, Term, TermStep, Ty, VarId};
use crate::walk::binds_names;
use fehu_syntax::ast::Exp;

impl Checker<'_> {
    /// An expression in a type's size: checked to be an i64, and kept as a term.
    pub(super) fn size_exp(&mut self, exp: &Exp) -> Size {
        let before = self.diags.len();
        let ty = self.infer(exp);
        if self.diags.len() > before {
            return Size::Any;
        }
        if self.unify(&Ty::I64, &ty).is_err() {
            let found = self.zonk(&ty);
            let text = self.quote(exp.span);
            let found = self.show(&found);
            self.report(errors::size_not_i64(exp.span, &text, &found));
            return Size::Any;
        }
        let binders = if self.declares { Binders::Refused } else { Binders::Kept };
        match self.term_of(exp, binders) {
            Some(size) => {
                self.tables.codes |= binders == Binders::Kept && binds_names(exp);
                if let Some(var) = self.consumed_by(&size) {
                    let info = &self.program.vars[var];
                    let (name, bound) = (info.name.clone(), info.span);
                    self.report(errors::consumed_in_size(exp.span, &name, bound));
                }
                size
            }
            None => {
                self.report(errors::size_expression_bind(exp.span));
                Size::Any
            }
        }
    }

    /// A variable that the evaluation of the term would consume.
    fn consumed_by(&self, size: &Size) -> Option<VarId> {
        match size {
            Size::Const(_) | Size::Var(_) | Size::Meta(_) | Size::Any => None,
            Size::Add(parts) | Size::Sub(parts) | Size::Mul(parts) => {
                parts.iter().find_map(|part| self.consumed_by(part))
            }
            Size::Term(term) => {
                let inside = term.args.iter().find_map(|arg| self.consumed_by(arg));
                if let (Head::Update(path), Some(base)) = (&term.head, term.args.first())
                    && path.iter().any(|step| matches!(step, TermStep::Index(_)))
                    && let Some(var) = self.shared_by(base)
                {
                    return Some(var);
                }
                inside.or_else(|| {
                    let arrows = self.arrows(term);
                    let args = term.args.iter().skip(1).zip(arrows);
                    args.filter(|(_, arrow)| arrow.consumes)
                        .find_map(|(arg, _)| self.shared_by(arg))
                })
            }
        }
    }

    /// A variable with which the value of the term may share memory.
    fn shared_by(&self, size: &Size) -> Option<VarId> {
        match size {
            Size::Var(var) => Some(*var),
            Size::Term(term) => match &term.head {
                Head::Project(_) | Head::Index | Head::Slice(_) | Head::Update(_) => {
                    self.shared_by(term.args.first()?)
                }
                Head::Record(_) | Head::Ctor(_) | Head::SectionRight => {
                    term.args.iter().find_map(|arg| self.shared_by(arg))
                }
                Head::If => term.args.iter().skip(1).find_map(|arg| self.shared_by(arg)),
                Head::Apply => {
                    let arrows = self.arrows(term);
                    if matches!(arrows.last()?.ret, Ty::Unique(_)) {
                        return None;
                    }
                    let args = term.args.iter().skip(1).zip(arrows);
                    args.filter(|(_, arrow)| !arrow.consumes)
                        .find_map(|(arg, _)| self.shared_by(arg))
                }
                // What is in code is looked at where consumption is.
                Head::Code(_)
                | Head::Access(_)
                | Head::Hole
                | Head::Op(_)
                | Head::Lit(_)
                | Head::Number(..)
                | Head::Range(..)
                | Head::Array(_) => None,
            },
            Size::Const(_)
            | Size::Meta(_)
            | Size::Add(_)
            | Size::Sub(_)
            | Size::Mul(_)
            | Size::Any => None,
        }
    }

    /// The arrows of the function's type, one for each argument, where the term applies a function
    /// with a name.
    fn arrows(&self, term: &Term) -> Vec<&FunTy> {
        let mut arrows = Vec::new();
        let (Head::Apply, Some(Size::Var(function))) = (&term.head, term.args.first()) else {
            return arrows;
        };
        let scheme = self.program.vars[*function].scheme.as_ref();
        let mut rest = scheme.map(|scheme| &scheme.ty);
        while let Some(Ty::Fun(arrow)) = rest
            && arrows.len() + 1 < term.args.len()
        {
            arrows.push(&**arrow);
            rest = Some(&arrow.ret);
        }
        arrows
    }
}
