//! A program: the root file and all files that it imports, each once, in dependency order.
//!
//! Files are found by depth-first search from the root; what they need of the prelude is known then. The implicit
//! prelude comes first nevertheless, then the imports of the root in the order in which they are written, then the
//! root. A file that cannot be read or that imports itself is reported at the import; the import then has no target,
//! and loading goes on.

mod imports;
#[cfg(test)]
mod tests;

use crate::errors;
use crate::files::{Files, MAX_BYTES, ReadError};
use crate::paths::Location;
use crate::prelude;
use crate::session::Session;
use crate::stages::{self, Depth};
use ecow::EcoString;
use fehu_base::{Diagnostic, FileId, Span};
use fehu_syntax::ast::{self, NodeId};
use fehu_syntax::needed::Names;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Loads a program, with as much of the prelude as is wanted. What goes wrong is among the session's
/// messages.
pub fn load(session: &mut Session, files: &dyn Files, root: &Root, share: Share<'_>) -> Loaded {
    load_again(session, files, root, share, Loaded::default())
}

/// How much of the prelude a program is loaded with.
#[derive(Clone, Copy, Debug)]
pub enum Share<'a> {
    /// What it declares: enough to find all errors of a program.
    Declared,
    /// With the definitions that the program, and these texts, need: enough to run it.
    Needed(&'a [&'a str]),
    /// All of it.
    All,
}

/// Loads a program that has been loaded before, by the same session. Files whose texts have not changed are not parsed again, and
/// all keep their ids. A program that may be loaded again has the intrinsics.
pub fn load_again(
    session: &mut Session,
    files: &dyn Files,
    root: &Root,
    share: Share<'_>,
    previous: Loaded,
) -> Loaded {
    let again = !previous.files.is_empty();
    let known = previous.files.into_iter().map(|file| (file.identity.clone(), file)).collect();
    let (done, states) = Default::default();
    let depth = match share {
        Share::Declared => Depth::signatures(),
        // What is needed is known when the program is. Should it import a file of the prelude itself, then all of that.
        Share::Needed(_) | Share::All => Depth::Full,
    };
    let mut loader = Loader { session, files, depth, done, states, known };
    let (location, source) = root.split();
    let root = loader.visit(&location, source, None, &mut Vec::new());
    if let Share::Needed(texts) = share {
        loader.depth = Depth::Needed(Arc::new(loader.needed(texts)));
    }
    // The declarations of the prelude do not need what its definitions are made of, and programs
    // hardly ever name it. It is a fourth of the prelude, so it is only loaded for those that do.
    let mut intrinsics = None;
    if !matches!(share, Share::Declared) || again || loader.program_mentions(prelude::INTRINSICS) {
        intrinsics = loader.embedded(prelude::INTRINSICS);
    }
    let prelude = loader.embedded(prelude::ROOT);
    let Loader { done: files, depth, .. } = loader;
    let mut loaded = Loaded { files, intrinsics, prelude, root, depth };
    loaded.prelude_first();
    let (last, others): (Vec<_>, Vec<_>) =
        loaded.files.iter().enumerate().partition(|(index, _)| Some(*index) == loaded.root);
    session.order = others.iter().chain(&last).map(|(_, file)| file.id).collect();
    loaded
}

/// Adds a tree to a program, as its new root, with the files that it imports and that are not there
/// yet. `previous` is the name of an import that leads to the former root.
pub fn extend(
    session: &mut Session,
    files: &dyn Files,
    loaded: &mut Loaded,
    (id, ast): (FileId, ast::File),
    previous: &str,
) {
    let former = loaded.root.map(|root| (previous, root));
    let done = std::mem::take(&mut loaded.files);
    let states = done.iter().enumerate();
    let states =
        states.map(|(index, file)| (file.identity.clone(), State::Done(Some(index)))).collect();
    let known = FxHashMap::default();
    let depth = loaded.depth.clone();
    let mut loader = Loader { session, files, depth, done, states, known };
    // Imports are relative to the current folder.
    let location = Location::File(loader.session.sources.file(id).name.clone());
    let identity = location.key();
    let parsed = Parsed { id, ast, syntax: Vec::new(), changed: true };
    let at = loader.add(&location, identity, parsed, former, &mut Vec::new());
    loaded.files = loader.done;
    loaded.root = Some(at);
}

/// What a file imports, as it is written.
pub fn imports(file: &ast::File) -> Vec<EcoString> {
    imports::of(file).into_iter().map(|import| import.name).collect()
}

/// Reads and parses the root file alone.
pub fn parse_root(
    session: &mut Session,
    files: &dyn Files,
    root: &Root,
) -> Option<(FileId, ast::File)> {
    let (location, source) = root.split();
    let text = read(session, files, &location, source, None)?;
    let file = session.sources.add(location.to_string(), text);
    let (tree, found) = parse(session, file, &Depth::Full);
    session.diagnostics.extend(found);
    Some((file, tree))
}

