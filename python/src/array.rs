//! Arrays in a program's memory, as Python sees them.
//!
//! On the host, results are arrays of NumPy, whose base is an [`Array`]: it has the buffer protocol. On a device, the [`Array`] itself is
//! the result; other libraries get at it by DLPack or `__cuda_array_interface__`. Nothing is copied, except by `numpy()`.
//!
//! If nobody else has the memory then it can be written to. It is read-only if an argument, another value of the program or one
//! of its constants is the same memory.

use crate::arguments::Likeness;
use crate::dlpack;
use crate::errors::{Error, Failure};
use crate::lender::Lender;
use crate::library::{Handle, Memory, Turn};
use crate::scalars::Prim;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{c_int, c_void};
use std::sync::{Arc, OnceLock};

/// An array in the memory of a program: what programs for GPUs return for arrays of NumPy. `numpy()` copies it to the host;
/// other libraries read it where it is.
///
/// ```text
/// >>> ys = fehu.compile(source, "cuda").f(xs)  # doctest: +SKIP
/// >>> ys.numpy()  # doctest: +SKIP
///
/// ```
#[pyclass(frozen, module = "fehu")]
pub(crate) struct Array {
    pub(crate) inner: Arc<Inner>,
}

/// What views of it keep alive.
pub(crate) struct Inner {
    pub(crate) handle: Handle,
    pub(crate) prim: Prim,
    pub(crate) shape: Vec<i64>,
    strides: Vec<isize>,
    /// Where it is. Arrays on devices can move until somebody asks.
    address: OnceLock<usize>,
    pub(crate) writable: bool,
    /// Those in whose memory it may be.
    pub(crate) lenders: Vec<Arc<Lender>>,
}

/// What a turn finds out about an array.
pub(crate) struct Found {
    pub(crate) handle: Handle,
    shape: Vec<i64>,
    address: Option<usize>,
    sole: bool,
}

impl Found {
    /// Takes an array that the program has made.
    pub(crate) fn new(turn: &Turn<'_>, handle: Handle) -> Result<Found, Failure> {
        let (ty, object) = (handle.ty, handle.object);
        let unfit = || Failure::plain(format!("{} is no array", ty.name()));
        // SAFETY: we have the turn, and the object is of this type.
        unsafe {
            let shape = ty.array_shape.ok_or_else(unfit)?(turn.raw(), object);
            let shape = std::slice::from_raw_parts(shape, ty.rank()).to_vec();
            let address = match turn.context.memory {
                Memory::Host => {
                    Some(ty.array_values_raw.ok_or_else(unfit)?(turn.raw(), object) as usize)
                }
                Memory::Cuda | Memory::Device => None,
            };
            let sole = ty.array_sole.ok_or_else(unfit)?(object);
            Ok(Found { handle, shape, address, sole })
        }
    }

    /// The array, for whoever wants one like this.
    pub(crate) fn into_python(
        self,
        py: Python<'_>,
        lenders: &[Arc<Lender>],
        likeness: Likeness,
    ) -> PyResult<Py<PyAny>> {
        let Found { handle, shape, address, sole } = self;
        let prim = handle.ty.prim().map_or(Prim::Bool, Prim::of);
        let size = prim.size() as isize;
        let mut strides = vec![size; shape.len()];
        for at in (1..shape.len()).rev() {
            strides[at - 1] = strides[at] * isize::try_from(shape[at].max(1)).unwrap_or(1);
        }
        let lenders: Vec<Arc<Lender>> = match address {
            _ if sole => Vec::new(),
            Some(address) => lenders.iter().filter(|lender| lender.has(address)).cloned().collect(),
            None => lenders.to_vec(),
        };
        let host = handle.context.memory == Memory::Host;
        let known = OnceLock::new();
        if let Some(address) = address {
            // It is new.
            let _ = known.set(address);
        }
        let inner = Inner { handle, prim, shape, strides, address: known, writable: sole, lenders };
        let array = Bound::new(py, Array { inner: Arc::new(inner) })?.into_any();
        match likeness {
            Likeness::Numpy if host => numpy(&array),
            Likeness::Numpy | Likeness::Own => Ok(array.unbind()),
            Likeness::Torch | Likeness::Cupy | Likeness::Jax => {
                let helper = py.import("fehu._arrays")?.getattr("like")?;
                let name = match likeness {
                    Likeness::Torch => "torch",
                    Likeness::Cupy => "cupy",
                    _ => "jax",
                };
                Ok(helper.call1((array, name))?.unbind())
            }
        }
    }
}

