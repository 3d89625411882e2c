//! The server protocol, on a small program: entry points, variables, the context, and malformed commands.

use crate::fake;
use crate::fake::client::Server;
use std::process::Command;

#[test]
fn the_program_describes_itself() {
    let mut server = Server::start("describe");
    let types = "i8\ni16\ni32\ni64\nu8\nu16\nu32\nu64\nf16\nf32\nf64\nbool\n[]i32\n[]f32\n[][]f32\n\
                 point\n(i32, []i32)\n()\nshape\nstate\n[]point\n";
    assert_eq!(server.ok("types"), types);
    let entries = "add\ncount\nfail\nincrement\ntranspose\npair\nunit\nmain\nmake_state\nread_state\nnothing\n";
    assert_eq!(server.ok("entry_points"), entries);
    assert_eq!(server.ok("inputs add"), "i32\ni32\n");
    assert_eq!(server.ok("inputs count"), "");
    assert_eq!(server.ok("inputs increment"), "*[]i32\n");
    assert_eq!(server.ok("output add"), "i32\n");
    assert_eq!(server.ok("output increment"), "*[]i32\n");
    assert_eq!(server.ok("output pair"), "(i32, []i32)\n");
    assert_eq!(server.ok("attributes add"), "noinline\nfoo(bar)\n");
    assert_eq!(server.ok("attributes pair"), "");
    for (ty, kind) in [
        ("i32", "primitive"),
        ("f16", "primitive"),
        ("[]i32", "array"),
        ("point", "record"),
        ("\"(i32, []i32)\"", "record"),
        ("shape", "sum"),
        ("state", "opaque"),
        ("[]point", "array"),
    ] {
        assert_eq!(server.ok(&format!("kind {ty}")), format!("{kind}\n"));
    }
    assert_eq!(server.ok("rank [][]f32"), "2\n");
    assert_eq!(server.ok("rank []point"), "1\n");
    assert_eq!(server.ok("elemtype [][]f32"), "f32\n");
    assert_eq!(server.ok("elemtype []point"), "point\n");
    assert_eq!(server.ok("fields point"), "x f32\ny i32\n");
    assert_eq!(server.ok("fields \"(i32, []i32)\""), "0 i32\n1 []i32\n");
    assert_eq!(server.ok("fields []point"), "x []f32\ny []i32\n");
    assert_eq!(server.ok("fields ()"), "");
    assert_eq!(server.ok("variants shape"), "none\nsome\n- i32\n- []i32\n");
    assert!(server.fails("rank i32").contains("not an array type"));
    assert!(server.fails("elemtype point").contains("not an array type"));
    assert!(server.fails("fields shape").contains("neither a record"));
    assert!(server.fails("variants point").contains("not a sum type"));
    for command in ["kind", "rank", "elemtype", "fields", "variants"] {
        assert_eq!(server.fails(&format!("{command} nope")), "there is no type \"nope\"");
    }
    for command in ["inputs", "output", "outputs", "attributes", "tuning_params", "call"] {
        assert_eq!(server.fails(&format!("{command} nope")), "there is no entry point \"nope\"");
    }
    server.end();
}

#[test]
fn calls_and_variables() {
    let mut server = Server::start("calls");
    server.set("a b", "i32 i32", "3 4");
    server.call("add c a b");
    assert_eq!(server.ok("type c"), "i32\n");
    assert_eq!(server.get("c"), "7i32");
    assert_eq!(server.get("a c b"), "3i32 7i32 4i32");
    server.ok("rename c d");
    assert_eq!(server.get("d"), "7i32");
    assert_eq!(server.fails("type c"), "there is no variable \"c\"");
    server.call("count n");
    server.set("m", "[][]f32", "[[1, 2.5], [3, 4], [5, 6]]");
    server.call("transpose t m");
    assert_eq!(server.get("t"), "[[1.0f32, 3.0f32, 5.0f32], [2.5f32, 4.0f32, 6.0f32]]");
    server.set("e", "[][]f32", "empty([0][3]f32)");
    server.call("transpose et e");
    assert_eq!(server.get("et"), "empty([3][0]f32)");

    assert!(server.fails("call add a a b").contains("already a variable \"a\""));
    assert!(server.fails("call add x a nope").contains("no variable \"nope\""));
    assert!(server.fails("call add x x b").contains("no variable \"x\""));
    let reason = server.fails("call add x a m");
    assert_eq!(reason, "the variable \"m\" has type [][]f32, but i32 is expected");
    for command in ["call add x a", "call add", "call add x a b b", "call count", "call count x a"]
    {
        assert!(server.fails(command).contains("input"), "{command}");
    }
    assert!(server.fails("rename a b").contains("already"));
    assert!(server.fails("rename nope x").contains("no variable"));
    assert!(server.fails("rename a a").contains("already"));
    assert!(server.fails("free a nope").contains("no variable"));
    assert_eq!(server.get("a"), "3i32");
    server.ok("free a a b");
    server.ok("free");
    assert!(server.fails("free a").contains("no variable"));
    // What failed has left no variable behind.
    server.set("x", "i32", "1");
    server.end();
}

