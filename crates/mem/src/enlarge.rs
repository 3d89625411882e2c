//! `enlarge`: what an iteration allocates is as large as the largest iteration needs.
//!
//! An array whose size only an iteration knows is allocated anew in each, and nobody outside knows how much memory that will be: a
//! loop of the host asks for another block whenever the last one has become too small, lanes of vectors take as much as they like, and the
//! host has to guess what a thread of a kernel needs. If the size grows with the counter, its value in the last iteration is known
//! before the loop. The block then has that size from the beginning:
//!
//! ```text
//! loop for i < n {                             let most = max n 0
//!   let k = i + 1                      ==>     loop for i < n {
//!   let xs = replicate k x   -- block: k         let xs = replicate k x   -- block: most
//! }                                            }
//! ```
//!
//! The same holds for the positions of operators, and for loops and operators around each other. The allocation stays where it is: the
//! block of the last iteration is used again if nobody else has it, and only then.
//!
//! The peak must not be higher than before:
//!
//! * Nothing is assumed of what a branch allocates: the last iteration may not need it.
//! * What a loop of the host allocates with sizes that change must all be largest in the last iteration. Where something else
//!   shrinks meanwhile, each needs the memory that the other one has left.
//! * Operators keep what a position has allocated for the next one, so all have the largest sizes together anyway. There sizes may
//!   shrink as well.

