//! `tile`: nests like matrix products keep a tile of their results in registers, and column sums walk along rows.
//!
//! # Products
//!
//! ```text
//! for i { for j { acc = e; for k { acc = acc + a[m*i + k] * b[n*k + j] }; c[n*i + j] = acc } }
//! ```
//!
//! becomes, for tiles of R rows and C columns,
//!
//! ```text
//! for jb by C {
//!   for k { for jj < C { panel[C*k + jj] = b[n*k + (jb + jj)] } }
//!   for ib by R {
//!     i0 = ib, i1 = min(ib + 1, last), ...
//!     for jj < C { acc0[jj] = e }, ...
//!     for k {
//!       x = a[m*i0 + k]; for jj < C { acc0[jj] = acc0[jj] + x * panel[C*k + jj] }
//!       x = a[m*i1 + k]; for jj < C { acc1[jj] = ... }, ...
//!     }
//!     if ib + 0 < end { for jj < min(C, ...) { c[n*ib + jb + jj] = acc0[jj] } }, ...
//!   }
//! }
//! ```
//!
//! The loops over `jj` have a fixed number of iterations and unit stride, so that C compilers make them a few vector
//! instructions, and the accumulators registers. Loads that depend on `j` and `k` come from the panel, which is
//! contiguous whatever the layout of `b` is, and so does what is computed of them and `j` and `k` only; other loads do
//! not depend on `j` and are done once for all columns. Rows whose next elements are far away are packed, too (`rows`).
//! The sums are computed in the order of the source. At the ends the last row or column is computed several times and
//! stored once.
//!
//! Conditions: the bounds of the inner loops depend on neither `i` nor `j`; bodies are straight-line code, with stores
//! only after the loop over `k`; there are enough registers. That loads are done earlier than they were is right: what
//! a row or column shares is read by iterations that are independent, so none of them writes it. The nest as it was is
//! executed when it is too small.
//!
//! # Columns
//!
//! ```text
//! for j { acc = e; for k { acc = acc + a[n*k + j] }; c[j] = acc }
//! ```
//!
//! becomes
//!
//! ```text
//! for jb by C { for jj { accs[jj] = e }; for k { for jj { accs[jj] = accs[jj] + a[n*k + jb + jj] } }; for jj { c[jb + jj] = accs[jj] } }
//! ```
//!
//! if all loads that depend on `j` and `k` have unit stride in `j`, so that vector units can do them.
//!
//! Which loops have tiles is said by their kind ([`Kind::Tiles`]), which comes from Segs. Afterwards none has any more.

mod columns;
mod nest;
mod register;
mod rows;

use fehu_imp::rewrite::{Vars, replace_stms};
use fehu_imp::{Block, Exp, Kind, Program, Stm, Tile, V};

/// Tasks whose ranges are tiled have ranges of whole tiles, and of enough rows for a packed panel to be worth it.
const GRAIN: i64 = 32;

/// Tiles the nests of a program.
pub fn tile(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let mut vars = Vars(&mut fun.vars);
        block(&mut vars, &mut fun.body, None);
        forget(&mut fun.body);
    }
}

/// Tiles the nests of a block, which may be the body of tasks that begin at `low`. Says whether a nest over these was tiled.
fn block(vars: &mut Vars<'_>, stms: &mut Block, low: Option<V>) -> bool {
    let mut over_range = false;
    replace_stms(stms, &mut |stm| {
        if let Stm::Tasks(tasks) = stm {
            let mut tasks = tasks.clone();
            if block(vars, &mut tasks.body, Some(tasks.low)) {
                tasks.grain = GRAIN;
            }
            return Some(vec![Stm::Tasks(tasks)]);
        }
        let Stm::For { kind: Kind::Tiles(tile, _), from, .. } = stm else { return None };
        let better = match tile {
            Tile::Square => register::tiled(vars, stm)?,
            Tile::Columns => columns::turned(vars, stm)?,
        };
        over_range |= matches!(from, Exp::Var(v) if Some(*v) == low);
        Some(better)
    });
    over_range
}

/// Loops that do not fit, or are for few iterations only, have no tiles.
fn forget(stms: &mut Block) {
    for stm in stms {
        if let Stm::For { kind, .. } = stm {
            *kind = std::mem::replace(kind, Kind::Sequential).without_tiles();
        }
        stm.each_block_mut(&mut forget);
    }
}

/// The number of iterations of a loop, which begins at zero or at the beginning of a task's range.
#[expect(clippy::wildcard_enum_match_arm, reason = "a start that is zero needs no difference")]
fn trips(from: &Exp, to: &Exp) -> Exp {
    match from {
        Exp::Const(fehu_ir::Scalar::I64(0)) => to.clone(),
        _ => fehu_imp::rewrite::bin(fehu_ir::BinOp::Sub, to.clone(), from.clone()),
    }
}
