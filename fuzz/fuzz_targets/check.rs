//! No bytes make any stage of checking fail.
#![no_main]

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::{files::Memory, load::Root};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let files = Memory::default();
    let root = Root::Bytes("a.fut".to_owned(), bytes.to_vec());
    let outcome = check::check(&files, &root, Warnings::Show);
    assert_ne!(outcome.exit, Exit::Internal, "{:?}", outcome.diagnostics);
    for diagnostic in outcome.diagnostics.iter().take(20) {
        render::text(&outcome.sources, diagnostic, Style::Plain);
    }
});
