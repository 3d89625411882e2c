//! `lanes`: executes iterations of an innermost independent loop in lock-step, a block of them at a time.
//!
//! C compilers vectorise a loop whose body is straight-line code, or nearly so. They give up on divergent control flow:
//! `while` loops, and `for` loops whose bounds differ between iterations. Here such a loop becomes
//!
//! ```text
//! for (i = 0; i < n / W * W; i += W)      a block of W iterations
//!   for each lane: ...                    a straight piece of the body, for all W of them
//!   while (some lane is live)
//!     for each lane: ...                  one round of the inner loop; only live lanes keep what they compute
//! for (; i < n; i++)                      the rest, as it was
//! ```
//!
//! where each loop over lanes is one that C compilers do vectorise. A scalar that lives from one loop over lanes to the
//! next has a *home*, an array with one element for each lane; other scalars are local to their loop. Values that do
//! not depend on the lane (uniform values) stay plain scalars, and uniform control flow stays as it is.
//!
//! # Masks
//!
//! Divergent control flow uses masks. A short branch becomes both its sides and a selection (`straight`); everything
//! else is executed if any lane is active in its mask, and then assigns to variables declared outside only in active
//! lanes (`control`). Expressions are evaluated in inactive lanes as well, where their values are meaningless:
//! arithmetic is defined for all operands, but loads, stores and index arithmetic are guarded by the mask. Since a
//! region of code is entered only if some lane is active, uniform loads need no guard.
//!
//! # When it pays off
//!
//! A loop is transformed if its body has a loop that lanes may leave at different times, or that is too long to be
//! unrolled, and everything in such inner loops can be done by vector units; then it gains whenever the lanes of a
//! block have similar numbers of rounds. A loop is also transformed if it has no inner loops and reduces by minimum or
//! maximum of floats: C compilers do not vectorise such a reduction, but with one partial result for each lane they
//! can. `rule` has the details. Other loops stay as they are, or execute a few iterations side by side: those that are
//! chains of operations (`unroll_jam`), and rows whose lanes are (`rows`). Results are the same, up to the order of
//! reductions, which are listed as such.
//!
//! Iterations in lanes have their memory at the same time. If they allocate more than [`CPU`] has for that, all of them
//! are the rest; this is decided when the loop begins, by the sizes that are known then. Sizes that only iterations
//! know are not limited.

mod backward;
mod control;
mod dead;
mod memory;
mod normal;
mod reduction;
mod refusal;
mod rounds;
mod rows;
mod rule;
mod short;
mod straight;
mod uniform;
mod unroll_jam;

use control::Lanes;
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{bin, end_of_blocks};
use fehu_imp::{Asked, Block, Exp, Kind, Prim, Program, RedOp, Stm, Tasks, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar};
pub(crate) use reduction::first;
pub use refusal::Refusal;
pub(crate) use rule::sets_only_its_own;
pub(crate) use unroll_jam::body as side_by_side;

/// Transforms the loops of a program that gain from it.
pub fn lanes(program: &mut Program) {
    tell(program);
}

/// What became of a loop that was to have lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// The place of its operator in the source; empty if nobody knows it.
    pub place: EcoString,
    /// The number of its lanes, or why it has none.
    pub lanes: Result<u32, Refusal>,
}

/// The same, and says what became of the loops that were to have lanes.
pub fn tell(program: &mut Program) -> Vec<Told> {
    let mut told = Vec::new();
    for fun in program.funs.values_mut() {
        let body = std::mem::take(&mut fun.body);
        fun.body = block(&mut fun.vars, body, &mut Range::default(), &mut told);
    }
    told
}

