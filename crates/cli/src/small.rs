//! Small commands: about data, about the parts of programs, and for starting a project.

mod data;
mod doctor;
mod new;
mod pages;
mod parts;

use crate::args::small::SmallCommand;
use crate::commands::SUCCESS;
use crate::output;
use std::time::SystemTime;

/// Any of them.
pub(crate) fn small(command: &SmallCommand) -> u8 {
    match command {
        SmallCommand::Datacmp(args) => data::datacmp(args),
        SmallCommand::Dataget(args) => data::dataget(args),
        SmallCommand::Defs(args) => parts::defs(args),
        SmallCommand::Doctor => doctor::doctor(),
        SmallCommand::Hash(args) => parts::hash(args),
        SmallCommand::Imports(args) => parts::imports(args),
        SmallCommand::Query(args) => parts::query(args),
        SmallCommand::Tokens(args) => parts::tokens(args),
        SmallCommand::Thanks => thanks(),
        SmallCommand::New(args) => new::new(args),
        SmallCommand::Completions { shell } => pages::completions(*shell),
        SmallCommand::Man(args) => pages::man(args),
    }
}

/// `fehu thanks`
fn thanks() -> u8 {
    const ANSWERS: [&str; 6] = [
        "You are welcome. It was mostly the optimiser.",
        "My pleasure. Come back with a larger array.",
        "Any time. Well, in parallel: all the time.",
        "Thank you for the types; they made it easy.",
        "The pleasure is associative.",
        "Thank the people who wrote the papers.",
    ];
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at = now.subsec_nanos() as usize / 1000 % ANSWERS.len();
    output::stdout(&format!("{}\n", ANSWERS[at]));
    SUCCESS
}
