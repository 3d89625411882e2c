//! What is at a place: a line or a few of code, and documentation.

use crate::declared;
use crate::index::{self, Index, Occurrence};
use crate::tree::{self, Node};
use crate::{Unit, View};
use fehu_base::{FileId, Span};
use fehu_check::program::{Target, VarKind};
use fehu_check::ty::{Ty, VarId};
use fehu_syntax::ast::{DecKind, Exp, ExpKind, ValKeyword};

/// See [`hover`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// What the answer is about.
    pub span: Span,
    /// The declaration, or `name : type`, as code.
    pub code: String,
    /// The documentation, in the Markdown of its author.
    pub doc: Option<String>,
    /// Sentences.
    pub notes: Vec<String>,
}

/// The longest declaration that is shown, in lines.
const MAX_LINES: usize = 16;

/// What there is to say about the place.
pub fn hover(view: &View<'_>, index: &Index, file: FileId, offset: u32) -> Option<Hover> {
    if let Some(found) = index.at(offset) {
        return Some(of_name(view, file, found));
    }
    let unit = view.unit(file)?;
    if let Some(hover) = of_import(view, unit, offset) {
        return Some(hover);
    }
    let exp = innermost(unit, offset)?;
    let shown = match &exp.kind {
        ExpKind::Lit(_) | ExpKind::Hole | ExpKind::Project(..) | ExpKind::Ctor(..) => exp,
        // A field of a name.
        ExpKind::Var(_) => exp,
        _ => return None,
    };
    let ty = view.tables(file)?.types.get(&shown.id)?;
    let span = shown.span;
    let code = format!("{} : {}", one_line(view.text(span)), show(view, ty));
    Some(Hover { span, code, doc: None, notes: Vec::new() })
}

/// The type of a value as people read it.
pub fn show(view: &View<'_>, ty: &Ty) -> String {
    view.program.printer().ty(ty)
}

/// The declaration of a thing in one line, for lists: its type, or what it is.
pub fn detail(view: &View<'_>, target: Target) -> String {
    match target {
        Target::Var(var) => {
            let info = &view.program.vars[var];
            match (&info.scheme, info.kind) {
                (_, VarKind::Module) => "module".to_owned(),
                (Some(scheme), _) => view.program.show_scheme(scheme),
                (None, _) => String::new(),
            }
        }
        Target::Type(place) => match place.and_then(|place| declared::site(view, place)) {
            Some(Node::Dec(dec)) => one_line(view.text(dec.span)),
            _ => "type".to_owned(),
        },
        Target::ModType(_) => "module type".to_owned(),
    }
}

fn of_name(view: &View<'_>, file: FileId, found: &Occurrence) -> Hover {
    let place = index::place(view.program, found.target);
    let doc = place.and_then(|place| declared::doc(view, place));
    let mut notes = Vec::new();
    let code = match found.target {
        Target::Var(var) => of_var(view, file, found, var, &mut notes),
        Target::Type(place) | Target::ModType(place) => match place {
            Some(place) => declaration(view, place),
            None => format!("type {}", view.text(found.span)),
        },
    };
    Hover { span: found.span, code, doc, notes }
}

fn of_var(
    view: &View<'_>,
    file: FileId,
    found: &Occurrence,
    var: VarId,
    notes: &mut Vec<String>,
) -> String {
    let info = &view.program.vars[var];
    let name = operator(&info.name);
    let here = type_at(view, file, found, var);
    if let Some(size) = &info.def {
        notes.push(format!("As a size, this is `{}`.", view.program.printer().size(size)));
    }
    match info.kind {
        VarKind::Module => match view.program.show_module_of(var) {
            Some(text) => format!("module {name} : {}", first_lines(&text)),
            None => format!("module {name}"),
        },
        VarKind::SizeParam => format!("[{name}] : i64"),
        VarKind::Global | VarKind::Builtin => {
            let Some(scheme) = &info.scheme else { return name };
            let params = view.program.scheme_params(scheme);
            let params = params.iter().map(|param| format!(" {param}")).collect::<String>();
            let ty = show(view, &scheme.ty);
            if let Some(here) = here.filter(|here| *here != ty && !params.is_empty()) {
                notes.push(format!("Here: `{here}`"));
            }
            format!("{}{name}{params} : {ty}", keyword(view, info.span))
        }
        VarKind::Local
        | VarKind::Param
        | VarKind::TypeName
        | VarKind::Ext
        | VarKind::Anonymous
        | VarKind::Unknown(_) => {
            let scheme = info.scheme.as_ref().map(|scheme| view.program.show_scheme(scheme));
            let declared = info.span.and_then(|place| type_of_pattern(view, place));
            let ty = declared.or(here).or(scheme).unwrap_or_else(|| "_".to_owned());
            format!("{name} : {ty}")
        }
    }
}

