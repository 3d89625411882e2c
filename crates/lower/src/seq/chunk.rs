//! What the operators on sequences do with a chunk.
//!
//! The elements of a chunk are columns ([`Col`]): an array if all have one shape; if their sizes differ, an array with
//! what is in all of them, and where each begins and how long it is. Whether they differ is found by evaluating the
//! function that makes them once, to see whether the sizes of its result are known outside of it.

use super::plan::Node;
use crate::flatmap::Pieces;
use crate::value::{Shape, Val};
use crate::{Lower, Res};
use ecow::EcoString;
use fehu_base::{OrBug, Prim, Span};
use fehu_ir::{Atom, BinOp, Dim, Elem, Exp, Lambda, Partition, Screma, Type, Var};
use std::rc::Rc;

/// Some elements of a sequence.
pub(super) struct Chunk<'a> {
    pub(super) size: Atom,
    pub(super) col: Col<'a>,
}

/// The elements of a chunk, or a field of them.
#[derive(Clone)]
pub(super) enum Col<'a> {
    /// Elements of one shape, as an array.
    Flat(Val<'a>),
    /// Arrays of differing sizes: their sizes, where they begin in `values`, and whether they are all of it, one after
    /// the other.
    Rows {
        sizes: Val<'a>,
        offsets: Val<'a>,
        values: Val<'a>,
        dense: bool,
    },
    Record(Vec<(EcoString, Col<'a>)>),
}

/// The execution of a chunk.
pub(super) struct Run<'a> {
    /// How many elements of the sources there are.
    pub(super) size: Atom,
    /// Whether there are no more.
    pub(super) last: Atom,
    pub(super) sources: Vec<Val<'a>>,
    /// Sizes and values.
    pub(super) pieces: Vec<(Val<'a>, Val<'a>)>,
    /// The states before the chunk, and then after it.
    pub(super) states: Vec<Val<'a>>,
    pub(super) span: Span,
}

/// A result of a function for elements: what is made of it.
enum Part {
    /// A value of this shape for each element.
    Flat(Shape),
    /// An array whose elements have this shape.
    Rows(Shape),
    Record(Vec<(EcoString, Part)>),
}

impl<'a> Lower<'a> {
    pub(super) fn chunk(&mut self, node: &Node<'a>, run: &mut Run<'a>) -> Res<Chunk<'a>> {
        let span = run.span;
        match node {
            Node::Source(index) => {
                Ok(Chunk { size: run.size, col: Col::Flat(run.sources[*index].clone()) })
            }
            Node::Pieces(index) => {
                let (sizes, values) = run.pieces[*index].clone();
                let parts = self.array_parts(&sizes);
                let array = self.array_vars(&parts)[0];
                let offsets = self.offsets(run.size, array, span);
                let offsets = i64s(run.size, offsets);
                let col = Col::Rows { sizes, offsets, values, dense: true };
                Ok(Chunk { size: run.size, col })
            }
            Node::Map(f, elem, node) => {
                let chunk = self.chunk(node, run)?;
                self.map_chunk(f, elem.as_ref(), &chunk, span)
            }
            Node::Zip(pair) => {
                let [first, second] = &**pair;
                let first = self.chunk(first, run)?;
                let second = self.chunk(second, run)?;
                let fields = vec![("0".into(), first.col), ("1".into(), second.col)];
                Ok(Chunk { size: first.size, col: Col::Record(fields) })
            }
            Node::Enumerate(state, node) => {
                let chunk = self.chunk(node, run)?;
                let Val::Scalar(_, from) = run.states[*state] else {
                    self.bug(span, "the index of an element is not a number");
                };
                let ty = Type::Array(Elem::Prim(Prim::I64), vec![chunk.size]);
                let exp = Exp::Iota(Prim::I64, chunk.size, from, Atom::i64(1));
                let indices = self.b().one("is", ty, exp);
                let indices = i64s(chunk.size, indices);
                let next = self.b().size_op(BinOp::Add, from, chunk.size);
                run.states[*state] = Val::i64(next);
                let fields = vec![("0".into(), Col::Flat(indices)), ("1".into(), chunk.col)];
                Ok(Chunk { size: chunk.size, col: Col::Record(fields) })
            }
            Node::Filter(p, node) => {
                let chunk = self.chunk(node, run)?;
                self.filter_chunk(p, &chunk, span)
            }
            Node::Flat(node) => {
                let chunk = self.chunk(node, run)?;
                self.flat_chunk(&chunk, span)
            }
            Node::Chunks { f, state, elem, node } => {
                let chunk = self.chunk(node, run)?;
                let array = self.regular(chunk.col, chunk.size, span);
                let shape = run.states[*state].shape();
                let mut value = self.apply(f.clone(), Val::i64(chunk.size), span)?;
                for arg in [Val::bool(run.last), run.states[*state].clone(), array] {
                    value = self.apply(value, arg, span)?;
                }
                let new = self.project(&value, "0", span)?;
                run.states[*state] = self.with_shape(new, &shape);
                let array = self.project(&value, "1", span)?;
                let Val::Array(size, found, _) = &array else {
                    self.bug(span, "the function for a chunk does not return an array");
                };
                let elem = elem.clone().unwrap_or((**found).clone());
                let (size, shape) = (*size, Shape::Array(*size, Rc::new(elem)));
                Ok(Chunk { size, col: Col::Flat(self.with_shape(array, &shape)) })
            }
            Node::Join(pair, states) => self.join_chunk(pair, *states, run),
            Node::Regroup { f, state, node } => {
                let chunk = self.chunk(node, run)?;
                let array = self.regular(chunk.col, chunk.size, span);
                let left = run.states[*state].clone();
                let Val::Array(have, elem, _) = &left else {
                    self.bug(span, "what is left of a chunk is not an array");
                };
                let (have, elem) = (*have, elem.clone());
                let mut value = self.apply(f.clone(), Val::i64(chunk.size), span)?;
                for arg in [Val::bool(run.last), Val::i64(have), left, array] {
                    value = self.apply(value, arg, span)?;
                }
                let mut fields = Vec::with_capacity(3);
                for (name, elem) in [("0", None), ("1", Some(&elem)), ("2", Some(&elem))] {
                    let field = self.project(&value, name, span)?;
                    let Val::Array(size, found, _) = &field else {
                        self.bug(span, "the function for a chunk does not return an array");
                    };
                    let shape = Shape::Array(*size, elem.unwrap_or(found).clone());
                    fields.push((*size, self.with_shape(field, &shape)));
                }
                let [(size, sizes), (_, values), (_, left)] = fields
                    .try_into()
                    .unwrap_or_else(|_| fehu_base::bug("three fields are not three"));
                run.states[*state] = left;
                let parts = self.array_parts(&sizes);
                let array = self.array_vars(&parts)[0];
                let offsets = i64s(size, self.offsets(size, array, span));
                Ok(Chunk { size, col: Col::Rows { sizes, offsets, values, dense: true } })
            }
        }
    }

    /// Elements of one shape as one array.
    pub(super) fn regular(&mut self, col: Col<'a>, size: Atom, span: Span) -> Val<'a> {
        match col {
            Col::Flat(array) => array,
            Col::Rows { .. } => self.bug(span, "elements of differing sizes are put into an array"),
            Col::Record(fields) => {
                let mut shapes = Vec::with_capacity(fields.len());
                let mut parts = Vec::new();
                for (name, field) in fields {
                    let array = self.regular(field, size, span);
                    parts.extend(self.array_parts(&array));
                    let Val::Array(_, elem, _) = array else {
                        self.bug(span, "a field of a chunk is not an array");
                    };
                    shapes.push((name, (*elem).clone()));
                }
                self.make_array(size, Rc::new(Shape::Record(shapes.into())), parts)
            }
        }
    }

    /// The arrays that the elements of a chunk are read from, and the shapes of what is read.
    fn column_inputs(&mut self, col: &Col<'a>, arrays: &mut Vec<Var>, shapes: &mut Vec<Shape>) {
        match col {
            Col::Flat(array) => {
                let parts = self.array_parts(array);
                arrays.extend(self.array_vars(&parts));
                let Val::Array(_, elem, _) = array else { return };
                shapes.push((**elem).clone());
            }
            Col::Rows { sizes, offsets, .. } => {
                for numbers in [sizes, offsets] {
                    let parts = self.array_parts(numbers);
                    arrays.extend(self.array_vars(&parts));
                    shapes.push(Shape::Prim(Prim::I64));
                }
            }
            Col::Record(fields) => {
                for (_, field) in fields {
                    self.column_inputs(field, arrays, shapes);
                }
            }
        }
    }

    /// The element that was read.
    fn element(&mut self, col: &Col<'a>, read: &mut dyn Iterator<Item = Val<'a>>) -> Val<'a> {
        match col {
            Col::Flat(_) => read.next().or_bug("element of a chunk"),
            Col::Rows { values, .. } => {
                let (Some(Val::Scalar(_, size)), Some(Val::Scalar(_, from))) =
                    (read.next(), read.next())
                else {
                    fehu_base::bug("a row of a chunk has no size");
                };
                self.slice_of(values, from, size)
            }
            Col::Record(fields) => Val::Record(
                fields
                    .iter()
                    .map(|(name, field)| (name.clone(), self.element(field, read)))
                    .collect(),
            ),
        }
    }

    /// Some elements of an array, which are there.
    pub(super) fn slice_of(&mut self, array: &Val<'a>, from: Atom, size: Atom) -> Val<'a> {
        let Val::Array(_, elem, parts) = array else {
            fehu_base::bug("a slice of something that is not an array");
        };
        let shape = Shape::Array(size, elem.clone());
        let mut slices = Vec::with_capacity(parts.len());
        for (part, ty) in parts.iter().zip(shape.parts()) {
            let var = self.array_var(*part);
            let mut dims = vec![Dim::Slice { start: from, len: size, stride: Atom::i64(1) }];
            for inner in &ty.shape()[1..] {
                dims.push(Dim::Slice { start: Atom::i64(0), len: *inner, stride: Atom::i64(1) });
            }
            slices.push(self.b().one("row", ty, Exp::Index(var, dims)));
        }
        Val::build(&shape, &mut slices.into_iter())
    }

    fn map_chunk(
        &mut self,
        f: &Val<'a>,
        expected: Option<&Shape>,
        chunk: &Chunk<'a>,
        span: Span,
    ) -> Res<Chunk<'a>> {
        let (mut inputs, mut shapes) = (Vec::new(), Vec::new());
        self.column_inputs(&chunk.col, &mut inputs, &mut shapes);
        let part = match expected {
            Some(shape) => Part::Flat(shape.clone()),
            None => self.probe(f, &chunk.col, &shapes, span)?,
        };
        let expected = part_shape(&part);
        let (map, shape) = self.lambda(&shapes, Some(&expected), span, |this, args| {
            let element = this.element(&chunk.col, &mut args.into_iter());
            let value = this.apply(f.clone(), element, span)?;
            this.reduced(&part, &value, span)
        })?;
        let size = chunk.size;
        let types = map.ret.iter().filter_map(|ty| ty.array_of(size)).collect();
        let screma = Screma { width: size, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let parts = self.operator_stm(Exp::Screma(Box::new(screma)), types, span);
        let first = self.make_array(size, Rc::new(shape), parts);
        let col = self.columns(&part, &first, &mut Vec::new(), (f, chunk), span)?;
        Ok(Chunk { size, col })
    }

    /// What a function yields, found by evaluating it for nothing.
    fn probe(&mut self, f: &Val<'a>, col: &Col<'a>, shapes: &[Shape], span: Span) -> Res<Part> {
        let depth = self.b().depth();
        self.b().open();
        let mut args = Vec::with_capacity(shapes.len());
        for shape in shapes {
            args.push(self.parameter("x", shape, &mut Vec::new()));
        }
        let element = self.element(col, &mut args.into_iter());
        let value = self.apply(f.clone(), element, span)?;
        let shape = value.shape();
        let part = self.classify(&shape, depth, span);
        _ = self.b().close(Vec::new());
        part
    }

    fn classify(&mut self, shape: &Shape, depth: u32, span: Span) -> Res<Part> {
        let mut known = true;
        shape.for_each_size(&mut |size| known &= self.b().known_at(size, depth));
        if known {
            return Ok(Part::Flat(shape.clone()));
        }
        match shape {
            Shape::Array(_, elem) => {
                let mut known = true;
                elem.for_each_size(&mut |size| known &= self.b().known_at(size, depth));
                match known {
                    true => Ok(Part::Rows((**elem).clone())),
                    false => self.limit(
                        span,
                        "the elements of a sequence are arrays of several dimensions, of which more than the outermost differ in size; \
                         that is not implemented yet",
                    ),
                }
            }
            Shape::Record(fields) => {
                let mut parts = Vec::with_capacity(fields.len());
                for (name, field) in fields.iter() {
                    parts.push((name.clone(), self.classify(field, depth, span)?));
                }
                Ok(Part::Record(parts))
            }
            Shape::Sum(_) | Shape::Prim(_) | Shape::Acc(_) | Shape::Fun => self.limit(
                span,
                "the elements of a sequence are of a sum type with arrays that differ in size; that is not implemented yet",
            ),
        }
    }

    /// A result with the size of each array that differs instead of the array.
    fn reduced(&mut self, part: &Part, value: &Val<'a>, span: Span) -> Res<Val<'a>> {
        match part {
            Part::Flat(shape) => Ok(self.with_shape(value.clone(), shape)),
            Part::Rows(_) => {
                let Val::Array(size, ..) = value else {
                    self.bug(span, "an element of a sequence is not an array");
                };
                Ok(Val::i64(*size))
            }
            Part::Record(parts) => {
                let mut fields = Vec::with_capacity(parts.len());
                for (name, part) in parts {
                    let field = self.project(value, name, span)?;
                    fields.push((name.clone(), self.reduced(part, &field, span)?));
                }
                Ok(Val::Record(fields.into()))
            }
        }
    }

    /// The columns of all results, given what [`Lower::reduced`] left of them. The arrays that differ are computed now
    /// that it is known where they go.
    fn columns(
        &mut self,
        part: &Part,
        reduced: &Val<'a>,
        path: &mut Vec<EcoString>,
        made_by: (&Val<'a>, &Chunk<'a>),
        span: Span,
    ) -> Res<Col<'a>> {
        match part {
            Part::Flat(_) => Ok(Col::Flat(reduced.clone())),
            Part::Rows(elem) => {
                let (f, chunk) = made_by;
                let (mut inputs, mut shapes) = (Vec::new(), Vec::new());
                self.column_inputs(&chunk.col, &mut inputs, &mut shapes);
                let made =
                    self.pieces(chunk.size, (inputs, &shapes), elem, span, |this, args| {
                        let element = this.element(&chunk.col, &mut args.into_iter());
                        let mut value = this.apply(f.clone(), element, span)?;
                        for field in path.iter() {
                            value = this.project(&value, field, span)?;
                        }
                        Ok(value)
                    })?;
                Ok(self.dense_rows(chunk.size, made, Rc::new(elem.clone()), span))
            }
            Part::Record(parts) => {
                let Val::Array(size, elem, _) = reduced else {
                    self.bug(span, "the results of a function are no array");
                };
                let Shape::Record(shapes) = &**elem else {
                    self.bug(span, "the results of a function are no records");
                };
                let mut arrays = self.array_parts(reduced).into_iter();
                let mut fields = Vec::with_capacity(parts.len());
                for ((name, part), (_, shape)) in parts.iter().zip(shapes.iter()) {
                    let mine = arrays.by_ref().take(shape.parts().len()).collect();
                    let array = self.make_array(*size, Rc::new(shape.clone()), mine);
                    path.push(name.clone());
                    fields.push((name.clone(), self.columns(part, &array, path, made_by, span)?));
                    path.pop();
                }
                Ok(Col::Record(fields))
            }
        }
    }

    fn filter_chunk(&mut self, p: &Val<'a>, chunk: &Chunk<'a>, span: Span) -> Res<Chunk<'a>> {
        let (mut inputs, mut shapes) = (Vec::new(), Vec::new());
        self.column_inputs(&chunk.col, &mut inputs, &mut shapes);
        let (map, _) = self.lambda(&shapes, None, span, |this, args| {
            let element = this.element(&chunk.col, &mut args.clone().into_iter());
            let Val::Scalar(_, keep) = this.apply(p.clone(), element, span)? else {
                this.bug(span, "a predicate does not return a truth value");
            };
            this.b().open();
            let kept = this.b().close(vec![Atom::i64(0)]);
            this.b().open();
            let dropped = this.b().close(vec![Atom::i64(1)]);
            let class = this.b().one("class", Type::I64, Exp::If(keep, Box::new([kept, dropped])));
            Ok(Val::tuple(std::iter::once(Val::i64(class)).chain(args)))
        })?;
        let Lambda { ret, .. } = &map;
        let mut types = vec![Type::I64];
        types.extend(ret[1..].iter().filter_map(|ty| ty.array_of(chunk.size)));
        let partition = Partition { width: chunk.size, classes: 1, inputs, map };
        let mut vars = self.operator_stm(Exp::Partition(Box::new(partition)), types, span);
        let sorted = vars.split_off(1);
        let size = vars[0];
        let mut sorted = sorted.into_iter();
        let col = self.taken(&chunk.col, (chunk.size, size), &mut sorted);
        Ok(Chunk { size, col })
    }

    /// The columns with other arrays, of which only the first elements count.
    fn taken(
        &mut self,
        col: &Col<'a>,
        (all, size): (Atom, Atom),
        arrays: &mut dyn Iterator<Item = Atom>,
    ) -> Col<'a> {
        let mut first = |this: &mut Self, elem: &Rc<Shape>| {
            let parts: Vec<Atom> = (&mut *arrays).take(elem.parts().len()).collect();
            let array = this.make_array(all, elem.clone(), parts);
            this.slice_of(&array, Atom::i64(0), size)
        };
        match col {
            Col::Flat(array) => {
                let Val::Array(_, elem, _) = array else {
                    fehu_base::bug("a chunk is not an array");
                };
                Col::Flat(first(self, elem))
            }
            Col::Rows { values, .. } => {
                let number = Rc::new(Shape::Prim(Prim::I64));
                let sizes = first(self, &number);
                let offsets = first(self, &number);
                Col::Rows { sizes, offsets, values: values.clone(), dense: false }
            }
            Col::Record(fields) => Col::Record(
                fields
                    .iter()
                    .map(|(name, field)| (name.clone(), self.taken(field, (all, size), arrays)))
                    .collect(),
            ),
        }
    }

    /// The elements of the elements.
    fn flat_chunk(&mut self, chunk: &Chunk<'a>, span: Span) -> Res<Chunk<'a>> {
        match &chunk.col {
            Col::Flat(array) => {
                let flat = self.flatten(array, span)?;
                let Val::Array(size, ..) = &flat else {
                    self.bug(span, "the elements of a chunk are not arrays");
                };
                Ok(Chunk { size: *size, col: Col::Flat(flat) })
            }
            Col::Rows { .. } => {
                let Col::Rows { values, .. } = self.dense(&chunk.col, chunk.size, span)? else {
                    self.bug(span, "rows are no rows any more");
                };
                let Val::Array(size, ..) = &values else {
                    self.bug(span, "the elements of a chunk are not arrays");
                };
                Ok(Chunk { size: *size, col: Col::Flat(values) })
            }
            Col::Record(_) => self.bug(span, "the elements of a chunk are no arrays"),
        }
    }

    /// Rows that are one after the other.
    fn dense_rows(&mut self, size: Atom, made: Pieces, elem: Rc<Shape>, span: Span) -> Col<'a> {
        let Pieces { total, sizes, flat } = made;
        let sizes_var = self.array_var(sizes);
        let offsets = self.offsets(size, sizes_var, span);
        let values = Val::build(&Shape::Array(total, elem), &mut flat.into_iter());
        let (sizes, offsets) = (i64s(size, sizes), i64s(size, offsets));
        Col::Rows { sizes, offsets, values, dense: true }
    }

    /// The columns with rows one after the other, and nothing else with them.
    pub(super) fn dense(&mut self, col: &Col<'a>, size: Atom, span: Span) -> Res<Col<'a>> {
        match col {
            Col::Rows { values, dense: false, .. } => {
                let Val::Array(_, elem, _) = values else {
                    self.bug(span, "the rows of a chunk are no array");
                };
                let elem = elem.clone();
                let (mut inputs, mut shapes) = (Vec::new(), Vec::new());
                self.column_inputs(col, &mut inputs, &mut shapes);
                let made = self.pieces(size, (inputs, &shapes), &elem, span, |this, args| {
                    Ok(this.element(col, &mut args.into_iter()))
                })?;
                Ok(self.dense_rows(size, made, elem, span))
            }
            Col::Flat(_) | Col::Rows { dense: true, .. } => Ok(col.clone()),
            Col::Record(fields) => {
                let mut new = Vec::with_capacity(fields.len());
                for (name, field) in fields {
                    new.push((name.clone(), self.dense(field, size, span)?));
                }
                Ok(Col::Record(new))
            }
        }
    }
}

/// An array of numbers.
fn i64s<'a>(size: Atom, array: Atom) -> Val<'a> {
    Val::Array(size, Rc::new(Shape::Prim(Prim::I64)), Rc::new([array]))
}

/// The shape of what [`Lower::reduced`] leaves.
fn part_shape(part: &Part) -> Shape {
    match part {
        Part::Flat(shape) => shape.clone(),
        Part::Rows(_) => Shape::Prim(Prim::I64),
        Part::Record(parts) => Shape::Record(
            parts.iter().map(|(name, part)| (name.clone(), part_shape(part))).collect(),
        ),
    }
}
