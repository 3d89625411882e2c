//! Cells: scalars that stay in the memory of the device where control flow meets, at the end of iterations (`ahead`)
//! and of branches (`branches`).

use super::offload::elem;
use super::owners::Owners;
use fehu_base::IdVec;
use fehu_imp::rewrite::Vars;
use fehu_imp::{Block, Exp, From, Kernel, Stm, Ty, V, VarInfo};
use rustc_hash::FxHashSet;

/// Where a scalar is.
pub(super) struct Cell {
    /// The variable.
    pub(super) var: V,
    /// The handle of a block with one element ...
    pub(super) handle: V,
    /// ... and a pointer to it.
    pub(super) ptr: V,
}

/// Code that leaves scalars on the device.
pub(super) struct Left {
    /// The code, whose blocks have been handled.
    pub(super) code: Block,
    /// Where the scalars are afterwards. The blocks are to be released.
    pub(super) cells: Vec<Cell>,
}

impl Cell {
    /// A cell for a variable.
    pub(super) fn of(var: V, owners: &mut Owners, vars: &mut IdVec<V, VarInfo>) -> Cell {
        let prim = elem(vars[var].ty);
        let handle = Vars(vars).new_var("cell_mem", Ty::Mem);
        let ptr = Vars(vars).new_var("cell", Ty::ptr(prim));
        owners.of.insert(ptr, handle);
        owners.constant.insert(ptr);
        Cell { var, handle, ptr }
    }

    /// Allocates it.
    pub(super) fn make(&self, vars: &IdVec<V, VarInfo>, out: &mut Block) {
        let Cell { var, handle, ptr } = *self;
        out.extend([Stm::Declare(handle, None), Stm::Declare(ptr, None)]);
        out.push(Stm::Alloc(handle, elem(vars[var].ty), Exp::int(1)));
        out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
    }
}

/// A kernel of one thread that stores values in cells; all of them are computed before the first is stored.
pub(super) fn store(hint: &str, values: Vec<(&Cell, Exp)>, vars: &mut IdVec<V, VarInfo>) -> Stm {
    let (mut body, mut stores) = (Block::new(), Block::new());
    for (cell, value) in values {
        let var = Vars(vars).like(cell.var);
        body.push(Stm::Declare(var, Some(value)));
        stores.push(Stm::Store(cell.ptr, Exp::int(0), Exp::Var(var)));
    }
    body.append(&mut stores);
    Stm::Launch(Box::new(Kernel::alone(hint, vars, body)))
}

/// The statements of the host, at any depth.
pub(super) fn each_of_host<'a>(block: &'a [Stm], visit: &mut dyn FnMut(&'a Stm)) {
    for stm in block {
        visit(stm);
        if !matches!(stm, Stm::Launch(_)) {
            stm.each_block(&mut |inner| each_of_host(inner, visit));
        }
    }
}

/// The variables that depend on some, in the code of the host.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others set no scalars by expressions")]
pub(super) fn depending(body: &[Stm], mut found: FxHashSet<V>) -> FxHashSet<V> {
    loop {
        let before = found.len();
        each_of_host(body, &mut |stm| {
            let mut depends = false;
            stm.each_exp(&mut |e| e.each_var(&mut |v| depends |= found.contains(&v)));
            match stm {
                Stm::Declare(v, Some(_)) | Stm::Assign(v, _) | Stm::For { var: v, .. }
                    if depends =>
                {
                    found.insert(*v);
                }
                _ => {}
            }
        });
        if found.len() == before {
            return found;
        }
    }
}

/// The variables that the host fetches.
pub(super) fn fetched(body: &[Stm]) -> FxHashSet<V> {
    let mut fetched = FxHashSet::default();
    each_of_host(body, &mut |stm| {
        if let Stm::Fetch(v, ..) = stm {
            fetched.insert(*v);
        }
    });
    fetched
}

/// The variables that the host declares.
pub(super) fn declared(body: &[Stm]) -> FxHashSet<V> {
    let mut declared = FxHashSet::default();
    each_of_host(body, &mut |stm| {
        stm.each_declared(&mut |v| {
            declared.insert(v);
        });
    });
    declared
}
