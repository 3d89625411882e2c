//! Scalars, strictly: a number of another type of NumPy is an error, because somebody has decided on that type; numbers
//! of Python itself have none, and are accepted if the type has them.

use crate::errors::Mismatch;
use fehu::tables::CPrim;
use half::f16;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt};
use std::ffi::CStr;

/// A primitive type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prim {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    Bool,
}

use Prim::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

const ALL: [Prim; 12] = [I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, Bool];

/// Room for any scalar, or for a pointer.
pub(crate) type Slot = [u8; 8];

impl Prim {
    pub(crate) fn of(prim: &CPrim) -> Prim {
        let name = prim.name();
        ALL.into_iter().find(|prim| prim.name() == name).unwrap_or(Bool)
    }

    pub(crate) fn name(self) -> &'static str {
        ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"]
            [self as usize]
    }

    /// What NumPy calls it.
    pub(crate) fn numpy_name(self) -> &'static str {
        [
            "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
            "float32", "float64", "bool",
        ][self as usize]
    }

    pub(crate) fn size(self) -> usize {
        [1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 1][self as usize]
    }

    /// Its format in the buffer protocol.
    pub(crate) fn format(self) -> &'static CStr {
        [c"b", c"h", c"i", c"q", c"B", c"H", c"I", c"Q", c"e", c"f", c"d", c"?"][self as usize]
    }

    /// The type of a format of the buffer protocol, for elements of so many bytes; none if it is another one.
    pub(crate) fn of_format(format: &[u8], size: usize) -> Option<Prim> {
        let little = cfg!(target_endian = "little");
        let letter = match format {
            [letter] | [b'@' | b'=', letter] => *letter,
            [b'<', letter] if little || size == 1 => *letter,
            [b'>' | b'!', letter] if !little || size == 1 => *letter,
            _ => return None,
        };
        let prim = match (letter, size) {
            (b'b' | b'h' | b'i' | b'l' | b'q' | b'n', 1) => I8,
            (b'b' | b'h' | b'i' | b'l' | b'q' | b'n', 2) => I16,
            (b'b' | b'h' | b'i' | b'l' | b'q' | b'n', 4) => I32,
            (b'b' | b'h' | b'i' | b'l' | b'q' | b'n', 8) => I64,
            (b'B' | b'H' | b'I' | b'L' | b'Q' | b'N', 1) => U8,
            (b'B' | b'H' | b'I' | b'L' | b'Q' | b'N', 2) => U16,
            (b'B' | b'H' | b'I' | b'L' | b'Q' | b'N', 4) => U32,
            (b'B' | b'H' | b'I' | b'L' | b'Q' | b'N', 8) => U64,
            (b'e', 2) => F16,
            (b'f', 4) => F32,
            (b'd', 8) => F64,
            (b'?', 1) => Bool,
            _ => return None,
        };
        Some(prim)
    }

    /// Its code and bits in DLPack.
    pub(crate) fn dlpack(self) -> (u8, u8) {
        let code = match self {
            I8 | I16 | I32 | I64 => 0,
            U8 | U16 | U32 | U64 => 1,
            F16 | F32 | F64 => 2,
            Bool => 6,
        };
        (code, u8::try_from(self.size() * 8).unwrap_or(64))
    }

    /// The type of a code of DLPack.
    pub(crate) fn of_dlpack(code: u8, bits: u8) -> Option<Prim> {
        ALL.into_iter().find(|prim| prim.dlpack() == (code, bits))
    }

    /// The type of NumPy.
    pub(crate) fn numpy(self, py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
        static TYPES: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
        let types = TYPES.get_or_try_init(py, || {
            let numpy = py.import("numpy")?;
            let get = |prim: &Prim| numpy.getattr(prim.scalar_name()).map(Bound::unbind);
            ALL.iter().map(get).collect::<PyResult<Vec<_>>>()
        })?;
        Ok(types[self as usize].bind(py))
    }

    fn scalar_name(self) -> &'static str {
        if self == Bool { "bool_" } else { self.numpy_name() }
    }
}

/// A scalar of Python as one of a type.
pub(crate) fn read(object: &Bound<'_, PyAny>, prim: Prim) -> Result<Slot, Mismatch> {
    let py = object.py();
    if prim == Bool {
        if let Ok(value) = object.cast_exact::<PyBool>() {
            return Ok(slot(&[u8::from(value.is_true())]));
        }
    } else if object.is_exact_instance_of::<PyInt>() {
        return number(object, prim);
    } else if matches!(prim, F16 | F32 | F64) && object.is_exact_instance_of::<PyFloat>() {
        return float(object, prim);
    }
    if object.get_type().is(prim.numpy(py)?) {
        let item = object.call_method0("item")?;
        return match prim {
            Bool => Ok(slot(&[u8::from(item.is_truthy()?)])),
            F16 | F32 | F64 => float(&item, prim),
            I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => number(&item, prim),
        };
    }
    let shape = object.getattr("shape").and_then(|shape| shape.len());
    let named = |object: &Bound<'_, PyAny>| {
        object.getattr("dtype").is_ok_and(|dtype| {
            dtype.str().is_ok_and(|text| text.to_string_lossy().ends_with(prim.numpy_name()))
        })
    };
    if shape.is_ok_and(|rank| rank == 0) && named(object) {
        // An array without dimensions, of whatever library.
        let item = object.call_method0("item")?;
        if !object.get_type().is(item.get_type()) {
            return read(&item, prim);
        }
    }
    Err(Mismatch::Wrong(format!(
        "expected {}, got {}{}",
        described(prim),
        given(object),
        fix(object, prim)
    )))
}

