//! Parts of arrays that a thread block reads again and again, as copies of its own.
//!
//! ```text
//! let (part: [b][b]i32) = a[y:y+b, x:x+b]                    let (view: [b][b]i32) = a[y:y+b, x:x+b]
//! loop ... { ... part[i, j] ... }                  becomes   let (part: [b][b]i32) = manifest view
//!                                                            loop ... { ... part[i, j] ... }
//! ```
//!
//! A loop in a block is a chain of steps that wait for each other, each for what it reads. What memory of the device
//! takes some hundred cycles to give is there at once in the memory of the block, and the copy is made by all threads
//! together, with neighbours reading neighbouring elements. It pays if the part is small, so that it does not keep
//! other arrays of the block, or other blocks, from being there: that is decided at run time.

use crate::block::is_view;
use crate::context::Cx;
use fehu_base::IdVec;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Exp, Stm, Var, VarInfo};
use rustc_hash::FxHashSet;

/// Parts with more elements than this together stay where they are.
const LARGE: i64 = 1 << 12;

/// The parts of arrays in a function that are worth a copy.
fn parts(body: &Body, vars: &IdVec<Var, VarInfo>, known: &dyn Fn(Atom) -> bool) -> Vec<Var> {
    let mut in_loops: FxHashSet<Var> = FxHashSet::default();
    for stm in &body.stms {
        if let Exp::Loop(_, _, inside) = &stm.exp {
            in_loops.extend(free_in_body(inside, vars));
        }
    }
    // What the block makes is in its memory.
    let mut made: FxHashSet<Var> = FxHashSet::default();
    let mut parts = Vec::new();
    for stm in &body.stms {
        if !is_view(&stm.exp) || free_in_stm(stm, vars).iter().any(|var| made.contains(var)) {
            made.extend(stm.pat.iter().filter(|var| vars[**var].ty.is_array()));
            continue;
        }
        let is_wanted = |var: &Var| {
            let shape = vars[*var].ty.shape();
            in_loops.contains(var) && !shape.is_empty() && shape.iter().all(|size| known(*size))
        };
        if matches!(stm.exp, Exp::Index(..)) {
            parts.extend(stm.pat.iter().copied().filter(is_wanted));
        }
    }
    parts
}

impl Cx<'_> {
    /// The function for a block of threads at each position: with copies of parts of arrays that are read in loops, if
    /// they are small, and without.
    pub(crate) fn by_staging_block(&mut self, body: &Body) -> Vec<Var> {
        let parts = parts(body, self.vars, &|atom| self.is_host(atom));
        if parts.is_empty() {
            return self.by_block(body);
        }
        let mut total = Atom::i64(0);
        for part in &parts {
            let mut count = Atom::i64(1);
            for size in self.vars[*part].ty.shape().to_vec() {
                count = self.named("count", Exp::BinOp(BinOp::Mul, count, size)).into();
            }
            total = self.named("staged", Exp::BinOp(BinOp::Add, total, count)).into();
        }
        let fits = self.named("fits", Exp::CmpOp(CmpOp::Le, total, Atom::i64(LARGE)));
        let staged = self.stage(body, &parts);
        self.either(fits, &mut |cx| cx.by_block(&staged), &mut |cx| cx.by_block(body))
    }

    fn stage(&mut self, body: &Body, parts: &[Var]) -> Body {
        let mut stms = Vec::with_capacity(body.stms.len() + parts.len());
        for stm in &body.stms {
            let part = stm.pat.first().copied().filter(|var| parts.contains(var));
            let Some(part) = part else {
                stms.push(stm.clone());
                continue;
            };
            let view = self.fresh(part.into(), self.vars[part].ty.clone());
            stms.push(Stm { pat: vec![view], ..stm.clone() });
            stms.push(Stm { loc: stm.loc.clone(), ..Stm::new(vec![part], Exp::Manifest(view)) });
        }
        Body { stms, results: body.results.clone() }
    }
}
