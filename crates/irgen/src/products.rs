//! Nests with products of matrices of which something smaller is needed, one or two in the same function: sums of what
//! the products make, columns that read what the first one makes, several matrices; and what is the same for all
//! positions, made in the function or outside of it.
//!
//! Tiles are worth having only from some sizes on, so most programs have sizes that are known.

use crate::rng::Rng;
use crate::words::{Names, constant, fold};
use std::fmt::Write as _;

/// The text of a program from a seed. Its only function is `f`.
pub fn product_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u32"][rng.below(3)];
    let mut size = |known: [&'static str; 2], name| {
        let number = rng.below(2);
        if rng.chance(75) { known[number] } else { name }
    };
    let (rows, columns, steps) =
        (size(["48", "50"], "n"), size(["49", "52"], "p"), size(["32", "36"], "m"));
    let gener = Gen { rng, prim, rows, columns, steps, names: Names::default() };
    gener.program()
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    /// How many positions the outer map has, how many columns a product has, and over how many elements it sums.
    rows: &'static str,
    columns: &'static str,
    steps: &'static str,
    names: Names,
}

/// What a function yields: a name and a shape.
struct Made(String, String);

impl Gen {
    fn program(mut self) -> String {
        let (prim, n, p, m) = (self.prim, self.rows, self.columns, self.steps);
        let mut outside = String::new();
        let mut body = String::new();
        let mut made: Vec<Made> = Vec::new();
        for _ in 0..1 + self.rng.below(2) {
            // Who is the same for all positions is made before them or by each.
            let lifted = if self.rng.chance(70) { &mut body } else { &mut outside };
            let (matrix, numbers) = self.same_for_all(lifted);
            let elements = made.iter().find(|Made(_, shape)| *shape == format!("[{p}]"));
            let elements = elements.map(|Made(name, _)| name.clone());
            let numbers = elements.filter(|_| self.rng.chance(60)).unwrap_or(numbers);
            match self.rng.below(4) {
                0 | 1 => self.sums(&mut body, &matrix, &numbers, &mut made),
                2 => self.columns(&mut body, &matrix, &numbers, &mut made),
                _ => self.several(&mut body, &numbers, &mut made),
            }
        }
        let types = |made: &[Made], width: &str| {
            let types = made.iter().map(|Made(_, shape)| format!("{width}{shape}{prim}"));
            types.collect::<Vec<_>>()
        };
        let names: Vec<&str> = made.iter().map(|Made(name, _)| name.as_str()).collect();
        let inner = types(&made, "").join(", ");
        let outer = types(&made, &format!("[{n}]"));
        let arrays: Vec<String> = outer.iter().map(|_| self.names.fresh()).collect();
        let bound: Vec<String> =
            arrays.iter().zip(&outer).map(|(name, ty)| format!("{name}: {ty}")).collect();
        let whole = format!(
            "{outside}let ({}) = screma {n} (a, o) map \\(x: [{m}]{prim}, t: {prim}) -> ({inner}) {{\n{body}in ({}) }}\n",
            bound.join(", "),
            names.join(", ")
        );
        let mut after = String::new();
        let mut results: Vec<(String, String)> = arrays.into_iter().zip(outer).collect();
        for (name, ty) in &mut results {
            // Of numbers perhaps the sum is needed, and they are not.
            if *ty == format!("[{n}]{prim}") && self.rng.chance(30) {
                let sum = self.names.fresh();
                let folded = self.folded(n, name);
                let _ = writeln!(after, "let ({sum}: {prim}) = {folded}");
                (*name, *ty) = (sum, prim.to_owned());
            }
        }
        let ret: Vec<String> =
            results.iter().enumerate().map(|(at, (_, ty))| format!("r{at}: {ty}")).collect();
        let values: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
        let sizes = [n, p, m].into_iter().filter(|size| size.parse::<i64>().is_err());
        let sizes: String = sizes.map(|size| format!("{size}: i64, ")).collect();
        format!(
            "prog arrays\nfun f ({sizes}a: [{n}][{m}]{prim}, o: [{n}]{prim}, b: [{p}][{m}]{prim}, bs: [2][{p}][{m}]{prim}, c: [{p}]{prim}) -> ({}) =\n\
             {whole}{after}in ({})\n",
            ret.join(", "),
            values.join(", ")
        )
    }

    fn let_(&mut self, out: &mut String, shape: &str, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(out, "let ({name}: {shape}{}) = {exp}", self.prim);
        name
    }

    /// A matrix and a number for each of its rows, which do not depend on the position.
    fn same_for_all(&mut self, out: &mut String) -> (String, String) {
        let (p, m) = (self.columns, self.steps);
        let matrix = match self.rng.below(4) {
            0 => self.let_(out, &format!("[{p}][{m}]"), "copy b"),
            1 => self.let_(out, &format!("[{p}][{m}]"), "index bs[1]"),
            _ => "b".to_owned(),
        };
        let numbers = match self.rng.below(3) {
            0 => {
                let map = self.map_of(p, "c");
                self.let_(out, &format!("[{p}]"), &map)
            }
            1 => self.let_(out, &format!("[{p}]"), &format!("index bs[0, 0:{p}:1, 3]")),
            _ => "c".to_owned(),
        };
        // The fourth element is there if the number of steps is known.
        let is_known = m.parse::<i64>().is_ok();
        (matrix, if is_known { numbers } else { "c".to_owned() })
    }

