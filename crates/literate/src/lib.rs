//! Literate programs: text, code, and directives that show what the code computes; and scripts.
//!
//! [`render`] takes a program and says what is to be shown at each place; [`markdown`](mod@markdown) and
//! [`html`](mod@html) write that down. The program is compiled only if there is something to compute: results are kept
//! in a [`store`].
//!
//! - [`blocks`](mod@blocks): the program's text, code and directives;
//! - [`directive`]: what a directive wants;
//! - [`reach`]: what it depends on;
//! - [`evaluate`](mod@evaluate): what it shows;
//! - [`outside`]: what only other programs can do;
//! - [`builtins`]: files for scripts.

#![warn(clippy::expect_used, clippy::unwrap_used)]

pub mod blocks;
pub mod builtins;
pub mod directive;
pub mod evaluate;
pub mod html;
pub mod markdown;
pub mod outside;
pub mod reach;
pub mod store;

use blocks::Block;
use builtins::Folder;
use directive::{Directive, Format, Kind, Show};
use fehu_driver::check::{self, Exit, Outcome, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_harness::executor::Executor;
use fehu_harness::prepare::{self, How};
use fehu_harness::script::Machine;
use reach::Reach;
use store::Store;

/// A part of a rendered program.
#[derive(Clone, PartialEq, Debug)]
pub enum Part {
    /// Markdown.
    Text(String),
    /// Code.
    Code(String),
    /// A directive, and what it shows, or why it does not.
    Shown {
        /// The directive.
        directive: Box<Directive>,
        /// What it shows.
        result: Result<Shown, String>,
    },
}

/// What a directive shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// As what.
    pub form: Form,
    /// The name of its file in the store.
    pub file: String,
    /// What is in the file.
    pub contents: Vec<u8>,
}

/// As what something is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Text between fences.
    Text,
    /// A table in Markdown.
    Table,
    /// A picture, perhaps a moving one.
    Picture,
    /// A picture in SVG.
    Plot,
    /// Something to play.
    Film {
        /// Whether it begins again at its end.
        repeats: bool,
        /// Whether it begins by itself.
        autoplay: bool,
    },
    /// Something to listen to.
    Sound,
}

