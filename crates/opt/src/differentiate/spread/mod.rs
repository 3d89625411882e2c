//! Several directions at once.
//!
//! A derivative in n directions is made for one of them, and then *spread*: what depends on the seeds is computed for
//! all directions, and everything else once.
//!
//! ```text
//! y = sin x;  s = cos x;  d = s * dx         =>   y = sin x;  s = cos x;  ds = map n (dxs) \dx -> s * dx
//! ys, ds = map (\x d -> ..) xs dxs           =>   ys, ds = map (\x d -> .., map n ..) xs dxs
//! ```
//!
//! Derivatives are linear in their seeds, so that nothing decides by a value that depends on them which code is
//! executed, how often, or at which index. Where the adjoint that a program gives does so all the same, or something
//! cannot be done for all directions in one, that statement is executed *apart*, for one direction after the other.
//!
//! What depends on the seeds has [`Directions`]: either one more dimension, the innermost one, or, if there are few, as
//! many variables, its *lanes*. So operators on arrays stay what they are, and the directions are next to each other in
//! memory. Statements on scalars that follow each other become one map over the directions.
//!
//! * `depend`: what depends on the seeds;
//! * `each`: statements on scalars, and those that are executed apart;
//! * `operators`: control flow, array operators and accumulators.

mod depend;
mod each;
mod operators;

use super::activity::Set;
use super::num::{has_numbers, whole};
use super::{Refused, Res};
use fehu_base::{OrBug, bug};
use fehu_ir::builder::{Builder, count_stms};
use fehu_ir::free::free_in_stm;
use fehu_ir::{Atom, Body, Dim, Exp, Family, Loc, Scalar, Stm, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// How that which depends on the seeds is represented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Directions {
    /// With one more dimension of this size, the innermost.
    Vector(Atom),
    /// As so many variables.
    Lanes(usize),
}

/// So few directions are lanes, even if the program does not ask for it, unless that makes more statements than this.
const FEW: i64 = 16;
const LARGE: usize = 2000;

impl Directions {
    /// Of this number, for this code; `unroll` says that the program asks for lanes.
    fn of(count: Atom, unroll: bool, body: &Body) -> Directions {
        match count {
            Atom::Const(Scalar::I64(count))
                if count > 0
                    && (unroll || count <= FEW && count as usize * count_stms(body) <= LARGE) =>
            {
                Directions::Lanes(count as usize)
            }
            Atom::Const(_) | Atom::Var(_) => Directions::Vector(count),
        }
    }
}

/// What depends on the seeds, and which statements are executed apart, by the first variable that they bind.
struct Dependent {
    vars: Set,
    apart: Set,
}

struct Spread {
    directions: Directions,
    dependent: Dependent,
    /// What stands for variables that depend on the seeds.
    lanes: FxHashMap<Var, Vec<Atom>>,
    /// Other arrays that consist of one constant.
    splats: FxHashMap<Var, Scalar>,
    loc: Option<Loc>,
}

/// The results of code for one direction, which is put here, for all of them. The first `shared` results do not depend
/// on the seeds; all others have one more dimension, the outermost. Seeds are given by what stands for one in the code.
/// Also says whether everything that the code checks is checked if there are no directions.
pub(super) fn spread(
    b: &mut Builder<'_>,
    body: Body,
    seeds: &[(Var, Atom)],
    shared: usize,
    (count, unroll, loc): (Atom, bool, Option<Loc>),
) -> Res<(Vec<Atom>, bool)> {
    let directions = Directions::of(count, unroll, &body);
    let vars = seeds.iter().map(|(seed, _)| *seed).filter(|var| has_numbers(b.ty(*var))).collect();
    let dependent = depend::dependent(&body, b.vars(), vars);
    let (lanes, splats) = (FxHashMap::default(), FxHashMap::default());
    let mut spread = Spread { directions, dependent, lanes, splats, loc };
    for (seed, values) in seeds {
        let values = values.var().or_bug("seeds of several directions");
        let lanes = spread.seeds(b, values);
        spread.lanes.insert(*seed, lanes);
    }
    let Body { stms, results } = body;
    spread.stms(b, stms, &results)?;
    let mut all = results[..shared].to_vec();
    if all.iter().any(|atom| spread.depends(b, *atom)) {
        bug("the value of a function does not depend on the seeds");
    }
    for result in &results[shared..] {
        let rows = spread.result(b, *result, count);
        all.push(rows);
    }
    Ok((all, spread.dependent.apart.is_empty()))
}

