//! Words of programs that are made as text.

use crate::rng::Rng;

/// Names, each of them once.
#[derive(Default)]
pub(crate) struct Names(usize);

impl Names {
    pub(crate) fn fresh(&mut self) -> String {
        self.0 += 1;
        format!("v{}", self.0)
    }

    /// So many of them.
    pub(crate) fn several<const N: usize>(&mut self) -> [String; N] {
        std::array::from_fn(|_| self.fresh())
    }
}

/// A constant of an integer type.
pub(crate) fn constant(prim: &str, value: i64) -> String {
    match prim {
        "i64" => value.to_string(),
        prim => format!("{value}{prim}"),
    }
}

/// An associative operator with its neutral element; `word`, which is `red` or `scan`, stands before it.
pub(crate) fn fold(rng: &mut Rng, names: &mut Names, prim: &str, word: &str) -> String {
    let [a, b, c, d] = names.several();
    let zero = constant(prim, 0);
    match rng.below(4) {
        0 | 1 => {
            let comm = if word == "red" && rng.chance(70) { " comm" } else { "" };
            let op = ["add", "or", "xor"][rng.below(3)];
            format!(
                "{word}{comm} \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: {prim}) = {op} {a} {b} in ({c}) }} neutral ({zero})"
            )
        }
        // The last number that is not zero, which is not commutative.
        _ => format!(
            "{word} \\({a}: {prim}, {b}: {prim}) -> ({prim}) {{ let ({c}: bool) = eq {b} {zero} \
             let ({d}: {prim}) = if {c} then {{({a})}} else {{({b})}} in ({d}) }} neutral ({zero})"
        ),
    }
}
