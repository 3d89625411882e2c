//! The calls of the other crates, one function each, except for the passes and stages of `pipelines.rs`.

use crate::code::Settings;
use crate::compile::Floats;
use crate::load::{Loaded, LoadedFile};
use ecow::EcoString;
use fehu_backend::api::TuningParam;
use fehu_backend::c::Functions;
use fehu_backend::foreign::Prototype;
use fehu_backend::runtime;
pub use fehu_backend::{Artifacts, Mode, Target};
use fehu_base::id::Id;
use fehu_base::{Diagnostic, FileId, SourceMap};
pub use fehu_check::Depth;
use fehu_check::program::Program;
use fehu_check::{Checking, Role, Unit};
pub use fehu_lower::{Notices, Places, Unsafe};
use fehu_par::tree::{self, Threshold, Wants};
use fehu_syntax::ast;
use fehu_syntax::needed::Names;

/// Text to tree.
pub fn parse(file: FileId, text: &str) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse(file, text)
}

/// Tree to a text that has everything but layout and comments.
pub fn dump(tree: &ast::File) -> String {
    fehu_syntax::dump::file(tree)
}

/// Text of the prelude to tree, in modules that have a module type without what nobody needs.
pub fn parse_needed(file: FileId, text: &str, names: &Names) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse_needed(file, text, names)
}

/// Trees to a typed program.
pub fn check(loaded: &Loaded, sources: &SourceMap) -> (Program, Vec<Diagnostic>) {
    fehu_check::check(sources, &units(loaded), loaded.depth.clone())
}

/// Likewise, for the files that have been added since the last time.
pub fn check_more(
    checking: &mut Checking,
    loaded: &Loaded,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    checking.check(sources, &units(loaded))
}

/// A typed program to the core IR. The definitions of the prelude that it needs have been checked.
pub fn lower(
    loaded: &Loaded,
    program: &Program,
    sources: &SourceMap,
    unsafety: Unsafe,
    places: Places,
) -> Result<fehu_ir::Prog, fehu_lower::Limit> {
    fehu_lower::lower_with(sources, program, &units(loaded), unsafety, places)
}

/// Likewise, with all foreign functions.
pub fn lower_foreign(
    loaded: &Loaded,
    program: &Program,
    sources: &SourceMap,
) -> Result<fehu_ir::Prog, fehu_lower::Limit> {
    fehu_lower::lower_foreign(sources, program, &units(loaded))
}

/// Likewise, with what an interactive session wants to know.
pub fn lower_details(
    loaded: &Loaded,
    program: &Program,
    sources: &SourceMap,
    notices: Notices,
) -> Result<fehu_lower::Lowered, fehu_lower::Limit> {
    fehu_lower::lower_details(sources, program, &units(loaded), notices)
}

/// Text to tree, where the text is one expression: a file that declares a value of this name.
pub fn parse_as_value(file: FileId, text: &str, name: &str) -> (ast::File, Vec<Diagnostic>) {
    fehu_syntax::parse_as_value(file, text, name)
}

/// Whether a program keeps the rules of the IR; the first message if not.
pub fn verify(prog: &fehu_ir::Prog) -> Result<(), String> {
    fehu_ir::verify::verify(prog)
        .map_err(|errors| errors.first().map_or(String::new(), ToString::to_string))
}

/// The functions of a program in C, without the runtime and the interface around them.
pub fn functions_in_c(
    prog: &fehu_ir::Prog,
    imp: &fehu_imp::Program,
    settings: &Settings,
) -> String {
    let (functions, _) = functions(prog, imp, settings);
    format!("{}\n{}", functions.constants_struct, functions.text)
}

fn functions(
    prog: &fehu_ir::Prog,
    imp: &fehu_imp::Program,
    settings: &Settings,
) -> (Functions, Vec<Prototype>) {
    let Settings { target, mode, .. } = *settings;
    let mut functions = fehu_backend::c::functions(imp, target, mode, &settings.kernel_code);
    let foreign = fehu_backend::foreign::prototypes(prog);
    functions.text.insert_str(0, &fehu_backend::foreign::declarations(&foreign));
    (functions, foreign)
}

