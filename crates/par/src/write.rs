//! Histograms, scatters and partitions: if the function before them contains parallelism, that is taken apart, as for
//! reductions.

use crate::context::Cx;
use crate::mark::mark_inside;
use crate::vector::identity;
use fehu_ir::{Atom, Exp, Lambda, Stm, Var};

impl Cx<'_> {
    /// Such an operator below the levels, or of the host; the arrays of the host with its results.
    pub(crate) fn write(&mut self, stm: &Stm) -> Vec<Var> {
        if !self.enter_function(stm) {
            return self.leaf(stm);
        }
        let may_suffice = self.may_suffice() && !self.only_inner;
        let arrays = match may_suffice {
            true => self.choose(&mut |cx| cx.below(|cx| cx.leaf(stm)), &mut |cx| {
                cx.below(|cx| cx.mapped_first(stm))
            }),
            false => self.below(|cx| cx.mapped_first(stm)),
        };
        self.levels.pop();
        arrays
    }

    /// Whether the function of such an operator contains parallelism.
    pub(crate) fn writes_parallel(&mut self, stm: &Stm) -> bool {
        let parallel = self.enter_function(stm);
        if parallel {
            self.levels.pop();
        }
        parallel
    }

    /// Adds a level for the function, if that contains parallelism.
    fn enter_function(&mut self, stm: &Stm) -> bool {
        let Some((width, inputs, map)) = function(&stm.exp) else { return false };
        self.enter(stm, width, inputs, map);
        let parallel = self.plan(&map.body).is_parallel();
        if !parallel {
            self.levels.pop();
        }
        parallel
    }

    /// First the map, then the rest.
    fn mapped_first(&mut self, stm: &Stm) -> Vec<Var> {
        let Some((width, inputs, map)) = function(&stm.exp) else { return Vec::new() };
        self.enter(stm, width, inputs, map);
        let plan = self.plan(&map.body);
        let arrays = self.distribute(&plan, &map.body);
        self.levels.pop();
        let arrays: Vec<Var> = arrays.into_iter().map(|array| self.level_var(array)).collect();
        let new = identity(self, &arrays);
        let mut rest = stm.clone();
        match &mut rest.exp {
            Exp::Hist(op) => (op.inputs, op.map) = (arrays, new),
            Exp::Scatter(op) => (op.inputs, op.map) = (arrays, new),
            Exp::Partition(op) => (op.inputs, op.map) = (arrays, new),
            _ => return Vec::new(),
        }
        mark_inside(&mut rest);
        let results: Vec<Atom> = rest.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.nest(vec![rest], &results)
    }
}

/// The width, the inputs and the function of such an operator.
fn function(exp: &Exp) -> Option<(Atom, &[Var], &Lambda)> {
    match exp {
        Exp::Hist(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Scatter(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Partition(op) => Some((op.width, &op.inputs, &op.map)),
        _ => None,
    }
}
