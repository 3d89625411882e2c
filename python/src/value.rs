//! Opaque values: they live in the program's memory, and their parts are looked at one by one.

use crate::arguments::{self, Arguments, Likeness, Temporaries};
use crate::errors::{Failure, Mismatch};
use crate::lender::Lender;
use crate::library::{Handle, Turn};
use crate::results::Out;
use crate::scalars::Slot;
use fehu::tables::{Field, Type};
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::ffi::c_void;
use std::sync::Arc;

/// A record, a sum, an array of such, or a value of an abstract type, in the memory of a program. Fields are attributes; sums have a
/// `variant` and a `payload`; arrays have a `shape` and elements.
///
/// ```text
/// >>> module = fehu.compile("type shape = #circle f64 | #rect f64 f64 entry area (s: shape) : f64 = match s case #circle r -> 3 * r * r case #rect a b -> a * b entry square (a: f64) : shape = #rect a a")
/// >>> s = module.square(2.0)
/// >>> s.variant, s.payload
/// ('rect', (np.float64(2.0), np.float64(2.0)))
///
/// ```
#[pyclass(frozen, module = "fehu")]
pub(crate) struct Value {
    pub(crate) handle: Handle,
    /// Those in whose memory it may be.
    pub(crate) lenders: Vec<Arc<Lender>>,
}

impl Value {
    fn fields(&self) -> &'static [Field] {
        let ty = self.handle.ty;
        match (ty.record(), ty.opaque_array()) {
            (Some(record), _) => record.fields(),
            (None, Some(array)) => array.fields(),
            (None, None) => &[],
        }
    }

    /// Asks the program for something.
    fn ask<'py>(
        &self,
        py: Python<'py>,
        ty: &'static Type,
        what: impl Send + FnOnce(&Turn<'_>, *mut c_void) -> Result<(), Failure>,
    ) -> PyResult<Py<PyAny>> {
        let context = &self.handle.context;
        let out = context.enter(py, |turn| {
            let mut slot: Slot = [0; 8];
            what(turn, slot.as_mut_ptr().cast())?;
            Out::new(turn, ty, slot)
        })?;
        out.into_python(py, &self.lenders, Likeness::Numpy)
    }

    fn variant_index(&self, py: Python<'_>) -> PyResult<usize> {
        let handle = &self.handle;
        let Some(sum) = handle.ty.sum() else {
            let what = format!("{} is no sum type", handle.ty.name());
            return Err(PyAttributeError::new_err(what));
        };
        // SAFETY: we have the turn, and the object is of this type.
        let index =
            handle.context.enter(py, |turn| unsafe { (sum.variant)(turn.raw(), handle.object) });
        usize::try_from(index).map_err(|_| PyTypeError::new_err("no variant"))
    }
}

