//! From results of a program to objects of Python: scalars of NumPy, arrays, tuples, and everything else as [`Value`]s.

use crate::arguments::Likeness;
use crate::array::Found;
use crate::errors::Failure;
use crate::lender::Lender;
use crate::library::{Handle, Turn};
use crate::scalars::{self, Prim, Slot};
use crate::value::Value;
use fehu::tables::{self, Type};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::c_void;
use std::sync::Arc;

/// A result without anything of Python.
pub(crate) enum Out {
    Scalar(Prim, Slot),
    Array(Box<Found>),
    Tuple(Vec<Out>),
    Object(Handle),
}

impl Out {
    /// Takes a value that the program has made, apart if it is a tuple.
    pub(crate) fn new(turn: &Turn<'_>, ty: &'static Type, slot: Slot) -> Result<Out, Failure> {
        if let (Some(prim), true) = (ty.prim(), ty.kind != tables::ARRAY) {
            return Ok(Out::Scalar(Prim::of(prim), slot));
        }
        let record = ty.record().filter(|record| record.is_tuple());
        let Some(record) = record else {
            let handle = handle(turn, ty, slot);
            if ty.kind == tables::ARRAY {
                return Found::new(turn, handle).map(|found| Out::Array(Box::new(found)));
            }
            return Ok(Out::Object(handle));
        };
        // The tuple itself goes away first: arrays whose memory nobody else has can be written to.
        let object = u64::from_ne_bytes(slot) as *mut c_void;
        let field = |field: &tables::Field| {
            let mut slot: Slot = [0; 8];
            let place: *mut c_void = slot.as_mut_ptr().cast();
            // SAFETY: we have the turn, and the object is of the type with this field.
            turn.check(unsafe { (field.project)(turn.raw(), place, object) })?;
            Ok(slot)
        };
        let slots = record.fields().iter().map(field).collect::<Result<Vec<Slot>, Failure>>();
        turn.free(ty, object);
        let outs = record.fields().iter().zip(slots?);
        outs.map(|(field, slot)| Out::new(turn, field.ty(), slot))
            .collect::<Result<_, _>>()
            .map(Out::Tuple)
    }

    /// The same for a value that stays what it is, also if it is a tuple.
    pub(crate) fn new_object(
        turn: &Turn<'_>,
        ty: &'static Type,
        slot: Slot,
    ) -> Result<Out, Failure> {
        Ok(Out::Object(handle(turn, ty, slot)))
    }

    /// The object. Lenders are those whose memory it may be in.
    pub(crate) fn into_python(
        self,
        py: Python<'_>,
        lenders: &[Arc<Lender>],
        likeness: Likeness,
    ) -> PyResult<Py<PyAny>> {
        match self {
            Out::Scalar(prim, slot) => scalars::write(py, prim, slot),
            Out::Array(found) => found.into_python(py, lenders, likeness),
            Out::Tuple(outs) => {
                let items = outs.into_iter().map(|out| out.into_python(py, lenders, likeness));
                let items = items.collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any().unbind())
            }
            Out::Object(handle) => {
                let value = Value { handle, lenders: lenders.to_vec() };
                Ok(Bound::new(py, value)?.into_any().unbind())
            }
        }
    }
}

fn handle(turn: &Turn<'_>, ty: &'static Type, slot: Slot) -> Handle {
    let object = u64::from_ne_bytes(slot) as *mut c_void;
    Handle { context: turn.context.clone(), ty, object }
}
