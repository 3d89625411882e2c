//! Checking a file again after an edit: declarations that are as they were are not checked again.
//!
//! A declaration is as it was if its text is, and everything that it uses. The result of checking it is then the same but
//! for its place: places in the text, and the numbers of its nodes, move with it ([`moves`]). What does not move are the numbers
//! of its variables and types. So that the declarations before it may have a few more than they had, there are [`SPARE`] unused
//! numbers after each; where these are not enough, all that follows is checked again.
//!
//! The declarations of the file are taken in order ([`Again::run`]). Those whose texts are as they were before and
//! after the edit are known by [`matching`]. Between them is what has changed, and is checked. If that binds the same
//! names to the same variables, then of the declarations after it only those are checked again that mention a variable
//! whose type is another ([`Again::settle`]); otherwise, all. What else may depend on an edit is treated in the
//! simplest way that is right: types and modules move only as far as nowhere, and a declaration with messages is
//! checked again whenever any type has changed.

mod matching;
mod moves;

use self::matching::matching;
pub(crate) use self::moves::Moves;
use crate::checker::Checker;
use crate::module::{Block, Defined};
use crate::program::{
    Entry, Mention, Program, Tables, Target, TypeInfo, TypeSort, VarInfo, VarKind,
};
use crate::scope::{Bind, ModEnv, Module, Scope, Term};
use crate::ty::{Scheme, Ty, VarId};
use ecow::EcoString;
use fehu_base::id::Id;
use fehu_base::{Diagnostic, FileId, Span};
use fehu_syntax::ast::{self, Dec, DecKind, Lifted};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// How many variables, and how many types, a declaration may have more than it had.
const SPARE: usize = 16;

/// What is remembered of a file that has been checked.
pub(crate) struct Kept {
    text: String,
    block: Block,
    /// What its imports mean.
    imports: Vec<(EcoString, VarId)>,
    decs: Vec<KeptDec>,
    /// What is in scope at its end.
    scope: Scope,
    /// See [`Checker::fresh_results`].
    fresh_results: FxHashMap<VarId, Ty>,
    /// Its first variable and type, and how many there are.
    vars: Range<usize>,
    types: Range<usize>,
}

/// The files of a program that may be checked again.
#[derive(Default)]
pub(crate) struct Files {
    /// Whether files are to be remembered.
    pub(crate) wanted: bool,
    /// Those that are checked.
    pub(crate) kept: FxHashMap<FileId, Kept>,
    /// The first of those that are no longer checked; all before it is as it was.
    left: Option<(FileId, Kept, Taken)>,
}

impl Files {
    /// Files are no longer checked, the first of them first. Takes it out of the program.
    pub(crate) fn leave(&mut self, files: &[FileId], program: &mut Program) {
        let Some((first, others)) = files.split_first() else { return };
        others.iter().for_each(|file| _ = self.kept.remove(file));
        self.left = self.kept.remove(first).and_then(|kept| {
            let tables = program.files.remove(first)?;
            let taken = kept.take(program, tables);
            Some((*first, kept, taken))
        });
    }

    /// What is left of a file, if it is the next after those that are as they were.
    pub(crate) fn left(&mut self, file: FileId) -> Option<(Kept, Taken)> {
        self.left.take().filter(|(id, ..)| *id == file).map(|(_, kept, taken)| (kept, taken))
    }
}

/// What is taken out of the program when a file is to be checked again.
pub(crate) struct Taken {
    vars: Vec<VarInfo>,
    types: Vec<TypeInfo>,
    tables: Tables,
    modules: FxHashMap<VarId, Arc<Module>>,
}

/// What checking a declaration has yielded.
struct KeptDec {
    /// Where it is: bytes of the text, and nodes.
    place: Range<u32>,
    nodes: Range<u32>,
    sort: Sort,
    vars: Range<usize>,
    types: Range<usize>,
    /// How many names it binds.
    binds: usize,
    exports: ModEnv,
    entries: Vec<Entry>,
    found: Vec<Diagnostic>,
    /// Its part of [`Tables::mentions`] and [`Tables::watched`].
    mentions: Range<usize>,
    watched: Range<usize>,
}

