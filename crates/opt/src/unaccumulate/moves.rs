//! Indices that are positions of levels, moved: what they are moved by, and which position belongs to an index.
//!
//! ```text
//! update_acc acc [(i - c[j]) % n, j] (g[i, j])
//! ==>
//! map (\i j -> g[(i + c[j]) % n, j])
//! ```
//!
//! What an index is moved by may be computed from positions that are themselves indices, as they are: these are known
//! where the contribution is asked for. A rest of dividing by the number of positions has exactly one position, unless
//! the number that is divided has more than 64 bits for some of them: machine arithmetic wraps, and then there may be
//! two positions, or none. Where nobody knows that it has not (constants are small), the code asks, and in that case
//! finds the positions by trying all of them. No sensible program comes there.

use super::Index;
use super::nest::Code;
use super::pull::{Inverse, Level, Pull};
use crate::differentiate::num::add;
use fehu_base::IdVec;
use fehu_ir::builder::Builder;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Exp, LoopForm, LoopParam, Scalar, Stm, Type, Var, VarInfo,
};

/// How far a position may be moved by one step, and by how many steps, so that it has certainly no more than 64 bits.
/// Sizes of arrays, and so positions, are less than 2^61.
const MOST_MOVED: i64 = 1 << 56;
const MOST_STEPS: usize = 16;

/// A dimension that is indexed by a moved position.
pub(super) struct Move {
    /// The dimension, and its size.
    pub(super) dim: usize,
    pub(super) size: Atom,
    /// The number of the level.
    pub(super) number: usize,
    /// How the position follows from the index.
    pub(super) steps: Vec<Inverse>,
}

impl Move {
    /// Whether there is one position for each index, or none. A rest says so only of all positions.
    pub(super) fn fits(&self, levels: &[Level]) -> bool {
        let is_all = |count: Atom| count == self.size && count == levels[self.number].width;
        self.steps.iter().all(|step| !matches!(step, Inverse::Rest(count) if !is_all(*count)))
            && self.steps.len() <= MOST_STEPS
    }

    fn is_rest(&self) -> bool {
        matches!(self.steps.last(), Some(Inverse::Rest(_)))
    }

    /// The position of the map that belongs to an index, and a condition for that there is one.
    fn inverse(&self, b: &mut Builder<'_>, index: Var, width: Atom) -> (Var, Option<Atom>) {
        let at = self.steps.iter().fold(index, |at, step| b.exp("at", step.of(at.into())));
        // Rests are positions.
        let cond = (!self.is_rest()).then(|| {
            let above = b.exp("c", Exp::CmpOp(CmpOp::Le, 0.into(), at.into()));
            let below = b.exp("c", Exp::CmpOp(CmpOp::Lt, at.into(), width));
            b.exp("c", Exp::BinOp(BinOp::And, above.into(), below.into())).into()
        });
        (at, cond)
    }

    /// Whether a position of the map belongs to an index.
    fn belongs(&self, b: &mut Builder<'_>, index: Var, at: Var) -> Atom {
        let is_rest = |step: &&Inverse| matches!(step, Inverse::Rest(_));
        let steps = self.steps.iter().rev().filter(|step| !is_rest(step));
        let steps = steps.chain(self.steps.iter().filter(is_rest));
        let found = steps.fold(at, |at, step| b.exp("x", step.back(at.into())));
        b.exp("c", Exp::CmpOp(CmpOp::Eq, found.into(), index.into())).into()
    }

    /// What rests are moved by of which nobody knows that it is little.
    fn unknown(&self) -> impl Iterator<Item = Atom> {
        let is_little = |value: i64| (-MOST_MOVED..=MOST_MOVED).contains(&value);
        let is_known =
            move |atom: &Atom| matches!(atom, Atom::Const(Scalar::I64(value)) if is_little(*value));
        let of_rest = |step: &&Inverse| self.is_rest() && !matches!(step, Inverse::Rest(_));
        let operands = self.steps.iter().filter(of_rest).map(|step| step.operand());
        operands.filter(move |atom| !is_known(atom))
    }
}

/// Whether all that rests are moved by is little, if somebody has to ask.
fn is_little(moves: &[Move], b: &mut Builder<'_>) -> Option<Atom> {
    let mut all: Option<Atom> = None;
    for operand in moves.iter().flat_map(Move::unknown) {
        let above = b.exp("c", Exp::CmpOp(CmpOp::Le, (-MOST_MOVED).into(), operand));
        let below = b.exp("c", Exp::CmpOp(CmpOp::Le, operand, MOST_MOVED.into()));
        let both: Atom = b.exp("c", Exp::BinOp(BinOp::And, above.into(), below.into())).into();
        all = Some(match all {
            None => both,
            Some(all) => b.exp("little", Exp::BinOp(BinOp::And, all, both)).into(),
        });
    }
    all
}

