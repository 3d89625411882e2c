//! Names that nobody uses, and names that hide a size.
//!
//! `unused-name`: a variable, a parameter, a local function or a `local def` that nothing refers to.
//! A leading underscore says that this is meant. Parameters that are sizes or types are exempt, and
//! so is everything that a file or a module exports. Whether something is used does not depend on
//! scopes, as names are resolved already; so this looks once at everything that is bound.
//!
//! `shadowed-size`: a variable with the name of a size parameter in whose scope it is bound. This is
//! allowed, but the sizes of the types around still mean the parameter, which confuses.
//!
//! Call it for files without errors only: a name that could not be resolved was meant to be used.

mod errors;

use crate::program::{Tables, TypeInfo, VarInfo};
use crate::ty::{TypeId, VarId};
use crate::walk::{Named, Place, Visitor, walk_pat_types, walk_val};
use ecow::EcoString;
use fehu_base::{Diagnostic, IdVec, Span};
use fehu_syntax::ast::{
    Attr, AttrKind, Dec, DecKind, File, Ident, ModExp, ModExpKind, NodeId, Pat, PatKind, TypeParam,
    TypeParamKind, ValBind, ValKeyword,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The warnings `unused-name` and `shadowed-size` for a file that was checked without errors.
pub fn check_file(
    _vars: &IdVec<VarId, VarInfo>,
    _types: &IdVec<TypeId, TypeInfo>,
    tables: &Tables,
    file: &File,
) -> Vec<Diagnostic> {
    let used = tables.names.values().flat_map(|name| [name.var, name.root]).collect();
    let mut check = Check {
        tables,
        used,
        candidates: Vec::new(),
        attr_names: FxHashSet::default(),
        vars: FxHashMap::default(),
        sizes: FxHashMap::default(),
        scopes: Vec::new(),
        diagnostics: Vec::new(),
    };
    check.decs(&file.decs);
    check.report_unused();
    check.diagnostics.sort_by_key(|d| d.primary.as_ref().map(|label| label.span));
    check.diagnostics
}

/// How a name may be changed to one with an underscore.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rename {
    /// By writing the underscore before it.
    Prefix,
    /// By writing ` = _f` after it: the name of a field stays.
    Field,
    /// Not at all: the name has a meaning, or is an operator.
    No,
}

/// Something bound that may turn out unused.
struct Candidate<'a> {
    var: VarId,
    name: &'a Ident,
    what: &'static str,
    rename: Rename,
}

/// What ends with a scope.
#[derive(Default)]
struct Scope<'a> {
    vars: Vec<&'a EcoString>,
    sizes: Vec<&'a EcoString>,
}

struct Check<'a> {
    tables: &'a Tables,
    used: FxHashSet<VarId>,
    candidates: Vec<Candidate<'a>>,
    /// Names in attributes of declarations, such as those of generators of test data.
    attr_names: FxHashSet<&'a EcoString>,
    /// The variables in scope by their names, innermost last: for the names that are used without
    /// being written as expressions.
    vars: FxHashMap<&'a EcoString, Vec<VarId>>,
    /// The size parameters in scope by their names, innermost last.
    sizes: FxHashMap<&'a EcoString, Vec<Span>>,
    /// What each scope binds, outermost first.
    scopes: Vec<Scope<'a>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Visitor<'a> for Check<'a> {
    fn pat(&mut self, pat: &'a Pat, place: Place) {
        walk_pat_types(self, pat);
        self.bind_pat(pat, place);
    }

    fn named(&mut self, id: NodeId, name: &'a Ident, what: Named) {
        match what {
            Named::Function => self.bind(id, name, "function", Rename::Prefix),
            Named::Index => self.bind(id, name, "loop index", Rename::Prefix),
            Named::Update => {
                // The old value is used; the new variable of the same name is bound.
                self.use_implicitly(name);
                self.candidate(id, name, "update of", Rename::No);
            }
        }
    }

    fn type_param(&mut self, param: &'a TypeParam) {
        if param.kind == TypeParamKind::Size {
            self.sizes.entry(&param.name.name).or_default().push(param.name.span);
            if let Some(scope) = self.scopes.last_mut() {
                scope.sizes.push(&param.name.name);
            }
        }
    }

    fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn close(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        for name in scope.vars {
            self.vars.entry(name).or_default().pop();
        }
        for name in scope.sizes {
            self.sizes.entry(name).or_default().pop();
        }
    }
}

impl<'a> Check<'a> {
    fn decs(&mut self, decs: &'a [Dec]) {
        decs.iter().for_each(|dec| self.dec(dec, None));
    }

