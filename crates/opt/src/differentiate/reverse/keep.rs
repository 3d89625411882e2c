//! What the return sweep of a loop's body is given: the choice between saving values and computing them again.
//!
//! ```text
//! loop (x = a) do  s = sin x;  c = cos x;  y = s * c  in  y
//! ```
//!
//! The return sweep needs `s`, `c` and `x`. To save all of them takes three numbers for each iteration; `x` alone will
//! do, because `s` and `c` are computed from it for next to nothing. So this is a minimum cut: values are nodes that
//! cost what they take on the tape, statements that may be evaluated again lead from their operands to their results,
//! and what the return sweep needs must not be reached by values that only the forward sweep has.

use super::cut::{NEVER, Network};
use super::invert::Inverted;
use super::undo::{Undone, is_made_late};
use crate::differentiate::activity::Set;
use fehu_base::Prim;
use fehu_ir::builder::Builder;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::subst::{Subst, copy_stm, subst_stm};
use fehu_ir::{Atom, BinOp, Body, Elem, Exp, Family, LoopParam, Scalar, Stm, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the return sweep of a loop's body gets the values that it needs.
pub(super) struct Kept {
    /// By tapes of one value for each iteration.
    pub(super) saved: Vec<Var>,
    /// Parameters, and what is overwritten, whose sizes change, by tapes of all their elements.
    pub(super) flat: Vec<Var>,
    /// By these statements of the body, again.
    pub(super) again: Vec<Stm>,
    /// Certificates of checks that the forward sweep has made.
    pub(super) certs: Vec<Var>,
    /// What does not change from iteration to iteration, computed before the loop.
    pub(super) outside: Subst,
}

/// What need not be saved: arrays whose changes are undone, and integers that are computed backwards.
#[derive(Clone, Copy)]
pub(super) struct Had<'a> {
    pub(super) undone: &'a Undone,
    pub(super) inverted: &'a Inverted,
}

/// What a size that is not known is taken for.
const SIZE: u64 = 1024;

impl Kept {
    /// `never` are values that are not to be saved.
    pub(super) fn choose(
        b: &mut Builder<'_>,
        params: &[LoopParam],
        counter: Var,
        body: &Body,
        back: &Body,
        never: &Set,
        Had { undone, inverted }: Had<'_>,
    ) -> Kept {
        let mut own: FxHashSet<Var> =
            body.stms.iter().flat_map(|s| s.pat.iter().copied()).collect();
        own.extend(params.iter().map(|param| param.var));
        own.insert(counter);
        let outside = invariants(b, &own, counter, body);
        let varies = |var: &Var| own.contains(var) && !outside.contains_key(var) && *var != counter;
        let is_cert = |b: &Builder<'_>, var: Var| *b.ty(var) == Type::CERT;

        let provided = |var: &Var| undone.provides(*var) || inverted.provides(*var);
        let mut needed: Vec<Var> = free_in_body(back, b.vars());
        needed.extend(undone.needs());
        needed.retain(|var| varies(var) && !provided(var));
        // The elements of a parameter whose size changes are nothing without the size.
        for var in needed.clone() {
            let sizes = b.ty(var).shape().iter().filter_map(|size| size.var());
            needed.extend(sizes.filter(varies));
        }

        let nodes: Vec<Var> = params
            .iter()
            .map(|param| param.var)
            .chain(body.stms.iter().flat_map(|stm| stm.pat.iter().copied()))
            .filter(|var| varies(var) && !is_cert(b, *var) && !provided(var))
            .collect();
        let place: FxHashMap<Var, usize> =
            nodes.iter().enumerate().map(|(index, var)| (*var, 2 * index)).collect();
        let (source, sink) = (2 * nodes.len(), 2 * nodes.len() + 1);
        let mut network = Network::new(sink + 1);
        let changes = |size: &Atom| size.var().is_some_and(|var| var == counter || varies(&var));
        let can_save = |b: &Builder<'_>, var: Var| {
            !matches!(b.ty(var), Type::Acc(_)) && !b.ty(var).shape().iter().any(changes)
        };
        // These may be consumed, and are made again.
        let made: FxHashSet<Var> =
            body.stms.iter().filter(|s| is_made(s)).flat_map(|s| s.pat.iter().copied()).collect();
        let is_param = |var: Var| params.iter().any(|param| param.var == var);
        let places: Set = undone.needs().into_iter().collect();
        // A statement that is undone is not executed again, so that what else it binds is kept.
        let is_undone = |stm: &Stm| stm.pat.iter().any(|var| undone.is_changed(*var));
        let beside: Set =
            body.stms.iter().filter(|s| is_undone(s)).flat_map(|s| s.pat.clone()).collect();
        let is_array = |var: &Var| matches!(b.ty(*var), Type::Array(..));
        let loops = body.stms.iter().filter(|stm| matches!(stm.exp, Exp::Loop(..)));
        let tapes: Set = loops.flat_map(|s| s.pat.iter().copied()).filter(is_array).collect();
        // Where something is undone is computed before that.
        let is_place = |var: &Var| undone.overwritten(*var).is_none();
        let mut early: Set = undone.needs().into_iter().filter(is_place).collect();
        for stm in body.stms.iter().rev() {
            if !is_undone(stm) && stm.pat.iter().any(|var| early.contains(var)) {
                early.extend(free_in_stm(&without_certs(stm), b.vars()));
            }
        }
        let bits = bits(b, body);
        for var in &nodes {
            let at = place[var];
            let is_old = undone.overwritten(*var).is_some();
            let again = never.contains(var) || made.contains(var);
            // Where something is overwritten may have a size that changes, too.
            let is_kept = b.ty(*var).is_array() && (places.contains(var) || beside.contains(var));
            // So may the tapes of loops inside: they are kept, or the loop is executed again. What they take is no more
            // than the loop's time, so they are
            // preferred to arrays that it begins with.
            let is_tape = !can_save(b, *var) && tapes.contains(var);
            let saves =
                is_param(*var) || is_old || is_kept || (can_save(b, *var) || is_tape) && !again;
            let cost = weight(b.ty(*var), &bits) / if is_tape { 2 } else { 1 };
            network.edge(at, at + 1, if saves { cost } else { NEVER });
            if is_param(*var) {
                network.edge(source, at, NEVER);
            }
        }
        for stm in &body.stms {
            // Single elements are read before the array changes; a view or a copy can be made later.
            let reads = undone.reads(stm, b.vars());
            let is_cheap = match reads {
                true => is_made_late(stm, b.vars()),
                false => is_cheap(b, stm),
            };
            let must = stm.pat.iter().any(|var| never.contains(var) || !can_save(b, *var));
            let is_too_late = reads && stm.pat.iter().any(|var| early.contains(var));
            let repeats = !is_undone(stm) && (is_cheap || must) && !is_too_late;
            let operands = free_in_stm(&without_certs(stm), b.vars());
            for to in stm.pat.iter().filter_map(|var| place.get(var)) {
                if !repeats {
                    network.edge(source, *to, NEVER);
                    continue;
                }
                for from in operands.iter().filter_map(|var| place.get(var)) {
                    network.edge(from + 1, *to, NEVER);
                }
            }
        }
        for from in needed.iter().filter_map(|var| place.get(var)) {
            network.edge(from + 1, sink, NEVER);
        }
        let last = network.cut(source, sink);
        let is_cut = |var: &Var| place.get(var).is_some_and(|at| !last[*at] && last[at + 1]);

