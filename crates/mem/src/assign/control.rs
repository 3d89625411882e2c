//! Branches, loops and calls: arrays whose block is known only at run time.

use super::Assign;
use super::joins::{Attempt, Next, Strides};
use super::uses::Copied;
use crate::arith::substitute;
use crate::lmad::Lmad;
use crate::table::{Place, contents, small};
use fehu_base::{OrBug, bug};
use fehu_facts::poly::Poly;
use fehu_facts::{handed_on, in_place};
use fehu_ir::free::bound_in_body;
use fehu_ir::{Atom, Body, Exp, Item, LoopParam, Stm, Type, Var};
use rustc_hash::FxHashSet;

/// How often the bodies of a function's loops are given places once more, because of the strides of what these hand on.
const MAX_ATTEMPTS: usize = 64;

impl Assign<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn control(&mut self, stm: &mut Stm) {
        let pat = &mut stm.pat;
        match &mut stm.exp {
            Exp::If(_, bodies) => self.branches(pat, bodies.iter_mut().collect()),
            Exp::Switch(_, switch) => {
                let cases = switch.cases.iter_mut().map(|(_, body)| body);
                self.branches(pat, cases.chain([&mut switch.default]).collect());
            }
            Exp::Loop(params, _, body) => self.loop_(pat, params, body),
            Exp::Call(fun, args) => {
                for arg in args.iter_mut() {
                    *arg = self.contiguous(*arg);
                }
                if self.prog.funs[*fun].foreign.is_some() {
                    return pat.iter().for_each(|var| self.written_by_others(*var));
                }
                let mut strides = Vec::new();
                for (k, var) in pat.iter_mut().enumerate() {
                    let param =
                        self.tables.get(&Item::Fun(*fun)).and_then(|table| table.returned[k]);
                    if let Some(arg) = param.and_then(|param| args.get(param)) {
                        self.changed(*var, *arg);
                    } else if let Some(more) = self.received(var, k, (*fun, args)) {
                        strides.extend(more);
                    } else {
                        self.carried(*var);
                        self.may_be_argument(*var, args);
                    }
                }
                pat.extend(strides);
            }
            _ => bug("this is no branch, loop or call"),
        }
    }

    /// A result of a foreign function, which writes it to memory that it is given.
    fn written_by_others(&mut self, var: Var) {
        self.fresh(var, var);
        if let Some(block) = self.table.place(var).map(|place| place.block) {
            self.table.blocks[block].heap = true;
        }
    }

    /// A result of a call is an argument, changed in place, which is contiguous.
    fn changed(&mut self, var: Var, arg: Atom) {
        let Some((_, place)) = self.array(arg) else { return };
        let lmad = Lmad { offset: place.lmad.offset, ..self.layout(var) };
        self.table.set(var, Place { block: place.block, lmad });
    }

    /// A result of a call may be an argument, or a part of one.
    pub(super) fn may_be_argument(&mut self, var: Var, args: &[Atom]) {
        let Some(elem) = contents(&self.vars[var].ty) else { return };
        for arg in args {
            let same = arg.var().and_then(|arg| contents(&self.vars[arg].ty)) == Some(elem);
            if same {
                self.escapes(*arg);
                self.add_roots(var, self.roots_of(*arg));
            }
        }
    }

    /// A block of its own for a small array that would otherwise carry one. Whether it was small.
    fn own(&mut self, var: Var, before: Var) -> bool {
        let is_small =
            small(self.vars[var].ty.shape()).is_some() && contents(&self.vars[var].ty).is_some();
        if is_small {
            self.fresh(var, before);
        }
        is_small
    }

    fn branches(&mut self, pat: &mut Vec<Var>, bodies: Vec<&mut Body>) {
        let own: Vec<bool> = pat.iter().map(|var| self.own(*var, *var)).collect();
        let mut bodies = bodies;
        bodies.iter_mut().for_each(|body| self.plain_body(body));
        for (number, is_own) in own.into_iter().enumerate() {
            let var = pat[number];
            if is_own || self.stays(var, number, &bodies) {
                continue;
            }
            self.carried(var);
            let values: Vec<Atom> = bodies.iter().map(|body| body.results[number]).collect();
            let bound: FxHashSet<Var> =
                bodies.iter().flat_map(|body| bound_in_body(body)).collect();
            if let Some(strides) = self.joined(var, &values, &bound) {
                pat.extend(self.carried_by(var, &strides).1);
                for body in &mut bodies {
                    let value = body.results[number];
                    self.carries(var, value);
                    self.after(body, |this, body| {
                        body.results.extend(this.unknown_strides(value, &strides));
                    });
                }
                continue;
            }
            for body in &mut bodies {
                self.after(body, |this, body| {
                    let result = this.in_order_of(var, body.results[number]);
                    this.carries(var, result);
                    body.results[number] = result;
                });
            }
        }
    }

    /// Whether all values of a branch's result are one array from outside, changed in place or as it is: so the result is there.
    fn stays(&mut self, var: Var, number: usize, bodies: &[&mut Body]) -> bool {
        let mut places = bodies.iter().map(|body| {
            let value = body.results[number].var()?;
            let from = handed_on(self.prog, body, number)?;
            let place = self.table.place(value)?;
            let is_there =
                self.table.place(from)? == place && self.vars[from].ty == self.vars[var].ty;
            is_there.then(|| (from, place.clone()))
        });
        let Some(Some(first)) = places.next() else { return false };
        let stays = places.all(|other| other.as_ref() == Some(&first))
            && self.table.in_order_of(var, &first.1.lmad);
        if stays {
            self.table.set(var, first.1);
        }
        stays
    }

    /// A variable may be where an operand is.
    fn carries(&mut self, var: Var, atom: Atom) {
        self.escapes(atom);
        self.add_roots(var, self.roots_of(atom));
    }

    /// A loop. Views with gaps, or in another order, are handed on as they are if that pays, which is known when the
    /// body has its places; otherwise they are copied.
    fn loop_(&mut self, pat: &mut Vec<Var>, params: &mut Vec<LoopParam>, body: &mut Body) {
        let mut attempt = Attempt::plain(params.len());
        while self.may_differ(params, body) && self.attempts < MAX_ATTEMPTS {
            self.attempts += 1;
            let (table, roots, destined) =
                (self.table.clone(), self.roots.clone(), self.destined.clone());
            let (before, stms, length) = (params.clone(), body.clone(), self.out.len());
            let (failed, bound) = (self.failed.clone(), pat.len());
            self.loop_with(pat, params, body, &mut attempt);
            let next = attempt.next();
            if matches!(next, Next::Done) && self.failed == failed {
                return;
            }
            (self.table, self.roots, self.destined) = (table, roots, destined);
            self.failed = failed;
            self.out.truncate(length);
            pat.truncate(bound);
            *params = before;
            *body = stms;
            self.table.unjoined.extend(std::mem::take(&mut attempt.unjoined));
            match next {
                Next::Again(next) => attempt = next,
                Next::Done | Next::Copies => break,
            }
        }
        let mut plain = Attempt::plain(params.len());
        self.loop_with(pat, params, body, &mut plain);
    }

    /// A loop some of whose parameters have strides of their own.
    fn loop_with(
        &mut self,
        pat: &mut Vec<Var>,
        params: &mut Vec<LoopParam>,
        body: &mut Body,
        attempt: &mut Attempt,
    ) {
        let Some(before) = pat.first().copied() else { return self.plain_body(body) };
        let strides: Vec<Option<Strides>> = (0..params.len()).map(|k| attempt.strides(k)).collect();
        let mut more = Vec::new();
        let mut targets: Vec<Option<Place>> = Vec::with_capacity(params.len());
        for (k, param) in params.iter_mut().enumerate() {
            if self.own(param.var, before) {
                targets.push(self.table.place(param.var).cloned());
                continue;
            }
            if let Some(strides) = &strides[k] {
                self.carried(param.var);
                self.carries(param.var, param.init);
                let (_, vars) = self.carried_by(param.var, strides);
                let inits = self.unknown_strides(param.init, strides);
                more.extend(vars.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init }));
                targets.push(None);
                continue;
            }
            let stays = in_place(self.prog, param.var, body, k);
            // What stays where its first value is may have any strides; kernels must know its order.
            if self.beside_kernels || !stays || self.first_place(param).is_none() {
                attempt.copies(self, k, param, param.init, Copied::BeforeLoop);
                param.init = self.in_order_of(param.var, param.init);
            }
            if let Some(place) = self.first_place(param).filter(|_| stays) {
                self.table.set(param.var, place.clone());
                targets.push(Some(place));
                continue;
            }
            self.escapes(param.init);
            self.carried(param.var);
            self.add_roots(param.var, self.roots_of(param.init));
            targets.push(None);
        }
        self.body(body, |this, body| {
            for (k, (result, param)) in body.results.iter_mut().zip(params.iter()).enumerate() {
                if strides[k].is_none() && targets[k].is_none() {
                    attempt.copies(this, k, param, *result, Copied::Here);
                    *result = this.in_order_of(param.var, *result);
                }
            }
            this.settle(&mut body.results, &targets);
            for ((result, target), param) in body.results.iter().zip(&targets).zip(params.iter()) {
                if target.is_none() {
                    this.escapes(*result);
                    this.add_roots(param.var, this.roots_of(*result));
                }
            }
            for (k, param) in params.iter().enumerate() {
                let Some(strides) = &strides[k] else { continue };
                attempt.hands_on(this, k, param, body.results[k]);
                body.results.extend(this.unknown_strides(body.results[k], strides));
            }
        });
        self.last_values(pat, params, &more);
        params.extend(more);
    }

    /// The last values are where the parameters are, with strides that are the last ones, too.
    fn last_values(&mut self, pat: &mut Vec<Var>, params: &[LoopParam], strides: &[LoopParam]) {
        let last: Vec<Var> = strides.iter().map(|_| self.new_var("stride", Type::I64)).collect();
        let after = |var: Var| {
            let k = strides.iter().position(|param| param.var == var)?;
            Some(Poly::var(last[k]))
        };
        for (var, param) in pat.iter().zip(params.iter()) {
            self.same(*var, Atom::Var(param.var));
            if let Some(place) = self.table.place(*var).cloned() {
                let mut lmad = Lmad { offset: place.lmad.offset, ..self.layout(*var) };
                if self.table.is_strided(param.var) {
                    for (dim, other) in lmad.dims.iter_mut().zip(&place.lmad.dims) {
                        let stride = substitute(&other.stride, &after);
                        dim.stride = stride.or_bug("one variable for another");
                    }
                }
                self.table.set(*var, Place { lmad, ..place });
            }
        }
        pat.extend(last);
    }

    /// Where the first value of a parameter is, if it has the same sizes.
    fn first_place(&self, param: &LoopParam) -> Option<Place> {
        let (init, place) = self.array(param.init)?;
        (self.vars[init].ty == self.vars[param.var].ty).then_some(place)
    }
}
