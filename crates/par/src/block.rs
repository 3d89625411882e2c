//! The version in which a thread block executes the work of one position of the levels.
//!
//! ```text
//! let (t: i64) = tuning "main.suff_intra_par_0" 2048
//! let (small: bool) = le inner t
//! let (xs: ...) = if small then { seg blocks { map f ... } } else { flattened }
//! ```
//!
//! The operators of the function stay where they are: the threads share their positions, with a barrier after each of
//! them. So a loop around operators is not a series of kernels, and data that they pass to each other need not leave
//! the block. It pays off if there are several operators, or loops around them, and if they are not too wide for a
//! block.

use crate::build::Inside;
use crate::context::Cx;
use crate::hosted::body_calls_any;
use crate::plan::is_scalar_operator;
use ecow::eco_format;
use fehu_base::{IdVec, Prim};
use fehu_facts::operators::componentwise;
use fehu_ir::pass::RemarkKind;
use fehu_ir::{
    Atom, BinOp, Body, CmpOp, Exp, FunId, HistOp, Level, Scalar, Screma, Stm, Type, UnOp, Var,
    VarInfo,
};
use rustc_hash::FxHashSet;

/// Operators that are wider than this had better be kernels of their own, unless the user says something else.
const WIDE: i64 = 2048;
/// Operators over fewer positions, known to be so few, are not worth a block.
const FEW: i64 = 8;

/// The threads of a warp.
pub(crate) const WARP: i64 = 32;

/// Looks for what a block's threads can share in a function.
struct Sharing<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    /// Whether the host knows a size, or an upper bound of it.
    known: &'a dyn Fn(Atom) -> bool,
    /// Whether histograms are among it: elsewhere they are better kernels of their own.
    hists: bool,
    operators: usize,
    in_loops: usize,
    /// The positions of each, as products of widths that the host knows.
    widths: Vec<Vec<Atom>>,
}

/// Whether a version for blocks of threads is worth having, given which sizes the host knows; yields the positions of
/// its operators, as products of widths, as far as these are known. What calls functions of the host has no such
/// version.
pub(crate) fn block_widths(
    body: &Body,
    vars: &IdVec<Var, VarInfo>,
    hosted: &FxHashSet<FunId>,
    known: &dyn Fn(Atom) -> bool,
) -> Option<Vec<Vec<Atom>>> {
    if body_calls_any(body, hosted) {
        return None;
    }
    let mut found =
        Sharing { vars, known, hists: false, operators: 0, in_loops: 0, widths: Vec::new() };
    let fits = found.body(body, false);
    let several = found.operators > 1 || found.in_loops > 0;
    (fits && several && !found.widths.is_empty()).then_some(found.widths)
}

/// Whether a block of threads can execute a body, histograms included, given which sizes are known before.
pub(crate) fn is_for_block(
    body: &Body,
    vars: &IdVec<Var, VarInfo>,
    known: &dyn Fn(Atom) -> bool,
) -> bool {
    let mut found =
        Sharing { vars, known, hists: true, operators: 0, in_loops: 0, widths: Vec::new() };
    found.body(body, false)
}

