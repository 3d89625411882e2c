//! Programs for the kernels of GPUs: long and segmented reductions and scans, histograms with few and many bins, of numbers
//! and of pairs, positions of extremes, matrix products, sums over all pairs, transpositions of wide and narrow matrices, and rows for
//! which a block of threads does several things.
//!
//! Other random programs have these, too, but rarely all that makes one of them a kernel of its own kind.

use crate::rng::Rng;
use crate::words::{Names, constant, fold};
use std::fmt::Write;

/// The text of a program from a seed. Its only function, `f`, takes the sizes `n`, `m` and `k` and arrays of numbers of one type;
/// it consists of a few operators whose results it returns.
pub fn kernel_text(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let prim = ["i64", "i32", "u8", "i16", "u32"][rng.below(5)];
    let mut gener =
        Gen { rng, prim, names: Names::default(), out: String::new(), results: Vec::new() };
    for _ in 0..2 + gener.rng.below(2) {
        gener.operator();
    }
    let types: Vec<String> = (0..)
        .zip(&gener.results)
        .map(|(index, (_, shape))| format!("r{index}: {shape}{prim}"))
        .collect();
    let names: Vec<&str> = gener.results.iter().map(|(name, _)| name.as_str()).collect();
    format!(
        "prog arrays\nfun f (n: i64, m: i64, k: i64, xs: [n]{prim}, is: [n]i64, xss: [n][m]{prim}, yss: [m][k]{prim}) -> ({}) =\n{}in ({})\n",
        types.join(", "),
        gener.out,
        names.join(", ")
    )
}

struct Gen {
    rng: Rng,
    prim: &'static str,
    names: Names,
    out: String,
    /// Names and shapes of results.
    results: Vec<(String, String)>,
}

impl Gen {
    fn result(&mut self, shape: &str, exp: &str) {
        let name = self.names.fresh();
        let _ = writeln!(self.out, "let ({name}: {shape}{}) = {exp}", self.prim);
        self.results.push((name, shape.to_owned()));
    }

    /// A function of a number, which may have a check.
    fn function(&mut self) -> String {
        let [x, y, c, cert] = self.names.several();
        let (prim, few) = (self.prim, constant(self.prim, 3));
        let check = match self.rng.below(6) {
            0 => {
                let limit = constant(self.prim, 120);
                format!(
                    "let ({c}: bool) = le {x} {limit} let ({cert}: unit) = assert {c} \"large\" "
                )
            }
            _ => String::new(),
        };
        format!(
            "\\({x}: {prim}) -> ({prim}) {{ {check}let ({y}: {prim}) = mul {x} {few} in ({y}) }}"
        )
    }

    fn operator(&mut self) {
        let prim = self.prim;
        match self.rng.below(16) {
            0 => {
                let (f, op) =
                    (self.function(), fold(&mut self.rng, &mut self.names, self.prim, "red"));
                self.result("", &format!("screma n (xs) map {f} {op}"));
            }
            1 => {
                let (f, op) =
                    (self.function(), fold(&mut self.rng, &mut self.names, self.prim, "scan"));
                self.result("[n]", &format!("screma n (xs) map {f} {op}"));
            }
            2 | 3 => self.rows(),
            4 => self.histogram(),
            // Rarely are there so many elements that several blocks have histograms, which are then merged.
            9 | 13 | 14 => self.histogram_of_pairs(),
            5 | 10 | 12 => self.product(),
            6 | 15 => {
                let name = self.names.fresh();
                let _ = writeln!(self.out, "let ({name}: [m][n]{prim}) = rearrange (1, 0) xss");
                self.result("[m][n]", &format!("copy {name}"));
            }
            8 => self.all_pairs(),
            11 => self.chosen(),
            _ => self.block(),
        }
    }

    /// For each number a reduction of all numbers, which all threads read.
    fn all_pairs(&mut self) {
        let [x, y, z, s] = [(); 4].map(|()| self.names.fresh());
        let (prim, op) = (self.prim, fold(&mut self.rng, &mut self.names, self.prim, "red"));
        let with = ["sub", "mul", "xor"][self.rng.below(3)];
        self.result(
            "[n]",
            &format!(
                "screma n (xs) map \\({x}: {prim}) -> ({prim}) {{ \
                 let ({s}: {prim}) = screma n (xs) map \\({y}: {prim}) -> ({prim}) {{ \
                 let ({z}: {prim}) = {with} {x} {y} in ({z}) }} {op} in ({s}) }}"
            ),
        );
    }

    /// A reduction or scan of each row.
    fn rows(&mut self) {
        let (row, r, f) = (self.names.fresh(), self.names.fresh(), self.function());
        let scan = self.rng.chance(50);
        let op = fold(&mut self.rng, &mut self.names, self.prim, if scan { "scan" } else { "red" });
        let (shape, inner) = if scan { ("[n][m]", "[m]") } else { ("[n]", "") };
        let prim = self.prim;
        self.result(
            shape,
            &format!(
                "screma n (xss) map \\({row}: [m]{prim}) -> ({inner}{prim}) {{ \
                 let ({r}: {inner}{prim}) = screma m ({row}) map {f} {op} in ({r}) }}"
            ),
        );
    }

