//! Straight-line code in lanes: the body of one loop over lanes.
//!
//! While such a loop is built, each varying scalar has a current value, a constant or a variable that never changes. An
//! assignment replaces it, and a branch ends with selections. At the end of the loop, values are stored in their homes.

use super::control::{Lanes, and, lane_info, not};
use super::uniform::varies;
use crate::scalar::scalar;
use fehu_base::bug;
use fehu_imp::{Block, Exp, Kind, Prim, RedOp, Stm, Ty, V, visit};
use fehu_ir::{BinOp, Scalar};
use rustc_hash::FxHashMap;

/// What is to become one loop over lanes.
pub(super) struct Segment {
    lane: V,
    stms: Block,
    values: FxHashMap<V, Value>,
    /// What variables have been before.
    origins: FxHashMap<V, Exp>,
    /// Variables that have got a new value, in the order of the first.
    changed: Vec<Change>,
    reductions: Vec<(V, RedOp)>,
    /// The conditions of the branches at hand, outermost first, and each with all before it, if that has been needed.
    conds: Vec<(Exp, Option<Exp>)>,
    /// Whether something is stored in memory.
    pub(super) stores: bool,
}

#[derive(Clone)]
struct Value {
    /// A constant or a variable.
    atom: Exp,
    /// Whether there has been a value at all.
    known: bool,
}

struct Change {
    var: V,
    /// Whether the value is right for lanes that are off, too.
    is_whole: bool,
}

impl Segment {
    pub(super) fn new(lane: V) -> Segment {
        Segment {
            lane,
            stms: Block::new(),
            values: FxHashMap::default(),
            origins: FxHashMap::default(),
            changed: Vec::new(),
            reductions: Vec::new(),
            conds: Vec::new(),
            stores: false,
        }
    }
}

