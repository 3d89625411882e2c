//! `fehu completions` and `fehu man`: what shells and manuals want to know of the command line.

use crate::args::Args;
use crate::args::small::ManArgs;
use crate::commands::SUCCESS;
use crate::output;
use crate::run::wrong;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use fehu_driver::save::save;
use std::path::Path;

/// `fehu completions`
pub(crate) fn completions(shell: Shell) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "fehu", &mut script);
    output::write_stdout(|out| out.write_all(&script));
    SUCCESS
}

/// `fehu man`
pub(crate) fn man(args: &ManArgs) -> u8 {
    let mut pages = Vec::new();
    if let Err(why) = collect(&Args::command().name("fehu"), "fehu", &mut pages) {
        return wrong(&format!("the pages cannot be made: {why}"));
    }
    if let Some(folder) = &args.folder {
        let made = std::fs::create_dir_all(folder);
        let saved = made.and_then(|()| {
            pages.iter().try_for_each(|(name, page)| {
                save(Path::new(folder).join(format!("{name}.1")), page)
            })
        });
        return match saved {
            Ok(()) => SUCCESS,
            Err(why) => wrong(&format!("{folder}: {why}")),
        };
    }
    let name = match &args.command {
        Some(command) => format!("fehu-{command}"),
        None => "fehu".to_owned(),
    };
    match pages.iter().find(|(page, _)| *page == name) {
        Some((_, page)) => {
            output::write_stdout(|out| out.write_all(page));
            SUCCESS
        }
        None => wrong(&format!("there is no page {name}; `fehu --help` lists the commands")),
    }
}

/// The pages of a command and of those that it has. `called` is how it is called.
fn collect(
    command: &Command,
    called: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> std::io::Result<()> {
    let name = called.replace(' ', "-");
    let mut page = Vec::new();
    let shown = command.clone().display_name(name.as_str()).bin_name(called);
    clap_mangen::Man::new(shown).render(&mut page)?;
    pages.push((name, page));
    for inner in command.get_subcommands() {
        collect(inner, &format!("{called} {}", inner.get_name()), pages)?;
    }
    Ok(())
}
