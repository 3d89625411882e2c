//! Makes Segs: maps inside of each other around an operator become one space around it.
//!
//! ```text
//! screma n (xss) map \xs -> {            seg grid [n] () \(i) -> {
//!   let k = index xs[0]                    let xs = index xss[i]
//!   let zs = screma m (xs) map ...   ==>   let k = index xs[0]
//!   in (zs)                                let zs = screma m (xs) map ...
//! }                                        in (zs)
//!                                        }
//! ```
//!
//! Elements are read by indexing. Only accumulators, and arrays whose elements the operator changes, are inputs.

use crate::hosted::calls_any;
use fehu_base::{IdVec, OrBug, bug};
use fehu_facts::{Reads, Share, cost};
use fehu_ir::free::{free_in_lambda, free_in_stm};
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{
    Atom, Body, Dim, Exp, FunId, Lambda, Level, Prog, Screma, Seg, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes Segs of the statements of a function.
pub(crate) struct Segs<'a> {
    pub(crate) prog: &'a Prog,
    pub(crate) vars: &'a mut IdVec<Var, VarInfo>,
    /// The functions that no kernel can contain.
    pub(crate) hosted: &'a FxHashSet<FunId>,
    /// Arrays whose elements are all the same, and what they are.
    pub(crate) equal: &'a FxHashMap<Var, Atom>,
}

/// A level of a nest that is taken apart.
struct Taken {
    index: Var,
    params: Vec<Var>,
    prologue: Vec<Stm>,
}

