//! The orders in which passes and stages run: this file is the place to see and to change them.
//!
//! A pipeline is a list of passes on the core IR, followed by the stages beyond it, each with a comment that says why it stands
//! where it stands.

use crate::code::{Form, Limit, Run, Settings, Stage};
use crate::compile::Floats;
use crate::machine_code::{Jit, Threads};
use crate::stages;
use fehu_backend::Target;
use fehu_ir::pass::{Pass, Remarks};
use fehu_loops::Transformation;
use fehu_mem::layout::Layouts;
use fehu_opt::{
    ARGUMENTS, CHECKS, CONSTANTS, CSE, DELAY, DISTRIBUTE, FUSE, GRID_FUSE, GRID_UNSTREAM, HOIST,
    INLINE, SCALARISE, SIMPLIFY, STREAMED, TABLES, UNACCUMULATE, UNPARTITION, UNROLL, UNSCATTER,
    UNSTREAM, VECTORISE,
};
use fehu_par::{
    CHUNKS, EPILOGUE, EXPOSE, FLATTEN, GRID_CHUNKS, GRID_COLUMNS, GRID_IRREGULAR, GRID_LOOPS,
    GRID_ROUNDS, GRID_TILING, IRREGULAR, SIMD, TASKS, TILING, UNFLATMAP, UNFLATMAP_INSIDE,
};

/// A named list of passes.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// One word.
    pub name: &'static str,
    /// What it is for, in one line.
    pub about: &'static str,
    /// The passes in order; one may occur several times.
    pub passes: &'static [Pass],
    /// The stages after them, up to C.
    pub stages: &'static [Stage],
}

/// All pipelines.
pub const PIPELINES: &[Pipeline] = &[NONE, DEFAULT, CPU, MULTICORE, GPU, JIT];

/// The program as it was lowered.
pub const NONE: Pipeline = Pipeline { name: "none", about: "no passes", passes: &[], stages: &[] };

/// From lowered programs to good array code, whatever the back end: after inlining, for operators that feed each other
/// stand in different functions of the source.
const ARRAYS: &[Pass] = &[
    // What lowering wrote down in general is particular here: constants, copies, known branches.
    SIMPLIFY,
    // Arguments are constants if they ever will be.
    ARGUMENTS,
    // Sizes are known if they ever will be, and so are the numbers of iterations; nothing is proved or moved yet.
    CONSTANTS,
    UNROLL,
    // It leaves indices of which more can be proved.
    TABLES,
    // Equal sizes and conditions get one name, so that proofs and fusion see that they are equal.
    CSE,
    // Checks are proved while the sizes that they are about are at hand; what is left moves out of loops.
    CHECKS,
    HOIST,
    // Proved checks leave conditions behind that nobody needs.
    SIMPLIFY,
    // What derivatives add up is code like any other, before anything is fused.
    UNACCUMULATE,
    SIMPLIFY,
    // It is independent of updates that can wait.
    DELAY,
    // What one call of a library does is not fused with anything.
    VECTORISE,
    // Intermediate arrays go.
    FUSE,
    // What is combined is known; what puts the results together can be fused with what reads them.
    SCALARISE,
    // As far as fusion went, what a map does is one function. What is the same whenever it is evaluated leaves it.
    DISTRIBUTE,
    // Functions that were composed have things in common, and results that nobody reads any more. What was an element of
    // an array is now a number that is computed, of which more is known.
    SIMPLIFY,
    CSE,
    CHECKS,
    HOIST,
    // What is in the functions of scatters is there; what their values are is a map that others may be fused with.
    UNSCATTER,
    // What was in the way of fusion, such as a size taken from an array that is gone, may be no more.
    FUSE,
    SIMPLIFY,
    // What reads an array is now as few operators as there will be.
    STREAMED,
];

/// What follows the flattening of what is irregular.
const LIFTED: &[Pass] = &[
    SIMPLIFY, // Where rows end is often the same for several operators and iterations.
    CSE, HOIST, SIMPLIFY, // What was lifted apart may be maps over the same positions.
    FUSE, SIMPLIFY,
];

/// Threads of CPUs. What they execute is known; tiles do not depend on lanes, which may be inside of them.
pub const THREADS: &[Pass] = &[EPILOGUE, TILING, SIMD];

