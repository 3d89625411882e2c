//! Functions of integers that have derivatives: maps, reductions, scans and histograms by operators of many kinds, with free
//! variables in all of them, loops that update in place, branches, writes, accumulators, streams, and derivatives inside.
//!
//! Integers wrap around, so that sums and products are those of a ring, and what must be equal is equal to the bit.

mod operators;
mod smooth;

pub use self::smooth::smooth_text;
use crate::rng::Rng;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes the sizes `n`, `m` and `k`, [`CONSTANT`] arguments,
/// and those that it can be differentiated by: a number, and arrays of ranks one to three.
pub fn differentiable_text(seed: u64) -> String {
    let rng = Rng::new(seed);
    let mut gener = Gen { rng, polynomial: is_polynomial(seed), count: 0, out: String::new() };
    let mut env = Env::default();
    for (name, shape) in
        [("x", &[][..]), ("xs", &["n"]), ("xss", &["n", "m"]), ("ysss", &["m", "n", "k"])]
    {
        env.values.push((name.to_owned(), shape.to_vec()));
    }
    env.plain.push("t".to_owned());
    for _ in 0..3 + gener.rng.below(4) {
        gener.statement(&mut env, 0);
    }
    let results: Vec<Value> = env.values.split_off(4);
    let types: Vec<String> = results
        .iter()
        .enumerate()
        .map(|(index, (_, shape))| format!("r{index}: {}", ty(shape)))
        .collect();
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    format!(
        "prog arrays\nfun f (n: i64, m: i64, k: i64, t: i64, up: bool, is: [n]i64, x: i64, xs: [n]i64, xss: [n][m]i64, ysss: [m][n][k]i64) -> ({}) =\n{}in ({})\n",
        types.join(", "),
        gener.out,
        names.join(", ")
    )
}

/// Whether the function of a seed is a polynomial: then conditions, indices and counts depend on its constant arguments
/// only, and it has no operators but sums, differences and products.
pub fn is_polynomial(seed: u64) -> bool {
    seed.is_multiple_of(2)
}

/// The arguments, besides sizes, that functions are not differentiated by.
pub const CONSTANT: [&str; 3] = ["t", "up", "is"];

/// The sizes of arrays, which are parameters of the function.
const SIZES: [&str; 3] = ["n", "m", "k"];

