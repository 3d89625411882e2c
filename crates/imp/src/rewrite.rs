//! Rewriting code: substituting expressions for variables, and copying blocks with fresh variables.
//!
//! A variable is declared in one place of its function; code that needs a block twice must make a fresh copy of it.

use crate::visit::each_stm;
use crate::{Arg, Block, Exp, From, Kind, Part, Prim, Stm, Ty, V, VarInfo};
use fehu_base::IdVec;
use fehu_ir::{BinOp, CmpOp, Scalar, UnOp};
use rustc_hash::FxHashMap;

/// A sum of products, as in [`Exp::Index`].
pub type Terms = Vec<(i64, Vec<V>)>;

/// The expression with other expressions substituted for some of its variables. A variable that is loaded from can be
/// replaced only by a variable.
pub fn substitute(e: &Exp, with: &dyn Fn(V) -> Option<Exp>) -> Exp {
    let again = |a: &Exp| Box::new(substitute(a, with));
    match e {
        Exp::Const(_) => e.clone(),
        Exp::Var(v) => with(*v).unwrap_or(Exp::Var(*v)),
        Exp::Un(op, prim, a) => Exp::Un(*op, *prim, again(a)),
        Exp::Bin(op, prim, a, b) => Exp::Bin(*op, *prim, again(a), again(b)),
        Exp::Cmp(op, prim, a, b) => Exp::Cmp(*op, *prim, again(a), again(b)),
        Exp::Math(f, prim, args) => {
            Exp::Math(*f, *prim, args.iter().map(|arg| substitute(arg, with)).collect())
        }
        Exp::Convert(from, to, a) => Exp::Convert(*from, *to, again(a)),
        Exp::Reinterpret(from, to, a) => Exp::Reinterpret(*from, *to, again(a)),
        Exp::Index(terms) => index(terms, with),
        Exp::Load(p, at) => {
            let p = match with(*p) {
                Some(Exp::Var(q)) => q,
                Some(_) | None => *p,
            };
            Exp::Load(p, again(at))
        }
        Exp::Select(parts) => {
            let [a, b, c] = &**parts;
            Exp::Select(Box::new([*again(a), *again(b), *again(c)]))
        }
    }
}

