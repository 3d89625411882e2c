//! Embeds the prelude and the error pages: writes one table of names and texts for each folder.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let crate_dir = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let root = Path::new(&crate_dir).join("../..");
    embed(&root.join("prelude"), "fut", "prelude.rs")?;
    embed(&root.join("docs/errors"), "md", "pages.rs")
}

/// Writes `[("name", include_str!("path")), ...]`, sorted by name, for the files of a folder.
fn embed(folder: &Path, extension: &str, output: &str) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut paths = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|found| found == extension) {
                paths.push(path.canonicalize()?);
            }
        }
    }
    paths.sort();
    let mut table = String::from("&[\n");
    for path in paths {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("");
        println!("cargo::rerun-if-changed={}", path.display());
        writeln!(table, "    ({name:?}, include_str!({:?})),", path.display().to_string())
            .map_err(io::Error::other)?;
    }
    table.push(']');
    let out_dir = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out_dir).join(output), table)
}
