//! Random values for properties, and simpler ones like them.

use super::sizes::{self, Part};
use fehu_base::Prim;
use fehu_check::ty::{Size, VarId};
use fehu_data::generate::{Bounds, Generator, Rng};
use fehu_data::{Array, Data, Scalar, SizedType, Value};

/// A value of a property's parameter, as the values that it consists of.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    parts: Vec<Part>,
    /// The sizes that have names, which several arrays may share.
    sizes: Vec<(VarId, usize)>,
    values: Vec<Value>,
}

/// Elements are only made simpler one by one in arrays of at most this size.
const FEW: usize = 64;
/// How often sizes are chosen until all that depend on them are sizes, too: `n - 1` is none if `n` is 0.
const CHOICES: usize = 100;

impl Candidate {
    /// A random candidate with sizes up to a bound, and perhaps only small numbers.
    pub(super) fn random(
        parts: &[Part],
        rng: &mut Rng,
        size: i64,
        small: bool,
    ) -> Result<Candidate, String> {
        let mut generator = Generator::new(rng.next_u64());
        if small {
            for prim in Prim::ALL {
                // What does not fit the type keeps the usual bounds.
                let low = if prim.is_unsigned() { 0 } else { -10 };
                if let Ok(bounds) = Bounds::parse(prim, &format!("{low}:10")) {
                    generator.set_bounds(bounds);
                }
            }
        }
        let (sizes, shapes) = (0..CHOICES).find_map(|_| chosen(parts, rng, size)).ok_or(
            "the sizes of the parameter depend on each other in a way that is not understood; name an entry point \
             that makes values: `#[prop(gen(f))]`",
        )?;
        let mut candidate = Candidate { parts: parts.to_vec(), sizes, values: Vec::new() };
        for (part, shape) in parts.iter().zip(shapes) {
            let value = generator.random(&SizedType { elem: part.elem, shape });
            candidate.values.push(value.map_err(|error| error.message)?);
        }
        Ok(candidate)
    }

    /// The values that make up the argument for the property.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Candidates that are simpler, the simplest first.
    pub(super) fn simpler(&self) -> Vec<Candidate> {
        let mut all = Vec::new();
        for &(var, size) in &self.sizes {
            let shorter = [
                (0, 0),
                (0, size / 2),
                (size - size / 2, size / 2),
                (0, size.max(1) - 1),
                (1, size.max(1) - 1),
            ];
            let shorter = shorter.into_iter().filter(|&(_, new)| new < size);
            all.extend(shorter.filter_map(|(from, new)| self.cut(var, from, new)));
        }
        for (i, value) in self.values.iter().enumerate() {
            let mut put = |value: Value| {
                let mut candidate = self.clone();
                candidate.values[i] = value;
                all.push(candidate);
            };
            match value {
                Value::Scalar(scalar) => {
                    simpler_scalars(*scalar).into_iter().for_each(|new| put(Value::Scalar(new)));
                }
                Value::Array(array) => simpler_arrays(array).into_iter().for_each(&mut put),
            }
        }
        all
    }

    /// The same with another size of this name: where it is the size of a dimension, only the elements from some
    /// position on are kept. Nothing if other sizes would grow, or be none any more.
    fn cut(&self, var: VarId, from: usize, size: usize) -> Option<Candidate> {
        let mut candidate = self.clone();
        for (name, old) in &mut candidate.sizes {
            if *name == var {
                *old = size;
            }
        }
        for (value, part) in candidate.values.iter_mut().zip(&self.parts) {
            for (dim, of) in part.shape.iter().enumerate() {
                let Value::Array(array) = &*value else { continue };
                let old = *array.shape().get(dim)?;
                let new = usize::try_from(sizes::value(of, &candidate.sizes)?).ok()?;
                let from = if *of == Size::Var(var) { from } else { 0 };
                if new > old {
                    return None;
                }
                if new < old {
                    *value = Value::Array(cut(array, dim, from, new)?);
                }
            }
        }
        Some(candidate)
    }
}

