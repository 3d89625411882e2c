//! Reductions in lanes by operators that no vector unit has: positions are dealt to partial results in turn.
//!
//! ```text
//! if there is a block of 16 positions {
//!   for lane < 16 { p[lane] = f(low + lane) }
//!   for i from low + 16 by 16 { for lane < 16 { p[lane] = p[lane] op f(i + lane) } }
//!   acc = acc op p[0] op p[1] ... op p[15]
//! }
//! for the rest, one after the other { acc = acc op f(i) }
//! ```
//!
//! The loops over lanes are independent. This needs operators whose operands may come in any order, which is so if the program
//! says it (`reduce_comm`), if they add or multiply, and if they choose an operand by its key ([`extremum`]): then elements with
//! the same key are told apart by their positions.
//!
//! Operators that choose are not executed as they are written: the elements of a lane come in the order of their positions,
//! so one comparison of keys says which to keep. (The position of the least of 53,000 floats takes 9 to 12 us, and one after the other
//! 40 to 190, by the way it is written.)

use super::Emit;
use super::combine::{Kept, Partial, Room, Slot, Sofar};
use super::grid::lt;
use super::screma::Over;
use fehu_base::{OrBug, Prim, bug};
use fehu_facts::extremum::{Extremum, Tie, extremum};
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{bin, end_of_blocks};
use fehu_imp::{Block, Exp, Kind, Stm, Ty, V};
use fehu_ir::{self as ir, Atom, BinOp, Body, CmpOp, Family, Red, Scalar, Screma, Var};
use fehu_mem::table::Computed;

/// The bytes of all partial results of a component: with two vectors, one can be computed while another waits.
const BYTES: u32 = 2 * CPU.vector_bytes;

/// How the positions of a reduction are dealt.
struct Dealt {
    /// The number of partial results.
    width: u32,
    /// What each reduction does.
    folds: Vec<Fold>,
}

/// What a partial result does with an element.
enum Fold {
    /// It is combined by the operator.
    Combine,
    /// The element replaces it, or does not.
    Choose(Choice),
}

/// An operator that chooses, where elements come in the order of their positions.
struct Choice {
    by: Extremum,
    /// Of elements with the same key, the last one is chosen.
    last: bool,
    /// The component that grows with the position, if there is one.
    position: Option<usize>,
}

impl Choice {
    /// Whether a key is to be chosen instead of another one, without a look at positions. Anything is better than NaN, with
    /// which a lane may begin.
    fn is_better(&self, key: Exp, than: Exp, or_equal: bool) -> Exp {
        let op = if or_equal { CmpOp::Le } else { CmpOp::Lt };
        let is_number = self.by.prim.is_float().then(|| self.is_same(than.clone(), than.clone()));
        let (small, large) = if self.by.largest { (than, key) } else { (key, than) };
        let better = Exp::Cmp(op, self.by.prim, Box::new(small), Box::new(large));
        match is_number {
            Some(is_number) => bool_op(BinOp::Or, better, not(is_number)),
            None => better,
        }
    }

    fn is_same(&self, a: Exp, b: Exp) -> Exp {
        Exp::Cmp(CmpOp::Eq, self.by.prim, Box::new(a), Box::new(b))
    }
}

/// The partial results of a reduction, one for each lane.
struct Lanes {
    kept: Kept,
    /// Where they come from, if none of them says so.
    positions: Option<V>,
}

impl Lanes {
    /// The array that has the positions.
    fn positions(&self, choice: &Choice) -> V {
        let slot = choice.position.and_then(|part| self.kept.slots.get(part));
        match (self.positions, slot) {
            (Some(positions), _) => positions,
            (None, Some(Slot::Scalars(positions, _))) => *positions,
            (None, _) => bug("nobody knows where an element comes from"),
        }
    }
}

