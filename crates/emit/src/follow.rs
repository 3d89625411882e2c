//! Maps, scatters and reductions of the result of a scan, executed in the loop of the scan.
//!
//! ```text
//! ys = scan (+) 0 xs          for i:  sum = sum + xs[i]
//! zs = map f ys us      ==>           zs[i] = f sum us[i]
//! ```
//!
//! This applies to an operator of the same width that directly follows a scan, and that uses the scanned arrays only by
//! reading the elements at its own positions. It is executed where an element of the scan becomes final: in the only
//! loop if there is one thread, in the second round if there are several, and on devices once a block knows the prefix
//! of its tile. It never sees partial results. Arrays that nothing else needs are neither stored nor read again, and
//! get no memory if the block would have been their own. The same goes for results of a scan over several arrays that
//! nothing reads: the scan needs all of its values, but not all of them may be needed afterwards.
//!
//! This happens during code generation, not in the IR: every pass sees both statements, and the table shows how their
//! arrays are related. Statements between the two that do not depend on the scan are executed before both.
//!
//! Operators that combine elements themselves, that is, reductions and further scans, can follow a scan only where one
//! thread visits all positions in order. In parallel code each chunk would have to know its prefix, which would be
//! another scan.
//!
//! Not supported are operators that write where the scan reads; in parallel code, functions that contain operators or
//! update arrays; scans of arrays; scans by the threads of one block; and, in parallel code, scans whose own function
//! is not cheap, because it would be executed twice.

use super::Emit;
use super::combine::{Partial, Sofar};
use super::grid::{has_effects, is_bare};
use super::screma::NO_INDEX;
use super::strip_mine::is_short;
use super::tasks::{has_operators, is_cheap};
use fehu_imp::Exp;
use fehu_ir::{self as ir, Atom, Body, Lambda, Screma, Type, Var, free};
use fehu_mem::table::{BlockId, Origin};
use rustc_hash::FxHashMap;

/// How many statements may be between a scan and the operator that follows it.
const BETWEEN: usize = 24;

/// What follows a scan.
#[derive(Clone)]
pub(super) struct Follower<'a> {
    /// The map or scatter.
    stm: &'a ir::Stm,
    /// The current values of its own scans and reductions.
    scanned: Vec<Partial<'a>>,
    reduced: Vec<Partial<'a>>,
}

impl Follower<'_> {
    /// Whether it is a map of a few operations that cannot fail.
    pub(super) fn is_short(&self) -> bool {
        let map = parts(self.stm).map(|parts| parts.map);
        matches!(bare(self.stm), ir::Exp::Screma(_))
            && self.scanned.is_empty()
            && self.reduced.is_empty()
            && map.is_some_and(|map| is_short(&map.body))
    }
}

/// A scan with something special about it.
pub(super) struct Leader<'a> {
    /// Its number in the body, ...
    pub(super) at: usize,
    /// ... and that of the last statement that is executed with it.
    pub(super) last: usize,
    /// The arrays of its statement that are not stored.
    unneeded: Vec<Var>,
    /// What follows it.
    follower: Option<Follower<'a>>,
}

/// The parts of an operator that can follow.
struct Parts<'a> {
    width: Atom,
    inputs: &'a [Var],
    map: &'a Lambda,
}

/// The operator of a statement, if nothing is around it.
fn bare(stm: &ir::Stm) -> &ir::Exp {
    match &stm.exp {
        ir::Exp::Seg(seg) if is_bare(seg) => seg.op().map_or(&stm.exp, |(op, _)| &op.exp),
        exp => exp,
    }
}

/// What a Seg changes.
fn seg_inputs(stm: &ir::Stm) -> &[Var] {
    match &stm.exp {
        ir::Exp::Seg(seg) => &seg.inputs,
        _ => &[],
    }
}

fn parts(stm: &ir::Stm) -> Option<Parts<'_>> {
    match bare(stm) {
        ir::Exp::Screma(op) => Some(Parts { width: op.width, inputs: &op.inputs, map: &op.map }),
        ir::Exp::Scatter(op) => Some(Parts { width: op.width, inputs: &op.inputs, map: &op.map }),
        _ => None,
    }
}

