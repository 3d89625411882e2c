//! Compares operations with enumeration: an array of addresses goes through the same operations as the LMAD.

use crate::testing::{LETTERS, addresses, eval, facts, letters, lmad, name, poly, random_size};
use crate::testing::{random_poly, sizes, var};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Certs;
use fehu_ir::Var;
use fehu_irgen::rng::Rng;
use fehu_mem::lmad::{Dim, Lmad, Pick};
use fehu_mem::prove::Proof;

fn text(lmad: &Lmad) -> String {
    lmad.show(&name)
}

fn polys(texts: &[&str]) -> Vec<Poly> {
    texts.iter().map(|text| poly(text)).collect()
}

#[test]
fn examples_of_views() {
    let array = Lmad::row_major(&polys(&["n", "m"])).unwrap();
    assert_eq!(text(&array), "0 + {(n : m), (m : 1)}");
    assert_eq!(text(&Lmad::column_major(&polys(&["n", "m"])).unwrap()), "0 + {(n : 1), (m : n)}");
    assert_eq!(text(&array.fix(&polys(&["i"])).unwrap()), "i*m + {(m : 1)}");
    assert_eq!(text(&array.rearrange(&[1, 0]).unwrap()), "0 + {(m : 1), (n : m)}");
    assert_eq!(text(&array.reverse(0).unwrap()), "m*n - m + {(n : -m), (m : 1)}");
    assert_eq!(array.address(&polys(&["i", "j"])), Some(poly("i*m + j")));
    assert_eq!(array.address(&polys(&["i"])), None);
    assert_eq!(
        text(&lmad("10 + {(4 : 4), (4 : 1)}").fix(&polys(&["1"])).unwrap()),
        "14 + {(4 : 1)}"
    );
    let flat = lmad("5 + {(n : 2), (m : 7)}").flat_slice(&lmad("1 + {(b : 10), (b : 1)}"));
    assert_eq!(text(&flat.unwrap()), "7 + {(b : 20), (b : 2), (m : 7)}");
    let every_second = Pick::Slice { start: poly("1"), len: poly("k"), stride: poly("2") };
    let slice = array.slice(&[every_second, Pick::Fix(poly("j"))]);
    assert_eq!(text(&slice.unwrap()), "j + m + {(k : 2*m)}");
    assert_eq!(lmad("3").to_string(), "3 + {}");
    assert_eq!(lmad("b + {(a : -1)}").to_string(), "v1 + {(v0 : -1)}");
}

#[test]
fn wrong_permutations_and_too_many_indices_have_no_result() {
    let array = Lmad::row_major(&polys(&["n", "m"])).unwrap();
    for order in [&[0][..], &[0, 0], &[0, 2], &[0, 1, 1]] {
        assert_eq!(array.rearrange(order), None, "{order:?}");
    }
    assert_eq!(array.fix(&polys(&["i", "j", "k"])), None);
    assert_eq!(Lmad::point(poly("n")).flat_slice(&array), None);
    assert_eq!(array.reverse(2), None);
}

#[test]
fn examples_of_reshapes() {
    let reshaped = |from: &str, shape: &[&str]| {
        lmad(from).reshape(&polys(shape)).map_or("none".to_owned(), |lmad| text(&lmad))
    };
    assert_eq!(reshaped("t + {(n : m), (m : 1)}", &["n*m"]), "t + {(m*n : 1)}");
    assert_eq!(reshaped("t + {(n*m : 2)}", &["n", "m"]), "t + {(n : 2*m), (m : 2)}");
    assert_eq!(reshaped("t + {(n : 1), (m : n)}", &["n*m"]), "none");
    assert_eq!(reshaped("10 + {(20 : 10), (10 : 1)}", &["50", "4"]), "10 + {(50 : 4), (4 : 1)}");
    assert_eq!(
        reshaped("0 + {(n : k), (b : 1)}", &["n", "1", "b"]),
        "0 + {(n : k), (1 : b), (b : 1)}"
    );
    // Each group by itself: the rows are split, their distance stays.
    assert_eq!(
        reshaped("0 + {(n : s), (a*b : 1)}", &["n", "a", "b"]),
        "0 + {(n : s), (a : b), (b : 1)}"
    );
    assert_eq!(reshaped("0 + {(n : m), (m : 1)}", &["m", "n"]), "0 + {(m : n), (n : 1)}");
    assert_eq!(reshaped("0 + {(n : s), (m : 1)}", &["m", "n"]), "none");
    // The sizes are equal, though that is not visible.
    assert_eq!(reshaped("0 + {(n : 3)}", &["m"]), "0 + {(m : 3)}");
    assert_eq!(reshaped("0 + {(k : n), (n : 1)}", &["k", "m"]), "0 + {(k : n), (m : 1)}");
    assert_eq!(reshaped("0 + {(n : s), (0 : 3)}", &["0", "m"]), "0 + {(0 : m), (m : 1)}");
    assert_eq!(reshaped("7 + {}", &["1", "1"]), "7 + {(1 : 1), (1 : 1)}");
    assert_eq!(reshaped("7 + {(1 : 5)}", &[]), "7 + {}");
}

