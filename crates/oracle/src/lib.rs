//! Machines that run programs of the later stages, as oracles for tests.
//!
//! The interpreter defines what a program means. The machines here show what it does to memory:
//!
//! - [`heap`] runs a program of the core IR whose arrays have places (`fehu-mem`);
//! - [`machine`] runs imperative code (`fehu-imp`).
//!
//! Both compute the results, and report what the results do not show: races, accesses outside of a block, and uses of
//! memory that has been freed.

pub mod heap;
pub mod machine;
