//! What is said about commands: every one has an example, a chapter in `docs/book/src/commands.md`, a manual page, and
//! is completed by shells.

use crate::common::{fehu, folder, repository, succeed};
use std::process::Command;

/// The commands that a page of help lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    // A description that needs several lines goes on far to the right.
    let names = lines.filter(|line| !line.starts_with("    "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

fn help(command: &[&str]) -> String {
    let text = succeed(fehu().args(command).arg("--help").env("COLUMNS", "100"));
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    trimmed.join("\n")
}

/// Run with `BLESS=1` to write the file.
#[test]
fn every_command_has_a_chapter_and_an_example() {
    let all = help(&[]);
    let mut text = format!(
        "# Commands\n\nWhat `fehu COMMAND --help` says, for every command.\n\n```text\n{}\n```\n",
        all.trim()
    );
    let mut chapter = |command: &[&str]| {
        let help = help(command);
        assert!(help.contains("Example"), "`fehu {} --help` has no example", command.join(" "));
        text.push_str(&format!(
            "\n## fehu {}\n\n```text\n{}\n```\n",
            command.join(" "),
            help.trim()
        ));
        listed(&help)
    };
    let commands = listed(&all);
    assert!(commands.len() > 25, "{commands:?}");
    for command in &commands {
        for inner in chapter(&[command]) {
            chapter(&[command, &inner]);
        }
    }
    let file = repository().join("docs/book/src/commands.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).expect("it can be written");
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == text,
        "docs/book/src/commands.md is not what `--help` says; BLESS=1 writes it anew"
    );
}

#[test]
fn manual_pages_and_completions() {
    let place = folder("manual");
    succeed(fehu().args(["man", "--folder"]).arg(&place));
    let pages = ["fehu.1", "fehu-check.1", "fehu-pkg.1", "fehu-pkg-add.1"];
    for page in pages {
        let text =
            std::fs::read_to_string(place.join(page)).unwrap_or_else(|why| panic!("{page}: {why}"));
        assert!(text.contains(".TH ") && text.contains(".SH NAME"), "{page}: {text}");
    }
    assert!(succeed(fehu().args(["man", "pkg-add"])).contains("no\\-sync"));
    let script = place.join("completions.bash");
    std::fs::write(&script, succeed(fehu().args(["completions", "bash"])))
        .expect("it can be written");
    let completed = "source \"$1\"; COMP_WORDS=(fehu check-s); COMP_CWORD=1; _fehu fehu check-s fehu; echo \"${COMPREPLY[@]}\"";
    let found = succeed(Command::new("bash").args(["-c", completed, "bash"]).arg(&script));
    assert_eq!(found.trim(), "check-syntax");
}
