//! An interactive session: declarations that accumulate, expressions that are evaluated.
//!
//! [`Repl::feed`] takes what somebody typed and says what came of it; it neither reads nor prints, so
//! that terminals, notebooks and tests can use it alike. The files below have its parts:
//!
//! - `input`: what a text is: declarations, an expression, or the beginning of one;
//! - `unit`: each input as a file that opens the one before it;
//! - `evaluate`: checking and running such a file; `engine`: what runs it;
//! - `stop`: evaluations that wait at breakpoints;
//! - `show`: values as people read them;
//! - `command`: what begins with a colon;
//! - `complete`: the names that can stand at a place;
//! - `inspect`: what is known of a name;
//! - `service`: all of it for another process, as lines of JSON.
//!
//! What has been checked is not checked again; each input is translated with all that it uses. What is
//! *computed* is remembered, too: a declared value is computed once, when it is declared, and a
//! declaration whose computation fails declares nothing.

mod command;
mod complete;
mod engine;
mod evaluate;
mod input;
mod inspect;
mod service;
mod show;
mod stop;
#[cfg(test)]
mod tests;
mod unit;

pub use complete::Completion;
pub use inspect::Inspection;
pub use service::{Sender, Service};
pub use show::{Breaks, Shown};
pub use stop::AtBreakpoints;

use crate::check::Exit;
use crate::files::Files;
use crate::load::{self, Loaded, Root, Share};
use crate::run::RunError;
use crate::session::{self, Session};
use crate::stages;
use fehu_base::id::Id;
use fehu_base::stack::{self, Deep};
use fehu_base::{Diagnostic, FileId, SourceMap, Span};
use fehu_check::Checking;
use fehu_interp::Value;
use fehu_syntax::ast::{self, NodeId};
use input::Input;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Receives a line for each value that is traced.
pub type Trace = Box<dyn FnMut(&str) + Send>;

/// A session.
pub struct Repl {
    files: Box<dyn Files + Send>,
    breaks: Breaks,
    sources: SourceMap,
    /// The prelude, the file that was loaded, and the declarations that were accepted. The root is
    /// the last of them.
    loaded: Deep<Loaded>,
    /// The same, checked.
    checking: Deep<Checking>,
    /// All that will be evaluated, if that is known.
    texts: Option<Vec<String>>,
    /// The texts of the declarations that were accepted.
    declared: Vec<String>,
    /// The file that was loaded, or should have been.
    path: Option<String>,
    /// The values of declarations, as far as they have been computed.
    constants: FxHashMap<(FileId, NodeId), Vec<Value>>,
    /// The number of the next input.
    number: usize,
    interrupt: Arc<AtomicBool>,
    trace: Arc<Mutex<Trace>>,
    at_breakpoints: AtBreakpoints,
    /// Whether operations that make NaN of other numbers are breakpoints.
    stops_at_nan: bool,
    /// The places where no evaluation waits any more.
    passed_by: FxHashSet<Span>,
    /// The inputs whose evaluation waits, the last one inside of the others.
    paused: Vec<stop::Paused>,
}

/// What came of an input.
#[derive(Debug)]
pub struct Answer {
    /// What came of it.
    pub outcome: Outcome,
    /// Messages about it, for the sources of the session; errors only if it was refused.
    pub diagnostics: Vec<Diagnostic>,
}

/// See [`Answer`].
#[derive(Debug)]
pub enum Outcome {
    /// The text is the beginning of something; feed it again with more lines.
    Incomplete,
    /// There is nothing to show: declarations were accepted, or a file was loaded.
    Done,
    /// The value of an expression.
    Value(Shown),
    /// What a command tells.
    Text(String),
    /// The program waits at a breakpoint; this is the place, the stack, and what is visible.
    Stopped(String),
    /// It was refused; the messages say why, and the exit whose fault it is.
    Refused(Exit),
    /// A command that does not exist, or lacks something.
    Misused(String),
    /// The program stopped with an error.
    Failed(RunError),
    /// The program was stopped through [`Repl::interrupt`].
    Interrupted,
    /// The user wants to leave.
    Quit,
}

impl Repl {
    /// A session that knows the prelude only.
    pub fn new(files: impl Files + Send + 'static, breaks: Breaks) -> Repl {
        Repl::start_new(files, breaks, None)
    }

