//! From a file to an executable, a server or a library: what `fehu c` and `fehu multicore` do, and what
//! `fehu run`, `fehu test` and `fehu bench` need.
//!
//! ```text
//! source ── translate, passes ──▶ IR ── stages ──▶ C text ── cc ──▶ executable
//! ```
//!
//! Executables are kept in the [`Cache`] under the digest of the C text and the C compiler. For a repeated `fehu run`
//! not even that much is computed: the cache also knows which files a command line led to.

mod cc;

use crate::cache::Cache;
use crate::check::{Exit, Outcome, Warnings};
use crate::code::{Code, Settings};
use crate::files::Files;
use crate::foreign::{self, Foreign};
use crate::load::Root;
use crate::passes::{self, Plan};
use crate::session::Session;
use crate::stages::{Artifacts, Mode, Places, Target, Unsafe};
use crate::temporary::{self, Folder};
use crate::translate::{Changes, Job, translate};
use crate::{errors, pipelines, save};
pub use cc::CCompiler;
use fehu_base::{Diagnostic, hash};
use fehu_ir::{Entry, Prog};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is made of a program, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// What executes it.
    pub target: Target,
    /// What becomes of it.
    pub mode: Mode,
    /// What to do with warnings.
    pub warnings: Warnings,
    /// Functions that are entry points, too.
    pub entry_points: Vec<String>,
    /// Whether `#[unsafe]` means nothing.
    pub safe: bool,
    /// How floats are computed.
    pub floats: Floats,
    /// What is done with foreign functions.
    pub foreign: Foreign,
    /// The passes.
    pub plan: Plan,
    /// Whether the program says what its operators do, for profiles.
    pub profiled: bool,
}

/// How floats are computed. The order of sums is that of the imperative code in any case.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Floats {
    /// As the interpreter computes them: sums in the order of the source, and elementary functions of the C library.
    Strict,
    /// As machine code that is made at once computes them: every operation is rounded.
    Rounded,
    /// A product and a sum may be one operation, as the C compiler likes.
    #[default]
    Contracted,
    /// Likewise, quotients and roots may be approximate, and no number is NaN or infinite.
    Fast,
}

/// A program in C.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The texts.
    pub artifacts: Artifacts,
    /// Its entry points.
    pub entries: Vec<Entry>,
    /// The files that it consists of, without the prelude.
    pub sources: Vec<String>,
}

type Res<T> = Result<T, Box<Diagnostic>>;

/// Translates a program to C. It is there if and only if the outcome is a success.
pub fn generate(files: &dyn Files, root: &Root, request: &Request) -> (Outcome, Option<Generated>) {
    let mut generated = None;
    let unsafety = if request.safe { Unsafe::Ignored } else { Unsafe::Obeyed };
    let foreign = request.foreign.choice(request.target);
    let entry_points = request.entry_points.clone();
    let Request { target, mode, floats, profiled, .. } = *request;
    let places = if profiled { Places::OfAll } else { Places::OfOperators };
    let changes = Changes { entry_points, unsafety, foreign, places };
    let mut plan = match floats {
        Floats::Fast => request.plan.clone().approximating(),
        Floats::Strict | Floats::Rounded | Floats::Contracted => request.plan.clone(),
    };
    if mode == Mode::Executable || !plan.passes.is_empty() {
        plan.passes.insert(0, fehu_opt::STEPS);
    }
    let job = Job { files, root, warnings: request.warnings, plan: &plan, changes };
    let (without, kernel_code) = (request.plan.without, request.foreign.kernel_code(target));
    let settings =
        Settings { target, mode, floats, without, few: false, orders: None, kernel_code, profiled };
    let finish = |session: &mut Session, prog: Prog, _| {
        if request.warnings == Warnings::Deny && !session.diagnostics.is_empty() {
            return;
        }
        if let Some(wrong) = request.foreign.wrong(&prog, target) {
            session.diagnostics.push(wrong);
            return;
        }
        let entries = prog.entries.clone();
        let list = pipelines::of_target(target).stages;
        let verified = request.plan.verify;
        let code = passes::stages(session, prog, list, &settings, verified, &mut |_, _| {});
        if let Some(Code::C(artifacts)) = code {
            generated = Some(Generated { artifacts: *artifacts, entries, sources: Vec::new() });
        }
    };
    let outcome = translate(&job, |_| {}, &mut |_, _| {}, finish);
    let mut generated = generated.filter(|_| outcome.exit == Exit::Success);
    if let Some(generated) = &mut generated {
        let own = outcome.loaded.files.iter().filter(|file| !file.in_prelude);
        generated.sources = own.map(|file| outcome.sources.file(file.id).name.clone()).collect();
    }
    (outcome, generated)
}

