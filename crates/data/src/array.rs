//! Regular arrays: a shape, and the elements in row-major order.

use crate::value::{Scalar, SizedType, Value};
use fehu_base::Prim;
use half::f16;
use std::fmt;
use std::ops::Range;

/// A regular array of at least one dimension.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    shape: Vec<usize>,
    data: Data,
}

/// Elements of one type.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the variants are the types' own names")]
pub enum Data {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F16(Vec<f16>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
}

/// The most dimensions of an array: the binary format has a byte for their number.
pub const MAX_RANK: usize = 255;

/// A shape that no array can have, or that does not fit its elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShapeError {
    /// There are no dimensions; that would be a scalar.
    NoDimensions,
    /// There are more than [`MAX_RANK`] dimensions.
    TooManyDimensions,
    /// A size is above 2^63 - 1, or the number of elements is.
    TooLarge,
    /// The shape asks for another number of elements.
    WrongCount {
        /// How many elements the shape asks for.
        expected: usize,
        /// How many there are.
        got: usize,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShapeError::NoDimensions => f.write_str("an array has at least one dimension"),
            ShapeError::TooManyDimensions => {
                write!(f, "an array has at most {MAX_RANK} dimensions")
            }
            ShapeError::TooLarge => f.write_str("the array is too large"),
            ShapeError::WrongCount { expected, got } => {
                write!(f, "the shape requires {expected} elements, but there are {got}")
            }
        }
    }
}

impl std::error::Error for ShapeError {}

/// The number of elements of an array of this shape, or `None` if it or a size exceeds 2^63 - 1.
///
/// With a size of 0 there are no elements, however large the other sizes are.
pub fn element_count(shape: &[usize]) -> Option<usize> {
    let fits = |n: usize| i64::try_from(n).is_ok();
    if !shape.iter().all(|&size| fits(size)) {
        return None;
    }
    if shape.contains(&0) {
        return Some(0);
    }
    let count = shape.iter().try_fold(1_usize, |count, &size| count.checked_mul(size))?;
    fits(count).then_some(count)
}

/// Evaluates an expression with `$v` bound to the typed vector in a [`Data`].
macro_rules! with_data {
    ($data:expr, $v:pat => $body:expr) => {
        match $data {
            $crate::array::Data::I8($v) => $body,
            $crate::array::Data::I16($v) => $body,
            $crate::array::Data::I32($v) => $body,
            $crate::array::Data::I64($v) => $body,
            $crate::array::Data::U8($v) => $body,
            $crate::array::Data::U16($v) => $body,
            $crate::array::Data::U32($v) => $body,
            $crate::array::Data::U64($v) => $body,
            $crate::array::Data::F16($v) => $body,
            $crate::array::Data::F32($v) => $body,
            $crate::array::Data::F64($v) => $body,
            $crate::array::Data::Bool($v) => $body,
        }
    };
}
pub(crate) use with_data;

/// Evaluates an expression with `$t` standing for the Rust type of a [`Prim`].
macro_rules! with_prim {
    ($prim:expr, $t:ident => $body:expr) => {{
        macro_rules! arm {
            ($rust:ty) => {{
                type $t = $rust;
                $body
            }};
        }
        match $prim {
            fehu_base::Prim::I8 => arm!(i8),
            fehu_base::Prim::I16 => arm!(i16),
            fehu_base::Prim::I32 => arm!(i32),
            fehu_base::Prim::I64 => arm!(i64),
            fehu_base::Prim::U8 => arm!(u8),
            fehu_base::Prim::U16 => arm!(u16),
            fehu_base::Prim::U32 => arm!(u32),
            fehu_base::Prim::U64 => arm!(u64),
            fehu_base::Prim::F16 => arm!(half::f16),
            fehu_base::Prim::F32 => arm!(f32),
            fehu_base::Prim::F64 => arm!(f64),
            fehu_base::Prim::Bool => arm!(bool),
        }
    }};
}
pub(crate) use with_prim;