/// What a declaration is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// A value: all that others know of it is its variable.
    Value,
    /// Anything else.
    Other,
    /// It has a syntax error: how it is read depends on what is around it.
    Broken,
}

impl Kept {
    /// Takes what belongs to the file out of a program, and forgets what comes after it.
    fn take(&self, program: &mut Program, tables: Tables) -> Taken {
        let mut vars = program.vars.split_off(self.vars.start);
        vars.truncate(self.vars.len());
        let mut types = program.types.split_off(self.types.start);
        types.truncate(self.types.len());
        let inside = |var: &VarId| self.vars.contains(&var.index());
        let modules = program.modules.extract_if(|var, _| inside(var)).collect();
        Taken { vars, types, tables, modules }
    }

    /// Whether it was checked in the same surroundings.
    pub(crate) fn fits(&self, block: Block, imports: &[(EcoString, VarId)]) -> bool {
        self.block == block && self.imports == imports
    }
}

/// A file that is checked again.
struct Again<'k> {
    old: &'k mut Kept,
    taken: &'k mut Taken,
    moves: Moves,
    /// The names that each of the old declarations bound.
    binds: Vec<Vec<Bind>>,
    /// The old declarations from here on, and the new ones from here on, are not compared yet.
    open: (usize, usize),
    /// The variables whose types have changed.
    changed: FxHashSet<VarId>,
    /// Whether what follows still has the variables that it had.
    aligned: bool,
}

impl Checker<'_> {
    /// Checks the declarations of a file, some of which may have been checked before. Returns what they export.
    pub(crate) fn declarations_again(
        &mut self,
        (id, file): (FileId, &ast::File),
        block: Block,
        imports: Vec<(EcoString, VarId)>,
        old: Option<(Kept, Taken)>,
    ) -> (ModEnv, Kept) {
        let text = self.sources.file(id).text.clone();
        let (vars, types) = (self.program.vars.len(), self.program.types.len());
        let (fresh_results, scope) = Default::default();
        let mut new = Kept {
            text,
            block,
            imports,
            decs: Vec::new(),
            scope,
            fresh_results,
            vars: vars..vars,
            types: types..types,
        };
        let mut env = ModEnv::default();
        match old {
            // Sizes that are code refer to nodes.
            Some((mut old, mut taken)) if !taken.tables.codes => {
                self.scope = std::mem::take(&mut old.scope);
                let binds = old.decs.iter().rev().map(|dec| {
                    let mut binds: Vec<Bind> =
                        (0..dec.binds).filter_map(|_| self.scope.take_back()).collect();
                    binds.reverse();
                    binds
                });
                let mut binds: Vec<Vec<Bind>> = binds.collect();
                binds.reverse();
                let mut again = Again {
                    moves: Moves::new(id),
                    old: &mut old,
                    taken: &mut taken,
                    binds,
                    open: (0, 0),
                    changed: FxHashSet::default(),
                    aligned: true,
                };
                again.run(self, file, &mut new, &mut env);
                let moves = again.moves;
                self.tables.adopt(taken.tables, &moves);
            }
            Some(_) | None => {
                let mut defined = Defined::default();
                for index in 0..file.decs.len() {
                    if !self.check_one(file, index, &mut new, &mut env, &mut defined) {
                        break;
                    }
                    self.spare();
                }
            }
        }
        new.scope = std::mem::take(&mut self.scope);
        new.fresh_results = std::mem::take(&mut self.fresh_results);
        new.vars.end = self.program.vars.len();
        new.types.end = self.program.types.len();
        (env, new)
    }

    /// Checks a declaration; says whether it was not interrupted.
    fn check_one(
        &mut self,
        file: &ast::File,
        index: usize,
        new: &mut Kept,
        env: &mut ModEnv,
        defined: &mut Defined,
    ) -> bool {
        if self.interrupted() {
            return false;
        }
        let dec = &file.decs[index];
        let (vars, types) = (self.program.vars.len(), self.program.types.len());
        let (mentions, watched) = (self.tables.mentions.len(), self.tables.watched.len());
        let (bound, found, entries) = (self.scope.bound(), self.diags.len(), self.entries.len());
        let mut exports = ModEnv::default();
        self.declaration(dec, new.block, true, &mut exports, defined);
        if self.interrupted() {
            return false;
        }
        env.extend(&exports);
        let nodes = nodes(file, index);
        new.decs.push(KeptDec {
            place: place(dec),
            sort: sort(file, dec, &nodes),
            nodes,
            vars: vars..self.program.vars.len(),
            types: types..self.program.types.len(),
            binds: self.scope.bound() - bound,
            exports,
            entries: self.entries[entries..].to_vec(),
            found: self.diags[found..].to_vec(),
            mentions: mentions..self.tables.mentions.len(),
            watched: watched..self.tables.watched.len(),
        });
        true
    }

    fn spare(&mut self) {
        let (vars, types) = (self.program.vars.len(), self.program.types.len());
        self.fill(vars + SPARE, types + SPARE);
    }

    /// Adds unused variables and types up to these numbers.
    fn fill(&mut self, vars: usize, types: usize) {
        while self.program.vars.len() < vars {
            self.program.vars.push(no_var());
        }
        while self.program.types.len() < types {
            self.program.types.push(no_type());
        }
    }
}

