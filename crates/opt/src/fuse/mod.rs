//! Fusion: fewer, larger array operators.
//!
//! ```text
//! ys = map f xs                      ==>   s = redomap (+) (\x -> g (f x)) 0 xs
//! s  = reduce (+) 0 (map g ys)
//! ```
//!
//! A body is a dependency graph (`graph`) that is reduced: two nodes that are array operators are merged if there is a
//! rule for them and no path between them through a third node. The rules:
//!
//! * **Vertical** (`vertical`): a producer becomes part of the operator that reads its result. If other statements also
//!   need the producer's results, the new operator returns them as well, so that nothing is computed twice.
//! * **Filters** (`filter`): an operator that reads only the kept elements of a [`Partition`](fehu_ir::Partition) is
//!   applied to all elements under a condition.
//! * **Streams** (`stream`): operators and streams become one stream.
//! * **Horizontal** (`horizontal`): operators of the same width that read the same array are merged; on devices,
//!   reductions of the same sizes in any case (`folds`).
//! * **Branches** (`sink`): statements that only the alternatives of a branch need are moved into them.
//! * **Views** (`views`): a transposition, reshape or slice between two operators is moved to the inputs of the first
//!   one, or behind the second one, so that the two become adjacent; to enable this, `interchange` swaps the two
//!   operators of a nest, and turns reductions and scans of vectors whose operators are maps into maps of reductions
//!   and scans.
//! * **Copies** (`copies`): cheap maps are computed again for each of several operators that cannot be one.
//! * **Parts** (`parts`): an operator applied to a concatenation is applied to its parts.
//!
//! `compose` composes functions, and `merge` merges operators. A reduction or scan keeps its own operator: a preceding
//! map becomes part of the function that is applied to the elements, never part of the operator, which would no longer
//! be associative.
//!
//! Products (`product`) stay by themselves where they would no longer be executed in tiles.
//!
//! Bodies are reduced from the outside in, because fusing two operators brings the contents of their functions
//! together.

mod compose;
mod copies;
mod filter;
mod folds;
mod graph;
mod horizontal;
mod interchange;
mod mentions;
mod merge;
mod nest;
mod parts;
mod product;
mod sink;
mod stream;
mod vertical;
mod views;

use fehu_base::IdVec;
use fehu_facts::{Effects, Share};
use fehu_ir::free::bound_in_stm;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::{Atom, Body, Exp, FunId, Loc, Prog, Stm, StreamForm, Type, Var, VarInfo};
use graph::{Counts, Graph};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const FUSE: Pass = Pass {
    name: "fuse",
    about: "fuses array operators, by reduction of the dependency graph",
    run: |prog, remarks| run(prog, remarks, false),
};

/// The pass for devices.
pub const GRID_FUSE: Pass = Pass {
    name: "grid_fuse",
    about: "fuses array operators; scans of rows become scans of columns, of which a thread keeps no row",
    run: |prog, remarks| run(prog, remarks, true),
};

fn run(prog: &mut Prog, remarks: &mut Remarks, columns: bool) {
    let effects = Effects::of(prog);
    let hosts = prog.funs.iter().filter(|(_, fun)| fun.is_for_host()).map(|(id, _)| id);
    let hosts: FxHashSet<FunId> = hosts.collect();
    prog.for_each_body(|prog, vars, body| {
        let share = Share::of(prog, body, vars);
        let counts = Counts::of(body, vars);
        let (level, neutral) = (Level::Parallel, FxHashMap::default());
        let (effects, hosts, within) = (&effects, &hosts, false);
        Cx { prog, effects, hosts, vars, share, counts, level, within, columns, neutral, remarks }
            .body(body);
    });
}

/// What is known while a function is worked on.
struct Cx<'a> {
    /// What is asked of other functions is which parameters they consume.
    prog: &'a Prog,
    effects: &'a Effects,
    /// The foreign functions that only the host of a device calls.
    hosts: &'a FxHashSet<FunId>,
    vars: &'a mut IdVec<Var, VarInfo>,
    share: Share,
    counts: Counts,
    /// Where the current body stands.
    level: Level,
    /// Whether it is in the function of an operator, so that its arrays are those of one position.
    within: bool,
    /// Whether scans of rows become scans of columns wherever that saves rows. The threads of devices have no vectors, and
    /// their memory is interleaved.
    columns: bool,
    /// Constants that are the values of accumulators whenever a chunk starts.
    neutral: FxHashMap<Var, Atom>,
    remarks: &'a mut Remarks,
}

