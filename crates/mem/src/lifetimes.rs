//! `lifetimes`: when blocks end.
//!
//! A block is reference-counted at run time, and its memory is given back with the last handle. Handles of the
//! functions of operators stay, so that the next position finds the memory of the last; those of the host are released
//! as early as possible, because what the host allocates is as large as its arrays:
//!
//! * after the statement that uses the block last (*after*);
//! * if that is a branch, inside of it: on each side after the last use there, or at once where there is none
//!   (*entry*). Versions of code are branches, so most of a program can be inside of one;
//! * if that is a loop and only its parameters begin with arrays in the block, as soon as they have them (*entry*): the loop
//!   replaces the first value in its first iteration, and from then on two blocks alternate;
//! * blocks of the results of branches and loops, as soon as what carries them has a handle of its own (*exit*).
//!
//! ```text
//! let a = map ...                            a: fresh m0
//! let b = loop x = a for i < k {             x: carried m1           entry of b: m0 ends
//!   let y = map ... x                        y: fresh m2
//!   in y }                                                           exit of b: m2 ends
//! let c = map ... b                          c: fresh m3             after c: m1 ends
//! ```
//!
//! Here two blocks exist at a time, not four. Small blocks of constant size end after a statement and not inside of it:
//! a device may still be asked for their elements. The moments are in the table ([`Table::ends`]); `emit` releases what
//! they say, and [`crate::peak`] counts with them.

use crate::table::{BlockId, Moment, Origin, Placed, Table, small};
use fehu_base::IdVec;
use fehu_ir::free::{bound_in_body, bound_in_stm, free_in_body, free_in_stm};
use fehu_ir::{Body, Exp, Item, LoopParam, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Notes for all blocks of a program when they end.
pub fn lifetimes(placed: &mut Placed) {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    for item in prog.items() {
        let table = match item {
            Item::Const(id) => &mut consts[id],
            Item::Fun(id) => &mut funs[id],
        };
        table.ends.clear();
        let mut ends = FxHashMap::default();
        Lifetimes { vars: prog.vars(item), table, ends: &mut ends }.body(
            prog.body(item),
            None,
            &[],
        );
        table.ends = ends;
    }
}

struct Lifetimes<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    table: &'a Table,
    ends: &'a mut FxHashMap<Moment, Vec<BlockId>>,
}

impl Lifetimes<'_> {
    /// A body, and which one of a statement it is if its results are handed on. Nobody needs the dying blocks after it.
    fn body(&mut self, body: &Body, of: Option<(Var, usize)>, dying: &[BlockId]) {
        // The last statement that uses a block.
        let mut last: FxHashMap<BlockId, Option<usize>> =
            dying.iter().map(|block| (*block, None)).collect();
        let mut order: Vec<BlockId> = dying.to_vec();
        for (index, stm) in body.stms.iter().enumerate() {
            for block in self.blocks_of(&stm.pat) {
                if is_made_by(self.table, block, stm) && last.insert(block, Some(index)).is_none() {
                    order.push(block);
                }
            }
            for block in self.used(stm) {
                if let Some(last) = last.get_mut(&block) {
                    *last = Some(index);
                }
            }
        }
        let results: Vec<Var> = body.results.iter().filter_map(|atom| atom.var()).collect();
        let kept = self.blocks_of(&results);
        let mut inside: FxHashMap<usize, Vec<BlockId>> = FxHashMap::default();
        for block in order {
            match (kept.contains(&block), of, last[&block]) {
                (true, None, _) => {}
                (true, Some((var, number)), _) => self.end(Moment::Exit(var, number), block),
                (false, Some((var, number)), None) => self.end(Moment::Entry(var, number), block),
                (false, None, None) => {}
                (false, _, Some(index)) => {
                    let stm = &body.stms[index];
                    if self.ends_inside(stm, block) {
                        inside.entry(index).or_default().push(block);
                    } else if let Some(var) = stm.pat.first() {
                        self.end(Moment::After(*var), block);
                    }
                }
            }
        }
        for (index, stm) in body.stms.iter().enumerate() {
            self.stm(stm, &inside.remove(&index).unwrap_or_default());
        }
    }

    /// The bodies of a statement, in which some blocks end.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the results of the others are not handed on"
    )]
    fn stm(&mut self, stm: &Stm, dying: &[BlockId]) {
        let of = |number: usize| stm.pat.first().map(|var| (*var, number));
        match &stm.exp {
            Exp::If(..) | Exp::Switch(..) => {
                let mut number = 0;
                stm.exp.for_each_body(&mut |body| {
                    self.body(body, of(number), dying);
                    number += 1;
                });
            }
            Exp::Loop(_, _, body) => {
                for block in dying {
                    stm.pat.iter().take(1).for_each(|var| self.end(Moment::Entry(*var, 0), *block));
                }
                self.body(body, of(0), &[]);
            }
            exp => exp.for_each_body(&mut |body| self.body(body, None, &[])),
        }
    }

    /// Whether a block that is used last in a statement ends inside of it.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others need a block until they have ended"
    )]
    fn ends_inside(&self, stm: &Stm, block: BlockId) -> bool {
        let is_small = match &self.table.blocks[block].origin {
            Origin::Fresh { size, .. } => small(size).is_some(),
            Origin::Carried(var) => small(self.vars[*var].ty.shape()).is_some(),
            Origin::Unused => true,
        };
        if is_small || stm.pat.is_empty() || self.blocks_of(&stm.pat).contains(&block) {
            return false;
        }
        match &stm.exp {
            Exp::If(..) | Exp::Switch(..) => true,
            Exp::Loop(params, _, body) => {
                let mut vars = free_in_body(body, self.vars);
                vars.extend(bound_in_body(body));
                vars.extend(params.iter().map(|param| param.var));
                !self.blocks_of(&vars).contains(&block)
            }
            _ => false,
        }
    }

    /// The blocks in which a statement, or what is inside of it, has arrays.
    fn used(&self, stm: &Stm) -> Vec<BlockId> {
        let mut vars = free_in_stm(stm, self.vars);
        vars.extend(bound_in_stm(stm));
        self.blocks_of(&vars)
    }

    fn blocks_of(&self, vars: &[Var]) -> Vec<BlockId> {
        vars.iter().filter_map(|var| Some(self.table.place(*var)?.block)).collect()
    }

    fn end(&mut self, moment: Moment, block: BlockId) {
        self.ends.entry(moment).or_default().push(block);
    }
}

/// Whether the lifetime of a block begins with a statement.
fn is_made_by(table: &Table, block: BlockId, stm: &Stm) -> bool {
    match &table.blocks[block].origin {
        Origin::Fresh { before: var, .. } | Origin::Carried(var) => {
            let is_param = |params: &[LoopParam]| params.iter().any(|param| param.var == *var);
            stm.pat.contains(var) || matches!(&stm.exp, Exp::Loop(params, ..) if is_param(params))
        }
        Origin::Unused => false,
    }
}
