//! A compiled program as an executor, by way of its server.
//!
//! Values go through files in the binary format. A server that ends, or that is stopped because a case takes too long, is
//! started again for the next case.

use super::{Executor, Failure, Limit, Object, Res, Signature};
use crate::server::{Dialect, Launch, Server, ServerError};
use fehu_data::{Value, ValueType, binary, reader};
use fehu_driver::run::RunError;
use fehu_driver::temporary::Folder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Duration;

/// A program behind a server.
pub struct Compiled {
    launch: Launch,
    /// Where the executable is, if nobody else needs it.
    _home: Option<Folder>,
    /// Nothing if it has ended, or has not been started yet.
    server: Option<Server>,
    /// Why it ended, if that was found where nobody could be told: what comes next fails, because variables are gone.
    ended: Option<Failure>,
    folder: Folder,
    limit: Option<Duration>,
    objects: Vec<Held>,
    /// The number of the next variable; names are never used twice.
    next: usize,
    entries: BTreeMap<String, Entry>,
    records: BTreeMap<String, Vec<(String, String)>>,
}

/// What an object is.
#[derive(Clone, Debug)]
enum Held {
    /// A variable of the server.
    Variable(String),
    /// The outputs of an entry point in the older dialect.
    Outputs(Vec<Object>),
}

/// What is known of an entry point.
#[derive(Clone, Debug)]
struct Entry {
    signature: Signature,
    /// Which of the parameters are consumed.
    consumed: Vec<bool>,
    /// The types of the outputs: one, in the newer dialect.
    outputs: Vec<String>,
}

/// A call, and how long it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// The result.
    pub result: Object,
    /// How long the program says that it took.
    pub microseconds: u64,
}

/// How long a server may take to end.
const ENDING: Duration = Duration::from_secs(10);
/// How long a server may take to start where nothing else limits it.
const START: Duration = Duration::from_secs(60);

impl Compiled {
    /// The executor of a server, which is started when it is needed. The folder is kept as long as it.
    pub fn new(launch: Launch, home: Option<Folder>) -> std::io::Result<Compiled> {
        Ok(Compiled {
            launch,
            _home: home,
            server: None,
            ended: None,
            folder: Folder::new()?,
            limit: None,
            objects: Vec::new(),
            next: 0,
            entries: BTreeMap::new(),
            records: BTreeMap::new(),
        })
    }

    /// The objects that make up the arguments of an entry point, from values.
    pub fn arguments(&mut self, entry: &str, values: &[Value]) -> Res<Vec<Object>> {
        let params = self.entry(entry)?.signature.params;
        let transparent: Option<Vec<ValueType>> =
            params.iter().map(|(_, ty)| ValueType::parse(ty)).collect();
        let mut left = values;
        let args = match transparent {
            Some(types) => {
                self.count_matters(entry, types.len(), values.len())?;
                for (i, (ty, value)) in types.iter().zip(values).enumerate() {
                    if value.value_type() != *ty {
                        return Err(Failure::Program(format!(
                            "Error: argument {} of the entry point \"{entry}\" has type {ty}, but got {}",
                            i + 1,
                            value.value_type()
                        )));
                    }
                }
                left = &[];
                self.restore(values)?
            }
            None => {
                let make = |(_, ty): &(String, String)| self.make(ty, &mut left);
                let args = params.iter().map(make).collect::<Res<Vec<_>>>()?;
                self.count_matters(entry, values.len() - left.len(), values.len())?;
                args
            }
        };
        assert!(left.is_empty());
        Ok(args)
    }

