//! `unaccumulate`: accumulations become maps, sums and histograms.
//!
//! ```text
//! withacc acc [m] (zeros) op (+) in \acc ->
//!   map (\i acc -> map (\j acc -> update_acc acc [j] (a[i, j] * g[i])) (iota m)) (iota n)
//! ==>
//! map (\j -> sum (map (\i -> a[i, j] * g[i]) (iota n))) (iota m)
//! ```
//!
//! Accumulators are what reverse mode makes of reads by many positions (`differentiate`). They are right everywhere,
//! and slow: every contribution is an atomic addition, in no order that a cache likes. As sums, they are the same code
//! as users write, and get the same tiles, lanes and layouts.
//!
//! For each contribution, the function of the accumulation is seen as a nest of *levels*: the maps around the
//! contribution. Its value at a position of all levels is scalar code ([`pull`]). The indices decide:
//!
//! * They are positions of different levels: a map over these levels, in the order of the dimensions, of the sum over
//!   all other levels ([`mod@nest`]). Of a matrix product's derivative, this makes matrix products.
//! * One is the position of a level, moved by something that does not vary, or only with other indices (`a[i - 1]`,
//!   `a[(i - c[j]) % n, j]`): likewise, with zero where there is no such position ([`moves`]).
//! * One is chosen by a condition, of two such positions (`rotate`): likewise, as two contributions ([`turn`]).
//! * Some do not vary at all: likewise, for a slice of the array.
//! * Others: a histogram over the levels that they depend on. Those at the end that are positions of levels are rows, and what no
//!   index depends on is summed before. Rows whose elements all get the same are histograms of numbers ([`broadcast`]).
//!
//! An array that begins with zeros and is added to another one afterwards begins with that one ([`mod@start`]).
//!
//! A sum of products over further levels is not kept where factors can be taken out of it ([`factor`]).
//!
//! What the function yields besides accumulators stays where it is ([`strip`]), together with what the new code reads
//! of it. Conditions: the operator adds numbers, all indices are given, and contributions are in maps and branches
//! only. Sums are regrouped.

mod broadcast;
mod factor;
mod moves;
mod nest;
mod pull;
mod scope;
mod start;
mod strip;
mod turn;

use self::broadcast::{added_to_rows, zeros_of_rows};
use self::factor::{Factor, factored};
use self::moves::{Move, evaluate};
use self::nest::{Along, Code, nest, scalar_of};
use self::pull::{Kept, Known, Level, Pull};
use self::scope::{Kind, Scopes, Update};
use self::start::{Start, starts};
use self::strip::Strip;
use self::turn::alternatives;
use crate::differentiate::num::{add, add_lambda, whole, zero};
use fehu_base::{IdVec, OrBug, Prim};
use fehu_facts::Effects;
use fehu_facts::operators::is_sum_after;
use fehu_ir::builder::Builder;
use fehu_ir::pass::{Pass, RemarkKind, Remarks};
use fehu_ir::visit::{Visit, VisitMut, walk_body_mut, walk_stm};
use fehu_ir::{
    AccInput, Atom, BinOp, Body, CmpOp, Dim, Elem, Exp, Hist, HistOp, Lambda, Scalar, Stm, Type,
    Var, VarInfo,
};

/// The pass.
pub const UNACCUMULATE: Pass = Pass {
    name: "unaccumulate",
    about: "turns accumulations into maps, sums and histograms",
    run: |prog, remarks| {
        let effects = Effects::of(prog);
        prog.for_each_body(|_, vars, body| {
            let mut known = Arrays(Known::default());
            known.body(body);
            Accumulations { vars, effects: &effects, known: known.0, remarks }.body(body);
        });
    },
};

struct Accumulations<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    effects: &'a Effects,
    known: Known,
    remarks: &'a mut Remarks,
}

