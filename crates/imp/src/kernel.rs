//! Kernels: what a device executes.

use crate::rewrite::replace_stms;
use crate::visit::{Item, each_stm};
use crate::{Block, Exp, Prim, Stm, Ty, V, VarInfo};
use ecow::EcoString;
use fehu_base::IdVec;
use rustc_hash::FxHashSet;

/// A computation on a device: the body is executed concurrently by every thread of a number of blocks.
///
/// Variables that are declared outside have the values that they had at the launch; they are scalars and pointers, and
/// cannot be assigned to. Results are returned through memory. The threads of a block can wait for each other
/// ([`Stm::Barrier`]) and share arrays ([`Ty::Shared`]), which are declared
/// directly in the body. Blocks are independent of each other.
///
/// A check that fails ends its thread or, in a [`Stm::Section`], the section. The host notices the
/// failure when it waits for the device.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    /// What it does, in a word.
    pub hint: EcoString,
    /// The source location.
    pub place: EcoString,
    /// The number of blocks.
    pub blocks: Exp,
    /// The number of threads of a block.
    pub threads: u32,
    /// How many blocks should reside on a multiprocessor of the device at the same time: a compiler that allocates
    /// registers takes this into account.
    pub residents: u32,
    /// The number of the block, an `i64`.
    pub block: V,
    /// The number of the thread in its block, an `i64`.
    pub thread: V,
    /// Whether all threads of a block do the same, except in sections; a block of memory that they allocate then
    /// belongs to all of them together.
    pub by_block: bool,
    /// The bytes of shared memory that a block would like to have, beyond its shared arrays; it can do without.
    pub shared: Option<Exp>,
    /// What it changes in a way that depends on what was there. A kernel that is tried again, because its threads ran short
    /// of memory, finds that as it was; all else it writes anew.
    pub changes: Vec<Extent>,
    /// Pointers of the host through which it only loads, elements that nobody changes during the launch: a compiler may
    /// move these loads, and the device may keep the elements in caches that do not see changes.
    pub read_only: Vec<V>,
    /// What each thread does.
    pub body: Block,
}

/// Neighbouring elements.
#[derive(Clone, PartialEq, Debug)]
pub struct Extent {
    /// A pointer of the host ...
    pub ptr: V,
    /// ... the index of the first element ...
    pub first: Exp,
    /// ... and how many there are.
    pub count: Exp,
}

impl Kernel {
    /// A kernel of a single thread.
    pub fn alone(hint: &str, vars: &mut IdVec<V, VarInfo>, body: Block) -> Kernel {
        let mut number =
            |hint: &str| vars.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I64) });
        Kernel {
            hint: hint.into(),
            place: EcoString::new(),
            blocks: Exp::int(1),
            threads: 1,
            residents: 1,
            block: number("block"),
            thread: number("thread"),
            by_block: false,
            shared: None,
            changes: Vec::new(),
            read_only: Vec::new(),
            body,
        }
    }

    /// Whether there is a single thread.
    pub fn is_alone(&self) -> bool {
        self.threads == 1 && self.blocks == Exp::int(1)
    }

    /// Moves the declarations of shared arrays to the beginning of the body, where they must be.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    pub fn hoist_shared(&mut self, vars: &IdVec<V, VarInfo>) {
        let mut shared = Block::new();
        replace_stms(&mut self.body, &mut |stm| match stm {
            Stm::Declare(v, _) if matches!(vars[*v].ty, Ty::Shared(..)) => {
                shared.push(stm.clone());
                Some(Block::new())
            }
            _ => None,
        });
        shared.append(&mut self.body);
        self.body = shared;
    }
}

/// The pointers through which code may do anything but load.
pub fn maybe_written(body: &[Stm]) -> FxHashSet<V> {
    let mut written = FxHashSet::default();
    each_stm(body, &mut |stm| {
        stm.each_item(&mut |item| match item {
            Item::Use(v) | Item::Set(v) | Item::Update(v) | Item::Declare(v) => {
                written.insert(*v);
            }
            // What an expression does with a pointer is to load.
            Item::Exp(_) | Item::Block(_) => {}
        });
    });
    written
}

/// Code that all threads come out of: a check that fails in it ends only a section, so that the next barrier is reached by all.
pub fn to_its_end(body: Block) -> Block {
    let fails = |stm: &Stm| matches!(stm, Stm::Assert(..) | Stm::Alloc(..) | Stm::Call(..));
    if has(&body, fails) { vec![Stm::Section(body)] } else { body }
}

/// Lets all threads come to the end of a body with barriers, where another one may be. They come to those that there
/// are; what follows the last of them may fail, and becomes a section then.
pub fn gather(body: &mut Block) {
    let last = body.iter().rposition(|stm| waits(std::slice::from_ref(stm)));
    let rest = body.split_off(last.map_or(0, |last| last + 1));
    if let Some(Stm::If(_, yes, no)) = body.last_mut() {
        gather(yes);
        gather(no);
    }
    body.extend(to_its_end(rest));
}

/// Whether threads wait for each other.
pub fn waits(body: &[Stm]) -> bool {
    has(body, |stm| {
        matches!(stm, Stm::Barrier | Stm::WarpBarrier | Stm::Arrive { .. } | Stm::Shuffle { .. })
    })
}

fn has(body: &[Stm], wanted: impl Fn(&Stm) -> bool) -> bool {
    let mut found = false;
    each_stm(body, &mut |stm| found |= wanted(stm));
    found
}
