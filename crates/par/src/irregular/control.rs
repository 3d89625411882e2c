//! Branches and loops that differ between positions.
//!
//! The positions that take a branch, and those that take part in an iteration, are a space of their own: they are selected, and what is computed
//! for them is written back to where they came from. So nobody waits for others that have nothing to do.

use super::ops::BOOL;
use super::space::{Around, Home, RowsOf, Space, array_of, numbers};
use super::{Irregular, Lifted, stays};
use fehu_base::{OrBug, Prim};
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Dim, Exp, LoopForm, LoopParam, Partition, Red, Scatter, Screma, Stm,
    Switch, Type, Var, VarInfo,
};

/// What the host's loop has for a parameter of a loop inside.
struct State {
    /// What it begins with, and the parameter.
    init: Var,
    var: Var,
    /// If its arrays are irregular.
    rows: Option<RowsOf>,
}

impl State {
    /// Where the parameter is, if the host's is this array.
    fn home(&self, array: Var) -> Home {
        match &self.rows {
            Some(rows) => Home::Row(array, rows.start),
            None => Home::Stored(array),
        }
    }
}

impl Irregular<'_> {
    /// The numbers of the positions at which a condition holds, and then of the others; how many these are.
    fn divided(&mut self, conds: Var, space: usize) -> (Var, Atom) {
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
        let op = Partition { width: count, classes: 2, inputs, map };
        let mut new = |hint: &str, ty| self.vars.push(VarInfo { hint: hint.into(), ty });
        let pat = vec![new("yes", Type::I64), new("no", Type::I64), new("order", numbers(count))];
        let (yes, order) = (pat[0], pat[2]);
        self.out.push(Stm::new(pat, Exp::Partition(Box::new(op))));
        (order, yes.into())
    }

    /// Consecutive positions of such an order, as a space.
    fn part(&mut self, order: Var, start: Atom, len: Atom, space: usize) -> (usize, Var) {
        let dims = vec![Dim::Slice { start, len, stride: Atom::i64(1) }];
        let part = self.bind("part", numbers(len), Exp::Index(order, dims));
        self.spaces.push(Space { count: len, around: Some(Around::Some(space, part)) });
        (self.spaces.len() - 1, part)
    }

    /// Writes what some positions have to an array of all positions.
    fn put(&mut self, dest: Var, order: Var, values: Var, count: Atom) -> Var {
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
                let home = self.merged_rows(stm, results, space)?;
                self.homes.insert((*var, space), home);
            }
        }
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
        stm: &Stm,
        results: [(Atom, (usize, Var)); 2],
        space: usize,
    ) -> Lifted<Home> {
        let mut both = Vec::new();
        let mut before = Atom::i64(0);
        for (result, (part, order)) in results {
            let (data, start) = self.as_row(stm, result, part)?;
            let starts = self.stored(start, part);
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
        Ok(Home::Row(data, start))
    }

    /// Numbers that are larger by something.
    fn shifted(&mut self, numbers_of: Var, by: Atom, space: usize) -> Var {
        let width = self.spaces[space].count;
        let mut b = Builder::new(self.vars);
        let map = b.lambda(vec![("start".into(), Type::I64)], vec![Type::I64], |b, params| {
            vec![b.exp("start", Exp::BinOp(BinOp::Add, params[0].into(), by)).into()]
        });
        let (scans, reds) = (Vec::new(), Vec::new());
        let op = Screma { width, inputs: vec![numbers_of], map, scans, reds };
        self.bind("starts", numbers(width), Exp::Screma(Box::new(op)))
    }

    /// An irregular value as rows of an array of the host: that array, and where each row starts.
    fn as_row(&mut self, stm: &Stm, result: Atom, space: usize) -> Lifted<(Var, Atom)> {
        let var = result.var().or_bug("an array");
        if !self.labels.is_avoided(result)
            && let Home::Row(data, start) = self.home(var, space)
        {
            return Ok((data, start.into()));
        }
        let ty = atom_type(result, self.vars);
        let [size, rest @ ..] = ty.shape() else { return Err(stays("it has no elements", stm)) };
        if !rest.iter().all(|size| self.labels.is_avoided(*size)) {
            return Err(stays("an array has several dimensions whose sizes differ", stm));
        }
        let rows = self.rows_of(*size, space);
        let identity = self.identity(&[ty.row().or_bug("the elements of an array")]);
        Ok((self.row_map(identity, &[var], space, &rows)[0], rows.start.into()))
    }

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
        for param in params {
            self.labels.differs(param.var, self.vars);
        }
        let mut states = Vec::new();
        for param in params {
            states.push(self.state(stm, params, param, space)?);
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
        let saved = (self.homes.clone(), self.rows.clone(), self.inside);
        let before = std::mem::take(&mut self.out);
        self.inside = true;
        let inner =
            self.iteration(params, form, body, space, &states, (index, go.map(|(_, _, k)| k)));
        self.settle();
        let stms = std::mem::replace(&mut self.out, before);
        (self.homes, self.rows, self.inside) = saved;
        let results = inner?;
        let mut outer_params: Vec<LoopParam> = states
            .iter()
            .map(|state| LoopParam { var: state.var, init: state.init.into() })
            .collect();
        outer_params.extend(go.map(|(var, init, _)| LoopParam { var, init }));
        let mut pat = Vec::new();
        for param in &outer_params {
            pat.push(self.vars.push(self.vars[param.var].clone()));
        }
        let exp = Exp::Loop(outer_params, outer_form, Box::new(Body { stms, results }));
        let made = fehu_ir::subst::copy_stm(
            &Stm { loc: stm.loc.clone(), ..Stm::new(pat, exp) },
            self.vars,
        );
        for ((var, array), state) in stm.pat.iter().zip(&made.pat).zip(&states) {
            self.homes.insert((*var, space), state.home(*array));
        }
        self.out.push(made);
        Ok(())
    }

    /// What the host's loop has for a parameter. Arrays of differing sizes are rows, as long as the sizes stay the same.
    fn state(
        &mut self,
        stm: &Stm,
        params: &[LoopParam],
        param: &LoopParam,
        space: usize,
    ) -> Lifted<State> {
        let ty = self.vars[param.var].ty.clone();
        let own = |size: &Atom| params.iter().any(|param| *size == Atom::Var(param.var));
        if matches!(ty, Type::Acc(_)) || ty.shape().iter().any(own) {
            return Err(stays("the sizes of a loop's arrays change", stm));
        }
        let (init, rows) = match self.labels.is_regular(&ty) {
            true => (self.stored(param.init, space), None),
            false => {
                let others = ty.shape().iter().skip(1);
                if !others.into_iter().all(|size| self.labels.is_avoided(*size)) {
                    return Err(stays("an array has several dimensions whose sizes differ", stm));
                }
                let rows = self.rows_of(ty.shape()[0], space);
                (self.packed(param.init, space, &rows), Some(rows))
            }
        };
        let ty = self.vars[init].ty.clone();
        let init = self.bind("init", ty.clone(), Exp::Copy(init));
        let var = self.vars.push(VarInfo { hint: "state".into(), ty });
        Ok(State { init, var, rows })
    }

    /// An array of the host with these rows of an irregular value, one after the other.
    fn packed(&mut self, result: Atom, space: usize, rows: &RowsOf) -> Var {
        let var = result.var().or_bug("an array");
        if !self.labels.is_avoided(result)
            && let Home::Row(data, start) = self.home(var, space)
            && start == rows.start
        {
            return data;
        }
        let ty = atom_type(result, self.vars);
        let identity = self.identity(&[ty.row().or_bug("the elements of an array")]);
        self.row_map(identity, &[var], space, rows)[0]
    }

    /// Where the elements of an irregular value belong among all rows, and what they are, and how many.
    fn row_places(&mut self, result: Atom, part: usize, rows: &RowsOf) -> (Var, Var, Atom) {
        let ty = atom_type(result, self.vars);
        let var = result.var().or_bug("an array");
        let own = self.rows_of(rows.width.into(), part);
        let positions = self.positions(ty.shape()[0], part);
        let row = ty.row().or_bug("the elements of an array");
        let mut b = Builder::new(self.vars);
        let params = vec![("at".into(), Type::I64), ("elem".into(), row.clone())];
        let map = b.lambda(params, vec![Type::I64, row], |b, params| {
            let at = Exp::BinOp(BinOp::Add, params[0].into(), rows.start.into());
            vec![b.exp("at", at).into(), params[1].into()]
        });
        let arrays = self.row_map(map, &[positions, var], part, &own);
        (arrays[0], arrays[1], own.total)
    }

    /// One iteration; what the host's loop goes on with.
    fn iteration(
        &mut self,
        params: &[LoopParam],
        form: &LoopForm,
        body: &Body,
        space: usize,
        states: &[State],
        (index, cond): (Var, Option<usize>),
    ) -> Lifted<Vec<Atom>> {
        let active = match (form, cond) {
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
            self.homes.insert((param.var, space), state.home(state.var));
        }
        let Some(active) = active else {
            self.body(body, space)?;
            let mut results = Vec::new();
            for (result, state) in body.results.iter().zip(states) {
                results.push(match &state.rows {
                    Some(rows) => self.packed(*result, space, rows).into(),
                    None => self.stored(*result, space).into(),
                });
            }
            return Ok(results);
        };
        let (order, count) = self.divided(active, space);
        let (part, order) = self.part(order, Atom::i64(0), count, space);
        self.body(body, part)?;
        let mut values = Vec::new();
        for (result, state) in body.results.iter().zip(states) {
            values.push(match &state.rows {
                Some(rows) => self.row_places(*result, part, rows),
                None => (order, self.stored(*result, part), count),
            });
        }
        let mut results: Vec<Atom> = Vec::new();
        for ((order, values, count), state) in values.into_iter().zip(states) {
            results.push(self.put(state.var, order, values, count).into());
        }
        if let Some(k) = cond {
            let conds = results[k].var().or_bug("an array of conditions");
            results.push(self.any(conds, space));
        }
        Ok(results)
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
