//! Rewriting code: substituting expressions for variables, and copying blocks with fresh variables.
//!
//! A variable is declared in one place of its function; code that needs a block twice must make a fresh copy of it.

use crate::visit::{Item, each_stm};
use crate::{Block, Exp, Prim, Stm, Ty, V, VarInfo};
use fehu_base::IdVec;
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// A sum of products, as in [`Exp::Index`].
pub type Terms = Vec<(i64, Vec<V>)>;

/// The expression with other expressions substituted for some of its variables. A variable that is loaded from can be
/// replaced only by a variable.
pub fn substitute(e: &Exp, with: &dyn Fn(V) -> Option<Exp>) -> Exp {
    let mut changed = e.clone();
    substitute_in(&mut changed, with);
    changed
}

fn substitute_in(e: &mut Exp, with: &dyn Fn(V) -> Option<Exp>) {
    match e {
        Exp::Var(v) => {
            if let Some(other) = with(*v) {
                *e = other;
            }
            return;
        }
        Exp::Index(terms) => {
            *e = index(terms, with);
            return;
        }
        Exp::Load(p, _) => {
            if let Some(Exp::Var(q)) = with(*p) {
                *p = q;
            }
        }
        Exp::Const(_)
        | Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Math(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Select(_) => {}
    }
    e.each_child_mut(&mut |child| substitute_in(child, with));
}

/// The expression with some of its parts replaced by others, outermost first.
pub fn replace(e: &Exp, with: &dyn Fn(&Exp) -> Option<Exp>) -> Exp {
    let mut changed = e.clone();
    replace_in(&mut changed, with);
    changed
}

fn replace_in(e: &mut Exp, with: &dyn Fn(&Exp) -> Option<Exp>) {
    match with(e) {
        Some(other) => *e = other,
        None => e.each_child_mut(&mut |child| replace_in(child, with)),
    }
}

fn index(terms: &Terms, with: &dyn Fn(V) -> Option<Exp>) -> Exp {
    let mut sum = Terms::new();
    for (factor, vars) in terms {
        let mut product: Terms = vec![(*factor, Vec::new())];
        for v in vars {
            let by = match with(*v) {
                None => vec![(1, vec![*v])],
                Some(e) => match as_terms(&e) {
                    Some(terms) => terms,
                    None => return plain(terms, with),
                },
            };
            product = times(&product, &by);
        }
        sum.extend(product);
    }
    tidy(sum)
}

/// A sum of products written with ordinary operators, for expressions that cannot be multiplied out.
fn plain(terms: &Terms, with: &dyn Fn(V) -> Option<Exp>) -> Exp {
    let mut sum = Exp::int(0);
    for (factor, vars) in terms {
        let value = |v: &V| with(*v).unwrap_or(Exp::Var(*v));
        let product =
            vars.iter().fold(Exp::int(*factor), |product, v| bin(BinOp::Mul, product, value(v)));
        sum = bin(BinOp::Add, sum, product);
    }
    sum
}

fn times(a: &Terms, b: &Terms) -> Terms {
    let mut product = Terms::new();
    for (f, left) in a {
        for (g, right) in b {
            product.push((f.wrapping_mul(*g), left.iter().chain(right).copied().collect()));
        }
    }
    product
}

/// An expression as a sum of products, if it is one already.
#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are no sums of products")]
pub fn as_terms(e: &Exp) -> Option<Terms> {
    match e {
        Exp::Const(Scalar::I64(value)) => Some(vec![(*value, Vec::new())]),
        Exp::Var(v) => Some(vec![(1, vec![*v])]),
        Exp::Index(terms) => Some(terms.clone()),
        _ => None,
    }
}

/// A sum of products as an expression, equal products summed.
pub fn tidy(terms: Terms) -> Exp {
    let mut sum = Terms::new();
    for (factor, mut vars) in terms {
        vars.sort_unstable();
        match sum.iter_mut().find(|(_, other)| *other == vars) {
            Some((old, _)) => *old = old.wrapping_add(factor),
            None => sum.push((factor, vars)),
        }
    }
    sum.retain(|(factor, _)| *factor != 0);
    match sum.as_slice() {
        [] => Exp::int(0),
        [(factor, vars)] if vars.is_empty() => Exp::int(*factor),
        [(1, vars)] if vars.len() == 1 => Exp::Var(vars[0]),
        _ => Exp::Index(sum),
    }
}

/// `a op b` on 64-bit integers.
pub fn bin(op: BinOp, a: Exp, b: Exp) -> Exp {
    Exp::Bin(op, Prim::I64, Box::new(a), Box::new(b))
}

/// `a <= b`
pub fn le(a: Exp, b: Exp) -> Exp {
    Exp::Cmp(CmpOp::Le, Prim::I64, Box::new(a), Box::new(b))
}

/// Whether all conditions hold.
pub fn all(conditions: impl IntoIterator<Item = Exp>) -> Exp {
    let and = |a, b| Exp::Bin(BinOp::And, Prim::Bool, Box::new(a), Box::new(b));
    conditions.into_iter().reduce(and).unwrap_or(Exp::Const(Scalar::Bool(true)))
}

/// A sum of variables with factors, and a number; known not to overflow.
pub fn sum(vars: &[(i64, V)], number: i64) -> Exp {
    let mut terms: Terms = vars.iter().map(|(factor, v)| (*factor, vec![*v])).collect();
    terms.push((number, Vec::new()));
    tidy(terms)
}

/// Where the last whole block of a given number of elements ends in a range.
pub fn end_of_blocks(low: &Exp, high: &Exp, block: i64) -> Exp {
    let whole = |count: Exp| bin(BinOp::And, bin(BinOp::Max, count, Exp::int(0)), Exp::int(-block));
    if *low == Exp::int(0) {
        return whole(high.clone());
    }
    bin(BinOp::Add, low.clone(), whole(bin(BinOp::Sub, high.clone(), low.clone())))
}

/// The factor of a variable in an index, if the variable occurs in only one of its terms.
pub fn stride(e: &Exp, v: V) -> Option<(i64, Vec<V>)> {
    let terms = as_terms(e)?;
    let mut with = terms.iter().filter(|(_, vars)| vars.contains(&v));
    let (factor, vars) = with.next()?;
    let rest: Vec<V> = vars.iter().copied().filter(|w| *w != v).collect();
    (with.next().is_none() && rest.len() + 1 == vars.len()).then_some((*factor, rest))
}

/// Whether the next value of the variable is the next element.
pub fn is_unit(e: &Exp, v: V) -> bool {
    stride(e, v).is_some_and(|(factor, vars)| factor == 1 && vars.is_empty())
}

/// Whether the operation of an expression is cheap and can be executed at any time: it does not fail, and reads no
/// memory.
pub fn is_total(e: &Exp) -> bool {
    match e {
        Exp::Const(_) | Exp::Var(_) | Exp::Index(_) | Exp::Cmp(..) | Exp::Convert(..) => true,
        Exp::Un(op, ..) => matches!(op, UnOp::Neg | UnOp::Not | UnOp::Abs),
        Exp::Bin(op, ..) => matches!(
            op,
            BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Min
                | BinOp::Max
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
        ),
        Exp::Math(..) | Exp::Reinterpret(..) | Exp::Load(..) | Exp::Select(_) => false,
    }
}

/// The variables of a function, to which new ones are added.
pub struct Vars<'a>(pub &'a mut IdVec<V, VarInfo>);

