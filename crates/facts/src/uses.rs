//! How often variables are used.

use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_ir::visit::{Visit, walk_type};
use fehu_ir::{Body, Var, VarInfo};

/// For every variable of a function the number of places that mention it: operands, certificates, results of
/// bodies, and sizes in the types of what the function binds.
#[derive(Clone, Debug)]
pub struct Uses {
    counts: Vec<u32>,
}

impl Uses {
    /// Counts the uses in a body.
    pub fn of(body: &Body, vars: &IdVec<Var, VarInfo>) -> Uses {
        let mut count = Count { vars, counts: vec![0; vars.len()] };
        count.body(body);
        Uses { counts: count.counts }
    }

    /// The number of uses; none of a variable that was made later.
    pub fn count(&self, var: Var) -> u32 {
        self.counts.get(var.index()).copied().unwrap_or(0)
    }

    /// Notes that another variable takes the place of one. Of variables that were made later nothing is noted.
    pub fn move_to(&mut self, old: Var, new: Var) {
        let more = self.count(old);
        if let Some(count) = self.counts.get_mut(new.index()) {
            *count = count.saturating_add(more);
        }
    }

    /// Whether a variable is mentioned at all.
    pub fn used(&self, var: Var) -> bool {
        self.count(var) > 0
    }
}

struct Count<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    counts: Vec<u32>,
}

impl Visit for Count<'_> {
    fn use_var(&mut self, var: &Var) {
        if let Some(count) = self.counts.get_mut(var.index()) {
            *count += 1;
        }
    }

    fn bind(&mut self, var: &Var) {
        if let Some(info) = self.vars.get(*var) {
            walk_type(self, &info.ty);
        }
    }
}
