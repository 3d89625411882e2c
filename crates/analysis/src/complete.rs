//! What could stand at a place that somebody is writing at.
//!
//! The text at such a place is mostly not a program: `xs.` has no field yet. So it is asked about a text in which a name
//! ([`PLACEHOLDER`]) has been put at the place, if there is none: see [`wants_placeholder`].

use crate::index::labels;
use crate::scope::{self, Distance, Visible};
use crate::tree::{self, Node};
use crate::{View, hover};
use ecow::EcoString;
use fehu_base::FileId;
use fehu_check::program::{Target, VarKind};
use fehu_check::ty::Ty;
use fehu_syntax::ast::{ExpKind, PatKind};
use fehu_syntax::lexeme::{Class, lexemes};

/// What stands for what is not written yet.
pub const PLACEHOLDER: &str = "fehu'here";

/// What could stand at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Completion {
    /// From which byte on the text is replaced, up to the place.
    pub start: u32,
    /// By what; the best come first.
    pub items: Vec<Item>,
    /// If the place is in the string of an import: what is written of it. The files are for the caller to find.
    pub import: Option<String>,
}

/// Something that could stand at a place.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// What to insert.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// What it refers to, if it is declared.
    pub target: Option<Target>,
    /// Its type, if that is at hand.
    pub detail: Option<String>,
    /// The lower, the better.
    pub rank: u8,
}

/// Kinds of [`Item`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// A constant.
    Constant,
    /// A local variable, a parameter, or a size.
    Variable,
    /// A module.
    Module,
    /// A type.
    Type,
    /// A module type.
    ModuleType,
    /// A field of a record.
    Field,
    /// A constructor of a sum type.
    Constructor,
    /// An attribute.
    Attribute,
    /// A word of the language.
    Keyword,
}

/// Where names are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Declaration,
    Expression,
    Type,
    ModuleType,
    Binder,
}

const IN_EXPRESSIONS: [&str; 16] = [
    "assert", "case", "do", "else", "false", "for", "if", "in", "let", "loop", "match", "then",
    "true", "while", "with", "???",
];
const IN_DECLARATIONS: [&str; 11] = [
    "def",
    "entry",
    "import",
    "include",
    "let",
    "local",
    "module",
    "module type",
    "open",
    "type",
    "val",
];
const ATTRIBUTES: [&str; 12] = [
    "flatten",
    "foreign",
    "inline",
    "noinline",
    "sequential",
    "sequential_inner",
    "sequential_outer",
    "stream",
    "trace",
    "unroll",
    "unsafe",
    "warn",
];

/// Whether a name must be put at the place before it is asked about.
pub fn wants_placeholder(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or("");
    !before.ends_with(is_part)
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '\'')
}

/// What could stand at a byte, of which a part may be written.
pub fn complete(view: &View<'_>, file: FileId, offset: u32) -> Completion {
    let text = &view.sources.file(file).text;
    let before = text.get(..offset as usize).unwrap_or("");
    let begun = before.len() - before.trim_end_matches(is_part).len();
    let start = offset - begun as u32;
    let mut completion = Completion { start, items: Vec::new(), import: None };
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let lexeme = lexeme_at(view, file, offset);
    match lexeme {
        Some((Class::Comment, _)) => return completion,
        Some((Class::String | Class::Character, at)) if at < offset => {
            let written = &before[at as usize + 1..];
            if text[line.min(at as usize)..at as usize].trim_end().ends_with("import") {
                completion.import = Some(written.to_owned());
                completion.start = offset - written.rsplit('/').next().unwrap_or("").len() as u32;
            }
            return completion;
        }
        Some(_) | None => {}
    }
    let head = &before[..start as usize];
    if head.trim_end().ends_with("#[") {
        completion.items = words(&ATTRIBUTES, Kind::Attribute);
        return completion;
    }
    if head.ends_with('#') {
        completion.items = constructors(view);
        return completion;
    }
    let visible = scope::at(view, file, start);
    if let Some(object) = head.strip_suffix('.') {
        completion.items = after_dot(view, file, &visible, object);
        return completion;
    }
    let place = place(view, file, start);
    completion.items = match place {
        Place::Binder => Vec::new(),
        Place::Declaration => words(&IN_DECLARATIONS, Kind::Keyword),
        Place::Expression | Place::Type | Place::ModuleType => visible
            .iter()
            .rev()
            .filter(|found| fits(view, found, place))
            .map(|v| item(view, v))
            .collect(),
    };
    if place == Place::Expression {
        completion.items.extend(words(&IN_EXPRESSIONS, Kind::Keyword));
        // A line may begin a declaration, wherever it stands.
        if head[line..].trim().is_empty() {
            completion.items.extend(words(&IN_DECLARATIONS, Kind::Keyword));
        }
    }
    completion.items.sort_by_key(|item| item.rank);
    completion
}

