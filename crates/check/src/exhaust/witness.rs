//! Values that no case matches, as patterns to show and to insert.

use super::form::Head;
use crate::ty::{Ty, field_order, tuple_field};
use std::fmt::Write;

/// A value that is not matched, in as much detail as matters.
#[derive(Clone, Debug)]
pub enum Witness<'a> {
    /// Any value.
    Any,
    /// A value of this type that begins so.
    Node(Head, &'a Ty, Vec<Witness<'a>>),
    /// This number, which stands for all that no case lists.
    Other(Head),
}

/// How to write the numbers that no case lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// As an example: `3`.
    Example,
    /// As `_`, which matches all of them.
    Wildcard,
}

impl Witness<'_> {
    /// The witness in the syntax of patterns.
    pub fn text(&self, numbers: Numbers) -> String {
        let mut out = String::new();
        self.write(&mut out, numbers, false);
        out
    }

    fn write(&self, out: &mut String, numbers: Numbers, atom: bool) {
        let (head, ty, parts) = match self {
            Witness::Node(head, ty, parts) => (head, *ty, parts.as_slice()),
            Witness::Other(head) if numbers == Numbers::Example => (head, &Ty::Error, &[][..]),
            Witness::Any | Witness::Other(_) => {
                out.push('_');
                return;
            }
        };
        match head {
            Head::Bool(b) => _ = write!(out, "{b}"),
            Head::Int(n) if *n < 0 && atom => _ = write!(out, "({n})"),
            Head::Int(n) => _ = write!(out, "{n}"),
            Head::Float(bits) => _ = write!(out, "{:?}", f64::from_bits(*bits)),
            Head::Record => write_record(out, numbers, ty, parts),
            Head::Ctor(index) => {
                let name = match ty {
                    Ty::Sum(ctors) => ctors.get(*index).map_or("", |(name, _)| name.as_str()),
                    Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Record(_)
                    | Ty::Fun(_)
                    | Ty::Con(..)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error => "",
                };
                let wrap = atom && !parts.is_empty();
                if wrap {
                    out.push('(');
                }
                _ = write!(out, "#{name}");
                for part in parts {
                    out.push(' ');
                    part.write(out, numbers, true);
                }
                if wrap {
                    out.push(')');
                }
            }
        }
    }

    /// Whether it stands for numbers that no case lists.
    pub fn has_other(&self) -> bool {
        match self {
            Witness::Any => false,
            Witness::Other(_) => true,
            Witness::Node(_, _, parts) => parts.iter().any(Witness::has_other),
        }
    }

    /// The same without the parts that match everything.
    pub fn simplify(self) -> Self {
        match self {
            Witness::Any | Witness::Other(_) => self,
            Witness::Node(head, ty, parts) => {
                let parts: Vec<_> = parts.into_iter().map(Witness::simplify).collect();
                let any = parts.iter().all(|p| matches!(p, Witness::Any));
                if head == Head::Record && any {
                    return Witness::Any;
                }
                Witness::Node(head, ty, parts)
            }
        }
    }
}

fn write_record(out: &mut String, numbers: Numbers, ty: &Ty, parts: &[Witness<'_>]) {
    let Ty::Record(fields) = ty else { return };
    let tuple = Ty::is_tuple(fields);
    assert!(fields.is_sorted_by(|a, b| field_order(&a.0, &b.0).is_le()));
    out.push(if tuple { '(' } else { '{' });
    for (i, ((name, _), part)) in fields.iter().zip(parts).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if !tuple || *name != tuple_field(i) {
            _ = write!(out, "{name} = ");
        }
        part.write(out, numbers, false);
    }
    out.push(if tuple { ')' } else { '}' });
}