/// An integer of Python.
fn number(object: &Bound<'_, PyAny>, prim: Prim) -> Result<Slot, Mismatch> {
    if matches!(prim, F16 | F32 | F64) {
        return float(object, prim);
    }
    let range = || {
        let text = object.str().map_or("?".to_owned(), |text| text.to_string_lossy().into_owned());
        Mismatch::Range(format!("{} does not have the number {}", prim.name(), short(&text)))
    };
    if prim == U64 {
        return object.extract::<u64>().map(|n| slot(&n.to_ne_bytes())).map_err(|_| range());
    }
    let n: i64 = object.extract().map_err(|_| range())?;
    let bytes = match prim {
        I8 => i8::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        I16 => i16::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        I32 => i32::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        U8 => u8::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        U16 => u16::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        U32 => u32::try_from(n).map(|n| slot(&n.to_ne_bytes())),
        I64 | U64 | F16 | F32 | F64 | Bool => Ok(slot(&n.to_ne_bytes())),
    };
    bytes.map_err(|_| range())
}

#[expect(clippy::cast_possible_truncation, reason = "that is what a smaller float is")]
fn float(object: &Bound<'_, PyAny>, prim: Prim) -> Result<Slot, Mismatch> {
    let x: f64 = object.extract()?;
    Ok(match prim {
        F16 => slot(&f16::from_f64(x).to_ne_bytes()),
        F32 => slot(&(x as f32).to_ne_bytes()),
        _ => slot(&x.to_ne_bytes()),
    })
}

/// A scalar as Python sees it: numbers have the type of NumPy, so that they are accepted as arguments again.
pub(crate) fn write(py: Python<'_>, prim: Prim, slot: Slot) -> PyResult<Py<PyAny>> {
    let value = match prim {
        I8 => i8::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        I16 => i16::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        I32 => i32::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        I64 => i64::from_ne_bytes(slot).into_pyobject(py)?.into_any(),
        U8 => u8::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        U16 => u16::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        U32 => u32::from_ne_bytes(first(slot)).into_pyobject(py)?.into_any(),
        U64 => u64::from_ne_bytes(slot).into_pyobject(py)?.into_any(),
        F16 => f16::from_ne_bytes(first(slot)).to_f64().into_pyobject(py)?.into_any(),
        F32 => f64::from(f32::from_ne_bytes(first(slot))).into_pyobject(py)?.into_any(),
        F64 => f64::from_ne_bytes(slot).into_pyobject(py)?.into_any(),
        Bool => return Ok(PyBool::new(py, slot[0] != 0).to_owned().into_any().unbind()),
    };
    Ok(prim.numpy(py)?.call1((value,))?.unbind())
}

fn first<const N: usize>(slot: Slot) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&slot[..N]);
    bytes
}

fn slot(bytes: &[u8]) -> Slot {
    let mut slot = [0; 8];
    slot[..bytes.len()].copy_from_slice(bytes);
    slot
}

/// What is accepted for a type.
fn described(prim: Prim) -> String {
    let python = match prim {
        Bool => "bool",
        F16 | F32 | F64 => "a float",
        I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 => "an int",
    };
    format!("{} ({python}, or np.{})", prim.name(), prim.scalar_name())
}

/// What an object is, for messages.
pub(crate) fn given(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().name().map_or("?".to_owned(), |name| name.to_string());
    if let (Ok(shape), Ok(dtype)) = (object.getattr("shape"), object.getattr("dtype"))
        && shape.len().is_ok_and(|rank| rank > 0)
    {
        return format!("an array ({name}) of {dtype} with shape {shape}");
    }
    match object.repr() {
        Ok(text) => format!("{} ({name})", short(&text.to_string_lossy())),
        Err(_) => name,
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What to do about it, if something of NumPy was given.
fn fix(object: &Bound<'_, PyAny>, prim: Prim) -> String {
    let scalar = object.getattr("shape").and_then(|shape| shape.len()).is_ok_and(|rank| rank == 0);
    match scalar {
        true => format!("; convert it with np.{}(...)", prim.scalar_name()),
        false => String::new(),
    }
}
