//! Operators that write: histograms, scatters, and the stable reordering by classes.

use super::arrays::{bad_write, write};
use super::map::inputs;
use super::{Frame, Machine, size, sizes, take, take_array};
use crate::array::{Array, Axes, Shape};
use crate::code::{Arg, Hist, Lambda, Partition, Scatter, Slot};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::Scalar;
use smallvec::SmallVec;

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn hist(&mut self, hist: &'p Hist, pat: &[Slot], frame: &mut Frame) -> Res<()> {
        let width = size(frame, &hist.width)?;
        let inputs = inputs(&hist.inputs, width, frame)?;
        let mut shapes = Vec::with_capacity(hist.ops.len());
        let mut dests = Vec::with_capacity(hist.ops.len());
        for op in &hist.ops {
            shapes.push(sizes(frame, &op.shape)?);
            dests.push(self.own_all(&op.dests, frame)?);
        }
        let index_count = shapes.iter().map(|shape| shape.len()).sum();
        let results = &hist.map.code.results;
        if results.len() != index_count + hist.ops.iter().map(|op| op.dests.len()).sum::<usize>() {
            return Err(Error::internal("a histogram's function has the wrong number of results"));
        }
        let (all_indices, all_values) = results.split_at(index_count);
        for i in 0..width {
            self.apply_at(&hist.map, &inputs, i, frame)?;
            let (mut indices, mut values) = (all_indices, all_values);
            for ((op, shape), dests) in hist.ops.iter().zip(&shapes).zip(&mut dests) {
                let (own_indices, later_indices) = indices.split_at(shape.len());
                let (own_values, later_values) = values.split_at(op.dests.len());
                (indices, values) = (later_indices, later_values);
                let at = sizes(frame, own_indices)?;
                self.combine_into(&op.op, dests, shape, &at, own_values, frame)?;
            }
        }
        self.bind_arrays(frame, pat, dests.into_iter().flatten().collect())
    }

    #[inline(never)]
    pub(super) fn scatter(
        &mut self,
        scatter: &'p Scatter,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let width = size(frame, &scatter.width)?;
        let inputs = inputs(&scatter.inputs, width, frame)?;
        let mut shapes = Vec::with_capacity(scatter.dests.len());
        let mut dests = Vec::with_capacity(scatter.dests.len());
        for (shape, dest) in &scatter.dests {
            shapes.push(sizes(frame, shape)?);
            dests.extend(self.own_all(std::slice::from_ref(dest), frame)?);
        }
        let index_count = shapes.iter().map(|shape| shape.len()).sum();
        let results = &scatter.map.code.results;
        if results.len() != index_count + dests.len() {
            return Err(Error::internal("a scatter's function has the wrong number of results"));
        }
        let (all_indices, values) = results.split_at(index_count);
        for i in 0..width {
            self.apply_at(&scatter.map, &inputs, i, frame)?;
            let mut indices = all_indices;
            for ((shape, dest), value) in shapes.iter().zip(&mut dests).zip(values) {
                let (own_indices, later_indices) = indices.split_at(shape.len());
                indices = later_indices;
                let at = sizes(frame, own_indices)?;
                let value = take(frame, value);
                if in_bounds(shape, &at) {
                    put(dest, &at, &value)?;
                }
            }
        }
        self.bind_arrays(frame, pat, dests)
    }

    #[inline(never)]
    pub(super) fn partition(
        &mut self,
        partition: &'p Partition,
        pat: &[Slot],
        frame: &mut Frame,
    ) -> Res<()> {
        let width = size(frame, &partition.width)?;
        let inputs = inputs(&partition.inputs, width, frame)?;
        let map = &partition.map;
        let [class, elements @ ..] = &map.code.results[..] else {
            return Err(Error::internal("a partition's function has no result"));
        };
        let types = map.ret.get(1..).unwrap_or(&[]);
        // All elements as they come, and then by class.
        let mut outputs = self.outputs(&[width], types, std::iter::empty(), frame)?;
        let mut members: Vec<Vec<i64>> = vec![Vec::new(); partition.classes];
        for i in 0..width {
            self.apply_at(map, &inputs, i, frame)?;
            let class = size(frame, class)?;
            let members = usize::try_from(class).ok().and_then(|class| members.get_mut(class));
            if let Some(members) = members {
                members.push(i);
            }
            self.push_all(&mut outputs, elements, frame)?;
        }
        let mut results: Vec<Value> =
            members.iter().map(|class| Value::Scalar(Scalar::I64(class.len() as i64))).collect();
        for output in outputs {
            let Value::Array(array) = output.finish(&[width]) else {
                return Err(Error::internal("a partition's function returns no data"));
            };
            let shape: Shape = array.sizes().collect();
            let mut buffer = self.allocate(array.elem(), &shape)?;
            for &i in members.iter().flatten() {
                let appended = match array.rank() {
                    1 => array.scalar(i).and_then(|scalar| buffer.push(scalar)),
                    _ => array.row(i).append_to(&mut buffer),
                };
                appended.ok_or_else(bad_write)?;
            }
            // What stands in the rest does not matter.
            buffer.fill_zero(array.count());
            results.push(Value::from(Array::row_major(&shape, buffer)));
        }
        super::bind_all(frame, pat, results)
    }

    /// The arrays of operands, which nobody else sees.
    pub(super) fn own_all(&mut self, args: &[Arg], frame: &mut Frame) -> Res<Vec<Array>> {
        let mut arrays = Vec::with_capacity(args.len());
        for arg in args {
            let mut array = take_array(frame, arg)?;
            array.own(&mut self.copies);
            arrays.push(*array);
        }
        Ok(arrays)
    }

    /// Combines values into arrays at a place, which is ignored if it is out of bounds.
    fn combine_into(
        &mut self,
        op: &'p Lambda,
        dests: &mut [Array],
        shape: &[i64],
        at: &[i64],
        values: &[Arg],
        frame: &mut Frame,
    ) -> Res<()> {
        if !in_bounds(shape, at) {
            return Ok(());
        }
        if let (Some(op), [dest], [value]) = (op.bin, &mut *dests, values)
            && dest.rank() == at.len()
        {
            let place = dest.offset_of(at).ok_or_else(bad_write)?;
            let old = dest.scalar_at(place).ok_or_else(bad_write)?;
            let new = super::binop(op, old, super::scalar(frame, value)?)?;
            return dest.set_at(place, new).ok_or_else(bad_write);
        }
        let mut parts = SmallVec::<[Value; 4]>::new();
        for dest in dests.iter() {
            parts.push(element(dest, at)?);
        }
        self.fold(op, &mut parts, values, frame)?;
        dests.iter_mut().zip(&parts).try_for_each(|(dest, part)| put(dest, at, part))
    }
}

/// Whether a place is inside of the indexed dimensions.
pub(super) fn in_bounds(shape: &[i64], at: &[i64]) -> bool {
    shape.iter().zip(at).all(|(&size, &index)| index >= 0 && index < size)
}

/// The element at leading indices, in memory of its own, so that the array can still be written to.
pub(super) fn element(array: &Array, at: &[i64]) -> Res<Value> {
    let offset = array.offset_of(at).ok_or_else(bad_write)?;
    let axes = Axes::from_slice(array.axes().get(at.len()..).unwrap_or(&[]));
    if axes.is_empty() {
        return array.scalar_at(offset).map(Value::Scalar).ok_or_else(bad_write);
    }
    Ok(Value::from(array.view(offset, axes).fresh()))
}

/// Replaces the element at leading indices of an array that nobody else sees.
pub(super) fn put(array: &mut Array, at: &[i64], value: &Value) -> Res<()> {
    let offset = array.offset_of(at).ok_or_else(bad_write)?;
    let axes = Axes::from_slice(array.axes().get(at.len()..).unwrap_or(&[]));
    write(array, offset, &axes, value)
}