/// Array code, and nothing else.
pub const DEFAULT: Pipeline = Pipeline {
    name: "default",
    about: "the passes common to all back ends",
    passes: &joined::<_, { length(DEFAULT_PARTS) }>(DEFAULT_PARTS),
    stages: &[],
};
const DEFAULT_PARTS: &[&[Pass]] = &[&[INLINE], ARRAYS];

/// What programs for CPUs need after that.
pub const CPU: Pipeline = Pipeline {
    name: "cpu",
    about: "the default, followed by the passes that C for CPUs needs",
    passes: &joined::<_, { length(CPU_PARTS) }>(CPU_PARTS),
    stages: &joined::<_, { length(C_STAGES) }>(C_STAGES),
};
const CPU_PARTS: &[&[Pass]] = &[
    // One thread has no use for flatmaps.
    &[INLINE, UNFLATMAP],
    ARRAYS,
    // Streams have done their work once fusion is over. Who executes what is known: one thread.
    &[UNSTREAM, SIMPLIFY],
    THREADS,
];

/// From the IR to imp: arrays get memory, and operators become loops.
const IN_MEMORY: &[Stage] = &[
    ASSIGN,
    // While arrays are still values, what is copied is seen best.
    SHORT_CIRCUIT,
    // What is not made where it belongs may overwrite what it is made from.
    OVERWRITE,
    // After what changes which blocks there are; it makes sizes that others can be compared with.
    ENLARGE,
    MERGE,
    // What is in which block is decided.
    LIFETIMES,
    EMIT,
];

/// Loops as vectors want them, whoever executes them: C and machine code compute the same, to the bit.
const FOR_VECTORS: &[Stage] = &[
    // Tiles first: the loops that are left inside of them are what the others improve.
    UNIT,
    TILE,
    EMPTY,
    COPIES,
    // Rows, invariant conditions and borders are removed from loops ...
    DELINEARIZE,
    UNSWITCH,
    PEEL,
    // ... so that what is left can be done in lanes.
    LANES,
    // Rows may be too short for that.
    SHORT,
    // The order of sums that are left is that of vectors, whoever has some.
    PARTIALS,
];
const C_STAGES: &[&[Stage]] = &[IN_MEMORY, FOR_VECTORS, &[C]];

/// The code of C as machine code at once.
pub const JIT: Pipeline = Pipeline {
    name: "jit",
    about: "that of C for CPUs, but machine code at the end",
    passes: CPU.passes,
    stages: &joined::<_, { length(MACHINE_STAGES) }>(MACHINE_STAGES),
};
const MACHINE_STAGES: &[&[Stage]] = &[IN_MEMORY, FOR_VECTORS, &[MACHINE]];

/// What programs for several threads need after that.
pub const MULTICORE: Pipeline = Pipeline {
    name: "multicore",
    about: "the passes for CPUs, followed by the division into tasks",
    passes: &joined::<_, { length(MULTICORE_PARTS) }>(MULTICORE_PARTS),
    stages: CPU.stages,
};
const MULTICORE_PARTS: &[&[Pass]] = &[
    // Flatmaps that are left are lifted with all that is irregular.
    &[INLINE, UNFLATMAP_INSIDE],
    ARRAYS,
    // Before streams become single chunks.
    &[CHUNKS, UNSTREAM, SIMPLIFY],
    // Operators are what they will be. Rows that differ are found first: what is left is regular.
    &[IRREGULAR],
    LIFTED,
    &[TASKS],
    THREADS,
];

/// What programs for GPUs need after that.
pub const GPU: Pipeline = Pipeline {
    name: "gpu",
    about: "the default, followed by flattening for GPUs",
    passes: &joined::<_, { length(GPU_PARTS) }>(GPU_PARTS),
    stages: &joined::<_, { length(GPU_STAGES) }>(GPU_STAGES),
};
// Conditions leave the loops of threads, too: compilers for devices leave chains of them where they are.
const GPU_STAGES: &[&[Stage]] = &[IN_MEMORY, &[EMPTY, UNSWITCH, DEVICE, C]];
const GPU_PARTS: &[&[Pass]] = &[
    &[INLINE, UNFLATMAP_INSIDE],
    ARRAYS,
    // What large functions hide below a map is lost; what they bring can be fused.
    &[EXPOSE, SIMPLIFY, GRID_FUSE, SIMPLIFY],
    // As for CPUs. What does not depend on a function's parameters leaves it, so that it is not in the way of nests.
    &[GRID_CHUNKS, GRID_UNSTREAM, SIMPLIFY, HOIST, SIMPLIFY],
    // Rows that differ are found first: what is left is regular.
    &[GRID_IRREGULAR],
    LIFTED,
    // Nothing is fused with a loop any more, so that it can be cut. Filters in many threads are scans.
    &[GRID_ROUNDS, UNPARTITION, SIMPLIFY],
    // Operators have become as large as they can be. Where they are small, one block executes a loop around them;
    // otherwise they are cut into nests. Nothing may fuse after that.
    &[GRID_LOOPS, FLATTEN, SIMPLIFY],
    // Segs have their levels and spaces. What they read is known when nothing changes them any more.
    &[EPILOGUE, GRID_COLUMNS, GRID_TILING],
];

