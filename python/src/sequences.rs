//! Sequences: entry points that take `seq t` can be given anything that yields arrays one after the other, which the program asks for
//! chunks as it goes on; and sequences that they yield are given to a function of Python, chunk by chunk (see `fehu/_sequences.py`).

use crate::errors::Mismatch;
use crate::lender::Lender;
use crate::scalars::Prim;
use fehu::tables::{Chunk, Input, Pull, Push, Sequence};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyTuple};
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

/// What takes the chunks of a result.
pub(crate) struct Sink {
    function: Py<PyAny>,
    index: usize,
    sequence: &'static Sequence,
    error: Option<PyErr>,
}

impl Sink {
    pub(crate) fn new(
        function: &Bound<'_, PyAny>,
        index: usize,
        sequence: &'static Sequence,
    ) -> Sink {
        Sink { function: function.clone().unbind(), index, sequence, error: None }
    }

    /// What the library calls.
    pub(crate) fn push(&mut self) -> Push {
        Push { sink: Some(push), state: std::ptr::from_mut(self).cast() }
    }

    pub(crate) fn error(&mut self) -> Option<PyErr> {
        self.error.take()
    }

    /// Copies elements, which are there until the library goes on, and hands them over.
    fn take(&self, py: Python<'_>, chunk: &Chunk) -> PyResult<()> {
        let helpers = py.import("fehu._sequences")?;
        let mut columns = Vec::new();
        let mut at = 0;
        for (c, column) in self.sequence.columns().iter().enumerate() {
            let Some(prim) = column.prim().map(Prim::of) else { continue };
            let rows = if self.sequence.pieces && c > 0 { chunk.total } else { chunk.count };
            let mut shape = vec![rows];
            // SAFETY: there is a size for each dimension of an element, for all columns in turn, and an address for each column.
            let data = unsafe {
                shape.extend((1..column.rank()).map(|i| *chunk.sizes.add(at + i - 1)));
                *chunk.columns.add(c)
            };
            at += column.rank().saturating_sub(1);
            let count = usize::try_from(shape.iter().product::<i64>()).unwrap_or(0);
            let bytes = match count * prim.size() {
                0 => &[],
                // SAFETY: so many elements are there.
                bytes => unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) },
            };
            let shape = PyTuple::new(py, shape)?;
            let array = (PyByteArray::new(py, bytes), prim.numpy_name(), shape);
            columns.push(helpers.getattr("array")?.call1(array)?);
        }
        let value = match (self.sequence.pieces, columns.len()) {
            (true, _) => {
                let values = columns.split_off(1);
                helpers.getattr("pieces")?.call1((columns.pop(), values))?
            }
            (false, 1) => columns.remove(0),
            (false, _) => PyTuple::new(py, columns)?.into_any(),
        };
        self.function.call1(py, (self.index, value)).map(|_| ())
    }
}

unsafe extern "C" fn push(state: *mut c_void, chunk: *const Chunk) -> c_int {
    // SAFETY: the state is a sink that lives until the call is over, and only this thread has it now.
    let (sink, chunk) = unsafe { (&mut *state.cast::<Sink>(), &*chunk) };
    Python::attach(|py| match sink.take(py, chunk) {
        Ok(()) => 0,
        Err(error) => {
            sink.error = Some(error);
            1
        }
    })
}
