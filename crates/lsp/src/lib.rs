//! The language server: [`fehu_analysis`] behind the Language Server Protocol, over a pair of streams.
//!
//! Three threads. One reads messages into a [`queue`]; one, the worker, owns the [`world`] and answers them in order; and when a
//! file is saved, one runs the optimiser for the notes at its lines ([`notes`]). An edit that arrives while the worker checks a
//! program ends that check. Requests are answered from the newest texts: the program is checked first, if it has changed, and
//! a request that an edit has overtaken is answered by "content modified", as the protocol wants it. When there is nothing to do,
//! the worker checks programs that have changed and publishes messages.
//!
//! A program that has a client inside, such as the page of the playground, has no streams and may have no threads: [`Local`].
//!
//! - [`transport`]: messages on streams; [`uri`]: names of files; [`place`]: places as the protocol has them;
//! - [`answer`]: from methods to functions; [`show`], [`navigate`], [`edit`], [`publish`]: the functions;
//! - [`capabilities`]: what we say we can do, and what the client says of itself.
//!
//! The protocol's types are written as JSON, where they are used: crates with all types of the protocol take longer to compile
//! than this one.

mod answer;
mod capabilities;
mod edit;
mod navigate;
mod notes;
mod place;
mod publish;
mod queue;
mod show;
mod transport;
mod uri;
mod world;

use fehu_base::stack::with_large_stack;
use queue::{Event, Queue};
use serde_json::Value;
use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};
use world::{Output, World};

/// Serves one client until it says goodbye or its stream ends. Says whether it said goodbye.
pub fn serve(input: &mut dyn BufRead, mut output: impl Write + Send + 'static) -> bool {
    let queue = Arc::new(Queue::default());
    let incoming = queue.clone();
    // What is asked recurses over trees.
    let output: Output = Box::new(move |message| transport::write(&mut output, message));
    let worker = std::thread::spawn(|| with_large_stack(|| work(incoming, output)));
    while let Some(message) = transport::read(input) {
        let ends = message["method"] == "exit";
        queue.push(Event::Message(message));
        if ends {
            break;
        }
    }
    queue.push(Event::End);
    worker.join().unwrap_or(false)
}

/// Does what there is to do until the end. Says whether the client said goodbye.
fn work(queue: Arc<Queue>, output: Output) -> bool {
    let mut world = World::new(queue.clone(), output);
    loop {
        let event = match world.has_work() {
            true => queue.try_pop(),
            false => Some(queue.pop()),
        };
        match event {
            Some(Event::End) => return world.was_shut_down(),
            Some(event) => answer::handle(&mut world, event),
            None => publish::in_background(&mut world),
        }
    }
}

/// A server that is called: messages in, messages out. Texts that are open are all files that it knows, besides those
/// of the machine.
pub struct Local {
    world: World,
    queue: Arc<Queue>,
    said: Arc<Mutex<Vec<Value>>>,
}

impl Default for Local {
    fn default() -> Local {
        let (queue, said) = (Arc::new(Queue::default()), Arc::new(Mutex::new(Vec::new())));
        let to: Arc<Mutex<Vec<Value>>> = Arc::clone(&said);
        let output: Output = Box::new(move |message| {
            to.lock().unwrap_or_else(PoisonError::into_inner).push(message.clone());
        });
        Local { world: World::new(Arc::clone(&queue), output), queue, said }
    }
}

impl Local {
    /// Takes messages of the client, does all that there is to do, and gives what is to be said. Of edits that come
    /// together only the last one is checked.
    pub fn take(&mut self, messages: impl IntoIterator<Item = Value>) -> Vec<Value> {
        for message in messages {
            self.queue.push(Event::Message(message));
        }
        loop {
            match self.queue.try_pop() {
                Some(event) => answer::handle(&mut self.world, event),
                None if self.world.has_work() => publish::in_background(&mut self.world),
                None => break,
            }
        }
        std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
