//! What a value is made of, for those who show it to people: which of the parts that the IR has of it
//! belong to which field and constructor.

use crate::value::{Shape, payload_slots, sum_slots};
use ecow::EcoString;
use fehu_base::Prim;

/// What a value is made of. Its parts are values of the IR, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum Layout {
    /// A scalar: one part.
    Prim(Prim),
    /// An array: the parts of an element, each with one dimension more. An array of elements without
    /// parts has one part, of units, for its size.
    Array(Box<Layout>),
    /// A record or tuple: the parts of its fields, one field after another.
    Record(Vec<(EcoString, Layout)>),
    /// A sum: first the number of its constructor, an u8, unless there is only one; then slots, which
    /// constructors share.
    Sum {
        /// The number of parts, that of the constructor included.
        parts: usize,
        /// The constructors in order.
        variants: Vec<Variant>,
    },
    /// A function, which has no parts, or an accumulator.
    Function,
}

/// A constructor of a sum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: EcoString,
    /// What it carries.
    pub payload: Vec<Layout>,
    /// Where the parts of the payload are, among those of the sum.
    pub slots: Vec<usize>,
}

impl Layout {
    /// The layout of values of this shape.
    pub(crate) fn of(shape: &Shape) -> Layout {
        match shape {
            Shape::Prim(prim) => Layout::Prim(*prim),
            Shape::Array(_, elem) => Layout::Array(Box::new(Layout::of(elem))),
            Shape::Record(fields) => {
                Layout::Record(fields.iter().map(|(n, s)| (n.clone(), Layout::of(s))).collect())
            }
            Shape::Sum(ctors) => {
                let tag = usize::from(ctors.len() > 1);
                let variant = |(name, payload): &(EcoString, Vec<Shape>)| Variant {
                    name: name.clone(),
                    payload: payload.iter().map(Layout::of).collect(),
                    slots: payload_slots(ctors, name).into_iter().map(|slot| slot + tag).collect(),
                };
                let parts = tag + sum_slots(ctors).len();
                Layout::Sum { parts, variants: ctors.iter().map(variant).collect() }
            }
            Shape::Acc(_) | Shape::Fun => Layout::Function,
        }
    }

    /// The number of parts of a value.
    pub fn parts(&self) -> usize {
        match self {
            Layout::Prim(_) => 1,
            Layout::Array(elem) => elem.parts().max(1),
            Layout::Record(fields) => fields.iter().map(|(_, field)| field.parts()).sum(),
            Layout::Sum { parts, .. } => *parts,
            Layout::Function => 0,
        }
    }
}
