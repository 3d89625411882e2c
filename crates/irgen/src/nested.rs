//! Programs made of nested parallelism: maps a few deep, with loops, branches, reductions and scans of numbers and of
//! rows, transpositions, histograms, scatters, updates, checks, and sizes that differ, in any combination.
//!
//! Random programs in general rarely have what flattening is about. These are texts, so that a failure can be read at once.

use crate::rng::Rng;
use crate::words::Names;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes the sizes `n`, `m` and `k`, a number, a truth
/// value, and arrays of ranks one to three.
pub fn nested_text(seed: u64) -> String {
    let mut gener = Gen { rng: Rng::new(seed), names: Names::default(), out: String::new() };
    let mut env: Vec<Value> = vec![
        ("xs".to_owned(), vec!["n"]),
        ("xss".to_owned(), vec!["n", "m"]),
        ("ysss".to_owned(), vec!["m", "n", "k"]),
        ("t".to_owned(), Vec::new()),
    ];
    for _ in 0..2 + gener.rng.below(3) {
        gener.statement(&mut env, 0);
    }
    let size = SIZES[gener.rng.below(2)];
    gener.map(&mut env, 0, size);
    gener.map(&mut env, 0, size);
    let results: Vec<Value> = env.split_off(4);
    let types: Vec<String> = results
        .iter()
        .enumerate()
        .map(|(index, (_, shape))| format!("r{index}: {}", ty(shape)))
        .collect();
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    format!(
        "prog arrays\nfun f (n: i64, m: i64, k: i64, t: i64, up: bool, xs: [n]i64, xss: [n][m]i64, ysss: [m][n][k]i64) -> ({}) =\n{}in ({})\n",
        types.join(", "),
        gener.out,
        names.join(", ")
    )
}

/// The sizes of arrays, which are parameters of the function.
const SIZES: [&str; 3] = ["n", "m", "k"];

