//! No bytes make the lexer, the parser or the renderer of their messages fail.
#![no_main]

use fehu_base::render::{self, Style};
use fehu_driver::check::{self, Exit};
use fehu_driver::{files::Memory, load::Root};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let files = Memory::default();
    let outcome = check::check_syntax(&files, &Root::Bytes("a.fut".to_owned(), bytes.to_vec()));
    assert_ne!(outcome.exit, Exit::Internal, "{:?}", outcome.diagnostics);
    for diagnostic in outcome.diagnostics.iter().take(20) {
        render::text(&outcome.sources, diagnostic, Style::Plain);
    }
});
