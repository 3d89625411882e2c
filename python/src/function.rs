//! Calls of entry points.

use crate::arguments::{Arg, Arguments, Likeness, Temporaries, addresses, build};
use crate::errors::{Failure, Mismatch};
use crate::interrupt::Guard;
use crate::library::{Context, Memory, Turn};
use crate::results::Out;
use crate::scalars::Slot;
use crate::sequences::{Sink, Source};
use fehu::tables::{Entry, Input, Pull, Push, Sequence};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::sync::Arc;

/// An entry point of a program, in one of its contexts.
#[pyclass(frozen, module = "fehu")]
pub(crate) struct Function {
    context: Arc<Context>,
    entry: &'static Entry,
    inputs: Vec<Input>,
    /// Whether copies of arguments are errors.
    strict: bool,
    /// The thread that handles signals.
    main_thread: u64,
}

impl Function {
    pub(crate) fn new(
        context: Arc<Context>,
        entry: &'static Entry,
        strict: bool,
        main_thread: u64,
    ) -> Function {
        Function { context, entry, inputs: entry.inputs(), strict, main_thread }
    }

    /// The arguments in the order of the parameters; an iterator of pieces is all that there is for their sizes and their values.
    fn bound<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
        let name = self.entry.name();
        let wrong = |what: String| Err(Mismatch::Wrong(what).into());
        let by_name =
            |key: &str| PyResult::Ok(named.map(|n| n.get_item(key)).transpose()?.flatten());
        let mut all = Vec::with_capacity(self.inputs.len());
        let mut positional = args.iter();
        let mut used = 0;
        while let Some(input) = self.inputs.get(all.len()) {
            let value = match positional.next() {
                Some(value) => value,
                None => {
                    used += 1;
                    let whole = input.sequence.map_or(input.name, Sequence::name);
                    match by_name(input.name)?.map_or_else(|| by_name(whole), |v| Ok(Some(v)))? {
                        Some(value) => value,
                        None => return wrong(format!("{name}: the argument `{whole}` is missing")),
                    }
                }
            };
            let both =
                input.sequence.is_some_and(|sequence| sequence.pieces) && Source::is_one(&value);
            all.push(Some(value));
            if both {
                all.push(None);
            }
        }
        if positional.len() > 0 {
            let (wanted, given) = (all.iter().flatten().count(), args.len());
            return wrong(format!("{name} takes {wanted} arguments, got {given}"));
        }
        if let Some(named) = named.filter(|named| named.len() > used) {
            for key in named.keys() {
                let key = key.cast::<PyString>()?.to_string_lossy();
                let known = |input: &Input| {
                    input.name == key || input.sequence.is_some_and(|of| of.name() == key)
                };
                match self.inputs.iter().position(known) {
                    None => return wrong(format!("{name} has no parameter `{key}`")),
                    Some(at) if at < args.len() => {
                        return wrong(format!("{name}: the argument `{key}` is given twice"));
                    }
                    Some(_) => {}
                }
            }
            return wrong(format!("{name}: a sequence is given twice"));
        }
        Ok(all)
    }

    /// Does the call, during a turn.
    fn run(
        &self,
        turn: &Turn<'_>,
        args: &[Arg],
        streams: Option<&Streams>,
    ) -> Result<Out, Failure> {
        let mut made = Temporaries::default();
        turn.context.cancel(false);
        let result = self.call(turn, args, streams, &mut made);
        made.free(turn);
        result
    }

    fn call(
        &self,
        turn: &Turn<'_>,
        args: &[Arg],
        streams: Option<&Streams>,
        made: &mut Temporaries,
    ) -> Result<Out, Failure> {
        let slots =
            self.inputs.iter().zip(args).map(|(input, arg)| build(turn, input.ty, arg, made));
        let slots: Vec<Slot> = slots.collect::<Result<_, _>>()?;
        let inputs = addresses(&slots);
        let mut out: Slot = [0; 8];
        let place = out.as_mut_ptr().cast();
        // SAFETY: we have the turn; there is a value of the right type for each input, and room for the result.
        let code = unsafe {
            match (streams, self.entry.stream) {
                (Some(streams), Some(stream)) => stream(
                    turn.raw(),
                    place,
                    inputs.as_ptr(),
                    streams.pulls.as_ptr(),
                    streams.pushes.as_ptr(),
                ),
                _ => (self.entry.call)(turn.raw(), place, inputs.as_ptr()),
            }
        };
        turn.check(code)?;
        if turn.context.memory != Memory::Host {
            turn.sync()?;
        }
        Out::new(turn, self.entry.output(), out)
    }
}

/// The caller's functions for sequences.
struct Streams {
    pulls: Vec<Pull>,
    pushes: Vec<Push>,
}

