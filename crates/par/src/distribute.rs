//! Distribution: the surrounding levels of a function are put around each of its units (G1, G2, G4).

use crate::build::Inside;
use crate::context::{Cx, Home, Level};
use crate::lift::is_plain;
use crate::plan::{Flow, Kind, Plan, Unit};
use crate::{has_attr, is_sequential};
use fehu_ir::pass::RemarkKind;
use fehu_ir::{Atom, Body, Exp, Lambda, Stm, Type, Var};
use rustc_hash::FxHashSet;

impl Cx<'_> {
    /// A map below the levels; the arrays of the host with its results.
    pub(crate) fn map(&mut self, stm: &Stm) -> Vec<Var> {
        let Exp::Screma(op) = &stm.exp else { return Vec::new() };
        let mark = self.vars.len();
        self.enter(stm, op.width, &op.inputs, &op.map);
        let arrays = self.function(stm, &op.map.body, mark);
        self.levels.pop();
        arrays
    }

    /// Adds a level.
    pub(crate) fn enter(&mut self, stm: &Stm, width: Atom, inputs: &[Var], map: &Lambda) {
        let level = self.levels.len();
        for (param, input) in map.params.iter().zip(inputs) {
            self.move_to(*param, Home::Param(level, *input));
        }
        let (certs, loc) = (stm.certs.clone(), stm.loc.clone());
        self.levels.push(Level { width, certs, loc, defs: Vec::new() });
    }

    /// The function of the innermost level: in one piece, distributed, or both. Its results share no memory with what is
    /// older than `mark`, if that would matter.
    fn function(&mut self, stm: &Stm, body: &Body, mark: usize) -> Vec<Var> {
        if let Some(arrays) = self.without_invariant(stm, body, mark) {
            return arrays;
        }
        let plan = self.plan(body);
        let mut flat = |cx: &mut Self| {
            let plan = cx.plan(body);
            let arrays = cx.distribute(&plan, body);
            cx.own(arrays, &stm.pat, mark)
        };
        if plan.units.is_empty() {
            return flat(self);
        }
        if let Some(arrays) = self.in_tiles(body, &mut flat) {
            return arrays;
        }
        let again = |cx: &mut Self| cx.function(stm, body, mark);
        if let Some(arrays) = self.choose_tiles(stm, body, again) {
            return arrays;
        }
        if only_block(stm) && self.block_widths(body).is_some() {
            return self.by_block(body);
        }
        if only_outer(stm) || !plan.is_parallel() {
            body.stms.iter().for_each(|stm| self.explain(stm));
            let widths = self.block_widths(body).filter(|_| self.may_suffice());
            return match widths {
                Some(widths) if !only_outer(stm) => self.choose_block_if_few(body, &widths),
                _ => self.whole(body),
            };
        }
        let free = plan.is_free(body, self.vars);
        let one = only_inner(stm) || free || self.is_segmented(body) || !self.may_suffice();
        let mut inner = |cx: &mut Self| cx.block_or_flat(stm, body, &plan, &mut flat);
        match one {
            true => self.guarded(&stm.pat, inner),
            false => self.choose(body, &mut |cx| cx.whole(body), &mut inner),
        }
    }

    /// The function of the innermost level distributed, and in the version for blocks of threads if that is worth having.
    pub(crate) fn inside_of(&mut self, stm: &Stm, body: &Body) -> Vec<Var> {
        let plan = self.plan(body);
        let mut flat = |cx: &mut Self| {
            let plan = cx.plan(body);
            cx.distribute(&plan, body)
        };
        match self.in_tiles(body, &mut flat) {
            Some(arrays) => arrays,
            None => self.block_or_flat(stm, body, &plan, &mut flat),
        }
    }

    fn block_or_flat(
        &mut self,
        stm: &Stm,
        body: &Body,
        plan: &Plan,
        flat: &mut dyn FnMut(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        if only_flat(stm) || plan.is_free(body, self.vars) || !self.may_choose() {
            return flat(self);
        }
        match self.block_widths(body) {
            Some(widths) => self.choose_block(body, &widths, flat),
            None => flat(self),
        }
    }

    /// The same after the host has done what it can, if that is worth a test whether there are positions.
    fn without_invariant(&mut self, stm: &Stm, body: &Body, mark: usize) -> Option<Vec<Var>> {
        if !stm.pat.iter().all(|var| self.vars[*var].ty.is_array()) || only_outer(stm) {
            return None;
        }
        let (kinds, _) = self.assuming(|cx| cx.plan(body).kinds);
        let worth = |(stm, kind): (&Stm, &Kind)| *kind == Kind::Lift && !is_plain(&stm.exp);
        if !body.stms.iter().zip(&kinds).any(worth) {
            return None;
        }
        Some(self.guarded(&stm.pat, |cx| {
            let mut rest = Body { stms: Vec::new(), results: body.results.clone() };
            for (stm, kind) in body.stms.iter().zip(&kinds) {
                if *kind == Kind::Lift {
                    cx.lift(stm);
                } else {
                    rest.stms.push(stm.clone());
                }
            }
            cx.function(stm, &rest, mark)
        }))
    }

    /// The function as sequential code.
    pub(crate) fn whole(&mut self, body: &Body) -> Vec<Var> {
        self.nest(body.stms.clone(), &body.results)
    }

    /// A nest, or several, for each unit; the arrays of the host with the results.
    pub(crate) fn distribute(&mut self, plan: &Plan, body: &Body) -> Vec<Var> {
        self.unit_by_unit(plan, body);
        self.results(&body.results)
    }

    /// The units of a function; its results are at home then.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are units, below")]
    pub(crate) fn unit_by_unit(&mut self, plan: &Plan, body: &Body) {
        let Some(level) = self.levels.len().checked_sub(1) else { return };
        let flow = Flow::new(self, body, &plan.kinds);
        for (stm, kind) in body.stms.iter().zip(&plan.kinds) {
            match kind {
                Kind::Lift => self.lift(stm),
                Kind::Defer => {
                    let index = self.levels[level].defs.len();
                    self.levels[level].defs.push(stm.clone());
                    for var in &stm.pat {
                        self.move_to(*var, Home::Def(level, index));
                    }
                }
                _ => {}
            }
        }
        for (at, unit) in plan.units.iter().enumerate() {
            match unit.kind {
                Kind::Seq => self.sequential(plan, &flow, body, at, unit),
                _ => {
                    for index in &unit.stms {
                        self.parallel(unit.kind, &body.stms[*index]);
                    }
                }
            }
        }
    }

    /// Sequential statements as one nest.
    fn sequential(&mut self, plan: &Plan, flow: &Flow, body: &Body, at: usize, unit: &Unit) {
        let own: FxHashSet<Var> =
            unit.stms.iter().flat_map(|index| body.stms[*index].pat.iter().copied()).collect();
        let mut needs: FxHashSet<Var> = FxHashSet::default();
        unit.stms.iter().for_each(|index| needs.extend(flow.needs(*index)));
        // Scalars that are results and can be computed now are: then no other nest is needed for them.
        let mut results: Vec<Var> = Vec::new();
        for var in body.results.iter().filter_map(|atom| atom.var()) {
            if self.is_early(plan, flow, at, var) && !results.contains(&var) {
                needs.insert(var);
                needs.extend(flow.needs_of(var));
                results.push(var);
            }
        }
        // Definitions that depend on the statements stand among them.
        let among = |index: &usize| {
            plan.kinds[*index] == Kind::Defer
                && !flow.needs(*index).is_disjoint(&own)
                && body.stms[*index].pat.iter().any(|var| needs.contains(var))
        };
        let mut inside: Vec<usize> = (0..plan.kinds.len()).filter(among).collect();
        inside.extend(&unit.stms);
        inside.sort_unstable();
        let stms: Vec<Stm> = inside.iter().map(|index| body.stms[*index].clone()).collect();
        // What later units and the other results need.
        let mut live: FxHashSet<Var> = FxHashSet::default();
        for var in body.results.iter().filter_map(|atom| atom.var()) {
            if !results.contains(&var) {
                live.insert(var);
                live.extend(flow.needs_of(var));
            }
        }
        for var in unit.stms.iter().flat_map(|index| &body.stms[*index].pat) {
            let later = plan.last_use.get(var).is_some_and(|last| *last > at);
            if (later || live.contains(var)) && self.vars[*var].ty != Type::CERT {
                results.push(*var);
            }
        }
        for index in &unit.stms {
            self.explain(&body.stms[*index]);
        }
        let effects = stms.iter().any(|stm| self.effects.exp(&stm.exp));
        if effects || !results.is_empty() {
            let atoms: Vec<Atom> = results.iter().map(|var| Atom::Var(*var)).collect();
            let arrays = self.nest(stms, &atoms);
            for (var, array) in results.iter().zip(arrays) {
                self.store(*var, array);
            }
        }
        for var in own_certs(self, unit, body) {
            self.move_to(var, Home::Passed);
        }
    }

    /// Says why an operator is sequential, if the reader may wonder.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nobody wonders about the others")]
    fn explain(&mut self, stm: &Stm) {
        let width = match &stm.exp {
            Exp::Screma(op) => op.width,
            Exp::Hist(op) => op.width,
            Exp::Scatter(op) => op.width,
            _ => return,
        };
        if !self.is_host(width) && !is_sequential(stm) {
            let text = "executed by one thread, because the number of elements varies within the surrounding map";
            self.remark(RemarkKind::Missed, stm.loc.as_ref(), text);
        }
    }

    /// Whether a variable is a scalar that every nest would compute, and that can be computed after this unit.
    fn is_early(&self, plan: &Plan, flow: &Flow, at: usize, var: Var) -> bool {
        let level = self.levels.len().wrapping_sub(1);
        let open = matches!(self.homes.get(&var), Some(Home::Def(here, _)) if *here == level);
        let late = |var: &Var| plan.bound.get(var).is_some_and(|unit| *unit > at);
        let scalar = matches!(self.vars[var].ty, Type::Scalar(_));
        open && scalar && !flow.needs_of(var).iter().any(late)
    }

    /// A parallel statement of the innermost level.
    fn parallel(&mut self, kind: Kind, stm: &Stm) {
        let arrays = match kind {
            Kind::Map => self.map(stm),
            Kind::Fold => self.fold(stm),
            Kind::Loop => return self.interchange(stm),
            Kind::Branch => self.branch(stm),
            Kind::Fill => self.fill_nest(stm),
            Kind::Update => self.update(stm),
            Kind::Write => self.write(stm),
            Kind::Seq | Kind::Lift | Kind::Defer => self.leaf(stm),
        };
        for (var, array) in stm.pat.iter().zip(arrays) {
            self.store(*var, array);
        }
    }

    /// An operator whose function is sequential.
    pub(crate) fn leaf(&mut self, stm: &Stm) -> Vec<Var> {
        let results: Vec<Atom> = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.nest_of(Inside::Operator, vec![stm.clone()], &results)
    }

    fn fill_nest(&mut self, stm: &Stm) -> Vec<Var> {
        if let Exp::Copy(array) = &stm.exp
            && !self.is_host((*array).into())
            && let Some(array) = self.resolve((*array).into(), self.levels.len())
        {
            return vec![self.bind(array.into(), Exp::Copy(array))];
        }
        self.leaf(stm)
    }
}

