//! Interleaved memory for threads: element `k` of a thread's array is next to element `k` of its neighbours' arrays.
//!
//! Threads that run together mostly access the same element of their arrays at the same time; for coalesced access,
//! neighbouring threads should then find them at neighbouring addresses. If the threads of a block have pieces of equal
//! size, the elements of all of them can be interleaved, and an index through a pointer to a piece is multiplied by the
//! number of threads.
//!
//! This is possible for pieces of one element type whose pointers never point to anything else. [`find`] finds these,
//! [`rewrite`] changes the indices.

use fehu_imp::rewrite::{Terms, as_terms, bin, change_exps, replace, replace_stms, tidy};
use fehu_imp::visit::each_stm;
use fehu_imp::{Arg, Block, Exp, From, Fun, Kernel, Kind, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::BinOp;
use rustc_hash::{FxHashMap, FxHashSet};

/// The handles and pointers of which all pieces can be interleaved. `allocated` are the handles of pieces that may be.
pub(super) fn find(fun: &Fun, kernel: &Kernel, allocated: &[(V, Prim)]) -> FxHashSet<V> {
    let mut classes = Classes { parent: FxHashMap::default() };
    // What must not be in a class: pointers that come from elsewhere, or that are used in other ways.
    let mut others: Vec<V> = Vec::new();
    let (mut declared, mut pointers): (Vec<V>, Vec<V>) = (Vec::new(), Vec::new());
    each_stm(&kernel.body, &mut |stm| {
        stm.each_declared(&mut |v| declared.push(v));
        stm.each_used(&mut |v| pointers.push(v));
        match stm {
            Stm::Point(p, From::Mem(q) | From::Ptr(q), _) => classes.join(*p, *q),
            Stm::Point(p, From::Shared, _) => others.push(*p),
            Stm::Share(a, b) => classes.join(*a, *b),
            Stm::Export { to, block, ptr, .. } => {
                classes.join(*to, *ptr);
                block.iter().for_each(|block| classes.join(*to, *block));
            }
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
            | Stm::Sums(..)
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
    declared.iter().copied().filter(fits).collect()
}

/// A body in which indices through these pointers are those of interleaved elements. Copies become loops.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
pub(super) fn rewrite(fun: &mut Fun, body: &[Stm], inside: &FxHashSet<V>, threads: i64) -> Block {
    let mut body = body.to_vec();
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Copy { to, from, count } if inside.contains(&to.0) || inside.contains(&from.0) => {
            let k = fun.vars.push(VarInfo { hint: "k".into(), ty: Ty::Scalar(Prim::I64) });
            let at = |(p, start): &(V, Exp)| (*p, bin(BinOp::Add, start.clone(), Exp::Var(k)));
            let ((to, to_at), (from, from_at)) = (at(to), at(from));
            let store = Stm::Store(to, to_at, Exp::Load(from, Box::new(from_at)));
            let (from, to, kind) = (Exp::int(0), count.clone(), Kind::Sequential);
            Some(vec![Stm::For { var: k, from, to, step: 1, kind, body: vec![store] }])
        }
        _ => None,
    });
    let body = change_exps(&body, &|e| loads(e, inside, threads));
    let mut body = body;
    scale_stms(&mut body, inside, threads);
    body
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
fn scale_stms(body: &mut Block, inside: &FxHashSet<V>, threads: i64) {
    replace_stms(body, &mut |stm| {
        let scaled = |at: &Exp| scale(at, threads);
        Some(vec![match stm {
            Stm::Store(p, at, e) if inside.contains(p) => Stm::Store(*p, scaled(at), e.clone()),
            Stm::Atomic(op, p, at, e) if inside.contains(p) => {
                Stm::Atomic(*op, *p, scaled(at), e.clone())
            }
            Stm::Exchange { ptr, index, old, body, new } if inside.contains(ptr) => {
                let mut body = body.clone();
                scale_stms(&mut body, inside, threads);
                let (index, new) = (scaled(index), new.clone());
                Stm::Exchange { ptr: *ptr, index, old: *old, body, new }
            }
            Stm::Poll(v, p, at) if inside.contains(p) => Stm::Poll(*v, *p, scaled(at)),
            Stm::Count(v, p, at) if inside.contains(p) => Stm::Count(*v, *p, scaled(at)),
            Stm::Point(p, from, at) if inside.contains(p) => Stm::Point(*p, *from, scaled(at)),
            Stm::Export { to, block, ptr, index } if inside.contains(to) => {
                Stm::Export { to: *to, block: *block, ptr: *ptr, index: scaled(index) }
            }
            _ => return None,
        }])
    });
}

#[expect(clippy::wildcard_enum_match_arm, reason = "other expressions stay as they are")]
fn loads(e: &Exp, inside: &FxHashSet<V>, threads: i64) -> Exp {
    replace(e, &|e| match e {
        Exp::Load(p, at) if inside.contains(p) => {
            Some(Exp::Load(*p, Box::new(scale(&loads(at, inside, threads), threads))))
        }
        _ => None,
    })
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
