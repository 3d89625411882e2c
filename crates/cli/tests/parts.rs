//! Small commands: about data, and about the parts of programs; and new projects.

use crate::common::{both, fehu, folder, path_with_futhark, succeed};
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "\
-- | Doc.
module m = { def g (x: i32) = x + 1  type t = i32 }
module type mt = { val h : i32 -> i32 }
local def loc = 3i32
open m
module fu (p: mt) = { def k = p.h 2 }
import \"q\"
-- ==
-- entry: main
-- input { 1 } output { 5 }
-- \"named\" input { 2 } output { 6 }
-- \"drawn\" random input { i32 } auto output
-- \"written\" script input { inner 3 }
entry main (x: i32) : i32 = let y = x in g y + loc
entry inner (x: i32) : i32 = x * 2
";

fn place(name: &str) -> std::path::PathBuf {
    let place = folder(name);
    std::fs::write(place.join("p.fut"), PROGRAM).expect("it can be written");
    std::fs::write(place.join("q.fut"), "def z = 1f32").expect("it can be written");
    place
}

fn futhark(place: &Path, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new("futhark");
    command.current_dir(place).args(arguments).env("PATH", path_with_futhark(place));
    let output = command.output().expect("it starts");
    (both(&output), output.status.code())
}

/// Lines and exit codes are those of the reference compiler.
#[test]
fn parts_of_programs_as_a_drop_in() {
    let place = place("parts_peer");
    let defs = "value z q.fut:1:1-13\nvalue g p.fut:2:14-36\ntype t p.fut:2:38-50\nvalue loc p.fut:4:7-21\n\
                value k p.fut:6:23-36\nvalue main p.fut:14:1-51\nvalue inner p.fut:15:1-35\n";
    assert_eq!(futhark(&place, &["defs", "p.fut"]), (defs.to_owned(), Some(0)));
    let query = "Name: y\nPosition: p.fut:14:44-45\nType: i32\nDefinition: p.fut:14:33-34\n";
    assert_eq!(futhark(&place, &["query", "p.fut", "14", "44"]), (query.to_owned(), Some(0)));
    let nothing = "No information available.\n";
    assert_eq!(futhark(&place, &["query", "p.fut", "1", "1"]), (nothing.to_owned(), Some(0)));
    assert_eq!(futhark(&place, &["query", "p.fut", "99", "1"]), (nothing.to_owned(), Some(0)));
    assert_eq!(futhark(&place, &["imports", "p.fut"]), ("q.fut\np.fut\n".to_owned(), Some(0)));
    let (hash, code) = futhark(&place, &["hash", "p.fut"]);
    assert_eq!((hash.trim().len(), code), (32, Some(0)));
    for command in ["hash", "defs", "imports"] {
        assert_eq!(futhark(&place, &[command, "absent.fut"]).1, Some(2), "{command}");
        std::fs::write(place.join("wrong.fut"), "def x = ").expect("it can be written");
        assert_eq!(futhark(&place, &[command, "wrong.fut"]).1, Some(2), "{command}");
        assert_eq!(futhark(&place, &[command]).1, Some(1), "{command}");
    }
    assert_eq!(futhark(&place, &["dataget", "p.fut", "named"]), ("2i32\n".to_owned(), Some(0)));
    let (text, code) = futhark(&place, &["dataget", "p.fut", "absent"]);
    assert!(
        text.starts_with("No dataset 'absent'.\nAvailable datasets:\n  1\n") && code == Some(1),
        "{text}"
    );
    let (text, code) = futhark(&place, &["dataget", "p.fut", "n"]);
    assert!(text.starts_with("Dataset 'n' ambiguous:\n  named\n") && code == Some(1), "{text}");
}

#[test]
fn values_are_compared() {
    let place = folder("datacmp");
    for (name, text) in
        [("a", "[1,2,3] 5i64 2.0f32"), ("b", "[1,2,4] 6i64 2.5f32"), ("c", "1"), ("d", "[1,2")]
    {
        std::fs::write(place.join(name), text).expect("it can be written");
    }
    let different = "Value #0 index [2]: expected 4i32, got 3i32\nValue #1: expected 6i64, got 5i64\n\
                     Value #2: expected 2.5f32, got 2.0f32\n";
    assert_eq!(futhark(&place, &["datacmp", "a", "b"]), (different.to_owned(), Some(2)));
    assert_eq!(
        futhark(&place, &["datacmp", "a", "c"]),
        ("Expected 1 value, got 3\n".to_owned(), Some(2))
    );
    assert_eq!(futhark(&place, &["datacmp", "a", "a"]), (String::new(), Some(0)));
    assert_eq!(futhark(&place, &["datacmp", "a", "d"]).1, Some(1));
    assert_eq!(futhark(&place, &["datacmp", "a", "absent"]).1, Some(1));
    let limited = fehu()
        .current_dir(&place)
        .args(["datacmp", "--limit", "1", "--tolerance", "0.5", "a", "b"])
        .output();
    let limited = both(&limited.expect("it starts"));
    assert!(limited.ends_with("and 1 more differences\n5 elements compared: 2 differ; the largest error of a number is 5e-1\n"), "{limited}");
}

