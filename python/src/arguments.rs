//! From objects of Python to arguments of a program, in two steps.
//!
//! With the interpreter's lock, an object becomes an [`Arg`]: numbers, addresses and sizes, with a [`Lender`] for each address, so that
//! nothing of Python is needed afterwards. During the context's turn, [`build`] makes values of the program of them.

use crate::array::Array;
use crate::dlpack;
use crate::errors::{Failure, Mismatch};
use crate::lender::Lender;
use crate::library::{Context, Memory, Turn};
use crate::scalars::{self, Prim, Slot, given};
use crate::value::Value;
use fehu::tables::{self, Field, Object, Type};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::ffi::{CStr, c_void};
use std::sync::Arc;

/// An argument without anything of Python.
pub(crate) enum Arg {
    Scalar(Slot),
    /// Elements that the program reads where they are; see [`Arguments::lenders`].
    Lent(*mut c_void, Vec<i64>),
    /// The same, of which the program gets a copy, because it would overwrite them.
    Consumed(*mut c_void, Vec<i64>),
    /// Elements in the host's memory that become an array on the device.
    Sent(*mut c_void, Vec<i64>),
    /// A value of the program.
    Object(Object),
    /// A value of the program that is to be consumed, while others have it.
    Duplicate(Object),
    Record(Vec<Arg>),
    Variant(usize, Vec<Arg>),
    /// Arrays of opaque values: one by one.
    Elements(Vec<Arg>),
    /// Arrays of records: an array for each field.
    Zip(Vec<Arg>),
    /// A sequence, which is no argument of this kind.
    Sequence,
}

// SAFETY: addresses are those of lenders, and of values that are kept; they are used during the context's turn.
unsafe impl Send for Arg {}
// SAFETY: the same.
unsafe impl Sync for Arg {}

/// Which library the results should be for: that of the first array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Likeness {
    Numpy,
    Torch,
    Cupy,
    Jax,
    /// An array of our own.
    Own,
}

/// All arguments of a call.
pub(crate) struct Arguments<'a> {
    pub(crate) context: &'a Arc<Context>,
    /// The memory that the program reads.
    pub(crate) lenders: Vec<Arc<Lender>>,
    /// Objects that the arguments are made of, until the call is over.
    pub(crate) kept: Vec<Py<PyAny>>,
    pub(crate) likeness: Option<Likeness>,
    /// Whether copies are errors.
    pub(crate) strict: bool,
}

type Res<T> = Result<T, Mismatch>;

