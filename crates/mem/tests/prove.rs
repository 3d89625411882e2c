//! Proofs that polynomials are not negative.

use crate::testing::{LETTERS, eval, facts, letters, poly, random_poly};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Certs;
use fehu_ir::Var;
use fehu_irgen::rng::Rng;
use fehu_mem::prove::Proof;

fn proves(texts: &[&str], goal: &str) -> bool {
    let vars = letters();
    let mut ranges = facts(&vars, texts);
    Proof::new(&mut ranges).nonneg(&poly(goal))
}

#[test]
fn powers_are_shifted() {
    assert!(proves(&["q >= 2", "b >= 2"], "q*b*b - 2*b - 1"));
    assert!(!proves(&["q >= 2", "b >= 1"], "q*b*b - 2*b - 1"));
    assert!(proves(&["i >= 0", "i < q", "b >= 1"], "q*b*b - i*b*b - b"));
    assert!(!proves(&["i >= 0", "i < q", "b >= 1"], "q*b*b - i*b*b - b - 1"));
    assert!(proves(&["n >= 1"], "n*n - n"));
    assert!(!proves(&[], "n*n"), "a square of what may be negative is left open");
}

#[test]
fn definitions_are_replaced() {
    let known = ["n = q*b + 1", "q >= 2", "b >= 2"];
    assert!(proves(&known, "n - 2*b - 1"));
    assert!(!proves(&known, "n - 2*b - 2"));
    // The same by a check that they are equal, and equations that lead in circles.
    let known = ["n >= q*b + 1", "q*b + 1 >= n", "q >= 2", "b >= 2"];
    assert!(proves(&known, "n*b - 2*b*b - b"));
    assert!(!proves(&known, "n*b - 2*b*b - b - 1"));
    let known = ["n >= m", "m >= n", "m >= n*b", "n*b >= m", "n >= 1"];
    assert!(proves(&known, "m*m - n"));
    assert!(!proves(&known, "m*m - n - 1"));
}

#[test]
fn what_is_proved_holds_for_all_small_values() {
    let mut rng = Rng::new(11);
    let vars = letters();
    let (mut proved, mut tight) = (0, 0);
    for _ in 0..400 {
        let lows: Vec<i128> = (0..4).map(|_| i128::from(rng.range(-1, 3))).collect();
        let mut known: Vec<Poly> =
            (0..4).map(|v| Poly::var(Var(v)).plus(-lows[v as usize]).unwrap()).collect();
        for _ in 0..rng.below(3) {
            let (a, b) = (Var(rng.below(4) as u32), Var(rng.below(4) as u32));
            let difference = Poly::var(a).sub(&Poly::var(b)).unwrap();
            known.push(difference.plus(rng.range(-1, 1).into()).unwrap());
        }
        if rng.chance(40) {
            let equation = [poly("c - a*b"), poly("a*b - d + 1"), poly("d - c - 1")];
            let zero = &equation[rng.below(3)];
            known.extend([zero.clone(), zero.neg().unwrap()]);
        }
        let mut ranges = facts(&vars, &[]);
        for fact in &known {
            ranges.assume_nonneg(fact, &Certs::new());
        }
        let product = known[rng.below(known.len())].mul(&known[rng.below(known.len())]);
        let slack = Poly::constant(rng.range(-1, 1).into());
        for goal in [product.unwrap().add(&slack).unwrap(), random_poly(&mut rng)] {
            if !Proof::new(&mut ranges).nonneg(&goal) {
                continue;
            }
            proved += 1;
            let mut smallest = i128::MAX;
            for code in 0..6i128.pow(4) {
                let mut values = vec![0; LETTERS];
                for v in 0..4 {
                    values[v] = lows[v] + code / 6i128.pow(v as u32) % 6;
                }
                if known.iter().all(|fact| eval(fact, &values) >= 0) {
                    smallest = smallest.min(eval(&goal, &values));
                }
            }
            assert!(smallest >= 0, "{known:?} do not imply {goal:?}");
            tight += usize::from(smallest == 0);
        }
    }
    assert!(proved > 150 && tight > 50, "{proved} proved, {tight} of them tight");
}
