//! Storing and restoring: files that are missing, malformed or damaged, and disks that are full.

use crate::fake;
use crate::fake::client::Server;
use std::io::Read;
use std::path::Path;
use std::process::Command;

#[test]
fn files_that_are_missing_or_malformed() {
    let mut server = Server::start("files");
    let file = server.file("data");
    let write = |text: &[u8]| std::fs::write(&file, text).expect("it can be written");
    let missing = server.file("missing");
    assert!(server.fails(&format!("restore {missing} x i32")).contains("cannot open"));
    let directory = server.directory.to_string_lossy().into_owned();
    let reason = server.fails(&format!("restore {directory} x i32"));
    assert!(reason.contains("directory"), "{reason}");
    write(b"1 2 [3, 4]");
    for (rest, reason) in [
        ("x i64", "there is more after the last of 1 value"),
        ("x i32 y i32", "1:5: there is more after the last of 2 values"),
        ("x i32 y []i32", "\"y\""),
        ("x i32 y i32 z []i32 w i32", "1:11: the input ends where a value of type i32 is missing"),
        ("x i32 y nope", "no type \"nope\""),
        ("x i32 x i32", "already a variable \"x\""),
        ("x", "a type for each variable"),
        ("x state", "expected a stored value of the opaque type state"),
        ("", "there is more after the last of 0 values"),
    ] {
        let found = server.fails(&format!("restore {file} {rest}"));
        assert!(found.contains(reason), "{rest}: {found}");
    }
    write(b"[1, 2, oops]");
    let reason = server.fails(&format!("restore {file} x []i32"));
    assert!(reason.contains("1:8: `oops` is not a value"), "{reason}");
    write(b"b\x02\x01 i32\x05\0\0\0\0\0\0\0abc");
    let reason = server.fails(&format!("restore {file} x []i32"));
    assert!(reason.contains("has 20 bytes, but only 3 are left"), "{reason}");
    write(format!("[{}]", vec!["1"; 13].join(",")).as_bytes());
    let reason = server.fails(&format!("restore {file} x []i32"));
    assert!(reason.contains("unlucky size"), "{reason}");
    assert!(server.fails("type x").contains("no variable"));
    let mut mixed = b"5 ".to_vec();
    mixed.extend(fehu_data::binary::to_bytes(&fehu_data::Value::from(6_i32)));
    write(&mixed);
    server.ok(&format!("restore {file} \"x 1\" i32 y i32"));
    assert_eq!(server.get("\"x 1\" y"), "5i32 6i32");
    server.end();
}

#[test]
fn opaque_values_in_files() {
    let mut server = Server::start("opaque");
    let file = server.file("state");
    server.set("a b", "i32 i32", "5 6");
    server.call("make_state s a");
    server.call("make_state t b");
    server.ok(&format!("store {file} s a t"));
    server.ok(&format!("restore {file} s2 state a2 i32 t2 state"));
    server.call("read_state r s2");
    server.call("read_state q t2");
    assert_eq!(server.get("r q a2"), "5i32 6i32 5i32");
    let reason = server.fails(&format!("restore {file} x shape a3 i32 y state"));
    assert!(reason.contains("a type other than shape"), "{reason}");
    let reason = server.fails(&format!("restore {file} x i32"));
    assert!(reason.contains("`fehu`"), "{reason}");
    // However the file is damaged, nothing of it is believed.
    let good = std::fs::read(&file).expect("it is there");
    // The first value ends where the binary format of the second starts.
    let end = good.windows(3).position(|three| three == b"b\x02\0").expect("it is there");
    for position in 0..end {
        let mut bad = good.clone();
        bad[position] ^= 0x41;
        std::fs::write(&file, &bad).expect("it can be written");
        server.fails(&format!("restore {file} x state a3 i32 y state"));
        std::fs::write(&file, &good[..position]).expect("it can be written");
        server.fails(&format!("restore {file} x state a3 i32 y state"));
    }
    server.end();
}

/// The files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("it can be listed");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("it can be listed").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

#[test]
fn a_store_that_fails_leaves_the_old_file() {
    // No file may be larger than a block of this shell's `ulimit`, which looks like a disk that is full.
    let program = fake::compile("program.c", &["-DFAKE_SERVER"]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\""]).arg(program);
    let mut server = Server::of(command, "full");
    server.set("a", "i32", "1");
    let many = " a".repeat(20_000);
    server.ok(&format!("new_array v []i32 20000{many}"));
    let file = server.file("stored");
    server.ok(&format!("store {file} a"));
    let before = std::fs::read(&file).expect("it is there");
    let reason = server.fails(&format!("store {file} v"));
    assert!(reason.starts_with("cannot write \""), "{reason}");
    assert_eq!(std::fs::read(&file).expect("it is there"), before);
    let empty = server.file("empty");
    std::fs::write(&empty, "").expect("it can be written");
    server.fails(&format!("store {empty} v"));
    assert_eq!(std::fs::read(&empty).expect("it is there"), b"");
    let other = server.file("new");
    server.fails(&format!("store {other} v"));
    assert_eq!(names(&server.directory), ["empty", "input", "stored"]);
    assert_eq!(server.get("a"), "1i32");
    server.end();
}

#[test]
fn clients_may_open_an_empty_file_first() {
    let mut server = Server::start("opened");
    server.set("a", "i32", "1");
    let file = server.file("opened");
    std::fs::write(&file, "").expect("it can be written");
    let mut opened = std::fs::File::open(&file).expect("it is there");
    server.ok(&format!("store {file} a"));
    let mut bytes = Vec::new();
    opened.read_to_end(&mut bytes).expect("it can be read");
    assert_eq!(bytes, b"b\x02\0 i32\x01\0\0\0");
    server.end();
}

#[test]
fn stores_to_what_is_no_usual_file() {
    let mut server = Server::start("devices");
    server.set("a", "i32", "1");
    let reason = server.fails("store /dev/full a");
    assert!(reason.starts_with("cannot write \"/dev/full\": "), "{reason}");
    assert!(Path::new("/dev/full").exists());
    server.ok("store /dev/null a");
    let directory = server.directory.to_string_lossy().into_owned();
    assert!(server.fails(&format!("store {directory} a")).contains("cannot open"));
    let inside = server.file("missing/file");
    assert!(server.fails(&format!("store {inside} a")).contains("cannot open"));
    assert!(server.fails(&format!("store {directory}/x nope")).contains("no variable"));
    // The target of a link is written, and the link stays.
    let (target, link) = (server.file("target"), server.file("link"));
    std::os::unix::fs::symlink(&target, &link).expect("it can be made");
    server.ok(&format!("store {link} a"));
    assert!(std::fs::symlink_metadata(&link).expect("it is there").is_symlink());
    assert!(std::fs::read(&target).expect("it is there").starts_with(b"b\x02"));
    assert_eq!(names(&server.directory), ["input", "link", "target"]);
    server.end();
}
