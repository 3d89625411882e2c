//! `fehu pkg`: calls the crate `fehu-pkg`, and prints.
//!
//! Called as `futhark`, lines and exit codes are those of the reference compiler: messages go to standard output, nothing is
//! installed but by `sync`, and that asks nobody.

use crate::args::pkg::{AfterArgs, PkgArgs, PkgCommand, SyncArgs};
use crate::commands::{FAILURE, SUCCESS};
use crate::{output, program_name};
use fehu_driver::cache::Cache;
use fehu_pkg::manifest;
use fehu_pkg::project::Change;
use fehu_pkg::resolve::{Graph, Rules};
use fehu_pkg::sync::{Difference, Locking, Options, Synced};
use fehu_pkg::{Error, Network, PackagePath, Project, Result, Settings, Version};
use std::path::Path;

/// `fehu pkg`
pub(crate) fn pkg(args: &PkgArgs) -> u8 {
    let manner = match program_name() {
        "futhark" => Manner::Peer,
        _ => Manner::Ours,
    };
    match run(args, manner) {
        Ok(code) => code,
        Err(error) => {
            match manner {
                Manner::Ours => output::stderr(&format!("fehu: {error}\n")),
                Manner::Peer => output::stdout(&format!("{error}\n")),
            }
            FAILURE
        }
    }
}

/// Whose output we write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Ours,
    Peer,
}

fn run(args: &PkgArgs, manner: Manner) -> Result<u8> {
    let folder = Path::new(".");
    if let PkgCommand::Init { path } = &args.command {
        let made = Project::init(folder, &package(path)?)?;
        say(&format!("Created directory {}.\nWrote {}.\n", made.display(), manifest::FILE));
        return Ok(SUCCESS);
    }
    let mut project = Project::open(folder, settings(args, manner)?)?;
    if !project.exists {
        missing(&args.command, manner)?;
    }
    match &args.command {
        PkgCommand::Init { .. } => {}
        PkgCommand::Add { path, version, sync } => {
            let version = version.as_deref().map(parse_version).transpose()?;
            let Change { new, old } = project.add(path, version)?;
            match old {
                None => say(&format!("Added new required package {} {}.\n", new.path, new.version)),
                Some(old) => {
                    say(&format!("Replaced {} {} => {}.\n", new.path, old.version, new.version))
                }
            }
            afterwards(&mut project, sync, manner)?;
        }
        PkgCommand::Remove { path, sync } => {
            let old = project.remove(&package(path)?)?;
            say(&format!("Removed {} {}.\n", old.path, old.version));
            if manner == Manner::Ours {
                afterwards(&mut project, sync, manner)?;
            }
        }
        PkgCommand::Sync(options) => synchronise(&mut project, options, manner)?,
        PkgCommand::Upgrade { sync } => {
            let changes = project.upgrade()?;
            for Change { new, old } in &changes {
                let old = old.as_ref().map_or(String::new(), |old| old.version.to_string());
                say(&format!("Upgraded {} {old} => {}.\n", new.path, new.version));
            }
            match changes.is_empty() {
                true => say("Nothing to upgrade.\n"),
                false => afterwards(&mut project, sync, manner)?,
            }
        }
        PkgCommand::Check => return check(&mut project, manner),
        PkgCommand::Versions { path } => {
            let versions = project.versions(path)?;
            say(&versions.iter().map(|version| format!("{version}\n")).collect::<String>());
        }
        PkgCommand::Fmt => project.format()?,
        PkgCommand::Why { path } => return why(&mut project, path),
        PkgCommand::Outdated => outdated(&mut project)?,
        PkgCommand::Tree => {
            let graph = project.resolve()?;
            let name = project.manifest.package.as_ref().map_or(".", |package| package.as_str());
            let mut text = format!("{name}\n");
            tree(&graph, None, "", &mut Vec::new(), &mut text);
            say(&text);
        }
    }
    Ok(SUCCESS)
}

fn settings(args: &PkgArgs, manner: Manner) -> Result<Settings> {
    let folder = Cache::folder();
    let folder =
        folder.map_err(|why| Error::new(format!("there is no place for the cache: {why}")))?;
    Ok(Settings {
        network: if args.offline { Network::Offline } else { Network::Online },
        rules: match manner {
            Manner::Ours => Rules::Ours,
            Manner::Peer => Rules::Peer,
        },
        cache: folder.join("packages"),
        mirror: std::env::var("FEHU_PKG_MIRROR").ok().filter(|mirror| !mirror.is_empty()),
    })
}

/// Says that there is no manifest, where that matters.
fn missing(command: &PkgCommand, manner: Manner) -> Result<()> {
    let file = manifest::FILE;
    match (command, manner) {
        (PkgCommand::Init { .. } | PkgCommand::Versions { .. }, _) => {}
        (_, Manner::Peer) => say(&format!("{file} not found - pretending it's empty.\n")),
        (PkgCommand::Add { .. }, Manner::Ours) => {}
        (_, Manner::Ours) => {
            return Err(Error::new(format!("there is no {file} in this folder"))
                .help("`fehu pkg add PATH` makes one for a program, and `fehu pkg init PATH` for a package"));
        }
    }
    Ok(())
}

