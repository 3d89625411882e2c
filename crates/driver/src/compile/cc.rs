//! The C compiler: which one, with which flags, and what it says when it fails.
//!
//! `CC` names it, with arguments if need be; otherwise it is the first of `cc`, `gcc` and `clang` that is there, and
//! where there is none, the one in the package `ziglang` of a Python: the one that `FEHU_PYTHON` names, which is beside
//! us, or which is on the path. `CFLAGS` replaces our flags. In both, quotes and backslashes mean what they do in a
//! shell, so that names may have blanks. Ours are for gcc and clang on a common machine; what a compiler does not know
//! is left out, which is tried once and remembered.

use super::Floats;
use crate::cache::Cache;
use crate::foreign::{self, Inputs};
use crate::stages::{Artifacts, Target};
use crate::temporary::Folder;
use crate::{errors, temporary};
use fehu_backend::foreign::Prototype;
use fehu_base::{Diagnostic, hash};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::SystemTime;

/// A C compiler with flags.
#[derive(Clone, Debug)]
pub struct CCompiler {
    program: PathBuf,
    /// Arguments that are part of its name, as in `CC="ccache gcc"`.
    arguments: Vec<String>,
    flags: Vec<String>,
    /// A flag for programs only, after the others; not for the runtime, which is compiled once.
    program_flag: Option<&'static str>,
    /// Whether programs are shared libraries.
    shared: bool,
    /// What programs are compiled and linked with.
    foreign: Arc<Inputs>,
    /// The functions that these have to define.
    declared: Vec<Prototype>,
    /// A file with their prototypes, and the folder that it is in.
    prototypes: Option<(PathBuf, Arc<Folder>)>,
    /// Whether it comes with a package, since there is no other.
    brought: bool,
    /// Whether somebody reads what it says.
    heard: bool,
}

type Res<T> = Result<T, Box<Diagnostic>>;

const NAMES: [&str; 3] = ["cc", "gcc", "clang"];

/// Lists of flags, the best first; the last one is for compilers that know hardly anything.
/// With `-std=c11` some compilers do not contract a product and a sum to one operation, unless they are told to. And some
/// distributions let their compilers check copies and stacks at run time (Ubuntu: `-D_FORTIFY_SOURCE=3
/// -fstack-protector-strong`). Such copies do not stay in registers: scans of 100,000 numbers take twice as long. What the
/// code may access has been checked when it was made.
const FLAGS: [&[&str]; 4] = [
    &[
        "-O3",
        "-march=native",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=fast",
        "-fopenmp-simd",
        "-U_FORTIFY_SOURCE",
        "-fno-stack-protector",
        "-std=c11",
    ],
    &[
        "-O3",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-ffp-contract=fast",
        "-fopenmp-simd",
        "-U_FORTIFY_SOURCE",
        "-fno-stack-protector",
        "-std=c11",
    ],
    &["-O3", "-std=c11"],
    &[],
];

/// What follows the best flags on processors with vectors of 512 bits that do not slow down for them: gcc would use
/// half of each vector. On a Xeon of the fourth generation, eight benchmark programs ran 1.10 times as fast with it
/// (0.95 to 1.5).
const WHOLE_VECTORS: &str = "-mprefer-vector-width=512";

/// Likewise, for copies, where gcc has them (12): what is stored by a whole vector and read by halves, or the other way
/// round, waits for the cache. Gradients of determinants of 8 x 8, whose loops copy rows, take 0.82 of the time.
const WHOLE_COPIES: [&str; 2] = ["-mmove-max=512", "-mstore-max=512"];

/// Likewise, where vectors gather elements fast. If gcc does not know the model, it tunes for processors in general, and
/// gathers nothing: version 12 does not know Xeons of the fifth generation, and there two benchmark programs, canny and
/// particlefilter, take twice as long without it.
const GATHERS: &str = "-mtune=sapphirerapids";

/// How a runtime for GPUs is compiled: it reads and writes values, and is kept.
const GPU_RUNTIME: &str = "-O1";

/// How the host's part of a program for GPUs is compiled. It launches kernels, and what it computes are sizes: fft's
/// has 27,000 lines, and is no faster for 15 s of effort. There may be loops of scalars: with this they take 1.6 times
/// as long as with `-O3`, and with `-O0` ten times. gcc takes half the time that it needs for `-O1`.
const GPU_PROGRAM: &str = "-Og";

/// What is added if every operation on floats is rounded: a product and a sum are two.
const ROUNDED: &str = "-ffp-contract=off";

