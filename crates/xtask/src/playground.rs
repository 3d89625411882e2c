//! `cargo xtask playground`: the compiler as WebAssembly, and the page around it, as one folder of static files.
//!
//! The modules are `crates/web`, compiled for `wasm32-unknown-unknown` with and without what looks into programs; the
//! page is `crates/web/page`, whose few packages npm installs below the target folder. Nothing but these needs a
//! network.

mod toolchain;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use toolchain::Toolchain;

/// The name of the target.
const TARGET: &str = "wasm32-unknown-unknown";
/// The most memory that a program in a page may have.
const MOST_MEMORY: usize = 512 << 20;
/// The stack of the module, which is a part of its memory.
const STACK: usize = 8 << 20;

/// Build the playground.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The folder to make; by default `playground` in the target folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Make the module as small as possible, for releases; it takes minutes.
    #[arg(long)]
    small: bool,
    /// Drive the page in Chromium afterwards.
    #[arg(long)]
    test: bool,
    /// Do not build: test what is there.
    #[arg(long, requires = "test")]
    no_build: bool,
    /// Keep pictures of the page in this folder.
    #[arg(long, value_name = "FOLDER", requires = "test")]
    screenshots: Option<PathBuf>,
}

/// Builds the playground, and tests it.
pub(crate) fn run(args: &Args, root: &Path) -> ExitCode {
    match build(args, root) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

type Res<T> = Result<T, String>;

fn build(args: &Args, root: &Path) -> Res<()> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => std::path::absolute(folder).map_err(|error| error.to_string())?,
        None => root.join("target"),
    };
    let out = match &args.out {
        Some(out) => std::path::absolute(out).map_err(|error| error.to_string())?,
        None => target.join("playground"),
    };
    let packages = target.join("playground-packages");
    install(root, &packages)?;
    if !args.no_build {
        let modules = modules(root, &target.join("wasm"))?;
        let mut node = Command::new("node");
        node.arg("build.mjs").current_dir(&packages);
        node.arg("--wasm").arg(modules).arg("--out").arg(&out).arg("--repository").arg(root);
        if args.small {
            node.arg("--small");
        }
        execute(&mut node)?;
        println!("The playground is in {}. To look at it:", out.display());
        println!("  python3 -m http.server --directory {}", out.display());
    }
    if args.test {
        let mut node = Command::new("node");
        node.arg("test.mjs").arg("--folder").arg(&out).arg("--repository").arg(root);
        node.current_dir(&packages);
        if let Some(folder) = &args.screenshots {
            let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
            node.arg("--screenshots").arg(folder);
        }
        execute(&mut node)?;
    }
    Ok(())
}

/// The modules of the page, and the features of the crate that they have: what is needed at once, and all of it, for
/// those who look into programs.
const MODULES: [(&str, &[&str]); 2] = [("fehu", &["--no-default-features"]), ("look", &[])];

/// Compiles the modules, and gives the folder that they are in.
fn modules(root: &Path, target: &Path) -> Res<PathBuf> {
    let toolchain = Toolchain::find()?;
    let folder = target.join("modules");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, features) in MODULES {
        let mut cargo = toolchain.cargo();
        cargo.args(["rustc", "--package", "fehu-web", "--lib", "--crate-type", "cdylib"]);
        cargo.args(features).args(["--profile", "web", "--target", TARGET]);
        cargo.arg("--target-dir").arg(target);
        // What another build wants is not meant for this one.
        cargo
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .env_remove("CARGO_TARGET_DIR")
            .current_dir(root);
        cargo.args(["--", "-C", &format!("link-arg=--max-memory={MOST_MEMORY}")]);
        cargo.args(["-C", "link-arg=-z", "-C", &format!("link-arg=stack-size={STACK}")]);
        execute(&mut cargo)?;
        let made = target.join(TARGET).join("web").join("fehu_web.wasm");
        let kept = folder.join(format!("{name}.wasm"));
        std::fs::copy(&made, &kept).map_err(|error| format!("{}: {error}", made.display()))?;
    }
    Ok(folder)
}

/// Installs the packages of the page, and puts its sources beside them.
fn install(root: &Path, packages: &Path) -> Res<()> {
    let page = root.join("crates/web/page");
    copy(&page, packages)?;
    let lock = std::fs::read(page.join("package-lock.json")).map_err(|error| error.to_string())?;
    let stamp = packages.join("node_modules/.fehu-lock");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(packages);
    execute(&mut npm)?;
    std::fs::write(&stamp, lock).map_err(|error| format!("{}: {error}", stamp.display()))
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Res<()> {
    let told = |error: std::io::Error| format!("{}: {error}", from.display());
    std::fs::create_dir_all(to).map_err(told)?;
    for entry in std::fs::read_dir(from).map_err(told)? {
        let entry = entry.map_err(told)?;
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &to)?,
            false => drop(std::fs::copy(&path, &to).map_err(told)?),
        }
    }
    Ok(())
}

/// Runs a command to its end.
fn execute(command: &mut Command) -> Res<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| {
        let where_from = match name.as_str() {
            "npm" | "node" => "; it is part of Node.js (on Debian: nodejs npm)",
            _ => "",
        };
        format!("`{name}` cannot be started: {error}{where_from}")
    })?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed ({status})")) }
}