#[test]
fn examples_of_layouts() {
    assert!(lmad("0 + {(n : m), (1 : 9), (m : 1)}").is_row_major());
    assert!(!lmad("t + {(n : m), (m : 1)}").is_row_major());
    assert!(lmad("t + {(n : m), (m : 1)}").is_contiguous());
    assert!(!lmad("0 + {(n : k), (m : 1)}").is_contiguous());
    assert!(lmad("3 + {(n : k), (0 : 7)}").is_row_major());
    assert_eq!(lmad("0 + {(m : 1), (n : m)}").contiguous_order(), Some(vec![1, 0]));
    assert_eq!(lmad("0 + {(m : 1), (1 : 0), (n : m)}").contiguous_order(), Some(vec![1, 2, 0]));
    assert_eq!(lmad("0 + {(m : 2), (n : m)}").contiguous_order(), None);
    assert_eq!(text(&lmad("t + {(20 : 10), (10 : 1)}").coalesced()), "t + {(200 : 1)}");
    assert_eq!(
        text(&lmad("t + {(n : m*k), (m : k), (1 : 7), (k : 2)}").coalesced()),
        "t + {(m*n : k), (k : 2)}"
    );
}

#[test]
fn equality_is_of_functions() {
    assert_eq!(lmad("n + 1 + {(2*n - n : m*n)}"), lmad("1 + n + {(n : n*m)}"));
    assert!(lmad("0 + {(1 : 5), (n : 1)}").same(&lmad("0 + {(1 : 7), (n : 1)}")));
    assert!(!lmad("0 + {(k : 5), (n : 1)}").same(&lmad("0 + {(k : 7), (n : 1)}")));
    assert!(lmad("0 + {(0 : 5)}").same(&lmad("9 + {(0 : 7)}")));
    assert!(!lmad("0 + {(0 : 5)}").same(&lmad("0 + {(0 : 5), (1 : 1)}")));
}

#[test]
fn examples_of_unions_and_bounds() {
    let row = lmad("i*m + {(m : 1)}");
    assert_eq!(
        text(&row.over(var('i'), &poly("1"), &poly("9")).unwrap()),
        "m + {(9 : m), (m : 1)}"
    );
    assert_eq!(lmad("i*i + {(m : 1)}").over(var('i'), &poly("1"), &poly("9")), None);
    assert_eq!(lmad("0 + {(i : 1)}").over(var('i'), &poly("1"), &poly("9")), None);
    let vars = letters();
    let mut ranges = facts(&vars, &["n >= 1", "m >= 1"]);
    let mut proof = Proof::new(&mut ranges);
    let bounds = lmad("t + {(n : -m), (m : 1), (4 : -1)}").bounds(&mut proof);
    assert_eq!(bounds, Some((poly("t - (n - 1)*m - 3"), poly("t + m - 1"))));
    assert_eq!(lmad("t + {(n : k)}").bounds(&mut proof), None);
    assert!(lmad("0 + {(n : m), (m : 1)}").is_within(&poly("n*m"), &mut proof));
    assert!(lmad("n*m - 1 + {(n : -m), (m : -1)}").is_within(&poly("n*m"), &mut proof));
    assert!(!lmad("1 + {(n : m), (m : 1)}").is_within(&poly("n*m"), &mut proof));
    assert!(lmad("100 + {(0 : 1)}").is_within(&poly("n"), &mut proof), "no address is outside");
}

