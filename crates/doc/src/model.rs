//! What is documented: the declarations that other files can see, in their order.

use fehu_base::{SourceMap, Span};
use fehu_check::program::{Program, Tables};
use fehu_driver::load::LoadedFile;
use fehu_syntax::ast::{
    Dec, DecKind, Doc, ModExp, ModExpKind, ModTypeExp, ModTypeExpKind, Pat, PatKind, Spec,
    SpecKind, ValBind, ValKeyword,
};

/// A file.
#[derive(Clone, Debug)]
pub struct FileDoc {
    /// Its index among the files of the program.
    pub index: usize,
    /// Its comment.
    pub doc: Option<Doc>,
    /// Its declarations.
    pub items: Vec<Item>,
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it declares.
    pub kind: Kind,
    /// Its name; that of a file, for what is opened.
    pub name: String,
    /// Where the name is.
    pub place: Span,
    /// Its comment.
    pub doc: Option<Doc>,
    /// What people need to know to use it.
    pub signature: Signature,
    /// What a module or a module type has in it.
    pub children: Vec<Item>,
}

/// What a declaration declares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A function or another value.
    Value,
    /// An entry point.
    Entry,
    /// A type.
    Type,
    /// A module, also a parametric one.
    Module,
    /// A module type.
    ModuleType,
    /// All that is in a module or module type: `open`, `include`.
    Open,
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Value => "value",
            Kind::Entry => "entry",
            Kind::Type => "type",
            Kind::Module => "module",
            Kind::ModuleType => "module type",
            Kind::Open => "open",
        }
    }

    /// The name space that its name is in, as links and anchors name it.
    pub fn space(self) -> &'static str {
        match self {
            Kind::Value | Kind::Entry | Kind::Module | Kind::Open => "term",
            Kind::Type => "type",
            Kind::ModuleType => "mtype",
        }
    }
}

/// What people need to know to use a declaration.
#[derive(Clone, Debug)]
pub enum Signature {
    /// What is written in the file.
    Written(Span),
    /// What the checker found out, because it is not written.
    Inferred(String),
}

/// What a file declares.
pub fn file(index: usize, file: &LoadedFile, program: &Program, sources: &SourceMap) -> FileDoc {
    let tables = program.files.get(&file.id);
    let reader = Reader { program, tables, sources };
    FileDoc { index, doc: file.ast.doc.clone(), items: reader.decs(&file.ast.decs) }
}

/// Whether a comment says that its file is not to be documented.
pub fn is_ignored(doc: Option<&Doc>) -> bool {
    doc.is_some_and(|doc| doc.text.trim() == "ignore")
}

struct Reader<'a> {
    program: &'a Program,
    tables: Option<&'a Tables>,
    sources: &'a SourceMap,
}

