//! The public C API of a program, generated from its entry points.
//!
//! The API is the one that clients of existing libraries know: functions such as `futhark_new_i32_1d` for each array
//! type, `futhark_free_opaque_point` for each opaque type, and `futhark_entry_main` for each entry point. Three
//! descriptions of it are generated together, so that they agree: the header for C, the manifest for tools, and tables
//! for the command line and the server of the same program.
//!
//! * [`types`]: which types there are; [`names`]: what they are called in C;
//! * [`mod@array`], [`opaque`], [`record`], [`sum`], [`opaque_array`]: the functions for each kind of type;
//! * [`entry`]: the functions for entry points; [`steps`]: those that are executed chunk by chunk; [`call`]: by callers
//!   of libraries; [`header`], [`manifest`], [`tables`]: the descriptions.

mod array;
mod bindings;
mod call;
mod code;
mod entry;
mod header;
mod manifest;
pub(crate) mod names;
mod opaque;
mod opaque_array;
mod record;
mod steps;
mod sum;
mod tables;
mod types;

use crate::{Mode, Target, foreign};
use code::Code;
use ecow::EcoString;
use fehu_ir::{FunId, Prog};
use types::{Kind, Types};

/// A parameter of the program that users may set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuningParam {
    /// Its name.
    pub name: String,
    /// Its class: `threshold(...)`, `tile_size` and so on.
    pub class: String,
    /// The entry points that depend on it.
    pub entries: Vec<EcoString>,
}

/// The interface of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Api {
    /// What comes before the context: public declarations, and what is known of tuning parameters.
    pub declarations: String,
    /// Functions of the interface; they come after those of the program.
    pub definitions: String,
    /// Tables of types and entry points: `fe_type_list` and `fe_entries`. Empty if it is a library to be linked.
    pub tables: String,
    /// Whether it is a library with functions for entry points on sequences.
    pub streams: bool,
    /// The header.
    pub header: String,
    /// The manifest, in JSON.
    pub manifest: String,
}

/// Makes the interface of a program. `functions` gives the C name of an IR function.
pub fn generate(
    prog: &Prog,
    functions: &dyn Fn(FunId) -> String,
    target: Target,
    mode: Mode,
    tuning: &[TuningParam],
) -> Api {
    let types = types::collect(&prog.entries);
    let mut objects = Code::default();
    for ty in types.objects() {
        type_functions(&mut objects, &types, ty);
    }
    let mut entries = Code::default();
    let mut prototypes = String::new();
    for item in &prog.entries {
        let fun = &prog.funs[item.fun];
        let callee = entry::Callee { entry: item, fun, c_name: functions(item.fun) };
        let prototype = entry::prototype(fun, &callee.c_name);
        if !prototypes.contains(&prototype) {
            prototypes.push_str(&prototype);
        }
        entry::function(&mut entries, &types, &callee);
    }
    for id in prog.streams.iter().flat_map(|streaming| streaming.funs()) {
        prototypes.push_str(&entry::prototype(&prog.funs[id], &functions(id)));
    }
    let all = steps::all(prog, functions);
    let mut streams = false;
    if matches!(mode, Mode::Library | Mode::Shared) {
        for item in &all {
            streams |= call::function(&mut entries, &types, &prog.entries, item);
        }
    }
    let public = header::declarations(&types, target, &objects.prototypes, &entries.prototypes);
    let tables = match mode {
        Mode::Library => String::new(),
        Mode::Executable | Mode::Server | Mode::Shared => {
            tables::tables(&types, &prog.entries, &all, tuning, mode)
        }
    };
    let definitions = format!(
        "// What the program's functions look like to the interface.\n{prototypes}\n// Objects\n\n{}{}{}",
        array::structs(&types),
        objects.definitions,
        entries.definitions
    );
    Api {
        declarations: format!("{public}\n{}", tuning_tables(tuning)),
        definitions,
        tables,
        streams,
        header: header::header(&public, target),
        manifest: manifest::manifest(&types, prog, target, tuning, &foreign::prototypes(prog)),
    }
}

/// The declarations that the interfaces of all programs begin with.
pub fn common_declarations(target: Target) -> String {
    header::common(target)
}

fn type_functions(code: &mut Code, types: &Types, ty: &types::TypeDef) {
    if let Kind::Array { elem, rank } = ty.kind {
        array::functions(code, ty, elem, rank);
        return;
    }
    opaque::functions(code, types, ty);
    match &ty.kind {
        Kind::Prim(_) | Kind::Array { .. } | Kind::Plain => {}
        Kind::Record(fields) => record::functions(code, types, ty, fields),
        Kind::Sum(variants) => sum::functions(code, types, ty, variants),
        Kind::OpaqueArray { rank, elem, fields } => {
            opaque_array::functions(code, types, ty, (*rank, *elem, fields));
        }
    }
}

/// Names and classes of tuning parameters, each list with an end: C has no empty arrays.
fn tuning_tables(tuning: &[TuningParam]) -> String {
    let list = |text: fn(&TuningParam) -> &str| {
        let items = tuning.iter().map(|param| format!("{}, ", names::quoted(text(param))));
        format!("{{{}NULL}}", items.collect::<String>())
    };
    format!(
        "static const char *const fe_tuning_names[] = {};\n\
         static const char *const fe_tuning_classes[] = {};\n",
        list(|param| &param.name),
        list(|param| &param.class)
    )
}
