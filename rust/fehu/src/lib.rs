//! Programs of the fehu compiler in Rust. A build script compiles them (crate `fehu-build`), and [`module!`] includes what it has
//! written: a type `Module` with a method for each entry point.
//!
//! ```ignore
//! // build.rs
//! fn main() {
//!     fehu_build::Builder::new("src/stats.fut").backend("multicore").emit();
//! }
//!
//! // src/main.rs
//! fehu::module!(stats);
//!
//! fn main() -> fehu::Result<()> {
//!     let stats = stats::Module::new()?;
//!     let xs = vec![1.0, 2.0, 6.0];
//!     let mean: f64 = stats.mean(&xs)?;                         // xs is read where it is
//!     let image: fehu::Array<f32, 2> = stats.blur((&pixels[..], [480, 640]), 3)?;
//!     println!("{mean} {:?} {}", image.shape(), image.as_slice()[0]);
//!     Ok(())
//! }
//! ```
//!
//! * Arguments that are arrays are anything that is [`Lend`]: slices and vectors, a slice with its sizes, an [`Array`], and views of
//!   `ndarray` (feature `ndarray`) in row-major order. They are not copied.
//! * Parameters that the program consumes (`*[]f32`) take an [`Array`] by value: whoever uses it afterwards does not compile.
//! * Results are scalars, [`Array`]s, tuples of results, and types of the module for opaque values: records with a method for each field, and sums with
//!   a method for each constructor. They own their memory.
//! * A module can be shared by threads, which take turns.
//!
//! Programs for GPUs are not supported here yet: slices are of the host.

mod array;
mod context;
#[doc(hidden)]
pub mod tables;
mod value;

pub use array::{Array, Elem, Lend};
#[doc(hidden)]
pub use context::Functions;
pub use context::{Error, Program, Result};
pub use value::{Arg, FromOut, IntoArg, Out, Value};

/// Includes the module that the build script has made of `NAME.fut`.
#[macro_export]
macro_rules! module {
    ($name:ident) => {
        #[doc = concat!("The program `", stringify!($name), ".fut`.")]
        pub mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    };
}
