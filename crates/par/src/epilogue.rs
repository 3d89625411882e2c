//! `epilogue`: what is done with the elements of a scan is done where they become final.
//!
//! ```text
//! ys = scan (+) 0 xs          seg { ys = scan (+) 0 xs           for i:  sum = sum + xs[i]
//! zs = map f ys us      ==>         zs = map f ys us }     ==>           zs[i] = f sum us[i]
//! ```
//!
//! This is the post-lambda of a scan: an operator of the same width that uses the scanned arrays only by reading the
//! elements at its own positions becomes the epilogue of the scan ([`fehu_ir::Seg`]). It never sees partial results: one
//! thread executes it in its only loop, several in the second round, and on devices once a block knows the prefix of its
//! tile. Arrays that nothing else needs are neither stored nor read again. The same goes for results of a scan over
//! several arrays that nothing reads: the scan needs all of its values, but not all of them may be needed afterwards.
//!
//! Statements between the two that do not depend on the scan are executed before both.
//!
//! It is known by now who executes a scan. Operators that combine elements themselves, that is, reductions and further
//! scans, can be the epilogue only where one thread visits all positions in order: several would have to know their
//! prefixes, which would be another scan. And where several threads execute the scan's own function twice, it must be
//! cheap.
//!
//! What follows a segmented reduction is its finish (`finish`).
//!
//! Not supported are epilogues that write where the scan reads; where several threads execute them, functions that
//! contain operators; scans of arrays; and scans with dimensions around them, or by the threads of one block.

use crate::finish::finish;
use crate::separate::separate;
use fehu_base::IdVec;
use fehu_facts::Share;
use fehu_facts::cost::{self, has_effects};
use fehu_ir::free::free_in_stm;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::subst::{Subst, subst_stm};
use fehu_ir::{
    Atom, Body, Exp, Lambda, Level, Prog, Screma, Seg, Stm, Type, Var, VarInfo, takes_elements,
};
use rustc_hash::FxHashMap;

/// The pass.
pub const EPILOGUE: Pass = Pass {
    name: "epilogue",
    about: "executes what follows a scan where its elements become final, and what follows a segmented reduction where its results are",
    run: |prog, _: &mut Remarks| run(prog),
};

/// The most statements of a scan's function in a kernel, which executes it once more only if it cannot keep what it yields.
const KERNEL: usize = 64;

/// How many statements may be between a scan and its epilogue.
const BETWEEN: usize = 24;

fn run(prog: &mut Prog) {
    prog.for_each_body(|_, vars, body| finish(body, vars, &mut Vec::new()));
    prog.for_each_body(|prog, vars, body| {
        if has_scans(body) {
            let share = Share::of(prog, body, vars);
            Epilogues { vars, share, level: None }.body(body);
        }
    });
}

fn has_scans(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(&stm.exp, Exp::Screma(op) if !op.scans.is_empty());
        stm.exp.for_each_body(&mut |body| found |= has_scans(body));
        found
    })
}

struct Epilogues<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    /// Which arrays may share memory, as it was before the pass; arrays have kept their names.
    share: Share,
    /// The innermost Seg around the present body.
    level: Option<Level>,
}

/// An operator with nothing around it, with or without a level.
struct Operator {
    level: Option<Level>,
    /// The operator with the names that it has inside of a Seg.
    op: Stm,
    /// Its Seg's inputs, and the names that these have inside.
    inputs: Vec<(Var, Var)>,
    /// What its statement binds, and the names of that inside.
    results: Vec<(Var, Var)>,
    /// The statement without its expression.
    outside: Stm,
}

