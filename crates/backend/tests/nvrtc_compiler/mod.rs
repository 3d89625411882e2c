//! The compiler of CUDA kernels, from a Python package. It is installed on the first run, and kept in the target folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a device program to PTX. The name is that of its file, which no other test may have.
pub(crate) fn ptx(name: &str, source: &str) -> String {
    let path = written(name, source);
    succeed(compiler().arg(&path));
    std::fs::read_to_string(path.with_extension("ptx")).expect("there is PTX")
}

/// Makes sure that device programs, each with a name, are accepted; nothing is made of them.
#[allow(dead_code, reason = "the tests of the runtime need code")]
pub(crate) fn accepts(programs: &[(String, String)]) {
    let paths: Vec<PathBuf> = programs.iter().map(|(name, source)| written(name, source)).collect();
    let said = succeed(compiler().arg("--accept").args(&paths));
    assert_eq!(said.matches(": accepted").count(), programs.len(), "{said}");
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvrtc");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn written(name: &str, source: &str) -> PathBuf {
    let path = folder().join(format!("{name}.cu"));
    std::fs::write(&path, source).expect("the program can be written");
    path
}

fn compiler() -> Command {
    let mut command = Command::new(python(&folder()));
    command.arg(scripts().join("compile.py"));
    command
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/nvrtc")
}

/// A virtual environment with the compiler, made when the requirements change.
fn python(folder: &Path) -> PathBuf {
    let lock = File::create(folder.join("lock")).expect("the lock can be made");
    lock.lock().expect("it can be locked");
    let requirements = scripts().join("requirements.txt");
    let wanted = std::fs::read_to_string(&requirements).expect("the requirements are there");
    let environment = folder.join("environment");
    let (python, stamp) = (environment.join("bin/python"), environment.join("installed.txt"));
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    // What is half installed is made anew.
    let _ = std::fs::remove_dir_all(&environment);
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment));
    let pip =
        ["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", "-r"];
    succeed(Command::new(&python).args(pip).arg(&requirements));
    std::fs::write(&stamp, wanted).expect("it can be noted");
    python
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    said
}
