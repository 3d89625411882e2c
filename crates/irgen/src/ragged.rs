//! Programs with a Seg whose rows differ, for the code of one level.
//!
//! Random Segs, too, have such rows, but what stands around them is rarely what a back end can take as it is.

use crate::rng::Rng;
use crate::words::{Names, constant};
use fehu_ir::Level;
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes numbers from which it computes the widths of rows, and
/// arrays of numbers of one type. Rows are short, or some of them are long, and many are empty. Its Segs have this level, which
/// is that of tasks or of a grid.
pub fn ragged_text(seed: u64, level: Level) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16", "u32", "i64"][rng.below(6)];
    let lanes = if level == Level::Task && rng.chance(40) { " lanes" } else { "" };
    let seg = format!("seg {}{lanes}", level.name());
    let mut gener = Gen { rng, prim, seg, names: Names::default(), out: String::new() };
    gener.ends();
    gener.data();
    let results = gener.rows();
    let types: Vec<String> = (0..)
        .zip(&results)
        .map(|(index, (_, ty))| format!("r{index}: {}", ty.replace("total", "t")))
        .collect();
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    format!(
        "prog segs\nfun f (n: i64, ws: [n]i64, vs: [n]{prim}, k: {prim}) -> (t: i64, {}) =\n{}in (total, {})\n",
        types.join(", "),
        gener.out,
        names.join(", ")
    )
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    /// The words with which a Seg begins.
    seg: String,
    names: Names,
    out: String,
}

/// Scans, reductions, and what they are made of.
struct Fold {
    text: String,
    parts: usize,
}

impl Gen {
    /// Where rows end: each is shorter than some number, some lack a few positions, and every few there is a long one.
    fn ends(&mut self) {
        let (most, less) = (self.rng.range(1, 12), self.rng.range(0, 8));
        let (often, long) = (self.rng.range(1, 9), self.rng.range(0, 90));
        let seg = &self.seg;
        let _ = writeln!(
            self.out,
            "let (is: [n]i64) = iota i64 n 0 1
let (ends: [n]i64, total: i64) = {seg} [] () \\() -> ([n]i64, i64) {{
  let (ends_1: [n]i64, total_1: i64) = screma n (ws, is) map \\(w1: i64, i1: i64) -> (i64, i64) {{
    let (w2: i64) = mod w1 {most}
    let (w3: i64) = sub w2 {less}
    let (w4: i64) = max w3 0
    let (i2: i64) = mod i1 {often}
    let (is_long: bool) = eq i2 3
    let (w5: i64) = if is_long then {{({long})}} else {{(w4)}}
    in (w5, w5)
  }}
  scan \\(e1: i64, e2: i64) -> (i64) {{ let (e3: i64) = add e1 e2 in (e3) }} neutral (0)
  red comm \\(t1: i64, t2: i64) -> (i64) {{ let (t3: i64) = add t1 t2 in (t3) }} neutral (0)
  in (ends_1, total_1)
}}"
        );
    }

    /// Numbers for all positions.
    fn data(&mut self) {
        let (prim, seg) = (self.prim, &self.seg);
        let (factor, offset) = (self.rng.range(1, 5), self.rng.range(-3, 9));
        let _ = writeln!(
            self.out,
            "let (js: [total]i64) = iota i64 total 0 1
let (data: [total]{prim}) = {seg} [] () \\() -> ([total]{prim}) {{
  let (data_1: [total]{prim}) = screma total (js) map \\(j1: i64) -> ({prim}) {{
    let (j2: i64) = mul j1 {factor}
    let (j3: i64) = add j2 {offset}
    let (j4: i64) = mod j3 7
    let (j5: {prim}) = convert {prim} j4
    in (j5)
  }}
  in (data_1)
}}"
        );
    }

    /// A scan that adds.
    fn sum(&mut self) -> Fold {
        let [a, b, c] = self.names.several();
        let text = format!(
            "scan \\({a}: i64, {b}: i64) -> (i64) {{ let ({c}: i64) = add {a} {b} in ({c}) }} neutral (0)"
        );
        Fold { text, parts: 1 }
    }