impl VisitMut for Accumulations<'_> {
    fn body(&mut self, body: &mut Body) {
        // Those inside of others first: what they become, others look through.
        walk_body_mut(self, body);
        let starts = starts(body, &self.known, self.vars);
        let mut out = Vec::with_capacity(body.stms.len());
        let mut done = Vec::new();
        for (at, stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
            if !matches!(stm.exp, Exp::WithAcc(..)) {
                if !done.contains(&at) {
                    out.push(stm);
                }
                continue;
            }
            let loc = stm.loc.clone();
            let starts = starts.get(&at).map_or(&[][..], |starts| starts);
            let (kind, text) = match self.accumulation(&stm, starts) {
                Some(stms) => {
                    out.extend(stms);
                    done.extend(starts.iter().map(|start| start.at));
                    (RemarkKind::Done, "the accumulation is sums and histograms")
                }
                None => {
                    out.push(stm);
                    (
                        RemarkKind::Missed,
                        "the accumulation stays: contributions are made one by one",
                    )
                }
            };
            self.remarks.add(UNACCUMULATE.name, kind, loc.as_ref(), None, text);
        }
        body.stms = out;
    }
}

/// What becomes of one contribution.
struct Part {
    /// What the dimensions of the array are indexed by.
    dims: Vec<Index>,
    levels: Vec<Level>,
    code: Code,
    /// The code of indices that are computed, in the order of the dimensions.
    indices: Vec<Code>,
    /// What is summed before, and read by the code.
    factor: Option<Factor>,
}

/// An index of a contribution.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Index {
    /// The position of a level, by its number, which has as many as the dimension.
    Level(usize),
    /// The same for all contributions.
    Fixed(Atom),
    /// Computed.
    Data,
}

