//! Takes factors out of sums.
//!
//! What is summed over some levels may be a sum itself, of products of which some factors do not depend on these levels:
//!
//! ```text
//! c[j] = sum over n of (sum over i of a[i, j] * g[n, i])        n * i * j products
//! ==>
//! s[i] = sum over n of g[n, i];  c[j] = sum over i of a[i, j] * s[i]
//! ```
//!
//! That is what the derivative with respect to a mean or a bias is, from which all points are subtracted before a
//! matrix is applied to them. The sum inside is not kept for each `n`; whoever does not need it otherwise does not
//! compute it.
//!
//! As everywhere in this pass, floats are added in another order; here a sum may overflow, besides, whose products with
//! the factor do not.

use super::nest::{Along, Code, nest};
use super::pull::{Kept, Known, Level, Pull, Read};
use super::scope::{Def, Scopes};
use super::{Index, Part};
use fehu_base::IdVec;
use fehu_facts::Effects;
use fehu_facts::operators::is_sum;
use fehu_ir::builder::Builder;
use fehu_ir::{Atom, BinOp, Dim, Exp, Screma, Type, UnOp, Var, VarInfo};

/// Products of more factors than this are not taken apart any further: factors may be products of the same ones.
const MOST_FACTORS: usize = 8;

/// What is summed first.
pub(super) struct Factor {
    code: Code,
    /// The numbers of the levels that it is summed over, ...
    over: Vec<usize>,
    /// ... and of the others that it depends on.
    at: Vec<usize>,
    /// What stands for the sum in the code around it.
    var: Var,
}

impl Factor {
    /// Makes the sum, for the code that reads it; which levels are left to sum.
    pub(super) fn sum(
        self,
        b: &mut Builder<'_>,
        effects: &Effects,
        levels: &[Level],
        reads: &mut Vec<Read>,
    ) -> Vec<usize> {
        let maps = self.at.iter().map(|number| (levels[*number], Along::Map));
        let sums = self.over.iter().map(|number| (levels[*number], Along::Sum));
        let all: Vec<(Level, Along)> = maps.chain(sums).collect();
        let value = nest(b, effects, self.code, &all);
        if self.at.is_empty() {
            b.stm(vec![self.var], Exp::Atom(value));
            return self.over;
        }
        let positions = self.at.iter().map(|number| levels[*number].position).collect();
        let array = match value {
            Atom::Var(array) => array,
            value @ Atom::Const(_) => b.exp("sum", Exp::Atom(value)),
        };
        reads.push(Read { var: self.var, array, positions });
        self.over
    }
}

/// A sum that an operand is, or is the negative of, with the place of the maps around it.
struct Fold<'a> {
    op: &'a Screma,
    place: Vec<Atom>,
    is_negative: bool,
}

/// A contribution to these dimensions that is such a sum, if something is gained by taking factors out of it.
pub(super) fn factored(
    scopes: &Scopes<'_>,
    known: &Known,
    kept: &mut Kept,
    vars: &mut IdVec<Var, VarInfo>,
    (levels, dims): (&[Level], &[Index]),
    value: Atom,
) -> Option<Part> {
    let used = |number: &usize| dims.contains(&Index::Level(*number));
    let over: Vec<usize> = (0..levels.len()).filter(|number| !used(number)).collect();
    if over.is_empty() || !dims.iter().all(|dim| matches!(dim, Index::Level(_))) {
        return None;
    }
    let place: Vec<Atom> = levels.iter().map(|level| level.at.into()).collect();
    let mut trial = kept.clone();
    let look = Pull::new(scopes, known, &mut trial, vars, levels, false);
    let Fold { op, place, is_negative } = look.fold(value, &[], &place)?;
    let mut factors = Vec::new();
    look.factors(op.map.body.results[0], &mut factors);
    if op.width.var().is_some_and(|var| scopes.defs.contains_key(&var)) {
        return None;
    }
    let position = vars.push(VarInfo { hint: "i".into(), ty: Type::I64 });
    let mut levels = levels.to_vec();
    levels.push(Level { position, width: op.width, at: position });
    let place: Vec<Atom> = place.into_iter().chain([position.into()]).collect();
    let (mut outside, mut inside) = (Vec::new(), Vec::new());
    for factor in factors {
        let mut pull = Pull::new(scopes, known, &mut trial, vars, &levels, false);
        let value = pull.value(factor, &place)?;
        let code = Code { reads: pull.reads, stms: pull.stms, value };
        let own = code.levels(&levels, vars);
        let group =
            if over.iter().any(|number| own.contains(number)) { &mut inside } else { &mut outside };
        group.push((factor, own));
    }
    let at: Vec<usize> = (0..levels.len())
        .filter(|number| {
            !over.contains(number) && inside.iter().any(|(_, own)| own.contains(number))
        })
        .collect();
    let saves = (0..levels.len()).any(|number| used(&number) && !at.contains(&number));
    if outside.is_empty() || inside.is_empty() || !saves {
        return None;
    }
    let ty = Type::Scalar(vars[value.var()?].ty.elem()?);
    let product = |pull: &mut Pull<'_, '_>, group: &[(Atom, Vec<usize>)], first: Option<Atom>| {
        let mut all = first;
        for (factor, _) in group {
            let value = pull.value(*factor, &place)?;
            all = Some(match all {
                None => value,
                Some(all) => pull.emit(ty.clone(), Exp::BinOp(BinOp::Mul, all, value)),
            });
        }
        all
    };
    let mut trial = kept.clone();
    let mut pull = Pull::new(scopes, known, &mut trial, vars, &levels, false);
    let value = product(&mut pull, &inside, None)?;
    let code = Code { reads: pull.reads, stms: pull.stms, value };
    let var = vars.push(VarInfo { hint: "x".into(), ty: ty.clone() });
    let factor = Factor { code, over, at, var };
    let mut pull = Pull::new(scopes, known, &mut trial, vars, &levels, false);
    let mut value = product(&mut pull, &outside, Some(var.into()))?;
    if is_negative {
        value = pull.emit(ty, Exp::UnOp(UnOp::Neg, value));
    }
    let code = Code { reads: pull.reads, stms: pull.stms, value };
    *kept = trial;
    let (dims, indices) = (dims.to_vec(), Vec::new());
    Some(Part { dims, levels, code, indices, factor: Some(factor) })
}

