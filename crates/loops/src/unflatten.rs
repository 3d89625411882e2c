//! `unflatten`: loops that divide their counter are split into rows.
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
//! vectors.
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
pub fn unflatten(program: &mut Program) {
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
    let here = match prim {
        Prim::I64 => sum(&[(1, column), (1, *var), (-1, at)], 0),
        _ => {
            let further = narrow(sum(&[(1, *var), (-1, at)], 0));
            Exp::Bin(BinOp::Add, prim, Box::new(Exp::Var(column)), Box::new(further))
        }
    };
    let body = change_exps(body, &|e| {
        replace(e, &|e| match counter.divided(e) {
            Some((BinOp::Div, of, by)) if of == prim && *by == width => Some(Exp::Var(row)),
            Some((BinOp::Mod, of, by)) if of == prim && *by == width => Some(here.clone()),
            _ => None,
        })
    });
    let left = Exp::Bin(BinOp::Sub, prim, Box::new(width.clone()), Box::new(Exp::Var(column)));
    let next = match prim {
        Prim::I64 => bin(BinOp::Add, Exp::Var(at), left),
        _ => {
            // A narrow counter begins anew after its largest number.
            let all = bin(BinOp::Sub, Exp::int(1 << 31), wide(first.clone()));
            bin(BinOp::Add, Exp::Var(at), bin(BinOp::Min, wide(left), all))
        }
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
    Some(vec![
        Stm::Declare(at, Some(from.clone())),
        Stm::Declare(last, Some(to.clone())),
        Stm::While(more, rows),
    ])
}

/// A divisor, or one instead of zero: an iteration may divide only if the divisor is not zero, but rows are found before.
fn not_zero(prim: Prim, width: &Exp) -> Exp {
    if matches!(width, Exp::Const(_)) {
        return width.clone();
    }
    let number = |value: i64| match prim {
        Prim::I32 => Exp::Const(Scalar::I32(value as i32)),
        _ => Exp::int(value),
    };
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

#[cfg(test)]
mod tests {
    use super::{narrow, unflatten};
    use crate::testing::{Machine, Maker, each, only, program, var};
    use fehu_imp::rewrite::{bin, sum};
    use fehu_imp::{Exp, Fun, Kind, Prim, Stm, Ty, V, VarInfo};
    use fehu_ir::{BinOp, CmpOp};

    struct Table {
        fun: Fun,
        n: V,
        w: V,
        o: V,
    }

    /// `o[k] = 100 * (k / w) + k % w`, or with something else for `w`.
    fn table(divisor: impl Fn(V, V) -> Exp) -> Table {
        let mut vars = Maker::new();
        let [n, w, k, q, r, y] = ["n", "w", "k", "q", "r", "y"].map(|hint| vars.scalar(hint));
        let o = vars.ptr("o");
        let row = bin(BinOp::Mul, var(q), Exp::int(100));
        let body = vec![
            Stm::Declare(q, Some(bin(BinOp::Div, var(k), divisor(w, k)))),
            Stm::Declare(r, Some(bin(BinOp::Mod, var(k), divisor(w, k)))),
            Stm::Declare(y, Some(bin(BinOp::Add, row, var(r)))),
            Stm::Store(o, var(k), var(y)),
        ];
        Table { fun: vars.fun(vec![each(k, var(n), body)]), n, w, o }
    }

    fn changed(fun: &Fun) -> Fun {
        let mut changed = program(fun.clone());
        unflatten(&mut changed);
        only(&changed).clone()
    }

    #[test]
    fn rows_of_any_width() {
        let table = table(|w, _| var(w));
        let changed = changed(&table.fun);
        assert!(changed.body.iter().any(|stm| matches!(stm, Stm::While(..))));
        for (n, w) in [(0, 3), (1, 3), (12, 3), (13, 3), (7, 7), (6, 7), (5, 1), (5, -2)] {
            let run = |fun: &Fun| {
                let size = usize::try_from(n).expect("a size");
                let machine = Machine::default().with(table.n, n).with(table.w, w);
                let mut machine = machine.empty(table.o, size);
                machine.run(fun).expect("no checks");
                machine.memory[&table.o].clone()
            };
            assert_eq!(run(&table.fun), run(&changed), "{n} by {w}");
        }
    }

    #[test]
    fn nothing_is_divided_by_zero_that_was_not() {
        let mut vars = Maker::new();
        let [n, w, k, r] = ["n", "w", "k", "r"].map(|hint| vars.scalar(hint));
        let o = vars.ptr("o");
        let is_zero = Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(var(w)), Box::new(Exp::int(0)));
        let inside = vec![
            Stm::Declare(r, Some(bin(BinOp::Mod, var(k), var(w)))),
            Stm::Store(o, var(k), var(r)),
        ];
        let otherwise = vec![Stm::Store(o, var(k), Exp::int(-1))];
        let body = vec![Stm::If(is_zero, otherwise, inside)];
        let fun = vars.fun(vec![each(k, var(n), body)]);
        let changed = changed(&fun);
        assert!(changed.body.iter().any(|stm| matches!(stm, Stm::While(..))));
        for width in [0, 2] {
            let run = |fun: &Fun| {
                let mut machine = Machine::default().with(n, 5).with(w, width).empty(o, 5);
                machine.run(fun).expect("no checks");
                machine.memory[&o].clone()
            };
            assert_eq!(run(&fun), run(&changed), "by {width}");
        }
    }

    #[test]
    fn narrow_counters_begin_anew() {
        const FROM: i64 = (1 << 31) - 9;
        let mut vars = Maker::new();
        let [w, k] = ["w", "k"].map(|hint| vars.scalar(hint));
        let [c, q, r] = ["c", "q", "r"]
            .map(|hint| vars.0.push(VarInfo { hint: hint.into(), ty: Ty::Scalar(Prim::I32) }));
        let o = vars.ptr("o");
        let divide = |op| Exp::Bin(op, Prim::I32, Box::new(var(c)), Box::new(var(w)));
        let row = Exp::Bin(BinOp::Mul, Prim::I64, Box::new(var(q)), Box::new(Exp::int(100)));
        let body = vec![
            Stm::Declare(c, Some(narrow(var(k)))),
            Stm::Declare(q, Some(divide(BinOp::Div))),
            Stm::Declare(r, Some(divide(BinOp::Mod))),
            Stm::Store(o, sum(&[(1, k)], -FROM), bin(BinOp::Add, row, var(r))),
        ];
        let (from, to) = (Exp::int(FROM), Exp::int(FROM + 20));
        let kind = Kind::Independent(Vec::new());
        let fun = vars.fun(vec![Stm::For { var: k, from, to, step: 1, kind, body }]);
        let changed = changed(&fun);
        assert!(changed.body.iter().any(|stm| matches!(stm, Stm::While(..))));
        for width in [1, 3, 7, 1000, i64::from(i32::MAX), -4] {
            let run = |fun: &Fun| {
                let mut machine = Machine::default().with(w, width).empty(o, 20);
                machine.run(fun).expect("no checks");
                machine.memory[&o].clone()
            };
            assert_eq!(run(&fun), run(&changed), "by {width}");
        }
    }

    #[test]
    fn inner_loops_are_of_the_same_kind_and_divide_nothing() {
        let table = table(|w, _| var(w));
        let changed = changed(&table.fun);
        let mut kinds = Vec::new();
        fehu_imp::visit::each_stm(&changed.body, &mut |stm| {
            let Stm::For { kind, body, .. } = stm else { return };
            kinds.push(kind.clone());
            let divides = |e: &Exp| matches!(e, Exp::Bin(BinOp::Div | BinOp::Mod, ..));
            for stm in body {
                stm.each_exp(&mut |e| assert!(!e.any(&divides), "{e:?}"));
            }
        });
        assert_eq!(kinds, [Kind::Independent(Vec::new())]);
    }

    #[test]
    fn divisors_that_change_or_are_small_stay() {
        for divisor in [|_, k| var(k), |_, _| Exp::int(3), |_, _| Exp::int(64)] {
            let table = table(divisor);
            assert_eq!(changed(&table.fun), table.fun);
        }
    }
}
