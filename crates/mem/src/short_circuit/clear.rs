//! Whether a part of a block is free while an array is made there: nothing else is read or written in it.
//!
//! From the statement that makes the array to the one that would copy it, every access to the block is looked at, with
//! the variables of the loops and functions around it as they are: the addresses are an LMAD, and [`crate::overlap`]
//! proves from what is known about the variables that none of them is one of the part's. Arrays in other blocks
//! count if these may be the same at run time.
//!
//! The statement that makes the array may do more: a map reads all it wants of an element before it writes that
//! element. So what position `i` reads may be its own element, but none of position `j`'s, for `j < i` and for `j > i`.
//! Operators inside of the map's function may do the same, since they are over before the element is written. That is
//! for maps alone: scans and reductions may read their elements twice, and the statements before the operator of a Seg
//! are executed by every thread for itself, at any time.

use super::nest::BodyId;
use super::scope::Scope;
use super::{Circuit, Why};
use crate::lmad::{Lmad, Pick};
use crate::overlap::prove_disjoint;
use crate::table::{Origin, Place, flat, pick};
use fehu_base::id::Id;
use fehu_facts::poly::Poly;
use fehu_ir::{After, Atom, Body, Exp, Lambda, Level, Screma, Seg, Stm, Type, Var};

/// The part that must be free.
pub(super) struct Part<'p> {
    /// Where it is.
    pub(super) place: &'p Place,
    /// An array in the block.
    pub(super) array: Var,
    /// When the array is made that is to be there.
    pub(super) made: u32,
}

/// Positions that write elements of their own: the array, whose outermost dimension they are, and the variable of the
/// position at hand.
type Own = Vec<(Lmad, Var)>;

/// Where an access is.
#[derive(Clone, Copy)]
struct At {
    body: BodyId,
    when: u32,
}

