//! Removes what nobody needs: homes of variables that never leave their loop over lanes, and what is only computed for them.

use fehu_base::IdVec;
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V, VarInfo};
use rustc_hash::FxHashSet;

/// A body in lanes without dead code. The given arrays are needed outside.
pub(super) fn remove(vars: &IdVec<V, VarInfo>, mut block: Block, kept: &[V]) -> Block {
    let mut declared = FxHashSet::default();
    fehu_imp::visit::each_stm(&block, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        })
    });
    let mut dead = Dead { vars, declared, used: kept.iter().copied().collect(), changed: true };
    while std::mem::take(&mut dead.changed) {
        dead.mark(&block);
    }
    dead.sweep(&mut block);
    block
}

struct Dead<'a> {
    vars: &'a IdVec<V, VarInfo>,
    declared: FxHashSet<V>,
    used: FxHashSet<V>,
    changed: bool,
}

impl Dead<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements keep alive what they use")]
    fn mark(&mut self, block: &Block) {
        for stm in block {
            match stm {
                Stm::Declare(v, Some(e)) | Stm::Assign(v, e) => {
                    if self.used.contains(v) {
                        self.use_exp(e);
                    }
                }
                Stm::Store(p, index, e) => {
                    if self.is_needed(*p) {
                        self.use_exp(index);
                        self.use_exp(e);
                    }
                }
                Stm::Alloc(..) | Stm::Free(_) | Stm::Point(..) => {
                    let mut keep = |v: V| self.changed |= self.used.insert(v);
                    stm.each_used(&mut keep);
                    stm.each_set(&mut keep);
                }
                _ => {
                    stm.each_exp(&mut |e| self.use_exp(e));
                    stm.each_block(&mut |inner| self.mark(inner));
                }
            }
        }
    }

    /// Whether something reads what is stored through a pointer.
    fn is_needed(&self, p: V) -> bool {
        let own = self.declared.contains(&p) && matches!(self.vars[p].ty, Ty::Local(..));
        !own || self.used.contains(&p)
    }

    fn use_exp(&mut self, e: &Exp) {
        e.each_var(&mut |v| self.changed |= self.used.insert(v));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn sweep(&self, block: &mut Block) {
        block.retain_mut(|stm| match stm {
            Stm::Declare(v, _) | Stm::Assign(v, _) => self.used.contains(v),
            Stm::Store(p, ..) => self.is_needed(*p),
            Stm::If(_, yes, no) => {
                self.sweep(yes);
                self.sweep(no);
                !(yes.is_empty() && no.is_empty())
            }
            Stm::While(_, body) => {
                self.sweep(body);
                true
            }
            Stm::For { kind, body, .. } => {
                if let Kind::Independent(reductions) | Kind::Lanes(reductions, _) = kind {
                    reductions.retain(|(v, _)| self.used.contains(v));
                }
                self.sweep(body);
                !body.is_empty()
            }
            _ => true,
        });
    }
}
