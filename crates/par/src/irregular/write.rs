//! Scatters and histograms: what positions write to their own arrays is written to one array that has all of them.

use super::space::{Home, RowsOf, numbers};
use super::{Irregular, Lifted, irregular_in, stays};
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Exp, Hist, HistOp, Lambda, Scatter, Stm, Type, Var, VarInfo,
};

/// Where the array is that a position writes to.
#[derive(Clone, Copy)]
enum Dest {
    /// A row of this array, from a start on, and so long.
    Row(Var, Var, Atom),
    /// An element of this array.
    Each(Var),
}

impl Dest {
    fn array(self) -> Var {
        match self {
            Dest::Row(array, ..) | Dest::Each(array) => array,
        }
    }
}

impl Irregular<'_> {
    pub(super) fn scatter(&mut self, stm: &Stm, op: &Scatter, space: usize) -> Lifted<()> {
        let mut dests = Vec::new();
        for (shape, dest) in &op.dests {
            dests.push((shape.clone(), self.dest(stm, shape, *dest, space)?));
        }
        let rows = self.rows_of(op.width, space);
        let arrays = self.places(stm, (&op.inputs, &op.map), &dests, space, &rows)?;
        let outer: Vec<(Vec<Atom>, Var)> = dests
            .iter()
            .map(|(shape, dest)| (self.outer(shape, *dest, space), dest.array()))
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
        let (mut dests, mut all) = (Vec::new(), Vec::new());
        for hist in &op.ops {
            let mut found = Vec::new();
            for dest in &hist.dests {
                found.push(self.dest(stm, &hist.shape, *dest, space)?);
            }
            let Some(first) = found.first() else { return Err(stays("it has no bins", stm)) };
            dests.push((hist.shape.clone(), *first));
            all.push(found);
        }
        let rows = self.rows_of(op.width, space);
        let arrays = self.places(stm, (&op.inputs, &op.map), &dests, space, &rows)?;
        let mut ops = Vec::new();
        for (hist, found) in op.ops.iter().zip(&all) {
            let shape = self.outer(&hist.shape, found[0], space);
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

    fn dest(&mut self, stm: &Stm, shape: &[Atom], dest: Var, space: usize) -> Lifted<Dest> {
        if self.labels.is_avoided(dest.into()) {
            return Err(stays("it writes to an array that is not its own", stm));
        }
        match (self.home(dest, space), shape) {
            (Home::Row(data, start), [size]) => Ok(Dest::Row(data, start, *size)),
            (Home::Stored(array), _) => Ok(Dest::Each(array)),
            (Home::Row(..) | Home::Repeated(_) | Home::Passed, _) => {
                Err(stays("it writes to several dimensions of an array whose sizes differ", stm))
            }
        }
    }

    /// The sizes of what is indexed in the array of all positions.
    fn outer(&self, shape: &[Atom], dest: Dest, space: usize) -> Vec<Atom> {
        match dest {
            Dest::Row(data, ..) => vec![self.vars[data].ty.shape()[0]],
            Dest::Each(_) => [&[self.spaces[space].count], shape].concat(),
        }
    }

    /// The places and values that all positions of all rows write: arrays of the host.
    fn places(
        &mut self,
        stm: &Stm,
        (inputs, map): (&[Var], &Lambda),
        dests: &[(Vec<Atom>, Dest)],
        space: usize,
        rows: &RowsOf,
    ) -> Lifted<Vec<Var>> {
        if irregular_in(&map.body, &self.labels).is_some() {
            return Err(stays("the function of what is written has parallelism of its own", stm));
        }
        let here = self.here(space);
        let mut map = map.clone();
        let count: usize = dests.iter().map(|(shape, _)| shape.len()).sum();
        let (places, values) = map.body.results.split_at(count);
        let mut places = places.iter();
        let mut b = Builder::new(self.vars);
        let flat = b.body(|b| {
            let mut flat = Vec::new();
            for (shape, dest) in dests {
                let own: Vec<Atom> = places.by_ref().take(shape.len()).copied().collect();
                match (dest, own.as_slice()) {
                    (Dest::Row(_, start, size), [place]) => {
                        flat.push(in_row(*place, *start, *size, b));
                    }
                    (Dest::Row(..) | Dest::Each(_), _) => {
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
        Ok(self.row_map(map, inputs, space, rows))
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
fn in_row(place: Atom, start: Var, size: Atom, b: &mut Builder<'_>) -> Atom {
    let low = b.exp("low", Exp::CmpOp(CmpOp::Le, Atom::i64(0), place));
    let high = b.exp("high", Exp::CmpOp(CmpOp::Lt, place, size));
    let both = b.exp("inside", Exp::BinOp(BinOp::And, low.into(), high.into()));
    let yes = b.body(|b| vec![b.exp("at", Exp::BinOp(BinOp::Add, place, start.into())).into()]);
    let exp = Exp::If(both.into(), Box::new([yes, Body::of(vec![Atom::i64(-1)])]));
    b.typed("at", Type::I64, exp).into()
}
