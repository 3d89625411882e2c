//! A program that is being written: kept checked while its texts change, for editors.
//!
//! [`Analysis::update`] loads the program again and checks what has changed: a file, and all files after it in the order of
//! dependencies. What comes before, the prelude first of all, stays as it was checked. Other than [`crate::check::check`], it
//! checks programs with syntax errors, too: declarations that parse are checked, and messages that may only follow from what
//! does not parse are left out. For programs without such errors, the messages are the same.

use crate::check::Warnings;
use crate::files::Files;
use crate::load::{self, Loaded, Root, Share};
use crate::session::{self, Session};
use crate::stages::{self, Depth};
use fehu_analysis::{Unit, View};
use fehu_base::stack::Deep;
use fehu_base::{Diagnostic, FileId, SourceMap, Span};
use fehu_check::program::Program;
use fehu_check::{Checking, Mark};
use fehu_syntax::ast;
use fehu_syntax::lexeme::{Class, lexemes};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A program that is being written.
pub struct Analysis {
    root: Root,
    interrupt: Arc<AtomicBool>,
    sources: SourceMap,
    loaded: Deep<Loaded>,
    checking: Deep<Checking>,
    /// The files that have been checked, in order; those of the prelude are checked at once, with the first.
    steps: Vec<Step>,
    diagnostics: Vec<Diagnostic>,
}

/// A file that has been checked.
struct Step {
    file: FileId,
    /// The files that it imports.
    imports: Vec<Option<FileId>>,
    /// The program before it; `None` for those of the prelude.
    before: Option<Mark>,
    found: Vec<Diagnostic>,
}

impl Analysis {
    /// A program, of which nothing is known yet. Updates are given up soon after `interrupt` is set.
    pub fn new(root: Root, interrupt: Arc<AtomicBool>) -> Analysis {
        Analysis {
            root,
            interrupt,
            sources: SourceMap::new(),
            loaded: Deep::default(),
            checking: Deep::default(),
            steps: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Loads and checks what has changed. Says whether it came to an end; otherwise the answers are of no use until it is called
    /// again.
    pub fn update(&mut self, files: &dyn Files) -> bool {
        let sources = std::mem::take(&mut self.sources);
        let mut session = Session { sources, ..Session::default() };
        let mut complete = false;
        session::run(&mut session, |session| complete = self.load_and_check(session, files));
        let crashed = session.crashed;
        let outcome = crate::check::Outcome::new(session, Warnings::Show);
        (self.sources, self.diagnostics) = (outcome.sources, outcome.diagnostics);
        if crashed {
            // What is there may be damaged: the next update begins anew.
            (self.loaded, self.checking) = (Deep::default(), Deep::default());
            self.steps.clear();
        }
        complete || crashed
    }

    /// The messages about all files of the program.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The program, to ask questions about.
    pub fn view(&self) -> View<'_> {
        view(&self.sources, &self.loaded, &self.checking.program)
    }

    /// The texts.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The files of the program.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The id of the root file, if it could be read.
    pub fn root(&self) -> Option<FileId> {
        self.loaded.root.map(|root| self.loaded.files[root].id)
    }

    fn load_and_check(&mut self, session: &mut Session, files: &dyn Files) -> bool {
        if self.loaded.files.is_empty() {
            // The prelude alone, so that the intrinsics are among it.
            let nothing = Root::Bytes(String::new(), b"-- intrinsics".to_vec());
            *self.loaded = load::load(session, files, &nothing, Share::Declared);
            *self.checking = new_checking(&self.interrupt);
            self.steps.clear();
        }
        let previous = std::mem::take(&mut *self.loaded);
        let share = Share::Declared;
        *self.loaded = load::load_again(session, files, &self.root, share, previous);
        self.check(session)
    }

    fn check(&mut self, session: &mut Session) -> bool {
        let Analysis { loaded, checking, steps, interrupt, .. } = self;
        let files = &loaded.files;
        let imports = |index: usize| -> Vec<Option<FileId>> {
            let targets = files[index].imports.iter().map(|import| import.target);
            targets.map(|target| target.map(|target| files[target].id)).collect()
        };
        let prelude = files.iter().take_while(|file| file.in_prelude).count();
        let as_before = |(index, step): &(usize, &Step)| {
            let file = files.get(*index);
            file.is_some_and(|file| file.id == step.file && !file.changed)
                && step.imports == imports(*index)
        };
        let kept = steps.iter().enumerate().take_while(as_before).count();
        match steps.get(kept).map(|step| step.before.clone()) {
            Some(Some(mark)) => checking.back_to(mark),
            Some(None) => **checking = new_checking(interrupt),
            None => {}
        }
        let kept = if kept < prelude { 0 } else { kept };
        steps.truncate(kept);
        let units = stages::units(loaded);
        let mut next = if kept == 0 { prelude } else { kept + 1 };
        while steps.len() < units.len() {
            let before = (!steps.is_empty()).then(|| checking.mark());
            let found = session.stage("check", |sources| checking.check(sources, &units[..next]));
            if interrupt.load(Ordering::Relaxed) {
                match before {
                    Some(mark) => checking.back_to(mark),
                    None => **checking = new_checking(interrupt),
                }
                return false;
            }
            for (index, file) in files.iter().enumerate().take(next).skip(steps.len()) {
                let before = before.clone().filter(|_| index >= prelude);
                let (file, imports) = (file.id, imports(index));
                steps.push(Step { file, imports, before, found: Vec::new() });
            }
            if let Some(step) = steps.last_mut() {
                step.found = found;
            }
            next += 1;
        }
        let found = steps.iter().flat_map(|step| step.found.iter().cloned());
        let doubts = Doubts::new(loaded, &session.sources);
        session.diagnostics.extend(found.filter(|found| !doubts.cover(found)));
        true
    }
}

fn new_checking(interrupt: &Arc<AtomicBool>) -> Checking {
    let mut checking = Checking::new(Depth::signatures());
    checking.interrupt(interrupt.clone());
    checking.remember();
    checking
}

/// A program that was loaded and checked in whatever way, to ask questions about.
pub fn view<'a>(sources: &'a SourceMap, loaded: &'a Loaded, program: &'a Program) -> View<'a> {
    let unit = |file: &'a load::LoadedFile| {
        let target = |index: usize| loaded.files[index].id;
        let imports = file.imports.iter();
        let imports = imports.filter_map(|i| Some((i.span, target(i.target?)))).collect();
        Unit { id: file.id, ast: &file.ast, imports, in_prelude: file.in_prelude }
    };
    View { sources, program, units: loaded.files.iter().map(unit).collect() }
}