/// Imperative code, and the program that it is of, to C.
pub(crate) fn c(prog: &fehu_ir::Prog, imp: &fehu_imp::Program, settings: &Settings) -> Artifacts {
    if cfg!(target_family = "wasm") {
        // The linker then drops the runtime, which is larger than most else that a page loads.
        fehu_base::bug("pages have no runtime for programs in C");
    }
    let Settings { target, mode, floats, .. } = *settings;
    let (functions, foreign) = functions(prog, imp, settings);
    let name = |id: fehu_ir::FunId| {
        let fun = imp.funs.get(fehu_imp::FunId::from_index(id.index()));
        format!("fe_fun_{}", fun.map_or("", |fun| fun.name.as_str()))
    };
    let tree = tree::thresholds(prog);
    let tuning: Vec<TuningParam> =
        imp.tuning.iter().map(|param| tuning_param(param, &tree)).collect();
    let api = fehu_backend::api::generate(prog, &name, target, mode, &tuning);
    let parts = runtime::Program {
        constants_struct: &functions.constants_struct,
        functions: &functions.text,
        sites: imp.sites,
        floats: match floats {
            Floats::Strict => runtime::Floats::Strict,
            Floats::Rounded | Floats::Contracted => runtime::Floats::Usual,
            Floats::Fast => runtime::Floats::Fast,
        },
        profiled: functions.profiled,
    };
    let c = runtime::assemble(mode, target, parts, &api);
    let separate = runtime::separate(mode, target);
    let header = matches!(mode, Mode::Library | Mode::Shared).then_some(api.header);
    let manifest = (mode != Mode::Executable).then_some(api.manifest);
    Artifacts { c, runtime: separate, header, manifest, foreign }
}

/// A tuning parameter as the interface shows it. The class of a threshold is `threshold(DEFAULT, TESTS)`: the default stands
/// after `<=` if the test of the threshold succeeds for what is at most as large, and not for what is at least as
/// large; the tests are those that come before, as names of thresholds, with a `!` in front of those that have failed.
fn tuning_param(param: &fehu_imp::Tuning, tree: &[Threshold]) -> TuningParam {
    let class = match tree.iter().find(|threshold| threshold.name == param.name) {
        Some(Threshold { default, wants, path, .. }) => {
            let sign = match wants {
                Wants::AtLeast => "",
                Wants::AtMost => "<=",
            };
            let test = |(name, holds): &(EcoString, bool)| match holds {
                true => name.to_string(),
                false => format!("!{name}"),
            };
            let path: Vec<String> = path.iter().map(test).collect();
            let comma = if path.is_empty() { "" } else { ", " };
            format!("threshold({sign}{default}{comma}{})", path.join(" "))
        }
        // Nothing depends on it any more.
        None if param.is_threshold() => "threshold".to_owned(),
        None => "param".to_owned(),
    };
    TuningParam { name: param.name.to_string(), class, entries: param.entries.clone() }
}

/// The files of a program as the checker wants them.
pub(crate) fn units(loaded: &Loaded) -> Vec<Unit<'_>> {
    loaded
        .files
        .iter()
        .enumerate()
        .map(|(index, file)| Unit {
            id: file.id,
            ast: &file.ast,
            imports: imports(file),
            role: role(loaded, index),
        })
        .collect()
}

fn role(loaded: &Loaded, index: usize) -> Role {
    match () {
        () if Some(index) == loaded.intrinsics => Role::Intrinsics,
        () if Some(index) == loaded.prelude => Role::PreludeRoot,
        () if Some(index) == loaded.root => Role::Root,
        () if loaded.files[index].in_prelude => Role::Prelude,
        () => Role::Library,
    }
}

fn imports(file: &LoadedFile) -> Vec<(EcoString, usize)> {
    file.imports.iter().filter_map(|import| Some((import.name.clone(), import.target?))).collect()
}

/// Tree to formatted text.
pub fn format(tree: &ast::File, text: &str) -> String {
    fehu_syntax::fmt::format(text, tree)
}