    /// Calls an entry point and tells how long it took.
    pub fn timed(&mut self, entry: &str, args: &[Object]) -> Res<Timed> {
        let known = self.entry(entry)?;
        if args.len() != known.signature.params.len() {
            let (takes, got) = (known.signature.params.len(), args.len());
            return Err(Failure::Program(format!(
                "Error: the entry point \"{entry}\" has {takes} parameters, but got {got} arguments"
            )));
        }
        let mut copies = Vec::new();
        let mut inputs = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let mut input = self.variable(arg)?;
            if known.consumed.get(i).is_some_and(|&consumed| consumed) {
                input = self.copy(&input, &arg.ty)?;
                copies.push(input.clone());
            }
            inputs.push(input);
        }
        let outputs: Vec<String> = known.outputs.iter().map(|_| self.name()).collect();
        let mut words = vec!["call", entry];
        words.extend(outputs.iter().chain(&inputs).map(String::as_str));
        let answer = self.command(&words);
        if !copies.is_empty() && self.server.is_some() {
            let mut words = vec!["free"];
            words.extend(copies.iter().map(String::as_str));
            self.command(&words)?;
        }
        let runtime = answer?.iter().find_map(|line| line.strip_prefix("runtime: ")?.parse().ok());
        let Some(microseconds) = runtime else {
            return Err(Failure::Broken("the server did not report how long it took".to_owned()));
        };
        let mut outputs: Vec<Object> = outputs
            .into_iter()
            .zip(&known.outputs)
            .map(|(name, ty)| self.add(ty, Held::Variable(name)))
            .collect();
        let result = match outputs.pop() {
            Some(only) if outputs.is_empty() => only,
            last => {
                outputs.extend(last);
                self.add(&known.signature.result, Held::Outputs(outputs))
            }
        };
        Ok(Timed { result, microseconds })
    }

    /// Sends a command of the protocol, for what has no method of its own.
    pub fn command(&mut self, words: &[&str]) -> Res<Vec<String>> {
        if let Some(why) = self.ended.take() {
            return Err(why);
        }
        let result = self.server()?.command(words);
        if self.server.as_ref().is_some_and(|server| !server.is_alive()) {
            self.server = None;
        }
        result.map_err(|error| match error {
            ServerError::Failure(why) => Failure::Program(why),
            ServerError::TooSlow => Failure::Limit(Limit::Time),
            ServerError::Ended(why) => Failure::Broken(why),
            ServerError::Unspeakable(_) => Failure::Request(error.to_string()),
        })
    }

    /// Whether there is a server that has not ended, as far as is known.
    pub fn is_running(&self) -> bool {
        self.server.is_some()
    }

    /// What the server has written to standard error.
    pub fn said(&self) -> String {
        self.server.as_ref().map(Server::said).unwrap_or_default()
    }

    fn server(&mut self) -> Res<&mut Server> {
        let server = match self.server.take() {
            Some(server) => server,
            None => {
                let limit = self.limit.unwrap_or(START);
                let mut server = match Server::start(&self.launch, limit) {
                    Ok(server) => server,
                    Err(ServerError::TooSlow) => {
                        return Err(Failure::Limit(Limit::Start));
                    }
                    Err(error) => return Err(Failure::Broken(error.to_string())),
                };
                server.set_limit(self.limit);
                // Variables of another server are gone.
                self.objects.clear();
                server
            }
        };
        Ok(self.server.insert(server))
    }

    fn entry(&mut self, name: &str) -> Res<Entry> {
        if let Some(known) = self.entries.get(name) {
            return Ok(known.clone());
        }
        let others = self.command(&["entry_points"])?;
        if !others.iter().any(|other| other == name) {
            let error = RunError::NoEntry { name: name.to_owned(), others };
            return Err(Failure::Request(super::no_entry(&error)));
        }
        let inputs = self.command(&["inputs", name])?;
        let outputs = match self.server()?.dialect() {
            Dialect::One => self.command(&["output", name])?,
            Dialect::Several => self.command(&["outputs", name])?,
        };
        let plain = |ty: &String| ty.trim_start_matches('*').to_owned();
        let outputs: Vec<String> = outputs.iter().map(plain).collect();
        let result = match outputs.as_slice() {
            [only] => only.clone(),
            several => {
                let tuple = format!("({})", several.join(", "));
                let fields = several.iter().enumerate().map(|(i, ty)| (i.to_string(), ty.clone()));
                self.records.insert(tuple.clone(), fields.collect());
                tuple
            }
        };
        let params = inputs.iter().enumerate().map(|(i, ty)| ((i + 1).to_string(), plain(ty)));
        let entry = Entry {
            signature: Signature { params: params.collect(), result },
            consumed: inputs.iter().map(|ty| ty.starts_with('*')).collect(),
            outputs,
        };
        self.entries.insert(name.to_owned(), entry.clone());
        Ok(entry)
    }

    fn count_matters(&self, entry: &str, wanted: usize, got: usize) -> Res<()> {
        if wanted == got {
            return Ok(());
        }
        let wanted = if wanted == 1 { "1 value".to_owned() } else { format!("{wanted} values") };
        Err(Failure::Program(format!(
            "Error: the entry point \"{entry}\" takes {wanted}, but got {got}"
        )))
    }

    /// Makes an object of a type from the first of the values, and leaves the rest.
    fn make(&mut self, ty: &str, values: &mut &[Value]) -> Res<Object> {
        if ValueType::parse(ty).is_some() {
            let Some((first, rest)) = values.split_first() else {
                return Err(Failure::Program(format!("Error: a value of type {ty} is missing")));
            };
            if first.value_type().to_string() != ty {
                let got = first.value_type();
                return Err(Failure::Program(format!("Error: expected a {ty}, but got a {got}")));
            }
            *values = rest;
            let made = self.restore(std::slice::from_ref(first))?;
            return made.into_iter().next().ok_or_else(|| Failure::Broken(String::new()));
        }
        let fields = self.fields(ty)?;
        if fields.is_empty() && ty != "()" {
            let message =
                format!("values of type {ty} can be constructed only by the program itself");
            return Err(Failure::Request(message));
        }
        let made = fields.iter().map(|(_, ty)| self.make(ty, values)).collect::<Res<Vec<_>>>()?;
        self.record(ty, &made)
    }

    /// Objects for values.
    fn restore(&mut self, values: &[Value]) -> Res<Vec<Object>> {
        if values.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.file();
        write(&path, values).map_err(|why| no_file(&why))?;
        let types: Vec<String> =
            values.iter().map(|value| value.value_type().to_string()).collect();
        let names: Vec<String> = values.iter().map(|_| self.name()).collect();
        let text = path.to_string_lossy();
        let mut words = vec!["restore", &text];
        for (name, ty) in names.iter().zip(&types) {
            words.extend([name.as_str(), ty.as_str()]);
        }
        let answer = self.command(&words);
        // The next one has the same name.
        let _ = std::fs::remove_file(&path);
        answer?;
        let objects = names.into_iter().zip(&types);
        Ok(objects.map(|(name, ty)| self.add(ty, Held::Variable(name))).collect())
    }

    /// A variable with the same value.
    fn copy(&mut self, variable: &str, ty: &str) -> Res<String> {
        let path = self.file();
        let text = path.to_string_lossy();
        self.command(&["store", &text, variable])?;
        let name = self.name();
        let answer = self.command(&["restore", &text, &name, ty]);
        let _ = std::fs::remove_file(&path);
        answer.map(|_| name)
    }

    /// The variable of an object. Several outputs are put together if they should be one.
    fn variable(&mut self, object: &Object) -> Res<String> {
        match self.held(object)? {
            Held::Variable(name) => Ok(name),
            Held::Outputs(parts) => {
                let record = self.record(&object.ty, &parts)?;
                self.variable(&record)
            }
        }
    }

    /// The variables that make up an object: those of its fields, if it has any.
    fn parts(&mut self, object: &Object, found: &mut Vec<String>) -> Res<()> {
        match self.held(object)? {
            Held::Outputs(parts) => {
                for part in parts {
                    self.parts(&part, found)?;
                }
            }
            Held::Variable(_) if is_empty(&object.ty) => {}
            Held::Variable(name) => {
                let fields = self.fields(&object.ty)?;
                if fields.is_empty() && !self.shows(&object.ty)? {
                    let message = format!("a value of type {} cannot be shown", object.ty);
                    return Err(Failure::Request(message));
                }
                if fields.is_empty() {
                    found.push(name);
                }
                for (field, _) in fields {
                    let part = self.project(object, &field)?;
                    self.parts(&part, found)?;
                }
            }
        }
        Ok(())
    }

    fn held(&self, object: &Object) -> Res<Held> {
        let found = self.objects.get(object.id).cloned();
        found.ok_or_else(|| Failure::Request("this value no longer exists".to_owned()))
    }

    fn add(&mut self, ty: &str, held: Held) -> Object {
        self.objects.push(held);
        Object { ty: ty.to_owned(), id: self.objects.len() - 1 }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("values")
    }
}

