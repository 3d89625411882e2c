//! The value of a variable at given positions of the maps around it, as scalar code.
//!
//! ```text
//! ys = map f (transpose xss);  v = ys[j]      at j:      x = xss[i, j] ...; v = f x
//! ```
//!
//! Arrays are not made: of a map, the function is evaluated at the position that is asked for. What cannot be evaluated
//! at a single position (loops, reductions), or would be evaluated many times more than before although it is not
//! cheap, is *kept*: it becomes a further result of the maps around it, an array that is read.

use super::scope::{Def, Kind, ScopeId, Scopes};
use fehu_base::{IdVec, Prim};
use fehu_facts::cost::{self, READ};
use fehu_ir::free::free_in_exp;
use fehu_ir::subst::{Subst, copy_stm, subst_stm};
use fehu_ir::{Atom, BinOp, Dim, Elem, Exp, Family, Scalar, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is evaluated again at each position of further levels, if there is no division in it.
const REPEATED: u32 = 16;

/// Divisions, roots and elementary functions: vectors have no more than one unit for them, which each of them keeps busy for
/// longer than it takes to read an element.
const DIVISION: u32 = 5;

/// What is evaluated twice at each position: much more than an array in memory would cost, which may be larger than all others.
const TWICE: u32 = 48;

/// A dimension of the space in which code is pulled: the variable for the position, and how many there are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Level {
    pub(super) position: Var,
    pub(super) width: Atom,
    /// The position of the map that the level stands for: the same, or computed from it.
    pub(super) at: Var,
}

/// How the position of a map follows from an index.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Inverse {
    /// The index minus something.
    Minus(Atom),
    /// The index plus something.
    Plus(Atom),
    /// Something minus the index.
    From(Atom),
    /// The rest of dividing by the number of positions: the index was the rest of something.
    Rest(Atom),
}

impl Inverse {
    /// The position.
    pub(super) fn of(self, index: Atom) -> Exp {
        match self {
            Inverse::Minus(other) => Exp::BinOp(BinOp::Sub, index, other),
            Inverse::Plus(other) => Exp::BinOp(BinOp::Add, index, other),
            Inverse::From(other) => Exp::BinOp(BinOp::Sub, other, index),
            Inverse::Rest(count) => Exp::BinOp(BinOp::Mod, index, count),
        }
    }

    /// The index that belongs to a position.
    pub(super) fn back(self, position: Atom) -> Exp {
        match self {
            Inverse::Minus(other) => Exp::BinOp(BinOp::Add, position, other),
            Inverse::Plus(other) => Exp::BinOp(BinOp::Sub, position, other),
            Inverse::From(_) | Inverse::Rest(_) => self.of(position),
        }
    }

    /// What it is moved by.
    pub(super) fn operand(self) -> Atom {
        match self {
            Inverse::Minus(other)
            | Inverse::Plus(other)
            | Inverse::From(other)
            | Inverse::Rest(other) => other,
        }
    }

    /// The same with something else.
    pub(super) fn with(self, operand: Atom) -> Inverse {
        match self {
            Inverse::Minus(_) => Inverse::Minus(operand),
            Inverse::Plus(_) => Inverse::Plus(operand),
            Inverse::From(_) => Inverse::From(operand),
            Inverse::Rest(_) => Inverse::Rest(operand),
        }
    }
}

/// An element of an array at positions of levels, one for each dimension of the array, which has their widths.
pub(super) struct Read {
    pub(super) var: Var,
    pub(super) array: Var,
    pub(super) positions: Vec<Var>,
}

/// What is kept of maps and branches: for each, by the first variable that it binds, the variables inside that become
/// results, and what they are outside.
#[derive(Clone, Default)]
pub(super) struct Kept {
    arrays: FxHashMap<Var, Var>,
    pub(super) results: FxHashMap<Var, Vec<(Var, Var)>>,
    /// Those of the alternative that is evaluated if the condition has this value. Otherwise they are zero.
    pub(super) alternatives: FxHashMap<Var, Vec<(bool, Var, Var)>>,
}

/// Arrays of a function of which something is known.
#[derive(Default)]
pub(super) struct Known {
    /// `0, 1, ...` of type i64.
    pub(super) iotas: FxHashSet<Var>,
    /// Zeros.
    pub(super) zeros: FxHashSet<Var>,
}

