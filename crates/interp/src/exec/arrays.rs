//! Operations on arrays without functions.

use super::{Frame, Machine, array, bind_all, binop, scalar, size, sizes, take, take_array};
use crate::array::{Array, Axes, Axis, Shape, count_of};
use crate::buffer::Buffer;
use crate::code::{Arg, FlatUpdate, Iota, Place, Slot, Update};
use crate::error::{Error, Res};
use crate::value::Value;
use fehu_ir::{BinOp, Elem, Scalar};

/// An element of an array of rank one.
#[inline]
pub(super) fn element(frame: &mut Frame, slot: Slot, index: &Arg, target: Slot) -> Res<()> {
    let index = size(frame, index)?;
    let Ok([source, target]) = frame.get_disjoint_mut([slot as usize, target as usize]) else {
        return Err(Error::internal("an element replaces its array"));
    };
    let Value::Array(array) = source else {
        return Err(super::unexpected("an array", source));
    };
    match array.offset_of(&[index]) {
        Some(at) if array.rank() == 1 && super::quick::load(target, array, at) => Ok(()),
        Some(_) | None => Err(out_of_bounds(index, array.outer_size())),
    }
}

/// An element, row or slice.
#[inline(never)]
pub(super) fn index(frame: &Frame, slot: Slot, places: &[Place]) -> Res<Value> {
    let array = array(frame, slot)?;
    let (offset, axes) = locate(array, places, frame)?;
    if axes.is_empty() {
        let element = array.scalar_at(offset);
        return Ok(Value::Scalar(element.ok_or_else(|| Error::internal("a view is wrong"))?));
    }
    Ok(Value::from(array.view(offset, axes)))
}

/// A view by strides.
#[inline(never)]
pub(super) fn flat_index(
    frame: &Frame,
    slot: Slot,
    offset: &Arg,
    dims: &[(Arg, Arg)],
) -> Res<Value> {
    let array = array(frame, slot)?;
    let (offset, axes) = locate_flat(array, offset, dims, frame)?;
    Ok(Value::from(array.view(offset, axes)))
}

#[inline(never)]
pub(super) fn rearrange(frame: &Frame, slot: Slot, perm: &[usize]) -> Res<Value> {
    let result = array(frame, slot)?.rearranged(perm);
    Ok(Value::from(result.ok_or_else(|| Error::internal("the dimensions do not match"))?))
}

/// The error of an index without a check.
#[cold]
pub(super) fn out_of_bounds(index: i64, size: i64) -> Box<Error> {
    Error::internal(format!("index {index} is out of bounds for size {size}"))
}

/// Where in the buffer the indexed part begins, and its dimensions.
fn locate(array: &Array, places: &[Place], frame: &Frame) -> Res<(i64, Axes)> {
    let mut offset = array.offset();
    let mut axes = Axes::new();
    let Some(rest) = array.axes().get(places.len()..) else {
        return Err(Error::internal("an index has more dimensions than its array"));
    };
    for (place, axis) in places.iter().zip(array.axes()) {
        match place {
            Place::Fix(index) => {
                let index = size(frame, index)?;
                if index < 0 || index >= axis.size {
                    return Err(out_of_bounds(index, axis.size));
                }
                offset += index * axis.stride;
            }
            Place::Slice { start, len, stride } => {
                let (start, len) = (size(frame, start)?, size(frame, len)?);
                let stride = size(frame, stride)?;
                let (first, axis) = sub_axis(*axis, start, &[(len, stride)])?;
                offset += first;
                axes.extend(axis);
            }
        }
    }
    axes.extend_from_slice(rest);
    Ok((offset, axes))
}

fn locate_flat(
    array: &Array,
    offset: &Arg,
    dims: &[(Arg, Arg)],
    frame: &Frame,
) -> Res<(i64, Axes)> {
    let Some((&outer, rest)) = array.axes().split_first() else {
        return Err(Error::internal("an array has no dimensions"));
    };
    let mut pairs: smallvec::SmallVec<[(i64, i64); 4]> = smallvec::SmallVec::new();
    for (len, stride) in dims {
        pairs.push((size(frame, len)?, size(frame, stride)?));
    }
    let (first, mut axes) = sub_axis(outer, size(frame, offset)?, &pairs)?;
    axes.extend_from_slice(rest);
    Ok((array.offset() + first, axes))
}