/// What does not parse or could not be loaded, and so casts doubt on messages about the rest.
struct Doubts {
    /// Files of which a part is missing.
    files: FxHashSet<FileId>,
    /// Files that import something that is not there.
    open: FxHashSet<FileId>,
    /// The declarations that do not parse.
    broken: Vec<Span>,
    /// The words in them: what they may have declared.
    words: FxHashSet<String>,
}

impl Doubts {
    fn new(loaded: &Loaded, sources: &SourceMap) -> Doubts {
        let (files, open, broken, words) = Default::default();
        let mut doubts = Doubts { files, open, broken, words };
        for file in &loaded.files {
            if file.imports.iter().any(|import| import.target.is_none()) {
                doubts.open.insert(file.id);
            }
            let errors: Vec<u32> = (file.syntax.iter().filter(|found| found.is_error()))
                .filter_map(|found| Some(found.primary.as_ref()?.span.start))
                .collect();
            if errors.is_empty() {
                continue;
            }
            doubts.files.insert(file.id);
            let text = &sources.file(file.id).text;
            let is_error = |at: u32| {
                let found = file.ast.decs.iter().find(|dec| dec.span.start == at);
                found.is_none_or(|dec| matches!(dec.kind, ast::DecKind::Error))
            };
            // A declaration reaches to the next one, whose first word may be where it is noticed that it is broken.
            let starts = file.ast.decs.iter().map(|dec| dec.span.start);
            let bounds: Vec<u32> =
                [0].into_iter().chain(starts).chain([text.len() as u32]).collect();
            for bound in bounds.windows(2) {
                let inside = |at: &u32| {
                    bound[0] < *at && *at <= bound[1] || *at == bound[0] && is_error(*at)
                };
                if errors.iter().any(inside) {
                    let span = Span::new(file.id, bound[0], bound[1]);
                    doubts.broken.push(span);
                    let words = lexemes(file.id, sources.text(span));
                    let names = words.iter().filter(|word| word.class == Class::Name);
                    let names = names.map(|word| sources.text(span)[word.span.range()].to_owned());
                    doubts.words.extend(names);
                }
            }
        }
        doubts
    }

    /// Whether a message may only follow from what is missing.
    fn cover(&self, found: &Diagnostic) -> bool {
        let Some(label) = &found.primary else { return false };
        let span = label.span;
        let inside = |broken: &Span| {
            broken.file == span.file && broken.start <= span.start && span.start < broken.end
        };
        if self.broken.iter().any(inside) {
            return true;
        }
        let unknown = found.code == "unknown-name";
        match found.is_error() {
            true if unknown && self.open.contains(&span.file) => true,
            true if unknown => self.may_declare(&found.message),
            true => false,
            false => self.files.contains(&span.file) || self.open.contains(&span.file),
        }
    }

    /// Whether a message has a name in its quotation marks, alone or as the last part, that a broken declaration has, too.
    fn may_declare(&self, message: &str) -> bool {
        let mut quoted = message.split('"').skip(1).step_by(2);
        quoted.any(|name| name.rsplit('.').next().is_some_and(|last| self.words.contains(last)))
    }
}