#[test]
fn examples_of_composition() {
    let vars = letters();
    let known = ["i >= 0", "j >= 0", "j < m", "k >= 1", "n >= 1", "m >= 1"];
    let mut ranges = facts(&vars, &known);
    let mut composed = |array: &str, view: &str| {
        let result = lmad(array).compose(&lmad(view), &mut Proof::new(&mut ranges));
        result.map_or("none".to_owned(), |lmad| text(&lmad))
    };
    let array = "a + {(n : d), (m : e)}";
    assert_eq!(composed(array, "i*m + j + {(k : m)}"), "d*i + e*j + a + {(k : d)}");
    assert_eq!(composed(array, "j + {(k : m + 1)}"), "none", "the diagonal may leave the row");
    assert_eq!(
        composed(array, "m*n - 1 + {(n : -m), (m : -1)}"),
        "d*n + e*m + a - d - e + {(n : -d), (m : -e)}"
    );
    assert_eq!(composed("a + {(n : 2*m), (m : 2)}", "t + {(k : 3)}"), "a + 2*t + {(k : 6)}");
    assert_eq!(composed("a + {}", "0 + {(1 : 3)}"), "a + {(1 : 0)}");
}

/// An array of addresses.
#[derive(Clone, Debug)]
struct Table {
    shape: Vec<i128>,
    data: Vec<i128>,
}

impl Table {
    fn of(lmad: &Lmad, values: &[i128]) -> Table {
        Table { shape: sizes(lmad, values), data: addresses(lmad, values) }
    }

    fn at(&self, index: &[i128]) -> i128 {
        let place = index.iter().zip(&self.shape).fold(0, |place, (index, size)| {
            assert!((0..*size).contains(index), "{index:?} in {:?}", self.shape);
            place * size + index
        });
        self.data[place as usize]
    }

    /// The table of this shape whose elements are at other indices of this one.
    fn view(&self, shape: Vec<i128>, place: impl Fn(&[i128]) -> Vec<i128>) -> Table {
        let indices = shape.iter().fold(vec![Vec::new()], |all: Vec<Vec<i128>>, size| {
            let longer = |index: &Vec<i128>| {
                let index = index.clone();
                (0..*size).map(move |last| [index.clone(), vec![last]].concat())
            };
            all.iter().flat_map(longer).collect()
        });
        let data = indices.iter().map(|index| self.at(&place(index))).collect();
        Table { shape, data }
    }

    /// Whether some LMAD has these addresses.
    fn is_lmad(&self) -> bool {
        let inner = |dim: usize| self.shape[dim + 1..].iter().product::<i128>();
        let stride = |dim: usize| match self.shape[dim] {
            1 => 0,
            _ => self.data[inner(dim) as usize] - self.data[0],
        };
        let dims: Vec<(i128, i128)> =
            (0..self.shape.len()).map(|dim| (inner(dim), stride(dim))).collect();
        self.data.iter().enumerate().all(|(place, address)| {
            let index = |dim: usize| place as i128 / dims[dim].0 % self.shape[dim];
            let sum: i128 = (0..dims.len()).map(|dim| index(dim) * dims[dim].1).sum();
            self.data[0] + sum == *address
        })
    }
}

/// An LMAD, what it is for some values of the variables, and what is known of these.
struct Case {
    rng: Rng,
    values: Vec<i128>,
    facts: Vec<Poly>,
    lmad: Lmad,
    table: Table,
}

impl Case {
    fn new(rng: Rng) -> Case {
        let mut rng = rng;
        let mut values = vec![0; LETTERS];
        for value in values.iter_mut().take(8) {
            *value = rng.range(0, 4).into();
        }
        let shape: Vec<Poly> =
            (0..1 + rng.below(3)).map(|_| random_size(&mut rng, &values)).collect();
        let mut lmad = Lmad::row_major(&shape).unwrap();
        lmad.offset = random_poly(&mut rng);
        let table = Table::of(&lmad, &values);
        let facts = (0..4).map(|v| Poly::var(Var(v))).collect();
        let mut case = Case { rng, values, facts, lmad, table };
        for _ in 0..case.rng.below(4) {
            case.step();
        }
        case
    }

    fn eval(&self, poly: &Poly) -> i128 {
        eval(poly, &self.values)
    }

