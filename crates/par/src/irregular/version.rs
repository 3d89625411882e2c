//! Versions: the map as it was, one thread for each position; a warp or a block of threads for each; or flattened.
//!
//! ```text
//! (total, longest) = the sum and the maximum of the widths
//! if enough rows, short and alike then map ...                one thread for each
//! else if they are a little longer then seg warps map ...     if there are several operators inside
//! else if longer still then seg blocks map ...
//! else flattened
//! ```
//!
//! What is known when the map begins are the widths of its first irregular operator. On CPUs the map suffices if there are enough
//! positions for all threads and no row is so long that its thread would be the last one by far. On devices, whose neighbouring
//! threads should read neighbouring elements, rows also have to be short, unless nothing is read along them. Where the rows end
//! is only found out for the last version.
//!
//! If the first irregular operator is in a loop that takes more iterations at some positions than at others, nothing is
//! known. Each iteration of the flattened loop then is several kernels, or tasks, for those positions that are left; if
//! there are enough positions, the map suffices.

use super::space::Around;
use super::{Home, Irregular, function_mut, irregular};
use crate::distribute::only_inner;
use crate::flatmap::write_out;
use ecow::{EcoString, eco_format};
use fehu_base::Prim;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::{Subst, subst_body, subst_type};
use fehu_ir::{Atom, BinOp, Body, CmpOp, Elem, Exp, Level, Red, Scalar, Screma, Stm, Type, Var};

/// No row may be longer than this part of what one thread of a CPU gets.
const PARTS: i64 = 4;
/// This many positions are enough for a device.
const ENOUGH: i64 = 1 << 15;
/// On devices, rows may be so many times as long as the mean.
const ALIKE: i64 = 4;
/// The mean length of rows up to which one thread of a device may read each, unless the user says something else: for
/// one operator, and for more. Each of them would be a kernel, and pass arrays to the next. On an H200, a softmax of
/// 16M elements takes 182 us in rows of 48 (by warps 295), and 269 in rows of 64 (by warps 217, flattened 394); the
/// sums of a sparse matrix with rows of 32 take 1110 (flattened 358).
const SHORT: [i64; 2] = [16, 56];
/// Likewise, if nothing is read along them.
const COMPUTED: i64 = 1 << 24;
/// This many positions are enough if their loops differ, unless the user says something else: an iteration of all of
/// them is several kernels, about 40 us on an H200. A tree walk of 3000 bodies, with a dozen of others in each row,
/// takes 44 ms if it is flattened; of 10^4, by one thread each, 1 ms.
const ENOUGH_LOOPS: i64 = 1 << 10;
/// Rows that warps or blocks execute may be so many times as long as the mean.
const ROUGHLY_ALIKE: i64 = 16;
/// The mean length of rows that differ too much for any version but the last.
const UNLIKE: i64 = 1 << 40;

/// Which threads execute a row together, and when.
struct Members {
    /// The name of the parameter.
    hint: &'static str,
    /// So many rows are enough for a device.
    enough: i64,
    /// For shorter rows, the threads would wait for each other more than they do.
    least: i64,
    /// Up to this mean length, unless the user says something else.
    most: i64,
}

/// Warps and blocks. On an H200, a softmax of 16M elements in rows of 32 takes 399 us flattened and 307 by warps; of
/// 128, 377 flattened and 149 by warps; of 1024, 110 by warps and 128 by blocks; of 2048, 130 by warps and 111 by
/// blocks; of 16384, 361 flattened and 197 by blocks.
const MEMBERS: [Members; 2] = [
    Members { hint: "suff_warp_rows", enough: 1 << 12, least: 32, most: 1500 },
    Members { hint: "suff_block_rows", enough: 1 << 10, least: 160, most: 1 << 14 },
];

/// The first irregular operator outside of loops.
pub(super) struct First {
    /// How many statements there are up to here.
    at: usize,
    /// How many positions its rows have together, and how many the longest has.
    total: Atom,
    pub(super) longest: Atom,
    /// The width of each.
    pub(super) width: Var,
    /// The space of the positions that have rows.
    space: usize,
    /// Whether its function gets elements of arrays that are in memory.
    reads: bool,
    /// How many irregular operators there are.
    operators: usize,
    /// Whether they are pieces that are copied, and nothing else.
    only_copied: bool,
    /// How many statements of the function come before it: the checks among them have been made at all positions.
    before: usize,
}