fn own_certs(cx: &Cx<'_>, unit: &Unit, body: &Body) -> Vec<Var> {
    let bound = unit.stms.iter().flat_map(|index| &body.stms[*index].pat);
    bound.copied().filter(|var| cx.vars[*var].ty == Type::CERT).collect()
}

/// Whether the source asks for the outer parallelism only.
pub(crate) fn only_outer(stm: &Stm) -> bool {
    has_attr(stm, "sequential_inner") || flattening(stm, "only_outer")
}

/// Whether the source asks for the inner parallelism, or against the outer one alone.
pub(crate) fn only_inner(stm: &Stm) -> bool {
    flattening(stm, "only_inner") || flattening(stm, "no_outer")
}

/// Whether the source asks for blocks of threads that share the inner parallelism.
pub(crate) fn only_block(stm: &Stm) -> bool {
    flattening(stm, "only_intra")
}

/// Whether the source asks for all parallelism at once, or against blocks that share the inner one.
pub(crate) fn only_flat(stm: &Stm) -> bool {
    flattening(stm, "only_inner") || flattening(stm, "no_intra")
}

fn flattening(stm: &Stm, word: &str) -> bool {
    // The second is what it was called before.
    let names = ["flattening", "incremental_flattening"];
    let asks = |attr: &&fehu_ir::Attr| names.contains(&attr.name.as_str());
    stm.attrs.iter().filter(asks).any(|attr| attr.args.iter().any(|arg| arg.name == word))
}
