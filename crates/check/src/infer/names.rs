//! Resolving qualified names.

use crate::checker::Checker;
use crate::errors;
use crate::program::{Mention, Resolved, Target, VarKind};
use crate::scope::{ModEnv, ModType, Module, Term, TypeDef};
use crate::ty::VarId;
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Ident, NodeId, QualName};
use std::sync::Arc;

/// A value that a name in an expression refers to.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    /// The variable.
    pub(crate) var: VarId,
    /// How many of the last parts of the name are fields of a record.
    pub(crate) fields: usize,
}

/// The longest list of errors in which unknown names come with suggestions: looking for similar
/// names takes time in proportion to the size of the program.
const MAX_SUGGESTIONS: usize = 200;

impl Checker<'_> {
    /// What a name in an expression refers to. Leading parts are modules; the first that is a value
    /// ends the path, and the parts after it are fields. Reports and returns `None` if there is none.
    pub(crate) fn resolve_value(&mut self, node: NodeId, name: &QualName) -> Option<Found> {
        let part = |i: usize| name.quals.get(i).unwrap_or(&name.name);
        let first = part(0);
        if first.name.starts_with('_') && first.name.len() == 1 {
            self.report(errors::underscore(first.span));
            return None;
        }
        let Some(found) = self.scope.term(&first.name).cloned() else {
            self.report_unknown(first);
            return None;
        };
        self.warn_intrinsics(&found.term, first.span);
        let mut term = found.term;
        let mut path = found.path;
        for i in 0..=name.quals.len() {
            self.mention(part(i).span, Target::Var(term.var()));
            let module = match &term {
                Term::Val(var) => {
                    let (var, fields) = (*var, name.quals.len() - i);
                    let resolved = Resolved { var, root: found.root, path, fields };
                    self.tables.names.insert(node, resolved);
                    if self.current == Some(var) {
                        self.self_uses.push((node, name.span));
                    }
                    return Some(Found { var, fields });
                }
                Term::Mod(_, module) => module.clone(),
            };
            if i == name.quals.len() {
                self.report(errors::module_as_value(name.span, &self.quote(name.span)));
                return None;
            }
            let Module::Struct(env) = &*module else {
                self.report(errors::module_is_parametric(part(i).span, &part(i).name));
                return None;
            };
            let next = part(i + 1);
            let Some(inner) = env.terms.get(&next.name) else {
                self.report_unknown_member(part(i), next, env);
                return None;
            };
            path.push(next.name.clone());
            term = inner.clone();
        }
        None
    }

    fn mention(&mut self, span: Span, target: Target) {
        self.tables.mentions.push(Mention { span, target });
    }

    fn warn_intrinsics(&mut self, term: &Term, span: Span) {
        if self.in_prelude {
            return;
        }
        if let Term::Mod(var, _) = term
            && self.program.vars[*var].kind == VarKind::Builtin
        {
            self.report(errors::using_intrinsics(span));
        }
    }

    fn report_unknown(&mut self, ident: &Ident) {
        if let Some(slashes) = self.slashes_before(ident.span) {
            return self.report_once(errors::foreign::line_comment(slashes));
        }
        let name = &ident.name;
        let text = &self.sources.file(ident.span.file).text;
        if text[ident.span.end as usize..].starts_with('"')
            && ["f", "s", "r", "b", "u", "L"].contains(&name.as_str())
        {
            return self.report_once(errors::foreign::string_prefix(ident.span, name));
        }
        let members = self.number_modules_with(name);
        let best = match self.diags.len() {
            ..MAX_SUGGESTIONS if members.is_empty() => {
                nearest(name, self.scope.term_names().into_iter())
            }
            _ => None,
        };
        let instead = errors::foreign::value(name);
        let mut d = match instead {
            Some(_) => errors::unknown_name(ident.span, "name", name, None),
            None => errors::unknown_name(ident.span, "name", name, best.as_deref()),
        };
        d = instead.map_or(d.clone(), |instead| errors::with_instead(d, ident.span, instead));
        if !members.is_empty() {
            d = errors::member_of_numbers(d, name, &members);
        } else if let Some(word) = self.word_before(ident.span, &["mut", "rec"]) {
            d = errors::binding_with_word(d, word);
        }
        self.report_once(d);
    }

    /// Reports an error unless it is just like another one of the present declaration.
    fn report_once(&mut self, error: fehu_base::Diagnostic) {
        let since = self.binding_start.max(self.diags.len().saturating_sub(20));
        let same = |other: &fehu_base::Diagnostic| {
            other.code == error.code && other.message == error.message
        };
        if !self.diags[since..].iter().any(same) {
            self.report(error);
        }
    }

    /// The modules of number types that have a member of this name: "i32" for `abs`.
    pub(crate) fn number_modules_with(&self, name: &str) -> Vec<&'static str> {
        let has = |module: &&&str| match self.scope.term(module).map(|found| &found.term) {
            Some(Term::Mod(_, module)) => match &**module {
                Module::Struct(env) => env.terms.contains_key(name),
                Module::Functor(_) => false,
            },
            Some(Term::Val(_)) | None => false,
        };
        ["i32", "i64", "f32", "f64"].iter().filter(has).copied().collect()
    }

    /// The `//` before a place, if it looks as if it were to start a comment.
    fn slashes_before(&self, span: Span) -> Option<Span> {
        let text = &self.sources.file(span.file).text;
        let line_start = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let line = &text[line_start..span.start as usize];
        let at = line.find("// ").filter(|&at| !line[..at].contains("--"))?;
        // Between operands, it is the operator. A comment has several words.
        let rest = text[line_start + at + 2..].lines().next().unwrap_or_default();
        let words = rest.split_whitespace().count();
        let start = (line_start + at) as u32;
        (words > 1).then_some(Span { start, end: start + 2, ..span })
    }

    /// The place of `let mut x` or `let rec x` before a use of a name that is then not bound.
    fn word_before(&self, span: Span, words: &[&str]) -> Option<Span> {
        let text = &self.sources.file(span.file).text;
        let name = self.sources.text(span);
        let before = &text[..span.start as usize];
        words.iter().find_map(|word| {
            let at = before.rfind(&format!("let {word} {name} "))?;
            let start = (at + "let ".len()) as u32;
            Some(Span { start, end: start + word.len() as u32 + 1, ..span })
        })
    }

    fn report_unknown_member(&mut self, module: &Ident, member: &Ident, env: &ModEnv) {
        let best = nearest(&member.name, env.terms.keys());
        let name = format!("{}.{}", module.name, member.name);
        self.report_once(errors::unknown_name(member.span, "name", &name, best.as_deref()));
    }

    /// The module with this name, the variable it is reached from, and the path from there.
    pub(crate) fn resolve_module(
        &mut self,
        name: &QualName,
    ) -> Option<(Arc<Module>, crate::scope::ScopedTerm)> {
        let parts: Vec<&Ident> = name.quals.iter().chain([&name.name]).collect();
        let Some(mut found) = self.scope.term(&parts[0].name).cloned() else {
            let best = nearest(&parts[0].name, self.scope.term_names().into_iter());
            let d = errors::unknown_name(parts[0].span, "module", &parts[0].name, best.as_deref());
            self.report(d);
            return None;
        };
        for i in 0..parts.len() {
            self.mention(parts[i].span, Target::Var(found.term.var()));
            let Term::Mod(_, module) = &found.term else {
                self.report(errors::value_as_module(parts[i].span, &parts[i].name));
                return None;
            };
            let module = module.clone();
            let Some(next) = parts.get(i + 1) else { return Some((module, found)) };
            let Module::Struct(env) = &*module else {
                self.report(errors::module_is_parametric(parts[i].span, &parts[i].name));
                return None;
            };
            match env.terms.get(&next.name) {
                Some(inner) => {
                    found.term = inner.clone();
                    found.path.push(next.name.clone());
                }
                None => {
                    self.report_unknown_member(parts[i], next, &env.clone());
                    return None;
                }
            }
        }
        None
    }

    /// The structure that the qualifiers of a name lead to; `None` after a report, `Some(None)`
    /// if there are no qualifiers.
    fn qualifier(&mut self, name: &QualName) -> Option<Option<Arc<ModEnv>>> {
        let Some((last, init)) = name.quals.split_last() else { return Some(None) };
        let prefix = QualName { quals: init.to_vec(), name: last.clone(), span: last.span };
        let (module, _) = self.resolve_module(&prefix)?;
        match &*module {
            Module::Struct(env) => Some(Some(env.clone())),
            Module::Functor(_) => {
                self.report(errors::module_is_parametric(last.span, &last.name));
                None
            }
        }
    }

    /// The type definition with this name.
    pub(crate) fn resolve_type(&mut self, name: &QualName) -> Option<Arc<TypeDef>> {
        let env = self.qualifier(name)?;
        let (found, best) = match &env {
            Some(env) => match env.types.get(&name.name.name) {
                Some(def) => (Some(def), None),
                None => (None, nearest(&name.name.name, env.types.keys())),
            },
            None => match self.scope.type_def(&name.name.name) {
                Some(def) => (Some(def), None),
                None => (None, nearest(&name.name.name, self.scope.type_names().into_iter())),
            },
        };
        match found.cloned() {
            Some(def) => {
                self.mention(name.name.span, Target::Type(def.span));
                Some(def)
            }
            None => {
                let text = self.quote(name.span);
                let instead = match name.quals.is_empty() {
                    true => errors::foreign::type_name(&text),
                    false => None,
                };
                let d = match instead {
                    Some(instead) => {
                        let d = errors::unknown_name(name.span, "type", &text, None);
                        errors::with_instead(d, name.span, instead)
                    }
                    None => errors::unknown_name(name.span, "type", &text, best.as_deref()),
                };
                self.report_once(d);
                None
            }
        }
    }

    /// The module type with this name.
    pub(crate) fn resolve_mod_type(&mut self, name: &QualName) -> Option<Arc<ModType>> {
        let env = self.qualifier(name)?;
        let (found, best) = match &env {
            Some(env) => {
                (env.mod_types.get(&name.name.name), nearest(&name.name.name, env.mod_types.keys()))
            }
            None => match self.scope.mod_type(&name.name.name) {
                Some(def) => (Some(def), None),
                None => (None, nearest(&name.name.name, self.scope.mod_type_names().into_iter())),
            },
        };
        match found.cloned() {
            Some(mt) => {
                self.mention(name.name.span, Target::ModType(mt.span));
                Some(mt)
            }
            None => {
                let text = self.quote(name.span);
                self.report(errors::unknown_name(name.span, "module type", &text, best.as_deref()));
                None
            }
        }
    }
}

/// The candidate nearest to `name` by edit distance, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a EcoString>,
) -> Option<EcoString> {
    let count = name.chars().count();
    let word = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    // One letter is near to every other letter, which helps nobody.
    if count < 2 {
        return None;
    }
    let limit = (count / 3).max(1);
    let mut best: Option<(usize, &EcoString)> = None;
    for candidate in candidates {
        let same_kind = candidate.starts_with(|c: char| c.is_alphabetic() || c == '_') == word;
        if candidate.len().abs_diff(name.len()) > limit || candidate == name || !same_kind {
            continue;
        }
        let distance = edit_distance(name, candidate);
        if distance <= limit && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate.clone())
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two words.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        rows[i][0] = i;
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut cost = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = cost;
        }
    }
    rows[a.len()][b.len()]
}
