//! DLPack: arrays of other libraries without copies, on any device. The layout of its header, versions 0 and 1.

use crate::scalars::Prim;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};

/// `kDLCPU`
pub(crate) const CPU: c_int = 1;
/// `kDLCUDA`
pub(crate) const CUDA: c_int = 2;
/// `kDLCUDAHost`: pinned memory of the host.
const CUDA_HOST: c_int = 3;
/// `kDLCUDAManaged`
const CUDA_MANAGED: c_int = 13;
const READ_ONLY: u64 = 1;

const VERSIONED: &CStr = c"dltensor_versioned";
const OLD: &CStr = c"dltensor";

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: [c_int; 2],
    ndim: c_int,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct ManagedTensor {
    tensor: DLTensor,
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedTensor)>,
}

#[repr(C)]
struct VersionedTensor {
    version: [u32; 2],
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut VersionedTensor)>,
    flags: u64,
    tensor: DLTensor,
}

/// An array that another library has given us; given back when it is dropped.
pub(crate) enum Imported {
    /// Version 0.
    Old(*mut c_void),
    /// Since version 1.
    Versioned(*mut c_void),
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: the pointers are those of capsules that we have taken over, and are given back once. Deleters may be those of Python
        // objects.
        Python::attach(|_| unsafe {
            match self {
                Imported::Old(pointer) => {
                    let tensor: *mut ManagedTensor = pointer.cast();
                    if let Some(delete) = (*tensor).deleter {
                        delete(tensor);
                    }
                }
                Imported::Versioned(pointer) => {
                    let tensor: *mut VersionedTensor = pointer.cast();
                    if let Some(delete) = (*tensor).deleter {
                        delete(tensor);
                    }
                }
            }
        });
    }
}

/// What is known of an array of another library.
pub(crate) struct View {
    pub(crate) owner: Imported,
    pub(crate) data: *mut c_void,
    pub(crate) shape: Vec<i64>,
    /// None if it is one that we do not have.
    pub(crate) prim: Option<Prim>,
    pub(crate) contiguous: bool,
    pub(crate) on_device: bool,
}

/// Asks an object for its array. None if it has no `__dlpack__`.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<View>> {
    let py = object.py();
    let Ok(device) = object.call_method0("__dlpack_device__") else { return Ok(None) };
    let (device, _): (c_int, i64) = device.extract()?;
    let on_device = match device {
        CPU | CUDA_HOST => false,
        CUDA | CUDA_MANAGED => true,
        other => {
            let what = format!("arrays on devices of kind {other} (DLPack) are not supported");
            return Err(PyBufferError::new_err(what));
        }
    };
    let arguments = pyo3::types::PyDict::new(py);
    arguments.set_item("max_version", (1, 0))?;
    let capsule = match object.call_method("__dlpack__", (), Some(&arguments)) {
        // Libraries from before version 1 do not know the parameter.
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
            object.call_method0("__dlpack__")?
        }
        capsule => capsule?,
    };
    // SAFETY: a capsule of one of these names has a pointer to such a tensor, which is ours once the capsule has the other name.
    unsafe {
        let raw = capsule.as_ptr();
        let (owner, tensor) = if ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr());
            ffi::PyCapsule_SetName(raw, c"used_dltensor_versioned".as_ptr());
            let versioned: *mut VersionedTensor = pointer.cast();
            (Imported::Versioned(pointer), &(*versioned).tensor)
        } else if ffi::PyCapsule_IsValid(raw, OLD.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(raw, OLD.as_ptr());
            ffi::PyCapsule_SetName(raw, c"used_dltensor".as_ptr());
            let old: *mut ManagedTensor = pointer.cast();
            (Imported::Old(pointer), &(*old).tensor)
        } else {
            return Err(PyBufferError::new_err("__dlpack__ has returned no tensor"));
        };
        let rank = usize::try_from(tensor.ndim).unwrap_or(0);
        let list = |pointer: *mut i64| -> Vec<i64> {
            match pointer.is_null() || rank == 0 {
                true => Vec::new(),
                false => std::slice::from_raw_parts(pointer, rank).to_vec(),
            }
        };
        let (shape, strides) = (list(tensor.shape), list(tensor.strides));
        Ok(Some(View {
            owner,
            data: tensor.data.cast::<u8>().wrapping_add(tensor.byte_offset as usize).cast(),
            contiguous: strides.is_empty() || contiguous(&shape, &strides, 1),
            shape,
            prim: (tensor.lanes == 1).then(|| Prim::of_dlpack(tensor.code, tensor.bits)).flatten(),
            on_device,
        }))
    }
}