impl Accumulations<'_> {
    /// The statements that stand for an accumulation, if there are any; and for the additions that it starts with.
    fn accumulation(&mut self, stm: &Stm, starts: &[Start]) -> Option<Vec<Stm>> {
        let Exp::WithAcc(inputs, lambda) = &stm.exp else { return None };
        let scopes = Scopes::of(lambda, self.vars);
        let certs = &lambda.params[..inputs.len()];
        let fits = |(input, cert): (&AccInput, &Var)| {
            !scopes.blocked.contains(cert) && is_sum_of_numbers(input, self.vars)
        };
        if !inputs.iter().zip(certs).all(fits) {
            return None;
        }
        let none = Vec::new();
        let updates = |cert: &Var| scopes.updates.get(cert).unwrap_or(&none);
        let count: usize = certs.iter().map(|cert| updates(cert).len()).sum();
        let shared = count > 1 || lambda.body.results.len() > inputs.len();
        let mut kept = Kept::default();
        let mut all = Vec::with_capacity(inputs.len());
        for (input, cert) in inputs.iter().zip(certs) {
            let mut parts = Vec::new();
            for update in updates(cert) {
                match self.turned(input, update, &scopes, &mut kept) {
                    Some(both) => parts.extend(both),
                    None => parts.push(self.part(input, update, &scopes, &mut kept, shared)?),
                }
            }
            all.push(parts);
        }

        let mut body = lambda.body.clone();
        Strip { vars: self.vars, effects: self.effects, gone: certs, kept: &kept }.body(&mut body);
        for inner in &mut body.stms {
            inner.certs.extend(stm.certs.iter().copied());
        }
        let mut b = Builder::new(self.vars);
        b.set_loc(stm.loc.clone());
        b.set_certs(stm.certs.clone());
        body.stms.into_iter().for_each(|stm| b.push(stm));
        let (arrays, others) = stm.pat.split_at(inputs.len());
        for (number, (input, parts)) in inputs.iter().zip(all).enumerate() {
            let start = starts.iter().find(|start| start.input == number);
            let first = start.and_then(|start| body.results[start.other].var());
            let first = first.unwrap_or(input.arrays[0]);
            let array = self::total(&mut b, self.effects, &self.known, first, parts);
            let var = start.map_or(arrays[number], |start| start.sum);
            b.stm(vec![var], Exp::Atom(array.into()));
        }
        for (number, (var, result)) in others.iter().zip(body.results).enumerate() {
            if starts.iter().all(|start| start.other != number) {
                b.stm(vec![*var], Exp::Atom(result));
            }
        }
        Some(b.finish(Vec::new()).stms)
    }

    /// A contribution with an index that is chosen as two, if both are moved by something that does not vary.
    fn turned(
        &mut self,
        input: &AccInput,
        update: &Update,
        scopes: &Scopes<'_>,
        kept: &mut Kept,
    ) -> Option<[Part; 2]> {
        let [yes, no] = alternatives(update, scopes)?;
        let mut both = kept.clone();
        let yes = self.part(input, &yes, scopes, &mut both, true)?;
        let no = self.part(input, &no, scopes, &mut both, true)?;
        let is_moved = |part: &Part| part.dims.iter().all(|dim| matches!(dim, Index::Level(_)));
        if !is_moved(&yes) || !is_moved(&no) {
            return None;
        }
        *kept = both;
        Some([yes, no])
    }

    /// The code of a contribution, if it can be evaluated by itself.
    fn part(
        &mut self,
        input: &AccInput,
        update: &Update,
        scopes: &Scopes<'_>,
        kept: &mut Kept,
        shared: bool,
    ) -> Option<Part> {
        let (mut levels, mut branches) = (Vec::new(), Vec::new());
        for id in scopes.chain(update.scope) {
            match scopes.scopes[id].kind {
                Kind::Map(width) => {
                    // What differs from position to position is not a level.
                    if width.var().is_some_and(|var| scopes.defs.contains_key(&var)) {
                        return None;
                    }
                    let info = VarInfo { hint: "i".into(), ty: Type::I64 };
                    let position = self.vars.push(info);
                    levels.push(Level { position, width, at: position });
                }
                Kind::Branch(cond, taken) => branches.push((cond, taken)),
            }
        }
        branches.extend_from_slice(&update.branches);
        let place: Vec<Atom> = levels.iter().map(|level| level.at.into()).collect();
        let (mut dims, mut moves) = (Vec::new(), Vec::new());
        let fresh = self.known.zeros.contains(&input.arrays[0]);
        for (index, size) in update.indices.iter().zip(&input.shape) {
            let pull = Pull::new(scopes, &self.known, kept, self.vars, &levels, shared);
            let number = |atom: Atom| place.iter().position(|at| *at == atom);
            // A few contributions to a large array must not take as long as the array does.
            let is_all = |number: usize| levels[number].width == *size;
            let moves_here = |number: usize| fresh || is_all(number);
            let (found, steps) = match (pull.plain(*index, &place), pull.moved(*index, &place)) {
                (Some(atom), _) => match number(atom) {
                    None => (Index::Fixed(atom), None),
                    Some(number) if is_all(number) => (Index::Level(number), None),
                    Some(number) if fresh => (Index::Level(number), Some(Vec::new())),
                    Some(_) => (Index::Data, None),
                },
                (None, Some((at, steps))) => match number(at) {
                    Some(number) if moves_here(number) => (Index::Level(number), Some(steps)),
                    Some(_) | None => (Index::Data, None),
                },
                (None, None) => (Index::Data, None),
            };
            let mut found = found;
            if let (Index::Level(number), Some(steps)) = (found, steps) {
                let one = Move { dim: dims.len(), size: *size, number, steps };
                if !one.fits(&levels) || dims.contains(&found) {
                    found = Index::Data;
                } else {
                    moves.push(one);
                }
            }
            let again = matches!(found, Index::Level(_)) && dims.contains(&found);
            dims.push(if again { Index::Data } else { found });
        }
        // What is moved by something that is not known here is an index like any other, and so are all if one is.
        let mut pull = Pull::new(scopes, &self.known, kept, self.vars, &levels, false);
        let fits = !dims.contains(&Index::Data) && evaluate(&mut moves, &dims, &levels, &mut pull);
        let by = (pull.reads, pull.stms);
        // It is computed at all indices, and outside of conditions.
        let is_all = |one: &Move| levels[one.number].width == one.size;
        let is_total =
            |stm: &Stm| stm.certs.is_empty() && self.effects.speculable(&stm.exp, self.vars);
        let as_often = branches.is_empty() && moves.iter().all(is_all);
        if !(fits && (as_often || by.1.iter().all(is_total))) {
            for one in moves.drain(..) {
                dims[one.dim] = Index::Data;
            }
        }

        if moves.is_empty() && branches.is_empty() {
            let space = (&levels[..], &dims[..]);
            let part = factored(scopes, &self.known, kept, self.vars, space, update.value);
            if part.is_some() {
                return part;
            }
        }
        let Some(Elem::Prim(prim)) = self.vars[input.arrays[0]].ty.elem() else { return None };
        let zero = Scalar::zero(prim);
        let (reads, stms) = if moves.is_empty() { Default::default() } else { by };
        let known = &self.known;
        let mut make = |vars: &mut IdVec<Var, VarInfo>,
                        levels: &[Level],
                        conds: &[(Atom, bool)],
                        stms: Vec<Stm>| {
            let places: Vec<Atom> = levels.iter().map(|level| level.at.into()).collect();
            let guards = [conds, &branches].concat();
            let mut pull = Pull::new(scopes, known, kept, vars, levels, shared);
            pull.stms = stms;
            let value = pull.guarded(&guards, &[update.value], &[zero], &places)?[0];
            Some(Code { reads: pull.reads, stms: pull.stms, value })
        };
        let (moved, mut code) = moves::moved(&moves, &levels, self.vars, zero, &mut make)?;
        code.reads.extend(reads);
        code.stms.splice(0..0, stms);
        let mut indices = Vec::new();
        if dims.contains(&Index::Data) {
            for index in &update.indices {
                let mut pull = Pull::new(scopes, &self.known, kept, self.vars, &levels, false);
                // Indices out of bounds are ignored.
                let value = pull.guarded(&branches, &[*index], &[Scalar::I64(-1)], &place)?[0];
                let code = Code { reads: pull.reads, stms: pull.stms, value };
                // It would be evaluated even if there are no positions.
                if !code.stms.is_empty() && code.levels(&levels, self.vars).is_empty() {
                    return None;
                }
                indices.push(code);
            }
        }
        Some(Part { dims, levels: moved, code, indices, factor: None })
    }
}

