//! `fehu dataset`: random values, and values from one format to another.

use crate::args::DatasetArgs;
use crate::commands::{FAILURE, SUCCESS};
use crate::output;
use crate::run::{stdin, write, wrong};
use clap::{Arg, ArgAction, ArgMatches, Command};
use fehu_base::Prim;
use fehu_data::generate::{Bounds, Generator, Spec};
use fehu_data::{Value, reader, text};

/// `fehu dataset`
pub(crate) fn dataset(args: &DatasetArgs) -> u8 {
    let mut generator = Generator::new(args.seed);
    let mut generated = false;
    for step in &args.steps.0 {
        match step {
            Step::Bounds(prim, text) => match Bounds::parse(*prim, text) {
                Ok(bounds) => generator.set_bounds(bounds),
                Err(error) => return wrong(&format!("--{prim}-bounds: {error}")),
            },
            Step::Generate(text) => {
                generated = true;
                let spec = match Spec::parse(text) {
                    Ok(spec) => spec,
                    Err(error) if text.trim().contains(' ') => {
                        return wrong(&format!(
                            "`{text}`: {error}; each value has a `-g` of its own"
                        ));
                    }
                    Err(error) => return wrong(&format!("`{text}`: {error}")),
                };
                match generator.value(&spec) {
                    Ok(value) => show(&[value], args),
                    Err(error) => return wrong(&error.to_string()),
                }
            }
        }
    }
    if generated {
        return SUCCESS;
    }
    // Without anything to generate, values are converted from one format to another.
    let Some(bytes) = stdin() else { return FAILURE };
    match reader::read_all(&bytes) {
        Ok(values) => {
            show(&values, args);
            SUCCESS
        }
        Err(error) => wrong(&format!("standard input: {error}")),
    }
}

fn show(values: &[Value], args: &DatasetArgs) {
    if args.types {
        let types: String =
            values.iter().map(|value| format!("{}\n", value.sized_type())).collect();
        output::stdout(&types);
    } else {
        write(values, args.binary, text::Style::DATASET);
    }
}

/// What to generate and with which bounds, in the order of the command line: bounds apply to what
/// comes after them.
#[derive(Clone, Debug)]
pub(crate) struct Steps(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    Generate(String),
    Bounds(Prim, String),
}

const GENERATE: &str = "generate";

/// The options for bounds, each with its type.
const BOUNDS: [(Prim, &str); 12] = [
    (Prim::I8, "i8-bounds"),
    (Prim::I16, "i16-bounds"),
    (Prim::I32, "i32-bounds"),
    (Prim::I64, "i64-bounds"),
    (Prim::U8, "u8-bounds"),
    (Prim::U16, "u16-bounds"),
    (Prim::U32, "u32-bounds"),
    (Prim::U64, "u64-bounds"),
    (Prim::F16, "f16-bounds"),
    (Prim::F32, "f32-bounds"),
    (Prim::F64, "f64-bounds"),
    (Prim::Bool, "bool-bounds"),
];

/// Written by hand, because a derived one forgets the order among different options.
impl clap::Args for Steps {
    fn augment_args(command: Command) -> Command {
        let generate = Arg::new(GENERATE)
            .short('g')
            .long(GENERATE)
            .value_name("TYPE")
            .action(ArgAction::Append)
            .help("A type with sizes, such as `[10]i32`, or a value; may be repeated");
        let bounds = BOUNDS.map(|(_, name)| {
            Arg::new(name)
                .long(name)
                .value_name("MIN:MAX")
                .action(ArgAction::Append)
                .allow_hyphen_values(true)
                .help_heading("Inclusive bounds for random numbers of this type; apply to the `-g` options that follow")
        });
        command.arg(generate).args(bounds)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Steps::augment_args(command)
    }
}

impl clap::FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Steps, clap::Error> {
        let given = |name: &str| {
            let places = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            places.zip(texts.cloned()).collect::<Vec<_>>()
        };
        let generate = given(GENERATE).into_iter().map(|(at, text)| (at, Step::Generate(text)));
        let mut steps: Vec<(usize, Step)> = generate.collect();
        for (prim, name) in BOUNDS {
            let bounds = given(name).into_iter().map(|(at, text)| (at, Step::Bounds(prim, text)));
            steps.extend(bounds);
        }
        steps.sort_by_key(|(at, _)| *at);
        Ok(Steps(steps.into_iter().map(|(_, step)| step).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Steps::from_arg_matches(matches)?;
        Ok(())
    }
}