/// The range of the tasks around a loop.
#[derive(Default)]
struct Range {
    /// Where it begins.
    low: Option<V>,
    /// The size of the blocks of a loop over it.
    width: i64,
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
fn block(
    vars: &mut IdVec<V, VarInfo>,
    block_: Block,
    range: &mut Range,
    told: &mut Vec<Told>,
) -> Block {
    let mut out = Block::with_capacity(block_.len());
    for stm in block_ {
        match stm {
            Stm::For { var, from, to, step, kind, body } => {
                let kind = kind.without_tiles();
                let count = constant_count(&from, &to);
                let found =
                    if step == 1 { Found::of(vars, var, count, &kind, &body, told) } else { None };
                match (found, kind) {
                    (Some(found), Kind::Independent(reductions) | Kind::Lanes(reductions, _)) => {
                        if matches!(from, Exp::Var(v) if Some(v) == range.low) {
                            range.width = range.width.max(found.width());
                        }
                        let source = Loop { var, from, to, reductions, body };
                        transform(vars, source, &found, &mut out);
                    }
                    (None, Kind::Independent(reductions))
                        if reductions.is_empty() && step == 1 && rows::fits(vars, var, &body) =>
                    {
                        if matches!(from, Exp::Var(v) if Some(v) == range.low) {
                            range.width = range.width.max(rows::ROWS);
                        }
                        let source = Loop { var, from, to, reductions, body };
                        two_rows(vars, source, range, told, &mut out);
                    }
                    (_, kind) => {
                        let body = block(vars, body, range, told);
                        out.push(Stm::For { var, from, to, step, kind, body });
                    }
                }
            }
            Stm::If(cond, yes, no) => {
                let (yes, no) = (block(vars, yes, range, told), block(vars, no, range, told));
                out.push(Stm::If(cond, yes, no));
            }
            Stm::Switch(on, cases, default) => {
                let mut each = |(value, case)| (value, block(vars, case, range, told));
                let cases = cases.into_iter().map(&mut each).collect();
                let default = block(vars, default, range, told);
                out.push(Stm::Switch(on, cases, default));
            }
            Stm::While(cond, body) => out.push(Stm::While(cond, block(vars, body, range, told))),
            Stm::Locked(number, body) => {
                out.push(Stm::Locked(number, block(vars, body, range, told)));
            }
            Stm::Tasks(mut tasks) => {
                let mut own = Range { low: Some(tasks.low), width: 1 };
                tasks.body = block(vars, std::mem::take(&mut tasks.body), &mut own, told);
                // Ranges consist of whole blocks: a rest is for one iteration after the other.
                if own.width > tasks.grain {
                    tasks.grain = own.width;
                    count_blocks(&mut out, &tasks);
                }
                out.push(Stm::Tasks(tasks));
            }
            other => out.push(other),
        }
    }
    out
}

/// The number of chunks of tasks is found by the number of blocks.
fn count_blocks(before: &mut Block, tasks: &Tasks) {
    for stm in before.iter_mut().rev() {
        if let Stm::Chunks(v, _, total) = stm
            && Some(*v) == tasks.chunks
        {
            let more = bin(BinOp::Add, tasks.total.clone(), Exp::int(tasks.grain - 1));
            *total = bin(BinOp::Quot, more, Exp::int(tasks.grain));
            return;
        }
    }
}

/// An independent loop with step one.
struct Loop {
    var: V,
    from: Exp,
    to: Exp,
    reductions: Vec<(V, RedOp)>,
    body: Block,
}

/// How blocks of iterations are executed.
enum Found {
    /// In lanes.
    Lanes(rule::Plan),
    /// Side by side.
    SideBySide,
}

impl Found {
    fn of(
        vars: &mut IdVec<V, VarInfo>,
        var: V,
        count: Option<i64>,
        kind: &Kind,
        body: &Block,
        told: &mut Vec<Told>,
    ) -> Option<Found> {
        let reductions = kind.reductions()?;
        let in_lanes = match kind {
            Kind::Lanes(_, Asked(place)) => {
                let plan = rule::plan(vars, var, count, reductions, body);
                let lanes = plan.as_ref().map(|plan| plan.width).map_err(|refusal| *refusal);
                told.push(Told { place: place.clone(), lanes });
                plan.ok().map(Found::Lanes)
            }
            Kind::Independent(_) | Kind::Sequential | Kind::Few | Kind::Tiles(..) => None,
        };
        in_lanes
            .or_else(|| unroll_jam::fits(vars, var, reductions, body).then_some(Found::SideBySide))
    }

