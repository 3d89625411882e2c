//! `fehu new`: a folder with a project that works.
//!
//! What is in it are the files of `templates/`, with names put in.

use crate::args::small::{Host, NewArgs};
use crate::commands::SUCCESS;
use crate::output;
use crate::run::wrong;
use fehu_driver::save::save;
use fehu_pkg::{PackagePath, Project};
use std::path::Path;

/// Where a file goes, and its text; names are to be put in both.
type Template = (&'static str, &'static str);

const PROGRAM: Template = ("@NAME@.fut", include_str!("templates/program.fut"));
const README: Template = ("README.md", include_str!("templates/README.md"));
const MAKEFILE: Template = ("Makefile", include_str!("templates/Makefile"));

const PLAIN: &[Template] = &[PROGRAM, README, MAKEFILE, (".gitignore", "/@NAME@\n/@NAME@.c\n")];

const C: &[Template] = &[
    PROGRAM,
    README,
    ("main.c", include_str!("templates/main.c")),
    ("Makefile", include_str!("templates/Makefile.c")),
    (".gitignore", "/@NAME@\n/@MODULE@.c\n/@MODULE@.h\n/@MODULE@.json\n"),
];

const RUST: &[Template] = &[
    ("@MODULE@.fut", include_str!("templates/program.fut")),
    ("Cargo.toml", include_str!("templates/Cargo.toml.txt")),
    ("build.rs", include_str!("templates/build.rs.txt")),
    ("src/main.rs", include_str!("templates/main.rs.txt")),
    (".gitignore", "/target\n"),
];

const PYTHON: &[Template] = &[
    PROGRAM,
    README,
    MAKEFILE,
    ("main.py", include_str!("templates/main.py.txt")),
    (".gitignore", "/@NAME@\n/@NAME@.c\n__pycache__/\n"),
];

const PACKAGE: &[Template] = &[
    ("lib/@PATH@/@NAME@.fut", include_str!("templates/package.fut")),
    ("lib/@PATH@/@NAME@_tests.fut", include_str!("templates/package_tests.fut")),
    ("README.md", include_str!("templates/package_README.md")),
    ("Makefile", include_str!("templates/package_Makefile")),
    // What is required is fetched; what is ours is kept.
    (".gitignore", "/lib/*\n!/lib/@FIRST@/\n"),
];

/// `fehu new`
pub(crate) fn new(args: &NewArgs) -> u8 {
    let folder = Path::new(&args.folder);
    let name =
        folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_name(&name) {
        return wrong(&format!(
            "\"{name}\" cannot be the name of a project: it should be a letter, and then letters, digits, `_` or `-`"
        ));
    }
    if folder.exists() {
        return wrong(&format!("\"{}\" already exists", args.folder));
    }
    let path = match args.package.as_deref().map(PackagePath::parse).transpose() {
        Ok(path) => path,
        Err(why) => return wrong(&why),
    };
    let templates = match (&path, args.host) {
        (Some(_), _) => PACKAGE,
        (None, None) => PLAIN,
        (None, Some(Host::C)) => C,
        (None, Some(Host::Rust)) => RUST,
        (None, Some(Host::Python)) => PYTHON,
    };
    let path = path.as_ref();
    let package = path.map_or("", PackagePath::as_str);
    let names = [
        ("@NAME@", name.clone()),
        // What may stand in names of C and Rust.
        ("@MODULE@", name.replace('-', "_")),
        ("@PATH@", package.to_owned()),
        ("@FIRST@", package.split('/').next().unwrap_or_default().to_owned()),
    ];
    let fill =
        |text: &str| names.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    let mut made = Vec::new();
    for (file, text) in templates {
        let file = fill(file);
        if let Err(why) = write(&folder.join(&file), &fill(text)) {
            return wrong(&format!("cannot write \"{}/{file}\": {why}", args.folder));
        }
        made.push(file);
    }
    if let Some(path) = path {
        if let Err(error) = Project::init(folder, path) {
            return wrong(&error.to_string());
        }
        made.push("futhark.pkg".to_owned());
    }
    made.sort();
    let list: String = made.iter().map(|file| format!("  {}/{file}\n", args.folder)).collect();
    output::stdout(&format!("{list}{}\n", next(args)));
    SUCCESS
}

/// What to do next.
fn next(args: &NewArgs) -> String {
    let run = match args.host {
        Some(Host::Rust) => "cargo run",
        Some(Host::Python) => "python main.py",
        Some(Host::C) => "make",
        None => "make test",
    };
    format!("Next: cd {} && {run}", args.folder)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    save(file, text)
}
