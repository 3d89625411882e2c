//! Walks over the syntax tree for checks that look at bindings: who binds what, and where.
//!
//! A [`Visitor`] is told of every pattern, bound name and size in the order in which they come into
//! scope, and of the scopes' beginnings and ends. What it does not ask for is walked through, size
//! expressions inside types included.

use crate::ty::Ty;
use fehu_syntax::ast::{
    Access, DimIndex, Exp, ExpKind, Ident, LetBind, LetKind, Loop, LoopForm, NodeId, Pat, PatKind,
    TypeArg, TypeExp, TypeExpKind, TypeParam, ValBind,
};

/// Where a pattern stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A parameter of a named function.
    Param,
    /// A parameter of a lambda.
    LambdaParam,
    /// The left side of a `let`.
    Let,
    /// The parameters of a loop that says what they start as.
    Loop,
    /// The parameters of a loop that start as the variables of the same names.
    ImplicitLoop,
    /// The element in `for p in e`.
    ForIn,
    /// A `case`.
    Case,
}

/// A name that is bound by something other than a pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A local function.
    Function,
    /// The index of a `for` loop.
    Index,
    /// The variable that `let x[i] = e` binds again.
    Update,
}

/// What a check wants to know. Every method may be left as it is.
pub trait Visitor<'a>: Sized {
    /// An expression; overriding methods call [`walk_exp`] to go on.
    fn exp(&mut self, exp: &'a Exp) {
        walk_exp(self, exp);
    }
    /// A whole pattern, not the patterns in it; overriding methods call [`walk_pat_types`].
    fn pat(&mut self, pat: &'a Pat, _place: Place) {
        walk_pat_types(self, pat);
    }
    /// A name that is not bound by a pattern.
    fn named(&mut self, _id: NodeId, _name: &'a Ident, _what: Named) {}
    /// A size or type parameter.
    fn type_param(&mut self, _param: &'a TypeParam) {}
    /// A type, and each type in it.
    fn type_exp(&mut self, _ty: &'a TypeExp) {}
    /// What follows is in a scope of its own.
    fn open(&mut self) {}
    /// The innermost scope ends.
    fn close(&mut self) {}
}

/// Walks a top-level value.
pub fn walk_val<'a, V: Visitor<'a>>(visitor: &mut V, bind: &'a ValBind) {
    let ret = bind.ret.as_ref();
    walk_function(visitor, &bind.type_params, &bind.params, Place::Param, ret, &bind.body);
}

/// Walks the parts of an expression.
pub fn walk_exp<'a, V: Visitor<'a>>(visitor: &mut V, exp: &'a Exp) {
    match &exp.kind {
        ExpKind::Lit(_)
        | ExpKind::Var(_)
        | ExpKind::Hole
        | ExpKind::Section(_)
        | ExpKind::Error => {}
        ExpKind::Paren(e)
        | ExpKind::Project(e, _)
        | ExpKind::LocalOpen(_, e)
        | ExpKind::Negate(e)
        | ExpKind::Not(e)
        | ExpKind::Attr(_, e)
        | ExpKind::SectionLeft(e, _)
        | ExpKind::SectionRight(_, e) => visitor.exp(e),
        ExpKind::Tuple(es) | ExpKind::Array(es) | ExpKind::Ctor(_, es) => {
            es.iter().for_each(|e| visitor.exp(e));
        }
        ExpKind::Record(fields) => {
            fields.iter().filter_map(|f| f.value.as_ref()).for_each(|e| visitor.exp(e));
        }
        ExpKind::Index(e, dims) => {
            visitor.exp(e);
            walk_dims(visitor, dims);
        }
        ExpKind::Ascribe(e, ty) | ExpKind::Coerce(e, ty) => {
            visitor.exp(e);
            walk_type(visitor, ty);
        }
        ExpKind::BinOp(binop) => {
            visitor.exp(&binop.lhs);
            visitor.exp(&binop.rhs);
        }
        ExpKind::Apply(f, args) => {
            visitor.exp(f);
            args.iter().for_each(|e| visitor.exp(e));
        }
        ExpKind::Range(range) => {
            visitor.exp(&range.start);
            range.second.iter().for_each(|e| visitor.exp(e));
            visitor.exp(&range.end);
        }
        ExpKind::If(parts) => parts.iter().for_each(|e| visitor.exp(e)),
        ExpKind::Let(binds, body) => {
            visitor.open();
            binds.iter().for_each(|bind| walk_bind(visitor, bind));
            visitor.exp(body);
            visitor.close();
        }
        ExpKind::Lambda(f) => {
            walk_function(visitor, &[], &f.params, Place::LambdaParam, f.ret.as_ref(), &f.body);
        }
        ExpKind::Loop(parts) => walk_loop(visitor, parts),
        ExpKind::Update(update) => {
            visitor.exp(&update.base);
            walk_path(visitor, &update.path);
            visitor.exp(&update.value);
        }
        ExpKind::Match(e, cases) => {
            visitor.exp(e);
            for case in cases {
                visitor.open();
                visitor.pat(&case.pat, Place::Case);
                visitor.exp(&case.body);
                visitor.close();
            }
        }
        ExpKind::Assert(cond, e) => {
            visitor.exp(cond);
            visitor.exp(e);
        }
        ExpKind::SectionAccess(path) => walk_path(visitor, path),
    }
}

/// Walks the types in a pattern.
pub fn walk_pat_types<'a, V: Visitor<'a>>(visitor: &mut V, pat: &'a Pat) {
    pat.any_type(&mut |ty| {
        walk_type(visitor, ty);
        false
    });
}

/// What a pattern is made of, where it is read as a value: the initial value of a loop that has none.
pub enum PatLeaf<'a> {
    /// A name.
    Name(NodeId, &'a Ident),
    /// Something that is not a value.
    Other(&'a Pat),
}

/// The type of the value that a pattern is read as, given the types of its leaves.
pub fn pat_value_type(pat: &Pat, leaf: &mut dyn FnMut(PatLeaf<'_>) -> Ty) -> Ty {
    match &pat.kind {
        PatKind::Var(ident) => leaf(PatLeaf::Name(pat.id, ident)),
        PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
            pat_value_type(inner, leaf)
        }
        PatKind::Tuple(parts) => {
            Ty::tuple(parts.iter().map(|part| pat_value_type(part, leaf)).collect::<Vec<_>>())
        }
        PatKind::Record(fields) => {
            let types = fields.iter().map(|field| {
                let ty = match &field.pat {
                    Some(pat) => pat_value_type(pat, leaf),
                    None => leaf(PatLeaf::Name(field.id, &field.name)),
                };
                (field.name.name.clone(), ty)
            });
            Ty::record(types.collect())
        }
        PatKind::Wildcard | PatKind::Lit(_) | PatKind::Ctor(..) | PatKind::Error => {
            leaf(PatLeaf::Other(pat))
        }
    }
}

fn walk_function<'a, V: Visitor<'a>>(
    visitor: &mut V,
    type_params: &'a [TypeParam],
    params: &'a [Pat],
    place: Place,
    ret: Option<&'a TypeExp>,
    body: &'a Exp,
) {
    visitor.open();
    type_params.iter().for_each(|p| visitor.type_param(p));
    params.iter().for_each(|p| visitor.pat(p, place));
    ret.into_iter().for_each(|ty| walk_type(visitor, ty));
    visitor.exp(body);
    visitor.close();
}

fn walk_bind<'a, V: Visitor<'a>>(visitor: &mut V, bind: &'a LetBind) {
    match &bind.kind {
        LetKind::Pat { sizes, pat, value } => {
            visitor.exp(value);
            sizes.iter().for_each(|p| visitor.type_param(p));
            visitor.pat(pat, Place::Let);
        }
        LetKind::Fun { name, type_params, params, ret, body } => {
            walk_function(visitor, type_params, params, Place::Param, ret.as_ref(), body);
            visitor.named(bind.id, name, Named::Function);
        }
        LetKind::Update { name, path, value } => {
            walk_path(visitor, path);
            visitor.exp(value);
            visitor.named(bind.id, name, Named::Update);
        }
    }
}

fn walk_loop<'a, V: Visitor<'a>>(visitor: &mut V, parts: &'a Loop) {
    parts.init.iter().for_each(|e| visitor.exp(e));
    match &parts.form {
        LoopForm::For(_, _, e) | LoopForm::ForIn(_, e) => visitor.exp(e),
        LoopForm::While(_) => {}
    }
    visitor.open();
    parts.sizes.iter().for_each(|p| visitor.type_param(p));
    let place = if parts.init.is_some() { Place::Loop } else { Place::ImplicitLoop };
    visitor.pat(&parts.pat, place);
    match &parts.form {
        LoopForm::For(id, name, _) => visitor.named(*id, name, Named::Index),
        LoopForm::ForIn(pat, _) => visitor.pat(pat, Place::ForIn),
        LoopForm::While(cond) => visitor.exp(cond),
    }
    visitor.exp(&parts.body);
    visitor.close();
}

/// Walks the indices of a path.
pub fn walk_path<'a, V: Visitor<'a>>(visitor: &mut V, path: &'a [Access]) {
    for step in path {
        match step {
            Access::Field(_) => {}
            Access::Index(dims, _) => walk_dims(visitor, dims),
        }
    }
}

fn walk_dims<'a, V: Visitor<'a>>(visitor: &mut V, dims: &'a [DimIndex]) {
    for dim in dims {
        match dim {
            DimIndex::Fix(e) => visitor.exp(e),
            DimIndex::Slice { start, end, step, span: _ } => {
                [start, end, step].into_iter().flatten().for_each(|e| visitor.exp(e));
            }
        }
    }
}

/// Walks a type: the sizes in it are expressions.
pub fn walk_type<'a, V: Visitor<'a>>(visitor: &mut V, ty: &'a TypeExp) {
    visitor.type_exp(ty);
    match &ty.kind {
        TypeExpKind::Name(_, args) => {
            for arg in args {
                match arg {
                    TypeArg::Size(size, _) => size.iter().for_each(|e| visitor.exp(e)),
                    TypeArg::Type(ty) => walk_type(visitor, ty),
                }
            }
        }
        TypeExpKind::Array(size, elem) => {
            size.iter().for_each(|e| visitor.exp(e));
            walk_type(visitor, elem);
        }
        TypeExpKind::Tuple(tys) => tys.iter().for_each(|ty| walk_type(visitor, ty)),
        TypeExpKind::Record(fields) => fields.iter().for_each(|(_, ty)| walk_type(visitor, ty)),
        TypeExpKind::Sum(ctors) => {
            ctors.iter().flat_map(|(_, tys)| tys).for_each(|ty| walk_type(visitor, ty));
        }
        TypeExpKind::Fun(_, param, ret) => {
            walk_type(visitor, param);
            walk_type(visitor, ret);
        }
        TypeExpKind::Unique(ty) | TypeExpKind::Paren(ty) => walk_type(visitor, ty),
        TypeExpKind::Exists(_, ty) => walk_type(visitor, ty),
        TypeExpKind::Error => {}
    }
}

/// Whether something inside of an expression binds names.
pub fn binds_names(exp: &Exp) -> bool {
    struct Binds(bool);
    impl Visitor<'_> for Binds {
        fn open(&mut self) {
            self.0 = true;
        }
    }
    let mut binds = Binds(false);
    binds.exp(exp);
    binds.0
}
