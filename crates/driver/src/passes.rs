//! The manager: runs passes and stages in order, measures and verifies each, and keeps the evidence when one fails.
//!
//! A pass or stage that panics or makes something that the verifier refuses is our bug. The user gets an `internal-error`
//! that names it, the files with the program before and after it, and the command that repeats it. Programs beyond the core IR
//! are kept as the last one of the core IR that they were.

use crate::code::{Code, Settings, Stage};
use crate::pipelines::JIT;
use crate::session::{self, Session};
use crate::without::Without;
use crate::{errors, late, temporary};
use fehu_backend::Target;
use fehu_ir::Prog;
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::verify::{render, verify};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Which passes run, and how closely they are watched.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The passes in order.
    pub passes: Vec<Pass>,
    /// Whether the verifier runs after each.
    pub verify: bool,
    /// The stages that programs that are interpreted go through after that.
    pub stages: Vec<Stage>,
    /// What these stages are for.
    pub target: Target,
    /// What is left out after the passes.
    pub without: Without,
    /// How many elements of sequences and streams the interpreter reads at a time; all, if nothing is said.
    pub chunk: Option<u32>,
    /// How many bytes a loop may keep for its derivative in reverse mode; all that it needs, if nothing is said.
    pub derivative_memory: Option<u64>,
    /// For tests: whether kernels have few threads, see [`Settings::few`].
    pub few: bool,
}

/// Looks at the program after each pass.
pub type Observer<'a> = dyn FnMut(&Pass, &Prog) + Send + 'a;

/// Looks at the program after each stage.
pub type StageObserver<'a> = dyn FnMut(&Stage, &Code) + 'a;

impl Plan {
    /// These passes, verified.
    pub fn of(passes: &[Pass]) -> Plan {
        // Verification stays on in release builds until it is more than a tenth of a compilation.
        let without = Without::default();
        let (stages, target) = (Vec::new(), Target::C);
        Plan {
            passes: passes.to_vec(),
            verify: true,
            stages,
            target,
            without,
            chunk: None,
            derivative_memory: None,
            few: false,
        }
    }

    /// The same without some parts of the compiler.
    #[must_use]
    pub fn leaving_out(mut self, without: Without) -> Plan {
        if without.fusion {
            let fusing = [fehu_opt::FUSE.name, fehu_opt::GRID_FUSE.name];
            self.passes.retain(|pass| !fusing.contains(&pass.name));
        }
        if without.unaccumulation {
            self.passes.retain(|pass| pass.name != fehu_opt::UNACCUMULATE.name);
        }
        if without.host_free_loops {
            self.passes.retain(|pass| pass.name != fehu_par::GRID_LOOPS.name);
        }
        if without.in_place {
            self.passes.push(fehu_opt::COPYUPDATES);
        }
        self.without = without;
        self
    }

    /// The same for programs whose floats may be approximate.
    #[must_use]
    pub fn approximating(mut self) -> Plan {
        // What it leaves behind is removed by the last pass that does so.
        let is_last = |pass: &Pass| pass.name == fehu_opt::SIMPLIFY.name;
        let at = self.passes.iter().rposition(is_last).unwrap_or(self.passes.len());
        self.passes.insert(at, fehu_opt::APPROXIMATE);
        self
    }

    /// What leads to machine code at once.
    pub fn at_once() -> Plan {
        Plan { stages: JIT.stages.to_vec(), ..Plan::of(JIT.passes) }
    }

    /// No passes.
    pub fn none() -> Plan {
        Plan::of(&[])
    }
}

/// Runs the passes. Nothing comes back when one fails; the session then says so.
pub fn run(
    session: &mut Session,
    mut prog: Prog,
    plan: &Plan,
    remarks: &mut Remarks,
    observer: &mut Observer<'_>,
) -> Option<Prog> {
    // Nothing but `steps` and `unpass` knows passes over sequences.
    let is_first = |pass: &Pass| pass.name == fehu_opt::STEPS.name;
    let first = plan.passes.iter().take_while(|pass| is_first(pass)).count();
    let derived = prog.has_derivatives();
    if let (true, Some(bytes)) = (derived, plan.derivative_memory) {
        fehu_opt::differentiate::limit_memory(&mut prog, bytes);
    }
    let whole = (!plan.passes.is_empty() || derived) && fehu_opt::has_passes(&prog);
    let unpass = whole.then_some(&fehu_opt::UNPASS).into_iter();
    // Nothing but `differentiate` knows derivatives, and it does not know flatmaps.
    let derive: &[Pass] =
        if derived { &[fehu_par::UNFLATMAP, fehu_opt::DIFFERENTIATE] } else { &[] };
    let early = plan.passes[..first].iter().chain(unpass).chain(derive);
    for pass in early.chain(&plan.passes[first..]) {
        remarks.begin(pass.name);
        prog = one(session, prog, pass, plan.verify, remarks)?;
        observer(pass, &prog);
        if pass.name == fehu_opt::DIFFERENTIATE.name && prog.has_derivatives() {
            refuse(session, remarks);
            return None;
        }
    }
    Some(prog)
}

