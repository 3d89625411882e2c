//! How a page calls the [`Playground`] in WebAssembly, without any glue but this.
//!
//! Texts are UTF-8 in the memory of the module. A request: `input(length)` gives the address to write it to, `answer()`
//! answers it and gives the length of the answer, `output()` its address. Events go to the function `said(address,
//! length)` of the module `page` while the request is answered. After a panic, which is the event `{"event": "panic",
//! "text": "..."}`, the instance is of no use.

#![expect(
    unsafe_code,
    reason = "names of exported functions are promises about all that is linked"
)]

use crate::{Playground, misused};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::sync::Arc;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Takes an event. It reads the bytes before it returns.
    safe fn said(address: *const u8, length: usize);
}

thread_local! {
    /// The request, and then the answer.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static PLAYGROUND: RefCell<Option<Playground>> = const { RefCell::new(None) };
}

/// Where to write a request of this length.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(length, 0);
        text.as_mut_ptr()
    })
}

/// Answers the request. The result is the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = TEXT.take();
    let answer = match serde_json::from_slice::<Value>(&request) {
        Ok(request) => PLAYGROUND
            .with_borrow_mut(|playground| playground.get_or_insert_with(start).answer(&request)),
        Err(error) => misused(&format!("a request is JSON: {error}")),
    };
    let answer = answer.to_string().into_bytes();
    let length = answer.len();
    TEXT.set(answer);
    length
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

fn start() -> Playground {
    std::panic::set_hook(Box::new(|info| {
        say(&json!({"event": "panic", "text": info.to_string()}))
    }));
    Playground::new(Arc::new(say))
}

fn say(event: &Value) {
    let text = event.to_string();
    said(text.as_ptr(), text.len());
}
