//! The declarations of a file as a tree.

use crate::tree::body_of;
use crate::{View, declared, hover};
use fehu_base::{FileId, Span};
use fehu_check::program::Target;
use fehu_check::ty::Ty;
use fehu_syntax::ast::{Dec, DecKind, ModTypeExp, ModTypeExpKind, Spec, SpecKind, ValKeyword};

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its type, if it has one.
    pub detail: String,
    /// All of it.
    pub span: Span,
    /// Its name's place.
    pub name_span: Span,
    /// What is declared inside.
    pub children: Vec<Symbol>,
}

/// Kinds of [`Symbol`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// An entry point.
    Entry,
    /// A constant.
    Constant,
    /// A type.
    Type,
    /// A module.
    Module,
    /// A module type.
    ModuleType,
}

/// The declarations of a file.
pub fn symbols(view: &View<'_>, file: FileId) -> Vec<Symbol> {
    let Some(ast) = view.ast(file) else { return Vec::new() };
    ast.decs.iter().filter_map(|dec| of_dec(view, file, dec)).collect()
}

fn of_dec(view: &View<'_>, file: FileId, dec: &Dec) -> Option<Symbol> {
    let mut detail = String::new();
    let (kind, children) = match &dec.kind {
        DecKind::Val(bind) => {
            let var = view.tables(file).and_then(|tables| tables.binders.get(&dec.id));
            if let Some(&var) = var {
                detail = hover::detail(view, Target::Var(var));
            }
            let scheme = var.and_then(|&var| view.program.vars[var].scheme.as_ref());
            let function = !bind.params.is_empty()
                || scheme.is_some_and(|scheme| matches!(scheme.ty, Ty::Fun(_)));
            let kind = match (bind.keyword, function) {
                (ValKeyword::Entry, _) => Kind::Entry,
                (ValKeyword::Def | ValKeyword::Let, true) => Kind::Function,
                (ValKeyword::Def | ValKeyword::Let, false) => Kind::Constant,
            };
            (kind, Vec::new())
        }
        DecKind::Type(bind) => {
            detail = hover::one_line(view.text(bind.body.span));
            (Kind::Type, Vec::new())
        }
        DecKind::Module(bind) => {
            let inside = body_of(&bind.body).unwrap_or_default();
            (Kind::Module, inside.iter().filter_map(|dec| of_dec(view, file, dec)).collect())
        }
        DecKind::ModuleType(bind) => (Kind::ModuleType, specs(view, &bind.body)),
        DecKind::Local(inner) => return of_dec(view, file, inner),
        DecKind::Open(_) | DecKind::Import(..) | DecKind::Error => return None,
    };
    let name = declared::dec_name(dec)?;
    let (span, name_span) = (dec.span, name.span);
    named(Symbol { name: name.name.to_string(), kind, detail, span, name_span, children })
}

fn specs(view: &View<'_>, mt: &ModTypeExp) -> Vec<Symbol> {
    match &mt.kind {
        ModTypeExpKind::Specs(specs) => specs.iter().filter_map(|s| of_spec(view, s)).collect(),
        ModTypeExpKind::Paren(inner) | ModTypeExpKind::With(inner, ..) => specs(view, inner),
        ModTypeExpKind::Name(_) | ModTypeExpKind::Arrow(..) | ModTypeExpKind::Error => Vec::new(),
    }
}

fn of_spec(view: &View<'_>, spec: &Spec) -> Option<Symbol> {
    let name = declared::spec_name(spec)?;
    let (kind, detail) = match &spec.kind {
        SpecKind::Val { ty, .. } => (Kind::Function, hover::one_line(view.text(ty.span))),
        SpecKind::TypeAbstract { .. } => (Kind::Type, String::new()),
        SpecKind::Type(bind) => (Kind::Type, hover::one_line(view.text(bind.body.span))),
        SpecKind::Module(..) => (Kind::Module, String::new()),
        SpecKind::Include(_) | SpecKind::Error => return None,
    };
    let (span, name_span, children) = (spec.span, name.span, Vec::new());
    named(Symbol { name: name.name.to_string(), kind, detail, span, name_span, children })
}

/// A declaration that is being written may have no name yet, or one outside of itself.
fn named(symbol: Symbol) -> Option<Symbol> {
    let inside =
        symbol.span.start <= symbol.name_span.start && symbol.name_span.end <= symbol.span.end;
    (inside && !symbol.name.is_empty()).then_some(symbol)
}