impl<'a> Arguments<'a> {
    pub(crate) fn new(context: &'a Arc<Context>, strict: bool) -> Arguments<'a> {
        Arguments { context, lenders: Vec::new(), kept: Vec::new(), likeness: None, strict }
    }

    /// An object as a value of a type.
    pub(crate) fn read(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
    ) -> Res<Arg> {
        if ty.kind == tables::ARRAY {
            return self.array(object, ty, consumed);
        }
        if let Some(prim) = ty.prim() {
            return scalars::read(object, Prim::of(prim)).map(Arg::Scalar);
        }
        if let Ok(value) = object.cast::<Value>() {
            return self.value(value.get(), object, ty, consumed);
        }
        if let Some(record) = ty.record() {
            return self.fields(object, ty, record.fields()).map(Arg::Record);
        }
        if let Some(array) = ty.opaque_array() {
            if !array.fields().is_empty() && !object.is_instance_of::<PyList>() {
                return self.fields(object, ty, array.fields()).map(Arg::Zip);
            }
            if let (Ok(list), 1) = (object.cast::<PyList>(), array.rank) {
                let element = |(i, item): (usize, Bound<'_, PyAny>)| {
                    let read = self.read(&item, array.elem(), false);
                    read.map_err(|wrong| wrong.within(&format!("element {i}")))
                };
                return list.iter().enumerate().map(element).collect::<Res<_>>().map(Arg::Elements);
            }
        }
        let how = match ty.sum() {
            Some(_) => format!("; make one with module.types[{:?}]", ty.name()),
            None => String::new(),
        };
        Err(Mismatch::Wrong(format!("expected a {}, got {}{how}", ty.name(), given(object))))
    }

    fn value(
        &mut self,
        value: &Value,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
    ) -> Res<Arg> {
        let handle = &value.handle;
        if !Arc::ptr_eq(&handle.context, self.context) {
            let what = format!("this {} belongs to another program", handle.ty.name());
            return Err(Mismatch::Wrong(what));
        }
        if !std::ptr::eq(handle.ty, ty) {
            let (wanted, found) = (ty.name(), handle.ty.name());
            return Err(Mismatch::Wrong(format!("expected a {wanted}, got a {found}")));
        }
        self.kept.push(object.clone().unbind());
        self.lenders.extend(value.lenders.iter().cloned());
        Ok(if consumed { Arg::Duplicate(handle.object) } else { Arg::Object(handle.object) })
    }

    /// The fields of a record or of an array of records: of a dictionary, a tuple, or any object with such attributes.
    fn fields(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        fields: &'static [Field],
    ) -> Res<Vec<Arg>> {
        let is_tuple = fields.iter().enumerate().all(|(i, field)| field.name() == i.to_string());
        let items: Vec<Bound<'_, PyAny>> = if let Ok(dict) = object.cast::<PyDict>() {
            for key in dict.keys() {
                let known = |field: &Field| key.eq(field.name()).unwrap_or(false);
                if !fields.iter().any(known) {
                    let what = format!("{} has no field {}", ty.name(), given(&key));
                    return Err(Mismatch::Wrong(what));
                }
            }
            let item = |field: &Field| {
                dict.get_item(field.name())?.ok_or_else(|| {
                    Mismatch::Wrong(format!("the field `{}` is missing", field.name()))
                })
            };
            fields.iter().map(item).collect::<Res<_>>()?
        } else if is_tuple {
            let sequence = object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>();
            let count = fields.len();
            if !sequence || object.len()? != count {
                let (name, got) = (ty.name(), given(object));
                let what = format!("expected {name} (a tuple of {count}), got {got}");
                return Err(Mismatch::Wrong(what));
            }
            object.try_iter()?.collect::<PyResult<_>>()?
        } else {
            let attribute = |field: &Field| {
                object.getattr(field.name()).map_err(|_| {
                    let names: Vec<&str> = fields.iter().map(Field::name).collect();
                    let what = "a dict, or an object with the attributes";
                    let (name, names) = (ty.name(), names.join(", "));
                    let got = given(object);
                    Mismatch::Wrong(format!("expected {name} ({what} {names}), got {got}"))
                })
            };
            fields.iter().map(attribute).collect::<Res<_>>()?
        };
        let read = |(item, field): (&Bound<'_, PyAny>, &'static Field)| {
            let read = self.read(item, field.ty(), false);
            read.map_err(|wrong| wrong.within(&format!("field `{}`", field.name())))
        };
        items.iter().zip(fields).map(read).collect()
    }

