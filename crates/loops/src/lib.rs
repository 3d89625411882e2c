//! Transformations of imperative code for CPUs: from imp to imp.
//!
//! Each makes loops faster and keeps what a program computes. [`TRANSFORMATIONS`] has them in the order in which they run.

#![warn(clippy::expect_used, clippy::unwrap_used, clippy::wildcard_enum_match_arm)]

pub mod copies;
pub mod delinearize;
pub mod empty;
pub mod lanes;
pub mod partials;
pub mod peel;
mod scalar;
pub mod short;
pub mod tile;
pub mod unit;
pub mod unswitch;

use fehu_imp::Program;

/// A transformation.
#[derive(Clone, Copy, Debug)]
pub struct Transformation {
    /// One word.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Does it.
    pub run: fn(&mut Program),
}

/// All of them, in order.
pub const TRANSFORMATIONS: [Transformation; 10] =
    [UNIT, TILE, EMPTY, COPIES, DELINEARIZE, UNSWITCH, PEEL, LANES, SHORT, PARTIALS];

/// Strides.
pub const UNIT: Transformation = Transformation {
    name: "unit",
    about: "has versions of loops for strides that turn out to be one",
    run: unit::unit,
};

/// Tiles.
pub const TILE: Transformation = Transformation {
    name: "tile",
    about: "processes nests of loops that read the same rows and columns again in tiles",
    run: tile::tile,
};

/// Nests over nothing.
pub const EMPTY: Transformation = Transformation {
    name: "empty",
    about: "does not run nests of loops over rows without elements",
    run: empty::empty,
};

/// Transpositions.
pub const COPIES: Transformation = Transformation {
    name: "copies",
    about: "copies transposed arrays in blocks",
    run: copies::copies,
};

/// Rows.
pub const DELINEARIZE: Transformation = Transformation {
    name: "delinearize",
    about: "lets loops that divide their counter go row by row",
    run: delinearize::delinearize,
};

/// Conditions.
pub const UNSWITCH: Transformation = Transformation {
    name: "unswitch",
    about: "moves conditions that are the same in all iterations out of loops",
    run: unswitch::unswitch,
};

/// Borders.
pub const PEEL: Transformation = Transformation {
    name: "peel",
    about: "separates the iterations at the borders from those that need no check of them",
    run: peel::peel,
};

/// Vectors.
pub const LANES: Transformation = Transformation {
    name: "lanes",
    about: "turns independent iterations into lanes of vectors",
    run: lanes::lanes,
};

/// Short rows.
pub const SHORT: Transformation = Transformation {
    name: "short",
    about: "has versions of nests for rows that are too short for vectors",
    run: short::short,
};

/// Sums of floats.
pub const PARTIALS: Transformation = Transformation {
    name: "partials",
    about: "says in which order floats are added up: several partial sums side by side",
    run: partials::partials,
};