#[pymethods]
impl Value {
    /// The name of its type.
    #[getter]
    fn type_name(&self) -> &'static str {
        self.handle.ty.name()
    }

    /// The names of the fields, if it is a record or an array of records.
    #[getter]
    fn _fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.fields().iter().map(Field::name))
    }

    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let field = self.fields().iter().find(|field| field.name() == name);
        let field = field.ok_or_else(|| {
            let what = format!("a value of type {} has no field {name}", self.handle.ty.name());
            PyAttributeError::new_err(what)
        })?;
        let object = self.handle.object as usize;
        self.ask(py, field.ty(), |turn, out| {
            // SAFETY: we have the turn, and the object is of the type with this field.
            turn.check(unsafe { (field.project)(turn.raw(), out, object as *mut c_void) })
        })
    }

    /// All fields by their names.
    fn _asdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let dict = pyo3::types::PyDict::new(py);
        for field in self.fields() {
            dict.set_item(field.name(), self.__getattr__(py, field.name())?)?;
        }
        Ok(dict)
    }

    /// The name of the constructor that a value of a sum type was made with.
    #[getter]
    fn variant(&self, py: Python<'_>) -> PyResult<&'static str> {
        let index = self.variant_index(py)?;
        self.handle
            .ty
            .sum()
            .map(|sum| sum.variants()[index].name())
            .ok_or_else(|| PyTypeError::new_err("no variant"))
    }

    /// What the constructor was applied to.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let index = self.variant_index(py)?;
        let handle = &self.handle;
        let Some(sum) = handle.ty.sum() else { return Ok(PyTuple::empty(py)) };
        let variant = &sum.variants()[index];
        let types = variant.payload();
        let outs = handle.context.enter(py, |turn| {
            let mut slots: Vec<Slot> = vec![[0; 8]; types.len()];
            let places: Vec<*mut c_void> =
                slots.iter_mut().map(|slot| slot.as_mut_ptr().cast()).collect();
            // SAFETY: we have the turn, the object is of this type, and of this variant.
            turn.check(unsafe { (variant.destruct)(turn.raw(), places.as_ptr(), handle.object) })?;
            let outs = types.iter().zip(slots).map(|(ty, slot)| Out::new(turn, ty, slot));
            outs.collect::<Result<Vec<Out>, Failure>>()
        })?;
        let objects =
            outs.into_iter().map(|out| out.into_python(py, &self.lenders, Likeness::Numpy));
        PyTuple::new(py, objects.collect::<PyResult<Vec<_>>>()?)
    }

    /// The sizes of an array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let handle = &self.handle;
        let Some(array) = handle.ty.opaque_array() else {
            return Err(PyAttributeError::new_err(format!("{} is no array", handle.ty.name())));
        };
        let rank = handle.ty.rank();
        // SAFETY: we have the turn, and the object is of this type.
        let shape: Vec<i64> = handle.context.enter(py, |turn| unsafe {
            std::slice::from_raw_parts((array.shape)(turn.raw(), handle.object), rank).to_vec()
        });
        PyTuple::new(py, shape)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let shape = self.shape(py).map_err(|_| PyTypeError::new_err("it has no length"))?;
        shape.get_item(0)?.extract()
    }

    /// An element of an array.
    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let ty = self.handle.ty;
        let Some(array) = ty.opaque_array() else {
            return Err(PyTypeError::new_err(format!("{} is no array", ty.name())));
        };
        let shape: Vec<i64> = self.shape(py)?.extract()?;
        let mut indices: Vec<i64> = match index.extract::<i64>() {
            Ok(index) => vec![index],
            Err(_) => index.extract()?,
        };
        if indices.len() != shape.len() {
            let what = format!("it has {} dimensions, and needs as many indices", shape.len());
            return Err(PyIndexError::new_err(what));
        }
        for (index, size) in indices.iter_mut().zip(&shape) {
            if *index < 0 {
                *index += size;
            }
            if !(0..*size).contains(index) {
                return Err(PyIndexError::new_err("index out of range"));
            }
        }
        let object = self.handle.object as usize;
        self.ask(py, array.elem(), |turn, out| {
            let index = array.index;
            // SAFETY: we have the turn, the object is of this type, and the indices are in range.
            turn.check(unsafe { index(turn.raw(), out, object as *mut c_void, indices.as_ptr()) })
        })
    }

    /// All of it as bytes, which `module.restore` understands.
    fn store<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let handle = &self.handle;
        let bytes = handle.context.enter(py, |turn| {
            let none = || Failure::plain(format!("{} cannot be stored", handle.ty.name()));
            let store = handle.ty.opaque_store.ok_or_else(none)?;
            let (mut bytes, mut size) = (std::ptr::null_mut::<c_void>(), 0);
            // SAFETY: we have the turn; the bytes are memory of `malloc`, which is ours.
            unsafe {
                turn.check(store(turn.raw(), handle.object, &raw mut bytes, &raw mut size))?;
                let copy = std::slice::from_raw_parts(bytes.cast::<u8>(), size).to_vec();
                libc::free(bytes);
                Ok::<_, Failure>(copy)
            }
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// As notebooks show it.
    fn _repr_html_(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("fehu._display")?.call_method1("html", (slf,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let ty = self.handle.ty;
        if ty.sum().is_some() {
            let payload = self.payload(py)?;
            let parts = payload.iter().map(|part| Ok(format!(" {}", part.repr()?)));
            let parts = parts.collect::<PyResult<String>>()?;
            return Ok(format!("<{}: #{}{parts}>", ty.name(), self.variant(py)?));
        }
        if ty.record().is_some() {
            let part = |field: &Field| {
                let value = self.__getattr__(py, field.name())?;
                Ok(format!("{}={}", field.name(), value.bind(py).repr()?))
            };
            let parts = self.fields().iter().map(part).collect::<PyResult<Vec<String>>>()?;
            return Ok(format!("<{}: {}>", ty.name(), parts.join(", ")));
        }
        if ty.opaque_array().is_some() {
            return Ok(format!("<{} of shape {}>", ty.name(), self.shape(py)?.repr()?));
        }
        Ok(format!("<{}>", ty.name()))
    }
}

/// Makes a value of Python objects: of a record's fields, or a constructor with its payload.
pub(crate) fn make(
    py: Python<'_>,
    context: &Arc<crate::library::Context>,
    ty: &'static Type,
    variant: Option<&str>,
    object: &Bound<'_, PyAny>,
) -> PyResult<Py<PyAny>> {
    let mut arguments = Arguments::new(context, false);
    let arg = match variant {
        None => arguments.read(object, ty, false)?,
        Some(name) => {
            let variants = ty.sum().map_or(&[][..], |sum| sum.variants());
            let index = variants.iter().position(|variant| variant.name() == name);
            let none = || Mismatch::Wrong(format!("{} has no constructor #{name}", ty.name()));
            let index = index.ok_or_else(none)?;
            let payload = variants[index].payload();
            let items: Vec<Bound<'_, PyAny>> = object.try_iter()?.collect::<PyResult<_>>()?;
            if items.len() != payload.len() {
                let (wanted, given) = (payload.len(), items.len());
                let what = format!("#{name} takes {wanted} values, got {given}");
                return Err(Mismatch::Wrong(what).into());
            }
            let args = items.iter().zip(payload).map(|(item, ty)| arguments.read(item, ty, false));
            arguments::Arg::Variant(index, args.collect::<Result<_, _>>()?)
        }
    };
    let out = context.enter(py, |turn| {
        let mut made = Temporaries::default();
        let slot = arguments::build(turn, ty, &arg, &mut made);
        // The value itself is the last one.
        let own = matches!(
            arg,
            arguments::Arg::Record(_)
                | arguments::Arg::Variant(..)
                | arguments::Arg::Zip(_)
                | arguments::Arg::Elements(_)
        );
        if own && slot.is_ok() {
            made.keep_last();
        }
        made.free(turn);
        match slot {
            Ok(slot) if own => Out::new_object(turn, ty, slot),
            Ok(_) => Err(Failure::plain("it is such a value already".to_owned())),
            Err(failure) => Err(failure),
        }
    })?;
    out.into_python(py, &arguments.lenders, Likeness::Numpy)
}

/// A value of the bytes that `store` has made.
pub(crate) fn restore(
    py: Python<'_>,
    context: &Arc<crate::library::Context>,
    ty: &'static Type,
    bytes: &[u8],
) -> PyResult<Py<PyAny>> {
    let out = context.enter(py, |turn| {
        let none = || Failure::plain(format!("{} cannot be restored", ty.name()));
        let restore = ty.opaque_restore.ok_or_else(none)?;
        // The library believes the size that the bytes begin with.
        let stated = bytes.get(8..16).and_then(|size| size.try_into().ok()).map(u64::from_ne_bytes);
        if stated != Some(bytes.len() as u64) {
            return Err(Failure::plain("these bytes are no stored value".to_owned()));
        }
        // SAFETY: we have the turn, and there are as many bytes as they say.
        let object = turn.object(unsafe { restore(turn.raw(), bytes.as_ptr().cast()) })?;
        Out::new_object(turn, ty, arguments::pointer(object))
    })?;
    out.into_python(py, &[], Likeness::Numpy)
}
