//! `delay`: updates wait until somebody needs what they make.
//!
//! What is read from an array that has just been updated at another place was there before. If the update comes later,
//! it is read from the array as it was, and what is computed of it does not depend on the update: operators that are
//! independent can be fused.
//!
//! ```text
//! d = map f xs bs                                      bs = index as [0];  cs = index as [1]
//! us = as with [0] = d                                 d = map f xs bs
//! cs = index us [1]                         ==>        e = map g ys cs
//! e = map g ys cs                                      us = as with [0] = d
//! vs = us with [1] = e                                 vs = us with [1] = e
//! ```
//!
//! Adjoints of rows are added up in this way (`differentiate`). Likewise, what is copied only because an update follows
//! is not copied if all that read the copy come before the update, and a row of equal numbers is not written if other
//! updates write all of it afterwards.
//!
//! An update waits in front of the first statement that needs its result, changes its value, or is not known to leave
//! arrays alone.

use fehu_base::IdVec;
use fehu_facts::{Share, consumed};
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Atom, Body, Dim, Exp, Family, Prog, Scalar, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// Looking for what was there before, at most so many updates are passed.
const MOST_PASSED: usize = 32;

/// Whoever cannot read what was there before makes updates come earlier, for which others may be too late then. After
/// so many rounds nothing waits.
const MOST_ROUNDS: usize = 8;

/// The pass.
pub const DELAY: Pass = Pass {
    name: "delay",
    about: "lets updates wait until somebody needs what they make",
    run: |prog, _: &mut Remarks| {
        prog.for_each_body(|prog, vars, body| {
            let share = Share::of(prog, body, vars);
            in_body(body, prog, vars, &share);
        });
    },
};

/// The bodies of functions, loops and branches.
fn in_body(body: &mut Body, prog: &Prog, vars: &IdVec<Var, VarInfo>, share: &Share) {
    for stm in &mut body.stms {
        if stm.exp.family() == Family::Control {
            stm.exp.map_bodies(&mut |body| in_body(body, prog, vars, share));
        }
    }
    if !body.stms.iter().any(|stm| update(stm).is_some()) {
        return;
    }
    let mut code = Code::of(body, prog, vars, share);
    let mut earlier = code.candidates();
    if let Some(plan) = code.plan(&mut earlier) {
        let is_overwritten = code.overwritten(&plan);
        apply(body, earlier, &plan, &is_overwritten);
    }
}

/// An update: its result, the array, the place and the value.
fn update(stm: &Stm) -> Option<(Var, Var, &[Dim], Atom)> {
    match (&stm.exp, &stm.pat[..]) {
        (Exp::Update(array, dims, value), [result]) => Some((*result, *array, dims, *value)),
        _ => None,
    }
}

/// The statements of a body, by numbers; what is needed at the end has the number after the last one.
struct Code<'a> {
    stms: &'a [Stm],
    vars: &'a IdVec<Var, VarInfo>,
    share: &'a Share,
    /// What each statement mentions.
    free: Vec<Vec<Var>>,
    defs: FxHashMap<Var, usize>,
    /// The update of each array.
    updated: FxHashMap<Var, usize>,
    /// For each array the last statement that uses it or a view of it.
    last: FxHashMap<Var, usize>,
    /// For each statement the next one in front of which all updates have to be done.
    stop: Vec<usize>,
    /// The updates of the arrays of each class, in order.
    changes: FxHashMap<usize, Vec<usize>>,
    /// The first statement that needs an array as an update leaves it.
    needed: FxHashMap<Var, usize>,
}

/// Something that can be read as it was before some updates.
struct Earlier {
    /// The statement, and what it is then.
    at: usize,
    exp: Exp,
    /// The last statement that reads what it makes.
    last: usize,
    /// The updates that have to come after that, the last one first.
    passed: Vec<usize>,
}

/// For each statement, the one in front of which it is executed: updates wait.
type Plan = Vec<usize>;