/// Evaluates what indices are moved by; the code is the pull's. Whether all of it depends on nothing but positions that
/// are indices themselves.
pub(super) fn evaluate(
    moves: &mut [Move],
    dims: &[Index],
    levels: &[Level],
    pull: &mut Pull<'_, '_>,
) -> bool {
    let place: Vec<Atom> = levels.iter().map(|level| level.at.into()).collect();
    let mut values = Vec::new();
    for step in moves.iter_mut().flat_map(|one| &mut one.steps) {
        if pull.plain(step.operand(), &place).is_none() {
            let Some(value) = pull.value(step.operand(), &place) else { return false };
            *step = step.with(value);
            values.push(value);
        }
    }
    let is_moved = |dim: usize| moves.iter().any(|one| one.dim == dim);
    let is_index = |number: &usize| {
        let mut all = dims.iter().enumerate();
        all.any(|(dim, index)| *index == Index::Level(*number) && !is_moved(dim))
    };
    let code = Code {
        reads: std::mem::take(&mut pull.reads),
        stms: std::mem::take(&mut pull.stms),
        value: 0.into(),
    };
    let mut used = code.levels(levels, pull.vars);
    let positions = levels.iter().enumerate();
    used.extend(positions.filter(|(_, level)| values.contains(&level.at.into())).map(|(n, _)| n));
    (pull.reads, pull.stms) = (code.reads, code.stms);
    used.iter().all(is_index)
}

/// Makes the code of a contribution where its levels are these, under conditions and after statements.
pub(super) type Make<'m> =
    dyn FnMut(&mut IdVec<Var, VarInfo>, &[Level], &[(Atom, bool)], Vec<Stm>) -> Option<Code> + 'm;

/// The levels in which indices are positions, and the code of a contribution there, which `make` makes.
pub(super) fn moved(
    moves: &[Move],
    levels: &[Level],
    vars: &mut IdVec<Var, VarInfo>,
    zero: Scalar,
    make: &mut Make<'_>,
) -> Option<(Vec<Level>, Code)> {
    let (mut inner, mut conds) = (levels.to_vec(), Vec::new());
    let mut b = Builder::new(vars);
    for one in moves {
        let position = b.param("i", Type::I64);
        let (at, cond) = one.inverse(&mut b, position, levels[one.number].width);
        conds.extend(cond.map(|cond| (cond, true)));
        inner[one.number] = Level { position, width: one.size, at };
    }
    let stms = b.finish(Vec::new()).stms;
    let mut code = make(vars, &inner, &conds, stms)?;
    let mut b = Builder::new(vars);
    if let Some(cond) = is_little(moves, &mut b) {
        let mut stms = b.finish(Vec::new()).stms;
        let other = tried(moves, levels, &inner, vars, zero, make)?;
        code.reads.extend(other.reads);
        let yes = Body { stms: code.stms, results: vec![code.value] };
        let no = Body { stms: other.stms, results: vec![other.value] };
        let value = vars.push(VarInfo { hint: "x".into(), ty: Type::Scalar(zero.elem()) });
        stms.push(Stm::new(vec![value], Exp::If(cond, Box::new([yes, no]))));
        (code.stms, code.value) = (stms, value.into());
    }
    Some((inner, code))
}

/// The sum over all positions that belong to the indices.
fn tried(
    moves: &[Move],
    levels: &[Level],
    inner: &[Level],
    vars: &mut IdVec<Var, VarInfo>,
    zero: Scalar,
    make: &mut Make<'_>,
) -> Option<Code> {
    let (mut tried, mut conds) = (inner.to_vec(), Vec::new());
    let mut b = Builder::new(vars);
    for one in moves {
        let at = b.param("at", Type::I64);
        conds.push((one.belongs(&mut b, inner[one.number].position, at), true));
        tried[one.number].at = at;
    }
    let stms = b.finish(Vec::new()).stms;
    let Code { reads, mut stms, mut value } = make(vars, &tried, &conds, stms)?;
    let ty = Type::Scalar(zero.elem());
    for one in moves.iter().rev() {
        let mut b = Builder::new(vars);
        stms.into_iter().for_each(|stm| b.push(stm));
        let before = b.param("before", ty.clone());
        let sum = add(&mut b, before.into(), value);
        let body = b.finish(vec![sum]);
        let params = vec![LoopParam { var: before, init: Atom::Const(zero) }];
        let form = LoopForm::For(tried[one.number].at, levels[one.number].width);
        let result = vars.push(VarInfo { hint: "sum".into(), ty: ty.clone() });
        stms = vec![Stm::new(vec![result], Exp::Loop(params, form, Box::new(body)))];
        value = result.into();
    }
    Some(Code { reads, stms, value })
}
