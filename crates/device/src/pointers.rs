//! Code in which pointers take the place of handles, and pieces of memory that exist already that of allocations.

use super::memories::to_bytes;
use super::sites::Site;
use fehu_base::{IdVec, OrBug};
use fehu_imp::rewrite::replace_stms;
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Arg, Block, Exp, From, Kind, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::{BinOp, CmpOp, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pointers that replace handles.
pub(super) struct Pointers<'a> {
    pub(super) vars: &'a mut IdVec<V, VarInfo>,
    pub(super) of: FxHashMap<V, V>,
}

/// Memory that an allocation may take.
pub(super) struct Piece {
    /// Somewhere before it.
    pub(super) base: V,
    /// Where it begins, counted from there.
    pub(super) at: Exp,
    /// Its size.
    pub(super) bytes: Exp,
}

impl<'a> Pointers<'a> {
    pub(super) fn new(vars: &'a mut IdVec<V, VarInfo>) -> Pointers<'a> {
        Pointers { vars, of: FxHashMap::default() }
    }

    pub(super) fn new_var(&mut self, hint: &str, ty: Ty) -> V {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    /// Creates pointers for all handles of a body: those of handles that it declares, and other handles with theirs.
    pub(super) fn name(&mut self, body: &[Stm]) -> (Vec<V>, Vec<(V, V)>) {
        let (mut all, mut seen) = (Vec::new(), FxHashSet::default());
        let mut declared = FxHashSet::default();
        each_stm(body, &mut |stm| {
            let mut note = |v: V| {
                if self.vars[v].ty == Ty::Mem && seen.insert(v) {
                    all.push(v);
                }
            };
            stm.each_used(&mut note);
            stm.each_set(&mut note);
            stm.each_declared(&mut note);
            stm.each_declared(&mut |v| {
                declared.insert(v);
            });
        });
        let (mut own, mut outer) = (Vec::new(), Vec::new());
        for handle in all {
            let ptr = self.pointer(handle);
            match declared.contains(&handle) {
                true => own.push(ptr),
                false => outer.push((handle, ptr)),
            }
        }
        (own, outer)
    }

    /// The pointer for a handle, made if there is none.
    pub(super) fn pointer(&mut self, handle: V) -> V {
        if let Some(ptr) = self.of.get(&handle) {
            return *ptr;
        }
        let hint = self.vars[handle].hint.clone();
        let ptr = self.new_var(&hint, Ty::ptr(Prim::U8));
        self.of.insert(handle, ptr);
        ptr
    }

    /// A body in which handles are pointers, which are declared outside it; `alloc` says what an allocation becomes, by its
    /// number.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    pub(super) fn body(
        &mut self,
        body: &[Stm],
        alloc: &mut dyn FnMut(&mut Self, usize) -> Block,
    ) -> Block {
        let mut body = body.to_vec();
        let mut number = 0;
        replace_stms(&mut body, &mut |stm| {
            Some(match stm {
                Stm::Declare(v, _) if self.of.contains_key(v) => Block::new(),
                Stm::Free(_) => Block::new(),
                Stm::Share(to, from) => {
                    vec![Stm::Point(self.of[to], From::Ptr(self.of[from]), Exp::int(0))]
                }
                Stm::Export { to, ptr, index, .. } => to_bytes(self.of[to], *ptr, index, self.vars),
                Stm::Point(p, From::Mem(handle), at) => {
                    vec![Stm::Point(*p, From::Ptr(self.of[handle]), at.clone())]
                }
                Stm::Alloc(..) => {
                    number += 1;
                    alloc(self, number - 1)
                }
                Stm::Call(fun, results, args) => vec![self.call(*fun, results, args)],
                _ => return None,
            })
        });
        one_after_the_other(&mut body);
        body
    }

    fn call(&self, fun: fehu_imp::FunId, results: &[V], args: &[Arg]) -> Stm {
        let results = results.iter().map(|v| self.of.get(v).copied().unwrap_or(*v)).collect();
        let args = args.iter().map(|arg| match arg {
            Arg::Scalar(e) => Arg::Scalar(e.clone()),
            Arg::Mem { ptr, index, .. } => {
                Arg::Mem { block: None, ptr: *ptr, index: index.clone() }
            }
        });
        Stm::Call(fun, results, args.collect())
    }

    /// What an allocation becomes: the first of several pieces that no other handle refers to.
    pub(super) fn choose(&mut self, site: &Site, pieces: &[Piece]) -> Block {
        let to = self.of[&site.handle];
        let point = |piece: &Piece| Stm::Point(to, From::Ptr(piece.base), piece.at.clone());
        let (last, rest) = pieces.split_last().or_bug("piece for an allocation");
        let mut chosen = vec![point(last)];
        for piece in rest.iter().rev() {
            // Where the handle would point, compared with where the others point.
            let mut attempt = vec![point(piece)];
            let (mut asking, taken) = self.taken(site, to, &piece.bytes);
            attempt.append(&mut asking);
            attempt.push(Stm::If(taken, chosen, Block::new()));
            chosen = attempt;
        }
        chosen
    }

    /// Whether another handle that may hold the piece at a pointer does; after some statements.
    pub(super) fn taken(&mut self, site: &Site, piece: V, bytes: &Exp) -> (Block, Exp) {
        let compare = |op: CmpOp, a: V, b: V| {
            Exp::Cmp(op, Prim::U64, Box::new(Exp::Var(a)), Box::new(Exp::Var(b)))
        };
        let both = |op: BinOp, a, b| Exp::Bin(op, Prim::Bool, Box::new(a), Box::new(b));
        let others: Vec<V> = site.others.iter().map(|other| self.of[other]).collect();
        let any = |conditions: Vec<Exp>| {
            let or = |a, b| both(BinOp::Or, a, b);
            conditions.into_iter().reduce(or).unwrap_or(Exp::Const(Scalar::Bool(false)))
        };
        if !site.inner {
            let same = others.iter().map(|other| compare(CmpOp::Eq, piece, *other));
            return (Block::new(), any(same.collect()));
        }
        let end = self.new_var("end", Ty::ptr(Prim::U8));
        let begin = vec![Stm::Declare(end, None), Stm::Point(end, From::Ptr(piece), bytes.clone())];
        let inside = others.iter().map(|other| {
            let after = compare(CmpOp::Le, piece, *other);
            both(BinOp::And, after, compare(CmpOp::Lt, *other, end))
        });
        (begin, any(inside.collect()))
    }
}

/// Iterations had handles of their own, and now take the same pointers and the same pieces: they are no longer independent.
fn one_after_the_other(block: &mut Block) {
    for stm in block {
        if let Stm::For { kind, body, .. } = stm
            && let Some(reductions) = kind.reductions()
        {
            let mut declared = FxHashSet::from_iter(reductions.iter().map(|(v, _)| *v));
            each_stm(body, &mut |stm| {
                stm.each_declared(&mut |v| {
                    declared.insert(v);
                })
            });
            if set_vars(body).iter().any(|v| !declared.contains(v)) {
                *kind = Kind::Sequential;
            }
        }
        stm.each_block_mut(&mut one_after_the_other);
    }
}
