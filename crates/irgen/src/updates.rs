//! Programs that change matrices in place: rows at constant and computed indices, several of one matrix, read in
//! between; parts made of slices; in loops, branches and functions of maps. Branches yield views of one matrix or
//! another, which others read until it changes.
//!
//! Everything has a name and *roots*: the arrays whose memory it may be in. When a matrix changes, whatever shares a
//! root with it is gone.

use crate::rng::Rng;
use crate::words::{Names, constant, fold};
use std::fmt::Write as _;

/// The text of a program from a seed. Its only function is `f`; it takes the size `m`, two matrices that it may change,
/// of which one is square, and two that it may not.
pub fn update_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16"][rng.below(4)];
    let (names, out) = (Names::default(), String::new());
    let mut gener = Gen { rng, prim, names, out, pool: Vec::new(), numbers: Vec::new(), roots: 4 };
    gener.numbers.extend(["j".to_owned(), "l".to_owned()]);
    let given =
        [("xs", WIDE, true), ("ss", SQUARE, true), ("ys", WIDE, false), ("ts", SQUARE, false)];
    for (root, (name, shape, own)) in given.into_iter().enumerate() {
        gener.pool.push(Value { name: name.to_owned(), shape, roots: vec![root], own });
    }
    for _ in 0..3 + gener.rng.below(5) {
        gener.statement(0);
    }
    let (names, types) = gener.results();
    let (names, types) = (names.join(", "), types.join(", "));
    format!(
        "prog arrays\nfun f (m: i64, j: i64, l: i64, *xs: [4][m]{prim}, *ss: [4][4]{prim}, ys: [4][m]{prim}, ts: [4][4]{prim}) -> ({types}) =\n\
         {}in ({names})\n",
        gener.out
    )
}

/// The sizes of an array, from the outermost one on.
type Shape = &'static [&'static str];

const WIDE: Shape = &["4", "m"];
const SQUARE: Shape = &["4", "4"];
const PAIR: Shape = &["2", "m"];
const PAIR_OF_FOUR: Shape = &["2", "4"];
const ROW: Shape = &["m"];
const FOUR: Shape = &["4"];

/// Inside of more bodies than this are no others.
const DEEP: usize = 3;

/// An array that can be read.
#[derive(Clone)]
struct Value {
    name: String,
    shape: Shape,
    roots: Vec<usize>,
    /// Whether it may be changed here.
    own: bool,
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    names: Names,
    out: String,
    /// The arrays and the indices in scope.
    pool: Vec<Value>,
    numbers: Vec<String>,
    roots: usize,
}

impl Gen {
    fn ty(&self, shape: Shape) -> String {
        let sizes: String = shape.iter().map(|size| format!("[{size}]")).collect();
        sizes + self.prim
    }

