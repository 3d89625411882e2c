//! The functions of the page, called as it calls them.

use crate::Playground;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A playground, and what it has said.
struct Client {
    playground: Playground,
    said: Arc<Mutex<Vec<Value>>>,
}

impl Client {
    fn new() -> Client {
        let said: Arc<Mutex<Vec<Value>>> = Arc::default();
        let to = said.clone();
        let say = move |event: &Value| to.lock().expect("nobody panics").push(event.clone());
        Client { playground: Playground::new(Arc::new(say)), said }
    }

    /// The answer to a request, and the events before it.
    fn ask(&mut self, request: Value) -> (Value, Vec<Value>) {
        let answer = self.playground.answer(&request);
        (answer, std::mem::take(&mut *self.said.lock().expect("nobody panics")))
    }

    /// The events of a run, as one text; how it ended comes last.
    fn run(&mut self, text: &str) -> String {
        let (end, events) = self.ask(json!({"do": "run", "text": text}));
        let shown = |event: &Value| {
            let text = event["html"].as_str().or(event["text"].as_str());
            format!("{}: {}", event["event"].as_str().unwrap_or("?"), text.unwrap_or("?"))
        };
        let events: Vec<String> = events.iter().map(shown).collect();
        format!("{}\n{}", events.join("\n"), end["end"].as_str().unwrap_or("?"))
    }
}