impl Again<'_> {
    /// Checks what has to be.
    fn run(
        &mut self,
        checker: &mut Checker<'_>,
        file: &ast::File,
        new: &mut Kept,
        env: &mut ModEnv,
    ) {
        let matched = matching(file, &new.text, self.old);
        let mut defined = Defined::default();
        for (index, dec) in file.decs.iter().enumerate() {
            let before = matched[index].filter(|_| self.aligned);
            if let Some(old) = before {
                self.aligned = self.settle(checker, new, old);
                self.open = (old, index);
                let kept = &self.old.decs[old];
                let node = nodes(file, index).start;
                self.moves.propose(&kept.place, place(dec).start, &kept.nodes, node);
                if self.aligned && self.is_untouched(checker, old) {
                    self.moves.accept();
                    self.reuse(checker, (dec, node), old, new, env);
                    defined.note(dec);
                    self.open = (old + 1, index + 1);
                    continue;
                }
            }
            if self.aligned {
                // The place that the old declaration had, so that its variables have the same numbers.
                let at = self.open.0 + (index - self.open.1);
                if let Some(place) = self.old.decs.get(at) {
                    checker.fill(place.vars.start, place.types.start);
                }
            }
            if !checker.check_one(file, index, new, env, &mut defined) {
                return;
            }
            if !self.aligned {
                checker.spare();
            }
        }
    }

    /// Compares the declarations before old declaration `next` that have been checked with those that they replace.
    /// Says whether what follows has the same names and variables; notes the variables whose types have changed.
    fn settle(&mut self, checker: &Checker<'_>, new: &Kept, next: usize) -> bool {
        let program = &checker.program;
        let place = &self.old.decs[next];
        if program.vars.len() > place.vars.start || program.types.len() > place.types.start {
            return false;
        }
        let mut names = Vec::new();
        for bind in self.binds[self.open.0..next].iter().flatten() {
            match bind {
                Bind::Term(name, term) => match term.term {
                    Term::Val(var) => names.push((name, var)),
                    Term::Mod(..) => return false,
                },
                Bind::Type(..) | Bind::ModType(..) => return false,
            }
        }
        let count: usize = new.decs[self.open.1..].iter().map(|dec| dec.binds).sum();
        let bound = checker.scope.last_values(count);
        let Some(bound) = bound.filter(|bound| *bound == names) else { return false };
        for (_, var) in bound {
            let (a, b) = (&self.taken.vars[var.index() - self.old.vars.start], &program.vars[var]);
            if a.def != b.def {
                return false;
            }
            let same = a.kind == b.kind
                && a.scheme == b.scheme
                && a.level == b.level
                && a.poisoned == b.poisoned
                && a.arity == b.arity
                && self.old.fresh_results.get(&var) == checker.fresh_results.get(&var)
                && b.scheme.as_ref().is_none_or(|scheme| self.same_names(checker, scheme));
            if !same {
                self.changed.insert(var);
            }
        }
        true
    }

    /// Whether what a scheme mentions is called what it was called.
    fn same_names(&self, checker: &Checker<'_>, scheme: &Scheme) -> bool {
        let mut same = true;
        let mut var = |var: VarId| {
            let old = var.index().checked_sub(self.old.vars.start);
            if let Some(old) = old.and_then(|index| self.taken.vars.get(index)) {
                let new = &checker.program.vars[var];
                same &= old.name == new.name && old.kind == new.kind && old.def == new.def;
            }
        };
        scheme.sizes.iter().for_each(|size| var(*size));
        scheme.ty.for_each_var(&mut var);
        scheme.types.iter().all(|param| {
            let old = param.id.index().checked_sub(self.old.types.start);
            let old = old.and_then(|index| self.taken.types.get(index));
            old.is_none_or(|old| old.name == checker.program.types[param.id].name)
        }) && same
    }

    /// Whether an old declaration is as it was, with everything that it uses.
    fn is_untouched(&self, checker: &Checker<'_>, old: usize) -> bool {
        let (kept, moves) = (&self.old.decs[old], &self.moves);
        if kept.sort != Sort::Value && !moves.next_stays() {
            return false;
        }
        if !self.changed.is_empty() && !kept.found.is_empty() {
            return false;
        }
        let is_changed = |bind: &Bind| match bind {
            // What the name of a function means before it is defined matters, too.
            Bind::Term(name, _) => {
                let before = checker.scope.term(name);
                before.is_some_and(|before| self.changed.contains(&before.term.var()))
            }
            Bind::Type(..) | Bind::ModType(..) => false,
        };
        let mentions = &self.taken.tables.mentions[kept.mentions.clone()];
        let fits = |mention: &Mention| match mention.target {
            Target::Var(var) => !self.changed.contains(&var),
            Target::Type(span) | Target::ModType(span) => {
                span.is_none_or(|span| moves.span(span).is_some())
            }
        };
        mentions.iter().all(fits)
            && !self.binds[old].iter().any(is_changed)
            && kept.found.iter().all(|found| found.moved(|span| moves.span(span)).is_some())
    }

    /// Takes over a declaration as it was checked before.
    fn reuse(
        &mut self,
        checker: &mut Checker<'_>,
        (dec, node): (&Dec, u32),
        index: usize,
        new: &mut Kept,
        env: &mut ModEnv,
    ) {
        let kept = &mut self.old.decs[index];
        let moves = &self.moves;
        let span = |span: Span| moves.span(span).unwrap_or(span);
        checker.fill(kept.vars.start, kept.types.start);
        for var in &mut self.taken.vars[within(&kept.vars, &self.old.vars)] {
            let mut var = std::mem::replace(var, no_var());
            var.span = var.span.map(span);
            checker.program.vars.push(var);
        }
        for ty in &mut self.taken.types[within(&kept.types, &self.old.types)] {
            let mut ty = std::mem::replace(ty, no_type());
            ty.span = ty.span.map(span);
            checker.program.types.push(ty);
        }
        if kept.sort != Sort::Value {
            for var in kept.vars.clone().map(VarId::from_index) {
                if let Some(module) = self.taken.modules.remove(&var) {
                    checker.program.modules.insert(var, module);
                }
            }
        }
        for bind in std::mem::take(&mut self.binds[index]) {
            if let Bind::Term(_, term) = &bind
                && let Some(fresh) = self.old.fresh_results.remove(&term.term.var())
            {
                checker.fresh_results.insert(term.term.var(), fresh);
            }
            checker.scope.bind(bind);
        }
        let exports = std::mem::take(&mut kept.exports);
        env.extend(&exports);
        let mut entries = std::mem::take(&mut kept.entries);
        for entry in &mut entries {
            entry.dec = moves.node(entry.dec).unwrap_or(entry.dec);
        }
        checker.entries.extend(entries.iter().cloned());
        let found: Vec<Diagnostic> =
            kept.found.iter().filter_map(|found| found.moved(|span| moves.span(span))).collect();
        checker.diags.extend(found.iter().cloned());
        let target = |target: Target| match target {
            Target::Var(_) => target,
            Target::Type(place) => Target::Type(place.map(span)),
            Target::ModType(place) => Target::ModType(place.map(span)),
        };
        let tables = &mut checker.tables;
        let (mentions, watched) = (tables.mentions.len(), tables.watched.len());
        let old = &self.taken.tables;
        let moved = old.mentions[kept.mentions.clone()].iter();
        let moved = moved.map(|m| Mention { span: span(m.span), target: target(m.target) });
        tables.mentions.extend(moved);
        tables.watched.extend(old.watched[kept.watched.clone()].iter().map(|&place| span(place)));
        new.decs.push(KeptDec {
            place: place(dec),
            nodes: node..node + kept.nodes.len() as u32,
            sort: kept.sort,
            vars: kept.vars.clone(),
            types: kept.types.clone(),
            binds: kept.binds,
            exports,
            entries,
            found,
            mentions: mentions..tables.mentions.len(),
            watched: watched..tables.watched.len(),
        });
    }
}