#[test]
fn consumed_variables_can_only_be_freed() {
    let mut server = Server::start("consume");
    server.set("v w", "[]i32 []i32", "[1, 2] [5]");
    server.call("increment r v");
    assert_eq!(server.get("r"), "[2i32, 3i32]");
    let file = server.file("x");
    for command in [
        "call increment s v",
        "type v",
        "shape v",
        "rename v z",
        "index z v 0",
        &format!("store {file} v"),
    ] {
        assert!(server.fails(command).contains("consumed"), "{command}");
    }
    assert!(server.fails("call increment v w").contains("already"));
    server.ok("free v");
    server.set("v", "[]i32", "[7]");
    server.call("increment s v");
    // A call that fails may have spoilt its argument, too.
    let reason = server.fails("call fail q w");
    assert_eq!(
        reason,
        "Error: Index [5] out of bounds for array of shape [2].\n\nBacktrace:\n-> #0  a.fut:1:2-3"
    );
    assert!(server.fails("type w").contains("consumed"));
    assert!(server.fails("type q").contains("no variable"));
    server.ok("free v w");
    server.end();
}

#[test]
fn older_clients_see_tuples_as_several_results() {
    let mut server = Server::start("older");
    assert_eq!(server.ok("outputs pair"), "i32\n[]i32\n");
    assert_eq!(server.ok("outputs add"), "i32\n");
    assert_eq!(server.ok("outputs increment"), "*[]i32\n");
    assert_eq!(server.ok("outputs unit"), "");
    server.set("a", "i32", "5");
    server.call("pair x y a");
    assert_eq!(server.get("x y"), "5i32 [5i32, 6i32]");
    server.call("unit a");
    assert_eq!(server.ok("outputs nothing"), "");
    server.call("nothing a");
    server.call("nothing n a");
    assert_eq!(server.get("n a"), "5i32");
    // The newer form goes on to work.
    server.call("pair p a");
    server.call("unit u a");
    assert_eq!(server.ok("type p"), "(i32, []i32)\n");
    server.ok("project q p 1");
    assert_eq!(server.get("q"), "[5i32, 6i32]");
    assert!(server.fails("call pair x z a").contains("already"));
    assert!(server.fails("call pair z z a").contains("already"));
    assert!(server.fails("type z").contains("no variable"));
    server.end();
}

#[test]
fn the_context() {
    let mut server = Server::start("context");
    assert_eq!(server.ok("tuning_params add"), "main.tile tile_size\nmain.block threshold(1024)\n");
    assert_eq!(server.ok("tuning_params pair"), "");
    assert_eq!(server.ok("tuning_param_class main.tile"), "tile_size\n");
    assert!(server.fails("tuning_param_class nope").contains("no tuning parameter \"nope\""));
    server.ok("set_tuning_param main.tile 42");
    assert!(server.fails("set_tuning_param nope 1").contains("no tuning parameter \"nope\""));
    assert!(server.fails("set_tuning_param main.block 1").contains("cannot be set"));
    for value in ["x", "-1", "99999999999999999999", "1x"] {
        let reason = server.fails(&format!("set_tuning_param main.tile {value}"));
        assert!(reason.contains("integer"), "{reason}");
    }
    server.ok("clear");
    server.ok("pause_profiling");
    let report = "{\"param\":42,\"threads\":0,\"cleared\":1,\"paused\":1,\"profiling\":0}\n";
    assert_eq!(server.ok("report"), report);
    server.ok("unpause_profiling");
    assert!(server.ok("report").contains("\"paused\":0"));
    server.end();
}

