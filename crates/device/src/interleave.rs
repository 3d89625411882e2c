//! Interleaved memory for threads: element `k` of a thread's array is next to element `k` of its neighbours' arrays.
//!
//! Threads that run together mostly access the same element of their arrays at the same time; for coalesced access,
//! neighbouring threads should then find them at neighbouring addresses. If the threads of a block have pieces of equal
//! size, the elements of all of them can be interleaved, and an index through a pointer to a piece is multiplied by the
//! number of threads.
//!
//! This is possible for pieces of one element type whose pointers never point to anything else. [`find`] finds these,
//! [`rewrite`] changes the indices, also for pieces whose elements are placed in another way ([`Placing`]).

use super::skew;
use fehu_imp::rewrite::{Terms, as_terms, bin, change_exps, replace, replace_stms, tidy};
use fehu_imp::visit::each_stm;
use fehu_imp::{Arg, Block, Exp, From, Fun, Kernel, Kind, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::BinOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where the elements of a piece are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Placing {
    /// Interleaved with those of so many threads.
    Interleaved(i64),
    /// As they are, from the beginning of the piece on, with indices of 32 bits: see [`super::skew`].
    Near,
    /// Likewise, with a gap after each row of the memory's banks.
    Skewed,
}

impl Placing {
    /// The index of what has an index by itself.
    fn of(self, prim: Prim, at: &Exp) -> Exp {
        match self {
            Placing::Interleaved(threads) => scale(at, threads),
            Placing::Near if matches!(at, Exp::Const(_)) => at.clone(),
            Placing::Near => skew::wide(skew::near(at)),
            Placing::Skewed => skew::index(prim, at),
        }
    }
}

/// The handles and pointers of which all pieces can be placed in this way, each with one that stands for all that may share
/// memory with it. `allocated` are the handles of pieces that may be.
pub(super) fn find(
    fun: &Fun,
    kernel: &Kernel,
    allocated: &[(V, Prim)],
    placing: Placing,
) -> FxHashMap<V, V> {
    // Only what is placed evenly can be counted from any element, with indices that may be negative.
    let is_even = matches!(placing, Placing::Interleaved(_));
    let mut classes = Classes { parent: FxHashMap::default() };
    // What must not be in a class: pointers that come from elsewhere, or that are used in other ways.
    let mut others: Vec<V> = Vec::new();
    let (mut declared, mut pointers): (Vec<V>, Vec<V>) = (Vec::new(), Vec::new());
    each_stm(&kernel.body, &mut |stm| {
        stm.each_declared(&mut |v| declared.push(v));
        stm.each_used(&mut |v| pointers.push(v));
        match stm {
            Stm::Point(p, From::Mem(q) | From::Ptr(q), at) => {
                classes.join(*p, *q);
                others.extend((!is_even && *at != Exp::int(0)).then_some(*p));
            }
            Stm::Point(p, From::Shared, _) => others.push(*p),
            Stm::Share(a, b) => classes.join(*a, *b),
            Stm::Export { to, block, ptr, index } => {
                classes.join(*to, *ptr);
                block.iter().for_each(|block| classes.join(*to, *block));
                others.extend((!is_even && *index != Exp::int(0)).then_some(*to));
            }
            // It would become a loop, which all threads of a block would execute.
            Stm::Copy { to, from, .. } if !is_even => others.extend([to.0, from.0]),
            Stm::TraceArray(_, p, _) | Stm::Fetch(_, p, _) | Stm::Ask(p, _) => others.push(*p),
            Stm::Call(_, results, args) => {
                others.extend(results);
                others.extend(args.iter().flat_map(|arg| match arg {
                    Arg::Mem { block, ptr, .. } => block.iter().copied().chain([*ptr]).collect(),
                    Arg::Scalar(_) => Vec::new(),
                }));
            }
            Stm::Comment(_)
            | Stm::Begin(_)
            | Stm::End
            // In a kernel it has no addresses.
            | Stm::Foreign(_)
            | Stm::Declare(..)
            | Stm::Assign(..)
            | Stm::Store(..)
            | Stm::Alloc(..)
            | Stm::Free(_)
            | Stm::Copy { .. }
            | Stm::If(..)
            | Stm::Switch(..)
            | Stm::For { .. }
            | Stm::While(..)
            | Stm::Const(..)
            | Stm::Assert(..)
            | Stm::Trace(..)
            | Stm::Atomic(..)
            | Stm::Locked(..)
            | Stm::Tasks(_)
            | Stm::Prefixes(..)
            | Stm::Chunks(..)
            | Stm::Tuning(..)
            | Stm::Threads(_)
            | Stm::Receive(_)
            | Stm::Blocks(_)
            | Stm::Launch(_)
            | Stm::Barrier
            | Stm::WarpBarrier
            | Stm::Warp(_)
            | Stm::Shuffle { .. }
            | Stm::Poll(..)
            | Stm::Count(..)
            | Stm::Arrive { .. }
            | Stm::Exchange { .. }
            | Stm::Guarded(..)
            | Stm::Leave
            | Stm::Section(_) => {}
        }
    });
    let inside: FxHashSet<V> = declared.iter().copied().collect();
    others.extend(pointers.iter().filter(|v| !inside.contains(*v)));
    // All that share memory are of one type, and come from allocations of that type.
    let mut types: FxHashMap<V, Prim> = FxHashMap::default();
    let mut bad: FxHashSet<V> = others.iter().map(|v| classes.root(*v)).collect();
    let mut note = |root: V, prim: Prim, bad: &mut FxHashSet<V>| {
        if *types.entry(root).or_insert(prim) != prim {
            bad.insert(root);
        }
    };
    let allocations: FxHashMap<V, Prim> = allocated.iter().copied().collect();
    each_stm(&kernel.body, &mut |stm| {
        if let Stm::Alloc(handle, prim, _) = stm {
            let root = classes.root(*handle);
            if allocations.get(handle) != Some(prim) {
                bad.insert(root);
            }
            note(root, *prim, &mut bad);
        }
    });
    for v in &declared {
        let root = classes.root(*v);
        match fun.vars[*v].ty {
            Ty::Ptr(_, prim) => note(root, prim, &mut bad),
            Ty::Local(..) | Ty::Shared(..) => {
                bad.insert(root);
            }
            Ty::Scalar(_) | Ty::Mem => {}
        }
    }
    let from_here: FxHashSet<V> = allocated.iter().map(|(v, _)| classes.root(*v)).collect();
    let fits = |v: &V| {
        let root = classes.root(*v);
        matches!(fun.vars[*v].ty, Ty::Ptr(..) | Ty::Mem)
            && from_here.contains(&root)
            && !bad.contains(&root)
    };
    declared.iter().copied().filter(fits).map(|v| (v, classes.root(v))).collect()
}

/// A body in which indices through these pointers are those of elements that are placed in this way. Copies become loops.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
pub(super) fn rewrite(
    fun: &mut Fun,
    body: &[Stm],
    inside: &FxHashMap<V, V>,
    placing: Placing,
) -> Block {
    let mut body = body.to_vec();
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Copy { to, from, count }
            if inside.contains_key(&to.0) || inside.contains_key(&from.0) =>
        {
            let k = fun.vars.push(VarInfo { hint: "k".into(), ty: Ty::Scalar(Prim::I64) });
            let at = |(p, start): &(V, Exp)| (*p, next(start, k));
            let ((to, to_at), (from, from_at)) = (at(to), at(from));
            let store = Stm::Store(to, to_at, Exp::Load(from, Box::new(from_at)));
            let (from, to, kind) = (Exp::int(0), count.clone(), Kind::Sequential);
            Some(vec![Stm::For { var: k, from, to, step: 1, kind, body: vec![store] }])
        }
        _ => None,
    });
    let places = Places { fun, inside, placing };
    let mut body = change_exps(&body, &|e| places.loads(e));
    places.stms(&mut body);
    body
}

