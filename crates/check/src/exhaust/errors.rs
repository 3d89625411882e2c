//! The messages about patterns.

use super::matrix::MAX_WITNESSES;
use super::witness::{Numbers, Witness};
use crate::walk::Place;
use fehu_base::{Diagnostic, Span};
use fehu_syntax::ast::{Case, Exp, ExpKind, Pat};

/// How many unmatched values a message shows.
const SHOWN: usize = 3;

/// A witness longer than this is not shown in a headline, nor put into a fix.
const LONGEST: usize = 200;

/// A `match` without a case for some values.
pub(super) fn unmatched_cases(
    span: Span,
    scrutinee: Span,
    cases: &[Case],
    unmatched: Vec<Witness<'_>>,
    ty: &str,
) -> Diagnostic {
    let unmatched: Vec<_> = unmatched.into_iter().map(Witness::simplify).collect();
    let examples = distinct(unmatched.iter().map(|w| clip(w.text(Numbers::Example))));
    let shown: Vec<String> = examples.iter().take(SHOWN).map(|w| format!("`{w}`")).collect();
    let headline = format!("Unmatched cases in match expression: {}", shown.join(", "));
    let mut message = Diagnostic::error("unmatched-cases", span, headline)
        .label(
            scrutinee,
            if ty.len() <= LONGEST { format!("this is a `{ty}`") } else { String::new() },
        )
        .note("Every value must be matched by some case.");
    if examples.len() > SHOWN {
        let more = examples.len() - SHOWN;
        let at_least = if unmatched.len() >= MAX_WITNESSES { "At least " } else { "" };
        let (s, are) = if more == 1 { ("", "is") } else { ("s", "are") };
        message = message.note(format!("{at_least}{more} more case{s} {are} not matched."));
    }
    // A case for other numbers comes after those for numbers that are listed.
    let (general, special): (Vec<_>, Vec<_>) = unmatched.iter().partition(|w| w.has_other());
    let ordered = special.into_iter().chain(general.into_iter().rev());
    let mut patterns = distinct(ordered.map(|w| w.text(Numbers::Wildcard)));
    if unmatched.len() >= MAX_WITNESSES || patterns.iter().any(|p| p.len() > LONGEST) {
        patterns = vec!["_".to_owned()];
    }
    let Some(last) = cases.last() else {
        return message;
    };
    let new: String = patterns.iter().map(|p| format!("\n  case {p} -> ???")).collect();
    let edits = if ends_in_match(&last.body) {
        // The new case would belong to the inner `match`.
        vec![(last.body.span.before(), "(".to_owned()), (last.span.after(), format!("){new}"))]
    } else {
        vec![(last.span.after(), new)]
    };
    message.fix(if patterns.len() == 1 { "add the case" } else { "add the cases" }, edits)
}

/// A pattern that may fail where it must not.
pub(super) fn refutable_pattern(
    culprit: &Pat,
    place: Place,
    missed: Option<Witness<'_>>,
) -> Diagnostic {
    let what = match place {
        Place::Param => "a parameter of a function",
        Place::LambdaParam => "a parameter of a lambda",
        Place::Let => "a `let`",
        Place::Loop | Place::ImplicitLoop => "a parameter of a loop",
        Place::ForIn => "the element of a `for` loop",
        Place::Case => "a `case`",
    };
    let headline = "Refutable pattern not allowed here";
    let mut message = Diagnostic::error("refutable-pattern", culprit.span, headline)
        .at("does not match every value");
    if let Some(missed) = missed {
        let missed = clip(missed.simplify().text(Numbers::Example));
        message = message.note(format!("For example, the value `{missed}` does not match."));
    }
    message
        .note(format!("The pattern of {what} must match every value of its type."))
        .help("bind the value to a name, and inspect it with `match`")
}

/// A case that other cases leave nothing for.
pub(super) fn unreachable_case(case: &Case, before: Option<(Span, &str)>) -> Diagnostic {
    let mut message =
        Diagnostic::warning("unreachable-case", case.pat.span, "This case is never reached")
            .at("the preceding cases match all of these values");
    if let Some((span, text)) = before {
        message = message.label(span, text);
    }
    message.fix("remove the case", [(case.span, String::new())])
}

/// Whether a `case` written after the expression would belong to a `match` in it.
fn ends_in_match(exp: &Exp) -> bool {
    match &exp.kind {
        ExpKind::Match(..) => true,
        ExpKind::Let(_, e)
        | ExpKind::Assert(_, e)
        | ExpKind::Attr(_, e)
        | ExpKind::Negate(e)
        | ExpKind::Not(e) => ends_in_match(e),
        ExpKind::Apply(_, args) => args.last().is_some_and(ends_in_match),
        ExpKind::Ctor(_, args) => args.last().is_some_and(ends_in_match),
        ExpKind::BinOp(binop) => ends_in_match(&binop.rhs),
        ExpKind::Range(range) => ends_in_match(&range.end),
        ExpKind::If(parts) => ends_in_match(&parts[2]),
        ExpKind::Lambda(lambda) => ends_in_match(&lambda.body),
        ExpKind::Loop(parts) => ends_in_match(&parts.body),
        ExpKind::Update(update) => ends_in_match(&update.value),
        ExpKind::Lit(_)
        | ExpKind::Var(_)
        | ExpKind::Hole
        | ExpKind::Paren(_)
        | ExpKind::Tuple(_)
        | ExpKind::Record(_)
        | ExpKind::Array(_)
        | ExpKind::Project(..)
        | ExpKind::Index(..)
        | ExpKind::LocalOpen(..)
        | ExpKind::Ascribe(..)
        | ExpKind::Coerce(..)
        | ExpKind::Section(_)
        | ExpKind::SectionLeft(..)
        | ExpKind::SectionRight(..)
        | ExpKind::SectionAccess(_)
        | ExpKind::Error => false,
    }
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

fn clip(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