/// What happens while a program is rendered.
pub enum Event<'a> {
    /// The result of a directive was there already.
    Cached(&'a Directive),
    /// The program is compiled, with these entry points.
    Compiles(&'a [String]),
    /// A directive is evaluated.
    Evaluates(&'a Directive),
    /// It failed.
    Failed(&'a Directive, &'a str),
}

/// What came of a program.
pub struct Rendered {
    /// Messages about the program.
    pub outcome: Outcome,
    /// Its parts; none if it is wrong.
    pub parts: Option<Vec<Part>>,
}

/// Renders a program. `folder` is where its files are.
pub fn render(
    path: &str,
    how: &How,
    folder: &Folder,
    store: &mut Store,
    observer: &mut dyn FnMut(Event<'_>),
) -> Rendered {
    let outcome = check::check(&Disk, &Root::Path(path.to_owned()), Warnings::Show);
    let root = outcome.loaded.root.and_then(|root| outcome.loaded.files.get(root));
    let Some(text) = root.map(|file| outcome.sources.file(file.id).text.to_string()) else {
        return Rendered { outcome, parts: None };
    };
    if outcome.exit != Exit::Success {
        return Rendered { outcome, parts: None };
    }
    let reach = Reach::new(&outcome);
    let mut parts: Vec<Part> = blocks::blocks(&text)
        .into_iter()
        .map(|block| match block {
            Block::Text(text) => Part::Text(text),
            Block::Code(text) => Part::Code(text),
            Block::Directive(directive) => {
                let result = directive.show.as_ref().map_err(Clone::clone);
                let result = result.and_then(|show| known(&directive, show, &reach, folder, store));
                Part::Shown { directive, result }
            }
        })
        .collect();
    // Those that are not known are evaluated with one program.
    let mut names = Vec::new();
    for part in &parts {
        match part {
            Part::Shown { directive, result: Ok(_) } => observer(Event::Cached(directive)),
            Part::Shown { directive, result: Err(why) } => match &directive.show {
                Ok(show) => {
                    let free = show.exp.free_names();
                    names.extend(free.into_iter().filter(|name| reach.declares(name)));
                }
                Err(_) => observer(Event::Failed(directive, why)),
            },
            Part::Text(_) | Part::Code(_) => {}
        }
    }
    names.sort();
    names.dedup();
    let waiting = |part: &Part| matches!(part, Part::Shown { directive, result: Err(_) } if directive.show.is_ok());
    if !parts.iter().any(waiting) {
        return Rendered { outcome, parts: Some(parts) };
    }
    observer(Event::Compiles(&names));
    let (built, program) = prepare::program(path, how, &names);
    let mut program = match program {
        Ok(program) => program,
        Err(_) if built.exit != Exit::Success => return Rendered { outcome: built, parts: None },
        Err(why) => {
            for part in parts.iter_mut().filter(|part| waiting(part)) {
                if let Part::Shown { directive, result } = part {
                    observer(Event::Failed(directive, &why));
                    *result = Err(why.clone());
                }
            }
            return Rendered { outcome, parts: Some(parts) };
        }
    };
    for part in parts.iter_mut().filter(|part| waiting(part)) {
        let Part::Shown { directive, result } = part else { continue };
        let Ok(show) = &directive.show else { continue };
        observer(Event::Evaluates(directive));
        *result = evaluated(directive, show, &reach, folder, store, &mut *program);
        if let Err(why) = result {
            observer(Event::Failed(directive, why));
        }
    }
    Rendered { outcome, parts: Some(parts) }
}

/// The names of the files of a directive: what it shows, and, if the user has named that, an empty one that says what it is of.
fn files(
    directive: &Directive,
    show: &Show,
    reach: &Reach,
    folder: &Folder,
) -> (String, Option<String>) {
    let reached = reach.digest(&show.exp.free_names());
    let key = store::key(&reached, &directive.source, &folder.read_by(&show.exp));
    match &show.kind {
        Kind::Image(Some(name)) => (name.clone(), Some(format!("{key}-named"))),
        kind => (format!("{key}-{}", evaluate::ending(kind)), None),
    }
}

/// What a directive shows, if that is in the store.
fn known(
    directive: &Directive,
    show: &Show,
    reach: &Reach,
    folder: &Folder,
    store: &mut Store,
) -> Result<Shown, String> {
    let (file, stamp) = files(directive, show, reach, folder);
    let current = stamp.is_none_or(|stamp| store.get(&stamp).is_some());
    match store.get(&file) {
        Some(contents) if current => Ok(Shown { form: form(&show.kind), file, contents }),
        Some(_) | None => Err("it has not been evaluated".to_owned()),
    }
}

fn evaluated(
    directive: &Directive,
    show: &Show,
    reach: &Reach,
    folder: &Folder,
    store: &mut Store,
    program: &mut dyn Executor,
) -> Result<Shown, String> {
    let contents = evaluate::evaluate(&mut Machine { program, builtins: folder }, show);
    program.forget(0);
    let contents = contents?;
    let (file, stamp) = files(directive, show, reach, folder);
    let stored = store.put(&file, &contents);
    let stored = stored.and_then(|()| stamp.map_or(Ok(()), |stamp| store.put(&stamp, b"")));
    stored.map_err(|error| {
        format!("\"{}\" cannot be written: {error}", store.folder().join(&file).display())
    })?;
    Ok(Shown { form: form(&show.kind), file, contents })
}

/// As what the result of a kind is shown.
pub fn form(kind: &Kind) -> Form {
    match kind {
        Kind::Value | Kind::Text => Form::Text,
        Kind::Table => Form::Table,
        Kind::Image(_) | Kind::Gnuplot(_) => Form::Picture,
        Kind::Video { format: Format::Png | Format::Gif, .. } => Form::Picture,
        Kind::Video { format: Format::Other(_), repeats, autoplay, .. } => {
            Form::Film { repeats: *repeats, autoplay: *autoplay }
        }
        Kind::Audio { .. } => Form::Sound,
        Kind::Plot(_) => Form::Plot,
    }
}
