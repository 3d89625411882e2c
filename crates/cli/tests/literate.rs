//! `fehu literate`, `fehu script` and `fehu doc`: the commands themselves.

use crate::common::{fehu, folder, repository};
use std::fs;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn the_example_becomes_a_page() {
    let folder = folder("literate-example");
    let page = folder.join("fit.html");
    let program = repository().join("examples/literate/fit.fut");
    let output = fehu().args(["literate", "--html"]).arg(&page).arg(&program).output();
    done(&output.expect("it runs"));
    let page = fs::read_to_string(page).expect("there is a page");
    assert!(page.contains("<title>Fitting a curve</title>"), "{page}");
    assert_eq!(page.matches("class=\"fehu-plot\"").count(), 3);
    assert!(!page.contains("class=\"failed\""), "{page}");
}

#[test]
fn failures_are_told_with_their_lines() {
    let folder = folder("literate-failures");
    let program = folder.join("bad.fut");
    fs::write(&program, "def f (x: i64) = 10 / x\n\n-- > f 0\n\n-- > f 5\n")
        .expect("it can be written");
    let run = |more: &[&str]| {
        fehu().args(["literate", "-i"]).args(more).arg(&program).output().expect("it runs")
    };
    let stopped = run(&["--stop-on-error"]);
    assert_eq!(stopped.status.code(), Some(1));
    assert!(text(&stopped.stderr).contains("bad.fut:3: error: "), "{}", text(&stopped.stderr));
    assert!(!folder.join("bad.md").exists());
    assert_eq!(run(&[]).status.code(), Some(1));
    let page = fs::read_to_string(folder.join("bad.md")).expect("there is a page");
    assert!(page.contains("**FAILED**") && page.contains("2i64"), "{page}");
    let verbose = run(&["-v"]);
    assert!(text(&verbose.stderr).contains("bad.fut:5: is known"), "{}", text(&verbose.stderr));
}

#[test]
fn pages_follow_changes() {
    let folder = folder("literate-watch");
    let (program, page) = (folder.join("p.fut"), folder.join("p.md"));
    fs::write(folder.join("q.fut"), "def y = 1i64").expect("it can be written");
    fs::write(&program, "import \"q\"\n\n-- > f 1\n\ndef f (x: i64) = x + y")
        .expect("it can be written");
    let mut command = fehu();
    command.args(["literate", "-i", "--watch"]).arg(&program).stderr(Stdio::null());
    let mut watching = command.spawn().expect("it starts");
    // A page is written whole or not at all.
    let mut wait_for = |wanted: &str| {
        let patience = Instant::now() + Duration::from_secs(120);
        while !fs::read_to_string(&page).is_ok_and(|text| text.contains(wanted)) {
            let waits =
                Instant::now() < patience && watching.try_wait().is_ok_and(|end| end.is_none());
            assert!(waits, "no {wanted}: {:?}", fs::read_to_string(&page));
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_for("2i64");
    fs::write(folder.join("q.fut"), "def y = 41i64").expect("it can be written");
    wait_for("42i64");
    fs::write(&program, "import \"q\"\n\n-- > f 2\n\ndef f (x: i64) = x + y")
        .expect("it can be written");
    wait_for("43i64");
    watching.kill().expect("it runs until then");
    watching.wait().expect("it ends");
}

#[test]
fn scripts_have_values() {
    let folder = folder("script");
    let program = folder.join("p.fut");
    let source = "def f (x: i32) (y: i32) = (x + y, x * y)\ntype~ r = {a: i64, b: []f32}\n\
        def r (n: i64) : r = {a = n, b = map f32.i64 (iota n)}";
    fs::write(&program, source).expect("it can be written");
    let run = |args: &[&str]| {
        let mut command = fehu();
        command.args(["script", "-i"]).arg(&program).args(args).current_dir(&folder);
        command.output().expect("it runs")
    };
    assert_eq!(done(&run(&["f 2 3"])), "(5i32, 6i32)\n");
    assert_eq!(
        done(&run(&["-e", "$store \"x\" (r 2)", "-e", "let (n, xs) = $loaddata \"x\" in xs"])),
        { "[0.0f32, 1.0f32]\n" }
    );
    assert_eq!(done(&run(&["r 2"])), "{a=2i64, b=[0.0f32, 1.0f32]}\n");
    assert_eq!(done(&run(&["-b", "(f 2 3).0"])).len(), 11);
    assert_eq!(run(&["f true 1"]).status.code(), Some(1));
    assert_eq!(run(&[]).status.code(), Some(1));
    fs::write(&program, "def f = 1 + true").expect("it can be written");
    assert_eq!(run(&["f"]).status.code(), Some(2));
}

#[test]
fn programs_are_documented_and_their_examples_tried() {
    let folder = folder("doc");
    let example = repository().join("examples/doc");
    let pages = folder.join("pages");
    let output = fehu().arg("doc").arg("-o").arg(&pages).arg(&example).output();
    done(&output.expect("it runs"));
    let page = fs::read_to_string(pages.join("stack.html")).expect("there is a page");
    assert!(page.contains("id=\"modtype:stack\""), "{page}");
    let examples = |path: &std::path::Path| {
        fehu().args(["test", "--doc"]).arg(path).output().expect("it runs")
    };
    assert_eq!(done(&examples(&example)), "3 examples, all are right\n");
    let wrong = folder.join("wrong.fut");
    fs::write(&wrong, "-- | One.\n--\n-- >>> one\n-- 2\ndef one = 1i32\n")
        .expect("it can be written");
    let output = examples(&wrong);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("wrong.fut:3: this example is wrong"));
}
