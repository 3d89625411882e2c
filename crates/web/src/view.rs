//! What the compiler made of a program, as text.

use crate::{Program, Say, messages, misused, refused};
use fehu_driver::check::Warnings;
use fehu_driver::code::{Code, Form, Settings, Stage};
use fehu_driver::passes::Plan;
use fehu_driver::pipelines::{CPU, DEFAULT, GPU, MULTICORE, NONE, Pipeline};
use fehu_driver::run::compile_with;
use fehu_driver::stages::{Target, functions_in_c};
use fehu_interp::Options;
use serde_json::{Value, json};

/// Something to look at.
struct View {
    name: &'static str,
    pipeline: Pipeline,
    target: Target,
    shows: Shows,
}

/// The language that a view is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Core,
    Imperative,
    /// Only the functions of the program: the runtime around them is the same for all, and would be much of the page.
    C,
}

const fn seen(name: &'static str, pipeline: Pipeline, target: Target, shows: Shows) -> View {
    View { name, pipeline, target, shows }
}

/// All that there is to look at: the core IR as it was lowered and after the passes, imperative code, and C.
const VIEWS: &[View] = &[
    seen("lowered", NONE, Target::C, Shows::Core),
    seen("optimised", DEFAULT, Target::C, Shows::Core),
    seen("multicore", MULTICORE, Target::Multicore, Shows::Core),
    seen("gpu", GPU, Target::Cuda, Shows::Core),
    seen("loops", CPU, Target::C, Shows::Imperative),
    seen("kernels", GPU, Target::Cuda, Shows::Imperative),
    seen("c", CPU, Target::C, Shows::C),
    seen("cuda", GPU, Target::Cuda, Shows::C),
];

/// Shows a view of a program.
pub(crate) fn view(program: &Program, name: &str, say: &Say) -> Value {
    let Some(view) = VIEWS.iter().find(|view| view.name == name) else {
        let names: Vec<&str> = VIEWS.iter().map(|view| view.name).collect();
        return misused(&format!("a view is one of {}", names.join(", ")));
    };
    let (files, root) = program.files();
    let is_wanted = |stage: &&Stage| view.shows != Shows::Core && !is_last(stage);
    let stages: Vec<Stage> = view.pipeline.stages.iter().filter(is_wanted).copied().collect();
    let plan = Plan { stages, target: view.target, ..Plan::of(view.pipeline.passes) };
    let (outcome, compiled) =
        compile_with(&files, &root, Warnings::Hide, Options::default(), &plan);
    let shown = compiled.as_ref().and_then(|compiled| match (compiled.code(), view.shows) {
        (Some(Code::Imp(prog, imp, _)), Shows::C) => {
            Some(functions_in_c(prog, imp, &Settings::of(view.target)))
        }
        (Some(code), _) => Some(code.to_string()),
        (None, _) => compiled.prog().map(ToString::to_string),
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
