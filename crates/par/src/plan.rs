//! Decides what happens to each statement of a function, before anything is transformed.
//!
//! 1. Each statement has a [`Kind`].
//! 2. A unit is a single parallel statement, or as many sequential statements as dependencies allow.
//! 3. Where something whose size differs between positions would have to be stored between units, they become one
//!    sequential unit.

use crate::context::Cx;
use crate::is_sequential;
use crate::vector;
use fehu_base::IdVec;
use fehu_facts::{consumed, cost};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Exp, HistOp, Lambda, LoopForm, Scalar, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators over fewer positions, known to be that few, are left to one thread.
const FEW: i64 = 32;
/// Likewise, if the function has loops.
const FEW_HEAVY: i64 = 8;
/// Rows of fewer elements are written by one thread.
const SEVERAL: i64 = 4;

/// What becomes of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// It does not depend on the levels: the host does it.
    Lift,
    /// It is cheap: every nest that needs it does it.
    Defer,
    /// One thread does it.
    Seq,
    /// A map.
    Map,
    /// A reduction or scan.
    Fold,
    /// A histogram or scatter.
    Write,
    /// An array without a function.
    Fill,
    /// An update at a place that is the same for all positions.
    Update,
    /// A loop that is interchanged with the levels.
    Loop,
    /// A branch that is the same for all positions.
    Branch,
}

/// Statements that become a nest, or several.
pub(crate) struct Unit {
    pub(crate) kind: Kind,
    /// Their numbers, in order.
    pub(crate) stms: Vec<usize>,
}

/// What becomes of a function.
pub(crate) struct Plan {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) units: Vec<Unit>,
    /// For each variable the last unit that needs it, also through definitions.
    pub(crate) last_use: FxHashMap<Var, usize>,
    /// For each variable the unit that binds it.
    pub(crate) bound: FxHashMap<Var, usize>,
    /// Whether arrays that are not made here are copied to the results.
    copies: bool,
}

impl Plan {
    /// Whether anything in it is parallel.
    pub(crate) fn is_parallel(&self) -> bool {
        self.copies || self.has_operators()
    }

    /// Whether it makes anything in parallel; results that are only handed on do not count.
    pub(crate) fn has_operators(&self) -> bool {
        self.units.iter().any(|unit| unit.kind != Kind::Seq)
    }

    /// Whether nothing is lost when the levels are distributed over it: all units are maps, but for scalar code.
    pub(crate) fn is_free(&self, body: &Body, vars: &IdVec<Var, VarInfo>) -> bool {
        let scalar = |index: &usize| cost::weigh_stm(&body.stms[*index], vars).is_some();
        self.units.iter().all(|unit| match unit.kind {
            Kind::Map | Kind::Fill | Kind::Branch => true,
            Kind::Seq => unit.stms.iter().all(scalar),
            Kind::Fold | Kind::Write | Kind::Update | Kind::Loop | Kind::Lift | Kind::Defer => {
                false
            }
        })
    }
}