    /// A session that begins faster, because all that will be evaluated in it is known: these texts.
    pub fn of_texts(files: impl Files + Send + 'static, breaks: Breaks, texts: &[String]) -> Repl {
        Repl::start_new(files, breaks, Some(texts.to_vec()))
    }

    fn start_new(
        files: impl Files + Send + 'static,
        breaks: Breaks,
        texts: Option<Vec<String>>,
    ) -> Repl {
        let mut repl = Repl {
            texts,
            files: Box::new(files),
            breaks,
            sources: SourceMap::new(),
            loaded: Deep::default(),
            checking: Deep::default(),
            declared: Vec::new(),
            path: None,
            constants: FxHashMap::default(),
            number: 0,
            interrupt: Arc::default(),
            trace: Arc::new(Mutex::new(Box::new(|_| {}))),
            at_breakpoints: AtBreakpoints::default(),
            stops_at_nan: false,
            passed_by: FxHashSet::default(),
            paused: Vec::new(),
        };
        repl.start(&Root::Bytes(String::new(), Vec::new()));
        repl
    }

    /// Takes what somebody typed: declarations, an expression, or a command; nothing, to go on from a breakpoint.
    pub fn feed(&mut self, text: &str) -> Answer {
        if text.trim().is_empty() {
            return if self.is_stopped() { self.go_on() } else { Outcome::Done.into() };
        }
        let answer = match text.trim().strip_prefix(':') {
            Some(command) => self.command(command),
            None => self.take(&format!("[{}]", self.number), text, true),
        };
        if !matches!(answer.outcome, Outcome::Incomplete) {
            self.number += 1;
        }
        answer
    }

    /// Whether a text is complete, so that feeding it does something.
    pub fn is_complete(text: &str) -> bool {
        if text.trim().is_empty() || text.trim().starts_with(':') {
            return true;
        }
        let incomplete = stack::with_large_stack(|| {
            matches!(input::read(FileId::from_index(0), text), Input::Incomplete(_))
        });
        !incomplete && !input::may_have_more_cases(text)
    }

