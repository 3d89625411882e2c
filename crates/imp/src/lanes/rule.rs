//! Which loops run in lanes.
//!
//! A loop is chosen if all of this holds:
//!
//! - Its body consists of scalars, loads, stores, branches and sequential loops; there are no checks, allocations, calls or
//!   pointers that move, and no inner independent loop, which would be the one to be vectorised, unless it is short.
//! - Its local arrays have at most [`MOST_LOCAL`] bytes for all lanes together.
//! - Either some inner loop is *divergent*: a `while` loop whose condition varies, or a `for` loop whose bounds do. Then what is
//!   computed in inner loops must be something that vector units have: no divisions of 64-bit integers but by powers of two, no
//!   remainders of floats, no powers of integers, no functions that only the C library has, no f16, and no memory
//!   accesses of less than 32 bits where lanes are not neighbours.
//! - Or there is no inner loop, no branch that is not short, and a reduction by minimum or maximum of floats.
//!
//! The number of lanes fills a vector of 512 bits with the widest of the variables that vary inside of inner loops, or two
//! vectors of 256 bits, so that one can be computed while the other waits. Where the only thing that waits is a reduction, there are
//! four times as many.

use super::normal;
use super::uniform::{varies, varying};
use crate::{Block, Exp, Kind, Prim, RedOp, Stm, Ty, V, VarInfo, visit};
use fehu_base::IdVec;
use fehu_ir::{BinOp, MathFn, Scalar, UnOp};
use rustc_hash::FxHashSet;

/// Local arrays of all lanes have at most this many bytes.
const MOST_LOCAL: u32 = 4096;
/// A branch that costs at most this much is executed by all lanes, whether it is needed or not.
const SHORT: usize = 40;
/// An independent loop with at most this many iterations is not worth being vectorised itself.
const FEW: i64 = 16;
/// The bytes of all lanes of a scalar.
const VECTOR: u32 = 64;

/// How a loop is executed in lanes.
pub(super) struct Plan {
    pub(super) width: u32,
    /// The variables that differ between lanes.
    pub(super) varying: FxHashSet<V>,
    /// The body, normalised.
    pub(super) body: Block,
}

/// How to execute a loop in lanes, if that is worth it.
pub(super) fn plan(
    vars: &mut IdVec<V, VarInfo>,
    var: V,
    reductions: &[(V, RedOp)],
    body: &Block,
) -> Option<Plan> {
    let has_loop = body.iter().any(has_loop);
    let float_extrema = reductions.iter().any(|(v, op)| {
        matches!(op, RedOp::Min | RedOp::Max)
            && matches!(vars[*v].ty, Ty::Scalar(Prim::F32 | Prim::F64))
    });
    let possible = vars[var].ty == Ty::Scalar(Prim::I64)
        && (has_loop || float_extrema)
        && body.iter().all(|stm| is_possible(vars, stm))
        && sets_only_its_own(body, reductions);
    if !possible {
        return None;
    }
    let roots = || reductions.iter().map(|(v, _)| *v).chain([var]);
    let mut body = normal::without_switches(body);
    let mut differing = varying(vars, &body, roots());
    loop {
        let old: IdVec<V, VarInfo> = vars.clone();
        let ragged = |e: &Exp| varies(&old, &differing, e);
        if !normal::without_ragged_starts(vars, &mut body, &ragged) {
            break;
        }
        differing = varying(vars, &body, roots());
    }
    let rule = Rule { vars, varying: &differing };
    let width = if has_loop {
        let worth = rule.is_divergent(&body) && rule.inner(&body, false);
        worth.then(|| VECTOR / rule.widest(&body, false).max(4))?
    } else {
        let short = body.iter().all(|stm| !matches!(stm, Stm::If(..)) || rule.is_short(stm));
        let bytes = rule.widest(&body, true).max(4);
        (short && rule.inner(&body, true)).then_some(4 * VECTOR / bytes)?
    };
    let mut local = 0u32;
    visit::each_stm(&body, &mut |stm| {
        if let Stm::Declare(v, _) = stm
            && let Ty::Local(prim, size) = vars[*v].ty
        {
            let bytes = size.saturating_mul(prim.bits() / 8).saturating_mul(width);
            local = local.saturating_add(bytes);
        }
    });
    (local <= MOST_LOCAL).then_some(Plan { width, varying: differing, body })
}

/// Whether a branch is executed by all lanes.
pub(super) fn is_short(vars: &IdVec<V, VarInfo>, varying: &FxHashSet<V>, stm: &Stm) -> bool {
    Rule { vars, varying }.is_short(stm)
}

fn has_loop(stm: &Stm) -> bool {
    let mut found = matches!(stm, Stm::While(..) | Stm::For { .. });
    stm.each_block(&mut |block| found |= block.iter().any(has_loop));
    found
}

/// Whether there is a way to execute a statement in lanes.
fn is_possible(vars: &IdVec<V, VarInfo>, stm: &Stm) -> bool {
    let inner = |block: &Block| block.iter().all(|stm| is_possible(vars, stm));
    let here = match stm {
        Stm::Comment(_) | Stm::Assign(..) | Stm::Store(..) | Stm::While(..) => true,
        Stm::If(..) | Stm::Switch(..) => true,
        Stm::Declare(v, _) => matches!(vars[*v].ty, Ty::Scalar(_) | Ty::Local(..)),
        Stm::For { from, to, step, kind, .. } => match kind {
            Kind::Sequential => *step > 0,
            Kind::Independent(_) => {
                matches!((from, to), (Exp::Const(Scalar::I64(0)), Exp::Const(Scalar::I64(n))) if *n <= FEW)
                    && *step > 0
            }
        },
        Stm::Alloc(..)
        | Stm::Share(..)
        | Stm::Export { .. }
        | Stm::Free(_)
        | Stm::Point(..)
        | Stm::Copy { .. }
        | Stm::Call(..)
        | Stm::Const(..)
        | Stm::Assert(..)
        | Stm::Trace(..)
        | Stm::TraceArray(..)
        | Stm::Atomic(..)
        | Stm::Locked(..)
        | Stm::Tasks(_)
        | Stm::Chunks(..) => false,
    };
    let mut all = here;
    stm.each_block(&mut |block| all = all && inner(block));
    all
}

