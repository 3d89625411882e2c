//! `irregular`, `grid_irregular`: nests whose inner operators have another width at each position are flattened.
//!
//! A map whose function contains operators of differing widths would be executed by one thread for each position, so
//! that one long row keeps all others waiting. The pass *lifts* the function over all positions at once: an operator
//! inside becomes a Seg with [rows](fehu_ir::Rows) that the threads of the machine share, however long each row is, and
//! the scalar code between operators becomes maps over all positions.
//!
//! ```text
//! ss = map (\i -> reduce (+) 0 (map f xs[start i : len i])) (iota n)
//! ==>
//! (total, longest) = the sum and the maximum of len i
//! if the rows are short and alike then ss = the map as it was
//! else ends = scan (+) 0 (map len (iota n))
//!      ss = seg grid [n] rows ends total \i _ m -> reduce (+) 0 (map f xs[start i : m])
//! ```
//!
//! Which values differ, and how, is told by their labels ([`fehu_facts::Labels`]): what is avoided is computed once; what is
//! regular has an array with an element for each position; what is irregular is a row of some array of the host, and is known by
//! where it starts. Regular operators inside are left to the passes that follow: flattening is theirs.
//!
//! - `space`: the spaces of positions, and where variables are to be found in them; `rows`: the rows of irregular arrays;
//! - `lift`: the statements of functions;
//! - `ops`: arrays without functions; `partition`: filters and partitions; `write`: scatters and histograms; `update`:
//!   updates in place;
//! - `control`: branches that differ between positions; `repeat`: loops; `finish`: those that end sooner at some
//!   positions than at others;
//! - `rounds`: loops of scalars that end sooner at some positions than at others;
//! - `version`: the map as it was, for rows that are short and alike; `block`: a warp or a block for each position.
//!
//! Where something cannot be lifted, the map stays as it was, and a remark says why.

mod block;
mod control;
mod finish;
mod lift;
mod ops;
mod partition;
mod repeat;
mod rounds;
mod rows;
mod space;
mod update;
mod version;
mod write;

use crate::distribute::only_outer;
use crate::flatmap::write_out;
use crate::hosted::hosted;
use crate::is_sequential;
use ecow::EcoString;
use fehu_base::{IdVec, bug};
use fehu_facts::{Effects, Labels, Regularity, Share, consumed_by};
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::subst::copy_stm;
use fehu_ir::{Atom, Body, Exp, FunId, Item, Lambda, Level, Loc, Prog, Stm, Var, VarInfo};
pub use rounds::GRID_ROUNDS;
use rustc_hash::{FxHashMap, FxHashSet};
use space::{Home, RowsOf, Space};

/// The pass for several threads of a CPU.
pub const IRREGULAR: Pass = Pass {
    name: "irregular",
    about: "flattens operators of differing widths inside maps, for the threads of a CPU",
    run: |prog, remarks| run(prog, remarks, Level::Task),
};

/// The pass for devices.
pub const GRID_IRREGULAR: Pass = Pass {
    name: "grid_irregular",
    about: "flattens operators of differing widths inside maps, for devices",
    run: |prog, remarks| run(prog, remarks, Level::Grid),
};

/// Why something is not lifted.
#[derive(Clone, Debug)]
pub(crate) struct Stays {
    why: &'static str,
    loc: Option<Loc>,
}

type Lifted<T> = Result<T, Stays>;

/// The state of the pass for one map.
pub(crate) struct Irregular<'a> {
    prog: &'a Prog,
    effects: &'a Effects,
    /// The functions that no Seg contains.
    hosted: &'a FxHashSet<FunId>,
    vars: &'a mut IdVec<Var, VarInfo>,
    /// Of the Segs.
    level: Level,
    labels: Labels,
    share: Share,
    /// The classes of memory that the map changes.
    changed: FxHashSet<usize>,
    spaces: Vec<Space>,
    homes: FxHashMap<(Var, usize), Home>,
    rows: FxHashMap<(Var, usize), RowsOf>,
    /// The products of sizes in a space.
    products: Vec<((Atom, Atom, usize), Var)>,
    /// The arrays of the host that are not the lifted operator's own.
    given: FxHashSet<Var>,
    /// The accumulators of the host, by their types. Each is one for all positions.
    accs: FxHashMap<Var, Var>,
    /// What they cost, with all that they need.
    weights: FxHashMap<Var, u32>,
    /// Checks that are not made yet, of this space: the next map over its positions makes them, too.
    unchecked: Option<(usize, Vec<Stm>)>,
    /// The statements of the host made so far.
    out: Vec<Stm>,
    /// Whether the statements are those of a loop.
    inside: bool,
    /// Whether there is a loop whose number of iterations differs, before any other irregular operator.
    differs: bool,
    /// The first irregular operator: how many of the statements there are before it, and what is known about its rows.
    first: Option<version::First>,
}

