//! Which operators with loops inside have no lanes, and why: their positions are executed one after the other, where a
//! vector unit could do eight or sixteen at a time.
//!
//! What asks for lanes is a pass (`fehu_par::SIMD`), whose remarks say what cannot ask; whether vector units can do
//! what is asked is known when there is code (`fehu_loops::lanes`). Both are asked here what they decide for one thread
//! of a CPU.

use super::model::{Note, NoteKind};
use crate::code::{Code, Settings, apply};
use crate::pipelines::{CPU, LANES, THREADS};
use ecow::EcoString;
use fehu_backend::Target;
use fehu_ir::pass::Remarks;
use fehu_ir::visit::{Visit, walk_stm};
use fehu_ir::{Exp, Loc, Prog, Stage, Stm};
use fehu_loops::lanes::{Refusal, Told, tell};
use std::collections::BTreeMap;

/// Adds a note for each operator that was to have lanes, and for those that could not ask for any.
pub(super) fn explain(prog: &Prog, add: &mut dyn FnMut(Option<&Loc>, Note)) {
    // Who executes what is decided by now: for several threads, or for a device.
    if prog.stage == Stage::Segs {
        return;
    }
    let mut prog = prog.clone();
    (fehu_opt::UNSTREAM.run)(&mut prog, &mut Remarks::default());
    (fehu_par::UNFLATMAP.run)(&mut prog, &mut Remarks::default());
    let mut operators = Operators::of(&prog);
    if !operators.have_lanes {
        let mut remarks = Remarks::default();
        THREADS.iter().for_each(|pass| (pass.run)(&mut prog, &mut remarks));
        for remark in remarks.list.iter().filter(|remark| remark.pass == fehu_par::SIMD.name) {
            add(remark.loc.as_ref(), note(NoteKind::Missed, remark.text.to_string()));
        }
        operators = Operators::of(&prog);
    }
    let before = CPU.stages.iter().take_while(|stage| stage.name != LANES.name);
    let before: Vec<_> = before.copied().collect();
    // What is too complex for a table is refused when it is compiled.
    let Ok(Code::Imp(_, mut program, _)) = apply(prog, &before, &Settings::of(Target::C)) else {
        return;
    };
    for (place, outcome) in outcomes(tell(&mut program)) {
        let name = operators.names.get(&place).copied().unwrap_or("operator");
        let loc = Some(Loc(place)).filter(|loc| !loc.0.is_empty());
        match outcome {
            Ok(lanes) => {
                let text = format!("{name}: {lanes} positions at a time, as lanes of vectors");
                add(loc.as_ref(), note(NoteKind::Done, text));
            }
            Err(refusal) => {
                let Some(why) = refusal.text() else { continue };
                let text = format!("{name}: one position at a time, without lanes: {why}");
                add(loc.as_ref(), note(NoteKind::Missed, text));
            }
        }
    }
}

fn note(kind: NoteKind, text: String) -> Note {
    Note { line: 0, column: 0, kind, text }
}

/// What became of each place. An operator has several loops, for its borders or for other strides, and has lanes if one
/// of these has.
fn outcomes(told: Vec<Told>) -> BTreeMap<EcoString, Result<u32, Refusal>> {
    let mut all: BTreeMap<EcoString, Result<u32, Refusal>> = BTreeMap::new();
    for Told { place, lanes } in told {
        let known = all.entry(place).or_insert(lanes);
        *known = match (*known, lanes) {
            (Ok(before), Ok(now)) => Ok(before.max(now)),
            (Ok(lanes), Err(_)) | (Err(_), Ok(lanes)) => Ok(lanes),
            (Err(Refusal::Plain), Err(refusal)) | (Err(refusal), Err(_)) => Err(refusal),
        };
    }
    all
}

/// The operators of a program.
struct Operators {
    /// What they are, by their places.
    names: BTreeMap<EcoString, &'static str>,
    /// Whether it is decided which of them have lanes.
    have_lanes: bool,
}

impl Operators {
    fn of(prog: &Prog) -> Operators {
        let mut operators = Operators { names: BTreeMap::new(), have_lanes: false };
        prog.items().for_each(|item| operators.body(prog.body(item)));
        operators
    }
}

impl Visit for Operators {
    fn stm(&mut self, stm: &Stm) {
        self.have_lanes |= matches!(stm.exp, Exp::Seg(_));
        if let (Some(name), Some(Loc(place))) = (stm.exp.operator(), &stm.loc) {
            self.names.entry(place.clone()).or_insert(name);
        }
        walk_stm(self, stm);
    }
}
