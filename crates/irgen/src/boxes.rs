//! Programs with scatters whose positions are divided into digits, each of which moves the place by a distance of its
//! own: boxes of the destination, transposed, mirrored, with gaps, in each other, and some that only look like one.
//!
//! Places that several positions write get the same value from each of them, whatever the array is that it comes from.

use crate::rng::Rng;
use crate::words::{Names, constant};
use std::fmt::Write as _;

/// The text of a program from a seed. Its only function is `f`; it takes three sizes, two other numbers and a value.
pub fn box_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16"][rng.below(4)];
    let mut gener = Gen { rng, prim, names: Names::default(), out: String::new() };
    let (mut types, mut names, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..1 + gener.rng.below(2) {
        let (array, size) = gener.scatters();
        types.push(format!("r{at}: [s{at}]{prim}"));
        names.push(array);
        sizes.push(size);
    }
    let first: Vec<String> = (0..sizes.len()).map(|at| format!("s{at}: i64")).collect();
    let (types, results) = ([first, types].concat(), [sizes, names].concat());
    format!(
        "prog arrays\nfun f (n: i64, m: i64, k: i64, j: i64, u: {prim}, xss: [n][m]{prim}, zs: [k]{prim}) -> ({}) =\n\
         let (n1: i64) = max n 1\nlet (m1: i64) = max m 1\nlet (k1: i64) = max k 1\n{}in ({})\n",
        types.join(", "),
        gener.out,
        results.join(", ")
    )
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    names: Names,
    out: String,
}

/// A part of a position.
#[derive(Clone)]
struct Digit {
    /// How many values it has.
    size: String,
    /// How far it moves the place, without its sign.
    stride: String,
    back: bool,
}

/// Where a scatter writes.
struct Shape {
    digits: Vec<Digit>,
    /// The place of the first position.
    start: String,
    /// How many places there are from the first one to the last, or one more.
    extent: String,
    /// Whether no place is written twice.
    apart: bool,
}

