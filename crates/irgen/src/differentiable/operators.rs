//! Array operators with functions.

use super::{Env, Gen, ty};
use crate::rng::Rng;
use std::fmt::Write;

/// Numbers next to the least and the largest one.
const LEAST: &str = "-9223372036854775807";
const LARGEST: &str = "9223372036854775806";

impl Gen {
    /// Of the last values, those that are numbers become numbers that are neither the least nor the largest one: these
    /// are neutral elements, and what a reduction of nothing yields.
    fn ordinary(&mut self, env: &mut Env, last: usize) {
        if self.polynomial {
            return;
        }
        let first = env.values.len() - last;
        for index in first..env.values.len() {
            let (name, shape) = env.values[index].clone();
            if shape.is_empty() {
                let above = self.hidden("i64", &format!("max {name} {LEAST}"));
                env.values[index].0 = self.hidden("i64", &format!("min {above} {LARGEST}"));
            }
        }
    }

    /// An associative operator on so many numbers, with its neutral element. Some have a free variable. None selects
    /// the neutral element where it meets an element: what the derivative is there would be a matter of taste.
    fn operator(&mut self, env: &mut Env, parts: usize) -> String {
        let free = self.value(env, &[]);
        let [a, b, c, d] = self.names();
        let [p, q, r, s] = self.names();
        if parts == 2 {
            let head = format!("\\({a}: i64, {b}: i64, {c}: i64, {d}: i64) -> (i64, i64)");
            return match self.rng.below(if self.polynomial { 2 } else { 3 }) {
                // Linear functions, one after the other.
                0 => format!(
                    "{head} {{ let ({p}: i64) = mul {a} {c} let ({q}: i64) = mul {b} {c} \
                     let ({r}: i64) = add {q} {d} in ({p}, {r}) }} neutral (1, 0)"
                ),
                // Sums, and sums of products: not commutative.
                1 => format!(
                    "{head} {{ let ({p}: i64) = add {a} {c} let ({q}: i64) = mul {a} {c} \
                     let ({s}: i64) = mul {q} {free} \
                     let ({r}: i64) = add {b} {d} let ({q}_b: i64) = add {r} {s} in ({p}, {q}_b) }} neutral (0, 0)"
                ),
                // The larger, with what belongs to it.
                _ => format!(
                    "{head} {{ let ({p}: bool) = le {c} {a} \
                     let ({q}: i64, {r}: i64) = if {p} then {{({a}, {b})}} else {{({c}, {d})}} \
                     in ({q}, {r}) }} neutral (-9223372036854775808, 0)"
                ),
            };
        }
        let head = format!("\\({a}: i64, {b}: i64) -> (i64)");
        match self.rng.below(if self.polynomial { 5 } else { 7 }) {
            0 | 1 => format!("{head} {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"),
            2 | 3 => format!("{head} {{ let ({c}: i64) = mul {a} {b} in ({c}) }} neutral (1)"),
            // With a free variable.
            4 => format!(
                "{head} {{ let ({p}: i64) = mul {a} {b} let ({q}: i64) = mul {p} {free} \
                 let ({r}: i64) = add {a} {b} let ({s}: i64) = add {r} {q} in ({s}) }} neutral (0)"
            ),
            5 => format!(
                "{head} {{ let ({c}: i64) = max {a} {b} in ({c}) }} neutral (-9223372036854775808)"
            ),
            _ => format!(
                "{head} {{ let ({c}: i64) = min {a} {b} in ({c}) }} neutral (9223372036854775807)"
            ),
        }
    }

    /// What an operator on so many numbers is applied to: of pairs, the first ones are never the least number, which
    /// with another second one would meet the neutral element of the operator that selects the larger one, and not be
    /// selected.
    fn operands(&mut self, indices: &[String], parts: &[String]) -> String {
        let all = |parts: &[String]| [indices, parts].concat().join(", ");
        match parts {
            [first, second] if !self.polynomial => {
                let key = self.name();
                let results = all(&[key.clone(), second.clone()]);
                format!("{{ let ({key}: i64) = max {first} {LEAST} in ({results}) }}")
            }
            _ => format!("{{({})}}", all(parts)),
        }
    }

