//! Segs: one operator at every position of a space, in row-major order.

use super::map::Output;
use super::{Frame, Machine, bind_all, size, sizes, take, unexpected};
use crate::array::{Axes, Shape};
use crate::code::{Ret, Rows, Seg, Slot};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn seg(&mut self, seg: &'p Seg, pat: &[Slot], frame: &mut Frame) -> Res<()> {
        if let Some(rows) = &seg.rows {
            return self.rows(seg, rows, pat, frame);
        }
        let (space, body) = (sizes(frame, &seg.space)?, &seg.body);
        let results = &body.code.results;
        if body.params.len() != space.len() + seg.inputs.len() || results.len() != body.ret.len() {
            return Err(Error::internal("the function of a seg does not fit it"));
        }
        let (indices, elements) = body.params.split_at(space.len());
        let inputs: Vec<Value> = seg.inputs.iter().map(|arg| take(frame, arg)).collect();
        if space.is_empty() {
            // Moved, so that the operator can write to what nobody else needs.
            bind_all(frame, elements, inputs)?;
            self.apply(body, frame)?;
            let results: Vec<Value> = results.iter().map(|arg| take(frame, arg)).collect();
            return bind_all(frame, pat, results);
        }
        if inputs.iter().any(|input| !has_outer_sizes(input, &space)) {
            return Err(Error::internal("an input does not have the sizes of a seg's space"));
        }
        let accs = inputs.iter().filter_map(|input| match input {
            Value::Acc(acc) => Some(*acc),
            Value::Scalar(_) | Value::Array(_) | Value::Gone => None,
        });
        let mut outputs = self.outputs(&space, &body.ret, accs, frame)?;
        let mut position = first(&space);
        while let Some(at) = position {
            for (&param, &index) in indices.iter().zip(&at) {
                frame[param as usize] = Value::Scalar(Scalar::I64(index));
            }
            for (&param, input) in elements.iter().zip(&inputs) {
                frame[param as usize] = element(input, &at)?;
            }
            self.apply(body, frame)?;
            self.push_all(&mut outputs, results, frame)?;
            position = next(&space, at);
        }
        bind_all(frame, pat, outputs.into_iter().map(|output| output.finish(&space)))
    }
}

/// Results of rows that differ.
enum RowOutput {
    /// One value for each row.
    Each(Output),
    /// One value for each position, and its shape.
    Concatenated(Output, Shape),
}

impl<'p> Machine<'p> {
    /// Likewise, one row after the other, where each has a width of its own.
    fn rows(&mut self, seg: &'p Seg, rows: &'p Rows, pat: &[Slot], frame: &mut Frame) -> Res<()> {
        let wrong = || Error::internal("the rows of a seg are not where it says");
        let (space, body) = (sizes(frame, &seg.space)?, &seg.body);
        let (ends, total) = (take(frame, &rows.ends), size(frame, &rows.total)?);
        let inputs: Vec<Value> = seg.inputs.iter().map(|arg| take(frame, arg)).collect();
        let [count] = space.as_slice() else { return Err(wrong()) };
        let [index, first, width, elements @ ..] = body.params.as_slice() else {
            return Err(wrong());
        };
        let fits =
            std::iter::once(&ends).chain(&inputs).all(|input| has_outer_sizes(input, &space));
        if !fits || elements.len() != inputs.len() {
            return Err(wrong());
        }
        let mut outputs = Vec::with_capacity(body.ret.len());
        for (ret, concatenated) in body.ret.iter().zip(&rows.concatenated) {
            outputs.push(match (ret, concatenated) {
                (Ret::Data(elem, shape), true) => {
                    let rest = sizes(frame, &shape[1..])?;
                    let whole = [&[total], rest.as_slice()].concat();
                    let buffer = self.allocate(*elem, &whole)?;
                    RowOutput::Concatenated(Output::Data { buffer, row: rest.clone() }, rest)
                }
                (Ret::Data(..) | Ret::Acc, _) => {
                    let mut each =
                        self.outputs(&space, std::slice::from_ref(ret), std::iter::empty(), frame)?;
                    RowOutput::Each(each.pop().ok_or_else(wrong)?)
                }
            });
        }
        let mut start = 0;
        for i in 0..*count {
            let Value::Scalar(Scalar::I64(end)) = element(&ends, &[i])? else {
                return Err(wrong());
            };
            if !(start..=total).contains(&end) {
                return Err(wrong());
            }
            for (param, number) in [(index, i), (first, start), (width, end - start)] {
                frame[*param as usize] = Value::Scalar(Scalar::I64(number));
            }
            for (&param, input) in elements.iter().zip(&inputs) {
                frame[param as usize] = element(input, &[i])?;
            }
            self.apply(body, frame)?;
            for (output, result) in outputs.iter_mut().zip(&body.code.results) {
                let value = take(frame, result);
                match output {
                    RowOutput::Each(output) => output.push(&value)?,
                    RowOutput::Concatenated(output, rest) => {
                        let row: Shape =
                            std::iter::once(end - start).chain(rest.iter().copied()).collect();
                        output.push_rows(&value, &row)?;
                    }
                }
            }
            start = end;
        }
        if start != total {
            return Err(wrong());
        }
        let results = outputs.into_iter().map(|output| match output {
            RowOutput::Each(output) => output.finish(&space),
            RowOutput::Concatenated(output, _) => output.finish(&[total]),
        });
        bind_all(frame, pat, results)
    }
}

/// Whether a value has an element at every position of a space.
fn has_outer_sizes(input: &Value, space: &[i64]) -> bool {
    match input {
        Value::Array(array) => {
            array.rank() >= space.len() && array.sizes().zip(space).all(|(a, b)| a == *b)
        }
        Value::Acc(_) => true,
        Value::Scalar(_) | Value::Gone => false,
    }
}

/// What is at a position of an input.
fn element(input: &Value, at: &[i64]) -> Res<Value> {
    let array = match input {
        Value::Array(array) => array,
        Value::Acc(acc) => return Ok(Value::Acc(*acc)),
        Value::Scalar(_) | Value::Gone => return Err(unexpected("an array", input)),
    };
    let element = array.offset_of(at).and_then(|offset| {
        let axes = array.axes().get(at.len()..)?;
        if axes.is_empty() {
            array.scalar_at(offset).map(Value::Scalar)
        } else {
            Some(Value::from(array.view(offset, Axes::from_slice(axes))))
        }
    });
    element.ok_or_else(|| Error::internal("a view is wrong"))
}

/// The first position of a space, if there is one.
fn first(space: &[i64]) -> Option<Shape> {
    let empty = space.iter().any(|&size| size <= 0);
    (!empty).then(|| Shape::from_elem(0, space.len()))
}

/// The position after another, in row-major order.
fn next(space: &[i64], mut at: Shape) -> Option<Shape> {
    for (index, &size) in at.iter_mut().zip(space).rev() {
        *index += 1;
        if *index < size {
            return Some(at);
        }
        *index = 0;
    }
    None
}