    /// An associative operator with its neutral element; `fold` is the word before it.
    fn fold(&mut self, fold: &str) -> Fold {
        let names: Vec<String> = (0..9).map(|_| self.names.fresh()).collect();
        let [a, b, c, d, e, f, g, h, i] =
            [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|index| names[index].as_str());
        let (prim, zero, one) = (self.prim, constant(self.prim, 0), constant(self.prim, 1));
        let (text, parts) = match self.rng.below(6) {
            0 | 1 => {
                let comm = if fold == "red" && self.rng.chance(70) { " comm" } else { "" };
                let op = ["add", "or", "xor", "max"][self.rng.below(3)];
                let text = format!(
                    "{fold}{comm} \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: {prim}) = {op} {a} {b} in ({c}) }} neutral ({zero})"
                );
                (text, 1)
            }
            // The last number that is not zero, which is not commutative.
            2 | 3 => {
                let text = format!(
                    "{fold} \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: bool) = eq {b} {zero} \
                     let ({d}: {prim}) = if {c} then {{({a})}} else {{({b})}} in ({d}) }} neutral ({zero})"
                );
                (text, 1)
            }
            // Linear functions, one after the other.
            4 => {
                let text = format!(
                    "{fold} \\({a}: {prim}, {b}: {prim}, {c}: {prim}, {d}: {prim}) -> ({prim}, {prim}) {{ \
                     let ({e}: {prim}) = mul {a} {c} let ({f}: {prim}) = mul {b} {c} \
                     let ({g}: {prim}) = add {f} {d} in ({e}, {g}) }} neutral ({one}, {zero})"
                );
                (text, 2)
            }
            // An operator that is another one in each row: its neutral element, too.
            _ => {
                let text = format!(
                    "{fold} \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: bool) = eq {b} shift \
                     let ({h}: {prim}) = if {c} then {{({a})}} else {{({b})}} \
                     let ({i}: {prim}) = min {h} {h} in ({i}) }} neutral (shift)"
                );
                (text, 1)
            }
        };
        Fold { text, parts }
    }

