//! Nests of maps and sums around code that was pulled.
//!
//! What the code reads at positions of levels are inputs: the array is transposed so that its dimensions are in the
//! order of the levels, and each level takes its rows. Statements stand at the outermost level at which their operands
//! are known, if they can be evaluated anywhere; otherwise at the innermost.

use super::pull::{Level, Read};
use crate::differentiate::num::{outer, sum_red};
use fehu_base::{IdVec, OrBug};
use fehu_facts::Effects;
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, subst_atom, subst_stm};
use fehu_ir::{Atom, Exp, Lambda, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// What is done along a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// A result for each position.
    Map,
    /// The sum of all.
    Sum,
}

/// Code for each position of some levels.
pub(super) struct Code {
    pub(super) reads: Vec<Read>,
    pub(super) stms: Vec<Stm>,
    pub(super) value: Atom,
}

impl Code {
    /// The numbers of the levels that it depends on.
    pub(super) fn levels(&self, levels: &[Level], vars: &IdVec<Var, VarInfo>) -> Vec<usize> {
        let mut used: Vec<Var> = self.value.var().into_iter().collect();
        used.extend(self.reads.iter().flat_map(|read| read.positions.iter().copied()));
        used.extend(self.stms.iter().flat_map(|stm| free_in_stm(stm, vars)));
        (0..levels.len()).filter(|number| used.contains(&levels[*number].position)).collect()
    }
}

/// The value at all positions: an array with the levels that are maps as dimensions, in the order of the levels. Sums
/// are innermost.
pub(super) fn nest(
    b: &mut Builder<'_>,
    effects: &Effects,
    code: Code,
    levels: &[(Level, Along)],
) -> Atom {
    let Code { reads, mut stms, value } = code;
    // The same levels are around the code of indices, which has positions of its own.
    let mut own = Subst::default();
    for (level, _) in levels {
        own.insert(level.position, b.param("i", Type::I64).into());
    }
    stms.iter_mut().for_each(|stm| subst_stm(stm, b.vars_mut(), &own));
    let value = subst_atom(value, &own);
    let params: Vec<Var> =
        levels.iter().filter_map(|(level, _)| own[&level.position].var()).collect();
    let place = |var: Var| levels.iter().position(|(level, _)| level.position == var);
    // The number of levels that are around what makes a variable.
    let mut known: FxHashMap<Var, usize> = FxHashMap::default();
    for (index, position) in params.iter().enumerate() {
        known.insert(*position, index + 1);
    }
    let mut rows = Vec::with_capacity(reads.len());
    for read in reads {
        let at: Vec<usize> =
            read.positions.iter().map(|var| place(*var).or_bug("level of a position")).collect();
        let mut perm: Vec<usize> = (0..at.len()).collect();
        perm.sort_by_key(|dim| at[*dim]);
        let array = match perm.iter().enumerate().all(|(index, dim)| index == *dim) {
            true => read.array,
            false => b.exp("t", Exp::Rearrange(read.array, perm.clone())),
        };
        let next: Vec<usize> = perm.iter().rev().map(|dim| at[*dim]).collect();
        known.insert(read.var, at.iter().max().map_or(0, |last| last + 1));
        rows.push(Row { array, next, var: read.var });
    }
    let mut groups: Vec<Vec<Stm>> = (0..=levels.len()).map(|_| Vec::new()).collect();
    let mut used: Vec<Var> = value.var().into_iter().collect();
    for stm in stms {
        let free = free_in_stm(&stm, b.vars());
        let anywhere = stm.certs.is_empty() && effects.speculable(&stm.exp, b.vars());
        let depth = match anywhere {
            true => free.iter().filter_map(|var| known.get(var)).max().copied().unwrap_or(0),
            false => levels.len(),
        };
        used.extend(free);
        known.extend(stm.pat.iter().map(|var| (*var, depth)));
        groups[depth].push(stm);
    }
    let mut iotas = Vec::with_capacity(levels.len());
    for (index, (level, _)) in levels.iter().enumerate() {
        let has_input = rows.iter().any(|row| row.next.contains(&index));
        let wanted = used.contains(&params[index]) || !has_input;
        iotas.push(wanted.then(|| {
            let iota = Exp::Iota(fehu_base::Prim::I64, level.width, 0.into(), 1.into());
            b.exp("iota", iota)
        }));
    }
    let mut groups = groups.into_iter();
    groups.next().into_iter().flatten().for_each(|stm| b.push(stm));
    Levels { levels, params, iotas, value }.level(b, 0, rows, &mut groups)
}

/// What is left of an array inside: which levels are still to take its rows, the last one first.
#[derive(Clone)]
struct Row {
    array: Var,
    next: Vec<usize>,
    var: Var,
}

struct Levels<'l> {
    levels: &'l [(Level, Along)],
    /// The variables for positions.
    params: Vec<Var>,
    iotas: Vec<Option<Var>>,
    value: Atom,
}

impl Levels<'_> {
    fn level(
        &self,
        b: &mut Builder<'_>,
        index: usize,
        rows: Vec<Row>,
        groups: &mut impl Iterator<Item = Vec<Stm>>,
    ) -> Atom {
        let Some((level, along)) = self.levels.get(index) else { return self.value };
        let (mut inputs, mut params, mut inner) = (Vec::new(), Vec::new(), Vec::new());
        for mut row in rows {
            if row.next.last() != Some(&index) {
                inner.push(row);
                continue;
            }
            row.next.pop();
            inputs.push(row.array);
            match row.next.is_empty() {
                true => params.push(row.var),
                false => {
                    let ty = b.ty(row.array).row().or_bug("row of an input");
                    row.array = b.param("row", ty);
                    params.push(row.array);
                    inner.push(row);
                }
            }
        }
        if let Some(iota) = self.iotas[index] {
            inputs.push(iota);
            params.push(self.params[index]);
        }
        let body = b.body(|b| {
            groups.next().into_iter().flatten().for_each(|stm| b.push(stm));
            vec![self.level(b, index + 1, inner, groups)]
        });
        let ty = b.atom_ty(body.results[0]);
        let map = Lambda { params, body, ret: vec![ty.clone()] };
        let (reds, types) = match along {
            Along::Map => (Vec::new(), outer(std::slice::from_ref(&ty), level.width)),
            Along::Sum => (vec![sum_red(b, &ty)], vec![ty]),
        };
        let (width, scans) = (level.width, Vec::new());
        let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        b.several("sum", types, exp)[0].into()
    }
}

/// The type of the elements of an array, as a scalar.
pub(super) fn scalar_of(ty: &Type) -> Option<Type> {
    Some(Type::Scalar(ty.elem()?))
}
