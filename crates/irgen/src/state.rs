//! What a generator knows: variables in scope, which of them may be consumed, costs.

use crate::Config;
use crate::rng::Rng;
use fehu_base::{IdVec, Prim};
use fehu_ir::builder::type_of;
use fehu_ir::{
    Atom, Body, Elem, Exp, Fun, FunId, Lambda, Level, Scalar, Stage, Stm, Type, Var, VarInfo,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of elements that an array may have.
pub(crate) const MAX_ELEMENTS: i64 = 300;
/// The largest number of scalar operations, roughly, of a call of a function.
const MAX_COST: i64 = 100_000;

/// A generator of one function's body.
pub(crate) struct Gen<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) config: Config,
    pub(crate) stage: Stage,
    /// The level of the innermost Seg around the present place.
    pub(crate) level: Option<Level>,
    /// The functions and constants that can be used, with their costs.
    pub(crate) funs: &'a IdVec<FunId, Fun>,
    pub(crate) fun_costs: &'a [i64],
    pub(crate) consts: &'a IdVec<fehu_ir::ConstId, fehu_ir::Const>,
    pub(crate) vars: IdVec<Var, VarInfo>,
    stms: Vec<Stm>,
    /// The variables in scope, consumed ones included.
    pub(crate) env: Vec<Var>,
    consumed: FxHashSet<Var>,
    /// Arrays that share memory with nothing.
    fresh: FxHashSet<Var>,
    /// The innermost lambda or loop, and that of each array.
    pub(crate) frame: u32,
    frames: FxHashMap<Var, u32>,
    /// Variables that are sizes: not negative, and at most this.
    pub(crate) bounds: FxHashMap<Var, i64>,
    /// How often the present place is run, and the cost up to now.
    pub(crate) repeat: i64,
    pub(crate) cost: i64,
    pub(crate) depth: usize,
    next_frame: u32,
}

