//! Products and columns, executed before and after.

use super::tile;
use crate::testing::{Machine, Maker, at, each, load, only, program, var};
use fehu_imp::rewrite::bin;
use fehu_imp::{Exp, Fun, Kind, RedOp, Stm, V};
use fehu_ir::BinOp;

struct Product {
    fun: Fun,
    n: V,
    m: V,
    k: V,
    a: V,
    b: V,
    c: V,
}

/// `c[i, j] = x + sum of a[i, l] * b[l, j]`, where the second operand may be transposed; `x` is `i + j`.
fn product(transposed: bool) -> Product {
    let mut vars = Maker::new();
    let [n, m, k] = ["n", "m", "k"].map(|hint| vars.scalar(hint));
    let [a, b, c] = ["a", "b", "c"].map(|hint| vars.ptr(hint));
    let [i, j, l] = ["i", "j", "l"].map(|hint| vars.scalar(hint));
    let [acc, x, y] = ["acc", "x", "y"].map(|hint| vars.scalar(hint));
    let column = if transposed { at(m, j, l) } else { at(k, l, j) };
    let inner = vec![
        Stm::Declare(x, Some(load(a, at(m, i, l)))),
        Stm::Declare(y, Some(bin(BinOp::Mul, var(x), load(b, column)))),
        Stm::Assign(acc, bin(BinOp::Add, var(acc), var(y))),
    ];
    let sum = Stm::For {
        var: l,
        from: Exp::int(0),
        to: var(m),
        step: 1,
        kind: Kind::Independent(vec![(acc, RedOp::Add)]),
        body: inner,
    };
    let first = Exp::Index(vec![(1, vec![i]), (1, vec![j])]);
    let columns = vec![Stm::Declare(acc, Some(first)), sum, Stm::Store(c, at(k, i, j), var(acc))];
    let body = vec![each(i, var(n), vec![each(j, var(k), columns)])];
    Product { fun: vars.fun(body), n, m, k, a, b, c }
}

fn run(product: &Product, fun: &Fun, sizes: [i64; 3]) -> Vec<Option<i64>> {
    let [n, m, k] = sizes;
    let mut machine = Machine::default()
        .with(product.n, n)
        .with(product.m, m)
        .with(product.k, k)
        .filled(product.a, (0..n * m).map(|x| x * x % 101))
        .filled(product.b, (0..m * k).map(|x| x * 7 % 103))
        .empty(product.c, (n * k) as usize);
    machine.run(fun).expect("there are no checks");
    machine.memory.remove(&product.c).unwrap_or_default()
}

#[test]
fn products_are_the_same_for_all_sizes() {
    for transposed in [false, true] {
        let product = product(transposed);
        let mut tiled = program(product.fun.clone());
        tile(&mut tiled);
        let tiled = only(&tiled);
        let text = tiled.to_string();
        assert!(text.contains("panel") && text.contains("acc"), "{text}");
        for n in [0, 1, 4, 7, 8, 17] {
            for m in [0, 1, 4, 19] {
                for k in [0, 1, 8, 31, 32, 33, 70] {
                    let sizes = [n, m, k];
                    let before = run(&product, &product.fun, sizes);
                    assert_eq!(before, run(&product, tiled, sizes), "{sizes:?}");
                    assert!(before.iter().all(Option::is_some));
                }
            }
        }
    }
}

#[test]
fn loads_that_depend_on_everything_are_left_alone() {
    let product = product(false);
    let [n, a, c] = [product.n, product.a, product.c];
    let mut vars = Maker(product.fun.vars);
    let [i, j, l, acc] = ["i", "j", "l", "acc"].map(|hint| vars.scalar(hint));
    let index = Exp::Index(vec![(1, vec![n, n, i]), (1, vec![n, j]), (1, vec![l])]);
    let inner = vec![Stm::Assign(acc, bin(BinOp::Add, var(acc), load(a, index)))];
    let columns = vec![
        Stm::Declare(acc, Some(Exp::int(0))),
        each(l, var(n), inner),
        Stm::Store(c, at(n, i, j), var(acc)),
    ];
    let fun = vars.fun(vec![each(i, var(n), vec![each(j, var(n), columns)])]);
    let mut same = program(fun.clone());
    tile(&mut same);
    assert_eq!(*only(&same), fun);
}

#[test]
fn columns_are_summed_along_rows() {
    let mut vars = Maker::new();
    let [n, m] = ["n", "m"].map(|hint| vars.scalar(hint));
    let [a, c] = ["a", "c"].map(|hint| vars.ptr(hint));
    let [j, l, acc] = ["j", "l", "acc"].map(|hint| vars.scalar(hint));
    let inner = vec![Stm::Assign(acc, bin(BinOp::Add, var(acc), load(a, at(m, l, j))))];
    let body = vec![
        Stm::Declare(acc, Some(Exp::int(5))),
        each(l, var(n), inner),
        Stm::Store(c, var(j), var(acc)),
    ];
    let fun = vars.fun(vec![each(j, var(m), body)]);
    let mut turned = program(fun.clone());
    tile(&mut turned);
    let turned = only(&turned);
    assert_ne!(*turned, fun);
    for rows in [0, 1, 4, 9] {
        for columns in [0, 1, 16, 511, 512, 1030] {
            let run = |fun: &Fun| {
                let mut machine = Machine::default()
                    .with(n, rows)
                    .with(m, columns)
                    .filled(a, (0..rows * columns).map(|x| x * x % 101))
                    .empty(c, columns as usize);
                machine.run(fun).expect("there are no checks");
                machine.memory[&c].clone()
            };
            assert_eq!(run(&fun), run(turned), "{rows} {columns}");
        }
    }
}
