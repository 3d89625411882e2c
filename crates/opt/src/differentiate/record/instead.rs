//! Code that contributes to accumulators, with numbers instead of them or beside them.

use crate::differentiate::common::Common;
use crate::differentiate::once::{Quiet, prune};
use fehu_base::{IdVec, OrBug, bug};
use fehu_ir::builder::Builder;
use fehu_ir::free::free_in_body;
use fehu_ir::visit::VisitMut;
use fehu_ir::{Atom, BinOp, Body, Exp, LoopParam, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

/// What is handed on instead of an accumulator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instead {
    /// Nothing: its contributions go away.
    Nothing,
    /// How many contributions there have been.
    Count,
    /// The accumulator, which is one of columns now, and the place of the next contribution in them.
    Place,
}

impl Instead {
    /// This, of accumulators of a type.
    fn types(self, acc: &Type) -> Vec<Type> {
        match self {
            Instead::Nothing => Vec::new(),
            Instead::Count => vec![Type::I64],
            Instead::Place => vec![acc.clone(), Type::I64],
        }
    }
}

/// Rewrites code that hands accumulators on.
pub(super) struct Accumulators<'c> {
    pub(super) common: &'c Common,
    /// What there is instead of those with these certificates.
    instead: FxHashMap<Var, Instead>,
    /// This, for each of them.
    now: FxHashMap<Var, Vec<Atom>>,
}

impl<'c> Accumulators<'c> {
    pub(super) fn new(common: &'c Common) -> Self {
        Accumulators { common, instead: FxHashMap::default(), now: FxHashMap::default() }
    }

    /// Nothing has been contributed to an accumulator before.
    pub(super) fn start(&mut self, cert: Var, acc: Var, instead: Instead) {
        let now = match instead {
            Instead::Nothing => Vec::new(),
            Instead::Count => vec![0.into()],
            Instead::Place => vec![acc.into(), 0.into()],
        };
        self.instead.insert(cert, instead);
        self.now.insert(acc, now);
    }

    /// The body with how much it contributes to each of these accumulators that it returns as its only results.
    pub(super) fn counted(
        mut body: Body,
        certs: &[Var],
        vars: &mut IdVec<Var, VarInfo>,
        common: &'c Common,
    ) -> Body {
        Quiet.body(&mut body);
        let mut accumulators = Accumulators::new(common);
        let is_counted = |ty: &Type| matches!(ty, Type::Acc(cert) if certs.contains(cert));
        for var in free_in_body(&body, vars) {
            if let Type::Acc(cert) = vars[var].ty {
                let is_counted = certs.contains(&cert);
                let instead = if is_counted { Instead::Count } else { Instead::Nothing };
                accumulators.start(cert, var, instead);
            }
        }
        body.results.retain(|result| result.var().is_some_and(|var| is_counted(&vars[var].ty)));
        accumulators.body(vars, &mut body);
        prune(&mut body, vars, common);
        body
    }

    pub(super) fn of(&self, ty: &Type) -> Option<Instead> {
        let Type::Acc(cert) = ty else { return None };
        self.instead.get(cert).copied()
    }

    pub(super) fn now(&self, acc: Var) -> Vec<Atom> {
        self.now.get(&acc).or_bug("what stands for an accumulator").clone()
    }

    pub(super) fn set(&mut self, acc: Var, now: Vec<Atom>) {
        self.now.insert(acc, now);
    }

    fn replaced(&self, atoms: &[Atom]) -> Vec<Atom> {
        let now = |atom: &Atom| atom.var().and_then(|var| self.now.get(&var));
        atoms.iter().flat_map(|atom| now(atom).cloned().unwrap_or_else(|| vec![*atom])).collect()
    }

    pub(super) fn types(&self, types: &[Type]) -> Vec<Type> {
        let types = types.iter();
        types.flat_map(|ty| self.of(ty).map_or_else(|| vec![ty.clone()], |i| i.types(ty))).collect()
    }

