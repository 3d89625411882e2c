//! Regions of branches, loops, calls and streams.

use super::{Alias, Effect, Region, Regions, Share, overlap, sorted};
use crate::{Atom, Body, FunId, LoopParam, Stream, StreamForm, Var};
use fehu_base::id::Id;
use std::rc::Rc;

impl<'a> Alias<'a> {
    /// Alternatives: each is checked as if the others did not exist.
    pub(super) fn branches(&mut self, bodies: &[&'a Body]) -> Vec<Regions> {
        let mark = self.trail.len();
        let mut consumed = Vec::new();
        let mut results: Vec<Vec<Region>> = Vec::new();
        for body in bodies {
            let sets = self.body(body);
            results.resize(sets.len().max(results.len()), Vec::new());
            for (all, set) in results.iter_mut().zip(sets) {
                all.extend_from_slice(&set);
            }
            for region in self.trail.drain(mark..) {
                self.consumed[region as usize] = false;
                consumed.push(region);
            }
        }
        self.mark(&consumed);
        results.into_iter().map(sorted).collect()
    }

    pub(super) fn loop_exp(&mut self, params: &'a [LoopParam], body: &'a Body) -> Vec<Regions> {
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        let init: Vec<Atom> = params.iter().map(|param| param.init).collect();
        self.observe_atoms(&init);
        let effect = self.frame(&vars, body);
        self.loop_results(&vars, &init, &effect.consumed, &effect)
    }

    /// The parameters that are consumed by one iteration or a later one: also those that become the
    /// next value of one that is.
    fn passed_on(&self, vars: &[Var], next: &[Regions], consumed: &[bool]) -> Vec<bool> {
        let mut all = consumed.to_vec();
        loop {
            let more = (0..vars.len()).find(|&other| {
                !all[other]
                    && (0..next.len())
                        .any(|index| all[index] && overlap(&next[index], &self.set(vars[other])))
            });
            match more {
                Some(other) => all[other] = true,
                None => return all,
            }
        }
    }

    /// The rules for values that are passed from one iteration to the next; `consumed` is for `vars`.
    fn loop_results(
        &mut self,
        vars: &[Var],
        init: &[Atom],
        consumed: &[bool],
        effect: &Effect,
    ) -> Vec<Regions> {
        let next = &effect.results[..vars.len().min(effect.results.len())];
        let consumed = &self.passed_on(vars, next, consumed);
        for (index, var) in vars.iter().enumerate() {
            if !consumed[index] {
                continue;
            }
            let Some(set) = next.get(index) else { continue };
            let name = self.name(*var);
            if set.iter().any(|region| *region < effect.start) {
                self.fail(format!(
                    "\"{name}\" is consumed by the loop, but its next value may be something from outside"
                ));
            }
            for (other, other_var) in vars.iter().enumerate() {
                if other == index {
                    continue;
                }
                if next.get(other).is_some_and(|other| overlap(set, other)) {
                    let other = self.name(*other_var);
                    self.fail(format!(
                        "\"{name}\" is consumed by the loop, but its next value may share memory with that of \"{other}\""
                    ));
                }
            }
        }
        self.consume_arguments(init, consumed, &effect.observed);

        // The least sets: the initial value, what the body returns, and what stands for parameters in it.
        let own: Vec<Regions> = vars.iter().map(|var| self.set(*var)).collect();
        let mut results: Vec<Vec<Region>> =
            init.iter().map(|atom| self.atom_set(*atom).to_vec()).collect();
        let is_param = |region: &Region| own.iter().any(|set| set.contains(region));
        for (result, set) in results.iter_mut().zip(next) {
            result.extend(set.iter().copied().filter(|region| !is_param(region)));
        }
        loop {
            let mut changed = false;
            for (index, set) in next.iter().enumerate() {
                for (other, own) in own.iter().enumerate() {
                    if other != index && overlap(set, own) {
                        for region in results[other].clone() {
                            if !results[index].contains(&region) {
                                results[index].push(region);
                                changed = true;
                            }
                        }
                    }
                }
            }
            if !changed {
                return results.into_iter().map(sorted).collect();
            }
        }
    }

    pub(super) fn call(&mut self, fun: FunId, args: &[Atom]) -> Vec<Regions> {
        self.observe_atoms(args);
        let consumed: Vec<bool> = match self.prog.funs.get(fun) {
            Some(callee) => callee.params.iter().map(|param| param.consumed).collect(),
            None => Vec::new(),
        };
        self.consume_arguments(args, &consumed, &[]);
        let mut locals: Vec<(u32, Region)> = Vec::new();
        let mut results = Vec::new();
        let summary = self.summaries.get(fun.index()).cloned().unwrap_or_default();
        for shares in summary {
            let mut set = Vec::new();
            for share in shares {
                match share {
                    Share::Const(region) => set.push(region),
                    Share::Param(index) => {
                        // A consumed argument that is returned is new to the caller.
                        if let Some(atom) = args.get(index as usize) {
                            set.extend_from_slice(&self.atom_set(*atom));
                        }
                    }
                    Share::Local(index) => {
                        let known = locals.iter().find(|(local, _)| *local == index);
                        let region = match known {
                            Some((_, region)) => *region,
                            None => {
                                let region = self.new_region();
                                locals.push((index, region));
                                region
                            }
                        };
                        set.push(region);
                    }
                }
            }
            results.push(sorted(set));
        }
        results
    }

    pub(super) fn stream(&mut self, op: &'a Stream) -> Option<Vec<Regions>> {
        if let StreamForm::Red(lambda, _) = &op.form {
            self.operator(lambda);
        }
        self.observe_vars(&op.inputs);
        self.observe_atoms(&op.init);
        let effect = self.frame(&op.chunk.params, &op.chunk.body);
        let accs = op.init.len();
        let first = op.leading();
        let chunks = effect.consumed.get(first + accs..).unwrap_or(&[]).to_vec();
        let mut inputs: Vec<Atom> = op.inputs.iter().map(|var| Atom::Var(*var)).collect();
        if let StreamForm::Pass(pieces) = &op.form {
            // In the order of the parameters, of which the total is nobody's.
            for piece in pieces {
                self.observe_vars(&[piece.sizes]);
                self.observe_vars(&piece.values);
                inputs.extend([Atom::Var(piece.sizes), Atom::i64(0)]);
                inputs.extend(piece.values.iter().map(|var| Atom::Var(*var)));
            }
        }
        let mut read = effect.observed.clone();
        read.extend(op.init.iter().flat_map(|atom| self.atom_set(*atom).to_vec()));
        self.consume_arguments(&inputs, &chunks, &sorted(read));
        match &op.form {
            // Every chunk has accumulators of its own.
            StreamForm::Map | StreamForm::Red(..) => None,
            StreamForm::Seq | StreamForm::Pass(_) => {
                let consumed = effect.consumed.get(first..first + accs)?.to_vec();
                let mut results = self.loop_results(op.acc_params(), &op.init, &consumed, &effect);
                for _ in accs..effect.results.len() {
                    let region = self.new_region();
                    results.push(Rc::from([region]));
                }
                Some(results)
            }
        }
    }
}
