//! A client on the other end of two pipes.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;

/// A client of a server that runs on a thread.
pub(crate) struct Client {
    input: PipeWriter,
    output: BufReader<PipeReader>,
    server: Option<JoinHandle<bool>>,
    number: u64,
    /// Notifications and requests of the server that have not been looked at.
    pub(crate) received: Vec<Value>,
}

impl Client {
    /// Starts a server and says hello.
    pub(crate) fn new(capabilities: &Value, folder: &str) -> Client {
        let (input, to) = std::io::pipe().expect("a pipe");
        let (output, from) = (to, input);
        let (read, write) = std::io::pipe().expect("a pipe");
        let server = std::thread::spawn(move || {
            let mut input = BufReader::new(from);
            fehu_lsp::serve(&mut input, write)
        });
        let (input, output) = (output, BufReader::new(read));
        let mut client =
            Client { input, output, server: Some(server), number: 0, received: Vec::new() };
        let folders = json!([{"uri": format!("file://{folder}"), "name": "test"}]);
        let params = json!({"capabilities": capabilities, "workspaceFolders": folders});
        client.request("initialize", params).expect("capabilities");
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("a reader");
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its id.
    pub(crate) fn start(&mut self, method: &str, params: Value) -> u64 {
        self.number += 1;
        let id = self.number;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Waits for the answer to a request.
    pub(crate) fn finish(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            let message = self.read();
            if message["id"] == id && message["method"].is_null() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            self.received.push(message);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.start(method, params);
        self.finish(id)
    }

    /// Opens a text.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "futhark", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Waits for a notification.
    pub(crate) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.received.iter().position(&wanted) {
                return self.received.remove(at);
            }
            let message = self.read();
            self.received.push(message);
        }
    }

    /// The messages about a version of a text, when they come.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: u64) -> Vec<Value> {
        let message = self.wait(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// Says goodbye.
    pub(crate) fn end(mut self) {
        self.request("shutdown", Value::Null).expect("an answer");
        self.notify("exit", Value::Null);
        assert!(self.server.take().expect("a server").join().expect("no panic"));
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a line") > 0, "the server is gone");
            match line.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a number"),
                None => break,
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("a message");
        serde_json::from_slice(&bytes).expect("JSON")
    }
}
