//! Programs whose arrays have as many elements as a counter says: they grow, shrink and are multiplied from iteration
//! to iteration, in loops, in functions of maps, in loops inside of those and the other way round, and in branches;
//! some iterate over nothing at all.
//!
//! Several of them are alive together, others are handed on by loops, and all of them are read: by index, by
//! reductions, or after a scan, a map or an update. So whoever thinks that one of them is smaller than it is, or that
//! it is gone already, gets other numbers.

use crate::rng::Rng;
use crate::words::{Names, constant, fold};
use std::fmt::Write as _;

/// The text of a program from a seed. Its only function is `f`; it takes two sizes with an array of each, two other
/// numbers and a value.
pub fn growing_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16"][rng.below(4)];
    let (names, out, values) = (Names::default(), String::new(), vec!["u".to_owned()]);
    let (numbers, pool) = (Vec::new(), Vec::new());
    let mut gener = Gen { rng, prim, names, out, numbers, pool, values };
    for (name, size) in [("xs", "n"), ("ys", "m")] {
        let size = Number { name: size.to_owned(), most: OUTSIDE, bound: None };
        gener.pool.push(Array {
            name: name.to_owned(),
            size: size.name.clone(),
            some: false,
            own: false,
        });
        gener.numbers.push(size);
    }
    for _ in 0..2 + gener.rng.below(3) {
        gener.statement(0);
    }
    let (types, results) = gener.results();
    format!(
        "prog arrays\nfun f (n: i64, m: i64, j: i64, l: i64, u: {prim}, xs: [n]{prim}, ys: [m]{prim}) -> ({}) =\n{}in ({})\n",
        types.join(", "),
        gener.out,
        results.join(", ")
    )
}

/// About how large the sizes of arguments are.
const OUTSIDE: i64 = 6;

/// Nothing is made of numbers that may be larger than this.
const LARGE: i64 = 24;

/// Inside of more bodies than this are no others.
const DEEP: usize = 3;

/// A size or a counter, which is not negative.
#[derive(Clone)]
struct Number {
    name: String,
    /// About how large it gets.
    most: i64,
    /// For a counter, what it is always less than.
    bound: Option<String>,
}

/// An array that can be read.
#[derive(Clone)]
struct Array {
    name: String,
    size: String,
    /// Whether it has any elements for sure.
    some: bool,
    /// Whether it may be changed here, because nobody else has its memory.
    own: bool,
}

/// The size of a new array.
struct Size {
    name: String,
    some: bool,
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    names: Names,
    out: String,
    /// What is in scope: numbers, arrays, and single elements.
    numbers: Vec<Number>,
    pool: Vec<Array>,
    values: Vec<String>,
}

