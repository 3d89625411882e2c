//! Checking and running an input.

use super::engine::{Engine, Failure};
use super::unit::{self, PREVIOUS, VALUE};
use super::{Answer, Outcome, Repl, Shown, session};
use crate::errors;
use crate::load::{self, Loaded};
use crate::passes::{self, Plan};
use crate::run::RunError;
use crate::session::Session;
use crate::stages;
use fehu_base::FileId;
use fehu_base::bug::bug;
use fehu_base::id::Id;
use fehu_base::stack;
use fehu_check::Mark;
use fehu_check::program::{Entry, Program};
use fehu_check::ty::{Scheme, Ty};
use fehu_interp::Value;
use fehu_ir::pass::Remarks;
use fehu_lower::Lowered;
use fehu_lower::layout::Layout;
use fehu_syntax::ast::{self, Dec, DecKind, ExpKind};
use std::sync::Arc;

/// The results of entry points: what each is made of, and its parts.
type Results = Vec<(Layout, Vec<Value>)>;

/// Where a session was before an input.
struct Before {
    files: usize,
    root: Option<usize>,
    checked: Mark,
}

impl Repl {
    /// Accepts declarations, if they are right and their values can be computed.
    pub(super) fn declare(&mut self, file: FileId, tree: ast::File, text: &str) -> Answer {
        let before = self.before();
        let mut answer = self.session(file, tree, |repl, session| {
            let entries = values(&repl.loaded, &repl.checking.program, file);
            repl.checking.program.entries = entries;
            if repl.checking.program.entries.is_empty() {
                return Some(Outcome::Done);
            }
            match repl.run(session)? {
                Ok(_) => Some(Outcome::Done),
                Err(error) => Some(stopped(error)),
            }
        });
        if matches!(answer.outcome, Outcome::Done) {
            self.declared.push(text.to_owned());
        } else {
            self.return_to(before, file);
        }
        without_defaults(&mut answer);
        answer
    }

    /// Evaluates an expression.
    pub(super) fn value_of(&mut self, file: FileId, tree: ast::File) -> Answer {
        self.with_expression(file, tree, |repl, session| {
            let program = &mut repl.checking.program;
            let entry = value_named(&repl.loaded, program, file, VALUE)?;
            let scheme = program.vars[entry.var].scheme.clone()?;
            let ty = scheme.ty.unwrap_unique();
            // Of a record some fields may be data, even if others are functions. A sequence is read to its end.
            let shown = program.is_data(ty) || matches!(ty, Ty::Record(_)) || ty.as_seq().is_some();
            let runs = scheme.is_mono() && shown;
            if !runs {
                let what = if matches!(ty, Ty::Fun(_)) { "#<fun>" } else { "#<polymorphic>" };
                let ty = program.show_scheme(&scheme);
                return Some(Outcome::Value(Shown::text(format!("{what} : {ty}"))));
            }
            program.entries = vec![entry];
            Some(match repl.run(session)? {
                Ok(results) => {
                    let (layout, parts) = results.into_iter().next()?;
                    Outcome::Value(Shown::value(layout, parts, repl.breaks))
                }
                Err(error) => stopped(error),
            })
        })
    }

    /// The type of an expression.
    pub(super) fn type_of(&mut self, file: FileId, tree: ast::File) -> Answer {
        self.with_expression(file, tree, |repl, _| {
            let program = &repl.checking.program;
            let scheme = scheme_of(&repl.loaded, program, file)?;
            Some(Outcome::Text(program.show_scheme(&scheme)))
        })
    }

    /// Checks an expression, works with it, and forgets it.
    fn with_expression(
        &mut self,
        file: FileId,
        tree: ast::File,
        work: impl FnOnce(&mut Repl, &mut Session) -> Option<Outcome> + Send,
    ) -> Answer {
        let before = self.before();
        let mut answer = self.session(file, tree, work);
        self.return_to(before, file);
        without_defaults(&mut answer);
        answer
    }

    /// Adds an input to the session and checks it; if there are no errors, works with it.
    fn session(
        &mut self,
        file: FileId,
        tree: ast::File,
        work: impl FnOnce(&mut Repl, &mut Session) -> Option<Outcome> + Send,
    ) -> Answer {
        let mut sources = std::mem::take(&mut self.sources);
        let answer = session(&mut sources, file.index(), |session| {
            let tree = unit::unit(file, tree);
            load::extend(session, &*self.files, &mut self.loaded, (file, tree), PREVIOUS);
            if session.has_errors() {
                return None;
            }
            let Repl { checking, loaded, .. } = self;
            let check = |sources: &mut _| stages::check_more(checking, loaded, sources);
            let found = session.stage("check", check);
            session.diagnostics.extend(found);
            if session.has_errors() { None } else { work(self, session) }
        });
        self.sources = sources;
        answer
    }

    fn before(&self) -> Before {
        let Repl { loaded, checking, .. } = self;
        Before { files: loaded.files.len(), root: loaded.root, checked: checking.mark() }
    }

    /// Forgets an input.
    fn return_to(&mut self, before: Before, file: FileId) {
        if self.loaded.files.len() < before.files {
            // Loading has panicked, and the trees are lost.
            self.reload();
            return;
        }
        self.constants.retain(|(of, _), _| *of != file);
        self.loaded.root = before.root;
        let Repl { loaded, checking, .. } = self;
        stack::with_large_stack(move || {
            loaded.files.truncate(before.files);
            checking.back_to(before.checked);
        });
    }

