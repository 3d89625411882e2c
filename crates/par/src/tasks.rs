//! `tasks`: the operators of programs for several threads of a CPU become Segs of tasks.
//!
//! An operator of the host is divided into tasks, and so are the operators inside its functions: whether these really are, or
//! one thread executes them, is a matter of how many positions there are outside, which is known at run time.
//!
//! ```text
//! map (\xs -> reduce (+) 0 xs) xss    ==>    seg task { map (\xs -> seg task { reduce (+) 0 xs }) xss }
//! ```
//!
//! What the source says is sequential (`#[sequential]`) is. A function that is called inside of an operator has the tasks that
//! it has elsewhere.

use crate::is_sequential;
use crate::seg::Segs;
use fehu_base::id::Id;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Body, ConstId, Exp, FunId, Level, Prog, Stage, Stm};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const TASKS: Pass = Pass {
    name: "tasks",
    about: "lets the threads of a CPU share the positions of operators",
    run: |prog, _: &mut Remarks| run(prog),
};

fn run(prog: &mut Prog) {
    let (hosted, equal) = (FxHashSet::default(), FxHashMap::default());
    for id in (0..prog.consts.len()).map(ConstId::from_index) {
        let mut body = std::mem::take(&mut prog.consts[id].body);
        let mut vars = std::mem::take(&mut prog.consts[id].vars);
        Segs { prog, vars: &mut vars, hosted: &hosted, equal: &equal }.in_tasks(&mut body);
        prog.consts[id].body = body;
        prog.consts[id].vars = vars;
    }
    for id in (0..prog.funs.len()).map(FunId::from_index) {
        let mut body = std::mem::take(&mut prog.funs[id].body);
        let mut vars = std::mem::take(&mut prog.funs[id].vars);
        Segs { prog, vars: &mut vars, hosted: &hosted, equal: &equal }.in_tasks(&mut body);
        prog.funs[id].body = body;
        prog.funs[id].vars = vars;
    }
    prog.stage = Stage::Segs;
}

impl Segs<'_> {
    /// The operators of a body, and those inside of them.
    fn in_tasks(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            if matches!(stm.exp, Exp::Stream(_)) || is_sequential(stm) {
                continue;
            }
            stm.exp.map_bodies(&mut |body| self.in_tasks(body));
            if matches!(
                stm.exp,
                Exp::Screma(_) | Exp::Hist(_) | Exp::Scatter(_) | Exp::Partition(_)
            ) {
                let op = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Threads));
                *stm = self.seg(op, 0, Level::Task);
            }
        }
    }
}
