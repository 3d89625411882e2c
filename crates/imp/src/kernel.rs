//! Kernels: what a device executes.

use crate::{Block, Exp, V};
use ecow::EcoString;

/// A computation on a device: the body is executed by every thread of a number of blocks, at the same time.
///
/// The values of variables that are declared outside are those at the launch; they are scalars and pointers, and to assign
/// to them is not allowed. Results leave through memory. The threads of a block can wait for each other
/// ([`Stm::Barrier`](crate::Stm::Barrier)) and share arrays ([`Ty::Shared`](crate::Ty::Shared)), which are declared directly in the
/// body. Blocks are independent of each other.
///
/// A check that fails ends its thread, or, in a [`Stm::Section`](crate::Stm::Section), the section. The host hears of it when it waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// What it does, in a word.
    pub hint: EcoString,
    /// The place in the source.
    pub place: EcoString,
    /// The number of blocks.
    pub blocks: Exp,
    /// The number of threads of a block.
    pub threads: u32,
    /// So many blocks should find room on a processor of the device at once: a compiler that deals out registers heeds it.
    pub residents: u32,
    /// The number of the block, an `i64`.
    pub block: V,
    /// The number of the thread in its block, an `i64`.
    pub thread: V,
    /// Whether all threads of a block do the same, except in sections, so that a block that they allocate is theirs together.
    pub by_block: bool,
    /// The bytes of shared memory that a block would like to have, beyond its shared arrays; it can do without.
    pub shared: Option<Exp>,
    /// What each thread does.
    pub body: Block,
}
