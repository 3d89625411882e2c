//! Loops that end sooner at some positions than at others.
//!
//! The host's loop has the states of those positions that still take part, one after the other, and their order: the number that
//! each of them has in the space around. Inside, all of them iterate together until one of them has finished; only then
//! are those that go on selected, and the others write their states to where they belong.
//!
//! ```text
//! order = iota count
//! loop (count, order, states, done) while 0 < count {
//!   states = loop states while all go on { all positions of the order iterate }
//!   done = done with what those have that have finished, at their places in the order
//!   count, order, states = those that go on
//! }
//! ```
//!
//! So an iteration after which nobody has finished selects nothing and moves nothing. What the host must know after
//! each is one truth value; and nothing at all if the loop counts, since then the least of all bounds says when the
//! next position finishes. Code inside never gets the state of a position that has finished: it could read out of
//! bounds, or not end.
//!
//! Rows are moved when somebody has finished, so that those that are left stand one after the other again. Rows that keep
//! their sizes have a place among those of all positions; others are put one after the other as they finish, and an array
//! says where each of them starts.

use super::ops::BOOL;
use super::repeat::{Inner, Turns};
use super::space::{Around, Home, RowsOf, Space, array_of, numbers};
use super::{Irregular, Lifted};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::Builder;
use fehu_ir::subst::{Subst, subst_type};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Exp, LoopForm, LoopParam, Scatter, Screma, Stm, Type, Var, VarInfo,
};

/// What the host's loop has for a parameter of the loop inside.
struct State {
    /// What it begins with, and the parameter.
    init: Var,
    var: Var,
    held: Held,
}

/// How that stands for the values of the positions that take part, and where those are that have finished.
enum Held {
    /// They are its elements, and those of another array.
    Each(Done),
    /// Its rows, of the sizes of this number, with so many dimensions in common; others are rows of another array.
    Rows(usize, usize, Placed),
    /// It is an accumulator, which all positions share.
    Acc(Var),
}

/// An array of the host's loop: what it begins with, and the parameter.
#[derive(Clone, Copy)]
struct Done {
    init: Var,
    var: Var,
}

/// Where rows of positions that have finished are put.
enum Placed {
    /// Where these rows of the space around are.
    Among(RowsOf, Done),
    /// One after the other, as they finish: how many elements there are, the elements, and where the row of each position starts.
    After(Var, Done, Done),
}

/// Sizes of rows.
struct Sizes {
    /// Those of the loop's parameters, in terms of parameters.
    own: Vec<Atom>,
    /// The rows before the loop.
    init: RowsOf,
    /// The parameters of the host's loop: where rows end, and where the last one does.
    ends: Var,
    total: Var,
}

/// What the host's loop has beside states.
struct Course {
    /// How many positions take part, and which.
    count: Var,
    order: Var,
    /// Whether there are any.
    some: Var,
    /// How many iterations there have been, if the loop counts; otherwise, whether all positions go on.
    now: Var,
    states: Vec<State>,
    sizes: Vec<Sizes>,
}

