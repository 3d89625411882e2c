//! Declarations: what stands at the place of a name, with its documentation.

use crate::View;
use crate::tree::{self, Node};
use fehu_base::Span;
use fehu_syntax::ast::{
    Dec, DecKind, ExpKind, Ident, LetKind, LoopForm, Pat, PatKind, Spec, SpecKind, TypeExp,
    TypeExpKind,
};

/// The node that declares the name at this place.
pub fn site<'a>(view: &View<'a>, place: Span) -> Option<Node<'a>> {
    let path = tree::around(view.ast(place.file)?, place.start);
    let declares = |node: &Node<'_>| match node {
        Node::Exp(exp) => match &exp.kind {
            ExpKind::Loop(parts) => {
                matches!(&parts.form, LoopForm::For(_, name, _) if name.span == place)
            }
            _ => false,
        },
        _ => name(*node).is_some_and(|name| name.span == place),
    };
    path.into_iter().rev().find(declares)
}

/// The name that a node declares.
pub fn name(node: Node<'_>) -> Option<&Ident> {
    match node {
        Node::Dec(dec) => dec_name(dec),
        Node::Spec(spec) => spec_name(spec),
        Node::ModParam(param) => Some(&param.name),
        Node::Bind(bind) => match &bind.kind {
            LetKind::Fun { name, .. } | LetKind::Update { name, .. } => Some(name),
            LetKind::Pat { .. } => None,
        },
        Node::Pat(Pat { kind: PatKind::Var(name), .. }) => Some(name),
        Node::TypeParam(param) => Some(&param.name),
        _ => None,
    }
}

/// The name that a declaration declares.
pub fn dec_name(dec: &Dec) -> Option<&Ident> {
    match &dec.kind {
        DecKind::Val(bind) => Some(&bind.name),
        DecKind::Type(bind) => Some(&bind.name),
        DecKind::Module(bind) => Some(&bind.name),
        DecKind::ModuleType(bind) => Some(&bind.name),
        DecKind::Open(_) | DecKind::Import(..) | DecKind::Local(_) | DecKind::Error => None,
    }
}

/// The name that a part of a module type asks for.
pub fn spec_name(spec: &Spec) -> Option<&Ident> {
    match &spec.kind {
        SpecKind::Val { name, .. }
        | SpecKind::TypeAbstract { name, .. }
        | SpecKind::Module(name, _) => Some(name),
        SpecKind::Type(bind) => Some(&bind.name),
        SpecKind::Include(_) | SpecKind::Error => None,
    }
}

/// The documentation of what is declared at this place.
pub fn doc(view: &View<'_>, place: Span) -> Option<String> {
    let doc = match site(view, place)? {
        Node::Dec(dec) => match &dec.doc {
            Some(doc) => doc,
            // `local def` has it before the first word.
            None => {
                let path = tree::around(view.ast(place.file)?, place.start);
                let local = path.iter().rev().find_map(|node| match node {
                    Node::Dec(outer) if matches!(outer.kind, DecKind::Local(_)) => Some(*outer),
                    _ => None,
                });
                local?.doc.as_ref()?
            }
        },
        Node::Spec(spec) => spec.doc.as_ref()?,
        Node::Mod(_)
        | Node::ModType(_)
        | Node::ModParam(_)
        | Node::Exp(_)
        | Node::Bind(_)
        | Node::Case(_)
        | Node::Pat(_)
        | Node::Type(_)
        | Node::TypeParam(_) => return None,
    };
    Some(doc.text.lines().map(str::trim_start).collect::<Vec<_>>().join("\n"))
}

/// The names of the parameters of the function that is declared at this place; `None` for those without a name.
pub fn parameters(view: &View<'_>, place: Span) -> Vec<Option<String>> {
    let of_pats = |params: &[Pat]| params.iter().map(pat_name).collect();
    match site(view, place) {
        Some(Node::Dec(Dec { kind: DecKind::Val(bind), .. })) => of_pats(&bind.params),
        Some(Node::Bind(bind)) => match &bind.kind {
            LetKind::Fun { params, .. } => of_pats(params),
            LetKind::Pat { .. } | LetKind::Update { .. } => Vec::new(),
        },
        Some(Node::Spec(Spec { kind: SpecKind::Val { ty, .. }, .. })) => {
            let mut names = Vec::new();
            arrow_names(ty, &mut names);
            names
        }
        _ => Vec::new(),
    }
}

/// The variable that a pattern binds, if it is one.
pub fn pat_name(pat: &Pat) -> Option<String> {
    match &pat.kind {
        PatKind::Var(name) => Some(name.name.to_string()),
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) | PatKind::Attr(_, inner) => {
            pat_name(inner)
        }
        PatKind::Wildcard
        | PatKind::Lit(_)
        | PatKind::Tuple(_)
        | PatKind::Record(_)
        | PatKind::Ctor(..)
        | PatKind::Error => None,
    }
}

fn arrow_names(ty: &TypeExp, names: &mut Vec<Option<String>>) {
    match &ty.kind {
        TypeExpKind::Fun(name, _, ret) => {
            names.push(name.as_ref().map(|name| name.name.to_string()));
            arrow_names(ret, names);
        }
        TypeExpKind::Paren(inner) | TypeExpKind::Exists(_, inner) => arrow_names(inner, names),
        TypeExpKind::Name(..)
        | TypeExpKind::Array(..)
        | TypeExpKind::Tuple(_)
        | TypeExpKind::Record(_)
        | TypeExpKind::Sum(_)
        | TypeExpKind::Unique(_)
        | TypeExpKind::Error => {}
    }
}
