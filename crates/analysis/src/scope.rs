//! The names that can be used at a place.

use crate::View;
use crate::index;
use crate::tree::{self, Node};
use ecow::EcoString;
use fehu_base::{FileId, Prim, Span};
use fehu_check::lookup::Start;
use fehu_check::program::{Tables, Target, VarKind};
use fehu_syntax::ast::{
    Dec, DecKind, ExpKind, LetBind, LetKind, LoopForm, NodeId, Pat, PatKind, QualName, TypeParam,
    TypeParamKind,
};
use rustc_hash::FxHashMap;

/// A name that can be used.
#[derive(Clone, PartialEq, Debug)]
pub struct Visible {
    /// The name.
    pub name: EcoString,
    /// What it refers to.
    pub target: Target,
    /// How far away it is declared.
    pub distance: Distance,
    /// If it is a module: where to look for it.
    pub module: Option<(Start, Vec<EcoString>)>,
}

/// How far away a name is declared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Distance {
    /// In the same declaration.
    Local,
    /// In the same file.
    File,
    /// In a module or file that is opened.
    Opened,
    /// In the prelude.
    Prelude,
}

/// The names that can be used at a byte of a file, each once, in the order of their declarations, those of the prelude first.
pub fn at(view: &View<'_>, file: FileId, offset: u32) -> Vec<Visible> {
    let mut names = Names { view, found: Vec::new() };
    for prim in Prim::ALL {
        names.add(prim.name().into(), Target::Type(None), Distance::Prelude, None);
    }
    names.open(Start::Prelude, &[], Distance::Prelude);
    if let (Some(ast), Some(tables)) = (view.ast(file), view.tables(file)) {
        let mut inside = Inside { names: &mut names, tables, offset };
        inside.decs(&ast.decs);
    }
    // The last of a name hides the others; types and values are apart.
    let mut last: FxHashMap<(EcoString, bool), usize> = FxHashMap::default();
    for (at, found) in names.found.iter().enumerate() {
        last.insert((found.name.clone(), is_value(found.target)), at);
    }
    let mut at = 0;
    names.found.retain(|found| {
        at += 1;
        last.get(&(found.name.clone(), is_value(found.target))) == Some(&(at - 1))
    });
    names.found
}

/// What the module provides that a qualified name leads to, from a place.
pub fn members(view: &View<'_>, visible: &[Visible], path: &[EcoString]) -> Option<Vec<Visible>> {
    let (first, rest) = path.split_first()?;
    let module = visible.iter().rev().find(|found| found.name == *first && found.module.is_some());
    let (start, mut way) = module?.module.clone()?;
    way.extend(rest.iter().cloned());
    let mut names = Names { view, found: Vec::new() };
    names.open(start, &way, Distance::Opened);
    (!names.found.is_empty()).then_some(names.found)
}

fn is_value(target: Target) -> bool {
    matches!(target, Target::Var(_))
}

struct Names<'a, 'v> {
    view: &'v View<'a>,
    found: Vec<Visible>,
}

impl Names<'_, '_> {
    fn add(
        &mut self,
        name: EcoString,
        target: Target,
        distance: Distance,
        module: Option<(Start, Vec<EcoString>)>,
    ) {
        if !name.is_empty() {
            self.found.push(Visible { name, target, distance, module });
        }
    }

    /// Adds what a module provides.
    fn open(&mut self, start: Start, path: &[EcoString], distance: Distance) {
        for provided in self.view.program.provided(start, path).unwrap_or_default() {
            let module = match provided.target {
                Target::Var(var) if self.view.program.vars[var].kind == VarKind::Module => {
                    let mut way = path.to_vec();
                    way.push(provided.name.clone());
                    Some((start, way))
                }
                Target::Var(_) | Target::Type(_) | Target::ModType(_) => None,
            };
            self.add(provided.name, provided.target, distance, module);
        }
    }
}

struct Inside<'a, 'v, 'n> {
    names: &'n mut Names<'a, 'v>,
    tables: &'v Tables,
    offset: u32,
}