impl Executor for Compiled {
    fn begin(&mut self, limit: Duration) {
        self.limit = Some(limit);
        if let Some(server) = &mut self.server {
            server.set_limit(Some(limit));
        }
        self.forget(0);
        self.ended = None;
    }

    fn end(&mut self) {
        self.forget(0);
        self.ended = None;
        self.limit = None;
        if let Some(server) = &mut self.server {
            server.set_limit(None);
        }
    }

    fn signature(&mut self, entry: &str) -> Res<Signature> {
        self.entry(entry).map(|entry| entry.signature)
    }

    fn fields(&mut self, ty: &str) -> Res<Vec<(String, String)>> {
        if ValueType::parse(ty).is_some() {
            return Ok(Vec::new());
        }
        if let Some(known) = self.records.get(ty) {
            return Ok(known.clone());
        }
        // Several outputs need not have a type that the server knows; asking about that may end it.
        let known = self.command(&["types"])?;
        let answer = match known.iter().any(|known| known == ty) {
            true => self.command(&["fields", ty]),
            false => Ok(Vec::new()),
        };
        let fields = match answer {
            Ok(lines) => {
                let fields = lines.iter().filter_map(|line| line.split_once(' '));
                fields.map(|(name, ty)| (name.to_owned(), ty.to_owned())).collect()
            }
            // It is no record.
            Err(Failure::Program(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        let fields: Vec<(String, String)> = fields;
        self.records.insert(ty.to_owned(), fields.clone());
        Ok(fields)
    }

    fn run(&mut self, entry: &str, values: &[Value]) -> Res<Object> {
        let args = self.arguments(entry, values)?;
        self.call(entry, &args)
    }

    fn call(&mut self, entry: &str, args: &[Object]) -> Res<Object> {
        self.timed(entry, args).map(|timed| timed.result)
    }

    fn put(&mut self, ty: &str, values: &[Value]) -> Res<Object> {
        let mut left = values;
        let object = self.make(ty, &mut left)?;
        match left {
            [] => Ok(object),
            [_, ..] => Err(Failure::Program(format!(
                "Error: these values do not form a value of type {ty}"
            ))),
        }
    }

    fn shows(&mut self, ty: &str) -> Res<bool> {
        // Older servers store everything as values.
        let transparent = ValueType::parse(ty).is_some() || is_empty(ty);
        if transparent || self.server()?.dialect() == Dialect::Several {
            return Ok(true);
        }
        let fields = self.fields(ty)?;
        for (_, ty) in &fields {
            if !self.shows(ty)? {
                return Ok(false);
            }
        }
        Ok(!fields.is_empty())
    }

    fn values(&mut self, object: &Object) -> Res<Vec<Value>> {
        let kept = self.count();
        let mut variables = Vec::new();
        self.parts(object, &mut variables)?;
        if variables.is_empty() {
            return Ok(Vec::new());
        }
        let path = self.file();
        let text = path.to_string_lossy();
        let mut words = vec!["store", &text];
        words.extend(variables.iter().map(String::as_str));
        self.command(&words)?;
        let bytes = std::fs::read(&path).map_err(|why| no_file(&why))?;
        let _ = std::fs::remove_file(&path);
        self.forget(kept);
        reader::read_all(&bytes).map_err(|error| {
            let ty = &object.ty;
            Failure::Broken(format!("the stored value of type {ty} cannot be read: {error}"))
        })
    }

    fn record(&mut self, ty: &str, fields: &[Object]) -> Res<Object> {
        let parts =
            fields.iter().map(|field| self.variable(field)).collect::<Res<Vec<String>>>()?;
        let name = self.name();
        // Arrays of records are made of arrays.
        let command = if ty.starts_with('[') { "zip" } else { "new" };
        let mut words = vec![command, &name, ty];
        words.extend(parts.iter().map(String::as_str));
        self.command(&words)?;
        Ok(self.add(ty, Held::Variable(name)))
    }

    fn project(&mut self, object: &Object, field: &str) -> Res<Object> {
        let variable = match self.held(object)? {
            Held::Outputs(parts) => {
                let part = field.parse().ok().and_then(|index: usize| parts.get(index)).cloned();
                let missing = || Failure::Request(format!("there is no component \"{field}\""));
                return part.ok_or_else(missing);
            }
            Held::Variable(name) => name,
        };
        let fields = self.fields(&object.ty)?;
        let Some((_, ty)) = fields.into_iter().find(|(name, _)| name == field) else {
            return Err(Failure::Request(format!("{} has no field \"{field}\"", object.ty)));
        };
        let name = self.name();
        self.command(&["project", &name, &variable, field])?;
        Ok(self.add(&ty, Held::Variable(name)))
    }

    fn forget(&mut self, kept: usize) {
        let gone = self.objects.split_off(kept.min(self.objects.len()));
        let names: Vec<String> = gone
            .into_iter()
            .filter_map(|held| match held {
                Held::Variable(name) => Some(name),
                Held::Outputs(_) => None,
            })
            .collect();
        if names.is_empty() || self.server.is_none() {
            return;
        }
        let mut words = vec!["free"];
        words.extend(names.iter().map(String::as_str));
        self.ended = self.command(&words).err();
    }

    fn count(&self) -> usize {
        self.objects.len()
    }

    fn close(&mut self) -> Res<()> {
        let Some(server) = self.server.take() else { return Ok(()) };
        server.finish(ENDING).map_err(|error| Failure::Broken(error.to_string()))
    }
}

/// Whether values of a type have no contents, so that nothing is to be shown of them.
fn is_empty(ty: &str) -> bool {
    ty.trim_start_matches("[]") == "()"
}

fn write(path: &std::path::Path, values: &[Value]) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for value in values {
        binary::write(&mut out, value)?;
    }
    out.flush()
}

fn no_file(why: &std::io::Error) -> Failure {
    Failure::Broken(format!("cannot pass values to the server: {why}"))
}
