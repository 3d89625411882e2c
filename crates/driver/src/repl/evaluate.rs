//! Checking and running an input.

use super::engine::{Engine, Failure, Results};
use super::stop::{self, Places, Progress, Waiting};
use super::unit::{self, PREVIOUS, VALUE};
use super::{Answer, AtBreakpoints, Outcome, Repl, Shown, session};
use crate::errors;
use crate::load::{self, Loaded};
use crate::passes::{self, Plan};
use crate::run::RunError;
use crate::session::Session;
use crate::stages;
use fehu_base::id::Id;
use fehu_base::stack;
use fehu_base::{FileId, OrBug};
use fehu_check::Mark;
use fehu_check::program::{Entry, Program};
use fehu_check::ty::{Scheme, Ty};
use fehu_interp::Value;
use fehu_ir::pass::Remarks;
use fehu_lower::{Lowered, Notices};
use fehu_syntax::ast::{self, Dec, DecKind, ExpKind};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Where a session was before an input.
pub(super) struct Before {
    files: usize,
    root: Option<usize>,
    checked: Mark,
    declared: usize,
}

/// What an input is evaluated for.
pub(super) struct Goal {
    /// Where the session was before it.
    pub(super) before: Before,
    wants: Wants,
}

/// What was found out for an input.
enum Found {
    Results(Result<Results, RunError>),
    /// What stands for a function.
    Text(String),
    /// Nothing yet.
    Waiting(Box<Waiting>),
}

enum Wants {
    /// The value is shown, and the input forgotten.
    Value,
    /// Declarations with this text are accepted.
    Declarations(String),
}

impl Repl {
    /// Accepts declarations, if they are right and their values can be computed.
    pub(super) fn declare(&mut self, file: FileId, tree: ast::File, text: &str) -> Answer {
        let goal = Goal { before: self.before(), wants: Wants::Declarations(text.to_owned()) };
        self.achieve(goal, file, tree, |repl, session| {
            let entries = values(&repl.loaded, &repl.checking.program, file);
            repl.checking.program.entries = entries;
            if repl.checking.program.entries.is_empty() {
                return Some(Found::Results(Ok(Results::new())));
            }
            repl.run(session)
        })
    }

