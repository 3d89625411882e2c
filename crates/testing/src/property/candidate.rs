//! Random values for properties, and simpler ones like them.

use fehu_base::Prim;
use fehu_data::generate::{Bounds, Generator, Rng};
use fehu_data::{Array, Data, Scalar, SizedType, Value};
use fehu_ir::{Atom, Elem, External, Type, Var};

/// A value of a property's parameter, as the values that it consists of.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    types: Vec<Type>,
    /// The sizes that several arrays may share.
    sizes: Vec<(Var, usize)>,
    values: Vec<Value>,
}

/// Elements are only made simpler one by one in arrays of at most this size.
const FEW: usize = 64;

impl Candidate {
    /// A random candidate with sizes up to a bound, and perhaps only small numbers.
    pub(super) fn random(
        ty: &External,
        rng: &mut Rng,
        size: i64,
        small: bool,
    ) -> Result<Candidate, String> {
        let types = match ty {
            External::Transparent(ty, _) => std::slice::from_ref(ty),
            External::Opaque(opaque, _) => &opaque.parts,
        };
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
        let mut candidate =
            Candidate { types: types.to_vec(), sizes: Vec::new(), values: Vec::new() };
        for ty in types {
            let Some(Elem::Prim(elem)) = ty.elem() else { continue };
            let most = most(size as u64, ty.rank());
            let mut shape = Vec::new();
            for atom in ty.shape() {
                let size = candidate.size(atom).unwrap_or_else(|| rng.up_to(most) as usize);
                if let Atom::Var(var) = atom {
                    candidate.set_size(*var, size);
                }
                shape.push(size);
            }
            let value = generator.random(&SizedType { elem, shape });
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

    fn size(&self, atom: &Atom) -> Option<usize> {
        match atom {
            Atom::Const(fehu_ir::Scalar::I64(size)) => usize::try_from(*size).ok(),
            Atom::Const(_) => None,
            Atom::Var(var) => {
                self.sizes.iter().find(|(other, _)| other == var).map(|(_, size)| *size)
            }
        }
    }

    fn set_size(&mut self, var: Var, size: usize) {
        match self.sizes.iter_mut().find(|(other, _)| *other == var) {
            Some((_, old)) => *old = size,
            None => self.sizes.push((var, size)),
        }
    }

    /// The same with only some of the elements in all dimensions that have this size.
    fn cut(&self, var: Var, from: usize, size: usize) -> Option<Candidate> {
        let mut candidate = self.clone();
        candidate.set_size(var, size);
        // Units have no values.
        let types = self.types.iter().filter(|ty| matches!(ty.elem(), Some(Elem::Prim(_))));
        for (value, ty) in candidate.values.iter_mut().zip(types) {
            for (dim, atom) in ty.shape().iter().enumerate() {
                if let (Atom::Var(other), Value::Array(array)) = (atom, &*value)
                    && *other == var
                {
                    *value = Value::Array(cut(array, dim, from, size)?);
                }
            }
        }
        Some(candidate)
    }
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
