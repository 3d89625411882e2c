//! From syntax trees to typed programs: names, modules, types, sizes, consumption, exhaustiveness.
//!
//! [`check`] takes the files of a program in dependency order, starting with the prelude, and returns a
//! [`Program`], which consists of side tables for the trees, and diagnostics. Files are checked one
//! after another, and declarations in order. A value goes through
//!
//! 1. [`infer`]: names are resolved, and types are inferred without sizes;
//! 2. [`size`]: sizes are inferred, now that all types are known;
//! 3. [`causality`], [`recursion`], and the checks of consumption and of patterns.
//!
//! An error in a value ends the work on that value; uses of it are then trusted, so that each mistake
//! gives one message.
//!
//! Nothing here does input or output, and nothing panics on any tree.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod again;
mod builtin;
mod causality;
mod checker;
mod checking;
pub mod codes;
pub mod consume;
mod entry;
mod errors;
pub mod exhaust;
pub mod foreign;
mod infer;
pub mod lookup;
mod module;
pub mod order;
pub mod program;
mod recursion;
mod scope;
mod size;
pub mod ty;
pub mod unused;
pub mod walk;

use crate::again::Files;
use crate::checker::Checker;
pub use crate::checking::{Checking, Mark};
use crate::module::Block;
use crate::program::{Program, Tables, VarKind};
use crate::scope::{ModEnv, Module, ScopedTerm, Term};
use crate::ty::{Scheme, VarId};
use ecow::EcoString;
use fehu_base::{Diagnostic, FileId, SourceMap};
use fehu_syntax::ast;
use fehu_syntax::needed::Names;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A file to check.
pub struct Unit<'a> {
    /// Its text's id.
    pub id: FileId,
    /// Its tree.
    pub ast: &'a ast::File,
    /// What its imports mean: the string written, and the index of the unit.
    pub imports: Vec<(EcoString, usize)>,
    /// Its part in the program.
    pub role: Role,
}

/// The part of a file in a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Declares the module type `intrinsics` of what the compiler provides.
    Intrinsics,
    /// Part of the prelude.
    Prelude,
    /// What every file of the program opens: the last unit of the prelude.
    PreludeRoot,
    /// A file that the program imports.
    Library,
    /// The file that the user named; its entry points are the program's.
    Root,
}

/// How much of the prelude is checked.
///
/// The prelude is part of the compiler, and a test checks all of it. What is needed of it to check a
/// program are the types of what it provides, and nearly all of them are declared: values have the
/// types of their parameters and results written down, and modules have module types. These are
/// believed, and the definitions behind them are not looked at unless their names are needed. The
/// tables of the prelude's files then lack the nodes inside these definitions, which stages after
/// the checker need of what the program uses. The user's files are checked in full always.
#[derive(Clone, Debug, Default)]
pub enum Depth {
    /// The definitions of these names, in modules of these names; their files may be parsed by
    /// [`fehu_syntax::parse_needed`]. If there are none, all errors of a program are still found.
    Needed(Arc<Names>),
    /// All of it.
    #[default]
    Full,
}

impl Depth {
    /// Only what the prelude declares.
    pub fn signatures() -> Depth {
        Depth::Needed(Arc::default())
    }
}

