//! Constructs nests: code of the innermost level, enclosed in as many maps as there are levels. In the end these are a Seg.
//!
//! The function of each level gets exactly what the code needs: elements of the inputs, elements of arrays that earlier
//! nests have computed, and the cheap definitions of the level that it depends on. Everything in a nest has fresh
//! variables, since definitions are repeated in many nests.

use crate::context::{Cx, Home, array_of};
use crate::seg::Segs;
use fehu_ir::builder::atom_type;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, copy_stm, subst_stm};
use fehu_ir::{Atom, Body, Exp, Lambda, Level as Of, Scalar, Screma, Stm, Type, Var};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};

/// Who executes what the levels of a nest are around.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inside {
    /// One thread, at each position.
    Thread,
    /// A block of threads of this level, at each position.
    Block(Of),
    /// As many threads as suit it: it ends with an operator.
    Operator,
}

impl Cx<'_> {
    /// All levels around statements that one thread executes; the arrays of the host with the results. Without levels the
    /// statements are the host's.
    pub(crate) fn nest(&mut self, stms: Vec<Stm>, results: &[Atom]) -> Vec<Var> {
        self.nest_of(Inside::Thread, stms, results)
    }

    /// Likewise, around something else.
    pub(crate) fn nest_of(&mut self, inside: Inside, stms: Vec<Stm>, results: &[Atom]) -> Vec<Var> {
        let mut types: Vec<Type> = results.iter().map(|atom| atom_type(*atom, self.vars)).collect();
        let mut body = Body { stms, results: results.to_vec() };
        for level in (0..self.levels.len()).rev() {
            let stm = self.level(level, body, &types, results);
            types = types.iter().map(|ty| array_of(ty, self.levels[level].width)).collect();
            let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
            body = Body { stms: vec![stm], results };
        }
        let passed: Subst = free_in_body(&body, self.vars)
            .into_iter()
            .filter(|var| matches!(self.homes.get(var), Some(Home::Passed)))
            .map(|var| (var, Atom::Const(Scalar::Unit)))
            .collect();
        if self.levels.is_empty() {
            return self.plain(inside, body);
        }
        let Some(stm) = body.stms.first() else { return Vec::new() };
        let mut stm = copy_stm(stm, self.vars);
        subst_stm(&mut stm, self.vars, &passed);
        for var in &stm.pat {
            self.share.join(*var, *var);
        }
        let pat = stm.pat.clone();
        let levels = self.levels.len();
        let stm = match inside {
            Inside::Thread => self.segs().code(stm, levels, Of::Grid),
            Inside::Block(level) => self.segs().code(stm, levels, level),
            Inside::Operator => self.segs().leaf(stm, levels),
        };
        self.out.push(stm);
        pat
    }

    /// Statements of the host, with variables of their own.
    fn plain(&mut self, inside: Inside, body: Body) -> Vec<Var> {
        let mut copy = fehu_ir::subst::copy_body(&body, self.vars);
        for var in copy.stms.iter().flat_map(|stm| &stm.pat) {
            self.share.join(*var, *var);
        }
        if let (Inside::Operator, Some(op)) = (inside, copy.stms.pop()) {
            let op = self.segs().leaf(op, 0);
            copy.stms.push(op);
        }
        self.out.extend(copy.stms);
        copy.results.into_iter().filter_map(Atom::var).collect()
    }

    /// Makes Segs.
    pub(crate) fn segs(&mut self) -> Segs<'_> {
        Segs { prog: self.prog, vars: self.vars, hosted: self.hosted, equal: &self.equal }
    }

    /// The map of one level.
    fn level(&mut self, level: usize, body: Body, types: &[Type], like: &[Atom]) -> Stm {
        let mut need: VecDeque<Var> = free_in_body(&body, self.vars).into();
        let mut seen: FxHashSet<Var> = FxHashSet::default();
        let mut defs: BTreeSet<usize> = BTreeSet::new();
        let mut inputs: Vec<(bool, Var, Var)> = Vec::new();
        while let Some(var) = need.pop_front() {
            if !seen.insert(var) {
                continue;
            }
            match self.homes.get(&var).copied() {
                Some(Home::Def(at, index)) if at == level => {
                    defs.insert(index);
                    need.extend(free_in_stm(&self.levels[level].defs[index], self.vars));
                }
                Some(Home::Param(at, input)) if at == level => inputs.push((false, var, input)),
                Some(Home::Stored(at, array)) if at == level => {
                    let input = if level == 0 { array } else { self.row(level, var, array) };
                    inputs.push((true, var, input));
                }
                _ => {}
            }
        }
        // Inputs of the original operator first, as they were.
        inputs.sort();
        let Level { stms, width, certs, loc } = self.parts(level, &defs);
        let stms = stms.into_iter().chain(body.stms).collect();
        let map = Lambda {
            params: inputs.iter().map(|(_, param, _)| *param).collect(),
            body: Body { stms, results: body.results },
            ret: types.to_vec(),
        };
        let inputs = inputs.into_iter().map(|(_, _, input)| input).collect();
        let (scans, reds) = (Vec::new(), Vec::new());
        let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        let pat = (types.iter().zip(like))
            .map(|(ty, like)| self.fresh(*like, array_of(ty, width)))
            .collect();
        Stm { pat, certs, attrs: Vec::new(), loc, exp }
    }

    /// A row, in the level around, of an array of the host.
    fn row(&mut self, level: usize, var: Var, array: Var) -> Var {
        let ty = array_of(&self.vars[var].ty, self.levels[level].width);
        let row = self.fresh(var.into(), ty);
        self.move_to(row, Home::Stored(level - 1, array));
        row
    }

    fn parts(&self, level: usize, defs: &BTreeSet<usize>) -> Level {
        let level = &self.levels[level];
        Level {
            stms: defs.iter().map(|index| level.defs[*index].clone()).collect(),
            width: level.width,
            certs: level.certs.clone(),
            loc: level.loc.clone(),
        }
    }
}

/// What a level's map is made of.
struct Level {
    stms: Vec<Stm>,
    width: Atom,
    certs: Vec<Var>,
    loc: Option<fehu_ir::Loc>,
}