/// Whether elements of so many units lie in row-major order.
pub(crate) fn contiguous(shape: &[i64], strides: &[i64], unit: i64) -> bool {
    let mut expected = unit;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size == 0 {
            return true;
        }
        if size != 1 && stride != expected {
            return false;
        }
        expected = expected.wrapping_mul(size);
    }
    true
}

/// What an array of ours tells another library.
pub(crate) struct Exported {
    pub(crate) data: *mut c_void,
    pub(crate) device: c_int,
    pub(crate) prim: Prim,
    pub(crate) shape: Vec<i64>,
    pub(crate) read_only: bool,
}

/// What a capsule of ours keeps alive.
struct Kept<T> {
    tensor: T,
    #[expect(dead_code, reason = "the tensor points to it")]
    shape: Vec<i64>,
    #[expect(dead_code, reason = "the tensor points to it")]
    strides: Vec<i64>,
    #[expect(dead_code, reason = "it is kept")]
    owner: Box<dyn Send + Sync>,
}

/// A capsule for another library; `owner` lives as long as that wants.
pub(crate) fn export<'py>(
    py: Python<'py>,
    exported: Exported,
    owner: Box<dyn Send + Sync>,
    versioned: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Exported { data, device, prim, mut shape, read_only } = exported;
    let mut strides = vec![1; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at] * shape[at].max(1);
    }
    let (code, bits) = prim.dlpack();
    let tensor = DLTensor {
        data,
        device: [device, 0],
        ndim: c_int::try_from(shape.len()).unwrap_or(0),
        code,
        bits,
        lanes: 1,
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let (pointer, name): (*mut c_void, &CStr) = if versioned {
        let flags = if read_only { READ_ONLY } else { 0 };
        let deleter = Some(delete_versioned as unsafe extern "C" fn(*mut VersionedTensor));
        let tensor = VersionedTensor {
            version: [1, 0],
            manager: std::ptr::null_mut(),
            deleter,
            flags,
            tensor,
        };
        let kept = Box::into_raw(Box::new(Kept { tensor, shape, strides, owner }));
        // SAFETY: it was just made.
        unsafe {
            (*kept).tensor.manager = kept.cast();
            ((&raw mut (*kept).tensor).cast(), VERSIONED)
        }
    } else {
        let deleter = Some(delete_old as unsafe extern "C" fn(*mut ManagedTensor));
        let tensor = ManagedTensor { tensor, manager: std::ptr::null_mut(), deleter };
        let kept = Box::into_raw(Box::new(Kept { tensor, shape, strides, owner }));
        // SAFETY: it was just made.
        unsafe {
            (*kept).tensor.manager = kept.cast();
            ((&raw mut (*kept).tensor).cast(), OLD)
        }
    };
    // SAFETY: the names are constants, and the destructor knows them.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer, name.as_ptr(), Some(forget_capsule));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

unsafe extern "C" fn delete_versioned(tensor: *mut VersionedTensor) {
    // SAFETY: `export` has made it, and whoever has it calls this once.
    drop(unsafe { Box::from_raw((*tensor).manager.cast::<Kept<VersionedTensor>>()) });
}

unsafe extern "C" fn delete_old(tensor: *mut ManagedTensor) {
    // SAFETY: the same.
    drop(unsafe { Box::from_raw((*tensor).manager.cast::<Kept<ManagedTensor>>()) });
}

/// A capsule dies; if it still has its name, then nobody has taken the tensor.
unsafe extern "C" fn forget_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: it is a capsule that `export` has made.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast());
        } else if ffi::PyCapsule_IsValid(capsule, OLD.as_ptr()) != 0 {
            delete_old(ffi::PyCapsule_GetPointer(capsule, OLD.as_ptr()).cast());
        }
    }
}
