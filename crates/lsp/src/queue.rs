//! What is to be done, in order. It knows which requests have been overtaken by an edit or were cancelled, and ends the
//! check that is running when an edit arrives.

use crate::notes::Notes;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Something to do.
pub(crate) enum Event {
    /// A message of the client.
    Message(Value),
    /// A request that the client does not want answered any more.
    Cancelled(Value),
    /// What the optimiser had to say.
    Notes(Notes),
    /// The client is gone.
    End,
}

/// See the module's documentation.
#[derive(Default)]
pub(crate) struct Queue {
    events: Mutex<VecDeque<Event>>,
    arrived: Condvar,
    interrupt: Arc<AtomicBool>,
}

impl Queue {
    /// Set while there is an edit in the queue.
    pub(crate) fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    pub(crate) fn push(&self, event: Event) {
        let mut events = self.lock();
        match event {
            Event::Message(message) if message["method"] == "$/cancelRequest" => {
                let id = &message["params"]["id"];
                for event in events.iter_mut() {
                    if matches!(event, Event::Message(request) if request["id"] == *id) {
                        *event = Event::Cancelled(id.clone());
                    }
                }
            }
            event => {
                if edited(&event).is_some() {
                    self.interrupt.store(true, Ordering::Relaxed);
                }
                events.push_back(event);
            }
        }
        self.arrived.notify_all();
    }

    /// The next event, when there is one.
    pub(crate) fn pop(&self) -> Event {
        let mut events = self.lock();
        loop {
            if let Some(event) = self.take(&mut events) {
                return event;
            }
            events = self.arrived.wait(events).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next event, if there is one.
    pub(crate) fn try_pop(&self) -> Option<Event> {
        self.take(&mut self.lock())
    }

    /// Whether a text will be changed by an event that is waiting.
    pub(crate) fn will_change(&self, uri: &str) -> bool {
        self.lock().iter().any(|event| edited(event) == Some(uri))
    }

    fn take(&self, events: &mut VecDeque<Event>) -> Option<Event> {
        let event = events.pop_front()?;
        if edited(&event).is_some() {
            self.interrupt.store(events.iter().any(|e| edited(e).is_some()), Ordering::Relaxed);
        }
        Some(event)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The text that an event changes.
fn edited(event: &Event) -> Option<&str> {
    let Event::Message(message) = event else { return None };
    match message["method"].as_str()? {
        "textDocument/didChange" | "textDocument/didOpen" | "textDocument/didClose" => {
            message["params"]["textDocument"]["uri"].as_str()
        }
        _ => None,
    }
}
