//! Examples that must be proved, and proofs against enumeration.

use crate::testing::{LETTERS, addresses, eval, facts, letters, lmad, poly, random_size};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Certs;
use fehu_ir::Var;
use fehu_irgen::rng::Rng;
use fehu_mem::lmad::{Dim, Lmad};
use fehu_mem::overlap::{disjoint, prove_disjoint};

fn proves(known: &[&str], a: &str, b: &str) -> bool {
    let vars = letters();
    let mut ranges = facts(&vars, known);
    let (a, b) = (lmad(a), lmad(b));
    let there = disjoint(&a, &b, &mut ranges);
    assert_eq!(there, disjoint(&b, &a, &mut ranges), "the order matters: {a} and {b}");
    there
}

#[track_caller]
fn apart(known: &[&str], a: &str, b: &str) {
    assert!(proves(known, a, b), "not proved: {a} and {b} by {known:?}");
}

#[track_caller]
fn open(known: &[&str], a: &str, b: &str) {
    assert!(!proves(known, a, b), "proved: {a} and {b} by {known:?}");
}

#[test]
fn numbers() {
    apart(&[], "0 + {(4 : 1)}", "4 + {(4 : 1)}");
    open(&[], "0 + {(5 : 1)}", "4 + {(4 : 1)}");
    // Strides count: these meet at 10.
    open(&[], "0 + {(4 : 10)}", "10 + {(1 : 1)}");
    apart(&[], "0 + {(4 : 10)}", "11 + {(9 : 1)}");
    // By a common divisor, though one is inside the other.
    apart(&[], "0 + {(20 : 6), (20 : 4)}", "3 + {(20 : 10)}");
    apart(&[], "0 + {(8 : 70), (99 : 10), (3 : 1)}", "5 + {(8 : 70), (99 : 10), (3 : 1)}");
    apart(&[], "5 + {(8 : 70), (99 : 10), (3 : 1)}", "12 + {(8 : 70), (99 : 10), (3 : 1)}");
    // Dimensions that overlap themselves.
    apart(&[], "0 + {(2 : 10), (11 : 1)}", "21 + {(3 : 1)}");
    open(&[], "0 + {(2 : 10), (11 : 1)}", "20 + {(3 : 1)}");
    // The halves of the rows of a matrix.
    apart(&[], "0 + {(3 : 10), (5 : 1)}", "5 + {(3 : 10), (5 : 1)}");
    // Backwards, and nothing.
    apart(&[], "9 + {(5 : -2)}", "8 + {(5 : -2)}");
    apart(&[], "0 + {(10 : 1)}", "3 + {(0 : 1)}");
    apart(&[], "0 + {(10 : 1)}", "3 + {(7 : 1), (-1 : 2)}");
    apart(&[], "3", "4");
    open(&[], "3", "3");
}

#[test]
fn lengths_apart() {
    // Without a fact: where there are elements, they are elsewhere.
    apart(&[], "2*n + {(n : 1)}", "5*n + {(n : 1)}");
    apart(&[], "k + {(n : m), (m : 1)}", "k + n*m + {(n : m), (m : 1)}");
    apart(&[], "k + 6*n + {(n : -2)}", "k + {(n : -2)}");
    apart(&[], "k + 1", "k + 4");
    open(&[], "k + {(n : 1)}", "k + {(n : 1)}");
    open(&[], "n + {(n : 2)}", "2*n + {(n : 2)}");
    // They may all be in one place.
    open(&[], "n*s + {(n : s)}", "2*n*s + {(n : s)}");
    open(&[], "0 + {(n : 0)}", "0 + {(n : 0)}");
}

#[test]
fn parts_of_a_matrix() {
    let known = ["n >= 0", "m >= 0", "i >= 0", "i < j", "j < n", "k >= 0", "k < l", "l < m"];
    apart(&known, "i*m + {(m : 1)}", "j*m + {(m : 1)}");
    apart(&known, "k + {(n : m)}", "l + {(n : m)}");
    apart(&known, "0 + {(i : m), (m : 1)}", "i*m + {(n - i : m), (m : 1)}");
    apart(&known, "0 + {(n : m), (k : 1)}", "k + {(n : m), (m - k : 1)}");
    apart(&known, "0 + {(k : 1), (n : m)}", "k + {(n : m), (m - k : 1)}");
    apart(&known, "0 + {(n : m), (k : 1)}", "m - 1 + {(n : m), (m - k : -1)}");
    open(&known, "0 + {(n : m), (l : 1)}", "k + {(n : m), (m - k : 1)}");
    open(&known, "i*m + {(m : 1)}", "k + {(n : m)}");
    // Even and odd.
    apart(&known, "0 + {(n : 2)}", "1 + {(m : 2)}");
    open(&known, "0 + {(n : 2)}", "k + {(m : 2)}");
    // Columns of a matrix of matrices.
    apart(
        &["m >= 1", "k >= 0", "k < l", "l < m"],
        "k + {(n : m*p), (p : m)}",
        "l + {(n : m*p), (p : m)}",
    );
    // The same if the rows overlap each other, in whatever way.
    let known = ["m >= 1", "k >= 0", "s >= 1"];
    apart(&known, "0 + {(n : m*s), (p : m), (k : 1)}", "k + {(n : m*s), (p : m), (m - k : 1)}");
    apart(&known, "k + {(n : m*s), (p : m), (m - k : 1)}", "m + {(n : m*s), (p : m), (k : 1)}");
    open(&known, "k + {(n : m*s), (p : m), (m - k : 1)}", "m + {(n : m*s), (p : m), (k + 1 : 1)}");
    // Nothing is known of the sign of the stride.
    open(&[], "0 + {(n : s)}", "1 + {(n : s)}");
    apart(&["s >= 2"], "0 + {(n : s)}", "1 + {(n : s)}");
}