fn run(prog: &mut Prog, remarks: &mut Remarks, level: Level) {
    let effects = Effects::of(prog);
    let inside = crate::chunks::called_inside(prog);
    let hosted = match level {
        Level::Grid => hosted(prog),
        // Threads of a CPU call what they like.
        Level::Task | Level::Blocks | Level::Warps | Level::Block | Level::Thread => {
            FxHashSet::default()
        }
    };
    for item in prog.items() {
        if matches!(item, Item::Fun(id) if inside.contains(&id)) {
            continue;
        }
        let name = prog.known_name(item).clone();
        prog.change(item, |prog, vars, body| {
            let versions = 0;
            let (effects, hosted) = (&effects, &hosted);
            Host { prog, effects, hosted, vars, remarks, level, name, versions }.body(body);
        });
    }
}

/// The code outside of all operators.
struct Host<'a> {
    prog: &'a Prog,
    effects: &'a Effects,
    hosted: &'a FxHashSet<FunId>,
    vars: &'a mut IdVec<Var, VarInfo>,
    remarks: &'a mut Remarks,
    level: Level,
    /// The name of the function or entry point, after which parameters are named, and how many there are.
    name: EcoString,
    versions: usize,
}

impl Host<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others contain no host code")]
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            let one_thread = is_sequential(&stm) || only_outer(&stm);
            match &mut stm.exp {
                Exp::Screma(_) | Exp::Scatter(_) | Exp::Hist(_) | Exp::Partition(_)
                    if !one_thread =>
                {
                    body.stms.extend(self.operator(stm));
                    continue;
                }
                Exp::Flatmap(_) => {
                    body.stms.extend(self.flatmap(stm, one_thread));
                    continue;
                }
                Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::WithAcc(..) => {
                    stm.exp.map_bodies(&mut |body| self.body(body));
                }
                _ => {}
            }
            body.stms.push(stm);
        }
    }

    /// A flatmap, lifted, or written out if it cannot be.
    fn flatmap(&mut self, stm: Stm, one_thread: bool) -> Vec<Stm> {
        if !one_thread && let Some((_, Ok(stms))) = self.attempt(&stm) {
            return stms;
        }
        let mut maps = Body { stms: write_out(stm, self.effects, self.vars), results: Vec::new() };
        self.body(&mut maps);
        maps.stms
    }

    /// An operator, lifted if there is anything irregular in its function.
    fn operator(&mut self, stm: Stm) -> Vec<Stm> {
        match self.attempt(&stm) {
            Some((_, Ok(stms))) => stms,
            Some((loc, Err(stays))) => {
                self.not_lifted(&stays, loc.as_ref());
                vec![stm]
            }
            None => {
                self.note_accumulation(&stm);
                vec![stm]
            }
        }
    }

    /// The statements that an operator becomes, or why it stays, if there is anything irregular in its function, and where.
    fn attempt(&mut self, stm: &Stm) -> Option<(Option<Loc>, Lifted<Vec<Stm>>)> {
        let applied = Applied::of(&stm.exp)?;
        let labels = Labels::of_map(applied.map, self.vars);
        let found = irregular_in(&applied.map.body, &labels);
        if found.is_none() && !matches!(stm.exp, Exp::Flatmap(_)) {
            return None;
        }
        let loc = found.and_then(|stm| stm.loc.clone()).or(stm.loc.clone());
        let lifted = self.lifted(stm, &applied, labels);
        if lifted.is_ok() {
            let text = "flattened: the number of elements varies within the surrounding map, and threads share all of them";
            self.remark(RemarkKind::Done, loc.as_ref(), text);
        }
        Some((loc, lifted))
    }

    /// Says of an operator with nothing else that could be lifted why an accumulation inside is not.
    fn note_accumulation(&mut self, stm: &Stm) {
        let Some(applied) = Applied::of(&stm.exp) else { return };
        let labels = Labels::of_map(applied.map, self.vars);
        if let Some(inside) = accumulated(&applied.map.body, &labels) {
            let why = stays("it contributes to arrays that each position has of its own", inside);
            self.not_lifted(&why, stm.loc.as_ref());
        }
    }

    fn not_lifted(&mut self, stays: &Stays, loc: Option<&Loc>) {
        let text = format!(
            "executed by one thread for each position of the surrounding map, although the number of elements varies: {}",
            stays.why
        );
        self.remark(RemarkKind::Missed, stays.loc.as_ref().or(loc), &text);
    }

    fn lifted(&mut self, stm: &Stm, applied: &Applied<'_>, labels: Labels) -> Lifted<Vec<Stm>> {
        let whole = Body { stms: vec![stm.clone()], results: Vec::new() };
        let share = Share::of(self.prog, &whole, self.vars);
        let changed = consumed_by(self.prog, applied.map);
        let changed = changed.iter().filter_map(|var| share.class(*var)).collect();
        let mark = self.vars.len();
        let copy = copy_stm(stm, self.vars);
        let mut this = Irregular {
            prog: self.prog,
            effects: self.effects,
            hosted: self.hosted,
            vars: self.vars,
            level: self.level,
            labels,
            share,
            changed,
            spaces: Vec::new(),
            homes: FxHashMap::default(),
            rows: FxHashMap::default(),
            products: Vec::new(),
            given: FxHashSet::default(),
            accs: FxHashMap::default(),
            weights: FxHashMap::default(),
            unchecked: None,
            out: Vec::new(),
            inside: false,
            differs: false,
            first: None,
        };
        let arrays = match this.whole(stm, applied) {
            Ok(arrays) => arrays,
            Err(stays) => {
                self.vars.truncate(mark);
                return Err(stays);
            }
        };
        let number = self.versions;
        self.versions += 1;
        Ok(this.versions(stm, copy, arrays, &self.name, number))
    }

    fn remark(&mut self, kind: RemarkKind, loc: Option<&Loc>, text: &str) {
        let name = match self.level {
            Level::Grid => GRID_IRREGULAR.name,
            Level::Task | Level::Blocks | Level::Warps | Level::Block | Level::Thread => {
                IRREGULAR.name
            }
        };
        self.remarks.add(name, kind, loc, None, text);
    }
}

