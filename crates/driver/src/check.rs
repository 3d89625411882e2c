//! What the commands `check`, `check-syntax` and `fmt` do, without any printing.

use crate::files::Files;
use crate::load::{self, Loaded, Root, Share};
use crate::session::{self, Session};
use crate::stages;
use ecow::EcoString;
use fehu_base::stack::Deep;
use fehu_base::{Diagnostic, Severity, SourceMap, hash, timing::Timings};
use fehu_check::program::Program;
use fehu_syntax::lexeme::{Lexeme, lexemes};

/// Loads a program, parses it and checks it.
pub fn check(files: &dyn Files, root: &Root, warnings: Warnings) -> Outcome {
    let mut session = Session::default();
    let mut loaded = Loaded::default();
    let mut program = Program::default();
    session::run(&mut session, |session| {
        loaded = load::load(session, files, root, Share::Declared);
        // A program that does not parse is not checked: the tree has holes, and what would be said
        // about them follows from what has been said.
        if !session.has_errors() {
            let (checked, found) =
                session.stage("check", |sources| stages::check(&loaded, sources));
            session.diagnostics.extend(found);
            program = checked;
        }
    });
    let (loaded, program) = (Deep::new(loaded), Deep::new(program));
    Outcome { loaded, program, ..Outcome::new(session, warnings) }
}

/// Parses one file, without its imports.
pub fn check_syntax(files: &dyn Files, root: &Root) -> Outcome {
    let mut session = Session::default();
    session::run(&mut session, |session| {
        load::parse_root(session, files, root);
    });
    Outcome::new(session, Warnings::Show)
}

/// What one file imports, as it is written; what cannot be read or parsed is left out.
pub fn imports(files: &dyn Files, root: &Root) -> Vec<EcoString> {
    let mut session = Session::default();
    let mut imports = Vec::new();
    session::run(&mut session, |session| {
        if let Some((_, tree)) = load::parse_root(session, files, root) {
            imports = load::imports(&tree);
        }
    });
    imports
}

/// The words of one file, comments included.
pub fn tokens(files: &dyn Files, root: &Root) -> (Vec<Lexeme>, Outcome) {
    let mut session = Session::default();
    let mut tokens = Vec::new();
    session::run(&mut session, |session| {
        if let Some((file, _)) = load::parse_root(session, files, root) {
            tokens = lexemes(file, &session.sources.file(file).text);
        }
    });
    (tokens, Outcome::new(session, Warnings::Show))
}

/// Loads a program and parses it, without checking it.
pub fn load(files: &dyn Files, root: &Root) -> Outcome {
    let mut session = Session::default();
    let mut loaded = Loaded::default();
    session::run(&mut session, |session| {
        loaded = load::load(session, files, root, Share::Declared);
    });
    Outcome { loaded: Deep::new(loaded), ..Outcome::new(session, Warnings::Show) }
}

/// A digest of a program: of the trees of all its files without the prelude. Names of files, layout and comments that are not
/// documentation make no difference.
pub fn digest(loaded: &Loaded) -> String {
    let own = loaded.files.iter().filter(|file| !file.in_prelude);
    let dumps: Vec<String> = own.map(|file| stages::dump(&file.ast)).collect();
    hash::digest(dumps.iter().map(|dump| dump.as_bytes()))
}

/// Formats one file. The text is there if and only if the outcome is a success.
pub fn format(files: &dyn Files, root: &Root) -> (Option<String>, Outcome) {
    let mut session = Session::default();
    let mut formatted = None;
    session::run(&mut session, |session| {
        let Some((file, tree)) = load::parse_root(session, files, root) else {
            return;
        };
        if session.has_errors() {
            return;
        }
        let text = |sources: &mut SourceMap| stages::format(&tree, &sources.file(file).text);
        formatted = Some(session.stage("fmt", text));
    });
    (formatted, Outcome::new(session, Warnings::Hide))
}

/// What to do with warnings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Warnings {
    /// Report them.
    Show,
    /// Leave them out.
    Hide,
    /// Report them, and refuse the program.
    Deny,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// All is well.
    Success,
    /// The program is wrong.
    Rejected,
    /// The compiler is wrong, or cannot do what was asked.
    Internal,
}

impl Exit {
    /// The exit code of the process: 0, 2 for the user's error, 1 for ours.
    pub fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Rejected => 2,
            Exit::Internal => 1,
        }
    }
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The files, to which the messages refer.
    pub sources: SourceMap,
    /// The messages in order of their places.
    pub diagnostics: Vec<Diagnostic>,
    /// How long the stages took.
    pub timings: Timings,
    /// The program, if it was loaded with its imports; the prelude has its declarations only.
    pub loaded: Deep<Loaded>,
    /// The typed program, if it came to that; likewise.
    pub program: Deep<Program>,
    /// How it ended.
    pub exit: Exit,
}

impl Outcome {
    pub(crate) fn new(mut session: Session, warnings: Warnings) -> Outcome {
        session.sort_diagnostics();
        session.drop_warnings_about_packages();
        if warnings == Warnings::Hide {
            session.diagnostics.retain(Diagnostic::is_error);
        }
        let refused = session.diagnostics.iter().any(|d| match d.severity {
            Severity::Error => true,
            Severity::Warning => warnings == Warnings::Deny,
        });
        let exit = match (session.crashed || session.limited, refused) {
            (true, _) => Exit::Internal,
            (false, true) => Exit::Rejected,
            (false, false) => Exit::Success,
        };
        let Session { sources, diagnostics, timings, .. } = session;
        let (loaded, program) = Default::default();
        Outcome { sources, diagnostics, timings, loaded, program, exit }
    }
}
