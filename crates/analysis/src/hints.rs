//! What was left out of a program and is known: types and sizes, names of parameters.

use crate::View;
use crate::declared;
use crate::hover::show;
use crate::index::{self, Index};
use crate::tree::{self, Node};
use fehu_base::{FileId, Span};
use fehu_check::program::{Tables, VarKind};
use fehu_check::ty::{Size, Ty};
use fehu_syntax::ast::{
    DecKind, Exp, ExpKind, LetKind, NodeId, Pat, PatKind, TypeExp, TypeExpKind, ValBind,
};

/// A hint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// Before which byte it is shown.
    pub at: u32,
    /// What is shown.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// What would have to be inserted where, to write it down, if it can be written.
    pub edits: Vec<(u32, String)>,
}

/// Kinds of [`Hint`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A type.
    Type,
    /// A size.
    Size,
    /// The name of a parameter.
    Parameter,
}

/// The hints between two bytes of a file, in order.
pub fn hints(view: &View<'_>, index: &Index, file: FileId, range: (u32, u32)) -> Vec<Hint> {
    let (Some(ast), Some(tables)) = (view.ast(file), view.tables(file)) else { return Vec::new() };
    let mut hints = Hints { view, index, tables, found: Vec::new() };
    let outside = |span: Span| span.end < range.0 || span.start > range.1;
    for dec in ast.decs.iter().filter(|dec| !outside(dec.span)) {
        Node::Dec(dec).walk(&mut |node| hints.node(node));
    }
    let mut found = hints.found;
    found.retain(|hint| range.0 <= hint.at && hint.at <= range.1);
    found.sort_by_key(|hint| hint.at);
    found
}

struct Hints<'a, 'v> {
    view: &'v View<'a>,
    index: &'v Index,
    tables: &'v Tables,
    found: Vec<Hint>,
}

