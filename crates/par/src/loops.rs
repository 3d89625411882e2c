//! `grid_loops`: loops of the host around small operators, as the work of one block of threads.
//!
//! An operator of the host costs a launch, also if a block could do its work in a fraction of that time. A loop around
//! small operators is a series of launches. So it has two versions: it stays as it is; or a single block executes all
//! of it, as if it stood in the function of a map of one position ([`crate::block`]). The threads of that block share
//! the positions of one operator after the other, with a barrier between them, and what iterations hand on need not
//! leave the block.
//!
//! ```text
//! ys = loop y = y0 for i < k { ... map f y ... }
//! ==>
//! let (t: i64) = tuning "main.suff_loop_par_0" 8192
//! let (small: bool) = le work t
//! ys = if small then {
//!   rows = seg blocks [] () { screma 1 () map { loop y = y0 for i < k { ... seg block { map f y } ... } } }
//!   in rows[0]
//! } else { loop y = y0 for i < k { ... map f y ... } }
//! ```
//!
//! [`crate::work`] says what the work is, and how the threshold follows from what launches and barriers cost. The
//! outermost loop that a block can execute becomes one kernel; in the other version, loops inside of it have two
//! versions again, down to one that a block cannot execute. Arrays that a loop changes in place are inputs of the map,
//! and stay where they are: that is how the return sweep of a derivative, which updates a row of a large array in each
//! iteration, is a small loop.
//!
//! What is known before the loop has to suffice to say how much memory the block needs. Functions that are not inlined
//! are not called in such loops, and neither are there accumulators, nor histograms whose values need locks.

use crate::block::is_for_block;
use crate::distribute::{only_block, only_flat};
use crate::hosted::{calls_any, hosted};
use crate::outer::OUTER;
use crate::seg::Segs;
use crate::version::MAX_THRESHOLDS;
use crate::work::{MOST, Work};
use crate::{chunks, has_attr, is_sequential};
use ecow::{EcoString, eco_format};
use fehu_base::{IdVec, bug};
use fehu_facts::{Share, in_place, updated};
use fehu_ir::builder::{Builder, count_stms};
use fehu_ir::free::{bound_in_stm, free_in_stm};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::subst::{Subst, copy_stm, subst_stm};
use fehu_ir::{
    Atom, Body, CmpOp, Dim, Exp, FunId, Item, Lambda, Level, LoopForm, LoopParam, Prog, Scalar,
    Screma, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Kernels of more statements than these take long to compile, and too many registers.
const LARGE: usize = 2000;

/// The pass. Operators are what they will be, and nobody has said who executes them.
pub const GRID_LOOPS: Pass = Pass {
    name: "grid_loops",
    about: "gives loops around small operators a version for a single block of threads, for devices",
    run,
};

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let hosted = hosted(prog);
    let inside = chunks::called_inside(prog);
    for item in prog.items() {
        if matches!(item, Item::Fun(id) if inside.contains(&id)) {
            continue;
        }
        let name = prog.known_name(item).clone();
        prog.change(item, |prog, vars, body| {
            let (thresholds, fills, around) = (0, FxHashMap::default(), None);
            let hosted = &hosted;
            Host { prog, vars, remarks, hosted, name, thresholds, fills, around }.body(body);
        });
    }
}

/// The code outside of all operators.
struct Host<'a> {
    prog: &'a Prog,
    vars: &'a mut IdVec<Var, VarInfo>,
    remarks: &'a mut Remarks,
    /// The functions that no kernel can contain.
    hosted: &'a FxHashSet<FunId>,
    /// The part of the names of thresholds before the point, and how many there are.
    name: EcoString,
    thresholds: usize,
    /// Arrays whose elements are all the same scalar, and how they are made.
    fills: FxHashMap<Var, Exp>,
    /// The work of the innermost loop around the code that has two versions.
    around: Option<Work>,
}

