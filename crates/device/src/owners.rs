//! What is known about the blocks that pointers of the host point into.

use fehu_imp::visit::{Item, each_stm};
use fehu_imp::{Exp, From, Fun, Stm, Ty, V};
use fehu_ir::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of elements of a block that is kept for a deferred fetch.
const SMALL: i64 = 64;

/// What is known about the variables of a function.
pub(super) struct Owners {
    /// The handle of a block, for its pointers; only if nothing but these pointers leads to the block.
    pub(super) of: FxHashMap<V, V>,
    /// The handle of the block that a pointer points into, a parameter or one that is set once, by an allocation:
    /// others may lead to the block as well, but not those of other such handles, unless both are parameters.
    pub(super) roots: FxHashMap<V, V>,
    /// Those of them that are allocated here.
    pub(super) fresh: FxHashSet<V>,
    /// The variables that have one value as long as they exist.
    pub(super) constant: FxHashSet<V>,
    /// The handles of small blocks.
    pub(super) small: FxHashSet<V>,
}

impl Owners {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements do not make pointers")]
    pub(super) fn of(fun: &Fun) -> Owners {
        let mut sets: FxHashMap<V, usize> = FxHashMap::default();
        let (mut small, mut allocated) = (FxHashSet::default(), FxHashSet::default());
        let mut points: Vec<(V, V)> = Vec::new();
        let mut shared: Vec<V> = Vec::new();
        each_stm(&fun.body, &mut |stm| {
            stm.each_declared(&mut |v| {
                sets.entry(v).or_default();
            });
            if let Stm::Alloc(h, ..) = stm {
                allocated.insert(*h);
            }
            match stm {
                Stm::Free(_) => return,
                Stm::Declare(v, Some(_)) | Stm::For { var: v, .. } => {
                    *sets.entry(*v).or_default() += 1;
                }
                Stm::Alloc(h, _, Exp::Const(Scalar::I64(count))) if *count <= SMALL => {
                    small.insert(*h);
                }
                Stm::Point(p, From::Mem(v) | From::Ptr(v), _) => points.push((*p, *v)),
                other => other.each_item(&mut |item| {
                    if let Item::Use(v) = item
                        && fun.vars[*v].ty == Ty::Mem
                    {
                        shared.push(*v);
                    }
                }),
            }
            stm.each_set(&mut |v| *sets.entry(v).or_default() += 1);
        });
        let once = |v: &V| sets.get(v) == Some(&1);
        // A pointer that is set once points into the block of what it is derived from. One that is set again has no block that is
        // known, and the blocks that it may point into are not only for the pointers that are known.
        let (known, unknown): (Vec<_>, Vec<_>) = points.into_iter().partition(|(p, _)| once(p));
        let from: FxHashMap<V, V> = known.iter().copied().collect();
        let root = |v: V| {
            let mut chain = std::iter::successors(Some(v), |v| from.get(v).copied());
            chain.find(|v| fun.vars[*v].ty == Ty::Mem)
        };
        shared.extend(unknown.iter().filter_map(|(_, v)| root(*v)));
        let alone = |h: &V| once(h) && !shared.contains(h);
        let has_one = |h: &V| allocated.contains(h) && once(h) || fun.params.contains(h);
        let roots = known.iter().filter_map(|(p, _)| root(*p).filter(has_one).map(|h| (*p, h)));
        let roots = roots.collect();
        let fresh = allocated.iter().copied().filter(once).collect();
        let of = known.iter().filter_map(|(p, _)| root(*p).filter(alone).map(|h| (*p, h)));
        let of = of.collect();
        let constant = fun.vars.iter().map(|(v, _)| v);
        let constant = constant.filter(|v| sets.get(v).is_none_or(|n| *n <= 1));
        Owners { of, roots, fresh, constant: constant.collect(), small }
    }
}
