//! Copies for kernels that the order of an array does not suit.

use super::cost::COPY;
use super::host::{Found, Kernel, often};
use super::kernel::Access;
use super::{Chosen, Layouts, Orders};
use fehu_base::IdVec;
use fehu_base::id::Id;
use fehu_facts::Origin;
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{Body, Exp, Stm, Var, VarInfo};
use rustc_hash::FxHashMap;

/// Adds copies to a function where they cost less than reading arrays as they are.
pub(super) fn copies(
    layouts: Layouts,
    found: &Found,
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    orders: &mut Orders,
    chosen: &mut Vec<Chosen>,
) {
    let mut plan = Plan::default();
    for kernel in &found.kernels {
        for (array, order) in wanted(layouts, found, kernel, vars, orders) {
            let copy = plan.copy(found, kernel, array, &order, vars, orders, chosen);
            plan.instead.entry(kernel.seg).or_default().insert(array, copy.into());
        }
    }
    if !plan.instead.is_empty() {
        plan.apply(body, vars);
    }
}

/// The arrays that a kernel should read in another order.
fn wanted(
    layouts: Layouts,
    found: &Found,
    kernel: &Kernel,
    vars: &IdVec<Var, VarInfo>,
    orders: &Orders,
) -> Vec<(Var, Vec<usize>)> {
    let mut arrays: Vec<Var> = kernel.reads.iter().map(|read| read.array).collect();
    arrays.sort_unstable();
    arrays.dedup();
    let is_free = |array: &Var| !kernel.pinned.contains(array) && vars[*array].ty.rank() > 1;
    let mut wanted = Vec::new();
    for array in arrays.into_iter().filter(is_free) {
        let reads: Vec<&Access> = kernel.reads.iter().filter(|read| read.array == array).collect();
        let cost = |inner: Option<usize>| -> u64 {
            reads
                .iter()
                .filter(|read| read.order.last().copied() != inner)
                .map(|read| read.cost)
                .sum()
        };
        let Origin { root, dims, .. } = found.views.origin(array, vars);
        let last = orders
            .get(&root)
            .map_or(vars[root].ty.rank().checked_sub(1), |order| order.last().copied());
        let now = cost(last.and_then(|last| dims.iter().position(|dim| *dim == last)));
        let best = reads.iter().min_by_key(|read| cost(read.order.last().copied()));
        let Some(best) = best else { continue };
        if let Some(order) = layouts.by_chance(kernel.seg.index(), dims.len()) {
            wanted.push((array, order));
            continue;
        }
        let then = cost(best.order.last().copied());
        let saved = now.saturating_sub(then).saturating_mul(often(&kernel.path));
        if saved > COPY * often(found.before(array, &kernel.path).0) {
            wanted.push((array, best.order.clone()));
        }
    }
    wanted
}

#[derive(Default)]
struct Plan {
    /// For the first variable of a statement, the copies in front of it.
    before: FxHashMap<Var, Vec<Stm>>,
    /// For the first variable of a kernel, what it reads instead of other arrays.
    instead: FxHashMap<Var, Subst>,
    /// The copies that there are: of which array, with which innermost dimension, in which body.
    made: Vec<(Var, Option<usize>, Vec<usize>, Var)>,
}

impl Plan {
    /// The copy of an array for a kernel.
    #[expect(clippy::too_many_arguments, reason = "all that a copy consists of")]
    fn copy(
        &mut self,
        found: &Found,
        kernel: &Kernel,
        array: Var,
        order: &[usize],
        vars: &mut IdVec<Var, VarInfo>,
        orders: &mut Orders,
        chosen: &mut Vec<Chosen>,
    ) -> Var {
        let bodies: Vec<usize> = kernel.path.iter().map(|step| step.body).collect();
        let inner = order.last().copied();
        let is_same = |(of, last, body, _): &&(Var, Option<usize>, Vec<usize>, Var)| {
            *of == array && *last == inner && bodies.starts_with(body)
        };
        if let Some((.., copy)) = self.made.iter().find(is_same) {
            return *copy;
        }
        let (path, stm) = found.before(array, &kernel.path);
        let info = vars[array].clone();
        let copy = vars.push(info);
        let added = Stm::new(vec![copy], Exp::Manifest(array));
        self.before.entry(stm.unwrap_or(kernel.seg)).or_default().push(added);
        self.made.push((array, inner, bodies[..path.len()].to_vec(), copy));
        orders.insert(copy, order.to_vec());
        let (order, loc) = (order.to_vec(), kernel.loc.clone());
        chosen.push(Chosen { array: copy, order, is_copy: true, loc });
        copy
    }

    fn apply(&mut self, body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
        for mut stm in std::mem::take(&mut body.stms) {
            if let Some(first) = stm.pat.first() {
                body.stms.extend(self.before.remove(first).unwrap_or_default());
                if let Some(instead) = self.instead.get(first) {
                    subst_stm(&mut stm, vars, instead);
                }
            }
            if !matches!(stm.exp, Exp::Seg(_)) {
                stm.exp.map_bodies(&mut |body| self.apply(body, vars));
            }
            body.stms.push(stm);
        }
    }
}
