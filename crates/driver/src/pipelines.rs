//! The orders in which passes run: this file is the place to see and to change them.
//!
//! A pipeline is a list of passes, each with a comment that says why it stands where it stands.

use fehu_backend::Target;
use fehu_ir::pass::Pass;
use fehu_opt::{CHECKS, CSE, FUSE, HOIST, INLINE, SIMPLIFY, UNPARTITION, UNROLL, UNSTREAM};
use fehu_par::{EXPOSE, FLATTEN};

/// A named list of passes.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// One word.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// The passes in order; one may occur several times.
    pub passes: &'static [Pass],
}

/// All pipelines.
pub const PIPELINES: &[Pipeline] = &[NONE, DEFAULT, CPU, GPU];

/// The program as it was lowered.
pub const NONE: Pipeline = Pipeline { name: "none", about: "no passes", passes: &[] };

/// From lowered programs to good array code, whatever the back end.
pub const DEFAULT: Pipeline = Pipeline {
    name: "default",
    about: "the passes common to all back ends",
    passes: &[
        // Operators that feed each other stand in different functions of the source.
        INLINE,
        // What lowering wrote down in general is particular here: constants, copies, known branches.
        SIMPLIFY,
        // The numbers of iterations are known if they ever will be, and nothing is proved or moved yet.
        UNROLL,
        // Equal sizes and conditions get one name, so that proofs and fusion see that they are equal.
        CSE,
        // Checks are proved while the sizes that they are about are at hand; what is left moves out of loops.
        CHECKS, HOIST,    // Proved checks leave conditions behind that nobody needs.
        SIMPLIFY, // Intermediate arrays go.
        FUSE,
        // Functions that were composed have things in common, and results that nobody reads any more.
        SIMPLIFY, CSE, HOIST,
        // What was in the way of fusion, such as a size taken from an array that is gone, may be no more.
        FUSE, SIMPLIFY,
    ],
};

/// What programs for CPUs need after that.
pub const CPU: Pipeline = Pipeline {
    name: "cpu",
    about: "the default, followed by the passes that C for CPUs needs",
    passes: &[
        INLINE, SIMPLIFY, UNROLL, CSE, CHECKS, HOIST, SIMPLIFY, FUSE, SIMPLIFY, CSE, HOIST, FUSE,
        SIMPLIFY, //
        // Streams have done their work once fusion is over.
        UNSTREAM, SIMPLIFY,
    ],
};

/// What programs for GPUs need after that.
pub const GPU: Pipeline = Pipeline {
    name: "gpu",
    about: "the default, followed by flattening for GPUs",
    passes: &[
        INLINE,
        SIMPLIFY,
        UNROLL,
        CSE,
        CHECKS,
        HOIST,
        SIMPLIFY,
        FUSE,
        SIMPLIFY,
        CSE,
        HOIST,
        FUSE,
        SIMPLIFY,
        // What large functions hide below a map is lost; what they bring can be fused.
        EXPOSE,
        SIMPLIFY,
        FUSE,
        SIMPLIFY,
        // As for CPUs. What does not depend on a function's parameters leaves it, so that it is not in the way of
        // nests.
        UNSTREAM,
        SIMPLIFY,
        HOIST,
        SIMPLIFY,
        // Filters in many threads are scans.
        UNPARTITION,
        SIMPLIFY,
        // Operators have become as large as they can be; now they are cut into nests. Nothing may fuse after that.
        FLATTEN,
        SIMPLIFY,
    ],
};

/// The passes that there are, of all crates.
fn all() -> impl Iterator<Item = &'static Pass> + Clone {
    fehu_opt::PASSES.iter().chain(fehu_par::PASSES)
}

/// The pipeline for programs of a back end.
pub fn of_target(target: Target) -> Pipeline {
    match target {
        Target::C | Target::Multicore => CPU,
        Target::Cuda | Target::OpenCl => GPU,
    }
}

/// The pipeline with this name; otherwise a sentence that lists those that there are.
pub fn pipeline(name: &str) -> Result<Pipeline, String> {
    let found = PIPELINES.iter().find(|pipeline| pipeline.name == name);
    found.copied().ok_or_else(|| {
        let names = PIPELINES.iter().map(|pipeline| pipeline.name);
        format!("there is no pipeline \"{name}\"; available: {}", list(names))
    })
}

/// The passes with these names, separated by commas; otherwise a sentence that lists those that there are.
pub fn passes(names: &str) -> Result<Vec<Pass>, String> {
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(pass).collect()
}

/// The pass with this name; likewise.
pub fn pass(name: &str) -> Result<Pass, String> {
    let found = all().find(|pass| pass.name == name);
    found.copied().ok_or_else(|| {
        let names = all().map(|pass| pass.name);
        format!("there is no pass \"{name}\"; available: {}", list(names))
    })
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_passes_of_pipelines_can_be_named() {
        for pipeline in PIPELINES {
            for step in pipeline.passes {
                assert!(pass(step.name).is_ok(), "\"{}\" is not in PASSES", step.name);
            }
        }
    }

    #[test]
    fn machines_begin_with_the_default() {
        let names =
            |pipeline: Pipeline| pipeline.passes.iter().map(|pass| pass.name).collect::<Vec<_>>();
        assert!(names(CPU).starts_with(&names(DEFAULT)));
        assert!(names(GPU).starts_with(&names(DEFAULT)));
    }

    #[test]
    fn nothing_fuses_what_was_flattened() {
        let after = GPU.passes.iter().skip_while(|pass| pass.name != FLATTEN.name).skip(1);
        let names: Vec<&str> = after.map(|pass| pass.name).collect();
        assert!(!names.contains(&FUSE.name) && !names.contains(&FLATTEN.name), "{names:?}");
    }

    #[test]
    fn unknown_names_are_told_with_the_known_ones() {
        let error = passes("fuse, nonsense").expect_err("there is no such pass");
        assert!(error.contains("\"nonsense\"") && error.contains("\"fuse\""), "{error}");
        let error = pipeline("nonsense").expect_err("there is no such pipeline");
        assert!(error.contains("\"none\", \"default\", \"cpu\", \"gpu\""), "{error}");
    }
}
