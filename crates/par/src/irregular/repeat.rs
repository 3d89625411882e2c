//! Loops that differ between positions.
//!
//! The iterations are the host's. Those positions that take part in one are a space of their own, as in a branch. What the host's loop has
//! for a parameter are the values of all positions: an array of them, or rows. If the sizes of rows change from one iteration to
//! the next, it also has their ends; the rows that are computed are put together with those of positions that have had their last
//! iteration.

use super::ops::BOOL;
use super::ops::element_of;
use super::rows::{Flat, inner_type};
use super::space::{Home, RowsOf, array_of};
use super::{Irregular, Lifted, irregular_in, stays};
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, copy_stm, subst_type};
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, LoopForm, LoopParam, Red, Screma, Stm, Type, Var, VarInfo,
};

/// What the host's loop has for a parameter of a loop inside.
struct State {
    /// What it begins with, and the parameter.
    init: Var,
    var: Var,
    held: Held,
}

/// How that stands for the values of all positions.
enum Held {
    /// They are its elements.
    Each,
    /// Its rows, which keep their sizes, with so many dimensions in common.
    Rows(RowsOf, usize),
    /// Its rows, which have the sizes of this number, and so many dimensions in common.
    Changing(usize, usize),
    /// It is an accumulator, which all positions share.
    Acc(Var),
}

/// Sizes that change.
struct Sizes {
    /// Those of the loop's parameters, in terms of parameters.
    own: Vec<Atom>,
    /// The rows before the loop.
    init: RowsOf,
    /// The parameters of the host's loop: where rows end, and where the last one does.
    ends: Var,
    total: Var,
}

/// A loop inside.
struct Inner<'a> {
    params: &'a [LoopParam],
    form: &'a LoopForm,
    body: &'a Body,
    space: usize,
}

impl Inner<'_> {
    /// Sizes of a parameter, with what other parameters have.
    fn sizes_with(&self, own: &[Atom], values: impl Fn(usize) -> Atom) -> Vec<Atom> {
        let value = |size: &Atom| {
            let number = self.params.iter().position(|param| *size == Atom::Var(param.var));
            number.map_or(*size, &values)
        };
        own.iter().map(value).collect()
    }
}

