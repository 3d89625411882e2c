//! What the compiler assumes about processors.
//!
//! The C compiler knows the instructions that there are, and the run-time asks for the number of threads
//! ([`Stm::Threads`](crate::Stm::Threads)) and measures how long loops take (`runtime/scheduler.c` has the times that decide
//! whether they are shared). What shapes loops must be known earlier, and is assumed here, and only here. Processors
//! with less are slower by these sizes, but not wrong. So are C compilers that unroll other loops.

/// The facts of a processor.
#[derive(Clone, Copy, Debug)]
pub struct Cpu {
    /// The bytes of a vector register.
    pub vector_bytes: u32,
    /// The bytes of a cache line. Threads that write to the same line wait for each other.
    pub line_bytes: u32,
    /// The bytes of a core's nearest cache.
    pub near_bytes: u32,
    /// The bytes of the farthest cache that a thread may take for itself.
    pub far_bytes: u32,
    /// The most bytes that iterations of a loop may allocate together so that they run at the same time, in the lanes of vectors.
    pub lanes_bytes: i64,
    /// Fewer bytes are copied by one thread: that takes a few microseconds at most, and others are only asked for 20
    /// (`runtime/scheduler.c`).
    pub copied_bytes: i64,
    /// How many results of additions or multiplications a core waits for at the same time.
    pub chains: u32,
    /// Sums of fewer numbers than this are made faster without vectors, whatever the size of numbers, ...
    pub short_iterations: i64,
    /// ... and so are arrays of fewer bytes.
    pub short_bytes: i64,
    /// The most iterations of a loop that a C compiler turns into straight-line code, ...
    pub unrolled_iterations: i64,
    /// ... and what all of them may cost together, in cycles.
    pub unrolled_cost: i64,
    /// The most instructions of a loop that a C compiler vectorises, after the loops inside are unrolled. (gcc needs 1
    /// ms for each.)
    pub straight_instructions: i64,
}

/// What is assumed of all processors.
pub const CPU: Cpu = Cpu {
    vector_bytes: 64,
    line_bytes: 64,
    near_bytes: 32 * 1024,
    far_bytes: 8 * 1024 * 1024,
    lanes_bytes: 64 * 1024 * 1024,
    copied_bytes: 64 * 1024,
    chains: 4,
    short_iterations: 16,
    short_bytes: 16,
    unrolled_iterations: 16,
    unrolled_cost: 200,
    straight_instructions: 4000,
};