    fn map_of(&mut self, width: &str, array: &str) -> String {
        let [x, y] = self.names.several();
        let (prim, few) = (self.prim, constant(self.prim, 3));
        format!(
            "screma {width} ({array}) map \\({x}: {prim}) -> ({prim}) {{ let ({y}: {prim}) = mul {x} {few} in ({y}) }}"
        )
    }

    fn folded(&mut self, width: &str, array: &str) -> String {
        let op = fold(&mut self.rng, &mut self.names, self.prim, "red");
        let (x, prim) = (self.names.fresh(), self.prim);
        format!("screma {width} ({array}) map \\({x}: {prim}) -> ({prim}) {{({x})}} {op}")
    }

    /// The sum of the products of two rows.
    fn dot(&mut self, out: &mut String, width: &str, rows: [&str; 2], with: &str) -> String {
        let prim = self.prim;
        let [p, q, z, w, u, v, s] = [(); 7].map(|()| self.names.fresh());
        let first = ["sub", "add", "xor"][self.rng.below(3)];
        let zero = constant(prim, 0);
        let exp = format!(
            "screma {width} ({}) map \\({p}: {prim}, {q}: {prim}) -> ({prim}) {{ let ({z}: {prim}) = {first} {q} {with} \
             let ({w}: {prim}) = mul {p} {z} in ({w}) }} red comm \\({u}: {prim}, {v}: {prim}) -> ({prim}) {{ \
             let ({s}: {prim}) = add {u} {v} in ({s}) }} neutral ({zero})",
            rows.join(", ")
        );
        self.let_(out, "", &exp)
    }

    /// A product of the position's row with all rows of a matrix, as an array or folded, or both.
    fn sums(&mut self, out: &mut String, matrix: &str, numbers: &str, made: &mut Vec<Made>) {
        let (prim, p, m) = (self.prim, self.columns, self.steps);
        let [y, c] = self.names.several();
        let mut inner = String::new();
        let with = if self.rng.chance(50) { c.clone() } else { "t".to_owned() };
        let d = self.dot(&mut inner, m, ["x", &y], &with);
        let op = ["mul", "xor"][self.rng.below(2)];
        let q = self.let_(&mut inner, "", &format!("{op} {d} {c}"));
        let function =
            format!("\\({y}: [{m}]{prim}, {c}: {prim}) -> ({prim}) {{\n{inner}in ({q}) }}");
        if self.rng.chance(50) {
            let op = fold(&mut self.rng, &mut self.names, prim, "red");
            let exp = format!("screma {p} ({matrix}, {numbers}) map {function} {op}");
            let sum = self.let_(out, "", &exp);
            made.push(Made(sum, String::new()));
            return;
        }
        let exp = format!("screma {p} ({matrix}, {numbers}) map {function}");
        let all = self.let_(out, &format!("[{p}]"), &exp);
        if self.rng.chance(50) {
            let folded = self.folded(p, &all);
            let sum = self.let_(out, "", &folded);
            made.push(Made(sum, String::new()));
        }
        made.push(Made(all, format!("[{p}]")));
    }

    /// A product with the columns of a matrix.
    fn columns(&mut self, out: &mut String, matrix: &str, numbers: &str, made: &mut Vec<Made>) {
        let (prim, p, m) = (self.prim, self.columns, self.steps);
        let turned = self.let_(out, &format!("[{m}][{p}]"), &format!("rearrange (1, 0) {matrix}"));
        let column = self.names.fresh();
        let mut inner = String::new();
        let d = self.dot(&mut inner, p, [numbers, &column], "t");
        let exp = format!(
            "screma {m} ({turned}) map \\({column}: [{p}]{prim}) -> ({prim}) {{\n{inner}in ({d}) }}"
        );
        let all = self.let_(out, &format!("[{m}]"), &exp);
        made.push(Made(all, format!("[{m}]")));
    }

    /// For each of two matrices the sum of a product, and then one number of both.
    fn several(&mut self, out: &mut String, numbers: &str, made: &mut Vec<Made>) {
        let (prim, p, m) = (self.prim, self.columns, self.steps);
        let [matrix, row] = self.names.several();
        let (mut inner, mut innermost) = (String::new(), String::new());
        let d = self.dot(&mut innermost, m, ["x", &row], "t");
        let c = self.names.fresh();
        let e = self.let_(&mut innermost, "", &format!("add {d} {c}"));
        let op = fold(&mut self.rng, &mut self.names, prim, "red");
        let exp = format!(
            "screma {p} ({matrix}, {numbers}) map \\({row}: [{m}]{prim}, {c}: {prim}) -> ({prim}) {{\n{innermost}in ({e}) }} {op}"
        );
        let sum = self.let_(&mut inner, "", &exp);
        let function =
            format!("\\({matrix}: [{p}][{m}]{prim}) -> ({prim}) {{\n{inner}in ({sum}) }}");
        let (shape, op) = match self.rng.below(2) {
            0 => ("[2]", String::new()),
            _ => ("", fold(&mut self.rng, &mut self.names, prim, "red")),
        };
        let all = self.let_(out, shape, &format!("screma 2 (bs) map {function} {op}"));
        made.push(Made(all, shape.to_owned()));
    }
}
