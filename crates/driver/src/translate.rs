//! From a file to the core IR: loads, checks, lowers, verifies, and runs passes.

use crate::check::{Outcome, Warnings};
use crate::errors;
use crate::files::Files;
use crate::late;
use crate::load::{self, Loaded, Root, Share};
use crate::passes::{self, Observer, Plan};
use crate::session::{self, Session};
use crate::stages::{self, Places, Unsafe};
use fehu_base::stack::Deep;
use fehu_check::program::Program;
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_opt::foreign::{self, Choice};
use fehu_syntax::ast::{DecKind, ValKeyword};

/// What goes in.
pub struct Job<'a> {
    /// Where files come from.
    pub files: &'a dyn Files,
    /// The program.
    pub root: &'a Root,
    /// What to do with warnings.
    pub warnings: Warnings,
    /// The passes.
    pub plan: &'a Plan,
    /// What is different from how the program is written.
    pub changes: Changes,
}

/// What is different from how a program is written.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Functions of the root file that are entry points, too.
    pub entry_points: Vec<String>,
    /// What becomes of `#[unsafe]`.
    pub unsafety: Unsafe,
    /// Which foreign functions are called as such.
    pub foreign: Choice,
    /// Which statements know their places.
    pub places: Places,
}

/// Translates a program. The lowered program is shown to `lowered`, the program after each pass to `observer`;
/// `finish` gets the last one, if all went well, while the session still runs.
pub fn translate(
    job: &Job<'_>,
    lowered: impl FnOnce(&Prog) + Send,
    observer: &mut Observer<'_>,
    finish: impl FnOnce(&mut Session, Prog, Remarks) + Send,
) -> Outcome {
    let mut session = Session::default();
    let mut loaded = Loaded::default();
    let mut program = Program::default();
    session::run(&mut session, |session| {
        loaded = load::load(session, job.files, job.root, Share::Needed(&[]));
        promote(session, &mut loaded, &job.changes.entry_points);
        if session.has_errors() {
            return;
        }
        let check = |sources: &mut _| stages::check(&loaded, sources);
        let (checked, found) = session.stage("check", check);
        session.diagnostics.extend(found);
        program = checked;
        if session.has_errors() {
            return;
        }
        let Changes { unsafety, places, .. } = job.changes;
        let lower = |sources: &mut _| stages::lower(&loaded, &program, sources, unsafety, places);
        let made = session.stage("lower", lower);
        let prog = match made {
            Ok(prog) => prog,
            Err(limit) => {
                session.limited = true;
                session.diagnostics.push(errors::not_supported(limit.span, &limit.message));
                return;
            }
        };
        if let Err(message) = session.stage("verify", |_| stages::verify(&prog)) {
            session.crashed = true;
            session.diagnostics.push(errors::broken_ir("lower", &message));
            return;
        }
        let mut prog = prog;
        lowered(&prog);
        session.stage("foreign", |_| foreign::choose(&mut prog, job.changes.foreign));
        if let Choice::Checked(_) = job.changes.foreign
            && let Err(message) = session.stage("verify", |_| stages::verify(&prog))
        {
            session.crashed = true;
            session.diagnostics.push(errors::broken_ir("foreign", &message));
            return;
        }
        optimise(session, prog, job.plan, observer, |session, prog, remarks| {
            // A program that nothing was done to has all of its checks.
            if !job.plan.passes.is_empty() {
                let found = late::warnings(&session.sources, &program, &prog, &remarks);
                session.diagnostics.extend(found);
            }
            finish(session, prog, remarks);
        });
    });
    let (loaded, program) = (Deep::new(loaded), Deep::new(program));
    Outcome { loaded, program, ..Outcome::new(session, job.warnings) }
}

/// Makes functions of the root file entry points.
fn promote(session: &mut Session, loaded: &mut Loaded, names: &[String]) {
    let Some(root) = loaded.root.and_then(|root| loaded.files.get_mut(root)) else { return };
    for name in names {
        let mut binds = root.ast.decs.iter_mut().filter_map(|dec| match &mut dec.kind {
            DecKind::Val(bind) if bind.name.name == *name => Some(bind),
            _ => None,
        });
        // The last one is the one that others see.
        match binds.next_back() {
            Some(bind) => bind.keyword = ValKeyword::Entry,
            None => session.diagnostics.push(errors::no_such_function(name)),
        }
    }
}

/// The same for a program that is in the core IR already, and verified.
pub fn translate_ir(
    prog: &Prog,
    plan: &Plan,
    observer: &mut Observer<'_>,
    finish: impl FnOnce(&mut Session, Prog, Remarks) + Send,
) -> Outcome {
    let mut session = Session::default();
    session::run(&mut session, |session| optimise(session, prog.clone(), plan, observer, finish));
    Outcome::new(session, Warnings::Show)
}

fn optimise(
    session: &mut Session,
    prog: Prog,
    plan: &Plan,
    observer: &mut Observer<'_>,
    finish: impl FnOnce(&mut Session, Prog, Remarks),
) {
    let mut remarks = Remarks::default();
    if let Some(prog) = passes::run(session, prog, plan, &mut remarks, observer) {
        finish(session, prog, remarks);
    }
}