    fn histogram(&mut self) {
        let [dest, i, v, j, size] = self.names.several();
        let [a, b, c] = self.names.several();
        let (prim, zero) = (self.prim, constant(self.prim, 0));
        let bins = ["1", "4", "m", "300", "5000"][self.rng.below(5)];
        let _ = writeln!(self.out, "let ({dest}: [{bins}]{prim}) = replicate ({bins}) {zero}");
        let _ = writeln!(self.out, "let ({size}: i64) = max {bins} 1");
        // Devices have no instruction for products.
        let op = ["add", "max", "xor", "mul", "mul"][self.rng.below(5)];
        // The most negative numbers have no neutral element here, but the bins begin with zero all the same.
        let neutral = match (op, prim) {
            ("mul", _) => constant(self.prim, 1),
            ("max", "i64" | "i32" | "i16") => {
                let least = if prim == "i16" { -32768 } else { -2_147_483_648 };
                constant(self.prim, if prim == "i64" { i64::MIN } else { least })
            }
            _ => zero,
        };
        self.result(
            &format!("[{bins}]"),
            &format!(
                "hist n (is, xs) map \\({i}: i64, {v}: {prim}) -> (i64, {prim}) {{ \
                 let ({j}: i64) = mod {i} {size} in ({j}, {v}) }} dest [{bins}] race 1 ({dest}) \
                 \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: {prim}) = {op} {a} {b} in ({c}) }} neutral ({neutral})"
            ),
        );
    }

    /// For each bin the largest number, and where the last one like it is: of pairs every block has its own histogram, and
    /// these are merged.
    fn histogram_of_pairs(&mut self) {
        let [dest, places, i, v, j, size, at] = [(); 7].map(|()| self.names.fresh());
        let [a, p, b, q, more, same, later, both, first, c, r] =
            [(); 11].map(|()| self.names.fresh());
        let (prim, zero) = (self.prim, constant(self.prim, 0));
        let bins = ["1", "4", "m", "40"][self.rng.below(4)];
        let _ = writeln!(
            self.out,
            "let ({dest}: [{bins}]{prim}) = replicate ({bins}) {zero} \
             let ({places}: [{bins}]i64) = replicate ({bins}) -1 \
             let ({size}: i64) = max {bins} 1 \
             let ({at}: [n]i64) = iota i64 n 0 1"
        );
        let least = match prim {
            "i64" => i64::MIN,
            "i32" => i64::from(i32::MIN),
            "i16" => i64::from(i16::MIN),
            _ => 0,
        };
        let least = constant(self.prim, least);
        let [values, of] = self.names.several();
        let _ = writeln!(
            self.out,
            "let ({values}: [{bins}]{prim}, {of}: [{bins}]i64) = \
             hist n (is, xs, {at}) map \\({i}: i64, {v}: {prim}, {at}b: i64) -> (i64, {prim}, i64) {{ \
             let ({j}: i64) = mod {i} {size} in ({j}, {v}, {at}b) }} dest [{bins}] race 1 ({dest}, {places}) \
             \\({a}: {prim}, {p}: i64, {b}: {prim}, {q}: i64) -> ({prim}, i64) {{ \
             let ({more}: bool) = lt {b} {a} let ({same}: bool) = eq {a} {b} let ({later}: bool) = lt {q} {p} \
             let ({both}: bool) = and {same} {later} let ({first}: bool) = or {more} {both} \
             let ({c}: {prim}, {r}: i64) = if {first} then {{({a}, {p})}} else {{({b}, {q})}} in ({c}, {r}) }} \
             neutral ({least}, -9223372036854775808)"
        );
        self.results.push((values, format!("[{bins}]")));
        // Of the places, the sum.
        let [s, t, u, w, x] = [(); 5].map(|()| self.names.fresh());
        let _ = writeln!(
            self.out,
            "let ({s}: i64) = screma {bins} ({of}) map \\({t}: i64) -> (i64) {{({t})}} \
             red comm \\({u}: i64, {w}: i64) -> (i64) {{ let ({x}: i64) = add {u} {w} in ({x}) }} neutral (0)"
        );
        self.number(s);
    }

