//! Every name of a file, with what it refers to.
//!
//! Two names mean the same if they lead to the same *place*: the name in the declaration. Modules that are seen through a module
//! type are copies, whose values have the places of the module type's.
//!
//! Some names do two things at once. `let x[i] = e` uses a variable and binds another of the same name, and so does
//! `loop x for ...`; they are one variable to people who look for uses, or rename. `{x}` in an expression or pattern is a
//! field and a variable.

use crate::View;
use crate::tree::{self, Node};
use fehu_base::{FileId, Span};
use fehu_check::program::{Program, Target};
use fehu_syntax::ast::{
    DecKind, ExpKind, PatKind, RecordField, SpecKind, TypeExpKind, TypeParamKind,
};
use rustc_hash::FxHashMap;

/// A name where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The place of the name.
    pub span: Span,
    /// What it refers to.
    pub target: Target,
    /// Whether it is declared here.
    pub definition: bool,
}

/// The names of a file.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// In the order of the text; no two at one place.
    occurrences: Vec<Occurrence>,
    /// Where `{x}` is short for `{x = x}`, in order.
    puns: Vec<Span>,
    /// Variables that are one to the reader: the place of the later to that of the earlier.
    same: FxHashMap<Span, Span>,
}

/// Where a thing is declared.
pub fn place(program: &Program, target: Target) -> Option<Span> {
    match target {
        Target::Var(var) => program.vars.get(var)?.span,
        Target::Type(span) | Target::ModType(span) => span,
    }
}

impl Index {
    /// The names of a file.
    pub fn new(view: &View<'_>, file: FileId) -> Index {
        let mut index = Index::default();
        let (Some(ast), Some(tables)) = (view.ast(file), view.tables(file)) else { return index };
        let mut definitions: FxHashMap<Span, Occurrence> = FxHashMap::default();
        let mut define = |span: Span, target| {
            let definition = Occurrence { span, target, definition: true };
            definitions.insert(span, definition);
        };
        for &var in tables.binders.values() {
            let info = &view.program.vars[var];
            // What is opened has a variable, too, but no name.
            if let Some(span) = info.span.filter(|span| view.text(*span) == info.name) {
                define(span, Target::Var(var));
            }
        }
        tree::walk(ast, &mut |node| {
            defined_types(node, &mut define);
            puns(node, &mut index.puns);
        });
        let mut uses: Vec<Occurrence> = Vec::with_capacity(tables.mentions.len());
        for mention in &tables.mentions {
            let Some(place) = place(view.program, mention.target) else {
                let (span, target) = (mention.span, mention.target);
                uses.push(Occurrence { span, target, definition: false });
                continue;
            };
            if place == mention.span {
                continue;
            }
            // Names of parameters in function types are declared nowhere else.
            if place.file == file && !definitions.contains_key(&place) {
                let (span, target) = (place, mention.target);
                let definition = view.text(place) == name_of(view, target);
                if definition {
                    definitions.insert(place, Occurrence { span, target, definition });
                }
            }
            if definitions.contains_key(&mention.span) {
                index.same.insert(mention.span, place);
                continue;
            }
            let (span, target) = (mention.span, mention.target);
            uses.push(Occurrence { span, target, definition: false });
        }
        // Of several at one place, the last is right.
        uses.reverse();
        uses.sort_by_key(|found| found.span);
        uses.dedup_by_key(|found| found.span);
        uses.extend(definitions.into_values());
        uses.sort_unstable_by_key(|found| found.span);
        index.occurrences = uses;
        index.puns.sort_unstable();
        index
    }