/// What [`rewrite`] needs to know.
struct Places<'a> {
    fun: &'a Fun,
    inside: &'a FxHashMap<V, V>,
    placing: Placing,
}

impl Places<'_> {
    /// The new index of an element of a pointer.
    fn of(&self, p: V, at: &Exp) -> Exp {
        match self.fun.vars[p].ty {
            Ty::Ptr(_, prim) => self.placing.of(prim, at),
            // Blocks are counted from their beginning.
            Ty::Mem | Ty::Scalar(_) | Ty::Local(..) | Ty::Shared(..) => at.clone(),
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    fn stms(&self, body: &mut Block) {
        let (inside, of) = (self.inside, |p: &V, at: &Exp| self.of(*p, at));
        replace_stms(body, &mut |stm| {
            Some(vec![match stm {
                Stm::Store(p, at, e) if inside.contains_key(p) => {
                    Stm::Store(*p, of(p, at), e.clone())
                }
                Stm::Atomic(op, p, at, e) if inside.contains_key(p) => {
                    Stm::Atomic(*op, *p, of(p, at), e.clone())
                }
                Stm::Exchange { ptr, index, old, body, new } if inside.contains_key(ptr) => {
                    let mut body = body.clone();
                    self.stms(&mut body);
                    let (index, new) = (of(ptr, index), new.clone());
                    Stm::Exchange { ptr: *ptr, index, old: *old, body, new }
                }
                Stm::Poll(v, p, at) if inside.contains_key(p) => Stm::Poll(*v, *p, of(p, at)),
                Stm::Count(v, p, at) if inside.contains_key(p) => Stm::Count(*v, *p, of(p, at)),
                Stm::Point(p, from, at) if inside.contains_key(p) => {
                    Stm::Point(*p, *from, of(p, at))
                }
                Stm::Export { to, block, ptr, index } if inside.contains_key(to) => {
                    Stm::Export { to: *to, block: *block, ptr: *ptr, index: of(ptr, index) }
                }
                _ => return None,
            }])
        });
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions stay as they are")]
    fn loads(&self, e: &Exp) -> Exp {
        replace(e, &|e| match e {
            Exp::Load(p, at) if self.inside.contains_key(p) => {
                Some(Exp::Load(*p, Box::new(self.of(*p, &self.loads(at)))))
            }
            _ => None,
        })
    }
}

/// An index, and a variable more.
fn next(e: &Exp, more: V) -> Exp {
    match as_terms(e) {
        Some(mut terms) => {
            terms.push((1, vec![more]));
            tidy(terms)
        }
        None => bin(BinOp::Add, e.clone(), Exp::Var(more)),
    }
}

/// An index times a number.
fn scale(e: &Exp, by: i64) -> Exp {
    match as_terms(e) {
        Some(terms) => {
            let times = |(factor, vars): (i64, Vec<V>)| (factor.wrapping_mul(by), vars);
            tidy(terms.into_iter().map(times).collect::<Terms>())
        }
        None => bin(BinOp::Mul, e.clone(), Exp::int(by)),
    }
}

/// Which variables may share memory.
struct Classes {
    parent: FxHashMap<V, V>,
}

impl Classes {
    fn root(&self, v: V) -> V {
        let mut v = v;
        while let Some(parent) = self.parent.get(&v) {
            v = *parent;
        }
        v
    }

    fn join(&mut self, a: V, b: V) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent.insert(a, b);
        }
    }
}