impl Lanes<'_> {
    /// A statement without loops.
    #[expect(clippy::wildcard_enum_match_arm, reason = "anything else is a bug")]
    pub(super) fn straight(&mut self, stm: &Stm) {
        match stm {
            Stm::Declare(v, e) => {
                if let Ty::Local(prim, size) = self.vars[*v].ty {
                    let hint = self.vars[*v].hint.clone();
                    let array = self.new_array(&hint, prim, size.saturating_mul(self.width));
                    self.locals.insert(*v, array);
                    return;
                }
                self.declared(*v);
                match e {
                    Some(e) => self.assign(*v, e),
                    None => {
                        let prim = scalar(self.vars[*v].ty);
                        let atom = Exp::Const(Scalar::zero(prim));
                        self.put(*v, Value { atom, known: false });
                    }
                }
            }
            Stm::Assign(v, e) => self.assign(*v, e),
            Stm::Store(p, index, e) => {
                let (index, e) = (self.raw_exp(index), self.lane_exp(e));
                let (p, index) = self.element(*p, index);
                let store = Stm::Store(p, index, e);
                let stm = match self.full_mask() {
                    Some(on) => Stm::If(on, vec![store], Block::new()),
                    None => store,
                };
                self.segment.stms.push(stm);
                self.segment.stores = true;
            }
            Stm::If(cond, yes, no) => self.branch(cond, yes, no),
            Stm::Comment(_) => {}
            other => bug(format_args!("lanes were planned for {other:?}")),
        }
    }

    fn assign(&mut self, v: V, e: &Exp) {
        let prim = scalar(self.vars[v].ty);
        let value = self.lane_exp(e);
        let hint = self.vars[v].hint.clone();
        let atom = self.atom(&hint, prim, value);
        self.set(v, atom);
    }

    /// Both sides, and then selections.
    fn branch(&mut self, cond: &Exp, yes: &Block, no: &Block) {
        let cond = self.lane_exp(cond);
        let cond = self.atom("cond", Prim::Bool, cond);
        let mut assigned: Vec<V> = Vec::new();
        for side in [yes, no] {
            visit::each_stm(side, &mut |stm| {
                stm.each_set(&mut |v| {
                    if !assigned.contains(&v) {
                        assigned.push(v);
                    }
                });
            });
        }
        for side in [yes, no] {
            let mut declared = Vec::new();
            visit::each_stm(side, &mut |stm| stm.each_declared(&mut |v| declared.push(v)));
            assigned.retain(|v| !declared.contains(v));
        }
        let before: Vec<Value> = assigned.iter().map(|&v| self.current(v)).collect();
        let side = |this: &mut Self, cond: Exp, block: &Block| -> Vec<Value> {
            this.segment.conds.push((cond, None));
            block.iter().for_each(|stm| this.straight(stm));
            this.segment.conds.pop();
            let after = assigned.iter().map(|&v| this.current(v)).collect();
            for (v, value) in assigned.iter().zip(&before) {
                this.segment.values.insert(*v, value.clone());
            }
            after
        };
        let after_yes = side(self, cond.clone(), yes);
        let after_no = side(self, not(cond.clone()), no);
        for ((&v, yes), no) in assigned.iter().zip(after_yes).zip(after_no) {
            let value = match (yes.known, no.known) {
                (true, true) if yes.atom != no.atom => {
                    let prim = scalar(self.vars[v].ty);
                    let hint = self.vars[v].hint.clone();
                    let chosen = select(prim, cond.clone(), yes.atom, no.atom);
                    Value { atom: self.atom(&hint, prim, chosen), known: true }
                }
                (true, _) => yes,
                (false, _) => no,
            };
            self.put(v, value);
        }
    }

    /// The mask of the code at hand, with the branches that it is in; none if all lanes are on.
    pub(super) fn full_mask(&mut self) -> Option<Exp> {
        let mut all = self.mask.map(|mask| self.value(mask));
        for k in 0..self.segment.conds.len() {
            let next = match &self.segment.conds[k] {
                (_, Some(known)) => known.clone(),
                (cond, None) => {
                    let next = match all {
                        Some(outer) => and(outer, cond.clone()),
                        None => cond.clone(),
                    };
                    let next = self.atom("on", Prim::Bool, next);
                    self.segment.conds[k].1 = Some(next.clone());
                    next
                }
            };
            all = Some(next);
        }
        all
    }

    /// An expression in a lane.
    pub(super) fn lane_exp(&mut self, e: &Exp) -> Exp {
        let e = self.raw_exp(e);
        match (&e, self.full_mask()) {
            // Numbers that make no sense must not be multiplied, as index arithmetic does not wrap around.
            (Exp::Index(_), Some(on)) => select(Prim::I64, on, e, Exp::int(0)),
            _ => e,
        }
    }

    /// An expression in a lane, of which only the loads are guarded.
    fn raw_exp(&mut self, e: &Exp) -> Exp {
        match e {
            Exp::Const(_) => e.clone(),
            Exp::Var(v) => self.value(*v),
            Exp::Un(op, prim, a) => Exp::Un(*op, *prim, Box::new(self.lane_exp(a))),
            Exp::Bin(op, prim, a, b) => {
                let (a, b) = (self.lane_exp(a), self.lane_exp(b));
                Exp::Bin(*op, *prim, Box::new(a), Box::new(b))
            }
            Exp::Cmp(op, prim, a, b) => {
                let (a, b) = (self.lane_exp(a), self.lane_exp(b));
                Exp::Cmp(*op, *prim, Box::new(a), Box::new(b))
            }
            Exp::Math(f, prim, args) => {
                Exp::Math(*f, *prim, args.iter().map(|arg| self.lane_exp(arg)).collect())
            }
            Exp::Convert(from, to, a) => Exp::Convert(*from, *to, Box::new(self.lane_exp(a))),
            Exp::Reinterpret(from, to, a) => {
                Exp::Reinterpret(*from, *to, Box::new(self.lane_exp(a)))
            }
            Exp::Index(terms) => self.index(terms),
            Exp::Load(p, index) => {
                // All lanes have an element where one of those that are on has one.
                let is_same = !varies(&self.varying, index) && self.segment.conds.is_empty();
                let index = self.raw_exp(index);
                let elem = match self.vars[*p].ty {
                    Ty::Ptr(_, prim)
                    | Ty::Local(prim, _)
                    | Ty::Shared(prim, _)
                    | Ty::Scalar(prim) => prim,
                    Ty::Mem => Prim::U8,
                };
                let is_fixed = matches!((self.vars[*p].ty, &index), (Ty::Local(..), Exp::Const(_)));
                let is_there = self.locals.contains_key(p) && (is_same || is_fixed);
                let (p, index) = self.element(*p, index);
                let load = Exp::Load(p, Box::new(index));
                match self.full_mask().filter(|_| !is_there) {
                    Some(on) => Exp::Select(Box::new([on, load, Exp::Const(Scalar::zero(elem))])),
                    None => load,
                }
            }
            Exp::Select(parts) => {
                let [cond, yes, no] = &**parts;
                let parts = [self.lane_exp(cond), self.lane_exp(yes), self.lane_exp(no)];
                Exp::Select(Box::new(parts))
            }
        }
    }

    /// Where an element is: those of local arrays have as many neighbours as there are other lanes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an index that is no sum gets a variable")]
    fn element(&mut self, p: V, index: Exp) -> (V, Exp) {
        let Some(&array) = self.locals.get(&p) else { return (p, index) };
        let (width, lane) = (i64::from(self.width), self.segment.lane);
        let index = match index {
            Exp::Const(Scalar::I64(k)) => {
                Exp::Index(vec![(k.wrapping_mul(width), vec![]), (1, vec![lane])])
            }
            Exp::Var(v) => Exp::Index(vec![(width, vec![v]), (1, vec![lane])]),
            Exp::Index(terms) => {
                let terms = terms.into_iter();
                let terms = terms.map(|(factor, vars)| (factor.wrapping_mul(width), vars));
                Exp::Index(terms.chain([(1, vec![lane])]).collect())
            }
            other => {
                let int = |op, a, b| Exp::Bin(op, Prim::I64, Box::new(a), Box::new(b));
                int(BinOp::Add, int(BinOp::Mul, other, Exp::int(width)), Exp::Var(lane))
            }
        };
        (array, index)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "an index that is no variable gets one")]
    fn index(&mut self, terms: &[(i64, Vec<V>)]) -> Exp {
        let mut renamed = Vec::with_capacity(terms.len());
        for (factor, vars) in terms {
            let (mut factor, mut factors) = (*factor, Vec::with_capacity(vars.len()));
            for v in vars {
                match self.value(*v) {
                    Exp::Var(v) => factors.push(v),
                    // As the whole does not overflow where it is needed, nor does this.
                    Exp::Const(Scalar::I64(k)) => factor = factor.wrapping_mul(k),
                    other => {
                        let held = self.held("index", Prim::I64, other);
                        factors.push(held);
                    }
                }
            }
            renamed.push((factor, factors));
        }
        Exp::Index(renamed)
    }

    /// The current value of a variable in a lane.
    pub(super) fn value(&mut self, v: V) -> Exp {
        self.current(v).atom
    }

    fn current(&mut self, v: V) -> Value {
        if let Some(value) = self.segment.values.get(&v) {
            return value.clone();
        }
        let is_scalar = matches!(self.vars[v].ty, Ty::Scalar(_));
        let atom = if v == self.index {
            let sum = Exp::Index(vec![(1, vec![self.base]), (1, vec![self.segment.lane])]);
            let hint = self.vars[v].hint.clone();
            self.at_start(&hint, Prim::I64, sum)
        } else if self.varying.contains(&v) && is_scalar {
            self.at_home(v)
        } else {
            Exp::Var(self.copies.get(&v).copied().unwrap_or(v))
        };
        let value = Value { atom, known: true };
        if self.varying.contains(&v) {
            self.segment.values.insert(v, value.clone());
        }
        value
    }

    /// What a variable has been before this loop over lanes.
    fn at_home(&mut self, v: V) -> Exp {
        let prim = scalar(self.vars[v].ty);
        if let Some(known) = self.segment.origins.get(&v) {
            return known.clone();
        }
        let home = self.home(v);
        let load = Exp::Load(home, Box::new(Exp::Var(self.segment.lane)));
        let load = if prim == Prim::Bool {
            let zero = Box::new(Exp::Const(Scalar::zero(self.truth)));
            not(Exp::Cmp(fehu_ir::CmpOp::Eq, self.truth, Box::new(load), zero))
        } else {
            load
        };
        let hint = self.vars[v].hint.clone();
        let origin = self.at_start(&hint, prim, load);
        self.segment.origins.insert(v, origin.clone());
        origin
    }

    /// An expression as it is stored at the home of a variable.
    pub(super) fn encoded(&self, v: V, e: Exp) -> Exp {
        match (self.vars[v].ty, e) {
            (Ty::Scalar(Prim::Bool), Exp::Const(Scalar::Bool(value))) => {
                Exp::Const(Scalar::from_bits(self.truth, u64::from(value)))
            }
            (Ty::Scalar(Prim::Bool), e) => Exp::Convert(Prim::Bool, self.truth, Box::new(e)),
            (_, e) => e,
        }
    }

    /// A variable with this value, unless it is an atom already.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is no operand gets a variable")]
    pub(super) fn atom(&mut self, hint: &str, prim: Prim, e: Exp) -> Exp {
        match e {
            Exp::Const(_) | Exp::Var(_) => e,
            e => Exp::Var(self.held(hint, prim, e)),
        }
    }

    fn held(&mut self, hint: &str, prim: Prim, e: Exp) -> V {
        let v = self.new_var(hint, Ty::Scalar(prim));
        self.segment.stms.push(Stm::Declare(v, Some(e)));
        v
    }

    /// Likewise, before everything else; so it does not depend on when it is asked for first.
    fn at_start(&mut self, hint: &str, prim: Prim, e: Exp) -> Exp {
        let v = self.new_var(hint, Ty::Scalar(prim));
        self.segment.stms.insert(0, Stm::Declare(v, Some(e)));
        Exp::Var(v)
    }

    /// A variable gets another value in the lanes that are on.
    pub(super) fn set(&mut self, v: V, atom: Exp) {
        self.put(v, Value { atom, known: true });
    }

    fn put(&mut self, v: V, value: Value) {
        self.segment.values.insert(v, value);
        match self.segment.changed.iter_mut().find(|change| change.var == v) {
            Some(change) => change.is_whole = false,
            None => self.segment.changed.push(Change { var: v, is_whole: false }),
        }
    }

    /// A variable gets another value in all lanes.
    pub(super) fn update(&mut self, v: V, atom: Exp) {
        self.set(v, atom);
        for change in self.segment.changed.iter_mut().filter(|change| change.var == v) {
            change.is_whole = true;
        }
    }

    /// A scalar outside the lanes gets a contribution of each.
    pub(super) fn reduce(&mut self, v: V, op: RedOp, e: Exp) {
        self.segment.reductions.push((v, op));
        self.segment.stms.push(Stm::Assign(v, e));
    }

    /// New values of variables that were declared outside the region count only in lanes that are on.
    pub(super) fn commit(&mut self) {
        for k in 0..self.segment.changed.len() {
            let Change { var, is_whole } = self.segment.changed[k];
            let Some(mask) = self.mask else { continue };
            let prim = scalar(self.vars[var].ty);
            if is_whole || self.is_of_region(var) {
                continue;
            }
            let (on, new) = (self.value(mask), self.value(var));
            let old = self.at_home(var);
            let hint = self.vars[var].hint.clone();
            let atom = self.atom(&hint, prim, select(prim, on, new, old));
            self.segment.values.insert(var, Value { atom, known: true });
            self.segment.changed[k].is_whole = true;
        }
    }

    /// The loop over lanes ends here.
    pub(super) fn flush(&mut self) {
        self.commit();
        for k in 0..self.segment.changed.len() {
            let v = self.segment.changed[k].var;
            let (home, value) = (self.home(v), self.value(v));
            let value = self.encoded(v, value);
            self.segment.stms.push(Stm::Store(home, Exp::Var(self.segment.lane), value));
        }
        let next = if self.segment.stms.is_empty() {
            self.segment.lane
        } else {
            self.vars.push(lane_info())
        };
        let done = std::mem::replace(&mut self.segment, Segment::new(next));
        if !done.stms.is_empty() {
            let kind = Kind::Independent(done.reductions);
            let stm = self.lane_loop(done.lane, kind, done.stms);
            self.out.push(stm);
        }
    }
}

/// One of two values. Booleans are chosen by logic: C compilers do not vectorise a selection between them where other
/// vectors have wider elements.
fn select(prim: Prim, cond: Exp, yes: Exp, no: Exp) -> Exp {
    let truth = |value: bool| Exp::Const(Scalar::Bool(value));
    match (cond, yes, no) {
        (cond, yes, no) if prim != Prim::Bool => Exp::Select(Box::new([cond, yes, no])),
        (cond, yes, no) if no == truth(false) => and(cond, yes),
        (cond, yes, no) if yes == truth(false) => and(not(cond), no),
        (cond, yes, no) if yes == truth(true) => or(cond, no),
        (cond, yes, no) if no == truth(true) => or(not(cond), yes),
        (cond, yes, no) => or(and(cond.clone(), yes), and(not(cond), no)),
    }
}

fn or(a: Exp, b: Exp) -> Exp {
    Exp::Bin(BinOp::Or, Prim::Bool, Box::new(a), Box::new(b))
}
