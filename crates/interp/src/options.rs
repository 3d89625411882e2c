//! Limits and choices of a run.

use crate::value::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Limits and choices of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes that one array may have.
    pub max_array_bytes: u64,
    /// The most instructions that a call may execute, if there is a limit.
    pub max_steps: Option<u64>,
    /// The size of the stack, which limits the depth of recursion. Memory is reserved, not used,
    /// until recursion reaches it.
    pub stack_bytes: usize,
    /// How the inputs of streams are cut.
    pub chunking: Chunking,
    /// How many threads the program is told that execute tasks.
    pub threads: i64,
    /// Set from outside to end the program.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How the inputs of streams are cut. A correct program does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chunking {
    /// One chunk.
    Whole,
    /// Chunks of this size, at least one, and a smaller last one.
    Size(i64),
    /// Chunks of random sizes, by this seed.
    Random(u64),
}

/// Receives what [`Exp::Trace`](fehu_ir::Exp::Trace) prints: the tag and the value.
pub type Sink = Box<dyn FnMut(&str, &Value) + Send>;

impl Default for Options {
    fn default() -> Options {
        Options {
            // Larger than the memory that WebAssembly may have there.
            max_array_bytes: if cfg!(target_family = "wasm") { 1 << 28 } else { 8 << 30 },
            max_steps: None,
            stack_bytes: if cfg!(target_family = "wasm") { 1 << 22 } else { 1 << 30 },
            chunking: Chunking::Whole,
            threads: 1,
            interrupt: None,
        }
    }
}
