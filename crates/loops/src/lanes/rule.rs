//! Which loops can run in lanes, of those that are to ([`fehu_imp::Kind::Lanes`]).
//!
//! All of the following must hold:
//!
//! - Its body consists of scalars, loads, stores, short copies, branches, sequential loops, and memory of its own
//!   (`memory`). There are no checks and no calls, and pointers do not lead elsewhere.
//! - Its local arrays have at most [`MOST_LOCAL`] bytes for all lanes together.
//! - Either there is an inner loop that C compilers do not unroll: a `while` loop, or a `for` loop whose bounds vary,
//!   are unknown or far apart, or whose body is long. Then everything that varies in inner loops must be supported by
//!   vector units: no divisions of 64-bit integers except by powers of two, no remainders of floats, no powers of
//!   integers, no functions that only the C library has, no f16, and only memory accesses where lanes are neighbours or
//!   all at the same place. (C compilers use gather instructions only for some processors, and hardly ever under masks;
//!   accessing one element after the other costs more than lanes save: binary search would take 1.5 times as long.)
//! - Or there is no inner loop, no branch that is not short, and a reduction by minimum or maximum of floats.
//!
//! The number of lanes is such that the widest of the variables that vary inside inner loops, other than positions in
//! memory, fills two 512-bit vectors, or four of 256: one can be computed while another waits. (With half as many,
//! the loops that were tried took longer, some of them twice as long.) If the only thing that waits is a reduction,
//! there are twice as many lanes. A loop that is known to have fewer iterations has fewer lanes, but at least half a vector.

