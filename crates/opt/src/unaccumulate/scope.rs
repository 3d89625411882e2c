//! What the function of an accumulation consists of: where its variables are defined, and where it contributes.

use fehu_base::IdVec;
use fehu_ir::{Atom, Body, Exp, Lambda, Stm, Type, Var, VarInfo};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function or branch inside. What is directly in the accumulation's function belongs to no scope: it is evaluated once.
pub(super) type ScopeId = usize;

/// What a scope is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    /// The function of a map, at each of this many positions.
    Map(Atom),
    /// A branch that is taken if the condition has this value.
    Branch(Atom, bool),
}

pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    pub(super) kind: Kind,
    /// The first variable that the statement binds that the scope is part of.
    pub(super) stm: Option<Var>,
    /// How many maps it is in, itself included.
    pub(super) depth: usize,
}

/// How a variable is defined.
#[derive(Clone, Copy)]
pub(super) enum Def<'a> {
    /// An element of an input, at the position of the scope.
    Element(ScopeId, Var),
    /// A result of a statement.
    Made(ScopeId, &'a Stm, usize),
}

impl Def<'_> {
    pub(super) fn scope(&self) -> ScopeId {
        match self {
            Def::Element(scope, _) | Def::Made(scope, ..) => *scope,
        }
    }
}

/// A contribution: the scope, and the statement.
#[derive(Clone)]
pub(super) struct Update {
    pub(super) scope: Option<ScopeId>,
    pub(super) indices: Vec<Atom>,
    pub(super) value: Atom,
    /// Conditions inside of the scope, and the values that they have where it contributes.
    pub(super) branches: Vec<(Atom, bool)>,
}

/// Everything inside.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    pub(super) scopes: Vec<Scope>,
    pub(super) defs: FxHashMap<Var, Def<'a>>,
    /// The scope of the function of a map, by the first variable that it binds.
    pub(super) functions: FxHashMap<Var, ScopeId>,
    /// The contributions to each accumulator, by its certificate.
    pub(super) updates: FxHashMap<Var, Vec<Update>>,
    /// Accumulators with contributions that are not understood, such as those in loops.
    pub(super) blocked: FxHashSet<Var>,
}

impl<'a> Scopes<'a> {
    /// Those of an accumulation's function.
    pub(super) fn of(lambda: &'a Lambda, vars: &IdVec<Var, VarInfo>) -> Scopes<'a> {
        let mut scopes = Scopes::default();
        scopes.body(&lambda.body, None, vars);
        scopes
    }

    /// The scopes around one, from the outermost to itself.
    pub(super) fn chain(&self, scope: Option<ScopeId>) -> Vec<ScopeId> {
        let mut chain = Vec::new();
        let mut next = scope;
        while let Some(id) = next {
            chain.push(id);
            next = self.scopes[id].parent;
        }
        chain.reverse();
        chain
    }

    /// How many maps a scope is in.
    pub(super) fn depth(&self, scope: Option<ScopeId>) -> usize {
        scope.map_or(0, |id| self.scopes[id].depth)
    }

    fn enter(&mut self, parent: Option<ScopeId>, kind: Kind, stm: &Stm) -> ScopeId {
        let more = usize::from(matches!(kind, Kind::Map(_)));
        let depth = self.depth(parent) + more;
        self.scopes.push(Scope { parent, kind, stm: stm.pat.first().copied(), depth });
        self.scopes.len() - 1
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what is inside of others is not looked at")]
    fn body(&mut self, body: &'a Body, scope: Option<ScopeId>, vars: &IdVec<Var, VarInfo>) {
        for stm in &body.stms {
            if let Some(scope) = scope {
                for (index, var) in stm.pat.iter().enumerate() {
                    self.defs.insert(*var, Def::Made(scope, stm, index));
                }
            }
            match &stm.exp {
                Exp::UpdateAcc(acc, indices, values) => {
                    let Type::Acc(cert) = vars[*acc].ty else { continue };
                    match &values[..] {
                        [value] => {
                            let (indices, branches) = (indices.clone(), Vec::new());
                            let update = Update { scope, indices, value: *value, branches };
                            self.updates.entry(cert).or_default().push(update);
                        }
                        _ => {
                            self.blocked.insert(cert);
                        }
                    }
                }
                Exp::Screma(op) => {
                    let inner = self.enter(scope, Kind::Map(op.width), stm);
                    if let Some(first) = stm.pat.first() {
                        self.functions.insert(*first, inner);
                    }
                    for (param, input) in op.map.params.iter().zip(&op.inputs) {
                        self.defs.insert(*param, Def::Element(inner, *input));
                    }
                    self.body(&op.map.body, Some(inner), vars);
                }
                Exp::If(cond, bodies) => {
                    for (body, value) in bodies.iter().zip([true, false]) {
                        let inner = self.enter(scope, Kind::Branch(*cond, value), stm);
                        self.body(body, Some(inner), vars);
                    }
                }
                Exp::Atom(_) => {}
                _ => {
                    for var in &stm.pat {
                        if let Type::Acc(cert) = vars[*var].ty {
                            self.blocked.insert(cert);
                        }
                    }
                }
            }
        }
    }
}