    /// All names in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter()
    }

    /// The name at a byte, or that ends there.
    pub fn at(&self, offset: u32) -> Option<&Occurrence> {
        let after = self.occurrences.partition_point(|found| found.span.start <= offset);
        let before = self.occurrences[..after].iter().rev().take(2);
        before.into_iter().find(|found| offset <= found.span.end)
    }

    /// The name that starts at a byte.
    pub fn starting_at(&self, offset: u32) -> Option<&Occurrence> {
        let at = self.occurrences.binary_search_by_key(&offset, |found| found.span.start).ok()?;
        self.occurrences.get(at)
    }

    /// Whether the name at this place is both a field and a variable.
    pub fn is_pun(&self, span: Span) -> bool {
        self.puns.binary_search(&span).is_ok()
    }

    /// The place that stands for all variables that are one to the reader.
    pub fn representative(&self, mut place: Span) -> Span {
        // Each step leads to an earlier place.
        while let Some(&earlier) = self.same.get(&place)
            && earlier != place
        {
            place = earlier;
        }
        place
    }

    /// The names of this file that mean what is declared at this place, itself among them.
    pub fn of<'a>(
        &'a self,
        view: &'a View<'a>,
        declared: Span,
    ) -> impl Iterator<Item = Occurrence> {
        let declared = self.representative(declared);
        self.occurrences.iter().copied().filter(move |found| {
            place(view.program, found.target)
                .is_some_and(|place| self.representative(place) == declared)
        })
    }
}

/// The name of a thing as it is declared.
pub fn name_of<'a>(view: &View<'a>, target: Target) -> &'a str {
    match target {
        Target::Var(var) => view.program.vars.get(var).map_or("", |info| info.name.as_str()),
        Target::Type(span) | Target::ModType(span) => span.map_or("", |span| view.text(span)),
    }
}

fn defined_types(node: Node<'_>, define: &mut impl FnMut(Span, Target)) {
    let mut ty = |span: Span| define(span, Target::Type(Some(span)));
    match node {
        Node::Dec(dec) => match &dec.kind {
            DecKind::Type(bind) => ty(bind.name.span),
            DecKind::ModuleType(bind) => {
                define(bind.name.span, Target::ModType(Some(bind.name.span)));
            }
            DecKind::Val(_)
            | DecKind::Module(_)
            | DecKind::Open(_)
            | DecKind::Import(..)
            | DecKind::Local(_)
            | DecKind::Error => {}
        },
        Node::Spec(spec) => match &spec.kind {
            SpecKind::TypeAbstract { name, .. } => ty(name.span),
            SpecKind::Type(bind) => ty(bind.name.span),
            SpecKind::Val { .. }
            | SpecKind::Module(..)
            | SpecKind::Include(_)
            | SpecKind::Error => {}
        },
        Node::TypeParam(param) => match param.kind {
            TypeParamKind::Type(_) => ty(param.name.span),
            TypeParamKind::Size => {}
        },
        Node::Mod(_)
        | Node::ModType(_)
        | Node::ModParam(_)
        | Node::Exp(_)
        | Node::Bind(_)
        | Node::Case(_)
        | Node::Pat(_)
        | Node::Type(_) => {}
    }
}

fn puns(node: Node<'_>, puns: &mut Vec<Span>) {
    if let Node::Exp(exp) = node
        && let ExpKind::Record(fields) = &exp.kind
    {
        let short = |field: &&RecordField| field.value.is_none();
        puns.extend(fields.iter().filter(short).map(|field| field.name.span));
    }
    if let Node::Pat(pat) = node
        && let PatKind::Record(fields) = &pat.kind
    {
        let short = fields.iter().filter(|field| field.pat.is_none());
        puns.extend(short.map(|field| field.name.span));
    }
}

/// The names of fields in a record type, and of constructors in a sum type: they are not declared, but written.
pub fn labels<'a>(node: Node<'a>, f: &mut dyn FnMut(&'a fehu_syntax::ast::Ident)) {
    if let Node::Type(ty) = node {
        match &ty.kind {
            TypeExpKind::Record(fields) => fields.iter().for_each(|(name, _)| f(name)),
            TypeExpKind::Sum(ctors) => ctors.iter().for_each(|(name, _)| f(name)),
            TypeExpKind::Name(..)
            | TypeExpKind::Array(..)
            | TypeExpKind::Tuple(_)
            | TypeExpKind::Fun(..)
            | TypeExpKind::Unique(_)
            | TypeExpKind::Exists(..)
            | TypeExpKind::Paren(_)
            | TypeExpKind::Error => {}
        }
    }
}
