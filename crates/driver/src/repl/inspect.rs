//! What is known of a name: its type, or what it contains, and its documentation.

use super::complete::is_part;
use super::{Outcome, Repl};
use fehu_base::Span;
use fehu_syntax::ast::{
    Dec, DecKind, Doc, ModExp, ModExpKind, ModTypeExp, ModTypeExpKind, Spec, SpecKind,
};

/// What is known of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inspection {
    /// The name, which may be qualified.
    pub name: String,
    /// The type of a value, or the contents of a module.
    pub ty: String,
    /// Its documentation comment.
    pub doc: Option<String>,
}

impl Repl {
    /// What is known of the name at this byte of a text, or that ends there.
    pub fn inspect(&mut self, text: &str, at: usize) -> Option<Inspection> {
        let name = name_at(text, at)?;
        let Outcome::Text(ty) = self.show_type(name).outcome else { return None };
        let path: Vec<&str> = name.split('.').collect();
        let place = self.checking.program.place_of(&path);
        let doc = place.and_then(|place| {
            let file = self.loaded.files.iter().find(|file| file.id == place.file)?;
            in_decs(&file.ast.decs, place).map(|doc| doc.text.trim().to_owned())
        });
        Some(Inspection { name: name.to_owned(), ty, doc })
    }
}

fn name_at(text: &str, at: usize) -> Option<&str> {
    let (before, after) = text.split_at_checked(at)?;
    let start = before
        .rfind(|c| !is_part(c))
        .map_or(0, |last| last + before[last..].chars().next().map_or(0, char::len_utf8));
    let end = at + after.find(|c| !is_part(c)).unwrap_or(after.len());
    let name = text[start..end].trim_matches('.');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

/// The documentation of the declaration whose name is at a place. Modules are looked into.
fn in_decs(decs: &[Dec], place: Span) -> Option<&Doc> {
    decs.iter().find_map(|dec| {
        let own = |name: Span| if name == place { dec.doc.as_ref() } else { None };
        match &dec.kind {
            DecKind::Val(bind) => own(bind.name.span),
            DecKind::Module(bind) => own(bind.name.span)
                .or_else(|| in_module(&bind.body, place))
                .or_else(|| in_type(bind.ty.as_ref()?, place)),
            DecKind::ModuleType(bind) => in_type(&bind.body, place),
            DecKind::Open(module) => in_module(module, place),
            DecKind::Local(inner) => in_decs(std::slice::from_ref(inner), place),
            DecKind::Type(_) | DecKind::Import(..) | DecKind::Error => None,
        }
    })
}

fn in_module(module: &ModExp, place: Span) -> Option<&Doc> {
    match &module.kind {
        ModExpKind::Decs(decs) => in_decs(decs, place),
        ModExpKind::Paren(inner) => in_module(inner, place),
        ModExpKind::Ascribe(inner, ty) => in_module(inner, place).or_else(|| in_type(ty, place)),
        ModExpKind::Apply(left, right) => {
            in_module(left, place).or_else(|| in_module(right, place))
        }
        ModExpKind::Lambda(_, _, body) => in_module(body, place),
        ModExpKind::Name(_) | ModExpKind::Import(..) | ModExpKind::Error => None,
    }
}

fn in_type(ty: &ModTypeExp, place: Span) -> Option<&Doc> {
    match &ty.kind {
        ModTypeExpKind::Specs(specs) => specs.iter().find_map(|spec| in_spec(spec, place)),
        ModTypeExpKind::Paren(inner) | ModTypeExpKind::With(inner, ..) => in_type(inner, place),
        ModTypeExpKind::Arrow(_, from, to) => in_type(from, place).or_else(|| in_type(to, place)),
        ModTypeExpKind::Name(_) | ModTypeExpKind::Error => None,
    }
}

fn in_spec(spec: &Spec, place: Span) -> Option<&Doc> {
    let own = |name: Span| if name == place { spec.doc.as_ref() } else { None };
    match &spec.kind {
        SpecKind::Val { name, .. } => own(name.span),
        SpecKind::Module(name, ty) => own(name.span).or_else(|| in_type(ty, place)),
        SpecKind::Include(ty) => in_type(ty, place),
        SpecKind::TypeAbstract { .. } | SpecKind::Type(_) | SpecKind::Error => None,
    }
}
