//! Written sizes that bind names: `[let m = n in m * m]i32`.
//!
//! See [`Code`] for what they are. They are expressions like any other: their own types have sizes, which are inferred
//! where the type is that they are written in.

use crate::checker::Checker;
use crate::program::VarKind;
use crate::ty::{Code, Head, Part, Size, Ty, VarId};
use crate::walk::{
    Named, PatLeaf, Place, Visitor, pat_value_type, walk_exp, walk_pat_types, walk_type,
};
use ecow::{EcoString, eco_format};
use fehu_base::Span;
use fehu_syntax::ast::{Exp, ExpKind, Ident, NodeId, Operator, Pat, QualName, TypeExp};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Checker<'_> {
    /// An expression that binds names, as a size.
    pub(super) fn code_of(&self, exp: &Exp) -> Size {
        let mut uses = Uses { checker: self, found: Vec::new(), types: Vec::new() };
        uses.exp(exp);
        let Uses { mut found, types, .. } = uses;
        found.sort_by_key(|found| found.span.start);
        let mut free: Vec<VarId> = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut start = exp.span.start;
        for Use { span, var, pun } in found {
            let info = &self.program.vars[var];
            let is_inside = info.span.is_some_and(|bound| {
                bound.file == exp.span.file
                    && exp.span.start <= bound.start
                    && bound.end <= exp.span.end
            });
            if is_inside || info.kind == VarKind::Builtin {
                continue;
            }
            let index = free.iter().position(|known| *known == var).unwrap_or_else(|| {
                free.push(var);
                free.len() - 1
            });
            let mut before = words(self.sources.text(Span { start, end: span.start, ..span }));
            if pun {
                before.push_str(&info.name);
                before.push_str(" = ");
            }
            let written = self.sources.text(span).into();
            parts.push(Part { before, written, arg: index });
            start = span.end;
        }
        let rest = words(self.sources.text(Span { start, ..exp.span }));
        let mut key = positional(&fehu_syntax::dump::exp(exp), &parts);
        // Names of types may mean others elsewhere.
        if !types.is_empty() {
            key = eco_format!("{key} {types:?}");
        }
        let args = free.iter().map(|var| Size::Var(*var)).collect();
        let code = Code { place: (exp.span.file, exp.id), free, parts, rest, key };
        Size::term(Head::Code(Arc::new(code)), args)
    }

    /// The sizes that are written in a type have types with sizes themselves.
    pub(super) fn sized_written(&mut self, ty: &TypeExp) {
        walk_type(&mut Written(self), ty);
    }
}

/// The tree with numbers for its free variables, so that their names do not matter. A name that also stands for something
/// else in it, such as a field, stays.
fn positional(tree: &str, parts: &[Part]) -> EcoString {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    let mut known: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    for part in parts {
        known.entry(&part.written).or_insert((part.arg, 0)).1 += 1;
    }
    let mut met: FxHashMap<&str, usize> = FxHashMap::default();
    for word in tree.split(|c| !is_word(c)) {
        *met.entry(word).or_default() += 1;
    }
    let mut out = EcoString::new();
    let mut rest = tree;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        match known.get(word) {
            Some((arg, count)) if met.get(word) == Some(count) => {
                out.push_str(&eco_format!("${arg}"));
            }
            Some(_) | None => out.push_str(word),
        }
        rest = after;
    }
    out
}

/// The text with one space between words, and at its ends where there is space.
fn words(text: &str) -> EcoString {
    let mut out = EcoString::new();
    for c in text.chars() {
        match c.is_whitespace() {
            true if out.ends_with(' ') => {}
            true => out.push(' '),
            false => out.push(c),
        }
    }
    out
}

/// Infers the sizes of the expressions in a type.
struct Written<'c, 'd>(&'c mut Checker<'d>);

impl<'a> Visitor<'a> for Written<'_, '_> {
    fn exp(&mut self, exp: &'a Exp) {
        let checker = &mut *self.0;
        let (level, current) = (checker.level, checker.size_metas.current);
        checker.level += 1;
        checker.sized(exp);
        checker.level = level;
        checker.size_metas.current = current;
    }
}

/// A name that occurs in an expression.
struct Use {
    span: Span,
    var: VarId,
    /// Whether it is a field without a value: `{n}`.
    pun: bool,
}

/// Finds the names in an expression.
struct Uses<'c, 'd> {
    checker: &'c Checker<'d>,
    found: Vec<Use>,
    /// The types that are written in it, without their sizes.
    types: Vec<Ty>,
}

impl Uses<'_, '_> {
    fn note(&mut self, node: NodeId, name: &QualName) {
        let Some(resolved) = self.checker.tables.names.get(&node) else { return };
        let parts = name.quals.iter().chain([&name.name]);
        // Fields of a record stay as they are.
        let last = parts.take(name.quals.len() + 1 - resolved.fields).last();
        let end = last.map_or(name.span.end, |part| part.span.end);
        self.found.push(Use { span: Span { end, ..name.span }, var: resolved.var, pun: false });
    }

    fn note_ident(&mut self, node: NodeId, name: &Ident, pun: bool) {
        if let Some(resolved) = self.checker.tables.names.get(&node) {
            self.found.push(Use { span: name.span, var: resolved.var, pun });
        }
    }

    fn note_operator(&mut self, op: &Operator) {
        self.note(op.id, &op.name);
    }
}

impl<'a> Visitor<'a> for Uses<'_, '_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "other expressions are no names themselves")]
    fn exp(&mut self, exp: &'a Exp) {
        match &exp.kind {
            ExpKind::Var(name) => self.note(exp.id, name),
            ExpKind::BinOp(bin) => self.note_operator(&bin.op),
            ExpKind::Section(op) | ExpKind::SectionLeft(_, op) | ExpKind::SectionRight(op, _) => {
                self.note_operator(op);
            }
            ExpKind::Record(fields) => {
                for field in fields.iter().filter(|field| field.value.is_none()) {
                    self.note_ident(field.id, &field.name, true);
                }
            }
            _ => {}
        }
        walk_exp(self, exp);
    }

    fn pat(&mut self, pat: &'a Pat, place: Place) {
        walk_pat_types(self, pat);
        // `loop n for ...` names the variable that it starts as and the one that it binds at once. Its text stays.
        if place == Place::ImplicitLoop {
            pat_value_type(pat, &mut |leaf| {
                if let PatLeaf::Name(node, name) = leaf {
                    self.note_ident(node, name, false);
                }
                Ty::Error
            });
        }
    }

    fn named(&mut self, id: NodeId, name: &'a Ident, what: Named) {
        if what == Named::Update {
            self.note_ident(id, name, false);
        }
    }

    fn type_exp(&mut self, ty: &'a TypeExp) {
        if let Some((ty, _)) = self.checker.tables.type_exps.get(&ty.id) {
            self.types.push(ty.map_sizes(&mut |_| Size::Any));
        }
    }
}
