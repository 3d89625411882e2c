//! `partials`: says in which order floats are added up.
//!
//! The sum of floats depends on the order of its terms. Where that is free, the order that is quickest is that of
//! vectors: one partial sum for each lane, and enough lanes that additions need not wait for each other. It is written
//! down here, so that everybody who executes the code gets the same sum: C by whatever compiler, for vectors of
//! whatever size, and machine code (`fehu-jit`).
//!
//! ```text
//! for i < n add(s) { s = s + x[i] }
//! ```
//!
//! becomes
//!
//! ```text
//! if there is a block of 16 {
//!   for lane < 16 { p[lane] = -0.0 }
//!   for i < n / 16 * 16 by 16 { for lane < 16 { p[lane] = p[lane] + x[i + lane] } }
//!   for lane < 8 { p[lane] = p[lane] + p[lane + 8] }  and so on for 4, 2, 1
//!   s = s + p[0]
//! }
//! for the rest, one after the other { s = s + x[i] }
//! ```
//!
//! (Where n is 4,000, this takes half as long as `omp simd reduction` by gcc 12, which has a single vector of partial
//! sums; where n is large, the memory is the limit.)
//!
//! Products likewise, and what else the same loop reduces. Conditions: an independent loop with step one whose body a C
//! compiler vectorises, because it is straight code when its short loops are unrolled (`fehu_imp::straight`), without
//! checks, calls or allocations; and more iterations than are unrolled, or as many as fill a block, unless a loop
//! around it is vectorised. (A sum of eight numbers one after the other waits for eight additions, in lanes for three.)
//! Other sums are left in the order of the iterations: nobody downstream may change it.

use crate::lanes::{first, sets_only_its_own};
use crate::scalar::scalar;
use fehu_base::IdVec;
use fehu_imp::cpu::CPU;
use fehu_imp::rewrite::{Vars, end_of_blocks, rename, sum};
use fehu_imp::straight::{is_straight, unrolled_iterations};
use fehu_imp::{Block, Exp, Kind, Prim, Program, RedOp, Stm, Ty, V, VarInfo, visit};
use fehu_ir::CmpOp;
use rustc_hash::FxHashMap;

/// The bytes of all partial sums. (With twice as many, sums of 1,000 numbers take 0.8 times as long, but those of 50 take 1.3.)
const BYTES: u32 = CPU.vector_bytes;

/// Splits the sums of a program.
pub fn partials(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let body = std::mem::take(&mut fun.body);
        fun.body = block(&mut fun.vars, body, false);
    }
}

/// The statements with sums in parts; whether they are in a loop that is vectorised.
fn block(vars: &mut IdVec<V, VarInfo>, stms: Block, in_vectors: bool) -> Block {
    let mut out = Block::with_capacity(stms.len());
    for mut stm in stms {
        if let Some(source) = Source::of(vars, &stm, in_vectors) {
            source.split(vars, &mut out);
            continue;
        }
        let in_vectors = in_vectors
            || matches!(&stm, Stm::For { kind, body, .. } if kind.reductions().is_some() && is_straight(body));
        stm.each_block_mut(&mut |inner| *inner = block(vars, std::mem::take(inner), in_vectors));
        out.push(stm);
    }
    out
}

/// A loop that is split.
struct Source<'a> {
    var: V,
    from: &'a Exp,
    to: &'a Exp,
    reductions: &'a [(V, RedOp)],
    body: &'a Block,
    /// The number of partial sums.
    width: u32,
    /// Whether there is one iteration for each.
    is_block: bool,
}

