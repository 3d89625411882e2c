//! Packages of Python that tests need: clients of compiled programs and of the language server, and the compiler of CUDA kernels. They are installed
//! on the first run, in one virtual environment, which is kept in the target folder.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files that say what is needed, below `tests`.
const REQUIREMENTS: [&str; 3] =
    ["clients/python/requirements.txt", "nvrtc/requirements.txt", "editors/requirements.txt"];

/// The interpreter of the virtual environment, which is made when the requirements change.
pub(crate) fn python() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let lock = File::create(folder.join("lock")).expect("the lock can be made");
    lock.lock().expect("it can be locked");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let files = REQUIREMENTS.map(|file| tests.join(file));
    let read = |file| std::fs::read_to_string(file).expect("the requirements are there");
    let wanted = files.each_ref().map(read).concat();
    let environment = folder.join("environment");
    let (python, stamp) = (environment.join("bin/python"), environment.join("installed.txt"));
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return python;
    }
    // What is half installed is made anew.
    let _ = std::fs::remove_dir_all(&environment);
    succeed(Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(&environment));
    // To install pip takes longer than all the rest, and most systems have one that can work for others.
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--python"]).arg(&python);
    if !works(&pip) {
        succeed(Command::new(&python).args(["-m", "ensurepip"]));
        pip = Command::new(&python);
        pip.args(["-m", "pip"]);
    }
    pip.args(["install", "--quiet", "--no-compile", "--disable-pip-version-check"]);
    for file in files {
        pip.arg("-r").arg(file);
    }
    succeed(&mut pip);
    std::fs::write(&stamp, wanted).expect("it can be noted");
    python
}

/// Whether this pip is there, and knows its options.
fn works(pip: &Command) -> bool {
    let mut asked = Command::new(pip.get_program());
    asked.args(pip.get_args()).arg("--version");
    asked.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let said = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&said));
}
