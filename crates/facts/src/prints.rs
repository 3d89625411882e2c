//! What must be evaluated just as often as the program says.
//!
//! A [`Exp::Trace`] prints every time, and about the value of an [`Exp::Opaque`] nothing may be assumed, not even that
//! it is the same the next time. An expression that contains one, also through calls, is neither merged with an
//! equal one nor moved out of a loop.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Body, Exp, Family, FunId, Prog};

/// Which functions of a program contain such an expression.
#[derive(Clone, Debug)]
pub struct Prints {
    funs: IdVec<FunId, bool>,
}

impl Prints {
    /// Looks at a whole program.
    pub fn of(prog: &Prog) -> Prints {
        let mut funs = IdVec::filled(false, prog.funs.len());
        let mut callers: IdVec<FunId, Vec<FunId>> = IdVec::filled(Vec::new(), prog.funs.len());
        let mut work = Vec::new();
        for (id, fun) in prog.funs.iter() {
            let mut look = Look { found: false, calls: Vec::new() };
            look.body(&fun.body);
            if look.found {
                funs[id] = true;
                work.push(id);
            }
            for callee in look.calls {
                if callee.index() < prog.funs.len() {
                    callers[callee].push(id);
                }
            }
        }
        while let Some(id) = work.pop() {
            for caller in std::mem::take(&mut callers[id]) {
                if !std::mem::replace(&mut funs[caller], true) {
                    work.push(caller);
                }
            }
        }
        Prints { funs }
    }

    /// Whether a function does.
    pub fn fun(&self, id: FunId) -> bool {
        self.funs.get(id).is_none_or(|prints| *prints)
    }

    /// Whether an expression does by itself or by a call, not looking into its bodies.
    pub fn shallow(&self, exp: &Exp) -> bool {
        let called = matches!(exp, Exp::Call(id, _) if self.fun(*id));
        called || exp.family() == Family::Fixed
    }
}

struct Look {
    found: bool,
    calls: Vec<FunId>,
}

impl Visit for Look {
    fn exp(&mut self, exp: &Exp) {
        self.found |= exp.family() == Family::Fixed;
        if let Exp::Call(id, _) = exp {
            self.calls.push(*id);
        }
        walk_exp(self, exp);
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }
}
