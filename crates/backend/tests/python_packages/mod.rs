//! Packages of Python that tests need: clients of compiled programs and of the language server, the compiler of CUDA
//! kernels, and what the Python package is tested with. They are installed on the first run, in virtual environments,
//! which are kept in the target folder.
//!
//! `uv` installs them, which takes a tenth of the time that pip takes; pip installs `uv`, and the rest where that does not work.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The interpreter of an environment with the packages that a file below `tests` names.
pub(crate) fn python(file: &str) -> PathBuf {
    let name = format!("python-{}", file.split('/').next().unwrap_or_default());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let lock = File::create(folder.join("lock")).expect("the lock can be made");
    lock.lock().expect("it can be locked");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let wanted = std::fs::read_to_string(tests.join(file)).expect("the file is there");
    let lines = wanted.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    environment(&folder, &lines.filter(|line| !line.is_empty()).collect::<Vec<_>>())
}

/// The interpreter of an environment in a folder, which is made when the requirements change.
pub(crate) fn environment(folder: &Path, requirements: &[&str]) -> PathBuf {
    let environment = folder.join("environment");
    let (python, stamp) = (environment.join("bin/python"), environment.join("installed.txt"));
    let wanted = requirements.join("\n");
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    // What is half installed is made anew.
    make(&environment);
    let mut uv = Command::new(uv());
    uv.args(["pip", "install", "--quiet", "--native-tls", "--python"]).arg(&python);
    // PyTorch for processors, where its own index can be reached.
    uv.env("UV_TORCH_BACKEND", "cpu");
    if !works(uv.args(requirements)) {
        succeed(pip(&python).args(requirements));
    }
    std::fs::write(&stamp, wanted).expect("it can be noted");
    python
}

/// The command of pip that installs packages into the environment of an interpreter.
pub(crate) fn pip(python: &Path) -> Command {
    // To install pip takes longer than all the rest, and most systems have one that can work for others.
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--python"]).arg(python);
    if !works(Command::new("python3").args(["-m", "pip", "--python"]).arg(python).arg("--version"))
    {
        succeed(Command::new(python).args(["-m", "ensurepip"]));
        pip = Command::new(python);
        pip.args(["-m", "pip"]);
    }
    pip.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
    pip
}

/// The executable of `uv`, in an environment of its own.
fn uv() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-installer");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let lock = File::create(folder.join("lock")).expect("the lock can be made");
    lock.lock().expect("it can be locked");
    let environment = folder.join("environment");
    let uv = environment.join("bin/uv");
    if !works(Command::new(&uv).arg("--version")) {
        make(&environment);
        succeed(pip(&environment.join("bin/python")).arg("uv==0.13.8"));
    }
    uv
}

/// Makes an empty environment.
fn make(environment: &Path) {
    let _ = std::fs::remove_dir_all(environment);
    succeed(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(environment));
}

/// Whether a command is there, and succeeds.
fn works(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}
