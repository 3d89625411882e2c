//! Where sizes can be computed, and what is between there and the allocations.
//!
//! A *root* is a statement in which blocks are kept until it has ended: an operator of the host, or a loop or operator
//! that a task executes by itself. The way from there to an allocation crosses dimensions that are counted from zero to
//! a bound: iterations and positions. If it crosses anything else, such as a branch or a `while` loop, the allocation
//! need not happen, and has no way.

use super::is_number;
use crate::table::{BlockId, Origin, Table};
use fehu_base::IdVec;
use fehu_facts::Effects;
use fehu_ir::free::bound_in_stm;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_ir::{Atom, Body, Exp, Lambda, Level, LoopForm, Stm, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement before which sizes can be computed.
pub(super) struct Root {
    /// The first variable that it binds.
    pub(super) before: Var,
    /// What is bound in it.
    pub(super) inner: FxHashSet<Var>,
    /// Whether memory is reserved for everything in it whose size is known outside: it is a kernel.
    pub(super) is_reserved: bool,
    /// What is allocated in it, but for registers.
    pub(super) makings: Vec<Making>,
    /// The blocks that its loops and branches hand on.
    pub(super) handed_on: Vec<BlockId>,
}

/// An allocation.
pub(super) struct Making {
    pub(super) block: BlockId,
    /// A variable of the statement that it is for.
    pub(super) of: Var,
    /// What is crossed on the way to it, outermost first, if it happens whenever none of this is empty.
    pub(super) way: Option<Vec<Crossed>>,
}

/// A dimension that is crossed.
#[derive(Clone)]
pub(super) struct Crossed {
    /// The variables that count it from zero.
    pub(super) counters: Vec<Var>,
    /// The number of iterations or positions; none if it is negative.
    pub(super) bound: Atom,
}

/// The roots of a function with something to enlarge.
pub(super) fn roots(
    body: &Body,
    vars: &IdVec<Var, VarInfo>,
    table: &Table,
    effects: &Effects,
) -> Vec<Root> {
    let mut made: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
    for (id, block) in table.blocks.iter() {
        if let Origin::Fresh { before, .. } = &block.origin
            && table.local_size(id).is_none()
        {
            made.entry(*before).or_default().push(id);
        }
    }
    let (iotas, roots) = (FxHashSet::default(), Vec::new());
    let mut find = Find { vars, table, effects, made, iotas, roots };
    find.outside(body, false);
    find.roots
}

struct Find<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'a Table,
    effects: &'a Effects,
    /// The blocks that are allocated before the statement that binds a variable, but for small ones.
    made: FxHashMap<Var, Vec<BlockId>>,
    /// The arrays whose elements are their positions.
    iotas: FxHashSet<Var>,
    roots: Vec<Root>,
}

