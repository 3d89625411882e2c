//! Stencils: maps whose positions read elements near them, in one to three dimensions, with borders of each kind.

use crate::rng::Rng;
use crate::words::{Names, constant};
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes the sizes `n`, `m` and `k` and arrays of numbers of one type,
/// one for each number of dimensions, and returns what a stencil makes of one of them.
pub fn stencil_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i32", "i64", "u8", "i16"][rng.below(4)];
    let rank = 1 + rng.below(3);
    // Windows that are worth a tile are frequent, but there are others.
    let reach = match rank {
        1 => rng.range(20, 40),
        2 => rng.range(4, 7),
        _ => rng.range(2, 4),
    };
    let axes: Vec<Axis> = (0..rank).map(|_| Axis::random(&mut rng, reach)).collect();
    let batched = rank < 3 && rng.chance(25);
    let turned = rank == 2 && rng.chance(15);
    Gen { prim, axes, batched, turned, names: Names::default() }.program()
}

/// What is read along a dimension.
struct Axis {
    /// How many elements.
    reach: i64,
    /// How far before the position the first one is.
    before: i64,
    border: Border,
    /// Whether coordinates have 32 bits.
    narrow: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Border {
    /// The nearest element, by the minimum first or by the maximum first.
    Clamped(bool),
    Wrapped,
    /// A constant, by a branch.
    Guarded,
    /// There are fewer positions than elements.
    Inside,
}

impl Axis {
    fn random(rng: &mut Rng, most: i64) -> Axis {
        let border = match rng.below(6) {
            0 | 1 => Border::Clamped(rng.chance(50)),
            2 => Border::Wrapped,
            3 | 4 => Border::Guarded,
            _ => Border::Inside,
        };
        let reach = rng.range((most - 2).max(1), most);
        let before = if border == Border::Inside { 0 } else { rng.range(-1, reach) };
        Axis { reach, before, border, narrow: border != Border::Wrapped && rng.chance(25) }
    }
}

struct Gen {
    prim: &'static str,
    axes: Vec<Axis>,
    /// Whether there is one more dimension of positions, which are the first index themselves.
    batched: bool,
    /// Whether rows are read as columns.
    turned: bool,
    names: Names,
}

impl Gen {
    fn program(mut self) -> String {
        let prim = self.prim;
        let rank = self.axes.len() + usize::from(self.batched);
        let array = ["as", "bs", "cs"][rank - 1];
        let sizes = &["n", "m", "k"][..rank];
        // The size of the array along each axis.
        let mut along: Vec<&str> = sizes[usize::from(self.batched)..].to_vec();
        if self.turned {
            along.reverse();
        }
        let mut text = String::new();
        let mut positions: Vec<String> = Vec::new();
        if self.batched {
            positions.push(sizes[0].to_owned());
        }
        for (axis, size) in (0..self.axes.len()).zip(&along) {
            if self.axes[axis].border == Border::Inside {
                let [less, some] = self.names.several();
                let by = self.axes[axis].reach - 1;
                let _ = writeln!(
                    text,
                    "let ({less}: i64) = sub {size} {by} let ({some}: i64) = max {less} 0"
                );
                positions.push(some);
            } else {
                positions.push((*size).to_owned());
            }
        }
        let at: Vec<String> = positions.iter().map(|_| self.names.fresh()).collect();
        let body = self.steps(array, &along, &at);
        let shape: String = positions.iter().map(|size| format!("[{size}]")).collect();
        let result = self.names.fresh();
        let map = self.nest(&result, &positions, &at, &body);
        let unknown: Vec<&String> = positions.iter().filter(|size| size.starts_with('v')).collect();
        let mut results = String::new();
        let mut values = String::new();
        let mut shown = shape.clone();
        for (number, size) in unknown.iter().enumerate() {
            let _ = write!(results, "z{number}: i64, ");
            let _ = write!(values, "{size}, ");
            shown = shown.replace(&format!("[{size}]"), &format!("[z{number}]"));
        }
        format!(
            "prog arrays\nfun f (n: i64, m: i64, k: i64, as: [n]{prim}, bs: [n][m]{prim}, cs: [n][m][k]{prim}) \
             -> ({results}r: {shown}{prim}) =\n{text}{map}in ({values}{result})\n"
        )
    }

    /// Maps over the positions, bound to a name.
    fn nest(&mut self, name: &str, sizes: &[String], at: &[String], body: &str) -> String {
        let (Some((size, sizes)), Some((i, at))) = (sizes.split_first(), at.split_first()) else {
            return String::new();
        };
        let (range, prim) = (self.names.fresh(), self.prim);
        let shape: String = sizes.iter().map(|size| format!("[{size}]")).collect();
        let inside = if sizes.is_empty() {
            body.to_owned()
        } else {
            let inner = self.names.fresh();
            let rest = self.nest(&inner, sizes, at, body);
            format!("{rest}in ({inner}) ")
        };
        format!(
            "let ({range}: [{size}]i64) = iota i64 {size} 0 1 \
             let ({name}: [{size}]{shape}{prim}) = screma {size} ({range}) map \\({i}: i64) -> ({shape}{prim}) {{ {inside}}}\n"
        )
    }