#[test]
fn parts_of_a_concatenation() {
    let known = ["n >= 0", "m >= 0", "r >= 0"];
    apart(&known, "0 + {(n : r), (r : 1)}", "n*r + {(m : r), (r : 1)}");
    apart(&known, "0 + {(n : n + m), (n : 1)}", "n + {(n : n + m), (m : 1)}");
}

#[test]
fn threads_and_an_anti_diagonal() {
    // Thread i writes one place; others read those before and after it.
    let known = ["i >= 0", "i < 10"];
    apart(&known, "9 + 9*i", "9 + {(i : 9)}");
    apart(&known, "9 + 9*i", "9*i + 18 + {(10 - i - 1 : 9)}");
    open(&known, "9 + 9*i", "9 + {(i + 1 : 9)}");
}

#[test]
fn blocked_anti_diagonals_of_needleman_wunsch() {
    let known = ["n = q*b + 1", "q >= 2", "b >= 2", "i >= 1", "i < q"];
    let written = "n + i*b + 1 + {(i + 1 : n*b - b), (b : n), (b : 1)}";
    apart(&known, written, "i*b + {(i + 1 : n*b - b), (b + 1 : n)}");
    apart(&known, written, "i*b + 1 + {(i + 1 : n*b - b), (b : 1)}");
    // A column too many on the left is written by the block there.
    open(&known, written, "i*b + 1 + {(i + 1 : n*b - b), (b + 1 : n)}");
    // The size is checked to be what it must be.
    let checked = ["n >= q*b + 1", "q*b + 1 >= n", "q >= 2", "b >= 2", "i >= 1", "i < q"];
    apart(&checked, written, "i*b + {(i + 1 : n*b - b), (b + 1 : n)}");
    apart(&checked, written, "i*b + 1 + {(i + 1 : n*b - b), (b : 1)}");
    // The shrinking half: j blocks, from the last row and column on.
    let known = ["n = q*b + 1", "q >= 2", "b >= 2", "j >= 1", "j < q"];
    let corner = "((q - j)*b + 1)*n + (q - 1)*b + 1";
    let written = format!("{corner} + {{(j : n*b - b), (b : n), (b : 1)}}");
    let left = "((q - j)*b)*n + (q - 1)*b + {(j : n*b - b), (b + 1 : n)}";
    let top = "((q - j)*b)*n + (q - 1)*b + 1 + {(j : n*b - b), (b : 1)}";
    apart(&known, &written, left);
    apart(&known, &written, top);
}

#[test]
fn blocks_of_an_lu_decomposition() {
    // Step k of q, of a matrix of q times q blocks with b times b elements: m blocks are left after the diagonal.
    let known = ["n = q*b", "m = q - k - 1", "b >= 1", "k >= 0", "k < q"];
    let diagonal = "k*b*n + k*b + {(b : n), (b : 1)}";
    let row = "k*b*n + (k + 1)*b + {(m : b), (b : n), (b : 1)}";
    let column = "(k + 1)*b*n + k*b + {(m : b*n), (b : n), (b : 1)}";
    let inner = "(k + 1)*b*n + (k + 1)*b + {(m : b*n), (m : b), (b : n), (b : 1)}";
    let parts = [diagonal, row, column, inner];
    for (index, a) in parts.iter().enumerate() {
        for b in &parts[index + 1..] {
            apart(&known, a, b);
        }
        open(&known, a, a);
    }
    // What was done in the steps before.
    let above = "0 + {(k*b : n), (n : 1)}";
    for part in parts {
        apart(&known, above, part);
    }
    // The same in blocks that are stored one after the other.
    let known = ["n = q*c", "c = b*b", "m = q - k - 1", "b >= 1", "k >= 0", "k < q"];
    let diagonal = "k*n + k*c + {(c : 1)}";
    let row = "k*n + (k + 1)*c + {(m : c), (c : 1)}";
    let column = "(k + 1)*n + k*c + {(m : n), (c : 1)}";
    let inner = "(k + 1)*n + (k + 1)*c + {(m : n), (m : c), (c : 1)}";
    let parts = [diagonal, row, column, inner];
    for (index, a) in parts.iter().enumerate() {
        for b in &parts[index + 1..] {
            apart(&known, a, b);
        }
    }
}

