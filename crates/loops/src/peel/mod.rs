//! `peel`: loops whose indices are clamped, or whose checks and conditions matter only at the ends, get an interior
//! without them.
//!
//! ```text
//! for x < n { u = max(min(x + 1, n - 1), 0); assert u < n; o[x] = s[x] + s[u] }
//! ```
//!
//! becomes
//!
//! ```text
//! lo = ..., hi = ...
//! for part < 2 { for x from (part == 0 ? 0 : hi) to (part == 0 ? lo : n) { as it was } }
//! for x from lo to hi { u = x + 1; o[x] = s[x] + s[u] }
//! ```
//!
//! The interior is the range of all `x` for which every `min` or `max` of `x + c` and a loop-invariant value is `x +
//! c`, every check holds, and the condition of every branch has the value that it has far from the ends. Here `c` is a
//! number, or one produced by small inner loops over known ranges, possibly plus a loop-invariant number. The range is
//! computed at run time, so nothing has to be proved. Iterations outside it are executed unchanged, with all checks,
//! and before the interior, so that errors are the same. A check that does not depend on `x` makes the interior empty
//! if it does not hold.
//!
//! Conditions: the loop is independent, its only inner loops have a small known number of iterations, and no check is
//! left in the interior. Numbers that could overflow are kept far from the limits of their type.

mod affine;
mod interior;

use fehu_imp::cost::count;
use fehu_imp::rewrite::{Vars, replace_stms};
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, Ty, V};
use fehu_ir::{CmpOp, Scalar};

/// An interior with more statements than this is not worth a loop of its own ...
const MOST_STATEMENTS: usize = 600;
/// ... and a body with more of them is not looked at.
const MOST_LOOKED_AT: usize = 4000;
/// The maximum number of iterations of an inner loop.
const MOST_INNER: i64 = 64;

/// Splits the loops of a program.
pub fn peel(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let mut vars = Vars(&mut fun.vars);
        replace_stms(&mut fun.body, &mut |stm| split(&mut vars, stm));
    }
}

/// The parts of a loop.
fn split(vars: &mut Vars<'_>, stm: &Stm) -> Option<Block> {
    let Stm::For { var, from, to, step: 1, kind, body } = stm else { return None };
    let is_wide = vars.0[*var].ty == Ty::Scalar(Prim::I64);
    if *kind == Kind::Sequential || !is_wide || !is_plain(body) {
        return None;
    }
    let short =
        matches!((from, to), (Exp::Const(_), Exp::Const(Scalar::I64(n))) if *n <= MOST_INNER);
    if short || count(body) > MOST_LOOKED_AT {
        return None;
    }
    let (inside, limits) = interior::interior(vars, *var, body)?;
    if count(&inside) > MOST_STATEMENTS {
        return None;
    }
    let inside = vars.copy(&[Stm::For {
        var: *var,
        from: Exp::int(0),
        to: Exp::int(0),
        step: 1,
        kind: kind.clone(),
        body: inside,
    }]);

    let mut new = |hint: &str| vars.scalar(hint, Prim::I64);
    let (first, end, low, high) = (new("first"), new("end"), new("low"), new("high"));
    let (part, begin, stop) = (new("part"), new("begin"), new("stop"));
    let (low_value, high_value) = limits.range(first, end, low);
    let is_first = |yes: V, no: V| {
        let cond = Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(Exp::Var(part)), Box::new(Exp::int(0)));
        Exp::Select(Box::new([cond, Exp::Var(yes), Exp::Var(no)]))
    };
    let ends = Stm::For {
        var: part,
        from: Exp::int(0),
        to: Exp::int(2),
        step: 1,
        kind: Kind::Sequential,
        body: vec![
            Stm::Declare(begin, Some(is_first(first, high))),
            Stm::Declare(stop, Some(is_first(low, end))),
            Stm::For {
                var: *var,
                from: Exp::Var(begin),
                to: Exp::Var(stop),
                step: 1,
                kind: at_the_ends(kind),
                body: body.clone(),
            },
        ],
    };
    let mut parts =
        vec![Stm::Declare(first, Some(from.clone())), Stm::Declare(end, Some(to.clone()))];
    parts.extend(limits.declarations());
    parts.extend([
        Stm::Declare(low, Some(low_value)),
        Stm::Declare(high, Some(high_value)),
        Stm::Comment("The ends, then the interior.".into()),
        ends,
    ]);
    for stm in inside {
        if let Stm::For { var, kind, body, .. } = stm {
            let (from, to) = (Exp::Var(low), Exp::Var(high));
            parts.push(Stm::For { var, from, to, step: 1, kind, body });
        }
    }
    Some(parts)
}

/// How the ends are executed: there is not enough to do for vectors, which would go through both sides of each branch.
/// Where a whole loop is an end, it is the one over a border in a nest.
fn at_the_ends(kind: &Kind) -> Kind {
    match kind.reductions() {
        Some([]) => Kind::Sequential,
        Some(_) | None => kind.clone(),
    }
}

/// Whether a block is short enough to be copied.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to fit does not")]
fn is_plain(block: &[Stm]) -> bool {
    block.iter().all(|stm| match stm {
        Stm::Comment(_)
        | Stm::Declare(..)
        | Stm::Assign(..)
        | Stm::Store(..)
        | Stm::Point(..)
        | Stm::Assert(..) => true,
        Stm::If(_, yes, no) => is_plain(yes) && is_plain(no),
        Stm::For { from, to, step, body, .. } => {
            *step > 0
                && matches!((from, to), (Exp::Const(Scalar::I64(a)), Exp::Const(Scalar::I64(b)))
                    if b.saturating_sub(*a) <= MOST_INNER)
                && is_plain(body)
        }
        _ => false,
    })
}