    pub(super) fn map(&mut self, env: &mut Env, depth: usize, size: &'static str) {
        let (mut inputs, mut params, mut inner) = (Vec::new(), Vec::new(), env.clone());
        for _ in 0..1 + self.rng.below(2) {
            let shape = self.shape(2);
            inputs.push(self.value(env, &[&[size], &shape[..]].concat()));
            let param = self.name();
            params.push(format!("{param}: {}", ty(&shape)));
            inner.values.push((param, shape));
        }
        if size == "n" {
            let param = self.name();
            inputs.push("is".to_owned());
            params.push(format!("{param}: i64"));
            inner.plain.push(param);
        }
        let shapes: Vec<Vec<&str>> = (0..1 + self.rng.below(2)).map(|_| self.shape(1)).collect();
        let body = self.body(&inner, &shapes, depth + 1);
        let ret: Vec<String> = shapes.iter().map(|shape| ty(shape)).collect();
        // Sometimes the first number is reduced or scanned as well.
        let fold = if shapes[0].is_empty() { self.rng.below(4) } else { 3 };
        let whole = |(index, shape): (usize, &Vec<&'static str>)| match fold == 0 && index == 0 {
            true => Vec::new(),
            false => [&[size], &shape[..]].concat(),
        };
        let wholes: Vec<Vec<&'static str>> = shapes.iter().enumerate().map(whole).collect();
        let op = match fold {
            0 => format!(" red {}", self.operator(env, 1)),
            1 => format!(" scan {}", self.operator(env, 1)),
            _ => String::new(),
        };
        let exp = format!(
            "screma {size} ({}) map \\({}) -> ({}) {body}{op}",
            inputs.join(", "),
            params.join(", "),
            ret.join(", ")
        );
        self.several(env, &wholes, &exp);
        if fold == 0 {
            self.ordinary(env, wholes.len());
        }
    }

    /// A reduction or a scan of numbers or pairs.
    pub(super) fn fold(&mut self, env: &mut Env, size: &'static str) {
        let parts = 1 + self.rng.below(2);
        let (word, shape) = match self.rng.below(2) {
            0 => ("scan", vec![size]),
            _ => ("red", Vec::new()),
        };
        let inputs: Vec<String> = (0..parts).map(|_| self.value(env, &[size])).collect();
        let names: Vec<String> = (0..parts).map(|_| self.name()).collect();
        let params: Vec<String> = names.iter().map(|name| format!("{name}: i64")).collect();
        let (op, operands) = (self.operator(env, parts), self.operands(&[], &names));
        let exp = format!(
            "screma {size} ({}) map \\({}) -> ({}) {operands} {word} {op}",
            inputs.join(", "),
            params.join(", "),
            vec!["i64"; parts].join(", ")
        );
        let is_red = shape.is_empty();
        self.several(env, &vec![shape; parts], &exp);
        if is_red {
            self.ordinary(env, parts);
        }
    }

    /// A reduction or scan of rows.
    pub(super) fn row_fold(&mut self, env: &mut Env, size: &'static str, other: &'static str) {
        let scan = self.rng.below(2) == 0;
        let source = self.value(env, &[size, other]);
        let (op, zero) = match self.rng.below(if self.polynomial { 2 } else { 3 }) {
            0 => ("add", "0"),
            1 => ("mul", "1"),
            _ => ("max", "-9223372036854775808"),
        };
        let neutral = self.hidden(&ty(&[other]), &format!("replicate ({other}) {zero}"));
        let [row, a, b, c, x, y, z] = self.names();
        let word = if scan { "scan" } else { "red" };
        let exp = format!(
            "screma {size} ({source}) map \\({row}: [{other}]i64) -> ([{other}]i64) {{({row})}} {word} \
             \\({a}: [{other}]i64, {b}: [{other}]i64) -> ([{other}]i64) {{ \
             let ({c}: [{other}]i64) = screma {other} ({a}, {b}) map \\({x}: i64, {y}: i64) -> (i64) {{ \
             let ({z}: i64) = {op} {x} {y} in ({z}) }} in ({c}) }} neutral ({neutral})"
        );
        if scan {
            self.bind(env, &[size, other], &exp);
            return;
        }
        if op != "max" {
            self.bind(env, &[other], &exp);
            return;
        }
        let folded = self.hidden(&ty(&[other]), &exp);
        let [x, y] = self.names();
        let exp = format!(
            "screma {other} ({folded}) map \\({x}: i64) -> (i64) {{ let ({y}: i64) = max {x} {LEAST} in ({y}) }}"
        );
        self.bind(env, &[other], &exp);
    }

