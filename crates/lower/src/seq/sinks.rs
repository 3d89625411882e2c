//! What leaves a pass, and what is bound outside of it.

use super::chunk::{Chunk, Col};
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use fehu_base::{OrBug, Span};
use fehu_ir::{Atom, Type};
use std::rc::Rc;

/// What leaves a pass: a number, and arrays of that many rows.
pub(super) struct Sink {
    pub(super) size: Atom,
    pub(super) parts: Vec<Atom>,
    pub(super) rows: Vec<Type>,
}

impl<'a> Lower<'a> {
    /// The chunk as it can leave the pass: rows one after the other, and shapes that are known outside.
    pub(super) fn known_outside(
        &mut self,
        chunk: Chunk<'a>,
        elem: Option<&Shape>,
        depth: u32,
        span: Span,
    ) -> Res<Chunk<'a>> {
        let size = chunk.size;
        let col = match elem {
            Some(elem) => {
                let array = self.regular(chunk.col, size, span);
                Col::Flat(self.with_shape(array, &Shape::Array(size, Rc::new(elem.clone()))))
            }
            None => self.dense(&chunk.col, size, span)?,
        };
        let mut known = true;
        each_array(&col, &mut |array| {
            if let Val::Array(_, elem, _) = array {
                elem.for_each_size(&mut |size| known &= self.b().known_at(size, depth));
            }
        });
        match known {
            true => Ok(Chunk { size, col }),
            false => self.limit(
                span,
                "the elements of this sequence have a size that depends on how it is read; that is not implemented yet",
            ),
        }
    }

    /// What leaves the pass.
    pub(super) fn sinks(&mut self, chunk: &Chunk<'a>, sinks: &mut Vec<Sink>) {
        // The first sink says how many elements there are, even if they hold nothing.
        sinks.push(Sink { size: chunk.size, parts: Vec::new(), rows: Vec::new() });
        self.column_sinks(&chunk.col, sinks);
    }

    fn column_sinks(&mut self, col: &Col<'a>, sinks: &mut Vec<Sink>) {
        let mut array = |this: &mut Self, array: &Val<'a>| {
            let Val::Array(_, elem, _) = array else { return };
            sinks[0].parts.extend(this.array_parts(array));
            sinks[0].rows.extend(elem.parts());
        };
        match col {
            Col::Flat(flat) => array(self, flat),
            Col::Rows { sizes, values, .. } => {
                array(self, sizes);
                let Val::Array(size, elem, _) = values else { return };
                let (size, rows) = (*size, elem.parts());
                sinks.push(Sink { size, parts: self.array_parts(values), rows });
            }
            Col::Record(fields) => {
                for (_, field) in fields {
                    self.column_sinks(field, sinks);
                }
            }
        }
    }

    /// The columns with the arrays that the pass binds.
    pub(super) fn bound(
        &mut self,
        col: &Col<'a>,
        size: Atom,
        sinks: &mut dyn Iterator<Item = (Atom, Vec<Atom>)>,
    ) -> Res<Col<'a>> {
        let (_, first) = sinks.next().or_bug("first sink of a pass");
        Ok(self.bound_column(col, size, &mut first.into_iter(), sinks))
    }

    fn bound_column(
        &mut self,
        col: &Col<'a>,
        size: Atom,
        first: &mut dyn Iterator<Item = Atom>,
        sinks: &mut dyn Iterator<Item = (Atom, Vec<Atom>)>,
    ) -> Col<'a> {
        let mut array = |this: &mut Self, array: &Val<'a>| {
            let Val::Array(_, elem, _) = array else {
                fehu_base::bug("a column is not an array");
            };
            let parts = (&mut *first).take(elem.parts().len()).collect();
            this.make_array(size, elem.clone(), parts)
        };
        match col {
            Col::Flat(flat) => Col::Flat(array(self, flat)),
            Col::Rows { sizes, values, .. } => {
                let sizes = array(self, sizes);
                let (total, parts) = sinks.next().or_bug("sink for rows");
                let Val::Array(_, elem, _) = values else {
                    fehu_base::bug("the rows of a chunk are no array");
                };
                let values = self.make_array(total, elem.clone(), parts);
                // Nobody asks where the rows begin.
                Col::Rows { offsets: sizes.clone(), sizes, values, dense: true }
            }
            Col::Record(fields) => Col::Record(
                fields
                    .iter()
                    .map(|(name, f)| (name.clone(), self.bound_column(f, size, first, sinks)))
                    .collect(),
            ),
        }
    }

    /// The columns as a value of the language.
    pub(super) fn column_data(&mut self, col: Col<'a>) -> Val<'a> {
        match col {
            Col::Flat(array) => array,
            Col::Rows { sizes, values, .. } => Val::tuple([sizes, values]),
            Col::Record(fields) => {
                if fields.iter().all(|(_, field)| matches!(field, Col::Flat(_)))
                    && let Some((_, Col::Flat(Val::Array(size, ..)))) = fields.first()
                {
                    let size = *size;
                    let span = Span::new(fehu_base::FileId(0), 0, 0);
                    return self.regular(Col::Record(fields), size, span);
                }
                Val::Record(
                    fields.into_iter().map(|(name, f)| (name, self.column_data(f))).collect(),
                )
            }
        }
    }
}

fn each_array<'a>(col: &Col<'a>, f: &mut dyn FnMut(&Val<'a>)) {
    match col {
        Col::Flat(array) => f(array),
        Col::Rows { values, .. } => f(values),
        Col::Record(fields) => fields.iter().for_each(|(_, field)| each_array(field, f)),
    }
}
