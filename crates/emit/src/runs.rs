//! Who executes the code that is being emitted.

use super::Emit;
use super::grid::Cooperative;

/// Who executes code.
#[derive(Clone, Copy)]
pub(crate) enum Runs {
    /// The host, outside the functions of operators.
    Host,
    /// The host, in the function of an operator that it executes position by position.
    Function {
        /// Whether Segs in it are executed by tasks.
        forks: bool,
    },
    /// One of several threads, of a CPU or a device.
    Thread {
        /// Likewise.
        forks: bool,
    },
    /// The threads of a block of a device, all of them in the same way.
    Block(Cooperative),
}

impl Runs {
    /// One of several threads that start no tasks.
    pub(crate) const ALONE: Runs = Runs::Thread { forks: false };

    /// Whether several threads may execute the code at the same time.
    pub(crate) fn is_shared(self) -> bool {
        match self {
            Runs::Host | Runs::Function { .. } => false,
            Runs::Thread { .. } | Runs::Block(_) => true,
        }
    }

    /// Whether Segs in the code may be executed by tasks.
    pub(crate) fn forks(self) -> bool {
        match self {
            Runs::Host => true,
            Runs::Function { forks } | Runs::Thread { forks } => forks,
            Runs::Block(_) => false,
        }
    }

    /// The threads of a block, if they execute the code.
    pub(crate) fn block(self) -> Option<Cooperative> {
        match self {
            Runs::Block(cooperative) => Some(cooperative),
            Runs::Host | Runs::Function { .. } | Runs::Thread { .. } => None,
        }
    }
}

impl Emit<'_> {
    /// Does something as somebody else.
    pub(crate) fn running<T>(&mut self, runs: Runs, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.runs, runs);
        let result = work(self);
        self.runs = before;
        result
    }

    /// Whether the code is the host's, outside the functions of operators, as far as tasks and kernels are concerned.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.runs, Runs::Host | Runs::Function { forks: true })
    }

    /// Whether memory is moved by several threads here.
    pub(crate) fn moves_in_tasks(&self) -> bool {
        self.parallel && self.runs.forks()
    }
}
