//! `unflatten`: loops that divide their counter go through it row by row.
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
//! There is one division for each row and not one for each element; and the inner loop, in which the row stays the same and columns
//! are neighbours, is one that can be vectorised, as no processor divides 64-bit numbers in vectors.
//!
//! Divisions round down, so that this is right for all counters and all divisors: with one that is not positive, each row has
//! one element. Divisors are variables that the loop does not change, or numbers that are not small and no powers of two.

use crate::rewrite::{Vars, bin, change_exps, replace, replace_stms, sum};
use crate::visit::{each_stm, set_vars};
use crate::{Block, Exp, Prim, Program, Stm, Ty, V};
use fehu_ir::{BinOp, CmpOp, Scalar};

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
    let width = divisor(*var, body)?;
    let [at, last, row, column, end] =
        ["at", "last", "row", "column", "end"].map(|hint| vars.scalar(hint, Prim::I64));
    let body = change_exps(body, &|e| {
        replace(e, &|e| match e {
            Exp::Bin(op, Prim::I64, a, b) if **a == Exp::Var(*var) && **b == width => match op {
                BinOp::Div => Some(Exp::Var(row)),
                BinOp::Mod => Some(sum(&[(1, column), (1, *var), (-1, at)], 0)),
                _ => None,
            },
            _ => None,
        })
    });
    let left = bin(BinOp::Sub, width.clone(), Exp::Var(column));
    let next = bin(BinOp::Max, bin(BinOp::Add, Exp::Var(at), left), sum(&[(1, at)], 1));
    let range = (Exp::Var(at), Exp::Var(end));
    let inner =
        Stm::For { var: *var, from: range.0, to: range.1, step: 1, kind: kind.clone(), body };
    let rows = vec![
        Stm::Declare(row, Some(bin(BinOp::Div, Exp::Var(at), width.clone()))),
        Stm::Declare(column, Some(bin(BinOp::Mod, Exp::Var(at), width))),
        Stm::Declare(end, Some(bin(BinOp::Min, next, Exp::Var(last)))),
        inner,
        Stm::Assign(at, Exp::Var(end)),
    ];
    let more = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::Var(at)), Box::new(Exp::Var(last)));
    Some(vec![
        Stm::Declare(at, Some(from.clone())),
        Stm::Declare(last, Some(to.clone())),
        Stm::While(more, rows),
    ])
}

/// What the counter of a loop is divided by: by preference where the remainder is needed, as its neighbours are neighbours.
fn divisor(var: V, body: &Block) -> Option<Exp> {
    let inside = set_vars(body);
    let fits = |width: &Exp| match width {
        Exp::Var(v) => *v != var && !inside.contains(v),
        Exp::Const(Scalar::I64(width)) => *width >= SHORTEST && width.count_ones() != 1,
        _ => false,
    };
    let (mut by_mod, mut by_div) = (None, None);
    each_stm(body, &mut |stm| {
        stm.each_exp(&mut |e| {
            each_part(e, &mut |e| {
                let Exp::Bin(op @ (BinOp::Div | BinOp::Mod), Prim::I64, a, b) = e else { return };
                if **a == Exp::Var(var) && fits(b) {
                    let found = if *op == BinOp::Mod { &mut by_mod } else { &mut by_div };
                    found.get_or_insert_with(|| (**b).clone());
                }
            });
        });
    });
    by_mod.or(by_div)
}

fn each_part<'a>(e: &'a Exp, visit: &mut dyn FnMut(&'a Exp)) {
    visit(e);
    e.each_child(&mut |child| each_part(child, visit));
}

#[cfg(test)]
mod tests {
    use super::unflatten;
    use crate::rewrite::bin;
    use crate::testing::{Machine, Maker, each, only, program, var};
    use crate::{Exp, Fun, Kind, Stm, V};
    use fehu_ir::BinOp;

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
    fn inner_loops_are_of_the_same_kind_and_divide_nothing() {
        let table = table(|w, _| var(w));
        let changed = changed(&table.fun);
        let mut kinds = Vec::new();
        crate::visit::each_stm(&changed.body, &mut |stm| {
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