impl<'a> Code<'a> {
    fn of(
        body: &'a Body,
        prog: &Prog,
        vars: &'a IdVec<Var, VarInfo>,
        share: &'a Share,
    ) -> Code<'a> {
        let stms = &body.stms[..];
        let free: Vec<Vec<Var>> = stms.iter().map(|stm| free_in_stm(stm, vars)).collect();
        let mut code = Code {
            stms,
            vars,
            share,
            free,
            defs: FxHashMap::default(),
            updated: FxHashMap::default(),
            last: FxHashMap::default(),
            stop: vec![stms.len(); stms.len()],
            changes: FxHashMap::default(),
            needed: FxHashMap::default(),
        };
        for (at, stm) in stms.iter().enumerate() {
            code.defs.extend(stm.pat.iter().map(|var| (*var, at)));
            if let Some((_, array, ..)) = update(stm) {
                code.updated.insert(array, at);
                if let Some(class) = share.class(array) {
                    code.changes.entry(class).or_default().push(at);
                }
            }
        }
        code.last.extend(body.results.iter().filter_map(|atom| Some((atom.var()?, stms.len()))));
        let mut stop = stms.len();
        for (at, stm) in stms.iter().enumerate().rev() {
            code.stop[at] = stop;
            let is_tame = is_tame(stm, prog);
            if !is_tame {
                stop = at;
            }
            // The last use of what it makes, if that may be a view of what it uses. A copy may become the array itself.
            let is_copy = matches!(stm.exp, Exp::Copy(_));
            let last = match (is_tame, stm.exp.family()) {
                (false, _) => stms.len(),
                (true, family) if is_copy || matches!(family, Family::View | Family::Scalar) => {
                    let arrays = stm.pat.iter().filter(|var| vars[**var].ty.is_array());
                    arrays.filter_map(|var| code.last.get(var).copied()).max().unwrap_or(at)
                }
                (true, _) => at,
            };
            // It is not known yet when an update reads its value.
            let value = update(stm).and_then(|(.., value)| value.var());
            for var in &code.free[at] {
                let known = code.last.entry(*var).or_insert(at);
                *known = (*known).max(if value == Some(*var) { stms.len() } else { last });
            }
        }
        code
    }

    /// All that could be read as it was before, if the updates in between came later.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else only reads")]
    fn candidates(&self) -> Vec<Earlier> {
        let mut found = Vec::new();
        for (at, stm) in self.stms.iter().enumerate() {
            let [made] = stm.pat[..] else { continue };
            let candidate = match &stm.exp {
                Exp::Index(array, dims) => self.before(made, *array, dims),
                Exp::Copy(array) => self.uncopied(made, *array),
                _ => None,
            };
            if let Some((exp, passed)) = candidate {
                let last = self.last.get(&made).copied().filter(|_| self.is_array(made.into()));
                found.push(Earlier { at, exp, last: last.unwrap_or(at).max(at), passed });
            }
        }
        found
    }

    /// What is at a place of an array, before the updates of other places.
    fn before(&self, made: Var, array: Var, dims: &[Dim]) -> Option<(Exp, Vec<usize>)> {
        let (mut source, mut passed) = (array, Vec::new());
        while passed.len() < MOST_PASSED
            && let Some(at) = self.defs.get(&source)
            && let Some((_, older, places, value)) = update(&self.stms[*at])
        {
            if let Some(fill) = self.filled(made, places, value, dims) {
                passed.push(*at);
                return Some((fill, passed));
            }
            if !are_apart(places, dims) {
                break;
            }
            passed.push(*at);
            source = older;
        }
        (!passed.is_empty()).then(|| (Exp::Index(source, dims.to_vec()), passed))
    }

    /// What is read of a row of equal numbers that was written: its elements, or a part with the type of this variable.
    fn filled(&self, made: Var, places: &[Dim], value: Atom, dims: &[Dim]) -> Option<Exp> {
        let is_row = places.iter().all(|dim| matches!(dim, Dim::Fix(_)));
        let Exp::Replicate(_, number) = &self.stms[*self.defs.get(&value.var()?)?].exp else {
            return None;
        };
        if !is_row || !dims.starts_with(places) || self.is_array(*number) {
            return None;
        }
        match &self.vars[made].ty {
            Type::Scalar(_) => Some(Exp::Atom(*number)),
            Type::Array(_, shape) => Some(Exp::Replicate(shape.clone(), *number)),
            Type::Acc(_) => None,
        }
    }

    /// An array instead of its copy, which nobody changes, if what it is a view of is updated.
    fn uncopied(&self, copy: Var, array: Var) -> Option<(Exp, Vec<usize>)> {
        let mut source = array;
        while let Some(at) = self.defs.get(&source)
            && let Exp::Index(older, _) | Exp::Rearrange(older, _) | Exp::Reshape(older, _) =
                &self.stms[*at].exp
        {
            source = *older;
        }
        let update = *self.updated.get(&source)?;
        self.share.is_fixed(copy).then(|| (Exp::Atom(array.into()), vec![update]))
    }

    fn is_array(&self, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.vars[var].ty.is_array())
    }

    /// Where the updates wait, so that all that is read as it was before comes earlier. What does not is left out.
    fn plan(&mut self, earlier: &mut Vec<Earlier>) -> Option<Plan> {
        for _ in 0..MOST_ROUNDS {
            if earlier.is_empty() {
                return None;
            }
            let waiting: FxHashSet<usize> =
                earlier.iter().flat_map(|it| it.passed.iter().copied()).collect();
            self.look_for_needs(earlier);
            let plan = self.places(&waiting);
            let count = earlier.len();
            earlier.retain(|it| it.passed.iter().all(|update| plan[*update] > it.last));
            if earlier.len() == count {
                return Some(plan);
            }
        }
        None
    }

    /// Finds the first statements that need arrays as updates leave them.
    fn look_for_needs(&mut self, earlier: &[Earlier]) {
        self.needed.clear();
        let mut earlier = earlier.iter().peekable();
        for (at, stm) in self.stms.iter().enumerate() {
            let instead = earlier.next_if(|it| it.at == at);
            let mut need = |var: Var| {
                self.needed.entry(var).or_insert(at);
            };
            match (instead.map(|it| &it.exp), update(stm)) {
                (Some(Exp::Index(array, _) | Exp::Atom(Atom::Var(array))), _) => need(*array),
                (Some(_), _) => {}
                // Updates are in order anyway.
                (None, Some((_, array, _, value))) => {
                    let others = self.free[at].iter().filter(|var| **var != array);
                    others.copied().for_each(&mut need);
                    if value == array.into() {
                        need(array);
                    }
                }
                (None, None) => self.free[at].iter().copied().for_each(need),
            }
        }
    }

    /// Where all statements are, if these wait.
    fn places(&self, waiting: &FxHashSet<usize>) -> Plan {
        let mut plan: Plan = (0..self.stms.len()).collect();
        // What is needed by an update that waits is needed when that is done.
        let mut later: FxHashMap<Var, usize> = FxHashMap::default();
        for (at, stm) in self.stms.iter().enumerate().rev() {
            let Some((result, array, _, value)) = update(stm) else { continue };
            if waiting.contains(&at) {
                let next = self.needed.get(&result).copied();
                let mut until = next.unwrap_or(self.stms.len()).min(self.stop[at]);
                until = until.min(later.get(&result).copied().unwrap_or(until));
                if let Some(value) = value.var().filter(|_| self.is_array(value)) {
                    let class = self.share.class(value).and_then(|class| self.changes.get(&class));
                    let changes = class.map_or(&[][..], |changes| changes);
                    let change = changes.partition_point(|change| *change <= at);
                    until = until.min(changes.get(change).copied().unwrap_or(until));
                }
                plan[at] = until;
            }
            later.insert(array, plan[at]);
        }
        plan
    }

    /// The updates whose value others overwrite in full before anybody sees it: rows of constant numbers are written one by one.
    fn overwritten(&self, plan: &Plan) -> Vec<bool> {
        let mut found = vec![false; self.stms.len()];
        for (at, stm) in self.stms.iter().enumerate() {
            let Some((result, array, places, _)) = update(stm) else { continue };
            let size = self.vars[array].ty.shape().get(places.len());
            let Some(Atom::Const(Scalar::I64(size))) = size else { continue };
            if plan[at] == at || !places.iter().all(|dim| matches!(dim, Dim::Fix(_))) {
                continue;
            }
            let (mut newest, mut rows) = (result, FxHashSet::default());
            while !self.needed.contains_key(&newest)
                && self.last.get(&newest) != Some(&self.stms.len())
                && let Some(next) = self.updated.get(&newest)
                && let Some((result, _, dims, _)) = update(&self.stms[*next])
                && let Some(row) = self.row_of(array, places, dims)
            {
                rows.insert(row);
                newest = result;
                if rows.len() as i64 == *size {
                    found[at] = true;
                    break;
                }
            }
        }
        found
    }

    /// The number of the row at a place that is a whole row of what is at another place.
    fn row_of(&self, array: Var, places: &[Dim], dims: &[Dim]) -> Option<i64> {
        let [Dim::Fix(Atom::Const(Scalar::I64(row))), rest @ ..] = dims.strip_prefix(places)?
        else {
            return None;
        };
        let sizes = &self.vars[array].ty.shape()[places.len() + 1..];
        let is_whole = |(dim, size): (&Dim, &Atom)| matches!(dim, Dim::Slice { start, len, stride } if *start == Atom::i64(0) && len == size && *stride == Atom::i64(1));
        rest.iter().zip(sizes).all(is_whole).then_some(*row)
    }
}

