//! What programs tell sessions: calls, and where they may stop.

use super::{Frame, Machine, scalar, take};
use crate::code::Arg;
use crate::error::{Error, ErrorKind, Res};
use crate::watch::{Activation, Cause};
use fehu_ir::{Notice, Scalar};

impl<'p> Machine<'p> {
    pub(super) fn notice(&mut self, notice: Notice, args: &[Arg], frame: &mut Frame) -> Res<()> {
        if self.watch.is_none() {
            return Ok(());
        }
        let here = |scene: u32, frame: &mut Frame| {
            let values = args.iter().map(|arg| take(frame, arg)).collect();
            Activation { scene, values }
        };
        match notice {
            Notice::Enter(scene) => {
                self.calls.push(here(scene, frame));
                Ok(())
            }
            Notice::Leave => match self.calls.pop() {
                Some(_) => Ok(()),
                None => Err(Error::internal("a call ends that has not begun")),
            },
            Notice::Stop(scene) => {
                let place = scene.map(|scene| here(scene, frame));
                self.stop(Cause::Breakpoint, place)
            }
            Notice::Nan => {
                let numbers =
                    args.iter().map(|arg| scalar(frame, arg)).collect::<Res<Vec<Scalar>>>()?;
                match numbers.split_first() {
                    Some((made, of)) if is_nan(*made) && !of.iter().any(|of| is_nan(*of)) => {
                        self.stop(Cause::Nan, None)
                    }
                    Some(_) | None => Ok(()),
                }
            }
        }
    }

    /// Asks whether to go on.
    #[cold]
    fn stop(&mut self, cause: Cause, place: Option<Activation>) -> Res<()> {
        let frames: Vec<Activation> =
            place.into_iter().chain(self.calls.iter().rev().cloned()).collect();
        // Something that no code of the user has called is nowhere.
        if frames.is_empty() {
            return Ok(());
        }
        let goes_on = self.watch.as_mut().is_none_or(|watch| watch(cause, frames));
        if goes_on { Ok(()) } else { Err(Error::boxed(ErrorKind::Interrupt, "interrupted")) }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others are no floats")]
fn is_nan(number: Scalar) -> bool {
    match number {
        Scalar::F16(value) => value.is_nan(),
        Scalar::F32(value) => value.is_nan(),
        Scalar::F64(value) => value.is_nan(),
        _ => false,
    }
}
