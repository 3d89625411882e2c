//! Loops inside.
//!
//! The iterations are the host's. What its loop has for a parameter are the values of all positions that take part: an array of
//! them, or rows. If the sizes of rows change from one iteration to the next, it also has their ends.
//!
//! All positions of a space take part in all iterations here; loops that end sooner at some positions than at others
//! are made of such loops (`finish`).

use super::ops::BOOL;
use super::space::{Home, RowsOf};
use super::{Irregular, Lifted, irregular_in, stays};
use fehu_base::OrBug;
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, copy_stm, subst_type};
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{
    Atom, BinOp, Body, Dim, Exp, Loc, LoopForm, LoopParam, Red, Screma, Stm, Type, Var, VarInfo,
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
pub(super) struct Inner<'a> {
    pub(super) params: &'a [LoopParam],
    pub(super) form: &'a LoopForm,
    pub(super) body: &'a Body,
    pub(super) space: usize,
    pub(super) loc: &'a Option<Loc>,
}

impl Inner<'_> {
    /// Sizes of a parameter, with what other parameters have.
    pub(super) fn sizes_with(&self, own: &[Atom], values: impl Fn(usize) -> Atom) -> Vec<Atom> {
        let value = |size: &Atom| {
            let number = self.params.iter().position(|param| *size == Atom::Var(param.var));
            number.map_or(*size, &values)
        };
        own.iter().map(value).collect()
    }
}

/// How often all positions iterate.
#[derive(Clone, Copy)]
pub(super) enum Turns {
    /// So many times, counting from a number on.
    Count { from: Atom, times: Atom },
    /// As long as the parameter of this number is true at all of them, of which it is told whether it is at the beginning.
    While { cond: usize, all: Atom },
}

