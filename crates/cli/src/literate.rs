//! `fehu literate` and `fehu script`.

mod watch;

use crate::args::pages::{LiterateArgs, ProgramArgs, ScriptArgs};
use crate::commands::{FAILURE, SUCCESS, exit};
use crate::output;
use crate::run::{write, wrong};
use fehu_data::text::Style;
use fehu_driver::check::{self, Exit, Warnings};
use fehu_driver::files::Disk;
use fehu_driver::load::Root;
use fehu_driver::save::save;
use fehu_harness::executor::Executor;
use fehu_harness::executor::compiled::Compiled;
use fehu_harness::prepare::{self, Compile, How};
use fehu_harness::script::eval::{value, values};
use fehu_harness::script::show::show;
use fehu_harness::script::{Exp, Machine, ScriptError, parse};
use fehu_harness::server::Launch;
use fehu_literate::builtins::Folder;
use fehu_literate::store::Store;
use fehu_literate::{Event, Part, html, markdown, reach, render};
use std::path::{Path, PathBuf};

/// `fehu literate`
pub(crate) fn literate(args: &LiterateArgs) -> u8 {
    let Some(stem) = args.file.strip_suffix(".fut") else {
        return wrong(&format!("\"{}\" is not a program, which would end in .fut", args.file));
    };
    let mut imported = Vec::new();
    if !args.watch {
        return pages(args, stem, &mut imported);
    }
    // With Ctrl-C it ends like everything else.
    loop {
        // What changes while the pages are made is seen afterwards.
        let before = watch::look(&folder_of(&args.file), &imported);
        let code = pages(args, stem, &mut imported);
        let state = if code == SUCCESS { "written" } else { "not right yet" };
        output::stderr(&format!("{}: {state}, waiting for changes\n", args.file));
        watch::wait(&folder_of(&args.file), &imported, before);
    }
}

/// Makes the pages once, and says of which files.
fn pages(args: &LiterateArgs, stem: &str, files: &mut Vec<PathBuf>) -> u8 {
    let page = match (&args.markdown, &args.html) {
        (Some(file), _) => Some(file.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(format!("{stem}.md")),
    };
    let beside = page.as_ref().or(args.html.as_ref()).map_or(stem, |file| stem_of(file));
    let mut store = Store::new(PathBuf::from(format!("{beside}-img")));
    let folder = Folder { path: folder_of(&args.file), writes: false };
    let mut failed = false;
    let mut observer = |event: Event<'_>| {
        let line = match event {
            Event::Cached(directive) => format!("{}: is known", directive.line),
            Event::Compiles(names) => format!(" compiling, with {}", names.join(", ")),
            Event::Evaluates(directive) => {
                format!("{}: {}", directive.line, directive.source.lines().next().unwrap_or(""))
            }
            Event::Failed(directive, why) => {
                failed = true;
                let line = directive.line;
                output::stderr(&format!("{}:{line}: error: {}\n", args.file, why.trim_end()));
                return;
            }
        };
        if args.program.verbose {
            output::stderr(&format!("{}:{line}\n", args.file));
        }
    };
    let rendered = render(&args.file, &how(&args.program, &[]), &folder, &mut store, &mut observer);
    let outcome = rendered.outcome;
    files.clear();
    files.extend(outcome.sources.iter().map(|(_, file)| PathBuf::from(&file.name)));
    output::diagnostics(&args.program.output, &outcome.sources, &outcome.diagnostics);
    let Some(parts) = rendered.parts else { return exit(outcome) };
    if failed && args.stop_on_error {
        return FAILURE;
    }
    let written = write_pages(args, &parts, page.as_deref(), store.folder());
    let written = written.and_then(|()| {
        let cleaned = store.clean();
        cleaned.map_err(|error| format!("{}: {error}", store.folder().display()))
    });
    match written {
        Err(error) => wrong(&error),
        Ok(()) if failed => FAILURE,
        Ok(()) => SUCCESS,
    }
}

fn write_pages(
    args: &LiterateArgs,
    parts: &[Part],
    page: Option<&str>,
    folder: &Path,
) -> Result<(), String> {
    let failed = |file: &str, error| format!("cannot write \"{file}\": {error}");
    if let Some(file) = page {
        let folder = folder.file_name().unwrap_or_default().to_string_lossy();
        let text = markdown::markdown(parts, &folder);
        save(file, text).map_err(|error| failed(file, error))?;
    }
    if let Some(file) = &args.html {
        let name = Path::new(&args.file).file_stem().unwrap_or_default().to_string_lossy();
        save(file, html::html(parts, &name)).map_err(|error| failed(file, error))?;
    }
    Ok(())
}

