//! The programs in `tests/imp/NAME/*.imp`, each of them one test of the transformations that it names; see `file.rs` for
//! what a file looks like and what is checked.
//!
//! The folder is the transformation that the test is about. `BLESS=1` writes the results anew, if nothing else is wrong;
//! read the difference before you commit it.

use crate::file::check;
use fehu_irtest::folder;
use fehu_loops::TRANSFORMATIONS;

#[test]
fn transformations_do_what_files_say() {
    folder::each(&folder::files("tests/imp"), |path| {
        let text = folder::read(path, "imp")?;
        folder::expect(path, &check(&text, folder::folder(path))?)
    });
}

#[test]
fn each_transformation_has_files() {
    for transformation in TRANSFORMATIONS {
        folder::files(&format!("tests/imp/{}", transformation.name));
    }
}