impl Array {
    /// An array of this shape, if the number of elements is right.
    pub fn new(shape: Vec<usize>, data: Data) -> Result<Array, ShapeError> {
        if shape.is_empty() {
            return Err(ShapeError::NoDimensions);
        }
        if shape.len() > MAX_RANK {
            return Err(ShapeError::TooManyDimensions);
        }
        let expected = element_count(&shape).ok_or(ShapeError::TooLarge)?;
        let got = data.len();
        if expected != got {
            return Err(ShapeError::WrongCount { expected, got });
        }
        Ok(Array { shape, data })
    }

    /// An array of one dimension.
    pub fn from_vec<T: Elem>(elements: Vec<T>) -> Array {
        Array { shape: vec![elements.len()], data: T::data(elements) }
    }

    /// The type of the elements.
    pub fn elem(&self) -> Prim {
        self.data.elem()
    }

    /// The sizes, at least one.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions, at least one.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in row-major order.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The elements in row-major order, for changes in place.
    pub fn elements_mut<T: Elem>(&mut self) -> Option<&mut [T]> {
        T::of_mut(&mut self.data)
    }

    /// The shape and the elements.
    pub fn into_parts(self) -> (Vec<usize>, Data) {
        (self.shape, self.data)
    }

    /// The elements in row-major order, if they have type `T`.
    pub fn elements<T: Elem>(&self) -> Option<&[T]> {
        T::of(&self.data)
    }

    /// The element with this position in row-major order.
    pub fn get_flat(&self, position: usize) -> Option<Scalar> {
        self.data.get(position)
    }

    /// The element with this index, one number for each dimension.
    pub fn get(&self, index: &[usize]) -> Option<Scalar> {
        // Without elements the products of sizes below could overflow.
        if index.len() != self.shape.len() || self.is_empty() {
            return None;
        }
        let mut position = 0;
        for (&i, &size) in index.iter().zip(&self.shape) {
            if i >= size {
                return None;
            }
            position = position * size + i;
        }
        self.data.get(position)
    }

    /// The index of an element from its position in row-major order.
    pub fn index_of(&self, mut position: usize) -> Vec<usize> {
        let mut index = vec![0; self.shape.len()];
        for (i, &size) in index.iter_mut().zip(&self.shape).rev() {
            if size > 0 {
                *i = position % size;
                position /= size;
            }
        }
        index
    }

    /// Where in the elements row `i` of the outermost dimension lies.
    pub fn row_range(&self, i: usize) -> Option<Range<usize>> {
        let rows = self.shape[0];
        if i >= rows {
            return None;
        }
        let size = self.len() / rows;
        Some(i * size..(i + 1) * size)
    }

    /// A copy of row `i` of the outermost dimension: a scalar if there is only one dimension.
    pub fn row(&self, i: usize) -> Option<Value> {
        let range = self.row_range(i)?;
        if self.shape.len() == 1 {
            return self.get_flat(i).map(Value::Scalar);
        }
        let data = self.data.slice(range);
        Some(Value::Array(Array { shape: self.shape[1..].to_vec(), data }))
    }

    /// The same elements in another shape.
    pub fn reshape(self, shape: Vec<usize>) -> Result<Array, ShapeError> {
        Array::new(shape, self.data)
    }

    /// The type with its sizes.
    pub fn sized_type(&self) -> SizedType {
        SizedType { elem: self.elem(), shape: self.shape.clone() }
    }

    /// Whether type, shape and all bits are the same.
    pub fn identical(&self, other: &Array) -> bool {
        fn same<T: Elem>(a: &[T], b: &Data) -> bool {
            T::of(b).is_some_and(|b| {
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.scalar().identical(y.scalar()))
            })
        }
        self.shape == other.shape && with_data!(&self.data, v => same(v, &other.data))
    }
}

impl Data {
    /// No elements of type `elem`.
    pub fn empty(elem: Prim) -> Data {
        with_prim!(elem, T => T::data(Vec::new()))
    }

