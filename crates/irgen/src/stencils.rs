//! Stencils: maps whose positions read elements near them, in one to three dimensions, with borders of each kind, some
//! of unknown size.

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
    let around = rng.chance(40);
    Gen { prim, axes, batched, turned, around, names: Names::default() }.program()
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
    /// Whether the number of elements is not known before the program runs: it is this, or up to three less. The first
    /// one is as far before the position as the last one behind it.
    unknown: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Border {
    /// The nearest element, by the minimum first or by the maximum first.
    Clamped(bool),
    /// The same, by branches.
    Branched(bool),
    Wrapped,
    /// A constant, by a branch.
    Guarded,
    /// The same, where nothing behind the position is read.
    Before,
    /// There are fewer positions than elements.
    Inside,
}

impl Axis {
    fn random(rng: &mut Rng, most: i64) -> Axis {
        let border = match rng.below(9) {
            0 | 1 => Border::Clamped(rng.chance(50)),
            2 | 3 => Border::Branched(rng.chance(50)),
            4 => Border::Wrapped,
            5 | 6 => Border::Guarded,
            7 => Border::Before,
            _ => Border::Inside,
        };
        let reach = rng.range((most - 2).max(1), most);
        let before = match border {
            Border::Inside => 0,
            Border::Before => reach - 1,
            Border::Clamped(_) | Border::Branched(_) | Border::Wrapped | Border::Guarded => {
                rng.range(-1, reach)
            }
        };
        let narrow = border != Border::Wrapped && rng.chance(15);
        Axis { reach, before, border, narrow, unknown: rng.chance(30) }
    }
}

struct Gen {
    prim: &'static str,
    axes: Vec<Axis>,
    /// Whether there is one more dimension of positions, which are the first index themselves.
    batched: bool,
    /// Whether rows are read as columns.
    turned: bool,
    /// Whether branches have whole steps in them.
    around: bool,
    names: Names,
}

/// The number of elements that are read along an axis, and how far before the position the first one is: constants or variables.
struct Extent {
    reach: String,
    before: String,
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
        let mut extents = Vec::with_capacity(self.axes.len());
        for (axis, size) in (0..self.axes.len()).zip(&along) {
            let extent = self.extent(axis, &mut text);
            if self.axes[axis].border == Border::Inside {
                let [less, more, some] = self.names.several();
                let by = &extent.reach;
                let _ = writeln!(
                    text,
                    "let ({less}: i64) = sub {size} {by} let ({more}: i64) = add {less} 1 let ({some}: i64) = max {more} 0"
                );
                positions.push(some);
            } else {
                positions.push((*size).to_owned());
            }
            extents.push(extent);
        }
        let at: Vec<String> = positions.iter().map(|_| self.names.fresh()).collect();
        let body = self.steps(array, &along, &extents, &at);
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

