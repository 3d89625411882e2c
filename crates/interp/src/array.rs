//! Arrays: views of shared buffers, copied when written to unless nobody else can see it.
//!
//! An array is a buffer behind a reference count, an offset, and for each dimension its size and the
//! distance of neighbours. So slices, transpositions and rows are free of copies. A write goes to the
//! buffer itself if this is the only reference; otherwise the elements are copied first. That is
//! never wrong, and the compiled program gives references up as early as possible, so that it is
//! seldom slow.

use crate::buffer::{Buffer, with_both};
use fehu_ir::{Elem, Scalar};
use smallvec::SmallVec;
use std::sync::Arc;

/// An array of rank one or more.
#[derive(Clone, Debug)]
pub struct Array {
    buffer: Arc<Buffer>,
    offset: i64,
    axes: Axes,
}

/// A dimension: how many elements, and how far apart in the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Axis {
    pub(crate) size: i64,
    pub(crate) stride: i64,
}

/// The dimensions of an array, outermost first.
pub(crate) type Axes = SmallVec<[Axis; 3]>;

/// The sizes of an array's dimensions.
pub(crate) type Shape = SmallVec<[i64; 4]>;

/// How often and how much has been copied because a buffer was shared; for tests and profiles.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Copies {
    /// The number of writes that copied.
    pub count: u64,
    /// The number of elements copied.
    pub elements: u64,
}

impl Array {
    /// The array with this shape and these elements in row-major order; `None` if the sizes are
    /// negative, or do not match the number of elements.
    pub fn new(shape: &[i64], buffer: impl Into<Buffer>) -> Option<Array> {
        let buffer = buffer.into();
        let count = count_of(shape)?;
        if shape.is_empty() || buffer.len().is_some_and(|len| len != count) {
            return None;
        }
        Some(Array::row_major(shape, buffer))
    }

    /// The array with this shape and these elements, which are as many as it takes.
    pub(crate) fn row_major(shape: &[i64], buffer: Buffer) -> Array {
        Array { buffer: Arc::new(buffer), offset: 0, axes: row_major_axes(shape) }
    }

    /// The type of the elements.
    pub fn elem(&self) -> Elem {
        self.buffer.elem()
    }

    /// The sizes of the dimensions, outermost first.
    pub fn shape(&self) -> Vec<i64> {
        self.axes.iter().map(|axis| axis.size).collect()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The size of the outermost dimension.
    pub fn outer_size(&self) -> i64 {
        self.axes.first().map_or(0, |axis| axis.size)
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.size as usize).product()
    }

    /// The element at these indices, as many as there are dimensions; `None` out of bounds.
    pub fn get(&self, indices: &[i64]) -> Option<Scalar> {
        if indices.len() != self.axes.len() {
            return None;
        }
        let at = self.offset_of(indices)?;
        self.buffer.get(at as usize)
    }

    /// The elements in row-major order.
    pub fn to_buffer(&self) -> Buffer {
        let mut buffer = Buffer::empty(self.elem());
        self.append_to(&mut buffer);
        buffer
    }

    /// The elements in row-major order, without a copy if nobody else sees them.
    pub fn into_buffer(self) -> Buffer {
        let whole = self.buffer.len().is_none_or(|len| len == self.count());
        if whole && self.offset == 0 && self.is_row_major() {
            Arc::try_unwrap(self.buffer).unwrap_or_else(|shared| (*shared).clone())
        } else {
            self.to_buffer()
        }
    }

    /// Whether the elements stand in the buffer one after the other in row-major order.
    pub(crate) fn is_row_major(&self) -> bool {
        let mut distance = 1;
        for axis in self.axes.iter().rev() {
            if axis.size != 1 && axis.stride != distance {
                return self.count() == 0;
            }
            distance *= axis.size;
        }
        true
    }