/// The file to start from.
#[derive(Clone, Debug)]
pub enum Root {
    /// A path.
    Path(String),
    /// Bytes that are already there, such as those of the standard input, with a name to show.
    /// Imports are relative to the current folder.
    Bytes(String, Vec<u8>),
}

impl Root {
    fn split(&self) -> (Location, Source<'_>) {
        match self {
            Root::Path(path) => (Location::File(path.clone()), Source::Stored),
            Root::Bytes(name, bytes) => (Location::File(name.clone()), Source::Given(bytes)),
        }
    }
}

/// A whole program.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The files; all imports of a file come before it. The intrinsics, which import nothing and
    /// are not imported, may be anywhere.
    pub files: Vec<LoadedFile>,
    /// The file that specifies what the compiler provides; `None` if only the declarations of the
    /// prelude were wanted, and the program does not name it.
    pub intrinsics: Option<usize>,
    /// The file whose contents every program sees; `None` if there is no prelude.
    pub prelude: Option<usize>,
    /// The root; `None` if it could not be read.
    pub root: Option<usize>,
    /// How much of the prelude there is.
    pub depth: Depth,
}

impl Loaded {
    /// Puts the files of the prelude, which import no others, before the rest.
    fn prelude_first(&mut self) {
        let mut order: Vec<usize> = (0..self.files.len()).collect();
        order.sort_by_key(|index| !self.files[*index].in_prelude);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| places[*old] = new);
        let targets = self.files.iter_mut().flat_map(|file| &mut file.imports);
        let targets = targets.map(|import| &mut import.target);
        let roles = [&mut self.intrinsics, &mut self.prelude, &mut self.root];
        targets.chain(roles).flatten().for_each(|index| *index = places[*index]);
        self.files.sort_by_key(|file| !file.in_prelude);
    }
}

/// One file of a program.
#[derive(Debug)]
pub struct LoadedFile {
    /// Its text is in the source map.
    pub id: FileId,
    /// Its name as a module: the normalised path without extension, or `/prelude/name`.
    pub key: String,
    /// What it shares with no other file, whatever paths lead to it.
    pub identity: String,
    /// Whether it is part of the prelude, and so does not see the implicit prelude.
    pub in_prelude: bool,
    /// Its tree.
    pub ast: ast::File,
    /// Its imports in the order of their nodes.
    pub imports: Vec<Import>,
    /// What is wrong with its syntax; also among the messages of the session.
    pub syntax: Vec<Diagnostic>,
    /// Whether it is not as it was when the program was loaded before.
    pub changed: bool,
}

impl LoadedFile {
    /// The file that the import at this node leads to, as an index of [`Loaded::files`].
    pub fn target(&self, node: NodeId) -> Option<usize> {
        let index = self.imports.binary_search_by_key(&node, |import| import.node).ok()?;
        self.imports[index].target
    }
}

/// An import.
#[derive(Clone, Debug)]
pub struct Import {
    /// The declaration or module expression.
    pub node: NodeId,
    /// The text of the string.
    pub name: EcoString,
    /// The place of the string.
    pub span: Span,
    /// The file, as an index of [`Loaded::files`]; `None` if it could not be loaded.
    pub target: Option<usize>,
}

/// Where the bytes of a file come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Stored,
    Given(&'a [u8]),
}

/// What is known of a file.
#[derive(Clone, Copy)]
enum State {
    /// It is being loaded, at this depth of the chain of imports.
    Open(usize),
    /// It has been loaded, or could not be.
    Done(Option<usize>),
}

/// A file that has been parsed.
struct Parsed {
    id: FileId,
    ast: ast::File,
    syntax: Vec<Diagnostic>,
    changed: bool,
}

struct Loader<'a> {
    session: &'a mut Session,
    files: &'a dyn Files,
    depth: Depth,
    done: Vec<LoadedFile>,
    /// Keyed by the identity of the file; only looked up.
    states: FxHashMap<String, State>,
    /// The files that were loaded before, by identity.
    known: FxHashMap<String, LoadedFile>,
}