#[test]
fn directives_are_shown_in_order() {
    let text = "-- # Squares\n\ndef squares (n: i64) = map (\\i -> trace (i * i)) (iota n)\n\n\
                -- > squares 3\n\n-- > :img map (map f32.i64) [squares 2]\n\n-- > nothing\n\n\
                def xs = map f64.i64 (iota 5)\n\n-- > :plot xs\n\n-- > :img grey\n\n\
                def grey = [[0f32, 1f32]]\n";
    let shown = Client::new().run(text);
    let order =
        ["<h1>Squares</h1>", "trace: ", "[0i64, 1i64, 4i64]", "failed", "<svg", "data:image/png"];
    let places: Vec<Option<usize>> = order.iter().map(|part| shown.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{shown}");
    assert!(shown.ends_with("\ndone"), "{shown}");
}

#[test]
fn test_blocks_are_run() {
    let text = "-- ==\n-- entry: twice\n-- input { 2 } output { 4 }\n-- input { 3 } output { 5 }\n\
                entry twice (x: i32) = 2 * x\n";
    let shown = Client::new().run(text);
    assert_eq!(shown.matches("verdict passed").count(), 1, "{shown}");
    assert_eq!(shown.matches("verdict failed").count(), 1, "{shown}");
}

#[test]
fn programs_without_directives_show_their_values() {
    let mut client = Client::new();
    let shown = client.run("entry main = (1 + 1i32, true)\nentry other (x: i32) = x");
    assert!(shown.contains("(2i32, true)") && !shown.contains("other"), "{shown}");
    let shown = client.run("def f (x: i32) = x");
    assert!(shown.contains("class=\"hint\""), "{shown}");
}

#[test]
fn what_is_wrong_is_told_and_the_next_run_is_right() {
    let mut client = Client::new();
    let shown = client.run("entry main = 1 + true");
    assert!(shown.contains("messages: error[") && shown.ends_with("refused"), "{shown}");
    let shown = client.run("import \"other\"\nentry main = 1i32");
    assert!(shown.contains("other") && shown.ends_with("refused"), "{shown}");
    let shown =
        client.run("def f (n: i64) = (iota n)[n]\n\n-- > f 3\n\n-- > f2\n\ndef f2 = 2i32\n");
    assert!(shown.contains("out of bounds") && shown.contains("2i32"), "{shown}");
    let shown = client.run("entry main = 1i32");
    assert!(shown.contains("1i32") && shown.ends_with("done"), "{shown}");
}

#[test]
fn expressions_are_evaluated_in_the_program() {
    let mut client = Client::new();
    let mut ask = |text: &str, expression: &str| {
        client.ask(json!({"do": "evaluate", "text": text, "expression": expression}))
    };
    let program = "def double (x: i32) = 2 * x";
    let (end, events) = ask(program, "map double [1, 2]");
    assert_eq!(end["end"], "done");
    assert_eq!(events, [json!({"event": "value", "text": "[2, 4]", "type": "[2]i32"})]);
    // Declarations stay as long as the program does.
    assert_eq!(ask(program, "def four = double 2").0["end"], "done");
    assert_eq!(ask(program, "four").1[0]["text"], "4");
    let (end, events) = ask("def other = 1i32", "four");
    assert_eq!((&end["end"], &events[0]["event"]), (&json!("refused"), &json!("messages")));
    assert_eq!(ask("def f = true +", "1").0["end"], "refused");
    let (end, _) = ask(program, "([1, 2, 3])[double 5]");
    assert_eq!(end["end"], "failed");
    assert!(end["message"].as_str().is_some_and(|text| text.contains("out of bounds")), "{end}");
}

#[test]
fn the_report_has_pictures_whose_boxes_lead_to_lines() {
    let mut client = Client::new();
    let text = "entry main [n] (xs: [n]f64) =\n  let ys = map (* 2) xs\n  in f64.sum ys\n";
    let (report, _) = client.ask(json!({"do": "report", "text": text}));
    assert_eq!(report["end"], "done", "{report}");
    let before = report["entries"][0]["before"].as_str().expect("a picture");
    assert!(before.starts_with("<svg") && before.contains("href=\"#line-2\""), "{before}");
    let notes = report["notes"].as_array().expect("notes");
    assert!(notes.iter().any(|note| note["kind"] == "done"), "{notes:?}");
    assert!(report["summary"].as_array().is_some_and(|rows| !rows.is_empty()), "{report}");
    let (report, events) = client.ask(json!({"do": "report", "text": "entry main = x"}));
    assert_eq!((&report["end"], events.len()), (&json!("refused"), 1));
}

#[test]
fn every_view_shows_something() {
    let mut client = Client::new();
    let text = "entry main [n] (xs: [n]f64) = map (\\x -> x * x) xs";
    for view in ["lowered", "optimised", "multicore", "gpu", "loops", "kernels", "c", "cuda"] {
        let (shown, _) = client.ask(json!({"do": "code", "text": text, "view": view}));
        let shown = shown["text"].as_str().unwrap_or_else(|| panic!("{view}: {shown}"));
        assert!(shown.contains("main"), "{view}:\n{shown}");
    }
    let (wrong, _) = client.ask(json!({"do": "code", "text": text, "view": "purple"}));
    assert_eq!(wrong["end"], "misused");
}

#[test]
fn programs_import_other_files() {
    let mut client = Client::new();
    let text =
        "import \"lib\"\n-- ==\n-- input { 2 } output { 4 }\nentry main (x: i32) = twice x\n";
    let files = json!({"lib.fut": "import \"two\"\ndef twice (x: i32) = two * x", "two.fut": "def two = 2i32"});
    let (end, events) = client.ask(json!({"do": "run", "text": text, "files": files}));
    assert_eq!(end["end"], "done", "{events:?}");
    assert!(events[0]["html"].as_str().is_some_and(|html| html.contains("passed")), "{events:?}");
    // The session of a program is another one when a file that it imports is another one.
    for (two, value) in [("2", "6"), ("3", "9")] {
        let mut files = files.clone();
        files["two.fut"] = format!("def two = {two}i32").into();
        let request =
            json!({"do": "evaluate", "text": text, "files": files, "expression": "twice 3"});
        let (_, events) = client.ask(request);
        assert_eq!(events[0]["text"], value, "{events:?}");
    }
    let (end, events) = client.ask(json!({"do": "run", "text": text}));
    assert_eq!(end["end"], "refused", "{events:?}");
    for request in ["report", "code"] {
        let (end, events) =
            client.ask(json!({"do": request, "text": text, "files": files, "view": "c"}));
        assert_eq!(end["end"], "done", "{events:?}");
    }
}

#[test]
fn the_language_server_answers() {
    let mut client = Client::new();
    let hello =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}});
    let uri = "file:///program.fut";
    let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": "def f = g"});
    let open = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}});
    let (answer, _) = client.ask(json!({"do": "lsp", "messages": [hello, open]}));
    let messages = answer["messages"].as_array().expect("messages");
    assert_eq!(messages[0]["result"]["serverInfo"]["name"], "fehu");
    let found = &messages[1]["params"]["diagnostics"];
    assert_eq!(found[0]["code"], "unknown-name", "{messages:?}");
    // Of two edits only the last one is checked.
    let edit = |version: i32, text: &str| {
        json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}})
    };
    let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "textDocument/hover", "params": {
        "textDocument": {"uri": uri}, "position": {"line": 0, "character": 4}}});
    let messages = json!([edit(2, "def f = h"), edit(3, "def f = 1i32"), ask]);
    let (answer, _) = client.ask(json!({"do": "lsp", "messages": messages}));
    let text = answer.to_string();
    assert!(text.contains("def f : i32") && !text.contains("unknown-name"), "{text}");
}

#[test]
fn examples_of_the_page_show_what_they_should() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page/examples");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    assert!(paths.len() >= 4);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        // Smaller pictures have the same parts.
        let text = text.replace("film 40i64 40i64", "film 8i64 2i64");
        let text = text.replace("picture 180i64 240i64 50", "picture 9i64 12i64 5");
        let shown = Client::new().run(&text);
        let name = path.display();
        assert!(shown.contains("<figure>") && shown.ends_with("done"), "{name}: {shown}");
        assert!(!shown.contains("failed"), "{name}: {shown}");
    }
}

#[test]
fn wrong_requests_are_told() {
    for request in [json!({}), json!({"do": "dance"}), json!([])] {
        assert_eq!(Client::new().ask(request).0["end"], "misused");
    }
}
