//! `unswitch`: loop-invariant conditions are decided before the loop.
//!
//! ```text
//! for x { if k == 0 { o[x] = f(x) } else if k == 1 { o[x] = g(x) } else { o[x] = h(x) } }
//! ```
//!
//! becomes
//!
//! ```text
//! if k == 0 { for x { o[x] = f(x) } } else if k == 1 { for x { o[x] = g(x) } } else { for x { o[x] = h(x) } }
//! ```
//!
//! C compilers vectorise the first form by executing all branches and discarding the results of all but one; their own
//! versions of this transformation give up after a few conditions.
//!
//! Conditions: the loop is independent and innermost, and the code does not become much longer. What the branches have
//! in common is copied for each. A condition is found at any depth, since evaluating one early does no harm.

use fehu_imp::cost::count;
use fehu_imp::rewrite::{Vars, is_total, replace_stms, substitute};
use fehu_imp::visit::{each_stm, set_vars};
use fehu_imp::{Block, Exp, Kind, Program, Stm, V};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of versions of a loop.
const MOST_VERSIONS: usize = 16;
/// The maximum number of statements that a loop may have ...
const MOST_STATEMENTS: usize = 500;
/// ... and how many more all of its versions may have than the loop itself.
const MOST_COPIED: usize = 600;
/// Branches with fewer statements than this are as good as a selection.
const FEWEST_STATEMENTS: usize = 4;
/// Conditions of more operations than this are not computed before the loop.
const MOST_SIZE: usize = 20;

/// Moves conditions out of the loops of a program.
pub fn unswitch(program: &mut Program) {
    for fun in program.funs.values_mut() {
        let mut vars = Vars(&mut fun.vars);
        replace_stms(&mut fun.body, &mut |stm| split(&mut vars, stm));
    }
}

fn split(vars: &mut Vars<'_>, stm: &Stm) -> Option<Block> {
    let Stm::For { var, kind, body, .. } = stm else { return None };
    if *kind == Kind::Sequential {
        return None;
    }
    let size = count(body);
    if size > MOST_STATEMENTS || !is_straight(body) {
        return None;
    }
    let mut work = Work { whole: stm, versions: 0, inside: set_vars(body) };
    work.inside.insert(*var);
    work.decision(body)?;
    let versions = work.versions(vars, body.clone())?;
    (count(&versions) <= size + MOST_COPIED).then_some(versions)
}

struct Work<'a> {
    /// The loop as it was.
    whole: &'a Stm,
    versions: usize,
    /// What an iteration declares or sets.
    inside: FxHashSet<V>,
}

/// A branch that can be decided before the loop.
struct Decision {
    /// Where it is: the statement of the body, and of the branches on the way.
    path: Vec<(usize, bool)>,
    at: usize,
    condition: Exp,
}

impl Work<'_> {
    fn versions(&mut self, vars: &mut Vars<'_>, body: Block) -> Option<Block> {
        let Some(Decision { path, at, condition }) = self.decision(&body) else {
            self.versions += 1;
            let Stm::For { var, from, to, step, kind, .. } = self.whole else { return None };
            let (from, to, kind) = (from.clone(), to.clone(), kind.clone());
            let version = Stm::For { var: *var, from, to, step: *step, kind, body };
            return (self.versions <= MOST_VERSIONS).then(|| vec![version]);
        };
        let (mut yes, mut no) = (body.clone(), body);
        choose(&mut yes, &path, at, true);
        choose(&mut no, &path, at, false);
        let yes = self.versions(vars, yes)?;
        let no = self.versions(vars, no)?;
        // A variable is declared in one place.
        let no = vars.copy(&no);
        Some(vec![Stm::If(condition, yes, no)])
    }

    fn decision(&self, body: &[Stm]) -> Option<Decision> {
        let mut assigned = FxHashSet::default();
        each_stm(body, &mut |stm| {
            stm.each_set(&mut |v| {
                assigned.insert(v);
            });
        });
        let (mut fixed, mut path) = (FxHashMap::default(), Vec::new());
        self.find(body, &assigned, &mut fixed, &mut path)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only these forms are looked for; for others there is nothing to do"
    )]
    fn find(
        &self,
        block: &[Stm],
        assigned: &FxHashSet<V>,
        fixed: &mut FxHashMap<V, Exp>,
        path: &mut Vec<(usize, bool)>,
    ) -> Option<Decision> {
        for (at, stm) in block.iter().enumerate() {
            match stm {
                Stm::Declare(v, Some(e)) if !assigned.contains(v) => {
                    if let Some(e) = self.before(e, fixed) {
                        fixed.insert(*v, e);
                    }
                }
                Stm::If(condition, yes, no) => {
                    let is_long = count(yes) + count(no) >= FEWEST_STATEMENTS;
                    if let Some(condition) = self.before(condition, fixed).filter(|_| is_long) {
                        return Some(Decision { path: path.clone(), at, condition });
                    }
                    for (side, block) in [(true, yes), (false, no)] {
                        path.push((at, side));
                        let found = self.find(block, assigned, fixed, path);
                        path.pop();
                        if found.is_some() {
                            return found;
                        }
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// An expression as one that can be evaluated before the loop.
    fn before(&self, e: &Exp, fixed: &FxHashMap<V, Exp>) -> Option<Exp> {
        let mut fits = !e.any(&|e| !is_total(e));
        e.each_var(&mut |v| fits &= !self.inside.contains(&v) || fixed.contains_key(&v));
        if !fits {
            return None;
        }
        let expanded = substitute(e, &|v| fixed.get(&v).cloned());
        (expanded.size() <= MOST_SIZE).then_some(expanded)
    }
}

/// Replaces a branch by one of its sides.
fn choose(block: &mut Block, path: &[(usize, bool)], at: usize, holds: bool) {
    if let [(outer, side), rest @ ..] = path {
        if let Some(Stm::If(_, yes, no)) = block.get_mut(*outer) {
            choose(if *side { yes } else { no }, rest, at, holds);
        }
        return;
    }
    if let Some(Stm::If(_, yes, no)) = block.get_mut(at) {
        let side = std::mem::take(if holds { yes } else { no });
        block.splice(at..=at, side);
    }
}

/// Whether a block has no loops, and nothing that takes more than a few instructions.
fn is_straight(block: &[Stm]) -> bool {
    let mut straight = true;
    each_stm(block, &mut |stm| {
        straight &= matches!(
            stm,
            Stm::Comment(_)
                | Stm::Declare(..)
                | Stm::Assign(..)
                | Stm::Store(..)
                | Stm::Point(..)
                | Stm::Assert(..)
                | Stm::If(..)
        );
    });
    straight
}