    /// The variables that are bound instead of this one.
    pub(super) fn bind(&mut self, b: &mut Builder<'_>, var: Var) -> Vec<Var> {
        let Some(instead) = self.of(b.ty(var)) else { return vec![var] };
        let new = match instead {
            Instead::Nothing => Vec::new(),
            Instead::Count => vec![b.param("count", Type::I64)],
            Instead::Place => vec![var, b.param("at", Type::I64)],
        };
        self.now.insert(var, new.iter().map(|var| Atom::Var(*var)).collect());
        new
    }

    pub(super) fn body(&mut self, vars: &mut IdVec<Var, VarInfo>, body: &mut Body) {
        let mut inner = Builder::new(vars);
        self.stms(&mut inner, std::mem::take(&mut body.stms));
        *body = inner.finish(self.replaced(&body.results));
    }

    pub(super) fn stms(&mut self, b: &mut Builder<'_>, stms: Vec<Stm>) {
        for stm in stms {
            // Whatever takes an accumulator returns it.
            if !stm.pat.iter().any(|var| self.of(b.ty(*var)).is_some()) {
                b.push(stm);
                continue;
            }
            let before = (b.set_loc(stm.loc.clone()), b.set_certs(stm.certs.clone()));
            self.stm(b, stm);
            b.set_loc(before.0);
            b.set_certs(before.1);
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "others cannot consume and return accumulators"
    )]
    fn stm(&mut self, b: &mut Builder<'_>, mut stm: Stm) {
        match stm.exp {
            Exp::Atom(acc) => self.same(b, stm.pat[0], acc, Exp::Atom),
            Exp::Opaque(acc) => self.same(b, stm.pat[0], acc, Exp::Opaque),
            Exp::Trace(tag, acc) => {
                self.same(b, stm.pat[0], acc, |acc| Exp::Trace(tag.clone(), acc));
            }
            Exp::UpdateAcc(acc, indices, values) => {
                self.contribution(b, stm.pat[0], acc, [indices, values].concat());
            }
            Exp::Screma(op) if op.folded() == 0 => {
                let is_placed = |var: &Var| self.of(b.ty(*var)) == Some(Instead::Place);
                match op.inputs.iter().any(is_placed) {
                    true => self.placed_positions(b, stm.pat, *op),
                    false => self.counted_positions(b, stm.pat, *op),
                }
            }
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Fail(_) => {
                if let Exp::Loop(params, ..) = &mut stm.exp {
                    *params = self.params(b, params);
                }
                stm.exp.map_bodies(&mut |body| self.body(b.vars_mut(), body));
                stm.pat = stm.pat.into_iter().flat_map(|var| self.bind(b, var)).collect();
                // What only contributed to what is not counted has nothing left but checks.
                if !stm.pat.is_empty() {
                    b.push(stm);
                }
            }
            _ => bug("an accumulator is handed on by what cannot do that"),
        }
    }

    /// The accumulator itself.
    fn same(&mut self, b: &mut Builder<'_>, var: Var, acc: Atom, exp: impl Fn(Atom) -> Exp) {
        let old = self.replaced(&[acc]);
        for (new, old) in self.bind(b, var).into_iter().zip(old) {
            let exp = if new == var { exp(old) } else { Exp::Atom(old) };
            b.stm(vec![new], exp);
        }
    }

    fn contribution(&mut self, b: &mut Builder<'_>, var: Var, acc: Var, row: Vec<Atom>) {
        let old = self.now(acc);
        for (new, number) in self.bind(b, var).into_iter().zip(&old) {
            let exp = match new == var {
                true => Exp::UpdateAcc(acc, vec![old[1]], row.clone()),
                false => Exp::BinOp(BinOp::Add, *number, 1.into()),
            };
            b.stm(vec![new], exp);
        }
    }

    fn params(&mut self, b: &mut Builder<'_>, params: &[LoopParam]) -> Vec<LoopParam> {
        let mut new = Vec::new();
        for param in params {
            let inits = self.replaced(&[param.init]);
            let vars = self.bind(b, param.var);
            new.extend(vars.into_iter().zip(inits).map(|(var, init)| LoopParam { var, init }));
        }
        new
    }
}
