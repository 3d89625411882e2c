//! What the server knows: the open texts, and for each of them the program that it is the root of.

use crate::capabilities::Client;
use crate::notes::Notes;
use crate::queue::Queue;
use crate::uri;
use fehu_analysis::View;
use fehu_analysis::index::Index;
use fehu_base::{FileId, SourceFile};
use fehu_driver::analyse::Analysis;
use fehu_driver::cache::Cache;
use fehu_driver::files::{Disk, Files, ReadError};
use fehu_driver::load::Root;
use fehu_driver::prelude;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// Why a request has no answer: a code of the protocol, and a sentence.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl Failure {
    /// The request makes sense, but cannot be carried out.
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure { code: -32803, message: message.into() }
    }

    /// An edit has overtaken the request.
    pub(crate) fn overtaken() -> Failure {
        Failure { code: -32801, message: "the text has changed".to_owned() }
    }
}

/// A text that is open in the editor.
pub(crate) struct Document {
    pub(crate) uri: String,
    pub(crate) version: Value,
    pub(crate) source: SourceFile,
    text: Arc<str>,
}

/// A program whose root is open.
pub(crate) struct Program {
    pub(crate) analysis: Analysis,
    /// Whether a text may have changed since it was checked.
    stale: bool,
    /// Whether its messages have not been published.
    pub(crate) unpublished: bool,
    indexes: FxHashMap<FileId, Rc<Index>>,
}

impl Program {
    pub(crate) fn new(path: &str, queue: &Queue) -> Program {
        let analysis = Analysis::new(Root::Path(path.to_owned()), queue.interrupt());
        Program { analysis, stale: true, unpublished: true, indexes: FxHashMap::default() }
    }

    /// Checks what has changed; says whether it came to an end.
    pub(crate) fn update(&mut self, files: &dyn Files) -> bool {
        if self.stale {
            self.indexes.clear();
            if !self.analysis.update(files) {
                return false;
            }
            (self.stale, self.unpublished) = (false, true);
        }
        true
    }

    /// The names of a file.
    pub(crate) fn index(&mut self, file: FileId) -> Rc<Index> {
        if let Some(index) = self.indexes.get(&file) {
            return index.clone();
        }
        let index = Rc::new(Index::new(&self.analysis.view(), file));
        self.indexes.insert(file, index.clone());
        index
    }

    pub(crate) fn invalidate(&mut self) {
        self.stale = true;
    }

    pub(crate) fn view(&self) -> View<'_> {
        self.analysis.view()
    }
}

/// The open texts over those on the disk.
#[derive(Clone, Default)]
pub(crate) struct Overlay {
    texts: BTreeMap<String, Arc<str>>,
}

impl Overlay {
    /// Puts a text over a file.
    pub(crate) fn set(&mut self, path: &str, text: &str) {
        self.texts.insert(Disk.identity(path), text.into());
    }
}

impl Files for Overlay {
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
        match self.texts.get(&self.identity(path)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Disk.read(path),
        }
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(path)
    }
}

/// Takes messages for the client.
pub(crate) type Output = Box<dyn FnMut(&Value) + Send>;

/// See the module's documentation.
pub(crate) struct World {
    pub(crate) queue: Arc<Queue>,
    output: Output,
    pub(crate) client: Client,
    /// The folders that are open.
    pub(crate) folders: Vec<String>,
    /// By identity of the file.
    pub(crate) documents: BTreeMap<String, Document>,
    /// Likewise.
    pub(crate) programs: BTreeMap<String, Program>,
    /// What was published last, by URI.
    pub(crate) published: BTreeMap<String, Value>,
    /// What the optimiser had to say, by identity of the root.
    pub(crate) notes: BTreeMap<String, Notes>,
    /// Whether the optimiser runs, and for what to run it next.
    pub(crate) optimising: bool,
    pub(crate) to_optimise: Option<String>,
    pub(crate) shut_down: bool,
    /// Whether a text was closed whose messages have not been taken back.
    pub(crate) closed: bool,
    prelude_folder: Option<String>,
    next_request: u64,
}

impl World {
    pub(crate) fn new(queue: Arc<Queue>, output: Output) -> World {
        World {
            queue,
            output,
            client: Client::default(),
            folders: Vec::new(),
            documents: BTreeMap::new(),
            programs: BTreeMap::new(),
            published: BTreeMap::new(),
            notes: BTreeMap::new(),
            optimising: false,
            to_optimise: None,
            shut_down: false,
            closed: false,
            prelude_folder: None,
            next_request: 0,
        }
    }

    /// Whether there is something to do in the background.
    pub(crate) fn has_work(&self) -> bool {
        self.closed || self.programs.values().any(|program| program.stale || program.unpublished)
    }

