//! Sequences: entry points that take `seq t` can be given anything that yields arrays one after the other, which the program asks for
//! chunks as it goes on; and sequences that they yield are given to a function of Python, chunk by chunk (see `fehu/_sequences.py` and `fehu/_chunks.py`).

use crate::errors::Mismatch;
use crate::lender::Lender;
use crate::scalars::Prim;
use fehu::tables::{Chunk, Column, Entry, Pull, Push, Sequence, Type};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList, PyTuple};
use std::ffi::{c_int, c_void};

/// An iterator that chunks are pulled from.
pub(crate) struct Source {
    iterator: Py<PyAny>,
    sequence: &'static Sequence,
    /// How the columns are found in what the iterator yields, for `fehu/_chunks.py`.
    layout: Py<PyAny>,
    /// The chunk that the program has now, with its addresses and sizes.
    current: Vec<Lender>,
    columns: Vec<*const c_void>,
    sizes: Vec<i64>,
    error: Option<PyErr>,
}

/// The columns of arrays: a type and a number of dimensions, or, for each field of records, its name and columns.
fn layout<'py>(py: Python<'py>, ty: &'static Type) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(prim) = ty.prim() {
        return Ok(Some((Prim::of(prim).numpy_name(), ty.rank()).into_pyobject(py)?.into_any()));
    }
    let Some(array) = ty.opaque_array() else { return Ok(None) };
    let fields = PyList::empty(py);
    for field in array.fields() {
        let Some(inside) = layout(py, field.ty())? else { return Ok(None) };
        fields.append((field.name(), inside))?;
    }
    Ok((!fields.is_empty()).then(|| fields.into_any()))
}

impl Source {
    /// Whether an object yields chunks: iterators do, arrays and lists are sequences in memory.
    pub(crate) fn is_one(object: &Bound<'_, PyAny>) -> bool {
        object.hasattr("__next__").unwrap_or(false)
    }

    /// A source of a sequence whose values, in memory, are of a type.
    pub(crate) fn new(
        object: &Bound<'_, PyAny>,
        sequence: &'static Sequence,
        values: &'static Type,
    ) -> PyResult<Source> {
        let Some(layout) = layout(object.py(), values)? else {
            let what = format!(
                "{}: iterators yield arrays of numbers, or tuples and records of them; this is a sequence of {}",
                sequence.name(),
                values.opaque_array().map_or(values.name(), |array| array.elem().name())
            );
            return Err(Mismatch::Wrong(what).into());
        };
        Ok(Source {
            iterator: object.clone().unbind(),
            sequence,
            layout: layout.unbind(),
            current: Vec::new(),
            columns: Vec::new(),
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
        self.current.clear();
        self.columns.clear();
        self.sizes.clear();
        let helper = py.import("fehu._chunks")?.getattr("chunk")?;
        let arguments = (&self.iterator, &self.layout, self.sequence.pieces);
        let arrays = helper.call1(arguments)?;
        if arrays.is_none() {
            let (columns, sizes) = (std::ptr::null(), std::ptr::null());
            *chunk = Chunk { count: 0, total: 0, columns, sizes };
            return Ok(());
        }
        // The number of elements, and, if they are pieces, of their values.
        let (mut count, mut total) = (0, 0);
        let ranks = self.sequence.columns().iter().map(Column::rank);
        for (i, (array, rank)) in arrays.try_iter()?.zip(ranks).enumerate() {
            let shape = self.lend(&array?, rank)?;
            total = shape[0];
            if i == 0 {
                count = total;
            }
            self.sizes.extend(&shape[1..]);
        }
        // An address even if there are none.
        self.sizes.push(0);
        let (columns, sizes) = (self.columns.as_ptr(), self.sizes.as_ptr());
        *chunk = Chunk { count, total, columns, sizes };
        Ok(())
    }

    /// Adds a column, which Python has made an array with a type and a number of dimensions in row-major order, and yields its sizes.
    fn lend(&mut self, array: &Bound<'_, PyAny>, rank: usize) -> PyResult<Vec<i64>> {
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the view is new, and its lender releases it.
        let got = unsafe {
            ffi::PyObject_GetBuffer(array.as_ptr(), &raw mut *view, ffi::PyBUF_RECORDS_RO)
        };
        if got != 0 {
            return Err(PyErr::fetch(array.py()));
        }
        self.columns.push(view.buf);
        // SAFETY: sizes are there as we have asked for them, one for each dimension.
        let shape = (0..rank).map(|i| unsafe { *view.shape.add(i) } as i64).collect();
        self.current.push(Lender::buffer(view));
        Ok(shape)
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

/// The place of a sequence that is the whole result.
const WHOLE: c_int = -1;

/// What takes the chunks of a result.
pub(crate) struct Sink {
    function: Py<PyAny>,
    index: usize,
    sequence: &'static Sequence,
    /// What the chunks look like; none if they are just columns.
    layout: Option<Py<PyAny>>,
    error: Option<PyErr>,
}

impl Sink {
    /// What takes a sequence of the result of an entry point, that with a number.
    pub(crate) fn new(
        function: &Bound<'_, PyAny>,
        index: usize,
        entry: &'static Entry,
    ) -> PyResult<Sink> {
        let sequence = &entry.sinks()[index];
        let mut ty = Some(entry.output());
        let field = |ty: &'static Type, at: usize| Some(ty.record()?.fields().get(at)?.ty());
        if sequence.place != WHOLE {
            let place = usize::try_from(sequence.place).ok();
            ty = ty.zip(place).and_then(|(ty, place)| field(ty, place));
        }
        if sequence.pieces {
            ty = ty.and_then(|ty| field(ty, 1));
        }
        let layout = ty.map(|ty| layout(function.py(), ty)).transpose()?.flatten();
        let (function, layout) = (function.clone().unbind(), layout.map(Bound::unbind));
        Ok(Sink { function, index, sequence, layout, error: None })
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
        let arguments = (columns, &self.layout, self.sequence.pieces);
        let value = py.import("fehu._chunks")?.getattr("assemble")?.call1(arguments)?;
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
