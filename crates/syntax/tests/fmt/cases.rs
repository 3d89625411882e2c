//! The files in `cases/`: inputs and outputs in turn, separated by lines that start with `-- ==>`
//! (the output follows) and `-- ====` (the next case follows). `BLESS=1` rewrites the outputs.

use super::check;
use std::path::Path;

const OUTPUT: &str = "-- ==>\n";
const NEXT: &str = "-- ====\n";

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fmt/cases");
    let bless = std::env::var_os("BLESS").is_some();
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("there are cases").map(|e| e.unwrap().path()).collect();
    paths.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let mut blessed = Vec::new();
        for case in text.split(NEXT) {
            let (input, expected) = case.split_once(OUTPUT).unwrap_or((case, ""));
            let output = match check(input) {
                None => panic!("{}: no program:\n{input}", path.display()),
                Some(Err(why)) => panic!("{}: {why}\nfrom:\n{input}", path.display()),
                Some(Ok(output)) => output,
            };
            count += 1;
            if output != expected {
                wrong.push(format!("{}:\n{input}became:\n{output}", path.display()));
            }
            blessed.push(format!("{input}{OUTPUT}{output}"));
        }
        if bless {
            std::fs::write(&path, blessed.join(NEXT)).expect("a writable file");
        }
    }
    assert!(count >= 40, "{count} cases");
    assert!(bless || wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