/// The number of passes in these lists.
const fn length<T>(parts: &[&[T]]) -> usize {
    let (mut all, mut part) = (0, 0);
    while part < parts.len() {
        all += parts[part].len();
        part += 1;
    }
    all
}

/// These lists, one after the other.
const fn joined<T: Copy, const N: usize>(parts: &[&[T]]) -> [T; N] {
    let mut all = [parts[0][0]; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut item = 0;
        while item < parts[part].len() {
            all[at] = parts[part][item];
            (at, item) = (at + 1, item + 1);
        }
        part += 1;
    }
    all
}

/// Gives every array a place.
pub const ASSIGN: Stage = Stage {
    name: "assign",
    about: "gives every array a block of memory and an index function",
    run: Run::Assign(|mut prog, settings| {
        // Whatever passes were chosen, there must be no streams and flatmaps from here on.
        (UNSTREAM.run)(&mut prog, &mut Remarks::default());
        (UNFLATMAP.run)(&mut prog, &mut Remarks::default());
        if !settings.without.short_circuiting {
            fehu_mem::uncopy::uncopy(&mut prog);
            fehu_mem::unview::unview(&mut prog);
            fehu_mem::destinations::destinations(&mut prog, settings.target.is_gpu());
        }
        let layouts = match settings.orders {
            _ if !settings.target.is_gpu() || settings.without.coalescing => Layouts::RowMajor,
            None => Layouts::Coalesced,
            Some(seed) => Layouts::Any(seed),
        };
        fehu_mem::assign::assign_in(prog, layouts).map_err(|limit| Limit(limit.array.to_string()))
    }),
};

/// Avoids copies.
pub const SHORT_CIRCUIT: Stage = Stage {
    name: "short_circuit",
    about: "constructs arrays where they would be copied to",
    run: Run::Place(|placed, settings| {
        if !settings.without.short_circuiting {
            fehu_mem::short_circuit::short_circuit(placed, settings.target.is_gpu());
        }
    }),
};

/// Needs less memory.
pub const OVERWRITE: Stage = Stage {
    name: "overwrite",
    about: "lets maps store their results where their inputs are",
    run: Run::Place(|placed, settings| {
        if !settings.without.short_circuiting {
            fehu_mem::overwrite::overwrite(placed);
        }
    }),
};

/// Lets iterations use the same memory.
pub const ENLARGE: Stage = Stage {
    name: "enlarge",
    about: "what an iteration allocates is as large as the largest iteration needs",
    run: Run::Place(|placed, settings| {
        if !settings.without.short_circuiting {
            fehu_mem::enlarge::enlarge(placed);
        }
    }),
};

/// Needs less memory.
pub const MERGE: Stage = Stage {
    name: "merge",
    about: "gives arrays in the functions of operators one block if they do not live at the same time",
    run: Run::Place(|placed, settings| {
        if !settings.without.short_circuiting {
            fehu_mem::merge::merge(placed);
        }
    }),
};

/// Says when blocks end.
pub const LIFETIMES: Stage = Stage {
    name: "lifetimes",
    about: "notes when the host releases memory",
    run: Run::Place(|placed, _| fehu_mem::lifetimes::lifetimes(placed)),
};

