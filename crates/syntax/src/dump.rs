//! The tree as S-expressions, for tests and for comparing trees.
//!
//! The dump has no places, node numbers or comments, but everything else, documentation and
//! parentheses included: two texts with the same dump are the same program, written alike except
//! for layout.

use crate::ast::{
    Access, Attr, AttrKind, Case, Dec, DecKind, DimIndex, Doc, Exp, ExpKind, File, Ident, LetKind,
    Lifted, Lit, LoopForm, ModExp, ModExpKind, ModParam, ModTypeExp, ModTypeExpKind, Operator, Pat,
    PatKind, QualName, RangeKind, Spec, SpecKind, TypeArg, TypeBind, TypeExp, TypeExpKind,
    TypeParam, TypeParamKind, ValBind, ValKeyword,
};
use fehu_base::Prim;
use std::fmt::Write;

/// A whole file, one line for each declaration.
pub fn file(file: &File) -> String {
    let mut out = Out(String::new());
    if let Some(doc) = &file.doc {
        out.doc(doc);
        out.line();
    }
    for dec in &file.decs {
        out.dec(dec);
        out.line();
    }
    out.0
}

/// An expression.
pub fn exp(exp: &Exp) -> String {
    let mut out = Out(String::new());
    out.exp(exp);
    out.0
}

/// A type.
pub fn type_exp(ty: &TypeExp) -> String {
    let mut out = Out(String::new());
    out.ty(ty);
    out.0
}

/// The text written so far. Items put a space before themselves unless they come first.
struct Out(String);

impl Out {
    fn line(&mut self) {
        self.0.push('\n');
    }

    fn word(&mut self, word: &str) {
        if !self.0.is_empty() && !self.0.ends_with(['(', '\n']) {
            self.0.push(' ');
        }
        self.0.push_str(word);
    }

    /// `(head ...)`
    fn node(&mut self, head: &str, body: impl FnOnce(&mut Self)) {
        self.word("(");
        self.0.push_str(head);
        body(self);
        self.0.push(')');
    }

    fn ident(&mut self, ident: &Ident) {
        self.word(&ident.name);
    }

    fn qual(&mut self, name: &QualName) {
        let mut text = String::new();
        for qual in &name.quals {
            let _ = write!(text, "{}.", qual.name);
        }
        text.push_str(&name.name.name);
        self.word(&text);
    }

    fn operator(&mut self, op: &Operator) {
        self.qual(&op.name);
        if op.backticks {
            self.0.push('`');
        }
    }

    fn doc(&mut self, doc: &Doc) {
        self.word(&format!("(doc {:?})", doc.text.as_str()));
    }

    fn attr(&mut self, attr: &Attr) {
        match &attr.kind {
            AttrKind::Name(name) => self.word(name),
            AttrKind::Int(value) => self.word(&value.to_string()),
            AttrKind::Call(name, args) => {
                self.node(name, |o| args.iter().for_each(|a| o.attr(a)));
            }
        }
    }

    fn lit(&mut self, lit: &Lit) {
        let suffix = |s: &Option<Prim>| s.map_or("", Prim::name);
        let text = match lit {
            Lit::Int { value, suffix: s } => format!("{value}{}", suffix(s)),
            Lit::Float { value, suffix: s } => format!("{value:?}{}", suffix(s)),
            Lit::Bool(value) => value.to_string(),
            Lit::Char(value) => format!("{value:?}"),
            Lit::String(value) => format!("{:?}", value.as_str()),
        };
        self.word(&text);
    }

