//! Programs, as text, in which arrays are made to be stored in parts of a matrix: rows, columns, blocks, diagonals, parts of
//! concatenations. Some can be made right there; for others something is in the way: the part is read in the meantime,
//! by other positions, or the array is used afterwards. Whoever decides where arrays are has to tell them apart.

use crate::rng::Rng;
use std::fmt::Write as _;

/// A program from a seed; its function is `main`.
pub fn place_text(seed: u64) -> String {
    let mut it = Places { rng: Rng::new(seed), out: String::new(), next: 0, depth: 1 };
    let flat = it.rng.chance(20);
    it.out.push_str("prog arrays\nfun main (n: i64, m: i64, *x: ");
    it.out.push_str(if flat { "[36]i32" } else { "[n][m]i32" });
    it.out.push_str(", b: [n][m]i32) -> (r: ");
    it.out.push_str(if flat { "[36]i32" } else { "[n][m]i32" });
    it.out.push_str(", s: i32) =\n");
    let (x, s) = if flat { it.diagonals() } else { it.matrix() };
    let _ = writeln!(it.out, "  in ({x}, {s})");
    it.out
}

struct Places {
    rng: Rng,
    out: String,
    next: usize,
    depth: usize,
}

/// A part of the matrix: the text of its index, and its shape.
#[derive(Clone)]
struct Region {
    index: String,
    shape: Vec<&'static str>,
}

