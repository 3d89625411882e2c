//! Contexts, and calls of entry points.

use crate::tables::{self, Ctx, Entry, Object, Type};
use crate::value::{Arg, Out};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a call can fail with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// A check of the program failed: the message says where, and with which values.
    Program(String),
    /// There was not enough memory.
    OutOfMemory(String),
    /// An argument is not what the entry point takes.
    Argument(String),
}

/// What calls yield.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program(message) | Error::OutOfMemory(message) | Error::Argument(message) => {
                f.write_str(message)
            }
        }
    }
}

impl std::error::Error for Error {}

/// The functions that all programs have; the generated code fills it in.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Functions {
    pub bindings: unsafe extern "C" fn() -> *const tables::Bindings,
    pub config_new: unsafe extern "C" fn() -> *mut c_void,
    pub config_free: unsafe extern "C" fn(*mut c_void),
    pub context_new: unsafe extern "C" fn(*mut c_void) -> Ctx,
    pub context_free: unsafe extern "C" fn(Ctx),
    pub get_error: unsafe extern "C" fn(Ctx) -> *mut c_char,
}

unsafe extern "C" {
    fn free(memory: *mut c_void);
}

/// Gives memory back that C has made for us.
pub(crate) fn release(memory: *mut c_void) {
    // SAFETY: callers have it from a function of a program, which says so.
    unsafe { free(memory) };
}

/// A program with a context. Threads that share it take turns.
pub struct Program {
    pub(crate) context: Arc<Context>,
    entries: &'static [Entry],
    types: Vec<&'static Type>,
}

pub(crate) struct Context {
    functions: Functions,
    config: *mut c_void,
    raw: Ctx,
    turn: Mutex<()>,
    /// Values that nobody has any more.
    dead: Mutex<Vec<(&'static Type, usize)>>,
}

// SAFETY: the pointers are used only by whoever has the turn.
unsafe impl Send for Context {}
// SAFETY: the same.
unsafe impl Sync for Context {}

/// The right to call functions of the program.
pub(crate) struct Turn<'a> {
    pub(crate) context: &'a Arc<Context>,
    _guard: MutexGuard<'a, ()>,
}

impl Program {
    /// Makes a context.
    #[doc(hidden)]
    pub fn new(functions: Functions) -> Result<Program> {
        // SAFETY: the functions are those of a program of the compiler, as the generated code has declared them.
        unsafe {
            let Some(tables) = tables::Bindings::known((functions.bindings)()) else {
                let what = "the crate `fehu` and the compiler are of different versions";
                return Err(Error::Argument(what.to_owned()));
            };
            let config = (functions.config_new)();
            let raw = (functions.context_new)(config);
            let context = Arc::new(Context {
                functions,
                config,
                raw,
                turn: Mutex::new(()),
                dead: Mutex::default(),
            });
            if let Some(message) = context.message() {
                return Err(Error::Program(message));
            }
            Ok(Program { context, entries: tables.entries(), types: tables.types().collect() })
        }
    }

    pub(crate) fn ty(&self, name: &str) -> Option<&'static Type> {
        self.types.iter().copied().find(|ty| ty.name() == name)
    }

    /// Calls an entry point.
    #[doc(hidden)]
    pub fn call(&self, name: &str, args: Vec<Arg<'_>>) -> Result<Out> {
        let none = || Error::Argument(format!("there is no entry point {name}"));
        let entry = self.entries.iter().find(|entry| entry.name() == name).ok_or_else(none)?;
        self.context.enter(|turn| {
            let inputs = entry.inputs();
            let mut made = Vec::new();
            let mut slots = Vec::with_capacity(args.len());
            let mut lent = false;
            let mut failed = None;
            for (arg, input) in args.into_iter().zip(&inputs) {
                lent |= matches!(arg, Arg::Lent { .. });
                match arg.build(turn, input.ty, input.consumed, &mut made) {
                    Ok(slot) => slots.push(slot),
                    Err(error) => {
                        failed = Some(error);
                        break;
                    }
                }
            }
            let called = match failed {
                Some(error) => Err(error),
                None => {
                    let pointers: Vec<*const c_void> =
                        slots.iter().map(|slot| slot.as_ptr().cast()).collect();
                    let mut out = [0_u8; 8];
                    let place = out.as_mut_ptr().cast();
                    // SAFETY: we have the turn, and there is a value of its type for each input.
                    let code = unsafe { (entry.call)(turn.raw(), place, pointers.as_ptr()) };
                    turn.check(code).map(|()| out)
                }
            };
            let out = called.and_then(|slot| {
                let out = Out::new(turn, entry.output(), slot);
                // A result may be an argument's memory, which is only borrowed.
                if lent && !entry.fresh { out.into_own(turn) } else { Ok(out) }
            });
            drop(made);
            out
        })
    }
}

impl Context {
    pub(crate) fn enter<R>(self: &Arc<Context>, act: impl FnOnce(&Turn<'_>) -> R) -> R {
        let guard = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let done = act(&Turn { context: self, _guard: guard });
        if let Ok(_guard) = self.turn.try_lock() {
            self.bury();
        }
        done
    }

    /// Frees what has died; for whoever has the turn.
    fn bury(&self) {
        let dead = std::mem::take(&mut *self.dead.lock().unwrap_or_else(PoisonError::into_inner));
        for (ty, object) in dead {
            let release = if ty.kind == tables::ARRAY { ty.array_free } else { ty.opaque_free };
            if let Some(release) = release {
                // SAFETY: the caller has the turn, and nobody else the object.
                unsafe { release(self.raw, object as Object) };
            }
        }
    }

    fn message(&self) -> Option<String> {
        // SAFETY: it is asked by whoever has the turn, or before anybody else has it; the text is memory of `malloc`, which is ours.
        unsafe {
            let text = (self.functions.get_error)(self.raw);
            if text.is_null() {
                return None;
            }
            let copy = CStr::from_ptr(text).to_string_lossy().trim_end().to_owned();
            free(text.cast());
            Some(copy.strip_prefix("Error: ").map_or(copy.clone(), str::to_owned))
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.bury();
        // SAFETY: all values are gone, since each of them refers to the context.
        unsafe {
            (self.functions.context_free)(self.raw);
            (self.functions.config_free)(self.config);
        }
    }
}

impl Turn<'_> {
    pub(crate) fn raw(&self) -> Ctx {
        self.context.raw
    }

    pub(crate) fn check(&self, code: c_int) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(self.error(code)) }
    }

    pub(crate) fn object(&self, object: Object) -> Result<Object> {
        if object.is_null() { Err(self.error(2)) } else { Ok(object) }
    }

    fn error(&self, code: c_int) -> Error {
        let message = self.context.message().unwrap_or_else(|| "the call failed".to_owned());
        match code {
            3 => Error::OutOfMemory(message),
            _ if message.starts_with("entry point arguments") => Error::Argument(message),
            _ => Error::Program(message),
        }
    }
}

/// A value of the program, freed when it is dropped, or at the end of the turn that somebody has then.
pub(crate) struct Handle {
    pub(crate) context: Arc<Context>,
    pub(crate) ty: &'static Type,
    pub(crate) object: Object,
}

// SAFETY: the object is used only during turns, except for reading elements of arrays that nobody changes.
unsafe impl Send for Handle {}
// SAFETY: the same.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut dead = self.context.dead.lock().unwrap_or_else(PoisonError::into_inner);
        dead.push((self.ty, self.object as usize));
        drop(dead);
        if let Ok(_guard) = self.context.turn.try_lock() {
            self.context.bury();
        }
    }
}