/// The function of an operator, what it is applied to, and how often.
struct Applied<'a> {
    width: Atom,
    inputs: &'a [Var],
    map: &'a Lambda,
}

impl Applied<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no function of elements")]
    fn of(exp: &Exp) -> Option<Applied<'_>> {
        let (width, inputs, map) = match exp {
            Exp::Screma(op) => (op.width, &op.inputs, &op.map),
            Exp::Scatter(op) => (op.width, &op.inputs, &op.map),
            Exp::Hist(op) => (op.width, &op.inputs, &op.map),
            Exp::Partition(op) => (op.width, &op.inputs, &op.map),
            Exp::Flatmap(op) => (op.width, &op.inputs, &op.map),
            _ => return None,
        };
        Some(Applied { width, inputs, map })
    }
}

/// The function that one thread may execute at each position.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest of others is not applied to positions"
)]
fn function(exp: &Exp) -> Option<&Lambda> {
    match exp {
        Exp::Screma(op) => Some(&op.map),
        Exp::Flatmap(op) => Some(&op.map),
        _ => None,
    }
}

/// Likewise, to be changed.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the rest of others is not applied to positions"
)]
fn function_mut(exp: &mut Exp) -> Option<&mut Lambda> {
    match exp {
        Exp::Screma(op) => Some(&mut op.map),
        Exp::Flatmap(op) => Some(&mut op.map),
        _ => None,
    }
}

/// The operator, with another function of other arrays.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others have no function of elements")]
fn apply(exp: &Exp, inputs: Vec<Var>, map: Lambda) -> Exp {
    let mut exp = exp.clone();
    match &mut exp {
        Exp::Screma(op) => (op.inputs, op.map) = (inputs, map),
        Exp::Scatter(op) => (op.inputs, op.map) = (inputs, map),
        Exp::Hist(op) => (op.inputs, op.map) = (inputs, map),
        Exp::Partition(op) => (op.inputs, op.map) = (inputs, map),
        _ => bug("an operator without a function of elements"),
    }
    exp
}

fn stays(why: &'static str, stm: &Stm) -> Stays {
    Stays { why, loc: stm.loc.clone() }
}

/// The first operator of a body, or of one inside, that is irregular.
fn irregular_in<'a>(body: &'a Body, labels: &Labels) -> Option<&'a Stm> {
    body.stms.iter().find_map(|stm| irregular(stm, labels))
}

/// Likewise, of a statement.
fn irregular<'a>(stm: &'a Stm, labels: &Labels) -> Option<&'a Stm> {
    if is_sequential(stm) {
        return None;
    }
    if stm.exp.operator().is_some() && labels.operator(&stm.exp) == Some(Regularity::Irregular) {
        return Some(stm);
    }
    let mut found = None;
    bodies(&stm.exp, &mut |body| found = found.or_else(|| irregular_in(body, labels)));
    found
}

/// The first accumulation of a body, or of one inside, that has an irregular operator in its function.
fn accumulated<'a>(body: &'a Body, labels: &Labels) -> Option<&'a Stm> {
    body.stms.iter().find_map(|stm| {
        if is_sequential(stm) {
            return None;
        }
        if let Exp::WithAcc(_, lambda) = &stm.exp {
            return irregular_in(&lambda.body, labels).map(|_| stm);
        }
        let mut found = None;
        bodies(&stm.exp, &mut |body| found = found.or_else(|| accumulated(body, labels)));
        found
    })
}

/// The bodies of an expression in which operators can be lifted: not those of operators on partial results.
#[expect(clippy::wildcard_enum_match_arm, reason = "nothing is lifted in the others")]
fn bodies<'a>(exp: &'a Exp, f: &mut dyn FnMut(&'a Body)) {
    match exp {
        Exp::Screma(op) => f(&op.map.body),
        Exp::Scatter(op) => f(&op.map.body),
        Exp::Hist(op) => f(&op.map.body),
        Exp::Partition(op) => f(&op.map.body),
        Exp::Flatmap(op) => f(&op.map.body),
        Exp::If(_, bodies) => bodies.iter().for_each(f),
        Exp::Switch(_, switch) => {
            switch.cases.iter().map(|(_, body)| body).chain([&switch.default]).for_each(f);
        }
        Exp::Loop(_, _, body) => f(body),
        _ => {}
    }
}
