//! Programs for the kernels of GPUs.

use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_irgen::kernel_text;

#[test]
fn programs_are_well_formed_and_have_all_operators() {
    let mut all = String::new();
    for seed in 0..200 {
        let text = kernel_text(seed);
        let prog = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        verify(&prog).unwrap_or_else(|e| panic!("seed {seed}: {}", render(&prog, &e)));
        all.push_str(&text);
    }
    for word in ["hist n", "scan ", "red comm", "rearrange", "loop", "assert", "dest [5000]"] {
        assert!(all.contains(word), "{word}");
    }
}