impl Reader<'_> {
    fn decs(&self, decs: &[Dec]) -> Vec<Item> {
        decs.iter().filter_map(|dec| self.dec(dec)).collect()
    }

    fn dec(&self, dec: &Dec) -> Option<Item> {
        let doc = dec.doc.clone();
        let item = |kind, name: &str, place, end: u32, children| Item {
            kind,
            name: name.to_owned(),
            place,
            doc: doc.clone(),
            signature: Signature::Written(self.header(dec.span, end)),
            children,
        };
        Some(match &dec.kind {
            DecKind::Val(bind) => {
                let kind = match bind.keyword {
                    ValKeyword::Entry => Kind::Entry,
                    ValKeyword::Def | ValKeyword::Let => Kind::Value,
                };
                let found =
                    item(kind, &bind.name.name, bind.name.span, bind.body.span.start, vec![]);
                match is_complete(bind) {
                    true => found,
                    false => Item { signature: self.inferred(dec, bind), ..found },
                }
            }
            DecKind::Type(bind) => {
                item(Kind::Type, &bind.name.name, bind.name.span, dec.span.end, vec![])
            }
            DecKind::Module(bind) => {
                let children = match &bind.ty {
                    Some(ty) => self.mod_type(ty),
                    None => self.mod_exp(&bind.body),
                };
                let end = match &bind.ty {
                    Some(ty) if !children.is_empty() => ty.span.start,
                    Some(ty) => ty.span.end,
                    None if children.is_empty() => dec.span.end,
                    None => bind.body.span.start,
                };
                item(Kind::Module, &bind.name.name, bind.name.span, end, children)
            }
            DecKind::ModuleType(bind) => {
                let children = self.mod_type(&bind.body);
                let end = if children.is_empty() { dec.span.end } else { bind.body.span.start };
                item(Kind::ModuleType, &bind.name.name, bind.name.span, end, children)
            }
            DecKind::Open(exp) => item(Kind::Open, "", exp.span, dec.span.end, vec![]),
            // An import without `open` is seen by nobody else.
            DecKind::Import(..) | DecKind::Local(_) | DecKind::Error => return None,
        })
    }

    fn specs(&self, specs: &[Spec]) -> Vec<Item> {
        let item = |spec: &Spec| {
            let (kind, name, end, children) = match &spec.kind {
                SpecKind::Val { name, .. } => (Kind::Value, Some(name), spec.span.end, vec![]),
                SpecKind::TypeAbstract { name, .. } => {
                    (Kind::Type, Some(name), spec.span.end, vec![])
                }
                SpecKind::Type(bind) => (Kind::Type, Some(&bind.name), spec.span.end, vec![]),
                SpecKind::Module(name, ty) => {
                    let children = self.mod_type(ty);
                    let end = if children.is_empty() { spec.span.end } else { ty.span.start };
                    (Kind::Module, Some(name), end, children)
                }
                SpecKind::Include(_) => (Kind::Open, None, spec.span.end, vec![]),
                SpecKind::Error => return None,
            };
            Some(Item {
                kind,
                name: name.map(|name| name.name.to_string()).unwrap_or_default(),
                place: name.map_or(spec.span, |name| name.span),
                doc: spec.doc.clone(),
                signature: Signature::Written(self.header(spec.span, end)),
                children,
            })
        };
        specs.iter().filter_map(item).collect()
    }

    fn mod_type(&self, ty: &ModTypeExp) -> Vec<Item> {
        match &ty.kind {
            ModTypeExpKind::Specs(specs) => self.specs(specs),
            ModTypeExpKind::Paren(inner) => self.mod_type(inner),
            ModTypeExpKind::Name(_)
            | ModTypeExpKind::With(..)
            | ModTypeExpKind::Arrow(..)
            | ModTypeExpKind::Error => Vec::new(),
        }
    }

    fn mod_exp(&self, exp: &ModExp) -> Vec<Item> {
        match &exp.kind {
            ModExpKind::Decs(decs) => self.decs(decs),
            ModExpKind::Paren(inner) => self.mod_exp(inner),
            ModExpKind::Ascribe(_, ty) => self.mod_type(ty),
            ModExpKind::Name(_)
            | ModExpKind::Import(..)
            | ModExpKind::Apply(..)
            | ModExpKind::Lambda(..)
            | ModExpKind::Error => Vec::new(),
        }
    }

    /// What is written from the start of a declaration up to here, without the sign at its end.
    fn header(&self, span: Span, end: u32) -> Span {
        let text = &self.sources.file(span.file).text;
        let written = text.get(span.start as usize..end as usize).unwrap_or_default();
        let written = written.trim_end().trim_end_matches(['=', ':']).trim_end();
        Span { end: span.start + written.len() as u32, ..span }
    }

    fn inferred(&self, dec: &Dec, bind: &ValBind) -> Signature {
        let var = self.tables.and_then(|tables| tables.binders.get(&dec.id)).copied();
        let scheme = var.and_then(|var| self.program.vars[var].scheme.clone());
        let Some(scheme) = scheme else {
            return Signature::Written(self.header(dec.span, bind.body.span.start));
        };
        let keyword = match bind.keyword {
            ValKeyword::Entry => "entry",
            ValKeyword::Def | ValKeyword::Let => "def",
        };
        let name = &bind.name.name;
        let operator = !name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let name = if operator { format!("({name})") } else { name.to_string() };
        Signature::Inferred(format!("{keyword} {name} : {}", self.program.show_scheme(&scheme)))
    }
}

/// Whether all types are written.
fn is_complete(bind: &ValBind) -> bool {
    fn has_type(pat: &Pat) -> bool {
        match &pat.kind {
            PatKind::Ascribe(..) => true,
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => has_type(inner),
            PatKind::Tuple(parts) => parts.iter().all(has_type),
            PatKind::Var(_)
            | PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Error => false,
        }
    }
    bind.ret.is_some() && bind.params.iter().all(has_type)
}
