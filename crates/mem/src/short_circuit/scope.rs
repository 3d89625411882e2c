//! A body, and where its variables are bound and mentioned.

use super::Circuit;
use fehu_ir::{Body, Var, free};
use rustc_hash::FxHashMap;

pub(super) struct Scope<'a> {
    pub(super) body: &'a Body,
    pub(super) bound: FxHashMap<Var, usize>,
    /// The arrays that each statement mentions.
    pub(super) mentioned: Vec<Vec<Var>>,
    /// The last statement that mentions an array of a class of [`Circuit::meant`]; the body's results count as one more.
    last: FxHashMap<usize, usize>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(body: &'a Body, circuit: &Circuit<'a, '_>) -> Scope<'a> {
        let mut scope = Scope {
            body,
            bound: FxHashMap::default(),
            mentioned: Vec::with_capacity(body.stms.len()),
            last: FxHashMap::default(),
        };
        let is_array = |var: &Var| circuit.table.place(*var).is_some();
        for (index, stm) in body.stms.iter().enumerate() {
            scope.bound.extend(stm.pat.iter().map(|var| (*var, index)));
            let mentioned: Vec<Var> =
                free::free_in_stm(stm, circuit.vars).into_iter().filter(is_array).collect();
            scope.note(circuit, &mentioned, index);
            scope.mentioned.push(mentioned);
        }
        let results: Vec<Var> =
            body.results.iter().filter_map(|atom| atom.var()).filter(is_array).collect();
        scope.note(circuit, &results, body.stms.len());
        scope
    }

    fn note(&mut self, circuit: &Circuit<'a, '_>, vars: &[Var], index: usize) {
        for class in vars.iter().filter_map(|var| circuit.meant.class(*var)) {
            self.last.insert(class, index);
        }
    }

    /// Whether an array, or one that may share its memory, is mentioned after a statement.
    pub(super) fn used_after(&self, circuit: &Circuit<'a, '_>, var: Var, index: usize) -> bool {
        let last = circuit.meant.class(var).and_then(|class| self.last.get(&class));
        last.is_none_or(|last| *last > index)
    }

    /// Whether the variables are known before a statement.
    pub(super) fn known_at(&self, vars: &[Var], index: usize) -> bool {
        vars.iter().all(|var| self.bound.get(var).is_none_or(|at| *at < index))
    }
}