/// Says which derivative there is not.
fn refuse(session: &mut Session, remarks: &Remarks) {
    session.limited = true;
    let name = fehu_opt::DIFFERENTIATE.name;
    for remark in remarks.list.iter().filter(|remark| remark.pass == name) {
        let span = remark.loc.as_ref().and_then(|loc| late::span(&session.sources, loc));
        session.diagnostics.push(errors::no_derivative(span, &remark.text));
    }
}

/// Takes a program through stages. Nothing comes back when one fails; the session then says so.
pub fn stages(
    session: &mut Session,
    prog: Prog,
    stages: &[Stage],
    settings: &Settings,
    verified: bool,
    observer: &mut StageObserver<'_>,
) -> Option<Code> {
    let before = prog.clone();
    let mut code = Code::Arrays(Box::new(prog));
    for (index, stage) in stages.iter().enumerate() {
        let work = AssertUnwindSafe(|| stage.apply(code, settings));
        code = match session.stage(stage.name, |_| catch_unwind(work)) {
            Ok(Ok(code)) => code,
            Ok(Err(limit)) => {
                session.limited = true;
                session.diagnostics.push(errors::too_complex(&limit.0));
                return None;
            }
            Err(_) => {
                let message = session::take_crash_message();
                fail_stage(session, &stages[..=index], settings, &message, &before);
                return None;
            }
        };
        // In release builds they are only tested: a verifier that is too strict must not stop users.
        let verified = verified && cfg!(debug_assertions);
        if verified && let Err(message) = session.stage("verify", |_| code.verify()) {
            fail_stage(session, &stages[..=index], settings, &message, &before);
            return None;
        }
        observer(stage, &code);
    }
    Some(code)
}

fn one(
    session: &mut Session,
    before: Prog,
    pass: &Pass,
    verified: bool,
    remarks: &mut Remarks,
) -> Option<Prog> {
    let mut after = before.clone();
    let work = AssertUnwindSafe(|| (pass.run)(&mut after, remarks));
    let result = session.stage(pass.name, |_| catch_unwind(work));
    if result.is_err() {
        let message = session::take_crash_message();
        fail(session, pass, &message, &before, None);
        return None;
    }
    if !verified {
        return Some(after);
    }
    match session.stage("verify", |_| verify(&after)) {
        Ok(()) => Some(after),
        Err(errors) => {
            let message = errors.first().map_or(String::new(), ToString::to_string);
            fail(session, pass, &message, &before, Some(render(&after, &errors)));
            None
        }
    }
}

/// Reports a pass that failed, and leaves the programs in files.
fn fail(session: &mut Session, pass: &Pass, message: &str, before: &Prog, after: Option<String>) {
    let mut error = errors::broken_ir(pass.name, message);
    match keep(pass.name, "before", &before.to_string()) {
        Ok(path) => {
            let path = path.display();
            error = error.note(format!("the program before \"{}\" is in {path}", pass.name));
            if let Some(text) = after {
                error = match keep(pass.name, "after", &text) {
                    Ok(path) => {
                        error.note(format!("the program after it is in {}", path.display()))
                    }
                    Err(why) => {
                        error.note(format!("the program after it could not be saved: {why}"))
                    }
                };
            }
            error = error
                .note(format!("to reproduce it, run `fehu dev --passes {} {path}`", pass.name));
        }
        Err(why) => error = error.note(format!("the program before it could not be saved: {why}")),
    }
    session.crashed = true;
    session.diagnostics.push(error);
}

/// Reports that the last of these stages failed, and leaves the program before the first one in a file.
fn fail_stage(
    session: &mut Session,
    stages: &[Stage],
    settings: &Settings,
    message: &str,
    before: &Prog,
) {
    let names: Vec<&str> = stages.iter().map(|stage| stage.name).collect();
    let name = names.last().copied().unwrap_or_default();
    let mut error = errors::broken_ir(name, message);
    error = match keep(name, "before", &before.to_string()) {
        Ok(path) => {
            let (path, names) = (path.display(), names.join(","));
            let target = settings.target.name();
            error.note(format!("the program before \"{}\" is in {path}", stages[0].name)).note(
                format!(
                    "to reproduce it, run `fehu dev --backend {target} --stages {names} {path}`"
                ),
            )
        }
        Err(why) => error.note(format!("the program before it could not be saved: {why}")),
    };
    session.crashed = true;
    session.diagnostics.push(error);
}

