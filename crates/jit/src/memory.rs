//! Blocks of memory, and their handles: `backend/runtime/memory.h`, for one thread.
//!
//! Code knows a block by its number, so that reference counts are safe code; only its data has an address.

use std::collections::BTreeMap;

/// A handle of memory, as code has it. Without a block the memory is borrowed, or there is none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct Handle {
    /// The address of the data.
    pub(crate) data: u64,
    /// The number of the block, from 1 on; 0 if there is none.
    pub(crate) block: u64,
}

/// Where the data of a block starts is a multiple of the size of a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; LINE],
}

const LINE: usize = 64;

/// The largest block.
const MOST_BYTES: i64 = 1 << 56;

struct Block {
    references: usize,
    memory: Vec<Line>,
}

impl Block {
    fn start(&self) -> u64 {
        self.memory.as_ptr() as u64
    }

    fn bytes(&self) -> usize {
        self.memory.capacity() * LINE
    }
}

/// Where blocks come from, and where they go when nobody has a handle of them.
#[derive(Default)]
pub(crate) struct Pool {
    blocks: Vec<Block>,
    /// Numbers of blocks without memory.
    empty: Vec<usize>,
    /// Numbers of blocks without handles, by their bytes.
    free: BTreeMap<usize, Vec<usize>>,
    /// The bytes of the blocks that have handles, the most that there have been, and those of free blocks.
    used: usize,
    peak: usize,
    kept: usize,
    /// The most that there may be, if there is a limit.
    pub(crate) limit: Option<u64>,
}

/// There is no memory: what is said about it.
pub(crate) struct Full(pub(crate) String);

impl Pool {
    /// Makes a handle that of a block which nobody else has, with room for this many elements of this many bytes. An
    /// allocation in a loop mostly finds the block of the last iteration.
    pub(crate) fn alloc(&mut self, handle: &mut Handle, count: i64, size: i64) -> Result<(), Full> {
        let bytes = count.checked_mul(size).filter(|bytes| (0..=MOST_BYTES).contains(bytes));
        let Some(bytes) = bytes else {
            self.free(handle);
            return Err(Full("out of memory: an array is larger than any memory".to_owned()));
        };
        let bytes = bytes as usize;
        if let Some(block) = self.block(handle.block)
            && block.references == 1
            && handle.data == block.start()
            && bytes <= block.bytes()
        {
            return Ok(());
        }
        self.free(handle);
        let Some(number) = self.take(bytes) else {
            let used = self.used;
            return Err(Full(format!(
                "out of memory: cannot allocate {bytes} bytes ({used} are in use)"
            )));
        };
        let block = &mut self.blocks[number];
        block.references = 1;
        *handle = Handle { data: block.start(), block: number as u64 + 1 };
        self.used += block.bytes();
        self.peak = self.peak.max(self.used);
        Ok(())
    }

    /// Makes a handle another one of a block, or of memory that nobody counts.
    pub(crate) fn share(&mut self, handle: &mut Handle, of: Handle) {
        if let Some(block) = self.block(of.block) {
            block.references += 1;
        }
        self.free(handle);
        *handle = of;
    }

