//! Arrays: what is lent to a program, and what it gives.

use crate::context::{Error, Handle, Result};
use crate::value::Arg;
use std::ffi::c_void;
use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// The types of elements and scalars.
pub trait Elem: Copy + sealed::Sealed {
    /// What programs call it.
    const NAME: &'static str;
}

macro_rules! elems {
    ($($ty:ty = $name:literal),*) => {
        $(
            impl sealed::Sealed for $ty {}
            impl Elem for $ty {
                const NAME: &'static str = $name;
            }
        )*
    };
}
elems!(
    i8 = "i8",
    i16 = "i16",
    i32 = "i32",
    i64 = "i64",
    u8 = "u8",
    u16 = "u16",
    u32 = "u32",
    u64 = "u64"
);
elems!(f32 = "f32", f64 = "f64", bool = "bool");

/// What can be an argument of type `[]T`, with `R` dimensions, without being copied.
pub trait Lend<'a, T: Elem, const R: usize> {
    /// The argument.
    fn lend(self) -> Result<Arg<'a>>;
}

fn lent<'a, T: Elem>(data: &'a [T], shape: &[usize]) -> Result<Arg<'a>> {
    let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Ok(Arg::Lent { data: data.as_ptr().cast::<c_void>().cast_mut(), shape, lender: PhantomData })
}

impl<'a, T: Elem> Lend<'a, T, 1> for &'a [T] {
    fn lend(self) -> Result<Arg<'a>> {
        lent(self, &[self.len()])
    }
}

impl<'a, T: Elem> Lend<'a, T, 1> for &'a Vec<T> {
    fn lend(self) -> Result<Arg<'a>> {
        lent(self, &[self.len()])
    }
}

impl<'a, T: Elem, const N: usize> Lend<'a, T, 1> for &'a [T; N] {
    fn lend(self) -> Result<Arg<'a>> {
        lent(self, &[N])
    }
}

impl<'a, T: Elem, const R: usize> Lend<'a, T, R> for (&'a [T], [usize; R]) {
    fn lend(self) -> Result<Arg<'a>> {
        let (data, shape) = self;
        let wanted = shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
        if wanted != Some(data.len()) {
            let count = data.len();
            return Err(Error::Argument(format!(
                "{count} elements do not have the sizes {shape:?}"
            )));
        }
        lent(data, &shape)
    }
}

impl<'a, T: Elem, const R: usize> Lend<'a, T, R> for &'a Array<T, R> {
    fn lend(self) -> Result<Arg<'a>> {
        lent(self.as_slice(), &self.shape())
    }
}

#[cfg(feature = "ndarray")]
impl<'a, T: Elem, D: ndarray::Dimension, const R: usize> Lend<'a, T, R>
    for ndarray::ArrayView<'a, T, D>
{
    fn lend(self) -> Result<Arg<'a>> {
        let shape = self.shape().to_vec();
        let order = || Error::Argument("the view is not in row-major order".to_owned());
        if shape.len() != R {
            let rank = shape.len();
            return Err(Error::Argument(format!("expected {R} dimensions, got {rank}")));
        }
        lent(self.to_slice().ok_or_else(order)?, &shape)
    }
}

/// An array with `R` dimensions that the program has made. It owns its memory.
pub struct Array<T: Elem, const R: usize> {
    pub(crate) handle: Handle,
    data: *const T,
    shape: [usize; R],
}

// SAFETY: nobody changes its elements.
unsafe impl<T: Elem, const R: usize> Send for Array<T, R> {}
// SAFETY: the same.
unsafe impl<T: Elem, const R: usize> Sync for Array<T, R> {}

impl<T: Elem, const R: usize> Array<T, R> {
    pub(crate) fn new(handle: Handle) -> Result<Array<T, R>> {
        let ty = handle.ty;
        let elem = ty.prim().map_or("", |prim| prim.name());
        if elem != T::NAME || ty.rank() != R {
            let (found, name) = (ty.name(), T::NAME);
            return Err(Error::Argument(format!(
                "the result is {found}, not {R} dimensions of {name}"
            )));
        }
        let (Some(shape), Some(values)) = (ty.array_shape, ty.array_values_raw) else {
            return Err(Error::Argument(format!("{} is no array", ty.name())));
        };
        let context = handle.context.clone();
        let (data, sizes) = context.enter(|turn| {
            // SAFETY: we have the turn, and the object is of this type, which has so many sizes.
            unsafe {
                let sizes = std::slice::from_raw_parts(shape(turn.raw(), handle.object), R);
                (values(turn.raw(), handle.object), sizes.to_vec())
            }
        });
        let mut shape = [0; R];
        for (to, from) in shape.iter_mut().zip(sizes) {
            *to = usize::try_from(from).unwrap_or(0);
        }
        Ok(Array { handle, data: data.cast(), shape })
    }

    /// Its sizes.
    pub fn shape(&self) -> [usize; R] {
        self.shape
    }

    /// Its elements, in row-major order.
    pub fn as_slice(&self) -> &[T] {
        let count = self.shape.iter().product();
        if count == 0 {
            return &[];
        }
        // SAFETY: the program has written so many elements of this type there, and they live as long as the handle.
        unsafe { std::slice::from_raw_parts(self.data, count) }
    }

    /// A copy of its elements.
    pub fn to_vec(&self) -> Vec<T> {
        self.as_slice().to_vec()
    }

    /// A view for `ndarray`.
    #[cfg(feature = "ndarray")]
    pub fn view(&self) -> ndarray::ArrayViewD<'_, T> {
        let shape = ndarray::IxDyn(&self.shape);
        // The number of elements is the product of the sizes.
        ndarray::ArrayViewD::from_shape(shape, self.as_slice())
            .unwrap_or_else(|_| unreachable!("as many elements as the sizes say"))
    }
}

impl<T: Elem + std::fmt::Debug, const R: usize> std::fmt::Debug for Array<T, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Array")
            .field("shape", &self.shape)
            .field("elements", &self.as_slice())
            .finish()
    }
}