impl<'a> Pull<'_, 'a> {
    /// The sum that an operand is at a place, or its element at these indices.
    fn fold(&self, atom: Atom, at: &[Atom], place: &[Atom]) -> Option<Fold<'a>> {
        let def = *self.scopes.defs.get(&atom.var()?)?;
        let place = &place[..self.scopes.scopes[def.scope()].depth];
        let (stm, number) = match def {
            Def::Element(_, input) => {
                let (first, outer) = place.split_last()?;
                let all: Vec<Atom> = [*first].into_iter().chain(at.iter().copied()).collect();
                return self.fold(input.into(), &all, outer);
            }
            Def::Made(_, stm, number) => (stm, number),
        };
        if !stm.certs.is_empty() {
            return None;
        }
        match (&stm.exp, at) {
            (Exp::Atom(other), _) => self.fold(*other, at, place),
            (Exp::Copy(other) | Exp::Manifest(other), _) => self.fold((*other).into(), at, place),
            (Exp::UnOp(UnOp::Neg, other), []) => {
                let fold = self.fold(*other, at, place)?;
                Some(Fold { is_negative: !fold.is_negative, ..fold })
            }
            (Exp::Rearrange(other, perm), _) => {
                let mut all = vec![Atom::i64(0); at.len()];
                for (index, dim) in at.iter().zip(perm) {
                    *all.get_mut(*dim)? = *index;
                }
                self.fold((*other).into(), &all, place)
            }
            (Exp::Index(other, dims), []) => {
                let index = |dim: &Dim| match dim {
                    Dim::Fix(index) => self.plain(*index, place),
                    Dim::Slice { .. } => None,
                };
                let all: Vec<Atom> = dims.iter().map(index).collect::<Option<_>>()?;
                self.fold((*other).into(), &all, place)
            }
            (Exp::Screma(op), []) => {
                let [red] = &op.reds[..] else { return None };
                let sums = op.scans.is_empty() && op.folded() == 1 && number == 0;
                let fits = sums && is_sum(&red.op);
                fits.then(|| Fold { op, place: place.to_vec(), is_negative: false })
            }
            (Exp::Screma(op), [first, rest @ ..])
                if op.scans.is_empty() && number >= op.folded() =>
            {
                // As the function is evaluated where a level is.
                self.level(*first)?;
                let inner: Vec<Atom> = place.iter().copied().chain([*first]).collect();
                self.fold(op.map.body.results[number], rest, &inner)
            }
            _ => None,
        }
    }

    /// What is multiplied.
    fn factors(&self, atom: Atom, out: &mut Vec<Atom>) {
        if let Some(Def::Made(_, stm, _)) = atom.var().and_then(|var| self.scopes.defs.get(&var))
            && let Exp::BinOp(BinOp::Mul, left, right) = stm.exp
            && out.len() < MOST_FACTORS
        {
            self.factors(left, out);
            self.factors(right, out);
            return;
        }
        out.push(atom);
    }
}