    /// Numbers or rows are written: to different places, or the same one to places that may coincide.
    pub(super) fn scatter(&mut self, env: &mut Env, size: &'static str, other: &'static str) {
        let source = self.value(env, &[other]);
        let own = self.hidden(&ty(&[other]), &format!("copy {source}"));
        let [i, v, at] = self.names();
        let exp = if self.rng.below(3) == 0 {
            let value = self.value(env, &[]);
            format!(
                "scatter n (is) map \\({i}: i64) -> (i64, i64) {{({i}, {value})}} dest [{other}] {own}"
            )
        } else {
            let values = self.value(env, &[size]);
            let places = self.hidden(&ty(&[size]), &format!("iota i64 {size} 0 1"));
            let limit = self.rng.range(0, 4);
            format!(
                "scatter {size} ({places}, {values}) map \\({i}: i64, {v}: i64) -> (i64, i64) {{ \
                 let ({at}: i64) = sub {limit} {i} in ({at}, {v}) }} dest [{other}] {own}"
            )
        };
        self.bind(env, &[other], &exp);
    }

    pub(super) fn histogram(&mut self, env: &mut Env, size: &'static str, other: &'static str) {
        let parts = if self.rng.below(4) == 0 { 2 } else { 1 };
        let mut dests = Vec::new();
        for _ in 0..parts {
            let source = self.value(env, &[other]);
            dests.push(self.hidden(&ty(&[other]), &format!("copy {source}")));
        }
        let (width, places) = if self.polynomial || self.rng.below(2) == 0 {
            ("n", "is".to_owned())
        } else {
            (size, self.value(env, &[size]))
        };
        let mut inputs = vec![places];
        inputs.extend((0..parts).map(|_| self.value(env, &[width])).collect::<Vec<_>>());
        let names: Vec<String> = inputs.iter().map(|_| self.name()).collect();
        let params: Vec<String> = names.iter().map(|name| format!("{name}: i64")).collect();
        let (op, operands) = (self.operator(env, parts), self.operands(&names[..1], &names[1..]));
        let exp = format!(
            "hist {width} ({}) map \\({}) -> ({}) {operands} dest [{other}] race 1 ({}) {op}",
            inputs.join(", "),
            params.join(", "),
            vec!["i64"; parts + 1].join(", "),
            dests.join(", ")
        );
        self.several(env, &vec![vec![other]; parts], &exp);
    }

    /// Contributions of a position, in loops or not: the statements, after which the accumulator has this name. How
    /// many there are depends on the position and on constant arguments only.
    fn contributions(
        &mut self,
        position: &str,
        value: &str,
        (cert, from): (&str, &str),
    ) -> (String, String) {
        // By numbers of its own, so that what follows does not change.
        let mut rng = Rng::new(self.count as u64);
        let [end, acc, next, k, at, more] = self.names();
        let ty = format!("acc({cert})");
        let update = |at: &str| format!("let ({next}: {ty}) = update_acc {acc} [{at}] ({value})");
        let place = format!("let ({at}: i64) = add {position} {k} ");
        let text = match rng.below(6) {
            0 | 1 => {
                let bound = rng.range(0, 3);
                format!(
                    "let ({end}: {ty}) = loop ({acc}: {ty} = {from}) for {k}: i64 < {bound} {{ {place}{} in ({next}) }}",
                    update(&at)
                )
            }
            2 => format!(
                "let ({more}: i64) = and {position} 3 \
                 let ({end}: {ty}) = loop ({acc}: {ty} = {from}) for {k}: i64 < {more} {{ {place}{} in ({next}) }}",
                update(&at)
            ),
            3 => format!(
                "let ({more}: i64) = and {position} 3 let ({more}_a: bool) = lt 0 {more} \
                 let ({more}_b: bool, {more}_c: i64, {end}: {ty}) = \
                 loop ({more}_d: bool = {more}_a, {k}: i64 = {more}, {acc}: {ty} = {from}) while {more}_d {{ \
                 {} let ({at}: i64) = add {k} -1 let ({more}_e: bool) = lt 0 {at} in ({more}_e, {at}, {next}) }}",
                update(&k)
            ),
            4 => format!(
                "let ({end}: {ty}) = loop ({more}: {ty} = {from}) for {more}_b: i64 < 3 {{ \
                 let ({more}_c: {ty}) = loop ({acc}: {ty} = {more}) for {k}: i64 < {more}_b {{ \
                 {place}let ({more}_d: bool) = lt {k} {position} \
                 let ({more}_e: {ty}) = if {more}_d then {{ {} in ({next}) }} else {{({acc})}} in ({more}_e) }} in ({more}_c) }}",
                update(&at)
            ),
            _ => format!("let ({end}: {ty}) = update_acc {from} [{position}] ({value})"),
        };
        (text, end)
    }