/// `fehu script`
pub(crate) fn script(args: &ScriptArgs) -> u8 {
    let mut texts: Vec<String> = args.script.iter().chain(&args.expressions).cloned().collect();
    for file in &args.files {
        match std::fs::read_to_string(file) {
            Ok(text) => texts.push(text),
            Err(error) => return wrong(&format!("cannot read \"{file}\": {error}")),
        }
    }
    if texts.is_empty() {
        return wrong("nothing to evaluate: give a script, or one of the options -e and -f");
    }
    let exps = texts.iter().map(|text| parse::parse(text)).collect::<Result<Vec<Exp>, _>>();
    let exps = match exps {
        Ok(exps) => exps,
        Err(error) => return wrong(&error.to_string()),
    };
    let mut program = match program(args, &exps) {
        Ok(program) => program,
        Err(code) => return code,
    };
    let folder = Folder { path: PathBuf::new(), writes: true };
    let mut machine = Machine { program: &mut *program, builtins: &folder };
    let mut last = Ok(None);
    for exp in &exps {
        last = value(&mut machine, exp).map(Some);
        if last.is_err() {
            break;
        }
    }
    let shown = last.and_then(|last| match last {
        Some(value) if args.binary => {
            write(&values(&mut machine, &value)?, true, Style::PROGRAM);
            Ok(())
        }
        Some(value) => {
            output::stdout(&format!("{}\n", show(&value, machine.program)?));
            Ok(())
        }
        None => Ok(()),
    });
    match shown {
        Ok(()) => SUCCESS,
        Err(error @ ScriptError::Run(_)) => {
            output::stderr(&format!("{error}\n"));
            FAILURE
        }
        Err(error @ (ScriptError::Meaning(_) | ScriptError::Syntax(_))) => {
            wrong(&error.to_string())
        }
    }
}

/// The program of scripts; an exit code if there is none.
fn program(args: &ScriptArgs, exps: &[Exp]) -> Result<Box<dyn Executor>, u8> {
    let more = [(args.debug, "-D"), (args.log, "-L")];
    let more: Vec<String> =
        more.iter().filter(|(wanted, _)| *wanted).map(|(_, option)| (*option).to_owned()).collect();
    if !args.file.ends_with(".fut") {
        let options = args.program.pass_option.iter().cloned().chain(more).collect();
        let launch = Launch { program: PathBuf::from(&args.file), runner: None, options };
        let server = Compiled::new(launch, None).map_err(|error| wrong(&error.to_string()))?;
        return Ok(Box::new(server));
    }
    let checked = check::check(&Disk, &Root::Path(args.file.clone()), Warnings::Show);
    output::diagnostics(&args.program.output, &checked.sources, &checked.diagnostics);
    if checked.exit != Exit::Success {
        return Err(exit(checked));
    }
    let root = checked.loaded.root.and_then(|root| checked.loaded.files.get(root));
    let declared = root.map(|file| reach::values(&file.ast)).unwrap_or_default();
    let mut names: Vec<String> = exps.iter().flat_map(Exp::free_names).collect();
    names.retain(|name| declared.contains(name));
    names.sort();
    names.dedup();
    let how = how(&args.program, &more);
    if args.program.verbose {
        output::stderr(&format!("{}: compiling, with {}\n", args.file, names.join(", ")));
    }
    let (outcome, program) = prepare::program(&args.file, &how, &names);
    output::diagnostics(&args.program.output, &outcome.sources, &outcome.diagnostics);
    program.map_err(|why| match outcome.exit {
        Exit::Success => wrong(&why),
        Exit::Rejected | Exit::Internal => exit(outcome),
    })
}

fn how(args: &ProgramArgs, more: &[String]) -> How {
    if args.interpret {
        return How::Interpreted;
    }
    How::Compiled(Box::new(Compile {
        futhark: args.futhark.clone(),
        compiler_options: args.pass_compiler_option.clone(),
        program_options: args.pass_option.iter().chain(more).cloned().collect(),
        skip_compilation: args.skip_compilation,
        ..Compile::new(args.backend.target())
    }))
}

/// The folder of a program, to which the names of its files are relative.
fn folder_of(file: &str) -> PathBuf {
    Path::new(file).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A file without what follows the last point of its name.
fn stem_of(file: &str) -> &str {
    match file.rfind(['.', '/']) {
        Some(at) if file[at..].starts_with('.') && at > 0 => &file[..at],
        Some(_) | None => file,
    }
}