/// Whether a statement changes no array, or is an update, and makes no array that is one of those that it uses, unless
/// it is a view.
fn is_tame(stm: &Stm, prog: &Prog) -> bool {
    match stm.exp.family() {
        Family::Scalar | Family::Asked | Family::View | Family::Fresh | Family::Check => true,
        Family::Operator => consumed(prog, stm).is_empty(),
        Family::Change => matches!(stm.exp, Exp::Update(..)),
        Family::Control | Family::Reference | Family::Fixed => false,
    }
}

/// Whether two places have nothing in common: one index is another number.
fn are_apart(a: &[Dim], b: &[Dim]) -> bool {
    a.iter().zip(b).any(|dims| match dims {
        (Dim::Fix(Atom::Const(a)), Dim::Fix(Atom::Const(b))) => a != b,
        (Dim::Fix(_) | Dim::Slice { .. }, Dim::Fix(_) | Dim::Slice { .. }) => false,
    })
}

fn apply(body: &mut Body, earlier: Vec<Earlier>, plan: &Plan, is_overwritten: &[bool]) {
    for it in earlier {
        body.stms[it.at].exp = it.exp;
    }
    let end = body.stms.len();
    let mut waiting: Vec<Vec<Stm>> = (0..=end).map(|_| Vec::new()).collect();
    // The arrays that are left as they were, by what the updates would have made of them.
    let mut same: FxHashMap<Var, Var> = FxHashMap::default();
    let mut out = Vec::with_capacity(end);
    for (at, mut stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
        if let (Exp::Update(array, ..), [result]) = (&mut stm.exp, &stm.pat[..]) {
            *array = same.get(array).copied().unwrap_or(*array);
            if is_overwritten[at] {
                same.insert(*result, *array);
                continue;
            }
        }
        // What waits for this one.
        out.append(&mut waiting[at]);
        waiting[plan[at]].push(stm);
        out.append(&mut waiting[at]);
    }
    out.append(&mut waiting[end]);
    body.stms = out;
}
