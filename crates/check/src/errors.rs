//! The wording of the checker's messages, one constructor function for each.
//!
//! A headline makes sense alone; labels say what is at a place; notes give what was expected, what
//! was found and where the expectation came from; help and fixes say what would be right.

pub(crate) mod foreign;
mod interface;
mod modules;
mod names;
mod seq;
mod sizes;
mod types;
mod unnamed;

use fehu_base::Span;

pub(crate) use interface::*;
pub(crate) use modules::*;
pub(crate) use names::*;
pub(crate) use seq::*;
pub(crate) use sizes::*;
pub(crate) use types::*;

/// Why something is expected to have a type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Expect {
    /// It is an argument.
    Argument {
        fun: Span,
        arg: Span,
    },
    /// It is a function's body; the result type is declared here.
    FunctionBody(Option<Span>),
    /// It is the value of a definition; the type is declared here.
    ValueBody(Option<Span>),
    /// It is ascribed the type here.
    Ascription(Span),
    /// It is coerced to the type here.
    Coercion(Span),
    /// It is a condition.
    Condition,
    /// It is a branch; another one is here.
    Branch(Span),
    /// It is an element of an array; the first one is here.
    Element(Span),
    /// It is part of a range, which starts here.
    Range(Span),
    Slice,
    /// It is indexed.
    Indexed,
    /// It is put into an array or record.
    Update,
    /// It is a pattern with a type annotation.
    Pattern,
    /// It is bound to the pattern here.
    LetPattern(Span),
    /// It is matched against the value here.
    CasePattern(Span),
    /// It is the initial value of the loop parameters here.
    LoopInit(Span),
    /// It is the body of a loop whose parameters are here.
    LoopBody(Span),
    /// It is looped over.
    ForIn,
    /// It is the payload of a constructor.
    Payload,
    /// Nothing in particular.
    Nothing,
}

impl Expect {
    /// The headline, given the texts of function and argument.
    pub(crate) fn headline(self, quote: impl Fn(Span) -> String) -> String {
        match self {
            Expect::Argument { fun, arg } => {
                let (fun, arg) = (quote(fun), quote(arg));
                match fun.starts_with('(') || fun.contains(' ') {
                    true => format!("Cannot apply function to \"{arg}\""),
                    false => format!("Cannot apply \"{fun}\" to \"{arg}\""),
                }
            }
            Expect::FunctionBody(_) => "Function body does not have expected type".into(),
            Expect::ValueBody(_) => "Function body does not have expected type".into(),
            Expect::Ascription(_) => {
                "Expression does not have expected type from type ascription".into()
            }
            Expect::Coercion(_) => "Expression cannot be coerced to this type".into(),
            Expect::Condition => "Condition does not have expected type bool".into(),
            Expect::Branch(_) => "Branches do not have the same type".into(),
            Expect::Element(_) => "Array elements do not have the same type".into(),
            Expect::Range(_) => "Parts of a range do not have the same type".into(),
            Expect::Slice => "Slice does not have expected type i64".into(),
            Expect::Indexed => "Indexed value does not have expected type".into(),
            Expect::Update => "New value does not have expected type".into(),
            Expect::Pattern => "Pattern does not have expected type".into(),
            Expect::LetPattern(_) => "Value cannot match the pattern it is bound to".into(),
            Expect::CasePattern(_) => "Pattern cannot match the value".into(),
            Expect::LoopInit(_) => "Initial loop values do not have expected type.".into(),
            Expect::LoopBody(_) => "Loop body does not have expected type".into(),
            Expect::ForIn => "Looped-over value does not have expected type".into(),
            Expect::Payload => "Payload of constructor does not have expected type".into(),
            Expect::Nothing => "Types do not match".into(),
        }
    }

    /// Where the expectation came from.
    pub(crate) fn origin(self) -> Option<(Span, &'static str)> {
        match self {
            Expect::Argument { fun, .. } => Some((fun, "the function that is applied")),
            Expect::Branch(span) => Some((span, "the other branch")),
            Expect::Element(span) => Some((span, "the first element")),
            Expect::Range(span) => Some((span, "the range starts here")),
            Expect::LetPattern(span) => Some((span, "bound to this pattern")),
            Expect::CasePattern(span) => Some((span, "the value being matched")),
            Expect::LoopInit(span) | Expect::LoopBody(span) => Some((span, "the loop parameters")),
            Expect::FunctionBody(span) | Expect::ValueBody(span) => {
                span.map(|span| (span, "the result type is declared here"))
            }
            Expect::Ascription(span) => Some((span, "the ascribed type")),
            Expect::Coercion(span) => Some((span, "the type of the coercion")),
            Expect::Condition
            | Expect::Slice
            | Expect::Indexed
            | Expect::Update
            | Expect::Pattern
            | Expect::ForIn
            | Expect::Payload
            | Expect::Nothing => None,
        }
    }
}