impl Gen {
    fn let_(&mut self, ty: &str, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: {ty}) = {exp}");
        name
    }

    /// An operation of numbers, which is computed here if both are known.
    fn number(&mut self, op: &str, a: &str, b: &str) -> String {
        if let (Ok(x), Ok(y)) = (a.parse::<i64>(), b.parse::<i64>()) {
            match op {
                "add" => return (x + y).to_string(),
                "sub" => return (x - y).to_string(),
                "mul" => return (x * y).to_string(),
                "max" => return x.max(y).to_string(),
                _ => {}
            }
        }
        self.let_("i64", &format!("{op} {a} {b}"))
    }

    /// A destination and what is scattered to it: its name after that, and its size.
    fn scatters(&mut self) -> (String, String) {
        let shape = self.shape();
        // How many boxes follow each other, and how far they are from each other.
        let count = if self.rng.chance(50) { 1 } else { self.rng.range(2, 3) };
        let moved = match self.rng.below(4) {
            0 => "1".to_owned(),
            1 => self.number("add", &shape.extent, "2"),
            _ => shape.extent.clone(),
        };
        let all = self.number("mul", &moved, &(count - 1).to_string());
        let all = self.number("add", &all, &shape.extent);
        let first = if self.rng.chance(40) { self.rng.range(1, 5) } else { 0 };
        let all = self.number("add", &all, &first.to_string());
        let what = self.rng.below(10);
        let is_less = what < 2;
        let size = match what {
            // The last places are outside.
            0 => self.number("sub", &all, "1"),
            1 => self.number("sub", &all, "3"),
            2 => self.number("add", &all, "4"),
            _ => all,
        };
        // Sizes without positions make it less than nothing, as may what is left out.
        let may_be_none = |size: &str| ["0", "n", "m", "k"].contains(&size);
        let size = match shape.digits.iter().any(|digit| may_be_none(&digit.size)) || is_less {
            true => self.number("max", &size, "0"),
            false => size,
        };
        let dest = self.dest(&size);
        if count > 1 && self.rng.chance(50) {
            return (self.looped(&shape, &dest, &size, (count, &moved, first)), size);
        }
        let mut dest = dest;
        for at in 0..count {
            let start = self.number("mul", &moved, &at.to_string());
            let start = self.number("add", &start, &first.to_string());
            dest = self.guarded(&shape, &dest, &size, &start, 0);
        }
        (dest, size)
    }

    /// Several boxes, one in each iteration.
    fn looped(
        &mut self,
        shape: &Shape,
        dest: &str,
        size: &str,
        (count, moved, first): (i64, &str, i64),
    ) -> String {
        let ([x, i], prim) = (self.names.several(), self.prim);
        let trips = if self.rng.chance(70) {
            count.to_string()
        } else {
            let low = self.number("and", "j", "1");
            self.number("add", &low, &(count - 1).to_string())
        };
        let outside = std::mem::take(&mut self.out);
        let start = self.number("mul", &i, moved);
        let start = self.number("add", &start, &first.to_string());
        let result = self.guarded(shape, &x, size, &start, 0);
        let text = std::mem::replace(&mut self.out, outside);
        self.let_(
            &format!("[{size}]{prim}"),
            &format!("loop ({x}: [{size}]{prim} = {dest}) for {i}: i64 < {trips} {{\n{text}in ({result}) }}"),
        )
    }

    fn dest(&mut self, size: &str) -> String {
        let (ty, value) = (format!("[{size}]{}", self.prim), constant(self.prim, 1));
        let first = self.let_(&ty, &format!("replicate ({size}) {value}"));
        if self.rng.chance(50) {
            return first;
        }
        let is = self.let_(&format!("[{size}]i64"), &format!("iota i64 {size} 3 2"));
        self.mapped(size, &is, "i64", |g, x| g.valued(x))
    }

    /// A number as an element.
    fn valued(&mut self, number: &str) -> String {
        let prim = self.prim;
        let value = match prim {
            "i64" => self.let_(prim, &format!("mul {number} 5")),
            prim => self.let_(prim, &format!("convert {prim} {number}")),
        };
        self.let_(prim, &format!("xor {value} u"))
    }

    fn mapped(
        &mut self,
        width: &str,
        array: &str,
        ty: &str,
        body: impl FnOnce(&mut Self, &str) -> String,
    ) -> String {
        let (x, prim) = (self.names.fresh(), self.prim);
        let outside = std::mem::take(&mut self.out);
        let result = body(self, &x);
        let text = std::mem::replace(&mut self.out, outside);
        let exp = format!(
            "screma {width} ({array}) map \\({x}: {ty}) -> ({prim}) {{\n{text}in ({result}) }}"
        );
        self.let_(&format!("[{width}]{prim}"), &exp)
    }

    /// How many values digits have, and their distances: in some order, each is as large as everything before it, or
    /// larger, or too small.
    fn shape(&mut self) -> Shape {
        let rank = 2 + self.rng.below(2) + usize::from(self.rng.chance(15));
        let mut digits: Vec<Digit> = Vec::new();
        for _ in 0..rank {
            let size = match self.rng.below(10) {
                0 if self.rng.chance(50) => "1".to_owned(),
                1 if self.rng.chance(50) => ["n", "m"][self.rng.below(2)].to_owned(),
                2 | 3 => ["m1", "n1"][self.rng.below(2)].to_owned(),
                4 if rank < 4 => "k1".to_owned(),
                5 if self.rng.chance(20) => "0".to_owned(),
                _ => self.rng.range(2, 4).to_string(),
            };
            digits.push(Digit { size, stride: String::new(), back: self.rng.chance(15) });
        }
        // The array of the function is as good as any.
        if rank == 2 && self.rng.chance(25) {
            (digits[0].size, digits[1].size) = ("n".to_owned(), "m".to_owned());
        }
        let mut order: Vec<usize> = (0..rank).rev().collect();
        if self.rng.chance(50) {
            order.swap(0, 1 + self.rng.below(rank - 1));
        }
        let mut stride = if self.rng.chance(85) { "1".to_owned() } else { "2".to_owned() };
        let (mut start, mut extent, mut apart) = ("0".to_owned(), "1".to_owned(), true);
        for at in order {
            let size = digits[at].size.clone();
            digits[at].stride.clone_from(&stride);
            let last = self.number("sub", &size, "1");
            let last = self.number("mul", &last, &stride);
            if digits[at].back {
                start = self.number("add", &start, &last);
            }
            extent = self.number("add", &extent, &last);
            stride = match self.rng.below(10) {
                // Only just large enough, for some distances.
                0 | 1 => extent.clone(),
                2 => {
                    let (all, gap) = (self.number("mul", &stride, &size), self.rng.range(1, 6));
                    self.number("add", &all, &gap.to_string())
                }
                3 => {
                    apart = false;
                    self.number("sub", &extent, "1")
                }
                4 if self.rng.chance(30) => {
                    apart = false;
                    stride
                }
                _ => self.number("mul", &stride, &size),
            };
        }
        Shape { digits, start, extent, apart }
    }

    /// A scatter, perhaps where sizes are known not to be zero; the destination after it.
    fn guarded(&mut self, shape: &Shape, dest: &str, size: &str, start: &str, at: usize) -> String {
        let unknown: Vec<String> = ["n", "m", "k"]
            .into_iter()
            .filter(|size| shape.digits.iter().any(|digit| digit.size == **size))
            .map(str::to_owned)
            .collect();
        let Some(guard) = unknown.get(at).filter(|_| self.rng.chance(85)) else {
            return self.scatter(shape, dest, size, start);
        };
        let cond = self.let_("bool", &format!("lt 0 {guard}"));
        let outside = std::mem::take(&mut self.out);
        let result = self.guarded(shape, dest, size, start, at + 1);
        let text = std::mem::replace(&mut self.out, outside);
        self.let_(
            &format!("[{size}]{}", self.prim),
            &format!("if {cond} then {{\n{text}in ({result}) }} else {{({dest})}}"),
        )
    }

    fn scatter(&mut self, shape: &Shape, dest: &str, size: &str, start: &str) -> String {
        let prim = self.prim;
        let start = self.number("add", start, &shape.start);
        let dims: Vec<String> = shape.digits.iter().map(|digit| digit.size.clone()).collect();
        let width = dims.iter().fold("1".to_owned(), |width, dim| self.number("mul", &width, dim));
        let is = self.let_(&format!("[{width}]i64"), &format!("iota i64 {width} 0 1"));
        let array = self.array(shape, (dest, size), (&is, &width), &start);
        let (position, outside) = (self.names.fresh(), std::mem::take(&mut self.out));
        let mut digits = self.digits(&position, &shape.digits);
        let place = self.place(shape, &digits, &start);
        // The same digits in another order, where that is possible.
        if shape.apart && self.rng.chance(25) {
            let last = digits.len() - 1;
            if dims[last] == dims[last - 1] {
                digits.swap(last, last - 1);
            }
        }
        let value = self.let_(prim, &format!("index {array}[{}]", digits.join(", ")));
        let text = std::mem::replace(&mut self.out, outside);
        self.let_(
            &format!("[{size}]{prim}"),
            &format!(
                "scatter {width} ({is}) map \\({position}: i64) -> (i64, {prim}) {{\n{text}in ({place}, {value}) }} dest [{size}] {dest}"
            ),
        )
    }

    /// The digits of a position.
    fn digits(&mut self, position: &str, parts: &[Digit]) -> Vec<String> {
        let [high, low] = if self.rng.chance(70) { ["div", "mod"] } else { ["quot", "rem"] };
        let (mut rest, count) = (position.to_owned(), parts.len());
        let mut all = Vec::with_capacity(count);
        if self.rng.chance(70) {
            // From the highest one on.
            for at in 0..count - 1 {
                let by = parts[at + 1..]
                    .iter()
                    .fold("1".to_owned(), |by, part| self.number("mul", &by, &part.size));
                all.push(self.let_("i64", &format!("{high} {rest} {by}")));
                rest = self.let_("i64", &format!("{low} {rest} {by}"));
            }
            all.push(rest);
            return all;
        }
        for part in parts[1..].iter().rev() {
            all.push(self.let_("i64", &format!("{low} {rest} {}", part.size)));
            rest = self.let_("i64", &format!("{high} {rest} {}", part.size));
        }
        all.push(rest);
        all.reverse();
        all
    }

    fn place(&mut self, shape: &Shape, digits: &[String], start: &str) -> String {
        let mut place = start.to_owned();
        for (digit, part) in digits.iter().zip(&shape.digits) {
            let way = self.number("mul", digit, &part.stride);
            let op = if part.back { "sub" } else { "add" };
            place = self.number(op, &place, &way);
        }
        place
    }

    /// A map for each digit, inside of each other; the elements are numbers of places.
    fn nest(&mut self, shape: &Shape, mut digits: Vec<String>, start: &str) -> String {
        let dims: Vec<&str> =
            shape.digits[digits.len()..].iter().map(|d| d.size.as_str()).collect();
        let Some((width, inner)) = dims.split_first() else { return String::new() };
        let is = self.let_(&format!("[{width}]i64"), &format!("iota i64 {width} 0 1"));
        let (i, prim) = (self.names.fresh(), self.prim);
        digits.push(i.clone());
        let outside = std::mem::take(&mut self.out);
        let ty: String = inner.iter().map(|dim| format!("[{dim}]")).collect();
        let result = if inner.is_empty() {
            let place = self.place(shape, &digits, start);
            self.valued(&place)
        } else {
            let exp = self.nest(shape, digits, start);
            self.let_(&format!("{ty}{prim}"), &exp)
        };
        let text = std::mem::replace(&mut self.out, outside);
        format!("screma {width} ({is}) map \\({i}: i64) -> ({ty}{prim}) {{\n{text}in ({result}) }}")
    }

    /// An array whose elements are all changed: made anew, or in place by rows.
    fn changed(&mut self, array: &str, dims: &[String], in_place: bool) -> String {
        let prim = self.prim;
        let of = |dims: &[String]| dims.iter().map(|dim| format!("[{dim}]")).collect::<String>();
        let Some((width, inner)) = dims.split_first() else {
            return self.let_(prim, &format!("add {array} u"));
        };
        let (ty, row_ty) = (format!("{}{prim}", of(dims)), format!("{}{prim}", of(inner)));
        let ([x, row, i], outside) = (self.names.several(), std::mem::take(&mut self.out));
        if in_place {
            let _ = writeln!(self.out, "let ({row}: {row_ty}) = index {x}[{i}]");
        }
        let result = self.changed(&row, inner, false);
        if in_place {
            let after = self.let_(&ty, &format!("update {x}[{i}] = {result}"));
            let text = std::mem::replace(&mut self.out, outside);
            return self.let_(
                &ty,
                &format!(
                    "loop ({x}: {ty} = {array}) for {i}: i64 < {width} {{\n{text}in ({after}) }}"
                ),
            );
        }
        let text = std::mem::replace(&mut self.out, outside);
        self.let_(
            &ty,
            &format!("screma {width} ({array}) map \\({row}: {row_ty}) -> ({row_ty}) {{\n{text}in ({result}) }}"),
        )
    }

    /// What is scattered: an array with as many dimensions as there are digits.
    fn array(
        &mut self,
        shape: &Shape,
        (dest, size): (&str, &str),
        (is, width): (&str, &str),
        start: &str,
    ) -> String {
        let prim = self.prim;
        let dims: Vec<String> = shape.digits.iter().map(|digit| digit.size.clone()).collect();
        if shape.apart && dims == ["n", "m"] && self.rng.chance(80) {
            if self.rng.chance(50) {
                return "xss".to_owned();
            }
            // It is made by rows.
            let [row, x, y, ys] = self.names.several();
            return self.let_(
                &format!("[n][m]{prim}"),
                &format!(
                    "screma n (xss) map \\({row}: [m]{prim}) -> ([m]{prim}) {{\n\
                     let ({ys}: [m]{prim}) = screma m ({row}) map \\({x}: {prim}) -> ({prim}) {{ let ({y}: {prim}) = add {x} u in ({y}) }} in ({ys}) }}"
                ),
            );
        }
        if self.rng.chance(85) {
            let exp = self.nest(shape, Vec::new(), start);
            let ty: String = dims.iter().map(|dim| format!("[{dim}]")).collect();
            let ty = ty + prim;
            let first = self.let_(&ty, &exp);
            if self.rng.chance(60) {
                return first;
            }
            // All elements change a few times. Where some share a place, it has to change once for all of them, so they do not.
            let few = self.let_("i64", "and j 1");
            let count = self.number("add", &few, "1");
            let [x, i] = self.names.several();
            let outside = std::mem::take(&mut self.out);
            let in_place = self.rng.chance(40);
            let result = self.changed(&x, &dims, in_place);
            let text = std::mem::replace(&mut self.out, outside);
            return self.let_(
                &ty,
                &format!(
                    "loop ({x}: {ty} = {first}) for {i}: i64 < {count} {{\n{text}in ({result}) }}"
                ),
            );
        }
        let flat = match self.rng.below(4) {
            // It depends on what is there already; several positions of a place read that.
            0 => self.mapped(width, is, "i64", |g, x| {
                let digits = g.digits(x, &shape.digits);
                let place = g.place(shape, &digits, start);
                let last = g.number("sub", size, "1");
                let above = g.number("max", &place, "0");
                let near = g.number("min", &above, &last);
                let is_none = g.let_("bool", &format!("eq {size} 0"));
                let old = g.let_(prim, &format!("if {is_none} then {{(u)}} else {{ let (old{near}: {prim}) = index {dest}[{near}] in (old{near}) }}"));
                let value = g.valued(&place);
                g.let_(prim, &format!("add {value} {old}"))
            }),
            1 if shape.apart => self.mapped(width, is, "i64", |g, x| g.valued(x)),
            _ => self.mapped(width, is, "i64", |g, x| {
                let digits = g.digits(x, &shape.digits);
                let place = g.place(shape, &digits, start);
                g.valued(&place)
            }),
        };
        // Each element changes a few times, where it is or elsewhere.
        let flat = match self.rng.below(4) {
            0 => {
                let ([x, i], ty) = (self.names.several(), format!("[{width}]{prim}"));
                let outside = std::mem::take(&mut self.out);
                let result =
                    self.mapped(width, &x, prim, |g, y| g.let_(prim, &format!("add {y} u")));
                let text = std::mem::replace(&mut self.out, outside);
                self.let_(
                    &ty,
                    &format!(
                        "loop ({x}: {ty} = {flat}) for {i}: i64 < 2 {{\n{text}in ({result}) }}"
                    ),
                )
            }
            1 => {
                let ([x, y, z, i, v], ty) = (self.names.several(), format!("[{width}]{prim}"));
                self.let_(
                    &ty,
                    &format!(
                        "loop ({x}: {ty} = {flat}) for {i}: i64 < {width} {{\nlet ({v}: {prim}) = index {x}[{i}]\nlet ({z}: {prim}) = add {v} u\nlet ({y}: {ty}) = update {x}[{i}] = {z} in ({y}) }}"
                    ),
                )
            }
            _ => flat,
        };
        let ty: String = dims.iter().map(|dim| format!("[{dim}]")).collect();
        self.let_(&format!("{ty}{prim}"), &format!("reshape ({}) {flat}", dims.join(", ")))
    }
}