/// Writes what a program has become to files that start with a name: `NAME.c`, `NAME.h` and `NAME.json` if it is a
/// library, otherwise `NAME` and `NAME.c`, and `NAME.json` for a server. A shared library has all of them, and is
/// called `NAME.so`.
pub fn write(
    generated: &Generated,
    request: &Request,
    name: &Path,
    cache: Option<&Cache>,
) -> Res<()> {
    let Artifacts { c, runtime: _, header, manifest, foreign: _ } = &generated.artifacts;
    let compiler = match request.mode {
        Mode::Library => None,
        Mode::Executable | Mode::Server | Mode::Shared => {
            Some(CCompiler::find(cache, request.target, request.floats)?)
        }
    };
    let with = |extension: &str| {
        let mut name = name.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    let source = with(".c");
    let name = &match request.mode {
        Mode::Shared => with(std::env::consts::DLL_SUFFIX),
        Mode::Library | Mode::Executable | Mode::Server => name.to_owned(),
    };
    let outputs = [name.to_owned(), source.clone(), with(".h"), with(".json")];
    if let Some(file) = request.foreign.inputs.overwritten(&outputs) {
        return Err(Box::new(errors::foreign_overwritten(&file.display().to_string())));
    }
    store(&source, c)?;
    if let Some(header) = header {
        store(&with(".h"), header)?;
    }
    if let Some(manifest) = manifest {
        let compiler = compiler.as_ref().filter(|_| request.mode == Mode::Shared);
        store(&with(".json"), &with_origin(manifest, compiler, &generated.sources))?;
    }
    let Some(compiler) = compiler else { return Ok(()) };
    let compiler = compiler.linking(&request.foreign.inputs);
    let compiler = if request.mode == Mode::Shared { compiler.sharing() } else { compiler };
    // The name may be that of a program that runs just now; so it gets a new file.
    let (temporary, file) = temporary::beside(name).map_err(|why| unwritable(name, &why))?;
    drop(file);
    // What cannot be kept is made just for this.
    let artifacts = &generated.artifacts;
    let quiet = compiler.unheard();
    let keep = |cache| kept_object(cache, &quiet, artifacts, Some(&source), Evidence::Removed);
    let made = match cache.map(keep) {
        Some(Err(error)) if foreign::is_about(&error) => Err(error),
        Some(Err(_)) | None => compiler
            .for_program(artifacts)
            .and_then(|compiler| compiler.compile(&source, &temporary)),
        Some(Ok(object)) => {
            std::fs::copy(object, &temporary).map(|_| ()).map_err(|why| unwritable(name, &why))
        }
    };
    // A device, such as /dev/null, is not replaced.
    let special = std::fs::symlink_metadata(name)
        .is_ok_and(|data| !(data.is_file() || data.is_symlink() || data.is_dir()));
    let placed = made.and_then(|()| {
        let placed = match special {
            true => std::fs::copy(&temporary, name).map(|_| ()),
            false => std::fs::rename(&temporary, name),
        };
        placed.map_err(|why| unwritable(name, &why))
    });
    if placed.is_err() || special {
        // It may not even have been made.
        let _ = std::fs::remove_file(&temporary);
    }
    placed
}

/// A manifest that says which C compiler has made the library, if one has, and of which files.
fn with_origin(manifest: &str, compiler: Option<&CCompiler>, sources: &[String]) -> String {
    let described = compiler.zip(serde_json::from_str::<serde_json::Value>(manifest).ok());
    match described {
        Some((compiler, mut described)) => {
            described["c_compiler"] = compiler.name().into();
            described["sources"] = sources.into();
            format!("{described:#}\n")
        }
        None => manifest.to_owned(),
    }
}

/// An executable, and the folder that it lives in if that is only for it.
#[derive(Debug)]
pub struct Executable {
    /// The file.
    pub program: PathBuf,
    /// Removed when it is not needed any more.
    pub folder: Option<Folder>,
}

/// An executable for a program: in the cache, if things can be kept there. A cache is a help, and no condition: where it is full
/// or not ours, the executable is made every time.
pub fn executable(
    cache: Option<&Cache>,
    compiler: &CCompiler,
    artifacts: &Artifacts,
) -> Res<Executable> {
    let quiet = compiler.unheard();
    let keep = |cache| kept_object(cache, &quiet, artifacts, None, Evidence::Removed);
    match cache.map(keep) {
        Some(Ok(program)) => return Ok(Executable { program, folder: None }),
        Some(Err(error)) if foreign::is_about(&error) => return Err(error),
        Some(Err(_)) | None => {}
    }
    // Perhaps the C compiler could not write to the cache; if it does not like the program, it says so now.
    let temporary = |why: io::Error| unwritable(&std::env::temp_dir(), &why);
    let folder = Folder::new().map_err(temporary)?;
    let cache = Cache::at(folder.path().to_owned(), u64::MAX).map_err(temporary)?;
    let program = object(&cache, compiler, artifacts, None)?;
    Ok(Executable { program, folder: Some(folder) })
}

/// What becomes of a C text that the C compiler refuses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    /// It stays in the folder for temporary files, and the error names it.
    Kept,
    /// Nothing: it is tried again in another way, and nobody is told of this error.
    Removed,
}

