//! Random values, determined by a seed.
//!
//! A [`Generator`] makes values one after the other from one stream of random numbers. An element takes from
//! the stream what it needs, in row-major order:
//!
//! - an integer, or a bool: a number from the lower to the upper bound, all equally likely ([`Rng::up_to`]);
//! - a float: `low * (1 - u) + high * u`, where `u` is [`Rng::unit`], computed in f64, rounded to the type and
//!   kept between the bounds.
//!
//! Bounds are inclusive. Without bounds integers have all values of their type, floats go from 0 to 1, and
//! bools are either. The same seed, bounds and types give the same values in all versions, on all machines.

mod rng;
mod spec;

#[cfg(test)]
mod tests;

pub use rng::Rng;
pub use spec::Spec;

use crate::array::{Array, Data, Elem, element_count, with_prim};
use crate::float16;
use crate::text::{parse_float, parse_integer};
use crate::value::{Scalar, SizedType, Value};
use fehu_base::Prim;
use std::fmt;

/// Makes random values.
#[derive(Clone, Debug)]
pub struct Generator {
    rng: Rng,
    bounds: Vec<Bounds>,
}

/// Bounds, both inclusive, for the elements of one type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    low: Scalar,
    high: Scalar,
}

/// Why no value or no bounds could be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GenerateError {
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GenerateError {}

impl Generator {
    /// A generator with this seed and the usual bounds.
    pub fn new(seed: u64) -> Generator {
        Generator { rng: Rng::new(seed), bounds: Prim::ALL.map(Bounds::usual).to_vec() }
    }

    /// Sets the bounds of their type, for values generated from now on.
    pub fn set_bounds(&mut self, bounds: Bounds) {
        for other in &mut self.bounds {
            if other.prim() == bounds.prim() {
                *other = bounds;
            }
        }
    }

    /// The value that is asked for. Literal values take nothing from the stream of random numbers.
    pub fn value(&mut self, spec: &Spec) -> Result<Value, GenerateError> {
        match spec {
            Spec::Random(ty) => self.random(ty),
            Spec::Literal(value) => Ok(value.clone()),
        }
    }

    /// A random value of this type.
    pub fn random(&mut self, ty: &SizedType) -> Result<Value, GenerateError> {
        let bounds = self.bounds_of(ty.elem);
        if ty.shape.is_empty() {
            return Ok(Value::Scalar(bounds.pick(&mut self.rng)));
        }
        let data = element_count(&ty.shape).and_then(
            |count| with_prim!(ty.elem, T => elements::<T>(&mut self.rng, bounds, count)),
        );
        data.and_then(|data| Array::new(ty.shape.clone(), data).ok()).map(Value::Array).ok_or_else(
            || GenerateError { message: format!("there is not enough memory for {ty}") },
        )
    }

    fn bounds_of(&self, prim: Prim) -> Bounds {
        let found = self.bounds.iter().find(|bounds| bounds.prim() == prim);
        found.copied().unwrap_or_else(|| Bounds::usual(prim))
    }
}

/// Random elements; `None` if they do not fit into memory.
fn elements<T: Elem>(rng: &mut Rng, bounds: Bounds, count: usize) -> Option<Data> {
    let mut elements: Vec<T> = Vec::new();
    elements.try_reserve_exact(count).ok()?;
    for _ in 0..count {
        elements.push(T::from_scalar(bounds.pick(rng))?);
    }
    Some(T::data(elements))
}

impl Bounds {
    /// Bounds of the same type, finite and in order.
    pub fn new(low: Scalar, high: Scalar) -> Result<Bounds, GenerateError> {
        let problem = |message| Err(GenerateError { message });
        if low.prim() != high.prim() {
            return problem(format!("the bounds {low} and {high} have different types"));
        }
        let finite = |bound: Scalar| bound.as_float().is_none_or(f64::is_finite);
        if !finite(low) || !finite(high) {
            return problem(format!("the bounds {low} and {high} are not both finite"));
        }
        let ordered = match (low, high) {
            (Scalar::Bool(low), Scalar::Bool(high)) => low <= high,
            _ => low.as_integer() <= high.as_integer() && low.as_float() <= high.as_float(),
        };
        if !ordered {
            return problem(format!("the lower bound {low} is above the upper bound {high}"));
        }
        Ok(Bounds { low, high })
    }

