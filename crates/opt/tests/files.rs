//! The programs in `tests/ir/PASS/*.ir`, each of them one test of the passes that it names; see
//! [`fehu_irtest::file`] for what a file looks like and what is checked.
//!
//! `BLESS=1` writes the results anew, if nothing else is wrong; read the difference before you commit it.

use fehu_irtest::{file, folder};
use fehu_opt::PASSES;

/// Folders that are read elsewhere: `crates/ir/tests/files.rs`, `crates/par/tests/files.rs`.
const OTHERS: [&str; 18] = [
    "chunks",
    "epilogue",
    "expose",
    "flatten",
    "grid_chunks",
    "grid_columns",
    "grid_irregular",
    "grid_loops",
    "grid_rounds",
    "irregular",
    "simd",
    "tasks",
    "text",
    "grid_tiling",
    "tiling",
    "unflatmap",
    "unflatmap_inside",
    "verify",
];

#[test]
fn passes_do_what_files_say() {
    let mut files = folder::files("tests/ir");
    files.retain(|path| !OTHERS.contains(&folder::folder(path)));
    folder::each(&files, |path| file::run(path, PASSES));
}

#[test]
fn each_pass_has_files() {
    for pass in PASSES {
        folder::files(&format!("tests/ir/{}", pass.name));
    }
}
