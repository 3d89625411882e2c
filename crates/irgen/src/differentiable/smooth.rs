//! Functions of floating-point numbers, for comparison with finite differences: mostly smooth, with values that stay small.

use crate::rng::Rng;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes a size `n`, a number and an array, and yields a
/// number and an array.
pub fn smooth_text(seed: u64) -> String {
    let mut text = Text {
        rng: Rng::new(seed),
        count: 0,
        out: String::new(),
        numbers: vec!["x".to_owned()],
        arrays: vec!["xs".to_owned()],
    };
    for _ in 0..4 + text.rng.below(6) {
        text.statement();
    }
    let last = |names: &[String]| names.last().cloned().unwrap_or_default();
    let (number, array) = (last(&text.numbers), last(&text.arrays));
    format!(
        "prog arrays\nfun f (n: i64, x: f64, xs: [n]f64) -> (r0: f64, r1: [n]f64) =\n{}in ({number}, {array})\n",
        text.out
    )
}

struct Text {
    rng: Rng,
    count: usize,
    out: String,
    numbers: Vec<String>,
    arrays: Vec<String>,
}

impl Text {
    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn bind(&mut self, ty: &str, exp: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.out, "let ({name}: {ty}) = {exp}");
        name
    }

    /// One of these, the last likelier than the first.
    fn one_of(&mut self, names: &[String]) -> String {
        let (a, b) = (self.rng.below(names.len()), self.rng.below(names.len()));
        names[a.max(b)].clone()
    }

    fn number(&mut self) -> String {
        let names = self.numbers.clone();
        self.one_of(&names)
    }

    fn array(&mut self) -> String {
        let names = self.arrays.clone();
        self.one_of(&names)
    }

    /// An operation on two numbers, whose result is small.
    fn operation(&mut self, a: &str, b: &str) -> String {
        match self.rng.below(16) {
            0 => format!("add {a} {b}"),
            1 => format!("sub {a} {b}"),
            2..5 => {
                let product = self.bind("f64", &format!("mul {a} {b}"));
                format!("tanh {product}")
            }
            5 => format!("sin {a}"),
            6 => format!("cos {a}"),
            7 => format!("atan {a}"),
            8 => format!("erf {a}"),
            9 | 10 => {
                let square = self.bind("f64", &format!("mul {b} {b}"));
                let more = self.bind("f64", &format!("add {square} 1.0f64"));
                match self.rng.below(4) {
                    0 => format!("div {a} {more}"),
                    1 => format!("log {more}"),
                    2 => format!("sqrt {more}"),
                    _ => format!("pow {more} {a}"),
                }
            }
            11 => format!("hypot {a} {b}"),
            12 => format!("max {a} {b}"),
            13 => format!("min {a} {b}"),
            14 => format!("asinh {a}"),
            _ => {
                let small = self.bind("f64", &format!("tanh {a}"));
                format!("exp {small}")
            }
        }
    }

    /// A body with a few operations on these numbers and those outside; its statements are not for outside.
    fn body(&mut self, params: &[String]) -> (String, String) {
        let outer = std::mem::take(&mut self.out);
        let known = self.numbers.len();
        self.numbers.extend_from_slice(params);
        for _ in 0..1 + self.rng.below(3) {
            let (a, b) = (self.number(), self.number());
            let exp = self.operation(&a, &b);
            let name = self.bind("f64", &exp);
            self.numbers.push(name);
        }
        let result = self.numbers.last().cloned().unwrap_or_default();
        self.numbers.truncate(known);
        (std::mem::replace(&mut self.out, outer), result)
    }

    fn statement(&mut self) {
        let array = self.array();
        match self.rng.below(8) {
            0 | 1 => {
                let (a, b) = (self.number(), self.number());
                let exp = self.operation(&a, &b);
                let name = self.bind("f64", &exp);
                self.numbers.push(name);
            }
            2 | 3 => {
                let (other, x, y) = (self.array(), self.name(), self.name());
                let (body, result) = self.body(&[x.clone(), y.clone()]);
                let exp = format!(
                    "screma n ({array}, {other}) map \\({x}: f64, {y}: f64) -> (f64) {{ {body} in ({result}) }}"
                );
                let name = self.bind("[n]f64", &exp);
                self.arrays.push(name);
            }
            4 => {
                let (op, neutral) = self.fold();
                let (x, a, b, c) = (self.name(), self.name(), self.name(), self.name());
                let exp = format!(
                    "screma n ({array}) map \\({x}: f64) -> (f64) {{({x})}} red \\({a}: f64, {b}: f64) -> (f64) \
                     {{ let ({c}: f64) = {op} {a} {b} in ({c}) }} neutral ({neutral})"
                );
                let name = self.bind("f64", &exp);
                self.numbers.push(name);
            }
            5 => {
                let (op, neutral) = self.fold();
                let (x, a, b, c) = (self.name(), self.name(), self.name(), self.name());
                let exp = format!(
                    "screma n ({array}) map \\({x}: f64) -> (f64) {{({x})}} scan \\({a}: f64, {b}: f64) -> (f64) \
                     {{ let ({c}: f64) = {op} {a} {b} in ({c}) }} neutral ({neutral})"
                );
                let name = self.bind("[n]f64", &exp);
                self.arrays.push(name);
            }
            6 => {
                let (init, p, i) = (self.number(), self.name(), self.name());
                let element = self.name();
                let (body, result) = self.body(&[p.clone(), element.clone()]);
                let exp = format!(
                    "loop ({p}: f64 = {init}) for {i}: i64 < n {{ let ({element}: f64) = index {array}[{i}] {body} in ({result}) }}"
                );
                let name = self.bind("f64", &exp);
                self.numbers.push(name);
            }
            _ => {
                let (a, b) = (self.number(), self.number());
                let cond = self.bind("bool", &format!("lt {a} {b}"));
                let (yes, then) = self.body(&[]);
                let (no, otherwise) = self.body(&[]);
                let exp = format!(
                    "if {cond} then {{ {yes} in ({then}) }} else {{ {no} in ({otherwise}) }}"
                );
                let name = self.bind("f64", &exp);
                self.numbers.push(name);
            }
        }
    }

    fn fold(&mut self) -> (&'static str, &'static str) {
        match self.rng.below(4) {
            0 | 1 => ("add", "0.0f64"),
            2 => ("mul", "1.0f64"),
            _ => ("max", "-1.0e308f64"),
        }
    }
}
