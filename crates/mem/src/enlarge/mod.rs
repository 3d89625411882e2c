//! `enlarge`: what an iteration allocates is as large as the largest iteration needs.
//!
//! An array whose size only an iteration or a position knows is allocated anew in each, and nobody outside knows how
//! much memory that will be: the host has to guess what a thread of a kernel needs, and a thread that has reserved a
//! piece cannot use it again for the next, larger array. If the size grows with the counters of the loops and operators
//! around it, it is known before them. The block then has its last size from the beginning:
//!
//! ```text
//! map (\x ->                                    let some = min (max n 0) 1
//!   loop for i < n {                            let last = max n 0 - some
//!     let k = i + 1                    ==>      let most = (last + 1) * some
//!     let xs = replicate k x                    map (\x -> loop for i < n {
//!   }) ys             -- block: k                 ... xs = replicate k x    -- block: most
//! ```
//!
//! The allocation stays where it is, and so does the shape of the array.
//!
//! # When
//!
//! No program may need more memory than before, and none that ends well may fail. So:
//!
//! * The new size is that of an array which is made for certain, if any is: bodies that are not always executed are not
//!   crossed, nor is a statement that can end the program. Where loops have no iterations, the size is zero (`growth`).
//! * It is computed without wrapping: what is larger than any memory stays so (`code`).
//! * It is computed before an operator of the host (or a statement of a task), in which nothing is released before its
//!   end: memory of threads is reserved for all of them, and other functions keep their blocks for the next position.
//!   There everything is as large as its largest array anyway, whenever that is made. Loops of the host stay as
//!   they are, since what is released there is room for something else (`scopes`).
//! * The positions of a task's operator are not crossed: each thread has its share of them, and need not meet the
//!   largest.
//! * What a loop or a branch hands on keeps its size. Several blocks of such an allocation alternate, of which only the
//!   last one needs to be as large, and with a single iteration there is just one.
//! * A device reserves what its host knows for all threads, but what it does not know only when a thread asks. One
//!   block of an operator that becomes known can make all of them known. So if not all of them are certain to be
//!   made, or one is handed on, the operator stays as it is.

mod code;
mod growth;
mod scopes;

use crate::roots::Roots;
use crate::table::{BlockId, Origin, Placed, Table};
use code::Code;
use fehu_base::IdVec;
use fehu_facts::Effects;
use fehu_facts::flow::{Effort, walk};
use fehu_ir::visit::{VisitMut, walk_body_mut};
use fehu_ir::{Atom, Body, Item, Prog, Stm, Var, VarInfo};
use growth::{Growth, Largest};
use scopes::{Making, Root};

/// Enlarges the blocks of a program.
pub fn enlarge(placed: &mut Placed) {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    let effects = Effects::of(prog);
    for item in prog.items() {
        let (table, params) = match item {
            Item::Const(id) => (&mut consts[id], Vec::new()),
            Item::Fun(id) => {
                let params = prog.funs[id].params.iter().map(|param| param.var).collect();
                (&mut funs[id], params)
            }
        };
        let (body, vars) = (prog.body(item), prog.vars(item));
        let roots = scopes::roots(body, vars, table, &effects);
        if roots.is_empty() {
            continue;
        }
        let mut growth = Growth::new(&roots, table);
        walk(vars, &params, body, &mut growth, Effort::Less);
        let found = growth.found;
        let (mut all, mut vars) = (Vec::new(), vars.clone());
        for (root, found) in roots.iter().zip(found) {
            let chosen = choose(prog, item, table, root, &found);
            if chosen.is_empty() {
                continue;
            }
            let mut code = Code::new(&mut vars);
            for (block, largest) in chosen {
                let size = code.largest(largest);
                if let Origin::Fresh { size: old, .. } = &mut table.blocks[block].origin {
                    *old = vec![size];
                }
            }
            all.push((root.before, code.stms));
        }
        if !all.is_empty() {
            prog.change(item, |_, old, body| {
                *old = vars;
                Insert(all).body(body);
            });
        }
    }
}

/// The blocks that get other sizes.
fn choose<'a>(
    prog: &Prog,
    item: Item,
    table: &Table,
    root: &Root,
    found: &'a [Option<Largest>],
) -> Vec<(BlockId, &'a Largest)> {
    if !found.iter().flatten().any(|largest| largest.grows) {
        return Vec::new();
    }
    let origins = Roots::new(prog, item, table);
    let stays = |making: &Making| {
        root.handed_on.iter().any(|block| origins.may_be_same(*block, making.block))
    };
    let all = root.makings.iter().zip(found).map(|(making, largest)| {
        let largest = largest.as_ref().filter(|_| !stays(making))?;
        Some((making.block, largest))
    });
    if root.is_reserved {
        let all: Option<Vec<(BlockId, &Largest)>> = all.collect();
        let changes = |(_, largest): &(BlockId, &Largest)| largest.grows || largest.may_be_none;
        return all.unwrap_or_default().into_iter().filter(changes).collect();
    }
    all.flatten().filter(|(_, largest)| largest.grows).collect()
}

/// Adds the statements that compute sizes, each list before the statement that binds a variable.
struct Insert(Vec<(Var, Vec<Stm>)>);

impl VisitMut for Insert {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut stms = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            let first = stm.pat.first().copied();
            for (_, new) in self.0.iter_mut().filter(|(before, _)| Some(*before) == first) {
                stms.append(new);
            }
            stms.push(stm);
        }
        body.stms = stms;
    }
}

/// The type of a variable is `i64`.
fn is_number(vars: &IdVec<Var, VarInfo>, atom: Atom) -> bool {
    fehu_ir::builder::atom_type(atom, vars) == fehu_ir::Type::I64
}
