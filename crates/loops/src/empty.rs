//! `empty`: nests of loops over arrays that have rows without elements are not run.
//!
//! An array may have any number of rows if these have no elements: it needs no memory. A loop over the rows that only does
//! something to their elements then does nothing, possibly for centuries. So a nest that does something only in inner loops and
//! copies, whose sizes are known before it, is run only if some of these have elements.

use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, V};
use fehu_ir::{BinOp, CmpOp, Scalar};
use rustc_hash::FxHashSet;

/// The most conditions for a nest; what needs more is run.
const MOST: usize = 8;

/// Guards the nests of the host.
pub fn empty(program: &mut Program) {
    let inside = std::mem::take(&mut program.inside);
    let ids: Vec<fehu_imp::FunId> = program.funs.iter().map(|(id, _)| id).collect();
    for id in ids.into_iter().filter(|id| !inside.contains(id)) {
        let body = std::mem::take(&mut program.funs[id].body);
        program.funs[id].body = block(body);
    }
    program.inside = inside;
}

fn block(stms: Block) -> Block {
    stms.into_iter().map(stm).collect()
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do; other statements stay as they are"
)]
fn stm(mut stm: Stm) -> Stm {
    let nest: Option<&Block> = match &stm {
        Stm::For { body, .. } => Some(body),
        Stm::Tasks(tasks) => Some(&tasks.body),
        Stm::Launch(kernel) => Some(&kernel.body),
        _ => None,
    };
    if let Some(body) = nest
        && let Some(condition) = condition(&stm, body)
    {
        return Stm::If(condition, vec![stm], Block::new());
    }
    match &mut stm {
        Stm::If(_, yes, no) => {
            *yes = block(std::mem::take(yes));
            *no = block(std::mem::take(no));
        }
        Stm::Switch(_, cases, default) => {
            for (_, body) in cases {
                *body = block(std::mem::take(body));
            }
            *default = block(std::mem::take(default));
        }
        // Iterations that are independent have been looked at as a whole.
        Stm::For { body, kind: Kind::Sequential, .. } | Stm::While(_, body) => {
            *body = block(std::mem::take(body));
        }
        _ => {}
    }
    stm
}

/// When a nest does something, if that is a condition that can be evaluated before it and not always true.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only these forms are looked for; for others there is nothing to do"
)]
fn condition(stm: &Stm, body: &Block) -> Option<Exp> {
    let mut inner = Inner::default();
    each_stm(std::slice::from_ref(stm), &mut |stm| {
        stm.each_declared(&mut |v| {
            inner.declared.insert(v);
        });
        stm.each_set(&mut |v| {
            inner.set.insert(v);
        });
    });
    match acts(body, &inner) {
        Acts::Always | Acts::Never => None,
        Acts::If(ways) => {
            let both = |op: BinOp, a, b| Exp::Bin(op, Prim::Bool, Box::new(a), Box::new(b));
            // The loop itself looks whether it has iterations.
            let own = match stm {
                Stm::For { to, .. } => Some(to),
                _ => None,
            };
            let way = |sizes: Vec<Exp>| {
                let other = sizes.into_iter().filter(|size| Some(size) != own);
                let some = other.map(|size| {
                    Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(Exp::int(0)), Box::new(size))
                });
                some.reduce(|a, b| both(BinOp::And, a, b))
            };
            let conditions: Option<Vec<Exp>> = ways.into_iter().map(way).collect();
            conditions?.into_iter().reduce(|a, b| both(BinOp::Or, a, b))
        }
    }
}

/// The variables of a nest.
#[derive(Default)]
struct Inner {
    declared: FxHashSet<V>,
    set: FxHashSet<V>,
}

/// When something has an effect.
enum Acts {
    Never,
    Always,
    /// If all sizes of one of these lists are positive.
    If(Vec<Vec<Exp>>),
}

fn acts(body: &[Stm], inner: &Inner) -> Acts {
    body.iter().map(|stm| stm_acts(stm, inner)).fold(Acts::Never, or)
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "a start that is not a constant counts as one; what is not known to do nothing does something"
)]
fn stm_acts(stm: &Stm, inner: &Inner) -> Acts {
    match stm {
        Stm::Comment(_) | Stm::Declare(..) | Stm::Point(..) => Acts::Never,
        Stm::Assign(v, _) if inner.declared.contains(v) => Acts::Never,
        // Memory for a row, which nobody else has.
        Stm::Alloc(v, ..) | Stm::Free(v) if inner.declared.contains(v) => Acts::Never,
        Stm::If(_, yes, no) => or(acts(yes, inner), acts(no, inner)),
        Stm::Copy { count, .. } => only_if(count, inner, Acts::Always),
        Stm::For { from, to, body, .. } => {
            let each = acts(body, inner);
            match from {
                Exp::Const(Scalar::I64(0)) => only_if(to, inner, each),
                _ => each,
            }
        }
        Stm::Tasks(tasks) => only_if(&tasks.total, inner, acts(&tasks.body, inner)),
        _ => Acts::Always,
    }
}

/// What happens only if a size is positive, which must not depend on what is bound inside.
fn only_if(size: &Exp, inner: &Inner, then: Acts) -> Acts {
    let is_simple = matches!(size, Exp::Var(_) | Exp::Index(_));
    let mut outer = is_simple;
    size.each_var(&mut |v| outer &= !inner.declared.contains(&v) && !inner.set.contains(&v));
    match then {
        Acts::Never => Acts::Never,
        other if !outer => other,
        Acts::Always => Acts::If(vec![vec![size.clone()]]),
        Acts::If(mut ways) => {
            ways.iter_mut()
                .filter(|way| !way.contains(size))
                .for_each(|way| way.push(size.clone()));
            Acts::If(ways)
        }
    }
}

fn or(a: Acts, b: Acts) -> Acts {
    match (a, b) {
        (Acts::Always, _) | (_, Acts::Always) => Acts::Always,
        (Acts::Never, other) | (other, Acts::Never) => other,
        (Acts::If(mut ways), Acts::If(more)) => {
            for way in more {
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
            match ways.iter().map(Vec::len).sum::<usize>() > MOST {
                true => Acts::Always,
                false => Acts::If(ways),
            }
        }
    }
}