/// An executable for a program, in the cache. `source` is a file with its C text, if there is one. What programs have in
/// common is compiled once, and kept, too.
pub fn object(
    cache: &Cache,
    compiler: &CCompiler,
    artifacts: &Artifacts,
    source: Option<&Path>,
) -> Res<PathBuf> {
    kept_object(cache, compiler, artifacts, source, Evidence::Kept)
}

fn kept_object(
    cache: &Cache,
    compiler: &CCompiler,
    artifacts: &Artifacts,
    source: Option<&Path>,
    evidence: Evidence,
) -> Res<PathBuf> {
    let Artifacts { c, runtime, .. } = artifacts;
    let key = hash::digest([c.as_bytes(), compiler.program_identity().as_bytes()]);
    if let Some(found) = cache.object(&key) {
        return Ok(found);
    }
    // Processes that want the same program at the same time wait for the first one.
    let _turn = cache.turn(&key);
    if let Some(found) = cache.object(&key) {
        return Ok(found);
    }
    let runtime = runtime.as_deref().filter(|_| compiler.takes_objects());
    let runtime = runtime.map(|text| kept_runtime(cache, compiler, text, evidence)).transpose()?;
    let compiler = compiler.for_program(artifacts)?;
    make_object(cache, &key, c, source, evidence, |source, output| match &runtime {
        Some(runtime) => compiler.compile_with(source, runtime, output),
        None => compiler.compile(source, output),
    })
}

/// What the C compiler makes of the runtime of programs of one kind, in the cache.
pub fn runtime_object(cache: &Cache, compiler: &CCompiler, text: &str) -> Res<PathBuf> {
    kept_runtime(cache, compiler, text, Evidence::Kept)
}