impl Operator {
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has an epilogue or is one")]
    fn of(stm: &Stm, vars: &mut IdVec<Var, VarInfo>) -> Option<Operator> {
        let outside = Stm { exp: Exp::Threads, ..stm.clone() };
        match &stm.exp {
            Exp::Seg(seg) => {
                let parts = seg.parts().filter(|parts| parts.is_bare())?;
                let op = seg.space.is_empty().then(|| parts.op.clone())?;
                let inputs = seg.inputs.iter().copied().zip(seg.elements().iter().copied());
                let inner = seg.body.body.results.iter().filter_map(|atom| atom.var());
                let results = stm.pat.iter().copied().zip(inner).collect();
                let level = Some(seg.level);
                Some(Operator { level, op, inputs: inputs.collect(), results, outside })
            }
            Exp::Screma(_) | Exp::Scatter(_) => {
                let mut op = Stm::new(stm.pat.clone(), stm.exp.clone());
                for var in &mut op.pat {
                    *var = vars.push(vars[*var].clone());
                }
                let results = stm.pat.iter().copied().zip(op.pat.iter().copied()).collect();
                // What is written to has to be an input of the Seg.
                let mut inputs = Vec::new();
                if let Exp::Scatter(scatter) = &mut op.exp {
                    for (_, dest) in &mut scatter.dests {
                        let outer = *dest;
                        *dest = vars.push(vars[outer].clone());
                        inputs.push((outer, *dest));
                    }
                }
                Some(Operator { level: None, op, inputs, results, outside })
            }
            _ => None,
        }
    }
}

/// How many statements mention a variable; the results of the body count as one more.
pub(super) fn uses(body: &Body, vars: &IdVec<Var, VarInfo>) -> FxHashMap<Var, usize> {
    let mut uses: FxHashMap<Var, usize> = FxHashMap::default();
    let results = body.results.iter().filter_map(|atom| atom.var());
    let mentioned = body.stms.iter().flat_map(|stm| free_in_stm(stm, vars));
    for var in mentioned.chain(results) {
        *uses.entry(var).or_default() += 1;
    }
    uses
}

/// Whether functions of an operator contain Segs: then the operator is the host's, around kernels or tasks.
fn has_segs(exp: &Exp) -> bool {
    let mut found = false;
    exp.for_each_body(&mut |body| {
        let is_seg = |exp: &Exp| matches!(exp, Exp::Seg(seg) if seg.level != Level::Thread);
        found |= body.stms.iter().any(|stm| is_seg(&stm.exp) || has_segs(&stm.exp));
    });
    found
}

/// The operator of a statement, and its level, if nothing is around it.
#[expect(clippy::wildcard_enum_match_arm, reason = "likewise")]
fn bare(stm: &Stm) -> Option<(&Exp, Option<Level>)> {
    match &stm.exp {
        Exp::Seg(seg) if seg.space.is_empty() => {
            let parts = seg.parts().filter(|parts| parts.is_bare())?;
            Some((&parts.op.exp, Some(seg.level)))
        }
        Exp::Screma(_) | Exp::Scatter(_) => Some((&stm.exp, None)),
        _ => None,
    }
}

/// Whether an array is made that shares nothing with another one, by something that may as well be done earlier.
fn is_fresh(exp: &Exp) -> bool {
    let is_made = matches!(exp, Exp::Scratch(..) | Exp::Replicate(..) | Exp::Iota(..));
    is_made || matches!(exp, Exp::Copy(..) | Exp::Concat(..))
}

