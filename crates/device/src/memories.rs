//! Versions of functions, by the memories that their arguments are in.
//!
//! The host has handles for arrays, which are in blocks. In a kernel a small array may also belong to a thread or be shared,
//! and there is no handle for that. So a function that gets such an array has a version in which a pointer takes the place of
//! the parameter, and of all handles that come to hold what it holds:
//!
//! ```text
//! fun f(xs_mem: mem) -> (r: i64) {        fun f(xs_mem: *own u8) -> (r: i64) {
//!   var xs: *i64                            var xs: *own i64
//!   xs = data xs_mem[0]                     xs = &xs_mem[0]
//!   r = xs[0]                               r = xs[0]
//! }                                       }
//! ```
//!
//! Where a handle may hold either such an array or a block, there is no version, because pointers have one memory. The caller
//! then passes copies, in blocks.

use super::offload::elem;
use fehu_base::IdVec;
use fehu_base::bug::OrBug;
use fehu_imp::rewrite::{bin, replace_stms};
use fehu_imp::visit::each_stm;
use fehu_imp::{Arg, Block, Exp, From, Fun, FunId, Prim, Space, Stm, Ty, V, VarInfo};
use fehu_ir::BinOp;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A function, and the memories of those of its arguments that are arrays.
pub(super) type Signature = (FunId, Vec<Space>);

/// The memories of the results of a version; none of scalars. Nothing if there is no such version.
pub(super) type Results<'a> = &'a mut dyn FnMut(Signature) -> Option<Vec<Option<Space>>>;

/// The signature of a call.
pub(super) fn signature(fun: FunId, args: &[Arg], vars: &IdVec<V, VarInfo>) -> Signature {
    spaces_of(fun, args, &|v| vars[v].ty.space())
}

fn spaces_of(fun: FunId, args: &[Arg], space: &dyn Fn(V) -> Option<Space>) -> Signature {
    let spaces = args.iter().filter_map(|arg| match arg {
        Arg::Scalar(_) => None,
        Arg::Mem { ptr, .. } => Some(space(*ptr).or_bug("memory that an argument is in")),
    });
    (fun, spaces.collect())
}

/// The version of a function for arguments in these memories, if there is one.
pub(super) fn version(mut fun: Fun, params: &[Space], results: Results<'_>) -> Option<Fun> {
    let handles = fun.params.iter().copied().filter(|v| fun.vars[*v].ty == Ty::Mem);
    let elsewhere = handles.zip(params.iter().copied()).filter(|(_, s)| *s != Space::Global);
    let mut flow = Flow { vars: &fun.vars, of: elsewhere.collect(), changed: true };
    while std::mem::take(&mut flow.changed) {
        flow.go_on(&fun.body, results);
    }
    if flow.of.is_empty() {
        return Some(fun);
    }
    if !flow.fits(&fun.body, results) {
        return None;
    }
    let Flow { of, .. } = flow;
    let body = std::mem::take(&mut fun.body);
    let declared = change_types(&mut fun, &body, &of);
    fun.body = declared;
    fun.body.append(&mut with_pointers(body, &of, &mut fun.vars));
    Some(fun)
}

/// Which handles and pointers of a function are not to blocks.
struct Flow<'a> {
    vars: &'a IdVec<V, VarInfo>,
    of: BTreeMap<V, Space>,
    changed: bool,
}

