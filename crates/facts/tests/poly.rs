//! Polynomials compute as numbers do.

use fehu_facts::poly::Poly;
use fehu_ir::Var;

fn eval(poly: &Poly, values: &[i128]) -> i128 {
    poly.terms()
        .iter()
        .map(|(m, c)| c * m.iter().map(|var| values[var.0 as usize]).product::<i128>())
        .sum()
}

/// A small random polynomial and what it is for these values.
fn random(seed: &mut u64, depth: u32, values: &[i128]) -> (Poly, i128) {
    let mut next = |bound: u64| {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) % bound
    };
    if depth == 0 || next(4) == 0 {
        if next(2) == 0 {
            let value = i128::from(next(11)) - 5;
            return (Poly::constant(value), value);
        }
        let var = next(values.len() as u64) as u32;
        return (Poly::var(Var(var)), values[var as usize]);
    }
    let op = next(3);
    let (a, x) = random(seed, depth - 1, values);
    let (b, y) = random(seed, depth - 1, values);
    let (poly, value) = match op {
        0 => (a.add(&b), x + y),
        1 => (a.sub(&b), x - y),
        _ => (a.mul(&b), x * y),
    };
    match poly {
        Some(poly) => (poly, value),
        None => (a, x),
    }
}

#[test]
fn arithmetic_agrees_with_numbers() {
    let mut seed = 1;
    for round in 0..2000i128 {
        let values = [round % 7 - 3, round % 5 - 2, round % 11, 4 - round % 9];
        let (poly, value) = random(&mut seed, 4, &values);
        assert_eq!(eval(&poly, &values), value, "{poly:?}");
        if let Some((a, b)) = poly.split(Var(1)) {
            assert_eq!(eval(&a, &values) * values[1] + eval(&b, &values), value);
            let constant = a.as_constant().filter(|factor| *factor != 0);
            assert_eq!(poly.coefficient(Var(1)), constant, "{poly:?}");
            if let Some(sum) = a.blend(3, &b, -2) {
                assert_eq!(eval(&sum, &values), 3 * eval(&a, &values) - 2 * eval(&b, &values));
            }
        }
        if let Some(new) = poly.replace(Var(0), &Poly::var(Var(2))) {
            let other = [values[2], values[1], values[2], values[3]];
            assert_eq!(eval(&new, &values), eval(&poly, &other));
        }
    }
}

#[test]
fn equal_expressions_have_one_form() {
    let (n, k) = (Poly::var(Var(0)), Poly::var(Var(1)));
    let one = n.sub(&k.plus(1).unwrap()).unwrap();
    let other = n.plus(-1).unwrap().sub(&k).unwrap();
    assert_eq!(one, other);
    assert_eq!(n.mul(&k), k.mul(&n));
    assert_eq!(n.sub(&n).unwrap().as_constant(), Some(0));
}