impl<'a> Circuit<'a, '_> {
    /// Whether nothing else is accessed in the part by the statements of a range, the first of which makes the array that
    /// is to be there; `made` are the arrays that it makes there.
    pub(super) fn is_clear(
        &mut self,
        scope: &Scope<'a>,
        (from, to): (usize, usize),
        part: &Part<'_>,
        made: &[(Var, Place)],
    ) -> Result<(), Why> {
        if to - from > super::MAX_DISTANCE {
            return Err(Why::Far);
        }
        for (index, stm) in scope.body.stms.iter().enumerate().take(to).skip(from) {
            let arrays = scope.mentioned[index].iter().chain(&stm.pat);
            let accumulators = arrays.clone().any(|var| matches!(self.vars[*var].ty, Type::Acc(_)));
            if !accumulators && !arrays.clone().any(|var| self.may_be_in(part, *var)) {
                continue;
            }
            let free = if index == from {
                self.maker(part, stm, made)
            } else {
                self.stm(part, &Own::new(), stm, self.here)
            };
            if !free {
                return Err(Why::Overlap);
            }
        }
        Ok(())
    }

    /// Whether an array may be in the block.
    fn may_be_in(&self, part: &Part<'_>, var: Var) -> bool {
        let Some(place) = self.table.place(var) else { return false };
        if place.block == part.place.block {
            return true;
        }
        let when = |var: &Var| self.nest.when(*var);
        let apart = match (
            &self.table.blocks[place.block].origin,
            &self.table.blocks[part.place.block].origin,
        ) {
            (Origin::Unused, _) | (_, Origin::Unused) => true,
            (Origin::Fresh { .. }, Origin::Fresh { .. }) => true,
            // What was bound before a block is allocated is elsewhere.
            (Origin::Carried(var), Origin::Fresh { before, .. }) => {
                when(var).zip(when(before)).is_some_and(|(var, before)| var < before)
            }
            (Origin::Fresh { before, .. }, Origin::Carried(_)) => {
                when(before).is_some_and(|before| before >= part.made)
            }
            (Origin::Carried(_), Origin::Carried(_)) => false,
        };
        !apart
            && self.shared.may_share(var, part.array)
            && self.roots.may_be_same(place.block, part.place.block)
    }

    /// The statement that makes the array.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others write before they have read all"
    )]
    fn maker(&mut self, part: &Part<'_>, stm: &'a Stm, made: &[(Var, Place)]) -> bool {
        let mut mine = stm.pat.iter().filter_map(|var| made.iter().find(|(other, _)| other == var));
        let (Some((var, place)), None) = (mine.next(), mine.next()) else {
            return self.stm(part, &Own::new(), stm, self.here);
        };
        match &stm.exp {
            Exp::Copy(array) | Exp::Manifest(array) => {
                self.is_copy_to(array, place) || self.stm(part, &Own::new(), stm, self.here)
            }
            Exp::If(_, bodies) => {
                bodies.iter().all(|body| self.results(part, stm, body, (*var, place)))
            }
            Exp::Switch(_, switch) => {
                let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                bodies.into_iter().all(|body| self.results(part, stm, body, (*var, place)))
            }
            Exp::Screma(op) if is_map(op) => {
                self.pats(part, stm, self.here)
                    && self.map(part, vec![(place.lmad.clone(), Var::from_index(0))], stm, op)
            }
            Exp::Seg(seg) => self.seg(part, &Own::new(), stm, seg, Some(&place.lmad), self.here),
            _ => self.stm(part, &Own::new(), stm, self.here),
        }
    }

    /// Whether an array is exactly where it is copied to.
    fn is_copy_to(&self, array: &Var, to: &Place) -> bool {
        let from = self.table.place(*array);
        from.is_some_and(|from| from.same(to))
    }

    /// A branch copies its results when it has done everything else.
    fn results(&mut self, part: &Part<'_>, stm: &Stm, body: &'a Body, mine: (Var, &Place)) -> bool {
        let id = self.nest.id(body);
        self.inside(id, |this| {
            let at = this.end(id);
            stm.pat.iter().zip(&body.results).all(|(var, result)| match result {
                Atom::Const(_) => true,
                // It is copied onto itself.
                Atom::Var(result) if *var == mine.0 && this.is_copy_to(result, mine.1) => true,
                Atom::Var(result) => this.whole(part, &Own::new(), *result, at),
            })
        })
    }

    /// A statement that must leave the part alone, but for elements of its own position.
    fn stm(&mut self, part: &Part<'_>, own: &Own, stm: &'a Stm, body: BodyId) -> bool {
        let at = self.at(stm, body);
        match &stm.exp {
            Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Fail(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Const(_)
            | Exp::Atom(_)
            | Exp::Opaque(_)
            | Exp::FlatIndex(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..) => true, // Nothing is accessed.
            Exp::Index(array, dims) => {
                let is_view = stm.pat.iter().any(|var| self.vars[*var].ty.is_array());
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                is_view || self.part_of(part, own, *array, at, |lmad| lmad.slice(&picks))
            }
            Exp::Update(array, dims, value) => {
                let picks: Vec<Pick> = dims.iter().map(pick).collect();
                self.part_of(part, own, *array, at, |lmad| lmad.slice(&picks))
                    && value.var().is_none_or(|value| self.whole(part, own, value, at))
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let slice = flat(*offset, dims);
                self.part_of(part, own, *array, at, |lmad| lmad.flat_slice(&slice))
                    && self.whole(part, own, *value, at)
            }
            Exp::Array(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Copy(_)
            | Exp::Manifest(_)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Call(..) => {
                let mut operands: Vec<Var> = Vec::new();
                stm.exp.for_each_operand(&mut |atom| operands.extend(atom.var()));
                self.pats(part, stm, body)
                    && operands.into_iter().all(|var| self.whole(part, own, var, at))
            }
            Exp::If(_, bodies) => bodies.iter().all(|body| self.branch_of(part, own, stm, body)),
            Exp::Switch(_, switch) => {
                let bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                bodies.into_iter().all(|body| self.branch_of(part, own, stm, body))
            }
            Exp::Loop(params, _, inner) => {
                let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
                let inits: Vec<Atom> = params.iter().map(|param| param.init).collect();
                let id = self.nest.id(inner);
                self.assigned(part, own, &vars, &inits, at)
                    && self.inside(id, |this| {
                        let end = this.end(id);
                        this.stms(part, own, inner, id)
                            && this.assigned(part, own, &vars, &inner.results, end)
                    })
            }
            Exp::Screma(op) => {
                let mut neutral: Vec<Atom> = Vec::new();
                neutral.extend(op.scans.iter().flat_map(|scan| &scan.neutral));
                neutral.extend(op.reds.iter().flat_map(|red| &red.neutral));
                self.pats(part, stm, body)
                    && neutral.iter().all(|atom| self.operand(part, own, *atom, at))
                    && self.elements(part, own, stm, &op.inputs, &op.map)
                    && op.scans.iter().all(|scan| self.function(part, own, &scan.op))
                    && op.reds.iter().all(|red| self.function(part, own, &red.op))
            }
            Exp::Hist(op) => {
                self.pats(part, stm, body)
                    && op
                        .ops
                        .iter()
                        .flat_map(|op| &op.neutral)
                        .all(|atom| self.operand(part, own, *atom, at))
                    && self.elements(part, own, stm, &op.inputs, &op.map)
                    && op.ops.iter().all(|op| self.function(part, own, &op.op))
            }
            Exp::Scatter(op) => {
                self.pats(part, stm, body) && self.elements(part, own, stm, &op.inputs, &op.map)
            }
            Exp::Partition(op) => {
                self.pats(part, stm, body) && self.elements(part, own, stm, &op.inputs, &op.map)
            }
            Exp::Seg(seg) => {
                let none = Own::new();
                let own = if is_over_after(seg.level) { own } else { &none };
                self.seg(part, own, stm, seg, None, body)
            }
            // What accumulators stand for is not looked at.
            Exp::WithAcc(..) | Exp::UpdateAcc(..) | Exp::Stream(_) | Exp::Flatmap(_) => false,
            Exp::Diff(_) => false,
        }
    }

    fn stms(&mut self, part: &Part<'_>, own: &Own, body: &'a Body, id: BodyId) -> bool {
        body.stms.iter().all(|stm| self.stm(part, own, stm, id))
    }

    fn at(&self, stm: &Stm, body: BodyId) -> At {
        let when = stm.pat.first().and_then(|var| self.nest.when(*var)).unwrap_or(0);
        At { body, when }
    }

    /// At the end of a body.
    fn end(&self, body: BodyId) -> At {
        At { body, when: self.nest.end(body) }
    }

    /// Does something with what is known in a body.
    fn inside<T>(&mut self, body: BodyId, work: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.known.enter();
        self.nest.enter(body, &mut self.known);
        let result = work(self);
        self.known.leave(mark);
        result
    }

    /// A branch, whose results are assigned to what the statement binds.
    fn branch_of(&mut self, part: &Part<'_>, own: &Own, stm: &Stm, body: &'a Body) -> bool {
        let id = self.nest.id(body);
        self.inside(id, |this| {
            let end = this.end(id);
            this.stms(part, own, body, id) && this.assigned(part, own, &stm.pat, &body.results, end)
        })
    }

    /// Values that become those of variables: they are copied if these have places of their own.
    fn assigned(
        &mut self,
        part: &Part<'_>,
        own: &Own,
        vars: &[Var],
        values: &[Atom],
        at: At,
    ) -> bool {
        vars.iter().zip(values).all(|(var, value)| {
            let (Some(to), Atom::Var(value)) = (self.table.place(*var), value) else { return true };
            let carried = self.table.blocks[to.block].origin == Origin::Carried(*var);
            carried
                || self.is_copy_to(value, &to.clone())
                || (self.whole(part, own, *value, at) && self.whole(part, own, *var, at))
        })
    }

    /// Everything that a statement makes.
    fn pats(&mut self, part: &Part<'_>, stm: &Stm, body: BodyId) -> bool {
        let at = self.at(stm, body);
        stm.pat.iter().all(|var| self.whole(part, &Own::new(), *var, at))
    }

    /// The function of an operator at one position.
    fn elements(
        &mut self,
        part: &Part<'_>,
        own: &Own,
        stm: &'a Stm,
        inputs: &[Var],
        map: &'a Lambda,
    ) -> bool {
        let index = self.table.index(&stm.pat, map);
        let start = self.at(stm, self.here).when;
        let id = self.nest.id(&map.body);
        self.inside(id, |this| {
            let start = At { body: id, when: start };
            let end = this.end(id);
            let mut inputs = map.params.iter().zip(inputs);
            inputs.all(|(param, input)| {
                // Rows are views.
                this.vars[*param].ty.is_array()
                    || this.part_of(part, own, *input, start, |lmad| lmad.fix(&[Poly::var(index)]))
            }) && this.stms(part, own, &map.body, id)
                // Others are written by then.
                && map.body.results.iter().all(|atom| this.operand(part, &Own::new(), *atom, end))
        })
    }

    /// A map that writes elements of its own at each position; those of the last dimension are its.
    fn map(&mut self, part: &Part<'_>, mut own: Own, stm: &'a Stm, op: &'a Screma) -> bool {
        if let Some((_, index)) = own.last_mut() {
            *index = self.table.index(&stm.pat, &op.map);
        }
        self.elements(part, &own, stm, &op.inputs, &op.map)
    }

    /// The operator of a reduction or the like.
    fn function(&mut self, part: &Part<'_>, own: &Own, lambda: &'a Lambda) -> bool {
        let id = self.nest.id(&lambda.body);
        self.inside(id, |this| {
            let end = this.end(id);
            this.stms(part, own, &lambda.body, id)
                && lambda.body.results.iter().all(|atom| this.operand(part, own, *atom, end))
        })
    }

    /// A Seg at a position of what is around it, and where what it makes is if that is the array.
    fn seg(
        &mut self,
        part: &Part<'_>,
        around: &Own,
        stm: &'a Stm,
        seg: &'a Seg,
        made: Option<&Lmad>,
        body: BodyId,
    ) -> bool {
        if !self.pats(part, stm, body) {
            return false;
        }
        let indices: Vec<Poly> = seg.indices().iter().map(|index| Poly::var(*index)).collect();
        let mut own = Own::new();
        let stms = seg.body.body.stms.as_slice();
        // What writes the array, at each position its own element: the operator, or the finish of a segment.
        let Some(parts) = seg.parts() else { return false };
        let (writers, is_operator) = match parts.after {
            After::Nothing => (1, true),
            After::Epilogue(_) => (0, true),
            After::Finish(stms) => (stms.len(), false),
        };
        if let (Some(lmad), None, 1..) = (made, seg.rows, writers) {
            for (dim, index) in seg.indices().iter().enumerate() {
                let Some(rest) = lmad.fix(&indices[..dim]) else { return false };
                own.push((rest, *index));
            }
            if is_operator {
                let Some(rest) = lmad.fix(&indices) else { return false };
                own.push((rest, Var::from_index(0)));
            }
        }
        let start = self.at(stm, body).when;
        let id = self.nest.id(&seg.body.body);
        self.inside(id, |this| {
            let start = At { body: id, when: start };
            let mut inputs = seg.elements().iter().zip(&seg.inputs);
            let writers = if own.is_empty() { 0 } else { writers };
            let (before, writers) = stms.split_at(stms.len() - writers);
            inputs.all(|(param, input)| {
                this.vars[*param].ty.is_array()
                    || this.part_of(part, around, *input, start, |lmad| lmad.fix(&indices))
            }) && before.iter().all(|stm| this.stm(part, around, stm, id))
                && match is_operator {
                    true => writers.iter().all(|stm| this.operator(part, own.clone(), stm, id)),
                    false => writers.iter().all(|stm| this.stm(part, &own, stm, id)),
                }
        })
    }

    /// The operator of a Seg that makes the array.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others write before they have read all"
    )]
    fn operator(&mut self, part: &Part<'_>, own: Own, stm: &'a Stm, body: BodyId) -> bool {
        match &stm.exp {
            Exp::Screma(op) if is_map(op) => self.map(part, own, stm, op),
            Exp::Copy(array) | Exp::Manifest(array) => {
                let mine = own.last().map(|(lmad, _)| lmad.clone());
                let to = mine.map(|lmad| Place { block: part.place.block, lmad });
                to.is_some_and(|to| self.is_copy_to(array, &to))
                    || self.stm(part, &Own::new(), stm, body)
            }
            _ => self.stm(part, &Own::new(), stm, body),
        }
    }

    fn operand(&mut self, part: &Part<'_>, own: &Own, atom: Atom, at: At) -> bool {
        atom.var().is_none_or(|var| self.whole(part, own, var, at))
    }

    /// All elements of an array.
    fn whole(&mut self, part: &Part<'_>, own: &Own, var: Var, at: At) -> bool {
        self.part_of(part, own, var, at, |lmad| Some(lmad.clone()))
    }

    /// Some elements of an array.
    fn part_of(
        &mut self,
        part: &Part<'_>,
        own: &Own,
        var: Var,
        at: At,
        which: impl FnOnce(&Lmad) -> Option<Lmad>,
    ) -> bool {
        if matches!(self.vars[var].ty, Type::Acc(_)) {
            return false;
        }
        if !self.may_be_in(part, var) {
            return true;
        }
        let Some(place) = self.table.place(var) else { return true };
        if place.block != part.place.block {
            return false;
        }
        let Some(lmad) = which(&place.lmad) else { return false };
        self.apart(&lmad, &part.place.lmad, at)
            || (!own.is_empty()
                && own.iter().all(|(all, index)| self.others(&lmad, all, *index, at)))
    }

    /// Whether two sets are disjoint by what is known here.
    fn apart(&mut self, a: &Lmad, b: &Lmad, at: At) -> bool {
        let certs = prove_disjoint(a, b, self.known.ranges());
        certs.is_some_and(|certs| {
            certs.iter().all(|cert| self.nest.is_known(*cert, at.body, at.when))
        })
    }

    /// Whether a set has nothing of the elements of an array at other positions than one.
    fn others(&mut self, set: &Lmad, all: &Lmad, index: Var, at: At) -> bool {
        let other = Var::from_index(self.vars.len());
        let (this, that) = (Poly::var(index), Poly::var(other));
        let Some(last) = all.dims.first().and_then(|dim| dim.size.plus(-1)) else { return false };
        let Some(element) = all.fix(std::slice::from_ref(&that)) else { return false };
        [(&this, &that), (&that, &this)].into_iter().all(|(low, high)| {
            let mark = self.known.enter();
            let ranges = self.known.ranges();
            let bounds =
                [Some(that.clone()), last.sub(&that), high.sub(low).and_then(|d| d.plus(-1))];
            for bound in bounds.into_iter().flatten() {
                ranges.assume_nonneg(&bound, &fehu_facts::ranges::Certs::new());
            }
            let apart = self.apart(set, &element, at);
            self.known.leave(mark);
            apart
        })
    }
}

/// Whether all of a Seg is over before whoever meets it goes on: one thread executes it, or waits for its tasks, or the
/// threads of a block wait for one another.
fn is_over_after(level: Level) -> bool {
    match level {
        Level::Task | Level::Thread | Level::Block => true,
        Level::Grid | Level::Blocks | Level::Warps => false,
    }
}

/// Whether an operator is a map and nothing else.
fn is_map(op: &Screma) -> bool {
    op.scans.is_empty() && op.reds.is_empty()
}