    /// The sizes, for comparison.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = i64> + '_ {
        self.axes.iter().map(|axis| axis.size)
    }

    /// Whether the sizes are these.
    pub(crate) fn has_shape(&self, shape: &[i64]) -> bool {
        self.axes.len() == shape.len() && self.sizes().eq(shape.iter().copied())
    }

    /// The dimensions.
    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    /// Where in the buffer the element or sub-array at these leading indices begins.
    #[inline]
    pub(crate) fn offset_of(&self, indices: &[i64]) -> Option<i64> {
        let mut at = self.offset;
        for (axis, &index) in self.axes.iter().zip(indices) {
            if index < 0 || index >= axis.size {
                return None;
            }
            at += index * axis.stride;
        }
        Some(at)
    }

    /// The scalar at a position of the buffer.
    #[inline]
    pub(crate) fn scalar_at(&self, at: i64) -> Option<Scalar> {
        self.buffer.get(at as usize)
    }

    /// The scalar at an index of an array of rank one.
    #[inline]
    pub(crate) fn scalar(&self, index: i64) -> Option<Scalar> {
        let axis = self.axes.first()?;
        if index < 0 || index >= axis.size {
            return None;
        }
        self.buffer.get((self.offset + index * axis.stride) as usize)
    }

    /// A view of the same buffer. The caller has checked that it is inside this one.
    pub(crate) fn view(&self, offset: i64, axes: Axes) -> Array {
        Array { buffer: Arc::clone(&self.buffer), offset, axes }
    }

    /// The row at an index that is in bounds; the rank is two or more.
    pub(crate) fn row(&self, index: i64) -> Array {
        let axis = self.axes[0];
        self.view(self.offset + index * axis.stride, Axes::from_slice(&self.axes[1..]))
    }

    /// Part of the outermost dimension, which is in bounds.
    pub(crate) fn part(&self, start: i64, len: i64) -> Array {
        let mut axes = self.axes.clone();
        axes[0].size = len;
        self.view(self.offset + start * axes[0].stride, axes)
    }

    /// The elements, and perhaps those of others.
    #[inline]
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The offset of the first element.
    pub(crate) fn offset(&self) -> i64 {
        self.offset
    }

    /// The same elements in row-major order under another shape, if that needs no copy.
    pub(crate) fn reshaped(&self, shape: &[i64]) -> Option<Array> {
        self.is_row_major().then(|| self.view(self.offset, row_major_axes(shape)))
    }

    /// The dimensions in another order.
    pub(crate) fn rearranged(&self, perm: &[usize]) -> Option<Array> {
        if perm.len() != self.rank() {
            return None;
        }
        let axes = perm.iter().map(|&i| self.axes.get(i).copied()).collect::<Option<Axes>>()?;
        Some(self.view(self.offset, axes))
    }

    /// Whether both are views of one buffer.
    pub(crate) fn shares_with(&self, other: &Array) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer)
    }

    /// Whether nobody else sees the buffer.
    pub(crate) fn is_unique(&mut self) -> bool {
        Arc::get_mut(&mut self.buffer).is_some()
    }

    /// The elements in a buffer of their own.
    pub(crate) fn fresh(&self) -> Array {
        let shape: Shape = self.sizes().collect();
        Array::row_major(&shape, self.to_buffer())
    }

    /// Makes sure that writes do not show elsewhere.
    pub(crate) fn own(&mut self, copies: &mut Copies) {
        if !self.is_unique() {
            copies.count += 1;
            copies.elements += self.count() as u64;
            *self = self.fresh();
        }
    }

    /// The buffer for writing; `None` if it is shared, see [`Array::own`].
    #[inline]
    pub(crate) fn buffer_mut(&mut self) -> Option<&mut Buffer> {
        Arc::get_mut(&mut self.buffer)
    }

    /// Replaces a scalar; `None` out of bounds, of another type, or if the buffer is shared.
    #[inline]
    pub(crate) fn set_at(&mut self, at: i64, value: Scalar) -> Option<()> {
        self.buffer_mut()?.set(at as usize, value)
    }

    /// Replaces the elements of a view of this array by those of an array of the same shape and type
    /// in another buffer; `None` if that is not so.
    pub(crate) fn write(&mut self, offset: i64, axes: &Axes, value: &Array) -> Option<()> {
        if !axes.iter().map(|axis| axis.size).eq(value.sizes()) {
            return None;
        }
        let target = Arc::get_mut(&mut self.buffer)?;
        with_both!(target, &*value.buffer, to, from => {
            let mut runs = Runs::new(axes, offset).zip(Runs::new(&value.axes, value.offset));
            runs.try_for_each(|(to_run, from_run)| copy_run(to, to_run, from, from_run))
        }, unit => Some(()), else None)
    }

    /// Appends the elements in row-major order; `None` if the types differ.
    pub(crate) fn append_to(&self, target: &mut Buffer) -> Option<()> {
        let count = self.count();
        with_both!(target, &*self.buffer, to, from => {
            if self.is_row_major() {
                let start = self.offset as usize;
                if count > 0 {
                    to.extend_from_slice(from.get(start..start + count)?);
                }
                return Some(());
            }
            to.reserve(count);
            for run in Runs::new(&self.axes, self.offset) {
                let mut at = run.start;
                for _ in 0..run.size {
                    to.push(*from.get(at as usize)?);
                    at += run.stride;
                }
            }
            Some(())
        }, unit => Some(()), else None)
    }

    /// Whether both have the same type, shape and bits.
    pub fn same_bits(&self, other: &Array) -> bool {
        if self.elem() != other.elem() || !self.sizes().eq(other.sizes()) {
            return false;
        }
        let (a, b) = (self.to_buffer(), other.to_buffer());
        (0..a.len().unwrap_or(0)).all(|i| a.get(i) == b.get(i))
    }
}