#[test]
fn parts_of_programs_in_our_own_words() {
    let place = place("parts");
    let says = |arguments: &[&str]| succeed(fehu().current_dir(&place).args(arguments));
    let defs = says(&["defs", "p.fut"]);
    assert!(
        defs.contains("module m p.fut:2:1") && defs.contains("module type mt p.fut:3:1"),
        "{defs}"
    );
    let json = says(&["defs", "--format=json", "p.fut"]);
    assert!(json.contains("\"name\":\"m.g\",\"type\":\"i32 -> i32\""), "{json}");
    assert!(json.contains("\"name\":\"m\"") && json.contains("\"doc\":\"Doc.\""), "{json}");
    let tokens = "keyword def 1:1\nname z 1:5\noperator = 1:7\nnumber 1f32 1:9\n";
    assert_eq!(says(&["tokens", "q.fut"]), tokens);
    let dot = says(&["imports", "--format=dot", "p.fut"]);
    assert!(dot.contains("\"p.fut\" -> \"q.fut\";"), "{dot}");
    // Layout makes no difference, and names do.
    let hash = says(&["hash", "q.fut"]);
    std::fs::write(place.join("r.fut"), "-- more\ndef  z =\n  1f32\n").expect("it can be written");
    assert_eq!(says(&["hash", "r.fut"]), hash);
    std::fs::write(place.join("r.fut"), "def y = 1f32").expect("it can be written");
    assert_ne!(says(&["hash", "r.fut"]), hash);
    assert!(hash.starts_with("1-") && hash.trim().len() == 66, "{hash}");
    // What a script makes, and what comes out.
    assert_eq!(says(&["dataget", "--text", "p.fut", "written"]), "6i32\n");
    assert_eq!(says(&["dataget", "--output", "p.fut", "named"]), "6i32\n");
    assert_eq!(says(&["dataget", "--output", "--text", "p.fut", "written"]), "10i32\n");
    says(&["dataget", "--npy", "values", "p.fut", "drawn"]);
    assert!(place.join("values/0.npy").exists());
}

/// What `fehu new` makes works.
#[test]
fn new_projects_work() {
    let place = folder("new");
    let says = |folder: &str, arguments: &[&str]| {
        succeed(fehu().current_dir(place.join(folder)).args(arguments))
    };
    for (name, options) in [
        ("a-b", &[][..]),
        ("c1", &["--host", "c"]),
        ("py", &["--host", "python"]),
        ("ru-st", &["--host", "rust"]),
    ] {
        let said = says("", &[&["new", name], options].concat());
        assert!(said.ends_with('\n') && said.contains("Next: cd"), "{said}");
        let program = if name == "ru-st" { "ru_st.fut".to_owned() } else { format!("{name}.fut") };
        says(name, &["check", "--Werror", &program]);
    }
    says("a-b", &["test", "-i", "a-b.fut"]);
    // With C, all of it.
    let make = |target: &str| {
        let fehu = format!("FEHU={}", env!("CARGO_BIN_EXE_fehu"));
        succeed(Command::new("make").current_dir(place.join("c1")).args([
            target,
            &fehu,
            "BACKEND=c",
            "CC=cc",
        ]))
    };
    make("c1");
    let said = succeed(&mut Command::new(place.join("c1/c1")));
    assert_eq!(said, "standard deviation 2.16025\n");
    says("", &["new", "rotate", "--package", "h.org/me/rotate"]);
    says("rotate", &["pkg", "check"]);
    says("rotate", &["test", "-i", "lib/h.org/me/rotate"]);
    for wrong in ["a-b", "1a", "a b"] {
        let output = fehu().current_dir(&place).args(["new", wrong]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{}", both(&output));
    }
}

/// Nothing here depends on what the machine has: machine code always works, and where there is no C compiler, the back
/// ends are absent.
#[test]
fn the_doctor_tries_what_is_there() {
    let place = folder("doctor");
    let mut command = fehu();
    command.arg("doctor").env("XDG_CACHE_HOME", &place).env("CC", "no-such-compiler");
    let output = command.output().expect("it starts");
    let text = both(&output);
    assert!(output.status.success(), "{text}");
    for line in [
        concat!("fehu          ", env!("CARGO_PKG_VERSION"), ", "),
        "C compiler    absent: ",
        "machine code  works, ",
        "c             absent: it needs a C compiler",
        "cuda          absent: it needs a C compiler",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line}: {text}");
    }
    assert!(text.contains(&format!("cache         {}", place.join("fehu").display())), "{text}");
}
