//! Control flow in lanes: which statements become one loop over lanes, and what happens around these loops.

use super::backward::Backward;
use super::rule::Plan;
use super::straight::Segment;
use super::{dead, short, uniform};
use crate::scalar::scalar;
use fehu_base::IdVec;
use fehu_imp::rewrite::substitute;
use fehu_imp::{Block, Exp, Kind, Prim, RedOp, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// The work on one loop.
pub(super) struct Lanes<'a> {
    pub(super) vars: &'a mut IdVec<V, VarInfo>,
    pub(super) width: u32,
    /// The type that booleans have at home: as wide as the other values, so that a vector has as many of them.
    pub(super) truth: Prim,
    pub(super) varying: FxHashSet<V>,
    /// The variable of the loop ...
    pub(super) index: V,
    /// ... and the one that has the index of the first lane.
    pub(super) base: V,
    /// The arrays in which variables that vary outlive a loop over lanes.
    homes: FxHashMap<V, V>,
    /// The local arrays of the body, which have an element for each lane where they had one, and their sizes.
    pub(super) locals: FxHashMap<V, V>,
    /// What is declared at the beginning of a block.
    arrays: Vec<V>,
    /// The loops that end together in all lanes, by their counters.
    backward: FxHashMap<V, Backward>,
    /// The copies of what does not vary.
    pub(super) copies: FxHashMap<V, V>,
    /// The regions in which variables are declared that vary.
    regions: FxHashMap<V, usize>,
    region_count: usize,
    /// The region at hand: code that is executed by the lanes of a mask; by all if there is none.
    pub(super) region: usize,
    pub(super) mask: Option<V>,
    pub(super) out: Block,
    pub(super) segment: Segment,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(vars: &'a mut IdVec<V, VarInfo>, plan: &Plan, index: V, base: V) -> Self {
        let lane = vars.push(lane_info());
        Lanes {
            vars,
            width: plan.width,
            truth: plan.truth,
            varying: plan.varying.clone(),
            index,
            base,
            homes: FxHashMap::default(),
            locals: FxHashMap::default(),
            backward: plan.backward.clone(),
            arrays: Vec::new(),
            copies: FxHashMap::default(),
            regions: FxHashMap::default(),
            region_count: 0,
            region: 0,
            mask: None,
            out: Block::new(),
            segment: Segment::new(lane),
        }
    }

    /// The body for a whole block of iterations.
    pub(super) fn body(&mut self, body: &Block, reductions: &[(V, RedOp)]) -> Block {
        let kept: Vec<V> = reductions.iter().map(|(v, _)| self.home(*v)).collect();
        reductions.iter().for_each(|(v, _)| self.declared(*v));
        let work = self.block(body);
        let mut out: Block = self
            .arrays
            .iter()
            .filter(|array| !kept.contains(array))
            .map(|&array| Stm::Declare(array, None))
            .collect();
        out.extend(work);
        dead::remove(self.vars, out, &kept)
    }

    /// Work of its own: what is declared and done inside comes out as a block.
    fn block(&mut self, block: &[Stm]) -> Block {
        self.nested(|this| this.stms(block))
    }

    pub(super) fn nested(&mut self, work: impl FnOnce(&mut Self)) -> Block {
        self.flush();
        let outer = std::mem::take(&mut self.out);
        work(self);
        self.flush();
        std::mem::replace(&mut self.out, outer)
    }

    /// Work in a region of which only the lanes of the mask execute something.
    fn masked(&mut self, mask: V, work: impl FnOnce(&mut Self)) {
        self.region_count += 1;
        let outer = (self.region, self.mask);
        (self.region, self.mask) = (self.region_count, Some(mask));
        work(self);
        (self.region, self.mask) = outer;
    }

    fn stms(&mut self, block: &[Stm]) {
        block.iter().for_each(|stm| self.stm(stm));
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest has no loops")]
    pub(super) fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Declare(v, _) if matches!(self.vars[*v].ty, Ty::Mem | Ty::Ptr(..)) => {
                self.declare_memory(*v);
            }
            Stm::Alloc(handle, prim, size) => self.allocate(*handle, *prim, size),
            Stm::Free(handle) => {
                self.flush();
                let handle = self.copy(*handle);
                self.out.push(Stm::Free(handle));
            }
            Stm::Point(ptr, from, index) => self.point(*ptr, *from, index),
            Stm::Declare(v, e) if self.is_uniform_scalar(*v) => {
                if e.as_ref().is_some_and(loads) && self.segment.stores {
                    self.flush();
                }
                let value = e.as_ref().map(|e| self.uniform(e));
                let copy = self.copy(*v);
                self.out.push(Stm::Declare(copy, value));
            }
            Stm::Assign(v, e) if self.is_uniform_scalar(*v) => {
                self.flush();
                let (copy, value) = (self.copy(*v), self.uniform(e));
                self.out.push(Stm::Assign(copy, value));
            }
            Stm::If(cond, yes, no) => {
                let varies = uniform::varies(&self.varying, cond);
                if short::is_short(&self.varying, stm) && (varies || !short::accesses(stm)) {
                    self.straight(stm);
                } else if varies {
                    self.divergent_if(cond, yes, no);
                } else {
                    self.flush();
                    let cond = self.uniform(cond);
                    let (yes, no) = (self.block(yes), self.block(no));
                    self.out.push(Stm::If(cond, yes, no));
                }
            }
            Stm::While(cond, body) => {
                if uniform::varies(&self.varying, cond) {
                    self.divergent_while(cond, body);
                } else {
                    self.flush();
                    let cond = self.uniform(cond);
                    let body = self.block(body);
                    self.out.push(Stm::While(cond, body));
                }
            }
            Stm::For { var, from, to, step, body, .. } => {
                let from = self.uniform(from);
                if uniform::varies(&self.varying, to) {
                    if let Some(backward) = self.backward.get(var).copied() {
                        return self.backward_for(backward, body);
                    }
                    self.divergent_for(*var, from, to, *step, body);
                } else {
                    self.flush();
                    let (to, copy) = (self.uniform(to), self.copy(*var));
                    let body = self.block(body);
                    let (step, kind) = (*step, Kind::Sequential);
                    self.out.push(Stm::For { var: copy, from, to, step, kind, body });
                }
            }
            stm => self.straight(stm),
        }
    }

    fn divergent_if(&mut self, cond: &Exp, yes: &Block, no: &Block) {
        let holds = self.lane_exp(cond);
        let holds = self.atom("cond", Prim::Bool, holds);
        let sides = [(yes, holds.clone()), (no, not(holds))];
        let sides = sides.into_iter().filter(|(side, _)| !side.is_empty());
        let sides: Vec<_> = sides.map(|(side, here)| (side, self.mask_of(here))).collect();
        self.flush();
        for (side, (mask, any)) in sides {
            let body = self.nested(|this| this.masked(mask, |this| this.stms_flushed(side)));
            self.out.push(Stm::If(is_set(any), body, Block::new()));
        }
    }

    /// Statements up to the end of a region.
    fn stms_flushed(&mut self, block: &[Stm]) {
        self.stms(block);
        self.flush();
    }

    fn divergent_while(&mut self, cond: &Exp, body: &Block) {
        let here = self.lane_exp(cond);
        let (mask, any) = self.mask_of(here);
        self.flush();
        let body = self.nested(|this| {
            this.out.push(Stm::Assign(any, Exp::Const(Scalar::I32(0))));
            this.masked(mask, |this| {
                this.stms(body);
                let cond = this.lane_exp(cond);
                let on = this.value(mask);
                let on = this.atom("live", Prim::Bool, and(on, cond));
                // What has been computed counts for the lanes that were live.
                this.commit();
                this.update(mask, on.clone());
                this.add(any, on);
                this.flush();
            });
        });
        self.out.push(Stm::While(is_set(any), body));
    }

    /// The counter is the same for all lanes; each lane has its own end.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no variable gets one")]
    fn divergent_for(&mut self, var: V, from: Exp, to: &Exp, step: i64, body: &Block) {
        let prim = scalar(self.vars[var].ty);
        let end = self.fresh_varying("end", prim);
        let to = self.lane_exp(to);
        let to = self.atom("end", prim, to);
        self.set(end, to.clone());
        let from = match from {
            from @ (Exp::Const(_) | Exp::Var(_)) => from,
            from => {
                let v = self.new_var("first", Ty::Scalar(prim));
                self.out.push(Stm::Declare(v, Some(from)));
                Exp::Var(v)
            }
        };
        let last = self.new_var("last", Ty::Scalar(prim));
        self.out.push(Stm::Declare(last, Some(from.clone())));
        let until = match self.full_mask() {
            Some(on) => Exp::Select(Box::new([on, to, from.clone()])),
            None => to,
        };
        let most = Exp::Bin(BinOp::Max, prim, Box::new(Exp::Var(last)), Box::new(until));
        self.reduce(last, RedOp::Max, most);
        self.flush();
        let copy = self.copy(var);
        let body = self.nested(|this| {
            let more = this.value(end);
            let more = Exp::Cmp(CmpOp::Lt, prim, Box::new(Exp::Var(copy)), Box::new(more));
            this.where_it_holds(more, |this| this.stms(body));
        });
        let (to, kind) = (Exp::Var(last), Kind::Sequential);
        self.out.push(Stm::For { var: copy, from, to, step, kind, body });
    }

    /// Work in a region of the lanes that are on and for which the condition holds.
    pub(super) fn where_it_holds(&mut self, cond: Exp, work: impl FnOnce(&mut Self)) {
        let mask = self.fresh_varying("live", Prim::Bool);
        let on = match self.full_mask() {
            Some(outer) => and(outer, cond),
            None => cond,
        };
        self.masked(mask, |this| {
            this.declared(mask);
            this.set(mask, on);
            work(this);
            this.flush();
        });
    }

    /// A mask of the lanes that are on and for which the condition holds, and a variable that says whether there are any.
    fn mask_of(&mut self, here: Exp) -> (V, V) {
        let mask = self.fresh_varying("live", Prim::Bool);
        let on = match self.full_mask() {
            Some(outer) => and(outer, here),
            None => here,
        };
        let on = self.atom("live", Prim::Bool, on);
        self.set(mask, on.clone());
        let any = self.new_var("any", Ty::Scalar(Prim::I32));
        self.out.push(Stm::Declare(any, Some(Exp::Const(Scalar::I32(0)))));
        self.add(any, on);
        (mask, any)
    }

    /// The variable is set if the condition holds in a lane.
    fn add(&mut self, any: V, on: Exp) {
        let on = Box::new(Exp::Convert(Prim::Bool, Prim::I32, Box::new(on)));
        let more = Exp::Bin(BinOp::Or, Prim::I32, Box::new(Exp::Var(any)), on);
        self.reduce(any, RedOp::Or, more);
    }

    pub(super) fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    fn fresh_varying(&mut self, hint: &str, prim: Prim) -> V {
        let v = self.new_var(hint, Ty::Scalar(prim));
        self.varying.insert(v);
        self.declared(v);
        v
    }

    /// From here on, a variable that varies exists.
    pub(super) fn declared(&mut self, v: V) {
        self.regions.insert(v, self.region);
    }

    /// Whether all lanes for which the variable has a meaning are on.
    pub(super) fn is_of_region(&self, v: V) -> bool {
        self.regions.get(&v) == Some(&self.region)
    }

    /// The array in which a variable has a value for each lane.
    pub(super) fn home(&mut self, v: V) -> V {
        if let Some(home) = self.homes.get(&v) {
            return *home;
        }
        let VarInfo { hint, ty } = self.vars[v].clone();
        let prim = match ty {
            Ty::Scalar(Prim::Bool) => self.truth,
            Ty::Scalar(prim) | Ty::Ptr(_, prim) | Ty::Local(prim, _) | Ty::Shared(prim, _) => prim,
            Ty::Mem => Prim::U8,
        };
        let home = self.new_array(&hint, prim, self.width);
        self.homes.insert(v, home);
        home
    }

    pub(super) fn new_array(&mut self, hint: &str, prim: Prim, size: u32) -> V {
        let array = self.new_var(hint, Ty::Local(prim, size));
        self.arrays.push(array);
        array
    }

    fn is_uniform_scalar(&self, v: V) -> bool {
        !self.varying.contains(&v) && matches!(self.vars[v].ty, Ty::Scalar(_))
    }

    pub(super) fn copy(&mut self, v: V) -> V {
        if let Some(copy) = self.copies.get(&v) {
            return *copy;
        }
        let VarInfo { hint, ty } = self.vars[v].clone();
        let copy = self.new_var(&hint, ty);
        self.copies.insert(v, copy);
        copy
    }

    /// An expression that does not vary, outside loops over lanes.
    pub(super) fn uniform(&self, e: &Exp) -> Exp {
        let copies = &self.copies;
        substitute(e, &|v| copies.get(&v).copied().map(Exp::Var))
    }

    /// A loop over lanes.
    pub(super) fn lane_loop(&self, lane: V, kind: Kind, body: Block) -> Stm {
        let to = Exp::int(i64::from(self.width));
        Stm::For { var: lane, from: Exp::int(0), to, step: 1, kind, body }
    }
}

