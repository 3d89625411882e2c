//! The nodes of a syntax tree in a uniform way: for questions that are about places and not about what is there.

use fehu_base::Span;
use fehu_syntax::ast::{
    Access, Case, Dec, DecKind, DimIndex, Exp, ExpKind, File, LetBind, LetKind, LoopForm, ModExp,
    ModExpKind, ModParam, ModTypeExp, ModTypeExpKind, Pat, PatKind, Spec, SpecKind, TypeArg,
    TypeExp, TypeExpKind, TypeParam,
};

/// A node.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A declaration.
    Dec(&'a Dec),
    /// A part of a module type.
    Spec(&'a Spec),
    /// A module expression.
    Mod(&'a ModExp),
    /// A module type expression.
    ModType(&'a ModTypeExp),
    /// A parameter of a module.
    ModParam(&'a ModParam),
    /// An expression.
    Exp(&'a Exp),
    /// One binding of a `let`.
    Bind(&'a LetBind),
    /// One case of a `match`.
    Case(&'a Case),
    /// A pattern.
    Pat(&'a Pat),
    /// A type.
    Type(&'a TypeExp),
    /// A size or type parameter.
    TypeParam(&'a TypeParam),
}

impl<'a> Node<'a> {
    /// The place.
    pub fn span(self) -> Span {
        match self {
            Node::Dec(node) => node.span,
            Node::Spec(node) => node.span,
            Node::Mod(node) => node.span,
            Node::ModType(node) => node.span,
            Node::ModParam(node) => node.span,
            Node::Exp(node) => node.span,
            Node::Bind(node) => node.span,
            Node::Case(node) => node.span,
            Node::Pat(node) => node.span,
            Node::Type(node) => node.span,
            Node::TypeParam(node) => node.span,
        }
    }

    /// Calls a function on each child, in the order of the text.
    pub fn children(self, f: &mut dyn FnMut(Node<'a>)) {
        match self {
            Node::Dec(dec) => of_dec(&dec.kind, f),
            Node::Spec(spec) => of_spec(&spec.kind, f),
            Node::Mod(exp) => of_mod(&exp.kind, f),
            Node::ModType(exp) => of_mod_type(&exp.kind, f),
            Node::ModParam(param) => f(Node::ModType(&param.ty)),
            Node::Exp(exp) => of_exp(&exp.kind, f),
            Node::Bind(bind) => of_bind(&bind.kind, f),
            Node::Case(case) => {
                f(Node::Pat(&case.pat));
                f(Node::Exp(&case.body));
            }
            Node::Pat(pat) => of_pat(&pat.kind, f),
            Node::Type(ty) => of_type(&ty.kind, f),
            Node::TypeParam(_) => {}
        }
    }

    /// Calls a function on this node and all below it, outer ones first.
    pub fn walk(self, f: &mut dyn FnMut(Node<'a>)) {
        f(self);
        self.children(&mut |child| child.walk(f));
    }
}

/// Calls a function on every node of a file.
pub fn walk<'a>(file: &'a File, f: &mut dyn FnMut(Node<'a>)) {
    file.decs.iter().for_each(|dec| Node::Dec(dec).walk(f));
}

/// The nodes around a byte, outermost first. At the border of two nodes it is the second, if that begins there.
pub fn around(file: &File, offset: u32) -> Vec<Node<'_>> {
    let mut path = Vec::new();
    let mut next = None;
    let holds = |span: Span| span.start <= offset && offset <= span.end;
    // Declarations are in order.
    let after = file.decs.partition_point(|dec| dec.span.start <= offset);
    if let Some(dec) = file.decs[..after].iter().rev().take(2).find(|dec| holds(dec.span)) {
        next = Some(Node::Dec(dec));
    }
    while let Some(node) = next.take() {
        path.push(node);
        node.children(&mut |child| {
            if holds(child.span()) {
                next = Some(child);
            }
        });
    }
    path
}

/// The declarations of a file and of the modules in it, with those that are local.
pub fn decs<'a>(decs: &'a [Dec], f: &mut dyn FnMut(&'a Dec)) {
    for dec in decs {
        let mut inner = dec;
        while let DecKind::Local(next) = &inner.kind {
            inner = next;
        }
        f(inner);
        if let DecKind::Module(bind) = &inner.kind
            && let Some(body) = body_of(&bind.body)
        {
            self::decs(body, f);
        }
    }
}

/// The declarations in the braces of a module.
pub fn body_of(exp: &ModExp) -> Option<&[Dec]> {
    match &exp.kind {
        ModExpKind::Decs(decs) => Some(decs),
        ModExpKind::Paren(inner)
        | ModExpKind::Ascribe(inner, _)
        | ModExpKind::Lambda(_, _, inner) => body_of(inner),
        ModExpKind::Name(_)
        | ModExpKind::Import(..)
        | ModExpKind::Apply(..)
        | ModExpKind::Error => None,
    }
}

fn each<'a, T>(items: &'a [T], make: fn(&'a T) -> Node<'a>, f: &mut dyn FnMut(Node<'a>)) {
    items.iter().for_each(|item| f(make(item)));
}

fn of_dec<'a>(kind: &'a DecKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        DecKind::Val(bind) => {
            each(&bind.type_params, Node::TypeParam, f);
            each(&bind.params, Node::Pat, f);
            bind.ret.iter().for_each(|ty| f(Node::Type(ty)));
            f(Node::Exp(&bind.body));
        }
        DecKind::Type(bind) => {
            each(&bind.params, Node::TypeParam, f);
            f(Node::Type(&bind.body));
        }
        DecKind::Module(bind) => {
            each(&bind.params, Node::ModParam, f);
            bind.ty.iter().for_each(|ty| f(Node::ModType(ty)));
            f(Node::Mod(&bind.body));
        }
        DecKind::ModuleType(bind) => f(Node::ModType(&bind.body)),
        DecKind::Open(exp) => f(Node::Mod(exp)),
        DecKind::Local(inner) => f(Node::Dec(inner)),
        DecKind::Import(..) | DecKind::Error => {}
    }
}

fn of_spec<'a>(kind: &'a SpecKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        SpecKind::Val { type_params, ty, .. } => {
            each(type_params, Node::TypeParam, f);
            f(Node::Type(ty));
        }
        SpecKind::TypeAbstract { params, .. } => each(params, Node::TypeParam, f),
        SpecKind::Type(bind) => {
            each(&bind.params, Node::TypeParam, f);
            f(Node::Type(&bind.body));
        }
        SpecKind::Module(_, ty) | SpecKind::Include(ty) => f(Node::ModType(ty)),
        SpecKind::Error => {}
    }
}

fn of_mod<'a>(kind: &'a ModExpKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        ModExpKind::Name(_) | ModExpKind::Import(..) | ModExpKind::Error => {}
        ModExpKind::Paren(inner) => f(Node::Mod(inner)),
        ModExpKind::Decs(decs) => each(decs, Node::Dec, f),
        ModExpKind::Ascribe(inner, ty) => {
            f(Node::Mod(inner));
            f(Node::ModType(ty));
        }
        ModExpKind::Apply(fun, arg) => {
            f(Node::Mod(fun));
            f(Node::Mod(arg));
        }
        ModExpKind::Lambda(param, ty, body) => {
            f(Node::ModParam(param));
            ty.iter().for_each(|ty| f(Node::ModType(ty)));
            f(Node::Mod(body));
        }
    }
}

fn of_mod_type<'a>(kind: &'a ModTypeExpKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        ModTypeExpKind::Name(_) | ModTypeExpKind::Error => {}
        ModTypeExpKind::Paren(inner) => f(Node::ModType(inner)),
        ModTypeExpKind::Specs(specs) => each(specs, Node::Spec, f),
        ModTypeExpKind::With(inner, _, params, ty) => {
            f(Node::ModType(inner));
            each(params, Node::TypeParam, f);
            f(Node::Type(ty));
        }
        ModTypeExpKind::Arrow(_, param, ret) => {
            f(Node::ModType(param));
            f(Node::ModType(ret));
        }
    }
}

fn of_exp<'a>(kind: &'a ExpKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
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
        | ExpKind::SectionRight(_, e) => f(Node::Exp(e)),
        ExpKind::Tuple(es) | ExpKind::Array(es) | ExpKind::Ctor(_, es) => each(es, Node::Exp, f),
        ExpKind::Record(fields) => {
            fields.iter().filter_map(|field| field.value.as_ref()).for_each(|e| f(Node::Exp(e)));
        }
        ExpKind::Index(e, dims) => {
            f(Node::Exp(e));
            of_dims(dims, f);
        }
        ExpKind::Ascribe(e, ty) | ExpKind::Coerce(e, ty) => {
            f(Node::Exp(e));
            f(Node::Type(ty));
        }
        ExpKind::BinOp(binop) => {
            f(Node::Exp(&binop.lhs));
            f(Node::Exp(&binop.rhs));
        }
        ExpKind::Apply(fun, args) => {
            f(Node::Exp(fun));
            each(args, Node::Exp, f);
        }
        ExpKind::Range(range) => {
            f(Node::Exp(&range.start));
            range.second.iter().for_each(|e| f(Node::Exp(e)));
            f(Node::Exp(&range.end));
        }
        ExpKind::If(parts) => each(&parts[..], Node::Exp, f),
        ExpKind::Let(binds, body) => {
            each(binds, Node::Bind, f);
            f(Node::Exp(body));
        }
        ExpKind::Lambda(lambda) => {
            each(&lambda.params, Node::Pat, f);
            lambda.ret.iter().for_each(|ty| f(Node::Type(ty)));
            f(Node::Exp(&lambda.body));
        }
        ExpKind::Loop(parts) => {
            each(&parts.sizes, Node::TypeParam, f);
            f(Node::Pat(&parts.pat));
            parts.init.iter().for_each(|e| f(Node::Exp(e)));
            match &parts.form {
                LoopForm::For(_, _, e) | LoopForm::While(e) => f(Node::Exp(e)),
                LoopForm::ForIn(pat, e) => {
                    f(Node::Pat(pat));
                    f(Node::Exp(e));
                }
            }
            f(Node::Exp(&parts.body));
        }
        ExpKind::Update(update) => {
            f(Node::Exp(&update.base));
            of_path(&update.path, f);
            f(Node::Exp(&update.value));
        }
        ExpKind::Match(e, cases) => {
            f(Node::Exp(e));
            each(cases, Node::Case, f);
        }
        ExpKind::Assert(cond, e) => {
            f(Node::Exp(cond));
            f(Node::Exp(e));
        }
        ExpKind::SectionAccess(path) => of_path(path, f),
    }
}

fn of_bind<'a>(kind: &'a LetKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        LetKind::Pat { sizes, pat, value } => {
            each(sizes, Node::TypeParam, f);
            f(Node::Pat(pat));
            f(Node::Exp(value));
        }
        LetKind::Fun { type_params, params, ret, body, .. } => {
            each(type_params, Node::TypeParam, f);
            each(params, Node::Pat, f);
            ret.iter().for_each(|ty| f(Node::Type(ty)));
            f(Node::Exp(body));
        }
        LetKind::Update { path, value, .. } => {
            of_path(path, f);
            f(Node::Exp(value));
        }
    }
}