/// What programs are linked with.
const LIBRARIES: [&str; 3] = ["-lm", "-lpthread", "-ldl"];

/// How shared libraries are linked. Several of them in one process have functions of the same names: each calls its own.
const SHARED: &[&str] =
    if cfg!(target_os = "linux") { &["-shared", "-Wl,-Bsymbolic"] } else { &["-shared"] };

/// How much is shown of what the compiler says.
const LINES: usize = 12;

impl CCompiler {
    /// One without a name, arguments or flags.
    fn nameless() -> CCompiler {
        let (program, arguments, flags) = (PathBuf::new(), Vec::new(), Vec::new());
        let (foreign, declared, prototypes) = (Arc::default(), Vec::new(), None);
        CCompiler {
            program,
            arguments,
            flags,
            program_flag: None,
            shared: false,
            foreign,
            declared,
            prototypes,
            brought: false,
            heard: true,
        }
    }

    /// Looks for the compiler, and for flags that suit programs for a target.
    pub fn find(cache: Option<&Cache>, target: Target, floats: Floats) -> Res<CCompiler> {
        let variable = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let mut compiler = match variable("CC") {
            Some(cc) => {
                let mut arguments = words(&cc);
                // A name with blanks is a name, if there is such a file.
                let whole = search(cc.trim()).filter(|_| arguments.len() > 1);
                let name = match (&whole, arguments.is_empty()) {
                    (None, false) => arguments.remove(0),
                    _ => cc.trim().to_owned(),
                };
                let (program, arguments) = match whole {
                    Some(program) => (Some(program), Vec::new()),
                    None => (search(&name), arguments),
                };
                let program = program.ok_or_else(|| errors::no_c_compiler(&[name]))?;
                CCompiler { program, arguments, ..CCompiler::nameless() }
            }
            None => {
                let found = NAMES.into_iter().find_map(search);
                let own = found.map(|program| CCompiler { program, ..CCompiler::nameless() });
                own.or_else(CCompiler::of_python)
                    .ok_or_else(|| errors::no_c_compiler(&NAMES.map(str::to_owned)))?
            }
        };
        match variable("CFLAGS") {
            Some(flags) => compiler.flags = words(&flags),
            None => {
                compiler.flags = match compiler.brought {
                    // It is known, and reads nothing from standard input to be asked.
                    true => FLAGS[0].iter().map(|&flag| flag.to_owned()).collect(),
                    false => compiler.own_flags(cache),
                };
                if target.is_gpu() {
                    compiler.optimise_less();
                }
            }
        }
        match floats {
            Floats::Strict | Floats::Rounded => compiler.flags.push(ROUNDED.to_owned()),
            Floats::Contracted | Floats::Fast => {}
        }
        Ok(compiler)
    }

