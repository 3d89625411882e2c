//! Segs: one operator at every position of a space, in row-major order.

use super::{Frame, Machine, bind_all, sizes, take, unexpected};
use crate::array::{Axes, Shape};
use crate::code::{Seg, Slot};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn seg(&mut self, seg: &'p Seg, pat: &[Slot], frame: &mut Frame) -> Res<()> {
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