impl Segs<'_> {
    /// A nest whose operator is inside of as many maps as there are levels. If nobody can share the operator, it is left to
    /// one thread, and the innermost map is the operator.
    pub(crate) fn leaf(&mut self, mut nest: Stm, levels: usize) -> Stm {
        self.replace_equal(&mut nest, levels);
        if calls_any(&nest.exp, self.hosted) {
            return nest;
        }
        let (op, bound) = innermost(&nest, levels);
        let is_shared = self.is_shared(op, &bound) && self.needs_no_memory(&nest, levels);
        match (is_shared, levels.checked_sub(1)) {
            (true, _) => self.seg(nest, levels, Level::Grid),
            (false, Some(outer)) => self.seg(nest, outer, Level::Grid),
            (false, None) => nest,
        }
    }

    /// Elements of arrays whose elements are all the same are known outside: a scan may need them there.
    fn replace_equal(&mut self, nest: &mut Stm, levels: usize) {
        let mut subst = Subst::default();
        let mut here: FxHashMap<Var, Atom> = FxHashMap::default();
        let mut at = &*nest;
        for _ in 0..levels {
            let Exp::Screma(map) = &at.exp else { bug("a level of a nest is no map") };
            for (param, input) in map.map.params.iter().zip(&map.inputs) {
                let known = here.get(input).or_else(|| self.equal.get(input));
                let known = known.filter(|_| !self.vars[*param].ty.is_array());
                subst.extend(known.map(|atom| (*param, *atom)));
            }
            for stm in &map.map.body.stms {
                if let (Exp::Replicate(_, atom), [var]) = (&stm.exp, &stm.pat[..])
                    && self.vars[*var].ty.rank() == 1
                {
                    here.insert(*var, *atom);
                }
            }
            at = map.map.body.stms.last().or_bug("the operator of a nest");
        }
        subst_stm(nest, self.vars, &subst);
    }

    /// A nest of maps, of which the innermost one has sequential code, or code that a block of threads executes.
    pub(crate) fn code(&mut self, nest: Stm, levels: usize, level: Level) -> Stm {
        match levels.checked_sub(1) {
            Some(outer) if !calls_any(&nest.exp, self.hosted) => self.seg(nest, outer, level),
            _ => nest,
        }
    }

    /// The operators of code that a block of threads executes, as Segs of the block.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    pub(crate) fn of_block(&mut self, stms: &mut [Stm]) {
        for stm in stms {
            match &stm.exp {
                Exp::Screma(_) | Exp::Scatter(_) | Exp::Hist(_) => {
                    let depth = self.depth(stm);
                    let taken = std::mem::replace(stm, Stm::new(Vec::new(), Exp::Threads));
                    *stm = self.seg(taken, depth, Level::Block);
                }
                Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => {
                    stm.exp.map_bodies(&mut |body| self.of_block(&mut body.stms));
                }
                _ => {}
            }
        }
    }

    /// How many maps there are around an operator that the threads of a block can share. A reduction or scan that is not
    /// outermost is left to one thread.
    fn depth(&self, stm: &Stm) -> usize {
        let mut bound: FxHashSet<Var> = FxHashSet::default();
        let (mut depth, mut at) = (0, stm);
        while let Some((op, inner)) = self.inner(at) {
            bound.extend(&op.map.params);
            bound.extend(op.map.body.stms.iter().flat_map(|stm| &stm.pat));
            if !self.is_shared(inner, &bound) {
                break;
            }
            (depth, at) = (depth + 1, inner);
        }
        let folds = matches!(&at.exp, Exp::Screma(op) if op.folded() > 0);
        if folds { 0 } else { depth }
    }

    /// A map, and the operator that its function consists of.
    fn inner<'s>(&self, stm: &'s Stm) -> Option<(&'s Screma, &'s Stm)> {
        let Exp::Screma(op) = &stm.exp else { return None };
        let (inner, before) = op.map.body.stms.split_last()?;
        let returned = Seg::returned(&op.map.body)?;
        let is_array = |k: &usize| self.vars[inner.pat[*k]].ty.is_array();
        let fits = op.folded() == 0
            && Seg::takes(&inner.exp)
            && !crate::is_sequential(inner)
            && returned.is_sorted_by(|a, b| a < b)
            && !(0..inner.pat.len()).filter(is_array).any(|k| !returned.contains(&k))
            && before.iter().all(|stm| cost::is_private(stm, self.vars))
            && self.needs_no_memory(stm, 1);
        fits.then_some((op, inner))
    }

    /// Whether no array before the operator of a nest needs memory, which every thread would have to fill.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are no arrays that are computed"
    )]
    fn needs_no_memory(&self, nest: &Stm, levels: usize) -> bool {
        let reads = Reads::of_stm(nest);
        let is_computed = |stm: &Stm| match &stm.exp {
            Exp::Iota(..) | Exp::Replicate(..) => stm
                .pat
                .iter()
                .all(|var| self.vars[*var].ty.rank() == 1 && reads.only_elements(*var)),
            _ => true,
        };
        let mut at = nest;
        for _ in 0..levels {
            let Exp::Screma(map) = &at.exp else { bug("a level of a nest is no map") };
            let (inner, before) = map.map.body.stms.split_last().or_bug("the operator of a nest");
            if !before.iter().all(is_computed) {
                return false;
            }
            at = inner;
        }
        true
    }

    /// Whether the threads of a level can share an operator in functions that bind variables.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others make a single array")]
    fn is_shared(&self, stm: &Stm, bound: &FxHashSet<Var>) -> bool {
        let known = |atom: Atom| atom.var().is_none_or(|var| !bound.contains(&var));
        match &stm.exp {
            Exp::Screma(op) => {
                let folds = op.scans.iter().map(|scan| &scan.op);
                let mut folds = folds.chain(op.reds.iter().map(|red| &red.op));
                let is_array = |var: &Var| self.vars[*var].ty.is_array();
                let is_acc = |var: &Var| matches!(self.vars[*var].ty, Type::Acc(_));
                let once = op.scans.is_empty() || op.reds.is_empty();
                // The operands of a scan must be the same for all segments.
                let scans = op.scans.iter().all(|scan| {
                    let free = free_in_lambda(&scan.op, self.vars);
                    free.iter().all(|var| !bound.contains(var))
                        && scan.neutral.iter().all(|neutral| known(*neutral))
                });
                known(op.width)
                    && scans
                    && folds.all(|op| !op.params.iter().any(is_array))
                    && (op.folded() == 0 || !op.inputs.iter().any(is_acc) || bound.is_empty())
                    // Where both are there, the function is applied for each of them.
                    && (once || !cost::has_effects(&op.map.body))
            }
            Exp::Scatter(op) => known(op.width),
            Exp::Hist(op) => known(op.width),
            Exp::Partition(_) | Exp::Flatmap(_) => false,
            _ => {
                let arrays = stm.pat.iter().chain(match &stm.exp {
                    Exp::Concat(_, arrays) => &arrays[..],
                    _ => &[],
                });
                let mut sizes = arrays.flat_map(|var| self.vars[*var].ty.shape());
                Seg::takes(&stm.exp) && sizes.all(|size| known(*size))
            }
        }
    }

    /// The operator inside of this many maps, with these as its space.
    pub(crate) fn seg(&mut self, nest: Stm, levels: usize, level: Level) -> Stm {
        let mut taken_apart: Vec<Taken> = Vec::new();
        let mut space = Vec::new();
        // Where elements come from: an array, and the indices in it.
        let mut homes: FxHashMap<Var, (Var, Vec<Var>)> = FxHashMap::default();
        let whole = Body { stms: vec![nest.clone()], results: Vec::new() };
        let share = Share::of(self.prog, &whole, self.vars);
        let (pat, mut certs, loc) = (nest.pat.clone(), nest.certs.clone(), nest.loc.clone());
        let mut op = nest;
        let mut results: Vec<Atom> = op.pat.iter().map(|var| Atom::Var(*var)).collect();
        for _ in 0..levels {
            certs.extend(op.certs.iter().copied());
            let Exp::Screma(map) = op.exp else { bug("a level of a nest is no map") };
            let index = self.vars.push(VarInfo { hint: "i".into(), ty: Type::I64 });
            for (param, input) in map.map.params.iter().zip(&map.inputs) {
                let (array, mut at) = homes.get(input).cloned().unwrap_or((*input, Vec::new()));
                at.push(index);
                homes.insert(*param, (array, at));
            }
            space.push(map.width);
            results = map.map.body.results;
            let mut prologue = map.map.body.stms;
            let Some(inner) = prologue.pop() else { bug("a level of a nest has no operator") };
            taken_apart.push(Taken { index, params: map.map.params, prologue });
            op = inner;
        }
        let (mut inputs, mut stms) = (Vec::new(), Vec::new());
        let mut params: Vec<Var> = taken_apart.iter().map(|level| level.index).collect();
        if levels == 0 {
            // Inside, its results and what it changes have other names.
            for var in &mut op.pat {
                *var = self.vars.push(self.vars[*var].clone());
            }
            results = op.pat.iter().map(|var| Atom::Var(*var)).collect();
            (op.certs, op.loc) = (Vec::new(), None);
            let mut subst = Subst::default();
            for var in free_in_stm(&op, self.vars) {
                if !matches!(self.vars[var].ty, Type::Scalar(_)) && !share.is_fixed(var) {
                    let param = self.vars.push(self.vars[var].clone());
                    subst.insert(var, param.into());
                    inputs.push(var);
                    params.push(param);
                }
            }
            subst_stm(&mut op, self.vars, &subst);
        }
        let prologues = taken_apart.iter().flat_map(|level| &level.prologue);
        let used: FxHashSet<Var> =
            prologues.chain([&op]).flat_map(|stm| free_in_stm(stm, self.vars)).collect();
        for Taken { params: elements, prologue, .. } in taken_apart {
            for param in elements {
                let Some((array, at)) = homes.get(&param) else { continue };
                let is_scalar = matches!(self.vars[param].ty, Type::Scalar(_));
                if !is_scalar && !share.is_fixed(param) && at.len() == levels {
                    inputs.push(*array);
                    params.push(param);
                } else if used.contains(&param) {
                    let at = at.iter().map(|index| Dim::Fix((*index).into())).collect();
                    stms.push(Stm::new(vec![param], Exp::Index(*array, at)));
                }
            }
            stms.extend(prologue);
        }
        stms.push(op);
        certs.sort_unstable();
        certs.dedup();
        let ret =
            results.iter().map(|atom| fehu_ir::builder::atom_type(*atom, self.vars)).collect();
        let body = Lambda { params, body: Body { stms, results }, ret };
        let exp = Exp::Seg(Box::new(Seg {
            level,
            space,
            rows: None,
            inputs,
            body,
            tiling: None,
            lanes: false,
        }));
        Stm { pat, certs, attrs: Vec::new(), loc, exp }
    }
}

/// The operator inside of this many maps, and what these bind.
fn innermost(nest: &Stm, levels: usize) -> (&Stm, FxHashSet<Var>) {
    let mut bound = FxHashSet::default();
    let mut op = nest;
    for _ in 0..levels {
        let Exp::Screma(map) = &op.exp else { bug("a level of a nest is no map") };
        bound.extend(&map.map.params);
        bound.extend(map.map.body.stms.iter().flat_map(|stm| &stm.pat));
        let Some(inner) = map.map.body.stms.last() else { bug("a level of a nest is empty") };
        op = inner;
    }
    (op, bound)
}
