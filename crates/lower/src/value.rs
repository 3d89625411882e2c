//! What the evaluator computes with: values that are partly known.
//!
//! A [`Val`] has a static part, known now, and residual parts, which are operands of the program
//! being built. Records and functions are always static; scalars, arrays and sums are residual, but
//! their [`Shape`] is static, except that the sizes in it are operands, too.

use crate::env::Frame;
use ecow::EcoString;
use fehu_base::{FileId, OrBug, Prim, bug};
use fehu_ir::{Atom, Elem, Type, Var};
use fehu_syntax::ast;
use std::rc::Rc;

/// The static part of a first-order value: its type, with operands for sizes.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    Prim(Prim),
    Array(Atom, Rc<Shape>),
    Record(Rc<[(EcoString, Shape)]>),
    Sum(Rc<[(EcoString, Vec<Shape>)]>),
    /// An accumulator, named by its certificate.
    Acc(Var),
    /// A function; no operands.
    Fun,
}

/// A value.
#[derive(Clone)]
pub(crate) enum Val<'a> {
    Scalar(Prim, Atom),
    /// An array: its shape and one operand for each part of an element.
    Array(Atom, Rc<Shape>, Rc<[Atom]>),
    Record(Rc<[(EcoString, Val<'a>)]>),
    /// A sum: its constructors and its parts, the tag first if there are several constructors.
    Sum(Rc<[(EcoString, Vec<Shape>)]>, Rc<[Atom]>),
    /// A sum with functions in its type, which is always known: the constructor and its payload.
    Choice(EcoString, Rc<[Val<'a>]>),
    Acc(Var, Var),
    Fun(Rc<Closure<'a>>),
}

/// A function with the arguments it has got so far.
#[derive(Clone)]
pub(crate) struct Closure<'a> {
    pub(crate) code: Code<'a>,
    /// What the code refers to.
    pub(crate) frame: Rc<Frame<'a>>,
    /// The instance at which a polymorphic function was named.
    pub(crate) instance: Option<Rc<Instance<'a>>>,
    pub(crate) args: Vec<Val<'a>>,
}

/// What a function does.
#[derive(Clone, Copy)]
pub(crate) enum Code<'a> {
    /// A top-level function.
    Def(FileId, &'a ast::Dec, &'a ast::ValBind),
    /// A local function.
    Local(FileId, &'a ast::LetBind),
    Lambda(&'a ast::Exp, &'a ast::Lambda),
    /// `(op e)`; the first arguments of the closure are the operator and the operand.
    SectionRight,
    /// The closure's first argument is a function, whose results are copied: it may return parts of
    /// constants, and whoever calls it takes them for its own.
    Owning,
    /// `(.f[i])`
    Access(&'a ast::Exp, &'a [ast::Access]),
    /// `(.f[i])` in a size: the number of the path, and of the closure's arguments; the first of them are the parts of its
    /// indices.
    Path(usize, usize),
    /// `???` where a function is expected, with the number of its arguments.
    Hole(&'a ast::Exp, usize),
    /// A function of the compiler, by name and number of arguments.
    Intrinsic(&'a str, usize),
}

/// What the parameters of a polymorphic name stand for.
pub(crate) struct Instance<'a> {
    pub(crate) sizes: &'a [fehu_check::ty::Size],
    pub(crate) types: &'a [fehu_check::ty::Ty],
    /// Where the sizes and types have their meaning.
    pub(crate) frame: Rc<Frame<'a>>,
}

impl Shape {
    /// The tuple without parts.
    pub(crate) fn unit() -> Shape {
        Shape::Record(Rc::new([]))
    }

    /// The types of the operands that make up a value.
    pub(crate) fn parts(&self) -> Vec<Type> {
        let mut parts = Vec::new();
        self.collect_parts(&mut parts);
        parts
    }

    fn collect_parts(&self, parts: &mut Vec<Type>) {
        match self {
            Shape::Prim(prim) => parts.push(Type::prim(*prim)),
            Shape::Array(size, elem) => {
                let first = parts.len();
                elem.collect_parts(parts);
                if parts.len() == first {
                    parts.push(Type::CERT);
                }
                for part in &mut parts[first..] {
                    *part = part.array_of(*size).or_bug("array of accumulators");
                }
            }
            Shape::Record(fields) => fields.iter().for_each(|(_, s)| s.collect_parts(parts)),
            Shape::Sum(ctors) => {
                if ctors.len() > 1 {
                    parts.push(Type::prim(Prim::U8));
                }
                parts.extend(sum_slots(ctors));
            }
            Shape::Acc(cert) => parts.push(Type::Acc(*cert)),
            Shape::Fun => {}
        }
    }

    /// Calls `f` with every size, outermost first.
    pub(crate) fn for_each_size(&self, f: &mut dyn FnMut(Atom)) {
        match self {
            Shape::Array(size, elem) => {
                f(*size);
                elem.for_each_size(f);
            }
            Shape::Record(fields) => fields.iter().for_each(|(_, s)| s.for_each_size(f)),
            Shape::Sum(ctors) => {
                ctors.iter().flat_map(|(_, ss)| ss).for_each(|s| s.for_each_size(f));
            }
            Shape::Prim(_) | Shape::Acc(_) | Shape::Fun => {}
        }
    }

    /// The shape with every size replaced.
    pub(crate) fn map_sizes(&self, f: &mut dyn FnMut(Atom) -> Atom) -> Shape {
        match self {
            Shape::Array(size, elem) => {
                let size = f(*size);
                Shape::Array(size, Rc::new(elem.map_sizes(f)))
            }
            Shape::Record(fields) => {
                Shape::Record(fields.iter().map(|(n, s)| (n.clone(), s.map_sizes(f))).collect())
            }
            Shape::Sum(ctors) => Shape::Sum(
                ctors
                    .iter()
                    .map(|(c, ss)| (c.clone(), ss.iter().map(|s| s.map_sizes(f)).collect()))
                    .collect(),
            ),
            Shape::Prim(_) | Shape::Acc(_) | Shape::Fun => self.clone(),
        }
    }
}

/// The slots that hold the payloads of a sum. Scalars of one type share slots between constructors;
/// arrays do not, since whether their sizes agree is not always known.
pub(crate) fn sum_slots(ctors: &[(EcoString, Vec<Shape>)]) -> Vec<Type> {
    let mut slots: Vec<Type> = Vec::new();
    for (_, payload) in ctors {
        let mut used = vec![false; slots.len()];
        for part in payload.iter().flat_map(Shape::parts) {
            slot_for(&part, &mut slots, &mut used);
        }
    }
    slots
}

/// The slots of the parts of one constructor's payload, given all slots.
pub(crate) fn payload_slots(ctors: &[(EcoString, Vec<Shape>)], name: &str) -> Vec<usize> {
    let mut slots: Vec<Type> = Vec::new();
    for (ctor, payload) in ctors {
        let mut used = vec![false; slots.len()];
        let mut mine = Vec::new();
        for part in payload.iter().flat_map(Shape::parts) {
            mine.push(slot_for(&part, &mut slots, &mut used));
        }
        if ctor == name {
            return mine;
        }
    }
    bug(format_args!("there is no constructor \"{name}\""))
}

/// The operands of an array or a sum.
fn take(parts: &mut impl Iterator<Item = Atom>, shape: &Shape) -> Rc<[Atom]> {
    let count = shape.parts().len();
    let taken: Rc<[Atom]> = parts.take(count).collect();
    match taken.len() == count {
        true => taken,
        false => bug("a value lacks operands"),
    }
}

fn slot_for(part: &Type, slots: &mut Vec<Type>, used: &mut Vec<bool>) -> usize {
    let scalar = matches!(part, Type::Scalar(Elem::Prim(_)));
    let free = (0..slots.len()).find(|&i| scalar && !used[i] && slots[i] == *part);
    let slot = free.unwrap_or_else(|| {
        slots.push(part.clone());
        used.push(false);
        slots.len() - 1
    });
    used[slot] = true;
    slot
}

impl<'a> Val<'a> {
    /// The tuple without parts.
    pub(crate) fn unit() -> Val<'a> {
        Val::Record(Rc::new([]))
    }

    pub(crate) fn i64(atom: Atom) -> Val<'a> {
        Val::Scalar(Prim::I64, atom)
    }

    pub(crate) fn bool(atom: Atom) -> Val<'a> {
        Val::Scalar(Prim::Bool, atom)
    }

    /// The tuple of values.
    pub(crate) fn tuple(parts: impl IntoIterator<Item = Val<'a>>) -> Val<'a> {
        let field = |(i, v)| (fehu_check::ty::tuple_field(i), v);
        Val::Record(parts.into_iter().enumerate().map(field).collect())
    }

    /// The static part.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Val::Scalar(prim, _) => Shape::Prim(*prim),
            Val::Array(size, elem, _) => Shape::Array(*size, elem.clone()),
            Val::Record(fields) => {
                Shape::Record(fields.iter().map(|(n, v)| (n.clone(), v.shape())).collect())
            }
            Val::Sum(ctors, _) => Shape::Sum(ctors.clone()),
            Val::Acc(cert, _) => Shape::Acc(*cert),
            Val::Fun(_) | Val::Choice(..) => Shape::Fun,
        }
    }

    /// The operands.
    pub(crate) fn parts(&self) -> Vec<Atom> {
        let mut parts = Vec::new();
        self.collect_parts(&mut parts);
        parts
    }

    fn collect_parts(&self, parts: &mut Vec<Atom>) {
        match self {
            Val::Scalar(_, atom) => parts.push(*atom),
            Val::Array(_, _, atoms) | Val::Sum(_, atoms) => parts.extend_from_slice(atoms),
            Val::Record(fields) => fields.iter().for_each(|(_, v)| v.collect_parts(parts)),
            Val::Acc(_, var) => parts.push(Atom::Var(*var)),
            Val::Fun(_) | Val::Choice(..) => {}
        }
    }

    /// The value of this shape with the next operands as its parts.
    pub(crate) fn build(shape: &Shape, parts: &mut impl Iterator<Item = Atom>) -> Val<'a> {
        match shape {
            Shape::Prim(prim) => Val::Scalar(*prim, parts.next().or_bug("operand for a scalar")),
            Shape::Array(size, elem) => {
                let parts = take(parts, shape);
                Val::Array(*size, elem.clone(), parts)
            }
            Shape::Record(fields) => {
                Val::Record(fields.iter().map(|(n, s)| (n.clone(), Val::build(s, parts))).collect())
            }
            Shape::Sum(ctors) => {
                let parts = take(parts, shape);
                Val::Sum(ctors.clone(), parts)
            }
            Shape::Acc(cert) => match parts.next() {
                Some(Atom::Var(var)) => Val::Acc(*cert, var),
                Some(Atom::Const(_)) | None => bug("an accumulator has no variable"),
            },
            Shape::Fun => bug("a function is made of operands"),
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Val<'a>> {
        match self {
            Val::Record(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            Val::Scalar(..)
            | Val::Array(..)
            | Val::Sum(..)
            | Val::Choice(..)
            | Val::Acc(..)
            | Val::Fun(_) => None,
        }
    }

    /// Whether there is an accumulator in it.
    pub(crate) fn has_acc(&self) -> bool {
        match self {
            Val::Acc(..) => true,
            Val::Record(fields) => fields.iter().any(|(_, v)| v.has_acc()),
            Val::Scalar(..) | Val::Array(..) | Val::Sum(..) | Val::Choice(..) | Val::Fun(_) => {
                false
            }
        }
    }

    /// Whether there is a function in it.
    pub(crate) fn has_function(&self) -> bool {
        match self {
            Val::Fun(_) | Val::Choice(..) => true,
            Val::Record(fields) => fields.iter().any(|(_, v)| v.has_function()),
            Val::Scalar(..) | Val::Array(..) | Val::Sum(..) | Val::Acc(..) => false,
        }
    }
}