    /// Whether the client asked for the end.
    pub(crate) fn was_shut_down(&self) -> bool {
        self.shut_down
    }

    pub(crate) fn send(&mut self, message: &Value) {
        (self.output)(message);
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks the client for something whose answer does not matter.
    pub(crate) fn ask(&mut self, method: &str) {
        self.next_request += 1;
        let id = format!("fehu-{}", self.next_request);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method}));
    }

    pub(crate) fn open(&mut self, uri: &str, version: &Value, text: &str) {
        let path = uri::to_path(uri);
        let identity = Disk.identity(&path);
        let document = Document {
            uri: uri.to_owned(),
            version: version.clone(),
            source: SourceFile::new(path.clone(), text.to_owned()),
            text: text.into(),
        };
        self.documents.insert(identity.clone(), document);
        // The prelude is right, but it is not a program.
        let in_prelude = self.prelude_folder.as_ref().is_some_and(|f| path.starts_with(f.as_str()));
        if !in_prelude {
            self.programs.insert(identity, Program::new(&path, &self.queue));
        }
        self.invalidate();
    }

    pub(crate) fn close(&mut self, uri: &str) {
        let identity = self.identity(uri);
        self.documents.remove(&identity);
        self.programs.remove(&identity);
        self.notes.remove(&identity);
        self.closed = true;
        self.invalidate();
    }

    /// Applies changes of the client.
    pub(crate) fn change(&mut self, uri: &str, version: &Value, changes: &[Value]) {
        let encoding = self.client.encoding;
        let identity = self.identity(uri);
        let Some(document) = self.documents.get_mut(&identity) else { return };
        for change in changes {
            let new = change["text"].as_str().unwrap_or("");
            let old = &document.source;
            let text = match change["range"].is_object() {
                true => {
                    let at = |end: &str| {
                        crate::place::offset(encoding, old, &change["range"][end]) as usize
                    };
                    let (start, end) = (at("start"), at("end").max(at("start")));
                    format!("{}{new}{}", &old.text[..start], &old.text[end..])
                }
                false => new.to_owned(),
            };
            document.source = SourceFile::new(old.name.clone(), text);
        }
        document.version = version.clone();
        document.text = document.source.text.as_str().into();
        self.invalidate();
    }

    /// Some text may have changed.
    pub(crate) fn invalidate(&mut self) {
        self.programs.values_mut().for_each(Program::invalidate);
    }

    pub(crate) fn identity(&self, uri: &str) -> String {
        Disk.identity(&uri::to_path(uri))
    }

    /// Whether a text is open that is not a program: a file of the prelude.
    pub(crate) fn is_read_only(&self, uri: &str) -> bool {
        let identity = self.identity(uri);
        self.documents.contains_key(&identity) && !self.programs.contains_key(&identity)
    }

    pub(crate) fn overlay(&self) -> Overlay {
        let texts = self.documents.iter();
        Overlay { texts: texts.map(|(identity, d)| (identity.clone(), d.text.clone())).collect() }
    }

    /// The program that a text is the root of, checked.
    pub(crate) fn program(&mut self, uri: &str) -> Result<(&mut Program, FileId), Failure> {
        let (identity, overlay) = (self.identity(uri), self.overlay());
        let program = self.programs.get_mut(&identity);
        let program = program.ok_or_else(|| Failure::refused("this text is not open"))?;
        if !program.update(&overlay) {
            return Err(Failure::overtaken());
        }
        let root = program.analysis.root();
        let root = root.ok_or_else(|| Failure::refused("this text could not be read"))?;
        Ok((program, root))
    }

    /// The URI of a file of a program.
    pub(crate) fn uri_of(&mut self, name: &str) -> String {
        if let Some(document) = self.documents.get(&Disk.identity(name)) {
            return document.uri.clone();
        }
        match name.strip_prefix(fehu_driver::paths::PRELUDE) {
            Some(inside) => match self.prelude_folder() {
                Some(folder) => uri::of_path(&format!("{folder}/{inside}")),
                None => format!("fehu-prelude:/{inside}"),
            },
            None => uri::of_path(name),
        }
    }

    /// A folder with the files of the prelude, for editors to show.
    fn prelude_folder(&mut self) -> Option<String> {
        if self.prelude_folder.is_none() {
            let folder = Cache::folder().ok()?.join("prelude");
            std::fs::create_dir_all(&folder).ok()?;
            for (name, text) in prelude::files() {
                let path = folder.join(format!("{name}.fut")).display().to_string();
                if Disk.read(&path).ok().as_deref() != Some(text.as_bytes()) {
                    fehu_driver::save::save(&path, text).ok()?;
                }
            }
            self.prelude_folder = Some(folder.display().to_string());
        }
        self.prelude_folder.clone()
    }
}