impl Cx<'_> {
    /// The plan for a function of the innermost level.
    pub(crate) fn plan(&mut self, body: &Body) -> Plan {
        let (mut kinds, lifted) = self.classify(body);
        self.keep_fills(body, &mut kinds);
        self.widen(body, &mut kinds);
        let plan = self.units(body, kinds);
        // Nothing is done yet.
        self.local.extend(lifted);
        plan
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all other kinds have units of their own")]
    fn units(&self, body: &Body, kinds: Vec<Kind>) -> Plan {
        let mut units: Vec<Unit> = Vec::new();
        let flow = Flow::new(self, body, &kinds);
        for (index, kind) in kinds.iter().enumerate() {
            match kind {
                Kind::Lift | Kind::Defer => {}
                Kind::Seq => match self.earlier(&flow, &units, body, index) {
                    Some(unit) => units[unit].stms.push(index),
                    None => units.push(Unit { kind: Kind::Seq, stms: vec![index] }),
                },
                _ => units.push(Unit { kind: *kind, stms: vec![index] }),
            }
        }
        loop {
            let last_use = last_uses(&flow, &units);
            let Some((first, last)) = self.irregular(&units, body, &last_use) else {
                let mut bound = FxHashMap::default();
                for (at, unit) in units.iter().enumerate() {
                    let vars = unit.stms.iter().flat_map(|index| &body.stms[*index].pat);
                    bound.extend(vars.map(|var| (*var, at)));
                }
                let copies = self.copies(body, &bound);
                return Plan { kinds, units, last_use, bound, copies };
            };
            let mut stms: Vec<usize> =
                units.drain(first..=last).flat_map(|unit| unit.stms).collect();
            stms.sort_unstable();
            units.insert(first, Unit { kind: Kind::Seq, stms });
        }
    }

    /// Whether arrays that the units do not make are results.
    fn copies(&self, body: &Body, bound: &FxHashMap<Var, usize>) -> bool {
        let mut results = body.results.iter().filter_map(|atom| atom.var());
        results.any(|var| {
            let shape = self.vars[var].ty.shape();
            shape.iter().any(|size| worth(*size)) && !bound.contains_key(&var)
        })
    }

    /// Units between which something irregular would have to be stored.
    fn irregular(
        &self,
        units: &[Unit],
        body: &Body,
        last_use: &FxHashMap<Var, usize>,
    ) -> Option<(usize, usize)> {
        for (at, unit) in units.iter().enumerate() {
            let bound = unit.stms.iter().flat_map(|index| &body.stms[*index].pat);
            let far = bound
                .filter(|var| !self.is_regular(&self.vars[**var].ty))
                .filter_map(|var| last_use.get(var).copied())
                .max()
                .filter(|last| *last > at);
            if let Some(last) = far {
                return Some((at, last));
            }
        }
        None
    }

    /// The sequential unit that a sequential statement can become part of.
    fn earlier(&self, flow: &Flow, units: &[Unit], body: &Body, index: usize) -> Option<usize> {
        let needs = &flow.needs[index];
        let changes = !consumed(self.prog, &body.stms[index]).is_empty();
        for (at, unit) in units.iter().enumerate().rev() {
            if unit.kind == Kind::Seq {
                return Some(at);
            }
            let bound = unit.stms.iter().flat_map(|index| &body.stms[*index].pat);
            if changes || bound.into_iter().any(|var| needs.contains(var)) {
                return None;
            }
        }
        None
    }

    /// A map over few positions is parallel after all if it is all there is, so that its results are written side by side.
    fn widen(&self, body: &Body, kinds: &mut [Kind]) {
        let none = |kind: &Kind| matches!(kind, Kind::Lift | Kind::Defer);
        let mut others = (0..kinds.len()).filter(|index| !none(&kinds[*index]));
        let (Some(index), None) = (others.next(), others.next()) else { return };
        let stm = &body.stms[index];
        let Exp::Screma(op) = &stm.exp else { return };
        let results = (body.results.iter().copied()).eq(stm.pat.iter().map(|var| Atom::Var(*var)));
        let several = is_at_least(op.width, SEVERAL);
        let plain = op.folded() == 0 && !is_sequential(stm);
        if results && several && plain && self.binds_regular(stm) {
            kinds[index] = Kind::Map;
        }
    }

    /// An array that sequential code fills or reads belongs to that code, and so does one that nobody else needs.
    fn keep_fills(&self, body: &Body, kinds: &mut [Kind]) {
        let flow = Flow::new(self, body, kinds);
        let others = kinds.iter().any(|kind| {
            !matches!(kind, Kind::Lift | Kind::Defer | Kind::Seq | Kind::Fill | Kind::Update)
        });
        for index in 0..kinds.len() {
            if !matches!(kinds[index], Kind::Fill | Kind::Update) {
                continue;
            }
            let pat = &body.stms[index].pat;
            let sequential = (index + 1..kinds.len()).any(|later| {
                kinds[later] == Kind::Seq && pat.iter().any(|var| flow.needs[later].contains(var))
            });
            let result = pat.iter().any(|var| body.results.contains(&Atom::Var(*var)));
            if sequential || !(others || result) {
                kinds[index] = Kind::Seq;
            }
        }
    }

    /// The kinds of statements as such, and the variables that were taken out of `local` because the host will bind them.
    fn classify(&mut self, body: &Body) -> (Vec<Kind>, Vec<Var>) {
        let mut kinds = Vec::with_capacity(body.stms.len());
        let mut lifted = Vec::new();
        let mut weights: FxHashMap<Var, u32> = FxHashMap::default();
        for stm in &body.stms {
            let kind = self.kind(stm, &mut weights);
            if kind == Kind::Lift {
                for var in &stm.pat {
                    if self.local.remove(var) {
                        lifted.push(*var);
                    }
                }
            }
            kinds.push(kind);
        }
        (kinds, lifted)
    }

    /// Whether a function of the levels contains something worth doing in parallel.
    pub(crate) fn has_parallelism(&mut self, body: &Body) -> bool {
        let (kinds, lifted) = self.classify(body);
        self.local.extend(lifted);
        kinds.iter().any(|kind| match kind {
            Kind::Map | Kind::Fold | Kind::Write | Kind::Loop | Kind::Branch => true,
            Kind::Lift | Kind::Defer | Kind::Seq | Kind::Fill | Kind::Update => false,
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a thread executes the others")]
    fn kind(&mut self, stm: &Stm, weights: &mut FxHashMap<Var, u32>) -> Kind {
        if self.lifts(stm) {
            return Kind::Lift;
        }
        if let Some(weight) = self.repeated(stm, weights) {
            let needs = free_in_stm(stm, self.vars);
            let before: u32 = needs
                .iter()
                .filter_map(|var| weights.get(var))
                .fold(0, |a, b| a.saturating_add(*b));
            let weight = weight.saturating_add(before);
            // What has another size at each position cannot be stored for other nests.
            if weight <= cost::NEST_LIMIT || !self.binds_regular(stm) {
                weights.extend(stm.pat.iter().map(|var| (*var, weight)));
                return Kind::Defer;
            }
        }
        if is_sequential(stm) {
            return Kind::Seq;
        }
        match &stm.exp {
            Exp::Screma(op) => self.screma_kind(stm, op),
            Exp::Hist(op) => {
                let fits = |op: &HistOp| is_scalar_operator(&op.op) || self.has_elements(op);
                let scalar = op.ops.iter().all(fits);
                self.regular(stm, op.width, scalar && worth(op.width), Kind::Write)
            }
            Exp::Scatter(op) => self.regular(stm, op.width, worth(op.width), Kind::Write),
            Exp::Copy(_) | Exp::Manifest(_) | Exp::Concat(..) | Exp::Iota(..) => self.fill(stm),
            Exp::Replicate(..) => self.fill(stm),
            Exp::Update(array, dims, _) => {
                let same = dims.iter().all(|dim| self.is_host_dim(dim));
                let here = !self.is_host((*array).into());
                if same && here && self.binds_regular(stm) { Kind::Update } else { Kind::Seq }
            }
            Exp::Loop(params, LoopForm::For(var, bound), body) if self.is_host(*bound) => {
                let fits = self.interchanges(stm, params, *var, body);
                if fits { Kind::Loop } else { Kind::Seq }
            }
            Exp::If(cond, bodies) => {
                let worth = self.is_host(*cond)
                    && self.binds_regular(stm)
                    && bodies.iter().any(|body| self.has_parallelism(body));
                if worth { Kind::Branch } else { Kind::Seq }
            }
            Exp::Switch(value, switch) => {
                let mut bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                let worth = self.is_host(*value)
                    && self.binds_regular(stm)
                    && bodies.any(|body| self.has_parallelism(body));
                if worth { Kind::Branch } else { Kind::Seq }
            }
            _ => Kind::Seq,
        }
    }

    fn regular(&self, stm: &Stm, width: Atom, worth: bool, kind: Kind) -> Kind {
        let regular = self.is_host(width) && self.binds_regular(stm);
        if regular && worth { kind } else { Kind::Seq }
    }

    fn fill(&self, stm: &Stm) -> Kind {
        let large = |var: &Var| self.vars[*var].ty.shape().iter().any(|size| worth(*size));
        let worth = stm.pat.iter().any(large);
        if worth && self.binds_regular(stm) { Kind::Fill } else { Kind::Seq }
    }

    fn screma_kind(&mut self, stm: &Stm, op: &Screma) -> Kind {
        if !self.is_host(op.width) || !self.binds_regular(stm) {
            return Kind::Seq;
        }
        let several = is_at_least(op.width, FEW_HEAVY);
        let heavy = op.folded() == 0 && several && cost::has_loops(&op.map.body);
        if !worth(op.width) && !heavy && !self.has_parallelism(&op.map.body) {
            return Kind::Seq;
        }
        if op.folded() == 0 {
            return Kind::Map;
        }
        let ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        let vector = |op: &Lambda| {
            let found = vector::element_operator(op, self.vars);
            found.is_some_and(|(_, width)| self.is_host(width))
        };
        let known = |op: &Lambda| is_scalar_operator(op) || vector(op);
        if ops.into_iter().all(known) { Kind::Fold } else { Kind::Seq }
    }

    /// What it costs to repeat a statement in every nest that needs it, if that can be done.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are repeated if they yield scalars"
    )]
    fn repeated(&self, stm: &Stm, before: &FxHashMap<Var, u32>) -> Option<u32> {
        let scalars = stm.pat.iter().all(|var| matches!(self.vars[*var].ty, Type::Scalar(_)));
        let fits = match &stm.exp {
            Exp::Scratch(..) => false,
            Exp::Replicate(_, atom) => {
                atom.var().is_none_or(|var| matches!(self.vars[var].ty, Type::Scalar(_)))
            }
            Exp::Iota(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..) => true,
            Exp::Atom(_) => stm.pat.iter().all(|var| !matches!(self.vars[*var].ty, Type::Acc(_))),
            _ => scalars,
        };
        if !fits || self.effects.exp(&stm.exp) {
            return None;
        }
        let mut arrays = free_in_stm(stm, self.vars);
        arrays.extend(&stm.pat);
        arrays.retain(|var| self.vars[*var].ty.is_array());
        if arrays.iter().any(|var| self.is_consumed(*var)) {
            return None;
        }
        // What cannot be stored is not there for another nest.
        let kept = |var: &Var| {
            stm.pat.contains(var)
                || before.contains_key(var)
                || self.homes.contains_key(var)
                || self.is_regular(&self.vars[*var].ty)
        };
        if !arrays.iter().all(kept) {
            return None;
        }
        cost::weigh_stm(stm, self.vars)
    }
}

/// Whether this many positions are worth more than one thread.
pub(crate) fn worth(width: Atom) -> bool {
    match width {
        Atom::Const(Scalar::I64(value)) => value > FEW,
        Atom::Const(_) | Atom::Var(_) => true,
    }
}

/// Whether a width is known to be no less than something.
fn is_at_least(width: Atom, least: i64) -> bool {
    matches!(width, Atom::Const(Scalar::I64(value)) if value >= least)
}

/// Whether an operator combines numbers.
pub(crate) fn is_scalar_operator(op: &Lambda) -> bool {
    op.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)))
}