use crate::arith;
use crate::table::{BlockId, Origin, Placed, Table};
use fehu_base::IdVec;
use fehu_facts::flow::{Client, Effort, Known, Level, walk};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::Ranges;
use fehu_ir::visit::{Visit, VisitMut, walk_body, walk_body_mut, walk_stm};
use fehu_ir::{Atom, BinOp, Body, Exp, Item, LoopForm, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many variables of a body are replaced in a size.
const MAX_VARS: usize = 8;

/// Enlarges the blocks of a program.
pub fn enlarge(placed: &mut Placed) {
    let Placed { prog, funs, consts, chosen: _ } = placed;
    for item in prog.items() {
        let (table, params) = match item {
            Item::Const(id) => (&mut consts[id], Vec::new()),
            Item::Fun(id) => {
                let params = prog.funs[id].params.iter().map(|param| param.var).collect();
                (&mut funs[id], params)
            }
        };
        let (body, vars) = (prog.body(item), prog.vars(item));
        let scopes = Scopes::of(table, body);
        if !scopes.any_unknown(table) {
            continue;
        }
        let mut sizes = Sizes { table, scopes: &scopes, found: Vec::new() };
        walk(vars, &params, body, &mut sizes, Effort::Less);
        let found = sizes.found;
        let known = Known::new(vars, &params);
        let mut new = Computed { known, vars: vars.clone(), all: Vec::new() };
        let chosen: Vec<(BlockId, Vec<Atom>)> = choose(&found, &scopes)
            .into_iter()
            .filter_map(|(found, crossed)| {
                let step = found.steps.get(crossed)?;
                let level = *found.levels.get(found.levels.len() - crossed)?;
                let before = scopes.levels[level].of?;
                let inner = &found.steps.first()?.sizes;
                let sizes = found.given.iter().zip(inner).zip(&step.sizes);
                let sizes = sizes.map(|((given, inner), (size, is_exact))| {
                    let is_known = given.var().is_none_or(|var| {
                        scopes.depth(var) <= found.levels.len() - crossed && inner.0 == *size
                    });
                    if is_known { Some(*given) } else { new.value(before, size, *is_exact) }
                });
                Some((found.block, sizes.collect::<Option<Vec<Atom>>>()?))
            })
            .collect();
        let Computed { all, vars: more, .. } = new;
        for (block, larger) in chosen {
            if let Origin::Fresh { size, .. } = &mut table.blocks[block].origin {
                *size = larger;
            }
        }
        prog.change(item, |_, vars, body| {
            *vars = more;
            Insert(all).body(body);
        });
    }
}

/// A body inside of another one.
struct Inside {
    /// The first variable of the statement that it belongs to.
    of: Option<Var>,
    kind: Kind,
    /// Whether it is part of an operator.
    in_operator: bool,
    /// Whether functions are called in it, which may allocate.
    calls: bool,
}

#[derive(Clone, PartialEq, Debug)]
enum Kind {
    /// Not always evaluated.
    Branch,
    /// The body of a loop that counts to a bound.
    Counts(Var, Atom),
    /// The function of a Seg, with the indices of its space and their bounds.
    Space(Vec<(Var, Atom)>),
    /// The body of another loop.
    Repeats,
    /// A function of another operator.
    Operator,
}

impl Kind {
    fn is_operator(&self) -> bool {
        matches!(self, Kind::Space(_) | Kind::Operator)
    }
}

/// Which bodies are inside of which.
struct Scopes {
    levels: Vec<Inside>,
    /// In how many bodies a variable is bound, but for the outermost one.
    depths: FxHashMap<Var, usize>,
    /// The blocks that are allocated before the statement that binds a variable, but for small ones.
    made: FxHashMap<Var, Vec<BlockId>>,
    /// The bodies around that statement, outermost first.
    bodies: FxHashMap<Var, Vec<usize>>,
    /// The bodies around what is looked at.
    stack: Vec<usize>,
    /// What the next body is part of.
    around: Option<(Option<Var>, Kind)>,
}

impl Scopes {
    fn of(table: &Table, body: &Body) -> Scopes {
        let mut made: FxHashMap<Var, Vec<BlockId>> = FxHashMap::default();
        for (id, block) in table.blocks.iter() {
            if let Origin::Fresh { before, .. } = &block.origin
                && table.local_size(id).is_none()
            {
                made.entry(*before).or_default().push(id);
            }
        }
        let (depths, bodies) = (FxHashMap::default(), FxHashMap::default());
        let (levels, stack) = (Vec::new(), Vec::new());
        let mut scopes = Scopes { levels, depths, made, bodies, stack, around: None };
        scopes.body(body);
        scopes
    }

    /// Whether the size of a block is not known before the outermost statement that it belongs to.
    fn any_unknown(&self, table: &Table) -> bool {
        self.made.values().flatten().any(|block| match &table.blocks[*block].origin {
            Origin::Fresh { size, .. } => {
                size.iter().any(|size| size.var().is_some_and(|var| self.depth(var) > 0))
            }
            Origin::Carried(_) | Origin::Unused => false,
        })
    }

    fn depth(&self, var: Var) -> usize {
        self.depths.get(&var).copied().unwrap_or(0)
    }
}

impl Visit for Scopes {
    fn bind(&mut self, var: &Var) {
        // What a statement binds is known already. The others are for the bodies of the statement.
        let depth = self.stack.len() + 1;
        self.depths.entry(*var).or_insert(depth);
    }

    fn body(&mut self, body: &Body) {
        let around = self.around.take();
        if let Some((of, kind)) = &around {
            let outer = self.stack.last().map(|level| self.levels[*level].in_operator);
            let in_operator = kind.is_operator() || outer == Some(true);
            self.stack.push(self.levels.len());
            self.levels.push(Inside { of: *of, kind: kind.clone(), in_operator, calls: false });
        }
        walk_body(self, body);
        if around.is_some() {
            self.stack.pop();
        }
        self.around = around;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others with bodies are operators")]
    fn stm(&mut self, stm: &Stm) {
        for var in &stm.pat {
            self.depths.insert(*var, self.stack.len());
            if self.made.contains_key(var) {
                self.bodies.insert(*var, self.stack.clone());
            }
        }
        let kind = match &stm.exp {
            Exp::If(..) | Exp::Switch(..) => Kind::Branch,
            Exp::Loop(_, LoopForm::For(var, bound), _) => Kind::Counts(*var, *bound),
            Exp::Loop(_, LoopForm::While(_), _) => Kind::Repeats,
            Exp::Seg(seg) => {
                let indices = seg.indices().iter().copied();
                Kind::Space(indices.zip(seg.space.iter().copied()).collect())
            }
            Exp::Call(..) => {
                self.stack.iter().for_each(|level| self.levels[*level].calls = true);
                Kind::Operator
            }
            _ => Kind::Operator,
        };
        let around = self.around.replace((stm.pat.first().copied(), kind));
        walk_stm(self, stm);
        self.around = around;
    }
}

/// A block, and its size as it is known outside of the bodies around it.
struct Found {
    block: BlockId,
    /// Its sizes.
    given: Vec<Atom>,
    /// The bodies around it, outermost first.
    levels: Vec<usize>,
    /// Its sizes where it is allocated, then outside of the innermost body, and so on.
    steps: Vec<Step>,
}

struct Step {
    /// With whether they are known not to wrap.
    sizes: Vec<(Poly, bool)>,
    /// Whether they differ from those inside, of which they are the largest.
    grown: bool,
}

/// Finds out how large blocks become.
struct Sizes<'a> {
    table: &'a Table,
    scopes: &'a Scopes,
    found: Vec<Found>,
}

impl Client for Sizes<'_> {
    fn in_memory(&self) -> bool {
        true
    }

    fn stm(&mut self, ranges: &mut Ranges<'_>, stm: &Stm, path: &[Level]) {
        for var in &stm.pat {
            for block in self.scopes.made.get(var).into_iter().flatten() {
                let Origin::Fresh { size, .. } = &self.table.blocks[*block].origin else {
                    continue;
                };
                let levels = self.scopes.bodies.get(var).cloned().unwrap_or_default();
                let steps = self.steps(ranges, size, &levels, path);
                self.found.push(Found { block: *block, given: size.clone(), levels, steps });
            }
        }
    }
}