    /// Evaluates an expression.
    pub(super) fn value_of(&mut self, file: FileId, tree: ast::File) -> Answer {
        let goal = Goal { before: self.before(), wants: Wants::Value };
        self.achieve(goal, file, tree, |repl, session| {
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
                return Some(Found::Text(format!("{what} : {ty}")));
            }
            program.entries = vec![entry];
            repl.run(session)
        })
    }

    /// Checks an input and computes something for it. It may wait at a breakpoint: then the rest is done later.
    fn achieve(
        &mut self,
        goal: Goal,
        file: FileId,
        tree: ast::File,
        work: impl FnOnce(&mut Repl, &mut Session) -> Option<Found> + Send,
    ) -> Answer {
        let mut found = None;
        let mut answer = self.session(file, tree, |repl, session| {
            found = Some(work(repl, session)?);
            Some(Outcome::Done)
        });
        answer.outcome = match (answer.outcome, found) {
            (Outcome::Done, Some(Found::Results(results))) => self.finish(goal, results),
            (Outcome::Done, Some(Found::Waiting(waiting))) => self.pause(waiting, goal),
            (Outcome::Done, Some(Found::Text(text))) => {
                self.return_to(goal.before);
                Outcome::Value(Shown::text(text))
            }
            (outcome, _) => {
                self.return_to(goal.before);
                outcome
            }
        };
        without_defaults(&mut answer);
        answer
    }

    /// What comes of an input whose values have been computed.
    pub(super) fn finish(&mut self, goal: Goal, results: Result<Results, RunError>) -> Outcome {
        match (goal.wants, results) {
            (Wants::Declarations(text), Ok(_)) => {
                self.declared.push(text);
                Outcome::Done
            }
            (Wants::Value, Ok(results)) => {
                self.return_to(goal.before);
                let (layout, parts) = results.into_iter().next().or_bug("value of an expression");
                Outcome::Value(Shown::value(layout, parts, self.breaks))
            }
            (Wants::Declarations(_) | Wants::Value, Err(error)) => {
                self.return_to(goal.before);
                if error.is_interrupt() { Outcome::Interrupted } else { Outcome::Failed(error) }
            }
        }
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
        self.return_to(before);
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

    /// Where the session is before an input.
    pub(super) fn before(&self) -> Before {
        let Repl { loaded, checking, .. } = self;
        Before {
            files: loaded.files.len(),
            root: loaded.root,
            checked: checking.mark(),
            declared: self.declared.len(),
        }
    }

    /// Forgets an input, and what came after it.
    pub(super) fn return_to(&mut self, before: Before) {
        if self.loaded.files.len() < before.files {
            // Loading has panicked, and the trees are lost.
            self.reload();
            return;
        }
        self.declared.truncate(before.declared);
        self.loaded.root = before.root;
        let Repl { loaded, checking, .. } = self;
        stack::with_large_stack(move || {
            loaded.files.truncate(before.files);
            checking.back_to(before.checked);
        });
        let left: FxHashSet<FileId> = self.loaded.files.iter().map(|file| file.id).collect();
        self.constants.retain(|(of, _), _| left.contains(of));
    }

    /// Runs the entry points of a program. Nothing if it cannot be translated; the session then has
    /// messages.
    fn run(&mut self, session: &mut Session) -> Option<Found> {
        let mut notices = match self.stops_at_nan {
            true => Notices::BreakpointsAndNan,
            false => Notices::Nothing,
        };
        let mut lowered = self.lower(session, notices)?;
        if lowered.has_breakpoints && notices == Notices::Nothing {
            notices = Notices::Breakpoints;
            lowered = self.lower(session, notices)?;
        }
        if notices != Notices::Nothing {
            return Some(self.run_watched(session, lowered));
        }
        let mut engine = Engine::interpreter(session, &lowered.prog, &self.interrupt);
        let results = match session.stage("run", |_| self.run_by(&mut engine, &lowered)) {
            Err(Failure::Long) => {
                let mut engine = Engine::machine(session, &lowered.prog)?;
                session.stage("run", |_| self.run_by(&mut engine, &lowered))
            }
            results => results,
        };
        Some(Found::Results(results.map_err(Failure::into_error)))
    }

    /// The program, ready to be interpreted.
    fn lower(&self, session: &mut Session, notices: Notices) -> Option<Lowered> {
        let (loaded, program) = (&*self.loaded, &self.checking.program);
        let lower = |sources: &mut _| stages::lower_details(loaded, program, sources, notices);
        let mut lowered = match session.stage("lower", lower) {
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
        Some(lowered)
    }

    /// Runs a program that may stop.
    fn run_watched(&mut self, session: &mut Session, lowered: Lowered) -> Found {
        let places = Places::of(&lowered.scenes, &session.sources);
        let (watch, line) = stop::line();
        let watch = match self.at_breakpoints {
            AtBreakpoints::Show => places.shown_to(&self.trace),
            AtBreakpoints::Wait => watch,
        };
        let (interrupt, trace) = (&self.interrupt, &self.trace);
        let mut engine = Engine::watched(session, &lowered.prog, interrupt, trace, watch);
        let found = session.stage("run", |_| match self.at_breakpoints {
            AtBreakpoints::Show => {
                let results = self.run_by(&mut engine, &lowered);
                Ok(Progress::Ended(results.map_err(Failure::into_error)))
            }
            AtBreakpoints::Wait => {
                self.set_constants(&mut engine, &lowered)?;
                Ok(self.follow(line.start(engine, lowered, places, self)))
            }
        });
        match found.map_err(Failure::into_error) {
            Ok(Progress::Waits(waiting)) => Found::Waiting(waiting),
            Ok(Progress::Ended(results)) => Found::Results(results),
            Err(error) => Found::Results(Err(error)),
        }
    }

    /// Calls all entry points, until one fails. Constants that were computed before are not computed again, and those that are
    /// computed now are kept, unless all of it begins anew.
    fn run_by(&mut self, engine: &mut Engine, lowered: &Lowered) -> Result<Results, Failure> {
        self.set_constants(engine, lowered)?;
        let results = engine.call_all(&lowered.results, &self.interrupt, &self.trace);
        if !matches!(results, Err(Failure::Long)) {
            self.keep_constants(engine, lowered);
        }
        results
    }

    fn set_constants(&self, engine: &mut Engine, lowered: &Lowered) -> Result<(), Failure> {
        for (id, origin) in lowered.constants.iter() {
            if let Some(values) = self.constants.get(origin) {
                engine.set_constant(id, values).map_err(Failure::Error)?;
            }
        }
        Ok(())
    }

    pub(super) fn keep_constants(&mut self, engine: &Engine, lowered: &Lowered) {
        for (id, origin) in lowered.constants.iter() {
            // Inside of parametric modules one declaration can have several values.
            if let Some(values) = engine.constant(id)
                && is_top_level(&self.loaded, *origin)
            {
                self.constants.insert(*origin, values);
            }
        }
    }

    /// Accepts a declaration whose value is known.
    pub(super) fn given(&mut self, file: FileId, tree: ast::File, name: &str, parts: &[Value]) {
        let before = self.before();
        let answer = self.session(file, tree, |_, _| Some(Outcome::Done));
        match value_named(&self.loaded, &self.checking.program, file, name) {
            Some(entry) if matches!(answer.outcome, Outcome::Done) => {
                self.constants.insert((file, entry.dec), parts.to_vec());
            }
            Some(_) | None => self.return_to(before),
        }
    }
}

/// That `1` is an i32 is no news to people who type it.
fn without_defaults(answer: &mut Answer) {
    answer.diagnostics.retain(|found| found.code != "default-type");
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
