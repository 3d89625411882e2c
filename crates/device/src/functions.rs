//! Functions that kernels call.
//!
//! Such a function exists once, in the program of the device. What only the host has, it gets from its caller: constants and
//! tuning parameters are further parameters. So is its memory, a *frame*, if it allocates any: the caller allocates a frame
//! as it allocates everything else, and the function's own allocations are pieces of it. What the function returns may be
//! in its frame, which is the caller's. So the size of the frame must be known from the arguments; a function for which it
//! is not cannot be called, and is copied.

use super::pointers::{Piece, Pointers};
use super::sites::{self, Known};
use super::tuning::{NOT_SET, chosen};
use fehu_base::IdVec;
use fehu_imp::rewrite::{as_terms, bin, rename, replace_stms, substitute, tidy};
use fehu_imp::visit::each_stm;
use fehu_imp::{Arg, Block, Exp, From, Fun, FunId, Prim, Stm, Ty, V, VarInfo};
use fehu_ir::BinOp;
use rustc_hash::FxHashMap;

/// How large the expression for the size of a frame may be.
const MOST_TERMS: usize = 300;

/// A function for kernels, and how it is called.
pub(super) struct Made {
    /// The function, with pointers for handles.
    pub(super) fun: Fun,
    /// The parameters that callers know, before they became pointers.
    params: Vec<V>,
    /// What callers pass besides.
    needs: Vec<(Need, Ty)>,
    /// The bytes of its frame in terms of the parameters, if it has one.
    frame: Option<Exp>,
}

/// What only the host has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A result of a constant, by their numbers.
    Const(usize, usize),
    /// A tuning parameter, by its number; [`NOT_SET`] if it is not set.
    Tuning(usize),
}

/// A function for kernels; none if it cannot be one.
pub(super) fn make(fun: &Fun) -> Option<Made> {
    let mut fun = fun.clone();
    let needs = lift(&mut fun);
    let params = fun.params.clone();
    let frame = with_frame(&mut fun)?;
    Some(Made { fun, params, needs, frame })
}

/// Makes parameters of what only the host has; returns it in their order.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
fn lift(fun: &mut Fun) -> Vec<(Need, Ty)> {
    let mut needs: Vec<(Need, Ty)> = Vec::new();
    let mut lifted: Vec<V> = Vec::new();
    // Variables that have the same part of the same constant are one.
    let mut same: FxHashMap<V, V> = FxHashMap::default();
    each_stm(&fun.body, &mut |stm| {
        let Stm::Const(number, results) = stm else { return };
        for (result, v) in results {
            let need = Need::Const(*number, *result);
            match needs.iter().position(|(other, _)| *other == need) {
                Some(at) => {
                    same.insert(*v, lifted[at]);
                }
                None => {
                    needs.push((need, fun.vars[*v].ty));
                    lifted.push(*v);
                    same.insert(*v, *v);
                }
            }
        }
    });
    let mut body = std::mem::take(&mut fun.body);
    replace_stms(&mut body, &mut |stm| match stm {
        Stm::Const(..) => Some(Block::new()),
        Stm::Declare(v, None) if same.contains_key(v) => Some(Block::new()),
        Stm::Tuning(v, number, standard) => {
            let need = Need::Tuning(*number);
            let at = needs.iter().position(|(other, _)| *other == need).unwrap_or_else(|| {
                let ty = Ty::Scalar(Prim::I64);
                lifted.push(fun.vars.push(VarInfo { hint: "set".into(), ty }));
                needs.push((need, ty));
                lifted.len() - 1
            });
            Some(vec![Stm::Assign(*v, chosen(lifted[at], standard))])
        }
        _ => None,
    });
    fun.body = rename(&body, &|v| same.get(&v).copied());
    fun.params.extend(lifted);
    needs
}