impl Sizes<'_> {
    fn steps(
        &self,
        ranges: &mut Ranges<'_>,
        size: &[Atom],
        levels: &[usize],
        path: &[Level],
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let polys = size.iter().map(|size| size_of(ranges, *size));
        let Some(sizes) = polys.collect::<Option<Vec<(Poly, bool)>>>() else { return steps };
        steps.push(Step { sizes, grown: false });
        let mut is_certain = true;
        for (depth, level) in levels.iter().enumerate().rev() {
            let inside = &self.scopes.levels[*level];
            let counters = counters(ranges, &inside.kind, path.get(depth));
            let Some(last) = steps.last() else { break };
            let (mut sizes, mut grown) = (Vec::with_capacity(last.sizes.len()), false);
            for (size, is_exact) in &last.sizes {
                let mut size = size.clone();
                let is_inner = |var: &Var| self.scopes.depth(*var) > depth;
                for _ in 0..MAX_VARS {
                    let Some(var) = size.vars().into_iter().find(is_inner) else { break };
                    let counter = counters.iter().find(|counter| counter.var == var);
                    let next = match counter {
                        None => exact(ranges, var).and_then(|value| size.replace(var, &value)),
                        Some(counter) if is_certain => {
                            grown = true;
                            largest(ranges, &size, counter, inside.in_operator)
                        }
                        Some(_) => None,
                    };
                    let Some(next) = next else { return steps };
                    size = next;
                }
                if size.vars().iter().any(is_inner) {
                    return steps;
                }
                sizes.push((size, *is_exact));
            }
            is_certain &= inside.kind != Kind::Branch;
            steps.push(Step { sizes, grown });
        }
        steps
    }
}

/// A size, and whether it is known not to wrap. If it wraps in the last iteration, there is no memory for the ones before that, which
/// [`Computed::value`] sees to.
fn size_of(ranges: &mut Ranges<'_>, size: Atom) -> Option<(Poly, bool)> {
    let (poly, _) = ranges.settled(size)?;
    let unless = ranges.unless_wrapped(size)?;
    Some(if is_safe(&unless) && unless != poly { (unless, false) } else { (poly, true) })
}