impl Flow<'_> {
    fn space(&self, v: V) -> Option<Space> {
        self.of.get(&v).copied().or(match self.vars[v].ty {
            Ty::Mem => Some(Space::Global),
            ty @ (Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..)) => ty.space(),
        })
    }

    fn go_on(&mut self, body: &Block, results: Results<'_>) {
        let mut found = Vec::new();
        self.each_source(body, results, &mut |to, space| found.push((to, space)));
        for (to, space) in found {
            if space != Space::Global && !self.of.contains_key(&to) {
                self.of.insert(to, space);
                self.changed = true;
            }
        }
    }

    /// Whether each of them has one memory, wherever it is set, and is passed only to functions that take it.
    fn fits(&self, body: &Block, results: Results<'_>) -> bool {
        let mut fits = true;
        self.each_source(body, results, &mut |to, space| fits &= self.space(to) == Some(space));
        each_stm(body, &mut |stm| {
            if let Stm::Call(callee, _, args) = stm {
                let passes =
                    |arg: &Arg| matches!(arg, Arg::Mem { ptr, .. } if self.of.contains_key(ptr));
                fits &= !args.iter().any(passes)
                    || results(spaces_of(*callee, args, &|v| self.space(v))).is_some();
            }
        });
        fits
    }

    /// The handles and pointers that statements set, with the memories of what they are set to.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements have nothing to do with pointers"
    )]
    fn each_source(&self, body: &Block, results: Results<'_>, note: &mut dyn FnMut(V, Space)) {
        each_stm(body, &mut |stm| match stm {
            Stm::Share(to, from) => {
                self.space(*from).into_iter().for_each(|space| note(*to, space));
            }
            Stm::Export { to, ptr, .. } => {
                self.space(*ptr).into_iter().for_each(|space| note(*to, space));
            }
            // What is in no block from the beginning is no matter of parameters.
            Stm::Point(to, From::Mem(from) | From::Ptr(from), _)
                if self.vars[*to].ty.space() == Some(Space::Global) =>
            {
                self.space(*from).into_iter().for_each(|space| note(*to, space));
            }
            Stm::Point(to, From::Shared, _) | Stm::Alloc(to, ..) => note(*to, Space::Global),
            Stm::Const(_, read) => {
                for (_, to) in read.iter().filter(|(_, to)| self.vars[*to].ty == Ty::Mem) {
                    note(*to, Space::Global);
                }
            }
            Stm::Call(callee, set, args) => {
                let spaces = results(spaces_of(*callee, args, &|v| self.space(v)));
                // Without a version, what is returned is in a block as well.
                for (number, to) in set.iter().enumerate() {
                    let space = spaces.as_ref().map_or(Some(Space::Global), |s| s[number]);
                    if self.vars[*to].ty == Ty::Mem {
                        note(*to, space.unwrap_or(Space::Global));
                    }
                }
            }
            _ => {}
        });
    }
}

/// Makes pointers to other memories of handles and pointers; returns the declarations of those that were handles: handles
/// exist longer than pointers.
fn change_types(fun: &mut Fun, body: &Block, of: &BTreeMap<V, Space>) -> Block {
    for (v, space) in of {
        let info = &mut fun.vars[*v];
        info.ty = Ty::Ptr(*space, elem(info.ty));
    }
    let mut declared = Block::new();
    each_stm(body, &mut |stm| {
        if let Stm::Declare(v, None) = stm
            && of.contains_key(v)
        {
            declared.push(stm.clone());
        }
    });
    declared
}

/// A body in which some handles have become pointers.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other statements have nothing to do with pointers"
)]
fn with_pointers(mut body: Block, of: &BTreeMap<V, Space>, vars: &mut IdVec<V, VarInfo>) -> Block {
    replace_stms(&mut body, &mut |stm| {
        Some(match stm {
            Stm::Declare(v, None) | Stm::Free(v) if of.contains_key(v) => Block::new(),
            Stm::Share(to, from) if of.contains_key(to) => {
                vec![Stm::Point(*to, From::Ptr(*from), Exp::int(0))]
            }
            Stm::Export { to, ptr, index, .. } if of.contains_key(to) => {
                to_bytes(*to, *ptr, index, vars)
            }
            Stm::Point(p, From::Mem(handle), at) if of.contains_key(handle) => {
                vec![Stm::Point(*p, From::Ptr(*handle), at.clone())]
            }
            Stm::Call(fun, results, args) => {
                let args = args.iter().map(|arg| match arg {
                    Arg::Mem { block: Some(block), ptr, index } if of.contains_key(block) => {
                        Arg::Mem { block: None, ptr: *ptr, index: index.clone() }
                    }
                    Arg::Mem { .. } | Arg::Scalar(_) => arg.clone(),
                });
                vec![Stm::Call(*fun, results.clone(), args.collect())]
            }
            _ => return None,
        })
    });
    body
}

