//! How often variables are mentioned.

use super::Cx;
use fehu_base::IdVec;
use fehu_ir::visit::{Visit, walk_type};
use fehu_ir::{Exp, Stm, Var, VarInfo};

struct Mentions<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    wanted: &'a [Var],
    count: usize,
}

impl Visit for Mentions<'_> {
    fn use_var(&mut self, var: &Var) {
        self.count += usize::from(self.wanted.contains(var));
    }

    fn bind(&mut self, var: &Var) {
        walk_type(self, &self.vars[*var].ty);
    }
}

/// How often an expression mentions one of some variables.
pub(super) fn mentions(cx: &Cx<'_>, exp: &Exp, wanted: &[Var]) -> usize {
    let mut mentions = Mentions { vars: cx.vars, wanted, count: 0 };
    mentions.exp(exp);
    mentions.count
}

/// How often a statement mentions one of some variables, the types that it binds included.
pub(super) fn stm_mentions(cx: &Cx<'_>, stm: &Stm, wanted: &[Var]) -> usize {
    let mut mentions = Mentions { vars: cx.vars, wanted, count: 0 };
    mentions.stm(stm);
    mentions.count
}
