//! Releasing blocks after their last use.
//!
//! Handles are released at the end of the function, which is late. Large arrays of the host are therefore released as
//! soon as no later statement of the body that created them mentions an array in their block. Inside the functions of
//! operators, blocks are kept, so that the next position can reuse them.

use super::Emit;
use fehu_imp::Stm as Imp;
use fehu_ir::{Body, Exp, LoopParam, Stm, Var, free};
use fehu_mem::table::{BlockId, Origin};
use rustc_hash::FxHashMap;

/// For each statement, the blocks that this body allocates and does not need after it.
pub(super) fn last_uses(emit: &Emit<'_>, body: &Body) -> Vec<Vec<BlockId>> {
    let block_of = |var: Var| emit.place(var).map(|place| place.block);
    let mut last: FxHashMap<BlockId, usize> = FxHashMap::default();
    let mut made: Vec<BlockId> = Vec::new();
    for (index, stm) in body.stms.iter().enumerate() {
        for block in stm.pat.iter().copied().filter_map(block_of) {
            if is_made_by(emit, block, stm) && last.insert(block, index).is_none() {
                made.push(block);
            }
        }
        for block in free::free_in_stm(stm, emit.ir).into_iter().filter_map(block_of) {
            if let Some(last) = last.get_mut(&block) {
                *last = index;
            }
        }
    }
    let mut dead = vec![Vec::new(); body.stms.len()];
    let kept: Vec<BlockId> = body.results.iter().filter_map(|atom| block_of(atom.var()?)).collect();
    for block in made {
        if !kept.contains(&block) {
            dead[last[&block]].push(block);
        }
    }
    dead
}

/// Whether the lifetime of a block begins with a statement.
fn is_made_by(emit: &Emit<'_>, block: BlockId, stm: &Stm) -> bool {
    match &emit.table.blocks[block].origin {
        Origin::Fresh { before: var, .. } | Origin::Carried(var) => {
            let is_param = |params: &[LoopParam]| params.iter().any(|param| param.var == *var);
            stm.pat.contains(var) || matches!(&stm.exp, Exp::Loop(params, ..) if is_param(params))
        }
        Origin::Unused => false,
    }
}

impl Emit<'_> {
    pub(super) fn release(&mut self, blocks: &[BlockId]) {
        for block in blocks {
            if let Some(handle) = self.blocks.get(block).and_then(|mem| mem.handle) {
                self.out.push(Imp::Free(handle));
            }
        }
    }
}
