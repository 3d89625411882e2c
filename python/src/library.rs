//! A loaded program and its contexts.
//!
//! Libraries stay loaded as long as the process lives, so that tables, and what functions of theirs have been given to others,
//! can be relied on.
//!
//! A context does one thing at a time. Whoever wants something of it gives the interpreter's lock away, waits for its turn,
//! and does all calls of the library in one go ([`Context::enter`]); nobody waits for the interpreter's lock during a turn. Values
//! can die at any time: those that die during somebody's turn are left for the next one.

use crate::errors::Failure;
use fehu::tables::{self, Ctx, Object, Type};
use libloading::Library;
use pyo3::prelude::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where arrays of a program are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// Where Python's are.
    Host,
    /// On a device that CUDA knows.
    Cuda,
    /// On some other device.
    Device,
}

type Config = *mut c_void;

/// The functions that all libraries have.
pub(crate) struct Symbols {
    library: Library,
    pub(crate) tables: &'static tables::Bindings,
    context_free: unsafe extern "C" fn(Ctx),
    config_free: unsafe extern "C" fn(Config),
    sync: unsafe extern "C" fn(Ctx) -> c_int,
    get_error: unsafe extern "C" fn(Ctx) -> *mut c_char,
    report: unsafe extern "C" fn(Ctx) -> *mut c_char,
    cancel: unsafe extern "C" fn(Ctx, c_int),
}

impl Symbols {
    /// Loads a library.
    pub(crate) fn load(path: &Path) -> Result<&'static Symbols, String> {
        // SAFETY: loading it executes nothing: it is made by our compiler, and has no initialisers.
        let library = unsafe { Library::new(path) }.map_err(|why| why.to_string())?;
        // SAFETY: these are their types in the header of every library.
        unsafe {
            type Start = unsafe extern "C" fn() -> *const tables::Bindings;
            let start = symbol::<Start>(&library, "fehu_bindings")?;
            let Some(tables) = tables::Bindings::known(start()) else {
                return Err("the compiler and the Python package are of different versions".into());
            };
            let symbols = Symbols {
                tables,
                context_free: symbol(&library, "futhark_context_free")?,
                config_free: symbol(&library, "futhark_context_config_free")?,
                sync: symbol(&library, "futhark_context_sync")?,
                get_error: symbol(&library, "futhark_context_get_error")?,
                report: symbol(&library, "futhark_context_report")?,
                cancel: symbol(&library, "futhark_context_cancel")?,
                library,
            };
            Ok(Box::leak(Box::new(symbols)))
        }
    }

    pub(crate) fn ty(&self, name: &str) -> Option<&'static Type> {
        self.tables.types().find(|ty| ty.name() == name)
    }
}

/// # Safety
/// `T` is the type of a function of this name.
unsafe fn symbol<T: Copy>(library: &Library, name: &str) -> Result<T, String> {
    // SAFETY: so the caller says.
    let found = unsafe { library.get::<T>(name) };
    found.map(|symbol| *symbol).map_err(|why| why.to_string())
}

/// A context.
pub(crate) struct Context {
    pub(crate) symbols: &'static Symbols,
    pub(crate) memory: Memory,
    raw: Ctx,
    config: Config,
    turn: Mutex<()>,
    /// Values that nobody has any more.
    dead: Mutex<Vec<(&'static Type, usize)>>,
    /// Arrays that were copied to become arguments.
    pub(crate) copies: AtomicU64,
}

// SAFETY: the raw pointers are used only by whoever has the turn.
unsafe impl Send for Context {}
// SAFETY: the same.
unsafe impl Sync for Context {}

/// The right to call functions of a library.
pub(crate) struct Turn<'a> {
    pub(crate) context: &'a Arc<Context>,
    _guard: MutexGuard<'a, ()>,
}

impl Context {
    /// Makes a context. `options` are settings of the configuration with their values.
    pub(crate) fn new(
        symbols: &'static Symbols,
        memory: Memory,
        options: &[(String, String)],
    ) -> Result<Context, Failure> {
        let plain = Failure::plain;
        // SAFETY: the functions have these types in the header of every library, and get what the header asks for.
        unsafe {
            let library = &symbols.library;
            let new_config =
                symbol::<unsafe extern "C" fn() -> Config>(library, "futhark_context_config_new");
            let config = new_config.map_err(plain)?();
            for (name, value) in options {
                if let Err(why) = configure(library, config, name, value) {
                    (symbols.config_free)(config);
                    return Err(plain(why));
                }
            }
            let new = symbol::<unsafe extern "C" fn(Config) -> Ctx>(library, "futhark_context_new");
            let raw = new.map_err(plain)?(config);
            let context = Context {
                symbols,
                memory,
                raw,
                config,
                turn: Mutex::new(()),
                dead: Mutex::default(),
                copies: AtomicU64::new(0),
            };
            match context.error() {
                None if !raw.is_null() => Ok(context),
                error => Err(plain(error.unwrap_or_else(|| "no context could be made".into()))),
            }
        }
    }

