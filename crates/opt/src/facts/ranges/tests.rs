//! Proofs against enumeration: what is proved holds for all values of the variables that the facts allow.

use super::super::poly::Poly;
use super::{Certs, Ranges};
use fehu_base::{IdVec, Prim};
use fehu_ir::{Atom, BinOp, CmpOp, Exp, Scalar, Type, UnOp, Var, VarInfo};

struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

fn table(types: &[Type]) -> IdVec<Var, VarInfo> {
    let mut vars = IdVec::new();
    for ty in types {
        vars.push(VarInfo { hint: "x".into(), ty: ty.clone() });
    }
    vars
}

fn eval(poly: &Poly, values: &[i128]) -> i128 {
    poly.terms()
        .iter()
        .map(|(m, c)| c * m.iter().map(|var| values[var.0 as usize]).product::<i128>())
        .sum()
}

/// A random polynomial of three variables: linear, and now and then with a product.
fn random(rng: &mut Rng) -> Poly {
    let mut poly = Poly::constant(i128::from(rng.below(9)) - 4);
    for var in 0..3 {
        let factor = i128::from(rng.below(5)) - 2;
        poly = poly.add(&Poly::var(Var(var)).scale(factor).unwrap()).unwrap();
    }
    if rng.below(3) == 0 {
        let (a, b) = (Var(rng.below(3) as u32), Var(rng.below(3) as u32));
        let product = Poly::var(a).mul(&Poly::var(b)).unwrap();
        poly = poly.add(&product.scale(i128::from(rng.below(3)) - 1).unwrap()).unwrap();
    }
    poly
}

#[test]
fn what_is_proved_holds_for_all_small_values() {
    let mut rng = Rng(7);
    let vars = table(&[Type::prim(Prim::I8), Type::prim(Prim::I8), Type::prim(Prim::I8)]);
    let range: Vec<i128> = (-6..=6).chain([-128, -127, 126, 127]).collect();
    let (mut proved, mut open) = (0, 0);
    for _ in 0..300 {
        let facts: Vec<Poly> = (0..1 + rng.below(4)).map(|_| random(&mut rng)).collect();
        let mut ranges = Ranges::new(&vars);
        for var in 0..3 {
            ranges.bind(Var(var));
        }
        for fact in &facts {
            ranges.assume_nonneg(fact, &Certs::new());
        }
        // Sums of facts, a little more or less, are likelier to be provable than anything.
        let mut goals: Vec<Poly> = (0..3).map(|_| random(&mut rng)).collect();
        for _ in 0..3 {
            let sum =
                facts.iter().fold(Poly::constant(i128::from(rng.below(4)) - 1), |sum, fact| {
                    sum.add(&fact.scale(i128::from(rng.below(3))).unwrap()).unwrap()
                });
            goals.push(sum);
        }
        let known: Vec<bool> =
            goals.iter().map(|goal| ranges.prove_nonneg(goal).is_some()).collect();
        proved += known.iter().filter(|known| **known).count();
        open += known.iter().filter(|known| !**known).count();
        if !known.contains(&true) {
            continue;
        }
        for &x in &range {
            for &y in &range {
                for &z in &range {
                    let values = [x, y, z];
                    if facts.iter().all(|fact| eval(fact, &values) >= 0) {
                        for (goal, known) in goals.iter().zip(&known) {
                            let fine = !known || eval(goal, &values) >= 0;
                            assert!(fine, "{goal:?} is negative for {values:?} by {facts:?}");
                        }
                    }
                }
            }
        }
    }
    assert!(proved > 200 && open > 200, "{proved} proved, {open} not");
}

/// The operations on i8 that the ranges know, with what they compute.
const OPS: [BinOp; 14] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::Div,
    BinOp::Mod,
    BinOp::Quot,
    BinOp::Rem,
    BinOp::Min,
    BinOp::Max,
    BinOp::And,
    BinOp::Or,
    BinOp::Shl,
    BinOp::Shr,
    BinOp::Lshr,
];