fn afterwards(project: &mut Project, args: &AfterArgs, manner: Manner) -> Result<()> {
    match manner {
        Manner::Peer => say("Remember to run 'futhark pkg sync'.\n"),
        Manner::Ours if args.no_sync => say("lib/ is as it was; `fehu pkg sync` changes it.\n"),
        Manner::Ours => return synchronise(project, &args.sync, manner),
    }
    Ok(())
}

fn synchronise(project: &mut Project, args: &SyncArgs, manner: Manner) -> Result<()> {
    let lock = match manner {
        _ if args.relock => Locking::Renew,
        Manner::Ours => Locking::Keep,
        Manner::Peer => Locking::IfPresent,
    };
    let options = Options { force: args.force || manner == Manner::Peer, lock };
    let done = project.sync(options)?;
    if manner == Manner::Peer {
        return Ok(());
    }
    match done {
        Synced::UpToDate => say("lib/ is up to date.\n"),
        Synced::Replaced(differences) => {
            let mut text = "lib/ was replaced.\n".to_owned();
            for Difference { path, old, new } in differences {
                text.push_str(&match (old, new) {
                    (Some(old), Some(new)) => format!("  {path} {old} => {new}\n"),
                    (None, Some(new)) => format!("+ {path} {new}\n"),
                    (Some(old), None) => format!("- {path} {old}\n"),
                    (None, None) => String::new(),
                });
            }
            say(&text);
        }
    }
    Ok(())
}

fn check(project: &mut Project, manner: Manner) -> Result<u8> {
    let review = project.check()?;
    let mut text = "Dependencies chosen:\n".to_owned();
    for (path, chosen) in &review.graph.chosen {
        text.push_str(&format!("{path} => {}\n", chosen.version));
    }
    say(&text);
    if manner == Manner::Ours {
        for warning in &review.warnings {
            output::stderr(&format!("warning: {warning}\n"));
        }
    }
    match review.problem {
        None => Ok(SUCCESS),
        Some(problem) => {
            say(&format!("Problem: {problem}\n"));
            Ok(FAILURE)
        }
    }
}

fn why(project: &mut Project, path: &str) -> Result<u8> {
    let path = package(path)?;
    let graph = project.resolve()?;
    let ways = graph.why(&path);
    if ways.is_empty() {
        output::stderr(&format!("fehu: nothing requires {path}\n"));
        return Ok(FAILURE);
    }
    let mut text = String::new();
    for way in ways {
        let mut requirements = graph.requirements(None);
        for (depth, path) in way.iter().enumerate() {
            let wanted = requirements.iter().find(|requirement| requirement.path == *path);
            let wanted = wanted.map_or(String::new(), |wanted| wanted.version.to_string());
            text.push_str(&format!(
                "{}{path} {wanted}{}\n",
                "  ".repeat(depth),
                used(&graph, path, &wanted)
            ));
            requirements = graph.requirements(Some(path));
        }
    }
    say(&text);
    Ok(SUCCESS)
}

fn outdated(project: &mut Project) -> Result<()> {
    let outdated = project.outdated()?;
    if outdated.is_empty() {
        say("All packages are the newest of their major version.\n");
        return Ok(());
    }
    let mut text = String::new();
    for one in outdated {
        text.push_str(&format!("{} {}", one.path, one.version));
        if let Some(newest) = one.newest {
            text.push_str(&format!(" => {newest}"));
        }
        if let Some(beyond) = one.beyond {
            text.push_str(&format!(" ({} {beyond})", one.path.with_major(beyond.major)));
        }
        text.push('\n');
    }
    say(&text);
    Ok(())
}

/// What a package requires, indented; what was shown before is not shown again.
fn tree(
    graph: &Graph,
    path: Option<&PackagePath>,
    indent: &str,
    shown: &mut Vec<PackagePath>,
    text: &mut String,
) {
    let requirements = graph.requirements(path);
    for (i, required) in requirements.iter().enumerate() {
        let last = i + 1 == requirements.len();
        let (branch, below) = if last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let path = &required.path;
        let wanted = required.version.to_string();
        let again = shown.contains(path) && !graph.requirements(Some(path)).is_empty();
        let more = if again { " (see above)" } else { "" };
        text.push_str(&format!(
            "{indent}{branch}{path} {wanted}{}{more}\n",
            used(graph, path, &wanted)
        ));
        if !again {
            shown.push(path.clone());
            tree(graph, Some(path), &format!("{indent}{below}"), shown, text);
        }
    }
}

/// The version that is used, if it is another than the one that is wanted.
fn used(graph: &Graph, path: &PackagePath, wanted: &str) -> String {
    match graph.chosen.get(path) {
        Some(chosen) if chosen.version.to_string() != wanted => format!(" => {}", chosen.version),
        Some(_) | None => String::new(),
    }
}

fn package(text: &str) -> Result<PackagePath> {
    PackagePath::parse(text).map_err(Error::new)
}

fn parse_version(text: &str) -> Result<Version> {
    Version::parse(text)
        .ok_or_else(|| Error::new(format!("\"{text}\" is no version; one is written as 1.2.3")))
}

fn say(text: &str) {
    output::stdout(text);
}
