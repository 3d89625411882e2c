//! Making bodies statement by statement.
//!
//! ```
//! use fehu_ir::{Atom, BinOp, Exp, Type, builder::Builder};
//! let mut vars = fehu_base::IdVec::new();
//! let mut b = Builder::new(&mut vars);
//! let n = b.param("n", Type::I64);
//! let m = b.exp("m", Exp::BinOp(BinOp::Add, n.into(), Atom::i64(1)));
//! let xs = b.exp("xs", Exp::Replicate(vec![m.into()], Atom::bool(true)));
//! let body = b.finish(vec![m.into(), xs.into()]);
//! assert_eq!(body.stms.len(), 2);
//! ```

use crate::visit::Visit;
use crate::{
    Atom, Body, Check, Dim, Elem, Exp, Lambda, Loc, Stm, Type, Var, VarInfo,
    verify::scalar::math_result,
};
use ecow::EcoString;
use fehu_base::{IdVec, OrBug, Prim};

/// Collects statements; bodies inside of bodies are made by [`Builder::body`] and [`Builder::lambda`].
pub struct Builder<'a> {
    vars: &'a mut IdVec<Var, VarInfo>,
    stms: Vec<Stm>,
    certs: Vec<Var>,
    loc: Option<Loc>,
}

impl<'a> Builder<'a> {
    /// A builder of the outermost body of a function with these variables.
    pub fn new(vars: &'a mut IdVec<Var, VarInfo>) -> Builder<'a> {
        Builder { vars, stms: Vec::new(), certs: Vec::new(), loc: None }
    }

    /// The variables.
    pub fn vars(&self) -> &IdVec<Var, VarInfo> {
        self.vars
    }

    /// The variables, to copy code.
    pub fn vars_mut(&mut self) -> &mut IdVec<Var, VarInfo> {
        self.vars
    }

    /// The type of a variable.
    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var].ty
    }

    /// The type of an operand.
    pub fn atom_ty(&self, atom: Atom) -> Type {
        atom_type(atom, self.vars)
    }

    /// A new variable that is not bound yet.
    pub fn param(&mut self, hint: impl Into<EcoString>, ty: Type) -> Var {
        self.vars.push(VarInfo { hint: hint.into(), ty })
    }

    /// Sets the certificates of the statements to come; returns those before.
    pub fn set_certs(&mut self, certs: Vec<Var>) -> Vec<Var> {
        std::mem::replace(&mut self.certs, certs)
    }

    /// Sets the place of the statements to come; returns the one before.
    pub fn set_loc(&mut self, loc: Option<Loc>) -> Option<Loc> {
        std::mem::replace(&mut self.loc, loc)
    }

    /// Adds a statement as it is.
    pub fn push(&mut self, stm: Stm) {
        self.stms.push(stm);
    }

    /// Adds a statement that binds variables made before; with the current certificates and place.
    pub fn stm(&mut self, pat: Vec<Var>, exp: Exp) {
        let (certs, loc) = (self.certs.clone(), self.loc.clone());
        self.stms.push(Stm { pat, certs, attrs: Vec::new(), loc, exp });
    }

    /// Binds the result of an expression whose type [`type_of`] can tell. For another expression this
    /// is a mistake of the caller; the verifier finds it, because the type is then unit.
    pub fn exp(&mut self, hint: impl Into<EcoString>, exp: Exp) -> Var {
        let ty = type_of(&exp, self.vars);
        self.typed(hint, ty.or_bug("type of the expression"), exp)
    }

    /// Binds the result of an expression of this type.
    pub fn typed(&mut self, hint: impl Into<EcoString>, ty: Type, exp: Exp) -> Var {
        let var = self.param(hint, ty);
        self.stm(vec![var], exp);
        var
    }

    /// Binds several results of these types.
    pub fn several(&mut self, hint: &str, types: Vec<Type>, exp: Exp) -> Vec<Var> {
        let pat: Vec<Var> = types.into_iter().map(|ty| self.param(hint, ty)).collect();
        self.stm(pat.clone(), exp);
        pat
    }

    /// A certificate that the condition holds.
    pub fn assert(&mut self, cond: Atom, check: Check) -> Var {
        self.typed("cert", Type::CERT, Exp::Assert(cond, check))
    }

    /// A body inside: `make` adds its statements and returns its results. Certificates do not reach into
    /// it, for it is not evaluated before the statement that it is part of.
    pub fn body(&mut self, make: impl FnOnce(&mut Builder<'_>) -> Vec<Atom>) -> Body {
        let mut inner = Builder::new(self.vars);
        inner.loc.clone_from(&self.loc);
        let results = make(&mut inner);
        inner.finish(results)
    }

    /// A lambda with these parameters: hints and types.
    pub fn lambda(
        &mut self,
        params: Vec<(EcoString, Type)>,
        ret: Vec<Type>,
        make: impl FnOnce(&mut Builder<'_>, &[Var]) -> Vec<Atom>,
    ) -> Lambda {
        let params: Vec<Var> = params.into_iter().map(|(hint, ty)| self.param(hint, ty)).collect();
        let body = self.body(|b| make(b, &params));
        Lambda { params, body, ret }
    }

    /// The body with these results.
    pub fn finish(self, results: Vec<Atom>) -> Body {
        Body { stms: self.stms, results }
    }
}

/// The type of an operand.
pub fn atom_type(atom: Atom, vars: &IdVec<Var, VarInfo>) -> Type {
    match atom {
        Atom::Var(var) => vars[var].ty.clone(),
        Atom::Const(value) => Type::Scalar(value.elem()),
    }
}

/// The type of an expression with one result, if it follows from the operands: of all operations on
/// scalars and of arrays without functions, but not of branches, loops, calls and operators.
pub fn type_of(exp: &Exp, vars: &IdVec<Var, VarInfo>) -> Option<Type> {
    let atom = |atom: &Atom| atom_type(*atom, vars);
    match exp {
        Exp::Atom(a)
        | Exp::UnOp(_, a)
        | Exp::BinOp(_, a, _)
        | Exp::Trace(_, a)
        | Exp::Opaque(a) => Some(atom(a)),
        Exp::Tuning(..) | Exp::Threads => Some(Type::I64),
        Exp::CmpOp(..) => Some(Type::BOOL),
        Exp::Math(f, atoms) => match atom(atoms.first()?) {
            Type::Scalar(Elem::Prim(prim)) => math_result(*f, prim).map(Type::prim),
            Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => None,
        },
        Exp::Convert(prim, _) | Exp::Reinterpret(prim, _) => Some(Type::prim(*prim)),
        Exp::Assert(..) | Exp::Notice(..) => Some(Type::CERT),
        Exp::Array(elem, atoms) => {
            let row = atoms.first().map_or(Type::Scalar(*elem), atom);
            row.array_of(Atom::i64(atoms.len() as i64))
        }
        Exp::Index(array, dims) => {
            let ty = &vars[*array].ty;
            let mut sizes: Vec<Atom> = dims
                .iter()
                .filter_map(|dim| match dim {
                    Dim::Fix(_) => None,
                    Dim::Slice { len, .. } => Some(*len),
                })
                .collect();
            sizes.extend_from_slice(ty.shape().get(dims.len()..)?);
            Some(Type::array(ty.elem()?, sizes))
        }
        Exp::FlatIndex(array, _, dims) => {
            let ty = &vars[*array].ty;
            let mut sizes: Vec<Atom> = dims.iter().map(|(len, _)| *len).collect();
            sizes.extend_from_slice(ty.shape().get(1..)?);
            Some(Type::array(ty.elem()?, sizes))
        }
        Exp::Update(array, ..)
        | Exp::FlatUpdate(array, ..)
        | Exp::Copy(array)
        | Exp::Manifest(array)
        | Exp::UpdateAcc(array, ..) => Some(vars[*array].ty.clone()),
        Exp::Concat(size, arrays) => vars[*arrays.first()?].ty.row()?.array_of(*size),
        Exp::Iota(prim, count, ..) => Some(Type::array((*prim).into(), vec![*count])),
        Exp::Replicate(shape, value) => {
            let ty = atom(value);
            let mut sizes = shape.clone();
            sizes.extend_from_slice(ty.shape());
            Some(Type::array(ty.elem()?, sizes))
        }
        Exp::Scratch(elem, shape) => Some(Type::array(*elem, shape.clone())),
        Exp::Reshape(array, shape) => Some(Type::array(vars[*array].ty.elem()?, shape.clone())),
        Exp::Rearrange(array, perm) => {
            let ty = &vars[*array].ty;
            let sizes: Option<Vec<Atom>> =
                perm.iter().map(|dim| ty.shape().get(*dim).copied()).collect();
            Some(Type::array(ty.elem()?, sizes?))
        }
        Exp::If(..)
        | Exp::Switch(..)
        | Exp::Loop(..)
        | Exp::Call(..)
        | Exp::Const(_)
        | Exp::Screma(_)
        | Exp::Hist(_)
        | Exp::Scatter(_)
        | Exp::Stream(_)
        | Exp::Partition(_)
        | Exp::Flatmap(_)
        | Exp::Seg(_)
        | Exp::Diff(_)
        | Exp::WithAcc(..)
        | Exp::Fail(_) => None,
    }
}

/// The number of statements of a body, those of bodies inside included.
pub fn count_stms(body: &Body) -> usize {
    struct Count(usize);
    impl Visit for Count {
        fn stm(&mut self, stm: &Stm) {
            self.0 += 1;
            crate::visit::walk_stm(self, stm);
        }
    }
    let mut count = Count(0);
    count.body(body);
    count.0
}

/// The primitive type of a scalar type.
pub fn prim_of(ty: &Type) -> Option<Prim> {
    match ty {
        Type::Scalar(Elem::Prim(prim)) => Some(*prim),
        Type::Scalar(Elem::Unit) | Type::Array(..) | Type::Acc(_) => None,
    }
}