/// The array with all contributions.
fn total(
    b: &mut Builder<'_>,
    effects: &Effects,
    known: &Known,
    array: Var,
    parts: Vec<Part>,
) -> Var {
    let is_whole = |part: &Part| part.dims.iter().all(|dim| matches!(dim, Index::Level(_)));
    let (whole, others): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(is_whole);
    let mut sum = (!known.zeros.contains(&array) || whole.is_empty()).then_some(Atom::Var(array));
    for part in whole {
        let values = part.sum(b, effects);
        sum = Some(match sum {
            None => values,
            Some(sum) => add(b, sum, values),
        });
    }
    let sum = sum.and_then(Atom::var).or_bug("array of an accumulation");
    others.into_iter().fold(sum, |sum, part| match part.indices.is_empty() {
        true => part.slice(b, effects, sum),
        false => part.histogram(b, effects, sum, known.zeros.contains(&array)),
    })
}

impl Part {
    /// The numbers of the levels that dimensions are indexed by, in the order of the dimensions.
    fn used(&self) -> Vec<usize> {
        let level = |dim: &Index| match dim {
            Index::Level(number) => Some(*number),
            Index::Fixed(_) | Index::Data => None,
        };
        self.dims.iter().filter_map(level).collect()
    }

    /// The contributions for each position of the first levels, summed over the others that nothing was summed over before.
    fn values(
        levels: &[Level],
        (first, done): (&[usize], &[usize]),
        code: Code,
        b: &mut Builder<'_>,
        effects: &Effects,
    ) -> Atom {
        let is_left = |number: &usize| !first.contains(number) && !done.contains(number);
        let others = (0..levels.len()).filter(is_left);
        let maps = first.iter().map(|number| (levels[*number], Along::Map));
        let all: Vec<(Level, Along)> =
            maps.chain(others.map(|number| (levels[number], Along::Sum))).collect();
        nest(b, effects, code, &all)
    }