    /// The one that a package of Python contains.
    fn of_python() -> Option<CCompiler> {
        let named = std::env::var_os("FEHU_PYTHON").map(PathBuf::from);
        let beside = std::env::current_exe().ok().map(|own| own.with_file_name("python3"));
        let pythons = named.into_iter().chain(beside).chain(search("python3"));
        let has_it = |python: &PathBuf| {
            let mut command = Command::new(python);
            command.args(["-c", "import ziglang"]).stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let program = pythons.filter(|python| python.is_file()).find(has_it)?;
        let arguments = ["-m", "ziglang", "cc"].map(str::to_owned).to_vec();
        Some(CCompiler { program, arguments, brought: true, ..CCompiler::nameless() })
    }

    /// Whether objects can have any names.
    pub(crate) fn takes_objects(&self) -> bool {
        !self.brought
    }

    /// Whether it is one that nobody has asked for, so that people should know.
    pub fn is_brought(&self) -> bool {
        self.brought
    }

    /// The same compiler with other flags.
    pub fn with_flags(mut self, flags: &[&str]) -> CCompiler {
        self.flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        self.program_flag = None;
        self
    }

    /// The same compiler, for programs with foreign functions.
    #[must_use]
    pub fn linking(self, foreign: &Arc<Inputs>) -> CCompiler {
        CCompiler { foreign: foreign.clone(), ..self }
    }

    /// The same compiler, for programs that are shared libraries.
    #[must_use]
    pub fn sharing(mut self) -> CCompiler {
        self.flags.push("-fPIC".to_owned());
        CCompiler { shared: true, ..self }
    }

    /// What it is called: `/usr/bin/gcc`, `/usr/bin/python3 -m ziglang cc`.
    pub fn name(&self) -> String {
        let words = std::iter::once(self.program.display().to_string());
        words.chain(self.arguments.iter().cloned()).collect::<Vec<_>>().join(" ")
    }

    /// What it says when it is asked for its version: the first line.
    pub fn version(&self) -> String {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg("--version").stdin(Stdio::null());
        let said = command.output().map(|output| output.stdout).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        said.lines().next().unwrap_or("which does not tell its version").to_owned()
    }

    /// The flags that all programs for its target are compiled with.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// The same compiler for one program, whose foreign functions are defined with the types that they should have.
    pub(crate) fn for_program(&self, artifacts: &Artifacts) -> Res<CCompiler> {
        let mut compiler = CCompiler { declared: artifacts.foreign.clone(), ..self.clone() };
        if self.foreign.has_sources() && !artifacts.foreign.is_empty() {
            let header = foreign::header(artifacts);
            let folder = Folder::new().map_err(|why| errors::unwritable("prototypes.h", &why))?;
            let path = folder.path().join("prototypes.h");
            std::fs::write(&path, header)
                .map_err(|why| errors::unwritable(&path.display().to_string(), &why))?;
            compiler.prototypes = Some((path, Arc::new(folder)));
        }
        Ok(compiler)
    }

    /// The same compiler, of whose errors nobody will know: it leaves no files with them.
    pub(crate) fn unheard(&self) -> CCompiler {
        CCompiler { heard: false, ..self.clone() }
    }

    /// Takes back most of the effort that our flags ask for: most of the time of programs for GPUs is not the host's.
    fn optimise_less(&mut self) {
        for flag in self.flags.iter_mut().filter(|flag| *flag == "-O3") {
            *flag = GPU_RUNTIME.to_owned();
            self.program_flag = Some(GPU_PROGRAM);
        }
    }

    /// What distinguishes it from others: the program, when it was installed, and the flags.
    pub fn identity(&self) -> String {
        let data = std::fs::metadata(&self.program).ok();
        let installed = data.as_ref().and_then(|data| data.modified().ok());
        let installed = installed.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let size = data.as_ref().map(std::fs::Metadata::len);
        format!(
            "{} {:?} {:?} {:?} {} {size:?} {installed:?}",
            self.program.display(),
            self.arguments,
            self.flags,
            self.program_flag,
            self.shared
        )
    }

    /// The same with what programs are linked with.
    pub fn program_identity(&self) -> String {
        format!("{} {:?}", self.identity(), self.foreign)
    }

    fn foreign_arguments(&self) -> Vec<String> {
        self.foreign.arguments(self.prototypes.as_ref().map(|(path, _)| path.as_path()))
    }

    /// Compiles and links a file.
    pub fn compile(&self, source: &Path, output: &Path) -> Res<()> {
        let mut command = self.program_command();
        command
            .arg(plain(source))
            .arg("-o")
            .arg(plain(output))
            .args(self.foreign_arguments())
            .args(LIBRARIES);
        self.run(command)
    }

    /// Compiles a file without the runtime, and links it with that.
    pub fn compile_with(&self, source: &Path, runtime: &Path, output: &Path) -> Res<()> {
        let mut command = self.program_command();
        command.arg("-DFE_SEPARATE");
        command.arg(plain(source)).arg(plain(runtime));
        command.arg("-o").arg(plain(output));
        command.args(self.foreign_arguments()).args(LIBRARIES);
        self.run(command)
    }

    /// Compiles a file without linking it.
    pub fn compile_object(&self, source: &Path, output: &Path) -> Res<()> {
        let mut command = self.command();
        command.arg("-c").arg(plain(source)).arg("-o").arg(plain(output));
        self.run(command)
    }

    /// To compile and link a program.
    fn program_command(&self) -> Command {
        let mut command = self.command();
        command.args(self.program_flag);
        if self.shared {
            command.args(SHARED);
        }
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).args(&self.flags);
        command
    }

    /// Runs it to its end.
    fn run(&self, mut command: Command) -> Res<()> {
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
        if let Some(error) = foreign::explained(&said, &self.declared) {
            return Err(Box::new(error));
        }
        let lines: Vec<&str> = said.lines().take(LINES).collect();
        let error = errors::c_compiler_failed(&shown, &done.status.to_string(), &lines);
        if said.lines().count() <= LINES || !self.heard {
            return Err(Box::new(error));
        }
        let log = temporary::file("-cc.log")
            .and_then(|(path, mut file)| file.write_all(said.as_bytes()).map(|()| path));
        Err(Box::new(match log {
            Ok(log) => error.note(format!("its complete output is in {}", log.display())),
            Err(why) => error.note(format!("the rest of its output could not be saved: {why}")),
        }))
    }

