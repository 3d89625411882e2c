//! Programs on pages: checked, one after the other by one checker that knows the prelude, and their examples answered
//! by one session for each page.

use super::page::{Block, Kind, Page, Part};
use fehu_base::Diagnostic;
use fehu_base::render::{self, Style};
use fehu_doc::check::answer;
use fehu_driver::analyse::Analysis;
use fehu_driver::files::Memory;
use fehu_driver::load::Root;
use fehu_driver::repl::{Breaks, Outcome, Repl};

/// A checker.
pub(super) struct Programs {
    analysis: Analysis,
}

/// What a program without a name of its own is called.
const NAME: &str = "example.fut";

impl Default for Programs {
    fn default() -> Programs {
        Programs { analysis: Analysis::new(Root::Path(NAME.to_owned()), Default::default()) }
    }
}

impl Programs {
    /// Checks the programs of a page, and writes down what is said about them and what they answer.
    pub(super) fn renew(&mut self, page: &mut Page) {
        let named = page.blocks().filter_map(|block| Some((block.file.clone()?, block.contents())));
        let files: Vec<(String, String)> = named.collect();
        let mut repl = None;
        let mut message = None;
        for part in &mut page.parts {
            let Part::Block(block) = part else { continue };
            let place = format!("{}:{}", page.name, block.line);
            if let Some(message) = message.take() {
                assert_eq!(
                    block.kind,
                    Kind::Plain,
                    "{place}: a message comes after a program that is refused"
                );
                block.body = message;
                continue;
            }
            match block.kind.clone() {
                Kind::Session | Kind::Plain => {}
                Kind::Program | Kind::Examples => {
                    let said = self.check(&files, block);
                    assert!(
                        said.is_empty(),
                        "{place}: the program is not right\n{}",
                        self.text(&said)
                    );
                    if block.kind == Kind::Examples {
                        let fresh = || Repl::new(Memory::new(files.clone()), Breaks::WhenLong);
                        answer_examples(repl.get_or_insert_with(fresh), block, &place);
                    }
                }
                Kind::Refused(code) => {
                    let said = self.check(&files, block);
                    let codes: Vec<&str> = said.iter().map(|found| found.code).collect();
                    assert_eq!(codes, [code.as_str()], "{place}: said is\n{}", self.text(&said));
                    message = Some(self.text(&said));
                }
            }
        }
    }

    fn check(&mut self, files: &[(String, String)], block: &Block) -> Vec<Diagnostic> {
        let this = (NAME.to_owned(), block.contents());
        let memory = Memory::new(files.iter().cloned().chain([this]));
        assert!(self.analysis.update(&memory), "nobody interrupts it");
        self.analysis.diagnostics().to_vec()
    }

    fn text(&self, said: &[Diagnostic]) -> String {
        let draw = |found| render::text(self.analysis.sources(), found, Style::Plain);
        let texts: String = said.iter().map(draw).collect();
        trimmed(&texts)
    }
}

/// Declares what a block declares, and answers its examples.
fn answer_examples(repl: &mut Repl, block: &mut Block, place: &str) {
    let contents = block.contents();
    if contents.lines().any(|line| !line.starts_with("--") && !line.trim().is_empty()) {
        let declared = repl.feed_last(&contents);
        assert!(matches!(declared.outcome, Outcome::Done), "{place}: {:?}", declared.diagnostics);
    }
    if contents != block.body {
        return;
    }
    let mut renewed = String::new();
    let mut lines = contents.lines().peekable();
    while let Some(line) = lines.next() {
        renewed.push_str(line);
        renewed.push('\n');
        let Some(first) = line.strip_prefix("-- >>> ") else { continue };
        let mut input = first.to_owned();
        while let Some(more) = lines.peek().and_then(|line| line.strip_prefix("-- ... ")) {
            renewed.push_str(&format!("-- ... {more}\n"));
            input.push('\n');
            input.push_str(more);
            lines.next();
        }
        while lines.peek().is_some_and(|line| {
            line.starts_with("--") && !line.starts_with("-- >>> ") && *line != "--"
        }) {
            lines.next();
        }
        let answered = trimmed(&answer(repl, &input));
        // Where it was in the session is of no interest.
        let shown = if answered.starts_with("Error") { 1 } else { usize::MAX };
        for line in answered.lines().take(shown) {
            renewed.push_str(&format!("-- {line}\n"));
        }
    }
    assert!(
        contents.contains("-- >>> ") || contents.contains("-- =="),
        "{place}: there is nothing to run"
    );
    block.body = renewed;
}

/// Lines without blanks at their ends.
pub(super) fn trimmed(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
