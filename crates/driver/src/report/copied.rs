//! What a program does with memory: which arrays are copied to where they belong, and why they are not made there; and how much
//! memory is in use at most.
//!
//! Both are those of code for one thread of a CPU; kernels have other copies and other memory.

use super::model::{Note, NoteKind};
use fehu_ir::pass::Remarks;
use fehu_ir::{Loc, Prog, Var};
use fehu_mem::arith::show;
use fehu_mem::copies::copies;
use fehu_mem::destinations::destinations;
use fehu_mem::lifetimes::lifetimes;
use fehu_mem::merge::merge;
use fehu_mem::overwrite::overwrite;
use fehu_mem::peak::peak;
use fehu_mem::short_circuit::short_circuit;
use fehu_mem::table::Placed;
use fehu_mem::uncopy::uncopy;
use fehu_mem::unview::unview;
use rustc_hash::FxHashSet;

/// Adds a note for each copy and for each moment at which most memory is in use; returns how many copies there are, and the most
/// bytes that each entry point needs.
pub(super) fn explain(
    prog: &Prog,
    add: &mut dyn FnMut(Option<&Loc>, Note),
) -> (usize, Vec<(String, String)>) {
    let mut prog = prog.clone();
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
    (fehu_par::UNFLATMAP.run)(&mut prog, &mut Remarks::default());
    uncopy(&mut prog);
    unview(&mut prog);
    destinations(&mut prog, false);
    // What is too complex for a table is refused when it is compiled.
    let Ok(mut placed) = fehu_mem::assign::assign(prog) else { return (0, Vec::new()) };
    let refusals = short_circuit(&mut placed, false);
    overwrite(&mut placed);
    merge(&mut placed);
    lifetimes(&mut placed);
    let copies = copies(&placed, &refusals);
    for copy in &copies {
        let by = copy.by;
        let text = match copy.why {
            Some(why) => format!("copies an array ({by}), because {}", why.text()),
            None => format!("copies an array ({by})"),
        };
        add(copy.loc.as_ref(), Note { line: 0, column: 0, kind: NoteKind::Copy, text });
    }
    (copies.len(), peaks(&placed, add))
}

/// The most memory that is in use while an entry point runs, in bytes.
fn peaks(placed: &Placed, add: &mut dyn FnMut(Option<&Loc>, Note)) -> Vec<(String, String)> {
    let mut found = Vec::with_capacity(placed.prog.entries.len());
    for entry in &placed.prog.entries {
        let peak = peak(placed, entry.fun);
        let (vars, table) = (&placed.prog.funs[entry.fun].vars, &placed.funs[entry.fun]);
        let sizes: FxHashSet<Var> =
            peak.moments.iter().flat_map(|worst| worst.bytes.vars()).collect();
        // Different sizes may have been given the same name.
        let name = |var: Var| {
            let hint = &vars[var].hint;
            let is_one = sizes.iter().filter(|other| vars[**other].hint == *hint).count() == 1;
            if is_one { hint.to_string() } else { format!("{hint}_{}", var.0) }
        };
        let mut sizes = Vec::with_capacity(peak.moments.len());
        for worst in &peak.moments {
            let size = show(&worst.bytes, &name);
            let blocks: Vec<String> = worst
                .blocks
                .iter()
                .map(|block| format!("\"{}\"", table.blocks[*block].hint))
                .collect();
            let text = format!("most memory is in use: {size} bytes, for {}", blocks.join(", "));
            // Arguments alone are no moment.
            if worst.loc.is_some() {
                let note = Note { line: 0, column: 0, kind: NoteKind::Memory, text };
                add(worst.loc.as_ref(), note);
            }
            sizes.push(size);
        }
        if peak.more {
            sizes.push("what cannot be known before".to_owned());
        }
        let all = match sizes.len() {
            0 => "0".to_owned(),
            1 => sizes.concat(),
            _ if peak.more && sizes.len() == 2 => sizes.join(", and "),
            _ => format!("the most of {}", sizes.join(", ")),
        };
        found.push((entry.name.to_string(), all));
    }
    found
}
