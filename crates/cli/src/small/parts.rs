//! Commands about the parts of programs: files, definitions, names, tokens. What they say of names is what editors are told.

use crate::args::small::{DefsArgs, ImportsArgs, ImportsFormat, ProgramArgs, QueryArgs};
use crate::args::{Format, OutputArgs};
use crate::commands::{FAILURE, exit, root};
use crate::{output, program_name};
use fehu_analysis::View;
use fehu_analysis::declared;
use fehu_analysis::hover::{self, Hover};
use fehu_analysis::index::{self, Index};
use fehu_analysis::position::{Encoding, Position};
use fehu_analysis::symbols::{self, Kind, Symbol};
use fehu_base::render::json::Json;
use fehu_base::{FileId, SourceMap, stack};
use fehu_driver::analyse::Analysis;
use fehu_driver::check::{self, Exit, Outcome};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;

/// The number of the way in which digests of programs are computed.
const DIGEST: u32 = 1;

/// `fehu imports`
pub(crate) fn imports(args: &ImportsArgs) -> u8 {
    let outcome = match loaded(&Root::Path(args.file.clone()), &OutputArgs::default()) {
        Ok(outcome) => outcome,
        Err(code) => return code,
    };
    let files = &outcome.loaded.files;
    let name = |index: usize| outcome.sources.file(files[index].id).name.as_str();
    let own: Vec<usize> = (0..files.len()).filter(|&index| !files[index].in_prelude).collect();
    let mut text = String::new();
    match args.format {
        ImportsFormat::Lines => {
            own.iter().for_each(|&index| text.push_str(&format!("{}\n", name(index))))
        }
        ImportsFormat::Make => {
            let program = args.file.strip_suffix(".fut").unwrap_or(&args.file);
            let target = args.target.as_deref().unwrap_or(program);
            text = format!("{}:", for_make(target));
            own.iter().for_each(|&index| text.push_str(&format!(" {}", for_make(name(index)))));
            text.push('\n');
        }
        ImportsFormat::Dot => {
            text.push_str("digraph imports {\n");
            for &index in &own {
                text.push_str(&format!("  {};\n", quote(name(index))));
                let targets = files[index].imports.iter().filter_map(|import| import.target);
                for target in targets.filter(|&target| !files[target].in_prelude) {
                    text.push_str(&format!(
                        "  {} -> {};\n",
                        quote(name(index)),
                        quote(name(target))
                    ));
                }
            }
            text.push_str("}\n");
        }
    }
    output::stdout(&text);
    exit(outcome)
}

/// A name of a file as make wants it.
fn for_make(name: &str) -> String {
    name.replace('$', "$$").replace(' ', "\\ ").replace('#', "\\#")
}

/// `fehu hash`
pub(crate) fn hash(args: &ProgramArgs) -> u8 {
    let Some(root) = root(&args.file) else { return FAILURE };
    let outcome = match loaded(&root, &args.output) {
        Ok(outcome) => outcome,
        Err(code) => return code,
    };
    let digest = check::digest(&outcome.loaded);
    output::stdout(&match program_name() {
        // As many digits as others print.
        "futhark" => format!("{}\n", &digest[..32]),
        _ => format!("{DIGEST}-{digest}\n"),
    });
    exit(outcome)
}

/// `fehu tokens`
pub(crate) fn tokens(args: &ProgramArgs) -> u8 {
    let Some(root) = root(&args.file) else { return FAILURE };
    let (tokens, outcome) = check::tokens(&Disk, &root);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let mut text = String::new();
    for token in tokens {
        let (line, column) = outcome.sources.file(token.span.file).line_col(token.span.start);
        let kind = format!("{:?}", token.class).to_lowercase();
        text.push_str(&format!("{kind} {} {line}:{column}\n", outcome.sources.text(token.span)));
    }
    output::stdout(&text);
    exit(outcome)
}

/// `fehu defs`
pub(crate) fn defs(args: &DefsArgs) -> u8 {
    let root = Root::Path(args.file.clone());
    let outcome = match loaded(&root, &args.output) {
        Ok(outcome) => outcome,
        Err(code) => return code,
    };
    let mut text = String::new();
    ask(root, |view, _| {
        for unit in view.units.iter().filter(|unit| !unit.in_prelude) {
            for symbol in symbols::symbols(view, unit.id) {
                define(view, args.output.format, "", &symbol, &mut text);
            }
        }
    });
    output::stdout(&text);
    exit(outcome)
}

