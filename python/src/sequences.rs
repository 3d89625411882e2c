//! Sequences: entry points that take `seq t` can be given anything that yields arrays one after the other, which the program asks for
//! chunks as it goes on.

use crate::errors::Mismatch;
use crate::lender::Lender;
use crate::scalars::Prim;
use fehu::tables::{Chunk, Input, Pull};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{CStr, c_int, c_void};

/// An iterator that chunks are pulled from.
pub(crate) struct Source {
    iterator: Py<PyAny>,
    prim: Prim,
    /// The dimensions of a chunk; the first one is that of the sequence.
    rank: usize,
    /// The chunk that the program has now, with its address and sizes.
    current: Option<Lender>,
    column: [*const c_void; 1],
    sizes: Vec<i64>,
    error: Option<PyErr>,
}

impl Source {
    /// Whether an object yields chunks: iterators do, arrays and lists are sequences in memory.
    pub(crate) fn is_one(object: &Bound<'_, PyAny>) -> bool {
        object.hasattr("__next__").unwrap_or(false)
    }

    pub(crate) fn new(object: &Bound<'_, PyAny>, input: &Input) -> PyResult<Source> {
        let Some(prim) = input.ty.prim() else {
            let what = format!(
                "{}: sequences of {} cannot be given as iterators",
                input.name,
                input.ty.name()
            );
            return Err(Mismatch::Wrong(what).into());
        };
        Ok(Source {
            iterator: object.clone().unbind(),
            prim: Prim::of(prim),
            rank: input.ty.rank(),
            current: None,
            column: [std::ptr::null()],
            sizes: Vec::new(),
            error: None,
        })
    }

    /// What the library calls.
    pub(crate) fn pull(&mut self) -> Pull {
        Pull { source: Some(pull), state: std::ptr::from_mut(self).cast() }
    }

    pub(crate) fn error(&mut self) -> Option<PyErr> {
        self.error.take()
    }

    /// The next elements, at least one, or none at the end.
    fn next(&mut self, py: Python<'_>, chunk: &mut Chunk) -> PyResult<()> {
        *chunk =
            Chunk { count: 0, total: 0, columns: self.column.as_ptr(), sizes: self.sizes.as_ptr() };
        self.current = None;
        let helper = py.import("fehu._arrays")?.getattr("chunk")?;
        loop {
            let arguments = (&self.iterator, self.prim.numpy_name(), self.rank);
            let array = helper.call1(arguments)?;
            if array.is_none() {
                return Ok(());
            }
            let mut view = Box::new(ffi::Py_buffer::new());
            // SAFETY: the view is new, and its lender releases it.
            let got = unsafe {
                ffi::PyObject_GetBuffer(array.as_ptr(), &raw mut *view, ffi::PyBUF_RECORDS_RO)
            };
            if got != 0 {
                return Err(PyErr::fetch(py));
            }
            let lender = Lender::buffer(view);
            let Some(view) = lender.view() else { continue };
            // SAFETY: `chunk` in Python has checked type, rank and order; sizes are there as we have asked for them.
            let shape: Vec<i64> = unsafe {
                debug_assert!(!CStr::from_ptr(view.format).is_empty());
                (0..self.rank).map(|i| *view.shape.add(i) as i64).collect()
            };
            if shape[0] == 0 {
                continue;
            }
            self.column[0] = view.buf;
            self.sizes = shape[1..].to_vec();
            // An address even if there are none.
            self.sizes.push(0);
            *chunk = Chunk {
                count: shape[0],
                total: shape[0],
                columns: self.column.as_ptr(),
                sizes: self.sizes.as_ptr(),
            };
            self.current = Some(lender);
            return Ok(());
        }
    }

    /// Begins again, if the iterator can.
    fn rewind(&mut self, py: Python<'_>) -> PyResult<()> {
        let what = "the program reads the sequence more than once, which an iterator does not allow; \
                    give an array, a list, or a file";
        match self.iterator.bind(py).getattr("rewind") {
            Ok(rewind) => rewind.call0().map(|_| ()),
            Err(_) => Err(PyTypeError::new_err(what)),
        }
    }
}

unsafe extern "C" fn pull(state: *mut c_void, want: i64, chunk: *mut Chunk) -> c_int {
    // SAFETY: the state is a source that lives until the call is over, and only this thread has it now.
    let (source, chunk) = unsafe { (&mut *state.cast::<Source>(), &mut *chunk) };
    Python::attach(|py| {
        let done = if want == 0 { source.rewind(py) } else { source.next(py, chunk) };
        match done.and_then(|()| py.check_signals()) {
            Ok(()) => 0,
            Err(error) => {
                source.error = Some(error);
                1
            }
        }
    })
}