    /// `local` is the node of the `local` declaration around this one.
    fn dec(&mut self, dec: &'a Dec, local: Option<NodeId>) {
        dec.attrs.iter().for_each(|attr| self.attr(attr));
        match &dec.kind {
            DecKind::Val(bind) => {
                walk_val(self, bind);
                if let Some(outer) = local {
                    self.local_val(dec.id, outer, bind);
                }
            }
            DecKind::Local(inner) => self.dec(inner, Some(dec.id)),
            DecKind::Module(bind) => self.mod_exp(&bind.body),
            DecKind::Open(module) => self.mod_exp(module),
            DecKind::Type(_) | DecKind::ModuleType(_) | DecKind::Import(..) | DecKind::Error => {}
        }
    }

    fn attr(&mut self, attr: &'a Attr) {
        match &attr.kind {
            AttrKind::Name(name) => _ = self.attr_names.insert(name),
            AttrKind::Int(_) => {}
            AttrKind::Call(_, args) => args.iter().for_each(|arg| self.attr(arg)),
        }
    }

    fn mod_exp(&mut self, module: &'a ModExp) {
        match &module.kind {
            ModExpKind::Decs(decs) => self.decs(decs),
            ModExpKind::Paren(inner)
            | ModExpKind::Ascribe(inner, _)
            | ModExpKind::Lambda(_, _, inner) => self.mod_exp(inner),
            ModExpKind::Apply(f, arg) => {
                self.mod_exp(f);
                self.mod_exp(arg);
            }
            ModExpKind::Name(_) | ModExpKind::Import(..) | ModExpKind::Error => {}
        }
    }

    /// A `local def` is visible nowhere else, unless it is an entry point.
    fn local_val(&mut self, id: NodeId, outer: NodeId, bind: &'a ValBind) {
        if bind.keyword == ValKeyword::Entry {
            return;
        }
        let id = if self.tables.binders.contains_key(&id) { id } else { outer };
        self.candidate(id, &bind.name, "local definition", Rename::Prefix);
    }

    fn bind_pat(&mut self, pat: &'a Pat, place: Place) {
        match &pat.kind {
            PatKind::Wildcard | PatKind::Lit(_) | PatKind::Error => {}
            PatKind::Var(name) => {
                let rename = self.renaming(name, place, Rename::Prefix);
                self.bind(pat.id, name, describe(place), rename);
            }
            PatKind::Paren(p) | PatKind::Ascribe(p, _) | PatKind::Attr(_, p) => {
                self.bind_pat(p, place);
            }
            PatKind::Tuple(ps) | PatKind::Ctor(_, ps) => {
                ps.iter().for_each(|p| self.bind_pat(p, place));
            }
            PatKind::Record(fields) => {
                for field in fields {
                    match &field.pat {
                        Some(pat) => self.bind_pat(pat, place),
                        None => {
                            let rename = self.renaming(&field.name, place, Rename::Field);
                            self.bind(field.id, &field.name, describe(place), rename);
                        }
                    }
                }
            }
        }
    }

    /// How a name in a pattern at `place` may be changed. Where a loop starts from variables with
    /// the names in its pattern, these are used here, and the names cannot be changed.
    fn renaming(&mut self, name: &'a Ident, place: Place, usual: Rename) -> Rename {
        if place == Place::ImplicitLoop {
            self.use_implicitly(name);
            return Rename::No;
        }
        usual
    }

    fn bind(&mut self, id: NodeId, name: &'a Ident, what: &'static str, rename: Rename) {
        if let Some(&size) = self.sizes.get(&name.name).and_then(|spans| spans.last()) {
            self.diagnostics.push(errors::shadowed_size(name, size));
        }
        self.candidate(id, name, what, rename);
    }

    /// The variable of this name is used, though no expression says so.
    fn use_implicitly(&mut self, name: &'a Ident) {
        if let Some(&var) = self.vars.get(&name.name).and_then(|vars| vars.last()) {
            self.used.insert(var);
        }
    }

    fn candidate(&mut self, id: NodeId, name: &'a Ident, what: &'static str, rename: Rename) {
        let Some(&var) = self.tables.binders.get(&id) else {
            return;
        };
        self.vars.entry(&name.name).or_default().push(var);
        if let Some(scope) = self.scopes.last_mut() {
            scope.vars.push(&name.name);
        }
        if name.name.starts_with('_') {
            return;
        }
        let word = name.name.starts_with(|c: char| c.is_alphabetic());
        let rename = if word { rename } else { Rename::No };
        if let Some(&var) = self.tables.binders.get(&id) {
            self.candidates.push(Candidate { var, name, what, rename });
        }
    }

    fn report_unused(&mut self) {
        for candidate in &self.candidates {
            let Candidate { var, name, what, rename } = candidate;
            if !self.used.contains(var) && !self.attr_names.contains(&name.name) {
                self.diagnostics.push(errors::unused_name(name, what, *rename));
            }
        }
    }
}

fn describe(place: Place) -> &'static str {
    match place {
        Place::Param | Place::LambdaParam => "parameter",
        Place::Loop | Place::ImplicitLoop => "loop parameter",
        Place::Let | Place::ForIn | Place::Case => "variable",
    }
}
