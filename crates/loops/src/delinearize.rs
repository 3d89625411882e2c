//! `delinearize`: loops that divide their counter are split into rows.
//!
//! ```text
//! for k in from..to { f(k / n, k % n) }
//! ```
//!
//! becomes
//!
//! ```text
//! at = from
//! while at < to {
//!   row = at / n;  column = at % n
//!   end = at + (n - column), but at most `to`, and not before at + 1
//!   for k in at..end { f(row, column + k - at) }
//!   at = end
//! }
//! ```
//!
//! This takes one division per row instead of one per element. The inner loop, in which the row is constant and the
//! columns are consecutive, can be vectorised; the original cannot, because no processor divides 64-bit numbers in
//! vectors. They do divide numbers of 32 bits, as floats: where rows turn out to be shorter than [`SHORTEST`], the
//! original is executed.
//!
//! Divisions round down, so this is correct for all counters and all divisors: if the divisor is not positive, each row
//! has one element. A divisor of zero counts as one where rows are found, since an iteration need not divide. Divisors are
//! loop-invariant variables, or constants that are neither small nor powers of two. The counter may be divided as an
//! `i32`; then rows also end where the conversion to `i32` wraps.

use fehu_imp::rewrite::{Vars, bin, change_exps, replace, replace_stms, sum};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Prim, Program, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar};
use rustc_hash::FxHashSet;

/// Rows that are known to be shorter are not worth a loop.
const SHORTEST: i64 = 16;

/// Changes the loops of a program that divide their counter.
pub fn delinearize(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let mut vars = Vars(&mut fun.vars);
        replace_stms(&mut fun.body, &mut |stm| by_rows(&mut vars, stm));
    }
}

fn by_rows(vars: &mut Vars<'_>, stm: &Stm) -> Option<Block> {
    let Stm::For { var, from, to, step: 1, kind, body } = stm else { return None };
    if vars.0[*var].ty != Ty::Scalar(Prim::I64) {
        return None;
    }
    let counter = Counter::of(*var, body);
    let (prim, width) = counter.divisor(body)?;
    let [at, last, end] = ["at", "last", "end"].map(|hint| vars.scalar(hint, Prim::I64));
    let [row, column] = ["row", "column"].map(|hint| vars.scalar(hint, prim));
    let first = if prim == Prim::I64 { Exp::Var(at) } else { narrow(Exp::Var(at)) };
    let divide = |op| Exp::Bin(op, prim, Box::new(first.clone()), Box::new(not_zero(prim, &width)));
    let here = if prim == Prim::I64 {
        sum(&[(1, column), (1, *var), (-1, at)], 0)
    } else {
        let further = narrow(sum(&[(1, *var), (-1, at)], 0));
        Exp::Bin(BinOp::Add, prim, Box::new(Exp::Var(column)), Box::new(further))
    };
    let body = change_exps(body, &|e| {
        replace(e, &|e| match counter.divided(e) {
            Some((BinOp::Div, of, by)) if of == prim && *by == width => Some(Exp::Var(row)),
            Some((BinOp::Mod, of, by)) if of == prim && *by == width => Some(here.clone()),
            _ => None,
        })
    });
    let left = Exp::Bin(BinOp::Sub, prim, Box::new(width.clone()), Box::new(Exp::Var(column)));
    let next = if prim == Prim::I64 {
        bin(BinOp::Add, Exp::Var(at), left)
    } else {
        // A narrow counter begins anew after its largest number.
        let all = bin(BinOp::Sub, Exp::int(1 << 31), wide(first.clone()));
        bin(BinOp::Add, Exp::Var(at), bin(BinOp::Min, wide(left), all))
    };
    let next = bin(BinOp::Max, next, sum(&[(1, at)], 1));
    let (low, high, kind) = (Exp::Var(at), Exp::Var(end), kind.clone());
    let rows = vec![
        Stm::Declare(row, Some(divide(BinOp::Div))),
        Stm::Declare(column, Some(divide(BinOp::Mod))),
        Stm::Declare(end, Some(bin(BinOp::Min, next, Exp::Var(last)))),
        Stm::For { var: *var, from: low, to: high, step: 1, kind, body },
        Stm::Assign(at, Exp::Var(end)),
    ];
    let more = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(at)), Box::new(Exp::Var(last)));
    let by_rows = vec![
        Stm::Declare(at, Some(from.clone())),
        Stm::Declare(last, Some(to.clone())),
        Stm::While(more, rows),
    ];
    if prim == Prim::I64 || matches!(width, Exp::Const(_)) {
        return Some(by_rows);
    }
    let shortest = Exp::Const(Scalar::I32(SHORTEST as i32));
    let is_short = Exp::Cmp(CmpOp::Lt, prim, Box::new(width), Box::new(shortest));
    Some(vec![Stm::If(is_short, vars.copy(std::slice::from_ref(stm)), by_rows)])
}