#[test]
fn malformed_commands() {
    let mut server = Server::start("malformed");
    assert!(server.fails("").contains("empty"));
    assert!(server.fails("  \t ").contains("empty"));
    assert_eq!(server.fails("bogus"), "there is no command \"bogus\"");
    assert_eq!(server.fails("\"two words\" x"), "there is no command \"two words\"");
    assert_eq!(server.fails("\"\""), "there is no command \"\"");
    assert!(server.fails("type \"x").contains("double quote"));
    assert!(server.fails("\"").contains("double quote"));
    let answer = server.send(b"types\0x");
    assert!(answer.contains("zero byte"), "{answer}");
    let answer = server.send(b"type \xFF\xFE");
    assert!(answer.contains("no variable"), "{answer}");
    assert_eq!(server.fails("types x"), "\"types\" does not take 1 word: types");
    assert_eq!(server.fails("rename a"), "\"rename\" does not take 1 word: rename OLD NEW");
    for command in [
        "call",
        "restore",
        "store",
        "rename",
        "inputs",
        "output",
        "outputs",
        "kind",
        "type",
        "set_tuning_param x",
        "tuning_params",
        "tuning_param_class",
        "attributes",
        "rank",
        "elemtype",
        "new_array x",
        "set x",
        "shape",
        "index x",
        "zip x",
        "unzip",
        "fields",
        "new x",
        "project x y",
        "variants",
        "construct x y",
        "destruct",
        "variant",
        "clear x",
        "report x",
        "entry_points x",
        "pause_profiling x",
        "unpause_profiling x",
        "shape x y",
        "type x y",
        "project a b c d",
    ] {
        let name = command.split(' ').next().expect("a word");
        let reason = server.fails(command);
        assert!(reason.starts_with(&format!("\"{name}\" does not take ")), "{command}: {reason}");
    }
    server.set("a", "i32", "1");
    server.call("\"add\" \"a result\"  a\t a\r");
    assert_eq!(server.ok("type \"a result\""), "i32\n");
    assert_eq!(server.fails("type a result"), "\"type\" does not take 2 words: type VARIABLE");
    server.end();
}

#[test]
fn commands_and_names_of_any_length() {
    let mut server = Server::start("long");
    server.set("a", "i32", "1");
    let name = "x".repeat(1_000_000);
    server.call(&format!("add {name} a a"));
    assert_eq!(server.ok(&format!("type {name}")), "i32\n");
    let many = " a".repeat(200_000);
    server.ok(&format!("new_array v []i32 200000{many}"));
    assert_eq!(server.ok("shape v"), "200000\n");
    for i in 0..300 {
        server.call(&format!("add r{i} a a"));
    }
    for i in (0..300).rev() {
        assert_eq!(server.ok(&format!("type r{i}")), "i32\n");
        server.ok(&format!("free r{i}"));
    }
    server.end();
}

#[test]
fn options_of_servers() {
    let program = fake::compile("program.c", &["-DFAKE_SERVER"]);
    let output = fake::run(&program, &["--help"], b"");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("--param NAME=INT"), "{text}");
    assert!(!text.contains("--entry-point"), "{text}");
    let output = fake::run(&program, &["-e", "main"], b"");
    assert_eq!(output.status.code(), Some(1));
    let output = fake::run(&program, &["--param=main.tile=7", "-P"], b"report\n");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\"param\":7") && text.contains("\"profiling\":1"), "{text}");
    // A program that cannot start says so and is not ready.
    let output = fake::run(&program, &["--cache-file", "broken"], b"report\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the cache is broken"));
}

#[test]
fn commands_are_shown_for_debugging() {
    let mut command = Command::new(fake::compile("program.c", &["-DFAKE_SERVER"]));
    command.env("FUTHARK_COMPILER_DEBUGGING", "1");
    let mut server = Server::of(command, "debugging");
    server.ok("types");
    assert!(server.end().contains("command: types\n"));
}

#[test]
fn random_commands_are_survived() {
    let mut server = Server::start("random");
    let mut rng = fehu_data::generate::Rng::new(5);
    let file = server.file("random");
    let commands: Vec<&str> = "types entry_points call restore store free rename inputs output outputs clear \
        kind type report tuning_params attributes rank elemtype new_array set shape index zip unzip fields \
        new project variants construct destruct variant"
        .split_whitespace()
        .collect();
    let words = [
        "a",
        "b",
        "c",
        "d",
        "e",
        "v",
        "w",
        "0",
        "1",
        "2",
        "i32",
        "[]i32",
        "[][]f32",
        "point",
        "[]point",
        "shape",
        "state",
        "add",
        "pair",
        "increment",
        "main",
        "transpose",
        "make_state",
        "unit",
        "x",
        "y",
        "none",
        "some",
        "\"(i32, []i32)\"",
        "()",
        &file,
    ];
    server.set("a b v", "i32 f32 []i32", "1 2.5 [1, 2, 3]");
    let mut succeeded = 0;
    for _ in 0..20_000 {
        let mut command = commands[rng.up_to(commands.len() as u64 - 1) as usize].to_owned();
        for _ in 0..rng.up_to(5) {
            command = command + " " + words[rng.up_to(words.len() as u64 - 1) as usize];
        }
        succeeded += u32::from(!server.send(command.as_bytes()).contains("FAILURE"));
    }
    assert!(succeeded > 500, "{succeeded}");
    server.end();
}
