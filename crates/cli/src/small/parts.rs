//! Commands about the parts of programs.

use crate::args::OutputArgs;
use crate::args::small::{ImportsArgs, ImportsFormat, ProgramArgs};
use crate::commands::{FAILURE, exit, root};
use crate::{output, program_name};
use fehu_base::render::json::Json;
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