/// No array has as many elements.
const LARGEST: i64 = 1 << 48;

/// Whether the polynomial grows with all variables, and does not wrap if none is larger than the number of elements of any array.
fn is_safe(poly: &Poly) -> bool {
    let is_small = |factor: i128| factor.unsigned_abs() < 1 << 10;
    let mut terms = poly.terms().iter();
    poly.is_linear()
        && terms.all(|(vars, factor)| is_small(*factor) && (*factor > 0 || vars.is_empty()))
}

/// A variable that goes from one number to another.
struct Counter {
    var: Var,
    least: Poly,
    most: Poly,
}

/// The variables of a body that count its iterations or positions.
fn counters(ranges: &mut Ranges<'_>, kind: &Kind, level: Option<&Level>) -> Vec<Counter> {
    let mut all = Vec::new();
    let mut add = |var: Var, first: Atom, step: i64, bound: Atom| {
        let (first, count) = (ranges.settled(first)?.0, ranges.settled(bound)?.0);
        let last = count.plus(-1)?.scale(step.into())?.add(&first)?;
        let (least, most) = if step >= 0 { (first, last) } else { (last, first) };
        all.push(Counter { var, least, most });
        Some(())
    };
    match (kind, level) {
        (Kind::Counts(var, bound), _) => _ = add(*var, Atom::i64(0), 1, *bound),
        (Kind::Space(indices), _) => {
            for (index, bound) in indices {
                add(*index, Atom::i64(0), 1, *bound);
            }
        }
        (Kind::Operator, Some(Level::Each { counters, bound, .. })) => {
            for counter in counters {
                add(counter.var, counter.first, counter.step, *bound);
            }
        }
        (Kind::Branch | Kind::Repeats | Kind::Operator, _) => {}
    }
    all
}

/// What a variable is in terms of others, such as a parameter of a loop that grows by a number in each iteration.
fn exact(ranges: &Ranges<'_>, var: Var) -> Option<Poly> {
    let bounds = ranges.bounds(&Poly::var(var));
    let is_most = |value: &Poly| bounds.iter().any(|(lower, bound, _)| !lower && bound == value);
    let mut least = bounds.iter().filter(|(lower, ..)| *lower).map(|(_, bound, _)| bound);
    least.find(|value| is_most(value)).cloned()
}

/// The largest value of a size, where it grows with a counter, or, if it may, shrinks. It is taken in the last iteration or at the first position,
/// if there is any; otherwise nothing is said about it.
fn largest(ranges: &Ranges<'_>, size: &Poly, counter: &Counter, may_shrink: bool) -> Option<Poly> {
    let (factor, rest) = size.split(counter.var)?;
    let at = if ranges.prove_nonneg(&factor).is_some() {
        &counter.most
    } else if may_shrink && ranges.prove_nonneg(&factor.neg()?).is_some() {
        &counter.least
    } else {
        return None;
    };
    factor.mul(at)?.add(&rest)
}

