//! `unscatter`: scatters to places that are known to be one after the other become updates of slices.
//!
//! ```text
//! is = iota n                                                  vs = map f xs
//! ys = scatter (map (\i x -> (i + k, f x)) is xs) dest ws ==>  ys = ws with [k :+ n] = vs
//! ```
//!
//! What is stored in a slice is made there (short-circuiting in `fehu-mem`), so that an array of values, or of rows, is
//! not copied, and nothing asks for each position whether it is in bounds.
//!
//! Conditions: in each destination one index grows by a constant, at least one, from position to position, and the
//! others are the same at all of them; so no place is written twice. Places that are a box of the destination become an
//! update of a view ([`boxes`]). All of them are proved to be within bounds, because a scatter ignores what is not. No
//! operator is around: its threads would store a slice alone that they can scatter together. And no input comes from a
//! scan: a scatter of what a scan finds is its epilogue, which stores each element as soon as it is final.

mod boxes;

use crate::checks::sum;
use boxes::Boxed;
use fehu_base::bug::bug;
use fehu_base::{IdVec, OrBug, Prim};
use fehu_facts::Ranges;
use fehu_facts::flow::{Client, Effort, Level, walk};
use fehu_facts::poly::Poly;
use fehu_facts::ranges::{Certs, join};
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::{Atom, Body, Dim, Exp, Family, Lambda, Scatter, Screma, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const UNSCATTER: Pass = Pass {
    name: "unscatter",
    about: "makes updates of slices of scatters to places that follow each other",
    run: |prog, remarks: &mut Remarks| {
        for item in prog.items() {
            let params = prog.params(item);
            prog.change(item, |_, vars, body| {
                // Few functions have any, and to find out what is known takes time.
                if !has_scatters(body) {
                    return;
                }
                let mut find = Find::default();
                walk(vars, &params, body, &mut find, Effort::Full);
                if !find.found.is_empty() {
                    rewrite(body, vars, &find.found, remarks);
                }
            });
        }
    },
};

/// Whether there are scatters outside of operators.
fn has_scatters(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut has = matches!(stm.exp, Exp::Scatter(_));
        if stm.exp.family() == Family::Control {
            stm.exp.for_each_body(&mut |body| has = has || has_scatters(body));
        }
        has
    })
}

/// Where a scatter writes, for each destination in turn, and which checks that rests on.
struct Places {
    dests: Vec<Vec<Place>>,
    certs: Certs,
}

/// An index: at position `i` it is `start + step * i`.
struct Place {
    start: Poly,
    step: i64,
}

#[derive(Default)]
struct Find {
    /// The arrays of positions.
    iotas: FxHashSet<Var>,
    /// The arrays that scans make.
    scanned: FxHashSet<Var>,
    /// By the first variable that the scatter binds.
    found: FxHashMap<Var, Found>,
}

/// Where a scatter writes.
enum Found {
    Slices(Places),
    Box(Box<Boxed>),
}

impl Client for Find {
    fn stm(&mut self, ranges: &mut Ranges<'_>, stm: &Stm, path: &[Level]) {
        let is_in_operator = path.iter().any(|level| match level {
            Level::Each { operator, .. } => *operator,
            Level::Repeated => true,
            Level::Branch | Level::Loop => false,
        });
        if is_in_operator {
            return;
        }
        if let (Exp::Iota(Prim::I64, _, start, step), [array]) = (&stm.exp, &stm.pat[..])
            && (*start, *step) == (Atom::i64(0), Atom::i64(1))
        {
            self.iotas.insert(*array);
        }
        if let Exp::Screma(op) = &stm.exp
            && !op.scans.is_empty()
        {
            self.scanned.extend(&stm.pat);
        }
        if let (Exp::Scatter(op), Some(first)) = (&stm.exp, stm.pat.first())
            && self.may_be_update(op)
        {
            let slices = self.places(ranges, op).map(Found::Slices);
            let found =
                slices.or_else(|| self.boxed(ranges, op).map(|found| Found::Box(Box::new(found))));
            self.found.extend(found.map(|found| (*first, found)));
        }
    }

