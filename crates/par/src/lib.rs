//! Levels: who executes each operator.
//!
//! A program of stage `arrays` comes in, and one of stage `segs` goes out: operators that several threads share are Segs of a
//! level ([`fehu_ir::Seg`]), and all others are sequential. [`TASKS`] does this for the threads of a CPU, [`FLATTEN`] for GPUs;
//! [`GRID_TILING`] then plans what the threads of a block share, and [`TILING`] what a thread of a CPU does at a time.
//!
//! A program expresses nested parallelism by operators inside the functions of operators. GPUs want a single flat space at a
//! time: one operator, and dimensions around it. [`FLATTEN`] transforms programs until all operators at the host level are
//! that.
//!
//! ```text
//! map (\ps -> let s = reduce (+) 0 ps in map (\p -> p / s) ps) pss
//! ==>
//! ss = seg grid [n] { reduce (+) 0 pss[i] }
//! seg grid [n] { map (\p -> p / ss[i]) pss[i] }
//! ```
//!
//! Where it is not clear whether the inner parallelism is needed, several versions are generated, and a threshold,
//! which can be tuned, chooses between them at run time.
//!
//! - `chunks`: a preceding pass, which cuts streams and, in `prefixes`, scans of arrays;
//! - `expose`: a preceding pass, which inlines functions with parallelism;
//! - `flatmap`: preceding passes, which write out flatmaps;
//! - `irregular`: a preceding pass, which flattens what has other widths at each position;
//! - `loops`: a preceding pass, which lets a block of threads execute loops around small operators; `work`: how small;
//! - `host`: the code around operators;
//! - `context`: what is known below the levels of a nest; `plan`: what happens to the statements of a function;
//! - `distribute`, `fold`, `vector`, `write`, `bins`, `interchange`: carry this out; `build` constructs nests, `resolve`
//!   avoids them; `seg` makes Segs of them;
//! - `version`: thresholds, and [`tree`], how they depend on each other; `block`: functions for thread blocks; `product`: nests
//!   around products that have tiles; `lift`:
//!   code that is executed once; `outer`: loops that the source asks for;
//! - `calls`: functions that are called inside of operators; `hosted`: functions that no kernel can contain;
//! - `epilogue`: a following pass, which gives scans their epilogues; `tiling`: passes that plan tiles;
//!   `simd`: one that chooses which positions are lanes of vectors.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

mod accumulate;
mod aliases;
mod bins;
mod block;
mod build;
mod calls;
mod chunks;
mod columns;
mod context;
mod distribute;
mod epilogue;
mod expose;
mod finish;
mod flatmap;
mod fold;
mod host;
pub mod hosted;
mod interchange;
mod irregular;
mod lift;
mod loops;
mod outer;
mod plan;
mod prefixes;
mod product;
mod resolve;
mod seg;
mod separate;
mod simd;
mod stage;
mod tasks;
mod tiling;
pub mod tree;
mod vector;
mod version;
mod work;
mod write;

pub use chunks::{CHUNKS, GRID_CHUNKS};
pub use columns::GRID_COLUMNS;
pub use epilogue::EPILOGUE;
pub use expose::EXPOSE;
pub use flatmap::{UNFLATMAP, UNFLATMAP_INSIDE};
pub use irregular::{GRID_IRREGULAR, GRID_ROUNDS, IRREGULAR};
pub use loops::GRID_LOOPS;
pub use simd::SIMD;
pub use tasks::TASKS;
pub use tiling::{GRID_TILING, TILING};

use aliases::Aliases;
use context::Cx;
use ecow::EcoString;
use fehu_base::IdVec;
use fehu_facts::{Effects, Share};
use fehu_ir::pass::{Pass, Remarks};
use fehu_ir::{Body, FunId, Prog, Stage, Stm, Var, VarInfo};
use product::Products;
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub const FLATTEN: Pass = Pass {
    name: "flatten",
    about: "flattens nested parallelism into perfect nests, in several versions",
    run,
};

/// All passes of this crate, by name.
pub const PASSES: &[Pass] = &[
    UNFLATMAP,
    UNFLATMAP_INSIDE,
    CHUNKS,
    GRID_CHUNKS,
    EXPOSE,
    IRREGULAR,
    GRID_IRREGULAR,
    GRID_ROUNDS,
    GRID_LOOPS,
    FLATTEN,
    TASKS,
    EPILOGUE,
    TILING,
    SIMD,
    GRID_TILING,
    GRID_COLUMNS,
];

fn run(prog: &mut Prog, remarks: &mut Remarks) {
    let effects = Effects::of(prog);
    let hosted = hosted::hosted(prog);
    let before = prog.funs.clone();
    for item in prog.items() {
        let name = prog.known_name(item).clone();
        prog.change(item, |prog, vars, body| {
            flatten(prog, (&effects, &hosted), name, remarks, body, vars);
        });
    }
    calls::separate_calls(prog, &before);
    prog.stage = Stage::Segs;
}

fn flatten(
    prog: &Prog,
    (effects, hosted): (&Effects, &FxHashSet<FunId>),
    name: EcoString,
    remarks: &mut Remarks,
    body: &mut Body,
    vars: &mut IdVec<Var, VarInfo>,
) {
    flatmap::write_out_all(body, effects, vars);
    outer::loops(prog, body, vars);
    let share = Share::of(prog, body, vars);
    let aliases = Aliases::new(vars.len());
    let mut cx = Cx {
        prog,
        remarks,
        effects,
        vars,
        share,
        out: Vec::new(),
        levels: Vec::new(),
        homes: FxHashMap::default(),
        moved: Vec::new(),
        local: FxHashSet::default(),
        consumed: FxHashSet::default(),
        aliases,
        renames: FxHashMap::default(),
        name,
        thresholds: 0,
        products: Products::default(),
        equal: FxHashMap::default(),
        nonempty: 0,
        assumed: false,
        hosted,
    };
    cx.whole_function(body);
}

/// Whether a statement has an attribute of this name.
fn has_attr(stm: &Stm, name: &str) -> bool {
    stm.attrs.iter().any(|attr| attr.name == name)
}

/// Whether the source wants one thread to execute an operator.
fn is_sequential(stm: &Stm) -> bool {
    has_attr(stm, "sequential")
}