/// The number of elements of an array of this shape, if it is one.
pub(crate) fn count_of(shape: &[i64]) -> Option<usize> {
    shape.iter().try_fold(1usize, |count, &size| count.checked_mul(usize::try_from(size).ok()?))
}

/// The dimensions of an array that fills its buffer in row-major order.
pub(crate) fn row_major_axes(shape: &[i64]) -> Axes {
    let mut axes: Axes = shape.iter().map(|&size| Axis { size, stride: 0 }).collect();
    let mut stride = 1;
    for axis in axes.iter_mut().rev() {
        axis.stride = stride;
        stride *= axis.size;
    }
    axes
}

/// A line of elements in a buffer.
#[derive(Clone, Copy)]
struct Run {
    start: i64,
    size: i64,
    stride: i64,
}

/// The lines along the innermost dimension of a view, in row-major order.
struct Runs<'a> {
    outer: &'a [Axis],
    inner: Axis,
    position: Shape,
    next: Option<i64>,
}

impl<'a> Runs<'a> {
    fn new(axes: &'a Axes, offset: i64) -> Runs<'a> {
        let (inner, outer) = match axes.split_last() {
            Some((&inner, outer)) => (inner, outer),
            None => (Axis { size: 1, stride: 0 }, &axes[..]),
        };
        let empty = axes.iter().any(|axis| axis.size == 0);
        let position = SmallVec::from_elem(0, outer.len());
        Runs { outer, inner, position, next: (!empty).then_some(offset) }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let start = self.next?;
        let mut at = start;
        self.next = None;
        for (axis, index) in self.outer.iter().zip(&mut self.position).rev() {
            *index += 1;
            at += axis.stride;
            if *index < axis.size {
                self.next = Some(at);
                break;
            }
            *index = 0;
            at -= axis.size * axis.stride;
        }
        Some(Run { start, size: self.inner.size, stride: self.inner.stride })
    }
}

fn copy_run<T: Copy>(to: &mut [T], to_run: Run, from: &[T], from_run: Run) -> Option<()> {
    if to_run.stride == 1 && from_run.stride == 1 {
        let size = to_run.size as usize;
        let (start, source) = (to_run.start as usize, from_run.start as usize);
        to.get_mut(start..start + size)?.copy_from_slice(from.get(source..source + size)?);
        return Some(());
    }
    let (mut at, mut source) = (to_run.start, from_run.start);
    for _ in 0..to_run.size {
        *to.get_mut(at as usize)? = *from.get(source as usize)?;
        at += to_run.stride;
        source += from_run.stride;
    }
    Some(())
}