use super::backward::{self, Backward};
use super::refusal::Refusal;
use super::rounds;
use super::short::is_short;
use super::uniform::{varies, varying};
use super::{memory, normal};
use fehu_base::IdVec;
use fehu_imp::cpu::CPU;
use fehu_imp::{Block, Exp, Prim, RedOp, Stm, Ty, V, VarInfo, visit};
use fehu_ir::{BinOp, MathFn, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// Local arrays of all lanes have at most this many bytes.
const MOST_LOCAL: u32 = CPU.near_bytes / 8;
/// The bytes of all lanes of a scalar.
const VECTORS: u32 = 2 * CPU.vector_bytes;
/// The same for a loop of few iterations.
const LEAST: u32 = CPU.vector_bytes / 2;

/// How a loop is executed in lanes.
pub(super) struct Plan {
    /// The number of lanes.
    pub(super) width: u32,
    /// The type for booleans of which there are to be as many in a vector as of the other variables.
    pub(super) truth: Prim,
    /// The variables that differ between lanes.
    pub(super) varying: FxHashSet<V>,
    /// The loops that end together in all lanes, by their counters.
    pub(super) backward: FxHashMap<V, Backward>,
    /// The body, normalised.
    pub(super) body: Block,
}

/// How to execute a loop in lanes, or why not. Of some loops the number of iterations is known.
pub(super) fn plan(
    vars: &mut IdVec<V, VarInfo>,
    var: V,
    count: Option<i64>,
    reductions: &[(V, RedOp)],
    body: &Block,
) -> Result<Plan, Refusal> {
    let has_loop = body.iter().any(has_loop);
    let float_extrema = reductions.iter().any(|(v, op)| {
        matches!(op, RedOp::Min | RedOp::Max)
            && matches!(vars[*v].ty, Ty::Scalar(Prim::F32 | Prim::F64))
    });
    if vars[var].ty != Ty::Scalar(Prim::I64) || !(has_loop || float_extrema) {
        return Err(Refusal::Plain);
    }
    body.iter().try_for_each(|stm| possible(vars, stm))?;
    if !sets_only_its_own(body, reductions) {
        return Err(Refusal::Shared);
    }
    let roots = || reductions.iter().map(|(v, _)| *v).chain([var]);
    let mut body = normal::simpler(body);
    let rounds = rounds::find(vars, &mut body);
    let backward = backward::find(vars, &body);
    let mut shared = backward::shared(&backward);
    shared.extend(rounds);
    let mut differing = varying(vars, &body, roots(), &shared);
    loop {
        let ragged = |e: &Exp| varies(&differing, e);
        if !normal::without_ragged_starts(vars, &mut body, &ragged) {
            break;
        }
        differing = varying(vars, &body, roots(), &shared);
    }
    if !memory::fits(&differing, &body) {
        return Err(Refusal::Memory);
    }
    let mut rule = Rule { vars, steady: FxHashSet::from_iter([var]), varying: &differing };
    rule.find_steady(&body);
    let bytes = rule.widest(&body, !has_loop).max(4);
    let most = if has_loop {
        if !rule.has_long_loop(&body) {
            return Err(Refusal::Plain);
        }
        rule.inner(&body, false)?;
        VECTORS / bytes
    } else {
        let is_straight = |stm: &Stm| !matches!(stm, Stm::If(..)) || is_short(&differing, stm);
        if !body.iter().all(is_straight) {
            return Err(Refusal::Branch);
        }
        rule.inner(&body, true)?;
        2 * VECTORS / bytes
    };
    let fits = |width: &u32| count.is_none_or(|count| i64::from(*width) <= count);
    let fewer = std::iter::successors(Some(most), |width| Some(width / 2));
    let width = fewer.take_while(|width| width * bytes >= LEAST).find(fits);
    let width = width.ok_or(Refusal::Few)?;
    let truth = if bytes == 4 { Prim::I32 } else { Prim::I64 };
    let mut local = 0u32;
    visit::each_stm(&body, &mut |stm| {
        if let Stm::Declare(v, _) = stm
            && let Ty::Local(prim, size) = vars[*v].ty
        {
            let bytes = size.saturating_mul(prim.bits() / 8).saturating_mul(width);
            local = local.saturating_add(bytes);
        }
    });
    if local > MOST_LOCAL {
        return Err(Refusal::Local);
    }
    Ok(Plan { width, truth, varying: differing, backward, body })
}

fn has_loop(stm: &Stm) -> bool {
    let mut found = matches!(stm, Stm::While(..) | Stm::For { .. });
    stm.each_block(&mut |block| found |= block.iter().any(has_loop));
    found
}

/// Whether there is a way to execute a statement in lanes.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to fit does not")]
fn possible(vars: &IdVec<V, VarInfo>, stm: &Stm) -> Result<(), Refusal> {
    let here = match stm {
        Stm::Comment(_) | Stm::Assign(..) | Stm::Store(..) | Stm::While(..) => true,
        Stm::If(..) | Stm::Switch(..) => true,
        Stm::Copy { count, .. } => {
            matches!(count, Exp::Const(Scalar::I64(count)) if *count <= CPU.unrolled_iterations)
        }
        Stm::Declare(v, _) => !matches!(vars[*v].ty, Ty::Shared(..)),
        Stm::Alloc(..) | Stm::Free(_) | Stm::Point(..) => true,
        Stm::For { step, .. } => *step > 0,
        _ => false,
    };
    if !here {
        return Err(Refusal::of(stm));
    }
    let mut all = Ok(());
    stm.each_block(&mut |block| {
        if all.is_ok() {
            all = block.iter().try_for_each(|stm| possible(vars, stm));
        }
    });
    all
}

/// Whether a loop has so few iterations, with so little in them, that C compilers unroll it.
pub(super) fn is_unrolled(from: &Exp, to: &Exp, step: i64, body: &Block) -> bool {
    let (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) = (from, to) else {
        return false;
    };
    let mut total = 0;
    visit::each_stm(body, &mut |stm| stm.each_exp(&mut |e| total += 1 + e.cycles()));
    let total = i64::try_from(total).unwrap_or(i64::MAX);
    let span = to.saturating_sub(*from).max(0);
    let count = span / step.max(1);
    span <= step.saturating_mul(CPU.unrolled_iterations)
        && count.saturating_mul(total) <= CPU.unrolled_cost
}

/// Refuses what does not fit.
fn given(fits: bool, refusal: Refusal) -> Result<(), Refusal> {
    if fits { Ok(()) } else { Err(refusal) }
}

/// Whether everything that is assigned is declared inside, or is a reduction.
pub(crate) fn sets_only_its_own(body: &Block, reductions: &[(V, RedOp)]) -> bool {
    let mut own: FxHashSet<V> = reductions.iter().map(|(v, _)| *v).collect();
    visit::each_stm(body, &mut |stm| {
        stm.each_declared(&mut |v| {
            own.insert(v);
        })
    });
    let mut all = true;
    visit::each_stm(body, &mut |stm| stm.each_set(&mut |v| all &= own.contains(&v)));
    all
}

struct Rule<'a> {
    vars: &'a IdVec<V, VarInfo>,
    /// The variables that grow by one from lane to lane: the one of the loop, and sums of it and what does not vary.
    steady: FxHashSet<V>,
    varying: &'a FxHashSet<V>,
}

