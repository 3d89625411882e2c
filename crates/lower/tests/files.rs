//! The programs in `tests/lower/*.fut`, each of them one test: `NAME.ir` beside it is what it is lowered to, before any
//! pass. The IR is also verified, and reads back as it was printed.
//!
//! `BLESS=1` writes the IR anew, if nothing else is wrong; read the difference before you commit it.

use fehu_driver::check::Warnings;
use fehu_driver::dev;
use fehu_driver::files::Memory;
use fehu_driver::passes::Plan;
use fehu_irtest::folder;
use std::path::Path;

#[test]
fn programs_become_the_ir_beside_them() {
    folder::each(&folder::files("tests/lower"), |path| {
        if path.extension().is_some_and(|extension| extension == "ir") {
            let program = path.with_extension("fut");
            return if program.exists() { Ok(()) } else { Err("there is no program".to_owned()) };
        }
        folder::expect(&path.with_extension("ir"), &lower(path)?)
    });
}

/// The IR of a program. It knows its file by name only, so that places are the same everywhere.
fn lower(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = Memory::new([(name.clone(), folder::read(path, "fut")?)]);
    let mut lowered = Err("the program is rejected".to_owned());
    let outcome = dev::run(
        &files,
        &name,
        Warnings::Hide,
        &Plan::of(&[]),
        |prog| lowered = dev::round_trip(prog).map(|()| prog.to_string()),
        &mut |_, _| {},
        |_, _, _| {},
    )?;
    lowered.map_err(|error| format!("{error}\n{:?}", outcome.diagnostics))
}
