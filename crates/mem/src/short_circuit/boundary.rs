//! Arrays that cross a boundary at run time: they are passed as a pointer, and must be contiguous.

use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Atom, Body, Exp, Stm, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which arrays cross boundaries.
#[derive(Default)]
pub(super) struct Boundaries {
    /// Always.
    pub(super) always: FxHashSet<Var>,
    /// If one of these variables carries a block.
    pub(super) into: FxHashMap<Var, Vec<Var>>,
}

impl Boundaries {
    /// Looks at a function or constant.
    pub(super) fn of(body: &Body) -> Boundaries {
        let mut found = Boundaries::default();
        found.body(body);
        found.cross(&body.results);
        found
    }

    fn cross(&mut self, atoms: &[Atom]) {
        self.always.extend(atoms.iter().filter_map(|atom| atom.var()));
    }

    fn carry<'v>(&mut self, to: impl IntoIterator<Item = &'v Var>, values: &[Atom]) {
        for (to, value) in to.into_iter().zip(values) {
            if let Atom::Var(value) = value {
                self.into.entry(*value).or_default().push(*to);
            }
        }
    }
}

impl Visit for Boundaries {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others pass no pointers")]
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Call(_, args) => {
                self.cross(args);
                self.always.extend(&stm.pat); // foreign functions write to what they get
            }
            Exp::Trace(_, atom) => self.cross(&[*atom]),
            Exp::UpdateAcc(_, _, values) => self.cross(values),
            // The rows that operators of histograms and accumulators get have the strides of the first table.
            Exp::Hist(op) => {
                self.always.extend(op.ops.iter().flat_map(|op| &op.dests).copied());
                self.cross(&op.map.body.results);
            }
            Exp::WithAcc(inputs, _) => {
                self.always.extend(inputs.iter().flat_map(|input| &input.arrays).copied());
            }
            Exp::If(_, bodies) => {
                bodies.iter().for_each(|body| self.carry(&stm.pat, &body.results));
            }
            Exp::Switch(_, switch) => {
                let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                bodies.for_each(|body| self.carry(&stm.pat, &body.results));
            }
            Exp::Loop(params, _, body) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
                self.carry(&vars, &inits);
                self.carry(&vars, &body.results);
            }
            _ => {}
        }
        walk_stm(self, stm);
    }
}