        let mut kept = Kept {
            saved: Vec::new(),
            flat: Vec::new(),
            again: Vec::new(),
            certs: Vec::new(),
            outside: outside.clone(),
        };
        for var in nodes.iter().filter(|var| is_cut(var)) {
            if can_save(b, *var) {
                kept.saved.push(*var);
            } else {
                kept.flat.push(*var);
            }
        }
        let mut needed: FxHashSet<Var> = needed.into_iter().collect();
        for stm in body.stms.iter().rev() {
            let wanted = |var: &&Var| needed.contains(*var) && !is_cut(var) && !provided(var);
            let mut wanted = stm.pat.iter().filter(wanted).peekable();
            if wanted.peek().is_none() {
                continue;
            }
            if wanted.clone().all(|var| is_cert(b, *var)) {
                kept.certs.extend(wanted);
                continue;
            }
            let again = without_certs(stm);
            needed.extend(free_in_stm(&again, b.vars()).into_iter().filter(varies));
            kept.again.push(again);
        }
        kept.again.reverse();
        kept
    }
}

impl Kept {
    /// What the report says about it.
    pub(super) fn sentence(&self, b: &Builder<'_>, undone: &Undone) -> String {
        let name = |var: &Var| {
            let info = &b.vars()[*var];
            let bytes = bytes_of(b, &info.ty);
            match undone.overwritten(*var) {
                Some(array) => {
                    format!("what it overwrites in `{}` ({bytes})", b.vars()[array].hint)
                }
                None => format!("`{}` ({bytes})", info.hint),
            }
        };
        let mut kept: Vec<String> = self.saved.iter().map(name).collect();
        kept.extend(self.flat.iter().map(|var| match undone.overwritten(*var) {
            Some(array) => format!("what it overwrites in `{}`", b.vars()[array].hint),
            None => format!("all elements of `{}`, whose size changes", b.vars()[*var].hint),
        }));
        let kept = match &kept[..] {
            [] => "nothing".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        };
        let again = match self.again.len() {
            0 => String::new(),
            1 => "; 1 operation is evaluated again".to_owned(),
            count => format!("; {count} operations are evaluated again"),
        };
        format!("for the derivative, each iteration of the loop keeps {kept}{again}")
    }
}

/// As in `8 bytes` or `8 n bytes`.
fn bytes_of(b: &Builder<'_>, ty: &Type) -> String {
    let (mut count, mut names) = (1, String::new());
    if let Some(Elem::Prim(prim)) = ty.elem() {
        count = bytes(prim);
    }
    for size in ty.shape() {
        match size {
            Atom::Const(Scalar::I64(size)) => count *= u64::try_from(*size).unwrap_or(0),
            Atom::Const(_) => {}
            Atom::Var(var) => names.extend([" ", b.vars()[*var].hint.as_str()]),
        }
    }
    let unit = if count == 1 && names.is_empty() { "byte" } else { "bytes" };
    format!("{count}{names} {unit}")
}

