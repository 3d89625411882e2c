//! `fehu doc`, and the examples of `fehu test --doc`.

use crate::args::pages::DocArgs;
use crate::commands::{FAILURE, SUCCESS, exit};
use crate::output;
use crate::run::wrong;
use fehu_doc::{Wanted, check, site};
use fehu_driver::files::Disk;
use fehu_driver::paths::normalise;
use fehu_driver::save::save;
use fehu_harness::suite;
use std::path::Path;

/// `fehu doc`
pub(crate) fn doc(args: &DocArgs) -> u8 {
    if args.paths.is_empty() && !args.prelude {
        return wrong("nothing to document: give programs or folders, or `--prelude`");
    }
    let programs = match suite::programs(&args.paths) {
        Ok(programs) => programs,
        Err(error) => return wrong(&format!("cannot list the programs: {error}")),
    };
    let keys = programs.iter().map(|path| normalise(path));
    let keys: Vec<String> =
        keys.map(|path| path.strip_suffix(".fut").unwrap_or(&path).to_owned()).collect();
    // One folder is where its pages begin; several keep their names.
    let folder = match args.paths.as_slice() {
        [only] if Path::new(only).is_dir() => normalise(only),
        [only] => {
            Path::new(&normalise(only)).parent().unwrap_or(Path::new("")).display().to_string()
        }
        _ => String::new(),
    };
    let title = args.title.clone().unwrap_or_else(|| {
        match (Path::new(&folder).file_name(), args.prelude) {
            (Some(name), _) => name.to_string_lossy().into_owned(),
            (None, true) if programs.is_empty() => "The prelude".to_owned(),
            (None, _) => "Documentation".to_owned(),
        }
    });
    let wanted = Wanted { title, programs: keys, folder, prelude: args.prelude };
    let (outcome, pages) = site(&Disk, &wanted);
    output::diagnostics(&args.output, &outcome.sources, &outcome.diagnostics);
    let Some(pages) = pages else { return exit(outcome) };
    for (name, contents) in pages {
        let path = Path::new(&args.folder).join(&name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = made.and_then(|()| save(&path, contents)) {
            return wrong(&format!("cannot write \"{}\": {error}", path.display()));
        }
        if args.verbose {
            output::stderr(&format!("{}\n", path.display()));
        }
    }
    SUCCESS
}

/// `fehu test --doc`: tries the examples of programs, or those of the prelude.
pub(crate) fn examples(paths: &[String]) -> u8 {
    let (mut count, mut failed) = (0, false);
    let mut tell = |checked: check::Checked| {
        count += checked.count;
        for failure in &checked.failures {
            failed = true;
            output::stdout(&format!("{failure}\n"));
        }
    };
    if paths.is_empty() {
        tell(check::prelude());
    }
    let programs = match suite::programs(paths) {
        Ok(programs) => programs,
        Err(error) => return wrong(&format!("cannot list the programs: {error}")),
    };
    for program in programs {
        match check::program(&program) {
            Ok(checked) => tell(checked),
            Err(why) => return wrong(&format!("{program}: {why}")),
        }
    }
    let right = if failed { "not all are right" } else { "all are right" };
    output::stdout(&format!("{count} examples, {right}\n"));
    if failed { FAILURE } else { SUCCESS }
}