/// Turns handles into pointers and allocations into pieces of a frame; returns its size, or nothing at all if that is not
/// known from the parameters.
#[expect(clippy::option_option, reason = "the function cannot be made, or needs no frame")]
fn with_frame(fun: &mut Fun) -> Option<Option<Exp>> {
    let sites = sites::find(&fun.body, &fun.vars, false, &Known::of_function(fun));
    let mut total = Exp::int(0);
    // Where the pieces of each allocation begin, and how large they are.
    let mut offsets: Vec<(Vec<Exp>, Exp)> = Vec::with_capacity(sites.len());
    for site in &sites {
        let bytes = site.bytes.clone()?;
        let mut own = Vec::with_capacity(site.others.len() + 1);
        for _ in 0..=site.others.len() {
            own.push(total.clone());
            total = plus(total, bytes.clone());
        }
        offsets.push((own, bytes));
        if total.size() > MOST_TERMS {
            return None;
        }
    }
    let body = std::mem::take(&mut fun.body);
    let mut pointers = Pointers::new(&mut fun.vars);
    let (local, _) = pointers.name(&body);
    for v in fun.params.iter_mut().chain(&mut fun.results) {
        if pointers.vars[*v].ty == Ty::Mem {
            *v = pointers.pointer(*v);
        }
    }
    let frame = pointers.new_var("frame", Ty::ptr(Prim::U8));
    let mut begin = Block::new();
    let asked = sites::asked(&sites, &pointers.of);
    begin.extend(local.iter().map(|ptr| Stm::Declare(*ptr, None)));
    for ptr in local.iter().chain(&fun.results).filter(|ptr| asked.contains(ptr)) {
        // A place that is in no piece.
        begin.push(Stm::Point(*ptr, From::Ptr(frame), total.clone()));
    }
    let mut body = pointers.body(&body, &mut |pointers, number| {
        let (offsets, bytes) = &offsets[number];
        let piece = |at: &Exp| Piece { base: frame, at: at.clone(), bytes: bytes.clone() };
        let pieces: Vec<Piece> = offsets.iter().map(piece).collect();
        pointers.choose(&sites[number], &pieces)
    });
    begin.append(&mut body);
    fun.body = begin;
    if sites.is_empty() {
        return Some(None);
    }
    fun.params.push(frame);
    Some(Some(total))
}

impl Made {
    /// The call of the function from a kernel or from another such function, in which handles are not yet pointers.
    pub(super) fn call(
        &self,
        id: FunId,
        results: &[V],
        args: &[Arg],
        vars: &mut IdVec<V, VarInfo>,
    ) -> Block {
        let mut out = Block::new();
        let mut passed = args.to_vec();
        for (need, ty) in &self.needs {
            let v = vars.push(VarInfo { hint: "given".into(), ty: *ty });
            out.push(Stm::Declare(v, None));
            out.push(match need {
                Need::Const(number, result) => Stm::Const(*number, vec![(*result, v)]),
                Need::Tuning(number) => Stm::Tuning(v, *number, NOT_SET),
            });
            passed.push(match ty {
                Ty::Mem => whole(v, vars, &mut out),
                Ty::Scalar(_) | Ty::Ptr(..) | Ty::Local(..) | Ty::Shared(..) => {
                    Arg::Scalar(Exp::Var(v))
                }
            });
        }
        if let Some(bytes) = &self.frame {
            let bytes = substitute(bytes, &|v| {
                let at = self.params.iter().position(|param| *param == v)?;
                match passed.get(at)? {
                    Arg::Scalar(e) => Some(e.clone()),
                    Arg::Mem { .. } => None,
                }
            });
            let frame = vars.push(VarInfo { hint: "frame".into(), ty: Ty::Mem });
            out.push(Stm::Declare(frame, None));
            out.push(Stm::Alloc(frame, Prim::U8, bytes));
            let arg = whole(frame, vars, &mut out);
            passed.push(arg);
        }
        out.push(Stm::Call(id, results.to_vec(), passed));
        out
    }
}

/// A handle as an argument.
fn whole(handle: V, vars: &mut IdVec<V, VarInfo>, out: &mut Block) -> Arg {
    let ptr = vars.push(VarInfo { hint: "given".into(), ty: Ty::ptr(Prim::U8) });
    out.push(Stm::Declare(ptr, None));
    out.push(Stm::Point(ptr, From::Mem(handle), Exp::int(0)));
    Arg::Mem { block: Some(handle), ptr, index: Exp::int(0) }
}

/// A sum, as short as it can be.
fn plus(a: Exp, b: Exp) -> Exp {
    match (as_terms(&a), as_terms(&b)) {
        (Some(mut terms), Some(more)) => {
            terms.extend(more);
            tidy(terms)
        }
        _ => bin(BinOp::Add, a, b),
    }
}
