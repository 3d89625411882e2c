//! Breakpoints: evaluations that wait, and what can be asked of them there.
//!
//! An input that meets a breakpoint is translated with notices (`fehu_lower::Notices`) and interpreted, however long it
//! takes. Where it stops, one of two things happens, as [`AtBreakpoints`] says: what is visible there is shown, and it
//! goes on; or it waits, on the thread that runs it, and [`Repl::feed`] says where. Then the names of a frame of the
//! stack are declarations like others, whose values are known, so that inputs can use them; they are forgotten when
//! another frame is chosen, or when the evaluation goes on. An input that is evaluated meanwhile can meet a breakpoint,
//! too: then there are two that wait, and the last one goes on first.

#[cfg(test)]
mod tests;

use super::engine::{Engine, Failure, Results};
use super::evaluate::{Before, Goal};
use super::show::{Breaks, Shown};
use super::{Answer, Outcome, Repl, Trace};
use crate::run::RunError;
use crate::stages;
use fehu_base::{SourceMap, Span, stack};
use fehu_interp::{Activation, Cause, Error, ErrorKind, Value, Watch};
use fehu_lower::{Lowered, Scene, Visible};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// What happens at a breakpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AtBreakpoints {
    /// The place, and what is visible there, is sent to where programs trace, and the evaluation goes on.
    #[default]
    Show,
    /// The evaluation waits for an empty input.
    Wait,
}

/// How often the same place is shown without waiting.
const MOST_SHOWN: usize = 10;

/// A place where a program may stop.
struct Place {
    span: Span,
    text: String,
    names: Vec<Visible>,
}

/// The places of a program, by the numbers in its notices.
#[derive(Clone)]
pub(super) struct Places(Arc<[Place]>);

/// Where an evaluation has stopped.
struct Stop {
    cause: Cause,
    /// The stack, from the innermost frame on; never empty.
    frames: Vec<StackFrame>,
}

struct StackFrame {
    span: Span,
    text: String,
    names: Vec<(Visible, Vec<Value>)>,
}

/// An evaluation on a thread of its own.
pub(super) struct Run {
    events: Receiver<Event>,
    /// The thread waits for it at each stop; without a sender it gives up.
    go_on: Sender<()>,
    places: Places,
    lowered: Lowered,
}

enum Event {
    Stopped(Cause, Vec<Activation>),
    Ended(Box<Engine>, Result<Results, Failure>),
}

/// What came of going on.
pub(super) enum Progress {
    /// It waits.
    Waits(Box<Waiting>),
    Ended(Result<Results, RunError>),
}

/// An evaluation that waits.
pub(super) struct Waiting {
    run: Run,
    stop: Stop,
}

/// An input whose evaluation waits.
pub(super) struct Paused {
    waiting: Box<Waiting>,
    /// What the input was for.
    goal: Goal,
    /// Where the session was before the names of the frame were declared.
    inside: Before,
}

impl Places {
    pub(super) fn of(scenes: &[Scene], sources: &SourceMap) -> Places {
        let place = |scene: &Scene| Place {
            span: scene.span,
            text: sources.describe(scene.span),
            names: scene.names.clone(),
        };
        Places(scenes.iter().map(place).collect())
    }

    fn stop(&self, cause: Cause, frames: Vec<Activation>) -> Stop {
        let frame = |Activation { scene, values }: Activation| {
            let place = &self.0[scene as usize];
            let mut values = values.into_iter();
            let with_value = |name: &Visible| {
                let parts = values.by_ref().take(name.layout.parts()).collect();
                (name.clone(), parts)
            };
            let names = place.names.iter().map(with_value).collect();
            StackFrame { span: place.span, text: place.text.clone(), names }
        };
        Stop { cause, frames: frames.into_iter().map(frame).collect() }
    }

    /// Shows where a program stops, and goes on.
    pub(super) fn shown_to(&self, trace: &Arc<Mutex<Trace>>) -> Watch {
        let (places, trace) = (self.clone(), Arc::clone(trace));
        let mut shown: FxHashMap<Span, usize> = FxHashMap::default();
        Box::new(move |cause, frames| {
            let stop = places.stop(cause, frames);
            let times = shown.entry(stop.frames[0].span).or_default();
            *times += 1;
            let mut trace = trace.lock().unwrap_or_else(PoisonError::into_inner);
            if *times <= MOST_SHOWN {
                trace(&stop.text(0));
            }
            if *times == MOST_SHOWN {
                trace(&format!("{} is not shown again", stop.frames[0].text));
            }
            true
        })
    }
}

impl Stop {
    /// The stack with an arrow at a frame, and what is visible there.
    fn text(&self, chosen: usize) -> String {
        let what = match self.cause {
            Cause::Breakpoint => "breakpoint at",
            Cause::Nan => "NaN is made at",
        };
        let mut out = format!("{what} {}", self.frames[0].text);
        for (index, frame) in self.frames.iter().enumerate() {
            let arrow = if index == chosen { "->" } else { "  " };
            _ = write!(out, "\n{arrow} #{index}  {}", frame.text);
        }
        for (Visible { name, layout, .. }, parts) in &self.frames[chosen].names {
            let value = Shown::value(layout.clone(), parts.clone(), Breaks::WhenLong).text;
            let column = " ".repeat(name.chars().count() + 6);
            _ = write!(out, "\n   {name} = {}", value.replace('\n', &format!("\n{column}")));
        }
        out
    }
}

/// The ends of a line between a session and an evaluation.
pub(super) struct Line {
    sender: Sender<Event>,
    events: Receiver<Event>,
    go_on: Sender<()>,
}