impl<'a> Gen<'a> {
    pub(crate) fn new(
        rng: &'a mut Rng,
        config: Config,
        stage: Stage,
        funs: &'a IdVec<FunId, Fun>,
        fun_costs: &'a [i64],
        consts: &'a IdVec<fehu_ir::ConstId, fehu_ir::Const>,
    ) -> Gen<'a> {
        Gen {
            rng,
            config,
            stage,
            level: None,
            funs,
            fun_costs,
            consts,
            vars: IdVec::new(),
            stms: Vec::new(),
            env: Vec::new(),
            consumed: FxHashSet::default(),
            fresh: FxHashSet::default(),
            frame: 0,
            frames: FxHashMap::default(),
            bounds: FxHashMap::default(),
            repeat: 1,
            cost: 0,
            depth: 0,
            next_frame: 1,
        }
    }

    /// Whether something that costs this much can still be added.
    pub(crate) fn affordable(&self, cost: i64) -> bool {
        self.cost.saturating_add(cost.saturating_mul(self.repeat)) < MAX_COST
    }

    pub(crate) fn var(&mut self, hint: &str, ty: Type) -> Var {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    /// Puts a variable into scope.
    pub(crate) fn bring(&mut self, var: Var) {
        self.env.push(var);
        self.frames.insert(var, self.frame);
    }

    /// Takes variables out of scope.
    pub(crate) fn hide(&mut self, vars: &[Var]) {
        self.env.retain(|var| !vars.contains(var));
    }

    /// Adds a statement; its variables are in scope from here on.
    pub(crate) fn stm(&mut self, pat: Vec<Var>, exp: Exp) {
        let mut stm = Stm::new(pat, exp);
        if self.rng.chance(5) {
            stm.certs.extend(self.pick(|ty| *ty == Type::CERT));
        }
        for var in &stm.pat {
            self.bring(*var);
            self.cost += self.repeat.saturating_mul(self.elements(&self.vars[*var].ty).max(1));
        }
        if self.rng.chance(3) {
            stm.loc = Some(fehu_ir::Loc("random.fut:1:2-3".into()));
        }
        if self.rng.chance(2) {
            stm.attrs.push(fehu_ir::Attr::named("unroll"));
        }
        self.stms.push(stm);
    }

    /// Adds a statement that is complete.
    pub(crate) fn push(&mut self, stm: Stm) {
        for var in &stm.pat {
            self.bring(*var);
            self.cost += self.repeat;
        }
        self.stms.push(stm);
    }

    /// Binds the result of an expression whose type follows from its operands.
    pub(crate) fn exp(&mut self, hint: &str, exp: Exp) -> Var {
        let ty = type_of(&exp, &self.vars).unwrap_or(Type::CERT);
        self.typed(hint, ty, exp)
    }

    /// Binds the result of an expression; arrays are taken to share memory.
    pub(crate) fn typed(&mut self, hint: &str, ty: Type, exp: Exp) -> Var {
        let var = self.var(hint, ty);
        self.stm(vec![var], exp);
        var
    }

    /// Binds a new array.
    pub(crate) fn fresh_exp(&mut self, hint: &str, exp: Exp) -> Var {
        let var = self.exp(hint, exp);
        self.fresh.insert(var);
        var
    }

    pub(crate) fn set_fresh(&mut self, var: Var) {
        self.fresh.insert(var);
    }

    /// The array may share memory with something from now on.
    pub(crate) fn shared(&mut self, var: Var) {
        self.fresh.remove(&var);
    }

    pub(crate) fn shared_atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.shared(var);
        }
    }

    /// The array must not be used any more.
    pub(crate) fn consume(&mut self, var: Var) {
        self.consumed.insert(var);
        self.fresh.remove(&var);
    }

    /// Whether the array can be consumed here.
    pub(crate) fn is_own(&self, var: Var) -> bool {
        self.fresh.contains(&var) && self.frames.get(&var) == Some(&self.frame)
    }

    /// The array or a copy of it, to be consumed.
    pub(crate) fn own(&mut self, var: Var) -> Var {
        if self.is_own(var) && self.rng.chance(70) {
            return var;
        }
        self.fresh_exp("own", Exp::Copy(var))
    }

    /// The largest value of a size.
    pub(crate) fn bound(&self, size: Atom) -> i64 {
        match size {
            Atom::Const(Scalar::I64(value)) => value,
            Atom::Var(var) => self.bounds.get(&var).copied().unwrap_or(MAX_ELEMENTS),
            Atom::Const(_) => MAX_ELEMENTS,
        }
    }

    /// The largest number of elements of a type.
    pub(crate) fn elements(&self, ty: &Type) -> i64 {
        ty.shape().iter().fold(1i64, |product, size| product.saturating_mul(self.bound(*size)))
    }

    /// A variable in scope whose type fits; later ones are likelier.
    pub(crate) fn pick(&mut self, fits: impl Fn(&Type) -> bool) -> Option<Var> {
        let found: Vec<Var> = self
            .env
            .iter()
            .copied()
            .filter(|var| !self.consumed.contains(var) && fits(&self.vars[*var].ty))
            .collect();
        if found.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(found.len()), self.rng.below(found.len()));
        Some(found[a.max(b)])
    }

    /// A size: a small constant or a variable.
    pub(crate) fn size(&mut self) -> Atom {
        if self.rng.chance(50) {
            let sizes: Vec<Var> =
                self.env.iter().copied().filter(|var| self.bounds.contains_key(var)).collect();
            if let Some(var) = self.rng.pick(&sizes) {
                return Atom::Var(var);
            }
        }
        Atom::i64(if self.rng.chance(5) { 0 } else { self.rng.range(1, 5) })
    }

    /// A new size with a known bound.
    pub(crate) fn new_size(&mut self, hint: &str, bound: i64, exp: Exp) -> Atom {
        let var = self.typed(hint, Type::I64, exp);
        self.bounds.insert(var, bound);
        Atom::Var(var)
    }

    pub(crate) fn prim(&mut self) -> Prim {
        let common = [Prim::I32, Prim::I64, Prim::F32, Prim::Bool];
        if self.rng.chance(60) {
            common[self.rng.below(common.len())]
        } else {
            Prim::ALL[self.rng.below(Prim::ALL.len())]
        }
    }

    pub(crate) fn integer(&mut self) -> Prim {
        Prim::ALL[self.rng.below(8)]
    }

    /// A scalar or array type of moderate size.
    pub(crate) fn any_type(&mut self) -> Type {
        let elem = if self.rng.chance(3) { Elem::Unit } else { Elem::Prim(self.prim()) };
        if elem != Elem::Unit && self.rng.chance(50) {
            return Type::Scalar(elem);
        }
        let rank = 1 + self.rng.below(3);
        let mut shape = Vec::new();
        for _ in 0..rank {
            let size = self.size();
            shape.push(size);
            if self.elements(&Type::Array(elem, shape.clone())) > MAX_ELEMENTS {
                shape.pop();
                shape.push(Atom::i64(1));
            }
        }
        Type::Array(elem, shape)
    }

    /// A value of a type: something in scope, or something new.
    pub(crate) fn value(&mut self, ty: &Type) -> Atom {
        match ty {
            Type::Scalar(Elem::Prim(prim)) => self.scalar(*prim),
            Type::Scalar(Elem::Unit) => Atom::Const(Scalar::Unit),
            Type::Array(..) => Atom::Var(self.array_of(ty)),
            Type::Acc(cert) => {
                let cert = *cert;
                let found = self.pick(|ty| *ty == Type::Acc(cert));
                found.map_or(Atom::Const(Scalar::Unit), Atom::Var)
            }
        }
    }

    /// A body inside: what is bound in it goes out of scope after it.
    pub(crate) fn body(&mut self, make: impl FnOnce(&mut Self) -> Vec<Atom>) -> Body {
        let stms = std::mem::take(&mut self.stms);
        let scope = self.env.len();
        self.depth += 1;
        let results = make(self);
        self.depth -= 1;
        self.env.truncate(scope);
        let stms = std::mem::replace(&mut self.stms, stms);
        Body { stms, results }
    }

    /// A body that is run `times` times and cannot consume what is outside.
    pub(crate) fn frame_body(
        &mut self,
        times: i64,
        make: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> Body {
        let (frame, repeat) = (self.frame, self.repeat);
        self.frame = self.next_frame;
        self.next_frame += 1;
        self.repeat = repeat.saturating_mul(times.max(1));
        let body = self.body(make);
        (self.frame, self.repeat) = (frame, repeat);
        body
    }

    /// A lambda whose parameters have these types and are in scope in the body.
    pub(crate) fn lambda(
        &mut self,
        times: i64,
        params: &[Type],
        ret: Vec<Type>,
        make: impl FnOnce(&mut Self, &[Var]) -> Vec<Atom>,
    ) -> Lambda {
        let params: Vec<Var> = params.iter().map(|ty| self.var("x", ty.clone())).collect();
        let body = self.frame_body(times, |g| {
            for param in &params {
                g.bring(*param);
            }
            make(g, &params)
        });
        Lambda { params, body, ret }
    }

    /// A few random statements, then values of these types.
    pub(crate) fn random_results(&mut self, types: &[Type]) -> Vec<Atom> {
        let count = self.rng.below(4);
        self.statements(count);
        types
            .iter()
            .map(|ty| {
                let value = self.value(ty);
                self.shared_atom(value);
                value
            })
            .collect()
    }

    /// Adds random statements.
    pub(crate) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            let deep = self.depth < 3 && self.affordable(200);
            match self.rng.below(if deep { 12 } else { 6 }) {
                0..3 => self.scalar_stm(),
                3..6 => self.array_stm(),
                6 | 7 => self.soac_stm(),
                8 | 9 => self.chain_stm(),
                _ => self.control_stm(),
            }
        }
    }

    /// The finished function body.
    pub(crate) fn finish(self, results: Vec<Atom>) -> (IdVec<Var, VarInfo>, Body, i64) {
        (self.vars, Body { stms: self.stms, results }, self.cost)
    }
}