/// `entry ` or `def ` for what is declared by one of them, and `val ` for what a module type asks for.
fn keyword(view: &View<'_>, place: Option<Span>) -> &'static str {
    match place.and_then(|place| declared::site(view, place)) {
        Some(Node::Dec(dec)) => match &dec.kind {
            DecKind::Val(bind) if bind.keyword == ValKeyword::Entry => "entry ",
            _ => "def ",
        },
        _ => "val ",
    }
}

/// The type that a variable has where it is used: with its parameters known.
fn type_at(view: &View<'_>, file: FileId, found: &Occurrence, var: VarId) -> Option<String> {
    let tables = view.tables(file)?;
    let path = tree::around(view.ast(file)?, found.span.start);
    let ids = path.iter().rev().take(2).filter_map(|node| match node {
        Node::Exp(exp) => match &exp.kind {
            ExpKind::BinOp(binop) => Some(binop.op.id),
            ExpKind::Section(op) | ExpKind::SectionLeft(_, op) | ExpKind::SectionRight(op, _) => {
                Some(op.id)
            }
            _ => Some(exp.id),
        },
        _ => None,
    });
    for id in ids {
        let resolved = tables.names.get(&id);
        if resolved.is_some_and(|resolved| resolved.var == var && resolved.fields == 0) {
            return tables.types.get(&id).map(|ty| show(view, ty));
        }
    }
    None
}

/// The type of the pattern that binds a variable.
fn type_of_pattern(view: &View<'_>, place: Span) -> Option<String> {
    let Node::Pat(pat) = declared::site(view, place)? else { return None };
    let ty = view.tables(place.file)?.types.get(&pat.id)?;
    Some(show(view, ty))
}

/// The text of a declaration, or its beginning.
pub fn declaration(view: &View<'_>, place: Span) -> String {
    match declared::site(view, place) {
        Some(Node::TypeParam(param)) => view.text(param.span).to_owned(),
        Some(node) => first_lines(view.text(node.span())),
        None => view.text(place).to_owned(),
    }
}

fn of_import(view: &View<'_>, unit: &Unit<'_>, offset: u32) -> Option<Hover> {
    let holds = |span: &Span| span.start <= offset && offset <= span.end;
    let (span, target) = unit.imports.iter().find(|(span, _)| holds(span))?;
    let code = format!("import {}", view.text(*span));
    let doc = view.ast(*target).and_then(|ast| ast.doc.as_ref()).map(|doc| doc.text.to_string());
    let notes = vec![format!("The file is `{}`.", view.sources.file(*target).name)];
    Some(Hover { span: *span, code, doc, notes })
}

/// The innermost expression around a place.
fn innermost<'a>(unit: &Unit<'a>, offset: u32) -> Option<&'a Exp> {
    match tree::around(unit.ast, offset).last()? {
        Node::Exp(exp) => Some(exp),
        _ => None,
    }
}

fn first_lines(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().take(MAX_LINES + 1).collect();
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("...");
    }
    lines.join("\n")
}

/// A text in one line, not too long.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn operator(name: &str) -> String {
    match name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        true => name.to_owned(),
        false => format!("({name})"),
    }
}