    /// The type of the elements.
    pub fn elem(&self) -> Prim {
        fn elem<T: Elem>(_: &[T]) -> Prim {
            T::PRIM
        }
        with_data!(self, v => elem(v))
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        with_data!(self, v => v.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at a position.
    pub fn get(&self, position: usize) -> Option<Scalar> {
        with_data!(self, v => v.get(position).map(|x| x.scalar()))
    }

    /// A copy of some elements; nothing if the range is outside.
    pub fn slice(&self, range: Range<usize>) -> Data {
        with_data!(self, v => Elem::data(v.get(range).unwrap_or_default().to_vec()))
    }

    /// Elements made from scalars, if all have the type `elem`.
    pub fn from_scalars(elem: Prim, scalars: impl IntoIterator<Item = Scalar>) -> Option<Data> {
        fn collect<T: Elem>(scalars: impl Iterator<Item = Scalar>) -> Option<Data> {
            scalars.map(T::from_scalar).collect::<Option<Vec<T>>>().map(T::data)
        }
        with_prim!(elem, T => collect::<T>(scalars.into_iter()))
    }
}

/// The Rust type of a primitive type.
pub trait Elem: Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The primitive type.
    const PRIM: Prim;
    /// The scalar.
    fn scalar(self) -> Scalar;
    /// The number in a scalar of this type.
    fn from_scalar(scalar: Scalar) -> Option<Self>;
    /// A vector as [`Data`].
    fn data(elements: Vec<Self>) -> Data;
    /// The elements of [`Data`] of this type.
    fn of(data: &Data) -> Option<&[Self]>;
    /// The elements of [`Data`] of this type, for changes.
    fn of_mut(data: &mut Data) -> Option<&mut [Self]>;
}

macro_rules! elem {
    ($rust:ty, $variant:ident) => {
        impl Elem for $rust {
            const PRIM: Prim = Prim::$variant;
            fn scalar(self) -> Scalar {
                Scalar::$variant(self)
            }
            fn from_scalar(scalar: Scalar) -> Option<Self> {
                match scalar {
                    Scalar::$variant(x) => Some(x),
                    _ => None,
                }
            }
            fn data(elements: Vec<Self>) -> Data {
                Data::$variant(elements)
            }
            fn of(data: &Data) -> Option<&[Self]> {
                match data {
                    Data::$variant(elements) => Some(elements),
                    _ => None,
                }
            }
            fn of_mut(data: &mut Data) -> Option<&mut [Self]> {
                match data {
                    Data::$variant(elements) => Some(elements),
                    _ => None,
                }
            }
        }
    };
}

elem!(i8, I8);
elem!(i16, I16);
elem!(i32, I32);
elem!(i64, I64);
elem!(u8, U8);
elem!(u16, U16);
elem!(u32, U32);
elem!(u64, U64);
elem!(f16, F16);
elem!(f32, F32);
elem!(f64, F64);
elem!(bool, Bool);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_checked() {
        let data = || Data::I32(vec![1, 2, 3, 4, 5, 6]);
        let array = Array::new(vec![2, 3], data()).unwrap();
        assert_eq!(array.get(&[1, 0]), Some(Scalar::I32(4)));
        assert_eq!(array.get(&[1, 3]), None);
        assert_eq!(array.index_of(5), [1, 2]);
        assert_eq!(array.row(1), Some(Array::from_vec(vec![4, 5, 6]).into()));
        assert_eq!(array.row(2), None);
        assert_eq!(array.sized_type().to_string(), "[2][3]i32");
        let wrong = Array::new(vec![4], data());
        assert_eq!(wrong, Err(ShapeError::WrongCount { expected: 4, got: 6 }));
        assert_eq!(Array::new(vec![], data()), Err(ShapeError::NoDimensions));
        assert_eq!(Array::new(vec![1 << 62, 1 << 62], data()), Err(ShapeError::TooLarge));
    }

    #[test]
    fn one_size_of_zero_is_enough() {
        assert_eq!(element_count(&[0, 1 << 62, 1 << 62]), Some(0));
        assert_eq!(element_count(&[0, usize::MAX]), None);
        let array = Array::new(vec![2, 0, 5], Data::empty(Prim::F16)).unwrap();
        assert_eq!(array.row(1).unwrap().sized_type().to_string(), "[0][5]f16");
    }
}
