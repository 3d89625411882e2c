//! `short`: nests over rows have a version for rows that are too short for vectors.
//!
//! ```text
//! for i < n { s = 0; for j < m { s = s + a[m*i + j] }; b[i] = s }
//! ```
//!
//! C compilers execute the inner loop by vectors, with a remainder. Where rows are shorter than a vector, there is only
//! the remainder, and what comes before it: m is compared with the sizes of vectors, and values are put into their
//! lanes. So this becomes
//!
//! ```text
//! if m < 16 {
//!   for i < n / 4 * 4 by 4 {
//!     s0 = 0; s1 = 0; ...
//!     for j < m few { s0 = s0 + a[m*i + j]; s1 = s1 + a[m*(i + 1) + j]; ... }
//!     b[i] = s0; b[i + 1] = s1; ...
//!   }
//!   for the rest { as it was, the inner loop `few` }
//! } else { as it was }
//! ```
//!
//! Four rows at a time share the counter, and none waits for the sum of another. By gcc 12, rows of one i8 take 3.2
//! ns each with vectors, and 0.6 like this; rows of 10 take 6.1 and 4.8. Rows that are written stay one after the
//! other, as memory wants them: the inner loop is `few`, and nothing else changes. (Multiples of a number take 3.5 ns
//! for a row of one i32, and 0.9.)
//!
//! Conditions: iterations of the outer loop have nothing to do with each other; they compute, load and store, in a few
//! statements, and in inner loops of the same size, which is known only at run time; and C compilers use vectors with
//! such a remainder for one of these: it reduces something else than floats, or counts, or makes elements. Where rows
//! of elements are made, they are too short if they do not fill even the smallest vector.

use crate::lanes::{sets_only_its_own, side_by_side};
use fehu_base::IdVec;
use fehu_imp::cost::count;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, end_of_blocks, replace_stms};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Kind, Prim, Program, Stm, Ty, V, VarInfo};
use fehu_ir::CmpOp;

/// How many rows are next to each other.
const ROWS: i64 = CPU.chains as i64;
/// The most statements of a row: there will be as many for each of the rows, and they share the registers.
const MOST_STATEMENTS: usize = 20;
/// The same if elements are made, as almost everywhere.
const MOST_OF_MAPS: usize = 8;

/// Makes versions of the nests of a program.
pub fn short(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let vars = &mut fun.vars;
        replace_stms(&mut fun.body, &mut |stm| split(vars, stm));
    }
}

fn split(vars: &mut IdVec<V, VarInfo>, stm: &Stm) -> Option<Block> {
    let Stm::For { var, from, to, step: 1, kind, body } = stm else { return None };
    let fits = kind.is_map()
        && vars[*var].ty == Ty::Scalar(Prim::I64)
        && count(body) <= MOST_STATEMENTS
        && sets_only_its_own(body, &[])
        && body.iter().all(|stm| is_plain(vars, stm));
    if !fits {
        return None;
    }
    let size = size_of_rows(*var, body)?;
    let loops = || body.iter().filter(|stm| matches!(stm, Stm::For { .. }));
    if !loops().any(|stm| has_vectors(vars, stm)) {
        return None;
    }
    let mut limit = CPU.short_iterations;
    if loops().any(is_map) {
        if count(body) > MOST_OF_MAPS {
            return None;
        }
        limit = limit.min(CPU.short_bytes / stored_bytes(vars, body));
    }
    let version = if loops().any(stores) {
        let mut version = Vars(vars).copy(std::slice::from_ref(stm));
        version.iter_mut().for_each(|stm| stm.each_block_mut(&mut |row| give(row, &Kind::Few)));
        version
    } else {
        several_rows(vars, *var, [from, to], body)
    };
    let limit = Box::new(Exp::int(limit));
    let few = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(size), limit);
    Some(vec![Stm::If(few, version, vec![stm.clone()])])
}