    /// The Seg; returns the names and types of its results.
    fn rows(&mut self) -> Vec<(String, String)> {
        let prim = self.prim;
        // Scans that count are made in a way of their own.
        let counts = prim == "i64" && self.rng.chance(60);
        let scans: Vec<Fold> = match counts {
            true => (0..1 + self.rng.below(3)).map(|_| self.sum()).collect(),
            false => (0..self.rng.below(3)).map(|_| self.fold("scan")).collect(),
        };
        let reds: Vec<Fold> = (0..self.rng.below(3)).map(|_| self.fold("red")).collect();
        let nothing = scans.is_empty() && reds.is_empty();
        let plain = usize::from(nothing) + self.rng.below(2);
        let pairs = self.rng.chance(25);
        let parts = |folds: &[Fold]| folds.iter().map(|fold| fold.parts).sum::<usize>();
        let (scanned, reduced) = (parts(&scans), parts(&reds));
        // What the function returns, and the shapes of what it becomes inside and outside.
        let mut shapes = vec![("", "[w]", "[total]"); scanned];
        shapes.extend(vec![("", "", "[n]"); reduced]);
        shapes.extend(vec![("", "[w]", "[total]"); plain]);
        shapes.extend(pairs.then_some(("[2]", "[w][2]", "[total][2]")));
        let (mut values, mut body) = self.function(shapes.len(), pairs);
        if counts {
            for value in &mut values[..scanned] {
                let (is, flag, limit) =
                    (self.names.fresh(), self.names.fresh(), self.rng.range(0, 20));
                let _ = writeln!(body, "    let ({is}: bool) = lt {value} {limit}");
                let _ = writeln!(body, "    let ({flag}: i64) = convert i64 {is}");
                *value = flag;
            }
        }
        let inner: Vec<String> = shapes.iter().map(|_| self.names.fresh()).collect();
        let outer: Vec<String> = shapes.iter().map(|_| self.names.fresh()).collect();
        let follows = scanned > 0 && self.rng.chance(60);
        // Some of the reductions' results may be left out, and arrays that only an epilogue reads.
        let last = shapes.len() - 1;
        let kept: Vec<bool> = shapes
            .iter()
            .enumerate()
            .map(|(k, (_, inside, _))| match *inside {
                "[w]" => !follows || self.rng.chance(30),
                "" => (k == last && !follows) || !self.rng.chance(20),
                _ => true,
            })
            .collect();
        let list = |texts: Vec<String>| texts.join(", ");
        let typed = |names: &[String], which: fn(&(&str, &str, &str)) -> String| {
            names.iter().zip(&shapes).map(|(n, s)| format!("{n}: {}{prim}", which(s))).collect()
        };
        let bound: Vec<String> = typed(&inner, |shape| shape.1.to_owned());
        let named: Vec<String> = typed(&outer, |shape| shape.2.to_owned());
        let only = |texts: Vec<String>| -> Vec<String> {
            texts.into_iter().zip(&kept).filter(|(_, kept)| **kept).map(|(text, _)| text).collect()
        };
        let ret = shapes.iter().map(|shape| format!("{}{prim}", shape.1)).collect();
        let map_ret = shapes.iter().map(|shape| format!("{}{prim}", shape.0)).collect();
        let folds: Vec<&str> = scans.iter().chain(&reds).map(|fold| fold.text.as_str()).collect();
        let (mut named, mut ret, mut results) = (only(named), only(ret), only(inner.clone()));
        let outside = outer.into_iter().zip(&shapes).map(|(n, s)| (n, format!("{}{prim}", s.2)));
        let mut made: Vec<(String, String)> =
            outside.zip(&kept).filter(|(_, kept)| **kept).map(|(result, _)| result).collect();
        let seen = inner.iter().zip(&shapes).filter(|(_, shape)| shape.1 == "[w]");
        let seen: Vec<String> = seen.map(|(name, _)| name.clone()).collect();
        let mut epilogue = String::new();
        let writes = follows && self.rng.chance(60);
        if follows {
            let name = self.names.fresh();
            epilogue = self.epilogue(&seen, &name, writes);
            results.push(name);
            ret.push(format!("[w]{prim}"));
            let name = self.names.fresh();
            named.push(format!("{name}: [total]{prim}"));
            made.push((name, format!("[total]{prim}")));
        }
        let (mut input, mut param) = ("vs", format!("v: {prim}"));
        if writes {
            (input, param) = ("vs, acc", format!("{param}, given: acc(cert)"));
            ret.push("acc(cert)".to_owned());
            results.push("written".to_owned());
            named.push("all: acc(cert)".to_owned());
        }
        let seg = self.seg.clone();
        let seg = format!(
            "let ({}) = {seg} [n] rows ends total ({input}) \\(i: i64, start: i64, w: i64, {param}) -> ({}) {{
  let (row: [w]{prim}) = index data[start:w:1]
  let (shift: {prim}) = add v k
  let (places: [w]i64) = iota i64 w 0 1
  let ({}) = screma w (row) map \\(x: {prim}) -> ({}) {{
{body}    in ({})
  }}
  {}
  {epilogue}
  in ({})
}}",
            list(named),
            list(ret),
            list(bound),
            list(map_ret),
            list(values),
            folds.join("\n  "),
            list(results),
        );
        if !writes {
            let _ = writeln!(self.out, "{seg}");
            return made;
        }
        let inside: Vec<String> = made.iter().map(|(name, _)| name.clone()).collect();
        let types: Vec<String> = made.iter().map(|(_, ty)| ty.clone()).collect();
        made.iter_mut().for_each(|(name, _)| *name = self.names.fresh());
        made.insert(0, (self.names.fresh(), format!("[total]{prim}")));
        let bound = made.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let _ = writeln!(
            self.out,
            "let (dest: [total]{prim}) = scratch [total]{prim}
let ({}) = withacc acc [total] (dest) in \\(cert: unit, acc: acc(cert)) -> ({}) {{
{seg}
in ({})
}}",
            list(bound),
            list([vec!["acc(cert)".to_owned()], types].concat()),
            list([vec!["all".to_owned()], inside].concat()),
        );
        made
    }

    /// An operator that gets the elements of arrays of a scan: it adds them up, and writes the sums in the opposite order, too.
    fn epilogue(&mut self, arrays: &[String], result: &str, writes: bool) -> String {
        let prim = self.prim;
        let mut inputs = arrays.to_vec();
        if inputs.len() > 1 {
            inputs.truncate(1 + self.rng.below(arrays.len()));
        }
        if self.rng.chance(40) {
            inputs.push("row".to_owned());
        }
        let params: Vec<String> = inputs.iter().map(|_| self.names.fresh()).collect();
        let mut typed: Vec<String> = params.iter().map(|p| format!("{p}: {prim}")).collect();
        let mut body = String::new();
        let mut sum = if self.rng.chance(50) { "shift".to_owned() } else { constant(self.prim, 1) };
        for param in &params {
            let next = self.names.fresh();
            let _ = writeln!(body, "    let ({next}: {prim}) = add {sum} {param}");
            sum = next;
        }
        if self.rng.chance(50) {
            let [number, next] = self.names.several();
            let _ = writeln!(body, "    let ({number}: {prim}) = convert {prim} at");
            let _ = writeln!(body, "    let ({next}: {prim}) = xor {sum} {number}");
            sum = next;
        }
        inputs.push("places".to_owned());
        typed.push("at: i64".to_owned());
        let (mut bound, mut ret, mut results) =
            (format!("{result}: [w]{prim}"), prim.to_owned(), sum.clone());
        if writes {
            inputs.push("given".to_owned());
            typed.push("present: acc(cert)".to_owned());
            let _ = writeln!(
                body,
                "    let (end: i64) = add start w
    let (back: i64) = sub end at
    let (place: i64) = sub back 1
    let (after: acc(cert)) = update_acc present [place] ({sum})"
            );
            bound.push_str(", written: acc(cert)");
            ret.push_str(", acc(cert)");
            results.push_str(", after");
        }
        format!(
            "let ({bound}) = screma w ({}) map \\({}) -> ({ret}) {{\n{body}    in ({results})\n  }}",
            inputs.join(", "),
            typed.join(", ")
        )
    }

    /// The statements of the map's function, and what it returns.
    fn function(&mut self, count: usize, pairs: bool) -> (Vec<String>, String) {
        let prim = self.prim;
        let mut body = String::new();
        let [y, z] = self.names.several();
        let few = constant(self.prim, 3);
        let _ = writeln!(body, "    let ({y}: {prim}) = mul x {few}");
        let _ = writeln!(body, "    let ({z}: {prim}) = add {y} shift");
        let mut values = vec!["x".to_owned(), y, z];
        match self.rng.below(5) {
            // Something that is not executed twice.
            0 | 1 => {
                let [a, b, c, d] = self.names.several();
                let steps = self.rng.range(0, 4);
                let _ = writeln!(
                    body,
                    "    let ({a}: {prim}) = loop ({b}: {prim} = x) for {d}: i64 < {steps} {{ let ({c}: {prim}) = mul {b} shift in ({c}) }}"
                );
                values.push(a);
            }
            // A check.
            2 => {
                let (c, cert, limit) =
                    (self.names.fresh(), self.names.fresh(), constant(self.prim, 100));
                let _ = writeln!(
                    body,
                    "    let ({c}: bool) = le shift {limit}\n    let ({cert}: unit) = assert {c} \"large\""
                );
            }
            _ => {}
        }
        let mut chosen: Vec<String> =
            (0..count).map(|_| values[self.rng.below(values.len())].clone()).collect();
        if pairs && let Some(last) = chosen.last_mut() {
            let both = self.names.fresh();
            let _ = writeln!(body, "    let ({both}: [2]{prim}) = replicate (2) {last}");
            *last = both;
        }
        (chosen, body)
    }
}