/// How much it is to evaluate something once.
#[derive(Clone, Copy, Default)]
struct Weight {
    total: u32,
    /// Whether a division is a part of it.
    divides: bool,
}

impl Weight {
    const READ: Weight = Weight::of(READ);

    const fn of(total: u32) -> Weight {
        Weight { total, divides: false }
    }

    fn and(self, other: Weight) -> Weight {
        let total = self.total.saturating_add(other.total);
        Weight { total, divides: self.divides || other.divides }
    }

    /// Whether it is better read than evaluated at each position of further levels.
    fn is_much(self) -> bool {
        self.total > REPEATED || self.divides
    }
}

/// Code at the positions of some levels.
pub(super) struct Pull<'n, 'a> {
    pub(super) scopes: &'n Scopes<'a>,
    pub(super) known: &'n Known,
    pub(super) kept: &'n mut Kept,
    pub(super) vars: &'n mut IdVec<Var, VarInfo>,
    pub(super) levels: &'n [Level],
    /// Whether what is not cheap is evaluated elsewhere, too.
    pub(super) shared: bool,
    pub(super) reads: Vec<Read>,
    pub(super) stms: Vec<Stm>,
    certs: Vec<Var>,
    memo: FxHashMap<(Var, Vec<Atom>), Atom>,
    weights: FxHashMap<Var, Weight>,
}

impl<'n, 'a> Pull<'n, 'a> {
    pub(super) fn new(
        scopes: &'n Scopes<'a>,
        known: &'n Known,
        kept: &'n mut Kept,
        vars: &'n mut IdVec<Var, VarInfo>,
        levels: &'n [Level],
        shared: bool,
    ) -> Pull<'n, 'a> {
        let (reads, stms, certs) = (Vec::new(), Vec::new(), Vec::new());
        let (memo, weights) = (FxHashMap::default(), FxHashMap::default());
        Pull { scopes, known, kept, vars, levels, shared, reads, stms, certs, memo, weights }
    }

    pub(super) fn level(&self, atom: Atom) -> Option<&Level> {
        self.levels.iter().find(|level| Atom::Var(level.at) == atom)
    }

    /// If an operand is the position of a map, moved by something, and perhaps the rest of that: the position, and how
    /// the position of the map follows from the operand, step by step. What it is moved by may have to be evaluated.
    pub(super) fn moved(&self, atom: Atom, place: &[Atom]) -> Option<(Atom, Vec<Inverse>)> {
        let (op, first, second) = self.operation(atom)?;
        // What is a sum or a difference may be moved itself.
        let [(left, is_left), (right, is_right)] = [first, second].map(|operand| {
            let plain = self.plain(operand, place);
            let is_sum = || {
                let found = self.operation(operand);
                found.is_some_and(|(op, ..)| matches!(op, BinOp::Add | BinOp::Sub))
            };
            let carries = plain.map_or_else(is_sum, |atom| self.level(atom).is_some());
            (plain.unwrap_or(operand), carries)
        });
        let (of, step) = match (op, is_left, is_right) {
            (BinOp::Add, true, false) => (first, Inverse::Minus(right)),
            (BinOp::Add, false, true) => (second, Inverse::Minus(left)),
            (BinOp::Sub, true, false) => (first, Inverse::Plus(right)),
            (BinOp::Sub, false, true) => (second, Inverse::From(left)),
            (BinOp::Mod, true, false) => {
                let (at, mut steps) = self.moved(first, place)?;
                if steps.iter().any(|step| matches!(step, Inverse::Rest(_))) {
                    return None;
                }
                steps.push(Inverse::Rest(self.plain(second, place)?));
                return Some((at, steps));
            }
            _ => return None,
        };
        let (at, further) = match self.plain(of, place) {
            Some(at) => (at, Vec::new()),
            None => self.moved(of, place)?,
        };
        // Of a rest, nothing is known that could be moved further.
        if further.iter().any(|step| matches!(step, Inverse::Rest(_))) {
            return None;
        }
        Some((at, std::iter::once(step).chain(further).collect()))
    }