/// A definition, and what is defined inside.
fn define(view: &View<'_>, format: Format, prefix: &str, symbol: &Symbol, text: &mut String) {
    let peer = program_name() == "futhark";
    let kind = match symbol.kind {
        Kind::Function | Kind::Entry | Kind::Constant => "value",
        Kind::Type => "type",
        Kind::Module => "module",
        Kind::ModuleType => "module type",
    };
    let place = view.sources.describe(symbol.span);
    let container = matches!(symbol.kind, Kind::Module | Kind::ModuleType);
    let qualified = format!("{prefix}{}", symbol.name);
    match format {
        // The reference compiler does not tell what modules are called.
        Format::Text if peer && container => {}
        Format::Text => text.push_str(&format!("{kind} {} {place}\n", symbol.name)),
        Format::Json => {
            let doc = declared::doc(view, symbol.name_span);
            text.push_str(&object(&[
                ("kind", Some(kind)),
                ("name", Some(&qualified)),
                (
                    "type",
                    Some(&symbol.detail).filter(|detail| !detail.is_empty()).map(String::as_str),
                ),
                ("doc", doc.as_deref()),
                ("place", Some(&place)),
            ]));
        }
    }
    if symbol.kind == Kind::ModuleType && (peer || format == Format::Text) {
        return;
    }
    for inner in &symbol.children {
        define(view, format, &format!("{qualified}."), inner, text);
    }
}

/// `fehu query`
pub(crate) fn query(args: &QueryArgs) -> u8 {
    let root = Root::Path(args.file.clone());
    let outcome = match loaded(&root, &args.output) {
        Ok(outcome) => outcome,
        Err(code) => return code,
    };
    let mut text = None;
    ask(root, |view, file| {
        let (Some(line), Some(column)) = (args.line.checked_sub(1), args.column.checked_sub(1))
        else {
            return;
        };
        let source = view.sources.file(file);
        if line >= source.line_count() {
            return;
        }
        let position = Position { line: line as u32, column: column as u32 };
        let offset = Encoding::Utf32.offset(source, position);
        let index = Index::new(view, file);
        let found = index.at(offset);
        let place = found.and_then(|found| index::place(view.program, found.target));
        let place = place.map(|place| view.sources.describe(place));
        let hover = hover::hover(view, &index, file, offset);
        text = hover.map(|hover| {
            let name = view.text(hover.span).to_owned();
            let ty =
                found.map(|found| hover::detail(view, found.target)).filter(|ty| !ty.is_empty());
            answer(view.sources, args.output.format, &hover, &name, ty.as_deref(), place.as_deref())
        });
    });
    let nothing = || match args.output.format {
        Format::Text => "No information available.\n".to_owned(),
        Format::Json => "null\n".to_owned(),
    };
    output::stdout(&text.unwrap_or_else(nothing));
    exit(outcome)
}

/// What is said of a place.
fn answer(
    sources: &SourceMap,
    format: Format,
    hover: &Hover,
    name: &str,
    ty: Option<&str>,
    definition: Option<&str>,
) -> String {
    let place = sources.describe(hover.span);
    if format == Format::Json {
        return object(&[
            ("name", Some(name)),
            ("position", Some(&place)),
            ("type", ty),
            ("definition", definition),
            ("code", Some(&hover.code)),
            ("doc", hover.doc.as_deref()),
        ]);
    }
    let mut text = format!("Name: {name}\nPosition: {place}\n");
    if let Some(ty) = ty {
        text.push_str(&format!("Type: {ty}\n"));
    }
    if let Some(definition) = definition {
        text.push_str(&format!("Definition: {definition}\n"));
    }
    if program_name() != "futhark" {
        hover.doc.iter().for_each(|doc| text.push_str(&format!("\n{doc}\n")));
        hover.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
    }
    text
}

/// An object on a line of its own, without members that have no value.
fn object(members: &[(&str, Option<&str>)]) -> String {
    let mut json = Json::default();
    json.object(|json| {
        for (name, value) in members {
            if let Some(value) = value {
                json.field(name, value);
            }
        }
    });
    json.raw("\n");
    json.text
}

/// A name in quotation marks.
fn quote(name: &str) -> String {
    let mut json = Json::default();
    json.string(name);
    json.text
}

/// A program that can be read and parsed; otherwise, what is wrong is said.
fn loaded(root: &Root, args: &OutputArgs) -> Result<Outcome, u8> {
    let outcome = check::load(&Disk, root);
    if outcome.exit == Exit::Success {
        return Ok(outcome);
    }
    output::diagnostics(args, &outcome.sources, &outcome.diagnostics);
    Err(exit(outcome))
}

/// Asks questions about a program, as far as the checker understands it.
fn ask(root: Root, questions: impl FnOnce(&View<'_>, FileId) + Send) {
    let mut analysis = Analysis::new(root, Default::default());
    analysis.update(&Disk);
    if let Some(file) = analysis.root() {
        stack::with_large_stack(|| questions(&analysis.view(), file));
    }
}
