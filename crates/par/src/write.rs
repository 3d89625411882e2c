//! Histograms, scatters and partitions: if the function before them contains parallelism, they are separated, as for
//! reductions.

use crate::build::Inside;
use crate::context::Cx;
use crate::distribute::{only_inner, only_outer};
use crate::vector::identity;
use fehu_base::{OrBug, bug};
use fehu_ir::{Atom, Exp, Lambda, Stm, Var};

impl Cx<'_> {
    /// Such an operator below the levels, or of the host; the arrays of the host with its results.
    pub(crate) fn write(&mut self, stm: &Stm) -> Vec<Var> {
        if let Exp::Hist(op) = &stm.exp
            && op.ops.iter().any(|op| self.has_elements(op))
        {
            return self.by_bins(stm, op);
        }
        if only_outer(stm) || !self.enter_function(stm) {
            return self.leaf(stm);
        }
        let (_, _, map) = function(&stm.exp).or_bug("what was entered is a function");
        let body = &map.body;
        let again = |cx: &mut Self| cx.below(|cx| cx.write(stm));
        if let Some(arrays) = self.choose_tiles(stm, body, again) {
            self.levels.pop();
            return arrays;
        }
        let may_suffice = self.may_suffice() && !only_inner(stm) && !self.has_tiles(body);
        let arrays = match may_suffice {
            true => self.choose(body, &mut |cx| cx.below(|cx| cx.leaf(stm)), &mut |cx| {
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
            || matches!(&stm.exp, Exp::Hist(op) if op.ops.iter().any(|op| self.has_elements(op)))
    }

    /// Adds a level for the function, if that contains parallelism.
    fn enter_function(&mut self, stm: &Stm) -> bool {
        let Some((width, inputs, map)) = function(&stm.exp) else { return false };
        self.enter(stm, width, inputs, map);
        let parallel = self.plan(&map.body).has_operators();
        if !parallel {
            self.levels.pop();
        }
        parallel
    }

    /// The results of the function, as arrays of the innermost level.
    pub(crate) fn function_first(
        &mut self,
        stm: &Stm,
        width: Atom,
        inputs: &[Var],
        map: &Lambda,
    ) -> Vec<Var> {
        self.enter(stm, width, inputs, map);
        let distribute = |cx: &mut Self| {
            let plan = cx.plan(&map.body);
            cx.distribute(&plan, &map.body)
        };
        let arrays = match self.choose_tiles(stm, &map.body, distribute) {
            Some(arrays) => arrays,
            None => distribute(self),
        };
        self.levels.pop();
        arrays.into_iter().map(|array| self.level_var(array)).collect()
    }

    /// First the map, then the rest.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    fn mapped_first(&mut self, stm: &Stm) -> Vec<Var> {
        let Some((width, inputs, map)) = function(&stm.exp) else { return Vec::new() };
        let arrays = self.function_first(stm, width, inputs, map);
        let new = identity(self, &arrays);
        let mut rest = stm.clone();
        match &mut rest.exp {
            Exp::Hist(op) => (op.inputs, op.map) = (arrays, new),
            Exp::Scatter(op) => (op.inputs, op.map) = (arrays, new),
            Exp::Partition(op) => (op.inputs, op.map) = (arrays, new),
            other => bug(format_args!("{other:?} writes nothing")),
        }
        let results: Vec<Atom> = rest.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.nest_of(Inside::Operator, vec![rest], &results)
    }
}

/// The width, the inputs and the function of such an operator.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no such operators")]
fn function(exp: &Exp) -> Option<(Atom, &[Var], &Lambda)> {
    match exp {
        Exp::Hist(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Scatter(op) => Some((op.width, &op.inputs, &op.map)),
        Exp::Partition(op) => Some((op.width, &op.inputs, &op.map)),
        _ => None,
    }
}