/// The token or comment that a byte is in or at the end of.
fn lexeme_at(view: &View<'_>, file: FileId, offset: u32) -> Option<(Class, u32)> {
    let all = lexemes(file, &view.sources.file(file).text);
    let after = all.partition_point(|lexeme| lexeme.span.start < offset);
    let found = all[..after].last().filter(|lexeme| {
        // After the closing quote of a string we are outside.
        let inside = offset < lexeme.span.end;
        inside || (offset == lexeme.span.end && lexeme.class != Class::String)
    })?;
    Some((found.class, found.span.start))
}

fn place(view: &View<'_>, file: FileId, offset: u32) -> Place {
    let Some(ast) = view.ast(file) else { return Place::Declaration };
    let path = tree::around(ast, offset);
    match path.last() {
        None => Place::Declaration,
        Some(Node::Type(_)) => Place::Type,
        Some(Node::ModType(_)) => Place::ModuleType,
        Some(Node::Pat(pat)) if matches!(pat.kind, PatKind::Var(_)) => Place::Binder,
        Some(Node::TypeParam(_)) => Place::Binder,
        Some(Node::Mod(exp)) if tree::body_of(exp).is_some() => Place::Declaration,
        Some(_) => Place::Expression,
    }
}

fn fits(view: &View<'_>, found: &Visible, place: Place) -> bool {
    if !found.name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        || found.name.contains(PLACEHOLDER)
    {
        return false;
    }
    match (found.target, place) {
        (Target::Var(var), Place::Type | Place::ModuleType) => {
            view.program.vars[var].kind == VarKind::Module
        }
        (Target::Var(_), _) => true,
        (Target::Type(_), _) => place == Place::Type,
        (Target::ModType(_), _) => place == Place::ModuleType,
    }
}

fn item(view: &View<'_>, found: &Visible) -> Item {
    let kind = match found.target {
        Target::Var(var) => {
            let info = &view.program.vars[var];
            match info.kind {
                VarKind::Module => Kind::Module,
                _ if info.scheme.as_ref().is_some_and(|s| matches!(s.ty, Ty::Fun(_))) => {
                    Kind::Function
                }
                VarKind::Global | VarKind::Builtin => Kind::Constant,
                VarKind::Local
                | VarKind::Param
                | VarKind::TypeName
                | VarKind::SizeParam
                | VarKind::Ext
                | VarKind::Anonymous
                | VarKind::Unknown(_) => Kind::Variable,
            }
        }
        Target::Type(_) => Kind::Type,
        Target::ModType(_) => Kind::ModuleType,
    };
    let rank = match found.distance {
        Distance::Local => 0,
        Distance::File => 1,
        Distance::Opened => 2,
        Distance::Prelude => 3,
    };
    Item { name: found.name.to_string(), kind, target: Some(found.target), detail: None, rank }
}