/// Checks a program. The units are in dependency order; that of the intrinsics may be anywhere.
pub fn check(sources: &SourceMap, units: &[Unit<'_>], depth: Depth) -> (Program, Vec<Diagnostic>) {
    let mut checking = Checking::new(depth);
    let diagnostics = checking.check(sources, units);
    (checking.program, diagnostics)
}

/// What is in scope in every file.
#[derive(Default)]
struct Builtins {
    operators: Option<Arc<ModEnv>>,
    intrinsics: Option<Term>,
    prelude: Option<(VarId, Arc<ModEnv>)>,
    /// How much of the prelude is checked.
    depth: Depth,
    /// See [`Checking::interrupt`].
    interrupt: Option<Arc<AtomicBool>>,
    /// What is remembered of files that may be checked again.
    files: Files,
}

fn check_unit(
    sources: &SourceMap,
    program: &mut Program,
    diagnostics: &mut Vec<Diagnostic>,
    unit: &Unit<'_>,
    imports: &FxHashMap<EcoString, (VarId, Arc<ModEnv>)>,
    builtins: &mut Builtins,
) -> ModEnv {
    let in_prelude = matches!(unit.role, Role::Intrinsics | Role::Prelude | Role::PreludeRoot);
    let interrupt = builtins.interrupt.clone();
    let depth = builtins.depth.clone();
    let mut checker = Checker {
        interrupt: interrupt.as_deref(),
        sources,
        program,
        tables: Tables::default(),
        diags: Vec::new(),
        scope: Default::default(),
        imports,
        level: 0,
        metas: Default::default(),
        size_metas: Default::default(),
        anonymous: Vec::new(),
        arrow_names: Vec::new(),
        binding_start: 0,
        declares: false,
        tainted: false,
        current: None,
        self_uses: Vec::new(),
        module_path: Vec::new(),
        in_prelude,
        needed: match &depth {
            Depth::Needed(names) if in_prelude => Some(names),
            Depth::Needed(_) | Depth::Full => None,
        },
        new_abstracts: Vec::new(),
        matched: FxHashMap::default(),
        fresh_results: FxHashMap::default(),
        entries: Vec::new(),
    };
    let operators = match &builtins.operators {
        Some(operators) => operators.clone(),
        None => {
            let operators = Arc::new(checker.builtin_operators());
            builtins.operators = Some(operators.clone());
            operators
        }
    };
    checker.open_builtins(&operators);
    if let Some(intrinsics) = &builtins.intrinsics {
        checker.scope.bind_term("intrinsics".into(), ScopedTerm::local(intrinsics.clone()));
    }
    if let Some((var, env)) = &builtins.prelude {
        checker.scope.open(env, *var, &[]);
    }
    let block = if unit.role == Role::Root { Block::Root } else { Block::File };
    let mut env = match builtins.files.wanted && !in_prelude {
        true => {
            let mut known: Vec<(EcoString, VarId)> =
                imports.iter().map(|(name, (var, _))| (name.clone(), *var)).collect();
            known.sort();
            let old = builtins.files.left(unit.id).filter(|(kept, _)| kept.fits(block, &known));
            let file = (unit.id, unit.ast);
            let (env, kept) = checker.declarations_again(file, block, known, old);
            builtins.files.kept.insert(unit.id, kept);
            env
        }
        false => checker.declarations(&unit.ast.decs, block),
    };
    if unit.role == Role::Intrinsics {
        builtins.intrinsics = checker.intrinsics(&env, &operators);
        env = ModEnv::default();
    }
    let Checker { tables, mut diags, entries, .. } = checker;
    if !in_prelude && !diags.iter().any(Diagnostic::is_error) {
        diags.extend(unused::check_file(&program.vars, &program.types, &tables, unit.ast));
    }
    diagnostics.extend(diags);
    if unit.role == Role::Root {
        program.entries = entries;
    }
    program.files.insert(unit.id, tables);
    env
}

impl Checker<'_> {
    fn open_builtins(&mut self, operators: &ModEnv) {
        for (name, term) in &operators.terms {
            // `neg` is only reachable as intrinsics.neg.
            if name != "neg" {
                self.scope.bind_term(name.clone(), ScopedTerm::local(term.clone()));
            }
        }
        for prim in fehu_base::Prim::ALL {
            let def = scope::TypeDef {
                name: prim.name().into(),
                span: None,
                lifted: ty::Lifted::Unlifted,
                params: Vec::new(),
                exts: Vec::new(),
                ty: ty::Ty::Prim(prim),
            };
            self.scope.bind_type(prim.name().into(), Arc::new(def));
        }
        let seq = scope::TypeDef {
            name: "seq".into(),
            span: None,
            lifted: ty::Lifted::Lifted,
            params: vec![scope::TypeDefParam {
                param: ty::TypeFnParam::Type(ty::SEQ_ELEMENT),
                lifted: ty::Lifted::SizeLifted,
                name: "a".into(),
            }],
            exts: Vec::new(),
            ty: ty::Ty::seq(Vec::new(), ty::Ty::Con(ty::SEQ_ELEMENT, Arc::new([]))),
        };
        self.scope.bind_type("seq".into(), Arc::new(seq));
    }

    /// The module `intrinsics`, made from the module type of that name and the operators.
    fn intrinsics(&mut self, env: &ModEnv, operators: &ModEnv) -> Option<Term> {
        let mt = env.mod_types.get("intrinsics")?;
        let Module::Struct(specs) = &mt.module else { return None };
        let mut all = (**specs).clone();
        for term in specs.terms.values() {
            self.program.vars[term.var()].kind = VarKind::Builtin;
        }
        for (name, term) in &operators.terms {
            all.terms.insert(name.clone(), term.clone());
        }
        let var = self.new_var("intrinsics", None, VarKind::Builtin, None);
        Some(Term::Mod(var, Arc::new(Module::Struct(Arc::new(all)))))
    }

    /// The checks of a value whose types are known.
    fn after_inference(&mut self, _dec: &ast::Dec, bind: &ast::ValBind, var: VarId) {
        self.check_causality(bind, var);
        self.check_recursion(bind, var);
        let (vars, types) = (&self.program.vars, &self.program.types);
        let found = exhaust::check_value(vars, types, &self.tables, bind);
        let consumed = consume::check(vars, types, &self.tables, bind);
        self.diags.extend(found);
        self.diags.extend(consumed.diagnostics);
        // What a type parameter stands for may be a function that we know nothing about.
        let knows_functions =
            |scheme: &Scheme| scheme.types.iter().all(|param| param.lifted != ast::Lifted::Lifted);
        if consumed.complete && self.scheme(var).is_some_and(|scheme| knows_functions(&scheme)) {
            self.program.vars[var].arity = Some(bind.params.len());
        }
        if let Some(more) = consumed.more
            && let Some(scheme) = self.scheme(var)
        {
            let ty = consume::mark_result(&scheme.ty, bind.params.len(), &more);
            self.fresh_results.insert(var, ty);
        }
        if let Some(fresh) = consumed.ret
            && let Some(scheme) = &mut self.program.vars[var].scheme
        {
            let scheme = Arc::make_mut(scheme);
            scheme.ty = consume::mark_result(&scheme.ty, bind.params.len(), &fresh);
        }
    }
}