    /// How many bytes there may be more, if there is a limit.
    pub(crate) fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.used as u64))
    }

    /// Releases a handle, which becomes empty.
    pub(crate) fn free(&mut self, handle: &mut Handle) {
        let Handle { block: number, .. } = std::mem::take(handle);
        let Some(block) = self.block(number) else { return };
        block.references -= 1;
        if block.references > 0 {
            return;
        }
        let bytes = block.bytes();
        let number = number as usize - 1;
        self.used -= bytes;
        // No more is kept than was used at some time.
        if self.kept + bytes <= self.peak {
            self.kept += bytes;
            self.free.entry(bytes).or_default().push(number);
        } else {
            self.blocks[number].memory = Vec::new();
            self.empty.push(number);
        }
    }

    fn block(&mut self, number: u64) -> Option<&mut Block> {
        self.blocks.get_mut((number as usize).checked_sub(1)?)
    }

    /// A block without handles of at least so many bytes.
    fn take(&mut self, bytes: usize) -> Option<usize> {
        let most = bytes + bytes / 2 + 8 * LINE;
        let found = self.free.range(bytes.max(1)..=most).find(|(_, list)| !list.is_empty());
        if let Some(capacity) = found.map(|(capacity, _)| *capacity) {
            let number = self.free.get_mut(&capacity)?.pop()?;
            self.kept -= capacity;
            return Some(number);
        }
        let lines = lines(bytes);
        let exceeds = |pool: &Pool, present: usize| {
            pool.limit.is_some_and(|limit| (present + lines * LINE) as u64 > limit)
        };
        if exceeds(self, self.used + self.kept) {
            self.trim();
            if exceeds(self, self.used) {
                return None;
            }
        }
        let mut memory = Vec::new();
        if memory.try_reserve_exact(lines).is_err() {
            self.trim();
            memory.try_reserve_exact(lines).ok()?;
        }
        let block = Block { references: 0, memory };
        Some(match self.empty.pop() {
            Some(number) => {
                self.blocks[number] = block;
                number
            }
            None => {
                self.blocks.push(block);
                self.blocks.len() - 1
            }
        })
    }

    /// Gives all free blocks back to the system.
    fn trim(&mut self) {
        for number in std::mem::take(&mut self.free).into_values().flatten() {
            self.blocks[number].memory = Vec::new();
            self.empty.push(number);
        }
        self.kept = 0;
    }

    /// The number of blocks that have handles.
    #[cfg(test)]
    pub(crate) fn in_use(&self) -> usize {
        self.blocks.iter().filter(|block| block.references > 0).count()
    }
}

/// How many lines a new block for so many bytes has: some more, so that it can be used for others of about that size.
fn lines(bytes: usize) -> usize {
    let lines = bytes.div_ceil(LINE).max(1);
    let parts = if bytes <= 1 << 16 { 8 } else { 64 };
    let step = (lines.next_power_of_two() / 2 / parts).max(1);
    lines.next_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocated(pool: &mut Pool, bytes: i64) -> Handle {
        let mut handle = Handle::default();
        assert!(pool.alloc(&mut handle, bytes, 1).is_ok());
        handle
    }

    #[test]
    fn a_handle_keeps_its_block_unless_it_is_shared_or_too_small() {
        let mut pool = Pool::default();
        let mut handle = allocated(&mut pool, 100);
        let first = handle;
        assert!(pool.alloc(&mut handle, 10, 8).is_ok() && handle == first);
        let mut other = Handle::default();
        pool.share(&mut other, handle);
        assert!(pool.alloc(&mut handle, 10, 8).is_ok() && handle.block != first.block);
        assert_eq!(pool.in_use(), 2);
        pool.free(&mut handle);
        pool.free(&mut other);
        assert_eq!(pool.in_use(), 0);
        // Blocks are used again.
        assert!([first.block, 2].contains(&allocated(&mut pool, 100).block));
    }

    #[test]
    fn there_is_no_memory_for_what_exceeds_the_limit_or_all_numbers() {
        let mut pool = Pool { limit: Some(1 << 20), ..Pool::default() };
        let mut handle = Handle::default();
        let message =
            |result: Result<(), Full>| result.err().map(|full| full.0).unwrap_or_default();
        let found = message(pool.alloc(&mut handle, 1 << 20, 8));
        assert_eq!(found, "out of memory: cannot allocate 8388608 bytes (0 are in use)");
        let found = message(pool.alloc(&mut handle, i64::MAX, 8));
        assert_eq!(found, "out of memory: an array is larger than any memory");
        let found = message(pool.alloc(&mut handle, -1, 8));
        assert_eq!(found, "out of memory: an array is larger than any memory");
    }

    #[test]
    fn a_block_is_at_most_an_eighth_larger_than_was_asked_for() {
        for bytes in (1..10_000).chain((60_000..10_000_000).step_by(9_973)) {
            let got = lines(bytes) * LINE;
            assert!(got >= bytes && got <= bytes + bytes / 8 + LINE, "{bytes} {got}");
        }
    }
}