    /// The inputs that a text consists of: a terminal hands over as one text what is pasted. An input ends where it is
    /// complete and the next line does not go on with it. Comments belong to what follows them.
    pub fn inputs(text: &str) -> Vec<String> {
        let mut inputs = Vec::new();
        let mut input = String::new();
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if !input.is_empty() {
                input.push('\n');
            }
            input.push_str(line);
            let comment = input::is_comment(&input);
            let more = lines
                .peek()
                .is_some_and(|next| input::goes_on(next) || comment && !next.starts_with(':'));
            if !more && Self::is_complete(&input) {
                inputs.push(std::mem::take(&mut input));
            }
        }
        if !input.is_empty() {
            inputs.push(input);
        }
        inputs
    }

    /// Takes what somebody typed who will type no more: nothing is incomplete.
    pub fn feed_last(&mut self, text: &str) -> Answer {
        match self.feed(text) {
            Answer { outcome: Outcome::Incomplete, diagnostics } => {
                Answer { outcome: Outcome::Refused(Exit::Rejected), diagnostics }
            }
            answer => answer,
        }
    }

    /// Evaluates an expression, which messages call by this name.
    pub fn evaluate(&mut self, name: &str, text: &str) -> Answer {
        self.take(name, text, false)
    }

    /// Reads a file, whose declarations are then in scope instead of all others. If it is refused,
    /// nothing changes, except that it can be loaded again by the command `:reload`.
    pub fn load(&mut self, path: &str) -> Answer {
        self.path = Some(path.to_owned());
        self.start(&Root::Path(path.to_owned()))
    }

    /// Sends to this function what programs trace.
    pub fn set_trace(&mut self, trace: Trace) {
        self.trace = Arc::new(Mutex::new(trace));
    }

    /// What happens at breakpoints.
    pub fn set_at_breakpoints(&mut self, what: AtBreakpoints) {
        self.at_breakpoints = what;
    }

    /// Set it to stop the expression that is being evaluated.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// The texts that messages refer to.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The number of the next input, by which messages name it.
    pub fn number(&self) -> usize {
        self.number
    }

    /// What could stand at the end of a text.
    pub fn complete(&self, text: &str) -> Completion {
        complete::complete(&self.checking.program, text)
    }

    /// Begins anew, with the declarations of a file, if it is right.
    fn start(&mut self, root: &Root) -> Answer {
        let (mut loaded, mut checking) = (Loaded::default(), Checking::default());
        let texts = self.texts.as_ref();
        let texts: Option<Vec<&str>> =
            texts.map(|texts| texts.iter().map(String::as_str).collect());
        let share = texts.as_deref().map_or(Share::All, Share::Needed);
        let files = &*self.files;
        let first = self.sources.iter().count();
        let answer = session(&mut self.sources, first, |session| {
            loaded = load::load(session, files, root, share);
            if session.has_errors() {
                return None;
            }
            if let Some(file) = loaded.root.and_then(|root| loaded.files.get_mut(root)) {
                unit::export_all(&mut file.ast);
            }
            checking = Checking::new(loaded.depth.clone());
            let check = |sources: &mut _| stages::check_more(&mut checking, &loaded, sources);
            let found = session.stage("check", check);
            session.diagnostics.extend(found);
            Some(Outcome::Done)
        });
        let (loaded, checking) = (Deep::new(loaded), Deep::new(checking));
        if matches!(answer.outcome, Outcome::Done) {
            self.loaded = loaded;
            self.checking = checking;
            self.declared.clear();
            self.constants.clear();
            self.paused.clear();
            self.passed_by.clear();
        }
        answer
    }

    /// Takes declarations, unless only an expression is wanted, or an expression.
    fn take(&mut self, name: &str, text: &str, or_declarations: bool) -> Answer {
        self.interrupt.store(false, Ordering::Relaxed);
        let file = self.sources.add(name, text);
        let input = stack::with_large_stack(|| match or_declarations {
            true => input::read(file, text),
            false => input::read_expression(file, text),
        });
        match input {
            Input::Incomplete(diagnostics) => Answer { outcome: Outcome::Incomplete, diagnostics },
            Input::Wrong(diagnostics) => {
                Answer { outcome: Outcome::Refused(Exit::Rejected), diagnostics }
            }
            Input::Declarations(tree) => self.declare(file, tree, text),
            Input::Expression(tree) => match self.named_module(&tree) {
                Some(text) => Outcome::Value(Shown::text(text)).into(),
                None => self.value_of(file, tree),
            },
        }
    }

    /// What an expression shows that is the name of a module, which is not a value.
    fn named_module(&self, tree: &ast::File) -> Option<String> {
        let [ast::Dec { kind: ast::DecKind::Val(bind), .. }] = tree.decs.as_slice() else {
            return None;
        };
        let ast::ExpKind::Var(name) = &bind.body.kind else { return None };
        let mut path: Vec<&str> = name.quals.iter().map(|part| part.name.as_str()).collect();
        path.push(&name.name.name);
        self.checking.program.show_module(&path)
    }
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Answer {
        Answer { outcome, diagnostics: Vec::new() }
    }
}

/// Runs stages. If they yield no outcome, their messages refuse the input. Warnings about files
/// before `first` have been shown.
fn session(
    sources: &mut SourceMap,
    first: usize,
    work: impl FnOnce(&mut Session) -> Option<Outcome> + Send,
) -> Answer {
    let mut session = Session { sources: std::mem::take(sources), ..Session::default() };
    let mut outcome = None;
    session::run(&mut session, |session| outcome = work(session));
    session.sort_diagnostics();
    *sources = session.sources;
    let mut diagnostics = session.diagnostics;
    diagnostics.retain(|found| {
        let place = found.primary.as_ref().map(|label| label.span.file.index());
        found.is_error() || place.is_none_or(|file| file >= first)
    });
    let errors = diagnostics.iter().any(Diagnostic::is_error);
    let limited = diagnostics.iter().any(|found| found.code == "not-supported");
    let outcome = match outcome {
        Some(outcome) if !errors && !session.crashed => outcome,
        Some(_) | None if session.crashed || limited => Outcome::Refused(Exit::Internal),
        Some(_) | None => Outcome::Refused(Exit::Rejected),
    };
    Answer { outcome, diagnostics }
}
