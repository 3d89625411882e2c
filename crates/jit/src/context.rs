//! What running code knows besides its arguments.

use crate::memory::{Handle, Pool};
use crate::raw::{self, Entry};
use crate::threads::Workers;
use crate::{Call, Sink};
use ecow::EcoString;
use fehu_base::Prim;
use fehu_interp::{Buffer, Error, ErrorKind, scalar};
use fehu_ir::{Loc, Scalar};
use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What calls of one program share.
#[derive(Default)]
pub(crate) struct Machine {
    pub(crate) pool: Pool,
    /// The constants of the program, by their numbers, as far as code refers to them.
    pub(crate) constants: Vec<Option<Constant>>,
    pub(crate) texts: Arc<Texts>,
    pub(crate) workers: Workers,
}

/// What code says, by numbers: the same for all threads.
#[derive(Clone, Default)]
pub(crate) struct Texts {
    /// When a check fails.
    pub(crate) messages: Vec<Message>,
    /// The tags of values that code traces, with the types of the values or their elements.
    pub(crate) tags: Vec<(EcoString, Prim)>,
    /// The names of functions that may call themselves too often.
    pub(crate) names: Vec<EcoString>,
}

/// A constant: computed when it is first read.
pub(crate) struct Constant {
    /// Its function; nothing before it is finished.
    pub(crate) entry: Option<Entry>,
    pub(crate) is_computed: bool,
    /// Its results, at addresses that code has.
    pub(crate) results: Box<[[u64; 2]]>,
    /// Where the arrays among them are, if they were given from outside.
    pub(crate) memory: Vec<Buffer>,
}

/// The message of a check.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) parts: Vec<Part>,
    pub(crate) trace: Vec<EcoString>,
}

/// A part of a message.
#[derive(Clone)]
pub(crate) enum Part {
    Text(EcoString),
    /// The next value that code has pushed, of this type.
    Value(Prim),
}

/// A call. Code reads the first two fields.
#[repr(C)]
pub(crate) struct Context<'a> {
    /// The address of a byte that is not zero if the call is to end.
    stop: u64,
    /// The address below which the stack is nearly used up.
    stack_end: u64,
    /// The same byte, for others who work for the call.
    stop_flag: Arc<AtomicBool>,
    pub(crate) machine: &'a mut Machine,
    pub(crate) sink: Option<&'a mut Sink>,
    /// Numbers that code has left for the next message or trace.
    pub(crate) pushed: Vec<u64>,
    /// Why the call has failed.
    pub(crate) failure: Option<Error>,
}

/// Where code finds the address of the byte that says that it should stop, ...
pub(crate) const STOP: i32 = offset_of!(Context<'static>, stop) as i32;
/// ... and the end of the stack.
pub(crate) const STACK_END: i32 = offset_of!(Context<'static>, stack_end) as i32;

/// The code of a call that succeeded, ...
pub(crate) const SUCCESS: i32 = 0;
/// ... and of one that failed, for which the context has a reason.
pub(crate) const FAILURE: i32 = 1;

/// What must be left of the stack, for all that a function does before it calls itself again, and for the message.
const STACK_RESERVE: usize = 256 * 1024;

impl<'a> Context<'a> {
    /// A call on a thread with so many bytes of stack, nearly all of which are left. It ends when the flag is set.
    pub(crate) fn new(
        machine: &'a mut Machine,
        call: Call<'a>,
        stop_flag: Arc<AtomicBool>,
        stack_bytes: usize,
    ) -> Context<'a> {
        machine.pool.limit = call.most_bytes;
        let here = 0_u8;
        let stack_end = (&raw const here as usize).saturating_sub(stack_bytes - STACK_RESERVE);
        Context {
            stop: stop_flag.as_ptr() as u64,
            stack_end: stack_end as u64,
            stop_flag,
            machine,
            sink: call.sink,
            pushed: Vec::new(),
            failure: None,
        }
    }

    pub(crate) fn fail(&mut self, kind: ErrorKind, message: String, trace: &[EcoString]) -> i32 {
        let trace = trace.iter().cloned().map(Loc).collect();
        self.failure = Some(Error { kind, message, trace });
        FAILURE
    }

    /// Fails as another thread did that worked for this one.
    pub(crate) fn fail_as(&mut self, error: Option<Error>) -> i32 {
        self.failure = error;
        FAILURE
    }

    /// What ends the call when it is set.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop_flag)
    }

    /// Fails with a message of the program; the values in it have been pushed.
    pub(crate) fn fail_with(&mut self, number: usize) -> i32 {
        let message = &self.machine.texts.messages[number];
        let (mut text, trace) = (String::new(), message.trace.clone());
        let mut values = std::mem::take(&mut self.pushed).into_iter();
        for part in &message.parts {
            match part {
                Part::Text(fixed) => text.push_str(fixed),
                Part::Value(prim) => {
                    let bits = values.next().unwrap_or_default();
                    text.push_str(&scalar::show(Scalar::from_bits(*prim, bits)));
                }
            }
        }
        self.fail(ErrorKind::Program, text, &trace)
    }

    /// Computes a constant, unless it has been computed.
    pub(crate) fn constant(&mut self, number: usize) -> i32 {
        let Some(constant) = &mut self.machine.constants[number] else {
            return self.internal("a constant is not compiled");
        };
        if constant.is_computed {
            return SUCCESS;
        }
        let Some(entry) = constant.entry else {
            return self.internal("a constant is not finished");
        };
        let mut results = vec![[0; 2]; constant.results.len()];
        let code = raw::call(entry, self, &[], &mut results);
        if code == SUCCESS
            && let Some(constant) = &mut self.machine.constants[number]
        {
            constant.results.copy_from_slice(&results);
            constant.is_computed = true;
        }
        code
    }

    fn internal(&mut self, message: &str) -> i32 {
        self.fail(ErrorKind::Internal, format!("internal error: {message}"), &[])
    }
}

/// A handle that is a result.
pub(crate) fn handle([data, block]: [u64; 2]) -> Handle {
    Handle { data, block }
}
