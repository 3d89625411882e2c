//! Programs whose operators work on rows that are views: transposed, reversed, cut and reshaped, of all three
//! dimensions of an array or of what a position has of it. What follows an operator at its position, or in an operator
//! of its own, is there as well.
//!
//! Rows of this kind have no one stride, so they are copied, read where they are or refused by each place in its own way.

use crate::rng::Rng;
use crate::words::{Names, constant, fold};
use std::fmt::Write as _;

/// The text of a program from a seed. Its only function, `f`, takes the sizes `n`, `m` and `k`, an array of three dimensions and
/// one for each of them.
pub fn view_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16", "u32"][rng.below(5)];
    let mut gener = Gen { rng, prim, names: Names::default(), sizes: String::new() };
    let mut out = String::new();
    let mut results = Vec::new();
    for _ in 0..1 + gener.rng.below(2) {
        gener.nest(&mut out, &mut results);
    }
    // Sizes that are no parameters are results, too, which come before the arrays.
    let mut sizes: Vec<&str> = Vec::new();
    for dim in results.iter().flat_map(|result| &result.dims) {
        if !PARAMS.contains(&dim.as_str()) && !sizes.contains(&dim.as_str()) {
            sizes.push(dim);
        }
    }
    let named = |dim: &String| match sizes.iter().position(|size| size == dim) {
        Some(at) => format!("s{at}"),
        None => dim.clone(),
    };
    let types = (0..sizes.len()).map(|at| format!("s{at}: i64"));
    let types = types.chain(results.iter().enumerate().map(|(at, result)| {
        let dims: Vec<String> = result.dims.iter().map(named).collect();
        format!("r{at}: {}", gener.ty(&dims))
    }));
    let types: Vec<String> = types.collect();
    let arrays = results.iter().map(|result| result.name.as_str());
    let values: Vec<&str> = sizes.iter().copied().chain(arrays).collect();
    let head = format!(
        "prog arrays\nfun f (n: i64, m: i64, k: i64, xs_n: [n]{prim}, xs_m: [m]{prim}, xs_k: [k]{prim}, xsss: [n][m][k]{prim})"
    );
    format!("{head} -> ({}) =\n{}{out}in ({})\n", types.join(", "), gener.sizes, values.join(", "))
}

/// The sizes that are parameters.
const PARAMS: [&str; 3] = ["n", "m", "k"];

struct Gen {
    rng: Rng,
    prim: &'static str,
    names: Names,
    /// The code of sizes, which is in front of everything: each is a parameter or known from those before it.
    sizes: String,
}

/// An array, or a number if it has no dimensions.
#[derive(Clone)]
struct Array {
    name: String,
    dims: Vec<String>,
}

impl Gen {
    fn ty(&self, dims: &[String]) -> String {
        let shape: String = dims.iter().map(|dim| format!("[{dim}]")).collect();
        shape + self.prim
    }

    fn size(&mut self, exp: &str) -> String {
        let name = self.names.fresh();
        let _ = writeln!(self.sizes, "let ({name}: i64) = {exp}");
        name
    }

    fn bound(&mut self, out: &mut String, dims: Vec<String>, exp: &str) -> Array {
        let name = self.names.fresh();
        let _ = writeln!(out, "let ({name}: {}) = {exp}", self.ty(&dims));
        Array { name, dims }
    }

    /// An operator on an array of views, and perhaps one that follows it.
    fn nest(&mut self, out: &mut String, results: &mut Vec<Array>) {
        let dims = PARAMS.map(str::to_owned).to_vec();
        let array = Array { name: "xsss".to_owned(), dims };
        let view = self.views(out, array, 2);
        let made = self.operator(out, view);
        if !made.dims.is_empty() && self.rng.chance(60) {
            let after = self.mapped(out, &made);
            results.push(after);
            // What is needed by others, too, is stored.
            if self.rng.chance(60) {
                return;
            }
        }
        results.push(made);
    }

    /// Up to so many views of views.
    fn views(&mut self, out: &mut String, array: Array, most: usize) -> Array {
        (0..self.rng.below(most + 1)).fold(array, |array, _| self.view(out, array))
    }