impl Rule<'_> {
    fn varies(&self, e: &Exp) -> bool {
        varies(self.varying, e)
    }

    fn find_steady(&mut self, body: &Block) {
        let mut assigned = FxHashSet::default();
        visit::each_stm(body, &mut |stm| {
            stm.each_set(&mut |v| {
                assigned.insert(v);
            });
            if let Stm::Declare(v, Some(e)) = stm
                && self.is_steady(e)
            {
                self.steady.insert(*v);
            }
        });
        self.steady.retain(|v| !assigned.contains(v));
    }

    /// Whether a number grows by one from lane to lane.
    fn is_steady(&self, e: &Exp) -> bool {
        let same = |e: &Exp| !self.varies(e);
        match e {
            Exp::Var(v) => self.steady.contains(v),
            Exp::Bin(BinOp::Add, Prim::I64, a, b) => {
                self.is_steady(a) && same(b) || same(a) && self.is_steady(b)
            }
            Exp::Bin(BinOp::Sub, Prim::I64, a, b) => self.is_steady(a) && same(b),
            Exp::Index(terms) => {
                let grows = |(factor, vars): &&(i64, Vec<V>)| {
                    *factor == 1 && matches!(vars.as_slice(), [v] if self.steady.contains(v))
                };
                let varies =
                    |(_, vars): &&(i64, Vec<V>)| vars.iter().any(|v| self.varying.contains(v));
                terms.iter().filter(varies).count() == 1 && terms.iter().filter(grows).count() == 1
            }
            Exp::Const(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Load(..)
            | Exp::Select(_) => false,
        }
    }

    /// Whether there is a loop that does not disappear by being unrolled.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements are no loops")]
    fn has_long_loop(&self, body: &Block) -> bool {
        let mut found = false;
        visit::each_stm(body, &mut |stm| match stm {
            Stm::While(..) => found = true,
            Stm::For { from, to, step, body, .. } => found |= !is_unrolled(from, to, *step, body),
            _ => {}
        });
        found
    }

    /// Whether everything inside inner loops, or everywhere, is something that vector units can do.
    fn inner(&self, block: &Block, inside: bool) -> Result<(), Refusal> {
        block.iter().try_for_each(|stm| {
            let is_loop = matches!(stm, Stm::While(..) | Stm::For { .. });
            let mut fits = Ok(());
            if inside || matches!(stm, Stm::While(..)) {
                stm.each_exp(&mut |e| fits = fits.and_then(|()| self.vector(e)));
                if let Stm::Store(p, index, _) = stm {
                    fits = fits.and_then(|()| self.near(*p, index));
                }
            }
            stm.each_block(&mut |block| {
                fits = fits.and_then(|()| self.inner(block, inside || is_loop));
            });
            fits
        })
    }

    /// Whether the elements of all lanes are in one place, and not too small for instructions with masks.
    fn near(&self, p: V, index: &Exp) -> Result<(), Refusal> {
        let (Ty::Ptr(_, prim) | Ty::Scalar(prim) | Ty::Local(prim, _)) = self.vars[p].ty else {
            return Err(Refusal::Far);
        };
        let is_own = self.varying.contains(&p);
        let near = match index {
            index if !is_own && self.is_steady(index) => true,
            index => !self.varies(index),
        };
        match (near, prim.bits() >= 32) {
            (false, _) => Err(Refusal::Far),
            (true, false) => Err(Refusal::Narrow),
            (true, true) => Ok(()),
        }
    }

    /// Whether vector units can evaluate an expression.
    fn vector(&self, e: &Exp) -> Result<(), Refusal> {
        // What does not vary is not evaluated in lanes.
        if !self.varies(e) {
            return Ok(());
        }
        let is_wide = |prim: Prim| given(prim != Prim::F16, Refusal::Half);
        let mut fits = match e {
            Exp::Const(_) | Exp::Var(_) | Exp::Index(_) | Exp::Select(_) => Ok(()),
            Exp::Un(_, prim, _) | Exp::Cmp(_, prim, ..) => is_wide(*prim),
            Exp::Convert(from, to, _) | Exp::Reinterpret(from, to, _) => {
                is_wide(*from).and_then(|()| is_wide(*to))
            }
            Exp::Bin(op, prim, _, b) => {
                let fits = is_vector_op(*op, *prim, b);
                is_wide(*prim).and(given(fits, Refusal::Division))
            }
            Exp::Math(f, prim, _) => {
                is_wide(*prim).and(given(is_vector_function(*f), Refusal::Library))
            }
            Exp::Load(p, index) => self.near(*p, index),
        };
        e.each_child(&mut |child| fits = fits.and_then(|()| self.vector(child)));
        fits
    }

    /// The bytes of the widest scalar that varies, inside inner loops or everywhere.
    fn widest(&self, block: &Block, inside: bool) -> u32 {
        let mut most = 1;
        for stm in block {
            let is_loop = matches!(stm, Stm::While(..) | Stm::For { .. });
            if inside {
                let mut note = |v: V| {
                    if let Ty::Scalar(prim) = self.vars[v].ty
                        && self.varying.contains(&v)
                        && !self.steady.contains(&v)
                    {
                        most = most.max(prim.bits() / 8);
                    }
                };
                stm.each_declared(&mut note);
                stm.each_set(&mut note);
            }
            stm.each_block(&mut |block| most = most.max(self.widest(block, inside || is_loop)));
        }
        most
    }
}

fn is_vector_op(op: BinOp, prim: Prim, b: &Exp) -> bool {
    let is_int = prim.is_integer();
    match op {
        BinOp::Pow => !is_int,
        BinOp::Mod | BinOp::Rem if !is_int => false,
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if is_int && prim.bits() == 64 => {
            matches!(b, Exp::Const(k) if k.bits().is_power_of_two())
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max => true,
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => true,
        BinOp::And | BinOp::Or | BinOp::Xor => true,
        BinOp::Shl | BinOp::Shr | BinOp::Ashr | BinOp::Lshr => true,
    }
}

fn is_vector_function(f: MathFn) -> bool {
    !matches!(
        f,
        MathFn::Gamma
            | MathFn::Lgamma
            | MathFn::Nextafter
            | MathFn::Ldexp
            | MathFn::Popc
            | MathFn::Clz
            | MathFn::Ctz
            | MathFn::MulHi
            | MathFn::MadHi
    )
}
