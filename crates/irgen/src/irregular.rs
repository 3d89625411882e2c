//! Programs made of irregular nests: maps whose functions have operators of other widths at each position, branches and loops
//! that differ, filters, concatenations, scatters and histograms, a few deep.
//!
//! These are texts, so that a failure can be read at once. Nothing in them can fail, and all numbers are of type i64.

use crate::rng::Rng;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes numbers `ns`, from which widths are made, and an array `xs`.
pub fn irregular_text(seed: u64) -> String {
    let mut gener = Gen { rng: Rng::new(seed), count: 0, out: String::new() };
    let mut types = Vec::new();
    let mut names = Vec::new();
    for index in 0..1 + gener.rng.below(2) {
        let folded = gener.rng.chance(25);
        let name = gener.outer(folded);
        types.push(format!("r{index}: {}", if folded { "i64" } else { "[n]i64" }));
        names.push(name);
    }
    format!(
        "prog arrays\nfun f (n: i64, m: i64, t: i64, ns: [n]i64, xs: [m]i64) -> ({}) =\n{}in ({})\n",
        types.join(", "),
        gener.out,
        names.join(", ")
    )
}

/// What is in scope: numbers, and arrays with their sizes.
#[derive(Clone, Default)]
struct Env {
    numbers: Vec<String>,
    arrays: Vec<(String, String)>,
}

struct Gen {
    rng: Rng,
    count: usize,
    out: String,
}

impl Gen {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn number(&mut self, env: &Env) -> String {
        match env.numbers.get(self.rng.below(env.numbers.len() + 1)) {
            Some(name) => name.clone(),
            None => self.rng.range(-3, 4).to_string(),
        }
    }

