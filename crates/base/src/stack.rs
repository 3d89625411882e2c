//! Deep recursion on a stack that is large enough.
//!
//! The stages are written as plain recursion over trees. The parser refuses programs nested deeper
//! than [`MAX_DEPTH`], and everything runs inside [`with_large_stack`], so that no input can
//! overflow the stack. The memory is reserved, not used, until recursion reaches it.

/// The deepest nesting of syntax that is accepted.
pub const MAX_DEPTH: usize = 4000;

const STACK_BYTES: usize = 1 << 30;

/// Runs `work` on a new thread whose stack suffices for syntax nested [`MAX_DEPTH`] deep.
/// A panic of `work` goes on in the caller.
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("fehu".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