/// Part of a dimension: lengths and strides from a start. Where it begins, and its dimensions.
fn sub_axis(axis: Axis, start: i64, dims: &[(i64, i64)]) -> Res<(i64, Axes)> {
    // In 128 bits nothing overflows, for all operands have 64.
    let (mut low, mut high) = (i128::from(start), i128::from(start));
    let mut empty = false;
    for &(len, stride) in dims {
        if len < 0 {
            return Err(Error::program(format!("slice size {len} is negative")));
        }
        empty |= len == 0;
        let extent = i128::from(len - 1) * i128::from(stride);
        low += extent.min(0);
        high += extent.max(0);
    }
    if !empty && (low < 0 || high >= i128::from(axis.size)) {
        let size = axis.size;
        return Err(Error::internal(format!(
            "slice {low}..{high} is out of bounds for size {size}"
        )));
    }
    // An empty slice may begin anywhere; its offset and strides are never used.
    let first = if empty { 0 } else { start * axis.stride };
    let axes = dims.iter().map(|&(size, stride)| {
        let stride = if empty || size <= 1 { 0 } else { stride * axis.stride };
        Axis { size, stride }
    });
    Ok((first, axes.collect()))
}

impl Machine<'_> {
    #[inline(never)]
    pub(super) fn update(&mut self, update: &Update, frame: &mut Frame) -> Res<Value> {
        // The value before the array: if it is given up, the array may become the only reference.
        let value = take(frame, &update.value);
        let mut array = take_array(frame, &update.array)?;
        let value = separate(value, &array);
        array.own(&mut self.copies);
        if let ([Place::Fix(index)], Value::Scalar(value)) = (&update.places[..], &value)
            && array.rank() == 1
        {
            let index = size(frame, index)?;
            let at = array
                .offset_of(&[index])
                .ok_or_else(|| out_of_bounds(index, array.outer_size()))?;
            array.set_at(at, *value).ok_or_else(bad_write)?;
            return Ok(Value::Array(array));
        }
        let (offset, axes) = locate(&array, &update.places, frame)?;
        write(&mut array, offset, &axes, &value)?;
        Ok(Value::Array(array))
    }

    #[inline(never)]
    pub(super) fn flat_update(&mut self, update: &FlatUpdate, frame: &mut Frame) -> Res<Value> {
        let value = take(frame, &update.value);
        let mut array = take_array(frame, &update.array)?;
        let value = separate(value, &array);
        array.own(&mut self.copies);
        let (offset, axes) = locate_flat(&array, &update.offset, &update.dims, frame)?;
        write(&mut array, offset, &axes, &value)?;
        Ok(Value::Array(array))
    }

    #[inline(never)]
    pub(super) fn literal(
        &mut self,
        elem: Elem,
        items: &[Arg],
        row: &[Arg],
        frame: &mut Frame,
    ) -> Res<Value> {
        let mut shape = Shape::from_slice(&[items.len() as i64]);
        shape.extend(sizes(frame, row)?);
        let mut buffer = self.allocate(elem, &shape)?;
        for item in items {
            match item {
                Arg::Const(scalar) => Value::Scalar(*scalar).append_to(&mut buffer, &shape[1..])?,
                Arg::Slot(slot) | Arg::Last(slot) => {
                    frame[*slot as usize].append_to(&mut buffer, &shape[1..])?;
                }
            }
        }
        Ok(Value::from(Array::row_major(&shape, buffer)))
    }

    #[inline(never)]
    pub(super) fn concat(&mut self, total: &Arg, slots: &[Slot], frame: &Frame) -> Res<Value> {
        let Some(&first) = slots.first() else {
            return Err(Error::internal("nothing is concatenated"));
        };
        let first = array(frame, first)?;
        let mut shape: Shape = first.sizes().collect();
        shape[0] = size(frame, total)?;
        let mut buffer = self.allocate(first.elem(), &shape)?;
        let mut rows = 0;
        for &slot in slots {
            let part = array(frame, slot)?;
            rows += part.outer_size();
            if !part.sizes().skip(1).eq(shape[1..].iter().copied()) {
                return Err(Error::internal("concatenated arrays have rows of different shapes"));
            }
            part.append_to(&mut buffer).ok_or_else(bad_write)?;
        }
        if rows != shape[0] {
            return Err(Error::internal("concatenated arrays do not have the total size"));
        }
        Ok(Value::from(Array::row_major(&shape, buffer)))
    }

    #[inline(never)]
    pub(super) fn iota(&mut self, iota: &Iota, frame: &Frame) -> Res<Value> {
        let count = size(frame, &iota.count)?;
        let (start, step) = (scalar(frame, &iota.start)?, scalar(frame, &iota.step)?);
        let mut buffer = self.allocate(Elem::Prim(iota.prim), &[count])?;
        if let (Buffer::I64(items), Scalar::I64(start), Scalar::I64(step)) =
            (&mut buffer, start, step)
        {
            items.extend((0..count).map(|i| start.wrapping_add(i.wrapping_mul(step))));
        } else {
            let mut next = start;
            for _ in 0..count {
                buffer.push(next).ok_or_else(bad_write)?;
                next = binop(BinOp::Add, next, step)?;
            }
        }
        Ok(Value::from(Array::row_major(&[count], buffer)))
    }

    #[inline(never)]
    pub(super) fn replicate(&mut self, shape: &[Arg], arg: &Arg, frame: &mut Frame) -> Res<Value> {
        let mut shape = sizes(frame, shape)?;
        let outer = shape.len();
        match take(frame, arg) {
            Value::Scalar(scalar) => {
                let mut buffer = self.allocate(scalar.elem(), &shape)?;
                let count = count_of(&shape).unwrap_or(0);
                buffer.fill(count, scalar).ok_or_else(bad_write)?;
                Ok(Value::from(Array::row_major(&shape, buffer)))
            }
            Value::Array(row) => {
                shape.extend(row.sizes());
                let mut buffer = self.allocate(row.elem(), &shape)?;
                let times = count_of(&shape[..outer]).unwrap_or(0);
                if times > 0 && row.count() > 0 {
                    row.append_to(&mut buffer).ok_or_else(bad_write)?;
                    buffer.repeat_first(row.count(), times - 1);
                }
                Ok(Value::from(Array::row_major(&shape, buffer)))
            }
            other @ (Value::Acc(_) | Value::Gone) => Err(super::unexpected("a value", &other)),
        }
    }

    #[inline(never)]
    pub(super) fn scratch(&mut self, elem: Elem, shape: &[Arg], frame: &Frame) -> Res<Value> {
        let shape = sizes(frame, shape)?;
        let mut buffer = self.allocate(elem, &shape)?;
        buffer.fill_zero(count_of(&shape).unwrap_or(0));
        Ok(Value::from(Array::row_major(&shape, buffer)))
    }

    #[inline(never)]
    pub(super) fn reshape(&mut self, slot: Slot, shape: &[Arg], frame: &Frame) -> Res<Value> {
        let array = array(frame, slot)?;
        let shape = sizes(frame, shape)?;
        if let Some(size) = shape.iter().find(|&&size| size < 0) {
            return Err(Error::program(format!("array size {size} is negative")));
        }
        if count_of(&shape) != Some(array.count()) || shape.is_empty() {
            return Err(Error::internal("a new shape has another number of elements"));
        }
        if let Some(view) = array.reshaped(&shape) {
            return Ok(Value::from(view));
        }
        let mut buffer = self.allocate(array.elem(), &shape)?;
        array.append_to(&mut buffer).ok_or_else(bad_write)?;
        Ok(Value::from(Array::row_major(&shape, buffer)))
    }

    /// The array in memory of its own: as it is, if nobody else sees it.
    #[inline(never)]
    pub(super) fn copy(&mut self, arg: &Arg, frame: &mut Frame) -> Res<Value> {
        let mut array = take_array(frame, arg)?;
        if !array.is_unique() {
            *array = array.fresh();
        }
        Ok(Value::Array(array))
    }

    #[inline(never)]
    pub(super) fn manifest(&mut self, arg: &Arg, frame: &mut Frame) -> Res<Value> {
        let mut array = take_array(frame, arg)?;
        if !array.is_unique() || !array.is_row_major() {
            *array = array.fresh();
        }
        Ok(Value::Array(array))
    }

    /// Binds one array after the other.
    pub(super) fn bind_arrays(
        &mut self,
        frame: &mut Frame,
        pat: &[Slot],
        arrays: Vec<Array>,
    ) -> Res<()> {
        bind_all(frame, pat, arrays.into_iter().map(Value::from))
    }
}

/// The value in memory of its own if it is a view of the array that it is to be written to.
#[expect(clippy::wildcard_enum_match_arm, reason = "only arrays share")]
fn separate(value: Value, array: &Array) -> Value {
    match value {
        Value::Array(part) if part.shares_with(array) => Value::from(part.fresh()),
        other => other,
    }
}

/// Replaces a part of an array that nobody else sees.
pub(super) fn write(array: &mut Array, offset: i64, axes: &Axes, value: &Value) -> Res<()> {
    let written = match value {
        Value::Scalar(scalar) if axes.is_empty() => array.set_at(offset, *scalar),
        Value::Array(value) => array.write(offset, axes, value),
        Value::Scalar(_) | Value::Acc(_) | Value::Gone => None,
    };
    written.ok_or_else(bad_write)
}

/// The error of elements of another type or shape.
#[cold]
pub(super) fn bad_write() -> Box<Error> {
    Error::internal("elements of another type or shape are written to an array")
}