/// A variable: its name and its sizes, of numbers of type i64.
type Value = (String, Vec<&'static str>);

struct Gen {
    rng: Rng,
    names: Names,
    out: String,
}

fn ty(shape: &[&str]) -> String {
    shape.iter().map(|size| format!("[{size}]")).collect::<String>() + "i64"
}

impl Gen {
    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        if items.is_empty() { None } else { Some(items[self.rng.below(items.len())].clone()) }
    }

    /// Adds a statement with one result.
    fn bind(&mut self, env: &mut Vec<Value>, shape: &[&'static str], exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: {}) = {exp}", ty(shape));
        env.push((name.clone(), shape.to_vec()));
        name
    }

    /// A value of this shape.
    fn value(&mut self, env: &mut Vec<Value>, shape: &[&'static str]) -> String {
        let fitting: Vec<String> =
            env.iter().filter(|(_, other)| other == shape).map(|(name, _)| name.clone()).collect();
        match self.pick(&fitting) {
            Some(name) if self.rng.below(10) > 0 => name,
            _ if shape.is_empty() => self.rng.below(5).to_string(),
            _ => {
                let element = self.value(env, &[]);
                self.bind(env, shape, &format!("replicate ({}) {element}", shape.join(", ")))
            }
        }
    }

    fn shape(&mut self, most: usize) -> Vec<&'static str> {
        let rank = self.rng.below(most + 1);
        (0..rank).map(|_| SIZES[self.rng.below(SIZES.len())]).collect()
    }

    /// An operator: a sum, or the last number that is not zero, which is not commutative.
    fn operator(&mut self) -> String {
        let [a, b, c, d] = self.names.several();
        match self.rng.below(2) {
            0 => format!(
                "\\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
            ),
            _ => format!(
                "\\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: bool) = eq {b} 0 \
                 let ({d}: i64) = if {c} then {{({a})}} else {{({b})}} in ({d}) }} neutral (0)"
            ),
        }
    }

    /// A body with results of these shapes, in braces.
    fn body(&mut self, env: &[Value], shapes: &[Vec<&'static str>], depth: usize) -> String {
        let before = std::mem::take(&mut self.out);
        let mut env = env.to_vec();
        for _ in 0..1 + self.rng.below(4 - depth.min(2)) {
            self.statement(&mut env, depth);
        }
        let results: Vec<String> = shapes.iter().map(|shape| self.value(&mut env, shape)).collect();
        let stms = std::mem::replace(&mut self.out, before);
        format!("{{\n{stms}in ({})\n}}", results.join(", "))
    }

    fn statement(&mut self, env: &mut Vec<Value>, depth: usize) {
        let size = SIZES[self.rng.below(SIZES.len())];
        let other = SIZES[self.rng.below(SIZES.len())];
        match self.rng.below(if depth < 4 { 20 } else { 6 }) {
            0 | 1 => {
                let (a, b) = (self.value(env, &[]), self.value(env, &[]));
                let op = ["add", "mul", "sub", "max", "and"][self.rng.below(5)];
                self.bind(env, &[], &format!("{op} {a} {b}"));
            }
            2 => {
                let matrix = self.value(env, &[size, other]);
                self.bind(env, &[other, size], &format!("rearrange (1, 0) {matrix}"));
            }
            3 => {
                let shape = self.shape(2);
                let source = self.value(env, &[&[size], &shape[..]].concat());
                let c = self.names.fresh();
                let _ = writeln!(self.out, "let ({c}: bool) = lt 0 {size}");
                let [row, fill] = self.names.several();
                let fill = match shape.is_empty() {
                    true => "{(7)}".to_owned(),
                    false => format!(
                        "{{ let ({fill}: {}) = replicate ({}) 7 in ({fill}) }}",
                        ty(&shape),
                        shape.join(", ")
                    ),
                };
                let exp = format!(
                    "if {c} then {{ let ({row}: {}) = index {source}[0] in ({row}) }} else {fill}",
                    ty(&shape)
                );
                self.bind(env, &shape, &exp);
            }
            4 => {
                let (s, few, is) = (self.value(env, &[]), self.names.fresh(), self.names.fresh());
                let _ = writeln!(self.out, "let ({few}: i64) = and {s} 3");
                let _ = writeln!(self.out, "let ({is}: [{few}]i64) = iota i64 {few} 1 2");
                let (x, op) = (self.names.fresh(), self.operator());
                let exp =
                    format!("screma {few} ({is}) map \\({x}: i64) -> (i64) {{({x})}} red {op}");
                self.bind(env, &[], &exp);
            }
            5 => {
                let (s, c) = (self.value(env, &[]), self.names.fresh());
                let _ = writeln!(self.out, "let ({c}: bool) = lt {s} 4000");
                let cert = self.names.fresh();
                let _ = writeln!(self.out, "let ({cert}: unit) = assert {c} \"large: \" ${s}");
            }
            6..=9 => self.map(env, depth, size),
            10 | 11 => {
                let scan = self.rng.below(2) == 0;
                let (source, x, op) =
                    (self.value(env, &[size]), self.names.fresh(), self.operator());
                let word = if scan { "scan" } else { "red" };
                let exp = format!(
                    "screma {size} ({source}) map \\({x}: i64) -> (i64) {{({x})}} {word} {op}"
                );
                let shape = if scan { vec![size] } else { Vec::new() };
                self.bind(env, &shape, &exp);
            }
            12 | 13 => {
                let shape = self.shape(2);
                let init = self.value(env, &shape);
                let [state, i, times] = self.names.several();
                let bound = match self.rng.below(4) {
                    0 => self.value(env, &[]),
                    _ => "t".to_owned(),
                };
                let _ = writeln!(self.out, "let ({times}: i64) = and {bound} 3");
                let mut inner = env.clone();
                inner.push((state.clone(), shape.clone()));
                inner.push((i.clone(), Vec::new()));
                let body = self.body(&inner, std::slice::from_ref(&shape), depth + 1);
                let exp = format!(
                    "loop ({state}: {} = {init}) for {i}: i64 < {times} {body}",
                    ty(&shape)
                );
                self.bind(env, &shape, &exp);
            }
            14 => {
                let shape = self.shape(2);
                let cond = match self.rng.below(3) {
                    0 => {
                        let (s, c) = (self.value(env, &[]), self.names.fresh());
                        let _ = writeln!(self.out, "let ({c}: bool) = lt {s} 3");
                        c
                    }
                    _ => "up".to_owned(),
                };
                let yes = self.body(env, std::slice::from_ref(&shape), depth + 1);
                let no = self.body(env, std::slice::from_ref(&shape), depth + 1);
                self.bind(env, &shape, &format!("if {cond} then {yes} else {no}"));
            }
            15 => self.row_fold(env, size, other),
            16 => {
                let (source, value) = (self.value(env, &[size]), self.value(env, &[]));
                let [own, new, c] = self.names.several();
                let _ = writeln!(self.out, "let ({own}: [{size}]i64) = copy {source}");
                let _ = writeln!(self.out, "let ({c}: bool) = lt 0 {size}");
                let exp = format!(
                    "if {c} then {{ let ({new}: [{size}]i64) = update {own}[0] = {value} in ({new}) }} else {{({own})}}"
                );
                self.bind(env, &[size], &exp);
            }
            17 => {
                let (is, values) = (self.value(env, &[size]), self.value(env, &[size]));
                let [dest, i, v] = self.names.several();
                let [a, b, c] = self.names.several();
                let _ = writeln!(self.out, "let ({dest}: [{other}]i64) = replicate ({other}) 0");
                let exp = format!(
                    "hist {size} ({is}, {values}) map \\({i}: i64, {v}: i64) -> (i64, i64) {{({i}, {v})}} \
                     dest [{other}] race 1 ({dest}) \\({a}: i64, {b}: i64) -> (i64) {{ \
                     let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
                );
                self.bind(env, &[other], &exp);
            }
            18 => {
                let (is, source) = (self.value(env, &[size]), self.value(env, &[other]));
                let [own, i] = self.names.several();
                let _ = writeln!(self.out, "let ({own}: [{other}]i64) = copy {source}");
                let exp = format!(
                    "scatter {size} ({is}) map \\({i}: i64) -> (i64, i64) {{({i}, 9)}} dest [{other}] {own}"
                );
                self.bind(env, &[other], &exp);
            }
            _ => {
                self.bind(env, &[size], &format!("iota i64 {size} 0 1"));
            }
        }
    }

    fn map(&mut self, env: &mut Vec<Value>, depth: usize, size: &'static str) {
        let (mut inputs, mut params, mut inner) = (Vec::new(), Vec::new(), env.clone());
        for _ in 0..1 + self.rng.below(2) {
            let shape = self.shape(2);
            inputs.push(self.value(env, &[&[size], &shape[..]].concat()));
            let param = self.names.fresh();
            params.push(format!("{param}: {}", ty(&shape)));
            inner.push((param, shape));
        }
        let shapes: Vec<Vec<&str>> = (0..1 + self.rng.below(2)).map(|_| self.shape(1)).collect();
        let body = self.body(&inner, &shapes, depth + 1);
        let ret: Vec<String> = shapes.iter().map(|shape| ty(shape)).collect();
        let mut pat = Vec::new();
        // Sometimes the last number is reduced as well, which must then be the first result.
        let fold = shapes[0].is_empty() && self.rng.below(3) == 0;
        for (index, shape) in shapes.iter().enumerate() {
            let name = self.names.fresh();
            let whole = match fold && index == 0 {
                true => Vec::new(),
                false => [&[size], &shape[..]].concat(),
            };
            pat.push(format!("{name}: {}", ty(&whole)));
            env.push((name, whole));
        }
        let op = if fold { format!(" red {}", self.operator()) } else { String::new() };
        let _ = writeln!(
            self.out,
            "let ({}) = screma {size} ({}) map \\({}) -> ({}) {body}{op}",
            pat.join(", "),
            inputs.join(", "),
            params.join(", "),
            ret.join(", ")
        );
    }

    /// A reduction or scan of rows.
    fn row_fold(&mut self, env: &mut Vec<Value>, size: &'static str, other: &'static str) {
        let scan = self.rng.below(2) == 0;
        let source = self.value(env, &[size, other]);
        let neutral = self.names.fresh();
        let _ = writeln!(self.out, "let ({neutral}: [{other}]i64) = replicate ({other}) 0");
        let [row, a, b, c] = self.names.several();
        let [x, y, z] = self.names.several();
        let word = if scan { "scan" } else { "red" };
        let exp = format!(
            "screma {size} ({source}) map \\({row}: [{other}]i64) -> ([{other}]i64) {{({row})}} {word} \
             \\({a}: [{other}]i64, {b}: [{other}]i64) -> ([{other}]i64) {{ \
             let ({c}: [{other}]i64) = screma {other} ({a}, {b}) map \\({x}: i64, {y}: i64) -> (i64) {{ \
             let ({z}: i64) = add {x} {y} in ({z}) }} in ({c}) }} neutral ({neutral})"
        );
        let shape: &[&'static str] = if scan { &[size, other] } else { &[other] };
        self.bind(env, shape, &exp);
    }
}