/// A variable: its name and its sizes, of numbers of type i64.
type Value = (String, Vec<&'static str>);

/// What is in scope.
#[derive(Clone, Default)]
struct Env {
    /// Values that may depend on what the function is differentiated by.
    values: Vec<Value>,
    /// Numbers that do not.
    plain: Vec<String>,
}

struct Gen {
    rng: Rng,
    polynomial: bool,
    count: usize,
    out: String,
}

fn ty(shape: &[&str]) -> String {
    shape.iter().map(|size| format!("[{size}]")).collect::<String>() + "i64"
}

impl Gen {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn names<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| self.name())
    }

    /// Adds a statement with one result, which nobody need see.
    fn hidden(&mut self, ty: &str, exp: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.out, "let ({name}: {ty}) = {exp}");
        name
    }

    /// Adds a statement with one result.
    fn bind(&mut self, env: &mut Env, shape: &[&'static str], exp: &str) -> String {
        let name = self.hidden(&ty(shape), exp);
        env.values.push((name.clone(), shape.to_vec()));
        name
    }

    /// A value of this shape; later ones are likelier.
    fn value(&mut self, env: &mut Env, shape: &[&'static str]) -> String {
        let fitting: Vec<String> = env
            .values
            .iter()
            .filter(|(_, other)| other == shape)
            .map(|(name, _)| name.clone())
            .collect();
        if !fitting.is_empty() && self.rng.below(12) > 0 {
            let (a, b) = (self.rng.below(fitting.len()), self.rng.below(fitting.len()));
            return fitting[a.max(b)].clone();
        }
        if shape.is_empty() {
            return self.rng.range(-3, 5).to_string();
        }
        let element = self.value(env, &[]);
        self.bind(env, shape, &format!("replicate ({}) {element}", shape.join(", ")))
    }

    /// A number that does not depend on what the function is differentiated by.
    fn plain(&mut self, env: &Env) -> String {
        match env.plain.len() {
            0 => "2".to_owned(),
            len => env.plain[self.rng.below(len)].clone(),
        }
    }

    /// A number for indices and counts.
    fn number(&mut self, env: &mut Env) -> String {
        if self.polynomial || self.rng.below(3) > 0 {
            self.plain(env)
        } else {
            self.value(env, &[])
        }
    }

    fn condition(&mut self, env: &mut Env) -> String {
        if self.rng.below(3) == 0 {
            return "up".to_owned();
        }
        let number = self.number(env);
        let limit = self.rng.range(-1, 4);
        self.hidden("bool", &format!("lt {number} {limit}"))
    }

    fn shape(&mut self, most: usize) -> Vec<&'static str> {
        let rank = self.rng.below(most + 1);
        (0..rank).map(|_| SIZES[self.rng.below(SIZES.len())]).collect()
    }

    /// A body with results of these shapes, in braces.
    fn body(&mut self, env: &Env, shapes: &[Vec<&'static str>], depth: usize) -> String {
        let before = std::mem::take(&mut self.out);
        let mut env = env.clone();
        for _ in 0..1 + self.rng.below(4 - depth.min(2)) {
            self.statement(&mut env, depth);
        }
        let results: Vec<String> = shapes.iter().map(|shape| self.value(&mut env, shape)).collect();
        let stms = std::mem::replace(&mut self.out, before);
        format!("{{\n{stms}in ({})\n}}", results.join(", "))
    }

    fn statement(&mut self, env: &mut Env, depth: usize) {
        let size = SIZES[self.rng.below(SIZES.len())];
        let other = SIZES[self.rng.below(SIZES.len())];
        match self.rng.below(if depth < 3 { 40 } else { 11 }) {
            0..4 => self.scalar(env),
            4 | 5 => self.element(env, size),
            6 => {
                let matrix = self.value(env, &[size, other]);
                self.bind(env, &[other, size], &format!("rearrange (1, 0) {matrix}"));
            }
            7 => self.views(env, size, other),
            8 => {
                let (start, step) = (self.value(env, &[]), self.value(env, &[]));
                self.bind(env, &[size], &format!("iota i64 {size} {start} {step}"));
            }
            9 => self.update(env, size),
            10 => self.fold(env, size),
            11..17 => self.map(env, depth, size),
            17 | 18 => self.fold(env, size),
            19 => self.row_fold(env, size, other),
            20 | 21 => self.repeat(env, depth),
            22 | 23 => self.in_place(env, depth, size),
            24 => self.while_loop(env, depth),
            25 | 26 => {
                let shapes = [self.shape(2), self.shape(1)];
                let cond = self.condition(env);
                let (yes, no) =
                    (self.body(env, &shapes, depth + 1), self.body(env, &shapes, depth + 1));
                self.several(env, &shapes, &format!("if {cond} then {yes} else {no}"));
            }
            27 => self.scatter(env, size, other),
            28 | 29 => self.histogram(env, size, other),
            30 => self.accumulate(env, other),
            31 => self.partition(env),
            32 => self.stream(env, size),
            33 => self.flatmap(env),
            35..38 => self.gather(env, size, other),
            34 => self.custom(env),
            _ => self.derivative(env, depth),
        }
    }

    /// Adds a statement with several results.
    fn several(&mut self, env: &mut Env, shapes: &[Vec<&'static str>], exp: &str) {
        let mut pat = Vec::new();
        for shape in shapes {
            let name = self.name();
            pat.push(format!("{name}: {}", ty(shape)));
            env.values.push((name, shape.clone()));
        }
        let _ = writeln!(self.out, "let ({}) = {exp}", pat.join(", "));
    }

    fn scalar(&mut self, env: &mut Env) {
        let (a, b) = (self.value(env, &[]), self.value(env, &[]));
        let exp = match self.rng.below(if self.polynomial { 5 } else { 11 }) {
            0 => format!("add {a} {b}"),
            1 => format!("sub {a} {b}"),
            2 | 3 => format!("mul {a} {b}"),
            4 => format!("neg {a}"),
            5 => format!("max {a} {b}"),
            6 => format!("min {a} {b}"),
            7 => format!("abs {a}"),
            8 => {
                let divisor = self.hidden("i64", &format!("or {b} 1"));
                format!("{} {a} {divisor}", ["quot", "div"][self.rng.below(2)])
            }
            9 => format!("shl {a} 2"),
            _ => format!("and {a} {b}"),
        };
        self.bind(env, &[], &exp);
    }

    /// An element or a row.
    fn element(&mut self, env: &mut Env, size: &'static str) {
        let shape = self.shape(2);
        let source = self.value(env, &[&[size], &shape[..]].concat());
        let some = self.hidden("bool", &format!("lt 0 {size}"));
        let (number, fill) = (self.number(env), self.value(env, &shape));
        let [at, row] = self.names();
        let exp = format!(
            "if {some} then {{ let ({at}: i64) = mod {number} {size} \
             let ({row}: {}) = index {source}[{at}] in ({row}) }} else {{({fill})}}",
            ty(&shape)
        );
        self.bind(env, &shape, &exp);
    }

    /// Reversed, flattened, concatenated and cut again.
    fn views(&mut self, env: &mut Env, size: &'static str, other: &'static str) {
        match self.rng.below(3) {
            0 => {
                let source = self.value(env, &[size]);
                let last = self.hidden("i64", &format!("sub {size} 1"));
                self.bind(env, &[size], &format!("index {source}[{last}:{size}:-1]"));
            }
            1 => {
                let source = self.value(env, &[size, other]);
                let all = self.hidden("i64", &format!("mul {size} {other}"));
                let flat =
                    self.hidden(&format!("[{all}]i64"), &format!("reshape ({all}) {source}"));
                self.bind(env, &[other, size], &format!("reshape ({other}, {size}) {flat}"));
            }
            _ => {
                let (first, second) = (self.value(env, &[size]), self.value(env, &[other]));
                let all = self.hidden("i64", &format!("add {size} {other}"));
                let whole = self
                    .hidden(&format!("[{all}]i64"), &format!("concat {all} ({first}, {second})"));
                self.bind(env, &[size], &format!("index {whole}[{other}:{size}:1]"));
            }
        }
    }

    /// A number or a row is replaced.
    fn update(&mut self, env: &mut Env, size: &'static str) {
        let shape = self.shape(1);
        let whole = [&[size], &shape[..]].concat();
        let (source, value) = (self.value(env, &whole), self.value(env, &shape));
        let own = self.hidden(&ty(&whole), &format!("copy {source}"));
        let some = self.hidden("bool", &format!("lt 0 {size}"));
        let number = self.number(env);
        let [at, new] = self.names();
        let exp = format!(
            "if {some} then {{ let ({at}: i64) = mod {number} {size} \
             let ({new}: {}) = update {own}[{at}] = {value} in ({new}) }} else {{({own})}}",
            ty(&whole)
        );
        self.bind(env, &whole, &exp);
    }

    /// A loop that is run a few times, or never.
    fn repeat(&mut self, env: &mut Env, depth: usize) {
        let shapes: Vec<Vec<&str>> = (0..1 + self.rng.below(2)).map(|_| self.shape(2)).collect();
        let number = self.number(env);
        let times = self.hidden("i64", &format!("and {number} 3"));
        let mut inner = env.clone();
        let mut params = Vec::new();
        for shape in &shapes {
            let (init, state) = (self.value(env, shape), self.name());
            params.push(format!("{state}: {} = {init}", ty(shape)));
            inner.values.push((state, shape.clone()));
        }
        let i = self.name();
        inner.plain.push(i.clone());
        let body = self.body(&inner, &shapes, depth + 1);
        let exp = format!("loop ({}) for {i}: i64 < {times} {body}", params.join(", "));
        self.several(env, &shapes, &exp);
    }

    /// A loop that changes an array in place, element by element, with a number that goes along.
    fn in_place(&mut self, env: &mut Env, depth: usize, size: &'static str) {
        let (source, init) = (self.value(env, &[size]), self.value(env, &[]));
        let own = self.hidden(&ty(&[size]), &format!("copy {source}"));
        let [state, sum, i, old, new] = self.names();
        let mut inner = env.clone();
        inner.plain.push(i.clone());
        inner.values.extend([(sum.clone(), Vec::new()), (old.clone(), Vec::new())]);
        let shapes = [Vec::new(), Vec::new()];
        let body = self.body(&inner, &shapes, depth + 1);
        // The body, as a branch that is always taken.
        let [a, b] = self.names();
        // It reads where it writes, or at the other end.
        let [last, from] = self.names();
        let at = if self.rng.below(2) == 0 { i.clone() } else { format!("sub {last} {i}") };
        let exp = format!(
            "loop ({state}: [{size}]i64 = {own}, {sum}: i64 = {init}) for {i}: i64 < {size} {{ \
             let ({last}: i64) = sub {size} 1 let ({from}: i64) = {at} \
             let ({old}: i64) = index {state}[{from}] \
             let ({a}: i64, {b}: i64) = if true then {body} else {{(0, 0)}} \
             let ({new}: [{size}]i64) = update {state}[{i}] = {a} in ({new}, {b}) }}"
        );
        self.several(env, &[vec![size], Vec::new()], &exp);
    }

    /// A loop with a condition.
    fn while_loop(&mut self, env: &mut Env, depth: usize) {
        let shape = self.shape(1);
        let init = self.value(env, &shape);
        let number = self.number(env);
        let count = self.hidden("i64", &format!("and {number} 3"));
        let go = self.hidden("bool", &format!("lt 0 {count}"));
        let [going, left, state, a, less, again] = self.names();
        let mut inner = env.clone();
        inner.plain.push(left.clone());
        inner.values.push((state.clone(), shape.clone()));
        let body = self.body(&inner, std::slice::from_ref(&shape), depth + 1);
        let ty = ty(&shape);
        let [c, d] = self.names();
        let result = self.name();
        let _ = writeln!(
            self.out,
            "let ({c}: bool, {d}: i64, {result}: {ty}) = loop ({going}: bool = {go}, {left}: i64 = {count}, {state}: {ty} = {init}) while {going} {{ \
             let ({a}: {ty}) = if true then {body} else {{({state})}} \
             let ({less}: i64) = sub {left} 1 let ({again}: bool) = lt 0 {less} in ({again}, {less}, {a}) }}"
        );
        env.values.push((result, shape));
    }

    /// A square, which says itself what its adjoint is.
    fn custom(&mut self, env: &mut Env) {
        let a = self.value(env, &[]);
        let [p, y, z, g, d, e] = self.names();
        let exp = format!(
            "with_vjp ({a}) \\({p}: i64) -> (i64) {{ let ({y}: i64) = mul {p} {p} in ({y}) }} \
             \\({z}: i64, {g}: i64) -> (i64) {{ let ({d}: i64) = mul {g} {a} let ({e}: i64) = mul {d} 2 in ({e}) }}"
        );
        self.bind(env, &[], &exp);
    }

    /// A derivative by two arguments, in one direction or in several.
    fn derivative(&mut self, env: &mut Env, depth: usize) {
        let (shapes, results) = ([self.shape(1), Vec::new()], [self.shape(1)]);
        let args: Vec<String> = shapes.iter().map(|shape| self.value(env, shape)).collect();
        let forward = self.rng.below(2) == 0;
        let several = self.rng.below(3) == 0;
        let directions =
            if several { vec![SIZES[self.rng.below(SIZES.len())]] } else { Vec::new() };
        let word = match (forward, several) {
            (true, false) => "jvp".to_owned(),
            (false, false) => "vjp".to_owned(),
            (true, true) => format!("jmp {}", directions[0]),
            (false, true) => format!("mjp {}", directions[0]),
        };
        let (towards, derivative) = match forward {
            true => (&shapes[..], &results[..]),
            false => (&results[..], &shapes[..]),
        };
        let seed = |shape: &Vec<&'static str>| [&directions[..], shape].concat();
        let seeds: Vec<String> =
            towards.iter().map(|shape| self.value(env, &seed(shape))).collect();
        let mut all = results.to_vec();
        all.extend(derivative.iter().map(seed));
        let mut inner = env.clone();
        let mut typed = Vec::new();
        for shape in &shapes {
            let param = self.name();
            typed.push(format!("{param}: {}", ty(shape)));
            inner.values.push((param, shape.clone()));
        }
        let body = self.body(&inner, &results, depth + 1);
        let exp = format!(
            "{word} ({}) ({}) \\({}) -> ({}) {body}",
            args.join(", "),
            seeds.join(", "),
            typed.join(", "),
            ty(&results[0])
        );
        self.several(env, &all, &exp);
    }
}