/// An array of NumPy with the memory of an object that has the buffer protocol.
fn numpy(array: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    static ASARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = array.py();
    let asarray = ASARRAY
        .get_or_try_init(py, || PyResult::Ok(py.import("numpy")?.getattr("asarray")?.unbind()))?;
    asarray.call1(py, (array,))
}

impl Inner {
    /// Where its elements are.
    pub(crate) fn address(&self, py: Python<'_>) -> PyResult<usize> {
        if let Some(address) = self.address.get() {
            return Ok(*address);
        }
        let handle = &self.handle;
        let found = handle.context.enter(py, |turn| {
            let raw = handle.ty.array_values_raw;
            // SAFETY: we have the turn, and the object is of this type.
            let address = raw.map(|raw| unsafe { raw(turn.raw(), handle.object) } as usize);
            turn.sync()?;
            match address {
                Some(0) | None if self.shape.iter().all(|&size| size > 0) => {
                    turn.object(std::ptr::null_mut()).map(|_| 0)
                }
                address => Ok(address.unwrap_or(0)),
            }
        })?;
        Ok(*self.address.get_or_init(|| found))
    }

    fn bytes(&self) -> usize {
        usize::try_from(self.shape.iter().product::<i64>()).unwrap_or(0) * self.prim.size()
    }
}