fn kept_runtime(
    cache: &Cache,
    compiler: &CCompiler,
    text: &str,
    evidence: Evidence,
) -> Res<PathBuf> {
    let identity = compiler.identity();
    let key = hash::digest([b"runtime", text.as_bytes(), identity.as_bytes()]);
    if let Some(found) = cache.object(&key) {
        return Ok(found);
    }
    // Programs that are compiled at the same time need the same one.
    let _turn = cache.turn(&key);
    match cache.object(&key) {
        Some(found) => Ok(found),
        None => make_object(cache, &key, text, None, evidence, |source, output| {
            compiler.compile_object(source, output)
        }),
    }
}

/// Has a C text compiled into an object of the cache.
fn make_object(
    cache: &Cache,
    key: &str,
    text: &str,
    source: Option<&Path>,
    evidence: Evidence,
    compile: impl FnOnce(&Path, &Path) -> Res<()>,
) -> Res<PathBuf> {
    let made = cache.make_object(key, |output| match source {
        Some(source) => compile(source, output).map_err(Failure::Compiler),
        None => {
            let (source, mut file) = temporary::file(".c")?;
            if let Err(why) = file.write_all(text.as_bytes()) {
                // What is there of it is no text.
                let _ = std::fs::remove_file(&source);
                return Err(Failure::File(why));
            }
            let compiled = compile(&source, output).map_err(Failure::Compiler);
            if compiled.is_ok() || evidence == Evidence::Removed {
                std::fs::remove_file(&source)?;
            }
            compiled
        }
    });
    made.map_err(|failure| match failure {
        Failure::Compiler(error) => error,
        Failure::File(why) => Box::new(errors::unwritable(key, &why)),
    })
}

/// The key under which the cache knows a command line. Nothing has been read yet.
pub fn program_key(root: &str, request: &Request, compiler: &CCompiler) -> Option<String> {
    // Places in messages are named relative to the current folder.
    let folder = std::env::current_dir().ok()?;
    let mut what = own_identity()?;
    let Request { target, mode, warnings, entry_points, safe, floats, .. } = request;
    let Request { foreign, plan, profiled, .. } = request;
    let foreign = foreign.identity();
    let passes: Vec<&str> = plan.passes.iter().map(|pass| pass.name).collect();
    // Writing to a string does not fail.
    let _ = write!(
        what,
        " {target:?} {mode:?} {warnings:?} {entry_points:?} {safe} {floats:?} {foreign} {passes:?} {profiled} {:?}",
        plan.without
    );
    let folder = folder.to_str()?;
    let compiler = compiler.identity();
    Some(hash::digest([what.as_bytes(), folder.as_bytes(), root.as_bytes(), compiler.as_bytes()]))
}

/// Remembers what a command line has led to. If that is impossible, it is compiled again next time.
pub fn remember(cache: &Cache, key: &str, object: &Path, outcome: &Outcome) -> io::Result<()> {
    let folder = std::env::current_dir()?;
    let own = outcome.loaded.files.iter().filter(|file| !file.in_prelude);
    let files: Vec<(PathBuf, &str)> = own
        .map(|file| {
            let source = outcome.sources.file(file.id);
            (folder.join(&source.name), source.text.as_str())
        })
        .collect();
    cache.set_program(key, object, files.iter().map(|(path, text)| (path.as_path(), *text)))
}

/// What distinguishes this compiler from others: its version, and when it was built. Reading all of it would
/// take longer than most programs run.
fn own_identity() -> Option<String> {
    let data = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = data.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("fehu {} {} {}", env!("CARGO_PKG_VERSION"), data.len(), built.as_nanos()))
}

/// Why there is no object.
enum Failure {
    Compiler(Box<Diagnostic>),
    File(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::File(error)
    }
}

fn store(path: &Path, text: &str) -> Res<()> {
    save::save(path, text).map_err(|why| unwritable(path, &why))
}

fn unwritable(path: &Path, why: &io::Error) -> Box<Diagnostic> {
    Box::new(errors::unwritable(&path.display().to_string(), why))
}
