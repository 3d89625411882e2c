//! The language server: [`fehu_analysis`] behind the Language Server Protocol, over a pair of streams.
//!
//! Three threads. One reads messages into a [`queue`]; one, the worker, owns the [`world`] and answers them in order; and when a
//! file is saved, one runs the optimiser for the notes at its lines ([`notes`]). An edit that arrives while the worker checks a
//! program ends that check. Requests are answered from the newest texts: the program is checked first, if it has changed, and
//! a request that an edit has overtaken is answered by "content modified", as the protocol wants it. When there is nothing to do,
//! the worker checks programs that have changed and publishes messages.
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
use std::io::{BufRead, Write};
use std::sync::Arc;
use world::World;

/// Serves one client until it says goodbye or its stream ends. Says whether it said goodbye.
pub fn serve(input: &mut dyn BufRead, output: impl Write + Send + 'static) -> bool {
    let queue = Arc::new(Queue::default());
    let incoming = queue.clone();
    // What is asked recurses over trees.
    let worker = std::thread::spawn(|| with_large_stack(|| work(incoming, Box::new(output))));
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
fn work(queue: Arc<Queue>, output: Box<dyn Write + Send>) -> bool {
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