/// A range as one of indices of what begins where `all` does.
fn within(range: &Range<usize>, all: &Range<usize>) -> Range<usize> {
    range.start - all.start..range.end - all.start
}

/// The bytes of a declaration; the first `#[` of its attributes is not among them.
fn place(dec: &Dec) -> Range<u32> {
    dec.attrs.first().map_or(dec.span.start, |attr| attr.span.start)..dec.span.end
}

/// The nodes of a declaration, its own last.
fn nodes(file: &ast::File, index: usize) -> Range<u32> {
    let before = index.checked_sub(1).map_or(0, |before| file.decs[before].id.0 + 1);
    before..file.decs[index].id.0 + 1
}

fn sort(file: &ast::File, dec: &Dec, nodes: &Range<u32>) -> Sort {
    // They are in order.
    let first = file.broken.partition_point(|node| node.0 < nodes.start);
    if file.broken.get(first).is_some_and(|node| nodes.contains(&node.0)) {
        return Sort::Broken;
    }
    match &dec.kind {
        DecKind::Val(_) => Sort::Value,
        DecKind::Local(inner) if matches!(inner.kind, DecKind::Val(_)) => Sort::Value,
        DecKind::Type(_)
        | DecKind::Module(_)
        | DecKind::ModuleType(_)
        | DecKind::Open(_)
        | DecKind::Import(..)
        | DecKind::Local(_) => Sort::Other,
        DecKind::Error => Sort::Broken,
    }
}

fn no_var() -> VarInfo {
    VarInfo {
        name: EcoString::new(),
        span: None,
        kind: VarKind::Local,
        scheme: None,
        def: None,
        level: 0,
        poisoned: false,
        arity: None,
    }
}

fn no_type() -> TypeInfo {
    let (lifted, sort) = (Lifted::Unlifted, TypeSort::Abstract);
    TypeInfo { name: EcoString::new(), span: None, lifted, params: Vec::new(), level: 0, sort }
}