impl Gen {
    fn let_(&mut self, ty: &str, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: {ty}) = {exp}");
        name
    }

    fn number(&mut self, exp: &str) -> String {
        self.let_("i64", exp)
    }

    fn value(&mut self) -> String {
        let at = self.rng.below(self.values.len());
        self.values[at].clone()
    }

    /// A number in scope; the latest, which are counters, are the most interesting.
    fn some_number(&mut self) -> Number {
        let count = self.numbers.len();
        let at = if self.rng.chance(60) { count - 1 } else { self.rng.below(count) };
        self.numbers[at].clone()
    }

    /// A size that changes with counters, if there are any.
    fn size(&mut self) -> Size {
        let (first, second) = (self.some_number(), self.some_number());
        let (few, factor) = (self.rng.range(1, 3), self.rng.range(2, 3));
        let name = &first.name;
        let (exp, most, some) = match (self.rng.below(15), &first.bound) {
            (0 | 1, _) => (name.clone(), first.most, false),
            (2 | 3, _) => {
                let times = self.number(&format!("mul {name} {factor}"));
                (self.number(&format!("add {times} {few}")), first.most * factor + few, true)
            }
            // It shrinks.
            (4..=6, Some(bound)) => {
                let rest = self.number(&format!("sub {bound} {name}"));
                match self.rng.below(3) {
                    0 => (self.number(&format!("sub {rest} 1")), first.most, false),
                    1 => (self.number(&format!("add {rest} {few}")), first.most + few, true),
                    _ => (rest, first.most, true),
                }
            }
            (7 | 8, _) => {
                let other = &second.name;
                (self.number(&format!("mul {name} {other}")), first.most * second.most, false)
            }
            (9, _) => {
                let sum = self.number(&format!("add {name} {}", second.name));
                (self.number(&format!("add {sum} {few}")), first.most + second.most + few, true)
            }
            (10, _) => match self.rng.below(3) {
                0 => {
                    let half = self.number(&format!("div {name} 2"));
                    (self.number(&format!("add {half} 1")), first.most, true)
                }
                1 => (self.number(&format!("min {name} {few}")), few, false),
                _ => {
                    let less = self.number(&format!("sub {name} {few}"));
                    (self.number(&format!("max {less} 0")), first.most, false)
                }
            },
            _ => (self.number(&format!("add {name} {few}")), first.most + few, true),
        };
        if most > LARGE {
            let name = self.number(&format!("min {exp} {LARGE}"));
            return Size { name, some };
        }
        Size { name: exp, some }
    }

    fn array(&mut self, size: &Size, exp: &str) -> Array {
        let name = self.let_(&format!("[{}]{}", size.name, self.prim), exp);
        let array = Array { name, size: size.name.clone(), some: size.some, own: true };
        self.pool.push(array.clone());
        array
    }

    /// A number as an element.
    fn converted(&mut self, number: &str) -> String {
        let prim = self.prim;
        match prim {
            "i64" => self.let_(prim, &format!("mul {number} 3")),
            prim => self.let_(prim, &format!("convert {prim} {number}")),
        }
    }

    /// An array of a size that is made anew.
    fn fresh(&mut self, size: &Size) -> Array {
        let (count, value) = (size.name.clone(), self.value());
        let exp = match self.rng.below(4) {
            0 => format!("replicate ({count}) {value}"),
            // Something has to be in memory for a view of it.
            1 => {
                let made = self.let_(
                    &format!("[{count}]{}", self.prim),
                    &format!("replicate ({count}) {value}"),
                );
                format!("rearrange (0) {made}")
            }
            _ => {
                let op = ["add", "sub", "xor"][self.rng.below(3)];
                let is = self.let_(&format!("[{count}]i64"), &format!("iota i64 {count} 1 1"));
                self.map(&count, &[(is, "i64")], |g, params| {
                    let number = g.converted(&params[0]);
                    g.let_(g.prim, &format!("{op} {number} {value}"))
                })
            }
        };
        let own = !exp.starts_with("rearrange");
        let array = self.array(size, &exp);
        if let Some(last) = self.pool.last_mut() {
            last.own = own;
        }
        Array { own, ..array }
    }

    /// A map of single elements.
    fn map(
        &mut self,
        width: &str,
        inputs: &[(String, &str)],
        body: impl FnOnce(&mut Self, &[String]) -> String,
    ) -> String {
        let params: Vec<String> = inputs.iter().map(|_| self.names.fresh()).collect();
        let outside = std::mem::take(&mut self.out);
        let result = body(self, &params);
        let text = std::mem::replace(&mut self.out, outside);
        let arrays: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
        let typed: Vec<String> =
            params.iter().zip(inputs).map(|(param, (_, ty))| format!("{param}: {ty}")).collect();
        format!(
            "screma {width} ({}) map \\({}) -> ({}) {{\n{text}in ({result}) }}",
            arrays.join(", "),
            typed.join(", "),
            self.prim
        )
    }

    /// A fold of an array: `red` or `scan`.
    fn folded(&mut self, array: &Array, word: &str) -> String {
        let op = fold(&mut self.rng, &mut self.names, self.prim, word);
        let (x, prim) = (self.names.fresh(), self.prim);
        format!(
            "screma {} ({}) map \\({x}: {prim}) -> ({prim}) {{({x})}} {op}",
            array.size, array.name
        )
    }

    fn some_array(&mut self) -> Array {
        let count = self.pool.len();
        let at = if self.rng.chance(50) { count - 1 } else { self.rng.below(count) };
        self.pool[at].clone()
    }

    /// A position of an array that has some.
    fn position(&mut self, array: &Array) -> String {
        let number = if self.rng.chance(50) { "j".to_owned() } else { self.some_number().name };
        match self.rng.below(3) {
            0 => self.number(&format!("sub {} 1", array.size)),
            1 => "0".to_owned(),
            _ => self.number(&format!("mod {number} {}", array.size)),
        }
    }

    /// Something of an array: an element, or a sum.
    fn read(&mut self, array: &Array) {
        let value = if array.some && self.rng.chance(60) {
            let at = self.position(array);
            self.let_(self.prim, &format!("index {}[{at}]", array.name))
        } else {
            let exp = self.folded(array, "red");
            self.let_(self.prim, &exp)
        };
        self.values.push(value);
    }

    /// An array made of others.
    fn derived(&mut self) {
        let array = self.some_array();
        let size = Size { name: array.size.clone(), some: array.some };
        match self.rng.below(6) {
            0 => {
                let exp = self.folded(&array, "scan");
                self.array(&size, &exp);
            }
            1 => {
                let value = self.value();
                let prim = self.prim;
                let exp = self.map(&size.name, &[(array.name, prim)], |g, params| {
                    g.let_(prim, &format!("xor {} {value}", params[0]))
                });
                self.array(&size, &exp);
            }
            // Rows of such a length, turned.
            2 => {
                let is = self
                    .let_(&format!("[{}]i64", size.name), &format!("iota i64 {} 0 1", size.name));
                let ([i, row, x], prim) = (self.names.several(), self.prim);
                let outside = std::mem::take(&mut self.out);
                let number = self.converted(&i);
                let text = std::mem::replace(&mut self.out, outside);
                let rows = self.let_(
                    &format!("[{}][3]{prim}", size.name),
                    &format!("screma {} ({is}) map \\({i}: i64) -> ([3]{prim}) {{\n{text}let ({x}: [3]{prim}) = replicate (3) {number} in ({x}) }}", size.name),
                );
                let turned = self.let_(
                    &format!("[3][{}]{prim}", size.name),
                    &format!("rearrange (1, 0) {rows}"),
                );
                let inner =
                    Array { name: row.clone(), size: size.name.clone(), some: false, own: false };
                let (sum, exp) = (self.names.fresh(), self.folded(&inner, "red"));
                let exp = format!(
                    "screma 3 ({turned}) map \\({row}: [{}]{prim}) -> ({prim}) {{ let ({sum}: {prim}) = {exp} in ({sum}) }}",
                    size.name
                );
                self.array(&Size { name: "3".to_owned(), some: true }, &exp);
            }
            3 => {
                let other = self.some_array();
                let size = Size {
                    name: self.number(&format!("add {} {}", array.size, other.size)),
                    some: array.some || other.some,
                };
                self.array(
                    &size,
                    &format!("concat {} ({}, {})", size.name, array.name, other.name),
                );
            }
            _ => self.updated(),
        }
    }

    /// A change of an array, in place.
    fn updated(&mut self) {
        let Some(at) = self.pool.iter().rposition(|array| array.own && array.some) else { return };
        let old = self.pool.remove(at);
        let size = Size { name: old.size.clone(), some: true };
        let place = self.position(&old);
        let ty = format!("[{}]{}", old.size, self.prim);
        match self.rng.below(3) {
            0 => {
                let value = self.value();
                self.array(&size, &format!("update {}[{place}] = {value}", old.name));
            }
            // A part that was made anew.
            1 => {
                let part = self.number(&format!("sub {} {place}", old.size));
                let part = Size { name: part, some: true };
                let new = self.fresh(&part);
                self.pool.retain(|array| array.name != new.name);
                let exp = format!("update {}[{place}:{}:1] = {}", old.name, part.name, new.name);
                self.array(&size, &exp);
            }
            _ => {
                let ([x, y, i], value) = (self.names.several(), self.value());
                let exp = format!(
                    "loop ({x}: {ty} = {}) for {i}: i64 < {} {{\nlet ({y}: {ty}) = update {x}[{i}] = {value} in ({y}) }}",
                    old.name, old.size
                );
                self.array(&size, &exp);
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        let deeper = depth < DEEP;
        match self.rng.below(if depth == 0 { 8 } else { 14 }) {
            0 | 1 if deeper => self.counted(depth),
            2 | 3 if deeper => self.positions(depth),
            4 if deeper => self.grown(depth),
            5 if deeper => self.branch(depth),
            6 | 8 | 9 => self.derived(),
            7 => {
                let array = self.some_array();
                self.read(&array);
            }
            _ => {
                let size = self.size();
                let array = self.fresh(&size);
                if self.rng.chance(40) {
                    self.read(&array);
                }
            }
        }
    }

    /// How often a loop iterates, or how many positions a map has; there may be none.
    fn bound(&mut self, depth: usize) -> (String, i64) {
        if depth > 1 || self.rng.chance(20) {
            let few = self.rng.range(0, 4);
            if self.rng.chance(50) {
                return (few.to_string(), few);
            }
            let name = if self.rng.chance(50) { "j" } else { "l" };
            return (self.number(&format!("and {name} 3")), 3);
        }
        if depth == 0 {
            let name = if self.rng.chance(60) { "n" } else { "m" };
            return (name.to_owned(), OUTSIDE);
        }
        let number = self.some_number();
        let more = self.number(&format!("add {} 1", number.name));
        (more, number.most + 1)
    }

    /// A body with a few statements. It yields one value, which everything in it has to do with; the text and the value.
    fn body(&mut self, depth: usize, start: impl FnOnce(&mut Self)) -> (String, String) {
        let scope = (self.numbers.clone(), self.pool.clone(), self.values.clone());
        let (arrays, values) = (self.pool.len(), self.values.len());
        self.pool.iter_mut().for_each(|array| array.own = false);
        let outside = std::mem::take(&mut self.out);
        start(self);
        // So that something depends on the counter.
        let size = self.size();
        self.fresh(&size);
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth + 1);
        }
        // What has not been read yet is alive until now.
        for array in self.pool.split_off(arrays.min(self.pool.len())) {
            self.read(&array);
        }
        let mut all = self.value();
        for value in self.values.split_off(values) {
            let op = ["add", "xor", "sub"][self.rng.below(3)];
            all = self.let_(self.prim, &format!("{op} {all} {value}"));
        }
        let text = std::mem::replace(&mut self.out, outside);
        (self.numbers, self.pool, self.values) = scope;
        (text, all)
    }

    fn counter(&mut self, name: &str, bound: &str, most: i64) {
        let bound = Some(bound.to_owned());
        self.numbers.push(Number { name: name.to_owned(), most, bound });
    }

    fn counted(&mut self, depth: usize) {
        let (mut bound, most) = self.bound(depth);
        if self.rng.chance(25) {
            // It may be negative, or so in all but the last iterations of another loop.
            let less = self.rng.range(2, 4);
            bound = self.number(&format!("sub {bound} {less}"));
        }
        let ([x, i], first, prim) = (self.names.several(), self.value(), self.prim);
        let (text, result) = self.body(depth, |g| {
            g.counter(&i, &bound, most);
            g.values.push(x.clone());
        });
        let exp = format!(
            "loop ({x}: {prim} = {first}) for {i}: i64 < {bound} {{\n{text}in ({result}) }}"
        );
        let value = self.let_(prim, &exp);
        self.values.push(value);
    }

    fn positions(&mut self, depth: usize) {
        let (width, most) = self.bound(depth);
        let is = self.let_(&format!("[{width}]i64"), &format!("iota i64 {width} 0 1"));
        let (i, prim) = (self.names.fresh(), self.prim);
        let (text, result) = self.body(depth, |g| g.counter(&i, &width, most));
        let exp = format!(
            "screma {width} ({is}) map \\({i}: i64) -> ({prim}) {{\n{text}in ({result}) }}"
        );
        self.array(&Size { name: width, some: false }, &exp);
    }

    /// A loop that hands on an array of another size than it got.
    fn grown(&mut self, depth: usize) {
        let (bound, most) = self.bound(depth);
        let start = Size { name: self.rng.range(1, 3).to_string(), some: true };
        let first = self.fresh(&start);
        self.pool.retain(|array| array.name != first.name);
        let [size, array, other, i, after, arrays] = self.names.several();
        let (value, prim) = (self.value(), self.prim);
        let mut next = None;
        let (text, result) = self.body(depth, |g| {
            g.counter(&i, &bound, most);
            g.values.push(other.clone());
            let own = Array { name: array.clone(), size: size.clone(), some: true, own: true };
            next = Some(g.next(&own));
            g.pool.push(Array { own: false, ..own });
        });
        let (next, grown) = next.unwrap_or_else(|| (size.clone(), array.clone()));
        let name = self.names.fresh();
        let _ = writeln!(
            self.out,
            "let ({after}: i64, {arrays}: [{after}]{prim}, {name}: {prim}) = loop ({size}: i64 = {}, {array}: [{size}]{prim} = {}, {other}: {prim} = {value}) for {i}: i64 < {bound} {{\n\
             {text}in ({next}, {grown}, {result}) }}",
            start.name, first.name
        );
        self.values.push(name);
        self.pool.push(Array { name: arrays, size: after, some: true, own: true });
    }

    /// The array after an iteration, which nobody else gets, and its size.
    fn next(&mut self, array: &Array) -> (String, String) {
        let (grown, size) = match self.rng.below(6) {
            0 => {
                let less = self.number(&format!("sub {} 1", array.size));
                let size = Size { name: self.number(&format!("max {less} 1")), some: true };
                let part = format!("[{}]{}", size.name, self.prim);
                let part = self.let_(&part, &format!("index {}[0:{}:1]", array.name, size.name));
                let (prim, value) = (self.prim, self.value());
                let exp = self.map(&size.name, &[(part, prim)], |g, params| {
                    g.let_(prim, &format!("add {} {value}", params[0]))
                });
                (self.array(&size, &exp), size)
            }
            // New elements, read from those before.
            1 => {
                let more = self.number(&format!("add {} 2", array.size));
                let size = Size { name: more, some: true };
                let is = self
                    .let_(&format!("[{}]i64", size.name), &format!("iota i64 {} 1 1", size.name));
                let old = array.clone();
                let exp = self.map(&size.name, &[(is, "i64")], |g, params| {
                    let at = g.number(&format!("mod {} {}", params[0], old.size));
                    g.let_(g.prim, &format!("index {}[{at}]", old.name))
                });
                (self.array(&size, &exp), size)
            }
            kind => {
                let part = if kind == 2 {
                    self.size()
                } else {
                    Size { name: self.rng.range(1, 3).to_string(), some: true }
                };
                let new = self.fresh(&part);
                self.pool.retain(|array| array.name != new.name);
                let both = self.number(&format!("add {} {}", array.size, part.name));
                let size = Size { name: both, some: true };
                let exp = match self.rng.chance(70) {
                    true => format!("concat {} ({}, {})", size.name, array.name, new.name),
                    false => format!("concat {} ({}, {})", size.name, new.name, array.name),
                };
                (self.array(&size, &exp), size)
            }
        };
        // Others may read it, but not change it: it is handed on.
        if let Some(last) = self.pool.last_mut() {
            last.own = false;
        }
        (size.name, grown.name)
    }

    fn branch(&mut self, depth: usize) {
        let name = if self.rng.chance(50) { "j".to_owned() } else { self.some_number().name };
        let cond = if self.rng.chance(40) {
            // The last iterations are other ones than the first.
            let op = ["lt", "le"][self.rng.below(2)];
            let few = self.rng.range(0, 4);
            self.let_("bool", &format!("{op} {name} {few}"))
        } else {
            let low = self.number(&format!("and {name} 1"));
            self.let_("bool", &format!("eq {low} 0"))
        };
        let (text, result) = self.body(depth, |_| {});
        let (other, otherwise) = if self.rng.chance(50) {
            self.body(depth, |_| {})
        } else {
            (String::new(), constant(self.prim, 5))
        };
        let exp = format!(
            "if {cond} then {{\n{text}in ({result}) }} else {{\n{other}in ({otherwise}) }}"
        );
        let value = self.let_(self.prim, &exp);
        self.values.push(value);
    }

    /// The latest arrays and the sum of all values: types and names.
    fn results(&mut self) -> (Vec<String>, Vec<String>) {
        let mut arrays: Vec<Array> = self.pool.split_off(2);
        arrays.retain(|array| array.own);
        let (mut sizes, mut types, mut names): (Vec<String>, Vec<String>, Vec<String>) =
            Default::default();
        for (at, array) in arrays.iter().rev().take(3).enumerate() {
            let mut size = array.size.clone();
            if !["n", "m"].contains(&size.as_str()) && size.parse::<i64>().is_err() {
                let place = sizes.iter().position(|other| *other == size);
                let place = place.unwrap_or_else(|| {
                    sizes.push(size.clone());
                    sizes.len() - 1
                });
                size = format!("s{place}");
            }
            types.push(format!("r{at}: [{size}]{}", self.prim));
            names.push(array.name.clone());
        }
        let mut all = "u".to_owned();
        for value in self.values.split_off(1) {
            all = self.let_(self.prim, &format!("add {all} {value}"));
        }
        types.push(format!("t: {}", self.prim));
        names.push(all);
        let first = (0..sizes.len()).map(|at| format!("s{at}: i64")).collect();
        ([first, types].concat(), [sizes, names].concat())
    }
}