impl Irregular<'_> {
    /// A loop. Its iterations are the host's, and have those positions that take part in them.
    pub(super) fn repeat(
        &mut self,
        stm: &Stm,
        params: &[LoopParam],
        form: &LoopForm,
        body: &Body,
        space: usize,
    ) -> Lifted<()> {
        // They are states of all positions, also if they are the same everywhere.
        self.labels.all_differ(params.iter().map(|param| param.var), self.vars);
        self.labels.body(body, self.vars);
        if !self.has_work(body) {
            return Err(stays("a loop writes one element after the other", stm));
        }
        let inner = Inner { params, form, body, space };
        let (mut states, mut sizes) = (Vec::new(), Vec::new());
        for param in params {
            states.push(self.state(&inner, param, &mut sizes));
        }
        let regular = matches!(form, LoopForm::For(_, bound) if self.labels.is_avoided(*bound));
        self.differs |= !regular && self.first.is_none();
        let index = self.vars.push(VarInfo { hint: "k".into(), ty: Type::I64 });
        let (outer_form, go) = match form {
            LoopForm::For(_, bound) => (LoopForm::For(index, self.longest(*bound, space)), None),
            LoopForm::While(cond) => {
                let k = params.iter().position(|param| param.var == *cond);
                let k = k.or_bug("the condition of a loop");
                let any = self.any(states[k].init, space);
                let go = self.vars.push(VarInfo { hint: "go".into(), ty: BOOL });
                (LoopForm::While(go), Some((go, any, k)))
            }
        };
        self.settle();
        let saved = (self.homes.clone(), self.rows.clone(), self.products.clone(), self.inside);
        let before = std::mem::take(&mut self.out);
        self.inside = true;
        let results = self.iteration(&inner, &states, &sizes, index, go.map(|(_, _, k)| k));
        self.settle();
        let stms = std::mem::replace(&mut self.out, before);
        (self.homes, self.rows, self.products, self.inside) = saved;
        let results = results?;

        let mut outer_params = Vec::new();
        for sizes in &sizes {
            outer_params.push(LoopParam { var: sizes.total, init: sizes.init.total });
            outer_params.push(LoopParam { var: sizes.ends, init: sizes.init.ends.into() });
        }
        outer_params.extend(
            states.iter().map(|state| LoopParam { var: state.var, init: state.init.into() }),
        );
        outer_params.extend(go.map(|(var, init, _)| LoopParam { var, init }));
        let mut pat = Vec::new();
        let mut renamed = Subst::default();
        for param in &outer_params {
            let VarInfo { hint, mut ty } = self.vars[param.var].clone();
            subst_type(&mut ty, &renamed);
            let var = self.vars.push(VarInfo { hint, ty });
            renamed.insert(param.var, var.into());
            pat.push(var);
        }
        let exp = Exp::Loop(outer_params, outer_form, Box::new(Body { stms, results }));
        let made = copy_stm(&Stm { loc: stm.loc.clone(), ..Stm::new(pat, exp) }, self.vars);
        self.after_loop(&inner, stm, &made.pat, &states, &sizes);
        self.out.push(made);
        Ok(())
    }

    /// Whether an iteration has anything that threads can share.
    fn has_work(&self, body: &Body) -> bool {
        struct Look<'a, 'b> {
            this: &'a Irregular<'b>,
            found: bool,
        }
        impl Visit for Look<'_, '_> {
            #[expect(clippy::wildcard_enum_match_arm, reason = "the others make no arrays")]
            fn stm(&mut self, stm: &Stm) {
                let makes = match &stm.exp {
                    Exp::Concat(..) | Exp::Replicate(..) | Exp::Copy(_) | Exp::Manifest(_) => true,
                    Exp::Update(_, dims, _) => {
                        dims.iter().any(|dim| matches!(dim, Dim::Slice { .. }))
                    }
                    _ => false,
                };
                let is_irregular =
                    |var: &Var| !self.this.labels.is_regular(&self.this.vars[*var].ty);
                self.found |= makes && stm.pat.iter().any(is_irregular);
                walk_stm(self, stm);
            }
        }
        let mut look = Look { this: self, found: irregular_in(body, &self.labels).is_some() };
        look.body(body);
        look.found
    }

    /// Where the loop's results are, which are these of the host's.
    fn after_loop(
        &mut self,
        inner: &Inner<'_>,
        stm: &Stm,
        pat: &[Var],
        states: &[State],
        sizes: &[Sizes],
    ) {
        let (of_sizes, of_states) = pat.split_at(2 * sizes.len());
        let each =
            |(state, array): (&State, &Var)| matches!(state.held, Held::Each).then_some(*array);
        for (var, array) in stm.pat.iter().zip(states.iter().zip(of_states).map(each)) {
            if let Some(array) = array {
                self.homes.insert((*var, inner.space), Home::Stored(array));
            }
        }
        let mut rows_now = Vec::new();
        for (sizes, of) in sizes.iter().zip(of_sizes.chunks(2)) {
            let own = inner.sizes_with(&sizes.own, |k| stm.pat[k].into());
            rows_now.push(self.known_rows(&own, of[1], of[0].into(), inner.space));
        }
        for ((var, array), state) in stm.pat.iter().zip(of_states).zip(states) {
            let start = match &state.held {
                Held::Each => continue,
                Held::Acc(of) => {
                    self.accs.insert(*of, *array);
                    continue;
                }
                Held::Rows(rows, _) => rows.start,
                Held::Changing(number, _) => rows_now[*number].start,
            };
            self.homes.insert((*var, inner.space), Home::Row(*array, start));
        }
    }

    /// Rows of these sizes, whose ends the host knows.
    fn known_rows(&mut self, sizes: &[Atom], ends: Var, total: Atom, space: usize) -> RowsOf {
        let width = self.product(sizes, space).var().or_bug("a size that differs");
        self.rows_ending(width, ends, total, space)
    }

    /// What the host's loop has for a parameter.
    fn state(&mut self, inner: &Inner<'_>, param: &LoopParam, all: &mut Vec<Sizes>) -> State {
        let ty = self.vars[param.var].ty.clone();
        if let Type::Acc(of) = &ty {
            let init = *self.accs.get(of).or_bug("an accumulator of the host");
            let var = self.vars.push(VarInfo { hint: "acc".into(), ty: ty.clone() });
            return State { init, var, held: Held::Acc(*of) };
        }
        let (init, held) = if self.labels.is_regular(&ty) {
            (self.stored(param.init, inner.space), Held::Each)
        } else {
            let common = self.common(&ty);
            let own = &ty.shape()[..ty.rank() - common];
            let with_init = inner.sizes_with(own, |k| inner.params[k].init);
            let rows = match with_init == own {
                true => self.rows_like(&ty, common, inner.space),
                false => self.sizes(own, &with_init, inner.space, all),
            };
            let init = self.packed(param.init, common, inner.space, &rows);
            let number = all.iter().position(|sizes| sizes.own == own);
            match number {
                Some(number) => (init, Held::Changing(number, common)),
                None => (init, Held::Rows(rows, common)),
            }
        };
        let mut ty = self.vars[init].ty.clone();
        let init = self.bind("init", ty.clone(), Exp::Copy(init));
        if let (Held::Changing(number, _), Type::Array(_, shape)) = (&held, &mut ty) {
            shape[0] = all[*number].total.into();
        }
        let var = self.vars.push(VarInfo { hint: "state".into(), ty });
        State { init, var, held }
    }

    /// The rows before the loop of sizes that change in it.
    fn sizes(
        &mut self,
        own: &[Atom],
        with_init: &[Atom],
        space: usize,
        all: &mut Vec<Sizes>,
    ) -> RowsOf {
        if let Some(sizes) = all.iter().find(|sizes| sizes.own == own) {
            return sizes.init.clone();
        }
        let width = self.product(with_init, space);
        let init = self.rows_of(width, space);
        let ty = self.vars[init.ends].ty.clone();
        let ends = self.vars.push(VarInfo { hint: "ends".into(), ty });
        let total = self.vars.push(VarInfo { hint: "total".into(), ty: Type::I64 });
        all.push(Sizes { own: own.to_vec(), init: init.clone(), ends, total });
        init
    }

    /// Where the elements of an irregular value belong among all rows, and what they are, and how many.
    fn row_places(
        &mut self,
        result: Atom,
        common: usize,
        part: usize,
        rows: &RowsOf,
    ) -> (Var, Var, Atom) {
        let own = self.rows_of(rows.width.into(), part);
        let values = self.packed(result, common, part, &own);
        let positions = self.positions(rows.width.into(), part);
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![Type::I64], |b, params| {
            let at = Exp::BinOp(BinOp::Add, params[0].into(), rows.start.into());
            vec![b.exp("at", at).into()]
        });
        let places = self.row_map(map, &[positions], part, &own)[0];
        (places, values, own.total)
    }

    /// One iteration; what the host's loop goes on with.
    fn iteration(
        &mut self,
        inner: &Inner<'_>,
        states: &[State],
        sizes: &[Sizes],
        index: Var,
        cond: Option<usize>,
    ) -> Lifted<Vec<Atom>> {
        let Inner { params, space, .. } = *inner;
        let active = match (inner.form, cond) {
            (LoopForm::For(var, bound), _) => {
                // All positions count alike.
                let stm = Stm::new(vec![*var], Exp::Atom(index.into()));
                self.homes.insert((*var, space), Home::Repeated(stm));
                self.labels.differs(*var, self.vars);
                (!self.labels.is_avoided(*bound)).then(|| self.still(*bound, index, space))
            }
            (LoopForm::While(_), Some(k)) => Some(states[k].var),
            (LoopForm::While(_), None) => None,
        };
        for (param, state) in params.iter().zip(states) {
            match &state.held {
                Held::Each => {
                    self.homes.insert((param.var, space), Home::Stored(state.var));
                }
                Held::Acc(of) => drop(self.accs.insert(*of, state.var)),
                Held::Rows(..) | Held::Changing(..) => {}
            }
        }
        let mut rows_now = Vec::new();
        for sizes in sizes {
            rows_now.push(self.known_rows(&sizes.own, sizes.ends, sizes.total.into(), space));
        }
        for (param, state) in params.iter().zip(states) {
            let start = match &state.held {
                Held::Each | Held::Acc(_) => continue,
                Held::Rows(rows, _) => rows.start,
                Held::Changing(number, _) => rows_now[*number].start,
            };
            self.homes.insert((param.var, space), Home::Row(state.var, start));
        }
        match active {
            None => self.all_iterate(inner, states, sizes),
            Some(active) => {
                let mut results = self.some_iterate(inner, states, sizes, &rows_now, active)?;
                if let Some(k) = cond {
                    let conds = results[2 * sizes.len() + k].var();
                    results.push(self.any(conds.or_bug("an array of conditions"), space));
                }
                Ok(results)
            }
        }
    }

    /// An iteration that all positions take part in.
    fn all_iterate(
        &mut self,
        inner: &Inner<'_>,
        states: &[State],
        sizes: &[Sizes],
    ) -> Lifted<Vec<Atom>> {
        let Inner { body, space, .. } = *inner;
        self.body(body, space)?;
        let mut next = Vec::new();
        let mut results: Vec<Atom> = Vec::new();
        for sizes in sizes {
            let own = inner.sizes_with(&sizes.own, |k| body.results[k]);
            let width = self.product(&own, space);
            let rows = self.rows_of(width, space);
            results.extend([rows.total, rows.ends.into()]);
            next.push(rows);
        }
        for (result, state) in body.results.iter().zip(states) {
            let array = match &state.held {
                Held::Acc(of) => {
                    results.push((*self.accs.get(of).or_bug("an accumulator of the host")).into());
                    continue;
                }
                Held::Each => self.stored(*result, space),
                Held::Rows(rows, common) => self.packed(*result, *common, space, rows),
                Held::Changing(number, common) => {
                    self.packed(*result, *common, space, &next[*number])
                }
            };
            // The next iteration may update it.
            let is_own = array == state.var || self.out.iter().any(|stm| stm.pat.contains(&array));
            let array = match is_own && !results.contains(&array.into()) {
                true => array,
                false => {
                    let ty = self.vars[array].ty.clone();
                    self.bind("own", ty, Exp::Copy(array))
                }
            };
            results.push(array.into());
        }
        Ok(results)
    }

    /// An iteration that some positions take part in.
    fn some_iterate(
        &mut self,
        inner: &Inner<'_>,
        states: &[State],
        sizes: &[Sizes],
        rows_now: &[RowsOf],
        active: Var,
    ) -> Lifted<Vec<Atom>> {
        let Inner { body, space, .. } = *inner;
        let (order, count) = self.selected(active, space);
        let (part, order) = self.part(order, Atom::i64(0), count, space);
        self.own_in_branch(body, part);
        self.body(body, part)?;
        // What is written where: elements to states, or where rows are to arrays with the starts of rows.
        let mut values = Vec::new();
        for (result, state) in body.results.iter().zip(states) {
            values.push(match &state.held {
                Held::Acc(_) => None,
                Held::Each => Some((order, self.stored(*result, part), count)),
                Held::Rows(rows, common) => Some(self.row_places(*result, *common, part, rows)),
                Held::Changing(number, common) => {
                    let (data, start) = self.as_row(*result, *common, part);
                    let starts = self.stored(start.into(), part);
                    let total = sizes[*number].total.into();
                    let starts = self.shifted(starts, total, part);
                    let old = self.stored(rows_now[*number].start.into(), space);
                    let old = self.bind("starts", self.vars[old].ty.clone(), Exp::Copy(old));
                    Some((data, self.put(old, order, starts, count), count))
                }
            });
        }
        let mut arrays = Vec::new();
        for (value, state) in values.iter().zip(states) {
            arrays.push(match (&state.held, value) {
                (Held::Each | Held::Rows(..), Some((places, values, count))) => {
                    Some(self.put(state.var, *places, *values, *count))
                }
                (Held::Acc(of), _) => Some(*self.accs.get(of).or_bug("an accumulator of the host")),
                (Held::Each | Held::Rows(..) | Held::Changing(..), _) => None,
            });
        }
        self.leave(part);
        // Sizes as they are afterwards, at all positions.
        let mut now: Vec<Atom> = Vec::new();
        for (param, array) in inner.params.iter().zip(&arrays) {
            let VarInfo { hint, ty } = self.vars[param.var].clone();
            now.push(match (array, &ty) {
                (Some(array), Type::Scalar(_)) => {
                    let var = self.local(&hint, ty);
                    self.homes.insert((var, space), Home::Stored(*array));
                    var.into()
                }
                (Some(_) | None, _) => param.var.into(),
            });
        }
        let (mut next, mut results): (Vec<RowsOf>, Vec<Atom>) = (Vec::new(), Vec::new());
        for sizes in sizes {
            let own = inner.sizes_with(&sizes.own, |k| now[k]);
            let width = self.product(&own, space);
            let rows = self.rows_of(width, space);
            results.extend([rows.total, rows.ends.into()]);
            next.push(rows);
        }
        for ((array, value), state) in arrays.into_iter().zip(values).zip(states) {
            let array = match (&state.held, array, value) {
                (Held::Changing(number, common), _, Some((data, starts, _))) => {
                    let total = sizes[*number].total.into();
                    self.joined((state.var, total), data, starts, *common, (space, &next[*number]))
                }
                (_, array, _) => array.or_bug("what a loop goes on with"),
            };
            results.push(array.into());
        }
        Ok(results)
    }

    /// Rows whose elements are in one of two arrays: where they start says in which, counting on after the first.
    fn joined(
        &mut self,
        (first, total): (Var, Atom),
        second: Var,
        starts: Var,
        common: usize,
        (space, rows): (usize, &RowsOf),
    ) -> Var {
        let row = inner_type(&self.vars[first].ty, common);
        let start = self.local("from", Type::I64);
        self.homes.insert((start, space), Home::Stored(starts));
        let positions = self.positions(rows.width.into(), space);
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("at".into(), Type::I64)], vec![row.clone()], |b, at| {
            let at = b.exp("at", Exp::BinOp(BinOp::Add, at[0].into(), start.into())).into();
            let parts = [(Flat::Whole(first), total), (Flat::Whole(second), total)];
            vec![element_of(&parts, at, &row, b)]
        });
        self.row_map(map, &[positions], space, rows)[0]
    }

    /// The positions that have not had all of their iterations.
    fn still(&mut self, bound: Atom, index: Var, space: usize) -> Var {
        let bounds = self.stored(bound, space);
        let width = self.spaces[space].count;
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("bound".into(), Type::I64)], vec![BOOL], |b, params| {
            vec![b.exp("still", Exp::CmpOp(CmpOp::Lt, index.into(), params[0].into())).into()]
        });
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width, inputs: vec![bounds], map, scans, reds };
        self.bind("still", array_of(&BOOL, width), Exp::Screma(Box::new(op)))
    }

    /// The largest value of a number of iterations.
    fn longest(&mut self, bound: Atom, space: usize) -> Atom {
        if self.labels.is_avoided(bound) {
            return bound;
        }
        let bounds = self.stored(bound, space);
        let max = self.operator(BinOp::Max);
        let red = Red { op: max, neutral: vec![Atom::i64(0)], commutative: true };
        let map = self.identity(&[Type::I64]);
        let width = self.spaces[space].count;
        let op = Screma { width, inputs: vec![bounds], map, scans: Vec::new(), reds: vec![red] };
        self.number("most", Exp::Screma(Box::new(op)))
    }

    /// Whether any of some conditions holds.
    fn any(&mut self, conds: Var, space: usize) -> Atom {
        let width = self.spaces[space].count;
        let mut b = Builder::new(self.vars);
        let op = b.lambda(vec![("a".into(), BOOL), ("b".into(), BOOL)], vec![BOOL], |b, of| {
            vec![b.exp("any", Exp::BinOp(BinOp::Or, of[0].into(), of[1].into())).into()]
        });
        let red = Red { op, neutral: vec![Atom::bool(false)], commutative: true };
        let map = self.identity(&[BOOL]);
        let op = Screma { width, inputs: vec![conds], map, scans: Vec::new(), reds: vec![red] };
        self.bind("any", BOOL, Exp::Screma(Box::new(op))).into()
    }
}
