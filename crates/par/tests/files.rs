//! The programs in `tests/ir/flatten/*.ir` and `tests/ir/expose/*.ir`, each of them one test; see [`fehu_irtest::file`] for
//! what a file looks like and what is checked.
//!
//! `BLESS=1` writes the results anew, if nothing else is wrong; read the difference before you commit it.

use fehu_ir::pass::Pass;
use fehu_irtest::{file, folder};

#[test]
fn passes_do_what_files_say() {
    let passes: Vec<Pass> = fehu_par::PASSES.iter().chain(fehu_opt::PASSES).copied().collect();
    for pass in fehu_par::PASSES {
        let files = folder::files(&format!("tests/ir/{}", pass.name));
        folder::each(&files, |path| file::run(path, &passes));
    }
}
