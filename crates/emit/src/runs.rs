//! Who executes the code that is being emitted.

use super::Emit;
use super::grid::Cooperative;
use fehu_ir::{Body, Exp, Level, Screma};

/// Who executes code.
#[derive(Clone, Copy)]
pub(crate) enum Runs {
    /// The host, outside the functions of operators.
    Host,
    /// The host, in the function of an operator that it executes position by position, without Segs in it.
    Function,
    /// One of several threads, of a CPU or a device.
    Thread {
        /// Whether it starts tasks itself.
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
            Runs::Host | Runs::Function => false,
            Runs::Thread { .. } | Runs::Block(_) => true,
        }
    }

    /// Whether the code is executed once, or starts tasks.
    pub(crate) fn forks(self) -> bool {
        match self {
            Runs::Host => true,
            Runs::Thread { forks } => forks,
            Runs::Function | Runs::Block(_) => false,
        }
    }

    /// The threads of a block, if they execute the code.
    pub(crate) fn block(self) -> Option<Cooperative> {
        match self {
            Runs::Block(cooperative) => Some(cooperative),
            Runs::Host | Runs::Function | Runs::Thread { .. } => None,
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

    /// Who executes the function of an operator, if it goes from position to position.
    pub(crate) fn inside(&self, forks: bool) -> Runs {
        match self.runs {
            // A host loop around kernels or tasks is still host code.
            Runs::Host if forks || self.options.device => Runs::Host,
            Runs::Host | Runs::Function => Runs::Function,
            Runs::Thread { .. } => Runs::Thread { forks },
            runs @ Runs::Block(_) => runs,
        }
    }

    /// Whether the code is the host's, outside the functions of operators, as far as tasks and kernels are concerned.
    pub(crate) fn is_host(&self) -> bool {
        matches!(self.runs, Runs::Host)
    }

    /// Whether memory is moved by several threads here.
    pub(crate) fn moves_in_tasks(&self) -> bool {
        self.parallel && self.runs.forks()
    }
}

/// Whether functions of an operator start tasks.
pub(crate) fn has_tasks(op: &Screma) -> bool {
    let scans = op.scans.iter().map(|scan| &scan.op);
    let folds = scans.chain(op.reds.iter().map(|red| &red.op));
    folds.chain([&op.map]).any(|lambda| starts_tasks(&lambda.body))
}

/// Whether a body does.
pub(crate) fn starts_tasks(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(&stm.exp, Exp::Seg(seg) if seg.level == Level::Task);
        stm.exp.for_each_body(&mut |body| found = found || starts_tasks(body));
        found
    })
}