#[test]
fn results_of_operations_keep_to_their_ranges() {
    let mut rng = Rng(3);
    for prim in [Prim::I8, Prim::U8] {
        for round in 0..1400 {
            let op = OPS[round % OPS.len()];
            let vars = table(&vec![Type::prim(prim); 4]);
            let mut ranges = Ranges::new(&vars);
            for var in 0..4 {
                ranges.bind(Var(var));
            }
            // Random intervals for the operands.
            let (low, high) = super::int_range(prim).unwrap();
            let mut pick = || low + i128::from(rng.below(256)).min(high - low);
            let mut bounds = [(pick(), pick()), (pick(), pick())];
            for (a, b) in &mut bounds {
                if a > b {
                    std::mem::swap(a, b);
                }
            }
            for (var, (a, b)) in bounds.iter().enumerate() {
                let (a, b) = (Poly::constant(*a), Poly::constant(*b));
                ranges.between(Var(var as u32), Some(a), Some(b), &Certs::new());
            }
            ranges.learn(Var(2), &Exp::BinOp(op, Atom::Var(Var(0)), Atom::Var(Var(1))));
            ranges.learn(Var(3), &Exp::UnOp(UnOp::Abs, Atom::Var(Var(2))));
            let goal = |ranges: &Ranges<'_>, k: i128| {
                let (poly, _) = ranges.poly(Atom::Var(Var(2))).unwrap();
                ranges.prove_nonneg(&poly.plus(-k).unwrap()).is_some()
            };
            let low_known = [-100, -1, 0, 1, 5].map(|k| (k, goal(&ranges, k)));
            let le = ranges.prove_le(Atom::Var(Var(2)), Atom::Var(Var(0)));
            let ge = ranges.prove_le(Atom::Var(Var(1)), Atom::Var(Var(2)));
            let same = ranges.prove_eq(Atom::Var(Var(2)), Atom::Var(Var(3)));
            for _ in 0..40 {
                let [x, y] = bounds.map(|(a, b)| a + i128::from(rng.below(300)).min(b - a));
                let scalar = |value: i128| Scalar::from_bits(prim, value as u64);
                if fehu_interp::scalar::divides_by_zero(op, scalar(y)) {
                    continue;
                }
                let value = fehu_interp::scalar::binop(op, scalar(x), scalar(y));
                let value = value.and_then(super::int_value).expect("it is defined");
                for (k, known) in low_known {
                    assert!(!known || value >= k, "{prim} {op:?} {x} {y} = {value} >= {k}");
                }
                assert!(!le || value <= x, "{prim} {op:?} {x} {y} = {value} <= {x}");
                assert!(!ge || value >= y, "{prim} {op:?} {x} {y} = {value} >= {y}");
                assert!(!same || value.abs() == value, "{prim} {op:?} {x} {y}: |{value}|");
            }
        }
    }
}

#[test]
fn proofs_name_what_they_rest_on_and_scopes_end() {
    let vars = table(&[Type::I64, Type::I64, Type::BOOL, Type::CERT]);
    let mut ranges = Ranges::new(&vars);
    let [i, n, c] = [0, 1, 2].map(|var| Atom::Var(Var(var)));
    for var in 0..4 {
        ranges.bind(Var(var));
    }
    ranges.learn(Var(2), &Exp::CmpOp(CmpOp::Lt, i, n));
    assert!(!ranges.prove_lt(i, n));
    let mark = ranges.enter();
    ranges.assume(c, true, &Certs::from_slice(&[Var(3)]));
    assert!(ranges.prove_lt(i, n) && ranges.prove_le(i, n) && !ranges.prove_eq(i, n));
    let certs = ranges.prove(c, true);
    assert_eq!(certs.as_deref(), Some(&[Var(3)][..]));
    ranges.leave(mark);
    assert!(!ranges.prove_le(i, n));
    assert!(ranges.prove_eq(i, i));
}