/// A line, and who says on it where an evaluation stops, and waits.
pub(super) fn line() -> (Watch, Line) {
    let (sender, events) = channel();
    let (go_on, wanted) = channel();
    let stopped = sender.clone();
    let watch = move |cause, frames| {
        stopped.send(Event::Stopped(cause, frames)).is_ok() && wanted.recv().is_ok()
    };
    (Box::new(watch), Line { sender, events, go_on })
}

impl Line {
    /// Calls all entry points of a program.
    pub(super) fn start(
        self,
        mut engine: Engine,
        lowered: Lowered,
        places: Places,
        repl: &Repl,
    ) -> Run {
        let Line { sender, events, go_on } = self;
        let (interrupt, trace) = (Arc::clone(&repl.interrupt), Arc::clone(&repl.trace));
        let results = lowered.results.clone();
        // It ends when the session does: nobody answers then, where it stops.
        std::thread::spawn(move || {
            let ended = engine.call_all(&results, &interrupt, &trace);
            _ = sender.send(Event::Ended(Box::new(engine), ended));
        });
        Run { events, go_on, places, lowered }
    }
}

impl Repl {
    /// Whether an evaluation waits at a breakpoint.
    pub fn is_stopped(&self) -> bool {
        !self.paused.is_empty()
    }

    /// Waits for an evaluation to stop or to end. Places that are not wanted any more are passed by.
    pub(super) fn follow(&mut self, run: Run) -> Progress {
        loop {
            match run.events.recv() {
                Ok(Event::Stopped(cause, frames)) => {
                    let stop = run.places.stop(cause, frames);
                    if !self.passed_by.contains(&stop.frames[0].span) {
                        return Progress::Waits(Box::new(Waiting { run, stop }));
                    }
                    _ = run.go_on.send(());
                }
                Ok(Event::Ended(engine, results)) => {
                    self.keep_constants(&engine, &run.lowered);
                    return Progress::Ended(results.map_err(Failure::into_error));
                }
                Err(_) => return Progress::Ended(Err(RunError::Program(lost()))),
            }
        }
    }

    /// Notes that an input waits, and shows where.
    pub(super) fn pause(&mut self, waiting: Box<Waiting>, goal: Goal) -> Outcome {
        let inside = self.before();
        self.paused.push(Paused { waiting, goal, inside });
        self.choose(0)
    }

    /// Chooses a frame of the stack: declares its names, and shows it.
    fn choose(&mut self, index: usize) -> Outcome {
        let Some(mut paused) = self.paused.pop() else { return not_stopped() };
        let frames = &paused.waiting.stop.frames;
        let Some(frame) = frames.get(index) else {
            let last = frames.len() - 1;
            self.paused.push(paused);
            return Outcome::Misused(format!("there are the frames 0 to {last}"));
        };
        self.return_to(paused.inside);
        paused.inside = self.before();
        for (name, parts) in &frame.names {
            self.declare_value(name, parts);
        }
        let text = paused.waiting.stop.text(index);
        self.paused.push(paused);
        Outcome::Stopped(text)
    }

    /// Declares a name whose value is known.
    fn declare_value(&mut self, Visible { name, layout, ty }: &Visible, parts: &[Value]) {
        let shown = Shown::value(layout.clone(), parts.to_vec(), Breaks::Always);
        let ty = ty.clone().or_else(|| shown.ty()).unwrap_or_default();
        // The value of a size is part of types. All others are put in the place of the hole.
        let value = if ty == "i64" { shown.text.as_str() } else { "???" };
        let text = format!("def {name} : {ty} = {value}");
        let file = self.sources.add("<the frame>", &text);
        let (tree, _) = stack::with_large_stack(|| stages::parse(file, &text));
        self.given(file, tree, name, parts);
    }

    /// Goes on with the evaluation that waits.
    pub(super) fn go_on(&mut self) -> Answer {
        let Some(Paused { waiting, goal, inside }) = self.paused.pop() else {
            return not_stopped().into();
        };
        let Waiting { run, .. } = *waiting;
        self.return_to(inside);
        self.interrupt.store(false, std::sync::atomic::Ordering::Relaxed);
        _ = run.go_on.send(());
        match self.follow(run) {
            Progress::Waits(waiting) => self.pause(waiting, goal).into(),
            Progress::Ended(results) => self.finish(goal, results).into(),
        }
    }

    /// Gives up the evaluation that waits.
    pub(super) fn abort(&mut self) -> Answer {
        match self.paused.pop() {
            Some(Paused { goal, .. }) => {
                self.return_to(goal.before);
                Outcome::Interrupted.into()
            }
            None => not_stopped().into(),
        }
    }

    /// Goes on, and never waits here again.
    pub(super) fn pass_by(&mut self) -> Answer {
        if let Some(paused) = self.paused.last() {
            self.passed_by.insert(paused.waiting.stop.frames[0].span);
        }
        self.go_on()
    }

    /// Chooses a frame, by its number.
    pub(super) fn frame(&mut self, number: &str) -> Answer {
        match number.parse() {
            Ok(index) => self.choose(index).into(),
            Err(_) => {
                Outcome::Misused("write `:frame N` with the number of a frame".to_owned()).into()
            }
        }
    }
}

fn not_stopped() -> Outcome {
    Outcome::Misused("no evaluation waits at a breakpoint".to_owned())
}

/// The thread of an evaluation has gone without a word.
fn lost() -> Error {
    let message = "the evaluation has ended without a result".to_owned();
    Error { kind: ErrorKind::Internal, message, trace: Vec::new() }
}