/// The expression with some of its parts replaced by others, outermost first.
pub fn replace(e: &Exp, with: &dyn Fn(&Exp) -> Option<Exp>) -> Exp {
    if let Some(other) = with(e) {
        return other;
    }
    let again = |a: &Exp| Box::new(replace(a, with));
    match e {
        Exp::Const(_) | Exp::Var(_) | Exp::Index(_) => e.clone(),
        Exp::Un(op, prim, a) => Exp::Un(*op, *prim, again(a)),
        Exp::Bin(op, prim, a, b) => Exp::Bin(*op, *prim, again(a), again(b)),
        Exp::Cmp(op, prim, a, b) => Exp::Cmp(*op, *prim, again(a), again(b)),
        Exp::Math(f, prim, args) => {
            Exp::Math(*f, *prim, args.iter().map(|arg| replace(arg, with)).collect())
        }
        Exp::Convert(from, to, a) => Exp::Convert(*from, *to, again(a)),
        Exp::Reinterpret(from, to, a) => Exp::Reinterpret(*from, *to, again(a)),
        Exp::Load(p, at) => Exp::Load(*p, again(at)),
        Exp::Select(parts) => {
            let [a, b, c] = &**parts;
            Exp::Select(Box::new([*again(a), *again(b), *again(c)]))
        }
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
        match &mut stm {
            Stm::If(_, yes, no) => {
                replace_stms(yes, change);
                replace_stms(no, change);
            }
            Stm::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|(_, body)| replace_stms(body, change));
                replace_stms(default, change);
            }
            Stm::For { body, .. }
            | Stm::While(_, body)
            | Stm::Locked(_, body)
            | Stm::Exchange { body, .. }
            | Stm::Guarded(_, _, body)
            | Stm::Warp(body)
            | Stm::Section(body) => {
                replace_stms(body, change);
            }
            Stm::Tasks(tasks) => replace_stms(&mut tasks.body, change),
            Stm::Launch(kernel) => replace_stms(&mut kernel.body, change),
            Stm::Comment(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Alloc(..)
            | Stm::Share(..)
            | Stm::Export { .. }
            | Stm::Free(_)
            | Stm::Point(..)
            | Stm::Copy { .. }
            | Stm::Call(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::TraceArray(..)
            | Stm::Atomic(..)
            | Stm::Sums(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Fetch(..)
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Leave
            | Stm::Barrier
            | Stm::WarpBarrier => {}
        }
        out.push(stm);
    }
    *stms = out;
}

/// A block with some variables replaced by others, also where it declares or sets them.
pub fn rename(block: &[Stm], with: &dyn Fn(V) -> Option<V>) -> Block {
    let exp = |e: &Exp| substitute(e, &|v| with(v).map(Exp::Var));
    block.iter().map(|stm| change_stm(stm, with, &exp)).collect()
}

/// A block with other expressions.
pub fn change_exps(block: &[Stm], exp: &dyn Fn(&Exp) -> Exp) -> Block {
    block.iter().map(|stm| change_stm(stm, &|_| None, exp)).collect()
}

fn change_stm(stm: &Stm, with: &dyn Fn(V) -> Option<V>, change: &dyn Fn(&Exp) -> Exp) -> Stm {
    let of = |v: &V| with(*v).unwrap_or(*v);
    let exp = |e: &Exp| change(e);
    let block = |b: &Block| b.iter().map(|stm| change_stm(stm, with, change)).collect();
    match stm {
        Stm::Comment(text) => Stm::Comment(text.clone()),
        Stm::Declare(v, e) => Stm::Declare(of(v), e.as_ref().map(exp)),
        Stm::Assign(v, e) => Stm::Assign(of(v), exp(e)),
        Stm::Store(p, at, e) => Stm::Store(of(p), exp(at), exp(e)),
        Stm::Alloc(v, prim, e) => Stm::Alloc(of(v), *prim, exp(e)),
        Stm::Share(a, b) => Stm::Share(of(a), of(b)),
        Stm::Export { to, block, ptr, index } => Stm::Export {
            to: of(to),
            block: block.as_ref().map(of),
            ptr: of(ptr),
            index: exp(index),
        },
        Stm::Free(v) => Stm::Free(of(v)),
        Stm::Point(p, from, e) => {
            let from = match from {
                From::Mem(v) => From::Mem(of(v)),
                From::Ptr(v) => From::Ptr(of(v)),
                From::Shared => From::Shared,
            };
            Stm::Point(of(p), from, exp(e))
        }
        Stm::Copy { to, from, count } => Stm::Copy {
            to: (of(&to.0), exp(&to.1)),
            from: (of(&from.0), exp(&from.1)),
            count: exp(count),
        },
        Stm::If(e, yes, no) => Stm::If(exp(e), block(yes), block(no)),
        Stm::Switch(e, cases, default) => {
            let cases = cases.iter().map(|(value, body)| (*value, block(body))).collect();
            Stm::Switch(exp(e), cases, block(default))
        }
        Stm::For { var, from, to, step, kind, body } => {
            let kind = match kind {
                Kind::Sequential => Kind::Sequential,
                Kind::Independent(reductions) => {
                    Kind::Independent(reductions.iter().map(|(v, op)| (of(v), *op)).collect())
                }
            };
            let (from, to) = (exp(from), exp(to));
            Stm::For { var: of(var), from, to, step: *step, kind, body: block(body) }
        }
        Stm::While(e, body) => Stm::While(exp(e), block(body)),
        Stm::Call(fun, results, args) => {
            let args = args.iter().map(|arg| match arg {
                Arg::Scalar(e) => Arg::Scalar(exp(e)),
                Arg::Mem { block, ptr, index } => {
                    Arg::Mem { block: block.as_ref().map(of), ptr: of(ptr), index: exp(index) }
                }
            });
            Stm::Call(*fun, results.iter().map(of).collect(), args.collect())
        }
        Stm::Const(number, results) => {
            Stm::Const(*number, results.iter().map(|(n, v)| (*n, of(v))).collect())
        }
        Stm::Assert(e, message) => {
            let parts = message.parts.iter().map(|part| match part {
                Part::Text(text) => Part::Text(text.clone()),
                Part::Value(e, prim) => Part::Value(exp(e), *prim),
            });
            let message = crate::Message { parts: parts.collect(), trace: message.trace.clone() };
            Stm::Assert(exp(e), message)
        }
        Stm::Trace(tag, e, prim) => Stm::Trace(tag.clone(), exp(e), *prim),
        Stm::TraceArray(tag, p, shape) => {
            Stm::TraceArray(tag.clone(), of(p), shape.iter().map(exp).collect())
        }
        Stm::Atomic(op, p, at, e) => Stm::Atomic(*op, of(p), exp(at), exp(e)),
        Stm::Sums(array, sum) => Stm::Sums(of(array), of(sum)),
        Stm::Locked(e, body) => Stm::Locked(exp(e), block(body)),
        Stm::Tasks(tasks) => Stm::Tasks(Box::new(crate::Tasks {
            grain: tasks.grain,
            site: tasks.site,
            total: exp(&tasks.total),
            chunks: tasks.chunks.as_ref().map(of),
            chunk: of(&tasks.chunk),
            low: of(&tasks.low),
            high: of(&tasks.high),
            body: block(&tasks.body),
        })),
        Stm::Chunks(v, site, e) => Stm::Chunks(of(v), *site, exp(e)),
        Stm::Tuning(v, number, e) => Stm::Tuning(of(v), *number, exp(e)),
        Stm::Threads(v) => Stm::Threads(of(v)),
        Stm::Launch(kernel) => Stm::Launch(Box::new(crate::Kernel {
            hint: kernel.hint.clone(),
            place: kernel.place.clone(),
            blocks: exp(&kernel.blocks),
            threads: kernel.threads,
            residents: kernel.residents,
            block: of(&kernel.block),
            thread: of(&kernel.thread),
            by_block: kernel.by_block,
            shared: kernel.shared.as_ref().map(&exp),
            body: block(&kernel.body),
        })),
        Stm::Fetch(v, p, at) => Stm::Fetch(of(v), of(p), exp(at)),
        Stm::Poll(v, p, at) => Stm::Poll(of(v), of(p), exp(at)),
        Stm::Count(v, p, at) => Stm::Count(of(v), of(p), exp(at)),
        Stm::Exchange { ptr, index, old, body, new } => Stm::Exchange {
            ptr: of(ptr),
            index: exp(index),
            old: of(old),
            body: block(body),
            new: exp(new),
        },
        Stm::Guarded(p, at, body) => Stm::Guarded(of(p), exp(at), block(body)),
        Stm::Barrier => Stm::Barrier,
        Stm::WarpBarrier => Stm::WarpBarrier,
        Stm::Warp(body) => Stm::Warp(block(body)),
        Stm::Leave => Stm::Leave,
        Stm::Section(body) => Stm::Section(block(body)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_multiplied_out() {
        let e = Exp::Index(vec![(2, vec![V(0), V(1)]), (1, vec![V(2)])]);
        let by = |v| (v == V(1)).then(|| sum(&[(1, V(3))], -1));
        let expected = Exp::Index(vec![(2, vec![V(0), V(3)]), (-2, vec![V(0)]), (1, vec![V(2)])]);
        assert_eq!(substitute(&e, &by), expected);
    }

    #[test]
    fn strides_are_of_one_term() {
        let e = Exp::Index(vec![(1, vec![V(0), V(1)]), (1, vec![V(2)])]);
        assert_eq!(stride(&e, V(1)), Some((1, vec![V(0)])));
        assert!(is_unit(&e, V(2)) && !is_unit(&e, V(1)));
        assert_eq!(stride(&e, V(3)), None);
        assert_eq!(stride(&Exp::Index(vec![(1, vec![V(0), V(0)])]), V(0)), None);
    }

    #[test]
    fn a_copy_has_its_own_variables() {
        let mut vars = IdVec::default();
        let mut vars = Vars(&mut vars);
        let (x, y) = (vars.scalar("x", Prim::I64), vars.scalar("y", Prim::I64));
        let block = vec![Stm::Declare(y, Some(Exp::Var(x))), Stm::Assign(x, Exp::Var(y))];
        let copy = vars.copy(&block);
        let expected = vec![Stm::Declare(V(2), Some(Exp::Var(x))), Stm::Assign(x, Exp::Var(V(2)))];
        assert_eq!(copy, expected);
    }
}
