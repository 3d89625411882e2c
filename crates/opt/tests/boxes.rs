//! Random scatters to boxes: many are recognised, and many are not, because their places may be the same or outside.

use fehu_ir::Exp;
use fehu_ir::pass::Remarks;
use fehu_ir::text::parse;
use fehu_ir::visit::{Visit, walk_exp};
use fehu_irgen::box_text;
use fehu_opt::{SIMPLIFY, UNSCATTER};

#[derive(Default)]
struct Counts {
    scatters: usize,
    views: usize,
}

impl Visit for Counts {
    fn exp(&mut self, exp: &Exp) {
        self.scatters += usize::from(matches!(exp, Exp::Scatter(_)));
        self.views += usize::from(matches!(exp, Exp::FlatUpdate(..)));
        walk_exp(self, exp);
    }
}

#[test]
fn random_scatters_to_boxes() {
    let mut counts = Counts::default();
    for seed in 0..200 {
        let mut prog = parse(&box_text(seed)).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let mut remarks = Remarks::default();
        (SIMPLIFY.run)(&mut prog, &mut remarks);
        (UNSCATTER.run)(&mut prog, &mut remarks);
        prog.bodies().for_each(|body| counts.body(body));
    }
    let Counts { scatters, views } = counts;
    assert!(scatters > 150 && views > 60, "{scatters} scatters, {views} updates of views");
}
