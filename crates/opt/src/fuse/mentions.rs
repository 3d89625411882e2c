//! How often variables are mentioned.

use super::Cx;
use fehu_base::IdVec;
use fehu_ir::visit::{Visit, walk_type};
use fehu_ir::{Body, Exp, Stm, Var, VarInfo};

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

/// How often a body does.
pub(super) fn body_mentions(cx: &Cx<'_>, body: &Body, wanted: &[Var]) -> usize {
    let mut mentions = Mentions { vars: cx.vars, wanted, count: 0 };
    mentions.body(body);
    mentions.count
}

/// All mentions of variables in a statement.
pub(super) fn all_mentions(cx: &Cx<'_>, stm: &Stm) -> Vec<Var> {
    struct All<'a>(&'a IdVec<Var, VarInfo>, Vec<Var>);
    impl Visit for All<'_> {
        fn use_var(&mut self, var: &Var) {
            self.1.push(*var);
        }

        fn bind(&mut self, var: &Var) {
            walk_type(self, &self.0[*var].ty);
        }
    }
    let mut all = All(cx.vars, Vec::new());
    all.stm(stm);
    all.1
}