impl First {
    /// Whether all positions have rows. The longest row of those where a branch is taken is no bound for the others.
    pub(super) fn is_of_all(&self) -> bool {
        self.space == 0
    }
}

impl Irregular<'_> {
    /// Looks for the first irregular operator in a statement: if the width of its rows is known before the statement,
    /// they are noted before it.
    pub(super) fn look_ahead(&mut self, stm: &Stm, space: usize, before: usize) {
        let width = match irregular(stm, &self.labels).map(|stm| &stm.exp) {
            Some(Exp::Screma(op)) => op.width,
            Some(Exp::Hist(op)) => op.width,
            Some(Exp::Scatter(op)) => op.width,
            Some(Exp::Partition(op)) => op.width,
            _ => return,
        };
        if let Atom::Var(width) = width
            && self.homes.contains_key(&(width, space))
            && self.first.is_none()
        {
            self.note_first(space, width);
            if let Some(first) = &mut self.first
                && space == 0
            {
                first.before = before;
            }
        }
    }

    /// Notes the first irregular operator, by the width of its rows: finds out how many positions they have together,
    /// and how long the longest is. Returns the former, if they are these rows.
    pub(super) fn note_first(&mut self, space: usize, width: Var) -> Option<Atom> {
        if let Some(first) = &self.first {
            return Some(first.total).filter(|_| (first.space, first.width) == (space, width));
        }
        if self.inside {
            return None;
        }
        let mut reds = Vec::new();
        for op in [BinOp::Add, BinOp::Max] {
            let op = self.operator(op);
            reds.push(Red { op, neutral: vec![Atom::i64(0)], commutative: true });
        }
        let found = self.flat(&[], &[width, width], space, (Vec::new(), reds));
        for (var, hint) in found.iter().zip(["total", "longest"]) {
            self.vars[*var].hint = hint.into();
        }
        let (total, longest) = (Atom::Var(found[0]), Atom::Var(found[1]));
        let at = self.out.len();
        self.first = Some(First {
            at,
            total,
            longest,
            width,
            space,
            reads: false,
            operators: 0,
            only_copied: false,
            before: 0,
        });
        Some(total)
    }

    /// Notes an irregular operator, and whether it reads along its rows.
    pub(super) fn note_reads(&mut self, op: &Screma, space: usize) {
        let reads = op.inputs.iter().any(|input| self.reads_along(*input, space));
        if let Some(first) = &mut self.first {
            first.reads |= reads;
            first.operators += 1;
        }
    }

    /// Notes that rows are read, if nothing else was done with them.
    pub(super) fn note_copy(&mut self) {
        if let Some(first) = &mut self.first
            && first.operators == 0
        {
            first.reads = true;
            first.operators = 1;
            first.only_copied = true;
        }
    }

    /// Whether neighbouring positions of a row read neighbouring elements of an array that is in memory.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are in memory as they are")]
    fn reads_along(&mut self, input: Var, space: usize) -> bool {
        if self.labels.is_avoided(input.into()) {
            return true;
        }
        if matches!(self.vars[input].ty, Type::Acc(_)) || self.is_common(input, space) {
            return false;
        }
        match self.home(input, space) {
            Home::Repeated(stm) => match stm.exp {
                Exp::Iota(..) | Exp::Replicate(..) | Exp::Rearrange(..) => false,
                Exp::Index(array, _) | Exp::Reshape(array, _) => self.reads_along(array, space),
                _ => true,
            },
            Home::Stored(_) | Home::Row(..) | Home::Passed => true,
        }
    }

    /// Whether a variable is the same for all positions here that belong to one of the space around, so that neighbours
    /// read the same.
    fn is_common(&self, var: Var, space: usize) -> bool {
        let Some(Around::Rows(outer, _)) = self.spaces[space].around else { return false };
        if self.homes.contains_key(&(var, outer)) {
            return true;
        }
        match self.homes.get(&(var, space)) {
            Some(Home::Repeated(stm)) => free_in_stm(stm, self.vars)
                .iter()
                .all(|var| self.labels.is_avoided((*var).into()) || self.is_common(*var, space)),
            Some(Home::Stored(_) | Home::Row(..) | Home::Passed) | None => false,
        }
    }

    /// The statements that replace a map, of which there is a copy, and which has the results that these arrays are.
    pub(super) fn versions(
        mut self,
        lifted: &Stm,
        mut map: Stm,
        arrays: Vec<Atom>,
        name: &str,
        number: usize,
    ) -> Vec<Stm> {
        let (pat, certs) = (&lifted.pat, map.certs.clone());
        let differs = self.differs && self.first.is_none() && !only_inner(&map);
        let first = self.first.take().filter(|first| {
            !only_inner(&map) && !self.is_twice(&map, first) && !self.contributes(&map, first)
        });
        let at = first.as_ref().map_or(self.out.len(), |first| first.at);
        let flat = self.out.split_off(if differs { 0 } else { at });
        let mut versions: Vec<(Body, Atom, Body)> = Vec::new();
        let shares = match &first {
            Some(first) if self.level == Level::Grid => self.by_members(lifted, first),
            Some(_) | None => Vec::new(),
        };
        let bounded = match &first {
            Some(first) if self.level == Level::Grid => self.bound_rows(lifted, &mut map, first),
            Some(_) | None => false,
        };
        let parameter = |hint: &str| eco_format!("{name}.{hint}_{number}");
        if let Some(first) = &first {
            self.checked(&mut map, first.before + usize::from(bounded));
        }
        let results = map.pat.iter().map(|var| Atom::Var(*var)).collect();
        let loc = map.loc.clone();
        let stms = if matches!(map.exp, Exp::Flatmap(_)) {
            write_out(map, self.effects, self.vars)
        } else {
            vec![map]
        };
        let outer = Body { results, stms };
        if let Some(first) = &first {
            let (found, alike) =
                self.deciding(|this| this.alike(first, parameter("suff_outer_rows")));
            versions.push((found, alike, outer));
            for (members, shared) in MEMBERS.iter().zip(shares) {
                let (found, short) = self.deciding(|this| {
                    let limits = (members.enough, members.least, ROUGHLY_ALIKE);
                    let mean = this.mean_if_alike(first, limits);
                    this.is_short(mean, parameter(members.hint), members.most)
                });
                versions.push((found, short, shared));
            }
        } else if differs {
            let count = self.spaces[0].count;
            let (found, enough) = self.deciding(|this| {
                let least = Exp::Tuning(parameter("suff_outer_loops"), Atom::i64(ENOUGH_LOOPS));
                let least = this.number("least", least);
                this.truth("enough", Exp::CmpOp(CmpOp::Le, least, count))
            });
            versions.push((found, enough, outer));
        }
        let mut rest = Body { stms: with_certs(flat, &certs), results: arrays };
        let outermost = versions.len();
        for (k, (mut found, cond, version)) in versions.into_iter().rev().enumerate() {
            let all = if k + 1 == outermost { pat.clone() } else { self.likewise(pat) };
            let results = all.iter().map(|var| Atom::Var(*var)).collect();
            let exp = Exp::If(cond, Box::new([version, rest]));
            found.stms.push(Stm { loc: loc.clone(), ..Stm::new(all, exp) });
            rest = Body { stms: found.stms, results };
        }
        self.out.append(&mut rest.stms);
        if outermost == 0 {
            for (var, array) in pat.iter().zip(rest.results) {
                self.out.push(Stm::new(vec![*var], Exp::Atom(array)));
            }
        }
        with_certs(self.out, &certs)
    }

    /// Whether the version without flattening would compute everything twice, on a device: once to find out how large
    /// pieces are, in a scan that has few threads for it.
    fn is_twice(&self, map: &Stm, first: &First) -> bool {
        matches!(map.exp, Exp::Flatmap(_)) && self.level == Level::Grid && !first.only_copied
    }

    /// Whether what comes before the versions has contributed to an accumulator, to which the version without
    /// flattening would contribute once more.
    fn contributes(&self, map: &Stm, first: &First) -> bool {
        let mut accs = free_in_stm(map, self.vars);
        accs.retain(|var| matches!(self.vars[*var].ty, Type::Acc(_)));
        let before = self.out[..first.at].iter();
        before.flat_map(|stm| free_in_stm(stm, self.vars)).any(|var| accs.contains(&var))
    }

    /// New variables like those of a pattern, whose types may mention each other.
    fn likewise(&mut self, pat: &[Var]) -> Vec<Var> {
        let all: Vec<Var> = pat.iter().map(|var| self.vars.push(self.vars[*var].clone())).collect();
        let subst: Subst = pat.iter().copied().zip(all.iter().map(|var| Atom::Var(*var))).collect();
        for var in &all {
            let mut ty = self.vars[*var].ty.clone();
            subst_type(&mut ty, &subst);
            self.vars[*var].ty = ty;
        }
        all
    }

    /// Removes checks that have been made, among the first statements of an operator's function.
    fn checked(&mut self, map: &mut Stm, before: usize) {
        let Some(function) = function_mut(&mut map.exp) else { return };
        let body = &mut function.body;
        let mut passed = Subst::default();
        let mut number = 0;
        body.stms.retain(|stm| {
            number += 1;
            let made = number <= before && matches!(stm.exp, Exp::Assert(..));
            passed.extend(stm.pat.iter().filter(|_| made).map(|cert| (*cert, Scalar::Unit.into())));
            !made
        });
        subst_body(body, self.vars, &passed);
    }

    /// The statements that find out something, apart from all others.
    fn deciding(&mut self, find: impl FnOnce(&mut Self) -> Atom) -> (Body, Atom) {
        let before = std::mem::take(&mut self.out);
        let found = find(self);
        (Body { stms: std::mem::replace(&mut self.out, before), results: Vec::new() }, found)
    }

    /// The mean length of rows, if there are enough of them, it is at least so much, and none is so many times as long;
    /// otherwise more than any threshold is. So a threshold alone, with the largest value that it can have, can choose
    /// a version.
    fn mean_if_alike(&mut self, first: &First, (enough, least, times): (i64, i64, i64)) -> Atom {
        let count = self.spaces[first.space].count;
        let (total, longest) = (first.total, first.longest);
        let enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, Atom::i64(enough), count));
        let most = self.number("most", Exp::BinOp(BinOp::Mul, longest, count));
        let several = self.number("several", Exp::BinOp(BinOp::Mul, total, Atom::i64(times)));
        let alike = self.truth("alike", Exp::CmpOp(CmpOp::Le, most, several));
        let both = self.truth("alike", Exp::BinOp(BinOp::And, enough, alike));
        let some = self.number("some", Exp::BinOp(BinOp::Max, count, Atom::i64(1)));
        let mean = self.number("mean", Exp::BinOp(BinOp::Quot, total, some));
        let long = self.truth("long", Exp::CmpOp(CmpOp::Le, Atom::i64(least), mean));
        let both = self.truth("alike", Exp::BinOp(BinOp::And, both, long));
        let bodies = [mean, Atom::i64(UNLIKE)].map(|length| Body::of(vec![length]));
        self.number("mean", Exp::If(both, Box::new(bodies)))
    }

    /// Whether the mean length is at most a threshold.
    fn is_short(&mut self, mean: Atom, name: EcoString, default: i64) -> Atom {
        let short = self.number("short", Exp::Tuning(name, Atom::i64(default)));
        self.truth("short", Exp::CmpOp(CmpOp::Le, mean, short))
    }

    /// Whether one thread for each row suffices.
    fn alike(&mut self, first: &First, name: EcoString) -> Atom {
        let count = self.spaces[first.space].count;
        let (total, longest) = (first.total, first.longest);
        match self.level {
            Level::Task => {
                let threads = self.number("threads", Exp::Threads);
                let parts = self.number("parts", Exp::BinOp(BinOp::Mul, threads, Atom::i64(PARTS)));
                let enough = self.truth("enough", Exp::CmpOp(CmpOp::Le, parts, count));
                let most = self.number("most", Exp::BinOp(BinOp::Mul, longest, parts));
                let alike = self.truth("alike", Exp::CmpOp(CmpOp::Le, most, total));
                self.truth("alike", Exp::BinOp(BinOp::And, enough, alike))
            }
            Level::Grid | Level::Blocks | Level::Warps | Level::Block | Level::Thread => {
                let operators = first.operators.clamp(1, SHORT.len());
                let short = if first.reads { SHORT[operators - 1] } else { COMPUTED };
                let mean = self.mean_if_alike(first, (ENOUGH, 0, ALIKE));
                self.is_short(mean, name, short)
            }
        }
    }

    fn truth(&mut self, hint: &str, exp: Exp) -> Atom {
        self.bind(hint, Type::Scalar(Elem::Prim(Prim::Bool)), exp).into()
    }
}

/// Statements that also depend on these checks.
fn with_certs(mut stms: Vec<Stm>, certs: &[Var]) -> Vec<Stm> {
    for stm in &mut stms {
        stm.certs.extend(certs);
        stm.certs.sort_unstable();
        stm.certs.dedup();
    }
    stms
}
