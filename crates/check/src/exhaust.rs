//! Patterns that miss values, and cases that are never reached.
//!
//! Every `match` covers all values of its type; patterns everywhere else match every value. This
//! check runs after inference, because only types tell which values there are. Where a type or a
//! pattern is in error it says nothing, as that has been reported already.
//!
//! The work is in [`matrix`], on patterns that [`form`] has reduced to the essential.

mod errors;
pub mod form;
pub mod matrix;
pub mod witness;

use crate::program::{Tables, TypeInfo, VarInfo};
use crate::ty::{Printer, Ty, TypeId, VarId};
use crate::walk::{Place, Visitor, walk_exp, walk_pat_types, walk_val};
use fehu_base::{Diagnostic, IdVec, Span};
use fehu_syntax::ast::{Case, Exp, ExpKind, Pat, PatKind, ValBind};
use form::{ANY, FormId, Forms};
use rustc_hash::FxHashMap;

/// Checks all patterns of a value binding: `unmatched-cases`, `refutable-pattern` and the warning
/// `unreachable-case`.
pub fn check_value(
    vars: &IdVec<VarId, VarInfo>,
    types: &IdVec<TypeId, TypeInfo>,
    tables: &Tables,
    bind: &ValBind,
) -> Vec<Diagnostic> {
    let mut check = Check { printer: Printer { vars, types }, tables, diagnostics: Vec::new() };
    walk_val(&mut check, bind);
    check.diagnostics
}

struct Check<'a> {
    printer: Printer<'a>,
    tables: &'a Tables,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Visitor<'a> for Check<'a> {
    fn exp(&mut self, exp: &'a Exp) {
        walk_exp(self, exp);
        if let ExpKind::Match(scrutinee, cases) = &exp.kind {
            self.check_match(exp.span, scrutinee, cases);
        }
    }

    fn pat(&mut self, pat: &'a Pat, place: Place) {
        walk_pat_types(self, pat);
        if place != Place::Case {
            self.check_irrefutable(pat, place);
        }
    }
}

impl<'a> Check<'a> {
    fn check_match(&mut self, span: Span, scrutinee: &'a Exp, cases: &'a [Case]) {
        let Some(ty) = self.tables.types.get(&scrutinee.id) else {
            return;
        };
        let mut forms = Forms::default();
        let arms = cases.iter().map(|case| forms.lower(&case.pat, ty));
        let Ok(arms) = arms.collect::<Result<Vec<FormId>, _>>() else {
            return;
        };
        let Ok(answer) = matrix::solve(&forms, &arms, ty) else {
            return;
        };
        let mut first_with: FxHashMap<FormId, Span> = FxHashMap::default();
        for ((case, &form), reached) in cases.iter().zip(&arms).zip(answer.reached) {
            if !reached {
                let same = first_with.get(&form).map(|&span| (span, "matches the same values"));
                let all = first_with.get(&ANY).map(|&span| (span, "matches everything"));
                self.diagnostics.push(errors::unreachable_case(case, all.or(same)));
            }
            first_with.entry(form).or_insert(case.pat.span);
        }
        if !answer.unmatched.is_empty() {
            let ty = self.printer.ty(ty);
            self.diagnostics.push(errors::unmatched_cases(
                span,
                scrutinee.span,
                cases,
                answer.unmatched,
                &ty,
            ));
        }
    }

    fn check_irrefutable(&mut self, pat: &'a Pat, place: Place) {
        let Some(culprit) = self.refutable_part(pat) else {
            return;
        };
        let missed = self.tables.types.get(&culprit.id).and_then(|ty| {
            let mut forms = Forms::default();
            let form = forms.lower(culprit, ty).ok()?;
            matrix::solve(&forms, &[form], ty).ok()?.unmatched.into_iter().next()
        });
        self.diagnostics.push(errors::refutable_pattern(culprit, place, missed));
    }

    /// The first literal, or constructor of a type that has others, in a pattern.
    fn refutable_part(&self, pat: &'a Pat) -> Option<&'a Pat> {
        match &pat.kind {
            PatKind::Var(_) | PatKind::Wildcard | PatKind::Error => None,
            PatKind::Lit(_) => Some(pat),
            PatKind::Paren(p) | PatKind::Ascribe(p, _) | PatKind::Attr(_, p) => {
                self.refutable_part(p)
            }
            PatKind::Tuple(ps) => ps.iter().find_map(|p| self.refutable_part(p)),
            PatKind::Record(fields) => {
                fields.iter().filter_map(|f| f.pat.as_ref()).find_map(|p| self.refutable_part(p))
            }
            PatKind::Ctor(_, ps) => match self.tables.types.get(&pat.id).map(Ty::unwrap_unique) {
                Some(Ty::Sum(ctors)) if ctors.len() > 1 => Some(pat),
                _ => ps.iter().find_map(|p| self.refutable_part(p)),
            },
        }
    }
}
