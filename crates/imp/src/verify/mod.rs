//! Checks that a program keeps the rules of imp. What it checks:
//!
//! * every variable is declared once, before its uses, and used only in its scope: the rest of its block, or the rest of
//!   the function, task or kernel for handles;
//! * types: of expressions, of what is stored through pointers and loaded, of arguments and results (`types`); handles
//!   stand only where handles are meant;
//! * numbers of functions, constants, tuning parameters and sites exist;
//! * tasks, kernels and iterations of independent loops assign only to variables of their own, except for the reductions of
//!   a loop, and these are only combined (`reduction`);
//! * statements of the host and of kernels are where they belong, which depends on the [`Phase`]; after the stage `device`,
//!   the host neither loads nor stores, and kernels have no handles;
//! * pointers point to the memory that their type says ([`Space`]): what they are set to, and what functions of the device
//!   get and return. Only kernels have pointers to other memories than that of blocks; on a CPU there is only one;
//! * all threads of a block come to a barrier, and those of a warp to that of the warp (`uniform`).
//!
//! What it does not check: indices, reference counts, and that variables have a value when they are read. The machine in
//! the crate `oracle` does, when it runs a program.

mod reduction;
mod types;
mod uniform;

use crate::kernel::maybe_written;
use crate::text::Printer;
use crate::visit::Item;
use crate::{Block, Exp, From, Fun, Kernel, Program, RedOp, Space, Stm, Ty, V};
use ecow::EcoString;
use fehu_base::IdVec;
use std::fmt;
use types::Memories;
pub use uniform::varying;

/// What a program is on the way to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A CPU: there are no kernels.
    Cpu,
    /// A device, before the stage `device`: the host still works on elements, and kernels still call functions and allocate.
    Emitted,
    /// A device, after that stage.
    Device,
}

/// What is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The function.
    pub fun: EcoString,
    /// The statement, or its first line if there are others inside it; none if it is the function as a whole.
    pub stm: Option<String>,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stm {
            Some(stm) => write!(f, "in function {}, at `{stm}`: {}", self.fun, self.message),
            None => write!(f, "in function {}: {}", self.fun, self.message),
        }
    }
}