    fn sum(self, b: &mut Builder<'_>, effects: &Effects) -> Atom {
        let (used, mut code) = (self.used(), self.code);
        let done = match self.factor {
            Some(factor) => factor.sum(b, effects, &self.levels, &mut code.reads),
            None => Vec::new(),
        };
        Part::values(&self.levels, (&used, &done), code, b, effects)
    }

    /// Adds the contributions to a slice of the array.
    fn slice(self, b: &mut Builder<'_>, effects: &Effects, array: Var) -> Var {
        let ty = b.ty(array).clone();
        let mut cond: Option<Atom> = None;
        let mut dims = Vec::new();
        for (dim, size) in self.dims.iter().zip(ty.shape()) {
            match dim {
                Index::Fixed(index) => {
                    let above = b.exp("c", Exp::CmpOp(CmpOp::Le, 0.into(), *index));
                    let below = b.exp("c", Exp::CmpOp(CmpOp::Lt, *index, *size));
                    let both = b.exp("c", Exp::BinOp(BinOp::And, above.into(), below.into()));
                    cond = Some(match cond {
                        None => both.into(),
                        Some(cond) => b.exp("c", Exp::BinOp(BinOp::And, cond, both.into())).into(),
                    });
                    dims.push(Dim::Fix(*index));
                }
                Index::Level(_) | Index::Data => dims.push(whole(*size)),
            }
        }
        let values = self.sum(b, effects);
        let yes = b.body(|b| {
            let old = b.exp("old", Exp::Index(array, dims.clone()));
            let new = add(b, old.into(), values);
            vec![b.exp("new", Exp::Update(array, dims, new)).into()]
        });
        let no = Body::of(vec![array.into()]);
        let cond = cond.or_bug("index that does not vary");
        b.typed("new", ty, Exp::If(cond, Box::new([yes, no])))
    }