impl Vars<'_> {
    /// A new scalar.
    pub fn scalar(&mut self, hint: &str, prim: Prim) -> V {
        self.new_var(hint, Ty::Scalar(prim))
    }

    /// A new variable.
    pub fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.0.push(VarInfo { hint: hint.into(), ty })
    }

    /// A new variable like another one.
    pub fn like(&mut self, v: V) -> V {
        let info = self.0[v].clone();
        self.0.push(info)
    }

    /// A copy of a block that declares fresh variables.
    pub fn copy(&mut self, block: &[Stm]) -> Block {
        let mut new: FxHashMap<V, V> = FxHashMap::default();
        each_stm(block, &mut |stm| {
            stm.each_declared(&mut |v| {
                new.insert(v, self.like(v));
            });
        });
        rename(block, &|v| new.get(&v).copied())
    }
}

/// Replaces statements by others, the outermost first; new statements are left alone.
pub fn replace_stms(stms: &mut Block, change: &mut dyn FnMut(&Stm) -> Option<Block>) {
    let mut out = Block::with_capacity(stms.len());
    for mut stm in std::mem::take(stms) {
        if let Some(mut better) = change(&stm) {
            out.append(&mut better);
            continue;
        }
        stm.each_block_mut(&mut |block| replace_stms(block, change));
        out.push(stm);
    }
    *stms = out;
}

/// A block with some variables replaced by others, also where it declares or sets them.
pub fn rename(block: &[Stm], with: &dyn Fn(V) -> Option<V>) -> Block {
    let exp = |e: &Exp| substitute(e, &|v| with(v).map(Exp::Var));
    changed(block, with, &exp)
}

/// A block with other expressions.
pub fn change_exps(block: &[Stm], exp: &dyn Fn(&Exp) -> Exp) -> Block {
    changed(block, &|_| None, exp)
}

fn changed(block: &[Stm], with: &dyn Fn(V) -> Option<V>, exp: &dyn Fn(&Exp) -> Exp) -> Block {
    let mut block = block.to_vec();
    change(&mut block, with, exp);
    block
}

fn change(block: &mut Block, with: &dyn Fn(V) -> Option<V>, exp: &dyn Fn(&Exp) -> Exp) {
    for stm in block {
        stm.each_item_mut(&mut |item| match item {
            Item::Block(inner) => change(inner, with, exp),
            Item::Exp(e) => *e = exp(e),
            Item::Use(v) | Item::Set(v) | Item::Update(v) | Item::Declare(v) => {
                *v = with(*v).unwrap_or(*v);
            }
        });
    }
}
