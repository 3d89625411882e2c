//! `tasks`: the operators of programs for several threads of a CPU become Segs of tasks.
//!
//! An operator whose functions contain operators has two versions. If it has at least as many positions as there are threads,
//! these are divided into tasks, and each thread executes what is inside by itself. Otherwise the operators inside are divided
//! as well. A reduction of arrays also needs room for a partial result of each task: if arrays are large, there is enough
//! parallelism in combining two of them.
//!
//! ```text
//! map (\xs -> reduce (+) 0 xs) xss
//! ==>
//! if threads <= n then seg task { map (\xs -> reduce (+) 0 xs) xss }
//!                 else seg task { map (\xs -> seg task { reduce (+) 0 xs }) xss }
//! ```
//!
//! Scans of arrays that `chunks` has left are sequential, and so are the functions of histograms and scatters, and what
//! the source says is (`#[sequential]`). A function that is called inside of an operator has the tasks that it has
//! elsewhere.

use crate::is_sequential;
use crate::seg::Segs;
use fehu_base::{IdVec, Prim};
use fehu_facts::Effects;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::copy_stm;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Elem, Exp, Level, Prog, Screma, Stage, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const TASKS: Pass = Pass {
    name: "tasks",
    about: "lets the threads of a CPU share the positions of operators",
    run: |prog, _: &mut Remarks| run(prog),
};

/// The most elements of arrays that a task of a reduction has.
const ROOM: i64 = 1 << 16;

fn run(prog: &mut Prog) {
    let (hosted, equal) = (FxHashSet::default(), FxHashMap::default());
    let effects = Effects::of(prog);
    prog.for_each_body(|prog, vars, body| {
        crate::flatmap::write_out_all(body, &effects, vars);
        Segs { prog, vars, hosted: &hosted, equal: &equal }.in_tasks(body);
    });
    prog.stage = Stage::Segs;
}

impl Segs<'_> {
    /// The operators of a body, and those inside of them. Whether there are any.
    fn in_tasks(&mut self, body: &mut Body) -> bool {
        let mut found = false;
        for stm in std::mem::take(&mut body.stms) {
            found |= self.operator_in_tasks(stm, &mut body.stms);
        }
        found
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operators")]
    fn operator_in_tasks(&mut self, mut stm: Stm, out: &mut Vec<Stm>) -> bool {
        match &stm.exp {
            Exp::Stream(_) => out.push(stm),
            _ if is_sequential(&stm) => out.push(stm),
            // Rows that differ are divided already.
            Exp::Seg(_) => {
                out.push(stm);
                return true;
            }
            Exp::Hist(_) | Exp::Scatter(_) => {
                out.push(self.seg(stm, 0, Level::Task));
                return true;
            }
            Exp::Screma(op) => {
                let (width, folds) = (op.width, Folds::of(op, self.vars));
                return self.in_versions(stm, width, folds, out);
            }
            Exp::Partition(op) => {
                let width = op.width;
                return self.in_versions(stm, width, Folds::Scan, out);
            }
            _ => {
                let found = self.functions_in_tasks(&mut stm);
                out.push(stm);
                return found;
            }
        }
        false
    }

    fn functions_in_tasks(&mut self, stm: &mut Stm) -> bool {
        let mut found = false;
        stm.exp.map_bodies(&mut |body| found |= self.in_tasks(body));
        found
    }

    /// An operator of this width, in versions if there are operators in its functions.
    fn in_versions(&mut self, stm: Stm, width: Atom, folds: Folds, out: &mut Vec<Stm>) -> bool {
        if folds == Folds::ScanArrays {
            let mut stm = stm;
            let nested = self.functions_in_tasks(&mut stm);
            out.push(stm);
            return nested;
        }
        let mut inner = copy_stm(&stm, self.vars);
        let nested = self.functions_in_tasks(&mut inner);
        if !nested && folds != Folds::ReduceArrays {
            out.push(self.seg(stm, 0, Level::Task));
            return true;
        }
        let threads = self.number("threads", Exp::Threads, out);
        let mut enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, threads, width), out);
        if let (Exp::Screma(op), Folds::ReduceArrays) = (&stm.exp, folds) {
            let room = self.room(op, out);
            let little = Exp::CmpOp(CmpOp::Le, room, Atom::i64(ROOM));
            let little = self.truth("little", little, out);
            enough = self.truth("enough", Exp::BinOp(BinOp::And, enough, little), out);
        }
        let (pat, loc) = (stm.pat.clone(), stm.loc.clone());
        let outer = copy_stm(&stm, self.vars);
        let outer = self.seg(outer, 0, Level::Task);
        let inner = match folds {
            Folds::Nothing | Folds::Reduce => self.seg(inner, 0, Level::Task),
            // One position after the other.
            Folds::Scan | Folds::ScanArrays | Folds::ReduceArrays => inner,
        };
        let body = |stm: Stm| {
            let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
            Body { stms: vec![stm], results }
        };
        let versions = Exp::If(enough, Box::new([body(outer), body(inner)]));
        out.push(Stm { loc, ..Stm::new(pat, versions) });
        true
    }

    /// How many elements of arrays a task of a reduction has.
    fn room(&mut self, op: &Screma, out: &mut Vec<Stm>) -> Atom {
        let mut room: Option<Atom> = None;
        for red in &op.reds {
            for param in red.op.params.iter().take(red.neutral.len()) {
                let mut size: Option<Atom> = None;
                for dim in self.vars[*param].ty.shape().to_vec() {
                    size = Some(match size {
                        None => dim,
                        Some(size) => self.number("size", Exp::BinOp(BinOp::Mul, size, dim), out),
                    });
                }
                room = match (room, size) {
                    (Some(room), Some(size)) => {
                        Some(self.number("room", Exp::BinOp(BinOp::Add, room, size), out))
                    }
                    (room, size) => room.or(size),
                };
            }
        }
        room.unwrap_or(Atom::i64(0))
    }

    fn number(&mut self, hint: &str, exp: Exp, out: &mut Vec<Stm>) -> Atom {
        self.bound(hint, Type::I64, exp, out)
    }

    fn truth(&mut self, hint: &str, exp: Exp, out: &mut Vec<Stm>) -> Atom {
        self.bound(hint, Type::Scalar(Elem::Prim(Prim::Bool)), exp, out)
    }

    fn bound(&mut self, hint: &str, ty: Type, exp: Exp, out: &mut Vec<Stm>) -> Atom {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        out.push(Stm::new(vec![var], exp));
        var.into()
    }
}

/// What an operator combines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folds {
    Nothing,
    /// Scalars, in reductions only.
    Reduce,
    /// Scalars, in scans and possibly in reductions; a partition has positions of its elements.
    Scan,
    /// Arrays, in reductions only.
    ReduceArrays,
    /// Arrays, in scans or beside them.
    ScanArrays,
}

impl Folds {
    fn of(op: &Screma, vars: &IdVec<Var, VarInfo>) -> Folds {
        let is_array = |var: &Var| vars[*var].ty.is_array();
        let scans = op.scans.iter().map(|scan| &scan.op);
        let mut all = scans.chain(op.reds.iter().map(|red| &red.op)).flat_map(|op| &op.params);
        match (op.scans.is_empty(), all.any(is_array)) {
            _ if op.folded() == 0 => Folds::Nothing,
            (true, false) => Folds::Reduce,
            (false, false) => Folds::Scan,
            (true, true) => Folds::ReduceArrays,
            (false, true) => Folds::ScanArrays,
        }
    }
}