    fn enters(&self, stm: &Stm) -> bool {
        stm.exp.family() == Family::Control
    }
}

impl Find {
    fn may_be_update(&self, op: &Scatter) -> bool {
        // A check goes nowhere else.
        let checks = op.map.body.stms.iter().any(|stm| stm.exp.family() == Family::Check);
        !checks && !op.inputs.iter().any(|input| self.scanned.contains(input))
    }

    fn boxed(&self, ranges: &mut Ranges<'_>, op: &Scatter) -> Option<Boxed> {
        let ([input], [position]) = (&op.inputs[..], &op.map.params[..]) else { return None };
        if !self.iotas.contains(input) {
            return None;
        }
        let mark = ranges.enter();
        ranges.bind(*position);
        let found = boxes::boxed(ranges, op, *position);
        ranges.leave(mark);
        found
    }

    fn places(&self, ranges: &mut Ranges<'_>, op: &Scatter) -> Option<Places> {
        let mark = ranges.enter();
        let indices = self.indices(ranges, op);
        ranges.leave(mark);
        let (indices, mut certs) = indices?;
        let (width, why) = ranges.poly(op.width)?;
        join(&mut certs, &why);
        let mut indices = indices.into_iter();
        let mut dests = Vec::with_capacity(op.dests.len());
        for (sizes, _) in &op.dests {
            let places: Vec<Place> = indices.by_ref().take(sizes.len()).collect();
            for (place, size) in places.iter().zip(sizes) {
                let (size, why) = ranges.settled(*size)?;
                join(&mut certs, &why);
                let way = width.plus(-1)?.scale(place.step.into())?;
                let after = size.plus(-1)?.sub(&place.start.add(&way)?)?;
                for poly in [&place.start, &after] {
                    join(&mut certs, &ranges.prove_nonneg(poly)?);
                }
            }
            if places.iter().filter(|place| place.step != 0).count() != 1 {
                return None;
            }
            dests.push(places);
        }
        Some(Places { dests, certs })
    }

    /// The indices, as far as they are found out in the function. Its variables are forgotten afterwards.
    fn indices(&self, ranges: &mut Ranges<'_>, op: &Scatter) -> Option<(Vec<Place>, Certs)> {
        let elements = op.inputs.iter().zip(&op.map.params);
        let mut positions =
            elements.filter(|(input, _)| self.iotas.contains(input)).map(|(_, element)| *element);
        let position = positions.next()?;
        let mut own: FxHashSet<Var> = op.map.params.iter().copied().collect();
        op.map.params.iter().for_each(|param| ranges.bind(*param));
        let (width, mut certs) = ranges.poly(op.width)?;
        ranges.between(position, Some(Poly::default()), width.plus(-1), &Certs::new());
        positions.for_each(|same| ranges.learn(same, &Exp::Atom(position.into())));
        for stm in &op.map.body.stms {
            own.extend(&stm.pat);
            stm.pat.iter().for_each(|var| ranges.bind(*var));
            if let ([var], Family::Scalar) = (&stm.pat[..], stm.exp.family()) {
                ranges.learn(*var, &stm.exp);
            }
        }
        let count = op.dests.iter().map(|(sizes, _)| sizes.len()).sum();
        let mut places = Vec::with_capacity(count);
        for index in op.map.body.results.iter().take(count) {
            let (poly, why) = ranges.settled(*index)?;
            join(&mut certs, &why);
            let (step, start) = match poly.mentions(position) {
                true => poly.split(position)?,
                false => (Poly::default(), poly),
            };
            let step = i64::try_from(step.as_constant()?).ok().filter(|step| *step >= 0)?;
            if start.vars().iter().any(|var| own.contains(var)) {
                return None;
            }
            places.push(Place { start, step });
        }
        Some((places, certs))
    }
}

