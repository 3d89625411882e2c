//! Branches that differ between positions.
//!
//! The positions that take a branch are a space of their own: they are selected, and what is computed for them is
//! written back to where they came from. So nobody waits for others that have nothing to do.

use super::ops::BOOL;
use super::space::{Around, Home, Space, array_of, numbers};
use super::{Irregular, Lifted, stays};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, Partition, Scatter, Screma, Stm, Switch, Type, Var, VarInfo,
};

impl Irregular<'_> {
    /// The numbers of the positions at which a condition holds, and then of the others; how many the first are.
    fn divided(&mut self, conds: Var, space: usize) -> (Var, Atom) {
        self.in_classes(conds, 2, space)
    }

    /// Likewise, without the others.
    pub(super) fn selected(&mut self, conds: Var, space: usize) -> (Var, Atom) {
        self.in_classes(conds, 1, space)
    }

    fn in_classes(&mut self, conds: Var, classes: usize, space: usize) -> (Var, Atom) {
        self.settle();
        let count = self.spaces[space].count;
        let iota = Exp::Iota(Prim::I64, count, Atom::i64(0), Atom::i64(1));
        let positions = self.bind("positions", numbers(count), iota);
        let mut b = Builder::new(self.vars);
        let params = vec![("cond".into(), BOOL), ("at".into(), Type::I64)];
        let map = b.lambda(params, vec![Type::I64, Type::I64], |b, params| {
            let yes = Body::of(vec![Atom::i64(0)]);
            let no = Body::of(vec![Atom::i64(1)]);
            let exp = Exp::If(params[0].into(), Box::new([yes, no]));
            vec![b.typed("class", Type::I64, exp).into(), params[1].into()]
        });
        let inputs = vec![conds, positions];
        let op = Partition { width: count, classes, inputs, map };
        let mut new = |hint: &str, ty| self.vars.push(VarInfo { hint: hint.into(), ty });
        let mut pat = vec![new("yes", Type::I64)];
        if classes == 2 {
            pat.push(new("no", Type::I64));
        }
        pat.push(new("order", numbers(count)));
        let (yes, order) = (pat[0], pat[classes]);
        self.out.push(Stm::new(pat, Exp::Partition(Box::new(op))));
        (order, yes.into())
    }

    /// Consecutive positions of such an order, as a space.
    pub(super) fn part(
        &mut self,
        order: Var,
        start: Atom,
        len: Atom,
        space: usize,
    ) -> (usize, Var) {
        let dims = vec![Dim::Slice { start, len, stride: Atom::i64(1) }];
        let part = self.bind("part", numbers(len), Exp::Index(order, dims));
        self.spaces.push(Space { count: len, around: Some(Around::Some(space, part)) });
        (self.spaces.len() - 1, part)
    }

    /// Writes what some positions have to an array of all positions.
    pub(super) fn put(&mut self, dest: Var, order: Var, values: Var, count: Atom) -> Var {
        let ty = self.vars[dest].ty.clone();
        let row = ty.row().or_bug("the elements of an array");
        let map = self.identity(&[Type::I64, row]);
        let dests = vec![(vec![ty.shape()[0]], dest)];
        let op = Scatter { width: count, inputs: vec![order, values], map, dests };
        self.bind("merged", ty, Exp::Scatter(Box::new(op)))
    }

    /// An array for a value of each position of a space, not written yet.
    fn empty(&mut self, ty: &Type, space: usize) -> Var {
        let ty = array_of(ty, self.spaces[space].count);
        let elem = ty.elem().or_bug("the elements of an array");
        self.bind("all", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec()))
    }

    pub(super) fn branch(
        &mut self,
        stm: &Stm,
        cond: Atom,
        bodies: &[Body; 2],
        space: usize,
    ) -> Lifted<()> {
        let conds = self.stored(cond, space);
        let (order, yes) = self.divided(conds, space);
        let count = self.spaces[space].count;
        let no = self.number("no", Exp::BinOp(BinOp::Sub, count, yes));
        let parts = [self.part(order, Atom::i64(0), yes, space), self.part(order, yes, no, space)];
        for (body, (part, _)) in bodies.iter().zip(&parts) {
            self.own_in_branch(body, *part);
            self.body(body, *part)?;
        }
        for (k, var) in stm.pat.iter().enumerate() {
            let ty = self.vars[*var].ty.clone();
            let results = [0, 1].map(|branch: usize| (bodies[branch].results[k], parts[branch]));
            if matches!(ty, Type::Acc(_)) {
                // The second branch went on with what the first one had.
            } else if ty == Type::CERT {
                self.homes.insert((*var, space), Home::Passed);
            } else if self.labels.is_regular(&ty) {
                let values = results.map(|(result, (part, order))| {
                    (self.stored(result, part), order, self.spaces[part].count)
                });
                let merged = self.merged(&ty, values, space);
                self.homes.insert((*var, space), Home::Stored(merged));
            } else {
                let home = self.merged_rows(self.common(&ty), results, space);
                self.homes.insert((*var, space), home);
            }
        }
        self.leave(parts[0].0);
        Ok(())
    }

    /// A choice of several cases is one of two, of which the second is another choice.
    pub(super) fn switch(
        &mut self,
        stm: &Stm,
        value: Atom,
        switch: &Switch,
        space: usize,
    ) -> Lifted<()> {
        let Some(((case, body), rest)) = switch.cases.split_first() else {
            return Err(stays("it has only one case", stm));
        };
        let cond = self.local("cond", BOOL);
        let test = Stm::new(vec![cond], Exp::CmpOp(CmpOp::Eq, value, Atom::Const(*case)));
        self.homes.insert((cond, space), Home::Repeated(test));
        let others = match rest.is_empty() {
            true => switch.default.clone(),
            false => {
                let default = switch.default.clone();
                let rest = Box::new(Switch { cases: rest.to_vec(), default });
                let other = Stm { exp: Exp::Switch(value, rest), ..stm.clone() };
                let other = fehu_ir::subst::copy_stm(&other, self.vars);
                let results = other.pat.iter().map(|var| Atom::Var(*var)).collect();
                Body { stms: vec![other], results }
            }
        };
        self.branch(stm, cond.into(), &[body.clone(), others], space)
    }

    /// What two parts have, together.
    fn merged(&mut self, ty: &Type, values: [(Var, Var, Atom); 2], space: usize) -> Var {
        let dest = self.empty(ty, space);
        values
            .into_iter()
            .fold(dest, |dest, (values, order, count)| self.put(dest, order, values, count))
    }

    /// The rows of two parts, one array after the other.
    fn merged_rows(
        &mut self,
        common: usize,
        results: [(Atom, (usize, Var)); 2],
        space: usize,
    ) -> Home {
        let mut both = Vec::new();
        let mut before = Atom::i64(0);
        for (result, (part, order)) in results {
            let (data, start) = self.as_row(result, common, part);
            let starts = self.stored(start.into(), part);
            let starts = self.shifted(starts, before, part);
            both.push((data, (starts, order, self.spaces[part].count)));
            let size = self.vars[data].ty.shape()[0];
            before = self.number("before", Exp::BinOp(BinOp::Add, before, size));
        }
        let arrays: Vec<Var> = both.iter().map(|(data, _)| *data).collect();
        let inner = self.vars[arrays[0]].ty.row().or_bug("the elements of an array");
        let data = self.bind("all", array_of(&inner, before), Exp::Concat(before, arrays));
        let starts = [both[0].1, both[1].1];
        let starts = self.merged(&Type::I64, starts, space);
        let start = self.local("start", Type::I64);
        self.homes.insert((start, space), Home::Stored(starts));
        Home::Row(data, start)
    }

    /// Numbers that are larger by something.
    pub(super) fn shifted(&mut self, numbers_of: Var, by: Atom, space: usize) -> Var {
        let width = self.spaces[space].count;
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("start".into(), Type::I64)], vec![Type::I64], |b, params| {
            vec![b.exp("start", Exp::BinOp(BinOp::Add, params[0].into(), by)).into()]
        });
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width, inputs: vec![numbers_of], map, scans, reds };
        self.bind("starts", numbers(width), Exp::Screma(Box::new(op)))
    }
}