fn of_pat<'a>(kind: &'a PatKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        PatKind::Var(_) | PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
        PatKind::Paren(inner) | PatKind::Attr(_, inner) => f(Node::Pat(inner)),
        PatKind::Tuple(parts) | PatKind::Ctor(_, parts) => each(parts, Node::Pat, f),
        PatKind::Record(fields) => {
            fields.iter().filter_map(|field| field.pat.as_ref()).for_each(|p| f(Node::Pat(p)));
        }
        PatKind::Ascribe(inner, ty) => {
            f(Node::Pat(inner));
            f(Node::Type(ty));
        }
    }
}

fn of_type<'a>(kind: &'a TypeExpKind, f: &mut dyn FnMut(Node<'a>)) {
    match kind {
        TypeExpKind::Name(_, args) => {
            for arg in args {
                match arg {
                    TypeArg::Size(size, _) => size.iter().for_each(|e| f(Node::Exp(e))),
                    TypeArg::Type(ty) => f(Node::Type(ty)),
                }
            }
        }
        TypeExpKind::Array(size, elem) => {
            size.iter().for_each(|e| f(Node::Exp(e)));
            f(Node::Type(elem));
        }
        TypeExpKind::Tuple(tys) => each(tys, Node::Type, f),
        TypeExpKind::Record(fields) => fields.iter().for_each(|(_, ty)| f(Node::Type(ty))),
        TypeExpKind::Sum(ctors) => {
            ctors.iter().flat_map(|(_, tys)| tys).for_each(|ty| f(Node::Type(ty)));
        }
        TypeExpKind::Fun(_, param, ret) => {
            f(Node::Type(param));
            f(Node::Type(ret));
        }
        TypeExpKind::Unique(ty) | TypeExpKind::Paren(ty) => f(Node::Type(ty)),
        TypeExpKind::Exists(sizes, ty) => {
            each(sizes, Node::TypeParam, f);
            f(Node::Type(ty));
        }
        TypeExpKind::Error => {}
    }
}

fn of_path<'a>(path: &'a [Access], f: &mut dyn FnMut(Node<'a>)) {
    for step in path {
        match step {
            Access::Field(_) => {}
            Access::Index(dims, _) => of_dims(dims, f),
        }
    }
}

fn of_dims<'a>(dims: &'a [DimIndex], f: &mut dyn FnMut(Node<'a>)) {
    for dim in dims {
        match dim {
            DimIndex::Fix(e) => f(Node::Exp(e)),
            DimIndex::Slice { start, end, step, span: _ } => {
                [start, end, step].into_iter().flatten().for_each(|e| f(Node::Exp(e)));
            }
        }
    }
}
