//! Declarations.

use crate::checker::Checker;
use crate::errors;
use crate::program::{Entry, VarKind};
use crate::scope::{ModEnv, ModType, Module, ScopedTerm, Term};
use ecow::EcoString;
use fehu_base::Span;
use fehu_syntax::ast::{Dec, DecKind, Ident, ModBind, ValBind, ValKeyword};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The names a block has defined so far, to refuse a second definition.
#[derive(Default)]
pub(crate) struct Defined {
    terms: FxHashMap<EcoString, Span>,
    types: FxHashMap<EcoString, Span>,
    mod_types: FxHashMap<EcoString, Span>,
}

impl Defined {
    /// Notes what a declaration that was checked before defines.
    pub(crate) fn note(&mut self, dec: &Dec) {
        let (names, name) = match &dec.kind {
            DecKind::Val(bind) => (&mut self.terms, &bind.name),
            DecKind::Type(bind) => (&mut self.types, &bind.name),
            DecKind::Module(bind) => (&mut self.terms, &bind.name),
            DecKind::ModuleType(bind) => (&mut self.mod_types, &bind.name),
            DecKind::Open(_) | DecKind::Import(..) | DecKind::Local(_) | DecKind::Error => return,
        };
        if !name.name.is_empty() {
            names.insert(name.name.clone(), name.span);
        }
    }
}

/// Where a block of declarations stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// The root file of a program.
    Root,
    /// Another file.
    File,
    /// `{ ... }`
    Module,
}

impl Checker<'_> {
    /// Checks declarations in order; they stay in scope. Returns what they export.
    pub(crate) fn declarations(&mut self, decs: &[Dec], block: Block) -> ModEnv {
        let mut env = ModEnv::default();
        let mut defined = Defined::default();
        for dec in decs {
            if self.interrupted() {
                break;
            }
            self.declaration(dec, block, true, &mut env, &mut defined);
        }
        env
    }

    pub(crate) fn declaration(
        &mut self,
        dec: &Dec,
        block: Block,
        export: bool,
        env: &mut ModEnv,
        defined: &mut Defined,
    ) {
        // What is local is nobody else's, so its name may be used again.
        let mut unnoted = Defined::default();
        let defined = if export { defined } else { &mut unnoted };
        if !matches!(dec.kind, DecKind::Val(_)) {
            self.foreign_elsewhere(&dec.attrs);
        }
        match &dec.kind {
            DecKind::Val(bind) => {
                let name = &bind.name;
                let first = self.once(&mut defined.terms, name, "value");
                self.check_entry_place(bind, block);
                let var = self.value_binding(dec, bind);
                self.foreign_function(dec, bind, var);
                if matches!(block, Block::Root) && is_entry(bind) {
                    self.entry_point(bind, var);
                    if let Some(other) = self.entries.iter().find(|entry| entry.name == name.name)
                        && first
                        && let Some(first) = self.program.vars[other.var].span
                    {
                        self.report(errors::duplicate_definition(name, "entry point", first));
                    }
                    let entry = Entry { name: name.name.clone(), var, dec: dec.id };
                    self.entries.push(entry);
                }
                self.scope.bind_term(name.name.clone(), ScopedTerm::local(Term::Val(var)));
                if export {
                    env.terms.insert(name.name.clone(), Term::Val(var));
                }
            }
            DecKind::Type(bind) => {
                self.once(&mut defined.types, &bind.name, "type");
                let def = self.type_binding(bind);
                self.scope.bind_type(bind.name.name.clone(), def.clone());
                if export {
                    env.types.insert(bind.name.name.clone(), def);
                }
            }
            DecKind::Module(bind) => {
                self.once(&mut defined.terms, &bind.name, "module");
                let module = Arc::new(self.module_binding(bind));
                let var = self.new_var(
                    bind.name.name.clone(),
                    Some(bind.name.span),
                    VarKind::Module,
                    None,
                );
                self.tables.binders.insert(dec.id, var);
                self.program.modules.insert(var, module.clone());
                let term = Term::Mod(var, module);
                self.scope.bind_term(bind.name.name.clone(), ScopedTerm::local(term.clone()));
                if export {
                    env.terms.insert(bind.name.name.clone(), term);
                }
            }
            DecKind::ModuleType(bind) => {
                self.once(&mut defined.mod_types, &bind.name, "module type");
                let mt = self.module_type(&bind.body);
                if let Some(mt) = mt {
                    let mt = Arc::new(ModType { span: Some(bind.name.span), ..mt });
                    self.scope.bind_mod_type(bind.name.name.clone(), mt.clone());
                    if export {
                        env.mod_types.insert(bind.name.name.clone(), mt);
                    }
                }
            }
            DecKind::Open(exp) => {
                let module = self.mod_exp(exp);
                self.open_module(dec, module, exp.span, export, env);
            }
            DecKind::Import(path, span) => {
                let module = self.import(path);
                self.open_module(dec, module, *span, false, env);
            }
            DecKind::Local(inner) => self.declaration(inner, block, false, env, defined),
            DecKind::Error => {}
        }
    }

    /// Notes a definition, and says whether it is the first of its name; reports it otherwise.
    fn once(&mut self, defined: &mut FxHashMap<EcoString, Span>, name: &Ident, what: &str) -> bool {
        if name.name.is_empty() {
            return true;
        }
        let first = defined.insert(name.name.clone(), name.span);
        if let Some(first) = first {
            self.report(errors::duplicate_definition(name, what, first));
        }
        first.is_none()
    }

    fn open_module(
        &mut self,
        dec: &Dec,
        module: Option<Module>,
        span: Span,
        export: bool,
        env: &mut ModEnv,
    ) {
        let opened = match module {
            Some(Module::Struct(opened)) => opened,
            Some(Module::Functor(_)) => {
                let name = self.quote(span);
                self.report(errors::module_is_parametric(span, &name));
                return;
            }
            None => return,
        };
        let root = self.new_var("open", Some(span), VarKind::Module, None);
        self.tables.binders.insert(dec.id, root);
        self.program.modules.insert(root, Arc::new(Module::Struct(opened.clone())));
        self.scope.open(&opened, root, &[]);
        if export {
            env.extend(&opened);
        }
    }

    fn module_binding(&mut self, bind: &ModBind) -> Module {
        self.module_path.push(bind.name.name.clone());
        let module = self.functor(&bind.params, bind.ty.as_ref(), &bind.body);
        self.module_path.pop();
        module.unwrap_or_else(|| Module::Struct(Arc::default()))
    }

    fn check_entry_place(&mut self, bind: &ValBind, block: Block) {
        if bind.keyword == ValKeyword::Entry && block == Block::Module {
            self.report(errors::nested_entry(bind.name.span, &bind.name.name));
        }
    }
}

fn is_entry(bind: &ValBind) -> bool {
    bind.keyword == ValKeyword::Entry || bind.name.name == "main"
}
