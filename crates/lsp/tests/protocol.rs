//! The server as clients see it. Every feature is also driven by a client that is not ours: see `tests/editors`.

use crate::client::Client;
use serde_json::{Value, json};

const URI: &str = "file:///nowhere/a.fut";

fn at(line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}})
}

fn utf8() -> Value {
    json!({"general": {"positionEncodings": ["utf-8"]}})
}

fn change(client: &mut Client, version: u64, range: (u32, u32, u32, u32), text: &str) {
    let (l0, c0, l1, c1) = range;
    let range =
        json!({"start": {"line": l0, "character": c0}, "end": {"line": l1, "character": c1}});
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": URI, "version": version},
            "contentChanges": [{"range": range, "text": text}],
        }),
    );
}

#[test]
fn messages_follow_the_text_and_can_be_fixed() {
    let mut client = Client::new(&utf8(), "/nowhere");
    client.open(URI, "def f (x: i32) = lenght [x]\n");
    let found = client.diagnostics(URI, 1);
    assert_eq!((found.len(), &found[0]["code"]), (1, &json!("unknown-name")));
    let range = found[0]["range"].clone();
    let params =
        json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": found}});
    let actions = client.request("textDocument/codeAction", params).expect("actions");
    let fix = actions.as_array().expect("a list").iter().find(|a| a["kind"] == "quickfix");
    let edit = &fix.expect("a fix")["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], "length");
    change(&mut client, 2, (0, 17, 0, 23), "length");
    assert_eq!(client.diagnostics(URI, 2), [] as [Value; 0]);
    change(&mut client, 3, (0, 17, 0, 17), "(");
    assert_eq!(client.diagnostics(URI, 3).len(), 1);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.wait(|m| m["params"]["uri"] == URI && m["params"]["diagnostics"] == json!([]));
    client.end();
}

#[test]
fn columns_are_counted_as_the_client_wants() {
    // `λ` has two bytes and one unit, `𝔘` four bytes and two units.
    let text = "-- λ𝔘\r\ndef s = \"λ𝔘\" def x = s\r\n";
    for (capabilities, column) in [(utf8(), 25), (json!({}), 22)] {
        let mut client = Client::new(&capabilities, "/nowhere");
        client.open(URI, text);
        let found = client.request("textDocument/definition", at(1, column)).expect("an answer");
        assert_eq!(found["range"]["start"], json!({"line": 1, "character": 4}), "{found}");
        client.end();
    }
}

#[test]
fn names_change_everywhere_or_nowhere() {
    let mut client = Client::new(&utf8(), "/nowhere");
    client.open(URI, "def f (x: i32) =\n  let y = x\n  in {x, y}\nmodule type mt = { val f : i32 -> {x: i32, y: i32} }\nmodule m : mt = { def f = f }\n");
    let rename = |client: &mut Client, line, character, name: &str| {
        let mut params = at(line, character);
        params["newName"] = name.into();
        client.request("textDocument/rename", params)
    };
    let edits = rename(&mut client, 0, 7, "z").expect("edits");
    let edits = edits["changes"][URI].as_array().expect("a list").clone();
    let texts: Vec<&str> = edits.iter().filter_map(|edit| edit["newText"].as_str()).collect();
    assert_eq!(texts, ["z", "z", "x = z"]);
    // It would be hidden, it is a word, it is not ours, and a module type asks for it.
    for (line, character, name) in [(0, 7, "y"), (0, 7, "let"), (0, 10, "z"), (4, 22, "z")] {
        let refused = rename(&mut client, line, character, name).expect_err("a reason");
        assert_eq!(refused["code"], -32803, "{refused}");
    }
    client.end();
}

#[test]
fn requests_are_cancelled_and_overtaken() {
    let mut client = Client::new(&utf8(), "/nowhere");
    client.open(URI, "def f (x: i32) = x\n");
    // Everything is in the pipe before the server looks at the second message, or it is answered.
    let first = client.start("textDocument/hover", at(0, 17));
    client.notify("$/cancelRequest", json!({"id": first}));
    match client.finish(first) {
        Ok(answer) => assert!(answer["contents"]["value"].is_string()),
        Err(error) => assert_eq!(error["code"], -32800),
    }
    let second = client.start("textDocument/hover", at(0, 17));
    change(&mut client, 2, (0, 0, 0, 0), "\n");
    match client.finish(second) {
        Ok(answer) => assert!(answer["contents"]["value"].is_string()),
        Err(error) => assert_eq!(error["code"], -32801),
    }
    let answer = client.request("textDocument/hover", at(1, 17)).expect("an answer");
    assert!(answer["contents"]["value"].as_str().is_some_and(|text| text.contains("x : i32")));
    let unknown = client.request("textDocument/unknown", json!({})).expect_err("an error");
    assert_eq!(unknown["code"], -32601);
    client.end();
}