    fn array(&mut self, object: &Bound<'_, PyAny>, ty: &'static Type, consumed: bool) -> Res<Arg> {
        if let Ok(array) = object.cast::<Array>() {
            return self.own_array(array.get(), object, ty, consumed);
        }
        // Arrays of CuPy are buffers as well, which refuse to be read if they are on a device.
        let on_device = || object.hasattr(intern!(object.py(), "__cuda_array_interface__"));
        // SAFETY: it only asks.
        if unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) } != 0 && !on_device()? {
            return self.buffer(object, ty, consumed, true);
        }
        if let Some(view) = dlpack::import(object).map_err(|error| self.cannot(object, &error))? {
            return self.tensor(object, ty, consumed, view);
        }
        self.converted(object, ty, consumed)
    }

    fn cannot(&self, object: &Bound<'_, PyAny>, error: &PyErr) -> Mismatch {
        Mismatch::Wrong(format!("{} cannot be read: {error}", given(object)))
    }

    /// What is no array becomes one of NumPy.
    fn converted(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
    ) -> Res<Arg> {
        let prim = elements(ty);
        let helper = object.py().import("fehu._arrays")?.getattr("from_object")?;
        let array = helper.call1((object, prim.numpy_name(), ty.rank()))?;
        if array.is_none() {
            let what = format!("expected {}, got {}", ty.name(), given(object));
            return Err(Mismatch::Wrong(what));
        }
        self.kept.push(array.clone().unbind());
        self.buffer(&array, ty, consumed, false)
    }

    fn own_array(
        &mut self,
        array: &Array,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
    ) -> Res<Arg> {
        let inner = &array.inner;
        self.likeness.get_or_insert(Likeness::Own);
        if !std::ptr::eq(inner.handle.ty, ty) || !Arc::ptr_eq(&inner.handle.context, self.context) {
            self.matches(object, ty, Some(inner.prim), inner.shape.len())?;
            // Another program's: through memory, if both have the same kind.
            if inner.handle.context.memory != Memory::Host
                && inner.handle.context.memory != self.context.memory
            {
                let copy = object.call_method0("numpy")?;
                self.kept.push(copy.clone().unbind());
                return self.buffer(&copy, ty, consumed, false);
            }
            let data = inner.address(object.py())?;
            self.kept.push(object.clone().unbind());
            self.lenders.extend(inner.lenders.iter().cloned());
            return Ok(self.lend(data as *mut c_void, inner.shape.clone(), consumed));
        }
        self.kept.push(object.clone().unbind());
        self.lenders.extend(inner.lenders.iter().cloned());
        let object = inner.handle.object;
        Ok(if consumed { Arg::Duplicate(object) } else { Arg::Object(object) })
    }

    fn lend(&self, data: *mut c_void, shape: Vec<i64>, consumed: bool) -> Arg {
        if consumed { Arg::Consumed(data, shape) } else { Arg::Lent(data, shape) }
    }

    /// Whether an array has the type that is expected.
    fn matches(
        &self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        prim: Option<Prim>,
        rank: usize,
    ) -> Res<()> {
        let wanted = elements(ty);
        if prim != Some(wanted) {
            let (name, dtype) = (ty.name(), wanted.numpy_name());
            let what = format!("expected {name} ({dtype}), got {}", given(object));
            let fix = match object.hasattr("astype")? {
                true => format!("; convert it with .astype(np.{dtype})"),
                false => String::new(),
            };
            return Err(Mismatch::Wrong(what + &fix));
        }
        if rank != ty.rank() {
            let (name, wanted) = (ty.name(), ty.rank());
            let s = if wanted == 1 { "" } else { "s" };
            let what = format!("expected {name} ({wanted} dimension{s}), got {}", given(object));
            return Err(Mismatch::Wrong(what));
        }
        Ok(())
    }

    /// Anything with the buffer protocol. `first`: a copy in the right order has not been tried yet.
    fn buffer(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
        first: bool,
    ) -> Res<Arg> {
        let mut view = Box::new(ffi::Py_buffer::new());
        let flags = ffi::PyBUF_RECORDS_RO;
        // SAFETY: the view is new, and its lender releases it.
        if unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, flags) } != 0 {
            return Err(self.cannot(object, &PyErr::fetch(object.py())));
        }
        let lender = Lender::buffer(view);
        let Some(view) = lender.view() else { return Err(Mismatch::Wrong("no buffer".into())) };
        let rank = usize::try_from(view.ndim).unwrap_or(0);
        let size = usize::try_from(view.itemsize).unwrap_or(0);
        let format = match view.format.is_null() {
            true => b"B".as_slice(),
            // SAFETY: a format is a text that lives as long as the view.
            false => unsafe { CStr::from_ptr(view.format) }.to_bytes(),
        };
        self.matches(object, ty, Prim::of_format(format, size), rank)?;
        let list = |pointer: *mut isize| -> Vec<i64> {
            // SAFETY: we have asked for sizes and strides, and there are so many.
            unsafe { (0..rank).map(|i| *pointer.add(i) as i64).collect() }
        };
        let (shape, strides) = (list(view.shape), list(view.strides));
        let ordered = dlpack::contiguous(&shape, &strides, view.itemsize as i64);
        let data = view.buf;
        if !ordered || !(data as usize).is_multiple_of(size.max(1)) {
            if !first {
                return Err(Mismatch::Wrong(format!("{} cannot be copied", given(object))));
            }
            return self.reordered(object, ty, consumed);
        }
        if self.likeness.is_none() {
            self.likeness = Some(likeness(object));
        }
        self.lenders.push(Arc::new(lender));
        if self.context.memory != Memory::Host {
            self.context.count_copy();
            return Ok(Arg::Sent(data, shape));
        }
        Ok(self.lend(data, shape, consumed))
    }

    /// A copy in row-major order.
    fn reordered(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
    ) -> Res<Arg> {
        if self.strict {
            let what =
                "it is not contiguous, and strict=True forbids copies; use np.ascontiguousarray";
            return Err(Mismatch::Wrong(what.to_owned()));
        }
        self.context.count_copy();
        let helper = object.py().import("fehu._arrays")?.getattr("contiguous")?;
        let copy = helper.call1((object,))?;
        self.likeness.get_or_insert(Likeness::Numpy);
        self.kept.push(copy.clone().unbind());
        if copy.hasattr("__dlpack_device__")? && !copy.hasattr("__array_interface__")? {
            return match dlpack::import(&copy)? {
                Some(view) if view.contiguous => self.tensor(&copy, ty, consumed, view),
                _ => Err(Mismatch::Wrong(format!("{} cannot be copied", given(object)))),
            };
        }
        self.buffer(&copy, ty, consumed, false)
    }

    /// Anything with DLPack.
    fn tensor(
        &mut self,
        object: &Bound<'_, PyAny>,
        ty: &'static Type,
        consumed: bool,
        view: dlpack::View,
    ) -> Res<Arg> {
        self.likeness.get_or_insert(likeness(object));
        self.matches(object, ty, view.prim, view.shape.len())?;
        let size = elements(ty).size();
        if !view.contiguous || !(view.data as usize).is_multiple_of(size) {
            return self.reordered(object, ty, consumed);
        }
        if view.on_device && self.context.memory == Memory::Host {
            let what = "it is on a GPU, and this program is for the CPU; copy it to the host, or compile with backend=\"cuda\"";
            return Err(Mismatch::Wrong(what.to_owned()));
        }
        let count = view.shape.iter().product::<i64>();
        let bytes = usize::try_from(count).unwrap_or(0) * size;
        let (data, shape) = (view.data, view.shape);
        self.lenders.push(Arc::new(Lender::tensor(view.owner, data as usize, bytes)));
        match (self.context.memory, view.on_device) {
            (Memory::Host, _) | (Memory::Cuda, true) => Ok(self.lend(data, shape, consumed)),
            (Memory::Cuda | Memory::Device, false) => {
                self.context.count_copy();
                Ok(Arg::Sent(data, shape))
            }
            (Memory::Device, true) => {
                Err(Mismatch::Wrong("it is on a GPU that OpenCL does not know".to_owned()))
            }
        }
    }
}

