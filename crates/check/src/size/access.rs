//! Sizes of projections, indexing, slices and updates.

use crate::checker::Checker;
use crate::errors::Expect;
use crate::program::Unknown;
use crate::ty::{Size, Ty};
use fehu_syntax::ast::{Access, DimIndex, Exp, NodeId};

/// The type of a slice without the sizes of the dimensions that are sliced.
fn unsize_slices(ty: &Ty, dims: &[DimIndex]) -> Ty {
    let sliced = dims.iter().filter(|d| matches!(d, DimIndex::Slice { .. })).count();
    fn go(ty: &Ty, count: usize) -> Ty {
        if let Ty::Array(_, elem) = ty
            && count > 0
        {
            return Ty::array(Size::Any, go(elem, count - 1));
        }
        ty.clone()
    }
    go(ty, sliced)
}

impl Checker<'_> {
    pub(super) fn sized_field(&mut self, record: &Ty, field: &str) -> Ty {
        record.field(field).cloned().unwrap_or(Ty::Error)
    }

    /// The type of an array indexed or sliced. Unknown sizes of slices belong to `node`.
    pub(super) fn sized_index(&mut self, node: NodeId, array: &Ty, dims: &[DimIndex]) -> Ty {
        let mut ty = array.clone();
        let mut kept = Vec::new();
        for dim in dims {
            let Ty::Array(size, elem) = ty.unwrap_unique().clone() else { return Ty::Error };
            match dim {
                DimIndex::Fix(index) => _ = self.sized(index),
                DimIndex::Slice { start, end, step, span } => {
                    for part in [start, end, step].into_iter().flatten() {
                        self.sized(part);
                    }
                    let sliced = self.slice_size(&size, start, end, step);
                    kept.push(sliced.unwrap_or_else(|| {
                        let var = self.unknown_size(*span, Unknown::Slice);
                        self.note_unknowns(node, [var]);
                        Size::Var(var)
                    }));
                }
            }
            ty = (*elem).clone();
        }
        kept.into_iter().rev().fold(ty, |ty, size| Ty::array(size, ty))
    }

    /// The size of the slices whose size is a term.
    fn slice_size(
        &mut self,
        size: &Size,
        start: &Option<Box<Exp>>,
        end: &Option<Box<Exp>>,
        step: &Option<Box<Exp>>,
    ) -> Option<Size> {
        let mut term = |part: &Option<Box<Exp>>| match part {
            Some(exp) => self.argument_size(exp).map(Some),
            None => Some(None),
        };
        let (start, end, step) = (term(start)?, term(end)?, term(step)?);
        let zero = Size::Const(0);
        match step {
            None | Some(Size::Const(1)) => match (start, end) {
                (None, end) => Some(end.unwrap_or_else(|| size.clone())),
                (Some(start), end) if start == zero => Some(end.unwrap_or_else(|| size.clone())),
                (Some(start), Some(end)) => Some(Size::minus(end, start)),
                (Some(start), None) => Some(Size::minus(size.clone(), start)),
            },
            Some(Size::Const(-1)) => match (start, end) {
                (None, None) => Some(size.clone()),
                (Some(start), Some(end)) => Some(Size::minus(start, end)),
                _ => None,
            },
            Some(_) => None,
        }
    }

    /// The type of the part of a value that a path leads to.
    pub(super) fn sized_access(&mut self, node: NodeId, base: &Ty, path: &[Access]) -> Ty {
        path.iter().fold(base.clone(), |ty, step| match step {
            Access::Field(field) => self.sized_field(&ty, &field.name),
            Access::Index(dims, _) => self.sized_index(node, &ty, dims),
        })
    }

    /// The type of a value after an update. A field may get a value of another size; the size of
    /// what a slice is replaced by is checked at run time.
    pub(super) fn sized_update(
        &mut self,
        node: NodeId,
        base: &Ty,
        path: &[Access],
        value: &Exp,
    ) -> Ty {
        match path.split_first() {
            None => {
                let found = self.sized(value);
                // Equal types of the first phase can only differ in sizes.
                found.without_unique()
            }
            Some((Access::Field(field), rest)) => {
                let part = self.sized_field(base, &field.name);
                let part = self.sized_update(node, &part, rest, value);
                match base {
                    Ty::Record(fields) => Ty::Record(
                        fields
                            .iter()
                            .map(|(f, t)| {
                                let new = if *f == field.name { part.clone() } else { t.clone() };
                                (f.clone(), new)
                            })
                            .collect(),
                    ),
                    other @ (Ty::Prim(_)
                    | Ty::Array(..)
                    | Ty::Sum(_)
                    | Ty::Fun(_)
                    | Ty::Con(..)
                    | Ty::Meta(_)
                    | Ty::Unique(_)
                    | Ty::Error) => other.clone(),
                }
            }
            Some((Access::Index(dims, _), rest)) => {
                let part = self.sized_index(node, base, dims);
                let part = unsize_slices(&part, dims);
                let found = self.sized_update(node, &part, rest, value);
                self.require(value.span, &part, &found, Expect::Update);
                base.clone()
            }
        }
    }
}
