//! What tests of compiled programs have in common: folders, the drop-in on PATH, and things that are made once.
pub(crate) mod random;
#[cfg(unix)]
pub(crate) mod screen;
#[cfg(unix)]
pub(crate) mod server;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Flags of a C compiler that make mistakes visible. Those that come last save a fifth of its time: an access through a null
/// pointer ends a program anyway, sizes of objects are known to the optimiser only, and addresses are checked in functions.
pub(crate) const SANITIZE: &str = "-g1 -fsanitize=address,undefined -fno-sanitize-recover=all \
     -fno-sanitize=null,object-size --param=asan-instrumentation-with-call-threshold=0";

/// Out of memory is what programs have to cope with, so it must not end them.
pub(crate) const ASAN_OPTIONS: &str = "allocator_may_return_null=1:detect_leaks=1";

/// The folder of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there")
}

/// A new folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // What an earlier run has left would hide what is not written.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// A folder that stays from one run to the next, used by one process at a time, as long as the file lives.
pub(crate) fn kept(name: &str) -> (PathBuf, File) {
    kept_in(Path::new(env!("CARGO_TARGET_TMPDIR")), name)
}

/// The same for what others wrote and takes long to install or to compile: where `./test` says, for all clones, or in
/// the target folder.
pub(crate) fn kept_for_all_clones(name: &str) -> (PathBuf, File) {
    match std::env::var_os("FEHU_TESTS_KEPT") {
        Some(place) => kept_in(Path::new(&place), name),
        None => kept(name),
    }
}

fn kept_in(place: &Path, name: &str) -> (PathBuf, File) {
    let folder = place.join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let lock = File::create(folder.join("lock")).expect("the lock can be made");
    lock.lock().expect("it can be locked");
    (folder, lock)
}

/// Where compiled programs, runtimes and kernels are kept: from one test to the next, and not among those of the user.
pub(crate) fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache")
}

/// Where files are left that belong to errors.
fn temporary() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("temporary");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Our compiler. The C compiler does not optimise, because nearly all of the time would be its.
pub(crate) fn fehu() -> Command {
    let mut command = fehu_with_own_flags();
    command.env("CFLAGS", "-O0");
    command
}

/// Our compiler, as users have it: it chooses the flags of the C compiler.
pub(crate) fn fehu_with_own_flags() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fehu"));
    command.env("XDG_CACHE_HOME", cache()).env("TMPDIR", temporary());
    command.env_remove("CC").env_remove("CFLAGS").env("ASAN_OPTIONS", ASAN_OPTIONS);
    command
}

/// The variable PATH with a folder in front in which our compiler is called `futhark`.
pub(crate) fn path_with_futhark(folder: &Path) -> String {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).expect("the folder can be made");
    let link = bin.join("futhark");
    if !link.exists() {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fehu"), &link).expect("a link can be made");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", bin.display())
}

/// Takes away what belongs to the compilation of the tests, from a command that compiles something else.
pub(crate) fn compile_apart(command: &mut Command) {
    let ours = [
        "CFLAGS",
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WORKSPACE_WRAPPER",
        "CLIPPY_ARGS",
    ];
    for name in ours {
        command.env_remove(name);
    }
}

/// Removes what was compiled of our own packages, which the target folder of all clones would have once for each of them.
pub(crate) fn remove_compiled(target: &Path, package: &Path, names: &[&str]) {
    let mut clean = Command::new(env!("CARGO"));
    clean.args(["clean", "--quiet", "--offline", "--target-dir"]).arg(target).current_dir(package);
    for name in names {
        clean.args(["--package", name]);
    }
    succeed(&mut clean);
}

/// Runs a command that has to succeed; what it writes is shown otherwise.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, both(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What a command has written.
pub(crate) fn both(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}