/// Sets a pointer to bytes to the address of an element.
pub(super) fn to_bytes(to: V, ptr: V, index: &Exp, vars: &mut IdVec<V, VarInfo>) -> Block {
    let ty = vars[ptr].ty;
    let there = vars.push(VarInfo { hint: "there".into(), ty: ty.pointer_into(elem(ty)) });
    vec![
        Stm::Declare(there, None),
        Stm::Point(there, From::Ptr(ptr), index.clone()),
        Stm::Point(to, From::Ptr(there), Exp::int(0)),
    ]
}

/// Where the pointers of a body to other memories than that of blocks come from.
pub(super) struct Origins {
    /// What each one is derived from, and from which element on; nothing if that is not always the same.
    of: BTreeMap<V, Option<(V, Exp)>>,
}

impl Origins {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other statements have nothing to do with pointers"
    )]
    pub(super) fn new(body: &Block, vars: &IdVec<V, VarInfo>) -> Origins {
        let (mut of, mut assigned) = (BTreeMap::default(), FxHashSet::default());
        each_stm(body, &mut |stm| {
            match stm {
                Stm::Point(p, From::Ptr(q), at) if vars[*p].ty.space() != Some(Space::Global) => {
                    let once = !of.contains_key(p);
                    of.insert(*p, once.then(|| (*q, at.clone())));
                }
                _ => {}
            }
            stm.each_set(&mut |v| {
                assigned.insert(v);
            });
        });
        for origin in of.values_mut() {
            if let Some((_, at)) = origin {
                let mut changes = false;
                at.each_var(&mut |v| changes |= assigned.contains(&v));
                if changes {
                    *origin = None;
                }
            }
        }
        Origins { of }
    }

    /// Copies of arguments in blocks, for a function that has no version for where they are; and what makes them.
    pub(super) fn copied(&self, args: &[Arg], vars: &mut IdVec<V, VarInfo>) -> (Block, Vec<Arg>) {
        let mut out = Block::new();
        let mut copies = Vec::with_capacity(args.len());
        for arg in args {
            copies.push(match arg {
                Arg::Mem { ptr, index, .. } if vars[*ptr].ty.space() != Some(Space::Global) => {
                    let (array, prim, count, at) = self.array(*ptr, index.clone(), vars);
                    copy(array, (prim, count), at, vars, &mut out)
                }
                Arg::Mem { .. } | Arg::Scalar(_) => arg.clone(),
            });
        }
        (out, copies)
    }

    /// The array that an element is in, the type and number of its elements, and the index there.
    fn array(&self, ptr: V, index: Exp, vars: &IdVec<V, VarInfo>) -> (V, Prim, u32, Exp) {
        match vars[ptr].ty {
            Ty::Local(prim, count) | Ty::Shared(prim, count) => (ptr, prim, count, index),
            Ty::Ptr(..) | Ty::Scalar(_) | Ty::Mem => {
                let origin = self.of.get(&ptr).and_then(Option::as_ref);
                let (from, at) = origin.or_bug("array that an argument is known to be in");
                self.array(*from, bin(BinOp::Add, at.clone(), index), vars)
            }
        }
    }
}

/// A copy of an array in a block, from an element on, as an argument.
fn copy(
    array: V,
    (prim, count): (Prim, u32),
    at: Exp,
    vars: &mut IdVec<V, VarInfo>,
    out: &mut Block,
) -> Arg {
    let handle = vars.push(VarInfo { hint: "copy_mem".into(), ty: Ty::Mem });
    let ptr = vars.push(VarInfo { hint: "copy".into(), ty: Ty::ptr(prim) });
    let (zero, count) = (Exp::int(0), Exp::int(i64::from(count)));
    out.extend([
        Stm::Declare(handle, None),
        Stm::Declare(ptr, None),
        Stm::Alloc(handle, prim, count.clone()),
        Stm::Point(ptr, From::Mem(handle), zero.clone()),
        Stm::Copy { to: (ptr, zero.clone()), from: (array, zero), count },
    ]);
    Arg::Mem { block: Some(handle), ptr, index: at }
}
