//! Which arrays of kernels do not lie in memory in row-major order, and why.

use super::model::{Note, NoteKind};
use fehu_ir::pass::Remarks;
use fehu_ir::{Loc, Prog};
use fehu_mem::assign::assign_in;
use fehu_mem::layout::Layouts;

/// Adds a note for each array.
pub(super) fn explain(prog: &Prog, add: &mut dyn FnMut(Option<&Loc>, Note)) {
    let mut prog = prog.clone();
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
    (fehu_par::UNFLATMAP.run)(&mut prog, &mut Remarks::default());
    // What is too complex for a table is refused when it is compiled.
    let Ok(placed) = assign_in(prog, Layouts::Coalesced) else { return };
    for (item, chosen) in &placed.chosen {
        let name = &placed.prog.vars(*item)[chosen.array].hint;
        let dims: Vec<String> = chosen.order.iter().map(usize::to_string).collect();
        let dims = dims.join(", ");
        let text = if chosen.is_copy {
            format!(
                "reads a copy of \"{name}\" with its dimensions in the order ({dims}), so that neighbouring threads read \
                 neighbouring elements"
            )
        } else {
            format!(
                "stores an array with its dimensions in the order ({dims}), which suits the threads that write and read it"
            )
        };
        add(chosen.loc.as_ref(), Note { line: 0, column: 0, kind: NoteKind::Layout, text });
    }
}