    /// Runs the entry points of a program. Nothing if it cannot be translated; the session then has
    /// messages.
    fn run(&mut self, session: &mut Session) -> Option<Result<Results, RunError>> {
        let (loaded, program) = (&*self.loaded, &self.checking.program);
        let lowered =
            session.stage("lower", |sources| stages::lower_details(loaded, program, sources));
        let mut lowered = match lowered {
            Ok(lowered) => lowered,
            Err(limit) => {
                session.diagnostics.push(errors::not_supported(limit.span, &limit.message));
                return None;
            }
        };
        if let Err(message) = session.stage("verify", |_| stages::verify(&lowered.prog)) {
            session.crashed = true;
            session.diagnostics.push(errors::broken_ir("lower", &message));
            return None;
        }
        // Most of what is interpreted goes no further than this: no derivatives.
        let (plan, mut remarks) = (Plan::none(), Remarks::default());
        lowered.prog = passes::run(session, lowered.prog, &plan, &mut remarks, &mut |_, _| {})?;
        let mut engine = Engine::interpreter(session, &lowered.prog, &self.interrupt);
        match session.stage("run", |_| self.run_by(&mut engine, &lowered)) {
            Ok(results) => Some(Ok(results)),
            Err(Failure::Error(error)) => Some(Err(RunError::Program(error))),
            Err(Failure::Long) => {
                let mut engine = Engine::machine(session, &lowered.prog)?;
                let results = session.stage("run", |_| self.run_by(&mut engine, &lowered));
                Some(results.map_err(|failure| match failure {
                    Failure::Error(error) => RunError::Program(error),
                    Failure::Long => bug("machine code does not give up"),
                }))
            }
        }
    }

    /// Calls all entry points, until one fails. Constants that were computed before are not computed again, and those that are
    /// computed now are kept, unless all of it begins anew.
    fn run_by(&mut self, engine: &mut Engine, lowered: &Lowered) -> Result<Results, Failure> {
        for (id, origin) in lowered.constants.iter() {
            if let Some(values) = self.constants.get(origin) {
                engine.set_constant(id, values).map_err(Failure::Error)?;
            }
        }
        let mut results = Vec::new();
        let mut failed = None;
        for (index, layout) in lowered.results.iter().enumerate() {
            match engine.call(index, &self.interrupt, &self.trace) {
                Ok(mut parts) => {
                    // The sizes come first; the values show them.
                    let values = parts.split_off(parts.len().saturating_sub(layout.parts()));
                    results.push((layout.clone(), values));
                }
                Err(Failure::Long) => return Err(Failure::Long),
                Err(failure) => {
                    failed = Some(failure);
                    break;
                }
            }
        }
        for (id, origin) in lowered.constants.iter() {
            // Inside of parametric modules one declaration can have several values.
            if let Some(values) = engine.constant(id)
                && is_top_level(&self.loaded, *origin)
            {
                self.constants.insert(*origin, values);
            }
        }
        failed.map_or(Ok(results), Err)
    }
}

/// That `1` is an i32 is no news to people who type it.
fn without_defaults(answer: &mut Answer) {
    answer.diagnostics.retain(|found| found.code != "default-type");
}

fn stopped(error: RunError) -> Outcome {
    if error.is_interrupt() { Outcome::Interrupted } else { Outcome::Failed(error) }
}

/// The values that the root declares and that can be computed now.
fn values(loaded: &Loaded, program: &Program, file: FileId) -> Vec<Entry> {
    let computes = |entry: &Entry| {
        program.vars[entry.var]
            .scheme
            .as_ref()
            .is_some_and(|scheme| scheme.is_mono() && program.is_data(&scheme.ty))
    };
    root_decs(loaded).iter().filter_map(|dec| value(program, file, dec)).filter(computes).collect()
}

fn value_named(loaded: &Loaded, program: &Program, file: FileId, name: &str) -> Option<Entry> {
    let mut values = root_decs(loaded).iter().filter_map(|dec| value(program, file, dec));
    values.find(|entry| entry.name == name)
}

/// A declaration as an entry point, if it declares a value and no function with parameters.
fn value(program: &Program, file: FileId, dec: &Dec) -> Option<Entry> {
    let DecKind::Val(bind) = &dec.kind else { return None };
    let var = *program.files.get(&file)?.binders.get(&dec.id)?;
    let entry = Entry { name: bind.name.name.clone(), var, dec: dec.id };
    bind.params.is_empty().then_some(entry)
}

/// The type of an expression. That of a name is what was declared, with the names it was declared
/// with.
fn scheme_of(loaded: &Loaded, program: &Program, file: FileId) -> Option<Arc<Scheme>> {
    let own = value_named(loaded, program, file, VALUE)?;
    let named = root_decs(loaded).iter().find_map(|dec| match &dec.kind {
        DecKind::Val(bind) if matches!(bind.body.kind, ExpKind::Var(_)) => {
            let name = program.files.get(&file)?.names.get(&bind.body.id)?;
            (name.fields == 0).then_some(name.var)
        }
        _ => None,
    });
    program.vars[named.unwrap_or(own.var)].scheme.clone()
}

fn root_decs(loaded: &Loaded) -> &[Dec] {
    loaded.root.and_then(|root| loaded.files.get(root)).map_or(&[], |file| &file.ast.decs)
}

fn is_top_level(loaded: &Loaded, (file, node): (FileId, ast::NodeId)) -> bool {
    let of = loaded.files.iter().find(|loaded| loaded.id == file);
    of.is_some_and(|of| of.ast.decs.iter().any(|dec| dec.id == node))
}