fn rewrite(
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
    found: &FxHashMap<Var, Found>,
    remarks: &mut Remarks,
) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if stm.exp.family() == Family::Control {
            stm.exp.map_bodies(&mut |body| rewrite(body, vars, found, remarks));
        }
        let places = stm.pat.first().and_then(|first| found.get(first));
        match (stm.exp, places) {
            (Exp::Scatter(op), Some(places)) => {
                let text = match places {
                    Found::Slices(_) => "its places follow each other: an update of a slice",
                    Found::Box(_) => "its places are a box: an update of a view",
                };
                remarks.add("unscatter", RemarkKind::Done, stm.loc.as_ref(), None, text);
                stm.exp = Exp::Scatter(op);
                out.extend(match places {
                    Found::Slices(places) => updates(stm, vars, places),
                    Found::Box(places) => flat_update(stm, vars, places),
                });
            }
            (exp, _) => {
                stm.exp = exp;
                out.push(stm);
            }
        }
    }
    body.stms = out;
}

/// A scatter as a map of its values, and updates of the destinations.
fn updates(stm: Stm, vars: &mut IdVec<Var, VarInfo>, places: &Places) -> Vec<Stm> {
    let Stm { pat, mut certs, attrs, loc, exp: Exp::Scatter(op) } = stm else {
        bug("only scatters were looked for")
    };
    join_certs(&mut certs, &places.certs);
    let Scatter { width, inputs, map, dests } = *op;
    let mut b = Builder::new(vars);
    b.set_certs(certs.clone());
    b.set_loc(loc.clone());
    let Lambda { params, mut body, ret } = map;
    let indices: usize = dests.iter().map(|(sizes, _)| sizes.len()).sum();
    let values = body.results.split_off(indices);
    // Arrays of the values: inputs as they are, or results of a map.
    let (mut arrays, mut made) = (Vec::new(), Vec::new());
    body.results.clear();
    let mut types = Vec::new();
    for (value, ty) in values.into_iter().zip(&ret[indices..]) {
        let input = params.iter().position(|param| Atom::Var(*param) == value);
        arrays.push(input.map(|input| inputs[input]).unwrap_or_else(|| {
            let mut shape = vec![width];
            shape.extend_from_slice(ty.shape());
            let elem = ty.elem().or_bug("what is scattered are numbers or arrays");
            let array = b.param("vs", Type::array(elem, shape));
            body.results.push(value);
            types.push(ty.clone());
            made.push(array);
            array
        }));
    }
    if !made.is_empty() {
        let map = Lambda { params, body, ret: types };
        let (scans, reds) = (Vec::new(), Vec::new());
        let exp = Exp::Screma(Box::new(Screma { width, inputs, map, scans, reds }));
        b.push(Stm { pat: made, certs, attrs, loc, exp });
    }
    let dests = dests.into_iter().zip(arrays).zip(pat).zip(&places.dests);
    for ((((_, dest), array), result), places) in dests {
        let dims = places.iter().map(|place| {
            let start = sum(&mut b, &place.start);
            match place.step {
                0 => Dim::Fix(start),
                step => Dim::Slice { start, len: width, stride: Atom::i64(step) },
            }
        });
        let dims = dims.collect();
        b.stm(vec![result], Exp::Update(dest, dims, array.into()));
    }
    b.finish(Vec::new()).stms
}

/// A scatter of an array's elements as an update of a view.
fn flat_update(stm: Stm, vars: &mut IdVec<Var, VarInfo>, places: &Boxed) -> Vec<Stm> {
    let Stm { pat, mut certs, attrs: _, loc, exp: Exp::Scatter(op) } = stm else {
        bug("only scatters were looked for")
    };
    join_certs(&mut certs, &places.certs);
    let sizes = vars[places.array].ty.shape().to_vec();
    let mut b = Builder::new(vars);
    b.set_certs(certs);
    b.set_loc(loc);
    let start = sum(&mut b, &places.start);
    let strides: Vec<Atom> = places.strides.iter().map(|stride| sum(&mut b, stride)).collect();
    let dims = sizes.into_iter().zip(strides).collect();
    let dest = op.dests.first().map(|(_, dest)| *dest).or_bug("a scatter has destinations");
    b.stm(pat, Exp::FlatUpdate(dest, start, dims, places.array));
    b.finish(Vec::new()).stms
}

fn join_certs(certs: &mut Vec<Var>, more: &[Var]) {
    certs.extend(more);
    certs.sort_unstable();
    certs.dedup();
}