    /// An accumulation, mostly of sums, perhaps in a loop that also reads the array that it changes.
    pub(super) fn accumulate(&mut self, env: &mut Env, other: &'static str) {
        let (source, values) = (self.value(env, &[other]), self.value(env, &["n"]));
        let free = self.value(env, &[]);
        let own = self.hidden(&ty(&[other]), &format!("copy {source}"));
        // By a number of its own, so that what follows does not change.
        if Rng::new(self.count as u64).chance(50) {
            // Few contributions are written back where they were, and there are few if the array is much longer.
            let size = self.hidden("i64", &format!("add {other} 30"));
            let rest = self.hidden("[30]i64", &format!("replicate (30) {free}"));
            let long = self.hidden(&ty(&[&size]), &format!("concat {size} ({own}, {rest})"));
            let [state, round, places, read, after] = self.names();
            let [j, at, near, e, w, square] = self.names();
            let sums = self.accumulation(&size, (&state, "2", &places, &read), &free, Some(&round));
            let changed = format!(
                "loop ({state}: [{size}]i64 = {long}) for {round}: i64 < 3 {{ \
                 let ({places}: [2]i64) = iota i64 2 0 1 \
                 let ({read}: [2]i64) = screma 2 ({places}) map \\({j}: i64) -> (i64) {{ \
                 let ({near}: i64) = add {j} {round} let ({at}: i64) = mod {near} {size} \
                 let ({e}: i64) = index {state}[{at}] let ({w}: i64) = add {e} {free} \
                 let ({square}: i64) = mul {e} {w} in ({square}) }} \
                 let ({after}: [{size}]i64) = {sums} in ({after}) }}"
            );
            let changed = self.hidden(&ty(&[&size]), &changed);
            // What is changed is at the beginning.
            let exp = format!("index {changed}[0:{other}:1]");
            self.bind(env, &[other], &exp);
            return;
        }
        let exp = self.accumulation(other, (&own, "n", "is", &values), &free, None);
        self.bind(env, &[other], &exp);
    }

    /// Contributions at so many places of an array, from a round on.
    fn accumulation(
        &mut self,
        other: &str,
        (own, width, places, values): (&str, &str, &str, &str),
        free: &str,
        round: Option<&str>,
    ) -> String {
        let [j, a, b, c, cert, acc, i, x, p, end, last, twice] = self.names();
        let position = round.map_or_else(|| i.clone(), |_| format!("{i}_b"));
        let moved = round
            .map_or_else(String::new, |round| format!("let ({position}: i64) = add {i} {round} "));
        let (all, next) = self.contributions(&position, &twice, (&cert, &p));
        // By a number of its own, so that what follows does not change.
        let op = match Rng::new(!self.count as u64).below(6) {
            0 => format!("{{ let ({c}: i64) = mul {a} {b} in ({c}) }} neutral (1)"),
            // With what it refers to: a free variable, or the index.
            number @ (1 | 2) => {
                let factor = if number == 1 { free } else { &j };
                format!(
                    "{{ let ({c}_b: i64) = mul {a} {b} let ({c}_c: i64) = mul {c}_b {factor} \
                     let ({c}_d: i64) = add {a} {b} let ({c}: i64) = add {c}_c {c}_d in ({c}) }} neutral (0)"
                )
            }
            _ => format!("{{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"),
        };
        format!(
            "withacc acc [{other}] ({own}) op \\({j}: i64, {a}: i64, {b}: i64) -> (i64) {op} \
             in \\({cert}: unit, {acc}: acc({cert})) -> (acc({cert})) {{ \
             let ({end}: acc({cert})) = screma {width} ({places}, {values}, {acc}) map \\({i}: i64, {x}: i64, {p}: acc({cert})) -> (acc({cert})) {{ \
             {moved}let ({twice}: i64) = mul {x} {free} \
             {all} \
             let ({last}: acc({cert})) = update_acc {next} [0] ({x}) in ({last}) }} in ({end}) }}"
        )
    }

