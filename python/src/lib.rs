//! The extension module of the Python package: it loads programs that the compiler has made and calls their entry points.
//!
//! There is no compiler in here: the executable `fehu` is part of the same wheel, and `fehu/_compile.py` runs it. So a fault of the
//! compiler does not end the user's interpreter, and this module is small. What it loads is a shared library that describes itself
//! by tables ([`fehu::tables`]); their functions have the same signatures for all types, so no code has to be made for a program.
//!
//! A call ([`function`]) has three parts, and only the second one calls the library:
//!
//! 1. with the interpreter's lock, objects become numbers, addresses and sizes ([`arguments`], [`scalars`]);
//! 2. without it, and while nobody else uses the context ([`library`]), values of the program are made of these, the
//!    entry point is called, and its result is looked at;
//! 3. with the lock again, the result becomes an object ([`results`]).
//!
//! Arrays are not copied: those of Python are lent to the program ([`lender`], [`dlpack`]), and those of the program are lent to Python
//! ([`array`](mod@array)). Opaque values stay in the program's memory ([`value`]). Sequences are pulled from iterators ([`sequences`]).

mod arguments;
mod array;
mod dlpack;
mod errors;
mod function;
mod interrupt;
mod lender;
mod library;
mod results;
mod scalars;
mod sequences;
mod value;

use array::Array;
use errors::{Error, Unavailable};
use fehu::tables;
use function::Function;
use library::{Context, Memory, Symbols};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use value::Value;

/// A loaded program with a context.
#[pyclass(frozen, module = "fehu")]
struct Program {
    context: Arc<Context>,
    strict: bool,
    main_thread: u64,
}

#[pymethods]
impl Program {
    /// Loads the library of a program for a back end, and makes a context with these settings.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        backend: &str,
        options: Vec<(String, String)>,
        strict: bool,
        main_thread: u64,
    ) -> PyResult<Program> {
        let memory = match backend {
            "c" | "multicore" => Memory::Host,
            "cuda" => Memory::Cuda,
            _ => Memory::Device,
        };
        let symbols = Symbols::load(&path).map_err(Error::new_err)?;
        let made = py.detach(|| Context::new(symbols, memory, &options));
        let context = made.map_err(|failure| Unavailable::new_err(failure.message))?;
        Ok(Program { context: Arc::new(context), strict, main_thread })
    }

    /// The same program with another context, for other threads.
    fn fork(&self, py: Python<'_>, options: Vec<(String, String)>) -> PyResult<Program> {
        let (symbols, memory) = (self.context.symbols, self.context.memory);
        let made = py.detach(|| Context::new(symbols, memory, &options));
        let context = made.map_err(|failure| Unavailable::new_err(failure.message))?;
        Ok(Program { context: Arc::new(context), ..*self })
    }

    /// Its entry points.
    fn functions(&self) -> Vec<Function> {
        let entries = self.context.symbols.tables.entries().iter();
        let new = |entry| Function::new(self.context.clone(), entry, self.strict, self.main_thread);
        entries.map(new).collect()
    }

    /// A value of an opaque type; `variant` is the constructor of a sum.
    fn make(
        &self,
        py: Python<'_>,
        ty: &str,
        variant: Option<&str>,
        object: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        value::make(py, &self.context, self.ty(ty)?, variant, object)
    }

    /// A value that `Value.store` has made bytes of.
    fn restore(&self, py: Python<'_>, ty: &str, bytes: &[u8]) -> PyResult<Py<PyAny>> {
        value::restore(py, &self.context, self.ty(ty)?, bytes)
    }

    /// How many arguments had to be copied so far.
    #[getter]
    fn copies(&self) -> u64 {
        self.context.copies.load(Ordering::Relaxed)
    }

    /// What the program says about its runs, as JSON.
    fn report(&self, py: Python<'_>) -> Option<String> {
        self.context.enter(py, |turn| turn.report())
    }

    /// Stops what runs now; it fails.
    fn cancel(&self) {
        self.context.cancel(true);
    }
}

impl Program {
    fn ty(&self, name: &str) -> PyResult<&'static tables::Type> {
        let found = self.context.symbols.ty(name);
        found.ok_or_else(|| Error::new_err(format!("the program has no type {name}")))
    }
}

/// The module `fehu._dispatch`.
#[pymodule]
fn _dispatch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Program>()?;
    module.add_class::<Function>()?;
    module.add_class::<Array>()?;
    module.add_class::<Value>()?;
    Ok(())
}
