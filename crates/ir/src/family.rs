//! Families of expressions, for those who treat all of a family alike. Whoever adds an expression says here what it is like, and
//! only has to extend what treats it in particular.

use crate::Exp;

/// What an expression is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// An operation on scalars, or another name of something.
    Scalar,
    /// A number that is asked for when the program runs.
    Asked,
    /// Another view of an array.
    View,
    /// A new array, without a function.
    Fresh,
    /// A change of an array or an accumulator.
    Change,
    /// A branch or a loop.
    Control,
    /// What a function or constant of the program yields.
    Reference,
    /// An array operator.
    Operator,
    /// Something that may end the program.
    Check,
    /// Something that is to stay as it is: it prints, or hides a value.
    Fixed,
}

impl Exp {
    /// What it is like.
    pub fn family(&self) -> Family {
        match self {
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..) => Family::Scalar,
            Exp::Tuning(..) | Exp::Threads => Family::Asked,
            Exp::Index(..) | Exp::FlatIndex(..) | Exp::Reshape(..) | Exp::Rearrange(..) => {
                Family::View
            }
            Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_) => Family::Fresh,
            Exp::Update(..) | Exp::FlatUpdate(..) | Exp::UpdateAcc(..) => Family::Change,
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => Family::Control,
            Exp::Call(..) | Exp::Const(_) => Family::Reference,
            Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Seg(_)
            | Exp::Diff(_)
            | Exp::WithAcc(..) => Family::Operator,
            Exp::Assert(..) | Exp::Fail(_) => Family::Check,
            Exp::Trace(..) | Exp::Notice(..) | Exp::Opaque(_) => Family::Fixed,
        }
    }

    /// Whether it has bodies or functions.
    pub fn has_bodies(&self) -> bool {
        let mut has = false;
        self.for_each_body(&mut |_| has = true);
        has
    }
}