    /// The numbers of some classes, of which the first is looked at.
    pub(super) fn partition(&mut self, env: &mut Env) {
        let (values, free) = (self.value(env, &["n"]), self.value(env, &[]));
        let [count, kept, i, x, class, y, sum, at, zero] = self.names();
        let _ = writeln!(
            self.out,
            "let ({count}: i64, {kept}: [n]i64) = partition n (is, {values}) 1 \\({i}: i64, {x}: i64) -> (i64, i64) {{ \
             let ({class}: i64) = and {i} 1 let ({y}: i64) = mul {x} {free} in ({class}, {y}) }}"
        );
        // What stands behind them is anything.
        let exp = format!(
            "loop ({sum}: i64 = 0) for {at}: i64 < {count} {{ let ({zero}: i64) = index {kept}[{at}] \
             let ({sum}_b: i64) = mul {sum} 3 let ({sum}_c: i64) = add {sum}_b {zero} in ({sum}_c) }}"
        );
        self.bind(env, &[], &exp);
    }

    pub(super) fn stream(&mut self, env: &mut Env, size: &'static str) {
        let (values, init, free) =
            (self.value(env, &[size]), self.value(env, &[]), self.value(env, &[]));
        let [k, s, c, x, y, total, ys] = self.names();
        let [a, b, d] = self.names();
        let exp = format!(
            "stream {size} ({values}) seq init ({init}) chunk \\({k}: i64, {s}: i64, {c}: [{k}]i64) -> (i64, [{k}]i64) {{ \
             let ({total}: i64, {ys}: [{k}]i64) = screma {k} ({c}) map \\({x}: i64) -> (i64, i64) {{ \
             let ({y}: i64) = mul {x} {free} in ({y}, {y}) }} \
             red \\({a}: i64, {b}: i64) -> (i64) {{ let ({d}: i64) = add {a} {b} in ({d}) }} neutral (0) \
             let ({s}_b: i64) = add {s} {total} in ({s}_b, {ys}) }}"
        );
        self.several(env, &[Vec::new(), vec![size]], &exp);
    }

    /// Pieces of differing sizes, put together; their elements are added up.
    pub(super) fn flatmap(&mut self, env: &mut Env) {
        let (values, free) = (self.value(env, &["n"]), self.value(env, &[]));
        let [total, sizes, others, flat, i, x, size, piece, other] = self.names();
        let _ = writeln!(
            self.out,
            "let ({total}: i64, {sizes}: [n]i64, {others}: [n]i64, {flat}: [{total}]i64) = \
             flatmap n (is, {values}) 1 \\({i}: i64, {x}: i64) -> (i64, i64, i64) {{ \
             let ({size}: i64) = and {i} 3 let ({piece}: [{size}]i64) = iota i64 {size} {x} {free} \
             let ({other}: i64) = mul {x} {free} in ({size}, {other}, {piece}) }}"
        );
        env.values.push((others, vec!["n"]));
        let op = self.operator(env, 1);
        let y = self.name();
        let exp = format!("screma {total} ({flat}) map \\({y}: i64) -> (i64) {{({y})}} red {op}");
        self.bind(env, &[], &exp);
    }

    /// The sum of products of elements of two arrays, which are looked up.
    pub(super) fn gather(&mut self, env: &mut Env, size: &'static str, other: &'static str) {
        let (left, right) = (self.value(env, &[size]), self.value(env, &[size]));
        let step = self.number(env);
        let places = self.hidden(&ty(&[other]), &format!("iota i64 {other} 1 1"));
        let some = self.hidden("bool", &format!("lt 0 {size}"));
        let [i, product, a, x, b, c, y, z, sum] = self.names();
        let op = self.operator(env, 1);
        let exp = format!(
            "if {some} then {{ \
             let ({sum}: i64) = screma {other} ({places}) map \\({i}: i64) -> (i64) {{ \
             let ({a}: i64) = mod {i} {size} let ({x}: i64) = index {left}[{a}] \
             let ({b}: i64) = mul {i} {step} let ({c}: i64) = mod {b} {size} let ({y}: i64) = index {right}[{c}] \
             let ({z}: i64) = mul {x} {y} let ({product}: i64) = add {z} {i} in ({product}) }} red {op} in ({sum}) }} \
             else {{(1)}}"
        );
        self.bind(env, &[], &exp);
    }
}
