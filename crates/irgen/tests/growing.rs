//! Programs whose arrays grow with counters, and those with scatters to boxes: they are well-formed, and have what they are for.

use fehu_ir::text::parse;
use fehu_ir::verify::{render, verify};
use fehu_irgen::{box_text, growing_text};

#[test]
fn programs_are_well_formed() {
    let mut all = [String::new(), String::new()];
    for seed in 0..200 {
        for (text, all) in [growing_text(seed), box_text(seed)].into_iter().zip(&mut all) {
            all.push_str(&text);
            let prog = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            verify(&prog).unwrap_or_else(|e| panic!("seed {seed}: {}\n{text}", render(&prog, &e)));
        }
    }
    let [growing, boxes] = all;
    for word in
        ["concat", "scan", "update", "rearrange (1, 0)", "replicate", "div ", "min ", "max "]
    {
        assert!(growing.matches(word).count() >= 25, "{word}");
    }
    for word in ["scatter", "loop", "mod ", "rem ", "reshape", "index xss[", "update"] {
        assert!(boxes.matches(word).count() >= 8, "{word}");
    }
}
