//! Scopes, and what all the type checks share.

use super::levels::{self, Levels};
use super::{Owner, VerifyError, excerpt};
use crate::subst::{Subst, subst_type};
use crate::text::{show_atom, show_type, var_name};
use crate::{Atom, Body, Exp, Lambda, Level, Prog, Stm, Type, Var, VarInfo};
use fehu_base::IdVec;
use fehu_base::id::Id;
use rustc_hash::FxHashMap;

/// Checks scopes and types of all constants and functions.
pub(super) fn check(prog: &Prog, errors: &mut Vec<VerifyError>) {
    let levels = levels::find(prog);
    for (id, item) in prog.consts.iter() {
        let mut checker = Checker::new(prog, &levels, &item.vars, Owner::Const(id), errors);
        checker.function(&[], &item.results, &item.body);
    }
    for (id, fun) in prog.funs.iter() {
        let mut checker = Checker::new(prog, &levels, &fun.vars, Owner::Fun(id), errors);
        let params: Vec<Var> = fun.params.iter().map(|param| param.var).collect();
        checker.function(&params, &fun.results, &fun.body);
    }
    super::control::check_constants(prog, errors);
}

/// What is known of an accumulator.
#[derive(Clone)]
pub(super) struct AccInfo {
    pub(super) shape: Vec<Atom>,
    /// The types of the values that are written.
    pub(super) rows: Vec<Type>,
}

pub(super) struct Checker<'a> {
    pub(super) prog: &'a Prog,
    /// The levels of all functions.
    pub(super) levels: &'a Levels,
    pub(super) owner: Owner,
    pub(super) vars: &'a IdVec<Var, VarInfo>,
    errors: &'a mut Vec<VerifyError>,
    in_scope: Vec<bool>,
    bound: Vec<bool>,
    /// The variables in scope in the order of their bindings.
    trail: Vec<Var>,
    /// Sizes that are copies of other operands.
    copies: FxHashMap<Var, Atom>,
    /// Accumulators by their certificates.
    pub(super) accs: FxHashMap<Var, AccInfo>,
    /// The level of the innermost Seg around.
    pub(super) level: Option<Level>,
    stm_count: usize,
    current: Vec<(usize, &'a Stm)>,
}

