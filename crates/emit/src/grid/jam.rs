//! Unroll and jam: a thread executes the code for several positions together.
//!
//! ```text
//! for k < 9: x += w[k] * a[k]    and    for k < 9: y += w[k] * a[k + 1]
//! ==>
//! for k < 9: { x += w[k] * a[k]; y += w[k] * a[k + 1] }
//! ```
//!
//! Compilers then load once what several positions read, in one iteration or, where loops are unrolled, in different
//! ones, and keep it in registers.

use fehu_base::Prim;
use fehu_imp::rewrite::{Vars, rename};
use fehu_imp::visit::each_stm;
use fehu_imp::{Block, Exp, Kind, Stm, V};
use fehu_ir::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// If code would become longer than this many statements, compilers are not to unroll its outermost loops: NVRTC takes
/// some seconds for this many, and ten times as long for three times as many.
const MOST: i64 = 1 << 12;

/// As many iterations compilers may unroll of a loop whose bound they do not know.
const SOME_TRIPS: i64 = 8;

/// The code for one position, whose variables have other names for each of the others.
pub(super) struct Jam {
    /// What comes before it, once.
    before: Block,
    code: Block,
    names: Vec<FxHashMap<V, V>>,
}

impl Jam {
    /// The code for this many positions, whose indices are these variables; none if there is more in it than
    /// straight-line code and loops with bounds that are the same for all.
    pub(super) fn new(
        mut vars: Vars<'_>,
        code: &Block,
        indices: &[V],
        positions: u32,
    ) -> Option<Jam> {
        let mut differ: FxHashSet<V> = indices.iter().copied().collect();
        each_stm(code, &mut |stm| stm.each_declared(&mut |v| _ = differ.insert(v)));
        let weight = weight(code, &differ)?.saturating_mul(i64::from(positions));
        if positions < 2 {
            return None;
        }
        // Elsewhere, positions have the code each.
        let mut code = vars.copy(code);
        let before = if weight > MOST { roll(&mut vars, &mut code) } else { Block::new() };
        let (mut own, mut counters) = (indices.to_vec(), FxHashSet::default());
        each_stm(&code, &mut |stm| {
            stm.each_declared(&mut |v| own.push(v));
            if let Stm::For { var, .. } = stm {
                counters.insert(*var);
            }
        });
        own.retain(|v| !counters.contains(v));
        let names = (0..positions).map(|_| own.iter().map(|v| (*v, vars.like(*v))).collect());
        Some(Jam { before, code, names: names.collect() })
    }

    /// The variable that stands for an index of a position, by number.
    pub(super) fn index(&self, position: usize, index: V) -> V {
        self.names[position].get(&index).copied().unwrap_or(index)
    }

    /// The code for all positions.
    pub(super) fn code(&self) -> Block {
        [self.before.clone(), self.jammed(&self.code)].concat()
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "everything else is done for one position after the other"
    )]
    fn jammed(&self, code: &[Stm]) -> Block {
        let mut out = Block::new();
        for stm in code {
            match stm {
                Stm::For { var, from, to, step, body, .. } => out.push(Stm::For {
                    var: *var,
                    from: from.clone(),
                    to: to.clone(),
                    step: *step,
                    kind: Kind::Sequential,
                    body: self.jammed(body),
                }),
                stm => {
                    for names in &self.names {
                        out.extend(rename(std::slice::from_ref(stm), &|v| names.get(&v).copied()));
                    }
                }
            }
        }
        out
    }
}

/// Keeps compilers from unrolling the outermost loops of code: their bounds are variables, which are declared before it.
pub(super) fn roll(vars: &mut Vars<'_>, code: &mut Block) -> Block {
    let mut before = Block::new();
    for stm in code {
        if let Stm::For { to, .. } = stm {
            let bound = vars.scalar("bound", Prim::I64);
            let constant = std::mem::replace(to, Exp::Var(bound));
            before.push(Stm::Declare(bound, Some(constant)));
        }
    }
    before
}

/// The number of statements that are executed, if all are simple, and bounds of loops are none of these variables.
#[expect(clippy::wildcard_enum_match_arm, reason = "other statements are not simple")]
fn weight(code: &[Stm], differ: &FxHashSet<V>) -> Option<i64> {
    let mut all = 0_i64;
    for stm in code {
        let one = match stm {
            Stm::Comment(_) => 0,
            Stm::Declare(..) | Stm::Assign(..) | Stm::Store(..) => 1,
            Stm::For { from, to, step, body, .. } => match (from, to) {
                (Exp::Const(Scalar::I64(from)), Exp::Const(Scalar::I64(to))) => {
                    let trips = to.checked_sub(*from)?.checked_div(*step)?;
                    weight(body, differ)?.saturating_mul(trips.max(1))
                }
                _ => {
                    let mut same = true;
                    for bound in [from, to] {
                        bound.each_var(&mut |v| same &= !differ.contains(&v));
                    }
                    if !same {
                        return None;
                    }
                    weight(body, differ)?.saturating_mul(SOME_TRIPS)
                }
            },
            _ => return None,
        };
        all = all.saturating_add(one);
    }
    Some(all)
}
