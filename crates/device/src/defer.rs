//! Elements that the host fetches are fetched when the host needs them, which may be never.
//!
//! A fetch makes the host wait for the device, although often only kernels need the value: the sum of an array by which
//! the next kernel divides, say. So fetches are *deferred*, and so are declarations whose values depend on them. A
//! kernel that needs such a value loads the element itself, and repeats what is computed from it. What the host itself
//! needs is fetched just before, together with all that it will need for certain: it waits once. If it needs a value
//! only to check it, a kernel of one thread does that.
//!
//! A deferred fetch must find its element unchanged. The element is in a block with a handle and pointers of its own,
//! which are set once; the fetch happens before anything else than a load is done to that block. Only its release is
//! deferred as well, if the block is small, as the results of reductions are.
//!
//! Everybody must see the same value: one kernel that rounds a product where another contracts it with a sum would
//! disagree about how many elements are to be written. So only what is *exact* is repeated. Other values are computed
//! once, by a kernel of one thread, and then are elements of memory themselves.

use super::ahead::ahead;
use super::branches::branches;
use super::cells::Cell;
use super::offload::elem;
use super::owners::Owners;
use fehu_base::{IdVec, OrBug};
use fehu_imp::rewrite::{Vars, rename, substitute};
use fehu_imp::visit::{Item, each_stm, free_vars};
use fehu_imp::{Block, Exp, From, Fun, Kernel, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Handles the code of a function outside of kernels.
pub(super) fn defer(fun: &mut Fun) {
    let mut owners = Owners::of(fun);
    let body = std::mem::take(&mut fun.body);
    fun.body = block(body, &mut owners, &mut fun.vars);
}

/// A fetch or a declaration that is deferred.
struct Deferred {
    /// The variable that gets the value.
    var: V,
    /// The statements that give it to the host.
    host: Block,
    /// The value, for kernels.
    value: Exp,
    /// The block that must not change meanwhile, for a fetch.
    block: Option<V>,
}

/// What is deferred in a block of statements.
#[derive(Default)]
struct Pending {
    /// In the order of the statements: each depends only on those before it.
    all: Vec<Deferred>,
    /// The handles that are to be released at the end.
    releases: Vec<V>,
}

/// Handles the statements of a block.
pub(super) fn block(stms: Block, owners: &mut Owners, vars: &mut IdVec<V, VarInfo>) -> Block {
    let mut pending = Pending::default();
    let mut out = Block::with_capacity(stms.len());
    let mut stms = stms.into_iter();
    while let Some(mut stm) = stms.next() {
        if let Some(mut deferred) = pending.deferred(&stm, owners) {
            // Without the fetch, there is nothing to declare.
            if out.last() == Some(&Stm::Declare(deferred.var, None)) {
                deferred.host.splice(..0, out.pop());
                pending.all.push(deferred);
                continue;
            }
            if deferred.block.is_none() {
                pending.all.push(deferred);
                continue;
            }
        }
        if let Stm::Assert(..) = &stm
            && pending.is_for_device(&stm, stms.as_slice())
        {
            stm = Stm::Launch(Box::new(Kernel::alone("check", vars, vec![stm])));
        }
        if let Stm::Free(h) = &stm
            && owners.small.contains(h)
            && pending.all.iter().any(|deferred| deferred.block == Some(*h))
        {
            pending.releases.push(*h);
            continue;
        }
        // What is declared here and the host does not need for certain.
        let mut may_stay = |found: &mut Vec<V>| {
            let mut needed = FxHashSet::default();
            certain_needs(stms.as_slice(), true, &mut needed);
            found.retain(|v| is_declared(*v, &out) && !needed.contains(v));
        };
        let left = ahead(&stm, owners, vars);
        if let Some(left) = left.or_else(|| branches(&stm, &mut may_stay, owners, vars)) {
            for stm in left.code {
                pending.step(stm, stms.as_slice(), owners, vars, &mut out);
            }
            pending.releases.extend(left.cells.iter().map(|cell| cell.handle));
            stms = after(&left.cells, &out, stms.collect(), owners, vars).into_iter();
            continue;
        }
        if !matches!(stm, Stm::Launch(_)) {
            stm.each_block_mut(&mut |inner| *inner = block(std::mem::take(inner), owners, vars));
        }
        pending.step(stm, stms.as_slice(), owners, vars, &mut out);
    }
    out.extend(pending.releases.into_iter().map(Stm::Free));
    out
}

/// The statements after a loop that has left scalars in cells: they are fetched first. A variable that is declared in
/// this block gets another name, which has one value.
fn after(
    cells: &[Cell],
    out: &[Stm],
    rest: Block,
    owners: &mut Owners,
    vars: &mut IdVec<V, VarInfo>,
) -> Block {
    let mut names: FxHashMap<V, V> = FxHashMap::default();
    let mut fetches = Block::new();
    for cell in cells {
        let mut var = cell.var;
        if is_declared(var, out) {
            var = Vars(vars).like(cell.var);
            owners.constant.insert(var);
            names.insert(cell.var, var);
            fetches.push(Stm::Declare(var, None));
        }
        fetches.push(Stm::Fetch(var, cell.ptr, Exp::int(0)));
    }
    fetches.extend(rename(&rest, &|v| names.get(&v).copied()));
    fetches
}

fn is_declared(var: V, stms: &[Stm]) -> bool {
    stms.iter().any(|stm| matches!(stm, Stm::Declare(v, _) if *v == var))
}

impl Pending {
    /// A statement whose blocks have been handled: before it, the host gets what it needs for it.
    fn step(
        &mut self,
        mut stm: Stm,
        rest: &[Stm],
        owners: &Owners,
        vars: &mut IdVec<V, VarInfo>,
        out: &mut Block,
    ) {
        let gone = self.deliver(&stm, rest, owners, out);
        self.compute(&stm, vars, out);
        self.load(&mut stm, vars);
        self.all.retain(|deferred| !gone.contains(&deferred.var));
        out.push(stm);
    }

    /// The statement as a deferred one, if it can be that.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements are never deferred")]
    fn deferred(&self, stm: &Stm, owners: &Owners) -> Option<Deferred> {
        let (var, value, block) = match stm {
            Stm::Fetch(v, p, at) => {
                (*v, Exp::Load(*p, Box::new(at.clone())), Some(*owners.of.get(p)?))
            }
            Stm::Declare(v, Some(e)) if self.all.iter().any(|d| e.mentions(d.var)) => {
                (*v, e.clone(), None)
            }
            _ => return None,
        };
        let mut constant = owners.constant.contains(&var);
        value.each_var(&mut |v| constant &= owners.constant.contains(&v));
        constant.then(|| Deferred { var, host: vec![stm.clone()], value, block })
    }

    /// Whether a check is left to the device: it depends on what is deferred, which the host does not need for anything else.
    fn is_for_device(&self, check: &Stm, rest: &[Stm]) -> bool {
        let (mut asked, mut needed) = (FxHashSet::default(), FxHashSet::default());
        check.each_used(&mut |v| {
            asked.insert(v);
        });
        self.close(&mut asked);
        certain_needs(rest, false, &mut needed);
        self.close(&mut needed);
        let fetched = |d: &&Deferred| d.block.is_some() && asked.contains(&d.var);
        let mut fetched = self.all.iter().filter(fetched).peekable();
        fetched.peek().is_some() && fetched.all(|deferred| !needed.contains(&deferred.var))
    }

    /// Gives the host what a statement needs, and what the statement might change. If it has to wait for that, it also
    /// gets what the rest of the block needs. Returns what nobody can have after the statement, nor needs.
    fn deliver(
        &mut self,
        stm: &Stm,
        rest: &[Stm],
        owners: &Owners,
        out: &mut Block,
    ) -> FxHashSet<V> {
        let mut needed = FxHashSet::default();
        host_uses(stm, &mut |v| {
            needed.insert(v);
        });
        let mut changed = FxHashSet::default();
        each_stm(std::slice::from_ref(stm), &mut |stm| {
            stm.each_set(&mut |v| {
                changed.insert(v);
            });
            stm.each_item(&mut |item| {
                if let Item::Use(p) = item
                    && !matches!(stm, Stm::Fetch(..))
                {
                    changed.extend(owners.of.get(p));
                }
            });
        });
        let mut gone = FxHashSet::default();
        for deferred in &self.all {
            if deferred.block.is_some_and(|block| changed.contains(&block)) {
                let lost = self.depending(deferred.var);
                match self.is_used(&lost, stm, rest) {
                    true => needed.extend([deferred.var]),
                    false => gone.extend(lost),
                }
            }
        }
        self.close(&mut needed);
        if self
            .all
            .iter()
            .any(|deferred| deferred.block.is_some() && needed.contains(&deferred.var))
        {
            certain_needs(rest, true, &mut needed);
            self.close(&mut needed);
        }
        let (now, later) = std::mem::take(&mut self.all)
            .into_iter()
            .partition(|deferred| needed.contains(&deferred.var));
        self.all = later;
        out.extend(Vec::into_iter(now).flat_map(|deferred| deferred.host));
        gone
    }

    /// The deferred variables that depend on one, and that one.
    fn depending(&self, var: V) -> FxHashSet<V> {
        let mut found = FxHashSet::from_iter([var]);
        for deferred in &self.all {
            let mut depends = false;
            deferred.value.each_var(&mut |v| depends |= found.contains(&v));
            if depends {
                found.insert(deferred.var);
            }
        }
        found
    }

    /// Whether somebody needs one of these after a statement has changed what they come from, or while it does: a
    /// kernel of one thread loads them first.
    fn is_used(&self, these: &FxHashSet<V>, stm: &Stm, rest: &[Stm]) -> bool {
        let mentions = |stms: &[Stm]| free_vars(stms).iter().any(|v| these.contains(v));
        let alone = matches!(stm, Stm::Launch(kernel) if kernel.is_alone());
        mentions(rest) || !alone && mentions(std::slice::from_ref(stm))
    }

    /// Lets a kernel of one thread compute what the kernels in a statement need and must not compute themselves.
    fn compute(&mut self, stm: &Stm, vars: &mut IdVec<V, VarInfo>, out: &mut Block) {
        let mut needed = FxHashSet::default();
        each_stm(std::slice::from_ref(stm), &mut |stm| {
            if let Stm::Launch(kernel) = stm {
                needed.extend(free_vars(&kernel.body));
            }
        });
        self.close(&mut needed);
        let once = |deferred: &&mut Deferred| {
            needed.contains(&deferred.var) && deferred.block.is_none() && !is_exact(&deferred.value)
        };
        // A kernel has fewer arguments if values of one type are in one block.
        let mut blocks: Vec<(Prim, V, V, i64)> = Vec::new();
        let mut stores = Block::new();
        let (mut body, own) = self.declarations(&needed, vars);
        for deferred in self.all.iter_mut().filter(once) {
            let prim = elem(vars[deferred.var].ty);
            let found = blocks.iter_mut().find(|(other, ..)| *other == prim);
            let (_, handle, ptr, count) = match found {
                Some(block) => block,
                None => {
                    let handle = Vars(vars).new_var("scalars_mem", Ty::Mem);
                    let ptr = Vars(vars).new_var("scalars", Ty::ptr(prim));
                    blocks.push((prim, handle, ptr, 0));
                    blocks.last_mut().or_bug("a block")
                }
            };
            let at = Exp::int(*count);
            *count += 1;
            stores.push(Stm::Store(*ptr, at.clone(), Exp::Var(own[&deferred.var])));
            deferred.host =
                vec![Stm::Declare(deferred.var, None), Stm::Fetch(deferred.var, *ptr, at.clone())];
            deferred.value = Exp::Load(*ptr, Box::new(at));
            deferred.block = Some(*handle);
        }
        if stores.is_empty() {
            return;
        }
        for (prim, handle, ptr, count) in blocks {
            out.push(Stm::Declare(handle, None));
            out.push(Stm::Declare(ptr, None));
            out.push(Stm::Alloc(handle, prim, Exp::int(count)));
            out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
            self.releases.push(handle);
        }
        body.append(&mut stores);
        out.push(Stm::Launch(Box::new(Kernel::alone("scalars", vars, body))));
    }

    /// Lets the kernels in a statement load what they need.
    fn load(&self, stm: &mut Stm, vars: &mut IdVec<V, VarInfo>) {
        if let Stm::Launch(kernel) = stm {
            let mut needed = free_vars(&kernel.body).into_iter().collect();
            self.close(&mut needed);
            let (mut begin, own) = self.declarations(&needed, vars);
            if !begin.is_empty() {
                begin.extend(rename(&kernel.body, &|v| own.get(&v).copied()));
                kernel.body = begin;
                kernel.hoist_shared(vars);
            }
        } else if !self.all.is_empty() {
            stm.each_block_mut(&mut |block| block.iter_mut().for_each(|stm| self.load(stm, vars)));
        }
    }

    /// Adds to variables the deferred ones that they depend on.
    fn close(&self, needed: &mut FxHashSet<V>) {
        for deferred in self.all.iter().rev() {
            if needed.contains(&deferred.var) {
                deferred.value.each_var(&mut |v| {
                    needed.insert(v);
                });
            }
        }
    }

    /// Declarations of a kernel's own versions of deferred variables.
    fn declarations(
        &self,
        needed: &FxHashSet<V>,
        vars: &mut IdVec<V, VarInfo>,
    ) -> (Block, FxHashMap<V, V>) {
        let mut own: FxHashMap<V, V> = FxHashMap::default();
        let mut block = Block::new();
        for deferred in self.all.iter().filter(|deferred| needed.contains(&deferred.var)) {
            let value = substitute(&deferred.value, &|v| own.get(&v).copied().map(Exp::Var));
            let var = Vars(vars).like(deferred.var);
            own.insert(deferred.var, var);
            block.push(Stm::Declare(var, Some(value)));
        }
        (block, own)
    }
}

/// Whether the value of an expression is the same to the bit wherever it is computed, and takes no time: that excludes
/// functions, and what may be contracted with what comes next.
fn is_exact(e: &Exp) -> bool {
    let mut exact = match e {
        Exp::Const(_)
        | Exp::Var(_)
        | Exp::Load(..)
        | Exp::Index(_)
        | Exp::Cmp(..)
        | Exp::Convert(..)
        | Exp::Reinterpret(..)
        | Exp::Select(_) => true,
        Exp::Un(op, prim, _) => !prim.is_float() || matches!(op, UnOp::Neg | UnOp::Abs),
        Exp::Bin(op, prim, ..) => {
            !prim.is_float() || matches!(op, BinOp::Div | BinOp::Min | BinOp::Max)
        }
        Exp::Math(..) => false,
    };
    e.each_child(&mut |child| exact = exact && is_exact(child));
    exact
}

/// The variables that the host uses in a statement, at any depth: everywhere but in kernels.
fn host_uses(stm: &Stm, visit: &mut dyn FnMut(V)) {
    stm.each_used(visit);
    if !matches!(stm, Stm::Launch(_)) {
        stm.each_block(&mut |block| block.iter().for_each(|stm| host_uses(stm, visit)));
    }
}

/// The variables that the host needs for statements whatever is decided in them; whether checks count.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others need all that they use")]
fn certain_needs(stms: &[Stm], checks: bool, needed: &mut FxHashSet<V>) {
    for stm in stms.iter().rev() {
        match stm {
            Stm::Assert(..) if !checks => {}
            // What nobody needs is not computed.
            Stm::Declare(v, Some(e)) => {
                if needed.contains(v) {
                    e.each_var(&mut |v| {
                        needed.insert(v);
                    });
                }
            }
            Stm::If(..) | Stm::Switch(..) | Stm::Launch(_) => stm.each_used(&mut |v| {
                needed.insert(v);
            }),
            other => {
                other.each_used(&mut |v| {
                    needed.insert(v);
                });
                other.each_block(&mut |block| certain_needs(block, checks, needed));
            }
        }
    }
}