#[pymethods]
impl Array {
    /// Its sizes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.shape)
    }

    /// The type of its elements, as NumPy has it.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.getattr("dtype")?.call1((self.inner.prim.numpy_name(),))
    }

    /// The number of its dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.inner.shape.len()
    }

    /// The number of its elements.
    #[getter]
    fn size(&self) -> i64 {
        self.inner.shape.iter().product()
    }

    /// The bytes of its elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.inner.bytes()
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = self.inner.shape.first().and_then(|&size| usize::try_from(size).ok());
        first.ok_or_else(|| PyTypeError::new_err("an array without dimensions has no length"))
    }

    fn __repr__(&self) -> String {
        let inner = &self.inner;
        let sizes: String = inner.shape.iter().map(|size| format!("[{size}]")).collect();
        let place = match inner.handle.context.memory {
            Memory::Host => "in memory",
            Memory::Cuda => "on the GPU",
            Memory::Device => "on a device",
        };
        format!("<fehu.Array {sizes}{} {place}>", inner.prim.name())
    }

    /// The elements as an array of NumPy: on the host they are shared, from a device they are copied.
    fn numpy(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let (py, inner) = (slf.py(), &slf.get().inner);
        let handle = &inner.handle;
        if handle.context.memory == Memory::Host {
            return numpy(slf.as_any());
        }
        let empty = py.import("numpy")?.getattr("empty")?;
        let array = empty.call1((slf.get().shape(py)?, inner.prim.numpy_name()))?;
        let address = array.getattr("ctypes")?.getattr("data")?.extract::<usize>()?;
        handle.context.enter(py, |turn| {
            if let Some(values) = handle.ty.array_values {
                // SAFETY: we have the turn, and the array has room for all elements.
                turn.check(unsafe { values(turn.raw(), handle.object, address as *mut c_void) })?;
            }
            turn.sync()
        })?;
        Ok(array.unbind())
    }

    /// The same as `numpy()`, as CuPy calls it.
    fn get(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Array::numpy(slf)
    }

    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if copy == Some(false) && slf.get().inner.handle.context.memory != Memory::Host {
            return Err(PyValueError::new_err("the elements are on a device, and must be copied"));
        }
        let array = Array::numpy(slf)?.into_bound(py);
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None if copy == Some(true) => array.call_method0("copy"),
            None => Ok(array),
        }
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(c_int, c_int)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Calls are complete when they return, so no stream has to wait for us.
        let _ = stream;
        let inner = &self.inner;
        let device = self.__dlpack_device__()?;
        if copy == Some(true) || dl_device.is_some_and(|wanted| wanted != device) {
            return Err(PyBufferError::new_err("an array can only be shared, where it is"));
        }
        let versioned = max_version.is_some_and(|version| version >= (1, 0));
        if !versioned && !inner.writable {
            let what = "this array is read-only, which only version 1 of DLPack can say";
            return Err(PyBufferError::new_err(what));
        }
        let exported = dlpack::Exported {
            data: inner.address(py)? as *mut c_void,
            device: device.0,
            prim: inner.prim,
            shape: inner.shape.clone(),
            read_only: !inner.writable,
        };
        dlpack::export(py, exported, Box::new(inner.clone()), versioned)
    }

    fn __dlpack_device__(&self) -> PyResult<(c_int, c_int)> {
        match self.inner.handle.context.memory {
            Memory::Host => Ok((dlpack::CPU, 0)),
            Memory::Cuda => Ok((dlpack::CUDA, 0)),
            Memory::Device => {
                Err(PyBufferError::new_err("arrays of OpenCL cannot be shared; use numpy()"))
            }
        }
    }

    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = &self.inner;
        if inner.handle.context.memory != Memory::Cuda {
            return Err(pyo3::exceptions::PyAttributeError::new_err("it is not on a GPU"));
        }
        let dict = PyDict::new(py);
        dict.set_item("shape", self.shape(py)?)?;
        dict.set_item("typestr", self.dtype(py)?.getattr("str")?)?;
        dict.set_item("data", (inner.address(py)?, !inner.writable))?;
        dict.set_item("version", 3)?;
        dict.set_item("strides", py.None())?;
        // It is complete.
        dict.set_item("stream", py.None())?;
        Ok(dict)
    }

    /// # Safety
    /// The interpreter gives us a view to fill.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let inner = &slf.get().inner;
        if inner.handle.context.memory != Memory::Host {
            return Err(PyBufferError::new_err("the elements are on a device; use numpy()"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE && !inner.writable {
            return Err(PyBufferError::new_err("this array is read-only"));
        }
        let address = inner.address(slf.py())?;
        let has = |flag: c_int| flags & flag == flag;
        // SAFETY: sizes, strides and the format live as long as the object, which the view refers to.
        unsafe {
            (*view).buf = address as *mut c_void;
            (*view).len = inner.bytes() as isize;
            (*view).itemsize = inner.prim.size() as isize;
            (*view).readonly = c_int::from(!inner.writable);
            (*view).ndim = c_int::try_from(inner.shape.len()).unwrap_or(0);
            (*view).format = match has(ffi::PyBUF_FORMAT) {
                true => inner.prim.format().as_ptr().cast_mut(),
                false => std::ptr::null_mut(),
            };
            (*view).shape = match has(ffi::PyBUF_ND) {
                true => inner.shape.as_ptr().cast_mut().cast(),
                false => std::ptr::null_mut(),
            };
            (*view).strides = match has(ffi::PyBUF_STRIDES) {
                true => inner.strides.as_ptr().cast_mut(),
                false => std::ptr::null_mut(),
            };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = std::ptr::null_mut();
            (*view).obj = slf.into_ptr();
        }
        Ok(())
    }

    /// Waits until it is there. Calls are complete when they return, so it always is.
    fn block_until_ready(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// As notebooks show it.
    fn _repr_html_(slf: Bound<'_, Self>) -> PyResult<Bound<'_, PyAny>> {
        slf.py().import("fehu._display")?.call_method1("html", (slf,))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(Error::new_err("an array is neither true nor false"))
    }
}