    /// Reads `0:10`, as given to `--i32-bounds`. The numbers have no suffixes.
    pub fn parse(prim: Prim, text: &str) -> Result<Bounds, GenerateError> {
        let bound = |text: &str| match prim {
            Prim::Bool => text.parse().ok().map(Scalar::Bool),
            _ if prim.is_float() => parse_float(text, prim),
            // Bit patterns such as -1 for the largest unsigned number are no bounds.
            _ if prim.is_unsigned() && text.starts_with('-') => None,
            _ => parse_integer(text, prim),
        };
        let parts = text.split_once(':');
        let Some((low, high)) = parts.and_then(|(low, high)| Some((bound(low)?, bound(high)?)))
        else {
            let example = match prim {
                Prim::Bool => "false:true",
                _ if prim.is_float() => "-0.5:2",
                _ => "0:10",
            };
            let message = format!(
                "`{text}` are not bounds for {prim}; write two numbers of this type, such as `{example}`"
            );
            return Err(GenerateError { message });
        };
        Bounds::new(low, high)
    }

    /// The type that is bounded.
    pub fn prim(&self) -> Prim {
        self.low.prim()
    }

    /// The bounds where none are given.
    fn usual(prim: Prim) -> Bounds {
        let (low, high) = match prim {
            Prim::I8 => (Scalar::I8(i8::MIN), Scalar::I8(i8::MAX)),
            Prim::I16 => (Scalar::I16(i16::MIN), Scalar::I16(i16::MAX)),
            Prim::I32 => (Scalar::I32(i32::MIN), Scalar::I32(i32::MAX)),
            Prim::I64 => (Scalar::I64(i64::MIN), Scalar::I64(i64::MAX)),
            Prim::U8 => (Scalar::U8(0), Scalar::U8(u8::MAX)),
            Prim::U16 => (Scalar::U16(0), Scalar::U16(u16::MAX)),
            Prim::U32 => (Scalar::U32(0), Scalar::U32(u32::MAX)),
            Prim::U64 => (Scalar::U64(0), Scalar::U64(u64::MAX)),
            Prim::F16 => (Scalar::F16(float16::from_f64(0.0)), Scalar::F16(float16::from_f64(1.0))),
            Prim::F32 => (Scalar::F32(0.0), Scalar::F32(1.0)),
            Prim::F64 => (Scalar::F64(0.0), Scalar::F64(1.0)),
            Prim::Bool => (Scalar::Bool(false), Scalar::Bool(true)),
        };
        Bounds { low, high }
    }

    /// A random scalar between the bounds.
    #[inline]
    fn pick(&self, rng: &mut Rng) -> Scalar {
        let prim = self.prim();
        if let (Some(low), Some(high)) = (self.low.as_float(), self.high.as_float()) {
            let u = rng.unit();
            // Written so that it cannot overflow, even between the two largest numbers.
            let x = (low * (1.0 - u) + high * u).clamp(low, high);
            return match prim {
                Prim::F16 => Scalar::F16(float16::from_f64(x)),
                Prim::F32 => Scalar::F32(x as f32),
                _ => Scalar::F64(x),
            };
        }
        // The difference of two's complement bits is the number of steps between them.
        let (low, high) = (self.low.to_bits(), self.high.to_bits());
        let mask = u64::MAX >> (64 - prim.bits());
        let steps = high.wrapping_sub(low) & mask;
        Scalar::from_bits(prim, low.wrapping_add(rng.up_to(steps)))
    }
}
