//! Host code: bodies of functions, and of loops and branches in them. Operators are flattened, and the rest stays.

use crate::context::Cx;
use crate::fold::folds as folds_of;
use crate::is_sequential;
use crate::vector::element_operator;
use fehu_base::IdVec;
use fehu_facts::consumed;
use fehu_ir::builder::atom_type;
use fehu_ir::free::bound_in_lambda;
use fehu_ir::visit::{Visit, VisitMut, walk_stm, walk_type_mut};
use fehu_ir::{Atom, Body, Exp, Stm, Type, Var, VarInfo};
use rustc_hash::FxHashMap;

impl Cx<'_> {
    /// Flattens the operators of a whole function.
    pub(crate) fn whole_function(&mut self, body: &mut Body) {
        let mut equal = Equal { vars: self.vars, found: FxHashMap::default() };
        equal.body(body);
        self.equal = equal.found;
        self.host(body);
        let renames = std::mem::take(&mut self.renames);
        if renames.is_empty() {
            return;
        }
        let mut rename = Rename(&renames);
        rename.body(body);
        for info in self.vars.values_mut() {
            walk_type_mut(&mut rename, &mut info.ty);
        }
    }

    fn host(&mut self, body: &mut Body) {
        let before = std::mem::take(&mut self.out);
        for stm in std::mem::take(&mut body.stms) {
            self.host_stm(stm);
        }
        body.stms = std::mem::replace(&mut self.out, before);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other statements stay as they are")]
    pub(crate) fn host_stm(&mut self, mut stm: Stm) {
        let sequential = is_sequential(&stm);
        match &mut stm.exp {
            Exp::Screma(op) if !sequential => {
                let folds = op.folded() > 0;
                self.begin(&stm);
                self.operator(stm, folds);
            }
            Exp::Hist(_) | Exp::Scatter(_) | Exp::Partition(_) if !sequential => {
                self.begin(&stm);
                self.writing(stm);
            }
            Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_) => self.out.push(stm),
            Exp::WithAcc(_, lambda) => {
                self.host(&mut lambda.body);
                self.out.push(stm);
            }
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) => {
                stm.exp.map_bodies(&mut |body| self.host(body));
                self.out.push(stm);
            }
            _ => self.out.push(stm),
        }
    }

    /// Notes what an operator of the host binds and changes.
    fn begin(&mut self, stm: &Stm) {
        stm.exp.for_each_lambda(&mut |lambda| self.local.extend(bound_in_lambda(lambda)));
        let found = consumed(self.prog, stm);
        self.consumed = found.iter().filter_map(|var| self.share.class(*var)).collect();
    }

    fn writing(&mut self, stm: Stm) {
        if !self.writes_parallel(&stm) {
            return self.by_itself(stm);
        }
        let mark = self.vars.len();
        let arrays = self.write(&stm);
        self.name_results(&stm, arrays, mark);
    }

    /// An operator of the host whose functions are sequential.
    fn by_itself(&mut self, stm: Stm) {
        let stm = self.segs().leaf(stm, 0);
        self.out.push(stm);
    }

    fn operator(&mut self, stm: Stm, folds: bool) {
        let Exp::Screma(op) = &stm.exp else { return };
        let vector = folds_of(op).iter().any(|fold| {
            let known = element_operator(fold.op(), self.vars);
            known.is_some_and(|(_, width)| self.is_host(width))
        });
        self.enter(&stm, op.width, &op.inputs, &op.map);
        let plan = self.plan(&op.map.body);
        let parallel = match folds {
            true => plan.has_operators(),
            false => plan.is_parallel() || self.block_widths(&op.map.body).is_some(),
        };
        self.levels.pop();
        if !vector && !parallel {
            return self.by_itself(stm);
        }
        let mark = self.vars.len();
        let arrays = if folds { self.fold(&stm) } else { self.map(&stm) };
        self.name_results(&stm, arrays, mark);
    }

    /// The results of an operator get the names that it had for them.
    fn name_results(&mut self, stm: &Stm, arrays: Vec<Var>, mark: usize) {
        for (var, array) in stm.pat.iter().zip(arrays) {
            let new = fehu_base::id::Id::index(array) >= mark;
            if new && !self.renames.contains_key(&array) {
                self.renames.insert(array, *var);
            } else {
                self.out.push(Stm::new(vec![*var], Exp::Atom(array.into())));
            }
        }
    }
}

/// Arrays whose elements are all the same scalar.
struct Equal<'a> {
    vars: &'a IdVec<Var, VarInfo>,
    found: FxHashMap<Var, Atom>,
}

impl Visit for Equal<'_> {
    fn stm(&mut self, stm: &Stm) {
        if let (Exp::Replicate(_, atom), [var]) = (&stm.exp, &stm.pat[..]) {
            let element = match atom_type(*atom, self.vars) {
                Type::Scalar(_) => Some(*atom),
                Type::Array(..) | Type::Acc(_) => {
                    atom.var().and_then(|array| self.found.get(&array).copied())
                }
            };
            self.found.extend(element.map(|element| (*var, element)));
        }
        walk_stm(self, stm);
    }
}

struct Rename<'a>(&'a FxHashMap<Var, Var>);

impl VisitMut for Rename<'_> {
    fn use_var(&mut self, var: &mut Var) {
        if let Some(new) = self.0.get(var) {
            *var = *new;
        }
    }

    fn use_atom(&mut self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            self.use_var(var);
        }
    }

    fn bind(&mut self, var: &mut Var) {
        self.use_var(var);
    }
}
