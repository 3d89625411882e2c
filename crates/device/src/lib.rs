//! The remaining steps for a program whose arrays are in the memory of a device: from imp to imp.
//!
//! `emit` turns operators into kernels. Around them it leaves host code that loads and stores elements, and inside them
//! code that calls functions and allocates blocks, which devices cannot do. This stage takes care of both:
//!
//! 1. `calls`: functions that kernels call become part of the kernels, or functions of the device (`functions`), and the
//!    host reads the constants that they use; a function that gets arrays that are in no block has versions (`memories`);
//! 2. `tuning`: the host looks up the tuning parameters that kernels need;
//! 3. `offload`: work of the host on elements is done by kernels with one thread, or the elements are fetched;
//! 4. `expand`: blocks that threads allocate become parts of one block that the host allocates for all of them,
//!    interleaved where possible (`interleave`), and those of thread blocks with gaps where their threads would wait
//!    (`skew`); those that are never in use at the same time are at the same place (`overlay`); `sites` and `pointers`
//!    are what that has in common with functions;
//! 5. `defer`: elements that only kernels need are not fetched, and others as late as possible; what loops hand on
//!    stays on the device, which also decides when they end (`ahead`; what they call is part of them then: `inline`),
//!    and so does what branches yield (`branches`);
//! 6. `merge`: small kernels that follow one another become one. Steps 5 and 6 know the blocks of pointers by `owners`;
//! 7. `read_only`: kernels learn which elements nobody changes while they run.
//!
//! Afterwards only kernels load and store, and no kernel contains handles.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod ahead;
mod branches;
mod calls;
mod cells;
mod defer;
mod expand;
mod functions;
mod inline;
mod interleave;
mod memories;
mod merge;
mod offload;
mod overlay;
mod owners;
mod pointers;
mod read_only;
mod sites;
mod skew;
mod tuning;

use fehu_imp::{Fun, FunId, Program};

/// Options.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the memory of threads may be interleaved.
    pub interleaving: bool,
    /// Whether functions may be copied into kernels where they need not be.
    pub copies: bool,
    /// Whether the host is kept from waiting, and small kernels are merged.
    pub host_free: bool,
}

/// Completes a program that was emitted for a device.
pub fn device(program: &mut Program, options: Options) {
    calls::calls(program, options.copies);
    let inside = &program.inside;
    let ids: Vec<FunId> =
        program.funs.iter().map(|(id, _)| id).filter(|id| !inside.contains(id)).collect();
    // Copies of functions as they are now.
    let inlined = ids.iter().map(|id| inline::inlined(program, *id).filter(|_| options.host_free));
    let inlined: Vec<Option<Fun>> = inlined.collect();
    let (before, mut copied) = (calls::all_called(program), false);
    ids.iter().for_each(|id| complete(&mut program.funs[*id], options));
    let waiting = inline::waiting(program);
    for (id, inlined) in ids.into_iter().zip(inlined) {
        let fun = &mut program.funs[id];
        if let Some(mut inlined) = inlined {
            complete(&mut inlined, options);
            let [now, then] = [&inlined, &*fun].map(|fun| inline::waiting_loops(fun, &waiting));
            if now < then {
                *fun = inlined;
                copied = true;
            }
        }
    }
    if copied {
        calls::remove(program, &before);
    }
}

/// Completes a function of the host.
fn complete(fun: &mut Fun, options: Options) {
    tuning::tuning(fun);
    offload::offload(fun);
    expand::expand(fun, options.interleaving);
    if options.host_free {
        defer::defer(fun);
        merge::merge(fun);
    }
    read_only::read_only(fun);
}