    /// The smallest or largest of numbers of which many are the same, and where one of them is; or a product of pairs.
    fn chosen(&mut self) {
        let [x, i, w, key, at, a, p, b, q, value, place] = [(); 11].map(|()| self.names.fresh());
        let [c, d, e, f, g, v, r] = [(); 7].map(|()| self.names.fresh());
        let prim = self.prim;
        let wide = match prim {
            "i64" => format!("let ({w}: i64) = add {x} 0"),
            _ => format!("let ({w}: i64) = convert i64 {x}"),
        };
        let chosen =
            format!("let ({v}: i64, {r}: i64) = if {g} then {{({a}, {p})}} else {{({b}, {q})}}");
        // Keys are never as large as the neutral ones.
        let (comm, op, neutral) = match self.rng.below(5) {
            0 => ("", format!("let ({g}: bool) = le {a} {b} {chosen}"), i64::MAX),
            1 => ("", format!("let ({g}: bool) = lt {a} {b} {chosen}"), i64::MAX),
            2 => ("", format!("let ({g}: bool) = lt {b} {a} {chosen}"), i64::MIN),
            3 => {
                let op = format!(
                    "let ({c}: bool) = lt {b} {a} let ({d}: bool) = eq {a} {b} let ({e}: bool) = lt {p} {q} \
                     let ({f}: bool) = and {d} {e} let ({g}: bool) = or {c} {f} {chosen}"
                );
                ("comm", op, i64::MIN)
            }
            _ => {
                let op = format!(
                    "let ({c}: i64) = mul {a} {b} let ({d}: i64) = mul {p} {q} let ({v}: i64) = sub {c} {d} \
                     let ({e}: i64) = mul {a} {q} let ({f}: i64) = mul {p} {b} let ({r}: i64) = add {e} {f}"
                );
                ("comm", op, 1)
            }
        };
        let other = if neutral == 1 { 0 } else { -1 };
        let _ = writeln!(
            self.out,
            "let ({at}: [n]i64) = iota i64 n 0 1 \
             let ({value}: i64, {place}: i64) = screma n (xs, {at}) map \\({x}: {prim}, {i}: i64) -> (i64, i64) {{ \
             {wide} let ({key}: i64) = and {w} 31 in ({key}, {i}) }} \
             red {comm} \\({a}: i64, {p}: i64, {b}: i64, {q}: i64) -> (i64, i64) {{ {op} in ({v}, {r}) }} \
             neutral ({neutral}, {other})"
        );
        self.number(value);
        self.number(place);
    }

    /// An `i64` is a result, as a number of the type of all results.
    fn number(&mut self, number: String) {
        let prim = self.prim;
        let shown = match prim {
            "i64" => number,
            _ => {
                let shown = self.names.fresh();
                let _ = writeln!(self.out, "let ({shown}: {prim}) = convert {prim} {number}");
                shown
            }
        };
        self.results.push((shown, String::new()));
    }

    /// A matrix product.
    fn product(&mut self) {
        let [turned, row, column, x, y, z, s, rs] = self.names.several();
        let [a, b, c] = self.names.several();
        let (prim, zero) = (self.prim, constant(self.prim, 0));
        let _ = writeln!(self.out, "let ({turned}: [k][m]{prim}) = rearrange (1, 0) yss");
        self.result(
            "[n][k]",
            &format!(
                "screma n (xss) map \\({row}: [m]{prim}) -> ([k]{prim}) {{ \
                 let ({rs}: [k]{prim}) = screma k ({turned}) map \\({column}: [m]{prim}) -> ({prim}) {{ \
                 let ({s}: {prim}) = screma m ({row}, {column}) map \\({x}: {prim}, {y}: {prim}) -> ({prim}) {{ \
                 let ({z}: {prim}) = mul {x} {y} in ({z}) }} red comm \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ \
                 let ({c}: {prim}) = add {a} {b} in ({c}) }} neutral ({zero}) in ({s}) }} in ({rs}) }}"
            ),
        );
    }

    /// Several operators on a row, perhaps in a loop, that a block of threads can do.
    fn block(&mut self) {
        let (row, sums, f) = (self.names.fresh(), self.names.fresh(), self.function());
        let (scan, red, x, y) = (
            fold(&mut self.rng, &mut self.names, self.prim, "scan"),
            fold(&mut self.rng, &mut self.names, self.prim, "red"),
            self.names.fresh(),
            self.names.fresh(),
        );
        let [total, rest] = self.names.several();
        let prim = self.prim;
        let both = |from: &str| {
            format!(
                "let ({sums}: [m]{prim}) = screma m ({from}) map {f} {scan} \
                 let ({total}: {prim}) = screma m ({sums}) map \\({x}: {prim}) -> ({prim}) {{({x})}} {red} \
                 let ({rest}: [m]{prim}) = screma m ({sums}) map \\({y}: {prim}) -> ({prim}) {{ \
                 let ({y}b: {prim}) = add {y} {total} in ({y}b) }}"
            )
        };
        let body = match self.rng.below(2) {
            0 => format!("{} in ({rest})", both(&row)),
            _ => {
                let [state, i, end] = self.names.several();
                format!(
                    "let ({end}: [m]{prim}) = loop ({state}: [m]{prim} = {row}) for {i}: i64 < 2 {{ {} in ({rest}) }} in ({end})",
                    both(&state)
                )
            }
        };
        self.result(
            "[n][m]",
            &format!("screma n (xss) map \\({row}: [m]{prim}) -> ([m]{prim}) {{ {body} }}"),
        );
    }
}
