//! The state of checking one file, and the small things every part of the checker needs.

use crate::infer::Metas;
use crate::program::{Program, Tables, TypeInfo, TypeSort, VarInfo, VarKind};
use crate::scope::{ModEnv, Scope, ScopedTerm, Term};
use crate::size::SizeMetas;
use crate::ty::{Printer, Scheme, Size, Ty, TypeId, VarId};
use ecow::EcoString;
use fehu_base::{Diagnostic, SourceMap, Span};
use fehu_syntax::ast::{Ident, Lifted, NodeId};
use fehu_syntax::needed::Names;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The checker. Its methods are spread over the modules of this crate by what they check.
pub(crate) struct Checker<'a> {
    /// For quoting the program in messages.
    pub(crate) sources: &'a SourceMap,
    pub(crate) program: &'a mut Program,
    /// The tables of the file being checked.
    pub(crate) tables: Tables,
    pub(crate) diags: Vec<Diagnostic>,
    pub(crate) scope: Scope,
    /// What `import "x"` means in this file.
    pub(crate) imports: &'a FxHashMap<EcoString, (VarId, Arc<ModEnv>)>,
    /// How deep inside bindings we are.
    pub(crate) level: u32,
    /// The unknown types of the binding being inferred.
    pub(crate) metas: Metas,
    /// The unknown sizes of the binding being inferred.
    pub(crate) size_metas: SizeMetas,
    /// The anonymous sizes met in the type expression being read.
    pub(crate) anonymous: Vec<VarId>,
    /// The names of the parameters of the function types we are inside.
    pub(crate) arrow_names: Vec<Ident>,
    /// Whether the current binding uses something that was refused.
    pub(crate) tainted: bool,
    /// Whether a type is read that is declared: its sizes cannot be evaluated where it is.
    pub(crate) declares: bool,
    /// How many diagnostics there were when the current binding began.
    pub(crate) binding_start: usize,
    /// The function being checked, where it is in scope of itself.
    pub(crate) current: Option<VarId>,
    /// The uses of `current`.
    pub(crate) self_uses: Vec<(NodeId, Span)>,
    /// The names of the modules we are inside, for the names of types.
    pub(crate) module_path: Vec<EcoString>,
    /// Whether `intrinsics` may be used silently: true in the prelude.
    pub(crate) in_prelude: bool,
    /// The names whose definitions are looked at; others are believed where they are declared in full. See [`crate::Depth`].
    pub(crate) needed: Option<&'a Names>,
    /// Abstract types made since the innermost parametric module began.
    pub(crate) new_abstracts: Vec<TypeId>,
    /// How the values of the module type that was matched last are instances of what implements them.
    pub(crate) matched: FxHashMap<VarId, crate::program::Instance>,
    /// The types of functions of which more of the result is fresh than the written type says.
    pub(crate) fresh_results: FxHashMap<VarId, Ty>,
    /// Whether anybody still wants the result.
    pub(crate) interrupt: Option<&'a AtomicBool>,
    /// The `entry` declarations met.
    pub(crate) entries: Vec<crate::program::Entry>,
}

impl Checker<'_> {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diags.push(diagnostic);
    }

    /// Whether nobody wants the result any more, so that it may be incomplete.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Whether an error was reported in the current binding. What is then left open may follow from
    /// it, and is not reported.
    pub(crate) fn failing(&self) -> bool {
        self.tainted || self.diags[self.binding_start..].iter().any(Diagnostic::is_error)
    }

    /// Whether a definition in the present module is needed, so that what it declares is not all there is to know.
    pub(crate) fn is_needed(&self, name: &str) -> bool {
        self.needed.is_none_or(|names| {
            names.contains(name) && self.module_path.iter().all(|module| names.contains(module))
        })
    }

    /// The text at a place, for quoting in a message: one line, not too long.
    pub(crate) fn quote(&self, span: Span) -> String {
        let text = self.sources.text(span);
        let mut words = String::new();
        for word in text.split_whitespace() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(word);
            if words.len() > 60 {
                break;
            }
        }
        if words.chars().count() > 60 {
            words = words.chars().take(57).collect();
            words.push_str("...");
        }
        words
    }

    pub(crate) fn printer(&self) -> Printer<'_> {
        Printer { vars: &self.program.vars, types: &self.program.types }
    }

    /// The type as the user reads it.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        self.printer().ty(ty)
    }

    /// The size as the user reads it.
    pub(crate) fn show_size(&self, size: &Size) -> String {
        self.printer().size(size)
    }

    /// A new variable.
    pub(crate) fn new_var(
        &mut self,
        name: impl Into<EcoString>,
        span: Option<Span>,
        kind: VarKind,
        ty: Option<Ty>,
    ) -> VarId {
        self.program.vars.push(VarInfo {
            name: name.into(),
            span,
            kind,
            scheme: ty.map(|ty| Arc::new(Scheme::mono(ty))),
            def: None,
            level: self.level,
            poisoned: false,
            arity: None,
        })
    }

    /// A new nominal type.
    pub(crate) fn new_type(
        &mut self,
        name: impl Into<EcoString>,
        span: Option<Span>,
        lifted: Lifted,
        params: Vec<crate::program::ParamKind>,
        sort: TypeSort,
    ) -> TypeId {
        let level = self.level;
        self.program.types.push(TypeInfo { name: name.into(), span, lifted, params, level, sort })
    }

    /// Binds a variable of the program in scope and notes it under its node.
    pub(crate) fn bind(&mut self, node: NodeId, ident: &Ident, kind: VarKind, ty: Ty) -> VarId {
        let var = self.new_var(ident.name.clone(), Some(ident.span), kind, Some(ty));
        self.tables.binders.insert(node, var);
        self.scope.bind_term(ident.name.clone(), ScopedTerm::local(Term::Val(var)));
        var
    }

    pub(crate) fn scheme(&self, var: VarId) -> Option<Arc<Scheme>> {
        self.program.vars[var].scheme.clone()
    }

    pub(crate) fn set_scheme(&mut self, var: VarId, scheme: Scheme) {
        self.program.vars[var].scheme = Some(Arc::new(scheme));
    }

    /// The name qualified by the modules we are inside.
    pub(crate) fn qualified(&self, name: &str) -> EcoString {
        let mut out = EcoString::new();
        for part in &self.module_path {
            out.push_str(part);
            out.push('.');
        }
        out.push_str(name);
        out
    }
}
