//! Versions in which a warp or a block of threads executes the function at each position.
//!
//! The threads share the elements of a row, and rows that operators pass to each other do not leave the block. For these there is
//! room for the longest row: `min width longest` is what each position calls its width.

use super::version::First;
use super::{Irregular, function, function_mut};
use crate::block::{block_widths, is_view};
use crate::seg::Segs;
use fehu_base::IdVec;
use fehu_ir::subst::{Subst, copy_stm, subst_body};
use fehu_ir::{Atom, BinOp, Body, Exp, Lambda, Level, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Where a function binds a variable: by its parameter of this number, or by a statement, as its result of this number.
#[derive(Clone, Copy)]
enum Place {
    Param(usize),
    Stm(usize, usize),
}

impl Place {
    /// Nothing if arrays of this size are bound at the same place.
    fn of(var: Var, function: &Lambda, vars: &IdVec<Var, VarInfo>) -> Option<Place> {
        let number = |of: &[Var]| {
            let has_size = |other: &Var| vars[*other].ty.shape().contains(&var.into());
            of.iter().position(|other| *other == var).filter(|_| !of.iter().any(has_size))
        };
        let in_stm = |(k, stm): (usize, &Stm)| number(&stm.pat).map(|of| Place::Stm(k, of));
        let stms = || function.body.stms.iter().enumerate().find_map(in_stm);
        number(&function.params).map(Place::Param).or_else(stms)
    }
}

impl Irregular<'_> {
    /// Both versions of a map, as bodies of the host; nothing if the function does more than blocks can do, or has
    /// arrays of other sizes than its first operator.
    pub(super) fn by_members(&mut self, map: &Stm, first: &First) -> Vec<Body> {
        let Exp::Screma(op) = &map.exp else { return Vec::new() };
        let Some(place) = Place::of(first.width, &op.map, self.vars) else { return Vec::new() };
        let is_array = |var: &Var| matches!(self.vars[*var].ty, Type::Array(..));
        let known = |atom: Atom| atom == first.width.into() || self.labels.is_avoided(atom);
        let fits = first.is_of_all()
            && op.folded() == 0
            && op.inputs.iter().all(is_array)
            && block_widths(&op.map.body, self.vars, self.hosted, &known).is_some();
        if !fits {
            return Vec::new();
        }
        let levels = [Level::Warps, Level::Blocks];
        levels.map(|level| self.by_members_of(map, place, first.longest, level)).to_vec()
    }

    /// A copy of a map for threads of a level.
    fn by_members_of(&mut self, map: &Stm, place: Place, longest: Atom, level: Level) -> Body {
        let mut stm = copy_stm(map, self.vars);
        self.bound_width(&mut stm, place, longest);
        let equal = FxHashMap::default();
        let (prog, hosted) = (self.prog, self.hosted);
        let mut segs = Segs { prog, vars: self.vars, hosted, equal: &equal };
        if let Exp::Screma(op) = &mut stm.exp {
            segs.of_block(&mut op.map.body.stms);
        }
        let stm = segs.code(stm, 1, level);
        let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        Body { stms: vec![stm], results }
    }

    /// The width of the rows of a map gets a bound.
    fn bound_width(&mut self, map: &mut Stm, place: Place, longest: Atom) {
        let Some(function) = function_mut(&mut map.exp) else { return };
        let body = &mut function.body;
        let (width, next) = match place {
            Place::Param(k) => (function.params[k], 0),
            Place::Stm(k, number) => (body.stms[k].pat[number], k + 1),
        };
        let results = std::mem::take(&mut body.results);
        let mut rest = Body { stms: body.stms.split_off(next), results };
        let bounded = self.vars.push(self.vars[width].clone());
        subst_body(&mut rest, self.vars, &Subst::from_iter([(width, bounded.into())]));
        let exp = Exp::BinOp(BinOp::Min, width.into(), longest);
        body.stms.push(Stm::new(vec![bounded], exp));
        body.stms.append(&mut rest.stms);
        body.results = rest.results;
    }

    /// Likewise, of a copy of a map that one thread executes for each position, if it makes arrays of that size: so the
    /// host knows how much memory each thread needs. Whether it does.
    pub(super) fn bound_rows(&mut self, map: &Stm, copy: &mut Stm, first: &First) -> bool {
        let Some(function) = function(&map.exp) else { return false };
        let Some(place) = Place::of(first.width, function, self.vars) else { return false };
        if !first.is_of_all() {
            return false;
        }
        let makes = function.body.stms.iter().any(|stm| {
            let sizes = |var: &Var| self.vars[*var].ty.shape().contains(&first.width.into());
            !is_view(&stm.exp) && stm.pat.iter().any(sizes)
        });
        if makes {
            self.bound_width(copy, place, first.longest);
        }
        makes
    }
}