/// The variable of a loop over lanes.
pub(super) fn lane_info() -> VarInfo {
    VarInfo { hint: "lane".into(), ty: Ty::Scalar(Prim::I64) }
}

fn loads(e: &Exp) -> bool {
    e.any(&|e| matches!(e, Exp::Load(..)))
}

fn is_set(any: V) -> Exp {
    let zero = Exp::Const(Scalar::I32(0));
    not(Exp::Cmp(CmpOp::Eq, Prim::I32, Box::new(Exp::Var(any)), Box::new(zero)))
}

/// `a && b`
pub(super) fn and(a: Exp, b: Exp) -> Exp {
    match (a, b) {
        (Exp::Const(Scalar::Bool(true)), e) | (e, Exp::Const(Scalar::Bool(true))) => e,
        (a, b) => Exp::Bin(BinOp::And, Prim::Bool, Box::new(a), Box::new(b)),
    }
}

/// `!a`
#[expect(clippy::wildcard_enum_match_arm, reason = "other conditions have no simpler negation")]
pub(super) fn not(a: Exp) -> Exp {
    match a {
        Exp::Const(Scalar::Bool(value)) => Exp::Const(Scalar::Bool(!value)),
        a => Exp::Un(UnOp::Not, Prim::Bool, Box::new(a)),
    }
}