impl<'a> Emit<'a> {
    /// The reductions of an operator, over a range.
    pub(super) fn reduce_range(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        (from, to): (Exp, Exp),
        reduced: &[Partial<'a>],
    ) {
        let (mut from, mut kind) = (from, self.kind(op, reduced));
        if let Some(dealt) = self.dealt(op, &kind) {
            let low = self.simple("from", &from);
            let end = self.simple("whole", &end_of_blocks(&low, &to, dealt.width.into()));
            let range = (low.clone(), end.clone());
            let blocks = self.block(|this| this.in_blocks(pat, op, &dealt, range, reduced));
            self.out.push(Stm::If(lt(low, end.clone()), blocks, Block::new()));
            (from, kind) = (end, Kind::Sequential);
        }
        self.each_in(pat, Over::of(op), (from, to), kind, |this, index, parts| {
            this.combine_all(pat, index, op, parts, &[], reduced);
        });
    }

    /// How positions are dealt, if the loop would have an order otherwise, and need not have one.
    fn dealt(&self, op: &Screma, kind: &Kind) -> Option<Dealt> {
        let asked = self.together.lanes.is_some() && *kind == Kind::Sequential;
        if !asked || op.reds.is_empty() || !op.scans.is_empty() || !self.is_straight(&op.map.body) {
            return None;
        }
        let mut results = op.map.body.results.as_slice();
        let (mut folds, mut bytes) = (Vec::with_capacity(op.reds.len()), 4);
        for red in &op.reds {
            let (own, rest) = results.split_at_checked(red.neutral.len())?;
            results = rest;
            for prim in self.part_prims(&red.op) {
                bytes = bytes.max(prim?.bits() / 8);
            }
            folds.push(self.fold(op, red, own)?);
        }
        Some(Dealt { width: BYTES / bytes, folds })
    }

    fn fold(&self, op: &Screma, red: &Red, elements: &[Atom]) -> Option<Fold> {
        if self.vector_ops(&red.op).is_some() {
            return Some(Fold::Combine);
        }
        let position = elements.iter().position(|element| self.grows(op, *element));
        let by = extremum(&red.op, self.ir);
        let last = by.and_then(|by| match by.tie {
            Tie::First => Some(false),
            Tie::Last => Some(true),
            Tie::Smaller(part) => (Some(part) == position).then_some(false),
            Tie::Larger(part) => (Some(part) == position).then_some(true),
        });
        if let (Some(by), Some(last)) = (by, last) {
            return Some(Fold::Choose(Choice { by, last, position }));
        }
        // Keys of two components, such as a distance and a number: all that differ are in order.
        let is_total = by.is_some() && elements.len() == 2;
        let is_exact = |prim: &Option<Prim>| prim.is_some_and(|prim| !prim.is_float());
        let is_free = !self.options.strict_float || self.part_prims(&red.op).iter().all(is_exact);
        let any_order = is_total || red.commutative && is_free;
        (any_order && self.is_straight(&red.op.body)).then_some(Fold::Combine)
    }

    /// Whether an element is larger than those of all positions before.
    fn grows(&self, op: &Screma, element: Atom) -> bool {
        let param = op.map.params.iter().position(|param| element == Atom::Var(*param));
        let input = param.and_then(|param| op.inputs.get(param));
        let computed = input.and_then(|input| self.table.computed.get(input));
        let one = Atom::Const(Scalar::I64(1));
        matches!(computed, Some(Computed::Iota(Prim::I64, _, step)) if *step == one)
    }

    /// Whether code is straight when its branches become selections: then a C compiler makes vectors of the lanes.
    fn is_straight(&self, body: &Body) -> bool {
        body.stms.iter().all(|stm| {
            let mut straight = match stm.exp.family() {
                Family::Scalar | Family::Asked | Family::View => true,
                Family::Control => matches!(stm.exp, ir::Exp::If(..)),
                Family::Fresh | Family::Change | Family::Reference | Family::Operator => false,
                Family::Check | Family::Fixed => false,
            };
            stm.exp.for_each_body(&mut |body| straight = straight && self.is_straight(body));
            straight
        })
    }

    /// Whole blocks of positions.
    fn in_blocks(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        dealt: &Dealt,
        (low, end): (Exp, Exp),
        reduced: &[Partial<'a>],
    ) {
        let room = Room::Registers(dealt.width);
        let mut lanes = Vec::with_capacity(op.reds.len());
        for (red, fold) in op.reds.iter().zip(&dealt.folds) {
            let positions = match fold {
                Fold::Choose(Choice { position: None, .. }) => {
                    let array = self.keep_prims("at", &[Some(Prim::I64)], None, &room);
                    array.arrays().next()
                }
                Fold::Choose(_) | Fold::Combine => None,
            };
            lanes.push(Lanes { kept: self.keep("part", &red.op, &room), positions });
        }
        self.each_lane(pat, op, dealt, &low, |this, at, lane, mut parts| {
            for (red, lanes) in op.reds.iter().zip(&lanes) {
                let (own, rest) = parts.split_at(red.neutral.len());
                this.store_atoms(own, std::slice::from_ref(&lanes.kept), lane);
                if let Some(positions) = lanes.positions {
                    this.out.push(Stm::Store(positions, lane.clone(), at.clone()));
                }
                parts = rest;
            }
        });
        let base = self.new_var("base", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            this.each_lane(pat, op, dealt, &Exp::Var(base), |this, at, lane, mut parts| {
                for ((red, fold), lanes) in op.reds.iter().zip(&dealt.folds).zip(&lanes) {
                    let (own, rest) = parts.split_at(red.neutral.len());
                    this.fold_element(red, fold, lanes, (at, lane), own);
                    parts = rest;
                }
            });
        });
        let from = bin(BinOp::Add, low, Exp::int(dealt.width.into()));
        let (step, kind) = (dealt.width.into(), Kind::Sequential);
        self.out.push(Stm::For { var: base, from, to: end, step, kind, body });
        for ((partial, fold), lanes) in reduced.iter().zip(&dealt.folds).zip(&lanes) {
            self.combine_lanes(partial, fold, lanes, dealt.width);
        }
    }

    /// Executes the function for a block of positions; `then` gets the position, the lane, and the results.
    fn each_lane(
        &mut self,
        pat: &[Var],
        op: &'a Screma,
        dealt: &Dealt,
        base: &Exp,
        then: impl FnOnce(&mut Self, &Exp, &Exp, &[Atom]),
    ) {
        let var = self.new_var("lane", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let lane = Exp::Var(var);
            let at = if *base == Exp::int(0) {
                lane.clone()
            } else {
                this.simple("i", &bin(BinOp::Add, base.clone(), lane.clone()))
            };
            this.at_position(pat, Over::of(op), at.clone(), |this, index, parts| {
                then(this, &at, &lane, parts);
                this.give(pat, index, op, parts, &[]);
            });
        });
        let (from, to) = (Exp::int(0), Exp::int(dealt.width.into()));
        let kind = self.together.kind(Kind::Independent(Vec::new()));
        self.out.push(Stm::For { var, from, to, step: 1, kind, body });
    }

