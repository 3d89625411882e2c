//! The functions of scripts that read and write files, relative to a folder.

use fehu_data::{Value, binary};
use fehu_harness::executor::Executor;
use fehu_harness::script::eval::text;
use fehu_harness::script::{Builtins, Exp, Name, ScriptError, ScriptValue};
use fehu_media::audio::Sound;
use fehu_media::image::Image;
use std::path::PathBuf;

/// Files of a folder.
pub struct Folder {
    /// The folder.
    pub path: PathBuf,
    /// Whether scripts may write files (`$store`).
    pub writes: bool,
}

impl Builtins for Folder {
    fn read(&self, file: &str) -> Result<Vec<u8>, String> {
        let read = std::fs::read(self.path.join(file));
        read.map_err(|error| format!("\"{file}\" cannot be read: {error}"))
    }

    fn others(&self) -> &'static [&'static str] {
        if self.writes { &["loadaudio", "loadimg", "store"] } else { &["loadaudio", "loadimg"] }
    }

    fn call(
        &self,
        name: &str,
        args: &[ScriptValue],
        program: &mut dyn Executor,
    ) -> Result<ScriptValue, ScriptError> {
        let wrong = |message: String| ScriptError::Meaning(message);
        let file = args.first().and_then(text);
        let (Some(file), count) = (file, args.len()) else {
            return Err(wrong(format!("`${name}` takes a file name in quotes")));
        };
        let of_file = |message| wrong(format!("{file}: {message}"));
        let bytes = || self.read(&file).map_err(wrong);
        let array = match (name, count) {
            ("loadimg", 1) => Image::from_file(&bytes()?).and_then(|image| image.to_array()),
            ("loadaudio", 1) => Sound::from_file(&bytes()?).and_then(|sound| sound.to_array()),
            ("store", 2) => {
                let values = args[1].values(program).map_err(ScriptError::Run)?;
                self.write(&file, &values).map_err(of_file)?;
                return Ok(ScriptValue::Tuple(Vec::new()));
            }
            ("store", _) => {
                return Err(wrong("`$store` takes the name of a file and a value".to_owned()));
            }
            _ => return Err(wrong(format!("`${name}` takes the name of a file"))),
        };
        let array = array.map_err(of_file)?;
        Ok(ScriptValue::Value(Value::Array(array)))
    }
}

impl Folder {
    fn write(&self, file: &str, values: &[Value]) -> Result<(), String> {
        let mut bytes = Vec::new();
        for value in values {
            binary::write(&mut bytes, value).map_err(|error| error.to_string())?;
        }
        let saved = fehu_driver::save::save(self.path.join(file), bytes);
        saved.map_err(|error| format!("cannot be written: {error}"))
    }

    /// The files that a script reads, with their contents, as far as they are there.
    pub fn read_by(&self, exp: &Exp) -> Vec<(String, Option<Vec<u8>>)> {
        let mut names = Vec::new();
        files(exp, &mut names);
        let contents = |name: String| {
            let bytes = self.read(&name).ok();
            (name, bytes)
        };
        names.into_iter().map(contents).collect()
    }
}

/// The strings among the arguments of builtin functions.
fn files(exp: &Exp, found: &mut Vec<String>) {
    let mut all = |exps: &[Exp]| exps.iter().for_each(|exp| files(exp, found));
    match exp {
        Exp::Call(name, args) => {
            all(args);
            if let Name::Builtin(_) = name {
                found.extend(args.iter().filter_map(|arg| match arg {
                    Exp::String(text) => Some(text.clone()),
                    _ => None,
                }));
            }
        }
        Exp::Let(_, _, value, body) => {
            files(value, found);
            files(body, found);
        }
        Exp::Literal(_) | Exp::Number(_) | Exp::String(_) => {}
        Exp::Tuple(parts) | Exp::Array(parts) => all(parts),
        Exp::Record(fields) => fields.iter().for_each(|(_, field)| files(field, found)),
        Exp::Field(record, _) => files(record, found),
        Exp::Index(array, indices) => {
            all(indices);
            files(array, found);
        }
    }
}
