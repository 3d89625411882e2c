//! The statements of functions, lifted over all positions of a space.
//!
//! What is avoided is moved to the host; what is cheap is repeated where it is needed; what is irregular is lifted by
//! itself; and as much of the rest as possible is collected in one map over the positions.

use super::space::{Around, Home, RowsOf, Space, whole};
use super::{Applied, Irregular, Lifted, apply, irregular, irregular_in, stays};
use crate::hosted::body_calls_any;
use crate::is_sequential;
use fehu_base::{OrBug, Prim};
use fehu_facts::{consumed, cost};
use fehu_ir::builder::{Builder, atom_type};
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::copy_stm;
use fehu_ir::{Atom, BinOp, Body, CmpOp, Dim, Elem, Exp, Lambda, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashSet;

/// What becomes of a statement.
enum Kind {
    Host,
    Repeated,
    /// One thread executes it at each position.
    Sequential,
    Irregular,
}

impl Irregular<'_> {
    /// An operator of the host, lifted; the arrays with its results.
    pub(super) fn whole(&mut self, stm: &Stm, op: &Applied<'_>) -> Lifted<Vec<Atom>> {
        self.spaces.push(Space { count: op.width, around: None });
        self.given.extend(op.inputs);
        for (param, input) in op.map.params.iter().zip(op.inputs) {
            match &self.vars[*input].ty {
                Type::Acc(of) => drop(self.accs.insert(*of, *input)),
                Type::Scalar(_) | Type::Array(..) => {
                    self.homes.insert((*param, 0), Home::Stored(*input));
                }
            }
        }
        self.body(&op.map.body, 0)?;
        self.settle();
        let results = &op.map.body.results;
        let flatmap = if let Exp::Flatmap(op) = &stm.exp { Some(op) } else { None };
        let plain = flatmap.map_or(results.len(), |op| op.plain());
        let (plain, pieces) = results.split_at(plain);
        let mut arrays = Vec::with_capacity(results.len());
        for result in plain {
            let array = match atom_type(*result, self.vars) {
                Type::Acc(of) => *self.accs.get(&of).or_bug("an accumulator of the host"),
                Type::Scalar(_) | Type::Array(..) => self.stored(*result, 0),
            };
            arrays.push(self.own(array, op.inputs, &arrays));
        }
        if flatmap.is_some() {
            let total = self.pieces(stm, plain[0], pieces, op.inputs, &mut arrays)?;
            return Ok([total].into_iter().chain(arrays.into_iter().map(Atom::Var)).collect());
        }
        if matches!(&stm.exp, Exp::Screma(op) if op.folded() == 0) {
            return Ok(arrays.into_iter().map(Atom::Var).collect());
        }
        // What is left of the operator, with what its function yields at hand.
        let identity = self.identity(&op.map.ret);
        let exp = apply(&stm.exp, arrays, identity);
        let rest =
            copy_stm(&Stm { loc: stm.loc.clone(), ..Stm::new(stm.pat.clone(), exp) }, self.vars);
        let results = rest.pat.iter().map(|var| Atom::Var(*var)).collect();
        self.out.push(rest);
        Ok(results)
    }

    /// An array of the host that shares no memory with inputs and other results.
    fn own(&mut self, array: Var, inputs: &[Var], others: &[Var]) -> Var {
        let shared = inputs.contains(&array) || others.contains(&array);
        match self.vars[array].ty.clone() {
            ty @ Type::Array(..) if shared => self.bind("own", ty, Exp::Copy(array)),
            Type::Array(..) | Type::Scalar(_) | Type::Acc(_) => array,
        }
    }

    /// The pieces of a flatmap, which are rows, one after the other; how many elements they have together.
    fn pieces(
        &mut self,
        stm: &Stm,
        size: Atom,
        pieces: &[Atom],
        inputs: &[Var],
        arrays: &mut Vec<Var>,
    ) -> Lifted<Atom> {
        let mut total = None;
        for piece in pieces {
            let ty = atom_type(*piece, self.vars);
            let common = ty.rank() - 1;
            if self.labels.is_avoided(size) || self.common(&ty) != common {
                return Err(stays("all pieces have the same size", stm));
            }
            let rows = self.rows_like(&ty, common, 0);
            self.note_copy();
            let data = self.packed(*piece, common, 0, &rows);
            arrays.push(self.own(data, inputs, arrays));
            total = Some(rows.total);
        }
        total.ok_or_else(|| stays("only the sizes of its pieces are needed", stm))
    }

    /// The function that returns what it gets.
    pub(super) fn identity(&mut self, types: &[Type]) -> Lambda {
        let params: Vec<Var> = types
            .iter()
            .map(|ty| self.vars.push(VarInfo { hint: "x".into(), ty: ty.clone() }))
            .collect();
        let results = params.iter().map(|param| Atom::Var(*param)).collect();
        Lambda { params, body: Body::of(results), ret: types.to_vec() }
    }

    /// The statements of a function, at all positions of a space.
    pub(super) fn body(&mut self, body: &Body, space: usize) -> Lifted<()> {
        let mut pending = Vec::new();
        for (k, stm) in body.stms.iter().enumerate() {
            let alias = self.alias(stm);
            let stm = alias.as_ref().unwrap_or(stm);
            match self.kind(stm) {
                Kind::Host => self.out.push(stm.clone()),
                Kind::Repeated => {
                    for var in &stm.pat {
                        self.homes.insert((*var, space), Home::Repeated(stm.clone()));
                    }
                    // What stands between others may need it, and it may need what is before.
                    pending.push(stm.clone());
                }
                Kind::Sequential => pending.push(stm.clone()),
                Kind::Irregular => {
                    self.flush(&mut pending, &body.stms[k..], &body.results, space)?;
                    self.look_ahead(stm, space, k);
                    self.irregular(stm, space)?;
                }
            }
        }
        self.flush(&mut pending, &[], &body.results, space)
    }

    /// A copy of rows that nothing changes, and that does not change itself, is another name for them.
    fn alias(&self, stm: &Stm) -> Option<Stm> {
        let (Exp::Copy(array) | Exp::Manifest(array)) = stm.exp else { return None };
        let differs = !self.labels.is_regular(&self.vars[array].ty);
        let alias = Stm { exp: Exp::Atom(array.into()), ..stm.clone() };
        (differs && !self.changes(&[array], &stm.pat)).then_some(alias)
    }

    /// Whether there is an array among variables that the lifted operator changes.
    fn changes(&self, free: &[Var], bound: &[Var]) -> bool {
        let mut arrays = free.iter().chain(bound).filter(|var| self.vars[**var].ty.is_array());
        let class = |var: &Var| self.share.class(*var);
        arrays.any(|var| class(var).is_none_or(|class| self.changed.contains(&class)))
    }

    fn kind(&mut self, stm: &Stm) -> Kind {
        let free = free_in_stm(stm, self.vars);
        let is_acc = |var: &Var| matches!(self.vars[*var].ty, Type::Acc(_));
        let plain = !stm.pat.iter().any(is_acc);
        let avoided = free.iter().all(|var| self.labels.is_avoided((*var).into()));
        if avoided
            && plain
            && self.effects.speculable(&stm.exp, self.vars)
            && !self.changes(&free, &stm.pat)
        {
            return Kind::Host;
        }
        self.labels.all_differ(stm.pat.iter().copied(), self.vars);
        if plain && !self.changes(&free, &stm.pat) && self.weigh(stm, &free) {
            return Kind::Repeated;
        }
        if is_sequential(stm) {
            return Kind::Sequential;
        }
        let makes = stm.pat.iter().any(|var| !self.labels.is_regular(&self.vars[*var].ty));
        match makes || irregular(stm, &self.labels).is_some() {
            true => Kind::Irregular,
            false => Kind::Sequential,
        }
    }

    /// Whether a statement is cheap enough to be repeated, and may be.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are repeated if they yield scalars"
    )]
    fn weigh(&mut self, stm: &Stm, free: &[Var]) -> bool {
        let scalars = stm.pat.iter().all(|var| matches!(self.vars[*var].ty, Type::Scalar(_)));
        let fits = match &stm.exp {
            Exp::Replicate(_, atom) => matches!(atom_type(*atom, self.vars), Type::Scalar(_)),
            Exp::Iota(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..) => true,
            Exp::Atom(_) => true,
            Exp::Scratch(..) => false,
            _ => scalars,
        };
        if !fits || self.effects.exp(&stm.exp) {
            return false;
        }
        let Some(own) = cost::weigh_stm(stm, self.vars) else { return false };
        let before = free.iter().filter_map(|var| self.weights.get(var));
        let weight = before.fold(own, |a, b| a.saturating_add(*b));
        // Rows are nowhere but where they are views of.
        let makes = stm.pat.iter().any(|var| !self.labels.is_regular(&self.vars[*var].ty));
        if weight > cost::NEST_LIMIT && !makes {
            return false;
        }
        self.weights.extend(stm.pat.iter().map(|var| (*var, weight)));
        true
    }

    /// What statements and results need in a space, also by way of what is repeated there.
    fn needed(&self, rest: &[Stm], results: &[Atom], space: usize) -> FxHashSet<Var> {
        let mut work: Vec<Var> = results.iter().filter_map(|atom| atom.var()).collect();
        rest.iter().for_each(|stm| work.extend(free_in_stm(stm, self.vars)));
        let mut needed = FxHashSet::default();
        while let Some(var) = work.pop() {
            if needed.insert(var)
                && let Some(Home::Repeated(stm)) = self.homes.get(&(var, space))
            {
                work.extend(free_in_stm(stm, self.vars));
            }
        }
        needed
    }

    /// Executes what is pending, and stores what the rest needs of it.
    fn flush(
        &mut self,
        pending: &mut Vec<Stm>,
        rest: &[Stm],
        results: &[Atom],
        space: usize,
    ) -> Lifted<()> {
        let stms = std::mem::take(pending);
        let needed = self.needed(rest, results, space);
        let changed: FxHashSet<Var> =
            stms.iter().flat_map(|stm| consumed(self.prog, stm)).collect();
        let bound: FxHashSet<Var> = stms.iter().flat_map(|stm| stm.pat.iter().copied()).collect();
        let stms = self.with_own_arrays(stms, space);
        let mut kept: Vec<Var> = Vec::new();
        for stm in &stms {
            for var in &stm.pat {
                let home = self.homes.contains_key(&(*var, space));
                if home || !needed.contains(var) || changed.contains(var) {
                    continue;
                }
                let ty = &self.vars[*var].ty;
                if *ty == Type::CERT {
                    continue;
                }
                if !self.labels.is_regular(ty) {
                    return Err(stays("one thread makes an array whose size differs", stm));
                }
                kept.push(*var);
            }
        }
        let effects = stms.iter().any(|stm| self.effects.exp(&stm.exp));
        if effects && kept.is_empty() {
            self.settle();
            self.unchecked = Some((space, stms));
        } else if !kept.is_empty() {
            let arrays = self.flat_map(&stms, &kept, space);
            for (var, array) in kept.iter().zip(arrays) {
                if !matches!(self.vars[array].ty, Type::Acc(_)) {
                    self.homes.insert((*var, space), Home::Stored(array));
                }
            }
        }
        for var in bound.iter().filter(|var| self.vars[**var].ty == Type::CERT) {
            self.homes.entry((*var, space)).or_insert(Home::Passed);
        }
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others make no array, or are told")]
    fn irregular(&mut self, stm: &Stm, space: usize) -> Lifted<()> {
        match &stm.exp {
            Exp::Replicate(shape, value) => self.replicate(stm, shape, *value, space),
            Exp::Copy(array) | Exp::Manifest(array) => self.copy(stm, *array, space),
            Exp::Concat(_, arrays) => self.concat(stm, arrays, space),
            Exp::Scratch(..) => self.scratch(stm, space),
            Exp::Update(array, dims, value) => self.update(stm, *array, dims, *value, space),
            Exp::Atom(_)
            | Exp::Iota(..)
            | Exp::Index(..)
            | Exp::FlatIndex(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..) => self.view(stm, space),
            Exp::Screma(op) => return self.screma(stm, op, space),
            Exp::Partition(op) => return self.partition(stm, op, space),
            Exp::Scatter(op) => return self.scatter(stm, op, space),
            Exp::Hist(op) => return self.hist(stm, op, space),
            Exp::If(cond, bodies) => return self.branch(stm, *cond, bodies, space),
            Exp::Switch(value, switch) => return self.switch(stm, *value, switch, space),
            Exp::Loop(params, form, body) => return self.repeat(stm, params, form, body, space),
            Exp::Call(..) => {
                return Err(stays("it calls a function with arrays of differing sizes", stm));
            }
            Exp::Stream(_) => {
                return Err(stays("streams of differing sizes are not lifted yet", stm));
            }
            Exp::FlatUpdate(..) => {
                return Err(stays(
                    "a view by strides is updated in an array whose size differs",
                    stm,
                ));
            }
            _ => return Err(stays("an array whose size differs is made in another way", stm)),
        }
        Ok(())
    }

    /// Whether a function is lifted by itself: parts of it are irregular, or the host calls other functions in it.
    pub(super) fn has_parts(&self, map: &Lambda) -> bool {
        irregular_in(&map.body, &self.labels).is_some() || body_calls_any(&map.body, self.hosted)
    }

    fn screma(&mut self, stm: &Stm, op: &Screma, space: usize) -> Lifted<()> {
        let folds = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        if !folds.clone().all(crate::plan::is_scalar_operator) {
            return Err(stays("it combines arrays", stm));
        }
        if folds.into_iter().any(|fold| body_calls_any(&fold.body, self.hosted)) {
            return Err(stays("it combines elements by a function that kernels cannot call", stm));
        }
        let rows = self.rows_of(op.width, space);
        self.note_reads(op, space);
        if !self.has_parts(&op.map) && self.has_regular_elements(stm, op.folded()) {
            return self.row_operator(stm, op, space, &rows);
        }
        self.nested(stm, op, space, &rows)
    }

    /// An operator whose function one thread executes.
    fn row_operator(&mut self, stm: &Stm, op: &Screma, space: usize, rows: &RowsOf) -> Lifted<()> {
        let map = self.with_own_params(&op.map);
        let own = Exp::Screma(Box::new(Screma { map, ..op.clone() }));
        let wide = self.operator_as_wide(&Stm { exp: own, ..stm.clone() }, space, rows);
        let arrays = self.row_seg(wide, space, rows);
        let scanned: usize = op.scans.iter().map(|scan| scan.neutral.len()).sum();
        for (k, (var, array)) in stm.pat.iter().zip(arrays).enumerate() {
            if matches!(self.vars[array].ty, Type::Acc(_)) {
                continue;
            }
            let home = match (scanned..op.folded()).contains(&k) {
                true => Home::Stored(array),
                false => Home::Row(array, rows.start),
            };
            self.homes.insert((*var, space), home);
        }
        Ok(())
    }

    /// An operator that is as wide as rows are, also if its width was the same everywhere.
    fn operator_as_wide(&mut self, stm: &Stm, space: usize, rows: &RowsOf) -> Stm {
        let mut stm = stm.clone();
        let Exp::Screma(op) = &mut stm.exp else { return stm };
        let width = std::mem::replace(&mut op.width, rows.width.into());
        if width == Atom::Var(rows.width) {
            return stm;
        }
        op.inputs = self.as_wide(&op.inputs, space, rows);
        for var in &mut stm.pat {
            let VarInfo { hint, mut ty } = self.vars[*var].clone();
            if let Type::Array(_, shape) = &mut ty
                && shape.first() == Some(&width)
            {
                shape[0] = rows.width.into();
            }
            *var = self.local(&hint, ty);
        }
        stm
    }

    /// An operator whose function is lifted as well: over all positions of all rows.
    fn nested(&mut self, stm: &Stm, op: &Screma, space: usize, rows: &RowsOf) -> Lifted<()> {
        let inner = self.spaces.len();
        self.spaces
            .push(Space { count: rows.total, around: Some(Around::Rows(space, rows.clone())) });
        let mut others = Vec::new();
        for (param, input) in op.map.params.iter().zip(&op.inputs) {
            if matches!(self.vars[*param].ty, Type::Acc(_)) {
                continue;
            }
            let home = match self.labels.is_avoided((*input).into()) {
                true => None,
                false => Some(self.home(*input, space)),
            };
            match home {
                Some(Home::Row(data, start)) if start == rows.start => {
                    self.homes.insert((*param, inner), Home::Stored(data));
                }
                _ => others.push((*param, *input)),
            }
        }
        // Rows of irregular arrays are looked up by their numbers, the others are copied.
        let is_regular = |this: &Self, param: Var| this.labels.is_regular(&this.vars[param].ty);
        let (others, views): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(param, _)| is_regular(self, *param));
        if !views.is_empty() {
            let positions = self.positions(rows.width.into(), space);
            let identity = self.identity(&[Type::I64]);
            let numbers = self.row_map(identity, &[positions], space, rows)[0];
            let number = self.local("number", Type::I64);
            self.homes.insert((number, inner), Home::Stored(numbers));
            for (param, input) in views {
                let sizes = self.vars[param].ty.shape().iter().map(|size| whole(*size));
                let dims = std::iter::once(Dim::Fix(number.into())).chain(sizes).collect();
                let stm = Stm::new(vec![param], Exp::Index(input, dims));
                self.homes.insert((param, inner), Home::Repeated(stm));
            }
        }
        if !others.is_empty() {
            let types: Vec<Type> =
                others.iter().map(|(param, _)| self.vars[*param].ty.clone()).collect();
            let identity = self.identity(&types);
            let inputs: Vec<Var> = others.iter().map(|(_, input)| *input).collect();
            let arrays = self.row_map(identity, &inputs, space, rows);
            for ((param, _), array) in others.iter().zip(arrays) {
                self.homes.insert((*param, inner), Home::Stored(array));
            }
        }
        self.body(&op.map.body, inner)?;
        let folded = op.folded();
        for (result, var) in op.map.body.results[folded..].iter().zip(&stm.pat[folded..]) {
            self.row_result(*result, *var, (space, inner), rows);
        }
        if folded == 0 {
            self.leave(inner);
            return Ok(());
        }
        let mut inputs = Vec::with_capacity(folded);
        for (result, ty) in op.map.body.results[..folded].iter().zip(&op.map.ret) {
            let array = self.stored(*result, inner);
            let row = self.local("row", super::space::array_of(ty, rows.width.into()));
            self.homes.insert((row, space), Home::Row(array, rows.start));
            inputs.push(row);
        }
        self.leave(inner);
        let map = self.identity(&op.map.ret[..folded]);
        let exp = Exp::Screma(Box::new(Screma { inputs, map, ..op.clone() }));
        let folds = Stm { pat: stm.pat[..folded].to_vec(), exp, ..stm.clone() };
        let wide = self.operator_as_wide(&folds, space, rows);
        let arrays = self.row_seg(wide, space, rows);
        let scanned: usize = op.scans.iter().map(|scan| scan.neutral.len()).sum();
        for (k, (var, array)) in folds.pat.iter().zip(arrays).enumerate() {
            let home = if k < scanned { Home::Row(array, rows.start) } else { Home::Stored(array) };
            self.homes.insert((*var, space), home);
        }
        Ok(())
    }

    /// The rows of a variable in the space around, of its values at the positions inside.
    fn row_result(
        &mut self,
        result: Atom,
        var: Var,
        (space, inner): (usize, usize),
        rows: &RowsOf,
    ) {
        let ty = atom_type(result, self.vars);
        if matches!(ty, Type::Acc(_)) {
            return;
        }
        if self.labels.is_regular(&ty) {
            let array = self.stored(result, inner);
            self.homes.insert((var, space), Home::Row(array, rows.start));
            return;
        }
        // The rows of all positions inside, one after the other.
        let common = self.common(&ty);
        let packed = self.rows_like(&ty, common, inner);
        let data = self.packed(result, common, inner, &packed);
        let start = self.local("start", Type::I64);
        let first = self.first_element(start, rows, packed.ends, space);
        self.homes.insert((start, space), Home::Repeated(first));
        self.homes.insert((var, space), Home::Row(data, start));
    }

    /// Where the elements of a row of rows start: where the rows before it end.
    fn first_element(&mut self, start: Var, rows: &RowsOf, ends: Var, space: usize) -> Stm {
        let some = self.local("some", Type::Scalar(Elem::Prim(Prim::Bool)));
        let test = Exp::CmpOp(CmpOp::Lt, Atom::i64(0), rows.start.into());
        self.homes.insert((some, space), Home::Repeated(Stm::new(vec![some], test)));
        let mut b = Builder::new(self.vars);
        let yes = b.body(|b| {
            let last = b.exp("last", Exp::BinOp(BinOp::Sub, rows.start.into(), Atom::i64(1)));
            vec![b.exp("end", Exp::Index(ends, vec![Dim::Fix(last.into())])).into()]
        });
        let no = Body::of(vec![Atom::i64(0)]);
        Stm::new(vec![start], Exp::If(some.into(), Box::new([yes, no])))
    }
}