/// Writes a program to a file of its own in the folder for such things.
fn keep(name: &str, when: &str, text: &str) -> std::io::Result<PathBuf> {
    let (path, mut file) = temporary::file(&format!("-{name}-{when}.ir"))?;
    file.write_all(text.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Run;
    use crate::pipelines::ASSIGN;
    use fehu_ir::text::parse;

    const PROG: &str =
        "prog arrays\nfun f (x: i32) -> (r: i32) =\n  let (y: i32) = add x x\n  in (y)\n";

    fn attempt(pass: Pass, verify: bool) -> (Session, Option<Prog>) {
        let prog = parse(PROG).expect("it is a program");
        let mut session = Session::default();
        let mut result = None;
        session::run(&mut session, |session| {
            let plan = Plan { verify, ..Plan::of(&[pass, pass]) };
            result = run(session, prog, &plan, &mut Remarks::default(), &mut |_, _| {});
        });
        (session, result)
    }

    /// The file of a note, which is then removed.
    fn file(session: &Session, start: &str) -> String {
        let notes = &session.diagnostics[0].notes;
        let path = notes.iter().find_map(|note| note.strip_prefix(start)).expect("there is a note");
        let text = std::fs::read_to_string(path).expect("there is a file");
        std::fs::remove_file(path).expect("it can be removed");
        text
    }

    #[test]
    fn passes_are_measured_and_verified() {
        let pass = Pass { name: "nothing", about: "", run: |_, _| {} };
        let (session, result) = attempt(pass, true);
        assert!(result.is_some() && session.diagnostics.is_empty());
        let rows: Vec<&str> = session.timings.rows().iter().map(|(name, _)| *name).collect();
        assert_eq!(rows, ["nothing", "verify"]);
    }

    #[test]
    fn a_wrong_result_is_reported_with_the_programs() {
        let clear = |prog: &mut Prog, _: &mut Remarks| {
            for fun in prog.funs.values_mut() {
                fun.body.stms.clear();
            }
        };
        let pass = Pass { name: "clears", about: "", run: clear };
        let (session, result) = attempt(pass, true);
        assert!(result.is_none() && session.crashed);
        assert!(session.diagnostics[0].message.contains("\"clears\""));
        assert!(file(&session, "the program before \"clears\" is in ").contains("add x_0 x_0"));
        assert!(file(&session, "the program after it is in ").contains("-- ^ "));
        let again = session.diagnostics[0]
            .notes
            .iter()
            .any(|note| note.contains("fehu dev --passes clears "));
        assert!(again, "{:?}", session.diagnostics[0].notes);
    }

    #[test]
    fn a_panic_is_reported_with_the_program() {
        let pass = Pass { name: "panics", about: "", run: |_, _| panic!("a mistake") };
        let (session, result) = attempt(pass, true);
        assert!(result.is_none() && session.crashed);
        assert_eq!(session.diagnostics.len(), 1);
        let notes = session.diagnostics[0].notes.join("\n");
        assert!(notes.contains("passes.rs") && notes.contains("a mistake"), "{notes}");
        assert!(file(&session, "the program before \"panics\" is in ").contains("add x_0 x_0"));
    }

    #[test]
    fn a_stage_that_panics_is_reported_with_the_command_that_repeats_it() {
        let stage =
            Stage { name: "breaks", about: "", run: Run::Place(|_, _| panic!("a mistake")) };
        let prog = parse(PROG).expect("it is a program");
        let mut session = Session::default();
        let mut result = None;
        session::run(&mut session, |session| {
            let settings = Settings::of(Target::Multicore);
            result = stages(session, prog, &[ASSIGN, stage], &settings, true, &mut |_, _| {});
        });
        assert!(result.is_none() && session.crashed);
        let rows: Vec<&str> = session.timings.rows().iter().map(|(name, _)| *name).collect();
        assert_eq!(rows, ["assign", "verify", "breaks"]);
        let notes = session.diagnostics[0].notes.join("\n");
        let command = "fehu dev --backend multicore --stages assign,breaks ";
        assert!(notes.contains(command) && notes.contains("a mistake"), "{notes}");
        assert!(file(&session, "the program before \"assign\" is in ").contains("add x_0 x_0"));
    }
}
