//! Memory of Python that a program reads where it is: who has it, and where it begins and ends.

use crate::dlpack::Imported;
use pyo3::ffi;
use pyo3::prelude::*;

/// Keeps memory alive until it is dropped.
pub(crate) struct Lender {
    start: usize,
    bytes: usize,
    owner: Owner,
}

enum Owner {
    /// Of the buffer protocol. Boxed, since whoever gave it may refer to its address.
    Buffer(Box<ffi::Py_buffer>),
    /// Of DLPack.
    Tensor(#[expect(dead_code, reason = "it is kept")] Imported),
}

// SAFETY: buffers are released with the interpreter's lock, and nothing else is done with them.
unsafe impl Send for Lender {}
// SAFETY: the same.
unsafe impl Sync for Lender {}

impl Lender {
    pub(crate) fn buffer(view: Box<ffi::Py_buffer>) -> Lender {
        let bytes = usize::try_from(view.len).unwrap_or(0);
        Lender { start: view.buf as usize, bytes, owner: Owner::Buffer(view) }
    }

    pub(crate) fn tensor(tensor: Imported, start: usize, bytes: usize) -> Lender {
        Lender { start, bytes, owner: Owner::Tensor(tensor) }
    }

    /// What the buffer protocol says of it.
    pub(crate) fn view(&self) -> Option<&ffi::Py_buffer> {
        match &self.owner {
            Owner::Buffer(view) => Some(view),
            Owner::Tensor(_) => None,
        }
    }

    /// Whether an address is in its memory.
    pub(crate) fn has(&self, address: usize) -> bool {
        (self.start..self.start + self.bytes).contains(&address)
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        if let Owner::Buffer(view) = &mut self.owner {
            // SAFETY: it was filled by `PyObject_GetBuffer`, and is released once.
            Python::attach(|_| unsafe { ffi::PyBuffer_Release(&raw mut **view) });
        }
    }
}
