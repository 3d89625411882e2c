//! Which arrays are copied to where they belong, and why they are not made there.
//!
//! The copies are those of code for one thread of a CPU; the functions of kernels have others.

use super::model::{Note, NoteKind};
use fehu_ir::pass::Remarks;
use fehu_ir::{Loc, Prog};
use fehu_mem::copies::copies;
use fehu_mem::short_circuit::short_circuit;

/// Adds a note for each copy; returns how many there are.
pub(super) fn explain(prog: &Prog, add: &mut dyn FnMut(Option<&Loc>, Note)) -> usize {
    let mut prog = prog.clone();
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
    // What is too complex for a table is refused when it is compiled.
    let Ok(mut placed) = fehu_mem::assign::assign(prog) else { return 0 };
    let refusals = short_circuit(&mut placed, false);
    let copies = copies(&placed, &refusals);
    for copy in &copies {
        let by = copy.by;
        let text = match copy.why {
            Some(why) => format!("copies an array ({by}), because {}", why.text()),
            None => format!("copies an array ({by})"),
        };
        add(copy.loc.as_ref(), Note { line: 0, column: 0, kind: NoteKind::Copy, text });
    }
    copies.len()
}
