//! Updates in place, and whose memory arrays of the host are.
//!
//! An update consumes its array, so that nobody uses it afterwards at any position. The rows of all positions are in
//! one array of the host, which is then written in place, unless that array is also where something else is to be
//! found.

use super::Irregular;
use super::rows::{coordinates, inner_type, position};
use super::space::{Home, whole};
use fehu_base::OrBug;
use fehu_facts::consumed;
use fehu_ir::builder::Builder;
use fehu_ir::free::{free_in_body, free_in_lambda, free_in_stm};
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{Atom, BinOp, Body, Dim, Exp, Lambda, Scatter, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashSet;

impl Irregular<'_> {
    /// An array of the host with the values of a variable that is consumed, in memory that nothing else refers to.
    pub(super) fn owned(&mut self, var: Var, array: Var) -> Var {
        let others = |((other, _), home): (&(Var, usize), &Home)| match home {
            Home::Stored(data) | Home::Row(data, _) => *data == array && *other != var,
            Home::Repeated(_) | Home::Passed => false,
        };
        if !self.given.contains(&array) && !self.homes.iter().any(others) {
            return array;
        }
        let ty = self.vars[array].ty.clone();
        self.bind("own", ty, Exp::Copy(array))
    }

    /// Statements that update only what is their own, among the arrays that they are given.
    pub(super) fn with_own_arrays(&mut self, mut stms: Vec<Stm>, space: usize) -> Vec<Stm> {
        let bound: FxHashSet<Var> = stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let mut updated = Vec::new();
        for stm in &stms {
            let changed: Vec<Option<usize>> =
                consumed(self.prog, stm).iter().map(|var| self.share.class(*var)).collect();
            for var in free_in_stm(stm, self.vars) {
                if self.vars[var].ty.is_array()
                    && changed.contains(&self.share.class(var))
                    && !bound.contains(&var)
                    && !updated.contains(&var)
                {
                    updated.push(var);
                }
            }
        }
        let mut copies = Vec::new();
        let mut renamed = Subst::default();
        for var in updated {
            if !self.labels.is_avoided(var.into())
                && let Home::Stored(array) = self.home(var, space)
            {
                let own = self.owned(var, array);
                self.homes.insert((var, space), Home::Stored(own));
                continue;
            }
            let VarInfo { hint, ty } = self.vars[var].clone();
            let own = self.local(&hint, ty);
            copies.push(Stm::new(vec![own], Exp::Copy(var)));
            renamed.insert(var, own.into());
        }
        if copies.is_empty() {
            return stms;
        }
        stms.iter_mut().for_each(|stm| subst_stm(stm, self.vars, &renamed));
        copies.extend(stms);
        copies
    }

    /// Gives the positions that take a branch arrays of their own, if the branch updates some of those around it.
    pub(super) fn own_in_branch(&mut self, body: &Body, part: usize) {
        let changed: FxHashSet<usize> = (body.stms.iter())
            .flat_map(|stm| consumed(self.prog, stm))
            .filter_map(|var| self.share.class(var))
            .collect();
        for var in free_in_body(body, self.vars) {
            let is_changed = self.share.class(var).is_some_and(|class| changed.contains(&class));
            if !is_changed || self.labels.is_avoided(var.into()) || !self.vars[var].ty.is_array() {
                continue;
            }
            let copy = |this: &mut Self, array: Var| {
                let ty = this.vars[array].ty.clone();
                this.bind("own", ty, Exp::Copy(array))
            };
            let home = match self.home(var, part) {
                Home::Stored(array) => Home::Stored(copy(self, array)),
                Home::Row(array, start) => Home::Row(copy(self, array), start),
                home @ (Home::Repeated(_) | Home::Passed) => home,
            };
            self.homes.insert((var, part), home);
        }
    }

    /// An element, a row or a slice of an irregular array gets new values.
    pub(super) fn update(
        &mut self,
        stm: &Stm,
        array: Var,
        dims: &[Dim],
        value: Atom,
        space: usize,
    ) {
        let var = *stm.pat.first().or_bug("what a statement binds");
        let ty = self.vars[array].ty.clone();
        let (data, start) = self.as_row(array.into(), self.common(&ty), space);
        let common = self.vars[data].ty.rank() - 1;
        let row = inner_type(&ty, common);
        let sizes = &ty.shape()[..ty.rank() - common];
        let mut all = dims.to_vec();
        all.extend(ty.shape()[dims.len()..].iter().map(|size| whole(*size)));
        let (own, inner) = all.split_at(sizes.len());
        let lens: Vec<Atom> = own.iter().filter_map(len_of).collect();
        // What a position of the slice gets.
        let part: Vec<Atom> = inner.iter().filter_map(len_of).collect();
        let elem = ty.elem().or_bug("the elements of an array");
        let part = if part.is_empty() { Type::Scalar(elem) } else { Type::array(elem, part) };
        let values = match value {
            Atom::Var(array) if !lens.is_empty() => Some(self.flat_view(array, part.rank(), space)),
            Atom::Var(_) | Atom::Const(_) => None,
        };
        let written = |b: &mut Builder<'_>, at: Option<Atom>| {
            let indices = match at {
                Some(at) => coordinates(at, &lens, b),
                None => Vec::new(),
            };
            let mut indices = indices.into_iter();
            let place: Vec<Atom> = own.iter().map(|dim| index_in(dim, &mut indices, b)).collect();
            let place = position(&place, sizes, b);
            let place = b.exp("place", Exp::BinOp(BinOp::Add, start.into(), place)).into();
            let value = match (&values, at) {
                (Some(values), Some(at)) => values.read(at, &part, b),
                (Some(_) | None, _) => value,
            };
            if inner.iter().zip(row.shape()).all(|(dim, size)| *dim == whole(*size)) {
                return vec![place, value];
            }
            let mut dims = vec![Dim::Fix(place)];
            dims.extend(row.shape().iter().map(|size| whole(*size)));
            let old = b.typed("old", row.clone(), Exp::Index(data, dims));
            let old = b.typed("old", row.clone(), Exp::Copy(old));
            let new = b.typed("new", row.clone(), Exp::Update(old, inner.to_vec(), value));
            vec![place, new.into()]
        };
        let ret = vec![Type::I64, row.clone()];
        let (map, inputs, width) = if lens.is_empty() {
            let mut b = Builder::new(self.vars);
            let Body { stms, results } = b.body(|b| written(b, None));
            let (map, inputs) = self.function(&stms, results, ret, space);
            (map, inputs, self.spaces[space].count)
        } else {
            let width = self.product(&lens, space);
            let rows = self.rows_of(width, space);
            let positions = self.positions(rows.width.into(), space);
            let mut b = Builder::new(self.vars);
            let map = b.lambda(vec![("at".into(), Type::I64)], ret.clone(), |b, at| {
                written(b, Some(at[0].into()))
            });
            let arrays = self.row_map(map, &[positions], space, &rows);
            (self.identity(&ret), arrays, rows.total)
        };
        let mut dest = self.owned(array, data);
        let reads = free_in_lambda(&map, self.vars);
        if dest == data && (reads.contains(&data) || inputs.contains(&data)) {
            // What is written is found in the array itself.
            dest = self.bind("own", self.vars[data].ty.clone(), Exp::Copy(data));
        }
        let ty = self.vars[data].ty.clone();
        let dests = vec![(vec![ty.shape()[0]], dest)];
        let op = Scatter { width, inputs, map, dests };
        let new = self.vars.push(VarInfo { hint: "all".into(), ty });
        let scatter =
            Stm { loc: stm.loc.clone(), ..Stm::new(vec![new], Exp::Scatter(Box::new(op))) };
        let new = self.finished(scatter, space)[0];
        self.homes.insert((var, space), Home::Row(new, start));
    }

    /// The function, with copies of those of its parameters that it changes.
    pub(super) fn with_own_params(&mut self, lambda: &Lambda) -> Lambda {
        let mut lambda = lambda.clone();
        let changed: FxHashSet<usize> = (lambda.body.stms.iter())
            .flat_map(|stm| consumed(self.prog, stm))
            .filter_map(|var| self.share.class(var))
            .collect();
        for param in &mut lambda.params {
            let class = self.share.class(*param);
            if !self.vars[*param].ty.is_array()
                || class.is_none_or(|class| !changed.contains(&class))
            {
                continue;
            }
            let given = self.vars.push(self.vars[*param].clone());
            lambda.body.stms.insert(0, Stm::new(vec![*param], Exp::Copy(given)));
            *param = given;
        }
        lambda
    }
}

fn len_of(dim: &Dim) -> Option<Atom> {
    match dim {
        Dim::Fix(_) => None,
        Dim::Slice { len, .. } => Some(*len),
    }
}

/// The index that a dimension has, if the next of these is that in a slice.
fn index_in(dim: &Dim, indices: &mut dyn Iterator<Item = Atom>, b: &mut Builder<'_>) -> Atom {
    match dim {
        Dim::Fix(index) => *index,
        Dim::Slice { start, stride, .. } => {
            let at = indices.next().or_bug("the index in a slice");
            let far = b.exp("far", Exp::BinOp(BinOp::Mul, at, *stride));
            b.exp("index", Exp::BinOp(BinOp::Add, *start, far.into())).into()
        }
    }
}