// SAFETY: the states are those of sources and sinks that live until the call is over, and take the interpreter's lock themselves.
unsafe impl Send for Streams {}
// SAFETY: the same.
unsafe impl Sync for Streams {}

impl Function {
    /// Calls the entry point. With a `sink`, its sequences are iterators, and it takes the chunks of those that it yields.
    fn invoke(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
        sink: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let objects = self.bound(args, named)?;
        let mut arguments = Arguments::new(&self.context, self.strict);
        let mut sources = Vec::new();
        let mut read = Vec::with_capacity(objects.len());
        for (i, (object, input)) in objects.iter().zip(&self.inputs).enumerate() {
            let Some(object) = object else {
                read.push(Arg::Sequence);
                continue;
            };
            if let Some(sequence) = input.sequence.filter(|_| Source::is_one(object)) {
                let values = &self.inputs[if sequence.pieces { i + 1 } else { i }];
                sources.push(Source::new(object, sequence, values.ty)?);
                read.push(Arg::Sequence);
                continue;
            }
            let arg = arguments.read(object, input.ty, input.consumed);
            let place = || format!("{}: argument `{}`", self.entry.name(), input.name);
            read.push(arg.map_err(|wrong| wrong.within(&place()))?);
        }
        // Sequences in memory are arrays; all of them are, or none.
        let streaming = sink.is_some() || !sources.is_empty();
        if streaming && sources.len() != self.entry.sources().len() {
            let what = "either all sequences are iterators, or all of them are arrays";
            return Err(PyTypeError::new_err(what));
        }
        let mut sinks: Vec<Sink> = Vec::new();
        match sink {
            Some(sink) => {
                for index in 0..self.entry.sinks().len() {
                    sinks.push(Sink::new(sink, index, self.entry)?);
                }
            }
            None if streaming && !self.entry.sinks().is_empty() => {
                let what = "its results are sequences, too, and somebody has to take them";
                return Err(Mismatch::Wrong(format!("{}: {what}", self.entry.name())).into());
            }
            None => {}
        }
        let streams = streaming.then(|| Streams {
            pulls: sources.iter_mut().map(Source::pull).collect(),
            pushes: sinks.iter_mut().map(Sink::push).collect(),
        });
        // SAFETY: it has no arguments.
        let main = unsafe { libc::pthread_self() } as u64 == self.main_thread;
        let guard = if main { Guard::new(&self.context) } else { None };
        let done = self.context.enter(py, |turn| self.run(turn, &read, streams.as_ref()));
        drop(guard);
        let out = match done {
            Ok(out) => out,
            Err(failure) => {
                // What the caller's own functions raised, and Ctrl-C, explain the failure.
                let theirs = sources.iter_mut().find_map(Source::error);
                if let Some(error) = theirs.or_else(|| sinks.iter_mut().find_map(Sink::error)) {
                    return Err(error);
                }
                py.check_signals()?;
                return Err(failure.into());
            }
        };
        let likeness = arguments.likeness.unwrap_or(Likeness::Numpy);
        let lenders = if self.entry.fresh { &[] } else { arguments.lenders.as_slice() };
        out.into_python(py, lenders, likeness)
    }
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **named))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        self.invoke(py, args, named, None)
    }

    /// A call whose sequences are iterators; `sink(i, chunk)` takes what result number i yields, which is empty in the result of the call.
    fn stream(
        &self,
        py: Python<'_>,
        sink: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        named: &Bound<'_, PyDict>,
    ) -> PyResult<Py<PyAny>> {
        if self.entry.stream.is_none() {
            let what = format!("{} has no sequences", self.entry.name());
            return Err(Mismatch::Wrong(what).into());
        }
        self.invoke(py, args, Some(named), Some(sink))
    }

    /// The sequences among the parameters, and the names of those that they are in memory: itself, or the sizes and the values of pieces.
    #[getter]
    fn sources(&self) -> Vec<(&'static str, Vec<&'static str>)> {
        let mut sources = Vec::new();
        for (i, input) in self.inputs.iter().enumerate() {
            if let Some(sequence) = input.sequence {
                let count = if sequence.pieces { 2 } else { 1 };
                let names = self.inputs[i..].iter().take(count).map(|input| input.name);
                sources.push((sequence.name(), names.collect()));
            }
        }
        sources
    }

    /// The fields of the result that are sequences; -1 is the whole result, -2 something deeper.
    #[getter]
    fn sinks(&self) -> Vec<i32> {
        self.entry.sinks().iter().map(|sequence| sequence.place).collect()
    }

    /// How many fields the result has, if it is a tuple.
    #[getter]
    fn fields(&self) -> usize {
        self.entry.output().record().map_or(0, |record| record.fields().len())
    }

    /// The name in the program.
    #[getter]
    fn name(&self) -> &'static str {
        self.entry.name()
    }

    fn __repr__(&self) -> String {
        format!("<entry point {}>", self.entry.name())
    }
}
