//! The programs in `tests/ir`: those of `text` are valid and survive printing and parsing; those of
//! `verify` are refused with the messages that their comments `-- error: ...` ask for.

use fehu_ir::text::{parse, renumber};
use fehu_ir::verify::{render, verify};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder can be read");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ext| ext == "ir"));
    files.sort();
    assert!(files.len() > 20, "the programs are missing");
    files
}

#[test]
fn valid_programs_round_trip() {
    let mut failures = Vec::new();
    for file in files("text") {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let prog = match parse(&text) {
            Ok(prog) => prog,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        if let Err(errors) = verify(&prog) {
            failures.push(format!("{name}: refused\n{}", render(&prog, &errors)));
        }
        assert_eq!(prog, renumber(&prog), "{name}: parsed programs are numbered");
        let printed = prog.to_string();
        match parse(&printed) {
            Ok(again) => {
                assert_eq!(again, prog, "{name}: differs after printing\n{printed}");
                assert_eq!(again.to_string(), printed, "{name}: prints differently");
            }
            Err(error) => failures.push(format!("{name}: printed: {error}\n{printed}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn invalid_programs_are_refused() {
    let mut failures = Vec::new();
    for file in files("verify") {
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        let prog = match parse(&text) {
            Ok(prog) => prog,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let Err(errors) = verify(&prog) else {
            failures.push(format!("{name}: accepted"));
            continue;
        };
        let rendered = render(&prog, &errors);
        let wanted: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("-- error: ")).collect();
        assert!(!wanted.is_empty(), "{name}: no message is asked for");
        for message in wanted {
            if !rendered.contains(message) {
                failures.push(format!("{name}: no message `{message}`\n{rendered}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
