//! From imp to imp, for devices.
//!
//! All tests are one program, because linking is what takes long.

mod ahead;
mod deferred;
mod guessed;
mod merged;
mod overlaid;
mod read_only;
mod skewed;
mod verified;

use fehu_device::{Options, device};
use fehu_imp::text::parse;
use fehu_imp::verify::{Phase, verify};

/// A program after this stage, as text.
fn for_device(text: &str, interleaving: bool) -> String {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}"));
    device(&mut program, Options { interleaving, copies: true, host_free: true });
    if let Err(errors) = verify(&program, Phase::Device) {
        panic!("{}\n{program}", errors[0]);
    }
    program.to_string()
}