    fn operation(&self, atom: Atom) -> Option<(BinOp, Atom, Atom)> {
        let Some(Def::Made(_, stm, _)) = self.scopes.defs.get(&atom.var()?) else { return None };
        let Exp::BinOp(op, first, second) = stm.exp else { return None };
        Some((op, first, second))
    }

    /// The operand, if nothing need be evaluated: a constant, something from outside, a position.
    pub(super) fn plain(&self, atom: Atom, place: &[Atom]) -> Option<Atom> {
        let Atom::Var(var) = atom else { return Some(atom) };
        match self.scopes.defs.get(&var) {
            None => Some(atom),
            Some(Def::Element(scope, input)) => {
                let at = place[self.scopes.scopes[*scope].depth - 1];
                self.is_iota(*input).then_some(at)
            }
            Some(Def::Made(_, stm, _)) => {
                let Exp::Atom(other) = stm.exp else { return None };
                self.plain(other, place)
            }
        }
    }

    fn is_iota(&self, array: Var) -> bool {
        self.known.iotas.contains(&array)
    }

    /// The value of a scalar at this place: a position for each of the maps around it (and possibly more).
    pub(super) fn value(&mut self, atom: Atom, place: &[Atom]) -> Option<Atom> {
        let Atom::Var(var) = atom else { return Some(atom) };
        let Some(def) = self.scopes.defs.get(&var).copied() else { return Some(atom) };
        let place = &place[..self.scopes.scopes[def.scope()].depth];
        let key = (var, place.to_vec());
        if let Some(found) = self.memo.get(&key) {
            return Some(*found);
        }
        let found = match def {
            Def::Element(_, input) => {
                let (at, outer) = place.split_last()?;
                self.element(input, &[*at], outer)?
            }
            Def::Made(scope, stm, _) => self.made(var, scope, stm, place)?,
        };
        self.memo.insert(key, found);
        Some(found)
    }

