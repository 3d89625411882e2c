//! Transformations of imperative code for CPUs: from imp to imp.
//!
//! Each makes loops faster and keeps what a program computes. They run in this order ([`improve`]):
//!
//! - [`tile`]: nests of loops that read the same rows and columns again are processed in tiles;
//! - [`copies`]: copies of rows next to each other become one;
//! - [`unflatten`]: loops that divide their counter go row by row;
//! - [`unswitch`]: conditions that are the same in all iterations leave their loop;
//! - [`border`]: the first and last iterations, which need checks of borders, are separated from the others;
//! - [`lanes`]: independent iterations become lanes of vectors.

pub mod border;
pub mod copies;
pub mod lanes;
pub mod tile;
pub mod unflatten;
pub mod unswitch;

use fehu_imp::Program;

/// A transformation.
pub type Transformation = fn(&mut Program);

/// The transformations by name, in order.
pub const TRANSFORMATIONS: [(&str, Transformation); 6] = [
    ("tile", tile::tile),
    ("copies", copies::copies),
    ("unflatten", unflatten::unflatten),
    ("unswitch", unswitch::unswitch),
    ("border", border::border),
    ("lanes", lanes::lanes),
];

/// All transformations that make code for CPUs faster, in order; without the first one if `tiling` is false.
pub fn improve(program: &mut Program, tiling: bool) {
    let first = usize::from(!tiling);
    TRANSFORMATIONS[first..].iter().for_each(|(_, transform)| transform(program));
}