/// Makes imperative code.
pub const EMIT: Stage = Stage {
    name: "emit",
    about: "turns operators into loops, tasks and kernels",
    run: Run::Emit(|placed, settings| {
        let Settings { target, floats, without, few, profiled, .. } = *settings;
        let (device, tiling) = (target.is_gpu(), !without.tiling);
        let block_threads = target.block_threads();
        let strict_float = floats == Floats::Strict;
        let options =
            fehu_emit::Options { device, block_threads, strict_float, tiling, few, profiled };
        fehu_emit::emit(placed, options)
    }),
};

/// A transformation of loops, as a stage.
const fn loops(transformation: Transformation) -> Stage {
    let Transformation { name, about, run } = transformation;
    Stage { name, about, run: Run::Loops(run) }
}

const UNIT: Stage = loops(fehu_loops::UNIT);
const TILE: Stage = loops(fehu_loops::TILE);
const EMPTY: Stage = loops(fehu_loops::EMPTY);
const COPIES: Stage = loops(fehu_loops::COPIES);
const DELINEARIZE: Stage = loops(fehu_loops::DELINEARIZE);
const UNSWITCH: Stage = loops(fehu_loops::UNSWITCH);
const PEEL: Stage = loops(fehu_loops::PEEL);
/// Vectors.
pub const LANES: Stage = loops(fehu_loops::LANES);
const SHORT: Stage = loops(fehu_loops::SHORT);
const PARTIALS: Stage = loops(fehu_loops::PARTIALS);

/// Separates the host and the device.
pub const DEVICE: Stage = Stage {
    name: "device",
    about: "leaves loads and stores to kernels, and allocations to the host",
    run: Run::Device(|program, settings| {
        let without = &settings.without;
        let (interleaving, copies) = (!without.coalescing, !without.inlining);
        let host_free = !without.host_free_loops;
        fehu_device::device(program, fehu_device::Options { interleaving, copies, host_free });
    }),
};

/// Prints C.
pub const C: Stage = Stage {
    name: "c",
    about: "prints C, with the interface of the program and what it needs of the runtime",
    run: Run::C(stages::c),
};

/// Makes machine code of this process.
pub const MACHINE: Stage = Stage {
    name: "machine",
    about: "makes machine code, when functions are called",
    run: Run::Machine(|prog, program, settings| {
        let threads = if settings.few { Threads::Always(3) } else { Threads::WhereItPays };
        Jit::new(prog, program, threads)
    }),
};

/// The stages that there are, in the order in which they can run.
pub const STAGES: &[Stage] = &joined::<_, { length(STAGE_PARTS) }>(STAGE_PARTS);
const STAGE_PARTS: &[&[Stage]] = &[IN_MEMORY, FOR_VECTORS, &[DEVICE, C, MACHINE]];

/// The passes that there are, of all crates.
fn all() -> impl Iterator<Item = &'static Pass> + Clone {
    fehu_opt::PASSES.iter().chain(fehu_par::PASSES)
}