    fn exps(&mut self, exps: &[Exp]) {
        exps.iter().for_each(|e| self.exp(e));
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Lit(lit) => self.lit(lit),
            ExpKind::Var(name) => self.qual(name),
            ExpKind::Hole => self.word("???"),
            ExpKind::Paren(inner) => self.node("paren", |o| o.exp(inner)),
            ExpKind::Tuple(items) => self.node("tuple", |o| o.exps(items)),
            ExpKind::Record(fields) => self.node("record", |o| {
                for field in fields {
                    match &field.value {
                        None => o.ident(&field.name),
                        Some(value) => o.node(&field.name.name, |o| o.exp(value)),
                    }
                }
            }),
            ExpKind::Array(items) => self.node("array", |o| o.exps(items)),
            ExpKind::Project(inner, field) => self.node("project", |o| {
                o.exp(inner);
                o.ident(field);
            }),
            ExpKind::Index(inner, indices) => self.node("index", |o| {
                o.exp(inner);
                o.indices(indices);
            }),
            ExpKind::LocalOpen(name, inner) => self.node("local-open", |o| {
                o.qual(name);
                o.exp(inner);
            }),
            ExpKind::Ascribe(inner, ty) => self.node(":", |o| {
                o.exp(inner);
                o.ty(ty);
            }),
            ExpKind::Coerce(inner, ty) => self.node(":>", |o| {
                o.exp(inner);
                o.ty(ty);
            }),
            ExpKind::Negate(inner) => self.node("neg", |o| o.exp(inner)),
            ExpKind::Not(inner) => self.node("not", |o| o.exp(inner)),
            ExpKind::BinOp(bin) => self.node("", |o| {
                o.operator(&bin.op);
                o.exp(&bin.lhs);
                o.exp(&bin.rhs);
            }),
            ExpKind::Apply(function, args) => self.node("apply", |o| {
                o.exp(function);
                o.exps(args);
            }),
            ExpKind::Ctor(name, args) => {
                self.node(&format!("#{}", name.name), |o| o.exps(args));
            }
            ExpKind::Range(range) => {
                let head = match range.kind {
                    RangeKind::Inclusive => "...",
                    RangeKind::UpTo => "..<",
                    RangeKind::DownTo => "..>",
                };
                self.node(head, |o| {
                    o.exp(&range.start);
                    if let Some(second) = &range.second {
                        o.exp(second);
                    }
                    o.exp(&range.end);
                });
            }
            ExpKind::If(parts) => self.node("if", |o| o.exps(parts.as_slice())),
            ExpKind::Let(binds, body) => self.node("let", |o| {
                for bind in binds {
                    o.let_kind(&bind.kind);
                }
                o.exp(body);
            }),
            ExpKind::Lambda(lambda) => self.node("lambda", |o| {
                o.pats(&lambda.params);
                o.ret(lambda.ret.as_ref());
                o.exp(&lambda.body);
            }),
            ExpKind::Loop(l) => self.node("loop", |o| {
                o.type_params(&l.sizes);
                o.pat(&l.pat);
                if let Some(init) = &l.init {
                    o.node("=", |o| o.exp(init));
                }
                o.loop_form(&l.form);
                o.exp(&l.body);
            }),
            ExpKind::Update(update) => self.node("with", |o| {
                o.exp(&update.base);
                o.path(&update.path);
                o.exp(&update.value);
            }),
            ExpKind::Match(scrutinee, cases) => self.node("match", |o| {
                o.exp(scrutinee);
                cases.iter().for_each(|c| o.case(c));
            }),
            ExpKind::Assert(condition, inner) => self.node("assert", |o| {
                o.exp(condition);
                o.exp(inner);
            }),
            ExpKind::Attr(attr, inner) => self.node("attr", |o| {
                o.attr(attr);
                o.exp(inner);
            }),
            ExpKind::Section(op) => self.node("section", |o| o.operator(op)),
            ExpKind::SectionLeft(inner, op) => self.node("section-left", |o| {
                o.exp(inner);
                o.operator(op);
            }),
            ExpKind::SectionRight(op, inner) => self.node("section-right", |o| {
                o.operator(op);
                o.exp(inner);
            }),
            ExpKind::SectionAccess(path) => self.node("section-access", |o| o.path(path)),
            ExpKind::Error => self.word("<error>"),
        }
    }

    fn case(&mut self, case: &Case) {
        self.node("case", |o| {
            o.pat(&case.pat);
            o.exp(&case.body);
        });
    }

    fn indices(&mut self, indices: &[DimIndex]) {
        for index in indices {
            match index {
                DimIndex::Fix(index) => self.exp(index),
                DimIndex::Slice { start, end, step, .. } => self.node("slice", |o| {
                    for part in [start, end, step] {
                        match part {
                            None => o.word("-"),
                            Some(part) => o.exp(part),
                        }
                    }
                }),
            }
        }
    }

    fn path(&mut self, path: &[Access]) {
        self.node("path", |o| {
            for step in path {
                match step {
                    Access::Field(name) => o.word(&format!(".{}", name.name)),
                    Access::Index(indices, _) => o.node("at", |o| o.indices(indices)),
                }
            }
        });
    }

    fn loop_form(&mut self, form: &LoopForm) {
        match form {
            LoopForm::For(_, name, bound) => self.node("for", |o| {
                o.ident(name);
                o.exp(bound);
            }),
            LoopForm::ForIn(pat, array) => self.node("for-in", |o| {
                o.pat(pat);
                o.exp(array);
            }),
            LoopForm::While(condition) => self.node("while", |o| o.exp(condition)),
        }
    }

    fn let_kind(&mut self, kind: &LetKind) {
        match kind {
            LetKind::Pat { sizes, pat, value } => self.node("bind", |o| {
                o.type_params(sizes);
                o.pat(pat);
                o.exp(value);
            }),
            LetKind::Fun { name, type_params, params, ret, body } => self.node("fun", |o| {
                o.ident(name);
                o.type_params(type_params);
                o.pats(params);
                o.ret(ret.as_ref());
                o.exp(body);
            }),
            LetKind::Update { name, path, value } => self.node("update", |o| {
                o.ident(name);
                o.path(path);
                o.exp(value);
            }),
        }
    }

    fn ret(&mut self, ret: Option<&TypeExp>) {
        if let Some(ty) = ret {
            self.node("ret", |o| o.ty(ty));
        }
    }

    fn pats(&mut self, pats: &[Pat]) {
        pats.iter().for_each(|p| self.pat(p));
    }

    fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Var(name) => self.ident(name),
            PatKind::Wildcard => self.word("_"),
            PatKind::Lit(lit) if lit.negative => self.node("neg", |o| o.lit(&lit.lit)),
            PatKind::Lit(lit) => self.lit(&lit.lit),
            PatKind::Paren(inner) => self.node("paren", |o| o.pat(inner)),
            PatKind::Tuple(items) => self.node("tuple", |o| o.pats(items)),
            PatKind::Record(fields) => self.node("record", |o| {
                for field in fields {
                    match &field.pat {
                        None => o.ident(&field.name),
                        Some(pat) => o.node(&field.name.name, |o| o.pat(pat)),
                    }
                }
            }),
            PatKind::Ctor(name, args) => {
                self.node(&format!("#{}", name.name), |o| o.pats(args));
            }
            PatKind::Ascribe(inner, ty) => self.node(":", |o| {
                o.pat(inner);
                o.ty(ty);
            }),
            PatKind::Attr(attr, inner) => self.node("attr", |o| {
                o.attr(attr);
                o.pat(inner);
            }),
            PatKind::Error => self.word("<error>"),
        }
    }

    fn size(&mut self, size: Option<&Exp>) {
        self.node("size", |o| {
            if let Some(size) = size {
                o.exp(size);
            }
        });
    }

    fn ty(&mut self, ty: &TypeExp) {
        match &ty.kind {
            TypeExpKind::Name(name, args) if args.is_empty() => self.qual(name),
            TypeExpKind::Name(name, args) => self.node("type-apply", |o| {
                o.qual(name);
                for arg in args {
                    match arg {
                        TypeArg::Size(size, _) => o.size(size.as_deref()),
                        TypeArg::Type(ty) => o.ty(ty),
                    }
                }
            }),
            TypeExpKind::Array(size, element) => self.node("array", |o| {
                o.size(size.as_deref());
                o.ty(element);
            }),
            TypeExpKind::Tuple(items) => {
                self.node("tuple", |o| items.iter().for_each(|t| o.ty(t)));
            }
            TypeExpKind::Record(fields) => self.node("record", |o| {
                for (name, ty) in fields {
                    o.node(&name.name, |o| o.ty(ty));
                }
            }),
            TypeExpKind::Sum(ctors) => self.node("sum", |o| {
                for (name, payload) in ctors {
                    o.node(&format!("#{}", name.name), |o| payload.iter().for_each(|t| o.ty(t)));
                }
            }),
            TypeExpKind::Fun(name, param, result) => self.node("->", |o| {
                match name {
                    None => o.ty(param),
                    Some(name) => o.node(&name.name, |o| o.ty(param)),
                }
                o.ty(result);
            }),
            TypeExpKind::Unique(inner) => self.node("*", |o| o.ty(inner)),
            TypeExpKind::Exists(sizes, inner) => self.node("exists", |o| {
                o.type_params(sizes);
                o.ty(inner);
            }),
            TypeExpKind::Paren(inner) => self.node("paren", |o| o.ty(inner)),
            TypeExpKind::Error => self.word("<error>"),
        }
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            let name = &param.name.name;
            let text = match param.kind {
                TypeParamKind::Size => format!("[{name}]"),
                TypeParamKind::Type(lifted) => format!("'{}{name}", lifted_sign(lifted)),
            };
            self.word(&text);
        }
    }

    fn dec(&mut self, dec: &Dec) {
        if let Some(doc) = &dec.doc {
            self.doc(doc);
        }
        for attr in &dec.attrs {
            self.node("attr", |o| o.attr(attr));
        }
        match &dec.kind {
            DecKind::Val(bind) => self.val_bind(bind),
            DecKind::Type(bind) => self.type_bind(bind),
            DecKind::Module(bind) => self.node("module", |o| {
                o.ident(&bind.name);
                bind.params.iter().for_each(|p| o.mod_param(p));
                if let Some(ty) = &bind.ty {
                    o.node("ret", |o| o.mod_type(ty));
                }
                o.mod_exp(&bind.body);
            }),
            DecKind::ModuleType(bind) => self.node("module-type", |o| {
                o.ident(&bind.name);
                o.mod_type(&bind.body);
            }),
            DecKind::Open(inner) => self.node("open", |o| o.mod_exp(inner)),
            DecKind::Import(name, _) => self.word(&format!("(import {:?})", name.as_str())),
            DecKind::Local(inner) => self.node("local", |o| o.dec(inner)),
            DecKind::Error => self.word("<error>"),
        }
    }

    fn val_bind(&mut self, bind: &ValBind) {
        let head = match bind.keyword {
            ValKeyword::Def => "def",
            ValKeyword::Let => "let",
            ValKeyword::Entry => "entry",
        };
        self.node(head, |o| {
            if bind.infix {
                o.word("infix");
            }
            o.ident(&bind.name);
            o.type_params(&bind.type_params);
            o.pats(&bind.params);
            o.ret(bind.ret.as_ref());
            o.exp(&bind.body);
        });
    }

    fn type_bind(&mut self, bind: &TypeBind) {
        self.node(&format!("type{}", lifted_sign(bind.lifted)), |o| {
            o.ident(&bind.name);
            o.type_params(&bind.params);
            o.ty(&bind.body);
        });
    }

    fn mod_param(&mut self, param: &ModParam) {
        self.node("param", |o| {
            o.ident(&param.name);
            o.mod_type(&param.ty);
        });
    }

    fn mod_exp(&mut self, exp: &ModExp) {
        match &exp.kind {
            ModExpKind::Name(name) => self.qual(name),
            ModExpKind::Paren(inner) => self.node("paren", |o| o.mod_exp(inner)),
            ModExpKind::Decs(decs) => self.node("decs", |o| decs.iter().for_each(|d| o.dec(d))),
            ModExpKind::Import(name, _) => self.word(&format!("(import {:?})", name.as_str())),
            ModExpKind::Ascribe(inner, ty) => self.node(":", |o| {
                o.mod_exp(inner);
                o.mod_type(ty);
            }),
            ModExpKind::Apply(function, arg) => self.node("apply", |o| {
                o.mod_exp(function);
                o.mod_exp(arg);
            }),
            ModExpKind::Lambda(param, ty, body) => self.node("lambda", |o| {
                o.mod_param(param);
                if let Some(ty) = ty {
                    o.node("ret", |o| o.mod_type(ty));
                }
                o.mod_exp(body);
            }),
            ModExpKind::Error => self.word("<error>"),
        }
    }

    fn mod_type(&mut self, ty: &ModTypeExp) {
        match &ty.kind {
            ModTypeExpKind::Name(name) => self.qual(name),
            ModTypeExpKind::Paren(inner) => self.node("paren", |o| o.mod_type(inner)),
            ModTypeExpKind::Specs(specs) => {
                self.node("specs", |o| specs.iter().for_each(|s| o.spec(s)));
            }
            ModTypeExpKind::With(inner, name, params, body) => self.node("with", |o| {
                o.mod_type(inner);
                o.qual(name);
                o.type_params(params);
                o.ty(body);
            }),
            ModTypeExpKind::Arrow(name, param, result) => self.node("->", |o| {
                match name {
                    None => o.mod_type(param),
                    Some(name) => o.node(&name.name, |o| o.mod_type(param)),
                }
                o.mod_type(result);
            }),
            ModTypeExpKind::Error => self.word("<error>"),
        }
    }

    fn spec(&mut self, spec: &Spec) {
        if let Some(doc) = &spec.doc {
            self.doc(doc);
        }
        for attr in &spec.attrs {
            self.node("attr", |o| o.attr(attr));
        }
        match &spec.kind {
            SpecKind::Val { name, type_params, ty } => self.node("val", |o| {
                o.ident(name);
                o.type_params(type_params);
                o.ty(ty);
            }),
            SpecKind::TypeAbstract { lifted, name, params } => {
                self.node(&format!("type{}", lifted_sign(*lifted)), |o| {
                    o.ident(name);
                    o.type_params(params);
                });
            }
            SpecKind::Type(bind) => self.type_bind(bind),
            SpecKind::Module(name, ty) => self.node("module", |o| {
                o.ident(name);
                o.mod_type(ty);
            }),
            SpecKind::Include(ty) => self.node("include", |o| o.mod_type(ty)),
            SpecKind::Error => self.word("<error>"),
        }
    }
}

fn lifted_sign(lifted: Lifted) -> &'static str {
    match lifted {
        Lifted::Unlifted => "",
        Lifted::SizeLifted => "~",
        Lifted::Lifted => "^",
    }
}
