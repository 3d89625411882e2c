//! Whether a program's results are those that were expected.
//!
//! The number of values, their element types and their shapes have to agree. Integers and bools are compared
//! exactly. A NaN equals any NaN, and an infinity that of the same sign. Other floats may differ by an absolute
//! tolerance, which is computed once for each value: 0.002 times the largest finite expected element, or
//! 0.002 if that element is below 1.

use crate::array::{Array, Elem, with_data};
use crate::error::count;
use crate::value::{Scalar, SizedType, Value};
use half::f16;
use std::fmt;

/// How to compare.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Options {
    /// The tolerance for floats, relative to the largest expected element.
    pub tolerance: f64,
    /// The most differences to remember; further ones are only counted.
    pub limit: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { tolerance: 0.002, limit: 100 }
    }
}

/// One thing that is not as expected. Values are counted from 0.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// There are more values, or fewer.
    Count {
        /// How many values were expected.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// A value has other sizes, or another number of dimensions.
    Shape {
        /// Which value.
        value: usize,
        /// The type that was expected.
        expected: SizedType,
        /// The type of the value.
        got: SizedType,
    },
    /// A value has another element type.
    Type {
        /// Which value.
        value: usize,
        /// The type that was expected.
        expected: SizedType,
        /// The type of the value.
        got: SizedType,
    },
    /// An element is not the expected one.
    Element {
        /// Which value.
        value: usize,
        /// Where in the array; empty for scalars.
        index: Vec<usize>,
        /// What was expected.
        expected: Scalar,
        /// What is there.
        got: Scalar,
    },
}

/// The result of comparing values.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The first differences, in order.
    pub differences: Vec<Difference>,
    /// The number of all differences.
    pub total: usize,
    /// The number of elements that were compared.
    pub compared: usize,
    /// The largest difference between two finite floats that were compared, within tolerance or not.
    pub largest_error: f64,
}

/// Compares values with expected ones.
pub fn compare(expected: &[Value], got: &[Value], options: &Options) -> Comparison {
    let mut context = Context {
        options,
        value: 0,
        result: Comparison { differences: Vec::new(), total: 0, compared: 0, largest_error: 0.0 },
    };
    if expected.len() != got.len() {
        let difference = Difference::Count { expected: expected.len(), got: got.len() };
        context.add(|_| difference);
        return context.result;
    }
    for (value, (expected, got)) in expected.iter().zip(got).enumerate() {
        context.value = value;
        context.value(expected, got);
    }
    context.result
}

impl Comparison {
    /// Whether everything is as expected.
    pub fn is_equal(&self) -> bool {
        self.total == 0
    }

    /// One line: how many differences there are, and the first.
    pub fn summary(&self) -> String {
        let Some(first) = self.differences.first() else {
            return match self.total {
                0 => format!("equal: {} compared", count(self.compared, "element")),
                total => count(total, "difference"),
            };
        };
        match (self.total, first) {
            (1, _) | (_, Difference::Count { .. }) => first.to_string(),
            (total, _) => {
                let compared = count(self.compared, "element");
                format!("{total} differences among {compared}; the first: {first}")
            }
        }
    }
}

struct Context<'a> {
    options: &'a Options,
    value: usize,
    result: Comparison,
}

impl Context<'_> {
    /// Counts a difference, and remembers it if there are not too many. Takes the value's number.
    fn add(&mut self, difference: impl FnOnce(usize) -> Difference) {
        self.result.total += 1;
        if self.result.differences.len() < self.options.limit {
            self.result.differences.push(difference(self.value));
        }
    }

    fn value(&mut self, expected: &Value, got: &Value) {
        if expected.shape() != got.shape() {
            let (expected, got) = (expected.sized_type(), got.sized_type());
            self.add(|value| Difference::Shape { value, expected, got });
            return;
        }
        if expected.elem() != got.elem() {
            let (expected, got) = (expected.sized_type(), got.sized_type());
            self.add(|value| Difference::Type { value, expected, got });
            return;
        }
        self.result.compared += expected.len();
        // A scalar is compared like an array of one element, but without an index.
        match (expected, got) {
            (Value::Array(expected), Value::Array(got)) => {
                self.arrays(expected, got, |position| expected.index_of(position));
            }
            (Value::Scalar(expected), Value::Scalar(got)) => {
                let expected = single(*expected);
                self.arrays(&expected, &single(*got), |_| Vec::new());
            }
            // Different shapes, which have been compared.
            (Value::Array(_), Value::Scalar(_)) | (Value::Scalar(_), Value::Array(_)) => {}
        }
    }

    fn arrays(&mut self, expected: &Array, got: &Array, index: impl Fn(usize) -> Vec<usize>) {
        with_data!(expected.data(), elements => {
            if let Some(got) = got.elements() {
                self.elements(elements, got, index);
            }
        });
    }

    fn elements<T: Comparable>(
        &mut self,
        expected: &[T],
        got: &[T],
        index: impl Fn(usize) -> Vec<usize>,
    ) {
        let tolerance = T::tolerance(expected, self.options.tolerance);
        let mut largest = self.result.largest_error;
        for (position, (&expected, &got)) in expected.iter().zip(got).enumerate() {
            if expected == got {
                continue;
            }
            let error = T::error(expected, got);
            if error.is_finite() {
                largest = largest.max(error);
            }
            if error <= tolerance {
                continue;
            }
            let index = &index;
            self.add(|value| Difference::Element {
                value,
                index: index(position),
                expected: expected.scalar(),
                got: got.scalar(),
            });
        }
        self.result.largest_error = largest;
    }
}