    /// The sum over a window: loops over its dimensions.
    fn steps(&mut self, array: &str, sizes: &[&str], at: &[String]) -> String {
        let (prim, zero) = (self.prim, constant(self.prim, 0));
        let [result, element, last, more] = [(); 4].map(|()| self.names.fresh());
        let own = &at[usize::from(self.batched)..];
        let (mut open, mut close) = (String::new(), String::new());
        let (mut indices, mut conditions) = (Vec::new(), Vec::new());
        let mut before = zero.clone();
        for axis in 0..self.axes.len() {
            let [sum, inner, d] = [(); 3].map(|()| self.names.fresh());
            let reach = self.axes[axis].reach;
            let name = if axis == 0 { result.clone() } else { inner };
            let _ = write!(
                open,
                "let ({name}: {prim}) = loop ({sum}: {prim} = {before}) for {d}: i64 < {reach} {{ "
            );
            let tail = if axis == 0 { "} ".to_owned() } else { format!("}} in ({name}) ") };
            close = format!("{tail}{close}");
            indices.push(self.index(
                axis,
                sizes[axis],
                (&own[axis], &d),
                &mut open,
                &mut conditions,
            ));
            before = sum;
        }
        if self.turned {
            indices.reverse();
        }
        if self.batched {
            indices.insert(0, at[0].clone());
        }
        let read = format!("let ({element}: {prim}) = index {array}[{}] ", indices.join(", "));
        match conditions.split_first() {
            None => open.push_str(&read),
            Some((first, others)) => {
                let mut all = first.clone();
                for other in others {
                    let both = self.names.fresh();
                    let _ = write!(open, "let ({both}: bool) = and {all} {other} ");
                    all = both;
                }
                let (outside, inside) = (constant(self.prim, 5), self.names.fresh());
                let read = read.replace(&element, &inside);
                let _ = write!(
                    open,
                    "let ({element}: {prim}) = if {all} then {{ {read}in ({inside}) }} else {{({outside})}} "
                );
            }
        }
        // The order matters.
        let three = constant(self.prim, 3);
        let _ = write!(
            open,
            "let ({more}: {prim}) = mul {before} {three} let ({last}: {prim}) = add {more} {element} in ({last}) "
        );
        format!("{open}{close}in ({result}) ")
    }

    /// The index of an element, whose statements are added; conditions under which it is read.
    fn index(
        &mut self,
        axis: usize,
        size: &str,
        (position, distance): (&str, &str),
        out: &mut String,
        conditions: &mut Vec<String>,
    ) -> String {
        let Axis { before, border, narrow, .. } = self.axes[axis];
        let [wide, short, sum, at, last, size32, first, second, index, c, d] =
            [(); 11].map(|()| self.names.fresh());
        let prim = if narrow { "i32" } else { "i64" };
        let number = |value: i64| if narrow { format!("{value}i32") } else { value.to_string() };
        let (mut size, mut i, mut by) = (size.to_owned(), position.to_owned(), distance.to_owned());
        if narrow {
            let _ = write!(
                out,
                "let ({wide}: i32) = convert i32 {i} let ({short}: i32) = convert i32 {by} \
                 let ({size32}: i32) = convert i32 {size} "
            );
            (i, by, size) = (wide, short, size32);
        }
        let _ = write!(
            out,
            "let ({sum}: {prim}) = add {i} {by} let ({at}: {prim}) = sub {sum} {} ",
            number(before)
        );
        let found = match border {
            Border::Inside => at,
            Border::Clamped(min_first) => {
                let _ = write!(out, "let ({last}: {prim}) = sub {size} {} ", number(1));
                let mut ops = [("min", last), ("max", number(0))];
                if !min_first {
                    ops.reverse();
                }
                let [(op, a), (other, b)] = &ops;
                let _ = write!(
                    out,
                    "let ({first}: {prim}) = {op} {a} {at} let ({second}: {prim}) = {other} {first} {b} "
                );
                second
            }
            Border::Wrapped => {
                let _ = write!(out, "let ({first}: {prim}) = mod {at} {size} ");
                first
            }
            Border::Guarded => {
                let zero = number(0);
                let _ = write!(
                    out,
                    "let ({c}: bool) = le {zero} {at} let ({d}: bool) = lt {at} {size} "
                );
                conditions.extend([c, d]);
                at
            }
        };
        if !narrow {
            return found;
        }
        let _ = write!(out, "let ({index}: i64) = convert i64 {found} ");
        index
    }
}