impl<'a> Source<'a> {
    fn of(vars: &IdVec<V, VarInfo>, stm: &'a Stm, in_vectors: bool) -> Option<Source<'a>> {
        let Stm::For { var, from, to, step: 1, kind, body } = stm else { return None };
        let reductions = kind.reductions()?;
        let is_sum = |(v, op): &(V, RedOp)| {
            matches!(op, RedOp::Add | RedOp::Mul)
                && matches!(vars[*v].ty, Ty::Scalar(Prim::F32 | Prim::F64))
        };
        let sizes = reductions.iter().map(|(v, _)| scalar(vars[*v].ty).bits() / 8);
        let width = BYTES / sizes.max().unwrap_or(8).max(4);
        let few = unrolled_iterations(from, to, 1);
        let is_block = few == Some(width.into()) && !in_vectors;
        let fits = vars[*var].ty == Ty::Scalar(Prim::I64)
            && reductions.iter().any(is_sum)
            && (few.is_none() || is_block)
            && fits(vars, body)
            && is_straight(body)
            && sets_only_its_own(body, reductions);
        fits.then_some(Source { var: *var, from, to, reductions, body, width, is_block })
    }

    fn split(&self, vars: &mut IdVec<V, VarInfo>, out: &mut Block) {
        let mut vars = Vars(vars);
        let low = operand(&mut vars, "low", self.from, out);
        let high = operand(&mut vars, "high", self.to, out);
        let width = self.width;
        if self.is_block {
            let all = self.in_blocks(&mut vars, width, &low, &high);
            return out.extend(all);
        }
        let whole = vars.scalar("whole", Prim::I64);
        out.push(Stm::Declare(whole, Some(end_of_blocks(&low, &high, width.into()))));
        let whole = Exp::Var(whole);
        let any = Exp::Cmp(CmpOp::Lt, Prim::I64, Box::new(low.clone()), Box::new(whole.clone()));
        let in_blocks = self.in_blocks(&mut vars, width, &low, &whole);
        out.push(Stm::If(any, in_blocks, Block::new()));
        let (var, body) = (self.var, self.body.clone());
        out.push(Stm::For { var, from: whole, to: high, step: 1, kind: Kind::Sequential, body });
    }

    /// The iterations of a range of whole blocks.
    fn in_blocks(&self, vars: &mut Vars<'_>, width: u32, low: &Exp, whole: &Exp) -> Block {
        let partials: Vec<Partial> = self
            .reductions
            .iter()
            .map(|(v, op)| {
                let prim = scalar(vars.0[*v].ty);
                let hint = vars.0[*v].hint.clone();
                Partial {
                    all: *v,
                    op: *op,
                    prim,
                    parts: vars.new_var(&hint, Ty::Local(prim, width)),
                    part: vars.like(*v),
                }
            })
            .collect();
        let mut out: Block =
            partials.iter().map(|partial| Stm::Declare(partial.parts, None)).collect();
        out.push(lanes(vars, width, |lane| {
            partials
                .iter()
                .map(|partial| {
                    Stm::Store(
                        partial.parts,
                        Exp::Var(lane),
                        first(partial.all, partial.prim, partial.op),
                    )
                })
                .collect()
        }));
        let base = vars.like(self.var);
        let blocks = vec![self.block_of(vars, width, base, &partials)];
        let (from, to, step) = (low.clone(), whole.clone(), i64::from(width));
        out.push(Stm::For { var: base, from, to, step, kind: Kind::Sequential, body: blocks });
        let mut half = width / 2;
        while half > 0 {
            out.push(lanes(vars, half, |lane| {
                partials
                    .iter()
                    .map(|partial| {
                        let other = partial.at(sum(&[(1, lane)], half.into()));
                        let both = partial.combined(partial.at(Exp::Var(lane)), other);
                        Stm::Store(partial.parts, Exp::Var(lane), both)
                    })
                    .collect()
            }));
            half /= 2;
        }
        out.extend(partials.iter().map(|partial| {
            Stm::Assign(
                partial.all,
                partial.combined(Exp::Var(partial.all), partial.at(Exp::int(0))),
            )
        }));
        out
    }

    /// The iterations of the block that begins at a variable.
    fn block_of(&self, vars: &mut Vars<'_>, width: u32, base: V, partials: &[Partial]) -> Stm {
        let mut new: FxHashMap<V, V> = FxHashMap::default();
        new.insert(self.var, vars.like(self.var));
        new.extend(partials.iter().map(|partial| (partial.all, partial.part)));
        visit::each_stm(self.body, &mut |stm| {
            stm.each_declared(&mut |v| {
                new.insert(v, vars.like(v));
            });
        });
        lanes(vars, width, |lane| {
            let mut out = vec![Stm::Declare(new[&self.var], Some(sum(&[(1, base), (1, lane)], 0)))];
            out.extend(
                partials
                    .iter()
                    .map(|partial| Stm::Declare(partial.part, Some(partial.at(Exp::Var(lane))))),
            );
            out.extend(rename(self.body, &|v| new.get(&v).copied()));
            out.extend(
                partials.iter().map(|partial| {
                    Stm::Store(partial.parts, Exp::Var(lane), Exp::Var(partial.part))
                }),
            );
            out
        })
    }
}

/// What a loop reduces, in parts.
struct Partial {
    /// The variable that has the result, ...
    all: V,
    op: RedOp,
    prim: Prim,
    /// ... the array with a part for each lane, ...
    parts: V,
    /// ... and one part, while an iteration adds to it.
    part: V,
}

impl Partial {
    fn at(&self, lane: Exp) -> Exp {
        Exp::Load(self.parts, Box::new(lane))
    }

    fn combined(&self, a: Exp, b: Exp) -> Exp {
        Exp::Bin(self.op.bin_op(), self.prim, Box::new(a), Box::new(b))
    }
}

/// A bound of a loop, which is evaluated once.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is no operand gets a variable")]
fn operand(vars: &mut Vars<'_>, hint: &str, e: &Exp, out: &mut Block) -> Exp {
    match e {
        Exp::Const(_) | Exp::Var(_) => e.clone(),
        e => {
            let v = vars.scalar(hint, Prim::I64);
            out.push(Stm::Declare(v, Some(e.clone())));
            Exp::Var(v)
        }
    }
}

/// A loop over lanes.
fn lanes(vars: &mut Vars<'_>, width: u32, body: impl FnOnce(V) -> Block) -> Stm {
    let var = vars.scalar("lane", Prim::I64);
    let (from, to, kind) = (Exp::int(0), Exp::int(width.into()), Kind::Independent(Vec::new()));
    Stm::For { var, from, to, step: 1, kind, body: body(var) }
}

/// Whether everything in a body can be in lanes.
#[expect(clippy::wildcard_enum_match_arm, reason = "what is not known to fit does not")]
fn fits(vars: &IdVec<V, VarInfo>, body: &Block) -> bool {
    body.iter().all(|stm| match stm {
        Stm::Comment(_) | Stm::Assign(..) | Stm::Store(..) => true,
        Stm::Declare(v, _) => matches!(vars[*v].ty, Ty::Scalar(_) | Ty::Local(..)),
        Stm::If(_, yes, no) => fits(vars, yes) && fits(vars, no),
        Stm::For { body, .. } => fits(vars, body),
        _ => false,
    })
}