/// The functions by which an operator combines elements.
fn operators(stm: &ir::Stm) -> impl Iterator<Item = &Lambda> {
    let op = match bare(stm) {
        ir::Exp::Screma(op) => Some(op),
        _ => None,
    };
    op.into_iter().flat_map(|op| {
        let scans = op.scans.iter().map(|scan| &scan.op);
        scans.chain(op.reds.iter().map(|red| &red.op))
    })
}

impl<'a> Emit<'a> {
    /// The scans of a body that are followed by operators, or of which not all arrays are needed.
    pub(super) fn leaders(&self, body: &'a Body) -> Vec<Leader<'a>> {
        let mut found: Vec<Leader<'a>> = Vec::new();
        let is_scan =
            |stm: &ir::Stm| matches!(bare(stm), ir::Exp::Screma(op) if !op.scans.is_empty());
        if !body.stms.iter().any(is_scan) {
            return found;
        }
        // How many statements mention a variable.
        let mut uses: FxHashMap<Var, usize> = FxHashMap::default();
        for stm in &body.stms {
            for var in free::free_in_stm(stm, self.ir) {
                *uses.entry(var).or_default() += 1;
            }
        }
        for var in body.results.iter().filter_map(|atom| atom.var()) {
            *uses.entry(var).or_default() += 1;
        }
        for (at, scan) in body.stms.iter().enumerate() {
            let ir::Exp::Screma(op) = bare(scan) else { continue };
            let follows = found.last().is_some_and(|other| other.last >= at);
            if follows || op.scans.is_empty() || !self.scan_can_lead(scan, op) {
                continue;
            }
            match self.follower(body, at, op, &uses) {
                Some(leader) => found.push(leader),
                None if self.is_beside_device() => {}
                None => {
                    let unneeded = self.idle(scan, &uses);
                    if !unneeded.is_empty() {
                        found.push(Leader { at, last: at, unneeded, follower: None });
                    }
                }
            }
        }
        found
    }

    /// The arrays of a statement that nothing mentions.
    fn idle(&self, stm: &ir::Stm, uses: &FxHashMap<Var, usize>) -> Vec<Var> {
        let is_idle = |var: &Var| self.ir[*var].ty.is_array() && !uses.contains_key(var);
        stm.pat.iter().copied().filter(is_idle).collect()
    }

    fn follower(
        &self,
        body: &'a Body,
        at: usize,
        op: &Screma,
        uses: &FxHashMap<Var, usize>,
    ) -> Option<Leader<'a>> {
        let scan = &body.stms[at];
        for (next, stm) in body.stms.iter().enumerate().skip(at + 1).take(BETWEEN) {
            let mentioned = free::free_in_stm(stm, self.ir);
            if mentioned.iter().any(|var| scan.pat.contains(var)) {
                let only_here = |var: &Var| uses.get(var) == Some(&1) && mentioned.contains(var);
                let mut unneeded = self.idle(scan, uses);
                unneeded.extend(
                    scan.pat.iter().filter(|var| self.ir[**var].ty.is_array() && only_here(var)),
                );
                let (scanned, reduced) = (Vec::new(), Vec::new());
                if !self.can_follow(scan, op, stm, &unneeded) {
                    return None;
                }
                let follower = Some(Follower { stm, scanned, reduced });
                return Some(Leader { at, last: next, unneeded, follower });
            }
            if !self.may_come_before(stm) {
                return None;
            }
        }
        None
    }

    /// Whether several threads execute an operator.
    fn is_wide(&self, stm: &ir::Stm) -> bool {
        let is_seg = matches!(stm.exp, ir::Exp::Seg(_));
        is_seg && self.runs.forks() || self.is_beside_device()
    }

    fn scan_can_lead(&self, stm: &ir::Stm, op: &Screma) -> bool {
        self.runs.block().is_none()
            && self.combines_scalars(op)
            && op.inputs.iter().all(|input| !matches!(self.ir[*input].ty, Type::Acc(_)))
            && (!self.is_wide(stm) || is_cheap(&op.map.body))
            // On a device, other scans are sequential.
            && (!self.is_beside_device() || matches!(stm.exp, ir::Exp::Seg(_)))
    }