/// The pipeline for programs of a back end.
pub fn of_target(target: Target) -> Pipeline {
    match target {
        Target::C => CPU,
        Target::Multicore => MULTICORE,
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

/// What a back end does with a program up to the last run of a pass or stage; `lower` comes before all of them. Otherwise a
/// sentence that lists those that there are.
pub fn up_to(target: Target, name: &str) -> Result<(Vec<Pass>, Vec<Stage>), String> {
    let Pipeline { passes, stages, .. } = of_target(target);
    if name == "lower" {
        return Ok((Vec::new(), Vec::new()));
    }
    if let Some(last) = passes.iter().rposition(|pass| pass.name == name) {
        return Ok((passes[..=last].to_vec(), Vec::new()));
    }
    if let Some(last) = stages.iter().position(|stage| stage.name == name) {
        return Ok((passes.to_vec(), stages[..=last].to_vec()));
    }
    let mut names = vec!["lower"];
    for name in passes.iter().map(|pass| pass.name).chain(stages.iter().map(|stage| stage.name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let names = list(names.into_iter());
    Err(format!("there is no stage \"{name}\" for this back end; its stages are {names}"))
}

/// The stages with these names, separated by commas, in an order that is possible; otherwise a sentence that says what is wrong
/// with them.
pub fn stages(names: &str) -> Result<Vec<Stage>, String> {
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let known = || list(STAGES.iter().map(|stage| stage.name));
    let (mut stages, mut form, mut next) = (Vec::new(), Form::Arrays, 0);
    for name in names {
        let at = STAGES.iter().position(|stage| stage.name == name);
        let at =
            at.ok_or_else(|| format!("there is no stage \"{name}\"; available: {}", known()))?;
        let stage = STAGES[at];
        if at < next {
            return Err(format!("the stage \"{name}\" is out of order; the order is {}", known()));
        }
        if stage.takes() != form {
            let makes = |other: &&Stage| other.gives() == stage.takes();
            let missing = STAGES.iter().find(makes).map_or("", |other| other.name);
            return Err(format!("the stage \"{missing}\" is missing; \"{name}\" needs its output"));
        }
        (form, next) = (stage.gives(), at + 1);
        stages.push(stage);
    }
    Ok(stages)
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
        // Which flatmaps stay is for machines to say.
        let common = |name: &&str| ![UNFLATMAP.name, UNFLATMAP_INSIDE.name].contains(name);
        let names = |pipeline: Pipeline| {
            pipeline.passes.iter().map(|pass| pass.name).filter(common).collect::<Vec<_>>()
        };
        assert!(names(CPU).starts_with(&names(DEFAULT)));
        // Epilogues, tiles and lanes come last, after levels, and streams are cut for several threads only.
        let cpu = names(CPU);
        let uncut: Vec<&str> =
            names(MULTICORE).into_iter().filter(|name| *name != CHUNKS.name).collect();
        assert!(uncut.starts_with(&cpu[..cpu.len() - 3]));
        let has = |pipeline: Pipeline| names(pipeline).contains(&EPILOGUE.name);
        assert!([CPU, MULTICORE, GPU].into_iter().all(has));
        assert!(names(GPU).starts_with(&names(DEFAULT)));
    }

    #[test]
    fn nothing_fuses_what_was_flattened() {
        let after = GPU.passes.iter().skip_while(|pass| pass.name != FLATTEN.name).skip(1);
        let names: Vec<&str> = after.map(|pass| pass.name).collect();
        assert!(
            [FUSE, GRID_FUSE, FLATTEN].iter().all(|pass| !names.contains(&pass.name)),
            "{names:?}"
        );
    }

    #[test]
    fn unknown_names_are_told_with_the_known_ones() {
        let error = passes("fuse, nonsense").expect_err("there is no such pass");
        assert!(error.contains("\"nonsense\"") && error.contains("\"fuse\""), "{error}");
        let error = pipeline("nonsense").expect_err("there is no such pipeline");
        assert!(
            error.contains("\"none\", \"default\", \"cpu\", \"multicore\", \"gpu\", \"jit\""),
            "{error}"
        );
    }

    #[test]
    fn a_program_can_be_looked_at_after_every_stage() {
        let (passes, stages) = up_to(Target::C, "fuse").expect("there is such a pass");
        assert!(passes.last().is_some_and(|pass| pass.name == "fuse") && stages.is_empty());
        let (passes, stages) = up_to(Target::Cuda, "emit").expect("there is such a stage");
        assert!(passes.len() == GPU.passes.len() && stages.len() == 7);
        let error = up_to(Target::C, "device").expect_err("processors are no devices");
        assert!(error.contains("\"device\"") && error.contains("\"lower\", \"inline\""), "{error}");
    }

    #[test]
    fn stages_have_an_order() {
        let names = |names: &str| {
            let stages = stages(names)?;
            Ok::<_, String>(stages.iter().map(|stage| stage.name).collect::<Vec<_>>())
        };
        assert_eq!(names(""), Ok(Vec::new()));
        assert_eq!(names("assign, short_circuit"), Ok(vec!["assign", "short_circuit"]));
        assert_eq!(names("assign,emit,lanes").map(|stages| stages.len()), Ok(3));
        for (list, why) in [
            ("short_circuit", "\"assign\" is missing"),
            ("assign,lanes", "\"emit\" is missing"),
            ("assign,emit,short_circuit", "\"short_circuit\" is out of order"),
            ("assign,nonsense", "\"lanes\""),
        ] {
            let error = names(list).expect_err(list);
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn stages_of_machines_fit_each_other() {
        for pipeline in [CPU, GPU] {
            let list = pipeline.stages.iter().map(|stage| stage.name).collect::<Vec<_>>().join(",");
            let found = stages(&list).map(|stages| stages.last().map(Stage::gives));
            assert_eq!(found, Ok(Some(Form::C)), "{list}");
        }
    }
}