/// The type of an array's elements.
fn elements(ty: &'static Type) -> Prim {
    ty.prim().map_or(Prim::Bool, Prim::of)
}

/// The library that an array is of.
fn likeness(object: &Bound<'_, PyAny>) -> Likeness {
    static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let ndarray = NDARRAY
        .get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.getattr("ndarray")?.unbind()));
    if ndarray.is_ok_and(|ndarray| object.get_type().is(ndarray)) {
        return Likeness::Numpy;
    }
    let module = object.get_type().module();
    let module = module.as_ref().map_or("".into(), |name| name.to_string_lossy());
    match module.split('.').next() {
        Some("torch") => Likeness::Torch,
        Some("cupy") => Likeness::Cupy,
        Some("jax" | "jaxlib") => Likeness::Jax,
        _ => Likeness::Numpy,
    }
}

/// Objects that were made for a call, to be freed after it.
#[derive(Default)]
pub(crate) struct Temporaries(Vec<(&'static Type, Object)>);

impl Temporaries {
    /// The last one is somebody's result.
    pub(crate) fn keep_last(&mut self) {
        self.0.pop();
    }

    pub(crate) fn free(self, turn: &Turn<'_>) {
        for (ty, object) in self.0 {
            turn.free(ty, object);
        }
    }
}

/// Makes a value of the program.
pub(crate) fn build(
    turn: &Turn<'_>,
    ty: &'static Type,
    arg: &Arg,
    made: &mut Temporaries,
) -> Result<Slot, Failure> {
    let raw = turn.raw();
    let unfit = || Failure::plain(format!("no value of type {}", ty.name()));
    // SAFETY: we have the turn; functions of the tables get what `types.h` says; addresses are those of lenders, with so many elements.
    let object = unsafe {
        match arg {
            Arg::Scalar(slot) => return Ok(*slot),
            Arg::Sequence => return Ok([0; 8]),
            Arg::Object(object) => return Ok(pointer(*object)),
            Arg::Lent(data, shape) => {
                let new = ty.array_new_raw.ok_or_else(unfit)?;
                turn.object(new(raw, *data, shape.as_ptr()))?
            }
            Arg::Sent(data, shape) => {
                turn.object(ty.array_new.ok_or_else(unfit)?(raw, *data, shape.as_ptr()))?
            }
            Arg::Consumed(data, shape) => {
                let new = ty.array_new_raw.ok_or_else(unfit)?;
                let lent = turn.object(new(raw, *data, shape.as_ptr()))?;
                let copy = duplicate(turn, ty, lent);
                turn.free(ty, lent);
                copy?
            }
            Arg::Duplicate(object) => duplicate(turn, ty, *object)?,
            Arg::Record(args) => {
                let record = ty.record().ok_or_else(unfit)?;
                let types = record.fields().iter().map(Field::ty);
                let slots = build_all(turn, types, args, made)?;
                let mut object = std::ptr::null_mut();
                turn.check((record.make)(raw, &raw mut object, addresses(&slots).as_ptr()))?;
                object
            }
            Arg::Variant(index, args) => {
                let variant = &ty.sum().ok_or_else(unfit)?.variants()[*index];
                let slots = build_all(turn, variant.payload().into_iter(), args, made)?;
                let mut object = std::ptr::null_mut();
                turn.check((variant.construct)(raw, &raw mut object, addresses(&slots).as_ptr()))?;
                object
            }
            Arg::Zip(args) => {
                let array = ty.opaque_array().ok_or_else(unfit)?;
                let types = array.fields().iter().map(Field::ty);
                let slots = build_all(turn, types, args, made)?;
                let mut object = std::ptr::null_mut();
                let zip = array.zip.ok_or_else(unfit)?;
                turn.check(zip(raw, &raw mut object, addresses(&slots).as_ptr()))?;
                object
            }
            Arg::Elements(args) => {
                let array = ty.opaque_array().ok_or_else(unfit)?;
                let types = args.iter().map(|_| array.elem());
                let slots = build_all(turn, types, args, made)?;
                let mut object = std::ptr::null_mut();
                let shape = [i64::try_from(args.len()).unwrap_or(i64::MAX)];
                let elements = addresses(&slots);
                let made = (array.make)(raw, &raw mut object, elements.as_ptr(), shape.as_ptr());
                turn.check(made)?;
                object
            }
        }
    };
    made.0.push((ty, object));
    Ok(pointer(object))
}

fn build_all(
    turn: &Turn<'_>,
    types: impl Iterator<Item = &'static Type>,
    args: &[Arg],
    made: &mut Temporaries,
) -> Result<Vec<Slot>, Failure> {
    types.zip(args).map(|(ty, arg)| build(turn, ty, arg, made)).collect()
}

/// Where the values are.
pub(crate) fn addresses(slots: &[Slot]) -> Vec<*const c_void> {
    slots.iter().map(|slot| slot.as_ptr().cast()).collect()
}

pub(crate) fn pointer(object: Object) -> Slot {
    (object as u64).to_ne_bytes()
}

/// A copy of a value that shares nothing with it.
fn duplicate(turn: &Turn<'_>, ty: &'static Type, object: Object) -> Result<Object, Failure> {
    let raw = turn.raw();
    let unfit = || Failure::plain(format!("no copy of a value of type {}", ty.name()));
    // SAFETY: we have the turn, and the object is of this type.
    unsafe {
        if ty.kind == tables::ARRAY {
            let shape = ty.array_shape.ok_or_else(unfit)?(raw, object);
            let shape = std::slice::from_raw_parts(shape, ty.rank()).to_vec();
            let new = ty.array_new.ok_or_else(unfit)?;
            if turn.context.memory == Memory::Host {
                let data = ty.array_values_raw.ok_or_else(unfit)?(raw, object);
                return turn.object(new(raw, data, shape.as_ptr()));
            }
            // Through our memory: the interface has no copies from the device to itself.
            let count = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
            let mut bytes = vec![0_u64; (count * elements(ty).size()).div_ceil(8)];
            let values = ty.array_values.ok_or_else(unfit)?;
            turn.check(values(raw, object, bytes.as_mut_ptr().cast()))?;
            turn.sync()?;
            return turn.object(new(raw, bytes.as_ptr().cast(), shape.as_ptr()));
        }
        let (mut bytes, mut size) = (std::ptr::null_mut(), 0);
        let store = ty.opaque_store.ok_or_else(unfit)?;
        turn.check(store(raw, object, &raw mut bytes, &raw mut size))?;
        let copy = ty.opaque_restore.ok_or_else(unfit)?(raw, bytes);
        libc::free(bytes);
        turn.object(copy)
    }
}