    fn let_number(&mut self, env: &mut Env, exp: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.out, "let ({name}: i64) = {exp}");
        env.numbers.push(name.clone());
        name
    }

    fn let_array(&mut self, env: &mut Env, size: &str, exp: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.out, "let ({name}: [{size}]i64) = {exp}");
        env.arrays.push((name.clone(), size.to_owned()));
        name
    }

    /// A size that differs, and is small and not negative.
    fn size(&mut self, env: &mut Env) -> String {
        let (number, most) = (self.number(env), self.rng.range(2, 5));
        self.let_number(env, &format!("mod {number} {most}"))
    }

    fn array(&mut self, env: &mut Env) -> (String, String) {
        if !env.arrays.is_empty() && self.rng.chance(75) {
            return env.arrays[self.rng.below(env.arrays.len())].clone();
        }
        let size = self.size(env);
        let (start, step) = (self.number(env), self.rng.range(-2, 3));
        let exp = match self.rng.chance(60) {
            true => format!("iota i64 {size} {start} {step}"),
            false => format!("replicate ({size}) {start}"),
        };
        (self.let_array(env, &size, &exp), size)
    }

    /// An associative operator and its neutral element, as text.
    fn operator(&mut self) -> (String, i64) {
        let (op, neutral) = [("add", 0), ("max", 0), ("mul", 1), ("xor", 0)][self.rng.below(4)];
        let (a, b, c) = (self.name(), self.name(), self.name());
        (
            format!("\\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = {op} {a} {b} in ({c}) }}"),
            neutral,
        )
    }

    /// The outermost map, perhaps with a reduction.
    fn outer(&mut self, folded: bool) -> String {
        let (a, name) = (self.name(), self.name());
        let fold = match folded {
            true => {
                let (op, neutral) = self.operator();
                format!(" red {op} neutral ({neutral})")
            }
            false => String::new(),
        };
        let ty = if folded { "i64" } else { "[n]i64" };
        let _ =
            writeln!(self.out, "let ({name}: {ty}) = screma n (ns) map \\({a}: i64) -> (i64) {{");
        let mut env = Env { numbers: vec![a, "t".into()], arrays: vec![("xs".into(), "m".into())] };
        let result = self.body(&mut env, 3);
        let _ = writeln!(self.out, "in ({result}) }}{fold}");
        name
    }

    /// Statements, and a number that depends on the last ones.
    fn body(&mut self, env: &mut Env, depth: usize) -> String {
        for _ in 0..1 + self.rng.below(3) {
            self.statement(env, depth);
        }
        let last = env.arrays.last().cloned().filter(|_| self.rng.chance(70));
        let sum = match last {
            Some((array, size)) => {
                let x = self.name();
                let (op, neutral) = self.operator();
                let exp = format!(
                    "screma {size} ({array}) map \\({x}: i64) -> (i64) {{({x})}} red {op} neutral ({neutral})"
                );
                self.let_number(env, &exp)
            }
            None => self.number(env),
        };
        let other = self.number(env);
        self.let_number(env, &format!("add {sum} {other}"))
    }

    fn statement(&mut self, env: &mut Env, depth: usize) {
        match self.rng.below(if depth == 0 { 5 } else { 12 }) {
            0 => {
                let (a, b) = (self.number(env), self.number(env));
                let op = ["add", "sub", "mul", "xor", "max"][self.rng.below(5)];
                self.let_number(env, &format!("{op} {a} {b}"));
            }
            1 => drop(self.array(env)),
            2 => {
                // An element, if there is one.
                let (array, size) = self.array(env);
                let (some, last, element) = (self.name(), self.name(), self.name());
                let _ = writeln!(self.out, "let ({some}: bool) = lt 0 {size}");
                let exp = format!(
                    "if {some} then {{ let ({last}: i64) = sub {size} 1 let ({element}: i64) = index {array}[{last}] in ({element}) }} else {{(7)}}"
                );
                self.let_number(env, &exp);
            }
            3 => {
                // The first half, or all backwards.
                let (array, size) = self.array(env);
                let half = self.let_number(env, &format!("quot {size} 2"));
                self.let_array(env, &half, &format!("index {array}[0:{half}:1]"));
            }
            4 => {
                let ((a, p), (b, q)) = (self.array(env), self.array(env));
                let size = self.let_number(env, &format!("add {p} {q}"));
                self.let_array(env, &size, &format!("concat {size} ({a}, {b})"));
            }
            5 | 6 => self.map(env, depth),
            7 => self.scan(env, depth),
            8 => self.filter(env),
            9 => self.branch(env, depth),
            10 => self.repeat(env, depth),
            _ => self.write(env),
        }
    }

    /// The beginning of a function of elements; its environment.
    fn function(&mut self, env: &Env, ret: &str) -> Env {
        let x = self.name();
        let _ = writeln!(self.out, "map \\({x}: i64) -> ({ret}) {{");
        let mut inner = env.clone();
        inner.numbers.push(x);
        inner
    }

    fn map(&mut self, env: &mut Env, depth: usize) {
        let ((array, size), name) = (self.array(env), self.name());
        let reduced = self.rng.chance(40);
        let (op, neutral) = self.operator();
        let ty = if reduced { "i64".to_owned() } else { format!("[{size}]i64") };
        let _ = writeln!(self.out, "let ({name}: {ty}) = screma {size} ({array})");
        let mut inner = self.function(env, "i64");
        let result = self.body(&mut inner, depth - 1);
        let _ = writeln!(self.out, "in ({result}) }}");
        if reduced {
            let _ = writeln!(self.out, "red {op} neutral ({neutral})");
            env.numbers.push(name);
        } else {
            env.arrays.push((name, size));
        }
    }

    fn scan(&mut self, env: &mut Env, depth: usize) {
        let ((array, size), scanned, mapped) = (self.array(env), self.name(), self.name());
        let (op, neutral) = self.operator();
        let _ = writeln!(
            self.out,
            "let ({scanned}: [{size}]i64, {mapped}: [{size}]i64) = screma {size} ({array})"
        );
        let mut inner = self.function(env, "i64, i64");
        let a = self.body(&mut inner, depth.saturating_sub(2));
        let b = self.number(&inner);
        let _ = writeln!(self.out, "in ({a}, {b}) }} scan {op} neutral ({neutral})");
        env.arrays.extend([(scanned, size.clone()), (mapped, size)]);
    }

    fn filter(&mut self, env: &mut Env) {
        let ((array, size), count, all) = (self.array(env), self.name(), self.name());
        let (x, class, number) = (self.name(), self.name(), self.number(env));
        let test = self.name();
        let _ = writeln!(
            self.out,
            "let ({count}: i64, {all}: [{size}]i64) = partition {size} ({array}) 1 \\({x}: i64) -> (i64, i64) {{ let ({test}: i64) = add {x} {number} let ({class}: i64) = mod {test} 2 in ({class}, {x}) }}"
        );
        env.numbers.push(count.clone());
        self.let_array(env, &count, &format!("index {all}[0:{count}:1]"));
    }

    /// A number, or an array of a size that differs between the branches.
    fn branch(&mut self, env: &mut Env, depth: usize) {
        let (number, cond, rest) = (self.number(env), self.name(), self.name());
        let _ = writeln!(self.out, "let ({rest}: i64) = mod {number} 2");
        let _ = writeln!(self.out, "let ({cond}: bool) = eq {rest} 0");
        let arrays = self.rng.chance(40);
        let (size, name) = (self.name(), self.name());
        let pat = if arrays {
            format!("{size}: i64, {name}: [{size}]i64")
        } else {
            format!("{name}: i64")
        };
        let _ = writeln!(self.out, "let ({pat}) = if {cond} then {{");
        for branch in 0..2 {
            let mut inner = env.clone();
            let result = self.body(&mut inner, depth - 1);
            let results = if arrays {
                let (array, own) = self.array(&mut inner);
                format!("{own}, {array}")
            } else {
                result
            };
            let _ = writeln!(self.out, "in ({results}) }}{}", [" else {", ""][branch]);
        }
        if arrays {
            env.numbers.push(size.clone());
            env.arrays.push((name, size));
        } else {
            env.numbers.push(name);
        }
    }

    /// A loop of a number, or of an array whose size stays the same.
    fn repeat(&mut self, env: &mut Env, depth: usize) {
        let bound = self.size(env);
        let (i, name, param) = (self.name(), self.name(), self.name());
        if self.rng.chance(50) {
            let init = self.number(env);
            let _ = writeln!(
                self.out,
                "let ({name}: i64) = loop ({param}: i64 = {init}) for {i}: i64 < {bound} {{"
            );
            let mut inner = env.clone();
            inner.numbers.extend([i, param]);
            let result = self.body(&mut inner, depth - 1);
            let _ = writeln!(self.out, "in ({result}) }}");
            env.numbers.push(name);
            return;
        }
        let (array, size) = self.array(env);
        let _ = writeln!(
            self.out,
            "let ({name}: [{size}]i64) = loop ({param}: [{size}]i64 = {array}) for {i}: i64 < {bound} {{"
        );
        let mut inner = env.clone();
        inner.numbers.push(i);
        let next = self.name();
        let _ = writeln!(self.out, "let ({next}: [{size}]i64) = screma {size} ({param})");
        let mut function = self.function(&inner, "i64");
        let result = self.body(&mut function, depth.saturating_sub(2));
        let _ = writeln!(self.out, "in ({result}) }}\nin ({next}) }}");
        env.arrays.push((name, size));
    }

    /// Writes to an array of its own, or bins in one.
    fn write(&mut self, env: &mut Env) {
        let ((array, size), own) = (self.array(env), self.size(env));
        let (zeros, x, number) = (self.name(), self.name(), self.number(env));
        let (place, name) = (self.name(), self.name());
        let _ = writeln!(self.out, "let ({zeros}: [{own}]i64) = replicate ({own}) 2");
        let function = format!(
            "map \\({x}: i64) -> (i64, i64) {{ let ({place}: i64) = add {x} {number} in ({place}, {place}) }}"
        );
        let exp = match self.rng.chance(50) {
            // Values that differ only where places do.
            true => format!("scatter {size} ({array}) {function} dest [{own}] {zeros}"),
            false => {
                let (a, b, c) = (self.name(), self.name(), self.name());
                format!(
                    "hist {size} ({array}) {function} dest [{own}] race 1 ({zeros}) \\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
                )
            }
        };
        let _ = writeln!(self.out, "let ({name}: [{own}]i64) = {exp}");
        env.arrays.push((name, own));
    }
}
