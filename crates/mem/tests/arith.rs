//! Arithmetic on polynomials: division, substitution, and numbers that they agree with.

use crate::testing::{LETTERS, eval, poly, random_poly, text};
use fehu_facts::poly::Poly;
use fehu_ir::Var;
use fehu_irgen::rng::Rng;
use fehu_mem::arith::{divide, divide_exactly, substitute};

#[test]
fn division_by_the_leading_term() {
    let cases = [
        ("n*b", "n*b - b", "1", "b"),
        ("n + 1", "n", "1", "1"),
        ("i*n*b + i*b + j", "n*b", "i", "b*i + j"),
        ("n*n - m*m", "n - m", "m + n", "0"),
        ("17", "5", "3", "2"),
        ("-17", "5", "-3", "-2"),
        ("3*n + 7", "2", "n + 3", "n + 1"),
        ("n", "0", "0", "n"),
        ("n", "n*n", "0", "n"),
    ];
    for (a, b, quotient, rest) in cases {
        let (q, r) = divide(&poly(a), &poly(b));
        assert_eq!((text(&q), text(&r)), (quotient.to_owned(), rest.to_owned()), "{a} by {b}");
    }
}

#[test]
fn division_and_substitution_agree_with_numbers() {
    let mut rng = Rng::new(3);
    for _ in 0..3000 {
        let values: Vec<i128> = (0..LETTERS).map(|_| i128::from(rng.range(-4, 5))).collect();
        let (a, b, c) = (random_poly(&mut rng), random_poly(&mut rng), random_poly(&mut rng));
        let (q, r) = divide(&a, &b);
        let sum = eval(&q, &values) * eval(&b, &values) + eval(&r, &values);
        assert_eq!(sum, eval(&a, &values), "{a:?} by {b:?}");
        if let Some(product) = a.mul(&b)
            && b != Poly::default()
        {
            assert_eq!(divide_exactly(&product, &b), Some(a.clone()), "{a:?} by {b:?}");
        }
        let swap =
            |var: Var| (var == Var(0)).then(|| b.clone()).or((var == Var(1)).then(|| c.clone()));
        if let Some(new) = substitute(&a, &swap) {
            let mut other = values.clone();
            (other[0], other[1]) = (eval(&b, &values), eval(&c, &values));
            assert_eq!(eval(&new, &values), eval(&a, &other));
        }
    }
}

#[test]
fn text_of_polynomials() {
    assert_eq!(text(&poly("b - n*b + 1 - 2*n*n")), "-b*n - 2*n*n + b + 1");
    assert_eq!(text(&poly("0")), "0");
    assert_eq!(text(&poly("-1")), "-1");
}
