//! Machines that run programs of the later stages, as oracles for tests.
//!
//! The interpreter defines what a program means. The machines here show what it does to memory:
//!
//! - [`heap`] runs a program of the core IR whose arrays have places (`fehu-mem`);
//! - [`machine`] runs imperative code (`fehu-imp`): that of CPUs, and that of devices with its kernels.
//!
//! Both compute the results, and report what the results do not show: races, accesses outside of a block, and uses of
//! memory that has been freed.
//!
//! # Kernels
//!
//! [`machine::call_device`] runs the host's code, and each launch to its end before the host goes on. A kernel becomes
//! a list of operations with jumps; each thread has its place in it and its own variables. A seed determines the order
//! of blocks and threads, how many blocks reside on the device at the same time, the size of a warp (32 threads, or the
//! whole block, as where nobody knows it), and whether blocks get the shared memory that they ask for.
//! Nothing that a program computes may depend on that ([`machine::Settings`]).
//!
//! What is modelled:
//!
//! - *Order*: accesses of two threads are ordered by a barrier of their block, by a barrier of their warp, by a lock
//!   that both have, and by the end of a launch. A lock of the device ([`Locked`](fehu_imp::Stm::Locked)) is for all
//!   threads, a guard ([`Guarded`](fehu_imp::Stm::Guarded)) for those of a block, because it comes with a fence for the
//!   block only. Where blocks are counted ([`Arrive`](fehu_imp::Stm::Arrive)), what they did before is ordered before
//!   what the last one does after. Atomic operations are relaxed: they order nothing but themselves.
//! - *Races*: two accesses to an element that nothing orders, one of which writes. Not races are: atomic accesses of
//!   both; [`Poll`](fehu_imp::Stm::Poll) of a word that another thread stores, as the word is the old or the new one;
//!   two stores of the same value, which a scatter may have.
//! - *Reads of what nobody wrote*, in device memory, shared memory, private arrays and variables. To move such a
//!   value somewhere else is no read.
//! - *Accesses* outside of memory or an array, in memory that has been freed, not aligned, or with another type.
//! - *Barriers* that not all threads of a block, or of a warp, come to: each is one place of the code.
//! - *Waiting* for what never happens: locks that are not given back, and polls of what nobody will write. Blocks that
//!   have not begun do not count: there may be room for one block only.
//! - *Failures*: the first check that fails is the one that the host notices when it waits. Its thread goes on
//!   behind the section or ends; later launches do nothing. What is computed after a failure is of no use, so
//!   races and unwritten values are no longer told, but accesses still have to be in bounds.
//!
//! What is not modelled:
//!
//! - Weak memory: a store is seen by all threads at once, so a missing fence between two stores to different words is
//!   not noticed, except where an order is missing altogether.
//! - Warps in lock-step: that a thread which waits for a lock keeps its neighbour from giving it back.
//! - Memory that is used again: every allocation is new, and a part of the memory of threads that was written for one
//!   purpose counts as written for the next one.
//! - Private arrays end with their thread, not with their block of statements.
//! - Limits of devices: registers, the sizes of shared arrays, the number of blocks.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod heap;
pub mod machine;
