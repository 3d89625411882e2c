//! The programs of `examples/` are accepted, without warnings.

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use std::path::Path;

#[test]
fn examples_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let entries = std::fs::read_dir(folder).expect("the examples are there");
    let mut count = 0;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_some_and(|extension| extension == "fut") {
            let root = Root::Path(path.display().to_string());
            let outcome = check::check(&Disk, &root, Warnings::Show);
            let draw = |diagnostic| render::text(&outcome.sources, diagnostic, Style::Plain);
            let messages: String = outcome.diagnostics.iter().map(draw).collect();
            assert!(messages.is_empty(), "{messages}");
            count += 1;
        }
    }
    assert!(count >= 3);
}
