//! Consumption: nothing that may share memory with a consumed array is used afterwards.
//!
//! Every array has a set of *regions*: the pieces of memory that it may occupy. A fresh array has one of its
//! own; a view has those of the array it looks at; the result of a branch has those of all alternatives. Two
//! arrays that may share memory have a region in common. An array is consumed by consuming its regions,
//! and using an array with a consumed region is an error.
//!
//! * A branch may consume what another one returns: `if c then {update xs} else {xs}`. So regions in
//!   results that the expression itself consumed are replaced by new ones, the same in all results.
//! * Lambdas and loops are checked once, with new regions for the parameters, in a *frame*: regions older
//!   than the frame belong to free variables and cannot be consumed in it. If a parameter is consumed, the
//!   argument is, which then must not share with other arguments or with what the body reads; the
//!   next value of a consumed loop parameter must be consumable in turn.
//! * What the results of a function may share with its arguments, with constants and with each other is
//!   computed from the function's body ([`Summary`]), for recursive functions as the least fixed point.
//! * Operators of reductions and scans, and functions that tell classes, consume nothing but their own arrays.
//!
//! Unions of alias sets make this quadratic for long chains of branches over different arrays, which do not
//! occur in practice.

mod flow;
mod summary;

use self::summary::summaries;
use super::{Owner, VerifyError, excerpt};
use crate::text::var_name;
use crate::{Atom, Body, Exp, Fun, Lambda, Prog, Seg, Stm, Type, Var, VarInfo};
use fehu_base::IdVec;
use fehu_base::id::Id;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Checks all constants and functions; scopes and types are right already.
pub(super) fn check(prog: &Prog, errors: &mut Vec<VerifyError>) {
    let summaries = summaries(prog);
    for (id, item) in prog.consts.iter() {
        let mut alias = Alias::new(prog, &item.vars, &summaries, Owner::Const(id));
        alias.body(&item.body);
        errors.append(&mut alias.errors);
    }
    for (id, fun) in prog.funs.iter() {
        let mut alias = Alias::new(prog, &fun.vars, &summaries, Owner::Fun(id));
        alias.fun(fun);
        errors.append(&mut alias.errors);
    }
}

type Region = u32;
/// Sorted.
type Regions = Rc<[Region]>;

/// What a result of a function may share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Const(u32),
    Param(u32),
    /// Memory that the function made; results with the same number may share.
    Local(u32),
}

/// What the results of a function may share.
type Summary = Vec<Vec<Share>>;

struct Frame {
    /// The first region that belongs to the frame.
    start: Region,
    /// Older regions that were read.
    observed: Vec<Region>,
}

/// What a lambda or loop body does.
struct Effect {
    /// For each parameter whether it was consumed.
    consumed: Vec<bool>,
    /// Regions of free variables that were read, sorted.
    observed: Vec<Region>,
    /// The regions of the results.
    results: Vec<Regions>,
    /// The first region of the frame.
    start: Region,
}

struct Alias<'a> {
    prog: &'a Prog,
    vars: &'a IdVec<Var, VarInfo>,
    summaries: &'a [Summary],
    owner: Owner,
    errors: Vec<VerifyError>,
    sets: Vec<Regions>,
    empty: Regions,
    consumed: Vec<bool>,
    /// The consumed regions in order.
    trail: Vec<Region>,
    frames: Vec<Frame>,
    /// The regions of parameters that are not consumed, constants before them.
    fixed: Region,
    stm_count: usize,
    current: Vec<(usize, &'a Stm)>,
}