/// What is known of how a body is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    /// Perhaps in parallel.
    Parallel,
    /// By one thread, because it is in the chunk function of a parallel stream.
    Chunk,
    /// By one thread, in small steps, because it is in that of a sequential stream inside.
    Steps,
}

impl Cx<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut graph = Graph::new(self.prog, self.vars, &self.share, self.hosts, body);
        if copies::reduce(self, &mut graph) {
            // Copies that slices are taken of no longer read the same as the others then.
            views::reduce(self, &mut graph);
        }
        loop {
            vertical::reduce(self, &mut graph);
            let filtered = filter::reduce(self, &mut graph);
            let merged = horizontal::reduce(self, &mut graph);
            let moved = sink::reduce(self, &mut graph);
            let viewed = views::reduce(self, &mut graph);
            let split = parts::reduce(self, &mut graph);
            if !filtered && !merged && !moved && !viewed && !split {
                break;
            }
        }
        vertical::explain(self, &graph);
        graph.finish(body);
        for stm in &mut body.stms {
            let around = stm.loc.clone();
            stm.exp.map_bodies(&mut |inner| {
                // Operators that rules have made inside others come from the same place.
                for stm in inner.stms.iter_mut().filter(|stm| stm.exp.operator().is_some()) {
                    stm.loc = stm.loc.take().or_else(|| around.clone());
                }
            });
            self.inside(&mut stm.exp);
        }
    }

    /// Goes on with the bodies of an expression.
    fn inside(&mut self, exp: &mut Exp) {
        let (around, within) = (self.level, self.within);
        // These are executed like what is around them.
        let is_like =
            matches!(exp, Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::WithAcc(..));
        self.within |= !is_like;
        self.level = if around == Level::Steps && !is_like { Level::Chunk } else { around };
        if let Exp::Stream(op) = exp {
            if let StreamForm::Red(op, _) = &mut op.form {
                self.body(&mut op.body);
            }
            self.level = match (&op.form, around) {
                (StreamForm::Map | StreamForm::Red(..), _) => Level::Chunk,
                (StreamForm::Seq | StreamForm::Pass(_), Level::Parallel) => Level::Parallel,
                (StreamForm::Seq | StreamForm::Pass(_), Level::Chunk | Level::Steps) => {
                    Level::Steps
                }
            };
            self.body(&mut op.chunk.body);
        } else {
            exp.map_bodies(&mut |inner| self.body(inner));
        }
        (self.level, self.within) = (around, within);
    }

    /// Notes what must be known of a statement that is a copy of another one with variables of its own.
    fn copied(&mut self, old: &Stm, new: &Stm) {
        for var in mentions::all_mentions(self, new) {
            self.counts.add(var);
        }
        self.joined(old, new);
    }

    /// Notes that what the new statement binds may share memory with what the old one binds.
    fn joined(&mut self, old: &Stm, new: &Stm) {
        for (old, new) in bound_in_stm(old).into_iter().zip(bound_in_stm(new)) {
            self.share.join(old, new);
        }
    }

    /// Notes a new statement.
    fn count_new(&mut self, stm: &Stm) {
        for var in mentions::all_mentions(self, stm) {
            self.counts.add(var);
        }
    }

    /// A new variable that may share memory with another one.
    fn like(&mut self, hint: &str, ty: Type, other: Var) -> Var {
        let var = self.vars.push(VarInfo { hint: hint.into(), ty });
        self.share.join(var, other);
        var
    }

    /// Notes that a value stands where a variable stood.
    fn stands_for(&mut self, value: Atom, var: Var) {
        if let Atom::Var(value) = value {
            for _ in 0..self.counts.get(var) {
                self.counts.add(value);
            }
        }
    }

    /// Notes that a statement is gone.
    fn count_gone(&mut self, stm: &Stm) {
        for var in mentions::all_mentions(self, stm) {
            self.counts.drop(var);
        }
    }

    /// Notes that two variables may be the same memory.
    fn may_share(&mut self, a: Var, b: Var) {
        let memory = |var: Var| !matches!(self.vars[var].ty, Type::Scalar(_));
        if memory(a) && memory(b) {
            self.share.join(a, b);
        }
    }

    fn is_acc(&self, var: Var) -> bool {
        matches!(self.vars[var].ty, Type::Acc(_))
    }

    fn remark(&mut self, kind: RemarkKind, loc: Option<&Loc>, other: Option<&Loc>, text: String) {
        self.remarks.add(FUSE.name, kind, loc, other, text);
    }
}
