//! The text form of the steps of entry points.

use super::cursor::{Lists, Parsed};
use super::parse::Parser;
use super::print::Printer;
use crate::streaming::{Sequence, Sink, Slot, Step, StreamedPass, Streaming};

impl Printer<'_> {
    pub(super) fn sequences(&mut self, sequences: &[Sequence]) {
        self.parens(sequences, |p, sequence| {
            p.string(&sequence.name);
            p.put(&format!(" {} {}", sequence.first, sequence.count));
            if sequence.pieces {
                p.put(" pieces");
            }
        });
    }

    pub(super) fn streaming(&mut self, streaming: &Streaming) {
        self.newline();
        self.put("streaming ");
        self.string(&streaming.entry);
        self.put(" slots ");
        self.parens(&streaming.slots, |p, (prim, rank)| p.put(&format!("{} {rank}", prim.name())));
        self.put(" params ");
        self.places(&streaming.params);
        if !streaming.again.is_empty() {
            self.put(" again ");
            self.slots(&streaming.again);
        }
        self.indent += 1;
        for step in &streaming.steps {
            self.newline();
            match step {
                Step::Call { fun, args, results } => {
                    self.put("call ");
                    self.fun_name(*fun);
                    self.put(" ");
                    self.slots(args);
                    self.put(" -> ");
                    self.slots(results);
                }
                Step::Pass(pass) => self.streamed_pass(pass),
                Step::Jump { unless, to } => {
                    self.put(&format!("jump {to}"));
                    if let Some(unless) = unless {
                        self.put(&format!(" unless {unless}"));
                    }
                }
            }
        }
        self.newline();
        self.put("results ");
        self.places(&streaming.results);
        self.indent -= 1;
        self.newline();
    }

    fn streamed_pass(&mut self, pass: &StreamedPass) {
        self.put("pass ");
        self.fun_name(pass.fun);
        self.put(" ");
        self.slots(&pass.args);
        self.put(" sources ");
        self.slots(&pass.sources);
        if let Some(width) = pass.width {
            self.put(&format!(" width {width}"));
        }
        self.put(" states ");
        self.slots(&pass.states);
        self.put(" sinks ");
        self.parens(&pass.sinks, |p, sink| {
            p.put(&format!("{} of {}", sink.count, sink.parts));
            if let Some(arrays) = &sink.arrays {
                p.put(" keep ");
                p.slots(arrays);
            }
            if let Some((sequence, part)) = sink.out {
                p.put(&format!(" out {sequence} {part}"));
            }
        });
    }

    fn slots(&mut self, slots: &[Slot]) {
        self.parens(slots, |p, slot| p.put(&slot.to_string()));
    }

    fn places(&mut self, places: &[Option<Slot>]) {
        self.parens(places, |p, place| match place {
            Some(slot) => p.put(&slot.to_string()),
            None => p.put("none"),
        });
    }
}

impl Parser<'_> {
    pub(super) fn sequences(&mut self) -> Parsed<Vec<Sequence>> {
        self.parens("a sequence", |p| {
            let (name, first, count) = (p.string()?, p.count()?, p.count()?);
            Ok(Sequence { name, first, count, pieces: p.eat_word("pieces") })
        })
    }

    pub(super) fn streaming(&mut self) -> Parsed<Streaming> {
        self.word("streaming")?;
        let entry = self.string()?;
        self.word("slots")?;
        let slots = self.parens("a type", |p| Ok((p.prim()?, p.count()?)))?;
        self.word("params")?;
        let params = self.places()?;
        let again = if self.eat_word("again") { self.slots()? } else { Vec::new() };
        let mut steps = Vec::new();
        loop {
            if self.eat_word("call") {
                let (fun, args) = (self.fun_name()?, self.slots()?);
                self.sign("->")?;
                steps.push(Step::Call { fun, args, results: self.slots()? });
            } else if self.eat_word("pass") {
                steps.push(Step::Pass(self.streamed_pass()?));
            } else if self.eat_word("jump") {
                let to = self.count()?;
                let unless = if self.eat_word("unless") { Some(self.count()?) } else { None };
                steps.push(Step::Jump { unless, to });
            } else {
                break;
            }
        }
        self.word("results")?;
        Ok(Streaming { entry, slots, params, steps, results: self.places()?, again })
    }

    fn streamed_pass(&mut self) -> Parsed<StreamedPass> {
        let (fun, args) = (self.fun_name()?, self.slots()?);
        self.word("sources")?;
        let sources = self.slots()?;
        let width = if self.eat_word("width") { Some(self.count()?) } else { None };
        self.word("states")?;
        let states = self.slots()?;
        self.word("sinks")?;
        let sinks = self.parens("a sink", |p| {
            let count = p.count()?;
            p.word("of")?;
            let parts = p.count()?;
            let arrays = if p.eat_word("keep") { Some(p.slots()?) } else { None };
            let out = if p.eat_word("out") { Some((p.count()?, p.count()?)) } else { None };
            Ok(Sink { count, arrays, out, parts })
        })?;
        Ok(StreamedPass { fun, args, sources, width, states, sinks })
    }

    fn slots(&mut self) -> Parsed<Vec<Slot>> {
        self.parens("a slot", |p| p.count())
    }

    fn places(&mut self) -> Parsed<Vec<Option<Slot>>> {
        self.parens("a slot", |p| if p.eat_word("none") { Ok(None) } else { p.count().map(Some) })
    }
}
