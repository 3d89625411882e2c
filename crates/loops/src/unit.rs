//! `unit`: loops that read with a stride that is known only at run time have a version in which it is one.
//!
//! ```text
//! for i { for j { s = s + a[d*i + e*j] } }        if e == 1 { for i { for j { s = s + a[d*i + j] } } }
//!                                          ==>    else { for i { for j { s = s + a[d*i + e*j] } } }
//! ```
//!
//! Branches and loops that hand on arrays as they are give them such strides. Elements that are known to be neighbours
//! are loaded as vectors.
//!
//! If the iterations of the loop around the innermost one are independent, there is another version, in which the
//! stride along that loop is one: then the array is read across, and later stages know what to do: `copies` reads and
//! writes blocks, and `tile` accumulates columns row by row, for which the loop is marked. Otherwise each line of the
//! cache would be fetched once for each of its elements, as soon as a column is larger than the cache: a matrix of 4096
//! x 4096 that may be transposed took three times as long as one that is copied first.
//!
//! Conditions: the stride is a variable that is one on some way to the loop, by an assignment, and is not set inside;
//! it is that of the innermost loop around the load, or of the one around that; and the loop is not too long. If there
//! are several, all of them are one in a version. The outermost loop that allows it is copied.

use fehu_imp::cost::count;
use fehu_imp::rewrite::{Vars, all, replace_stms, stride, substitute};
use fehu_imp::visit::{Item, each_stm, set_vars};
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, Tile, V};
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
    let mut found = Strides::default();
    found.of(stm, Around::default());
    let set = set_vars(whole);
    let Strides { mut rows, mut columns } = found;
    let is_found = |v: &V| ones.contains(v) && !set.contains(v);
    rows.retain(is_found);
    columns.retain(|(v, _)| is_found(v));
    let outer: FxHashSet<V> = columns.iter().map(|(_, counter)| *counter).collect();
    let columns: Vec<V> = columns.into_iter().map(|(v, _)| v).collect();
    let mut code = None;
    for (mut ones, turned) in [(columns, outer), (rows, FxHashSet::default())] {
        ones.sort_unstable();
        ones.dedup();
        if ones.is_empty() {
            continue;
        }
        let mut version = whole.to_vec();
        version.iter_mut().for_each(|stm| put_one(stm, &ones, &turned));
        // A variable is declared in one place.
        let otherwise = code.unwrap_or_else(|| whole.to_vec());
        code = Some(vec![Stm::If(all(ones.iter().map(is_one)), vars.copy(&version), otherwise)]);
    }
    code
}

fn is_one(v: &V) -> Exp {
    Exp::Cmp(CmpOp::Eq, Prim::I64, Box::new(Exp::Var(*v)), Box::new(Exp::int(1)))
}

/// The loops around a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    /// The innermost one: its counter, and whether its iterations have nothing to do with each other.
    inner: Option<(V, bool)>,
    /// The counter of the one around that, if its iterations have not.
    outer: Option<V>,
}

/// The strides with which loads go through memory, as far as they are variables.
#[derive(Default)]
struct Strides {
    /// In the innermost loops around them.
    rows: Vec<V>,
    /// In the loops around these, and the counters of these loops.
    columns: Vec<(V, V)>,
}

impl Strides {
    fn of(&mut self, stm: &Stm, mut around: Around) {
        if let Stm::For { var, kind, .. } = stm {
            let outer = around.inner.and_then(|(outer, is_map)| is_map.then_some(outer));
            around = Around { inner: Some((*var, kind.is_map())), outer };
        }
        stm.each_exp(&mut |e| self.of_loads(e, around));
        stm.each_block(&mut |block| block.iter().for_each(|stm| self.of(stm, around)));
    }

    fn of_loads(&mut self, e: &Exp, around: Around) {
        if let Exp::Load(_, index) = e {
            let only = |counter| match stride(index, counter) {
                Some((1, factors)) => <[V; 1]>::try_from(factors).ok(),
                Some(_) | None => None,
            };
            let along = |counter: V| only(counter).into_iter().flatten();
            let inner = around.inner.into_iter();
            self.rows.extend(inner.flat_map(|(counter, _)| along(counter)));
            let outer = around.outer.into_iter();
            self.columns.extend(outer.flat_map(|outer| along(outer).map(move |v| (v, outer))));
        }
        e.each_child(&mut |child| self.of_loads(child, around));
    }
}

/// Puts one in the place of variables, and marks loops along which columns are next to each other.
fn put_one(stm: &mut Stm, ones: &[V], turned: &FxHashSet<V>) {
    if let Stm::For { var, kind, .. } = stm
        && turned.contains(var)
    {
        *kind = std::mem::replace(kind, Kind::Sequential).in_tiles(Tile::Columns);
    }
    stm.each_item_mut(&mut |item| match item {
        Item::Exp(e) => *e = substitute(e, &|v| ones.contains(&v).then(|| Exp::int(1))),
        Item::Block(block) => block.iter_mut().for_each(|stm| put_one(stm, ones, turned)),
        Item::Use(_) | Item::Set(_) | Item::Update(_) | Item::Declare(_) => {}
    });
}