    /// Whether a statement that does not mention the results of the scan may be executed before the scan.
    fn may_come_before(&self, stm: &ir::Stm) -> bool {
        matches!(stm.exp, ir::Exp::Scratch(..) | ir::Exp::Assert(..)) || self.is_cheap(stm)
    }

    fn can_follow(&self, scan: &ir::Stm, op: &Screma, stm: &ir::Stm, unneeded: &[Var]) -> bool {
        let Some(Parts { width, inputs, map }) = parts(stm) else { return false };
        let scalar = |var: &Var| matches!(self.ir[*var].ty, Type::Scalar(_));
        let elementwise = map.params.iter().zip(inputs).all(|(param, input)| {
            let acc = matches!(self.ir[*input].ty, Type::Acc(_));
            !acc && (!scan.pat.contains(input) || scalar(param))
        });
        let scalars = map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        let needs_all = |lambda: &Lambda| {
            free::free_in_lambda(lambda, self.ir).iter().any(|var| scan.pat.contains(var))
        };
        let other_use = needs_all(map)
            || operators(stm).any(needs_all)
            || seg_inputs(stm).iter().any(|input| scan.pat.contains(input))
            || matches!(bare(stm), ir::Exp::Scatter(op)
                if op.dests.iter().any(|(_, dest)| scan.pat.contains(dest)));
        let seg = |stm: &ir::Stm| matches!(stm.exp, ir::Exp::Seg(_));
        let alone = (!self.is_wide(stm) || !has_operators(&map.body)) && seg(stm) == seg(scan);
        width == op.width
            && elementwise
            && scalars
            && !other_use
            && alone
            && self.may_combine(stm)
            && !has_effects(&map.body)
            && !operators(stm).any(|op| has_effects(&op.body))
            && self.is_apart(scan, stm, unneeded)
    }

    /// Whether the values that an operator itself combines, if any, are combined by one thread, in order.
    fn may_combine(&self, stm: &ir::Stm) -> bool {
        match bare(stm) {
            ir::Exp::Screma(op) if op.folded() > 0 => {
                !self.is_wide(stm) && self.combines_scalars(op)
            }
            _ => true,
        }
    }

    /// Whether neither of the two writes what the other one reads, except for the scanned arrays that are passed on.
    fn is_apart(&self, scan: &ir::Stm, stm: &ir::Stm, unneeded: &[Var]) -> bool {
        let blocks = |vars: &[Var]| -> Vec<BlockId> {
            vars.iter().filter_map(|var| Some(self.place(*var)?.block)).collect()
        };
        let read = blocks(&free::free_in_stm(scan, self.ir));
        let made: Vec<Var> =
            scan.pat.iter().copied().filter(|var| !unneeded.contains(var)).collect();
        let made = blocks(&made);
        let mut others = free::free_in_stm(stm, self.ir);
        others.retain(|var| !scan.pat.contains(var));
        let mut written = blocks(&stm.pat);
        if let ir::Exp::Scatter(op) = bare(stm) {
            written.extend(blocks(&op.dests.iter().map(|(_, dest)| *dest).collect::<Vec<Var>>()));
        }
        let common = |a: &[BlockId], b: &[BlockId]| a.iter().any(|block| b.contains(block));
        !common(&written, &read) && !common(&written, &made) && !common(&made, &blocks(&others))
    }

    /// Emits a scan and the operators that follow it. The same statements may be emitted again elsewhere, where nothing
    /// follows; what was recorded about them is therefore forgotten at the end.
    pub(super) fn lead(&mut self, scan: &'a ir::Stm, leader: Leader<'a>) {
        let Leader { unneeded, follower, .. } = leader;
        if let Some(follower) = &follower {
            self.allocate_for(follower.stm);
        }
        let mut forgotten = Vec::new();
        for var in &unneeded {
            self.unneeded.insert(*var);
            forgotten.extend(self.forget_block(scan, *var));
        }
        match follower {
            Some(follower) => self.scan_and_follower(scan, follower),
            None => self.stm(scan),
        }
        for var in &unneeded {
            self.unneeded.remove(var);
        }
        for (var, block) in forgotten {
            self.allocations.entry(var).or_default().push(block);
        }
    }