impl Irregular<'_> {
    /// A loop of which some positions have more iterations than others. Binds these variables.
    pub(super) fn until_finished(&mut self, inner: &Inner<'_>, bound: &[Var]) -> Lifted<()> {
        let (course, params) = self.course(inner);
        let pat = self.host_loop(params, LoopForm::While(course.some), inner.loc, |this| {
            this.stretch(inner, bound, &course)
        })?;
        self.after_all(inner, bound, &pat, &course);
        Ok(())
    }

    /// What the host's loop has, and its parameters.
    fn course(&mut self, inner: &Inner<'_>) -> (Course, Vec<LoopParam>) {
        let all = self.spaces[inner.space].count;
        let mut new = |hint: &str, ty| self.vars.push(VarInfo { hint: hint.into(), ty });
        let count = new("count", Type::I64);
        let order = new("order", numbers(count.into()));
        let some = new("some", BOOL);
        let now = match inner.form {
            LoopForm::For(..) => new("begun", Type::I64),
            LoopForm::While(_) => new("all", BOOL),
        };
        let (mut states, mut sizes) = (Vec::new(), Vec::new());
        for param in inner.params {
            states.push(self.held_state(inner, param, count, &mut sizes));
        }
        let begins = Exp::Iota(Prim::I64, all, Atom::i64(0), Atom::i64(1));
        let begins = self.bind("order", numbers(all), begins);
        let any = self.bind("some", BOOL, Exp::CmpOp(CmpOp::Lt, Atom::i64(0), all));
        let first = match inner.form {
            LoopForm::For(..) => Atom::i64(0),
            LoopForm::While(cond) => {
                let init = states[number_of(inner, *cond)].init;
                self.fold(BinOp::And, Atom::bool(true), init)
            }
        };
        let course = Course { count, order, some, now, states, sizes };
        let mut params = Vec::new();
        let mut add = |var: Var, init: Atom| params.push(LoopParam { var, init });
        add(count, all);
        add(order, begins.into());
        add(some, any.into());
        add(now, first);
        for sizes in &course.sizes {
            add(sizes.total, sizes.init.total);
            add(sizes.ends, sizes.init.ends.into());
        }
        for state in &course.states {
            add(state.var, state.init.into());
            match &state.held {
                Held::Each(done) | Held::Rows(_, _, Placed::Among(_, done)) => {
                    add(done.var, done.init.into());
                }
                Held::Rows(_, _, Placed::After(size, rows, starts)) => {
                    add(*size, Atom::i64(0));
                    add(rows.var, rows.init.into());
                    add(starts.var, starts.init.into());
                }
                Held::Acc(_) => {}
            }
        }
        (course, params)
    }

    /// What the host's loop has for a parameter.
    fn held_state(
        &mut self,
        inner: &Inner<'_>,
        param: &LoopParam,
        count: Var,
        all: &mut Vec<Sizes>,
    ) -> State {
        let ty = self.vars[param.var].ty.clone();
        if let Type::Acc(of) = &ty {
            let init = *self.accs.get(of).or_bug("an accumulator of the host");
            let var = self.vars.push(VarInfo { hint: "acc".into(), ty: ty.clone() });
            return State { init, var, held: Held::Acc(*of) };
        }
        let space = inner.space;
        if self.labels.is_regular(&ty) {
            let init = self.stored(param.init, space);
            let done = self.done(array_of(&ty, self.spaces[space].count), None);
            return self.owned_state(init, array_of(&ty, count.into()), Held::Each(done));
        }
        let common = self.common(&ty);
        let own = &ty.shape()[..ty.rank() - common];
        let with_init = inner.sizes_with(own, |k| inner.params[k].init);
        let number = all.iter().position(|sizes| sizes.own == own).unwrap_or_else(|| {
            all.push(self.held_sizes(own, &with_init, count, space));
            all.len() - 1
        });
        let rows = all[number].init.clone();
        let init = self.packed(param.init, common, space, &rows);
        let elem = self.vars[init].ty.row().or_bug("the elements of an array");
        let placed = if with_init == own {
            Placed::Among(rows.clone(), self.done(array_of(&elem, rows.total), None))
        } else {
            let size = self.vars.push(VarInfo { hint: "size".into(), ty: Type::I64 });
            let data = self.done(array_of(&elem, Atom::i64(0)), Some(array_of(&elem, size.into())));
            Placed::After(size, data, self.done(numbers(self.spaces[space].count), None))
        };
        let ty = array_of(&elem, all[number].total.into());
        self.owned_state(init, ty, Held::Rows(number, common, placed))
    }

    /// A state of this type, which begins with an array that nothing else refers to.
    fn owned_state(&mut self, init: Var, ty: Type, held: Held) -> State {
        let init = self.bind("init", self.vars[init].ty.clone(), Exp::Copy(init));
        let var = self.vars.push(VarInfo { hint: "state".into(), ty });
        State { init, var, held }
    }

    /// An array for what positions have when they have finished, and its type in the loop, if that is another one.
    fn done(&mut self, ty: Type, inside: Option<Type>) -> Done {
        let elem = ty.elem().or_bug("the elements of an array");
        let init = self.bind("none", ty.clone(), Exp::Scratch(elem, ty.shape().to_vec()));
        let var = self.vars.push(VarInfo { hint: "done".into(), ty: inside.unwrap_or(ty) });
        Done { init, var }
    }

    /// Sizes of a parameter, as the loop begins.
    fn held_sizes(&mut self, own: &[Atom], with_init: &[Atom], count: Var, space: usize) -> Sizes {
        let width = self.product(with_init, space);
        let init = self.rows_of(width, space);
        let ends = self.vars.push(VarInfo { hint: "ends".into(), ty: numbers(count.into()) });
        let total = self.vars.push(VarInfo { hint: "total".into(), ty: Type::I64 });
        Sizes { own: own.to_vec(), init, ends, total }
    }

    /// The iterations until a position finishes, and what follows from that; what the host's loop goes on with.
    fn stretch(&mut self, inner: &Inner<'_>, bound: &[Var], course: &Course) -> Lifted<Vec<Atom>> {
        let (count, around) = (course.count.into(), Around::Some(inner.space, course.order));
        self.spaces.push(Space { count, around: Some(around) });
        let part = self.spaces.len() - 1;
        let before = self.states_in(inner, bound, course, part);
        let params: Vec<LoopParam> = (inner.params.iter().zip(&before))
            .map(|(param, init)| LoopParam { var: param.var, init: (*init).into() })
            .collect();
        let together = Inner { params: &params, space: part, ..*inner };
        let after = self.like(bound);
        let (conds, now) = match inner.form {
            LoopForm::For(_, times) => {
                let bounds = self.stored(*times, part);
                let least = self.fold(BinOp::Min, Atom::i64(i64::MAX), bounds);
                let least = self.number("least", Exp::BinOp(BinOp::Max, least, course.now.into()));
                let from = course.now.into();
                let times = self.number("times", Exp::BinOp(BinOp::Sub, least, from));
                self.together(&together, Turns::Count { from, times }, &after)?;
                (self.exceeding(bounds, least), least)
            }
            LoopForm::While(cond) => {
                let cond = number_of(inner, *cond);
                let turns = Turns::While { cond, all: course.now.into() };
                self.together(&together, turns, &after)?;
                (self.stored(after[cond].into(), part), Atom::bool(true))
            }
        };
        let done = self.finish(inner, course, &after, conds, part);
        let (order, left) = self.selected(conds, part);
        let (kept, order) = self.part(order, Atom::i64(0), left, part);
        let order = self.select(&Type::I64, course.order, kept, order);
        let some = self.bind("some", BOOL, Exp::CmpOp(CmpOp::Lt, Atom::i64(0), left));
        let mut results = vec![left, order.into(), some.into(), now];
        let mut rows = Vec::new();
        for sizes in &course.sizes {
            let own = inner.sizes_with(&sizes.own, |k| after[k].into());
            let width = self.product(&own, kept);
            let next = self.rows_of(width, kept);
            results.extend([next.total, next.ends.into()]);
            rows.push(next);
        }
        for ((state, var), done) in course.states.iter().zip(&after).zip(done) {
            results.push(match &state.held {
                Held::Each(_) => self.stored((*var).into(), kept).into(),
                Held::Rows(number, common, _) => {
                    self.packed((*var).into(), *common, kept, &rows[*number]).into()
                }
                Held::Acc(of) => (*self.accs.get(of).or_bug("an accumulator of the host")).into(),
            });
            results.extend(done);
        }
        Ok(results)
    }

    /// Variables like those that a loop binds, whose types may mention each other.
    fn like(&mut self, bound: &[Var]) -> Vec<Var> {
        let mut renamed = Subst::default();
        let mut vars = Vec::with_capacity(bound.len());
        for var in bound {
            let VarInfo { hint, mut ty } = self.vars[*var].clone();
            subst_type(&mut ty, &renamed);
            let new = self.local(&hint, ty);
            renamed.insert(*var, new.into());
            vars.push(new);
        }
        vars
    }

    /// The states of the positions that take part, as variables of their space.
    fn states_in(
        &mut self,
        inner: &Inner<'_>,
        bound: &[Var],
        course: &Course,
        part: usize,
    ) -> Vec<Var> {
        let vars = self.like(bound);
        for (state, var) in course.states.iter().zip(&vars) {
            match &state.held {
                Held::Each(_) => drop(self.homes.insert((*var, part), Home::Stored(state.var))),
                Held::Acc(of) => drop(self.accs.insert(*of, state.var)),
                Held::Rows(..) => {}
            }
        }
        let mut rows = Vec::new();
        for sizes in &course.sizes {
            let own = inner.sizes_with(&sizes.own, |k| vars[k].into());
            rows.push(self.known_rows(&own, sizes.ends, sizes.total.into(), part));
        }
        for (state, var) in course.states.iter().zip(&vars) {
            if let Held::Rows(number, ..) = &state.held {
                self.homes.insert((*var, part), Home::Row(state.var, rows[*number].start));
            }
        }
        vars
    }

    /// Which numbers are larger than one.
    fn exceeding(&mut self, bounds: Var, than: Atom) -> Var {
        let width = self.vars[bounds].ty.shape()[0];
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("bound".into(), Type::I64)], vec![BOOL], |b, params| {
            vec![b.exp("more", Exp::CmpOp(CmpOp::Lt, than, params[0].into())).into()]
        });
        let op = Screma { width, inputs: vec![bounds], map, scans: Vec::new(), reds: Vec::new() };
        self.bind("conds", array_of(&BOOL, width), Exp::Screma(Box::new(op)))
    }

    /// Positions that have finished write their states; what the host's loop then has of each parameter in this regard.
    fn finish(
        &mut self,
        inner: &Inner<'_>,
        course: &Course,
        after: &[Var],
        conds: Var,
        part: usize,
    ) -> Vec<Vec<Atom>> {
        let places = self.places_of_finished(conds, course);
        let mut each = Vec::new();
        for (state, var) in course.states.iter().zip(after) {
            if let Held::Each(done) = &state.held {
                each.push((done.var, self.stored((*var).into(), part)));
            }
        }
        let mut merged = self.put_all(&each, places, course.count.into()).into_iter();
        let mut rows = Vec::new();
        for sizes in &course.sizes {
            let own = inner.sizes_with(&sizes.own, |k| after[k].into());
            rows.push(self.finished_rows(&own, conds, part));
        }
        let mut results = Vec::new();
        for (state, var) in course.states.iter().zip(after) {
            results.push(match &state.held {
                Held::Acc(_) => Vec::new(),
                Held::Each(_) => {
                    vec![merged.next().or_bug("what was written of a state").into()]
                }
                Held::Rows(number, common, placed) => {
                    let own = &rows[*number];
                    let values = self.packed((*var).into(), *common, part, own);
                    self.put_rows(placed, values, own, (places, part))
                }
            });
        }
        results
    }

    /// Where positions that have finished belong in the space around; for others, nowhere.
    fn places_of_finished(&mut self, conds: Var, course: &Course) -> Var {
        let width = course.count.into();
        let mut b = Builder::new(self.vars);
        let params = vec![("cond".into(), BOOL), ("at".into(), Type::I64)];
        let map = b.lambda(params, vec![Type::I64], |b, params| {
            let bodies = [Atom::i64(-1), params[1].into()].map(|at| Body::of(vec![at]));
            vec![b.typed("at", Type::I64, Exp::If(params[0].into(), Box::new(bodies))).into()]
        });
        let inputs = vec![conds, course.order];
        let op = Screma { width, inputs, map, scans: Vec::new(), reds: Vec::new() };
        self.bind("places", numbers(width), Exp::Screma(Box::new(op)))
    }

    /// Writes arrays to others, all at the same places.
    fn put_all(&mut self, arrays: &[(Var, Var)], places: Var, count: Atom) -> Vec<Var> {
        if arrays.is_empty() {
            return Vec::new();
        }
        let types: Vec<Type> = arrays.iter().map(|(dest, _)| self.vars[*dest].ty.clone()).collect();
        let mut rows = vec![Type::I64];
        rows.extend(types.iter().filter_map(Type::row));
        let mut map = self.identity(&rows);
        let place = map.body.results.remove(0);
        map.body.results.splice(0..0, arrays.iter().map(|_| place));
        map.ret.splice(0..1, arrays.iter().map(|_| Type::I64));
        let inputs = std::iter::once(places).chain(arrays.iter().map(|(_, values)| *values));
        let dests = (arrays.iter().zip(&types))
            .map(|((dest, _), ty)| (vec![ty.shape()[0]], *dest))
            .collect();
        let op = Scatter { width: count, inputs: inputs.collect(), map, dests };
        let pat: Vec<Var> = (types.into_iter())
            .map(|ty| self.vars.push(VarInfo { hint: "done".into(), ty }))
            .collect();
        self.out.push(Stm::new(pat.clone(), Exp::Scatter(Box::new(op))));
        pat
    }

    /// Rows of these sizes, where positions have finished; others have none.
    fn finished_rows(&mut self, sizes: &[Atom], conds: Var, part: usize) -> RowsOf {
        let width = self.product(sizes, part);
        let cond = self.local("goes", BOOL);
        self.homes.insert((cond, part), Home::Stored(conds));
        let own = self.local("width", Type::I64);
        let bodies = [Atom::i64(0), width].map(|width| Body::of(vec![width]));
        let stm = Stm::new(vec![own], Exp::If(cond.into(), Box::new(bodies)));
        self.homes.insert((own, part), Home::Repeated(stm));
        self.rows_of(own.into(), part)
    }

    /// Writes rows of positions that have finished.
    fn put_rows(
        &mut self,
        placed: &Placed,
        values: Var,
        own: &RowsOf,
        (places, part): (Var, usize),
    ) -> Vec<Atom> {
        match placed {
            Placed::Among(rows, done) => {
                let positions = self.positions(own.width.into(), part);
                let mut b = Builder::new(self.vars);
                let map = b.lambda(vec![("at".into(), Type::I64)], vec![Type::I64], |b, at| {
                    let at = Exp::BinOp(BinOp::Add, at[0].into(), rows.start.into());
                    vec![b.exp("at", at).into()]
                });
                let places = self.row_map(map, &[positions], part, own)[0];
                vec![self.put(done.var, places, values, own.total).into()]
            }
            Placed::After(size, done, starts) => {
                let begins = self.stored(own.start.into(), part);
                let begins = self.shifted(begins, (*size).into(), part);
                let count = self.spaces[part].count;
                let starts = self.put(starts.var, places, begins, count);
                let elem = self.vars[values].ty.row().or_bug("the elements of an array");
                let size = self.number("size", Exp::BinOp(BinOp::Add, (*size).into(), own.total));
                let both = Exp::Concat(size, vec![done.var, values]);
                let data = self.bind("done", array_of(&elem, size), both);
                vec![size, data.into(), starts.into()]
            }
        }
    }

    /// Where the variables that a loop binds are: in these of the host's.
    fn after_all(&mut self, inner: &Inner<'_>, bound: &[Var], pat: &[Var], course: &Course) {
        let mut of_loop = pat[4 + 2 * course.sizes.len()..].iter().copied();
        let mut next = || of_loop.next().or_bug("what the host's loop binds");
        for (var, state) in bound.iter().zip(&course.states) {
            let last = next();
            let home = match &state.held {
                Held::Acc(of) => {
                    self.accs.insert(*of, last);
                    continue;
                }
                Held::Each(_) => Home::Stored(next()),
                Held::Rows(_, _, Placed::Among(rows, _)) => Home::Row(next(), rows.start),
                Held::Rows(_, _, Placed::After(..)) => {
                    let (_, data, starts) = (next(), next(), next());
                    let start = self.local("start", Type::I64);
                    self.homes.insert((start, inner.space), Home::Stored(starts));
                    Home::Row(data, start)
                }
            };
            self.homes.insert((*var, inner.space), home);
        }
    }
}

/// The number of the parameter that is a loop's condition.
fn number_of(inner: &Inner<'_>, cond: Var) -> usize {
    let number = inner.params.iter().position(|param| param.var == cond);
    number.or_bug("the condition of a loop")
}