impl Sharing<'_> {
    /// Whether a block of threads can execute these statements.
    fn body(&mut self, body: &Body, in_loop: bool) -> bool {
        body.stms.iter().all(|stm| self.stm(stm, in_loop))
    }

    fn note(&mut self, widths: Vec<Atom>, in_loop: bool) {
        self.operators += 1;
        self.in_loops += usize::from(in_loop);
        let few = matches!(widths[..], [Atom::Const(Scalar::I64(n))] if n < FEW);
        if !few && !widths.is_empty() && !self.widths.contains(&widths) {
            self.widths.push(widths);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a block may execute the others")]
    fn stm(&mut self, stm: &Stm, in_loop: bool) -> bool {
        let fits = match &stm.exp {
            Exp::Screma(op) => {
                self.note(self.positions(op), in_loop);
                self.is_shareable(op)
            }
            Exp::Scatter(op) => {
                let widths = Some(op.width).filter(|width| (self.known)(*width));
                self.note(widths.into_iter().collect(), in_loop);
                true
            }
            Exp::Hist(op) if self.hists => {
                self.note(vec![op.width], in_loop);
                op.ops.iter().all(|op| is_atomic(op, self.vars))
            }
            Exp::Loop(_, _, body) => self.body(body, true),
            Exp::If(_, bodies) => bodies.iter().all(|body| self.body(body, in_loop)),
            Exp::Switch(_, switch) => {
                let mut bodies = switch.cases.iter().map(|(_, body)| body).chain([&switch.default]);
                bodies.all(|body| self.body(body, in_loop))
            }
            Exp::Call(..)
            | Exp::Hist(_)
            | Exp::Partition(_)
            | Exp::Flatmap(_)
            | Exp::Diff(_)
            | Exp::Stream(_)
            | Exp::WithAcc(..)
            | Exp::UpdateAcc(..)
            | Exp::Tuning(..)
            | Exp::Trace(..)
            // This is what several blocks do.
            | Exp::Seg(_) => false,
            _ => true,
        };
        let mut sizes = stm.pat.iter().flat_map(|var| self.vars[*var].ty.shape());
        fits && (is_view(&stm.exp) || sizes.all(|size| (self.known)(*size)))
    }

    /// The widths of a map and of what it is around, as long as the host knows them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no positions")]
    fn positions(&self, op: &Screma) -> Vec<Atom> {
        let mut widths = Vec::new();
        let mut op = op;
        while (self.known)(op.width) {
            widths.push(op.width);
            let last = op.map.body.stms.iter().rev().find_map(|stm| match &stm.exp {
                Exp::Screma(inner) => Some(inner),
                _ => None,
            });
            match last {
                Some(inner) if op.folded() == 0 => op = inner,
                _ => break,
            }
        }
        widths
    }

    /// Whether a block can share the positions of an operator.
    fn is_shareable(&self, op: &Screma) -> bool {
        let mut ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        let is_array = |var: &Var| matches!(self.vars[*var].ty, Type::Array(..));
        ops.all(is_scalar_operator) && op.inputs.iter().all(is_array)
    }
}

/// Whether threads can combine values with elements without a lock: of one number each, or of some that are added
/// separately. (Code for kernels takes a lock for whatever else, see `contribute_shared` in `fehu-emit`.)
fn is_atomic(op: &HistOp, vars: &IdVec<Var, VarInfo>) -> bool {
    let is_added = |&(op, prim): &(BinOp, Prim)| op == BinOp::Add && prim != Prim::F16;
    let are_added = |op| componentwise(op, 0, vars).is_some_and(|ops| ops.iter().all(is_added));
    is_scalar_operator(&op.op) && (op.op.ret.len() == 1 || are_added(&op.op))
}

impl Cx<'_> {
    /// Whether this version of a function is worth having; yields the positions of its operators.
    pub(crate) fn block_widths(&self, body: &Body) -> Option<Vec<Vec<Atom>>> {
        block_widths(body, self.vars, self.hosted, &|atom| self.is_host(atom))
    }

    /// The function, for a block of threads at each position.
    pub(crate) fn by_block(&mut self, body: &Body) -> Vec<Var> {
        self.at_level(if is_narrow(body) { Level::Warps } else { Level::Blocks }, body)
    }

    fn at_level(&mut self, level: Level, body: &Body) -> Vec<Var> {
        let mut body = body.clone();
        self.segs().of_block(&mut body.stms);
        self.nest_of(Inside::Block(level), body.stms, &body.results)
    }

    /// Both versions; this one if no operator is too wide. If a warp has a thread for each of their positions, the
    /// block is a warp, whose threads need not wait for each other: LocVolCalib with rows of 32 takes 5.5 instead of
    /// 12.0 ms on an H200. (With two positions for a thread it is slower: nw with rows of 64 takes 4.1 instead of 3.0
    /// ms.)
    pub(crate) fn choose_block(
        &mut self,
        body: &Body,
        widths: &[Vec<Atom>],
        flat: &mut dyn FnMut(&mut Self) -> Vec<Var>,
    ) -> Vec<Var> {
        let widest = self.widest(widths);
        let small = self.is_small(widest);
        if is_narrow(body) {
            return self.either(small, &mut |cx| cx.by_block(body), flat);
        }
        let narrow = self.named("narrow", Exp::CmpOp(CmpOp::Le, widest, Atom::i64(WARP)));
        self.either(
            small,
            &mut |cx| {
                cx.either(narrow, &mut |cx| cx.at_level(Level::Warps, body), &mut |cx| {
                    cx.by_staging_block(body)
                })
            },
            flat,
        )
    }

    /// A function that is sequential at each position, because it has loops whose numbers of iterations differ: as it
    /// is, and this version, for levels with too few positions to keep the machine busy and operators that are wide
    /// enough for a warp.
    pub(crate) fn choose_block_if_few(&mut self, body: &Body, widths: &[Vec<Atom>]) -> Vec<Var> {
        let widest = self.widest(widths);
        let small = self.is_small(widest);
        let wide = self.named("wide", Exp::CmpOp(CmpOp::Le, Atom::i64(WARP), widest));
        let fits = self.named("fits", Exp::BinOp(BinOp::And, wide.into(), small.into()));
        let enough = self.is_enough_for_loops();
        let few = self.named("few", Exp::UnOp(UnOp::Not, enough.into()));
        let both = self.named("both", Exp::BinOp(BinOp::And, few.into(), fits.into()));
        self.either(both, &mut |cx| cx.by_block(body), &mut |cx| cx.whole(body))
    }

    /// Whether no operator is too wide for a block, at run time.
    fn is_small(&mut self, widest: Atom) -> Var {
        let name = eco_format!("{}.suff_intra_par_{}", self.name, self.thresholds);
        self.thresholds += 1;
        let threshold = self.named("suff_intra_par", Exp::Tuning(name, Atom::i64(WIDE)));
        let loc = self.levels.last().and_then(|level| level.loc.clone());
        let text = "added a version in which a thread block executes the inner parallelism, if it is small enough";
        self.remark(RemarkKind::Done, loc.as_ref(), text);
        self.named("small", Exp::CmpOp(CmpOp::Le, widest, threshold.into()))
    }

    /// The largest of some numbers of positions, which are products of widths.
    fn widest(&mut self, widths: &[Vec<Atom>]) -> Atom {
        let mut widest = Atom::i64(1);
        for widths in widths {
            let mut product = widths.first().copied().unwrap_or(Atom::i64(1));
            for width in widths.iter().skip(1) {
                let exp = Exp::BinOp(BinOp::Mul, product, *width);
                product = self.named("inner", exp).into();
            }
            widest = self.named("inner", Exp::BinOp(BinOp::Max, widest, product)).into();
        }
        widest
    }
}

/// Whether an array needs no memory of its own.
pub(crate) fn is_view(exp: &Exp) -> bool {
    matches!(exp, Exp::Index(..) | Exp::FlatIndex(..) | Exp::Reshape(..) | Exp::Rearrange(..))
}

/// Whether no operator has more positions than a warp has threads.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no operators that are shared")]
fn is_narrow(body: &Body) -> bool {
    let few = |width: &Atom| matches!(width, Atom::Const(Scalar::I64(n)) if *n <= WARP);
    body.stms.iter().all(|stm| {
        let mut narrow = match &stm.exp {
            Exp::Screma(op) => return few(&op.width),
            Exp::Scatter(op) => return few(&op.width),
            _ => true,
        };
        stm.exp.for_each_body(&mut |body| narrow = narrow && is_narrow(body));
        narrow
    })
}
