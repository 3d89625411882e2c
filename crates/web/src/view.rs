//! What the compiler made of a program, as text.

use crate::{Say, messages, misused, program, refused};
use fehu_driver::check::Warnings;
use fehu_driver::code::{Form, Stage};
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::{CPU, DEFAULT, GPU, MULTICORE, NONE, Pipeline};
use fehu_driver::run::compile_with;
use fehu_driver::stages::Target;
use fehu_interp::Options;
use serde_json::{Value, json};

/// Something to look at.
struct View {
    name: &'static str,
    pipeline: Pipeline,
    target: Target,
    /// Whether it is imperative code; otherwise it is the core IR.
    imperative: bool,
}

/// All that there is to look at: the core IR as it was lowered and after the passes, and imperative code.
const VIEWS: &[View] = &[
    View { name: "lowered", pipeline: NONE, target: Target::C, imperative: false },
    View { name: "optimised", pipeline: DEFAULT, target: Target::C, imperative: false },
    View { name: "multicore", pipeline: MULTICORE, target: Target::Multicore, imperative: false },
    View { name: "gpu", pipeline: GPU, target: Target::Cuda, imperative: false },
    View { name: "loops", pipeline: CPU, target: Target::C, imperative: true },
    View { name: "kernels", pipeline: GPU, target: Target::Cuda, imperative: true },
];

/// Shows a view of a program.
pub(crate) fn view(text: &str, name: &str, say: &Say) -> Value {
    let Some(view) = VIEWS.iter().find(|view| view.name == name) else {
        let names: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
        return misused(&format!("a view is one of {}", names.join(", ")));
    };
    let (files, root) = program(text);
    let stages = view.pipeline.stages.iter().filter(|stage| view.imperative && !is_last(stage));
    let stages: Vec<Stage> = stages.copied().collect();
    let plan = Plan { stages, target: view.target, ..Plan::of(view.pipeline.passes) };
    let (outcome, compiled) =
        compile_with(&files, &root, Warnings::Hide, Options::default(), &plan);
    let shown = compiled.as_ref().and_then(|compiled| match compiled.code() {
        Some(code) => Some(code.to_string()),
        None => compiled.prog().map(ToString::to_string),
    });
    match shown {
        Some(text) => json!({"end": "done", "text": text}),
        None => {
            messages(say, &outcome.sources, &outcome.diagnostics);
            refused()
        }
    }
}

/// Whether what a stage makes is no longer code of ours.
fn is_last(stage: &Stage) -> bool {
    match stage.gives() {
        Form::C | Form::Machine => true,
        Form::Arrays | Form::Placed | Form::Imp => false,
    }
}