pub(super) fn without_certs(stm: &Stm) -> Stm {
    Stm { certs: Vec::new(), ..stm.clone() }
}

/// Scalars that are the same in all iterations, which are computed here, before the loop.
fn invariants(b: &mut Builder<'_>, own: &FxHashSet<Var>, counter: Var, body: &Body) -> Subst {
    let mut outside = Subst::default();
    for stm in &body.stms {
        let [var] = stm.pat[..] else { continue };
        let mut invariant = is_scalar(b, stm) && is_total(&stm.exp);
        stm.exp.for_each_operand(&mut |atom| {
            invariant &= atom.var().is_none_or(|operand| {
                operand != counter && (!own.contains(&operand) || outside.contains_key(&operand))
            });
        });
        if invariant {
            let mut copy = copy_stm(&without_certs(stm), b.vars_mut());
            subst_stm(&mut copy, b.vars_mut(), &outside);
            outside.insert(var, copy.pat[0].into());
            b.push(copy);
        }
    }
    outside
}

pub(super) fn is_scalar(b: &Builder<'_>, stm: &Stm) -> bool {
    stm.exp.family() == Family::Scalar && stm.pat.iter().all(|var| !b.ty(*var).is_array())
}

/// Whether an operation on scalars is defined for all operands.
pub(super) fn is_total(exp: &Exp) -> bool {
    !matches!(exp, Exp::BinOp(BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem | BinOp::Pow, ..))
}

/// Whether a statement may be evaluated again: arithmetic, branches with arithmetic, views, and maps of arithmetic, which the
/// return sweep evaluates again anyway. The checks in them are not made again.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are loops, folds and changes")]
fn is_cheap(b: &Builder<'_>, stm: &Stm) -> bool {
    let arithmetic = |body: &Body| body.stms.iter().all(|stm| is_arithmetic(b, stm));
    match &stm.exp {
        Exp::Screma(op) => {
            let is_map = op.scans.is_empty() && op.reds.is_empty();
            is_map
                && op.inputs.iter().all(|input| b.ty(*input).is_array())
                && arithmetic(&op.map.body)
        }
        Exp::Atom(_) | Exp::Iota(..) | Exp::Array(..) => true,
        exp => exp.family() == Family::View || is_made(stm) || is_arithmetic(b, stm),
    }
}

/// Whether a statement makes an array only for others to change it.
pub(super) fn is_made(stm: &Stm) -> bool {
    matches!(stm.exp, Exp::Copy(_) | Exp::Replicate(..) | Exp::Scratch(..))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others work on arrays")]
fn is_arithmetic(b: &Builder<'_>, stm: &Stm) -> bool {
    match &stm.exp {
        Exp::If(..) | Exp::Switch(..) => {
            let mut all = stm.pat.iter().all(|var| !b.ty(*var).is_array());
            stm.exp.for_each_body(&mut |body| {
                all &= body.stms.iter().all(|stm| is_arithmetic(b, stm));
            });
            all
        }
        Exp::Index(..) => stm.pat.iter().all(|var| !b.ty(*var).is_array()),
        Exp::Assert(..) => true,
        _ => is_scalar(b, stm),
    }
}

/// Numbers of iterations that are zero or one.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is known to be small")]
fn bits(b: &Builder<'_>, body: &Body) -> Set {
    let mut bits = Set::default();
    for stm in &body.stms {
        let is_bit = match stm.exp {
            Exp::Convert(_, of) => b.atom_ty(of) == Type::BOOL,
            Exp::BinOp(BinOp::Max, Atom::Var(var), _) => bits.contains(&var),
            _ => false,
        };
        bits.extend(is_bit.then(|| stm.pat[0]));
    }
    bits
}

/// What a value takes on a tape, in bytes; some sizes are zero or one.
fn weight(ty: &Type, bits: &Set) -> u64 {
    let bytes = match ty.elem() {
        Some(Elem::Prim(prim)) => bytes(prim),
        Some(Elem::Unit) | None => 0,
    };
    let size = |size: &Atom| match size {
        Atom::Const(Scalar::I64(size)) => u64::try_from(*size).unwrap_or(0),
        Atom::Var(size) if bits.contains(size) => 1,
        Atom::Const(_) | Atom::Var(_) => SIZE,
    };
    let total = ty.shape().iter().map(size).fold(bytes, u64::saturating_mul);
    total.min(NEVER / 1024)
}

pub(super) fn bytes(prim: Prim) -> u64 {
    match prim {
        Prim::I8 | Prim::U8 | Prim::Bool => 1,
        Prim::I16 | Prim::U16 | Prim::F16 => 2,
        Prim::I32 | Prim::U32 | Prim::F32 => 4,
        Prim::I64 | Prim::U64 | Prim::F64 => 8,
    }
}
