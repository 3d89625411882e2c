//! Accumulators: arrays that many places contribute to.
//!
//! Accumulators are opened and closed like brackets, so the open ones are a stack in the machine,
//! and a value of accumulator type is a position there.

use super::write::{element, in_bounds, put};
use super::{Frame, Machine, bind_all, sizes, take, unexpected};
use crate::array::{Array, Shape};
use crate::code::{AccOp, Arg, Slot, WithAcc};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;
use smallvec::SmallVec;

/// An open accumulator.
pub(super) struct Acc<'p> {
    arrays: Vec<Array>,
    /// The sizes of the dimensions that are indexed.
    shape: Shape,
    /// The operator and its frame; without it, contributions overwrite.
    op: Option<(&'p AccOp, Vec<Value>)>,
}

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn with_acc(
        &mut self,
        with_acc: &'p WithAcc,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let WithAcc { inputs, acc_params, lambda } = with_acc;
        let first = self.accs.len();
        let mut opened = Vec::with_capacity(inputs.len());
        for input in inputs {
            let op = input.op.as_ref().map(|op| {
                let mut own = vec![Value::Gone; op.unit.slots];
                for &(from, to) in &op.captures {
                    own[to as usize] = frame[from as usize].clone();
                }
                (op, own)
            });
            let shape = sizes(frame, &input.shape)?;
            let arrays = self.own_all(&input.arrays, frame)?;
            opened.push(Acc { arrays, shape, op });
        }
        self.accs.append(&mut opened);
        let mut next = first;
        for (&param, &is_acc) in lambda.params.iter().zip(acc_params) {
            frame[param as usize] = if is_acc {
                next += 1;
                Value::Acc(next - 1)
            } else {
                Value::Scalar(Scalar::Unit)
            };
        }
        self.apply(lambda, frame)?;
        let closed: Vec<Acc<'_>> = self.accs.drain(first..).collect();
        if closed.len() != inputs.len() || lambda.code.results.len() < inputs.len() {
            return Err(Error::internal("accumulators are not closed in order"));
        }
        // The first results are the accumulators; their arrays take their place.
        let arrays = closed.into_iter().flat_map(|acc| acc.arrays).map(Value::from);
        let rest: Vec<Value> =
            lambda.code.results[inputs.len()..].iter().map(|arg| take(frame, arg)).collect();
        bind_all(frame, pat, arrays.chain(rest))
    }

    #[inline(never)]
    pub(super) fn update_acc(
        &mut self,
        acc: &Value,
        indices: &[Arg],
        values: &[Arg],
        frame: &mut Frame,
    ) -> Res<()> {
        let Value::Acc(position) = *acc else {
            return Err(unexpected("an accumulator", acc));
        };
        let at = sizes(frame, indices)?;
        let Some(acc) = self.accs.get_mut(position) else {
            return Err(Error::internal("an accumulator is used after its end"));
        };
        if acc.arrays.len() != values.len() || acc.shape.len() != at.len() {
            return Err(Error::internal("a contribution does not fit its accumulator"));
        }
        if !in_bounds(&acc.shape, &at) {
            return Ok(());
        }
        let Some((op, mut own)) = acc.op.take() else {
            for (array, value) in acc.arrays.iter_mut().zip(values) {
                put(array, &at, &take(frame, value))?;
            }
            return Ok(());
        };
        let old = acc
            .arrays
            .iter()
            .map(|array| element(array, &at))
            .collect::<Res<SmallVec<[Value; 4]>>>()?;
        let unit = &op.unit;
        if unit.params.len() != at.len() + 2 * values.len()
            || unit.code.results.len() != values.len()
        {
            return Err(Error::internal("an accumulator's operator does not fit it"));
        }
        let indices = at.iter().map(|&index| Value::Scalar(Scalar::I64(index)));
        let new = values.iter().map(|value| take(frame, value));
        for (&param, value) in unit.params.iter().zip(indices.chain(old).chain(new)) {
            own[param as usize] = value;
        }
        self.run(&unit.code, &mut own)?;
        let acc = &mut self.accs[position];
        for (array, result) in acc.arrays.iter_mut().zip(&unit.code.results) {
            put(array, &at, &take(&mut own, result))?;
        }
        acc.op = Some((op, own));
        Ok(())
    }
}
