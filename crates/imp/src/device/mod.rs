//! `device`: what remains to be done for a program whose arrays are in the memory of a device.
//!
//! `emit` makes kernels of operators. Around them it leaves code of the host that loads and stores elements, and inside of them
//! code that calls functions and allocates blocks, which no device can do. This takes care of both:
//!
//! 1. `calls`: functions that kernels call become part of them, and so do the constants that they use;
//! 2. `tuning`: the host asks for the tuning parameters that kernels need;
//! 3. `offload`: what the host would do with elements is done by kernels of one thread, or the elements are fetched;
//! 4. `expand`: blocks that threads allocate become parts of one block that the host allocates for all of them, interleaved where
//!    that is possible (`interleave`).
//!
//! Afterwards only kernels load and store, and nothing in them has a handle.

mod calls;
mod expand;
mod interleave;
mod offload;
mod tuning;

pub(crate) use expand::hoist_shared;

use crate::Program;

/// Completes a program that was emitted for a device; `interleaved`: whether the memory of threads may be.
pub fn device(program: &mut Program, interleaved: bool) {
    calls::calls(program);
    for fun in program.funs.values_mut() {
        tuning::tuning(fun);
        offload::offload(fun);
        expand::expand(fun, interleaved);
    }
}
