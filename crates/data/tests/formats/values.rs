//! Random values with all the corners: special floats, empty arrays, many dimensions.

use fehu_base::Prim;
use fehu_data::generate::Rng;
use fehu_data::{Array, Data, Scalar, Value};

/// A random value of any type and shape.
pub(crate) fn value(rng: &mut Rng) -> Value {
    let elem = Prim::ALL[rng.up_to(11) as usize];
    let rank = rng.up_to(4) as usize;
    if rank == 0 {
        return Value::Scalar(scalar(rng, elem));
    }
    let shape: Vec<usize> = (0..rank).map(|_| rng.up_to(4) as usize).collect();
    let count = shape.iter().product();
    let data = Data::from_scalars(elem, (0..count).map(|_| scalar(rng, elem)));
    Value::Array(Array::new(shape, data.expect("all of one type")).expect("the right number"))
}

/// A random scalar: half of the time all bits are random, otherwise it is special or short.
pub(crate) fn scalar(rng: &mut Rng, elem: Prim) -> Scalar {
    let bits = rng.next_u64();
    let bits = match rng.up_to(7) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << (elem.bits() - 1),
        3 => bits >> (64 - 1 - rng.up_to(62)),
        _ => bits,
    };
    let scalar = Scalar::from_bits(elem, bits);
    match (rng.up_to(7), elem) {
        (0, Prim::F32) => Scalar::F32(f32::NEG_INFINITY),
        (1, Prim::F32) => Scalar::F32((bits as i8).into()),
        (2, Prim::F32) => Scalar::F32((bits as i16) as f32 / 100.0),
        (0, Prim::F64) => Scalar::F64(f64::INFINITY),
        (1, Prim::F64) => Scalar::F64((bits as i8).into()),
        (2, Prim::F64) => Scalar::F64((bits as i16) as f64 / 100.0),
        _ => scalar,
    }
}

/// The value with one NaN for all: text does not keep their bits.
pub(crate) fn with_plain_nans(value: &Value) -> Value {
    let plain = |scalar: Scalar| match scalar {
        Scalar::F16(x) if x.to_f32().is_nan() => Scalar::F16(half::f16::NAN),
        Scalar::F32(x) if x.is_nan() => Scalar::F32(f32::NAN),
        Scalar::F64(x) if x.is_nan() => Scalar::F64(f64::NAN),
        other => other,
    };
    match value {
        Value::Scalar(scalar) => Value::Scalar(plain(*scalar)),
        Value::Array(array) => {
            let scalars = (0..array.len()).filter_map(|i| array.get_flat(i)).map(plain);
            let data = Data::from_scalars(array.elem(), scalars).expect("all of one type");
            Value::Array(Array::new(array.shape().to_vec(), data).expect("the right number"))
        }
    }
}
