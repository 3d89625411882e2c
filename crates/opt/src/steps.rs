//! `steps`: entry points on sequences are divided into steps that the run-time executes, chunk by chunk.
//!
//! ```text
//! fun main (n, c, xs: [n]i32) =
//!   let s0 = ...c...
//!   let sum = stream n (xs) pass init (s0) chunk (\m last s xs -> ...c... in s')
//!   in f sum
//! entry "main" = main ... takes ("xs" ...)
//! ==>
//! fun main.0 (c) = let s0 = ...c... in s0
//! fun main.1 (c, start, m, last, s, xs: [m]i32) = ...c... in s'
//! fun main.2 (s) = f s
//! streaming "main" call main.0, pass main.1, call main.2
//! ```
//!
//! See [`fehu_ir::streaming`] for what steps are. Every statement has a *level*: the number of passes that must have
//! ended before it can be executed (`levels`). The statements of a level are one step, and the passes of a level that
//! have sources in common are the next: they read these together, once. Branches and loops that have such passes inside
//! come after these, with jumps between the steps of their bodies (`control`). Nobody else may ask for a sequence that
//! is a parameter, nor for its length; if somebody does (a pass in the function of a map, a certificate on the
//! parameter), then the entry point has no steps, which is remarked, and reads its sequences into memory.
//!
//! The entry point itself stays as it was, for callers who have arrays.

mod control;
mod functions;
mod levels;

use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::streaming::{Sink, Slot, Step, StreamedPass, Streaming, slot_type};
use fehu_ir::{Atom, Body, Entry, Exp, Fun, FunId, Loc, Prog, Stm, Stream, Type, Var};
use functions::{call_function, pass_function, yielding_function};
use levels::{Levels, Pass as Passes};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const STEPS: Pass = Pass {
    name: "steps",
    about: "divides entry points on sequences into steps that are executed chunk by chunk",
    run,
};

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    for index in 0..prog.entries.len() {
        let entry = prog.entries[index].clone();
        let known = prog.streams.iter().any(|streaming| streaming.entry == entry.name);
        if known || (entry.sources.is_empty() && entry.sinks.is_empty()) {
            continue;
        }
        let mut steps = Steps::new(prog, &entry);
        let result = steps.steps();
        let Steps { funs, kept, .. } = steps;
        match result {
            Ok(streaming) => {
                for fun in funs {
                    prog.funs.push(fun);
                }
                prog.streams.push(streaming);
                for loc in kept {
                    let text = format!(
                        "\"{}\" keeps all elements that this pass yields in memory",
                        entry.name
                    );
                    remarks.add(STEPS.name, RemarkKind::Missed, loc.as_ref(), None, text);
                }
            }
            Err(Whole { loc, reason }) => {
                let text = format!("\"{}\" reads its sequences into memory: {reason}", entry.name);
                remarks.add(STEPS.name, RemarkKind::Missed, loc.as_ref(), None, text);
            }
        }
    }
}

/// Why an entry point has no steps.
struct Whole {
    loc: Option<Loc>,
    reason: &'static str,
}

/// A part of a sequence that is a parameter.
#[derive(Clone, Copy)]
struct Part {
    source: usize,
    /// Among the parts of the sequence.
    part: usize,
}

struct Steps<'a> {
    prog: &'a Prog,
    entry: &'a Entry,
    fun: &'a Fun,
    /// The parameters that are sequences.
    parts: FxHashMap<Var, Part>,
    /// Those and their lengths, which nobody knows.
    hidden: FxHashSet<Var>,
    /// The statements that bind certificates, and arrays of numbers one after the other: they are repeated where they are needed.
    repeated: FxHashMap<Var, &'a Stm>,
    /// The order of the statements of the function, and of its branches and loops, by the first variable that they bind.
    order: FxHashMap<Var, usize>,
    /// How often each sequence is read at most; 2 stands for all more.
    reads: Vec<usize>,
    slots: FxHashMap<Var, Slot>,
    types: Vec<(fehu_base::Prim, usize)>,
    funs: Vec<Fun>,
    steps: Vec<Step>,
    /// The places of passes that yield arrays which somebody asks for.
    kept: Vec<Option<Loc>>,
}