/// Whether everything that is assigned is declared inside, or is a reduction.
fn sets_only_its_own(body: &Block, reductions: &[(V, RedOp)]) -> bool {
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
    varying: &'a FxHashSet<V>,
}

impl Rule<'_> {
    fn varies(&self, e: &Exp) -> bool {
        varies(self.vars, self.varying, e)
    }

    /// Whether lanes leave some loop at different times.
    fn is_divergent(&self, body: &Block) -> bool {
        let mut found = false;
        visit::each_stm(body, &mut |stm| match stm {
            Stm::While(cond, _) => found |= self.varies(cond),
            Stm::For { to, .. } => found |= self.varies(to),
            _ => {}
        });
        found
    }

    /// Whether everything inside of inner loops, or everywhere, is something that vector units can do.
    fn inner(&self, block: &Block, inside: bool) -> bool {
        block.iter().all(|stm| {
            let is_loop = matches!(stm, Stm::While(..) | Stm::For { .. });
            let mut fits = true;
            if inside || matches!(stm, Stm::While(..)) {
                stm.each_exp(&mut |e| fits &= self.is_vector(e));
                if let Stm::Store(p, ..) = stm {
                    fits &= self.is_wide(*p);
                }
            }
            stm.each_block(&mut |block| fits = fits && self.inner(block, inside || is_loop));
            fits
        })
    }

    fn is_wide(&self, p: V) -> bool {
        match self.vars[p].ty {
            Ty::Ptr(prim) | Ty::Local(prim, _) | Ty::Scalar(prim) => prim.bits() >= 32,
            Ty::Mem => false,
        }
    }

    /// Whether vector units can evaluate an expression.
    fn is_vector(&self, e: &Exp) -> bool {
        // What does not vary is not evaluated in lanes.
        if !self.varies(e) {
            return true;
        }
        let here = match e {
            Exp::Const(_) | Exp::Var(_) | Exp::Index(_) | Exp::Select(_) => true,
            Exp::Un(_, prim, _) | Exp::Cmp(_, prim, ..) => *prim != Prim::F16,
            Exp::Convert(from, to, _) | Exp::Reinterpret(from, to, _) => {
                *from != Prim::F16 && *to != Prim::F16
            }
            Exp::Bin(op, prim, _, b) => is_vector_op(*op, *prim, b),
            Exp::Math(f, prim, _) => is_vector_function(*f, *prim),
            Exp::Load(p, _) => self.is_wide(*p),
        };
        let mut all = here;
        e.each_child(&mut |child| all = all && self.is_vector(child));
        all
    }

    /// The bytes of the widest scalar that varies, inside of inner loops or everywhere.
    fn widest(&self, block: &Block, inside: bool) -> u32 {
        let mut most = 1;
        for stm in block {
            let is_loop = matches!(stm, Stm::While(..) | Stm::For { .. });
            if inside {
                let mut note = |v: V| {
                    if let Ty::Scalar(prim) = self.vars[v].ty
                        && self.varying.contains(&v)
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

    /// Whether a branch has no loops, costs little, and only does what all lanes can do at once: to load something that does not
    /// vary is left to code outside of the lanes, and so are assignments to what does not vary.
    fn is_short(&self, stm: &Stm) -> bool {
        let (mut cost, mut fits) = (0, true);
        let mut declared = FxHashSet::default();
        visit::each_stm(std::slice::from_ref(stm), &mut |inner| {
            match inner {
                Stm::Declare(v, _) => {
                    declared.insert(*v);
                }
                Stm::Assign(v, _) => fits &= declared.contains(v) || self.varying.contains(v),
                Stm::Store(..) | Stm::If(..) | Stm::Comment(_) => {}
                _ => fits = false,
            }
            inner.each_exp(&mut |e| {
                cost += self.cost(e);
                fits &= !e.any(&|e| matches!(e, Exp::Load(p, index) if !self.varies(index) && matches!(self.vars[*p].ty, Ty::Ptr(_))));
            });
        });
        fits && cost <= SHORT
    }

    fn cost(&self, e: &Exp) -> usize {
        let mut cost = match e {
            Exp::Const(_) | Exp::Var(_) => 0,
            Exp::Un(UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Sgn, ..)
            | Exp::Cmp(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Index(_)
            | Exp::Select(_) => 1,
            Exp::Bin(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem, ..) => 8,
            Exp::Bin(BinOp::Pow, ..) | Exp::Math(..) => 16,
            Exp::Bin(..) => 1,
            Exp::Load(..) => 4,
        };
        e.each_child(&mut |child| cost += self.cost(child));
        cost
    }
}

fn is_vector_op(op: BinOp, prim: Prim, b: &Exp) -> bool {
    let is_int = prim.is_integer();
    match op {
        _ if prim == Prim::F16 => false,
        BinOp::Pow => !is_int,
        BinOp::Mod | BinOp::Rem if !is_int => false,
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem if is_int && prim.bits() == 64 => {
            matches!(b, Exp::Const(k) if k.bits().is_power_of_two())
        }
        _ => true,
    }
}

fn is_vector_function(f: MathFn, prim: Prim) -> bool {
    let only_in_library = matches!(
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
    );
    prim != Prim::F16 && !only_in_library
}
