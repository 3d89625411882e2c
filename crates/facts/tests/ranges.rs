//! Proofs against enumeration: what is proved holds for all values of the variables that the facts allow.

use fehu_base::{IdVec, Prim};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::{Certs, Ranges, int_range, int_value};
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
            let (low, high) = int_range(prim).unwrap();
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
                let value = value.and_then(int_value).expect("it is defined");
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

/// Ranges of these variables, of which the first ones are sizes; all are i64.
fn with_sizes(vars: &IdVec<Var, VarInfo>, sizes: u32) -> Ranges<'_> {
    let mut ranges = Ranges::new(vars);
    for (var, _) in vars.iter() {
        ranges.bind(var);
    }
    for size in 0..sizes {
        ranges.between(Var(size), Some(Poly::constant(1)), None, &Certs::new());
    }
    ranges
}

#[test]
fn quotients_are_smaller_than_the_other_factors() {
    let vars = table(&vec![Type::I64; 11]);
    let [n, m, p, nm, nmp, k, i, j, l, above, below] = std::array::from_fn(|var| Var(var as u32));
    let binary = |op, a, b| Exp::BinOp(op, Atom::Var(a), Atom::Var(b));
    for op in [BinOp::Div, BinOp::Quot] {
        for negative in [false, true] {
            let mut ranges = with_sizes(&vars, 3);
            ranges.learn(nm, &binary(BinOp::Mul, n, m));
            ranges.learn(nmp, &binary(BinOp::Mul, nm, p));
            let low = if negative { Poly::var(n).neg() } else { Some(Poly::default()) };
            let high = Poly::var(nmp).plus(-1);
            ranges.between(k, low, high, &Certs::new());
            for (var, a, b) in [(i, k, p), (j, i, m), (l, k, n)] {
                ranges.learn(var, &binary(op, a, b));
            }
            ranges.learn(above, &Exp::BinOp(BinOp::Add, Atom::Var(k), Atom::i64(1)));
            ranges.learn(below, &binary(op, above, n));
            let less = |a: Var, b: &Poly| {
                let goal = b.sub(&Poly::var(a)).and_then(|difference| difference.plus(-1));
                goal.is_some_and(|goal| ranges.prove_nonneg(&goal).is_some())
            };
            // Rounding to zero is not understood of what may be negative.
            let known = !negative || op == BinOp::Div;
            let product = |a, b| Poly::var(a).mul(&Poly::var(b)).unwrap();
            assert_eq!(less(i, &product(n, m)), known, "k / p < n * m");
            assert_eq!(less(j, &Poly::var(n)), known, "k / p / m < n");
            assert_eq!(less(l, &product(m, p)), known, "k / n < m * p");
            assert!(!less(i, &product(n, m).plus(-1).unwrap()), "k / p < n * m - 1");
            assert!(!less(i, &Poly::var(nm)), "n * m may wrap");
            assert!(!less(i, &product(m, p)), "another divisor");
            assert!(!less(below, &product(m, p)), "one more");
            let low = |var| ranges.prove_le(Atom::i64(0), Atom::Var(var));
            assert_eq!([i, j, l].map(low), [!negative; 3], "0 <= k / ...");
        }
    }
}

#[test]
fn products_that_wrap_on_the_way_are_what_they_are() {
    let vars = table(&vec![Type::I64; 5]);
    let [n, m, p, nm, nmp] = std::array::from_fn(|var| Var(var as u32));
    let mut ranges = with_sizes(&vars, 3);
    let whole = Poly::var(n).mul(&Poly::var(m)).unwrap().mul(&Poly::var(p)).unwrap();
    ranges.assume_nonneg(&Poly::constant(1 << 40).sub(&whole).unwrap(), &Certs::new());
    ranges.learn(nm, &Exp::BinOp(BinOp::Mul, Atom::Var(n), Atom::Var(m)));
    ranges.learn(nmp, &Exp::BinOp(BinOp::Mul, Atom::Var(nm), Atom::Var(p)));
    assert_eq!(ranges.poly(Atom::Var(nmp)).unwrap().0, whole);
}

#[test]
fn what_wraps_in_a_narrower_type_stays_wrapped() {
    let prims = [Prim::I8, Prim::I8, Prim::I8, Prim::I16, Prim::I16, Prim::I16, Prim::I16];
    let vars = table(&prims.map(Type::prim));
    let [a, b, sum, wide, c, less, again] = std::array::from_fn(|var| Var(var as u32));
    let binary = |op, a, b| Exp::BinOp(op, Atom::Var(a), Atom::Var(b));
    let positive = |ranges: &Ranges<'_>, var: Var| {
        let (poly, _) = ranges.poly(Atom::Var(var)).unwrap();
        ranges.prove_nonneg(&poly).is_some()
    };
    // a + b - 256 as i8, and so it is as i16, whatever is subtracted and added again.
    for (from, expected) in [(Atom::Var(sum), false), (Atom::Var(a), true)] {
        let mut ranges = with_sizes(&vars, 0);
        for var in [a, b] {
            ranges.between(var, Some(Poly::constant(100)), None, &Certs::new());
        }
        ranges.learn(sum, &binary(BinOp::Add, a, b));
        ranges.learn(wide, &Exp::Convert(Prim::I16, from));
        ranges.learn(less, &binary(BinOp::Sub, wide, c));
        ranges.learn(again, &binary(BinOp::Add, less, c));
        assert_eq!(positive(&ranges, again), expected);
    }
}