    /// Waits for the context, without the interpreter's lock, and does something with it.
    pub(crate) fn enter<R: Send>(
        self: &Arc<Context>,
        py: Python<'_>,
        act: impl Send + FnOnce(&Turn<'_>) -> R,
    ) -> R {
        py.detach(|| {
            let guard = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let turn = Turn { context: self, _guard: guard };
            turn.bury();
            let done = act(&turn);
            turn.bury();
            done
        })
    }

    /// A value dies, perhaps during somebody's turn.
    fn discard(self: &Arc<Context>, ty: &'static Type, object: Object) {
        self.dead.lock().unwrap_or_else(PoisonError::into_inner).push((ty, object as usize));
        if let Ok(guard) = self.turn.try_lock() {
            Turn { context: self, _guard: guard }.bury();
        }
    }

    /// What went wrong last.
    fn error(&self) -> Option<String> {
        // SAFETY: it is asked by whoever has the turn, or by the only owner.
        let error = unsafe { taken((self.symbols.get_error)(self.raw)) }?;
        let error = error.trim_end();
        Some(error.strip_prefix("Error: ").unwrap_or(error).to_owned())
    }

    /// Asks what runs now to stop, or allows the next call. May be called from signal handlers.
    pub(crate) fn cancel(&self, flag: bool) {
        // SAFETY: it sets a flag of the context, whoever has the turn.
        unsafe { (self.symbols.cancel)(self.raw, c_int::from(flag)) }
    }

    pub(crate) fn count_copy(&self) {
        self.copies.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let dead = std::mem::take(self.dead.get_mut().unwrap_or_else(PoisonError::into_inner));
        for (ty, object) in dead {
            release(self.raw, ty, object as Object);
        }
        // SAFETY: nobody else has it, and all of its values are freed.
        unsafe {
            (self.symbols.context_free)(self.raw);
            (self.symbols.config_free)(self.config);
        }
    }
}

impl Turn<'_> {
    pub(crate) fn raw(&self) -> Ctx {
        self.context.raw
    }

    /// What a function has returned.
    pub(crate) fn check(&self, code: c_int) -> Result<(), Failure> {
        match code {
            0 => Ok(()),
            code => Err(self.failure(code)),
        }
    }

    /// An object that a function has returned; NULL is a failure.
    pub(crate) fn object(&self, object: Object) -> Result<Object, Failure> {
        if object.is_null() { Err(self.failure(0)) } else { Ok(object) }
    }

    fn failure(&self, code: c_int) -> Failure {
        let message = self.context.error().unwrap_or_else(|| "the call failed".to_owned());
        Failure { code, message }
    }

    /// Waits for the device, if there is one.
    pub(crate) fn sync(&self) -> Result<(), Failure> {
        // SAFETY: we have the turn.
        self.check(unsafe { (self.context.symbols.sync)(self.raw()) })
    }

    /// What the program says about its runs, as JSON.
    pub(crate) fn report(&self) -> Option<String> {
        // SAFETY: we have the turn.
        unsafe { taken((self.context.symbols.report)(self.raw())) }
    }

    pub(crate) fn free(&self, ty: &'static Type, object: Object) {
        release(self.raw(), ty, object);
    }

    /// Frees what has died.
    fn bury(&self) {
        let mut dead = self.context.dead.lock().unwrap_or_else(PoisonError::into_inner);
        if !dead.is_empty() {
            let dead = std::mem::take(&mut *dead);
            for (ty, object) in dead {
                self.free(ty, object as Object);
            }
        }
    }
}

fn release(raw: Ctx, ty: &'static Type, object: Object) {
    let free = if ty.kind == tables::ARRAY { ty.array_free } else { ty.opaque_free };
    if let Some(free) = free {
        // SAFETY: the caller has the turn, and nobody else the object. It has nothing to report.
        unsafe { free(raw, object) };
    }
}

/// A text that C has made for us.
///
/// # Safety
/// It is NULL, or memory of `malloc`.
unsafe fn taken(text: *mut c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: so the caller says.
    unsafe {
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        Some(copy)
    }
}

/// Sets something of a configuration: a setting of the header, or a tuning parameter.
///
/// # Safety
/// The configuration belongs to this library.
unsafe fn configure(
    library: &Library,
    config: Config,
    name: &str,
    value: &str,
) -> Result<(), String> {
    let wrong = || format!("`{value}` is no value of the setting `{name}`");
    let full = format!("futhark_context_config_set_{name}");
    let text = CString::new(value).map_err(|_| wrong())?;
    // SAFETY: the functions have these types in the header of every library that has them.
    unsafe {
        if matches!(name, "device" | "platform" | "cache_file") {
            let set = symbol::<unsafe extern "C" fn(Config, *const c_char)>(library, &full);
            set.map_err(|_| format!("programs of this back end have no setting `{name}`"))?(
                config,
                text.as_ptr(),
            );
            return Ok(());
        }
        let number: i64 = value.parse().map_err(|_| wrong())?;
        if matches!(name, "num_threads" | "debugging" | "profiling" | "logging") {
            let number = c_int::try_from(number).map_err(|_| wrong())?;
            let set = symbol::<unsafe extern "C" fn(Config, c_int)>(library, &full);
            set.map_err(|_| format!("programs of this back end have no setting `{name}`"))?(
                config, number,
            );
            return Ok(());
        }
        type Set = unsafe extern "C" fn(Config, *const c_char, usize) -> c_int;
        let set = symbol::<Set>(library, "futhark_context_config_set_tuning_param")?;
        let param = CString::new(name).map_err(|_| wrong())?;
        match set(config, param.as_ptr(), usize::try_from(number).map_err(|_| wrong())?) {
            0 => Ok(()),
            _ => Err(format!("`{name}` is no setting and no tuning parameter of this program")),
        }
    }
}

/// An array or an opaque value of a program, freed when it is dropped.
pub(crate) struct Handle {
    pub(crate) context: Arc<Context>,
    pub(crate) ty: &'static Type,
    pub(crate) object: Object,
}

// SAFETY: the object is used only during turns of its context.
unsafe impl Send for Handle {}
// SAFETY: the same.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        self.context.discard(self.ty, self.object);
    }
}