    /// A histogram of the contributions. Where all elements of a row get the same, it is one of numbers, and rows are
    /// added afterwards; but not to an array that was there before, and may be much larger than what contributes. The
    /// number is then computed for rows without elements, too.
    fn histogram(self, b: &mut Builder<'_>, effects: &Effects, array: Var, is_new: bool) -> Var {
        let mentioned: Vec<Vec<usize>> =
            self.indices.iter().map(|code| code.levels(&self.levels, b.vars())).collect();
        // Rows: dimensions at the end that are positions of levels that other indices do not depend on.
        let mut rows = Vec::new();
        let mut indexed = self.dims.len();
        while let Some((Index::Level(number), _)) = self.dims[..indexed].split_last() {
            if mentioned[..indexed - 1].iter().any(|levels| levels.contains(number)) {
                break;
            }
            rows.insert(0, *number);
            indexed -= 1;
        }
        let varies = self.code.levels(&self.levels, b.vars());
        let is_total = |stm: &Stm| stm.certs.is_empty() && effects.speculable(&stm.exp, b.vars());
        let may_be_once = is_new && self.code.stms.iter().all(is_total);
        let is_same = |number: &&usize| may_be_once && !varies.contains(number);
        let same = rows.iter().rev().take_while(is_same).count();
        let same: Vec<usize> = rows.split_off(rows.len() - same);
        let (dest, ty) = match same.is_empty() {
            true => (array, b.ty(array).clone()),
            false => zeros_of_rows(b, array, same.len()),
        };
        let over: Vec<usize> = (0..self.levels.len())
            .filter(|number| mentioned[..indexed].iter().any(|levels| levels.contains(number)))
            .collect();
        let mut width = over.first().map_or(1.into(), |number| self.levels[*number].width);
        for number in over.iter().skip(1) {
            width = b.exp("w", Exp::BinOp(BinOp::Mul, width, self.levels[*number].width)).into();
        }
        let flat = |b: &mut Builder<'_>, value: Atom, rest: &[Atom]| -> Var {
            let mut shape = vec![width];
            shape.extend_from_slice(rest);
            match (over.len(), value) {
                (0, value) => b.exp("one", Exp::Replicate(vec![1.into()], value)),
                (1, Atom::Var(array)) => array,
                (_, Atom::Var(array)) => b.exp("flat", Exp::Reshape(array, shape)),
                (_, Atom::Const(_)) => fehu_base::bug("an array is a constant"),
            }
        };
        let mut inputs = Vec::new();
        for code in self.indices.into_iter().take(indexed) {
            let levels: Vec<(Level, Along)> =
                over.iter().map(|number| (self.levels[*number], Along::Map)).collect();
            let value = nest(b, effects, code, &levels);
            inputs.push(flat(b, value, &[]));
        }
        let all: Vec<usize> = over.iter().chain(&rows).copied().collect();
        let values = Part::values(&self.levels, (&all, &same), self.code, b, effects);
        let row = Type::array(ty.elem().or_bug("element"), ty.shape()[indexed..].to_vec());
        inputs.push(flat(b, values, row.shape()));
        let mut types = vec![Type::I64; indexed];
        types.push(row.clone());
        let params: Vec<Var> = types.iter().map(|ty| b.param("x", ty.clone())).collect();
        let results = params.iter().map(|param| Atom::Var(*param)).collect();
        let map = Lambda { params, body: Body::of(results), ret: types };
        let neutral = vec![zero(b, &row)];
        let op = HistOp {
            shape: ty.shape()[..indexed].to_vec(),
            race_factor: 1.into(),
            dests: vec![dest],
            op: add_lambda(b, &row, 0),
            neutral,
        };
        let hist = Exp::Hist(Box::new(Hist { width, inputs, map, ops: vec![op] }));
        let hist = b.typed("hist", ty, hist);
        match same.is_empty() {
            true => hist,
            false => added_to_rows(b, effects, hist, array),
        }
    }
}

/// Whether an accumulator adds numbers to an array, each of which has its own index.
fn is_sum_of_numbers(input: &AccInput, vars: &IdVec<Var, VarInfo>) -> bool {
    let [array] = input.arrays[..] else { return false };
    let ty = &vars[array].ty;
    ty.rank() == input.shape.len()
        && matches!(scalar_of(ty), Some(Type::Scalar(Elem::Prim(prim))) if prim != Prim::Bool)
        && input.op.as_ref().is_some_and(|(op, _)| is_sum_after(op, input.shape.len()))
}

/// Finds arrays of which something is known.
struct Arrays(Known);

impl Visit for Arrays {
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing is known of others")]
    fn stm(&mut self, stm: &Stm) {
        if let Some(var) = stm.pat.first() {
            match &stm.exp {
                Exp::Iota(Prim::I64, _, start, step)
                    if (*start, *step) == (Atom::i64(0), Atom::i64(1)) =>
                {
                    self.0.iotas.insert(*var);
                }
                // Of floats, only zeros without sign leave everything as it is when they are added, but a sum of zeros is zero.
                Exp::Replicate(_, Atom::Const(value)) if value.bits() == 0 => {
                    self.0.zeros.insert(*var);
                }
                Exp::Copy(array) if self.0.zeros.contains(array) => {
                    self.0.zeros.insert(*var);
                }
                _ => {}
            }
        }
        walk_stm(self, stm);
    }
}