/// What can follow a dot: members of a module, or fields of a value.
fn after_dot(view: &View<'_>, file: FileId, visible: &[Visible], object: &str) -> Vec<Item> {
    let path = object.len() - object.trim_end_matches(|c| is_part(c) || c == '.').len();
    let names: Vec<EcoString> =
        object[object.len() - path..].split('.').map(EcoString::from).collect();
    if names.iter().all(|name| !name.is_empty()) {
        if let Some(members) = scope::members(view, visible, &names) {
            let word = |found: &&Visible| found.name.starts_with(|c: char| c.is_alphabetic());
            return members.iter().filter(word).map(|found| item(view, found)).collect();
        }
        let mut ty = visible.iter().rev().find(|found| found.name == names[0]).and_then(|found| {
            let place = scope::place(view, found)?;
            type_of(view, place, found.target)
        });
        for name in &names[1..] {
            ty = ty.and_then(|ty| field(&ty, name));
        }
        if let Some(ty) = ty {
            return fields(view, &ty);
        }
    }
    let ty = expression_before(view, file, object.len() as u32);
    ty.map_or_else(Vec::new, |ty| fields(view, &ty))
}

/// The type of a variable: that of the pattern which binds it is known even if its declaration is refused.
fn type_of(view: &View<'_>, place: fehu_base::Span, target: Target) -> Option<Ty> {
    if let Some(Node::Pat(pat)) = crate::declared::site(view, place)
        && let Some(ty) = view.tables(place.file).and_then(|tables| tables.types.get(&pat.id))
    {
        return Some(ty.clone());
    }
    match target {
        Target::Var(var) => Some(view.program.vars[var].scheme.as_ref()?.ty.clone()),
        Target::Type(_) | Target::ModType(_) => None,
    }
}

/// The type of the expression that is projected from and ends at a byte.
fn expression_before(view: &View<'_>, file: FileId, end: u32) -> Option<Ty> {
    let mut found = None;
    for node in tree::around(view.ast(file)?, end) {
        if let Node::Exp(exp) = node
            && let ExpKind::Project(inner, _) = &exp.kind
            && inner.span.end == end
        {
            found = view.tables(file)?.types.get(&inner.id).cloned();
        }
    }
    found
}

fn field(ty: &Ty, name: &str) -> Option<Ty> {
    match ty.unwrap_unique() {
        Ty::Record(fields) => fields.iter().find(|(f, _)| f == name).map(|(_, ty)| ty.clone()),
        Ty::Prim(_)
        | Ty::Array(..)
        | Ty::Sum(_)
        | Ty::Fun(_)
        | Ty::Con(..)
        | Ty::Meta(_)
        | Ty::Unique(_)
        | Ty::Error => None,
    }
}

fn fields(view: &View<'_>, ty: &Ty) -> Vec<Item> {
    let Ty::Record(fields) = ty.unwrap_unique() else { return Vec::new() };
    let field = |(name, ty): &(EcoString, Ty)| Item {
        name: name.to_string(),
        kind: Kind::Field,
        target: None,
        detail: Some(hover::show(view, ty)),
        rank: 0,
    };
    fields.iter().map(field).collect()
}

/// All constructors that are written in a type of the user's files.
fn constructors(view: &View<'_>) -> Vec<Item> {
    let mut names: Vec<String> = Vec::new();
    for unit in view.units.iter().filter(|unit| !unit.in_prelude) {
        tree::walk(unit.ast, &mut |node| {
            labels(node, &mut |name| {
                if view.text(name.span).starts_with('#') {
                    names.push(name.name.to_string());
                }
            });
        });
    }
    names.sort();
    names.dedup();
    let item = |name| Item { name, kind: Kind::Constructor, target: None, detail: None, rank: 0 };
    names.into_iter().map(item).collect()
}

fn words(words: &[&str], kind: Kind) -> Vec<Item> {
    let item =
        |word: &&str| Item { name: (*word).to_owned(), kind, target: None, detail: None, rank: 4 };
    words.iter().map(item).collect()
}
