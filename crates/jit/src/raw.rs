//! The only unsafe code of the compiler: the call of machine code that was made here, and the memory that it works on.
//!
//! What makes it sound is that imp code is: the verifier has checked its types, and that indices are within bounds and
//! variables set is what the stages before guarantee, and what the machine of the crate `oracle` tests. A program that breaks
//! this breaks the process, as it would in C.

#![expect(unsafe_code, reason = "machine code is called, and memory that it has addresses of")]

use crate::context::Context;

/// The address of a finished function that takes a context, the address of its arguments and that of its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry(usize);

impl Entry {
    /// The function that [`crate::compile::Compiler`] has finished at this address.
    pub(crate) fn new(address: *const u8) -> Entry {
        Entry(address as usize)
    }
}

/// Calls a function: 0, or a code of failure, of which the context knows more. Arguments and results have 16 bytes each.
pub(crate) fn call(
    entry: Entry,
    context: &mut Context<'_>,
    args: &[[u64; 2]],
    results: &mut [[u64; 2]],
) -> i32 {
    type Function = extern "C" fn(*mut Context<'_>, *const [u64; 2], *mut [u64; 2]) -> i32;
    // SAFETY: the address is that of a function with this signature (`compile.rs` makes no other entries), which lives
    // as long as the compiler that made it, and that outlives the call: both are behind the lock of `Jit`. It reads as
    // many arguments and writes as many results as the function of the program has, which is what callers pass. The
    // context is not used here while it runs.
    let function = unsafe { std::mem::transmute::<*const u8, Function>(entry.0 as *const u8) };
    function(context, args.as_ptr(), results.as_mut_ptr())
}

/// The address of a finished function that takes a context, the address of its environment and two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Task(usize);

impl Task {
    /// The function that code has passed.
    pub(crate) fn new(address: u64) -> Task {
        Task(address as usize)
    }
}

/// Executes a range of iterations of a loop: 0, or a code of failure, of which the context knows more.
pub(crate) fn call_task(
    task: Task,
    context: &mut Context<'_>,
    env: u64,
    low: i64,
    high: i64,
) -> i32 {
    type Function = extern "C" fn(*mut Context<'_>, u64, i64, i64) -> i32;
    // SAFETY: the address is that of a function with this signature (`outline.rs` passes no others), which lives as
    // long as the compiler that made it. It reads its environment, which is on the stack of the code that waits for all
    // threads (`threads::share`), and calls the library with this context, which no other thread has. Other threads may
    // execute other iterations of the same loop: these have nothing to do with each other (`Kind` of imp), so that none
    // writes what another reads or writes.
    let function = unsafe { std::mem::transmute::<*const u8, Function>(task.0 as *const u8) };
    function(context, env, low, high)
}

/// Copies bytes; none if the number is not positive.
pub(crate) extern "C" fn copy(to: u64, from: u64, bytes: i64) {
    if let Ok(bytes @ 1..) = usize::try_from(bytes) {
        // SAFETY: a `Copy` of imp copies within blocks that exist, and its source and target do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes) }
    }
}

/// Elements in memory that the program has written.
pub(crate) fn read<T: Plain>(address: u64, count: usize) -> Vec<T> {
    if count == 0 {
        return Vec::new();
    }
    // SAFETY: a result of the program, or an array that it traces, has so many elements of this type at this address, which is a
    // multiple of their size. All bits are values of the type.
    unsafe { std::slice::from_raw_parts(address as *const T, count) }.to_vec()
}

/// Types of which all bits are values.
pub(crate) trait Plain: Copy {}
impl Plain for i8 {}
impl Plain for i16 {}
impl Plain for i32 {}
impl Plain for i64 {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for f32 {}
impl Plain for f64 {}
impl Plain for half::f16 {}