    fn scan_and_follower(&mut self, scan: &'a ir::Stm, mut follower: Follower<'a>) {
        let Some(key) = scan.pat.first() else { return };
        let next = follower.stm;
        if let ir::Exp::Screma(op) = bare(next) {
            follower.scanned = self.start_scans(op);
            follower.reduced = self.start_reds(op);
        }
        let reduced = follower.reduced.clone();
        self.following.insert(*key, follower);
        self.stm(scan);
        self.following.remove(key);
        if let ir::Exp::Screma(op) = bare(next) {
            self.bind_reduced(&next.pat, op, &reduced);
        }
    }

    /// A block that would only hold an array that is not stored is not allocated.
    fn forget_block(&mut self, scan: &ir::Stm, var: Var) -> Option<(Var, BlockId)> {
        let block = self.place(var)?.block;
        // Its own name in a Seg.
        let inner = match &scan.exp {
            ir::Exp::Seg(seg) => seg.op().map_or(&[][..], |(op, _)| &op.pat),
            _ => &[],
        };
        let is_other = |(other, _): (Var, _)| {
            other != var
                && !inner.contains(&other)
                && self.place(other).is_some_and(|place| place.block == block)
        };
        let Origin::Fresh { before, .. } = self.table.blocks[block].origin else { return None };
        if before != var || self.ir.iter().any(is_other) {
            return None;
        }
        let blocks = self.allocations.get_mut(&var)?;
        blocks.retain(|other| *other != block);
        // Nor is it released.
        self.blocks.remove(&block);
        Some((var, block))
    }

    /// What follows the scan that binds these variables, if anything does.
    pub(super) fn following(&self, pat: &[Var]) -> Option<Follower<'a>> {
        self.following.get(pat.first()?).cloned()
    }

    /// Executes what follows a scan at a position, where these are the elements of the scan's arrays.
    pub(super) fn follow(&mut self, follower: &Follower<'a>, at: Exp, given: &[(Var, Exp)]) {
        let stm = follower.stm;
        let Some(Parts { inputs, map, .. }) = parts(stm) else { return };
        let index = self.table.index(&stm.pat, map).unwrap_or(NO_INDEX);
        self.scalars.insert(index, at);
        for (param, input) in map.params.iter().zip(inputs) {
            match given.iter().find(|(var, _)| var == input) {
                Some((_, value)) => self.bind(*param, value.clone()),
                None => self.element_param(*param, *input, index),
            }
        }
        self.body(&map.body);
        match bare(stm) {
            ir::Exp::Scatter(op) => self.scatter_parts(op, &map.body.results),
            ir::Exp::Screma(op) => {
                let results = &map.body.results;
                self.combine_all(
                    &stm.pat,
                    index,
                    op,
                    results,
                    &follower.scanned,
                    &follower.reduced,
                );
            }
            _ => {}
        }
    }

    /// The elements of scanned arrays.
    pub(super) fn scanned_elements(pat: &[Var], scanned: &[Partial<'a>]) -> Vec<(Var, Exp)> {
        let parts = pat.iter().zip(scanned.iter().flat_map(|scan| &scan.parts));
        parts
            .filter_map(|(var, part)| match part {
                Sofar::Scalar(v) => Some((*var, Exp::Var(*v))),
                Sofar::Array(_) | Sofar::Nothing => None,
            })
            .collect()
    }

    /// The elements of plain results, where the function has been executed.
    pub(super) fn plain_elements(&self, pat: &[Var], op: &Screma) -> Vec<(Var, Exp)> {
        let results = op.map.body.results.iter().zip(pat).skip(op.folded());
        results
            .filter(|(result, _)| self.prim(**result).is_some())
            .map(|(result, var)| (*var, self.atom(*result)))
            .collect()
    }

    /// Whether what follows a scan reads plain results of its statement.
    pub(super) fn follows_plain(follower: &Follower<'a>, pat: &[Var], op: &Screma) -> bool {
        let plain = &pat[op.folded()..];
        parts(follower.stm)
            .is_some_and(|parts| parts.inputs.iter().any(|input| plain.contains(input)))
    }
}