impl Epilogues<'_> {
    fn body(&mut self, body: &mut Body) {
        for stm in &mut body.stms {
            if let Exp::Seg(seg) = &mut stm.exp {
                let outer = self.level.replace(seg.level);
                // Its own operator has a level already.
                for stm in &mut seg.body.body.stms {
                    stm.exp.map_bodies(&mut |body| self.body(body));
                }
                self.level = outer;
            } else {
                stm.exp.map_bodies(&mut |body| self.body(body));
            }
        }
        if self.level.is_none() {
            separate(body, self.vars);
        }
        let leads = |stm: &Stm| {
            bare(stm).is_some_and(|(exp, _)| matches!(exp, Exp::Screma(op) if !op.scans.is_empty()))
        };
        if !body.stms.iter().any(leads) {
            return;
        }
        let uses = uses(body, self.vars);
        let mut at = 0;
        while at < body.stms.len() {
            let scan = &body.stms[at];
            if let (true, Some((Exp::Screma(op), level))) = (leads(scan), bare(scan))
                && self.can_lead(op, level)
                && (level.is_some() || !has_segs(&scan.exp))
            {
                at = self.scan(body, at, &uses);
            }
            at += 1;
        }
    }

    /// Whether a scan can have an epilogue.
    fn can_lead(&self, op: &Screma, level: Option<Level>) -> bool {
        let known = match level {
            Some(Level::Task) => cost::is_repeatable(&op.map.body),
            Some(Level::Grid) => cost::has_at_most(&op.map.body, KERNEL),
            Some(Level::Blocks | Level::Warps | Level::Block | Level::Thread) => false,
            // The threads of a block share what has no level.
            None => !self.level.is_some_and(Level::has_members),
        };
        let is_acc = |input: &Var| matches!(self.vars[*input].ty, Type::Acc(_));
        known && self.combines_scalars(op) && !op.inputs.iter().any(is_acc)
    }

    fn combines_scalars(&self, op: &Screma) -> bool {
        let ops = op.scans.iter().map(|scan| &scan.op).chain(op.reds.iter().map(|red| &red.op));
        ops.flat_map(|op| &op.params).all(|param| !self.vars[*param].ty.is_array())
    }

    /// Gives a scan an epilogue, if something follows it that can be that. Returns the number of the statement that the
    /// scan has then.
    fn scan(&mut self, body: &mut Body, at: usize, uses: &FxHashMap<Var, usize>) -> usize {
        let Some(scan) = Operator::of(&body.stms[at], self.vars) else { return at };
        let next = self.follower(body, at);
        let epilogue =
            next.and_then(|next| Some((next, self.epilogue(&body.stms[at..=next], &scan)?)));
        let Some((next, epilogue)) = epilogue else {
            let idle = |var: Var| !uses.contains_key(&var);
            let elided = scan.results.iter().any(|(var, _)| idle(*var) && self.is_elidable(*var));
            if elided && scan.level != Some(Level::Grid) {
                body.stms[at] = self.seg(scan, None, &idle);
            }
            return at;
        };
        let mentioned = free_in_stm(&body.stms[next], self.vars);
        let only_here = |var: Var| match uses.get(&var) {
            None => true,
            Some(1) => mentioned.contains(&var),
            Some(_) => false,
        };
        body.stms[next] = self.seg(scan, Some(epilogue), &only_here);
        body.stms.remove(at);
        next - 1
    }

    /// The first statement that mentions what a scan makes, if everything before it can be executed before the scan.
    fn follower(&self, body: &Body, at: usize) -> Option<usize> {
        let made = &body.stms[at].pat;
        for (next, stm) in body.stms.iter().enumerate().skip(at + 1).take(BETWEEN) {
            if free_in_stm(stm, self.vars).iter().any(|var| made.contains(var)) {
                return Some(next);
            }
            let is_moved = is_fresh(&stm.exp)
                || matches!(stm.exp, Exp::Assert(..))
                || cost::is_private(stm, self.vars);
            if !is_moved {
                return None;
            }
        }
        None
    }

    /// The operator of the last of some statements, if it can be the epilogue of the first, a scan.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else can be an epilogue")]
    fn epilogue(&mut self, stms: &[Stm], scan: &Operator) -> Option<Operator> {
        let [stm, between @ .., next] = stms else { return None };
        let (exp, level) = bare(next)?;
        (level == scan.level).then_some(())?;
        let map = match exp {
            Exp::Screma(op) => {
                let alone = level.is_none() && self.combines_scalars(op);
                let ops = op.scans.iter().map(|scan| &scan.op);
                let mut ops = ops.chain(op.reds.iter().map(|red| &red.op));
                let fits = op.folded() == 0 || alone;
                (fits && !ops.any(|op| has_effects(&op.body))).then_some(&op.map)?
            }
            Exp::Scatter(op) => {
                let read = free_in_stm(stm, self.vars);
                // What is made after the scan is nothing that it reads, also if it becomes that in a loop.
                let made = |dest: &Var| {
                    between.iter().any(|stm| is_fresh(&stm.exp) && stm.pat.contains(dest))
                };
                let is_read = |dest: Var| {
                    !made(&dest) && read.iter().any(|var| self.share.may_share(*var, dest))
                };
                let apart = !self.dests(next, op).into_iter().any(is_read);
                apart.then_some(&op.map)?
            }
            _ => return None,
        };
        let is_acc = |param: &Var| matches!(self.vars[*param].ty, Type::Acc(_));
        let scalars = map.ret.iter().all(|ty| matches!(ty, Type::Scalar(_)));
        let alone = match level {
            None => !has_segs(&next.exp),
            Some(_) => !cost::has_operators(&map.body),
        };
        (scalars && alone && !has_effects(&map.body) && !map.params.iter().any(is_acc))
            .then_some(())?;
        let mut epilogue = Operator::of(next, self.vars)?;
        // What the scan makes has other names inside of the Seg.
        let inside: Subst =
            scan.results.iter().map(|(outer, inner)| (*outer, Atom::Var(*inner))).collect();
        let mut names = inside.clone();
        epilogue.inputs.retain(|(input, param)| match inside.get(input) {
            Some(inner) => {
                names.insert(*param, *inner);
                false
            }
            None => true,
        });
        subst_stm(&mut epilogue.op, self.vars, &names);
        let made: Vec<Var> = scan.op.pat.clone();
        takes_elements(&epilogue.op, &made, self.vars).then_some(epilogue)
    }

    /// What a scatter writes to, by the names that it has outside of a Seg.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else has inputs of its own")]
    fn dests(&self, stm: &Stm, op: &fehu_ir::Scatter) -> Vec<Var> {
        let inputs = match &stm.exp {
            Exp::Seg(seg) => seg.elements().iter().zip(&seg.inputs).collect(),
            _ => Vec::new(),
        };
        let outside = |dest: Var| {
            inputs.iter().find(|(param, _)| **param == dest).map_or(dest, |(_, input)| **input)
        };
        op.dests.iter().map(|(_, dest)| outside(*dest)).collect()
    }

    /// Whether an array of a scan can be without memory.
    fn is_elidable(&self, var: Var) -> bool {
        self.vars[var].ty.is_array() && self.vars[var].ty.rank() == 1
    }

    /// A Seg of an operator and its epilogue, without the arrays of the operator that are not needed.
    fn seg(
        &mut self,
        scan: Operator,
        epilogue: Option<Operator>,
        is_unneeded: &dyn Fn(Var) -> bool,
    ) -> Stm {
        let needed = |(var, _): &(Var, Var)| !(self.is_elidable(*var) && is_unneeded(*var));
        let mut results: Vec<(Var, Var)> = scan.results.into_iter().filter(needed).collect();
        let Operator { level, op, mut inputs, outside: mut stm, .. } = scan;
        let mut stms = vec![op];
        if let Some(epilogue) = epilogue {
            results.extend(epilogue.results);
            inputs.extend(epilogue.inputs);
            stms.push(epilogue.op);
            stm.certs.extend(epilogue.outside.certs);
        }
        stm.certs.sort_unstable();
        stm.certs.dedup();
        let (pat, inner): (Vec<Var>, Vec<Var>) = results.into_iter().unzip();
        let ret = inner.iter().map(|var| self.vars[*var].ty.clone()).collect();
        let results = inner.into_iter().map(Atom::Var).collect();
        let (inputs, params): (Vec<Var>, Vec<Var>) = inputs.into_iter().unzip();
        let body = Lambda { params, body: Body { stms, results }, ret };
        let level = level.unwrap_or(Level::Thread);
        let exp = Exp::Seg(Box::new(Seg {
            level,
            space: Vec::new(),
            rows: None,
            inputs,
            body,
            tiling: None,
            lanes: false,
        }));
        Stm { pat, exp, ..stm }
    }
}
