//! Which blocks may be the same memory at run time.
//!
//! A block that is allocated is itself. One that comes with a variable is what the variable's value is in: that of a
//! branch, of the first value of a loop's parameter or of the last one's result, or of an argument of a call. These are
//! its *roots*. A variable that has a place of its own has no part in this, since its values are copied there. Two
//! blocks may be the same memory if they have a root in common, or roots that are both memory of somebody else.

use crate::table::{BlockId, Origin, Table};
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Exp, Item, Lambda, Param, Prog, Stm, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The roots of the blocks of a function.
pub(crate) struct Roots {
    /// All of them, the block included.
    of: FxHashMap<BlockId, FxHashSet<BlockId>>,
    /// The blocks that may be, besides, memory of somebody else: of the caller, or of a constant.
    foreign: FxHashSet<BlockId>,
    /// The blocks that may be any memory: of the rows and contributions that operators of histograms and accumulators are given.
    any: FxHashSet<BlockId>,
}

impl Roots {
    /// Those of a function or constant.
    pub(crate) fn new(prog: &Prog, item: Item, table: &Table) -> Roots {
        let mut from = From {
            table,
            edges: FxHashMap::default(),
            foreign: FxHashSet::default(),
            any: FxHashSet::default(),
        };
        from.body(prog.body(item));
        let From { edges, mut foreign, any, .. } = from;
        let params: &[Param] = match item {
            Item::Const(_) => &[],
            Item::Fun(id) => &prog.funs[id].params,
        };
        let consumed = |var: &Var| params.iter().any(|param| param.var == *var && param.consumed);
        for (id, block) in table.blocks.iter() {
            if let Origin::Carried(var) = &block.origin
                && !edges.contains_key(&id)
                && !consumed(var)
            {
                foreign.insert(id);
            }
        }
        let mut of = FxHashMap::default();
        for (id, _) in table.blocks.iter() {
            let mut found = FxHashSet::from_iter([id]);
            let mut open = vec![id];
            while let Some(block) = open.pop() {
                for root in edges.get(&block).into_iter().flatten() {
                    if found.insert(*root) {
                        open.push(*root);
                    }
                }
            }
            of.insert(id, found);
        }
        Roots { of, foreign, any }
    }

    /// Whether two blocks may be the same memory.
    pub(crate) fn may_be_same(&self, a: BlockId, b: BlockId) -> bool {
        let (a, b) = (&self.of[&a], &self.of[&b]);
        let both_in = |set: &FxHashSet<BlockId>| !a.is_disjoint(set) && !b.is_disjoint(set);
        !a.is_disjoint(b)
            || both_in(&self.foreign)
            || !a.is_disjoint(&self.any)
            || !b.is_disjoint(&self.any)
    }

    /// Whether a block is certainly memory that this function has allocated or was given.
    pub(crate) fn is_ours(&self, block: BlockId) -> bool {
        let roots = &self.of[&block];
        roots.is_disjoint(&self.foreign) && roots.is_disjoint(&self.any)
    }

    /// What was in one block is in another from now on.
    #[expect(clippy::iter_over_hash_type, reason = "each set changes by itself")]
    pub(crate) fn merge(&mut self, gone: BlockId, into: BlockId) {
        let more = self.of[&into].clone();
        for roots in self.of.values_mut() {
            if roots.contains(&gone) {
                roots.insert(into);
                roots.extend(&more);
            }
        }
    }
}

/// Where the blocks that variables carry come from.
struct From<'a> {
    table: &'a Table,
    edges: FxHashMap<BlockId, Vec<BlockId>>,
    foreign: FxHashSet<BlockId>,
    any: FxHashSet<BlockId>,
}

impl From<'_> {
    fn flow(&mut self, to: Var, from: Atom) {
        let block = |var: Var| self.table.place(var).map(|place| place.block);
        let (Some(to), from) = (self.carried(to), from.var().and_then(block)) else { return };
        self.edges.entry(to).or_default().extend(from.filter(|from| *from != to));
    }

    /// The block that a variable carries.
    fn carried(&self, var: Var) -> Option<BlockId> {
        let block = self.table.place(var)?.block;
        (self.table.blocks[block].origin == Origin::Carried(var)).then_some(block)
    }

    /// Parameters of the operator of a histogram or an accumulator.
    fn given(&mut self, op: &Lambda) {
        let blocks: Vec<BlockId> = op.params.iter().filter_map(|var| self.carried(*var)).collect();
        self.any.extend(blocks);
    }
}

impl Visit for From<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others carry no blocks")]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::If(..) | Exp::Switch(..) => stm.exp.for_each_body(&mut |body| {
                stm.pat.iter().zip(&body.results).for_each(|(var, from)| self.flow(*var, *from));
            }),
            Exp::Loop(params, _, body) => {
                for (param, result) in params.iter().zip(&body.results) {
                    self.flow(param.var, param.init);
                    self.flow(param.var, *result);
                }
            }
            Exp::Call(_, args) => {
                for var in &stm.pat {
                    // Otherwise it is where an argument is, or written by others.
                    if let Some(block) = self.carried(*var) {
                        args.iter().for_each(|arg| self.flow(*var, *arg));
                        // It may also return a constant.
                        self.foreign.insert(block);
                    }
                }
            }
            Exp::Hist(op) => op.ops.iter().for_each(|op| self.given(&op.op)),
            Exp::WithAcc(inputs, _) => {
                inputs.iter().flat_map(|input| &input.op).for_each(|(op, _)| self.given(op));
            }
            _ => {}
        }
        walk_stm(self, stm);
    }
}
