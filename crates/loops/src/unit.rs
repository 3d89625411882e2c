//! `unit`: loops that read with a stride that is known only at run time have a version in which it is one.
//!
//! ```text
//! for i { for j { s = s + a[d*i + e*j] } }        if e == 1 { for i { for j { s = s + a[d*i + j] } } }
//!                                          ==>    else { for i { for j { s = s + a[d*i + e*j] } } }
//! ```
//!
//! Branches and loops that hand on arrays as they are give them such strides. Elements that are known to be neighbours are loaded as
//! vectors.
//!
//! Conditions: the stride is a variable that is one on some way to the loop, by an assignment, and is not set inside; it is that of the
//! innermost loop around the load; and the loop is not too long. If there are several, all of them are one in the first version. The outermost loop
//! that allows it is copied.

use fehu_imp::cost::count;
use fehu_imp::rewrite::{Vars, all, replace_stms, stride, substitute};
use fehu_imp::visit::{Item, each_stm, set_vars};
use fehu_imp::{Block, Exp, Prim, Program, Stm, V};
use fehu_ir::CmpOp;
use rustc_hash::FxHashSet;

/// The maximum number of statements of a loop.
const MOST_STATEMENTS: usize = 200;

/// Makes versions of the loops of a program.
pub fn unit(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let ones = may_be_one(&fun.body);
        if ones.is_empty() {
            continue;
        }
        let mut vars = Vars(&mut fun.vars);
        replace_stms(&mut fun.body, &mut |stm| split(&mut vars, stm, &ones));
    }
}

/// The variables that are one on some way, and something else on others.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the others give nothing a value that is a variable or one"
)]
fn may_be_one(body: &[Stm]) -> FxHashSet<V> {
    let (mut copies, mut set, mut ones) = (Vec::new(), FxHashSet::default(), FxHashSet::default());
    each_stm(body, &mut |stm| {
        let value = match stm {
            Stm::Declare(v, Some(e)) => Some((*v, e)),
            Stm::Assign(v, e) => {
                set.insert(*v);
                Some((*v, e))
            }
            _ => None,
        };
        match value {
            Some((v, e)) if *e == Exp::int(1) => _ = ones.insert(v),
            Some((v, Exp::Var(other))) => copies.push((v, *other)),
            _ => {}
        }
    });
    loop {
        let before = ones.len();
        for (to, from) in &copies {
            if ones.contains(from) {
                ones.insert(*to);
            }
        }
        if ones.len() == before {
            break;
        }
    }
    // What is never assigned is always one.
    ones.retain(|v| set.contains(v));
    ones
}

fn split(vars: &mut Vars<'_>, stm: &Stm, ones: &FxHashSet<V>) -> Option<Block> {
    let whole = std::slice::from_ref(stm);
    if !matches!(stm, Stm::For { .. }) || count(whole) > MOST_STATEMENTS {
        return None;
    }
    let mut found: Vec<V> = Vec::new();
    strides(stm, None, &mut |v| found.push(v));
    let set = set_vars(whole);
    found.sort_unstable();
    found.dedup();
    found.retain(|v| ones.contains(v) && !set.contains(v));
    if found.is_empty() {
        return None;
    }
    let is_one =
        |v: &V| Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(Exp::Var(*v)), Box::new(Exp::int(1)));
    let condition = all(found.iter().map(is_one));
    let mut first = whole.to_vec();
    first.iter_mut().for_each(|stm| put_one(stm, &found));
    // A variable is declared in one place.
    Some(vec![Stm::If(condition, first, vars.copy(whole))])
}

/// The strides with which loads inside of a loop go through memory, in its innermost loops.
fn strides(stm: &Stm, counter: Option<V>, visit: &mut dyn FnMut(V)) {
    let counter = if let Stm::For { var, .. } = stm { Some(*var) } else { counter };
    if let Some(counter) = counter {
        stm.each_exp(&mut |e| loads(e, counter, visit));
    }
    stm.each_block(&mut |block| block.iter().for_each(|stm| strides(stm, counter, visit)));
}

fn loads(e: &Exp, counter: V, visit: &mut dyn FnMut(V)) {
    if let Exp::Load(_, index) = e
        && let Some((1, factors)) = stride(index, counter)
        && let [only] = factors[..]
    {
        visit(only);
    }
    e.each_child(&mut |child| loads(child, counter, visit));
}

/// Puts one in the place of variables.
fn put_one(stm: &mut Stm, ones: &[V]) {
    stm.each_item_mut(&mut |item| match item {
        Item::Exp(e) => *e = substitute(e, &|v| ones.contains(&v).then(|| Exp::int(1))),
        Item::Block(block) => block.iter_mut().for_each(|stm| put_one(stm, ones)),
        Item::Use(_) | Item::Set(_) | Item::Update(_) | Item::Declare(_) => {}
    });
}
