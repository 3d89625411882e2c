//! A kernel that scans and reduces is two kernels: the values that are reduced are known before the scan.
//!
//! On devices these are two kernels anyway, since a scan knows its prefixes only block by block. Written down as two
//! Segs, what follows the scan can be its epilogue also if it needs the reduced values: a pass of a radix sort counts
//! the digits, and scatters elements where the scan finds their ranks.
//!
//! A scan of several values whose operator combines each of them by itself is several scans, which may be of special kinds.

use fehu_base::IdVec;
use fehu_facts::cost::has_effects;
use fehu_ir::free::free_in_stm;
use fehu_ir::subst::copy_lambda;
use fehu_ir::{Atom, Body, Exp, Lambda, Level, Scan, Screma, Seg, Stm, Var, VarInfo};

/// Separates the reductions of a body's scans, and scans from each other.
pub(super) fn separate(body: &mut Body, vars: &mut IdVec<Var, VarInfo>) {
    for stm in &mut body.stms {
        if let Exp::Seg(seg) = &mut stm.exp
            && seg.level == Level::Grid
        {
            seg.body.body.stms.iter_mut().for_each(|stm| each_alone(stm, vars));
        }
    }
    for at in (0..body.stms.len()).rev() {
        if let Some([reduction, scan]) = separated(&body.stms[at], vars) {
            body.stms.splice(at..=at, [reduction, scan]);
        }
    }
}

fn separated(stm: &Stm, vars: &mut IdVec<Var, VarInfo>) -> Option<[Stm; 2]> {
    let Exp::Seg(seg) = &stm.exp else { return None };
    let parts = seg.parts().filter(|parts| parts.is_bare())?;
    let Exp::Screma(op) = &parts.op.exp else { return None };
    let is_alone = seg.level == Level::Grid && seg.space.is_empty() && seg.inputs.is_empty();
    let both = !op.scans.is_empty() && !op.reds.is_empty();
    let twice = !has_effects(&op.map.body);
    let results: Vec<Atom> = parts.op.pat.iter().map(|var| Atom::Var(*var)).collect();
    if !is_alone || !both || !twice || seg.body.body.results != results {
        return None;
    }
    let reduced = op.scanned()..op.folded();
    let mut part = |keeps: &dyn Fn(usize) -> bool, scans, reds| {
        let map = only(copy_lambda(&op.map, vars), keeps);
        let screma = Screma { map, scans, reds, width: op.width, inputs: op.inputs.clone() };
        let pat = kept(&stm.pat, keeps);
        let inner: Vec<Var> = pat.iter().map(|var| vars.push(vars[*var].clone())).collect();
        let ret = inner.iter().map(|var| vars[*var].ty.clone()).collect();
        let results = inner.iter().map(|var| Atom::Var(*var)).collect();
        let exp = Exp::Screma(Box::new(screma));
        let stms = vec![Stm { pat: inner, exp, ..parts.op.clone() }];
        let body = Lambda { params: Vec::new(), body: Body { stms, results }, ret };
        let seg = Seg { body, ..(**seg).clone() };
        Stm { pat, exp: Exp::Seg(Box::new(seg)), ..stm.clone() }
    };
    let reduction = part(&|at| reduced.contains(&at), Vec::new(), op.reds.clone());
    let scan = part(&|at| !reduced.contains(&at), op.scans.clone(), Vec::new());
    Some([reduction, scan])
}

fn kept<T: Clone>(all: &[T], keeps: &dyn Fn(usize) -> bool) -> Vec<T> {
    let kept = all.iter().enumerate().filter(|(at, _)| keeps(*at));
    kept.map(|(_, one)| one.clone()).collect()
}

/// A function with some of its results.
fn only(mut map: Lambda, keeps: &dyn Fn(usize) -> bool) -> Lambda {
    map.body.results = kept(&map.body.results, keeps);
    map.ret = kept(&map.ret, keeps);
    map
}

/// Makes scans of an operator's scan, if they have nothing to do with each other.
fn each_alone(stm: &mut Stm, vars: &mut IdVec<Var, VarInfo>) {
    let Exp::Screma(op) = &mut stm.exp else { return };
    let scans = std::mem::take(&mut op.scans);
    let divide = |scan: Scan| divided(&scan, vars).unwrap_or(vec![scan]);
    op.scans = scans.into_iter().flat_map(divide).collect();
}

/// The parts of a scan; none if its operator combines several values.
fn divided(scan: &Scan, vars: &mut IdVec<Var, VarInfo>) -> Option<Vec<Scan>> {
    let count = scan.neutral.len();
    (count > 1).then_some(())?;
    let mut parts = Vec::with_capacity(count);
    for at in 0..count {
        let mut op = only(copy_lambda(&scan.op, vars), &|other| other == at);
        // What the result depends on, from the end on.
        let mut needed: Vec<Var> = op.body.results.iter().filter_map(|atom| atom.var()).collect();
        let mut stms = Vec::new();
        for stm in std::mem::take(&mut op.body.stms).into_iter().rev() {
            if stm.pat.iter().any(|var| needed.contains(var)) {
                needed.extend(free_in_stm(&stm, vars));
                stms.push(stm);
            }
        }
        stms.reverse();
        op.body.stms = stms;
        let (own, others): (Vec<_>, Vec<_>) =
            op.params.iter().copied().enumerate().partition(|(number, _)| number % count == at);
        if others.iter().any(|(_, param)| needed.contains(param)) {
            return None;
        }
        op.params = own.into_iter().map(|(_, param)| param).collect();
        parts.push(Scan { op, neutral: vec![scan.neutral[at]] });
    }
    Some(parts)
}