/// The loop over rows of which a few are executed side by side.
fn several_rows(vars: &mut IdVec<V, VarInfo>, var: V, [from, to]: [&Exp; 2], row: &Block) -> Block {
    let mut row = row.clone();
    give(&mut row, &Kind::Sequential);
    let mut out = Block::new();
    let mut declare = |vars: &mut IdVec<V, VarInfo>, hint: &str, value: Exp| {
        let v = Vars(vars).scalar(hint, Prim::I64);
        out.push(Stm::Declare(v, Some(value)));
        Exp::Var(v)
    };
    let low = declare(vars, "low", from.clone());
    let high = declare(vars, "high", to.clone());
    let whole = declare(vars, "whole", end_of_blocks(&low, &high, ROWS));
    let base = Vars(vars).scalar("base", Prim::I64);
    let rows = side_by_side(vars, var, base, ROWS, &row);
    let kind = Kind::Independent(Vec::new());
    out.push(Stm::For {
        var: base,
        from: low,
        to: whole.clone(),
        step: ROWS,
        kind: kind.clone(),
        body: rows,
    });
    // What is declared twice is declared anew.
    let rest = Stm::For { var, from: whole, to: high, step: 1, kind, body: row };
    out.extend(Vars(vars).copy(&[rest]));
    out.iter_mut().for_each(|stm| stm.each_block_mut(&mut |rows| give(rows, &Kind::Few)));
    out
}

/// Gives the loops of a row this kind.
fn give(row: &mut Block, new: &Kind) {
    for stm in row {
        if let Stm::For { kind, .. } = stm {
            *kind = new.clone();
        }
    }
}

/// Whether a statement of a row computes, loads and stores, or is a loop that does.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements do not fit")]
fn is_plain(vars: &IdVec<V, VarInfo>, stm: &Stm) -> bool {
    match stm {
        Stm::For { body, .. } => body.iter().all(|stm| does_little(vars, stm)),
        _ => does_little(vars, stm),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other statements do not fit")]
fn does_little(vars: &IdVec<V, VarInfo>, stm: &Stm) -> bool {
    let mut cheap = true;
    stm.each_exp(&mut |e| cheap &= !e.is_expensive());
    cheap
        && match stm {
            Stm::Comment(_) | Stm::Assign(..) | Stm::Store(..) => true,
            Stm::Declare(v, _) => matches!(vars[*v].ty, Ty::Scalar(_)),
            _ => false,
        }
}

/// How many iterations all loops of a row have, if that is the same for all rows and known only at run time.
fn size_of_rows(row: V, body: &[Stm]) -> Option<Exp> {
    let mut sizes = Vec::new();
    for stm in body {
        if let Stm::For { from, to, step, .. } = stm {
            if *from != Exp::int(0) || *step != 1 {
                return None;
            }
            sizes.push(to);
        }
    }
    let (first, others) = sizes.split_first()?;
    let own = set_vars(body);
    let mut same = matches!(first, Exp::Var(_) | Exp::Index(_));
    same &= others.iter().all(|size| size == first);
    first.each_var(&mut |v| same &= v != row && !own.contains(&v));
    same.then(|| (*first).clone())
}

/// Whether a loop makes elements that have nothing to do with each other.
fn is_map(stm: &Stm) -> bool {
    matches!(stm, Stm::For { kind, .. } if kind.is_map())
}

/// The size of the largest elements that are written.
fn stored_bytes(vars: &IdVec<V, VarInfo>, body: &[Stm]) -> i64 {
    let mut bytes = 1;
    each_stm(body, &mut |stm| {
        if let Stm::Store(ptr, ..) = stm
            && let Ty::Ptr(_, prim) = vars[*ptr].ty
        {
            bytes = bytes.max(i64::from(prim.bits() / 8));
        }
    });
    bytes
}

/// Whether a loop writes to memory.
fn stores(stm: &Stm) -> bool {
    let mut found = false;
    each_stm(std::slice::from_ref(stm), &mut |stm| found |= matches!(stm, Stm::Store(..)));
    found
}

/// Whether a statement is a loop for which C compilers use vectors whose remainder matters: one that reduces something,
/// makes elements, or counts, so that each iteration waits only for sums. Sums of floats have a remainder of their own
/// (`partials`).
fn has_vectors(vars: &IdVec<V, VarInfo>, stm: &Stm) -> bool {
    let Stm::For { kind, body, .. } = stm else { return false };
    let is_float = |v: V| matches!(vars[v].ty, Ty::Scalar(prim) if prim.is_float());
    if let Some(reductions) = kind.reductions() {
        return !reductions.iter().any(|(v, _)| is_float(*v));
    }
    let mut counts = true;
    each_stm(body, &mut |stm| {
        stm.each_exp(&mut |e| counts &= !e.any(&|e| matches!(e, Exp::Load(..))));
        stm.each_set(&mut |v| counts &= !is_float(v));
    });
    counts
}
