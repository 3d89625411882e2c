//! Elements as bytes and back, in either byte order, at the speed of memory.

use crate::array::{Data, Elem, with_data, with_prim};
use fehu_base::Prim;
use half::f16;
use std::io::{self, Write};

/// The order of the bytes of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Little,
    Big,
}

/// The number of bytes of an element.
pub(crate) fn size(elem: Prim) -> usize {
    elem.bits() as usize / 8
}

/// The elements in some bytes, whose number is a multiple of the element's size. A bool that is neither 0
/// nor 1 is an error: its position.
pub(crate) fn decode(elem: Prim, bytes: &[u8], order: Order) -> Result<Data, usize> {
    if elem == Prim::Bool
        && let Some(position) = bytes.iter().position(|&byte| byte > 1)
    {
        return Err(position);
    }
    Ok(with_prim!(elem, T => T::data(<T as Bytes>::decode(bytes, order))))
}

/// Writes elements in little-endian order.
pub(crate) fn encode(out: &mut dyn Write, data: &Data) -> io::Result<()> {
    fn all<T: Bytes>(out: &mut dyn Write, elements: &[T]) -> io::Result<()> {
        const CHUNK: usize = 1 << 14;
        let mut buffer = vec![0; elements.len().min(CHUNK) * size(T::PRIM)];
        for chunk in elements.chunks(CHUNK) {
            let bytes = &mut buffer[..chunk.len() * size(T::PRIM)];
            T::encode(chunk, bytes);
            out.write_all(bytes)?;
        }
        Ok(())
    }
    with_data!(data, elements => all(out, elements))
}

/// What the functions above need of an element type.
trait Bytes: Elem {
    fn decode(bytes: &[u8], order: Order) -> Vec<Self>;
    fn encode(elements: &[Self], bytes: &mut [u8]);
}

macro_rules! number {
    ($($rust:ty),*) => {$(
        impl Bytes for $rust {
            fn decode(bytes: &[u8], order: Order) -> Vec<Self> {
                let (chunks, _) = bytes.as_chunks();
                match order {
                    Order::Little => chunks.iter().map(|&b| <$rust>::from_le_bytes(b)).collect(),
                    Order::Big => chunks.iter().map(|&b| <$rust>::from_be_bytes(b)).collect(),
                }
            }
            fn encode(elements: &[Self], bytes: &mut [u8]) {
                let (chunks, _) = bytes.as_chunks_mut();
                for (chunk, element) in chunks.iter_mut().zip(elements) {
                    *chunk = element.to_le_bytes();
                }
            }
        }
    )*};
}

number!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl Bytes for f16 {
    fn decode(bytes: &[u8], order: Order) -> Vec<Self> {
        let (chunks, _) = bytes.as_chunks();
        let bits = |&b: &[u8; 2]| match order {
            Order::Little => f16::from_bits(u16::from_le_bytes(b)),
            Order::Big => f16::from_bits(u16::from_be_bytes(b)),
        };
        chunks.iter().map(bits).collect()
    }
    fn encode(elements: &[Self], bytes: &mut [u8]) {
        let (chunks, _) = bytes.as_chunks_mut();
        for (chunk, element) in chunks.iter_mut().zip(elements) {
            *chunk = element.to_bits().to_le_bytes();
        }
    }
}

impl Bytes for bool {
    fn decode(bytes: &[u8], _: Order) -> Vec<Self> {
        bytes.iter().map(|&byte| byte != 0).collect()
    }
    fn encode(elements: &[Self], bytes: &mut [u8]) {
        for (byte, &element) in bytes.iter_mut().zip(elements) {
            *byte = u8::from(element);
        }
    }
}
