//! Arrays as columns of numbers.

use fehu_data::{Array, Scalar, Value};

/// The numbers of an array of one dimension. Truth values are 0 and 1.
pub fn column(value: &Value) -> Result<Vec<f64>, String> {
    match value.as_array() {
        Some(array) if array.rank() == 1 => Ok(numbers(array)),
        Some(_) | None => {
            Err(format!("a column is an array of one dimension, not {}", value.value_type()))
        }
    }
}

/// The numbers of an array, row by row.
pub fn numbers(array: &Array) -> Vec<f64> {
    let number = |index| array.get_flat(index).map_or(f64::NAN, number);
    (0..array.len()).map(number).collect()
}

/// A scalar as a number.
pub fn number(scalar: Scalar) -> f64 {
    match (scalar.as_float(), scalar.as_integer(), scalar) {
        (Some(float), _, _) => float,
        (None, Some(integer), _) => integer as f64,
        (None, None, Scalar::Bool(truth)) => f64::from(u8::from(truth)),
        (None, None, _) => f64::NAN,
    }
}
