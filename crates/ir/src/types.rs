//! Types.

use crate::{Atom, Var};
use fehu_base::Prim;
use std::fmt;

/// The type of a scalar or of an array's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Elem {
    /// A number or a truth value.
    Prim(Prim),
    /// No information. A scalar of this type is a certificate; an array of it has a shape, which
    /// the program may ask for, and no contents.
    Unit,
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(Elem),
    /// An array of rank one or more.
    Array(Elem, Vec<Atom>),
    /// An accumulator: the arrays of [`Exp::WithAcc`](crate::Exp::WithAcc), write-only. The variable is
    /// the certificate that names the accumulator.
    Acc(Var),
}

impl Type {
    /// How many registers of 32 bits a scalar takes.
    pub fn registers(&self) -> u32 {
        match self {
            Type::Scalar(Elem::Prim(prim)) => prim.bits().div_ceil(32),
            Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => 0,
        }
    }

    /// Size and index type.
    pub const I64: Type = Type::Scalar(Elem::Prim(Prim::I64));
    /// Truth values.
    pub const BOOL: Type = Type::Scalar(Elem::Prim(Prim::Bool));
    /// Certificates.
    pub const CERT: Type = Type::Scalar(Elem::Unit);

    /// A scalar of a primitive type.
    pub fn prim(prim: Prim) -> Type {
        Type::Scalar(Elem::Prim(prim))
    }

    /// An array, or a scalar if the shape is empty.
    pub fn array(elem: Elem, shape: Vec<Atom>) -> Type {
        if shape.is_empty() { Type::Scalar(elem) } else { Type::Array(elem, shape) }
    }

    /// The type of the elements of the innermost dimension.
    pub fn elem(&self) -> Option<Elem> {
        match self {
            Type::Scalar(elem) | Type::Array(elem, _) => Some(*elem),
            Type::Acc(_) => None,
        }
    }

    /// The sizes, outermost first; none for scalars.
    pub fn shape(&self) -> &[Atom] {
        match self {
            Type::Array(_, shape) => shape,
            Type::Scalar(_) | Type::Acc(_) => &[],
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The type of a row: one dimension less.
    pub fn row(&self) -> Option<Type> {
        match self {
            Type::Array(elem, shape) => Some(Type::array(*elem, shape[1..].to_vec())),
            Type::Scalar(_) | Type::Acc(_) => None,
        }
    }

    /// An array of things of this type.
    pub fn array_of(&self, size: Atom) -> Option<Type> {
        match self {
            Type::Scalar(elem) => Some(Type::Array(*elem, vec![size])),
            Type::Array(elem, shape) => {
                let mut all = Vec::with_capacity(shape.len() + 1);
                all.push(size);
                all.extend_from_slice(shape);
                Some(Type::Array(*elem, all))
            }
            Type::Acc(_) => None,
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Type::Array(..))
    }
}

impl Elem {
    /// Whether it is a type of floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Elem::Prim(prim) if prim.is_float())
    }
}

impl From<Prim> for Elem {
    fn from(prim: Prim) -> Elem {
        Elem::Prim(prim)
    }
}

impl fmt::Display for Elem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Elem::Prim(prim) => prim.fmt(f),
            Elem::Unit => f.write_str("unit"),
        }
    }
}
