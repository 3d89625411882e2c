//! Sizes of projections, indexing, slices and updates.

use crate::checker::Checker;
use crate::errors::Expect;
use crate::program::Unknown;
use crate::ty::{Size, Ty};
use fehu_syntax::ast::{Access, DimIndex, Exp, NodeId};

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
        &self,
        size: &Size,
        start: &Option<Box<Exp>>,
        end: &Option<Box<Exp>>,
        step: &Option<Box<Exp>>,
    ) -> Option<Size> {
        let term = |part: &Option<Box<Exp>>| match part {
            Some(exp) => self.size_of_exp(exp).map(Some),
            None => Some(None),
        };
        let (start, end, step) = (term(start)?, term(end)?, term(step)?);
        let zero = Size::Const(0);
        match step {
            None | Some(Size::Const(1)) => match (start, end) {
                (None, end) => Some(end.unwrap_or_else(|| size.clone())),
                (Some(start), end) if start == zero => Some(end.unwrap_or_else(|| size.clone())),
                (Some(start), Some(end)) => Some(Size::sub(end, start)),
                (Some(start), None) => Some(Size::sub(size.clone(), start)),
            },
            Some(Size::Const(-1)) => match (start, end) {
                (None, None) => Some(size.clone()),
                (Some(start), Some(end)) => Some(Size::sub(start, end)),
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

    pub(super) fn sized_update(&mut self, node: NodeId, base: &Ty, path: &[Access], value: &Exp) {
        let part = self.sized_access(node, base, path);
        let found = self.sized(value);
        self.require(value.span, &part, &found, Expect::Update);
    }
}