impl Hints<'_, '_> {
    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Dec(dec) => {
                if let DecKind::Val(bind) = &dec.kind {
                    self.value(dec.id, bind);
                }
            }
            Node::Bind(bind) => match &bind.kind {
                LetKind::Pat { pat, value, .. } => {
                    // What is plain to see needs no hint.
                    let plain = matches!(
                        value.kind,
                        ExpKind::Lit(_) | ExpKind::Ascribe(..) | ExpKind::Coerce(..)
                    );
                    if !plain {
                        self.pattern(pat, false);
                    }
                }
                LetKind::Fun { params, .. } => params.iter().for_each(|p| self.pattern(p, true)),
                LetKind::Update { .. } => {}
            },
            Node::Exp(exp) => match &exp.kind {
                ExpKind::Lambda(lambda) => {
                    lambda.params.iter().for_each(|pat| self.pattern(pat, true));
                }
                ExpKind::Ascribe(inner, ty) => self.sizes(ty, inner.id),
                ExpKind::Apply(fun, args) if args.len() > 2 => self.arguments(fun, args),
                _ => {}
            },
            Node::Pat(pat) => {
                if let PatKind::Ascribe(_, ty) = &pat.kind {
                    self.sizes(ty, pat.id);
                }
            }
            _ => {}
        }
    }

    /// The types of parameters, and of the result.
    fn value(&mut self, node: NodeId, bind: &ValBind) {
        bind.params.iter().for_each(|pat| self.pattern(pat, !bind.infix));
        let var = self.tables.binders.get(&node).map(|var| &self.view.program.vars[*var]);
        let Some(scheme) = var.filter(|info| !info.poisoned).and_then(|v| v.scheme.as_ref()) else {
            return;
        };
        let mut ty = &scheme.ty;
        for _ in &bind.params {
            let Ty::Fun(fun) = ty else { return };
            ty = &fun.ret;
        }
        if let Some(ret) = &bind.ret {
            let mut found = Vec::new();
            self.anonymous(ret, ty, &mut found);
            self.found.extend(found);
            return;
        }
        let at = match (bind.params.last(), bind.type_params.last()) {
            (Some(pat), _) => pat.span.end,
            (None, Some(param)) => param.span.end,
            (None, None) => bind.name.span.end,
        };
        self.of_type(at, ty, Vec::new());
    }

    /// The types of the variables in a pattern that do not have one.
    fn pattern(&mut self, pat: &Pat, parenthesised: bool) {
        match &pat.kind {
            PatKind::Var(name) => {
                if let Some(ty) = self.tables.types.get(&pat.id)
                    && !name.name.is_empty()
                {
                    let before = match parenthesised {
                        true => vec![(pat.span.start, "(".to_owned())],
                        false => Vec::new(),
                    };
                    self.of_type(pat.span.end, ty, before);
                }
            }
            PatKind::Tuple(parts) => parts.iter().for_each(|part| self.pattern(part, false)),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) => self.pattern(inner, false),
            PatKind::Wildcard
            | PatKind::Lit(_)
            | PatKind::Record(_)
            | PatKind::Ctor(..)
            | PatKind::Ascribe(..)
            | PatKind::Error => {}
        }
    }

    fn of_type(&mut self, at: u32, ty: &Ty, mut edits: Vec<(u32, String)>) {
        let text = show(self.view, ty);
        if text == "_" {
            return;
        }
        let close = if edits.is_empty() { "" } else { ")" };
        match self.writable(ty, &text) {
            true => edits.push((at, format!(": {text}{close}"))),
            false => edits.clear(),
        }
        self.found.push(Hint { at, text: format!(": {text}"), kind: Kind::Type, edits });
    }

    /// Whether a type means the same where it is written: all sizes in it have names.
    fn writable(&self, ty: &Ty, text: &str) -> bool {
        let mut known = !text.contains('_');
        ty.for_each_size(&mut |size| known &= self.has_name(size));
        known
    }

    fn has_name(&self, size: &Size) -> bool {
        let mut known = !matches!(size, Size::Any | Size::Meta(_));
        size.for_each_var(&mut |var| {
            known &= match self.view.program.vars[var].kind {
                VarKind::Ext | VarKind::Anonymous | VarKind::Unknown(_) => false,
                VarKind::Global
                | VarKind::Builtin
                | VarKind::Local
                | VarKind::Param
                | VarKind::TypeName
                | VarKind::SizeParam
                | VarKind::Module => true,
            };
        });
        known
    }

    /// The sizes of a type that is written for something whose type is known.
    fn sizes(&mut self, written: &TypeExp, node: NodeId) {
        if let Some(ty) = self.tables.types.get(&node) {
            let mut found = Vec::new();
            self.anonymous(written, ty, &mut found);
            self.found.extend(found);
        }
    }

    /// The sizes for `[]` in a type.
    fn anonymous(&self, written: &TypeExp, ty: &Ty, found: &mut Vec<Hint>) {
        let ty = ty.unwrap_unique();
        match (&written.kind, ty) {
            (TypeExpKind::Array(size, elem), Ty::Array(known, inner)) => {
                if size.is_none() && self.has_name(known) {
                    let at = written.span.start + 1;
                    let text = self.view.program.printer().size(known);
                    let edits = vec![(at, text.clone())];
                    found.push(Hint { at, text, kind: Kind::Size, edits });
                }
                self.anonymous(elem, inner, found);
            }
            (TypeExpKind::Tuple(parts), Ty::Record(fields)) if parts.len() == fields.len() => {
                for (part, (_, ty)) in parts.iter().zip(fields.iter()) {
                    self.anonymous(part, ty, found);
                }
            }
            (TypeExpKind::Paren(inner) | TypeExpKind::Unique(inner), _) => {
                self.anonymous(inner, ty, found);
            }
            _ => {}
        }
    }

    /// The names of parameters at the arguments of a call.
    fn arguments(&mut self, fun: &Exp, args: &[Exp]) {
        let ExpKind::Var(name) = &fun.kind else { return };
        let target = self.index.starting_at(name.name.span.start).map(|found| found.target);
        let place = target.and_then(|target| index::place(self.view.program, target));
        let Some(place) = place else { return };
        for (name, arg) in declared::parameters(self.view, place).iter().zip(args) {
            let Some(name) = name else { continue };
            if name.len() > 1 && self.view.text(arg.span) != name {
                let (at, text) = (arg.span.start, format!("{name}:"));
                self.found.push(Hint { at, text, kind: Kind::Parameter, edits: Vec::new() });
            }
        }
    }
}

/// The expression and its type at a place, for those who want to show it.
pub fn type_around(view: &View<'_>, file: FileId, offset: u32) -> Option<(Span, String)> {
    let path = tree::around(view.ast(file)?, offset);
    let tables = view.tables(file)?;
    path.iter().rev().find_map(|node| match node {
        Node::Exp(exp) => Some((exp.span, show(view, tables.types.get(&exp.id)?))),
        _ => None,
    })
}
