//! From methods of the protocol to functions.

use crate::capabilities::{Client, REPORT};
use crate::queue::Event;
use crate::world::{Failure, World};
use crate::{edit, navigate, notes, show, uri};
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A function that answers requests.
type Answer = fn(&mut World, &Value) -> Result<Value, Failure>;

/// What answers which requests about texts.
const ANSWERS: [(&str, Answer); 20] = [
    ("textDocument/hover", show::hover),
    ("textDocument/completion", show::completion),
    ("completionItem/resolve", show::resolve),
    ("textDocument/signatureHelp", show::signature),
    ("textDocument/inlayHint", show::hints),
    ("textDocument/semanticTokens/full", show::tokens),
    ("textDocument/documentSymbol", show::symbols),
    ("workspace/symbol", navigate::workspace_symbols),
    ("textDocument/foldingRange", show::folds),
    ("textDocument/selectionRange", show::selections),
    ("textDocument/documentLink", show::links),
    ("textDocument/definition", navigate::definition),
    ("textDocument/references", navigate::references),
    ("textDocument/documentHighlight", navigate::highlights),
    ("textDocument/prepareRename", edit::prepare_rename),
    ("textDocument/rename", edit::rename),
    ("textDocument/formatting", edit::format),
    ("textDocument/codeAction", edit::actions),
    ("workspace/executeCommand", command),
    ("shutdown", shutdown),
];

/// Does what an event asks for.
pub(crate) fn handle(world: &mut World, event: Event) {
    match event {
        Event::Message(message) => match (&message["method"], &message["id"]) {
            (Value::String(method), Value::Null) => notified(world, method, &message["params"]),
            (Value::String(method), id) => {
                let result = requested(world, method, &message["params"]);
                respond(world, id, result);
            }
            // An answer to what we asked; see `World::ask`.
            _ => {}
        },
        Event::Cancelled(id) => {
            let message = "the request was cancelled".to_owned();
            respond(world, &id, Err(Failure { code: -32800, message }));
        }
        Event::Notes(found) => notes::arrived(world, found),
        Event::End => {}
    }
}

fn respond(world: &mut World, id: &Value, result: Result<Value, Failure>) {
    let message = match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Failure { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    };
    world.send(&message);
}

fn requested(world: &mut World, method: &str, params: &Value) -> Result<Value, Failure> {
    if world.shut_down {
        return Err(Failure { code: -32600, message: "the server was shut down".to_owned() });
    }
    if method == "initialize" {
        world.client = Client::new(params);
        let folders = params["workspaceFolders"].as_array();
        let uris = folders.into_iter().flatten().filter_map(|folder| folder["uri"].as_str());
        world.folders = uris.chain(params["rootUri"].as_str()).map(uri::to_path).collect();
        world.folders.sort();
        world.folders.dedup();
        return Ok(world.client.answer());
    }
    let Some((_, answer)) = ANSWERS.iter().find(|(name, _)| *name == method) else {
        let message = format!("the method \"{method}\" is unknown");
        return Err(Failure { code: -32601, message });
    };
    if let Some(uri) = params["textDocument"]["uri"].as_str()
        && world.queue.will_change(uri)
    {
        return Err(Failure::overtaken());
    }
    if let Some(uri) = params["textDocument"]["uri"].as_str()
        && world.is_read_only(uri)
    {
        return Ok(Value::Null);
    }
    // A bug in an answer is not the end of the session.
    catch_unwind(AssertUnwindSafe(|| answer(world, params))).unwrap_or_else(|_| {
        let message = format!("the server itself failed to answer \"{method}\"");
        Err(Failure { code: -32603, message })
    })
}

fn notified(world: &mut World, method: &str, params: &Value) {
    let document = &params["textDocument"];
    let uri = document["uri"].as_str().unwrap_or("");
    match method {
        "textDocument/didOpen" => {
            world.open(uri, &document["version"], document["text"].as_str().unwrap_or(""));
        }
        "textDocument/didChange" => {
            let changes = params["contentChanges"].as_array().map_or(&[][..], Vec::as_slice);
            world.change(uri, &document["version"], changes);
        }
        "textDocument/didClose" => world.close(uri),
        "textDocument/didSave" => {
            world.invalidate();
            let identity = world.identity(uri);
            notes::wanted(world, identity);
        }
        "workspace/didChangeWatchedFiles" => world.invalidate(),
        "workspace/didChangeConfiguration" => world.client.settings.update(&params["settings"]),
        // What we do not know does not matter: the protocol grows.
        _ => {}
    }
}

/// `workspace/executeCommand`
fn command(world: &mut World, params: &Value) -> Result<Value, Failure> {
    match params["command"].as_str() {
        Some(REPORT) => {
            let uri = params["arguments"][0].as_str().unwrap_or("");
            let identity = world.identity(uri);
            notes::wanted(world, identity);
            Ok(Value::Null)
        }
        other => Err(Failure::refused(format!("there is no command \"{}\"", other.unwrap_or("")))),
    }
}

fn shutdown(world: &mut World, _: &Value) -> Result<Value, Failure> {
    world.shut_down = true;
    Ok(Value::Null)
}