/// An array of one element.
fn single(scalar: Scalar) -> Array {
    macro_rules! arms {
        ($($variant:ident)*) => {
            match scalar { $(Scalar::$variant(x) => Array::from_vec(vec![x]),)* }
        };
    }
    arms!(I8 I16 I32 I64 U8 U16 U32 U64 F16 F32 F64 Bool)
}

/// What the comparison needs of an element type.
trait Comparable: Elem {
    /// How far two elements may be apart.
    fn tolerance(_expected: &[Self], _relative: f64) -> f64 {
        0.0
    }
    /// How far two different elements are apart; infinitely far if no tolerance can help.
    fn error(_expected: Self, _got: Self) -> f64 {
        f64::INFINITY
    }
}

macro_rules! exact {
    ($($rust:ty)*) => { $(impl Comparable for $rust {})* };
}

exact!(i8 i16 i32 i64 u8 u16 u32 u64 bool);

macro_rules! approximate {
    ($($rust:ty, $to_f64:expr;)*) => {$(
        impl Comparable for $rust {
            fn tolerance(expected: &[Self], relative: f64) -> f64 {
                let finite = expected.iter().map(|&x| $to_f64(x)).filter(|x| x.is_finite());
                relative * finite.fold(1.0, f64::max)
            }
            fn error(expected: Self, got: Self) -> f64 {
                let (expected, got): (f64, f64) = ($to_f64(expected), $to_f64(got));
                if expected.is_nan() && got.is_nan() {
                    return 0.0;
                }
                let error = (expected - got).abs();
                if error.is_nan() || !expected.is_finite() || !got.is_finite() {
                    f64::INFINITY
                } else {
                    error
                }
            }
        }
    )*};
}

approximate! {
    f16, f16::to_f64;
    f32, f64::from;
    f64, std::convert::identity;
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Count { expected, got } => {
                write!(f, "expected {}, got {got}", count(*expected, "value"))
            }
            Difference::Shape { value, expected, got }
            | Difference::Type { value, expected, got } => {
                write!(f, "value #{value}: expected type {expected}, got {got}")
            }
            Difference::Element { value, index, expected, got } => {
                write!(f, "value #{value}")?;
                if !index.is_empty() {
                    let index: Vec<String> = index.iter().map(usize::to_string).collect();
                    write!(f, " index [{}]", index.join(","))?;
                }
                write!(f, ": expected {expected}, got {got}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::read_all;

    fn check(expected: &str, got: &str, differences: &[&str]) {
        let (expected, got) = (read_all(expected.as_bytes()), read_all(got.as_bytes()));
        let result = compare(&expected.unwrap(), &got.unwrap(), &Options::default());
        let shown: Vec<String> = result.differences.iter().map(Difference::to_string).collect();
        assert_eq!(shown, differences);
        assert_eq!(result.is_equal(), differences.is_empty());
    }

    #[test]
    fn structure() {
        check("1 2", "1", &["expected 2 values, got 1"]);
        check("[1,2,3]", "[1,2]", &["value #0: expected type [3]i32, got [2]i32"]);
        check("1 1", "1 1i8", &["value #1: expected type i32, got i8"]);
        check(
            "empty([0][3]i32)",
            "empty([0][2]i32)",
            &["value #0: expected type [0][3]i32, got [0][2]i32"],
        );
    }

    #[test]
    fn exact_types() {
        check(
            "[[1,2],[3,4]] true",
            "[[1,2],[3,5]] false",
            &[
                "value #0 index [1,1]: expected 4i32, got 5i32",
                "value #1: expected true, got false",
            ],
        );
        check(
            "9223372036854775807i64",
            "9223372036854775806i64",
            &["value #0: expected 9223372036854775807i64, got 9223372036854775806i64"],
        );
    }

    #[test]
    fn floats() {
        check("1.002", "1.0", &[]);
        check("1.0021", "1.0", &["value #0: expected 1.0021f64, got 1.0f64"]);
        check("[1000.0, 2.0]", "[1000.0, 3.9]", &[]);
        check(
            "[f64.inf, 2.0]",
            "[f64.inf, 2.1]",
            &["value #0 index [1]: expected 2.0f64, got 2.1f64"],
        );
        // Only large positive elements widen the tolerance.
        check("-1000.0", "-1000.5", &["value #0: expected -1000.0f64, got -1000.5f64"]);
        check("[f32.nan, f32.inf, -f32.inf]", "[f32.nan, f32.inf, -f32.inf]", &[]);
        check("f32.inf", "-f32.inf", &["value #0: expected f32.inf, got -f32.inf"]);
        check("f32.nan", "1f32", &["value #0: expected f32.nan, got 1.0f32"]);
        check("1f16", "f16.inf", &["value #0: expected 1.0f16, got f16.inf"]);
        check("0.0", "-0.0", &[]);
    }

    #[test]
    fn differences_are_counted_beyond_the_limit() {
        let expected = [Value::from(Array::from_vec(vec![0_i32; 1000]))];
        let got = [Value::from(Array::from_vec(vec![1_i32; 1000]))];
        let result = compare(&expected, &got, &Options { limit: 3, ..Options::default() });
        assert_eq!((result.differences.len(), result.total), (3, 1000));
        let summary = "1000 differences among 1000 elements; the first: value #0 index [0]: expected 0i32, got 1i32";
        assert_eq!(result.summary(), summary);
        let equal = compare(&got, &got, &Options::default());
        assert_eq!(equal.summary(), "equal: 1000 elements compared");
    }
}
