//! A device: its memory, and how it runs kernels.
//!
//! What is modelled, and what is not, is said in the documentation of [`crate`].

mod code;
mod memory;
mod schedule;
mod thread;
mod watch;

use super::memory::{Handle, Slot};
use super::{Frame, Limits, Machine, Res, wrong};
use crate::heap::Fault;
use crate::heap::store::Mem;
use code::Code;
use ecow::EcoString;
use fehu_base::Prim;
use fehu_imp::{Exp, Kernel, Space, Ty, V};
use fehu_ir::Scalar;
use memory::{Array, width};
use rustc_hash::{FxHashMap, FxHashSet};
use schedule::Launch;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use watch::{Lock, Watch};

/// What a device is like, as far as programs must not depend on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Determines the order of blocks and threads.
    pub seed: u64,
    /// The threads of a warp; a block that is smaller is one.
    pub warp: u32,
    /// How many blocks run at the same time.
    pub residents: usize,
    /// How many bytes of shared memory a block can have besides its arrays: if it wants more it gets none.
    pub shared_bytes: i64,
    /// The tuning parameters that are set, by their names.
    pub tuning: Vec<(EcoString, i64)>,
}

impl Settings {
    /// Various ones.
    pub fn of_seed(seed: u64) -> Settings {
        // Where nobody knows the size of a warp, it is the whole block.
        let warp = if seed.is_multiple_of(3) { 1 << 20 } else { 32 };
        let residents = [1, 2, 5, 64][(seed / 3 % 4) as usize];
        let shared_bytes = if (seed / 2).is_multiple_of(2) { 96 << 10 } else { 0 };
        Settings { seed, warp, residents, shared_bytes, tuning: Vec::new() }
    }
}

/// How often kernels were launched, by what they do.
pub type Tally = BTreeMap<EcoString, u64>;

/// A pointer of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ptr {
    space: Space,
    array: u32,
    /// In bytes.
    base: i64,
}

/// A device.
pub(super) struct Device {
    world: World,
    settings: Settings,
    codes: FxHashMap<usize, Rc<Code>>,
    /// What the host has asked for and not received; nothing instead of what was asked for after a check had failed.
    asked: VecDeque<Option<Scalar>>,
    pub(super) tally: Tally,
}

/// What all threads share.
struct World {
    /// All arrays that there ever were.
    arrays: Vec<Option<Array>>,
    watch: Watch,
    locks: FxHashSet<Lock>,
    /// The blocks that have come to each counter, and how many barriers each had passed.
    counters: FxHashMap<i64, Vec<(u32, u32)>>,
    /// The first check that failed.
    failure: Option<Fault>,
    /// Whether a thread has left something unfinished in this launch.
    left: bool,
    /// The kernel that is running, for messages.
    kernel: String,
    warp: u32,
    /// How often something has happened that others may wait for.
    progress: u64,
    steps: u64,
    elements: usize,
    limits: Limits,
    random: u64,
}

impl World {
    fn step(&mut self) -> Res<()> {
        self.steps += 1;
        if self.steps > self.limits.steps { Err(Fault::Limit) } else { Ok(()) }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % bound.max(1)
    }

    /// A check has failed; the host will notice.
    fn fail(&mut self, fault: Fault) -> Res<()> {
        match fault {
            Fault::Check(..) => {
                self.failure.get_or_insert(fault);
                Ok(())
            }
            Fault::Undefined(_) | Fault::Memory(_) | Fault::Limit => Err(fault),
        }
    }
}

impl Device {
    pub(super) fn new(settings: Settings, limits: Limits) -> Device {
        let world = World {
            arrays: Vec::new(),
            watch: Watch::default(),
            locks: FxHashSet::default(),
            counters: FxHashMap::default(),
            failure: None,
            left: false,
            kernel: String::new(),
            warp: settings.warp.max(1),
            progress: 0,
            steps: 0,
            elements: 0,
            limits,
            random: settings.seed,
        };
        let (codes, asked) = (FxHashMap::default(), VecDeque::new());
        Device { world, settings, codes, asked, tally: Tally::new() }
    }

