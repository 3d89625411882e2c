//! Deep recursion on a stack that is large enough.
//!
//! The stages are written as plain recursion over trees. The parser refuses programs nested deeper
//! than [`MAX_DEPTH`], and everything runs inside [`with_large_stack`], so that no input can
//! overflow the stack. The memory is reserved, not used, until recursion reaches it.
//!
//! In WebAssembly there is one stack, whose size the engine chooses: nesting is limited to what all of them allow.

use crate::bug::bug;

/// The deepest nesting of syntax that is accepted.
pub const MAX_DEPTH: usize = if cfg!(target_family = "wasm") { 150 } else { 4000 };

const STACK_BYTES: usize = 1 << 30;

/// Runs `work` on a new thread whose stack suffices for syntax nested [`MAX_DEPTH`] deep.
/// A panic of `work` goes on in the caller.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if cfg!(target_family = "wasm") {
        return work();
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("fehu".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work);
        let thread = match thread {
            Ok(thread) => thread,
            Err(error) => bug(format_args!("no thread can be started: {error}")),
        };
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// A deep tree: dropped on a stack that is large enough, wherever it is dropped.
#[derive(Debug, Default)]
pub struct Deep<T: Default + Send>(T);

impl<T: Default + Send> Deep<T> {
    /// Takes charge of a value.
    pub fn new(value: T) -> Deep<T> {
        Deep(value)
    }
}

impl<T: Default + Send> std::ops::Deref for Deep<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Default + Send> std::ops::DerefMut for Deep<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: Default + Send> Drop for Deep<T> {
    fn drop(&mut self) {
        let value = std::mem::take(&mut self.0);
        with_large_stack(move || drop(value));
    }
}