impl Inside<'_, '_, '_> {
    fn decs(&mut self, decs: &[Dec]) {
        for dec in decs {
            if dec.span.start > self.offset {
                break;
            }
            match dec.span.end < self.offset {
                true => self.declared(dec, Distance::File),
                false => self.within(dec),
            }
        }
    }

    /// What a declaration before the place provides.
    fn declared(&mut self, dec: &Dec, distance: Distance) {
        match &dec.kind {
            DecKind::Val(bind) => self.binder(dec.id, &bind.name.name, distance),
            DecKind::Module(bind) => self.binder(dec.id, &bind.name.name, distance),
            DecKind::Type(bind) => {
                let target = Target::Type(Some(bind.name.span));
                self.names.add(bind.name.name.clone(), target, distance, None);
            }
            DecKind::ModuleType(bind) => {
                let target = Target::ModType(Some(bind.name.span));
                self.names.add(bind.name.name.clone(), target, distance, None);
            }
            DecKind::Open(_) | DecKind::Import(..) => {
                if let Some(&root) = self.tables.binders.get(&dec.id) {
                    self.names.open(Start::Module(root), &[], Distance::Opened);
                }
            }
            DecKind::Local(inner) => self.declared(inner, distance),
            DecKind::Error => {}
        }
    }

    fn binder(&mut self, node: NodeId, name: &EcoString, distance: Distance) {
        if let Some(&var) = self.tables.binders.get(&node) {
            let module = match self.names.view.program.vars[var].kind {
                VarKind::Module => Some((Start::Module(var), Vec::new())),
                _ => None,
            };
            self.names.add(name.clone(), Target::Var(var), distance, module);
        }
    }

    /// What is in scope inside of a declaration.
    fn within(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val(bind) => {
                if !bind.params.is_empty() {
                    self.binder(dec.id, &bind.name.name, Distance::File);
                }
                self.function(&bind.type_params, &bind.params);
                self.nodes(Node::Exp(&bind.body));
            }
            DecKind::Type(bind) => self.type_params(&bind.params),
            DecKind::Module(bind) => {
                let offset = self.offset;
                for param in bind.params.iter().filter(|param| param.span.end <= offset) {
                    self.binder(param.id, &param.name.name, Distance::Local);
                }
                if let Some(body) = tree::body_of(&bind.body)
                    && bind.body.span.start <= self.offset
                {
                    self.decs(body);
                }
            }
            DecKind::Local(inner) => self.within(inner),
            DecKind::ModuleType(_) | DecKind::Open(_) | DecKind::Import(..) | DecKind::Error => {}
        }
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        let offset = self.offset;
        for param in params.iter().filter(|param| param.span.end <= offset) {
            let name = param.name.name.clone();
            match param.kind {
                TypeParamKind::Size => self.binder(param.id, &name, Distance::Local),
                TypeParamKind::Type(_) => {
                    let target = Target::Type(Some(param.name.span));
                    self.names.add(name, target, Distance::Local, None);
                }
            }
        }
    }

    fn function(&mut self, type_params: &[TypeParam], params: &[Pat]) {
        self.type_params(type_params);
        params.iter().for_each(|pat| self.pattern(pat));
    }

    /// The variables of a pattern that ends before the place.
    fn pattern(&mut self, pat: &Pat) {
        if pat.span.end > self.offset {
            return;
        }
        match &pat.kind {
            PatKind::Var(name) => self.binder(pat.id, &name.name, Distance::Local),
            PatKind::Paren(inner) | PatKind::Attr(_, inner) | PatKind::Ascribe(inner, _) => {
                self.pattern(inner);
            }
            PatKind::Tuple(parts) | PatKind::Ctor(_, parts) => {
                parts.iter().for_each(|part| self.pattern(part));
            }
            PatKind::Record(fields) => {
                for field in fields {
                    match &field.pat {
                        Some(pat) => self.pattern(pat),
                        None => self.binder(field.id, &field.name.name, Distance::Local),
                    }
                }
            }
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
        }
    }

    /// What the nodes around the place bind, from here on.
    fn nodes(&mut self, node: Node<'_>) {
        let holds = |span: Span, offset: u32| span.start <= offset && offset <= span.end;
        if !holds(node.span(), self.offset) {
            return;
        }
        match node {
            Node::Exp(exp) => match &exp.kind {
                ExpKind::Let(binds, _) => binds.iter().for_each(|bind| self.bound(bind)),
                ExpKind::Lambda(lambda) => self.function(&[], &lambda.params),
                ExpKind::Loop(parts) => {
                    self.type_params(&parts.sizes);
                    self.pattern(&parts.pat);
                    match &parts.form {
                        LoopForm::For(id, name, _) if name.span.end <= self.offset => {
                            self.binder(*id, &name.name, Distance::Local);
                        }
                        LoopForm::For(..) | LoopForm::While(_) => {}
                        LoopForm::ForIn(pat, _) => self.pattern(pat),
                    }
                }
                ExpKind::LocalOpen(module, _) => self.local_open(module),
                _ => {}
            },
            Node::Bind(LetBind { kind: LetKind::Fun { type_params, params, .. }, .. }) => {
                self.function(type_params, params)
            }
            Node::Case(case) => self.pattern(&case.pat),
            _ => {}
        }
        let mut inner = None;
        let offset = self.offset;
        node.children(&mut |child| {
            if holds(child.span(), offset) {
                inner = Some(child);
            }
        });
        if let Some(inner) = inner {
            self.nodes(inner);
        }
    }

    /// What a binding of a `let` before the place binds.
    fn bound(&mut self, bind: &LetBind) {
        if bind.span.end >= self.offset {
            return;
        }
        match &bind.kind {
            LetKind::Pat { sizes, pat, .. } => {
                self.type_params(sizes);
                self.pattern(pat);
            }
            LetKind::Fun { name, .. } | LetKind::Update { name, .. } => {
                self.binder(bind.id, &name.name, Distance::Local);
            }
        }
    }

    /// `m.(e)`
    fn local_open(&mut self, module: &QualName) {
        let path: Vec<EcoString> =
            module.quals.iter().chain([&module.name]).map(|part| part.name.clone()).collect();
        let inside = members(self.names.view, &self.names.found, &path);
        self.names.found.extend(inside.unwrap_or_default());
    }
}

/// The place where a visible name is declared.
pub fn place(view: &View<'_>, visible: &Visible) -> Option<Span> {
    index::place(view.program, visible.target)
}
