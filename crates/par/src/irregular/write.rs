//! Scatters and histograms: what positions write to their own arrays is written to one array that has all of them.

use super::rows::position;
use super::space::{Home, RowsOf, array_of, numbers};
use super::{Applied, Irregular, Lifted, apply, stays};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Exp, Hist, HistOp, Lambda, Scatter, Screma, Stm, Type, Var, VarInfo,
};

/// Where the array is that a position writes to.
#[derive(Clone)]
enum Dest {
    /// A row of this array, from a start on, with these sizes of its own.
    Row(Var, Var, Vec<Atom>),
    /// An element of this array.
    Each(Var),
}

impl Dest {
    fn array(&self) -> Var {
        match self {
            Dest::Row(array, ..) | Dest::Each(array) => *array,
        }
    }
}

impl Irregular<'_> {
    pub(super) fn scatter(&mut self, stm: &Stm, op: &Scatter, space: usize) -> Lifted<()> {
        if self.has_parts(&op.map) {
            return self.after_map(stm, space);
        }
        let mut dests = Vec::new();
        for (shape, dest) in &op.dests {
            dests.push((shape.clone(), self.dest(stm, shape, *dest, space)?));
        }
        let rows = self.rows_of(op.width, space);
        let arrays = self.places((&op.inputs, &op.map), &dests, space, &rows);
        let outer: Vec<(Vec<Atom>, Var)> = dests
            .iter()
            .map(|(shape, dest)| (self.outer(shape, dest, space), dest.array()))
            .collect();
        let types: Vec<Type> =
            arrays.iter().filter_map(|array| self.vars[*array].ty.row()).collect();
        let map = self.identity(&types);
        let all: Vec<Dest> = dests.into_iter().map(|(_, dest)| dest).collect();
        let op = Scatter { width: rows.total, inputs: arrays, map, dests: outer };
        self.written(stm, &all, Exp::Scatter(Box::new(op)), space);
        Ok(())
    }

    pub(super) fn hist(&mut self, stm: &Stm, op: &Hist, space: usize) -> Lifted<()> {
        if self.has_parts(&op.map) {
            return self.after_map(stm, space);
        }
        let (mut dests, mut all) = (Vec::new(), Vec::new());
        for hist in &op.ops {
            let mut found = Vec::new();
            for dest in &hist.dests {
                found.push(self.dest(stm, &hist.shape, *dest, space)?);
            }
            let first = found.first().or_bug("the bins of a histogram");
            dests.push((hist.shape.clone(), first.clone()));
            all.push(found);
        }
        let rows = self.rows_of(op.width, space);
        let arrays = self.places((&op.inputs, &op.map), &dests, space, &rows);
        let mut ops = Vec::new();
        for (hist, found) in op.ops.iter().zip(&all) {
            let shape = self.outer(&hist.shape, &found[0], space);
            let dests = found.iter().map(|dest| dest.array()).collect();
            ops.push(HistOp { shape, dests, ..hist.clone() });
        }
        let types: Vec<Type> =
            arrays.iter().filter_map(|array| self.vars[*array].ty.row()).collect();
        let map = self.identity(&types);
        let all: Vec<Dest> = all.into_iter().flatten().collect();
        let op = Hist { width: rows.total, inputs: arrays, map, ops };
        self.written(stm, &all, Exp::Hist(Box::new(op)), space);
        Ok(())
    }

    /// An operator after a map that does what its function does.
    pub(super) fn after_map(&mut self, stm: &Stm, space: usize) -> Lifted<()> {
        let Applied { width, inputs, map } =
            Applied::of(&stm.exp).or_bug("an operator with a function");
        let mut arrays = Vec::with_capacity(map.ret.len());
        for ty in &map.ret {
            arrays.push(self.local("elems", array_of(ty, width)));
        }
        let exp = apply(&stm.exp, arrays.clone(), self.identity(&map.ret));
        let (inputs, map) = (inputs.to_vec(), map.clone());
        let op = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        let first = Stm { pat: arrays, exp: Exp::Screma(Box::new(op)), ..stm.clone() };
        let stms = vec![first, Stm { exp, ..stm.clone() }];
        let results = stm.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.body(&Body { stms, results }, space)
    }

    /// Where an array is that is consumed.
    fn dest(&mut self, stm: &Stm, shape: &[Atom], dest: Var, space: usize) -> Lifted<Dest> {
        let ty = self.vars[dest].ty.clone();
        let home = match self.labels.is_avoided(dest.into()) {
            true => None,
            false => Some(self.home(dest, space)),
        };
        let (data, start) = match home {
            Some(Home::Row(data, start)) => (data, start),
            Some(Home::Repeated(_)) if !self.labels.is_regular(&ty) => {
                self.as_row(dest.into(), self.common(&ty), space)
            }
            Some(Home::Stored(_) | Home::Repeated(_) | Home::Passed) | None => {
                let array = self.stored(dest.into(), space);
                return Ok(Dest::Each(self.owned(dest, array)));
            }
        };
        let own = ty.rank() - (self.vars[data].ty.rank() - 1);
        if shape.len() < own {
            return Err(stays("it writes rows whose sizes differ", stm));
        }
        Ok(Dest::Row(self.owned(dest, data), start, shape[..own].to_vec()))
    }

    /// The sizes of what is indexed in the array of all positions.
    fn outer(&self, shape: &[Atom], dest: &Dest, space: usize) -> Vec<Atom> {
        match dest {
            Dest::Row(data, _, own) => {
                self.vars[*data].ty.shape()[..1 + shape.len() - own.len()].to_vec()
            }
            Dest::Each(_) => [&[self.spaces[space].count], shape].concat(),
        }
    }

    /// The places and values that all positions of all rows write: arrays of the host.
    fn places(
        &mut self,
        (inputs, map): (&[Var], &Lambda),
        dests: &[(Vec<Atom>, Dest)],
        space: usize,
        rows: &RowsOf,
    ) -> Vec<Var> {
        let here = self.here(space);
        let mut map = self.with_own_params(map);
        let count: usize = dests.iter().map(|(shape, _)| shape.len()).sum();
        let (places, values) = map.body.results.split_at(count);
        let mut places = places.iter();
        let mut b = Builder::new(self.vars);
        let flat = b.body(|b| {
            let mut flat = Vec::new();
            for (shape, dest) in dests {
                let own: Vec<Atom> = places.by_ref().take(shape.len()).copied().collect();
                match dest {
                    Dest::Row(_, start, sizes) => {
                        let (own, inner) = own.split_at(sizes.len());
                        flat.push(in_row(own, *start, sizes, b));
                        flat.extend(inner);
                    }
                    Dest::Each(_) => {
                        flat.push(here.into());
                        flat.extend(own);
                    }
                }
            }
            flat
        });
        let values = values.to_vec();
        let types = map.ret.split_off(count);
        map.ret = vec![Type::I64; flat.results.len()];
        map.ret.extend(types);
        map.body.stms.extend(flat.stms);
        map.body.results = [flat.results, values].concat();
        self.row_map(map, inputs, space, rows)
    }

    /// The number of a position of a space, as a variable of it.
    fn here(&mut self, space: usize) -> Var {
        let count = self.spaces[space].count;
        let iota = Exp::Iota(Prim::I64, count, Atom::i64(0), Atom::i64(1));
        let all = self.bind("positions", numbers(count), iota);
        let here = self.local("here", Type::I64);
        self.homes.insert((here, space), Home::Stored(all));
        here
    }

    /// The operator of the host that writes, and where its results are.
    fn written(&mut self, stm: &Stm, dests: &[Dest], exp: Exp, space: usize) {
        let mut pat = Vec::new();
        for (dest, var) in dests.iter().zip(&stm.pat) {
            let info = self.vars[dest.array()].clone();
            let new = self.vars.push(VarInfo { hint: "all".into(), ..info });
            let home = match dest {
                Dest::Row(_, start, _) => Home::Row(new, *start),
                Dest::Each(_) => Home::Stored(new),
            };
            self.homes.insert((*var, space), home);
            pat.push(new);
        }
        let stm = Stm { loc: stm.loc.clone(), ..Stm::new(pat, exp) };
        // What is inside has variables of its own.
        let copy = fehu_ir::subst::copy_stm(&stm, self.vars);
        self.out.push(Stm { pat: stm.pat, ..copy });
    }
}

/// A place in a row, counted from the start of all rows; those outside of the row are outside of all.
fn in_row(place: &[Atom], start: Var, sizes: &[Atom], b: &mut Builder<'_>) -> Atom {
    let mut inside: Option<Atom> = None;
    for (place, size) in place.iter().zip(sizes) {
        let low = b.exp("low", Exp::CmpOp(CmpOp::Le, Atom::i64(0), *place));
        let high = b.exp("high", Exp::CmpOp(CmpOp::Lt, *place, *size));
        let both = b.exp("inside", Exp::BinOp(BinOp::And, low.into(), high.into())).into();
        inside = Some(match inside {
            None => both,
            Some(others) => b.exp("inside", Exp::BinOp(BinOp::And, others, both)).into(),
        });
    }
    let yes = b.body(|b| {
        let place = position(place, sizes, b);
        vec![b.exp("at", Exp::BinOp(BinOp::Add, place, start.into())).into()]
    });
    let exp = Exp::If(
        inside.or_bug("a dimension of a row"),
        Box::new([yes, Body::of(vec![Atom::i64(-1)])]),
    );
    b.typed("at", Type::I64, exp).into()
}
