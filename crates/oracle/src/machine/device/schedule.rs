//! The blocks of a launch, and the order in which threads run.
//!
//! A few blocks reside on the device at the same time; the next one, in an order that the seed determines, begins when
//! another one has ended. In each round, every thread that can runs until it waits, polls, or lets others go first.

use super::World;
use super::code::{Code, Op};
use super::memory::Array;
use super::thread::{Run, Slot, State, Thread};
use super::watch::{Seen, Watch};
use crate::heap::Fault;
use crate::machine::{Res, wrong};
use fehu_base::OrBug;
use fehu_imp::V;
use fehu_imp::device::DEVICE;
use fehu_ir::Scalar;

/// So many rounds in which threads only poll mean that they will do so forever.
const PATIENCE: u32 = 200;

/// A block of threads.
pub(super) struct Team {
    pub(super) block: u32,
    /// Its shared arrays, and the shared memory that the launch gives it.
    pub(super) arrays: Vec<Array>,
    pub(super) dynamic: Option<u32>,
    pub(super) watch: Watch,
    /// The number of barriers that it has passed, ...
    pub(super) epoch: u32,
    /// ... and those that its warps have.
    pub(super) warp_epochs: Vec<u32>,
    /// The blocks that came before it to where it was the last one.
    pub(super) seen: Seen,
}

/// What a launch consists of.
pub(super) struct Launch<'x> {
    pub(super) code: &'x Code,
    pub(super) blocks: u32,
    pub(super) threads: u32,
    /// The values of what the kernel uses of the host's.
    pub(super) captured: Vec<Slot>,
    /// The bytes of shared memory that a block has besides its arrays.
    pub(super) shared: Option<i64>,
}

/// A block and its threads.
struct Resident {
    team: Team,
    threads: Vec<Thread>,
}

/// Runs all threads of all blocks.
pub(super) fn launch(world: &mut World, launch: &Launch<'_>, residents: usize) -> Res<()> {
    let mut waiting: Vec<u32> = (0..launch.blocks).collect();
    for at in (1..waiting.len()).rev() {
        let other = world.below(at as u64 + 1) as usize;
        waiting.swap(at, other);
    }
    let mut residing: Vec<Resident> = Vec::new();
    let mut idle = 0;
    loop {
        while residing.len() < residents.max(1)
            && let Some(block) = waiting.pop()
        {
            residing.push(launch.begin(block, world.warp));
            world.progress += 1;
        }
        if residing.is_empty() {
            return everybody_came(world);
        }
        let before = world.progress;
        for resident in &mut residing {
            resident.round(world, launch.code)?;
        }
        residing.retain(|resident| !resident.is_over());
        idle = if world.progress == before { idle + 1 } else { 0 };
        if idle > PATIENCE {
            return Err(stuck(world, &residing));
        }
    }
}

impl Launch<'_> {
    fn begin(&self, block: u32, warp: u32) -> Resident {
        let mut arrays: Vec<Array> = (self.code.shared.iter())
            .map(|(_, prim, count)| Array::new(*prim, i64::from(*count)))
            .collect();
        let dynamic = self.shared.map(|bytes| {
            arrays.push(Array::new(fehu_base::Prim::U8, bytes));
            arrays.len() as u32 - 1
        });
        let warps = self.threads.div_ceil(warp) as usize;
        let (watch, epoch, warp_epochs) = (Watch::default(), 0, vec![0; warps]);
        let seen = Seen::default();
        let team = Team { block, arrays, dynamic, watch, epoch, warp_epochs, seen };
        let thread = |number| Thread::new(self.code, &self.captured, block, number);
        Resident { team, threads: (0..self.threads).map(thread).collect() }
    }
}

impl Resident {
    fn is_over(&self) -> bool {
        self.threads.iter().all(|thread| thread.state == State::Ended)
    }

    /// Lets each thread run, in some order; then those go on that have waited for each other.
    fn round(&mut self, world: &mut World, code: &Code) -> Res<()> {
        let count = self.threads.len() as u64;
        let (first, down) = (world.below(count), world.below(2) == 0);
        for k in 0..count {
            let k = if down { count - 1 - k } else { k };
            let thread = &mut self.threads[((first + k) % count) as usize];
            if thread.state == State::Ready {
                Run { code, world, team: &mut self.team, thread }.run()?;
            }
        }
        if self.threads.iter().any(|thread| thread.state == State::Ready) {
            self.meet_in_warps(world, code);
            return Ok(());
        }
        let all = |state: State| self.threads.iter().all(|thread| thread.state == state);
        match self.threads[0].state {
            State::Barrier(at) if all(State::Barrier(at)) => {
                if let Op::Arrive(last, ..) = &code.ops[at] {
                    self.arrive(world, *last)?;
                }
                self.team.epoch += 1;
                self.threads.iter_mut().for_each(|thread| thread.state = State::Ready);
                world.progress += 1;
            }
            State::Ready | State::Barrier(_) | State::WarpBarrier(_) | State::Ended => {
                if !self.meet_in_warps(world, code) && !self.is_over() {
                    return Err(self.diverged(world));
                }
            }
        }
        Ok(())
    }