impl Loader<'_> {
    /// Loads a file of the prelude, if it exists.
    fn embedded(&mut self, name: &str) -> Option<usize> {
        prelude::text(name)?;
        let location = Location::Prelude(name.to_owned());
        self.visit(&location, Source::Stored, None, &mut Vec::new())
    }

    /// Whether a word is in the text of any loaded file that is not of the prelude.
    fn program_mentions(&self, word: &str) -> bool {
        let mut files = self.done.iter().filter(|file| !file.in_prelude);
        files.any(|file| self.session.sources.file(file.id).text.contains(word))
    }

    /// What the files that are loaded, and these texts, need of the prelude.
    fn needed(&mut self, texts: &[&str]) -> Names {
        let Loader { session, done, .. } = self;
        let own: Vec<FileId> = done.iter().filter(|file| !file.in_prelude).map(|f| f.id).collect();
        session.stage("need", |sources| {
            let mut names = Names::default();
            own.iter().for_each(|file| names.mention(&sources.file(*file).text));
            texts.iter().for_each(|text| names.mention(text));
            names.close(prelude::outline());
            names
        })
    }

    /// Loads a file and its imports. `chain` has the files that led here, each with the place of the
    /// import that was followed last.
    fn visit(
        &mut self,
        location: &Location,
        source: Source<'_>,
        import: Option<Span>,
        chain: &mut Vec<(String, Span)>,
    ) -> Option<usize> {
        let identity = match (location, source) {
            (Location::File(path), Source::Stored) => self.files.identity(path),
            (Location::File(_), Source::Given(_)) | (Location::Prelude(_), _) => location.key(),
        };
        match self.states.get(&identity) {
            Some(State::Done(index)) => return *index,
            Some(State::Open(depth)) => {
                self.session.diagnostics.push(errors::import_cycle(&chain[*depth..]));
                return None;
            }
            None => {}
        }
        self.states.insert(identity.clone(), State::Open(chain.len()));
        let text = read(self.session, self.files, location, source, import);
        let index = text.map(|text| {
            let parsed = self.parsed(location, &identity, text);
            self.session.diagnostics.extend(parsed.syntax.iter().cloned());
            self.add(location, identity.clone(), parsed, None, chain)
        });
        self.states.insert(identity, State::Done(index));
        index
    }

    /// The tree of a file with this text, which may be there already.
    fn parsed(&mut self, location: &Location, identity: &str, text: String) -> Parsed {
        let id = match self.known.remove(identity) {
            Some(LoadedFile { id, ast, syntax, .. })
                if self.session.sources.file(id).text == text =>
            {
                return Parsed { id, ast, syntax, changed: false };
            }
            Some(file) => {
                self.session.sources.replace(file.id, text);
                file.id
            }
            None => self.session.sources.add(location.to_string(), text),
        };
        let in_prelude = matches!(location, Location::Prelude(_));
        let depth = if in_prelude { &self.depth } else { &Depth::Full };
        let (ast, syntax) = parse(self.session, id, depth);
        Parsed { id, ast, syntax, changed: true }
    }

    /// Adds a file that has been parsed, after the files that it imports.
    fn add(
        &mut self,
        location: &Location,
        identity: String,
        Parsed { id, ast, syntax, changed }: Parsed,
        known: Option<(&str, usize)>,
        chain: &mut Vec<(String, Span)>,
    ) -> usize {
        let mut imports = imports::of(&ast);
        for import in &mut imports {
            if let Some((name, target)) = known
                && import.name == name
            {
                import.target = Some(target);
                continue;
            }
            chain.push((location.to_string(), import.span));
            let target = location.import(&import.name);
            import.target = self.visit(&target, Source::Stored, Some(import.span), chain);
            chain.pop();
        }
        imports.sort_by_key(|import| import.node);
        let in_prelude = matches!(location, Location::Prelude(_));
        let key = location.key();
        let file = LoadedFile { id, key, identity, in_prelude, ast, imports, syntax, changed };
        self.done.push(file);
        self.done.len() - 1
    }
}

/// The text of a file.
fn read(
    session: &mut Session,
    files: &dyn Files,
    location: &Location,
    source: Source<'_>,
    import: Option<Span>,
) -> Option<String> {
    let result = session.stage("read", |_| read_text(files, location, source, import));
    result.map_err(|error| session.diagnostics.push(*error)).ok()
}

fn read_text(
    files: &dyn Files,
    location: &Location,
    source: Source<'_>,
    import: Option<Span>,
) -> Result<String, Box<Diagnostic>> {
    let bytes = match (location, source) {
        (_, Source::Given(bytes)) if bytes.len() as u64 > MAX_BYTES => Err(ReadError::TooLarge),
        (_, Source::Given(bytes)) => Ok(bytes.to_vec()),
        (Location::File(path), Source::Stored) => files.read(path),
        (Location::Prelude(name), Source::Stored) => match prelude::text(name) {
            Some(text) => return Ok(text.to_owned()),
            None => Err(ReadError::NotFound),
        },
    };
    let bytes = bytes.map_err(|why| Box::new(errors::unreadable(location, import, &why)))?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        Box::new(errors::not_utf8(location, import, error.as_bytes(), offset))
    })
}

/// Parses a file; only a file of the prelude may be parsed in less than full depth.
fn parse(session: &mut Session, file: FileId, depth: &Depth) -> (ast::File, Vec<Diagnostic>) {
    session.stage("parse", |sources| {
        let text = &sources.file(file).text;
        match depth {
            Depth::Needed(names) => stages::parse_needed(file, text, names),
            Depth::Full => stages::parse(file, text),
        }
    })
}
