//! The C compiler: which one, with which flags, and what it says when it fails.
//!
//! `CC` names it, with arguments if need be; otherwise it is the first of `cc`, `gcc` and `clang` that is there.
//! `CFLAGS` replaces our flags. Ours are for gcc and clang on a common machine; what a compiler does not know is
//! left out, which is tried once and remembered.

use crate::cache::Cache;
use crate::stages::Target;
use crate::{errors, hash};
use fehu_base::Diagnostic;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// A C compiler with flags.
#[derive(Clone, Debug)]
pub struct CCompiler {
    program: PathBuf,
    /// Arguments that are part of its name, as in `CC="ccache gcc"`.
    arguments: Vec<String>,
    flags: Vec<String>,
}

type Res<T> = Result<T, Box<Diagnostic>>;

const NAMES: [&str; 3] = ["cc", "gcc", "clang"];

/// Lists of flags, the best first; the last one is for compilers that know hardly anything.
/// With `-std=c11` some compilers do not contract a product and a sum to one operation, unless they are told to.
const FLAGS: [&[&str]; 4] = [
    &[
        "-O3",
        "-march=native",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=fast",
        "-fopenmp-simd",
        "-std=c11",
    ],
    &[
        "-O3",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=fast",
        "-fopenmp-simd",
        "-std=c11",
    ],
    &["-O3", "-std=c11"],
    &[],
];

/// What strictness about floats adds: a product and a sum are two operations.
const STRICT: &str = "-ffp-contract=off";

/// What programs are linked with.
const LIBRARIES: [&str; 3] = ["-lm", "-lpthread", "-ldl"];

/// How much is shown of what the compiler says.
const LINES: usize = 12;

impl CCompiler {
    /// Looks for the compiler, and for flags that suit programs for a target.
    pub fn find(cache: Option<&Cache>, target: Target, strict_float: bool) -> Res<CCompiler> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut compiler = match variable("CC") {
            Some(cc) => {
                let mut words = words(cc);
                let name = words.remove(0);
                let program = search(&name).ok_or_else(|| errors::no_c_compiler(&[name]))?;
                CCompiler { program, arguments: words, flags: Vec::new() }
            }
            None => {
                let program = NAMES.into_iter().find_map(search);
                let program =
                    program.ok_or_else(|| errors::no_c_compiler(&NAMES.map(str::to_owned)))?;
                CCompiler { program, arguments: Vec::new(), flags: Vec::new() }
            }
        };
        compiler.flags = match variable("CFLAGS") {
            Some(flags) => words(flags),
            None => {
                let mut flags = compiler.own_flags(cache);
                if target.is_gpu() {
                    // The host only launches kernels: fft's host code is 27,000 lines, and no faster for 15 s of effort.
                    flags
                        .iter_mut()
                        .filter(|flag| *flag == "-O3")
                        .for_each(|flag| *flag = "-O1".to_owned());
                }
                flags
            }
        };
        if strict_float {
            compiler.flags.push(STRICT.to_owned());
        }
        Ok(compiler)
    }

    /// The same compiler with other flags.
    pub fn with_flags(mut self, flags: &[&str]) -> CCompiler {
        self.flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        self
    }

    /// What distinguishes it from others: the program, when it was installed, and the flags.
    pub fn identity(&self) -> String {
        let data = std::fs::metadata(&self.program).ok();
        let installed = data.as_ref().and_then(|data| data.modified().ok());
        let installed = installed.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let size = data.as_ref().map(std::fs::Metadata::len);
        format!(
            "{} {:?} {:?} {size:?} {installed:?}",
            self.program.display(),
            self.arguments,
            self.flags
        )
    }

    /// Compiles and links a file.
    pub fn compile(&self, source: &Path, output: &Path) -> Res<()> {
        let mut command = self.command();
        command.arg(source).arg("-o").arg(output).args(LIBRARIES);
        run(command)
    }

    /// Compiles a file without the runtime, and links it with that.
    pub fn compile_with(&self, source: &Path, runtime: &Path, output: &Path) -> Res<()> {
        let mut command = self.command();
        command.arg("-DFE_SEPARATE").arg(source).arg(runtime).arg("-o").arg(output).args(LIBRARIES);
        run(command)
    }

    /// Compiles a file without linking it.
    pub fn compile_object(&self, source: &Path, output: &Path) -> Res<()> {
        let mut command = self.command();
        command.arg("-c").arg(source).arg("-o").arg(output);
        run(command)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(&self.flags);
        command
    }

    /// The best flags that it accepts.
    fn own_flags(&self, cache: Option<&Cache>) -> Vec<String> {
        // What was found out about other lists says nothing about these.
        let asked = format!("{FLAGS:?}");
        let key = hash::digest([b"flags".as_slice(), self.identity().as_bytes(), asked.as_bytes()]);
        let known = cache.and_then(|cache| std::fs::read_to_string(cache.object(&key)?).ok());
        if let Some(known) = known {
            return known.lines().map(str::to_owned).collect();
        }
        let accepted = FLAGS.into_iter().find(|flags| self.accepts(flags)).unwrap_or_default();
        let flags: Vec<String> = accepted.iter().map(|&flag| flag.to_owned()).collect();
        if let Some(cache) = cache {
            // If it cannot be remembered, it is tried again next time.
            let _ = cache.make_object(&key, |path| std::fs::write(path, flags.join("\n")));
        }
        flags
    }

    fn accepts(&self, flags: &[&str]) -> bool {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(flags).args([
            "-Werror",
            "-x",
            "c",
            "-fsyntax-only",
            "-",
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

/// Runs a compiler to its end.
fn run(mut command: Command) -> Res<()> {
    let done = command.stdin(Stdio::null()).output();
    let shown = shown(&command);
    let done = match done {
        Ok(done) => done,
        Err(why) => {
            return Err(Box::new(errors::c_compiler_failed(&shown, &why.to_string(), &[])));
        }
    };
    if done.status.success() {
        return Ok(());
    }
    let mut said = String::from_utf8_lossy(&done.stderr).into_owned();
    said.push_str(&String::from_utf8_lossy(&done.stdout));
    let lines: Vec<&str> = said.lines().take(LINES).collect();
    let error = errors::c_compiler_failed(&shown, &done.status.to_string(), &lines);
    if said.lines().count() <= LINES {
        return Err(Box::new(error));
    }
    let log = std::env::temp_dir().join(format!("fehu-{}-cc.log", std::process::id()));
    Err(Box::new(match std::fs::write(&log, &said) {
        Ok(()) => error.note(format!("its complete output is in {}", log.display())),
        Err(why) => error.note(format!("the rest of its output could not be saved: {why}")),
    }))
}

/// The file that a name means: looked up like the shell does, unless it is a path.
fn search(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).is_file().then(|| PathBuf::from(name));
    }
    let path: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
