//! What the compiler assumes about a device.
//!
//! The run-time asks the device that it finds for its limits (`enum fe_limit` in `runtime/gpu/interface.h`) and checks
//! launches against them; the number of blocks that keep it busy is asked there ([`Stm::Blocks`](crate::Stm::Blocks)).
//! What shapes the code of a kernel must be known earlier, and is assumed here, and only here. The last numbers are no
//! facts of a device, but follow from several, and were found by measuring on one.

/// The facts of a device.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    /// The threads of a block, unless a kernel needs another number. Asked at run time: `FE_BLOCK_SIZE`, which is at least that
    /// on all devices that we know.
    pub threads: u32,
    /// The threads that execute an instruction together. Not asked: scans and shuffles rely on it. (Where a device of
    /// OpenCL executes another number together, or does not tell, lanes are threads that pass values by shared memory:
    /// PoCL has no subgroups.)
    pub warp: u32,
    /// The bytes of memory that the threads of a block may share: every device has this much. Asked at run time, where a kernel
    /// may have more: `FE_SHARED_BYTES`.
    pub shared_bytes: u32,
    /// The bytes of a line of memory, which a warp loads at once.
    pub line_bytes: u32,
    /// The bytes of shared memory with which enough blocks still reside on a multiprocessor that one loads while another
    /// computes: what a block brings there in stages needs no more.
    pub stage_bytes: u32,
    /// The bytes of shared memory of a block that has its own histogram: more copies mean fewer collisions, but fewer blocks.
    /// With these, eight blocks reside on a multiprocessor of an H100 or H200.
    pub histogram_bytes: u32,
    /// The counters at which blocks meet ([`Stm::Arrive`](crate::Stm::Arrive)): `FE_COUNTERS` of the run-time. More
    /// blocks than these hardly reside on a device at once.
    pub counters: i64,
    /// With fewer large tiles than this, some multiprocessors would have none or wait for the last ones: small tiles are
    /// faster. Two for each multiprocessor of an H100 or H200, nearly.
    pub large_tiles: i64,
}

/// What is assumed of all devices.
pub const DEVICE: Device = Device {
    threads: 256,
    warp: 32,
    shared_bytes: 32 * 1024,
    line_bytes: 128,
    stage_bytes: 17 * 1024,
    histogram_bytes: 24 * 1024,
    counters: 4096,
    large_tiles: 240,
};