    fn add(&mut self, array: Array) -> Res<usize> {
        self.world.elements = self.world.elements.saturating_add(array.count());
        if self.world.elements > self.world.limits.elements {
            return Err(Fault::Limit);
        }
        self.world.arrays.push(Some(array));
        Ok(self.world.arrays.len() - 1)
    }

    pub(super) fn filled(&mut self, elements: &[Scalar]) -> Res<usize> {
        self.add(Array::filled(elements))
    }

    pub(super) fn fresh(&mut self, prim: Prim, count: i64) -> Res<usize> {
        let most = self.world.limits.elements;
        if prim != Prim::U8 && usize::try_from(count).is_ok_and(|count| count > most) {
            return Err(Fault::Limit);
        }
        self.add(Array::new(prim, count))
    }

    pub(super) fn end(&mut self, block: usize) {
        if let Some(array) = self.world.arrays[block].take() {
            self.world.elements -= array.count();
        }
    }

    /// The host waits, and notices that a check has failed.
    pub(super) fn wait(&mut self) -> Res<()> {
        match self.world.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }

    /// The host reads an element.
    pub(super) fn read(&mut self, from: Option<Mem>, prim: Prim, at: i64) -> Res<Scalar> {
        let mem = from.ok_or_else(|| wrong("the host reads through an empty pointer"))?;
        let array = self.world.arrays[mem.block].as_ref();
        let array = array.ok_or_else(|| wrong("the host reads memory that has been freed"))?;
        let address = mem.base.wrapping_add(at.wrapping_mul(width(prim)));
        match array.get(address, prim) {
            Ok(Scalar::Unit) => Err(wrong(format!(
                "the host reads element {at} of block {}, which nobody wrote",
                mem.block
            ))),
            Ok(value) => Ok(value),
            Err(why) => Err(wrong(format!("the host reads element {at}, which {why}"))),
        }
    }

    /// The host lets elements be copied, whether they have been written or not.
    fn copy(&mut self, to: Mem, from: Mem, prim: Prim, count: i64) -> Res<()> {
        let bytes = count.wrapping_mul(width(prim));
        if to.block == from.block && to.base != from.base && (to.base - from.base).abs() < bytes {
            return Err(wrong("the source and the target of a copy overlap"));
        }
        for at in 0..count {
            self.world.step()?;
            let by = at * width(prim);
            let gone = || "is in memory that has been freed".to_owned();
            let array = self.world.arrays[from.block].as_ref().ok_or_else(gone);
            let value = array.and_then(|array| array.get(from.base + by, prim));
            let array = self.world.arrays[to.block].as_mut().ok_or_else(gone);
            let done = value
                .and_then(|value| array.and_then(|array| array.set(to.base + by, prim, value)));
            done.map_err(|why| wrong(format!("the host copies element {at}, which {why}")))?;
        }
        Ok(())
    }

    /// The value of a tuning parameter, if it is set.
    pub(super) fn tuning(&self, name: &str) -> Option<i64> {
        self.settings.tuning.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
    }
}

