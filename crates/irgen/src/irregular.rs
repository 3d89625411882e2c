//! Programs made of irregular nests: maps whose functions have operators of other widths at each position, branches and loops
//! that differ, filters, concatenations, scatters and histograms, updates, and arrays of two dimensions, a few deep.
//!
//! These are texts, so that a failure can be read at once. Nothing in them can fail, and all numbers are of type i64.

use crate::rng::Rng;
use crate::words::Names;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes numbers `ns`, from which widths are made, and an array `xs`.
pub fn irregular_text(seed: u64) -> String {
    let mut gener = Gen { rng: Rng::new(seed), names: Names::default(), out: String::new() };
    let mut types = Vec::new();
    let mut names = Vec::new();
    for index in 0..1 + gener.rng.below(2) {
        let (name, ty) = match gener.rng.below(8) {
            0 | 1 => gener.outer_write(),
            2 => gener.outer_count(),
            3 => gener.outer_flatmap(),
            _ => gener.outer(),
        };
        types.push(format!("r{index}: {ty}"));
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
    /// Arrays of two dimensions.
    grids: Vec<(String, [String; 2])>,
}

impl Env {
    /// What the function of the outermost operator knows of a number.
    fn outermost(number: String) -> Env {
        let arrays = vec![("xs".into(), "m".into())];
        Env { numbers: vec![number, "t".into()], arrays, grids: Vec::new() }
    }
}

struct Gen {
    rng: Rng,
    names: Names,
    out: String,
}

impl Gen {
    fn number(&mut self, env: &Env) -> String {
        match env.numbers.get(self.rng.below(env.numbers.len() + 1)) {
            Some(name) => name.clone(),
            None => self.rng.range(-3, 4).to_string(),
        }
    }

    fn let_number(&mut self, env: &mut Env, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: i64) = {exp}");
        env.numbers.push(name.clone());
        name
    }

    fn let_array(&mut self, env: &mut Env, size: &str, exp: &str) -> String {
        let name = self.names.fresh();
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
        let (op, neutral) =
            [("add", 0), ("max", i64::MIN), ("mul", 1), ("xor", 0)][self.rng.below(4)];
        let [a, b, c] = self.names.several();
        (
            format!("\\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = {op} {a} {b} in ({c}) }}"),
            neutral,
        )
    }

    /// The outermost map, perhaps with a reduction; its result.
    fn outer(&mut self) -> (String, &'static str) {
        let [a, name] = self.names.several();
        let folded = self.rng.chance(25);
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
        let result = self.body(&mut Env::outermost(a), 3);
        let _ = writeln!(self.out, "in ({result}) }}{fold}");
        (name, ty)
    }

    /// A flatmap outside of all others; its results, and a number that depends on the order of its pieces, together.
    fn outer_flatmap(&mut self) -> (String, &'static str) {
        let [a, name] = self.names.several();
        let _ = writeln!(
            self.out,
            "let ({name}_t: i64, {name}_sizes: [n]i64, {name}_rest: [n]i64, {name}_flat: [{name}_t]i64) = flatmap n (ns) 1 \\({a}: i64) -> (i64, i64, i64) {{"
        );
        let mut env = Env::outermost(a);
        let result = self.body(&mut env, 3);
        let (array, size) = self.array(&mut env);
        let _ = writeln!(self.out, "in ({size}, {result}, {array}) }}");
        let v: Vec<String> = (0..12).map(|_| self.names.fresh()).collect();
        let _ = writeln!(
            self.out,
            "let ({name}_at: [{name}_t]i64) = iota i64 {name}_t 1 3\n\
             let ({name}_sum: i64) = screma {name}_t ({name}_flat, {name}_at) map \\({}: i64, {}: i64) -> (i64) {{ let ({}: i64) = mul {} {} in ({}) }} red comm \\({}: i64, {}: i64) -> (i64) {{ let ({}: i64) = add {} {} in ({}) }} neutral (0)",
            v[0], v[1], v[2], v[0], v[1], v[2], v[3], v[4], v[5], v[3], v[4], v[5]
        );
        let _ = writeln!(
            self.out,
            "let ({name}: [n]i64) = screma n ({name}_sizes, {name}_rest) map \\({}: i64, {}: i64) -> (i64) {{ let ({}: i64) = mul {} 7 let ({}: i64) = add {} {} let ({}: i64) = add {} {name}_sum in ({}) }}",
            v[6], v[7], v[8], v[6], v[9], v[8], v[7], v[10], v[9], v[10]
        );
        (name, "[n]i64")
    }

    /// A map, or two, around a loop of numbers that counts, but may end before.
    fn outer_count(&mut self) -> (String, &'static str) {
        let [a, b, name, limit] = self.names.several();
        let most = self.rng.range(2, 12);
        let _ = writeln!(self.out, "let ({limit}: i64) = mod t {most}");
        let twice = self.rng.chance(50);
        let (ty, row) = if twice { ("[n][m]i64", "[m]i64") } else { ("[n]i64", "i64") };
        let _ =
            writeln!(self.out, "let ({name}: {ty}) = screma n (ns) map \\({a}: i64) -> ({row}) {{");
        let mut env = Env { numbers: vec![a], ..Env::default() };
        if twice {
            self.statement(&mut env, 0);
            let _ = writeln!(self.out, "let ({name}_row: [m]i64) = screma m (xs)");
            let _ = writeln!(self.out, "map \\({b}: i64) -> (i64) {{");
            env = Env { numbers: [env.numbers, vec![b]].concat(), ..Env::default() };
        }
        let (start, first) = (self.number(&env), self.number(&env));
        let [go, x, k, next, less, other] = self.names.several();
        let _ = writeln!(
            self.out,
            "let ({go}_first: bool) = lt 0 {limit}\nlet ({go}_last: bool, {x}_last: i64, {k}_last: i64) = loop ({go}: bool = {go}_first, {x}: i64 = {start}, {k}: i64 = 0) while {go} {{"
        );
        let mut inner = env.clone();
        inner.numbers.extend([x.clone(), k.clone()]);
        self.statement(&mut inner, 0);
        let number = self.number(&inner);
        let new = self.let_number(&mut inner, &format!("add {x} {number}"));
        let [rest, both] = self.names.several();
        let _ = writeln!(
            self.out,
            "let ({next}: i64) = add {k} 1\nlet ({less}: bool) = lt {next} {limit}\nlet ({rest}: i64) = mod {new} 5\nlet ({other}: bool) = lt 0 {rest}\nlet ({both}: bool) = and {less} {other}\nin ({both}, {new}, {next}) }}"
        );
        let mut result = format!("{x}_last");
        if self.rng.chance(50) {
            env.numbers.extend([format!("{k}_last"), result.clone()]);
            result = self.let_number(&mut env, &format!("xor {result} {first}"));
        }
        let _ = writeln!(self.out, "in ({result}) }}");
        if twice {
            let _ = writeln!(self.out, "in ({name}_row) }}");
        }
        (name, ty)
    }

    /// A scatter, a histogram or a filter outside of all others.
    fn outer_write(&mut self) -> (String, &'static str) {
        let [a, at, name, zeros] = self.names.several();
        let _ = writeln!(self.out, "let ({zeros}: [n]i64) = replicate (n) 1");
        let _ = writeln!(self.out, "let ({name}_at: [n]i64) = iota i64 n 0 1");
        let form = self.rng.below(3);
        let begin = match form {
            0 => format!("let ({name}: [n]i64) = scatter n ({name}_at, ns) map"),
            1 => format!("let ({name}: [n]i64) = hist n ({name}_at, ns) map"),
            _ => format!("let ({name}: i64, {name}_all: [n]i64) = partition n ({name}_at, ns) 1"),
        };
        let _ = writeln!(self.out, "{begin} \\({at}: i64, {a}: i64) -> (i64, i64) {{");
        let result = self.body(&mut Env::outermost(a), 2);
        let rest = self.names.fresh();
        let _ = writeln!(self.out, "let ({rest}: i64) = mod {result} 3");
        match form {
            0 => {
                let _ = writeln!(self.out, "in ({at}, {result}) }} dest [n] {zeros}");
            }
            1 => {
                let (op, neutral) = self.operator();
                let _ = writeln!(
                    self.out,
                    "in ({rest}, {result}) }} dest [n] race 1 ({zeros}) {op} neutral ({neutral})"
                );
            }
            _ => {
                let _ = writeln!(self.out, "in ({rest}, {result}) }}");
                let ((op, neutral), sum, x) =
                    (self.operator(), self.names.fresh(), self.names.fresh());
                let _ = writeln!(
                    self.out,
                    "let ({name}_some: [{name}]i64) = index {name}_all[0:{name}:1]"
                );
                let _ = writeln!(
                    self.out,
                    "let ({sum}: i64) = screma {name} ({name}_some) map \\({x}: i64) -> (i64) {{({x})}} red {op} neutral ({neutral})"
                );
                return (sum, "i64");
            }
        }
        (name, "[n]i64")
    }

    /// Statements, and a number that depends on the last ones.
    fn body(&mut self, env: &mut Env, depth: usize) -> String {
        for _ in 0..1 + self.rng.below(3) {
            self.statement(env, depth);
        }
        let last = env.arrays.last().cloned().filter(|_| self.rng.chance(70));
        let sum = match last {
            Some((array, size)) => {
                let x = self.names.fresh();
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
        match self.rng.below(if depth == 0 { 5 } else { 17 }) {
            0 => {
                let (a, b) = (self.number(env), self.number(env));
                let op = ["add", "sub", "mul", "xor", "max"][self.rng.below(5)];
                self.let_number(env, &format!("{op} {a} {b}"));
            }
            1 => drop(self.array(env)),
            2 => {
                // An element, if there is one.
                let (array, size) = self.array(env);
                let [some, last, element] = self.names.several();
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
            11 => self.write(env, depth),
            12 => self.update(env),
            13 => self.resize(env, depth),
            14 => drop(self.grid(env)),
            15 => self.grid_control(env),
            _ => self.grid_sums(env),
        }
    }

    /// The beginning of a function of elements; its environment.
    fn function(&mut self, env: &Env, ret: &str) -> Env {
        let x = self.names.fresh();
        let _ = writeln!(self.out, "map \\({x}: i64) -> ({ret}) {{");
        let mut inner = env.clone();
        inner.numbers.push(x);
        inner
    }

    fn map(&mut self, env: &mut Env, depth: usize) {
        let ((array, size), name) = (self.array(env), self.names.fresh());
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
        let ((array, size), scanned, mapped) =
            (self.array(env), self.names.fresh(), self.names.fresh());
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
        let ((array, size), count, all) = (self.array(env), self.names.fresh(), self.names.fresh());
        let (x, class, number) = (self.names.fresh(), self.names.fresh(), self.number(env));
        let test = self.names.fresh();
        let _ = writeln!(
            self.out,
            "let ({count}: i64, {all}: [{size}]i64) = partition {size} ({array}) 1 \\({x}: i64) -> (i64, i64) {{ let ({test}: i64) = add {x} {number} let ({class}: i64) = mod {test} 2 in ({class}, {x}) }}"
        );
        env.numbers.push(count.clone());
        self.let_array(env, &count, &format!("index {all}[0:{count}:1]"));
    }

    /// A number, or an array of a size that differs between the branches.
    fn branch(&mut self, env: &mut Env, depth: usize) {
        let (number, cond, rest) = (self.number(env), self.names.fresh(), self.names.fresh());
        let _ = writeln!(self.out, "let ({rest}: i64) = mod {number} 2");
        let _ = writeln!(self.out, "let ({cond}: bool) = eq {rest} 0");
        let arrays = self.rng.chance(40);
        let [size, name] = self.names.several();
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
        let [i, name, param] = self.names.several();
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
        let next = self.names.fresh();
        let _ = writeln!(self.out, "let ({next}: [{size}]i64) = screma {size} ({param})");
        let mut function = self.function(&inner, "i64");
        let result = self.body(&mut function, depth.saturating_sub(2));
        let _ = writeln!(self.out, "in ({result}) }}\nin ({next}) }}");
        env.arrays.push((name, size));
    }

    /// Writes to an array of its own, or bins in one.
    fn write(&mut self, env: &mut Env, depth: usize) {
        let ((array, size), own) = (self.array(env), self.size(env));
        let (zeros, number, place, name) =
            (self.names.fresh(), self.number(env), self.names.fresh(), self.names.fresh());
        let _ = writeln!(self.out, "let ({zeros}: [{own}]i64) = replicate ({own}) 2");
        let scatter = self.rng.chance(50);
        let operator = if scatter { "scatter" } else { "hist" };
        let _ = writeln!(self.out, "let ({name}: [{own}]i64) = {operator} {size} ({array})");
        let mut inner = self.function(env, "i64, i64");
        let number = match self.rng.chance(30) {
            true => self.body(&mut inner, depth.saturating_sub(2)),
            false => number,
        };
        let x = inner.numbers[env.numbers.len()].clone();
        let _ = writeln!(self.out, "let ({place}: i64) = add {x} {number}");
        // Values that differ only where places do.
        let _ = writeln!(self.out, "in ({place}, {place}) }} dest [{own}]");
        if scatter {
            let _ = writeln!(self.out, "{zeros}");
        } else {
            let [a, b, c] = self.names.several();
            let _ = writeln!(
                self.out,
                "race 1 ({zeros}) \\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
            );
        }
        env.arrays.push((name, own));
    }

    /// An array in memory of its own, which may be updated.
    fn own(&mut self, array: &str, size: &str) -> String {
        let [name, x] = self.names.several();
        let exp = match self.rng.chance(50) {
            true => format!("copy {array}"),
            false => format!("screma {size} ({array}) map \\({x}: i64) -> (i64) {{({x})}}"),
        };
        let _ = writeln!(self.out, "let ({name}: [{size}]i64) = {exp}");
        name
    }

    /// An element, if there is one, or half of an array gets new values.
    fn update(&mut self, env: &mut Env) {
        let (array, size) = self.array(env);
        let own = self.own(&array, &size);
        let [name, at, some, new] = self.names.several();
        if self.rng.chance(40) {
            let (half, start) = (self.let_number(env, &format!("quot {size} 2")), self.number(env));
            let _ = writeln!(self.out, "let ({new}: [{half}]i64) = iota i64 {half} {start} 1");
            let dims =
                if self.rng.chance(50) { format!("0:{half}:1") } else { format!("0:{half}:2") };
            let _ = writeln!(self.out, "let ({name}: [{size}]i64) = update {own}[{dims}] = {new}");
        } else {
            let number = self.number(env);
            let _ = writeln!(self.out, "let ({some}: bool) = lt 0 {size}");
            let _ = writeln!(
                self.out,
                "let ({name}: [{size}]i64) = if {some} then {{ let ({at}: i64) = quot {size} 2 let ({new}: [{size}]i64) = update {own}[{at}] = {number} in ({new}) }} else {{({own})}}"
            );
        }
        env.arrays.push((name, size));
    }

    /// A loop whose array changes its size.
    fn resize(&mut self, env: &mut Env, depth: usize) {
        let (array, size) = self.array(env);
        let [name, now, i] = self.names.several();
        let [width, param] = self.names.several();
        let differs = self.rng.chance(50);
        if differs {
            let [go, goes] = self.names.several();
            let _ = writeln!(self.out, "let ({go}: bool) = lt 1 {size}");
            let _ = writeln!(
                self.out,
                "let ({go}_end: bool, {now}: i64, {name}: [{now}]i64) = loop ({goes}: bool = {go}, {width}: i64 = {size}, {param}: [{width}]i64 = {array}) while {goes} {{"
            );
        } else {
            let bound = self.number(env);
            let bound = self.let_number(env, &format!("mod {bound} 3"));
            let _ = writeln!(
                self.out,
                "let ({now}: i64, {name}: [{now}]i64) = loop ({width}: i64 = {size}, {param}: [{width}]i64 = {array}) for {i}: i64 < {bound} {{"
            );
        }
        let mut inner = env.clone();
        inner.numbers.push(width.clone());
        inner.arrays = vec![(param, width.clone())];
        if differs {
            // What is left becomes less and less.
            self.filter(&mut inner);
            let (rest, count) = inner.arrays.last().cloned().unwrap_or_default();
            let [less, some, both] = self.names.several();
            let _ = writeln!(self.out, "let ({less}: bool) = lt {count} {width}");
            let _ = writeln!(self.out, "let ({some}: bool) = lt 0 {count}");
            let _ = writeln!(self.out, "let ({both}: bool) = and {less} {some}");
            let _ = writeln!(self.out, "in ({both}, {count}, {rest}) }}");
        } else {
            inner.arrays.extend(env.arrays.iter().cloned());
            inner.numbers.push(i);
            self.statement(&mut inner, depth.saturating_sub(1));
            let (array, size) = self.array(&mut inner);
            let less = self.let_number(&mut inner, &format!("min {size} 5"));
            let rest = self.let_array(&mut inner, &less, &format!("index {array}[0:{less}:1]"));
            let rest = self.own(&rest, &less);
            let _ = writeln!(self.out, "in ({less}, {rest}) }}");
        }
        env.numbers.push(now.clone());
        env.arrays.push((name, now));
    }

    fn a_grid(&mut self, env: &mut Env) -> (String, [String; 2]) {
        match env.grids.len() {
            0 => self.grid(env),
            count => env.grids[self.rng.below(count)].clone(),
        }
    }

    /// An array of two dimensions, whose sizes may both differ.
    fn grid(&mut self, env: &mut Env) -> (String, [String; 2]) {
        let (array, rows) = self.array(env);
        let (columns, name) = (self.size(env), self.names.fresh());
        let sizes = [rows.clone(), columns.clone()];
        let number = self.number(env);
        let _ = write!(self.out, "let ({name}: [{rows}][{columns}]i64) = ");
        match self.rng.below(4) {
            0 => {
                let _ = writeln!(self.out, "replicate ({rows}, {columns}) {number}");
            }
            1 => {
                let flat = self.names.fresh();
                let _ = writeln!(self.out, "replicate ({rows}) {flat}");
                let at = self.out.rfind("let (").unwrap_or(0);
                let array =
                    format!("let ({flat}: [{columns}]i64) = iota i64 {columns} {number} 1\n");
                self.out.insert_str(at, &array);
            }
            _ => {
                let [x, row] = self.names.several();
                let _ = writeln!(
                    self.out,
                    "screma {rows} ({array}) map \\({x}: i64) -> ([{columns}]i64) {{ let ({row}: [{columns}]i64) = iota i64 {columns} {x} 2 in ({row}) }}"
                );
            }
        }
        env.grids.push((name.clone(), sizes.clone()));
        (name, sizes)
    }

    /// Such an array from a branch, a loop or an update.
    fn grid_control(&mut self, env: &mut Env) {
        let (grid, [rows, columns]) = self.a_grid(env);
        let [name, r, c] = self.names.several();
        match self.rng.below(4) {
            0 => {
                let (other, [p, q]) = self.grid(env);
                let (number, rest, cond) =
                    (self.number(env), self.names.fresh(), self.names.fresh());
                let _ = writeln!(self.out, "let ({rest}: i64) = mod {number} 2");
                let _ = writeln!(self.out, "let ({cond}: bool) = eq {rest} 0");
                let _ = writeln!(
                    self.out,
                    "let ({r}: i64, {c}: i64, {name}: [{r}][{c}]i64) = if {cond} then {{({rows}, {columns}, {grid})}} else {{({p}, {q}, {other})}}"
                );
                env.grids.push((name, [r, c]));
            }
            1 => {
                let (bound, i) = (self.size(env), self.names.fresh());
                let [v, w, g] = self.names.several();
                let [turned, own] = self.names.several();
                let _ = writeln!(
                    self.out,
                    "let ({r}: i64, {c}: i64, {name}: [{r}][{c}]i64) = loop ({v}: i64 = {rows}, {w}: i64 = {columns}, {g}: [{v}][{w}]i64 = {grid}) for {i}: i64 < {bound} {{ let ({turned}: [{w}][{v}]i64) = rearrange (1, 0) {g} let ({own}: [{w}][{v}]i64) = copy {turned} in ({w}, {v}, {own}) }}"
                );
                env.grids.push((name, [r, c]));
            }
            2 => {
                let [some, all, both] = self.names.several();
                let (own, new, number) = (self.names.fresh(), self.names.fresh(), self.number(env));
                let (row, dims) = (self.names.fresh(), self.rng.chance(50));
                let _ = writeln!(self.out, "let ({own}: [{rows}][{columns}]i64) = copy {grid}");
                let _ = writeln!(self.out, "let ({some}: bool) = lt 0 {rows}");
                let _ = writeln!(self.out, "let ({all}: bool) = lt 0 {columns}");
                let _ = writeln!(self.out, "let ({both}: bool) = and {some} {all}");
                let _ = writeln!(
                    self.out,
                    "let ({row}: [{columns}]i64) = replicate ({columns}) {number}"
                );
                let update = match dims {
                    true => format!("update {own}[0, 0] = {number}"),
                    false => format!("update {own}[0, 0:{columns}:1] = {row}"),
                };
                let _ = writeln!(
                    self.out,
                    "let ({name}: [{rows}][{columns}]i64) = if {both} then {{ let ({new}: [{rows}][{columns}]i64) = {update} in ({new}) }} else {{({own})}}"
                );
                env.grids.push((name, [rows, columns]));
            }
            _ => {
                let (other, [p, q]) = (grid.clone(), [rows.clone(), columns.clone()]);
                let twice = self.let_number(env, &format!("add {rows} {p}"));
                let _ = writeln!(
                    self.out,
                    "let ({name}: [{twice}][{q}]i64) = concat {twice} ({grid}, {other})"
                );
                env.grids.push((name, [twice, columns]));
            }
        }
    }

    /// The sums of the rows of such an array.
    fn grid_sums(&mut self, env: &mut Env) {
        let (grid, [rows, columns]) = self.a_grid(env);
        let [name, row, sum, x] = self.names.several();
        let (op, neutral) = self.operator();
        let _ = writeln!(
            self.out,
            "let ({name}: [{rows}]i64) = screma {rows} ({grid}) map \\({row}: [{columns}]i64) -> (i64) {{ let ({sum}: i64) = screma {columns} ({row}) map \\({x}: i64) -> (i64) {{({x})}} red {op} neutral ({neutral}) in ({sum}) }}"
        );
        env.arrays.push((name, rows));
    }
}