#[test]
fn negative_numbers_are_extended_by_zeros() {
    let vars = table(&[Prim::I8, Prim::U16, Prim::U16].map(Type::prim));
    let [number, wide, more] = std::array::from_fn(|var| Var(var as u32));
    let mut ranges = with_sizes(&vars, 0);
    let (low, high) = (Some(Poly::constant(-20)), Some(Poly::constant(-1)));
    ranges.between(number, low, high, &Certs::new());
    // -1 is 255, and so the sum is 305, not 49.
    ranges.learn(wide, &Exp::Convert(Prim::U16, Atom::Var(number)));
    ranges.learn(more, &Exp::BinOp(BinOp::Add, Atom::Var(wide), Atom::Const(Scalar::U16(50))));
    let (poly, _) = ranges.poly(Atom::Var(more)).unwrap();
    assert!(ranges.prove_nonneg(&Poly::constant(304).sub(&poly).unwrap()).is_none());
}

#[test]
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are not tested here")]
fn chains_of_operations_keep_to_their_ranges() {
    let mut rng = Rng(11);
    let types = [Prim::I8, Prim::U8, Prim::I16, Prim::U16];
    let ops = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Quot,
        BinOp::Mod,
        BinOp::Min,
        BinOp::Max,
    ];
    let mut proved = 0;
    for _ in 0..800 {
        // Three arguments, and results of which each is converted or computed from what was there before.
        let mut prims: Vec<Prim> = (0..3).map(|_| types[rng.below(2) as usize]).collect();
        let mut exps = Vec::new();
        while prims.len() < 9 {
            let a = rng.below(prims.len() as u64) as usize;
            let prim = prims[a];
            let same: Vec<usize> = (0..prims.len()).filter(|var| prims[*var] == prim).collect();
            let b = same[rng.below(same.len() as u64) as usize];
            let [x, y] = [a, b].map(|var| Atom::Var(Var(var as u32)));
            if rng.below(4) == 0 {
                let to = types[rng.below(4) as usize];
                exps.push(Exp::Convert(to, x));
                prims.push(to);
            } else {
                exps.push(Exp::BinOp(ops[rng.below(8) as usize], x, y));
                prims.push(prim);
            }
        }
        let vars = table(&prims.iter().map(|prim| Type::prim(*prim)).collect::<Vec<_>>());
        let mut ranges = Ranges::new(&vars);
        let mut bounds = Vec::new();
        for (var, prim) in prims.iter().enumerate().take(3) {
            ranges.bind(Var(var as u32));
            let (low, high) = int_range(*prim).unwrap();
            let a = (i128::from(rng.below(40)) - 20).max(low);
            let b = (a + i128::from(rng.below(150))).min(high);
            let [from, to] = [a, b].map(|bound| Some(Poly::constant(bound)));
            ranges.between(Var(var as u32), from, to, &Certs::new());
            bounds.push((a, b));
        }
        for (index, exp) in exps.iter().enumerate() {
            ranges.bind(Var(index as u32 + 3));
            ranges.learn(Var(index as u32 + 3), exp);
        }
        let mut claims = Vec::new();
        for a in 0..prims.len() {
            for b in (0..prims.len()).filter(|b| *b != a) {
                let [x, y] = [a, b].map(|var| Atom::Var(Var(var as u32)));
                if ranges.prove_le(x, y) {
                    claims.push((a, b, ranges.prove_lt(x, y)));
                }
            }
        }
        proved += claims.len();
        'values: for _ in 0..40 {
            let mut values: Vec<Scalar> = Vec::new();
            for (prim, (a, b)) in prims.iter().zip(&bounds) {
                let value = a + i128::from(rng.below(300)).min(b - a);
                values.push(Scalar::from_bits(*prim, value as u64));
            }
            for exp in &exps {
                let value = |atom: &Atom| values[atom.var().unwrap().0 as usize];
                let result = match exp {
                    Exp::Convert(to, a) => fehu_interp::scalar::convert(*to, value(a)),
                    Exp::BinOp(op, _, b) if fehu_interp::scalar::divides_by_zero(*op, value(b)) => {
                        continue 'values;
                    }
                    Exp::BinOp(op, a, b) => fehu_interp::scalar::binop(*op, value(a), value(b)),
                    _ => None,
                };
                values.push(result.expect("it is defined"));
            }
            let number = |var: usize| int_value(values[var]).expect("it is an integer");
            for (a, b, less) in &claims {
                let holds = number(*a) + i128::from(*less) <= number(*b);
                assert!(holds, "{a} <= {b} ({less}): {values:?}, {bounds:?}, {exps:?}");
            }
        }
    }
    assert!(proved > 800, "{proved} proved");
}