    /// The block is counted.
    fn arrive(&mut self, world: &mut World, last: V) -> Res<()> {
        let asked = self.threads[0].arrives.or_bug("a thread where blocks are counted");
        let (counter, of) = asked;
        if self.threads.iter().any(|thread| thread.arrives != Some(asked)) || of <= 0 {
            return Err(wrong(format!(
                "kernel {}: block {}: threads do not agree about where it is counted",
                world.kernel, self.team.block
            )));
        }
        if !(0..DEVICE.counters).contains(&counter) {
            return Err(wrong(format!("kernel {}: there is no counter {counter}", world.kernel)));
        }
        let came = world.counters.entry(counter).or_default();
        came.push((self.team.block, self.team.epoch));
        let is_last = came.len() as i64 == of;
        if is_last {
            self.team.seen.extend(world.counters.remove(&counter).unwrap_or_default());
        }
        self.threads.iter_mut().for_each(|thread| thread.told(last, Scalar::Bool(is_last)));
        Ok(())
    }

    /// Warps whose threads have all arrived go on; whether there are such.
    #[expect(clippy::wildcard_enum_match_arm, reason = "only barriers order what threads write")]
    fn meet_in_warps(&mut self, world: &mut World, code: &Code) -> bool {
        let mut found = false;
        for (warp, threads) in self.threads.chunks_mut(world.warp as usize).enumerate() {
            let State::WarpBarrier(at) = threads[0].state else { continue };
            if threads.iter().all(|thread| thread.state == State::WarpBarrier(at)) {
                match &code.ops[at] {
                    Op::Shuffle(v, ..) => shuffle(threads, *v),
                    _ => self.team.warp_epochs[warp] += 1,
                }
                threads.iter_mut().for_each(|thread| thread.state = State::Ready);
                world.progress += 1;
                found = true;
            }
        }
        found
    }

    /// Not all threads have come to a barrier, and none of them can go on.
    fn diverged(&self, world: &World) -> Fault {
        let waits = |thread: &&Thread| thread.state != State::Ended;
        let Some(one) = self.threads.iter().find(waits) else {
            return wrong("nobody waits at a barrier");
        };
        let (warp, whole) = match one.state {
            State::WarpBarrier(_) => (world.warp, "its warp"),
            State::Ready | State::Barrier(_) | State::Ended => (u32::MAX, "its block"),
        };
        let other = (self.threads.iter())
            .find(|other| other.state != one.state && other.number / warp == one.number / warp);
        let other = other.map_or(String::new(), |other| {
            let does = match other.state {
                State::Ended => "has ended",
                State::Ready => "goes on",
                State::Barrier(_) | State::WarpBarrier(_) => "waits at another one",
            };
            format!("; thread {} {does}", other.number)
        });
        wrong(format!(
            "kernel {}: block {}: not all threads come to a barrier: thread {} waits for {whole}{other}",
            world.kernel, self.team.block, one.number
        ))
    }
}

/// At the end of a launch all counters are zero again.
fn everybody_came(world: &mut World) -> Res<()> {
    match world.counters.drain().next() {
        Some((counter, _)) => Err(wrong(format!(
            "kernel {}: fewer blocks than announced are counted at {counter}",
            world.kernel
        ))),
        None => Ok(()),
    }
}

/// Threads tell each other their values.
fn shuffle(threads: &mut [Thread], v: V) {
    let first = threads[0].number;
    let given: Vec<Option<(u32, Scalar)>> = threads.iter().map(Thread::given).collect();
    for (thread, own) in threads.iter_mut().zip(&given) {
        let (asked, _) = own.or_bug("a thread in a shuffle");
        let (_, value) = given[(asked - first) as usize].or_bug("another thread in a shuffle");
        thread.told(v, value);
    }
}

/// No thread has done anything for a long time but wait.
fn stuck(world: &World, residing: &[Resident]) -> Fault {
    let ready = |resident: &Resident| {
        let found = resident.threads.iter().find(|thread| thread.state == State::Ready)?;
        Some(format!("thread {} of block {}", found.number, resident.team.block))
    };
    let who: Vec<String> = residing.iter().filter_map(ready).collect();
    wrong(format!(
        "kernel {}: a deadlock: {} waits for something that never happens",
        world.kernel,
        who.join(", ")
    ))
}