impl<'a> Alias<'a> {
    fn new(
        prog: &'a Prog,
        vars: &'a IdVec<Var, VarInfo>,
        summaries: &'a [Summary],
        owner: Owner,
    ) -> Alias<'a> {
        let empty: Regions = Rc::from([]);
        Alias {
            prog,
            vars,
            summaries,
            owner,
            errors: Vec::new(),
            sets: vec![empty.clone(); vars.len()],
            empty,
            consumed: vec![false; prog.consts.len()],
            trail: Vec::new(),
            frames: Vec::new(),
            fixed: prog.consts.len() as Region,
            stm_count: 0,
            current: Vec::new(),
        }
    }

    fn fun(&mut self, fun: &'a Fun) -> Summary {
        let mut params = vec![None; self.prog.consts.len()];
        // The parameters that are not consumed come first, so that a bound tells them.
        for consumed in [false, true] {
            for (index, param) in fun.params.iter().enumerate() {
                if param.consumed == consumed && self.is_memory(param.var) {
                    self.fresh(param.var);
                    params.push(Some(index as u32));
                }
            }
            if !consumed {
                self.fixed = self.consumed.len() as Region;
            }
        }
        let results = self.body(&fun.body);
        // Regions that the function made are told apart only by the results that have them: the sets of
        // a recursive function would grow forever otherwise.
        let mut members: BTreeMap<Region, Vec<usize>> = BTreeMap::new();
        for (index, set) in results.iter().enumerate() {
            for region in set.iter().filter(|region| params.len() <= **region as usize) {
                members.entry(*region).or_default().push(index);
            }
        }
        let mut classes: Vec<&Vec<usize>> = members.values().collect();
        classes.sort_unstable();
        classes.dedup();
        let mut summary = Summary::new();
        for set in &results {
            let mut shares = Vec::new();
            for region in set.iter() {
                shares.push(match params.get(*region as usize) {
                    Some(Some(param)) => Share::Param(*param),
                    Some(None) => Share::Const(*region),
                    None => {
                        let class =
                            members.get(region).and_then(|m| classes.binary_search(&m).ok());
                        Share::Local(class.unwrap_or(0) as u32)
                    }
                });
            }
            shares.sort_unstable();
            shares.dedup();
            summary.push(shares);
        }
        summary
    }

    fn fail(&mut self, message: String) {
        let name = match self.owner {
            Owner::Const(id) => self.prog.consts[id].name.to_string(),
            Owner::Fun(id) => self.prog.funs[id].name.to_string(),
            Owner::Entry(_) => String::new(),
        };
        let stm = self.current.last().map(|(number, _)| *number);
        let text = self.current.last().map(|(_, stm)| excerpt(stm, self.vars));
        self.errors.push(VerifyError { owner: self.owner, name, stm, text, message });
    }

    fn name(&self, var: Var) -> String {
        var_name(var, self.vars)
    }

    fn is_memory(&self, var: Var) -> bool {
        match &self.vars[var].ty {
            Type::Scalar(_) => false,
            Type::Array(..) | Type::Acc(_) => true,
        }
    }

    fn new_region(&mut self) -> Region {
        self.consumed.push(false);
        self.consumed.len() as Region - 1
    }

    /// Gives an array a region of its own.
    fn fresh(&mut self, var: Var) {
        if self.is_memory(var) {
            let region = self.new_region();
            self.sets[var.index()] = Rc::from([region]);
        }
    }

    fn set(&self, var: Var) -> Regions {
        self.sets[var.index()].clone()
    }

    fn atom_set(&self, atom: Atom) -> Regions {
        atom.var().map_or_else(|| self.empty.clone(), |var| self.set(var))
    }

    /// The array is read.
    fn observe(&mut self, var: Var) {
        let set = self.set(var);
        if set.iter().any(|region| self.consumed[*region as usize]) {
            let name = self.name(var);
            self.fail(format!("\"{name}\" is used after it was consumed"));
        }
        self.note(&set);
    }

    fn note(&mut self, regions: &[Region]) {
        if let Some(frame) = self.frames.last_mut() {
            frame.observed.extend(regions.iter().copied().filter(|region| *region < frame.start));
        }
    }

    fn observe_atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.observe(var);
        }
    }

    fn observe_atoms(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            self.observe_atom(*atom);
        }
    }

    fn observe_vars(&mut self, vars: &[Var]) {
        for var in vars {
            self.observe(*var);
        }
    }

    /// The array is consumed.
    fn consume(&mut self, var: Var) {
        self.observe(var);
        let set = self.set(var);
        let start = self.frames.last().map_or(0, |frame| frame.start);
        if set.iter().any(|region| *region < self.prog.consts.len() as Region) {
            let name = self.name(var);
            self.fail(format!("\"{name}\" is consumed but may be part of a constant"));
        } else if set.iter().any(|region| *region < self.fixed) {
            let name = self.name(var);
            self.fail(format!(
                "\"{name}\" is consumed but may be a parameter that the function does not consume"
            ));
        } else if set.iter().any(|region| *region < start) {
            let name = self.name(var);
            self.fail(format!("\"{name}\" is consumed in a lambda or loop but comes from outside"));
        }
        self.mark(&set);
    }

    fn mark(&mut self, regions: &[Region]) {
        for region in regions {
            if !std::mem::replace(&mut self.consumed[*region as usize], true) {
                self.trail.push(*region);
            }
        }
    }

    /// Demands that a consumed array does not share memory with something else that is read.
    fn disjoint(&mut self, var: Var, other: &[Region], what: &str) {
        if overlap(&self.set(var), other) {
            let name = self.name(var);
            self.fail(format!("\"{name}\" is consumed but may share memory with {what}"));
        }
    }

    fn body(&mut self, body: &'a Body) -> Vec<Regions> {
        for stm in &body.stms {
            self.stm(stm);
        }
        self.observe_atoms(&body.results);
        body.results.iter().map(|atom| self.atom_set(*atom)).collect()
    }

    fn stm(&mut self, stm: &'a Stm) {
        self.current.push((self.stm_count, stm));
        self.stm_count += 1;
        let results = self.exp(&stm.exp);
        match results {
            None => {
                for var in &stm.pat {
                    self.fresh(*var);
                }
            }
            Some(sets) => self.bind_sets(&stm.pat, sets),
        }
        self.current.pop();
    }

    /// Binds a pattern; regions that the expression consumed are replaced by new ones.
    fn bind_sets(&mut self, pat: &[Var], sets: Vec<Regions>) {
        let mut ghosts: Vec<(Region, Region)> = Vec::new();
        for (var, set) in pat.iter().zip(sets) {
            if !self.is_memory(*var) {
                continue;
            }
            if set.is_empty() {
                // The result of a call that never returns.
                self.fresh(*var);
                continue;
            }
            if !set.iter().any(|region| self.consumed[*region as usize]) {
                self.sets[var.index()] = set;
                continue;
            }
            let mut new = Vec::new();
            for region in set.iter() {
                if !self.consumed[*region as usize] {
                    new.push(*region);
                    continue;
                }
                let known = ghosts.iter().find(|(old, _)| old == region).map(|(_, ghost)| *ghost);
                let ghost = known.unwrap_or_else(|| self.new_region());
                ghosts.push((*region, ghost));
                new.push(ghost);
            }
            self.sets[var.index()] = sorted(new);
        }
    }

    /// The effect of a lambda or loop body with new regions for its parameters.
    fn frame(&mut self, params: &[Var], body: &'a Body) -> Effect {
        let start = self.consumed.len() as Region;
        self.frames.push(Frame { start, observed: Vec::new() });
        let mark = self.trail.len();
        for param in params {
            self.fresh(*param);
        }
        let results = self.body(body);
        self.trail.truncate(mark);
        let consumed = params
            .iter()
            .map(|param| self.set(*param).iter().any(|region| self.consumed[*region as usize]))
            .collect();
        let mut observed = self.frames.pop().map_or_else(Vec::new, |frame| frame.observed);
        observed.sort_unstable();
        observed.dedup();
        self.note(&observed);
        Effect { consumed, observed, results, start }
    }

    /// A function applied to elements: consuming a parameter consumes the input.
    fn map(&mut self, lambda: &'a Lambda, inputs: &[Var]) -> Effect {
        self.observe_vars(inputs);
        let effect = self.frame(&lambda.params, &lambda.body);
        let arguments: Vec<Atom> = inputs.iter().map(|var| Atom::Var(*var)).collect();
        self.consume_arguments(&arguments, &effect.consumed, &effect.observed);
        effect
    }

    /// Likewise; the indices come before the elements.
    fn seg(&mut self, seg: &'a Seg) {
        self.observe_vars(&seg.inputs);
        seg.rows.iter().for_each(|rows| self.observe_vars(&[rows.ends]));
        let effect = self.frame(&seg.body.params, &seg.body.body);
        let arguments: Vec<Atom> = seg.inputs.iter().map(|var| Atom::Var(*var)).collect();
        let consumed = effect.consumed.get(seg.leading()..).unwrap_or(&[]);
        self.consume_arguments(&arguments, consumed, &effect.observed);
    }

    /// Consumes the arguments whose parameters were consumed.
    fn consume_arguments(&mut self, arguments: &[Atom], consumed: &[bool], observed: &[Region]) {
        for (index, (argument, consumed)) in arguments.iter().zip(consumed).enumerate() {
            let (Atom::Var(var), true) = (argument, consumed) else { continue };
            for (other_index, other) in arguments.iter().enumerate() {
                if other_index != index {
                    let set = self.atom_set(*other);
                    self.disjoint(*var, &set, "another argument");
                }
            }
            self.disjoint(*var, observed, "something that the body reads");
        }
        for (argument, consumed) in arguments.iter().zip(consumed) {
            if let (Atom::Var(var), true) = (argument, consumed) {
                self.consume(*var);
            }
        }
    }

    /// A function that may consume only what it makes.
    fn operator(&mut self, lambda: &'a Lambda) -> Vec<Region> {
        let effect = self.frame(&lambda.params, &lambda.body);
        if let Some(index) = effect.consumed.iter().position(|consumed| *consumed) {
            let name = self.name(lambda.params[index]);
            self.fail(format!("the operator consumes its parameter \"{name}\""));
        }
        effect.observed
    }

    /// Destinations that are written while `read` is read.
    fn destinations(&mut self, dests: &[Var], read: &[Region]) {
        let read = sorted(read.to_vec());
        for dest in dests {
            self.disjoint(*dest, &read, "something that is read at the same time");
        }
        for (index, dest) in dests.iter().enumerate() {
            for other in &dests[..index] {
                let set = self.set(*other);
                self.disjoint(*dest, &set, "another destination");
            }
        }
        for dest in dests {
            self.consume(*dest);
        }
    }

    fn all_regions(&self, vars: &[Var]) -> Vec<Region> {
        vars.iter().flat_map(|var| self.set(*var).to_vec()).collect()
    }

    /// The regions of the results, or nothing if they are all fresh.
    fn exp(&mut self, exp: &'a Exp) -> Option<Vec<Regions>> {
        match exp {
            Exp::Atom(atom) | Exp::Trace(_, atom) | Exp::Opaque(atom) => {
                self.observe_atom(*atom);
                Some(vec![self.atom_set(*atom)])
            }
            Exp::Index(array, _)
            | Exp::FlatIndex(array, ..)
            | Exp::Reshape(array, _)
            | Exp::Rearrange(array, _) => {
                self.observe(*array);
                Some(vec![self.set(*array)])
            }
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_)
            | Exp::Iota(..)
            | Exp::Scratch(..) => None,
            // What it shows may have been consumed.
            Exp::Notice(..) => None,
            Exp::Array(_, atoms) => {
                self.observe_atoms(atoms);
                None
            }
            Exp::Replicate(_, atom) => {
                self.observe_atom(*atom);
                None
            }
            Exp::Concat(_, arrays) => {
                self.observe_vars(arrays);
                None
            }
            Exp::Copy(array) | Exp::Manifest(array) => {
                self.observe(*array);
                None
            }
            Exp::Update(array, _, value) => {
                self.observe_atom(*value);
                let set = self.atom_set(*value);
                self.disjoint(*array, &set, "the new value");
                self.consume(*array);
                None
            }
            Exp::FlatUpdate(array, _, _, value) => {
                self.observe(*value);
                let set = self.set(*value);
                self.disjoint(*array, &set, "the new value");
                self.consume(*array);
                None
            }
            Exp::If(_, bodies) => Some(self.branches(&bodies.iter().collect::<Vec<_>>())),
            Exp::Switch(_, switch) => {
                let mut bodies: Vec<&Body> = switch.cases.iter().map(|(_, body)| body).collect();
                bodies.push(&switch.default);
                Some(self.branches(&bodies))
            }
            Exp::Loop(params, _, body) => Some(self.loop_exp(params, body)),
            Exp::Call(fun, args) => Some(self.call(*fun, args)),
            Exp::Const(id) => {
                let region: Regions = Rc::from([id.0]);
                let count = self.prog.consts.get(*id).map_or(0, |item| item.results.len());
                Some(vec![region; count])
            }
            Exp::Screma(op) => {
                self.map(&op.map, &op.inputs);
                for scan in &op.scans {
                    self.operator(&scan.op);
                    self.observe_atoms(&scan.neutral);
                }
                for red in &op.reds {
                    self.operator(&red.op);
                    self.observe_atoms(&red.neutral);
                }
                None
            }
            Exp::Hist(op) => {
                let mut read = self.map(&op.map, &op.inputs).observed;
                read.extend(self.all_regions(&op.inputs));
                let mut dests = Vec::new();
                for hist in &op.ops {
                    read.extend(self.operator(&hist.op));
                    self.observe_atoms(&hist.neutral);
                    read.extend(hist.neutral.iter().flat_map(|atom| self.atom_set(*atom).to_vec()));
                    dests.extend_from_slice(&hist.dests);
                }
                self.destinations(&dests, &read);
                None
            }
            Exp::Scatter(op) => {
                let mut read = self.map(&op.map, &op.inputs).observed;
                read.extend(self.all_regions(&op.inputs));
                let dests: Vec<Var> = op.dests.iter().map(|(_, dest)| *dest).collect();
                self.destinations(&dests, &read);
                None
            }
            Exp::Stream(op) => self.stream(op),
            Exp::Partition(op) => {
                self.map(&op.map, &op.inputs);
                None
            }
            Exp::Flatmap(op) => {
                self.map(&op.map, &op.inputs);
                None
            }
            Exp::Seg(seg) => {
                self.seg(seg);
                None
            }
            Exp::Diff(op) => {
                self.observe_atoms(&op.args);
                op.form.seeds().iter().for_each(|seeds| self.observe_atoms(&seeds.values));
                self.operator(&op.fun);
                if let crate::DiffForm::Custom(adjoint) = &op.form {
                    self.operator(adjoint);
                }
                None
            }
            Exp::WithAcc(inputs, lambda) => {
                let mut read = Vec::new();
                let mut arrays = Vec::new();
                for input in inputs {
                    if let Some((op, neutral)) = &input.op {
                        read.extend(self.operator(op));
                        self.observe_atoms(neutral);
                    }
                    arrays.extend_from_slice(&input.arrays);
                }
                let effect = self.frame(&lambda.params, &lambda.body);
                read.extend(effect.observed);
                self.destinations(&arrays, &read);
                let mut results = Vec::new();
                for _ in &arrays {
                    let region = self.new_region();
                    results.push(Rc::from([region]));
                }
                results.extend(effect.results.into_iter().skip(inputs.len()));
                Some(results)
            }
            Exp::UpdateAcc(acc, _, values) => {
                self.observe_atoms(values);
                self.consume(*acc);
                None
            }
        }
    }
}

fn sorted(mut regions: Vec<Region>) -> Regions {
    regions.sort_unstable();
    regions.dedup();
    Rc::from(regions)
}

/// Whether two sorted sets have a common element.
fn overlap(a: &[Region], b: &[Region]) -> bool {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    small.iter().any(|region| large.binary_search(region).is_ok())
}