/// For each block that is enlarged, how many bodies are between it and where its size is computed.
fn choose<'a>(found: &'a [Found], scopes: &Scopes) -> Vec<(&'a Found, usize)> {
    // The loops of the host in which not everything can be enlarged.
    let mut left: FxHashSet<usize> = FxHashSet::default();
    let is_loop = |level: usize| {
        !scopes.levels[level].in_operator && matches!(scopes.levels[level].kind, Kind::Counts(..))
    };
    loop {
        let mut chosen = Vec::new();
        let before = left.len();
        for found in found {
            let count = found.levels.len();
            let level = |step: usize| found.levels[count - step];
            let mut reached = 0;
            while let Some(step) = found.steps.get(reached + 1) {
                let inside = level(reached + 1);
                let calls = scopes.levels[inside].calls && is_loop(inside);
                if step.grown && (calls || left.contains(&inside)) {
                    break;
                }
                reached += 1;
            }
            left.extend((reached + 1..=count).map(level).filter(|level| is_loop(*level)));
            // As far as anything is gained, and not between the operators of a Seg.
            let gains = |step: &usize| {
                let inside = &scopes.levels[level(*step)];
                found.steps[*step].grown || inside.in_operator
            };
            let goal = (1..=reached).rev().find(gains).unwrap_or(0);
            let in_seg = |step: usize| {
                step < count && matches!(scopes.levels[level(step + 1)].kind, Kind::Space(_))
            };
            let goal = (0..=goal).rev().find(|step| !in_seg(*step)).unwrap_or(0);
            if found.steps.iter().take(goal + 1).any(|step| step.grown) {
                chosen.push((found, goal));
            }
        }
        if left.len() == before {
            return chosen;
        }
    }
}

/// A size that is computed before the statement that binds a variable.
struct New {
    before: Var,
    size: Poly,
    is_exact: bool,
    stms: Vec<Stm>,
    value: Atom,
}

/// The sizes that are computed.
struct Computed<'a> {
    /// What is known at the beginning of the function.
    known: Known<'a>,
    vars: IdVec<Var, VarInfo>,
    all: Vec<New>,
}

impl Computed<'_> {
    /// The value of a size, which is zero where it would be negative, because there is no iteration.
    fn value(&mut self, before: Var, size: &Poly, is_exact: bool) -> Option<Atom> {
        let is_same =
            |new: &&New| new.before == before && new.size == *size && new.is_exact == is_exact;
        if let Some(new) = self.all.iter().find(is_same) {
            return Some(new.value);
        }
        let is_number = |var: &Var| self.vars[*var].ty == Type::I64;
        let fits = |(_, factor): &(_, i128)| i64::try_from(*factor).is_ok();
        if !is_exact && !is_safe(size)
            || !size.vars().iter().all(is_number)
            || !size.terms().iter().all(fits)
        {
            return None;
        }
        let mut stms = Vec::new();
        let vars = &mut self.vars;
        let mut operate = |op: BinOp, a: Atom, b: Atom| {
            let var = vars.push(VarInfo { hint: "most".into(), ty: Type::I64 });
            stms.push(Stm::new(vec![var], Exp::BinOp(op, a, b)));
            Atom::Var(var)
        };
        // Where they are larger than any array, so is the size.
        let ranges = self.known.ranges();
        let mut bounded = FxHashMap::default();
        if !is_exact {
            for var in size.vars() {
                let is_small =
                    || ranges.prove_nonneg(&Poly::constant(LARGEST.into()).sub(&Poly::var(var))?);
                if is_small().is_none() {
                    bounded.insert(var, operate(BinOp::Min, Atom::Var(var), Atom::i64(LARGEST)));
                }
            }
        }
        let mut value = arith::value_of(size, &mut |op, a, b| {
            let [a, b] = [a, b].map(|atom| match atom.var().and_then(|var| bounded.get(&var)) {
                Some(bounded) => *bounded,
                None => atom,
            });
            operate(op, a, b)
        });
        if ranges.prove_nonneg(size).is_none() {
            value = operate(BinOp::Max, value, Atom::i64(0));
        }
        self.all.push(New { before, size: size.clone(), is_exact, stms, value });
        Some(value)
    }
}

/// Adds the statements that compute sizes.
struct Insert(Vec<New>);

impl VisitMut for Insert {
    fn body(&mut self, body: &mut Body) {
        walk_body_mut(self, body);
        let mut stms = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            let first = stm.pat.first().copied();
            for new in self.0.iter_mut().filter(|new| Some(new.before) == first) {
                stms.append(&mut new.stms);
            }
            stms.push(stm);
        }
        body.stms = stms;
    }
}
