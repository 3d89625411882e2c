//! What the tests of this crate share: polynomials, LMADs and facts from text, and enumeration.
//!
//! Each letter in the text is the variable whose number is the letter's position in the alphabet.

use fehu_base::{IdVec, Prim};
use fehu_facts::Ranges;
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Certs;
use fehu_ir::{Type, Var, VarInfo};
use fehu_irgen::rng::Rng;
use fehu_mem::arith;
use fehu_mem::lmad::{Dim, Lmad};

/// How many variables there are.
pub(crate) const LETTERS: usize = 26;

/// The variable of a letter.
pub(crate) fn var(letter: char) -> Var {
    Var(letter as u32 - 'a' as u32)
}

/// The letter of a variable.
pub(crate) fn name(var: Var) -> String {
    char::from(b'a' + var.0 as u8).to_string()
}

/// The text of a polynomial.
pub(crate) fn text(poly: &Poly) -> String {
    arith::show(poly, &name)
}

/// The polynomial of a text: sums, products and parentheses.
pub(crate) fn poly(text: &str) -> Poly {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut reader = Reader { chars, at: 0 };
    let poly = reader.sum();
    assert_eq!(reader.at, reader.chars.len(), "{text}");
    poly
}

/// The LMAD of a text: `n + 1 + {(q : n*b), (b : 1)}`.
pub(crate) fn lmad(text: &str) -> Lmad {
    let Some((offset, dims)) = text.split_once('{') else {
        return Lmad { offset: poly(text), dims: Vec::new() };
    };
    let dims = dims.trim_end().strip_suffix('}').expect("a brace");
    let dim = |part: &str| {
        let part = part.trim().trim_end_matches(',').trim_end();
        let inside = part.strip_prefix('(').and_then(|part| part.strip_suffix(')'));
        let (size, stride) = inside.and_then(|part| part.split_once(':')).expect("a dimension");
        Dim { size: poly(size), stride: poly(stride) }
    };
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (place, c) in dims.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ')' && depth == 0 {
            parts.push(dim(dims[start..=place].trim_start_matches([',', ' '])));
            start = place + 1;
        }
    }
    Lmad { offset: poly(offset.trim_end().strip_suffix('+').expect("a sum")), dims: parts }
}

/// All letters, 64-bit numbers.
pub(crate) fn letters() -> IdVec<Var, VarInfo> {
    let mut vars = IdVec::new();
    for index in 0..LETTERS {
        vars.push(VarInfo { hint: name(Var(index as u32)).into(), ty: Type::prim(Prim::I64) });
    }
    vars
}

/// Facts: `n = q*b + 1` is a definition, `q >= 2` and `i < q` are inequalities.
pub(crate) fn facts<'a>(vars: &'a IdVec<Var, VarInfo>, texts: &[&str]) -> Ranges<'a> {
    let mut ranges = Ranges::new(vars);
    for index in 0..LETTERS {
        ranges.bind(Var(index as u32));
    }
    for text in texts {
        let none = Certs::new();
        if let Some((a, b)) = text.split_once(">=") {
            ranges.assume_nonneg(&poly(a).sub(&poly(b)).unwrap(), &none);
        } else if let Some((a, b)) = text.split_once('<') {
            ranges.assume_nonneg(&poly(b).sub(&poly(a)).unwrap().plus(-1).unwrap(), &none);
        } else if let Some((a, b)) = text.split_once('=') {
            ranges.define(poly(a).as_var().expect("a variable"), poly(b), none);
        } else {
            panic!("no fact: {text}");
        }
    }
    ranges
}

/// The number that a polynomial is.
pub(crate) fn eval(poly: &Poly, values: &[i128]) -> i128 {
    poly.terms()
        .iter()
        .map(|(m, c)| c * m.iter().map(|var| values[var.0 as usize]).product::<i128>())
        .sum()
}

/// The addresses of the elements, in row-major order of their indices.
pub(crate) fn addresses(lmad: &Lmad, values: &[i128]) -> Vec<i128> {
    let mut all = vec![eval(&lmad.offset, values)];
    for dim in &lmad.dims {
        let (size, stride) = (eval(&dim.size, values), eval(&dim.stride, values));
        all =
            all.iter().flat_map(|base| (0..size).map(move |index| base + index * stride)).collect();
    }
    all
}

/// The sizes as numbers.
pub(crate) fn sizes(lmad: &Lmad, values: &[i128]) -> Vec<i128> {
    lmad.dims.iter().map(|dim| eval(&dim.size, values)).collect()
}

/// A small random polynomial of the first four letters.
pub(crate) fn random_poly(rng: &mut Rng) -> Poly {
    let mut poly = Poly::constant(rng.range(-3, 4).into());
    for _ in 0..rng.below(4) {
        let mut term = Poly::constant(rng.range(-2, 3).into());
        for _ in 0..1 + rng.below(2) {
            term = term.mul(&Poly::var(Var(rng.below(4) as u32))).unwrap();
        }
        poly = poly.add(&term).unwrap();
    }
    poly
}

/// A random size: a number or a letter, not negative for these values.
pub(crate) fn random_size(rng: &mut Rng, values: &[i128]) -> Poly {
    let letter = Var(rng.below(4) as u32);
    if rng.chance(50) && values[letter.0 as usize] >= 0 {
        Poly::var(letter)
    } else {
        let least = i64::from(rng.chance(80));
        Poly::constant(rng.range(least, 4).into())
    }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn eat(&mut self, c: char) -> bool {
        let found = self.chars.get(self.at) == Some(&c);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self) -> Poly {
        let negative = self.eat('-');
        let first = self.product();
        let mut sum = if negative { first.neg().unwrap() } else { first };
        loop {
            if self.eat('+') {
                sum = sum.add(&self.product()).unwrap();
            } else if self.eat('-') {
                sum = sum.sub(&self.product()).unwrap();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> Poly {
        let mut product = self.factor();
        while self.eat('*') {
            product = product.mul(&self.factor()).unwrap();
        }
        product
    }

    fn factor(&mut self) -> Poly {
        if self.eat('(') {
            let sum = self.sum();
            assert!(self.eat(')'), "a parenthesis");
            return sum;
        }
        let mut number = String::new();
        while let Some(c) = self.chars.get(self.at).filter(|c| c.is_ascii_digit()) {
            number.push(*c);
            self.at += 1;
        }
        if number.is_empty() {
            self.at += 1;
            Poly::var(var(self.chars[self.at - 1]))
        } else {
            Poly::constant(number.parse().unwrap())
        }
    }
}
