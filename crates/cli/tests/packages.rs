//! `fehu pkg` from the outside, and as a drop-in: repositories on this machine stand in for those of the world.

use crate::common::{both, fehu, folder, path_with_futhark, succeed};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder in which `h.org/me/a` 1.0.0 and 1.1.0 are published; `file://` is put in the place of `https://` by git itself.
fn world(name: &str) -> PathBuf {
    let root = folder(name);
    let repository = root.join("mirror/h.org/me/a");
    std::fs::create_dir_all(repository.join("lib/h.org/me/a")).expect("it can be made");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        succeed(surroundings(command.current_dir(&repository).args(arguments), &root))
    };
    git(&["init", "--quiet"]);
    std::fs::write(repository.join("futhark.pkg"), "package h.org/me/a\n")
        .expect("it can be written");
    for version in ["1.0.0", "1.1.0"] {
        let text = format!("def version = \"{version}\"\n");
        std::fs::write(repository.join("lib/h.org/me/a/a.fut"), text).expect("it can be written");
        git(&["add", "."]);
        git(&["commit", "--quiet", "-m", version]);
        git(&["tag", &format!("v{version}")]);
    }
    std::fs::create_dir_all(root.join("project")).expect("it can be made");
    root
}

fn surroundings<'a>(command: &'a mut Command, root: &Path) -> &'a mut Command {
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_VALUE_0", "https://");
    command.env("GIT_CONFIG_KEY_0", format!("url.file://{}/mirror/.insteadOf", root.display()));
    command.env("XDG_CACHE_HOME", root.join("cache"))
}

#[test]
fn packages_are_installed_and_compiled() {
    let root = world("pkg");
    let project = root.join("project");
    let run = |arguments: &[&str]| {
        let mut command = fehu();
        surroundings(command.current_dir(&project).args(arguments), &root)
            .output()
            .expect("it starts")
    };
    let says = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", both(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    std::fs::write(
        project.join("main.fut"),
        "import \"lib/h.org/me/a/a\"\nentry main = length version\n",
    )
    .expect("it can");
    let missing = run(&["check", "main.fut"]);
    assert!(both(&missing).contains("`fehu pkg add h.org/me/a` installs it"), "{}", both(&missing));
    let output = run(&["pkg", "sync"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        both(&output).starts_with("fehu: there is no futhark.pkg in this folder"),
        "{}",
        both(&output)
    );
    assert_eq!(says(&["pkg", "versions", "h.org/me/a"]), "1.0.0\n1.1.0\n");
    let added =
        "Added new required package h.org/me/a 1.0.0.\nlib/ was replaced.\n+ h.org/me/a 1.0.0\n";
    assert_eq!(says(&["pkg", "add", "h.org/me/a", "1.0.0"]), added);
    says(&["check", "main.fut"]);
    assert_eq!(says(&["pkg", "sync", "--offline"]), "lib/ is up to date.\n");
    assert_eq!(says(&["pkg", "outdated"]), "h.org/me/a 1.0.0 => 1.1.0\n");
    assert_eq!(says(&["pkg", "tree"]), ".\n└── h.org/me/a 1.0.0\n");
    assert_eq!(says(&["pkg", "why", "h.org/me/a"]), "h.org/me/a 1.0.0\n");
    let upgraded =
        "Upgraded h.org/me/a 1.0.0 => 1.1.0.\nlib/ was replaced.\n  h.org/me/a 1.0.0 => 1.1.0\n";
    assert_eq!(says(&["pkg", "upgrade"]), upgraded);
    assert_eq!(
        says(&["imports", "--format=make", "main.fut"]),
        "main: lib/h.org/me/a/a.fut main.fut\n"
    );
}

/// The lines and exit codes on which scripts rely.
#[test]
fn packages_as_a_drop_in() {
    let root = world("pkg_peer");
    let project = root.join("project");
    let path = path_with_futhark(&root);
    let run = |arguments: &[&str]| {
        let mut command = Command::new("futhark");
        let output = surroundings(
            command.current_dir(&project).arg("pkg").args(arguments).env("PATH", &path),
            &root,
        )
        .output();
        let output = output.expect("it starts");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let ok = |text: &str| (text.to_owned(), Some(0));
    let not_found = "futhark.pkg not found - pretending it's empty.\n";
    assert_eq!(run(&["check"]), ok(&format!("{not_found}Dependencies chosen:\n")));
    assert_eq!(
        run(&["init", "h.org/me/own"]),
        ok("Created directory lib/h.org/me/own.\nWrote futhark.pkg.\n")
    );
    assert_eq!(run(&["init", "x/y"]), ("futhark.pkg already exists.\n".to_owned(), Some(1)));
    let remember = "Remember to run 'futhark pkg sync'.\n";
    assert_eq!(
        run(&["add", "h.org/me/a", "1.0.0"]),
        ok(&format!("Added new required package h.org/me/a 1.0.0.\n{remember}"))
    );
    assert!(!project.join("lib/h.org/me/a").exists());
    assert_eq!(run(&["sync"]), ok(""));
    assert!(
        project.join("lib/h.org/me/a/a.fut").exists() && project.join("lib/h.org/me/own").is_dir()
    );
    assert!(!project.join("fehu.pkg.lock").exists());
    let chosen = "Dependencies chosen:\nh.org/me/a => 1.0.0\n";
    let problem = "Problem: the directory lib/h.org/me/own does not contain any .fut files.\n";
    assert_eq!(run(&["check"]), (format!("{chosen}{problem}"), Some(1)));
    assert_eq!(run(&["upgrade"]), ok(&format!("Upgraded h.org/me/a 1.0.0 => 1.1.0.\n{remember}")));
    assert_eq!(run(&["upgrade"]), ok("Nothing to upgrade.\n"));
    assert_eq!(
        run(&["add", "h.org/me/a", "1.0.0"]),
        ok(&format!("Replaced h.org/me/a 1.1.0 => 1.0.0.\n{remember}"))
    );
    assert_eq!(run(&["remove", "h.org/me/a"]), ok("Removed h.org/me/a 1.0.0.\n"));
    assert_eq!(
        run(&["remove", "h.org/me/a"]),
        ("No package h.org/me/a found in futhark.pkg.\n".to_owned(), Some(1))
    );
    assert_eq!(run(&["fmt"]), ok(""));
}