    fn let_(&mut self, ty: &str, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: {ty}) = {exp}");
        name
    }

    /// A new array, which may be changed.
    fn fresh(&mut self, shape: Shape, exp: &str) -> Value {
        let name = self.let_(&self.ty(shape), exp);
        self.root(name, shape)
    }

    fn root(&mut self, name: String, shape: Shape) -> Value {
        self.roots += 1;
        let value = Value { name, shape, roots: vec![self.roots], own: true };
        self.pool.push(value.clone());
        value
    }

    /// A view of an array.
    fn view(&mut self, of: &Value, shape: Shape, exp: &str) -> Value {
        let name = self.let_(&self.ty(shape), exp);
        let value = Value { name, shape, roots: of.roots.clone(), own: false };
        self.pool.push(value.clone());
        value
    }

    /// Some array with a property; the latest is the most interesting.
    fn some(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let all: Vec<&Value> = self.pool.iter().filter(|value| fits(value)).collect();
        let last = all.len().checked_sub(1)?;
        let at = if self.rng.chance(40) { last } else { self.rng.below(all.len()) };
        Some(all[at].clone())
    }

    /// A matrix that may be changed; a copy, if there is none.
    fn owned(&mut self) -> Value {
        let is_matrix = |value: &Value| value.shape == WIDE || value.shape == SQUARE;
        if let Some(own) = self.some(|value| value.own && is_matrix(value)) {
            // What is changed may be needed as it was.
            if self.rng.chance(15) {
                return self.fresh(own.shape, &format!("copy {}", own.name));
            }
            return own;
        }
        let name = if self.rng.chance(50) { ("ys", WIDE) } else { ("ts", SQUARE) };
        self.fresh(name.1, &format!("copy {}", name.0))
    }

    /// An array is changed: whatever may be in the same memory is gone.
    fn consume(&mut self, value: &Value) {
        self.pool.retain(|other| !other.roots.iter().any(|root| value.roots.contains(root)));
    }

    /// An index of one of four: known, or computed.
    fn place(&mut self) -> String {
        if self.rng.chance(45) {
            return self.rng.below(4).to_string();
        }
        let number = self.rng.below(self.numbers.len());
        let number = self.numbers[number].clone();
        let some = self.rng.below(4);
        let moved = self.let_("i64", &format!("add {number} {some}"));
        self.let_("i64", &format!("and {moved} 3"))
    }

    /// A row of a matrix, as a view.
    fn row_of(&mut self, matrix: &Value) -> Value {
        let place = self.place();
        let shape = if matrix.shape == WIDE { ROW } else { FOUR };
        let is_column = shape == FOUR && self.rng.chance(30);
        let dims = if is_column { format!("0:4:1, {place}") } else { place };
        self.view(matrix, shape, &format!("index {}[{dims}]", matrix.name))
    }

    /// An array of a shape that does not share memory with what is about to be changed.
    fn stored(&mut self, shape: Shape, into: &Value) -> Value {
        let apart = |value: &Value| !value.roots.iter().any(|root| into.roots.contains(root));
        if self.rng.chance(30)
            && let Some(value) = self.some(|value| value.shape == shape && apart(value))
        {
            return value;
        }
        let from = self.read(shape);
        if apart(&from) && self.rng.chance(40) {
            return from;
        }
        match self.rng.below(5) {
            0 => self.fresh(shape, &format!("copy {}", from.name)),
            1 => {
                let value = constant(self.prim, 7);
                self.fresh(shape, &format!("replicate ({}) {value}", shape.join(", ")))
            }
            2 if shape.len() == 1 => {
                let op = fold(&mut self.rng, &mut self.names, self.prim, "scan");
                let (x, prim) = (self.names.fresh(), self.prim);
                let exp = format!(
                    "screma {} ({}) map \\({x}: {prim}) -> ({prim}) {{({x})}} {op}",
                    shape[0], from.name
                );
                self.fresh(shape, &exp)
            }
            _ => {
                let other = self.read(shape);
                let exp = self.sums(shape, &from.name, &other.name);
                self.fresh(shape, &exp)
            }
        }
    }

    /// An array of a shape, which is there or a view of what is.
    fn read(&mut self, shape: Shape) -> Value {
        if self.rng.chance(40)
            && let Some(value) = self.some(|value| value.shape == shape)
        {
            return value;
        }
        let matrices: [Shape; 2] =
            if shape.contains(&"m") { [WIDE, WIDE] } else { [SQUARE, SQUARE] };
        let found = self.some(|value| matrices.contains(&value.shape));
        let Some(matrix) = found else {
            let value = constant(self.prim, 2);
            return self.fresh(shape, &format!("replicate ({}) {value}", shape.join(", ")));
        };
        match shape {
            [_] => self.row_of(&matrix),
            ["2", _] => {
                let first = self.rng.below(3);
                let part = match self.rng.below(4) {
                    0 => format!("{}:2:-1", first + 1),
                    1 if first < 2 => format!("{first}:2:2"),
                    _ => format!("{first}:2:1"),
                };
                self.view(&matrix, shape, &format!("index {}[{part}]", matrix.name))
            }
            _ if shape == SQUARE && self.rng.chance(50) => {
                self.view(&matrix, SQUARE, &format!("rearrange (1, 0) {}", matrix.name))
            }
            _ => matrix,
        }
    }

    /// The elements of two arrays, combined.
    fn sums(&mut self, shape: Shape, first: &str, second: &str) -> String {
        let [x, y, z] = self.names.several();
        let op = ["add", "sub", "xor", "mul"][self.rng.below(4)];
        let (ty, inner) = (self.ty(&shape[1..]), &shape[1..]);
        let value = match inner {
            [] => format!("{op} {x} {y}"),
            rows => self.sums(rows, &x, &y),
        };
        format!(
            "screma {} ({first}, {second}) map \\({x}: {ty}, {y}: {ty}) -> ({ty}) {{ let ({z}: {ty}) = {value} in ({z}) }}",
            shape[0]
        )
    }

    /// The sum of a row, which becomes an index as well.
    fn number(&mut self) {
        let shape = if self.rng.chance(50) { ROW } else { FOUR };
        let row = self.read(shape);
        let op = fold(&mut self.rng, &mut self.names, self.prim, "red");
        let (x, prim) = (self.names.fresh(), self.prim);
        let exp = format!(
            "screma {} ({}) map \\({x}: {prim}) -> ({prim}) {{({x})}} {op}",
            shape[0], row.name
        );
        let sum = self.let_(prim, &exp);
        let number =
            if prim == "i64" { sum } else { self.let_("i64", &format!("convert i64 {sum}")) };
        self.numbers.push(number);
    }

    fn statement(&mut self, depth: usize) {
        let deeper = depth < DEEP;
        match self.rng.below(14) {
            0..=2 => {
                let own = self.owned();
                self.several(own);
            }
            3 => self.halves(),
            4 => self.number(),
            5 => {
                let shape = [WIDE, SQUARE, PAIR, PAIR_OF_FOUR, ROW, FOUR][self.rng.below(6)];
                self.read(shape);
            }
            6 if deeper => self.views_of_branch(),
            7 | 8 if deeper => self.branch(depth),
            9 | 10 if deeper => self.loop_(depth),
            11 | 12 if deeper => self.rows(depth),
            _ => {
                let own = self.owned();
                self.change(&own);
            }
        }
    }

    /// A few changes of one matrix, with something between them that reads it; the matrix after them.
    fn several(&mut self, mut own: Value) -> Value {
        for _ in 0..1 + self.rng.below(3) {
            own = self.change(&own);
            match self.rng.below(4) {
                0 => self.number(),
                1 => drop(self.row_of(&own)),
                2 => {
                    // Of a row there is something new before the next change.
                    let row = self.row_of(&own);
                    let exp = self.sums(row.shape, &row.name, &row.name);
                    self.fresh(row.shape, &exp);
                }
                _ => {}
            }
        }
        own
    }

    /// A change of a matrix.
    fn change(&mut self, own: &Value) -> Value {
        let (shape, name) = (own.shape, own.name.clone());
        let (row, pair): (Shape, Shape) =
            if shape == WIDE { (ROW, PAIR) } else { (FOUR, PAIR_OF_FOUR) };
        let exp = match self.rng.below(10) {
            0 if shape == SQUARE => {
                let (place, at, value) = (self.place(), self.place(), constant(self.prim, 9));
                format!("update {name}[{place}, {at}] = {value}")
            }
            1 if shape == SQUARE => {
                let (column, place) = (self.stored(FOUR, own).name, self.place());
                format!("update {name}[0:4:1, {place}] = {column}")
            }
            2 | 3 => {
                let (rows, first) = (self.stored(pair, own).name, self.rng.below(3));
                match self.rng.below(3) {
                    0 => format!("update {name}[{}:2:-1] = {rows}", first + 1),
                    _ => format!("update {name}[{first}:2:1] = {rows}"),
                }
            }
            4 => {
                let (rows, first) = (self.stored(pair, own).name, self.rng.below(3));
                let (ty, [x, i]) = (self.ty(row), self.names.several());
                let places = self.let_("[2]i64", &format!("iota i64 2 {first} 1"));
                format!(
                    "scatter 2 ({places}, {rows}) map \\({i}: i64, {x}: {ty}) -> (i64, {ty}) {{({i}, {x})}} dest [4] {name}"
                )
            }
            _ => {
                let (value, place) = (self.stored(row, own).name, self.place());
                format!("update {name}[{place}] = {value}")
            }
        };
        self.consume(own);
        self.fresh(shape, &exp)
    }

    /// A matrix of two halves, which are parts of others.
    fn halves(&mut self) {
        let (shape, pair) = if self.rng.chance(60) { (WIDE, PAIR) } else { (SQUARE, PAIR_OF_FOUR) };
        let parts = [self.read(pair).name, self.read(pair).name];
        self.fresh(shape, &format!("concat 4 ({})", parts.join(", ")));
    }

    /// A body: what `work` does there, and the text of it. Outside is nothing of that; but what it changes is gone.
    fn body<T>(&mut self, changes: &[&Value], work: impl FnOnce(&mut Self) -> T) -> (String, T) {
        let (pool, numbers) = (self.pool.clone(), self.numbers.clone());
        for value in &mut self.pool {
            value.own &= changes.iter().any(|own| own.name == value.name);
        }
        let outside = std::mem::take(&mut self.out);
        let result = work(self);
        let text = std::mem::replace(&mut self.out, outside);
        (self.pool, self.numbers) = (pool, numbers);
        (text, result)
    }

    fn cond(&mut self) -> String {
        let number = self.rng.below(self.numbers.len());
        let number = self.numbers[number].clone();
        let low = self.let_("i64", &format!("and {number} 1"));
        self.let_("bool", &format!("eq {low} 0"))
    }

    /// A branch that changes a matrix in one of its bodies or in both.
    fn branch(&mut self, depth: usize) {
        let (own, cond) = (self.owned(), self.cond());
        let ty = self.ty(own.shape);
        let mut bodies = Vec::new();
        for number in 0..2 {
            let (text, result) = self.body(&[&own], |g| {
                if number == 1 && g.rng.chance(30) {
                    return own.clone();
                }
                let changed = g.several(own.clone());
                if g.rng.chance(30) {
                    g.statement(depth + 1);
                }
                // Unless that has changed it again, or is another one.
                let is_there = |value: &Value| value.own && value.shape == own.shape;
                let again = g.some(|value| is_there(value) && value.name == changed.name);
                again.unwrap_or_else(|| g.fresh(own.shape, &g.zeros(own.shape)))
            });
            bodies.push(format!("{{\n{text}in ({}) }}", result.name));
        }
        self.consume(&own);
        let name = self.let_(&ty, &format!("if {cond} then {} else {}", bodies[0], bodies[1]));
        self.root(name, own.shape);
    }

    fn zeros(&self, shape: Shape) -> String {
        format!("replicate ({}) {}", shape.join(", "), constant(self.prim, 0))
    }

    /// A branch that yields a view of one array or of another.
    fn views_of_branch(&mut self) {
        let (cond, shape) =
            (self.cond(), [WIDE, SQUARE, PAIR, PAIR_OF_FOUR, ROW, FOUR][self.rng.below(6)]);
        let (mut bodies, mut roots) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let (text, result) = self.body(&[], |g| g.read(shape));
            bodies.push(format!("{{\n{text}in ({}) }}", result.name));
            roots.extend(result.roots);
        }
        let exp = format!("if {cond} then {} else {}", bodies[0], bodies[1]);
        let name = self.let_(&self.ty(shape), &exp);
        self.pool.push(Value { name, shape, roots, own: false });
    }

    /// A loop that changes a matrix, and perhaps hands on a row that is made anew.
    fn loop_(&mut self, depth: usize) {
        let own = self.owned();
        let ty = self.ty(own.shape);
        let [param, other, i] = self.names.several();
        let row_shape = if own.shape == WIDE { ROW } else { FOUR };
        let row_ty = self.ty(row_shape);
        let row = self.rng.chance(50).then(|| self.stored(row_shape, &own));
        self.consume(&own);
        let is_there = |pool: &[Value], name: &str| pool.iter().any(|value| value.name == name);
        // A row that was a view of the matrix is gone with it.
        let row = row.filter(|row| is_there(&self.pool, &row.name));
        let trips = if self.rng.chance(60) {
            (1 + self.rng.below(4)).to_string()
        } else {
            let number = self.rng.below(self.numbers.len());
            let number = self.numbers[number].clone();
            self.let_("i64", &format!("and {number} 3"))
        };
        let (text, results) = self.body(&[], |g| {
            g.numbers.push(i.clone());
            let mut current = g.root(param.clone(), own.shape);
            if let Some(row) = &row {
                let roots = row.roots.clone();
                g.pool.push(Value { name: other.clone(), shape: row_shape, roots, own: false });
            }
            current = g.several(current);
            if g.rng.chance(40) {
                g.statement(depth + 1);
                let is_same = |value: &Value| value.own && value.name == current.name;
                if g.some(is_same).is_none() {
                    let own_shape = own.shape;
                    current = match g.some(|value| value.own && value.shape == own_shape) {
                        Some(other) => other,
                        None => g.fresh(own_shape, &g.zeros(own_shape)),
                    };
                }
            }
            let mut results = vec![current.name.clone()];
            if row.is_some() {
                let first = g.row_of(&current);
                let exp = g.sums(row_shape, &first.name, &first.name);
                results.push(g.fresh(row_shape, &exp).name);
            }
            results.join(", ")
        });
        let name = self.names.fresh();
        let (mut bound, mut params) =
            (format!("{name}: {ty}"), format!("{param}: {ty} = {}", own.name));
        let mut after = None;
        if let Some(row) = row {
            let made = self.names.fresh();
            let _ = write!(bound, ", {made}: {row_ty}");
            let _ = write!(params, ", {other}: {row_ty} = {}", row.name);
            after = Some((made, row));
        }
        let _ = writeln!(
            self.out,
            "let ({bound}) = loop ({params}) for {i}: i64 < {trips} {{\n{text}in ({results}) }}"
        );
        self.root(name, own.shape);
        if let Some((made, row)) = after {
            // Without iterations it is what it was.
            self.pool.push(Value { name: made, shape: row_shape, roots: row.roots, own: false });
        }
    }

    /// A map whose function changes a copy of a row, perhaps in a loop or branch.
    fn rows(&mut self, depth: usize) {
        let matrix = self.read(SQUARE);
        let [x, i] = self.names.several();
        let prim = self.prim;
        let places = self.let_("[4]i64", "iota i64 4 0 1");
        let (text, result) = self.body(&[], |g| {
            g.numbers.push(i.clone());
            g.roots += 1;
            g.pool.push(Value { name: x.clone(), shape: FOUR, roots: vec![g.roots], own: false });
            let mut copy = g.fresh(FOUR, &format!("copy {x}"));
            if g.rng.chance(50) {
                let mut square = g.fresh(SQUARE, &format!("replicate (4) {x}"));
                square = g.several(square);
                if g.rng.chance(50) {
                    g.statement(depth + 1);
                }
                let is_there = |value: &Value| value.name == square.name;
                if let Some(square) = g.some(is_there) {
                    copy = g.row_of(&square);
                }
            }
            let exp = g.sums(FOUR, &copy.name, &x);
            let sum = g.fresh(FOUR, &exp);
            let (place, at) = (g.place(), g.place());
            let value = g.let_(prim, &format!("index {x}[{at}]"));
            g.consume(&sum);
            g.fresh(FOUR, &format!("update {}[{place}] = {value}", sum.name)).name
        });
        let exp = format!(
            "screma 4 ({places}, {}) map \\({i}: i64, {x}: [4]{prim}) -> ([4]{prim}) {{\n{text}in ({result}) }}",
            matrix.name
        );
        self.fresh(SQUARE, &exp);
    }

    /// The latest arrays, and a sum, so that whatever is read counts: their names and types.
    fn results(&mut self) -> (Vec<String>, Vec<String>) {
        let mut taken: Vec<usize> = vec![2, 3];
        let mut all = Vec::new();
        for value in self.pool.iter().rev() {
            // Results share no memory.
            if all.len() < 4 && !value.roots.iter().any(|root| taken.contains(root)) {
                taken.extend(&value.roots);
                all.push(value.clone());
            }
        }
        let mut names: Vec<String> = all.iter().map(|value| value.name.clone()).collect();
        let mut types: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(at, value)| format!("r{at}: {}", self.ty(value.shape)))
            .collect();
        let mut sum = "0".to_owned();
        for number in self.numbers.split_off(2) {
            sum = self.let_("i64", &format!("add {sum} {number}"));
        }
        names.push(sum);
        types.push("s: i64".to_owned());
        (names, types)
    }
}