impl Host<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others contain no code of the host")]
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            let work = match &stm.exp {
                Exp::Loop(params, form, inside) => self.work(&stm, params, *form, inside),
                _ => None,
            };
            // If the loop around this one is too much for a block, so is this one, or it has other sizes.
            let work =
                work.filter(|work| !self.around.as_ref().is_some_and(|all| work.is_like(all)));
            let around = work.is_some().then(|| std::mem::replace(&mut self.around, work.clone()));
            // The version has a copy of what is still to come.
            let before = work.is_some().then(|| stm.clone());
            match &mut stm.exp {
                Exp::WithAcc(_, lambda) => self.body(&mut lambda.body),
                Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => {
                    stm.exp.map_bodies(&mut |body| self.body(body));
                }
                _ => {}
            }
            if let Some(around) = around {
                self.around = around;
            }
            if let (Exp::Replicate(_, value), [var]) = (&stm.exp, &stm.pat[..])
                && value.var().is_none_or(|value| !self.vars[value].ty.is_array())
            {
                self.fills.insert(*var, stm.exp.clone());
            }
            match (work, before) {
                (Some(work), Some(before)) => self.versions(&work, &before, stm, &mut body.stms),
                _ => body.stms.push(stm),
            }
        }
    }

    /// The work of a loop, if a block can execute it and may be worth having.
    fn work(&self, stm: &Stm, params: &[LoopParam], form: LoopForm, body: &Body) -> Option<Work> {
        let once = matches!(form, LoopForm::For(_, Atom::Const(Scalar::I64(bound))) if bound <= 1);
        let possible = !once
            && !only_flat(stm)
            && self.thresholds < MAX_THRESHOLDS
            && !calls_any(&stm.exp, self.hosted)
            && count_stms(body) <= LARGE
            && body.stms.iter().all(is_free);
        if !possible {
            return None;
        }
        let bound: FxHashSet<Var> = bound_in_stm(stm).into_iter().collect();
        let known = |atom: Atom| atom.var().is_none_or(|var| !bound.contains(&var));
        let handed_on = stm.pat.iter().chain(params.iter().map(|param| &param.var));
        let mut types = handed_on.map(|var| &self.vars[*var].ty);
        let fits = types.all(|ty| match ty {
            Type::Array(_, shape) => shape.iter().all(|size| known(*size)),
            ty @ Type::Scalar(_) => *ty != Type::CERT,
            Type::Acc(_) => false,
        });
        if !fits || !is_for_block(body, self.vars, &known) {
            return None;
        }
        let mut work = Work::of(body, self.vars, &known)?;
        for (k, param) in params.iter().enumerate() {
            let ty = &self.vars[param.var].ty;
            if ty.is_array() && !in_place(self.prog, param.var, body, k) {
                work.copies(ty.shape());
            }
        }
        (only_block(stm) || !work.is_too_much()).then_some(work)
    }

    /// Both versions of a loop.
    fn versions(&mut self, work: &Work, before: &Stm, stm: Stm, out: &mut Vec<Stm>) {
        let text = "added a version in which a thread block executes the whole loop, if its operators are small";
        self.remarks.add(GRID_LOOPS.name, RemarkKind::Done, stm.loc.as_ref(), None, text);
        let level = if work.is_narrow() { Level::Warps } else { Level::Blocks };
        let yes = self.by_block(before, level);
        if only_block(&stm) {
            out.extend(yes.stms);
            let names = stm.pat.iter().zip(yes.results);
            return out.extend(names.map(|(var, result)| Stm::new(vec![*var], Exp::Atom(result))));
        }
        let name = eco_format!("{}.suff_loop_par_{}", self.name, self.thresholds);
        self.thresholds += 1;
        let mut builder = Builder::new(self.vars);
        let mean = work.mean(&mut builder);
        let threshold = builder.exp("suff_loop_par", Exp::Tuning(name, Atom::i64(MOST)));
        let small = builder.exp("small", Exp::CmpOp(CmpOp::Le, mean, threshold.into()));
        out.extend(builder.finish(Vec::new()).stms);
        let no = copy_stm(&stm, self.vars);
        let results = no.pat.iter().map(|var| Atom::Var(*var)).collect();
        let no = Body { stms: vec![no], results };
        let exp = Exp::If(small.into(), Box::new([yes, no]));
        out.push(Stm { pat: stm.pat, certs: Vec::new(), attrs: Vec::new(), loc: stm.loc, exp });
    }

    /// The loop in a map of one position.
    fn by_block(&mut self, stm: &Stm, level: Level) -> Body {
        let mut looped = copy_stm(stm, self.vars);
        let (certs, loc) = (std::mem::take(&mut looped.certs), looped.loc.clone());
        let (mut stms, mut inputs, mut params) = (Vec::new(), Vec::new(), Vec::new());
        let mut subst = Subst::default();
        for var in self.changed(&looped) {
            let info = self.vars[var].clone();
            let input = self.row_of(&info);
            let shape = self.vars[input].ty.shape().to_vec();
            stms.push(Stm::new(vec![input], Exp::Reshape(var, shape)));
            let param = self.vars.push(info);
            subst.insert(var, param.into());
            inputs.push(input);
            params.push(param);
        }
        subst_stm(&mut looped, self.vars, &subst);
        let results = atoms(&looped.pat);
        let Exp::Loop(states, _, inside) = &looped.exp else { bug("a loop is something else") };
        let is_changed = |(k, state): (usize, &LoopParam)| updated(self.prog, state.var, inside, k);
        let is_changed: Vec<bool> = states.iter().enumerate().map(is_changed).collect();
        let mut body = Body { stms: self.own_states(&mut looped, &params), results };
        body.stms.push(looped);
        let infos: Vec<VarInfo> = stm.pat.iter().map(|var| self.vars[*var].clone()).collect();
        let pat: Vec<Var> = infos.iter().map(|info| self.row_of(info)).collect();
        let ret = infos.iter().map(|info| info.ty.clone()).collect();
        let equal = FxHashMap::default();
        let mut segs =
            Segs { prog: self.prog, vars: self.vars, hosted: self.hosted, equal: &equal };
        segs.of_block(&mut body.stms);
        let map = Lambda { params, body, ret };
        let (scans, reds) = (Vec::new(), Vec::new());
        let exp = Exp::Screma(Box::new(Screma { width: Atom::i64(1), inputs, map, scans, reds }));
        let nest = Stm { pat: pat.clone(), certs, attrs: Vec::new(), loc, exp };
        stms.push(segs.code(nest, 1, level));
        let mut results = Vec::with_capacity(pat.len());
        for (k, (rows, info)) in pat.into_iter().zip(infos).enumerate() {
            // What was changed in place is the whole array: so it is known to be where it was.
            let exp = match is_changed[k] {
                true => Exp::Reshape(rows, info.ty.shape().to_vec()),
                false => Exp::Index(rows, vec![Dim::Fix(Atom::i64(0))]),
            };
            let result = self.vars.push(info);
            stms.push(Stm::new(vec![result], exp));
            results.push(result.into());
        }
        Body { stms, results }
    }

    /// The arrays from outside that a loop may change.
    fn changed(&self, looped: &Stm) -> Vec<Var> {
        let whole = Body { stms: vec![looped.clone()], results: Vec::new() };
        let share = Share::of(self.prog, &whole, self.vars);
        let mut free = free_in_stm(looped, self.vars);
        free.retain(|var| self.vars[*var].ty.is_array() && !share.is_fixed(*var));
        free
    }

    /// What iterations hand on begins with a copy, unless it is changed, or is made once more: all of it is in the
    /// memory of the block then, and the order of the dimensions of the array outside is of no concern.
    fn own_states(&mut self, looped: &mut Stm, changed: &[Var]) -> Vec<Stm> {
        let Exp::Loop(params, ..) = &mut looped.exp else { bug("a loop is something else") };
        let mut copies = Vec::new();
        for param in params {
            if let Atom::Var(init) = param.init
                && self.vars[init].ty.is_array()
                && !changed.contains(&init)
            {
                let copy = self.vars.push(self.vars[init].clone());
                let made = self.fills.get(&init).cloned();
                copies.push(Stm::new(vec![copy], made.unwrap_or(Exp::Manifest(init))));
                param.init = copy.into();
            }
        }
        copies
    }

    /// An array with one row, which is something like this.
    fn row_of(&mut self, info: &VarInfo) -> Var {
        let ty = crate::context::array_of(&info.ty, Atom::i64(1));
        self.vars.push(VarInfo { hint: info.hint.clone(), ty })
    }
}

fn atoms(vars: &[Var]) -> Vec<Atom> {
    vars.iter().map(|var| Atom::Var(*var)).collect()
}

/// Whether the source does not say who executes the operators of a statement, and nothing is printed.
fn is_free(stm: &Stm) -> bool {
    let is_asked = is_sequential(stm) || has_attr(stm, OUTER);
    let mut free = !is_asked && !matches!(stm.exp, Exp::Trace(..) | Exp::Notice(..));
    stm.exp.for_each_body(&mut |body| free = free && body.stms.iter().all(is_free));
    free
}
