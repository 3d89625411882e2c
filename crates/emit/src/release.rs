//! Releasing blocks when they end.
//!
//! Handles are released at the end of the function, which is late. The host releases large arrays as soon as the table says so
//! ([`fehu_mem::lifetimes`]). Inside the functions of operators, blocks are kept, so that the next position can reuse them.

use super::Emit;
use fehu_imp::Stm as Imp;
use fehu_ir::Var;
use fehu_mem::table::Moment;

impl Emit<'_> {
    /// Releases the blocks that end at a moment of a statement, which binds these variables.
    pub(super) fn release(&mut self, pat: &[Var], moment: impl FnOnce(Var) -> Moment) {
        let Some(var) = pat.first().filter(|_| self.is_host()) else { return };
        for block in self.table.ends.get(&moment(*var)).into_iter().flatten() {
            if let Some(handle) = self.blocks.get(block).and_then(|mem| mem.handle) {
                self.out.push(Imp::Free(handle));
            }
        }
    }
}