#[test]
fn edges_and_inside_of_a_stencil() {
    let known = ["n >= 3", "m >= 3"];
    let top = "0 + {(m : 1)}";
    let bottom = "(n - 1)*m + {(m : 1)}";
    let left = "m + {(n - 2 : m)}";
    let right = "2*m - 1 + {(n - 2 : m)}";
    let inside = "m + 1 + {(n - 2 : m), (m - 2 : 1)}";
    let parts = [top, bottom, left, right, inside];
    for (index, a) in parts.iter().enumerate() {
        for b in &parts[index + 1..] {
            apart(&known, a, b);
        }
    }
}

#[test]
fn a_proof_names_its_checks() {
    let vars = letters();
    let mut ranges = facts(&vars, &["m >= 0"]);
    let check = Var(25);
    let certs: Certs = [check].into_iter().collect();
    ranges.assume_nonneg(&poly("j - i - 1"), &certs);
    let (a, b) = (lmad("i*m + {(m : 1)}"), lmad("j*m + {(m : 1)}"));
    assert_eq!(prove_disjoint(&a, &b, &mut ranges), Some(certs));
    assert_eq!(prove_disjoint(&lmad("0"), &lmad("1"), &mut ranges), Some(Certs::new()));
    // What was assumed for a proof is forgotten after it.
    assert_eq!(ranges.interval(Var(12)), (0, i64::MAX.into()));
}

#[test]
fn numbers_against_enumeration() {
    let mut rng = Rng::new(5);
    let vars = letters();
    let (mut apart, mut proved) = (0, 0);
    for round in 0..1500 {
        let (a, b) = (random_numbers(&mut rng), random_numbers(&mut rng));
        let mut ranges = facts(&vars, &[]);
        let (here, there) = (addresses(&a, &[]), addresses(&b, &[]));
        let really = !here.iter().any(|address| there.contains(address));
        let claimed = disjoint(&a, &b, &mut ranges);
        assert!(really || !claimed, "round {round}: {a} and {b}");
        apart += usize::from(really);
        proved += usize::from(claimed);
    }
    assert!(apart > 800 && proved * 50 > apart * 49, "{proved} proved of {apart}");
}

/// Up to three dimensions, now and then with a negative stride, none at all or no elements.
fn random_numbers(rng: &mut Rng) -> Lmad {
    let dims = (0..rng.below(4))
        .map(|_| {
            let least = i64::from(!rng.chance(5));
            Dim {
                size: Poly::constant(rng.range(least, 5).into()),
                stride: Poly::constant(rng.range(-12, 12).into()),
            }
        })
        .collect();
    Lmad { offset: Poly::constant(rng.range(-20, 20).into()), dims }
}

#[test]
fn variables_against_enumeration() {
    let mut rng = Rng::new(8);
    let vars = letters();
    let (mut tried, mut proved) = (0, 0);
    for round in 0..1500 {
        let lows: Vec<i128> = (0..4).map(|_| i128::from(rng.range(0, 2))).collect();
        let mut known: Vec<Poly> =
            (0..4).map(|v| Poly::var(Var(v)).plus(-lows[v as usize]).unwrap()).collect();
        if rng.chance(50) {
            known.push(poly("b - a - 1"));
        }
        let (a, b) = (random_symbols(&mut rng), random_symbols(&mut rng));
        let mut ranges = facts(&vars, &[]);
        for fact in &known {
            ranges.assume_nonneg(fact, &Certs::new());
        }
        tried += 1;
        if !disjoint(&a, &b, &mut ranges) {
            continue;
        }
        proved += 1;
        for code in 0..4i128.pow(4) {
            let mut values = vec![0; LETTERS];
            for v in 0..4 {
                values[v] = lows[v] + code / 4i128.pow(v as u32) % 4;
            }
            if known.iter().any(|fact| eval(fact, &values) < 0) {
                continue;
            }
            let there = addresses(&b, &values);
            let meets = addresses(&a, &values).iter().any(|address| there.contains(address));
            assert!(!meets, "round {round}: {a} and {b} by {known:?} for {:?}", &values[..4]);
        }
    }
    assert!(proved * 5 > tried, "{proved} proved of {tried}");
}

/// Parts of small arrays whose sizes are variables.
fn random_symbols(rng: &mut Rng) -> Lmad {
    let values = [1; 4];
    let size = |rng: &mut Rng| random_size(rng, &values);
    let shape: Vec<Poly> = (0..1 + rng.below(2)).map(|_| size(rng)).collect();
    let mut lmad = Lmad::row_major(&shape).unwrap();
    for dim in &mut lmad.dims {
        if rng.chance(30) {
            dim.size = size(rng);
        }
        if rng.chance(20) {
            dim.stride = dim.stride.scale(rng.range(-1, 2).into()).unwrap();
        }
        let start = dim.stride.mul(&size(rng)).unwrap();
        let start = if rng.chance(30) { start } else { Poly::constant(rng.range(0, 2).into()) };
        lmad.offset = lmad.offset.add(&start).unwrap();
    }
    lmad
}