    fn view(&mut self, out: &mut String, array: Array) -> Array {
        let Array { name, mut dims } = array;
        let rank = dims.len();
        let at = self.rng.below(rank);
        match self.rng.below(7) {
            0..=2 if rank > 1 => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.swap(at, (at + 1 + self.rng.below(rank - 1)) % rank);
                let turned = order.iter().map(|axis| dims[*axis].clone()).collect();
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                self.bound(out, turned, &format!("rearrange ({}) {name}", order.join(", ")))
            }
            3 | 4 if rank > 1 => {
                let at = at.min(rank - 2);
                let joined = self.size(&format!("mul {} {}", dims[at], dims[at + 1]));
                dims.splice(at..at + 2, [joined]);
                let exp = format!("reshape ({}) {name}", dims.join(", "));
                self.bound(out, dims, &exp)
            }
            5 => {
                let last = self.size(&format!("sub {} 1", dims[at]));
                self.cut(out, name, dims.clone(), at, &format!("{last}:{}:-1", dims[at]), None)
            }
            _ => {
                let half = self.size(&format!("div {} 2", dims[at]));
                let first = ["0", &half][self.rng.below(2)].to_owned();
                self.cut(out, name, dims, at, &format!("{first}:{half}:1"), Some(half))
            }
        }
    }

    /// A slice along one dimension, which may have another size then.
    fn cut(
        &mut self,
        out: &mut String,
        name: String,
        mut dims: Vec<String>,
        at: usize,
        slice: &str,
        size: Option<String>,
    ) -> Array {
        let mut parts: Vec<String> = dims.iter().map(|dim| format!("0:{dim}:1")).collect();
        slice.clone_into(&mut parts[at]);
        if let Some(size) = size {
            dims[at] = size;
        }
        self.bound(out, dims, &format!("index {name}[{}]", parts.join(", ")))
    }

    /// What is computed of an array: of its rows, or of the numbers of a vector.
    fn operator(&mut self, out: &mut String, array: Array) -> Array {
        match array.dims.len() {
            0 => array,
            1 if self.rng.chance(30) => self.mapped(out, &array),
            1 => self.folded(out, &array),
            _ => self.rows(out, &array),
        }
    }

    /// An operator for each row, of which there may be views, and perhaps something with its result.
    fn rows(&mut self, out: &mut String, array: &Array) -> Array {
        let [width, rest @ ..] = array.dims.as_slice() else { return array.clone() };
        let name = self.names.fresh();
        let mut body = String::new();
        let row = Array { name: name.clone(), dims: rest.to_vec() };
        let (given, params, other) = self.inputs(array, width, &name, rest);
        let view = self.views(&mut body, row, 2);
        let mut made = self.operator(&mut body, view);
        if self.rng.chance(50) {
            made = if made.dims.is_empty() {
                let value = self.scalar(&made.name, other.as_deref());
                self.bound(&mut body, Vec::new(), &value)
            } else {
                self.operator(&mut body, made)
            };
        }
        let ty = self.ty(&made.dims);
        let dims = [vec![width.clone()], made.dims].concat();
        let exp = format!(
            "screma {width} ({given}) map \\({params}) -> ({ty}) {{\n{body}in ({}) }}",
            made.name
        );
        self.bound(out, dims, &exp)
    }

    /// The inputs of an operator and the parameters of its function: with an array of numbers beside the first, if
    /// there is one of that size.
    fn inputs(
        &mut self,
        array: &Array,
        width: &str,
        name: &str,
        row: &[String],
    ) -> (String, String, Option<String>) {
        let (given, param) = (array.name.clone(), format!("{name}: {}", self.ty(row)));
        if PARAMS.contains(&width) && self.rng.chance(60) {
            let other = self.names.fresh();
            let params = format!("{param}, {other}: {}", self.prim);
            return (format!("{given}, xs_{width}"), params, Some(other));
        }
        (given, param, None)
    }

    /// A number computed of another one, and of a third, if there is one.
    fn scalar(&mut self, name: &str, other: Option<&str>) -> String {
        let op = ["add", "mul", "xor", "sub"][self.rng.below(4)];
        let few = constant(self.prim, 3);
        format!("{op} {name} {}", other.unwrap_or(&few))
    }

    /// A map over the numbers of an array, or over those of its rows.
    fn mapped(&mut self, out: &mut String, array: &Array) -> Array {
        let [width, rest @ ..] = array.dims.as_slice() else { return array.clone() };
        let name = self.names.fresh();
        let (given, params, other) = self.inputs(array, width, &name, rest);
        let mut body = String::new();
        let made = if rest.is_empty() {
            let value = self.scalar(&name, other.as_deref());
            self.bound(&mut body, Vec::new(), &value)
        } else {
            self.mapped(&mut body, &Array { name, dims: rest.to_vec() })
        };
        let ty = self.ty(rest);
        let exp = format!(
            "screma {width} ({given}) map \\({params}) -> ({ty}) {{ {body}in ({}) }}",
            made.name
        );
        self.bound(out, array.dims.clone(), &exp)
    }

    /// A reduction or scan of a vector.
    fn folded(&mut self, out: &mut String, array: &Array) -> Array {
        let prim = self.prim;
        let [width] = array.dims.as_slice() else { return array.clone() };
        let (word, dims) =
            if self.rng.chance(40) { ("scan", array.dims.clone()) } else { ("red", Vec::new()) };
        let op = fold(&mut self.rng, &mut self.names, prim, word);
        let name = self.names.fresh();
        let value = self.scalar(&name, None);
        let result = self.names.fresh();
        let function = format!(
            "\\({name}: {prim}) -> ({prim}) {{ let ({result}: {prim}) = {value} in ({result}) }}"
        );
        self.bound(out, dims, &format!("screma {width} ({}) map {function} {op}", array.name))
    }
}