/// A divisor, or one instead of zero: an iteration may divide only if the divisor is not zero, but rows are found before.
fn not_zero(prim: Prim, width: &Exp) -> Exp {
    if matches!(width, Exp::Const(_)) {
        return width.clone();
    }
    let number = |value: i64| Exp::Const(Scalar::from_bits(prim, value.cast_unsigned()));
    let is_zero = Exp::Cmp(CmpOp::Eq, prim, Box::new(width.clone()), Box::new(number(0)));
    Exp::Select(Box::new([is_zero, number(1), width.clone()]))
}

fn narrow(e: Exp) -> Exp {
    Exp::Convert(Prim::I64, Prim::I32, Box::new(e))
}

fn wide(e: Exp) -> Exp {
    Exp::Convert(Prim::I32, Prim::I64, Box::new(e))
}

/// The counter of a loop, in all its forms.
struct Counter {
    var: V,
    /// Variables that are the counter as an `i32`.
    narrow: FxHashSet<V>,
    /// What an iteration declares or sets.
    inside: FxHashSet<V>,
}

impl Counter {
    fn of(var: V, body: &Block) -> Counter {
        let (mut converted, mut assigned) = (FxHashSet::default(), FxHashSet::default());
        each_stm(body, &mut |stm| {
            stm.each_set(&mut |v| {
                assigned.insert(v);
            });
            if let Stm::Declare(v, Some(e)) = stm
                && *e == narrow(Exp::Var(var))
            {
                converted.insert(*v);
            }
        });
        converted.retain(|v| !assigned.contains(v));
        Counter { var, narrow: converted, inside: set_vars(body) }
    }

    /// What is done to the counter in an expression that divides it, in which type, and by what.
    fn divided<'a>(&self, e: &'a Exp) -> Option<(BinOp, Prim, &'a Exp)> {
        let Exp::Bin(op @ (BinOp::Div | BinOp::Mod), prim, a, b) = e else { return None };
        let is_counter = match (prim, &**a) {
            (Prim::I64, Exp::Var(v)) => *v == self.var,
            (Prim::I32, Exp::Var(v)) => self.narrow.contains(v),
            (Prim::I32, e) => *e == narrow(Exp::Var(self.var)),
            _ => false,
        };
        is_counter.then_some((*op, *prim, &**b))
    }

    /// What the counter is divided by, and as which type: by preference where the remainder is needed, as its neighbours are
    /// neighbours.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these forms are looked for; for others there is nothing to do"
    )]
    fn divisor(&self, body: &Block) -> Option<(Prim, Exp)> {
        let fits = |width: &Exp| match width {
            Exp::Var(v) => *v != self.var && !self.inside.contains(v),
            Exp::Const(Scalar::I64(width)) => is_long(*width),
            Exp::Const(Scalar::I32(width)) => is_long((*width).into()),
            _ => false,
        };
        let (mut by_mod, mut by_div) = (None, None);
        each_stm(body, &mut |stm| {
            stm.each_exp(&mut |e| {
                each_part(e, &mut |e| {
                    if let Some((op, prim, width)) = self.divided(e)
                        && fits(width)
                    {
                        let found = if op == BinOp::Mod { &mut by_mod } else { &mut by_div };
                        found.get_or_insert_with(|| (prim, width.clone()));
                    }
                });
            });
        });
        by_mod.or(by_div)
    }
}

fn is_long(width: i64) -> bool {
    width >= SHORTEST && width.count_ones() != 1
}

fn each_part<'a>(e: &'a Exp, visit: &mut dyn FnMut(&'a Exp)) {
    visit(e);
    e.each_child(&mut |child| each_part(child, visit));
}