/// Sizes for all names, and the shapes of the parts with them; nothing if a shape is none.
type Chosen = (Vec<(VarId, usize)>, Vec<Vec<usize>>);

fn chosen(parts: &[Part], rng: &mut Rng, size: i64) -> Option<Chosen> {
    let mut names: Vec<(VarId, usize)> = Vec::new();
    for part in parts {
        let most = most(size as u64, part.shape.len());
        for dim in &part.shape {
            if let Size::Var(var) = dim
                && names.iter().all(|(name, _)| name != var)
            {
                names.push((*var, rng.up_to(most) as usize));
            }
        }
    }
    let dim = |dim: &Size| usize::try_from(sizes::value(dim, &names)?).ok();
    let shapes = parts.iter().map(|part| part.shape.iter().map(dim).collect());
    let shapes = shapes.collect::<Option<Vec<Vec<usize>>>>()?;
    Some((names, shapes))
}

/// The largest size of each dimension, so that arrays of many dimensions are not much larger than others.
fn most(size: u64, rank: usize) -> u64 {
    let elements = size.saturating_mul(size);
    let fits = |n: u64| n.checked_pow(rank as u32).is_some_and(|count| count <= elements);
    (0..=size).rev().find(|&n| n <= 1 || fits(n)).unwrap_or(0)
}

/// Some of the elements of one dimension.
fn cut(array: &Array, dim: usize, from: usize, size: usize) -> Option<Array> {
    let kept = (0..array.len()).filter(|&position| {
        let index = array.index_of(position);
        index.get(dim).is_some_and(|&i| (from..from + size).contains(&i))
    });
    let data = Data::from_scalars(array.elem(), kept.filter_map(|i| array.get_flat(i)))?;
    let mut shape = array.shape().to_vec();
    *shape.get_mut(dim)? = size;
    Array::new(shape, data).ok()
}

/// Arrays in which all elements, or one, are simpler.
fn simpler_arrays(array: &Array) -> Vec<Value> {
    let elements: Vec<Scalar> = (0..array.len()).filter_map(|i| array.get_flat(i)).collect();
    let zero = Scalar::from_bits(array.elem(), 0);
    let put = |elements: Vec<Scalar>| {
        let data = Data::from_scalars(array.elem(), elements)?;
        Array::new(array.shape().to_vec(), data).ok().map(Value::Array)
    };
    let mut all = Vec::new();
    if elements.iter().any(|element| !element.identical(zero)) {
        all.extend(put(vec![zero; elements.len()]));
    }
    if elements.len() <= FEW {
        for (i, &element) in elements.iter().enumerate() {
            for new in simpler_scalars(element) {
                let mut elements = elements.clone();
                elements[i] = new;
                all.extend(put(elements));
            }
        }
    }
    all
}

/// Numbers nearer to zero: zero itself, half of it, the next one.
fn simpler_scalars(scalar: Scalar) -> Vec<Scalar> {
    let prim = scalar.prim();
    let zero = Scalar::from_bits(prim, 0);
    let mut all = vec![zero];
    if let Some(integer) = scalar.as_integer() {
        let nearer = [integer / 2, integer - integer.signum()];
        // The low bits of a number of this type are the number.
        all.extend(nearer.map(|nearer| Scalar::from_bits(prim, nearer as u64)));
    } else if let Some(float) = scalar.as_float().filter(|float| float.is_finite()) {
        let nearer = [(float / 2.0).trunc(), float.trunc()].map(|nearer| nearer + 0.0);
        let text = |nearer: f64| format!("{nearer:?}{prim}");
        let read = |nearer: f64| fehu_data::reader::read_all(text(nearer).as_bytes()).ok()?.pop();
        all.extend(nearer.into_iter().filter_map(|nearer| read(nearer)?.as_scalar()));
    }
    all.retain(|simpler| !simpler.identical(scalar));
    all.dedup_by(|a, b| a.identical(*b));
    all
}