impl Find<'_> {
    /// A body of the host, or of a task.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others with bodies are operators")]
    fn outside(&mut self, body: &Body, in_task: bool) {
        for stm in &body.stms {
            self.note(stm);
            match &stm.exp {
                Exp::If(..) | Exp::Switch(..) => {
                    stm.exp.for_each_body(&mut |body| self.outside(body, in_task));
                }
                Exp::Loop(_, _, body) if !in_task => self.outside(body, in_task),
                // Its positions are those of the operator in it, which threads share.
                Exp::Seg(seg) if seg.level == Level::Task => {
                    for stm in &seg.body.body.stms {
                        self.note(stm);
                        stm.exp.for_each_body(&mut |body| self.outside(body, true));
                    }
                }
                exp => self.root(stm, exp),
            }
        }
    }

    fn root(&mut self, stm: &Stm, exp: &Exp) {
        let Some(before) = stm.pat.first().copied() else { return };
        let mut has_bodies = false;
        exp.for_each_body(&mut |_| has_bodies = true);
        if !has_bodies || self.effects.exp(exp) || calls(exp) {
            return;
        }
        let is_kernel = |level: Level| matches!(level, Level::Grid | Level::Blocks | Level::Warps);
        let is_reserved = matches!(exp, Exp::Seg(seg) if is_kernel(seg.level));
        let inner: FxHashSet<Var> = bound_in_stm(stm).into_iter().collect();
        let places = inner.iter().filter_map(|var| Some((*var, self.table.place(*var)?.block)));
        let is_carried = |(var, block): &(Var, BlockId)| {
            self.table.blocks[*block].origin == Origin::Carried(*var)
        };
        let mut handed_on: Vec<BlockId> =
            places.filter(is_carried).map(|(_, block)| block).collect();
        handed_on.sort_unstable();
        let mut root = Root { before, inner, is_reserved, makings: Vec::new(), handed_on };
        self.inside(&mut root, exp, Some(&[]));
        let is_unknown = |atom: &Atom| atom.var().is_some_and(|var| root.inner.contains(&var));
        let grows = |making: &Making| match &self.table.blocks[making.block].origin {
            Origin::Fresh { size, .. } => making.way.is_some() && size.iter().any(is_unknown),
            Origin::Carried(_) | Origin::Unused => false,
        };
        let is_certain = |making: &Making| making.way.is_some();
        if root.makings.iter().any(grows) && (!is_reserved || root.makings.iter().all(is_certain)) {
            self.roots.push(root);
        }
    }

    /// What is in the bodies of an expression on the way from a root.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are not always evaluated")]
    fn inside(&mut self, root: &mut Root, exp: &Exp, way: Option<&[Crossed]>) {
        let cross = |counters: Vec<Var>, bound: Atom| {
            let mut way = way?.to_vec();
            way.push(Crossed { counters, bound });
            Some(way)
        };
        match exp {
            Exp::Loop(_, form, body) => {
                let way = match form {
                    LoopForm::For(var, bound) if is_number(self.vars, Atom::Var(*var)) => {
                        cross(vec![*var], *bound)
                    }
                    LoopForm::For(..) | LoopForm::While(_) => None,
                };
                self.body(root, body, way.as_deref());
            }
            Exp::Seg(seg) => {
                let mut way = way.filter(|_| seg.level != Level::Task).map(<[Crossed]>::to_vec);
                for (index, size) in seg.indices().iter().zip(&seg.space) {
                    if let Some(way) = &mut way {
                        way.push(Crossed { counters: vec![*index], bound: *size });
                    }
                }
                self.body(root, &seg.body.body, way.as_deref());
            }
            Exp::Screma(op) => {
                let way = cross(self.positions(&op.map, &op.inputs), op.width);
                self.body(root, &op.map.body, way.as_deref());
                let folds = op.scans.iter().map(|scan| &scan.op);
                for lambda in folds.chain(op.reds.iter().map(|red| &red.op)) {
                    self.body(root, &lambda.body, None);
                }
            }
            Exp::Hist(op) => {
                let way = cross(self.positions(&op.map, &op.inputs), op.width);
                self.body(root, &op.map.body, way.as_deref());
                op.ops.iter().for_each(|op| self.body(root, &op.op.body, None));
            }
            Exp::Scatter(op) => {
                let way = cross(self.positions(&op.map, &op.inputs), op.width);
                self.body(root, &op.map.body, way.as_deref());
            }
            exp => exp.for_each_body(&mut |body| self.body(root, body, None)),
        }
    }

    fn body(&mut self, root: &mut Root, body: &Body, way: Option<&[Crossed]>) {
        for stm in &body.stms {
            self.note(stm);
            for var in &stm.pat {
                for block in self.made.get(var).into_iter().flatten() {
                    root.makings.push(Making {
                        block: *block,
                        of: *var,
                        way: way.map(<[Crossed]>::to_vec),
                    });
                }
            }
            self.inside(root, &stm.exp, way);
        }
    }

    fn note(&mut self, stm: &Stm) {
        if let (Exp::Iota(_, _, start, step), [var]) = (&stm.exp, stm.pat.as_slice())
            && (*start, *step) == (Atom::i64(0), Atom::i64(1))
        {
            self.iotas.insert(*var);
        }
    }

    /// The parameters that say at which position a function is applied.
    fn positions(&self, map: &Lambda, inputs: &[Var]) -> Vec<Var> {
        let inputs = map.params.iter().zip(inputs);
        let positions = inputs.filter(|(_, input)| self.iotas.contains(input));
        positions.map(|(param, _)| *param).collect()
    }
}

/// Whether functions are called, which may allocate by themselves.
fn calls(exp: &Exp) -> bool {
    struct Calls(bool);
    impl Visit for Calls {
        fn exp(&mut self, exp: &Exp) {
            self.0 |= matches!(exp, Exp::Call(..) | Exp::Const(_));
            walk_exp(self, exp);
        }
    }
    let mut calls = Calls(false);
    calls.exp(exp);
    calls.0
}
