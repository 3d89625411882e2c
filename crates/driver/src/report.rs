//! What `fehu report` does: says, line by line, what the optimiser made of a program, and why not more.
//!
//! - [`model`]: what is said, as data; `checks`, `made` and [`flow`] find parts of it in the programs;
//! - [`text`], [`html`], [`json`]: how it is shown; [`svg`] draws a dataflow graph, [`layout`] says where things go.

mod checks;
mod copied;
pub mod flow;
pub mod html;
pub mod json;
mod lanes;
pub mod layout;
mod made;
pub mod model;
mod nests;
mod orders;
pub mod svg;
pub mod text;

pub use checks::CheckCounts;

use crate::check::{Outcome, Warnings};
use crate::files::Files;
use crate::foreign;
use crate::load::Root;
use crate::passes::Plan;
use crate::translate::{Changes, Job, translate};
use fehu_base::stack::Deep;
use fehu_ir::Prog;
use fehu_ir::pass::Remarks;
use fehu_opt::foreign::Choice;
use fehu_opt::{INLINE, STEPS};
use model::Report;
use std::sync::Mutex;

/// Optimises a program and reports on it. The report is there if and only if the outcome is a success.
pub fn make(files: &dyn Files, root: &Root, plan: &Plan) -> (Option<Report>, Outcome) {
    let program = match root {
        Root::Path(path) => path.clone(),
        Root::Bytes(name, _) => name.clone(),
    };
    let foreign = Choice::Symbols(foreign::platform(plan.target));
    let changes = Changes { foreign, ..Changes::default() };
    let job = Job { files, root, warnings: Warnings::Hide, plan, changes };
    // Calls and what they lead to are two things until they are inlined; comparing starts after that.
    let inlined = plan.passes.first().is_some_and(|pass| pass.name == INLINE.name);
    let before: Mutex<Deep<Option<Prog>>> = Mutex::default();
    let keep = |prog: &Prog| {
        if let Ok(mut before) = before.lock()
            && before.is_none()
        {
            **before = Some(prog.clone());
        }
    };
    let mut report = None;
    let streamed: Mutex<Remarks> = Mutex::default();
    let outcome = translate(
        &job,
        |prog| {
            // Why sequences are not read chunk by chunk; what the steps would be is not the question.
            if let Ok(mut streamed) = streamed.lock() {
                (STEPS.run)(&mut prog.clone(), &mut streamed);
            }
            if !inlined {
                keep(prog);
            }
        },
        &mut |_, prog| keep(prog),
        |session, after, mut remarks| {
            if let Ok(mut streamed) = streamed.lock() {
                remarks.list.splice(0..0, streamed.list.drain(..));
            }
            let before = before.lock().ok().and_then(|mut before| before.take());
            let layouts = !plan.without.coalescing;
            report = before.map(|before| {
                model::report(&program, &session.sources, &before, &after, &remarks, layouts)
            });
        },
    );
    (report, outcome)
}

#[cfg(test)]
mod tests;