    fn made(&mut self, var: Var, scope: ScopeId, stm: &Stm, place: &[Atom]) -> Option<Atom> {
        let before = self.certs.len();
        for cert in &stm.certs {
            if let Atom::Var(cert) = self.value((*cert).into(), place)? {
                self.certs.push(cert);
            }
        }
        let found = self.evaluated(var, scope, stm, place);
        self.certs.truncate(before);
        found
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are kept")]
    fn evaluated(&mut self, var: Var, scope: ScopeId, stm: &Stm, place: &[Atom]) -> Option<Atom> {
        if self.is_dear(var, place) {
            let kept = self.keep(var, scope, &[], place);
            if kept.is_some() || self.own_weight(var).total > REPEATED {
                return kept;
            }
        }
        match &stm.exp {
            Exp::Atom(atom) => self.value(*atom, place),
            Exp::Index(array, dims) if dims.iter().all(|dim| matches!(dim, Dim::Fix(_))) => {
                let mut at = Vec::with_capacity(dims.len());
                for dim in dims {
                    if let Dim::Fix(index) = dim {
                        at.push(self.value(*index, place)?);
                    }
                }
                self.element(*array, &at, place)
            }
            exp if exp.family() == Family::Scalar || matches!(exp, Exp::Assert(..)) => {
                self.again(var, stm, place)
            }
            Exp::If(..) if self.is_scalar_code(stm) => self.again(var, stm, place),
            _ => self.keep(var, scope, &[], place),
        }
    }

    /// Whether a branch depends on scalars only.
    fn is_scalar_code(&self, stm: &Stm) -> bool {
        let inside = |var: &Var| self.scopes.defs.contains_key(var);
        cost::weigh_stm(stm, self.vars).is_some()
            && stm.pat.iter().all(|var| matches!(self.vars[*var].ty, Type::Scalar(_)))
            && free_in_exp(&stm.exp, self.vars)
                .iter()
                .all(|var| !inside(var) || matches!(self.vars[*var].ty, Type::Scalar(_)))
    }

    /// The statement once more, at the place.
    fn again(&mut self, var: Var, stm: &Stm, place: &[Atom]) -> Option<Atom> {
        let mut subst = Subst::default();
        for free in free_in_exp(&stm.exp, self.vars) {
            let value = self.value(free.into(), place)?;
            subst.insert(free, value);
        }
        let mut copy = copy_stm(stm, self.vars);
        subst_stm(&mut copy, self.vars, &subst);
        copy.certs.clone_from(&self.certs);
        let mut found = None;
        for (old, new) in stm.pat.iter().zip(&copy.pat) {
            self.memo.insert((*old, place.to_vec()), (*new).into());
            found = found.or((*old == var).then_some(Atom::Var(*new)));
        }
        self.stms.push(copy);
        found
    }

    /// The element of an array at these indices. The place is that of the maps around the array.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are kept")]
    pub(super) fn element(&mut self, array: Var, at: &[Atom], place: &[Atom]) -> Option<Atom> {
        if self.is_iota(array) {
            return at.first().copied();
        }
        let Some(def) = self.scopes.defs.get(&array).copied() else {
            return Some(self.read(array, at));
        };
        let place = &place[..self.scopes.scopes[def.scope()].depth];
        let (scope, stm, number) = match def {
            Def::Element(_, input) => {
                let (first, outer) = place.split_last()?;
                let mut all = vec![*first];
                all.extend_from_slice(at);
                return self.element(input, &all, outer);
            }
            Def::Made(scope, stm, number) => (scope, stm, number),
        };
        match &stm.exp {
            Exp::Screma(op) if op.scans.is_empty() && number >= op.folded() => {
                // Elsewhere than at positions, it would be evaluated more often than before.
                let (first, rest) = at.split_first()?;
                let function = stm.pat.first().and_then(|var| self.scopes.functions.get(var));
                if let (Some(_), Some(_)) = (self.level(*first), function) {
                    let mut inner = place.to_vec();
                    inner.push(*first);
                    let result = op.map.body.results[number];
                    return self.part(result, rest, &inner);
                }
                self.keep(array, scope, at, place)
            }
            Exp::Rearrange(other, perm) => {
                let mut all = vec![Atom::i64(0); at.len()];
                for (index, dim) in at.iter().zip(perm) {
                    *all.get_mut(*dim)? = *index;
                }
                self.element(*other, &all, place)
            }
            Exp::Replicate(shape, value) => {
                let rest = at.get(shape.len()..)?;
                self.part(*value, rest, place)
            }
            Exp::Copy(other) | Exp::Manifest(other) | Exp::Atom(Atom::Var(other)) => {
                self.element(*other, at, place)
            }
            Exp::Index(other, dims) => {
                let mut given = at.iter();
                let mut all = Vec::new();
                for dim in dims {
                    let index = match dim {
                        Dim::Fix(index) => self.value(*index, place)?,
                        Dim::Slice { start, stride, .. } => {
                            let (start, stride) =
                                (self.value(*start, place)?, self.value(*stride, place)?);
                            let index = *given.next()?;
                            self.affine(start, stride, index)
                        }
                    };
                    all.push(index);
                }
                all.extend(given);
                self.element(*other, &all, place)
            }
            Exp::Iota(prim, _, start, step) => {
                let (start, step) = (self.value(*start, place)?, self.value(*step, place)?);
                let index = *at.first()?;
                if *prim == Prim::I64 {
                    return Some(self.affine(start, step, index));
                }
                let index = self.emit(Type::prim(*prim), Exp::Convert(*prim, index));
                let scaled = self.emit(Type::prim(*prim), Exp::BinOp(BinOp::Mul, step, index));
                Some(self.emit(Type::prim(*prim), Exp::BinOp(BinOp::Add, start, scaled)))
            }
            _ => self.keep(array, scope, at, place),
        }
    }

    /// The operand, or an element of it.
    fn part(&mut self, atom: Atom, at: &[Atom], place: &[Atom]) -> Option<Atom> {
        match (atom, at) {
            (_, []) => self.value(atom, place),
            (Atom::Var(array), _) => self.element(array, at, place),
            (Atom::Const(_), _) => None,
        }
    }

    /// `start + stride * index`.
    fn affine(&mut self, start: Atom, stride: Atom, index: Atom) -> Atom {
        let scaled = match stride {
            stride if stride == Atom::i64(1) => index,
            stride => self.emit(Type::I64, Exp::BinOp(BinOp::Mul, stride, index)),
        };
        match start {
            start if start == Atom::i64(0) => scaled,
            start => self.emit(Type::I64, Exp::BinOp(BinOp::Add, start, scaled)),
        }
    }

    pub(super) fn emit(&mut self, ty: Type, exp: Exp) -> Atom {
        let var = self.vars.push(VarInfo { hint: "x".into(), ty });
        self.stms.push(Stm { certs: self.certs.clone(), ..Stm::new(vec![var], exp) });
        var.into()
    }

    /// An element of an array from outside.
    fn read(&mut self, array: Var, at: &[Atom]) -> Atom {
        let key = (array, at.to_vec());
        if let Some(found) = self.memo.get(&key) {
            return *found;
        }
        let ty = self.vars[array].ty.clone();
        let fits = |(index, size): (&Atom, &Atom)| {
            let is_here = |level: &&Level| Atom::Var(level.position) == *index;
            let level = self.levels.iter().find(is_here)?;
            (level.width == *size).then_some(level.position)
        };
        let positions: Option<Vec<Var>> = at.iter().zip(ty.shape()).map(fits).collect();
        let distinct =
            |all: &Vec<Var>| (1..all.len()).all(|index| !all[..index].contains(&all[index]));
        let elem = Type::array(ty.elem().unwrap_or(fehu_ir::Elem::Unit), Vec::new());
        let found = match positions.filter(distinct) {
            Some(positions) => {
                let var = self.vars.push(VarInfo { hint: "x".into(), ty: elem });
                self.reads.push(Read { var, array, positions });
                var.into()
            }
            None => {
                let dims = at.iter().map(|index| Dim::Fix(*index)).collect();
                self.emit(elem, Exp::Index(array, dims))
            }
        };
        self.memo.insert(key, found);
        found
    }

    /// Whether something would be evaluated more often than before, or elsewhere as well, and is not cheap.
    fn is_dear(&mut self, var: Var, place: &[Atom]) -> bool {
        if !matches!(self.vars[var].ty, Type::Scalar(fehu_ir::Elem::Prim(_))) {
            return false;
        }
        let has = |level: &Level| place.contains(&level.at.into());
        match self.levels.iter().all(has) {
            true => self.shared && self.own_weight(var).total > TWICE,
            false => self.own_weight(var).is_much(),
        }
    }

    /// How much it is to evaluate a variable at one position of the maps that it is in.
    fn own_weight(&mut self, var: Var) -> Weight {
        if let Some(found) = self.weights.get(&var) {
            return *found;
        }
        let depth = self.scopes.defs.get(&var).map_or(0, |def| self.depth(def));
        let weight = self.weight(var.into(), depth, &mut FxHashSet::default());
        self.weights.insert(var, weight);
        weight
    }

    fn depth(&self, def: &Def<'_>) -> usize {
        self.scopes.scopes[def.scope()].depth
    }

    /// What something adds to the weight of a variable that is in so many maps. What is in fewer is read if it is dear.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are kept, and read")]
    fn weight(&mut self, atom: Atom, depth: usize, seen: &mut FxHashSet<Var>) -> Weight {
        let none = Weight::default();
        let Atom::Var(var) = atom else { return none };
        let Some(def) = self.scopes.defs.get(&var).copied() else {
            let free = self.is_iota(var) || !self.vars[var].ty.is_array();
            return if free { none } else { Weight::READ };
        };
        if !seen.insert(var) {
            return none;
        }
        if self.depth(&def) < depth && !self.vars[var].ty.is_array() {
            let weight = self.own_weight(var);
            return if weight.is_much() { Weight::READ } else { weight };
        }
        let (stm, number) = match def {
            Def::Element(_, input) => return self.weight(input.into(), depth, seen),
            Def::Made(_, stm, number) => (stm, number),
        };
        match &stm.exp {
            Exp::Screma(op) if op.scans.is_empty() && number >= op.folded() => {
                self.weight(op.map.body.results[number], depth, seen)
            }
            Exp::Rearrange(array, _)
            | Exp::Copy(array)
            | Exp::Manifest(array)
            | Exp::Index(array, _) => self.weight((*array).into(), depth, seen),
            Exp::Replicate(_, value) => self.weight(*value, depth, seen),
            Exp::Iota(..) => Weight::of(1),
            exp if exp.family() == Family::Scalar || self.is_scalar_code(stm) => {
                let total = cost::weigh_stm(stm, self.vars).unwrap_or(READ);
                let divides = exp.family() == Family::Scalar && total >= DIVISION;
                let free = free_in_exp(exp, self.vars);
                let own = Weight { total, divides };
                free.iter().fold(own, |sum, var| sum.and(self.weight((*var).into(), depth, seen)))
            }
            _ => Weight::READ,
        }
    }

    /// Keeps a variable for all positions, and reads it here. Scalars are kept of branches, too.
    fn keep(&mut self, var: Var, scope: ScopeId, at: &[Atom], place: &[Atom]) -> Option<Atom> {
        let array = match self.kept.arrays.get(&var) {
            Some(array) => *array,
            None => {
                let scopes = self.scopes;
                let chain = scopes.chain(Some(scope)).into_iter().rev();
                let mut around = Vec::new();
                for scope in chain.map(|id| &scopes.scopes[id]) {
                    around.push((scope.kind, scope.stm?));
                }
                let ty = self.vars[var].ty.clone();
                let elem = ty.elem()?;
                let inside =
                    |atom: &Atom| atom.var().is_some_and(|var| scopes.defs.contains_key(&var));
                let widths = around.iter().filter_map(|(kind, _)| match kind {
                    Kind::Map(width) => Some(width),
                    Kind::Branch(..) => None,
                });
                // Of arrays there would be zeros.
                let mut outside = around.iter().map(|(kind, _)| kind);
                let is_branch = |kind: &Kind| matches!(kind, Kind::Branch(..));
                let branches = outside.by_ref().take_while(|kind| is_branch(kind)).count();
                if widths.chain(ty.shape()).any(inside)
                    || outside.any(is_branch)
                    || branches > 0 && !matches!(ty, Type::Scalar(Elem::Prim(_)))
                {
                    return None;
                }
                let mut shape = ty.shape().to_vec();
                let mut now = var;
                for (kind, of) in around {
                    if let Kind::Map(width) = kind {
                        shape.insert(0, width);
                    }
                    let ty = Type::array(elem, shape.clone());
                    let after = self.vars.push(VarInfo { hint: "kept".into(), ty });
                    match kind {
                        Kind::Map(_) => self.kept.results.entry(of).or_default().push((now, after)),
                        Kind::Branch(_, taken) => {
                            let all = self.kept.alternatives.entry(of).or_default();
                            all.push((taken, now, after));
                        }
                    }
                    now = after;
                }
                self.kept.arrays.insert(var, now);
                now
            }
        };
        let mut all = place.to_vec();
        all.extend_from_slice(at);
        Some(self.read(array, &all))
    }

    /// The code inside of the branches that a scope is in, with zeros (or what `otherwise` says) if they are not taken.
    pub(super) fn guarded(
        &mut self,
        branches: &[(Atom, bool)],
        atoms: &[Atom],
        otherwise: &[Scalar],
        place: &[Atom],
    ) -> Option<Vec<Atom>> {
        let Some(((cond, taken), rest)) = branches.split_first() else {
            return atoms.iter().map(|atom| self.value(*atom, place)).collect();
        };
        let cond = self.value(*cond, place)?;
        let (before, memo) = (std::mem::take(&mut self.stms), self.memo.clone());
        let results = self.guarded(rest, atoms, otherwise, place);
        let stms = std::mem::replace(&mut self.stms, before);
        // What is read is read outside.
        let mut memo = memo;
        for read in &self.reads {
            let at = read.positions.iter().map(|var| Atom::Var(*var)).collect();
            memo.insert((read.array, at), read.var.into());
        }
        self.memo = memo;
        let yes = fehu_ir::Body { stms, results: results? };
        let no = fehu_ir::Body::of(otherwise.iter().map(|value| Atom::Const(*value)).collect());
        let bodies = if *taken { [yes, no] } else { [no, yes] };
        let types = otherwise.iter().map(|value| Type::Scalar(value.elem()));
        let pat: Vec<Var> =
            types.map(|ty| self.vars.push(VarInfo { hint: "x".into(), ty })).collect();
        self.stms.push(Stm::new(pat.clone(), Exp::If(cond, Box::new(bodies))));
        Some(pat.into_iter().map(Atom::Var).collect())
    }
}