    /// A number or a letter with a value in this range, if there is one.
    fn number(&mut self, low: i128, high: i128) -> Option<Poly> {
        let letter = self.rng.below(8);
        if low > high {
            None
        } else if self.rng.chance(50) && (low..=high).contains(&self.values[letter]) {
            Some(Poly::var(Var(letter as u32)))
        } else {
            Some(Poly::constant(self.rng.range(low as i64, high as i64).into()))
        }
    }

    /// Applies an operation to both.
    fn step(&mut self) {
        let (shape, rank) = (self.table.shape.clone(), self.table.shape.len());
        match self.rng.below(5) {
            0 if rank > 1 => {
                let Some(index) = self.number(0, shape[0] - 1) else { return };
                let at = self.eval(&index);
                self.note_below(&index, 0);
                self.take(self.lmad.fix(&[index]), shape[1..].to_vec(), |index| {
                    [&[at], index].concat()
                });
            }
            1 if rank > 0 => self.slice(),
            2 => {
                let mut order: Vec<usize> = (0..rank).collect();
                for place in 1..rank {
                    order.swap(place, self.rng.below(place + 1));
                }
                let new = order.iter().map(|dim| shape[*dim]).collect();
                self.take(self.lmad.rearrange(&order), new, |index| {
                    let mut old = vec![0; index.len()];
                    order.iter().zip(index).for_each(|(dim, index)| old[*dim] = *index);
                    old
                });
            }
            3 if rank > 0 => {
                let dim = self.rng.below(rank);
                let last = shape[dim] - 1;
                self.take(self.lmad.reverse(dim), shape, |index| {
                    let mut old = index.to_vec();
                    old[dim] = last - old[dim];
                    old
                });
            }
            _ => {}
        }
    }

    fn slice(&mut self) {
        let shape = self.table.shape.clone();
        let dims = 1 + self.rng.below(shape.len());
        let (mut picks, mut places) = (Vec::new(), Vec::new());
        for (dim, size) in shape.iter().enumerate().take(dims) {
            if self.rng.chance(20)
                && let Some(index) = self.number(0, size - 1)
            {
                places.push((self.eval(&index), 0, 1));
                picks.push(Pick::Fix(index));
                continue;
            }
            let stride = i128::from(self.rng.range(-2, 2));
            let start = self.number(0, size - 1).unwrap_or_default();
            self.note_below(&start, dim);
            let first = self.eval(&start);
            let fits = |len: i128| len == 0 || (0..*size).contains(&(first + (len - 1) * stride));
            let longest =
                (0..5).rev().find(|len| fits(*len) && (*len == 0 || first < *size)).unwrap_or(0);
            let len = self.number(0, longest).unwrap_or_default();
            places.push((first, stride, self.eval(&len)));
            picks.push(Pick::Slice { start, len, stride: Poly::constant(stride) });
        }
        let kept = |place: usize| !matches!(picks.get(place), Some(Pick::Fix(_)));
        let size = |place: usize| places.get(place).map_or(shape[place], |(_, _, len)| *len);
        let new = (0..shape.len()).filter(|place| kept(*place)).map(size).collect();
        self.take(self.lmad.slice(&picks), new, |index| {
            let mut index = index.iter();
            (0..shape.len())
                .map(|place| {
                    let mine = if kept(place) { *index.next().unwrap() } else { 0 };
                    places.get(place).map_or(mine, |(start, stride, _)| start + mine * stride)
                })
                .collect()
        });
    }

    /// What a check would have established.
    fn note_below(&mut self, index: &Poly, dim: usize) {
        let fact = self.lmad.dims[dim].size.sub(index).unwrap().plus(-1).unwrap();
        if self.eval(&fact) >= 0 {
            self.facts.push(fact);
        }
    }

    #[track_caller]
    fn take(&mut self, lmad: Option<Lmad>, shape: Vec<i128>, place: impl Fn(&[i128]) -> Vec<i128>) {
        // Too large polynomials have no result.
        let Some(lmad) = lmad else { return };
        self.table = self.table.view(shape, place);
        let found = Table::of(&lmad, &self.values);
        assert_eq!(found.shape, self.table.shape, "{} to {}", text(&self.lmad), text(&lmad));
        assert_eq!(found.data, self.table.data, "{} to {}", text(&self.lmad), text(&lmad));
        self.lmad = lmad;
    }