    /// How far an axis extends.
    fn extent(&mut self, axis: usize, out: &mut String) -> Extent {
        let Axis { reach, before, border, unknown, .. } = self.axes[axis];
        if !unknown {
            return Extent { reach: reach.to_string(), before: before.to_string() };
        }
        let [less, own, last, half] = self.names.several();
        let _ = writeln!(
            out,
            "let ({less}: i64) = mod k 4 let ({own}: i64) = sub {reach} {less} \
             let ({last}: i64) = sub {own} 1 let ({half}: i64) = quot {own} 2"
        );
        let before = match border {
            Border::Inside => "0".to_owned(),
            Border::Before => last,
            Border::Clamped(_) | Border::Branched(_) | Border::Wrapped | Border::Guarded => half,
        };
        Extent { reach: own, before }
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
    fn steps(&mut self, array: &str, sizes: &[&str], extents: &[Extent], at: &[String]) -> String {
        let (prim, zero) = (self.prim, constant(self.prim, 0));
        let [result, element, last, more] = [(); 4].map(|()| self.names.fresh());
        let own = &at[usize::from(self.batched)..];
        let (mut open, mut close) = (String::new(), String::new());
        let (mut indices, mut conditions) = (Vec::new(), Vec::new());
        let mut before = zero.clone();
        for axis in 0..self.axes.len() {
            let [sum, inner, d] = [(); 3].map(|()| self.names.fresh());
            let reach = &extents[axis].reach;
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
                (&own[axis], &d, &extents[axis].before),
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
        let indices = indices.join(", ");
        let read = |name: &str| format!("let ({name}: {prim}) = index {array}[{indices}] ");
        // The order matters.
        let three = constant(self.prim, 3);
        let step = |result: &str| {
            format!(
                "let ({more}: {prim}) = mul {before} {three} let ({result}: {prim}) = add {more} {element} "
            )
        };
        let condition = conditions.into_iter().reduce(|all, other| {
            let both = self.names.fresh();
            let _ = write!(open, "let ({both}: bool) = and {all} {other} ");
            both
        });
        match condition {
            None => open.push_str(&read(&element)),
            Some(all) if self.around => {
                let inside = self.names.fresh();
                let _ = write!(
                    open,
                    "let ({last}: {prim}) = if {all} then {{ {}{}in ({inside}) }} else {{({before})}} in ({last}) ",
                    read(&element),
                    step(&inside)
                );
                return format!("{open}{close}in ({result}) ");
            }
            Some(all) => {
                let (outside, inside) = (constant(self.prim, 5), self.names.fresh());
                let _ = write!(
                    open,
                    "let ({element}: {prim}) = if {all} then {{ {}in ({inside}) }} else {{({outside})}} ",
                    read(&inside)
                );
            }
        }
        format!("{open}{}in ({last}) {close}in ({result}) ", step(&last))
    }

    /// The index of an element, whose statements are added; conditions under which it is read.
    fn index(
        &mut self,
        axis: usize,
        size: &str,
        (position, distance, before): (&str, &str, &str),
        out: &mut String,
        conditions: &mut Vec<String>,
    ) -> String {
        let Axis { border, narrow, .. } = self.axes[axis];
        let [wide, short, short_before, sum, at, last, size32, first, second, index, c, d, e, g] =
            self.names.several();
        let prim = if narrow { "i32" } else { "i64" };
        let number = |value: i64| if narrow { format!("{value}i32") } else { value.to_string() };
        let (mut size, mut i, mut by) = (size.to_owned(), position.to_owned(), distance.to_owned());
        let mut before = before.to_owned();
        if narrow {
            let _ = write!(
                out,
                "let ({wide}: i32) = convert i32 {i} let ({short}: i32) = convert i32 {by} \
                 let ({size32}: i32) = convert i32 {size} let ({short_before}: i32) = convert i32 {before} "
            );
            (i, by, size, before) = (wide, short, size32, short_before);
        }
        let _ = write!(
            out,
            "let ({sum}: {prim}) = add {i} {by} let ({at}: {prim}) = sub {sum} {before} "
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
            Border::Branched(min_first) => {
                let zero = number(0);
                let _ = write!(
                    out,
                    "let ({c}: bool) = lt {at} {zero} let ({d}: bool) = le {size} {at} "
                );
                let last_one =
                    format!("let ({last}: {prim}) = sub {size} {} in ({last})", number(1));
                let _ = if min_first {
                    write!(
                        out,
                        "let ({second}: {prim}) = if {d} then {{ {last_one} }} else {{ \
                         let ({first}: {prim}) = if {c} then {{({zero})}} else {{({at})}} in ({first}) }} "
                    )
                } else {
                    write!(
                        out,
                        "let ({second}: {prim}) = if {c} then {{({zero})}} else {{ \
                         let ({first}: {prim}) = if {d} then {{ {last_one} }} else {{({at})}} in ({first}) }} "
                    )
                };
                second
            }
            Border::Before => {
                let _ = write!(
                    out,
                    "let ({e}: bool) = lt {at} {} let ({g}: bool) = not {e} ",
                    number(0)
                );
                conditions.push(g);
                at
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
