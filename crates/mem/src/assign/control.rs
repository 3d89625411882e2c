//! Branches, loops and calls: arrays whose block is known only at run time.

use super::Assign;
use crate::lmad::Lmad;
use crate::table::{Place, contents, small};
use fehu_base::bug;
use fehu_facts::in_place;
use fehu_facts::poly::Poly;
use fehu_ir::free::bound_in_body;
use fehu_ir::{Atom, Body, Exp, Item, LoopParam, Var};

impl Assign<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn control(&mut self, pat: &[Var], exp: &mut Exp) {
        match exp {
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
                for (k, var) in pat.iter().enumerate() {
                    let param =
                        self.tables.get(&Item::Fun(*fun)).and_then(|table| table.returned[k]);
                    match param.and_then(|param| args.get(param)) {
                        Some(arg) => self.changed(*var, *arg),
                        None => {
                            self.carried(*var);
                            self.may_be_argument(*var, args);
                        }
                    }
                }
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
    fn may_be_argument(&mut self, var: Var, args: &[Atom]) {
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

    fn branches(&mut self, pat: &[Var], bodies: Vec<&mut Body>) {
        let own: Vec<bool> = pat.iter().map(|var| self.own(*var, *var)).collect();
        let mut bodies = bodies;
        bodies.iter_mut().for_each(|body| self.plain_body(body));
        for (number, var) in pat.iter().enumerate() {
            if own[number] {
                continue;
            }
            self.carried(*var);
            if let Some(strides) = self.common_strides(number, &bodies) {
                self.carried_by(*var, strides);
                for body in &bodies {
                    self.carries(*var, body.results[number]);
                }
                continue;
            }
            for body in &mut bodies {
                self.after(body, |this, body| {
                    let result = this.in_order_of(*var, body.results[number]);
                    this.carries(*var, result);
                    body.results[number] = result;
                });
            }
        }
    }

    /// A variable may be where an operand is.
    fn carries(&mut self, var: Var, atom: Atom) {
        self.escapes(atom);
        self.add_roots(var, self.roots_of(atom));
    }

    /// The strides of a result that all branches have, if that is a view with gaps or in another order: then it is passed on as it
    /// is. They are known outside of the branches.
    fn common_strides(&self, number: usize, bodies: &[&mut Body]) -> Option<Vec<Poly>> {
        if self.beside_kernels {
            return None;
        }
        let mut common: Option<Vec<Poly>> = None;
        for body in bodies {
            let (_, place) = self.array(body.results[number])?;
            let strides = strides_of(&place.lmad);
            let bound = bound_in_body(body);
            let is_known =
                !strides.iter().flat_map(|stride| stride.vars()).any(|var| bound.contains(&var));
            let is_same = common.as_ref().is_none_or(|common| *common == strides);
            if place.lmad.is_contiguous() || !is_known || !is_same {
                return None;
            }
            common = Some(strides);
        }
        common
    }

    /// The array comes with a block, in which its elements have these strides.
    fn carried_by(&mut self, var: Var, strides: Vec<Poly>) {
        let Some(mut place) = self.table.place(var).cloned() else { return };
        for (dim, stride) in place.lmad.dims.iter_mut().zip(strides) {
            dim.stride = stride;
        }
        self.table.set(var, place);
    }

    /// A loop. Views with gaps, or in another order, are handed on as they are if what follows the first has the same strides, which
    /// is known when the body has its places; otherwise they are copied.
    fn loop_(&mut self, pat: &[Var], params: &mut [LoopParam], body: &mut Body) {
        let strides: Vec<Option<Vec<Poly>>> =
            (0..params.len()).map(|k| self.strides_to_keep(&params[k], body, k)).collect();
        if strides.iter().any(Option::is_some) {
            let (table, roots, destined) =
                (self.table.clone(), self.roots.clone(), self.destined.clone());
            let (before, stms, length) = (params.to_vec(), body.clone(), self.out.len());
            let failed = self.failed.clone();
            if self.loop_with(pat, params, body, &strides) && self.failed == failed {
                return;
            }
            (self.table, self.roots, self.destined) = (table, roots, destined);
            self.failed = failed;
            self.out.truncate(length);
            params.clone_from_slice(&before);
            *body = stms;
        }
        self.loop_with(pat, params, body, &vec![None; strides.len()]);
    }

    /// The strides of the first value of a loop parameter, if it would have to be copied.
    fn strides_to_keep(&self, param: &LoopParam, body: &Body, k: usize) -> Option<Vec<Poly>> {
        let (_, place) = self.array(param.init)?;
        let is_copied = !self.beside_kernels
            && small(self.vars[param.var].ty.shape()).is_none()
            && !self.table.in_order_of(param.var, &place.lmad)
            && (!in_place(self.prog, param.var, body, k) || self.first_place(param).is_none());
        is_copied.then(|| strides_of(&place.lmad))
    }

    /// A loop some of whose parameters have these strides, and whether their next values have.
    fn loop_with(
        &mut self,
        pat: &[Var],
        params: &mut [LoopParam],
        body: &mut Body,
        strides: &[Option<Vec<Poly>>],
    ) -> bool {
        let Some(before) = pat.first().copied() else {
            self.plain_body(body);
            return true;
        };
        let mut kept = true;
        let mut targets: Vec<Option<Place>> = Vec::with_capacity(params.len());
        for (k, param) in params.iter_mut().enumerate() {
            if self.own(param.var, before) {
                targets.push(self.table.place(param.var).cloned());
                continue;
            }
            if let Some(strides) = &strides[k] {
                self.carried(param.var);
                self.carried_by(param.var, strides.clone());
                self.carries(param.var, param.init);
                targets.push(None);
                continue;
            }
            let stays = in_place(self.prog, param.var, body, k);
            // What stays where its first value is may have any strides; kernels must know its order.
            if self.beside_kernels || !stays || self.first_place(param).is_none() {
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
                if strides[k].is_some() {
                    let next = this.array(*result);
                    kept &=
                        next.is_some_and(|(_, next)| this.table.can_carry(param.var, &next.lmad));
                } else if targets[k].is_none() {
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
        });
        // The last values are where the parameters are.
        for (var, param) in pat.iter().zip(params.iter()) {
            self.same(*var, Atom::Var(param.var));
            if let Some(place) = self.table.place(*var).cloned() {
                let mut lmad = Lmad { offset: place.lmad.offset, ..self.layout(*var) };
                if self.table.is_strided(param.var) {
                    let dims = lmad.dims.iter_mut().zip(&place.lmad.dims);
                    dims.for_each(|(dim, other)| dim.stride = other.stride.clone());
                }
                self.table.set(*var, Place { lmad, ..place });
            }
        }
        kept
    }

    /// Where the first value of a parameter is, if it has the same sizes.
    fn first_place(&self, param: &LoopParam) -> Option<Place> {
        let (init, place) = self.array(param.init)?;
        (self.vars[init].ty == self.vars[param.var].ty).then_some(place)
    }
}

pub(super) fn strides_of(lmad: &Lmad) -> Vec<Poly> {
    lmad.dims.iter().map(|dim| dim.stride.clone()).collect()
}