    /// The best flags that it accepts.
    fn own_flags(&self, cache: Option<&Cache>) -> Vec<String> {
        // What was found out about other lists says nothing about these.
        let lists = lists();
        let asked = format!("{lists:?}");
        let key = hash::digest([b"flags".as_slice(), self.identity().as_bytes(), asked.as_bytes()]);
        let known = cache.and_then(|cache| std::fs::read_to_string(cache.object(&key)?).ok());
        if let Some(known) = known {
            return known.lines().map(str::to_owned).collect();
        }
        let accepted = lists.into_iter().find(|flags| self.accepts(flags)).unwrap_or_default();
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

/// The lists of flags for this processor, the best first.
fn lists() -> Vec<Vec<&'static str>> {
    let mut lists = FLAGS.map(<[_]>::to_vec).to_vec();
    if has_fast_wide_vectors() {
        let whole = [FLAGS[0], &[WHOLE_VECTORS]].concat();
        let copies = [whole.as_slice(), &WHOLE_COPIES].concat();
        let gathers = [copies.as_slice(), &[GATHERS]].concat();
        let best = if has_fast_gathers() { vec![gathers] } else { Vec::new() };
        lists.splice(0..0, best.into_iter().chain([copies, whole]));
    }
    lists
}

/// Whether vectors of 512 bits are as good as two of half the size: with the instructions that came with the second
/// generation of such processors.
#[cfg(target_arch = "x86_64")]
fn has_fast_wide_vectors() -> bool {
    std::arch::is_x86_feature_detected!("avx512vbmi2")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fast_wide_vectors() -> bool {
    false
}

/// Whether it is one of Intel's Xeons from the fourth generation on: of the processors of today, only these have
/// arithmetic on f16 in vectors of 512 bits.
#[cfg(target_arch = "x86_64")]
fn has_fast_gathers() -> bool {
    std::arch::is_x86_feature_detected!("avx512fp16")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_fast_gathers() -> bool {
    false
}

/// A path that no compiler takes for an option or for a list of arguments.
fn plain(path: &Path) -> PathBuf {
    if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) }
}

/// The words of a text, as a shell finds them: blanks separate words unless they are quoted.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => {
                // At the end it stands for itself.
                let next = characters.next().unwrap_or('\\');
                word.get_or_insert_default().push(next);
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let check = |text: &str, expected: &[&str]| assert_eq!(words(text), expected, "{text}");
        check("  ccache  gcc\t-O1 ", &["ccache", "gcc", "-O1"]);
        check("'/my tools/cc' -DX=\"a b\"", &["/my tools/cc", "-DX=a b"]);
        check(r"/my\ tools/cc '\' \\", &["/my tools/cc", r"\", r"\"]);
        check("a'b'\"c\" '' \"", &["abc", "", ""]);
        check("$(rm) `rm` ; rm", &["$(rm)", "`rm`", ";", "rm"]);
        check(" ", &[]);
    }

    #[test]
    fn the_host_is_optimised_less() {
        let mut compiler = CCompiler::nameless();
        // A compiler that knows no flags gets none.
        compiler.optimise_less();
        assert_eq!((compiler.flags.as_slice(), compiler.program_flag), (&[][..], None));
        compiler = compiler.with_flags(FLAGS[0]);
        compiler.optimise_less();
        assert_eq!(compiler.flags[0], "-O1");
        assert_eq!(compiler.flags[1..], FLAGS[0][1..]);
        assert_eq!(compiler.program_flag, Some("-Og"));
    }

    #[test]
    fn compilers_that_know_fewer_processors_lose_nothing_else() {
        let lists = lists();
        let plain: Vec<&str> = lists[0].iter().copied().filter(|flag| *flag != GATHERS).collect();
        assert!(lists.contains(&plain));
        assert!(lists[1..].iter().flatten().all(|flag| *flag != GATHERS));
    }

    #[test]
    fn names_are_no_options() {
        assert_eq!(plain(Path::new("-x.c")), Path::new("./-x.c"));
        assert_eq!(plain(Path::new("@x.c")), Path::new("./@x.c"));
        assert_eq!(plain(Path::new("/a/-x.c")), Path::new("/a/-x.c"));
    }
}