    fn is_constant(&self) -> bool {
        self.lmad
            .dims
            .iter()
            .all(|dim| dim.size.as_constant().and(dim.stride.as_constant()).is_some())
    }
}

fn cases(seed: u64, count: usize) -> impl Iterator<Item = Case> {
    let mut rng = Rng::new(seed);
    (0..count).map(move |_| Case::new(Rng::new(rng.bits())))
}

#[test]
fn views_agree_with_enumeration() {
    let elements: usize = cases(1, 4000).map(|case| case.table.data.len()).sum();
    assert!(elements > 10_000, "{elements}");
}

#[test]
fn flat_slices_agree_with_enumeration() {
    let mut count = 0;
    for mut case in cases(2, 3000) {
        let Some(outer) = case.table.shape.first().copied() else { continue };
        let offset = case.number(0, outer - 1).unwrap_or_default();
        let first = case.eval(&offset);
        let mut dims = Vec::new();
        let (mut low, mut high) = (first, first);
        for _ in 0..case.rng.below(3) {
            let stride = i128::from(case.rng.range(-2, 2));
            let size = case.number(1, 3).unwrap();
            let length = (case.eval(&size) - 1) * stride;
            (low, high) = (low + length.min(0), high + length.max(0));
            dims.push(Dim { size, stride: Poly::constant(stride) });
        }
        if low < 0 || high >= outer {
            continue;
        }
        count += 1;
        let slice = Lmad { offset, dims };
        let numbers = Table::of(&slice, &case.values);
        let shape = [&numbers.shape, &case.table.shape[1..]].concat();
        let lmad = case.lmad.flat_slice(&slice);
        let rank = slice.rank();
        case.take(lmad, shape, |index| [&[numbers.at(&index[..rank])], &index[rank..]].concat());
    }
    assert!(count > 800, "{count}");
}

#[test]
fn reshapes_agree_with_enumeration() {
    let (mut done, mut refused) = (0, 0);
    for mut case in cases(3, 6000) {
        let mut shape = case.lmad.shape();
        for _ in 0..1 + case.rng.below(3) {
            let place = case.rng.below(shape.len().max(1));
            match case.rng.below(6) {
                0 | 4 | 5 if place > 0 => {
                    if let Some(joined) = shape[place - 1].mul(&shape[place]) {
                        shape[place - 1] = joined;
                        shape.remove(place);
                    }
                }
                1 => shape.insert(place, Poly::constant(1)),
                2 => shape.retain(|size| size.as_constant() != Some(1)),
                3 if shape.get(place).is_some_and(|size| size.as_constant() == Some(4)) => {
                    shape[place] = Poly::constant(2);
                    shape.insert(place, Poly::constant(2));
                }
                _ => {}
            }
        }
        let numbers: Vec<i128> = shape.iter().map(|size| case.eval(size)).collect();
        assert_eq!(numbers.iter().product::<i128>(), case.table.data.len() as i128);
        let wanted = Table { shape: numbers, data: case.table.data.clone() };
        match case.lmad.reshape(&shape) {
            Some(lmad) => {
                let found = Table::of(&lmad, &case.values);
                assert_eq!(
                    (found.shape, found.data),
                    (wanted.shape, wanted.data),
                    "{}",
                    text(&case.lmad)
                );
                done += 1;
            }
            None => {
                refused += 1;
                let by_size = case.is_constant() && !wanted.data.is_empty();
                assert!(
                    !by_size || !wanted.is_lmad(),
                    "{} to {:?}",
                    text(&case.lmad),
                    wanted.shape
                );
            }
        }
    }
    assert!(done > 3000 && refused > 200, "{done} done, {refused} refused");
}

#[test]
fn layouts_agree_with_enumeration() {
    let mut counts = [0; 4];
    for case in cases(4, 6000) {
        let consecutive = |data: &[i128]| data.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let (lmad, data) = (&case.lmad, &case.table.data);
        let really = consecutive(data);
        let claimed = lmad.is_contiguous();
        assert!(really || !claimed, "{}", text(lmad));
        assert!(claimed || !really || !case.is_constant() || data.is_empty(), "{}", text(lmad));
        counts[usize::from(claimed)] += 1;
        let starts = data.first().is_none_or(|first| *first == 0);
        assert!(!lmad.is_row_major() || (really && starts), "{}", text(lmad));
        if let Some(order) = lmad.contiguous_order() {
            counts[2] += usize::from(!claimed);
            let sorted = lmad.rearrange(&order).expect("a permutation");
            assert!(consecutive(&addresses(&sorted, &case.values)), "{}", text(lmad));
        }
        let fewer = lmad.coalesced();
        counts[3] += usize::from(fewer.rank() < lmad.rank());
        assert_eq!(addresses(&fewer, &case.values), *data, "{}", text(lmad));
    }
    assert!(counts.iter().all(|count| *count > 200), "{counts:?}");
}