/// What the statements of a body need: variables, also those that definitions need in turn.
#[derive(Default)]
pub(crate) struct Flow {
    needs: Vec<FxHashSet<Var>>,
    /// The definitions by their variables.
    defs: FxHashMap<Var, usize>,
    nothing: FxHashSet<Var>,
}

impl Flow {
    pub(crate) fn new(cx: &Cx<'_>, body: &Body, kinds: &[Kind]) -> Flow {
        let mut flow = Flow::default();
        for (index, stm) in body.stms.iter().enumerate() {
            let needs = flow.close(free_in_stm(stm, cx.vars));
            flow.needs.push(needs);
            if kinds[index] == Kind::Defer {
                flow.defs.extend(stm.pat.iter().map(|var| (*var, index)));
            }
        }
        flow
    }

    /// What is needed directly, and through definitions.
    fn close(&self, direct: Vec<Var>) -> FxHashSet<Var> {
        let mut all: FxHashSet<Var> = FxHashSet::default();
        for var in direct {
            if all.insert(var)
                && let Some(def) = self.defs.get(&var)
            {
                all.extend(&self.needs[*def]);
            }
        }
        all
    }

    /// What a definition's variable needs; nothing for others.
    pub(crate) fn needs_of(&self, var: Var) -> &FxHashSet<Var> {
        self.defs.get(&var).map_or(&self.nothing, |index| &self.needs[*index])
    }

    /// What a statement needs.
    pub(crate) fn needs(&self, index: usize) -> &FxHashSet<Var> {
        &self.needs[index]
    }
}

fn last_uses(flow: &Flow, units: &[Unit]) -> FxHashMap<Var, usize> {
    let mut last = FxHashMap::default();
    for (at, unit) in units.iter().enumerate() {
        for index in &unit.stms {
            last.extend(flow.needs[*index].iter().map(|var| (*var, at)));
        }
    }
    last
}