    /// How many iterations a block has.
    fn width(&self) -> i64 {
        match self {
            Found::Lanes(plan) => plan.width.into(),
            Found::SideBySide => unroll_jam::WIDTH,
        }
    }
}

/// The loop in blocks, and the rest of it.
fn transform(vars: &mut IdVec<V, VarInfo>, source: Loop, found: &Found, out: &mut Block) {
    let Loop { var, from, to, reductions, body } = source;
    let width = found.width();
    let mut declare = |hint: &str, value: Exp| {
        let v = vars.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I64) });
        out.push(Stm::Declare(v, Some(value)));
        Exp::Var(v)
    };
    let bytes = memory::bytes(var, &body);
    let has_rest = !is_whole(&from, &to, width) || bytes.is_some();
    let (low, high) = match (from, to) {
        (from @ Exp::Const(_), to @ (Exp::Const(_) | Exp::Var(_))) => (from, to),
        (from, to) => (declare("low", from), declare("high", to)),
    };
    let end = match has_rest {
        true => {
            let whole = end_of_blocks(&low, &high, width);
            // With too much memory, all iterations are the rest.
            declare(
                "whole",
                bytes.map_or(whole.clone(), |bytes| if_room(bytes, width, whole, &low)),
            )
        }
        false => high.clone(),
    };
    let base = vars.push(VarInfo { hint: vars[var].hint.clone(), ty: vars[var].ty });
    let blocks = |body: Block| Stm::For {
        var: base,
        from: low.clone(),
        to: end.clone(),
        step: width,
        kind: Kind::Sequential,
        body,
    };

    let mut in_blocks = Block::new();
    match found {
        Found::Lanes(plan) => {
            let mut work = Lanes::new(vars, plan, var, base);
            if !reductions.is_empty() {
                work.start(&reductions, &mut in_blocks);
            }
            in_blocks.push(blocks(work.body(&plan.body, &reductions)));
            if !reductions.is_empty() {
                work.combine(&reductions, &mut in_blocks);
            }
        }
        Found::SideBySide => {
            in_blocks.push(blocks(unroll_jam::body(vars, var, base, width, &body)));
        }
    }
    if !has_rest {
        out.append(&mut in_blocks);
        return;
    }
    let any = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(low), Box::new(end.clone()));
    out.push(Stm::If(any, in_blocks, Block::new()));
    let kind = Kind::Independent(reductions);
    out.push(Stm::For { var, from: end, to: high, step: 1, kind, body });
}

/// Where blocks of iterations end: where they would, if there is memory for that many at the same time, and otherwise
/// where they begin.
fn if_room(bytes: Exp, width: i64, whole: Exp, low: &Exp) -> Exp {
    let there_is = fehu_imp::rewrite::le(bytes, Exp::int(CPU.lanes_bytes / width));
    Exp::Select(Box::new([there_is, whole, low.clone()]))
}

/// A loop over rows, two at a time, and the last one; rows have lanes.
fn two_rows(
    vars: &mut IdVec<V, VarInfo>,
    source: Loop,
    range: &mut Range,
    told: &mut Vec<Told>,
    out: &mut Block,
) {
    let Loop { var, from, to, reductions, body } = source;
    let mut declare = |hint: &str, value: Exp| {
        let v = vars.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I64) });
        out.push(Stm::Declare(v, Some(value)));
        Exp::Var(v)
    };
    let (low, high) = (declare("low", from), declare("high", to));
    let whole = declare("whole", end_of_blocks(&low, &high, rows::ROWS));
    let base = vars.push(VarInfo { hint: vars[var].hint.clone(), ty: vars[var].ty });
    let body = block(vars, body, range, told);
    let pair = unroll_jam::body(vars, var, base, rows::ROWS, &body);
    let (step, kind) = (rows::ROWS, Kind::Independent(Vec::new()));
    out.push(Stm::For { var: base, from: low, to: whole.clone(), step, kind, body: pair });
    let kind = Kind::Independent(reductions);
    out.push(Stm::For { var, from: whole, to: high, step: 1, kind, body });
}

/// Whether a range is known to consist of whole blocks; if there are none, the loop over them has no iterations.
fn is_whole(from: &Exp, to: &Exp, width: i64) -> bool {
    if let Some(count) = constant_count(from, to) {
        return count % width == 0;
    }
    let (Exp::Var(from), Exp::Index(terms)) = (from, to) else { return false };
    let [(1, vars), (count, rest)] = terms.as_slice() else { return false };
    vars.as_slice() == [*from] && rest.is_empty() && *count > 0 && count % width == 0
}

/// The number of iterations of a loop with step one, if it is a constant.
fn constant_count(from: &Exp, to: &Exp) -> Option<i64> {
    let (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) = (from, to) else {
        return None;
    };
    Some(to.saturating_sub(*from).max(0))
}