impl Places {
    fn name(&mut self, hint: &str) -> String {
        self.next += 1;
        format!("{hint}{}", self.next)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(self.depth));
    }

    fn let_(&mut self, hint: &str, ty: &str, exp: &str) -> String {
        let name = self.name(hint);
        self.line(&format!("let ({name}: {ty}) = {exp}"));
        name
    }

    /// Updates of a matrix, in a loop over its rows or columns or outside of it.
    fn matrix(&mut self) -> (String, String) {
        self.line("let (h: i64) = div n 2");
        self.line("let (g: i64) = sub n h");
        self.line("let (w: i64) = div m 2");
        self.line("let (v: i64) = sub m w");
        let mut x = "x".to_owned();
        let mut s = "0i32".to_owned();
        for _ in 0..1 + self.rng.below(2) {
            let (bound, index) = [("", ""), ("n", "i"), ("m", "j")][self.rng.below(3)];
            if index.is_empty() {
                (x, s) = self.steps(x, s, "");
                continue;
            }
            let (inner, sum, out, total) =
                (self.name("x"), self.name("s"), self.name("x"), self.name("s"));
            self.line(&format!("let ({out}: [n][m]i32, {total}: i32) ="));
            let at = format!("{index}{}", self.next);
            self.line(&format!(
                "  loop ({inner}: [n][m]i32 = {x}, {sum}: i32 = {s}) for {at}: i64 < {bound} {{"
            ));
            self.depth += 2;
            let (y, t) = self.steps(inner, sum, &at);
            self.line(&format!("in ({y}, {t})"));
            self.depth -= 2;
            self.line("  }");
            (x, s) = (out, total);
        }
        if self.rng.chance(30) {
            x = self.halves(&x);
        }
        (x, s)
    }

    /// A part that exists here; `at` is the index of a row or column.
    fn region(&mut self, at: &str) -> Region {
        let is = |index: String, shape: &[&'static str]| Region { index, shape: shape.to_vec() };
        if at.starts_with('i') && self.rng.chance(70) {
            return match self.rng.below(3) {
                0 => is(at.to_owned(), &["m"]),
                1 => is(format!("{at}, 0:w:1"), &["w"]),
                _ => is(format!("{at}, w:v:1"), &["v"]),
            };
        }
        if at.starts_with('j') && self.rng.chance(70) {
            return match self.rng.below(3) {
                0 => is(format!("0:n:1, {at}"), &["n"]),
                1 => is(format!("0:h:1, {at}"), &["h"]),
                _ => is(format!("h:g:1, {at}"), &["g"]),
            };
        }
        match self.rng.below(7) {
            0 => is("0:h:1".into(), &["h", "m"]),
            1 => is("h:g:1".into(), &["g", "m"]),
            2 => is("0:n:1, 0:w:1".into(), &["n", "w"]),
            3 => is("0:n:1, w:v:1".into(), &["n", "v"]),
            4 => is("0:h:1, w:v:1".into(), &["h", "v"]),
            5 => is("h:g:1, 0:w:1".into(), &["g", "w"]),
            _ => is("0:n:1, 0:m:1".into(), &["n", "m"]),
        }
    }

    /// Arrays are made, something is read, and they are stored.
    fn steps(&mut self, mut x: String, mut s: String, at: &str) -> (String, String) {
        for _ in 0..1 + self.rng.below(2) {
            let mut made: Vec<(Region, String)> = Vec::new();
            for _ in 0..1 + self.rng.below(2) {
                let region = self.region(at);
                let value = self.source(&x, &region, at);
                made.push((region, value));
                if self.rng.chance(30) {
                    let other = self.region(at);
                    let view = self.view(&x, &other);
                    s = self.sum(&view, &other, &s);
                }
            }
            if self.rng.chance(20) {
                made.reverse();
            }
            let mut last = None;
            for (region, value) in made {
                let index = &region.index;
                x = self.let_("x", "[n][m]i32", &format!("update {x}[{index}] = {value}"));
                last = Some((region, value));
            }
            if let Some((region, value)) = last.filter(|_| self.rng.chance(15)) {
                s = self.sum(&value, &region, &s);
            }
        }
        (x, s)
    }

    fn ty(shape: &[&str]) -> String {
        let sizes: String = shape.iter().map(|size| format!("[{size}]")).collect();
        format!("{sizes}i32")
    }

    fn view(&mut self, array: &str, region: &Region) -> String {
        let ty = Places::ty(&region.shape);
        self.let_("u", &ty, &format!("index {array}[{}]", region.index))
    }

    /// The sum of the elements of an array and a number.
    fn sum(&mut self, array: &str, region: &Region, before: &str) -> String {
        let (mut array, mut width) = (array.to_owned(), region.shape[0].to_owned());
        if let [rows, columns] = region.shape[..] {
            let total = self.let_("t", "i64", &format!("mul {rows} {columns}"));
            array = self.let_("f", &format!("[{total}]i32"), &format!("reshape ({total}) {array}"));
            width = total;
        }
        let (e, a, c, d) = (self.name("e"), self.name("a"), self.name("c"), self.name("d"));
        let sum = self.let_(
            "s",
            "i32",
            &format!(
                "screma {width} ({array}) map \\({e}: i32) -> (i32) {{({e})}} red comm \\({a}: i32, {c}: i32) -> (i32) {{ let \
                 ({d}: i32) = add {a} {c} in ({d}) }} neutral (0i32)"
            ),
        );
        self.let_("s", "i32", &format!("add {sum} {before}"))
    }

    /// A new array of the shape of a part.
    fn source(&mut self, x: &str, region: &Region, at: &str) -> String {
        let shape = region.shape.clone();
        let ty = Places::ty(&shape);
        // What is read: the part itself, the same part of another matrix, or another part.
        let from = match self.rng.below(4) {
            0 => self.view("b", region),
            1 => {
                let same = (0..6).map(|_| self.region(at)).find(|other| other.shape == shape);
                self.view(x, &same.unwrap_or_else(|| region.clone()))
            }
            _ => self.view(x, region),
        };
        match self.rng.below(8) {
            0 => self.let_("v", &ty, &format!("copy {from}")),
            1 => self.let_("v", &ty, &format!("replicate ({}) 7i32", shape.join(", "))),
            2 if shape.len() == 2 => {
                let (rows, columns) = (shape[0], shape[1]);
                let turned = Places::ty(&[columns, rows]);
                let t = self.let_("t", &turned, &format!("rearrange (1, 0) {from}"));
                let made = self.map(&t, &[columns, rows], x, at);
                self.let_("v", &ty, &format!("rearrange (1, 0) {made}"))
            }
            3 => {
                let c = self.let_("c", "bool", "lt n m");
                let name = self.name("v");
                self.line(&format!("let ({name}: {ty}) ="));
                self.line(&format!("  if {c}"));
                for (word, copies) in [("then", false), ("else", true)] {
                    self.line(&format!("  {word} {{"));
                    self.depth += 2;
                    let value = if copies {
                        self.let_("v", &ty, &format!("copy {from}"))
                    } else {
                        self.map(&from, &shape, x, at)
                    };
                    self.line(&format!("in ({value})"));
                    self.depth -= 2;
                    self.line("  }");
                }
                name
            }
            4 if shape.len() == 1 => {
                let width = shape[0];
                let (e, a, c, d) = (self.name("e"), self.name("a"), self.name("c"), self.name("d"));
                self.let_(
                    "v",
                    &ty,
                    &format!(
                        "screma {width} ({from}) map \\({e}: i32) -> (i32) {{({e})}} scan \\({a}: i32, {c}: i32) -> (i32) {{ let \
                         ({d}: i32) = add {a} {c} in ({d}) }} neutral (0i32)"
                    ),
                )
            }
            5 => {
                // Two maps, the second one of the first.
                let first = self.map(&from, &shape, x, at);
                self.map(&first, &shape, x, at)
            }
            _ => self.map(&from, &shape, x, at),
        }
    }

    /// A map over the elements of an array, which may also read the matrix.
    fn map(&mut self, from: &str, shape: &[&str], x: &str, at: &str) -> String {
        let ty = Places::ty(shape);
        let row = self.name("e");
        let name = self.name("v");
        self.line(&format!("let ({name}: {ty}) ="));
        self.line(&format!("  screma {} ({from})", shape[0]));
        let inner = Places::ty(&shape[1..]);
        self.line(&format!("    map \\({row}: {inner}) -> ({inner}) {{"));
        self.depth += 3;
        let value = if shape.len() > 1 {
            self.map(&row, &shape[1..], x, at)
        } else {
            let mut value = self.let_("e", "i32", &format!("mul {row} 3i32"));
            if self.rng.chance(25) && (at.starts_with('i') || at.starts_with('j')) {
                // There are rows and columns, so there is a first one, unless the other dimension is empty.
                let index =
                    if at.starts_with('i') { format!("{at}, l") } else { format!("l, {at}") };
                let other = if at.starts_with('i') { "m" } else { "n" };
                let some = self.let_("c", "bool", &format!("lt 0 {other}"));
                let (read, l) = (self.name("e"), self.name("l"));
                let last =
                    if self.rng.chance(50) { format!("add {other} -1") } else { "add 0 0".into() };
                let index = index.replace('l', &l);
                self.line(&format!("let ({read}: i32) = if {some}"));
                let e = self.name("e");
                self.line(&format!(
                    "  then {{ let ({l}: i64) = {last} let ({e}: i32) = index {x}[{index}] in ({e}) }}"
                ));
                self.line("  else {(1i32)}");
                value = self.let_("e", "i32", &format!("add {value} {read}"));
            }
            value
        };
        self.line(&format!("in ({value})"));
        self.depth -= 3;
        self.line("    }");
        name
    }

    /// A matrix of two halves, each made of the other one's rows or its own.
    fn halves(&mut self, x: &str) -> String {
        let upper = Region { index: "0:h:1".into(), shape: vec!["h", "m"] };
        let lower = Region { index: "h:g:1".into(), shape: vec!["g", "m"] };
        let first = self.source(x, &upper, "");
        let second = self.source(x, &lower, "");
        self.let_("x", "[n][m]i32", &format!("concat n ({first}, {second})"))
    }

    /// Diagonals of a matrix of 6 by 6, which is flat.
    fn diagonals(&mut self) -> (String, String) {
        let (mut x, s) = ("x".to_owned(), "0i32".to_owned());
        for _ in 0..1 + self.rng.below(3) {
            let (offset, stride) = [(5, 5), (0, 7), (1, 6), (6, 1), (0, 6)][self.rng.below(5)];
            let (other, step) =
                [(5, 5), (0, 7), (2, 6), (12, 1), (offset, stride)][self.rng.below(5)];
            let u = self.let_("u", "[6]i32", &format!("flat_index {x}[{other}; 6:{step}]"));
            let v = self.map(&u, &["6"], &x, "");
            if self.rng.chance(30) {
                self.let_("c", "i32", &format!("index {x}[{}]", self.next % 36));
            }
            x = self.let_("x", "[36]i32", &format!("flat_update {x}[{offset}; 6:{stride}] = {v}"));
        }
        (x, s)
    }
}
