//! Against servers that are shell scripts: what is tested is how the client bears what they do.
#![cfg(unix)]

use super::*;
use fehu_driver::temporary::Folder;
use std::os::unix::fs::PermissionsExt;

/// A server whose answers to commands are the arms of a `case` of the shell.
fn launch(folder: &Folder, arms: &str) -> Launch {
    let program = folder.path().join("server");
    let text = format!(
        "#!/bin/sh\necho '%%% OK'\nwhile read -r command rest; do\n  case $command in\n\
         entry_points) echo main;;\n{arms}\n  esac\n  echo '%%% OK'\ndone\n"
    );
    std::fs::write(&program, text).expect("it can be written");
    let rights = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, rights).expect("it is ours");
    Launch { program, runner: Some("sh".to_owned()), options: Vec::new() }
}

const NEW: &str = "output) echo '*[]i32';;";
const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn answers_are_lines() {
    let folder = Folder::new().expect("it can be made");
    let launch = launch(&folder, &format!("{NEW}\nfields) echo \"a i32\"; echo \"b $rest\";;"));
    let mut server = Server::start(&launch, LIMIT).expect("it starts");
    assert_eq!(server.dialect(), Dialect::One);
    let answer = server.command(&["fields", "a b", ""]).expect("an answer");
    assert_eq!(answer, ["a i32", "b \"a b\" \"\""]);
    assert_eq!(server.command(&["free"]), Ok(Vec::new()));
}

#[test]
fn failures_have_reasons_and_the_server_lives_on() {
    let folder = Folder::new().expect("it can be made");
    let arms = "call) echo log; echo '%%% FAILURE'; echo 'Error: x'; echo; echo more;;";
    let launch = launch(&folder, &format!("{NEW}\n{arms}"));
    let mut server = Server::start(&launch, LIMIT).expect("it starts");
    let error = server.command(&["call", "main", "o"]).expect_err("it fails");
    assert_eq!(error, ServerError::Failure("Error: x\n\nmore".to_owned()));
    assert!(server.is_alive() && server.command(&["entry_points"]).is_ok());
    let error = server.command(&["a\"b"]).expect_err("there is no way to write this");
    assert_eq!(error, ServerError::Unspeakable("a\"b".to_owned()));
    assert!(server.is_alive());
}

#[test]
fn older_servers_are_started_again() {
    let folder = Folder::new().expect("it can be made");
    let arms = "output) echo 'Unknown command' >&2; exit 1;;\noutputs) echo i32; echo f32;;";
    let mut server = Server::start(&launch(&folder, arms), LIMIT).expect("it starts");
    assert_eq!(server.dialect(), Dialect::Several);
    assert_eq!(server.command(&["outputs", "main"]), Ok(vec!["i32".into(), "f32".into()]));
}

#[test]
fn a_server_that_ends_is_told_with_its_last_words() {
    let folder = Folder::new().expect("it can be made");
    let arms = "call) echo half; echo 'I am broken' >&2; kill -9 $$;;";
    let launch = launch(&folder, &format!("{NEW}\n{arms}"));
    let mut server = Server::start(&launch, LIMIT).expect("it starts");
    let Err(ServerError::Ended(why)) = server.command(&["call"]) else { panic!("it has ended") };
    assert!(why.contains("signal: 9") && why.contains("I am broken"), "{why}");
    assert!(!server.is_alive());
    let Err(ServerError::Ended(_)) = server.command(&["call"]) else { panic!("it has ended") };
}

#[test]
fn a_server_that_takes_too_long_is_stopped() {
    let folder = Folder::new().expect("it can be made");
    let launch = launch(&folder, &format!("{NEW}\ncall) sleep 60;;"));
    let mut server = Server::start(&launch, LIMIT).expect("it starts");
    let begin = Instant::now();
    server.set_limit(Some(Duration::from_millis(100)));
    assert_eq!(server.command(&["call"]), Err(ServerError::TooSlow));
    assert!(begin.elapsed() < Duration::from_secs(10) && !server.is_alive());
}

#[test]
fn what_is_no_server_is_told() {
    let folder = Folder::new().expect("it can be made");
    let launch =
        Launch { program: folder.path().join("absent"), runner: None, options: Vec::new() };
    let Err(ServerError::Ended(why)) = Server::start(&launch, LIMIT) else { panic!("no server") };
    assert!(why.contains("cannot be started"), "{why}");
    let launch = Launch { runner: Some("true".to_owned()), ..launch };
    let Err(ServerError::Ended(why)) = Server::start(&launch, LIMIT) else { panic!("no server") };
    assert!(why.contains("exit status: 0"), "{why}");
    let launch =
        Launch { runner: Some("sleep".to_owned()), program: "60".into(), options: Vec::new() };
    // Paths are made absolute, so `sleep` does not understand it; what matters is that it is no server.
    assert!(Server::start(&launch, Duration::from_millis(200)).is_err());
}
