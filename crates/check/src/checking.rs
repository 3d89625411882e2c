//! Checking a program file by file, with a way back: what a session does, which has one file more with
//! each input, or not, if the input is wrong.

use crate::program::{Entry, Program, VarInfo, VarKind};
use crate::scope::ModEnv;
use crate::ty::VarId;
use crate::{Builtins, Depth, Role, Unit, check_unit};
use ecow::EcoString;
use fehu_base::id::Id;
use fehu_base::{Diagnostic, FileId, SourceMap};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A program of which some files have been checked. By default the prelude is checked in full.
#[derive(Default)]
pub struct Checking {
    /// What is known so far.
    pub program: Program,
    /// What each unit provides.
    checked: Vec<Option<(VarId, Arc<ModEnv>)>>,
    files: Vec<FileId>,
    builtins: Builtins,
}

/// A point to which [`Checking::back_to`] returns.
#[derive(Clone)]
pub struct Mark {
    vars: usize,
    types: usize,
    checked: usize,
    files: usize,
    entries: Vec<Entry>,
    scopes: [Arc<ModEnv>; 2],
}

impl Checking {
    /// A program without files.
    pub fn new(depth: Depth) -> Checking {
        let builtins = Builtins { depth, ..Builtins::default() };
        Checking { builtins, ..Checking::default() }
    }

    /// Ends checking soon after it is set. The result is then of no use: [`Checking::back_to`] forgets it.
    pub fn interrupt(&mut self, interrupt: Arc<AtomicBool>) {
        self.builtins.interrupt = Some(interrupt);
    }

    /// Remembers files that are not of the prelude declaration by declaration: one that is checked again after
    /// [`Checking::back_to`], with another text, takes over what has not changed.
    pub fn remember(&mut self) {
        self.builtins.files.wanted = true;
    }

    /// Checks the units that have not been checked yet. The first units are those of earlier calls, and
    /// all are in dependency order; that of the intrinsics may be anywhere among those of the first call.
    pub fn check(&mut self, sources: &SourceMap, units: &[Unit<'_>]) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let new = self.checked.len()..units.len();
        self.checked.resize(units.len(), None);
        // The intrinsics need no other unit, and every other unit may need them.
        let is_intrinsics = |index: &usize| units[*index].role == Role::Intrinsics;
        let first = new.clone().filter(is_intrinsics);
        for index in first.chain(new.filter(|index| !is_intrinsics(index))) {
            let unit = &units[index];
            let imports: FxHashMap<EcoString, (VarId, Arc<ModEnv>)> = unit
                .imports
                .iter()
                .filter_map(|(path, index)| {
                    Some((path.clone(), self.checked.get(*index)?.clone()?))
                })
                .collect();
            self.files.push(unit.id);
            let program = &mut self.program;
            let env =
                check_unit(sources, program, &mut diagnostics, unit, &imports, &mut self.builtins);
            let var = program.vars.push(VarInfo {
                name: "import".into(),
                span: None,
                kind: VarKind::Module,
                scheme: None,
                def: None,
                level: 0,
                poisoned: false,
                arity: None,
            });
            let env = Arc::new(env);
            if unit.role == Role::PreludeRoot {
                self.builtins.prelude = Some((var, env.clone()));
                program.prelude = Some(var);
                program.scopes[0] = env.clone();
            }
            if unit.role == Role::Root {
                program.scopes[1] = env.clone();
            }
            self.checked[index] = Some((var, env));
        }
        diagnostics
    }

    /// The present point.
    pub fn mark(&self) -> Mark {
        Mark {
            vars: self.program.vars.len(),
            types: self.program.types.len(),
            checked: self.checked.len(),
            files: self.files.len(),
            entries: self.program.entries.clone(),
            scopes: self.program.scopes.clone(),
        }
    }

    /// Forgets the units that were checked since. They are not of the prelude. What they depend on is
    /// as it was: checking a file changes nothing of others.
    pub fn back_to(&mut self, mark: Mark) {
        let program = &mut self.program;
        self.builtins.files.leave(&self.files[mark.files.min(self.files.len())..], program);
        program.vars.truncate(mark.vars);
        program.types.truncate(mark.types);
        program.modules.retain(|var, _| var.index() < mark.vars);
        program.entries = mark.entries;
        program.scopes = mark.scopes;
        self.checked.truncate(mark.checked);
        for file in self.files.drain(mark.files.min(self.files.len())..) {
            program.files.remove(&file);
        }
    }
}
