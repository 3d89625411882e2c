//! Branches, loops and calls.

use super::{Emit, Mem};
use fehu_base::id::Id;
use fehu_base::{OrBug, Prim};
use fehu_imp::{Arg, Exp, From, Kind, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, Body, ConstId, LoopForm, LoopParam, Switch, Type, Var};
use fehu_mem::table::{Moment, Origin, Place};

/// Where a result of a body goes.
enum Target<'a> {
    /// A scalar variable.
    Scalar(V),
    /// A place of its own, into which elements are copied.
    Own(&'a Place),
    /// A block that becomes whatever block the result is in.
    Carried(&'a Place),
    /// Nothing needs to be moved.
    Nothing,
}

impl<'a> Emit<'a> {
    pub(super) fn if_(&mut self, pat: &[Var], cond: Atom, bodies: &'a [Body; 2]) {
        let targets = self.targets(pat);
        if let Some(holds) = self.known_guard(cond) {
            let number = usize::from(!holds);
            let taken = self.branch(pat, number, &bodies[number], &targets);
            return self.out.extend(taken);
        }
        let cond = self.atom(cond);
        let [yes, no] = [0, 1].map(|number| self.branch(pat, number, &bodies[number], &targets));
        self.out.push(Stm::If(cond, yes, no));
    }

    pub(super) fn switch(&mut self, pat: &[Var], on: Atom, switch: &'a Switch) {
        let targets = self.targets(pat);
        let on = self.atom(on);
        let mut cases = Vec::with_capacity(switch.cases.len());
        for (number, (value, body)) in switch.cases.iter().enumerate() {
            cases.push((*value, self.branch(pat, number, body, &targets)));
        }
        let default = self.branch(pat, switch.cases.len(), &switch.default, &targets);
        self.out.push(Stm::Switch(on, cases, default));
    }

    /// Declares the variables to which the results of a branch are assigned.
    fn targets(&mut self, pat: &[Var]) -> Vec<Target<'a>> {
        let mut targets = Vec::with_capacity(pat.len());
        for var in pat {
            targets.push(match (self.place(*var), self.prim((*var).into())) {
                (Some(place), _) if self.carries(*var, place) => {
                    self.declare_mem(place.block);
                    Target::Carried(place)
                }
                (Some(place), _) => Target::Own(place),
                (None, Some(prim)) => {
                    let v = self.declare(&self.ir[*var].hint.clone(), prim, None);
                    self.scalars.insert(*var, Exp::Var(v));
                    Target::Scalar(v)
                }
                (None, None) => Target::Nothing,
            });
        }
        targets
    }

    /// Whether a block comes with a variable.
    fn carries(&self, var: Var, place: &Place) -> bool {
        self.table.blocks[place.block].origin == Origin::Carried(var)
    }

    /// A body of a branch, by its number.
    fn branch(
        &mut self,
        pat: &[Var],
        number: usize,
        body: &'a Body,
        targets: &[Target<'a>],
    ) -> fehu_imp::Block {
        self.block(|this| {
            this.release(pat, |var| Moment::Entry(var, number));
            this.inner(pat, number, body, targets);
        })
    }

    /// What a body of a branch or loop does, and what becomes of its results.
    fn inner(&mut self, pat: &[Var], number: usize, body: &'a Body, targets: &[Target<'a>]) {
        self.body(body);
        self.move_to(targets, &body.results);
        self.release(pat, |var| Moment::Exit(var, number));
        self.settle_after_sharing();
    }

    /// Moves the results of a body to where they belong, all at the same time.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other values are assigned as they are")]
    fn move_to(&mut self, targets: &[Target<'a>], results: &[Atom]) {
        let assigned: Vec<V> = targets.iter().flat_map(|target| self.assigned(target)).collect();
        let (mut moves, mut saved) = (Vec::new(), Vec::new());
        for (target, result) in targets.iter().zip(results) {
            match target {
                Target::Nothing => {}
                Target::Own(place) => self.write(place, *result),
                Target::Scalar(v) => match self.atom(*result) {
                    Exp::Var(same) if same == *v => {}
                    Exp::Var(other) if assigned.contains(&other) => {
                        let prim = self.prim_of(*result);
                        let saved = self.declare("next", prim, Some(Exp::Var(other)));
                        moves.push(Stm::Assign(*v, Exp::Var(saved)));
                    }
                    value => moves.push(Stm::Assign(*v, value)),
                },
                Target::Carried(place) => {
                    let from = self.place_of(*result).or_bug("place of an array");
                    let (to, mut source) = (self.mem(place.block), self.mem(from.block));
                    let mut index = self.poly(&from.lmad.offset);
                    if to.ptr == source.ptr && index == Exp::int(0) {
                        continue;
                    }
                    if assigned.contains(&source.ptr) {
                        source = self.saved(source, index, self.table.blocks[place.block].elem);
                        saved.extend(source.handle.filter(|_| self.is_host()).map(Stm::Free));
                        index = Exp::int(0);
                    } else if assigned.iter().any(|v| index.mentions(*v)) {
                        // Its beginning depends on a scalar that is about to change.
                        index = Exp::Var(self.declare("start", Prim::I64, Some(index)));
                    }
                    moves.extend(share(to, source, index));
                }
            }
        }
        self.out.append(&mut moves);
        self.out.append(&mut saved);
    }

    fn assigned(&mut self, target: &Target<'_>) -> Option<V> {
        match target {
            Target::Scalar(v) => Some(*v),
            Target::Carried(place) => Some(self.mem(place.block).ptr),
            Target::Own(_) | Target::Nothing => None,
        }
    }

    /// Another handle of a block whose handle is about to change.
    fn saved(&mut self, mem: Mem, index: Exp, elem: Prim) -> Mem {
        let (ptr, handle) =
            (self.new_var("next", Ty::ptr(elem)), self.new_var("next_mem", Ty::Mem));
        self.out.extend([Stm::Declare(handle, None), Stm::Declare(ptr, None)]);
        let copy = Mem { ptr, handle: Some(handle) };
        self.out.extend(share(copy, mem, index));
        copy
    }

    pub(super) fn loop_(
        &mut self,
        pat: &[Var],
        params: &[LoopParam],
        form: LoopForm,
        body: &'a Body,
    ) {
        let mut targets = Vec::with_capacity(params.len());
        for param in params {
            targets.push(match (self.place(param.var), self.prim(param.var.into())) {
                (Some(place), _) if self.carries(param.var, place) => {
                    let from = self.place_of(param.init).or_bug("place of an array");
                    let to = self.declare_mem(place.block);
                    let (source, index) = (self.mem(from.block), self.poly(&from.lmad.offset));
                    self.out.extend(share(to, source, index));
                    Target::Carried(place)
                }
                (Some(place), _) => {
                    self.write(place, param.init);
                    Target::Own(place)
                }
                (None, Some(prim)) => {
                    let init = self.atom(param.init);
                    let v = self.declare(&self.ir[param.var].hint.clone(), prim, Some(init));
                    self.scalars.insert(param.var, Exp::Var(v));
                    Target::Scalar(v)
                }
                (None, None) => Target::Nothing,
            });
        }
        self.release(pat, |var| Moment::Entry(var, 0));
        match form {
            LoopForm::For(var, bound) => {
                let to = self.atom(bound);
                let prim = self.prim_of(var.into());
                let v = self.new_var(&self.ir[var].hint.clone(), Ty::Scalar(prim));
                self.scalars.insert(var, Exp::Var(v));
                let body = self.block(|this| this.inner(pat, 0, body, &targets));
                let zero = Exp::Const(ir::Scalar::zero(prim));
                self.out.push(Stm::For {
                    var: v,
                    from: zero,
                    to,
                    step: 1,
                    kind: Kind::Sequential,
                    body,
                });
            }
            LoopForm::While(var) => {
                let cond = self.atom(var.into());
                let body = self.block(|this| this.inner(pat, 0, body, &targets));
                self.out.push(Stm::While(cond, body));
            }
        }
        for (var, param) in pat.iter().zip(params) {
            if let Some(value) = self.scalars.get(&param.var).cloned() {
                self.scalars.insert(*var, value);
            }
        }
    }

    pub(super) fn call(&mut self, pat: &[Var], fun: ir::FunId, args: &[Atom]) {
        let callee = &self.placed.prog.funs[fun];
        if let Some(symbol) = self.symbol_here(callee) {
            return self.call_foreign(pat, callee, symbol, args);
        }
        let passed: Vec<Arg> = args.iter().filter_map(|arg| self.passed(*arg)).collect();
        let returned = &self.placed.funs[fun].returned;
        let new = pat.iter().zip(returned).filter(|(_, param)| param.is_none());
        let new: Vec<Var> = new.map(|(var, _)| *var).collect();
        let results = self.received(&new);
        let vars: Vec<V> = results.iter().map(|(v, _)| *v).collect();
        self.out.push(Stm::Call(Self::fun_id(fun), vars, passed));
        self.point(results);
    }

    pub(super) fn constant(&mut self, pat: &[Var], id: ConstId) {
        // The results of the constant that are stored: those with contents.
        let stored = self.placed.prog.consts[id].results.iter();
        let vars = &self.placed.prog.consts[id].vars;
        let has_value = |var: &&Var| matches!(vars[**var].ty.elem(), Some(ir::Elem::Prim(_)));
        let count = stored.filter(has_value).count();
        let results = self.received(pat);
        let assigned = (0..count).zip(results.iter().map(|(v, _)| *v)).collect();
        self.out.push(Stm::Const(id.index(), assigned));
        self.point(results);
    }

    /// Declares variables for results that come from elsewhere, and the pointers that belong to handles.
    fn received(&mut self, pat: &[Var]) -> Vec<(V, Option<V>)> {
        let mut results = Vec::with_capacity(pat.len());
        for var in pat {
            if let Some(place) = self.place(*var) {
                let mem = self.declare_mem(place.block);
                results.extend(mem.handle.map(|handle| (handle, Some(mem.ptr))));
            } else if let Type::Scalar(ir::Elem::Prim(prim)) = self.ir[*var].ty {
                let v = self.declare(&self.ir[*var].hint.clone(), prim, None);
                self.scalars.insert(*var, Exp::Var(v));
                results.push((v, None));
            }
        }
        results
    }

    fn point(&mut self, results: Vec<(V, Option<V>)>) {
        for (handle, ptr) in results {
            if let Some(ptr) = ptr {
                self.out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
            }
        }
    }
}

/// Makes a handle and a pointer refer to another block, from a given element on.
fn share(to: Mem, from: Mem, index: Exp) -> Vec<Stm> {
    let handle = to.handle.map(|to| match from.handle {
        Some(from) => Stm::Share(to, from),
        None => Stm::Free(to),
    });
    handle.into_iter().chain([Stm::Point(to.ptr, From::Ptr(from.ptr), index)]).collect()
}