impl Spread {
    /// Seeds whose outermost dimension is that of the directions.
    fn seeds(&self, b: &mut Builder<'_>, values: Var) -> Vec<Atom> {
        match self.directions {
            Directions::Vector(_) => vec![inwards(b, values).into()],
            Directions::Lanes(count) => {
                let rest: Vec<Dim> =
                    b.ty(values).shape()[1..].iter().map(|size| whole(*size)).collect();
                let lane = |b: &mut Builder<'_>, index: usize| {
                    let mut dims = vec![Dim::Fix((index as i64).into())];
                    dims.extend(rest.iter().cloned());
                    b.exp("seed", Exp::Index(values, dims)).into()
                };
                (0..count).map(|index| lane(b, index)).collect()
            }
        }
    }

    /// A result for all directions, which are the outermost dimension.
    fn result(&mut self, b: &mut Builder<'_>, result: Atom, count: Atom) -> Atom {
        if !self.depends(b, result) {
            return b.exp("same", Exp::Replicate(vec![count], result)).into();
        }
        let lanes = self.lanes_of(b, result);
        match self.directions {
            Directions::Vector(_) => outwards(b, lanes[0].var().or_bug("directions")).into(),
            Directions::Lanes(_) => {
                let elem = b.atom_ty(result).elem().or_bug("type of elements");
                b.exp("directions", Exp::Array(elem, lanes)).into()
            }
        }
    }

    fn depends(&self, b: &Builder<'_>, atom: Atom) -> bool {
        atom.var().is_some_and(|var| self.dependent.has(var, b.vars()))
    }

    fn which(&self, b: &Builder<'_>, vars: &[Var]) -> Vec<bool> {
        vars.iter().map(|var| self.dependent.has(*var, b.vars())).collect()
    }

    fn refuse<T>(&self, what: &str) -> Res<T> {
        Err(Refused { loc: self.loc.clone(), what: what.to_owned() })
    }

    /// The types of what stands for something of this type.
    fn types(&self, ty: &Type) -> Vec<Type> {
        match (self.directions, ty) {
            (_, Type::Acc(cert)) => {
                let certs = self.lanes.get(cert).or_bug("certificates of an accumulator");
                certs.iter().filter_map(|cert| cert.var()).map(Type::Acc).collect()
            }
            (Directions::Lanes(count), ty) => vec![ty.clone(); count],
            (Directions::Vector(_), ty @ &Type::CERT) => vec![ty.clone()],
            (Directions::Vector(count), ty) => {
                let mut shape = ty.shape().to_vec();
                shape.push(count);
                vec![Type::array(ty.elem().or_bug("type of elements"), shape)]
            }
        }
    }

    /// The types of several things, of which these depend on the seeds.
    fn all_types(&self, types: &[Type], which: &[bool]) -> Vec<Type> {
        let each = types.iter().zip(which);
        each.flat_map(|(ty, which)| if *which { self.types(ty) } else { vec![ty.clone()] })
            .collect()
    }

    /// New variables that stand for this one.
    fn fresh(&mut self, b: &mut Builder<'_>, var: Var) -> Vec<Var> {
        let hint = b.vars()[var].hint.clone();
        let types = self.types(&b.ty(var).clone());
        let new: Vec<Var> = types.into_iter().map(|ty| b.param(hint.clone(), ty)).collect();
        self.lanes.insert(var, new.iter().map(|var| Atom::Var(*var)).collect());
        new
    }

    /// New variables for those of these that depend on the seeds.
    fn bind(&mut self, b: &mut Builder<'_>, vars: &[Var]) -> Vec<Var> {
        let mut all = Vec::new();
        for var in vars {
            match self.dependent.has(*var, b.vars()) {
                true => all.extend(self.fresh(b, *var)),
                false => all.push(*var),
            }
        }
        all
    }

    /// What stands for an operand in the directions; it may be the same in all of them.
    fn lanes_of(&mut self, b: &mut Builder<'_>, atom: Atom) -> Vec<Atom> {
        if self.depends(b, atom) {
            let var = atom.var().or_bug("variable that depends on seeds");
            return self.lanes.get(&var).or_bug("value in several directions").clone();
        }
        let count = match self.directions {
            Directions::Lanes(count) => return vec![atom; count],
            Directions::Vector(count) => count,
        };
        let splat = match atom {
            Atom::Const(value) => Some(value),
            Atom::Var(var) => self.splats.get(&var).copied(),
        };
        if let Some(value) = splat {
            let mut shape = b.atom_ty(atom).shape().to_vec();
            shape.push(count);
            return vec![b.exp("same", Exp::Replicate(shape, value.into())).into()];
        }
        let rows = b.exp("same", Exp::Replicate(vec![count], atom));
        vec![inwards(b, rows).into()]
    }

    /// Those of arrays.
    fn arrays(&mut self, b: &mut Builder<'_>, array: Var) -> Vec<Var> {
        let lanes = self.lanes_of(b, array.into());
        lanes.into_iter().map(|atom| atom.var().or_bug("array in several directions")).collect()
    }

    /// Those of arrays that are consumed, which may be the same array in all directions.
    fn owned(&mut self, b: &mut Builder<'_>, array: Var) -> Vec<Var> {
        let lanes = self.arrays(b, array);
        if self.depends(b, array.into()) {
            return lanes;
        }
        lanes.into_iter().map(|lane| b.exp("own", Exp::Copy(lane))).collect()
    }

    /// Operands, of which some are wanted in all directions.
    fn atoms(&mut self, b: &mut Builder<'_>, atoms: &[Atom], which: &[bool]) -> Vec<Atom> {
        let mut all = Vec::new();
        for (atom, which) in atoms.iter().zip(which) {
            match which {
                true => all.extend(self.lanes_of(b, *atom)),
                false => all.push(*atom),
            }
        }
        all
    }

    /// The certificates that a statement relies on.
    fn certs(&self, certs: &[Var]) -> Vec<Var> {
        let each = certs.iter().flat_map(|cert| match self.lanes.get(cert) {
            Some(lanes) => lanes.iter().filter_map(|lane| lane.var()).collect(),
            None => vec![*cert],
        });
        each.collect()
    }

    /// A body inside, with those of its results in all directions that `which` says.
    fn body(&mut self, b: &mut Builder<'_>, body: Body, which: &[bool]) -> Res<Body> {
        let mut inner = Builder::new(b.vars_mut());
        self.stms(&mut inner, body.stms, &body.results)?;
        let results = self.atoms(&mut inner, &body.results, which);
        Ok(inner.finish(results))
    }

    /// Statements, of which the results are used later.
    fn stms(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>, results: &[Atom]) -> Res<()> {
        let (mut items, mut group) = (Vec::new(), Vec::new());
        let stms = stms.into_iter().flat_map(|stm| self.split(b, stm)).collect::<Vec<_>>();
        for stm in stms {
            let free = free_in_stm(&stm, b.vars());
            let vars = free.iter().chain(&stm.pat);
            if !vars.clone().any(|var| self.dependent.has(*var, b.vars())) {
                items.push(Item::Shared(stm));
            } else if self.is_each(b, &stm) {
                group.push(stm);
            } else {
                // Elements of arrays need not wait for scalars.
                let is_apart =
                    stm.pat.first().is_some_and(|var| self.dependent.apart.contains(var));
                if !group.is_empty() && (is_apart || stm.exp.family() != Family::View) {
                    items.push(Item::Each(std::mem::take(&mut group)));
                }
                items.push(Item::Spread(stm));
            }
        }
        if !group.is_empty() {
            items.push(Item::Each(group));
        }
        // What a group binds, and something else uses.
        let mut wanted: FxHashSet<Var> = results.iter().filter_map(|atom| atom.var()).collect();
        for item in &items {
            match item {
                Item::Shared(_) => {}
                Item::Spread(stm) => wanted.extend(free_in_stm(stm, b.vars())),
                Item::Each(group) => wanted.extend(each::free_in_group(group, b.vars())),
            }
        }
        for item in items {
            match item {
                Item::Shared(stm) => {
                    self.splat(&stm);
                    b.push(stm);
                }
                Item::Each(group) => self.each(b, group, &wanted),
                Item::Spread(stm) => {
                    if stm.loc.is_some() {
                        self.loc.clone_from(&stm.loc);
                    }
                    b.set_loc(stm.loc.clone());
                    let before = b.set_certs(self.certs(&stm.certs));
                    self.stm(b, stm)?;
                    b.set_certs(before);
                }
            }
        }
        Ok(())
    }

    /// Remembers that an array consists of one constant.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of the others it is not known")]
    fn splat(&mut self, stm: &Stm) {
        let value = match &stm.exp {
            Exp::Replicate(_, Atom::Const(value)) => Some(*value),
            Exp::Copy(array) | Exp::Atom(Atom::Var(array)) => self.splats.get(array).copied(),
            _ => None,
        };
        if let Some(value) = value {
            self.splats.insert(stm.pat[0], value);
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the others are operators, or executed apart"
    )]
    fn stm(&mut self, b: &mut Builder<'_>, stm: Stm) -> Res<()> {
        if stm.pat.first().is_some_and(|var| self.dependent.apart.contains(var)) {
            return self.apart(b, stm);
        }
        let y = stm.pat.first().copied();
        let one = |this: &mut Self, b: &mut Builder<'_>, make: &mut dyn FnMut(usize) -> Exp| {
            let y = y.or_bug("result of an operation");
            let pat = this.fresh(b, y);
            for (index, var) in pat.into_iter().enumerate() {
                b.stm(vec![var], make(index));
            }
        };
        let more = match self.directions {
            Directions::Vector(count) => Some(count),
            Directions::Lanes(_) => None,
        };
        // Dimensions that are not given are whole.
        let dims_of = |b: &Builder<'_>, array: Var, dims: &[Dim]| -> Vec<Dim> {
            let rest = &b.ty(array).shape()[dims.len()..];
            let rest = rest.iter().copied().chain(more).map(whole);
            dims.iter().cloned().chain(rest).collect()
        };
        match &stm.exp {
            Exp::Atom(atom) => {
                let lanes = self.lanes_of(b, *atom);
                self.lanes.insert(y.or_bug("another name"), lanes);
            }
            Exp::Opaque(atom) => {
                let lanes = self.lanes_of(b, *atom);
                one(self, b, &mut |lane| Exp::Opaque(lanes[lane]));
            }
            Exp::Index(array, dims) => {
                let (arrays, dims) = (self.arrays(b, *array), dims_of(b, *array, dims));
                one(self, b, &mut |lane| Exp::Index(arrays[lane], dims.clone()));
            }
            Exp::Update(array, dims, value) => {
                let (arrays, dims) = (self.owned(b, *array), dims_of(b, *array, dims));
                let values = self.lanes_of(b, *value);
                one(self, b, &mut |lane| Exp::Update(arrays[lane], dims.clone(), values[lane]));
            }
            Exp::FlatIndex(array, offset, dims) => {
                let arrays = self.arrays(b, *array);
                one(self, b, &mut |lane| Exp::FlatIndex(arrays[lane], *offset, dims.clone()));
            }
            Exp::FlatUpdate(array, offset, dims, value) => {
                let (arrays, values) = (self.owned(b, *array), self.arrays(b, *value));
                one(self, b, &mut |lane| {
                    Exp::FlatUpdate(arrays[lane], *offset, dims.clone(), values[lane])
                });
            }
            Exp::Concat(total, arrays) => {
                let parts: Vec<Vec<Var>> =
                    arrays.iter().map(|array| self.arrays(b, *array)).collect();
                one(self, b, &mut |lane| {
                    Exp::Concat(*total, parts.iter().map(|part| part[lane]).collect())
                });
            }
            Exp::Array(elem, atoms) => {
                let parts: Vec<Vec<Atom>> =
                    atoms.iter().map(|atom| self.lanes_of(b, *atom)).collect();
                one(self, b, &mut |lane| {
                    Exp::Array(*elem, parts.iter().map(|part| part[lane]).collect())
                });
            }
            Exp::Replicate(shape, value) => {
                let values = self.lanes_of(b, *value);
                one(self, b, &mut |lane| Exp::Replicate(shape.clone(), values[lane]));
            }
            Exp::Reshape(array, shape) => {
                let arrays = self.arrays(b, *array);
                let shape: Vec<Atom> = shape.iter().copied().chain(more).collect();
                one(self, b, &mut |lane| Exp::Reshape(arrays[lane], shape.clone()));
            }
            Exp::Rearrange(array, perm) => {
                let arrays = self.arrays(b, *array);
                let perm: Vec<usize> =
                    perm.iter().copied().chain(more.map(|_| perm.len())).collect();
                one(self, b, &mut |lane| Exp::Rearrange(arrays[lane], perm.clone()));
            }
            Exp::Copy(array) => {
                let arrays = self.arrays(b, *array);
                one(self, b, &mut |lane| Exp::Copy(arrays[lane]));
            }
            Exp::Manifest(array) => {
                let arrays = self.arrays(b, *array);
                one(self, b, &mut |lane| Exp::Manifest(arrays[lane]));
            }
            _ => return self.operator(b, stm),
        }
        Ok(())
    }
}

/// Statements of a body, in the order in which they are executed in all directions.
enum Item {
    /// It does not depend on the seeds.
    Shared(Stm),
    /// These are on scalars.
    Each(Vec<Stm>),
    Spread(Stm),
}

/// The array with its outermost dimension innermost.
fn inwards(b: &mut Builder<'_>, array: Var) -> Var {
    turned(b, array, |rank| (1..rank).chain([0]).collect())
}

/// The array with its innermost dimension outermost.
fn outwards(b: &mut Builder<'_>, array: Var) -> Var {
    turned(b, array, |rank| std::iter::once(rank - 1).chain(0..rank - 1).collect())
}

fn turned(b: &mut Builder<'_>, array: Var, perm: impl FnOnce(usize) -> Vec<usize>) -> Var {
    match b.ty(array).rank() {
        0 | 1 => array,
        rank => b.exp("turned", Exp::Rearrange(array, perm(rank))),
    }
}