impl<'a> Machine<'a> {
    /// The host launches a kernel. Nothing happens if a check has failed before.
    pub(super) fn launch(&mut self, frame: &Frame<'a>, kernel: &'a Kernel) -> Res<()> {
        let blocks = self.int(frame, &kernel.blocks)?;
        let wish = match &kernel.shared {
            Some(bytes) => Some(self.int(frame, bytes)?),
            None => None,
        };
        let Some(device) = &mut self.device else {
            return Err(Fault::Undefined("this machine is no device".to_owned()));
        };
        let (vars, title) = (&frame.fun.vars, format!("\"{}\" ({})", kernel.hint, kernel.place));
        if let Some(v) = code::sets_outside(kernel) {
            let name = code::shown(vars, v);
            return Err(wrong(format!("kernel {title} sets {name}, which is the host's")));
        }
        if blocks <= 0 || device.world.failure.is_some() {
            return Ok(());
        }
        let blocks = u32::try_from(blocks).map_err(|_| Fault::Limit)?;
        let key = std::ptr::from_ref(kernel) as usize;
        let code = match device.codes.get(&key) {
            Some(code) => code.clone(),
            None => {
                let code = Rc::new(Code::new(self.code, frame.fun, kernel)?);
                device.codes.insert(key, code.clone());
                code
            }
        };
        let mut captured = Vec::with_capacity(code.captured.len());
        for (v, _) in &code.captured {
            captured.push(match (frame.slots[*v], vars[*v].ty) {
                (Slot::Scalar(scalar), _) => thread::Slot::Scalar(scalar),
                (Slot::Pointer(mem), Ty::Ptr(..)) => thread::Slot::Ptr(mem.map(|mem| Ptr {
                    space: Space::Global,
                    array: mem.block as u32,
                    base: mem.base,
                })),
                (Slot::Unset, Ty::Scalar(_) | Ty::Ptr(..)) => thread::Slot::Unset,
                (found, _) => {
                    let name = code::shown(vars, *v);
                    return Err(wrong(format!("kernel {title} uses {name}, which is {found:?}")));
                }
            });
        }
        let shared = wish.filter(|bytes| (1..=device.settings.shared_bytes).contains(bytes));
        *device.tally.entry(kernel.hint.clone()).or_default() += 1;
        let world = &mut device.world;
        (world.kernel, world.watch, world.left) = (title, Watch::default(), false);
        let launch = Launch { code: &code, blocks, threads: kernel.threads, captured, shared };
        schedule::launch(world, &launch, device.settings.residents)
    }

    /// The host reads an element, after the device has done all that was asked of it.
    pub(super) fn fetch(&mut self, frame: &Frame<'a>, p: V, index: &Exp) -> Res<Scalar> {
        let index = self.int(frame, index)?;
        let pointer = frame.pointer(p)?;
        let Some(device) = &mut self.device else {
            return Err(Fault::Undefined("this machine is no device".to_owned()));
        };
        device.wait()?;
        device.read(pointer, elem(frame.fun.vars[p].ty), index)
    }

    /// The host asks for an element. What it gets is what is there now, although it could be on its way for a while.
    pub(super) fn ask(&mut self, frame: &Frame<'a>, p: V, index: &Exp) -> Res<()> {
        let index = self.int(frame, index)?;
        let pointer = frame.pointer(p)?;
        let Some(device) = &mut self.device else {
            return Err(Fault::Undefined("this machine is no device".to_owned()));
        };
        let value = match device.world.failure {
            Some(_) => None,
            None => Some(device.read(pointer, elem(frame.fun.vars[p].ty), index)?),
        };
        device.asked.push_back(value);
        Ok(())
    }

    /// The host receives what it asked for first.
    pub(super) fn receive_asked(&mut self) -> Res<Scalar> {
        let Some(device) = &mut self.device else {
            return Err(Fault::Undefined("this machine is no device".to_owned()));
        };
        device.wait()?;
        device.asked.pop_front().flatten().ok_or_else(|| wrong("the host asked for nothing"))
    }

    /// A copy in the memory of a device.
    pub(super) fn device_copy(
        &mut self,
        (to, from): (Option<Mem>, Option<Mem>),
        prim: Prim,
        count: i64,
    ) -> Res<()> {
        let Some(device) = &mut self.device else { return Err(wrong("there is no device")) };
        match (to, from) {
            (Some(to), Some(from)) => device.copy(to, from, prim, count),
            _ => Err(wrong("a copy through an empty pointer")),
        }
    }

    /// By how much an address changes from an element to the next one.
    pub(super) fn unit(&self, prim: Prim) -> i64 {
        if self.device.is_some() { width(prim) } else { 1 }
    }

    /// A new block that a handle is of.
    pub(super) fn allocate(&mut self, prim: Prim, count: i64) -> Res<Handle> {
        let block = match &mut self.device {
            Some(device) => device.fresh(prim, count)?,
            None => self.store.fresh(prim, count)?,
        };
        self.references.insert(block, 1);
        Ok(Handle::of(block))
    }
}

/// The type of the elements that a variable has or points to.
pub(super) fn elem(ty: Ty) -> Prim {
    match ty {
        Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
        Ty::Mem => Prim::U8,
    }
}
