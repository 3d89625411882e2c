//! The wording of what is wrong with sequences.

use crate::infer::Restriction;
use crate::ty::Ty;
use fehu_base::{Diagnostic, Span};

pub(crate) fn nested_seq(span: Span, elem: &str) -> Diagnostic {
    Diagnostic::error("sequence-element", span, "The elements of a sequence contain a sequence")
        .at(format!("an element would be of type {elem}"))
        .note("A sequence is read once, front to back, and its elements are values that are in memory.")
        .help("for elements of differing sizes write `seq ([]t)`; `seq.flat` then makes one sequence of all their elements")
}

pub(crate) fn seq_of_functions(span: Span, elem: &str) -> Diagnostic {
    Diagnostic::error("sequence-element", span, "The elements of a sequence contain a function")
        .at(format!("an element would be of type {elem}"))
        .help("keep the data that the function is made of, and apply the function in `seq.map`")
}

pub(crate) fn seq_called(span: Span, arg: Span, fun: &str, ty: &str) -> Diagnostic {
    Diagnostic::error("not-a-function", span, format!("\"{fun}\" is a sequence, and cannot be called"))
        .at(format!("this has type {ty}"))
        .label(arg, "an argument for it")
        .help("`seq.map f s` applies a function to the elements; `seq.to_array s` gives an array, which can be indexed")
}

pub(crate) fn seq_indexed(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error("cannot-index", span, "A sequence cannot be indexed")
        .at(format!("this has type {ty}"))
        .note("A sequence is read front to back, and only a part of it is in memory at a time.")
        .help("`seq.to_array s` gives an array if it fits in memory; `seq.enumerate s` pairs each element with its index")
}

/// A sequence where only data can be.
pub(crate) fn restricted_seq(span: Span, why: Restriction, whole: &str) -> Diagnostic {
    let (headline, help) = match why {
        Restriction::ArrayElement => (
            "An array cannot have sequences as elements",
            "`seq.to_array` makes an array of a sequence that fits in memory",
        ),
        Restriction::BranchResult => (
            "The result of a branch cannot be a sequence",
            "choose inside of the sequence, as in `seq.map (\\x -> if c then f x else g x) s`, or consume it in both branches",
        ),
        Restriction::LoopParameter => (
            "A loop cannot hand on a sequence from one iteration to the next",
            "hand on an array (`seq.to_array`), or make the sequence inside of the loop, which reads its source once in each iteration",
        ),
        Restriction::TypeArgument => (
            "A sequence cannot be used as a value here",
            "the elements of a sequence, and what array operators work on, are data; `seq.map` and the like work on sequences",
        ),
    };
    Diagnostic::error("functional-type", span, headline)
        .at(format!("the type here is {whole}"))
        .note("Which sequences there are, and what is done with them, is known before the program runs.")
        .help(help)
}

/// What makes a sequence of something, or something of a sequence.
pub(crate) fn seq_for_another(want: &Ty, found: &Ty) -> Option<&'static str> {
    match (want, found) {
        (Ty::Array(..), found) if found.as_seq().is_some() => Some(
            "`seq.to_array s` makes an array of a sequence that fits in memory; `seq.reduce`, `seq.map` and the like work on \
             sequences of any length",
        ),
        (want, Ty::Array(..)) if want.as_seq().is_some() => {
            Some("`seq.of_array xs` is the sequence of the elements of an array")
        }
        (want, Ty::Fun(_)) if want.as_seq().is_some() => {
            Some("`seq.generate n f` is the sequence of what a function yields for 0 to n - 1")
        }
        (_, _) => None,
    }
}

pub(crate) fn stream_of_no_array(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error("not-streamed", span, "`#[stream]` is for parameters that are arrays")
        .at(format!("this has type {ty}"))
        .help("remove the attribute; a sequence (`seq t`) is streamed without it")
}
