//! Options about foreign functions.

use super::{Backend, OutputArgs};
use fehu_base::Diagnostic;
use fehu_driver::foreign::{Calls, Foreign, Inputs};
use std::sync::Arc;

pub(super) const FOREIGN_HELP: &str = "\
Examples:
  fehu foreign prog.fut                        What all back ends call.
  fehu foreign --backend=c prog.fut > prog_foreign.h
  fehu c --foreign fft.c prog.fut              Compile fft.c with the program.
  fehu run --foreign dot.c --foreign -lopenblas prog.fut
  fehu c --check-foreign --foreign fft.c prog.fut

A definition with the attribute `#[foreign(c(name))]` is computed by a C function of that name: scalars and sizes are passed
by value, arrays as addresses, and results are written where the last parameters point.";

/// What is done with the foreign functions of programs.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Foreign functions")]
pub(crate) struct ForeignArgs {
    /// Compile or link programs with this: FILE.c, FILE.o, FILE.a, FILE.so, -lNAME, -LFOLDER, -IFOLDER; for kernels FILE.cu
    /// or FILE.cl. May be repeated.
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) foreign: Vec<String>,
    /// Compare what foreign functions compute with what their bodies compute; `fehu test` does so anyway.
    #[arg(long, conflicts_with = "no_check_foreign")]
    pub(crate) check_foreign: bool,
    /// Do not compare them.
    #[arg(long)]
    pub(crate) no_check_foreign: bool,
    /// Use the bodies of foreign functions.
    #[arg(long, conflicts_with_all = ["foreign", "check_foreign"])]
    pub(crate) no_foreign: bool,
}

impl ForeignArgs {
    /// Whether nothing is said.
    pub(crate) fn is_empty(&self) -> bool {
        let ForeignArgs { foreign, check_foreign, no_check_foreign, no_foreign } = self;
        foreign.is_empty() && !check_foreign && !no_check_foreign && !no_foreign
    }

    /// What they say; `usual` is what is done if nothing is said.
    pub(crate) fn read(&self, usual: Calls) -> Result<Foreign, Box<Diagnostic>> {
        let calls = match (self.no_foreign, self.check_foreign, self.no_check_foreign) {
            (true, _, _) => Calls::Bodies,
            (false, true, _) => Calls::Checked,
            (false, false, true) => Calls::Symbols,
            (false, false, false) => usual,
        };
        Ok(Foreign { calls, inputs: Arc::new(Inputs::read(&self.foreign)?) })
    }
}

/// `fehu foreign`
#[derive(clap::Args, Debug)]
pub(crate) struct PrototypesArgs {
    /// The program.
    pub(crate) file: String,
    /// Print only what this back end calls; by default, what all of them call.
    #[arg(long, value_enum)]
    pub(crate) backend: Option<Backend>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
