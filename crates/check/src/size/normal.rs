//! Equality of sizes as polynomials.
//!
//! The normal form of a size is a sum of products of atoms with integer factors, computed modulo
//! 2^64 as the program would compute it. Atoms are variables, unknowns, and terms that are not
//! arithmetic, whose parts are brought into normal form in turn. A variable that is defined as a
//! size is replaced by it. Two sizes with the same normal form have the same value.

use crate::checker::Checker;
use crate::ty::Size;
use std::collections::BTreeMap;

/// A polynomial: products of atoms, sorted, with their factors, none of them zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Poly {
    terms: BTreeMap<Vec<Size>, i64>,
}

/// Products with more terms than this are left as they are.
const MAX_TERMS: usize = 64;

impl Poly {
    fn constant(n: i64) -> Poly {
        let mut poly = Poly::default();
        poly.add_term(Vec::new(), n);
        poly
    }

    fn atom(size: Size) -> Poly {
        let mut poly = Poly::default();
        poly.add_term(vec![size], 1);
        poly
    }

    fn add_term(&mut self, product: Vec<Size>, factor: i64) {
        let sum = self.terms.get(&product).copied().unwrap_or(0).wrapping_add(factor);
        if sum == 0 {
            self.terms.remove(&product);
        } else {
            self.terms.insert(product, sum);
        }
    }

    fn plus(mut self, other: &Poly, factor: i64) -> Poly {
        for (product, f) in &other.terms {
            self.add_term(product.clone(), f.wrapping_mul(factor));
        }
        self
    }

    fn times(&self, other: &Poly) -> Poly {
        let mut result = Poly::default();
        for (p, f) in &self.terms {
            for (q, g) in &other.terms {
                let mut product = [p.as_slice(), q.as_slice()].concat();
                product.sort();
                result.add_term(product, f.wrapping_mul(*g));
            }
        }
        result
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The polynomial as a size: terms with positive factors first, constants last.
    pub(super) fn to_size(&self) -> Size {
        let mut result: Option<Size> = None;
        let mut constant = 0;
        let mut negative = Vec::new();
        for (product, &factor) in &self.terms {
            if product.is_empty() {
                constant = factor;
            } else if factor > 0 {
                let term = product_size(product, factor);
                result = Some(match result {
                    Some(sum) => Size::plus(sum, term),
                    None => term,
                });
            } else {
                negative.push((product, factor));
            }
        }
        if result.is_none() && constant != 0 {
            result = Some(Size::Const(constant));
            constant = 0;
        }
        for (product, factor) in negative {
            let sum = result.unwrap_or(Size::Const(0));
            result = Some(Size::minus(sum, product_size(product, factor.wrapping_neg())));
        }
        match (result, constant) {
            (None, _) => Size::Const(0),
            (Some(sum), 0) => sum,
            (Some(sum), n) if n > 0 => Size::plus(sum, Size::Const(n)),
            (Some(sum), n) => Size::minus(sum, Size::Const(n.wrapping_neg())),
        }
    }
}

fn product_size(product: &[Size], factor: i64) -> Size {
    let mut parts = product.iter().cloned();
    let first = if factor == 1 { parts.next() } else { Some(Size::Const(factor)) };
    parts.fold(first.unwrap_or(Size::Const(factor)), Size::times)
}

impl Checker<'_> {
    /// The normal form.
    pub(super) fn poly(&self, size: &Size) -> Poly {
        match size {
            Size::Const(n) => Poly::constant(*n),
            Size::Var(var) => match &self.program.vars[*var].def {
                Some(def) => self.poly(def),
                None => Poly::atom(size.clone()),
            },
            Size::Meta(meta) => match &self.size_metas.infos[*meta].solution {
                Some(solution) => self.poly(solution),
                None => Poly::atom(size.clone()),
            },
            Size::Add(ab) => self.poly(&ab[0]).plus(&self.poly(&ab[1]), 1),
            Size::Sub(ab) => self.poly(&ab[0]).plus(&self.poly(&ab[1]), -1),
            Size::Mul(ab) => {
                let (a, b) = (self.poly(&ab[0]), self.poly(&ab[1]));
                if a.terms.len().saturating_mul(b.terms.len()) > MAX_TERMS {
                    Poly::atom(Size::times(a.to_size(), b.to_size()))
                } else {
                    a.times(&b)
                }
            }
            Size::Term(term) => {
                let args = term.args.iter().map(|arg| self.poly(arg).to_size()).collect();
                Poly::atom(Size::term(term.head.clone(), args))
            }
            Size::Any => Poly::atom(Size::Any),
        }
    }

    /// Whether the sizes are equal as they are known now.
    pub(crate) fn same_size(&self, a: &Size, b: &Size) -> bool {
        a == b || self.difference(a, b).is_zero()
    }

    /// The number by which two sizes differ whatever their variables are, if there is one.
    pub(crate) fn constant_difference(&self, a: &Size, b: &Size) -> Option<i64> {
        let difference = self.difference(a, b);
        let is_constant = difference.terms.keys().all(|product| product.is_empty());
        is_constant.then(|| difference.terms.values().sum())
    }

    pub(super) fn difference(&self, a: &Size, b: &Size) -> Poly {
        self.poly(a).plus(&self.poly(b), -1)
    }
}