impl<'a> Steps<'a> {
    fn new(prog: &'a Prog, entry: &'a Entry) -> Steps<'a> {
        let fun = &prog.funs[entry.fun];
        let leading = fun.params.len() - part_count(entry);
        let (mut parts, mut hidden) = (FxHashMap::default(), FxHashSet::default());
        for (source, sequence) in entry.sources.iter().enumerate() {
            let own = &fun.params[leading + sequence.first..][..sequence.count];
            for (part, param) in own.iter().enumerate() {
                parts.insert(param.var, Part { source, part });
                hidden.insert(param.var);
                if let Some(Atom::Var(length)) = fun.vars[param.var].ty.shape().first() {
                    hidden.insert(*length);
                }
            }
        }
        let (mut repeated, mut order) = (FxHashMap::default(), FxHashMap::default());
        survey(&fun.body, &mut repeated, &mut order);
        Steps {
            prog,
            entry,
            fun,
            parts,
            hidden,
            repeated,
            order,
            reads: vec![0; entry.sources.len()],
            slots: FxHashMap::default(),
            types: Vec::new(),
            funs: Vec::new(),
            steps: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn steps(&mut self) -> Result<Streaming, Whole> {
        let mut params = Vec::with_capacity(self.fun.params.len());
        for param in &self.fun.params {
            params.push(match self.hidden.contains(&param.var) {
                true => None,
                false => Some(self.slot(param.var)?),
            });
        }
        let results = self.result_parts();
        let levels = Levels::of(self, &self.fun.body.stms, levels::written(self))?;
        let written = levels.written.clone();
        let plain = results.iter().copied().filter(|atom| !written.contains_key(atom));
        let needed = self.needed_for(plain);
        self.levels(&levels, needed)?;
        let mut places = Vec::with_capacity(results.len());
        for atom in results {
            places.push(match written.contains_key(&atom) {
                true => None,
                false => Some(self.operand(atom)?),
            });
        }
        Ok(Streaming {
            entry: self.entry.name.clone(),
            slots: std::mem::take(&mut self.types),
            params,
            steps: std::mem::take(&mut self.steps),
            results: places,
            again: (0..self.reads.len()).filter(|source| self.reads[*source] > 1).collect(),
        })
    }

    /// The steps of a body, after which these variables are needed.
    fn body(&mut self, body: &'a Body) -> Result<(), Whole> {
        let levels = Levels::of(self, &body.stms, FxHashMap::default())?;
        let needed = self.needed_for(body.results.iter().copied());
        self.levels(&levels, needed)
    }

    /// The steps of some levels, after which these variables are needed.
    fn levels(&mut self, levels: &Levels<'a>, last: FxHashSet<Var>) -> Result<(), Whole> {
        // What is needed after each step.
        let mut needed: Vec<FxHashSet<Var>> = vec![FxHashSet::default(); levels.list.len()];
        needed.push(last);
        for (index, level) in levels.list.iter().enumerate().rev() {
            let mut used = needed[index + 1].clone();
            level.all().for_each(|stm| used.extend(self.uses(stm)));
            needed[index] = used;
        }
        for (index, level) in levels.list.iter().enumerate() {
            let mut inputs = needed[index + 1].clone();
            for stm in level.passes.iter().map(|pass| pass.stm).chain(level.controls.clone()) {
                inputs.extend(self.uses(stm));
            }
            self.call(&level.stms, &level.passes, &inputs)?;
            for group in &level.groups {
                let passes: Vec<&Passes<'a>> = group.iter().map(|i| &level.passes[*i]).collect();
                self.pass(&passes, &needed[index + 1], &levels.written)?;
            }
            for stm in &level.controls {
                self.control(stm)?;
            }
        }
        Ok(())
    }

    /// What must be in slots so that somebody can take these.
    fn needed_for(&self, atoms: impl Iterator<Item = Atom>) -> FxHashSet<Var> {
        let mut needed = FxHashSet::default();
        for var in atoms.filter_map(as_var) {
            let sizes = self.fun.vars[var].ty.shape().iter().filter_map(|size| as_var(*size));
            needed.extend(sizes.chain([var]));
        }
        needed
    }

    /// The parts of the result of the entry point, without the sizes before them.
    fn result_parts(&self) -> Vec<Atom> {
        let count = self.entry.result.parts().len();
        let results = &self.fun.body.results;
        results[results.len() - count..].to_vec()
    }

    /// What a statement needs from others. What is repeated needs what it is made of.
    fn uses(&self, stm: &Stm) -> Vec<Var> {
        let mut uses = Vec::new();
        for var in free_in_stm(stm, &self.fun.vars) {
            if self.hidden.contains(&var) {
                continue;
            }
            match self.repeated.get(&var) {
                Some(inner) => uses.extend(self.uses(inner)),
                None => uses.push(var),
            }
            let sizes = self.fun.vars[var].ty.shape().iter().filter_map(|size| as_var(*size));
            uses.extend(sizes.filter(|size| !self.hidden.contains(size)));
        }
        uses
    }

    fn hidden_atom(&self, atom: Atom) -> bool {
        as_var(atom).is_some_and(|var| self.hidden.contains(&var))
    }

    fn slot(&mut self, var: Var) -> Result<Slot, Whole> {
        if let Some(slot) = self.slots.get(&var) {
            return Ok(*slot);
        }
        if self.hidden.contains(&var) {
            return Err(Whole { loc: None, reason: levels::NEEDS_ALL });
        }
        let ty = &self.fun.vars[var].ty;
        let Some(kind) = slot_type(ty) else {
            let reason = "something without a value is needed in several of its steps";
            return Err(Whole { loc: None, reason });
        };
        self.types.push(kind);
        let slot = self.types.len() - 1;
        self.slots.insert(var, slot);
        Ok(slot)
    }

    fn slots(&mut self, vars: &[Var]) -> Result<Vec<Slot>, Whole> {
        vars.iter().map(|var| self.slot(*var)).collect()
    }

    /// A slot with the value of an operand.
    fn operand(&mut self, atom: Atom) -> Result<Slot, Whole> {
        match atom {
            Atom::Var(var) => self.slot(var),
            Atom::Const(_) => self.constant(atom),
        }
    }

    fn fresh(&mut self, ty: &Type) -> Result<Slot, Whole> {
        let reason = "the state of a pass has no value";
        self.types.push(slot_type(ty).ok_or(Whole { loc: None, reason })?);
        Ok(self.types.len() - 1)
    }

    fn add(&mut self, fun: Fun) -> FunId {
        self.funs.push(fun);
        FunId((self.prog.funs.len() + self.funs.len() - 1) as u32)
    }

    fn name(&self) -> ecow::EcoString {
        ecow::eco_format!("{}.{}", self.fun.name, self.funs.len())
    }

    /// A step with these statements; what it yields are those of their variables that are needed, and what the passes
    /// after it start with.
    fn call(
        &mut self,
        stms: &[&Stm],
        passes: &[Passes<'a>],
        needed: &FxHashSet<Var>,
    ) -> Result<(), Whole> {
        let mut outs: Vec<Var> = stms
            .iter()
            .flat_map(|stm| &stm.pat)
            .copied()
            .filter(|var| needed.contains(var) && !self.repeated.contains_key(var))
            .collect();
        // Sizes first.
        outs.sort_by_key(|var| self.fun.vars[*var].ty.is_array());
        let init: Vec<Atom> = passes.iter().flat_map(|pass| pass.stream.init.clone()).collect();
        if outs.is_empty() && init.is_empty() && stms.iter().all(|stm| !must_happen(stm)) {
            return Ok(());
        }
        let (fun, params) = call_function(self, stms, &outs, &init);
        let fun = self.add(fun);
        let args = self.slots(&params)?;
        let mut results = self.slots(&outs)?;
        for pass in passes {
            for (param, index) in pass.stream.acc_params().iter().zip(0..) {
                let ty = self.fun.vars[*param].ty.clone();
                let slot = self.fresh(&ty)?;
                results.push(slot);
                // The pass leaves its states where it found them.
                self.slots.insert(pass.stm.pat[index], slot);
            }
        }
        self.steps.push(Step::Call { fun, args, results });
        Ok(())
    }

    fn pass(
        &mut self,
        passes: &[&Passes<'a>],
        needed: &FxHashSet<Var>,
        written: &FxHashMap<Atom, (usize, usize)>,
    ) -> Result<(), Whole> {
        let (fun, params, sources) = pass_function(self, passes)?;
        let fun = self.add(fun);
        sources.iter().for_each(|source| self.reads[*source] = 2.min(self.reads[*source] + 1));
        let args = self.slots(&params)?;
        let width = match sources.is_empty() {
            false => None,
            true => Some(self.operand(passes[0].stream.width)?),
        };
        let mut states = Vec::new();
        for pass in passes {
            let vars = &pass.stm.pat[..pass.stream.init.len()];
            states.extend(self.slots(vars)?);
        }
        let mut sinks = Vec::new();
        for pass in passes {
            for (count, arrays) in sinks_of(&pass.stm.pat[pass.stream.init.len()..], self.fun) {
                let out = arrays.first().and_then(|var| written.get(&Atom::Var(*var))).copied();
                let wanted = arrays.iter().any(|var| needed.contains(var)) || out.is_none();
                let count = self.slot(count)?;
                let kept = if wanted { Some(self.slots(&arrays)?) } else { None };
                if wanted {
                    self.kept.push(pass.stm.loc.clone());
                }
                sinks.push(Sink { count, arrays: kept, out, parts: arrays.len() });
            }
        }
        self.steps.push(Step::Pass(StreamedPass { fun, args, sources, width, states, sinks }));
        Ok(())
    }

    /// A step that yields a constant.
    fn constant(&mut self, atom: Atom) -> Result<Slot, Whole> {
        let (fun, _) = call_function(self, &[], &[], &[atom]);
        let ty = fun.vars[fun.results[0]].ty.clone();
        let fun = self.add(fun);
        let slot = self.fresh(&ty)?;
        self.steps.push(Step::Call { fun, args: Vec::new(), results: vec![slot] });
        Ok(slot)
    }

    /// A step that computes something, and where that goes.
    fn yielding(
        &mut self,
        results: Vec<Slot>,
        make: impl FnOnce(&mut Builder<'_>) -> Vec<Atom>,
    ) -> Result<(), Whole> {
        let (fun, params) = yielding_function(self, make);
        let fun = self.add(fun);
        let args = self.slots(&params)?;
        self.steps.push(Step::Call { fun, args, results });
        Ok(())
    }
}

/// Finds the statements that are repeated, and the order of all.
fn survey<'a>(
    body: &'a Body,
    repeated: &mut FxHashMap<Var, &'a Stm>,
    order: &mut FxHashMap<Var, usize>,
) {
    for stm in &body.stms {
        let first = *stm.pat.first().or_bug("a variable that a statement binds");
        order.insert(first, order.len());
        let result = body.results.contains(&Atom::Var(first));
        if matches!(stm.exp, Exp::Assert(..)) || (matches!(stm.exp, Exp::Iota(..)) && !result) {
            repeated.insert(first, stm);
        }
        control::bodies(stm).iter().for_each(|body| survey(body, repeated, order));
    }
}

/// The sinks that a pass binds: a number and arrays.
fn sinks_of(pat: &[Var], fun: &Fun) -> Vec<(Var, Vec<Var>)> {
    let mut sinks: Vec<(Var, Vec<Var>)> = Vec::new();
    for var in pat {
        match (fun.vars[*var].ty.is_array(), sinks.last_mut()) {
            (true, Some((_, arrays))) => arrays.push(*var),
            (true, None) | (false, _) => sinks.push((*var, Vec::new())),
        }
    }
    sinks
}

/// Whether a statement does something besides yielding a value.
fn must_happen(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Trace(..) | Exp::Notice(..))
}

fn as_var(atom: Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(var),
        Atom::Const(_) => None,
    }
}

fn part_count(entry: &Entry) -> usize {
    entry.params.iter().map(|(_, ty)| ty.parts().len()).sum()
}

fn stream_of(stm: &Stm) -> Option<&Stream> {
    let Exp::Stream(stream) = &stm.exp else { return None };
    stream.is_pass().then_some(stream)
}