impl<'a> Checker<'a> {
    fn new(
        prog: &'a Prog,
        levels: &'a Levels,
        vars: &'a IdVec<Var, VarInfo>,
        owner: Owner,
        errors: &'a mut Vec<VerifyError>,
    ) -> Checker<'a> {
        Checker {
            prog,
            levels,
            owner,
            vars,
            errors,
            in_scope: vec![false; vars.len()],
            bound: vec![false; vars.len()],
            trail: Vec::new(),
            copies: FxHashMap::default(),
            accs: FxHashMap::default(),
            level: None,
            stm_count: 0,
            current: Vec::new(),
        }
    }

    fn function(&mut self, params: &[Var], results: &[Var], body: &'a Body) {
        self.bind(params);
        for var in params.iter().chain(results) {
            if matches!(self.declared(*var), Some(Type::Acc(_))) {
                let name = self.name(*var);
                self.fail(format!("accumulator \"{name}\" is a parameter or result"));
            }
        }
        // Results are in scope only in each other's types.
        self.scoped(|c| c.bind(results));
        let found = self.body(body);
        let types = self.declared_types(results);
        self.match_results("the function", results, &types, &body.results, &found);
    }

    pub(super) fn fail(&mut self, message: String) {
        let name = match self.owner {
            Owner::Const(id) => self.prog.consts[id].name.to_string(),
            Owner::Fun(id) => self.prog.funs[id].name.to_string(),
            Owner::Entry(index) => self.prog.entries[index].name.to_string(),
        };
        let stm = self.current.last().map(|(number, _)| *number);
        let text = self.current.last().map(|(_, stm)| excerpt(stm, self.vars));
        self.errors.push(VerifyError { owner: self.owner, name, stm, text, message });
    }

    pub(super) fn name(&self, var: Var) -> String {
        var_name(var, self.vars)
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        show_type(ty, self.vars)
    }

    pub(super) fn show_atom(&self, atom: Atom) -> String {
        show_atom(atom, self.vars)
    }

    /// Runs `work` and ends the scope of everything that it bound.
    pub(super) fn scoped<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.trail.len();
        let result = work(self);
        for var in self.trail.drain(start..) {
            self.in_scope[var.index()] = false;
        }
        result
    }

    /// Binds variables whose types may mention each other.
    pub(super) fn bind(&mut self, vars: &[Var]) {
        for var in vars {
            let Some(bound) = self.bound.get_mut(var.index()) else {
                self.fail(format!("variable {} is not in the table of variables", var.0));
                continue;
            };
            if std::mem::replace(bound, true) {
                let name = self.name(*var);
                self.fail(format!("variable \"{name}\" is bound twice"));
                continue;
            }
            self.in_scope[var.index()] = true;
            self.trail.push(*var);
        }
        for var in vars {
            if let Some(ty) = self.declared(*var) {
                self.well_formed(&ty);
            }
        }
    }

    /// The type in the table, without looking at scopes.
    pub(super) fn declared(&self, var: Var) -> Option<Type> {
        self.vars.get(var).map(|info| info.ty.clone())
    }

    pub(super) fn declared_types(&self, vars: &[Var]) -> Vec<Type> {
        vars.iter().map(|var| self.declared(*var).unwrap_or(Type::CERT)).collect()
    }

    /// Whether the sizes of a type are sizes and in scope.
    pub(super) fn well_formed(&mut self, ty: &Type) {
        match ty {
            Type::Scalar(_) => {}
            Type::Array(_, shape) => {
                if shape.is_empty() {
                    self.fail("an array type without dimensions".to_owned());
                }
                for size in shape {
                    self.size(*size);
                }
            }
            Type::Acc(cert) => {
                let cert = *cert;
                if self.var(cert).is_some_and(|ty| ty != Type::CERT) {
                    let name = self.name(cert);
                    self.fail(format!("\"{name}\" names an accumulator but is not a certificate"));
                }
            }
        }
    }

    /// A size in a type.
    fn size(&mut self, size: Atom) {
        self.want(size, &Type::I64, "a size");
    }

    /// The type of a variable in scope.
    pub(super) fn var(&mut self, var: Var) -> Option<Type> {
        if self.in_scope.get(var.index()) != Some(&true) {
            let name = self.name(var);
            self.fail(format!("variable \"{name}\" is not in scope"));
            return None;
        }
        self.declared(var)
    }

    /// The type of an operand in scope.
    pub(super) fn atom(&mut self, atom: Atom) -> Option<Type> {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Const(value) => Some(Type::Scalar(value.elem())),
        }
    }

    pub(super) fn atoms(&mut self, atoms: &[Atom]) -> Vec<Option<Type>> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    /// The element type and shape of an array in scope.
    pub(super) fn array(&mut self, var: Var) -> Option<(crate::Elem, Vec<Atom>)> {
        match self.var(var)? {
            Type::Array(elem, shape) => Some((elem, shape)),
            other @ (Type::Scalar(_) | Type::Acc(_)) => {
                let (name, ty) = (self.name(var), self.show(&other));
                self.fail(format!("\"{name}\" should be an array but has type {ty}"));
                None
            }
        }
    }

    /// Demands that an operand has a type; `what` says what it is: "a size".
    pub(super) fn want(&mut self, atom: Atom, ty: &Type, what: &str) {
        if let Some(found) = self.atom(atom) {
            self.same(&found, ty, || what.to_owned(), Some(atom));
        }
    }

    pub(super) fn want_i64(&mut self, atoms: &[Atom], what: &str) {
        for atom in atoms {
            self.want(*atom, &Type::I64, what);
        }
    }

    /// Demands that two types are the same.
    pub(super) fn same(
        &mut self,
        found: &Type,
        wanted: &Type,
        what: impl FnOnce() -> String,
        atom: Option<Atom>,
    ) {
        if self.same_type(found, wanted) {
            return;
        }
        let (found, wanted) = (self.show(found), self.show(wanted));
        let subject = atom.map_or(String::new(), |atom| format!(" \"{}\"", self.show_atom(atom)));
        self.fail(format!("{}{subject} has type {found}, but should have type {wanted}", what()));
    }

    pub(super) fn same_type(&self, a: &Type, b: &Type) -> bool {
        match (a, b) {
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Array(a, s), Type::Array(b, t)) => {
                a == b && s.len() == t.len() && s.iter().zip(t).all(|(s, t)| self.same_size(*s, *t))
            }
            (Type::Acc(a), Type::Acc(b)) => a == b,
            (Type::Scalar(_) | Type::Array(..) | Type::Acc(_), _) => false,
        }
    }

    pub(super) fn same_size(&self, a: Atom, b: Atom) -> bool {
        self.canonical(a) == self.canonical(b)
    }

    fn canonical(&self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.copies.get(&var).copied().unwrap_or(atom),
            Atom::Const(_) => atom,
        }
    }

    /// Demands that operands have types that may mention `binders`, for which the operands stand.
    pub(super) fn match_results(
        &mut self,
        what: &str,
        binders: &[Var],
        wanted: &[Type],
        atoms: &[Atom],
        found: &[Option<Type>],
    ) {
        if wanted.len() != atoms.len() {
            let (wanted, found) = (wanted.len(), atoms.len());
            self.fail(format!("{what} should have {wanted} values but has {found}"));
            return;
        }
        let subst: Subst = binders.iter().copied().zip(atoms.iter().copied()).collect();
        for ((wanted, found), atom) in wanted.iter().zip(found).zip(atoms) {
            let Some(found) = found else { continue };
            let mut wanted = wanted.clone();
            subst_type(&mut wanted, &subst);
            self.same(found, &wanted, || format!("in {what}: the value"), Some(*atom));
        }
    }

    /// Demands that a pattern has these types.
    pub(super) fn match_pattern(&mut self, pat: &[Var], found: &[Type]) {
        if pat.len() != found.len() {
            let (found, wanted) = (found.len(), pat.len());
            self.fail(format!("the expression has {found} results but {wanted} are bound"));
            return;
        }
        for (var, found) in pat.iter().zip(found) {
            if let Some(ty) = self.declared(*var) {
                self.same(&ty, found, || "the variable".to_owned(), Some(Atom::Var(*var)));
            }
        }
    }

    /// Checks a body in a scope of its own; the types of its results.
    pub(super) fn body(&mut self, body: &'a Body) -> Vec<Option<Type>> {
        self.scoped(|c| {
            for stm in &body.stms {
                c.stm(stm);
            }
            c.atoms(&body.results)
        })
    }

    fn stm(&mut self, stm: &'a Stm) {
        self.current.push((self.stm_count, stm));
        self.stm_count += 1;
        for cert in &stm.certs {
            if let Some(ty) = self.var(*cert)
                && ty != Type::CERT
            {
                let (name, ty) = (self.name(*cert), self.show(&ty));
                self.fail(format!("certificate \"{name}\" has type {ty}"));
            }
        }
        if !stm.exp.legal_in(self.prog.stage) {
            let stage = self.prog.stage.name();
            self.fail(format!("the operation does not belong to stage \"{stage}\""));
        }
        if let Some(found) = self.exp(&stm.exp, &stm.pat) {
            self.match_pattern(&stm.pat, &found);
        }
        self.bind(&stm.pat);
        if let (Exp::Atom(atom), [var]) = (&stm.exp, stm.pat.as_slice()) {
            self.copies.insert(*var, self.canonical(*atom));
        }
        self.current.pop();
    }

    /// Checks a lambda whose parameters should have these types; its result types. These may mention
    /// the parameters only if `open`.
    pub(super) fn lambda(
        &mut self,
        what: &str,
        lambda: &'a Lambda,
        params: &[Type],
        open: bool,
    ) -> Vec<Type> {
        self.params(what, lambda, params);
        if !open {
            for ty in &lambda.ret {
                self.well_formed(ty);
            }
        }
        self.scoped(|c| {
            c.bind(&lambda.params);
            if open {
                for ty in &lambda.ret {
                    c.well_formed(ty);
                }
            }
            let found = c.body(&lambda.body);
            c.match_results(what, &[], &lambda.ret, &lambda.body.results, &found);
        });
        lambda.ret.clone()
    }

    /// Checks the parameters of a lambda, which should have these types.
    pub(super) fn params(&mut self, what: &str, lambda: &'a Lambda, params: &[Type]) {
        if lambda.params.len() != params.len() {
            let (wanted, found) = (params.len(), lambda.params.len());
            self.fail(format!("{what} should have {wanted} parameters but has {found}"));
            return;
        }
        for (var, wanted) in lambda.params.iter().zip(params) {
            let Some(ty) = self.declared(*var) else { continue };
            let what = || format!("in {what}: the parameter");
            self.same(&ty, wanted, what, Some(Atom::Var(*var)));
        }
    }

    /// Checks an expression. The types of its results, or nothing if they were compared with the pattern
    /// already or cannot be known because of an error.
    fn exp(&mut self, exp: &'a Exp, pat: &[Var]) -> Option<Vec<Type>> {
        match exp {
            Exp::Atom(_)
            | Exp::UnOp(..)
            | Exp::BinOp(..)
            | Exp::CmpOp(..)
            | Exp::Math(..)
            | Exp::Convert(..)
            | Exp::Reinterpret(..)
            | Exp::Assert(..)
            | Exp::Notice(..)
            | Exp::Trace(..)
            | Exp::Opaque(_)
            | Exp::Tuning(..)
            | Exp::Threads
            | Exp::Fail(_) => self.scalar_exp(exp).map(|ty| vec![ty]),
            Exp::Array(..)
            | Exp::Index(..)
            | Exp::Update(..)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..)
            | Exp::Concat(..)
            | Exp::Iota(..)
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Reshape(..)
            | Exp::Rearrange(..)
            | Exp::Copy(_)
            | Exp::Manifest(_) => self.array_exp(exp).map(|ty| vec![ty]),
            Exp::If(..) | Exp::Switch(..) | Exp::Loop(..) | Exp::Call(..) | Exp::Const(_) => {
                self.control_exp(exp, pat)
            }
            Exp::Screma(_)
            | Exp::Hist(_)
            | Exp::Scatter(_)
            | Exp::Stream(_)
            | Exp::Partition(_)
            | Exp::WithAcc(..)
            | Exp::Flatmap(_)
            | Exp::UpdateAcc(..) => self.soac_exp(exp, pat),
            Exp::Diff(op) => self.diff(op),
            Exp::Seg(seg) => self.seg(seg),
        }
    }
}