/// Whether a program keeps the rules; what is wrong if not.
pub fn verify(program: &Program, phase: Phase) -> Result<(), Vec<Error>> {
    let mut errors = Vec::new();
    for (id, fun) in program.funs.iter().filter(|(_, fun)| !fun.name.is_empty()) {
        let device = program.inside.contains(&id);
        let mut checker = Checker {
            program,
            fun,
            phase,
            place: if device { Place::Kernel } else { Place::Host },
            states: IdVec::filled(State::Undeclared, fun.vars.len()),
            levels: Vec::new(),
            handles: Vec::new(),
            errors: &mut errors,
        };
        checker.function();
    }
    for constant in &program.consts {
        let fun = program.funs.get(constant.fun);
        if fun.is_none_or(|fun| fun.name.is_empty() || !fun.params.is_empty()) {
            let message = "a constant is not computed by a function without parameters".to_owned();
            errors.push(Error { fun: EcoString::new(), stm: None, message });
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Who executes a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Host,
    Task,
    Kernel,
}

/// Where a variable is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Undeclared,
    /// Declared inside this many levels.
    Live(usize),
    Ended,
}

/// Something whose parts are executed concurrently.
enum Level<'a> {
    Tasks,
    Kernel,
    Iterations(&'a [(V, RedOp)]),
}

struct Checker<'a, 'e> {
    program: &'a Program,
    fun: &'a Fun,
    phase: Phase,
    place: Place,
    states: IdVec<V, State>,
    levels: Vec<Level<'a>>,
    /// The handles of the current function, task or kernel.
    handles: Vec<V>,
    errors: &'e mut Vec<Error>,
}

impl<'a> Checker<'a, '_> {
    fn function(&mut self) {
        for v in self.fun.params.iter().chain(&self.fun.results) {
            self.declare(None, *v);
            match self.fun.vars.get(*v).map(|info| info.ty) {
                Some(Ty::Scalar(_)) | None => {}
                Some(Ty::Mem) if self.place == Place::Host => {}
                Some(Ty::Ptr(..)) if self.place == Place::Kernel => {}
                Some(ty) => self.error(None, format!("a parameter or result is of type {ty}")),
            }
        }
        self.block(&self.fun.body);
    }

    fn error(&mut self, stm: Option<&Stm>, message: String) {
        let printer = Printer::new(Some(self.program), self.fun);
        let stm = stm.map(|stm| printer.head(stm));
        self.errors.push(Error { fun: self.fun.name.clone(), stm, message });
    }

    fn name(&self, v: V) -> String {
        Printer::new(Some(self.program), self.fun).var(v)
    }

    /// Declares a variable here.
    fn declare(&mut self, stm: Option<&Stm>, v: V) {
        match self.states.get(v) {
            None => self.error(stm, format!("the function has no variable {}", v.0)),
            Some(State::Undeclared) => self.states[v] = State::Live(self.levels.len()),
            Some(State::Live(_) | State::Ended) => {
                let name = self.name(v);
                self.error(stm, format!("{name} is declared twice"));
            }
        }
    }

    fn used(&mut self, stm: &Stm, v: V) {
        let wrong = match self.states.get(v) {
            Some(State::Live(_)) => return,
            Some(State::Ended) => "is used outside its scope",
            Some(State::Undeclared) | None => "is used before it is declared",
        };
        let name = self.name(v);
        self.error(Some(stm), format!("{name} {wrong}"));
    }

    /// Whether a variable may be set here.
    fn set(&mut self, stm: &Stm, v: V) {
        let Some(State::Live(level)) = self.states.get(v).copied() else { return };
        let owner = self.levels[level..].iter().find_map(|level| match level {
            Level::Tasks => Some("tasks"),
            Level::Kernel => Some("a kernel"),
            Level::Iterations(reductions) => {
                let reduces = reductions.iter().any(|(other, _)| *other == v);
                (!reduces).then_some("iterations")
            }
        });
        if let Some(owner) = owner {
            let name = self.name(v);
            self.error(Some(stm), format!("{name} is set by {owner}, but declared outside"));
        }
    }

    fn block(&mut self, block: &'a Block) {
        for stm in block {
            self.stm(stm);
        }
        self.leave(block);
    }

    /// The variables of a block end with it, except for handles.
    fn leave(&mut self, block: &Block) {
        for v in declared(block) {
            if self.fun.vars.get(v).is_some_and(|info| info.ty != Ty::Mem) {
                self.end(v);
            }
        }
    }

    fn end(&mut self, v: V) {
        if self.states.get(v).is_some() {
            self.states[v] = State::Ended;
        }
    }

    fn stm(&mut self, stm: &'a Stm) {
        let mut uses = Vec::new();
        let exchanges = matches!(stm, Stm::Exchange { .. });
        let mut last = None;
        stm.each_item(&mut |item| match item {
            Item::Use(v) | Item::Update(v) | Item::Set(v) => uses.push(*v),
            Item::Exp(e) => {
                last = Some(e);
                if !(exchanges && is_new(stm, e)) {
                    e.each_var(&mut |v| uses.push(v));
                }
            }
            Item::Declare(_) | Item::Block(_) => {}
        });
        uses.into_iter().for_each(|v| self.used(stm, v));
        let mut sets = Vec::new();
        stm.each_set(&mut |v| sets.push(v));
        sets.into_iter().for_each(|v| self.set(stm, v));
        let memories = match self.place {
            Place::Host | Place::Task => Memories::One,
            Place::Kernel => Memories::Several,
        };
        if let Err(message) = types::stm(self.program, self.fun, stm, memories) {
            self.error(Some(stm), message);
        }
        if let Some(message) = self.misplaced(stm) {
            self.error(Some(stm), message.to_owned());
        }
        self.inside(stm, last);
    }

    /// What a statement declares, and the blocks inside it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no rule of their own")]
    fn inside(&mut self, stm: &'a Stm, last: Option<&'a Exp>) {
        match stm {
            Stm::Declare(v, _) => {
                self.declare(Some(stm), *v);
                if self.fun.vars.get(*v).is_some_and(|info| info.ty == Ty::Mem) {
                    self.handles.push(*v);
                }
            }
            Stm::For { var, kind, body, .. } => match kind.reductions() {
                None => self.scoped(stm, &[*var], body),
                Some(reductions) => {
                    for (v, _) in reductions {
                        self.set(stm, *v);
                    }
                    if let Err(message) = reduction::check(self.fun, reductions, body) {
                        self.error(Some(stm), message);
                    }
                    self.levels.push(Level::Iterations(reductions));
                    self.scoped(stm, &[*var], body);
                    self.levels.pop();
                }
            },
            Stm::Tasks(tasks) => {
                let own = [tasks.low, tasks.high, tasks.chunk];
                self.elsewhere(Place::Task, Level::Tasks, stm, &own, &tasks.body);
            }
            Stm::Launch(kernel) => {
                let own = [kernel.block, kernel.thread];
                self.elsewhere(Place::Kernel, Level::Kernel, stm, &own, &kernel.body);
                self.kernel(kernel);
            }
            Stm::Exchange { old, body, .. } => {
                self.declare(Some(stm), *old);
                body.iter().for_each(|inner| self.stm(inner));
                // The new value may depend on what the body declares.
                let mut uses = Vec::new();
                last.into_iter().for_each(|e| e.each_var(&mut |v| uses.push(v)));
                uses.into_iter().for_each(|v| self.used(stm, v));
                self.leave(body);
                self.end(*old);
            }
            _ => {
                let mut blocks = Vec::new();
                stm.each_block(&mut |block| blocks.push(block));
                blocks.into_iter().for_each(|block| self.block(block));
            }
        }
    }

    /// A block with variables of its own.
    fn scoped(&mut self, stm: &Stm, own: &[V], body: &'a Block) {
        own.iter().for_each(|v| self.declare(Some(stm), *v));
        self.block(body);
        own.iter().for_each(|v| self.end(*v));
    }

    /// A block that others execute, with handles of its own.
    fn elsewhere(&mut self, place: Place, level: Level<'a>, stm: &Stm, own: &[V], body: &'a Block) {
        let before = std::mem::replace(&mut self.place, place);
        let handles = std::mem::take(&mut self.handles);
        self.levels.push(level);
        self.scoped(stm, own, body);
        self.levels.pop();
        std::mem::replace(&mut self.handles, handles).into_iter().for_each(|v| self.end(v));
        self.place = before;
    }

    /// What is particular to kernels as a whole.
    fn kernel(&mut self, kernel: &'a Kernel) {
        for (stm, message) in uniform::check(self.fun, kernel) {
            self.error(Some(stm), message);
        }
        let written = maybe_written(&kernel.body);
        for ptr in &kernel.read_only {
            let is_pointer = matches!(self.fun.vars[*ptr].ty, Ty::Ptr(..));
            if !is_pointer || written.contains(ptr) {
                let name = self.name(*ptr);
                self.error(
                    None,
                    format!("a kernel does more than load through {name}, which is read-only"),
                );
            }
        }
        let tops: Vec<V> = declared(&kernel.body);
        crate::visit::each_stm(&kernel.body, &mut |stm| {
            if let Stm::Declare(v, _) = stm
                && matches!(self.fun.vars[*v].ty, Ty::Shared(..))
                && !tops.contains(v)
            {
                let message = "a shared array is not declared directly in the kernel".to_owned();
                self.error(Some(stm), message);
            }
        });
    }

    /// Why a statement cannot stand where it stands.
    fn misplaced(&self, stm: &Stm) -> Option<&'static str> {
        let (kernel, after) = (self.place == Place::Kernel, self.phase == Phase::Device);
        let message = match self.who(stm) {
            Who::Host if self.phase == Phase::Cpu => "there is no device",
            Who::Host if self.place != Place::Host => "only the host can do this",
            Who::Tasks if kernel => "a kernel cannot do this",
            Who::Kernel if !kernel => "only a kernel can do this",
            Who::Elements if after && !kernel => {
                "the host cannot store to the memory of the device"
            }
            Who::Handles if after && kernel => {
                "after the stage device, kernels neither call functions of the host nor have handles"
            }
            Who::Host
            | Who::Tasks
            | Who::Kernel
            | Who::Elements
            | Who::Handles
            | Who::Everybody => {
                let mut loads = false;
                stm.each_exp(&mut |e| loads |= e.any(&|e| matches!(e, Exp::Load(..))));
                if !(loads && after && !kernel) {
                    return None;
                }
                "the host cannot load from the memory of the device"
            }
        };
        Some(message)
    }

    /// Who may execute a statement.
    fn who(&self, stm: &Stm) -> Who {
        match stm {
            Stm::Launch(_) | Stm::Fetch(..) | Stm::Ask(..) | Stm::Receive(_) | Stm::Blocks(_) => {
                Who::Host
            }
            Stm::Tasks(_) | Stm::Threads(_) | Stm::Chunks(..) | Stm::Begin(_) | Stm::End => {
                Who::Tasks
            }
            Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Shuffle { .. }
            | Stm::Leave
            | Stm::Section(_)
            | Stm::Point(_, From::Shared, _) => Who::Kernel,
            Stm::Store(..)
            | Stm::Atomic(..)
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Locked(..) => Who::Elements,
            Stm::Call(fun, ..) if self.program.inside.contains(fun) => Who::Kernel,
            // Kernels have no stream, and give no addresses.
            Stm::Foreign(call) if call.stream => Who::Host,
            Stm::Foreign(_) => Who::Everybody,
            Stm::Call(..)
            | Stm::Const(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Tuning(..)
            | Stm::Point(_, From::Mem(_), _) => Who::Handles,
            Stm::Declare(v, _) => match self.fun.vars.get(*v).map(|info| info.ty) {
                Some(Ty::Shared(..) | Ty::Ptr(Space::Shared, _)) => Who::Kernel,
                Some(Ty::Mem) => Who::Handles,
                Some(Ty::Scalar(_) | Ty::Ptr(Space::Global | Space::Own, _) | Ty::Local(..))
                | None => Who::Everybody,
            },
            Stm::Comment(_)
            | Stm::Assign(..)
            | Stm::Point(_, From::Ptr(_), _)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Prefixes(..) => Who::Everybody,
        }
    }
}

/// Who may execute a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Everybody,
    /// The host of a device.
    Host,
    /// The host and tasks, with or without a device.
    Tasks,
    Kernel,
    /// It writes elements: not the host, after the stage `device`.
    Elements,
    /// It has to do with handles or functions: not kernels, after the stage `device`.
    Handles,
}

/// Whether an expression is the new value of an exchange.
fn is_new(stm: &Stm, e: &Exp) -> bool {
    matches!(stm, Stm::Exchange { new, .. } if std::ptr::eq(new, e))
}

/// The variables that a block declares, not those inside it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other statements declare nothing for the rest of a block"
)]
fn declared(block: &Block) -> Vec<V> {
    let own = |stm: &Stm| match stm {
        Stm::Declare(v, _) => Some(*v),
        _ => None,
    };
    block.iter().filter_map(own).collect()
}