#[test]
fn compositions_agree_with_enumeration() {
    let vars = letters();
    let (mut done, mut refused) = (0, 0);
    for mut case in cases(5, 3000) {
        // The view is a part of the array's elements, numbered one after the other.
        let array = (case.lmad.clone(), case.table.clone());
        let Some(numbers) = Lmad::row_major(&array.0.shape()) else { continue };
        case.table = Table::of(&numbers, &case.values);
        case.lmad = numbers;
        for _ in 0..1 + case.rng.below(2) {
            case.step();
        }
        let mut ranges = facts(&vars, &[]);
        for fact in &case.facts {
            ranges.assume_nonneg(fact, &Certs::new());
        }
        let Some(both) = array.0.compose(&case.lmad, &mut Proof::new(&mut ranges)) else {
            refused += 1;
            continue;
        };
        done += 1;
        let wanted: Vec<i128> =
            case.table.data.iter().map(|number| array.1.data[*number as usize]).collect();
        let context = format!("{} of {}", text(&case.lmad), text(&array.0));
        assert_eq!(addresses(&both, &case.values), wanted, "{context}");
    }
    assert!(done > 2 * refused, "{done} done, {refused} refused");
}

#[test]
fn bounds_and_substitution_agree_with_enumeration() {
    let vars = letters();
    let mut known = 0;
    for mut case in cases(6, 3000) {
        let mut ranges = facts(&vars, &[]);
        for v in (0..8).filter(|v| case.values[*v as usize] > 0) {
            ranges.assume_nonneg(&Poly::var(Var(v)).plus(-1).unwrap(), &Certs::new());
        }
        let (smallest, largest) = (case.table.data.iter().min(), case.table.data.iter().max());
        if let (Some(smallest), Some(largest)) = (smallest, largest)
            && let Some((low, high)) = case.lmad.bounds(&mut Proof::new(&mut ranges))
        {
            known += 1;
            assert_eq!(
                (case.eval(&low), case.eval(&high)),
                (*smallest, *largest),
                "{}",
                text(&case.lmad)
            );
        }
        let by = [random_poly(&mut case.rng), random_poly(&mut case.rng)];
        if let Some(new) = case.lmad.substitute(&|var| by.get(var.0 as usize).cloned()) {
            let mut values = case.values.clone();
            (values[0], values[1]) = (case.eval(&by[0]), case.eval(&by[1]));
            assert_eq!(addresses(&new, &case.values), addresses(&case.lmad, &values));
            assert!(case.lmad.vars().iter().any(|var| var.0 < 2) || new == case.lmad);
        }
    }
    assert!(known > 1500, "{known}");
}

#[test]
fn unions_agree_with_enumeration() {
    let mut done = 0;
    for mut case in cases(7, 2000) {
        let low = case.number(-2, 2).unwrap();
        let count = case.number(0, 3).unwrap();
        let var = Var(9);
        let slope = case.number(-2, 4).unwrap();
        let Some(moved) = slope.mul(&Poly::var(var)).and_then(|part| case.lmad.offset.add(&part))
        else {
            continue;
        };
        let lmad = Lmad { offset: moved, dims: case.lmad.dims.clone() };
        let Some(union) = lmad.over(var, &low, &count) else { continue };
        assert!(!union.mentions(var));
        let mut wanted = Vec::new();
        let mut values = case.values.clone();
        for step in 0..case.eval(&count) {
            values[9] = case.eval(&low) + step;
            wanted.extend(addresses(&lmad, &values));
        }
        assert_eq!(addresses(&union, &case.values), wanted, "{}", text(&lmad));
        done += usize::from(!wanted.is_empty());
    }
    assert!(done > 800, "{done}");
}