impl Irregular<'_> {
    /// A loop. Its iterations are the host's.
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
        let inner = Inner { params, form, body, space, loc: &stm.loc };
        match form {
            LoopForm::For(_, bound) if self.labels.is_avoided(*bound) => {
                let turns = Turns::Count { from: Atom::i64(0), times: *bound };
                self.together(&inner, turns, &stm.pat)
            }
            LoopForm::For(..) | LoopForm::While(_) => {
                self.differs |= self.first.is_none();
                self.until_finished(&inner, &stm.pat)
            }
        }
    }

    /// A loop whose iterations all positions of a space take part in. Binds these variables of the space.
    pub(super) fn together(
        &mut self,
        inner: &Inner<'_>,
        turns: Turns,
        bound: &[Var],
    ) -> Lifted<()> {
        let (mut states, mut sizes) = (Vec::new(), Vec::new());
        for param in inner.params {
            states.push(self.state(inner, param, &mut sizes));
        }
        let mut params = Vec::new();
        for sizes in &sizes {
            params.push(LoopParam { var: sizes.total, init: sizes.init.total });
            params.push(LoopParam { var: sizes.ends, init: sizes.init.ends.into() });
        }
        params.extend(
            states.iter().map(|state| LoopParam { var: state.var, init: state.init.into() }),
        );
        let index = self.vars.push(VarInfo { hint: "k".into(), ty: Type::I64 });
        let form = match turns {
            Turns::Count { times, .. } => LoopForm::For(index, times),
            Turns::While { all, .. } => {
                let go = self.vars.push(VarInfo { hint: "all".into(), ty: BOOL });
                params.push(LoopParam { var: go, init: all });
                LoopForm::While(go)
            }
        };
        let pat = self.host_loop(params, form, inner.loc, |this| {
            this.iteration(inner, &states, &sizes, index, turns)
        })?;
        self.after_loop(inner, bound, &pat, &states, &sizes);
        Ok(())
    }

    /// A loop of the host; what it binds. What is found out in its body is forgotten.
    pub(super) fn host_loop(
        &mut self,
        params: Vec<LoopParam>,
        form: LoopForm,
        loc: &Option<Loc>,
        body: impl FnOnce(&mut Self) -> Lifted<Vec<Atom>>,
    ) -> Lifted<Vec<Var>> {
        self.settle();
        let saved = (self.homes.clone(), self.rows.clone(), self.products.clone(), self.inside);
        let before = std::mem::take(&mut self.out);
        self.inside = true;
        let results = body(self);
        self.settle();
        let stms = std::mem::replace(&mut self.out, before);
        (self.homes, self.rows, self.products, self.inside) = saved;
        let results = results?;
        let mut pat = Vec::new();
        let mut renamed = Subst::default();
        for param in &params {
            let VarInfo { hint, mut ty } = self.vars[param.var].clone();
            subst_type(&mut ty, &renamed);
            let var = self.vars.push(VarInfo { hint, ty });
            renamed.insert(param.var, var.into());
            pat.push(var);
        }
        let exp = Exp::Loop(params, form, Box::new(Body { stms, results }));
        let made = copy_stm(&Stm { loc: loc.clone(), ..Stm::new(pat, exp) }, self.vars);
        let pat = made.pat.clone();
        self.out.push(made);
        Ok(pat)
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

    /// Where the variables that a loop binds are: in these of the host's.
    fn after_loop(
        &mut self,
        inner: &Inner<'_>,
        bound: &[Var],
        pat: &[Var],
        states: &[State],
        sizes: &[Sizes],
    ) {
        let (of_sizes, of_states) = pat.split_at(2 * sizes.len());
        let each =
            |(state, array): (&State, &Var)| matches!(state.held, Held::Each).then_some(*array);
        for (var, array) in bound.iter().zip(states.iter().zip(of_states).map(each)) {
            if let Some(array) = array {
                self.homes.insert((*var, inner.space), Home::Stored(array));
            }
        }
        let mut rows_now = Vec::new();
        for (sizes, of) in sizes.iter().zip(of_sizes.chunks(2)) {
            let own = inner.sizes_with(&sizes.own, |k| bound[k].into());
            rows_now.push(self.known_rows(&own, of[1], of[0].into(), inner.space));
        }
        for ((var, array), state) in bound.iter().zip(of_states).zip(states) {
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
    pub(super) fn known_rows(
        &mut self,
        sizes: &[Atom],
        ends: Var,
        total: Atom,
        space: usize,
    ) -> RowsOf {
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

    /// One iteration; what the host's loop goes on with.
    fn iteration(
        &mut self,
        inner: &Inner<'_>,
        states: &[State],
        sizes: &[Sizes],
        index: Var,
        turns: Turns,
    ) -> Lifted<Vec<Atom>> {
        let Inner { params, body, space, .. } = *inner;
        if let (LoopForm::For(var, _), Turns::Count { from, .. }) = (inner.form, turns) {
            // All positions count alike.
            let stm = Stm::new(vec![*var], Exp::BinOp(BinOp::Add, from, index.into()));
            self.homes.insert((*var, space), Home::Repeated(stm));
            self.labels.differs(*var, self.vars);
        }
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
        let is_each = |(_, state): &(&Atom, &State)| matches!(state.held, Held::Each);
        let each = body.results.iter().zip(states).filter(is_each);
        let each: Vec<Var> = each.filter_map(|(result, _)| result.var()).collect();
        self.store(&each, space);
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
        if let Turns::While { cond, .. } = turns {
            let conds = results[2 * sizes.len() + cond].var().or_bug("an array of conditions");
            results.push(self.fold(BinOp::And, Atom::bool(true), conds));
        }
        Ok(results)
    }

    /// What the elements of an array of the host are together.
    pub(super) fn fold(&mut self, op: BinOp, neutral: Atom, array: Var) -> Atom {
        let ty = self.vars[array].ty.clone();
        let row = ty.row().or_bug("the elements of an array");
        let mut b = Builder::new(self.vars);
        let params = vec![("a".into(), row.clone()), ("b".into(), row.clone())];
        let op = b.lambda(params, vec![row.clone()], |b, of| {
            vec![b.typed("both", row.clone(), Exp::BinOp(op, of[0].into(), of[1].into())).into()]
        });
        let red = Red { op, neutral: vec![neutral], commutative: true };
        let map = self.identity(std::slice::from_ref(&row));
        let width = ty.shape()[0];
        let op = Screma { width, inputs: vec![array], map, scans: Vec::new(), reds: vec![red] };
        self.bind("together", row, Exp::Screma(Box::new(op))).into()
    }
}