    /// What a partial result does with the element of a position.
    fn fold_element(
        &mut self,
        red: &'a Red,
        fold: &Fold,
        lanes: &Lanes,
        (at, lane): (&Exp, &Exp),
        elements: &[Atom],
    ) {
        let own = Partial { op: &red.op, parts: self.load_kept(&lanes.kept, lane) };
        match fold {
            Fold::Combine => {
                self.combine_each(std::slice::from_ref(&own), elements);
            }
            Fold::Choose(choice) => {
                let (key, than) = (elements.get(choice.by.key), own.parts.get(choice.by.key));
                let key = self.atom(*key.or_bug("the key of an element"));
                let than = than.and_then(Sofar::value).or_bug("the key of a partial result");
                let position = lanes.positions.map(|all| {
                    let before = Exp::Load(all, Box::new(lane.clone()));
                    (all, self.declare("place", Prim::I64, Some(before)))
                });
                let replace = self.block(|this| {
                    this.assign_all(&own.parts, elements);
                    if let Some((_, place)) = position {
                        this.out.push(Stm::Assign(place, at.clone()));
                    }
                });
                let better = choice.is_better(key, than, choice.last);
                self.out.push(Stm::If(better, replace, Block::new()));
                if let Some((all, place)) = position {
                    self.out.push(Stm::Store(all, lane.clone(), Exp::Var(place)));
                }
            }
        }
        self.store_kept(&own.parts, &lanes.kept, lane);
    }

    /// Combines the partial results of all lanes with what there was before.
    fn combine_lanes(&mut self, partial: &Partial<'a>, fold: &Fold, lanes: &Lanes, width: u32) {
        let choice = match fold {
            Fold::Combine => {
                let var = self.new_var("lane", Ty::Scalar(Prim::I64));
                let body = self.block(|this| {
                    let right = this.load_kept(&lanes.kept, &Exp::Var(var));
                    this.combine_parts(partial.op, &partial.parts, &right);
                });
                return self.count_up(var, Exp::int(width.into()), body);
            }
            Fold::Choose(choice) => choice,
        };
        let positions = lanes.positions(choice);
        let place = |lane: &Exp| Exp::Load(positions, Box::new(lane.clone()));
        let key = |parts: &[Sofar<'a>]| {
            parts.get(choice.by.key).and_then(Sofar::value).or_bug("the key of a partial result")
        };
        let best = self.load_kept(&lanes.kept, &Exp::int(0));
        let first = self.declare("place", Prim::I64, Some(place(&Exp::int(0))));
        let var = self.new_var("lane", Ty::Scalar(Prim::I64));
        let body = self.block(|this| {
            let lane = Exp::Var(var);
            let right = this.load_kept(&lanes.kept, &lane);
            let other = this.simple("place", &place(&lane));
            let (new, old) = (key(&right), key(&best));
            let same = choice.is_same(new.clone(), old.clone());
            let in_order = match choice.last {
                false => lt(other.clone(), Exp::Var(first)),
                true => lt(Exp::Var(first), other.clone()),
            };
            let both = bool_op(BinOp::And, same, in_order);
            let better = bool_op(BinOp::Or, choice.is_better(new, old, false), both);
            let replace = this.block(|this| {
                this.copy_parts(&best, &right);
                this.out.push(Stm::Assign(first, other));
            });
            this.out.push(Stm::If(better, replace, Block::new()));
        });
        let (from, to, kind) = (Exp::int(1), Exp::int(width.into()), Kind::Sequential);
        self.out.push(Stm::For { var, from, to, step: 1, kind, body });
        self.combine_parts(partial.op, &partial.parts, &best);
    }
}

fn not(a: Exp) -> Exp {
    let no = Box::new(Exp::Const(Scalar::Bool(false)));
    Exp::Cmp(CmpOp::Eq, Prim::Bool, Box::new(a), no)
}

fn bool_op(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::Bool, Box::new(a), Box::new(b))
}
